/* The user's own GPU files, put over the built-in catalogue. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "catalog/keylist.h"
#include "whichgpu/file.h"

enum { OVERLAY_FILES = 4096, OVERLAY_FILE_BYTES = 1 << 20 };

static bool is_gpu_file(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && name[0] != '.' && strcmp(name + length - 5, ".json") == 0;
}

static int string_compare(const void *a, const void *b)
{
	const char *const *x = a;
	const char *const *y = b;

	return strcmp(*x, *y);
}

/* Paths of the folder's *.json, sorted, so that two runs read alike. */
static enum wg_status list_files(struct wg_arena *arena, const char *folder,
                                 const char ***ret_paths, size_t *ret_count, struct wg_error *error)
{
	const char **paths = wg_arena_array(arena, OVERLAY_FILES, sizeof(*paths));
	size_t count = 0;
	struct dirent *entry;
	DIR *directory;

	if (paths == NULL)
		return wg_error_no_memory(error);
	directory = opendir(folder);
	if (directory == NULL) {
		if (errno != ENOENT && errno != ENOTDIR)
			return wg_error_system(error, errno, "reading the folder", folder);
		wg_error_set(error, WG_NOT_FOUND, "no folder \"%s\"", folder);
		wg_error_hint(error, "a folder of GPU files in the form of data/gpus");
		return WG_NOT_FOUND;
	}
	while ((entry = readdir(directory)) != NULL) {
		if (!is_gpu_file(entry->d_name))
			continue;
		if (count == OVERLAY_FILES) {
			closedir(directory);
			return wg_error_set(error, WG_LIMIT, "more than %d GPU files in \"%s\"",
			                    OVERLAY_FILES, folder);
		}
		paths[count] = wg_arena_printf(arena, "%s/%s", folder, entry->d_name);
		if (paths[count++] == NULL) {
			closedir(directory);
			return wg_error_no_memory(error);
		}
	}
	closedir(directory);
	qsort(paths, count, sizeof(*paths), string_compare);
	*ret_paths = paths;
	*ret_count = count;
	return WG_OK;
}

static enum wg_status read_file(struct wg_arena *arena, const char *path,
                                const struct wg_source_list *sources, struct wg_gpu *ret_gpu,
                                struct wg_error *error)
{
	struct wg_json *json = NULL;
	char *bytes = NULL;
	size_t length = 0;
	enum wg_status status = wg_file_read(path, OVERLAY_FILE_BYTES, &bytes, &length, error);

	if (status == WG_OK)
		status = wg_json_open(bytes, length, path, WG_JSON_STRICT, &json, error);
	if (status == WG_OK)
		status = wg_gpu_read(arena, json, sources, ret_gpu, error);
	wg_json_free(json);
	free(bytes);
	return status;
}

/* Same id replaces, new id adds; keeps the list sorted. */
static void insert(const struct wg_gpu **gpus, size_t *count, const struct wg_gpu *gpu)
{
	size_t at = 0;

	while (at < *count && strcmp(gpus[at]->id, gpu->id) < 0)
		at++;
	if (at < *count && strcmp(gpus[at]->id, gpu->id) == 0) {
		gpus[at] = gpu;
		return;
	}
	for (size_t i = *count; i > at; i--)
		gpus[i] = gpus[i - 1];
	gpus[at] = gpu;
	(*count)++;
}

static void note_source(const struct wg_source **sources, size_t *count, size_t most,
                        const struct wg_source *source)
{
	size_t at = 0;

	while (at < *count && strcmp(sources[at]->id, source->id) < 0)
		at++;
	if (at < *count && strcmp(sources[at]->id, source->id) == 0)
		return;
	if (*count == most)
		return;
	for (size_t i = *count; i > at; i--)
		sources[i] = sources[i - 1];
	sources[at] = source;
	(*count)++;
}

/* Sources that a GPU of the user brought along. */
static void note_sources(const struct wg_source **sources, size_t *count, size_t most,
                         const struct wg_gpu *gpu)
{
	for (size_t i = 0; i < WG_GPU_FACT_COUNT; i++) {
		if (gpu->facts[i].source != NULL)
			note_source(sources, count, most, gpu->facts[i].source);
	}
	for (size_t i = 0; i < WG_GPU_FIGURE_COUNT; i++) {
		if (gpu->figures[i].source != NULL)
			note_source(sources, count, most, gpu->figures[i].source);
	}
	for (size_t i = 0; i < WG_RATE_COUNT; i++) {
		if (gpu->dense[i].source != NULL)
			note_source(sources, count, most, gpu->dense[i].source);
		if (gpu->sparse[i].source != NULL)
			note_source(sources, count, most, gpu->sparse[i].source);
	}
}

enum wg_status wg_catalog_overlay(struct wg_catalog *catalog, const char *folder,
                                  struct wg_error *error)
{
	enum { FIGURES = WG_GPU_FACT_COUNT + WG_GPU_FIGURE_COUNT + 2 * WG_RATE_COUNT };
	struct wg_source_list builtin = { wg_builtin_sources, wg_builtin_source_count };
	struct wg_arena *arena = catalog->arena;
	const struct wg_gpu **gpus;
	const struct wg_source **sources;
	const char **paths = NULL;
	size_t file_count = 0, gpu_count = 0, source_count = 0, most;
	enum wg_status status = list_files(arena, folder, &paths, &file_count, error);

	if (status != WG_OK)
		return status;
	most = wg_builtin_source_count + file_count * FIGURES;
	gpus = wg_arena_array(arena, wg_builtin_gpu_count + file_count, sizeof(void *));
	sources = wg_arena_array(arena, most, sizeof(void *));
	if (gpus == NULL || sources == NULL)
		return wg_error_no_memory(error);
	for (size_t i = 0; i < wg_builtin_gpu_count; i++)
		gpus[gpu_count++] = &wg_builtin_gpus[i];
	for (size_t i = 0; i < wg_builtin_source_count; i++)
		sources[source_count++] = &wg_builtin_sources[i];
	for (size_t i = 0; i < file_count; i++) {
		struct wg_gpu *gpu = wg_arena_alloc(arena, sizeof(*gpu));

		if (gpu == NULL)
			return wg_error_no_memory(error);
		status = read_file(arena, paths[i], &builtin, gpu, error);
		if (status != WG_OK)
			return status;
		insert(gpus, &gpu_count, gpu);
		note_sources(sources, &source_count, most, gpu);
	}
	if (!wg_keylist_make(arena, gpus, gpu_count, &catalog->keys, &catalog->key_count))
		return wg_error_no_memory(error);
	catalog->gpus = gpus;
	catalog->gpu_count = gpu_count;
	catalog->sources = sources;
	catalog->source_count = source_count;
	return WG_OK;
}
