/* The 80 % range of a number from the spreads of what it is made of.
 *
 * The terms' spreads are independent, so the relative half-width of a time is
 * the root of the sum of (share x spread)^2, and the engine's form spread -
 * what is left when every term is right - comes on top in the same way. A rate
 * is a ratio, so the range is likely / (1 + w) .. likely x (1 + w). */
#include <math.h>

#include "estimate/internal.h"

double wg_times_sum(const struct times *times)
{
	double sum = 0;

	for (int i = 0; i < WG_TIME_TERM_COUNT; i++)
		sum += times->term[i];
	return sum;
}

void wg_times_add(struct times *target, const struct times *more, double factor)
{
	for (int i = 0; i < WG_TIME_TERM_COUNT; i++)
		target->term[i] += factor * more->term[i];
}

double wg_times_spread(const struct device *device, const struct times *times, double form)
{
	double by_bound[4] = { 0 };
	double sum = 0, variance = form * form;

	for (int i = 0; i < WG_TIME_TERM_COUNT; i++) {
		by_bound[wg_time_term_bound((enum wg_time_term)i)] += times->term[i];
		sum += times->term[i];
	}
	if (!(sum > 0))
		return form;
	for (int i = 0; i < 4; i++) {
		double part = by_bound[i] / sum * device->spread[i];

		variance += part * part;
	}
	return sqrt(variance);
}

struct wg_range wg_range_around(double likely, double spread)
{
	return wg_range_make(likely / (1 + spread), likely, likely * (1 + spread));
}
