#include "check.h"

#include "whichgpu/text.h"

static void ceiling_is_exact_and_failure_stays(void **state)
{
	struct wg_text text;
	wg_text_init(&text, 5);
	assert_string_equal(wg_text_string(&text), "");
	wg_text_add(&text, "hello");
	assert_false(text.failed);
	assert_string_equal(wg_text_string(&text), "hello");
	wg_text_add_char(&text, '!');
	assert_true(text.failed);
	assert_string_equal(wg_text_string(&text), "hello");
	wg_text_clear(&text);
	assert_string_equal(wg_text_string(&text), "");
	wg_text_add_repeated(&text, 'x', 6);
	assert_true(text.failed);
	wg_text_add(&text, "a");
	assert_string_equal(wg_text_string(&text), "");
	wg_text_done(&text);
	wg_text_done(&text);
}

static void pieces_join(void **state)
{
	struct wg_text text;
	wg_text_init(&text, 1 << 20);
	wg_text_printf(&text, "%s=%d", "a", 5);
	wg_text_add_repeated(&text, '-', 3);
	wg_text_add_bytes(&text, "xyz", 2);
	assert_string_equal(wg_text_string(&text), "a=5---xy");
	wg_text_printf(&text, "%5000d", 1);
	assert_int_equal(text.length, 5008);
	assert_false(text.failed);
	wg_text_done(&text);
}

static void columns_on_a_terminal(void **state)
{
	assert_int_equal(wg_text_width("abc"), 3);
	assert_int_equal(wg_text_width("显卡"), 4);
	assert_int_equal(wg_text_width("ＡＢ"), 4);
	assert_int_equal(wg_text_width("e\xCC\x81"), 1);
	assert_int_equal(wg_text_width("×é"), 2);
	assert_int_equal(wg_text_width("\xff\xfe"), 2);
	assert_int_equal(wg_text_width("한국"), 4);
	assert_int_equal(wg_text_width(""), 0);
}

static void prefix_does_not_cut_characters(void **state)
{
	assert_int_equal(wg_text_prefix("显卡", 1), 0);
	assert_int_equal(wg_text_prefix("显卡", 2), 3);
	assert_int_equal(wg_text_prefix("显卡", 3), 3);
	assert_int_equal(wg_text_prefix("显卡", 9), 6);
	assert_int_equal(wg_text_prefix("e\xCC\x81x", 1), 3);
	assert_int_equal(wg_text_prefix("abc", 2), 2);
}

static void utf8_is_checked_strictly(void **state)
{
	static const char *const bad[] = {
		"\x80",         "\xC0\xAF",     "\xC1\xBF",         "\xE0\x80\xAF",
		"\xED\xA0\x80", "\xF5\x80\x80", "\xF4\x90\x80\x80", "\xF0\x80\x80\x80",
		"\xE4\xB8",     "\xC3(",
	};
	static const char *const good[] = { "", "a", "é", "中", "😀", "\xF4\x8F\xBF\xBF" };
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(wg_text_is_utf8(bad[i], strlen(bad[i])));
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(wg_text_is_utf8(good[i], strlen(good[i])));
}

static void sanitized(const char *source, const char *expected)
{
	char target[64];
	size_t length = wg_text_sanitize(target, sizeof target, source, strlen(source));
	assert_int_equal(length, strlen(target));
	assert_string_equal(target, expected);
}

static void control_characters_are_replaced(void **state)
{
	sanitized("plain 显卡", "plain 显卡");
	sanitized("a\x1b[2Jb\x7f\r\n", "a?[2Jb???");
	sanitized("\xC2\x9B"
	          "31m",
	          "?31m");
	sanitized("x\xE2\x80\xAEy", "x?y");
	sanitized("\xff\xC3", "??");
	char small[4];
	assert_int_equal(wg_text_sanitize(small, sizeof small, "中文", 6), 3);
	assert_string_equal(small, "中");
	assert_int_equal(wg_text_sanitize(small, 1, "a", 1), 0);
	assert_int_equal(wg_text_sanitize(NULL, 0, "a", 1), 0);
}

static void distance_counts_edits(void **state)
{
	assert_int_equal(wg_text_distance("kitten", "sitting"), 3);
	assert_int_equal(wg_text_distance("", "abc"), 3);
	assert_int_equal(wg_text_distance("H100", "h100"), 0);
	assert_int_equal(wg_text_distance("h100", "h200"), 1);
	char long_text[400];
	memset(long_text, 'a', 399);
	long_text[399] = '\0';
	assert_int_equal(wg_text_distance(long_text, ""), 399);
	assert_int_equal(wg_text_distance(long_text, long_text), 288);
}

/* Cleaned text is always valid, clean, and no longer than its source. */
static void sanitizing_any_bytes_gives_clean_text(void **state)
{
	unsigned seed = 7;
	for (int round = 0; round < 20000; round++) {
		char source[12], target[16];
		for (size_t i = 0; i < sizeof source; i++)
			source[i] = (char)((seed = seed * 1103515245u + 12345u) >> 16);
		size_t length = wg_text_sanitize(target, sizeof target, source, sizeof source);
		assert_true(length <= sizeof source);
		assert_true(wg_text_is_utf8(target, length));
		for (size_t i = 0; i < length; i++)
			assert_true((unsigned char)target[i] >= 0x20 && target[i] != 0x7f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ceiling_is_exact_and_failure_stays),
		cmocka_unit_test(pieces_join),
		cmocka_unit_test(columns_on_a_terminal),
		cmocka_unit_test(prefix_does_not_cut_characters),
		cmocka_unit_test(utf8_is_checked_strictly),
		cmocka_unit_test(control_characters_are_replaced),
		cmocka_unit_test(distance_counts_edits),
		cmocka_unit_test(sanitizing_any_bytes_gives_clean_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
