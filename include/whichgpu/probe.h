/* Live readings of the GPUs of this machine, of a record, or of a made-up one.
 *
 * A probe asks each vendor's way in (a backend) and fills a sample: the GPUs,
 * MIG instances and partitions that were found, each with the readings of
 * readings.def. A reading is a value, a state and the call that gave it; what
 * could not be read is a state, never 0. A GPU that is lost stays in the sample
 * with its readings in state LOST, and comes back by its PCI address.
 *
 * Nothing is linked: vendor libraries are opened at run time and a missing one
 * is a note in the sample, not an error. The caller gives the time, so tests and
 * replays run in no time. A probe belongs to one thread at a time; probe/sampler.h
 * runs one in a thread of its own.
 *
 * Ownership: free the probe; done() the sample. Strings in a sample are sanitised
 * (no control characters, valid UTF-8). */
#ifndef WHICHGPU_PROBE_H
#define WHICHGPU_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "whichgpu/status.h"

enum wg_probe_state {
#define WG_PROBE_STATE(name, key, words) WG_PROBE_##name,
#include "whichgpu/probe_states.def"
#undef WG_PROBE_STATE
	WG_PROBE_STATE_COUNT
};

enum wg_reading_unit {
	WG_READING_IN_BYTES,
	WG_READING_IN_BYTES_PER_S,
	WG_READING_IN_RATIO /* 0..1 */,
	WG_READING_IN_HERTZ,
	WG_READING_IN_CELSIUS,
	WG_READING_IN_WATTS,
	WG_READING_IN_JOULES,
	WG_READING_IN_SECONDS,
	WG_READING_IN_COUNT,
	WG_READING_IN_FLAG /* 0 or 1 */,
	WG_READING_IN_ENUM,
	WG_READING_IN_BITS
};
enum wg_reading_kind { WG_READING_FIXED, WG_READING_GAUGE, WG_READING_COUNTER };

enum wg_reading_name {
#define WG_READING(name, key, unit, kind, label) WG_READ_##name,
#include "whichgpu/readings.def"
#undef WG_READING
	WG_READING_COUNT
};
enum wg_probe_text_name {
#define WG_PROBE_TEXT(name, key, label) WG_PROBE_TEXT_##name,
#include "whichgpu/probe_texts.def"
#undef WG_PROBE_TEXT
	WG_PROBE_TEXT_COUNT
};

struct wg_reading {
	double value;     /* with state OK; with STALE the last one, or NaN */
	const char *call; /* "nvmlDeviceGetPowerUsage"; NULL: nothing gives it. Static,
	                              of a replay as long-lived as the probe */
	enum wg_probe_state state;
};

struct wg_probe_text {
	char value[96]; /* "" unless state is OK or STALE */
	enum wg_probe_state state;
};

struct wg_probe_process {
	uint32_t pid;           /* as the driver numbers it: on the host */
	uint32_t container_pid; /* innermost PID namespace; 0 when it is in none */
	uint32_t user_id;       /* UINT32_MAX when not known */
	uint32_t parent_pid;    /* 0 when not known */
	bool visible;           /* found in /proc; in a container host pids are not */
	bool compute, graphics;
	char command[128];  /* "" when not known */
	char container[16]; /* first 12 letters of the container's id; "" for none */
	struct wg_reading memory_bytes, busy_ratio, encoder_ratio, decoder_ratio;
};

enum wg_probe_vendor { WG_PROBE_NVIDIA, WG_PROBE_AMD, WG_PROBE_INTEL, WG_PROBE_OTHER };
enum wg_probe_kind { WG_PROBE_WHOLE, WG_PROBE_INSTANCE /* MIG or partition */ };

struct wg_probe_gpu {
	char key[64]; /* PCI address, for an instance with its ids; stable over time */
	enum wg_probe_vendor vendor;
	enum wg_probe_kind kind;
	unsigned index; /* the vendor's own number; of the parent for an instance */
	int parent;     /* place of the parent in the sample; -1 for a whole GPU */
	int gpu_instance, compute_instance; /* -1: none */
	bool unified;                       /* its memory is the host's memory */
	bool lost;
	struct wg_probe_text texts[WG_PROBE_TEXT_COUNT];
	struct wg_reading readings[WG_READING_COUNT];
	enum wg_probe_state process_state;
	struct wg_probe_process *processes;
	size_t process_count, process_capacity;
};

enum wg_probe_note_kind {
#define WG_PROBE_NOTE(name, key) WG_PROBE_NOTE_##name,
#include "whichgpu/probe_notes.def"
#undef WG_PROBE_NOTE
	WG_PROBE_NOTE_COUNT
};

struct wg_probe_note {
	const char *backend; /* static: "nvml", "amdgpu", "intel", "replay", "demo" */
	enum wg_probe_note_kind kind;
	char message[192]; /* one sentence, no full stop */
	char advice[256];  /* what to do; "" when there is nothing to do */
};

#define WG_PROBE_NOTES 8
struct wg_sample {
	double time_s;  /* Unix time */
	double clock_s; /* the caller's clock, for differences */
	struct wg_probe_gpu *gpus;
	size_t count, capacity;
	struct wg_probe_note notes[WG_PROBE_NOTES];
	size_t note_count;
	bool ended; /* a replay has no further sample; this is the last one again */
};

struct wg_probe_options {
	const char *nvml_path;   /* NULL: the usual names */
	const char *root;        /* put before /sys and /proc; NULL: "" */
	const char *replay_path; /* a record: nothing else is opened */
	unsigned demo_gpus;      /* > 0: so many made-up GPUs: nothing else is opened */
	bool no_processes;
};

struct wg_probe;

/* WG_OK also when there is no GPU at all: see the notes of the sample. */
enum wg_status wg_probe_open(const struct wg_probe_options *options, struct wg_probe **ret_probe,
                             struct wg_error *error);
void wg_probe_free(struct wg_probe *probe);
/* clock_s: any clock that does not run backwards; time_s: Unix time. */
enum wg_status wg_probe_sample(struct wg_probe *probe, double clock_s, double time_s,
                               struct wg_sample *sample, struct wg_error *error);

#include "whichgpu/probe_sample.h"

#endif
