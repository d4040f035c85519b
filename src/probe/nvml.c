/* NVIDIA GPUs through NVML: finding them, losing them, getting them back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/nvml.h"
#include "whichgpu/limits.h"
#include "whichgpu/number.h"

#define FIXED_EVERY_S 30.0
#define RETRY_EVERY_S 5.0
#define RESTART_EVERY_S 60.0
#define NAME "nvml"

/* What a failed start means, and what to do. */
static const struct {
	nvml_return result;
	enum wg_probe_note_kind kind;
	const char *message, *advice;
} starts[] = {
	{ NVML_NO_DRIVER, WG_PROBE_NOTE_NO_DRIVER, "the NVIDIA kernel driver is not loaded",
	  "load it (modprobe nvidia) or, after a kernel update, install the driver anew; in a "
	  "container, start it with the GPUs passed in" },
	{ NVML_NO_LIBRARY, WG_PROBE_NOTE_NO_DRIVER,
	  "NVML is there but the rest of the driver is not",
	  "install the driver's packages of one version" },
	{ NVML_MISMATCH, WG_PROBE_NOTE_MISMATCH,
	  "NVML and the loaded kernel driver are of two versions",
	  "restart the machine, or unload and load the nvidia modules: the driver was updated "
	  "while it ran; in a container, start it anew" },
	{ NVML_NO_PERMISSION, WG_PROBE_NOTE_NO_PERMISSION, "no right to use the NVIDIA driver",
	  "check the rights of /dev/nvidiactl and the container's device list" },
	{ NVML_BLOCKED, WG_PROBE_NOTE_NO_PERMISSION,
	  "the system forbids the use of the NVIDIA driver",
	  "check the device rules of the container or cgroup" },
	{ NVML_EXTERNAL_POWER, WG_PROBE_NOTE_BROKEN, "a GPU has no power cable attached",
	  "attach all power cables of the card" },
	{ NVML_IRQ, WG_PROBE_NOTE_BROKEN, "the kernel found an interrupt trouble with a GPU",
	  "look at the kernel log" },
	{ NVML_NO_GPU, WG_PROBE_NOTE_NO_GPU, "the NVIDIA driver sees no GPU",
	  "see lspci and the kernel log: it may have fallen off the bus" },
	{ NVML_UNKNOWN, WG_PROBE_NOTE_BROKEN, "NVML could not start, for no stated reason",
	  "in a container this follows a reload of the host's services: start the container anew" },
};

static enum wg_status nvml_open(const struct wg_probe_options *options, void **ret_state,
                                struct wg_error *error)
{
	struct nvml_state *state = calloc(1, sizeof *state);

	if (!state)
		return wg_error_no_memory(error);
	state->query = calloc(1, sizeof *state->query);
	if (!state->query) {
		free(state);
		return wg_error_no_memory(error);
	}
	snprintf(state->root, sizeof state->root, "%s", options->root ? options->root : "");
	wg_proc_init(&state->proc, state->root);
	state->no_processes = options->no_processes;
	state->loaded = nvml_load(&state->api, options->nvml_path, state->load_message,
	                          sizeof state->load_message);
	*ret_state = state;
	return WG_OK;
}

static void device_done(struct nvml_state *state, struct nvml_device_state *device)
{
	nvml_gpm_done(state, &device->gpm);
	for (int i = 0; i < NVML_MIG_MOST; i++)
		nvml_gpm_done(state, &device->instance_gpm[i]);
}

static void stop(struct nvml_state *state)
{
	for (size_t i = 0; i < state->device_count; i++)
		device_done(state, &state->devices[i]);
	if (state->events && state->api.event_set_free)
		state->api.event_set_free(state->events);
	state->events = NULL;
	if (state->started && state->api.shut_down)
		state->api.shut_down();
	state->started = state->listed = false; /* handles die with it */
}

static void nvml_close(void *opaque)
{
	struct nvml_state *state = opaque;

	if (state->loaded) {
		stop(state);
		nvml_unload(&state->api);
	}
	wg_proc_done(&state->proc);
	free(state->devices);
	free(state->records);
	free(state->query);
	free(state);
}

