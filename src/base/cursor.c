/* The checked cursor: see cursor.h. */
#include "base/cursor.h"
#include "base/i18n.h"

#include <stdlib.h>
#include <string.h>

void wg_cursor_init(struct wg_cursor *cursor, const struct wg_input *input, uint64_t start,
                    uint64_t end, struct wg_error *error)
{
	if (end > input->bytes)
		end = input->bytes;
	*cursor = (struct wg_cursor){
		.input = input, .position = start < end ? start : end, .end = end, .error = error
	};
}

void wg_cursor_done(struct wg_cursor *cursor)
{
	free(cursor->window);
	cursor->window = NULL;
}

uint64_t wg_cursor_left(const struct wg_cursor *cursor)
{
	return cursor->end - cursor->position;
}

bool wg_cursor_has(const struct wg_cursor *cursor, uint64_t count, uint64_t item_bytes)
{
	return item_bytes == 0 || count <= wg_cursor_left(cursor) / item_bytes;
}

static bool fail_short(struct wg_cursor *cursor)
{
	wg_error_set(cursor->error, WG_BAD_INPUT,
	             _("\"%s\" is cut off: it ends at byte %llu in the "
	               "middle of a value"),
	             cursor->input->name, (unsigned long long)cursor->end);
	wg_error_place(cursor->error, cursor->input->name, 0, 0, (long long)cursor->position);
	return false;
}

/* Makes [position, position + length) readable in one piece; length is at most
 * the window. NULL when that is not possible. */
static const unsigned char *look(struct wg_cursor *cursor, size_t length)
{
	const struct wg_input *input = cursor->input;

	if (length > wg_cursor_left(cursor)) {
		fail_short(cursor);
		return NULL;
	}
	if (input->memory != NULL)
		return input->memory + cursor->position;
	if (cursor->position < cursor->window_start ||
	    cursor->position - cursor->window_start > cursor->window_bytes ||
	    cursor->window_bytes - (cursor->position - cursor->window_start) < length) {
		size_t want = WG_CURSOR_WINDOW;

		if (want > wg_cursor_left(cursor))
			want = (size_t)wg_cursor_left(cursor);
		if (cursor->window == NULL && (cursor->window = malloc(WG_CURSOR_WINDOW)) == NULL) {
			wg_error_no_memory(cursor->error);
			return NULL;
		}
		cursor->window_bytes = 0;
		if (wg_input_read(input, cursor->position, cursor->window, want, cursor->error))
			return NULL;
		cursor->window_start = cursor->position;
		cursor->window_bytes = want;
	}
	return cursor->window + (cursor->position - cursor->window_start);
}

/* An unsigned integer of `bytes` bytes in the file's byte order. */
static bool take_integer(struct wg_cursor *cursor, size_t bytes, uint64_t *ret_value)
{
	const unsigned char *at = look(cursor, bytes);
	uint64_t value = 0;

	if (at == NULL)
		return false;
	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | at[cursor->big_endian ? i : bytes - 1 - i];
	cursor->position += bytes;
	*ret_value = value;
	return true;
}

bool wg_cursor_u8(struct wg_cursor *cursor, uint8_t *ret_value)
{
	uint64_t value;

	if (!take_integer(cursor, 1, &value))
		return false;
	*ret_value = (uint8_t)value;
	return true;
}

bool wg_cursor_u16(struct wg_cursor *cursor, uint16_t *ret_value)
{
	uint64_t value;

	if (!take_integer(cursor, 2, &value))
		return false;
	*ret_value = (uint16_t)value;
	return true;
}

bool wg_cursor_u32(struct wg_cursor *cursor, uint32_t *ret_value)
{
	uint64_t value;

	if (!take_integer(cursor, 4, &value))
		return false;
	*ret_value = (uint32_t)value;
	return true;
}

bool wg_cursor_u64(struct wg_cursor *cursor, uint64_t *ret_value)
{
	return take_integer(cursor, 8, ret_value);
}

bool wg_cursor_skip(struct wg_cursor *cursor, uint64_t length)
{
	if (length > wg_cursor_left(cursor))
		return fail_short(cursor);
	cursor->position += length;
	return true;
}

bool wg_cursor_copy(struct wg_cursor *cursor, void *target, size_t length)
{
	if (length > wg_cursor_left(cursor))
		return fail_short(cursor);
	/* Small pieces come from the window; a large one is read straight into place. */
	if (length <= WG_CURSOR_WINDOW) {
		const unsigned char *at = look(cursor, length);

		if (at == NULL)
			return false;
		memcpy(target, at, length);
	} else if (wg_input_read(cursor->input, cursor->position, target, length, cursor->error)) {
		return false;
	}
	cursor->position += length;
	return true;
}

/* As many whole strings as the window holds, without a call for each; returns
 * how many. Vocabularies have 250,000 strings. */
static uint64_t skip_in_window(struct wg_cursor *cursor, uint64_t count)
{
	uint64_t done = 0;
	const unsigned char *start, *at;
	size_t bytes;

	if (cursor->input->memory != NULL) {
		start = cursor->input->memory + cursor->position;
		bytes = (size_t)wg_cursor_left(cursor);
	} else {
		size_t used = (size_t)(cursor->position - cursor->window_start);

		if (cursor->position < cursor->window_start || used >= cursor->window_bytes)
			return 0;
		start = cursor->window + used;
		bytes = cursor->window_bytes - used;
	}
	for (at = start; done < count && bytes >= 8; done++) {
		uint64_t length = 0;

		for (int i = 0; i < 8; i++)
			length = length << 8 | at[cursor->big_endian ? i : 7 - i];
		if (length > bytes - 8)
			break;
		at += 8 + length;
		bytes -= 8 + (size_t)length;
	}
	cursor->position += (uint64_t)(at - start);
	return done;
}

bool wg_cursor_skip_strings(struct wg_cursor *cursor, uint64_t count)
{
	if (!wg_cursor_has(cursor, count, 8))
		return fail_short(cursor);
	while (count > 0) {
		uint64_t done = skip_in_window(cursor, count), length;

		count -= done;
		if (done > 0 || count == 0)
			continue;
		if (!take_integer(cursor, 8, &length) || !wg_cursor_skip(cursor, length))
			return false;
		count--;
	}
	return true;
}
