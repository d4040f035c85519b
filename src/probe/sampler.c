/* Sampling in a thread, reading from any other. */
#include "whichgpu/sampler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FREE_PATIENCE_S 2.0

/* Shared by the thread and its owner; whoever leaves last takes it down. */
struct wg_sampler {
	struct wg_sampler_options options;
	char *nvml_path, *root, *replay_path;
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* a sample came, the thread ended, or it should stop */
	pthread_t thread;
	/* Used by the thread alone; kept until the end, since a replayed sample points
	 * into it. */
	struct wg_probe *probe;
	struct wg_sample latest;
	uint64_t number;
	double begun_s; /* clock at the beginning of the first sample */
	bool stop, ended;
	bool owner_left; /* free gave up waiting */
	enum wg_status status;
	struct wg_error error;
};

double wg_clock_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double wg_time_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void take_down(struct wg_sampler *sampler)
{
	pthread_mutex_destroy(&sampler->mutex);
	pthread_cond_destroy(&sampler->changed);
	wg_sample_done(&sampler->latest);
	wg_probe_free(sampler->probe);
	free(sampler->nvml_path);
	free(sampler->root);
	free(sampler->replay_path);
	free(sampler);
}

/* Waits with the mutex held until the clock says until_s; false then. */
static bool wait_until(struct wg_sampler *sampler, double until_s)
{
	struct timespec t = { .tv_sec = (time_t)until_s };

	t.tv_nsec = (long)((until_s - (double)t.tv_sec) * 1e9);
	return pthread_cond_timedwait(&sampler->changed, &sampler->mutex, &t) == 0;
}

static void publish(struct wg_sampler *sampler, struct wg_sample *work)
{
	struct wg_sample swap = sampler->latest;

	sampler->latest = *work;
	*work = swap;
	sampler->number++;
	pthread_cond_broadcast(&sampler->changed);
}

/* Samples until told to stop; the mutex is free while the driver is asked. */
static enum wg_status sample_all(struct wg_sampler *sampler, struct wg_probe *probe,
                                 struct wg_sample *work, struct wg_error *error)
{
	double next_s = wg_clock_s();
	enum wg_status status = WG_OK;

	while (status == WG_OK) {
		bool stop;

		status = wg_probe_sample(probe, wg_clock_s(), wg_time_s(), work, error);
		if (status == WG_OK && sampler->options.on_sample && !work->ended)
			status = sampler->options.on_sample(sampler->options.context, work, error);
		if (status != WG_OK)
			return status;
		next_s += sampler->options.interval_s;
		/* After a slow driver: no burst to make up for it. */
		if (next_s < wg_clock_s())
			next_s = wg_clock_s();
		pthread_mutex_lock(&sampler->mutex);
		publish(sampler, work);
		while (!sampler->stop && wg_clock_s() < next_s)
			wait_until(sampler, next_s);
		stop = sampler->stop;
		pthread_mutex_unlock(&sampler->mutex);
		if (stop)
			break;
	}
	return status;
}

static void *run(void *opaque)
{
	struct wg_sampler *sampler = opaque;
	struct wg_sample work;
	struct wg_error error;
	enum wg_status status;
	bool alone;

	wg_error_init(&error);
	wg_sample_init(&work);
	status = wg_probe_open(&sampler->options.probe, &sampler->probe, &error);
	if (status == WG_OK)
		status = sample_all(sampler, sampler->probe, &work, &error);
	wg_sample_done(&work);
	pthread_mutex_lock(&sampler->mutex);
	sampler->status = status;
	sampler->error = error;
	sampler->ended = true;
	alone = sampler->owner_left;
	pthread_cond_broadcast(&sampler->changed);
	pthread_mutex_unlock(&sampler->mutex);
	if (alone)
		take_down(sampler);
	return NULL;
}

static bool copy_string(const char *source, char **ret_copy)
{
	if (!source)
		return true;
	*ret_copy = strdup(source);
	return *ret_copy != NULL;
}

