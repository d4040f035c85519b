/* What a model is: layers, exact parameter counts, bytes.
 *
 * A model is one or more stacks (decoder; encoder; vision tower); a stack is a
 * list of layer kinds with how often each occurs. A layer is a mixer
 * (attention, MLA, linear attention, SSM ...) and a feed-forward part (dense,
 * MoE). Everything the estimator needs follows from these; nothing is kept as
 * "parameters x bits".
 *
 * Ownership: the model owns all it hands out; free the model. Constant after
 * opening. */
#ifndef WHICHGPU_MODEL_H
#define WHICHGPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "whichgpu/catalog.h"
#include "whichgpu/status.h"

enum wg_weight_format {
#define WG_WEIGHT_FORMAT(name, key, label, bits, rate, weight_only, quality) WG_WEIGHTS_##name,
#include "whichgpu/weight_formats.def"
#undef WG_WEIGHT_FORMAT
	WG_WEIGHTS_COUNT
};

const char *wg_weight_format_key(enum wg_weight_format format);
const char *wg_weight_format_label(enum wg_weight_format format);
const char *wg_weight_format_quality(enum wg_weight_format format);
double wg_weight_format_bits(enum wg_weight_format format);
enum wg_rate wg_weight_format_rate(enum wg_weight_format format);
bool wg_weight_format_is_weight_only(enum wg_weight_format format);
bool wg_weight_format_find(const char *key, enum wg_weight_format *ret_format);

enum wg_mixer_kind {
	WG_MIXER_NONE,
	WG_MIXER_ATTENTION,   /* MHA, GQA, MQA; window_tokens > 0: sliding window */
	WG_MIXER_MLA,         /* multi-head latent attention */
	WG_MIXER_CROSS,       /* attention to an encoder's output or to images */
	WG_MIXER_LINEAR,      /* gated delta net and kin: state of heads x key x value */
	WG_MIXER_SSM,         /* Mamba, Mamba-2 */
	WG_MIXER_RWKV,
	WG_MIXER_CONVOLUTION, /* short convolution (LFM2) */
	WG_MIXER_OTHER,
};

struct wg_mixer {
	enum wg_mixer_kind kind;
	bool causal;
	unsigned heads, kv_heads;
	unsigned key_size, value_size;    /* a head; MLA: key_size = nope + rope */
	unsigned window_tokens;           /* 0: no window */
	unsigned query_rank, kv_rank;     /* MLA: low ranks; 0: full */
	unsigned rope_size;               /* MLA: rotary part of a key */
	unsigned index_heads, index_size, index_topk;   /* sparse attention index (DSA) */
	double state_elements;            /* fixed state a sequence (SSM, linear, RWKV, convolution) */
	double parameters;                /* all of this mixer, biases and norms inside it included */
	double matmul_parameters;         /* weights of its matrix multiplications: 2 FLOP each a token */
};

enum wg_ffn_kind { WG_FFN_NONE, WG_FFN_DENSE, WG_FFN_MOE };

struct wg_ffn {
	enum wg_ffn_kind kind;
	bool gated;                       /* three matrices instead of two */
	unsigned width;                   /* dense width */
	unsigned experts, experts_per_token, expert_width;
	unsigned shared_width;            /* sum over shared experts; 0: none */
	double parameters;                /* all experts, router and biases included */
	double matmul_parameters;         /* dense: all; MoE: shared + router + experts_per_token experts */
	double expert_parameters;         /* one routed expert */
};

struct wg_layer {
	unsigned repeat;                  /* how many layers of this kind the stack has */
	struct wg_mixer mixer;
	struct wg_mixer cross;            /* second mixer of a decoder layer; kind NONE mostly */
	struct wg_ffn ffn;
	double parameters;                /* one layer, norms included */
};

enum wg_stack_role { WG_STACK_DECODER, WG_STACK_ENCODER, WG_STACK_VISION, WG_STACK_AUDIO,
                     WG_STACK_DIFFUSION };

