/* The search over GPUs, formats, counts and layouts.
 *
 * Two bounds leave layouts out before the estimator sees them:
 *
 *   memory  the fullest of n shards holds at least 1/n of the weights, so a
 *           layout with weights / n above what a GPU has cannot run;
 *   money   no layout is faster than all its GPUs at their peak rate doing only
 *           the matrix multiplications of each token, nor - when serving - than
 *           all its memory reading only the active weights once a step. A
 *           layout whose price over that speed is above the best found for
 *           the same GPU and format cannot win.
 *
 * tests/unit/test_plan.c compares with the search that leaves nothing
 * out. */
#include "plan/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The bounds stay this far from the estimator's own arithmetic. */
#define BOUND_MARGIN 0.98
#define NODE_GPUS_USUAL 8

static bool is_training(enum wg_task task)
{
	return task == WG_TASK_TRAIN || task == WG_TASK_FINETUNE || task == WG_TASK_LORA ||
	       task == WG_TASK_QLORA;
}

bool wg_search_has_latency(const struct wg_search *search)
{
	return search->work->task == WG_TASK_SERVE;
}

double wg_search_speed(const struct wg_search *search, const struct wg_estimate *estimate)
{
	const struct wg_metrics *metrics = &estimate->metrics;
	struct wg_range speed = metrics->tokens_per_s;
	if (search->work->task == WG_TASK_SCIENCE) {
		speed = metrics->flop_per_s;
	} else if (!is_training(search->work->task)) {
		speed = metrics->output_tokens_per_s.known ? metrics->output_tokens_per_s
		                                           : metrics->samples_per_s;
	}
	return speed.known ? speed.likely : 0;
}

/* --- what is known before the search ------------------------------------ */

static enum wg_weight_format stored_format(const struct wg_plan_request *request)
{
	if (request->work.task == WG_TASK_SCIENCE || request->model == NULL) {
		return WG_WEIGHTS_FP32;
	}
	/* QLoRA keeps the frozen weights in 4 bit by definition */
	return request->work.task == WG_TASK_QLORA ? WG_WEIGHTS_NF4 : request->model->stored.format;
}

/* Least work of a token. Only where the equations are plain: one decoder stack. */
static void set_bounds(struct wg_search *search)
{
	const struct wg_model *model = search->request->model;
	if (model == NULL || model->stack_count != 1 || model->stacks[0].role != WG_STACK_DECODER ||
	    model->parameters <= 0) {
		return;
	}
	const struct wg_work *work = search->work;
	double body = model->active_parameters - model->embedding_parameters;
	double without_head = fmax(body - model->head_parameters, 0);
	if (body <= 0) {
		return;
	}
	if (is_training(work->task)) {
		/* forward and the backward pass to the activations at least */
		search->flop_per_unit = 4 * without_head;
	} else if (work->output_tokens > 0) {
		search->flop_per_unit =
			2 * without_head * (1 + work->input_tokens / work->output_tokens);
		double outer = model->embedding_parameters +
		               (model->tied_head ? 0 : model->head_parameters);
		search->active_bytes_share = without_head / model->parameters;
		search->outer_bytes = 2 * outer;
		search->inner_share = without_head / fmax(model->parameters - outer, 1);
	}
}

static void set_space(struct wg_search *search)
{
	const struct wg_model *model = search->request->model;
	const struct wg_work *work = search->work;
	search->space.task = work->task;
	search->space.copies_most = is_training(work->task)       ? work->global_batch
	                            : work->task == WG_TASK_SERVE ? work->concurrency
	                                                          : WG_PLAN_MOST_GPUS;
	if (search->space.copies_most < 1) {
		search->space.copies_most = 1;
	}
	search->space.layers = 1;
	for (size_t i = 0; model != NULL && i < model->stack_count; i++) {
		const struct wg_stack *stack = &model->stacks[i];
		if (stack->layer_count > search->space.layers) {
			search->space.layers = stack->layer_count;
		}
		for (size_t k = 0; k < stack->layer_kinds; k++) {
			if (stack->layers[k].ffn.kind == WG_FFN_MOE) {
				search->space.experts = stack->layers[k].ffn.experts;
			}
		}
	}
}

