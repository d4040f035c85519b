/* A model as a list of parts with exact element, FLOP and byte counts per
 * token (docs/estimator.md, "Operators"). Done once an estimator. */
#include <math.h>
#include <string.h>

#include "estimate/internal.h"

/* Bytes a token moves outside the matrices, 16 bit: each of the two norms of a
 * layer reads and writes the residual and reads the branch (4 values). */
#define NORM_BYTES_PER_HIDDEN 8.0
/* Kept for backward a token and part: the norm's input and the matrix's input
 * (Korthikanti et al. 2022, sec. 4.1, without dropout). */
#define KEPT_BYTES_PER_HIDDEN 4.0

static struct part mixer_common(const struct wg_mixer *mixer, double hidden, double repeat)
{
	return (struct part){
		.repeat = repeat,
		.hidden = hidden,
		.causal = mixer->causal,
		.heads = mixer->heads,
		.kv_heads = mixer->kv_heads,
		.window = mixer->window_tokens,
		.element_bytes = NORM_BYTES_PER_HIDDEN * hidden,
		.kept_bytes = KEPT_BYTES_PER_HIDDEN * hidden,
	};
}

static struct part attention_part(const struct wg_mixer *mixer, double hidden, double repeat)
{
	struct part part = mixer_common(mixer, hidden, repeat);
	double heads = mixer->heads, kv_heads = mixer->kv_heads;
	double key = mixer->key_size, value = mixer->value_size;

	part.kind = mixer->kind == WG_MIXER_CROSS ? PART_CROSS : PART_ATTENTION;
	part.out = heads * value * hidden;
	part.out_rows = heads * value;
	part.key_value = kv_heads * (key + value) * hidden;
	part.in = larger(0, mixer->matmul_parameters - part.out - part.key_value);
	part.in_columns = heads * key + kv_heads * (key + value);
	part.in_matrices = 3;
	part.pair_flops = part.pair_flops_decode = 2 * heads * (key + value);
	part.kv_bytes = 2 * kv_heads * (key + value);
	/* rotary reads and writes queries and keys, values go to the cache */
	part.element_bytes_sharded = 4 * heads * key + 4 * kv_heads * (key + value);
	/* queries, keys, values and the core's output are kept */
	part.kept_bytes_sharded = 2 * (heads * (key + value) + kv_heads * (key + value));
	return part;
}

/* Multi-head latent attention, absorbed in decode (docs/estimator.md). The down
 * projections are replicated over the tensor ranks, as engines do. */
static struct part mla_part(const struct wg_mixer *mixer, double hidden, double repeat)
{
	struct part part = mixer_common(mixer, hidden, repeat);
	double heads = mixer->heads, key = mixer->key_size, value = mixer->value_size;
	double latent = mixer->kv_rank, rope = mixer->rope_size;

	part.kind = PART_ATTENTION;
	part.latent = true;
	part.out = heads * value * hidden;
	part.out_rows = heads * value;
	part.replicated = hidden * (latent + rope) + hidden * mixer->query_rank;
	part.in = larger(0, mixer->matmul_parameters - part.out - part.replicated);
	part.in_columns = heads * key;
	part.in_matrices = 1;
	part.pair_flops = 2 * heads * (key + value);
	part.pair_flops_decode = 2 * heads * (2 * latent + rope);
	part.index_flops = 2.0 * mixer->index_heads * mixer->index_size;
	part.index_topk = mixer->index_topk;
	part.kv_bytes = 2 * (latent + rope) + mixer->index_size;
	part.element_bytes_sharded = 6 * heads * key;
	part.kept_bytes = KEPT_BYTES_PER_HIDDEN * hidden + 2 * (latent + rope + mixer->query_rank);
	part.kept_bytes_sharded = 2 * heads * (2 * key + 2 * value);
	return part;
}

/* SSM, linear attention, RWKV, short convolution: a fixed state, about six
 * operations an element and token (docs/estimator.md). */
static struct part state_part(const struct wg_mixer *mixer, double hidden, double repeat)
{
	struct part part = mixer_common(mixer, hidden, repeat);

	part.kind = PART_STATE;
	part.in = 2.0 / 3 * mixer->matmul_parameters;
	part.out = mixer->matmul_parameters - part.in;
	part.in_columns = part.in / hidden;
	part.in_matrices = 1;
	part.out_rows = part.out / hidden;
	part.state_elements = mixer->state_elements;
	part.element_bytes_sharded = 4 * part.in_columns;
	part.kept_bytes_sharded = 2 * part.in_columns + 2 * part.out_rows;
	return part;
}

