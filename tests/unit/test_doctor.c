/* The doctor: each rule on stand-in GPUs that are ill, and silence on healthy ones. */
#include "tree.h"

#include <dlfcn.h>

#include "probe/backend.h"
#include "whichgpu/doctor.h"

#define FAKE WG_BUILD_ROOT "/tests/fake-nvml/libnvidia-ml.so.1"
#define PROFILES WG_SOURCE_ROOT "/tests/fake-nvml/profiles/"

static struct wg_sample before, now;
static struct wg_probe_pair *pairs;
static size_t pair_count;
static struct wg_catalog *catalog;
static struct wg_doctor doctor;
static struct wg_error error;

static void read_twice(const char *profile)
{
	struct wg_probe_options options = { .nvml_path = FAKE, .root = "/nonexistent" };
	void *library = dlopen(FAKE, RTLD_NOW), *symbol;
	void (*set_clock)(double);
	struct wg_probe *probe;

	setenv("FAKE_NVML_PROFILE", profile, 1);
	symbol = dlsym(library, "fake_nvml_clock");
	memcpy(&set_clock, &symbol, sizeof symbol);
	wg_sample_init(&before);
	wg_sample_init(&now);
	check_status(wg_catalog_open(NULL, &catalog, &error), WG_OK, &error);
	check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
	set_clock(0);
	check_status(wg_probe_sample(probe, 0, 0, &before, &error), WG_OK, &error);
	set_clock(1);
	check_status(wg_probe_sample(probe, 1, 1, &now, &error), WG_OK, &error);
	check_status(wg_probe_pairs(probe, &pairs, &pair_count, &error), WG_OK, &error);
	wg_probe_free(probe);
	dlclose(library);
}

static void examine(const struct wg_xid_event *xids, size_t xid_count)
{
	struct wg_doctor_input input = {
		&before, &now, pairs, pair_count, xids, xid_count, catalog
	};

	check_status(wg_doctor_examine(&input, &doctor, &error), WG_OK, &error);
}

static void end(void)
{
	wg_doctor_done(&doctor);
	wg_sample_done(&before);
	wg_sample_done(&now);
	wg_catalog_free(catalog);
	free(pairs);
	pairs = NULL;
	pair_count = 0;
}

static const struct wg_finding *find(const char *gpu, const char *code)
{
	for (size_t i = 0; i < doctor.count; i++) {
		if (strcmp(doctor.findings[i].gpu, gpu) == 0 &&
		    strcmp(doctor.findings[i].code, code) == 0)
			return &doctor.findings[i];
	}
	return NULL;
}

#define SICK "0000:07:00.0"
#define FALSE_CARD "0000:41:00.0"

