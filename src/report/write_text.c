/* A document on a terminal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "report/grid.h"
#include "report/screen.h"
#include "report/wrap.h"
#include "whichgpu/limits.h"

enum { LEAST_COLUMNS = 40, MOST_COLUMNS = 400, DEFAULT_COLUMNS = 100 };

/* --- screen -------------------------------------------------------------- */

void screen_style(const struct screen *screen, enum style style)
{
	static const char *const codes[] = {
		[STYLE_STRONG] = "\033[1m",
		[STYLE_QUIET] = "\033[2m",
		[STYLE_WARNING] = "\033[33m",
		[STYLE_BAR] = "\033[36m",
	};

	if (screen->colour)
		wg_text_add(screen->out, codes[style]);
}

void screen_plain(const struct screen *screen)
{
	if (screen->colour)
		wg_text_add(screen->out, "\033[0m");
}

void screen_rule(const struct screen *screen, size_t columns)
{
	screen_style(screen, STYLE_QUIET);
	for (size_t i = 0; i < columns; i++)
		wg_text_add(screen->out, screen->ascii ? "-" : "─");
	screen_plain(screen);
	wg_text_add_char(screen->out, '\n');
}

/* As it is, but every blank a plain one. */
static void put_plain_blanks(const struct screen *screen, const char *text, size_t length)
{
	const char *joint;

	while ((joint = memmem(text, length, GRID_JOINT, strlen(GRID_JOINT)))) {
		wg_text_add_bytes(screen->out, text, (size_t)(joint - text));
		wg_text_add_char(screen->out, ' ');
		joint += strlen(GRID_JOINT);
		length -= (size_t)(joint - text);
		text = joint;
	}
	wg_text_add_bytes(screen->out, text, length);
}

void screen_wrapped(const struct screen *screen, const char *text, size_t indent)
{
	bool first = true;

	while (text) {
		const char *line = text;
		size_t length = wrap_line(text, screen->columns - indent, &text);

		if (!first && length > 0)
			wg_text_add_repeated(screen->out, ' ', indent);
		put_plain_blanks(screen, line, length);
		wg_text_add_char(screen->out, '\n');
		first = false;
	}
}

void screen_padded(const struct screen *screen, const char *text, size_t length, size_t width,
                   bool right)
{
	size_t used = wrap_width(text, length);
	size_t blanks = used < width ? width - used : 0;

	if (right)
		wg_text_add_repeated(screen->out, ' ', blanks);
	put_plain_blanks(screen, text, length);
	if (!right)
		wg_text_add_repeated(screen->out, ' ', blanks);
}

/* Widest label, but no more than the share of the screen labels may take. */
static size_t label_columns(const char *const *labels, size_t count, size_t most)
{
	size_t width = 0;

	for (size_t i = 0; i < count; i++) {
		size_t own = wg_text_width(labels[i]);

		if (own > width && own <= most)
			width = own;
	}
	return width;
}

void screen_pairs(const struct screen *screen, const char *const *labels, const char *const *values,
                  size_t count)
{
	size_t width = label_columns(labels, count, screen->columns * 2 / 5);
	size_t indent = width + 2;

	for (size_t i = 0; i < count; i++) {
		size_t own = wg_text_width(labels[i]);

		if (own > width) {
			/* a label too long for its column has a line of its own */
			screen_wrapped(screen, labels[i], 0);
			if (!values[i][0])
				continue;
			wg_text_add_repeated(screen->out, ' ', indent);
		} else {
			wg_text_add(screen->out, labels[i]);
			if (values[i][0])
				wg_text_add_repeated(screen->out, ' ', indent - own);
		}
		screen_wrapped(screen, values[i], indent);
	}
}

/* --- blocks -------------------------------------------------------------- */

static void put_heading(const struct screen *screen, const char *text)
{
	size_t width = wg_text_width(text);

	screen_style(screen, STYLE_STRONG);
	screen_wrapped(screen, text, 0);
	screen_plain(screen);
	screen_rule(screen, width < screen->columns ? width : screen->columns);
}

static void put_note(const struct screen *screen, const char *text)
{
	const char *word = _("Note: ");

	screen_style(screen, STYLE_WARNING);
	wg_text_add(screen->out, word);
	screen_wrapped(screen, text, wg_text_width(word));
	screen_plain(screen);
}

static void put_title(const struct screen *screen, const struct wg_block *block)
{
	if (!block->text[0])
		return;
	screen_style(screen, STYLE_STRONG);
	screen_wrapped(screen, block->text, 0);
	screen_plain(screen);
}

