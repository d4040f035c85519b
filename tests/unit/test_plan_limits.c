/* Limits, what contradicts itself, and what would change the choice. */
#include "plan_fixture.h"

/* --- limits ------------------------------------------------------------------ */

static void refuse_all(struct bench *bench, const char *key, const char *words)
{
	struct wg_plans *plans = search(&bench->request);
	assert_int_equal(plans->count, 0);
	assert_int_equal(plans->refused_count, GPUS);
	for (size_t i = 0; i < GPUS; i++) {
		if (strcmp(plans->refused[i].key, key) == 0) {
			check_contains(plans->refused[i].reason, words);
			wg_plans_free(plans);
			return;
		}
	}
	fail_msg("no GPU is refused for \"%s\" but for \"%s\"", key, plans->refused[0].key);
}

static void test_each_limit(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.request.limits = (struct wg_limits){ .max_gpus = 8, .budget_usd = 0.5 };
	refuse_all(&bench, "budget", "budget 0.500 USD");
	bench.request.limits = (struct wg_limits){ .max_gpus = 8, .ttft_s = 0.001 };
	refuse_all(&bench, "ttft", "limit 1.00 ms");
	bench.request.limits = (struct wg_limits){ .max_gpus = 8, .tpot_s = 0.001 };
	refuse_all(&bench, "tpot", "a token, limit 1.00 ms");
	bench.request.limits = (struct wg_limits){ .max_gpus = 8, .tokens_per_s = 1e6 };
	refuse_all(&bench, "tokens_per_s", "1,000,000 wanted");
	bench.request.limits = (struct wg_limits){ .max_gpus = 8, .watts = 300 };
	refuse_all(&bench, "watts", "limit 300 W");
	bench.request.work = (struct wg_work){ .task = WG_TASK_QLORA, .total_tokens = 1e9 };
	bench.request.limits = (struct wg_limits){ .max_gpus = 8, .deadline_s = 60 };
	refuse_all(&bench, "deadline", "deadline 60.0 s");
	bench.request.limits = (struct wg_limits){ .max_gpus = 8, .run_budget_usd = 1 };
	refuse_all(&bench, "run_budget", "budget 1.00 USD");
	bench_close(&bench);
}

/* 24-GB cards are rented as single machines: no training over three of them,
 * though independent copies of a small model may stand apart. */
static void test_single_machines(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.request.work = (struct wg_work){ .task = WG_TASK_FINETUNE };
	bench.request.limits.max_gpus = 64;
	struct wg_plans *plans = search(&bench.request);
	for (size_t i = 0; i < plans->count; i++) {
		assert_true(plans->plans[i].rent.provider_class != WG_PROVIDER_MARKETPLACE ||
		            plans->plans[i].estimate.layout.nodes == 1);
	}
	assert_string_equal(refusal_of(plans, "rtx-4090")->key, "fabric");
	check_contains(refusal_of(plans, "rtx-4090")->reason, "offered as single machines");
	wg_plans_free(plans);
	/* bought, they may be joined, and the network is paid for */
	bench.request.price.pay = WG_PAY_BUY;
	plans = search(&bench.request);
	const struct wg_plan *plan = plan_of(plans, "rtx-4090");
	assert_non_null(plan);
	assert_true(plan->estimate.layout.nodes > 1);
	assert_true(plan->cost.usd_per_hour.likely / plan->estimate.layout.gpus > 0.3);
	wg_plans_free(plans);
	bench_close(&bench);
}

static void contradict(const struct wg_plan_request *request, const char *words)
{
	struct wg_plans *plans = NULL;
	struct wg_error error;
	assert_int_equal(wg_plan_search(request, &plans, &error), WG_BAD_INPUT);
	check_contains(error.message, words);
	assert_null(plans);
}

static void test_contradictions(void **state)
{
	struct bench bench;
	bench_open(&bench);
	struct wg_plan_request request = bench.request;
	request.limits.context_tokens = 1000;
	contradict(&request, "less than input and output, 1300");
	request = bench.request;
	request.limits.deadline_s = 3600;
	contradict(&request, "needs the amount of work");
	request = bench.request;
	request.work.task = WG_TASK_TRAIN;
	request.limits.ttft_s = 1;
	contradict(&request, "no meaning for the task \"train\"");
	request = bench.request;
	request.book = NULL;
	request.limits.budget_usd = 5;
	contradict(&request, "prices are not looked at");
	request.limits.budget_usd = 0;
	request.objective = WG_OBJECTIVE_CHEAPEST;
	contradict(&request, "prices are not looked at");
	request = bench.request;
	request.vendor = "AMD";
	contradict(&request, "made by NVIDIA, but only AMD");
	bench_close(&bench);
}

/* --- what would change the choice --------------------------------------------- */

/* At the price a flip names, the two tie: checked by searching again with it. */
static void test_price_flip(void **state)
{
	struct bench bench;
	bench_open(&bench);
	struct wg_plans *plans = search(&bench.request);
	const struct wg_flip *flip = &plans->flips[0];
	assert_int_equal(flip->kind, WG_FLIP_PRICE);
	assert_true(flip->then < flip->now);
	const struct wg_plan *next = plan_of(plans, flip->gpu->id);
	double tie = next->score * flip->then / flip->now;
	check_close(tie, plans->plans[0].score, 1e-9);
	check_contains(flip->text, flip->gpu->id);
	wg_plans_free(plans);
	bench_close(&bench);
}

/* The cheapest option that only a limit keeps out is named with that limit. */
static void test_limit_flip(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.request.limits.max_gpus = 8;
	bench.request.limits.tpot_s = 0.05;
	struct wg_plans *plans = search(&bench.request);
	bool named = false;
	for (size_t i = 0; i < plans->flip_count; i++) {
		if (plans->flips[i].kind == WG_FLIP_LIMIT) {
			check_contains(plans->flips[i].text, "a token, limit 50.0 ms");
			assert_true(plans->flips[i].then > 0.05);
			named = true;
		}
	}
	assert_true(named);
	wg_plans_free(plans);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_limit),     cmocka_unit_test(test_single_machines),
		cmocka_unit_test(test_contradictions), cmocka_unit_test(test_price_flip),
		cmocka_unit_test(test_limit_flip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
