#include "cli/monitor_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "whichgpu/record.h"
#include "whichgpu/svg.h"

#define JOULES_PER_KWH 3.6e6
#define POINTS 400 /* of a line in the picture */

static void put_known(struct wg_node *node, const char *key, double value)
{
	if (isnan(value))
		wg_node_null(node, key);
	else
		wg_node_number(node, key, value);
}

static double mean_watts(const struct wg_record_gpu *gpu)
{
	return gpu->watched_s > 0 ? gpu->energy_joules / gpu->watched_s : NAN;
}

static double cost_usd(double joules, double usd_per_kwh)
{
	return joules / JOULES_PER_KWH * usd_per_kwh;
}

static double busy_known_s(const struct wg_record_gpu *gpu)
{
	double known_s = 0;

	for (int i = 0; i < WG_RECORD_BINS; i++)
		known_s += gpu->busy_bin_s[i];
	return known_s;
}

/* --- data ------------------------------------------------------------------------- */

static void put_peak(struct wg_node *parent, const char *key, const struct wg_record_peak *peak)
{
	struct wg_node *node;

	if (isnan(peak->value)) {
		wg_node_null(parent, key);
		return;
	}
	node = wg_node_object(parent, key);
	wg_node_number(node, "value", peak->value);
	wg_node_number(node, "time_s", peak->time_s);
}

static void put_throttle(struct wg_node *parent, const struct wg_record_gpu *gpu)
{
	static const char *const keys[WG_RECORD_REASONS] = {
		"idle",           "application_clocks", "power_cap",     "hardware_slowdown",
		"sync_boost",     "heat_software",      "heat_hardware", "power_brake",
		"display_clocks",
	};
	struct wg_node *node;

	if (gpu->throttle_known_s <= 0) {
		wg_node_null(parent, "throttle_ratio");
		return;
	}
	node = wg_node_object(parent, "throttle_ratio");
	for (int i = 0; i < WG_RECORD_REASONS; i++)
		wg_node_number(node, keys[i], gpu->throttle_s[i] / gpu->throttle_known_s);
}

static void put_gpu(struct wg_node *parent, const struct wg_record_gpu *gpu, double usd_per_kwh)
{
	struct wg_node *node = wg_node_object(parent, NULL), *bins;
	double known_s = busy_known_s(gpu);

	wg_node_string(node, "key", gpu->key);
	wg_node_string(node, "name", gpu->name[0] ? gpu->name : NULL);
	wg_node_number(node, "watched_s", gpu->watched_s);
	wg_node_number(node, "lost_s", gpu->lost_s);
	wg_node_number(node, "gap_s", gpu->gap_s);
	put_known(node, "energy_joules", gpu->energy_joules);
	if (isnan(gpu->energy_joules))
		wg_node_null(node, "energy_from");
	else
		wg_node_string(node, "energy_from", gpu->energy_from_counter ? "counter" : "power");
	put_known(node, "mean_watts", mean_watts(gpu));
	put_known(node, "energy_usd", cost_usd(gpu->energy_joules, usd_per_kwh));
	put_known(node, "busy_ratio", gpu->busy_mean);
	put_known(node, "sm_active_ratio", gpu->sm_active_mean);
	put_known(node, "tensor_active_ratio", gpu->tensor_active_mean);
	bins = wg_node_array(node, "busy_histogram_ratio");
	for (int i = 0; known_s > 0 && i < WG_RECORD_BINS; i++)
		wg_node_number(bins, NULL, gpu->busy_bin_s[i] / known_s);
	put_throttle(node, gpu);
	put_peak(node, "peak_celsius", &gpu->temperature);
	put_peak(node, "peak_memory_bytes", &gpu->memory);
	put_peak(node, "peak_watts", &gpu->power);
	put_known(node, "memory_total_bytes", gpu->memory_total_bytes);
	put_known(node, "xid_errors", gpu->xid_errors);
}

static double total_joules(const struct wg_record_summary *summary)
{
	double total = NAN;

	for (size_t i = 0; i < summary->count; i++) {
		if (!isnan(summary->gpus[i].energy_joules))
			total = (isnan(total) ? 0 : total) + summary->gpus[i].energy_joules;
	}
	return total;
}

