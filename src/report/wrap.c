#include "report/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "whichgpu/text.h"

/* Bytes of the character at text; broken UTF-8 counts byte by byte. */
static size_t char_bytes(const char *text)
{
	unsigned char lead = (unsigned char)text[0];
	size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

	for (size_t i = 1; i < bytes; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 1;
	}
	return wg_text_is_utf8(text, bytes) ? bytes : 1;
}

static size_t char_width(const char *text)
{
	char one[5] = "";

	memcpy(one, text, char_bytes(text));
	return wg_text_width(one);
}

/* Chinese punctuation that may not start a line. */
static bool is_closing(const char *text)
{
	static const char *const closing[] = {
		"，", "。", "、", "；", "：", "）", "》", "！", "？"
	};

	for (size_t i = 0; i < sizeof closing / sizeof closing[0]; i++) {
		if (strncmp(text, closing[i], strlen(closing[i])) == 0)
			return true;
	}
	return false;
}

/* May the line end before text[at]? previous: where the character before it starts. */
static bool may_break(const char *text, size_t previous, size_t at)
{
	if (text[at] == ' ' || text[at] == '\n' || text[at] == '\0')
		return true;
	if (text[previous] == ' ')
		return true;
	return (char_width(text + previous) == 2 || char_width(text + at) == 2) &&
	       !is_closing(text + at);
}

/* As much as fits, without regard to words; *ret_best: the last good place to
 * end the line, 0 for none. */
static size_t fill_line(const char *text, size_t width, size_t *ret_best)
{
	size_t used = 0, at = 0;

	*ret_best = 0;
	while (text[at] && text[at] != '\n') {
		size_t bytes = char_bytes(text + at);
		size_t columns = char_width(text + at);

		if (used + columns > width && at > 0)
			break;
		used += columns;
		if (may_break(text, at, at + bytes))
			*ret_best = at + bytes;
		at += bytes;
	}
	return at;
}

size_t wrap_line(const char *text, size_t width, const char **ret_next)
{
	size_t best;
	size_t at = fill_line(text, width, &best);

	if (text[at] && text[at] != '\n' && text[at] != ' ' && best > 0)
		at = best;
	*ret_next = text[at] == '\n' ? text + at + 1 : text + at + strspn(text + at, " ");
	if (!text[at] || (text[at] != '\n' && !**ret_next))
		*ret_next = NULL;
	while (at > 0 && text[at - 1] == ' ')
		at--;
	return at;
}

size_t wrap_count(const char *text, size_t width)
{
	size_t count = 0;

	while (text) {
		wrap_line(text, width, &text);
		count++;
	}
	return count;
}

size_t wrap_longest_word(const char *text)
{
	size_t longest = 0, used = 0;

	for (size_t at = 0; text[at];) {
		size_t bytes = char_bytes(text + at);

		used = text[at] == ' ' ? 0 : used + char_width(text + at);
		if (used > longest)
			longest = used;
		if (may_break(text, at, at + bytes))
			used = 0;
		at += bytes;
	}
	return longest;
}

size_t wrap_width(const char *text, size_t length)
{
	size_t width = 0;

	for (size_t at = 0; at < length; at += char_bytes(text + at))
		width += char_width(text + at);
	return width;
}
