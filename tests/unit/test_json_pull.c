#include "check.h"

#include "base/json_pull.h"
#include "whichgpu/json.h"

/* Reads one value and the end; true when the text is one JSON value. */
static bool pull_accepts(const char *text, size_t length)
{
	struct wg_json_pull pull;
	char *copy = malloc(length + 1); /* exactly as long: ASan sees every step beyond */

	assert_non_null(copy);
	memcpy(copy, text, length);
	wg_json_pull_init(&pull, copy, length, "t", 0, NULL);
	bool ok = wg_json_pull_skip(&pull) && wg_json_pull_finish(&pull);
	free(copy);
	return ok;
}

static bool jansson_accepts(const char *text, size_t length)
{
	struct wg_json *json = NULL;
	bool ok = wg_json_open(text, length, "t", WG_JSON_STRICT, &json, NULL) == WG_OK;

	wg_json_free(json);
	return ok;
}

static const char *const texts[] = {
	"{}",
	"[]",
	"[1]",
	"[1,2]",
	"[1,]",
	"[,1]",
	"[1 2]",
	"{\"a\":1}",
	"{\"a\":1,}",
	"{\"a\" 1}",
	"{a:1}",
	"{\"a\":}",
	"[-0]",
	"[-]",
	"[01]",
	"[1.]",
	"[.5]",
	"[1e]",
	"[1e+]",
	"[1e5]",
	"[1E-5]",
	"[1.25e2]",
	"[+1]",
	"[0x1]",
	"[true,false,null]",
	"[tru]",
	"[True]",
	"[nul",
	"[\"\\n\\t\\\"\\\\\\/\\b\\f\\r\"]",
	"[\"\\x\"]",
	"[\"\\u00e9\"]",
	"[\"\\u12\"]",
	"[\"\\ud83d\\ude00\"]",
	"[\"\\ud83d\"]",
	"[\"\\ude00\"]",
	"[\"\\ud83dx\"]",
	"[\"\\ud83d\\u0041\"]",
	"[\"\\u0000\"]",
	"[\"a\nb\"]",
	"[\"\x01\"]",
	"[\"\x80\"]",
	"[\"\xc3\xa9\"]",
	"[\"\xc3\"]",
	"[\"\xed\xa0\x80\"]",
	"[\"\xf4\x90\x80\x80\"]",
	"[\"\xc0\x80\"]",
	"[\"abc",
	"[\"abc\\",
	"[",
	"{",
	"{\"a\"",
	"{\"a\":",
	"",
	" ",
	"[] x",
	" [ ] ",
	"[[[[]]]]",
	"[[[[]]]",
	"[}",
	"{]",
	"\"a",
	"[1]]",
	"[1e400]",
	"[NaN]",
	"[Infinity]",
	"// x\n[]",
	"[1/**/]",
	"['a']",
	"[\"\xef\xbb\xbf\"]",
};

/* The slow reader is the oracle. Objects and arrays only, as both take them. */
static void agrees_with_the_tree_reader(void **state)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		size_t length = strlen(texts[i]);

		if (pull_accepts(texts[i], length) == jansson_accepts(texts[i], length))
			continue;
		print_error("\"%s\": pull %d\n", texts[i], pull_accepts(texts[i], length));
		fail();
	}
}

/* Every one-byte change and every prefix of a text. */
static void agrees_on_damaged_texts(void **state)
{
	static const char good[] = "{\"a\":[1,-2.5e3,\"\\u00e9x\"],\"b\":{\"c\":null,\"d\":true}}";
	static const char changes[] = "{}[],:\"\\0-.e+ xu\x80\x1f";
	char text[sizeof good];

	for (size_t i = 0; i < sizeof good - 1; i++) {
		assert_false(pull_accepts(good, i));
		for (size_t j = 0; j < sizeof changes - 1; j++) {
			memcpy(text, good, sizeof good);
			text[i] = changes[j];
			if (pull_accepts(text, sizeof good - 1) ==
			    jansson_accepts(text, sizeof good - 1))
				continue;
			print_error("\"%s\": pull %d\n", text, pull_accepts(text, sizeof good - 1));
			fail();
		}
	}
}

static void strings_are_unescaped_in_place(void **state)
{
	char text[] = "[\"a\\u00e9\\ud83d\\ude00\\n\\/\",\"\"]";
	struct wg_json_string first = { 0 }, second = { 0 };
	struct wg_json_pull pull;
	bool more = false;

	wg_json_pull_init(&pull, text, sizeof text - 1, "t", 0, NULL);
	assert_true(wg_json_pull_begin(&pull, '['));
	assert_true(wg_json_pull_element(&pull, true, &more) && more);
	assert_true(wg_json_pull_string(&pull, &first));
	assert_true(wg_json_pull_element(&pull, false, &more) && more);
	assert_true(wg_json_pull_string(&pull, &second));
	assert_true(wg_json_pull_element(&pull, false, &more) && !more);
	assert_true(wg_json_pull_finish(&pull));
	assert_string_equal(first.bytes, "a\xc3\xa9\xf0\x9f\x98\x80\n/");
	assert_int_equal(first.length, 9);
	assert_string_equal(second.bytes, "");
}

static bool natural(const char *text, uint64_t *ret_value)
{
	struct wg_json_pull pull;
	char copy[64];

	snprintf(copy, sizeof copy, "%s", text);
	wg_json_pull_init(&pull, copy, strlen(copy), "t", 0, NULL);
	return wg_json_pull_natural(&pull, ret_value) && wg_json_pull_finish(&pull);
}

static void naturals_are_exact(void **state)
{
	uint64_t value = 0;

	assert_true(natural("18446744073709551615", &value) && value == UINT64_MAX);
	assert_true(natural("0", &value) && value == 0);
	assert_false(natural("18446744073709551616", &value));
	assert_false(natural("99999999999999999999", &value));
	assert_false(natural("-1", &value));
	assert_false(natural("1.5", &value));
	assert_false(natural("4e0", &value));
	assert_false(natural("01", &value));
	assert_false(natural("", &value));
}

static void depth_and_long_numbers_are_limited(void **state)
{
	static char deep[100000];
	struct wg_error error;
	struct wg_json_pull pull;

	memset(deep, '[', sizeof deep);
	wg_error_init(&error);
	wg_json_pull_init(&pull, deep, sizeof deep, "deep", 8, &error);
	assert_false(wg_json_pull_skip(&pull));
	assert_int_equal(error.status, WG_LIMIT);
	assert_string_equal(error.file, "deep");
	assert_int_equal(error.offset, 8 + 128);
	memset(deep, '1', sizeof deep);
	wg_json_pull_init(&pull, deep, sizeof deep, "long", 0, &error);
	assert_false(wg_json_pull_skip(&pull));
	assert_int_equal(error.status, WG_LIMIT);
	/* CVE-2023-26819 of another reader: a number token without end. */
	deep[0] = '[';
	deep[sizeof deep - 1] = ']';
	assert_false(jansson_accepts(deep, sizeof deep));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_tree_reader),
		cmocka_unit_test(agrees_on_damaged_texts),
		cmocka_unit_test(strings_are_unescaped_in_place),
		cmocka_unit_test(naturals_are_exact),
		cmocka_unit_test(depth_and_long_numbers_are_limited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
