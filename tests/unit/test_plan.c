/* The search: spaces, bounds, what fits, ranks. */
#include "plan_fixture.h"

/* --- space ---------------------------------------------------------------- */

static void test_counts(void **state)
{
	unsigned counts[WG_PLAN_COUNTS_MOST];
	assert_int_equal(wg_space_counts(1, counts), 1);
	assert_int_equal(wg_space_counts(8, counts), 8);
	assert_int_equal(counts[7], 8);
	size_t count = wg_space_counts(11, counts);
	assert_int_equal(counts[count - 1], 11);
	count = wg_space_counts(64, counts);
	assert_int_equal(counts[count - 1], 64);
	count = wg_space_counts(4096, counts);
	assert_int_equal(counts[count - 1], 4096);
	assert_true(count <= WG_PLAN_COUNTS_MOST);
}

/* Every layout is a product, stays in a node, and appears once. */
static void test_layouts(void **state)
{
	static struct wg_layout layouts[WG_PLAN_LAYOUTS_MOST];
	static const enum wg_task tasks[] = { WG_TASK_SERVE, WG_TASK_TRAIN };
	for (size_t t = 0; t < 2; t++) {
		struct wg_space space = { tasks[t], 16, 80, 256 };
		size_t count = wg_space_layouts(&space, 24, 8, layouts, WG_PLAN_LAYOUTS_MOST);
		assert_true(count > 20);
		for (size_t i = 0; i < count; i++) {
			const struct wg_layout *l = &layouts[i];
			assert_int_equal(l->tensor * l->pipeline * l->data, 24);
			assert_int_equal(l->nodes, 3);
			assert_true(l->tensor <= 8 && l->data <= 16);
			assert_int_equal(l->tensor * l->data % l->expert, 0);
			for (size_t k = 0; k < i; k++) {
				assert_memory_not_equal(l, &layouts[k], sizeof *l);
			}
		}
	}
}

/* 8 GPUs: the divisors of 8 in three parts are C(3 + 2, 2) = 10. */
static void test_layout_count(void **state)
{
	struct wg_layout layouts[64];
	struct wg_space space = { WG_TASK_SERVE, 32, 80, 0 };
	assert_int_equal(wg_space_layouts(&space, 8, 8, layouts, 64), 10);
	space.copies_most = 1;
	assert_int_equal(wg_space_layouts(&space, 8, 8, layouts, 64), 4);
	space.layers = 2;
	assert_int_equal(wg_space_layouts(&space, 8, 8, layouts, 64), 2);
	space = (struct wg_space){ WG_TASK_SCIENCE, 1, 1, 0 };
	assert_int_equal(wg_space_layouts(&space, 8, 8, layouts, 64), 1);
	assert_int_equal(layouts[0].data, 8);
	/* 7 GPUs do not divide by two nodes of four: seven nodes of one */
	space = (struct wg_space){ WG_TASK_SERVE, 32, 80, 0 };
	assert_true(wg_space_layouts(&space, 7, 4, layouts, 64) > 0);
	assert_int_equal(layouts[0].nodes, 7);
}

static void test_layout_words(void **state)
{
	char words[96];
	struct wg_layout layout = { 16, 2, 4, 2, 2, 1, 1, 2 };
	wg_layout_write(&layout, words, sizeof words);
	assert_string_equal(words, "tensor 4, pipeline 2, data 2, ZeRO-1, full recompute");
	wg_layout_write_short(&layout, words, sizeof words);
	assert_string_equal(words, "t4 p2 d2 z1 r2");
	layout = (struct wg_layout){ 1, 1, 1, 1, 1, 1, 0, 0 };
	wg_layout_write(&layout, words, sizeof words);
	assert_string_equal(words, "one GPU");
	wg_layout_write_short(&layout, words, sizeof words);
	assert_string_equal(words, "-");
	wg_layout_write(&(struct wg_layout){ 16, 2, 4, 2, 2, 1, 1, 2 }, words, 8);
	assert_string_equal(words, "tensor ");
}

/* --- pruned against unpruned ----------------------------------------------- */

