/* Parsing a command line by option tables. */
#ifndef WHICHGPU_CLI_OPTIONS_H
#define WHICHGPU_CLI_OPTIONS_H

#include "cli/cli.h"
#include "whichgpu/arena.h"

/* A table and the struct its offsets point into. */
struct option_set {
	const struct wg_option *rows;
	size_t count;
	void *arguments;
	uint64_t given; /* out: bit i when row i was on the command line */
};

/* Puts the default of every row into place. Defaults are part of the program:
 * one that does not parse is an error of WG_BAD_INPUT that tests look for. */
enum wg_status wg_options_defaults(const struct option_set *set, struct wg_arena *arena,
                                   struct wg_error *error);

/* Reads argv (argv[0] is skipped) into the sets; what is no option goes to
 * ret_words, in order, also after "--". argv is permuted; lists live in arena.
 * An unknown option is an error whose hint names the nearest ones. */
enum wg_status wg_options_parse(int argc, char **argv, struct option_set *sets, size_t set_count,
                                struct wg_arena *arena, struct wg_words *ret_words,
                                struct wg_error *error);

/* The word for an option's argument in help: "N", "FILE", "en|zh"; "" for a
 * flag. Lives in arena; NULL when memory is out. */
const char *wg_option_argument(const struct wg_option *option, struct wg_arena *arena);

#endif
