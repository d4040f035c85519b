/* One GGUF file as it stands: its keys and its tensors, checked; what they mean
 * is for gguf_config.c. Keys and texts live in the arena, arrays stay in the
 * file and are read on demand. */
#ifndef WG_MODEL_GGUF_FILE_H
#define WG_MODEL_GGUF_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/input.h"
#include "model/tensor_table.h"
#include "whichgpu/arena.h"
#include "whichgpu/map.h"

enum wg_gguf_value {
	WG_GGUF_U8,
	WG_GGUF_I8,
	WG_GGUF_U16,
	WG_GGUF_I16,
	WG_GGUF_U32,
	WG_GGUF_I32,
	WG_GGUF_F32,
	WG_GGUF_BOOL,
	WG_GGUF_STRING,
	WG_GGUF_ARRAY,
	WG_GGUF_U64,
	WG_GGUF_I64,
	WG_GGUF_F64,
	WG_GGUF_VALUE_COUNT
};

struct wg_gguf_key {
	const char *name;
	enum wg_gguf_value type, item; /* item: of an array */
	uint64_t count;                /* items of an array, bytes of a string */
	uint64_t position;             /* of the value's (first item's) bytes in the file */
	double number;                 /* of a scalar; exact up to 2^53 */
	const char *text;              /* of a string of at most WG_GGUF_TEXT_BYTES; else NULL */
};

#define WG_GGUF_TEXT_BYTES 4096

struct wg_gguf_file {
	const struct wg_input *input;
	bool big_endian;
	unsigned version;
	uint64_t tensor_count, key_count;
	uint64_t alignment;
	struct wg_gguf_key *keys;
	struct wg_map key_map; /* owned; wg_gguf_file_done */
};

/* Keys into *ret_file, tensors into the builder. The input must stay open
 * while arrays are asked for. */
enum wg_status wg_gguf_file_read(const struct wg_input *input, struct wg_arena *arena,
                                 struct wg_table_builder *builder, struct wg_gguf_file *ret_file,
                                 struct wg_error *error);
void wg_gguf_file_done(struct wg_gguf_file *file);

/* NULL when there is no such key. */
const struct wg_gguf_key *wg_gguf_find(const struct wg_gguf_file *file, const char *name);
/* The text of a string key, else "". */
const char *wg_gguf_text(const struct wg_gguf_file *file, const char *name);
/* A scalar number or bool; false when absent or something else. */
bool wg_gguf_number(const struct wg_gguf_file *file, const char *name, double *ret_value);
/* The numbers of an array of at most `limit` items, or a scalar as one item,
 * into values; false when absent, longer or no numbers. */
bool wg_gguf_numbers(const struct wg_gguf_file *file, const char *name, double *values,
                     size_t limit, size_t *ret_count);

/* "Q4_K" of id 12; NULL when there is no such tensor type. */
const struct wg_block *wg_gguf_type(uint32_t id);

#endif
