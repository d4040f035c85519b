#include "cli/monitor_live.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "http/exporter.h"
#include "whichgpu/record.h"

#define LOOK_EVERY_S 0.2 /* for an error of the sampler's thread */

/* Written to by the sampler's thread; left behind with it when a driver hangs. */
struct recording {
	struct wg_record *record;
	uint64_t samples;
	bool in_use;
};

static enum wg_status write_record(void *context, const struct wg_sample *sample,
                                   struct wg_error *error)
{
	struct recording *recording = context;
	enum wg_status status = wg_record_add(recording->record, sample, error);

	if (status == WG_OK)
		recording->samples++;
	return status;
}

/* Waits a moment; true when a signal asks to stop. */
static bool signalled(const sigset_t *signals)
{
	const struct timespec wait = { .tv_nsec = (long)(LOOK_EVERY_S * 1e9) };

	return sigtimedwait(signals, NULL, &wait) > 0;
}

static enum wg_status watch(const struct monitor_live *live, struct wg_sampler *sampler,
                            struct wg_exporter *exporter, const sigset_t *signals,
                            struct wg_sample *sample, struct wg_error *error)
{
	double end_s = live->duration_s > 0 ? wg_clock_s() + live->duration_s : 0;
	enum wg_status status = WG_OK;

	while (status == WG_OK && !signalled(signals)) {
		status = wg_sampler_get(sampler, sample, NULL, error);
		if (exporter)
			wg_exporter_tend(exporter, wg_clock_s());
		if (end_s > 0 && wg_clock_s() >= end_s)
			break;
		/* A record that is served stays as it ended. */
		if (sample->ended && !exporter)
			break;
	}
	return status;
}

static enum wg_status run(const struct monitor_live *live, struct recording *recording,
                          const sigset_t *signals, struct wg_sample *sample, uint64_t *ret_scrapes,
                          struct wg_error *error)
{
	struct wg_sampler_options options = {
		.probe = live->probe,
		.interval_s = live->interval_s,
		.timeout_s = live->timeout_s,
		.on_sample = recording->record ? write_record : NULL,
		.context = recording,
	};
	struct wg_exporter *exporter = NULL;
	struct wg_sampler *sampler;
	enum wg_status status = wg_sampler_open(&options, &sampler, error);

	if (status != WG_OK)
		return status;
	if (live->export_address)
		status = wg_exporter_open(live->export_address, live->names, sampler, &exporter,
		                          error);
	if (status == WG_OK && exporter)
		fprintf(stderr, _("metrics at %s\n"), wg_exporter_url(exporter));
	if (status == WG_OK)
		status = watch(live, sampler, exporter, signals, sample, error);
	*ret_scrapes = exporter ? wg_exporter_scrapes(exporter) : 0;
	wg_exporter_free(exporter);
	recording->in_use = !wg_sampler_free(sampler);
	return status;
}

static void show_served(uint64_t scrapes, struct wg_result *result)
{
	struct wg_node *node = wg_node_object(wg_document_data(result->document), "export");
	struct wg_block *list = wg_document_list(result->document, "export", NULL);

	wg_node_integer(node, "scrapes", (int64_t)scrapes);
	wg_list_item(list, _("scrapes"), wg_cell_number((double)scrapes, WG_UNIT_COUNT));
}

static void show_recorded(const struct monitor_live *live, const struct recording *recording,
                          const struct wg_sample *sample, struct wg_result *result)
{
	struct wg_node *node = wg_node_object(wg_document_data(result->document), "record");
	struct wg_block *list = wg_document_list(result->document, "record", NULL);

	wg_node_string(node, "file", live->record_path);
	wg_node_integer(node, "samples", (int64_t)recording->samples);
	wg_node_integer(node, "gpus", (int64_t)sample->count);
	wg_list_item(list, _("record"), wg_cell_text(live->record_path));
	wg_list_item(list, _("samples"), wg_cell_number((double)recording->samples, WG_UNIT_COUNT));
	wg_list_item(list, _("GPUs"), wg_cell_number((double)sample->count, WG_UNIT_COUNT));
	probe_document_notes(result->document, sample);
	result->answer_is_no = sample->count == 0;
}

enum wg_status monitor_live(const struct monitor_live *live, struct wg_result *result,
                            struct wg_error *error)
{
	struct recording *recording = calloc(1, sizeof *recording);
	struct wg_record_options options = { live->interval_s, live->record_limit_bytes };
	struct wg_sample sample;
	sigset_t signals, before;
	uint64_t scrapes = 0;
	enum wg_status status = WG_OK;

	if (!recording)
		return wg_error_no_memory(error);
	if (live->record_path)
		status = wg_record_open(live->record_path, &options, &recording->record, error);
	if (status != WG_OK) {
		free(recording);
		return status;
	}
	wg_sample_init(&sample);
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, &before);
	status = run(live, recording, &signals, &sample, &scrapes, error);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (status == WG_OK && live->export_address)
		show_served(scrapes, result);
	if (status == WG_OK && live->record_path)
		show_recorded(live, recording, &sample, result);
	if (!recording->in_use) {
		wg_record_free(recording->record);
		free(recording);
	}
	wg_sample_done(&sample);
	return status;
}
