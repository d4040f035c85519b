/* Collecting evidence: which files of a folder say what. */
#include "base/i18n.h"
#include "model/gather.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define FILES_LIMIT 4096

enum wg_status wg_gather_text(struct wg_arena *arena, const char *folder, const char *name,
                              const char **ret_path, const char **ret_text, size_t *ret_length,
                              struct wg_error *error)
{
	/* "config.json" stays that, not "./config.json": it is shown in errors. */
	bool here = strcmp(folder, ".") == 0;
	const char *path =
		wg_arena_printf(arena, "%s%s%s", here ? "" : folder, here ? "" : "/", name);
	enum wg_status status;
	char *bytes, *copy;
	size_t length;

	*ret_text = NULL;
	if (path == NULL)
		return wg_error_no_memory(error);
	if (ret_path != NULL)
		*ret_path = path;
	if (!wg_file_exists(path))
		return WG_OK;
	status = wg_file_read(path, WG_LIMIT_JSON_BYTES, &bytes, &length, error);
	if (status != WG_OK)
		return status;
	/* Not strndup: a NUL in the text is for the JSON reader to refuse. */
	copy = wg_arena_alloc(arena, length + 1);
	if (copy != NULL)
		memcpy(copy, bytes, length);
	free(bytes);
	if (copy == NULL)
		return wg_error_no_memory(error);
	*ret_text = copy;
	if (ret_length != NULL)
		*ret_length = length;
	return WG_OK;
}

static bool ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), wanted = strlen(ending);

	return length > wanted && strcmp(text + length - wanted, ending) == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names in the folder with this ending, sorted. */
static enum wg_status list_files(struct wg_arena *arena, const char *folder, const char *ending,
                                 const char ***ret_names, size_t *ret_count, struct wg_error *error)
{
	const char **names = wg_arena_array(arena, FILES_LIMIT, sizeof *names);
	DIR *stream = opendir(folder);
	struct dirent *entry;
	size_t count = 0;

	*ret_names = names;
	*ret_count = 0;
	if (stream == NULL)
		return wg_error_set(error, WG_SYSTEM, _("folder \"%.200s\" can not be read"),
		                    folder);
	while (names != NULL && count < FILES_LIMIT && (entry = readdir(stream)) != NULL) {
		if (entry->d_name[0] == '.' || !ends_with(entry->d_name, ending))
			continue;
		names[count] = wg_arena_strdup(arena, entry->d_name);
		if (names[count] == NULL)
			names = NULL;
		else
			count++;
	}
	closedir(stream);
	if (names == NULL)
		return wg_error_no_memory(error);
	qsort(names, count, sizeof *names, by_name);
	*ret_count = count;
	return WG_OK;
}

/* --- weights ------------------------------------------------------------- */

static enum wg_status keep_table(struct wg_arena *arena, const struct wg_tensor_table *table,
                                 struct wg_evidence *evidence, struct wg_error *error)
{
	struct wg_tensor_table *copy = wg_arena_alloc(arena, sizeof *copy);

	if (copy == NULL)
		return wg_error_no_memory(error);
	*copy = *table;
	evidence->table = copy;
	return WG_OK;
}

static enum wg_status gather_index(struct wg_arena *arena, const char *folder, const char *name,
                                   struct wg_evidence *evidence, struct wg_error *error)
{
	const char *path = wg_arena_printf(arena, "%s/%s", folder, name);
	struct wg_weight_index index;
	struct wg_tensor_table table;
	size_t missing = 0;
	enum wg_status status;

	if (path == NULL)
		return wg_error_no_memory(error);
	status = wg_safetensors_read_index(path, arena, &index, error);
	if (status != WG_OK)
		return status;
	evidence->index_bytes = index.total_bytes;
	evidence->index_parameters = index.total_parameters;
	/* Pickled shards are never opened; their index has to do. */
	if (index.shard_count == 0 || !ends_with(index.shards[0], ".safetensors"))
		return WG_OK;
	status = wg_safetensors_read_shards(folder, &index, arena, &table, &missing, error);
	if (status == WG_OK && missing == 0 && table.count > 0)
		status = keep_table(arena, &table, evidence, error);
	return status;
}

