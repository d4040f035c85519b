/* Statuses and errors.
 *
 * Every library call that can fail returns enum wg_status and takes a
 * struct wg_error * last (NULL allowed). On failure the error says what failed
 * in one sentence, where, and what to try; outputs are left untouched.
 * struct wg_error is a plain value owned by the caller: nothing to free. */
#ifndef WHICHGPU_STATUS_H
#define WHICHGPU_STATUS_H

#include <stdarg.h>

enum wg_status {
#define WG_STATUS(name, words) WG_##name,
#include "whichgpu/statuses.def"
#undef WG_STATUS
	WG_STATUS_COUNT
};

struct wg_error {
	enum wg_status status;
	char message[512];   /* lower case, subject in quotes, no full stop */
	char hint[512];      /* what to try; empty when there is none */
	char file[256];      /* file or option name; empty when not known */
	char path[256];      /* JSON path such as "text_config.num_heads"; empty when none */
	long line, column;   /* from 1; 0 when not known */
	long long offset;    /* byte offset from 0; -1 when not known */
};

const char *wg_status_name(enum wg_status status);
const char *wg_status_words(enum wg_status status);

/* An error with no content yet. */
void wg_error_init(struct wg_error *error);

/* Sets status and message (printf form, control characters replaced), clears
 * the rest, returns status so that callers can write `return wg_error_set(...)`.
 * Does nothing but return status when error is NULL. */
__attribute__((format(printf, 3, 4)))
enum wg_status wg_error_set(struct wg_error *error, enum wg_status status, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void wg_error_hint(struct wg_error *error, const char *format, ...);
/* Adds the place; NULL or 0 or -1 leaves that part as it is. */
void wg_error_place(struct wg_error *error, const char *file, long line, long column,
                    long long offset);
void wg_error_path(struct wg_error *error, const char *path);

/* WG_NO_MEMORY with its standard sentence; WG_SYSTEM from errno with `what` failed. */
enum wg_status wg_error_no_memory(struct wg_error *error);
enum wg_status wg_error_system(struct wg_error *error, int errno_value, const char *what,
                               const char *subject);

#endif
