/* AMD and Intel GPUs from made-up /sys and /proc trees. */
#include "tree.h"

#include "probe/sysfs.h"
#include "whichgpu/probe.h"

#define TREES WG_SOURCE_ROOT "/tests/fake-sys/"
#define CARD0 "sys/bus/pci/devices/0000:03:00.0/"

static struct wg_probe *probe;
static struct wg_sample sample;
static struct wg_error error;
static char root[64];

static void begin(const char *tree)
{
	struct wg_probe_options options = { .nvml_path = "/nonexistent", .root = root };

	snprintf(root, sizeof root, "/tmp/whichgpu-sys-XXXXXX");
	tree_make(root, tree);
	wg_sample_init(&sample);
	check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
}

static void look(double at_s)
{
	check_status(wg_probe_sample(probe, at_s, at_s, &sample, &error), WG_OK, &error);
}

static void end(void)
{
	wg_probe_free(probe);
	wg_sample_done(&sample);
	tree_remove(root);
}

#define reads(gpu, name, expected)                                                              \
	do {                                                                                    \
		assert_true((gpu) < sample.count);                                              \
		assert_int_equal(sample.gpus[gpu].readings[WG_READ_##name].state, WG_PROBE_OK); \
		check_close(sample.gpus[gpu].readings[WG_READ_##name].value, expected, 1e-9);   \
	} while (0)
#define misses(gpu, name, expected) \
	assert_int_equal(sample.gpus[gpu].readings[WG_READ_##name].state, WG_PROBE_##expected)

static void an_amd_card_is_read_whole(void **state)
{
	begin(TREES "amd.tree");
	look(0);
	assert_int_equal(sample.count, 2);
	assert_string_equal(sample.gpus[0].key, "0000:03:00.0");
	assert_int_equal(sample.gpus[0].vendor, WG_PROBE_AMD);
	assert_string_equal(sample.gpus[0].texts[WG_PROBE_TEXT_NAME].value, "AMD GPU 1002:744c");
	assert_string_equal(sample.gpus[0].texts[WG_PROBE_TEXT_PCI_SUBSYSTEM].value, "1da2:471e");
	reads(0, BUSY, 0.83);
	reads(0, MEMORY_TOTAL, 25753026560.0);
	reads(0, MEMORY_FREE, 25753026560.0 - 10737418240.0);
	reads(0, HOST_MEMORY_USED, 52428800.0);
	reads(0, GRAPHICS_CLOCK, 2304e6);
	reads(0, GRAPHICS_CLOCK_MAX, 2525e6);
	reads(0, MEMORY_CLOCK, 1249e6);
	reads(0, TEMPERATURE, 57);
	reads(0, HOTSPOT_TEMPERATURE, 71);
	reads(0, MEMORY_TEMPERATURE, 84);
	reads(0, TEMPERATURE_SLOWDOWN, 100);
	reads(0, TEMPERATURE_SHUTDOWN, 105);
	reads(0, POWER, 281);
	reads(0, POWER_LIMIT, 339);
	reads(0, POWER_LIMIT_MAX, 389);
	misses(0, POWER_INSTANT, NOT_SUPPORTED);
	reads(0, FAN, 0.4);
	reads(0, FAN_RPM, 1450);
	reads(0, PCIE_GENERATION, 4);
	reads(0, PCIE_WIDTH, 8);
	reads(0, PCIE_WIDTH_MAX, 16);
	reads(0, PCIE_REPLAY, 3);
	misses(0, NUMA_NODE, NOT_SUPPORTED);
	misses(0, ENERGY, NOT_SUPPORTED);
	reads(0, THROTTLE_REASONS, WG_THROTTLE_POWER_CAP | WG_THROTTLE_SW_THERMAL);
	end();
}

static void a_data_centre_part_of_a_newer_kernel(void **state)
{
	begin(TREES "amd.tree");
	look(0);
	assert_string_equal(sample.gpus[1].texts[WG_PROBE_TEXT_NAME].value,
	                    "AMD Instinct MI300X OAM");
	assert_string_equal(sample.gpus[1].texts[WG_PROBE_TEXT_PROFILE].value, "SPX");
	/* No edge sensor: the hotspot stands for the temperature. */
	reads(1, TEMPERATURE, 45);
	reads(1, POWER, 141);
	reads(1, ENERGY, 10);
	reads(1, ECC_UNCORRECTED, 1);
	reads(1, ECC_CORRECTED, 12);
	reads(1, NUMA_NODE, 1);
	reads(1, MEMORY_USED, 0);
	misses(1, BUSY, NOT_SUPPORTED);
	misses(1, THROTTLE_REASONS, NOT_SUPPORTED);
	end();
}

static void clients_become_processes(void **state)
{
	const struct wg_probe_gpu *gpu;

	begin(TREES "amd.tree");
	look(0);
	tree_put(root, "proc/4242/fdinfo/5",
	         "drm-driver:\tamdgpu\ndrm-pdev:\t0000:03:00.0\ndrm-client-id:\t17\n"
	         "drm-memory-vram:\t1048576 KiB\ndrm-engine-gfx:\t1500000000 ns\n"
	         "drm-engine-compute:\t2250000000 ns\ndrm-engine-dec:\t0 ns\n");
	tree_put(root, "proc/4242/fdinfo/6",
	         "drm-driver:\tamdgpu\ndrm-pdev:\t0000:03:00.0\n"
	         "drm-client-id:\t17\ndrm-memory-vram:\t1048576 KiB\n"
	         "drm-engine-gfx:\t1500000000 ns\ndrm-engine-compute:\t2250000000 ns\n");
	look(2);
	gpu = &sample.gpus[0];
	assert_int_equal(gpu->process_count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct wg_probe_process *process = &gpu->processes[i];

		if (process->pid != 4242) {
			assert_int_equal(process->pid, 4243);
			check_close(process->memory_bytes.value, 512.0 * 1048576, 0);
			continue;
		}
		/* Counted once though open twice; 0.5 s + 0.25 s of engine time in 2 s. */
		check_close(process->memory_bytes.value, 1073741824.0, 0);
		check_close(process->busy_ratio.value, 0.375, 1e-9);
		assert_string_equal(process->command, "python3 train.py --name 训练");
		assert_int_equal(process->user_id, 1000);
		assert_int_equal(process->container_pid, 31);
		assert_string_equal(process->container, "0123456789ab");
		assert_true(process->compute && process->graphics);
	}
	/* The driver's own figure stays. */
	reads(0, BUSY, 0.83);
	reads(0, PROCESS_COUNT, 2);
	assert_int_equal(sample.gpus[1].process_count, 0);
	end();
}

static void an_amd_card_that_is_gone_is_left_out_and_comes_back(void **state)
{
	char link[128];

	begin(TREES "amd.tree");
	look(0);
	snprintf(link, sizeof link, "%s/sys/class/drm/card0/device", root);
	assert_int_equal(unlink(link), 0);
	look(1);
	assert_int_equal(sample.count, 1);
	assert_int_equal(symlink("../../../bus/pci/devices/0000:03:00.0", link), 0);
	look(2);
	assert_int_equal(sample.count, 2);
	reads(0, POWER, 281);
	end();
}

static void intel_power_is_the_growth_of_energy(void **state)
{
	begin(TREES "intel.tree");
	look(0);
	assert_int_equal(sample.count, 2);
	misses(0, POWER, NOT_SUPPORTED);
	reads(0, ENERGY, 5);
	reads(0, GRAPHICS_CLOCK, 2650e6);
	reads(0, POWER_LIMIT, 190);
	reads(0, TEMPERATURE, 48);
	reads(0, MEMORY_TEMPERATURE, 52);
	reads(0, MEMORY_USED, 2147483648.0);
	misses(0, MEMORY_TOTAL, NOT_SUPPORTED);
	tree_put(root, CARD0 "hwmon/hwmon2/energy1_input", "245000000\n");
	tree_put(
		root, "proc/77/fdinfo/3",
		"drm-driver:\txe\ndrm-client-id:\t4\ndrm-pdev:\t0000:03:00.0\n"
		"drm-total-vram0:\t2097152 KiB\ndrm-cycles-rcs:\t600\ndrm-total-cycles-rcs:\t2000\n");
	look(2);
	reads(0, POWER, 120);
	/* 500 of 1000 cycles. */
	reads(0, BUSY, 0.5);
	/* The part inside the processor. */
	assert_true(sample.gpus[1].unified);
	reads(1, GRAPHICS_CLOCK, 650e6);
	reads(1, GRAPHICS_CLOCK_MAX, 1550e6);
	end();
}

static void a_counter_that_fell_is_stale(void **state)
{
	begin(TREES "intel.tree");
	look(0);
	tree_put(root, CARD0 "hwmon/hwmon2/energy1_input", "1000000\n");
	look(1);
	misses(0, POWER, STALE);
	end();
}

static void odd_contents_cost_one_reading(void **state)
{
	begin(TREES "amd.tree");
	tree_put(root, CARD0 "gpu_busy_percent", "n/a\n");
	tree_put(root, CARD0 "current_link_speed", "Unknown\n");
	tree_put(root, CARD0 "pp_dpm_sclk", "S: 19Mhz *\n0: x\n:::\n");
	tree_put(root, CARD0 "gpu_metrics", "\x10");
	look(0);
	misses(0, BUSY, NOT_SUPPORTED);
	misses(0, PCIE_GENERATION, NOT_SUPPORTED);
	misses(0, THROTTLE_REASONS, NOT_SUPPORTED);
	/* "S:" is the sleep level, and in use. */
	reads(0, GRAPHICS_CLOCK, 19e6);
	reads(0, POWER, 281);
	end();
}

static void nothing_at_all_is_a_note_each(void **state)
{
	struct wg_probe_options options = { .nvml_path = "/nonexistent", .root = "/nonexistent" };

	wg_sample_init(&sample);
	check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
	look(0);
	assert_int_equal(sample.count, 0);
	assert_int_equal(sample.note_count, 3);
	assert_int_equal(sample.notes[1].kind, WG_PROBE_NOTE_NO_GPU);
	wg_probe_free(probe);
	wg_sample_done(&sample);
}

static void fdinfo_of_older_kernels_and_other_files(void **state)
{
	struct fdinfo_client client;

	assert_false(fdinfo_parse("", &client));
	assert_false(fdinfo_parse("pos:\t0\nflags:\t02\nmnt_id:\t9\n", &client));
	assert_false(fdinfo_parse(":\n:::\n\n:x", &client));
	assert_true(fdinfo_parse("pdev:\t0000:03:00.0\npasid:\t32770\nvram mem:\t100 kB\n"
	                         "gfx0:\t12.50%\ncompute0:\t0.00%\n",
	                         &client));
	assert_string_equal(client.pci, "0000:03:00.0");
	check_close(client.vram_bytes, 102400, 0);
	check_close(client.percent[FDINFO_GRAPHICS], 12.5, 1e-12);
	/* i915 */
	assert_true(fdinfo_parse("drm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\ndrm-client-id:\t5\n"
	                         "drm-engine-render:\t9288864723 ns\ndrm-engine-video:\t0 ns\n"
	                         "drm-engine-video-enhance:\t7 ns\ndrm-engine-capacity-video:\t2\n"
	                         "drm-total-system0:\t1 MiB\n",
	                         &client));
	check_close(client.busy_s[FDINFO_GRAPHICS], 9.288864723, 1e-12);
	check_close(client.host_bytes, 1048576, 0);
	assert_false(client.vram_known);
	assert_int_equal(client.id, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_amd_card_is_read_whole),
		cmocka_unit_test(a_data_centre_part_of_a_newer_kernel),
		cmocka_unit_test(clients_become_processes),
		cmocka_unit_test(an_amd_card_that_is_gone_is_left_out_and_comes_back),
		cmocka_unit_test(intel_power_is_the_growth_of_energy),
		cmocka_unit_test(a_counter_that_fell_is_stale),
		cmocka_unit_test(odd_contents_cost_one_reading),
		cmocka_unit_test(nothing_at_all_is_a_note_each),
		cmocka_unit_test(fdinfo_of_older_kernels_and_other_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