/* Headers of files that no index joins: usually the one model.safetensors. */
static enum wg_status gather_safetensors(struct wg_arena *arena, const char *folder,
                                         const char *const *names, size_t count,
                                         struct wg_evidence *evidence, struct wg_error *error)
{
	struct wg_tensor_table all = { 0 }, one;
	struct wg_tensor *tensors = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *path = wg_arena_printf(arena, "%s/%s", folder, names[i]);
		struct wg_tensor *joined;
		enum wg_status status;

		if (path == NULL)
			return wg_error_no_memory(error);
		status = wg_safetensors_read_header(path, arena, &one, error);
		if (status != WG_OK)
			return status;
		joined = wg_arena_array(arena, all.count + one.count + 1, sizeof *joined);
		if (joined == NULL)
			return wg_error_no_memory(error);
		if (all.count > 0)
			memcpy(joined, tensors, all.count * sizeof *joined);
		if (one.count > 0)
			memcpy(joined + all.count, one.tensors, one.count * sizeof *joined);
		tensors = joined;
		all.tensors = joined;
		all.count += one.count;
		all.elements += one.elements;
		all.bytes += one.bytes;
	}
	return all.count > 0 ? keep_table(arena, &all, evidence, error) : WG_OK;
}

/* PyTorch files tell their size without being read; other .bin files (training
 * arguments, optimizer states, old pickles) tell nothing. */
static void gather_pickles(struct wg_arena *arena, const char *folder, const char *const *names,
                           size_t count, struct wg_evidence *evidence)
{
	double sum = 0, bytes;

	for (size_t i = 0; i < count; i++) {
		const char *path = wg_arena_printf(arena, "%s/%s", folder, names[i]);

		if (strncmp(names[i], "pytorch_model", 13) != 0)
			continue;
		if (path == NULL || wg_pickle_read_bytes(path, &bytes, NULL) != WG_OK)
			return; /* a part of the sum would be wrong */
		sum += bytes;
	}
	evidence->index_bytes = sum;
}

static enum wg_status gather_weights(struct wg_arena *arena, const char *folder,
                                     struct wg_evidence *evidence, struct wg_error *error)
{
	const char **names;
	size_t count;
	enum wg_status status = list_files(arena, folder, ".index.json", &names, &count, error);

	if (status != WG_OK)
		return status;
	/* Sorted, model.safetensors.index.json stands before pytorch_model.bin.index.json. */
	if (count > 0)
		return gather_index(arena, folder, names[0], evidence, error);
	status = list_files(arena, folder, ".safetensors", &names, &count, error);
	if (status == WG_OK && count > 0)
		return gather_safetensors(arena, folder, names, count, evidence, error);
	if (status == WG_OK)
		status = list_files(arena, folder, ".bin", &names, &count, error);
	if (status == WG_OK && count > 0)
		gather_pickles(arena, folder, names, count, evidence);
	return status;
}

enum wg_status wg_gather_gguf(struct wg_arena *arena, const char *path,
                              struct wg_evidence *evidence, struct wg_error *error)
{
	struct wg_gguf gguf;
	enum wg_status status = wg_gguf_read(path, arena, &gguf, error);

	if (status != WG_OK)
		return status;
	if (gguf.table.count == 0) {
		wg_error_set(error, WG_BAD_INPUT, _("\"%.200s\" holds no weights%s%s"), path,
		             gguf.side[0] != '\0' ? ", only a " : "", gguf.side);
		wg_error_hint(error, _("give the file with the model's tensors"));
		return WG_BAD_INPUT;
	}
	status = keep_table(arena, &gguf.table, evidence, error);
	evidence->config_name = path;
	evidence->config = gguf.config;
	if (gguf.config == NULL) {
		evidence->config = wg_arena_printf(arena, "{\"architecture\": \"%s file\"}",
		                                   gguf.side[0] != '\0' ? gguf.side : "GGUF");
		if (evidence->config == NULL)
			return wg_error_no_memory(error);
	}
	evidence->config_length = strlen(evidence->config);
	evidence->name = gguf.name[0] != '\0' ? gguf.name : NULL;
	evidence->licence = gguf.licence;
	evidence->file_type = gguf.file_type[0] != '\0' ? gguf.file_type : "gguf";
	return status;
}

/* --- folder and file ------------------------------------------------------- */

