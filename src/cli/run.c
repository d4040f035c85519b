#include "cli/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "whichgpu/arena.h"
#include "whichgpu/file.h"
#include "whichgpu/limits.h"

enum { DEFAULT_COLUMNS = 100, ARGUMENT_BYTES = 16 << 20 };

bool wg_cli_given(const struct wg_cli *cli, const char *option_name)
{
	for (size_t i = 0; i < cli->command->option_count; i++) {
		if (strcmp(cli->command->options[i].name, option_name) == 0)
			return cli->given >> i & 1;
	}
	assert(!"an option that the command does not have");
	return false;
}

/* --- the common options ------------------------------------------------------ */

static unsigned default_columns(void)
{
	unsigned columns = wg_output_terminal_columns();

	if (columns == 0)
		return DEFAULT_COLUMNS;
	return columns < 40 ? 40 : columns > 400 ? 400 : columns;
}

static enum wg_status refuse_not_offered(const struct wg_command *command, uint64_t given,
                                         struct wg_error *error)
{
	for (size_t i = 0; i < wg_common_option_count; i++) {
		if (!(given >> i & 1) || wg_common_option_offered(command, &wg_common_options[i]))
			continue;
		return wg_error_set(error, WG_BAD_INPUT, _("\"%s\" does not offer --%s"),
		                    command->name, wg_common_options[i].name);
	}
	return WG_OK;
}

static enum wg_status take_common(const struct wg_common_arguments *common, uint64_t given,
                                  struct wg_cli *cli, struct wg_error *error)
{
	enum wg_status status = refuse_not_offered(cli->command, given, error);
	bool html = common->html && strcmp(common->html, "-") == 0;

	if (status)
		return status;
	if (common->json + common->csv + common->markdown + html > 1) {
		wg_error_set(error, WG_BAD_INPUT, _("standard output has one form at a time"));
		wg_error_hint(error, _("give one of --json, --csv, --markdown"));
		return WG_BAD_INPUT;
	}
	cli->format = common->json       ? WG_REPORT_JSON
	              : common->csv      ? WG_REPORT_CSV
	              : common->markdown ? WG_REPORT_MARKDOWN
	              : html             ? WG_REPORT_HTML
	                                 : WG_REPORT_TEXT;
	cli->html_path = html ? NULL : common->html;
	cli->svg_path = common->svg;
	cli->wants_picture = common->svg || (common->html && cli->command->draws);
	cli->data_folder = common->data;
	cli->stable = common->stable;
	cli->offline = common->offline;
	cli->columns = common->columns ? (unsigned)common->columns : default_columns();
	cli->colour = cli->format == WG_REPORT_TEXT && !common->no_colour && wg_output_has_colour();
	return WG_OK;
}

/* --- parsing ----------------------------------------------------------------- */

static enum wg_status take_words(const struct wg_command *command, struct wg_words words,
                                 void *arguments, struct wg_error *error)
{
	const struct wg_words_rule *rule = &command->words;
	size_t most = rule->usage ? rule->most : 0;
	bool unlimited = rule->usage && rule->most == 0;
	struct wg_text usage;

	if (words.count >= rule->least && (unlimited || words.count <= most)) {
		if (rule->usage)
			*(struct wg_words *)(void *)((char *)arguments + rule->offset) = words;
		return WG_OK;
	}
	if (words.count < rule->least)
		wg_error_set(error, WG_BAD_INPUT, _("\"%s\" needs %s"), command->name, rule->usage);
	else
		wg_error_set(error, WG_BAD_INPUT, _("\"%s\" is one word too many"),
		             words.items[most]);
	wg_text_init(&usage, sizeof error->hint);
	wg_usage_line(command, &usage);
	wg_error_hint(error, _("usage: %s"), wg_text_string(&usage));
	wg_text_done(&usage);
	return WG_BAD_INPUT;
}

/* *ret_help: --help was asked for, so that missing words do not matter. */
static enum wg_status parse(int argc, char **argv, struct wg_cli *cli, void *arguments,
                            struct wg_arena *arena, bool *ret_help, struct wg_error *error)
{
	struct wg_common_arguments common = { 0 };
	struct option_set sets[] = {
		{ cli->command->options, cli->command->option_count, arguments, 0 },
		{ wg_common_options, wg_common_option_count, &common, 0 },
	};
	struct wg_words words;
	enum wg_status status = wg_options_defaults(&sets[0], arena, error);

	if (!status)
		status = wg_options_parse(argc, argv, sets, 2, arena, &words, error);
	if (!status)
		status = take_common(&common, sets[1].given, cli, error);
	if (!status && !common.help)
		status = take_words(cli->command, words, arguments, error);
	if (!status) {
		cli->given = sets[0].given;
		*ret_help = common.help;
	}
	return status;
}

/* --- showing ------------------------------------------------------------------ */

static enum wg_status write_html(const struct wg_cli *cli, const struct wg_result *result,
                                 struct wg_error *error)
{
	struct wg_text page;
	enum wg_status status;

	wg_text_init(&page, WG_LIMIT_TEXT_BYTES);
	status = wg_document_write(result->document, WG_REPORT_HTML, NULL, &page, error);
	if (!status)
		status = wg_file_write(cli->html_path, wg_text_string(&page), page.length, error);
	wg_text_done(&page);
	return status;
}

/* Files first: when one fails, standard output stays empty. */
static enum wg_status show(const struct wg_cli *cli, struct wg_result *result,
                           struct wg_error *error)
{
	struct wg_report_options options = { cli->columns, cli->colour, wg_output_is_ascii() };
	enum wg_status status = WG_OK;

