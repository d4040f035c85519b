/* Breaking text into lines of a screen: at blanks, between Chinese characters,
 * and inside a word only when it is wider than the line. */
#ifndef WHICHGPU_REPORT_WRAP_H
#define WHICHGPU_REPORT_WRAP_H

#include <stddef.h>

/* Length in bytes of the next line of text, and in *ret_next where the line
 * after it starts (NULL: this was the last). A line end in the text ends the
 * line. width is at least 2. */
size_t wrap_line(const char *text, size_t width, const char **ret_next);
/* How many lines text takes. */
size_t wrap_count(const char *text, size_t width);
/* Columns of the widest piece that wrap_line would not like to break. */
size_t wrap_longest_word(const char *text);
/* Columns of the first `length` bytes. */
size_t wrap_width(const char *text, size_t length);

#endif
