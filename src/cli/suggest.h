/* "Did you mean": the nearest of a list of names. */
#ifndef WHICHGPU_CLI_SUGGEST_H
#define WHICHGPU_CLI_SUGGEST_H

#include <stddef.h>

#include "whichgpu/text.h"

/* Up to three names that are near to word, nearest first, each with `prefix`
 * before it, separated by ", "; "" when none is near. name(i) for i from 0 to
 * count - 1; a NULL name is skipped. */
void wg_suggest(const char *word, const char *(*name)(const void *context, size_t index),
                const void *context, size_t count, const char *prefix, struct wg_text *out);

#endif
