/* Diffusion pipelines: model_index.json names the parts; the denoiser (U-Net or
 * transformer) is the model, the text encoders and the VAE its companions. */
#include <string.h>

#include "base/i18n.h"
#include "model/blocks.h"
#include "model/family.h"
#include "model/gather.h"

static const char *const denoisers[] = { "transformer", "unet" };
static const char *const parts[WG_PIPELINE_PARTS] = { "text_encoder", "text_encoder_2",
	                                              "text_encoder_3", "image_encoder", "vae" };

static bool names_part(const struct wg_json_at *root, const char *part)
{
	struct wg_json_at at = wg_json_member(root, part), second;
	const char *class;

	/* [null, null]: the pipeline can have it, this one does not */
	second = wg_json_element(&at, 1);
	return wg_json_as_string(&second, &class);
}

static enum wg_status read_part(struct wg_arena *arena, const char *folder, const char *part,
                                const char **ret_path, const char **ret_text, size_t *ret_length,
                                struct wg_error *error)
{
	const char *name = wg_arena_printf(arena, "%s/config.json", part);
	enum wg_status status;

	if (name == NULL)
		return wg_error_no_memory(error);
	status = wg_gather_text(arena, folder, name, ret_path, ret_text, ret_length, error);
	if (status != WG_OK || *ret_text != NULL)
		return status;
	name = wg_arena_printf(arena, "%s.config.json", part);
	if (name == NULL)
		return wg_error_no_memory(error);
	return wg_gather_text(arena, folder, name, ret_path, ret_text, ret_length, error);
}

static enum wg_status gather_denoiser(struct wg_arena *arena, const char *folder,
                                      struct wg_evidence *evidence, struct wg_error *error)
{
	for (size_t i = 0; i < 2 && evidence->config == NULL; i++) {
		enum wg_status status =
			read_part(arena, folder, denoisers[i], &evidence->config_name,
		                  &evidence->config, &evidence->config_length, error);

		if (status != WG_OK)
			return status;
		if (evidence->config != NULL) {
			evidence->folder = wg_arena_printf(arena, "%s/%s", folder, denoisers[i]);
			if (evidence->folder == NULL)
				return wg_error_no_memory(error);
			if (!wg_file_is_directory(evidence->folder))
				evidence->folder = folder;
		}
	}
	return WG_OK;
}

enum wg_status wg_gather_pipeline(struct wg_arena *arena, const char *folder,
                                  struct wg_evidence *evidence, struct wg_error *error)
{
	const char *text, *path;
	struct wg_json *json;
	size_t length;
	enum wg_status status =
		wg_gather_text(arena, folder, "model_index.json", &path, &text, &length, error);

	if (status != WG_OK || text == NULL)
		return status;
	status = wg_json_open(text, length, path, WG_JSON_ALLOW_NONFINITE, &json, error);
	if (status != WG_OK)
		return status;
	struct wg_json_at root = wg_json_root(json);
	status = gather_denoiser(arena, folder, evidence, error);
	for (size_t i = 0; i < WG_PIPELINE_PARTS && status == WG_OK; i++) {
		struct wg_pipeline_part *part = &evidence->parts[evidence->part_count];

		if (!names_part(&root, parts[i]))
			continue;
		part->name = parts[i];
		status = read_part(arena, folder, parts[i], &part->path, &part->config,
		                   &part->config_length, error);
		evidence->part_count++;
	}
	wg_json_free(json);
	return status;
}

/* A pipeline's T5 is only ever an encoder. */
static void (*builder_of(const struct wg_json_at *root))(struct wg_builder *)
{
	static const char *const keys[] = { "architectures", "model_type", "_class_name" };
	const struct wg_family *family = NULL;

	for (size_t i = 0; i < 3 && family == NULL; i++) {
		struct wg_json_at at = wg_json_member(root, keys[i]);
		const char *name = NULL;

		if (wg_json_type(&at) == WG_JSON_ARRAY)
			at = wg_json_element(&at, 0);
		if (wg_json_as_string(&at, &name))
			family = wg_family_find(name);
	}
	if (family == NULL)
		return NULL;
	return strcmp(family->key, "t5") == 0 ? wg_build_t5_encoder : family->build;
}

static void build_part(struct wg_builder *builder, const char *name, const struct wg_json_at *at)
{
	void (*build)(struct wg_builder *) = builder_of(at);

	if (build != NULL)
		wg_build_companion(builder, at, build);
	else
		wg_builder_warn(builder,
		                _("the pipeline's %.40s is of a kind not known: it is not counted"),
		                name);
}

/* Our own form has the parts' shapes in the model's file. */
static void build_own_parts(struct wg_builder *builder)
{
	struct wg_json_at own = wg_json_member(&builder->config.root, "parts");
	size_t count = wg_json_type(&own) == WG_JSON_OBJECT ? wg_json_count(&own) : 0;

	for (size_t i = 0; i < count && i < WG_PIPELINE_PARTS && wg_builder_ok(builder); i++) {
		const char *name = "";
		struct wg_json_at part = wg_json_member_at(&own, i, &name);

		build_part(builder, name, &part);
	}
}

void wg_build_pipeline(struct wg_builder *builder, const struct wg_evidence *evidence)
{
	build_own_parts(builder);
	for (size_t i = 0; i < evidence->part_count && wg_builder_ok(builder); i++) {
		const struct wg_pipeline_part *part = &evidence->parts[i];
		struct wg_json *json;

		if (part->config == NULL) {
			wg_builder_warn(builder,
			                _("the pipeline's %s is not there: it is not counted"),
			                part->name);
			continue;
		}
		if (wg_json_open(part->config, part->config_length, part->path,
		                 WG_JSON_ALLOW_NONFINITE, &json, builder->config.error) != WG_OK) {
			builder->config.status = WG_BAD_INPUT;
			return;
		}
		struct wg_json_at root = wg_json_root(json);
		build_part(builder, part->name, &root);
		wg_json_free(json);
	}
}
