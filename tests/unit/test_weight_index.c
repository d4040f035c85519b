#include "bytes.h"

#include "model/readers.h"
#include "whichgpu/limits.h"

static enum wg_status read_index(const char *text, struct wg_arena *arena,
                                 struct wg_weight_index *index, struct wg_error *error)
{
	wg_error_init(error);
	return wg_safetensors_read_index_text(text, strlen(text), "t.index.json", arena, index,
	                                      error);
}

static void totals_and_shards(void **state)
{
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_weight_index index;
	struct wg_error error;

	check_status(
		read_index("{\"metadata\":{\"total_size\":13731385408.0,\"total_parameters\":7,"
	                   "\"other\":[{}]},\"weight_map\":{\"a\":\"x-1.safetensors\",\"b\":"
	                   "\"x-2.safetensors\",\"c\":\"x-1.safetensors\"},\"more\":null}",
	                   arena, &index, &error),
		WG_OK, &error);
	check_close(index.total_bytes, 13731385408.0, 0);
	check_close(index.total_parameters, 7, 0);
	assert_int_equal(index.tensor_count, 3);
	assert_string_equal(index.tensor_names[2], "c");
	assert_int_equal(index.shard_count, 2);
	assert_string_equal(index.shards[1], "x-2.safetensors");
	wg_arena_free(arena);
}

/* As real indexes have it: no metadata, empty, zero, null, a text. */
static void a_total_that_is_not_known(void **state)
{
	static const char *const metadata[] = { "{}", "{\"total_size\":0}", "{\"total_size\":null}",
		                                "{\"total_size\":\"12\"}", "null" };
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_weight_index index;
	struct wg_error error;
	char text[128];

	for (size_t i = 0; i < sizeof metadata / sizeof *metadata; i++) {
		snprintf(text, sizeof text, "{\"metadata\":%s,\"weight_map\":{}}", metadata[i]);
		check_status(read_index(text, arena, &index, &error), WG_OK, &error);
		check_close(index.total_bytes, 0, 0);
	}
	wg_arena_free(arena);
}

static void hostile_indexes(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "{\"weight_map\":{\"a\":\"../../etc/passwd\"}}", "outside its folder" },
		{ "{\"weight_map\":{\"a\":\"/etc/passwd\"}}", "outside its folder" },
		{ "{\"weight_map\":{\"a\":\"..\"}}", "outside its folder" },
		{ "{\"weight_map\":{\"a\":\"a\\\\b\"}}", "outside its folder" },
		{ "{\"weight_map\":{\"a\":\"\\u002e\\u002e\\u002fx\"}}", "outside its folder" },
		{ "{\"weight_map\":{\"a\":\"C:x\"}}", "outside its folder" },
		{ "{\"weight_map\":{\"a\":\".hidden\"}}", "outside its folder" },
		{ "{\"weight_map\":{\"a\":\"\\u001b[2J\"}}", "outside its folder" },
		{ "{\"weight_map\":{\"a\":\"\"}}", "outside its folder" },
		{ "{\"weight_map\":{\"a\":\"x\",\"a\":\"x\"}}", "tensor \"a\" twice" },
		{ "{\"weight_map\":{\"b\":\"x\",\"a\":\"x\",\"c\":\"x\",\"b\":\"x\"}}",
		  "tensor \"b\" twice" },
		{ "{\"weight_map\":{\"a\":\"x\",\"b\":\"x\",\"a\":\"x\"}}", "tensor \"a\" twice" },
		{ "{\"weight_map\":{},\"weight_map\":{}}", "\"weight_map\" twice" },
		{ "{\"weight_map\":{\"a\":1}}", "a string is wanted" },
		{ "{\"metadata\":{\"total_size\":-1},\"weight_map\":{}}", "impossible total" },
		{ "{\"metadata\":{\"total_size\":1e300},\"weight_map\":{}}", "impossible total" },
		{ "{\"metadata\":{}}", "no \"weight_map\"" },
		{ "[]", "is wanted here" },
		{ "", "is wanted" },
	};
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_weight_index index;
	struct wg_error error;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		check_status(read_index(cases[i].text, arena, &index, &error), WG_BAD_INPUT,
		             &error);
		check_contains(error.message, cases[i].words);
		assert_null(strchr(error.message, '\x1b'));
	}
	wg_arena_free(arena);
}

