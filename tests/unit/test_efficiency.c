/* The coefficient files: what is refused, that the built-in tables are the
 * files, and which row and engine a GPU gets. */
#include "check.h"

#include <unistd.h>

#include "estimate/efficiency_read.h"
#include "estimate_fixtures.h"
#include "whichgpu/arena.h"

static const char good_gpus[] =
	"{\"sources\":{\"s\":\"a source\"},\"rows\":[{\"match\":{\"vendor\":\"NVIDIA\"},"
	"\"coefficients\":{\"memory\":{\"value\":0.8,\"spread\":0.1,\"source\":\"s\"}}}]}";
static const char good_engines[] =
	"{\"sources\":{\"s\":\"a source\"},\"rows\":[{\"key\":\"one\",\"label\":\"One\","
	"\"tasks\":[\"serve\"],\"formats\":[\"bf16\"],\"vendors\":[\"NVIDIA\"],\"usual\":"
	"[{\"tasks\":[\"serve\"],\"match\":{}}],\"coefficients\":{}}]}";
static const char good_links[] =
	"{\"sources\":{\"s\":\"a source\"},\"rows\":[{\"key\":\"switch\",\"match\":{},"
	"\"start_s\":{\"value\":1e-6,\"source\":\"s\"},\"efficiency\":[0.8,0.8,0.8,0.8],"
	"\"spread\":0.1,\"source\":\"s\"}]}";

static void put_file(const char *folder, const char *name, const char *text)
{
	char path[300];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *folder, const char *name)
{
	char path[300];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	assert_int_equal(unlink(path), 0);
}

/* The status of reading these three files; error is filled in. */
static enum wg_status read_texts(const char *gpus, const char *engines, const char *links,
                                 struct wg_error *error)
{
	char folder[] = "/tmp/whichgpu-efficiency-XXXXXX";
	struct wg_arena *arena = wg_arena_open(0);
	struct efficiency efficiency;
	enum wg_status status;

	assert_non_null(mkdtemp(folder));
	put_file(folder, "gpus.json", gpus);
	put_file(folder, "engines.json", engines);
	put_file(folder, "links.json", links);
	wg_error_init(error);
	status = wg_efficiency_read(arena, folder, &efficiency, error);
	if (status == WG_OK) {
		assert_int_equal(efficiency.gpu_count, 1);
		check_close(efficiency.gpus[0].coefficients[GPU_MEMORY].value, 0.8, 0);
	}
	remove_file(folder, "gpus.json");
	remove_file(folder, "engines.json");
	remove_file(folder, "links.json");
	assert_int_equal(rmdir(folder), 0);
	wg_arena_free(arena);
	return status;
}

/* good_gpus with one piece of text replaced. */
static const char *changed(const char *text, const char *old, const char *new)
{
	static char buffer[2048];
	const char *at = strstr(text, old);

	assert_non_null(at);
	snprintf(buffer, sizeof buffer, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
	return buffer;
}

static void bad_files_are_refused(void **state)
{
	static const struct {
		const char *old, *new, *words;
	} gpus[] = {
		{ "0.8", "1.2", "not between 0 and 1" },
		{ "0.8", "0", "not between 0 and 1" },
		{ "\"memory\"", "\"memry\"", "unknown coefficient" },
		{ "\"source\":\"s\"", "\"source\":\"t\"", "is not listed" },
		{ ",\"source\":\"s\"", "", "" },
		{ "0.8", "\"0.8\"", "" },
		{ "\"vendor\":\"NVIDIA\"", "\"class\":\"toy\"", "unknown class" },
	};
	struct wg_error error;

	assert_int_equal(read_texts(good_gpus, good_engines, good_links, &error), WG_OK);
	for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
		assert_int_equal(read_texts(changed(good_gpus, gpus[i].old, gpus[i].new),
		                            good_engines, good_links, &error),
		                 WG_BAD_INPUT);
		check_contains(error.message, gpus[i].words);
		check_contains(error.file, "gpus.json");
	}
	assert_int_equal(
		read_texts(good_gpus, changed(good_engines, "serve", "dream"), good_links, &error),
		WG_BAD_INPUT);
	check_contains(error.message, "unknown task");
	assert_int_equal(
		read_texts(good_gpus, changed(good_engines, "bf16", "bf17"), good_links, &error),
		WG_BAD_INPUT);
	assert_int_equal(read_texts(good_gpus, changed(good_engines, "\"key\":\"one\",", ""),
	                            good_links, &error),
	                 WG_BAD_INPUT);
	assert_int_equal(
		read_texts(good_gpus, good_engines, changed(good_links, "0.8,", ""), &error),
		WG_BAD_INPUT);
	assert_int_equal(
		read_texts(good_gpus, good_engines, changed(good_links, "0.8,", "1.8,"), &error),
		WG_BAD_INPUT);
	assert_int_equal(read_texts("{", good_engines, good_links, &error), WG_BAD_INPUT);
}

