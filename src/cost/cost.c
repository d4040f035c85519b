/* What a layout costs, per hour and per unit of work. */
#include "whichgpu/cost.h"

#include <math.h>

#include "base/i18n.h"

/* Llama 3 paper: 419 unexpected interruptions in 54 days on 16,384 H100. */
#define GPU_HOURS_BETWEEN_INTERRUPTIONS 50.7e3
/* Checkpoints of long runs: write time and time to be back at work, seconds. */
#define CHECKPOINT_WRITE_S 60.0
#define CHECKPOINT_RESTART_S 600.0

static const struct wg_range not_known = { 0, 0, 0, false };

static bool positive(struct wg_range range)
{
	return range.known && range.low > 0 && range.likely > 0 && range.high > 0;
}

/* Root of the sum of the squares of two logarithmic distances, as a factor. */
static double joined(double a, double b)
{
	return exp(sqrt(log(a) * log(a) + log(b) * log(b)));
}

struct wg_range wg_range_times(struct wg_range a, struct wg_range b)
{
	if (!positive(a) || !positive(b)) {
		return not_known;
	}
	double likely = a.likely * b.likely;
	return wg_range_make(likely / joined(a.likely / a.low, b.likely / b.low), likely,
	                     likely * joined(a.high / a.likely, b.high / b.likely));
}

struct wg_range wg_range_over(struct wg_range a, struct wg_range b)
{
	return positive(b) ? wg_range_times(a, wg_range_inverse(b)) : not_known;
}

double wg_cost_per_million_tokens(double usd_per_hour, double tokens_per_s, double utilisation)
{
	return usd_per_hour * 1e6 / (tokens_per_s * 3600 * utilisation);
}

double wg_cost_per_tflops_hour(double usd_per_hour, double peak_ops_per_s, double share)
{
	return usd_per_hour / (peak_ops_per_s / 1e12 * share);
}

double wg_cost_checkpoint_young(double mean_s, double write_s)
{
	return sqrt(2 * mean_s * write_s);
}

double wg_cost_checkpoint_best(double mean_s, double write_s, double restart_s)
{
	return write_s + sqrt(2 * (mean_s + restart_s) * write_s + write_s * write_s);
}

double wg_cost_checkpoint_loss(double mean_s, double write_s, double restart_s, double interval_s)
{
	return write_s / interval_s + (interval_s / 2 + restart_s) / mean_s;
}

double wg_cost_mean_s_between_interruptions(unsigned gpus)
{
	return GPU_HOURS_BETWEEN_INTERRUPTIONS * 3600 / gpus;
}

void wg_cost_gpu_prices(const struct wg_price_book *book, const struct wg_gpu *gpu,
                        const struct wg_price_choice *choice, struct wg_gpu_prices *ret_prices)
{
	struct wg_gpu_prices prices = { 0 };
	prices.rent = wg_price_rent(book, gpu->id,
	                            choice->pay == WG_PAY_SPOT ? WG_PRICE_SPOT : WG_PRICE_ON_DEMAND,
	                            choice->provider_class);
	prices.purchase = wg_price_purchase(book, gpu->id);
	if (prices.purchase.usd.known && gpu->figures[WG_GPU_POWER].state == WG_KNOWN) {
		struct wg_ownership_inputs inputs;
		wg_cost_own_defaults(gpu, &prices.purchase, false, &inputs);
		wg_cost_own(&inputs, &prices.ownership);
		wg_cost_own_defaults(gpu, &prices.purchase, true, &inputs);
		wg_cost_own(&inputs, &prices.networked);
	}
	*ret_prices = prices;
}

/* Speed in work units a second, and which unit. */
static struct wg_range units_per_s(const struct wg_estimate *estimate, const struct wg_work *work,
                                   enum wg_work_unit *ret_unit)
{
	const struct wg_metrics *metrics = &estimate->metrics;
	switch (work->task) {
	case WG_TASK_SERVE:
	case WG_TASK_BATCH:
		*ret_unit = WG_WORK_OUTPUT_TOKENS;
		if (!metrics->output_tokens_per_s.known && metrics->samples_per_s.known) {
			*ret_unit = WG_WORK_SAMPLES;
			return wg_range_scale(metrics->samples_per_s, 1e-6);
		}
		return wg_range_scale(metrics->output_tokens_per_s, 1e-6);
	case WG_TASK_SCIENCE:
		*ret_unit = WG_WORK_FLOP;
		return wg_range_scale(metrics->flop_per_s, 1e-18);
	default:
		*ret_unit = WG_WORK_TRAINED_TOKENS;
		return wg_range_scale(metrics->tokens_per_s, 1e-6);
	}
}

