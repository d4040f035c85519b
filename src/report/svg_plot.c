/* Scatter and line charts on linear or logarithmic axes. */
#include <math.h>
#include <string.h>

#include "report/document.h"
#include "report/svg_draw.h"

enum {
	PLOT_HEIGHT = 320,
	LEFT_ROOM = 62,
	RIGHT_ROOM = 16,
	TOP_ROOM = 28,
	BOTTOM_ROOM = 42,
	LABELS_MOST = 256
};

struct frame {
	const struct wg_chart *chart;
	struct ticks x, y;
	struct scale x_scale, y_scale;
	double left, right, top, bottom;
};

double svg_plot_height(const struct wg_chart *chart)
{
	return PLOT_HEIGHT;
}

/* Can this value be placed on this axis? */
static bool drawable(const struct wg_chart_axis *axis, double value)
{
	return isfinite(value) && (!axis->logarithmic || value > 0);
}

static void widen(const struct wg_chart_axis *axis, double value, double *low, double *high)
{
	if (!drawable(axis, value))
		return;
	*low = fmin(*low, value);
	*high = fmax(*high, value);
}

static struct ticks axis_ticks(const struct wg_chart_axis *axis, double low, double high,
                               size_t wanted)
{
	if (!(low <= high)) {
		low = axis->logarithmic ? 1 : 0;
		high = 10;
	}
	/* a linear axis starts at 0 unless the data are far from it */
	if (!axis->logarithmic && low > 0 && low < high * 0.6)
		low = 0;
	return svg_ticks(low, high, axis->logarithmic, wanted);
}

static struct frame frame_make(const struct wg_chart *chart, double width)
{
	struct frame frame = { chart, .left = LEFT_ROOM, .right = width - RIGHT_ROOM,
		               .top = TOP_ROOM, .bottom = PLOT_HEIGHT - BOTTOM_ROOM };
	double x_low = INFINITY, x_high = -INFINITY, y_low = INFINITY, y_high = -INFINITY;

	for (size_t i = 0; i < chart->series_count; i++) {
		const struct wg_chart_series *series = &chart->series[i];

		for (size_t p = 0; p < series->count; p++) {
			if (!drawable(&chart->x, series->x[p]) ||
			    !drawable(&chart->y, series->y[p]))
				continue;
			widen(&chart->x, series->x[p], &x_low, &x_high);
			widen(&chart->y, series->y[p], &y_low, &y_high);
			if (series->low)
				widen(&chart->y, series->low[p], &y_low, &y_high);
			if (series->high)
				widen(&chart->y, series->high[p], &y_low, &y_high);
		}
	}
	frame.x = axis_ticks(&chart->x, x_low, x_high, (size_t)(width / 90));
	frame.y = axis_ticks(&chart->y, y_low, y_high, 6);
	frame.x_scale = scale_for(chart->x.unit, frame.x.values[frame.x.count / 2]);
	frame.y_scale = scale_for(chart->y.unit, frame.y.values[frame.y.count / 2]);
	return frame;
}

static double frame_x(const struct frame *frame, double value)
{
	return frame->left + svg_place(&frame->x, value) * (frame->right - frame->left);
}

static double frame_y(const struct frame *frame, double value)
{
	return frame->bottom - svg_place(&frame->y, value) * (frame->bottom - frame->top);
}

static const char *tick_words(const struct scale *scale, double value, struct wg_text *scratch)
{
	wg_text_clear(scratch);
	scale_number(scale, value, 4, scratch);
	return wg_text_string(scratch);
}

static const char *axis_words(const struct wg_chart_axis *axis, const struct scale *scale,
                              struct wg_text *scratch)
{
	wg_text_clear(scratch);
	wg_text_add(scratch, axis->title ? axis->title : "");
	if (scale->header[0] && axis->title)
		wg_text_printf(scratch, " (%s)", scale->header);
	return wg_text_string(scratch);
}