	if (result->written)
		return WG_OK;
	if (cli->html_path)
		status = write_html(cli, result, error);
	if (!status && cli->svg_path)
		status = result->svg.failed
		                 ? wg_error_no_memory(error)
		                 : wg_file_write(cli->svg_path, wg_text_string(&result->svg),
		                                 result->svg.length, error);
	if (!status && !cli->command->speaks_plain)
		status = wg_document_write(result->document, cli->format, &options, &result->plain,
		                           error);
	if (!status && result->plain.failed)
		status = wg_error_no_memory(error);
	if (!status)
		status = wg_output_write(wg_text_string(&result->plain), result->plain.length,
		                         error);
	return status;
}

static enum wg_status compute_and_show(const struct wg_cli *cli, const void *arguments,
                                       bool *ret_no, struct wg_error *error)
{
	struct wg_result result = { .document = wg_document_open(cli->command->name) };
	enum wg_status status;

	wg_text_init(&result.svg, WG_LIMIT_TEXT_BYTES);
	wg_text_init(&result.plain, WG_LIMIT_TEXT_BYTES);
	status = result.document ? cli->command->run(cli, arguments, &result, error)
	                         : wg_error_no_memory(error);
	if (!status && result.svg.length > 0)
		wg_document_picture(result.document, "picture", wg_text_string(&result.svg));
	if (!status)
		status = show(cli, &result, error);
	*ret_no = result.answer_is_no;
	wg_text_done(&result.svg);
	wg_text_done(&result.plain);
	wg_document_free(result.document);
	return status;
}

/* --- the program ---------------------------------------------------------------- */

static enum wg_exit finish(enum wg_status status, bool answer_is_no, const struct wg_error *error)
{
	if (status) {
		wg_output_error(error);
		return wg_exit_of(status);
	}
	return answer_is_no ? WG_EXIT_NO : WG_EXIT_YES;
}

/* Prints a page and takes it down. */
static enum wg_exit print_page(struct wg_text *page)
{
	struct wg_error error;
	enum wg_status status;

	wg_error_init(&error);
	status = page->failed ? wg_error_no_memory(&error)
	                      : wg_output_write(wg_text_string(page), page->length, &error);
	wg_text_done(page);
	return finish(status, false, &error);
}

static enum wg_exit run_command(const struct wg_command *command, int argc, char **argv,
                                enum wg_language language)
{
	struct wg_cli cli = { .command = command, .language = language };
	struct wg_arena *arena = wg_arena_open(ARGUMENT_BYTES);
	void *arguments = calloc(1, command->arguments_bytes + 1);
	bool help = false, no = false;
	struct wg_error error;
	enum wg_status status;

	wg_error_init(&error);
	if (arena && arguments)
		status = parse(argc, argv, &cli, arguments, arena, &help, &error);
	else
		status = wg_error_no_memory(&error);
	if (!status && help) {
		struct wg_text page;

		wg_text_init(&page, WG_LIMIT_TEXT_BYTES);
		wg_help_command(command, cli.columns, &page);
		free(arguments);
		wg_arena_free(arena);
		return print_page(&page);
	}
	if (!status)
		status = compute_and_show(&cli, arguments, &no, &error);
	free(arguments);
	wg_arena_free(arena);
	return finish(status, no, &error);
}

static enum wg_exit unknown_command(const char *word)
{
	struct wg_error error;
	struct wg_text near;

	wg_error_set(&error, WG_BAD_INPUT,
	             word[0] == '-' ? _("unknown option \"%s\"") : _("unknown command \"%s\""),
	             word);
	wg_text_init(&near, sizeof error.hint);
	if (word[0] == '-')
		wg_text_add(&near,
		            _("options stand after the command; \"whichgpu --help\" lists them"));
	else
		wg_command_suggest(word, &near);
	if (near.length == 0)
		wg_error_hint(&error, _("\"whichgpu --help\" lists the commands"));
	else
		wg_error_hint(&error, word[0] == '-' ? "%s" : _("did you mean %s"),
		              wg_text_string(&near));
	wg_text_done(&near);
	return finish(WG_BAD_INPUT, false, &error);
}

/* help [COMMAND] and --man [COMMAND], which the build makes the manual with. */
static enum wg_exit run_page(const char *kind, const char *name)
{
	const struct wg_command *command = name ? wg_command_find(name) : NULL;
	struct wg_text page;

	if (name && !command)
		return unknown_command(name);
	wg_text_init(&page, WG_LIMIT_TEXT_BYTES);
	if (strcmp(kind, "--man") == 0)
		wg_man_page(command, &page);
	else if (command)
		wg_help_command(command, default_columns(), &page);
	else
		wg_help_overview(default_columns(), &page);
	return print_page(&page);
}

enum wg_exit wg_cli_run(int argc, char **argv, enum wg_language language)
{
	static const char *const page_words[] = { "help", "--help", "-h", "--man" };
	const struct wg_command *command;

	/* --lang has done its work by now; it may stand before the command */
	while (argc > 1 && strncmp(argv[1], "--lang", 6) == 0) {
		int skip = argv[1][6] == '=' || argc < 3 ? 1 : 2;

		argc -= skip;
		argv += skip;
	}
	if (argc < 2)
		return run_page("help", NULL);
	if (strcmp(argv[1], "--version") == 0) {
		struct wg_text page;

		wg_text_init(&page, 256);
		wg_text_add(&page, "whichgpu " WG_PROGRAM_VERSION "\n");
		return print_page(&page);
	}
	for (size_t i = 0; i < sizeof page_words / sizeof page_words[0]; i++) {
		if (strcmp(argv[1], page_words[i]) == 0)
			return run_page(argv[1], argc > 2 ? argv[2] : NULL);
	}
	command = wg_command_find(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	return run_command(command, argc - 1, argv + 1, language);
}
