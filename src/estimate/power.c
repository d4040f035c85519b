/* Watts under a load: each kind of work draws its own share of the board's
 * limit (ML.ENERGY leaderboard: serving an H100 draws 0.71 at the median),
 * weighted by the time it takes; never over the limit. */
#include <math.h>

#include "estimate/internal.h"

#define POWER_SPREAD 0.15 /* estimates from the limit, calibrated: 11 % median miss */

struct wg_range wg_power_watts(const struct run *run, const struct times *times, double gpus)
{
	const struct device *device = run->device;
	double sum = 0, level = 0;
	struct wg_range range;

	if (!(device->board_watts > 0))
		return (struct wg_range){ 0 };
	for (int i = 0; i < WG_TIME_TERM_COUNT; i++) {
		enum wg_bound bound = wg_time_term_bound((enum wg_time_term)i);

		sum += times->term[i];
		level += times->term[i] * device->power_level[bound];
	}
	level = sum > 0 ? level / sum : device->power_idle;
	range = wg_range_around(level * device->board_watts * gpus, POWER_SPREAD);
	range.high = smaller(range.high, device->board_watts * gpus);
	range.low = larger(range.low, device->power_idle * device->board_watts * gpus);
	return range;
}
