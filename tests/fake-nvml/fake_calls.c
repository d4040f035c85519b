/* The functions that every edition of NVML has. */
#include "fake_nvml.h"

FAKE(nvmlInit, (void))
{
	return fake_init();
}
FAKE(nvmlShutdown, (void))
{
	fake_started = false;
	return NVML_OK;
}
FAKE(nvmlSystemGetDriverVersion, (char *t, unsigned n))
{
	return fake_library_text("driver", t, n);
}
FAKE(nvmlSystemGetNVMLVersion, (char *t, unsigned n))
{
	return fake_library_text("nvml", t, n);
}

FAKE(nvmlSystemGetCudaDriverVersion, (int *version))
{
	const char *value = fake_look_up(&fake_gpus[0], "cuda");

	*version = value ? atoi(value) : 12040;
	return NVML_OK;
}

nvml_return fake_count(unsigned *count)
{
	const char *value = fake_look_up(&fake_gpus[0], "count");
	int code;

	if (!fake_started)
		return NVML_UNINITIALISED;
	if (value && sscanf(value, "error %d", &code) == 1)
		return code;
	*count = value ? (unsigned)atoi(value) : (unsigned)fake_gpu_count;
	return NVML_OK;
}

nvml_return fake_by_index(unsigned index, nvml_device *device)
{
	const char *value;
	int code;

	if (index >= (unsigned)fake_gpu_count)
		return NVML_INVALID_ARGUMENT;
	value = fake_look_up(&fake_gpus[index + 1], "HandleByIndex");
	if (value && sscanf(value, "error %d", &code) == 1)
		return code;
	if (fake_is_lost(&fake_gpus[index + 1]))
		return NVML_LOST;
	*device = (nvml_device)(void *)&fake_gpus[index + 1];
	return NVML_OK;
}

nvml_return fake_by_pci(const char *id, nvml_device *device)
{
	for (int i = 0; i < fake_gpu_count; i++) {
		const char *pci = fake_look_up(&fake_gpus[i + 1], "pci");

		if (pci && strcmp(pci, id) == 0)
			return fake_by_index((unsigned)i, device);
	}
	return NVML_NOT_FOUND;
}

nvml_return fake_pci(nvml_device device, struct nvml_pci *pci)
{
	const char *value;
	unsigned id;
	nvml_return result = fake_answer(device, "pci", NULL, &value);

	memset(pci, 0, sizeof *pci);
	if (result != NVML_OK)
		return result;
	sscanf(value, "%x:%x:%x", &pci->domain, &pci->bus, &pci->device);
	snprintf(pci->bus_id, sizeof pci->bus_id, "%08X:%02X:%02X.0", pci->domain, pci->bus,
	         pci->device);
	if (fake_answer(device, "pci_device", NULL, &value) == NVML_OK &&
	    sscanf(value, "%x", &id) == 1)
		pci->pci_device = id;
	if (fake_answer(device, "pci_subsystem", NULL, &value) == NVML_OK &&
	    sscanf(value, "%x", &id) == 1)
		pci->pci_subsystem = id;
	return NVML_OK;
}

FAKE(nvmlDeviceGetCount, (unsigned *c))
{
	return fake_count(c);
}
FAKE(nvmlDeviceGetHandleByIndex, (unsigned i, nvml_device *d))
{
	return fake_by_index(i, d);
}
FAKE(nvmlDeviceGetHandleByPciBusId, (const char *i, nvml_device *d))
{
	return fake_by_pci(i, d);
}
FAKE(nvmlDeviceGetPciInfo, (nvml_device d, struct nvml_pci *p))
{
	return fake_pci(d, p);
}
FAKE(nvmlDeviceGetSerial, (nvml_device d, char *t, unsigned n))
{
	return fake_text(d, "Serial", t, n);
}
FAKE(nvmlDeviceGetVbiosVersion, (nvml_device d, char *t, unsigned n))
{
	return fake_text(d, "Vbios", t, n);
}

FAKE(nvmlDeviceGetName, (nvml_device d, char *t, unsigned n))
{
	struct fake_instance *instance = fake_instance(d);

	if (!instance)
		return fake_text(d, "Name", t, n);
	snprintf(t, n, "%s", instance->name);
	return NVML_OK;
}

FAKE(nvmlDeviceGetUUID, (nvml_device d, char *t, unsigned n))
{
	struct fake_instance *instance = fake_instance(d);

	if (!instance)
		return fake_text(d, "UUID", t, n);
	snprintf(t, n, "MIG-%08x-%d", instance->gpu->number, instance->slot);
	return NVML_OK;
}