static bool copy_options(struct wg_sampler *sampler, const struct wg_sampler_options *options)
{
	sampler->options = *options;
	if (!copy_string(options->probe.nvml_path, &sampler->nvml_path) ||
	    !copy_string(options->probe.root, &sampler->root) ||
	    !copy_string(options->probe.replay_path, &sampler->replay_path))
		return false;
	sampler->options.probe.nvml_path = sampler->nvml_path;
	sampler->options.probe.root = sampler->root;
	sampler->options.probe.replay_path = sampler->replay_path;
	return true;
}

enum wg_status wg_sampler_open(const struct wg_sampler_options *options,
                               struct wg_sampler **ret_sampler, struct wg_error *error)
{
	struct wg_sampler *sampler = calloc(1, sizeof *sampler);
	pthread_condattr_t attributes;
	int result;

	if (!sampler)
		return wg_error_no_memory(error);
	pthread_mutex_init(&sampler->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&sampler->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	wg_sample_init(&sampler->latest);
	sampler->begun_s = wg_clock_s();
	if (!copy_options(sampler, options)) {
		take_down(sampler);
		return wg_error_no_memory(error);
	}
	result = pthread_create(&sampler->thread, NULL, run, sampler);
	if (result != 0) {
		take_down(sampler);
		return wg_error_system(error, result, "starting", "a thread");
	}
	*ret_sampler = sampler;
	return WG_OK;
}

bool wg_sampler_free(struct wg_sampler *sampler)
{
	double until_s = wg_clock_s() + FREE_PATIENCE_S;
	pthread_t thread;
	bool ended;

	if (!sampler)
		return true;
	pthread_mutex_lock(&sampler->mutex);
	sampler->stop = true;
	pthread_cond_broadcast(&sampler->changed);
	while (!sampler->ended && wg_clock_s() < until_s)
		wait_until(sampler, until_s);
	ended = sampler->ended;
	sampler->owner_left = !ended;
	thread = sampler->thread;
	pthread_mutex_unlock(&sampler->mutex);
	if (!ended) {
		/* From here on the sampler is the thread's: it may be gone already. */
		pthread_detach(thread);
		return false;
	}
	pthread_join(thread, NULL);
	take_down(sampler);
	return true;
}

enum wg_status wg_sampler_get(struct wg_sampler *sampler, struct wg_sample *sample,
                              uint64_t *ret_number, struct wg_error *error)
{
	enum wg_status status;
	double age_s;
	bool copied;

	pthread_mutex_lock(&sampler->mutex);
	status = sampler->status;
	if (status != WG_OK) {
		if (error)
			*error = sampler->error;
		pthread_mutex_unlock(&sampler->mutex);
		return status;
	}
	copied = wg_sample_copy(sample, &sampler->latest);
	age_s = wg_clock_s() - (sampler->number ? sampler->latest.clock_s : sampler->begun_s);
	if (ret_number)
		*ret_number = sampler->number;
	pthread_mutex_unlock(&sampler->mutex);
	if (!copied)
		return wg_error_no_memory(error);
	if (age_s > sampler->options.timeout_s && !sample->ended) {
		wg_sample_mark_stale(sample);
		wg_sample_note(sample, "probe", WG_PROBE_NOTE_HUNG,
		               "a driver call has not returned for %.0f s", age_s);
		wg_sample_advice(sample,
		                 "look at the kernel log; a GPU that hangs its driver usually "
		                 "needs a reset or a restart");
	}
	return WG_OK;
}

bool wg_sampler_wait(struct wg_sampler *sampler, uint64_t number, double patience_s)
{
	double until_s = wg_clock_s() + patience_s;
	bool came;

	pthread_mutex_lock(&sampler->mutex);
	while (sampler->number <= number && !sampler->ended && wg_clock_s() < until_s)
		wait_until(sampler, until_s);
	came = sampler->number > number;
	pthread_mutex_unlock(&sampler->mutex);
	return came;
}
