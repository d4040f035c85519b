/* What the files of the estimator share. Notation as in docs/estimator.md: t
 * tensor, p pipeline, d data, e expert degree; T new tokens of a step. */
#ifndef WHICHGPU_ESTIMATE_INTERNAL_H
#define WHICHGPU_ESTIMATE_INTERNAL_H

#include "estimate/efficiency.h"
#include "whichgpu/arena.h"
#include "whichgpu/estimate.h"

/* As fmax and fmin, but compiled to one instruction: no NaN comes here. */
static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* --- operators.c: the model as parts ------------------------------------- */

enum part_kind { PART_ATTENTION, PART_CROSS, PART_STATE, PART_DENSE, PART_MOE };

/* One mixer or feed-forward part of a layer, times how often it occurs.
 * Weights are counted in elements; sharded ones are divided by t. */
struct part {
	enum part_kind kind;
	double repeat;
	double hidden;
	/* matrices: input side (N sharded), replicated, key/value side, output side (K sharded) */
	double in, replicated, key_value, out;
	double in_matrices;          /* matrices that are one product there */
	double in_columns, out_rows; /* N of the input, K of the output product, unsharded */
	/* attention core */
	double heads, kv_heads;
	double pair_flops;              /* a query-context pair, prefill (plain form) */
	double pair_flops_decode;       /* the same in decode (MLA: absorbed form) */
	double index_flops, index_topk; /* sparse index: a pair; positions kept */
	double window;                  /* 0: none */
	double kv_bytes;                /* a context token at 16 bit, all heads */
	bool latent, causal;
	double state_elements; /* PART_STATE */
	/* experts */
	double experts, chosen, expert, shared; /* expert: elements of one */
	double log_miss;                        /* log(1 - chosen/experts) */
	double expert_columns;
	/* bytes moved a token besides the matrices: replicated and sharded share */
	double element_bytes, element_bytes_sharded;
	/* bytes kept for the backward pass a token: the same */
	double kept_bytes, kept_bytes_sharded;
};

#define STACKS_MOST 4

/* A stack that runs with the model: the main one, or an encoder before it. */
struct stack_cost {
	const struct part *parts;
	size_t part_count;
	double layers, hidden;
	double fixed_tokens;                   /* 0: as many as the input */
	double largest_layer;                  /* parameters */
	double kept_bytes, kept_bytes_sharded; /* of all layers, a token, no recompute */
};

struct model_cost {
	struct stack_cost main;
	struct stack_cost encoder; /* part_count 0: none */
	double vocabulary, hidden;
	double head;                                /* elements of the output matrix; 0: none */
	double layer_parameters;                    /* of all stacks, without embedding and head */
	double expert_parameters;                   /* of those, in routed experts */
	double outer_parameters;                    /* embedding, and head when untied */
	double first_parameters, last_parameters;   /* embedding; head */
	double adapter_parameters_rank1;            /* of one LoRA rank over all linear layers */
	double heads, dense_width, experts, layers; /* for legality; 0: does not apply */
	double expert_layers;
	bool moe, generates; /* generates: causal decoder */
	/* by weight format */
	double layer_element_bytes[WG_WEIGHTS_COUNT]; /* of matrices of the layers */
	double outer_element_bytes[WG_WEIGHTS_COUNT];
};

enum wg_status wg_model_cost_make(struct wg_arena *arena, const struct wg_model *model,
                                  struct model_cost *ret_cost, struct wg_error *error);

/* --- estimator.c ----------------------------------------------------------- */

struct link_path {
	double start_s;
	double efficiency[LINK_RANK_STEPS];
	double bytes_per_s; /* one direction, of one GPU */
	double reduction;
	double mesh_gpus; /* > 0: bandwidth grows with ranks up to this many */
};

/* A GPU's figures with the coefficients of its row and engine put in. */
struct device {
	const struct wg_gpu *gpu;
	const struct engine_row *engine; /* NULL: none runs here */
	enum wg_refusal_kind refusal;    /* a figure that is not known */
	struct coefficient profile[ENGINE_COEFFICIENT_COUNT];
	double memory_bytes, bytes_per_s; /* bytes_per_s: reached, not printed */
	double peak[WG_RATE_COUNT];       /* printed; 0: none */
	double reach[3];                  /* fraction reached: 16 bit and wider, 8, 4 bit */
	double attention, vector;
	double units, board_watts;
	double power_idle, power_level[4]; /* by enum wg_bound */
	double spread[4];                  /* by enum wg_bound */
	double form_spread;
	struct link_path pair, node, network; /* bridge pairs; all GPUs of a node; between nodes */
	double pair_gpus;                     /* GPUs joined by `pair`; 0: no bridge */
	double node_gpus;
};

