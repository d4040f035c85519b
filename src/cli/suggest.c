#include "cli/suggest.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

enum { MOST = 3 };

/* How far a name is from a word: a beginning counts as near. */
static unsigned distance(const char *word, const char *name)
{
	size_t length = strlen(word);

	if (length >= 2 && strncasecmp(word, name, length) == 0)
		return 1;
	return wg_text_distance(word, name);
}

void wg_suggest(const char *word, const char *(*name)(const void *context, size_t index),
                const void *context, size_t count, const char *prefix, struct wg_text *out)
{
	const char *names[MOST] = { NULL };
	unsigned distances[MOST] = { UINT_MAX, UINT_MAX, UINT_MAX };
	/* a third of the letters may be wrong, but one always may */
	unsigned most = (unsigned)(strlen(word) / 3) + 1;

	if (strlen(word) > 64)
		return;
	for (size_t i = 0; i < count; i++) {
		const char *candidate = name(context, i);
		unsigned own = candidate ? distance(word, candidate) : UINT_MAX;

		if (own > most)
			continue;
		for (size_t rank = 0; rank < MOST; rank++) {
			if (own >= distances[rank])
				continue;
			memmove(names + rank + 1, names + rank,
			        (MOST - rank - 1) * sizeof names[0]);
			memmove(distances + rank + 1, distances + rank,
			        (MOST - rank - 1) * sizeof distances[0]);
			names[rank] = candidate;
			distances[rank] = own;
			break;
		}
	}
	for (size_t rank = 0; rank < MOST && names[rank]; rank++)
		wg_text_printf(out, "%s%s%s", rank ? ", " : "", prefix, names[rank]);
}