struct wg_stack {
	enum wg_stack_role role;
	unsigned hidden;
	unsigned layer_count;             /* sum of repeats */
	const struct wg_layer *layers;    /* kinds, in order of first appearance */
	size_t layer_kinds;
	const uint16_t *order;            /* layer_count entries: which kind each layer is */
	double fixed_tokens;              /* tokens an encoder always sees (patches, frames); 0: the input */
	double parameters;                /* of the stack, its own embeddings and norms included */
	bool companion;                   /* tower, text encoder, VAE: beside the model proper */
};

/* KV cache of one sequence, at 16 bit an element. */
struct wg_kv_capped {
	double bytes_per_token;
	double tokens;                    /* window: no more than this many tokens count */
};

struct wg_kv {
	double fixed_bytes;               /* recurrent states, cross-attention of a fixed encoder */
	double bytes_per_token;           /* layers that see the whole context */
	const struct wg_kv_capped *capped;
	size_t capped_count;
	double index_bytes_per_token;     /* beside all that: keys of a sparse attention index, 8 bit */
	double cross_bytes_per_token;     /* beside all that: a token of the encoder's input */
	bool latent;                      /* MLA: one latent for all heads, not divided by tensor degree */
};

/* How the weights are stored in the file or by the model's own config. */
struct wg_stored {
	enum wg_weight_format format;     /* of the bulk of the weights */
	const char *method;               /* "gptq", "fp8 block 128x128", "Q4_K_M" ...; "" when plain */
	double bytes;                     /* weights as stored, scales and zero points included */
	bool exact;                       /* summed from a tensor table or an index */
};

enum wg_parameter_basis {
	WG_BASIS_FORMULA,     /* from the config by the family's equations */
	WG_BASIS_TENSORS,     /* summed over a tensor table */
	WG_BASIS_INDEX,       /* an index file's total */
	WG_BASIS_GIVEN,       /* params:7B */
};

struct wg_model {
	const char *id;                   /* catalogue id, or the last part of the path */
	const char *name;
	const char *architecture;         /* as the config says: "LlamaForCausalLM" */
	const char *family;               /* row of the family table: "llama" */
	const char *licence;              /* "" when not known */
	const char *origin;               /* where it was read: source of a catalogue model, or the path */
	const struct wg_stack *stacks;    /* stacks[0] is the main one */
	size_t stack_count;
	unsigned vocabulary;              /* rows of the embedding; 0: none */
	bool tied_head;
	double max_context_tokens;        /* 0: not known */
	double parameters;                /* total, exact where basis allows */
	enum wg_parameter_basis basis;
	double active_parameters;         /* used by one token; = parameters when dense */
	double embedding_parameters;      /* input embedding (positions included); no FLOPs */
	double head_parameters;           /* output head matrix: vocabulary x hidden, also when tied */
	double companion_parameters;      /* vision tower, text encoders, VAE; not in parameters unless
	                                     basis is tensors or index; in stored.bytes always */
	double mtp_parameters;            /* draft layers outside `layers`; not in parameters */
	struct wg_kv kv;
	struct wg_stored stored;
	const char *const *warnings;      /* what was not understood, in words */
	size_t warning_count;
};

struct wg_model_options {
	bool offline;                     /* never use the network (hf:) */
};

/* spec: catalogue id, folder, config.json, index, *.safetensors, *.gguf,
 * hf:ORG/NAME, ollama:NAME, params:7B. NULL options: defaults. */
enum wg_status wg_model_open(const char *spec, const struct wg_model_options *options,
                             struct wg_model **ret_model, struct wg_error *error);
/* A config.json's text; name is shown in errors. */
enum wg_status wg_model_open_config(const char *text, size_t length, const char *name,
                                    struct wg_model **ret_model, struct wg_error *error);
void wg_model_free(struct wg_model *model);

/* The built-in model catalogue (data/models), sorted by id. */
size_t wg_model_catalog_count(void);
const char *wg_model_catalog_id(size_t index);

/* Weight bytes if everything that is usually quantised (matrices of the
 * layers) is stored in `format` and the rest (embeddings, head, norms,
 * routers) as engines keep it: 16 bit. For the model's own format: stored.bytes. */
double wg_model_weight_bytes(const struct wg_model *model, enum wg_weight_format format);
/* KV bytes of one sequence of that many tokens, element_bytes 2, 1 or 0.5. */
double wg_model_kv_bytes(const struct wg_model *model, double tokens, double element_bytes);

#endif
