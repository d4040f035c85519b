/* Every small valid or hostile file that the project shares has the outcome
 * its list wants. The list is not part of the project: skipped without it. */
#include "check.h"

#include "model/readers.h"
#include "whichgpu/file.h"
#include "whichgpu/json.h"
#include "whichgpu/model.h"

/* As JSON, and what the JSON layer cannot see, as a model. The small configs
 * lack most keys: a missing key is no refusal of what is there. */
static enum wg_status read_config(const char *path, struct wg_error *error)
{
	struct wg_json *json = NULL;
	struct wg_model *model = NULL;
	enum wg_status status = wg_json_open_file(path, WG_JSON_ALLOW_NONFINITE, &json, error);

	wg_json_free(json);
	if (status != WG_OK)
		return status;
	status = wg_model_open(path, NULL, &model, error);
	wg_model_free(model);
	if (status == WG_BAD_INPUT && strstr(error->message, "is missing") != NULL)
		return WG_OK;
	return status;
}

static enum wg_status read_one(const char *path, struct wg_error *error)
{
	const char *dot = strrchr(path, '.');
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_tensor_table table;
	struct wg_weight_index index;
	struct wg_gguf gguf;
	enum wg_status status;

	assert_non_null(arena);
	wg_error_init(error);
	if (strcmp(dot, ".gguf") == 0)
		status = wg_gguf_read(path, arena, &gguf, error);
	else if (strcmp(dot, ".safetensors") == 0)
		status = wg_safetensors_read_header(path, arena, &table, error);
	else if (strstr(path, "bad-config-") != NULL)
		status = read_config(path, error);
	else
		status = wg_safetensors_read_index(path, arena, &index, error);
	wg_arena_free(arena);
	return status;
}

/* No byte that a terminal obeys may reach a message. */
static void check_harmless(const char *text)
{
	for (; *text != '\0'; text++)
		assert_true((unsigned char)*text >= 0x20 && *text != 0x7f);
}

static bool check_row(const char *folder, char *line)
{
	char path[8192], *save = NULL;
	const char *name = strtok_r(line, "\t", &save);
	struct wg_error error;

	strtok_r(NULL, "\t", &save);
	const char *wanted = strtok_r(NULL, "\t", &save);
	bool must_accept = strncmp(wanted, "accept", 6) == 0 && strchr(wanted, '/') == NULL &&
	                   strstr(wanted, " or ") == NULL;
	bool must_refuse = strncmp(wanted, "reject", 6) == 0 && strstr(wanted, " or ") == NULL;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	enum wg_status status = read_one(path, &error);
	check_harmless(error.message);
	check_harmless(error.hint);
	print_message("%-36s %-24s %s: %s\n", name, wanted, wg_status_name(status),
	              status ? error.message : "");
	if ((must_accept && status != WG_OK) || (must_refuse && status == WG_OK))
		return false;
	return status == WG_OK || (error.status == status && error.message[0] != '\0' &&
	                           status != WG_NO_MEMORY && status != WG_SYSTEM);
}

static void rows_have_their_outcome(void **state)
{
	char path[8192], folder[4096], *text = NULL, *save = NULL;
	struct wg_error error;
	size_t length, rows = 0, wrong = 0;

	if (shared_path("models/files/made-here", folder, sizeof folder) == NULL)
		skip();
	snprintf(path, sizeof path, "%s/MANIFEST.tsv", folder);
	check_status(wg_file_read(path, 1 << 20, &text, &length, &error), WG_OK, &error);
	char *line = strtok_r(text, "\n", &save);
	assert_non_null(line); /* the heading */
	while ((line = strtok_r(NULL, "\n", &save)) != NULL) {
		rows++;
		wrong += !check_row(folder, line);
	}
	free(text);
	assert_true(rows > 90);
	assert_int_equal(wrong, 0);
}

/* Real files: whole ones are read, cut ones are refused with a reason. */
static void real_files(void **state)
{
	static const struct {
		const char *name;
		enum wg_status status;
		const char *words;
	} files[] = {
		{ "burn-multi_layer.safetensors", WG_OK, "" },
		{ "candle-csm-voices.safetensors", WG_OK, "" },
		{ "candle-encodec-jfk.safetensors", WG_OK, "" },
		{ "llama3.2-3b-layer0-input_layernorm.safetensors", WG_OK, "" },
		{ "vocab-bert-bge.gguf", WG_OK, "" },
		{ "vocab-llama-spm.gguf", WG_OK, "" },
		{ "vocab-phi-3.gguf", WG_OK, "" },
		{ "vocab-falcon.head4000.gguf", WG_BAD_INPUT, "beyond the end" },
		{ "vocab-gpt-2.head4000.gguf", WG_BAD_INPUT, "beyond the end" },
		{ "modelaudit-safe_model.head8192.safetensors", WG_BAD_INPUT, "is cut off" },
		{ "modelaudit-shell_commands.head8192.safetensors", WG_BAD_INPUT, "is cut off" },
		{ "lfs-pointer-not-weights.safetensors", WG_BAD_INPUT, "Git LFS pointer" },
		{ "symlink-text-not-weights.safetensors", WG_BAD_INPUT, "symbolic link" },
	};
	char folder[4096], path[8192];

	if (shared_path("models/files", folder, sizeof folder) == NULL)
		skip();
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct wg_error error;

		snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
		check_status(read_one(path, &error), files[i].status, &error);
		check_contains(error.message, files[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_their_outcome),
		cmocka_unit_test(real_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