static void check_same(struct wg_plan_request request)
{
	request.unpruned = false;
	struct wg_plans *pruned = search(&request);
	request.unpruned = true;
	struct wg_plans *all = search(&request);
	assert_int_equal(all->layouts_skipped, 0);
	assert_int_equal(pruned->count, all->count);
	for (size_t i = 0; i < all->count; i++) {
		const struct wg_plan *a = &pruned->plans[i], *b = &all->plans[i];
		assert_ptr_equal(a->gpu, b->gpu);
		assert_float_equal(a->score, b->score, 0);
		assert_memory_equal(&a->estimate.layout, &b->estimate.layout,
		                    sizeof a->estimate.layout);
		assert_int_equal(a->estimate.format.weights, b->estimate.format.weights);
	}
	assert_int_equal(pruned->refused_count, all->refused_count);
	wg_plans_free(pruned);
	wg_plans_free(all);
}

static void test_bounds_lose_nothing(void **state)
{
	static const enum wg_objective objectives[] = { WG_OBJECTIVE_WITHIN_LIMITS,
		                                        WG_OBJECTIVE_CHEAPEST,
		                                        WG_OBJECTIVE_FASTEST };
	struct bench bench;
	bench_open(&bench);
	bench.request.limits.max_gpus = 64;
	for (unsigned task = 0; task < WG_TASK_SCIENCE; task++) {
		for (size_t o = 0; o < 3; o++) {
			struct wg_plan_request request = bench.request;
			request.work = (struct wg_work){ .task = (enum wg_task)task };
			request.objective = objectives[o];
			check_same(request);
		}
	}
	bench_close(&bench);
}

static void test_bounds_with_limits(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.request.limits.max_gpus = 32;
	struct wg_plan_request request = bench.request;
	request.weights = 1u << WG_WEIGHTS_BF16 | 1u << WG_WEIGHTS_FP8 | 1u << WG_WEIGHTS_INT4;
	check_same(request);
	request.limits.tokens_per_s = 1000;
	check_same(request);
	request.limits.budget_usd = 12;
	check_same(request);
	request.limits.tpot_s = 0.03;
	check_same(request);
	request.pareto = true;
	check_same(request);
	request.work.concurrency = 1;
	check_same(request);
	request = bench.request;
	request.price.pay = WG_PAY_BUY;
	check_same(request);
	bench_close(&bench);
}

/* --- what fits -------------------------------------------------------------- */

/* 70.6e9 parameters in bf16 are 141.1 GB: not on one card of 80 GB, not on two
 * of 24 GB; 35.3 GB of 4-bit weights and more fit two of 24 GB. */
static void test_70b_needs_room(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.request.limits.max_gpus = 1;
	struct wg_plans *one = search(&bench.request);
	assert_int_equal(one->count, 0);
	assert_string_equal(refusal_of(one, "rtx-4090")->reason,
	                    "needs 141.1 GB for weights alone, has 22.9 GB");
	assert_int_equal(refusal_of(one, "a100-sxm-80gb")->gpus, 1);
	check_contains(refusal_of(one, "a100-sxm-80gb")->reason, "141.1 GB");
	wg_plans_free(one);
	bench.request.limits.max_gpus = 2;
	struct wg_plans *two = search(&bench.request);
	assert_null(plan_of(two, "rtx-4090"));
	assert_int_equal(refusal_of(two, "rtx-4090")->gpus, 2);
	assert_string_equal(refusal_of(two, "rtx-4090")->key, "memory_weights");
	assert_non_null(plan_of(two, "a100-sxm-80gb"));
	wg_plans_free(two);
	bench_close(&bench);
}

static void test_70b_in_4_bit(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.request.limits.max_gpus = 2;
	bench.request.work.concurrency = 1;
	bench.request.weights = 1u << WG_WEIGHTS_INT4;
	struct wg_plans *plans = search(&bench.request);
	const struct wg_plan *plan = plan_of(plans, "rtx-4090");
	assert_non_null(plan);
	assert_int_equal(plan->estimate.layout.gpus, 2);
	assert_false(plan->as_stored);
	/* what is left of 2 x 22.9 GB after 39 GB of weights, at 327,680 bytes a token */
	double context = plan->estimate.memory.largest_context_tokens;
	assert_true(context > 1300 && context < 7e9 / 327680);
	bool said = false;
	for (size_t i = 0; i < plan->why_count; i++) {
		said |= strstr(plan->why[i], "noticeable loss of quality") != NULL;
	}
	assert_true(said);
	/* a context that does not fit is refused with both numbers */
	bench.request.limits.context_tokens = context + 5000;
	struct wg_plans *longer = search(&bench.request);
	assert_null(plan_of(longer, "rtx-4090"));
	assert_string_equal(refusal_of(longer, "rtx-4090")->key, "context");
	check_contains(refusal_of(longer, "rtx-4090")->reason, "holds a context of");
	wg_plans_free(longer);
	wg_plans_free(plans);
	bench_close(&bench);
}

