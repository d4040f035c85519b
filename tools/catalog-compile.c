/* catalog-compile DATA [OUTPUT.c DEPFILE]
 *
 * Reads DATA/gpus, DATA/sources.json, DATA/gpu_families.json and
 * DATA/lint.json, refuses data that fails the linter, and writes the catalogue
 * as constant C structures, so that opening it costs nothing. Without OUTPUT
 * it only checks. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/keylist.h"
#include "catalog/lint.h"
#include "catalog/read.h"
#include "whichgpu/file.h"
#include "whichgpu/text.h"

enum { GPU_FILES = 4096, OUTPUT_BYTES = 64 << 20 };

struct data {
	const char *folder;
	struct wg_arena *arena;
	struct wg_source_list sources;
	struct wg_lint_rules rules;
	const char *paths[GPU_FILES];
	const struct wg_gpu *gpus[GPU_FILES];
	size_t gpu_count;
};

static int fail(const struct wg_error *error)
{
	fprintf(stderr, "catalog-compile: %s%s%s%s%s\n", error->file, error->file[0] ? ": " : "",
	        error->path, error->path[0] ? ": " : "", error->message);
	return 1;
}

static struct wg_json *open_json(const struct data *data, const char *name, struct wg_error *error)
{
	const char *path = wg_arena_printf(data->arena, "%s/%s", data->folder, name);
	struct wg_json *json = NULL;

	if (path != NULL)
		(void)wg_json_open_file(path, WG_JSON_STRICT, &json, error);
	return json;
}

static int read_shared(struct data *data, struct wg_error *error)
{
	struct wg_json *sources = open_json(data, "sources.json", error);
	struct wg_json *families =
		sources != NULL ? open_json(data, "gpu_families.json", error) : NULL;
	struct wg_json *lint = families != NULL ? open_json(data, "lint.json", error) : NULL;
	struct wg_json_at root;
	int result = 1;

	if (lint != NULL) {
		root = wg_json_root(sources);
		result = wg_sources_read(data->arena, &root, &data->sources, error) != WG_OK ||
		         wg_lint_rules_read(data->arena, families, lint, &data->rules, error) !=
		                 WG_OK;
	}
	wg_json_free(sources);
	wg_json_free(families);
	wg_json_free(lint);
	return result;
}

static int path_compare(const void *a, const void *b)
{
	const char *const *x = a;
	const char *const *y = b;

	return strcmp(*x, *y);
}

static int list_gpus(struct data *data)
{
	const char *folder = wg_arena_printf(data->arena, "%s/gpus", data->folder);
	DIR *directory = folder != NULL ? opendir(folder) : NULL;
	struct dirent *entry;

	if (directory == NULL) {
		fprintf(stderr, "catalog-compile: cannot read %s/gpus\n", data->folder);
		return 1;
	}
	while ((entry = readdir(directory)) != NULL && data->gpu_count < GPU_FILES) {
		size_t length = strlen(entry->d_name);

		if (length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0)
			data->paths[data->gpu_count++] =
				wg_arena_printf(data->arena, "%s/%s", folder, entry->d_name);
	}
	closedir(directory);
	qsort(data->paths, data->gpu_count, sizeof(data->paths[0]), path_compare);
	return 0;
}

static int gpu_compare(const void *a, const void *b)
{
	const struct wg_gpu *const *x = a;
	const struct wg_gpu *const *y = b;

	return strcmp((*x)->id, (*y)->id);
}

/* Every file is named after the id it holds. */
static int read_gpus(struct data *data, struct wg_error *error)
{
	for (size_t i = 0; i < data->gpu_count; i++) {
		struct wg_gpu *gpu = wg_arena_alloc(data->arena, sizeof(*gpu));
		const char *base = strrchr(data->paths[i], '/') + 1;
		struct wg_json *json = NULL;

		if (gpu == NULL ||
		    wg_json_open_file(data->paths[i], WG_JSON_STRICT, &json, error) != WG_OK)
			return fail(error);
		if (wg_gpu_read(data->arena, json, &data->sources, gpu, error) != WG_OK) {
			wg_json_free(json);
			return fail(error);
		}
		wg_json_free(json);
		if (strncmp(base, gpu->id, strlen(gpu->id)) != 0 ||
		    strcmp(base + strlen(gpu->id), ".json") != 0) {
			fprintf(stderr, "catalog-compile: %s holds \"%s\"\n", data->paths[i],
			        gpu->id);
			return 1;
		}
		data->gpus[i] = gpu;
	}
	/* "a-b.json" sorts before "a.json", "a" before "a-b" */
	qsort(data->gpus, data->gpu_count, sizeof(void *), gpu_compare);
	return 0;
}

static int lint(const struct data *data)
{
	static struct wg_findings findings;
	size_t total = 0;

	for (size_t i = 0; i < data->gpu_count; i++) {
		findings.count = 0;
		wg_lint_gpu(&data->rules, data->gpus[i], &findings);
		for (size_t k = 0; k < findings.count; k++)
			fprintf(stderr, "data/gpus/%s.json: %s: %s: %s\n", data->gpus[i]->id,
			        findings.items[k].rule, findings.items[k].figure,
			        findings.items[k].message);
		total += findings.count;
	}
	findings.count = 0;
	wg_lint_names(data->gpus, data->gpu_count, &findings);
	for (size_t k = 0; k < findings.count; k++)
		fprintf(stderr, "data/gpus: %s: %s\n", findings.items[k].rule,
		        findings.items[k].message);
	return total + findings.count > 0;
}

