/* hf:ORG/NAME and ollama:NAME in the local stores of those programs. Layouts:
 * huggingface_hub, docs "Manage the huggingface_hub cache-system" (refs/REVISION
 * holds a commit, snapshots/COMMIT the files); ollama, docs/faq "Where are
 * models stored" (manifests/HOST/OWNER/NAME/TAG, blobs/sha256-HEX). */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/i18n.h"
#include "model/hf_fetch.h"
#include "whichgpu/file.h"
#include "whichgpu/json.h"

#define PATH_BYTES 4096
#define PART_BYTES 128
#define REF_BYTES 256

/* --- names ------------------------------------------------------------------- */

/* One part of a name: nothing that could leave a folder or mean an option. */
static bool is_part(const char *part, size_t length)
{
	if (length == 0 || length >= PART_BYTES || part[0] == '.' || part[0] == '-')
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)part[i]) && strchr("._-", part[i]) == NULL)
			return false;
	return true;
}

/* ORG/NAME[@REVISION]; NAME alone for the oldest models. */
static enum wg_status read_hf_name(const char *text, struct wg_hf_name *ret_name,
                                   struct wg_error *error)
{
	size_t length = strcspn(text, "@"), slash = strcspn(text, "/");
	struct wg_hf_name name = { .revision = "main" };
	const char *revision = text[length] == '@' ? text + length + 1 : "main";
	bool ok = slash < length
	                  ? is_part(text, slash) && is_part(text + slash + 1, length - slash - 1)
	                  : is_part(text, length);

	if (!ok || !is_part(revision, strlen(revision))) {
		wg_error_set(error, WG_BAD_INPUT, _("\"hf:%.100s\" is no model name"), text);
		wg_error_hint(error, _("write hf:ORG/NAME, as in hf:Qwen/Qwen3-8B"));
		return WG_BAD_INPUT;
	}
	snprintf(name.repository, sizeof name.repository, "%.*s", (int)length, text);
	snprintf(name.revision, sizeof name.revision, "%s", revision);
	*ret_name = name;
	return WG_OK;
}

/* --- Hugging Face cache ---------------------------------------------------------- */

/* VALUE, or VALUE/TAIL; false when the value is not set. */
static bool set_path(char *path, const char *value, const char *tail)
{
	return value != NULL && value[0] != '\0' &&
	       snprintf(path, PATH_BYTES, tail[0] != '\0' ? "%s/%s" : "%s%s", value, tail) <
	               PATH_BYTES;
}

static bool find_hub(char *path)
{
	return set_path(path, getenv("HF_HUB_CACHE"), "") ||
	       set_path(path, getenv("HUGGINGFACE_HUB_CACHE"), "") ||
	       set_path(path, getenv("HF_HOME"), "hub") ||
	       set_path(path, getenv("XDG_CACHE_HOME"), "huggingface/hub") ||
	       set_path(path, getenv("HOME"), ".cache/huggingface/hub");
}

/* "models--ORG--NAME" in the hub's folder. */
static bool repository_folder(const struct wg_hf_name *name, char *path)
{
	char hub[PATH_BYTES];
	const char *slash = strchr(name->repository, '/');
	int length;

	if (!find_hub(hub))
		return false;
	if (slash != NULL)
		length = snprintf(path, PATH_BYTES, "%s/models--%.*s--%s", hub,
		                  (int)(slash - name->repository), name->repository, slash + 1);
	else
		length = snprintf(path, PATH_BYTES, "%s/models--%s", hub, name->repository);
	return length < PATH_BYTES && wg_file_is_directory(path);
}

/* refs/REVISION holds the commit; a revision may also be a commit itself. */
static void find_commit(const char *folder, const char *revision, char commit[REF_BYTES])
{
	char path[PATH_BYTES], *text = NULL;
	size_t length;

	snprintf(commit, REF_BYTES, "%s", revision);
	if (snprintf(path, sizeof path, "%s/refs/%s", folder, revision) >= (int)sizeof path ||
	    wg_file_read(path, REF_BYTES - 1, &text, &length, NULL) != WG_OK)
		return;
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	if (is_part(text, length))
		snprintf(commit, REF_BYTES, "%s", text);
	free(text);
}

