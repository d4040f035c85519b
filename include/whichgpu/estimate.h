/* The estimator: memory, speed and power of one model on one layout of one
 * GPU. Pure arithmetic; no allocation in wg_estimator_run, no global state.
 *
 * Units are SI; every metric is a range (80 %). Equations: docs/estimator.md,
 * which names for each the section of the literature it is from. */
#ifndef WHICHGPU_ESTIMATE_H
#define WHICHGPU_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "whichgpu/catalog.h"
#include "whichgpu/model.h"
#include "whichgpu/range.h"
#include "whichgpu/status.h"

enum wg_task { WG_TASK_SERVE, WG_TASK_BATCH, WG_TASK_TRAIN, WG_TASK_FINETUNE, WG_TASK_LORA,
               WG_TASK_QLORA, WG_TASK_SCIENCE, WG_TASK_COUNT };

const char *wg_task_key(enum wg_task task);
bool wg_task_find(const char *key, enum wg_task *ret_task);

enum wg_science_kernel { WG_SCIENCE_STREAM, WG_SCIENCE_DGEMM, WG_SCIENCE_FFT, WG_SCIENCE_SPMV,
                         WG_SCIENCE_STENCIL, WG_SCIENCE_NBODY, WG_SCIENCE_GIVEN,
                         WG_SCIENCE_COUNT };

/* What is to be done. Zero means "take the default of the task". */
struct wg_work {
	enum wg_task task;
	/* serve: this many requests in flight all the time; batch: offline, full load */
	double input_tokens, output_tokens;
	double concurrency;
	double requests;             /* batch: how many in all; 0: not given */
	/* training kinds */
	double sequence_tokens;
	double global_batch;         /* sequences a step */
	double micro_batch;          /* sequences a pass on one GPU; 0: largest that fits */
	double total_tokens;         /* of the run; 0: not given */
	unsigned lora_rank;
	/* science */
	enum wg_science_kernel kernel;
	enum wg_rate science_rate;   /* FP64 or FP32 path */
	double flop_per_byte;        /* WG_SCIENCE_GIVEN */
	double total_flop;
	double science_bytes;        /* resident data; 0: not given */
};

/* gpus = tensor x pipeline x data. expert divides tensor x data (0 or 1: none).
 * data > 1 in serving is independent replicas; in training it shards
 * optimizer, gradients and parameters by `zero_stage`. */
struct wg_layout {
	unsigned gpus, nodes;
	unsigned tensor, pipeline, data, expert;
	unsigned zero_stage;         /* 0-3, training only */
	unsigned recompute;          /* 0 none, 1 selective, 2 full, training only */
};

struct wg_format {
	enum wg_weight_format weights;
	double kv_element_bytes;     /* 2, 1 */
	enum wg_rate rate;           /* that the matrices are multiplied at on this GPU */
	bool weight_only; /* expanded to `rate` before the multiplication: no unit for it */
};

enum wg_memory_term {
#define WG_MEMORY_TERM(name, key, label) WG_MEMORY_##name,
#include "whichgpu/memory_terms.def"
#undef WG_MEMORY_TERM
	WG_MEMORY_TERM_COUNT
};

enum wg_time_term {
#define WG_TIME_TERM(name, key, label, bound) WG_TIME_##name,
#include "whichgpu/time_terms.def"
#undef WG_TIME_TERM
	WG_TIME_TERM_COUNT
};

/* Why something cannot be done, and the two numbers that say so. */
enum wg_refusal_kind {
#define WG_REFUSAL(name, key, words, a, b) WG_REFUSAL_##name,
#include "whichgpu/refusals.def"
#undef WG_REFUSAL
	WG_REFUSAL_COUNT
};

struct wg_refusal {
	enum wg_refusal_kind kind;   /* WG_REFUSAL_NONE when feasible */
	double a, b;                 /* what the words are about; bytes or counts */
};

enum wg_bound { WG_BOUND_COMPUTE, WG_BOUND_MEMORY, WG_BOUND_LINK, WG_BOUND_HOST };

/* Of the fullest GPU. */
struct wg_memory {
	double total_bytes;          /* needed; sum of terms */
	double available_bytes;      /* what the driver shows, less what an engine leaves free */
	double terms[WG_MEMORY_TERM_COUNT];
	double kv_pool_tokens;       /* tokens the rest of the memory holds; 0 when not serving */
	double largest_context_tokens;   /* of one sequence, weights placed as here */
	bool fits;
};

