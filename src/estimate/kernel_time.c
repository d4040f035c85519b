/* Time of single operators on one GPU (docs/estimator.md, Operators). */
#include <math.h>

#include "estimate/kernel_time.h"

double wg_context_pairs(double n, double r, double window, bool causal)
{
	double growing;

	if (!causal) {
		double context = n + r;

		return n * (window > 0 ? smaller(context, 2 * window) : context);
	}
	if (window <= 0 || r + n <= window)
		return n * r + n * (n + 1) / 2;
	if (r >= window)
		return n * window;
	growing = window - r;
	return growing * r + growing * (growing + 1) / 2 + (n - growing) * window;
}

void wg_matrix_time(const struct run *run, double rows, double inner, double columns, double repeat,
                    double element_bytes, struct times *times)
{
	const struct device *device = run->device;
	double elements = inner * columns, compute, read;

	if (!(elements > 0) || !(rows > 0))
		return;
	compute = 2 * rows * elements /
	          (run->flops_per_s * matrix_shape(device->units, rows, inner, columns));
	read = elements * element_bytes / device->bytes_per_s;
	times->term[compute > read ? WG_TIME_MATMUL_COMPUTE : WG_TIME_WEIGHT_READ] +=
		repeat * smooth_maximum(compute, read);
}

void wg_core_time(const struct run *run, double flops, double bytes, double repeat,
                  struct times *times)
{
	double compute = flops / run->attention_flops_per_s;
	double read = bytes / run->device->bytes_per_s;

	times->term[compute > read ? WG_TIME_ATTENTION_COMPUTE : WG_TIME_KV_READ] +=
		repeat * smooth_maximum(compute, read);
}
