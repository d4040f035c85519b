/* The NVML backend against the stand-in library, profile by profile. Expectations
 * are the profiles' numbers in SI units, worked out by hand. */
#include "check.h"

#include <dlfcn.h>
#include <time.h>

#include "probe/nvml.h"
#include "whichgpu/probe.h"

#define FAKE WG_BUILD_ROOT "/tests/fake-nvml/libnvidia-ml.so.1"
#define FAKE_OLD WG_BUILD_ROOT "/tests/fake-nvml/libnvidia-ml-old.so.1"
#define PROFILES WG_SOURCE_ROOT "/tests/fake-nvml/profiles/"

static struct wg_probe *probe;
static struct wg_sample sample;
static struct wg_error error;
static void *library;
static void (*fake_clock)(double);
static void (*fake_line)(const char *);
static double clock_s;
/* No kernel files, so that GPUs of the machine itself stay out. */
static const char *root = "/nonexistent";
static char path_of[64];

static void begin(const char *path, const char *profile)
{
	struct wg_probe_options options = { .nvml_path = path, .root = root };
	void *symbol;

	setenv("FAKE_NVML_PROFILE", profile, 1);
	library = dlopen(path, RTLD_NOW);
	assert_non_null(library);
	symbol = dlsym(library, "fake_nvml_clock");
	memcpy(&fake_clock, &symbol, sizeof symbol);
	symbol = dlsym(library, "fake_nvml_line");
	memcpy(&fake_line, &symbol, sizeof symbol);
	fake_clock(clock_s = 0);
	wg_sample_init(&sample);
	check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
}

static void look(double at_s)
{
	fake_clock(clock_s = at_s);
	check_status(wg_probe_sample(probe, at_s, 1.7e9 + at_s, &sample, &error), WG_OK, &error);
}

static void end(void)
{
	wg_probe_free(probe);
	wg_sample_done(&sample);
	dlclose(library);
}

static const struct wg_reading *at(size_t gpu, enum wg_reading_name name)
{
	assert_true(gpu < sample.count);
	return &sample.gpus[gpu].readings[name];
}

