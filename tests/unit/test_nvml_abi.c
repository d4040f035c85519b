/* Our declarations against the sizes and offsets that a compiler gave for NVML's
 * header (13.3, x86-64), and against the version words drivers accept. */
#include "check.h"

#include "probe/nvml_abi.h"

static void sizes_are_the_measured_ones(void **state)
{
	assert_int_equal(sizeof(struct nvml_utilization), 8);
	assert_int_equal(sizeof(struct nvml_memory), 24);
	assert_int_equal(sizeof(struct nvml_memory_v2), 40);
	assert_int_equal(sizeof(struct nvml_bar1), 24);
	assert_int_equal(sizeof(struct nvml_pci), 68);
	assert_int_equal(sizeof(struct nvml_process_v1), 16);
	assert_int_equal(sizeof(struct nvml_process_v2), 24);
	assert_int_equal(sizeof(struct nvml_process_535), 32);
	assert_int_equal(sizeof(struct nvml_process_use), 32);
	assert_int_equal(sizeof(struct nvml_field), 40);
	assert_int_equal(sizeof(struct nvml_event), 32);
	assert_int_equal(sizeof(struct nvml_attributes), 40);
	assert_int_equal(sizeof(struct nvml_temperature), 12);
	assert_int_equal(sizeof(struct nvml_violation), 16);
	assert_int_equal(sizeof(struct nvml_gpm_metric), 40);
}

static void offsets_are_the_measured_ones(void **state)
{
	assert_int_equal(offsetof(struct nvml_memory_v2, version), 0);
	assert_int_equal(offsetof(struct nvml_memory_v2, total), 8);
	assert_int_equal(offsetof(struct nvml_memory_v2, reserved), 16);
	assert_int_equal(offsetof(struct nvml_memory_v2, free), 24);
	assert_int_equal(offsetof(struct nvml_memory_v2, used), 32);
	assert_int_equal(offsetof(struct nvml_process_v1, memory), 8);
	assert_int_equal(offsetof(struct nvml_process_v2, gpu_instance), 16);
	assert_int_equal(offsetof(struct nvml_process_v2, compute_instance), 20);
	assert_int_equal(offsetof(struct nvml_process_535, protected_memory), 24);
	assert_int_equal(offsetof(struct nvml_process_use, time_us), 8);
	assert_int_equal(offsetof(struct nvml_pci, bus_id), 36);
	assert_int_equal(offsetof(struct nvml_field, value), 32);
}

/* The whole block of edition 13.3 holds 333 metrics: 13344 bytes. Ours begins
 * the same way and is no smaller. */
static void gpm_block_is_large_enough(void **state)
{
	assert_int_equal(offsetof(struct nvml_gpm_query, metrics), 24);
	assert_int_equal(offsetof(struct nvml_gpm_query, metrics) + 333 * 40, 13344);
	assert_true(sizeof(struct nvml_gpm_query) >= 13344);
}

static void version_words_are_size_and_number(void **state)
{
	assert_int_equal(NVML_VERSION(struct nvml_memory_v2, 2), 0x02000028);
	assert_int_equal(NVML_VERSION(struct nvml_temperature, 1), 0x0100000c);
	assert_int_equal(NVML_VERSION(struct nvml_margin, 1), 0x01000008);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_the_measured_ones),
		cmocka_unit_test(offsets_are_the_measured_ones),
		cmocka_unit_test(gpm_block_is_large_enough),
		cmocka_unit_test(version_words_are_size_and_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