static void start(struct nvml_state *state)
{
	struct nvml_api *api = &state->api;
	int cuda = 0;

	state->start_result = api->init_flags ? api->init_flags(NVML_INIT_NO_GPUS) : api->init();
	if (state->start_result != NVML_OK)
		return;
	state->started = true;
	if (api->driver_version)
		api->driver_version(state->driver, sizeof state->driver);
	if (api->library_version)
		api->library_version(state->version, sizeof state->version);
	if (api->cuda_version && api->cuda_version(&cuda) == NVML_OK)
		snprintf(state->cuda, sizeof state->cuda, "%d.%d", cuda / 1000, cuda % 1000 / 10);
	if (api->event_set_open && api->event_set_open(&state->events) != NVML_OK)
		state->events = NULL;
}

/* "00000000:3B:00.0" becomes the kernel's "0000:3b:00.0", the key across vendors. */
static void pci_key(char *key, size_t key_bytes, const struct nvml_pci *pci)
{
	snprintf(key, key_bytes, "%04x:%02x:%02x.0", pci->domain, pci->bus, pci->device);
}

static nvml_return device_pci(struct nvml_state *state, nvml_device handle, struct nvml_pci *pci)
{
	memset(pci, 0, sizeof *pci);
	if (state->api.pci)
		return state->api.pci(handle, pci);
	if (state->api.pci_old)
		return state->api.pci_old(handle, pci);
	return NVML_NO_FUNCTION;
}

/* Reads what names the device; called when it is found or comes back. */
static void attach(struct nvml_state *state, struct nvml_device_state *device)
{
	struct nvml_gpm_support support = { .version = 1 };
	struct wg_probe_gpu *gpu = &device->last;
	struct nvml_pass pass = {
		.state = state, .device = device, .handle = device->handle, .gpu = gpu
	};
	struct nvml_pci pci;
	char id[24];

	memset(gpu, 0, sizeof *gpu);
	gpu->parent = gpu->gpu_instance = gpu->compute_instance = -1;
	device->lost = device->denied = device->fixed_known = false;
	nvml_read_texts(&pass);
	if (device_pci(state, device->handle, &pci) == NVML_OK) {
		pci_key(device->pci, sizeof device->pci, &pci);
		/* NVML packs device id above vendor id. */
		snprintf(id, sizeof id, "%04x:%04x", pci.pci_device & 0xffff, pci.pci_device >> 16);
		wg_probe_text_set(gpu, WG_PROBE_TEXT_PCI_DEVICE, id);
		snprintf(id, sizeof id, "%04x:%04x", pci.pci_subsystem & 0xffff,
		         pci.pci_subsystem >> 16);
		wg_probe_text_set(gpu, WG_PROBE_TEXT_PCI_SUBSYSTEM, id);
	}
	wg_probe_text_set(gpu, WG_PROBE_TEXT_PCI, device->pci);
	device->gpm_supported = state->api.gpm_support &&
	                        state->api.gpm_support(device->handle, &support) == NVML_OK &&
	                        support.supported;
	if (state->events && state->api.event_register)
		state->api.event_register(device->handle, NVML_EVENT_XID, state->events);
}

static void find_device(struct nvml_state *state, struct nvml_device_state *device, unsigned index)
{
	nvml_return result;

	memset(device, 0, sizeof *device);
	device->index = index;
	/* A stand-in until the address is known, so that a denied GPU has a key too. */
	snprintf(device->pci, sizeof device->pci, "nvidia:%u", index);
	result = state->api.by_index(index, &device->handle);
	if (result == NVML_OK) {
		attach(state, device);
		return;
	}
	device->denied = nvml_state_of(result) == WG_PROBE_NO_PERMISSION;
	device->lost = !device->denied;
}

/* Walks all devices anew when their number changed. Devices that were known keep
 * their counts and their place by address; those no longer listed stay as lost. */
static enum wg_status scan(struct nvml_state *state, unsigned count, struct wg_error *error)
{
	struct nvml_device_state *devices;
	size_t found = count, kept;

