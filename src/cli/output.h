/* What leaves the program: standard output, files, standard error. */
#ifndef WHICHGPU_CLI_OUTPUT_H
#define WHICHGPU_CLI_OUTPUT_H

#include "cli/cli.h"

enum wg_exit { WG_EXIT_YES = 0, WG_EXIT_NO = 1, WG_EXIT_BAD_INPUT = 2, WG_EXIT_SYSTEM = 3 };

/* Before anything is opened: a closed standard stream is replaced, so that no
 * file of ours takes its number, and a closed pipe becomes an error instead of
 * a signal. */
void wg_output_init(void);
/* All bytes to standard output, or an error (full disk, closed pipe). */
enum wg_status wg_output_write(const char *bytes, size_t length, struct wg_error *error);
/* "whichgpu: FILE:LINE:COLUMN: message" and its hint on standard error. */
void wg_output_error(const struct wg_error *error);
enum wg_exit wg_exit_of(enum wg_status status);

/* Columns of the terminal on standard output; 0 when it is none. */
unsigned wg_output_terminal_columns(void);
/* Are colours wanted there, by NO_COLOR and TERM? */
bool wg_output_has_colour(void);
/* Can the terminal show box characters, by what the locale says? */
bool wg_output_is_ascii(void);

#endif
