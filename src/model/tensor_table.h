/* Building a struct wg_tensor_table tensor by tensor, with names checked for
 * duplicates. Both formats store tensors in groups ("blocks"): a group of
 * `weights` elements in `bytes` bytes, so sizes never need fractions. */
#ifndef WG_MODEL_TENSOR_TABLE_H
#define WG_MODEL_TENSOR_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/readers.h"
#include "whichgpu/map.h"

struct wg_block {
	const char *name; /* NULL: no such type */
	uint16_t weights, bytes;
};

struct wg_table_builder {
	struct wg_arena *arena; /* holds the tensors from the start: no copy at the end */
	struct wg_tensor *tensors;
	size_t count, capacity;
	struct wg_map names;
};

/* expected: how many tensors there will be, 0 when nobody knows; a hint that
 * the caller has checked against the input's size. */
void wg_table_builder_init(struct wg_table_builder *builder, struct wg_arena *arena,
                           size_t expected);
void wg_table_builder_done(struct wg_table_builder *builder);
/* Appends; the name must outlive the table. WG_BAD_INPUT when the name is
 * there already, WG_LIMIT, WG_NO_MEMORY. */
enum wg_status wg_table_builder_add(struct wg_table_builder *builder,
                                    const struct wg_tensor *tensor, struct wg_error *error);
/* The table as it is now, sums included; it lives in the arena. */
void wg_table_builder_finish(const struct wg_table_builder *builder,
                             struct wg_tensor_table *ret_table);

/* Exact elements and bytes of a shape stored in such blocks. False when a
 * product does not fit 63 bits (each factor is looked at before multiplying,
 * zeros too) or when the elements are no whole number of blocks. */
bool wg_block_size(const struct wg_block *block, const uint64_t *shape, unsigned rank,
                   uint64_t *ret_elements, uint64_t *ret_bytes);

#endif
