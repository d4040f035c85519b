/* A GPU with its coefficients: which engine runs, what it reaches, which
 * links join its neighbours. */
#include <math.h>
#include <string.h>

#include "estimate/internal.h"

#define NODE_GPUS_OTHERWISE 8.0

static bool engine_runs_on(const struct engine_row *engine, const struct wg_gpu *gpu)
{
	const char *vendor = gpu->facts[WG_GPU_FACT_VENDOR].value;

	for (size_t i = 0; i < engine->vendor_count; i++)
		if (vendor != NULL && strcmp(engine->vendors[i], vendor) == 0)
			return true;
	return false;
}

static const struct engine_row *engine_for(const struct wg_estimator *estimator,
                                           const struct wg_gpu *gpu)
{
	const struct efficiency *efficiency = estimator->efficiency;
	const struct engine_row *engine = estimator->engine;

	if (engine == NULL && estimator->gguf && !wg_task_trains(estimator->work.task))
		engine = wg_efficiency_engine(efficiency, "llama.cpp");
	if (engine == NULL && !estimator->cost.generates &&
	    (estimator->work.task == WG_TASK_SERVE || estimator->work.task == WG_TASK_BATCH))
		engine = wg_efficiency_engine(efficiency, "pytorch");
	if (engine == NULL)
		engine = wg_efficiency_usual(efficiency, gpu, estimator->work.task);
	return engine != NULL && engine_runs_on(engine, gpu) ? engine : NULL;
}

static void profile_make(const struct engine_row *engine, const struct wg_gpu *gpu,
                         struct coefficient *profile)
{
	memcpy(profile, engine->coefficients, sizeof(engine->coefficients));
	for (size_t i = 0; i < engine->variant_count; i++) {
		const struct engine_variant *variant = &engine->variants[i];

		if (!wg_gpu_match_fits(&variant->match, gpu))
			continue;
		for (int k = 0; k < ENGINE_COEFFICIENT_COUNT; k++)
			if (variant->given[k])
				profile[k] = variant->coefficients[k];
	}
}

/* PCI Express, one direction of all lanes: 0.985 GB/s a lane in generation 3,
 * doubling since (PCI-SIG base specifications). */
static double pcie_bytes_per_s(const struct wg_gpu *gpu)
{
	double generation = wg_figure_or(&gpu->figures[WG_GPU_PCIE_GENERATION], 4);
	double lanes = wg_figure_or(&gpu->figures[WG_GPU_PCIE_LANES], 16);

	return 0.985e9 * lanes * exp2(generation - 3);
}

static struct link_path path_make(const struct device *device, const struct efficiency *efficiency,
                                  const char *key, double bytes_per_s)
{
	const struct link_row *row = wg_efficiency_link(efficiency, key, device->gpu);
	struct link_path path = { .bytes_per_s = bytes_per_s, .reduction = 1 };
	double engine = device->profile[ENGINE_LINK].value;

	if (row == NULL)
		return path;
	path.start_s = row->start_s.value * device->profile[ENGINE_LINK_START].value;
	path.reduction = row->reduction;
	if (row->bytes_per_s > 0)
		path.bytes_per_s = row->bytes_per_s;
	for (int i = 0; i < LINK_RANK_STEPS; i++)
		path.efficiency[i] = smaller(1, row->efficiency[i] * engine);
	return path;
}

/* Whether neighbours on PCIe read each other's memory. Drivers of consumer
 * cards mostly forbid it; where nothing is known the class decides. */
static bool peers(const struct wg_gpu *gpu)
{
	if (gpu->peer == WG_PEER_NOT_KNOWN)
		return gpu->class != WG_CLASS_CONSUMER;
	return gpu->peer == WG_PEER_YES;
}

