/* The doctor's round: the machine, each GPU, each pair. */
#include "whichgpu/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/doctor_rules.h"

#define FINDINGS_MOST 4096

const char *wg_severity_key(enum wg_severity severity)
{
	static const char *const keys[] = { "note", "warning", "fault" };

	return keys[severity];
}

struct wg_finding *doctor_find(struct examination *e, enum wg_severity severity, const char *code,
                               const char *format, ...)
{
	struct wg_doctor *doctor = e->doctor;
	struct wg_finding *finding;
	va_list arguments;

	if (doctor->count == doctor->capacity && doctor->capacity < FINDINGS_MOST) {
		size_t capacity = doctor->capacity ? doctor->capacity * 2 : 16;
		struct wg_finding *findings =
			realloc(doctor->findings, capacity * sizeof *findings);

		if (findings) {
			doctor->findings = findings;
			doctor->capacity = capacity;
		}
	}
	if (doctor->count == doctor->capacity) {
		e->out_of_memory = true;
		return NULL;
	}
	finding = &doctor->findings[doctor->count++];
	memset(finding, 0, sizeof *finding);
	finding->severity = severity;
	finding->code = code;
	if (e->gpu)
		memcpy(finding->gpu, e->gpu->key, sizeof finding->gpu);
	va_start(arguments, format);
	vsnprintf(finding->finding, sizeof finding->finding, format, arguments);
	va_end(arguments);
	return finding;
}

void doctor_evidence(struct wg_finding *finding, const char *format, ...)
{
	va_list arguments;

	if (!finding)
		return;
	va_start(arguments, format);
	vsnprintf(finding->evidence, sizeof finding->evidence, format, arguments);
	va_end(arguments);
}

void doctor_advise(struct wg_finding *finding, const char *advice)
{
	if (finding)
		snprintf(finding->advice, sizeof finding->advice, "%s", advice);
}

bool doctor_reads(struct examination *e, enum wg_reading_name name, double *ret_value)
{
	bool known = wg_reading_ok(e->gpu, name, ret_value);

	if (known)
		e->doctor->checks++;
	else
		e->doctor->silent++;
	return known;
}

static void examine_notes(struct examination *e)
{
	for (size_t i = 0; i < e->input->now->note_count; i++) {
		const struct wg_probe_note *note = &e->input->now->notes[i];
		struct wg_finding *finding;

		if (note->kind == WG_PROBE_NOTE_OK || note->kind == WG_PROBE_NOTE_NO_GPU ||
		    note->kind == WG_PROBE_NOTE_NO_LIBRARY)
			continue;
		finding = doctor_find(e, WG_SEVERITY_FAULT, wg_probe_note_key(note->kind), "%s",
		                      note->message);
		doctor_evidence(finding, "%s", note->backend);
		doctor_advise(finding, note->advice);
	}
}

/* Of the GPU in the kernel's log; the driver's own events come from the sample. */
static void examine_xids(struct examination *e)
{
	for (size_t i = 0; i < e->input->xid_count; i++) {
		const struct wg_xid_event *event = &e->input->xids[i];
		const struct wg_xid_meaning *meaning = wg_xid_find(event->xid);
		struct wg_finding *finding;

		if (strcmp(event->key, e->gpu->key) != 0)
			continue;
		finding = doctor_find(e, meaning ? meaning->severity : WG_SEVERITY_WARNING, "xid",
		                      "%s",
		                      meaning ? meaning->words
		                              : "the driver reported an error of a kind that "
		                                "is not in our table");
		doctor_evidence(finding, "XID %u, %.0f time%s in the kernel's log", event->xid,
		                event->count, event->count == 1 ? "" : "s");
		doctor_advise(finding, meaning ? meaning->advice
		                               : "look it up in NVIDIA's document \"Xid Errors\"");
	}
}

static const char *peer_words(enum wg_probe_peer peer)
{
	static const char *const words[] = {
		[WG_PEER_STATE_NOT_KNOWN] = "not known",
		[WG_PEER_STATE_OK] = "ok",
		[WG_PEER_STATE_CHIPSET] = "the chipset does not support it",
		[WG_PEER_STATE_GPU] = "the GPU does not support it",
		[WG_PEER_STATE_TOPOLOGY] = "the way between them does not support it",
		[WG_PEER_STATE_DISABLED] = "switched off",
		[WG_PEER_STATE_NOT_SUPPORTED] = "not supported",
	};

	return words[peer];
}

