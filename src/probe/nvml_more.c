/* NVML beyond single readings: GPM, events, MIG instances, processes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/nvml.h"
#include "whichgpu/limits.h"

#define PERCENT 0.01
#define MIB 1048576.0
#define GPM_LEAST_S 0.1  /* two samples closer than this are refused */
#define EVENTS_MOST 64   /* taken in one round; a storm must not hold the rest up */
#define RECORD_BYTES 32u /* the largest record any driver writes */
#define POISON 0xa5
#define RECORDS_FIRST 64u

/* GPM metric ids of the NVML header. A second id serves where the first fails. */
static const struct {
	unsigned id;
	enum wg_reading_name reading;
	double scale;
} gpm_metrics[] = {
	{ 1, WG_READ_GRAPHICS_ACTIVE, PERCENT }, { 2, WG_READ_SM_ACTIVE, PERCENT },
	{ 3, WG_READ_SM_OCCUPANCY, PERCENT },    { 5, WG_READ_TENSOR_ACTIVE, PERCENT },
	{ 7, WG_READ_TENSOR_ACTIVE, PERCENT },   { 10, WG_READ_DRAM_ACTIVE, PERCENT },
	{ 11, WG_READ_FP64_ACTIVE, PERCENT },    { 12, WG_READ_FP32_ACTIVE, PERCENT },
	{ 13, WG_READ_FP16_ACTIVE, PERCENT },    { 20, WG_READ_PCIE_TX_RATE, MIB },
	{ 21, WG_READ_PCIE_RX_RATE, MIB },       { 61, WG_READ_NVLINK_TX_RATE, MIB },
	{ 60, WG_READ_NVLINK_RX_RATE, MIB },
};
#define GPM_COUNT (sizeof gpm_metrics / sizeof gpm_metrics[0])

void nvml_gpm_done(struct nvml_state *state, struct nvml_gpm *gpm)
{
	for (int i = 0; i < 2; i++) {
		if (gpm->samples[i] && state->api.gpm_free)
			state->api.gpm_free(gpm->samples[i]);
	}
	memset(gpm, 0, sizeof *gpm);
}

static nvml_return gpm_take(struct nvml_pass *pass, struct nvml_gpm *gpm, int gpu_instance,
                            unsigned place)
{
	const struct nvml_api *api = &pass->state->api;
	nvml_return result;

	if (!gpm->samples[place]) {
		result = api->gpm_open(&gpm->samples[place]);
		if (result != NVML_OK)
			return result;
	}
	if (gpu_instance < 0)
		return api->gpm_get(pass->device->handle, gpm->samples[place]);
	if (!api->gpm_mig_get)
		return NVML_NO_FUNCTION;
	return api->gpm_mig_get(pass->device->handle, (unsigned)gpu_instance, gpm->samples[place]);
}

/* Too soon for a new pair: the last answers still describe this moment. */
static void gpm_again(struct nvml_pass *pass)
{
	for (size_t i = 0; pass->last && i < GPM_COUNT; i++) {
		struct wg_reading *reading = &pass->gpu->readings[gpm_metrics[i].reading];

		if (reading->state == WG_PROBE_NOT_SUPPORTED)
			*reading = pass->last->readings[gpm_metrics[i].reading];
	}
}

void nvml_read_gpm(struct nvml_pass *pass, struct nvml_gpm *gpm, int gpu_instance)
{
	const struct nvml_api *api = &pass->state->api;
	struct nvml_gpm_query *query = pass->state->query;
	unsigned next = gpm->have_one ? 1 - gpm->newest : 0;
	nvml_return result;

	if (!pass->device->gpm_supported || !api->gpm_open || !api->gpm_get || !api->gpm_metrics)
		return;
	if (gpm->have_one && pass->state->clock_s - gpm->taken_s < GPM_LEAST_S) {
		gpm_again(pass);
		return;
	}
	gpm->taken_s = pass->state->clock_s;
	result = gpm_take(pass, gpm, gpu_instance, next);
	if (result != NVML_OK || !gpm->have_one) {
		gpm->have_one = result == NVML_OK;
		gpm->newest = next;
		return;
	}
	memset(query, 0, sizeof *query);
	query->version = 1;
	query->count = GPM_COUNT;
	query->first = gpm->samples[gpm->newest];
	query->second = gpm->samples[next];
	for (size_t i = 0; i < GPM_COUNT; i++)
		query->metrics[i].id = gpm_metrics[i].id;
	result = api->gpm_metrics(query);
	gpm->newest = next;
	for (size_t i = 0; i < GPM_COUNT; i++) {
		nvml_return each = result == NVML_OK ? query->metrics[i].result : result;

		if (each == NVML_OK && isnan(query->metrics[i].value))
			each = NVML_NO_DATA;
		nvml_take(pass, gpm_metrics[i].reading, each,
		          wg_scaled(query->metrics[i].value, gpm_metrics[i].scale),
		          api->called.gpm_metrics);
	}
}

