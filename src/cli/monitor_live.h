/* Watching until told to stop: records and the exporter. */
#ifndef WHICHGPU_CLI_MONITOR_LIVE_H
#define WHICHGPU_CLI_MONITOR_LIVE_H

#include "cli/probe_cli.h"
#include "http/metrics.h"

struct monitor_live {
	struct wg_probe_options probe;
	double interval_s, timeout_s;
	double duration_s;       /* 0: until a signal */
	const char *record_path; /* NULL: none */
	double record_limit_bytes;
	const char *export_address; /* NULL: none */
	enum metrics_names names;
};

/* Runs until the duration is over, SIGINT, SIGTERM or an error. Both signals are
 * blocked in every thread meanwhile and set back at the end. */
enum wg_status monitor_live(const struct monitor_live *live, struct wg_result *result,
                            struct wg_error *error);

#endif
