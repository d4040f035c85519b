/* A grid of cells that views draw into and that a terminal, or a test, shows. Writing
 * outside the grid is cut off, never an error, so views need no edge cases. */
#ifndef WHICHGPU_TUI_SCREEN_H
#define WHICHGPU_TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "whichgpu/text.h"

enum screen_style {
	STYLE_PLAIN,
	STYLE_DIM,
	STYLE_BOLD,
	STYLE_TITLE,
	STYLE_SELECTED,
	STYLE_GOOD,
	STYLE_WARM,
	STYLE_HOT,
	STYLE_COUNT
};

/* One column; a wide character has the empty cell after it as its other half. */
struct screen_cell {
	char text[5];
	unsigned char style;
};

struct screen {
	int rows, columns;
	struct screen_cell *cells;
};

enum { SCREEN_ROWS_MOST = 500, SCREEN_COLUMNS_MOST = 1000 };

void screen_init(struct screen *screen);
void screen_done(struct screen *screen);
/* Sizes are cut to 1..MOST; false when memory is out. Blank afterwards. */
bool screen_resize(struct screen *screen, int rows, int columns);
void screen_clear(struct screen *screen);
/* Text at a place, at most `most` columns wide; control characters become '?'.
 * Returns the columns used. A wide character that would be cut is left out. */
int screen_put(struct screen *screen, int row, int column, int most, const char *text,
               enum screen_style style);
__attribute__((format(printf, 6, 7))) int screen_print(struct screen *screen, int row, int column,
                                                       int most, enum screen_style style,
                                                       const char *format, ...);
void screen_style_row(struct screen *screen, int row, enum screen_style style);
/* A bar of `columns` cells, filled by share (0..1) in eighths of a cell. */
void screen_bar(struct screen *screen, int row, int column, int columns, double share,
                enum screen_style style, bool ascii);
/* Values from 0 to 1, the newest at the right, NaN a gap; two values a cell and four
 * levels of height a row, in braille dots. */
void screen_chart(struct screen *screen, int row, int column, int rows, int columns,
                  const double *values, size_t count, enum screen_style style, bool ascii);
/* Rows as lines without blanks at their ends. */
void screen_text(const struct screen *screen, struct wg_text *out);

#endif
