#include "base/i18n.h"

#include <libintl.h>

const char *wg_translate(const char *text)
{
	/* gettext answers the empty text with the header of the catalogue. */
	return text[0] ? dgettext(WG_TEXT_DOMAIN, text) : text;
}
