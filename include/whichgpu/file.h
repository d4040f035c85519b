/* Whole files, with limits: refuses directories, FIFOs and devices, and files
 * over the limit, before memory is asked for. */
#ifndef WHICHGPU_FILE_H
#define WHICHGPU_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "whichgpu/status.h"

/* *ret_bytes is malloc'ed, NUL-terminated after length bytes; free() it. */
enum wg_status wg_file_read(const char *path, size_t limit_bytes, char **ret_bytes,
                            size_t *ret_length, struct wg_error *error);
/* Writes path.tmp in the same folder, syncs, renames: whole or not at all. */
enum wg_status wg_file_write(const char *path, const char *bytes, size_t length,
                             struct wg_error *error);
bool wg_file_is_directory(const char *path);
bool wg_file_exists(const char *path);

#endif
