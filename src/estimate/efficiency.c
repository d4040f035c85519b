/* Finding the row of a GPU, an engine or a link. */
#include "estimate/efficiency.h"

#include <string.h>

static bool fact_is(const struct wg_gpu *gpu, enum wg_gpu_fact fact, const char *value)
{
	const char *have = gpu->facts[fact].value;

	return value == NULL || (have != NULL && strcmp(have, value) == 0);
}

bool wg_gpu_match_fits(const struct gpu_match *match, const struct wg_gpu *gpu)
{
	return (match->id == NULL || strcmp(match->id, gpu->id) == 0) &&
	       (match->class < 0 || match->class == (int)gpu->class) &&
	       fact_is(gpu, WG_GPU_FACT_ARCHITECTURE, match->architecture) &&
	       fact_is(gpu, WG_GPU_FACT_VENDOR, match->vendor);
}

const struct gpu_row *wg_efficiency_gpu(const struct efficiency *efficiency,
                                        const struct wg_gpu *gpu)
{
	for (size_t i = 0; i < efficiency->gpu_count; i++)
		if (wg_gpu_match_fits(&efficiency->gpus[i].match, gpu))
			return &efficiency->gpus[i];
	return NULL;
}

const struct engine_row *wg_efficiency_engine(const struct efficiency *efficiency, const char *key)
{
	for (size_t i = 0; i < efficiency->engine_count; i++)
		if (strcmp(efficiency->engines[i].key, key) == 0)
			return &efficiency->engines[i];
	return NULL;
}

const struct engine_row *wg_efficiency_usual(const struct efficiency *efficiency,
                                             const struct wg_gpu *gpu, enum wg_task task)
{
	for (size_t i = 0; i < efficiency->engine_count; i++) {
		const struct engine_row *engine = &efficiency->engines[i];

		for (size_t k = 0; k < engine->usual_count; k++)
			if ((engine->usual[k].tasks >> task & 1u) != 0 &&
			    wg_gpu_match_fits(&engine->usual[k].match, gpu))
				return engine;
	}
	return NULL;
}

const struct link_row *wg_efficiency_link(const struct efficiency *efficiency, const char *key,
                                          const struct wg_gpu *gpu)
{
	for (size_t i = 0; i < efficiency->link_count; i++)
		if (strcmp(efficiency->links[i].key, key) == 0 &&
		    wg_gpu_match_fits(&efficiency->links[i].match, gpu))
			return &efficiency->links[i];
	return NULL;
}