static const struct wg_gpu *catalogue_gpu(const struct examination *e, const char *key)
{
	long place = wg_sample_find(e->input->now, key);
	const struct wg_gpu *gpu = NULL;

	if (place < 0 || !e->input->catalog)
		return NULL;
	if (wg_catalog_match(e->input->catalog,
	                     e->input->now->gpus[place].texts[WG_PROBE_TEXT_NAME].value, &gpu,
	                     NULL) != WG_OK)
		return NULL;
	return gpu;
}

/* Peer access that is missing is a fault of the machine only where the GPU has it:
 * on cards that lack it by design it is worth a note. */
static void examine_pairs(struct examination *e)
{
	size_t without = 0, across = 0;
	const struct wg_probe_pair *shown = NULL;
	bool expected = false;
	struct wg_finding *finding;

	for (size_t i = 0; i < e->input->pair_count; i++) {
		const struct wg_probe_pair *pair = &e->input->pairs[i];
		const struct wg_gpu *gpu = catalogue_gpu(e, pair->key_a);

		across += pair->path == WG_PATH_ACROSS_NUMA;
		if (pair->read == WG_PEER_STATE_OK || pair->read == WG_PEER_STATE_NOT_KNOWN)
			continue;
		without++;
		shown = pair;
		expected |= gpu && gpu->peer == WG_PEER_YES;
	}
	if (without > 0) {
		finding =
			doctor_find(e, expected ? WG_SEVERITY_WARNING : WG_SEVERITY_NOTE, "no_peer",
		                    "%zu of %zu pairs of GPUs cannot read each other's memory",
		                    without, e->input->pair_count);
		doctor_evidence(finding, "%s and %s: %s", shown->key_a, shown->key_b,
		                peer_words(shown->read));
		doctor_advise(
			finding,
			expected
				? "check IOMMU and ACS settings of the machine: these GPUs can do it"
				: "copies between them go through the host's memory; plan with that speed");
	}
	if (across > 0) {
		finding = doctor_find(e, WG_SEVERITY_NOTE, "across_numa",
		                      "%zu of %zu pairs of GPUs are on different processors",
		                      across, e->input->pair_count);
		doctor_advise(finding,
		              "keep a job's GPUs on one processor where it fits, and bind its "
		              "threads there");
	}
}

static void examine_gpu(struct examination *e, const struct wg_probe_gpu *gpu)
{
	long before = wg_sample_find(e->input->before, gpu->key);
	struct wg_finding *finding;

	e->gpu = gpu;
	e->before = before >= 0 ? &e->input->before->gpus[before] : NULL;
	if (gpu->kind == WG_PROBE_WHOLE)
		examine_xids(e);
	if (gpu->lost) {
		finding = doctor_find(e, WG_SEVERITY_FAULT, "lost", "the GPU does not answer");
		doctor_evidence(finding, "%s",
		                gpu->readings[WG_READ_POWER].call
		                        ? gpu->readings[WG_READ_POWER].call
		                        : "driver");
		doctor_advise(finding,
		              "look at the kernel log; reset it or restart the machine; check "
		              "power cables and heat");
		return;
	}
	if (gpu->kind != WG_PROBE_WHOLE)
		return;
	doctor_rules_gpu(e);
	doctor_rules_identity(e);
}

static int worse_first(const void *a, const void *b)
{
	const struct wg_finding *left = a, *right = b;

	if (left->severity != right->severity)
		return (left->severity < right->severity) - (left->severity > right->severity);
	return strcmp(left->gpu, right->gpu) ? strcmp(left->gpu, right->gpu)
	                                     : strcmp(left->code, right->code);
}

enum wg_status wg_doctor_examine(const struct wg_doctor_input *input, struct wg_doctor *ret_doctor,
                                 struct wg_error *error)
{
	struct wg_doctor doctor = { 0 };
	struct examination e = { .input = input, .doctor = &doctor };

	examine_notes(&e);
	examine_pairs(&e);
	for (size_t i = 0; i < input->now->count; i++)
		examine_gpu(&e, &input->now->gpus[i]);
	if (e.out_of_memory) {
		wg_doctor_done(&doctor);
		return wg_error_no_memory(error);
	}
	if (doctor.count > 1)
		qsort(doctor.findings, doctor.count, sizeof *doctor.findings, worse_first);
	*ret_doctor = doctor;
	return WG_OK;
}

void wg_doctor_done(struct wg_doctor *doctor)
{
	free(doctor->findings);
	memset(doctor, 0, sizeof *doctor);
}

enum wg_severity wg_doctor_worst(const struct wg_doctor *doctor)
{
	enum wg_severity worst = WG_SEVERITY_NOTE;

	for (size_t i = 0; i < doctor->count; i++) {
		if (doctor->findings[i].severity > worst)
			worst = doctor->findings[i].severity;
	}
	return worst;
}
