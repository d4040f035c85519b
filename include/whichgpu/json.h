/* JSON: reading through jansson with a path in every error, and a writer.
 *
 * Reading: wg_json_open parses; a struct wg_json_at is a place in the document
 * (a value on the caller's stack that knows its parent), and every getter that
 * fails says the file, the path ("text_config.num_hidden_layers") and what was
 * wanted. Free the root: nothing else is owned. */
#ifndef WHICHGPU_JSON_H
#define WHICHGPU_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "whichgpu/status.h"
#include "whichgpu/text.h"

struct wg_json;

struct wg_json_at {
	const struct wg_json *document;
	const void *value;                 /* NULL: absent */
	const struct wg_json_at *parent;   /* must outlive this place */
	const char *key;                   /* member name, or NULL for an array element */
	size_t index;
};

enum wg_json_type {
	WG_JSON_ABSENT, WG_JSON_NULL, WG_JSON_BOOL, WG_JSON_NUMBER, WG_JSON_STRING,
	WG_JSON_ARRAY, WG_JSON_OBJECT
};

enum wg_json_flags {
	WG_JSON_STRICT = 0,
	WG_JSON_ALLOW_NONFINITE = 1,   /* bare Infinity, -Infinity, NaN, as in config.json */
};

/* name: shown in errors. Errors have line, column and offset. Duplicate keys,
 * depth over WG_LIMIT_JSON_DEPTH and size over WG_LIMIT_JSON_BYTES are refused. */
enum wg_status wg_json_open(const char *text, size_t length, const char *name, unsigned flags,
                            struct wg_json **ret_json, struct wg_error *error);
enum wg_status wg_json_open_file(const char *path, unsigned flags, struct wg_json **ret_json,
                                 struct wg_error *error);
void wg_json_free(struct wg_json *json);

struct wg_json_at wg_json_root(const struct wg_json *json);
/* Absent (value NULL) when there is no such member or this is no object. */
struct wg_json_at wg_json_member(const struct wg_json_at *at, const char *key);
struct wg_json_at wg_json_element(const struct wg_json_at *at, size_t index);
size_t wg_json_count(const struct wg_json_at *at);   /* of an array or object; else 0 */
enum wg_json_type wg_json_type(const struct wg_json_at *at);
/* Members of an object in file order; index from 0 to wg_json_count - 1. */
struct wg_json_at wg_json_member_at(const struct wg_json_at *at, size_t index,
                                    const char **ret_key);

/* Typed getters of a member. _need_ fails when absent or null; _get_ leaves
 * the output as it is then (put the default there first). Both fail on a wrong
 * type or a value outside low..high. */
enum wg_status wg_json_need_integer(const struct wg_json_at *at, const char *key, int64_t low,
                                    int64_t high, int64_t *ret_value, struct wg_error *error);
enum wg_status wg_json_get_integer(const struct wg_json_at *at, const char *key, int64_t low,
                                   int64_t high, int64_t *ret_value, struct wg_error *error);
enum wg_status wg_json_need_number(const struct wg_json_at *at, const char *key, double low,
                                   double high, double *ret_value, struct wg_error *error);
enum wg_status wg_json_get_number(const struct wg_json_at *at, const char *key, double low,
                                  double high, double *ret_value, struct wg_error *error);
enum wg_status wg_json_need_string(const struct wg_json_at *at, const char *key,
                                   const char **ret_value, struct wg_error *error);
enum wg_status wg_json_get_string(const struct wg_json_at *at, const char *key,
                                  const char **ret_value, struct wg_error *error);
enum wg_status wg_json_get_bool(const struct wg_json_at *at, const char *key, bool *ret_value,
                                struct wg_error *error);
/* The value at this place itself. */
bool wg_json_as_integer(const struct wg_json_at *at, int64_t *ret_value);
bool wg_json_as_number(const struct wg_json_at *at, double *ret_value);
bool wg_json_as_string(const struct wg_json_at *at, const char **ret_value);
bool wg_json_as_bool(const struct wg_json_at *at, bool *ret_value);

/* "a.b[3].c" into buffer. */
void wg_json_path(const struct wg_json_at *at, char *buffer, size_t buffer_bytes);
/* Sets an error at this place (file and path filled in), returns status. */
__attribute__((format(printf, 4, 5)))
enum wg_status wg_json_fail(const struct wg_json_at *at, struct wg_error *error,
                            enum wg_status status, const char *format, ...);

/* Writing: append only, into a text. Keys are written as given, strings are
 * escaped and made valid UTF-8, numbers by wg_number_write; NaN and infinite
 * become null. Misuse (end without begin) is an assertion. */
struct wg_json_writer {
	struct wg_text *out;
	unsigned depth;
	bool has_member[64];
	bool pretty;   /* two-space indent, else one line */
};

void wg_json_writer_init(struct wg_json_writer *writer, struct wg_text *out, bool pretty);
/* key is NULL inside an array and at the top. */
void wg_json_begin_object(struct wg_json_writer *writer, const char *key);
void wg_json_end_object(struct wg_json_writer *writer);
void wg_json_begin_array(struct wg_json_writer *writer, const char *key);
void wg_json_end_array(struct wg_json_writer *writer);
void wg_json_put_number(struct wg_json_writer *writer, const char *key, double value);
void wg_json_put_integer(struct wg_json_writer *writer, const char *key, int64_t value);
void wg_json_put_string(struct wg_json_writer *writer, const char *key, const char *value);
void wg_json_put_bool(struct wg_json_writer *writer, const char *key, bool value);
void wg_json_put_null(struct wg_json_writer *writer, const char *key);

#endif
