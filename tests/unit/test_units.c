/* How values are shown to people. The expected texts are worked out by hand. */
#include "check.h"

#include "report/units.h"

static const char *shown(struct wg_cell cell)
{
	static char buffer[128];
	struct wg_text out;

	wg_text_init(&out, 4096);
	wg_cell_write(&cell, &out);
	snprintf(buffer, sizeof buffer, "%s", wg_text_string(&out));
	wg_text_done(&out);
	return buffer;
}

static const char *number(double value, enum wg_unit unit)
{
	return shown(wg_cell_number(value, unit));
}

static void test_units_of_people(void **state)
{
	assert_string_equal(number(85899345920.0, WG_UNIT_BYTES), "85.9 GB");
	assert_string_equal(number(80e9, WG_UNIT_BYTES), "80 GB");
	assert_string_equal(number(1.128e12, WG_UNIT_BYTES), "1130 GB");
	assert_string_equal(number(2.5e13, WG_UNIT_BYTES), "25 TB");
	assert_string_equal(number(512, WG_UNIT_BYTES), "512 B");
	assert_string_equal(number(3.352e12, WG_UNIT_BYTES_PER_S), "3.35 TB/s");
	assert_string_equal(number(64e9, WG_UNIT_BYTES_PER_S), "64 GB/s");
	assert_string_equal(number(989.4e12, WG_UNIT_OPS_PER_S), "989 TFLOPS");
	assert_string_equal(number(9.7e12, WG_UNIT_OPS_PER_S), "9.70 TFLOPS");
	assert_string_equal(number(624e12, WG_UNIT_INTEGER_OPS_PER_S), "624 TOPS");
	assert_string_equal(number(700, WG_UNIT_WATTS), "700 W");
	assert_string_equal(number(10200, WG_UNIT_WATTS), "10.2 kW");
	assert_string_equal(number(1.41e9, WG_UNIT_HERTZ), "1410 MHz");
	assert_string_equal(number(0.000814, WG_UNIT_SQUARE_METRES), "814 mm²");
	assert_string_equal(number(0.42, WG_UNIT_PERCENT), "42 %");
	assert_string_equal(number(0.0412, WG_UNIT_PERCENT), "4.1 %");
	assert_string_equal(number(1.25, WG_UNIT_PERCENT), "125 %");
	assert_string_equal(number(3.1709, WG_UNIT_RATIO), "3.17");
	assert_string_equal(number(0.5296, WG_UNIT_RATIO), "0.530");
	assert_string_equal(number(3.6e6, WG_UNIT_JOULES), "1 kWh");
	assert_string_equal(number(5.04, WG_UNIT_PER_S), "5.04/s");
	assert_string_equal(number(128, WG_UNIT_BITS), "128 bit");
}

static void test_times(void **state)
{
	assert_string_equal(number(12e-9, WG_UNIT_SECONDS), "12 ns");
	assert_string_equal(number(93e-5, WG_UNIT_SECONDS), "930 µs");
	assert_string_equal(number(0.0123, WG_UNIT_SECONDS), "12.3 ms");
	assert_string_equal(number(3.2, WG_UNIT_SECONDS), "3.20 s");
	assert_string_equal(number(90, WG_UNIT_SECONDS), "90 s");
	assert_string_equal(number(600, WG_UNIT_SECONDS), "10 min");
	assert_string_equal(number(86400, WG_UNIT_SECONDS), "24 h");
	assert_string_equal(number(864000, WG_UNIT_SECONDS), "10 days");
}

static void test_counts_are_exact(void **state)
{
	assert_string_equal(number(6912, WG_UNIT_COUNT), "6912");
	assert_string_equal(number(128256, WG_UNIT_COUNT), "128256");
	assert_string_equal(number(131072, WG_UNIT_TOKENS), "131072 tokens");
	assert_string_equal(number(70553706496.0, WG_UNIT_COUNT), "70.6 B");
	assert_string_equal(number(999999, WG_UNIT_COUNT), "999999");
	assert_string_equal(number(1e6, WG_UNIT_COUNT), "1 M");
	assert_string_equal(number(0, WG_UNIT_COUNT), "0");
	assert_string_equal(number(0, WG_UNIT_SECONDS), "0 s");
	assert_string_equal(number(0, WG_UNIT_BYTES), "0 B");
}

