/* Tables on a screen of a given width.
 *
 * What happens when a table is too wide, in this order: long text columns are
 * narrowed and their cells broken into lines; ranges and pairs of numbers take
 * two lines; columns are left out, highest priority number first, and named
 * under the table; at last each row becomes a list of its own, so that nothing
 * of priority 0 is ever lost. */
#include <string.h>

#include "base/i18n.h"
#include "report/grid.h"
#include "report/screen.h"
#include "report/wrap.h"
#include "whichgpu/limits.h"

enum { GAP = 2, SOFT_TEXT = 24, TIGHT_TEXT = 18, TEXT_RANK = 1 << 20 };

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void measure(struct grid *grid)
{
	for (size_t i = 0; i < grid->column_count; i++) {
		struct grid_column *column = &grid->columns[i];
		size_t head = larger(wrap_longest_word(column->column->title),
		                     wg_text_width(column->unit));
		size_t widest, word;

		/* a head of many words gets two or three lines; wrapping needs two columns */
		head = larger(larger(head, 2), (wg_text_width(column->column->title) + 2) / 3);
		widest = word = head;
		for (size_t row = 0; row < grid->row_count; row++) {
			const char *cell = grid_cell(grid, row, i);

			widest = larger(widest, wg_text_width(cell));
			word = larger(word, wrap_longest_word(cell));
		}
		column->need[NATURAL] = widest;
		column->need[SOFT] = widest;
		column->need[TIGHT] = word;
		column->need[LEAST] = word;
		if (!column->numeric) {
			column->need[SOFT] = larger(word, widest < SOFT_TEXT ? widest : SOFT_TEXT);
			column->need[TIGHT] =
				larger(word, widest < TIGHT_TEXT ? widest : TIGHT_TEXT);
		}
		column->shown = true;
	}
}

static size_t total_need(const struct grid *grid, enum need need)
{
	size_t total = 0;

	for (size_t i = 0; i < grid->column_count; i++) {
		if (grid->columns[i].shown)
			total += (total ? GAP : 0) + grid->columns[i].need[need];
	}
	return total;
}

/* Half a number in a line helps nobody; more words in a line always do. */
static void give_to_text(struct grid *grid, size_t spare)
{
	bool gave = true;

	while (spare > 0 && gave) {
		gave = false;
		for (size_t i = 0; i < grid->column_count && spare > 0; i++) {
			struct grid_column *column = &grid->columns[i];

			if (!column->shown || column->numeric ||
			    column->width >= column->need[NATURAL])
				continue;
			column->width++;
			spare--;
			gave = true;
		}
	}
}

/* The column that lacks least to come in one line, numbers before text; or
 * column_count when none lacks anything. */
static size_t nearest_to_natural(const struct grid *grid)
{
	size_t found = grid->column_count, least = SIZE_MAX;

	for (size_t i = 0; i < grid->column_count; i++) {
		const struct grid_column *column = &grid->columns[i];
		size_t lacking = column->need[NATURAL] - column->width;
		size_t rank = lacking + (column->numeric ? 0 : TEXT_RANK);

		if (column->shown && lacking > 0 && rank < least) {
			found = i;
			least = rank;
		}
	}
	return found;
}

/* Gives every column what it needs, then the rest to those that come in one
 * line with it; what is left then goes to the text that comes nearest. */
static void share_width(struct grid *grid, enum need need, size_t screen_columns)
{
	size_t spare = screen_columns - total_need(grid, need);

	for (size_t i = 0; i < grid->column_count; i++)
		grid->columns[i].width = grid->columns[i].need[need];
	for (;;) {
		size_t i = nearest_to_natural(grid);
		size_t lacking;

		if (i == grid->column_count)
			return;
		lacking = grid->columns[i].need[NATURAL] - grid->columns[i].width;
		if (lacking > spare) {
			give_to_text(grid, spare);
			return;
		}
		grid->columns[i].width += lacking;
		spare -= lacking;
	}
}