static void tables_are_the_files(void **state)
{
	struct wg_arena *arena = wg_arena_open(0);
	const struct efficiency *tables = &wg_efficiency_builtin;
	struct efficiency files;
	struct wg_error error;

	wg_error_init(&error);
	check_status(wg_efficiency_read(arena, WG_SOURCE_ROOT "/data/efficiency", &files, &error),
	             WG_OK, &error);
	assert_int_equal(files.gpu_count, tables->gpu_count);
	assert_int_equal(files.engine_count, tables->engine_count);
	assert_int_equal(files.link_count, tables->link_count);
	for (size_t i = 0; i < files.gpu_count; i++)
		assert_memory_equal(files.gpus[i].coefficients, tables->gpus[i].coefficients,
		                    sizeof files.gpus[i].coefficients);
	for (size_t i = 0; i < files.engine_count; i++) {
		assert_string_equal(files.engines[i].key, tables->engines[i].key);
		assert_int_equal(files.engines[i].formats, tables->engines[i].formats);
		assert_int_equal(files.engines[i].variant_count, tables->engines[i].variant_count);
		assert_memory_equal(files.engines[i].coefficients, tables->engines[i].coefficients,
		                    sizeof files.engines[i].coefficients);
	}
	wg_arena_free(arena);
}

static void rows_go_from_one_gpu_to_all(void **state)
{
	struct wg_gpu gpu = gpu_of(&rtx_4090);
	const struct gpu_row *own = wg_efficiency_gpu(&wg_efficiency_builtin, &gpu), *kind, *any;

	gpu.id = "rtx-4999";
	kind = wg_efficiency_gpu(&wg_efficiency_builtin, &gpu);
	gpu.facts[WG_GPU_FACT_ARCHITECTURE].value = NULL;
	gpu.facts[WG_GPU_FACT_VENDOR].value = NULL;
	any = wg_efficiency_gpu(&wg_efficiency_builtin, &gpu);
	assert_true(own != NULL && kind != NULL && any != NULL);
	assert_true(own != kind && kind != any);
	/* the less is known, the wider the range */
	assert_true(own->tier_spread < kind->tier_spread);
	assert_true(kind->tier_spread < any->tier_spread);
}

static const char *usual(const struct gpu_facts *facts, enum wg_task task)
{
	struct wg_gpu gpu = gpu_of(facts);
	const struct engine_row *engine = wg_efficiency_usual(&wg_efficiency_builtin, &gpu, task);

	return engine != NULL ? engine->key : "";
}

static void usual_engines(void **state)
{
	struct wg_model *model = llama_8b();
	struct wg_work work = { .task = WG_TASK_SERVE };
	struct wg_estimator *estimator = NULL;
	struct wg_gpu gpu = gpu_of(&rtx_4090);

	assert_string_equal(usual(&h100, WG_TASK_SERVE), "vllm");
	assert_string_equal(usual(&rtx_4090, WG_TASK_SERVE), "vllm");
	assert_string_equal(usual(&h100, WG_TASK_TRAIN), "megatron");
	assert_string_equal(usual(&rtx_4090, WG_TASK_FINETUNE), "fsdp");
	assert_string_equal(usual(&rtx_4090, WG_TASK_QLORA), "hf");
	assert_string_equal(usual(&a100, WG_TASK_SCIENCE), "native");
	/* weights in a llama.cpp type */
	model->stored.method = "Q4_K_M";
	assert_int_equal(wg_estimator_open(model, &work, NULL, &estimator, NULL), WG_OK);
	assert_string_equal(wg_estimator_engine(estimator, &gpu), "llama.cpp");
	wg_estimator_free(estimator);
	wg_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_files_are_refused),
		cmocka_unit_test(tables_are_the_files),
		cmocka_unit_test(rows_go_from_one_gpu_to_all),
		cmocka_unit_test(usual_engines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
