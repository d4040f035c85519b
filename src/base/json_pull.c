/* Forward JSON reader in place: see json_pull.h. */
#include "base/json_pull.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "whichgpu/limits.h"
#include "whichgpu/number.h"
#include "whichgpu/text.h"

void wg_json_pull_init(struct wg_json_pull *pull, char *text, size_t length, const char *name,
                       uint64_t offset, struct wg_error *error)
{
	*pull = (struct wg_json_pull){ .start = text,
		                       .at = text,
		                       .end = text + length,
		                       .name = name,
		                       .offset = offset,
		                       .error = error };
}

bool wg_json_pull_fail(struct wg_json_pull *pull, enum wg_status status, const char *format, ...)
{
	char message[400];
	va_list arguments;

	if (pull->status != WG_OK)
		return false;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	pull->status = status;
	wg_error_set(pull->error, status, "%s", message);
	wg_error_place(pull->error, pull->name, 0, 0,
	               (long long)pull->offset + (long long)(pull->at - pull->start));
	return false;
}

static bool fail_wanted(struct wg_json_pull *pull, const char *wanted)
{
	if (pull->at >= pull->end)
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("the JSON text ends where %s is wanted"), wanted);
	return wg_json_pull_fail(pull, WG_BAD_INPUT, _("this is no JSON: %s is wanted here"),
	                         wanted);
}

char wg_json_pull_peek(struct wg_json_pull *pull)
{
	while (pull->at < pull->end &&
	       (*pull->at == ' ' || *pull->at == '\n' || *pull->at == '\t' || *pull->at == '\r'))
		pull->at++;
	return pull->at < pull->end && pull->status == WG_OK ? *pull->at : '\0';
}

static bool expect(struct wg_json_pull *pull, char c)
{
	char wanted[] = { '"', c, '"', '\0' };

	if (wg_json_pull_peek(pull) != c)
		return fail_wanted(pull, c == '"' ? _("a string") : wanted);
	pull->at++;
	return true;
}

bool wg_json_pull_begin(struct wg_json_pull *pull, char bracket)
{
	return expect(pull, bracket);
}

/* After a value: a comma and more, or the closing bracket. */
static bool more(struct wg_json_pull *pull, bool first, char closing, bool *ret_more)
{
	char wanted[] = { '"', ',', '"', ' ', 'o', 'r', ' ', '"', closing, '"', '\0' };
	char c = wg_json_pull_peek(pull);

	if (c == closing) {
		pull->at++;
		*ret_more = false;
		return true;
	}
	*ret_more = true;
	if (first)
		return pull->status == WG_OK;
	if (c != ',')
		return fail_wanted(pull, wanted);
	pull->at++;
	return true;
}

bool wg_json_pull_member(struct wg_json_pull *pull, bool first, struct wg_json_string *ret_key,
                         bool *ret_more)
{
	if (!more(pull, first, '}', ret_more))
		return false;
	if (!*ret_more)
		return true;
	return wg_json_pull_string(pull, ret_key) && expect(pull, ':');
}

bool wg_json_pull_element(struct wg_json_pull *pull, bool first, bool *ret_more)
{
	return more(pull, first, ']', ret_more);
}

static bool read_hex4(struct wg_json_pull *pull, unsigned *ret_value)
{
	unsigned value = 0;

	if (pull->end - pull->at < 4)
		return fail_wanted(pull, _("four hexadecimal digits"));
	for (int i = 0; i < 4; i++, pull->at++) {
		char c = *pull->at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (unsigned)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			value = value << 4 | (unsigned)((c | 32) - 'a' + 10);
		else
			return fail_wanted(pull, _("a hexadecimal digit"));
	}
	*ret_value = value;
	return true;
}

/* The code point of \uXXXX (both halves of a pair); `at` is after the 'u'. */
static bool read_code_point(struct wg_json_pull *pull, unsigned *ret_code)
{
	unsigned high, low;

	if (!read_hex4(pull, &high))
		return false;
	if (high == 0)
		return wg_json_pull_fail(pull, WG_BAD_INPUT, _("a string contains NUL"));
	if (high >= 0xdc00 && high <= 0xdfff)
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("a string contains half a surrogate pair"));
	*ret_code = high;
	if (high < 0xd800 || high > 0xdbff)
		return true;
	if (pull->end - pull->at < 2 || pull->at[0] != '\\' || pull->at[1] != 'u')
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("a string contains half a surrogate pair"));
	pull->at += 2;
	if (!read_hex4(pull, &low))
		return false;
	if (low < 0xdc00 || low > 0xdfff)
		return wg_json_pull_fail(pull, WG_BAD_INPUT,
		                         _("a string contains half a surrogate pair"));
	*ret_code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

static char *put_utf8(char *to, unsigned code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	}
	return to;
}

/* One escape; `at` is on the backslash. What it stands for is never longer
 * than the escape, so writing behind the reading place is safe. */
static bool read_escape(struct wg_json_pull *pull, char **to)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char bytes[] = "\"\\/\b\f\n\r\t";
	unsigned code = 0;

	if (pull->end - pull->at < 2)
		return fail_wanted(pull, _("an escape"));
	char c = pull->at[1];
	const char *letter = c != '\0' ? strchr(letters, c) : NULL;
	if (letter != NULL) {
		pull->at += 2;
		*(*to)++ = bytes[letter - letters];
		return true;
	}
	if (c != 'u')
		return fail_wanted(pull, _("a known escape"));
	pull->at += 2;
	if (!read_code_point(pull, &code))
		return false;
	*to = put_utf8(*to, code);
	return true;
}