	if (count > WG_LIMIT_PROBE_GPUS)
		return wg_error_set(error, WG_LIMIT, "NVML tells of %u GPUs", count);
	devices = calloc(count + state->device_count + 1, sizeof *devices);
	if (!devices)
		return wg_error_no_memory(error);
	for (unsigned i = 0; i < count; i++)
		find_device(state, &devices[i], i);
	for (kept = 0; kept < state->device_count; kept++) {
		struct nvml_device_state *old = &state->devices[kept];
		size_t i = 0;

		while (i < count && strcmp(devices[i].pci, old->pci) != 0)
			i++;
		device_done(state, old);
		if (i < count) {
			devices[i].xid_last = old->xid_last;
			devices[i].xid_count = old->xid_count;
		} else if (strncmp(old->pci, "nvidia:", 7) != 0 && found < WG_LIMIT_PROBE_GPUS) {
			devices[found] = *old;
			devices[found].lost = true;
			memset(&devices[found].gpm, 0, sizeof devices[found].gpm);
			memset(devices[found].instance_gpm, 0, sizeof devices[found].instance_gpm);
			found++;
		}
	}
	free(state->devices);
	state->devices = devices;
	state->device_count = found;
	state->listed_count = count;
	state->listed = true;
	return WG_OK;
}

static void try_again(struct nvml_state *state, struct nvml_device_state *device, double clock_s)
{
	struct nvml_memory memory;
	nvml_device handle;
	nvml_return result;

	if (clock_s < device->retry_s)
		return;
	device->retry_s = clock_s + RETRY_EVERY_S;
	result = state->api.by_pci && device->pci[0] != 'n'
	                 ? state->api.by_pci(device->pci, &handle)
	                 : state->api.by_index(device->index, &handle);
	if (result != NVML_OK)
		return;
	/* A handle may be had of a GPU that still does not answer. */
	if (state->api.memory && nvml_state_of(state->api.memory(handle, &memory)) == WG_PROBE_LOST)
		return;
	device_done(state, device);
	device->handle = handle;
	attach(state, device);
}

static void read_numa(struct nvml_state *state, struct wg_probe_gpu *gpu)
{
	char path[96], text[16];
	int64_t node;
	long length;

	if (gpu->readings[WG_READ_NUMA_NODE].state == WG_PROBE_OK)
		return;
	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", gpu->key);
	length = wg_small_file(state->root, path, text, sizeof text);
	/* -1: the machine has one node. */
	if (length > 0 && wg_integer_read(text, (size_t)length, &node) && node >= 0)
		wg_reading_set(gpu, WG_READ_NUMA_NODE, (double)node, "sysfs numa_node");
}

static void read_fixed(struct nvml_pass *pass, double clock_s)
{
	struct nvml_device_state *device = pass->device;

	if (!device->fixed_known || clock_s - device->fixed_s >= FIXED_EVERY_S) {
		nvml_read_fixed(pass);
		read_numa(pass->state, pass->gpu);
		device->fixed_known = true;
		device->fixed_s = clock_s;
		return;
	}
	for (int i = 0; i < WG_READING_COUNT; i++) {
		if (wg_reading_kind((enum wg_reading_name)i) == WG_READING_FIXED)
			pass->gpu->readings[i] = device->last.readings[i];
	}
	pass->gpu->readings[WG_READ_NVLINK_ACTIVE] = device->last.readings[WG_READ_NVLINK_ACTIVE];
}

/* A GPU that shares the host's memory: its processes' bytes are what it uses. */
static void read_unified(struct nvml_pass *pass)
{
	double total = 0, used = 0;
	bool known = pass->gpu->process_state == WG_PROBE_OK;

	if (wg_proc_memory(&pass->state->proc, "MemTotal", &total))
		wg_reading_set(pass->gpu, WG_READ_MEMORY_TOTAL, total, "/proc/meminfo MemTotal");
	for (size_t i = 0; i < pass->gpu->process_count; i++) {
		const struct wg_reading *memory = &pass->gpu->processes[i].memory_bytes;

		known = known && memory->state == WG_PROBE_OK;
		used += memory->value;
	}
	if (known)
		wg_reading_set(pass->gpu, WG_READ_MEMORY_USED, used, "sum over its processes");
}

static void keep_last(struct nvml_device_state *device, const struct wg_probe_gpu *gpu)
{
	device->last = *gpu;
	device->last.processes = NULL;
	device->last.process_count = device->last.process_capacity = 0;
}

static void mark_denied(struct wg_probe_gpu *gpu)
{
	for (int i = 0; i < WG_READING_COUNT; i++)
		wg_reading_miss(gpu, (enum wg_reading_name)i, WG_PROBE_NO_PERMISSION,
		                "nvmlDeviceGetHandleByIndex_v2");
	for (int i = 0; i < WG_PROBE_TEXT_COUNT; i++)
		gpu->texts[i].state = WG_PROBE_NO_PERMISSION;
	gpu->process_state = WG_PROBE_NO_PERMISSION;
}

