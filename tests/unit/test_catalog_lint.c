/* The linter: every wrong value that popular tables carry is caught, by
 * arithmetic where arithmetic can, else because it is known. */
#include "check.h"

#include "catalog/lint.h"

static struct wg_catalog *catalog;
static struct wg_arena *arena;
static struct wg_lint_rules rules;

static int open_all(void **state)
{
	struct wg_json *families, *lint;

	arena = wg_arena_open(0);
	assert_int_equal(wg_catalog_open(NULL, &catalog, NULL), WG_OK);
	assert_int_equal(wg_json_open_file(WG_SOURCE_ROOT "/data/gpu_families.json", WG_JSON_STRICT,
	                                   &families, NULL),
	                 WG_OK);
	assert_int_equal(
		wg_json_open_file(WG_SOURCE_ROOT "/data/lint.json", WG_JSON_STRICT, &lint, NULL),
		WG_OK);
	assert_int_equal(wg_lint_rules_read(arena, families, lint, &rules, NULL), WG_OK);
	wg_json_free(families);
	wg_json_free(lint);
	return 0;
}

static int free_all(void **state)
{
	wg_catalog_free(catalog);
	wg_arena_free(arena);
	return 0;
}

static void every_gpu_is_clean(void **state)
{
	const struct wg_gpu *gpus[1024];
	struct wg_findings findings = { 0 };
	size_t count = wg_catalog_count(catalog);

	for (size_t i = 0; i < count; i++) {
		gpus[i] = wg_catalog_at(catalog, i);
		wg_lint_gpu(&rules, gpus[i], &findings);
	}
	wg_lint_names(gpus, count, &findings);
	for (size_t i = 0; i < findings.count; i++)
		print_error("%s %s %s\n", findings.items[i].rule, findings.items[i].figure,
		            findings.items[i].message);
	assert_int_equal(findings.count, 0);
}

static struct wg_figure *figure_of(struct wg_gpu *gpu, const char *name)
{
	enum wg_rate rate;

	if (strncmp(name, "dense.", 6) == 0 && wg_rate_find(name + 6, &rate))
		return &gpu->dense[rate];
	if (strncmp(name, "sparse.", 7) == 0 && wg_rate_find(name + 7, &rate))
		return &gpu->sparse[rate];
	for (size_t i = 0; i < WG_GPU_FIGURE_COUNT; i++) {
		if (strcmp(wg_gpu_figure_key((enum wg_gpu_figure)i), name) == 0)
			return &gpu->figures[i];
	}
	fail_msg("no figure %s", name);
	return NULL;
}

static void set_fact(struct wg_gpu *gpu, const char *name, const char *text)
{
	for (size_t i = 0; i < WG_GPU_FACT_COUNT; i++) {
		if (strcmp(wg_gpu_fact_key((enum wg_gpu_fact)i), name) == 0)
			gpu->facts[i].value = text;
	}
}

static bool has_rule(const struct wg_findings *findings, const char *rule)
{
	for (size_t i = 0; i < findings->count; i++) {
		if (strcmp(findings->items[i].rule, rule) == 0)
			return true;
	}
	return false;
}

#define GIB 1073741824.0

/* database: who carries the value; rule: the one that must name it. */
struct bad_value {
	const char *database, *gpu, *figure, *rule;
	double value;
	const char *text;
};

