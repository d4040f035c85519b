/* The picture: charts in a grid, titles, legends, notes. */
#include "whichgpu/svg.h"

#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "report/document.h"
#include "report/svg_draw.h"

enum {
	MARGIN = 20,
	CHART_ONE = 760,
	CHART_TWO = 560,
	CHART_GAP = 34,
	TITLE = 34,
	CHART_TITLE = 26,
	LEGEND = 24,
	NOTE = 22
};

static bool is_bars(const struct wg_chart *chart)
{
	return chart->kind == WG_CHART_BARS || chart->kind == WG_CHART_STACKED;
}

static enum wg_status chart_check(const struct wg_chart *chart, struct wg_error *error)
{
	if (chart->series_count > WG_CHART_SERIES_MOST)
		return wg_error_set(error, WG_LIMIT,
		                    "a chart has %zu series, at most %d are allowed",
		                    chart->series_count, WG_CHART_SERIES_MOST);
	if (is_bars(chart) && chart->category_count > WG_CHART_CATEGORIES_MOST)
		return wg_error_set(error, WG_LIMIT, "a chart has %zu bars, at most %d are allowed",
		                    chart->category_count, WG_CHART_CATEGORIES_MOST);
	for (size_t i = 0; !is_bars(chart) && i < chart->series_count; i++) {
		if (chart->series[i].count > WG_CHART_POINTS_MOST)
			return wg_error_set(error, WG_LIMIT,
			                    "a chart has %zu points, at most %d are allowed",
			                    chart->series[i].count, WG_CHART_POINTS_MOST);
	}
	return WG_OK;
}

/* --- legend ---------------------------------------------------------------- */

static bool same_series(const struct wg_chart *charts, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (charts[i].series_count != charts[0].series_count)
			return false;
		for (size_t s = 0; s < charts[0].series_count; s++) {
			if (strcmp(charts[i].series[s].name, charts[0].series[s].name) != 0)
				return false;
		}
	}
	return true;
}

static bool needs_legend(const struct wg_chart *chart)
{
	return chart->series_count > 1;
}

/* Draws, or with out NULL only measures; returns the height it takes. */
static double legend(struct wg_text *out, const struct wg_chart *chart, double width)
{
	double x = 0, y = 0;

	for (size_t i = 0; i < chart->series_count; i++) {
		double own = 18 + svg_text_width(chart->series[i].name, SVG_FONT) + 18;

		if (x > 0 && x + own > width) {
			x = 0;
			y += 20;
		}
		if (out && is_bars(chart))
			svg_rect(out, x, y + 1, 12, 12, "", i, NULL);
		else if (out)
			svg_mark(out, x + 6, y + 7, i, NULL);
		if (out)
			svg_text_fitted(out, x + 18, y + 12, "t", ANCHOR_START,
			                chart->series[i].name, width - 18);
		x += own;
	}
	return y + LEGEND;
}

/* --- charts ---------------------------------------------------------------- */

static double chart_height(const struct wg_chart *chart, double width, bool own_legend)
{
	double height = is_bars(chart) ? svg_bars_height(chart) : svg_plot_height(chart);

	if (chart->title)
		height += CHART_TITLE;
	if (own_legend)
		height += legend(NULL, chart, width);
	if (chart->note)
		height += NOTE;
	return height;
}

/* The unit of a bar chart stands in its title, since bars have no axis title. */
static void chart_title(struct wg_text *out, const struct wg_chart *chart, double width)
{
	struct wg_text words;
	double most = 0;

	if (!chart->title)
		return;
	wg_text_init(&words, 1 << 16);
	wg_text_add(&words, chart->title);
	if (is_bars(chart)) {
		most = svg_bars_largest(chart);
		const struct scale scale = scale_for(chart->y.unit, most);

		if (scale.header[0])
			wg_text_printf(&words, " (%s)", scale.header);
	}
	svg_text_fitted(out, 0, 14, "h", ANCHOR_START, wg_text_string(&words), width);
	scratch_done(&words, out);
}