static void draw_axes(struct wg_text *out, const struct frame *frame, struct wg_text *scratch)
{
	double last_end = -INFINITY;

	for (size_t i = 0; i < frame->y.count; i++) {
		double y = frame_y(frame, frame->y.values[i]);

		svg_line(out, frame->left, y, frame->right, y, i == 0 ? "axis" : "grid");
		svg_text(out, frame->left - 7, y + 4.5, "q", ANCHOR_END,
		         tick_words(&frame->y_scale, frame->y.values[i], scratch));
	}
	for (size_t i = 0; i < frame->x.count; i++) {
		double x = frame_x(frame, frame->x.values[i]);
		const char *words = tick_words(&frame->x_scale, frame->x.values[i], scratch);
		double half = svg_text_width(words, SVG_FONT) / 2;

		svg_line(out, x, frame->top, x, frame->bottom, i == 0 ? "axis" : "grid");
		if (x - half < last_end + 6)
			continue;
		svg_text(out, x, frame->bottom + 17, "q", ANCHOR_MIDDLE, words);
		last_end = x + half;
	}
	svg_text(out, 0, frame->top - 14, "q", ANCHOR_START,
	         axis_words(&frame->chart->y, &frame->y_scale, scratch));
	svg_text(out, frame->right, PLOT_HEIGHT - 6, "q", ANCHOR_END,
	         axis_words(&frame->chart->x, &frame->x_scale, scratch));
}

/* --- lines and marks ------------------------------------------------------- */

static bool is_point(const struct frame *frame, const struct wg_chart_series *series, size_t point)
{
	return drawable(&frame->chart->x, series->x[point]) &&
	       drawable(&frame->chart->y, series->y[point]);
}

static bool has_whisker(const struct frame *frame, const struct wg_chart_series *series,
                        size_t point)
{
	return series->low && series->high && drawable(&frame->chart->y, series->low[point]) &&
	       drawable(&frame->chart->y, series->high[point]);
}

static void draw_line(struct wg_text *out, const struct frame *frame, size_t index)
{
	static const char *const dashes[] = { "", "7 4", "2 3", "9 3 2 3" };
	const struct wg_chart_series *series = &frame->chart->series[index];
	bool down = false;

	wg_text_add(out, "<path d=\"");
	for (size_t p = 0; p < series->count; p++) {
		if (!is_point(frame, series, p)) {
			down = false;
			continue;
		}
		wg_text_add_char(out, down ? 'L' : 'M');
		svg_coordinate(out, frame_x(frame, series->x[p]));
		wg_text_add_char(out, ' ');
		svg_coordinate(out, frame_y(frame, series->y[p]));
		down = true;
	}
	wg_text_printf(out, "\" class=\"line l%zu\"", index);
	if (dashes[index % 4][0])
		wg_text_printf(out, " stroke-dasharray=\"%s\"", dashes[index % 4]);
	wg_text_add(out, "/>\n");
}

static void draw_point_whisker(struct wg_text *out, const struct frame *frame,
                               const struct wg_chart_series *series, size_t point)
{
	double x = frame_x(frame, series->x[point]), low, high;

	if (!has_whisker(frame, series, point))
		return;
	low = frame_y(frame, series->low[point]);
	high = frame_y(frame, series->high[point]);
	svg_line(out, x, low, x, high, "whisker");
	svg_line(out, x - 3.5, low, x + 3.5, low, "whisker");
	svg_line(out, x - 3.5, high, x + 3.5, high, "whisker");
}

static void draw_points(struct wg_text *out, const struct frame *frame, size_t index,
                        struct wg_text *scratch)
{
	const struct wg_chart_series *series = &frame->chart->series[index];

	for (size_t p = 0; p < series->count; p++) {
		if (!is_point(frame, series, p))
			continue;
		draw_point_whisker(out, frame, series, p);
		wg_text_clear(scratch);
		if (series->labels && series->labels[p])
			wg_text_printf(scratch, "%s: ", series->labels[p]);
		else
			wg_text_printf(scratch, "%s: ", series->name);
		scale_value(&frame->x_scale, series->x[p], 0, scratch);
		wg_text_add(scratch, ", ");
		scale_value(&frame->y_scale, series->y[p], 0, scratch);
		svg_mark(out, frame_x(frame, series->x[p]), frame_y(frame, series->y[p]), index,
		         wg_text_string(scratch));
	}
}

/* --- labels ------------------------------------------------------------------ */

struct box {
	double left, top, right, bottom;
};

