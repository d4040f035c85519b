/* What the files of this module share about a catalogue. */
#ifndef WHICHGPU_SRC_CATALOG_CATALOG_H
#define WHICHGPU_SRC_CATALOG_CATALOG_H

#include "catalog/builtin.h"
#include "catalog/read.h"

struct wg_catalog {
	struct wg_arena *arena;           /* NULL without an overlay */
	const struct wg_gpu *const *gpus; /* sorted by id; NULL: the built-in array */
	size_t gpu_count;
	const struct wg_catalog_key *keys;
	size_t key_count;
	const struct wg_source *const *sources; /* sorted by id; NULL: the built-in array */
	size_t source_count;
};

/* Puts the user's files over the built-in ones; the catalogue's arena is open. */
enum wg_status wg_catalog_overlay(struct wg_catalog *catalog, const char *folder,
                                  struct wg_error *error);

#endif
