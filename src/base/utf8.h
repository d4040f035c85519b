/* One UTF-8 character at a time; for text, json_write and error messages. */
#ifndef WG_BASE_UTF8_H
#define WG_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length in bytes (1 to 4) of the character at bytes and its code point, or 0
 * when the bytes are no character: cut short, overlong, a surrogate, above
 * U+10FFFF. The caller then skips one byte. */
size_t wg_utf8_next(const char *bytes, size_t length, uint32_t *ret_code);

/* C0, C1, DEL and the marks that turn the direction of text around. */
int wg_utf8_is_control(uint32_t code);

#endif
