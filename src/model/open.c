/* What the user wrote -> where the model is -> evidence -> model. */
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "model/root.h"
#include "whichgpu/file.h"

/* Text of folder/name in the arena; NULL text when there is no such file. */
static enum wg_status read_beside(struct wg_arena *arena, const char *folder, const char *name,
                                  const char **ret_path, const char **ret_text,
                                  size_t *ret_length, struct wg_error *error)
{
	const char *path = wg_arena_printf(arena, "%s/%s", folder, name);
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
	copy = wg_arena_strndup(arena, bytes, length);
	free(bytes);
	if (copy == NULL)
		return wg_error_no_memory(error);
	*ret_text = copy;
	if (ret_length != NULL)
		*ret_length = length;
	return WG_OK;
}

/* The last part of a path without trailing slashes: "b" of "a/b//". */
static const char *last_part(struct wg_arena *arena, const char *path)
{
	size_t end = strlen(path), begin;

	while (end > 1 && path[end - 1] == '/')
		end--;
	begin = end;
	while (begin > 0 && path[begin - 1] != '/')
		begin--;
	return wg_arena_strndup(arena, path + begin, end - begin);
}

static enum wg_status gather_folder(struct wg_arena *arena, const char *folder,
                                    struct wg_evidence *evidence, struct wg_error *error)
{
	enum wg_status status;

	status = read_beside(arena, folder, "config.json", &evidence->config_name, &evidence->config,
	                     &evidence->config_length, error);
	if (status == WG_OK)
		status = read_beside(arena, folder, "hf_quant_config.json", NULL,
		                     &evidence->quant_config, NULL, error);
	if (status != WG_OK)
		return status;
	if (evidence->config == NULL) {
		wg_error_set(error, WG_NOT_FOUND, "folder \"%.200s\" has no config.json", folder);
		wg_error_hint(error, "give the folder of a Hugging Face model, or one of its files");
		return WG_NOT_FOUND;
	}
	return WG_OK;
}

static enum wg_status gather(struct wg_arena *arena, const char *spec,
                             struct wg_evidence *evidence, struct wg_error *error)
{
	const struct wg_embedded *known = wg_model_catalog_find(spec);
	size_t slash = strlen(spec);

	if (known != NULL && !(strchr(spec, '/') != NULL && wg_file_exists(spec))) {
		evidence->config = known->bytes;
		evidence->config_length = known->length;
		evidence->config_name = known->path;
		evidence->id = known->name;
		return WG_OK;
	}
	evidence->origin = spec;
	if (wg_file_is_directory(spec)) {
		evidence->id = last_part(arena, spec);
		return gather_folder(arena, spec, evidence, error);
	}
	if (!wg_file_exists(spec)) {
		wg_error_set(error, WG_NOT_FOUND, "no model, folder or file is called \"%.200s\"", spec);
		wg_model_catalog_hint(spec, error);
		return WG_NOT_FOUND;
	}
	while (slash > 0 && spec[slash - 1] != '/')
		slash--;
	const char *folder = slash > 0 ? wg_arena_strndup(arena, spec, slash) : ".";
	if (folder == NULL)
		return wg_error_no_memory(error);
	evidence->id = last_part(arena, spec);
	return read_beside(arena, folder, spec + slash, &evidence->config_name, &evidence->config,
	                   &evidence->config_length, error);
}

enum wg_status wg_model_open(const char *spec, const struct wg_model_options *options,
                             struct wg_model **ret_model, struct wg_error *error)
{
	struct wg_evidence evidence = { 0 };
	struct wg_arena *arena = wg_arena_open(0);
	enum wg_status status;

	if (arena == NULL)
		return wg_error_no_memory(error);
	if (strncmp(spec, "params:", 7) == 0)
		return wg_model_build_given(arena, spec + 7, ret_model, error);
	status = gather(arena, spec, &evidence, error);
	if (status != WG_OK) {
		wg_arena_free(arena);
		return status;
	}
	return wg_model_build(arena, &evidence, ret_model, error);
}
