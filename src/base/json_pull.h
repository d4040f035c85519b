/* A small forward reader of JSON for big tables of a known shape: safetensors
 * headers and weight indexes have 100,000 members and more, for which a tree
 * is five times slower and ten times larger than what is kept of it.
 *
 * It reads in place: strings are unescaped where they stand and end in NUL
 * (over their closing quote), so the text must be writable and must outlive
 * the strings. It refuses what strict JSON refuses, lone surrogates, NUL and
 * invalid UTF-8. Whoever uses it looks for duplicate keys.
 *
 * After the first failure every call returns false and `error` has the place. */
#ifndef WG_BASE_JSON_PULL_H
#define WG_BASE_JSON_PULL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "whichgpu/status.h"

struct wg_json_pull {
	char *start, *at, *end;
	const char *name; /* shown in errors */
	uint64_t offset;  /* of start in the file, for the place in errors */
	struct wg_error *error;
	enum wg_status status; /* WG_OK until something failed */
};

struct wg_json_string {
	const char *bytes; /* NUL-terminated */
	size_t length;
};

void wg_json_pull_init(struct wg_json_pull *pull, char *text, size_t length, const char *name,
                       uint64_t offset, struct wg_error *error);
/* The byte that begins the next value, without reading it; 0 at the end. */
char wg_json_pull_peek(struct wg_json_pull *pull);

/* An object: begin, then next until *ret_more is false; the value of each
 * member must be read or skipped before the next call. Arrays likewise. */
bool wg_json_pull_begin(struct wg_json_pull *pull, char bracket);
bool wg_json_pull_member(struct wg_json_pull *pull, bool first, struct wg_json_string *ret_key,
                         bool *ret_more);
bool wg_json_pull_element(struct wg_json_pull *pull, bool first, bool *ret_more);

bool wg_json_pull_string(struct wg_json_pull *pull, struct wg_json_string *ret_string);
/* A whole number without sign, fraction or exponent, at most 2^64 - 1. */
bool wg_json_pull_natural(struct wg_json_pull *pull, uint64_t *ret_value);
bool wg_json_pull_number(struct wg_json_pull *pull, double *ret_value);
/* Any value, nested at most WG_LIMIT_JSON_DEPTH deep. */
bool wg_json_pull_skip(struct wg_json_pull *pull);
/* Nothing but blanks may follow. */
bool wg_json_pull_finish(struct wg_json_pull *pull);

/* Fails with a sentence of the caller; always false. */
__attribute__((format(printf, 3, 4))) bool wg_json_pull_fail(struct wg_json_pull *pull,
                                                             enum wg_status status,
                                                             const char *format, ...);

#endif