void nvml_read_events(struct nvml_state *state)
{
	struct nvml_event event;

	for (int i = 0; state->events && state->api.event_wait && i < EVENTS_MOST; i++) {
		memset(&event, 0, sizeof event);
		if (state->api.event_wait(state->events, &event, 0) != NVML_OK)
			return;
		for (size_t d = 0; d < state->device_count; d++) {
			struct nvml_device_state *device = &state->devices[d];

			if (event.type != NVML_EVENT_XID || device->handle != event.device)
				continue;
			device->xid_last = (unsigned)event.data;
			device->xid_count++;
		}
	}
}

/* --- MIG ---------------------------------------------------------------------- */

static void instance_texts(struct nvml_pass *pass, const struct wg_probe_gpu *parent)
{
	const char *profile;

	memcpy(pass->gpu->texts, parent->texts, sizeof parent->texts);
	memset(&pass->gpu->texts[WG_PROBE_TEXT_NAME], 0, sizeof(struct wg_probe_text));
	memset(&pass->gpu->texts[WG_PROBE_TEXT_UUID], 0, sizeof(struct wg_probe_text));
	nvml_read_texts(pass);
	memcpy(&pass->gpu->texts[WG_PROBE_TEXT_SERIAL], &parent->texts[WG_PROBE_TEXT_SERIAL],
	       sizeof(struct wg_probe_text));
	memcpy(&pass->gpu->texts[WG_PROBE_TEXT_VBIOS], &parent->texts[WG_PROBE_TEXT_VBIOS],
	       sizeof(struct wg_probe_text));
	profile = strstr(pass->gpu->texts[WG_PROBE_TEXT_NAME].value, "MIG ");
	if (profile)
		wg_probe_text_set(pass->gpu, WG_PROBE_TEXT_PROFILE, profile + 4);
}

static void read_instance(struct nvml_pass *pass, unsigned slot)
{
	const struct nvml_api *api = &pass->state->api;
	struct nvml_attributes attributes = { 0 };
	nvml_return result = NVML_NO_FUNCTION;

	nvml_read_memory(pass);
	if (api->attributes)
		result = api->attributes(pass->handle, &attributes);
	nvml_take(pass, WG_READ_UNITS, result, attributes.multiprocessors, api->called.attributes);
	/* NVML defines none of these for an instance; asking would only fail. */
	for (enum wg_reading_name name = WG_READ_BUSY; name <= WG_READ_OFA; name++)
		nvml_take(pass, name, NVML_NOT_SUPPORTED, 0, api->called.utilization);
	if (pass->gpu->gpu_instance >= 0 && slot < NVML_MIG_MOST)
		nvml_read_gpm(pass, &pass->device->instance_gpm[slot], pass->gpu->gpu_instance);
}

static int instance_id(nvml_return (*call)(nvml_device device, unsigned *id), nvml_device handle)
{
	unsigned id = 0;

	return call && call(handle, &id) == NVML_OK ? (int)id : -1;
}

enum wg_status nvml_read_instances(struct nvml_state *state, struct nvml_device_state *device,
                                   struct wg_sample *sample, size_t parent, struct wg_error *error)
{
	const struct nvml_api *api = &state->api;
	unsigned most = 0;

