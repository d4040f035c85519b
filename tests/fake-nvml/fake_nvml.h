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
 * Built twice: whole, and without fake_new_calls.c as a library of the years
 * before the _v2 and _v3 names. Structs are taken from the backend's declarations, which
 * tests/unit/test_nvml_abi.c holds against measured sizes. */
#ifndef WHICHGPU_FAKE_NVML_H
#define WHICHGPU_FAKE_NVML_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
/* A handle is a GPU or an instance; which, is told by its place. gpus[0] holds the keys
 * of the library itself. */
extern struct fake_gpu fake_gpus[GPUS + 1];
extern struct fake_instance fake_instances[GPUS][INSTANCES];
extern int fake_gpu_count;
extern bool fake_started;

/* --- fake_profile.c */
double fake_now(void);
nvml_return fake_init(void);
const char *fake_look_up(const struct fake_gpu *gpu, const char *key);
bool fake_is_lost(const struct fake_gpu *gpu);
struct fake_instance *fake_instance(nvml_device device);
/* What the profile says of a key: a number, a text, or a return code. */
nvml_return fake_answer(nvml_device device, const char *key, double *ret_number,
                        const char **ret_text);
nvml_return fake_number(nvml_device device, const char *key, unsigned *value);
nvml_return fake_two(nvml_device device, const char *key, unsigned *a, unsigned *b);
nvml_return fake_indexed(nvml_device device, const char *key, int index, unsigned *value);
nvml_return fake_wide(nvml_device device, const char *key, unsigned long long *value);
nvml_return fake_text(nvml_device device, const char *key, char *target, unsigned bytes);
nvml_return fake_library_text(const char *key, char *target, unsigned bytes);

/* --- fake_calls.c */
nvml_return fake_count(unsigned *count);
nvml_return fake_by_index(unsigned index, nvml_device *device);
nvml_return fake_by_pci(const char *id, nvml_device *device);
nvml_return fake_pci(nvml_device device, struct nvml_pci *pci);
nvml_return fake_memory(nvml_device d, unsigned long long *total, unsigned long long *reserved,
                        unsigned long long *used);
nvml_return fake_engine(nvml_device d, const char *key, unsigned *percent, unsigned *period);
nvml_return fake_processes(nvml_device d, const char *kind, size_t stride, unsigned *count,
                           unsigned char *records);
EXPORT nvml_return nvmlSystemGetCudaDriverVersion(int *version);

#define FAKE(name, parameters)              \
	EXPORT nvml_return name parameters; \
	nvml_return name parameters
#define PLAIN(function, key)                                        \
	FAKE(nvmlDeviceGet##function, (nvml_device d, unsigned *v)) \
	{                                                           \
		return fake_number(d, key, v);                      \
	}

#endif
