/* Manual pages in roff's man macros, from the option tables. */
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"
#include "report/document.h"
#include "report/wrap.h"
#include "whichgpu/arena.h"

enum { INPUT_COLUMNS = 72 };

/* Text as roff: backslashes and dashes escaped, nothing at the start that would
 * be taken for a request. */
static void put_roff_bytes(const char *text, size_t length, struct wg_text *out)
{
	if (length > 0 && (text[0] == '.' || text[0] == '\''))
		wg_text_add(out, "\\&");
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\\')
			wg_text_add(out, "\\e");
		else if (text[i] == '-')
			wg_text_add(out, "\\-");
		else
			wg_text_add_char(out, text[i]);
	}
}

static void put_roff(const char *text, struct wg_text *out)
{
	put_roff_bytes(text, strlen(text), out);
}

/* Input lines of a length that is fit to read; an empty line in the text starts
 * a paragraph. */
static void put_line(const char *text, struct wg_text *out)
{
	while (text) {
		const char *line = text;
		size_t length = wrap_line(text, INPUT_COLUMNS, &text);

		if (length > 0)
			put_roff_bytes(line, length, out);
		else
			wg_text_add(out, ".PP");
		wg_text_add_char(out, '\n');
	}
}

static void put_option(const struct wg_option *option, struct wg_arena *arena, struct wg_text *out)
{
	const char *argument = wg_option_argument(option, arena);
	struct wg_text words;

	wg_text_init(&words, 1 << 16);
	wg_text_add(out, ".TP\n");
	if (option->letter)
		wg_text_printf(out, "\\fB\\-%c\\fR, ", option->letter);
	wg_text_add(out, "\\fB\\-\\-");
	put_roff(option->name, out);
	wg_text_add(out, "\\fR");
	if (argument && argument[0]) {
		wg_text_add(out, " \\fI");
		put_roff(argument, out);
		wg_text_add(out, "\\fR");
	}
	wg_text_add_char(out, '\n');
	wg_option_words(option, &words);
	put_line(wg_text_string(&words), out);
	scratch_done(&words, out);
}

static void put_title(const char *name, const char *summary, struct wg_text *out)
{
	wg_text_add(out, ".TH \"");
	for (const char *c = name; *c; c++)
		wg_text_add_char(out, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
	/* no date: the page is the same whenever it is built */
	wg_text_printf(out, "\" \"1\" \"\" \"whichgpu %s\" \"User Commands\"\n.SH NAME\n",
	               WG_PROGRAM_VERSION);
	put_roff(name, out);
	wg_text_add(out, " \\- ");
	put_line(summary, out);
}

static void put_examples(const struct wg_command *command, struct wg_text *out)
{
	for (size_t i = 0; i < command->example_count; i++) {
		if (i > 0)
			wg_text_add(out, ".PP\n");
		wg_text_add(out, ".nf\n.RS 4\n\\fB");
		put_roff(command->examples[i].line, out);
		wg_text_add(out, "\\fR\n.RE\n.fi\n.RS 8\n");
		put_line(_(command->examples[i].words), out);
		wg_text_add(out, ".RE\n");
	}
}

static void put_exit_status(struct wg_text *out)
{
	static const char *const rows[][2] = {
		{ "0", N_("the answer was found") },
		{ "1",
		  N_("the honest answer is no: nothing fits, a claim is wrong, a GPU is unhealthy; "
		     "the document is printed all the same") },
		{ "2", N_("the command line or the input cannot be used") },
		{ "3", N_("the system failed: no memory, full disk, closed pipe") },
	};

	wg_text_add(out, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		wg_text_printf(out, ".TP\n.B %s\n", rows[i][0]);
		put_line(_(rows[i][1]), out);
	}
}

static void command_page(const struct wg_command *command, struct wg_text *out)
{
	struct wg_arena *arena = wg_arena_open(1 << 20);
	struct wg_text line;

	if (!arena) {
		out->failed = true;
		return;
	}
	wg_text_init(&line, 1 << 16);
	wg_text_printf(&line, "whichgpu-%s", command->name);
	put_title(wg_text_string(&line), _(command->summary), out);
	wg_text_printf(out, ".SH SYNOPSIS\n\\fBwhichgpu %s\\fR [\\fI%s\\fR]", command->name,
	               _("OPTION..."));
	if (command->words.usage) {
		wg_text_add(out, " \\fI");
		put_roff(command->words.usage, out);
		wg_text_add(out, "\\fR");
	}
	wg_text_add(out, "\n.SH DESCRIPTION\n");
	put_line(_(command->description ? command->description : command->summary), out);
	wg_text_add(out, ".SH OPTIONS\n");
	for (size_t i = 0; i < command->option_count; i++)
		put_option(&command->options[i], arena, out);
	for (size_t i = 0; i < wg_common_option_count; i++) {
		if (wg_common_option_offered(command, &wg_common_options[i]))
			put_option(&wg_common_options[i], arena, out);
	}
	put_exit_status(out);
	if (command->example_count > 0)
		wg_text_add(out, ".SH EXAMPLES\n");
	put_examples(command, out);
	wg_text_add(out, ".SH SEE ALSO\n.BR whichgpu (1)\n");
	scratch_done(&line, out);
	wg_arena_free(arena);
}

static const char about[] = N_(
	"whichgpu plans the purchase or rental of GPUs for a piece of work: training, fine-tuning, "
	"serving or scientific computing. Every figure it uses names its source, every estimate is "
	"a range (80 %), and every answer can be unfolded to its terms.");
static const char units[] = N_(
	"Sizes are written 80GB (10^9 bytes) or 80GiB (2^30 bytes), counts 300B or 8k, durations 30d "
	"or 500ms, money 5000, 5000USD or 36000CNY. What is ambiguous is refused with its two "
	"readings.");

static void program_page(struct wg_text *out)
{
	static const char *const variables[][2] = {
		{ "NO_COLOR", N_("when not empty, no colours are used") },
		{ "LANGUAGE, LC_ALL, LC_MESSAGES, LANG", N_("the language of the words") },
		{ "WHICHGPU_LOCALE_DIR", N_("where the catalogues of words are looked for") },
	};

	put_title("whichgpu", _("plan GPU purchases and rentals"), out);
	wg_text_printf(out, ".SH SYNOPSIS\n\\fBwhichgpu\\fR \\fI%s\\fR [\\fI%s\\fR]\n",
	               _("COMMAND"), _("OPTION..."));
	wg_text_add(out, ".SH DESCRIPTION\n");
	put_line(_(about), out);
	wg_text_add(out, ".PP\n");
	put_line(_(units), out);
	wg_text_add(out, ".SH COMMANDS\n");
	for (size_t i = 0; i < wg_command_count(); i++) {
		wg_text_printf(out, ".TP\n.BR whichgpu\\-%s (1)\n", wg_command_at(i)->name);
		put_line(_(wg_command_at(i)->summary), out);
	}
	put_exit_status(out);
	wg_text_add(out, ".SH ENVIRONMENT\n");
	for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
		wg_text_printf(out, ".TP\n.B %s\n", variables[i][0]);
		put_line(_(variables[i][1]), out);
	}
	wg_text_add(out, ".SH EXAMPLES\n");
	for (size_t i = 0; i < wg_command_count(); i++) {
		if (wg_command_at(i)->group != WG_GROUP_HELP)
			put_examples(wg_command_at(i), out);
	}
}

void wg_man_page(const struct wg_command *command, struct wg_text *out)
{
	if (command)
		command_page(command, out);
	else
		program_page(out);
}
