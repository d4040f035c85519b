/* safetensors headers: eight bytes of length, JSON, data. Only the header is
 * read; every rule of the format that it can show is checked.
 * Format: huggingface/safetensors, README.md and safetensors/src/tensor.rs. */
#include "model/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/i18n.h"
#include "base/json_pull.h"
#include "model/tensor_table.h"
#include "whichgpu/limits.h"
#include "whichgpu/text.h"

static const struct wg_block types[] = {
#define WG_SAFETENSORS_TYPE(name, elements, bytes) { name, elements, bytes },
#include "model/safetensors_types.def"
#undef WG_SAFETENSORS_TYPE
};

struct range {
	uint64_t begin, end;
};

/* One header on its way into the table. */
struct header {
	struct wg_json_pull pull;
	struct wg_table_builder *builder;
	struct range *ranges; /* of this header's tensors */
	size_t count, capacity;
	struct wg_error *error;
};

static const struct wg_block *find_type(const struct wg_json_string *name)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, name->bytes) == 0)
			return &types[i];
	return NULL;
}

static bool read_shape(struct wg_json_pull *pull, struct wg_tensor *tensor)
{
	bool more;

	if (!wg_json_pull_begin(pull, '['))
		return false;
	for (tensor->rank = 0;; tensor->rank++) {
		if (!wg_json_pull_element(pull, tensor->rank == 0, &more))
			return false;
		if (!more)
			return true;
		if (tensor->rank == WG_TENSOR_RANK_MAX)
			return wg_json_pull_fail(pull, WG_LIMIT,
			                         _("a tensor has more than %d dimensions"),
			                         WG_TENSOR_RANK_MAX);
		if (!wg_json_pull_natural(pull, &tensor->shape[tensor->rank]))
			return false;
	}
}

static bool read_offsets(struct wg_json_pull *pull, struct range *ret_range)
{
	uint64_t *ends[2] = { &ret_range->begin, &ret_range->end };
	bool more;

	if (!wg_json_pull_begin(pull, '['))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		if (!wg_json_pull_element(pull, i == 0, &more))
			return false;
		if (!more)
			return wg_json_pull_fail(pull, WG_BAD_INPUT,
			                         _("\"data_offsets\" needs two numbers"));
		if (!wg_json_pull_natural(pull, ends[i]))
			return false;
	}
	if (!wg_json_pull_element(pull, false, &more))
		return false;
	return !more ||
	       wg_json_pull_fail(pull, WG_BAD_INPUT, _("\"data_offsets\" needs two numbers"));
}

enum { HAS_TYPE = 1, HAS_SHAPE = 2, HAS_OFFSETS = 4 };

/* The three members of an entry, in any order, each once. */
static bool read_entry(struct wg_json_pull *pull, struct wg_tensor *tensor,
                       const struct wg_block **ret_type, struct range *ret_range)
{
	struct wg_json_string key, type = { "", 0 };
	unsigned seen = 0;
	bool more, ok;

	if (!wg_json_pull_begin(pull, '{'))
		return false;
	for (bool first = true;; first = false) {
		unsigned member;

		if (!wg_json_pull_member(pull, first, &key, &more))
			return false;
		if (!more)
			break;
		if (strcmp(key.bytes, "dtype") == 0)
			member = HAS_TYPE, ok = wg_json_pull_string(pull, &type);
		else if (strcmp(key.bytes, "shape") == 0)
			member = HAS_SHAPE, ok = read_shape(pull, tensor);
		else if (strcmp(key.bytes, "data_offsets") == 0)
			member = HAS_OFFSETS, ok = read_offsets(pull, ret_range);
		else
			return wg_json_pull_fail(pull, WG_BAD_INPUT,
			                         _("tensor \"%.80s\" has an unknown member "
			                           "\"%.80s\""),
			                         tensor->name, key.bytes);
		if (!ok)
			return false;
		if (seen & member)
			return wg_json_pull_fail(pull, WG_BAD_INPUT,
			                         _("tensor \"%.80s\" has \"%s\" twice"),
			                         tensor->name, key.bytes);
		seen |= member;
	}
	if (seen != (HAS_TYPE | HAS_SHAPE | HAS_OFFSETS))
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("tensor \"%.80s\" needs \"dtype\", \"shape\" "
		                           "and \"data_offsets\""),
		                         tensor->name);
	*ret_type = find_type(&type);
	if (*ret_type != NULL)
		return true;
	wg_json_pull_fail(pull, WG_BAD_INPUT, _("tensor \"%.80s\" has an unknown type \"%.40s\""),
	                  tensor->name, type.bytes);
	return false;
}

