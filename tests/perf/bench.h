/* Benchmarks: small programs that print figures and never fail for being slow.
 * `meson test -C build --benchmark -v` runs them.
 *
 *	BENCH("parse 1 MB", 200, parse(text));     200 ms of repeated calls
 *
 * prints the best and the median time of a call. The best is the figure to
 * compare: other work on the machine only ever adds to it. */
#ifndef WG_TESTS_BENCH_H
#define WG_TESTS_BENCH_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define BENCH_SAMPLES 10000

static inline double bench_now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct bench {
	const char *name;
	double samples[BENCH_SAMPLES];
	size_t count;
	double until_s, started_s;
};

static inline void bench_begin(struct bench *bench, const char *name, double milliseconds)
{
	bench->name = name;
	bench->count = 0;
	bench->until_s = bench_now_s() + milliseconds / 1000;
}

/* True while there is another call to time; the first is always made. */
static inline int bench_next(struct bench *bench)
{
	double now = bench_now_s();
	if (bench->count > 0 && bench->count <= BENCH_SAMPLES)
		bench->samples[bench->count - 1] = now - bench->started_s;
	if (bench->count == BENCH_SAMPLES || (bench->count > 0 && now > bench->until_s))
		return 0;
	bench->count++;
	bench->started_s = bench_now_s();
	return 1;
}

/* Prints and returns the best time of a call in seconds. */
static inline double bench_end(struct bench *bench)
{
	qsort(bench->samples, bench->count, sizeof bench->samples[0], bench_compare);
	double best = bench->samples[0], median = bench->samples[bench->count / 2];
	printf("%-40s best %10.3f ms, median %10.3f ms, %zu calls\n", bench->name, best * 1e3,
	       median * 1e3, bench->count);
	return best;
}

/* Runs `call` for that many milliseconds; the result is the best time in s. */
#define BENCH(name, milliseconds, call)                       \
	__extension__({                                       \
		static struct bench bench_;                   \
		bench_begin(&bench_, (name), (milliseconds)); \
		while (bench_next(&bench_)) {                 \
			call;                                 \
		}                                             \
		bench_end(&bench_);                           \
	})

/* How many things a second that is. */
static inline void bench_rate(const char *what, double count, double seconds)
{
	printf("%-40s %.0f a second\n", what, count / seconds);
}

static inline void bench_peak_memory(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("%-40s %.1f MB\n", "peak memory", (double)usage.ru_maxrss / 1024);
}

#endif
