#include "catalog/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "whichgpu/limits.h"

enum { LIST_LIMIT = 4096 }; /* aliases, other values, sources of one file */

/* What the functions below share while one file is read. */
struct reader {
	struct wg_arena *arena;
	const struct wg_source_list *sources;
	struct wg_source_list own;
	struct wg_error *error;
};

static enum wg_status copy_string(struct reader *reader, const char *text, const char **ret_copy)
{
	const char *copy = wg_arena_strdup(reader->arena, text);

	if (copy == NULL)
		return wg_error_no_memory(reader->error);
	*ret_copy = copy;
	return WG_OK;
}

static int source_compare(const void *a, const void *b)
{
	const struct wg_source *x = a, *y = b;

	return strcmp(x->id, y->id);
}

const struct wg_source *wg_source_find(const struct wg_source_list *list, const char *id)
{
	struct wg_source key = { .id = id };

	if (list->count == 0)
		return NULL;
	return bsearch(&key, list->items, list->count, sizeof(key), source_compare);
}

enum wg_status wg_sources_read(struct wg_arena *arena, const struct wg_json_at *at,
                               struct wg_source_list *ret_list, struct wg_error *error)
{
	struct reader reader = { .arena = arena, .error = error };
	size_t count = wg_json_count(at);
	struct wg_source *items;

	if (wg_json_type(at) != WG_JSON_OBJECT)
		return wg_json_fail(at, error, WG_BAD_INPUT, "sources must be an object");
	if (count > LIST_LIMIT)
		return wg_json_fail(at, error, WG_LIMIT, "more than %d sources", LIST_LIMIT);
	items = wg_arena_array(arena, count, sizeof(*items));
	if (items == NULL)
		return wg_error_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		const char *id, *title, *reference;
		struct wg_json_at entry = wg_json_member_at(at, i, &id);
		enum wg_status status = wg_json_need_string(&entry, "title", &title, error);

		if (status == WG_OK)
			status = wg_json_need_string(&entry, "reference", &reference, error);
		if (status == WG_OK)
			status = copy_string(&reader, id, &items[i].id);
		if (status == WG_OK)
			status = copy_string(&reader, title, &items[i].title);
		if (status == WG_OK)
			status = copy_string(&reader, reference, &items[i].reference);
		if (status != WG_OK)
			return status;
	}
	qsort(items, count, sizeof(*items), source_compare);
	*ret_list = (struct wg_source_list){ .items = items, .count = count };
	return WG_OK;
}

