/* Made-up GPUs, for looking at the screens without one: `monitor --demo`. All
 * values follow from the clocks of the samples and the GPU's number alone, so two
 * runs with the same clocks are equal. Every name says that it is a demo. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/backend.h"

#define CALL "made up"
#define GIB 1073741824.0
#define TAU 6.283185307179586

/* Two kinds: one that tells all, one that leaves out what a consumer card does. */
static const struct demo_kind {
	const char *name;
	double memory_gib, watts, idle_watts, graphics_hz, memory_hz;
	bool data_centre;
} kinds[] = {
	{ "Demo data-centre GPU", 80, 400, 60, 1410e6, 1593e6, true },
	{ "Demo consumer GPU", 24, 450, 20, 2520e6, 10501e6, false },
};

struct demo_state {
	unsigned count;
	double last_s; /* clock of the sample before */
	bool started;
	double joules[64]; /* power over time so far */
};

static enum wg_status demo_open(const struct wg_probe_options *options, void **ret_state,
                                struct wg_error *error)
{
	struct demo_state *state = calloc(1, sizeof *state);

	if (!state)
		return wg_error_no_memory(error);
	state->count = options->demo_gpus < 64 ? options->demo_gpus : 64;
	*ret_state = state;
	return WG_OK;
}

/* A load between 0 and 1 that swings with two periods. */
static double load_at(double seconds, unsigned gpu)
{
	double slow = sin(TAU * (seconds / 90.0 + gpu * 0.37));
	double quick = sin(TAU * (seconds / 7.0 + gpu * 0.11));
	double load = 0.6 + 0.45 * slow + 0.1 * quick;

	return load < 0 ? 0 : load > 1 ? 1 : load;
}

static void demo_power(struct wg_probe_gpu *gpu, const struct demo_kind *kind, double load,
                       double elapsed, double *joules)
{
	double watts = kind->idle_watts + (kind->watts * 1.02 - kind->idle_watts) * load;
	bool capped = watts > kind->watts;

	if (capped)
		watts = kind->watts;
	wg_reading_set(gpu, WG_READ_POWER, watts, CALL);
	wg_reading_set(gpu, WG_READ_POWER_LIMIT, kind->watts, CALL);
	wg_reading_set(gpu, WG_READ_POWER_LIMIT_DEFAULT, kind->watts, CALL);
	*joules += elapsed * watts;
	wg_reading_set(gpu, WG_READ_ENERGY, *joules, CALL);
	wg_reading_set(gpu, WG_READ_THROTTLE_REASONS,
	               capped      ? WG_THROTTLE_POWER_CAP
	               : load == 0 ? WG_THROTTLE_IDLE
	                           : 0,
	               CALL);
}

