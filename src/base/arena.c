#include "whichgpu/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whichgpu/limits.h"

/* Chunks double up to the greatest size, so that a small document takes little
 * and a large one few calls. */
#define FIRST_CHUNK_BYTES 4096
#define GREATEST_CHUNK_BYTES ((size_t)1 << 20)

struct chunk {
	struct chunk *next;
	size_t size, used;
	alignas(max_align_t) unsigned char bytes[];
};

struct wg_arena {
	struct chunk *newest;
	size_t limit, used, next_chunk_bytes;
};

struct wg_arena *wg_arena_open(size_t limit_bytes)
{
	struct wg_arena *arena = calloc(1, sizeof *arena);
	if (!arena)
		return NULL;
	arena->limit = limit_bytes > 0 ? limit_bytes : WG_LIMIT_ARENA_BYTES;
	arena->next_chunk_bytes = FIRST_CHUNK_BYTES;
	return arena;
}

void wg_arena_free(struct wg_arena *arena)
{
	if (!arena)
		return;
	struct chunk *chunk = arena->newest;
	while (chunk) {
		struct chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
	free(arena);
}

static struct chunk *add_chunk(struct wg_arena *arena, size_t needed)
{
	size_t size = needed > arena->next_chunk_bytes ? needed : arena->next_chunk_bytes;
	if (size > SIZE_MAX - sizeof(struct chunk))
		return NULL;
	struct chunk *chunk = calloc(1, sizeof *chunk + size);
	if (!chunk)
		return NULL;
	chunk->size = size;
	if (arena->newest && size == needed && needed > arena->next_chunk_bytes) {
		/* One large piece goes behind the newest chunk, which still has room. */
		chunk->next = arena->newest->next;
		arena->newest->next = chunk;
	} else {
		chunk->next = arena->newest;
		arena->newest = chunk;
		if (arena->next_chunk_bytes < GREATEST_CHUNK_BYTES)
			arena->next_chunk_bytes *= 2;
	}
	return chunk;
}

void *wg_arena_alloc(struct wg_arena *arena, size_t bytes)
{
	const size_t step = alignof(max_align_t);
	if (bytes > arena->limit - arena->used)
		return NULL;
	size_t size = bytes > 0 ? (bytes + step - 1) / step * step : step;
	if (size < bytes)
		return NULL;
	struct chunk *chunk = arena->newest;
	if (!chunk || chunk->size - chunk->used < size)
		chunk = add_chunk(arena, size);
	if (!chunk)
		return NULL;
	void *result = chunk->bytes + chunk->used;
	chunk->used += size;
	arena->used += bytes;
	return result;
}

void *wg_arena_array(struct wg_arena *arena, size_t count, size_t element_bytes)
{
	if (element_bytes > 0 && count > SIZE_MAX / element_bytes)
		return NULL;
	return wg_arena_alloc(arena, count * element_bytes);
}

char *wg_arena_strndup(struct wg_arena *arena, const char *text, size_t length)
{
	if (length == SIZE_MAX)
		return NULL;
	char *copy = wg_arena_alloc(arena, length + 1);
	if (copy && length > 0)
		memcpy(copy, text, length);
	return copy;
}

char *wg_arena_strdup(struct wg_arena *arena, const char *text)
{
	return wg_arena_strndup(arena, text, strlen(text));
}

char *wg_arena_printf(struct wg_arena *arena, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	char *text = length < 0 ? NULL : wg_arena_alloc(arena, (size_t)length + 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}

size_t wg_arena_used(const struct wg_arena *arena)
{
	return arena->used;
}
