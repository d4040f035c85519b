/* Growing text with a ceiling, and what UTF-8 text needs on a terminal.
 *
 * A struct wg_text is born with its greatest size. Once it would grow past
 * it, or memory is out, it is `failed`: further appends do nothing, and the
 * one check at the end is enough. */
#ifndef WHICHGPU_TEXT_H
#define WHICHGPU_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct wg_text {
	char *bytes;      /* always NUL-terminated once something was added; else NULL */
	size_t length, capacity, ceiling;
	bool failed;
};

void wg_text_init(struct wg_text *text, size_t ceiling_bytes);
void wg_text_done(struct wg_text *text);
void wg_text_clear(struct wg_text *text);   /* empty again, memory kept */
void wg_text_add(struct wg_text *text, const char *string);
void wg_text_add_bytes(struct wg_text *text, const char *bytes, size_t length);
void wg_text_add_char(struct wg_text *text, char c);
void wg_text_add_repeated(struct wg_text *text, char c, size_t count);
__attribute__((format(printf, 2, 3)))
void wg_text_printf(struct wg_text *text, const char *format, ...);
/* "" when nothing was added. Valid until the next append or done. */
const char *wg_text_string(const struct wg_text *text);

/* Columns on a terminal: wide CJK characters count 2, combining ones 0,
 * invalid bytes 1. Independent of the locale. */
size_t wg_text_width(const char *utf8);
/* Length in bytes of the longest prefix that is at most `columns` wide. */
size_t wg_text_prefix(const char *utf8, size_t columns);
/* Copies with control characters (C0, C1, DEL, bidi overrides) and invalid
 * UTF-8 replaced by '?', so that a name from a file cannot drive a terminal.
 * Always terminates; returns bytes written without the NUL. */
size_t wg_text_sanitize(char *target, size_t target_bytes, const char *source, size_t source_bytes);
bool wg_text_is_utf8(const char *bytes, size_t length);
/* Edit distance (Levenshtein, bytes, case folded for ASCII), for "did you mean". */
unsigned wg_text_distance(const char *a, const char *b);

#endif
