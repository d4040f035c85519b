/* Samples as values, the tables of names, and the made-up GPUs. */
#include "check.h"

#include "probe/backend.h"
#include "whichgpu/limits.h"
#include "whichgpu/probe.h"

static void an_untouched_reading_is_no_zero(void **state)
{
	struct wg_sample sample;
	struct wg_probe_gpu *gpu;
	double value = 7;

	wg_sample_init(&sample);
	gpu = wg_sample_add(&sample, "0000:01:00.0");
	assert_non_null(gpu);
	for (int i = 0; i < WG_READING_COUNT; i++) {
		assert_int_equal(gpu->readings[i].state, WG_PROBE_NOT_SUPPORTED);
		assert_true(isnan(gpu->readings[i].value));
	}
	assert_false(wg_reading_ok(gpu, WG_READ_POWER, &value));
	check_close(value, 7, 0);
	wg_sample_done(&sample);
}

static void keys_are_unique_and_found(void **state)
{
	for (int i = 0; i < WG_READING_COUNT; i++) {
		enum wg_reading_name found;

		assert_true(wg_reading_find(wg_reading_key((enum wg_reading_name)i), &found));
		assert_int_equal(found, i);
		assert_true(wg_reading_label((enum wg_reading_name)i)[0] != '\0');
	}
}

static void states_are_those_of_the_interface(void **state)
{
	static const char *const keys[] = { "ok",         "not_supported", "no_permission",
		                            "not_in_mig", "lost",          "stale" };

	assert_int_equal(WG_PROBE_STATE_COUNT, sizeof keys / sizeof keys[0]);
	for (int i = 0; i < WG_PROBE_STATE_COUNT; i++) {
		bool found = false;

		for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
			found |= strcmp(wg_probe_state_key((enum wg_probe_state)i), keys[k]) == 0;
		assert_true(found);
	}
}

static void a_copy_is_whole_and_separate(void **state)
{
	struct wg_sample a, b;
	struct wg_probe_process *process;

	wg_sample_init(&a);
	wg_sample_init(&b);
	wg_sample_add(&a, "x");
	wg_reading_set(&a.gpus[0], WG_READ_POWER, 250, "test");
	process = wg_sample_add_process(&a.gpus[0], 42);
	assert_non_null(process);
	wg_sample_note(&a, "nvml", WG_PROBE_NOTE_OK, "all %s", "well");
	assert_true(wg_sample_copy(&b, &a));
	a.gpus[0].processes[0].pid = 43;
	a.gpus[0].readings[WG_READ_POWER].value = 1;
	assert_int_equal(b.count, 1);
	assert_int_equal(b.gpus[0].processes[0].pid, 42);
	check_close(b.gpus[0].readings[WG_READ_POWER].value, 250, 0);
	assert_string_equal(b.notes[0].message, "all well");
	wg_sample_mark_stale(&b);
	assert_int_equal(b.gpus[0].readings[WG_READ_POWER].state, WG_PROBE_STALE);
	check_close(b.gpus[0].readings[WG_READ_POWER].value, 250, 0);
	assert_int_equal(b.gpus[0].readings[WG_READ_FAN].state, WG_PROBE_NOT_SUPPORTED);
	wg_sample_done(&a);
	wg_sample_done(&b);
}

static void clearing_keeps_memory_for_reuse(void **state)
{
	struct wg_sample sample;
	struct wg_probe_gpu *gpus;

	wg_sample_init(&sample);
	for (int round = 0; round < 100; round++) {
		wg_sample_clear(&sample);
		for (int i = 0; i < 8; i++) {
			struct wg_probe_gpu *gpu = wg_sample_add(&sample, "k");

			for (unsigned p = 0; p < 20; p++)
				assert_non_null(wg_sample_add_process(gpu, p));
		}
		if (round == 0)
			gpus = sample.gpus;
		assert_ptr_equal(gpus, sample.gpus);
	}
	wg_sample_done(&sample);
}

static void limits_hold_at_their_edge(void **state)
{
	struct wg_sample sample;
	struct wg_probe_gpu *gpu;

	wg_sample_init(&sample);
	for (size_t i = 0; i < WG_LIMIT_PROBE_GPUS; i++)
		assert_non_null(wg_sample_add(&sample, "k"));
	assert_null(wg_sample_add(&sample, "one more"));
	gpu = &sample.gpus[0];
	for (size_t i = 0; i < WG_LIMIT_PROBE_PROCESSES; i++)
		assert_non_null(wg_sample_add_process(gpu, (uint32_t)i));
	assert_null(wg_sample_add_process(gpu, 1));
	wg_sample_done(&sample);
}

static void names_cannot_drive_a_terminal(void **state)
{
	struct wg_sample sample;
	struct wg_probe_gpu *gpu;

	wg_sample_init(&sample);
	gpu = wg_sample_add(&sample, "a\033[2Jb");
	assert_null(strchr(gpu->key, '\033'));
	wg_probe_text_set(gpu, WG_PROBE_TEXT_NAME, "bad \377 name\n");
	assert_null(strchr(gpu->texts[WG_PROBE_TEXT_NAME].value, '\n'));
	assert_null(strchr(gpu->texts[WG_PROBE_TEXT_NAME].value, '\377'));
	wg_sample_done(&sample);
}

static void throttle_bits_have_words(void **state)
{
	char words[200], small[10];

	wg_throttle_words(0, words, sizeof words);
	assert_string_equal(words, "");
	wg_throttle_words(0x44, words, sizeof words);
	assert_string_equal(words, "power cap, heat (hardware)");
	wg_throttle_words(0x1ff, small, sizeof small);
	assert_true(strlen(small) < sizeof small);
}

static void demo_follows_from_the_clock(void **state)
{
	struct wg_probe_options options = { .demo_gpus = 2 };
	struct wg_error error;
	struct wg_sample a, b;

	wg_sample_init(&a);
	wg_sample_init(&b);
	for (int i = 0; i < 2; i++) {
		struct wg_sample *sample = i == 0 ? &a : &b;
		struct wg_probe *probe;

		check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
		check_status(wg_probe_sample(probe, 100, 1e9, sample, &error), WG_OK, &error);
		wg_probe_free(probe);
	}
	assert_int_equal(a.count, 2);
	check_close(a.gpus[1].readings[WG_READ_POWER].value,
	            b.gpus[1].readings[WG_READ_POWER].value, 0);
	/* It says what it is, and leaves out what a consumer card leaves out. */
	check_contains(a.gpus[0].texts[WG_PROBE_TEXT_NAME].value, "Demo");
	assert_int_equal(a.gpus[1].readings[WG_READ_MEMORY_TEMPERATURE].state,
	                 WG_PROBE_NOT_SUPPORTED);
	assert_true(a.gpus[0].readings[WG_READ_BUSY].value >= 0 &&
	            a.gpus[0].readings[WG_READ_BUSY].value <= 1);
	wg_sample_done(&a);
	wg_sample_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_untouched_reading_is_no_zero),
		cmocka_unit_test(keys_are_unique_and_found),
		cmocka_unit_test(states_are_those_of_the_interface),
		cmocka_unit_test(a_copy_is_whole_and_separate),
		cmocka_unit_test(clearing_keeps_memory_for_reuse),
		cmocka_unit_test(limits_hold_at_their_edge),
		cmocka_unit_test(names_cannot_drive_a_terminal),
		cmocka_unit_test(throttle_bits_have_words),
		cmocka_unit_test(demo_follows_from_the_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
