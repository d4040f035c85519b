#include "bytes.h"

#include "model/readers.h"
#include "model/safetensors.h"
#include "whichgpu/limits.h"

/* Reads bytes as a file in memory; the table lives in *ret_arena. */
static enum wg_status read_bytes(const void *data, size_t length, struct wg_arena **ret_arena,
                                 struct wg_tensor_table *ret_table, struct wg_error *error)
{
	struct wg_table_builder builder;
	struct wg_input input;

	*ret_arena = wg_arena_open(0);
	assert_non_null(*ret_arena);
	wg_error_init(error);
	wg_table_builder_init(&builder, *ret_arena, 0);
	wg_input_init_memory(&input, data, length, "t.safetensors");
	enum wg_status status = wg_safetensors_read_input(&input, *ret_arena, &builder, error);
	if (status == WG_OK)
		wg_table_builder_finish(&builder, ret_table);
	wg_table_builder_done(&builder);
	return status;
}

static void check_refused(const char *header, size_t data_bytes, enum wg_status expected,
                          const char *words)
{
	struct bytes bytes = { 0 };
	struct wg_tensor_table table;
	struct wg_arena *arena;
	struct wg_error error;

	safetensors(&bytes, header, data_bytes);
	check_status(read_bytes(bytes.at, bytes.length, &arena, &table, &error), expected, &error);
	check_contains(error.message, words);
	wg_arena_free(arena);
	bytes_done(&bytes);
}

static const char good[] =
	"{\"__metadata__\":{\"format\":\"pt\"},"
	"\"b\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[4,16]},"
	"\"a\":{\"shape\":[],\"data_offsets\":[0,4],\"dtype\":\"F32\"},"
	"\"e\":{\"dtype\":\"I64\",\"shape\":[7,0],\"data_offsets\":[16,16]},"
	"\"p\":{\"dtype\":\"F4\",\"shape\":[3,2],\"data_offsets\":[16,19]},"
	"\"s\":{\"dtype\":\"F6_E2M3\",\"shape\":[8],\"data_offsets\":[19,25]}}  ";

static void shapes_types_and_sums(void **state)
{
	struct bytes bytes = { 0 };
	struct wg_tensor_table table;
	struct wg_arena *arena;
	struct wg_error error;

	safetensors(&bytes, good, 25);
	check_status(read_bytes(bytes.at, bytes.length, &arena, &table, &error), WG_OK, &error);
	assert_int_equal(table.count, 5);
	assert_string_equal(table.tensors[0].name, "b");
	assert_string_equal(table.tensors[0].type, "BF16");
	assert_int_equal(table.tensors[0].rank, 2);
	assert_int_equal(table.tensors[0].shape[1], 3);
	check_close(table.tensors[0].bits, 16, 0);
	assert_int_equal(table.tensors[1].rank, 0);
	check_close(table.tensors[1].elements, 1, 0);
	check_close(table.tensors[2].elements, 0, 0);
	check_close(table.tensors[3].bits, 4, 0);
	check_close(table.tensors[4].bits, 6, 0);
	check_close(table.elements, 6 + 1 + 0 + 6 + 8, 0);
	check_close(table.bytes, 25, 0);
	wg_arena_free(arena);
	bytes_done(&bytes);
}

static void every_prefix_is_refused(void **state)
{
	struct bytes bytes = { 0 };
	struct wg_tensor_table table;
	struct wg_arena *arena;
	struct wg_error error;

	safetensors(&bytes, good, 25);
	for (size_t length = 0; length < bytes.length; length++) {
		unsigned char *prefix = malloc(length + 1);

		assert_non_null(prefix);
		memcpy(prefix, bytes.at, length);
		check_status(read_bytes(prefix, length, &arena, &table, &error), WG_BAD_INPUT,
		             &error);
		wg_arena_free(arena);
		free(prefix);
	}
	bytes_done(&bytes);
}

