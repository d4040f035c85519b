/* Words for people. `_("text")` gives the translation in the language that the
 * program has chosen (setlocale, bindtextdomain), `N_("text")` marks a text in
 * a table that is translated where it is shown. */
#ifndef WG_BASE_I18N_H
#define WG_BASE_I18N_H

#define WG_TEXT_DOMAIN "whichgpu"

__attribute__((format_arg(1))) const char *wg_translate(const char *text);

#define _(text) wg_translate(text)
#define N_(text) text

#endif
