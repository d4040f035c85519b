/* Peaks against units x operations a clock x clock, and against each other. */
#include <math.h>
#include <stdio.h>

#include "catalog/lint.h"

/* A printed peak may be this far off what the clock gives; and since small
 * rates are printed with two digits, by half a unit of the second. */
#define PEAK_TOLERANCE 0.02
#define PEAK_ROUNDING 6e9
#define RATIO_TOLERANCE 0.025
#define SPARSE_TOLERANCE 0.01
/* FP32 is printed at another clock than the tensor rates. */
#define CLOCKS_TOLERANCE 0.07

static const struct {
	int bits, tensor;
} rate_kinds[] = {
#define WG_RATE(name, key, label, bits, tensor) { bits, tensor },
#include "whichgpu/rates.def"
#undef WG_RATE
};

struct check {
	const struct wg_lint_rules *rules;
	const struct wg_family *family;
	const struct wg_gpu *gpu;
	struct wg_findings *findings;
};

static bool off(double value, double wanted, double tolerance)
{
	return fabs(value - wanted) > tolerance * wanted + PEAK_ROUNDING;
}

static const char *rate_name(char *buffer, size_t bytes, const char *kind, size_t rate)
{
	snprintf(buffer, bytes, "%s_ops_per_s.%s", kind, wg_rate_key((enum wg_rate)rate));
	return buffer;
}

/* Matrix rates below 64 bit may be printed at a clock of their own. */
static bool is_low_tensor(size_t rate)
{
	return rate_kinds[rate].tensor && rate_kinds[rate].bits < 64;
}

static void check_peak(const struct check *check, size_t rate)
{
	const struct wg_gpu *gpu = check->gpu;
	double value = gpu->dense[rate].value;
	double units = wg_figure_or(&gpu->figures[WG_GPU_UNITS], 0);
	double clock = wg_figure_or(&gpu->figures[WG_GPU_BOOST_CLOCK], 0);
	double wanted;
	char name[64];

	if (is_low_tensor(rate))
		clock = wg_figure_or(&gpu->figures[WG_GPU_TENSOR_CLOCK], clock);
	wanted = units * check->family->ops[rate] * clock;
	if (check->family->ratios_only || wanted <= 0)
		return;
	if (off(value, wanted, PEAK_TOLERANCE))
		wg_finding_add(check->rules, gpu, check->findings, "peak",
		               rate_name(name, sizeof(name), "dense", rate), value,
		               "%.0f units x %.0f x %.0f MHz are %.1f T, not %.1f T", units,
		               check->family->ops[rate], clock / 1e6, wanted / 1e12, value / 1e12);
}

/* Rates of one clock stand in the ratio of their operations a clock. */
static void check_ratio(const struct check *check, size_t rate, size_t base, double tolerance)
{
	const struct wg_gpu *gpu = check->gpu;
	const double *ops = check->family->ops;
	double value = gpu->dense[rate].value, wanted;
	char name[64];

	if (rate == base || ops[rate] <= 0 || ops[base] <= 0 || gpu->dense[base].state != WG_KNOWN)
		return;
	wanted = gpu->dense[base].value * ops[rate] / ops[base];
	if (off(value, wanted, tolerance))
		wg_finding_add(check->rules, gpu, check->findings, "ratio",
		               rate_name(name, sizeof(name), "dense", rate), value,
		               "%.1f T is not %.3f x the %s rate of %.1f T", value / 1e12,
		               ops[rate] / ops[base], wg_rate_label((enum wg_rate)base),
		               gpu->dense[base].value / 1e12);
}

static void check_dense(const struct check *check, size_t rate)
{
	const struct wg_figure *figure = &check->gpu->dense[rate];
	size_t base =
		check->gpu->dense[WG_RATE_BF16].state == WG_KNOWN ? WG_RATE_BF16 : WG_RATE_FP16;
	char name[64];

	if (figure->state != WG_KNOWN)
		return;
	rate_name(name, sizeof(name), "dense", rate);
	if (check->family->ops[rate] == 0)
		wg_finding_add(check->rules, check->gpu, check->findings, "format", name,
		               figure->value, "family %s has no such path", check->family->id);
	if (check->family->most[rate] > 0 && figure->value > check->family->most[rate])
		wg_finding_add(check->rules, check->gpu, check->findings, "cut", name,
		               figure->value,
		               "%.1f T is above the %.1f T that this family was cut to",
		               figure->value / 1e12, check->family->most[rate] / 1e12);
	check_peak(check, rate);
	if (is_low_tensor(rate))
		check_ratio(check, rate, base, RATIO_TOLERANCE);
	else if (rate == WG_RATE_FP64)
		check_ratio(check, rate, WG_RATE_FP32, RATIO_TOLERANCE);
	else if (rate == WG_RATE_FP32 && check->gpu->figures[WG_GPU_UNITS].state != WG_KNOWN)
		check_ratio(check, rate, base, CLOCKS_TOLERANCE);
}

/* 2:4 sparsity doubles a rate, no more and no less. */
static void check_sparse(const struct check *check, size_t rate)
{
	const struct wg_figure *dense = &check->gpu->dense[rate],
			       *sparse = &check->gpu->sparse[rate];
	char name[64];

	if (sparse->state != WG_KNOWN)
		return;
	rate_name(name, sizeof(name), "sparse", rate);
	if (dense->state == WG_ABSENT)
		wg_finding_add(check->rules, check->gpu, check->findings, "sparse", name,
		               sparse->value, "there is no dense rate");
	if (dense->state == WG_KNOWN && off(sparse->value, 2 * dense->value, SPARSE_TOLERANCE))
		wg_finding_add(check->rules, check->gpu, check->findings, "sparse", name,
		               sparse->value, "%.1f T is not twice the dense %.1f T",
		               sparse->value / 1e12, dense->value / 1e12);
}

void wg_lint_rates(const struct wg_lint_rules *rules, const struct wg_family *family,
                   const struct wg_gpu *gpu, struct wg_findings *findings)
{
	struct check check = { rules, family, gpu, findings };

	for (size_t rate = 0; rate < WG_RATE_COUNT; rate++) {
		check_dense(&check, rate);
		check_sparse(&check, rate);
	}
}
