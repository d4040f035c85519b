/* The command `estimate`, in its three steps: reading what was asked
 * (cmd_estimate.c), trying layouts (estimate_layout.c), showing
 * (estimate_show.c). */
#ifndef WHICHGPU_CLI_ESTIMATE_H
#define WHICHGPU_CLI_ESTIMATE_H

#include "cli/cli.h"
#include "whichgpu/estimate.h"

struct estimate_inputs {
	struct wg_catalog *catalog;
	struct wg_model *model;
	struct wg_estimator *estimator;
	const struct wg_gpu *gpu;
	enum wg_weight_format weights;
	double kv_element_bytes;
	/* 0: free to choose */
	unsigned gpus, nodes, tensor, pipeline, data, expert;
	int zero_stage, recompute; /* -1: free to choose */
};

/* The quickest layout of those that the inputs leave open; when none is
 * feasible, the one that comes nearest, with its refusal. */
void estimate_best(const struct estimate_inputs *inputs, struct wg_estimate *ret_estimate);

void estimate_show(const struct estimate_inputs *inputs, const struct wg_estimate *estimate,
                   struct wg_document *document);

#endif