/* Widths for the columns that are shown; false when they do not stand side by
 * side even at this need. */
static bool fit_at(struct grid *grid, enum need need, size_t screen_columns)
{
	if (total_need(grid, need) > screen_columns)
		return false;
	share_width(grid, need, screen_columns);
	return true;
}

/* The column to leave out next, or column_count. */
static size_t least_important(const struct grid *grid)
{
	size_t found = grid->column_count;

	for (size_t i = 0; i < grid->column_count; i++) {
		const struct grid_column *column = &grid->columns[i];

		if (column->shown && column->column->priority > 0 &&
		    (found == grid->column_count ||
		     column->column->priority >= grid->columns[found].column->priority))
			found = i;
	}
	return found;
}

/* Room that is left after wide columns went may be enough for narrow ones. */
static void show_again(struct grid *grid, size_t screen_columns)
{
	for (int priority = 1; priority < 100; priority++) {
		for (size_t i = 0; i < grid->column_count; i++) {
			struct grid_column *column = &grid->columns[i];

			if (column->shown || column->column->priority != priority)
				continue;
			column->shown = true;
			if (total_need(grid, TIGHT) > screen_columns)
				column->shown = false;
		}
	}
}

/* false: even the columns that must be shown do not stand side by side. */
static bool fit(struct grid *grid, size_t screen_columns)
{
	bool dropped = false;

	measure(grid);
	while (total_need(grid, TIGHT) > screen_columns) {
		size_t drop = least_important(grid);

		if (drop == grid->column_count)
			return fit_at(grid, LEAST, screen_columns);
		grid->columns[drop].shown = false;
		dropped = true;
	}
	if (dropped)
		show_again(grid, screen_columns);
	return fit_at(grid, SOFT, screen_columns) || fit_at(grid, TIGHT, screen_columns);
}

static void trim_line(struct wg_text *out)
{
	while (out->length > 0 && out->bytes[out->length - 1] == ' ')
		out->bytes[--out->length] = '\0';
}

/* Line `line` of a string broken to a width: its bytes, or length 0. */
static const char *nth_line(const char *text, size_t width, size_t line, size_t *ret_length)
{
	while (text && line > 0) {
		wrap_line(text, width, &text);
		line--;
	}
	*ret_length = 0;
	if (text) {
		const char *next;

		*ret_length = wrap_line(text, width, &next);
	}
	return text ? text : "";
}

/* Titles stand at the bottom of the head, units in a line under them. */
static void put_head(const struct screen *screen, const struct grid *grid)
{
	size_t lines = 1;
	bool has_units = false;

	for (size_t i = 0; i < grid->column_count; i++) {
		const struct grid_column *column = &grid->columns[i];

		if (!column->shown)
			continue;
		lines = larger(lines, wrap_count(column->column->title, column->width));
		has_units = has_units || column->unit[0];
	}
	for (size_t line = 0; line < lines + has_units; line++) {
		bool first = true;

		screen_style(screen, line < lines ? STYLE_STRONG : STYLE_QUIET);
		for (size_t i = 0; i < grid->column_count; i++) {
			const struct grid_column *column = &grid->columns[i];
			const char *title = column->column->title;
			size_t width = column->width, length = 0, own;

			if (!column->shown)
				continue;
			own = wrap_count(title, width);
			if (line == lines) {
				title = column->unit;
				length = strlen(title);
			} else if (line + own >= lines) {
				title = nth_line(title, width, line + own - lines, &length);
			}
			wg_text_add_repeated(screen->out, ' ', first ? 0 : GAP);
			screen_padded(screen, title, length, column->width, column->column->right);
			first = false;
		}
		trim_line(screen->out);
		screen_plain(screen);
		wg_text_add_char(screen->out, '\n');
	}
}

