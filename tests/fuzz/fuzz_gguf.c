/* A whole GGUF file, and the config that is made of its keys. */
#include "fuzz.h"

#include "model/gguf_config.h"
#include "whichgpu/json.h"

/* The config is JSON whatever the keys were. */
static void check_config(const char *config)
{
	struct wg_json *json = NULL;

	if (wg_json_open(config, strlen(config), "config", WG_JSON_STRICT, &json, NULL) != WG_OK)
		abort();
	wg_json_free(json);
}

static void check_file(const struct wg_gguf_file *file, const struct wg_table_builder *builder,
                       struct wg_arena *arena)
{
	struct wg_error error;
	const char *config = NULL;

	wg_error_init(&error);
	enum wg_status status = wg_gguf_make_config(file, builder, arena, &config, &error);
	check_error(status, &error);
	if (status == WG_OK && config != NULL)
		check_config(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_table_builder builder;
	struct wg_gguf_file file;
	struct wg_tensor_table table;
	struct wg_input input;
	struct wg_error error;

	wg_error_init(&error);
	wg_input_init_memory(&input, data, size, "fuzz");
	wg_table_builder_init(&builder, arena, 0);
	enum wg_status status = wg_gguf_file_read(&input, arena, &builder, &file, &error);
	check_error(status, &error);
	if (status == WG_OK) {
		wg_table_builder_finish(&builder, &table);
		if (table.bytes > (double)size)
			abort();
		check_file(&file, &builder, arena);
		wg_gguf_file_done(&file);
	}
	wg_table_builder_done(&builder);
	wg_input_done(&input);
	wg_arena_free(arena);
	return 0;
}
