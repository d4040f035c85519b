/* Families whose layers are of several kinds: attention beside linear
 * attention, state spaces or convolutions. */
#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "model/family.h"

/* Feed-forward, norms and sum: the same after every mixer. */
static void complete(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                     struct wg_layer *layer)
{
	wg_decoder_ffn(builder, d, index, &layer->ffn);
	layer->parameters = layer->mixer.parameters + layer->ffn.parameters;
	layer->parameters += wg_add_norms(builder, d->norm, d->layer_norms, d->hidden);
}

static bool has_type(const struct wg_decoder *d, unsigned index, const char *word)
{
	const char *type = wg_decoder_layer_type(d, index);

	return type != NULL && strncmp(type, word, strlen(word)) == 0;
}

/* --- Qwen3-Next, Qwen3.5 ----------------------------------------------------- */

void wg_family_qwen3_next(struct wg_builder *builder, struct wg_decoder *d)
{
	d->attention.output_gate = wg_config_flag_key(&builder->config, "attn_output_gate", true);
	d->full_every = wg_config_get(&builder->config, WG_FIELD_FULL_EVERY, 1, WG_LIMIT_LAYERS, 4);
}

void wg_layer_qwen3_next(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                         struct wg_layer *layer)
{
	struct wg_config *config = &builder->config;
	bool full = index >= d->layers ||
	            (wg_decoder_layer_type(d, index) != NULL ? has_type(d, index, "full")
	                                                     : (index + 1) % d->full_every == 0);

	if (full) {
		wg_build_attention(builder, d->hidden, &d->attention, &layer->mixer);
	} else {
		struct wg_delta_net net = {
			wg_config_need(config, WG_FIELD_LINEAR_KEY_HEADS, 1, WG_LIMIT_DIMENSION),
			wg_config_need(config, WG_FIELD_LINEAR_VALUE_HEADS, 1, WG_LIMIT_DIMENSION),
			wg_config_need(config, WG_FIELD_LINEAR_KEY_SIZE, 1, WG_LIMIT_DIMENSION),
			wg_config_need(config, WG_FIELD_LINEAR_VALUE_SIZE, 1, WG_LIMIT_DIMENSION),
			wg_config_get(config, WG_FIELD_CONV_KERNEL, 1, 1024, 4),
		};
		wg_build_delta_net(builder, d->hidden, &net, &layer->mixer);
	}
	complete(builder, d, index, layer);
}

/* --- Kimi-Linear, Kimi-K3 ----------------------------------------------------- */

/* Is index (from 0) in a list of layers counted from 1? */
static bool is_listed(struct wg_builder *builder, const struct wg_json_at *list, unsigned index)
{
	size_t count = wg_json_count(list);

	for (size_t i = 0; i < count && i < WG_LIMIT_LAYERS; i++)
		if (wg_config_element(&builder->config, list, i, 0, WG_LIMIT_LAYERS, 0) ==
		    index + 1)
			return true;
	return false;
}

void wg_family_kimi_linear(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;

	d->mla.output_gate = wg_config_flag_key(config, "mla_use_output_gate", false);
	d->moe.hidden =
		wg_config_get(config, WG_FIELD_LATENT_SIZE, 1, WG_LIMIT_DIMENSION, d->hidden);
	if (d->mla.heads == 0)
		wg_config_fail(config, NULL, WG_BAD_INPUT, _("key \"kv_lora_rank\" is missing"));
	if (d->moe.hidden != d->hidden || wg_config_has(config, WG_FIELD_LATENT_SIZE)) {
		builder->incomplete = true;
		wg_builder_warn(builder,
		                _("Kimi-K3: residual connections across layers are not counted; "
		                  "the total is a little low"));
	}
}

void wg_layer_kimi_linear(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                          struct wg_layer *layer)
{
	struct wg_config *config = &builder->config, inner;
	struct wg_json_at at, full;

	if (!wg_config_find_key(config, "linear\0linear_attn_config", &at)) {
		wg_config_fail(config, NULL, WG_BAD_INPUT,
		               _("key \"linear_attn_config\" is missing"));
		return;
	}
	full = wg_json_member(&at, "full_attn_layers");
	if (index >= d->layers || is_listed(builder, &full, index)) {
		wg_build_mla(builder, d->hidden, &d->mla, &layer->mixer);
	} else {
		wg_config_init_at(&inner, &at, config->error);
		struct wg_kda kda = {
			wg_config_need_key(&inner, "heads\0num_heads", 1, WG_LIMIT_DIMENSION),
			wg_config_need_key(&inner, "head_size\0head_dim", 1, WG_LIMIT_DIMENSION),
			wg_config_get_key(&inner, "short_conv_kernel_size", 1, 1024, 4),
			wg_config_flag_key(&inner, "use_full_rank_gate", false),
		};
		if (inner.status != WG_OK && config->status == WG_OK)
			config->status = inner.status;
		wg_build_kda(builder, d->hidden, &kda, &layer->mixer);
	}
	complete(builder, d, index, layer);
}