FAKE(nvmlDeviceGetCudaComputeCapability, (nvml_device d, int *major, int *minor))
{
	return fake_two(d, "ComputeCapability", (unsigned *)major, (unsigned *)minor);
}

/* Memory = TOTAL RESERVED USED; the first form counts the reserved part as used. */
nvml_return fake_memory(nvml_device d, unsigned long long *total, unsigned long long *reserved,
                        unsigned long long *used)
{
	struct fake_instance *instance = fake_instance(d);
	const char *value;
	nvml_return result;

	*reserved = 0;
	if (instance && !fake_is_lost(instance->gpu)) {
		*total = instance->total;
		*used = instance->used;
		return NVML_OK;
	}
	result = fake_answer(d, "MemoryInfo", NULL, &value);
	if (result == NVML_OK && sscanf(value, "%llu %llu %llu", total, reserved, used) != 3)
		return NVML_UNKNOWN;
	return result;
}

FAKE(nvmlDeviceGetMemoryInfo, (nvml_device d, struct nvml_memory *m))
{
	unsigned long long total, reserved, used;
	nvml_return result = fake_memory(d, &total, &reserved, &used);

	if (result == NVML_OK)
		*m = (struct nvml_memory){ .total = total,
			                   .used = used + reserved,
			                   .free = total - used - reserved };
	return result;
}

FAKE(nvmlDeviceGetBAR1MemoryInfo, (nvml_device d, struct nvml_bar1 *b))
{
	const char *value;
	nvml_return result = fake_answer(d, "BAR1MemoryInfo", NULL, &value);

	if (result == NVML_OK) {
		sscanf(value, "%llu %llu", &b->total, &b->used);
		b->free = b->total - b->used;
	}
	return result;
}

FAKE(nvmlDeviceGetUtilizationRates, (nvml_device d, struct nvml_utilization *u))
{
	return fake_two(d, "UtilizationRates", &u->gpu, &u->memory);
}

nvml_return fake_engine(nvml_device d, const char *key, unsigned *percent, unsigned *period)
{
	*period = 167000;
	return fake_number(d, key, percent);
}
FAKE(nvmlDeviceGetEncoderUtilization, (nvml_device d, unsigned *u, unsigned *p))
{
	return fake_engine(d, "EncoderUtilization", u, p);
}
FAKE(nvmlDeviceGetDecoderUtilization, (nvml_device d, unsigned *u, unsigned *p))
{
	return fake_engine(d, "DecoderUtilization", u, p);
}

PLAIN(FanSpeed, "FanSpeed")
PLAIN(PowerUsage, "PowerUsage")
PLAIN(PowerManagementLimit, "PowerLimit")
PLAIN(EnforcedPowerLimit, "PowerEnforced")
PLAIN(PowerManagementDefaultLimit, "PowerDefault")
PLAIN(CurrPcieLinkGeneration, "LinkGeneration")
PLAIN(MaxPcieLinkGeneration, "LinkGenerationMax")
PLAIN(GpuMaxPcieLinkGeneration, "LinkGenerationGpu")
PLAIN(CurrPcieLinkWidth, "LinkWidth")
PLAIN(MaxPcieLinkWidth, "LinkWidthMax")
PLAIN(PcieReplayCounter, "PcieReplay")
PLAIN(PowerState, "PerformanceState")
PLAIN(ComputeMode, "ComputeMode")
PLAIN(PersistenceMode, "PersistenceMode")
PLAIN(NumGpuCores, "NumGpuCores")
PLAIN(MemoryBusWidth, "MemoryBusWidth")

FAKE(nvmlDeviceGetClockInfo, (nvml_device d, int t, unsigned *v))
{
	return fake_indexed(d, "ClockInfo", t, v);
}
FAKE(nvmlDeviceGetMaxClockInfo, (nvml_device d, int t, unsigned *v))
{
	return fake_indexed(d, "MaxClockInfo", t, v);
}
FAKE(nvmlDeviceGetTemperature, (nvml_device d, int s, unsigned *v))
{
	return fake_number(d, "Temperature", v);
}
FAKE(nvmlDeviceGetTemperatureThreshold, (nvml_device d, int t, unsigned *v))
{
	return fake_indexed(d, "Threshold", t, v);
}
FAKE(nvmlDeviceGetPowerManagementLimitConstraints, (nvml_device d, unsigned *a, unsigned *b))
{
	return fake_two(d, "PowerRange", a, b);
}
FAKE(nvmlDeviceGetEccMode, (nvml_device d, unsigned *a, unsigned *b))
{
	return fake_two(d, "EccMode", a, b);
}
FAKE(nvmlDeviceGetNvLinkState, (nvml_device d, unsigned l, unsigned *v))
{
	return fake_indexed(d, "NvLinkState", (int)l, v);
}