struct wg_estimator {
	struct wg_arena *arena;
	const struct wg_model *model;
	struct wg_work work;
	struct model_cost cost;
	const struct efficiency *efficiency;
	const struct engine_row *engine; /* named; NULL: the usual one */
	bool gguf;                       /* weights are stored in a llama.cpp type */
	struct device *devices;          /* prepared, open addressing by address */
	size_t device_count, device_slots;
};

bool wg_task_trains(enum wg_task task);
void wg_device_make(const struct wg_estimator *estimator, const struct wg_gpu *gpu,
                    struct device *ret_device);

/* An all-reduce as two lines over bytes, the lower of which holds. */
struct reduce_lines {
	double ring_s, ring_s_per_byte, tree_s, tree_s_per_byte;
};

static inline double reduce_time(const struct reduce_lines *lines, double bytes)
{
	return smaller(lines->ring_s + lines->ring_s_per_byte * bytes,
	               lines->tree_s + lines->tree_s_per_byte * bytes);
}

/* --- one run --------------------------------------------------------------- */

/* Everything that stays the same while one layout is judged. */
struct run {
	const struct wg_estimator *estimator;
	const struct device *device;
	const struct model_cost *cost;
	struct wg_layout layout;
	struct wg_format format;
	double t, p, d, e;
	double gpus_per_node;
	double flops_per_s; /* matrix rate reached at large shapes */
	double attention_flops_per_s;
	double element_bytes, outer_bytes; /* a weight */
	double expert_ranks;               /* GPUs that share one layer's experts */
	double kv_scale;                   /* KV element bytes over 2 */
	double kv_element_bytes;
	struct reduce_lines tensor_reduce;
};

/* layout.c. False with the refusal when the layout cannot be. */
bool wg_layout_check(const struct wg_estimator *estimator, const struct device *device,
                     const struct wg_layout *layout, struct wg_refusal *ret_refusal);
bool wg_format_choose(const struct wg_estimator *estimator, const struct device *device,
                      enum wg_weight_format weights, struct wg_format *ret_format,
                      struct wg_refusal *ret_refusal);

/* New tokens of one pass over the layers, on one pipeline micro-batch. */
struct step {
	double decode_sequences, decode_context;
	double prefill_sequences, prefill_new, prefill_cached; /* of each sequence */
	double logits;                                         /* rows through the output matrix */
	bool training;
};

struct times {
	double term[WG_TIME_TERM_COUNT];
};

/* step.c: adds the time of the layers of `stack`, of the head and of the host. */
void wg_step_time(const struct run *run, const struct step *step, struct times *ret_times);
double wg_times_sum(const struct times *times);
void wg_times_add(struct times *target, const struct times *more, double factor);
/* Sum over n new tokens of the context each sees, r being cached before. */
double wg_context_pairs(double n, double r, double window, bool causal);

/* collectives.c: seconds; ranks are neighbours, `bytes` a rank. */
struct reduce_lines wg_link_reduce_lines(const struct run *run, double ranks, double stride);
double wg_link_all_reduce(const struct run *run, double ranks, double stride, double bytes);
double wg_link_all_gather(const struct run *run, double ranks, double stride, double bytes);
double wg_link_all_to_all(const struct run *run, double ranks, double stride, double bytes);
double wg_link_send(const struct run *run, double stride, double bytes);

/* memory_serve.c, memory_train.c */
/* ret_batch: sequences in flight in one replica */
void wg_memory_serve(const struct run *run, struct wg_memory *ret_memory, double *ret_batch,
                     struct wg_refusal *ret_refusal);
/* KV bytes of one sequence of that many tokens on the fullest GPU. */
double wg_memory_kv_bytes(const struct run *run, double tokens);
void wg_memory_train(const struct run *run, struct wg_memory *ret_memory, double *ret_micro_batch,
                     struct wg_refusal *ret_refusal);
/* Parameters on the fullest rank: all, and those in routed experts. */
void wg_rank_parameters(const struct run *run, double *ret_dense, double *ret_expert);
/* Of the dense ones, embedding and head. */
double wg_rank_outer_parameters(const struct run *run);

/* serve.c, train.c, science.c: fill metrics, time terms, batch. */
void wg_serve_run(const struct run *run, struct wg_estimate *estimate);
void wg_train_run(const struct run *run, struct wg_estimate *estimate);
void wg_science_run(const struct run *run, struct wg_estimate *estimate);
bool wg_science_memory(const struct run *run, struct wg_memory *ret_memory,
                       struct wg_refusal *ret_refusal);

/* range.c: relative half-width of a time made of these terms, and a range. */
double wg_times_spread(const struct device *device, const struct times *times, double form);
struct wg_range wg_range_around(double likely, double spread);
/* power.c */
struct wg_range wg_power_watts(const struct run *run, const struct times *times, double gpus);

#endif
