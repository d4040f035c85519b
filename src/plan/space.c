/* The space of the search: how many GPUs, laid out how. */
#include "plan/search.h"

/* Below a node every count that divides something; above it whole nodes. */
size_t wg_space_counts(unsigned most, unsigned counts[WG_PLAN_COUNTS_MOST])
{
	static const unsigned usual[] = { 1,  2,  3,  4,  5,  6,  7,  8,  10, 12,
		                          14, 16, 20, 24, 28, 32, 40, 48, 56, 64 };
	size_t count = 0;
	for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
		if (usual[i] <= most) {
			counts[count++] = usual[i];
		}
	}
	for (unsigned more = 128; more <= most && count < WG_PLAN_COUNTS_MOST; more *= 2) {
		counts[count++] = more;
	}
	/* the limit itself is always tried */
	if (count > 0 && counts[count - 1] != most && count < WG_PLAN_COUNTS_MOST) {
		counts[count++] = most;
	}
	return count;
}

struct output {
	struct wg_layout *layouts;
	size_t count, capacity;
};

static void put(struct output *output, const struct wg_layout *layout)
{
	if (output->count < output->capacity) {
		output->layouts[output->count++] = *layout;
	}
}

static bool is_training(enum wg_task task)
{
	return task == WG_TASK_TRAIN || task == WG_TASK_FINETUNE || task == WG_TASK_LORA ||
	       task == WG_TASK_QLORA;
}

/* Training: every sharding stage that works with the pipeline, and every
 * amount of recomputation. */
static void put_training(struct output *output, struct wg_layout layout)
{
	unsigned stages = layout.data == 1 ? 0 : layout.pipeline > 1 ? 1 : 3;
	for (unsigned zero = 0; zero <= stages; zero++) {
		for (unsigned recompute = 0; recompute <= 2; recompute++) {
			layout.zero_stage = zero;
			layout.recompute = recompute;
			put(output, &layout);
		}
	}
}

/* Experts whole on every copy, spread over a tensor group, or over all of
 * tensor x data. */
static void put_experts(struct output *output, const struct wg_space *space,
                        struct wg_layout layout)
{
	unsigned degrees[3] = { 1, layout.tensor, layout.tensor * layout.data };
	for (unsigned i = 0; i < 3; i++) {
		bool repeated = i > 0 && degrees[i] == degrees[i - 1];
		bool possible =
			degrees[i] == 1 || (space->experts > 0 && space->experts % degrees[i] == 0);
		if (repeated || !possible) {
			continue;
		}
		layout.expert = degrees[i];
		if (is_training(space->task)) {
			put_training(output, layout);
		} else {
			put(output, &layout);
		}
	}
}

/* Least number of nodes of that size that share the GPUs evenly; 0: none. */
static unsigned nodes_for(unsigned gpus, unsigned node_gpus)
{
	for (unsigned nodes = (gpus + node_gpus - 1) / node_gpus; nodes <= gpus; nodes++) {
		if (gpus % nodes == 0) {
			return nodes;
		}
	}
	return 0;
}

size_t wg_space_layouts(const struct wg_space *space, unsigned gpus, unsigned node_gpus,
                        struct wg_layout *layouts, size_t capacity)
{
	struct output output = { layouts, 0, capacity };
	unsigned nodes = nodes_for(gpus, node_gpus);
	struct wg_layout layout = { .gpus = gpus, .nodes = nodes, .expert = 1 };
	if (nodes == 0) {
		return 0;
	}
	if (space->task == WG_TASK_SCIENCE) {
		layout.tensor = layout.pipeline = 1;
		layout.data = gpus;
		put(&output, &layout);
		return output.count;
	}
	/* a tensor group stays inside a node: its all-reduces happen twice a layer */
	for (unsigned tensor = 1; tensor <= gpus / nodes; tensor++) {
		if (gpus % tensor != 0) {
			continue;
		}
		for (unsigned pipeline = 1; pipeline <= gpus / tensor; pipeline++) {
			unsigned rest = gpus / tensor;
			layout.tensor = tensor;
			layout.pipeline = pipeline;
			layout.data = rest / pipeline;
			bool possible = rest % pipeline == 0 &&
			                (pipeline == 1 || pipeline <= space->layers) &&
			                (layout.data == 1 || layout.data <= space->copies_most);
			if (possible) {
				put_experts(&output, space, layout);
			}
		}
	}
	return output.count;
}