static bool is_training(enum wg_task task)
{
	return task == WG_TASK_TRAIN || task == WG_TASK_FINETUNE || task == WG_TASK_LORA ||
	       task == WG_TASK_QLORA;
}

/* Hours of the run as paid: training loses some to failures and checkpoints. */
static struct wg_range paid_hours(const struct wg_work *work, const struct wg_estimate *estimate)
{
	struct wg_range hours = estimate->metrics.hours_total;
	if (!hours.known || !is_training(work->task)) {
		return hours;
	}
	double mean_s = wg_cost_mean_s_between_interruptions(estimate->layout.gpus);
	double interval_s = wg_cost_checkpoint_young(mean_s, CHECKPOINT_WRITE_S);
	double loss = wg_cost_checkpoint_loss(mean_s, CHECKPOINT_WRITE_S, CHECKPOINT_RESTART_S,
	                                      interval_s);
	return wg_range_scale(hours, 1 / (1 - fmin(loss, 0.9)));
}

struct wg_range wg_cost_gpu_hour(const struct wg_gpu_prices *prices, enum wg_pay pay,
                                 unsigned nodes)
{
	if (pay != WG_PAY_BUY) {
		return prices->rent.usd;
	}
	return nodes > 1 ? prices->networked.usd_per_hour : prices->ownership.usd_per_hour;
}

/* Of the GPUs alone, at the wall: watts x PUE x price of a kWh. */
static struct wg_range energy(const struct wg_gpu *gpu, const struct wg_estimate *estimate,
                              const struct wg_quote *purchase)
{
	struct wg_ownership_inputs inputs;
	wg_cost_own_defaults(gpu, purchase, false, &inputs);
	struct wg_range kilowatts = wg_range_scale(estimate->watts, 1e-3);
	return wg_range_times(wg_range_times(kilowatts, inputs.pue), inputs.usd_per_kwh);
}

void wg_cost_layout(const struct wg_gpu_prices *prices, const struct wg_price_choice *choice,
                    const struct wg_gpu *gpu, const struct wg_work *work,
                    const struct wg_estimate *estimate, struct wg_layout_cost *ret_cost)
{
	struct wg_layout_cost cost = { 0 };
	double gpus = estimate->layout.gpus;
	struct wg_range per_gpu_hour =
		wg_cost_gpu_hour(prices, choice->pay, estimate->layout.nodes);
	struct wg_range speed = units_per_s(estimate, work, &cost.unit);
	cost.usd_per_hour = wg_range_scale(per_gpu_hour, gpus);
	cost.usd_per_unit = wg_range_over(cost.usd_per_hour, wg_range_scale(speed, 3600));
	cost.usd_per_run = wg_range_times(cost.usd_per_hour, paid_hours(work, estimate));
	cost.usd_per_gpu = prices->purchase.usd;
	cost.usd_to_buy = wg_range_scale(prices->purchase.usd, gpus);
	const struct wg_figure *peak = &gpu->dense[estimate->format.rate];
	if (peak->state == WG_KNOWN && per_gpu_hour.known) {
		cost.usd_per_tflops_hour = wg_range_scale(per_gpu_hour, 1e12 / peak->value);
	}
	cost.energy_usd_per_hour = energy(gpu, estimate, &prices->purchase);
	*ret_cost = cost;
}

const char *wg_pay_key(enum wg_pay pay)
{
	static const char *const keys[WG_PAY_COUNT] = { "rent", "spot", "buy" };
	return (unsigned)pay < WG_PAY_COUNT ? keys[pay] : "";
}

const char *wg_work_unit_label(enum wg_work_unit unit)
{
	switch (unit) {
	case WG_WORK_OUTPUT_TOKENS:
		return N_("1e6 output tokens");
	case WG_WORK_TRAINED_TOKENS:
		return N_("1e6 trained tokens");
	case WG_WORK_SAMPLES:
		return N_("1e6 samples");
	case WG_WORK_FLOP:
		return N_("1e18 FLOP");
	}
	return "";
}