static enum wg_status gather_config(struct wg_arena *arena, const char *folder,
                                    struct wg_evidence *evidence, struct wg_error *error)
{
	enum wg_status status = wg_gather_text(arena, folder, "config.json", &evidence->config_name,
	                                       &evidence->config, &evidence->config_length, error);

	/* A pointer or a page in its place has a better name than "not valid JSON". */
	if (status == WG_OK && evidence->config != NULL)
		status = wg_diagnose_file(evidence->config_name, "a model config", error);
	if (status == WG_OK)
		status = wg_gather_text(arena, folder, "hf_quant_config.json", NULL,
		                        &evidence->quant_config, NULL, error);
	return status;
}

enum wg_status wg_gather_folder(struct wg_arena *arena, const char *folder,
                                struct wg_evidence *evidence, struct wg_error *error)
{
	const char **names, *path;
	size_t count;
	enum wg_status status = gather_config(arena, folder, evidence, error);

	if (status != WG_OK)
		return status;
	evidence->folder = folder;
	status = wg_gather_pipeline(arena, folder, evidence, error);
	if (status != WG_OK)
		return status;
	if (evidence->config != NULL)
		return gather_weights(arena, evidence->folder, evidence, error);
	status = list_files(arena, folder, ".gguf", &names, &count, error);
	if (status != WG_OK)
		return status;
	if (count == 0)
		return wg_diagnose_folder(folder, error);
	path = wg_arena_printf(arena, "%s/%s", folder, names[0]);
	return path == NULL ? wg_error_no_memory(error)
	                    : wg_gather_gguf(arena, path, evidence, error);
}

/* Weights without a config: all that is known is the tensors. */
static enum wg_status config_or_none(struct wg_arena *arena, const char *folder, const char *path,
                                     struct wg_evidence *evidence, struct wg_error *error)
{
	static const char none[] = "{}";
	enum wg_status status = gather_config(arena, folder, evidence, error);

	if (status != WG_OK || evidence->config != NULL)
		return status;
	evidence->config = none;
	evidence->config_length = sizeof none - 1;
	evidence->config_name = path;
	return WG_OK;
}

enum wg_status wg_gather_file(struct wg_arena *arena, const char *path,
                              struct wg_evidence *evidence, struct wg_error *error)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	const char *folder = slash == NULL ? "."
	                     : slash == path
	                             ? "/"
	                             : wg_arena_strndup(arena, path, (size_t)(slash - path));
	enum wg_status status;

	if (folder == NULL)
		return wg_error_no_memory(error);
	if (ends_with(path, ".gguf"))
		return wg_gather_gguf(arena, path, evidence, error);
	if (ends_with(path, ".safetensors")) {
		status = gather_safetensors(arena, folder, &name, 1, evidence, error);
		return status != WG_OK ? status
		                       : config_or_none(arena, folder, path, evidence, error);
	}
	if (ends_with(path, ".index.json")) {
		status = gather_index(arena, folder, name, evidence, error);
		return status != WG_OK ? status
		                       : config_or_none(arena, folder, path, evidence, error);
	}
	status = wg_diagnose_file(path, "a model config", error);
	if (status == WG_OK)
		status = wg_gather_text(arena, folder, name, &evidence->config_name,
		                        &evidence->config, &evidence->config_length, error);
	if (status == WG_OK && strcmp(name, "config.json") == 0)
		status = wg_gather_text(arena, folder, "hf_quant_config.json", NULL,
		                        &evidence->quant_config, NULL, error);
	return status;
}

enum wg_status wg_gather_fetched(struct wg_arena *arena, const struct wg_hf_files *files,
                                 struct wg_evidence *evidence, struct wg_error *error)
{
	struct wg_weight_index index;
	enum wg_status status = WG_OK;

	evidence->config = files->config != NULL ? files->config : "{}";
	evidence->config_length = strlen(evidence->config);
	evidence->config_name = "config.json";
	evidence->quant_config = files->quant_config;
	if (files->index != NULL) {
		status = wg_safetensors_read_index_text(files->index, strlen(files->index),
		                                        "model.safetensors.index.json", arena,
		                                        &index, error);
		if (status != WG_OK)
			return status;
		evidence->index_bytes = index.total_bytes;
		evidence->index_parameters = index.total_parameters;
	}
	if (files->table.count > 0)
		status = keep_table(arena, &files->table, evidence, error);
	return status;
}
