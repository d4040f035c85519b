/* GPU files of the user: what is read, what is refused and where. */
#include "check.h"

#include <unistd.h>

#include "whichgpu/catalog.h"
#include "whichgpu/file.h"

static char folder[256];

static int make_folder(void **state)
{
	snprintf(folder, sizeof(folder), "%s/overlay-XXXXXX", WG_BUILD_ROOT);
	return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/a.json", folder);
	unlink(path);
	return rmdir(folder);
}

static enum wg_status open_with(const char *text, struct wg_catalog **ret_catalog,
                                struct wg_error *error)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/a.json", folder);
	assert_int_equal(wg_file_write(path, text, strlen(text), NULL), WG_OK);
	wg_error_init(error);
	return wg_catalog_open(folder, ret_catalog, error);
}

#define HEAD                                                                           \
	"\"id\": \"my-gpu\", \"name\": \"My GPU 40 GB\", \"class\": \"data-centre\", " \
	"\"link\": \"switch\", \"sources\": {\"my-sheet\": {\"title\": \"My sheet\", " \
	"\"reference\": \"a drawer\"}}"

static void a_new_gpu_is_added(void **state)
{
	static const char text[] =
		"{" HEAD ", \"aliases\": [\"mine\"], \"peer_over_pcie\": null, "
		"\"facts\": {\"vendor\": {\"value\": \"Me\", \"source\": \"my-sheet\", \"confidence\": "
		"\"high\"}}, \"figures\": {\"memory_bytes\": {\"value\": 4e10, \"source\": \"my-sheet\", "
		"\"confidence\": \"medium\", \"note\": \"weighed\", \"others\": [{\"value\": 3e10, "
		"\"source\": \"epoch-ml-hardware\", \"confidence\": \"low\"}]}}, "
		"\"dense_ops_per_s\": {\"fp8\": {\"absent\": true, \"source\": \"my-sheet\"}}}";
	const struct wg_gpu *gpu, *matched;
	struct wg_catalog *with, *without;
	struct wg_error error;

	assert_int_equal(wg_catalog_open(NULL, &without, NULL), WG_OK);
	check_status(open_with(text, &with, &error), WG_OK, &error);
	assert_int_equal(wg_catalog_count(with), wg_catalog_count(without) + 1);
	assert_int_equal(wg_catalog_source_count(with), wg_catalog_source_count(without) + 1);
	gpu = wg_catalog_find(with, "my-gpu");
	assert_non_null(gpu);
	assert_string_equal(gpu->name_zh, "My GPU 40 GB");
	assert_int_equal(gpu->link, WG_LINK_SWITCH);
	assert_int_equal(gpu->peer, WG_PEER_NOT_KNOWN);
	check_close(gpu->figures[WG_GPU_MEMORY].value, 4e10, 0);
	assert_string_equal(gpu->figures[WG_GPU_MEMORY].source->title, "My sheet");
	assert_string_equal(gpu->figures[WG_GPU_MEMORY].note, "weighed");
	assert_int_equal(gpu->figures[WG_GPU_MEMORY].other_count, 1);
	assert_int_equal(gpu->figures[WG_GPU_BANDWIDTH].state, WG_NOT_KNOWN);
	assert_int_equal(gpu->dense[WG_RATE_FP8].state, WG_ABSENT);
	assert_int_equal(gpu->dense[WG_RATE_FP16].state, WG_NOT_KNOWN);
	assert_int_equal(wg_catalog_match(with, "Mine", &matched, NULL), WG_OK);
	assert_ptr_equal(matched, gpu);
	assert_int_equal(wg_catalog_match(with, "RTX 4090", &matched, NULL), WG_OK);
	assert_string_equal(matched->id, "rtx-4090");
	wg_catalog_free(with);
	wg_catalog_free(without);
}

static void the_same_id_replaces(void **state)
{
	static const char text[] =
		"{\"id\": \"t4\", \"name\": \"T4 of mine\", \"class\": \"consumer\", "
		"\"link\": \"pcie\"}";
	struct wg_catalog *with, *without;
	struct wg_error error;

	assert_int_equal(wg_catalog_open(NULL, &without, NULL), WG_OK);
	check_status(open_with(text, &with, &error), WG_OK, &error);
	assert_int_equal(wg_catalog_count(with), wg_catalog_count(without));
	assert_string_equal(wg_catalog_find(with, "t4")->name, "T4 of mine");
	for (size_t i = 1; i < wg_catalog_count(with); i++)
		assert_true(strcmp(wg_catalog_at(with, i - 1)->id, wg_catalog_at(with, i)->id) < 0);
	wg_catalog_free(with);
	wg_catalog_free(without);
}

static void mistakes_are_named_with_their_place(void **state)
{
	static const struct {
		const char *text, *message, *path;
	} cases[] = {
		{ "{", "", "" },
		{ "[]", "id", "" },
		{ "{" HEAD ", \"colour\": 1}", "colour", "" },
		{ "{\"id\": \"My GPU\", \"name\": \"x\"}", "My GPU", "" },
		{ "{\"id\": \"a\", \"name\": \"x\", \"class\": \"toy\", \"link\": \"pcie\"}", "toy",
		  "" },
		{ "{" HEAD ", \"figures\": {\"memory\": {}}}", "figure", "figures.memory" },
		{ "{" HEAD
		  ", \"figures\": {\"memory_bytes\": {\"value\": -1, \"source\": \"my-sheet\", "
		  "\"confidence\": \"high\"}}}",
		  "", "figures.memory_bytes" },
		{ "{" HEAD
		  ", \"figures\": {\"memory_bytes\": {\"value\": 1, \"confidence\": \"high\"}}}",
		  "", "figures.memory_bytes" },
		{ "{" HEAD
		  ", \"figures\": {\"memory_bytes\": {\"value\": 1, \"source\": \"rumour\", "
		  "\"confidence\": \"high\"}}}",
		  "rumour", "figures.memory_bytes" },
		{ "{" HEAD
		  ", \"figures\": {\"memory_bytes\": {\"value\": 1, \"source\": \"my-sheet\", "
		  "\"confidence\": \"sure\"}}}",
		  "sure", "figures.memory_bytes" },
		{ "{" HEAD ", \"dense_ops_per_s\": {\"fp17\": {}}}", "figure",
		  "dense_ops_per_s.fp17" },
		{ "{" HEAD ", \"aliases\": [1]}", "name", "aliases" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wg_catalog *with = NULL;
		struct wg_error error;
		enum wg_status status = open_with(cases[i].text, &with, &error);

		if (status == WG_OK)
			print_error("case %zu was read\n", i);
		assert_int_not_equal(status, WG_OK);
		assert_null(with);
		check_contains(error.file, "a.json");
		check_contains(error.message, cases[i].message);
		check_contains(error.path, cases[i].path);
	}
}

static void a_missing_folder_is_said(void **state)
{
	struct wg_catalog *with = NULL;
	struct wg_error error;

	wg_error_init(&error);
	check_status(wg_catalog_open("/nonexistent/folder", &with, &error), WG_NOT_FOUND, &error);
	check_contains(error.message, "/nonexistent/folder");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_gpu_is_added),
		cmocka_unit_test(the_same_id_replaces),
		cmocka_unit_test(mistakes_are_named_with_their_place),
		cmocka_unit_test(a_missing_folder_is_said),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