static void demo_fill(struct wg_probe_gpu *gpu, const struct demo_kind *kind, double seconds,
                      double elapsed, double *joules)
{
	double load = load_at(seconds, gpu->index);
	double total = kind->memory_gib * GIB;
	double used = total * (0.3 + 0.5 * load);

	wg_reading_set(gpu, WG_READ_MEMORY_TOTAL, total, CALL);
	wg_reading_set(gpu, WG_READ_MEMORY_USED, used, CALL);
	wg_reading_set(gpu, WG_READ_MEMORY_RESERVED, 0.5 * GIB, CALL);
	wg_reading_set(gpu, WG_READ_MEMORY_FREE, total - used - 0.5 * GIB, CALL);
	wg_reading_set(gpu, WG_READ_BUSY, load, CALL);
	wg_reading_set(gpu, WG_READ_MEMORY_BUSY, load * 0.5, CALL);
	wg_reading_set(gpu, WG_READ_GRAPHICS_CLOCK, kind->graphics_hz * (0.4 + 0.6 * load), CALL);
	wg_reading_set(gpu, WG_READ_GRAPHICS_CLOCK_MAX, kind->graphics_hz, CALL);
	wg_reading_set(gpu, WG_READ_MEMORY_CLOCK, kind->memory_hz, CALL);
	wg_reading_set(gpu, WG_READ_TEMPERATURE, 32 + 45 * load, CALL);
	wg_reading_set(gpu, WG_READ_TEMPERATURE_SLOWDOWN, 87, CALL);
	wg_reading_set(gpu, WG_READ_PCIE_GENERATION, load > 0.05 ? 4 : 1, CALL);
	wg_reading_set(gpu, WG_READ_PCIE_GENERATION_MAX, 4, CALL);
	wg_reading_set(gpu, WG_READ_PCIE_WIDTH, 16, CALL);
	wg_reading_set(gpu, WG_READ_PCIE_WIDTH_MAX, 16, CALL);
	demo_power(gpu, kind, load, elapsed, joules);
	if (kind->data_centre) {
		wg_reading_set(gpu, WG_READ_MEMORY_TEMPERATURE, 38 + 48 * load, CALL);
		wg_reading_set(gpu, WG_READ_SM_ACTIVE, load * 0.8, CALL);
		wg_reading_set(gpu, WG_READ_TENSOR_ACTIVE, load * 0.35, CALL);
		wg_reading_set(gpu, WG_READ_DRAM_ACTIVE, load * 0.5, CALL);
		wg_reading_set(gpu, WG_READ_ECC_UNCORRECTED, 0, CALL);
		wg_reading_set(gpu, WG_READ_XID_COUNT, 0, CALL);
	} else {
		wg_reading_set(gpu, WG_READ_FAN, 0.3 + 0.5 * load, CALL);
	}
}

static void demo_process(struct wg_probe_gpu *gpu)
{
	double used = gpu->readings[WG_READ_MEMORY_USED].value;
	struct wg_probe_process *process = wg_sample_add_process(gpu, 4000 + gpu->index);

	gpu->process_state = WG_PROBE_OK;
	wg_reading_set(gpu, WG_READ_PROCESS_COUNT, process ? 1 : 0, CALL);
	if (!process)
		return;
	process->visible = process->compute = true;
	snprintf(process->command, sizeof process->command, "demo-%s --gpu %u",
	         gpu->index % 2 ? "serve" : "train", gpu->index);
	process->memory_bytes = (struct wg_reading){ used, CALL, WG_PROBE_OK };
	process->busy_ratio = gpu->readings[WG_READ_BUSY];
}

static enum wg_status demo_sample(void *opaque, struct wg_sample *sample, struct wg_error *error)
{
	struct demo_state *state = opaque;

	double elapsed = state->started ? sample->clock_s - state->last_s : 0;

	state->started = true;
	state->last_s = sample->clock_s;
	wg_sample_note(sample, "demo", WG_PROBE_NOTE_OK, "made-up values of %u GPU%s", state->count,
	               state->count == 1 ? "" : "s");
	for (unsigned i = 0; i < state->count; i++) {
		const struct demo_kind *kind = &kinds[i % 2];
		struct wg_probe_gpu *gpu;
		char text[64];

		snprintf(text, sizeof text, "demo:%02x:00.0", i);
		gpu = wg_sample_add(sample, text);
		if (!gpu)
			return wg_error_no_memory(error);
		gpu->vendor = WG_PROBE_OTHER;
		gpu->index = i;
		wg_probe_text_set(gpu, WG_PROBE_TEXT_PCI, text);
		wg_probe_text_set(gpu, WG_PROBE_TEXT_NAME, kind->name);
		snprintf(text, sizeof text, "GPU-demo-%u", i);
		wg_probe_text_set(gpu, WG_PROBE_TEXT_UUID, text);
		demo_fill(gpu, kind, sample->clock_s, elapsed, &state->joules[i]);
		demo_process(gpu);
	}
	return WG_OK;
}

const struct wg_backend wg_backend_demo = {
	.name = "demo",
	.open = demo_open,
	.close = free,
	.sample = demo_sample,
};
