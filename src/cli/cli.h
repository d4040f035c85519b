/* The frame every command stands in.
 *
 * A command is one file, src/cli/cmd_<name>.c, that ends in one const entry:
 *
 *	struct show_arguments {
 *		struct wg_words gpus;          positional words
 *		bool sources;
 *	};
 *	static const struct wg_option options[] = {
 *		{ .name = "sources", .kind = WG_OPTION_FLAG,
 *		  .help = N_("show what every document says, and which was chosen"),
 *		  .offset = offsetof(struct show_arguments, sources) },
 *	};
 *	const struct wg_command wg_command_show = {
 *		.name = "show", .summary = N_("all figures of one GPU, with their sources"),
 *		.words = { "GPU", 1, 1, offsetof(struct show_arguments, gpus) },
 *		.options = options, .option_count = sizeof options / sizeof options[0],
 *		.arguments_bytes = sizeof(struct show_arguments), .run = show_run,
 *	};
 *
 * and is named once in src/cli/commands.def. The frame parses the command line
 * by the table, opens the document with the command's name as schema, calls
 * run, writes the document in the form asked for, and turns the outcome into
 * the exit status. The same table makes --help, the manual page and the shell
 * completion, so a row's help is written for a reader: a lower-case phrase
 * with no full stop.
 *
 * run computes and fills the document, and never prints or exits; it returns a
 * status with the error filled in when there is no answer. Build the data tree
 * (JSON) in full always. Split parse, compute and show into functions of their
 * own. Words are marked N_() in tables and _() where they are used. */
#ifndef WHICHGPU_CLI_CLI_H
#define WHICHGPU_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/i18n.h"
#include "whichgpu/number.h"
#include "whichgpu/report.h"
#include "whichgpu/status.h"

/* What an option takes, and the type of the member it is stored in. */
enum wg_option_kind {
	WG_OPTION_FLAG,     /* bool; takes no argument */
	WG_OPTION_TEXT,     /* const char *, lives as long as the command runs */
	WG_OPTION_INTEGER,  /* int64_t */
	WG_OPTION_NUMBER,   /* double */
	WG_OPTION_PERCENT,  /* double, a share: "40%" and "0.4" are 0.4 */
	WG_OPTION_SIZE,     /* double, bytes: 80GB, 80GiB */
	WG_OPTION_COUNT,    /* double: 300B, 8k */
	WG_OPTION_DURATION, /* double, seconds: 30d, 500ms */
	WG_OPTION_MONEY,    /* struct wg_money: 5000, 5000USD, 36000CNY */
	WG_OPTION_WATTS,    /* double: 700W, 10kW */
	WG_OPTION_CHOICE,   /* int: index into choices */
	WG_OPTION_LIST,     /* struct wg_words: given again, or "a,b", or both */
};

/* A list of words; not owned, not NULL-ended. */
struct wg_words {
	const char *const *items;
	size_t count;
};

struct wg_option {
	const char *name; /* long name without dashes: "input-tokens" */
	char letter;      /* short form, 0: none */
	enum wg_option_kind kind;
	const char *argument;        /* "N", "FILE"; NULL: the usual word of the kind */
	const char *help;            /* N_("...") */
	const char *otherwise;       /* default as one would type it, parsed the same way;
	                                 NULL: member stays zero */
	const char *otherwise_words; /* N_("...") when the default is a rule, not a value */
	double low, high;            /* numbers; both 0: from 0 up */
	const char *const *choices;  /* WG_OPTION_CHOICE; NULL-ended */
	size_t offset;               /* of the member in the arguments struct */
};

/* The words after the options: "GPU GPU...", from least to most of them. */
struct wg_words_rule {
	const char *usage;  /* NULL: the command takes none */
	size_t least, most; /* most 0: as many as there are */
	size_t offset;      /* of a struct wg_words in the arguments struct */
};

struct wg_example {
	const char *line;  /* "whichgpu show h100-sxm"; tests run it */
	const char *words; /* N_("...") */
};

enum wg_language { WG_LANGUAGE_EN, WG_LANGUAGE_ZH };

/* What the common options said; the same for every command. */
struct wg_cli {
	const struct wg_command *command;
	enum wg_report_format format;     /* of standard output */
	const char *html_path, *svg_path; /* NULL: not asked for */
	const char *data_folder;          /* --data: overlay for wg_catalog_open; NULL: none */
	bool wants_picture;               /* --svg, or --html of a command that draws */
	unsigned columns;                 /* screen width */
	bool colour;
	bool stable;  /* leave out what differs between two runs */
	bool offline; /* never use the network */
	enum wg_language language;
	uint64_t given; /* bit i: option row i was on the command line */
};

/* Filled by run. The frame owns all of it. */
struct wg_result {
	struct wg_document *document; /* opened by the frame; schema is the command's name */
	struct wg_text svg;           /* the picture, when cli->wants_picture */
	struct wg_text plain;         /* when not empty: printed instead of the document */
	bool answer_is_no;            /* exit status 1: nothing fits, a claim is wrong */
	bool written;                 /* the command wrote its own output (a screen, a stream) */
};

enum wg_command_group {
	WG_GROUP_CHOOSE,
	WG_GROUP_LOOK_UP,
	WG_GROUP_CHECK,
	WG_GROUP_MEASURE,
	WG_GROUP_HELP,
	WG_GROUP_COUNT
};

struct wg_command {
	const char *name;
	const char *summary; /* N_("..."): one phrase for the overview */
	enum wg_command_group group;
	struct wg_words_rule words;
	const char *description; /* N_("..."): paragraphs for --help and the manual */
	const struct wg_example *examples;
	size_t example_count;
	const struct wg_option *options;
	size_t option_count;    /* at most 64 */
	size_t arguments_bytes; /* 0: no arguments struct */
	bool draws;             /* offers --svg */
	bool speaks_plain;      /* prints result->plain only: no --json and the like */
	enum wg_status (*run)(const struct wg_cli *cli, const void *arguments,
	                      struct wg_result *result, struct wg_error *error);
};

/* Was this option on the command line (not just its default)? An unknown name
 * is a programmer's mistake (assert). */
bool wg_cli_given(const struct wg_cli *cli, const char *option_name);
/* One line on standard error: "whichgpu: warning: ...". */
__attribute__((format(printf, 2, 3))) void wg_cli_warn(const struct wg_cli *cli, const char *format,
                                                       ...);

#endif