	if (!api->mig_most || !api->mig_by_index || api->mig_most(device->handle, &most) != NVML_OK)
		return WG_OK;
	for (unsigned slot = 0; slot < most && slot < NVML_MIG_MOST; slot++) {
		struct nvml_pass pass = { .state = state, .device = device, .instance = true };
		char key[64];
		int gi, ci;

		/* "Not found" is an empty slot. */
		if (api->mig_by_index(device->handle, slot, &pass.handle) != NVML_OK)
			continue;
		gi = instance_id(api->gpu_instance, pass.handle);
		ci = instance_id(api->compute_instance, pass.handle);
		snprintf(key, sizeof key, "%s/%d/%d", device->pci, gi, ci);
		pass.gpu = wg_sample_add(sample, key);
		if (!pass.gpu)
			return wg_error_no_memory(error);
		pass.gpu->vendor = WG_PROBE_NVIDIA;
		pass.gpu->kind = WG_PROBE_INSTANCE;
		pass.gpu->index = device->index;
		pass.gpu->parent = (int)parent;
		pass.gpu->gpu_instance = gi;
		pass.gpu->compute_instance = ci;
		instance_texts(&pass, &sample->gpus[parent]);
		read_instance(&pass, slot);
		if (pass.lost)
			wg_probe_gpu_lose(pass.gpu, api->called.memory_v2);
	}
	return WG_OK;
}

/* --- processes ------------------------------------------------------------------- */

/* Drivers 535.43 to before 535.86 write 32 bytes a record under the name that
 * means 24 bytes everywhere else. No version is asked: whatever is written past
 * 24 bytes a record can only come from the longer form, since its last field
 * always lies there. */
size_t nvml_record_stride(const unsigned char *records, size_t count, unsigned char poison)
{
	for (size_t i = count * sizeof(struct nvml_process_v2); i < count * RECORD_BYTES; i++) {
		if (records[i] != poison)
			return sizeof(struct nvml_process_535);
	}
	return sizeof(struct nvml_process_v2);
}

static bool records_reserve(struct nvml_state *state, size_t count)
{
	unsigned char *records;

	if (count <= state->record_capacity)
		return true;
	if (count > WG_LIMIT_PROBE_PROCESSES)
		return false;
	records = realloc(state->records, count * RECORD_BYTES);
	if (!records)
		return false;
	state->records = records;
	state->record_capacity = count;
	return true;
}

/* Fills state->records; *ret_count is 0 on failure. */
static nvml_return list_processes(struct nvml_pass *pass,
                                  nvml_return (*call)(nvml_device, unsigned *, void *),
                                  unsigned *ret_count)
{
	struct nvml_state *state = pass->state;
	nvml_return result = NVML_TOO_SMALL;
	unsigned count = RECORDS_FIRST;

	*ret_count = 0;
	/* Processes may start between two calls: room for twice what was needed. */
	for (int attempt = 0; attempt < 4 && result == NVML_TOO_SMALL; attempt++) {
		if (!records_reserve(state, count))
			return NVML_MEMORY;
		count = (unsigned)state->record_capacity;
		memset(state->records, POISON, state->record_capacity * RECORD_BYTES);
		result = call(pass->handle, &count, state->records);
		if (result == NVML_OK && count <= state->record_capacity)
			*ret_count = count;
		count = count < WG_LIMIT_PROBE_PROCESSES / 4 ? 2 * count + 5
		                                             : WG_LIMIT_PROBE_PROCESSES;
	}
	return result;
}

static struct wg_probe_process *process_of(struct wg_probe_gpu *gpu, uint32_t pid)
{
	for (size_t i = 0; i < gpu->process_count; i++) {
		if (gpu->processes[i].pid == pid)
			return &gpu->processes[i];
	}
	return wg_sample_add_process(gpu, pid);
}

static void take_records(struct nvml_pass *pass, unsigned count, size_t stride, bool compute,
                         const char *call)
{
	for (unsigned i = 0; i < count; i++) {
		struct nvml_process_v2 record = { .gpu_instance = NVML_NO_INSTANCE };
		struct wg_probe_process *process;

		memcpy(&record, pass->state->records + i * stride,
		       stride < sizeof record ? stride : sizeof record);
		process = process_of(pass->gpu, record.pid);
		if (!process)
			return;
		process->compute |= compute;
		process->graphics |= !compute;
		process->memory_bytes.call = call;
		/* All ones: Windows keeps the books (WDDM, WSL). */
		if (record.memory == NVML_NOT_AVAILABLE)
			continue;
		process->memory_bytes.value = (double)record.memory;
		process->memory_bytes.state = WG_PROBE_OK;
	}
}

