/* A weight index: no shard name may leave its folder. */
#include "fuzz.h"

#include "model/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_weight_index index;
	struct wg_error error;

	wg_error_init(&error);
	enum wg_status status = wg_safetensors_read_index_text((const char *)data, size, "fuzz",
	                                                       arena, &index, &error);
	check_error(status, &error);
	for (size_t i = 0; status == WG_OK && i < index.shard_count; i++)
		if (strchr(index.shards[i], '/') != NULL || index.shards[i][0] == '.')
			abort();
	if (status == WG_OK && !(index.total_bytes >= 0 && index.total_bytes <= 1e18))
		abort();
	wg_arena_free(arena);
	return 0;
}
