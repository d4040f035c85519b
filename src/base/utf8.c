#include "base/utf8.h"

/* Unicode 15.0, section 3.9, table 3-7: the second byte decides whether a
 * sequence is overlong, a surrogate or too large, so its bounds depend on the
 * first. */
static size_t sequence_length(unsigned char first, unsigned char *ret_low, unsigned char *ret_high)
{
	*ret_low = 0x80;
	*ret_high = 0xBF;
	if (first >= 0xC2 && first <= 0xDF)
		return 2;
	if (first >= 0xE0 && first <= 0xEF) {
		if (first == 0xE0)
			*ret_low = 0xA0;
		else if (first == 0xED)
			*ret_high = 0x9F;
		return 3;
	}
	if (first >= 0xF0 && first <= 0xF4) {
		if (first == 0xF0)
			*ret_low = 0x90;
		else if (first == 0xF4)
			*ret_high = 0x8F;
		return 4;
	}
	return 0;
}

size_t wg_utf8_next(const char *bytes, size_t length, uint32_t *ret_code)
{
	if (length == 0)
		return 0;
	const unsigned char *at = (const unsigned char *)bytes;
	if (at[0] < 0x80) {
		*ret_code = at[0];
		return 1;
	}
	unsigned char low, high;
	size_t count = sequence_length(at[0], &low, &high);
	if (count == 0 || count > length || at[1] < low || at[1] > high)
		return 0;
	uint32_t code = at[0] & (0xFFu >> (count + 1));
	for (size_t i = 1; i < count; i++) {
		if ((at[i] & 0xC0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3F);
	}
	*ret_code = code;
	return count;
}

int wg_utf8_is_control(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7F && code <= 0x9F))
		return 1;
	return code == 0x061C || code == 0x200E || code == 0x200F ||
	       (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}
