/* A GPU file of the user, and the same bytes as a GPU's name: figures are
 * figures, each with its source; a name gives one GPU or none. */
#include "fuzz.h"

#include <math.h>

#include "catalog/builtin.h"
#include "catalog/read.h"

static void check_figure(const struct wg_figure *figure)
{
	if (figure->state == WG_NOT_KNOWN)
		return;
	if (figure->source == NULL || figure->note == NULL)
		abort();
	if (figure->state == WG_KNOWN && !(isfinite(figure->value) && figure->value >= 0))
		abort();
	for (size_t i = 0; i < figure->other_count; i++) {
		if (figure->others[i].source == NULL || !isfinite(figure->others[i].value))
			abort();
	}
}

static void read_file(const uint8_t *data, size_t size)
{
	struct wg_source_list sources = { wg_builtin_sources, wg_builtin_source_count };
	struct wg_arena *arena = wg_arena_open(64 << 20);
	struct wg_json *json = NULL;
	struct wg_error error;
	struct wg_gpu gpu;
	enum wg_status status;

	wg_error_init(&error);
	status = wg_json_open((const char *)data, size, "fuzz", WG_JSON_STRICT, &json, &error);
	if (status == WG_OK)
		status = wg_gpu_read(arena, json, &sources, &gpu, &error);
	check_error(status, &error);
	wg_json_free(json);
	for (size_t i = 0; status == WG_OK && i < WG_GPU_FIGURE_COUNT; i++)
		check_figure(&gpu.figures[i]);
	for (size_t i = 0; status == WG_OK && i < WG_RATE_COUNT; i++) {
		check_figure(&gpu.dense[i]);
		check_figure(&gpu.sparse[i]);
	}
	wg_arena_free(arena);
}

static void match_name(const uint8_t *data, size_t size)
{
	struct wg_catalog *catalog;
	const struct wg_gpu *gpu = NULL;
	struct wg_error error;
	char *name = malloc(size + 1);
	enum wg_status status;

	if (name == NULL || wg_catalog_open(NULL, &catalog, NULL) != WG_OK)
		abort();
	memcpy(name, data, size);
	name[size] = '\0';
	wg_error_init(&error);
	status = wg_catalog_match(catalog, name, &gpu, &error);
	check_error(status, &error);
	if ((gpu != NULL) != (status == WG_OK || status == WG_AMBIGUOUS))
		abort();
	wg_catalog_free(catalog);
	free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_file(data, size);
	match_name(data, size);
	return 0;
}
