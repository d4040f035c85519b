/* Charts as SVG: bars, stacked bars, scatter and line, one look in reports and
 * on the page. The same input always gives the same bytes. Pictures read well
 * on a light and on a dark page (the palette and the words follow the page's
 * colour scheme) and for colour-blind readers (Okabe-Ito colours; series also
 * differ in mark or dash). Everything from outside is escaped.
 *
 * A chart is a plain value that borrows what it points to. */
#ifndef WHICHGPU_SVG_H
#define WHICHGPU_SVG_H

#include <stdbool.h>
#include <stddef.h>

#include "whichgpu/report.h"
#include "whichgpu/status.h"
#include "whichgpu/text.h"

enum wg_chart_kind {
	WG_CHART_BARS,      /* horizontal, grouped: a group a category, a bar a series */
	WG_CHART_STACKED,   /* horizontal: a bar a category, a segment a series */
	WG_CHART_SCATTER,
	WG_CHART_LINE,
};

struct wg_chart_axis {
	const char *title;          /* NULL: none; the unit is added to it */
	enum wg_unit unit;          /* values are SI; the tick labels choose the unit */
	bool logarithmic;           /* scatter and line; values must be above 0 */
	int digits;                 /* significant digits of value labels; 0: 3 */
};

/* Arrays are `count` long; in bars, count is the chart's category_count. NaN
 * is "not known", -INFINITY is "none" (the hardware has no such thing): bars
 * say so in words, lines have a gap. */
struct wg_chart_series {
	const char *name;
	const double *y;            /* bars: the value */
	const double *x;            /* scatter, line */
	const double *low, *high;   /* 80 % range drawn as a whisker; NULL: none */
	const char *const *labels;  /* scatter: a word at each point; NULL: none */
	size_t count;
};

struct wg_chart {
	enum wg_chart_kind kind;
	const char *title;
	const char *note;           /* a line under the chart; NULL: none */
	struct wg_chart_axis x, y;  /* bars use y for their values */
	const char *const *categories;
	size_t category_count;
	const struct wg_chart_series *series;
	size_t series_count;        /* at most WG_CHART_SERIES_MOST */
	double limit;               /* a marked value (memory available); NaN or 0: none */
	const char *limit_words;
};

enum { WG_CHARTS_MOST = 32, WG_CHART_SERIES_MOST = 8, WG_CHART_CATEGORIES_MOST = 200,
       WG_CHART_POINTS_MOST = 20000 };

/* All charts on one picture, in `columns` columns (1 or 2), under one title
 * (NULL: none). One legend when all charts have the same series. */
enum wg_status wg_svg_write(const char *title, const struct wg_chart *charts, size_t chart_count,
                            unsigned columns, struct wg_text *out, struct wg_error *error);

#endif
