/* Fails every allocation in turn: each call must end in WG_NO_MEMORY with its
 * outputs untouched, and leak nothing (which the run under ASan sees). The
 * linker wraps the allocators as our code calls them; what jansson and libcsv
 * allocate inside is granted. */
#include "check.h"

#include "cli/options.h"
#include "sample.h"
#include "whichgpu/arena.h"
#include "whichgpu/csv.h"
#include "whichgpu/json.h"
#include "whichgpu/map.h"
#include "whichgpu/svg.h"
#include "whichgpu/text.h"

static long allocations_left = -1; /* -1: as many as wanted */

static bool may_allocate(void)
{
	if (allocations_left < 0)
		return true;
	return allocations_left > 0 && allocations_left-- > 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *pointer, size_t size)
{
	return may_allocate() ? __real_realloc(pointer, size) : NULL;
}

char *__wrap_strdup(const char *text)
{
	return may_allocate() ? __real_strdup(text) : NULL;
}

typedef enum wg_status attempt(struct wg_error *error);

/* Runs with 0, 1, 2, ... allocations granted until it succeeds. */
static void fails_cleanly(attempt *run, long at_least)
{
	for (long granted = 0;; granted++) {
		struct wg_error error;
		wg_error_init(&error);
		allocations_left = granted;
		enum wg_status status = run(&error);
		allocations_left = -1;
		if (status == WG_OK) {
			assert_true(granted >= at_least);
			return;
		}
		check_status(status, WG_NO_MEMORY, &error);
		assert_int_equal(error.status, WG_NO_MEMORY);
		assert_true(granted < 10000);
	}
}

static const char json_text[] = "{\"a\":[1,2.5,\"x\",true,null,{\"b\":{}}],\"c\":[NaN,1e30],"
				"\"big\":100000000000000000000}";

static enum wg_status read_json(struct wg_error *error)
{
	struct wg_json *json = NULL;
	enum wg_status status = wg_json_open(json_text, strlen(json_text), "t",
	                                     WG_JSON_ALLOW_NONFINITE, &json, error);
	assert_true((json != NULL) == (status == WG_OK));
	wg_json_free(json);
	return status;
}

static void json_reading(void **state)
{
	fails_cleanly(read_json, 4);
}

static enum wg_status read_csv(struct wg_error *error)
{
	struct wg_csv *csv = NULL;
	static const char text[] = "a,b\n1,2\n\"x\",y\n";
	enum wg_status status = wg_csv_open(text, strlen(text), "t", &csv, error);
	assert_true((csv != NULL) == (status == WG_OK));
	wg_csv_free(csv);
	return status;
}

static void csv_reading(void **state)
{
	fails_cleanly(read_csv, 4);
}

static enum wg_status fill_arena(struct wg_error *error)
{
	struct wg_arena *arena = wg_arena_open(0);
	bool whole = arena != NULL;
	for (int i = 0; i < 100 && whole; i++)
		whole = wg_arena_printf(arena, "%500d", i) != NULL;
	wg_arena_free(arena);
	return whole ? WG_OK : wg_error_no_memory(error);
}

static void arena_filling(void **state)
{
	fails_cleanly(fill_arena, 3);
}

static enum wg_status fill_map(struct wg_error *error)
{
	static const char keys[] = "abcdefghijklmnopqrstuvwxyz";
	struct wg_map map;
	bool whole = true;
	wg_map_init(&map);
	for (size_t i = 0; i < 26 && whole; i++)
		whole = wg_map_put(&map, keys + i, 1, i, NULL);
	/* What went in before memory was out is still found. */
	for (size_t i = 0; i < map.count; i++)
		assert_true(wg_map_find(&map, keys + i, 1, NULL));
	wg_map_done(&map);
	return whole ? WG_OK : wg_error_no_memory(error);
}

static void map_filling(void **state)
{
	fails_cleanly(fill_map, 2);
}

static enum wg_status fill_text(struct wg_error *error)
{
	struct wg_text text;
	wg_text_init(&text, 100000);
	for (int i = 0; i < 100; i++)
		wg_text_printf(&text, "%50d", i);
	bool whole = !text.failed;
	assert_int_equal(text.length % 50, 0);
	wg_text_done(&text);
	return whole ? WG_OK : wg_error_no_memory(error);
}

static void text_filling(void **state)
{
	fails_cleanly(fill_text, 5);
}

static enum wg_report_format format;

static enum wg_status write_document(struct wg_error *error)
{
	struct wg_document *document = sample_document();
	struct wg_text out;
	wg_text_init(&out, 1 << 20);
	enum wg_status status = wg_document_write(document, format, NULL, &out, error);
	wg_text_done(&out);
	wg_document_free(document);
	return status;
}

static void document_writing(void **state)
{
	for (format = WG_REPORT_TEXT; format <= WG_REPORT_HTML; format++)
		fails_cleanly(write_document, 3);
}

static enum wg_status draw_chart(struct wg_error *error)
{
	static const char *const categories[] = { "one", "two" };
	static const double values[] = { 1, 2 }, x[] = { 3, 4 };
	static const struct wg_chart_series series[] = { { .name = "s",
		                                           .y = values,
		                                           .x = x,
		                                           .low = values,
		                                           .high = values,
		                                           .labels = categories,
		                                           .count = 2 } };
	struct wg_chart charts[4];
	struct wg_text out;
	for (int i = 0; i < 4; i++) {
		charts[i] = (struct wg_chart){ .kind = (enum wg_chart_kind)i,
			                       .title = "t",
			                       .categories = categories,
			                       .category_count = 2,
			                       .series = series,
			                       .series_count = 1 };
	}
	wg_text_init(&out, 1 << 20);
	enum wg_status status = wg_svg_write("title", charts, 4, 2, &out, error);
	wg_text_done(&out);
	return status;
}

static void chart_drawing(void **state)
{
	fails_cleanly(draw_chart, 1);
}

static enum wg_status parse_options(struct wg_error *error)
{
	static const struct wg_option rows[] = { { .name = "list", .kind = WG_OPTION_LIST } };
	struct wg_words list = { NULL, 0 }, words;
	struct option_set set = { rows, 1, &list, 0 };
	char program[] = "p", first[] = "--list=a,b", second[] = "--list=c";
	char *argv[] = { program, first, second, NULL };
	struct wg_arena *arena = wg_arena_open(1 << 20);
	enum wg_status status = arena ? wg_options_parse(3, argv, &set, 1, arena, &words, error)
	                              : wg_error_no_memory(error);
	wg_arena_free(arena);
	return status;
}

static void option_parsing(void **state)
{
	fails_cleanly(parse_options, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_reading),  cmocka_unit_test(csv_reading),
		cmocka_unit_test(arena_filling), cmocka_unit_test(map_filling),
		cmocka_unit_test(text_filling),  cmocka_unit_test(document_writing),
		cmocka_unit_test(chart_drawing), cmocka_unit_test(option_parsing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
