/* GPU names as people and drivers write them. */
#include "check.h"

#include "whichgpu/catalog.h"
#include "whichgpu/csv.h"

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

static void check_match(const char *text, const char *id)
{
	const struct wg_gpu *gpu = NULL;
	struct wg_error error;
	enum wg_status status;

	wg_error_init(&error);
	status = wg_catalog_match(catalog, text, &gpu, &error);
	if (status != WG_OK || strcmp(gpu->id, id) != 0)
		print_error("\"%s\" is %s %s, expected %s\n", text, wg_status_name(status),
		            gpu != NULL ? gpu->id : "", id);
	assert_int_equal(status, WG_OK);
	assert_string_equal(gpu->id, id);
}

static void names_are_matched(void **state)
{
	static const char *const cases[][2] = {
		{ "rtx-4090", "rtx-4090" },
		{ "4090", "rtx-4090" },
		{ "RTX4090", "rtx-4090" },
		{ "NVIDIA GeForce RTX 4090", "rtx-4090" },
		{ "geforce rtx 4090 24GB", "rtx-4090" },
		{ "4090D", "rtx-4090d" },
		{ "H100 PCIe", "h100-pcie" },
		{ "NVIDIA H100 80GB HBM3", "h100-sxm" },
		{ "H100-SXM5-80GB", "h100-sxm" },
		{ "NVIDIA A100-SXM4-80GB", "a100-sxm-80gb" },
		{ "A100 SXM 80G", "a100-sxm-80gb" },
		{ "a100 80 gb pcie", "a100-pcie-80gb" },
		{ "NVIDIA H200", "h200-sxm" },
		{ "Tesla T4", "t4" },
		{ "Tesla V100-SXM2-16GB", "v100-sxm-16gb" },
		{ "AMD Instinct MI300X", "mi300x" },
		{ "MI300X", "mi300x" },
		{ "7900 XTX", "rx-7900xtx" },
		{ "Intel(R) Arc(TM) A770 Graphics", "arc-a770" },
		{ "gb10", "dgx-spark" },
		{ "rtx 4070 ti super", "rtx-4070ti-super" },
		{ "\xe8\x8b\xb1\xe4\xbc\x9f\xe8\xbe\xbe RTX 4090", "rtx-4090" },
		{ "\xe8\x8b\xb1\xe4\xbc\x9f\xe8\xbe\xbeRTX3090", "rtx-3090" },
		{ "RTX PRO 6000 Server", "rtx-pro-6000-blackwell-server" },
		{ "Quadro RTX 6000", "quadro-rtx-6000-24gb" },
		{ "6000 Ada", "rtx-6000-ada" },
		{ "B200", "b200-sxm" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_match(cases[i][0], cases[i][1]);
}

static void check_ambiguous(const char *text, const char *taken, const char *const *variants)
{
	const struct wg_gpu *gpu = NULL;
	struct wg_error error;

	wg_error_init(&error);
	check_status(wg_catalog_match(catalog, text, &gpu, &error), WG_AMBIGUOUS, &error);
	assert_string_equal(gpu->id, taken);
	check_contains(error.message, taken);
	for (; *variants != NULL; variants++)
		check_contains(error.hint, *variants);
}

static void short_names_are_ambiguous(void **state)
{
	static const char *const a100[] = { "a100-sxm-80gb", "a100-sxm-40gb", "a100-pcie-80gb",
		                            "a100-pcie-40gb", NULL };
	static const char *const a100_80[] = { "a100-sxm-80gb", "a100-pcie-80gb", NULL };
	static const char *const h100[] = { "h100-sxm", "h100-pcie", "h100-nvl", NULL };
	static const char *const gh200[] = { "gh200-96gb", "gh200-144gb", NULL };
	static const char *const pro[] = { "rtx-pro-6000-blackwell", "rtx-pro-6000-maxq",
		                           "rtx-pro-6000-blackwell-server", NULL };

	check_ambiguous("A100", "a100-sxm-80gb", a100);
	check_ambiguous("NVIDIA A100", "a100-sxm-80gb", a100);
	check_ambiguous("\xe8\x8b\xb1\xe4\xbc\x9f\xe8\xbe\xbe A100 80G", "a100-sxm-80gb", a100_80);
	check_ambiguous("h100", "h100-sxm", h100);
	check_ambiguous("GH200", "gh200-96gb", gh200);
	check_ambiguous("RTX PRO 6000", "rtx-pro-6000-blackwell", pro);
	check_ambiguous("V100 PCIe", "v100-pcie-16gb",
	                (const char *const[]){ "v100-pcie-32gb", NULL });
}

static void unknown_names_get_the_nearest(void **state)
{
	static const struct {
		const char *text, *near;
	} cases[] = {
		{ "rtx-4909", "rtx-4090" },
		{ "h10", "h100" },
		{ "MI300Y", "mi300x" },
		{ "a1000-sxm-80gb", "a100-sxm-80gb" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct wg_gpu *gpu = NULL;
		struct wg_error error;

		wg_error_init(&error);
		check_status(wg_catalog_match(catalog, cases[i].text, &gpu, &error), WG_NOT_FOUND,
		             &error);
		assert_null(gpu);
		check_contains(error.message, cases[i].text);
		check_contains(error.hint, cases[i].near);
	}
}

static void odd_texts_do_no_harm(void **state)
{
	static char long_text[100000];
	static const char *const texts[] = { "",   " ",    "-",     "\xff\xfe", "%s%n",    "rtx",
		                             "gb", "24gb", "80 gb", "nvidia",   "pcie sxm" };
	const struct wg_gpu *gpu = NULL;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_not_equal(wg_catalog_match(catalog, texts[i], &gpu, NULL), WG_OK);
	memset(long_text, 'a', sizeof(long_text) - 1);
	assert_int_equal(wg_catalog_match(catalog, long_text, &gpu, NULL), WG_NOT_FOUND);
	for (size_t i = 0; i + 2 < sizeof(long_text); i += 2)
		memcpy(long_text + i, "4 ", 2);
	assert_int_equal(wg_catalog_match(catalog, long_text, &gpu, NULL), WG_NOT_FOUND);
}

/* A small generator: the same names every run. */
static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 16;
}

/* Case and the kind and number of gaps never matter. */
static void disguise(const char *text, char *target, size_t bytes, unsigned *seed)
{
	static const char gaps[] = " -_/";
	size_t length = 0;

	for (; *text != '\0' && length + 4 < bytes; text++) {
		char c = *text;

		if (c == ' ' || c == '-') {
			for (unsigned n = 1 + next_random(seed) % 2; n > 0; n--)
				target[length++] = gaps[next_random(seed) % 4];
		} else if (c >= 'a' && c <= 'z' && next_random(seed) % 2 == 0) {
			target[length++] = (char)(c - 'a' + 'A');
		} else if (c >= 'A' && c <= 'Z' && next_random(seed) % 2 == 0) {
			target[length++] = (char)(c - 'A' + 'a');
		} else {
			target[length++] = c;
		}
	}
	target[length] = '\0';
}

static void every_name_matches_in_any_dress(void **state)
{
	unsigned seed = 1;

	for (size_t i = 0; i < wg_catalog_count(catalog); i++) {
		const struct wg_gpu *gpu = wg_catalog_at(catalog, i);
		char text[256];

		for (size_t round = 0; round < 20; round++) {
			disguise(gpu->id, text, sizeof(text), &seed);
			check_match(text, gpu->id);
			disguise(gpu->name, text, sizeof(text), &seed);
			check_match(text, gpu->id);
		}
		check_match(gpu->name_zh, gpu->id);
	}
}

/* Every spelling collected from drivers, clouds and people. */
static void collected_spellings_resolve(void **state)
{
	struct wg_csv *csv = NULL;
	struct wg_error error;
	char path[4096];
	size_t checked = 0;

	wg_error_init(&error);
	if (shared_path("data/gpu_aliases.csv", path, sizeof(path)) == NULL) {
		skip();
		return;
	}
	check_status(wg_csv_open_file(path, &csv, &error), WG_OK, &error);
	for (size_t i = 0; i < wg_csv_row_count(csv); i++) {
		const char *alias = wg_csv_cell(csv, i, wg_csv_column_find(csv, "alias"));
		const char *id = wg_csv_cell(csv, i, wg_csv_column_find(csv, "gpu_id"));
		const struct wg_gpu *gpu = NULL;
		enum wg_status status;

		if (wg_catalog_find(catalog, id) == NULL)
			continue;
		status = wg_catalog_match(catalog, alias, &gpu, &error);
		if (gpu == NULL || strcmp(gpu->id, id) != 0)
			print_error("\"%s\": %s %s, expected %s\n", alias, wg_status_name(status),
			            gpu != NULL ? gpu->id : "", id);
		assert_true(status == WG_OK || status == WG_AMBIGUOUS);
		assert_string_equal(gpu->id, id);
		checked++;
	}
	assert_true(checked > 400);
	wg_csv_free(csv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_matched),
		cmocka_unit_test(short_names_are_ambiguous),
		cmocka_unit_test(unknown_names_get_the_nearest),
		cmocka_unit_test(odd_texts_do_no_harm),
		cmocka_unit_test(every_name_matches_in_any_dress),
		cmocka_unit_test(collected_spellings_resolve),
	};
	return cmocka_run_group_tests(tests, open_catalog, free_catalog);
}
