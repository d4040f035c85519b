/* CSV tables with a header line, read through libcsv (RFC 4180; CRLF and a
 * UTF-8 mark accepted; NUL bytes, ragged rows, a missing header and anything
 * over limits.h refused with line number). Cells are text, trimmed of nothing.
 * Free the root. */
#ifndef WHICHGPU_CSV_H
#define WHICHGPU_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "whichgpu/status.h"
#include "whichgpu/text.h"

struct wg_csv;

enum wg_status wg_csv_open(const char *text, size_t length, const char *name,
                           struct wg_csv **ret_csv, struct wg_error *error);
enum wg_status wg_csv_open_file(const char *path, struct wg_csv **ret_csv, struct wg_error *error);
void wg_csv_free(struct wg_csv *csv);

const char *wg_csv_name(const struct wg_csv *csv);
size_t wg_csv_row_count(const struct wg_csv *csv);
size_t wg_csv_column_count(const struct wg_csv *csv);
const char *wg_csv_column_name(const struct wg_csv *csv, size_t column);
/* Column by header name, or -1. */
long wg_csv_column_find(const struct wg_csv *csv, const char *name);
/* "" when column is -1 or the cell is empty. */
const char *wg_csv_cell(const struct wg_csv *csv, size_t row, long column);
/* Line of the file on which the row starts, from 1. */
long wg_csv_row_line(const struct wg_csv *csv, size_t row);
/* Number in a cell: false when empty; a cell that is not a number sets error
 * (file, line, column name) and *ret_status. */
enum wg_status wg_csv_number(const struct wg_csv *csv, size_t row, long column, bool *ret_present,
                             double *ret_value, struct wg_error *error);

/* Writing: one field with RFC 4180 quoting; a cell that starts with = + - @
 * and is not a number gets a leading ' so that a spreadsheet does not run it. */
void wg_csv_put_field(struct wg_text *out, const char *field, bool first_in_row);

#endif
