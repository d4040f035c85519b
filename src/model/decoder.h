/* The generic decoder: what most language models are, read once. */
#ifndef WHICHGPU_MODEL_DECODER_H
#define WHICHGPU_MODEL_DECODER_H

#include "model/builder.h"

struct wg_decoder {
	unsigned hidden, layers, vocabulary;
	struct wg_attention attention;
	struct wg_mla mla; /* heads 0: no MLA */
	unsigned width;    /* dense FFN */
	bool gated, ffn_bias, tied, head_bias;
	enum wg_norm norm;
	double layer_norms; /* norms of hidden width in a layer */
	double layer_extra; /* parameters a layer has beside all this (vectors) */
	double final_norms;
	unsigned positions;              /* rows of learned positions */
	unsigned embedding_width;        /* when not hidden; 0: hidden */
	double extra_parameters;         /* of the stack, beside the layers (vectors) */
	struct wg_moe moe;               /* experts 0: none */
	unsigned dense_first;            /* layers before the first MoE layer */
	unsigned moe_every;              /* then each moe_every-th; 1: all */
	unsigned moe_offset;             /* which of each moe_every */
	struct wg_json_at moe_frequency; /* array: 1 MoE, 0 dense, a layer each */
	struct wg_json_at dense_list;    /* array: layers that are dense */
	struct wg_json_at layer_types;   /* array or pattern: what each layer is */
	unsigned full_every;  /* windows: each full_every-th layer sees all; 0: no rule */
	unsigned window_from; /* windows: layers before this one see all */
	unsigned mtp_layers;
};

/* Reads the facts; corrections by the family follow. */
void wg_decoder_read(struct wg_builder *builder, struct wg_decoder *ret_decoder);
/* Adds the main stack and the draft layers from what was read. */
void wg_decoder_build(struct wg_builder *builder, const struct wg_decoder *decoder);
void wg_decoder_layer(struct wg_builder *builder, const struct wg_decoder *decoder, unsigned index,
                      struct wg_layer *ret_layer);
/* Parts of a layer, for families that mix them. */
bool wg_decoder_is_moe(struct wg_builder *builder, const struct wg_decoder *decoder,
                       unsigned index);
void wg_decoder_ffn(struct wg_builder *builder, const struct wg_decoder *decoder, unsigned index,
                    struct wg_ffn *ret_ffn);
void wg_decoder_attention(struct wg_builder *builder, const struct wg_decoder *decoder,
                          unsigned index, struct wg_mixer *ret_mixer);
/* The word for layer `index` in layer_types; NULL when there is no such list. */
const char *wg_decoder_layer_type(const struct wg_decoder *decoder, unsigned index);

#endif
