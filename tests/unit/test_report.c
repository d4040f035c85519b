/* The writers: against golden files that were read by eye, and by properties
 * that hold for any document. WHICHGPU_UPDATE=1 writes the golden files. */
#include "check.h"

#include <jansson.h>

#include "sample.h"
#include "whichgpu/csv.h"
#include "whichgpu/file.h"
#include "whichgpu/limits.h"

static struct wg_text out;
static struct wg_error error;

static int setup(void **state)
{
	wg_text_init(&out, WG_LIMIT_TEXT_BYTES);
	return 0;
}

static int teardown(void **state)
{
	wg_text_done(&out);
	return 0;
}

static const char *written(const struct wg_document *document, enum wg_report_format format,
                           const struct wg_report_options *options)
{
	wg_text_clear(&out);
	check_status(wg_document_write(document, format, options, &out, &error), WG_OK, &error);
	return wg_text_string(&out);
}

static void check_golden(const char *name, enum wg_report_format format, unsigned columns,
                         bool ascii)
{
	struct wg_document *document = sample_document();
	const char *text =
		written(document, format, &(struct wg_report_options){ columns, false, ascii });
	char path[512], *golden;
	size_t length;

	snprintf(path, sizeof path, "%s/tests/golden/report/%s", WG_SOURCE_ROOT, name);
	if (getenv("WHICHGPU_UPDATE"))
		check_status(wg_file_write(path, text, strlen(text), &error), WG_OK, &error);
	check_status(wg_file_read(path, 1 << 20, &golden, &length, &error), WG_OK, &error);
	assert_string_equal(text, golden);
	free(golden);
	wg_document_free(document);
}

static void test_golden(void **state)
{
	check_golden("sample-100.txt", WG_REPORT_TEXT, 100, false);
	check_golden("sample-80.txt", WG_REPORT_TEXT, 80, false);
	check_golden("sample-40.txt", WG_REPORT_TEXT, 40, true);
	check_golden("sample.json", WG_REPORT_JSON, 0, false);
	check_golden("sample.csv", WG_REPORT_CSV, 0, false);
	check_golden("sample.md", WG_REPORT_MARKDOWN, 0, false);
	check_golden("sample.html", WG_REPORT_HTML, 0, false);
}

static void test_json_keys_and_numbers(void **state)
{
	struct wg_document *document = sample_document();
	json_t *root =
		json_loads(written(document, WG_REPORT_JSON, NULL), JSON_REJECT_DUPLICATES, NULL);
	json_t *plan;

	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "schema")),
	                    "whichgpu/sample/1");
	assert_string_equal(json_object_iter_key(json_object_iter(root)), "schema");
	plan = json_array_get(json_object_get(root, "plans"), 0);
	assert_true(json_is_integer(json_object_get(plan, "gpus")));
	check_close(json_number_value(json_object_get(json_object_get(plan, "fp16"), "value")),
	            165.2e12, 0);
	assert_true(json_is_null(json_object_get(plan, "fp8")));
	assert_true(json_is_null(json_object_get(plan, "ttft_s")));
	assert_true(json_is_null(json_object_get(plan, "note")));
	check_close(json_number_value(
			    json_object_get(json_object_get(plan, "output_tokens_per_s"), "high")),
	            1030, 0);
	json_decref(root);
	wg_document_free(document);
}

static void test_csv_is_bare_si(void **state)
{
	struct wg_document *document = sample_document();
	const char *text = written(document, WG_REPORT_CSV, NULL);
	struct wg_csv *csv = NULL;
	double value;
	bool present;

	check_status(wg_csv_open(text, strlen(text), "sample", &csv, &error), WG_OK, &error);
	assert_int_equal(wg_csv_row_count(csv), 2);
	wg_csv_number(csv, 0, wg_csv_column_find(csv, "output_tokens_per_s_low"), &present, &value,
	              &error);
	assert_true(present);
	check_close(value, 640, 0);
	wg_csv_number(csv, 0, wg_csv_column_find(csv, "memory_bytes_available"), &present, &value,
	              &error);
	check_close(value, 79.1e9, 0);
	/* not known is empty, and a formula is not run by a spreadsheet */
	assert_string_equal(
		wg_csv_cell(csv, 1, wg_csv_column_find(csv, "output_tokens_per_s_likely")), "");
	assert_string_equal(wg_csv_cell(csv, 1, wg_csv_column_find(csv, "gpu")), "'=1+1|<b>");
	wg_csv_free(csv);
	wg_document_free(document);
}

