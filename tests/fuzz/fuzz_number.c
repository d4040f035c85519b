/* Option values: every reader of numbers and units on the same text; what is
 * written can be read again. */
#include "fuzz.h"

#include <math.h>

#include "whichgpu/number.h"

static void check_value(enum wg_status status, double value, const struct wg_error *error)
{
	check_error(status, error);
	if (status == WG_OK && !(isfinite(value) && value >= 0))
		abort();
}

static void check_round_trip(double value)
{
	char text[40];
	double again = 0;
	size_t length = wg_number_write(text, sizeof text, value);

	if (length >= sizeof text || !wg_number_read(text, length, &again) || again != value)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct wg_money money = { 0 };
	struct wg_error error;
	double value = 0;
	int64_t whole;

	memcpy(text, data, size);
	text[size] = '\0';
	wg_error_init(&error);
	check_value(wg_size_read(text, "--memory", &value, &error), value, &error);
	check_value(wg_count_read(text, "--count", &value, &error), value, &error);
	check_value(wg_duration_read(text, "--time", &value, &error), value, &error);
	check_value(wg_watts_read(text, "--power", &value, &error), value, &error);
	check_value(wg_money_read(text, "--budget", &money, &error), money.amount, &error);
	wg_integer_read(text, size, &whole);
	if (wg_number_read(text, size, &value))
		check_round_trip(value);
	if (size >= sizeof value) {
		memcpy(&value, data, sizeof value);
		if (isfinite(value))
			check_round_trip(value);
	}
	free(text);
	return 0;
}
