/* What a way to one vendor's GPUs offers. One file a backend, each ending in one
 * const entry that src/probe/probe.c names. */
#ifndef WHICHGPU_PROBE_BACKEND_H
#define WHICHGPU_PROBE_BACKEND_H

#include "whichgpu/probe.h"

struct wg_backend {
	const char *name;
	/* A missing library or no GPU is no error: open succeeds, sample notes it.
	 * Errors are no memory and a record that cannot be read. */
	enum wg_status (*open)(const struct wg_probe_options *options, void **ret_state,
	                       struct wg_error *error);
	void (*close)(void *state);
	/* Adds its GPUs and one note to the sample. sample->clock_s and time_s are set;
	 * a replay puts the record's time there instead. */
	enum wg_status (*sample)(void *state, struct wg_sample *sample, struct wg_error *error);
	/* Pairs of GPUs, NULL when the backend cannot tell. Appends through add. */
	enum wg_status (*pairs)(void *state,
	                        bool (*add)(void *list, const struct wg_probe_pair *pair),
	                        void *list, struct wg_error *error);
};

extern const struct wg_backend wg_backend_nvml;
extern const struct wg_backend wg_backend_amdgpu;
extern const struct wg_backend wg_backend_intel;
extern const struct wg_backend wg_backend_replay;
extern const struct wg_backend wg_backend_demo;

/* value * scale; for a scale that is a decimal fraction by division, so that 88.25 %
 * is 0.8825 and not its neighbour. */
static inline double wg_scaled(double value, double scale)
{
	return scale < 1 ? value / __builtin_nearbyint(1 / scale) : value * scale;
}

/* State OK. */
static inline void wg_reading_set(struct wg_probe_gpu *gpu, enum wg_reading_name name, double value,
                                  const char *call)
{
	gpu->readings[name] =
		(struct wg_reading){ .value = value, .call = call, .state = WG_PROBE_OK };
}

/* No value: NaN with that state. */
static inline void wg_reading_miss(struct wg_probe_gpu *gpu, enum wg_reading_name name,
                                   enum wg_probe_state state, const char *call)
{
	gpu->readings[name] =
		(struct wg_reading){ .value = __builtin_nan(""), .call = call, .state = state };
}

/* Sanitised and cut to what fits; "" gives NOT_SUPPORTED. */
void wg_probe_text_set(struct wg_probe_gpu *gpu, enum wg_probe_text_name name, const char *value);
/* Every reading and text LOST; processes gone. */
void wg_probe_gpu_lose(struct wg_probe_gpu *gpu, const char *call);

#endif
