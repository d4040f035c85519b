/* Scientific kernels: a roofline by FLOP per byte (Williams et al. 2009) on
 * the vector or matrix rate of FP64 or FP32, and the traffic between GPUs. */
#include <math.h>

#include "estimate/kernel_time.h"

/* Share of traffic that crosses between GPUs when the data is divided over n:
 * of what is streamed once. */
enum sharing { SHARE_NONE, SHARE_SURFACE, SHARE_ALL_TO_ALL, SHARE_PANELS, SHARE_GATHER };

static const struct kernel {
	double flop_per_byte_64;         /* with 8-byte numbers; half the bytes with 4 */
	double rate_share, memory_share; /* of the reachable rate and bandwidth */
	bool matrix;                     /* runs on the matrix units where there are any */
	enum sharing sharing;
} kernels[WG_SCIENCE_COUNT] = {
	/* triad a = b + s c: 2 FLOP on 24 bytes (McCalpin 1995) */
	[WG_SCIENCE_STREAM] = { 2.0 / 24, 1.0, 1.0, false, SHARE_NONE },
	/* blocked product at n = 8192: 2 n^3 on 4 n^2 x 8 bytes */
	[WG_SCIENCE_DGEMM] = { 8192.0 / 16, 0.92, 1.0, true, SHARE_PANELS },
	/* 5 N log2 N on 2 passes of read and write, 16 bytes, N = 2^24 */
	[WG_SCIENCE_FFT] = { 5.0 * 24 / (2 * 2 * 16), 0.5, 0.85, false, SHARE_ALL_TO_ALL },
	/* CSR: 2 FLOP on 8 value, 4 index bytes and a share of the vectors */
	[WG_SCIENCE_SPMV] = { 2.0 / 13.5, 0.5, 0.75, false, SHARE_SURFACE },
	/* 7-point Jacobi, each value read and written once: 8 FLOP on 16 bytes */
	[WG_SCIENCE_STENCIL] = { 8.0 / 16, 0.7, 0.85, false, SHARE_SURFACE },
	/* all pairs, 20 FLOP an interaction, tiles in shared memory: 20 x 256 on 32 bytes */
	[WG_SCIENCE_NBODY] = { 20.0 * 256 / 32, 0.6, 1.0, false, SHARE_GATHER },
	[WG_SCIENCE_GIVEN] = { 0, 0.8, 0.9, false, SHARE_SURFACE },
};

static double bytes_of(enum wg_rate rate)
{
	return rate == WG_RATE_FP64 || rate == WG_RATE_FP64_TENSOR ? 8 : 4;
}

/* The rate asked for, or the matrix units' where the kernel can use them. */
static double peak_flops(const struct device *device, enum wg_rate rate, bool matrix)
{
	double vector =
		bytes_of(rate) > 4 ? device->peak[WG_RATE_FP64] : device->peak[WG_RATE_FP32];
	double units = bytes_of(rate) > 4 ? device->peak[WG_RATE_FP64_TENSOR]
	                                  : device->peak[WG_RATE_FP32_MATRIX];

	return (matrix || !(vector > 0)) && units > vector ? units : vector;
}

bool wg_science_memory(const struct run *run, struct wg_memory *ret_memory,
                       struct wg_refusal *ret_refusal)
{
	const struct wg_work *work = &run->estimator->work;
	const struct coefficient *profile = run->device->profile;
	struct wg_memory memory = { .available_bytes = profile[ENGINE_UTILISATION].value *
		                                       run->device->memory_bytes };

	memory.terms[WG_MEMORY_WORKSPACE] = work->science_bytes / run->layout.gpus;
	memory.terms[WG_MEMORY_FRAMEWORK] = profile[ENGINE_FRAMEWORK_BYTES].value;
	memory.total_bytes = memory.terms[WG_MEMORY_WORKSPACE] + memory.terms[WG_MEMORY_FRAMEWORK];
	memory.fits = memory.total_bytes <= memory.available_bytes;
	*ret_memory = memory;
	if (!memory.fits) {
		*ret_refusal = (struct wg_refusal){ WG_REFUSAL_MEMORY, memory.total_bytes,
			                            memory.available_bytes };
		return false;
	}
	if (!(peak_flops(run->device, work->science_rate, kernels[work->kernel].matrix) > 0)) {
		*ret_refusal = (struct wg_refusal){ .kind = WG_REFUSAL_RATE };
		return false;
	}
	return true;
}

