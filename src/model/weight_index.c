/* Weight indexes (*.index.json): which tensor lies in which shard; and the
 * headers of the shards, joined. Shard names come from strangers: only plain
 * names in the same folder are taken. */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/json_pull.h"
#include "model/safetensors.h"
#include "whichgpu/file.h"
#include "whichgpu/limits.h"
#include "whichgpu/map.h"

struct reading {
	struct wg_json_pull pull;
	bool unsorted; /* names holds all tensor names; else none */
	struct wg_map names, shard_map;
	const char **tensor_names;
	size_t tensor_count, tensor_capacity;
	const char **shards;
	size_t shard_count, shard_capacity;
	double total_bytes, total_parameters;
};

static bool out_of_memory(struct wg_json_pull *pull)
{
	return wg_json_pull_fail(pull, WG_NO_MEMORY, _("out of memory"));
}

static bool append(struct wg_json_pull *pull, const char ***list, size_t *count, size_t *capacity,
                   size_t limit, const char *text)
{
	if (*count == limit)
		return wg_json_pull_fail(pull, WG_LIMIT, _("the index has more than %zu entries"),
		                         limit);
	if (*count == *capacity) {
		size_t wanted = *capacity ? 2 * *capacity : 256;
		const char **larger = realloc(*list, wanted * sizeof *larger);

		if (larger == NULL)
			return out_of_memory(pull);
		*list = larger;
		*capacity = wanted;
	}
	(*list)[(*count)++] = text;
	return true;
}

/* A plain file name: no folder, no hidden file, nothing a terminal obeys. */
static bool is_plain_name(const struct wg_json_string *name)
{
	if (name->length == 0 || name->length > 255 || name->bytes[0] == '.')
		return false;
	for (size_t i = 0; i < name->length; i++) {
		unsigned char c = (unsigned char)name->bytes[i];

		if (c == '/' || c == '\\' || c == ':' || c < 0x20 || c == 0x7f)
			return false;
	}
	return true;
}

static bool add_shard(struct reading *reading, const struct wg_json_string *name)
{
	struct wg_json_pull *pull = &reading->pull;
	bool existed = false;

	/* Neighbours mostly share a shard. */
	if (reading->shard_count > 0 &&
	    strcmp(reading->shards[reading->shard_count - 1], name->bytes) == 0)
		return true;
	if (!is_plain_name(name))
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("the index names a file outside its folder: "
		                           "\"%.200s\""),
		                         name->bytes);
	if (!wg_map_put(&reading->shard_map, name->bytes, name->length, 0, &existed))
		return out_of_memory(pull);
	return existed || append(pull, &reading->shards, &reading->shard_count,
	                         &reading->shard_capacity, WG_LIMIT_SHARDS, name->bytes);
}

static bool put_name(struct reading *reading, const char *name, bool *ret_existed)
{
	return wg_map_put(&reading->names, name, strlen(name), 0, ret_existed) ||
	       out_of_memory(&reading->pull);
}

/* No name may come twice. Most indexes are sorted, where a look at the one
 * before is enough; the first that is not in order begins the map. */
static bool check_new(struct reading *reading, const char *name)
{
	size_t count = reading->tensor_count;
	bool existed = false;
	int order = count == 0 ? -1 : strcmp(reading->tensor_names[count - 1], name);

	if (!reading->unsorted && order > 0) {
		reading->unsorted = true;
		for (size_t i = 0; i < count; i++)
			if (!put_name(reading, reading->tensor_names[i], &existed))
				return false;
	}
	if (reading->unsorted && !put_name(reading, name, &existed))
		return false;
	if (existed || order == 0)
		return wg_json_pull_fail(&reading->pull, WG_BAD_INPUT,
		                         _("the index has tensor \"%.120s\" twice"), name);
	return true;
}