static void write_shard(const struct folder *folder, const char *name, const char *header,
                        size_t data_bytes)
{
	struct bytes bytes = { 0 };

	safetensors(&bytes, header, data_bytes);
	folder_write(folder, name, bytes.at, bytes.length);
	bytes_done(&bytes);
}

static const char two_shards[] = "{\"weight_map\":{\"a\":\"m-1.safetensors\",\"b\":"
				 "\"m-2.safetensors\"}}";

static void shards_are_joined(void **state)
{
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_weight_index index;
	struct wg_tensor_table table;
	struct wg_error error;
	struct folder folder;
	size_t missing = 9;

	folder_open(&folder);
	check_status(read_index(two_shards, arena, &index, &error), WG_OK, &error);
	check_status(
		wg_safetensors_read_shards(folder.path, &index, arena, &table, &missing, &error),
		WG_OK, &error);
	assert_int_equal(missing, 2);
	assert_int_equal(table.count, 0);
	write_shard(&folder, "m-1.safetensors",
	            "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}", 3);
	check_status(
		wg_safetensors_read_shards(folder.path, &index, arena, &table, &missing, &error),
		WG_OK, &error);
	assert_int_equal(missing, 1);
	write_shard(&folder, "m-2.safetensors",
	            "{\"b\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4);
	check_status(
		wg_safetensors_read_shards(folder.path, &index, arena, &table, &missing, &error),
		WG_OK, &error);
	assert_int_equal(missing, 0);
	assert_int_equal(table.count, 2);
	check_close(table.bytes, 7, 0);
	check_close(table.elements, 5, 0);
	wg_arena_free(arena);
	folder_done(&folder);
}

static void shards_that_disagree(void **state)
{
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_weight_index index;
	struct wg_tensor_table table;
	struct wg_error error;
	struct folder folder;
	size_t missing;
	static const char a[] = "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}";
	static const char c[] = "{\"c\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}";

	folder_open(&folder);
	check_status(read_index(two_shards, arena, &index, &error), WG_OK, &error);
	write_shard(&folder, "m-1.safetensors", a, 3);
	write_shard(&folder, "m-2.safetensors", c, 3);
	check_status(
		wg_safetensors_read_shards(folder.path, &index, arena, &table, &missing, &error),
		WG_BAD_INPUT, &error);
	check_contains(error.message, "names tensor \"b\", but no shard has it");
	write_shard(&folder, "m-2.safetensors", a, 3);
	check_status(
		wg_safetensors_read_shards(folder.path, &index, arena, &table, &missing, &error),
		WG_BAD_INPUT, &error);
	check_contains(error.message, "two tensors \"a\"");
	write_shard(&folder, "m-2.safetensors", c, 2);
	check_status(
		wg_safetensors_read_shards(folder.path, &index, arena, &table, &missing, &error),
		WG_BAD_INPUT, &error);
	check_contains(error.message, "is cut off");
	wg_arena_free(arena);
	folder_done(&folder);
}

/* Pickles named by an index are never opened: they count as not there. */
static void pickles_stay_closed(void **state)
{
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_weight_index index;
	struct wg_tensor_table table;
	struct wg_error error;
	struct folder folder;
	size_t missing = 0;

	folder_open(&folder);
	folder_write_text(&folder, "pytorch_model-1.bin",
	                  "\x80\x02"
	                  "cos\nsystem\n");
	check_status(read_index("{\"weight_map\":{\"a\":\"pytorch_model-1.bin\"}}", arena, &index,
	                        &error),
	             WG_OK, &error);
	check_status(
		wg_safetensors_read_shards(folder.path, &index, arena, &table, &missing, &error),
		WG_OK, &error);
	assert_int_equal(missing, 1);
	wg_arena_free(arena);
	folder_done(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_and_shards),    cmocka_unit_test(a_total_that_is_not_known),
		cmocka_unit_test(hostile_indexes),      cmocka_unit_test(shards_are_joined),
		cmocka_unit_test(shards_that_disagree), cmocka_unit_test(pickles_stay_closed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