static void set_latency(struct wg_search *search)
{
	const struct wg_plan_request *request = search->request;
	if (request->work.task == WG_TASK_SERVE &&
	    request->objective == WG_OBJECTIVE_WITHIN_LIMITS) {
		search->usual_ttft_s = request->limits.ttft_s > 0 ? 0 : WG_PLAN_USUAL_TTFT_S;
		search->usual_tpot_s = request->limits.tpot_s > 0 ? 0 : WG_PLAN_USUAL_TPOT_S;
	}
}

static bool is_wanted(const struct wg_plan_request *request, const struct wg_gpu *gpu)
{
	const char *vendor = gpu->facts[WG_GPU_FACT_VENDOR].value;
	return request->vendor == NULL ||
	       (vendor != NULL && strcasecmp(vendor, request->vendor) == 0);
}

static enum wg_status add_gpu(struct wg_search *search, const struct wg_gpu *gpu,
                              struct wg_error *error)
{
	const struct wg_plan_request *request = search->request;
	struct wg_gpu_result *result = &search->gpus[search->gpu_count];
	for (size_t i = 0; i < search->gpu_count; i++) {
		if (search->gpus[i].gpu == gpu) {
			return WG_OK; /* named twice */
		}
	}
	double node = wg_figure_or(&gpu->figures[WG_GPU_NODE_GPUS], NODE_GPUS_USUAL);
	result->gpu = gpu;
	result->node_gpus = node >= 1 ? (unsigned)node : 1;
	if (request->book != NULL) {
		wg_cost_gpu_prices(request->book, gpu, &request->price, &result->prices);
	}
	search->gpu_count++;
	return wg_estimator_prepare(search->estimator, gpu, error);
}

static enum wg_status add_gpus(struct wg_search *search, struct wg_error *error)
{
	const struct wg_plan_request *request = search->request;
	bool listed = request->gpu_count > 0 || request->catalog == NULL;
	size_t count = listed ? request->gpu_count : wg_catalog_count(request->catalog);
	search->gpus = wg_arena_array(search->arena, count > 0 ? count : 1, sizeof search->gpus[0]);
	enum wg_status status = search->gpus == NULL ? wg_error_no_memory(error) : WG_OK;
	for (size_t i = 0; status == WG_OK && i < count; i++) {
		const struct wg_gpu *gpu =
			listed ? request->gpus[i] : wg_catalog_at(request->catalog, i);
		if (is_wanted(request, gpu)) {
			status = add_gpu(search, gpu, error);
		}
	}
	return status;
}

enum wg_status wg_search_open(struct wg_search *search, const struct wg_plan_request *request,
                              struct wg_arena *arena, struct wg_error *error)
{
	*search = (struct wg_search){
		.request = request,
		.arena = arena,
		.limits = request->limits,
		.stored = stored_format(request),
		.kv_element_bytes = request->kv_element_bytes > 0 ? request->kv_element_bytes : 2,
	};
	enum wg_status status = wg_estimator_open(request->model, &request->work, request->engine,
	                                          &search->estimator, error);
	if (status != WG_OK) {
		return status;
	}
	search->work = wg_estimator_work(search->estimator);
	search->weights = request->weights != 0 ? request->weights : 1u << search->stored;
	search->layouts = wg_arena_array(arena, WG_PLAN_LAYOUTS_MOST, sizeof search->layouts[0]);
	search->tally = wg_arena_alloc(arena, sizeof *search->tally);
	if (search->layouts == NULL || search->tally == NULL) {
		return wg_error_no_memory(error);
	}
	for (unsigned i = 0; request->model != NULL && i < WG_WEIGHTS_COUNT; i++) {
		search->weight_bytes[i] =
			wg_model_weight_bytes(request->model, (enum wg_weight_format)i);
	}
	if (request->model != NULL && request->model->stored.bytes > 0) {
		double *own = &search->weight_bytes[request->model->stored.format];
		*own = fmin(*own, request->model->stored.bytes);
	}
	set_bounds(search);
	set_space(search);
	set_latency(search);
	return add_gpus(search, error);
}

void wg_search_done(struct wg_search *search)
{
	wg_estimator_free(search->estimator);
	free(search->found);
	search->estimator = NULL;
	search->found = NULL;
}

