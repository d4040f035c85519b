/* The inside of struct wg_json, shared by json_scan, json_read and json_get. */
#ifndef WG_BASE_JSON_DOCUMENT_H
#define WG_BASE_JSON_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "whichgpu/json.h"

/* Where a loop over the members of an object stands: jansson finds a member by
 * its number only by walking. One a level, so that nested loops do not disturb
 * one another. */
struct wg_json_cursor {
	const json_t *object;
	void *iterator;
	size_t index;
};

#define WG_JSON_CURSORS 16

struct wg_json {
	json_t *root;
	char *name;
	struct wg_json_cursor *cursors; /* apart, since places hold a const document */
	bool nonfinite;
};

/* jansson knows no Infinity and NaN. In a document that may hold them they are
 * replaced by values of the same length before parsing and recognised after:
 * 1.7e+308 and -1.7e+308, which no file means, and a text of one DEL. */
#define WG_JSON_INFINITE 1.7e+308
#define WG_JSON_NAN_TEXT "\x7f"

/* Walks the text once before memory is asked for: refuses too deep nesting and
 * too many values. Tells in *ret_nonfinite how many Infinity and NaN there are
 * outside strings. */
enum wg_status wg_json_scan(const char *text, size_t length, const char *name,
                            size_t *ret_nonfinite, struct wg_error *error);
/* Replaces them as said above; the length stays, so places stay right. */
void wg_json_replace_nonfinite(char *text, size_t length);

#endif