/* BITS of each type: huggingface/safetensors, safetensors/src/tensor.rs. */
static void every_type_has_its_size(void **state)
{
	static const struct {
		const char *name;
		unsigned bits;
	} types[] = {
		{ "F4", 4 },      { "F6_E2M3", 6 },     { "F6_E3M2", 6 },     { "BOOL", 8 },
		{ "U8", 8 },      { "I8", 8 },          { "F8_E5M2", 8 },     { "F8_E4M3", 8 },
		{ "F8_E8M0", 8 }, { "F8_E4M3FNUZ", 8 }, { "F8_E5M2FNUZ", 8 }, { "I16", 16 },
		{ "U16", 16 },    { "F16", 16 },        { "BF16", 16 },       { "I32", 32 },
		{ "U32", 32 },    { "F32", 32 },        { "I64", 64 },        { "U64", 64 },
		{ "F64", 64 },    { "C64", 64 },
	};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct bytes bytes = { 0 };
		struct wg_tensor_table table;
		struct wg_arena *arena;
		struct wg_error error;
		char header[128];

		snprintf(header, sizeof header,
		         "{\"t\":{\"dtype\":\"%s\",\"shape\":[4,2],\"data_offsets\":"
		         "[0,%u]}}",
		         types[i].name, types[i].bits);
		safetensors(&bytes, header, types[i].bits);
		check_status(read_bytes(bytes.at, bytes.length, &arena, &table, &error), WG_OK,
		             &error);
		check_close(table.tensors[0].bits, types[i].bits, 0);
		check_close(table.bytes, types[i].bits, 0);
		wg_arena_free(arena);
		bytes_done(&bytes);
	}
}

#define ENTRY(name, type, shape, begin, end)                                                   \
	"\"" name "\":{\"dtype\":\"" type "\",\"shape\":[" shape "],\"data_offsets\":[" #begin \
	"," #end "]}"

