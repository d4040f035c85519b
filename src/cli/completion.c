/* Completion for bash, from the option tables. */
#include "cli/commands.h"
#include "cli/help.h"

static void put_names(const struct wg_option *options, size_t count,
                      const struct wg_command *command, struct wg_text *out)
{
	for (size_t i = 0; i < count; i++) {
		if (options != wg_common_options || wg_common_option_offered(command, &options[i]))
			wg_text_printf(out, " --%s", options[i].name);
	}
}

/* What may follow an option: its choices, a file name, or anything. */
static void put_value_case(const char *command, const struct wg_option *option, struct wg_text *out)
{
	if (option->kind == WG_OPTION_FLAG)
		return;
	wg_text_printf(out, "\t%s:--%s)", command, option->name);
	if (option->kind == WG_OPTION_CHOICE) {
		wg_text_add(out, " words='");
		for (size_t i = 0; option->choices[i]; i++)
			wg_text_printf(out, "%s%s", i ? " " : "", option->choices[i]);
		wg_text_add(out, "' ;;\n");
	} else if (option->kind == WG_OPTION_TEXT) {
		wg_text_add(out, " compopt -o default; return ;;\n");
	} else {
		wg_text_add(out, " return ;;\n");
	}
}

void wg_completion_bash(struct wg_text *out)
{
	wg_text_add(out,
	            "# bash completion for whichgpu\n_whichgpu()\n{\n"
	            "\tlocal word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
	            "\tlocal command=${COMP_WORDS[1]} words=\n\tCOMPREPLY=()\n"
	            "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\twords='");
	for (size_t i = 0; i < wg_command_count(); i++)
		wg_text_printf(out, "%s ", wg_command_at(i)->name);
	wg_text_add(out, "--help --version'\n\t\tmapfile -t COMPREPLY < "
	                 "<(compgen -W \"$words\" -- \"$word\")\n\t\treturn\n\tfi\n"
	                 "\tcase $command:$previous in\n");
	for (size_t i = 0; i < wg_command_count(); i++) {
		const struct wg_command *command = wg_command_at(i);

		for (size_t o = 0; o < command->option_count; o++)
			put_value_case(command->name, &command->options[o], out);
	}
	for (size_t o = 0; o < wg_common_option_count; o++)
		put_value_case("*", &wg_common_options[o], out);
	wg_text_add(out, "\t*)\n\t\tcase $command in\n");
	for (size_t i = 0; i < wg_command_count(); i++) {
		const struct wg_command *command = wg_command_at(i);

		wg_text_printf(out, "\t\t%s) words='", command->name);
		put_names(command->options, command->option_count, command, out);
		put_names(wg_common_options, wg_common_option_count, command, out);
		wg_text_add(out, "' ;;\n");
	}
	wg_text_add(out, "\t\tesac\n\t\tif [[ $word != -* ]]; then\n\t\t\tcompopt -o default\n"
	                 "\t\t\treturn\n\t\tfi ;;\n\tesac\n"
	                 "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n}\n"
	                 "complete -F _whichgpu whichgpu\n");
}
