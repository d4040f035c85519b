/* Models without attention: Mamba, Mamba-2, RWKV-7. */
#include "model/family.h"

struct frame {
	unsigned hidden, layers, vocabulary;
	bool tied;
	struct wg_stack_builder *stack;
	double own;
};

static bool open_frame(struct wg_builder *builder, struct frame *f)
{
	struct wg_config *config = &builder->config;

	f->hidden = wg_config_need(config, WG_FIELD_HIDDEN, 1, WG_LIMIT_DIMENSION);
	f->layers = wg_config_need(config, WG_FIELD_LAYERS, 1, WG_LIMIT_LAYERS);
	f->vocabulary = wg_config_need(config, WG_FIELD_VOCABULARY, 1, WG_LIMIT_DIMENSION);
	f->tied = wg_config_flag(config, WG_FIELD_TIED, builder->family->traits & WG_TIED);
	f->stack = wg_add_stack(builder, WG_STACK_DECODER, f->hidden, f->layers);
	if (f->stack == NULL)
		return false;
	f->own = wg_add_matrix(builder, WG_PART_EMBEDDING, f->hidden, f->vocabulary, false);
	return true;
}

static void close_frame(struct wg_builder *builder, struct frame *f)
{
	f->own += wg_add_norms(builder, builder->family->norm, 1, f->hidden);
	if (!f->tied)
		f->own += wg_add_matrix(builder, WG_PART_HEAD, f->hidden, f->vocabulary, false);
	f->stack->stack.parameters += f->own;
	builder->model->vocabulary = f->vocabulary;
	builder->model->tied_head = f->tied;
}

static void add_mixer_layer(struct wg_builder *builder, struct frame *f, struct wg_layer *layer)
{
	layer->parameters = layer->mixer.parameters;
	layer->parameters += wg_add_norms(builder, builder->family->norm, 1, f->hidden);
	wg_add_layer(builder, f->stack, layer);
}

void wg_build_mamba_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct frame f = { 0 };

	if (!open_frame(builder, &f))
		return;
	unsigned expand = wg_config_get(config, WG_FIELD_EXPAND, 1, 64, 2);
	struct wg_mamba mamba = {
		wg_config_get_key(config, "inner_size\0intermediate_size\0d_inner", 1,
		                  WG_LIMIT_DIMENSION, expand * f.hidden),
		wg_config_get(config, WG_FIELD_STATE_SIZE, 1, WG_LIMIT_DIMENSION, 16),
		wg_config_get(config, WG_FIELD_CONV_KERNEL, 1, 1024, 4),
		wg_config_get(config, WG_FIELD_SSM_RANK, 1, WG_LIMIT_DIMENSION,
		              (f.hidden + 15) / 16),
		wg_config_flag(config, WG_FIELD_BIAS, false),
		wg_config_flag_key(config, "use_conv_bias", true),
		false,
	};
	for (unsigned i = 0; i < f.layers && wg_builder_ok(builder); i++) {
		struct wg_layer layer = { 0 };

		wg_build_mamba(builder, f.hidden, &mamba, &layer.mixer);
		add_mixer_layer(builder, &f, &layer);
	}
	close_frame(builder, &f);
}

void wg_build_mamba2_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct frame f = { 0 };

	if (!open_frame(builder, &f))
		return;
	unsigned expand = wg_config_get(config, WG_FIELD_EXPAND, 1, 64, 2);
	unsigned size =
		wg_config_get_key(config, "ssm_head_size\0head_dim", 1, WG_LIMIT_DIMENSION, 64);
	struct wg_mamba2 mamba = {
		wg_config_get_key(config, "ssm_heads\0num_heads", 1, WG_LIMIT_DIMENSION,
		                  expand * f.hidden / size > 0 ? expand * f.hidden / size : 1),
		size,
		wg_config_get(config, WG_FIELD_SSM_GROUPS, 1, WG_LIMIT_DIMENSION, 1),
		wg_config_get(config, WG_FIELD_STATE_SIZE, 1, WG_LIMIT_DIMENSION, 128),
		wg_config_get(config, WG_FIELD_CONV_KERNEL, 1, 1024, 4),
		wg_config_flag(config, WG_FIELD_BIAS, false),
		wg_config_flag_key(config, "use_conv_bias", true),
		true,
	};
	for (unsigned i = 0; i < f.layers && wg_builder_ok(builder); i++) {
		struct wg_layer layer = { 0 };

		wg_build_mamba2(builder, f.hidden, &mamba, &layer.mixer);
		add_mixer_layer(builder, &f, &layer);
	}
	close_frame(builder, &f);
}

