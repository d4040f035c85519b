#include "cli/help.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "report/document.h"
#include "report/wrap.h"
#include "whichgpu/arena.h"

enum { LABEL_COLUMN = 26, TEXT_MOST = 1 << 20 };

/* Text from column `indent` on; the first line starts at column `at`. */
static void put_wrapped(const char *text, size_t at, size_t indent, unsigned columns,
                        struct wg_text *out)
{
	while (text) {
		const char *line = text;
		size_t length = wrap_line(text, columns - indent, &text);

		if (length > 0 && at < indent)
			wg_text_add_repeated(out, ' ', indent - at);
		wg_text_add_bytes(out, line, length);
		wg_text_add_char(out, '\n');
		at = 0;
	}
}

/* "  label   text": a label too long for its column has its own line. */
static void put_entry(const char *label, const char *text, size_t label_columns, unsigned columns,
                      struct wg_text *out)
{
	size_t at = 2 + wg_text_width(label);

	wg_text_printf(out, "  %s", label);
	if (at + 2 > label_columns) {
		wg_text_add_char(out, '\n');
		at = 0;
	}
	put_wrapped(text, at, label_columns, columns, out);
}

void wg_option_words(const struct wg_option *option, struct wg_text *out)
{
	const char *otherwise =
		option->otherwise_words ? _(option->otherwise_words) : option->otherwise;
	char low[32], high[32];

	bool bounded = option->low != 0 || option->high != 0;

	wg_number_write(low, sizeof low, option->low);
	wg_number_write(high, sizeof high, option->high);
	wg_text_add(out, _(option->help));
	if (otherwise && bounded)
		wg_text_printf(out, _(" (default: %s; %s to %s)"), otherwise, low, high);
	else if (otherwise)
		wg_text_printf(out, _(" (default: %s)"), otherwise);
	else if (bounded)
		wg_text_printf(out, _(" (%s to %s)"), low, high);
}

void wg_usage_line(const struct wg_command *command, struct wg_text *out)
{
	wg_text_printf(out, "whichgpu %s [%s]", command->name, _("OPTION..."));
	if (command->words.usage)
		wg_text_printf(out, " %s", command->words.usage);
}

static void put_option(const struct wg_option *option, unsigned columns, struct wg_arena *arena,
                       struct wg_text *out)
{
	const char *argument = wg_option_argument(option, arena);
	struct wg_text label, words;

	wg_text_init(&label, TEXT_MOST);
	wg_text_init(&words, TEXT_MOST);
	if (option->letter)
		wg_text_printf(&label, "-%c, ", option->letter);
	wg_text_printf(&label, "--%s", option->name);
	if (argument && argument[0])
		wg_text_printf(&label, " %s", argument);
	wg_option_words(option, &words);
	put_entry(wg_text_string(&label), wg_text_string(&words), LABEL_COLUMN, columns, out);
	scratch_done(&label, out);
	scratch_done(&words, out);
}

static void put_options(const struct wg_command *command, unsigned columns, struct wg_text *out)
{
	struct wg_arena *arena = wg_arena_open(TEXT_MOST);

	if (!arena) {
		out->failed = true;
		return;
	}
	if (command->option_count > 0)
		wg_text_printf(out, "\n%s\n", _("Options:"));
	for (size_t i = 0; i < command->option_count; i++)
		put_option(&command->options[i], columns, arena, out);
	wg_text_printf(out, "\n%s\n", _("Options of every command:"));
	for (size_t i = 0; i < wg_common_option_count; i++) {
		if (wg_common_option_offered(command, &wg_common_options[i]))
			put_option(&wg_common_options[i], columns, arena, out);
	}
	wg_arena_free(arena);
}

void wg_help_command(const struct wg_command *command, unsigned columns, struct wg_text *out)
{
	struct wg_text line;

	wg_text_init(&line, TEXT_MOST);
	wg_text_printf(&line, "whichgpu %s - %s", command->name, _(command->summary));
	put_wrapped(wg_text_string(&line), 0, 0, columns, out);
	wg_text_clear(&line);
	wg_text_printf(&line, "%s ", _("Usage:"));
	wg_usage_line(command, &line);
	wg_text_add_char(out, '\n');
	put_wrapped(wg_text_string(&line), 0, 0, columns, out);
	if (command->description) {
		wg_text_add_char(out, '\n');
		put_wrapped(_(command->description), 0, 0, columns, out);
	}
	put_options(command, columns, out);
	if (command->example_count > 0)
		wg_text_printf(out, "\n%s\n", _("Examples:"));
	for (size_t i = 0; i < command->example_count; i++) {
		wg_text_printf(out, "  %s\n", command->examples[i].line);
		put_wrapped(_(command->examples[i].words), 0, 6, columns, out);
	}
	scratch_done(&line, out);
}

void wg_help_overview(unsigned columns, struct wg_text *out)
{
	/* of the examples that commands give, the first three are shown here */
	size_t shown = 0;

	put_wrapped(_("whichgpu - which GPUs, how many, laid out how, at what cost, for this work"),
	            0, 0, columns, out);
	wg_text_printf(out, "\n%s whichgpu %s [%s]\n", _("Usage:"), _("COMMAND"), _("OPTION..."));
	for (enum wg_command_group group = 0; group < WG_GROUP_COUNT; group++) {
		bool titled = false;

		for (size_t i = 0; i < wg_command_count(); i++) {
			const struct wg_command *command = wg_command_at(i);

			if (command->group != group)
				continue;
			if (!titled)
				wg_text_printf(out, "\n%s\n", wg_command_group_title(group));
			titled = true;
			put_entry(command->name, _(command->summary), 14, columns, out);
		}
	}
	wg_text_printf(out, "\n%s\n", _("Examples:"));
	for (size_t i = 0; i < wg_command_count() && shown < 3; i++) {
		const struct wg_command *command = wg_command_at(i);

		if (command->example_count == 0 || command->group == WG_GROUP_HELP)
			continue;
		wg_text_printf(out, "  %s\n", command->examples[0].line);
		put_wrapped(_(command->examples[0].words), 0, 6, columns, out);
		shown++;
	}
	wg_text_add_char(out, '\n');
	put_wrapped(_("\"whichgpu COMMAND --help\" describes a command and its options."), 0, 0,
	            columns, out);
}
