#include "catalog/lint.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "catalog/keylist.h"

/* bandwidth = bus x rate / 8 holds to this, since documents round both. */
#define BANDWIDTH_TOLERANCE 0.025
/* GDDR6 cards with ECC on show 15/16 of their label; nothing shows less than this. */
#define LEAST_VISIBLE_SHARE 0.90

static bool near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * fabs(b);
}

static bool is_excepted(const struct wg_lint_rules *rules, const struct wg_gpu *gpu,
                        const char *rule, const char *figure, double value)
{
	for (size_t i = 0; i < rules->exception_count; i++) {
		const struct wg_lint_exception *e = &rules->exceptions[i];

		if (strcmp(e->gpu, gpu->id) == 0 && strcmp(e->rule, rule) == 0 &&
		    strcmp(e->figure, figure) == 0 && near(value, e->value, 1e-6))
			return true;
	}
	return false;
}

void wg_finding_add(const struct wg_lint_rules *rules, const struct wg_gpu *gpu,
                    struct wg_findings *findings, const char *rule, const char *figure,
                    double value, const char *format, ...)
{
	struct wg_finding *finding = &findings->items[findings->count];
	va_list arguments;

	if (findings->count == WG_FINDINGS || is_excepted(rules, gpu, rule, figure, value))
		return;
	finding->rule = rule;
	snprintf(finding->figure, sizeof(finding->figure), "%s", figure);
	va_start(arguments, format);
	vsnprintf(finding->message, sizeof(finding->message), format, arguments);
	va_end(arguments);
	findings->count++;
}

static double figure_value(const struct wg_gpu *gpu, enum wg_gpu_figure figure)
{
	return wg_figure_or(&gpu->figures[figure], 0);
}

/* Memory, bandwidth, power and one peak rate are the least a GPU needs. */
static void check_required(const struct wg_lint_rules *rules, const struct wg_gpu *gpu,
                           struct wg_findings *findings)
{
	static const enum wg_gpu_figure needed[] = { WG_GPU_MEMORY, WG_GPU_BANDWIDTH,
		                                     WG_GPU_POWER };
	size_t rates = 0;

	for (size_t i = 0; i < 3; i++) {
		if (gpu->figures[needed[i]].state != WG_KNOWN)
			wg_finding_add(rules, gpu, findings, "required",
			               wg_gpu_figure_key(needed[i]), 0, "is not known");
	}
	for (size_t i = 0; i < WG_RATE_COUNT; i++)
		rates += gpu->dense[i].state == WG_KNOWN;
	if (rates == 0)
		wg_finding_add(rules, gpu, findings, "required", "dense_ops_per_s", 0,
		               "has no known rate");
	if (gpu->facts[WG_GPU_FACT_VENDOR].value == NULL)
		wg_finding_add(rules, gpu, findings, "required", "vendor", 0, "is not known");
}

/* Nothing of low confidence is a default, but for memory computed from the
 * label where no reading was found. */
static void check_confidence(const struct wg_lint_rules *rules, const struct wg_gpu *gpu,
                             struct wg_findings *findings)
{
	for (size_t i = 0; i < WG_GPU_FIGURE_COUNT; i++) {
		const struct wg_figure *figure = &gpu->figures[i];

		if (i != WG_GPU_MEMORY && figure->state == WG_KNOWN &&
		    figure->confidence == WG_CONFIDENCE_LOW)
			wg_finding_add(rules, gpu, findings, "confidence",
			               wg_gpu_figure_key((enum wg_gpu_figure)i), figure->value,
			               "a value of low confidence cannot be the default");
	}
	for (size_t i = 0; i < 2 * WG_RATE_COUNT; i++) {
		const struct wg_figure *figure =
			i < WG_RATE_COUNT ? &gpu->dense[i] : &gpu->sparse[i - WG_RATE_COUNT];

		if (figure->state == WG_KNOWN && figure->confidence == WG_CONFIDENCE_LOW)
			wg_finding_add(rules, gpu, findings, "confidence",
			               wg_rate_key((enum wg_rate)(i % WG_RATE_COUNT)),
			               figure->value,
			               "a value of low confidence cannot be the default");
	}
}

