/* The picture of `compare`: four bar charts. */
#include <math.h>

#include "cli/compare.h"
#include "whichgpu/svg.h"

/* What a bar needs: the value, NaN for not known, -infinity for none. */
static double bar_value(const struct wg_figure *figure)
{
	if (figure->state == WG_ABSENT)
		return -INFINITY;
	return figure->state == WG_KNOWN ? figure->value : NAN;
}

/* Rates that at least one GPU has: values[gpu][row]. Returns the rows. */
static size_t collect_rates(const struct comparison *comparison, const char **labels,
                            double values[][WG_RATE_COUNT])
{
	size_t rows = 0;

	for (size_t rate = 0; rate < WG_RATE_COUNT; rate++) {
		bool any = false;

		for (size_t i = 0; comparison->wanted[rate] && i < comparison->count; i++) {
			const struct wg_figure *figure =
				comparison_rate(comparison, i, (enum wg_rate)rate);

			values[i][rows] = bar_value(figure);
			any = any || figure->state == WG_KNOWN;
		}
		if (any)
			labels[rows++] = _(wg_rate_label((enum wg_rate)rate));
	}
	return rows;
}

enum wg_status comparison_draw(const struct comparison *comparison, struct wg_text *out,
                               struct wg_error *error)
{
	static const struct {
		enum wg_gpu_figure figure;
		const char *title;
	} figures[] = {
		{ WG_GPU_BANDWIDTH, N_("Memory bandwidth") },
		{ WG_GPU_MEMORY, N_("Memory") },
		{ WG_GPU_POWER, N_("Board power") },
	};
	const char *ids[COMPARE_GPUS_MOST], *labels[WG_RATE_COUNT];
	double rates[COMPARE_GPUS_MOST][WG_RATE_COUNT], singles[3][COMPARE_GPUS_MOST];
	struct wg_chart_series rate_series[COMPARE_GPUS_MOST] = { { 0 } },
			       single_series[3] = { { 0 } };
	struct wg_chart charts[4] = { { .kind = WG_CHART_BARS } };
	size_t rows = collect_rates(comparison, labels, rates);

	for (size_t i = 0; i < comparison->count; i++) {
		ids[i] = comparison->gpus[i]->id;
		rate_series[i] =
			(struct wg_chart_series){ .name = ids[i], .y = rates[i], .count = rows };
	}
	charts[0] = (struct wg_chart){
		.kind = WG_CHART_BARS,
		.y = { .unit = WG_UNIT_OPS_PER_S, .digits = 4 },
		.title = comparison->sparse ? _("Peak rates, 2:4 sparse") : _("Peak rates, dense"),
		.categories = labels,
		.category_count = rows,
		.series = rate_series,
		.series_count = comparison->count,
	};
	for (size_t k = 0; k < 3; k++) {
		for (size_t i = 0; i < comparison->count; i++)
			singles[k][i] = bar_value(&comparison->gpus[i]->figures[figures[k].figure]);
		single_series[k] = (struct wg_chart_series){ .name = _(figures[k].title),
			                                     .y = singles[k],
			                                     .count = comparison->count };
		charts[k + 1] = (struct wg_chart){
			.kind = WG_CHART_BARS,
			.title = _(figures[k].title),
			.y = { .unit = wg_gpu_figure_unit(figures[k].figure), .digits = 4 },
			.categories = ids,
			.category_count = comparison->count,
			.series = &single_series[k],
			.series_count = 1,
		};
	}
	return wg_svg_write(NULL, rows > 0 ? charts : charts + 1, rows > 0 ? 4 : 3, 2, out, error);
}
