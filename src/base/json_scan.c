#include <string.h>

#include "base/i18n.h"
#include "base/json_document.h"
#include "whichgpu/limits.h"

/* Past the closing quote of the string whose opening quote is at `at`. */
static size_t skip_string(const char *text, size_t length, size_t at)
{
	at++;
	while (at < length) {
		const char *quote = memchr(text + at, '"', length - at);
		if (!quote)
			return length;
		const char *escape = memchr(text + at, '\\', (size_t)(quote - text) - at);
		if (!escape)
			return (size_t)(quote - text) + 1;
		at = (size_t)(escape - text) + 2;
	}
	return length;
}

/* Length of an Infinity or NaN at this place; 0 when there is none. The sign
 * is left alone: a number may have it too. */
static size_t nonfinite_length(const char *text, size_t length, size_t at)
{
	static const char *const words[] = { "Infinity", "NaN" };
	for (size_t i = 0; i < 2; i++) {
		size_t size = strlen(words[i]);
		if (length - at >= size && memcmp(text + at, words[i], size) == 0)
			return size;
	}
	return 0;
}

static enum wg_status fail_limit(const char *text, size_t at, const char *name, const char *what,
                                 size_t limit, struct wg_error *error)
{
	long line = 1;
	size_t line_start = 0;
	for (size_t i = 0; i < at; i++) {
		if (text[i] == '\n') {
			line++;
			line_start = i + 1;
		}
	}
	wg_error_set(error, WG_LIMIT, _("JSON %s more than %zu"), what, limit);
	wg_error_place(error, name, line, (long)(at - line_start) + 1, (long long)at);
	return WG_LIMIT;
}

enum wg_status wg_json_scan(const char *text, size_t length, const char *name,
                            size_t *ret_nonfinite, struct wg_error *error)
{
	size_t depth = 0, values = 1, nonfinite = 0;
	for (size_t at = 0; at < length;) {
		char c = text[at];
		if (c == '"') {
			at = skip_string(text, length, at);
			continue;
		}
		if (c == '{' || c == '[') {
			if (++depth > WG_LIMIT_JSON_DEPTH)
				return fail_limit(text, at, name, _("is nested"),
				                  WG_LIMIT_JSON_DEPTH, error);
			values++;
		} else if (c == '}' || c == ']') {
			depth -= depth > 0;
		} else if (c == ',') {
			values++;
		} else if (c == 'I' || c == 'N') {
			nonfinite += nonfinite_length(text, length, at) > 0;
		}
		if (values > WG_LIMIT_JSON_VALUES)
			return fail_limit(text, at, name, _("has values"), WG_LIMIT_JSON_VALUES,
			                  error);
		at++;
	}
	*ret_nonfinite = nonfinite;
	return WG_OK;
}

void wg_json_replace_nonfinite(char *text, size_t length)
{
	for (size_t at = 0; at < length;) {
		if (text[at] == '"') {
			at = skip_string(text, length, at);
			continue;
		}
		size_t size = nonfinite_length(text, length, at);
		if (size == strlen("Infinity"))
			memcpy(text + at, "1.7e+308", size);
		else if (size > 0)
			memcpy(text + at, "\"" WG_JSON_NAN_TEXT "\"", size);
		at += size > 0 ? size : 1;
	}
}