/* --- LFM2 ----------------------------------------------------------------------- */

/* The width in the config is of a plain block; the gated one gets two thirds,
 * rounded up (LFM2 configuration, block_auto_adjust_ff_dim). */
void wg_family_lfm2(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	double multiplier = wg_config_number_key(config, "block_ffn_dim_multiplier", 0.01, 100, 1);
	unsigned multiple = wg_config_get_key(config, "block_multiple_of", 1, 65536, 256);

	d->width = wg_config_get_key(config, "block_ff_dim", 1, WG_LIMIT_DIMENSION, d->width);
	if (d->moe.experts == 0 && wg_config_flag_key(config, "block_auto_adjust_ff_dim", false))
		d->width = (unsigned)(ceil(floor(2.0 * d->width / 3) * multiplier / multiple) *
		                      multiple);
	if (d->moe.experts > 0 && !wg_config_flag_key(config, "use_expert_bias", true))
		d->moe.router_extra = 0;
}

void wg_layer_lfm2(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                   struct wg_layer *layer)
{
	struct wg_config *config = &builder->config;
	struct wg_json_at list;
	bool full = has_type(d, index, "full");

	if (wg_decoder_layer_type(d, index) == NULL &&
	    wg_config_find(config, WG_FIELD_ATTENTION_LAYERS, &list))
		for (size_t i = 0; i < wg_json_count(&list) && i < WG_LIMIT_LAYERS && !full; i++)
			full = wg_config_element(config, &list, i, 0, WG_LIMIT_LAYERS, 0) == index;
	if (full)
		wg_build_attention(builder, d->hidden, &d->attention, &layer->mixer);
	else
		wg_build_short_convolution(
			builder, d->hidden, wg_config_get(config, WG_FIELD_CONV_KERNEL, 1, 1024, 3),
			wg_config_flag_key(config, "conv_bias", false), &layer->mixer);
	complete(builder, d, index, layer);
}

/* --- Jamba ---------------------------------------------------------------------- */

void wg_family_jamba(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;

	d->moe_every = wg_config_get_key(config, "expert_layer_period", 1, WG_LIMIT_LAYERS, 2);
	d->moe_offset = wg_config_get_key(config, "expert_layer_offset", 0, WG_LIMIT_LAYERS, 1);
	d->attention.window_tokens = 0;
}

static unsigned rank_of(struct wg_config *config, unsigned hidden)
{
	struct wg_json_at at;
	const char *word;

	/* "auto" */
	if (wg_config_find(config, WG_FIELD_SSM_RANK, &at) && wg_json_as_string(&at, &word))
		return (hidden + 15) / 16;
	return wg_config_get(config, WG_FIELD_SSM_RANK, 1, WG_LIMIT_DIMENSION, (hidden + 15) / 16);
}

void wg_layer_jamba(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                    struct wg_layer *layer)
{
	struct wg_config *config = &builder->config;
	unsigned period = wg_config_get_key(config, "attn_layer_period", 1, WG_LIMIT_LAYERS, 8);
	unsigned offset = wg_config_get_key(config, "attn_layer_offset", 0, WG_LIMIT_LAYERS, 4);
	unsigned expand = wg_config_get(config, WG_FIELD_EXPAND, 1, 64, 2);

	if (index % period == offset % period) {
		wg_build_attention(builder, d->hidden, &d->attention, &layer->mixer);
	} else {
		struct wg_mamba mamba = {
			expand * d->hidden,
			wg_config_get(config, WG_FIELD_STATE_SIZE, 1, WG_LIMIT_DIMENSION, 16),
			wg_config_get(config, WG_FIELD_CONV_KERNEL, 1, 1024, 4),
			rank_of(config, d->hidden),
			wg_config_flag_key(config, "mamba_proj_bias", false),
			wg_config_flag_key(config, "mamba_conv_bias", true),
			true,
		};
		wg_build_mamba(builder, d->hidden, &mamba, &layer->mixer);
	}
	complete(builder, d, index, layer);
}

/* --- Mamba-2 hybrids: Granite 4, Bamba, Nemotron-H --------------------------------- */

static void add_mamba2(struct wg_builder *builder, const struct wg_decoder *d,
                       struct wg_mixer *ret_mixer)
{
	struct wg_config *config = &builder->config;
	unsigned expand = wg_config_get(config, WG_FIELD_EXPAND, 1, 64, 2);
	unsigned heads = wg_config_need(config, WG_FIELD_SSM_HEADS, 1, WG_LIMIT_DIMENSION);
	struct wg_json_at at;
	const char *word;
	unsigned size = expand * d->hidden / heads;

