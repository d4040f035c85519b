/* The family table: one row a family of architectures.
 *
 * A row names the architectures and model types it covers, what its layers are
 * made of, and where the generic decoder does not do, a function. How to add
 * one: docs/families.md. */
#ifndef WHICHGPU_MODEL_FAMILIES_H
#define WHICHGPU_MODEL_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

struct wg_builder;
struct wg_decoder;
struct wg_layer;

enum wg_norm {
	WG_NORM_RMS,   /* one weight an element */
	WG_NORM_LAYER, /* weight and bias */
	WG_NORM_LAYER_NO_BIAS,
	WG_NORM_PLAIN, /* no parameters */
};

enum wg_family_trait {
	WG_TIED = 1 << 0,      /* output head is the embedding unless the config says not */
	WG_PLAIN_FFN = 1 << 1, /* two matrices, no gate */
	WG_QKV_BIAS = 1 << 2,  /* biased unless the config says not */
	WG_OUT_BIAS = 1 << 3,
	WG_FFN_BIAS = 1 << 4,
	WG_HEAD_BIAS = 1 << 5,
	WG_BIAS_QKV_ONLY = 1 << 6, /* the config's attention bias leaves the output out */
	WG_QK_NORM_HEADS = 1 << 7, /* query and key normalised, weight one head wide */
	WG_QK_NORM_WIDE = 1 << 8,  /* ... all heads wide */
	WG_LEARNED_POSITIONS = 1 << 9,
	WG_EMBEDDING_NORM = 1 << 10,
	WG_ALL_BIAS_KEY = 1 << 11, /* one key ("bias", "use_bias") rules all biases */
	WG_ROUTER_BIAS = 1 << 12,  /* a bias or correction term an expert */
	WG_SHARED_GATE = 1 << 13,
	WG_WINDOW_SWITCH = 1 << 14, /* window counts only with use_sliding_window true */
	WG_NO_WINDOW = 1 << 15,     /* window key means something else */
	WG_NO_FINAL_NORM = 1 << 16,
	WG_EXPERT_BIAS = 1 << 17,
	WG_PARALLEL_ONE_NORM = 1 << 18, /* parallel block: attention and FFN share one norm */
};

struct wg_family {
	const char *key;
	/* architectures and model types, blank separated */
	const char *names;
	enum wg_norm norm;
	unsigned char layer_norms; /* norms of hidden width in a layer */
	unsigned traits;
	/* Generic decoder: corrects what was read; may be NULL. */
	void (*adjust)(struct wg_builder *builder, struct wg_decoder *decoder);
	/* Builds layer `index`; NULL: attention or MLA, then dense or MoE. */
	void (*layer)(struct wg_builder *builder, const struct wg_decoder *decoder, unsigned index,
	              struct wg_layer *ret_layer);
	/* Builds the whole model; NULL: the generic decoder. */
	void (*build)(struct wg_builder *builder);
};

size_t wg_family_count(void);
const struct wg_family *wg_family_at(size_t index);
/* By key, architecture or model type; NULL when there is none. */
const struct wg_family *wg_family_find(const char *name);

#endif
