/* GGUF as bytes: sizes, rules, and one test for each class of known holes in
 * other readers (CVE numbers beside them). CVE-2024-32878 (an error path that
 * frees what was never set) is every refusal here under AddressSanitizer, the
 * prefixes above all. Holes in using a vocabulary or a chat template
 * (CVE-2025-49847, CVE-2025-52566, CVE-2024-34359) have no place to be: neither
 * is kept, strings are skipped over. */
#include "bytes.h"

#include "model/gguf_file.h"
#include "model/readers.h"
#include "whichgpu/limits.h"

static enum wg_status read_bytes(const struct bytes *bytes, struct wg_tensor_table *ret_table,
                                 struct wg_error *error)
{
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_table_builder builder;
	struct wg_gguf_file file;
	struct wg_input input;
	unsigned char *exact = malloc(bytes->length + 1); /* ASan sees a step beyond it */

	assert_non_null(arena);
	assert_non_null(exact);
	exact = realloc(exact, bytes->length ? bytes->length : 1);
	if (bytes->length > 0)
		memcpy(exact, bytes->at, bytes->length);
	wg_error_init(error);
	wg_table_builder_init(&builder, arena, 0);
	wg_input_init_memory(&input, exact, bytes->length, "t.gguf");
	enum wg_status status = wg_gguf_file_read(&input, arena, &builder, &file, error);
	if (status == WG_OK) {
		if (ret_table != NULL) {
			wg_table_builder_finish(&builder, ret_table);
			ret_table->tensors = NULL; /* dies with the arena */
		}
		wg_gguf_file_done(&file);
	} else {
		/* A refusal costs next to nothing, whatever was declared. */
		assert_true(wg_arena_used(arena) < 100000);
	}
	wg_table_builder_done(&builder);
	wg_arena_free(arena);
	free(exact);
	return status;
}

static void check_refused(struct bytes *bytes, enum wg_status expected, const char *words)
{
	struct wg_error error;

	check_status(read_bytes(bytes, NULL, &error), expected, &error);
	check_contains(error.message, words);
	bytes_done(bytes);
}

/* One tensor "a" of that shape and type, its data behind it. */
static struct bytes one_tensor(unsigned rank, const uint64_t *shape, unsigned type, uint64_t offset,
                               size_t data_bytes)
{
	struct bytes bytes = { 0 };

	gguf_begin(&bytes, 3, 1, 0);
	gguf_tensor(&bytes, "a", rank, shape, type, offset);
	gguf_pad(&bytes, 32);
	put_zeros(&bytes, data_bytes);
	return bytes;
}

/* --- what is right ----------------------------------------------------------- */

/* Bytes of a block by the structures of ggml, src/ggml-common.h at d99724f2b. */
static void every_type_has_its_size(void **state)
{
	static const struct {
		unsigned id, weights, bytes;
	} types[] = {
		{ 0, 1, 4 },      { 1, 1, 2 },      { 2, 32, 18 },    { 3, 32, 20 },
		{ 6, 32, 22 },    { 7, 32, 24 },    { 8, 32, 34 },    { 9, 32, 36 },
		{ 10, 256, 84 },  { 11, 256, 110 }, { 12, 256, 144 }, { 13, 256, 176 },
		{ 14, 256, 210 }, { 15, 256, 292 }, { 16, 256, 66 },  { 17, 256, 74 },
		{ 18, 256, 98 },  { 19, 256, 50 },  { 20, 32, 18 },   { 21, 256, 110 },
		{ 22, 256, 82 },  { 23, 256, 136 }, { 24, 1, 1 },     { 25, 1, 2 },
		{ 26, 1, 4 },     { 27, 1, 8 },     { 28, 1, 8 },     { 29, 256, 56 },
		{ 30, 1, 2 },     { 34, 256, 54 },  { 35, 256, 66 },  { 39, 32, 17 },
		{ 40, 64, 36 },   { 41, 128, 18 },  { 42, 64, 18 },
	};
	unsigned known = 0;

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		uint64_t shape[] = { 2 * types[i].weights, 3 };
		struct bytes bytes = one_tensor(2, shape, types[i].id, 0, 6 * types[i].bytes);
		struct wg_tensor_table table;
		struct wg_error error;

		check_status(read_bytes(&bytes, &table, &error), WG_OK, &error);
		check_close(table.bytes, 6 * types[i].bytes, 0);
		check_close(table.elements, 6 * types[i].weights, 0);
		bytes.length--;
		check_refused(&bytes, WG_BAD_INPUT, "is cut off");
	}
	for (uint32_t id = 0; id < 100; id++)
		known += wg_gguf_type(id) != NULL;
	assert_int_equal(known, 35);
}

