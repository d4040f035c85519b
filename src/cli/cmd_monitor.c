/* monitor: the GPUs of this machine now, over time, and as a record tells. */
#include <math.h>
#include <string.h>

#include "cli/monitor_live.h"
#include "cli/monitor_report.h"
#include "cli/output.h"
#include "cli/probe_cli.h"
#include "tui/terminal.h"
#include "tui/watch.h"

struct monitor_arguments {
	struct wg_words words;
	bool once;
	const char *record, *replay, *export;
	int names;
	double interval_s, duration_s, record_limit_bytes, usd_per_kwh;
	struct probe_arguments probe;
};

static enum wg_status show(const struct wg_cli *cli, const struct wg_sample *sample,
                           struct wg_result *result)
{
	probe_document_data(wg_document_data(result->document), sample, cli->stable);
	probe_document_view(result->document, sample);
	result->answer_is_no = sample->count == 0;
	return WG_OK;
}

static enum wg_status show_once(const struct wg_cli *cli, const struct monitor_arguments *given,
                                struct wg_result *result, struct wg_error *error)
{
	struct wg_probe *replayed = NULL;
	struct wg_sample sample;
	enum wg_status status;

	wg_sample_init(&sample);
	if (given->replay)
		status = probe_last_of_record(given->replay, &replayed, &sample, error);
	else
		status = probe_once(&given->probe, &sample, error);
	if (status == WG_OK)
		status = show(cli, &sample, result);
	wg_sample_done(&sample);
	wg_probe_free(replayed);
	return status;
}

static enum wg_status check_words(const struct wg_words *words, struct wg_error *error)
{
	if (words->count == 0 || (words->count == 2 && strcmp(words->items[0], "report") == 0))
		return WG_OK;
	if (strcmp(words->items[0], "report") == 0) {
		wg_error_set(error, WG_BAD_INPUT,
		             _("\"monitor report\" needs the file of a record"));
		return WG_BAD_INPUT;
	}
	wg_error_set(error, WG_BAD_INPUT, _("\"%s\" is no word of \"monitor\""), words->items[0]);
	wg_error_hint(error, _("\"whichgpu monitor report FILE\" reports on a record"));
	return WG_BAD_INPUT;
}

static enum wg_status check(const struct wg_cli *cli, const struct monitor_arguments *given,
                            struct wg_error *error)
{
	enum wg_status status = check_words(&given->words, error);
	bool live = given->record || given->export;

	if (status != WG_OK)
		return status;
	if (cli->svg_path && given->words.count == 0)
		return wg_error_set(error, WG_BAD_INPUT,
		                    _("a picture is made by \"monitor report\" only"));
	if (given->replay && given->record)
		return wg_error_set(error, WG_BAD_INPUT, _("a record cannot be recorded again"));
	if (given->once && live)
		return wg_error_set(error, WG_BAD_INPUT, _("--once and %s exclude each other"),
		                    given->record ? "--record" : "--export");
	return WG_OK;
}

static struct wg_probe_options options_of(const struct monitor_arguments *given)
{
	struct wg_probe_options probe = probe_options_of(&given->probe);

	probe.replay_path = given->replay;
	return probe;
}

static enum wg_status show_screen(const struct wg_cli *cli, const struct monitor_arguments *given,
                                  struct wg_result *result, struct wg_error *error)
{
	const struct tui_options screen = {
		.sampler = {
			.probe = options_of(given),
			.interval_s = given->interval_s,
			.timeout_s = given->probe.timeout_s,
		},
		.colour = cli->colour,
		.ascii = wg_output_is_ascii(),
	};

	result->written = true;
	return tui_watch(&screen, error);
}

static enum wg_status monitor_run(const struct wg_cli *cli, const void *arguments,
                                  struct wg_result *result, struct wg_error *error)
{
	const struct monitor_arguments *given = arguments;
	enum wg_status status = check(cli, given, error);

	if (status != WG_OK)
		return status;
	if (given->words.count == 2)
		return monitor_report(cli, given->words.items[1],
		                      wg_cli_given(cli, "usd-per-kwh") ? given->usd_per_kwh : NAN,
		                      result, error);
	if (given->record || given->export) {
		const struct monitor_live live = {
			.probe = options_of(given),
			.interval_s = given->interval_s,
			.timeout_s = given->probe.timeout_s,
			.duration_s = given->duration_s,
			.record_path = given->record,
			.record_limit_bytes = given->record_limit_bytes,
			.export_address = given->export,
			.names = (enum metrics_names)given->names,
		};

		return monitor_live(&live, result, error);
	}
	if (!given->once && cli->format == WG_REPORT_TEXT && !cli->html_path && terminal_usable())
		return show_screen(cli, given, result, error);
	return show_once(cli, given, result, error);
}

