/* Samples as values, names of readings, and pairs of GPUs. Part of probe.h. */
#ifndef WHICHGPU_PROBE_SAMPLE_H
#define WHICHGPU_PROBE_SAMPLE_H

#include "whichgpu/probe.h"

void wg_sample_init(struct wg_sample *sample);
void wg_sample_done(struct wg_sample *sample);
/* No GPUs and notes, memory kept for the next filling. */
void wg_sample_clear(struct wg_sample *sample);
/* A new GPU, every reading NOT_SUPPORTED; NULL when memory is out or there are
 * WG_LIMIT_PROBE_GPUS already. The pointer is good until the next add. */
struct wg_probe_gpu *wg_sample_add(struct wg_sample *sample, const char *key);
/* false when memory is out or there are WG_LIMIT_PROBE_PROCESSES already. */
struct wg_probe_process *wg_sample_add_process(struct wg_probe_gpu *gpu, uint32_t pid);
bool wg_sample_copy(struct wg_sample *target, const struct wg_sample *source);
/* Place of the GPU with this key, or -1. */
long wg_sample_find(const struct wg_sample *sample, const char *key);
/* Every OK reading becomes STALE. */
void wg_sample_mark_stale(struct wg_sample *sample);
__attribute__((format(printf, 4, 5))) void wg_sample_note(struct wg_sample *sample,
                                                          const char *backend,
                                                          enum wg_probe_note_kind kind,
                                                          const char *format, ...);
/* Advice for the note added last. */
__attribute__((format(printf, 2, 3))) void wg_sample_advice(struct wg_sample *sample,
                                                            const char *format, ...);

const char *wg_reading_key(enum wg_reading_name reading);
const char *wg_reading_label(enum wg_reading_name reading);
enum wg_reading_unit wg_reading_unit(enum wg_reading_name reading);
enum wg_reading_kind wg_reading_kind(enum wg_reading_name reading);
bool wg_reading_find(const char *key, enum wg_reading_name *ret_reading);
const char *wg_probe_text_key(enum wg_probe_text_name text);
const char *wg_probe_text_label(enum wg_probe_text_name text);
const char *wg_probe_state_key(enum wg_probe_state state);
const char *wg_probe_state_words(enum wg_probe_state state);
const char *wg_probe_note_key(enum wg_probe_note_kind kind);
const char *wg_probe_vendor_key(enum wg_probe_vendor vendor);

/* The reading when its state is OK; else false. */
bool wg_reading_ok(const struct wg_probe_gpu *gpu, enum wg_reading_name reading, double *ret_value);

/* --- two GPUs ---------------------------------------------------------------- */
enum wg_probe_path { /* what lies between two GPUs */
	             WG_PATH_NOT_KNOWN,
	             WG_PATH_SAME_BOARD,
	             WG_PATH_ONE_SWITCH,
	             WG_PATH_SWITCHES,
	             WG_PATH_HOST_BRIDGE,
	             WG_PATH_SAME_NUMA,
	             WG_PATH_ACROSS_NUMA
};
enum wg_probe_peer { /* may one read the other's memory? */
	             WG_PEER_STATE_NOT_KNOWN,
	             WG_PEER_STATE_OK,
	             WG_PEER_STATE_CHIPSET,
	             WG_PEER_STATE_GPU,
	             WG_PEER_STATE_TOPOLOGY,
	             WG_PEER_STATE_DISABLED,
	             WG_PEER_STATE_NOT_SUPPORTED
};
struct wg_probe_pair {
	char key_a[64], key_b[64];
	enum wg_probe_path path;
	enum wg_probe_peer read, write, nvlink;
};

/* Every pair a backend can tell of; *ret_pairs is malloc'ed: free() it. */
enum wg_status wg_probe_pairs(struct wg_probe *probe, struct wg_probe_pair **ret_pairs,
                              size_t *ret_count, struct wg_error *error);

/* Bits of THROTTLE_REASONS, as NVML numbers them (its header, "clocks event reasons"). */
enum {
	WG_THROTTLE_IDLE = 0x1,
	WG_THROTTLE_APPLICATION = 0x2,
	WG_THROTTLE_POWER_CAP = 0x4,
	WG_THROTTLE_HW_SLOWDOWN = 0x8,
	WG_THROTTLE_SYNC_BOOST = 0x10,
	WG_THROTTLE_SW_THERMAL = 0x20,
	WG_THROTTLE_HW_THERMAL = 0x40,
	WG_THROTTLE_POWER_BRAKE = 0x80,
	WG_THROTTLE_DISPLAY = 0x100
};
/* Those that cost speed under load: not idle, a chosen clock or a display. */
#define WG_THROTTLE_HARMFUL                                                         \
	(WG_THROTTLE_POWER_CAP | WG_THROTTLE_HW_SLOWDOWN | WG_THROTTLE_SW_THERMAL | \
	 WG_THROTTLE_HW_THERMAL | WG_THROTTLE_POWER_BRAKE)
/* "power cap, heat (hardware)"; "" for none. */
void wg_throttle_words(unsigned reasons, char *buffer, size_t buffer_bytes);

#endif
