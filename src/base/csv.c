/* CSV through libcsv, fed line by line so that every row knows its line. */
#include "whichgpu/csv.h"

#include <csv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "whichgpu/file.h"
#include "whichgpu/limits.h"
#include "whichgpu/map.h"
#include "whichgpu/number.h"

struct wg_csv {
	char *name;
	struct wg_text cells; /* NUL after each cell */
	uint32_t *offsets;    /* of cell [row * columns + column]; the header is row 0 */
	uint32_t *lines;      /* of each row */
	size_t cell_count, cell_capacity, row_count, row_capacity, columns;
};

/* What the callbacks of libcsv share while a file is read. */
struct reading {
	struct wg_csv *csv;
	struct wg_error *error;
	enum wg_status status;
	long line, row_line;
	size_t cells_in_row;
	bool in_row;
};

static enum wg_status fail_line(struct reading *reading, enum wg_status status, long line)
{
	wg_error_place(reading->error, reading->csv->name, line, 0, -1);
	return reading->status = status;
}

/* Doubles an array of uint32_t when it is full. */
static bool make_room(uint32_t **array, size_t count, size_t *capacity)
{
	if (count < *capacity)
		return true;
	size_t larger = *capacity ? *capacity * 2 : 256;
	uint32_t *grown = realloc(*array, larger * sizeof **array);
	if (!grown)
		return false;
	*array = grown;
	*capacity = larger;
	return true;
}

static void on_cell(void *bytes, size_t length, void *context)
{
	struct reading *reading = context;
	struct wg_csv *csv = reading->csv;
	if (reading->status != WG_OK)
		return;
	reading->in_row = true;
	if (length > WG_LIMIT_CSV_CELL_BYTES) {
		wg_error_set(reading->error, WG_LIMIT, _("a cell is longer than %zu bytes"),
		             WG_LIMIT_CSV_CELL_BYTES);
		fail_line(reading, WG_LIMIT, reading->row_line);
		return;
	}
	if (++reading->cells_in_row > WG_LIMIT_CSV_COLUMNS) {
		wg_error_set(reading->error, WG_LIMIT, _("a row has more than %d cells"),
		             WG_LIMIT_CSV_COLUMNS);
		fail_line(reading, WG_LIMIT, reading->row_line);
		return;
	}
	size_t offset = csv->cells.length;
	if (length > 0)
		wg_text_add_bytes(&csv->cells, bytes, length);
	wg_text_add_char(&csv->cells, '\0');
	if (csv->cells.failed || !make_room(&csv->offsets, csv->cell_count, &csv->cell_capacity)) {
		wg_error_no_memory(reading->error);
		fail_line(reading, WG_NO_MEMORY, reading->row_line);
		return;
	}
	csv->offsets[csv->cell_count++] = (uint32_t)offset;
}

static void on_row(int terminator, void *context)
{
	struct reading *reading = context;
	struct wg_csv *csv = reading->csv;
	if (reading->status != WG_OK)
		return;
	if (csv->row_count == 0)
		csv->columns = reading->cells_in_row;
	if (reading->cells_in_row != csv->columns) {
		wg_error_set(reading->error, WG_BAD_INPUT,
		             _("a row has %zu cells where the header has %zu"),
		             reading->cells_in_row, csv->columns);
		wg_error_hint(reading->error,
		              _("put cells that hold a comma or a line end in double "
		                "quotes"));
		fail_line(reading, WG_BAD_INPUT, reading->row_line);
		return;
	}
	if (!make_room(&csv->lines, csv->row_count, &csv->row_capacity)) {
		wg_error_no_memory(reading->error);
		fail_line(reading, WG_NO_MEMORY, reading->row_line);
		return;
	}
	csv->lines[csv->row_count++] = (uint32_t)reading->row_line;
	reading->cells_in_row = 0;
	reading->in_row = false;
	reading->row_line = reading->line;
}

/* libcsv takes blanks off cells; ours keep them. */
static int is_no_space(unsigned char c)
{
	return 0;
}

/* The buffer of the cell being read never grows past the limit of a cell. */
static void *bounded_realloc(void *pointer, size_t size)
{
	return size > WG_LIMIT_CSV_CELL_BYTES + 1024 ? NULL : realloc(pointer, size);
}

