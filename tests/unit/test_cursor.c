#include "bytes.h"

#include "base/cursor.h"

static void integers_in_both_byte_orders(void **state)
{
	static const unsigned char data[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08 };
	struct wg_input input;
	struct wg_cursor cursor;
	uint8_t one;
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	wg_input_init_memory(&input, data, sizeof data, "memory");
	wg_cursor_init(&cursor, &input, 0, sizeof data, NULL);
	assert_true(wg_cursor_u8(&cursor, &one));
	assert_int_equal(one, 1);
	assert_true(wg_cursor_u16(&cursor, &two));
	assert_int_equal(two, 0x0302);
	cursor.big_endian = true;
	assert_true(wg_cursor_u32(&cursor, &four));
	assert_int_equal(four, 0x04050607);
	wg_cursor_init(&cursor, &input, 0, sizeof data, NULL);
	assert_true(wg_cursor_u64(&cursor, &eight));
	assert_true(eight == 0x0807060504030201u);
	assert_int_equal(wg_cursor_left(&cursor), 0);
}

static void the_end_is_an_error_and_moves_nothing(void **state)
{
	struct wg_error error;
	struct wg_input input;
	struct wg_cursor cursor;
	uint32_t four = 7;

	wg_error_init(&error);
	wg_input_init_memory(&input, "abc", 3, "short");
	wg_cursor_init(&cursor, &input, 0, 100, &error);
	assert_false(wg_cursor_u32(&cursor, &four));
	assert_int_equal(four, 7);
	assert_int_equal(cursor.position, 0);
	assert_int_equal(error.status, WG_BAD_INPUT);
	check_contains(error.message, "\"short\" is cut off");
	assert_false(wg_cursor_skip(&cursor, UINT64_MAX));
	assert_false(wg_cursor_skip_strings(&cursor, UINT64_MAX));
	assert_true(wg_cursor_skip(&cursor, 3));
	assert_false(wg_cursor_skip(&cursor, 1));
}

static void counts_are_compared_without_multiplying(void **state)
{
	struct wg_input input;
	struct wg_cursor cursor;

	wg_input_init_memory(&input, "0123456789", 10, "ten");
	wg_cursor_init(&cursor, &input, 0, 10, NULL);
	assert_true(wg_cursor_has(&cursor, 2, 5));
	assert_false(wg_cursor_has(&cursor, 3, 5));
	assert_false(wg_cursor_has(&cursor, UINT64_MAX / 4 + 1, 4)); /* the product wraps to 0 */
	assert_true(wg_cursor_has(&cursor, 0, 8));
}

static void checked_arithmetic(void **state)
{
	uint64_t value = 9;

	assert_false(wg_checked_multiply((uint64_t)1 << 32, (uint64_t)1 << 32, &value));
	assert_false(wg_checked_add(UINT64_MAX, 1, &value));
	assert_int_equal(value, 9);
	assert_true(wg_checked_multiply((uint64_t)1 << 32, ((uint64_t)1 << 32) - 1, &value));
	assert_true(value == 0xffffffff00000000u);
	assert_true(wg_checked_add(UINT64_MAX - 1, 1, &value));
	assert_true(value == UINT64_MAX);
}

/* Reads the same strings from a file through the window and from memory. */
static void strings_cross_the_window(void **state)
{
	struct bytes bytes = { 0 };
	struct folder folder;
	struct wg_input file, memory;
	struct wg_cursor cursor;
	static char text[70000];
	char path[1024];
	uint64_t last;
	enum { COUNT = 300 };

	memset(text, 'x', sizeof text);
	for (int i = 0; i < COUNT; i++) {
		size_t length = (size_t)(i * 7919 % 5000);
		if (i == 100)
			length = sizeof text;
		put_integer(&bytes, length, 8);
		put(&bytes, text, length);
	}
	put_integer(&bytes, 0x1122334455667788u, 8);
	folder_open(&folder);
	folder_write(&folder, "f", bytes.at, bytes.length);
	assert_int_equal(wg_input_open(folder_path(&folder, "f", path), &file, NULL), WG_OK);
	wg_input_init_memory(&memory, bytes.at, bytes.length, "memory");
	const struct wg_input *inputs[] = { &file, &memory };
	for (int i = 0; i < 2; i++) {
		wg_cursor_init(&cursor, inputs[i], 0, bytes.length, NULL);
		assert_true(wg_cursor_skip_strings(&cursor, COUNT));
		assert_true(wg_cursor_u64(&cursor, &last));
		assert_true(last == 0x1122334455667788u);
		assert_false(wg_cursor_skip_strings(&cursor, 1));
		wg_cursor_done(&cursor);
	}
	wg_input_done(&file);
	folder_done(&folder);
	bytes_done(&bytes);
}

static void what_is_no_file_is_refused(void **state)
{
	struct folder folder;
	struct wg_input input;
	struct wg_error error;
	char path[1024];

	folder_open(&folder);
	check_status(wg_input_open(folder.path, &input, &error), WG_BAD_INPUT, &error);
	check_contains(error.message, "a folder");
	assert_int_equal(mkfifo(folder_path(&folder, "pipe", path), 0600), 0);
	check_status(wg_input_open(path, &input, &error), WG_BAD_INPUT, &error);
	check_contains(error.message, "a named pipe");
	check_status(wg_input_open("/dev/zero", &input, &error), WG_BAD_INPUT, &error);
	check_contains(error.message, "a device");
	check_status(wg_input_open(folder_path(&folder, "none", path), &input, &error),
	             WG_NOT_FOUND, &error);
	folder_done(&folder);
}

static void a_file_that_shrinks_is_an_error(void **state)
{
	struct folder folder;
	struct wg_input input;
	struct wg_error error;
	static char data[100000];
	char path[1024];

	folder_open(&folder);
	folder_write(&folder, "f", data, sizeof data);
	assert_int_equal(wg_input_open(folder_path(&folder, "f", path), &input, &error), WG_OK);
	assert_int_equal(truncate(path, 10), 0);
	check_status(wg_input_read(&input, 0, data, sizeof data, &error), WG_SYSTEM, &error);
	check_contains(error.message, "became shorter");
	check_status(wg_input_check_size(&input, &error), WG_SYSTEM, &error);
	check_contains(error.message, "changed its size");
	check_status(wg_input_read(&input, 99999, data, 2, &error), WG_BAD_INPUT, &error);
	wg_input_done(&input);
	folder_done(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_in_both_byte_orders),
		cmocka_unit_test(the_end_is_an_error_and_moves_nothing),
		cmocka_unit_test(counts_are_compared_without_multiplying),
		cmocka_unit_test(checked_arithmetic),
		cmocka_unit_test(strings_cross_the_window),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(a_file_that_shrinks_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
