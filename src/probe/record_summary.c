/* What a record says: energy, use, throttling, peaks. Each pair of samples next to
 * each other stands for the time between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "whichgpu/limits.h"
#include "whichgpu/record.h"

#define GAP_INTERVALS 5.0 /* a longer pause was none of watching */
#define GAP_LEAST_S 5.0

static struct wg_record_gpu *summary_gpu(struct wg_record_summary *summary, const char *key)
{
	struct wg_record_gpu *gpu;

	for (size_t i = 0; i < summary->count; i++) {
		if (strcmp(summary->gpus[i].key, key) == 0)
			return &summary->gpus[i];
	}
	if (summary->count == summary->capacity) {
		size_t capacity = summary->capacity ? summary->capacity * 2 : 8;
		struct wg_record_gpu *gpus;

		if (capacity > WG_LIMIT_PROBE_GPUS)
			return NULL;
		gpus = realloc(summary->gpus, capacity * sizeof *gpus);
		if (!gpus)
			return NULL;
		summary->gpus = gpus;
		summary->capacity = capacity;
	}
	gpu = &summary->gpus[summary->count++];
	memset(gpu, 0, sizeof *gpu);
	memcpy(gpu->key, key, sizeof gpu->key);
	gpu->energy_joules = gpu->busy_mean = gpu->sm_active_mean = gpu->tensor_active_mean = NAN;
	gpu->temperature.value = gpu->memory.value = gpu->power.value = NAN;
	gpu->xid_errors = gpu->memory_total_bytes = NAN;
	return gpu;
}

static void take_peak(struct wg_record_peak *peak, const struct wg_probe_gpu *gpu,
                      enum wg_reading_name name, double time_s)
{
	double value;

	if (!wg_reading_ok(gpu, name, &value))
		return;
	if (isnan(peak->value) || value > peak->value)
		*peak = (struct wg_record_peak){ value, time_s };
}

static double no_nan(double value)
{
	return isnan(value) ? 0 : value;
}

/* Mean over time: what was, by the seconds it stands for. */
static void take_mean(double *mean, double before_s, double value, double elapsed_s)
{
	double total_s = before_s + elapsed_s;

	if (total_s > 0)
		*mean = (no_nan(*mean) * before_s + value * elapsed_s) / total_s;
}

static void take_energy(struct wg_record_gpu *gpu, const struct wg_probe_gpu *before,
                        const struct wg_probe_gpu *now, double elapsed_s)
{
	double a, b;

	/* A counter that fell was set back; that interval is taken by power. */
	if (wg_reading_ok(before, WG_READ_ENERGY, &a) && wg_reading_ok(now, WG_READ_ENERGY, &b) &&
	    b >= a) {
		gpu->energy_joules = no_nan(gpu->energy_joules) + (b - a);
		gpu->energy_from_counter = true;
	} else if (wg_reading_ok(before, WG_READ_POWER, &a) &&
	           wg_reading_ok(now, WG_READ_POWER, &b)) {
		gpu->energy_joules = no_nan(gpu->energy_joules) + (a + b) / 2 * elapsed_s;
	}
}

static void take_busy(struct wg_record_gpu *gpu, const struct wg_probe_gpu *now, double elapsed_s)
{
	double busy, known_s = 0;
	int bin;

	if (!wg_reading_ok(now, WG_READ_BUSY, &busy))
		return;
	for (int i = 0; i < WG_RECORD_BINS; i++)
		known_s += gpu->busy_bin_s[i];
	take_mean(&gpu->busy_mean, known_s, busy, elapsed_s);
	bin = (int)(busy * WG_RECORD_BINS);
	bin = bin < 0 ? 0 : bin >= WG_RECORD_BINS ? WG_RECORD_BINS - 1 : bin;
	gpu->busy_bin_s[bin] += elapsed_s;
}

static void take_throttle(struct wg_record_gpu *gpu, const struct wg_probe_gpu *now,
                          double elapsed_s)
{
	double reasons;

	if (!wg_reading_ok(now, WG_READ_THROTTLE_REASONS, &reasons))
		return;
	gpu->throttle_known_s += elapsed_s;
	for (int i = 0; i < WG_RECORD_REASONS; i++) {
		if ((unsigned)reasons >> i & 1)
			gpu->throttle_s[i] += elapsed_s;
	}
}

