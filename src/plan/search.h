/* What the files of the plan module share. */
#ifndef WHICHGPU_PLAN_SEARCH_H
#define WHICHGPU_PLAN_SEARCH_H

#include "whichgpu/arena.h"
#include "whichgpu/plan.h"

#define WG_PLAN_COUNTS_MOST 32
#define WG_PLAN_LAYOUTS_MOST 8192

/* --- space.c: what can be tried ----------------------------------------- */
struct wg_space {
	enum wg_task task;
	double copies_most; /* data-parallel copies: one needs a request or a sequence */
	unsigned layers;    /* pipeline stages at most */
	unsigned experts;   /* of the model's MoE layers; 0: dense */
};

/* Numbers of GPUs to try up to `most`, ascending; returns how many. */
size_t wg_space_counts(unsigned most, unsigned counts[WG_PLAN_COUNTS_MOST]);
/* All layouts of that many GPUs in nodes of node_gpus; returns how many. */
size_t wg_space_layouts(const struct wg_space *space, unsigned gpus, unsigned node_gpus,
                        struct wg_layout *layouts, size_t capacity);

/* --- one attempt, and how near it came ---------------------------------- */
enum wg_limit_kind {
	WG_LIMIT_KIND_NONE,
	WG_LIMIT_KIND_PRICE,
	WG_LIMIT_KIND_BUDGET,
	WG_LIMIT_KIND_RUN_BUDGET,
	WG_LIMIT_KIND_DEADLINE,
	WG_LIMIT_KIND_TTFT,
	WG_LIMIT_KIND_TPOT,
	WG_LIMIT_KIND_SPEED,
	WG_LIMIT_KIND_CONTEXT,
	WG_LIMIT_KIND_WATTS,
	WG_LIMIT_KIND_FABRIC,
	WG_LIMIT_KIND_COUNT
};

struct wg_violation {
	enum wg_limit_kind kind;
	double has, limit;
	double closeness; /* 0..1, 1: met */
};

struct wg_attempt {
	bool known;
	unsigned gpus;
	enum wg_weight_format weights;
	double closeness; /* below 1: does not run; 1..2: runs, breaks a limit */
	double score;     /* when it runs and has one, else 0 */
	struct wg_refusal refusal;
	struct wg_violation violation;
};

/* --- the search --------------------------------------------------------- */
struct wg_found { /* best of one GPU, format (and count, for Pareto) */
	const struct wg_gpu *gpu;
	const struct wg_gpu_prices *prices;
	struct wg_estimate estimate;
	double score; /* lower is better: USD, or minus the speed */
	double speed, usd_per_hour;
	bool priced, within_usual, as_stored;
};

struct wg_gpu_result {
	const struct wg_gpu *gpu;
	struct wg_gpu_prices prices;
	struct wg_attempt nearest;  /* of what was refused */
	struct wg_attempt cheapest; /* of what runs but breaks a limit, by score */
	size_t found;               /* options kept for this GPU */
	unsigned node_gpus;
	double available_bytes;
};

struct wg_tally {
	unsigned long long evaluated, skipped;
};

struct wg_search {
	const struct wg_plan_request *request;
	struct wg_arena *arena;
	struct wg_estimator *estimator;
	const struct wg_work *work;
	struct wg_space space;
	struct wg_limits limits;           /* the caller's */
	double usual_ttft_s, usual_tpot_s; /* assumed ones; 0: none */
	unsigned weights;                  /* formats to try */
	enum wg_weight_format stored;
	double kv_element_bytes;
	double weight_bytes[WG_WEIGHTS_COUNT];
	double flop_per_unit;      /* least per generated or trained token; 0: no bound */
	double active_bytes_share; /* of weight_bytes read at least once a step; 0: no bound */
	double outer_bytes,
		inner_share; /* embedding and head at 16 bit; active share of the rest */
	unsigned least_gpus, max_gpus;
	struct wg_gpu_result *gpus;
	size_t gpu_count;
	struct wg_found *found;
	size_t found_count, found_capacity;
	struct wg_layout *layouts; /* scratch */
	struct wg_tally *tally;    /* shared with the probes of this search */
	bool best_only;            /* keep one option, the best of all GPUs and formats */
	bool failed;               /* memory was out */
};

/* Prepares GPUs, formats and bounds; the request must be checked. */
enum wg_status wg_search_open(struct wg_search *search, const struct wg_plan_request *request,
                              struct wg_arena *arena, struct wg_error *error);
void wg_search_done(struct wg_search *search);
/* Tries counts in least_gpus..max_gpus of every GPU. */
void wg_search_run(struct wg_search *search);
/* The best option of that GPU (NULL: of all) with least..most of them in one of
 * these formats; false when there is none. */
bool wg_search_probe(const struct wg_search *search, const struct wg_gpu *gpu, unsigned least,
                     unsigned most, unsigned weights, struct wg_found *ret_best);
/* Work units a second that are ranked; 0 when the estimate has none. */
double wg_search_speed(const struct wg_search *search, const struct wg_estimate *estimate);
bool wg_search_has_latency(const struct wg_search *search);

/* --- constraints.c ------------------------------------------------------ */
enum wg_status wg_request_check(const struct wg_plan_request *request, struct wg_error *error);
/* The limit that is missed by most, kind NONE when all are met. */
struct wg_violation wg_limits_check(const struct wg_search *search,
                                    const struct wg_gpu_prices *prices,
                                    const struct wg_estimate *estimate);
bool wg_limits_usual(const struct wg_search *search, const struct wg_estimate *estimate);
const char *wg_limit_key(enum wg_limit_kind kind);

/* --- refuse.c ----------------------------------------------------------- */
void wg_attempt_keep(struct wg_attempt *best, const struct wg_attempt *attempt);
/* One line for people, in the arena; NULL when memory is out. */
const char *wg_attempt_words(struct wg_arena *arena, const struct wg_attempt *attempt);
const char *wg_attempt_key(const struct wg_attempt *attempt);
const char *wg_violation_words(struct wg_arena *arena, const struct wg_violation *violation);

/* --- rank.c, pareto.c --------------------------------------------------- */
bool wg_found_is_better(const struct wg_found *a, const struct wg_found *b);
void wg_found_sort(struct wg_found *found, size_t count);
/* Drops what another option beats in both USD an hour and speed; returns how many stay. */
size_t wg_found_pareto(struct wg_found *found, size_t count);

/* --- explain.c, flips.c ------------------------------------------------- */
/* Fills why of one plan; false when memory is out. */
bool wg_plan_explain(const struct wg_search *search, struct wg_plan *plans, size_t count,
                     size_t index);
/* "12.3 USD per 1e6 output tokens", "4,310 tokens/s": a score as people read it. */
const char *wg_plan_score_words(const struct wg_search *search, const struct wg_plan *plan);
/* At most WG_FLIPS_MOST of them; returns how many. */
#define WG_FLIPS_MOST 12
size_t wg_plan_flips(const struct wg_search *search, const struct wg_plan *plans, size_t count,
                     struct wg_flip flips[WG_FLIPS_MOST]);

/* --- words.c: numbers in sentences -------------------------------------- */
struct wg_words_buffer {
	char text[40];
};
struct wg_words_buffer wg_words_usd(double usd);
struct wg_words_buffer wg_words_bytes(double bytes);
struct wg_words_buffer wg_words_seconds(double seconds);
struct wg_words_buffer wg_words_count(double count);
struct wg_words_buffer wg_words_percent(double share);
void wg_words_ratio(char *buffer, size_t buffer_bytes, double ratio);

#endif
