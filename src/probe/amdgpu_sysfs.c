/* AMD GPUs from the amdgpu driver's files: no library, no ROCm. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/sysfs.h"
#include "whichgpu/number.h"

#define VENDOR 0x1002u
#define MILLI 1e-3
#define MICRO 1e-6
#define PERCENT 0.01
#define MEGA 1e6

struct amd_state {
	char root[256];
	struct sysfs_card cards[SYSFS_CARDS];
	long card_count; /* of the last walk */
	struct wg_proc proc;
	struct fdinfo fdinfo;
	bool no_processes;
};

static enum wg_status amd_open(const struct wg_probe_options *options, void **ret_state,
                               struct wg_error *error)
{
	struct amd_state *state = calloc(1, sizeof *state);
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

static void amd_close(void *opaque)
{
	struct amd_state *state = opaque;

	fdinfo_done(&state->fdinfo);
	wg_proc_done(&state->proc);
	free(state);
}

/* pp_dpm files list "1: 1000Mhz *"; the star marks the level in use, the last line
 * is the highest. */
static void take_levels(struct wg_probe_gpu *gpu, const char *root, const char *device,
                        const char *file, enum wg_reading_name now, enum wg_reading_name most)
{
	char path[320], text[1024];
	double highest = 0;

	snprintf(path, sizeof path, "%s/%s", device, file);
	if (wg_small_file(root, path, text, sizeof text) <= 0)
		return;
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		const char *colon = memchr(line, ':', length);
		double mhz;

		if (colon) {
			const char *digits = colon + 1 + strspn(colon + 1, " ");

			if (wg_number_read(digits, strspn(digits, "0123456789"), &mhz)) {
				highest = mhz > highest ? mhz : highest;
				if (memchr(line, '*', length))
					wg_reading_set(gpu, now, mhz * MEGA, file);
			}
		}
		line += length + (line[length] == '\n');
	}
	if (highest > 0 && most != WG_READING_COUNT)
		wg_reading_set(gpu, most, highest * MEGA, file);
}

/* Which of temp1..temp8 is what, is told by the labels; old kernels have only the
 * first, which is the edge. */
static void take_temperatures(struct wg_probe_gpu *gpu, const char *root, const char *hwmon)
{
	static const struct {
		const char *label;
		enum wg_reading_name now, limit;
	} kinds[] = {
		{ "edge", WG_READ_TEMPERATURE, WG_READ_TEMPERATURE_SLOWDOWN },
		{ "junction", WG_READ_HOTSPOT_TEMPERATURE, WG_READING_COUNT },
		{ "mem", WG_READ_MEMORY_TEMPERATURE, WG_READ_TEMPERATURE_MEMORY_MAX },
	};
	static const char *const inputs[] = { "temp1_input", "temp2_input", "temp3_input" };
	static const char *const crits[] = { "temp1_crit", "temp2_crit", "temp3_crit" };

	for (int i = 0; i < 3; i++) {
		char path[320], label[32] = "edge";

		snprintf(path, sizeof path, "%s/temp%d_label", hwmon, i + 1);
		if (wg_small_file(root, path, label, sizeof label) <= 0 && i > 0)
			continue;
		for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
			if (strcmp(label, kinds[k].label) != 0)
				continue;
			sysfs_take(gpu, kinds[k].now, root, hwmon, inputs[i], MILLI);
			if (kinds[k].limit != WG_READING_COUNT)
				sysfs_take(gpu, kinds[k].limit, root, hwmon, crits[i], MILLI);
		}
	}
	/* Data-centre parts have no edge sensor: the hotspot is what limits them. */
	if (gpu->readings[WG_READ_TEMPERATURE].state == WG_PROBE_NOT_SUPPORTED)
		gpu->readings[WG_READ_TEMPERATURE] = gpu->readings[WG_READ_HOTSPOT_TEMPERATURE];
	sysfs_take(gpu, WG_READ_TEMPERATURE_SHUTDOWN, root, hwmon, "temp1_emergency", MILLI);
}

static void take_hwmon(struct wg_probe_gpu *gpu, const char *root, const char *hwmon)
{
	double pwm = 0, most = 255;
	enum wg_probe_state state;

	take_temperatures(gpu, root, hwmon);
	/* Newer kernels and parts have the instant value, older ones the average. */
	sysfs_take(gpu, WG_READ_POWER_AVERAGE, root, hwmon, "power1_average", MICRO);
	sysfs_take(gpu, WG_READ_POWER_INSTANT, root, hwmon, "power1_input", MICRO);
	gpu->readings[WG_READ_POWER] = gpu->readings[WG_READ_POWER_AVERAGE];
	if (gpu->readings[WG_READ_POWER].state != WG_PROBE_OK)
		gpu->readings[WG_READ_POWER] = gpu->readings[WG_READ_POWER_INSTANT];
	sysfs_take(gpu, WG_READ_POWER_LIMIT, root, hwmon, "power1_cap", MICRO);
	sysfs_take(gpu, WG_READ_POWER_LIMIT_DEFAULT, root, hwmon, "power1_cap_default", MICRO);
	sysfs_take(gpu, WG_READ_POWER_LIMIT_MIN, root, hwmon, "power1_cap_min", MICRO);
	sysfs_take(gpu, WG_READ_POWER_LIMIT_MAX, root, hwmon, "power1_cap_max", MICRO);
	sysfs_take(gpu, WG_READ_FAN_RPM, root, hwmon, "fan1_input", 1);
	sysfs_number(root, hwmon, "pwm1_max", &most, &state);
	if (sysfs_number(root, hwmon, "pwm1", &pwm, &state) && most > 0)
		wg_reading_set(gpu, WG_READ_FAN, pwm / most, "pwm1");
	else
		wg_reading_miss(gpu, WG_READ_FAN, state, "pwm1");
}

