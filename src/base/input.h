/* A regular file (or bytes in memory) that is read at offsets, never mapped.
 *
 * Why not mmap: a file that another program cuts short under a map ends this
 * program with SIGBUS. pread() into our own memory turns that into an error,
 * costs one copy of the headers, and keeps memory in proportion to what is
 * read: weights are never touched.
 *
 * Plain value: _open / _done. `name` is not copied and must outlive it. */
#ifndef WG_BASE_INPUT_H
#define WG_BASE_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "whichgpu/status.h"

struct wg_input {
	const char *name;            /* shown in errors */
	const unsigned char *memory; /* NULL: a file */
	int file;                    /* -1: none */
	uint64_t bytes;              /* size when it was opened */
};

/* Refuses directories, FIFOs, sockets and devices without opening them for
 * longer than a look. WG_NOT_FOUND, WG_BAD_INPUT, WG_SYSTEM. */
enum wg_status wg_input_open(const char *path, struct wg_input *ret_input, struct wg_error *error);
/* Bytes that the caller keeps alive; cannot fail. */
void wg_input_init_memory(struct wg_input *input, const void *bytes, size_t length,
                          const char *name);
void wg_input_done(struct wg_input *input);

/* Exactly `length` bytes at `offset` into target, or an error: also when the
 * file has become shorter since it was opened. */
enum wg_status wg_input_read(const struct wg_input *input, uint64_t offset, void *target,
                             size_t length, struct wg_error *error);
/* As many of the first bytes as there are, at most `length`; returns how many. */
size_t wg_input_peek(const struct wg_input *input, void *target, size_t length);
/* Fails when the file's size is no longer what it was. */
enum wg_status wg_input_check_size(const struct wg_input *input, struct wg_error *error);

#endif