static void test_money(void **state)
{
	assert_string_equal(number(1.99, WG_UNIT_USD), "$1.99");
	assert_string_equal(number(2.5, WG_UNIT_USD_PER_HOUR), "$2.50/h");
	assert_string_equal(number(999.99, WG_UNIT_USD), "$999.99");
	assert_string_equal(number(999.996, WG_UNIT_USD), "$1,000");
	assert_string_equal(number(36990, WG_UNIT_USD), "$36,990");
	assert_string_equal(number(1234567, WG_UNIT_USD), "$1,234,567");
	assert_string_equal(number(0.0423, WG_UNIT_USD), "$0.042");
	assert_string_equal(number(0.0996, WG_UNIT_USD), "$0.10");
	assert_string_equal(number(0, WG_UNIT_USD), "$0.00");
	assert_string_equal(number(-12.5, WG_UNIT_USD), "$-12.50");
	assert_string_equal(number(0.42, WG_UNIT_USD_PER_MILLION_TOKENS), "$0.42/M tokens");
}

static void test_no_false_digits(void **state)
{
	struct wg_cell estimate = wg_cell_number(1234567, WG_UNIT_USD);

	assert_string_equal(number(12345.678, WG_UNIT_TOKENS_PER_S), "12300 tokens/s");
	estimate.digits = 3;
	assert_string_equal(shown(estimate), "$1,230,000");
	/* rounding that reaches the next power of ten keeps its digits */
	assert_string_equal(number(9.996, WG_UNIT_RATIO), "10.0");
	assert_string_equal(number(999.6, WG_UNIT_RATIO), "1000");
	assert_string_equal(number(999.9999e6, WG_UNIT_BYTES), "1.00 GB");
}

static void test_figures_keep_four_digits(void **state)
{
	struct wg_figure figure = { .value = 165.2e12, .state = WG_KNOWN };

	assert_string_equal(shown(wg_cell_figure(&figure, WG_UNIT_OPS_PER_S)), "165.2 TFLOPS");
	figure.value = 1979e12;
	assert_string_equal(shown(wg_cell_figure(&figure, WG_UNIT_OPS_PER_S)), "1979 TFLOPS");
	figure.value = 2e12;
	assert_string_equal(shown(wg_cell_figure(&figure, WG_UNIT_BYTES_PER_S)), "2 TB/s");
	figure.state = WG_NOT_KNOWN;
	assert_string_equal(shown(wg_cell_figure(&figure, WG_UNIT_OPS_PER_S)), "not known");
	figure.state = WG_ABSENT;
	assert_string_equal(shown(wg_cell_figure(&figure, WG_UNIT_OPS_PER_S)), "none");
}

static void test_ranges_and_pairs(void **state)
{
	struct wg_range unknown = { .known = false };

	assert_string_equal(
		shown(wg_cell_range(wg_range_make(640, 812, 1030), WG_UNIT_TOKENS_PER_S)),
		"812 (640-1030) tokens/s");
	assert_string_equal(shown(wg_cell_range(wg_range_make(3.2, 3.6, 4.1), WG_UNIT_SECONDS)),
	                    "3.60 (3.20-4.10) s");
	assert_string_equal(shown(wg_cell_range(wg_range_exact(2), WG_UNIT_SECONDS)), "2 s");
	assert_string_equal(shown(wg_cell_range(unknown, WG_UNIT_SECONDS)), "not known");
	assert_string_equal(shown(wg_cell_of(71.23e9, 79.1e9, WG_UNIT_BYTES)), "71.2 of 79.1 GB");
	assert_string_equal(shown(wg_cell_text("bf16")), "bf16");
	assert_string_equal(shown((struct wg_cell){ .kind = WG_CELL_EMPTY }), "");
}

static void test_odd_values(void **state)
{
	assert_string_equal(number(NAN, WG_UNIT_SECONDS), "? ns");
	assert_string_equal(number(INFINITY, WG_UNIT_NONE), "?");
	assert_string_equal(number(1e300, WG_UNIT_USD), "$1.00e+300");
}

/* Every value reads back from its text within half of the last digit shown. */
static void test_round_trip(void **state)
{
	struct scale scale;
	struct wg_text out;
	unsigned seed = 12345;

	wg_text_init(&out, 256);
	for (int i = 0; i < 20000; i++) {
		double value, back;

		seed = seed * 1103515245u + 12345u;
		value = pow(10, (double)(seed >> 8 & 0xffff) / 65536 * 30 - 12);
		scale = scale_for((enum wg_unit)(seed >> 24) % (WG_UNIT_USD_PER_MILLION_TOKENS + 1),
		                  value);
		wg_text_clear(&out);
		scale_number(&scale, value, 3, &out);
		if (strchr(wg_text_string(&out), ',') || scale.prefix[0])
			continue;
		back = strtold(wg_text_string(&out), NULL) * scale.factor;
		check_close(back, value, 0.0051);
	}
	wg_text_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units_of_people),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_counts_are_exact),
		cmocka_unit_test(test_money),
		cmocka_unit_test(test_no_false_digits),
		cmocka_unit_test(test_figures_keep_four_digits),
		cmocka_unit_test(test_ranges_and_pairs),
		cmocka_unit_test(test_odd_values),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
