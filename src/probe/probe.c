/* The probe: which backends are asked, and what follows from two samples. */
#include "whichgpu/probe.h"

#include <stdlib.h>
#include <string.h>

#include "probe/backend.h"

#define BACKENDS_AT_ONCE 3

struct wg_probe {
	const struct wg_backend *backends[BACKENDS_AT_ONCE];
	void *states[BACKENDS_AT_ONCE];
	size_t backend_count;
	struct wg_sample last; /* for differences of counters */
};

/* A rate that no call gave is the growth of its counter over time. */
static const struct {
	enum wg_reading_name rate, counter;
	const char *call;
} derived[] = {
	{ WG_READ_PCIE_TX_RATE, WG_READ_PCIE_TX, "growth of pcie_tx_bytes" },
	{ WG_READ_PCIE_RX_RATE, WG_READ_PCIE_RX, "growth of pcie_rx_bytes" },
	{ WG_READ_NVLINK_TX_RATE, WG_READ_NVLINK_TX, "growth of nvlink_tx_bytes" },
	{ WG_READ_NVLINK_RX_RATE, WG_READ_NVLINK_RX, "growth of nvlink_rx_bytes" },
	{ WG_READ_POWER, WG_READ_ENERGY, "growth of energy_joules" },
};

static enum wg_status probe_add(struct wg_probe *probe, const struct wg_backend *backend,
                                const struct wg_probe_options *options, struct wg_error *error)
{
	enum wg_status status;

	status = backend->open(options, &probe->states[probe->backend_count], error);
	if (status == WG_OK)
		probe->backends[probe->backend_count++] = backend;
	return status;
}

enum wg_status wg_probe_open(const struct wg_probe_options *options, struct wg_probe **ret_probe,
                             struct wg_error *error)
{
	struct wg_probe *probe = calloc(1, sizeof *probe);
	enum wg_status status = WG_OK;

	if (!probe)
		return wg_error_no_memory(error);
	wg_sample_init(&probe->last);
	if (options->replay_path) {
		status = probe_add(probe, &wg_backend_replay, options, error);
	} else if (options->demo_gpus > 0) {
		status = probe_add(probe, &wg_backend_demo, options, error);
	} else {
		status = probe_add(probe, &wg_backend_nvml, options, error);
		if (status == WG_OK)
			status = probe_add(probe, &wg_backend_amdgpu, options, error);
		if (status == WG_OK)
			status = probe_add(probe, &wg_backend_intel, options, error);
	}
	if (status != WG_OK) {
		wg_probe_free(probe);
		return status;
	}
	*ret_probe = probe;
	return WG_OK;
}

void wg_probe_free(struct wg_probe *probe)
{
	if (!probe)
		return;
	for (size_t i = 0; i < probe->backend_count; i++)
		probe->backends[i]->close(probe->states[i]);
	wg_sample_done(&probe->last);
	free(probe);
}

static void derive_gpu(struct wg_probe_gpu *gpu, const struct wg_probe_gpu *before, double elapsed)
{
	for (size_t i = 0; i < sizeof derived / sizeof derived[0]; i++) {
		double now, then;

		if (gpu->readings[derived[i].rate].state != WG_PROBE_NOT_SUPPORTED ||
		    !wg_reading_ok(gpu, derived[i].counter, &now) ||
		    !wg_reading_ok(before, derived[i].counter, &then))
			continue;
		/* Less than before: the counter wrapped or the driver was loaded anew. */
		if (now >= then)
			wg_reading_set(gpu, derived[i].rate, (now - then) / elapsed,
			               derived[i].call);
		else
			wg_reading_miss(gpu, derived[i].rate, WG_PROBE_STALE, derived[i].call);
	}
}

static void derive(struct wg_sample *sample, const struct wg_sample *last)
{
	double elapsed = sample->clock_s - last->clock_s;

	if (last->count == 0 || elapsed <= 0)
		return;
	for (size_t i = 0; i < sample->count; i++) {
		const char *key = sample->gpus[i].key;
		long before = i < last->count && strcmp(last->gpus[i].key, key) == 0
		                      ? (long)i
		                      : wg_sample_find(last, key);

		if (before >= 0)
			derive_gpu(&sample->gpus[i], &last->gpus[before], elapsed);
	}
}

enum wg_status wg_probe_sample(struct wg_probe *probe, double clock_s, double time_s,
                               struct wg_sample *sample, struct wg_error *error)
{
	wg_sample_clear(sample);
	sample->clock_s = clock_s;
	sample->time_s = time_s;
	for (size_t i = 0; i < probe->backend_count; i++) {
		enum wg_status status;

		status = probe->backends[i]->sample(probe->states[i], sample, error);
		if (status != WG_OK)
			return status;
	}
	/* A record has the rates it was written with. */
	if (probe->backends[0] == &wg_backend_replay)
		return WG_OK;
	derive(sample, &probe->last);
	if (!wg_sample_copy(&probe->last, sample))
		return wg_error_no_memory(error);
	return WG_OK;
}

struct pair_list {
	struct wg_probe_pair *pairs;
	size_t count, capacity;
};

static bool pair_add(void *target, const struct wg_probe_pair *pair)
{
	struct pair_list *list = target;

	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? list->capacity * 2 : 16;
		struct wg_probe_pair *pairs = realloc(list->pairs, capacity * sizeof *pairs);

		if (!pairs)
			return false;
		list->pairs = pairs;
		list->capacity = capacity;
	}
	list->pairs[list->count++] = *pair;
	return true;
}

enum wg_status wg_probe_pairs(struct wg_probe *probe, struct wg_probe_pair **ret_pairs,
                              size_t *ret_count, struct wg_error *error)
{
	struct pair_list list = { 0 };

	for (size_t i = 0; i < probe->backend_count; i++) {
		enum wg_status status = WG_OK;

		if (probe->backends[i]->pairs)
			status =
				probe->backends[i]->pairs(probe->states[i], pair_add, &list, error);
		if (status != WG_OK) {
			free(list.pairs);
			return status;
		}
	}
	*ret_pairs = list.pairs;
	*ret_count = list.count;
	return WG_OK;
}
