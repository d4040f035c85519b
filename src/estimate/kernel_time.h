/* Time of single operators on one GPU. */
#ifndef WHICHGPU_ESTIMATE_KERNEL_TIME_H
#define WHICHGPU_ESTIMATE_KERNEL_TIME_H

#include "estimate/internal.h"

/* Fraction of the large-product rate that a product of rows x inner by inner x
 * columns reaches on so many units. */
double matrix_shape(double units, double rows, double inner, double columns);
/* Adds `repeat` products whose weights are read once. */
void matrix_time(const struct run *run, double rows, double inner, double columns, double repeat,
                 double element_bytes, struct times *times);
/* Adds `repeat` attention cores or state updates. */
void core_time(const struct run *run, double flops, double bytes, double repeat,
               struct times *times);

#endif
