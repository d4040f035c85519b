/* What charts are drawn with. Coordinates are pixels from the top left; the
 * looks are classes in one style sheet, so that light and dark differ there
 * only. */
#ifndef WHICHGPU_REPORT_SVG_DRAW_H
#define WHICHGPU_REPORT_SVG_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include "report/units.h"
#include "whichgpu/svg.h"

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

enum { SVG_FONT = 13, SVG_LINE = 18 };

void svg_begin(struct wg_text *out, double width, double height, const char *title);
void svg_end(struct wg_text *out);
/* Everything until svg_group_end is moved by x, y. */
void svg_group(struct wg_text *out, double x, double y);
void svg_group_end(struct wg_text *out);

void svg_text(struct wg_text *out, double x, double y, const char *class, enum anchor anchor,
              const char *text);
/* As svg_text, cut with an ellipsis when wider than width. */
void svg_text_fitted(struct wg_text *out, double x, double y, const char *class, enum anchor anchor,
                     const char *text, double width);
void svg_line(struct wg_text *out, double x1, double y1, double x2, double y2, const char *class);
/* tip: what a browser shows under the pointer; NULL for none. */
void svg_rect(struct wg_text *out, double x, double y, double width, double height,
              const char *class, size_t series, const char *tip);
/* A mark of its own shape a series. */
void svg_mark(struct wg_text *out, double x, double y, size_t series, const char *tip);
void svg_coordinate(struct wg_text *out, double value);

/* An estimate of a text's width, good to a tenth; the same on every machine. */
double svg_text_width(const char *text, double font);

/* Round tick values that enclose low..high. */
struct ticks {
	double values[24];
	size_t count;
	double low, high;
	bool logarithmic;
};
struct ticks svg_ticks(double low, double high, bool logarithmic, size_t wanted);
/* Where value stands between the ends, 0 to 1. */
double svg_place(const struct ticks *ticks, double value);

/* One chart in a width: its height, and its drawing. */
/* The largest value that is drawn, which decides the unit. */
double svg_bars_largest(const struct wg_chart *chart);
double svg_bars_height(const struct wg_chart *chart);
void svg_bars_draw(struct wg_text *out, const struct wg_chart *chart, double width);
double svg_plot_height(const struct wg_chart *chart);
void svg_plot_draw(struct wg_text *out, const struct wg_chart *chart, double width);

#endif