/* In the order of enum metrics_names. */
static const char *const name_choices[] = { "own", "dcgm", "nvidia_smi", NULL };

static const struct wg_option options[] = {
	{ .name = "once",
	  .kind = WG_OPTION_FLAG,
	  .help = N_("print one reading of every GPU and end, as is done without a terminal"),
	  .offset = offsetof(struct monitor_arguments, once) },
	{ .name = "record",
	  .kind = WG_OPTION_TEXT,
	  .argument = "FILE",
	  .help = N_("write the readings into this SQLite file until told to stop"),
	  .offset = offsetof(struct monitor_arguments, record) },
	{ .name = "record-limit",
	  .kind = WG_OPTION_SIZE,
	  .otherwise_words = N_("no limit"),
	  .help = N_("drop the oldest tenth of the record when it grows above this"),
	  .offset = offsetof(struct monitor_arguments, record_limit_bytes) },
	{ .name = "replay",
	  .kind = WG_OPTION_TEXT,
	  .argument = "FILE",
	  .help = N_("read a record instead of this machine's GPUs"),
	  .offset = offsetof(struct monitor_arguments, replay) },
	{ .name = "export",
	  .kind = WG_OPTION_TEXT,
	  .argument = "[ADDR]:PORT",
	  .help = N_("serve the readings to Prometheus until told to stop; without ADDR to this "
	             "machine only"),
	  .offset = offsetof(struct monitor_arguments, export) },
	{ .name = "names",
	  .kind = WG_OPTION_CHOICE,
	  .choices = name_choices,
	  .otherwise = "own",
	  .help = N_("whose metric names to serve: our own, for any vendor, or those of another "
	             "exporter in whose place this one stands"),
	  .offset = offsetof(struct monitor_arguments, names) },
	{ .name = "interval",
	  .kind = WG_OPTION_DURATION,
	  .otherwise = "1s",
	  .low = 0.05,
	  .high = 86400,
	  .help = N_("time between two readings"),
	  .offset = offsetof(struct monitor_arguments, interval_s) },
	{ .name = "duration",
	  .kind = WG_OPTION_DURATION,
	  .otherwise_words = N_("until interrupted"),
	  .low = 0.01,
	  .high = 31536000,
	  .help = N_("stop recording or serving after this time"),
	  .offset = offsetof(struct monitor_arguments, duration_s) },
	{ .name = "usd-per-kwh",
	  .kind = WG_OPTION_NUMBER,
	  .argument = "USD",
	  .low = 0,
	  .high = 100,
	  .help = N_("price of energy, for the cost in a report"),
	  .offset = offsetof(struct monitor_arguments, usd_per_kwh) },
	PROBE_OPTIONS(monitor_arguments, probe),
};

static const struct wg_example examples[] = {
	{ "whichgpu monitor --once --demo 2", N_("two made-up GPUs, to see what is shown") },
	{ "whichgpu monitor --once --demo 1 --json", N_("every reading with its state") },
	{ "whichgpu monitor --demo 1 --record gpus.db --duration 1s",
	  N_("a record of one second") },
	{ "whichgpu monitor --demo 4 --export :9400 --duration 1s",
	  N_("metrics for Prometheus at http://127.0.0.1:9400/metrics") },
	{ "whichgpu monitor report gpus.db --usd-per-kwh 0.2", N_("what the record says") },
};

const struct wg_command wg_command_monitor = {
	.name = "monitor",
	.summary = N_("watch the GPUs of this machine"),
	.group = WG_GROUP_MEASURE,
	.words = { "[report FILE]", 0, 2, offsetof(struct monitor_arguments, words) },
	.description = N_(
		"Reads NVIDIA GPUs through the driver's own library, AMD and Intel ones from the "
		"kernel's files; nothing else needs to be installed, and nothing is changed. Every "
		"reading has a state: a value that the GPU does not report is N/A, never 0. \"Busy\" "
		"is the share of time in which anything ran at all; where the GPU tells, SM and "
		"tensor activity beside it say how much of it did.\n\n"
		"On a terminal the GPUs, their processes and every reading are shown and renewed until "
		"q is pressed; h lists the keys.\n\n"
		"A record is an SQLite file that loses at most the sample being written when the "
		"program or machine dies. \"monitor report\" tells its energy, use, throttling and "
		"peaks, and draws them with --svg.\n\n"
		"--export serves metrics under /metrics, to this machine only unless another address "
		"is given; there is no password, so do not give it the address of a public network. "
		"Its answers never wait for a driver: readings older than --timeout are left out.\n\n"
		"Exit status 1 when no GPU is found."),
	.examples = examples,
	.example_count = sizeof examples / sizeof examples[0],
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.arguments_bytes = sizeof(struct monitor_arguments),
	.draws = true,
	.run = monitor_run,
};
