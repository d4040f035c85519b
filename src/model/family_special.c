/* Families whose layers differ among themselves in their attention's shape. */
#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "model/family.h"

static bool is_full(const struct wg_decoder *d, unsigned index)
{
	const char *type = wg_decoder_layer_type(d, index);

	return type == NULL || strncmp(type, "full", 4) == 0 || type[0] == 'G';
}

static void sum_layer(struct wg_layer *layer)
{
	layer->parameters +=
		layer->mixer.parameters + layer->cross.parameters + layer->ffn.parameters;
}

/* --- Gemma 4 ------------------------------------------------------------------ */

void wg_family_gemma4(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;

	if (wg_config_get_key(config, "per_layer_input\0hidden_size_per_layer_input", 0,
	                      WG_LIMIT_DIMENSION, 0) > 0) {
		builder->incomplete = true;
		wg_builder_warn(builder, _("per-layer embeddings are not counted"));
	}
	if (!wg_config_flag_key(config, "moe_block\0enable_moe_block", d->moe.experts > 0))
		d->moe.experts = 0;
}

/* Layers that see all have wider heads, fewer of them for keys, and one
 * projection for key and value; the MoE part stands beside the dense one. */
void wg_layer_gemma4(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                     struct wg_layer *layer)
{
	struct wg_config *config = &builder->config;
	struct wg_attention a = d->attention;
	struct wg_ffn moe = { 0 };

	if (is_full(d, index)) {
		a.window_tokens = 0;
		a.key_size = a.value_size =
			wg_config_get_key(config, "full_head_size\0global_head_dim", 1,
		                          WG_LIMIT_DIMENSION, a.key_size);
		a.kv_heads = wg_config_get_key(config, "full_kv_heads\0num_global_key_value_heads",
		                               1, WG_LIMIT_DIMENSION, a.kv_heads);
		a.shared_key_value =
			wg_config_flag_key(config, "shared_key_value\0attention_k_eq_v", false);
	}
	wg_build_attention(builder, d->hidden, &a, &layer->mixer);
	wg_build_dense(builder, d->hidden, d->width, d->gated, d->ffn_bias, &layer->ffn);
	layer->parameters =
		wg_add_norms(builder, d->norm, 4, d->hidden) + wg_add_vectors(builder, 1);
	if (d->moe.experts > 0) {
		struct wg_moe both = d->moe;

		/* scale of the router's input, one scale an expert */
		both.router_extra = d->hidden + (double)both.experts;
		wg_build_moe(builder, d->hidden, &both, &moe);
		layer->parameters += wg_add_norms(builder, d->norm, 3, d->hidden);
		moe.parameters += layer->ffn.parameters;
		moe.matmul_parameters += layer->ffn.matmul_parameters;
		moe.shared_width = d->width;
		layer->ffn = moe;
	}
	sum_layer(layer);
}

/* --- Llama 3.2 Vision ------------------------------------------------------------ */

/* The embedding has eight rows more than the head (image tokens). */
void wg_family_mllama(struct wg_builder *builder, struct wg_decoder *d)
{
	d->extra_parameters = 8.0 * d->hidden;
	/* the projector from the tower into the language model */
	struct wg_json_at vision = wg_json_member(&builder->config.root, "vision_config");
	struct wg_json_at out = wg_json_member(&vision, "vision_output_dim");
	int64_t width;

	if (wg_json_as_integer(&out, &width) && width > 0 && width <= WG_LIMIT_DIMENSION)
		d->extra_parameters += ((double)width + 1) * d->hidden;
}

/* Tiles x patches of the largest image: what cross-attention keeps. */
static double image_tokens(struct wg_builder *builder)
{
	struct wg_json_at vision = wg_json_member(&builder->config.root, "vision_config");
	struct wg_config inner;
	double side;

	if (wg_json_type(&vision) != WG_JSON_OBJECT)
		return 0;
	wg_config_init_at(&inner, &vision, builder->config.error);
	side = wg_config_get_key(&inner, "image_size", 1, 65536, 560) /
	       wg_config_get_key(&inner, "patch_size", 1, 65536, 14);
	side = (side * side + 1) * wg_config_get_key(&inner, "max_num_tiles", 1, 1024, 4);
	if (inner.status != WG_OK)
		builder->config.status = inner.status;
	return side;
}

void wg_layer_mllama(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                     struct wg_layer *layer)
{
	struct wg_config *config = &builder->config;
	struct wg_attention a = d->attention;
	struct wg_json_at list = { 0 };
	bool cross = false;

	wg_config_find_key(config, "cross_attention_layers", &list);
	for (size_t i = 0; i < wg_json_count(&list) && i < WG_LIMIT_LAYERS && !cross; i++)
		cross = wg_config_element(config, &list, i, 0, WG_LIMIT_LAYERS, 0) == index;
	a.cross = cross;
	if (cross) {
		a.causal = false;
		a.qk_norm = WG_QK_NORM_HEAD;
		/* two gates */
		layer->parameters = wg_add_vectors(builder, 2);
		builder->fixed_state_elements +=
			image_tokens(builder) * a.kv_heads * ((double)a.key_size + a.value_size);
		wg_builder_warn(builder,
		                _("the fixed KV part is for one image of the largest size; without "
		                  "an image it is not needed"));
	}
	wg_build_attention(builder, d->hidden, &a, &layer->mixer);
	wg_decoder_ffn(builder, d, index, &layer->ffn);
	layer->parameters += wg_add_norms(builder, d->norm, d->layer_norms, d->hidden);
	sum_layer(layer);
}

