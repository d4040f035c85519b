/* Places in a JSON document, and values with their checks. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "base/json_document.h"
#include "whichgpu/number.h"

/* The whole numbers that a double holds without a gap. */
#define EXACT_INTEGER 9007199254740992.0

static const json_t *value_of(const struct wg_json_at *at)
{
	return at->value;
}

static bool is_nan_text(const struct wg_json_at *at)
{
	const json_t *value = value_of(at);
	return at->document->nonfinite && json_is_string(value) &&
	       strcmp(json_string_value(value), WG_JSON_NAN_TEXT) == 0;
}

struct wg_json_at wg_json_root(const struct wg_json *json)
{
	return (struct wg_json_at){ .document = json, .value = json->root };
}

struct wg_json_at wg_json_member(const struct wg_json_at *at, const char *key)
{
	return (struct wg_json_at){ .document = at->document,
		                    .parent = at,
		                    .key = key,
		                    .value = json_object_get(value_of(at), key) };
}

struct wg_json_at wg_json_element(const struct wg_json_at *at, size_t index)
{
	return (struct wg_json_at){ .document = at->document,
		                    .parent = at,
		                    .index = index,
		                    .value = json_array_get(value_of(at), index) };
}

size_t wg_json_count(const struct wg_json_at *at)
{
	const json_t *value = value_of(at);
	return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

enum wg_json_type wg_json_type(const struct wg_json_at *at)
{
	static const enum wg_json_type types[] = {
		[JSON_OBJECT] = WG_JSON_OBJECT, [JSON_ARRAY] = WG_JSON_ARRAY,
		[JSON_STRING] = WG_JSON_STRING, [JSON_INTEGER] = WG_JSON_NUMBER,
		[JSON_REAL] = WG_JSON_NUMBER,   [JSON_TRUE] = WG_JSON_BOOL,
		[JSON_FALSE] = WG_JSON_BOOL,    [JSON_NULL] = WG_JSON_NULL,
	};
	const json_t *value = value_of(at);
	if (!value)
		return WG_JSON_ABSENT;
	return is_nan_text(at) ? WG_JSON_NUMBER : types[json_typeof(value)];
}

static unsigned level_of(const struct wg_json_at *at)
{
	unsigned level = 0;
	for (; at->parent; at = at->parent)
		level++;
	return level;
}

struct wg_json_at wg_json_member_at(const struct wg_json_at *at, size_t index, const char **ret_key)
{
	/* jansson's iterators take a mutable object, but do not change it. */
	json_t *object = (json_t *)(uintptr_t)at->value;
	struct wg_json_cursor *cursor = &at->document->cursors[level_of(at) % WG_JSON_CURSORS];
	if (cursor->object != object || !cursor->iterator || cursor->index > index)
		*cursor = (struct wg_json_cursor){ object, json_object_iter(object), 0 };
	while (cursor->iterator && cursor->index < index) {
		cursor->iterator = json_object_iter_next(object, cursor->iterator);
		cursor->index++;
	}
	struct wg_json_at member = { .document = at->document, .parent = at };
	if (cursor->iterator) {
		member.key = json_object_iter_key(cursor->iterator);
		member.value = json_object_iter_value(cursor->iterator);
	}
	if (ret_key)
		*ret_key = member.key;
	return member;
}

bool wg_json_as_integer(const struct wg_json_at *at, int64_t *ret_value)
{
	const json_t *value = value_of(at);
	if (json_is_integer(value)) {
		*ret_value = json_integer_value(value);
		return true;
	}
	double real = json_is_real(value) ? json_real_value(value) : NAN;
	if (!(fabs(real) <= EXACT_INTEGER) || real != trunc(real))
		return false;
	*ret_value = (int64_t)real;
	return true;
}

bool wg_json_as_number(const struct wg_json_at *at, double *ret_value)
{
	const json_t *value = value_of(at);
	if (is_nan_text(at)) {
		*ret_value = NAN;
		return true;
	}
	if (!json_is_number(value))
		return false;
	double number = json_number_value(value);
	if (at->document->nonfinite && fabs(number) == WG_JSON_INFINITE)
		number = copysign(INFINITY, number);
	*ret_value = number;
	return true;
}

bool wg_json_as_string(const struct wg_json_at *at, const char **ret_value)
{
	if (!json_is_string(value_of(at)) || is_nan_text(at))
		return false;
	*ret_value = json_string_value(value_of(at));
	return true;
}

bool wg_json_as_bool(const struct wg_json_at *at, bool *ret_value)
{
	if (!json_is_boolean(value_of(at)))
		return false;
	*ret_value = json_is_true(value_of(at));
	return true;
}

/* A key that would be read as several steps of a path stands in quotes. */
static bool is_plain(const char *key)
{
	return key[0] && !strpbrk(key, ".[]\" ");
}

void wg_json_path(const struct wg_json_at *at, char *buffer, size_t buffer_bytes)
{
	/* From the root down: find each step by its level. */
	struct wg_text path;
	wg_text_init(&path, 4096);
	for (unsigned level = level_of(at); level-- > 0;) {
		const struct wg_json_at *step = at;
		for (unsigned i = 0; i < level; i++)
			step = step->parent;
		if (!step->key)
			wg_text_printf(&path, "[%zu]", step->index);
		else if (is_plain(step->key))
			wg_text_printf(&path, "%s%s", path.length > 0 ? "." : "", step->key);
		else
			wg_text_printf(&path, "[\"%s\"]", step->key);
	}
	wg_text_sanitize(buffer, buffer_bytes, wg_text_string(&path), path.length);
	wg_text_done(&path);
}

__attribute__((format(printf, 4, 0))) static enum wg_status fail_at(const struct wg_json_at *at,
                                                                    struct wg_error *error,
                                                                    enum wg_status status,
                                                                    const char *format,
                                                                    va_list arguments)
{
	if (!error)
		return status;
	char message[sizeof error->message], path[sizeof error->path];
	vsnprintf(message, sizeof message, format, arguments);
	wg_json_path(at, path, sizeof path);
	wg_error_set(error, status, "%s", message);
	wg_error_place(error, at->document->name, 0, 0, -1);
	wg_error_path(error, path);
	return status;
}

enum wg_status wg_json_fail(const struct wg_json_at *at, struct wg_error *error,
                            enum wg_status status, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fail_at(at, error, status, format, arguments);
	va_end(arguments);
	return status;
}

static enum wg_status fail_missing(const struct wg_json_at *member, struct wg_error *error)
{
	return wg_json_fail(member, error, WG_BAD_INPUT,
	                    member->value ? _("\"%s\" is null") : _("\"%s\" is missing"),
	                    member->key);
}

static const char *type_words(const struct wg_json_at *at)
{
	static const char *const words[] = {
		[WG_JSON_ABSENT] = N_("missing"),     [WG_JSON_NULL] = N_("null"),
		[WG_JSON_BOOL] = N_("true or false"), [WG_JSON_NUMBER] = N_("a number"),
		[WG_JSON_STRING] = N_("a text"),      [WG_JSON_ARRAY] = N_("a list"),
		[WG_JSON_OBJECT] = N_("an object"),
	};
	return _(words[wg_json_type(at)]);
}

static enum wg_status fail_type(const struct wg_json_at *member, const char *wanted,
                                struct wg_error *error)
{
	return wg_json_fail(member, error, WG_BAD_INPUT, _("\"%s\" is %s, wanted %s"), member->key,
	                    type_words(member), wanted);
}

static enum wg_status fail_range(const struct wg_json_at *member, const char *value,
                                 const char *low, const char *high, struct wg_error *error)
{
	return wg_json_fail(member, error, WG_BAD_INPUT, _("\"%s\" is %s, wanted %s to %s"),
	                    member->key, value, low, high);
}

static enum wg_status read_integer(const struct wg_json_at *member, int64_t low, int64_t high,
                                   int64_t *ret_value, struct wg_error *error)
{
	int64_t value;
	if (!wg_json_as_integer(member, &value)) {
		if (wg_json_type(member) != WG_JSON_NUMBER)
			return fail_type(member, _("a whole number"), error);
		double real = NAN;
		char text[32];
		wg_json_as_number(member, &real);
		wg_number_write(text, sizeof text, real);
		return wg_json_fail(member, error, WG_BAD_INPUT,
		                    _("\"%s\" is %s, wanted a whole number"), member->key, text);
	}
	if (value < low || value > high) {
		char texts[3][32];
		snprintf(texts[0], sizeof texts[0], "%" PRId64, value);
		snprintf(texts[1], sizeof texts[1], "%" PRId64, low);
		snprintf(texts[2], sizeof texts[2], "%" PRId64, high);
		return fail_range(member, texts[0], texts[1], texts[2], error);
	}
	*ret_value = value;
	return WG_OK;
}

static enum wg_status read_number(const struct wg_json_at *member, double low, double high,
                                  double *ret_value, struct wg_error *error)
{
	double value;
	if (!wg_json_as_number(member, &value))
		return fail_type(member, _("a number"), error);
	if (!(value >= low && value <= high)) {
		char texts[3][32];
		wg_number_write(texts[0], sizeof texts[0], value);
		wg_number_write(texts[1], sizeof texts[1], low);
		wg_number_write(texts[2], sizeof texts[2], high);
		return fail_range(member, texts[0], texts[1], texts[2], error);
	}
	*ret_value = value;
	return WG_OK;
}

static bool is_given(const struct wg_json_at *member)
{
	return member->value && !json_is_null(value_of(member));
}

enum wg_status wg_json_need_integer(const struct wg_json_at *at, const char *key, int64_t low,
                                    int64_t high, int64_t *ret_value, struct wg_error *error)
{
	struct wg_json_at member = wg_json_member(at, key);
	return is_given(&member) ? read_integer(&member, low, high, ret_value, error)
	                         : fail_missing(&member, error);
}

enum wg_status wg_json_get_integer(const struct wg_json_at *at, const char *key, int64_t low,
                                   int64_t high, int64_t *ret_value, struct wg_error *error)
{
	struct wg_json_at member = wg_json_member(at, key);
	return is_given(&member) ? read_integer(&member, low, high, ret_value, error) : WG_OK;
}

enum wg_status wg_json_need_number(const struct wg_json_at *at, const char *key, double low,
                                   double high, double *ret_value, struct wg_error *error)
{
	struct wg_json_at member = wg_json_member(at, key);
	return is_given(&member) ? read_number(&member, low, high, ret_value, error)
	                         : fail_missing(&member, error);
}

enum wg_status wg_json_get_number(const struct wg_json_at *at, const char *key, double low,
                                  double high, double *ret_value, struct wg_error *error)
{
	struct wg_json_at member = wg_json_member(at, key);
	return is_given(&member) ? read_number(&member, low, high, ret_value, error) : WG_OK;
}

enum wg_status wg_json_need_string(const struct wg_json_at *at, const char *key,
                                   const char **ret_value, struct wg_error *error)
{
	struct wg_json_at member = wg_json_member(at, key);
	if (!is_given(&member))
		return fail_missing(&member, error);
	return wg_json_get_string(at, key, ret_value, error);
}

enum wg_status wg_json_get_string(const struct wg_json_at *at, const char *key,
                                  const char **ret_value, struct wg_error *error)
{
	struct wg_json_at member = wg_json_member(at, key);
	if (is_given(&member) && !wg_json_as_string(&member, ret_value))
		return fail_type(&member, _("a text"), error);
	return WG_OK;
}

enum wg_status wg_json_get_bool(const struct wg_json_at *at, const char *key, bool *ret_value,
                                struct wg_error *error)
{
	struct wg_json_at member = wg_json_member(at, key);
	if (is_given(&member) && !wg_json_as_bool(&member, ret_value))
		return fail_type(&member, _("true or false"), error);
	return WG_OK;
}