static void test_main_table(void **state)
{
	struct wg_document *document = wg_document_open("two");
	static const struct wg_column one[] = { { "first", "First", 0, false } };
	static const struct wg_column two[] = { { "second", "Second", 0, false } };
	struct wg_block *table;

	wg_document_table(document, "a", "", one, 1);
	table = wg_document_table(document, "b", "", two, 1);
	assert_string_equal(written(document, WG_REPORT_CSV, NULL), "first\n");
	wg_table_main(table);
	assert_string_equal(written(document, WG_REPORT_CSV, NULL), "second\n");
	wg_document_free(document);
}

static void test_nothing_gets_through_html(void **state)
{
	struct wg_document *document = wg_document_open("evil");
	static const struct wg_column columns[] = { { "a", "<script>t</script>", 0, false } };
	struct wg_block *table;
	const char *page;

	wg_document_heading(document, "<script>alert(1)</script>");
	wg_document_paragraph(document, "\"><img src=x onerror=alert(2)>");
	table = wg_document_table(document, "\"><b>", "'&", columns, 1);
	wg_table_row(table,
	             &(struct wg_cell){ .kind = WG_CELL_TEXT, .text = "</table><i>\033[31m" });
	page = written(document, WG_REPORT_HTML, NULL);
	assert_null(strstr(page, "<script"));
	assert_null(strstr(page, "<img"));
	assert_null(strstr(page, "<b>"));
	assert_null(strstr(page, "<i>"));
	assert_null(strchr(page, '\033'));
	wg_document_free(document);
}

static void test_colours_only_when_asked(void **state)
{
	struct wg_document *document = sample_document();

	assert_null(strchr(written(document, WG_REPORT_TEXT, NULL), '\033'));
	assert_non_null(strchr(
		written(document, WG_REPORT_TEXT, &(struct wg_report_options){ 100, true, false }),
		'\033'));
	wg_document_free(document);
}

static void test_empty_table(void **state)
{
	struct wg_document *document = wg_document_open("empty");

	wg_document_table(document, "a", "Found", sample_columns, 7);
	check_contains(written(document, WG_REPORT_TEXT, NULL), "(none)");
	check_contains(written(document, WG_REPORT_MARKDOWN, NULL), "| GPU |");
	wg_document_free(document);
}

/* A column with nothing in it takes no room on the screen, but CSV has it. */
static void test_empty_column(void **state)
{
	struct wg_document *document = wg_document_open("empty");
	static const struct wg_column columns[] = { { "a", "First", 0, false },
		                                    { "b", "Second", 0, true },
		                                    { "c", "Third", 0, true } };
	const struct wg_cell cells[] = { wg_cell_text("x"),
		                         { .kind = WG_CELL_EMPTY },
		                         { .kind = WG_CELL_NOT_KNOWN } };

	wg_table_row(wg_document_table(document, "t", "", columns, 3), cells);
	assert_string_equal(written(document, WG_REPORT_TEXT, NULL), "First  Third\n"
	                                                             "────────────\n"
	                                                             "x          ?\n"
	                                                             "? not known\n");
	assert_null(strstr(written(document, WG_REPORT_MARKDOWN, NULL), "Second"));
	assert_null(strstr(written(document, WG_REPORT_HTML, NULL), "Second"));
	assert_string_equal(written(document, WG_REPORT_CSV, NULL), "a,b,c\nx,,\n");
	wg_document_free(document);
}

/* --- any document --------------------------------------------------------------- */

static unsigned seed;

static unsigned any(unsigned below)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 12) % below;
}

static const char *any_text(void)
{
	static char text[8][160];
	static unsigned turn;
	static const char *const pieces[] = { "word ",
		                              "a-very-long-identifier-without-blanks",
		                              "显卡",
		                              "|",
		                              "<b>",
		                              "\n",
		                              "\033[1m",
		                              "\xff",
		                              " ",
		                              "=1",
		                              "\xc2\xa0",
		                              "e\xcc\x81",
		                              "\xe2\x80\xae",
		                              "`*_",
		                              "&amp;" };
	char *buffer = text[turn++ % 8];
	size_t used = 0;

	buffer[0] = '\0';
	for (unsigned i = any(6); i > 0; i--)
		used += (size_t)snprintf(buffer + used, sizeof text[0] - used, "%s",
		                         pieces[any(sizeof pieces / sizeof pieces[0])]);
	return buffer;
}

static struct wg_cell any_cell(void)
{
	double value = pow(10, any(30)) * 1e-10 * (1 + any(1000) / 1000.0);
	enum wg_unit unit = (enum wg_unit)any(WG_UNIT_USD_PER_MILLION_TOKENS + 1);

