/* The sampler with a driver that answers, hangs, and hangs for good. */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

#include "whichgpu/sampler.h"

#define FAKE WG_BUILD_ROOT "/tests/fake-nvml/libnvidia-ml.so.1"
#define PROFILES WG_SOURCE_ROOT "/tests/fake-nvml/profiles/"

static struct wg_sampler *sampler;
static struct wg_sample sample;
static struct wg_error error;

static void begin(struct wg_sampler_options options)
{
	wg_sample_init(&sample);
	check_status(wg_sampler_open(&options, &sampler, &error), WG_OK, &error);
}

static void end(void)
{
	wg_sampler_free(sampler);
	wg_sample_done(&sample);
}

static void samples_come_at_the_interval(void **state)
{
	uint64_t number;
	double begun = wg_clock_s();

	begin((struct wg_sampler_options){
		.probe = { .demo_gpus = 3 }, .interval_s = 0.02, .timeout_s = 5 });
	assert_true(wg_sampler_wait(sampler, 9, 20));
	assert_true(wg_clock_s() - begun >= 9 * 0.02 - 0.001);
	check_status(wg_sampler_get(sampler, &sample, &number, &error), WG_OK, &error);
	assert_true(number >= 10);
	assert_int_equal(sample.count, 3);
	assert_int_equal(sample.gpus[0].readings[WG_READ_POWER].state, WG_PROBE_OK);
	end();
}

static void a_hung_call_makes_stale_and_passes(void **state)
{
	uint64_t number = 0;
	bool stale = false;

	setenv("FAKE_NVML_PROFILE", PROFILES "hang.profile", 1);
	begin((struct wg_sampler_options){ .probe = { .nvml_path = FAKE, .root = "/nonexistent" },
	                                   .interval_s = 0.01,
	                                   .timeout_s = 0.2 });
	/* The profile's call sleeps for a second: before the first sample there is
	 * nothing, which is said; after it there is something, and then it is old. */
	usleep(400000);
	check_status(wg_sampler_get(sampler, &sample, &number, &error), WG_OK, &error);
	assert_int_equal(number, 0);
	assert_int_equal(sample.count, 0);
	assert_int_equal(sample.notes[sample.note_count - 1].kind, WG_PROBE_NOTE_HUNG);
	assert_true(wg_sampler_wait(sampler, 0, 20));
	for (int i = 0; i < 200 && !stale; i++) {
		usleep(10000);
		check_status(wg_sampler_get(sampler, &sample, &number, &error), WG_OK, &error);
		stale = sample.gpus[0].readings[WG_READ_TEMPERATURE].state == WG_PROBE_STALE;
	}
	assert_true(stale);
	check_close(sample.gpus[0].readings[WG_READ_TEMPERATURE].value, 48, 0);
	end();
}

static void getting_never_waits_for_the_driver(void **state)
{
	double begun;

	setenv("FAKE_NVML_PROFILE", PROFILES "hang.profile", 1);
	begin((struct wg_sampler_options){ .probe = { .nvml_path = FAKE, .root = "/nonexistent" },
	                                   .interval_s = 0.01,
	                                   .timeout_s = 0.1 });
	usleep(50000);
	begun = wg_clock_s();
	for (int i = 0; i < 100; i++)
		check_status(wg_sampler_get(sampler, &sample, NULL, &error), WG_OK, &error);
	assert_true(wg_clock_s() - begun < 0.5);
	end();
}

static enum wg_status fail_at_third(void *context, const struct wg_sample *taken,
                                    struct wg_error *failure)
{
	int *count = context;

	if (++*count < 3)
		return WG_OK;
	return wg_error_set(failure, WG_SYSTEM, "no room for sample %d", *count);
}

static void an_error_in_the_thread_is_handed_out(void **state)
{
	int count = 0;

	begin((struct wg_sampler_options){ .probe = { .demo_gpus = 1 },
	                                   .interval_s = 0.001,
	                                   .timeout_s = 5,
	                                   .on_sample = fail_at_third,
	                                   .context = &count });
	assert_false(wg_sampler_wait(sampler, 100, 20));
	assert_int_equal(wg_sampler_get(sampler, &sample, NULL, &error), WG_SYSTEM);
	check_contains(error.message, "no room");
	assert_int_equal(count, 3);
	end();
}

static void *keep_getting(void *opaque)
{
	struct wg_sample mine;
	bool *stop = opaque;

	wg_sample_init(&mine);
	while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		if (wg_sampler_get(sampler, &mine, NULL, NULL) != WG_OK)
			break;
	}
	wg_sample_done(&mine);
	return NULL;
}

static void many_threads_may_ask(void **state)
{
	pthread_t threads[4];
	bool stop = false;

	begin((struct wg_sampler_options){
		.probe = { .demo_gpus = 8 }, .interval_s = 0.001, .timeout_s = 5 });
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, keep_getting, &stop), 0);
	assert_true(wg_sampler_wait(sampler, 50, 30));
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_come_at_the_interval),
		cmocka_unit_test(a_hung_call_makes_stale_and_passes),
		cmocka_unit_test(getting_never_waits_for_the_driver),
		cmocka_unit_test(an_error_in_the_thread_is_handed_out),
		cmocka_unit_test(many_threads_may_ask),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