static void check_range(const struct wg_lint_rules *rules, const struct wg_gpu *gpu,
                        struct wg_findings *findings)
{
	static const struct {
		enum wg_gpu_figure figure;
		double low, high;
	} ranges[] = {
		{ WG_GPU_MEMORY, 1e9, 2e12 },      { WG_GPU_MEMORY_LABEL, 1e9, 2e12 },
		{ WG_GPU_BANDWIDTH, 1e10, 5e13 },  { WG_GPU_BUS, 32, 16384 },
		{ WG_GPU_POWER, 10, 3000 },        { WG_GPU_LINK, 1e9, 5e12 },
		{ WG_GPU_PCIE_GENERATION, 2, 7 },  { WG_GPU_PCIE_LANES, 1, 16 },
		{ WG_GPU_BASE_CLOCK, 1e8, 5e9 },   { WG_GPU_BOOST_CLOCK, 1e8, 5e9 },
		{ WG_GPU_TENSOR_CLOCK, 1e8, 5e9 }, { WG_GPU_DIE, 1e-5, 5e-3 },
		{ WG_GPU_TRANSISTORS, 1e9, 1e12 }, { WG_GPU_NODE_GPUS, 1, 72 },
		{ WG_GPU_LINK_GPUS, 2, 72 },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		double value = figure_value(gpu, ranges[i].figure);

		if (gpu->figures[ranges[i].figure].state == WG_KNOWN &&
		    (value < ranges[i].low || value > ranges[i].high))
			wg_finding_add(rules, gpu, findings, "range",
			               wg_gpu_figure_key(ranges[i].figure), value,
			               "%g is outside %g to %g", value, ranges[i].low,
			               ranges[i].high);
	}
	if (figure_value(gpu, WG_GPU_BASE_CLOCK) > 0 && figure_value(gpu, WG_GPU_BOOST_CLOCK) > 0 &&
	    figure_value(gpu, WG_GPU_BASE_CLOCK) > figure_value(gpu, WG_GPU_BOOST_CLOCK))
		wg_finding_add(rules, gpu, findings, "range", "base_hz",
		               figure_value(gpu, WG_GPU_BASE_CLOCK), "is above the boost clock");
}

static void check_memory(const struct wg_lint_rules *rules, const struct wg_gpu *gpu,
                         struct wg_findings *findings)
{
	double memory = figure_value(gpu, WG_GPU_MEMORY);
	double label = figure_value(gpu, WG_GPU_MEMORY_LABEL);

	if (memory <= 0 || label <= 0)
		return;
	if (memory > label)
		wg_finding_add(rules, gpu, findings, "memory", "memory_bytes", memory,
		               "%.0f bytes are more than the label's %.0f", memory, label);
	if (memory < LEAST_VISIBLE_SHARE * label)
		wg_finding_add(rules, gpu, findings, "memory", "memory_bytes", memory,
		               "%.0f bytes are less than %.0f %% of the label's %.0f", memory,
		               100 * LEAST_VISIBLE_SHARE, label);
}

/* bandwidth = bus x data rate a pin / 8: against the GPU's own data rate where
 * it is known, and against what its memory type can do. */
static void check_bandwidth(const struct wg_lint_rules *rules, const struct wg_gpu *gpu,
                            struct wg_findings *findings)
{
	const char *type = gpu->facts[WG_GPU_FACT_MEMORY_TYPE].value;
	double bandwidth = figure_value(gpu, WG_GPU_BANDWIDTH);
	double bus = figure_value(gpu, WG_GPU_BUS);
	double devices = wg_figure_or(&gpu->figures[WG_GPU_DEVICES], 1);
	double pin;

