/* Sums once all stacks are there: parameters and the KV cache. */
#include "base/i18n.h"
#include "model/builder.h"

#include <string.h>

static double sum(const struct wg_weights *weights)
{
	double total = 0;

	for (int part = 0; part < WG_PART_COUNT; part++)
		total += weights->elements[part];
	return total;
}

static bool finish_stacks(struct wg_builder *builder)
{
	struct wg_stack *stacks =
		wg_arena_array(builder->arena, builder->stack_count + 1, sizeof *stacks);

	if (stacks == NULL)
		return false;
	for (size_t i = 0; i < builder->stack_count; i++)
		stacks[i] = builder->stacks[i].stack;
	builder->model->stacks = stacks;
	builder->model->stack_count = builder->stack_count;
	return true;
}

#define KV_ELEMENT_BYTES 2.0

static void add_capped(struct wg_kv *kv, struct wg_kv_capped *capped, double bytes, double tokens)
{
	for (size_t i = 0; i < kv->capped_count; i++) {
		if (capped[i].tokens == tokens) {
			capped[i].bytes_per_token += bytes;
			return;
		}
	}
	capped[kv->capped_count++] = (struct wg_kv_capped){ bytes, tokens };
}

/* KV elements a token of one mixer: keys and values of its kv heads, or the
 * one latent with its rotary part (DeepSeek-V2 2024, sec. 2.1.4). */
static double mixer_elements(const struct wg_mixer *mixer)
{
	if (mixer->kind == WG_MIXER_MLA)
		return (double)mixer->kv_rank + mixer->rope_size;
	return (double)mixer->kv_heads * ((double)mixer->key_size + mixer->value_size);
}

static void add_mixer(struct wg_builder *builder, const struct wg_layer *layer,
                      const struct wg_mixer *mixer, struct wg_kv_capped *capped)
{
	struct wg_kv *kv = &builder->model->kv;
	double bytes = mixer_elements(mixer) * KV_ELEMENT_BYTES * layer->repeat;

	kv->fixed_bytes += mixer->state_elements * KV_ELEMENT_BYTES * layer->repeat;
	if (mixer->index_heads > 0)
		kv->index_bytes_per_token += (double)mixer->index_size * layer->repeat;
	if (mixer->kind != WG_MIXER_ATTENTION && mixer->kind != WG_MIXER_MLA)
		return;
	kv->latent = kv->latent || mixer->kind == WG_MIXER_MLA;
	if (mixer->window_tokens > 0)
		add_capped(kv, capped, bytes, mixer->window_tokens);
	else
		kv->bytes_per_token += bytes;
}

static bool finish_kv(struct wg_builder *builder)
{
	struct wg_kv_capped *capped;
	size_t kinds = 0;

	for (size_t i = 0; i < builder->stack_count; i++)
		kinds += builder->stacks[i].stack.layer_kinds;
	capped = wg_arena_array(builder->arena, kinds + 1, sizeof *capped);
	if (capped == NULL)
		return false;
	for (size_t i = 0; i < builder->stack_count; i++) {
		const struct wg_stack *stack = &builder->stacks[i].stack;

		if (stack->role != WG_STACK_DECODER)
			continue;
		for (size_t k = 0; k < stack->layer_kinds; k++) {
			add_mixer(builder, &stack->layers[k], &stack->layers[k].mixer, capped);
			add_mixer(builder, &stack->layers[k], &stack->layers[k].cross, capped);
		}
	}
	builder->model->kv.fixed_bytes += builder->fixed_state_elements * KV_ELEMENT_BYTES;
	builder->model->kv.capped = capped;
	return true;
}

void wg_builder_finish(struct wg_builder *builder)
{
	struct wg_model *model = builder->model;

	if (!wg_builder_ok(builder))
		return;
	if (!finish_stacks(builder) || !finish_kv(builder)) {
		wg_builder_no_memory(builder);
		return;
	}
	model->parameters = sum(&builder->main);
	model->active_parameters = model->parameters - builder->inactive_parameters;
	model->companion_parameters = sum(&builder->beside);
	model->mtp_parameters = sum(&builder->draft);
	model->embedding_parameters = builder->main.elements[WG_PART_EMBEDDING];
	model->head_parameters =
		model->tied_head && builder->stack_count > 0
			? (double)model->vocabulary * builder->stacks[0].stack.hidden
			: builder->main.elements[WG_PART_HEAD];
	if (model->mtp_parameters > 0)
		wg_builder_warn(builder,
		                _("draft (MTP) layers of %.0f parameters are not counted: "
		                  "engines leave them out unless told otherwise"),
		                model->mtp_parameters);
}
