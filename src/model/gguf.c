/* A GGUF model: one file or all parts of a split one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "model/gguf_config.h"
#include "model/gguf_file.h"
#include "whichgpu/limits.h"
#include "whichgpu/text.h"

static const struct {
	unsigned id;
	const char *name;
} file_types[] = {
#define WG_GGUF_FILE_TYPE(id, name) { id, name },
#include "model/gguf_file_types.def"
#undef WG_GGUF_FILE_TYPE
};

/* What is known of the parts while they are read. */
struct parts {
	unsigned count, given; /* of the file that was named; given from 0 */
	size_t stem;           /* length of its path before "-00001-of-00003.gguf" */
	double tensors;        /* split.tensors.count; -1: not said */
};

static const char *file_type(const struct wg_gguf_file *file)
{
	double id = -1;

	wg_gguf_number(file, "general.file_type", &id);
	for (size_t i = 0; i < sizeof file_types / sizeof *file_types; i++)
		if (file_types[i].id == id)
			return file_types[i].name;
	return "";
}

/* Files that go beside a model; NULL for a model. */
static const char *side(const struct wg_gguf_file *file, const char *architecture)
{
	const char *type = wg_gguf_text(file, "general.type");
	const char *slash = strrchr(file->input->name, '/');
	const char *name = slash != NULL ? slash + 1 : file->input->name;

	if (strcmp(type, "mmproj") == 0 || strcmp(architecture, "clip") == 0 ||
	    strncmp(name, "mmproj-", 7) == 0)
		return "mmproj";
	if (strcmp(type, "adapter") == 0)
		return "adapter";
	if (strncmp(name, "mtp-", 4) == 0)
		return "mtp";
	if (file->tensor_count == 0 && wg_gguf_find(file, "tokenizer.ggml.tokens") != NULL)
		return "vocabulary";
	return NULL;
}

static enum wg_status fail_split(const char *path, const char *words, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT, _("\"%s\": %s"), path, words);
	wg_error_hint(error, _("all parts of a split file must come from the same download"));
	wg_error_place(error, path, 0, 0, -1);
	return WG_BAD_INPUT;
}

/* The split keys must agree with each other and with the other parts. */
static enum wg_status check_split(const struct wg_gguf_file *file, unsigned part, unsigned count,
                                  double *tensors, struct wg_error *error)
{
	double no = 0, of = 1, all = -1;

	wg_gguf_number(file, "split.count", &of);
	wg_gguf_number(file, "split.no", &no);
	wg_gguf_number(file, "split.tensors.count", &all);
	if (!(no >= 0) || !(of >= 1) || of > WG_LIMIT_SHARDS || no >= of)
		return fail_split(file->input->name,
		                  _("its part number is not below its number of parts"), error);
	if (of != count || no != part)
		return fail_split(file->input->name,
		                  _("its part number does not agree with its name"), error);
	if (all >= 0 && *tensors >= 0 && all != *tensors)
		return fail_split(file->input->name,
		                  _("the parts disagree about the number of tensors"), error);
	if (all >= 0)
		*tensors = all;
	return WG_OK;
}

/* "stem-00002-of-00003.gguf": which part, of how many. */
static bool read_part_name(const char *path, struct parts *parts)
{
	static const char shape[] = "-00001-of-00001.gguf";
	size_t length = strlen(path), tail = sizeof shape - 1;

	if (length <= tail)
		return false;
	const char *at = path + length - tail;
	for (size_t i = 0; i < tail; i++)
		if (shape[i] >= '0' && shape[i] <= '9' ? at[i] < '0' || at[i] > '9'
		                                       : at[i] != shape[i])
			return false;
	parts->given = (unsigned)strtoul(at + 1, NULL, 10) - 1;
	parts->count = (unsigned)strtoul(at + 10, NULL, 10);
	parts->stem = length - tail;
	return parts->count >= 1 && parts->given < parts->count;
}

/* A text for people, made harmless: files from strangers drive no terminal. */
static const char *plain_text(const struct wg_gguf_file *file, const char *key,
                              struct wg_arena *arena)
{
	const char *text = wg_gguf_text(file, key);
	size_t length = strlen(text), room = 3 * length + 1;
	char *plain = wg_arena_alloc(arena, room);

