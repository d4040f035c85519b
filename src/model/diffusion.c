/* Diffusion transformers and the parts of a pipeline beside the denoiser. */
#include "base/i18n.h"
#include "model/blocks.h"
#include "model/family.h"

struct dit {
	struct wg_builder *builder;
	double hidden, head_size;
};

static double linear(struct dit *d, enum wg_part part, double in, double out)
{
	return wg_add_matrix(d->builder, part, in, out, true);
}

static void fill_mixer(struct dit *d, struct wg_mixer *mixer, double streams)
{
	mixer->kind = WG_MIXER_ATTENTION;
	mixer->heads = mixer->kv_heads = (unsigned)(d->hidden / d->head_size);
	mixer->key_size = mixer->value_size = (unsigned)d->head_size;
	mixer->matmul_parameters = 4 * streams * d->hidden * d->hidden;
	mixer->parameters = wg_add_matrices(d->builder, WG_PART_ATTENTION, 4 * streams, d->hidden,
	                                    d->hidden, true);
	mixer->parameters += wg_add_vectors(d->builder, 2 * streams * d->head_size);
}

/* Two streams (image and text) that attend to both: modulation, attention and
 * FFN each twice. */
static void double_block(struct dit *d, struct wg_layer *layer)
{
	fill_mixer(d, &layer->mixer, 2);
	layer->ffn.kind = WG_FFN_DENSE;
	layer->ffn.width = (unsigned)(4 * d->hidden);
	for (int stream = 0; stream < 2; stream++) {
		layer->parameters += linear(d, WG_PART_ATTENTION, d->hidden, 6 * d->hidden);
		layer->ffn.parameters += linear(d, WG_PART_FFN, d->hidden, 4 * d->hidden) +
		                         linear(d, WG_PART_FFN, 4 * d->hidden, d->hidden);
	}
	layer->ffn.matmul_parameters = 16 * d->hidden * d->hidden;
	layer->parameters += layer->mixer.parameters + layer->ffn.parameters;
}

/* One stream; the output projection of attention is one with the FFN's. */
static void single_block(struct dit *d, struct wg_layer *layer)
{
	double h = d->hidden;

	layer->mixer = (struct wg_mixer){ .kind = WG_MIXER_ATTENTION,
		                          .heads = (unsigned)(h / d->head_size),
		                          .kv_heads = (unsigned)(h / d->head_size),
		                          .key_size = (unsigned)d->head_size,
		                          .value_size = (unsigned)d->head_size };
	layer->mixer.parameters = wg_add_matrices(d->builder, WG_PART_ATTENTION, 3, h, h, true) +
	                          wg_add_vectors(d->builder, 2 * d->head_size);
	layer->mixer.matmul_parameters = 3 * h * h;
	layer->ffn = (struct wg_ffn){ .kind = WG_FFN_DENSE, .width = (unsigned)(4 * h) };
	layer->ffn.parameters = linear(d, WG_PART_FFN, h, 4 * h) + linear(d, WG_PART_FFN, 5 * h, h);
	layer->ffn.matmul_parameters = 9 * h * h;
	layer->parameters = linear(d, WG_PART_ATTENTION, h, 3 * h) + layer->mixer.parameters +
	                    layer->ffn.parameters;
}

/* FLUX.1 (published transformer; the double blocks are those of Esser et al.
 * 2024, sec. 4). */
void wg_build_flux_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	unsigned heads = wg_config_need_key(config, "heads\0num_attention_heads", 1, 65536);
	unsigned size = wg_config_need_key(config, "head_size\0attention_head_dim", 1, 65536);
	unsigned doubles = wg_config_need_key(config, "layers\0num_layers", 0, WG_LIMIT_LAYERS);
	unsigned singles = wg_config_get_key(config, "single_layers\0num_single_layers", 0,
	                                     WG_LIMIT_LAYERS, 0);
	unsigned in = wg_config_get_key(config, "in_channels", 1, 65536, 64);
	double text = wg_config_get_key(config, "text_width\0joint_attention_dim", 1,
	                                WG_LIMIT_DIMENSION, 4096);
	double pooled = wg_config_get_key(config, "pooled_width\0pooled_projection_dim", 1,
	                                  WG_LIMIT_DIMENSION, 768);
	struct dit d = { builder, (double)heads * size, size };
	struct wg_stack_builder *stack;
	double own = 0, embeddings;

	if (d.hidden > WG_LIMIT_DIMENSION)
		wg_config_fail(config, NULL, WG_LIMIT, _("%u heads of %u are too wide"), heads,
		               size);
	stack = wg_add_stack(builder, WG_STACK_DIFFUSION, (unsigned)d.hidden, doubles + singles);
	if (stack == NULL)
		return;
	/* time, and guidance where it is an input, from 256 sinusoids */
	embeddings = wg_config_flag_key(config, "guidance_embeds", false) ? 2 : 1;
	for (int i = 0; i < embeddings; i++)
		own += linear(&d, WG_PART_FFN, 256, d.hidden) +
		       linear(&d, WG_PART_FFN, d.hidden, d.hidden);
	own += linear(&d, WG_PART_FFN, pooled, d.hidden) +
	       linear(&d, WG_PART_FFN, d.hidden, d.hidden);
	own += linear(&d, WG_PART_FFN, text, d.hidden) + linear(&d, WG_PART_FFN, in, d.hidden);
	for (unsigned i = 0; i < doubles + singles && wg_builder_ok(builder); i++) {
		struct wg_layer layer = { 0 };

		if (i < doubles)
			double_block(&d, &layer);
		else
			single_block(&d, &layer);
		wg_add_layer(builder, stack, &layer);
	}
	own += linear(&d, WG_PART_FFN, d.hidden, 2 * d.hidden) +
	       linear(&d, WG_PART_FFN, d.hidden, in);
	stack->stack.parameters += own;
}

