/* How fast the search is: layouts evaluated a second on one core, and the wall
 * time of a plan over the whole catalogue up to 64 GPUs. Figures, no verdict:
 * the machine decides. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "whichgpu/plan.h"

static double now_s(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fail(const struct wg_error *error)
{
	fprintf(stderr, "%s\n", error->message);
	exit(1);
}

struct setting {
	struct wg_catalog *catalog;
	struct wg_price_book *book;
	struct wg_model *model;
};

struct cost {
	double wall_s, cpu_s;
	unsigned long long evaluated, skipped;
};

static struct cost measure(const struct setting *setting, enum wg_task task, bool unpruned)
{
	struct wg_plan_request request = {
		.catalog = setting->catalog,
		.book = setting->book,
		.model = setting->model,
		.work = { .task = task },
		.price = { WG_PAY_RENT, WG_PROVIDER_CLASS_COUNT },
		.limits = { .max_gpus = WG_PLAN_MOST_GPUS },
		.unpruned = unpruned,
	};
	struct wg_plans *plans = NULL;
	struct wg_error error;
	double wall = now_s(CLOCK_MONOTONIC), cpu = now_s(CLOCK_PROCESS_CPUTIME_ID);
	if (wg_plan_search(&request, &plans, &error) != WG_OK) {
		fail(&error);
	}
	struct cost cost = {
		.wall_s = now_s(CLOCK_MONOTONIC) - wall,
		.cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu,
		.evaluated = plans->layouts_evaluated,
		.skipped = plans->layouts_skipped,
	};
	wg_plans_free(plans);
	return cost;
}

/* The least disturbed of several runs. */
static void report(const struct setting *setting, enum wg_task task, bool unpruned)
{
	struct cost best = measure(setting, task, unpruned);
	for (int i = 0; i < 4; i++) {
		struct cost cost = measure(setting, task, unpruned);
		best.wall_s = cost.wall_s < best.wall_s ? cost.wall_s : best.wall_s;
		best.cpu_s = cost.cpu_s < best.cpu_s ? cost.cpu_s : best.cpu_s;
	}
	printf("%-9s %-9s evaluated %7llu skipped %7llu wall %6.1f ms cpu %6.1f ms %9.0f layouts/s\n",
	       wg_task_key(task), unpruned ? "unpruned" : "pruned", best.evaluated, best.skipped,
	       best.wall_s * 1e3, best.cpu_s * 1e3, (double)best.evaluated / best.cpu_s);
}

int main(int argc, char **argv)
{
	struct setting setting = { 0 };
	struct wg_error error;
	/* argv[1] is the program, which other benchmarks run */
	const char *model = argc > 2 ? argv[2] : "llama-3.1-70b";
	if (wg_catalog_open(NULL, &setting.catalog, &error) != WG_OK ||
	    wg_price_book_open(&setting.book, &error) != WG_OK ||
	    wg_model_open(model, NULL, &setting.model, &error) != WG_OK) {
		fail(&error);
	}
	printf("%s, %zu GPUs, up to %d of each\n", model, wg_catalog_count(setting.catalog),
	       WG_PLAN_MOST_GPUS);
	for (unsigned task = 0; task < WG_TASK_SCIENCE; task++) {
		report(&setting, (enum wg_task)task, true);
		report(&setting, (enum wg_task)task, false);
	}
	wg_model_free(setting.model);
	wg_price_book_free(setting.book);
	wg_catalog_free(setting.catalog);
	return 0;
}
