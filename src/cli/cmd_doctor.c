/* doctor: is each GPU healthy, and what it should be? */
#include <stdlib.h>

#include "cli/probe_cli.h"
#include "whichgpu/doctor.h"

#define XIDS_MOST 256

struct doctor_arguments {
	double between_s;
	struct probe_arguments probe;
};

/* Everything the examination looks at. */
struct findings_of {
	struct wg_sample before, now;
	struct wg_probe_pair *pairs;
	size_t pair_count;
	struct wg_xid_event xids[XIDS_MOST];
	size_t xid_count;
	struct wg_catalog *catalog;
};

static enum wg_status take_samples(const struct doctor_arguments *given, struct findings_of *of,
                                   struct wg_error *error)
{
	struct wg_sampler_options options = {
		.probe = probe_options_of(&given->probe),
		.interval_s = given->between_s,
		.timeout_s = given->probe.timeout_s,
	};
	struct wg_sampler *sampler;
	enum wg_status status = wg_sampler_open(&options, &sampler, error);

	if (status != WG_OK)
		return status;
	wg_sampler_wait(sampler, 0, given->probe.timeout_s);
	status = wg_sampler_get(sampler, &of->before, NULL, error);
	if (status == WG_OK) {
		wg_sampler_wait(sampler, 1, given->probe.timeout_s + given->between_s);
		status = wg_sampler_get(sampler, &of->now, NULL, error);
	}
	wg_sampler_free(sampler);
	return status;
}

static bool hung(const struct wg_sample *sample)
{
	for (size_t i = 0; i < sample->note_count; i++) {
		if (sample->notes[i].kind == WG_PROBE_NOTE_HUNG)
			return true;
	}
	return false;
}

/* Pairs need a probe of their own; not when a driver hangs, since this one would. */
static enum wg_status take_pairs(const struct doctor_arguments *given, struct findings_of *of,
                                 struct wg_error *error)
{
	struct wg_probe_options options = probe_options_of(&given->probe);
	struct wg_sample sample;
	struct wg_probe *probe;
	enum wg_status status;

	if (hung(&of->now) || of->now.count < 2)
		return WG_OK;
	options.no_processes = true;
	status = wg_probe_open(&options, &probe, error);
	if (status != WG_OK)
		return status;
	wg_sample_init(&sample);
	status = wg_probe_sample(probe, wg_clock_s(), wg_time_s(), &sample, error);
	if (status == WG_OK)
		status = wg_probe_pairs(probe, &of->pairs, &of->pair_count, error);
	wg_sample_done(&sample);
	wg_probe_free(probe);
	return status;
}

static enum wg_status take_log(const struct doctor_arguments *given, struct findings_of *of,
                               struct wg_error *error)
{
	char *text;
	enum wg_status status;

	/* A made-up GPU has no errors in this machine's log. */
	if (given->probe.demo > 0)
		return WG_OK;
	status = wg_kernel_log_read(given->probe.root, &text, error);
	if (status != WG_OK)
		return status;
	of->xid_count = wg_xid_parse(text, of->xids, XIDS_MOST);
	free(text);
	return WG_OK;
}

/* --- showing -------------------------------------------------------------------------- */

static void put_data(struct wg_node *parent, const struct wg_doctor *doctor,
                     const struct wg_sample *sample)
{
	struct wg_node *findings = wg_node_array(parent, "findings"), *gpus;

	for (size_t i = 0; i < doctor->count; i++) {
		const struct wg_finding *finding = &doctor->findings[i];
		struct wg_node *node = wg_node_object(findings, NULL);

		wg_node_string(node, "gpu", finding->gpu[0] ? finding->gpu : NULL);
		wg_node_string(node, "severity", wg_severity_key(finding->severity));
		wg_node_string(node, "code", finding->code);
		wg_node_string(node, "finding", finding->finding);
		wg_node_string(node, "evidence", finding->evidence[0] ? finding->evidence : NULL);
		wg_node_string(node, "advice", finding->advice[0] ? finding->advice : NULL);
	}
	gpus = wg_node_array(parent, "gpus");
	for (size_t i = 0; i < sample->count; i++) {
		struct wg_node *node = wg_node_object(gpus, NULL);

		wg_node_string(node, "key", sample->gpus[i].key);
		wg_node_string(node, "name", sample->gpus[i].texts[WG_PROBE_TEXT_NAME].value);
	}
	wg_node_integer(parent, "checks_made", (int64_t)doctor->checks);
	wg_node_integer(parent, "checks_without_reading", (int64_t)doctor->silent);
}

static const char *severity_word(enum wg_severity severity)
{
	static const char *const words[] = { N_("note"), N_("warning"), N_("FAULT") };

	return _(words[severity]);
}

