/* From the words of a command line to an exit status. */
#ifndef WHICHGPU_CLI_RUN_H
#define WHICHGPU_CLI_RUN_H

#include "cli/output.h"

enum wg_exit wg_cli_run(int argc, char **argv, enum wg_language language);

#endif
