#include "check.h"

#include <float.h>
#include <locale.h>

#include "whichgpu/number.h"

static void decimal_texts_are_read(void **state)
{
	static const struct {
		const char *text;
		double value;
	} cases[] = {
		{ "0", 0 },
		{ "1.5e3", 1500 },
		{ "-2", -2 },
		{ "+2", 2 },
		{ ".5", .5 },
		{ "5.", 5 },
		{ "1E-2", 0.01 },
		{ "007", 7 },
		{ "1e308", 1e308 },
		{ "5e-324", 5e-324 },
		{ "1e-999", 0 },
		{ "0.1", 0.1 },
		{ "9007199254740993", 9007199254740992.0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double value = -1;
		assert_true(wg_number_read(cases[i].text, strlen(cases[i].text), &value));
		check_close(value, cases[i].value, 0);
	}
}

static void other_texts_are_not(void **state)
{
	static const char *const bad[] = { "",    " 1",    "1 ",    "1,5", "0x10", "inf",
		                           "nan", "1e",    "1e+",   "e5",  ".",    "-",
		                           "+-1", "1.2.3", "1e999", "--1", "１" };
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		double value = 42;
		assert_false(wg_number_read(bad[i], strlen(bad[i]), &value));
		check_close(value, 42, 0);
	}
	char zeros[402];
	memset(zeros, '0', sizeof zeros);
	double value;
	assert_true(wg_number_read(zeros, 400, &value));
	assert_false(wg_number_read(zeros, 401, &value));
}

static void integers_to_the_last_one(void **state)
{
	int64_t value = 0;
	assert_true(wg_integer_read("9223372036854775807", 19, &value));
	assert_true(value == INT64_MAX);
	assert_true(wg_integer_read("-9223372036854775808", 20, &value));
	assert_true(value == INT64_MIN);
	assert_false(wg_integer_read("9223372036854775808", 19, &value));
	assert_false(wg_integer_read("-9223372036854775809", 20, &value));
	assert_false(wg_integer_read("99999999999999999999", 20, &value));
	assert_false(wg_integer_read("", 0, &value));
	assert_false(wg_integer_read("-", 1, &value));
	assert_false(wg_integer_read("1.0", 3, &value));
	assert_true(value == INT64_MIN);
}

static void written(double value, const char *expected)
{
	char buffer[32];
	size_t length = wg_number_write(buffer, sizeof buffer, value);
	assert_string_equal(buffer, expected);
	assert_int_equal(length, strlen(expected));
}

static void shortest_text_is_written(void **state)
{
	written(0, "0");
	written(-0.0, "0");
	written(1, "1");
	written(165.2e12, "165200000000000");
	written(1e300, "1e+300");
	written(0.1, "0.1");
	written(0.1 + 0.2, "0.30000000000000004");
	written(-2.5, "-2.5");
	written(1.0 / 3, "0.3333333333333333");
	written(5e-324, "5e-324");
	written(DBL_MAX, "1.7976931348623157e+308");
	written(9007199254740992.0, "9007199254740992");
	written(1e21, "1e+21");
	written(NAN, "nan");
	written(-INFINITY, "-inf");
}

static void every_double_reads_back(void **state)
{
	uint64_t bits = 88172645463325252u;
	for (int i = 0; i < 100000; i++) {
		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		double value, back = 0;
		char buffer[32];
		memcpy(&value, &bits, sizeof value);
		if (!isfinite(value))
			continue;
		size_t length = wg_number_write(buffer, sizeof buffer, value);
		assert_true(length < sizeof buffer - 1);
		assert_true(wg_number_read(buffer, length, &back));
		assert_true(back == value);
	}
}

static void digits(double value, int count, const char *expected)
{
	char buffer[32];
	wg_number_write_digits(buffer, sizeof buffer, value, count);
	assert_string_equal(buffer, expected);
}

static void fixed_digits_for_people(void **state)
{
	digits(3.1699, 3, "3.17");
	digits(165.2, 3, "165");
	digits(0.041234, 3, "0.0412");
	digits(9.996, 3, "10.0");
	digits(0, 3, "0");
	digits(1652, 3, "1650");
	digits(2039, 4, "2039");
	digits(-0.5, 2, "-0.50");
	digits(1e20, 3, "1.00e+20");
	digits(1e-9, 2, "1.0e-09");
	digits(NAN, 3, "nan");
}

static void small_buffers_are_kept(void **state)
{
	char buffer[4] = "zzz";
	assert_int_equal(wg_number_write(buffer, sizeof buffer, 123456), 3);
	assert_string_equal(buffer, "123");
}

/* Numbers keep their point where the language has a comma. */
static void locale_does_not_matter(void **state)
{
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
		skip();
	double value = 0;
	assert_true(wg_number_read("1.5", 3, &value));
	check_close(value, 1.5, 0);
	assert_false(wg_number_read("1,5", 3, &value));
	written(1.5, "1.5");
	digits(1.5, 3, "1.50");
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimal_texts_are_read),
		cmocka_unit_test(other_texts_are_not),
		cmocka_unit_test(integers_to_the_last_one),
		cmocka_unit_test(shortest_text_is_written),
		cmocka_unit_test(every_double_reads_back),
		cmocka_unit_test(fixed_digits_for_people),
		cmocka_unit_test(small_buffers_are_kept),
		cmocka_unit_test(locale_does_not_matter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