static bool overlaps(const struct box *a, const struct box *b)
{
	return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

struct placed {
	struct box boxes[LABELS_MOST * 3];
	size_t count;
};

static bool is_free(const struct placed *placed, const struct frame *frame, const struct box *box)
{
	if (box->left < frame->left || box->right > frame->right + RIGHT_ROOM ||
	    box->top < frame->top - 12 || box->bottom > frame->bottom)
		return false;
	for (size_t i = 0; i < placed->count; i++) {
		if (overlaps(&placed->boxes[i], box))
			return false;
	}
	return true;
}

/* Tries right, left, above and below the mark; a label with no room is left to
 * the mark's tip. */
static void place_label(struct wg_text *out, const struct frame *frame, struct placed *placed,
                        const struct wg_chart_series *series, size_t point)
{
	const char *label = series->labels[point];
	double width = svg_text_width(label, SVG_FONT);
	double x = frame_x(frame, series->x[point]), y = frame_y(frame, series->y[point]);
	bool whisker = has_whisker(frame, series, point);
	double above = whisker ? fmin(y - 5, frame_y(frame, series->high[point])) : y - 5;
	double below = whisker ? fmax(y + 5, frame_y(frame, series->low[point])) : y + 5;
	const struct {
		double x, y;
		enum anchor anchor;
		double left;
	} tries[] = {
		{ x + 9, y + 4.5, ANCHOR_START, x + 9 },
		{ x - 9, y + 4.5, ANCHOR_END, x - 9 - width },
		{ x, above - 4, ANCHOR_MIDDLE, x - width / 2 },
		{ x, below + 13, ANCHOR_MIDDLE, x - width / 2 },
	};

	for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
		struct box box = { tries[i].left, tries[i].y - 11, tries[i].left + width,
			           tries[i].y + 3 };

		if (!is_free(placed, frame, &box) ||
		    placed->count == sizeof placed->boxes / sizeof placed->boxes[0])
			continue;
		placed->boxes[placed->count++] = box;
		svg_text(out, tries[i].x, tries[i].y, "t", tries[i].anchor, label);
		return;
	}
}

static void keep_free(struct placed *placed, double left, double top, double right, double bottom)
{
	if (placed->count < sizeof placed->boxes / sizeof placed->boxes[0])
		placed->boxes[placed->count++] = (struct box){ left, top, right, bottom };
}

/* A mark and its whisker keep their place, so that no label covers them. */
static void keep_mark_free(const struct frame *frame, struct placed *placed,
                           const struct wg_chart_series *series, size_t point)
{
	double x = frame_x(frame, series->x[point]), y = frame_y(frame, series->y[point]);

	keep_free(placed, x - 5, y - 5, x + 5, y + 5);
	if (has_whisker(frame, series, point))
		keep_free(placed, x - 4, frame_y(frame, series->high[point]), x + 4,
		          frame_y(frame, series->low[point]));
}

static void draw_labels(struct wg_text *out, const struct frame *frame)
{
	struct placed placed = { .count = 0 };

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < frame->chart->series_count; i++) {
			const struct wg_chart_series *series = &frame->chart->series[i];
			size_t count = series->count < LABELS_MOST ? series->count : LABELS_MOST;

			for (size_t p = 0; series->labels && p < count; p++) {
				if (!is_point(frame, series, p))
					continue;
				if (pass == 0)
					keep_mark_free(frame, &placed, series, p);
				else if (series->labels[p])
					place_label(out, frame, &placed, series, p);
			}
		}
	}
}

void svg_plot_draw(struct wg_text *out, const struct wg_chart *chart, double width)
{
	struct frame frame = frame_make(chart, width);
	struct wg_text scratch;

	wg_text_init(&scratch, 1 << 16);
	draw_axes(out, &frame, &scratch);
	for (size_t i = 0; i < chart->series_count; i++) {
		if (chart->kind == WG_CHART_LINE)
			draw_line(out, &frame, i);
		if (chart->kind == WG_CHART_SCATTER || chart->series[i].count <= 16)
			draw_points(out, &frame, i, &scratch);
	}
	draw_labels(out, &frame);
	scratch_done(&scratch, out);
}