static uint64_t little(const unsigned char *bytes, int count)
{
	uint64_t value = 0;

	for (int i = count - 1; i >= 0; i--)
		value = value << 8 | bytes[i];
	return value;
}

/* The binary table gpu_metrics, format 1 content 1 to 3: its first 80 bytes are the
 * same. All ones mean "not measured". Energy counts 2^-16 J (ROCm SMI manual,
 * rsmi_dev_energy_count_get: 15.259 uJ); content 3 ends with a throttle word whose
 * bits are those of the kernel's SMU_THROTTLER list: power and current below 32,
 * temperatures from 32, PROCHOT at 46 and 47. */
static void take_metrics(struct wg_probe_gpu *gpu, const char *root, const char *device)
{
	char path[320];
	char raw[512];
	const unsigned char *bytes = (const unsigned char *)raw;
	long length;
	uint64_t value;
	unsigned reasons = 0;

	snprintf(path, sizeof path, "%s/gpu_metrics", device);
	length = wg_small_file(root, path, raw, sizeof raw);
	if (length < 80 || bytes[2] != 1 || bytes[3] < 1 || bytes[3] > 3)
		return;
	value = little(bytes + 24, 8);
	if (value != UINT64_MAX && value != 0)
		wg_reading_set(gpu, WG_READ_ENERGY, (double)value / 65536.0, "gpu_metrics");
	if (bytes[3] != 3 || length < 120)
		return;
	value = little(bytes + 112, 8);
	if (value == UINT64_MAX)
		return;
	if (value & 0xffffffffu)
		reasons |= WG_THROTTLE_POWER_CAP;
	if (value >> 32 & 0x3fff)
		reasons |= WG_THROTTLE_SW_THERMAL;
	if (value >> 46 & 3)
		reasons |= WG_THROTTLE_HW_SLOWDOWN;
	wg_reading_set(gpu, WG_READ_THROTTLE_REASONS, reasons, "gpu_metrics");
}

/* ras files: "ue: 0\nce: 3"; a board has a file a block, and the memory's is umc. */
static void take_ecc(struct wg_probe_gpu *gpu, const char *root, const char *device)
{
	char path[320], text[128];

	snprintf(path, sizeof path, "%s/ras/umc_err_count", device);
	if (wg_small_file(root, path, text, sizeof text) <= 0)
		return;
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		double count;

		if (length > 4 && wg_number_read(line + 4, length - 4, &count)) {
			if (strncmp(line, "ue: ", 4) == 0)
				wg_reading_set(gpu, WG_READ_ECC_UNCORRECTED, count,
				               "ras/umc_err_count");
			else if (strncmp(line, "ce: ", 4) == 0)
				wg_reading_set(gpu, WG_READ_ECC_CORRECTED, count,
				               "ras/umc_err_count");
		}
		line += length + (line[length] == '\n');
	}
}

static void take_name(struct wg_probe_gpu *gpu, const struct amd_state *state,
                      const struct sysfs_card *card, const char *device)
{
	char text[64];

	sysfs_text(gpu, WG_PROBE_TEXT_NAME, state->root, device, "product_name");
	if (!gpu->texts[WG_PROBE_TEXT_NAME].value[0]) {
		snprintf(text, sizeof text, "AMD GPU %04x:%04x", card->vendor, card->device);
		wg_probe_text_set(gpu, WG_PROBE_TEXT_NAME, text);
	}
	sysfs_text(gpu, WG_PROBE_TEXT_UUID, state->root, device, "unique_id");
	sysfs_text(gpu, WG_PROBE_TEXT_SERIAL, state->root, device, "serial_number");
	sysfs_text(gpu, WG_PROBE_TEXT_VBIOS, state->root, device, "vbios_version");
	sysfs_text(gpu, WG_PROBE_TEXT_PROFILE, state->root, device, "current_compute_partition");
	sysfs_text(gpu, WG_PROBE_TEXT_DRIVER, state->root, "/sys/module/amdgpu", "version");
	if (!gpu->texts[WG_PROBE_TEXT_DRIVER].value[0])
		sysfs_text(gpu, WG_PROBE_TEXT_DRIVER, state->root, "/proc/sys/kernel", "osrelease");
}

