/* What people have where a model should be, named by its name. */
#include "bytes.h"

#include "model/readers.h"

static void files(void **state)
{
	static const struct {
		const char *name, *text, *wanted;
		enum wg_status status;
		const char *words;
	} cases[] = {
		{ "lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 42\n",
		  "GGUF", WG_BAD_INPUT,
		  "Git LFS pointer, not the file itself (which has 42 bytes)" },
		{ "html", "<!DOCTYPE html>\n<html><title>Log in</title>", "safetensors",
		  WG_BAD_INPUT, "an HTML page, not safetensors" },
		{ "html2", "\xef\xbb\xbf \r\n<HTML lang=en>", "a config", WG_BAD_INPUT,
		  "an HTML page" },
		{ "xml", "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>", "GGUF",
		  WG_BAD_INPUT, "a server's error message" },
		{ "denied", "Access to model org/m is restricted. You must log in.", "safetensors",
		  WG_BAD_INPUT, "a server's error message" },
		{ "json", "{\"error\":\"Repository not found\"}", "safetensors", WG_BAD_INPUT,
		  "a server's error message" },
		{ "link", "../../blobs/58aa1873e05ce8e3da60b769f15a17f2f98a", "safetensors",
		  WG_BAD_INPUT, "text of a symbolic link" },
		{ "empty", "", "safetensors", WG_BAD_INPUT, "is empty" },
		{ "zip", "PK\3\4 archive/data.pkl", "safetensors", WG_NOT_SUPPORTED,
		  "can run code" },
		{ "pickle", "\x80\x02}q", "a config", WG_NOT_SUPPORTED, "can run code" },
		{ "gz", "\x1f\x8b\x08", "GGUF", WG_BAD_INPUT, "a packed archive" },
		{ "zst", "\x28\xb5\x2f\xfd", "GGUF", WG_BAD_INPUT, "a packed archive" },
		{ "ggml", "tjgg....", "GGUF", WG_NOT_SUPPORTED, "from before GGUF" },
		{ "gguf", "GGUF....", "safetensors", WG_BAD_INPUT, "is a GGUF file" },
		{ "esc", "404: Not Found \x1b[2J", "GGUF", WG_BAD_INPUT,
		  "a server's error message" },
	};
	struct folder folder;
	struct wg_error error;
	char path[1024];

	folder_open(&folder);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		folder_write_text(&folder, cases[i].name, cases[i].text);
		wg_error_init(&error);
		check_status(wg_diagnose_file(folder_path(&folder, cases[i].name, path),
		                              cases[i].wanted, &error),
		             cases[i].status, &error);
		check_contains(error.message, cases[i].words);
		assert_null(strchr(error.message, '\x1b'));
		assert_string_equal(error.file, path);
	}
	folder_done(&folder);
}

/* Nothing recognised: the reader's own sentence stays. */
static void what_is_not_recognised(void **state)
{
	static const char *const texts[] = { "GGUF",        "{\"model_type\":\"llama\"}",
		                             "hello world", "a/b/c",
		                             "-",           "\x01\x02\x03" };
	struct folder folder;
	struct wg_error error;
	char path[1024];

	folder_open(&folder);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		folder_write_text(&folder, "f", texts[i]);
		wg_error_set(&error, WG_LIMIT, "before");
		assert_int_equal(wg_diagnose_file(folder_path(&folder, "f", path), "GGUF", &error),
		                 WG_OK);
		assert_string_equal(error.message, "before");
	}
	assert_int_equal(wg_diagnose_file("/dev/zero", "GGUF", &error), WG_BAD_INPUT);
	folder_done(&folder);
}

static void folders(void **state)
{
	static const struct {
		const char *names[4];
		enum wg_status status;
		const char *words;
	} cases[] = {
		{ { NULL }, WG_NOT_FOUND, "is empty" },
		{ { "tokenizer.json", "tokenizer_config.json", "vocab.json", "merges.txt" },
		  WG_NOT_FOUND,
		  "a tokenizer only" },
		{ { "adapter_model.safetensors" }, WG_NOT_SUPPORTED, "an adapter (LoRA) only" },
		{ { "model.safetensors", "tokenizer.json" }, WG_NOT_FOUND, "no config.json" },
		{ { "model.safetensors.index.json" }, WG_NOT_FOUND, "an index but no config.json" },
		{ { "a.gguf", "b.gguf" }, WG_AMBIGUOUS, "GGUF files" },
		{ { "pytorch_model.bin" }, WG_NOT_SUPPORTED, "never opened" },
		{ { "model.safetensors.incomplete", "tokenizer.json" },
		  WG_BAD_INPUT,
		  "an unfinished download" },
		{ { "snapshots", "refs", "blobs" }, WG_BAD_INPUT, "a cache folder" },
		{ { ".git", "README.md" }, WG_NOT_FOUND, "a git repository" },
		{ { "README.md" }, WG_NOT_FOUND, "has no model" },
	};
	struct wg_error error;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct folder folder;

		folder_open(&folder);
		for (int j = 0; j < 4 && cases[i].names[j] != NULL; j++)
			folder_write_text(&folder, cases[i].names[j], "");
		check_status(wg_diagnose_folder(folder.path, &error), cases[i].status, &error);
		check_contains(error.message, cases[i].words);
		folder_done(&folder);
	}
	check_status(wg_diagnose_folder("/nowhere/at/all", &error), WG_NOT_FOUND, &error);
}

static void an_adapter_names_its_base(void **state)
{
	struct folder folder;
	struct wg_error error;

	folder_open(&folder);
	folder_write_text(&folder, "adapter_config.json",
	                  "{\"base_model_name_or_path\":\"meta-llama/Llama-3.1-8B\",\"r\":16}");
	check_status(wg_diagnose_folder(folder.path, &error), WG_NOT_SUPPORTED, &error);
	check_contains(error.message, "its base model is \"meta-llama/Llama-3.1-8B\"");
	folder_write_text(&folder, "adapter_config.json", "{broken");
	check_status(wg_diagnose_folder(folder.path, &error), WG_NOT_SUPPORTED, &error);
	check_contains(error.message, "does not say of which base model");
	folder_done(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(what_is_not_recognised),
		cmocka_unit_test(folders),
		cmocka_unit_test(an_adapter_names_its_base),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
