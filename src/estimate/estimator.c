/* Opening, preparing GPUs, and one run from legality to watts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "estimate/internal.h"
#include "whichgpu/text.h"

#define ARENA_MOST ((size_t)16 << 20)

/* --- the work ------------------------------------------------------------ */

static void fill(double *value, double otherwise)
{
	if (!(*value > 0))
		*value = otherwise;
}

static void serve_defaults(struct wg_work *work, const struct model_cost *cost, double context)
{
	if (!cost->generates) {
		fill(&work->input_tokens,
		     cost->main.fixed_tokens > 0 ? cost->main.fixed_tokens : 128);
		work->output_tokens = 0;
	} else if (!(work->input_tokens > 0) && !(work->output_tokens > 0)) {
		work->output_tokens = smaller(300, ceil(context / 4));
		work->input_tokens = smaller(1000, context - work->output_tokens);
	} else {
		fill(&work->input_tokens, 1);
	}
	fill(&work->concurrency, 16);
}

static void work_defaults(struct wg_work *work, const struct model_cost *cost,
                          const struct wg_model *model)
{
	double context =
		model != NULL && model->max_context_tokens > 0 ? model->max_context_tokens : 4096;

	switch (work->task) {
	case WG_TASK_SERVE:
	case WG_TASK_BATCH:
		serve_defaults(work, cost, context);
		return;
	case WG_TASK_TRAIN:
		fill(&work->sequence_tokens, cost->main.fixed_tokens > 0 ? cost->main.fixed_tokens
		                                                         : smaller(4096, context));
		fill(&work->global_batch, 256);
		return;
	case WG_TASK_FINETUNE:
	case WG_TASK_LORA:
	case WG_TASK_QLORA:
		fill(&work->sequence_tokens, cost->main.fixed_tokens > 0 ? cost->main.fixed_tokens
		                                                         : smaller(2048, context));
		fill(&work->global_batch, 64);
		if (work->lora_rank == 0)
			work->lora_rank = 16;
		return;
	default:
		return;
	}
}

/* llama.cpp's types are called Q4_K_M, IQ2_XS and the like. */
static bool method_is_gguf(const char *method)
{
	if (method == NULL)
		return false;
	if (method[0] == 'I')
		method++;
	return method[0] == 'Q' && method[1] >= '1' && method[1] <= '8';
}

/* --- opening ------------------------------------------------------------- */

static enum wg_status check_work(const struct wg_model *model, const struct wg_work *work,
                                 struct wg_error *error)
{
	if ((unsigned)work->task >= WG_TASK_COUNT)
		return wg_error_set(error, WG_BAD_INPUT, _("unknown task"));
	if (work->task == WG_TASK_SCIENCE)
		return WG_OK;
	if (model == NULL)
		return wg_error_set(error, WG_BAD_INPUT, _("task \"%s\" needs a model"),
		                    wg_task_key(work->task));
	if (model->stack_count == 0)
		return wg_error_set(error, WG_NOT_SUPPORTED,
		                    _("the layers of \"%s\" are not known"),
		                    model->name != NULL ? model->name : "");
	if (model->stacks[0].role == WG_STACK_DIFFUSION)
		return wg_error_set(error, WG_NOT_SUPPORTED,
		                    _("the speed of diffusion models is not modelled"));
	return WG_OK;
}

static enum wg_status engine_unknown(const struct wg_estimator *estimator, const char *engine,
                                     struct wg_error *error)
{
	struct wg_text known;

	wg_error_set(error, WG_NOT_FOUND, _("unknown engine \"%s\""), engine);
	wg_text_init(&known, 1024);
	for (size_t i = 0; i < estimator->efficiency->engine_count; i++)
		if ((estimator->efficiency->engines[i].tasks >> estimator->work.task & 1u) != 0)
			wg_text_printf(&known, "%s%s", known.length > 0 ? ", " : "",
			               estimator->efficiency->engines[i].key);
	wg_error_hint(error, _("for task \"%s\": %s"), wg_task_key(estimator->work.task),
	              wg_text_string(&known));
	wg_text_done(&known);
	return WG_NOT_FOUND;
}

