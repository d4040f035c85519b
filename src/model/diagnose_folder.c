/* Why a folder holds no usable model: decided by the names in it. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "model/readers.h"
#include "whichgpu/json.h"
#include "whichgpu/limits.h"

/* What was seen in the folder, as counts. */
enum kind {
	KIND_CONFIG,
	KIND_INDEX,
	KIND_SAFETENSORS,
	KIND_GGUF,
	KIND_PICKLE,
	KIND_ADAPTER,
	KIND_TOKENIZER,
	KIND_PARTIAL,
	KIND_GIT,
	KIND_CACHE,
	KIND_OTHER,
	KIND_COUNT
};

/* First match counts; a pattern that begins with '*' is a suffix, one that ends
 * with '*' a prefix. */
static const struct {
	const char *pattern;
	enum kind kind;
} patterns[] = {
	{ "config.json", KIND_CONFIG },
	{ "model_index.json", KIND_CONFIG },
	{ "adapter_config.json", KIND_ADAPTER },
	{ "adapter_model.safetensors", KIND_ADAPTER },
	{ "adapter_model.bin", KIND_ADAPTER },
	{ "*.index.json", KIND_INDEX },
	{ "*.incomplete", KIND_PARTIAL },
	{ "*.part", KIND_PARTIAL },
	{ "*.aria2", KIND_PARTIAL },
	{ "*.crdownload", KIND_PARTIAL },
	{ "*.safetensors", KIND_SAFETENSORS },
	{ "*.gguf", KIND_GGUF },
	{ "*.bin", KIND_PICKLE },
	{ "*.pt", KIND_PICKLE },
	{ "*.pth", KIND_PICKLE },
	{ "*.ckpt", KIND_PICKLE },
	{ "tokenizer*", KIND_TOKENIZER },
	{ "vocab*", KIND_TOKENIZER },
	{ "merges.txt", KIND_TOKENIZER },
	{ "special_tokens_map.json", KIND_TOKENIZER },
	{ "added_tokens.json", KIND_TOKENIZER },
	{ "chat_template*", KIND_TOKENIZER },
	{ "snapshots", KIND_CACHE },
	{ ".git", KIND_GIT },
};

static bool matches(const char *name, const char *pattern)
{
	size_t length = strlen(name), wanted = strlen(pattern);

	if (pattern[0] == '*')
		return length >= wanted - 1 &&
		       strcmp(name + length - (wanted - 1), pattern + 1) == 0;
	if (pattern[wanted - 1] == '*')
		return strncmp(name, pattern, wanted - 1) == 0;
	return strcmp(name, pattern) == 0;
}

static enum kind classify(const char *name)
{
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (matches(name, patterns[i].pattern))
			return patterns[i].kind;
	return KIND_OTHER;
}

static enum wg_status count_kinds(const char *path, unsigned counts[KIND_COUNT],
                                  struct wg_error *error)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	if (folder == NULL && errno == ENOENT)
		return wg_error_set(error, WG_NOT_FOUND, _("there is no folder \"%s\""), path);
	if (folder == NULL)
		return wg_error_system(error, errno, "opening", path);
	for (unsigned i = 0; i < WG_LIMIT_SHARDS && (entry = readdir(folder)) != NULL; i++)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			counts[classify(entry->d_name)]++;
	closedir(folder);
	return WG_OK;
}

static enum wg_status say_adapter(const char *path, struct wg_error *error)
{
	char file[4096];
	const char *base = NULL;
	struct wg_json *json = NULL;

	snprintf(file, sizeof file, "%s/adapter_config.json", path);
	if (wg_json_open_file(file, WG_JSON_ALLOW_NONFINITE, &json, NULL) == WG_OK) {
		struct wg_json_at root = wg_json_root(json);
		wg_json_get_string(&root, "base_model_name_or_path", &base, NULL);
	}
	if (base != NULL && base[0] != '\0') {
		wg_error_set(error, WG_NOT_SUPPORTED,
		             _("\"%.200s\" holds an adapter (LoRA) only; its base "
		               "model is \"%.200s\""),
		             path, base);
		wg_error_hint(error, _("give the base model: its size is what counts"));
	} else {
		wg_error_set(error, WG_NOT_SUPPORTED,
		             _("\"%.200s\" holds an adapter (LoRA) only and does not "
		               "say of which base model"),
		             path);
		wg_error_hint(error, _("give the folder of the base model"));
	}
	wg_json_free(json);
	return WG_NOT_SUPPORTED;
}

/* In order: the first row whose kind was seen says it. */
static const struct {
	enum kind kind;
	enum wg_status status;
	const char *words;
	const char *hint;
} reasons[] = {
	{ KIND_PARTIAL, WG_BAD_INPUT, "holds an unfinished download",
	  "finish the download, then try again" },
	{ KIND_SAFETENSORS, WG_NOT_FOUND, "has safetensors files but no config.json",
	  "put the model's config.json beside them, or give one of the files" },
	{ KIND_INDEX, WG_NOT_FOUND, "has an index but no config.json",
	  "put the model's config.json beside it, or give the index" },
	{ KIND_GGUF, WG_AMBIGUOUS, "has GGUF files but no config.json",
	  "give one of the .gguf files" },
	{ KIND_PICKLE, WG_NOT_SUPPORTED,
	  "has only pickle or PyTorch weights, which are never opened, "
	  "and no config.json",
	  "put the model's config.json beside them" },
	{ KIND_CACHE, WG_BAD_INPUT, "is a cache folder; the model is in one of its snapshots",
	  "write hf:ORG/NAME, or give the folder in snapshots/" },
	{ KIND_TOKENIZER, WG_NOT_FOUND, "holds a tokenizer only, no model",
	  "the folder with config.json is wanted" },
	{ KIND_GIT, WG_NOT_FOUND, "is a git repository with no model files checked out",
	  "run \"git checkout\" and \"git lfs pull\" in it" },
};

enum wg_status wg_diagnose_folder(const char *path, struct wg_error *error)
{
	unsigned counts[KIND_COUNT] = { 0 }, all = 0;
	enum wg_status status = count_kinds(path, counts, error);

	if (status != WG_OK)
		return status;
	for (int i = 0; i < KIND_COUNT; i++)
		all += counts[i];
	if (counts[KIND_ADAPTER] > 0 && counts[KIND_CONFIG] == 0)
		return say_adapter(path, error);
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		if (counts[reasons[i].kind] == 0)
			continue;
		wg_error_set(error, reasons[i].status, _("\"%s\" %s"), path, reasons[i].words);
		wg_error_hint(error, "%s", reasons[i].hint);
		wg_error_place(error, path, 0, 0, -1);
		return reasons[i].status;
	}
	wg_error_set(
		error, WG_NOT_FOUND,
		all == 0
			? _("the folder \"%s\" is empty")
			: _("\"%s\" has no model: no config.json, no index, no safetensors or GGUF file"),
		path);
	wg_error_place(error, path, 0, 0, -1);
	return WG_NOT_FOUND;
}