	if (bandwidth <= 0 || bus <= 0)
		return;
	/* the Arc Pro B60 Dual prints the bus of one of its two GPUs */
	pin = bandwidth * 8 / bus;
	if (devices > 1 && bus < 1024)
		pin /= devices;
	for (size_t i = 0; i < rules->memory_rate_count; i++) {
		if (strcmp(rules->memory_rates[i].gpu, gpu->id) == 0 &&
		    !near(pin, rules->memory_rates[i].bits_per_s, BANDWIDTH_TOLERANCE))
			wg_finding_add(rules, gpu, findings, "bandwidth", "memory_bytes_per_s",
			               bandwidth, "%.0f bit x %.3f Gbit/s / 8 is not %.0f GB/s",
			               bus, rules->memory_rates[i].bits_per_s / 1e9,
			               bandwidth / 1e9);
	}
	for (size_t i = 0; type != NULL && i < rules->memory_type_count; i++) {
		const struct wg_memory_type *t = &rules->memory_types[i];

		if (strcmp(t->name, type) == 0 && (pin < t->low || pin > t->high))
			wg_finding_add(rules, gpu, findings, "bandwidth", "memory_bytes_per_s",
			               bandwidth, "%.2f Gbit/s a pin is outside %.1f to %.1f of %s",
			               pin / 1e9, t->low / 1e9, t->high / 1e9, type);
	}
}

/* lanes = units x n, matrix cores = units x n. */
static void check_counts(const struct wg_lint_rules *rules, const struct wg_family *family,
                         const struct wg_gpu *gpu, struct wg_findings *findings)
{
	double units = figure_value(gpu, WG_GPU_UNITS);
	double lanes = figure_value(gpu, WG_GPU_LANES);
	double cores = figure_value(gpu, WG_GPU_TENSOR_CORES);

	if (units <= 0)
		return;
	if (lanes > 0 && family->lanes_per_unit > 0 && lanes != units * family->lanes_per_unit)
		wg_finding_add(rules, gpu, findings, "lanes", "vector_lanes", lanes,
		               "%.0f units x %.0f are not %.0f lanes", units,
		               family->lanes_per_unit, lanes);
	if (cores > 0 && family->tensor_cores_per_unit > 0 &&
	    cores != units * family->tensor_cores_per_unit)
		wg_finding_add(rules, gpu, findings, "tensor-cores", "tensor_cores", cores,
		               "%.0f units x %.0f are not %.0f matrix cores", units,
		               family->tensor_cores_per_unit, cores);
}

static void check_family_facts(const struct wg_lint_rules *rules, const struct wg_family *family,
                               const struct wg_gpu *gpu, struct wg_findings *findings)
{
	const char *capability = gpu->facts[WG_GPU_FACT_COMPUTE_CAPABILITY].value;
	double link = figure_value(gpu, WG_GPU_LINK);
	bool found = false;

	for (size_t i = 0; capability != NULL && i < family->capability_count; i++)
		found = found || strcmp(family->capabilities[i], capability) == 0;
	if (capability != NULL && family->capability_count > 0 && !found)
		wg_finding_add(rules, gpu, findings, "capability", "compute_capability", 0,
		               "%s is none of family %s", capability, family->id);
	found = false;
	for (size_t i = 0; i < family->link_count; i++)
		found = found || near(link, family->links[i], 0.01);
	if (link > 0 && family->link_count > 0 && !found)
		wg_finding_add(rules, gpu, findings, "link", "link_bytes_per_s", link,
		               "%.1f GB/s is no one-direction rate of family %s", link / 1e9,
		               family->id);
}

