/* Intel GPUs from the files of the i915 and xe drivers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/sysfs.h"

#define VENDOR 0x8086u
#define MILLI 1e-3
#define MICRO 1e-6
#define MEGA 1e6

struct intel_state {
	char root[256];
	struct sysfs_card cards[SYSFS_CARDS];
	long card_count;
	struct wg_proc proc;
	struct fdinfo fdinfo;
	bool no_processes;
};

static enum wg_status intel_open(const struct wg_probe_options *options, void **ret_state,
                                 struct wg_error *error)
{
	struct intel_state *state = calloc(1, sizeof *state);
	enum wg_status status;

	if (!state)
		return wg_error_no_memory(error);
	snprintf(state->root, sizeof state->root, "%s", options->root ? options->root : "");
	state->no_processes = options->no_processes;
	status = fdinfo_init(&state->fdinfo, error);
	if (status != WG_OK) {
		free(state);
		return status;
	}
	wg_proc_init(&state->proc, state->root);
	*ret_state = state;
	return WG_OK;
}

static void intel_close(void *opaque)
{
	struct intel_state *state = opaque;

	fdinfo_done(&state->fdinfo);
	wg_proc_done(&state->proc);
	free(state);
}

/* i915: one sensor of each kind. */
static void read_i915(struct intel_state *state, const struct sysfs_card *card,
                      struct wg_probe_gpu *gpu)
{
	const char *root = state->root;

	sysfs_take(gpu, WG_READ_GRAPHICS_CLOCK, root, card->path, "gt_act_freq_mhz", MEGA);
	sysfs_take(gpu, WG_READ_GRAPHICS_CLOCK, root, card->path, "gt_cur_freq_mhz", MEGA);
	sysfs_take(gpu, WG_READ_GRAPHICS_CLOCK_MAX, root, card->path, "gt_max_freq_mhz", MEGA);
	if (!card->hwmon[0])
		return;
	sysfs_take(gpu, WG_READ_ENERGY, root, card->hwmon, "energy1_input", MICRO);
	sysfs_take(gpu, WG_READ_POWER_LIMIT, root, card->hwmon, "power1_max", MICRO);
	sysfs_take(gpu, WG_READ_POWER_LIMIT_DEFAULT, root, card->hwmon, "power1_rated_max", MICRO);
	sysfs_take(gpu, WG_READ_TEMPERATURE, root, card->hwmon, "temp1_input", MILLI);
	sysfs_take(gpu, WG_READ_FAN_RPM, root, card->hwmon, "fan1_input", 1);
}

/* xe: sensor 1 is the card, 2 the package, 3 the memory; older parts have only the
 * package's energy. */
static void read_xe(struct intel_state *state, const struct sysfs_card *card,
                    struct wg_probe_gpu *gpu)
{
	const char *root = state->root;
	char clocks[160];

	snprintf(clocks, sizeof clocks, "%s/device/tile0/gt0/freq0", card->path);
	sysfs_take(gpu, WG_READ_GRAPHICS_CLOCK, root, clocks, "act_freq", MEGA);
	sysfs_take(gpu, WG_READ_GRAPHICS_CLOCK, root, clocks, "cur_freq", MEGA);
	sysfs_take(gpu, WG_READ_GRAPHICS_CLOCK_MAX, root, clocks, "max_freq", MEGA);
	if (!card->hwmon[0])
		return;
	sysfs_take(gpu, WG_READ_ENERGY, root, card->hwmon, "energy1_input", MICRO);
	sysfs_take(gpu, WG_READ_ENERGY, root, card->hwmon, "energy2_input", MICRO);
	sysfs_take(gpu, WG_READ_POWER_LIMIT, root, card->hwmon, "power1_max", MICRO);
	sysfs_take(gpu, WG_READ_POWER_LIMIT, root, card->hwmon, "power2_max", MICRO);
	sysfs_take(gpu, WG_READ_POWER_LIMIT_DEFAULT, root, card->hwmon, "power1_rated_max", MICRO);
	sysfs_take(gpu, WG_READ_POWER_LIMIT_DEFAULT, root, card->hwmon, "power2_rated_max", MICRO);
	sysfs_take(gpu, WG_READ_TEMPERATURE, root, card->hwmon, "temp2_input", MILLI);
	sysfs_take(gpu, WG_READ_MEMORY_TEMPERATURE, root, card->hwmon, "temp3_input", MILLI);
	sysfs_take(gpu, WG_READ_FAN_RPM, root, card->hwmon, "fan1_input", 1);
}