static void broken_rules_are_named(void **state)
{
	static const struct {
		const char *header;
		size_t data_bytes;
		enum wg_status status;
		const char *words;
	} cases[] = {
		{ "{" ENTRY("a", "F32", "2", 0, 8) "," ENTRY("b", "F32", "2", 4, 12) "}", 12,
		  WG_BAD_INPUT, "overlap at data byte 8" },
		{ "{" ENTRY("a", "F32", "1", 0, 4) "," ENTRY("b", "F32", "1", 8, 12) "}", 12,
		  WG_BAD_INPUT, "leave a hole at data byte 4" },
		{ "{" ENTRY("a", "F32", "1", 4, 8) "}", 8, WG_BAD_INPUT,
		  "leave a hole at data byte 0" },
		{ "{" ENTRY("a", "F32", "1", 0, 4) "}", 9, WG_BAD_INPUT, "5 bytes follow" },
		{ "{" ENTRY("a", "F32", "1", 0, 4) "}", 3, WG_BAD_INPUT, "is cut off" },
		{ "{" ENTRY("a", "F32", "1", 0, 4) "," ENTRY("a", "F32", "1", 4, 8) "}", 8,
		  WG_BAD_INPUT, "two tensors \"a\"" },
		{ "{" ENTRY("a", "F32", "1", 0, 4) "," ENTRY("\\u0061", "F32", "1", 4, 8) "}", 8,
		  WG_BAD_INPUT, "two tensors \"a\"" },
		{ "{" ENTRY("a", "F32", "3", 0, 16) "}", 16, WG_BAD_INPUT, "make 12 bytes" },
		{ "{" ENTRY("a", "F32", "4294967296,4294967296", 0, 0) "}", 0, WG_BAD_INPUT,
		  "impossible shape" },
		{ "{" ENTRY("a", "F32", "0,4294967296,4294967296", 0, 0) "}", 0, WG_BAD_INPUT,
		  "impossible shape" },
		{ "{" ENTRY("a", "F64", "2305843009213693952", 0, 0) "}", 0, WG_BAD_INPUT,
		  "impossible shape" },
		{ "{" ENTRY("a", "F4", "3", 0, 2) "}", 2, WG_BAD_INPUT, "impossible shape" },
		{ "{" ENTRY("a", "Q4", "1", 0, 4) "}", 4, WG_BAD_INPUT, "unknown type \"Q4\"" },
		{ "{" ENTRY("a", "F32", "1", 4, 0) "}", 4, WG_BAD_INPUT, "ends before it begins" },
		{ "{" ENTRY("a", "F32", "-1", 0, 4) "}", 4, WG_BAD_INPUT, "a whole number" },
		{ "{" ENTRY("a", "F32", "1.0", 0, 4) "}", 4, WG_BAD_INPUT, "a whole number" },
		{ "{" ENTRY("a", "F32", "1", 0, 18446744073709551616) "}", 4, WG_BAD_INPUT,
		  "over 2^64" },
		{ "{" ENTRY("a", "U8", "1,1,1,1,1,1,1,1,1", 0, 1) "}", 1, WG_LIMIT, "dimensions" },
		{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 0, WG_BAD_INPUT, "needs \"dtype\"" },
		{ "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, WG_BAD_INPUT,
		  "\"dtype\" twice" },
		{ "{\"a\":{\"data_offsets\":[0]}}", 0, WG_BAD_INPUT, "two numbers" },
		{ "{\"a\":{\"data_offsets\":[0,1,2]}}", 0, WG_BAD_INPUT, "two numbers" },
		{ "{\"a\":{\"color\":1}}", 0, WG_BAD_INPUT, "unknown member \"color\"" },
		{ "{\"a\":7}", 0, WG_BAD_INPUT, "is wanted here" },
		{ "{\"__metadata__\":{\"x\":1}}", 0, WG_BAD_INPUT, "a string is wanted" },
		{ "{\"__metadata__\":{\"x\":\"\",\"x\":\"\"}}", 0, WG_BAD_INPUT, "\"x\" twice" },
		{ "{\"__metadata__\":{},\"__metadata__\":{}}", 0, WG_BAD_INPUT,
		  "two \"__metadata__\"" },
		{ " {}", 0, WG_BAD_INPUT, "does not begin with" },
		{ "{}x", 0, WG_BAD_INPUT, "the end of the text" },
		{ "", 0, WG_BAD_INPUT, "does not begin with" },
		{ "{\"\x1b[2J\":1}", 0, WG_BAD_INPUT, "control character" },
		{ "{\"a\":{\"dtype\":\"\\u001b[2J\",\"shape\":[],\"data_offsets\":[0,0]}}", 0,
		  WG_BAD_INPUT, "unknown type \"?[2J\"" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_refused(cases[i].header, cases[i].data_bytes, cases[i].status,
		              cases[i].words);
}

/* The length field: 2^64-1 wraps when 8 is added, 100,000,000 is the limit. */
static void header_lengths(void **state)
{
	static const uint64_t lengths[] = { UINT64_MAX, UINT64_MAX - 7, 100000001, 100000000, 3 };
	struct wg_tensor_table table;
	struct wg_arena *arena;
	struct wg_error error;

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct bytes bytes = { 0 };

		put_integer(&bytes, lengths[i], 8);
		put(&bytes, "{}", 2);
		check_status(read_bytes(bytes.at, bytes.length, &arena, &table, &error),
		             WG_BAD_INPUT, &error);
		check_contains(error.message,
		               lengths[i] > 100000000 ? "at most 100000000" : "is cut off");
		/* Nothing was allocated for it. */
		assert_true(wg_arena_used(arena) < 1000000);
		wg_arena_free(arena);
		bytes_done(&bytes);
	}
}

static void what_is_no_file(void **state)
{
	struct folder folder;
	struct wg_tensor_table table;
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_error error;
	char path[1024];

	folder_open(&folder);
	assert_int_equal(mkfifo(folder_path(&folder, "pipe.safetensors", path), 0600), 0);
	check_status(wg_safetensors_read_header(path, arena, &table, &error), WG_BAD_INPUT, &error);
	check_contains(error.message, "named pipe");
	check_status(wg_safetensors_read_header("/dev/null", arena, &table, &error), WG_BAD_INPUT,
	             &error);
	check_status(wg_safetensors_read_header(folder_path(&folder, "no.safetensors", path), arena,
	                                        &table, &error),
	             WG_NOT_FOUND, &error);
	folder_write_text(&folder, "lfs.safetensors",
	                  "version https://git-lfs.github.com/spec/v1\n"
	                  "oid sha256:58aa\nsize 10376877880\n");
	check_status(wg_safetensors_read_header(folder_path(&folder, "lfs.safetensors", path),
	                                        arena, &table, &error),
	             WG_BAD_INPUT, &error);
	check_contains(error.message, "a Git LFS pointer");
	check_contains(error.message, "10376877880 bytes");
	check_contains(error.hint, "git lfs pull");
	wg_arena_free(arena);
	folder_done(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_types_and_sums),
		cmocka_unit_test(every_prefix_is_refused),
		cmocka_unit_test(every_type_has_its_size),
		cmocka_unit_test(broken_rules_are_named),
		cmocka_unit_test(header_lengths),
		cmocka_unit_test(what_is_no_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
