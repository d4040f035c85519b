/* The generic decoder: attention or MLA, dense or MoE, with what the family
 * row and the config say about norms, biases, windows and head. */
#include "base/i18n.h"
#include "model/decoder.h"

#include <string.h>

static void read_biases(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	unsigned traits = builder->family->traits;
	bool qkv = traits & WG_QKV_BIAS, out = traits & WG_OUT_BIAS;

	d->ffn_bias = traits & WG_FFN_BIAS;
	if ((traits & WG_ALL_BIAS_KEY) && wg_config_has(config, WG_FIELD_BIAS))
		qkv = out = d->ffn_bias = wg_config_flag(config, WG_FIELD_BIAS, qkv);
	if (wg_config_has(config, WG_FIELD_QKV_BIAS)) {
		qkv = wg_config_flag(config, WG_FIELD_QKV_BIAS, qkv);
		if (!(traits & WG_BIAS_QKV_ONLY))
			out = qkv;
	}
	out = wg_config_flag(config, WG_FIELD_OUT_BIAS, out);
	d->ffn_bias = wg_config_flag(config, WG_FIELD_FFN_BIAS, d->ffn_bias);
	d->attention.query_bias = d->attention.key_bias = d->attention.value_bias = qkv;
	d->attention.out_bias = out;
	d->mla.bias = qkv;
	d->head_bias = traits & WG_HEAD_BIAS;
}

/* A config too small for the heads its class has by default: one head. */
static void fit_default_heads(struct wg_builder *builder, const struct wg_decoder *d,
                              struct wg_attention *a)
{
	if (a->key_size > 0 || strstr(builder->config.defaults_used, "heads") == NULL)
		return;
	wg_builder_warn(builder,
	                _("the class has %u heads by default, too many for hidden size %u: one "
	                  "head is taken"),
	                a->heads, d->hidden);
	a->heads = a->kv_heads = 1;
	a->key_size = a->value_size = d->hidden;
}

static void read_attention(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	struct wg_attention *a = &d->attention;
	unsigned traits = builder->family->traits;
	bool norm_default = traits & (WG_QK_NORM_HEADS | WG_QK_NORM_WIDE);

	a->causal = true;
	a->heads = wg_config_need(config, WG_FIELD_HEADS, 1, WG_LIMIT_DIMENSION);
	a->kv_heads = wg_config_get(config, WG_FIELD_KV_HEADS, 1, WG_LIMIT_DIMENSION, a->heads);
	a->key_size = wg_config_get(config, WG_FIELD_HEAD_SIZE, 1, WG_LIMIT_DIMENSION,
	                            d->hidden / a->heads);
	a->value_size =
		wg_config_get(config, WG_FIELD_VALUE_SIZE, 1, WG_LIMIT_DIMENSION, a->key_size);
	fit_default_heads(builder, d, a);
	if (a->kv_heads > a->heads)
		wg_config_fail(config, &config->places[0], WG_BAD_INPUT,
		               _("%u key-value heads are more than %u heads"), a->kv_heads,
		               a->heads);
	if (a->key_size == 0)
		wg_config_fail(config, &config->places[0], WG_BAD_INPUT,
		               _("hidden size %u is smaller than the %u heads"), d->hidden,
		               a->heads);
	if (norm_default && wg_config_flag(config, WG_FIELD_QK_NORM, true))
		a->qk_norm = traits & WG_QK_NORM_WIDE ? WG_QK_NORM_FULL : WG_QK_NORM_HEAD;
	a->qk_norm_kind = builder->family->norm;
}