static const struct bad_value bad_values[] = {
	{ "TechPowerUp", "mi300x", "memory_bytes_per_s", "bandwidth", 10300e9, NULL },
	{ "TechPowerUp", "mi325x", "memory_bytes_per_s", "bandwidth", 10300e9, NULL },
	{ "TechPowerUp", "mi325x", "memory_label_bytes", "memory", 288 * GIB, NULL },
	{ "TechPowerUp", "mi300a", "compute_units", "peak", 304, NULL },
	{ "TechPowerUp", "mi300a", "memory_label_bytes", "memory", 192 * GIB, NULL },
	{ "TechPowerUp", "mi300a", "board_watts", "known-bad", 750, NULL },
	{ "TechPowerUp", "b200-sxm", "memory_label_bytes", "memory", 90 * GIB, NULL },
	{ "TechPowerUp", "b200-sxm", "memory_bus_bits", "known-bad", 4096, NULL },
	{ "TechPowerUp", "b200-sxm", "transistors", "known-bad", 104e9, NULL },
	{ "TechPowerUp", "b300-sxm", "memory_label_bytes", "memory", 144 * GIB, NULL },
	{ "TechPowerUp", "v100-sxm-16gb", "boost_hz", "peak", 1597e6, NULL },
	{ "TechPowerUp", "v100-sxm-16gb", "memory_bytes_per_s", "bandwidth", 1130e9, NULL },
	{ "TechPowerUp", "v100-sxm-16gb", "board_watts", "known-bad", 250, NULL },
	{ "TechPowerUp", "v100-sxm-16gb", "launch_date", "known-bad", 0, "2019-11-26" },
	{ "TechPowerUp", "l40s", "board_watts", "known-bad", 300, NULL },
	{ "TechPowerUp", "l4", "compute_units", "lanes", 60, NULL },
	{ "TechPowerUp", "rx-9070xt", "compute_units", "lanes", 128, NULL },
	{ "TechPowerUp", "a100-sxm-40gb", "memory_type", "bandwidth", 0, "HBM2e" },
	{ "TechPowerUp", "a100-pcie-40gb", "memory_type", "bandwidth", 0, "HBM2e" },
	{ "TechPowerUp", "h800-sxm", "dense.fp64", "cut", 33.45e12, NULL },
	{ "TechPowerUp", "h800-pcie", "dense.fp64", "cut", 25.61e12, NULL },
	{ "TechPowerUp", "mi300x", "dense.fp32", "peak", 81.7e12, NULL },
	{ "Epoch", "rtx-4090", "dense.fp16", "peak", 330e12, NULL },
	{ "Epoch", "rtx-3090ti", "dense.fp16", "peak", 160e12, NULL },
	{ "Epoch", "mi355x", "dense.fp8", "peak", 4600e12, NULL },
	{ "Epoch", "mi355x", "dense.fp4", "peak", 9200e12, NULL },
	{ "Epoch", "b200-sxm", "dense.fp32", "peak", 62e12, NULL },
	{ "Epoch", "b200-sxm", "dense.fp64", "peak", 31e12, NULL },
	{ "Epoch", "gb200", "dense.fp32", "ratio", 90e12, NULL },
	{ "Epoch", "gb200", "dense.fp64", "ratio", 45e12, NULL },
	{ "Epoch", "gaudi2", "dense.bf16", "peak", 450e12, NULL },
	{ "Epoch", "rtx-4070", "board_watts", "known-bad", 285, NULL },
	/* one field with three meanings: sparse, vector, TF32 */
	{ "gpu-agent", "h100-sxm", "dense.fp16", "peak", 1979e12, NULL },
	{ "gpu-agent", "l4", "dense.fp16", "peak", 242e12, NULL },
	{ "gpu-agent", "rtx-4090", "dense.fp16", "peak", 660.6e12, NULL },
	{ "gpu-agent", "h200-sxm", "dense.fp16", "peak", 1979e12, NULL },
	{ "gpu-agent", "b200-sxm", "dense.fp16", "peak", 4500e12, NULL },
	{ "gpu-agent", "a40", "dense.fp16", "peak", 37.4e12, NULL },
	{ "gpu-agent", "a100-sxm-80gb", "dense.fp32", "peak", 156e12, NULL },
	{ "gpu-agent", "a30", "dense.fp32", "peak", 82e12, NULL },
	{ "gpu-agent", "b200-sxm", "dense.fp32", "peak", 1100e12, NULL },
	{ "gpu-agent", "l40s", "dense.fp32", "peak", 183e12, NULL },
	{ "gpu-agent", "rtx-5090", "compute_capability", "capability", 0, "12.8" },
	{ "whichllm", "rtx-5080", "compute_capability", "capability", 0, "10.0" },
	{ "ml-engineering", "h100-pcie", "memory_type", "bandwidth", 0, "HBM3" },
	{ "ml-engineering", "b300-sxm", "dense.int8", "cut", 4500e12, NULL },
	{ "ml-engineering", "b300-sxm", "dense.fp4", "ratio", 12600e12, NULL },
	{ "ml-engineering", "a100-sxm-80gb", "dense.fp8", "format", 624e12, NULL },
	{ "huggingface.js", "h100-sxm", "dense.fp16", "peak", 267.6e12, NULL },
	{ "huggingface.js", "rtx-4090", "dense.fp16", "peak", 82.6e12, NULL },
	/* other slips of the same kinds */
	{ "articles", "rtx-4090", "dense.fp16", "peak", 1321e12, NULL },
	{ "articles", "rtx-4090", "dense.int8", "peak", 2642e12, NULL },
	{ "articles", "a100-sxm-80gb", "memory_bytes_per_s", "bandwidth", 1555e9, NULL },
	{ "articles", "a100-sxm-80gb", "link_bytes_per_s", "link", 600e9, NULL },
	{ "articles", "h100-sxm", "sparse.fp16", "sparse", 989.4e12, NULL },
	{ "articles", "rtx-4090", "memory_bytes", "memory", 26e9, NULL },
};

/* Does the linter also know the value by name, where arithmetic may not reach? */
static void bad_values_are_caught(void **state)
{
	for (size_t i = 0; i < sizeof(bad_values) / sizeof(bad_values[0]); i++) {
		const struct bad_value *bad = &bad_values[i];
		const struct wg_gpu *good = wg_catalog_find(catalog, bad->gpu);
		struct wg_findings findings = { 0 };
		struct wg_gpu copy;

		assert_non_null(good);
		copy = *good;
		if (bad->text != NULL) {
			set_fact(&copy, bad->figure, bad->text);
		} else {
			struct wg_figure *figure = figure_of(&copy, bad->figure);

			figure->state = WG_KNOWN;
			figure->value = bad->value;
			figure->confidence = WG_CONFIDENCE_HIGH;
		}
		wg_lint_gpu(&rules, &copy, &findings);
		if (!has_rule(&findings, bad->rule)) {
			print_error("%s: %s %s: not caught by %s\n", bad->database, bad->gpu,
			            bad->figure, bad->rule);
			for (size_t k = 0; k < findings.count; k++)
				print_error("  %s: %s\n", findings.items[k].rule,
				            findings.items[k].message);
		}
		assert_true(has_rule(&findings, bad->rule));
	}
}

