/* A sample as metrics that Prometheus reads: the text exposition format 0.0.4, and
 * OpenMetrics 1.0 for our own names. Pure: no sockets, no clock. */
#ifndef WHICHGPU_HTTP_METRICS_H
#define WHICHGPU_HTTP_METRICS_H

#include "whichgpu/probe.h"
#include "whichgpu/text.h"

/* Whose names: our own (any vendor, SI units), or drop-ins for two exporters, which
 * show NVIDIA GPUs only. */
enum metrics_names { METRICS_OWN, METRICS_DCGM, METRICS_NVIDIA_SMI };

struct metrics_options {
	enum metrics_names names;
	bool open_metrics; /* own names only; the others have no such form */
	const char *host;  /* label of the dcgm names */
	double age_s;      /* of the sample; NaN: there is none yet */
	uint64_t number;   /* samples taken so far */
};

/* Readings that are not OK are left out: a scrape has no way to say more, and the
 * gap is what alert rules look for. A lost GPU shows as up 0. */
void metrics_write(const struct wg_sample *sample, const struct metrics_options *options,
                   struct wg_text *out);

#endif
