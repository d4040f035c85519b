/* Map from strings to indices (size_t). Keys are not copied: they must outlive
 * the map. The hash is seeded, so hostile keys cannot make it quadratic. */
#ifndef WHICHGPU_MAP_H
#define WHICHGPU_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct wg_map {
	struct wg_map_slot *slots;
	size_t count, capacity;
	unsigned long long seed;
};

void wg_map_init(struct wg_map *map);
void wg_map_done(struct wg_map *map);
/* false when memory is out. An existing key keeps its value and sets
 * *ret_existed (NULL allowed). */
bool wg_map_put(struct wg_map *map, const char *key, size_t key_length, size_t value,
                bool *ret_existed);
bool wg_map_find(const struct wg_map *map, const char *key, size_t key_length, size_t *ret_value);

#endif