static bool read_weight_map(struct reading *reading)
{
	struct wg_json_pull *pull = &reading->pull;
	struct wg_json_string tensor, shard;
	bool more;

	if (!wg_json_pull_begin(pull, '{'))
		return false;
	for (bool first = true;; first = false) {
		if (!wg_json_pull_member(pull, first, &tensor, &more))
			return false;
		if (!more)
			return true;
		if (!wg_json_pull_string(pull, &shard) || !check_new(reading, tensor.bytes) ||
		    !append(pull, &reading->tensor_names, &reading->tensor_count,
		            &reading->tensor_capacity, WG_LIMIT_TENSORS, tensor.bytes) ||
		    !add_shard(reading, &shard))
			return false;
	}
}

/* A total that is written as a number (whole or 13731385408.0); anything else,
 * and 0, means "not known", as real indexes have it. */
static bool read_total(struct wg_json_pull *pull, double *ret_total)
{
	char c = wg_json_pull_peek(pull);
	double value;

	if (c != '-' && (c < '0' || c > '9'))
		return wg_json_pull_skip(pull);
	if (!wg_json_pull_number(pull, &value))
		return false;
	if (value < 0 || value > 1e18)
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("the index has an impossible total %g"), value);
	*ret_total = value;
	return true;
}

static bool read_metadata(struct reading *reading)
{
	struct wg_json_pull *pull = &reading->pull;
	struct wg_json_string key;
	bool more, ok;

	if (wg_json_pull_peek(pull) != '{')
		return wg_json_pull_skip(pull);
	if (!wg_json_pull_begin(pull, '{'))
		return false;
	for (bool first = true;; first = false) {
		if (!wg_json_pull_member(pull, first, &key, &more))
			return false;
		if (!more)
			return true;
		if (strcmp(key.bytes, "total_size") == 0)
			ok = read_total(pull, &reading->total_bytes);
		else if (strcmp(key.bytes, "total_parameters") == 0)
			ok = read_total(pull, &reading->total_parameters);
		else
			ok = wg_json_pull_skip(pull);
		if (!ok)
			return false;
	}
}

static bool read_document(struct reading *reading)
{
	struct wg_json_pull *pull = &reading->pull;
	struct wg_json_string key;
	bool more, map_seen = false, metadata_seen = false, ok;

	if (!wg_json_pull_begin(pull, '{'))
		return false;
	for (bool first = true;; first = false) {
		if (!wg_json_pull_member(pull, first, &key, &more))
			return false;
		if (!more)
			break;
		bool is_map = strcmp(key.bytes, "weight_map") == 0;
		bool is_metadata = strcmp(key.bytes, "metadata") == 0;
		if ((is_map && map_seen) || (is_metadata && metadata_seen))
			return wg_json_pull_fail(pull, WG_BAD_INPUT,
			                         _("the index has \"%s\" twice"), key.bytes);
		map_seen |= is_map;
		metadata_seen |= is_metadata;
		ok = is_map        ? read_weight_map(reading)
		     : is_metadata ? read_metadata(reading)
		                   : wg_json_pull_skip(pull);
		if (!ok)
			return false;
	}
	if (!map_seen)
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("\"%.120s\" is no weight index: it has no "
		                           "\"weight_map\""),
		                         pull->name);
	return wg_json_pull_finish(pull);
}

static const char *const *keep(struct wg_arena *arena, const char **list, size_t count)
{
	const char **copy = wg_arena_array(arena, count + 1, sizeof *copy);

	if (copy != NULL && count > 0)
		memcpy(copy, list, count * sizeof *copy);
	return copy;
}

static enum wg_status finish(struct reading *reading, struct wg_arena *arena,
                             struct wg_weight_index *ret_index, struct wg_error *error)
{
	struct wg_weight_index index = {
		.total_bytes = reading->total_bytes,
		.total_parameters = reading->total_parameters,
		.tensor_names = keep(arena, reading->tensor_names, reading->tensor_count),
		.tensor_count = reading->tensor_count,
		.shards = keep(arena, reading->shards, reading->shard_count),
		.shard_count = reading->shard_count,
	};

	if (index.tensor_names == NULL || index.shards == NULL)
		return wg_error_no_memory(error);
	*ret_index = index;
	return WG_OK;
}

