/* The search: which GPUs, how many, laid out how, for this work - ranked,
 * with the reason for the first choice and for each GPU that is out.
 *
 * Exhaustive over GPUs x counts x layouts x formats; what is left out is left
 * out by a bound that cannot lose the best answer (search.c), and a test
 * compares with the search that leaves nothing out.
 *
 * Ownership: struct wg_plans owns all it hands out; free it. It keeps pointers
 * into catalogue and price book, which must outlive it. */
#ifndef WHICHGPU_PLAN_H
#define WHICHGPU_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "whichgpu/catalog.h"
#include "whichgpu/cost.h"
#include "whichgpu/estimate.h"
#include "whichgpu/model.h"
#include "whichgpu/status.h"

enum wg_objective {
	WG_OBJECTIVE_WITHIN_LIMITS,   /* cheapest within limits, usual latency too */
	WG_OBJECTIVE_CHEAPEST,        /* no latency is assumed to be wanted */
	WG_OBJECTIVE_FASTEST,
	WG_OBJECTIVE_COUNT
};

/* 0: no limit. */
struct wg_limits {
	double budget_usd;            /* an hour when rented, in all when bought */
	double run_budget_usd;        /* of a whole run: rent x hours */
	double deadline_s;
	double ttft_s, tpot_s;        /* at most */
	double tokens_per_s;          /* at least: generated, or trained */
	double context_tokens;        /* at least, of one sequence */
	double watts;                 /* all GPUs together */
	unsigned max_gpus;            /* 0: WG_PLAN_USUAL_GPUS, and up to WG_PLAN_MOST_GPUS
	                                 when nothing runs on those */
};

#define WG_PLAN_USUAL_GPUS 8
#define WG_PLAN_MOST_GPUS 64
/* Taken for serving when neither was given, and said so. */
#define WG_PLAN_USUAL_TTFT_S 5.0
#define WG_PLAN_USUAL_TPOT_S 0.1

struct wg_plan_request {
	const struct wg_catalog *catalog;    /* NULL: gpus is all there is */
	const struct wg_price_book *book;    /* NULL: prices are not looked at */
	const struct wg_model *model;        /* NULL: science */
	struct wg_work work;
	const struct wg_gpu *const *gpus;    /* the only ones looked at; count 0: all */
	size_t gpu_count;
	const char *vendor;                  /* NULL: any; as the catalogue writes it, any case */
	enum wg_objective objective;
	struct wg_price_choice price;
	struct wg_limits limits;
	unsigned weights;                    /* bit 1 << wg_weight_format each; 0: as stored */
	double kv_element_bytes;             /* 0: 2 */
	const char *engine;                  /* NULL: the usual one */
	bool pareto;                         /* plans: the Pareto set over USD an hour and speed */
	bool unpruned;                       /* leave nothing out (tests) */
};

/* One option: the best layout of one GPU in one format. */
struct wg_plan {
	unsigned rank;                       /* from 1 */
	const struct wg_gpu *gpu;
	struct wg_estimate estimate;
	struct wg_layout_cost cost;
	struct wg_quote rent, purchase;
	double score;                        /* what was ranked: USD, or speed when fastest */
	bool priced;                         /* false: no price is known, ranked after the others */
	bool within_usual;                   /* meets the latency limits that were assumed */
	bool as_stored;                      /* precision of the file: no quality traded */
	const char *const *why;              /* sentences for people */
	size_t why_count;
};

struct wg_plan_refusal {
	const struct wg_gpu *gpu;
	unsigned gpus;                       /* at its best attempt */
	const char *key;                     /* stable word: "memory_weights", "budget" ... */
	const char *reason;                  /* "needs 141.1 GB for weights alone, has 24.2 GB" */
};

enum wg_flip_kind {
	WG_FLIP_PRICE,                       /* rent at which the runner-up wins */
	WG_FLIP_CONTEXT,                     /* tokens at which the first choice stops fitting */
	WG_FLIP_MORE_GPUS,                   /* the next larger count of the same GPU */
	WG_FLIP_WEIGHTS,                     /* another precision */
	WG_FLIP_LIMIT,                       /* a limit that keeps a cheaper one out */
};

/* What would change the choice, by how much. */
struct wg_flip {
	enum wg_flip_kind kind;
	const struct wg_gpu *gpu;            /* the choice after the change; NULL: none */
	unsigned gpus;
	double now, then;                    /* value now, and the one that changes the choice */
	const char *text;
};

struct wg_plans {
	const struct wg_plan *plans;
	size_t count;
	const struct wg_plan_refusal *refused;
	size_t refused_count;
	const struct wg_flip *flips;
	size_t flip_count;
	const char *const *notes;            /* assumptions that must not be overlooked */
	size_t note_count;
	const struct wg_work *work;          /* with defaults filled in */
	enum wg_weight_format stored;
	unsigned max_gpus;                   /* that was looked at */
	size_t gpus_looked_at;
	unsigned long long layouts_evaluated, layouts_skipped;
};

/* WG_BAD_INPUT with one sentence when limits contradict each other. No plan is
 * no error: count is 0, and refused says why. */
enum wg_status wg_plan_search(const struct wg_plan_request *request, struct wg_plans **ret_plans,
                              struct wg_error *error);
void wg_plans_free(struct wg_plans *plans);

const char *wg_objective_key(enum wg_objective objective);
const char *wg_flip_key(enum wg_flip_kind kind);
/* For people: "tensor 4, data 2, ZeRO-3, full recompute", and "t4 d2 z3 r2". */
void wg_layout_write_short(const struct wg_layout *layout, char *buffer, size_t buffer_bytes);
void wg_layout_write(const struct wg_layout *layout, char *buffer, size_t buffer_bytes);

#endif
