/* The part of NVML that is used here, declared anew from its documentation:
 * only what the calling convention fixes (numbers, layouts), no prose.
 *
 * A versioned struct carries `size | version << 24`; a driver answers
 * FUNCTION_NOT_FOUND to any other word. Sizes are those of x86-64 and arm64
 * Linux; tests/unit/test_nvml_abi.c holds each against the measured ones. */
#ifndef WHICHGPU_PROBE_NVML_ABI_H
#define WHICHGPU_PROBE_NVML_ABI_H

#include <stdint.h>

typedef struct nvml_device_opaque *nvml_device;
typedef struct nvml_event_set_opaque *nvml_event_set;
typedef struct nvml_gpm_sample_opaque *nvml_gpm_sample;
typedef int nvml_return;

enum {
	NVML_OK = 0,
	NVML_UNINITIALISED = 1,
	NVML_INVALID_ARGUMENT = 2,
	NVML_NOT_SUPPORTED = 3,
	NVML_NO_PERMISSION = 4,
	NVML_NOT_FOUND = 6,
	NVML_TOO_SMALL = 7,
	NVML_EXTERNAL_POWER = 8,
	NVML_NO_DRIVER = 9,
	NVML_TIMEOUT = 10,
	NVML_IRQ = 11,
	NVML_NO_LIBRARY = 12,
	NVML_NO_FUNCTION = 13,
	NVML_CORRUPTED_INFOROM = 14,
	NVML_LOST = 15,
	NVML_RESET_REQUIRED = 16,
	NVML_BLOCKED = 17,
	NVML_MISMATCH = 18,
	NVML_IN_USE = 19,
	NVML_MEMORY = 20,
	NVML_NO_DATA = 21,
	NVML_NO_RESOURCES = 23,
	NVML_BAD_VERSION = 25,
	NVML_DEPRECATED = 26,
	NVML_NOT_READY = 27,
	NVML_NO_GPU = 28,
	NVML_INVALID_STATE = 29,
	NVML_UNKNOWN = 999
};

#define NVML_VERSION(type, number) ((unsigned)(sizeof(type) | (unsigned)(number) << 24))

struct nvml_utilization {
	unsigned gpu, memory;
};
struct nvml_memory {
	unsigned long long total, free, used;
};
struct nvml_memory_v2 {
	unsigned version;
	unsigned long long total, reserved, free, used;
};
struct nvml_bar1 {
	unsigned long long total, free, used;
};
struct nvml_pci {
	char legacy_id[16];
	unsigned domain, bus, device, pci_device, pci_subsystem;
	char bus_id[32];
};
struct nvml_process_v1 {
	unsigned pid;
	unsigned long long memory;
};
struct nvml_process_v2 {
	unsigned pid;
	unsigned long long memory;
	unsigned gpu_instance, compute_instance;
};
/* The record of drivers 535.43 to before 535.86, under the same symbol. */
struct nvml_process_535 {
	unsigned pid;
	unsigned long long memory;
	unsigned gpu_instance, compute_instance;
	unsigned long long protected_memory;
};
struct nvml_process_use {
	unsigned pid;
	unsigned long long time_us;
	unsigned sm, memory, encoder, decoder;
};
struct nvml_field {
	unsigned id, scope;
	long long time_us, latency_us;
	unsigned type;
	nvml_return result;
	union {
		double d;
		unsigned u;
		unsigned long ul;
		unsigned long long ull;
		long long sll;
		int i;
		unsigned short us;
	} value;
};
enum { NVML_DOUBLE, NVML_UINT, NVML_ULONG, NVML_ULL, NVML_SLL, NVML_INT, NVML_USHORT };
struct nvml_event {
	nvml_device device;
	unsigned long long type, data;
	unsigned gpu_instance, compute_instance;
};
struct nvml_attributes {
	unsigned multiprocessors, copy_engines, decoders, encoders, jpeg, ofa;
	unsigned gpu_instance_slices, compute_instance_slices;
	unsigned long long memory_mib;
};
struct nvml_temperature {
	unsigned version, sensor;
	int celsius;
};
struct nvml_margin {
	unsigned version;
	int celsius;
};
struct nvml_violation {
	unsigned long long reference_us, violation_ns;
};
struct nvml_gpm_support {
	unsigned version, supported;
};
struct nvml_gpm_metric {
	unsigned id;
	nvml_return result;
	double value;
	const char *short_name, *long_name, *unit;
};
/* The library's array grows with every edition; it reads count entries only.
 * The block is made larger than any edition so far. */
#define NVML_GPM_METRICS 512
struct nvml_gpm_query {
	unsigned version, count;
	nvml_gpm_sample first, second;
	struct nvml_gpm_metric metrics[NVML_GPM_METRICS];
};

#define NVML_NOT_AVAILABLE (~0ull) /* memory of a process under WDDM or WSL */
#define NVML_NO_INSTANCE 0xffffffffu
#define NVML_INIT_NO_GPUS 1u /* do not fail when there is none */
#define NVML_EVENT_XID 0x8ull

enum { NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEMORY, NVML_CLOCK_VIDEO };
enum { NVML_LIMIT_SHUTDOWN, NVML_LIMIT_SLOWDOWN, NVML_LIMIT_MEMORY_MAX, NVML_LIMIT_GPU_MAX };
enum {
	NVML_NAME_BYTES = 96,
	NVML_UUID_BYTES = 96,
	NVML_VERSION_BYTES = 80,
	NVML_SERIAL_BYTES = 30,
	NVML_VBIOS_BYTES = 32
};

#endif