static enum wg_status open_parts(struct wg_estimator *estimator, const char *engine,
                                 struct wg_error *error)
{
	enum wg_status status = WG_OK;

	estimator->efficiency = &wg_efficiency_builtin;
	if (engine != NULL) {
		estimator->engine = wg_efficiency_engine(estimator->efficiency, engine);
		if (estimator->engine == NULL)
			return engine_unknown(estimator, engine, error);
		if ((estimator->engine->tasks >> estimator->work.task & 1u) == 0)
			return wg_error_set(error, WG_NOT_SUPPORTED,
			                    _("engine \"%s\" does not do task \"%s\""), engine,
			                    wg_task_key(estimator->work.task));
	}
	if (estimator->work.task != WG_TASK_SCIENCE)
		status = wg_model_cost_make(estimator->arena, estimator->model, &estimator->cost,
		                            error);
	if (status != WG_OK)
		return status;
	work_defaults(&estimator->work, &estimator->cost, estimator->model);
	estimator->gguf =
		estimator->model != NULL && method_is_gguf(estimator->model->stored.method);
	return WG_OK;
}

enum wg_status wg_estimator_open(const struct wg_model *model, const struct wg_work *work,
                                 const char *engine, struct wg_estimator **ret_estimator,
                                 struct wg_error *error)
{
	enum wg_status status = check_work(model, work, error);
	struct wg_estimator *estimator;

	if (status != WG_OK)
		return status;
	estimator = calloc(1, sizeof(*estimator));
	if (estimator == NULL)
		return wg_error_no_memory(error);
	estimator->arena = wg_arena_open(ARENA_MOST);
	estimator->model = model;
	estimator->work = *work;
	status = estimator->arena == NULL ? wg_error_no_memory(error)
	                                  : open_parts(estimator, engine, error);
	if (status != WG_OK) {
		wg_estimator_free(estimator);
		return status;
	}
	*ret_estimator = estimator;
	return WG_OK;
}

void wg_estimator_free(struct wg_estimator *estimator)
{
	if (estimator == NULL)
		return;
	wg_arena_free(estimator->arena);
	free(estimator->devices);
	free(estimator);
}

const struct wg_work *wg_estimator_work(const struct wg_estimator *estimator)
{
	return &estimator->work;
}

/* --- prepared GPUs --------------------------------------------------------- */

static size_t slot_of(const struct wg_estimator *estimator, const struct wg_gpu *gpu)
{
	size_t slot =
		((size_t)gpu >> 4) * 0x9e3779b97f4a7c15u >> 20 & (estimator->device_slots - 1);

	while (estimator->devices[slot].gpu != NULL && estimator->devices[slot].gpu != gpu)
		slot = (slot + 1) & (estimator->device_slots - 1);
	return slot;
}

static enum wg_status devices_grow(struct wg_estimator *estimator, struct wg_error *error)
{
	size_t old_slots = estimator->device_slots;
	struct device *old = estimator->devices;
	size_t slots = old_slots == 0 ? 64 : old_slots * 2;
	struct device *devices = calloc(slots, sizeof(*devices));

	if (devices == NULL)
		return wg_error_no_memory(error);
	estimator->devices = devices;
	estimator->device_slots = slots;
	for (size_t i = 0; i < old_slots; i++)
		if (old[i].gpu != NULL)
			devices[slot_of(estimator, old[i].gpu)] = old[i];
	free(old);
	return WG_OK;
}

enum wg_status wg_estimator_prepare(struct wg_estimator *estimator, const struct wg_gpu *gpu,
                                    struct wg_error *error)
{
	size_t slot;

	if (estimator->device_count * 2 >= estimator->device_slots) {
		enum wg_status status = devices_grow(estimator, error);

		if (status != WG_OK)
			return status;
	}
	slot = slot_of(estimator, gpu);
	if (estimator->devices[slot].gpu == gpu)
		return WG_OK;
	wg_device_make(estimator, gpu, &estimator->devices[slot]);
	estimator->device_count++;
	return WG_OK;
}