/* Quality is never traded in silence: as stored, and the rest as a hint. */
static void test_stored_precision(void **state)
{
	struct bench bench;
	bench_open(&bench);
	struct wg_plans *plans = search(&bench.request);
	unsigned hints = 0;
	assert_int_equal(plans->stored, WG_WEIGHTS_BF16);
	for (size_t i = 0; i < plans->count; i++) {
		assert_true(plans->plans[i].as_stored);
		assert_int_equal(plans->plans[i].estimate.format.weights, WG_WEIGHTS_BF16);
	}
	for (size_t i = 0; i < plans->flip_count; i++) {
		if (plans->flips[i].kind == WG_FLIP_WEIGHTS) {
			check_contains(plans->flips[i].text, "loss of quality");
			hints++;
		}
	}
	assert_int_equal(hints, 2);
	wg_plans_free(plans);
	/* nothing runs as stored: the hint is all there is */
	bench.request.limits.max_gpus = 1;
	plans = search(&bench.request);
	assert_int_equal(plans->count, 0);
	assert_true(plans->flip_count > 0);
	assert_int_equal(plans->flips[plans->flip_count - 1].kind, WG_FLIP_WEIGHTS);
	wg_plans_free(plans);
	bench_close(&bench);
}

/* Without --max-gpus the search widens when 8 are not enough. */
static void test_widens(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.request.work = (struct wg_work){ .task = WG_TASK_TRAIN };
	struct wg_plans *plans = search(&bench.request);
	assert_int_equal(plans->max_gpus, WG_PLAN_MOST_GPUS);
	assert_true(plans->count > 0);
	assert_true(plans->plans[0].estimate.layout.gpus > WG_PLAN_USUAL_GPUS);
	bool said = false;
	for (size_t i = 0; i < plans->note_count; i++) {
		said |= strstr(plans->notes[i], "nothing runs on 8 GPUs") != NULL;
	}
	assert_true(said);
	wg_plans_free(plans);
	bench_close(&bench);
}

/* --- order ------------------------------------------------------------------ */

static void test_order(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.request.objective = WG_OBJECTIVE_CHEAPEST;
	struct wg_plans *plans = search(&bench.request);
	assert_int_equal(plans->count, GPUS);
	for (size_t i = 0; i < plans->count; i++) {
		const struct wg_plan *plan = &plans->plans[i];
		assert_int_equal(plan->rank, i + 1);
		check_close(plan->cost.usd_per_unit.likely, plan->score, 1e-9);
		check_close(plan->cost.usd_per_hour.likely,
		            plan->rent.usd.likely * plan->estimate.layout.gpus, 1e-12);
		assert_true(i == 0 || plan->score >= plans->plans[i - 1].score);
		assert_true(plan->why_count >= 2);
	}
	wg_plans_free(plans);
	bench.request.objective = WG_OBJECTIVE_FASTEST;
	plans = search(&bench.request);
	assert_string_equal(plans->plans[0].gpu->id, "h100-sxm");
	for (size_t i = 1; i < plans->count; i++) {
		assert_true(plans->plans[i].estimate.metrics.output_tokens_per_s.likely <=
		            plans->plans[i - 1].estimate.metrics.output_tokens_per_s.likely *
		                    1.000001);
	}
	wg_plans_free(plans);
	bench_close(&bench);
}

/* A GPU without a price is an option all the same, after the priced ones. */
static void test_no_price(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.gpus[2].id = "unheard-of";
	bench.request.objective = WG_OBJECTIVE_CHEAPEST;
	struct wg_plans *plans = search(&bench.request);
	const struct wg_plan *last = &plans->plans[plans->count - 1];
	assert_string_equal(last->gpu->id, "unheard-of");
	assert_false(last->priced);
	assert_false(last->cost.usd_per_hour.known);
	check_contains(last->why[0], "no price is known");
	wg_plans_free(plans);
	/* a budget cannot be kept without one */
	bench.request.limits.budget_usd = 1000;
	plans = search(&bench.request);
	assert_string_equal(refusal_of(plans, "unheard-of")->key, "price");
	wg_plans_free(plans);
	/* without prices speed alone counts, and it wins */
	bench.request.book = NULL;
	bench.request.limits.budget_usd = 0;
	bench.request.objective = WG_OBJECTIVE_WITHIN_LIMITS;
	plans = search(&bench.request);
	assert_string_equal(plans->plans[0].gpu->id, "unheard-of");
	assert_true(plans->plans[0].priced);
	wg_plans_free(plans);
	bench_close(&bench);
}

