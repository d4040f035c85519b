/* A probe in a thread of its own, so that a driver call that hangs stops nothing
 * else: whoever asks gets the latest sample at once, marked stale when it is older
 * than the timeout, with a note that says so.
 *
 * All functions may be called from any thread. Free the sampler; when its thread is
 * stuck inside a driver, free returns after a short wait and the thread takes the
 * rest down when, if ever, the driver lets it go. */
#ifndef WHICHGPU_SAMPLER_H
#define WHICHGPU_SAMPLER_H

#include "whichgpu/probe.h"

struct wg_sampler;

struct wg_sampler_options {
	struct wg_probe_options probe; /* strings are copied */
	double interval_s;             /* between the beginnings of two samples */
	double timeout_s;              /* a sample older than this is stale */
	/* Called in the sampler's thread after each sample, NULL: no one. An error ends
	 * the sampling and is handed out by get. */
	enum wg_status (*on_sample)(void *context, const struct wg_sample *sample,
	                            struct wg_error *error);
	void *context;
};

enum wg_status wg_sampler_open(const struct wg_sampler_options *options,
                               struct wg_sampler **ret_sampler, struct wg_error *error);
/* false: the thread is stuck and was left behind; what `context` points to must then
 * stay, since on_sample may still be called. */
bool wg_sampler_free(struct wg_sampler *sampler);

/* The latest sample into an initialised one. *ret_number (NULL allowed): how many
 * were taken so far; 0: none yet, and the sample is empty. Fails with the error that
 * ended the sampling. */
enum wg_status wg_sampler_get(struct wg_sampler *sampler, struct wg_sample *sample,
                              uint64_t *ret_number, struct wg_error *error);
/* Waits until more than `number` samples were taken, or patience is over (false). */
bool wg_sampler_wait(struct wg_sampler *sampler, uint64_t number, double patience_s);

/* Seconds of the clock that never runs back; Unix time. */
double wg_clock_s(void);
double wg_time_s(void);

#endif
