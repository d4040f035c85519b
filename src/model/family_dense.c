/* Corrections for dense families: what the generic decoder can not know. */
#include <string.h>

#include "base/i18n.h"
#include "model/family.h"

/* Baichuan-13B writes no kv heads, InternLM one "bias" for attention only. */
void wg_family_llama(struct wg_builder *builder, struct wg_decoder *d)
{
	/* The "bias" key of this family rules attention; FFN has its own key. */
	d->ffn_bias = wg_config_flag(&builder->config, WG_FIELD_FFN_BIAS, false);
}

/* Qwen-1 states twice the width: two branches of half each. */
void wg_family_qwen(struct wg_builder *builder, struct wg_decoder *d)
{
	if (wg_config_has(&builder->config, WG_FIELD_DENSE_WIDTH))
		d->width = wg_config_need(&builder->config, WG_FIELD_DENSE_WIDTH, 1,
		                          WG_LIMIT_DIMENSION);
	else if (d->width % 2 == 0)
		d->width /= 2;
	else
		wg_config_fail(&builder->config, NULL, WG_BAD_INPUT,
		               _("intermediate_size %u of a Qwen-1 model is not even"), d->width);
}

/* Every second layer sees a window (Gemma 2 report 2024, sec. 2). */
void wg_family_gemma2(struct wg_builder *builder, struct wg_decoder *d)
{
	if (d->full_every == 0)
		d->full_every = 2;
}

/* Five window layers, then one that sees all (Gemma 3 report 2025, sec. 2). */
void wg_family_gemma3(struct wg_builder *builder, struct wg_decoder *d)
{
	if (d->full_every == 0)
		d->full_every = 6;
}

void wg_family_chatglm(struct wg_builder *builder, struct wg_decoder *d)
{
	/* kv groups are written even when every head has its own */
	if (!wg_config_flag_key(&builder->config, "multi_query_attention", true))
		d->attention.kv_heads = d->attention.heads;
}

/* Query and key norms are one weight for each head (no bias). */
void wg_family_stablelm(struct wg_builder *builder, struct wg_decoder *d)
{
	if (!wg_config_flag(&builder->config, WG_FIELD_QK_NORM, false))
		return;
	d->attention.qk_norm = WG_QK_NORM_FULL;
	d->attention.qk_norm_kind = WG_NORM_LAYER_NO_BIAS;
}

void wg_family_cohere(struct wg_builder *builder, struct wg_decoder *d)
{
	if (!wg_config_flag(&builder->config, WG_FIELD_QK_NORM, false))
		return;
	d->attention.qk_norm = WG_QK_NORM_FULL;
	d->attention.qk_norm_kind = WG_NORM_LAYER_NO_BIAS;
}

void wg_family_cohere2(struct wg_builder *builder, struct wg_decoder *d)
{
	if (d->full_every == 0)
		d->full_every = 4;
}

/* Three shapes: 40B and 180B with grouped heads and two norms; 7B with one kv
 * head and one norm; RW-1B sequential with two. */
void wg_family_falcon(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	bool grouped = wg_config_flag_key(config, "grouped_heads\0new_decoder_architecture",
	                                  wg_config_has(config, WG_FIELD_KV_HEADS));
	bool parallel = wg_config_flag(config, WG_FIELD_PARALLEL, true);

	if (!grouped && wg_config_flag_key(config, "one_kv_head\0multi_query", true))
		d->attention.kv_heads = 1;
	else if (!grouped)
		d->attention.kv_heads = d->attention.heads;
	d->layer_norms = wg_config_get_key(config, "num_ln_in_parallel_attn", 1, 2,
	                                   grouped || !parallel ? 2 : 1);
}

/* The position table has two rows more; OPT-350M projects in and out and has
 * no final norm. */
void wg_family_opt(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	unsigned width = wg_config_get_key(config, "embedding_width\0word_embed_proj_dim", 1,
	                                   WG_LIMIT_DIMENSION, d->hidden);

	d->positions += 2;
	if (!wg_config_flag_key(config, "do_layer_norm_before", true))
		d->final_norms = 0;
	if (width != d->hidden) {
		d->embedding_width = width;
		d->extra_parameters += 2.0 * width * d->hidden;
	}
}

/* GPT-BigCode is GPT-2 with one kv head. */
void wg_family_gpt2(struct wg_builder *builder, struct wg_decoder *d)
{
	if (wg_config_flag_key(&builder->config, "multi_query", false))
		d->attention.kv_heads = 1;
}

/* Layers alternate between all and a window of 256. */
void wg_family_gpt_neo(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_json_at types;

	d->attention.window_tokens =
		wg_config_get_key(&builder->config, "window_size", 1, 1u << 30, 256);
	if (!wg_config_find_key(&builder->config, "attention_layers", &types)) {
		wg_builder_warn(builder, _("no attention_layers: all layers taken as global"));
		d->attention.window_tokens = 0;
		return;
	}
	d->layer_types = types;
}

/* Position table only without ALiBi; norms lose their bias with no_bias. */
void wg_family_mpt(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	bool no_bias = wg_config_flag_key(config, "no_bias", true);
	bool learned = !wg_config_flag_key(config, "alibi", false);
	double ratio = wg_config_number_key(config, "expansion_ratio", 0.01, 1024, 4);

	if (!wg_config_has(config, WG_FIELD_WIDTH))
		d->width = (unsigned)(ratio * d->hidden);
	if (!no_bias) {
		d->norm = WG_NORM_LAYER;
		d->ffn_bias = true;
		d->attention.query_bias = d->attention.key_bias = d->attention.value_bias = true;
		d->attention.out_bias = true;
	}
	if (wg_config_flag_key(config, "learned_pos_emb", true) && learned)
		d->positions = wg_config_need(config, WG_FIELD_CONTEXT, 1, WG_LIMIT_DIMENSION);
	if (wg_config_flag_key(config, "qk_ln", false)) {
		d->attention.qk_norm = WG_QK_NORM_FULL;
		d->attention.qk_norm_kind = d->norm;
	}
}