static void every_illness_is_found(void **state)
{
	static const struct {
		const char *gpu, *code;
		enum wg_severity severity;
		const char *evidence;
	} expected[] = {
		{ SICK, "pcie_width", WG_SEVERITY_WARNING, "x8 of x16" },
		{ SICK, "pcie_generation", WG_SEVERITY_WARNING, "generation 3 of 4" },
		{ SICK, "pcie_replays", WG_SEVERITY_WARNING, "50 more" },
		{ SICK, "power_limit_low", WG_SEVERITY_WARNING, "300 W of 400 W" },
		/* 204 = 0x4 + 0x8 + 0x40 + 0x80 */
		{ SICK, "slowed_heat_hardware", WG_SEVERITY_FAULT, "705 of 1410 MHz" },
		{ SICK, "slowed_power_brake", WG_SEVERITY_FAULT, "" },
		{ SICK, "power_cap", WG_SEVERITY_NOTE, "" },
		{ SICK, "hot", WG_SEVERITY_WARNING, "88 of 89" },
		{ SICK, "ecc_uncorrected", WG_SEVERITY_FAULT, ": 2" },
		{ SICK, "ecc_corrected", WG_SEVERITY_NOTE, ": 12" },
		{ SICK, "remap_failure", WG_SEVERITY_FAULT, "" },
		{ SICK, "remap_pending", WG_SEVERITY_WARNING, "" },
		{ SICK, "remapped", WG_SEVERITY_NOTE, ": 3" },
		{ SICK, "ecc_pending", WG_SEVERITY_NOTE, "" },
		{ SICK, "xid_now", WG_SEVERITY_FAULT, "XID 48" },
		{ SICK, "recovery", WG_SEVERITY_FAULT, "recovery action 1" },
		{ SICK, "nvlink_down", WG_SEVERITY_WARNING, "1 of 12" },
		{ SICK, "nvlink_crc", WG_SEVERITY_WARNING, ": 7" },
		{ SICK, "nvlink_recovery", WG_SEVERITY_WARNING, ": 1" },
		{ SICK, "persistence_off", WG_SEVERITY_NOTE, "" },
		{ SICK, "mig_pending", WG_SEVERITY_WARNING, "" },
		{ SICK, "small_bar", WG_SEVERITY_NOTE, "0.27 of 85.9 GB" },
		{ SICK, "memory_clock", WG_SEVERITY_WARNING, "1215 of 1593 MHz" },
		{ SICK, "idle_process", WG_SEVERITY_NOTE, "process 4711: 19.0 GB" },
		/* A 3090's chip with 48 GB under a 4090's name. */
		{ FALSE_CARD, "lanes", WG_SEVERITY_WARNING, "1.05e+04, catalogue 1.638e+04" },
		{ FALSE_CARD, "memory", WG_SEVERITY_WARNING, "51.52" },
		{ FALSE_CARD, "bandwidth", WG_SEVERITY_WARNING, "912 GB/s" },
		{ FALSE_CARD, "power_limit_high", WG_SEVERITY_NOTE, "500 W over 450 W" },
	};

	read_twice(PROFILES "sick.profile");
	examine(NULL, 0);
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		const struct wg_finding *finding = find(expected[i].gpu, expected[i].code);

		if (!finding)
			fail_msg("%s was not found", expected[i].code);
		assert_int_equal(finding->severity, expected[i].severity);
		check_contains(finding->evidence, expected[i].evidence);
		assert_true(finding->finding[0] != '\0');
	}
	assert_int_equal(wg_doctor_worst(&doctor), WG_SEVERITY_FAULT);
	/* Worst first. */
	for (size_t i = 1; i < doctor.count; i++)
		assert_true(doctor.findings[i - 1].severity >= doctor.findings[i].severity);
	end();
}

static void idle_links_and_clocks_are_no_finding(void **state)
{
	read_twice(PROFILES "sick.profile");
	examine(NULL, 0);
	assert_null(find(FALSE_CARD, "pcie_generation"));
	assert_null(find(FALSE_CARD, "memory_clock"));
	end();
}

static void healthy_gpus_have_no_fault(void **state)
{
	static const char *const profiles[] = { "a100-4090", "h100-8", "h200" };

	for (size_t i = 0; i < 3; i++) {
		char path[256];

		snprintf(path, sizeof path, PROFILES "%s.profile", profiles[i]);
		read_twice(path);
		examine(NULL, 0);
		for (size_t f = 0; f < doctor.count; f++) {
			if (doctor.findings[f].severity == WG_SEVERITY_FAULT)
				fail_msg("%s: %s", profiles[i], doctor.findings[f].finding);
		}
		assert_null(find("0000:07:00.0", "lanes"));
		assert_null(find("0000:07:00.0", "bandwidth"));
		assert_null(find("0000:41:00.0", "memory"));
		assert_null(find("0000:10:00.0", "bandwidth"));
		assert_null(find("0000:19:00.0", "memory"));
		assert_true(doctor.checks > 0);
		end();
	}
}

static void peers_are_judged_by_what_the_card_can(void **state)
{
	const struct wg_finding *finding;

	read_twice(PROFILES "sick.profile");
	for (size_t i = 0; i < pair_count; i++)
		pairs[i].read = WG_PEER_STATE_NOT_SUPPORTED;
	examine(NULL, 0);
	finding = find("", "no_peer");
	assert_non_null(finding);
	check_contains(finding->finding, "1 of 1 pairs");
	end();
}