static struct part dense_part(const struct wg_ffn *ffn, double hidden, double repeat)
{
	double width = ffn->width;

	return (struct part){
		.kind = PART_DENSE,
		.repeat = repeat,
		.hidden = hidden,
		.in = ffn->matmul_parameters * (ffn->gated ? 2.0 / 3 : 0.5),
		.out = ffn->matmul_parameters * (ffn->gated ? 1.0 / 3 : 0.5),
		.in_columns = width * (ffn->gated ? 2 : 1),
		.in_matrices = ffn->gated ? 2 : 1,
		.out_rows = width,
		.element_bytes = NORM_BYTES_PER_HIDDEN * hidden,
		.element_bytes_sharded = (ffn->gated ? 6 : 4) * width,
		.kept_bytes = KEPT_BYTES_PER_HIDDEN * hidden,
		.kept_bytes_sharded = (ffn->gated ? 6 : 4) * width,
	};
}

static struct part moe_part(const struct wg_ffn *ffn, double hidden, double repeat)
{
	double experts = ffn->experts, chosen = ffn->experts_per_token;
	double active_width = chosen * ffn->expert_width + ffn->shared_width;
	double matrices = ffn->gated ? 3 : 2;

	return (struct part){
		.kind = PART_MOE,
		.repeat = repeat,
		.hidden = hidden,
		.experts = experts,
		.chosen = chosen,
		.expert = ffn->expert_parameters,
		.shared = matrices * hidden * ffn->shared_width,
		.replicated = hidden * experts, /* the router */
		.log_miss = chosen < experts ? log1p(-chosen / experts) : -INFINITY,
		.expert_columns = (matrices - 1) * ffn->expert_width,
		.element_bytes = NORM_BYTES_PER_HIDDEN * hidden + 4 * chosen * hidden,
		.element_bytes_sharded = (matrices + 3) * active_width,
		.kept_bytes = KEPT_BYTES_PER_HIDDEN * hidden,
		.kept_bytes_sharded = 2 * matrices * active_width + 2 * chosen * hidden,
	};
}

static void add_mixer(struct part *parts, size_t *count, const struct wg_mixer *mixer,
                      double hidden, double repeat)
{
	switch (mixer->kind) {
	case WG_MIXER_NONE:
		return;
	case WG_MIXER_ATTENTION:
	case WG_MIXER_CROSS:
		parts[(*count)++] = attention_part(mixer, hidden, repeat);
		return;
	case WG_MIXER_MLA:
		parts[(*count)++] = mla_part(mixer, hidden, repeat);
		return;
	default:
		parts[(*count)++] = state_part(mixer, hidden, repeat);
	}
}

static void sum_kept(struct stack_cost *cost)
{
	for (size_t i = 0; i < cost->part_count; i++) {
		cost->kept_bytes += cost->parts[i].repeat * cost->parts[i].kept_bytes;
		cost->kept_bytes_sharded +=
			cost->parts[i].repeat * cost->parts[i].kept_bytes_sharded;
	}
}

static enum wg_status stack_make(struct wg_arena *arena, const struct wg_stack *stack,
                                 struct stack_cost *ret_cost, struct wg_error *error)
{
	struct part *parts = wg_arena_array(arena, 3 * stack->layer_kinds + 1, sizeof(*parts));
	size_t count = 0;
	struct stack_cost cost = { .layers = stack->layer_count,
		                   .hidden = stack->hidden,
		                   .fixed_tokens = stack->fixed_tokens };

	if (parts == NULL)
		return wg_error_no_memory(error);
	for (size_t i = 0; i < stack->layer_kinds; i++) {
		const struct wg_layer *layer = &stack->layers[i];
		double repeat = layer->repeat;

		add_mixer(parts, &count, &layer->mixer, stack->hidden, repeat);
		add_mixer(parts, &count, &layer->cross, stack->hidden, repeat);
		if (layer->ffn.kind == WG_FFN_DENSE)
			parts[count++] = dense_part(&layer->ffn, stack->hidden, repeat);
		else if (layer->ffn.kind == WG_FFN_MOE)
			parts[count++] = moe_part(&layer->ffn, stack->hidden, repeat);
		cost.largest_layer = larger(cost.largest_layer, layer->parameters);
	}
	cost.parts = parts;
	cost.part_count = count;
	sum_kept(&cost);
	*ret_cost = cost;
	return WG_OK;
}

