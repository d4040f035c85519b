/* A stand-in for libnvidia-ml.so.1, driven by a text profile, so that every path
 * of the NVML backend runs on a machine without a GPU.
 *
 * The profile is the file in FAKE_NVML_PROFILE (read at init). Lines are
 * `key = value`; `[gpu]` begins a GPU. Keys are NVML's function names without
 * "nvmlDeviceGet", arguments after a dot: `ClockInfo.1 = 1410`, `field.82 = 45`,
 * `gpm.2 = 55`, `process = PID BYTES compute|graphics SM%`, `mig.0 = GI CI TOTAL
 * USED SM NAME`, `xid = CODE SECONDS`, `lost = FROM UNTIL`, `repeat = 8`.
 * A value may be `error N` (that return code) or `ramp START PER_SECOND`; a key
 * that is absent answers "not supported". `hang.KEY = SECONDS` sleeps first.
 * Keys before the first [gpu]: driver, nvml, cuda, init, count, stride, without.
 *
 * fake_nvml_clock(t) puts the clock by hand; otherwise it is the time since
 * loading. fake_nvml_line(text) applies one line to the last GPU, or with
 * "@N key = value" to GPU N.
 *
 * Built twice: whole, and with FAKE_OLD as a library of the years before the
 * _v2 and _v3 names. Structs are taken from the backend's declarations, which
 * tests/unit/test_nvml_abi.c holds against measured sizes. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probe/nvml_abi.h"

/* Profiles are files of this tree, read in the C locale. */
#undef sscanf
#undef atoi
#undef atof
#undef strtod

#define EXPORT __attribute__((visibility("default")))
#define GPUS 64
#define KEYS 160
#define INSTANCES 8

struct pair {
	char key[48], value[112];
};

struct fake_gpu {
	struct pair pairs[KEYS];
	int pair_count, number;
	bool xid_told;
};
struct fake_instance {
	struct fake_gpu *gpu;
	int slot;
	unsigned gi, ci, sm;
	unsigned long long total, used;
	char name[96];
};
/* A handle is one of these; which, is told by its place. */
static struct fake_gpu gpus[GPUS + 1];   /* [0] holds the keys of the library itself */
static struct fake_instance instances[GPUS][INSTANCES];
static int gpu_count;
static bool started, clock_by_hand;
static double clock_s;
static struct timespec loaded;
static int events_registered;

static double now(void)
{
	struct timespec t;

	if (clock_by_hand)
		return clock_s;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)(t.tv_sec - loaded.tv_sec) + (double)(t.tv_nsec - loaded.tv_nsec) * 1e-9;
}

__attribute__((constructor)) static void remember_load(void)
{
	clock_gettime(CLOCK_MONOTONIC, &loaded);
}

static const char *look_up(const struct fake_gpu *gpu, const char *key)
{
	for (int i = 0; i < gpu->pair_count; i++) {
		if (strcmp(gpu->pairs[i].key, key) == 0)
			return gpu->pairs[i].value;
	}
	return NULL;
}

static void put(struct fake_gpu *gpu, const char *key, const char *value)
{
	struct pair *pair = NULL;

	/* Processes are a list; anything else is replaced. */
	for (int i = 0; i < gpu->pair_count && strcmp(key, "process") != 0; i++) {
		if (strcmp(gpu->pairs[i].key, key) == 0)
			pair = &gpu->pairs[i];
	}
	if (!pair && gpu->pair_count < KEYS)
		pair = &gpu->pairs[gpu->pair_count++];
	if (!pair)
		abort();
	snprintf(pair->key, sizeof pair->key, "%s", key);
	snprintf(pair->value, sizeof pair->value, "%s", value);
}

/* GPU 2 like GPU 1, with its own address, UUID and serial number. */
static void repeat(int copies)
{
	int first = gpu_count;

	for (int i = 1; i < copies && gpu_count < GPUS; i++) {
		char text[112];

		gpus[++gpu_count] = gpus[first];
		gpus[gpu_count].number = gpu_count - 1;
		snprintf(text, sizeof text, "0000:%02x:00.0", 0x10 + gpu_count);
		put(&gpus[gpu_count], "pci", text);
		snprintf(text, sizeof text, "GPU-%08x-0000-4000-8000-000000000000", gpu_count);
		put(&gpus[gpu_count], "UUID", text);
	}
}