/* --- bounds -------------------------------------------------------------- */

/* Into how many pieces a layout cuts the weights at most. */
static double shards(const struct wg_layout *layout)
{
	bool over_copies = layout->zero_stage == 3 || layout->expert > 1;
	return (double)layout->tensor * layout->pipeline * (over_copies ? layout->data : 1);
}

static bool cannot_fit(const struct wg_search *search, struct wg_gpu_result *result,
                       enum wg_weight_format weights, const struct wg_layout *layout)
{
	double least = search->weight_bytes[weights] / shards(layout);
	if (result->available_bytes <= 0 || least * BOUND_MARGIN <= result->available_bytes) {
		return false;
	}
	struct wg_attempt attempt = {
		.gpus = layout->gpus,
		.weights = weights,
		.closeness = result->available_bytes / least * BOUND_MARGIN,
		.refusal = { WG_REFUSAL_MEMORY_WEIGHTS, least, result->available_bytes },
	};
	wg_attempt_keep(&result->nearest, &attempt);
	return true;
}

/* Bytes of weights that a step cannot do without. Quantised weights are the
 * layers' alone, embedding and head staying at 16 bit, so an equal share of all
 * bytes would be too much; in 32 bit it is the exact one. */
static double least_step_bytes(const struct wg_search *search, enum wg_weight_format weights)
{
	double all = search->weight_bytes[weights];
	double inner = fmax(all - search->outer_bytes, 0) * search->inner_share;
	return fmin(all * search->active_bytes_share, inner);
}

/* No layout of these GPUs makes more units a second. */
static double fastest_possible(const struct wg_search *search, const struct wg_gpu *gpu,
                               const struct wg_format *format, const struct wg_layout *layout)
{
	double peak = wg_figure_or(&gpu->dense[format->rate], 0);
	double bandwidth = wg_figure_or(&gpu->figures[WG_GPU_BANDWIDTH], 0);
	if (search->flop_per_unit <= 0 || peak <= 0) {
		return INFINITY;
	}
	double fastest = layout->gpus * peak / search->flop_per_unit;
	if (search->work->task == WG_TASK_SERVE && search->active_bytes_share > 0 &&
	    bandwidth > 0) {
		double step_bytes = least_step_bytes(search, format->weights);
		double memory = search->work->concurrency * layout->tensor * layout->pipeline *
		                bandwidth / step_bytes;
		fastest = fmin(fastest, memory);
	}
	return fastest / BOUND_MARGIN;
}

/* --- one layout ---------------------------------------------------------- */

static double usd_per_gpu_hour(const struct wg_search *search, const struct wg_gpu_prices *prices,
                               const struct wg_layout *layout)
{
	struct wg_range usd = wg_cost_gpu_hour(prices, search->request->price.pay, layout->nodes);
	return search->request->book != NULL && usd.known ? usd.likely : 0;
}

/* Without the last bits, so that three GPUs at three times the speed tie with
 * one, and the tie goes to fewer GPUs. */
static double rounded(double value)
{
	int exponent;
	double mantissa = frexp(value, &exponent);
	return ldexp(nearbyint(ldexp(mantissa, 36)), exponent - 36);
}

/* Lower is better. Money for a unit of work; for an hour when the speed is
 * fixed by a limit; minus the speed when that alone counts. */
static double score_of(const struct wg_search *search, double usd_per_hour, double speed)
{
	if (search->request->objective == WG_OBJECTIVE_FASTEST || usd_per_hour <= 0) {
		return -speed;
	}
	double unit = search->work->task == WG_TASK_SCIENCE ? 1e18 : 1e6;
	return search->limits.tokens_per_s > 0 ? usd_per_hour : usd_per_hour / speed / 3600 * unit;
}

/* Index of the kept option that a new one competes with, or found_count. */
static size_t rival(const struct wg_search *search, const struct wg_gpu *gpu,
                    enum wg_weight_format weights, unsigned gpus)
{
	size_t i = search->found_count;
	if (search->best_only) {
		return 0;
	}
	while (i > 0 && search->found[i - 1].gpu == gpu) {
		const struct wg_estimate *kept = &search->found[--i].estimate;
		if (kept->format.weights == weights &&
		    (!search->request->pareto || kept->layout.gpus == gpus)) {
			return i;
		}
	}
	return search->found_count;
}