/* Metrics that do not apply to the task are not known. Per layout, not per
 * GPU, unless the name says so. Definitions: TTFT is the time to the first
 * token of one request at this load; TPOT the mean time between later tokens;
 * output_tokens_per_s counts generated tokens of all replicas. */
struct wg_metrics {
	struct wg_range decode_tokens_per_s;      /* one stream */
	struct wg_range prefill_tokens_per_s;
	struct wg_range output_tokens_per_s;
	struct wg_range total_tokens_per_s;       /* input + output */
	struct wg_range requests_per_s;
	struct wg_range samples_per_s;
	struct wg_range ttft_s, tpot_s, step_s;
	struct wg_range tokens_per_s, tokens_per_s_per_gpu;   /* training */
	struct wg_range model_flops_utilisation;  /* of the format's dense peak, no recompute */
	struct wg_range hours_total;              /* when the amount of work was given */
	struct wg_range flop_per_s;               /* science */
};

struct wg_estimate {
	bool feasible;               /* memory fits and the layout is legal for the model */
	struct wg_refusal refusal;   /* why not; words: wg_refusal_write */
	struct wg_layout layout;
	struct wg_format format;
	struct wg_memory memory;
	struct wg_metrics metrics;
	double time_terms[WG_TIME_TERM_COUNT];   /* seconds of a step (serving: a mean one) */
	enum wg_bound bound;         /* of the largest term */
	enum wg_time_term largest_term;
	struct wg_range watts;       /* all GPUs together, under this load */
	double micro_batch;          /* training: what was taken */
	double batch;                /* serving: sequences in flight in one replica */
	bool waves;                  /* KV memory holds fewer sequences than asked: they queue */
	const char *engine;          /* profile used ("vllm"); a constant string */
};

const char *wg_memory_term_key(enum wg_memory_term term);
const char *wg_memory_term_label(enum wg_memory_term term);
const char *wg_time_term_key(enum wg_time_term term);
const char *wg_time_term_label(enum wg_time_term term);
enum wg_bound wg_time_term_bound(enum wg_time_term term);
const char *wg_bound_key(enum wg_bound bound);

/* One line without full stop, as "needs 141.1 GB for weights alone, has
 * 24.2 GB"; "" when there is no refusal. Cut at size. */
void wg_refusal_write(const struct wg_refusal *refusal, char *buffer, size_t size);
/* Stable word for programs and for grouping: "memory_weights". */
const char *wg_refusal_key(enum wg_refusal_kind kind);

struct wg_estimator;

/* Work that never changes within one search is done once here: operator
 * coefficients of the model, the work's defaults, efficiencies and engine
 * profiles (data/efficiency, built in). Keeps pointers to catalog and model,
 * which must outlive it. model is NULL for science. engine: NULL for the usual
 * one for GPU and task. */
enum wg_status wg_estimator_open(const struct wg_model *model, const struct wg_work *work,
                                 const char *engine, struct wg_estimator **ret_estimator,
                                 struct wg_error *error);
void wg_estimator_free(struct wg_estimator *estimator);
/* The work with its defaults filled in. */
const struct wg_work *wg_estimator_work(const struct wg_estimator *estimator);

/* Looks up once what this GPU's figures and coefficients are, so that later
 * runs on it are faster; `gpu` must outlive the estimator. Optional; not while
 * another thread uses the estimator. The engine used on it, or NULL when none
 * fits (then every run is refused). */
enum wg_status wg_estimator_prepare(struct wg_estimator *estimator, const struct wg_gpu *gpu,
                                    struct wg_error *error);
const char *wg_estimator_engine(const struct wg_estimator *estimator, const struct wg_gpu *gpu);

/* Never fails: what cannot be done is feasible = false with the reason. Any
 * number of threads may run one estimator. */
void wg_estimator_run(const struct wg_estimator *estimator, const struct wg_gpu *gpu,
                      const struct wg_layout *layout, enum wg_weight_format weights,
                      double kv_element_bytes, struct wg_estimate *ret_estimate);
/* The memory part alone, a cheap bound for pruning. */
void wg_estimator_memory(const struct wg_estimator *estimator, const struct wg_gpu *gpu,
                         const struct wg_layout *layout, enum wg_weight_format weights,
                         double kv_element_bytes, struct wg_memory *ret_memory);
/* How `weights` runs on this GPU: rate and whether weight-only (an FP8 or FP4
 * model on a GPU without such units runs weight-only at 16 bit). False when
 * the GPU, the engine or the task cannot use that format. */
bool wg_estimator_format_allowed(const struct wg_estimator *estimator, const struct wg_gpu *gpu,
                                 enum wg_weight_format weights, struct wg_format *ret_format);

#endif
