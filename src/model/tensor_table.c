/* Tensor tables: see tensor_table.h. */
#include "model/tensor_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/i18n.h"
#include "whichgpu/limits.h"

void wg_table_builder_init(struct wg_table_builder *builder, struct wg_arena *arena,
                           size_t expected)
{
	*builder = (struct wg_table_builder){ .arena = arena };
	wg_map_init(&builder->names);
	if (expected > 0 && expected <= WG_LIMIT_TENSORS)
		builder->tensors = wg_arena_array(arena, expected, sizeof *builder->tensors);
	if (builder->tensors != NULL)
		builder->capacity = expected;
}

void wg_table_builder_done(struct wg_table_builder *builder)
{
	wg_map_done(&builder->names);
}

/* Twice the room; what was there is left behind in the arena. */
static enum wg_status grow(struct wg_table_builder *builder, struct wg_error *error)
{
	if (builder->count >= WG_LIMIT_TENSORS)
		return wg_error_set(error, WG_LIMIT, _("there are more than %zu tensors"),
		                    (size_t)WG_LIMIT_TENSORS);
	size_t capacity = builder->capacity ? 2 * builder->capacity : 64;
	struct wg_tensor *tensors = wg_arena_array(builder->arena, capacity, sizeof *tensors);
	if (tensors == NULL)
		return wg_error_no_memory(error);
	if (builder->count > 0)
		memcpy(tensors, builder->tensors, builder->count * sizeof *tensors);
	builder->tensors = tensors;
	builder->capacity = capacity;
	return WG_OK;
}

enum wg_status wg_table_builder_add(struct wg_table_builder *builder,
                                    const struct wg_tensor *tensor, struct wg_error *error)
{
	bool existed = false;

	if (builder->count == builder->capacity) {
		enum wg_status status = grow(builder, error);
		if (status != WG_OK)
			return status;
	}
	if (!wg_map_put(&builder->names, tensor->name, strlen(tensor->name), builder->count,
	                &existed))
		return wg_error_no_memory(error);
	if (existed)
		return wg_error_set(error, WG_BAD_INPUT, _("there are two tensors \"%s\""),
		                    tensor->name);
	builder->tensors[builder->count++] = *tensor;
	return WG_OK;
}

void wg_table_builder_finish(const struct wg_table_builder *builder,
                             struct wg_tensor_table *ret_table)
{
	struct wg_tensor_table table = { .tensors = builder->tensors, .count = builder->count };

	for (size_t i = 0; i < table.count; i++) {
		table.elements += table.tensors[i].elements;
		table.bytes += table.tensors[i].bytes;
	}
	*ret_table = table;
}

bool wg_block_size(const struct wg_block *block, const uint64_t *shape, unsigned rank,
                   uint64_t *ret_elements, uint64_t *ret_bytes)
{
	uint64_t elements = 1, bytes;
	bool empty = false;

	for (unsigned i = 0; i < rank; i++) {
		if (shape[i] == 0)
			empty = true; /* the other factors must still not overflow */
		else if (!wg_checked_multiply(elements, shape[i], &elements) ||
		         elements > INT64_MAX)
			return false;
	}
	if (elements % block->weights != 0 && !empty)
		return false;
	if (!wg_checked_multiply((elements - 1) / block->weights + 1, block->bytes, &bytes) ||
	    bytes > INT64_MAX)
		return false;
	*ret_elements = empty ? 0 : elements;
	*ret_bytes = empty ? 0 : bytes;
	return true;
}