static void put_data(struct wg_node *parent, const struct wg_record_summary *summary,
                     double usd_per_kwh)
{
	struct wg_node *node = wg_node_object(parent, "report"), *gpus;

	wg_node_integer(node, "samples", (int64_t)summary->samples);
	wg_node_number(node, "begin_s", summary->begin_s);
	wg_node_number(node, "end_s", summary->end_s);
	put_known(node, "energy_joules", total_joules(summary));
	put_known(node, "energy_usd", cost_usd(total_joules(summary), usd_per_kwh));
	put_known(node, "usd_per_kwh", usd_per_kwh);
	gpus = wg_node_array(node, "gpus");
	for (size_t i = 0; i < summary->count; i++)
		put_gpu(gpus, &summary->gpus[i], usd_per_kwh);
}

/* --- view -------------------------------------------------------------------------- */

static struct wg_cell known_cell(double value, enum wg_unit unit)
{
	return isnan(value) ? wg_cell_text(_("N/A")) : wg_cell_number(value, unit);
}

/* Share of the known time with a reason that costs speed. */
static double held_back(const struct wg_record_gpu *gpu, unsigned reasons)
{
	double most_s = 0;

	/* Reasons overlap: the longest one is a lower bound of their union. */
	for (int i = 0; i < WG_RECORD_REASONS; i++) {
		if ((reasons >> i & 1) && gpu->throttle_s[i] > most_s)
			most_s = gpu->throttle_s[i];
	}
	return gpu->throttle_known_s > 0 ? most_s / gpu->throttle_known_s : NAN;
}

static void energy_table(struct wg_document *document, const struct wg_record_summary *summary,
                         double usd_per_kwh)
{
	const struct wg_column columns[] = {
		{ .key = "gpu", .title = _("GPU") },
		{ .key = "name", .title = _("name") },
		{ .key = "watched_s", .title = _("watched"), .right = true },
		{ .key = "busy_ratio", .title = _("busy"), .right = true },
		{ .key = "energy_joules", .title = _("energy"), .right = true },
		{ .key = "mean_watts", .title = _("mean power"), .right = true },
		{ .key = "energy_usd", .title = _("cost"), .right = true, .priority = 1 },
		{ .key = "lost_s", .title = _("lost"), .right = true, .priority = 3 },
		{ .key = "xid_errors", .title = _("XID"), .right = true, .priority = 3 },
	};
	struct wg_block *table = wg_document_table(document, "energy", _("Use and energy"), columns,
	                                           sizeof columns / sizeof columns[0]);

	for (size_t i = 0; i < summary->count; i++) {
		const struct wg_record_gpu *gpu = &summary->gpus[i];

		wg_table_row(table, (const struct wg_cell[]){
					    wg_cell_text(gpu->key),
					    wg_cell_text(gpu->name),
					    wg_cell_number(gpu->watched_s, WG_UNIT_SECONDS),
					    known_cell(gpu->busy_mean, WG_UNIT_PERCENT),
					    known_cell(gpu->energy_joules, WG_UNIT_JOULES),
					    known_cell(mean_watts(gpu), WG_UNIT_WATTS),
					    known_cell(cost_usd(gpu->energy_joules, usd_per_kwh),
		                                       WG_UNIT_USD),
					    wg_cell_number(gpu->lost_s, WG_UNIT_SECONDS),
					    known_cell(gpu->xid_errors, WG_UNIT_COUNT),
				    });
	}
	wg_table_main(table);
}

