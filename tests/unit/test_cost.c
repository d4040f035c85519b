/* Cost equations against worked examples from the literature. */
#include "check.h"

#include "whichgpu/cost.h"

/* Three owners of an H100 (700 W): a lean one, a usual one, a dear one. */
struct owner {
	double server_usd, network_usd, life, residual, interest, load, overhead, pue, kwh;
	double colocation, kilowatts, maintenance, staff, utilisation;
	double capital, energy, space, upkeep, installed, delivered;
};

static const struct owner owners[] = {
	{ 230e3, 1900, 6,   .25, .05,  .55, 1.6,  1.1, .06,   120,
	  1.25,  .02,  200, .9,  4912, 356, 1800, 613, 0.899, 0.999 },
	{ 270e3, 4200, 5,   .15, .10,  .70, 1.82, 1.25, .0826, 184,
	  1.25,  .04,  700, .7,  9079, 807, 2760, 1518, 1.696, 2.422 },
	{ 375e3, 6600, 3,    .05, .15,   .90,  2.0,  1.55, .20,   250,
	  1.4,   .08,  2000, .4,  22651, 3424, 4200, 4278, 4.170, 10.425 },
};

static struct wg_ownership_inputs inputs_of(const struct owner *owner)
{
	return (struct wg_ownership_inputs){
		.capex_usd = wg_range_exact(owner->server_usd / 8 + owner->network_usd),
		.life_years = wg_range_exact(owner->life),
		.residual_share = wg_range_exact(owner->residual),
		.interest = wg_range_exact(owner->interest),
		.gpu_watts = wg_range_exact(700),
		.load_share = wg_range_exact(owner->load),
		.server_overhead = wg_range_exact(owner->overhead),
		.pue = wg_range_exact(owner->pue),
		.usd_per_kwh = wg_range_exact(owner->kwh),
		.rated_kw = wg_range_exact(owner->kilowatts),
		.colocation_usd_per_kw_month = wg_range_exact(owner->colocation),
		.maintenance_share = wg_range_exact(owner->maintenance),
		.staff_usd_per_year = wg_range_exact(owner->staff),
		.utilisation = wg_range_exact(owner->utilisation),
	};
}

static void test_three_owners(void **state)
{
	for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
		struct wg_ownership_inputs inputs = inputs_of(&owners[i]);
		struct wg_ownership own;
		wg_cost_own(&inputs, &own);
		check_close(own.capital, owners[i].capital, 0.005);
		check_close(own.energy, owners[i].energy, 0.005);
		check_close(own.space, owners[i].space, 0.005);
		check_close(own.maintenance, owners[i].upkeep, 0.005);
		check_close(own.usd_per_installed_hour, owners[i].installed, 0.005);
		check_close(own.usd_per_delivered_hour, owners[i].delivered, 0.005);
		/* exact inputs leave no range */
		check_close(own.usd_per_hour.low, own.usd_per_hour.high, 1e-12);
	}
}

static void test_annuity(void **state)
{
	/* no interest: the straight line */
	assert_float_equal(wg_cost_annuity(1000, 100, 3, 0), 300, 1e-9);
	/* a loan of 1000 at 10 % over 5 years is paid back by 263.797 a year */
	assert_float_equal(wg_cost_annuity(1000, 0, 5, 0.10), 263.797, 0.001);
	/* a residual of 100 in 5 years is worth 62.092 today */
	assert_float_equal(wg_cost_annuity(1000, 100, 5, 0.10), 263.797 * (1 - 0.062092), 0.01);
}

/* The range is narrower than all-low to all-high, and each input widens it. */
static void test_ownership_range(void **state)
{
	struct wg_ownership_inputs inputs = inputs_of(&owners[1]);
	struct wg_ownership narrow, wide;
	inputs.utilisation = wg_range_make(0.4, 0.7, 0.9);
	wg_cost_own(&inputs, &narrow);
	check_close(narrow.usd_per_hour.low, narrow.usd_per_hour.likely * 7 / 9, 1e-9);
	check_close(narrow.usd_per_hour.high, narrow.usd_per_hour.likely * 7 / 4, 1e-9);
	inputs.life_years = wg_range_make(3, 5, 6);
	wg_cost_own(&inputs, &wide);
	assert_true(wide.usd_per_hour.low < narrow.usd_per_hour.low);
	assert_true(wide.usd_per_hour.high > narrow.usd_per_hour.high);
	assert_true(wide.usd_per_hour.low > owners[0].delivered);
	assert_true(wide.usd_per_hour.high < owners[2].delivered);
}

static void test_cost_per_token(void **state)
{
	check_close(wg_cost_per_million_tokens(2.5, 700, 1), 0.99, 0.005);
	check_close(wg_cost_per_million_tokens(2.0, 2000, 1), 0.2778, 0.005);
	check_close(wg_cost_per_million_tokens(2.0, 2000, 0.2), 1.39, 0.005);
	check_close(wg_cost_per_million_tokens(10, 3400, 1), 0.817, 0.005);
	/* an H100 at 2 USD and half of 989.5 TFLOPS */
	check_close(wg_cost_per_tflops_hour(2, 989.5e12, 0.5), 0.0040424, 0.005);
}

