/* The built-in catalogue: figures that documents print, and its own rules. */
#include "check.h"

#include <time.h>

#include "whichgpu/catalog.h"

static struct wg_catalog *catalog;

static int open_catalog(void **state)
{
	return wg_catalog_open(NULL, &catalog, NULL) == WG_OK ? 0 : -1;
}

static int free_catalog(void **state)
{
	wg_catalog_free(catalog);
	return 0;
}

static const struct wg_gpu *gpu(const char *id)
{
	const struct wg_gpu *found = wg_catalog_find(catalog, id);

	if (found == NULL)
		print_error("no GPU %s\n", id);
	assert_non_null(found);
	return found;
}

static double dense(const char *id, enum wg_rate rate)
{
	const struct wg_figure *figure = &gpu(id)->dense[rate];

	assert_int_equal(figure->state, WG_KNOWN);
	return figure->value;
}

static double figure(const char *id, enum wg_gpu_figure which)
{
	assert_int_equal(gpu(id)->figures[which].state, WG_KNOWN);
	return gpu(id)->figures[which].value;
}

static void gpus_are_sorted_and_found(void **state)
{
	size_t count = wg_catalog_count(catalog);

	assert_true(count >= 90);
	for (size_t i = 0; i < count; i++) {
		const struct wg_gpu *one = wg_catalog_at(catalog, i);

		assert_ptr_equal(wg_catalog_find(catalog, one->id), one);
		if (i > 0)
			assert_true(strcmp(wg_catalog_at(catalog, i - 1)->id, one->id) < 0);
	}
	assert_null(wg_catalog_find(catalog, "rtx-9999"));
	assert_null(wg_catalog_find(catalog, ""));
}

/* NVIDIA Ada GPU Architecture whitepaper v2.1, appendix A. */
static void rtx_4090_has_the_whitepaper_rates(void **state)
{
	const struct wg_gpu *one = gpu("rtx-4090");

	check_close(dense("rtx-4090", WG_RATE_FP16), 165.2e12, 1e-9);
	check_close(dense("rtx-4090", WG_RATE_FP16_ACC16), 330.3e12, 1e-9);
	check_close(dense("rtx-4090", WG_RATE_FP8), 330.3e12, 1e-9);
	check_close(one->sparse[WG_RATE_INT8].value, 1321.2e12, 1e-9);
	check_close(figure("rtx-4090", WG_GPU_BANDWIDTH), 1008e9, 1e-9);
	check_close(figure("rtx-4090", WG_GPU_POWER), 450, 0);
	assert_int_equal(one->figures[WG_GPU_LINK].state, WG_ABSENT);
	assert_int_equal(one->peer, WG_PEER_NO);
	assert_int_equal(one->dense[WG_RATE_FP4].state, WG_ABSENT);
}

/* NVIDIA A100 data sheet: 80 GB SXM. */
static void a100_has_the_data_sheet_figures(void **state)
{
	const struct wg_gpu *one = gpu("a100-sxm-80gb");

	check_close(figure("a100-sxm-80gb", WG_GPU_BANDWIDTH), 2039e9, 1e-9);
	check_close(dense("a100-sxm-80gb", WG_RATE_FP64), 9.7e12, 1e-9);
	check_close(dense("a100-sxm-80gb", WG_RATE_FP64_TENSOR), 19.5e12, 1e-9);
	check_close(dense("a100-sxm-80gb", WG_RATE_FP32), 19.5e12, 1e-9);
	check_close(dense("a100-sxm-80gb", WG_RATE_TF32), 156e12, 1e-9);
	check_close(dense("a100-sxm-80gb", WG_RATE_BF16), 312e12, 1e-9);
	assert_int_equal(one->dense[WG_RATE_FP8].state, WG_ABSENT);
	assert_int_equal(one->sparse[WG_RATE_FP8].state, WG_ABSENT);
	check_close(figure("a100-sxm-80gb", WG_GPU_LINK), 300e9, 1e-9);
	assert_int_equal(one->link, WG_LINK_SWITCH);
	check_close(figure("a100-sxm-80gb", WG_GPU_LINK_GPUS), 8, 0);
}

