/* Stacks, layers and the booking of every weight. */
#include "base/i18n.h"
#include "model/builder.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool wg_builder_ok(const struct wg_builder *builder)
{
	return builder->config.status == WG_OK;
}

void wg_builder_no_memory(struct wg_builder *builder)
{
	if (wg_builder_ok(builder))
		builder->config.status = wg_error_no_memory(builder->config.error);
}

void wg_builder_warn(struct wg_builder *builder, const char *format, ...)
{
	char text[300];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	for (size_t i = 0; i < builder->warning_count; i++)
		if (strcmp(builder->warnings[i], text) == 0)
			return;
	if (builder->warning_count == WG_WARNINGS)
		return;
	char *copy = wg_arena_strdup(builder->arena, text);
	if (copy == NULL)
		wg_builder_no_memory(builder);
	else
		builder->warnings[builder->warning_count++] = copy;
}

double wg_add_vectors(struct wg_builder *builder, double elements)
{
	builder->weights->elements[WG_PART_VECTORS] += elements;
	return elements;
}

double wg_add_matrices(struct wg_builder *builder, enum wg_part part, double count, double in,
                       double out, bool bias)
{
	struct wg_weights *weights = builder->weights;

	weights->elements[part] += count * in * out;
	weights->outputs[part] += count * out;
	weights->blocks[part] += count * ceil(in / 128) * ceil(out / 128);
	weights->groups32[part] += count * out * ceil(in / 32);
	return count * in * out + (bias ? wg_add_vectors(builder, count * out) : 0);
}

double wg_add_matrix(struct wg_builder *builder, enum wg_part part, double in, double out,
                     bool bias)
{
	return wg_add_matrices(builder, part, 1, in, out, bias);
}

double wg_add_norms(struct wg_builder *builder, enum wg_norm norm, double count, double width)
{
	static const double elements[] = {
		[WG_NORM_RMS] = 1,
		[WG_NORM_LAYER] = 2,
		[WG_NORM_LAYER_NO_BIAS] = 1,
		[WG_NORM_PLAIN] = 0,
	};

	return wg_add_vectors(builder, count * width * elements[norm]);
}

struct wg_stack_builder *wg_add_stack(struct wg_builder *builder, enum wg_stack_role role,
                                      unsigned hidden, unsigned layers)
{
	struct wg_stack_builder *stack;

	if (!wg_builder_ok(builder))
		return NULL;
	if (builder->stack_count == WG_STACKS || layers > WG_LIMIT_LAYERS) {
		wg_config_fail(&builder->config, NULL, WG_LIMIT, _("more layers or parts than %d"),
		               WG_LIMIT_LAYERS);
		return NULL;
	}
	stack = &builder->stacks[builder->stack_count];
	stack->layers = wg_arena_array(builder->arena, layers + 1, sizeof *stack->layers);
	stack->order = wg_arena_array(builder->arena, layers + 1, sizeof *stack->order);
	if (stack->layers == NULL || stack->order == NULL) {
		wg_builder_no_memory(builder);
		return NULL;
	}
	stack->capacity = layers;
	stack->stack.role = role;
	stack->stack.hidden = hidden;
	stack->stack.companion = builder->weights == &builder->beside;
	stack->stack.layers = stack->layers;
	stack->stack.order = stack->order;
	builder->stack_count++;
	return stack;
}

static bool same_mixer(const struct wg_mixer *a, const struct wg_mixer *b)
{
	return a->kind == b->kind && a->causal == b->causal && a->heads == b->heads &&
	       a->kv_heads == b->kv_heads && a->key_size == b->key_size &&
	       a->value_size == b->value_size && a->window_tokens == b->window_tokens &&
	       a->query_rank == b->query_rank && a->kv_rank == b->kv_rank &&
	       a->rope_size == b->rope_size && a->index_heads == b->index_heads &&
	       a->index_size == b->index_size && a->index_topk == b->index_topk &&
	       a->state_elements == b->state_elements && a->parameters == b->parameters &&
	       a->matmul_parameters == b->matmul_parameters;
}

static bool same_ffn(const struct wg_ffn *a, const struct wg_ffn *b)
{
	return a->kind == b->kind && a->gated == b->gated && a->width == b->width &&
	       a->experts == b->experts && a->experts_per_token == b->experts_per_token &&
	       a->expert_width == b->expert_width && a->shared_width == b->shared_width &&
	       a->parameters == b->parameters && a->matmul_parameters == b->matmul_parameters &&
	       a->expert_parameters == b->expert_parameters;
}

void wg_add_layer(struct wg_builder *builder, struct wg_stack_builder *stack,
                  const struct wg_layer *layer)
{
	struct wg_stack *made = &stack->stack;
	size_t kind = 0;

	if (!wg_builder_ok(builder) || made->layer_count >= stack->capacity)
		return;
	while (kind < made->layer_kinds &&
	       !(same_mixer(&stack->layers[kind].mixer, &layer->mixer) &&
	         same_mixer(&stack->layers[kind].cross, &layer->cross) &&
	         same_ffn(&stack->layers[kind].ffn, &layer->ffn) &&
	         stack->layers[kind].parameters == layer->parameters))
		kind++;
	if (kind == made->layer_kinds) {
		stack->layers[kind] = *layer;
		stack->layers[kind].repeat = 0;
		made->layer_kinds++;
	}
	stack->layers[kind].repeat++;
	stack->order[made->layer_count++] = (uint16_t)kind;
	made->parameters += layer->parameters;
}
