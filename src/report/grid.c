#include "report/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "whichgpu/limits.h"

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

bool grid_scale(const struct wg_block *block, size_t column, struct wg_arena *arena,
                struct scale *ret_scale)
{
	double *values = wg_arena_array(arena, block->row_count + 1, sizeof *values);
	size_t count = 0;
	enum wg_unit unit = WG_UNIT_NONE;
	struct scale scale;

	if (!values)
		return false;
	for (const struct row *row = block->first_row; row; row = row->next) {
		const struct wg_cell *cell = &row->cells[column];

		if (!cell_magnitude(cell, &values[count]))
			continue;
		if (count > 0 && cell->unit != unit)
			return false;
		unit = cell->unit;
		count++;
	}
	if (count == 0)
		return false;
	qsort(values, count, sizeof *values, compare_doubles);
	scale = scale_for(unit, values[count / 2]);
	for (size_t i = 0; i < count; i++) {
		if (!scale_suits(&scale, values[i]))
			return false;
	}
	*ret_scale = scale;
	return true;
}

/* "71.2 of 79.1" breaks before "of" only: the last blank does not break, and
 * the screen writes it as a plain one. */
static const char *join_last_word(struct wg_arena *arena, const char *text)
{
	const char *blank = strrchr(text, ' ');

	if (!blank)
		return wg_arena_strdup(arena, text);
	return wg_arena_printf(arena, "%.*s" GRID_JOINT "%s", (int)(blank - text), text, blank + 1);
}

static const char *cell_string(struct grid *grid, const struct wg_cell *cell,
                               const struct scale *common, bool brief, struct wg_text *scratch)
{
	wg_text_clear(scratch);
	if (brief && cell->kind == WG_CELL_NOT_KNOWN) {
		grid->has_unknown = true;
		return "?";
	}
	if (brief && cell->kind == WG_CELL_ABSENT) {
		grid->has_absent = true;
		return "-";
	}
	if (common)
		cell_write_in(cell, common, false, scratch);
	else
		wg_cell_write(cell, scratch);
	if (brief && cell->kind == WG_CELL_OF)
		return join_last_word(grid->arena, wg_text_string(scratch));
	return wg_arena_strdup(grid->arena, wg_text_string(scratch));
}

static bool column_fill(struct grid *grid, const struct wg_block *table, size_t index, bool brief,
                        struct wg_text *scratch)
{
	struct grid_column *column = &grid->columns[index];
	size_t source = (size_t)(column->column - table->columns), at = index;
	struct scale scale;
	bool common = grid_scale(table, source, grid->arena, &scale);

	column->unit = common ? wg_arena_strdup(grid->arena, scale.header) : "";
	column->numeric = true;
	for (const struct row *row = table->first_row; row; row = row->next) {
		const struct wg_cell *cell = &row->cells[source];

		if (cell->kind == WG_CELL_TEXT)
			column->numeric = false;
		grid->cells[at] = cell_string(grid, cell, common ? &scale : NULL, brief, scratch);
		if (!grid->cells[at] || !column->unit)
			return false;
		at += grid->column_count;
	}
	return true;
}

static bool has_content(const struct wg_block *table, size_t column)
{
	for (const struct row *row = table->first_row; row; row = row->next) {
		if (row->cells[column].kind != WG_CELL_EMPTY)
			return true;
	}
	return table->row_count == 0;
}

static void choose_columns(struct grid *grid, const struct wg_block *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		if (has_content(table, i))
			grid->columns[grid->column_count++].column = &table->columns[i];
	}
}

bool grid_init(struct grid *grid, const struct wg_block *table, bool brief)
{
	struct wg_text scratch;
	bool ok;

	*grid = (struct grid){ .row_count = table->row_count };
	wg_text_init(&scratch, WG_LIMIT_TEXT_BYTES);
	grid->arena = wg_arena_open(0);
	if (grid->arena) {
		grid->columns =
			wg_arena_array(grid->arena, table->column_count, sizeof *grid->columns);
		grid->cells = wg_arena_array(grid->arena, grid->row_count * table->column_count + 1,
		                             sizeof *grid->cells);
	}
	ok = grid->columns && grid->cells;
	if (ok)
		choose_columns(grid, table);
	for (size_t i = 0; ok && i < grid->column_count; i++)
		ok = column_fill(grid, table, i, brief, &scratch);
	ok = ok && !scratch.failed;
	wg_text_done(&scratch);
	if (!ok)
		grid_done(grid);
	return ok;
}

void grid_done(struct grid *grid)
{
	wg_arena_free(grid->arena);
	*grid = (struct grid){ 0 };
}

const char *grid_cell(const struct grid *grid, size_t row, size_t column)
{
	return grid->cells[row * grid->column_count + column];
}