/* NVIDIA H100 whitepaper, final figures. */
static void h100_has_the_final_figures(void **state)
{
	check_close(figure("h100-sxm", WG_GPU_BANDWIDTH), 3350e9, 1e-9);
	check_close(dense("h100-sxm", WG_RATE_FP16), 989.4e12, 1e-9);
	check_close(figure("h100-sxm", WG_GPU_LINK), 450e9, 1e-9);
	check_close(dense("h100-sxm", WG_RATE_FP16) / dense("a100-sxm-80gb", WG_RATE_FP16), 3.17,
	            2e-3);
	check_close(dense("rtx-4090", WG_RATE_FP16) / dense("a100-sxm-80gb", WG_RATE_FP16), 0.53,
	            2e-3);
	assert_int_equal(gpu("h100-sxm")->dense[WG_RATE_INT4].state, WG_ABSENT);
	assert_int_equal(gpu("h100-pcie")->link, WG_LINK_BRIDGE);
	check_close(figure("h200-nvl", WG_GPU_LINK_GPUS), 4, 0);
}

/* What nvidia-smi and rocm-smi print, not the label. */
static void memory_is_what_the_driver_shows(void **state)
{
	check_close(figure("rtx-4090", WG_GPU_MEMORY), 24564.0 * 1048576, 0);
	check_close(figure("h100-pcie", WG_GPU_MEMORY), 81559.0 * 1048576, 0);
	check_close(figure("l40s", WG_GPU_MEMORY), 46068.0 * 1048576, 0);
	check_close(figure("b300-sxm", WG_GPU_MEMORY), 275040.0 * 1048576, 0);
	check_close(figure("gb300", WG_GPU_MEMORY), 284208.0 * 1048576, 0);
	check_close(figure("rtx-pro-6000-blackwell", WG_GPU_MEMORY), 97887.0 * 1048576, 0);
	check_close(figure("mi300x", WG_GPU_MEMORY), 206141652992.0, 0);
	check_close(figure("a100-sxm-80gb", WG_GPU_MEMORY_LABEL), 80.0 * 1073741824, 0);
}

/* AMD and Blackwell data sheets. */
static void other_vendors_have_their_figures(void **state)
{
	check_close(figure("mi300x", WG_GPU_BANDWIDTH), 5300e9, 1e-9);
	check_close(dense("mi300x", WG_RATE_FP16), 1307.4e12, 1e-9);
	check_close(dense("mi300x", WG_RATE_FP32), 163.4e12, 1e-9);
	assert_int_equal(gpu("mi300x")->link, WG_LINK_MESH);
	check_close(figure("mi300x", WG_GPU_LINK), 448e9, 1e-9);
	check_close(figure("mi325x", WG_GPU_MEMORY_LABEL), 256.0 * 1073741824, 0);
	check_close(dense("b200-sxm", WG_RATE_FP4), 9000e12, 1e-9);
	check_close(dense("b300-sxm", WG_RATE_INT8), 153.5e12, 1e-9);
	check_close(figure("gb200", WG_GPU_LINK_GPUS), 72, 0);
	check_close(dense("gaudi3", WG_RATE_BF16), 1678e12, 1e-9);
	check_close(figure("mi250x", WG_GPU_DEVICES), 2, 0);
}

/* BF16 is there wherever the hardware has it: compute capability 8.0 and up. */
static void bf16_is_known_from_ampere_on(void **state)
{
	for (size_t i = 0; i < wg_catalog_count(catalog); i++) {
		const struct wg_gpu *one = wg_catalog_at(catalog, i);
		const char *capability = one->facts[WG_GPU_FACT_COMPUTE_CAPABILITY].value;

		if (capability == NULL || one->dense[WG_RATE_FP16].state != WG_KNOWN ||
		    strncmp(capability, "gfx", 3) == 0)
			continue;
		if (strcmp(capability, "7.0") == 0 || strcmp(capability, "7.5") == 0)
			assert_int_equal(one->dense[WG_RATE_BF16].state, WG_ABSENT);
		else
			assert_int_equal(one->dense[WG_RATE_BF16].state, WG_KNOWN);
	}
}