static void put_row(const struct screen *screen, const struct grid *grid, size_t row)
{
	size_t lines = 1;

	for (size_t i = 0; i < grid->column_count; i++) {
		if (grid->columns[i].shown)
			lines = larger(lines,
			               wrap_count(grid_cell(grid, row, i), grid->columns[i].width));
	}
	for (size_t line = 0; line < lines; line++) {
		bool first = true;

		for (size_t i = 0; i < grid->column_count; i++) {
			const struct grid_column *column = &grid->columns[i];
			const char *part;
			size_t length;

			if (!column->shown)
				continue;
			part = nth_line(grid_cell(grid, row, i), column->width, line, &length);
			wg_text_add_repeated(screen->out, ' ', first ? 0 : GAP);
			screen_padded(screen, part, length, column->width, column->column->right);
			first = false;
		}
		trim_line(screen->out);
		wg_text_add_char(screen->out, '\n');
	}
}

/* Says which columns are missing and how wide the screen would have to be. */
static void put_left_out(const struct screen *screen, struct grid *grid)
{
	struct wg_text words;
	bool any = false;

	wg_text_init(&words, WG_LIMIT_TEXT_BYTES);
	wg_text_add(&words, _("left out for lack of width: "));
	for (size_t i = 0; i < grid->column_count; i++) {
		if (grid->columns[i].shown)
			continue;
		wg_text_printf(&words, "%s%s", any ? ", " : "", grid->columns[i].column->title);
		any = true;
		grid->columns[i].shown = true;
	}
	if (any) {
		size_t wanted = total_need(grid, TIGHT);

		if (wanted <= 400)
			wg_text_printf(&words, _(" (all with --columns %zu)"), wanted);
		screen_style(screen, STYLE_QUIET);
		screen_wrapped(screen, wg_text_string(&words), 0);
		screen_plain(screen);
	}
	scratch_done(&words, screen->out);
}

static void put_legend(const struct screen *screen, const struct grid *grid)
{
	if (!grid->has_unknown && !grid->has_absent)
		return;
	screen_style(screen, STYLE_QUIET);
	screen_wrapped(screen,
	               grid->has_unknown && grid->has_absent
	                       ? _("? not known   - the hardware has none")
	               : grid->has_unknown ? _("? not known")
	                                   : _("- the hardware has none"),
	               0);
	screen_plain(screen);
}

/* Each row as a list of its own. */
static void put_records(const struct screen *screen, const struct grid *grid)
{
	const char **labels = wg_arena_array(grid->arena, grid->column_count, sizeof *labels);
	const char **values = wg_arena_array(grid->arena, grid->column_count, sizeof *values);

	if (!labels || !values) {
		screen->out->failed = true;
		return;
	}
	for (size_t i = 0; i < grid->column_count; i++) {
		const struct grid_column *column = &grid->columns[i];

		labels[i] = column->column->title;
		if (column->unit[0])
			labels[i] = wg_arena_printf(grid->arena, "%s, %s", labels[i], column->unit);
		if (!labels[i]) {
			screen->out->failed = true;
			return;
		}
	}
	for (size_t row = 0; row < grid->row_count; row++) {
		for (size_t i = 0; i < grid->column_count; i++)
			values[i] = grid_cell(grid, row, i);
		if (row > 0)
			wg_text_add_char(screen->out, '\n');
		screen_pairs(screen, labels, values, grid->column_count);
	}
}

void screen_table(const struct screen *screen, const struct wg_block *table)
{
	struct grid grid;

	if (!grid_init(&grid, table, true)) {
		screen->out->failed = true;
		return;
	}
	if (fit(&grid, screen->columns)) {
		size_t width = 0;

		for (size_t i = 0; i < grid.column_count; i++) {
			if (grid.columns[i].shown)
				width += (width ? GAP : 0) + grid.columns[i].width;
		}
		put_head(screen, &grid);
		screen_rule(screen, width);
		for (size_t row = 0; row < grid.row_count; row++)
			put_row(screen, &grid, row);
		if (grid.row_count == 0)
			wg_text_printf(screen->out, "%s\n", _("(none)"));
		put_left_out(screen, &grid);
	} else {
		put_records(screen, &grid);
	}
	put_legend(screen, &grid);
	grid_done(&grid);
}
