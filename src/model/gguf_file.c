/* GGUF: header, keys, tensor infos. Layout: ggml-org/ggml, docs/gguf.md.
 *
 * Every count is compared with the bytes left before it is believed, every
 * factor is looked at before it is multiplied, every tensor must lie inside
 * the file; the time for each item is constant. */
#include "model/gguf_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/i18n.h"
#include "whichgpu/limits.h"
#include "whichgpu/text.h"

#define RANK_MAX 4
#define NAME_BYTES_MAX 63
#define KEY_BYTES_MAX 65535
/* The fewest bytes a key (length, one letter, type, one byte) and a tensor
 * info (length, rank, type, offset) can take. */
#define KEY_BYTES_MIN 14
#define INFO_BYTES_MIN 24

static const struct wg_block types[] = {
#define WG_GGUF_TYPE(id, name, weights, bytes) [id] = { name, weights, bytes },
#include "model/gguf_types.def"
#undef WG_GGUF_TYPE
};

static const struct {
	uint32_t id;
	const char *name;
} removed_types[] = {
#define WG_GGUF_TYPE(id, name, weights, bytes)
#define WG_GGUF_REMOVED_TYPE(id, name) { id, name },
#include "model/gguf_types.def"
#undef WG_GGUF_TYPE
#undef WG_GGUF_REMOVED_TYPE
};

/* Bytes of a scalar in the file; 0: string or array. */
static const unsigned char value_bytes[WG_GGUF_VALUE_COUNT] = {
	[WG_GGUF_U8] = 1,  [WG_GGUF_I8] = 1,  [WG_GGUF_BOOL] = 1, [WG_GGUF_U16] = 2,
	[WG_GGUF_I16] = 2, [WG_GGUF_U32] = 4, [WG_GGUF_I32] = 4,  [WG_GGUF_F32] = 4,
	[WG_GGUF_U64] = 8, [WG_GGUF_I64] = 8, [WG_GGUF_F64] = 8,
};

struct reading {
	struct wg_cursor cursor;
	struct wg_arena *arena;
	struct wg_gguf_file *file;
	struct wg_error *error;
	struct wg_table_builder *builder;
	uint64_t running;  /* where the next tensor must begin, from the data's start */
	uint64_t last_end; /* where the last tensor ends, padding left out */
	enum wg_status status;
};