/* One LoRA rank adds (inputs + outputs) elements to a matrix (Hu et al. 2021,
 * sec. 4); experts get none, as fine-tuning libraries leave them out. */
static void adapter_add(struct model_cost *cost, const struct part *part)
{
	if (part->in > 0)
		cost->adapter_parameters_rank1 +=
			part->repeat * (part->in_matrices * part->hidden + part->in_columns);
	if (part->out > 0)
		cost->adapter_parameters_rank1 += part->repeat * (part->out_rows + part->hidden);
	if (part->kind == PART_MOE && part->shared > 0)
		cost->adapter_parameters_rank1 +=
			part->repeat * (3 * part->hidden + part->shared / part->hidden);
}

static void legality_add(struct model_cost *cost, const struct wg_layer *layer)
{
	if (layer->mixer.kind == WG_MIXER_ATTENTION || layer->mixer.kind == WG_MIXER_MLA) {
		if (cost->heads == 0 || layer->mixer.heads < cost->heads)
			cost->heads = layer->mixer.heads;
	}
	if (layer->ffn.kind == WG_FFN_DENSE && cost->dense_width == 0)
		cost->dense_width = layer->ffn.width;
	if (layer->ffn.kind == WG_FFN_MOE) {
		cost->moe = true;
		cost->experts = layer->ffn.experts;
		cost->expert_layers += layer->repeat;
		cost->expert_parameters +=
			(double)layer->repeat * layer->ffn.experts * layer->ffn.expert_parameters;
	}
}

/* Bytes an element by format: the layers' matrices and what stays outside
 * (embedding, head) are stored apart, unless a file stores all alike (GGUF). */
static void format_bytes(const struct wg_model *model, struct model_cost *cost)
{
	double outer16 = 2 * cost->outer_parameters;

	for (int f = 0; f < WG_WEIGHTS_COUNT; f++) {
		enum wg_weight_format format = (enum wg_weight_format)f;
		double total = format == model->stored.format && model->stored.bytes > 0
		                       ? model->stored.bytes
		                       : wg_model_weight_bytes(model, format);
		double outer = format == WG_WEIGHTS_FP32 ? 2 * outer16 : outer16;
		double layers = total - outer;
		double least = 0.8 * wg_weight_format_bits(format) / 8 * cost->layer_parameters;

		if (layers < least) {
			double all =
				total / larger(1, cost->layer_parameters + cost->outer_parameters);

			layers = all * cost->layer_parameters;
			outer = all * cost->outer_parameters;
		}
		cost->layer_element_bytes[f] = layers / larger(1, cost->layer_parameters);
		cost->outer_element_bytes[f] = outer / larger(1, cost->outer_parameters);
	}
}

enum wg_status wg_model_cost_make(struct wg_arena *arena, const struct wg_model *model,
                                  struct model_cost *ret_cost, struct wg_error *error)
{
	const struct wg_stack *main = &model->stacks[0];
	struct model_cost cost = { .vocabulary = model->vocabulary, .hidden = main->hidden };
	enum wg_status status = stack_make(arena, main, &cost.main, error);

	if (status != WG_OK)
		return status;
	cost.generates = main->role == WG_STACK_DECODER;
	cost.layers = main->layer_count;
	for (size_t i = 1; i < model->stack_count && status == WG_OK; i++)
		if (model->stacks[i].role == WG_STACK_ENCODER && cost.encoder.part_count == 0)
			status = stack_make(arena, &model->stacks[i], &cost.encoder, error);
	if (status != WG_OK)
		return status;
	for (size_t i = 0; i < main->layer_kinds; i++)
		legality_add(&cost, &main->layers[i]);
	for (size_t i = 0; i < cost.main.part_count; i++)
		adapter_add(&cost, &cost.main.parts[i]);
	cost.head = model->head_parameters;
	cost.first_parameters = model->embedding_parameters;
	cost.last_parameters = model->head_parameters;
	cost.outer_parameters =
		model->embedding_parameters + (model->tied_head ? 0 : model->head_parameters);
	cost.layer_parameters = larger(0, model->parameters - cost.outer_parameters);
	format_bytes(model, &cost);
	*ret_cost = cost;
	return WG_OK;
}