/* --- DeepSeek-V4 ------------------------------------------------------------------- */

void wg_family_deepseek_v4(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;

	if (!wg_config_find_key(config, "compress_ratios", &d->layer_types))
		wg_config_fail(config, NULL, WG_BAD_INPUT, _("key \"compress_ratios\" is missing"));
	builder->incomplete = true;
	wg_builder_warn(builder, _("the compressed attention of DeepSeek-V4 is counted from its "
	                           "description: parameters and KV cache are near, not exact"));
}

/* One latent serves all heads; besides a window it is kept once for each
 * `ratio` tokens; ratio 4 layers choose among them by an index. */
static void add_compressed(struct wg_builder *builder, const struct wg_decoder *d, unsigned ratio,
                           bool counts, struct wg_mixer *mixer)
{
	struct wg_config *config = &builder->config;
	double query = wg_config_need(config, WG_FIELD_QUERY_RANK, 1, WG_LIMIT_DIMENSION);
	double rank = wg_config_need_key(config, "o_rank\0o_lora_rank", 1, WG_LIMIT_DIMENSION);
	unsigned groups = wg_config_need_key(config, "o_groups", 1, WG_LIMIT_DIMENSION);
	double size = d->attention.key_size, heads = d->attention.heads;
	unsigned rope = wg_config_get(config, WG_FIELD_ROPE_SIZE, 0, d->attention.key_size, 0);
	double before = builder->weights->elements[WG_PART_ATTENTION], overlap = ratio == 4 ? 2 : 1;

	*mixer = (struct wg_mixer){ .kind = WG_MIXER_MLA,
		                    .causal = true,
		                    .heads = d->attention.heads,
		                    .kv_heads = d->attention.heads,
		                    .key_size = d->attention.key_size,
		                    .value_size = d->attention.key_size,
		                    .query_rank = (unsigned)query,
		                    .kv_rank = d->attention.key_size - rope,
		                    .rope_size = rope,
		                    .window_tokens = d->attention.window_tokens };
	mixer->parameters = wg_add_matrix(builder, WG_PART_ATTENTION, d->hidden, query, false);
	mixer->parameters += wg_add_matrix(builder, WG_PART_ATTENTION, query, heads * size, false);
	mixer->parameters += wg_add_matrix(builder, WG_PART_ATTENTION, d->hidden, size, false);
	mixer->parameters += wg_add_matrix(builder, WG_PART_ATTENTION, heads * size / groups,
	                                   groups * rank, false);
	mixer->parameters +=
		wg_add_matrix(builder, WG_PART_ATTENTION, groups * rank, d->hidden, false);
	mixer->parameters += wg_add_vectors(builder, query + size + heads);
	if (ratio > 0) {
		mixer->parameters += wg_add_matrix(builder, WG_PART_ATTENTION, d->hidden,
		                                   2 * overlap * size, false);
		mixer->parameters += wg_add_vectors(builder, ratio * overlap * size + size);
		if (counts)
			builder->model->kv.bytes_per_token += 2 * size / ratio;
	}
	if (ratio == 4) {
		mixer->index_heads = wg_config_get(config, WG_FIELD_INDEX_HEADS, 1, 65536, 64);
		mixer->index_topk = wg_config_get(config, WG_FIELD_INDEX_TOP_K, 1, 1u << 20, 512);
		double index = wg_config_get(config, WG_FIELD_INDEX_SIZE, 1, 65536, 128);

		/* one index key for four tokens */
		mixer->index_size = (unsigned)(index / 4);
		mixer->parameters += wg_add_matrix(builder, WG_PART_ATTENTION, query,
		                                   mixer->index_heads * index, false);
		mixer->parameters += wg_add_matrix(builder, WG_PART_ATTENTION, d->hidden,
		                                   mixer->index_heads + 4 * index, false);
		mixer->parameters += wg_add_vectors(builder, 8 * index + index);
	}
	mixer->matmul_parameters = builder->weights->elements[WG_PART_ATTENTION] - before;
}

void wg_layer_deepseek_v4(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                          struct wg_layer *layer)
{
	struct wg_config *config = &builder->config;
	unsigned ratio = wg_config_element(config, &d->layer_types, index, 0, 1u << 16, 0);
	double streams = wg_config_get_key(config, "hc_mult", 1, 64, 1);
	double mix = (2 + streams) * streams;

	add_compressed(builder, d, ratio, index < d->layers, &layer->mixer);
	wg_decoder_ffn(builder, d, index, &layer->ffn);
	layer->parameters = wg_add_norms(builder, d->norm, d->layer_norms, d->hidden);
	/* mixing of the residual streams, before attention and before the FFN */
	if (streams > 1)
		layer->parameters +=
			wg_add_vectors(builder, 2 * (mix * streams * d->hidden + mix + 3));
	sum_layer(layer);
}

