/* Reading the JSON form of data/gpus and data/sources.json: used by the
 * overlay of the user's own files and by tools/catalog-compile.
 *
 * All that is read is copied into the arena; the JSON document may be freed. */
#ifndef WHICHGPU_SRC_CATALOG_READ_H
#define WHICHGPU_SRC_CATALOG_READ_H

#include "whichgpu/arena.h"
#include "whichgpu/catalog.h"
#include "whichgpu/json.h"

struct wg_source_list {
	const struct wg_source *items; /* sorted by id */
	size_t count;
};

/* at: an object id -> {"title", "reference"}. */
enum wg_status wg_sources_read(struct wg_arena *arena, const struct wg_json_at *at,
                               struct wg_source_list *ret_list, struct wg_error *error);
const struct wg_source *wg_source_find(const struct wg_source_list *list, const char *id);

/* One GPU. A figure must name a source that is in `sources` or in the file's
 * own "sources" object; keys that the form does not have are refused, so that
 * a slip of the pen is not taken for "not known". */
enum wg_status wg_gpu_read(struct wg_arena *arena, const struct wg_json *json,
                           const struct wg_source_list *sources, struct wg_gpu *ret_gpu,
                           struct wg_error *error);

#endif