static void a_lost_gpu_is_a_fault(void **state)
{
	read_twice(PROFILES "a100-4090.profile");
	wg_probe_gpu_lose(&now.gpus[1], "nvmlDeviceGetTemperature");
	examine(NULL, 0);
	assert_int_equal(find("0000:41:00.0", "lost")->severity, WG_SEVERITY_FAULT);
	assert_null(find("0000:07:00.0", "lost"));
	end();
}

static void a_driver_that_does_not_start_is_a_fault(void **state)
{
	wg_sample_init(&before);
	wg_sample_init(&now);
	wg_sample_note(&now, "nvml", WG_PROBE_NOTE_MISMATCH, "two versions");
	wg_sample_advice(&now, "restart");
	wg_sample_note(&now, "amdgpu", WG_PROBE_NOTE_NO_GPU, "none");
	examine(NULL, 0);
	assert_int_equal(doctor.count, 1);
	assert_string_equal(doctor.findings[0].code, "driver_mismatch");
	assert_string_equal(doctor.findings[0].advice, "restart");
	wg_doctor_done(&doctor);
	wg_sample_done(&now);
}

static void mig_without_instances(void **state)
{
	read_twice(PROFILES "a100-mig.profile");
	examine(NULL, 0);
	assert_null(find("0000:0f:00.0", "mig_empty"));
	wg_doctor_done(&doctor);
	now.count = 1;
	examine(NULL, 0);
	assert_non_null(find("0000:0f:00.0", "mig_empty"));
	end();
}

static void xids_of_the_kernels_log(void **state)
{
	static const char log[] =
		"6,1234,5678,-;NVRM: Xid (PCI:0000:07:00): 79, pid=1234, GPU has fallen off the bus.\n"
		"6,1235,5679,-;NVRM: Xid (PCI:0000:07:00): 79, pid='<unknown>'\n"
		"6,1236,5680,-;NVRM: Xid (PCI:0000:41:00): 31, pid=99, name=python3\n"
		"Xid (PCI:0000:41:00: 31\nXid (PCI:): 3\nXid (PCI:0000:41:00): x\nXid (PCI:";
	struct wg_xid_event events[8];
	size_t count = wg_xid_parse(log, events, 8);

	assert_int_equal(count, 2);
	assert_string_equal(events[0].key, "0000:07:00.0");
	assert_int_equal(events[0].xid, 79);
	check_close(events[0].count, 2, 0);
	assert_int_equal(events[1].xid, 31);
	assert_int_equal(wg_xid_parse(log, events, 1), 1);
	assert_int_equal(wg_xid_parse("", events, 8), 0);
	count = wg_xid_parse(log, events, 8);
	read_twice(PROFILES "a100-4090.profile");
	examine(events, count);
	assert_int_equal(find("0000:07:00.0", "xid")->severity, WG_SEVERITY_FAULT);
	check_contains(find("0000:07:00.0", "xid")->evidence, "XID 79, 2 times");
	assert_int_equal(find("0000:41:00.0", "xid")->severity, WG_SEVERITY_WARNING);
	end();
}

static void the_log_is_read_where_it_is(void **state)
{
	char root[] = "/tmp/whichgpu-log-XXXXXX", path[64], *text;

	assert_non_null(mkdtemp(root));
	check_status(wg_kernel_log_read(root, &text, &error), WG_OK, &error);
	assert_string_equal(text, "");
	free(text);
	snprintf(path, sizeof path, "%s/dev/", root);
	mkdir(path, 0755);
	tree_put(root, "dev/kmsg", "Xid (PCI:0000:07:00): 48\n");
	check_status(wg_kernel_log_read(root, &text, &error), WG_OK, &error);
	check_contains(text, "48");
	free(text);
	tree_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_illness_is_found),
		cmocka_unit_test(idle_links_and_clocks_are_no_finding),
		cmocka_unit_test(healthy_gpus_have_no_fault),
		cmocka_unit_test(peers_are_judged_by_what_the_card_can),
		cmocka_unit_test(a_lost_gpu_is_a_fault),
		cmocka_unit_test(a_driver_that_does_not_start_is_a_fault),
		cmocka_unit_test(mig_without_instances),
		cmocka_unit_test(xids_of_the_kernels_log),
		cmocka_unit_test(the_log_is_read_where_it_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
