/* The layouts that a number of GPUs leaves open. */
#include "cli/estimate.h"

#include <string.h>

struct search {
	const struct estimate_inputs *inputs;
	struct wg_estimate best;
	double best_rate;
	bool any;
};

static bool trains(const struct estimate_inputs *inputs)
{
	enum wg_task task = wg_estimator_work(inputs->estimator)->task;

	return task != WG_TASK_SERVE && task != WG_TASK_BATCH;
}

static double rate_of(const struct wg_estimate *estimate)
{
	const struct wg_metrics *metrics = &estimate->metrics;

	if (!estimate->feasible)
		return -1;
	if (metrics->tokens_per_s.known)
		return metrics->tokens_per_s.likely;
	if (metrics->samples_per_s.known)
		return metrics->samples_per_s.likely;
	return metrics->output_tokens_per_s.likely;
}

/* Of refused layouts the one that needs least is kept: its reason is the one
 * that matters. A reason of memory says more than one of form. */
static bool nearer(const struct wg_estimate *a, const struct wg_estimate *b)
{
	bool a_memory = a->memory.total_bytes > 0, b_memory = b->memory.total_bytes > 0;

	if (a_memory != b_memory)
		return a_memory;
	return a_memory && a->memory.total_bytes < b->memory.total_bytes;
}

static void try_layout(struct search *search, const struct wg_layout *layout)
{
	const struct estimate_inputs *inputs = search->inputs;
	struct wg_estimate estimate;
	double rate;
	bool better;

	wg_estimator_run(inputs->estimator, inputs->gpu, layout, inputs->weights,
	                 inputs->kv_element_bytes, &estimate);
	rate = rate_of(&estimate);
	if (estimate.feasible || search->best.feasible)
		better = rate > search->best_rate;
	else
		better = nearer(&estimate, &search->best);
	if (search->any && !better)
		return;
	search->any = true;
	search->best = estimate;
	search->best_rate = rate;
}

static void try_training(struct search *search, struct wg_layout layout)
{
	const struct estimate_inputs *inputs = search->inputs;

	for (int zero = 0; zero <= 3; zero++) {
		if (inputs->zero_stage >= 0 ? zero != inputs->zero_stage
		                            : zero > 0 && layout.data == 1)
			continue;
		for (int recompute = 0; recompute <= 2; recompute++) {
			if (inputs->recompute >= 0 && recompute != inputs->recompute)
				continue;
			layout.zero_stage = (unsigned)zero;
			layout.recompute = (unsigned)recompute;
			try_layout(search, &layout);
		}
	}
}

static void try_experts(struct search *search, struct wg_layout layout)
{
	const struct estimate_inputs *inputs = search->inputs;
	unsigned degrees[2] = { 1, layout.tensor * layout.data };

	for (int i = 0; i < 2; i++) {
		if (i == 1 && degrees[1] == 1)
			continue;
		layout.expert = inputs->expert > 0 ? inputs->expert : degrees[i];
		if (trains(inputs))
			try_training(search, layout);
		else
			try_layout(search, &layout);
		if (inputs->expert > 0)
			return;
	}
}

static bool open_or(unsigned given, unsigned value)
{
	return given == 0 || given == value;
}

void estimate_best(const struct estimate_inputs *inputs, struct wg_estimate *ret_estimate)
{
	struct search search = { .inputs = inputs };
	unsigned gpus = inputs->gpus;

	for (unsigned tensor = 1; tensor <= gpus; tensor++) {
		if (gpus % tensor != 0 || !open_or(inputs->tensor, tensor))
			continue;
		for (unsigned pipeline = 1; pipeline <= gpus / tensor; pipeline++) {
			unsigned data = gpus / tensor / pipeline;

			if (tensor * pipeline * data != gpus ||
			    !open_or(inputs->pipeline, pipeline) || !open_or(inputs->data, data))
				continue;
			try_experts(&search, (struct wg_layout){ .gpus = gpus,
			                                         .nodes = inputs->nodes,
			                                         .tensor = tensor,
			                                         .pipeline = pipeline,
			                                         .data = data });
		}
	}
	if (!search.any) {
		/* degrees that do not multiply to the GPUs: the estimator says so */
		struct wg_layout layout = { .gpus = gpus,
			                    .nodes = inputs->nodes,
			                    .tensor = inputs->tensor > 0 ? inputs->tensor : 1,
			                    .pipeline = inputs->pipeline > 0 ? inputs->pipeline : 1,
			                    .data = inputs->data > 0 ? inputs->data : 1,
			                    .expert = 1 };

		try_layout(&search, &layout);
	}
	*ret_estimate = search.best;
}
