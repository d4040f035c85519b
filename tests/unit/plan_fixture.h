/* What the tests of the plan module share: four GPUs with the book's prices and
 * a 70B model. */
#ifndef WG_TEST_PLAN_FIXTURE_H
#define WG_TEST_PLAN_FIXTURE_H

#include "check.h"
#include "estimate_fixtures.h"
#include "plan/search.h"

enum { GPUS = 4 };

/* Four GPUs with the book's prices, and a 70B model. */
struct bench {
	struct wg_gpu gpus[GPUS];
	const struct wg_gpu *list[GPUS];
	struct wg_model *model;
	struct wg_price_book *book;
	struct wg_plan_request request;
};

static inline void bench_open(struct bench *bench)
{
	struct wg_error error;
	*bench = (struct bench){ .gpus = { gpu_of(&rtx_4090), gpu_of(&a100), gpu_of(&h100),
		                           gpu_of(&rtx_3090) } };
	for (size_t i = 0; i < GPUS; i++) {
		bench->list[i] = &bench->gpus[i];
	}
	bench->model = llama_70b();
	assert_non_null(bench->model);
	check_status(wg_price_book_open(&bench->book, &error), WG_OK, &error);
	bench->request = (struct wg_plan_request){
		.book = bench->book,
		.model = bench->model,
		.gpus = bench->list,
		.gpu_count = GPUS,
		.work = { .task = WG_TASK_SERVE,
		          .input_tokens = 1000,
		          .output_tokens = 300,
		          .concurrency = 32 },
		.price = { WG_PAY_RENT, WG_PROVIDER_CLASS_COUNT },
	};
}

static inline void bench_close(struct bench *bench)
{
	wg_model_free(bench->model);
	wg_price_book_free(bench->book);
}

static inline struct wg_plans *search(const struct wg_plan_request *request)
{
	struct wg_plans *plans = NULL;
	struct wg_error error;
	check_status(wg_plan_search(request, &plans, &error), WG_OK, &error);
	return plans;
}

static inline const struct wg_plan *plan_of(const struct wg_plans *plans, const char *gpu)
{
	for (size_t i = 0; i < plans->count; i++) {
		if (strcmp(plans->plans[i].gpu->id, gpu) == 0) {
			return &plans->plans[i];
		}
	}
	return NULL;
}

static inline const struct wg_plan_refusal *refusal_of(const struct wg_plans *plans,
                                                       const char *gpu)
{
	for (size_t i = 0; i < plans->refused_count; i++) {
		if (strcmp(plans->refused[i].gpu->id, gpu) == 0) {
			return &plans->refused[i];
		}
	}
	return NULL;
}

#endif
