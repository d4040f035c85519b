#include "whichgpu/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/i18n.h"

/* Fails with the path as the place. */
static enum wg_status fail_at(struct wg_error *error, const char *path, enum wg_status status,
                              const char *why)
{
	wg_error_set(error, status, "\"%s\" %s", path, why);
	wg_error_place(error, path, 0, 0, -1);
	return status;
}

static enum wg_status fail_errno(struct wg_error *error, int errno_value, const char *path,
                                 const char *what)
{
	if (errno_value == ENOENT || errno_value == ENOTDIR)
		return fail_at(error, path, WG_NOT_FOUND, _("does not exist"));
	enum wg_status status = wg_error_system(error, errno_value, what, path);
	wg_error_place(error, path, 0, 0, -1);
	return status;
}

/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
static enum wg_status open_regular(const char *path, int *ret_fd, off_t *ret_size,
                                   struct wg_error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return fail_errno(error, errno, path, _("opening"));
	struct stat stat_buffer;
	enum wg_status status = WG_OK;
	if (fstat(fd, &stat_buffer) != 0)
		status = fail_errno(error, errno, path, _("reading"));
	else if (S_ISDIR(stat_buffer.st_mode))
		status = fail_at(error, path, WG_BAD_INPUT, _("is a folder, not a file"));
	else if (!S_ISREG(stat_buffer.st_mode))
		status = fail_at(error, path, WG_BAD_INPUT, _("is a device or pipe, not a file"));
	if (status != WG_OK) {
		close(fd);
		return status;
	}
	*ret_fd = fd;
	*ret_size = stat_buffer.st_size;
	return WG_OK;
}

static enum wg_status fail_too_large(struct wg_error *error, const char *path, size_t limit_bytes)
{
	wg_error_set(error, WG_LIMIT, _("\"%s\" is larger than the limit of %zu bytes"), path,
	             limit_bytes);
	wg_error_place(error, path, 0, 0, -1);
	return WG_LIMIT;
}

/* Reads to the end, since the size of files in /proc is told as 0 and a file
 * may grow while it is read. */
static enum wg_status read_all(int fd, const char *path, size_t limit_bytes, size_t expected,
                               char **ret_bytes, size_t *ret_length, struct wg_error *error)
{
	size_t capacity = expected + 1, length = 0;
	char *bytes = malloc(capacity + 1);
	if (!bytes)
		return wg_error_no_memory(error);
	for (;;) {
		ssize_t count = read(fd, bytes + length, capacity - length);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0) {
			free(bytes);
			return fail_errno(error, errno, path, _("reading"));
		}
		if (count == 0)
			break;
		length += (size_t)count;
		if (length > limit_bytes) {
			free(bytes);
			return fail_too_large(error, path, limit_bytes);
		}
		if (length < capacity)
			continue;
		capacity = capacity < 4096 ? 8192 : capacity * 2;
		if (capacity > limit_bytes + 1)
			capacity = limit_bytes + 1;
		char *larger = realloc(bytes, capacity + 1);
		if (!larger) {
			free(bytes);
			return wg_error_no_memory(error);
		}
		bytes = larger;
	}
	bytes[length] = '\0';
	*ret_bytes = bytes;
	*ret_length = length;
	return WG_OK;
}

enum wg_status wg_file_read(const char *path, size_t limit_bytes, char **ret_bytes,
                            size_t *ret_length, struct wg_error *error)
{
	int fd = -1;
	off_t size = 0;
	if (limit_bytes > (size_t)SSIZE_MAX - 2)
		limit_bytes = (size_t)SSIZE_MAX - 2;
	enum wg_status status = open_regular(path, &fd, &size, error);
	if (status != WG_OK)
		return status;
	if ((uintmax_t)size > limit_bytes)
		status = fail_too_large(error, path, limit_bytes);
	else
		status =
			read_all(fd, path, limit_bytes, (size_t)size, ret_bytes, ret_length, error);
	close(fd);
	return status;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t count = write(fd, bytes, length);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -1;
		bytes += count;
		length -= (size_t)count;
	}
	return 0;
}

/* A device or pipe takes the bytes as they come: there is nothing to replace. */
static enum wg_status write_through(const char *path, const char *bytes, size_t length,
                                    struct wg_error *error)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return fail_errno(error, errno, path, _("opening"));
	enum wg_status status = WG_OK;
	if (write_all(fd, bytes, length) != 0)
		status = fail_errno(error, errno, path, _("writing"));
	if (close(fd) != 0 && status == WG_OK)
		status = fail_errno(error, errno, path, _("writing"));
	return status;
}

/* A rename lasts over a power cut only when the folder is written too. */
static void sync_folder(const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;
	if (length >= sizeof folder)
		return;
	memcpy(folder, path, length);
	folder[length] = '\0';
	const char *name = !slash ? "." : length == 0 ? "/" : folder;
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* A new file beside path; tries some names, as another run may be writing too. */
static int open_beside(const char *path, mode_t mode, char *name, size_t name_bytes)
{
	for (int attempt = 0; attempt < 100; attempt++) {
		int length =
			snprintf(name, name_bytes, "%s.%d-%d.tmp", path, (int)getpid(), attempt);
		if (length < 0 || (size_t)length >= name_bytes) {
			errno = ENAMETOOLONG;
			return -1;
		}
		int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static enum wg_status replace_file(const char *path, const struct stat *before, const char *bytes,
                                   size_t length, struct wg_error *error)
{
	char name[PATH_MAX];
	int fd = open_beside(path, 0666, name, sizeof name);
	if (fd < 0)
		return fail_errno(error, errno, path, _("writing"));
	int failed = 0;
	if (write_all(fd, bytes, length) != 0 ||
	    (before && fchmod(fd, before->st_mode & 07777) != 0) || fsync(fd) != 0)
		failed = errno;
	if (close(fd) != 0 && !failed)
		failed = errno;
	if (!failed && rename(name, path) != 0)
		failed = errno;
	if (failed) {
		unlink(name);
		return fail_errno(error, failed, path, _("writing"));
	}
	sync_folder(path);
	return WG_OK;
}

enum wg_status wg_file_write(const char *path, const char *bytes, size_t length,
                             struct wg_error *error)
{
	struct stat before;
	if (stat(path, &before) != 0) {
		if (errno != ENOENT)
			return fail_errno(error, errno, path, _("writing"));
		return replace_file(path, NULL, bytes, length, error);
	}
	if (S_ISDIR(before.st_mode))
		return fail_at(error, path, WG_BAD_INPUT, _("is a folder, not a file"));
	if (!S_ISREG(before.st_mode))
		return write_through(path, bytes, length, error);
	/* A link keeps pointing where it did: the file behind it is replaced. */
	char target[PATH_MAX];
	if (!realpath(path, target))
		return fail_errno(error, errno, path, _("writing"));
	return replace_file(target, &before, bytes, length, error);
}

bool wg_file_is_directory(const char *path)
{
	struct stat buffer;
	return stat(path, &buffer) == 0 && S_ISDIR(buffer.st_mode);
}

bool wg_file_exists(const char *path)
{
	struct stat buffer;
	return stat(path, &buffer) == 0;
}