static void read_device(struct nvml_pass *pass, double clock_s)
{
	nvml_read_memory(pass);
	if (!pass->lost)
		read_fixed(pass, clock_s);
	/* mig_on, set by the fixed part, decides how "not supported" is read. */
	if (!pass->lost)
		nvml_read_gauges(pass);
	if (!pass->lost)
		nvml_read_gpm(pass, &pass->device->gpm, -1);
	if (!pass->lost && !pass->state->no_processes)
		nvml_read_processes(pass);
	if (pass->gpu->unified && !pass->lost)
		read_unified(pass);
	if (pass->device->xid_count > 0)
		wg_reading_set(pass->gpu, WG_READ_XID_LAST, pass->device->xid_last,
		               "nvmlEventSetWait_v2");
	if (pass->state->events)
		wg_reading_set(pass->gpu, WG_READ_XID_COUNT, pass->device->xid_count,
		               "nvmlEventSetWait_v2");
}

static enum wg_status sample_device(struct nvml_state *state, struct nvml_device_state *device,
                                    struct wg_sample *sample, struct wg_error *error)
{
	struct wg_probe_gpu *gpu;
	struct nvml_pass pass = {
		.state = state, .device = device, .handle = device->handle, .last = &device->last
	};
	size_t place = sample->count;

	if (device->lost || device->denied)
		try_again(state, device, sample->clock_s);
	gpu = wg_sample_add(sample, device->pci);
	if (!gpu)
		return wg_error_no_memory(error);
	pass.handle = device->handle;
	pass.gpu = gpu;
	gpu->vendor = WG_PROBE_NVIDIA;
	gpu->index = device->index;
	memcpy(gpu->texts, device->last.texts, sizeof gpu->texts);
	wg_probe_text_set(gpu, WG_PROBE_TEXT_PCI, device->pci);
	if (device->denied) {
		mark_denied(gpu);
		return WG_OK;
	}
	if (!device->lost)
		read_device(&pass, sample->clock_s);
	if (pass.lost) {
		device->lost = true;
		device->retry_s = sample->clock_s + RETRY_EVERY_S;
	}
	if (device->lost) {
		wg_probe_gpu_lose(gpu, "nvmlDeviceGetMemoryInfo_v2");
		return WG_OK;
	}
	keep_last(device, gpu);
	return device->mig_on ? nvml_read_instances(state, device, sample, place, error) : WG_OK;
}

static void note_start(struct nvml_state *state, struct wg_sample *sample)
{
	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
		if (starts[i].result != state->start_result)
			continue;
		wg_sample_note(sample, NAME, starts[i].kind, "%s", starts[i].message);
		wg_sample_advice(sample, "%s", starts[i].advice);
		return;
	}
	wg_sample_note(sample, NAME, WG_PROBE_NOTE_BROKEN, "NVML could not start (code %d)",
	               state->start_result);
}

static void note_library(struct nvml_state *state, struct wg_sample *sample)
{
	wg_sample_note(sample, NAME, WG_PROBE_NOTE_NO_LIBRARY, "%s", state->load_message);
	wg_sample_advice(
		sample,
		wg_proc_is_wsl(&state->proc)
			? "under WSL the library comes with the Windows driver, in /usr/lib/wsl/lib: update the "
			  "driver in Windows, install none in Linux"
			: "if there is an NVIDIA GPU, install its driver; in a container, start it with the GPUs "
			  "passed in");
}

/* Number of devices, starting NVML when it is due; false: none can be asked for. */
static bool ready(struct nvml_state *state, struct wg_sample *sample, unsigned *ret_count)
{
	nvml_return result;

	if (!state->started && sample->clock_s >= state->restart_s) {
		state->restart_s = sample->clock_s + RESTART_EVERY_S;
		start(state);
	}
	if (!state->started) {
		note_start(state, sample);
		return false;
	}
	result = state->api.count(ret_count);
	if (result == NVML_OK)
		return true;
	/* What was started no longer works (a container that lost its devices). */
	state->start_result = result;
	note_start(state, sample);
	if (sample->clock_s >= state->restart_s) {
		stop(state);
		state->restart_s = sample->clock_s;
	}
	return false;
}