static void read_mla(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	struct wg_mla *mla = &d->mla;
	unsigned rank = wg_config_get(config, WG_FIELD_KV_RANK, 0, WG_LIMIT_DIMENSION, 0);

	if (rank == 0 || !wg_config_flag_key(config, "use_mla", true))
		return;
	mla->heads = d->attention.heads;
	mla->kv_rank = rank;
	mla->query_rank = wg_config_get(config, WG_FIELD_QUERY_RANK, 0, WG_LIMIT_DIMENSION, 0);
	mla->nope_size = wg_config_need(config, WG_FIELD_NOPE_SIZE, 0, WG_LIMIT_DIMENSION);
	mla->rope_size = wg_config_need(config, WG_FIELD_ROPE_SIZE, 0, WG_LIMIT_DIMENSION);
	mla->value_size = wg_config_need(config, WG_FIELD_VALUE_SIZE, 1, WG_LIMIT_DIMENSION);
	mla->index_heads = wg_config_get(config, WG_FIELD_INDEX_HEADS, 0, WG_LIMIT_DIMENSION, 0);
	mla->index_size = wg_config_get(config, WG_FIELD_INDEX_SIZE, 0, WG_LIMIT_DIMENSION, 0);
	mla->index_top_k = wg_config_get(config, WG_FIELD_INDEX_TOP_K, 0, WG_LIMIT_DIMENSION, 0);
}

static void read_windows(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	unsigned traits = builder->family->traits;
	bool on = wg_config_flag(config, WG_FIELD_WINDOW_ON, !(traits & WG_WINDOW_SWITCH));
	struct wg_json_at at;
	int64_t every;

	wg_config_find(config, WG_FIELD_LAYER_TYPES, &d->layer_types);
	if (traits & WG_NO_WINDOW || !on)
		return;
	d->attention.window_tokens = wg_config_get(config, WG_FIELD_WINDOW, 0, 1u << 30, 0);
	if (traits & WG_WINDOW_SWITCH)
		d->window_from =
			wg_config_get_key(config, "max_window_layers", 0, WG_LIMIT_LAYERS, 0);
	if (!wg_config_find(config, WG_FIELD_WINDOW_PATTERN, &at))
		return;
	if (wg_json_as_integer(&at, &every) && every > 0 && every <= WG_LIMIT_LAYERS)
		d->full_every = (unsigned)every;
	else if (wg_json_type(&d->layer_types) == WG_JSON_ABSENT)
		d->layer_types = at; /* "LLLG": a letter a layer, repeated */
}

static void read_moe(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	struct wg_moe *moe = &d->moe;
	unsigned traits = builder->family->traits, shared;

	moe->experts = wg_config_get(config, WG_FIELD_EXPERTS, 0, WG_LIMIT_EXPERTS, 0);
	if (moe->experts <= 1) {
		moe->experts = 0;
		return;
	}
	moe->top_k = wg_config_need(config, WG_FIELD_TOP_K, 1, moe->experts);
	moe->width = wg_config_get(config, WG_FIELD_EXPERT_WIDTH, 1, WG_LIMIT_DIMENSION, 0);
	if (moe->width == 0)
		moe->width = wg_config_need(config, WG_FIELD_WIDTH, 1, WG_LIMIT_DIMENSION);
	shared = wg_config_get(config, WG_FIELD_SHARED_EXPERTS, 0, WG_LIMIT_EXPERTS, 0);
	moe->shared_width = wg_config_get(config, WG_FIELD_SHARED_WIDTH, 0, WG_LIMIT_DIMENSION, 0);
	if (moe->shared_width == 0)
		moe->shared_width = (double)shared * moe->width;
	moe->gated = d->gated;
	moe->expert_bias = traits & WG_EXPERT_BIAS;
	moe->shared_gate = (traits & WG_SHARED_GATE) && moe->shared_width > 0;
	moe->router_extra = traits & WG_ROUTER_BIAS ? moe->experts : 0;
	d->dense_first = wg_config_get(config, WG_FIELD_DENSE_FIRST, 0, WG_LIMIT_LAYERS, 0);
	d->moe_every = wg_config_get(config, WG_FIELD_MOE_EVERY, 1, WG_LIMIT_LAYERS, 1);
	d->moe_offset = d->moe_every - 1;
	wg_config_find(config, WG_FIELD_DENSE_LIST, &d->dense_list);
	if (wg_config_find(config, WG_FIELD_MOE_FREQUENCY, &d->moe_frequency) &&
	    wg_json_type(&d->moe_frequency) != WG_JSON_ARRAY) {
		d->moe_every = wg_config_get(config, WG_FIELD_MOE_FREQUENCY, 1, WG_LIMIT_LAYERS, 1);
		d->moe_offset = 0;
	}
}

