#include "catalog/keylist.h"

#include <stdlib.h>
#include <string.h>

#include "catalog/name.h"

static int key_compare(const void *a, const void *b)
{
	const struct wg_catalog_key *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	if (order != 0)
		return order;
	if (x->usual != y->usual)
		return x->usual ? -1 : 1;
	return (x->gpu > y->gpu) - (x->gpu < y->gpu);
}

static bool put(struct wg_arena *arena, const char *text, unsigned gpu, bool usual,
                struct wg_catalog_key *keys, size_t *count)
{
	struct wg_name name;

	wg_name_init(&name, text);
	if (name.key[0] == '\0')
		return true;
	keys[*count].key = wg_arena_strdup(arena, name.key);
	if (keys[*count].key == NULL)
		return false;
	keys[*count].gpu = gpu;
	keys[*count].usual = usual;
	(*count)++;
	return true;
}

static bool put_gpu(struct wg_arena *arena, const struct wg_gpu *gpu, unsigned index,
                    struct wg_catalog_key *keys, size_t *count)
{
	bool ok = put(arena, gpu->id, index, false, keys, count) &&
	          put(arena, gpu->name, index, false, keys, count) &&
	          put(arena, gpu->name_zh, index, false, keys, count);

	for (size_t i = 0; ok && i < gpu->alias_count; i++)
		ok = put(arena, gpu->aliases[i], index, false, keys, count);
	for (size_t i = 0; ok && i < gpu->usual_for_count; i++)
		ok = put(arena, gpu->usual_for[i], index, true, keys, count);
	return ok;
}

bool wg_keylist_make(struct wg_arena *arena, const struct wg_gpu *const *gpus, size_t gpu_count,
                     const struct wg_catalog_key **ret_keys, size_t *ret_count)
{
	size_t most = 0, count = 0, kept = 0;
	struct wg_catalog_key *keys;

	for (size_t i = 0; i < gpu_count; i++)
		most += 3 + gpus[i]->alias_count + gpus[i]->usual_for_count;
	keys = wg_arena_array(arena, most, sizeof(*keys));
	if (keys == NULL)
		return false;
	for (size_t i = 0; i < gpu_count; i++) {
		if (!put_gpu(arena, gpus[i], (unsigned)i, keys, &count))
			return false;
	}
	qsort(keys, count, sizeof(*keys), key_compare);
	for (size_t i = 0; i < count; i++) {
		const struct wg_catalog_key *last = kept > 0 ? &keys[kept - 1] : NULL;

		if (last == NULL || strcmp(last->key, keys[i].key) != 0 || last->gpu != keys[i].gpu)
			keys[kept++] = keys[i];
	}
	*ret_keys = keys;
	*ret_count = kept;
	return true;
}