/* --- writing ------------------------------------------------------------- */

static void put_string(struct wg_text *out, const char *text)
{
	if (text == NULL) {
		wg_text_add(out, "NULL");
		return;
	}
	wg_text_add_char(out, '"');
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			wg_text_printf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f || c == '?')
			wg_text_printf(out, "\\%03o", c);
		else
			wg_text_add_char(out, (char)c);
	}
	wg_text_add_char(out, '"');
}

static size_t source_index(const struct data *data, const struct wg_source *source)
{
	return (size_t)(source - data->sources.items);
}

static void put_others(const struct data *data, struct wg_text *out, const struct wg_figure *figure,
                       const char *name, size_t gpu, size_t index)
{
	if (figure->other_count == 0)
		return;
	wg_text_printf(out, "static const struct wg_other_value %s_%zu_%zu[] = {\n", name, gpu,
	               index);
	for (size_t i = 0; i < figure->other_count; i++) {
		const struct wg_other_value *other = &figure->others[i];

		wg_text_printf(out, "\t{ %.17g, &wg_builtin_sources[%zu], %d, ", other->value,
		               source_index(data, other->source), (int)other->confidence);
		put_string(out, other->note);
		wg_text_add(out, " },\n");
	}
	wg_text_add(out, "};\n");
}

static void put_figure(const struct data *data, struct wg_text *out, const struct wg_figure *figure,
                       const char *name, size_t gpu, size_t index)
{
	if (figure->state == WG_NOT_KNOWN)
		return;
	wg_text_printf(out, "\t\t\t[%zu] = { %.17g, %d, %d, &wg_builtin_sources[%zu], ", index,
	               figure->value, (int)figure->state, (int)figure->confidence,
	               source_index(data, figure->source));
	put_string(out, figure->note);
	if (figure->other_count > 0)
		wg_text_printf(out, ", %s_%zu_%zu, %zu", name, gpu, index, figure->other_count);
	wg_text_add(out, " },\n");
}

static void put_names(struct wg_text *out, const char *const *names, size_t count, const char *name,
                      size_t gpu)
{
	if (count == 0)
		return;
	wg_text_printf(out, "static const char *const %s_%zu[] = { ", name, gpu);
	for (size_t i = 0; i < count; i++) {
		put_string(out, names[i]);
		wg_text_add(out, ", ");
	}
	wg_text_add(out, "};\n");
}

static const struct {
	const char *member, *name;
	size_t count;
} groups[] = {
	{ "figures", "figure", WG_GPU_FIGURE_COUNT },
	{ "dense", "dense", WG_RATE_COUNT },
	{ "sparse", "sparse", WG_RATE_COUNT },
};

static const struct wg_figure *group_of(const struct wg_gpu *gpu, size_t group)
{
	return group == 0 ? gpu->figures : group == 1 ? gpu->dense : gpu->sparse;
}

static void put_lists(const struct data *data, struct wg_text *out, size_t gpu_index)
{
	const struct wg_gpu *gpu = data->gpus[gpu_index];

	for (size_t group = 0; group < 3; group++) {
		for (size_t i = 0; i < groups[group].count; i++)
			put_others(data, out, &group_of(gpu, group)[i], groups[group].name,
			           gpu_index, i);
	}
	put_names(out, gpu->aliases, gpu->alias_count, "alias", gpu_index);
	put_names(out, gpu->usual_for, gpu->usual_for_count, "usual", gpu_index);
}

/* ISO C has no empty initializer: a group without figures is left out. */
static void put_figures(const struct data *data, struct wg_text *out, size_t gpu_index,
                        size_t group)
{
	const struct wg_figure *figures = group_of(data->gpus[gpu_index], group);
	size_t known = 0;

	for (size_t i = 0; i < groups[group].count; i++)
		known += figures[i].state != WG_NOT_KNOWN;
	if (known == 0)
		return;
	wg_text_printf(out, "\t\t.%s = {\n", groups[group].member);
	for (size_t i = 0; i < groups[group].count; i++)
		put_figure(data, out, &figures[i], groups[group].name, gpu_index, i);
	wg_text_add(out, "\t\t},\n");
}

