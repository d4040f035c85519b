/* What stands where a model should be: recognised by the first bytes of a file
 * or the names in a folder, said by name, with what to do about it. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "base/input.h"
#include "model/readers.h"

#define HEAD_BYTES 1024

/* The first bytes of a file, NUL-terminated. */
struct head {
	char bytes[HEAD_BYTES + 1];
	size_t length;
	uint64_t file_bytes;
	const char *path, *wanted;
};

static bool begins(const struct head *head, size_t at, const char *what, size_t length)
{
	return head->length >= at + length && memcmp(head->bytes + at, what, length) == 0;
}

/* --- git lfs ------------------------------------------------------------- */

static bool is_lfs_pointer(const struct head *head)
{
	static const char first[] = "version https://git-lfs.github.com/spec/";

	return begins(head, 0, first, sizeof first - 1);
}

static void say_lfs_pointer(const struct head *head, struct wg_error *error)
{
	const char *size = strstr(head->bytes, "\nsize ");
	unsigned long long bytes = size != NULL ? strtoull(size + 6, NULL, 10) : 0;

	if (bytes > 0)
		wg_error_set(error, WG_BAD_INPUT,
		             _("\"%s\" is a Git LFS pointer, not the file itself "
		               "(which has %llu bytes)"),
		             head->path, bytes);
	else
		wg_error_set(error, WG_BAD_INPUT,
		             _("\"%s\" is a Git LFS pointer, not the file itself"), head->path);
	wg_error_hint(error, _("run \"git lfs pull\" in its folder, or download the file again"));
}

/* --- pages and answers of servers ------------------------------------------ */

static bool is_html(const struct head *head)
{
	static const char *const tags[] = { "<!doctype html", "<html", "<head", "<!--", "<body" };
	const char *at = head->bytes;

	if (strncmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (isspace((unsigned char)*at))
		at++;
	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		size_t n = 0;

		while (tags[i][n] != '\0' && tolower((unsigned char)at[n]) == tags[i][n])
			n++;
		if (tags[i][n] == '\0')
			return true;
	}
	return false;
}

static void say_html(const struct head *head, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT, _("\"%s\" is an HTML page, not %s"), head->path,
	             head->wanted);
	wg_error_hint(error,
	              _("a download saved the server's page (log in, accept the licence, or use "
	                "the address with \"resolve\" instead of \"blob\")"));
}

static bool is_server_answer(const struct head *head)
{
	static const char *const words[] = {
		"Access to model",
		"Entry not found",
		"Repository not found",
		"Invalid username",
		"Invalid credentials",
		"{\"error\":",
		"<?xml",
		"Not Found",
		"404: Not Found",
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (begins(head, 0, words[i], strlen(words[i])))
			return true;
	return false;
}

static void say_server_answer(const struct head *head, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT,
	             _("\"%s\" is a server's error message, not %s: \"%.60s\""), head->path,
	             head->wanted, head->bytes);
	wg_error_hint(error,
	              _("the download failed; log in or correct the address, then download again"));
}

/* --- other things --------------------------------------------------------- */

static bool is_empty(const struct head *head)
{
	return head->file_bytes == 0;
}

static void say_empty(const struct head *head, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT, _("\"%s\" is empty"), head->path);
	wg_error_hint(error, _("the download has not begun or failed: download the file again"));
}

/* A checkout without symbolic links leaves the link's text: one path, no line end. */
static bool is_link_text(const struct head *head)
{
	bool slash = false;

	if (head->file_bytes > HEAD_BYTES || head->length < 3)
		return false;
	for (size_t i = 0; i < head->length; i++) {
		unsigned char c = (unsigned char)head->bytes[i];

		if (c == '\n' && i + 1 == head->length)
			break;
		if (c <= ' ' || c >= 0x7f || strchr("{}[]<>\"'=,;", c) != NULL)
			return false;
		slash |= c == '/';
	}
	return slash && (head->bytes[0] == '.' || head->bytes[0] == '/' ||
	                 strstr(head->bytes, "blobs/") != NULL);
}