static void test_checkpoints(void **state)
{
	check_close(wg_cost_checkpoint_best(6000, 10, 600), 373.5, 0.005);
	check_close(wg_cost_checkpoint_young(6000, 10), 346, 0.005);
}

static void test_cluster_losses(void **state)
{
	static const struct {
		unsigned gpus;
		double hours, interval, loss;
	} rows[] = {
		{ 8, 6337, 52324, .002 },   { 64, 792, 18499, .007 },   { 512, 99.0, 6540, .020 },
		{ 1024, 49.5, 4625, .029 }, { 4096, 12.4, 2312, .065 }, { 16384, 3.1, 1156, .158 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		double mean = wg_cost_mean_s_between_interruptions(rows[i].gpus);
		double interval = wg_cost_checkpoint_young(mean, 60);
		check_close(mean / 3600, rows[i].hours, 0.005);
		check_close(interval, rows[i].interval, 0.005);
		assert_float_equal(wg_cost_checkpoint_loss(mean, 60, 600, interval), rows[i].loss,
		                   0.0006);
	}
}

static void test_ranges(void **state)
{
	struct wg_range a = wg_range_make(1, 2, 4), b = wg_range_make(5, 10, 20);
	struct wg_range product = wg_range_times(a, b), ratio = wg_range_over(a, b);
	check_close(product.likely, 20, 1e-12);
	/* two factors of 2 join to 2^sqrt(2), not to 4 */
	check_close(product.high, 20 * pow(2, sqrt(2)), 1e-12);
	check_close(product.low, 20 / pow(2, sqrt(2)), 1e-12);
	check_close(ratio.likely, 0.2, 1e-12);
	check_close(ratio.high, 0.2 * pow(2, sqrt(2)), 1e-12);
	assert_false(wg_range_times(a, (struct wg_range){ 0 }).known);
	assert_false(wg_range_over(a, wg_range_exact(0)).known);
}

/* A rented pair at 2 USD an hour each and 1000 tokens a second. */
static void test_layout(void **state)
{
	struct wg_gpu gpu = { .id = "some", .class = WG_CLASS_DATA_CENTRE };
	struct wg_gpu_prices prices = { .rent.usd = wg_range_exact(2) };
	struct wg_price_choice choice = { WG_PAY_RENT, WG_PROVIDER_CLASS_COUNT };
	struct wg_work work = { .task = WG_TASK_SERVE };
	struct wg_estimate estimate = { .layout.gpus = 2, .format.rate = WG_RATE_BF16 };
	struct wg_layout_cost cost;
	gpu.dense[WG_RATE_BF16] = (struct wg_figure){ .value = 500e12, .state = WG_KNOWN };
	estimate.metrics.output_tokens_per_s = wg_range_make(800, 1000, 1250);
	estimate.watts = wg_range_exact(1000);
	wg_cost_layout(&prices, &choice, &gpu, &work, &estimate, &cost);
	assert_int_equal(cost.unit, WG_WORK_OUTPUT_TOKENS);
	check_close(cost.usd_per_hour.likely, 4, 1e-12);
	check_close(cost.usd_per_unit.likely, 4 / 3.6, 1e-9);
	check_close(cost.usd_per_unit.low, 4 / 3.6 * 0.8, 1e-9);
	check_close(cost.usd_per_tflops_hour.likely, 2.0 / 500, 1e-9);
	/* 1 kW x PUE 1.25 x 0.0826 */
	check_close(cost.energy_usd_per_hour.likely, 0.10325, 1e-9);
	assert_false(cost.usd_to_buy.known);
	assert_false(cost.usd_per_run.known);
	choice.pay = WG_PAY_BUY;
	wg_cost_layout(&prices, &choice, &gpu, &work, &estimate, &cost);
	assert_false(cost.usd_per_hour.known);
	assert_false(cost.usd_per_unit.known);
}

/* A long run on many GPUs is paid for with its failures: 15.8 % on 16,384. */
static void test_run_with_failures(void **state)
{
	struct wg_gpu gpu = { .id = "some" };
	struct wg_gpu_prices prices = { .rent.usd = wg_range_exact(1) };
	struct wg_price_choice choice = { WG_PAY_RENT, WG_PROVIDER_CLASS_COUNT };
	struct wg_work work = { .task = WG_TASK_TRAIN };
	struct wg_estimate estimate = { .layout.gpus = 16384 };
	struct wg_layout_cost cost;
	estimate.metrics.hours_total = wg_range_exact(100);
	wg_cost_layout(&prices, &choice, &gpu, &work, &estimate, &cost);
	check_close(cost.usd_per_run.likely, 1638400 / (1 - 0.158), 0.005);
	assert_int_equal(cost.unit, WG_WORK_TRAINED_TOKENS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_owners),
		cmocka_unit_test(test_annuity),
		cmocka_unit_test(test_ownership_range),
		cmocka_unit_test(test_cost_per_token),
		cmocka_unit_test(test_checkpoints),
		cmocka_unit_test(test_cluster_losses),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_run_with_failures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
