/* What the commands that look at live GPUs share: options, one sample, a document. */
#ifndef WHICHGPU_CLI_PROBE_CLI_H
#define WHICHGPU_CLI_PROBE_CLI_H

#include "cli/cli.h"
#include "whichgpu/sampler.h"

/* Members of an arguments struct, and their option rows. */
struct probe_arguments {
	const char *nvml, *root;
	double timeout_s;
	int64_t demo;
};
#define PROBE_OPTIONS(type, member)                                                                         \
	{ .name = "nvml",                                                                                   \
	  .kind = WG_OPTION_TEXT,                                                                           \
	  .argument = "FILE",                                                                               \
	  .help = N_("open this library instead of the usual libnvidia-ml.so.1"),                           \
	  .offset = offsetof(struct type, member.nvml) },                                                   \
		{ .name = "root",                                                                           \
		  .kind = WG_OPTION_TEXT,                                                                   \
		  .argument = "FOLDER",                                                                     \
		  .help = N_(                                                                               \
			  "read /sys and /proc below this folder, as in a container with the host's tree"), \
		  .offset = offsetof(struct type, member.root) },                                           \
		{ .name = "timeout",                                                                        \
		  .kind = WG_OPTION_DURATION,                                                               \
		  .otherwise = "10s",                                                                       \
		  .low = 0.1,                                                                               \
		  .high = 3600,                                                                             \
		  .help = N_("how long to wait for a driver before its readings count as stale"),           \
		  .offset = offsetof(struct type, member.timeout_s) },                                      \
	{                                                                                                   \
		.name = "demo", .kind = WG_OPTION_INTEGER, .argument = "N", .low = 1, .high = 64,           \
		.help = N_("show so many made-up GPUs, to look around without one"),                        \
		.offset = offsetof(struct type, member.demo)                                                \
	}

struct wg_probe_options probe_options_of(const struct probe_arguments *arguments);

/* Two samples, a moment apart where rates and GPM need it, or what there is when the
 * patience is over. The sample is the caller's, initialised. */
enum wg_status probe_once(const struct probe_arguments *arguments, struct wg_sample *sample,
                          struct wg_error *error);

/* The last sample of a record; it points into the probe, which the caller frees. */
enum wg_status probe_last_of_record(const char *path, struct wg_probe **ret_probe,
                                    struct wg_sample *sample, struct wg_error *error);

/* notes[] and gpus[] as interface.md says: each reading {value, state, call}. */
void probe_document_data(struct wg_node *parent, const struct wg_sample *sample, bool stable);
/* The table of the GPUs, their processes, and what stands in the way of more. */
void probe_document_view(struct wg_document *document, const struct wg_sample *sample);
/* Notes that a reader should see: all but a vendor that simply is not there. */
void probe_document_notes(struct wg_document *document, const struct wg_sample *sample);

/* A reading as a cell: its value in the unit, or the word for its state. */
struct wg_cell probe_cell(const struct wg_reading *reading, enum wg_unit unit);
/* "N/A", "no permission", "not in MIG", "lost", "stale". */
const char *probe_state_word(enum wg_probe_state state);
/* "0" or, for an instance, "0:1" by GPU and GPU instance. */
void probe_label(const struct wg_probe_gpu *gpu, char *buffer, size_t buffer_bytes);

#endif