void wg_decoder_read(struct wg_builder *builder, struct wg_decoder *d)
{
	struct wg_config *config = &builder->config;
	const struct wg_family *family = builder->family;

	*d = (struct wg_decoder){ .moe_every = 1, .final_norms = 1 };
	d->hidden = wg_config_need(config, WG_FIELD_HIDDEN, 1, WG_LIMIT_DIMENSION);
	d->layers = wg_config_need(config, WG_FIELD_LAYERS, 1, WG_LIMIT_LAYERS);
	d->vocabulary = wg_config_need(config, WG_FIELD_VOCABULARY, 1, WG_LIMIT_DIMENSION);
	d->width = wg_config_get(config, WG_FIELD_WIDTH, 1, WG_LIMIT_DIMENSION, 0);
	d->gated = !(family->traits & WG_PLAIN_FFN);
	if (d->width == 0 && !d->gated)
		d->width = 4 * d->hidden;
	d->tied = wg_config_flag(config, WG_FIELD_TIED, family->traits & WG_TIED);
	d->norm = family->norm;
	d->layer_norms = family->layer_norms;
	if ((family->traits & WG_PARALLEL_ONE_NORM) &&
	    wg_config_flag(config, WG_FIELD_PARALLEL, false))
		d->layer_norms = 1;
	if (family->traits & WG_NO_FINAL_NORM)
		d->final_norms = 0;
	if (family->traits & WG_LEARNED_POSITIONS)
		d->positions = wg_config_need(config, WG_FIELD_CONTEXT, 1, WG_LIMIT_DIMENSION);
	d->mtp_layers = wg_config_get(config, WG_FIELD_MTP_LAYERS, 0, WG_LIMIT_LAYERS, 0);
	read_attention(builder, d);
	read_biases(builder, d);
	read_mla(builder, d);
	read_windows(builder, d);
	read_moe(builder, d);
}

const char *wg_decoder_layer_type(const struct wg_decoder *d, unsigned index)
{
	const char *word = NULL;
	struct wg_json_at at;

	if (wg_json_type(&d->layer_types) == WG_JSON_STRING) {
		if (!wg_json_as_string(&d->layer_types, &word) || word[0] == '\0')
			return NULL;
		return word + index % strlen(word);
	}
	at = wg_json_element(&d->layer_types, index);
	return wg_json_as_string(&at, &word) ? word : NULL;
}

static bool is_windowed(const struct wg_decoder *d, unsigned index)
{
	const char *type = wg_decoder_layer_type(d, index);

	if (type != NULL)
		return type[0] == 'L' || strncmp(type, "sliding", 7) == 0 ||
		       strncmp(type, "chunked", 7) == 0 || strncmp(type, "local", 5) == 0;
	if (d->full_every > 0)
		return (index + 1) % d->full_every != 0;
	return index >= d->window_from;
}

void wg_decoder_attention(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                          struct wg_mixer *ret_mixer)
{
	struct wg_attention attention = d->attention;

	if (d->mla.heads > 0) {
		wg_build_mla(builder, d->hidden, &d->mla, ret_mixer);
		return;
	}
	if (!is_windowed(d, index))
		attention.window_tokens = 0;
	wg_build_attention(builder, d->hidden, &attention, ret_mixer);
}

bool wg_decoder_is_moe(struct wg_builder *builder, const struct wg_decoder *d, unsigned index)
{
	size_t listed = wg_json_count(&d->dense_list);

	if (d->moe.experts == 0 || index < d->dense_first)
		return false;
	for (size_t i = 0; i < listed && i < WG_LIMIT_LAYERS; i++)
		if (wg_config_element(&builder->config, &d->dense_list, i, 0, WG_LIMIT_LAYERS,
		                      UINT32_MAX) == index)
			return false;
	if (wg_json_type(&d->moe_frequency) == WG_JSON_ARRAY)
		return wg_config_element(&builder->config, &d->moe_frequency, index, 0, 1, 1) == 1;
	return index % d->moe_every == d->moe_offset % d->moe_every;
}

