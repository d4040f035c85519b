/* What `compare` found, for its tables and its picture. */
#ifndef WHICHGPU_CLI_COMPARE_H
#define WHICHGPU_CLI_COMPARE_H

#include "cli/gpus.h"

enum { COMPARE_GPUS_MOST = 8 };

struct comparison {
	const struct wg_gpu *gpus[COMPARE_GPUS_MOST];
	size_t count;
	bool sparse;                /* the one basis of all rates */
	bool wanted[WG_RATE_COUNT]; /* rates to show */
};

/* The rate on the comparison's basis. */
const struct wg_figure *comparison_rate(const struct comparison *comparison, size_t gpu,
                                        enum wg_rate rate);
/* Bars by precision, bandwidth, memory and power. */
enum wg_status comparison_draw(const struct comparison *comparison, struct wg_text *out,
                               struct wg_error *error);

#endif
