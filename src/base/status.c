#include "whichgpu/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "whichgpu/text.h"

static const struct {
	const char *name, *words;
} statuses[] = {
#define WG_STATUS(name, words) { #name, words },
#include "whichgpu/statuses.def"
#undef WG_STATUS
};
_Static_assert(sizeof statuses / sizeof statuses[0] == WG_STATUS_COUNT, "one row a status");

const char *wg_status_name(enum wg_status status)
{
	return (unsigned)status < WG_STATUS_COUNT ? statuses[status].name : "UNKNOWN";
}

const char *wg_status_words(enum wg_status status)
{
	return (unsigned)status < WG_STATUS_COUNT ? statuses[status].words : "unknown status";
}

void wg_error_init(struct wg_error *error)
{
	memset(error, 0, sizeof *error);
	error->status = WG_OK;
	error->offset = -1;
}

/* Formats with room to spare, so that the cut happens in wg_text_sanitize,
 * which does not split a character. */
__attribute__((format(printf, 3, 0))) static void format_clean(char *target, size_t target_bytes,
                                                               const char *format,
                                                               va_list arguments)
{
	char raw[1024];
	int length = vsnprintf(raw, sizeof raw, format, arguments);
	if (length < 0)
		length = 0;
	size_t used = (size_t)length < sizeof raw ? (size_t)length : sizeof raw - 1;
	wg_text_sanitize(target, target_bytes, raw, used);
}

enum wg_status wg_error_set(struct wg_error *error, enum wg_status status, const char *format, ...)
{
	if (!error)
		return status;
	/* Built beside the error first: an argument may point into it. */
	char message[sizeof error->message];
	va_list arguments;
	va_start(arguments, format);
	format_clean(message, sizeof message, format, arguments);
	va_end(arguments);
	wg_error_init(error);
	error->status = status;
	memcpy(error->message, message, sizeof message);
	return status;
}

void wg_error_hint(struct wg_error *error, const char *format, ...)
{
	if (!error)
		return;
	char hint[sizeof error->hint];
	va_list arguments;
	va_start(arguments, format);
	format_clean(hint, sizeof hint, format, arguments);
	va_end(arguments);
	memcpy(error->hint, hint, sizeof hint);
}

void wg_error_place(struct wg_error *error, const char *file, long line, long column,
                    long long offset)
{
	if (!error)
		return;
	if (file)
		wg_text_sanitize(error->file, sizeof error->file, file, strlen(file));
	if (line > 0)
		error->line = line;
	if (column > 0)
		error->column = column;
	if (offset >= 0)
		error->offset = offset;
}

void wg_error_path(struct wg_error *error, const char *path)
{
	if (error && path)
		wg_text_sanitize(error->path, sizeof error->path, path, strlen(path));
}

enum wg_status wg_error_no_memory(struct wg_error *error)
{
	return wg_error_set(error, WG_NO_MEMORY, "memory is out");
}

enum wg_status wg_error_system(struct wg_error *error, int errno_value, const char *what,
                               const char *subject)
{
	char buffer[128];
	const char *words = strerror_r(errno_value, buffer, sizeof buffer);
	if (errno_value == ENOMEM)
		return wg_error_no_memory(error);
	if (!subject)
		return wg_error_set(error, WG_SYSTEM, "%s failed: %s", what, words);
	return wg_error_set(error, WG_SYSTEM, "%s \"%s\" failed: %s", what, subject, words);
}