static void read_instances(struct fake_gpu *gpu)
{
	for (int i = 0; i < INSTANCES; i++) {
		struct fake_instance *instance = &instances[gpu->number][i];
		char key[16];
		const char *value;

		snprintf(key, sizeof key, "mig.%d", i);
		value = look_up(gpu, key);
		memset(instance, 0, sizeof *instance);
		if (!value)
			continue;
		if (sscanf(value, "%u %u %llu %llu %u %95[^\n]", &instance->gi, &instance->ci,
		           &instance->total, &instance->used, &instance->sm, instance->name) != 6)
			abort();
		instance->gpu = gpu;
		instance->slot = i;
	}
}

static void take_line(struct fake_gpu *gpu, char *line)
{
	char *equals = strchr(line, '='), *key = line + strspn(line, " \t"), *end;

	if (!equals || *key == '#')
		return;
	end = equals;
	while (end > key && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	equals += 1 + strspn(equals + 1, " \t");
	equals[strcspn(equals, "\r\n")] = '\0';
	if (strcmp(key, "repeat") == 0)
		repeat(atoi(equals));
	else
		put(gpu, key, equals);
	if (strncmp(key, "mig.", 4) == 0)
		read_instances(gpu);
}

EXPORT void fake_nvml_clock(double seconds);
void fake_nvml_clock(double seconds)
{
	clock_by_hand = true;
	clock_s = seconds;
}

EXPORT void fake_nvml_line(const char *text);
void fake_nvml_line(const char *text)
{
	char line[256];
	int number = gpu_count, skip = 0;

	if (sscanf(text, "@%d %n", &number, &skip) == 1)
		number++;
	snprintf(line, sizeof line, "%s", text + skip);
	take_line(&gpus[number], line);
}

static void read_profile(void)
{
	const char *path = getenv("FAKE_NVML_PROFILE");
	FILE *file = path ? fopen(path, "r") : NULL;
	char line[256];

	memset(gpus, 0, sizeof gpus);
	gpu_count = 0;
	while (file && fgets(line, sizeof line, file)) {
		if (strncmp(line, "[gpu]", 5) == 0 && gpu_count < GPUS) {
			gpu_count++;
			gpus[gpu_count].number = gpu_count - 1;
		} else {
			take_line(&gpus[gpu_count], line);
		}
	}
	if (file)
		fclose(file);
}

/* --- answers ---------------------------------------------------------------------- */

static bool is_lost(const struct fake_gpu *gpu)
{
	const char *value = look_up(gpu, "lost");
	double from = 0, until = 1e300;

	return value && sscanf(value, "%lf %lf", &from, &until) >= 1 && now() >= from && now() < until;
}

static struct fake_instance *as_instance(nvml_device device)
{
	char *place = (char *)device;

	return place >= (char *)instances && place < (char *)instances + sizeof instances
		? (struct fake_instance *)(void *)device : NULL;
}

static nvml_return answer(nvml_device device, const char *key, double *ret_number,
                          const char **ret_text)
{
	struct fake_instance *instance = as_instance(device);
	const struct fake_gpu *gpu = instance ? instance->gpu : (const struct fake_gpu *)(void *)device;
	char other[64];
	const char *value, *without = look_up(&gpus[0], "without");
	double start, rate;
	int code;

	if (!started)
		return NVML_UNINITIALISED;
	if (is_lost(gpu))
		return NVML_LOST;
	snprintf(other, sizeof other, "hang.%s", key);
	value = look_up(gpu, other);
	if (value)
		usleep((useconds_t)(atof(value) * 1e6));
	if (without && strcmp(without, key) == 0)
		return NVML_NO_FUNCTION;
	if (instance)
		return NVML_NOT_SUPPORTED;
	value = look_up(gpu, key);
	if (!value)
		return NVML_NOT_SUPPORTED;
	if (sscanf(value, "error %d", &code) == 1)
		return code;
	if (ret_text)
		*ret_text = value;
	if (ret_number && sscanf(value, "ramp %lf %lf", &start, &rate) == 2)
		*ret_number = start + rate * now();
	else if (ret_number)
		*ret_number = strtod(value, NULL);
	return NVML_OK;
}

static nvml_return number(nvml_device device, const char *key, unsigned *value)
{
	double d;
	nvml_return result = answer(device, key, &d, NULL);

	if (result == NVML_OK)
		*value = (unsigned)d;
	return result;
}

static nvml_return two(nvml_device device, const char *key, unsigned *a, unsigned *b)
{
	const char *value;
	nvml_return result = answer(device, key, NULL, &value);

	if (result == NVML_OK && sscanf(value, "%u %u", a, b) != 2)
		return NVML_UNKNOWN;
	return result;
}

static nvml_return indexed(nvml_device device, const char *key, int index, unsigned *value)
{
	char whole[48];

	snprintf(whole, sizeof whole, "%s.%d", key, index);
	return number(device, whole, value);
}

static nvml_return text(nvml_device device, const char *key, char *target, unsigned bytes)
{
	const char *value;
	nvml_return result = answer(device, key, NULL, &value);

	if (result == NVML_OK && strlen(value) >= bytes)
		return NVML_TOO_SMALL;
	if (result == NVML_OK)
		memcpy(target, value, strlen(value) + 1);
	return result;
}

static nvml_return library_text(const char *key, char *target, unsigned bytes)
{
	const char *value = look_up(&gpus[0], key);

	snprintf(target, bytes, "%s", value ? value : "1.0");
	return NVML_OK;
}

#define FAKE(name, parameters) EXPORT nvml_return name parameters; nvml_return name parameters

static nvml_return init(void)
{
	const char *value;

	read_profile();
	value = look_up(&gpus[0], "init");
	started = !value || atoi(value) == 0;
	return value ? atoi(value) : NVML_OK;
}

FAKE(nvmlInit, (void)) { return init(); }
FAKE(nvmlShutdown, (void)) { started = false; return NVML_OK; }
FAKE(nvmlSystemGetDriverVersion, (char *t, unsigned n)) { return library_text("driver", t, n); }
FAKE(nvmlSystemGetNVMLVersion, (char *t, unsigned n)) { return library_text("nvml", t, n); }

FAKE(nvmlSystemGetCudaDriverVersion, (int *version))
{
	const char *value = look_up(&gpus[0], "cuda");

	*version = value ? atoi(value) : 12040;
	return NVML_OK;
}

static nvml_return count_devices(unsigned *count)
{
	const char *value = look_up(&gpus[0], "count");
	int code;

	if (!started)
		return NVML_UNINITIALISED;
	if (value && sscanf(value, "error %d", &code) == 1)
		return code;
	*count = value ? (unsigned)atoi(value) : (unsigned)gpu_count;
	return NVML_OK;
}

static nvml_return device_by_index(unsigned index, nvml_device *device)
{
	const char *value;
	int code;

	if (index >= (unsigned)gpu_count)
		return NVML_INVALID_ARGUMENT;
	value = look_up(&gpus[index + 1], "HandleByIndex");
	if (value && sscanf(value, "error %d", &code) == 1)
		return code;
	if (is_lost(&gpus[index + 1]))
		return NVML_LOST;
	*device = (nvml_device)(void *)&gpus[index + 1];
	return NVML_OK;
}

static nvml_return device_by_pci(const char *id, nvml_device *device)
{
	for (int i = 0; i < gpu_count; i++) {
		const char *pci = look_up(&gpus[i + 1], "pci");

		if (pci && strcmp(pci, id) == 0)
			return device_by_index((unsigned)i, device);
	}
	return NVML_NOT_FOUND;
}

static nvml_return device_pci(nvml_device device, struct nvml_pci *pci)
{
	const char *value;
	unsigned id;
	nvml_return result = answer(device, "pci", NULL, &value);

	memset(pci, 0, sizeof *pci);
	if (result != NVML_OK)
		return result;
	sscanf(value, "%x:%x:%x", &pci->domain, &pci->bus, &pci->device);
	snprintf(pci->bus_id, sizeof pci->bus_id, "%08X:%02X:%02X.0", pci->domain, pci->bus,
	         pci->device);
	if (answer(device, "pci_device", NULL, &value) == NVML_OK && sscanf(value, "%x", &id) == 1)
		pci->pci_device = id;
	if (answer(device, "pci_subsystem", NULL, &value) == NVML_OK && sscanf(value, "%x", &id) == 1)
		pci->pci_subsystem = id;
	return NVML_OK;
}

FAKE(nvmlDeviceGetCount, (unsigned *c)) { return count_devices(c); }
FAKE(nvmlDeviceGetHandleByIndex, (unsigned i, nvml_device *d)) { return device_by_index(i, d); }
FAKE(nvmlDeviceGetHandleByPciBusId, (const char *i, nvml_device *d)) { return device_by_pci(i, d); }
FAKE(nvmlDeviceGetPciInfo, (nvml_device d, struct nvml_pci *p)) { return device_pci(d, p); }
FAKE(nvmlDeviceGetSerial, (nvml_device d, char *t, unsigned n)) { return text(d, "Serial", t, n); }
FAKE(nvmlDeviceGetVbiosVersion, (nvml_device d, char *t, unsigned n)) { return text(d, "Vbios", t, n); }

FAKE(nvmlDeviceGetName, (nvml_device d, char *t, unsigned n))
{
	struct fake_instance *instance = as_instance(d);

	if (!instance)
		return text(d, "Name", t, n);
	snprintf(t, n, "%s", instance->name);
	return NVML_OK;
}

FAKE(nvmlDeviceGetUUID, (nvml_device d, char *t, unsigned n))
{
	struct fake_instance *instance = as_instance(d);

	if (!instance)
		return text(d, "UUID", t, n);
	snprintf(t, n, "MIG-%08x-%d", instance->gpu->number, instance->slot);
	return NVML_OK;
}

FAKE(nvmlDeviceGetCudaComputeCapability, (nvml_device d, int *major, int *minor))
{
	return two(d, "ComputeCapability", (unsigned *)major, (unsigned *)minor);
}

/* Memory = TOTAL RESERVED USED; the first form counts the reserved part as used. */
static nvml_return memory(nvml_device d, unsigned long long *total, unsigned long long *reserved,
                          unsigned long long *used)
{
	struct fake_instance *instance = as_instance(d);
	const char *value;
	nvml_return result;

	*reserved = 0;
	if (instance && !is_lost(instance->gpu)) {
		*total = instance->total;
		*used = instance->used;
		return NVML_OK;
	}
	result = answer(d, "MemoryInfo", NULL, &value);
	if (result == NVML_OK && sscanf(value, "%llu %llu %llu", total, reserved, used) != 3)
		return NVML_UNKNOWN;
	return result;
}

FAKE(nvmlDeviceGetMemoryInfo, (nvml_device d, struct nvml_memory *m))
{
	unsigned long long total, reserved, used;
	nvml_return result = memory(d, &total, &reserved, &used);

	if (result == NVML_OK)
		*m = (struct nvml_memory){ .total = total, .used = used + reserved,
		                           .free = total - used - reserved };
	return result;
}

FAKE(nvmlDeviceGetBAR1MemoryInfo, (nvml_device d, struct nvml_bar1 *b))
{
	const char *value;
	nvml_return result = answer(d, "BAR1MemoryInfo", NULL, &value);

	if (result == NVML_OK) {
		sscanf(value, "%llu %llu", &b->total, &b->used);
		b->free = b->total - b->used;
	}
	return result;
}

FAKE(nvmlDeviceGetUtilizationRates, (nvml_device d, struct nvml_utilization *u))
{
	return two(d, "UtilizationRates", &u->gpu, &u->memory);
}

static nvml_return engine(nvml_device d, const char *key, unsigned *percent, unsigned *period)
{
	*period = 167000;
	return number(d, key, percent);
}
FAKE(nvmlDeviceGetEncoderUtilization, (nvml_device d, unsigned *u, unsigned *p)) { return engine(d, "EncoderUtilization", u, p); }
FAKE(nvmlDeviceGetDecoderUtilization, (nvml_device d, unsigned *u, unsigned *p)) { return engine(d, "DecoderUtilization", u, p); }

#define PLAIN(function, key) \
	FAKE(nvmlDeviceGet##function, (nvml_device d, unsigned *v)) { return number(d, key, v); }
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

FAKE(nvmlDeviceGetClockInfo, (nvml_device d, int t, unsigned *v)) { return indexed(d, "ClockInfo", t, v); }
FAKE(nvmlDeviceGetMaxClockInfo, (nvml_device d, int t, unsigned *v)) { return indexed(d, "MaxClockInfo", t, v); }
FAKE(nvmlDeviceGetTemperature, (nvml_device d, int s, unsigned *v)) { return number(d, "Temperature", v); }
FAKE(nvmlDeviceGetTemperatureThreshold, (nvml_device d, int t, unsigned *v)) { return indexed(d, "Threshold", t, v); }
FAKE(nvmlDeviceGetPowerManagementLimitConstraints, (nvml_device d, unsigned *a, unsigned *b)) { return two(d, "PowerRange", a, b); }
FAKE(nvmlDeviceGetEccMode, (nvml_device d, unsigned *a, unsigned *b)) { return two(d, "EccMode", a, b); }
FAKE(nvmlDeviceGetNvLinkState, (nvml_device d, unsigned l, unsigned *v)) { return indexed(d, "NvLinkState", (int)l, v); }

static nvml_return wide(nvml_device d, const char *key, unsigned long long *value)
{
	double v;
	nvml_return result = answer(d, key, &v, NULL);

	if (result == NVML_OK)
		*value = (unsigned long long)v;
	return result;
}
FAKE(nvmlDeviceGetTotalEnergyConsumption, (nvml_device d, unsigned long long *v)) { return wide(d, "TotalEnergy", v); }
FAKE(nvmlDeviceGetCurrentClocksThrottleReasons, (nvml_device d, unsigned long long *v)) { return wide(d, "ClocksEventReasons", v); }

FAKE(nvmlDeviceGetTotalEccErrors, (nvml_device d, int type, int counter, unsigned long long *v))
{
	char key[32];

	snprintf(key, sizeof key, "TotalEccErrors.%d.%d", type, counter);
	return wide(d, key, v);
}

FAKE(nvmlDeviceGetViolationStatus, (nvml_device d, int policy, struct nvml_violation *time))
{
	char key[32];

	snprintf(key, sizeof key, "ViolationStatus.%d", policy);
	time->reference_us = 0;
	return wide(d, key, &time->violation_ns);
}

FAKE(nvmlDeviceGetFieldValues, (nvml_device d, int count, struct nvml_field *values))
{
	nvml_return any = answer(d, "Name", NULL, NULL);

	if (any == NVML_LOST || any == NVML_UNINITIALISED)
		return any;
	for (int i = 0; i < count; i++) {
		char key[24];
		double v = 0;

		snprintf(key, sizeof key, "field.%u", values[i].id);
		values[i].result = answer(d, key, &v, NULL);
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

static nvml_return processes(nvml_device d, const char *kind, size_t stride, unsigned *count,
                             unsigned char *records)
{
	const struct fake_gpu *gpu = (const struct fake_gpu *)(void *)d;
	unsigned room = *count, found = 0;

	if (as_instance(d))
		return NVML_NOT_SUPPORTED;
	if (is_lost(gpu))
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
		record.memory = strcmp(bytes, "na") == 0 ? NVML_NOT_AVAILABLE : strtoull(bytes, NULL, 10);
		if (found < room)
			memcpy(records + found * stride, &record, stride);
		found++;
	}
	*count = found;
	return found > room ? NVML_TOO_SMALL : NVML_OK;
}

FAKE(nvmlDeviceGetComputeRunningProcesses, (nvml_device d, unsigned *c, void *r))
{
	return processes(d, "compute", sizeof(struct nvml_process_v1), c, r);
}
FAKE(nvmlDeviceGetGraphicsRunningProcesses, (nvml_device d, unsigned *c, void *r))
{
	return processes(d, "graphics", sizeof(struct nvml_process_v1), c, r);
}

FAKE(nvmlDeviceGetProcessUtilization, (nvml_device d, struct nvml_process_use *uses, unsigned *count,
                                       unsigned long long since))
{
	const struct fake_gpu *gpu = (const struct fake_gpu *)(void *)d;
	unsigned found = 0;

	for (int i = 0; i < gpu->pair_count && found < *count; i++) {
		unsigned pid, sm;

		if (strcmp(gpu->pairs[i].key, "process") != 0 ||
		    sscanf(gpu->pairs[i].value, "%u %*s %*s %u", &pid, &sm) != 2)
			continue;
		uses[found++] = (struct nvml_process_use){ .pid = pid, .sm = sm,
			.time_us = (unsigned long long)(now() * 1e6) + since + 1 };
	}
	*count = found;
	return found ? NVML_OK : NVML_NOT_FOUND;
}

#ifndef FAKE_OLD
/* --- what newer drivers have -------------------------------------------------------- */

static size_t new_stride(void)
{
	const char *value = look_up(&gpus[0], "stride");

	return value ? (size_t)atoi(value) : sizeof(struct nvml_process_v2);
}

FAKE(nvmlInit_v2, (void)) { return init(); }
FAKE(nvmlInitWithFlags, (unsigned flags)) { return init(); }
FAKE(nvmlSystemGetCudaDriverVersion_v2, (int *v)) { return nvmlSystemGetCudaDriverVersion(v); }
FAKE(nvmlDeviceGetCount_v2, (unsigned *c)) { return count_devices(c); }
FAKE(nvmlDeviceGetHandleByIndex_v2, (unsigned i, nvml_device *d)) { return device_by_index(i, d); }
FAKE(nvmlDeviceGetHandleByPciBusId_v2, (const char *i, nvml_device *d)) { return device_by_pci(i, d); }
FAKE(nvmlDeviceGetPciInfo_v3, (nvml_device d, struct nvml_pci *p)) { return device_pci(d, p); }
FAKE(nvmlDeviceGetJpgUtilization, (nvml_device d, unsigned *u, unsigned *p)) { return engine(d, "JpgUtilization", u, p); }
FAKE(nvmlDeviceGetOfaUtilization, (nvml_device d, unsigned *u, unsigned *p)) { return engine(d, "OfaUtilization", u, p); }
PLAIN(PerformanceState, "PerformanceState")
FAKE(nvmlDeviceGetCurrentClocksEventReasons, (nvml_device d, unsigned long long *v)) { return wide(d, "ClocksEventReasons", v); }

/* As the driver does it: another version word is "function not found". */
FAKE(nvmlDeviceGetMemoryInfo_v2, (nvml_device d, struct nvml_memory_v2 *m))
{
	unsigned long long total, reserved, used;
	const char *without = look_up(&gpus[0], "without");
	nvml_return result;

	if (m->version != 0x02000028 || (without && strcmp(without, "MemoryInfo_v2") == 0))
		return NVML_NO_FUNCTION;
	result = memory(d, &total, &reserved, &used);
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
	return number(d, "Temperature", (unsigned *)&t->celsius);
}

FAKE(nvmlDeviceGetMarginTemperature, (nvml_device d, struct nvml_margin *m))
{
	if (m->version != 0x01000008)
		return NVML_BAD_VERSION;
	return number(d, "Margin", (unsigned *)&m->celsius);
}

FAKE(nvmlDeviceGetRemappedRows, (nvml_device d, unsigned *a, unsigned *b, unsigned *c, unsigned *e))
{
	const char *value;
	nvml_return result = answer(d, "RemappedRows", NULL, &value);

	if (result == NVML_OK && sscanf(value, "%u %u %u %u", a, b, c, e) != 4)
		return NVML_UNKNOWN;
	return result;
}

FAKE(nvmlDeviceGetComputeRunningProcesses_v3, (nvml_device d, unsigned *c, void *r))
{
	return processes(d, "compute", new_stride(), c, r);
}
FAKE(nvmlDeviceGetGraphicsRunningProcesses_v3, (nvml_device d, unsigned *c, void *r))
{
	return processes(d, "graphics", new_stride(), c, r);
}

/* --- MIG */
FAKE(nvmlDeviceGetMigMode, (nvml_device d, unsigned *a, unsigned *b)) { return two(d, "MigMode", a, b); }
FAKE(nvmlDeviceGetMaxMigDeviceCount, (nvml_device d, unsigned *c)) { *c = 7; return NVML_OK; }

FAKE(nvmlDeviceGetMigDeviceHandleByIndex, (nvml_device d, unsigned i, nvml_device *ret))
{
	const struct fake_gpu *gpu = (const struct fake_gpu *)(void *)d;

	if (i >= INSTANCES || !instances[gpu->number][i].gpu)
		return NVML_NOT_FOUND;
	*ret = (nvml_device)(void *)&instances[gpu->number][i];
	return NVML_OK;
}

FAKE(nvmlDeviceGetGpuInstanceId, (nvml_device d, unsigned *id))
{
	struct fake_instance *instance = as_instance(d);

	if (instance)
		*id = instance->gi;
	return instance ? NVML_OK : NVML_NOT_SUPPORTED;
}
FAKE(nvmlDeviceGetComputeInstanceId, (nvml_device d, unsigned *id))
{
	struct fake_instance *instance = as_instance(d);

	if (instance)
		*id = instance->ci;
	return instance ? NVML_OK : NVML_NOT_SUPPORTED;
}
FAKE(nvmlDeviceGetAttributes_v2, (nvml_device d, struct nvml_attributes *a))
{
	struct fake_instance *instance = as_instance(d);

	if (!instance)
		return NVML_NOT_SUPPORTED;
	memset(a, 0, sizeof *a);
	a->multiprocessors = instance->sm;
	a->memory_mib = instance->total >> 20;
	return NVML_OK;
}

/* --- events */
FAKE(nvmlEventSetCreate, (nvml_event_set *set)) { *set = (nvml_event_set)(void *)&events_registered; return NVML_OK; }
FAKE(nvmlEventSetFree, (nvml_event_set set)) { return NVML_OK; }
FAKE(nvmlDeviceRegisterEvents, (nvml_device d, unsigned long long types, nvml_event_set set))
{
	events_registered++;
	return NVML_OK;
}

FAKE(nvmlEventSetWait_v2, (nvml_event_set set, struct nvml_event *event, unsigned timeout_ms))
{
	for (int i = 1; i <= gpu_count; i++) {
		const char *value = look_up(&gpus[i], "xid");
		unsigned code;
		double at;

		if (!value || gpus[i].xid_told || sscanf(value, "%u %lf", &code, &at) != 2 || now() < at)
			continue;
		gpus[i].xid_told = true;
		*event = (struct nvml_event){ .device = (nvml_device)(void *)&gpus[i],
		                              .type = NVML_EVENT_XID, .data = code };
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
	s->supported = answer(d, "gpm.2", NULL, NULL) == NVML_OK;
	return s->version == 1 ? NVML_OK : NVML_BAD_VERSION;
}
FAKE(nvmlGpmSampleAlloc, (nvml_gpm_sample *s))
{
	*s = calloc(1, sizeof(struct fake_sample));
	return *s ? NVML_OK : NVML_MEMORY;
}
FAKE(nvmlGpmSampleFree, (nvml_gpm_sample s)) { free(s); return NVML_OK; }

FAKE(nvmlGpmSampleGet, (nvml_device d, nvml_gpm_sample s))
{
	*(struct fake_sample *)(void *)s = (struct fake_sample){ d, now() };
	return is_lost((struct fake_gpu *)(void *)d) ? NVML_LOST : NVML_OK;
}
FAKE(nvmlGpmMigSampleGet, (nvml_device d, unsigned gi, nvml_gpm_sample s))
{
	return nvmlGpmSampleGet(d, s);
}

FAKE(nvmlGpmMetricsGet, (struct nvml_gpm_query *q))
{
	struct fake_sample *a = (struct fake_sample *)(void *)q->first;
	struct fake_sample *b = (struct fake_sample *)(void *)q->second;

	if (q->version != 1 || !a->device || a->device != b->device || b->taken_s < a->taken_s)
		return NVML_INVALID_ARGUMENT;
	for (unsigned i = 0; i < q->count; i++) {
		char key[24];

		snprintf(key, sizeof key, "gpm.%u", q->metrics[i].id);
		q->metrics[i].result = answer(a->device, key, &q->metrics[i].value, NULL);
	}
	return NVML_OK;
}

FAKE(nvmlDeviceGetP2PStatus, (nvml_device a, nvml_device b, int index, int *status))
{
	return indexed(a, "P2PStatus", index, (unsigned *)status);
}
FAKE(nvmlDeviceGetTopologyCommonAncestor, (nvml_device a, nvml_device b, int *level))
{
	return number(a, "CommonAncestor", (unsigned *)level);
}
#endif