bool wg_json_pull_string(struct wg_json_pull *pull, struct wg_json_string *ret_string)
{
	unsigned char seen = 0;

	if (!expect(pull, '"'))
		return false;
	char *begin = pull->at, *to = begin;
	while (pull->at < pull->end && *pull->at != '"') {
		unsigned char c = (unsigned char)*pull->at;

		if (c == '\\') {
			if (!read_escape(pull, &to))
				return false;
		} else if (c < 0x20) {
			return wg_json_pull_fail(pull, WG_BAD_INPUT,
			                         _("a string contains a control character"));
		} else {
			seen |= c;
			*to++ = (char)c;
			pull->at++;
		}
	}
	if (pull->at >= pull->end)
		return fail_wanted(pull, _("the end of a string"));
	if (seen & 0x80 && !wg_text_is_utf8(begin, (size_t)(to - begin)))
		return wg_json_pull_fail(pull, WG_BAD_INPUT, _("a string is not valid UTF-8"));
	pull->at++;
	*to = '\0'; /* over the closing quote or before it, never beyond what was read */
	*ret_string = (struct wg_json_string){ begin, (size_t)(to - begin) };
	return true;
}

bool wg_json_pull_natural(struct wg_json_pull *pull, uint64_t *ret_value)
{
	uint64_t value = 0;
	char c = wg_json_pull_peek(pull);

	if (c < '0' || c > '9')
		return fail_wanted(pull, _("a whole number, 0 or more"));
	char *begin = pull->at;
	for (; pull->at < pull->end && *pull->at >= '0' && *pull->at <= '9'; pull->at++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*pull->at - '0'), &value))
			return wg_json_pull_fail(pull, WG_BAD_INPUT, _("a number is over 2^64"));
	}
	if (*begin == '0' && pull->at - begin > 1)
		return fail_wanted(pull, _("a number without leading zeros"));
	if (pull->at < pull->end && strchr(".eE", *pull->at) != NULL && *pull->at != '\0')
		return fail_wanted(pull, _("a whole number"));
	*ret_value = value;
	return true;
}

static void skip_digits(struct wg_json_pull *pull)
{
	while (pull->at < pull->end && *pull->at >= '0' && *pull->at <= '9')
		pull->at++;
}

/* -? (0|[1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)? */
static bool scan_number(struct wg_json_pull *pull)
{
	if (pull->at < pull->end && *pull->at == '-')
		pull->at++;
	char *digits = pull->at;
	skip_digits(pull);
	if (pull->at == digits || (*digits == '0' && pull->at - digits > 1))
		return fail_wanted(pull, _("a number"));
	if (pull->at < pull->end && *pull->at == '.') {
		digits = ++pull->at;
		skip_digits(pull);
		if (pull->at == digits)
			return fail_wanted(pull, _("a digit"));
	}
	if (pull->at < pull->end && (*pull->at | 32) == 'e') {
		pull->at++;
		if (pull->at < pull->end && (*pull->at == '+' || *pull->at == '-'))
			pull->at++;
		digits = pull->at;
		skip_digits(pull);
		if (pull->at == digits)
			return fail_wanted(pull, _("a digit"));
	}
	return true;
}

bool wg_json_pull_number(struct wg_json_pull *pull, double *ret_value)
{
	wg_json_pull_peek(pull);
	char *begin = pull->at;

	if (pull->status != WG_OK || !scan_number(pull))
		return false;
	/* No number in these files needs more; a longer token is only there to hurt. */
	if (pull->at - begin > 64)
		return wg_json_pull_fail(pull, WG_LIMIT, _("a number has more than 64 characters"));
	if (!wg_number_read(begin, (size_t)(pull->at - begin), ret_value))
		return wg_json_pull_fail(pull, WG_BAD_INPUT, _("a number is out of range"));
	return true;
}

static bool skip_word(struct wg_json_pull *pull)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen(words[i]);

		if ((size_t)(pull->end - pull->at) >= length &&
		    memcmp(pull->at, words[i], length) == 0) {
			pull->at += length;
			return true;
		}
	}
	return fail_wanted(pull, _("a value"));
}

static bool skip_scalar(struct wg_json_pull *pull, char c)
{
	struct wg_json_string string;
	double number;

	if (c == '"')
		return wg_json_pull_string(pull, &string);
	if (c == '-' || (c >= '0' && c <= '9'))
		return wg_json_pull_number(pull, &number);
	return skip_word(pull);
}

/* Without recursion: `closing` remembers which brackets are open. */
bool wg_json_pull_skip(struct wg_json_pull *pull)
{
	char closing[WG_LIMIT_JSON_DEPTH];
	struct wg_json_string key;
	size_t depth = 0;
	bool first = false, has_more;

	do {
		if (depth > 0) {
			bool ok = closing[depth - 1] == '}'
			                  ? wg_json_pull_member(pull, first, &key, &has_more)
			                  : wg_json_pull_element(pull, first, &has_more);
			if (!ok)
				return false;
			first = false;
			if (!has_more) {
				depth--;
				continue;
			}
		}
		char c = wg_json_pull_peek(pull);
		if (c != '{' && c != '[') {
			if (!skip_scalar(pull, c))
				return false;
			continue;
		}
		if (depth == WG_LIMIT_JSON_DEPTH)
			return wg_json_pull_fail(pull, WG_LIMIT,
			                         _("the JSON text is nested more than %d deep"),
			                         WG_LIMIT_JSON_DEPTH);
		closing[depth++] = c == '{' ? '}' : ']';
		pull->at++;
		first = true;
	} while (depth > 0);
	return true;
}

bool wg_json_pull_finish(struct wg_json_pull *pull)
{
	wg_json_pull_peek(pull);
	if (pull->status != WG_OK)
		return false;
	if (pull->at < pull->end)
		return fail_wanted(pull, _("the end of the text"));
	return true;
}