/* HunyuanDiT (Li et al. 2024, sec. 2): self- and cross-attention, long skips
 * in the second half. */
void wg_build_hunyuan_dit_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	unsigned heads = wg_config_need_key(config, "heads\0num_attention_heads", 1, 65536);
	unsigned size = wg_config_need_key(config, "head_size\0attention_head_dim", 1, 65536);
	unsigned layers = wg_config_need_key(config, "layers\0num_layers", 1, WG_LIMIT_LAYERS);
	double ratio = wg_config_number_key(config, "mlp_ratio", 0.01, 64, 4);
	double text = wg_config_get_key(config, "text_width\0cross_attention_dim", 1,
	                                WG_LIMIT_DIMENSION, 1024);
	double t5 = wg_config_get_key(config, "t5_width\0cross_attention_dim_t5", 1,
	                              WG_LIMIT_DIMENSION, 2048);
	double patch = wg_config_get_key(config, "patch_size", 1, 1024, 2);
	double in = wg_config_get_key(config, "in_channels", 1, 65536, 4);
	struct dit d = { builder, (double)heads * size, size };
	struct wg_stack_builder *stack;

	if (d.hidden > WG_LIMIT_DIMENSION)
		wg_config_fail(config, NULL, WG_LIMIT, _("%u heads of %u are too wide"), heads,
		               size);
	stack = wg_add_stack(builder, WG_STACK_DIFFUSION, (unsigned)d.hidden, layers);
	if (stack == NULL)
		return;
	for (unsigned i = 0; i < layers && wg_builder_ok(builder); i++) {
		struct wg_layer layer = { 0 };
		struct wg_attention a = { .heads = heads,
			                  .kv_heads = heads,
			                  .key_size = size,
			                  .value_size = size,
			                  .query_bias = true,
			                  .key_bias = true,
			                  .value_bias = true,
			                  .out_bias = true,
			                  .qk_norm = WG_QK_NORM_HEAD,
			                  .qk_norm_kind = WG_NORM_LAYER };

		wg_build_attention(builder, d.hidden, &a, &layer.mixer);
		a.cross = true;
		a.source_width = text;
		wg_build_attention(builder, d.hidden, &a, &layer.cross);
		wg_build_dense(builder, d.hidden, (unsigned)(d.hidden * ratio), false, true,
		               &layer.ffn);
		layer.parameters = layer.mixer.parameters + layer.cross.parameters +
		                   layer.ffn.parameters +
		                   linear(&d, WG_PART_FFN, d.hidden, d.hidden) +
		                   wg_add_norms(builder, WG_NORM_LAYER, 3, d.hidden);
		if (i > layers / 2)
			layer.parameters += linear(&d, WG_PART_FFN, 2 * d.hidden, d.hidden) +
			                    wg_add_norms(builder, WG_NORM_LAYER, 1, 2 * d.hidden);
		wg_add_layer(builder, stack, &layer);
	}
	stack->stack.parameters += linear(&d, WG_PART_FFN, t5, 4 * t5) +
	                           linear(&d, WG_PART_FFN, 4 * t5, text) +
	                           linear(&d, WG_PART_EMBEDDING, in * patch * patch, d.hidden) +
	                           linear(&d, WG_PART_FFN, d.hidden, 2 * d.hidden) +
	                           linear(&d, WG_PART_FFN, d.hidden, patch * patch * in * 2);
	builder->incomplete = true;
	wg_builder_warn(builder,
	                _("the time and size embeddings of HunyuanDiT are not counted: the "
	                  "total is a little low"));
}