static void take_pair(struct wg_record_gpu *gpu, const struct wg_probe_gpu *before,
                      const struct wg_probe_gpu *now, double elapsed_s)
{
	double value;

	if (now->lost || before->lost) {
		gpu->lost_s += elapsed_s;
		return;
	}
	take_energy(gpu, before, now, elapsed_s);
	take_busy(gpu, now, elapsed_s);
	take_throttle(gpu, now, elapsed_s);
	if (wg_reading_ok(now, WG_READ_SM_ACTIVE, &value))
		take_mean(&gpu->sm_active_mean, gpu->watched_s, value, elapsed_s);
	if (wg_reading_ok(now, WG_READ_TENSOR_ACTIVE, &value))
		take_mean(&gpu->tensor_active_mean, gpu->watched_s, value, elapsed_s);
	gpu->watched_s += elapsed_s;
}

static void take_now(struct wg_record_gpu *gpu, const struct wg_probe_gpu *now, double time_s)
{
	double value;

	if (now->texts[WG_PROBE_TEXT_NAME].value[0])
		memcpy(gpu->name, now->texts[WG_PROBE_TEXT_NAME].value, sizeof gpu->name);
	take_peak(&gpu->temperature, now, WG_READ_TEMPERATURE, time_s);
	take_peak(&gpu->memory, now, WG_READ_MEMORY_USED, time_s);
	take_peak(&gpu->power, now, WG_READ_POWER, time_s);
	if (wg_reading_ok(now, WG_READ_XID_COUNT, &value) &&
	    (isnan(gpu->xid_errors) || value > gpu->xid_errors))
		gpu->xid_errors = value;
	if (wg_reading_ok(now, WG_READ_MEMORY_TOTAL, &value))
		gpu->memory_total_bytes = value;
}

enum wg_status wg_record_summary_add(struct wg_record_summary *summary,
                                     const struct wg_sample *before, const struct wg_sample *sample,
                                     double longest_s, struct wg_error *error)
{
	double elapsed_s = before->count > 0 ? sample->time_s - before->time_s : 0;

	if (summary->samples == 0)
		summary->begin_s = sample->time_s;
	summary->end_s = sample->time_s;
	summary->samples++;
	for (size_t i = 0; i < sample->count; i++) {
		const struct wg_probe_gpu *now = &sample->gpus[i];
		long place = wg_sample_find(before, now->key);
		struct wg_record_gpu *gpu = summary_gpu(summary, now->key);

		if (!gpu)
			return wg_error_no_memory(error);
		take_now(gpu, now, sample->time_s);
		if (place < 0 || elapsed_s <= 0)
			continue;
		if (elapsed_s > longest_s)
			gpu->gap_s += elapsed_s;
		else
			take_pair(gpu, &before->gpus[place], now, elapsed_s);
	}
	return WG_OK;
}

void wg_record_summary_done(struct wg_record_summary *summary)
{
	free(summary->gpus);
	memset(summary, 0, sizeof *summary);
}

/* The pause above which nobody was watching: five of the record's intervals, as
 * its first samples show them. */
static double longest_of(double interval_s)
{
	double longest = GAP_INTERVALS * interval_s;

	return longest > GAP_LEAST_S ? longest : GAP_LEAST_S;
}

static enum wg_status add_all(struct wg_probe *probe, struct wg_record_summary *summary,
                              struct wg_sample *samples, struct wg_error *error)
{
	double interval_s = 0;
	enum wg_status status = WG_OK;

	for (unsigned i = 0; status == WG_OK; i++) {
		struct wg_sample *now = &samples[i % 2], *before = &samples[(i + 1) % 2];

		status = wg_probe_sample(probe, 0, 0, now, error);
		if (status != WG_OK || now->ended)
			break;
		if (i == 1)
			interval_s = now->time_s - before->time_s;
		status = wg_record_summary_add(summary, before, now, longest_of(interval_s), error);
	}
	return status;
}

enum wg_status wg_record_summarise(const char *path, struct wg_record_summary *ret_summary,
                                   struct wg_error *error)
{
	struct wg_probe_options options = { .replay_path = path };
	struct wg_record_summary summary = { 0 };
	struct wg_sample samples[2];
	struct wg_probe *probe;
	enum wg_status status = wg_probe_open(&options, &probe, error);

	if (status != WG_OK)
		return status;
	wg_sample_init(&samples[0]);
	wg_sample_init(&samples[1]);
	status = add_all(probe, &summary, samples, error);
	wg_sample_done(&samples[0]);
	wg_sample_done(&samples[1]);
	wg_probe_free(probe);
	if (status == WG_OK)
		*ret_summary = summary;
	else
		wg_record_summary_done(&summary);
	return status;
}
