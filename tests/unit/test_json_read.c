#include "check.h"

#include "whichgpu/json.h"
#include "whichgpu/limits.h"

static struct wg_json *open_good(const char *text, unsigned flags)
{
	struct wg_json *json = NULL;
	struct wg_error error;
	check_status(wg_json_open(text, strlen(text), "t.json", flags, &json, &error), WG_OK,
	             &error);
	return json;
}

static struct wg_error open_bad(const char *text, size_t length, unsigned flags,
                                enum wg_status expected)
{
	struct wg_json *json = NULL;
	struct wg_error error;
	wg_error_init(&error);
	check_status(wg_json_open(text, length, "t.json", flags, &json, &error), expected, &error);
	assert_null(json);
	assert_string_equal(error.file, "t.json");
	return error;
}

static void values_by_key_and_number(void **state)
{
	struct wg_json *json = open_good("{\"a\":{\"b\":[1,2.0,\"x\",true,null]}}", 0);
	struct wg_json_at root = wg_json_root(json);
	struct wg_json_at a = wg_json_member(&root, "a");
	struct wg_json_at b = wg_json_member(&a, "b");
	struct wg_json_at item[6];
	int64_t integer = 0;
	bool yes = false;
	const char *text = NULL;
	for (size_t i = 0; i < 6; i++)
		item[i] = wg_json_element(&b, i);
	assert_int_equal(wg_json_count(&b), 5);
	assert_true(wg_json_as_integer(&item[0], &integer) && integer == 1);
	assert_true(wg_json_as_integer(&item[1], &integer) && integer == 2);
	assert_true(wg_json_as_string(&item[2], &text));
	assert_string_equal(text, "x");
	assert_true(wg_json_as_bool(&item[3], &yes) && yes);
	assert_int_equal(wg_json_type(&item[4]), WG_JSON_NULL);
	assert_int_equal(wg_json_type(&item[5]), WG_JSON_ABSENT);
	struct wg_json_at none = wg_json_member(&item[5], "z");
	assert_int_equal(wg_json_type(&none), WG_JSON_ABSENT);
	assert_false(wg_json_as_integer(&item[2], &integer));
	assert_false(wg_json_as_string(&item[0], &text));
	assert_int_equal(wg_json_count(&item[0]), 0);
	wg_json_free(json);
}

static void paths_name_every_step(void **state)
{
	struct wg_json *json = open_good("{\"a\":{\"b.c\":[0,{\"d\":1}]}}", 0);
	struct wg_json_at root = wg_json_root(json);
	struct wg_json_at a = wg_json_member(&root, "a");
	struct wg_json_at b = wg_json_member(&a, "b.c");
	struct wg_json_at item = wg_json_element(&b, 1);
	struct wg_error error;
	char path[64];
	int64_t value = 5;
	wg_json_path(&item, path, sizeof path);
	assert_string_equal(path, "a[\"b.c\"][1]");
	wg_json_path(&root, path, sizeof path);
	assert_string_equal(path, "");
	check_status(wg_json_need_integer(&item, "d", 2, 9, &value, &error), WG_BAD_INPUT, &error);
	assert_string_equal(error.path, "a[\"b.c\"][1].d");
	assert_string_equal(error.message, "\"d\" is 1, wanted 2 to 9");
	assert_string_equal(error.file, "t.json");
	assert_int_equal(value, 5);
	wg_json_path(&item, path, 4);
	assert_string_equal(path, "a[\"");
	wg_json_free(json);
}

