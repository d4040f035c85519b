#include "whichgpu/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void wg_text_init(struct wg_text *text, size_t ceiling_bytes)
{
	*text = (struct wg_text){ .ceiling = ceiling_bytes };
}

void wg_text_done(struct wg_text *text)
{
	free(text->bytes);
	*text = (struct wg_text){ .ceiling = text->ceiling };
}

void wg_text_clear(struct wg_text *text)
{
	text->length = 0;
	text->failed = false;
	if (text->bytes)
		text->bytes[0] = '\0';
}

/* Room for `more` bytes and the NUL; marks the text as failed when there is none. */
static bool reserve(struct wg_text *text, size_t more)
{
	if (text->failed)
		return false;
	if (more > text->ceiling || text->length > text->ceiling - more) {
		text->failed = true;
		return false;
	}
	size_t needed = text->length + more + 1;
	if (needed <= text->capacity)
		return true;
	size_t capacity = text->capacity ? text->capacity : 64;
	while (capacity < needed)
		capacity = capacity > SIZE_MAX / 2 ? needed : capacity * 2;
	char *bytes = realloc(text->bytes, capacity);
	if (!bytes) {
		text->failed = true;
		return false;
	}
	text->bytes = bytes;
	text->capacity = capacity;
	return true;
}

void wg_text_add_bytes(struct wg_text *text, const char *bytes, size_t length)
{
	if (!reserve(text, length))
		return;
	if (length > 0)
		memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

void wg_text_add(struct wg_text *text, const char *string)
{
	wg_text_add_bytes(text, string, strlen(string));
}

void wg_text_add_char(struct wg_text *text, char c)
{
	wg_text_add_bytes(text, &c, 1);
}

void wg_text_add_repeated(struct wg_text *text, char c, size_t count)
{
	if (!reserve(text, count))
		return;
	memset(text->bytes + text->length, c, count);
	text->length += count;
	text->bytes[text->length] = '\0';
}

void wg_text_printf(struct wg_text *text, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		text->failed = true;
	else if (reserve(text, (size_t)length)) {
		vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
		text->length += (size_t)length;
	}
	va_end(again);
}

const char *wg_text_string(const struct wg_text *text)
{
	return text->bytes ? text->bytes : "";
}

bool wg_text_is_utf8(const char *bytes, size_t length)
{
	size_t at = 0;
	while (at < length) {
		uint32_t code;
		size_t step = wg_utf8_next(bytes + at, length - at, &code);
		if (step == 0)
			return false;
		at += step;
	}
	return true;
}

size_t wg_text_sanitize(char *target, size_t target_bytes, const char *source, size_t source_bytes)
{
	if (target_bytes == 0)
		return 0;
	size_t written = 0, at = 0;
	while (at < source_bytes) {
		uint32_t code;
		size_t step = wg_utf8_next(source + at, source_bytes - at, &code);
		bool clean = step > 0 && !wg_utf8_is_control(code);
		size_t size = clean ? step : 1;
		if (written + size >= target_bytes)
			break;
		if (clean)
			memcpy(target + written, source + at, step);
		else
			target[written] = '?';
		written += size;
		at += step > 0 ? step : 1;
	}
	target[written] = '\0';
	return written;
}

static unsigned char folded(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Names longer than this are compared by their beginning; what hangs over
 * counts as inserted. */
#define DISTANCE_BYTES 255

unsigned wg_text_distance(const char *a, const char *b)
{
	size_t a_length = strlen(a), b_length = strlen(b);
	size_t rows = a_length < DISTANCE_BYTES ? a_length : DISTANCE_BYTES;
	size_t columns = b_length < DISTANCE_BYTES ? b_length : DISTANCE_BYTES;
	unsigned row[DISTANCE_BYTES + 1];
	for (size_t j = 0; j <= columns; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= rows; i++) {
		unsigned diagonal = row[0];
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= columns; j++) {
			unsigned changed = diagonal + (folded(a[i - 1]) != folded(b[j - 1]));
			unsigned shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
			diagonal = row[j];
			row[j] = changed < shorter + 1 ? changed : shorter + 1;
		}
	}
	return row[columns] + (unsigned)(a_length - rows + b_length - columns);
}