static void put_gpu(const struct data *data, struct wg_text *out, size_t gpu_index)
{
	const struct wg_gpu *gpu = data->gpus[gpu_index];
	const char *const heads[] = { gpu->id, gpu->name, gpu->name_zh, gpu->family };

	wg_text_add(out, "\t{\n\t\t");
	for (size_t i = 0; i < 4; i++) {
		put_string(out, heads[i]);
		wg_text_add(out, ", ");
	}
	wg_text_printf(out, "%d, %d, %d,\n", (int)gpu->class, (int)gpu->link, (int)gpu->peer);
	if (gpu->alias_count > 0)
		wg_text_printf(out, "\t\t.aliases = alias_%zu, .alias_count = %zu,\n", gpu_index,
		               gpu->alias_count);
	if (gpu->usual_for_count > 0)
		wg_text_printf(out, "\t\t.usual_for = usual_%zu, .usual_for_count = %zu,\n",
		               gpu_index, gpu->usual_for_count);
	wg_text_add(out, "\t\t.facts = {\n");
	for (size_t i = 0; i < WG_GPU_FACT_COUNT; i++) {
		const struct wg_fact *fact = &gpu->facts[i];

		if (fact->value == NULL)
			continue;
		wg_text_printf(out, "\t\t\t[%zu] = { ", i);
		put_string(out, fact->value);
		wg_text_printf(out, ", &wg_builtin_sources[%zu], %d, ",
		               source_index(data, fact->source), (int)fact->confidence);
		put_string(out, fact->note);
		wg_text_add(out, " },\n");
	}
	wg_text_add(out, "\t\t},\n");
	for (size_t group = 0; group < 3; group++)
		put_figures(data, out, gpu_index, group);
	wg_text_add(out, "\t},\n");
}

static void put_sources(const struct data *data, struct wg_text *out)
{
	wg_text_add(out, "const struct wg_source wg_builtin_sources[] = {\n");
	for (size_t i = 0; i < data->sources.count; i++) {
		wg_text_add(out, "\t{ ");
		put_string(out, data->sources.items[i].id);
		wg_text_add(out, ", ");
		put_string(out, data->sources.items[i].title);
		wg_text_add(out, ", ");
		put_string(out, data->sources.items[i].reference);
		wg_text_add(out, " },\n");
	}
	wg_text_printf(out, "};\nconst size_t wg_builtin_source_count = %zu;\n",
	               data->sources.count);
}

static int write_catalog(const struct data *data, const char *path, struct wg_error *error)
{
	const struct wg_catalog_key *keys;
	size_t key_count;
	struct wg_text out;
	int result = 1;

	if (!wg_keylist_make(data->arena, data->gpus, data->gpu_count, &keys, &key_count))
		return 1;
	wg_text_init(&out, OUTPUT_BYTES);
	wg_text_add(&out, "/* made by tools/catalog-compile from data/ */\n"
	                  "#include \"catalog/builtin.h\"\n\n");
	put_sources(data, &out);
	for (size_t i = 0; i < data->gpu_count; i++)
		put_lists(data, &out, i);
	wg_text_add(&out, "const struct wg_gpu wg_builtin_gpus[] = {\n");
	for (size_t i = 0; i < data->gpu_count; i++)
		put_gpu(data, &out, i);
	wg_text_printf(&out, "};\nconst size_t wg_builtin_gpu_count = %zu;\n", data->gpu_count);
	wg_text_add(&out, "const struct wg_catalog_key wg_builtin_keys[] = {\n");
	for (size_t i = 0; i < key_count; i++) {
		wg_text_add(&out, "\t{ ");
		put_string(&out, keys[i].key);
		wg_text_printf(&out, ", %u, %d },\n", keys[i].gpu, keys[i].usual);
	}
	wg_text_printf(&out, "};\nconst size_t wg_builtin_key_count = %zu;\n", key_count);
	if (!out.failed)
		result = wg_file_write(path, out.bytes, out.length, error) == WG_OK ? 0
		                                                                    : fail(error);
	wg_text_done(&out);
	return result;
}

/* The folder itself is a dependency too: a new file changes its time. */
static int write_depfile(const struct data *data, const char *output, const char *path,
                         struct wg_error *error)
{
	struct wg_text out;
	int result = 1;

	wg_text_init(&out, OUTPUT_BYTES);
	wg_text_printf(&out, "%s: %s/gpus %s/sources.json %s/gpu_families.json %s/lint.json",
	               output, data->folder, data->folder, data->folder, data->folder);
	for (size_t i = 0; i < data->gpu_count; i++)
		wg_text_printf(&out, " \\\n  %s", data->paths[i]);
	wg_text_add_char(&out, '\n');
	if (!out.failed)
		result = wg_file_write(path, out.bytes, out.length, error) == WG_OK ? 0
		                                                                    : fail(error);
	wg_text_done(&out);
	return result;
}

int main(int argc, char **argv)
{
	static struct data data;
	struct wg_error error;
	int result;

	if (argc != 2 && argc != 4) {
		fprintf(stderr, "usage: catalog-compile DATA [OUTPUT.c DEPFILE]\n");
		return 2;
	}
	wg_error_init(&error);
	data.folder = argv[1];
	data.arena = wg_arena_open(0);
	if (data.arena == NULL)
		return 1;
	if (read_shared(&data, &error) != 0)
		result = fail(&error);
	else
		result = list_gpus(&data) || read_gpus(&data, &error) || lint(&data);
	if (result == 0 && argc == 4)
		result = write_catalog(&data, argv[2], &error) ||
		         write_depfile(&data, argv[2], argv[3], &error);
	wg_arena_free(data.arena);
	return result;
}