static void getters_check_presence_type_and_range(void **state)
{
	struct wg_json *json =
		open_good("{\"i\":5,\"r\":1.5,\"s\":\"x\",\"t\":true,\"n\":null,\"big\":1e19}", 0);
	struct wg_json_at root = wg_json_root(json);
	struct wg_error error;
	int64_t i = 7;
	double r = 7;
	const char *s = "old";
	bool t = false;
	check_status(wg_json_need_integer(&root, "i", 5, 5, &i, &error), WG_OK, &error);
	assert_int_equal(i, 5);
	check_status(wg_json_need_integer(&root, "r", 0, 9, &i, &error), WG_BAD_INPUT, &error);
	assert_string_equal(error.message, "\"r\" is 1.5, wanted a whole number");
	check_status(wg_json_need_integer(&root, "big", 0, INT64_MAX, &i, &error), WG_BAD_INPUT,
	             &error);
	check_status(wg_json_need_integer(&root, "none", 0, 9, &i, &error), WG_BAD_INPUT, &error);
	assert_string_equal(error.message, "\"none\" is missing");
	check_status(wg_json_need_integer(&root, "n", 0, 9, &i, &error), WG_BAD_INPUT, &error);
	assert_string_equal(error.message, "\"n\" is null");
	check_status(wg_json_get_integer(&root, "none", 0, 9, &i, &error), WG_OK, &error);
	check_status(wg_json_get_integer(&root, "s", 0, 9, &i, &error), WG_BAD_INPUT, &error);
	assert_string_equal(error.message, "\"s\" is a text, wanted a whole number");
	assert_int_equal(i, 5);
	check_status(wg_json_need_number(&root, "r", 0, 2, &r, &error), WG_OK, &error);
	check_close(r, 1.5, 0);
	check_status(wg_json_get_number(&root, "r", 2, 3, &r, &error), WG_BAD_INPUT, &error);
	check_status(wg_json_get_number(&root, "n", 2, 3, &r, &error), WG_OK, &error);
	check_status(wg_json_need_string(&root, "s", &s, &error), WG_OK, &error);
	assert_string_equal(s, "x");
	check_status(wg_json_need_string(&root, "n", &s, &error), WG_BAD_INPUT, &error);
	check_status(wg_json_get_string(&root, "i", &s, &error), WG_BAD_INPUT, &error);
	check_status(wg_json_get_bool(&root, "t", &t, &error), WG_OK, &error);
	assert_true(t);
	check_status(wg_json_get_bool(&root, "i", &t, &error), WG_BAD_INPUT, &error);
	check_status(wg_json_need_integer(&root, "zz", 0, 1, &i, NULL), WG_BAD_INPUT, &error);
	wg_json_free(json);
}

static void members_come_in_file_order(void **state)
{
	struct wg_json *json = open_good("{\"z\":{\"p\":1,\"q\":2},\"a\":{\"r\":3},\"m\":{}}", 0);
	struct wg_json_at root = wg_json_root(json);
	struct wg_text seen;
	wg_text_init(&seen, 1000);
	for (size_t i = 0; i < wg_json_count(&root); i++) {
		const char *key, *inner_key;
		struct wg_json_at outer = wg_json_member_at(&root, i, &key);
		wg_text_printf(&seen, "%s(", key);
		for (size_t j = 0; j < wg_json_count(&outer); j++) {
			wg_json_member_at(&outer, j, &inner_key);
			wg_text_add(&seen, inner_key);
		}
		wg_text_add(&seen, ")");
	}
	assert_string_equal(wg_text_string(&seen), "z(pq)a(r)m()");
	const char *key = "unset";
	struct wg_json_at again = wg_json_member_at(&root, 1, &key);
	assert_string_equal(key, "a");
	again = wg_json_member_at(&root, 3, &key);
	assert_null(key);
	assert_null(again.value);
	wg_text_done(&seen);
	wg_json_free(json);
}

