#include "check.h"

#include "whichgpu/csv.h"
#include "whichgpu/limits.h"

static struct wg_csv *open_good(const char *text)
{
	struct wg_csv *csv = NULL;
	struct wg_error error;
	check_status(wg_csv_open(text, strlen(text), "t.csv", &csv, &error), WG_OK, &error);
	return csv;
}

static struct wg_error open_bad(const char *text, size_t length, enum wg_status expected)
{
	struct wg_csv *csv = (struct wg_csv *)&length;
	struct wg_error error;
	wg_error_init(&error);
	check_status(wg_csv_open(text, length, "t.csv", &csv, &error), expected, &error);
	assert_ptr_equal(csv, (struct wg_csv *)&length);
	assert_string_equal(error.file, "t.csv");
	return error;
}

static void cells_by_header_name(void **state)
{
	struct wg_csv *csv = open_good("gpu,usd\nh100,2.5\n a , \n");
	assert_int_equal(wg_csv_row_count(csv), 2);
	assert_int_equal(wg_csv_column_count(csv), 2);
	assert_int_equal(wg_csv_column_find(csv, "usd"), 1);
	assert_int_equal(wg_csv_column_find(csv, "eur"), -1);
	assert_string_equal(wg_csv_cell(csv, 0, 0), "h100");
	assert_string_equal(wg_csv_cell(csv, 1, 0), " a ");
	assert_string_equal(wg_csv_cell(csv, 1, 1), " ");
	assert_string_equal(wg_csv_cell(csv, 1, -1), "");
	wg_csv_free(csv);
}

static void quotes_lines_and_marks_of_rfc_4180(void **state)
{
	struct wg_csv *csv = open_good("\xEF\xBB\xBF"
	                               "a,b\r\n\"x,\"\"y\"\"\",\"1\r\n2\"\r\n\r\n3,4");
	assert_string_equal(wg_csv_column_name(csv, 0), "a");
	assert_string_equal(wg_csv_cell(csv, 0, 0), "x,\"y\"");
	assert_string_equal(wg_csv_cell(csv, 0, 1), "1\r\n2");
	assert_string_equal(wg_csv_cell(csv, 1, 1), "4");
	assert_int_equal(wg_csv_row_line(csv, 0), 2);
	assert_int_equal(wg_csv_row_line(csv, 1), 5);
	wg_csv_free(csv);
}