enum wg_status wg_safetensors_read_index_text(const char *text, size_t length, const char *name,
                                              struct wg_arena *arena,
                                              struct wg_weight_index *ret_index,
                                              struct wg_error *error)
{
	struct reading reading = { 0 };

	if (length > WG_LIMIT_JSON_BYTES)
		return wg_error_set(error, WG_LIMIT, _("\"%s\" is larger than %zu bytes"), name,
		                    (size_t)WG_LIMIT_JSON_BYTES);
	/* Read in place in a copy that lives as long as the names. */
	char *copy = wg_arena_alloc(arena, length + 1);
	if (copy == NULL)
		return wg_error_no_memory(error);
	if (length > 0)
		memcpy(copy, text, length);
	wg_map_init(&reading.names);
	wg_map_init(&reading.shard_map);
	wg_json_pull_init(&reading.pull, copy, length, name, 0, error);
	read_document(&reading);
	enum wg_status status = reading.pull.status;
	if (status == WG_OK)
		status = finish(&reading, arena, ret_index, error);
	wg_map_done(&reading.names);
	wg_map_done(&reading.shard_map);
	free(reading.tensor_names);
	free(reading.shards);
	return status;
}

enum wg_status wg_safetensors_read_index(const char *path, struct wg_arena *arena,
                                         struct wg_weight_index *ret_index, struct wg_error *error)
{
	char *text;
	size_t length;
	enum wg_status status = wg_file_read(path, WG_LIMIT_JSON_BYTES, &text, &length, error);

	if (status != WG_OK)
		return status;
	status = wg_safetensors_read_index_text(text, length, path, arena, ret_index, error);
	free(text);
	if (status == WG_BAD_INPUT)
		wg_diagnose_file(path, "a weight index", error);
	return status;
}

/* What the index promises must be there, else the shards are of another edition. */
static enum wg_status check_complete(const struct wg_weight_index *index,
                                     const struct wg_table_builder *builder, const char *folder,
                                     struct wg_error *error)
{
	size_t at;

	for (size_t i = 0; i < index->tensor_count; i++) {
		const char *name = index->tensor_names[i];

		if (wg_map_find(&builder->names, name, strlen(name), &at))
			continue;
		wg_error_set(error, WG_BAD_INPUT,
		             _("the index of \"%.200s\" names tensor \"%.120s\", but no "
		               "shard has it"),
		             folder, name);
		wg_error_hint(error,
		              _("index and shards are of different editions: download them again"));
		return WG_BAD_INPUT;
	}
	return WG_OK;
}

static bool is_safetensors(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL && strcmp(dot, ".safetensors") == 0;
}

static enum wg_status read_shard(const char *folder, const char *shard, struct wg_arena *arena,
                                 struct wg_table_builder *builder, struct wg_error *error)
{
	if (!is_safetensors(shard))
		return WG_NOT_FOUND; /* a pickle is never opened: as if it were not there */
	const char *path = wg_arena_printf(arena, "%s/%s", folder, shard);
	if (path == NULL)
		return wg_error_no_memory(error);
	return wg_safetensors_read_file(path, arena, builder, error);
}

enum wg_status wg_safetensors_read_shards(const char *folder, const struct wg_weight_index *index,
                                          struct wg_arena *arena, struct wg_tensor_table *ret_table,
                                          size_t *ret_missing, struct wg_error *error)
{
	struct wg_table_builder builder;
	struct wg_tensor_table table;
	enum wg_status status = WG_OK;
	size_t missing = 0;

	wg_table_builder_init(&builder, arena, index->tensor_count);
	for (size_t i = 0; i < index->shard_count && status == WG_OK; i++) {
		status = read_shard(folder, index->shards[i], arena, &builder, error);
		if (status == WG_NOT_FOUND) {
			missing++;
			status = WG_OK;
		}
	}
	if (status == WG_OK && missing == 0)
		status = check_complete(index, &builder, folder, error);
	if (status == WG_OK)
		wg_table_builder_finish(&builder, &table);
	wg_table_builder_done(&builder);
	if (status != WG_OK)
		return status;
	*ret_table = table;
	*ret_missing = missing;
	return WG_OK;
}
