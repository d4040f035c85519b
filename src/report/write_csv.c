/* The main table as CSV: keys as header, bare SI numbers, an estimate as three
 * columns, and an empty field where nothing is known. Without a table, the
 * lists: label, value. */
#include "report/document.h"

#include <math.h>
#include <stdlib.h>

#include "whichgpu/csv.h"
#include "whichgpu/number.h"

/* How a column of cells is spread over CSV columns. */
enum spread { SPREAD_ONE, SPREAD_RANGE, SPREAD_OF };

static enum spread column_spread(const struct wg_block *table, size_t column)
{
	enum spread spread = SPREAD_ONE;

	for (const struct row *row = table->first_row; row; row = row->next) {
		enum wg_cell_kind kind = row->cells[column].kind;

		if (kind == WG_CELL_RANGE)
			return SPREAD_RANGE;
		if (kind == WG_CELL_OF)
			spread = SPREAD_OF;
	}
	return spread;
}

static void put_number(double value, bool first, struct wg_text *out)
{
	char buffer[32] = "";

	if (isfinite(value))
		wg_number_write(buffer, sizeof buffer, value);
	wg_csv_put_field(out, buffer, first);
}

static void put_head(const char *key, enum spread spread, bool first, struct wg_text *out)
{
	static const char *const endings[][3] = {
		[SPREAD_ONE] = { "" },
		[SPREAD_RANGE] = { "_low", "_likely", "_high" },
		[SPREAD_OF] = { "", "_available" },
	};
	struct wg_text name;

	wg_text_init(&name, 4096);
	for (size_t i = 0; i < 3 && endings[spread][i]; i++) {
		wg_text_clear(&name);
		wg_text_printf(&name, "%s%s", key, endings[spread][i]);
		wg_csv_put_field(out, wg_text_string(&name), first && i == 0);
	}
	scratch_done(&name, out);
}

static void put_range(const struct wg_cell *cell, bool first, struct wg_text *out)
{
	double exact = cell->kind == WG_CELL_NUMBER ? cell->value : NAN;
	bool ranged = cell->kind == WG_CELL_RANGE;

	put_number(ranged ? cell->range.low : exact, first, out);
	put_number(ranged ? cell->range.likely : exact, false, out);
	put_number(ranged ? cell->range.high : exact, false, out);
}

static void put_cell(const struct wg_cell *cell, enum spread spread, bool first,
                     struct wg_text *out)
{
	bool numeric = cell->kind == WG_CELL_NUMBER || cell->kind == WG_CELL_OF;

	if (spread == SPREAD_RANGE) {
		put_range(cell, first, out);
		return;
	}
	if (cell->kind == WG_CELL_TEXT)
		wg_csv_put_field(out, cell->text ? cell->text : "", first);
	else
		put_number(numeric ? cell->value : NAN, first, out);
	if (spread == SPREAD_OF)
		put_number(cell->kind == WG_CELL_OF ? cell->of : NAN, false, out);
}

static void put_table(const struct wg_block *table, struct wg_text *out)
{
	enum spread *spreads = calloc(table->column_count + 1, sizeof *spreads);

	if (!spreads) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < table->column_count; i++) {
		spreads[i] = column_spread(table, i);
		put_head(table->columns[i].key, spreads[i], i == 0, out);
	}
	wg_text_add(out, "\n");
	for (const struct row *row = table->first_row; row; row = row->next) {
		for (size_t i = 0; i < table->column_count; i++)
			put_cell(&row->cells[i], spreads[i], i == 0, out);
		wg_text_add(out, "\n");
	}
	free(spreads);
}

void wg_write_csv(const struct wg_document *document, struct wg_text *out)
{
	if (document->main_table) {
		put_table(document->main_table, out);
		return;
	}
	wg_text_add(out, "label,value\n");
	for (const struct wg_block *block = document->first_block; block; block = block->next) {
		if (block->kind != BLOCK_LIST && block->kind != BLOCK_BARS)
			continue;
		for (const struct row *row = block->first_row; row; row = row->next) {
			wg_csv_put_field(out, row->label, true);
			put_cell(&row->cells[0], SPREAD_ONE, false, out);
			wg_text_add(out, "\n");
		}
	}
}
