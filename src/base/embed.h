/* The text files of data/ inside the library, put there by tools/embed.c.
 *
 * A group is a folder named in embed_groups.def ("models"; "tables" are the
 * files of data/ itself); a file's name is its name without the ending
 * ("llama-3.1-70b"), its path is for messages ("data/models/llama-3.1-70b.json").
 * A new file in the folder is picked up by the next build. Nothing is owned by
 * the caller. */
#ifndef WG_BASE_EMBED_H
#define WG_BASE_EMBED_H

#include <stddef.h>

struct wg_embedded {
	const char *name;
	const char *path;
	const char *bytes; /* NUL-terminated after length bytes */
	size_t length;
};

struct wg_embedded_group {
	const char *name;
	size_t count;
	const struct wg_embedded *files; /* sorted by name (byte order) */
};

/* NULL when there is no such group. */
const struct wg_embedded_group *wg_embedded_group(const char *group);
/* NULL when there is no such group or file. */
const struct wg_embedded *wg_embedded_find(const char *group, const char *name);

#endif