/* Keys of every value type, an array of every one, two tensors. */
static struct bytes everything(int big_endian, unsigned version)
{
	struct bytes bytes = { .big_endian = big_endian };
	static const unsigned sizes[] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };
	static const uint64_t row[] = { 32 }, matrix[] = { 64, 2 };
	char name[16];

	gguf_begin(&bytes, version, 2, 25);
	gguf_u32(&bytes, "general.alignment", 64);
	for (unsigned type = U8; type <= F64; type++) {
		if (type == ARRAY)
			continue;
		snprintf(name, sizeof name, "scalar.%u", type);
		gguf_key(&bytes, name, type);
		if (type == STRING)
			put_text(&bytes, "value");
		else
			put_integer(&bytes, 1, sizes[type]);
		snprintf(name, sizeof name, "array.%u", type);
		gguf_array(&bytes, name, type, 3);
		for (int i = 0; i < 3; i++) {
			if (type == STRING)
				put_text(&bytes, "x");
			else
				put_integer(&bytes, 1, sizes[type]);
		}
	}
	gguf_tensor(&bytes, "one", 1, row, 0, 0);
	gguf_tensor(&bytes, "two", 2, matrix, 8, 128);
	gguf_pad(&bytes, 64);
	put_zeros(&bytes, 128 + 136);
	return bytes;
}

static void versions_and_byte_orders(void **state)
{
	static const struct {
		int big_endian;
		unsigned version;
	} forms[] = { { 0, 3 }, { 0, 2 }, { 1, 3 } };

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct bytes bytes = everything(forms[i].big_endian, forms[i].version);
		struct wg_tensor_table table;
		struct wg_error error;

		check_status(read_bytes(&bytes, &table, &error), WG_OK, &error);
		assert_int_equal(table.count, 2);
		check_close(table.bytes, 128 + 136, 0);
		bytes_done(&bytes);
	}
}

static void every_prefix_is_refused(void **state)
{
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct bytes bytes = everything(big_endian, 3);
		struct wg_error error;
		size_t length = bytes.length;

		for (bytes.length = 0; bytes.length < length; bytes.length++)
			check_status(read_bytes(&bytes, NULL, &error), WG_BAD_INPUT, &error);
		bytes_done(&bytes);
	}
}

static void keys_are_found(void **state)
{
	struct bytes bytes = everything(1, 3);
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_table_builder builder;
	struct wg_gguf_file file;
	struct wg_input input;
	struct wg_error error;
	double value = 0, values[3];
	size_t count = 0;

	wg_table_builder_init(&builder, arena, 0);
	wg_input_init_memory(&input, bytes.at, bytes.length, "t.gguf");
	check_status(wg_gguf_file_read(&input, arena, &builder, &file, &error), WG_OK, &error);
	assert_true(file.big_endian);
	assert_int_equal(file.alignment, 64);
	assert_string_equal(wg_gguf_text(&file, "scalar.8"), "value");
	assert_string_equal(wg_gguf_text(&file, "scalar.4"), "");
	assert_true(wg_gguf_number(&file, "scalar.11", &value) && value == 1);
	assert_false(wg_gguf_number(&file, "scalar.8", &value));
	assert_false(wg_gguf_number(&file, "none", &value));
	assert_true(wg_gguf_numbers(&file, "array.2", values, 3, &count));
	assert_int_equal(count, 3);
	check_close(values[2], 1, 0);
	assert_false(wg_gguf_numbers(&file, "array.2", values, 2, &count));
	assert_false(wg_gguf_numbers(&file, "array.8", values, 3, &count));
	wg_gguf_file_done(&file);
	wg_table_builder_done(&builder);
	wg_arena_free(arena);
	bytes_done(&bytes);
}

static void an_empty_dimension_is_an_empty_tensor(void **state)
{
	static const uint64_t shape[] = { 32, 0, 5 };
	struct bytes bytes = one_tensor(3, shape, 2, 0, 0);
	struct wg_tensor_table table;
	struct wg_error error;

	check_status(read_bytes(&bytes, &table, &error), WG_OK, &error);
	check_close(table.elements, 0, 0);
	check_close(table.bytes, 0, 0);
	bytes_done(&bytes);
}

