/* Plain transformer blocks shared by encoders, towers and text encoders. */
#ifndef WHICHGPU_MODEL_BLOCKS_H
#define WHICHGPU_MODEL_BLOCKS_H

#include "model/builder.h"

/* Layers that are all alike: attention over all tokens, then feed-forward. */
struct wg_blocks {
	enum wg_stack_role role;
	unsigned hidden, layers, heads, width;
	unsigned head_size; /* 0: hidden / heads */
	bool gated, bias;   /* bias: of every matrix */
	bool no_key_bias;
	bool cross; /* a second attention, to an encoder */
	bool causal;
	enum wg_norm norm;
	double norms;        /* of hidden width in a layer */
	double extra;        /* parameters a layer has beside all this */
	double fixed_tokens; /* tokens always seen; 0: the input's */
};

/* Adds the stack; own counts what the stack has beside its layers. NULL after
 * an error. */
struct wg_stack_builder *wg_add_blocks(struct wg_builder *builder, const struct wg_blocks *blocks);
/* Reads hidden, layers, heads and width from keys that encoders share. */
void wg_read_blocks(struct wg_config *config, struct wg_blocks *blocks);

/* Runs build on `part`, a config of its own inside the config. */
void wg_build_part(struct wg_builder *builder, const struct wg_json_at *part,
                   void (*build)(struct wg_builder *builder));
/* The same as a companion (tower, text encoder, VAE): booked beside the model,
 * whose vocabulary and head stay as they are. */
void wg_build_companion(struct wg_builder *builder, const struct wg_json_at *part,
                        void (*build)(struct wg_builder *builder));

#endif