static void say_link_text(const struct head *head, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT,
	             _("\"%s\" is the text of a symbolic link (to \"%.150s\"), not "
	               "the file it points to"),
	             head->path, head->bytes);
	wg_error_hint(error,
	              _("copy with the links followed (\"cp -L\", \"rsync -L\"), or switch on "
	                "core.symlinks in git"));
}

static bool is_pickle(const struct head *head)
{
	return begins(head, 0, "PK\3\4", 4) ||
	       (head->length >= 2 && (unsigned char)head->bytes[0] == 0x80 && head->bytes[1] >= 2 &&
	        head->bytes[1] <= 5);
}

static void say_pickle(const struct head *head, struct wg_error *error)
{
	wg_error_set(error, WG_NOT_SUPPORTED,
	             _("\"%s\" is a pickle or PyTorch file, which can run code "
	               "when it is loaded; it is not opened"),
	             head->path);
	wg_error_hint(error,
	              _("give the folder with its config.json (and index), or convert the weights "
	                "to safetensors"));
}

static bool is_packed(const struct head *head)
{
	return begins(head, 0, "\x1f\x8b", 2) || begins(head, 0, "\x28\xb5\x2f\xfd", 4) ||
	       begins(head, 0,
	              "\xfd"
	              "7zXZ",
	              5) ||
	       begins(head, 0, "7z\xbc\xaf", 4) || begins(head, 0, "BZh", 3) ||
	       begins(head, 257, "ustar", 5);
}

static void say_packed(const struct head *head, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT, _("\"%s\" is a packed archive, not %s"), head->path,
	             head->wanted);
	wg_error_hint(error, _("unpack it first"));
}

static bool is_old_ggml(const struct head *head)
{
	return begins(head, 0, "lmgg", 4) || begins(head, 0, "fmgg", 4) ||
	       begins(head, 0, "tjgg", 4) || begins(head, 0, "algg", 4);
}

static void say_old_ggml(const struct head *head, struct wg_error *error)
{
	wg_error_set(error, WG_NOT_SUPPORTED,
	             _("\"%s\" is in a GGML format from before GGUF (2023)"), head->path);
	wg_error_hint(error, _("download the model as GGUF"));
}

static bool is_gguf(const struct head *head)
{
	return begins(head, 0, "GGUF", 4) && strcmp(head->wanted, "GGUF") != 0;
}

static void say_gguf(const struct head *head, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT, _("\"%s\" is a GGUF file, not %s"), head->path,
	             head->wanted);
	wg_error_hint(error, _("give it a name that ends in .gguf"));
}

static bool is_safetensors(const struct head *head)
{
	return head->length > 8 && memcmp(head->bytes + 4, "\0\0\0", 4) == 0 &&
	       begins(head, 8, "{\"", 2) && strcmp(head->wanted, "safetensors") != 0;
}

static void say_safetensors(const struct head *head, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT, _("\"%s\" is a safetensors file, not %s"), head->path,
	             head->wanted);
	wg_error_hint(error, _("give it a name that ends in .safetensors"));
}

static const struct {
	bool (*is)(const struct head *head);
	void (*say)(const struct head *head, struct wg_error *error);
} kinds[] = {
	{ is_empty, say_empty },
	{ is_lfs_pointer, say_lfs_pointer },
	{ is_html, say_html },
	{ is_server_answer, say_server_answer },
	{ is_pickle, say_pickle },
	{ is_packed, say_packed },
	{ is_old_ggml, say_old_ggml },
	{ is_gguf, say_gguf },
	{ is_safetensors, say_safetensors },
	{ is_link_text, say_link_text },
};

enum wg_status wg_diagnose_file(const char *path, const char *wanted, struct wg_error *error)
{
	struct head head = { .path = path, .wanted = wanted };
	struct wg_error own;
	struct wg_input input;
	enum wg_status status = wg_input_open(path, &input, error);

	if (status != WG_OK)
		return status;
	head.length = wg_input_peek(&input, head.bytes, HEAD_BYTES);
	head.file_bytes = input.bytes;
	wg_input_done(&input);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!kinds[i].is(&head))
			continue;
		wg_error_init(&own);
		kinds[i].say(&head, &own);
		wg_error_place(&own, path, 0, 0, -1);
		if (error != NULL)
			*error = own;
		return own.status;
	}
	return WG_OK;
}
