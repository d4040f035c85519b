/* Time of single operators on one GPU. */
#ifndef WHICHGPU_ESTIMATE_KERNEL_TIME_H
#define WHICHGPU_ESTIMATE_KERNEL_TIME_H

#include <math.h>

#include "estimate/internal.h"

/* A library's smallest usual tile of a product, and the inner length at which
 * half the rate is reached. Together they give the fall-off of small products:
 * on average half a wave of tiles is lost (docs/estimator.md, "Matrices"). */
#define TILE 64.0
#define ROWS_LEAST 16.0
#define WAVE_LOSS 0.5
#define INNER_HALF 128.0

/* A maximum without the corner: at the knee, where both are equal, an operator
 * takes 1.19 times either. */
static inline double smooth_maximum(double a, double b)
{
	double a2 = a * a, b2 = b * b;

	return sqrt(sqrt(a2 * a2 + b2 * b2));
}

/* Fraction of the large-product rate that a product of rows x inner by inner x
 * columns reaches on so many units. */
static inline double matrix_shape(double units, double rows, double inner, double columns)
{
	double tiles = larger(rows, ROWS_LEAST) * columns / (TILE * TILE);

	return tiles / (tiles + WAVE_LOSS * units) * (inner / (inner + INNER_HALF));
}

/* Adds `repeat` products whose weights are read once. */
void wg_matrix_time(const struct run *run, double rows, double inner, double columns, double repeat,
                    double element_bytes, struct times *times);
/* Adds `repeat` attention cores or state updates. */
void wg_core_time(const struct run *run, double flops, double bytes, double repeat,
                  struct times *times);

#endif
