/* Open addressing over a power of two, keyed by SipHash. */
#include "whichgpu/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define FIRST_CAPACITY 16

struct wg_map_slot {
	const char *key; /* NULL: free */
	size_t key_length;
	uint64_t hash;
	size_t value;
};

static uint64_t rotated(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotated(v[1], 13) ^ v[0];
	v[0] = rotated(v[0], 32);
	v[2] += v[3];
	v[3] = rotated(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotated(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotated(v[1], 17) ^ v[2];
	v[2] = rotated(v[2], 32);
}

/* SipHash-1-3 (Aumasson and Bernstein 2012, sec. 2, with 1 and 3 rounds): one
 * who does not know the seed cannot make keys collide. */
static uint64_t hash_key(unsigned long long seed, const char *key, size_t length)
{
	uint64_t k0 = seed, k1 = rotated(seed, 29) * 0x9E3779B97F4A7C15u;
	uint64_t v[4] = { k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du,
		          k0 ^ 0x6c7967656e657261u, k1 ^ 0x7465646279746573u };
	uint64_t word;
	size_t at = 0;
	for (; length - at >= 8; at += 8) {
		memcpy(&word, key + at, 8);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	word = 0;
	if (length > at)
		memcpy(&word, key + at, length - at);
	word |= (uint64_t)length << 56;
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
	v[2] ^= 0xff;
	sip_round(v);
	sip_round(v);
	sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void wg_map_init(struct wg_map *map)
{
	*map = (struct wg_map){ 0 };
}

void wg_map_done(struct wg_map *map)
{
	free(map->slots);
	*map = (struct wg_map){ 0 };
}

/* A system without random numbers at hand gets the clock: the map still works. */
static unsigned long long new_seed(void)
{
	unsigned long long seed;
	if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed)
		return seed;
	struct timespec now = { 0 };
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long long)now.tv_sec * 1000000007u + (unsigned long long)now.tv_nsec;
}

/* The slot that holds the key, or the free one where it would go. */
static struct wg_map_slot *find_slot(struct wg_map_slot *slots, size_t capacity, uint64_t hash,
                                     const char *key, size_t key_length)
{
	size_t at = hash & (capacity - 1);
	while (slots[at].key) {
		if (slots[at].hash == hash && slots[at].key_length == key_length &&
		    memcmp(slots[at].key, key, key_length) == 0)
			break;
		at = (at + 1) & (capacity - 1);
	}
	return &slots[at];
}

static bool grow(struct wg_map *map)
{
	size_t capacity = map->capacity ? map->capacity * 2 : FIRST_CAPACITY;
	if (capacity < map->capacity)
		return false;
	struct wg_map_slot *slots = calloc(capacity, sizeof *slots);
	if (!slots)
		return false;
	for (size_t i = 0; i < map->capacity; i++) {
		struct wg_map_slot *old = &map->slots[i];
		if (old->key)
			*find_slot(slots, capacity, old->hash, old->key, old->key_length) = *old;
	}
	if (!map->slots)
		map->seed = new_seed();
	free(map->slots);
	map->slots = slots;
	map->capacity = capacity;
	return true;
}

bool wg_map_put(struct wg_map *map, const char *key, size_t key_length, size_t value,
                bool *ret_existed)
{
	if (map->count >= map->capacity / 4 * 3 && !grow(map))
		return false;
	uint64_t hash = hash_key(map->seed, key, key_length);
	struct wg_map_slot *slot = find_slot(map->slots, map->capacity, hash, key, key_length);
	bool existed = slot->key != NULL;
	if (!existed) {
		*slot = (struct wg_map_slot){ key, key_length, hash, value };
		map->count++;
	}
	if (ret_existed)
		*ret_existed = existed;
	return true;
}

bool wg_map_find(const struct wg_map *map, const char *key, size_t key_length, size_t *ret_value)
{
	if (map->count == 0)
		return false;
	uint64_t hash = hash_key(map->seed, key, key_length);
	struct wg_map_slot *slot = find_slot(map->slots, map->capacity, hash, key, key_length);
	if (!slot->key)
		return false;
	if (ret_value)
		*ret_value = slot->value;
	return true;
}