static void peak_table(struct wg_document *document, const struct wg_record_summary *summary)
{
	const struct wg_column columns[] = {
		{ .key = "gpu", .title = _("GPU") },
		{ .key = "peak_celsius", .title = _("hottest, °C"), .right = true },
		{ .key = "peak_memory_bytes", .title = _("most memory"), .right = true },
		{ .key = "peak_watts", .title = _("most power"), .right = true },
		{ .key = "power_cap_ratio", .title = _("at the power cap"), .right = true },
		{ .key = "heat_ratio", .title = _("slowed for heat"), .right = true },
		{ .key = "brake_ratio", .title = _("slowed by hardware"), .right = true },
	};
	struct wg_block *table = wg_document_table(document, "peaks", _("Peaks and throttling"),
	                                           columns, sizeof columns / sizeof columns[0]);

	for (size_t i = 0; i < summary->count; i++) {
		const struct wg_record_gpu *gpu = &summary->gpus[i];

		wg_table_row(
			table,
			(const struct wg_cell[]){
				wg_cell_text(gpu->key),
				known_cell(gpu->temperature.value, WG_UNIT_NONE),
				known_cell(gpu->memory.value, WG_UNIT_BYTES),
				known_cell(gpu->power.value, WG_UNIT_WATTS),
				known_cell(held_back(gpu, WG_THROTTLE_POWER_CAP), WG_UNIT_PERCENT),
				known_cell(held_back(gpu, WG_THROTTLE_SW_THERMAL |
		                                                  WG_THROTTLE_HW_THERMAL),
		                           WG_UNIT_PERCENT),
				known_cell(held_back(gpu, WG_THROTTLE_HW_SLOWDOWN |
		                                                  WG_THROTTLE_POWER_BRAKE),
		                           WG_UNIT_PERCENT),
			});
	}
}

static void histogram(struct wg_document *document, const struct wg_record_gpu *gpu)
{
	double known_s = busy_known_s(gpu);
	struct wg_block *bars;
	char label[96];

	if (known_s <= 0)
		return;
	snprintf(label, sizeof label, _("Share of time by busy time, %s"), gpu->key);
	bars = wg_document_bars(document, "busy", label);
	for (int i = 0; i < WG_RECORD_BINS; i++) {
		snprintf(label, sizeof label, "%d-%d %%", i * 10, i * 10 + 10);
		wg_bars_item(bars, label,
		             wg_cell_number(gpu->busy_bin_s[i] / known_s, WG_UNIT_PERCENT));
	}
}

static void put_view(struct wg_document *document, const struct wg_record_summary *summary,
                     double usd_per_kwh)
{
	struct wg_block *list = wg_document_list(document, "record", NULL);

	wg_list_item(list, _("samples"), wg_cell_number((double)summary->samples, WG_UNIT_COUNT));
	wg_list_item(list, _("time"),
	             wg_cell_number(summary->end_s - summary->begin_s, WG_UNIT_SECONDS));
	wg_list_item(list, _("energy"), known_cell(total_joules(summary), WG_UNIT_JOULES));
	wg_list_item(list, _("cost of energy"),
	             known_cell(cost_usd(total_joules(summary), usd_per_kwh), WG_UNIT_USD));
	energy_table(document, summary, usd_per_kwh);
	peak_table(document, summary);
	for (size_t i = 0; i < summary->count; i++)
		histogram(document, &summary->gpus[i]);
	if (isnan(usd_per_kwh))
		wg_document_note(document,
		                 _("no price of energy was given: --usd-per-kwh adds the cost"));
}

/* --- picture ------------------------------------------------------------------------ */

struct lines {
	size_t count;
	double x[POINTS];
	double sum[WG_CHART_SERIES_MOST][POINTS], seen[WG_CHART_SERIES_MOST][POINTS];
};

static void take_line_sample(struct lines *lines, const struct wg_record_summary *summary,
                             const struct wg_sample *sample)
{
	double span_s = summary->end_s - summary->begin_s;
	double part = span_s > 0 ? (sample->time_s - summary->begin_s) / span_s : 0;
	long place = (long)(part * (POINTS - 1));

	if (place < 0 || place >= POINTS)
		return;
	for (size_t i = 0; i < lines->count; i++) {
		long found = wg_sample_find(sample, summary->gpus[i].key);
		double watts;

		if (found < 0 || !wg_reading_ok(&sample->gpus[found], WG_READ_POWER, &watts))
			continue;
		lines->sum[i][place] += watts;
		lines->seen[i][place]++;
	}
}

