#include "check.h"

#include "whichgpu/json.h"

static void put_all(struct wg_json_writer *writer)
{
	wg_json_begin_object(writer, NULL);
	wg_json_put_string(writer, "name", "a\"b");
	wg_json_put_number(writer, "rate", 165.2e12);
	wg_json_put_integer(writer, "count", INT64_MIN);
	wg_json_put_bool(writer, "fits", true);
	wg_json_put_null(writer, "none");
	wg_json_begin_array(writer, "list");
	wg_json_put_number(writer, NULL, 0.5);
	wg_json_put_number(writer, NULL, NAN);
	wg_json_put_number(writer, NULL, INFINITY);
	wg_json_end_array(writer);
	wg_json_begin_object(writer, "empty");
	wg_json_end_object(writer);
	wg_json_end_object(writer);
}

static void one_line(void **state)
{
	struct wg_text out;
	struct wg_json_writer writer;
	wg_text_init(&out, 1000);
	wg_json_writer_init(&writer, &out, false);
	put_all(&writer);
	assert_string_equal(wg_text_string(&out),
	                    "{\"name\":\"a\\\"b\",\"rate\":165200000000000,"
	                    "\"count\":-9223372036854775808,\"fits\":true,\"none\":null,"
	                    "\"list\":[0.5,null,null],\"empty\":{}}");
	wg_text_done(&out);
}

static void indented(void **state)
{
	struct wg_text out;
	struct wg_json_writer writer;
	wg_text_init(&out, 1000);
	wg_json_writer_init(&writer, &out, true);
	wg_json_begin_object(&writer, NULL);
	wg_json_begin_array(&writer, "a");
	wg_json_put_integer(&writer, NULL, 1);
	wg_json_put_integer(&writer, NULL, 2);
	wg_json_end_array(&writer);
	wg_json_put_bool(&writer, "b", false);
	wg_json_end_object(&writer);
	assert_string_equal(wg_text_string(&out),
	                    "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": false\n}");
	wg_text_done(&out);
}

static void escapes(const char *value, const char *expected)
{
	struct wg_text out;
	struct wg_json_writer writer;
	wg_text_init(&out, 1000);
	wg_json_writer_init(&writer, &out, false);
	wg_json_put_string(&writer, NULL, value);
	assert_string_equal(wg_text_string(&out), expected);
	wg_text_done(&out);
}

static void strings_are_escaped_and_valid(void **state)
{
	escapes("", "\"\"");
	escapes("显卡 é", "\"显卡 é\"");
	escapes("\b\f\n\r\t\\", "\"\\b\\f\\n\\r\\t\\\\\"");
	escapes("\x01\x1b\x7f", "\"\\u0001\\u001b\\u007f\"");
	escapes("\xC2\x9B", "\"\\u009b\"");
	escapes("\xE2\x80\xAE", "\"\\u202e\"");
	escapes("a\xff", "\"a\xEF\xBF\xBD\"");
}

/* Any bytes as a text come back through the reader as valid UTF-8. */
static void what_is_written_reads_back(void **state)
{
	unsigned seed = 3;
	for (int round = 0; round < 5000; round++) {
		char value[9];
		for (size_t i = 0; i < 8; i++)
			value[i] = (char)((seed = seed * 1103515245u + 12345u) >> 16 | 1);
		value[8] = '\0';
		struct wg_text out;
		struct wg_json_writer writer;
		struct wg_json *json = NULL;
		struct wg_error error;
		const char *back = NULL;
		wg_text_init(&out, 1000);
		wg_json_writer_init(&writer, &out, round % 2);
		wg_json_begin_object(&writer, NULL);
		wg_json_put_string(&writer, "v", value);
		wg_json_end_object(&writer);
		check_status(wg_json_open(out.bytes, out.length, "t", 0, &json, &error), WG_OK,
		             &error);
		struct wg_json_at root = wg_json_root(json);
		check_status(wg_json_need_string(&root, "v", &back, &error), WG_OK, &error);
		if (wg_text_is_utf8(value, 8))
			assert_string_equal(back, value);
		wg_json_free(json);
		wg_text_done(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line),
		cmocka_unit_test(indented),
		cmocka_unit_test(strings_are_escaped_and_valid),
		cmocka_unit_test(what_is_written_reads_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