/* --- known holes ----------------------------------------------------------------- */

/* CVE-2024-25664, -25665, CVE-2025-53630: counts that are believed. */
static void counts_are_compared_with_the_file(void **state)
{
	static const uint64_t counts[] = { UINT64_MAX, (uint64_t)1 << 63, 1000000000, 1,
		                           UINT64_MAX / 24 + 1 };

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct bytes bytes = { 0 };

		gguf_begin(&bytes, 3, counts[i], 0);
		check_refused(&bytes, WG_BAD_INPUT, "can hold");
		gguf_begin(&bytes, 3, 0, counts[i]);
		check_refused(&bytes, WG_BAD_INPUT, "can hold");
	}
}

static void more_keys_than_the_limit(void **state)
{
	struct bytes bytes = { 0 };

	gguf_begin(&bytes, 3, 0, WG_LIMIT_GGUF_KEYS + 1);
	put_zeros(&bytes, (WG_LIMIT_GGUF_KEYS + 1) * (size_t)14);
	check_refused(&bytes, WG_LIMIT, "at most");
}

/* CVE-2024-23496: a string of 2^64-1 bytes, whose length + 1 is 0. */
static void string_lengths(void **state)
{
	static const uint64_t lengths[] = { UINT64_MAX, (uint64_t)1 << 63, 1 << 30, 20 };

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct bytes bytes = { 0 };

		gguf_begin(&bytes, 3, 0, 1);
		put_integer(&bytes, lengths[i], 8);
		put_zeros(&bytes, 10);
		check_refused(&bytes, WG_BAD_INPUT,
		              lengths[i] > 65535 ? "at most 65535" : "beyond the end");
		gguf_begin(&bytes, 3, 0, 1);
		gguf_key(&bytes, "k", STRING);
		put_integer(&bytes, lengths[i], 8);
		put_zeros(&bytes, 10);
		check_refused(&bytes, WG_BAD_INPUT, "reaches beyond the end");
	}
}

/* CVE-2024-21836, -23605, -25667: count times item size wraps. */
static void array_lengths(void **state)
{
	static const uint64_t lengths[] = { UINT64_MAX, ((uint64_t)1 << 60) + 1, (uint64_t)1 << 61,
		                            1 << 30, 3 };

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (unsigned type = U8; type <= F64; type++) {
			struct bytes bytes = { 0 };

			if (type == ARRAY)
				continue;
			gguf_begin(&bytes, 3, 0, 1);
			gguf_array(&bytes, "k", type, lengths[i]);
			put_zeros(&bytes, 2);
			check_refused(&bytes, WG_BAD_INPUT, "reaches beyond the end");
		}
}

/* GGUF-PY-F001: arrays in arrays, 20,000 deep. */
static void nested_arrays(void **state)
{
	struct bytes bytes = { 0 };

	gguf_begin(&bytes, 3, 0, 1);
	gguf_array(&bytes, "k", ARRAY, 1);
	for (int i = 0; i < 20000; i++) {
		put_integer(&bytes, ARRAY, 4);
		put_integer(&bytes, 1, 8);
	}
	check_refused(&bytes, WG_BAD_INPUT, "nests arrays");
}

