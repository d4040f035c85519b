/* monitor: the GPUs of this machine as they are now. */
#include "cli/probe_cli.h"

struct monitor_arguments {
	bool once;
	struct probe_arguments probe;
};

static enum wg_status monitor_run(const struct wg_cli *cli, const void *arguments,
                                  struct wg_result *result, struct wg_error *error)
{
	const struct monitor_arguments *given = arguments;
	struct wg_sample sample;
	enum wg_status status;

	wg_sample_init(&sample);
	status = probe_once(&given->probe, &sample, error);
	if (status == WG_OK) {
		probe_document_data(wg_document_data(result->document), &sample, cli->stable);
		probe_document_view(result->document, &sample);
		result->answer_is_no = sample.count == 0;
	}
	wg_sample_done(&sample);
	return status;
}

static const struct wg_option options[] = {
	{ .name = "once", .kind = WG_OPTION_FLAG,
	  .help = N_("print one reading of every GPU and end"),
	  .offset = offsetof(struct monitor_arguments, once) },
	PROBE_OPTIONS(monitor_arguments, probe),
};

static const struct wg_example examples[] = {
	{ "whichgpu monitor --once --demo 2", N_("two made-up GPUs, to see what is shown") },
	{ "whichgpu monitor --once --demo 1 --json", N_("every reading with its state") },
};

const struct wg_command wg_command_monitor = {
	.name = "monitor",
	.summary = N_("watch the GPUs of this machine"),
	.group = WG_GROUP_MEASURE,
	.description = N_(
		"Reads NVIDIA GPUs through the driver's own library, AMD and Intel ones from the "
		"kernel's files; nothing else needs to be installed, and nothing is changed. Every "
		"reading has a state: a value that the GPU does not report is N/A, never 0. \"Busy\" "
		"is the share of time in which anything ran at all; where the GPU tells, SM and "
		"tensor activity beside it say how much of it did.\n\n"
		"Exit status 1 when no GPU is found."),
	.examples = examples,
	.example_count = sizeof examples / sizeof examples[0],
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.arguments_bytes = sizeof(struct monitor_arguments),
	.run = monitor_run,
};
