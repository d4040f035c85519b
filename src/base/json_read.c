/* Opening a JSON document: limits, jansson, and its words as our error. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/json_document.h"
#include "whichgpu/file.h"
#include "whichgpu/limits.h"

/* jansson looks up the locale's decimal point; here it always is a point. */
static json_t *load(const char *text, size_t length, size_t flags, json_error_t *ret_problem)
{
	locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t before = locale ? uselocale(locale) : (locale_t)0;
	json_t *root = json_loadb(text, length, flags | JSON_REJECT_DUPLICATES, ret_problem);
	if (locale) {
		uselocale(before);
		freelocale(locale);
	}
	return root;
}

/* Integers beyond 64 bits are read as reals: files hold 1e30 as a count that
 * means "no limit", and that must not make the rest unreadable. */
static json_t *load_any_integer(const char *text, size_t length, json_error_t *ret_problem)
{
	json_t *root = load(text, length, 0, ret_problem);
	if (!root && json_error_code(ret_problem) == json_error_numeric_overflow)
		root = load(text, length, JSON_DECODE_INT_AS_REAL, ret_problem);
	return root;
}

static enum wg_status fail_parse(const json_error_t *problem, const char *name, size_t skipped,
                                 struct wg_error *error)
{
	/* jansson says nothing at all when memory is out in its innermost calls. */
	if (json_error_code(problem) == json_error_out_of_memory || !problem->text[0])
		return wg_error_no_memory(error);
	wg_error_set(error, WG_BAD_INPUT, _("\"%s\" is not valid JSON: %s"), name, problem->text);
	wg_error_place(error, name, problem->line, problem->column,
	               (long long)problem->position + (long long)skipped);
	return WG_BAD_INPUT;
}

static struct wg_json *new_document(const char *name, unsigned flags)
{
	struct wg_json *json = calloc(1, sizeof *json);
	if (!json)
		return NULL;
	json->name = strdup(name);
	json->cursors = calloc(WG_JSON_CURSORS, sizeof *json->cursors);
	json->nonfinite = (flags & WG_JSON_ALLOW_NONFINITE) != 0;
	if (!json->name || !json->cursors) {
		wg_json_free(json);
		return NULL;
	}
	return json;
}

static enum wg_status parse(struct wg_json *json, const char *text, size_t length, size_t skipped,
                            struct wg_error *error)
{
	size_t nonfinite = 0;
	enum wg_status status = wg_json_scan(text, length, json->name, &nonfinite, error);
	if (status != WG_OK)
		return status;
	char *copy = NULL;
	if (json->nonfinite && nonfinite > 0) {
		copy = malloc(length);
		if (!copy)
			return wg_error_no_memory(error);
		memcpy(copy, text, length);
		wg_json_replace_nonfinite(copy, length);
	}
	json_error_t problem = { 0 };
	json->root = load_any_integer(copy ? copy : text, length, &problem);
	free(copy);
	return json->root ? WG_OK : fail_parse(&problem, json->name, skipped, error);
}

enum wg_status wg_json_open(const char *text, size_t length, const char *name, unsigned flags,
                            struct wg_json **ret_json, struct wg_error *error)
{
	if (length > WG_LIMIT_JSON_BYTES) {
		wg_error_set(error, WG_LIMIT, _("\"%s\" is larger than the limit of %zu bytes"),
		             name, WG_LIMIT_JSON_BYTES);
		wg_error_place(error, name, 0, 0, -1);
		return WG_LIMIT;
	}
	/* A UTF-8 mark at the front, as some editors write it. */
	size_t skipped = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	struct wg_json *json = new_document(name, flags);
	if (!json)
		return wg_error_no_memory(error);
	enum wg_status status = parse(json, text + skipped, length - skipped, skipped, error);
	if (status != WG_OK) {
		wg_json_free(json);
		return status;
	}
	*ret_json = json;
	return WG_OK;
}

enum wg_status wg_json_open_file(const char *path, unsigned flags, struct wg_json **ret_json,
                                 struct wg_error *error)
{
	char *bytes;
	size_t length;
	enum wg_status status = wg_file_read(path, WG_LIMIT_JSON_BYTES, &bytes, &length, error);
	if (status != WG_OK)
		return status;
	status = wg_json_open(bytes, length, path, flags, ret_json, error);
	free(bytes);
	return status;
}

void wg_json_free(struct wg_json *json)
{
	if (!json)
		return;
	json_decref(json->root);
	free(json->name);
	free(json->cursors);
	free(json);
}