static void check_figure(const struct wg_figure *one)
{
	if (one->state == WG_NOT_KNOWN)
		return;
	assert_non_null(one->source);
	assert_true(one->source->title[0] != '\0' && one->source->reference[0] != '\0');
	assert_non_null(one->note);
	for (size_t i = 0; i < one->other_count; i++)
		assert_non_null(one->others[i].source);
}

static void every_figure_has_a_source(void **state)
{
	for (size_t i = 0; i < wg_catalog_count(catalog); i++) {
		const struct wg_gpu *one = wg_catalog_at(catalog, i);

		for (size_t k = 0; k < WG_GPU_FIGURE_COUNT; k++)
			check_figure(&one->figures[k]);
		for (size_t k = 0; k < WG_RATE_COUNT; k++) {
			check_figure(&one->dense[k]);
			check_figure(&one->sparse[k]);
		}
		for (size_t k = 0; k < WG_GPU_FACT_COUNT; k++) {
			if (one->facts[k].value != NULL)
				assert_non_null(one->facts[k].source);
		}
		assert_non_null(one->facts[WG_GPU_FACT_VENDOR].value);
		assert_int_equal(one->figures[WG_GPU_MEMORY].state, WG_KNOWN);
		assert_int_equal(one->figures[WG_GPU_BANDWIDTH].state, WG_KNOWN);
		assert_int_equal(one->figures[WG_GPU_POWER].state, WG_KNOWN);
		assert_int_equal(one->figures[WG_GPU_NODE_GPUS].state, WG_KNOWN);
	}
}

static void sources_are_sorted(void **state)
{
	for (size_t i = 1; i < wg_catalog_source_count(catalog); i++)
		assert_true(strcmp(wg_catalog_source_at(catalog, i - 1)->id,
		                   wg_catalog_source_at(catalog, i)->id) < 0);
}

static void keys_and_words_exist(void **state)
{
	enum wg_rate rate;

	for (size_t i = 0; i < WG_RATE_COUNT; i++) {
		assert_true(wg_rate_find(wg_rate_key((enum wg_rate)i), &rate));
		assert_int_equal(rate, i);
		assert_true(wg_rate_label((enum wg_rate)i)[0] != '\0');
	}
	assert_false(wg_rate_find("fp17", &rate));
	assert_string_equal(wg_gpu_figure_key(WG_GPU_MEMORY), "memory_bytes");
	assert_string_equal(wg_gpu_fact_key(WG_GPU_FACT_VENDOR), "vendor");
	assert_string_equal(wg_confidence_key(WG_CONFIDENCE_HIGH), "high");
	assert_null(wg_peer_key(WG_PEER_NOT_KNOWN));
}

/* The catalogue is constant data: opening must not parse anything. The bound
 * is generous; a parse of the files takes tens of milliseconds. */
static void opening_costs_nothing(void **state)
{
	struct timespec from, to;
	double seconds;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (size_t i = 0; i < 1000; i++) {
		struct wg_catalog *one;

		assert_int_equal(wg_catalog_open(NULL, &one, NULL), WG_OK);
		wg_catalog_free(one);
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	assert_true(seconds < 1.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpus_are_sorted_and_found),
		cmocka_unit_test(rtx_4090_has_the_whitepaper_rates),
		cmocka_unit_test(a100_has_the_data_sheet_figures),
		cmocka_unit_test(h100_has_the_final_figures),
		cmocka_unit_test(memory_is_what_the_driver_shows),
		cmocka_unit_test(other_vendors_have_their_figures),
		cmocka_unit_test(bf16_is_known_from_ampere_on),
		cmocka_unit_test(every_figure_has_a_source),
		cmocka_unit_test(sources_are_sorted),
		cmocka_unit_test(keys_and_words_exist),
		cmocka_unit_test(opening_costs_nothing),
	};
	return cmocka_run_group_tests(tests, open_catalog, free_catalog);
}
