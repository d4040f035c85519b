/* monitor report FILE: what a record says, as a document and a picture. */
#ifndef WHICHGPU_CLI_MONITOR_REPORT_H
#define WHICHGPU_CLI_MONITOR_REPORT_H

#include "cli/cli.h"

/* usd_per_kwh NaN: no price, no cost. */
enum wg_status monitor_report(const struct wg_cli *cli, const char *path, double usd_per_kwh,
                              struct wg_result *result, struct wg_error *error);

#endif