static void links_make(struct device *device, const struct efficiency *efficiency)
{
	const struct wg_gpu *gpu = device->gpu;
	double link = wg_figure_or(&gpu->figures[WG_GPU_LINK], 0);
	const char *pcie = peers(gpu) ? "pcie_peer" : "pcie_host";
	const struct link_row *row;

	device->node = path_make(device, efficiency, pcie, pcie_bytes_per_s(gpu));
	device->network = path_make(device, efficiency, "network", 1.25e9);
	row = wg_efficiency_link(efficiency, pcie, gpu);
	if (link > 0 && gpu->link == WG_LINK_SWITCH) {
		device->node = path_make(device, efficiency, "switch", link);
		row = wg_efficiency_link(efficiency, "switch", gpu);
	} else if (link > 0 && gpu->link == WG_LINK_MESH) {
		device->node = path_make(device, efficiency, "mesh", link);
		device->node.mesh_gpus = wg_figure_or(&gpu->figures[WG_GPU_LINK_GPUS], 8);
		row = wg_efficiency_link(efficiency, "mesh", gpu);
	} else if (link > 0 && gpu->link == WG_LINK_BRIDGE) {
		device->pair = path_make(device, efficiency, "bridge", link);
		device->pair_gpus = wg_figure_or(&gpu->figures[WG_GPU_LINK_GPUS], 2);
	}
	device->spread[WG_BOUND_LINK] = row != NULL ? row->spread : 0.5;
	device->node_gpus =
		larger(wg_figure_or(&gpu->figures[WG_GPU_NODE_GPUS], NODE_GPUS_OTHERWISE), 1);
}

static void power_make(struct device *device, const struct coefficient *row)
{
	device->board_watts = wg_figure_or(&device->gpu->figures[WG_GPU_POWER], 0);
	device->power_idle = row[GPU_IDLE].value;
	device->power_level[WG_BOUND_COMPUTE] = row[GPU_COMPUTE_POWER].value;
	device->power_level[WG_BOUND_MEMORY] = row[GPU_MEMORY_POWER].value;
	device->power_level[WG_BOUND_LINK] = row[GPU_LINK_POWER].value;
	device->power_level[WG_BOUND_HOST] = row[GPU_HOST_POWER].value;
}

static void reach_make(struct device *device, const struct gpu_row *row)
{
	const struct coefficient *gpu = row->coefficients, *profile = device->profile;
	double engine = profile[ENGINE_COMPUTE].value;

	device->reach[0] = gpu[GPU_COMPUTE].value * engine;
	device->reach[1] = gpu[GPU_COMPUTE_8].value * engine;
	device->reach[2] = gpu[GPU_COMPUTE_4].value * engine;
	device->attention = gpu[GPU_ATTENTION].value * profile[ENGINE_ATTENTION].value;
	device->vector = gpu[GPU_VECTOR].value;
	device->bytes_per_s = wg_figure_or(&device->gpu->figures[WG_GPU_BANDWIDTH], 0) *
	                      gpu[GPU_MEMORY].value * profile[ENGINE_MEMORY].value;
	device->spread[WG_BOUND_COMPUTE] =
		hypot(gpu[GPU_COMPUTE].spread, profile[ENGINE_COMPUTE].spread);
	device->spread[WG_BOUND_MEMORY] =
		hypot(gpu[GPU_MEMORY].spread, profile[ENGINE_MEMORY].spread);
	device->spread[WG_BOUND_HOST] = profile[ENGINE_LAYER_S].spread > 0
	                                        ? profile[ENGINE_LAYER_S].spread
	                                        : profile[ENGINE_DISPATCH_S].spread;
	device->form_spread = hypot(profile[ENGINE_FORM_SPREAD].value, row->tier_spread);
}

void wg_device_make(const struct wg_estimator *estimator, const struct wg_gpu *gpu,
                    struct device *ret_device)
{
	const struct gpu_row *row = wg_efficiency_gpu(estimator->efficiency, gpu);
	struct device device = { .gpu = gpu, .engine = engine_for(estimator, gpu) };

	if (device.engine == NULL || row == NULL) {
		device.refusal = WG_REFUSAL_ENGINE;
		device.engine = NULL;
		*ret_device = device;
		return;
	}
	profile_make(device.engine, gpu, device.profile);
	device.memory_bytes = wg_figure_or(&gpu->figures[WG_GPU_MEMORY],
	                                   wg_figure_or(&gpu->figures[WG_GPU_MEMORY_LABEL], 0));
	for (int i = 0; i < WG_RATE_COUNT; i++)
		device.peak[i] = wg_figure_or(&gpu->dense[i], 0);
	device.units = wg_figure_or(&gpu->figures[WG_GPU_UNITS], 80);
	reach_make(&device, row);
	power_make(&device, row->coefficients);
	links_make(&device, estimator->efficiency);
	if (!(device.bytes_per_s > 0))
		device.refusal = WG_REFUSAL_BANDWIDTH;
	else if (!(device.memory_bytes > 0))
		device.refusal = WG_REFUSAL_MEMORY_SIZE;
	*ret_device = device;
}
