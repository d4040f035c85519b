/* Horizontal bars, grouped or stacked. Words stand at the left, values at the
 * end of each bar, so that no colour has to be read off an axis. */
#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "report/document.h"
#include "report/svg_draw.h"

enum { BAR = 17, BAR_GAP = 2, GROUP_GAP = 13, AXIS = 24, LIMIT_ROOM = 18, VALUE_ROOM = 78 };

static double group_height(const struct wg_chart *chart)
{
	size_t bars = chart->kind == WG_CHART_STACKED ? 1 : chart->series_count;

	return (double)bars * (BAR + BAR_GAP) - BAR_GAP;
}

static bool has_limit(const struct wg_chart *chart)
{
	return isfinite(chart->limit) && chart->limit > 0;
}

double svg_bars_height(const struct wg_chart *chart)
{
	return (double)chart->category_count * (group_height(chart) + GROUP_GAP) + AXIS +
	       (has_limit(chart) ? LIMIT_ROOM : 0);
}

static double stacked_total(const struct wg_chart *chart, size_t category)
{
	double total = 0;

	for (size_t i = 0; i < chart->series_count; i++) {
		double value = chart->series[i].y[category];

		if (isfinite(value) && value > 0)
			total += value;
	}
	return total;
}

double svg_bars_largest(const struct wg_chart *chart)
{
	double most = has_limit(chart) ? chart->limit : 0;

	for (size_t category = 0; category < chart->category_count; category++) {
		if (chart->kind == WG_CHART_STACKED)
			most = fmax(most, stacked_total(chart, category));
		for (size_t i = 0; chart->kind == WG_CHART_BARS && i < chart->series_count; i++) {
			const struct wg_chart_series *series = &chart->series[i];

			/* fmax takes the other one when one is NaN */
			most = fmax(most, series->y[category]);
			if (series->high)
				most = fmax(most, series->high[category]);
		}
	}
	return isfinite(most) ? most : 0;
}

struct frame {
	const struct wg_chart *chart;
	struct ticks ticks;
	struct scale scale;
	double left, right, top, bottom;
};

static double frame_x(const struct frame *frame, double value)
{
	return frame->left + svg_place(&frame->ticks, value) * (frame->right - frame->left);
}

static const char *value_words(const struct frame *frame, double value, struct wg_text *scratch)
{
	wg_text_clear(scratch);
	if (scale_suits(&frame->scale, value)) {
		scale_number(&frame->scale, value, frame->chart->y.digits, scratch);
	} else {
		struct scale own = scale_for(frame->chart->y.unit, value);

		scale_value(&own, value, frame->chart->y.digits, scratch);
	}
	return wg_text_string(scratch);
}

static struct frame frame_make(const struct wg_chart *chart, double width)
{
	struct frame frame = { .chart = chart };
	double words = 0, most = svg_bars_largest(chart);

	for (size_t i = 0; i < chart->category_count; i++)
		words = fmax(words, svg_text_width(chart->categories[i], SVG_FONT));
	frame.left = fmin(words, width * 0.36) + 10;
	frame.right = width - VALUE_ROOM;
	frame.top = has_limit(chart) ? LIMIT_ROOM : 0;
	frame.bottom = svg_bars_height(chart) - AXIS;
	frame.ticks = svg_ticks(0, most, false, (size_t)((frame.right - frame.left) / 80));
	/* the axis may stop short of a round number: bars get the room */
	if (most > 0 && frame.ticks.high > most * 1.08)
		frame.ticks.high = most * 1.02;
	frame.scale = scale_for(chart->y.unit, most);
	return frame;
}

static void draw_axis(struct wg_text *out, const struct frame *frame, struct wg_text *scratch)
{
	for (size_t i = 0; i < frame->ticks.count; i++) {
		double value = frame->ticks.values[i];
		double x = frame_x(frame, value);

		if (value > frame->ticks.high)
			break;
		svg_line(out, x, frame->top, x, frame->bottom, i == 0 ? "axis" : "grid");
		wg_text_clear(scratch);
		scale_number(&frame->scale, value, 4, scratch);
		svg_text(out, x, frame->bottom + 15, "q", ANCHOR_MIDDLE, wg_text_string(scratch));
	}
}