	switch (any(7)) {
	case 0:
		return wg_cell_text(any_text());
	case 1:
		return wg_cell_range(wg_range_make(value / 2, value, value * 2), unit);
	case 2:
		return wg_cell_of(value, value * 3, unit);
	case 3:
		return (struct wg_cell){ .kind = WG_CELL_NOT_KNOWN };
	case 4:
		return (struct wg_cell){ .kind = WG_CELL_ABSENT };
	case 5:
		return (struct wg_cell){ .kind = WG_CELL_EMPTY };
	default:
		return wg_cell_number(any(20) ? value : NAN, unit);
	}
}

static void any_table(struct wg_document *document)
{
	struct wg_column columns[12];
	struct wg_cell cells[12];
	unsigned count = 1 + any(12);
	struct wg_block *table;

	for (unsigned i = 0; i < count; i++)
		columns[i] = (struct wg_column){ "key", any_text(), (int)any(4), any(2) };
	table = wg_document_table(document, "t", any_text(), columns, count);
	for (unsigned row = any(5); row > 0; row--) {
		for (unsigned i = 0; i < count; i++)
			cells[i] = any_cell();
		wg_table_row(table, cells);
	}
}

static struct wg_document *any_document(void)
{
	struct wg_document *document = wg_document_open("any");
	struct wg_node *data = wg_document_data(document);
	struct wg_block *block;

	for (unsigned i = 0; i < 6; i++) {
		char key[16];

		snprintf(key, sizeof key, "key_%u", i);
		if (any(2))
			wg_node_string(data, key, any_text());
		else
			wg_node_number(data, key, any(10) ? any_cell().value : NAN);
		switch (any(6)) {
		case 0:
			wg_document_heading(document, any_text());
			break;
		case 1:
			wg_document_paragraph(document, any_text());
			break;
		case 2:
			wg_document_note(document, any_text());
			break;
		case 3:
			any_table(document);
			break;
		default:
			block = any(2) ? wg_document_list(document, "l", any_text())
			               : wg_document_bars(document, "b", any_text());
			for (unsigned item = any(4); item > 0; item--)
				wg_list_item(block, any_text(), any_cell());
		}
	}
	return document;
}

/* Every line of the text is within the width, and carries no control bytes. */
static void check_width(const char *text, unsigned columns)
{
	while (*text) {
		char line[4096];
		size_t length = strcspn(text, "\n");

		assert_true(length < sizeof line);
		memcpy(line, text, length);
		line[length] = '\0';
		if (wg_text_width(line) > columns)
			fail_msg("wider than %u (seed %u): %s\n%s", columns, seed, line,
			         wg_text_string(&out));
		for (size_t i = 0; i < length; i++)
			assert_true((unsigned char)line[i] >= ' ');
		text += length + (text[length] == '\n');
	}
}

static void test_any_document(void **state)
{
	for (unsigned round = 0; round < 1500; round++) {
		struct wg_document *document;
		unsigned columns = 40 + round % 361;
		json_t *root;

		seed = round * 7919u + 1;
		document = any_document();
		check_width(written(document, WG_REPORT_TEXT,
		                    &(struct wg_report_options){ columns, false, round % 2 }),
		            columns);
		root = json_loads(written(document, WG_REPORT_JSON, NULL), JSON_REJECT_DUPLICATES,
		                  NULL);
		assert_non_null(root);
		json_decref(root);
		written(document, WG_REPORT_HTML, NULL);
		assert_true(wg_text_is_utf8(out.bytes, out.length));
		assert_null(strstr(out.bytes, "<b>"));
		written(document, WG_REPORT_MARKDOWN, NULL);
		assert_true(wg_text_is_utf8(out.bytes, out.length));
		written(document, WG_REPORT_CSV, NULL);
		wg_document_free(document);
	}
}

/* A ceiling that is reached is reported, whatever was being written. */
static void test_ceiling(void **state)
{
	struct wg_document *document = sample_document();

	for (enum wg_report_format format = WG_REPORT_TEXT; format <= WG_REPORT_HTML; format++) {
		size_t whole;

		written(document, format, NULL);
		whole = out.length;
		for (size_t ceiling = 1; ceiling < whole; ceiling += 13) {
			struct wg_text small;

			wg_text_init(&small, ceiling);
			assert_int_equal(wg_document_write(document, format, NULL, &small, &error),
			                 WG_NO_MEMORY);
			wg_text_done(&small);
		}
	}
	wg_document_free(document);
	assert_int_equal(wg_document_write(NULL, WG_REPORT_TEXT, NULL, &out, &error), WG_NO_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_json_keys_and_numbers),
		cmocka_unit_test(test_csv_is_bare_si),
		cmocka_unit_test(test_main_table),
		cmocka_unit_test(test_nothing_gets_through_html),
		cmocka_unit_test(test_colours_only_when_asked),
		cmocka_unit_test(test_empty_table),
		cmocka_unit_test(test_empty_column),
		cmocka_unit_test(test_any_document),
		cmocka_unit_test(test_ceiling),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
