/* Reading at offsets with pread, see input.h for why nothing is mapped. */
#include "base/input.h"
#include "base/i18n.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_words(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a folder";
	if (S_ISFIFO(mode))
		return "a named pipe";
	if (S_ISCHR(mode) || S_ISBLK(mode))
		return "a device";
	if (S_ISSOCK(mode))
		return "a socket";
	return "not a plain file";
}

static enum wg_status refuse_kind(const char *path, mode_t mode, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT, _("\"%s\" is %s, not a file"), path, kind_words(mode));
	wg_error_place(error, path, 0, 0, -1);
	return WG_BAD_INPUT;
}

static enum wg_status fail_errno(const char *path, int number, struct wg_error *error)
{
	if (number != ENOENT && number != ENOTDIR)
		return wg_error_system(error, number, "opening", path);
	wg_error_set(error, WG_NOT_FOUND, _("there is no file \"%s\""), path);
	wg_error_place(error, path, 0, 0, -1);
	return WG_NOT_FOUND;
}

enum wg_status wg_input_open(const char *path, struct wg_input *ret_input, struct wg_error *error)
{
	struct stat facts;

	/* Looked at before it is opened, since opening a device can have effects,
	 * and again after, since the name may point elsewhere by then. */
	if (stat(path, &facts) != 0)
		return fail_errno(path, errno, error);
	if (!S_ISREG(facts.st_mode))
		return refuse_kind(path, facts.st_mode, error);
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0)
		return fail_errno(path, errno, error);
	if (fstat(file, &facts) != 0) {
		int number = errno;
		close(file);
		return fail_errno(path, number, error);
	}
	if (!S_ISREG(facts.st_mode)) {
		close(file);
		return refuse_kind(path, facts.st_mode, error);
	}
	*ret_input =
		(struct wg_input){ .name = path, .file = file, .bytes = (uint64_t)facts.st_size };
	return WG_OK;
}

void wg_input_init_memory(struct wg_input *input, const void *bytes, size_t length,
                          const char *name)
{
	static const unsigned char nothing[1];

	*input = (struct wg_input){
		.name = name, .memory = length ? bytes : nothing, .file = -1, .bytes = length
	};
}

void wg_input_done(struct wg_input *input)
{
	if (input->memory == NULL && input->file >= 0)
		close(input->file);
	input->file = -1;
	input->memory = NULL;
	input->bytes = 0;
}

/* Up to `length` bytes, fewer only at the end of the file; -1 and errno. */
static ssize_t read_at(const struct wg_input *input, uint64_t offset, void *target, size_t length)
{
	size_t got = 0;

	while (got < length) {
		ssize_t n = pread(input->file, (char *)target + got, length - got,
		                  (off_t)(offset + got));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

enum wg_status wg_input_read(const struct wg_input *input, uint64_t offset, void *target,
                             size_t length, struct wg_error *error)
{
	if (offset > input->bytes || length > input->bytes - offset) {
		wg_error_set(error, WG_BAD_INPUT,
		             _("\"%s\" ends at byte %llu, before what it declares"), input->name,
		             (unsigned long long)input->bytes);
		wg_error_place(error, input->name, 0, 0, (long long)input->bytes);
		return WG_BAD_INPUT;
	}
	if (input->memory != NULL) {
		memcpy(target, input->memory + offset, length);
		return WG_OK;
	}
	ssize_t got = read_at(input, offset, target, length);
	if (got < 0)
		return wg_error_system(error, errno, "reading", input->name);
	if ((size_t)got == length)
		return WG_OK;
	wg_error_set(error, WG_SYSTEM, _("\"%s\" became shorter while it was read"), input->name);
	wg_error_hint(error, _("wait until the program that writes it has finished"));
	wg_error_place(error, input->name, 0, 0, (long long)offset + got);
	return WG_SYSTEM;
}

size_t wg_input_peek(const struct wg_input *input, void *target, size_t length)
{
	if (length > input->bytes)
		length = (size_t)input->bytes;
	if (input->memory != NULL) {
		memcpy(target, input->memory, length);
		return length;
	}
	ssize_t got = read_at(input, 0, target, length);
	return got < 0 ? 0 : (size_t)got;
}

enum wg_status wg_input_check_size(const struct wg_input *input, struct wg_error *error)
{
	struct stat facts;

	if (input->memory != NULL)
		return WG_OK;
	if (fstat(input->file, &facts) != 0)
		return wg_error_system(error, errno, "reading", input->name);
	if ((uint64_t)facts.st_size == input->bytes)
		return WG_OK;
	wg_error_set(error, WG_SYSTEM, _("\"%s\" changed its size while it was read"), input->name);
	wg_error_hint(error, _("wait until the program that writes it has finished"));
	wg_error_place(error, input->name, 0, 0, -1);
	return WG_SYSTEM;
}
