#include "report/escape.h"

void wg_escape_markup(const char *text, size_t length, struct wg_text *out)
{
	for (size_t i = 0; i < length; i++) {
		switch (text[i]) {
		case '&':
			wg_text_add(out, "&amp;");
			break;
		case '<':
			wg_text_add(out, "&lt;");
			break;
		case '>':
			wg_text_add(out, "&gt;");
			break;
		case '"':
			wg_text_add(out, "&quot;");
			break;
		case '\'':
			wg_text_add(out, "&#39;");
			break;
		default:
			wg_text_add_char(out, text[i]);
		}
	}
}