	if (plain != NULL)
		wg_text_sanitize(plain, room, text, length);
	return plain;
}

/* What the model is, from the file that has the keys. */
static enum wg_status describe(const struct wg_gguf_file *file, struct wg_arena *arena,
                               const struct wg_table_builder *builder, struct wg_gguf *ret_gguf,
                               struct wg_error *error)
{
	const char *reason;

	ret_gguf->architecture = plain_text(file, "general.architecture", arena);
	ret_gguf->name = plain_text(file, "general.name", arena);
	ret_gguf->licence = plain_text(file, "general.license", arena);
	if (ret_gguf->architecture == NULL || ret_gguf->name == NULL || ret_gguf->licence == NULL)
		return wg_error_no_memory(error);
	ret_gguf->file_type = file_type(file);
	reason = side(file, ret_gguf->architecture);
	ret_gguf->side = reason != NULL ? reason : "";
	ret_gguf->config = NULL;
	return reason != NULL ? WG_OK
	                      : wg_gguf_make_config(file, builder, arena, &ret_gguf->config, error);
}

/* One file into the builder; the first also describes the model. */
static enum wg_status read_part(const char *path, unsigned part, unsigned count,
                                struct wg_arena *arena, struct wg_table_builder *builder,
                                double *tensors, struct wg_gguf *ret_gguf, struct wg_error *error)
{
	struct wg_input input;
	struct wg_gguf_file file;
	enum wg_status status = wg_input_open(path, &input, error);

	if (status != WG_OK)
		return status;
	status = wg_gguf_file_read(&input, arena, builder, &file, error);
	if (status == WG_OK) {
		status = check_split(&file, part, count, tensors, error);
		if (status == WG_OK && part == 0)
			status = describe(&file, arena, builder, ret_gguf, error);
		wg_gguf_file_done(&file);
	} else if (status == WG_BAD_INPUT) {
		wg_diagnose_file(path, "GGUF", error);
	}
	wg_input_done(&input);
	return status;
}

static enum wg_status read_parts(const char *path, const struct parts *parts,
                                 struct wg_arena *arena, struct wg_table_builder *builder,
                                 struct wg_gguf *ret_gguf, struct wg_error *error)
{
	double tensors = -1;

	for (unsigned part = 0; part < parts->count; part++) {
		const char *name = path;

		if (part != parts->given)
			name = wg_arena_printf(arena, "%.*s-%05u-of-%05u.gguf", (int)parts->stem,
			                       path, part + 1, parts->count);
		if (name == NULL)
			return wg_error_no_memory(error);
		enum wg_status status = read_part(name, part, parts->count, arena, builder,
		                                  &tensors, ret_gguf, error);
		if (status == WG_NOT_FOUND && parts->count > 1) {
			wg_error_set(error, WG_NOT_FOUND,
			             _("part %u of %u is missing: there is no file \"%s\""),
			             part + 1, parts->count, name);
			wg_error_hint(error, _("download all parts into one folder"));
		}
		if (status != WG_OK)
			return status;
	}
	if (tensors >= 0 && tensors != (double)builder->count)
		return fail_split(path,
		                  _("the parts have another number of tensors than they declare"),
		                  error);
	return WG_OK;
}

enum wg_status wg_gguf_read(const char *path, struct wg_arena *arena, struct wg_gguf *ret_gguf,
                            struct wg_error *error)
{
	struct parts parts = { .count = 1, .given = 0 };
	struct wg_table_builder builder;
	struct wg_gguf gguf = { 0 };

	if (!read_part_name(path, &parts))
		parts = (struct parts){ .count = 1, .given = 0 };
	wg_table_builder_init(&builder, arena, 0);
	enum wg_status status = read_parts(path, &parts, arena, &builder, &gguf, error);
	if (status == WG_OK)
		wg_table_builder_finish(&builder, &gguf.table);
	wg_table_builder_done(&builder);
	if (status == WG_OK)
		*ret_gguf = gguf;
	return status;
}
