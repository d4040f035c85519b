/* The one way to read binary data: a cursor that checks every step against
 * the bytes left, in constant time, before anything is read or allocated.
 *
 * Large inputs pass through a window of WG_CURSOR_WINDOW bytes, so that a
 * vocabulary of any size costs no memory. Every call that returns bool
 * returns false once the input is too short or cannot be read; `error` (given
 * to _init) then says so, and the cursor stays where it was. */
#ifndef WG_BASE_CURSOR_H
#define WG_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/input.h"
#include "whichgpu/status.h"

#define WG_CURSOR_WINDOW ((size_t)256 << 10)

struct wg_cursor {
	const struct wg_input *input;
	uint64_t position, end;
	bool big_endian;        /* integers are stored most significant byte first */
	struct wg_error *error; /* NULL allowed */
	unsigned char *window;  /* owned; NULL for memory and before the first read */
	uint64_t window_start;
	size_t window_bytes;
};

/* a * b and a + b; false (and *ret_ untouched) when the result does not fit. */
static inline bool wg_checked_multiply(uint64_t a, uint64_t b, uint64_t *ret_product)
{
	uint64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*ret_product = product;
	return true;
}

static inline bool wg_checked_add(uint64_t a, uint64_t b, uint64_t *ret_sum)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*ret_sum = sum;
	return true;
}

/* Covers start..end of the input; end is cut to the input's size. */
void wg_cursor_init(struct wg_cursor *cursor, const struct wg_input *input, uint64_t start,
                    uint64_t end, struct wg_error *error);
void wg_cursor_done(struct wg_cursor *cursor);

uint64_t wg_cursor_left(const struct wg_cursor *cursor);
/* count items of at least item_bytes each can still follow. */
bool wg_cursor_has(const struct wg_cursor *cursor, uint64_t count, uint64_t item_bytes);

bool wg_cursor_u8(struct wg_cursor *cursor, uint8_t *ret_value);
bool wg_cursor_u16(struct wg_cursor *cursor, uint16_t *ret_value);
bool wg_cursor_u32(struct wg_cursor *cursor, uint32_t *ret_value);
bool wg_cursor_u64(struct wg_cursor *cursor, uint64_t *ret_value);
bool wg_cursor_skip(struct wg_cursor *cursor, uint64_t length);
/* Copies; the caller has checked that it wants that much memory. */
bool wg_cursor_copy(struct wg_cursor *cursor, void *target, size_t length);
/* Skips count strings, each a u64 length and its bytes. */
bool wg_cursor_skip_strings(struct wg_cursor *cursor, uint64_t count);

#endif