__attribute__((format(printf, 3, 4))) static bool fail(struct reading *reading,
                                                       enum wg_status status, const char *format,
                                                       ...)
{
	char message[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	reading->status = status;
	wg_error_set(reading->error, status, "%s", message);
	wg_error_place(reading->error, reading->file->input->name, 0, 0,
	               (long long)reading->cursor.position);
	return false;
}

/* The cursor has set the error already: too short, or reading failed. */
static bool fail_cursor(struct reading *reading)
{
	reading->status = reading->error != NULL && reading->error->status != WG_OK
	                          ? reading->error->status
	                          : WG_BAD_INPUT;
	return false;
}

/* --- strings ------------------------------------------------------------- */

/* A name into the arena: at most limit bytes, no control characters, no NUL. */
static bool read_name(struct reading *reading, const char *what, uint64_t limit,
                      const char **ret_name)
{
	uint64_t length;

	if (!wg_cursor_u64(&reading->cursor, &length))
		return fail_cursor(reading);
	if (length > limit)
		return fail(reading, WG_BAD_INPUT,
		            _("a %s of %llu bytes; at most %llu are allowed"), what,
		            (unsigned long long)length, (unsigned long long)limit);
	if (!wg_cursor_has(&reading->cursor, length, 1))
		return fail(reading, WG_BAD_INPUT, _("a %s of %llu bytes reaches beyond the end"),
		            what, (unsigned long long)length);
	char *name = wg_arena_alloc(reading->arena, (size_t)length + 1);
	if (name == NULL)
		return fail(reading, WG_NO_MEMORY, _("out of memory"));
	if (!wg_cursor_copy(&reading->cursor, name, (size_t)length))
		return fail_cursor(reading);
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
			return fail(reading, WG_BAD_INPUT, _("a %s contains control characters"),
			            what);
	if (!wg_text_is_utf8(name, (size_t)length))
		return fail(reading, WG_BAD_INPUT, _("a %s is not valid UTF-8"), what);
	*ret_name = name;
	return true;
}

static bool read_string(struct reading *reading, struct wg_gguf_key *key)
{
	uint64_t length;

	if (!wg_cursor_u64(&reading->cursor, &length))
		return fail_cursor(reading);
	if (length > WG_LIMIT_GGUF_STRING_BYTES || !wg_cursor_has(&reading->cursor, length, 1))
		return fail(reading, WG_BAD_INPUT,
		            _("key \"%.80s\": a string of %llu bytes reaches beyond "
		              "the end"),
		            key->name, (unsigned long long)length);
	key->position = reading->cursor.position;
	key->count = length;
	if (length > WG_GGUF_TEXT_BYTES)
		return wg_cursor_skip(&reading->cursor, length) || fail_cursor(reading);
	char *text = wg_arena_alloc(reading->arena, (size_t)length + 1);
	if (text == NULL)
		return fail(reading, WG_NO_MEMORY, _("out of memory"));
	if (!wg_cursor_copy(&reading->cursor, text, (size_t)length))
		return fail_cursor(reading);
	key->text = text;
	return true;
}

/* --- scalars and arrays ---------------------------------------------------- */

static double to_double(uint64_t bits, enum wg_gguf_value type)
{
	uint32_t low = (uint32_t)bits;
	float single;
	double number;

	switch (type) {
	case WG_GGUF_I8:
		return (int8_t)bits;
	case WG_GGUF_I16:
		return (int16_t)bits;
	case WG_GGUF_I32:
		return (int32_t)bits;
	case WG_GGUF_I64:
		return (double)(int64_t)bits;
	case WG_GGUF_F32:
		memcpy(&single, &low, sizeof single);
		return single;
	case WG_GGUF_F64:
		memcpy(&number, &bits, sizeof number);
		return number;
	default:
		return (double)bits;
	}
}

static bool read_bits(struct wg_cursor *cursor, unsigned bytes, uint64_t *ret_bits)
{
	uint8_t one;
	uint16_t two;
	uint32_t four;

	switch (bytes) {
	case 1:
		if (!wg_cursor_u8(cursor, &one))
			return false;
		*ret_bits = one;
		return true;
	case 2:
		if (!wg_cursor_u16(cursor, &two))
			return false;
		*ret_bits = two;
		return true;
	case 4:
		if (!wg_cursor_u32(cursor, &four))
			return false;
		*ret_bits = four;
		return true;
	default:
		return wg_cursor_u64(cursor, ret_bits);
	}
}

static bool read_scalar(struct reading *reading, enum wg_gguf_value type, double *ret_number)
{
	uint64_t bits;

	if (!read_bits(&reading->cursor, value_bytes[type], &bits))
		return fail_cursor(reading);
	if (type == WG_GGUF_BOOL && bits > 1)
		return fail(reading, WG_BAD_INPUT, _("a truth value is %llu, not 0 or 1"),
		            (unsigned long long)bits);
	*ret_number = to_double(bits, type);
	return true;
}

static bool read_type(struct reading *reading, const char *key, enum wg_gguf_value *ret_type)
{
	uint32_t type;

	if (!wg_cursor_u32(&reading->cursor, &type))
		return fail_cursor(reading);
	if (type >= WG_GGUF_VALUE_COUNT)
		return fail(reading, WG_BAD_INPUT, _("key \"%.80s\" has an unknown type %u"), key,
		            type);
	*ret_type = (enum wg_gguf_value)type;
	return true;
}

/* Items stay in the file; truth values are looked at, the rest is skipped. */
static bool read_array(struct reading *reading, struct wg_gguf_key *key)
{
	double ignored;

	if (!read_type(reading, key->name, &key->item))
		return false;
	if (key->item == WG_GGUF_ARRAY)
		return fail(reading, WG_BAD_INPUT, _("key \"%.80s\" nests arrays"), key->name);
	if (!wg_cursor_u64(&reading->cursor, &key->count))
		return fail_cursor(reading);
	unsigned item_bytes = value_bytes[key->item];
	if (!wg_cursor_has(&reading->cursor, key->count, item_bytes ? item_bytes : 8))
		return fail(reading, WG_BAD_INPUT,
		            _("key \"%.80s\": an array of %llu items reaches beyond "
		              "the end"),
		            key->name, (unsigned long long)key->count);
	key->position = reading->cursor.position;
	if (key->item == WG_GGUF_STRING)
		return wg_cursor_skip_strings(&reading->cursor, key->count) || fail_cursor(reading);
	if (key->item != WG_GGUF_BOOL)
		return wg_cursor_skip(&reading->cursor, key->count * item_bytes) ||
		       fail_cursor(reading);
	for (uint64_t i = 0; i < key->count; i++)
		if (!read_scalar(reading, WG_GGUF_BOOL, &ignored))
			return false;
	return true;
}

static bool read_key(struct reading *reading, struct wg_gguf_key *key, size_t index)
{
	bool existed = false;

	if (!read_name(reading, "key", KEY_BYTES_MAX, &key->name))
		return false;
	if (key->name[0] == '\0')
		return fail(reading, WG_BAD_INPUT, _("a key is empty"));
	if (!wg_map_put(&reading->file->key_map, key->name, strlen(key->name), index, &existed))
		return fail(reading, WG_NO_MEMORY, _("out of memory"));
	if (existed)
		return fail(reading, WG_BAD_INPUT, _("there are two keys \"%.120s\""), key->name);
	if (!read_type(reading, key->name, &key->type))
		return false;
	if (key->type == WG_GGUF_STRING)
		return read_string(reading, key);
	if (key->type == WG_GGUF_ARRAY)
		return read_array(reading, key);
	key->position = reading->cursor.position;
	return read_scalar(reading, key->type, &key->number);
}

static bool read_keys(struct reading *reading)
{
	struct wg_gguf_file *file = reading->file;

	file->keys =
		wg_arena_array(reading->arena, (size_t)file->key_count + 1, sizeof *file->keys);
	if (file->keys == NULL)
		return fail(reading, WG_NO_MEMORY, _("out of memory"));
	for (uint64_t i = 0; i < file->key_count; i++)
		if (!read_key(reading, &file->keys[i], (size_t)i))
			return false;
	return true;
}

/* --- header -------------------------------------------------------------- */

static bool read_version(struct reading *reading)
{
	struct wg_gguf_file *file = reading->file;
	uint32_t version;

	if (!wg_cursor_u32(&reading->cursor, &version))
		return fail_cursor(reading);
	/* Written on a big-endian machine: 3 reads as 0x03000000. */
	if (version == 0x03000000) {
		reading->cursor.big_endian = file->big_endian = true;
		version = 3;
	}
	if (version == 1)
		return fail(reading, WG_NOT_SUPPORTED,
		            _("\"%.200s\" has GGUF version 1 of 2023; download it "
		              "again in version 2 or 3"),
		            file->input->name);
	if (version != 2 && version != 3)
		return fail(reading, WG_NOT_SUPPORTED,
		            _("\"%.200s\" has GGUF version %u; versions 2 and 3 "
		              "are read"),
		            file->input->name, version);
	file->version = version;
	return true;
}

static bool read_header(struct reading *reading)
{
	struct wg_cursor *cursor = &reading->cursor;
	struct wg_gguf_file *file = reading->file;
	char magic[4];

	if (!wg_cursor_has(cursor, 24, 1))
		return fail(reading, WG_BAD_INPUT,
		            _("\"%.200s\" is no GGUF file: it is %llu bytes long"),
		            file->input->name, (unsigned long long)file->input->bytes);
	if (!wg_cursor_copy(cursor, magic, sizeof magic))
		return fail_cursor(reading);
	if (memcmp(magic, "GGUF", 4) != 0)
		return fail(reading, WG_BAD_INPUT,
		            _("\"%.200s\" is no GGUF file: it does not begin with "
		              "\"GGUF\""),
		            file->input->name);
	if (!read_version(reading))
		return false;
	if (!wg_cursor_u64(cursor, &file->tensor_count) || !wg_cursor_u64(cursor, &file->key_count))
		return fail_cursor(reading);
	if (!wg_cursor_has(cursor, file->tensor_count, INFO_BYTES_MIN) ||
	    !wg_cursor_has(cursor, file->key_count, KEY_BYTES_MIN))
		return fail(reading, WG_BAD_INPUT,
		            _("\"%.200s\" declares %llu tensors and %llu keys, more "
		              "than its %llu bytes can hold"),
		            file->input->name, (unsigned long long)file->tensor_count,
		            (unsigned long long)file->key_count,
		            (unsigned long long)file->input->bytes);
	if (file->key_count > WG_LIMIT_GGUF_KEYS || file->tensor_count > WG_LIMIT_TENSORS)
		return fail(reading, WG_LIMIT,
		            _("\"%.200s\" has %llu tensors and %llu keys; at most %zu and "
		              "%d are read"),
		            file->input->name, (unsigned long long)file->tensor_count,
		            (unsigned long long)file->key_count, (size_t)WG_LIMIT_TENSORS,
		            WG_LIMIT_GGUF_KEYS);
	return true;
}

static bool read_alignment(struct reading *reading)
{
	const struct wg_gguf_key *key = wg_gguf_find(reading->file, "general.alignment");

	reading->file->alignment = 32;
	if (key == NULL)
		return true;
	if (key->type != WG_GGUF_U32)
		return fail(reading, WG_BAD_INPUT, _("\"general.alignment\" is not of type u32"));
	uint64_t alignment = (uint64_t)key->number;
	if (alignment == 0 || (alignment & (alignment - 1)) != 0)
		return fail(reading, WG_BAD_INPUT,
		            _("\"general.alignment\" is %llu, no power of two"),
		            (unsigned long long)alignment);
	if (alignment > WG_LIMIT_GGUF_ALIGNMENT)
		return fail(reading, WG_LIMIT,
		            _("\"general.alignment\" is %llu; at most %d is read"),
		            (unsigned long long)alignment, WG_LIMIT_GGUF_ALIGNMENT);
	reading->file->alignment = alignment;
	return true;
}

/* --- tensors ------------------------------------------------------------- */

const struct wg_block *wg_gguf_type(uint32_t id)
{
	return id < sizeof types / sizeof *types && types[id].name != NULL ? &types[id] : NULL;
}

static bool find_type(struct reading *reading, const char *tensor, uint32_t id,
                      const struct wg_block **ret_type)
{
	*ret_type = wg_gguf_type(id);
	if (*ret_type != NULL)
		return true;
	for (size_t i = 0; i < sizeof removed_types / sizeof *removed_types; i++)
		if (removed_types[i].id == id)
			return fail(reading, WG_NOT_SUPPORTED,
			            _("tensor \"%s\" has type %u (%s), which was "
			              "removed from the format"),
			            tensor, id, removed_types[i].name);
	return fail(reading, WG_BAD_INPUT, _("tensor \"%s\" has an unknown type %u"), tensor, id);
}

static bool read_shape(struct reading *reading, struct wg_tensor *tensor)
{
	uint32_t rank;

	if (!wg_cursor_u32(&reading->cursor, &rank))
		return fail_cursor(reading);
	if (rank > RANK_MAX)
		return fail(reading, WG_BAD_INPUT,
		            _("tensor \"%s\" has %u dimensions; at most %d are "
		              "possible"),
		            tensor->name, rank, RANK_MAX);
	tensor->rank = rank;
	for (uint32_t i = 0; i < rank; i++) {
		if (!wg_cursor_u64(&reading->cursor, &tensor->shape[i]))
			return fail_cursor(reading);
		if (tensor->shape[i] > INT64_MAX)
			return fail(reading, WG_BAD_INPUT,
			            _("tensor \"%s\" has a negative dimension"), tensor->name);
	}
	return true;
}

/* Bytes of the tensor, and its place: exactly where the one before it ends,
 * rounded up to the alignment. */
static bool check_place(struct reading *reading, const char *name, uint64_t bytes, uint64_t offset)
{
	uint64_t alignment = reading->file->alignment, end;

	if (offset % alignment != 0)
		return fail(reading, WG_BAD_INPUT,
		            _("tensor \"%s\" begins at %llu, no multiple of %llu"), name,
		            (unsigned long long)offset, (unsigned long long)alignment);
	if (offset != reading->running)
		return fail(reading, WG_BAD_INPUT,
		            _("tensor \"%s\" begins at %llu, %llu is expected"), name,
		            (unsigned long long)offset, (unsigned long long)reading->running);
	if (!wg_checked_add(offset, bytes, &end) || end > INT64_MAX - alignment)
		return fail(reading, WG_BAD_INPUT, _("tensor \"%s\" ends beyond 2^63 bytes"), name);
	reading->last_end = end;
	reading->running = (end + alignment - 1) / alignment * alignment;
	return true;
}

static bool read_tensor(struct reading *reading)
{
	struct wg_tensor tensor = { 0 };
	const struct wg_block *type;
	uint64_t offset, elements, bytes;
	uint32_t id;

	if (!read_name(reading, "tensor name", NAME_BYTES_MAX, &tensor.name) ||
	    !read_shape(reading, &tensor))
		return false;
	if (!wg_cursor_u32(&reading->cursor, &id) || !wg_cursor_u64(&reading->cursor, &offset))
		return fail_cursor(reading);
	if (!find_type(reading, tensor.name, id, &type))
		return false;
	if (tensor.rank > 0 && tensor.shape[0] % type->weights != 0)
		return fail(reading, WG_BAD_INPUT,
		            _("tensor \"%s\" has rows of %llu elements, no multiple "
		              "of %u as type %s needs"),
		            tensor.name, (unsigned long long)tensor.shape[0], type->weights,
		            type->name);
	if (!wg_block_size(type, tensor.shape, tensor.rank, &elements, &bytes))
		return fail(reading, WG_BAD_INPUT,
		            _("tensor \"%s\" has an impossible shape: its size "
		              "overflows"),
		            tensor.name);
	if (!check_place(reading, tensor.name, bytes, offset))
		return false;
	tensor.type = type->name;
	tensor.bits = 8.0 * type->bytes / type->weights;
	tensor.elements = (double)elements;
	tensor.bytes = (double)bytes;
	reading->status = wg_table_builder_add(reading->builder, &tensor, reading->error);
	return reading->status == WG_OK;
}

static bool read_tensors(struct reading *reading)
{
	const struct wg_input *input = reading->file->input;
	uint64_t alignment = reading->file->alignment, data, needed = UINT64_MAX;

	for (uint64_t i = 0; i < reading->file->tensor_count; i++)
		if (!read_tensor(reading))
			return false;
	if (reading->file->tensor_count == 0)
		return true;
	/* The data begin at the next multiple of the alignment. */
	data = (reading->cursor.position + alignment - 1) / alignment * alignment;
	if (wg_checked_add(data, reading->last_end, &needed) && needed <= input->bytes)
		return true;
	return fail(reading, WG_BAD_INPUT,
	            _("\"%.200s\" is cut off: its tensors reach to byte %llu, the "
	              "file ends at %llu"),
	            input->name, (unsigned long long)needed, (unsigned long long)input->bytes);
}

enum wg_status wg_gguf_file_read(const struct wg_input *input, struct wg_arena *arena,
                                 struct wg_table_builder *builder, struct wg_gguf_file *ret_file,
                                 struct wg_error *error)
{
	struct wg_gguf_file file = { .input = input };
	struct wg_error own;
	struct reading reading = { .arena = arena,
		                   .file = &file,
		                   .error = error != NULL ? error : &own,
		                   .builder = builder };

	wg_error_init(reading.error);
	wg_map_init(&file.key_map);
	wg_cursor_init(&reading.cursor, input, 0, input->bytes, reading.error);
	if (read_header(&reading) && read_keys(&reading) && read_alignment(&reading) &&
	    read_tensors(&reading))
		reading.status = wg_input_check_size(input, reading.error);
	wg_cursor_done(&reading.cursor);
	if (reading.status == WG_OK)
		*ret_file = file;
	else
		wg_map_done(&file.key_map);
	return reading.status;
}

void wg_gguf_file_done(struct wg_gguf_file *file)
{
	wg_map_done(&file->key_map);
}

/* --- asking for keys -------------------------------------------------------- */

const struct wg_gguf_key *wg_gguf_find(const struct wg_gguf_file *file, const char *name)
{
	size_t index;

	return wg_map_find(&file->key_map, name, strlen(name), &index) ? &file->keys[index] : NULL;
}

const char *wg_gguf_text(const struct wg_gguf_file *file, const char *name)
{
	const struct wg_gguf_key *key = wg_gguf_find(file, name);

	return key != NULL && key->text != NULL ? key->text : "";
}

bool wg_gguf_number(const struct wg_gguf_file *file, const char *name, double *ret_value)
{
	const struct wg_gguf_key *key = wg_gguf_find(file, name);

	if (key == NULL || key->type == WG_GGUF_STRING || key->type == WG_GGUF_ARRAY)
		return false;
	*ret_value = key->number;
	return true;
}

bool wg_gguf_numbers(const struct wg_gguf_file *file, const char *name, double *values,
                     size_t limit, size_t *ret_count)
{
	const struct wg_gguf_key *key = wg_gguf_find(file, name);
	struct wg_cursor cursor;
	uint64_t bits, i = 0;

	if (key == NULL || limit == 0)
		return false;
	if (key->type != WG_GGUF_ARRAY) {
		*ret_count = 1;
		return wg_gguf_number(file, name, values);
	}
	if (key->item == WG_GGUF_STRING || key->count > limit)
		return false;
	wg_cursor_init(&cursor, file->input, key->position, file->input->bytes, NULL);
	cursor.big_endian = file->big_endian;
	for (; i < key->count && read_bits(&cursor, value_bytes[key->item], &bits); i++)
		values[i] = to_double(bits, key->item);
	wg_cursor_done(&cursor);
	if (i < key->count)
		return false;
	*ret_count = (size_t)i;
	return true;
}
