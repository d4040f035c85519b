/* The order of the options. */
#include "plan/search.h"

#include <stdlib.h>
#include <string.h>

/* Options with a price and the assumed latency come first; then the score
 * (USD, or minus the speed), then fewer GPUs, more speed, less power, the name. */
static int order(const struct wg_found *a, const struct wg_found *b)
{
	if (a->within_usual != b->within_usual) {
		return a->within_usual ? -1 : 1;
	}
	if (a->priced != b->priced) {
		return a->priced ? -1 : 1;
	}
	if (a->score != b->score) {
		return a->score < b->score ? -1 : 1;
	}
	if (a->estimate.layout.gpus != b->estimate.layout.gpus) {
		return a->estimate.layout.gpus < b->estimate.layout.gpus ? -1 : 1;
	}
	if (a->speed != b->speed) {
		return a->speed > b->speed ? -1 : 1;
	}
	if (a->estimate.watts.likely != b->estimate.watts.likely) {
		return a->estimate.watts.likely < b->estimate.watts.likely ? -1 : 1;
	}
	return strcmp(a->gpu->id, b->gpu->id);
}

bool wg_found_is_better(const struct wg_found *a, const struct wg_found *b)
{
	return order(a, b) < 0;
}

static int compare(const void *left, const void *right)
{
	const struct wg_found *a = left, *b = right;
	int by_order = order(a, b);
	return by_order != 0 ? by_order
	                     : (int)a->estimate.format.weights - (int)b->estimate.format.weights;
}

void wg_found_sort(struct wg_found *found, size_t count)
{
	if (count > 1) {
		qsort(found, count, sizeof *found, compare);
	}
}