void wg_decoder_ffn(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                    struct wg_ffn *ret_ffn)
{
	struct wg_config *config = &builder->config;
	unsigned width = d->width;

	if (wg_decoder_is_moe(builder, d, index)) {
		wg_build_moe(builder, d->hidden, &d->moe, ret_ffn);
		return;
	}
	if (d->moe.experts > 0)
		width = wg_config_get(config, WG_FIELD_DENSE_WIDTH, 1, WG_LIMIT_DIMENSION, width);
	if (width == 0)
		width = wg_config_need(config, WG_FIELD_WIDTH, 1, WG_LIMIT_DIMENSION);
	wg_build_dense(builder, d->hidden, width, d->gated, d->ffn_bias, ret_ffn);
}

void wg_decoder_layer(struct wg_builder *builder, const struct wg_decoder *d, unsigned index,
                      struct wg_layer *ret_layer)
{
	struct wg_layer layer = { 0 };

	wg_decoder_attention(builder, d, index, &layer.mixer);
	wg_decoder_ffn(builder, d, index, &layer.ffn);
	layer.parameters = layer.mixer.parameters + layer.ffn.parameters;
	layer.parameters += wg_add_norms(builder, d->norm, d->layer_norms, d->hidden);
	layer.parameters += wg_add_vectors(builder, d->layer_extra);
	*ret_layer = layer;
}

/* Draft layers (DeepSeek-V3 2024, sec. 2.2): one more layer, a projection of
 * hidden state and embedding joined, and three norms; embedding and head shared. */
static void build_drafts(struct wg_builder *builder, const struct wg_decoder *d)
{
	struct wg_layer layer = { 0 };

	builder->weights = &builder->draft;
	for (unsigned i = 0; i < d->mtp_layers; i++) {
		if (builder->family->layer != NULL)
			builder->family->layer(builder, d, d->layers + i, &layer);
		else
			wg_decoder_layer(builder, d, d->layers + i, &layer);
		wg_add_matrix(builder, WG_PART_ATTENTION, 2.0 * d->hidden, d->hidden, false);
		wg_add_norms(builder, d->norm, 3, d->hidden);
	}
	builder->weights = &builder->main;
}

void wg_decoder_build(struct wg_builder *builder, const struct wg_decoder *d)
{
	struct wg_stack_builder *stack =
		wg_add_stack(builder, WG_STACK_DECODER, d->hidden, d->layers);
	double own, width;

	if (stack == NULL)
		return;
	width = d->embedding_width > 0 ? d->embedding_width : d->hidden;
	own = wg_add_matrix(builder, WG_PART_EMBEDDING, width, d->vocabulary, false);
	own += wg_add_matrix(builder, WG_PART_EMBEDDING, d->hidden, d->positions, false);
	if (builder->family->traits & WG_EMBEDDING_NORM)
		own += wg_add_norms(builder, d->norm, 1, d->hidden);
	for (unsigned i = 0; i < d->layers && wg_builder_ok(builder); i++) {
		struct wg_layer layer = { 0 };

		if (builder->family->layer != NULL)
			builder->family->layer(builder, d, i, &layer);
		else
			wg_decoder_layer(builder, d, i, &layer);
		wg_add_layer(builder, stack, &layer);
	}
	own += wg_add_norms(builder, d->norm, d->final_norms, d->hidden);
	if (!d->tied)
		own += wg_add_matrix(builder, WG_PART_HEAD, width, d->vocabulary, false);
	if (d->head_bias)
		own += wg_add_vectors(builder, d->vocabulary);
	own += wg_add_vectors(builder, d->extra_parameters);
	stack->stack.parameters += own;
	builder->model->vocabulary = d->vocabulary;
	builder->model->tied_head = d->tied;
	build_drafts(builder, d);
}