/* Labels and values of a list or bars as arrays; false when memory is out. */
static bool pairs_collect(const struct wg_block *block, struct wg_arena *arena,
                          const char ***ret_labels, const char ***ret_values)
{
	const char **labels = wg_arena_array(arena, block->row_count + 1, sizeof *labels);
	const char **values = wg_arena_array(arena, block->row_count + 1, sizeof *values);
	struct wg_text value;
	size_t i = 0;
	struct scale scale;
	bool common = block->kind == BLOCK_BARS && grid_scale(block, 0, arena, &scale);
	bool ok = labels && values;

	wg_text_init(&value, WG_LIMIT_TEXT_BYTES);
	for (const struct row *row = block->first_row; ok && row; row = row->next, i++) {
		wg_text_clear(&value);
		if (common)
			cell_write_in(&row->cells[0], &scale, true, &value);
		else
			wg_cell_write(&row->cells[0], &value);
		labels[i] = row->label;
		values[i] = wg_arena_strdup(arena, wg_text_string(&value));
		ok = values[i] && !value.failed;
	}
	wg_text_done(&value);
	*ret_labels = labels;
	*ret_values = values;
	return ok;
}

/* A bar of `share` of `width` columns, in eighths of a column where there are
 * block characters. */
static void put_bar(const struct screen *screen, double share, size_t width)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned parts = (unsigned)lround(share * (double)width * 8);

	screen_style(screen, STYLE_BAR);
	for (unsigned i = 0; i < parts / 8; i++)
		wg_text_add(screen->out, screen->ascii ? "#" : "█");
	if (!screen->ascii)
		wg_text_add(screen->out, eighths[parts % 8]);
	screen_plain(screen);
}

/* label, value, bar: the bar last, so that values stand in a column. */
static void bars_draw(const struct screen *screen, const struct wg_block *block,
                      const char *const *labels, const char *const *values, size_t bar)
{
	size_t label = label_columns(labels, block->row_count, SIZE_MAX);
	size_t value_columns = label_columns(values, block->row_count, SIZE_MAX);
	double largest = 0;
	size_t i = 0;

	for (const struct row *row = block->first_row; row; row = row->next) {
		double value;

		if (cell_magnitude(&row->cells[0], &value) && value > largest)
			largest = value;
	}
	for (const struct row *row = block->first_row; row; row = row->next, i++) {
		double value = 0;

		screen_padded(screen, labels[i], strlen(labels[i]), label + 2, false);
		screen_padded(screen, values[i], strlen(values[i]), value_columns, true);
		if (cell_magnitude(&row->cells[0], &value) && value > 0) {
			wg_text_add(screen->out, "  ");
			put_bar(screen, value / largest, bar);
		}
		wg_text_add_char(screen->out, '\n');
	}
}

static void put_pairs(const struct screen *screen, const struct wg_block *block)
{
	struct wg_arena *arena = wg_arena_open(0);
	const char **labels, **values;
	size_t taken;

	if (!arena || !pairs_collect(block, arena, &labels, &values)) {
		screen->out->failed = true;
		wg_arena_free(arena);
		return;
	}
	taken = label_columns(labels, block->row_count, SIZE_MAX) +
	        label_columns(values, block->row_count, SIZE_MAX) + 4;
	if (block->kind == BLOCK_BARS && taken + 10 <= screen->columns) {
		size_t room = screen->columns - taken;

		bars_draw(screen, block, labels, values, room < 50 ? room : 50);
	} else {
		screen_pairs(screen, labels, values, block->row_count);
	}
	wg_arena_free(arena);
}

static void put_block(const struct screen *screen, const struct wg_block *block)
{
	switch (block->kind) {
	case BLOCK_HEADING:
		put_heading(screen, block->text);
		break;
	case BLOCK_PARAGRAPH:
		screen_wrapped(screen, block->text, 0);
		break;
	case BLOCK_NOTE:
		put_note(screen, block->text);
		break;
	case BLOCK_TABLE:
		put_title(screen, block);
		screen_table(screen, block);
		break;
	case BLOCK_LIST:
	case BLOCK_BARS:
		put_title(screen, block);
		put_pairs(screen, block);
		break;
	case BLOCK_PICTURE:
		break;
	}
}

/* Do these two stand together, with no empty line between them? */
static bool stand_together(const struct wg_block *first, const struct wg_block *second)
{
	return first->kind == BLOCK_HEADING ||
	       (first->kind == BLOCK_NOTE && second->kind == BLOCK_NOTE);
}

void wg_write_text(const struct wg_document *document, const struct wg_report_options *options,
                   struct wg_text *out)
{
	size_t columns = options->columns ? options->columns : DEFAULT_COLUMNS;
	struct screen screen = { out, columns, options->colour, options->ascii };
	const struct wg_block *previous = NULL;

	if (screen.columns < LEAST_COLUMNS)
		screen.columns = LEAST_COLUMNS;
	if (screen.columns > MOST_COLUMNS)
		screen.columns = MOST_COLUMNS;
	for (const struct wg_block *block = document->first_block; block; block = block->next) {
		if (block->kind == BLOCK_PICTURE)
			continue;
		if (previous && !stand_together(previous, block))
			wg_text_add_char(out, '\n');
		put_block(&screen, block);
		previous = block;
	}
}
