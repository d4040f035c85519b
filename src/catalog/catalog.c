#include "catalog/catalog.h"

#include <stdlib.h>
#include <string.h>

enum wg_status wg_catalog_open(const char *overlay_folder, struct wg_catalog **ret_catalog,
                               struct wg_error *error)
{
	struct wg_catalog *catalog = calloc(1, sizeof(*catalog));
	enum wg_status status = WG_OK;

	if (catalog == NULL)
		return wg_error_no_memory(error);
	catalog->gpu_count = wg_builtin_gpu_count;
	catalog->keys = wg_builtin_keys;
	catalog->key_count = wg_builtin_key_count;
	catalog->source_count = wg_builtin_source_count;
	if (overlay_folder != NULL) {
		catalog->arena = wg_arena_open(0);
		status = catalog->arena != NULL ? wg_catalog_overlay(catalog, overlay_folder, error)
		                                : wg_error_no_memory(error);
	}
	if (status != WG_OK) {
		wg_catalog_free(catalog);
		return status;
	}
	*ret_catalog = catalog;
	return WG_OK;
}

void wg_catalog_free(struct wg_catalog *catalog)
{
	if (catalog == NULL)
		return;
	wg_arena_free(catalog->arena);
	free(catalog);
}

size_t wg_catalog_count(const struct wg_catalog *catalog)
{
	return catalog->gpu_count;
}

const struct wg_gpu *wg_catalog_at(const struct wg_catalog *catalog, size_t index)
{
	return catalog->gpus != NULL ? catalog->gpus[index] : &wg_builtin_gpus[index];
}

const struct wg_gpu *wg_catalog_find(const struct wg_catalog *catalog, const char *id)
{
	size_t low = 0, high = catalog->gpu_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct wg_gpu *gpu = wg_catalog_at(catalog, middle);
		int order = strcmp(gpu->id, id);

		if (order == 0)
			return gpu;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

size_t wg_catalog_source_count(const struct wg_catalog *catalog)
{
	return catalog->source_count;
}

const struct wg_source *wg_catalog_source_at(const struct wg_catalog *catalog, size_t index)
{
	return catalog->sources != NULL ? catalog->sources[index] : &wg_builtin_sources[index];
}