static bool cannot_win(const struct wg_search *search, const struct wg_gpu_result *result,
                       const struct wg_format *format, const struct wg_layout *layout)
{
	size_t at = rival(search, result->gpu, format->weights, layout->gpus);
	if (at == search->found_count || !search->found[at].within_usual ||
	    !search->found[at].priced) {
		return false;
	}
	double speed = fastest_possible(search, result->gpu, format, layout);
	double usd = usd_per_gpu_hour(search, &result->prices, layout) * layout->gpus;
	return isfinite(speed) && rounded(score_of(search, usd, speed)) > search->found[at].score;
}

static struct wg_found *room_for(struct wg_search *search, size_t at)
{
	if (at < search->found_count) {
		return &search->found[at];
	}
	if (search->found_count == search->found_capacity) {
		size_t capacity = search->found_capacity == 0 ? 64 : search->found_capacity * 2;
		struct wg_found *found = reallocarray(search->found, capacity, sizeof *found);
		if (found == NULL) {
			search->failed = true;
			return NULL;
		}
		search->found = found;
		search->found_capacity = capacity;
	}
	search->found[search->found_count] = (struct wg_found){ 0 };
	return &search->found[search->found_count++];
}

static void offer(struct wg_search *search, struct wg_gpu_result *result,
                  const struct wg_estimate *estimate, double usd, double speed)
{
	struct wg_found found = {
		.gpu = result->gpu,
		.prices = &result->prices,
		.estimate = *estimate,
		.score = rounded(score_of(search, usd, speed)),
		.speed = speed,
		.usd_per_hour = usd,
		.priced = usd > 0 || search->request->book == NULL ||
		          search->request->objective == WG_OBJECTIVE_FASTEST,
		.within_usual = wg_limits_usual(search, estimate),
		.as_stored = estimate->format.weights == search->stored,
	};
	size_t at = rival(search, result->gpu, estimate->format.weights, estimate->layout.gpus);
	if (at < search->found_count && !wg_found_is_better(&found, &search->found[at])) {
		return;
	}
	bool is_new = at == search->found_count;
	struct wg_found *target = room_for(search, at);
	if (target != NULL) {
		*target = found;
		result->found += is_new;
	}
}

static void keep_violation(struct wg_search *search, struct wg_gpu_result *result,
                           const struct wg_estimate *estimate, const struct wg_violation *violation)
{
	double usd = usd_per_gpu_hour(search, &result->prices, &estimate->layout) *
	             estimate->layout.gpus;
	struct wg_attempt attempt = {
		.known = true,
		.gpus = estimate->layout.gpus,
		.weights = estimate->format.weights,
		.closeness = 1 + violation->closeness,
		.violation = *violation,
		.score = score_of(search, usd, wg_search_speed(search, estimate)),
	};
	wg_attempt_keep(&result->nearest, &attempt);
	if (!result->cheapest.known || attempt.score < result->cheapest.score) {
		result->cheapest = attempt;
	}
}

static void keep_refusal(struct wg_gpu_result *result, const struct wg_estimate *estimate)
{
	const struct wg_memory *memory = &estimate->memory;
	bool memory_lacks =
		memory->total_bytes > memory->available_bytes && memory->available_bytes > 0;
	struct wg_attempt attempt = {
		.gpus = estimate->layout.gpus,
		.weights = estimate->format.weights,
		.closeness = memory_lacks ? memory->available_bytes / memory->total_bytes : 0,
		.refusal = estimate->refusal,
	};
	wg_attempt_keep(&result->nearest, &attempt);
}

static void try_layout(struct wg_search *search, struct wg_gpu_result *result,
                       const struct wg_format *format, const struct wg_layout *layout)
{
	if (!search->request->unpruned && (cannot_fit(search, result, format->weights, layout) ||
	                                   cannot_win(search, result, format, layout))) {
		search->tally->skipped++;
		return;
	}
	struct wg_estimate estimate;
	wg_estimator_run(search->estimator, result->gpu, layout, format->weights,
	                 search->kv_element_bytes, &estimate);
	search->tally->evaluated++;
	double speed = estimate.feasible ? wg_search_speed(search, &estimate) : 0;
	if (!(speed > 0)) {
		keep_refusal(result, &estimate);
		return;
	}
	struct wg_violation violation = wg_limits_check(search, &result->prices, &estimate);
	if (violation.kind != WG_LIMIT_KIND_NONE) {
		keep_violation(search, result, &estimate, &violation);
		return;
	}
	offer(search, result, &estimate,
	      usd_per_gpu_hour(search, &result->prices, layout) * layout->gpus, speed);
}