	/* Bamba and Granite write "auto" */
	if (!(wg_config_find(config, WG_FIELD_SSM_HEAD_SIZE, &at) && wg_json_as_string(&at, &word)))
		size = wg_config_get(config, WG_FIELD_SSM_HEAD_SIZE, 1, WG_LIMIT_DIMENSION, size);
	struct wg_mamba2 mamba = {
		heads,
		size,
		wg_config_get(config, WG_FIELD_SSM_GROUPS, 1, WG_LIMIT_DIMENSION, 1),
		wg_config_get(config, WG_FIELD_STATE_SIZE, 1, WG_LIMIT_DIMENSION, 128),
		wg_config_get(config, WG_FIELD_CONV_KERNEL, 1, 1024, 4),
		wg_config_flag_key(config, "mamba_proj_bias", false),
		wg_config_flag_key(config, "use_conv_bias\0mamba_conv_bias", true),
		true,
	};
	wg_build_mamba2(builder, d->hidden, &mamba, ret_mixer);
}

/* Every layer has the shared dense part; experts are beside it. */
void wg_family_granite_hybrid(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;

	d->width = wg_config_get(config, WG_FIELD_SHARED_WIDTH, 1, WG_LIMIT_DIMENSION, d->width);
	if (!wg_config_has(config, WG_FIELD_LAYER_TYPES) &&
	    !wg_config_has(config, WG_FIELD_ATTENTION_LAYERS))
		wg_config_fail(config, NULL, WG_BAD_INPUT, _("key \"layer_types\" is missing"));
}

void wg_layer_granite_hybrid(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                             struct wg_layer *layer)
{
	struct wg_config *config = &builder->config;
	struct wg_json_at list;
	bool attention = has_type(d, index, "attention") || has_type(d, index, "full");

	if (wg_config_find(config, WG_FIELD_ATTENTION_LAYERS, &list))
		for (size_t i = 0; i < wg_json_count(&list) && i < WG_LIMIT_LAYERS && !attention;
		     i++)
			attention =
				wg_config_element(config, &list, i, 0, WG_LIMIT_LAYERS, 0) == index;
	if (attention)
		wg_build_attention(builder, d->hidden, &d->attention, &layer->mixer);
	else
		add_mamba2(builder, d, &layer->mixer);
	complete(builder, d, index, layer);
}

/* One letter a layer, each layer one thing under one norm: M Mamba-2, * attention,
 * - dense, E mixture of experts (Nemotron-H 2025, sec. 2). */
void wg_family_nemotron_h(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	const char *pattern =
		wg_config_string_key(config, "layer_pattern\0hybrid_override_pattern");
	struct wg_json_at at;

	d->attention.window_tokens = 0;
	d->moe.hidden =
		wg_config_get(config, WG_FIELD_LATENT_SIZE, 1, WG_LIMIT_DIMENSION, d->hidden);
	if (pattern == NULL) {
		wg_config_fail(config, NULL, WG_BAD_INPUT,
		               _("key \"hybrid_override_pattern\" is missing"));
		return;
	}
	wg_config_find_key(config, "layer_pattern\0hybrid_override_pattern", &at);
	if (strlen(pattern) != d->layers)
		wg_config_fail(config, &at, WG_BAD_INPUT, _("%zu letters for %u layers"),
		               strlen(pattern), d->layers);
	if (strspn(pattern, "M*-E") != strlen(pattern))
		wg_config_fail(config, &at, WG_BAD_INPUT, _("letters other than M * - E"));
	d->layer_types = at;
	d->gated = false;
}

void wg_layer_nemotron_h(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                         struct wg_layer *layer)
{
	const char *type = wg_decoder_layer_type(d, index);

	switch (type != NULL ? *type : '\0') {
	case 'M':
		add_mamba2(builder, d, &layer->mixer);
		break;
	case '*':
		wg_build_attention(builder, d->hidden, &d->attention, &layer->mixer);
		break;
	case 'E':
		if (d->moe.experts == 0) {
			wg_config_fail(
				&builder->config, NULL, WG_BAD_INPUT,
				_("a layer is a mixture of experts, but there are no experts"));
			return;
		}
		wg_build_moe(builder, d->hidden, &d->moe, &layer->ffn);
		break;
	default:
		wg_build_dense(builder, d->hidden, d->width, false, d->ffn_bias, &layer->ffn);
		break;
	}
	layer->parameters = layer->mixer.parameters + layer->ffn.parameters;
	layer->parameters += wg_add_norms(builder, d->norm, 1, d->hidden);
}