/* Used memory is what the clients hold; with other users' processes hidden it would
 * be too small, so it is not told then. The total needs rights we do not ask for. */
static void read_memory(const struct fdinfo *fdinfo, struct wg_probe_gpu *gpu)
{
	double used = 0;
	bool known = false;

	if (!fdinfo->swept)
		return;
	for (size_t i = 0; i < fdinfo->now_count; i++) {
		const struct fdinfo_client *client = &fdinfo->now[i];

		if (strcmp(client->pci, gpu->key) != 0 || !client->vram_known)
			continue;
		used += client->vram_bytes;
		known = true;
	}
	if (fdinfo->hidden)
		wg_reading_miss(gpu, WG_READ_MEMORY_USED, WG_PROBE_NO_PERMISSION,
		                "/proc/PID/fdinfo");
	else if (known)
		wg_reading_set(gpu, WG_READ_MEMORY_USED, used, "/proc/PID/fdinfo");
}

static void read_card(struct intel_state *state, const struct sysfs_card *card,
                      struct wg_probe_gpu *gpu, double clock_s)
{
	char device[128], text[64];

	snprintf(device, sizeof device, "%s/device", card->path);
	snprintf(text, sizeof text, "Intel GPU %04x:%04x", card->vendor, card->device);
	wg_probe_text_set(gpu, WG_PROBE_TEXT_NAME, text);
	sysfs_text(gpu, WG_PROBE_TEXT_DRIVER, state->root, "/proc/sys/kernel", "osrelease");
	sysfs_identity(gpu, state->root, card);
	sysfs_link(gpu, state->root, device);
	if (strcmp(card->driver, "xe") == 0)
		read_xe(state, card, gpu);
	else
		read_i915(state, card, gpu);
	if (!state->no_processes) {
		fdinfo_apply(&state->fdinfo, &state->proc, clock_s, gpu);
		read_memory(&state->fdinfo, gpu);
	}
	/* At this place on the root bus it is the part inside the processor. */
	gpu->unified = strcmp(card->pci, "0000:00:02.0") == 0;
	sysfs_remaining_not_supported(gpu, card->driver[0] == 'x' ? "xe sysfs" : "i915 sysfs");
}

static enum wg_status intel_sample(void *opaque, struct wg_sample *sample, struct wg_error *error)
{
	struct intel_state *state = opaque;
	unsigned used = 0;

	state->card_count = sysfs_cards(state->root, VENDOR, state->cards);
	if (state->card_count > 0 && !state->no_processes)
		fdinfo_sweep(&state->fdinfo, state->root, sample->clock_s);
	for (long i = 0; i < state->card_count; i++) {
		const struct sysfs_card *card = &state->cards[i];
		struct wg_probe_gpu *gpu;

		if (strcmp(card->driver, "i915") != 0 && strcmp(card->driver, "xe") != 0)
			continue;
		gpu = wg_sample_add(sample, card->pci);
		if (!gpu)
			return wg_error_no_memory(error);
		gpu->vendor = WG_PROBE_INTEL;
		gpu->index = used++;
		read_card(state, card, gpu, sample->clock_s);
		if (gpu->lost)
			wg_probe_gpu_lose(gpu, "sysfs");
	}
	if (used > 0)
		wg_sample_note(sample, "intel", WG_PROBE_NOTE_OK, "i915 or xe, %u GPU%s", used,
		               used == 1 ? "" : "s");
	else
		wg_sample_note(sample, "intel", WG_PROBE_NOTE_NO_GPU,
		               "the kernel shows no Intel GPU");
	return WG_OK;
}

const struct wg_backend wg_backend_intel = {
	.name = "intel",
	.open = intel_open,
	.close = intel_close,
	.sample = intel_sample,
};
