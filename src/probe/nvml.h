/* Inside of the NVML backend: the loaded library and what is kept of a device. */
#ifndef WHICHGPU_PROBE_NVML_H
#define WHICHGPU_PROBE_NVML_H

#include "probe/backend.h"
#include "probe/nvml_abi.h"
#include "probe/proc.h"

struct nvml_api {
	void *library;
#define NVML_CALL(member, parameters, needed, ...) nvml_return(*member) parameters;
#include "probe/nvml_calls.def"
#undef NVML_CALL
	struct { /* the name that was found; the newest when none was */
#define NVML_CALL(member, parameters, needed, ...) const char *member;
#include "probe/nvml_calls.def"
#undef NVML_CALL
	} called;
};

/* A GPM reading needs two samples some time apart: the older one is kept. */
struct nvml_gpm {
	nvml_gpm_sample samples[2];
	unsigned newest;
	bool have_one;
	double taken_s;
};

#define NVML_MIG_MOST 8
struct nvml_device_state {
	nvml_device handle;
	unsigned index;
	char pci[40];
	bool denied; /* counted, but not ours to open */
	bool lost;
	double retry_s; /* clock of the next try to get it back */
	bool fixed_known;
	double fixed_s; /* clock of the last reading of what hardly changes */
	bool gpm_supported;
	struct nvml_gpm gpm;
	struct nvml_gpm instance_gpm[NVML_MIG_MOST];
	unsigned long long process_since_us;
	unsigned xid_last, xid_count;
	bool mig_on;
	struct wg_probe_gpu last; /* for what is read seldom and for stale values; no processes */
};

struct nvml_state {
	struct nvml_api api;
	bool loaded, started;
	nvml_return start_result;
	char load_message[192];
	double restart_s; /* clock of the next try to start NVML anew */
	char driver[NVML_VERSION_BYTES], version[NVML_VERSION_BYTES], cuda[16];
	struct nvml_device_state *devices;
	size_t device_count;
	unsigned listed_count; /* devices at the last walk, when listed */
	bool listed;
	nvml_event_set events;
	struct nvml_gpm_query *query;
	unsigned char *records; /* processes: 32 bytes each, whatever the driver's stride */
	size_t record_capacity;
	struct wg_proc proc;
	char root[256];
	double clock_s; /* of the sample being taken */
	bool no_processes;
};

/* One reading pass over one device: where answers go, and what they meant. */
struct nvml_pass {
	struct nvml_state *state;
	struct nvml_device_state *device;
	nvml_device handle;
	struct wg_probe_gpu *gpu;
	const struct wg_probe_gpu *last; /* NULL: none */
	bool instance;                   /* a MIG instance, not the whole GPU */
	bool lost;                       /* a call said so */
};

/* nvml_load.c: path NULL tries the usual names. On false message says why. */
bool nvml_load(struct nvml_api *api, const char *path, char *message, size_t message_bytes);
void nvml_unload(struct nvml_api *api);

/* nvml_read.c */
enum wg_probe_state nvml_state_of(nvml_return result);
/* Takes an answer: OK sets value; a passing failure keeps the last value as stale;
 * an answer that is there already is kept. */
void nvml_take(struct nvml_pass *pass, enum wg_reading_name name, nvml_return result, double value,
               const char *call);
void nvml_read_memory(struct nvml_pass *pass);
void nvml_read_gauges(struct nvml_pass *pass);
void nvml_read_fixed(struct nvml_pass *pass);
void nvml_read_texts(struct nvml_pass *pass);

/* nvml_more.c */
void nvml_read_gpm(struct nvml_pass *pass, struct nvml_gpm *gpm, int gpu_instance);
void nvml_read_events(struct nvml_state *state);
void nvml_read_processes(struct nvml_pass *pass);
enum wg_status nvml_read_instances(struct nvml_state *state, struct nvml_device_state *device,
                                   struct wg_sample *sample, size_t parent, struct wg_error *error);
void nvml_gpm_done(struct nvml_state *state, struct nvml_gpm *gpm);
/* Number of records; stride is 16, 24 or 32. Exposed for its test. */
size_t nvml_record_stride(const unsigned char *records, size_t count, unsigned char poison);

#endif