static const struct wg_figure *figure_named(const struct wg_gpu *gpu, const char *name)
{
	static const char dense[] = "dense_ops_per_s.", sparse[] = "sparse_ops_per_s.";
	enum wg_rate rate;

	if (strncmp(name, dense, sizeof(dense) - 1) == 0)
		return wg_rate_find(name + sizeof(dense) - 1, &rate) ? &gpu->dense[rate] : NULL;
	if (strncmp(name, sparse, sizeof(sparse) - 1) == 0)
		return wg_rate_find(name + sizeof(sparse) - 1, &rate) ? &gpu->sparse[rate] : NULL;
	for (size_t i = 0; i < WG_GPU_FIGURE_COUNT; i++) {
		if (strcmp(wg_gpu_figure_key((enum wg_gpu_figure)i), name) == 0)
			return &gpu->figures[i];
	}
	return NULL;
}

static const char *fact_named(const struct wg_gpu *gpu, const char *name)
{
	for (size_t i = 0; i < WG_GPU_FACT_COUNT; i++) {
		if (strcmp(wg_gpu_fact_key((enum wg_gpu_fact)i), name) == 0)
			return gpu->facts[i].value;
	}
	return NULL;
}

static void check_known_bad(const struct wg_lint_rules *rules, const struct wg_gpu *gpu,
                            struct wg_findings *findings)
{
	for (size_t i = 0; i < rules->known_bad_count; i++) {
		const struct wg_known_bad *bad = &rules->known_bad[i];
		const struct wg_figure *figure = figure_named(gpu, bad->figure);
		const char *fact = bad->text != NULL ? fact_named(gpu, bad->figure) : NULL;
		bool hit = false;

		if (strcmp(bad->gpu, gpu->id) != 0)
			continue;
		if (bad->text != NULL)
			hit = strcmp(bad->figure, "id") == 0 ||
			      (fact != NULL && strncmp(fact, bad->text, strlen(bad->text)) == 0);
		else
			hit = figure != NULL && figure->state == WG_KNOWN &&
			      near(figure->value, bad->value, 1e-3);
		if (hit)
			wg_finding_add(rules, gpu, findings, "known-bad", bad->figure, bad->value,
			               "%s", bad->reason);
	}
}

void wg_lint_gpu(const struct wg_lint_rules *rules, const struct wg_gpu *gpu,
                 struct wg_findings *findings)
{
	const struct wg_family *family = wg_family_find(rules, gpu->family);

	check_required(rules, gpu, findings);
	check_confidence(rules, gpu, findings);
	check_range(rules, gpu, findings);
	check_memory(rules, gpu, findings);
	check_bandwidth(rules, gpu, findings);
	check_known_bad(rules, gpu, findings);
	if (family == NULL) {
		wg_finding_add(rules, gpu, findings, "family", "family", 0,
		               "family \"%s\" is not known",
		               gpu->family != NULL ? gpu->family : "");
		return;
	}
	check_counts(rules, family, gpu, findings);
	check_family_facts(rules, family, gpu, findings);
	wg_lint_rates(rules, family, gpu, findings);
}

void wg_lint_names(const struct wg_gpu *const *gpus, size_t count, struct wg_findings *findings)
{
	static const struct wg_lint_rules none;
	struct wg_arena *arena = wg_arena_open(0);
	const struct wg_catalog_key *keys;
	size_t key_count;

	if (arena == NULL || !wg_keylist_make(arena, gpus, count, &keys, &key_count)) {
		wg_arena_free(arena);
		return;
	}
	for (size_t i = 1; i < key_count; i++) {
		const struct wg_catalog_key *a = &keys[i - 1], *b = &keys[i];

		if (strcmp(a->key, b->key) == 0 && a->usual == b->usual)
			wg_finding_add(&none, gpus[b->gpu], findings, "names", "aliases", 0,
			               "\"%s\" names both \"%s\" and \"%s\"", a->key,
			               gpus[a->gpu]->id, gpus[b->gpu]->id);
	}
	for (size_t i = 1; i < count; i++) {
		if (strcmp(gpus[i - 1]->id, gpus[i]->id) == 0)
			wg_finding_add(&none, gpus[i], findings, "names", "id", 0,
			               "two files have this id");
	}
	wg_arena_free(arena);
}