struct rwkv_ranks {
	unsigned decay, gate, learning, value;
};

/* RWKV-7 (Peng et al. 2025, sec. 4): four square matrices, low-rank pairs for
 * decay, learning rate, value residual (not in the first layer) and gate. */
static void build_rwkv7(struct wg_builder *builder, double hidden, unsigned head_size,
                        const struct rwkv_ranks *ranks, bool first, struct wg_mixer *ret_mixer)
{
	struct wg_mixer mixer = { .kind = WG_MIXER_RWKV,
		                  .causal = true,
		                  .key_size = head_size,
		                  .value_size = head_size };
	double low = (double)ranks->decay + ranks->learning + ranks->gate;
	double before = builder->weights->elements[WG_PART_ATTENTION];

	if (!first)
		low += ranks->value;
	mixer.heads = mixer.kv_heads = (unsigned)(hidden / head_size);
	mixer.parameters = wg_add_matrices(builder, WG_PART_ATTENTION, 4, hidden, hidden, false);
	mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION, hidden, low, false);
	mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION, low, hidden, false);
	/* six token shifts, offsets of the pairs, three key vectors, group norm */
	mixer.parameters += wg_add_vectors(builder, hidden * (6 + (first ? 2 : 3) + 3 + 2));
	mixer.matmul_parameters = builder->weights->elements[WG_PART_ATTENTION] - before;
	mixer.state_elements = hidden * head_size;
	*ret_mixer = mixer;
}

void wg_build_rwkv7_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct frame f = { 0 };
	unsigned width, head_size;

	if (!open_frame(builder, &f))
		return;
	head_size = wg_config_get_key(config, "head_size\0head_dim", 1, f.hidden, 64);
	width = wg_config_get(config, WG_FIELD_WIDTH, 1, WG_LIMIT_DIMENSION, 4 * f.hidden);
	struct rwkv_ranks ranks = {
		wg_config_get_key(config, "decay_rank\0decay_lora_rank\0decay_low_rank_dim", 1,
		                  65536, 64),
		wg_config_get_key(config, "gate_rank\0gate_lora_rank\0gate_low_rank_dim", 1, 65536,
		                  128),
		wg_config_get_key(config,
		                  "learning_rank\0in_context_learning_lora_rank\0a_low_rank_dim", 1,
		                  65536, 64),
		wg_config_get_key(config, "value_rank\0value_lora_rank\0v_low_rank_dim", 1, 65536,
		                  32),
	};
	for (unsigned i = 0; i < f.layers && wg_builder_ok(builder); i++) {
		struct wg_layer layer = { 0 };

		build_rwkv7(builder, f.hidden, head_size, &ranks, i == 0, &layer.mixer);
		wg_build_dense(builder, f.hidden, width, false, false, &layer.ffn);
		layer.ffn.parameters += wg_add_vectors(builder, f.hidden);
		layer.parameters = layer.mixer.parameters + layer.ffn.parameters;
		/* the first layer also normalises the embedding */
		layer.parameters +=
			wg_add_norms(builder, builder->family->norm, i == 0 ? 3 : 2, f.hidden);
		wg_add_layer(builder, f.stack, &layer);
	}
	close_frame(builder, &f);
}