static enum wg_status fail_parse(struct reading *reading, struct csv_parser *parser)
{
	if (csv_error(parser) == CSV_EPARSE) {
		wg_error_set(reading->error, WG_BAD_INPUT,
		             _("a double quote stands where none can"));
		wg_error_hint(reading->error, _("write a double quote inside a quoted cell twice"));
		return fail_line(reading, WG_BAD_INPUT, reading->row_line);
	}
	if (csv_get_buffer_size(parser) < WG_LIMIT_CSV_CELL_BYTES)
		return reading->status = wg_error_no_memory(reading->error);
	wg_error_set(reading->error, WG_LIMIT, _("a cell is longer than %zu bytes"),
	             WG_LIMIT_CSV_CELL_BYTES);
	wg_error_hint(reading->error, _("is a closing double quote missing?"));
	return fail_line(reading, WG_LIMIT, reading->row_line);
}

static bool is_blank(const char *line, size_t length)
{
	return length == 0 || (length == 1 && (line[0] == '\n' || line[0] == '\r')) ||
	       (length == 2 && line[0] == '\r' && line[1] == '\n');
}

static enum wg_status check_line(struct reading *reading, const char *line, size_t length)
{
	if (memchr(line, '\0', length)) {
		wg_error_set(reading->error, WG_BAD_INPUT, _("a NUL byte in a text file"));
		wg_error_hint(reading->error, _("save the table as CSV in UTF-8"));
		return fail_line(reading, WG_BAD_INPUT, reading->line);
	}
	if (!wg_text_is_utf8(line, length)) {
		wg_error_set(reading->error, WG_BAD_INPUT, _("a line is not in UTF-8"));
		wg_error_hint(reading->error, _("save the table as CSV in UTF-8"));
		return fail_line(reading, WG_BAD_INPUT, reading->line);
	}
	return WG_OK;
}

static enum wg_status feed(struct reading *reading, struct csv_parser *parser, const char *text,
                           size_t length)
{
	for (size_t at = 0; at < length && reading->status == WG_OK; reading->line++) {
		const char *end = memchr(text + at, '\n', length - at);
		size_t size = end ? (size_t)(end - text) + 1 - at : length - at;
		const char *line = text + at;
		at += size;
		if (check_line(reading, line, size) != WG_OK)
			break;
		if (!reading->in_row) {
			if (is_blank(line, size))
				continue;
			reading->row_line = reading->line;
			reading->in_row = true;
		}
		if (csv_parse(parser, line, size, on_cell, on_row, reading) != size)
			return fail_parse(reading, parser);
	}
	if (reading->status == WG_OK && csv_fini(parser, on_cell, on_row, reading) != 0) {
		wg_error_set(reading->error, WG_BAD_INPUT, _("a quoted cell is never closed"));
		fail_line(reading, WG_BAD_INPUT, reading->row_line);
	}
	return reading->status;
}

static enum wg_status check_header(const struct wg_csv *csv, struct wg_error *error)
{
	if (csv->row_count == 0) {
		wg_error_set(error, WG_BAD_INPUT, _("\"%s\" has no header line"), csv->name);
		wg_error_place(error, csv->name, 1, 0, -1);
		return WG_BAD_INPUT;
	}
	for (size_t i = 0; i < csv->columns; i++) {
		const char *name = wg_csv_column_name(csv, i);
		if (!name[0])
			wg_error_set(error, WG_BAD_INPUT, _("column %zu has no name"), i + 1);
		else if (wg_csv_column_find(csv, name) != (long)i)
			wg_error_set(error, WG_BAD_INPUT, _("two columns are named \"%s\""), name);
		else
			continue;
		wg_error_place(error, csv->name, (long)csv->lines[0], 0, -1);
		return WG_BAD_INPUT;
	}
	return WG_OK;
}

static enum wg_status parse(struct wg_csv *csv, const char *text, size_t length,
                            struct wg_error *error)
{
	struct reading reading = { .csv = csv, .error = error, .line = 1, .row_line = 1 };
	struct csv_parser parser;
	if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
		return wg_error_no_memory(error);
	csv_set_space_func(&parser, is_no_space);
	csv_set_realloc_func(&parser, bounded_realloc);
	enum wg_status status = feed(&reading, &parser, text, length);
	csv_free(&parser);
	return status != WG_OK ? status : check_header(csv, error);
}