/* CVE-2024-21802: more dimensions than the array for them has room. */
static void ranks(void **state)
{
	static const uint64_t shape[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct bytes bytes = one_tensor(5, shape, 0, 0, 4);

	check_refused(&bytes, WG_BAD_INPUT, "5 dimensions");
	gguf_begin(&bytes, 3, 1, 0);
	put_text(&bytes, "a");
	put_integer(&bytes, UINT32_MAX, 4);
	put_zeros(&bytes, 64);
	check_refused(&bytes, WG_BAD_INPUT, "4294967295 dimensions");
}

/* CVE-2026-33298: elements or bytes wrap, a small buffer is left. */
static void sizes_that_wrap(void **state)
{
	static const struct {
		uint64_t shape[4];
		unsigned type;
		const char *words;
	} cases[] = {
		{ { (uint64_t)1 << 32, (uint64_t)1 << 32, 1, 1 }, 0, "impossible shape" },
		{ { (uint64_t)1 << 62, 4, 4, 1 }, 24, "impossible shape" },
		{ { (uint64_t)1 << 62, 4, 4, 0 }, 24, "impossible shape" },
		{ { (uint64_t)1 << 61, 1, 1, 1 }, 28, "impossible shape" },
		{ { 0x7FFFFFFFFFFFFFE0u, 1, 1, 1 }, 8, "impossible shape" },
		{ { INT64_MAX, 1, 1, 1 }, 24, "beyond 2^63" },
		{ { (uint64_t)1 << 40, 1, 1, 1 }, 24, "is cut off" },
		{ { UINT64_MAX, 1, 1, 1 }, 24, "negative dimension" },
		{ { 33, 1, 1, 1 }, 2, "no multiple of 32" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bytes bytes = one_tensor(4, cases[i].shape, cases[i].type, 0, 64);

		check_refused(&bytes, WG_BAD_INPUT, cases[i].words);
	}
}

/* CVE-2026-27940: the running sum of sizes wraps. */
static void sums_that_wrap(void **state)
{
	static const uint64_t shape[] = { 0x7FFFFFFFFFFFFFC0u };
	struct bytes bytes = { 0 };

	gguf_begin(&bytes, 3, 2, 0);
	gguf_tensor(&bytes, "a", 1, shape, 24, 0);
	gguf_tensor(&bytes, "b", 1, shape, 24, 0x7FFFFFFFFFFFFFC0u);
	gguf_pad(&bytes, 32);
	put_zeros(&bytes, 64);
	check_refused(&bytes, WG_BAD_INPUT, "beyond 2^63");
}

/* CVE-2026-7482: data outside the file; holes, overlaps, crooked places. */
static void offsets(void **state)
{
	static const uint64_t shape[] = { 8 };
	static const struct {
		uint64_t offset;
		const char *words;
	} cases[] = {
		{ (uint64_t)1 << 40, "0 is expected" },
		{ UINT64_MAX - 31, "0 is expected" },
		{ 7, "no multiple of 32" },
		{ 32, "0 is expected" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bytes bytes = one_tensor(1, shape, 0, cases[i].offset, 64);

		check_refused(&bytes, WG_BAD_INPUT, cases[i].words);
	}
	struct bytes bytes = { 0 };
	gguf_begin(&bytes, 3, 2, 0);
	gguf_tensor(&bytes, "a", 1, shape, 0, 0);
	gguf_tensor(&bytes, "b", 1, shape, 0, 0);
	gguf_pad(&bytes, 32);
	put_zeros(&bytes, 64);
	check_refused(&bytes, WG_BAD_INPUT, "32 is expected");
}

/* CVE-2024-42477: a type beyond the table; types that were taken back. */
static void tensor_types(void **state)
{
	static const uint64_t shape[] = { 256 };
	static const unsigned removed[] = { 4, 5, 31, 32, 33, 36, 37, 38 };
	static const unsigned unknown[] = { 43, 1000, UINT32_MAX, 0x80000000u };

	for (size_t i = 0; i < sizeof removed / sizeof *removed; i++) {
		struct bytes bytes = one_tensor(1, shape, removed[i], 0, 2048);

		check_refused(&bytes, WG_NOT_SUPPORTED, "was removed from the format");
	}
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		struct bytes bytes = one_tensor(1, shape, unknown[i], 0, 2048);

		check_refused(&bytes, WG_BAD_INPUT, "an unknown type");
	}
}

/* llama.cpp#24997, #26318; CVE-2025-0317: division by an alignment of 0. */
static void alignments(void **state)
{
	static const struct {
		unsigned type, value;
		enum wg_status status;
		const char *words;
	} cases[] = {
		{ U32, 0, WG_BAD_INPUT, "no power of two" },
		{ U32, 13, WG_BAD_INPUT, "no power of two" },
		{ U32, 0x80000000u, WG_LIMIT, "at most" },
		{ I32, 32, WG_BAD_INPUT, "not of type u32" },
		{ F32, 0x42000000, WG_BAD_INPUT, "not of type u32" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bytes bytes = { 0 };

		gguf_begin(&bytes, 3, 0, 1);
		gguf_key(&bytes, "general.alignment", cases[i].type);
		put_integer(&bytes, cases[i].value, 4);
		check_refused(&bytes, cases[i].status, cases[i].words);
	}
}

/* Names: empty, twice, with NUL, escapes or broken UTF-8, too long. */
static void names(void **state)
{
	static const struct {
		const char *name, *words;
	} keys[] = {
		{ "", "a key is empty" },
		{ "a\x1b[2J", "control characters" },
		{ "a\x7f", "control characters" },
		{ "a\xff", "valid UTF-8" },
	};
	static const uint64_t shape[] = { 8 };
	char longest[65];
	struct wg_error error;
	struct bytes bytes = { 0 };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		gguf_begin(&bytes, 3, 0, 1);
		gguf_u32(&bytes, keys[i].name, 1);
		put_zeros(&bytes, 8);
		check_refused(&bytes, WG_BAD_INPUT, keys[i].words);
	}
	gguf_begin(&bytes, 3, 0, 2);
	gguf_u32(&bytes, "a", 1);
	gguf_u32(&bytes, "a", 1);
	check_refused(&bytes, WG_BAD_INPUT, "two keys \"a\"");
	gguf_begin(&bytes, 3, 2, 0);
	gguf_tensor(&bytes, "a", 1, shape, 0, 0);
	gguf_tensor(&bytes, "a", 1, shape, 0, 32);
	gguf_pad(&bytes, 32);
	put_zeros(&bytes, 64);
	check_refused(&bytes, WG_BAD_INPUT, "two tensors \"a\"");
	for (size_t length = 63; length <= 64; length++) {
		memset(longest, 'n', sizeof longest);
		longest[length] = '\0';
		gguf_begin(&bytes, 3, 1, 0);
		gguf_tensor(&bytes, longest, 1, shape, 0, 0);
		gguf_pad(&bytes, 32);
		put_zeros(&bytes, 32);
		check_status(read_bytes(&bytes, NULL, &error), length == 63 ? WG_OK : WG_BAD_INPUT,
		             &error);
		bytes_done(&bytes);
	}
}

static void values(void **state)
{
	struct bytes bytes = { 0 };

	gguf_begin(&bytes, 3, 0, 1);
	gguf_key(&bytes, "k", 13);
	put_zeros(&bytes, 8);
	check_refused(&bytes, WG_BAD_INPUT, "unknown type 13");
	gguf_begin(&bytes, 3, 0, 1);
	gguf_key(&bytes, "k", UINT32_MAX);
	put_zeros(&bytes, 8);
	check_refused(&bytes, WG_BAD_INPUT, "unknown type");
	gguf_begin(&bytes, 3, 0, 1);
	gguf_key(&bytes, "k", BOOL);
	put_integer(&bytes, 2, 1);
	check_refused(&bytes, WG_BAD_INPUT, "not 0 or 1");
	gguf_begin(&bytes, 3, 0, 1);
	gguf_array(&bytes, "k", BOOL, 2);
	put_integer(&bytes, 0x0200, 2);
	check_refused(&bytes, WG_BAD_INPUT, "not 0 or 1");
}

static void headers(void **state)
{
	static const unsigned versions[] = { 0, 1, 4, 99, UINT32_MAX };
	struct bytes bytes = { 0 };

	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		gguf_begin(&bytes, versions[i], 0, 0);
		check_refused(&bytes, WG_NOT_SUPPORTED, "GGUF version");
	}
	gguf_begin(&bytes, 3, 0, 0);
	bytes.at[3] = 'f';
	check_refused(&bytes, WG_BAD_INPUT, "does not begin with \"GGUF\"");
	check_refused(&bytes, WG_BAD_INPUT, "0 bytes long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_has_its_size),
		cmocka_unit_test(versions_and_byte_orders),
		cmocka_unit_test(every_prefix_is_refused),
		cmocka_unit_test(keys_are_found),
		cmocka_unit_test(an_empty_dimension_is_an_empty_tensor),
		cmocka_unit_test(counts_are_compared_with_the_file),
		cmocka_unit_test(more_keys_than_the_limit),
		cmocka_unit_test(string_lengths),
		cmocka_unit_test(array_lengths),
		cmocka_unit_test(nested_arrays),
		cmocka_unit_test(ranks),
		cmocka_unit_test(sizes_that_wrap),
		cmocka_unit_test(sums_that_wrap),
		cmocka_unit_test(offsets),
		cmocka_unit_test(tensor_types),
		cmocka_unit_test(alignments),
		cmocka_unit_test(names),
		cmocka_unit_test(values),
		cmocka_unit_test(headers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
