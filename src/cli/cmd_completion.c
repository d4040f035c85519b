/* completion SHELL: prints the completion script of a shell. */
#include <string.h>

#include "cli/help.h"

struct completion_arguments {
	struct wg_words shells;
};

static enum wg_status completion_run(const struct wg_cli *cli, const void *arguments,
                                     struct wg_result *result, struct wg_error *error)
{
	const struct completion_arguments *given = arguments;

	if (strcmp(given->shells.items[0], "bash") != 0) {
		wg_error_set(error, WG_NOT_FOUND, _("no completion for \"%s\""),
		             given->shells.items[0]);
		wg_error_hint(error, "bash");
		return WG_NOT_FOUND;
	}
	wg_completion_bash(&result->plain);
	return WG_OK;
}

static const struct wg_example examples[] = {
	{ "whichgpu completion bash",
	  N_("prints the script; source it from a shell's start-up file") },
};

const struct wg_command wg_command_completion = {
	.name = "completion",
	.summary = N_("print the completion script of a shell"),
	.group = WG_GROUP_HELP,
	.words = { "bash", 1, 1, offsetof(struct completion_arguments, shells) },
	.examples = examples,
	.example_count = sizeof examples / sizeof examples[0],
	.arguments_bytes = sizeof(struct completion_arguments),
	.speaks_plain = true,
	.run = completion_run,
};