enum wg_status wg_csv_open(const char *text, size_t length, const char *name,
                           struct wg_csv **ret_csv, struct wg_error *error)
{
	if (length > WG_LIMIT_CSV_BYTES) {
		wg_error_set(error, WG_LIMIT, _("\"%s\" is larger than the limit of %zu bytes"),
		             name, WG_LIMIT_CSV_BYTES);
		wg_error_place(error, name, 0, 0, -1);
		return WG_LIMIT;
	}
	struct wg_csv *csv = calloc(1, sizeof *csv);
	if (!csv)
		return wg_error_no_memory(error);
	/* A NUL for every cell: at most one cell a byte, and one more at the end. */
	wg_text_init(&csv->cells, 2 * length + 2);
	csv->name = strdup(name);
	if (!csv->name) {
		wg_csv_free(csv);
		return wg_error_no_memory(error);
	}
	size_t skipped = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	enum wg_status status = parse(csv, text + skipped, length - skipped, error);
	if (status != WG_OK) {
		wg_csv_free(csv);
		return status;
	}
	*ret_csv = csv;
	return WG_OK;
}

enum wg_status wg_csv_open_file(const char *path, struct wg_csv **ret_csv, struct wg_error *error)
{
	char *bytes;
	size_t length;
	enum wg_status status = wg_file_read(path, WG_LIMIT_CSV_BYTES, &bytes, &length, error);
	if (status != WG_OK)
		return status;
	status = wg_csv_open(bytes, length, path, ret_csv, error);
	free(bytes);
	return status;
}

void wg_csv_free(struct wg_csv *csv)
{
	if (!csv)
		return;
	wg_text_done(&csv->cells);
	free(csv->offsets);
	free(csv->lines);
	free(csv->name);
	free(csv);
}

const char *wg_csv_name(const struct wg_csv *csv)
{
	return csv->name;
}

size_t wg_csv_row_count(const struct wg_csv *csv)
{
	return csv->row_count - 1;
}

size_t wg_csv_column_count(const struct wg_csv *csv)
{
	return csv->columns;
}

const char *wg_csv_column_name(const struct wg_csv *csv, size_t column)
{
	return csv->cells.bytes + csv->offsets[column];
}

long wg_csv_column_find(const struct wg_csv *csv, const char *name)
{
	for (size_t i = 0; i < csv->columns; i++)
		if (strcmp(wg_csv_column_name(csv, i), name) == 0)
			return (long)i;
	return -1;
}

const char *wg_csv_cell(const struct wg_csv *csv, size_t row, long column)
{
	if (column < 0)
		return "";
	return csv->cells.bytes + csv->offsets[(row + 1) * csv->columns + (size_t)column];
}

long wg_csv_row_line(const struct wg_csv *csv, size_t row)
{
	return (long)csv->lines[row + 1];
}

enum wg_status wg_csv_number(const struct wg_csv *csv, size_t row, long column, bool *ret_present,
                             double *ret_value, struct wg_error *error)
{
	const char *cell = wg_csv_cell(csv, row, column);
	double value;
	if (!cell[0]) {
		*ret_present = false;
		return WG_OK;
	}
	if (!wg_number_read(cell, strlen(cell), &value)) {
		wg_error_set(error, WG_BAD_INPUT, _("\"%s\" in column \"%s\" is not a number"),
		             cell, wg_csv_column_name(csv, (size_t)column));
		wg_error_place(error, csv->name, wg_csv_row_line(csv, row), 0, -1);
		return WG_BAD_INPUT;
	}
	*ret_present = true;
	*ret_value = value;
	return WG_OK;
}

void wg_csv_put_field(struct wg_text *out, const char *field, bool first_in_row)
{
	size_t length = strlen(field);
	double number;
	if (!first_in_row)
		wg_text_add_char(out, ',');
	/* A spreadsheet would take it for a formula. */
	bool formula = length > 0 && strchr("=+-@\t\r", field[0]) != NULL &&
	               !wg_number_read(field, length, &number);
	if (!formula && !strpbrk(field, ",\"\r\n")) {
		wg_text_add_bytes(out, field, length);
		return;
	}
	wg_text_add_char(out, '"');
	if (formula)
		wg_text_add_char(out, '\'');
	for (size_t i = 0; i < length; i++) {
		if (field[i] == '"')
			wg_text_add_char(out, '"');
		wg_text_add_char(out, field[i]);
	}
	wg_text_add_char(out, '"');
}