static void put_view(struct wg_document *document, const struct wg_doctor *doctor,
                     const struct wg_sample *sample)
{
	const struct wg_column columns[] = {
		{ .key = "severity", .title = _("severity") },
		{ .key = "gpu", .title = _("GPU") },
		{ .key = "finding", .title = _("finding") },
		{ .key = "evidence", .title = _("evidence"), .priority = 1 },
		{ .key = "advice", .title = _("advice"), .priority = 2 },
	};
	struct wg_block *table;
	char words[200];

	if (doctor->count > 0) {
		table = wg_document_table(document, "findings", NULL, columns,
		                          sizeof columns / sizeof columns[0]);
		for (size_t i = 0; i < doctor->count; i++) {
			const struct wg_finding *finding = &doctor->findings[i];

			wg_table_row(table, (const struct wg_cell[]){
						    wg_cell_text(severity_word(finding->severity)),
						    wg_cell_text(finding->gpu[0] ? finding->gpu
			                                                         : _("machine")),
						    wg_cell_text(finding->finding),
						    wg_cell_text(finding->evidence),
						    wg_cell_text(finding->advice),
					    });
		}
		wg_table_main(table);
	}
	if (sample->count == 0) {
		wg_document_paragraph(document, _("No GPU was found on this machine."));
		probe_document_notes(document, sample);
		return;
	}
	snprintf(words, sizeof words,
	         _("%zu GPUs and instances, %zu checks made, %zu not possible because nothing is "
	           "reported."),
	         sample->count, doctor->checks, doctor->silent);
	wg_document_paragraph(document, words);
}

static enum wg_status examine(const struct findings_of *of, struct wg_result *result,
                              struct wg_error *error)
{
	const struct wg_doctor_input input = {
		.before = &of->before,
		.now = &of->now,
		.pairs = of->pairs,
		.pair_count = of->pair_count,
		.xids = of->xids,
		.xid_count = of->xid_count,
		.catalog = of->catalog,
	};
	struct wg_doctor doctor;
	enum wg_status status = wg_doctor_examine(&input, &doctor, error);

	if (status != WG_OK)
		return status;
	put_data(wg_document_data(result->document), &doctor, &of->now);
	put_view(result->document, &doctor, &of->now);
	result->answer_is_no = of->now.count == 0 || wg_doctor_worst(&doctor) == WG_SEVERITY_FAULT;
	wg_doctor_done(&doctor);
	return WG_OK;
}

static enum wg_status doctor_run(const struct wg_cli *cli, const void *arguments,
                                 struct wg_result *result, struct wg_error *error)
{
	const struct doctor_arguments *given = arguments;
	struct findings_of *of = calloc(1, sizeof *of);
	enum wg_status status;

	if (!of)
		return wg_error_no_memory(error);
	wg_sample_init(&of->before);
	wg_sample_init(&of->now);
	status = wg_catalog_open(cli->data_folder, &of->catalog, error);
	if (status == WG_OK)
		status = take_samples(given, of, error);
	if (status == WG_OK)
		status = take_pairs(given, of, error);
	if (status == WG_OK)
		status = take_log(given, of, error);
	if (status == WG_OK)
		status = examine(of, result, error);
	wg_catalog_free(of->catalog);
	wg_sample_done(&of->before);
	wg_sample_done(&of->now);
	free(of->pairs);
	free(of);
	return status;
}

static const struct wg_option options[] = {
	{ .name = "between",
	  .kind = WG_OPTION_DURATION,
	  .otherwise = "1s",
	  .low = 0.1,
	  .high = 600,
	  .help = N_("time between the two readings that are compared"),
	  .offset = offsetof(struct doctor_arguments, between_s) },
	PROBE_OPTIONS(doctor_arguments, probe),
};

static const struct wg_example examples[] = {
	{ "whichgpu doctor --demo 2 --between 100ms", N_("examine two made-up GPUs") },
};

const struct wg_command wg_command_doctor = {
	.name = "doctor",
	.summary = N_("is each GPU healthy, and what it should be"),
	.group = WG_GROUP_MEASURE,
	.description = N_(
		"Looks at links, power limits, throttling, memory errors, XIDs in the kernel's log, "
		"modes and peers, and compares each GPU with what the catalogue says of its name: lanes, "
		"memory, bus and bandwidth of a re-badged or modified card differ. Some findings show "
		"under load only, so run it while the GPUs work.\n\n"
		"A note is for information, a warning costs speed or may become worse, a fault needs "
		"hands. Exit status 1 on a fault, or when no GPU is found."),
	.examples = examples,
	.example_count = sizeof examples / sizeof examples[0],
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.arguments_bytes = sizeof(struct doctor_arguments),
	.run = doctor_run,
};
