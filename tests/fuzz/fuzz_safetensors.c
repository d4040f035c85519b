/* A whole safetensors file. */
#include "fuzz.h"

#include "model/safetensors.h"

/* What is accepted covers the file to its last byte. */
static void check_table(const struct wg_tensor_table *table, const uint8_t *data, size_t size)
{
	uint64_t header = 0;

	for (int i = 7; i >= 0; i--)
		header = header << 8 | data[i];
	if (table->bytes != (double)(size - 8 - header))
		abort();
	for (size_t i = 0; i < table->count; i++)
		if (strlen(table->tensors[i].name) > size ||
		    table->tensors[i].rank > WG_TENSOR_RANK_MAX)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_table_builder builder;
	struct wg_tensor_table table;
	struct wg_input input;
	struct wg_error error;

	wg_error_init(&error);
	wg_input_init_memory(&input, data, size, "fuzz");
	wg_table_builder_init(&builder, arena, 0);
	enum wg_status status = wg_safetensors_read_input(&input, arena, &builder, &error);
	check_error(status, &error);
	if (status == WG_OK) {
		wg_table_builder_finish(&builder, &table);
		check_table(&table, data, size);
	}
	wg_table_builder_done(&builder);
	wg_input_done(&input);
	wg_arena_free(arena);
	return 0;
}