FAKE(nvmlDeviceGetTotalEnergyConsumption, (nvml_device d, unsigned long long *v))
{
	return fake_wide(d, "TotalEnergy", v);
}
FAKE(nvmlDeviceGetCurrentClocksThrottleReasons, (nvml_device d, unsigned long long *v))
{
	return fake_wide(d, "ClocksEventReasons", v);
}

FAKE(nvmlDeviceGetTotalEccErrors, (nvml_device d, int type, int counter, unsigned long long *v))
{
	char key[32];

	snprintf(key, sizeof key, "TotalEccErrors.%d.%d", type, counter);
	return fake_wide(d, key, v);
}

FAKE(nvmlDeviceGetViolationStatus, (nvml_device d, int policy, struct nvml_violation *time))
{
	char key[32];

	snprintf(key, sizeof key, "ViolationStatus.%d", policy);
	time->reference_us = 0;
	return fake_wide(d, key, &time->violation_ns);
}

FAKE(nvmlDeviceGetFieldValues, (nvml_device d, int count, struct nvml_field *values))
{
	nvml_return any = fake_answer(d, "Name", NULL, NULL);

	if (any == NVML_LOST || any == NVML_UNINITIALISED)
		return any;
	for (int i = 0; i < count; i++) {
		char key[24];
		double v = 0;

		snprintf(key, sizeof key, "field.%u", values[i].id);
		values[i].result = fake_answer(d, key, &v, NULL);
		values[i].type = NVML_ULL;
		values[i].value.ull = (unsigned long long)v;
		/* Two of them are of another type, as the real ones are. */
		if (values[i].id == 82) {
			values[i].type = NVML_UINT;
			values[i].value.u = (unsigned)v;
		} else if (values[i].id == 297) {
			values[i].type = NVML_DOUBLE;
			values[i].value.d = v;
		}
	}
	return NVML_OK;
}

/* --- processes --------------------------------------------------------------------- */

nvml_return fake_processes(nvml_device d, const char *kind, size_t stride, unsigned *count,
                           unsigned char *records)
{
	const struct fake_gpu *gpu = (const struct fake_gpu *)(void *)d;
	unsigned room = *count, found = 0;

	if (fake_instance(d))
		return NVML_NOT_SUPPORTED;
	if (fake_is_lost(gpu))
		return NVML_LOST;
	for (int i = 0; i < gpu->pair_count; i++) {
		struct nvml_process_535 record = { .gpu_instance = NVML_NO_INSTANCE,
			                           .compute_instance = NVML_NO_INSTANCE };
		char bytes[32], what[16];

		if (strcmp(gpu->pairs[i].key, "process") != 0)
			continue;
		if (sscanf(gpu->pairs[i].value, "%u %31s %15s", &record.pid, bytes, what) != 3)
			abort();
		if (strcmp(what, kind) != 0)
			continue;
		record.memory =
			strcmp(bytes, "na") == 0 ? NVML_NOT_AVAILABLE : strtoull(bytes, NULL, 10);
		if (found < room)
			memcpy(records + found * stride, &record, stride);
		found++;
	}
	*count = found;
	return found > room ? NVML_TOO_SMALL : NVML_OK;
}

FAKE(nvmlDeviceGetComputeRunningProcesses, (nvml_device d, unsigned *c, void *r))
{
	return fake_processes(d, "compute", sizeof(struct nvml_process_v1), c, r);
}
FAKE(nvmlDeviceGetGraphicsRunningProcesses, (nvml_device d, unsigned *c, void *r))
{
	return fake_processes(d, "graphics", sizeof(struct nvml_process_v1), c, r);
}

FAKE(nvmlDeviceGetProcessUtilization,
     (nvml_device d, struct nvml_process_use *uses, unsigned *count, unsigned long long since))
{
	const struct fake_gpu *gpu = (const struct fake_gpu *)(void *)d;
	unsigned found = 0;

	for (int i = 0; i < gpu->pair_count && found < *count; i++) {
		unsigned pid, sm;

		if (strcmp(gpu->pairs[i].key, "process") != 0 ||
		    sscanf(gpu->pairs[i].value, "%u %*s %*s %u", &pid, &sm) != 2)
			continue;
		uses[found++] = (struct nvml_process_use){
			.pid = pid,
			.sm = sm,
			.time_us = (unsigned long long)(fake_now() * 1e6) + since + 1
		};
	}
	*count = found;
	return found ? NVML_OK : NVML_NOT_FOUND;
}
