/* Free text to a GPU. */
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "catalog/catalog.h"
#include "catalog/name.h"
#include "whichgpu/text.h"

enum { VARIANTS_SHOWN = 12, NEAREST_SHOWN = 3, VARIANTS_MOST = 64 };

struct variants {
	const struct wg_gpu *gpus[VARIANTS_MOST];
	size_t count, words[VARIANTS_MOST];
};

/* All words of the text are among the words of one of the GPU's names. Gives
 * the length of the shortest such name: the closest reading. */
static bool within_gpu(const struct wg_name *text, const struct wg_gpu *gpu, size_t *ret_words)
{
	struct wg_name name;
	size_t best = 0;

	for (size_t i = 0; i < 2 + gpu->alias_count; i++) {
		wg_name_init(&name, i == 0 ? gpu->id : i == 1 ? gpu->name : gpu->aliases[i - 2]);
		if (wg_name_within(text, &name) && (best == 0 || name.word_count < best))
			best = name.word_count;
	}
	*ret_words = best;
	return best > 0;
}

static void find_variants(const struct wg_catalog *catalog, const struct wg_name *text,
                          struct variants *variants)
{
	variants->count = 0;
	for (size_t i = 0; i < wg_catalog_count(catalog); i++) {
		const struct wg_gpu *gpu = wg_catalog_at(catalog, i);
		size_t words;

		if (variants->count < VARIANTS_MOST && within_gpu(text, gpu, &words)) {
			variants->words[variants->count] = words;
			variants->gpus[variants->count++] = gpu;
		}
	}
}

/* First entry with that key, or NULL. */
static const struct wg_catalog_key *find_key(const struct wg_catalog *catalog, const char *key)
{
	size_t low = 0, high = catalog->key_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(catalog->keys[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < catalog->key_count && strcmp(catalog->keys[low].key, key) == 0)
		return &catalog->keys[low];
	return NULL;
}

static enum wg_status say_ambiguous(const char *text, const struct wg_gpu *taken,
                                    const struct variants *variants, struct wg_error *error)
{
	char list[400] = "";
	size_t length = 0;

	wg_error_set(error, WG_AMBIGUOUS, _("\"%s\" means several GPUs; taken as \"%s\""), text,
	             taken->id);
	for (size_t i = 0; i < variants->count && i < VARIANTS_SHOWN; i++) {
		int n = snprintf(list + length, sizeof(list) - length, "%s%s", i > 0 ? ", " : "",
		                 variants->gpus[i]->id);

		if (n < 0 || (size_t)n >= sizeof(list) - length)
			break;
		length += (size_t)n;
	}
	wg_error_hint(error, _("say which: %s"), list);
	return WG_AMBIGUOUS;
}

static enum wg_status say_not_found(const struct wg_catalog *catalog, const char *text,
                                    const struct wg_name *name, struct wg_error *error)
{
	const char *nearest[NEAREST_SHOWN] = { NULL };
	unsigned distances[NEAREST_SHOWN];
	size_t count = 0;

	for (size_t i = 0; i < catalog->key_count; i++) {
		unsigned distance = wg_text_distance(name->key, catalog->keys[i].key);
		const char *id = wg_catalog_at(catalog, catalog->keys[i].gpu)->id;
		size_t at = 0;
		bool listed = false;

		for (size_t k = 0; k < count; k++)
			listed = listed || (nearest[k] == id && distances[k] <= distance);
		while (at < count && distances[at] <= distance)
			at++;
		if (listed || at == NEAREST_SHOWN)
			continue;
		if (count < NEAREST_SHOWN)
			count++;
		for (size_t k = count - 1; k > at; k--) {
			nearest[k] = nearest[k - 1];
			distances[k] = distances[k - 1];
		}
		nearest[at] = id;
		distances[at] = distance;
	}
	wg_error_set(error, WG_NOT_FOUND, _("no GPU is named \"%s\""), text);
	if (count == NEAREST_SHOWN)
		wg_error_hint(error, _("nearest: %s, %s, %s; `whichgpu gpus` lists all"),
		              nearest[0], nearest[1], nearest[2]);
	return WG_NOT_FOUND;
}

/* The variant with the fewest words besides those of the text; first by id. */
static const struct wg_gpu *closest(const struct variants *variants)
{
	size_t best = 0;

	for (size_t i = 1; i < variants->count; i++) {
		if (variants->words[i] < variants->words[best])
			best = i;
	}
	return variants->gpus[best];
}

enum wg_status wg_catalog_match(const struct wg_catalog *catalog, const char *text,
                                const struct wg_gpu **ret_gpu, struct wg_error *error)
{
	const struct wg_catalog_key *key;
	struct variants variants;
	struct wg_name name;

	wg_name_init(&name, text);
	key = name.key[0] != '\0' ? find_key(catalog, name.key) : NULL;
	if (key != NULL && !key->usual) {
		*ret_gpu = wg_catalog_at(catalog, key->gpu);
		return WG_OK;
	}
	find_variants(catalog, &name, &variants);
	if (key == NULL && (variants.count == 0 || variants.count > VARIANTS_SHOWN))
		return say_not_found(catalog, text, &name, error);
	*ret_gpu = key != NULL ? wg_catalog_at(catalog, key->gpu) : closest(&variants);
	if (variants.count <= 1)
		return WG_OK;
	return say_ambiguous(text, *ret_gpu, &variants, error);
}