/* GPUs that the catalogue does not hold: values known to be wrong all the same. */
static void bad_values_of_other_gpus_are_known(void **state)
{
	static const struct {
		const char *id;
		double bandwidth;
	} cases[] = {
		{ "mi308x", 10300e9 },
		{ "apple-m3-ultra", 800e9 },
		{ "apple-m4-ultra", 1092e9 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wg_gpu copy = *wg_catalog_find(catalog, "mi300x");
		struct wg_findings findings = { 0 };

		copy.id = cases[i].id;
		copy.figures[WG_GPU_BANDWIDTH].value = cases[i].bandwidth;
		wg_lint_gpu(&rules, &copy, &findings);
		assert_true(has_rule(&findings, "known-bad"));
	}
}

/* The whole record of another GPU under this name (MI300A in one database). */
static void a_record_of_another_gpu_is_caught(void **state)
{
	struct wg_gpu copy = *wg_catalog_find(catalog, "mi300x");
	struct wg_findings findings = { 0 };

	copy.id = "mi300a";
	wg_lint_gpu(&rules, &copy, &findings);
	assert_true(has_rule(&findings, "known-bad"));
}

static void low_confidence_is_no_default(void **state)
{
	struct wg_gpu copy = *wg_catalog_find(catalog, "h100-sxm");
	struct wg_findings findings = { 0 };

	copy.dense[WG_RATE_FP16].confidence = WG_CONFIDENCE_LOW;
	copy.figures[WG_GPU_POWER].confidence = WG_CONFIDENCE_LOW;
	wg_lint_gpu(&rules, &copy, &findings);
	assert_int_equal(findings.count, 2);
	assert_string_equal(findings.items[0].rule, "confidence");
}

static void what_is_needed_must_be_known(void **state)
{
	struct wg_gpu copy = *wg_catalog_find(catalog, "h100-sxm");
	struct wg_findings findings = { 0 };

	copy.figures[WG_GPU_MEMORY].state = WG_NOT_KNOWN;
	copy.facts[WG_GPU_FACT_VENDOR].value = NULL;
	copy.family = "none";
	wg_lint_gpu(&rules, &copy, &findings);
	assert_true(has_rule(&findings, "required"));
	assert_true(has_rule(&findings, "family"));
}

/* An exception that no longer excuses anything is a forgotten one. */
static void exceptions_are_all_needed(void **state)
{
	struct wg_lint_rules strict = rules;

	strict.exception_count = 0;
	for (size_t i = 0; i < rules.exception_count; i++) {
		const struct wg_lint_exception *exception = &rules.exceptions[i];
		const struct wg_gpu *gpu = wg_catalog_find(catalog, exception->gpu);
		struct wg_findings findings = { 0 };
		bool found = false;

		assert_non_null(gpu);
		assert_true(exception->reason[0] != '\0');
		wg_lint_gpu(&strict, gpu, &findings);
		for (size_t k = 0; k < findings.count; k++)
			found = found || (strcmp(findings.items[k].rule, exception->rule) == 0 &&
			                  strcmp(findings.items[k].figure, exception->figure) == 0);
		if (!found)
			print_error("%s %s %s\n", exception->gpu, exception->rule,
			            exception->figure);
		assert_true(found);
	}
}

static void a_name_taken_twice_is_found(void **state)
{
	struct wg_gpu one = *wg_catalog_find(catalog, "t4"),
		      two = *wg_catalog_find(catalog, "v100-sxm-16gb");
	static const char *const aliases[] = { "Tesla-T4" };
	const struct wg_gpu *gpus[] = { &one, &two };
	struct wg_findings findings = { 0 };

	wg_lint_names(gpus, 2, &findings);
	assert_int_equal(findings.count, 0);
	two.aliases = aliases;
	two.alias_count = 1;
	wg_lint_names(gpus, 2, &findings);
	assert_int_equal(findings.count, 1);
	check_contains(findings.items[0].message, "v100-sxm-16gb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_gpu_is_clean),
		cmocka_unit_test(bad_values_are_caught),
		cmocka_unit_test(bad_values_of_other_gpus_are_known),
		cmocka_unit_test(a_record_of_another_gpu_is_caught),
		cmocka_unit_test(low_confidence_is_no_default),
		cmocka_unit_test(what_is_needed_must_be_known),
		cmocka_unit_test(exceptions_are_all_needed),
		cmocka_unit_test(a_name_taken_twice_is_found),
	};
	return cmocka_run_group_tests(tests, open_all, free_all);
}
