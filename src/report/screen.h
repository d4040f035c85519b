/* What the text writer draws on: lines of a given width, with or without
 * colours and box characters. */
#ifndef WHICHGPU_REPORT_SCREEN_H
#define WHICHGPU_REPORT_SCREEN_H

#include "report/document.h"

enum style { STYLE_STRONG, STYLE_QUIET, STYLE_WARNING, STYLE_BAR };

struct screen {
	struct wg_text *out;
	size_t columns;
	bool colour, ascii;
};

/* Written between these two is in that style; nothing without colours. */
void screen_style(const struct screen *screen, enum style style);
void screen_plain(const struct screen *screen);
void screen_rule(const struct screen *screen, size_t columns);
/* Text in lines from column `indent` on; the first line is taken to be
 * there already. Ends with a line end. */
void screen_wrapped(const struct screen *screen, const char *text, size_t indent);
/* The text and blanks up to `width` columns. */
void screen_padded(const struct screen *screen, const char *text, size_t length, size_t width,
                   bool right);

/* A table, whatever its size, within the width. */
void screen_table(const struct screen *screen, const struct wg_block *table);
/* "label  value" lines. */
void screen_pairs(const struct screen *screen, const char *const *labels, const char *const *values,
                  size_t count);

#endif