static bool check_entry(struct wg_json_pull *pull, const struct wg_block *type,
                        const struct range *range, struct wg_tensor *tensor)
{
	uint64_t elements, bytes;

	if (range->end < range->begin)
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("tensor \"%.80s\" ends before it begins"), tensor->name);
	if (!wg_block_size(type, tensor->shape, tensor->rank, &elements, &bytes))
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("tensor \"%.80s\" has an impossible shape: "
		                           "its size overflows or is no whole number of bytes"),
		                         tensor->name);
	if (bytes != range->end - range->begin)
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("tensor \"%.80s\": shape and type make %llu "
		                           "bytes, its offsets %llu"),
		                         tensor->name, (unsigned long long)bytes,
		                         (unsigned long long)(range->end - range->begin));
	tensor->type = type->name;
	tensor->bits = 8.0 * type->bytes / type->weights;
	tensor->elements = (double)elements;
	tensor->bytes = (double)bytes;
	return true;
}

static bool keep(struct header *header, const struct wg_tensor *tensor, const struct range *range)
{
	struct wg_json_pull *pull = &header->pull;

	if (header->count == header->capacity) {
		size_t capacity = header->capacity ? 2 * header->capacity : 64;
		void *ranges = realloc(header->ranges, capacity * sizeof *header->ranges);

		if (ranges == NULL)
			return wg_json_pull_fail(pull, WG_NO_MEMORY, _("out of memory"));
		header->ranges = ranges;
		header->capacity = capacity;
	}
	header->ranges[header->count++] = *range;
	pull->status = wg_table_builder_add(header->builder, tensor, header->error);
	if (pull->status == WG_OK)
		return true;
	wg_error_place(header->error, pull->name, 0, 0, -1);
	return false;
}

/* "__metadata__": strings only; nobody's size depends on it. */
static bool check_metadata(struct wg_json_pull *pull)
{
	struct wg_json_string key, value;
	struct wg_map keys;
	bool more, existed = false, ok;

	wg_map_init(&keys);
	ok = wg_json_pull_begin(pull, '{');
	for (bool first = true; ok; first = false) {
		ok = wg_json_pull_member(pull, first, &key, &more);
		if (!ok || !more)
			break;
		if (!wg_map_put(&keys, key.bytes, key.length, 0, &existed))
			ok = wg_json_pull_fail(pull, WG_NO_MEMORY, _("out of memory"));
		else if (existed)
			ok = wg_json_pull_fail(pull, WG_BAD_INPUT,
			                       _("\"__metadata__\" has \"%.80s\" twice"),
			                       key.bytes);
		else
			ok = wg_json_pull_string(pull, &value);
	}
	wg_map_done(&keys);
	return ok;
}

static bool read_tensor(struct header *header, const struct wg_json_string *name)
{
	struct wg_tensor tensor = { .name = name->bytes };
	const struct wg_block *type = NULL;
	struct range range = { 0, 0 };

	return read_entry(&header->pull, &tensor, &type, &range) &&
	       check_entry(&header->pull, type, &range, &tensor) && keep(header, &tensor, &range);
}

