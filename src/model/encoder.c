/* Encoders: BERT and its kin, ViT, CLIP and SigLIP, speech encoders. */
#include <string.h>

#include "base/i18n.h"
#include "model/blocks.h"
#include "model/family.h"

static double embedding(struct wg_builder *builder, double rows, double width)
{
	return wg_add_matrix(builder, WG_PART_EMBEDDING, width, rows, false);
}

/* --- text ----------------------------------------------------------------- */

/* Base model with pooler; heads of tasks are small and not counted (Devlin et
 * al. 2018, sec. 3). */
static void build_bert(struct wg_builder *builder, unsigned types, bool pooler)
{
	struct wg_config *config = &builder->config;
	struct wg_blocks b = {
		.role = WG_STACK_ENCODER, .bias = true, .norm = WG_NORM_LAYER, .norms = 2
	};
	unsigned vocabulary = wg_config_need(config, WG_FIELD_VOCABULARY, 1, WG_LIMIT_DIMENSION);
	unsigned positions = wg_config_get(config, WG_FIELD_CONTEXT, 1, WG_LIMIT_DIMENSION, 512);
	struct wg_stack_builder *stack;
	unsigned width;

	wg_read_blocks(config, &b);
	width = wg_config_get_key(config, "embedding_width\0embedding_size", 1, WG_LIMIT_DIMENSION,
	                          b.hidden);
	types = wg_config_get_key(config, "token_types\0type_vocab_size", 0, 65536, types);
	stack = wg_add_blocks(builder, &b);
	if (stack == NULL)
		return;
	stack->stack.parameters +=
		embedding(builder, (double)vocabulary + positions + types, width);
	stack->stack.parameters += wg_add_norms(builder, WG_NORM_LAYER, 1, width);
	if (width != b.hidden)
		stack->stack.parameters +=
			wg_add_matrix(builder, WG_PART_FFN, width, b.hidden, true);
	if (pooler)
		stack->stack.parameters +=
			wg_add_matrix(builder, WG_PART_FFN, b.hidden, b.hidden, true);
	builder->model->vocabulary = vocabulary;
	builder->model->tied_head = true;
}

void wg_build_bert_model(struct wg_builder *builder)
{
	build_bert(builder, 2, true);
}

void wg_build_distilbert_model(struct wg_builder *builder)
{
	build_bert(builder, 0, false);
}

/* ModernBERT (Warner et al. 2024, sec. 2): gated, no biases, rotary, windows. */
void wg_build_modernbert_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_blocks b = {
		.role = WG_STACK_ENCODER, .gated = true, .norm = WG_NORM_LAYER_NO_BIAS, .norms = 2
	};
	unsigned vocabulary = wg_config_need(config, WG_FIELD_VOCABULARY, 1, WG_LIMIT_DIMENSION);
	struct wg_stack_builder *stack;

	wg_read_blocks(config, &b);
	stack = wg_add_blocks(builder, &b);
	if (stack == NULL)
		return;
	stack->stack.parameters += embedding(builder, vocabulary, b.hidden);
	/* norms of the embedding and at the end; the first layer has one less */
	stack->stack.parameters += wg_add_norms(builder, b.norm, 1, b.hidden);
	builder->model->vocabulary = vocabulary;
	builder->model->tied_head = true;
}

/* CLIP's text encoder (Radford et al. 2021, sec. 2.4), alone. */
void wg_build_clip_text_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_blocks b = { .role = WG_STACK_ENCODER,
		               .bias = true,
		               .norm = WG_NORM_LAYER,
		               .norms = 2,
		               .causal = true };
	unsigned vocabulary =
		wg_config_get(config, WG_FIELD_VOCABULARY, 1, WG_LIMIT_DIMENSION, 49408);
	unsigned positions = wg_config_get(config, WG_FIELD_CONTEXT, 1, WG_LIMIT_DIMENSION, 77);
	struct wg_json_at architectures;
	struct wg_stack_builder *stack;
	const char *name = NULL;

	wg_read_blocks(config, &b);
	b.fixed_tokens = positions;
	stack = wg_add_blocks(builder, &b);
	if (stack == NULL)
		return;
	stack->stack.parameters += embedding(builder, (double)vocabulary + positions, b.hidden);
	stack->stack.parameters += wg_add_norms(builder, WG_NORM_LAYER, 1, b.hidden);
	if (wg_config_find_key(config, "architectures", &architectures)) {
		struct wg_json_at first = wg_json_element(&architectures, 0);

		if (wg_json_as_string(&first, &name) && strstr(name, "Projection") != NULL)
			stack->stack.parameters += wg_add_matrix(
				builder, WG_PART_FFN, b.hidden,
				wg_config_need_key(config, "projection\0projection_dim", 1,
			                           WG_LIMIT_DIMENSION),
				false);
	}
}

/* --- images ------------------------------------------------------------------ */

struct patches {
	double count;
	double weights; /* of one row of the patch projection */
};

static struct patches read_patches(struct wg_config *config, unsigned image, unsigned patch)
{
	unsigned channels = wg_config_get_key(
		config, "channels\0num_channels\0in_channels\0in_chans", 1, 4096, 3);
	double side;

	image = wg_config_get_key(config, "image_size", 1, 65536, image);
	patch = wg_config_get_key(config, "patch_size\0spatial_patch_size", 1, 65536, patch);
	side = image / patch;
	return (struct patches){ side * side, (double)channels * patch * patch };
}