static bool find_key(const char *(*key_of)(size_t), size_t count, const char *key,
                     size_t *ret_index)
{
	for (size_t i = 0; i < count; i++) {
		if (key_of(i) != NULL && strcmp(key_of(i), key) == 0) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

static const char *rate_key(size_t i)
{
	return wg_rate_key((enum wg_rate)i);
}

static const char *figure_key(size_t i)
{
	return wg_gpu_figure_key((enum wg_gpu_figure)i);
}

static const char *fact_key(size_t i)
{
	return wg_gpu_fact_key((enum wg_gpu_fact)i);
}

static const char *confidence_key(size_t i)
{
	return wg_confidence_key((enum wg_confidence)i);
}

static const char *class_key(size_t i)
{
	return wg_gpu_class_key((enum wg_gpu_class)i);
}

static const char *link_key(size_t i)
{
	return wg_link_kind_key((enum wg_link_kind)i);
}

static const char *peer_key(size_t i)
{
	return wg_peer_key((enum wg_peer)i);
}

/* The index of the word that the member `key` has in the list of `key_of`. */
static enum wg_status read_choice(struct reader *reader, const struct wg_json_at *at,
                                  const char *key, const char *(*key_of)(size_t), size_t count,
                                  size_t *ret_index)
{
	const char *text;
	enum wg_status status = wg_json_need_string(at, key, &text, reader->error);

	if (status == WG_OK && !find_key(key_of, count, text, ret_index))
		return wg_json_fail(at, reader->error, WG_BAD_INPUT, "\"%s\" is no value of \"%s\"",
		                    text, key);
	return status;
}

/* "source" and "confidence" and "note", which facts, figures and other values share. */
static enum wg_status read_origin(struct reader *reader, const struct wg_json_at *at,
                                  bool need_confidence, const struct wg_source **ret_source,
                                  enum wg_confidence *ret_confidence, const char **ret_note)
{
	const char *id, *note = "";
	const struct wg_source *source;
	size_t confidence = WG_CONFIDENCE_HIGH;
	enum wg_status status = wg_json_need_string(at, "source", &id, reader->error);

	if (status != WG_OK)
		return status;
	source = wg_source_find(&reader->own, id);
	if (source == NULL)
		source = wg_source_find(reader->sources, id);
	if (source == NULL)
		return wg_json_fail(at, reader->error, WG_NOT_FOUND, "source \"%s\" is not known",
		                    id);
	if (need_confidence)
		status = read_choice(reader, at, "confidence", confidence_key, 3, &confidence);
	if (status == WG_OK)
		status = wg_json_get_string(at, "note", &note, reader->error);
	if (status == WG_OK)
		status = copy_string(reader, note, ret_note);
	if (status != WG_OK)
		return status;
	*ret_source = source;
	*ret_confidence = (enum wg_confidence)confidence;
	return WG_OK;
}

static enum wg_status read_others(struct reader *reader, const struct wg_json_at *at,
                                  struct wg_figure *figure)
{
	struct wg_json_at list = wg_json_member(at, "others");
	size_t count = wg_json_count(&list);
	struct wg_other_value *others;

	if (wg_json_type(&list) == WG_JSON_ABSENT)
		return WG_OK;
	if (wg_json_type(&list) != WG_JSON_ARRAY || count > LIST_LIMIT)
		return wg_json_fail(&list, reader->error, WG_BAD_INPUT,
		                    "must be a list of at most %d", LIST_LIMIT);
	others = wg_arena_array(reader->arena, count, sizeof(*others));
	if (others == NULL)
		return wg_error_no_memory(reader->error);
	for (size_t i = 0; i < count; i++) {
		struct wg_json_at entry = wg_json_element(&list, i);
		enum wg_status status = wg_json_need_number(&entry, "value", 0, 1e24,
		                                            &others[i].value, reader->error);

		if (status == WG_OK)
			status = read_origin(reader, &entry, true, &others[i].source,
			                     &others[i].confidence, &others[i].note);
		if (status != WG_OK)
			return status;
	}
	figure->others = others;
	figure->other_count = count;
	return WG_OK;
}

static enum wg_status read_figure(struct reader *reader, const struct wg_json_at *at,
                                  struct wg_figure *figure)
{
	bool absent = false;
	enum wg_status status = wg_json_get_bool(at, "absent", &absent, reader->error);

	if (status != WG_OK)
		return status;
	if (!absent) {
		status = wg_json_need_number(at, "value", 0, 1e24, &figure->value, reader->error);
		if (status == WG_OK)
			status = read_others(reader, at, figure);
		if (status != WG_OK)
			return status;
	}
	status = read_origin(reader, at, !absent, &figure->source, &figure->confidence,
	                     &figure->note);
	if (status == WG_OK)
		figure->state = absent ? WG_ABSENT : WG_KNOWN;
	return status;
}

static enum wg_status read_fact(struct reader *reader, const struct wg_json_at *at,
                                struct wg_fact *fact)
{
	const char *value;
	enum wg_status status = wg_json_need_string(at, "value", &value, reader->error);

	if (status == WG_OK)
		status = copy_string(reader, value, &fact->value);
	if (status == WG_OK)
		status = read_origin(reader, at, true, &fact->source, &fact->confidence,
		                     &fact->note);
	return status;
}

/* Members of the object `key`, each into the slot of its name. */
static enum wg_status read_figures(struct reader *reader, const struct wg_json_at *at,
                                   const char *key, const char *(*key_of)(size_t), size_t count,
                                   struct wg_figure *figures)
{
	struct wg_json_at object = wg_json_member(at, key);

	for (size_t i = 0; i < wg_json_count(&object); i++) {
		const char *name;
		struct wg_json_at member = wg_json_member_at(&object, i, &name);
		enum wg_status status;
		size_t index;

		if (!find_key(key_of, count, name, &index))
			return wg_json_fail(&member, reader->error, WG_BAD_INPUT, "no such figure");
		status = read_figure(reader, &member, &figures[index]);
		if (status != WG_OK)
			return status;
	}
	return WG_OK;
}

static enum wg_status read_facts(struct reader *reader, const struct wg_json_at *at,
                                 struct wg_fact *facts)
{
	struct wg_json_at object = wg_json_member(at, "facts");

	for (size_t i = 0; i < wg_json_count(&object); i++) {
		const char *name;
		struct wg_json_at member = wg_json_member_at(&object, i, &name);
		enum wg_status status;
		size_t index;

		if (!find_key(fact_key, WG_GPU_FACT_COUNT, name, &index))
			return wg_json_fail(&member, reader->error, WG_BAD_INPUT, "no such fact");
		status = read_fact(reader, &member, &facts[index]);
		if (status != WG_OK)
			return status;
	}
	return WG_OK;
}

static enum wg_status read_names(struct reader *reader, const struct wg_json_at *at,
                                 const char *key, const char *const **ret_names, size_t *ret_count)
{
	struct wg_json_at list = wg_json_member(at, key);
	size_t count = wg_json_count(&list);
	const char **names;

	if (count > LIST_LIMIT)
		return wg_json_fail(&list, reader->error, WG_LIMIT, "more than %d names",
		                    LIST_LIMIT);
	names = wg_arena_array(reader->arena, count, sizeof(*names));
	if (names == NULL && count > 0)
		return wg_error_no_memory(reader->error);
	for (size_t i = 0; i < count; i++) {
		struct wg_json_at element = wg_json_element(&list, i);
		const char *name;
		enum wg_status status;

		if (!wg_json_as_string(&element, &name))
			return wg_json_fail(&element, reader->error, WG_BAD_INPUT,
			                    "must be a name");
		status = copy_string(reader, name, &names[i]);
		if (status != WG_OK)
			return status;
	}
	*ret_names = names;
	*ret_count = count;
	return WG_OK;
}

static bool is_id(const char *text)
{
	size_t length = strlen(text);

	return length > 0 && length <= 64 &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-.") == length && text[0] != '.';
}

static enum wg_status read_head(struct reader *reader, const struct wg_json_at *root,
                                struct wg_gpu *gpu)
{
	struct wg_json_at peer_at = wg_json_member(root, "peer_over_pcie");
	const char *id, *name = NULL, *name_zh, *family = NULL;
	size_t class = 0, link = 0, peer = WG_PEER_NOT_KNOWN;
	enum wg_status status = wg_json_need_string(root, "id", &id, reader->error);

	if (status == WG_OK && !is_id(id))
		return wg_json_fail(root, reader->error, WG_BAD_INPUT,
		                    "id \"%s\" must be lower-case letters, digits, \"-\"", id);
	if (status == WG_OK)
		status = wg_json_need_string(root, "name", &name, reader->error);
	name_zh = name;
	if (status == WG_OK)
		status = wg_json_get_string(root, "name_zh", &name_zh, reader->error);
	if (status == WG_OK)
		status = wg_json_get_string(root, "family", &family, reader->error);
	if (status == WG_OK)
		status = read_choice(reader, root, "class", class_key, 4, &class);
	if (status == WG_OK)
		status = read_choice(reader, root, "link", link_key, 4, &link);
	if (status == WG_OK && wg_json_type(&peer_at) == WG_JSON_STRING)
		status = read_choice(reader, root, "peer_over_pcie", peer_key, 4, &peer);
	if (status == WG_OK)
		status = copy_string(reader, id, &gpu->id);
	if (status == WG_OK)
		status = copy_string(reader, name, &gpu->name);
	if (status == WG_OK)
		status = copy_string(reader, name_zh, &gpu->name_zh);
	if (status == WG_OK && family != NULL)
		status = copy_string(reader, family, &gpu->family);
	gpu->class = (enum wg_gpu_class) class;
	gpu->link = (enum wg_link_kind)link;
	gpu->peer = (enum wg_peer)peer;
	return status;
}

static enum wg_status refuse_unknown_keys(struct reader *reader, const struct wg_json_at *root)
{
	static const char *const known[] = {
		"id",    "name",           "name_zh",         "class",           "family",
		"link",  "peer_over_pcie", "aliases",         "usual_for",       "sources",
		"facts", "figures",        "dense_ops_per_s", "sparse_ops_per_s"
	};
	size_t known_count = sizeof(known) / sizeof(known[0]);

	for (size_t i = 0; i < wg_json_count(root); i++) {
		const char *name;
		struct wg_json_at member = wg_json_member_at(root, i, &name);
		size_t k = 0;

		while (k < known_count && strcmp(known[k], name) != 0)
			k++;
		if (k == known_count)
			return wg_json_fail(&member, reader->error, WG_BAD_INPUT,
			                    "a GPU has no member \"%s\"", name);
	}
	return WG_OK;
}

enum wg_status wg_gpu_read(struct wg_arena *arena, const struct wg_json *json,
                           const struct wg_source_list *sources, struct wg_gpu *ret_gpu,
                           struct wg_error *error)
{
	struct reader reader = { .arena = arena, .sources = sources, .error = error };
	struct wg_json_at root = wg_json_root(json);
	struct wg_json_at own = wg_json_member(&root, "sources");
	struct wg_gpu gpu = { 0 };
	enum wg_status status = refuse_unknown_keys(&reader, &root);

	if (status == WG_OK)
		status = read_head(&reader, &root, &gpu);
	if (status == WG_OK && wg_json_type(&own) != WG_JSON_ABSENT)
		status = wg_sources_read(arena, &own, &reader.own, error);
	if (status == WG_OK)
		status = read_names(&reader, &root, "aliases", &gpu.aliases, &gpu.alias_count);
	if (status == WG_OK)
		status = read_names(&reader, &root, "usual_for", &gpu.usual_for,
		                    &gpu.usual_for_count);
	if (status == WG_OK)
		status = read_facts(&reader, &root, gpu.facts);
	if (status == WG_OK)
		status = read_figures(&reader, &root, "figures", figure_key, WG_GPU_FIGURE_COUNT,
		                      gpu.figures);
	if (status == WG_OK)
		status = read_figures(&reader, &root, "dense_ops_per_s", rate_key, WG_RATE_COUNT,
		                      gpu.dense);
	if (status == WG_OK)
		status = read_figures(&reader, &root, "sparse_ops_per_s", rate_key, WG_RATE_COUNT,
		                      gpu.sparse);
	if (status == WG_OK)
		*ret_gpu = gpu;
	return status;
}