static void draw_whisker(struct wg_text *out, double low, double high, double y)
{
	svg_line(out, low, y, high, y, "whisker");
	svg_line(out, low, y - 3.5, low, y + 3.5, "whisker");
	svg_line(out, high, y - 3.5, high, y + 3.5, "whisker");
}

static void draw_bar(struct wg_text *out, const struct frame *frame, size_t category, size_t index,
                     double y, struct wg_text *scratch)
{
	const struct wg_chart_series *series = &frame->chart->series[index];
	double value = series->y[category], end;

	if (!isfinite(value) || value < 0) {
		svg_text(out, frame->left + 5, y + BAR - 4, "q", ANCHOR_START,
		         value == -INFINITY ? _("none") : _("not known"));
		return;
	}
	end = frame_x(frame, value);
	svg_rect(out, frame->left, y, end - frame->left, BAR, "", index, series->name);
	if (series->low && series->high && isfinite(series->low[category]) &&
	    isfinite(series->high[category])) {
		double high = frame_x(frame, series->high[category]);

		draw_whisker(out, frame_x(frame, fmax(series->low[category], 0)), high,
		             y + BAR / 2.0);
		end = fmax(end, high);
	}
	svg_text(out, end + 6, y + BAR - 4, "t", ANCHOR_START, value_words(frame, value, scratch));
}

static void put_with_unit(enum wg_unit unit, double value, struct wg_text *out)
{
	struct scale own = scale_for(unit, value);

	scale_value(&own, value, 0, out);
}

static void draw_stack(struct wg_text *out, const struct frame *frame, size_t category, double y,
                       struct wg_text *scratch)
{
	double total = 0;

	for (size_t i = 0; i < frame->chart->series_count; i++) {
		double value = frame->chart->series[i].y[category];
		double start = frame_x(frame, total);

		if (!isfinite(value) || value <= 0)
			continue;
		total += value;
		wg_text_clear(scratch);
		wg_text_printf(scratch, "%s: ", frame->chart->series[i].name);
		put_with_unit(frame->chart->y.unit, value, scratch);
		svg_rect(out, start, y, frame_x(frame, total) - start, BAR, "seg", i,
		         wg_text_string(scratch));
	}
	svg_text(out, frame_x(frame, total) + 6, y + BAR - 4, "t", ANCHOR_START,
	         value_words(frame, total, scratch));
}

static void draw_limit(struct wg_text *out, const struct frame *frame, struct wg_text *scratch)
{
	double x = frame_x(frame, frame->chart->limit);
	const char *words = frame->chart->limit_words ? frame->chart->limit_words : "";

	svg_line(out, x, frame->top - 2, x, frame->bottom, "limit");
	wg_text_clear(scratch);
	wg_text_printf(scratch, "%s%s", words, words[0] ? " " : "");
	scale_value(&frame->scale, frame->chart->limit, 0, scratch);
	svg_text(out, x, frame->top - 6, "l",
	         x > (frame->left + frame->right) / 2 ? ANCHOR_END : ANCHOR_START,
	         wg_text_string(scratch));
}

void svg_bars_draw(struct wg_text *out, const struct wg_chart *chart, double width)
{
	struct frame frame = frame_make(chart, width);
	double group = group_height(chart);
	struct wg_text scratch;

	wg_text_init(&scratch, 4096);
	draw_axis(out, &frame, &scratch);
	for (size_t category = 0; category < chart->category_count; category++) {
		double y = frame.top + GROUP_GAP / 2.0 + (double)category * (group + GROUP_GAP);

		svg_text_fitted(out, frame.left - 9, y + group / 2 + 4.5, "t", ANCHOR_END,
		                chart->categories[category], frame.left - 9);
		if (chart->kind == WG_CHART_STACKED) {
			draw_stack(out, &frame, category, y, &scratch);
			continue;
		}
		for (size_t i = 0; i < chart->series_count; i++)
			draw_bar(out, &frame, category, i, y + (double)i * (BAR + BAR_GAP),
			         &scratch);
	}
	if (has_limit(chart))
		draw_limit(out, &frame, &scratch);
	scratch_done(&scratch, out);
}