/* ViT (Dosovitskiy et al. 2020, sec. 3.1) with class token and pooler. */
void wg_build_vit_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_blocks b = {
		.role = WG_STACK_VISION, .bias = true, .norm = WG_NORM_LAYER, .norms = 2
	};
	struct patches p = read_patches(config, 224, 16);
	struct wg_stack_builder *stack;

	wg_read_blocks(config, &b);
	b.fixed_tokens = p.count + 1;
	stack = wg_add_blocks(builder, &b);
	if (stack == NULL)
		return;
	stack->stack.parameters += wg_add_vectors(builder, b.hidden);
	stack->stack.parameters += embedding(builder, p.count + 1, b.hidden);
	stack->stack.parameters +=
		wg_add_matrix(builder, WG_PART_EMBEDDING, p.weights, b.hidden, true);
	stack->stack.parameters += wg_add_norms(builder, WG_NORM_LAYER, 1, b.hidden);
	stack->stack.parameters += wg_add_matrix(builder, WG_PART_FFN, b.hidden, b.hidden, true);
}

/* The towers of CLIP (class token, norms before and after) and SigLIP. */
void wg_build_clip_vision_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_blocks b = {
		.role = WG_STACK_VISION, .bias = true, .norm = WG_NORM_LAYER, .norms = 2
	};
	const char *type = wg_config_string_key(config, "model_type");
	bool siglip = type != NULL && strncmp(type, "siglip", 6) == 0;
	struct patches p = read_patches(config, 224, siglip ? 16 : 32);
	struct wg_stack_builder *stack;

	wg_read_blocks(config, &b);
	b.fixed_tokens = p.count + !siglip;
	stack = wg_add_blocks(builder, &b);
	if (stack == NULL)
		return;
	if (!siglip)
		stack->stack.parameters += wg_add_vectors(builder, b.hidden);
	stack->stack.parameters += embedding(builder, b.fixed_tokens, b.hidden);
	stack->stack.parameters +=
		wg_add_matrix(builder, WG_PART_EMBEDDING, p.weights, b.hidden, siglip);
	stack->stack.parameters += wg_add_norms(builder, WG_NORM_LAYER, siglip ? 1 : 2, b.hidden);
}

void wg_build_clip_model(struct wg_builder *builder)
{
	struct wg_json_at text, vision;
	unsigned projection = wg_config_get_key(&builder->config, "projection\0projection_dim", 1,
	                                        WG_LIMIT_DIMENSION, 512);

	if (!wg_config_find_key(&builder->config, "vision_config", &vision) ||
	    !wg_config_find_key(&builder->config, "text_config", &text)) {
		wg_config_fail(&builder->config, NULL, WG_BAD_INPUT,
		               _("key \"vision_config\" or \"text_config\" is missing"));
		return;
	}
	wg_build_part(builder, &vision, wg_build_clip_vision_model);
	wg_build_part(builder, &text, wg_build_clip_text_model);
	/* two projections into the shared space and its temperature */
	for (size_t i = 0; i < builder->stack_count; i++)
		wg_add_matrix(builder, WG_PART_FFN, builder->stacks[i].stack.hidden, projection,
		              false);
	wg_add_vectors(builder, 1);
}

/* --- speech ------------------------------------------------------------------- */

/* HuBERT and wav2vec 2.0 (Baevski et al. 2020, sec. 2): convolutions, then blocks. */
void wg_build_hubert_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_blocks b = {
		.role = WG_STACK_AUDIO, .bias = true, .norm = WG_NORM_LAYER, .norms = 2
	};
	struct wg_json_at sizes, kernels;
	struct wg_stack_builder *stack;
	double own = 0, channels = 1;
	bool bias = wg_config_flag_key(config, "conv_bias", false);
	const char *norm = wg_config_string_key(config, "feat_extract_norm");
	bool each = norm != NULL && strcmp(norm, "layer") == 0;
	unsigned groups = wg_config_get_key(config, "num_conv_pos_embedding_groups", 1, 65536, 16);
	unsigned positions = wg_config_get_key(config, "num_conv_pos_embeddings", 1, 65536, 128);

	wg_read_blocks(config, &b);
	stack = wg_add_blocks(builder, &b);
	if (stack == NULL || !wg_config_find_key(config, "conv_dim", &sizes) ||
	    !wg_config_find_key(config, "conv_kernel", &kernels)) {
		wg_config_fail(config, NULL, WG_BAD_INPUT,
		               _("key \"conv_dim\" or \"conv_kernel\" is missing"));
		return;
	}
	for (size_t i = 0; i < wg_json_count(&sizes) && i < 64; i++) {
		double out = wg_config_element(config, &sizes, i, 1, 65536, 1);

		own += wg_add_vectors(builder,
		                      channels * out *
		                              wg_config_element(config, &kernels, i, 1, 65536, 1));
		own += wg_add_vectors(builder, bias ? out : 0);
		if (each || i == 0)
			own += wg_add_norms(builder, WG_NORM_LAYER, 1, out);
		channels = out;
	}
	own += wg_add_norms(builder, WG_NORM_LAYER, 1, channels);
	own += wg_add_matrix(builder, WG_PART_FFN, channels, b.hidden, true);
	/* weight-normalised convolution: its length per tap is kept apart */
	own += wg_add_vectors(builder, (double)b.hidden * (b.hidden / groups) * positions +
	                                       positions + b.hidden);
	own += wg_add_norms(builder, WG_NORM_LAYER, 1, b.hidden);
	own += wg_add_vectors(builder, b.hidden); /* the mask's embedding */
	stack->stack.parameters += own;
}