static void read_card(struct amd_state *state, const struct sysfs_card *card,
                      struct wg_probe_gpu *gpu, double clock_s)
{
	const char *root = state->root;
	char device[128];

	snprintf(device, sizeof device, "%s/device", card->path);
	take_name(gpu, state, card, device);
	sysfs_identity(gpu, root, card);
	sysfs_link(gpu, root, device);
	sysfs_take(gpu, WG_READ_MEMORY_TOTAL, root, device, "mem_info_vram_total", 1);
	sysfs_take(gpu, WG_READ_MEMORY_USED, root, device, "mem_info_vram_used", 1);
	if (gpu->readings[WG_READ_MEMORY_USED].state == WG_PROBE_OK &&
	    gpu->readings[WG_READ_MEMORY_TOTAL].state == WG_PROBE_OK)
		wg_reading_set(gpu, WG_READ_MEMORY_FREE,
		               gpu->readings[WG_READ_MEMORY_TOTAL].value -
		                       gpu->readings[WG_READ_MEMORY_USED].value,
		               "mem_info_vram_total");
	sysfs_take(gpu, WG_READ_BAR1_TOTAL, root, device, "mem_info_vis_vram_total", 1);
	sysfs_take(gpu, WG_READ_BAR1_USED, root, device, "mem_info_vis_vram_used", 1);
	sysfs_take(gpu, WG_READ_HOST_MEMORY_USED, root, device, "mem_info_gtt_used", 1);
	sysfs_take(gpu, WG_READ_BUSY, root, device, "gpu_busy_percent", PERCENT);
	sysfs_take(gpu, WG_READ_MEMORY_BUSY, root, device, "mem_busy_percent", PERCENT);
	sysfs_take(gpu, WG_READ_PCIE_REPLAY, root, device, "pcie_replay_count", 1);
	take_levels(gpu, root, device, "pp_dpm_sclk", WG_READ_GRAPHICS_CLOCK,
	            WG_READ_GRAPHICS_CLOCK_MAX);
	take_levels(gpu, root, device, "pp_dpm_mclk", WG_READ_MEMORY_CLOCK,
	            WG_READ_MEMORY_CLOCK_MAX);
	if (card->hwmon[0])
		take_hwmon(gpu, root, card->hwmon);
	take_metrics(gpu, root, device);
	take_ecc(gpu, root, device);
	sysfs_remaining_not_supported(gpu, "amdgpu sysfs");
	if (!state->no_processes)
		fdinfo_apply(&state->fdinfo, &state->proc, clock_s, gpu);
}

static enum wg_status add_cards(struct amd_state *state, struct wg_sample *sample, size_t *ret_used,
                                struct wg_error *error)
{
	for (long i = 0; i < state->card_count; i++) {
		struct wg_probe_gpu *gpu;

		/* radeon and others have none of these files. */
		if (strcmp(state->cards[i].driver, "amdgpu") != 0)
			continue;
		gpu = wg_sample_add(sample, state->cards[i].pci);
		if (!gpu)
			return wg_error_no_memory(error);
		gpu->vendor = WG_PROBE_AMD;
		gpu->index = (unsigned)(*ret_used)++;
		read_card(state, &state->cards[i], gpu, sample->clock_s);
		if (gpu->lost)
			wg_probe_gpu_lose(gpu, "amdgpu sysfs");
	}
	return WG_OK;
}

static enum wg_status amd_sample(void *opaque, struct wg_sample *sample, struct wg_error *error)
{
	struct amd_state *state = opaque;
	enum wg_status status;
	size_t used = 0;

	state->card_count = sysfs_cards(state->root, VENDOR, state->cards);
	if (state->card_count <= 0) {
		wg_sample_note(sample, "amdgpu", WG_PROBE_NOTE_NO_GPU,
		               "the kernel shows no AMD GPU");
		return WG_OK;
	}
	if (!state->no_processes)
		fdinfo_sweep(&state->fdinfo, state->root, sample->clock_s);
	status = add_cards(state, sample, &used, error);
	if (status != WG_OK)
		return status;
	if (used > 0) {
		wg_sample_note(sample, "amdgpu", WG_PROBE_NOTE_OK, "amdgpu, %zu GPU%s", used,
		               used == 1 ? "" : "s");
	} else {
		wg_sample_note(sample, "amdgpu", WG_PROBE_NOTE_NO_DRIVER,
		               "there is an AMD GPU, but not with the amdgpu driver");
		wg_sample_advice(sample, "load the amdgpu module (modprobe amdgpu)");
	}
	return WG_OK;
}

const struct wg_backend wg_backend_amdgpu = {
	.name = "amdgpu",
	.open = amd_open,
	.close = amd_close,
	.sample = amd_sample,
};
