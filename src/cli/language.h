/* Which language the words are in. Only LC_MESSAGES is ever set: numbers must
 * not depend on the locale. */
#ifndef WHICHGPU_CLI_LANGUAGE_H
#define WHICHGPU_CLI_LANGUAGE_H

#include "cli/cli.h"

/* Looks for "--lang" in the command line, else at the locale, and sets gettext
 * up, so that even a complaint about the command line is in that language. */
enum wg_language wg_language_init(int argc, char **argv);
/* "zh_CN.UTF-8", "zh-Hans", "zh" are Chinese; everything else is English. */
enum wg_language wg_language_of(const char *locale);

#endif