/* Times the data is exchanged while each GPU does `flop` and streams `streamed`
 * bytes of its part. What sweeps over its data exchanges once a sweep; what uses
 * its data many times - a product, all pairs - once for the whole operation, and
 * a transform transposes twice while it streams its data four times. */
static double exchanges(enum sharing sharing, double flop, double streamed, double local, double n,
                        double element_bytes)
{
	double order, bodies;

	switch (sharing) {
	case SHARE_PANELS:
		/* three matrices of order x order: 2 order^3 in all */
		order = sqrt(local * n / (3 * element_bytes));
		return flop / (2 * order * order * order / n);
	case SHARE_GATHER:
		/* 4 numbers a body, 20 FLOP a pair */
		bodies = local * n / (4 * element_bytes);
		return flop / (20 * bodies * bodies / n);
	case SHARE_ALL_TO_ALL:
		return streamed / local / 2;
	default:
		return streamed / local;
	}
}

/* Seconds a GPU spends exchanging, of n GPUs. */
static double exchange_s(const struct run *run, enum sharing sharing, double flop, double streamed)
{
	const struct wg_work *work = &run->estimator->work;
	double n = run->layout.gpus, data = work->science_bytes;
	double local = larger(1, (data > 0 ? data : run->device->memory_bytes / 2) / n);
	double times = exchanges(sharing, flop, streamed, local, n, bytes_of(work->science_rate));

	if (n <= 1)
		return 0;
	switch (sharing) {
	case SHARE_SURFACE:
		/* six faces of a cube of 8-byte values */
		return times * wg_link_send(run, 1, 6 * 8 * pow(local / 8, 2.0 / 3));
	case SHARE_ALL_TO_ALL:
		return times * wg_link_all_to_all(run, n, 1, local);
	case SHARE_GATHER:
		return times * wg_link_all_gather(run, n, 1, local * n);
	case SHARE_PANELS:
		return times * wg_link_all_gather(run, n, 1, local * sqrt(n));
	default:
		return 0;
	}
}

void wg_science_run(const struct run *run, struct wg_estimate *estimate)
{
	const struct wg_work *work = &run->estimator->work;
	const struct device *device = run->device;
	const struct kernel *kernel = &kernels[work->kernel];
	double intensity = kernel->flop_per_byte_64 * 8 / bytes_of(work->science_rate);
	double flop = work->total_flop > 0 ? work->total_flop : 1e18;
	double share, compute, memory, exchange, spread, rate;
	struct times times = { 0 };

	if (work->kernel == WG_SCIENCE_GIVEN)
		intensity = work->flop_per_byte > 0 ? work->flop_per_byte : 1;
	share = flop / run->layout.gpus;
	compute = share / (peak_flops(device, work->science_rate, kernel->matrix) * device->vector *
	                   kernel->rate_share);
	memory = share / intensity / (device->bytes_per_s * kernel->memory_share);
	times.term[compute > memory ? WG_TIME_MATMUL_COMPUTE : WG_TIME_ELEMENTWISE] =
		smooth_maximum(compute, memory);
	exchange = exchange_s(run, kernel->sharing, share, share / intensity);
	times.term[WG_TIME_DATA_LINK] = larger(0, exchange - device->profile[ENGINE_OVERLAP].value *
	                                                             larger(compute, memory));
	spread = wg_times_spread(device, &times, device->form_spread);
	rate = flop / wg_times_sum(&times);
	for (int i = 0; i < WG_TIME_TERM_COUNT; i++)
		estimate->time_terms[i] = times.term[i];
	estimate->metrics.flop_per_s = wg_range_around(rate, spread);
	if (work->total_flop > 0)
		estimate->metrics.hours_total = wg_range_around(flop / rate / 3600, spread);
	estimate->watts = wg_power_watts(run, &times, run->layout.gpus);
}
