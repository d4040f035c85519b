/* Prints how many layouts a second one core judges (of its own time: others may
 * run on the machine). */
#include <stdio.h>
#include <time.h>

#include "../unit/estimate_fixtures.h"

#define RUNS 400000

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(const char *what, const struct wg_model *model, struct wg_work work,
                    const struct wg_layout layouts[4])
{
	struct wg_estimator *estimator = NULL;
	struct wg_gpu gpu = gpu_of(&h100);
	struct wg_estimate estimate;
	unsigned feasible = 0;
	double start, seconds;

	if (wg_estimator_open(model, &work, NULL, &estimator, NULL) != WG_OK ||
	    wg_estimator_prepare(estimator, &gpu, NULL) != WG_OK) {
		fprintf(stderr, "%s: cannot open the estimator\n", what);
		return;
	}
	start = now_s();
	for (int i = 0; i < RUNS; i++) {
		wg_estimator_run(estimator, &gpu, &layouts[i & 3], WG_WEIGHTS_BF16, 2, &estimate);
		feasible += estimate.feasible;
	}
	seconds = now_s() - start;
	printf("%-24s %9.0f layouts/s (%.0f %% feasible)\n", what, RUNS / seconds,
	       100.0 * feasible / RUNS);
	wg_estimator_free(estimator);
}

int main(void)
{
	const struct wg_layout serving[4] = { layout_of(4, 1, 1), layout_of(8, 1, 1),
		                              layout_of(4, 1, 2), layout_of(4, 2, 2) };
	const struct wg_layout training[4] = { layout_of(8, 4, 2), layout_of(8, 8, 1),
		                               layout_of(8, 4, 4), layout_of(4, 8, 4) };
	struct wg_model *model = llama_70b();

	if (model == NULL)
		return 1;
	measure("serve llama-3.1-70b", model,
	        (struct wg_work){ .task = WG_TASK_SERVE,
	                          .input_tokens = 1000,
	                          .output_tokens = 300,
	                          .concurrency = 32 },
	        serving);
	measure("train llama-3.1-70b", model, (struct wg_work){ .task = WG_TASK_TRAIN }, training);
	wg_model_free(model);
	return 0;
}
