/* Which layouts and formats are legal. */
#include <math.h>

#include "estimate/internal.h"

bool wg_task_trains(enum wg_task task)
{
	return task == WG_TASK_TRAIN || task == WG_TASK_FINETUNE || task == WG_TASK_LORA ||
	       task == WG_TASK_QLORA;
}

static bool refuse(struct wg_refusal *refusal, enum wg_refusal_kind kind, double a, double b)
{
	*refusal = (struct wg_refusal){ .kind = kind, .a = a, .b = b };
	return false;
}

static bool divides(unsigned divisor, double number)
{
	return fmod(number, divisor) == 0;
}

static bool check_product(const struct device *device, const struct wg_layout *layout,
                          struct wg_refusal *refusal)
{
	double product = (double)layout->tensor * layout->pipeline * layout->data;
	double in_node;

	if (layout->tensor == 0 || layout->pipeline == 0 || layout->data == 0 ||
	    product != layout->gpus)
		return refuse(refusal, WG_REFUSAL_PRODUCT, product, layout->gpus);
	if (layout->nodes == 0 || !divides(layout->nodes, layout->gpus))
		return refuse(refusal, WG_REFUSAL_NODES, layout->gpus, layout->nodes);
	in_node = (double)layout->gpus / layout->nodes;
	if (in_node > device->node_gpus)
		return refuse(refusal, WG_REFUSAL_NODE_SIZE, in_node, device->node_gpus);
	return true;
}

static bool check_shards(const struct model_cost *cost, const struct wg_layout *layout,
                         struct wg_refusal *refusal)
{
	unsigned t = layout->tensor, e = layout->expert;
	double ranks = (double)layout->tensor * layout->data;

	if (!divides(t, cost->heads))
		return refuse(refusal, WG_REFUSAL_HEADS, cost->heads, t);
	if (!divides(t, cost->dense_width))
		return refuse(refusal, WG_REFUSAL_WIDTH, cost->dense_width, t);
	if (layout->pipeline > 1 && cost->layers < layout->pipeline)
		return refuse(refusal, WG_REFUSAL_LAYERS, cost->layers, layout->pipeline);
	if (e <= 1)
		return true;
	if (!cost->moe)
		return refuse(refusal, WG_REFUSAL_DENSE_EXPERTS, e, 0);
	if (!divides(e, cost->experts))
		return refuse(refusal, WG_REFUSAL_EXPERTS, cost->experts, e);
	if (!divides(e, ranks))
		return refuse(refusal, WG_REFUSAL_EXPERT_DEGREE, e, ranks);
	return true;
}

static bool check_training(const struct wg_work *work, const struct wg_layout *layout,
                           struct wg_refusal *refusal)
{
	double share = work->global_batch / layout->data;

	if (share < 1)
		return refuse(refusal, WG_REFUSAL_BATCH, work->global_batch, layout->data);
	if (layout->pipeline > 1 && layout->zero_stage >= 2)
		return refuse(refusal, WG_REFUSAL_SHARDING_PIPELINE, layout->zero_stage,
		              layout->pipeline);
	if (layout->pipeline > 1 && share / larger(1, work->micro_batch) < layout->pipeline)
		return refuse(refusal, WG_REFUSAL_PIPELINE_BATCH,
		              floor(share / larger(1, work->micro_batch)), layout->pipeline);
	return true;
}

bool wg_layout_check(const struct wg_estimator *estimator, const struct device *device,
                     const struct wg_layout *layout, struct wg_refusal *ret_refusal)
{
	const struct wg_work *work = &estimator->work;
	double context = work->input_tokens + work->output_tokens;

	if (device->engine == NULL)
		return refuse(ret_refusal, WG_REFUSAL_ENGINE, 0, 0);
	if (device->refusal != WG_REFUSAL_NONE)
		return refuse(ret_refusal, device->refusal, 0, 0);
	if (!check_product(device, layout, ret_refusal))
		return false;
	if (layout->tensor > 1 && !device->engine->tensor_parallel)
		return refuse(ret_refusal, WG_REFUSAL_ENGINE_TENSOR, layout->tensor, 0);
	if (layout->pipeline > 1 && !device->engine->pipeline_parallel)
		return refuse(ret_refusal, WG_REFUSAL_ENGINE_PIPELINE, layout->pipeline, 0);
	if (work->task == WG_TASK_SCIENCE)
		return true;
	if (!check_shards(&estimator->cost, layout, ret_refusal))
		return false;
	if (wg_task_trains(work->task))
		return check_training(work, layout, ret_refusal);
	if (estimator->model->max_context_tokens > 0 && estimator->cost.generates &&
	    context > estimator->model->max_context_tokens)
		return refuse(ret_refusal, WG_REFUSAL_CONTEXT, context,
		              estimator->model->max_context_tokens);
	return true;
}

/* The rate 16-bit matrices run at: a GPU without BF16 units uses FP16, one
 * without matrix units its vector rates. */
static bool rate_16(const struct device *device, enum wg_rate *ret_rate)
{
	static const enum wg_rate order[] = { WG_RATE_BF16, WG_RATE_FP16, WG_RATE_FP16_VECTOR,
		                              WG_RATE_FP32_MATRIX, WG_RATE_FP32 };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!(device->peak[order[i]] > 0))
			continue;
		*ret_rate = order[i];
		return true;
	}
	return false;
}

/* FP8 or FP4 without such units stays small in memory and is multiplied in 16
 * bit; training its weights so is nothing anyone does. */
static bool fall_back_16(const struct device *device, bool trained, double bits,
                         struct wg_format *format, struct wg_refusal *ret_refusal)
{
	format->weight_only = format->weight_only || bits < 16;
	if ((trained && bits < 16) || !rate_16(device, &format->rate))
		return refuse(ret_refusal, WG_REFUSAL_RATE, 0, 0);
	return true;
}

bool wg_format_choose(const struct wg_estimator *estimator, const struct device *device,
                      enum wg_weight_format weights, struct wg_format *ret_format,
                      struct wg_refusal *ret_refusal)
{
	enum wg_task task = estimator->work.task;
	struct wg_format format = { .weights = weights, .kv_element_bytes = 2 };
	double bits = wg_weight_format_bits(weights);
	bool trained = task == WG_TASK_TRAIN || task == WG_TASK_FINETUNE;

	/* the base of QLoRA is 4-bit whatever the file holds (Dettmers et al. 2023) */
	if (task == WG_TASK_QLORA && bits > 8.5) {
		format.weights = weights = WG_WEIGHTS_NF4;
		bits = wg_weight_format_bits(weights);
	}
	if (device->engine == NULL)
		return refuse(ret_refusal, WG_REFUSAL_ENGINE, 0, 0);
	format.rate = wg_weight_format_rate(weights);
	format.weight_only = wg_weight_format_is_weight_only(weights);
	if ((device->engine->formats >> weights & 1u) == 0 || (trained && format.weight_only))
		return refuse(ret_refusal, WG_REFUSAL_FORMAT, bits, 0);
	if ((format.weight_only || !(device->peak[format.rate] > 0)) &&
	    !fall_back_16(device, trained, bits, &format, ret_refusal))
		return false;
	*ret_format = format;
	return true;
}
