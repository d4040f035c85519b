/* Is the GPU what its name says? The catalogue's figures against the card's own. */
#include <math.h>
#include <string.h>

#include "probe/doctor_rules.h"

#define GB 1e9

/* Relative difference from the catalogue, or NaN when either is not known. */
static double differs(const struct examination *e, enum wg_reading_name reading,
                      const struct wg_figure *figure)
{
	double value;

	if (figure->state != WG_KNOWN || figure->value <= 0 ||
	    !wg_reading_ok(e->gpu, reading, &value) || value <= 0)
		return NAN;
	return value / figure->value - 1;
}

static void compare(struct examination *e, const struct wg_gpu *known, enum wg_reading_name reading,
                    enum wg_gpu_figure figure, double tolerance, double unit, const char *code,
                    const char *words)
{
	const struct wg_figure *expected = &known->figures[figure];
	double difference = differs(e, reading, expected);
	struct wg_finding *finding;

	if (isnan(difference)) {
		e->doctor->silent++;
		return;
	}
	e->doctor->checks++;
	if (fabs(difference) <= tolerance)
		return;
	finding = doctor_find(e, WG_SEVERITY_WARNING, code, "%s than a %s has", words, known->name);
	doctor_evidence(finding, "%.4g, catalogue %.4g (%s)",
	                e->gpu->readings[reading].value / unit, expected->value / unit,
	                expected->source ? expected->source->title : "");
	doctor_advise(finding, "it may be re-badged, modified, or another variant: compare its PCI "
	                       "device and subsystem ids with the seller's offer");
}

/* Two transfers a clock over the whole bus: within 3 % of the datasheet for H100, H200,
 * RTX 4080 SUPER and L40S. */
static void compare_bandwidth(struct examination *e, const struct wg_gpu *known)
{
	const struct wg_figure *expected = &known->figures[WG_GPU_BANDWIDTH];
	struct wg_finding *finding;
	double hertz, bits, bytes_per_s;

	if (expected->state != WG_KNOWN ||
	    !wg_reading_ok(e->gpu, WG_READ_MEMORY_CLOCK_MAX, &hertz) ||
	    !wg_reading_ok(e->gpu, WG_READ_BUS_BITS, &bits)) {
		e->doctor->silent++;
		return;
	}
	e->doctor->checks++;
	bytes_per_s = 2 * hertz * bits / 8;
	if (fabs(bytes_per_s / expected->value - 1) <= 0.06)
		return;
	finding = doctor_find(e, WG_SEVERITY_WARNING, "bandwidth",
	                      "the memory clock and bus give another bandwidth than a %s has",
	                      known->name);
	doctor_evidence(finding, "%.0f GB/s from %.0f MHz x %.0f bit, catalogue %.0f GB/s",
	                bytes_per_s / GB, hertz / 1e6, bits, expected->value / GB);
	doctor_advise(finding, "it may be re-badged, modified, or another variant");
}

void doctor_rules_identity(struct examination *e)
{
	const char *name = e->gpu->texts[WG_PROBE_TEXT_NAME].value;
	const struct wg_gpu *known = NULL;
	enum wg_status status;

	if (!e->input->catalog || !name[0] || e->gpu->vendor == WG_PROBE_OTHER || e->gpu->unified)
		return;
	status = wg_catalog_match(e->input->catalog, name, &known, NULL);
	/* Several variants bear the name: a difference would say nothing. */
	if (status == WG_AMBIGUOUS || status == WG_NOT_FOUND) {
		e->doctor->silent++;
		return;
	}
	if (status != WG_OK)
		return;
	compare(e, known, WG_READ_LANES, WG_GPU_LANES, 0.001, 1, "lanes",
	        "the GPU has another number of FP32 lanes");
	compare(e, known, WG_READ_BUS_BITS, WG_GPU_BUS, 0.001, 1, "bus",
	        "the GPU has another memory bus");
	/* The driver keeps some back, and ECC takes up to a sixteenth on GDDR. */
	compare(e, known, WG_READ_MEMORY_TOTAL, WG_GPU_MEMORY, 0.1, GB, "memory",
	        "the GPU has another amount of memory");
	compare_bandwidth(e, known);
}
