#include "cli/commands.h"

#include <string.h>

#include "cli/suggest.h"

#define WG_COMMAND(name) extern const struct wg_command wg_command_##name;
#include "cli/commands.def"
#undef WG_COMMAND

static const struct wg_command *const commands[] = {
#define WG_COMMAND(name) &wg_command_##name,
#include "cli/commands.def"
#undef WG_COMMAND
};

static const char *const group_titles[] = {
	[WG_GROUP_CHOOSE] = N_("Choose"), [WG_GROUP_LOOK_UP] = N_("Look up"),
	[WG_GROUP_CHECK] = N_("Check"),   [WG_GROUP_MEASURE] = N_("Measure and watch"),
	[WG_GROUP_HELP] = N_("Help"),
};
_Static_assert(sizeof group_titles / sizeof group_titles[0] == WG_GROUP_COUNT, "a title a group");

size_t wg_command_count(void)
{
	return sizeof commands / sizeof commands[0];
}

const struct wg_command *wg_command_at(size_t index)
{
	return commands[index];
}

const struct wg_command *wg_command_find(const char *name)
{
	for (size_t i = 0; i < wg_command_count(); i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

static const char *command_name(const void *context, size_t index)
{
	return commands[index]->name;
}

void wg_command_suggest(const char *word, struct wg_text *out)
{
	wg_suggest(word, command_name, NULL, wg_command_count(), "", out);
}

const char *wg_command_group_title(enum wg_command_group group)
{
	return _(group_titles[group]);
}

/* --- common options -------------------------------------------------------- */

static const char *const languages[] = { "en", "zh", NULL };

#define AT(member) offsetof(struct wg_common_arguments, member)
const struct wg_option wg_common_options[] = {
	{ .name = "json",
	  .kind = WG_OPTION_FLAG,
	  .offset = AT(json),
	  .help = N_("print one JSON document") },
	{ .name = "csv",
	  .kind = WG_OPTION_FLAG,
	  .offset = AT(csv),
	  .help = N_("print the main table as CSV, in SI units") },
	{ .name = "markdown",
	  .kind = WG_OPTION_FLAG,
	  .offset = AT(markdown),
	  .help = N_("print Markdown") },
	{ .name = "html",
	  .kind = WG_OPTION_TEXT,
	  .argument = "FILE",
	  .offset = AT(html),
	  .help = N_("also write the answer as one web page that needs nothing else") },
	{ .name = "svg",
	  .kind = WG_OPTION_TEXT,
	  .argument = "FILE",
	  .offset = AT(svg),
	  .help = N_("also draw it as a picture") },
	{ .name = "data",
	  .kind = WG_OPTION_TEXT,
	  .argument = "DIR",
	  .offset = AT(data),
	  .help = N_("a folder of your own GPU files, laid over the catalogue") },
	{ .name = "offline",
	  .kind = WG_OPTION_FLAG,
	  .offset = AT(offline),
	  .help = N_("never use the network") },
	{ .name = "lang",
	  .kind = WG_OPTION_CHOICE,
	  .choices = languages,
	  .offset = AT(language),
	  .otherwise_words = N_("by the locale"),
	  .help = N_("language of the words; numbers and keys stay the same") },
	{ .name = "columns",
	  .kind = WG_OPTION_INTEGER,
	  .low = 40,
	  .high = 400,
	  .offset = AT(columns),
	  .otherwise_words = N_("the terminal's width, else 100"),
	  .help = N_("width of the text in characters") },
	{ .name = "no-colour",
	  .kind = WG_OPTION_FLAG,
	  .offset = AT(no_colour),
	  .help = N_("no colours on a terminal; NO_COLOR does the same") },
	{ .name = "stable",
	  .kind = WG_OPTION_FLAG,
	  .offset = AT(stable),
	  .help = N_("leave out times, paths and all that differs between two runs") },
	{ .name = "help",
	  .letter = 'h',
	  .kind = WG_OPTION_FLAG,
	  .offset = AT(help),
	  .help = N_("describe this command") },
};
#undef AT
const size_t wg_common_option_count = sizeof wg_common_options / sizeof wg_common_options[0];

bool wg_common_option_offered(const struct wg_command *command, const struct wg_option *option)
{
	static const char *const always[] = { "lang", "columns", "help" };

	if (strcmp(option->name, "svg") == 0)
		return command->draws;
	if (!command->speaks_plain)
		return true;
	for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
		if (strcmp(option->name, always[i]) == 0)
			return true;
	}
	return false;
}
