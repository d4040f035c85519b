#include "cli/language.h"

#include <libintl.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "whichgpu/file.h"

#ifndef WG_LOCALE_DIR
#define WG_LOCALE_DIR "/usr/share/locale"
#endif

enum wg_language wg_language_of(const char *locale)
{
	bool chinese = locale && strncmp(locale, "zh", 2) == 0 &&
	               (locale[2] == '\0' || strchr("_-.@:", locale[2]));

	return chinese ? WG_LANGUAGE_ZH : WG_LANGUAGE_EN;
}

/* The value of --lang, before the options are parsed in earnest. */
static const char *asked_for(int argc, char **argv)
{
	const char *value = NULL;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], "--lang=", 7) == 0)
			value = argv[i] + 7;
		else if (strcmp(argv[i], "--lang") == 0 && i + 1 < argc)
			value = argv[i + 1];
	}
	return value;
}

static const char *locale_from_environment(void)
{
	static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };
	const char *language = getenv("LANGUAGE");

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = getenv(names[i]);

		if (!value || !value[0])
			continue;
		/* as in gettext: LANGUAGE counts unless the locale is plain C */
		if (language && language[0] && strcmp(value, "C") != 0)
			return language;
		return value;
	}
	return NULL;
}

/* Where the catalogues of words are: said by the environment, beside the
 * program in a build tree, in the share folder next to its bin, or where it
 * was installed. */
static void bind_words(void)
{
	static const char *const beside[] = { "../../po", "../share/locale" };
	const char *said = getenv("WHICHGPU_LOCALE_DIR");
	char program[PATH_MAX], folder[PATH_MAX + 32], catalogue[PATH_MAX + 96];
	ssize_t length;

	bind_textdomain_codeset(WG_TEXT_DOMAIN, "UTF-8");
	if (said && said[0]) {
		bindtextdomain(WG_TEXT_DOMAIN, said);
		return;
	}
	length = readlink("/proc/self/exe", program, sizeof program - 1);
	program[length > 0 ? length : 0] = '\0';
	for (size_t i = 0; length > 0 && i < sizeof beside / sizeof beside[0]; i++) {
		int stem = (int)(strrchr(program, '/') - program);

		snprintf(folder, sizeof folder, "%.*s/%s", stem, program, beside[i]);
		snprintf(catalogue, sizeof catalogue, "%s/zh_CN/LC_MESSAGES/whichgpu.mo", folder);
		if (wg_file_exists(catalogue)) {
			bindtextdomain(WG_TEXT_DOMAIN, folder);
			return;
		}
	}
	bindtextdomain(WG_TEXT_DOMAIN, WG_LOCALE_DIR);
}

/* gettext translates only in a locale other than C, and a machine may have no
 * Chinese one: then any UTF-8 locale does, with LANGUAGE saying which words. */
static void choose_locale(enum wg_language language)
{
	static const char *const usable[] = { "zh_CN.UTF-8", "en_US.UTF-8", "C.UTF-8" };

	if (language == WG_LANGUAGE_EN) {
		setlocale(LC_MESSAGES, "C");
		return;
	}
	setenv("LANGUAGE", "zh_CN", 1);
	for (size_t i = 0; i < sizeof usable / sizeof usable[0]; i++) {
		if (setlocale(LC_MESSAGES, usable[i]))
			return;
	}
}

enum wg_language wg_language_init(int argc, char **argv)
{
	const char *said = asked_for(argc, argv);
	enum wg_language language = wg_language_of(said ? said : locale_from_environment());

	bind_words();
	choose_locale(language);
	return language;
}