static void bad_tables_say_their_line(void **state)
{
	static const struct {
		const char *text;
		long line;
		const char *part;
	} cases[] = {
		{ "", 1, "no header" },
		{ "\n\n", 1, "no header" },
		{ "a,b\n1,2\n1\n", 3, "1 cells where the header has 2" },
		{ "a,b\n1,2,3\n", 2, "3 cells" },
		{ "a,\n", 1, "column 2 has no name" },
		{ "a,b,a\n", 1, "two columns are named \"a\"" },
		{ "a\n\n\"b\" c\n", 3, "double quote" },
		{ "a\nb\n\"c\nd\n", 3, "never closed" },
		{ "a\n\xB9\xFA\n", 2, "not in UTF-8" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct wg_error error =
			open_bad(cases[i].text, strlen(cases[i].text), WG_BAD_INPUT);
		assert_int_equal(error.line, cases[i].line);
		check_contains(error.message, cases[i].part);
	}
	assert_int_equal(open_bad("a\nb\0c\n", 6, WG_BAD_INPUT).line, 2);
}

static void longest_cell_is_read_and_one_more_is_not(void **state)
{
	size_t length = WG_LIMIT_CSV_CELL_BYTES + 2;
	char *text = malloc(length + 1);
	memset(text, 'x', length + 1);
	text[0] = 'a';
	text[1] = '\n';
	struct wg_csv *csv = NULL;
	struct wg_error error;
	check_status(wg_csv_open(text, length, "t.csv", &csv, &error), WG_OK, &error);
	assert_int_equal(strlen(wg_csv_cell(csv, 0, 0)), WG_LIMIT_CSV_CELL_BYTES);
	wg_csv_free(csv);
	assert_int_equal(open_bad(text, length + 1, WG_LIMIT).line, 2);
	free(text);
}

static void most_columns_are_read_and_one_more_is_not(void **state)
{
	struct wg_text text;
	struct wg_csv *csv = NULL;
	struct wg_error error;
	wg_text_init(&text, 1 << 16);
	for (int i = 0; i < WG_LIMIT_CSV_COLUMNS; i++)
		wg_text_printf(&text, "%sc%d", i ? "," : "", i);
	check_status(wg_csv_open(text.bytes, text.length, "t.csv", &csv, &error), WG_OK, &error);
	assert_int_equal(wg_csv_column_count(csv), WG_LIMIT_CSV_COLUMNS);
	wg_csv_free(csv);
	wg_text_add(&text, ",more");
	open_bad(text.bytes, text.length, WG_LIMIT);
	wg_text_done(&text);
}

static void numbers_know_their_place(void **state)
{
	struct wg_csv *csv = open_good("a,b\n1.5,\nx,2\n");
	struct wg_error error;
	bool present = false;
	double value = 7;
	check_status(wg_csv_number(csv, 0, 0, &present, &value, &error), WG_OK, &error);
	assert_true(present);
	check_close(value, 1.5, 0);
	check_status(wg_csv_number(csv, 0, 1, &present, &value, &error), WG_OK, &error);
	assert_false(present);
	check_close(value, 1.5, 0);
	check_status(wg_csv_number(csv, 1, 0, &present, &value, &error), WG_BAD_INPUT, &error);
	assert_int_equal(error.line, 3);
	check_contains(error.message, "column \"a\"");
	wg_csv_free(csv);
}

static void fields_are_quoted_and_formulas_disarmed(void **state)
{
	static const char *const fields[] = { "plain", "a,b",  "say \"x\"", "-1.5",
		                              "=1+1",  "@cmd", "-x",        "" };
	struct wg_text out;
	wg_text_init(&out, 1000);
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		wg_csv_put_field(&out, fields[i], i == 0);
	assert_string_equal(wg_text_string(&out),
	                    "plain,\"a,b\",\"say \"\"x\"\"\",-1.5,\"'=1+1\",\"'@cmd\",\"'-x\",");
	wg_text_done(&out);
}

/* What is written comes back: cells of all awkward characters, many times. */
static void written_tables_read_back(void **state)
{
	static const char alphabet[] = "a,\"\n\r b1.";
	unsigned seed = 1;
	for (int round = 0; round < 2000; round++) {
		char cells[4][12];
		struct wg_text out;
		wg_text_init(&out, 10000);
		wg_text_add(&out, "h0,h1\r\n");
		for (int i = 0; i < 4; i++) {
			size_t length = 1 + (seed = seed * 1103515245u + 12345u) / 65536 % 10;
			for (size_t j = 0; j < length; j++) {
				seed = seed * 1103515245u + 12345u;
				cells[i][j] = alphabet[seed / 65536 % (sizeof alphabet - 1)];
			}
			cells[i][length] = '\0';
			if (cells[i][0] == '\r')
				cells[i][0] = 'x';
			wg_csv_put_field(&out, cells[i], i % 2 == 0);
			if (i % 2 == 1)
				wg_text_add(&out, "\r\n");
		}
		struct wg_csv *csv = open_good(wg_text_string(&out));
		for (int i = 0; i < 4; i++)
			assert_string_equal(wg_csv_cell(csv, (size_t)i / 2, i % 2), cells[i]);
		wg_csv_free(csv);
		wg_text_done(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_by_header_name),
		cmocka_unit_test(quotes_lines_and_marks_of_rfc_4180),
		cmocka_unit_test(bad_tables_say_their_line),
		cmocka_unit_test(longest_cell_is_read_and_one_more_is_not),
		cmocka_unit_test(most_columns_are_read_and_one_more_is_not),
		cmocka_unit_test(numbers_know_their_place),
		cmocka_unit_test(fields_are_quoted_and_formulas_disarmed),
		cmocka_unit_test(written_tables_read_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
