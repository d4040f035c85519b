/* The coefficients of data/efficiency as tables: what fraction of a GPU's
 * figures is reached, what an engine adds, what a link gives. */
#ifndef WHICHGPU_ESTIMATE_EFFICIENCY_H
#define WHICHGPU_ESTIMATE_EFFICIENCY_H

#include "whichgpu/catalog.h"
#include "whichgpu/estimate.h"

/* spread: half the 80 % interval, relative. */
struct coefficient {
	double value, spread;
};

enum engine_coefficient {
#define WG_ENGINE_COEFFICIENT(name, key, otherwise) ENGINE_##name,
#include "estimate/engine_coefficients.def"
#undef WG_ENGINE_COEFFICIENT
	ENGINE_COEFFICIENT_COUNT
};

enum gpu_coefficient {
#define WG_GPU_COEFFICIENT(name, key, otherwise) GPU_##name,
#include "estimate/gpu_coefficients.def"
#undef WG_GPU_COEFFICIENT
	GPU_COEFFICIENT_COUNT
};

/* What a row is for; NULL or -1 matches everything. */
struct gpu_match {
	const char *id, *vendor, *architecture;
	int class;
};

struct gpu_row {
	struct gpu_match match;
	struct coefficient coefficients[GPU_COEFFICIENT_COUNT];
	double tier_spread; /* added for GPUs that inherit */
};

/* Other values of an engine's coefficients on some GPUs. */
struct engine_variant {
	struct gpu_match match;
	bool given[ENGINE_COEFFICIENT_COUNT];
	struct coefficient coefficients[ENGINE_COEFFICIENT_COUNT];
};

struct engine_usual {
	struct gpu_match match;
	unsigned tasks;
};

struct engine_row {
	const char *key, *label;
	unsigned tasks;   /* bit a task it can do */
	unsigned formats; /* bit a weight format it can run */
	const char *const *vendors;
	size_t vendor_count;
	bool tensor_parallel, pipeline_parallel;
	struct coefficient coefficients[ENGINE_COEFFICIENT_COUNT];
	const struct engine_variant *variants;
	size_t variant_count;
	const struct engine_usual *usual;
	size_t usual_count;
};

#define LINK_RANK_STEPS 4 /* efficiency at 2, 4, 8 and more ranks */

struct link_row {
	const char *key; /* "switch", "pcie_host" ... or "network" */
	struct gpu_match match;
	struct coefficient start_s;
	double efficiency[LINK_RANK_STEPS];
	double spread;
	double bytes_per_s; /* 0: from the GPU's own figure */
	double reduction;   /* times a ring's speed when the switch adds up; 1: it does not */
};

struct efficiency {
	const struct gpu_row *gpus;
	const struct engine_row *engines;
	const struct link_row *links;
	size_t gpu_count, engine_count, link_count;
};

/* Written by tools/efficiency-compile. */
extern const struct efficiency wg_efficiency_builtin;

bool wg_gpu_match_fits(const struct gpu_match *match, const struct wg_gpu *gpu);
const struct gpu_row *wg_efficiency_gpu(const struct efficiency *efficiency,
                                        const struct wg_gpu *gpu);
const struct engine_row *wg_efficiency_engine(const struct efficiency *efficiency, const char *key);
/* The usual engine for the task on this GPU; NULL when none. */
const struct engine_row *wg_efficiency_usual(const struct efficiency *efficiency,
                                             const struct wg_gpu *gpu, enum wg_task task);
const struct link_row *wg_efficiency_link(const struct efficiency *efficiency, const char *key,
                                          const struct wg_gpu *gpu);

#endif
