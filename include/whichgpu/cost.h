/* What a layout costs: rented, bought, and per unit of work.
 *
 * Plain arithmetic over quotes (price.h) and estimates (estimate.h); no
 * allocation. Money is USD. A result is not known when an input of it is.
 * Ranges are carried as independent spreads: the squares of the logarithms of
 * the ends add up, so that five uncertain inputs do not give the product of
 * five worst cases. */
#ifndef WHICHGPU_COST_H
#define WHICHGPU_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "whichgpu/catalog.h"
#include "whichgpu/estimate.h"
#include "whichgpu/price.h"
#include "whichgpu/range.h"

#define WG_HOURS_PER_YEAR 8766.0     /* 365.25 days */
#define WG_HOURS_PER_MONTH 730.0

/* a x b and a / b of independent ranges, as above. Not known when one is not
 * or when an end is not positive. */
struct wg_range wg_range_times(struct wg_range a, struct wg_range b);
struct wg_range wg_range_over(struct wg_range a, struct wg_range b);

/* --- owning ------------------------------------------------------------- */
/* Of one GPU with its share of the server. Ranges as their sources give them
 * (data/prices, docs/cost.md). */
#define WG_OWNERSHIP_INPUTS(X) \
	X(capex_usd) X(life_years) X(residual_share) X(interest) X(gpu_watts) X(load_share) \
	X(server_overhead) X(pue) X(usd_per_kwh) X(rated_kw) X(colocation_usd_per_kw_month) \
	X(maintenance_share) X(staff_usd_per_year) X(utilisation)

struct wg_ownership_inputs {
#define WG_INPUT(name) struct wg_range name;
	WG_OWNERSHIP_INPUTS(WG_INPUT)
#undef WG_INPUT
};

struct wg_ownership {
	/* USD a year, every input at its likely value */
	double capital, energy, space, maintenance, staff, total;
	double usd_per_installed_hour;
	double usd_per_delivered_hour;       /* over the hours that do paid work */
	struct wg_range usd_per_hour;        /* delivered, with the range of the inputs */
};

/* Capital by annuity, energy, space, maintenance and staff per year over the
 * hours of a year. Every input must be known. */
void wg_cost_own(const struct wg_ownership_inputs *inputs, struct wg_ownership *ret_ownership);
/* USD a year that pay back capex less the residual over life_years:
 * (K - R/(1+r)^n) r / (1 - (1+r)^-n); interest 0: the straight line. */
double wg_cost_annuity(double capex_usd, double residual_usd, double life_years, double interest);

/* The defaults for a GPU bought at `quote`: a bare card is raised to its share
 * of a server by a factor, a data-centre GPU pays for hosting and staff, a
 * consumer card at home for neither; networked: with its share of the fabric
 * between several machines. */
void wg_cost_own_defaults(const struct wg_gpu *gpu, const struct wg_quote *quote, bool networked,
                          struct wg_ownership_inputs *ret_inputs);

/* --- units of work ------------------------------------------------------ */
/* usd_per_hour x 1e6 / (tokens_per_s x 3600 x utilisation). */
double wg_cost_per_million_tokens(double usd_per_hour, double tokens_per_s, double utilisation);
/* usd_per_hour / (peak dense TFLOPS x share of the peak reached). */
double wg_cost_per_tflops_hour(double usd_per_hour, double peak_ops_per_s, double share);

/* Long runs: failures and checkpoints. Young 1974: sqrt(2 M Ts); the optimum for
 * availability (Saxena et al., arXiv 2410.18124): Ts + sqrt(2 (M + Tr) Ts + Ts^2).
 * All in seconds: M mean time between interruptions, Ts to write a checkpoint,
 * Tr to be back at work. */
double wg_cost_checkpoint_young(double mean_s, double write_s);
double wg_cost_checkpoint_best(double mean_s, double write_s, double restart_s);
/* Share of the time lost, first order: Ts/T + (T/2 + Tr)/M. */
double wg_cost_checkpoint_loss(double mean_s, double write_s, double restart_s,
                               double interval_s);
/* Mean seconds between interruptions of a cluster: 50,700 GPU-hours between
 * two unexpected ones (Llama 3 paper, 419 in 54 days of 16,384 H100). */
double wg_cost_mean_s_between_interruptions(unsigned gpus);

/* --- one layout --------------------------------------------------------- */
enum wg_pay { WG_PAY_RENT, WG_PAY_SPOT, WG_PAY_BUY, WG_PAY_COUNT };

/* Prices of one GPU, looked up once a search. */
struct wg_gpu_prices {
	struct wg_quote rent;            /* on demand, or spot when that was asked for */
	struct wg_quote purchase;
	struct wg_ownership ownership;   /* usd_per_hour not known without a purchase price */
	struct wg_ownership networked;   /* one of several machines: with its share of the fabric */
};

struct wg_price_choice {
	enum wg_pay pay;
	enum wg_provider_class provider_class;   /* WG_PROVIDER_CLASS_COUNT: the usual one */
};

void wg_cost_gpu_prices(const struct wg_price_book *book, const struct wg_gpu *gpu,
                        const struct wg_price_choice *choice, struct wg_gpu_prices *ret_prices);

/* USD per GPU and hour on that many machines; not known without a price. */
struct wg_range wg_cost_gpu_hour(const struct wg_gpu_prices *prices, enum wg_pay pay,
                                 unsigned nodes);

/* What one unit of work is, for the task of an estimate. */
enum wg_work_unit {
	WG_WORK_OUTPUT_TOKENS,           /* 1e6 generated tokens (serve, batch) */
	WG_WORK_TRAINED_TOKENS,          /* 1e6 tokens of the training text */
	WG_WORK_SAMPLES,                 /* 1e6 inputs of an encoder, images */
	WG_WORK_FLOP,                    /* 1e18 floating-point operations (science) */
};

struct wg_layout_cost {
	enum wg_work_unit unit;
	struct wg_range usd_per_hour;    /* all GPUs: rent, or owning when they are bought */
	struct wg_range usd_per_unit;    /* 1e6 tokens or 1e18 FLOP */
	struct wg_range usd_per_run;     /* when the amount was given; with failures */
	struct wg_range usd_per_gpu;     /* purchase */
	struct wg_range usd_to_buy;      /* all GPUs */
	struct wg_range usd_per_tflops_hour;   /* dense peak of the format, fully used */
	struct wg_range energy_usd_per_hour;   /* at the wall, part of owning, not of rent */
};

/* science_rate: the rate a science work runs at; unused otherwise. */
void wg_cost_layout(const struct wg_gpu_prices *prices, const struct wg_price_choice *choice,
                    const struct wg_gpu *gpu, const struct wg_work *work,
                    const struct wg_estimate *estimate, struct wg_layout_cost *ret_cost);

const char *wg_pay_key(enum wg_pay pay);
const char *wg_work_unit_label(enum wg_work_unit unit);

#endif