/* Power over time, each point the mean of the samples that fall into it. */
static enum wg_status gather_lines(const char *path, const struct wg_record_summary *summary,
                                   struct lines *lines, struct wg_error *error)
{
	struct wg_probe_options options = { .replay_path = path };
	struct wg_sample sample;
	struct wg_probe *probe;
	enum wg_status status = wg_probe_open(&options, &probe, error);

	if (status != WG_OK)
		return status;
	wg_sample_init(&sample);
	lines->count =
		summary->count < WG_CHART_SERIES_MOST ? summary->count : WG_CHART_SERIES_MOST;
	do {
		status = wg_probe_sample(probe, 0, 0, &sample, error);
		if (status == WG_OK && !sample.ended)
			take_line_sample(lines, summary, &sample);
	} while (status == WG_OK && !sample.ended);
	wg_sample_done(&sample);
	wg_probe_free(probe);
	for (int p = 0; p < POINTS; p++) {
		lines->x[p] = (summary->end_s - summary->begin_s) * p / (POINTS - 1);
		for (size_t i = 0; i < lines->count; i++)
			lines->sum[i][p] =
				lines->seen[i][p] > 0 ? lines->sum[i][p] / lines->seen[i][p] : NAN;
	}
	return status;
}

static enum wg_status draw(const char *path, const struct wg_record_summary *summary,
                           struct wg_text *out, struct wg_error *error)
{
	static const char *const bins[WG_RECORD_BINS] = {
		"0-10 %",  "10-20 %", "20-30 %", "30-40 %", "40-50 %",
		"50-60 %", "60-70 %", "70-80 %", "80-90 %", "90-100 %",
	};
	struct wg_chart_series shares[WG_CHART_SERIES_MOST] = { 0 },
			       power[WG_CHART_SERIES_MOST] = { 0 };
	double values[WG_CHART_SERIES_MOST][WG_RECORD_BINS];
	struct lines *lines = calloc(1, sizeof *lines);
	enum wg_status status;

	if (!lines)
		return wg_error_no_memory(error);
	status = gather_lines(path, summary, lines, error);
	for (size_t i = 0; i < lines->count; i++) {
		double known_s = busy_known_s(&summary->gpus[i]);

		for (int b = 0; b < WG_RECORD_BINS; b++)
			values[i][b] = known_s > 0 ? summary->gpus[i].busy_bin_s[b] / known_s : NAN;
		shares[i] = (struct wg_chart_series){ .name = summary->gpus[i].key,
			                              .y = values[i],
			                              .count = WG_RECORD_BINS };
		power[i] = (struct wg_chart_series){ .name = summary->gpus[i].key,
			                             .x = lines->x,
			                             .y = lines->sum[i],
			                             .count = POINTS };
	}
	if (status == WG_OK) {
		const struct wg_chart charts[] = {
			{ .kind = WG_CHART_LINE,
			  .title = _("Power"),
			  .series = power,
			  .series_count = lines->count,
			  .x = { _("time"), WG_UNIT_SECONDS, false },
			  .y = { _("power"), WG_UNIT_WATTS, false },
			  .limit = NAN },
			{ .kind = WG_CHART_BARS,
			  .title = _("Share of time by busy time"),
			  .series = shares,
			  .series_count = lines->count,
			  .categories = bins,
			  .category_count = WG_RECORD_BINS,
			  .y = { _("share of time"), WG_UNIT_PERCENT, false },
			  .limit = NAN },
		};

		status = wg_svg_write(NULL, charts, 2, 1, out, error);
	}
	free(lines);
	return status;
}

enum wg_status monitor_report(const struct wg_cli *cli, const char *path, double usd_per_kwh,
                              struct wg_result *result, struct wg_error *error)
{
	struct wg_record_summary summary;
	enum wg_status status = wg_record_summarise(path, &summary, error);

	if (status != WG_OK)
		return status;
	put_data(wg_document_data(result->document), &summary, usd_per_kwh);
	put_view(result->document, &summary, usd_per_kwh);
	if (cli->svg_path && summary.count > 0)
		status = draw(path, &summary, &result->svg, error);
	else if (cli->svg_path)
		status = wg_error_set(error, WG_BAD_INPUT, "\"%s\" has no GPU to draw", path);
	wg_record_summary_done(&summary);
	return status;
}