static void chart_draw(struct wg_text *out, const struct wg_chart *chart, double width,
                       bool own_legend)
{
	double y = 0;

	chart_title(out, chart, width);
	if (chart->title)
		y += CHART_TITLE;
	if (own_legend) {
		svg_group(out, 0, y);
		y += legend(out, chart, width);
		svg_group_end(out);
	}
	svg_group(out, 0, y);
	if (is_bars(chart))
		svg_bars_draw(out, chart, width);
	else
		svg_plot_draw(out, chart, width);
	svg_group_end(out);
	y += is_bars(chart) ? svg_bars_height(chart) : svg_plot_height(chart);
	if (chart->note)
		svg_text_fitted(out, 0, y + 15, "q", ANCHOR_START, chart->note, width);
}

/* Where each chart goes: into the column that is shortest so far, which keeps
 * pictures of unequal charts compact. Returns the height of the tallest. */
static double place_charts(const struct wg_chart *charts, size_t count, size_t columns,
                           double width, bool shared, size_t *ret_column, double *ret_y)
{
	double heights[2] = { 0, 0 };

	for (size_t i = 0; i < count; i++) {
		size_t column = columns == 2 && heights[1] < heights[0] ? 1 : 0;

		ret_column[i] = column;
		ret_y[i] = heights[column];
		heights[column] +=
			chart_height(&charts[i], width, !shared && needs_legend(&charts[i])) +
			CHART_GAP;
	}
	return fmax(heights[0], heights[1]) - CHART_GAP;
}

static void picture_draw(struct wg_text *out, const char *title, const struct wg_chart *charts,
                         size_t count, size_t columns)
{
	double chart_width = columns == 1 ? CHART_ONE : CHART_TWO;
	double width = (double)columns * (chart_width + CHART_GAP) - CHART_GAP;
	bool shared = count > 1 && needs_legend(&charts[0]) && same_series(charts, count);
	double top =
		MARGIN + (title ? TITLE : 0) + (shared ? legend(NULL, &charts[0], width) + 8 : 0);
	size_t column[WG_CHARTS_MOST];
	double y[WG_CHARTS_MOST];
	double height = place_charts(charts, count, columns, chart_width, shared, column, y);

	svg_begin(out, width + 2 * MARGIN, top + height + MARGIN, title ? title : charts[0].title);
	if (title) {
		svg_group(out, MARGIN, MARGIN);
		svg_text_fitted(out, 0, 17, "h big", ANCHOR_START, title, width * 0.75);
		svg_group_end(out);
	}
	if (shared) {
		svg_group(out, MARGIN, MARGIN + (title ? TITLE : 0));
		legend(out, &charts[0], width);
		svg_group_end(out);
	}
	for (size_t i = 0; i < count; i++) {
		svg_group(out, MARGIN + (double)column[i] * (chart_width + CHART_GAP), top + y[i]);
		chart_draw(out, &charts[i], chart_width, !shared && needs_legend(&charts[i]));
		svg_group_end(out);
	}
	svg_end(out);
}

enum wg_status wg_svg_write(const char *title, const struct wg_chart *charts, size_t chart_count,
                            unsigned columns, struct wg_text *out, struct wg_error *error)
{
	if (chart_count == 0)
		return wg_error_set(error, WG_BAD_INPUT, "nothing to draw");
	if (chart_count > WG_CHARTS_MOST)
		return wg_error_set(error, WG_LIMIT,
		                    "%zu charts in one picture, at most %d are allowed",
		                    chart_count, WG_CHARTS_MOST);
	for (size_t i = 0; i < chart_count; i++) {
		enum wg_status status = chart_check(&charts[i], error);

		if (status)
			return status;
	}
	picture_draw(out, title, charts, chart_count, columns < 2 || chart_count == 1 ? 1 : 2);
	return out->failed ? wg_error_no_memory(error) : WG_OK;
}
