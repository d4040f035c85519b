/* The built-in models: data/models/<id>.json, put into the library at build. */
#include <ctype.h>
#include <string.h>

#include "base/embed.h"
#include "base/i18n.h"
#include "model/root.h"

size_t wg_model_catalog_count(void)
{
	const struct wg_embedded_group *group = wg_embedded_group("models");

	return group != NULL ? group->count : 0;
}

const char *wg_model_catalog_id(size_t index)
{
	const struct wg_embedded_group *group = wg_embedded_group("models");

	return group != NULL && index < group->count ? group->files[index].name : NULL;
}

/* Case, and what people put between the words, do not matter:
 * "Llama 3.1 70B" and "llama-3.1-70b" are one name. */
static bool same_name(const char *a, const char *b)
{
	for (;;) {
		while (*a == '-' || *a == '_' || *a == ' ')
			a++;
		while (*b == '-' || *b == '_' || *b == ' ')
			b++;
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (*a == '\0')
			return true;
		a++;
		b++;
	}
}

static bool has_alias(const struct wg_embedded *file, const char *name)
{
	struct wg_json *json;
	bool found = false;

	if (wg_json_open(file->bytes, file->length, file->path, WG_JSON_STRICT, &json, NULL) !=
	    WG_OK)
		return false;
	struct wg_json_at root = wg_json_root(json);
	struct wg_json_at aliases = wg_json_member(&root, "aliases");
	for (size_t i = 0; i < wg_json_count(&aliases) && !found; i++) {
		struct wg_json_at at = wg_json_element(&aliases, i);
		const char *alias;

		found = wg_json_as_string(&at, &alias) && same_name(alias, name);
	}
	wg_json_free(json);
	return found;
}

/* ORG/NAME is looked up as NAME too. */
static const char *without_owner(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash != NULL ? slash + 1 : name;
}

const struct wg_embedded *wg_model_catalog_find(const char *name)
{
	const struct wg_embedded_group *group = wg_embedded_group("models");
	const char *last = without_owner(name);

	if (group == NULL)
		return NULL;
	for (size_t i = 0; i < group->count; i++)
		if (same_name(group->files[i].name, name) || same_name(group->files[i].name, last))
			return &group->files[i];
	for (size_t i = 0; i < group->count; i++)
		if (has_alias(&group->files[i], name) ||
		    (last != name && has_alias(&group->files[i], last)))
			return &group->files[i];
	return NULL;
}

void wg_model_catalog_hint(const char *name, struct wg_error *error)
{
	const struct wg_embedded_group *group = wg_embedded_group("models");
	const char *nearest[3] = { NULL, NULL, NULL };
	unsigned distances[3] = { ~0u, ~0u, ~0u };

	for (size_t i = 0; group != NULL && i < group->count; i++) {
		unsigned distance = wg_text_distance(without_owner(name), group->files[i].name);

		for (int place = 0; place < 3; place++) {
			if (distance >= distances[place])
				continue;
			for (int later = 2; later > place; later--) {
				distances[later] = distances[later - 1];
				nearest[later] = nearest[later - 1];
			}
			distances[place] = distance;
			nearest[place] = group->files[i].name;
			break;
		}
	}
	if (nearest[2] == NULL)
		return;
	wg_error_hint(error,
	              _("nearest names: %s, %s, %s; or give a folder, a config.json, hf:ORG/NAME "
	                "or params:7B"),
	              nearest[0], nearest[1], nearest[2]);
}