static void bad_texts_say_line_and_column(void **state)
{
	static const struct {
		const char *text;
		long line;
		const char *part;
	} cases[] = {
		{ "", 1, "not valid JSON" },
		{ "{\n\"a\": 1,\n}", 3, "not valid JSON" },
		{ "{\"a\":1,\"a\":2}", 1, "duplicate" },
		{ "[1,2] x", 1, "end of file" },
		{ "5", 1, "expected" },
		{ "[1e400]", 1, "overflow" },
		{ "[\"\\u0000\"]", 1, "u0000" },
		{ "[NaN]", 1, "near" },
		{ "[\"\xff\"]", 1, "decode byte" },
		{ "['a']", 1, "near" },
		{ "[\"a", 1, "premature end" },
		{ "[\"\\", 1, "not valid JSON" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct wg_error error =
			open_bad(cases[i].text, strlen(cases[i].text), 0, WG_BAD_INPUT);
		assert_int_equal(error.line, cases[i].line);
		check_contains(error.message, cases[i].part);
		assert_true(error.offset >= 0);
	}
}

static void depth_limit_is_exact(void **state)
{
	char text[2 * WG_LIMIT_JSON_DEPTH + 8];
	for (int more = 0; more < 2; more++) {
		size_t depth = WG_LIMIT_JSON_DEPTH + (size_t)more;
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		text[2 * depth] = '\0';
		if (!more) {
			wg_json_free(open_good(text, 0));
			continue;
		}
		struct wg_error error = open_bad(text, 2 * depth, 0, WG_LIMIT);
		assert_int_equal(error.column, WG_LIMIT_JSON_DEPTH + 1);
	}
	/* Brackets inside texts nest nothing. */
	memset(text, '[', 200);
	text[1] = '"';
	text[199] = '"';
	text[200] = ']';
	text[201] = '\0';
	wg_json_free(open_good(text, 0));
}

static void value_limit_is_exact(void **state)
{
	size_t count = WG_LIMIT_JSON_VALUES - 1;
	char *text = malloc(2 * count + 8);
	for (size_t i = 0; i < count; i++) {
		text[2 * i] = i ? ',' : '[';
		text[2 * i + 1] = '1';
	}
	text[2 * count] = ']';
	text[2 * count + 1] = '\0';
	wg_json_free(open_good(text, 0));
	memcpy(text + 2 * count, ",1]", 4);
	open_bad(text, 2 * count + 3, 0, WG_LIMIT);
	free(text);
}

static void byte_limit_comes_before_reading(void **state)
{
	/* The text is not touched: its pointer leads nowhere. */
	open_bad((const char *)(uintptr_t)16, WG_LIMIT_JSON_BYTES + 1, 0, WG_LIMIT);
}

static void infinity_and_nan_where_allowed(void **state)
{
	const char *text = "{\"a\":[Infinity,-Infinity,NaN,1.5],\"s\":\"NaN Infinity\",\n"
			   "\"t\\\"NaN\":\"Infinity\"}";
	open_bad(text, strlen(text), 0, WG_BAD_INPUT);
	struct wg_json *json = open_good(text, WG_JSON_ALLOW_NONFINITE);
	struct wg_json_at root = wg_json_root(json);
	struct wg_json_at list = wg_json_member(&root, "a");
	double value[4];
	int64_t integer;
	for (size_t i = 0; i < 4; i++) {
		struct wg_json_at item = wg_json_element(&list, i);
		assert_int_equal(wg_json_type(&item), WG_JSON_NUMBER);
		assert_true(wg_json_as_number(&item, &value[i]));
		assert_false(wg_json_as_integer(&item, &integer));
	}
	assert_true(isinf(value[0]) && value[0] > 0);
	assert_true(isinf(value[1]) && value[1] < 0);
	assert_true(isnan(value[2]));
	struct wg_error error;
	const char *string = NULL;
	check_status(wg_json_need_string(&root, "s", &string, &error), WG_OK, &error);
	assert_string_equal(string, "NaN Infinity");
	check_status(wg_json_need_string(&root, "t\"NaN", &string, &error), WG_OK, &error);
	assert_string_equal(string, "Infinity");
	wg_json_free(json);
	const char *broken = "{\"a\": Infinity,\n \"b\": oops}";
	error = open_bad(broken, strlen(broken), WG_JSON_ALLOW_NONFINITE, WG_BAD_INPUT);
	assert_int_equal(error.line, 2);
	open_bad("[NaNa]", 6, WG_JSON_ALLOW_NONFINITE, WG_BAD_INPUT);
	open_bad("[Infinity5]", 11, WG_JSON_ALLOW_NONFINITE, WG_BAD_INPUT);
}

static void too_large_integers_become_reals(void **state)
{
	struct wg_json *json = open_good(
		"{\"limit\":1000000000000000019884624838656,\"n\":80,\"m\":18446744073709551615}",
		0);
	struct wg_json_at root = wg_json_root(json);
	struct wg_error error;
	double limit = 0;
	int64_t n = 0;
	check_status(wg_json_need_number(&root, "limit", 0, 1e40, &limit, &error), WG_OK, &error);
	check_close(limit, 1e30, 1e-15);
	check_status(wg_json_need_integer(&root, "n", 0, 100, &n, &error), WG_OK, &error);
	assert_int_equal(n, 80);
	check_status(wg_json_need_integer(&root, "m", 0, INT64_MAX, &n, &error), WG_BAD_INPUT,
	             &error);
	wg_json_free(json);
}

static void mark_at_the_front_is_skipped(void **state)
{
	wg_json_free(open_good("\xEF\xBB\xBF{}", 0));
	struct wg_error error = open_bad("\xEF\xBB\xBF[x", 5, 0, WG_BAD_INPUT);
	assert_true(error.offset >= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_by_key_and_number),
		cmocka_unit_test(paths_name_every_step),
		cmocka_unit_test(getters_check_presence_type_and_range),
		cmocka_unit_test(members_come_in_file_order),
		cmocka_unit_test(bad_texts_say_line_and_column),
		cmocka_unit_test(depth_limit_is_exact),
		cmocka_unit_test(value_limit_is_exact),
		cmocka_unit_test(byte_limit_comes_before_reading),
		cmocka_unit_test(infinity_and_nan_where_allowed),
		cmocka_unit_test(too_large_integers_become_reals),
		cmocka_unit_test(mark_at_the_front_is_skipped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