/* The Pareto set: dearer is faster, and no option is left that one beats. */
static void test_pareto(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.request.pareto = true;
	bench.request.limits.max_gpus = 16;
	struct wg_plans *plans = search(&bench.request);
	assert_true(plans->count >= 3);
	for (size_t i = 1; i < plans->count; i++) {
		const struct wg_plan *a = &plans->plans[i - 1], *b = &plans->plans[i];
		assert_true(b->cost.usd_per_hour.likely > a->cost.usd_per_hour.likely);
		assert_true(b->estimate.metrics.output_tokens_per_s.likely >
		            a->estimate.metrics.output_tokens_per_s.likely);
	}
	wg_plans_free(plans);
	bench_close(&bench);
}

static void test_science(void **state)
{
	struct bench bench;
	bench_open(&bench);
	bench.request.model = NULL;
	bench.request.work = (struct wg_work){ .task = WG_TASK_SCIENCE,
		                               .kernel = WG_SCIENCE_DGEMM,
		                               .science_rate = WG_RATE_FP64,
		                               .total_flop = 1e18 };
	bench.request.objective = WG_OBJECTIVE_FASTEST;
	bench.request.limits.max_gpus = 1;
	struct wg_plans *plans = search(&bench.request);
	/* an RTX 4090 does FP64 at 1/64 of its FP32 rate: an A100 is far ahead */
	assert_string_equal(plans->plans[0].gpu->id, "h100-sxm");
	double a100_speed = plan_of(plans, "a100-sxm-80gb")->estimate.metrics.flop_per_s.likely;
	double rtx_speed = plan_of(plans, "rtx-4090")->estimate.metrics.flop_per_s.likely;
	assert_true(a100_speed > 5 * rtx_speed);
	assert_int_equal(plans->plans[0].cost.unit, WG_WORK_FLOP);
	assert_true(plans->plans[0].cost.usd_per_run.known);
	check_close(plans->plans[0].cost.usd_per_run.likely,
	            plans->plans[0].cost.usd_per_unit.likely, 1e-6);
	wg_plans_free(plans);
	bench_close(&bench);
}

static void test_words(void **state)
{
	assert_string_equal(wg_words_seconds(0.0123).text, "12.3 ms");
	assert_string_equal(wg_words_seconds(7.3).text, "7.30 s");
	assert_string_equal(wg_words_seconds(600).text, "10.0 min");
	assert_string_equal(wg_words_seconds(36000).text, "10.0 h");
	assert_string_equal(wg_words_seconds(30 * 86400.0).text, "30.0 days");
	assert_string_equal(wg_words_count(131072).text, "131,072");
	assert_string_equal(wg_words_count(999).text, "999");
	assert_string_equal(wg_words_count(8).text, "8");
	assert_string_equal(wg_words_count(0.25).text, "0.250");
	assert_string_equal(wg_words_count(1234567).text, "1,234,567");
	assert_string_equal(wg_words_bytes(141.1e9).text, "141.1 GB");
	assert_string_equal(wg_words_percent(0.123).text, "12 %");
	assert_string_equal(wg_flip_key(WG_FLIP_MORE_GPUS), "more_gpus");
	assert_string_equal(wg_objective_key(WG_OBJECTIVE_FASTEST), "fastest");
	assert_string_equal(wg_limit_key(WG_LIMIT_KIND_COUNT), "");
	wg_plans_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_layout_count),
		cmocka_unit_test(test_layout_words),
		cmocka_unit_test(test_bounds_lose_nothing),
		cmocka_unit_test(test_bounds_with_limits),
		cmocka_unit_test(test_70b_needs_room),
		cmocka_unit_test(test_70b_in_4_bit),
		cmocka_unit_test(test_stored_precision),
		cmocka_unit_test(test_widens),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_no_price),
		cmocka_unit_test(test_pareto),
		cmocka_unit_test(test_science),
		cmocka_unit_test(test_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
