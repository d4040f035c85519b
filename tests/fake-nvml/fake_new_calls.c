/* The functions of newer editions. */
#include "fake_nvml.h"

static int events_registered;

/* --- what newer drivers have -------------------------------------------------------- */

static size_t new_stride(void)
{
	const char *value = fake_look_up(&fake_gpus[0], "stride");

	return value ? (size_t)atoi(value) : sizeof(struct nvml_process_v2);
}

FAKE(nvmlInit_v2, (void))
{
	return fake_init();
}
FAKE(nvmlInitWithFlags, (unsigned flags))
{
	return fake_init();
}
FAKE(nvmlSystemGetCudaDriverVersion_v2, (int *v))
{
	return nvmlSystemGetCudaDriverVersion(v);
}
FAKE(nvmlDeviceGetCount_v2, (unsigned *c))
{
	return fake_count(c);
}
FAKE(nvmlDeviceGetHandleByIndex_v2, (unsigned i, nvml_device *d))
{
	return fake_by_index(i, d);
}
FAKE(nvmlDeviceGetHandleByPciBusId_v2, (const char *i, nvml_device *d))
{
	return fake_by_pci(i, d);
}
FAKE(nvmlDeviceGetPciInfo_v3, (nvml_device d, struct nvml_pci *p))
{
	return fake_pci(d, p);
}
FAKE(nvmlDeviceGetJpgUtilization, (nvml_device d, unsigned *u, unsigned *p))
{
	return fake_engine(d, "JpgUtilization", u, p);
}
FAKE(nvmlDeviceGetOfaUtilization, (nvml_device d, unsigned *u, unsigned *p))
{
	return fake_engine(d, "OfaUtilization", u, p);
}
PLAIN(PerformanceState, "PerformanceState")
FAKE(nvmlDeviceGetCurrentClocksEventReasons, (nvml_device d, unsigned long long *v))
{
	return fake_wide(d, "ClocksEventReasons", v);
}

/* As the driver does it: another version word is "function not found". */
FAKE(nvmlDeviceGetMemoryInfo_v2, (nvml_device d, struct nvml_memory_v2 *m))
{
	unsigned long long total, reserved, used;
	const char *without = fake_look_up(&fake_gpus[0], "without");
	nvml_return result;

	if (m->version != 0x02000028 || (without && strcmp(without, "MemoryInfo_v2") == 0))
		return NVML_NO_FUNCTION;
	result = fake_memory(d, &total, &reserved, &used);
	if (result == NVML_OK) {
		m->total = total;
		m->reserved = reserved;
		m->used = used;
		m->free = total - used - reserved;
	}
	return result;
}

FAKE(nvmlDeviceGetTemperatureV, (nvml_device d, struct nvml_temperature *t))
{
	if (t->version != 0x0100000c)
		return NVML_NO_FUNCTION;
	return fake_number(d, "Temperature", (unsigned *)&t->celsius);
}

FAKE(nvmlDeviceGetMarginTemperature, (nvml_device d, struct nvml_margin *m))
{
	if (m->version != 0x01000008)
		return NVML_BAD_VERSION;
	return fake_number(d, "Margin", (unsigned *)&m->celsius);
}

FAKE(nvmlDeviceGetRemappedRows, (nvml_device d, unsigned *a, unsigned *b, unsigned *c, unsigned *e))
{
	const char *value;
	nvml_return result = fake_answer(d, "RemappedRows", NULL, &value);

	if (result == NVML_OK && sscanf(value, "%u %u %u %u", a, b, c, e) != 4)
		return NVML_UNKNOWN;
	return result;
}

FAKE(nvmlDeviceGetComputeRunningProcesses_v3, (nvml_device d, unsigned *c, void *r))
{
	return fake_processes(d, "compute", new_stride(), c, r);
}
FAKE(nvmlDeviceGetGraphicsRunningProcesses_v3, (nvml_device d, unsigned *c, void *r))
{
	return fake_processes(d, "graphics", new_stride(), c, r);
}

/* --- MIG */
FAKE(nvmlDeviceGetMigMode, (nvml_device d, unsigned *a, unsigned *b))
{
	return fake_two(d, "MigMode", a, b);
}
FAKE(nvmlDeviceGetMaxMigDeviceCount, (nvml_device d, unsigned *c))
{
	*c = 7;
	return NVML_OK;
}

FAKE(nvmlDeviceGetMigDeviceHandleByIndex, (nvml_device d, unsigned i, nvml_device *ret))
{
	const struct fake_gpu *gpu = (const struct fake_gpu *)(void *)d;

	if (i >= INSTANCES || !fake_instances[gpu->number][i].gpu)
		return NVML_NOT_FOUND;
	*ret = (nvml_device)(void *)&fake_instances[gpu->number][i];
	return NVML_OK;
}

