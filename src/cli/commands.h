/* All commands, and the options that every command has. */
#ifndef WHICHGPU_CLI_COMMANDS_H
#define WHICHGPU_CLI_COMMANDS_H

#include "cli/cli.h"

size_t wg_command_count(void);
const struct wg_command *wg_command_at(size_t index);
/* NULL when there is none of that name. */
const struct wg_command *wg_command_find(const char *name);
/* Names near to word, for an error's hint; "" when none is near. */
void wg_command_suggest(const char *word, struct wg_text *out);
/* The heading of a group in the overview, translated. */
const char *wg_command_group_title(enum wg_command_group group);

/* The options of every command, and what they fill. */
struct wg_common_arguments {
	bool json, csv, markdown;
	const char *html, *svg, *data;
	int language; /* index into "en", "zh" */
	bool stable, no_colour, offline, help;
	int64_t columns;
};
extern const struct wg_option wg_common_options[];
extern const size_t wg_common_option_count;
/* Is this common option offered by this command? */
bool wg_common_option_offered(const struct wg_command *command, const struct wg_option *option);

#endif
