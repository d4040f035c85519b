#include "check.h"

#include "whichgpu/number.h"

typedef enum wg_status reader(const char *, const char *, double *, struct wg_error *);

static void reads(reader *read, const char *text, double expected)
{
	double value = -1;
	struct wg_error error;
	wg_error_init(&error);
	check_status(read(text, "--x", &value, &error), WG_OK, &error);
	check_close(value, expected, 1e-15);
}

static void refuses(reader *read, const char *text, enum wg_status expected, const char *hint)
{
	double value = -1;
	struct wg_error error;
	wg_error_init(&error);
	check_status(read(text, "--x", &value, &error), expected, &error);
	check_close(value, -1, 0);
	check_contains(error.message, "--x");
	check_contains(error.message, text);
	check_contains(error.hint, hint);
}

static void sizes(void **state)
{
	reads(wg_size_read, "80GB", 80e9);
	reads(wg_size_read, "80 GB", 80e9);
	reads(wg_size_read, "80gb", 80e9);
	reads(wg_size_read, "80GiB", 80.0 * 1073741824);
	reads(wg_size_read, "24576MiB", 24576.0 * 1048576);
	reads(wg_size_read, "1.5TB", 1.5e12);
	reads(wg_size_read, "1e3B", 1000);
	reads(wg_size_read, "0", 0);
	refuses(wg_size_read, "80G", WG_AMBIGUOUS, "GiB");
	refuses(wg_size_read, "80g", WG_AMBIGUOUS, "GB");
	refuses(wg_size_read, "80", WG_AMBIGUOUS, "GB");
	refuses(wg_size_read, "80Gb", WG_AMBIGUOUS, "bits");
	refuses(wg_size_read, "80XB", WG_BAD_INPUT, "80GB");
	refuses(wg_size_read, "-1GB", WG_BAD_INPUT, "80GB");
	refuses(wg_size_read, "infGB", WG_BAD_INPUT, "80GB");
	refuses(wg_size_read, "nan", WG_BAD_INPUT, "80GB");
	refuses(wg_size_read, "", WG_BAD_INPUT, "80GB");
	refuses(wg_size_read, "80GB ", WG_BAD_INPUT, "80GB");
	refuses(wg_size_read, "80  GB", WG_BAD_INPUT, "80GB");
	refuses(wg_size_read, "1e308PB", WG_LIMIT, "");
	refuses(wg_size_read, "1e999GB", WG_BAD_INPUT, "80GB");
}

static void counts(void **state)
{
	reads(wg_count_read, "300B", 300e9);
	reads(wg_count_read, "8k", 8000);
	reads(wg_count_read, "8Ki", 8192);
	reads(wg_count_read, "1.5T", 1.5e12);
	reads(wg_count_read, "12", 12);
	refuses(wg_count_read, "5 apples", WG_BAD_INPUT, "300B");
	refuses(wg_count_read, "5m", WG_AMBIGUOUS, "millions");
	refuses(wg_count_read, "-5", WG_BAD_INPUT, "300B");
}

static void durations(void **state)
{
	reads(wg_duration_read, "30d", 30 * 86400.0);
	reads(wg_duration_read, "500ms", 0.5);
	reads(wg_duration_read, "2h", 7200);
	reads(wg_duration_read, "1y", 365.25 * 86400);
	reads(wg_duration_read, "0", 0);
	refuses(wg_duration_read, "5m", WG_AMBIGUOUS, "months");
	refuses(wg_duration_read, "5", WG_AMBIGUOUS, "min");
	refuses(wg_duration_read, "5 parsecs", WG_BAD_INPUT, "500ms");
}

static void watts(void **state)
{
	reads(wg_watts_read, "700", 700);
	reads(wg_watts_read, "700W", 700);
	reads(wg_watts_read, "10kW", 10e3);
	reads(wg_watts_read, "1.2MW", 1.2e6);
	refuses(wg_watts_read, "5mW", WG_AMBIGUOUS, "MW");
	refuses(wg_watts_read, "5V", WG_BAD_INPUT, "700W");
}

static void money_is(const char *text, double amount, enum wg_currency currency)
{
	struct wg_money money = { 0 };
	struct wg_error error;
	wg_error_init(&error);
	check_status(wg_money_read(text, "--budget", &money, &error), WG_OK, &error);
	check_close(money.amount, amount, 1e-15);
	assert_int_equal(money.currency, currency);
}

static void money(void **state)
{
	money_is("5000", 5000, WG_USD);
	money_is("5000USD", 5000, WG_USD);
	money_is("36000CNY", 36000, WG_CNY);
	money_is("36000 CNY", 36000, WG_CNY);
	money_is("$5000", 5000, WG_USD);
	money_is("$5k", 5000, WG_USD);
	money_is("3.6k元", 3600, WG_CNY);
	money_is("3eur", 3, WG_EUR);
	money_is("1.2M EUR", 1.2e6, WG_EUR);
	static const char *const bad[] = { "5k apples", "apples", "-5",      "5 5", "USD",
		                           "$5USD",     "",       "5000JPY", "inf", "¥5000" };
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct wg_money value = { .amount = -7 };
		struct wg_error error;
		wg_error_init(&error);
		check_status(wg_money_read(bad[i], "--budget", &value, &error), WG_BAD_INPUT,
		             &error);
		check_close(value.amount, -7, 0);
		check_contains(error.message, "--budget");
		check_contains(error.hint, "5000USD");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes), cmocka_unit_test(counts), cmocka_unit_test(durations),
		cmocka_unit_test(watts), cmocka_unit_test(money),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
