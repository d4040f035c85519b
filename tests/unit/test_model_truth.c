/* Every row of the measured truth (shared data): parameters, active
 * parameters and KV bytes of real configs. Skipped when shared is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "whichgpu/csv.h"
#include "whichgpu/file.h"
#include "whichgpu/model.h"

/* Rows that must agree; the table has 94. */
#define ROWS_EXACT 94

static char shared[512];

static void folder_of(const char *name, char *path, size_t bytes)
{
	const char *slash = strchr(name, '/');

	snprintf(path, bytes, "%s/models/%.*s__%s", shared, (int)(slash - name), name, slash + 1);
}

static double all_kv(const struct wg_model *model)
{
	double bytes = model->kv.bytes_per_token;

	for (size_t i = 0; i < model->kv.capped_count; i++)
		bytes += model->kv.capped[i].bytes_per_token;
	return bytes;
}

static bool check(const struct wg_csv *csv, size_t row, const char *column, double value)
{
	struct wg_error error;
	bool present = false;
	double wanted = 0;

	wg_error_init(&error);
	assert_int_equal(wg_csv_number(csv, row, wg_csv_column_find(csv, column), &present, &wanted,
	                               &error), WG_OK);
	if (!present || wanted == value)
		return true;
	print_error("%s: %s is %.0f, truth %.0f\n",
	            wg_csv_cell(csv, row, wg_csv_column_find(csv, "name")), column, value, wanted);
	return false;
}

static bool check_row(const struct wg_csv *csv, size_t row)
{
	struct wg_model *model;
	struct wg_error error;
	char path[1024];
	bool right;

	folder_of(wg_csv_cell(csv, row, wg_csv_column_find(csv, "name")), path, sizeof path);
	wg_error_init(&error);
	if (wg_model_open(path, NULL, &model, &error) != WG_OK) {
		print_error("%s: %s\n", path, error.message);
		return false;
	}
	right = check(csv, row, "total_params", model->parameters);
	right = check(csv, row, "active_params", model->active_parameters) && right;
	right = check(csv, row, "kv_bytes_per_token_fp16", all_kv(model)) && right;
	wg_model_free(model);
	return right;
}

static void test_truth(void **state)
{
	struct wg_error error;
	struct wg_csv *csv;
	char path[600];
	size_t right = 0;

	(void)state;
	snprintf(path, sizeof path, "%s/data/measurements/model_truth.csv", shared);
	if (!wg_file_exists(path))
		skip();
	wg_error_init(&error);
	assert_int_equal(wg_csv_open_file(path, &csv, &error), WG_OK);
	for (size_t row = 0; row < wg_csv_row_count(csv); row++)
		right += check_row(csv, row);
	print_message("%zu of %zu rows exact\n", right, wg_csv_row_count(csv));
	assert_true(right >= ROWS_EXACT);
	wg_csv_free(csv);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_truth) };
	const char *where = getenv("WHICHGPU_SHARED");

	if (where != NULL)
		snprintf(shared, sizeof shared, "%s", where);
	else
		snprintf(shared, sizeof shared, "%s/../shared", WG_SOURCE_ROOT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