/* The prepared device, or one made in `scratch`. */
static const struct device *device_of(const struct wg_estimator *estimator,
                                      const struct wg_gpu *gpu, struct device *scratch)
{
	if (estimator->device_slots > 0) {
		const struct device *device = &estimator->devices[slot_of(estimator, gpu)];

		if (device->gpu == gpu)
			return device;
	}
	wg_device_make(estimator, gpu, scratch);
	return scratch;
}

const char *wg_estimator_engine(const struct wg_estimator *estimator, const struct wg_gpu *gpu)
{
	struct device scratch;
	const struct device *device = device_of(estimator, gpu, &scratch);

	return device->engine != NULL ? device->engine->key : NULL;
}

/* --- one run --------------------------------------------------------------- */

static double matrix_reach(const struct device *device, enum wg_rate rate)
{
	switch (rate) {
	case WG_RATE_FP8:
	case WG_RATE_FP8_ACC16:
	case WG_RATE_INT8:
		return device->reach[1];
	case WG_RATE_INT4:
	case WG_RATE_FP6:
	case WG_RATE_FP4:
		return device->reach[2];
	default:
		return device->reach[0];
	}
}

static void run_rates(struct run *run)
{
	const struct device *device = run->device;
	const struct model_cost *cost = run->cost;
	double dequant = run->format.weight_only ? device->profile[ENGINE_DEQUANT].value : 1;
	double peak16 = device->peak[WG_RATE_BF16] > 0 ? device->peak[WG_RATE_BF16]
	                                               : device->peak[WG_RATE_FP16];

	run->flops_per_s =
		device->peak[run->format.rate] * matrix_reach(device, run->format.rate) * dequant;
	/* attention stays in 16 bit whatever the weights are */
	run->attention_flops_per_s =
		(peak16 > 0 ? peak16 : device->peak[run->format.rate]) * device->attention;
	run->element_bytes = cost->layer_element_bytes[run->format.weights];
	run->outer_bytes = cost->outer_element_bytes[run->format.weights];
	if (wg_task_trains(run->estimator->work.task) && !run->format.weight_only)
		run->element_bytes = run->outer_bytes =
			run->format.weights == WG_WEIGHTS_FP32 ? 4 : 2;
}

static void run_make(struct run *run, const struct wg_estimator *estimator,
                     const struct device *device, const struct wg_layout *layout,
                     const struct wg_format *format)
{
	double domain;

	*run = (struct run){
		.estimator = estimator,
		.device = device,
		.cost = &estimator->cost,
		.layout = *layout,
		.format = *format,
		.t = layout->tensor,
		.p = layout->pipeline,
		.d = layout->data,
		.e = layout->expert > 1 ? layout->expert : 1,
		.gpus_per_node = (double)layout->gpus / layout->nodes,
		.kv_element_bytes = format->kv_element_bytes,
		.kv_scale = format->kv_element_bytes / 2,
	};
	/* a switch may join more than one node's GPUs (rack-scale NVLink) */
	domain = device->gpu->link == WG_LINK_SWITCH
	                 ? wg_figure_or(&device->gpu->figures[WG_GPU_LINK_GPUS], 0)
	                 : 0;
	run->gpus_per_node = larger(run->gpus_per_node, smaller(domain, layout->gpus));
	run->expert_ranks = larger(run->t, run->e);
	if (estimator->work.task == WG_TASK_SCIENCE)
		return;
	run_rates(run);
	if (run->t > 1)
		run->tensor_reduce = wg_link_reduce_lines(run, run->t, 1);
}

static void largest_term(struct wg_estimate *estimate)
{
	int largest = 0;

	for (int i = 1; i < WG_TIME_TERM_COUNT; i++)
		if (estimate->time_terms[i] > estimate->time_terms[largest])
			largest = i;
	estimate->largest_term = (enum wg_time_term)largest;
	estimate->bound = wg_time_term_bound(estimate->largest_term);
}

