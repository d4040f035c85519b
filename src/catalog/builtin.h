/* The catalogue compiled from data/ by tools/catalog-compile: constant, sorted
 * by id. */
#ifndef WHICHGPU_SRC_CATALOG_BUILTIN_H
#define WHICHGPU_SRC_CATALOG_BUILTIN_H

#include "whichgpu/catalog.h"

/* A name in the form of catalog/name.h. */
struct wg_catalog_key {
	const char *key;
	unsigned gpu; /* index of the GPU */
	bool usual;   /* one of its usual_for: other GPUs have that name too */
};

extern const struct wg_gpu wg_builtin_gpus[];
extern const size_t wg_builtin_gpu_count;
/* sorted by key, the usual ones first */
extern const struct wg_catalog_key wg_builtin_keys[];
extern const size_t wg_builtin_key_count;
extern const struct wg_source wg_builtin_sources[];
extern const size_t wg_builtin_source_count;

#endif