/* --- MiMo-V2 -------------------------------------------------------------------------- */

void wg_family_mimo_v2(struct wg_builder *builder, struct wg_decoder *d)
{
	/* its layer list holds 1 for windows, 0 for all */
	(void)builder;
	d->full_every = 0;
}

void wg_layer_mimo_v2(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                      struct wg_layer *layer)
{
	struct wg_config *config = &builder->config;
	struct wg_attention a = d->attention;

	if (wg_config_element(config, &d->layer_types, index, 0, 1, 0) == 1) {
		a.heads = wg_config_get_key(config, "swa_num_attention_heads", 1,
		                            WG_LIMIT_DIMENSION, a.heads);
		a.kv_heads = wg_config_get_key(config, "swa_num_key_value_heads", 1,
		                               WG_LIMIT_DIMENSION, a.kv_heads);
		a.key_size = wg_config_get_key(config, "swa_head_dim", 1, WG_LIMIT_DIMENSION,
		                               a.key_size);
		a.value_size = wg_config_get_key(config, "swa_v_head_dim", 1, WG_LIMIT_DIMENSION,
		                                 a.value_size);
		if (wg_config_flag_key(config, "add_swa_attention_sink_bias", false))
			a.sinks = a.heads;
	} else {
		a.window_tokens = 0;
		if (wg_config_flag_key(config, "add_full_attention_sink_bias", false))
			a.sinks = a.heads;
	}
	wg_build_attention(builder, d->hidden, &a, &layer->mixer);
	wg_decoder_ffn(builder, d, index, &layer->ffn);
	layer->parameters = wg_add_norms(builder, d->norm, d->layer_norms, d->hidden);
	sum_layer(layer);
}

/* --- Nemotron NAS (Llama-3.3-Nemotron-Super) --------------------------------------------- */

void wg_family_nemotron_nas(struct wg_builder *builder, struct wg_decoder *d)
{
	if (!wg_config_find_key(&builder->config, "block_configs", &d->layer_types) ||
	    wg_json_count(&d->layer_types) != d->layers)
		wg_config_fail(&builder->config, NULL, WG_BAD_INPUT,
		               _("\"block_configs\" does not have one entry for each of %u layers"),
		               d->layers);
}

/* Rounds the gated width the way the family's configuration does. */
static unsigned nas_width(unsigned hidden, double multiplier)
{
	double width = floor(2.0 * multiplier * hidden / 3);

	return (unsigned)(ceil(width / 256) * 256);
}

/* Each block says: its attention (heads a group, or none) and its width. */
void wg_layer_nemotron_nas(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                           struct wg_layer *layer)
{
	struct wg_json_at block = wg_json_element(&d->layer_types, index);
	struct wg_json_at attention = wg_json_member(&block, "attention");
	struct wg_json_at ffn = wg_json_member(&block, "ffn");
	struct wg_config from_attention, from_ffn;
	struct wg_attention a = d->attention;

	wg_config_init_at(&from_attention, &attention, builder->config.error);
	wg_config_init_at(&from_ffn, &ffn, builder->config.error);
	if (!wg_config_flag_key(&from_attention, "no_op", false) &&
	    !wg_config_flag_key(&from_attention, "replace_with_linear", false)) {
		unsigned group =
			wg_config_get_key(&from_attention, "n_heads_in_group", 1, a.heads, 1);

		a.kv_heads = a.heads / group;
		wg_build_attention(builder, d->hidden, &a, &layer->mixer);
		layer->parameters += wg_add_norms(builder, d->norm, 1, d->hidden);
	} else if (wg_config_flag_key(&from_attention, "replace_with_linear", false)) {
		layer->mixer.kind = WG_MIXER_OTHER;
		layer->mixer.parameters =
			wg_add_matrix(builder, WG_PART_ATTENTION, d->hidden, d->hidden, false);
		layer->mixer.matmul_parameters = layer->mixer.parameters;
		layer->parameters += wg_add_norms(builder, d->norm, 1, d->hidden);
	}
	if (!wg_config_flag_key(&from_ffn, "no_op", false)) {
		double multiplier = wg_config_number_key(&from_ffn, "ffn_mult", 1e-3, 1e3, 1);

		wg_build_dense(builder, d->hidden, nas_width(d->hidden, multiplier), true, false,
		               &layer->ffn);
		layer->parameters += wg_add_norms(builder, d->norm, 1, d->hidden);
	}
	if (wg_builder_ok(builder))
		builder->config.status =
			from_attention.status != WG_OK ? from_attention.status : from_ffn.status;
	sum_layer(layer);
}
