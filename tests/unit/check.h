/* What the unit tests share: cmocka with what it needs before it, doubles,
 * errors, and folders for files. */
#ifndef WG_TESTS_CHECK_H
#define WG_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "whichgpu/status.h"

/* Within rel of expected; exact when rel is 0. */
#define check_close(actual, expected, rel) \
	check_close_at((actual), (expected), (rel), #actual, __FILE__, __LINE__)

static inline void check_close_at(double actual, double expected, double rel, const char *what,
                                  const char *file, int line)
{
	if (actual == expected || fabs(actual - expected) <= rel * fabs(expected))
		return;
	print_error("%s is %.17g, expected %.17g within %g\n", what, actual, expected, rel);
	_fail(file, line);
}

/* A status with the error's words when it is another one. */
#define check_status(actual, expected, error) \
	check_status_at((actual), (expected), (error), __FILE__, __LINE__)

static inline void check_status_at(enum wg_status actual, enum wg_status expected,
                                   const struct wg_error *error, const char *file, int line)
{
	if (actual == expected)
		return;
	print_error("status %s, expected %s: %s (%s:%ld:%ld %s) %s\n", wg_status_name(actual),
	            wg_status_name(expected), error->message, error->file, error->line,
	            error->column, error->path, error->hint);
	_fail(file, line);
}

#define check_contains(text, part) check_contains_at((text), (part), __FILE__, __LINE__)

static inline void check_contains_at(const char *text, const char *part, const char *file, int line)
{
	if (strstr(text, part))
		return;
	print_error("\"%s\" does not contain \"%s\"\n", text, part);
	_fail(file, line);
}

/* A file shared beside the project; NULL when there is none. The test then
 * calls skip(). */
static inline const char *shared_path(const char *relative, char *buffer, size_t buffer_bytes)
{
	const char *root = getenv("WHICHGPU_SHARED");
	struct stat found;
	snprintf(buffer, buffer_bytes, "%s/%s", root ? root : WG_SOURCE_ROOT "/../shared",
	         relative);
	return stat(buffer, &found) == 0 ? buffer : NULL;
}

#endif
