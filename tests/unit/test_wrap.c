#include "check.h"

#include "report/wrap.h"
#include "whichgpu/text.h"

/* The lines of text, joined by '|'. */
static const char *lines(const char *text, size_t width)
{
	static char buffer[1024];
	size_t used = 0;
	bool first = true;

	while (text) {
		const char *line = text;
		size_t length = wrap_line(text, width, &text);

		used += (size_t)snprintf(buffer + used, sizeof buffer - used, "%s%.*s",
		                         first ? "" : "|", (int)length, line);
		first = false;
	}
	return buffer;
}

static void test_blanks(void **state)
{
	assert_string_equal(lines("one two three", 7), "one two|three");
	assert_string_equal(lines("one two three", 8), "one two|three");
	assert_string_equal(lines("one two three", 6), "one|two|three");
	assert_string_equal(lines("", 10), "");
	assert_string_equal(lines("a   b", 2), "a|b");
	assert_string_equal(lines("trailing   ", 20), "trailing");
}

static void test_long_words_are_broken(void **state)
{
	assert_string_equal(lines("abcdefgh", 3), "abc|def|gh");
	assert_string_equal(lines("x abcdefgh", 3), "x|abc|def|gh");
}

static void test_line_ends(void **state)
{
	assert_string_equal(lines("a\nb", 10), "a|b");
	assert_string_equal(lines("a\n\nb", 10), "a||b");
}

static void test_chinese(void **state)
{
	/* each character is two columns wide and a place to break */
	assert_string_equal(lines("显卡选择", 4), "显卡|选择");
	assert_string_equal(lines("显卡选择", 5), "显卡|选择");
	/* a full stop does not start a line: the character before it moves along */
	assert_string_equal(lines("显卡。选择", 4), "显|卡。|选择");
	assert_int_equal(wrap_longest_word("显卡 GPU"), 3);
	assert_int_equal(wrap_width("显卡a", strlen("显卡a")), 5);
}

static void test_counting(void **state)
{
	assert_int_equal(wrap_count("one two three", 7), 2);
	assert_int_equal(wrap_count("", 7), 1);
	assert_int_equal(wrap_longest_word("a bcd ef"), 3);
}

/* Whatever the bytes and the width: lines fit, and no text is lost. */
static void test_any_bytes(void **state)
{
	unsigned seed = 7;

	for (int round = 0; round < 5000; round++) {
		char text[64];
		size_t length = 0, seen = 0, wanted = 0, width;
		const char *rest = text;

		for (; length < 40; length++) {
			seed = seed * 1103515245u + 12345u;
			text[length] = "ab c显\xff\n-"[seed >> 16 & 7];
		}
		text[length] = '\0';
		width = 2 + (seed >> 20) % 20;
		while (rest) {
			const char *line = rest;
			size_t part = wrap_line(rest, width, &rest);

			assert_true(wrap_width(line, part) <= width);
			for (size_t i = 0; i < part; i++)
				seen += line[i] != ' ';
		}
		for (size_t i = 0; i < length; i++)
			wanted += text[i] != ' ' && text[i] != '\n';
		assert_int_equal(seen, wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blanks),    cmocka_unit_test(test_long_words_are_broken),
		cmocka_unit_test(test_line_ends), cmocka_unit_test(test_chinese),
		cmocka_unit_test(test_counting),  cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