static nvml_return read_list(struct nvml_pass *pass, bool compute)
{
	const struct nvml_api *api = &pass->state->api;
	const struct {
		nvml_return (*call)(nvml_device, unsigned *, void *);
		const char *name;
		size_t stride; /* 0: to be found out */
	} ways[] = {
		{ compute ? api->compute_v3 : api->graphics_v3,
		  compute ? api->called.compute_v3 : api->called.graphics_v3, 0 },
		{ compute ? api->compute_v2 : api->graphics_v2,
		  compute ? api->called.compute_v2 : api->called.graphics_v2,
		  sizeof(struct nvml_process_v2) },
		{ compute ? api->compute_v1 : api->graphics_v1,
		  compute ? api->called.compute_v1 : api->called.graphics_v1,
		  sizeof(struct nvml_process_v1) },
	};
	nvml_return result = NVML_NO_FUNCTION;

	for (size_t i = 0; i < 3 && result == NVML_NO_FUNCTION; i++) {
		unsigned count;
		size_t stride = ways[i].stride;

		if (!ways[i].call)
			continue;
		result = list_processes(pass, ways[i].call, &count);
		if (stride == 0)
			stride = nvml_record_stride(pass->state->records, count, POISON);
		take_records(pass, count, stride, compute, ways[i].name);
	}
	return result;
}

static void set_use(struct wg_reading *reading, unsigned percent, const char *call)
{
	*reading = (struct wg_reading){ .value = wg_scaled(percent, PERCENT),
		                        .call = call,
		                        .state = WG_PROBE_OK };
}

static void read_process_use(struct nvml_pass *pass)
{
	const struct nvml_api *api = &pass->state->api;
	struct nvml_process_use *uses = (struct nvml_process_use *)(void *)pass->state->records;
	unsigned count = (unsigned)(pass->state->record_capacity * RECORD_BYTES / sizeof *uses);
	nvml_return result;

	if (!api->process_use || count == 0 || pass->gpu->process_count == 0)
		return;
	result = api->process_use(pass->handle, uses, &count, pass->device->process_since_us);
	if (result != NVML_OK && result != NVML_NOT_FOUND)
		return;
	/* "Not found": nothing ran since the last look. */
	for (size_t i = 0; i < pass->gpu->process_count; i++) {
		set_use(&pass->gpu->processes[i].busy_ratio, 0, api->called.process_use);
		set_use(&pass->gpu->processes[i].encoder_ratio, 0, api->called.process_use);
		set_use(&pass->gpu->processes[i].decoder_ratio, 0, api->called.process_use);
	}
	for (unsigned i = 0; result == NVML_OK && i < count; i++) {
		if (uses[i].time_us > pass->device->process_since_us)
			pass->device->process_since_us = uses[i].time_us;
		for (size_t p = 0; p < pass->gpu->process_count; p++) {
			struct wg_probe_process *process = &pass->gpu->processes[p];

			if (process->pid != uses[i].pid)
				continue;
			set_use(&process->busy_ratio, uses[i].sm, api->called.process_use);
			set_use(&process->encoder_ratio, uses[i].encoder, api->called.process_use);
			set_use(&process->decoder_ratio, uses[i].decoder, api->called.process_use);
		}
	}
}

void nvml_read_processes(struct nvml_pass *pass)
{
	nvml_return compute = read_list(pass, true), graphics = read_list(pass, false);
	nvml_return best = compute == NVML_OK ? compute : graphics;
	double clock_s = pass->state->clock_s;

	pass->gpu->process_state = nvml_state_of(best);
	if (best == NVML_OK)
		nvml_take(pass, WG_READ_PROCESS_COUNT, NVML_OK, (double)pass->gpu->process_count,
		          "the driver's process lists");
	read_process_use(pass);
	for (size_t i = 0; i < pass->gpu->process_count; i++)
		wg_proc_describe(&pass->state->proc, clock_s, &pass->gpu->processes[i]);
}
