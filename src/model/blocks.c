/* Plain transformer blocks (Vaswani et al. 2017, sec. 3.1). */
#include "base/i18n.h"
#include "model/blocks.h"

static void add_block(struct wg_builder *builder, const struct wg_blocks *b,
                      struct wg_stack_builder *stack)
{
	unsigned size = b->head_size > 0 ? b->head_size : b->hidden / b->heads;
	struct wg_attention attention = {
		.heads = b->heads,
		.kv_heads = b->heads,
		.key_size = size,
		.value_size = size,
		.query_bias = b->bias,
		.key_bias = b->bias && !b->no_key_bias,
		.value_bias = b->bias,
		.out_bias = b->bias,
		.causal = b->causal,
	};
	struct wg_layer layer = { 0 };

	wg_build_attention(builder, b->hidden, &attention, &layer.mixer);
	if (b->cross) {
		attention.cross = true;
		attention.causal = false;
		wg_build_attention(builder, b->hidden, &attention, &layer.cross);
	}
	if (b->width > 0)
		wg_build_dense(builder, b->hidden, b->width, b->gated, b->bias, &layer.ffn);
	layer.parameters = layer.mixer.parameters + layer.cross.parameters + layer.ffn.parameters;
	layer.parameters += wg_add_norms(builder, b->norm, b->norms, b->hidden);
	layer.parameters += wg_add_vectors(builder, b->extra);
	wg_add_layer(builder, stack, &layer);
}

struct wg_stack_builder *wg_add_blocks(struct wg_builder *builder, const struct wg_blocks *blocks)
{
	struct wg_stack_builder *stack =
		wg_add_stack(builder, blocks->role, blocks->hidden, blocks->layers);

	if (stack == NULL)
		return NULL;
	if (blocks->heads == 0 || (blocks->head_size == 0 && blocks->hidden < blocks->heads)) {
		wg_config_fail(&builder->config, NULL, WG_BAD_INPUT,
		               _("hidden size %u does not divide into %u heads"), blocks->hidden,
		               blocks->heads);
		return NULL;
	}
	stack->stack.fixed_tokens = blocks->fixed_tokens;
	for (unsigned i = 0; i < blocks->layers && wg_builder_ok(builder); i++)
		add_block(builder, blocks, stack);
	return stack;
}

void wg_read_blocks(struct wg_config *config, struct wg_blocks *b)
{
	b->hidden = wg_config_need_key(config,
	                               "hidden\0hidden_size\0d_model\0embed_dim\0"
	                               "vt_hidden_size\0width\0dim",
	                               1, WG_LIMIT_DIMENSION);
	b->layers = wg_config_need_key(config,
	                               "layers\0num_hidden_layers\0depth\0num_layers\0"
	                               "vt_num_hidden_layers\0encoder_layers\0n_layers",
	                               1, WG_LIMIT_LAYERS);
	b->heads = wg_config_need_key(config,
	                              "heads\0num_attention_heads\0num_heads\0"
	                              "attention_heads\0vt_num_attention_heads\0"
	                              "encoder_attention_heads\0n_heads",
	                              1, WG_LIMIT_DIMENSION);
	b->width = wg_config_get_key(config,
	                             "ffn_width\0intermediate_size\0vt_intermediate_size\0"
	                             "encoder_ffn_dim\0hidden_dim",
	                             1, WG_LIMIT_DIMENSION, 0);
	if (b->width == 0)
		b->width = (unsigned)(b->hidden *
		                      wg_config_number_key(config, "mlp_ratio", 0.01, 64, 4));
}

void wg_build_part(struct wg_builder *builder, const struct wg_json_at *part,
                   void (*build)(struct wg_builder *builder))
{
	struct wg_config whole;
	struct wg_json_at at = *part;
	enum wg_status status;

	if (!wg_builder_ok(builder))
		return;
	wg_config_move(&whole, &builder->config);
	wg_config_move_place(&at, &whole, &builder->config);
	wg_config_init_at(&builder->config, &at, whole.error);
	build(builder);
	status = builder->config.status;
	wg_config_move(&builder->config, &whole);
	builder->config.status = status;
}

void wg_build_companion(struct wg_builder *builder, const struct wg_json_at *part,
                        void (*build)(struct wg_builder *builder))
{
	unsigned vocabulary = builder->model->vocabulary;
	bool tied = builder->model->tied_head;

	builder->weights = &builder->beside;
	wg_build_part(builder, part, build);
	builder->weights = &builder->main;
	builder->model->vocabulary = vocabulary;
	builder->model->tied_head = tied;
}
