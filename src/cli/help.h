/* Pages made from the option tables: overview, --help, manual, completion. */
#ifndef WHICHGPU_CLI_HELP_H
#define WHICHGPU_CLI_HELP_H

#include "cli/cli.h"

/* What `whichgpu` alone prints. */
void wg_help_overview(unsigned columns, struct wg_text *out);
void wg_help_command(const struct wg_command *command, unsigned columns, struct wg_text *out);
/* roff (man macros) of the program (NULL) or a command. */
void wg_man_page(const struct wg_command *command, struct wg_text *out);
void wg_completion_bash(struct wg_text *out);

/* An option's help with its default and bounds, as all pages word it. */
void wg_option_words(const struct wg_option *option, struct wg_text *out);
/* "whichgpu show [OPTION...] GPU" */
void wg_usage_line(const struct wg_command *command, struct wg_text *out);

#endif