#define reads(gpu, name, expected)                                             \
	do {                                                                   \
		assert_int_equal(at(gpu, WG_READ_##name)->state, WG_PROBE_OK); \
		check_close(at(gpu, WG_READ_##name)->value, expected, 1e-9);   \
	} while (0)
#define misses(gpu, name, expected) \
	assert_int_equal(at(gpu, WG_READ_##name)->state, WG_PROBE_##expected)

static void two_cards_are_read_whole(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	assert_int_equal(sample.count, 2);
	assert_string_equal(sample.gpus[0].texts[WG_PROBE_TEXT_NAME].value,
	                    "NVIDIA A100-SXM4-80GB");
	assert_string_equal(sample.gpus[0].key, "0000:07:00.0");
	assert_string_equal(sample.gpus[0].texts[WG_PROBE_TEXT_PCI_DEVICE].value, "10de:20b2");
	assert_string_equal(sample.gpus[0].texts[WG_PROBE_TEXT_COMPUTE_CAPABILITY].value, "8.0");
	assert_string_equal(sample.gpus[0].texts[WG_PROBE_TEXT_API].value, "12.4");
	reads(0, MEMORY_TOTAL, 85899345920.0);
	reads(0, MEMORY_USED, 42949672960.0);
	reads(0, MEMORY_RESERVED, 648019968.0);
	reads(0, BUSY, 0.97);
	reads(0, SM_CLOCK, 1395e6);
	reads(0, TEMPERATURE, 61);
	reads(0, MEMORY_TEMPERATURE, 58);
	reads(0, POWER, 352.25);
	reads(0, POWER_LIMIT, 400);
	reads(0, ENERGY, 1000);
	reads(0, NVLINK_SPEED, 25e9);
	reads(0, NVLINK_ACTIVE, 2);
	reads(0, ECC_CORRECTED_LIFE, 2);
	reads(0, XID_COUNT, 0);
	/* What a passively cooled A100 and a GeForce do not tell. */
	misses(0, FAN, NOT_SUPPORTED);
	reads(1, FAN, 0.38);
	misses(1, MEMORY_TEMPERATURE, NOT_SUPPORTED);
	misses(1, ECC_MODE, NOT_SUPPORTED);
	misses(1, SM_ACTIVE, NOT_SUPPORTED);
	reads(1, POWER_AVERAGE, 287.1);
	reads(1, POWER_INSTANT, 291.5);
	end();
}

static void the_call_is_named(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	assert_string_equal(at(0, WG_READ_MEMORY_USED)->call, "nvmlDeviceGetMemoryInfo_v2");
	assert_string_equal(at(0, WG_READ_THROTTLE_REASONS)->call,
	                    "nvmlDeviceGetCurrentClocksEventReasons");
	assert_string_equal(at(1, WG_READ_MEMORY_TEMPERATURE)->call, "nvmlDeviceGetFieldValues");
	end();
}

static void counters_give_rates(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	misses(0, PCIE_TX_RATE, NOT_SUPPORTED);
	look(2);
	reads(0, PCIE_TX_RATE, 5e6);
	reads(0, PCIE_RX_RATE, 7e6);
	/* Field 138 counts KiB, 1000 of them a second. */
	reads(0, NVLINK_TX_RATE, 1024000);
	reads(0, ENERGY, 1000 + 2 * 352.25);
	end();
}

static void processes_have_memory_and_use(void **state)
{
	const struct wg_probe_gpu *gpu;

	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	gpu = &sample.gpus[1];
	assert_int_equal(gpu->process_state, WG_PROBE_OK);
	assert_int_equal(gpu->process_count, 2);
	assert_int_equal(gpu->processes[0].pid, 4712);
	assert_true(gpu->processes[0].compute);
	check_close(gpu->processes[0].memory_bytes.value, 17825792000.0, 0);
	check_close(gpu->processes[0].busy_ratio.value, 0.5, 1e-12);
	assert_true(gpu->processes[1].graphics);
	reads(1, PROCESS_COUNT, 2);
	end();
}

static void an_old_driver_still_reads(void **state)
{
	begin(FAKE_OLD, PROFILES "old.profile");
	look(0);
	assert_int_equal(sample.count, 1);
	/* The first form has no reserved part. */
	reads(0, MEMORY_USED, 1073741824.0);
	misses(0, MEMORY_RESERVED, NOT_SUPPORTED);
	assert_string_equal(at(0, WG_READ_MEMORY_USED)->call, "nvmlDeviceGetMemoryInfo");
	assert_string_equal(at(0, WG_READ_THROTTLE_REASONS)->call,
	                    "nvmlDeviceGetCurrentClocksThrottleReasons");
	reads(0, TEMPERATURE, 39);
	reads(0, PERFORMANCE_STATE, 0);
	reads(0, ECC_CORRECTED, 3);
	reads(0, ECC_UNCORRECTED, 1);
	reads(0, THROTTLE_POWER, 5);
	assert_int_equal(sample.gpus[0].process_count, 2);
	check_close(sample.gpus[0].processes[1].memory_bytes.value, 536870912.0, 0);
	misses(0, MIG_MODE, NOT_SUPPORTED);
	end();
}

static void the_longer_process_record_is_found_out(void **state)
{
	const struct wg_probe_gpu *gpu;

	begin(FAKE, PROFILES "r535.profile");
	look(0);
	gpu = &sample.gpus[0];
	assert_int_equal(gpu->process_count, 4);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(gpu->processes[i].pid, 100 * (i + 1));
	check_close(gpu->processes[1].memory_bytes.value, 2e9, 0);
	assert_int_equal(gpu->processes[2].memory_bytes.state, WG_PROBE_NOT_SUPPORTED);
	check_close(gpu->processes[3].memory_bytes.value, 4e8, 0);
	end();
}

static void stride_of_any_number_of_records(void **state)
{
	unsigned char buffer[64 * 32];

	for (unsigned count = 1; count <= 64; count++) {
		struct nvml_process_535 record = { .pid = 5, .gpu_instance = NVML_NO_INSTANCE };

		memset(buffer, 0xa5, sizeof buffer);
		for (unsigned i = 0; i < count; i++)
			memcpy(buffer + i * 32u, &record, 32);
		assert_int_equal(nvml_record_stride(buffer, count, 0xa5), 32);
		memset(buffer, 0xa5, sizeof buffer);
		for (unsigned i = 0; i < count; i++)
			memcpy(buffer + i * 24u, &record, 24);
		assert_int_equal(nvml_record_stride(buffer, count, 0xa5), 24);
	}
}

static void mig_instances_are_rows_of_their_own(void **state)
{
	begin(FAKE, PROFILES "a100-mig.profile");
	look(0);
	assert_int_equal(sample.count, 4);
	reads(0, MIG_MODE, 1);
	misses(0, BUSY, NOT_IN_MIG);
	misses(0, MEMORY_USED, NO_PERMISSION);
	assert_false(sample.gpus[0].unified);
	assert_int_equal(sample.gpus[1].kind, WG_PROBE_INSTANCE);
	assert_int_equal(sample.gpus[1].parent, 0);
	assert_string_equal(sample.gpus[1].key, "0000:0f:00.0/1/0");
	assert_string_equal(sample.gpus[1].texts[WG_PROBE_TEXT_PROFILE].value, "3g.20gb");
	reads(1, MEMORY_TOTAL, 21072183296.0);
	reads(1, UNITS, 42);
	misses(1, BUSY, NOT_IN_MIG);
	/* Slot 3 is empty, slot 4 is not. */
	assert_string_equal(sample.gpus[3].key, "0000:0f:00.0/9/0");
	reads(3, MEMORY_USED, 4e9);
	end();
}

static void gpm_needs_two_samples(void **state)
{
	begin(FAKE, PROFILES "h100-8.profile");
	look(0);
	assert_int_equal(sample.count, 8);
	misses(0, SM_ACTIVE, NOT_SUPPORTED);
	look(1);
	reads(7, SM_ACTIVE, 0.8825);
	reads(7, TENSOR_ACTIVE, 0.475);
	reads(7, DRAM_ACTIVE, 0.525);
	/* Too soon for another pair: the last answers stay. */
	look(1.02);
	reads(7, SM_ACTIVE, 0.8825);
	reads(0, POWER_AVERAGE, 632);
	reads(0, POWER_INSTANT, 625.7);
	reads(0, RECOVERY_ACTION, 0);
	end();
}

static void sixty_four_gpus(void **state)
{
	begin(FAKE, PROFILES "h100-64.profile");
	look(0);
	look(1);
	assert_int_equal(sample.count, 64);
	reads(63, BUSY, 1);
	assert_string_not_equal(sample.gpus[0].key, sample.gpus[63].key);
	end();
}

static void one_lost_gpu_does_not_stop_the_other(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	fake_line("@0 lost = 5 20");
	look(5);
	assert_int_equal(sample.count, 2);
	assert_true(sample.gpus[0].lost);
	misses(0, POWER, LOST);
	assert_string_equal(sample.gpus[0].texts[WG_PROBE_TEXT_NAME].value,
	                    "NVIDIA A100-SXM4-80GB");
	reads(1, POWER, 287.1);
	look(12);
	misses(0, BUSY, LOST);
	/* Back by its PCI address, a few seconds after it answers again. */
	look(21);
	look(27);
	assert_false(sample.gpus[0].lost);
	reads(0, POWER, 352.25);
	reads(0, POWER_LIMIT, 400);
	end();
}

static void a_gpu_that_is_not_ours_keeps_its_row(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	/* Known to the library only after init read the profile. */
	look(0);
	end();
	begin(FAKE, PROFILES "denied.profile");
	look(0);
	assert_int_equal(sample.count, 2);
	misses(0, POWER, NO_PERMISSION);
	assert_int_equal(sample.gpus[0].process_state, WG_PROBE_NO_PERMISSION);
	reads(1, TEMPERATURE, 41);
	end();
}

static void a_failing_call_costs_one_reading(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	fake_line("@0 Temperature = error 999");
	fake_line("@0 PowerUsage = error 4");
	fake_line("@0 UtilizationRates = error 3");
	look(1);
	/* Unknown errors pass: the last value stays, marked. */
	misses(0, TEMPERATURE, STALE);
	check_close(at(0, WG_READ_TEMPERATURE)->value, 61, 0);
	misses(0, POWER, NO_PERMISSION);
	assert_true(isnan(at(0, WG_READ_POWER)->value));
	misses(0, BUSY, NOT_SUPPORTED);
	reads(0, MEMORY_USED, 42949672960.0);
	fake_line("@0 Temperature = 62");
	look(2);
	reads(0, TEMPERATURE, 62);
	end();
}

/* Each return code of NVML's list as the answer of one call. */
static void every_return_code_has_a_state(void **state)
{
	static const struct {
		int code;
		enum wg_probe_state state;
	} codes[] = {
		{ 1, WG_PROBE_STALE },          { 2, WG_PROBE_NOT_SUPPORTED },
		{ 3, WG_PROBE_NOT_SUPPORTED },  { 4, WG_PROBE_NO_PERMISSION },
		{ 6, WG_PROBE_NOT_SUPPORTED },  { 10, WG_PROBE_STALE },
		{ 13, WG_PROBE_NOT_SUPPORTED }, { 15, WG_PROBE_LOST },
		{ 16, WG_PROBE_LOST },          { 17, WG_PROBE_NO_PERMISSION },
		{ 21, WG_PROBE_STALE },         { 25, WG_PROBE_NOT_SUPPORTED },
		{ 26, WG_PROBE_NOT_SUPPORTED }, { 27, WG_PROBE_STALE },
		{ 28, WG_PROBE_LOST },          { 999, WG_PROBE_STALE },
	};

	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
		char line[64];

		snprintf(line, sizeof line, "@1 FanSpeed = error %d", codes[i].code);
		fake_line(line);
		look(10 * (double)(i + 1));
		assert_int_equal(at(1, WG_READ_FAN)->state, codes[i].state);
		fake_line("@1 FanSpeed = 38");
		look(10 * (double)(i + 1) + 6);
		reads(1, FAN, 0.38);
	}
	end();
}

static void a_missing_function_falls_back(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	fake_line("@-1 without = MemoryInfo_v2");
	look(1);
	reads(0, MEMORY_USED, 42949672960.0 + 648019968.0);
	assert_string_equal(at(0, WG_READ_MEMORY_USED)->call, "nvmlDeviceGetMemoryInfo");
	end();
}

static void xid_events_are_counted(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	fake_line("@1 xid = 79 3");
	look(2);
	reads(1, XID_COUNT, 0);
	look(4);
	reads(1, XID_COUNT, 1);
	reads(1, XID_LAST, 79);
	reads(0, XID_COUNT, 0);
	look(5);
	reads(1, XID_COUNT, 1);
	end();
}

static void fixed_readings_are_read_seldom(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	fake_line("@0 PowerLimit = 300000");
	look(10);
	reads(0, POWER_LIMIT, 400);
	look(31);
	reads(0, POWER_LIMIT, 300);
	end();
}

static void gpus_come_and_go(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	fake_line("@-1 count = 1");
	look(1);
	/* The second is no longer listed; it stays as lost, or back when it answers. */
	assert_int_equal(sample.count, 2);
	assert_string_equal(sample.gpus[1].key, "0000:41:00.0");
	fake_line("@-1 count = 2");
	look(2);
	assert_int_equal(sample.count, 2);
	reads(1, TEMPERATURE, 54);
	end();
}

static void a_driver_that_stops_answering_is_started_anew(void **state)
{
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	fake_line("@-1 count = error 999");
	look(1);
	misses(0, POWER, LOST);
	assert_int_equal(sample.notes[0].kind, WG_PROBE_NOTE_BROKEN);
	/* A minute later it is shut down and started; init reads the profile anew. */
	look(62);
	look(63);
	assert_int_equal(sample.notes[0].kind, WG_PROBE_NOTE_OK);
	reads(0, POWER, 352.25);
	end();
}

static void unified_memory_is_the_hosts(void **state)
{
	char made[] = "/tmp/whichgpu-proc-XXXXXX";
	FILE *file;

	assert_non_null(mkdtemp(made));
	snprintf(path_of, sizeof path_of, "%s/proc", made);
	mkdir(path_of, 0755);
	snprintf(path_of, sizeof path_of, "%s/proc/meminfo", made);
	file = fopen(path_of, "w");
	fputs("MemTotal:       125000000 kB\nMemFree: 1 kB\n", file);
	fclose(file);
	root = made;
	begin(FAKE, PROFILES "a100-4090.profile");
	look(0);
	fake_line("@0 MemoryInfo = error 3");
	look(1);
	assert_true(sample.gpus[0].unified);
	reads(0, MEMORY_USED, 42e9);
	reads(0, MEMORY_TOTAL, 128e9);
	assert_string_equal(at(0, WG_READ_MEMORY_TOTAL)->call, "/proc/meminfo MemTotal");
	assert_false(sample.gpus[1].unified);
	end();
	root = "/nonexistent";
	remove(path_of);
	*strrchr(path_of, '/') = '\0';
	remove(path_of);
	remove(made);
}

static void failed_starts_say_what_to_do(void **state)
{
	static const struct {
		int code;
		enum wg_probe_note_kind kind;
		const char *advice;
	} starts[] = {
		{ 9, WG_PROBE_NOTE_NO_DRIVER, "modprobe" },
		{ 18, WG_PROBE_NOTE_MISMATCH, "updated" },
		{ 4, WG_PROBE_NOTE_NO_PERMISSION, "/dev/nvidiactl" },
		{ 17, WG_PROBE_NOTE_NO_PERMISSION, "container" },
		{ 28, WG_PROBE_NOTE_NO_GPU, "bus" },
		{ 8, WG_PROBE_NOTE_BROKEN, "cables" },
		{ 999, WG_PROBE_NOTE_BROKEN, "container" },
	};
	char path[] = "/tmp/whichgpu-start-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
		FILE *file = fopen(path, "w");

		fprintf(file, "init = %d\n[gpu]\nName = x\n", starts[i].code);
		fclose(file);
		begin(FAKE, path);
		look(0);
		assert_int_equal(sample.count, 0);
		assert_int_equal(sample.notes[0].kind, starts[i].kind);
		check_contains(sample.notes[0].advice, starts[i].advice);
		end();
	}
	remove(path);
}

static void no_library_is_a_note(void **state)
{
	struct wg_probe_options options = { .nvml_path = "/nonexistent/libnvidia-ml.so.1" };

	wg_sample_init(&sample);
	check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
	check_status(wg_probe_sample(probe, 0, 0, &sample, &error), WG_OK, &error);
	assert_int_equal(sample.count, 0);
	assert_int_equal(sample.notes[0].kind, WG_PROBE_NOTE_NO_LIBRARY);
	wg_probe_free(probe);
	/* A library that is something else. */
	options.nvml_path = "libm.so.6";
	check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
	check_status(wg_probe_sample(probe, 0, 0, &sample, &error), WG_OK, &error);
	check_contains(sample.notes[0].message, "is it NVML?");
	wg_probe_free(probe);
	wg_sample_done(&sample);
}

/* A day at 1 Hz of eight GPUs: what is held stays the same. */
static void a_simulated_day_does_not_grow(void **state)
{
	size_t capacity, processes;

	begin(FAKE, PROFILES "h100-8.profile");
	look(0);
	look(1);
	capacity = sample.capacity;
	processes = sample.gpus[0].process_capacity;
	for (int t = 2; t < 86400; t += 24)
		look(t);
	assert_int_equal(sample.capacity, capacity);
	assert_int_equal(sample.gpus[0].process_capacity, processes);
	reads(0, SM_ACTIVE, 0.8825);
	end();
}

static void pairs_tell_of_peers(void **state)
{
	struct wg_probe_pair *pairs;
	size_t count;

	begin(FAKE, PROFILES "h100-8.profile");
	look(0);
	check_status(wg_probe_pairs(probe, &pairs, &count, &error), WG_OK, &error);
	assert_int_equal(count, 28);
	assert_int_equal(pairs[0].read, WG_PEER_STATE_OK);
	assert_int_equal(pairs[0].path, WG_PATH_SAME_NUMA);
	free(pairs);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_cards_are_read_whole),
		cmocka_unit_test(the_call_is_named),
		cmocka_unit_test(counters_give_rates),
		cmocka_unit_test(processes_have_memory_and_use),
		cmocka_unit_test(an_old_driver_still_reads),
		cmocka_unit_test(the_longer_process_record_is_found_out),
		cmocka_unit_test(stride_of_any_number_of_records),
		cmocka_unit_test(mig_instances_are_rows_of_their_own),
		cmocka_unit_test(gpm_needs_two_samples),
		cmocka_unit_test(sixty_four_gpus),
		cmocka_unit_test(one_lost_gpu_does_not_stop_the_other),
		cmocka_unit_test(a_gpu_that_is_not_ours_keeps_its_row),
		cmocka_unit_test(a_failing_call_costs_one_reading),
		cmocka_unit_test(every_return_code_has_a_state),
		cmocka_unit_test(a_missing_function_falls_back),
		cmocka_unit_test(xid_events_are_counted),
		cmocka_unit_test(fixed_readings_are_read_seldom),
		cmocka_unit_test(gpus_come_and_go),
		cmocka_unit_test(a_driver_that_stops_answering_is_started_anew),
		cmocka_unit_test(unified_memory_is_the_hosts),
		cmocka_unit_test(failed_starts_say_what_to_do),
		cmocka_unit_test(no_library_is_a_note),
		cmocka_unit_test(a_simulated_day_does_not_grow),
		cmocka_unit_test(pairs_tell_of_peers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