static bool read_members(struct header *header)
{
	struct wg_json_pull *pull = &header->pull;
	struct wg_json_string key;
	bool more, metadata_seen = false, ok;

	if (!wg_json_pull_begin(pull, '{'))
		return false;
	for (bool first = true;; first = false) {
		if (!wg_json_pull_member(pull, first, &key, &more))
			return false;
		if (!more)
			return wg_json_pull_finish(pull);
		if (strcmp(key.bytes, "__metadata__") != 0) {
			ok = read_tensor(header, &key);
		} else if (metadata_seen) {
			ok = wg_json_pull_fail(pull, WG_BAD_INPUT,
			                       _("there are two \"__metadata__\""));
		} else {
			metadata_seen = true;
			ok = check_metadata(pull);
		}
		if (!ok)
			return false;
	}
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* Sorted by begin, the ranges cover 0..data_bytes without hole or overlap. */
static bool check_cover(struct header *header, uint64_t data_bytes)
{
	uint64_t covered = 0;
	bool sorted = true;

	for (size_t i = 1; i < header->count && sorted; i++)
		sorted = compare_ranges(&header->ranges[i - 1], &header->ranges[i]) <= 0;
	if (!sorted)
		qsort(header->ranges, header->count, sizeof *header->ranges, compare_ranges);
	for (size_t i = 0; i < header->count; i++) {
		if (header->ranges[i].begin != covered)
			return wg_json_pull_fail(
				&header->pull, WG_BAD_INPUT, _("the tensors %s at data byte %llu"),
				header->ranges[i].begin < covered ? "overlap" : _("leave a hole"),
				(unsigned long long)covered);
		covered = header->ranges[i].end;
	}
	if (data_bytes == WG_DATA_BYTES_UNKNOWN || covered == data_bytes)
		return true;
	if (covered < data_bytes)
		return wg_json_pull_fail(&header->pull, WG_BAD_INPUT,
		                         _("%llu bytes follow the last tensor"),
		                         (unsigned long long)(data_bytes - covered));
	return wg_json_pull_fail(&header->pull, WG_BAD_INPUT,
	                         _("\"%.120s\" is cut off: its tensors need "
	                           "%llu bytes, %llu are there"),
	                         header->pull.name, (unsigned long long)covered,
	                         (unsigned long long)data_bytes);
}

enum wg_status wg_safetensors_parse(char *text, size_t length, uint64_t data_bytes,
                                    const char *name, struct wg_table_builder *builder,
                                    struct wg_error *error)
{
	struct header header = { .builder = builder, .error = error };

	wg_json_pull_init(&header.pull, text, length, name, 8, error);
	if (length == 0 || text[0] != '{')
		wg_json_pull_fail(
			&header.pull, WG_BAD_INPUT,
			_("\"%.120s\" is no safetensors file: its header does not begin with \"{\""),
			name);
	else if (read_members(&header))
		check_cover(&header, data_bytes);
	free(header.ranges);
	return header.pull.status;
}

enum wg_status wg_safetensors_check_length(uint64_t header_bytes, uint64_t file_bytes,
                                           const char *name, struct wg_error *error)
{
	enum wg_status status = WG_OK;

	if (header_bytes > WG_LIMIT_SAFETENSORS_HEADER_BYTES)
		status = wg_error_set(error, WG_BAD_INPUT,
		                      _("\"%s\" is no safetensors file: its header would "
		                        "be %llu bytes long, at most %llu are allowed"),
		                      name, (unsigned long long)header_bytes,
		                      WG_LIMIT_SAFETENSORS_HEADER_BYTES);
	else if (header_bytes > file_bytes - 8)
		status = wg_error_set(error, WG_BAD_INPUT,
		                      _("\"%s\" is cut off: its header is %llu bytes "
		                        "long, the file %llu"),
		                      name, (unsigned long long)header_bytes,
		                      (unsigned long long)file_bytes);
	if (status != WG_OK)
		wg_error_place(error, name, 0, 0, 0);
	return status;
}

/* The header's text in the arena, since the names stay in it. */
static enum wg_status read_text(const struct wg_input *input, struct wg_arena *arena,
                                char **ret_text, uint64_t *ret_length, struct wg_error *error)
{
	struct wg_cursor cursor;
	uint64_t length = 0;

	if (input->bytes < 8) {
		wg_error_set(error, WG_BAD_INPUT,
		             _("\"%s\" is no safetensors file: it is %llu bytes long"), input->name,
		             (unsigned long long)input->bytes);
		wg_error_place(error, input->name, 0, 0, -1);
		return WG_BAD_INPUT;
	}
	wg_cursor_init(&cursor, input, 0, 8, error);
	bool ok = wg_cursor_u64(&cursor, &length);
	wg_cursor_done(&cursor);
	if (!ok)
		return WG_SYSTEM;
	enum wg_status status =
		wg_safetensors_check_length(length, input->bytes, input->name, error);
	if (status != WG_OK)
		return status;
	char *text = wg_arena_alloc(arena, (size_t)length + 1);
	if (text == NULL)
		return wg_error_no_memory(error);
	status = wg_input_read(input, 8, text, (size_t)length, error);
	if (status != WG_OK)
		return status;
	*ret_text = text;
	*ret_length = length;
	return WG_OK;
}

enum wg_status wg_safetensors_read_input(const struct wg_input *input, struct wg_arena *arena,
                                         struct wg_table_builder *builder, struct wg_error *error)
{
	char *text = NULL;
	uint64_t length = 0;
	enum wg_status status = read_text(input, arena, &text, &length, error);

	if (status == WG_OK)
		status = wg_safetensors_parse(text, (size_t)length, input->bytes - 8 - length,
		                              input->name, builder, error);
	return status == WG_OK ? wg_input_check_size(input, error) : status;
}

enum wg_status wg_safetensors_read_file(const char *path, struct wg_arena *arena,
                                        struct wg_table_builder *builder, struct wg_error *error)
{
	struct wg_input input;
	/* Names in the table point into the header, errors to the name. */
	enum wg_status status = wg_input_open(path, &input, error);

	if (status != WG_OK)
		return status;
	status = wg_safetensors_read_input(&input, arena, builder, error);
	wg_input_done(&input);
	/* A pointer, a page or a link's text in its place has a better name. */
	if (status == WG_BAD_INPUT)
		wg_diagnose_file(path, "safetensors", error);
	return status;
}

enum wg_status wg_safetensors_read_header(const char *path, struct wg_arena *arena,
                                          struct wg_tensor_table *ret_table, struct wg_error *error)
{
	struct wg_table_builder builder;

	wg_table_builder_init(&builder, arena, 0);
	enum wg_status status = wg_safetensors_read_file(path, arena, &builder, error);
	if (status == WG_OK)
		wg_table_builder_finish(&builder, ret_table);
	wg_table_builder_done(&builder);
	return status;
}
