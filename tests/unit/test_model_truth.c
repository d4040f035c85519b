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
	assert_int_equal(
		wg_csv_number(csv, row, wg_csv_column_find(csv, column), &present, &wanted, &error),
		WG_OK);
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

/* The small configs of the list of valid and hostile files: each has the
 * outcome that is wanted; what may be refused or warned of may be either. */
static void test_small_configs(void **state)
{
	char path[700], *text, *save = NULL;
	size_t length, rows = 0;
	struct wg_error error;

	(void)state;
	snprintf(path, sizeof path, "%s/models/files/made-here/MANIFEST.tsv", shared);
	if (!wg_file_exists(path))
		skip();
	wg_error_init(&error);
	assert_int_equal(wg_file_read(path, 1 << 20, &text, &length, &error), WG_OK);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char name[128], wanted[64];
		struct wg_model *model = NULL;
		enum wg_status status;

		const char *first = strchr(line, '\t');
		const char *second = first != NULL ? strchr(first + 1, '\t') : NULL;
		if (second == NULL || strncmp(line, "bad-config", 10) != 0)
			continue;
		snprintf(name, sizeof name, "%.*s", (int)(first - line), line);
		snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(second + 1, "\t"), second + 1);
		snprintf(path, sizeof path, "%s/models/files/made-here/%s", shared, name);
		status = wg_model_open(path, NULL, &model, &error);
		if (strcmp(wanted, "accept") == 0 && status != WG_OK)
			fail_msg("%s: %s", name, error.message);
		if (strcmp(wanted, "reject") == 0 && status == WG_OK)
			fail_msg("%s is accepted", name);
		for (const char *c = error.message; status != WG_OK && *c != '\0'; c++)
			assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
		if (status == WG_OK)
			wg_model_free(model);
		rows++;
	}
	free(text);
	assert_true(rows >= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_truth),
		                            cmocka_unit_test(test_small_configs) };
	const char *where = getenv("WHICHGPU_SHARED");

	if (where != NULL)
		snprintf(shared, sizeof shared, "%s", where);
	else
		snprintf(shared, sizeof shared, "%s/../shared", WG_SOURCE_ROOT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