/* NVML as a whole is away: what was known of its GPUs, as lost. */
static enum wg_status sample_lost(struct nvml_state *state, struct wg_sample *sample,
                                  struct wg_error *error)
{
	for (size_t i = 0; i < state->device_count; i++) {
		struct wg_probe_gpu *gpu = wg_sample_add(sample, state->devices[i].pci);

		if (!gpu)
			return wg_error_no_memory(error);
		gpu->index = state->devices[i].index;
		memcpy(gpu->texts, state->devices[i].last.texts, sizeof gpu->texts);
		wg_probe_gpu_lose(gpu, "nvmlDeviceGetCount_v2");
		state->devices[i].lost = true;
		state->devices[i].retry_s = 0;
	}
	return WG_OK;
}

static enum wg_status nvml_sample(void *opaque, struct wg_sample *sample, struct wg_error *error)
{
	struct nvml_state *state = opaque;
	enum wg_status status = WG_OK;
	unsigned count = 0;

	state->clock_s = sample->clock_s;
	if (!state->loaded) {
		note_library(state, sample);
		return WG_OK;
	}
	if (!ready(state, sample, &count))
		return sample_lost(state, sample, error);
	if (!state->listed || count != state->listed_count)
		status = scan(state, count, error);
	if (status == WG_OK && count > 0)
		wg_sample_note(sample, NAME, WG_PROBE_NOTE_OK, "NVML %s, driver %s, %u GPU%s",
		               state->version, state->driver, count, count == 1 ? "" : "s");
	else if (status == WG_OK)
		wg_sample_note(sample, NAME, WG_PROBE_NOTE_NO_GPU, "the NVIDIA driver sees no GPU");
	nvml_read_events(state);
	for (size_t i = 0; i < state->device_count && status == WG_OK; i++)
		status = sample_device(state, &state->devices[i], sample, error);
	return status;
}

static enum wg_probe_peer peer_of(struct nvml_state *state, nvml_device a, nvml_device b, int index)
{
	static const enum wg_probe_peer peers[] = {
		WG_PEER_STATE_OK,       WG_PEER_STATE_CHIPSET,  WG_PEER_STATE_GPU,
		WG_PEER_STATE_TOPOLOGY, WG_PEER_STATE_DISABLED, WG_PEER_STATE_NOT_SUPPORTED,
	};
	int status = 6;

	if (!state->api.p2p || state->api.p2p(a, b, index, &status) != NVML_OK || status < 0 ||
	    status > 5)
		return WG_PEER_STATE_NOT_KNOWN;
	return peers[status];
}

static enum wg_probe_path path_of(struct nvml_state *state, nvml_device a, nvml_device b)
{
	static const enum wg_probe_path paths[] = {
		WG_PATH_SAME_BOARD,  WG_PATH_ONE_SWITCH, WG_PATH_SWITCHES,
		WG_PATH_HOST_BRIDGE, WG_PATH_SAME_NUMA,  WG_PATH_ACROSS_NUMA,
	};
	int level = -1;

	if (!state->api.ancestor || state->api.ancestor(a, b, &level) != NVML_OK || level < 0 ||
	    level > 50)
		return WG_PATH_NOT_KNOWN;
	return paths[level / 10];
}

static enum wg_status nvml_pairs(void *opaque,
                                 bool (*add)(void *list, const struct wg_probe_pair *pair),
                                 void *list, struct wg_error *error)
{
	struct nvml_state *state = opaque;

	for (size_t i = 0; i < state->device_count; i++) {
		for (size_t k = i + 1; k < state->device_count; k++) {
			const struct nvml_device_state *a = &state->devices[i],
						       *b = &state->devices[k];
			struct wg_probe_pair pair = { .path = WG_PATH_NOT_KNOWN };

			if (!state->started || a->lost || b->lost || a->denied || b->denied)
				continue;
			snprintf(pair.key_a, sizeof pair.key_a, "%s", a->pci);
			snprintf(pair.key_b, sizeof pair.key_b, "%s", b->pci);
			pair.path = path_of(state, a->handle, b->handle);
			pair.read = peer_of(state, a->handle, b->handle, 0);
			pair.write = peer_of(state, a->handle, b->handle, 1);
			pair.nvlink = peer_of(state, a->handle, b->handle, 2);
			if (!add(list, &pair))
				return wg_error_no_memory(error);
		}
	}
	return WG_OK;
}

const struct wg_backend wg_backend_nvml = {
	.name = NAME,
	.open = nvml_open,
	.close = nvml_close,
	.sample = nvml_sample,
	.pairs = nvml_pairs,
};
