/* What the user wrote -> where the model is -> model. */
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/i18n.h"
#include "model/gather.h"

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

/* hf:ORG/NAME: the local cache's folder, or what was fetched. */
static enum wg_status gather_hf(struct wg_arena *arena, const char *name, bool offline,
                                struct wg_evidence *evidence, struct wg_error *error)
{
	struct wg_hf_files files;
	enum wg_status status = wg_location_find_hf(name, offline, arena, &files, error);

	if (status != WG_OK)
		return status;
	evidence->id = last_part(arena, name);
	if (evidence->id == NULL)
		return wg_error_no_memory(error);
	if (files.folder != NULL)
		return wg_gather_folder(arena, files.folder, evidence, error);
	return wg_gather_fetched(arena, &files, evidence, error);
}

static enum wg_status gather_ollama(struct wg_arena *arena, const char *name,
                                    struct wg_evidence *evidence, struct wg_error *error)
{
	const char *path;
	enum wg_status status = wg_location_find_ollama(name, arena, &path, error);

	if (status != WG_OK)
		return status;
	evidence->id = name;
	return wg_gather_gguf(arena, path, evidence, error);
}

static enum wg_status gather(struct wg_arena *arena, const char *spec,
                             const struct wg_model_options *options, struct wg_evidence *evidence,
                             struct wg_error *error)
{
	const struct wg_embedded *known = wg_model_catalog_find(spec);

	evidence->origin = spec;
	if (strncmp(spec, "hf:", 3) == 0)
		return gather_hf(arena, spec + 3, options != NULL && options->offline, evidence,
		                 error);
	if (strncmp(spec, "ollama:", 7) == 0)
		return gather_ollama(arena, spec + 7, evidence, error);
	/* A path that exists is meant as one; a bare word is a name first. */
	if (known != NULL && !(strchr(spec, '/') != NULL && wg_file_exists(spec))) {
		*evidence = (struct wg_evidence){ .config = known->bytes,
			                          .config_length = known->length,
			                          .config_name = known->path,
			                          .id = known->name };
		return WG_OK;
	}
	evidence->id = last_part(arena, spec);
	if (evidence->id == NULL)
		return wg_error_no_memory(error);
	if (wg_file_is_directory(spec))
		return wg_gather_folder(arena, spec, evidence, error);
	if (wg_file_exists(spec))
		return wg_gather_file(arena, spec, evidence, error);
	wg_error_set(error, WG_NOT_FOUND, _("no model, folder or file is called \"%.200s\""), spec);
	wg_model_catalog_hint(spec, error);
	return WG_NOT_FOUND;
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
	status = gather(arena, spec, options, &evidence, error);
	if (status != WG_OK) {
		wg_arena_free(arena);
		return status;
	}
	return wg_model_build(arena, &evidence, ret_model, error);
}

enum wg_status wg_model_open_config(const char *text, size_t length, const char *name,
                                    struct wg_model **ret_model, struct wg_error *error)
{
	struct wg_evidence evidence = { .config = text,
		                        .config_length = length,
		                        .config_name = name,
		                        .id = name,
		                        .origin = name };
	struct wg_arena *arena = wg_arena_open(0);

	if (arena == NULL)
		return wg_error_no_memory(error);
	return wg_model_build(arena, &evidence, ret_model, error);
}