/* A snapshot counts when something in it says what the model is. */
static bool has_model(const char *snapshot)
{
	DIR *folder = opendir(snapshot);
	const struct dirent *entry;
	bool found = false;

	if (folder == NULL)
		return false;
	while (!found && (entry = readdir(folder)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');

		found = strcmp(entry->d_name, "config.json") == 0 ||
		        strcmp(entry->d_name, "model_index.json") == 0 ||
		        (dot != NULL &&
		         (strcmp(dot, ".safetensors") == 0 || strcmp(dot, ".gguf") == 0));
	}
	closedir(folder);
	return found;
}

/* The path of the snapshot in the local cache; false when there is none. */
static bool find_snapshot(const struct wg_hf_name *name, char *path)
{
	char folder[PATH_BYTES], commit[REF_BYTES];

	if (!repository_folder(name, folder))
		return false;
	find_commit(folder, name->revision, commit);
	return snprintf(path, PATH_BYTES, "%s/snapshots/%s", folder, commit) < PATH_BYTES &&
	       has_model(path);
}

/* HF_HUB_OFFLINE, as that program reads it. */
static bool is_offline(void)
{
	static const char *const yes[] = { "1", "on", "yes", "true" };
	const char *value = getenv("HF_HUB_OFFLINE");

	for (size_t i = 0; value != NULL && i < sizeof yes / sizeof *yes; i++)
		if (strcasecmp(value, yes[i]) == 0)
			return true;
	return false;
}

enum wg_status wg_location_find_hf(const char *text, bool offline, struct wg_arena *arena,
                                   struct wg_hf_files *ret_files, struct wg_error *error)
{
	struct wg_hf_name name;
	char path[PATH_BYTES];
	enum wg_status status = read_hf_name(text, &name, error);

	if (status != WG_OK)
		return status;
	if (find_snapshot(&name, path)) {
		const char *folder = wg_arena_strdup(arena, path);

		if (folder == NULL)
			return wg_error_no_memory(error);
		*ret_files = (struct wg_hf_files){ .folder = folder };
		return WG_OK;
	}
	if (!offline && !is_offline())
		return wg_hf_fetch(&name, arena, ret_files, error);
	wg_error_set(error, WG_NOT_FOUND,
	             _("\"%.200s\" is not in the local cache, and the network is "
	               "forbidden"),
	             name.repository);
	wg_error_hint(error, _("leave out --offline, or set HF_HUB_CACHE to the cache's folder"));
	return WG_NOT_FOUND;
}

/* --- Ollama -------------------------------------------------------------------------- */

struct ollama_name {
	char host[PART_BYTES], owner[PART_BYTES], model[PART_BYTES], tag[PART_BYTES];
};

/* [[HOST/]OWNER/]MODEL[:TAG] */
static bool read_ollama_name(const char *text, struct ollama_name *ret_name)
{
	char *parts[3] = { ret_name->host, ret_name->owner, ret_name->model };
	size_t length = strcspn(text, ":"), slashes = 0;

	snprintf(ret_name->host, PART_BYTES, "registry.ollama.ai");
	snprintf(ret_name->owner, PART_BYTES, "library");
	snprintf(ret_name->tag, PART_BYTES, "latest");
	for (size_t i = 0; i < length; i++)
		slashes += text[i] == '/';
	if (slashes > 2)
		return false;
	for (size_t i = 2 - slashes, at = 0; i < 3; i++) {
		size_t part = strcspn(text + at, "/:");

		if (!is_part(text + at, part))
			return false;
		snprintf(parts[i], PART_BYTES, "%.*s", (int)part, text + at);
		at += part + 1;
	}
	if (text[length] == '\0')
		return true;
	if (!is_part(text + length + 1, strlen(text + length + 1)))
		return false;
	snprintf(ret_name->tag, PART_BYTES, "%s", text + length + 1);
	return true;
}

/* The n-th place where the store may be. */
static bool ollama_store(int n, char *path)
{
	switch (n) {
	case 0:
		return set_path(path, getenv("OLLAMA_MODELS"), "");
	case 1:
		return set_path(path, getenv("HOME"), ".ollama/models");
	case 2:
		return set_path(path, "/usr/share/ollama/.ollama/models", "");
	default:
		return set_path(path, "/var/lib/ollama/models", "");
	}
}

/* "sha256:" and 64 hexadecimal digits, nothing else: it becomes a path. */
static bool is_digest(const char *digest)
{
	return strncmp(digest, "sha256:", 7) == 0 && strlen(digest) == 71 &&
	       strspn(digest + 7, "0123456789abcdef") == 64;
}

static enum wg_status read_manifest(const char *path, char digest[PART_BYTES],
                                    struct wg_error *error)
{
	struct wg_json *json = NULL;
	enum wg_status status = wg_json_open_file(path, WG_JSON_STRICT, &json, error);

	if (status != WG_OK)
		return status;
	struct wg_json_at root = wg_json_root(json), layers = wg_json_member(&root, "layers");
	digest[0] = '\0';
	for (size_t i = 0; i < wg_json_count(&layers) && digest[0] == '\0'; i++) {
		struct wg_json_at layer = wg_json_element(&layers, i);
		const char *type = "", *sum = "";

		wg_json_get_string(&layer, "mediaType", &type, NULL);
		wg_json_get_string(&layer, "digest", &sum, NULL);
		if (strcmp(type, "application/vnd.ollama.image.model") == 0 && is_digest(sum))
			snprintf(digest, PART_BYTES, "%s", sum);
	}
	if (digest[0] == '\0')
		status = wg_json_fail(&layers, error, WG_BAD_INPUT,
		                      _("the manifest names no model layer"));
	wg_json_free(json);
	return status;
}

enum wg_status wg_location_find_ollama(const char *text, struct wg_arena *arena,
                                       const char **ret_path, struct wg_error *error)
{
	struct ollama_name name;
	char store[PATH_BYTES], path[PATH_BYTES + 4 * PART_BYTES + 32], digest[PART_BYTES];

	if (!read_ollama_name(text, &name)) {
		wg_error_set(error, WG_BAD_INPUT, _("\"ollama:%.100s\" is no model name"), text);
		wg_error_hint(error,
		              _("write ollama:NAME or ollama:NAME:TAG, as in ollama:qwen3:8b"));
		return WG_BAD_INPUT;
	}
	for (int n = 0; n < 4; n++) {
		if (!ollama_store(n, store))
			continue;
		snprintf(path, sizeof path, "%s/manifests/%s/%s/%s/%s", store, name.host,
		         name.owner, name.model, name.tag);
		if (!wg_file_exists(path))
			continue;
		enum wg_status status = read_manifest(path, digest, error);
		if (status != WG_OK)
			return status;
		const char *blob = wg_arena_printf(arena, "%s/blobs/sha256-%s", store, digest + 7);
		if (blob == NULL)
			return wg_error_no_memory(error);
		*ret_path = blob;
		return WG_OK;
	}
	wg_error_set(error, WG_NOT_FOUND, _("\"ollama:%.100s\" is not in the local Ollama store"),
	             text);
	wg_error_hint(error,
	              _("run \"ollama pull %s\", or set OLLAMA_MODELS to the store's folder"),
	              text);
	return WG_NOT_FOUND;
}
