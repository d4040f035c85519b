/* A table as strings: which unit each column is shown in, and the cells in
 * it. Shared by the text, Markdown and HTML writers. */
#ifndef WHICHGPU_REPORT_GRID_H
#define WHICHGPU_REPORT_GRID_H

#include "report/document.h"
#include "report/units.h"
#include "whichgpu/arena.h"

/* A blank at which no line ends (U+00A0), inside this module only. */
#define GRID_JOINT "\u00a0"

/* Widths a column can do with: all in one line; text in lines of some length;
 * ranges in two lines and text in short ones; a word a line. */
enum need { NATURAL, SOFT, TIGHT, LEAST, NEED_COUNT };

struct grid_column {
	const struct wg_column *column; /* one of the table's */
	const char *unit;               /* for the head; "" when cells carry their own */
	bool numeric;                   /* has no text cells: broken into lines last */
	/* filled by the text writer */
	size_t need[NEED_COUNT], width;
	bool shown;
};

struct grid {
	struct wg_arena *arena;
	size_t row_count, column_count;
	struct grid_column *columns;
	const char **cells; /* row_count x column_count */
	bool has_unknown, has_absent;
};

/* Columns in which every cell is empty are left out. brief: not known is "?" and absent "-", to be explained once; else in words.
 * false when memory is out. */
bool grid_init(struct grid *grid, const struct wg_block *table, bool brief);
void grid_done(struct grid *grid);
/* One scale for all numbers of a column (of bars: 0), so that they compare at a
 * glance: that of the median, if every value is readable in it and all are of
 * one unit; else false. */
bool grid_scale(const struct wg_block *block, size_t column, struct wg_arena *arena,
                struct scale *ret_scale);
const char *grid_cell(const struct grid *grid, size_t row, size_t column);

#endif
