/* A range: low..high is the 80 % interval, likely its best single value.
 * Not known is a state of its own. */
#ifndef WHICHGPU_RANGE_H
#define WHICHGPU_RANGE_H

#include <stdbool.h>

struct wg_range {
	double low, likely, high;
	bool known;
};

static inline struct wg_range wg_range_make(double low, double likely, double high)
{
	return (struct wg_range){ .low = low, .likely = likely, .high = high, .known = true };
}

static inline struct wg_range wg_range_exact(double value)
{
	return wg_range_make(value, value, value);
}

static inline struct wg_range wg_range_scale(struct wg_range range, double factor)
{
	return (struct wg_range){ range.low * factor, range.likely * factor, range.high * factor,
	                          range.known };
}

/* 1/x: the ends change places. */
static inline struct wg_range wg_range_inverse(struct wg_range range)
{
	return (struct wg_range){ 1 / range.high, 1 / range.likely, 1 / range.low, range.known };
}

#endif
