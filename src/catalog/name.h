/* GPU names as people write them, brought to one form.
 *
 * A name becomes words: lower case, split at blanks, hyphens and between
 * ASCII and other letters; the vendor's and brand's names dropped; "80 GB",
 * "80G" and "80GiB" made "80gb"; "sxm4" made "sxm". The key is all words
 * without a gap, so that "RTX4090", "rtx-4090" and "RTX 4090" are one. */
#ifndef WHICHGPU_SRC_CATALOG_NAME_H
#define WHICHGPU_SRC_CATALOG_NAME_H

#include <stdbool.h>
#include <stddef.h>

enum { WG_NAME_BYTES = 160, WG_NAME_WORDS = 24 };

struct wg_name {
	char bytes[WG_NAME_BYTES]; /* the words, each with its NUL */
	const char *words[WG_NAME_WORDS];
	size_t word_count;
	char key[WG_NAME_BYTES];
};

/* What is longer than the limits is cut off: no GPU has such a name. */
void wg_name_init(struct wg_name *name, const char *text);
/* All words of `part` are in `whole`. */
bool wg_name_within(const struct wg_name *part, const struct wg_name *whole);

#endif