FAKE(nvmlDeviceGetGpuInstanceId, (nvml_device d, unsigned *id))
{
	struct fake_instance *instance = fake_instance(d);

	if (instance)
		*id = instance->gi;
	return instance ? NVML_OK : NVML_NOT_SUPPORTED;
}
FAKE(nvmlDeviceGetComputeInstanceId, (nvml_device d, unsigned *id))
{
	struct fake_instance *instance = fake_instance(d);

	if (instance)
		*id = instance->ci;
	return instance ? NVML_OK : NVML_NOT_SUPPORTED;
}
FAKE(nvmlDeviceGetAttributes_v2, (nvml_device d, struct nvml_attributes *a))
{
	struct fake_instance *instance = fake_instance(d);

	if (!instance)
		return NVML_NOT_SUPPORTED;
	memset(a, 0, sizeof *a);
	a->multiprocessors = instance->sm;
	a->memory_mib = instance->total >> 20;
	return NVML_OK;
}

/* --- events */
FAKE(nvmlEventSetCreate, (nvml_event_set * set))
{
	*set = (nvml_event_set)(void *)&events_registered;
	return NVML_OK;
}
FAKE(nvmlEventSetFree, (nvml_event_set set))
{
	return NVML_OK;
}
FAKE(nvmlDeviceRegisterEvents, (nvml_device d, unsigned long long types, nvml_event_set set))
{
	events_registered++;
	return NVML_OK;
}

FAKE(nvmlEventSetWait_v2, (nvml_event_set set, struct nvml_event *event, unsigned timeout_ms))
{
	for (int i = 1; i <= fake_gpu_count; i++) {
		const char *value = fake_look_up(&fake_gpus[i], "xid");
		unsigned code;
		double at;

		if (!value || fake_gpus[i].xid_told || sscanf(value, "%u %lf", &code, &at) != 2 ||
		    fake_now() < at)
			continue;
		fake_gpus[i].xid_told = true;
		*event = (struct nvml_event){ .device = (nvml_device)(void *)&fake_gpus[i],
			                      .type = NVML_EVENT_XID,
			                      .data = code };
		return NVML_OK;
	}
	return NVML_TIMEOUT;
}

/* --- GPM: a sample remembers its device and time */
struct fake_sample {
	nvml_device device;
	double taken_s;
};

FAKE(nvmlGpmQueryDeviceSupport, (nvml_device d, struct nvml_gpm_support *s))
{
	s->supported = fake_answer(d, "gpm.2", NULL, NULL) == NVML_OK;
	return s->version == 1 ? NVML_OK : NVML_BAD_VERSION;
}
FAKE(nvmlGpmSampleAlloc, (nvml_gpm_sample * s))
{
	*s = calloc(1, sizeof(struct fake_sample));
	return *s ? NVML_OK : NVML_MEMORY;
}
FAKE(nvmlGpmSampleFree, (nvml_gpm_sample s))
{
	free(s);
	return NVML_OK;
}

FAKE(nvmlGpmSampleGet, (nvml_device d, nvml_gpm_sample s))
{
	*(struct fake_sample *)(void *)s = (struct fake_sample){ d, fake_now() };
	return fake_is_lost((struct fake_gpu *)(void *)d) ? NVML_LOST : NVML_OK;
}
FAKE(nvmlGpmMigSampleGet, (nvml_device d, unsigned gi, nvml_gpm_sample s))
{
	return nvmlGpmSampleGet(d, s);
}

FAKE(nvmlGpmMetricsGet, (struct nvml_gpm_query * q))
{
	struct fake_sample *a = (struct fake_sample *)(void *)q->first;
	struct fake_sample *b = (struct fake_sample *)(void *)q->second;

	if (q->version != 1 || !a->device || a->device != b->device || b->taken_s < a->taken_s)
		return NVML_INVALID_ARGUMENT;
	for (unsigned i = 0; i < q->count; i++) {
		char key[24];

		snprintf(key, sizeof key, "gpm.%u", q->metrics[i].id);
		q->metrics[i].result = fake_answer(a->device, key, &q->metrics[i].value, NULL);
	}
	return NVML_OK;
}

FAKE(nvmlDeviceGetP2PStatus, (nvml_device a, nvml_device b, int index, int *status))
{
	return fake_indexed(a, "P2PStatus", index, (unsigned *)status);
}
FAKE(nvmlDeviceGetTopologyCommonAncestor, (nvml_device a, nvml_device b, int *level))
{
	return fake_number(a, "CommonAncestor", (unsigned *)level);
}
