#include "check.h"

#include <errno.h>

static void every_status_has_name_and_words(void **state)
{
	for (int i = 0; i < WG_STATUS_COUNT; i++) {
		assert_true(wg_status_name((enum wg_status)i)[0] != '\0');
		assert_true(wg_status_words((enum wg_status)i)[0] != '\0');
	}
	assert_string_equal(wg_status_name(WG_BAD_INPUT), "BAD_INPUT");
	assert_string_equal(wg_status_words(WG_LIMIT), "over a limit");
	assert_string_equal(wg_status_name((enum wg_status)99), "UNKNOWN");
}

static void set_clears_what_was_there(void **state)
{
	struct wg_error error;
	wg_error_init(&error);
	assert_int_equal(error.offset, -1);
	wg_error_place(&error, "f", 1, 2, 3);
	wg_error_path(&error, "a.b");
	wg_error_hint(&error, "try %d", 5);
	assert_string_equal(error.hint, "try 5");
	assert_int_equal(wg_error_set(&error, WG_LIMIT, "x \"%s\"", "y"), WG_LIMIT);
	assert_string_equal(error.message, "x \"y\"");
	assert_string_equal(error.hint, "");
	assert_string_equal(error.file, "");
	assert_string_equal(error.path, "");
	assert_int_equal(error.line, 0);
	assert_int_equal(error.offset, -1);
}

static void parts_of_a_place_are_kept(void **state)
{
	struct wg_error error;
	wg_error_init(&error);
	wg_error_place(&error, "f", 4, 0, -1);
	wg_error_place(&error, NULL, 0, 9, 100);
	assert_string_equal(error.file, "f");
	assert_int_equal(error.line, 4);
	assert_int_equal(error.column, 9);
	assert_int_equal(error.offset, 100);
}

static void no_error_is_allowed(void **state)
{
	assert_int_equal(wg_error_set(NULL, WG_SYSTEM, "x"), WG_SYSTEM);
	assert_int_equal(wg_error_no_memory(NULL), WG_NO_MEMORY);
	assert_int_equal(wg_error_system(NULL, EIO, "reading", "f"), WG_SYSTEM);
	wg_error_hint(NULL, "x");
	wg_error_place(NULL, "x", 1, 1, 1);
	wg_error_path(NULL, "x");
}

static void words_cannot_drive_a_terminal(void **state)
{
	struct wg_error error;
	wg_error_set(&error, WG_BAD_INPUT, "\"%s\"", "a\x1b[31mb\n\xff");
	assert_string_equal(error.message, "\"a?[31mb??\"");
}

static void long_words_end_at_a_character(void **state)
{
	char text[2000];
	for (size_t i = 0; i + 3 < sizeof text; i += 3)
		memcpy(text + i, "中", 3);
	text[1998] = '\0';
	struct wg_error error;
	wg_error_set(&error, WG_BAD_INPUT, "%s", text);
	assert_int_equal(strlen(error.message), 510);
	wg_error_set(&error, WG_BAD_INPUT, "%s", error.message);
	assert_int_equal(strlen(error.message), 510);
}

static void system_errors_say_why(void **state)
{
	struct wg_error error;
	assert_int_equal(wg_error_system(&error, ENOSPC, "writing", "f"), WG_SYSTEM);
	check_contains(error.message, "writing \"f\" failed: ");
	assert_int_equal(wg_error_system(&error, ENOMEM, "writing", "f"), WG_NO_MEMORY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_status_has_name_and_words),
		cmocka_unit_test(set_clears_what_was_there),
		cmocka_unit_test(parts_of_a_place_are_kept),
		cmocka_unit_test(no_error_is_allowed),
		cmocka_unit_test(words_cannot_drive_a_terminal),
		cmocka_unit_test(long_words_end_at_a_character),
		cmocka_unit_test(system_errors_say_why),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