/* --- one GPU, all GPUs ---------------------------------------------------- */

/* How the GPU runs the weights; a scientific code has none. */
static bool choose_format(const struct wg_search *search, const struct wg_gpu *gpu,
                          enum wg_weight_format weights, struct wg_format *ret_format)
{
	if (search->work->task == WG_TASK_SCIENCE) {
		*ret_format = (struct wg_format){ .weights = weights,
			                          .kv_element_bytes = 2,
			                          .rate = search->work->science_rate };
		return true;
	}
	return wg_estimator_format_allowed(search->estimator, gpu, weights, ret_format);
}

static void try_format(struct wg_search *search, struct wg_gpu_result *result,
                       enum wg_weight_format weights, const unsigned *counts, size_t count)
{
	struct wg_format format;
	struct wg_layout one = { 1, 1, 1, 1, 1, 1, 0, 0 };
	struct wg_memory memory;
	if (!choose_format(search, result->gpu, weights, &format)) {
		struct wg_attempt attempt = {
			.gpus = 1,
			.weights = weights,
			.refusal = { WG_REFUSAL_FORMAT, wg_weight_format_bits(weights), 0 },
		};
		wg_attempt_keep(&result->nearest, &attempt);
		return;
	}
	wg_estimator_memory(search->estimator, result->gpu, &one, weights, search->kv_element_bytes,
	                    &memory);
	result->available_bytes = memory.available_bytes;
	for (size_t i = 0; i < count; i++) {
		size_t layouts = wg_space_layouts(&search->space, counts[i], result->node_gpus,
		                                  search->layouts, WG_PLAN_LAYOUTS_MOST);
		for (size_t k = 0; k < layouts; k++) {
			try_layout(search, result, &format, &search->layouts[k]);
		}
	}
}

void wg_search_run(struct wg_search *search)
{
	unsigned counts[WG_PLAN_COUNTS_MOST];
	size_t count = wg_space_counts(search->max_gpus, counts), first = 0;
	while (first < count && counts[first] < search->least_gpus) {
		first++;
	}
	for (size_t i = 0; i < search->gpu_count; i++) {
		for (unsigned f = 0; f < WG_WEIGHTS_COUNT; f++) {
			if (search->weights & (1u << f)) {
				try_format(search, &search->gpus[i], (enum wg_weight_format)f,
				           counts + first, count - first);
			}
		}
	}
}

/* A search of its own with the same estimator: one GPU or all (NULL), other
 * counts or formats. */
bool wg_search_probe(const struct wg_search *search, const struct wg_gpu *gpu, unsigned least,
                     unsigned most, unsigned weights, struct wg_found *ret_best)
{
	struct wg_search probe = *search;
	probe.found = NULL;
	probe.found_count = probe.found_capacity = probe.gpu_count = 0;
	probe.best_only = true;
	probe.least_gpus = least;
	probe.max_gpus = most;
	probe.weights = weights;
	probe.gpus = wg_arena_array(search->arena, search->gpu_count, sizeof probe.gpus[0]);
	if (probe.gpus == NULL) {
		return false;
	}
	for (size_t i = 0; i < search->gpu_count; i++) {
		const struct wg_gpu_result *from = &search->gpus[i];
		if (gpu == NULL || from->gpu == gpu) {
			probe.gpus[probe.gpu_count++] = (struct wg_gpu_result){
				.gpu = from->gpu,
				.prices = from->prices,
				.node_gpus = from->node_gpus,
			};
		}
	}
	wg_search_run(&probe);
	wg_found_sort(probe.found, probe.found_count);
	if (probe.found_count > 0) {
		*ret_best = probe.found[0];
	}
	free(probe.found);
	return probe.found_count > 0;
}
