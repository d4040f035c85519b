#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "whichgpu/json.h"
#include "whichgpu/number.h"

#define DEPTH_LIMIT sizeof((struct wg_json_writer *)0)->has_member

void wg_json_writer_init(struct wg_json_writer *writer, struct wg_text *out, bool pretty)
{
	*writer = (struct wg_json_writer){ .out = out, .pretty = pretty };
}

static void put_code(struct wg_text *out, const char *bytes, size_t length, uint32_t code)
{
	static const char short_forms[] = "\b\f\n\r\t\"\\";
	const char *at = code < 0x80 && code > 0 ? strchr(short_forms, (int)code) : NULL;
	if (at) {
		wg_text_add_char(out, '\\');
		wg_text_add_char(out, "bfnrt\"\\"[at - short_forms]);
	} else if (wg_utf8_is_control(code)) {
		wg_text_printf(out, "\\u%04x", (unsigned)code);
	} else {
		wg_text_add_bytes(out, bytes, length);
	}
}

/* Printable ASCII that stands for itself: nearly all there is. */
static size_t plain_length(const char *text)
{
	size_t length = 0;
	while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != '"' &&
	       text[length] != '\\')
		length++;
	return length;
}

static void put_quoted(struct wg_text *out, const char *value)
{
	size_t length = strlen(value), at = 0;
	wg_text_add_char(out, '"');
	while (at < length) {
		size_t step = plain_length(value + at);
		uint32_t code;
		if (step > 0) {
			wg_text_add_bytes(out, value + at, step);
		} else if ((step = wg_utf8_next(value + at, length - at, &code)) > 0) {
			put_code(out, value + at, step, code);
		} else {
			wg_text_add(out,
			            "\xEF\xBF\xBD"); /* U+FFFD stands for what was no character */
			step = 1;
		}
		at += step;
	}
	wg_text_add_char(out, '"');
}

static void new_line(struct wg_json_writer *writer)
{
	if (!writer->pretty)
		return;
	wg_text_add_char(writer->out, '\n');
	wg_text_add_repeated(writer->out, ' ', 2 * (size_t)writer->depth);
}

/* What stands before a value: comma, line, key. */
static void start_value(struct wg_json_writer *writer, const char *key)
{
	bool *has_member = &writer->has_member[writer->depth];
	if (*has_member)
		wg_text_add_char(writer->out, ',');
	if (writer->depth > 0)
		new_line(writer);
	*has_member = true;
	if (key) {
		put_quoted(writer->out, key);
		wg_text_add(writer->out, writer->pretty ? ": " : ":");
	}
}

static void begin(struct wg_json_writer *writer, const char *key, char bracket)
{
	start_value(writer, key);
	wg_text_add_char(writer->out, bracket);
	assert(writer->depth + 1 < DEPTH_LIMIT);
	writer->has_member[++writer->depth] = false;
}

static void end(struct wg_json_writer *writer, char bracket)
{
	assert(writer->depth > 0);
	bool had_member = writer->has_member[writer->depth--];
	if (had_member)
		new_line(writer);
	wg_text_add_char(writer->out, bracket);
}

void wg_json_begin_object(struct wg_json_writer *writer, const char *key)
{
	begin(writer, key, '{');
}

void wg_json_end_object(struct wg_json_writer *writer)
{
	end(writer, '}');
}

void wg_json_begin_array(struct wg_json_writer *writer, const char *key)
{
	begin(writer, key, '[');
}

void wg_json_end_array(struct wg_json_writer *writer)
{
	end(writer, ']');
}

void wg_json_put_number(struct wg_json_writer *writer, const char *key, double value)
{
	char buffer[32];
	if (!isfinite(value)) {
		wg_json_put_null(writer, key);
		return;
	}
	size_t length = wg_number_write(buffer, sizeof buffer, value);
	start_value(writer, key);
	wg_text_add_bytes(writer->out, buffer, length);
}

void wg_json_put_integer(struct wg_json_writer *writer, const char *key, int64_t value)
{
	start_value(writer, key);
	wg_text_printf(writer->out, "%" PRId64, value);
}

void wg_json_put_string(struct wg_json_writer *writer, const char *key, const char *value)
{
	start_value(writer, key);
	put_quoted(writer->out, value);
}

void wg_json_put_bool(struct wg_json_writer *writer, const char *key, bool value)
{
	start_value(writer, key);
	wg_text_add(writer->out, value ? "true" : "false");
}

void wg_json_put_null(struct wg_json_writer *writer, const char *key)
{
	start_value(writer, key);
	wg_text_add(writer->out, "null");
}
