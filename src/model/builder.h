/* Building a model: what every family's function works on.
 *
 * A family's function adds stacks; each stack gets layers one after the other
 * (equal ones are kept once); every matrix goes through wg_add_matrices, which
 * answers its parameters and books them by part, so that totals, weight bytes
 * by format and the layers can not disagree. Errors stick (config.h). */
#ifndef WHICHGPU_MODEL_BUILDER_H
#define WHICHGPU_MODEL_BUILDER_H

#include "model/config.h"
#include "model/families.h"
#include "whichgpu/arena.h"
#include "whichgpu/limits.h"
#include "whichgpu/model.h"

/* What a weight belongs to: quantisation treats the parts differently. */
enum wg_part {
	WG_PART_ATTENTION, /* matrices of mixers */
	WG_PART_FFN,       /* dense feed-forward */
	WG_PART_SHARED,    /* shared experts */
	WG_PART_EXPERTS,   /* routed experts */
	WG_PART_ROUTER,
	WG_PART_VECTORS,   /* norms, biases, convolutions, what never is quantised */
	WG_PART_EMBEDDING, /* input embedding and positions */
	WG_PART_HEAD,      /* when not tied */
	WG_PART_COUNT
};

struct wg_weights {
	double elements[WG_PART_COUNT];
	double outputs[WG_PART_COUNT];  /* rows that have a scale of their own */
	double blocks[WG_PART_COUNT];   /* tiles of 128 x 128, part tiles counted whole */
	double groups32[WG_PART_COUNT]; /* unused rows round up: groups of 32 along the input */
};

#define WG_WARNINGS 24
#define WG_STACKS 12

struct wg_stack_builder {
	struct wg_stack stack;
	struct wg_layer *layers; /* kinds */
	size_t capacity;
	uint16_t *order;
};

struct wg_builder {
	struct wg_arena *arena;
	struct wg_config config;
	const struct wg_family *family;
	struct wg_model *model;
	struct wg_weights main;      /* of model->parameters */
	struct wg_weights beside;    /* of companions: towers, text encoders, VAE */
	struct wg_weights draft;     /* of draft (MTP) layers */
	struct wg_weights *weights;  /* which of the three is being booked */
	double inactive_parameters;  /* experts a token does not use */
	double fixed_state_elements; /* beyond the mixers': cross-attention to fixed tokens */
	double index_bytes_per_token;
	unsigned outer_hidden; /* of the language model, for towers */
	bool towers_near;      /* companions are counted roughly */
	bool incomplete;       /* something was not understood: do not trust the total */
	struct wg_stack_builder stacks[WG_STACKS];
	size_t stack_count;
	const char *warnings[WG_WARNINGS];
	size_t warning_count;
};

/* A sentence for the user, lower case, no full stop; said once. */
__attribute__((format(printf, 2, 3))) void wg_builder_warn(struct wg_builder *builder,
                                                           const char *format, ...);
bool wg_builder_ok(const struct wg_builder *builder);
void wg_builder_no_memory(struct wg_builder *builder);

/* count matrices of in x out, each with a bias of `out` when asked; answers
 * the parameters of all. The bias is booked as vectors. */
double wg_add_matrices(struct wg_builder *builder, enum wg_part part, double count, double in,
                       double out, bool bias);
double wg_add_matrix(struct wg_builder *builder, enum wg_part part, double in, double out,
                     bool bias);
double wg_add_vectors(struct wg_builder *builder, double elements);
/* One normalisation over `width`: by kind width, 2 x width or 0 elements. */
double wg_add_norms(struct wg_builder *builder, enum wg_norm norm, double count, double width);

/* NULL after an error. layers: how many will come; 0 for stacks without. */
struct wg_stack_builder *wg_add_stack(struct wg_builder *builder, enum wg_stack_role role,
                                      unsigned hidden, unsigned layers);
void wg_add_layer(struct wg_builder *builder, struct wg_stack_builder *stack,
                  const struct wg_layer *layer);

/* --- attention.c --- */
enum wg_qk_norm {
	WG_QK_NORM_NONE,
	WG_QK_NORM_HEAD /* one head wide, shared by all */,
	WG_QK_NORM_FULL /* all heads wide */
};

struct wg_attention {
	unsigned heads, kv_heads, key_size, value_size;
	unsigned window_tokens;
	bool query_bias, key_bias, value_bias, out_bias;
	bool output_gate;      /* query projection twice as wide */
	bool shared_key_value; /* one projection serves as key and value */
	bool causal, cross;
	enum wg_qk_norm qk_norm;
	enum wg_norm qk_norm_kind;
	double sinks;        /* learned sink logits */
	double source_width; /* cross: width of what keys and values are made from */
};

void wg_build_attention(struct wg_builder *builder, double hidden,
                        const struct wg_attention *attention, struct wg_mixer *ret_mixer);

struct wg_mla {
	unsigned heads, query_rank, kv_rank, nope_size, rope_size, value_size;
	unsigned index_heads, index_size, index_top_k;
	bool bias;
	bool output_gate;
};

void wg_build_mla(struct wg_builder *builder, double hidden, const struct wg_mla *mla,
                  struct wg_mixer *ret_mixer);

/* --- ffn.c --- */
void wg_build_dense(struct wg_builder *builder, double hidden, unsigned width, bool gated,
                    bool bias, struct wg_ffn *ret_ffn);

struct wg_moe {
	unsigned experts, top_k, width;
	double hidden; /* width the experts work at; usually the model's */
	double shared_width;
	bool gated, expert_bias;
	bool shared_gate;    /* one more row that weighs the shared expert */
	double router_extra; /* biases, correction terms */
};

void wg_build_moe(struct wg_builder *builder, double hidden, const struct wg_moe *moe,
                  struct wg_ffn *ret_ffn);

/* --- recurrent.c: mixers with a fixed state --- */
struct wg_delta_net { /* gated delta net (Yang et al. 2024, sec. 3) */
	unsigned key_heads, value_heads, key_size, value_size, kernel;
};

void wg_build_delta_net(struct wg_builder *builder, double hidden, const struct wg_delta_net *net,
                        struct wg_mixer *ret_mixer);

struct wg_kda { /* Kimi delta attention (Kimi Linear 2025, sec. 3) */
	unsigned heads, head_size, kernel;
	bool full_rank_gate;
};

void wg_build_kda(struct wg_builder *builder, double hidden, const struct wg_kda *kda,
                  struct wg_mixer *ret_mixer);

struct wg_mamba { /* Mamba (Gu and Dao 2023, sec. 3) */
	unsigned inner, state, kernel, rank;
	bool bias, convolution_bias, inner_norms;
};

void wg_build_mamba(struct wg_builder *builder, double hidden, const struct wg_mamba *mamba,
                    struct wg_mixer *ret_mixer);

struct wg_mamba2 { /* Mamba-2 (Dao and Gu 2024, sec. 7) */
	unsigned heads, head_size, groups, state, kernel;
	bool bias, convolution_bias, norm;
};

void wg_build_mamba2(struct wg_builder *builder, double hidden, const struct wg_mamba2 *mamba,
                     struct wg_mixer *ret_mixer);
void wg_build_short_convolution(struct wg_builder *builder, double hidden, unsigned kernel,
                                bool bias, struct wg_mixer *ret_mixer);

/* vision.c: the towers that the config describes, as companions. */
void wg_build_towers(struct wg_builder *builder);

/* --- finish.c --- sums, KV and stored size once all stacks are there --- */
void wg_builder_finish(struct wg_builder *builder);

#endif
