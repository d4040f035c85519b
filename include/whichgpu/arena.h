/* Arena: memory of one document (a catalogue, a model file, a plan), freed in
 * one call. Not thread-safe; one arena, one owner. */
#ifndef WHICHGPU_ARENA_H
#define WHICHGPU_ARENA_H

#include <stddef.h>

struct wg_arena;

/* limit_bytes: the most the arena may ever hand out; 0 = WG_LIMIT_ARENA_BYTES.
 * NULL when memory is out. */
struct wg_arena *wg_arena_open(size_t limit_bytes);
void wg_arena_free(struct wg_arena *arena);

/* Zeroed, aligned for any type. NULL when over the limit or out of memory;
 * the products are checked for overflow. */
void *wg_arena_alloc(struct wg_arena *arena, size_t bytes);
void *wg_arena_array(struct wg_arena *arena, size_t count, size_t element_bytes);
char *wg_arena_strdup(struct wg_arena *arena, const char *text);
char *wg_arena_strndup(struct wg_arena *arena, const char *text, size_t length);
__attribute__((format(printf, 2, 3)))
char *wg_arena_printf(struct wg_arena *arena, const char *format, ...);

size_t wg_arena_used(const struct wg_arena *arena);

#endif
