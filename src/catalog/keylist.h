/* The sorted list of all names of all GPUs, made by tools/catalog-compile for
 * the built-in catalogue and when opening one with an overlay. */
#ifndef WHICHGPU_SRC_CATALOG_KEYLIST_H
#define WHICHGPU_SRC_CATALOG_KEYLIST_H

#include "catalog/builtin.h"
#include "whichgpu/arena.h"

/* gpus: sorted by id. false when memory is out. A key that a GPU has twice is
 * listed once. */
bool wg_keylist_make(struct wg_arena *arena, const struct wg_gpu *const *gpus, size_t gpu_count,
                     const struct wg_catalog_key **ret_keys, size_t *ret_count);

#endif