/* False with the refusal filled in. */
static bool run_begin(const struct wg_estimator *estimator, const struct device *device,
                      const struct wg_layout *layout, enum wg_weight_format weights,
                      double kv_element_bytes, struct run *run, struct wg_refusal *ret_refusal)
{
	struct wg_format format = { .weights = weights, .kv_element_bytes = kv_element_bytes };

	if (!wg_layout_check(estimator, device, layout, ret_refusal))
		return false;
	if (estimator->work.task == WG_TASK_SCIENCE) {
		format.rate = estimator->work.science_rate;
	} else if (!wg_format_choose(estimator, device, weights, &format, ret_refusal)) {
		return false;
	}
	format.kv_element_bytes = kv_element_bytes > 0 ? kv_element_bytes : 2;
	run_make(run, estimator, device, layout, &format);
	return true;
}

void wg_estimator_run(const struct wg_estimator *estimator, const struct wg_gpu *gpu,
                      const struct wg_layout *layout, enum wg_weight_format weights,
                      double kv_element_bytes, struct wg_estimate *ret_estimate)
{
	struct device scratch;
	const struct device *device = device_of(estimator, gpu, &scratch);
	struct wg_estimate *estimate = ret_estimate;
	struct run run;

	memset(estimate, 0, sizeof(*estimate));
	estimate->layout = *layout;
	estimate->format.weights = weights;
	estimate->engine = device->engine != NULL ? device->engine->key : NULL;
	if (!run_begin(estimator, device, layout, weights, kv_element_bytes, &run,
	               &estimate->refusal))
		return;
	estimate->format = run.format;
	if (wg_task_trains(estimator->work.task)) {
		wg_memory_train(&run, &estimate->memory, &estimate->micro_batch,
		                &estimate->refusal);
		if (estimate->memory.fits)
			wg_train_run(&run, estimate);
	} else if (estimator->work.task == WG_TASK_SCIENCE) {
		if (wg_science_memory(&run, &estimate->memory, &estimate->refusal))
			wg_science_run(&run, estimate);
	} else {
		wg_memory_serve(&run, &estimate->memory, &estimate->batch, &estimate->refusal);
		if (estimate->memory.fits)
			wg_serve_run(&run, estimate);
	}
	estimate->feasible = estimate->refusal.kind == WG_REFUSAL_NONE && estimate->memory.fits;
	if (estimate->feasible)
		largest_term(estimate);
}

void wg_estimator_memory(const struct wg_estimator *estimator, const struct wg_gpu *gpu,
                         const struct wg_layout *layout, enum wg_weight_format weights,
                         double kv_element_bytes, struct wg_memory *ret_memory)
{
	struct device scratch;
	const struct device *device = device_of(estimator, gpu, &scratch);
	struct wg_refusal refusal = { 0 };
	struct wg_memory memory = { 0 };
	double batch;
	struct run run;

	if (run_begin(estimator, device, layout, weights, kv_element_bytes, &run, &refusal)) {
		if (wg_task_trains(estimator->work.task))
			wg_memory_train(&run, &memory, &batch, &refusal);
		else if (estimator->work.task == WG_TASK_SCIENCE)
			wg_science_memory(&run, &memory, &refusal);
		else
			wg_memory_serve(&run, &memory, &batch, &refusal);
	}
	*ret_memory = memory;
}

bool wg_estimator_format_allowed(const struct wg_estimator *estimator, const struct wg_gpu *gpu,
                                 enum wg_weight_format weights, struct wg_format *ret_format)
{
	struct device scratch;
	const struct device *device = device_of(estimator, gpu, &scratch);
	struct wg_refusal refusal = { 0 };

	if (estimator->work.task == WG_TASK_SCIENCE)
		return false;
	return wg_format_choose(estimator, device, weights, ret_format, &refusal);
}
