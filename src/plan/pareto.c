/* The Pareto set: options that no other beats in both money and speed. */
#include "plan/search.h"

#include <stdlib.h>
#include <string.h>

/* By money, the faster one first at equal money. */
static int compare(const void *left, const void *right)
{
	const struct wg_found *a = left, *b = right;
	if (a->usd_per_hour != b->usd_per_hour) {
		return a->usd_per_hour < b->usd_per_hour ? -1 : 1;
	}
	if (a->speed != b->speed) {
		return a->speed > b->speed ? -1 : 1;
	}
	return strcmp(a->gpu->id, b->gpu->id);
}

size_t wg_found_pareto(struct wg_found *found, size_t count)
{
	size_t stay = 0;
	double fastest = 0;
	if (count > 1) {
		qsort(found, count, sizeof *found, compare);
	}
	for (size_t i = 0; i < count; i++) {
		if (found[i].priced && found[i].speed > fastest) {
			fastest = found[i].speed;
			if (stay != i) {
				found[stay] = found[i];
			}
			stay++;
		}
	}
	return stay;
}
