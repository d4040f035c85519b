#include "tui/screen.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void screen_init(struct screen *screen)
{
	memset(screen, 0, sizeof *screen);
}

void screen_done(struct screen *screen)
{
	free(screen->cells);
	memset(screen, 0, sizeof *screen);
}

bool screen_resize(struct screen *screen, int rows, int columns)
{
	struct screen_cell *cells;

	rows = rows < 1 ? 1 : rows > SCREEN_ROWS_MOST ? SCREEN_ROWS_MOST : rows;
	columns = columns < 1 ? 1 : columns > SCREEN_COLUMNS_MOST ? SCREEN_COLUMNS_MOST : columns;
	cells = realloc(screen->cells, (size_t)rows * (size_t)columns * sizeof *cells);
	if (!cells)
		return false;
	screen->cells = cells;
	screen->rows = rows;
	screen->columns = columns;
	screen_clear(screen);
	return true;
}

void screen_clear(struct screen *screen)
{
	for (int i = 0; i < screen->rows * screen->columns; i++)
		screen->cells[i] = (struct screen_cell){ .text = " " };
}

static struct screen_cell *cell_at(struct screen *screen, int row, int column)
{
	if (row < 0 || row >= screen->rows || column < 0 || column >= screen->columns)
		return NULL;
	return &screen->cells[row * screen->columns + column];
}

/* One character; its width in columns. */
static int put_character(struct screen *screen, int row, int column, const char *bytes,
                         size_t length, enum screen_style style)
{
	char text[5] = "?";
	struct screen_cell *cell;
	uint32_t code;
	size_t size = wg_utf8_next(bytes, length, &code);
	int width;

	if (size > 0 && !wg_utf8_is_control(code)) {
		memcpy(text, bytes, size);
		text[size] = '\0';
	}
	width = (int)wg_text_width(text);
	/* Marks that sit on the character before have no cell of their own here. */
	if (width == 0)
		return 0;
	cell = cell_at(screen, row, column);
	if (cell) {
		memcpy(cell->text, text, sizeof text);
		cell->style = (unsigned char)style;
	}
	if (width == 2 && (cell = cell_at(screen, row, column + 1)))
		*cell = (struct screen_cell){ .text = "", .style = (unsigned char)style };
	return width;
}

int screen_put(struct screen *screen, int row, int column, int most, const char *text,
               enum screen_style style)
{
	size_t length = strlen(text);
	int used = 0;

	if (most > screen->columns - column)
		most = screen->columns - column;
	if (most <= 0)
		return 0;
	while (length > 0) {
		uint32_t code;
		size_t size = wg_utf8_next(text, length, &code);
		char one[5] = "?";

		if (size > 0)
			memcpy(one, text, size);
		if (used + (int)wg_text_width(one) > most)
			break;
		used += put_character(screen, row, column + used, text, length, style);
		size = size > 0 ? size : 1;
		text += size;
		length -= size;
	}
	return used;
}

int screen_print(struct screen *screen, int row, int column, int most, enum screen_style style,
                 const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return screen_put(screen, row, column, most, text, style);
}

void screen_style_row(struct screen *screen, int row, enum screen_style style)
{
	for (int column = 0; column < screen->columns; column++) {
		struct screen_cell *cell = cell_at(screen, row, column);

		if (cell)
			cell->style = (unsigned char)style;
	}
}

void screen_bar(struct screen *screen, int row, int column, int columns, double share,
                enum screen_style style, bool ascii)
{
	static const char *const eighths[] = { " ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
	int filled;

	if (isnan(share))
		share = 0;
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	filled = (int)lround(share * columns * 8);
	for (int i = 0; i < columns; i++) {
		int part = filled - i * 8;

		part = part < 0 ? 0 : part > 8 ? 8 : part;
		if (ascii)
			screen_put(screen, row, column + i, 1, part >= 4 ? "#" : ".", style);
		else
			screen_put(screen, row, column + i, 1, part ? eighths[part] : "·",
			           part ? style : STYLE_DIM);
	}
}

/* Dots of a braille cell: bits of the code point, by column and height from below. */
static const unsigned char dots[2][4] = { { 0x40, 0x04, 0x02, 0x01 }, { 0x80, 0x20, 0x10, 0x08 } };

static unsigned braille(double value, int side, int level, int levels)
{
	unsigned bits = 0;
	int height;

	if (isnan(value))
		return 0;
	value = value < 0 ? 0 : value > 1 ? 1 : value;
	/* The lowest dot stands for zero: the line shows where there are values. */
	height = 1 + (int)lround(value * (levels - 1));
	for (int i = 0; i < 4; i++) {
		if (level + i < height)
			bits |= dots[side][i];
	}
	return bits;
}

static double value_at(const double *values, size_t count, long index)
{
	return index >= 0 && (size_t)index < count ? values[index] : NAN;
}

void screen_chart(struct screen *screen, int row, int column, int rows, int columns,
                  const double *values, size_t count, enum screen_style style, bool ascii)
{
	static const char steps[] = " _.-=*#";

	for (int c = 0; c < columns; c++) {
		long right = (long)count - 1 - 2L * (columns - 1 - c);
		double a = value_at(values, count, right - 1), b = value_at(values, count, right);

		for (int r = 0; r < rows; r++) {
			int level = (rows - 1 - r) * 4;
			unsigned bits =
				braille(a, 0, level, rows * 4) | braille(b, 1, level, rows * 4);
			char text[4] = { (char)0xe2, (char)(0xa0 | bits >> 6),
				         (char)(0x80 | (bits & 0x3f)) };

			if (ascii) {
				double fill = isnan(b) ? -1 : b * rows - (rows - 1 - r);
				int step = fill < 0 ? 0 : fill > 1 ? 6 : 1 + (int)(fill * 5);

				text[0] = steps[step];
				text[1] = '\0';
			} else if (bits == 0) {
				memcpy(text, " ", 2);
			}
			screen_put(screen, row + r, column + c, 1, text, style);
		}
	}
}

void screen_text(const struct screen *screen, struct wg_text *out)
{
	for (int row = 0; row < screen->rows; row++) {
		int end = screen->columns;

		while (end > 0 &&
		       strcmp(screen->cells[row * screen->columns + end - 1].text, " ") == 0)
			end--;
		for (int column = 0; column < end; column++)
			wg_text_add(out, screen->cells[row * screen->columns + column].text);
		wg_text_add_char(out, '\n');
	}
}
