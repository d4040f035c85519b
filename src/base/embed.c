#include "base/embed.h"

#include <string.h>

#define WG_EMBED_GROUP(name, folder) extern const struct wg_embedded_group wg_embedded_##name;
#include "base/embed_groups.def"
#undef WG_EMBED_GROUP

static const struct wg_embedded_group *const groups[] = {
#define WG_EMBED_GROUP(name, folder) &wg_embedded_##name,
#include "base/embed_groups.def"
#undef WG_EMBED_GROUP
};

const struct wg_embedded_group *wg_embedded_group(const char *group)
{
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
		if (strcmp(groups[i]->name, group) == 0)
			return groups[i];
	return NULL;
}

const struct wg_embedded *wg_embedded_find(const char *group, const char *name)
{
	const struct wg_embedded_group *found = wg_embedded_group(group);
	size_t low = 0, high = found ? found->count : 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, found->files[middle].name);
		if (order == 0)
			return &found->files[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}
