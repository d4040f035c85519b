/* Fetching what says how large a model is: texts and headers, never weights. */
#include "model/hf_fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "model/fetch.h"
#include "model/safetensors.h"
#include "whichgpu/limits.h"

/* Most headers fit; one request then does for a file. */
#define FIRST_BYTES ((size_t)64 << 10)
/* More shards than this are not asked one by one; the index must do. */
#define SHARDS_MAX 64

struct fetching {
	struct wg_fetcher *fetcher;
	const struct wg_hf_name *name;
	struct wg_arena *arena;
	struct wg_error *error;
	char path[1024];
};

static const char *path_of(struct fetching *fetching, const char *file)
{
	snprintf(fetching->path, sizeof fetching->path, "%s/resolve/%s/%s",
	         fetching->name->repository, fetching->name->revision, file);
	return fetching->path;
}

static enum wg_status get_text(struct fetching *fetching, const char *file, const char **ret_text)
{
	char *text = NULL;
	size_t length = 0;
	enum wg_status status =
		wg_fetch_text(fetching->fetcher, path_of(fetching, file), WG_LIMIT_JSON_BYTES,
	                      fetching->arena, &text, &length, fetching->error);

	if (status != WG_OK)
		return status;
	if (text != NULL && strlen(text) != length)
		return wg_error_set(fetching->error, WG_BAD_INPUT, _("\"%s\" contains NUL bytes"),
		                    fetching->path);
	*ret_text = text;
	return WG_OK;
}

/* The header beyond what the first request brought, joined with it. */
static enum wg_status get_rest(struct fetching *fetching, const char *file, uint64_t length,
                               const char *first, size_t first_bytes, char **ret_text)
{
	size_t have = first_bytes - 8, got = 0;
	uint64_t file_bytes;
	char *text = wg_arena_alloc(fetching->arena, (size_t)length + 1);

	if (text == NULL)
		return wg_error_no_memory(fetching->error);
	if (have > length)
		have = (size_t)length;
	memcpy(text, first + 8, have);
	if (have < length) {
		size_t want = (size_t)length - have;
		enum wg_status status =
			wg_fetch_range(fetching->fetcher, path_of(fetching, file), 8 + have, want,
		                       text + have, &got, &file_bytes, fetching->error);

		if (status != WG_OK)
			return status;
		if (got != want)
			return wg_error_set(fetching->error, WG_SYSTEM,
			                    _("\"%s\": the answer was cut off"), fetching->path);
	}
	*ret_text = text;
	return WG_OK;
}

/* One file's header into the builder; *ret_found false when there is no file. */
static enum wg_status get_header(struct fetching *fetching, const char *file,
                                 struct wg_table_builder *builder, bool *ret_found)
{
	char *first = malloc(FIRST_BYTES), *text = NULL;
	size_t got = 0;
	uint64_t file_bytes = 0, length = 0;
	enum wg_status status;

	if (first == NULL)
		return wg_error_no_memory(fetching->error);
	status = wg_fetch_range(fetching->fetcher, path_of(fetching, file), 0, FIRST_BYTES, first,
	                        &got, &file_bytes, fetching->error);
	*ret_found = status != WG_OK || got > 0;
	if (status == WG_OK && got > 0 && got < 8)
		status = wg_error_set(fetching->error, WG_BAD_INPUT,
		                      _("\"%s\" is no safetensors file"), fetching->path);
	if (status == WG_OK && got > 0) {
		for (int i = 7; i >= 0; i--)
			length = length << 8 | (unsigned char)first[i];
		status = wg_safetensors_check_length(length, file_bytes, file, fetching->error);
	}
	if (status == WG_OK && got > 0)
		status = get_rest(fetching, file, length, first, got, &text);
	free(first);
	if (status == WG_OK && text != NULL)
		status = wg_safetensors_parse(text, (size_t)length, file_bytes - 8 - length,
		                              wg_arena_strdup(fetching->arena, file), builder,
		                              fetching->error);
	return status;
}

/* The headers of all shards, where the index does not say their sum. */
static enum wg_status get_shards(struct fetching *fetching, const char *index_text,
                                 struct wg_table_builder *builder)
{
	struct wg_weight_index index;
	bool found = true;
	enum wg_status status = wg_safetensors_read_index_text(
		index_text, strlen(index_text), "model.safetensors.index.json", fetching->arena,
		&index, fetching->error);

	if (status != WG_OK || index.total_bytes > 0 || index.shard_count > SHARDS_MAX)
		return status;
	for (size_t i = 0; i < index.shard_count && status == WG_OK; i++) {
		status = get_header(fetching, index.shards[i], builder, &found);
		if (status == WG_OK && !found)
			status = wg_error_set(fetching->error, WG_NOT_FOUND,
			                      _("the index names \"%.120s\", "
			                        "which the repository does not have"),
			                      index.shards[i]);
	}
	return status;
}

static enum wg_status get_weights(struct fetching *fetching, struct wg_hf_files *files)
{
	struct wg_table_builder builder;
	bool found;
	enum wg_status status = get_text(fetching, "model.safetensors.index.json", &files->index);

	if (status != WG_OK)
		return status;
	wg_table_builder_init(&builder, fetching->arena, 0);
	if (files->index != NULL)
		status = get_shards(fetching, files->index, &builder);
	else
		status = get_header(fetching, "model.safetensors", &builder, &found);
	if (status == WG_OK)
		wg_table_builder_finish(&builder, &files->table);
	wg_table_builder_done(&builder);
	if (status == WG_OK && files->index == NULL && files->table.count == 0)
		status = get_text(fetching, "pytorch_model.bin.index.json", &files->index);
	return status;
}

static enum wg_status get_files(struct fetching *fetching, struct wg_hf_files *files)
{
	enum wg_status status = get_text(fetching, "config.json", &files->config);

	if (status == WG_OK && files->config == NULL) {
		status = get_text(fetching, "model_index.json", &files->model_index);
		if (status != WG_OK || files->model_index != NULL)
			return status;
		wg_error_set(fetching->error, WG_NOT_FOUND,
		             _("\"hf:%.200s\" has no config.json, or there "
		               "is no such model"),
		             fetching->name->repository);
		wg_error_hint(fetching->error,
		              _("check the name; of a GGUF repository download one file"));
		return WG_NOT_FOUND;
	}
	/* Only a config that does not say how it is quantised may have a second one. */
	if (status == WG_OK && strstr(files->config, "\"quantization_config\"") == NULL)
		status = get_text(fetching, "hf_quant_config.json", &files->quant_config);
	return status == WG_OK ? get_weights(fetching, files) : status;
}

enum wg_status wg_hf_fetch(const struct wg_hf_name *name, struct wg_arena *arena,
                           struct wg_hf_files *ret_files, struct wg_error *error)
{
	struct fetching fetching = { .name = name, .arena = arena, .error = error };
	struct wg_hf_files files = { 0 };
	enum wg_status status = wg_fetcher_open(&fetching.fetcher, error);

	if (status != WG_OK)
		return status;
	status = get_files(&fetching, &files);
	wg_fetcher_free(fetching.fetcher);
	if (status == WG_OK)
		*ret_files = files;
	return status;
}
