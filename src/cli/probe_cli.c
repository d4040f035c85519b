/* One sample as a document. */
#include "cli/probe_cli.h"

#include <math.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "whichgpu/number.h"

/* GPM refuses two samples closer than 0.1 s. */
#define BETWEEN_S 0.15

struct wg_probe_options probe_options_of(const struct probe_arguments *arguments)
{
	return (struct wg_probe_options){
		.nvml_path = arguments->nvml,
		.root = arguments->root,
		.demo_gpus = (unsigned)arguments->demo,
	};
}

/* A record is shown as it ends. */
enum wg_status probe_last_of_record(const char *path, struct wg_probe **ret_probe,
                                    struct wg_sample *sample, struct wg_error *error)
{
	struct wg_probe_options options = { .replay_path = path };
	struct wg_probe *probe;
	enum wg_status status = wg_probe_open(&options, &probe, error);

	if (status != WG_OK)
		return status;
	do
		status = wg_probe_sample(probe, 0, 0, sample, error);
	while (status == WG_OK && !sample->ended);
	if (status == WG_OK)
		*ret_probe = probe;
	else
		wg_probe_free(probe);
	return status;
}

enum wg_status probe_once(const struct probe_arguments *arguments, struct wg_sample *sample,
                          struct wg_error *error)
{
	struct wg_sampler_options options = {
		.probe = probe_options_of(arguments),
		.interval_s = BETWEEN_S,
		.timeout_s = arguments->timeout_s,
	};
	struct wg_sampler *sampler;
	enum wg_status status = wg_sampler_open(&options, &sampler, error);

	if (status != WG_OK)
		return status;
	wg_sampler_wait(sampler, 1, arguments->timeout_s);
	status = wg_sampler_get(sampler, sample, NULL, error);
	wg_sampler_free(sampler);
	return status;
}

const char *probe_state_word(enum wg_probe_state state)
{
	static const char *const words[WG_PROBE_STATE_COUNT] = {
		[WG_PROBE_NOT_SUPPORTED] = N_("N/A"),
		[WG_PROBE_OK] = N_("ok"),
		[WG_PROBE_NO_PERMISSION] = N_("no permission"),
		[WG_PROBE_NOT_IN_MIG] = N_("not in MIG"),
		[WG_PROBE_LOST] = N_("lost"),
		[WG_PROBE_STALE] = N_("stale"),
	};

	return _(words[state]);
}

struct wg_cell probe_cell(const struct wg_reading *reading, enum wg_unit unit)
{
	if (reading->state == WG_PROBE_OK)
		return wg_cell_number(reading->value, unit);
	return wg_cell_text(probe_state_word(reading->state));
}

void probe_label(const struct wg_probe_gpu *gpu, char *buffer, size_t buffer_bytes)
{
	if (gpu->kind == WG_PROBE_INSTANCE)
		snprintf(buffer, buffer_bytes, "%u:%d", gpu->index, gpu->gpu_instance);
	else
		snprintf(buffer, buffer_bytes, "%u", gpu->index);
}

/* --- data ------------------------------------------------------------------------- */

static void put_reading(struct wg_node *parent, const char *key, const struct wg_reading *reading)
{
	struct wg_node *node = wg_node_object(parent, key);
	bool known = reading->state == WG_PROBE_OK || reading->state == WG_PROBE_STALE;

	if (known && !isnan(reading->value))
		wg_node_number(node, "value", reading->value);
	else
		wg_node_null(node, "value");
	wg_node_string(node, "state", wg_probe_state_key(reading->state));
	wg_node_string(node, "call", reading->call);
}

static const char *user_name(uint32_t user_id, char *buffer, size_t buffer_bytes)
{
	struct passwd entry, *found = NULL;
	char memory[1024];

	if (user_id == UINT32_MAX)
		return NULL;
	if (getpwuid_r(user_id, &entry, memory, sizeof memory, &found) == 0 && found)
		wg_text_sanitize(buffer, buffer_bytes, found->pw_name, strlen(found->pw_name));
	else
		snprintf(buffer, buffer_bytes, "%u", user_id);
	return buffer;
}

static void put_process(struct wg_node *parent, const struct wg_probe_process *process)
{
	struct wg_node *node = wg_node_object(parent, NULL);
	char user[64];

	wg_node_integer(node, "pid", process->pid);
	wg_node_string(node, "command", process->command[0] ? process->command : NULL);
	wg_node_string(node, "user", user_name(process->user_id, user, sizeof user));
	wg_node_bool(node, "visible", process->visible);
	wg_node_bool(node, "compute", process->compute);
	wg_node_bool(node, "graphics", process->graphics);
	if (process->container_pid)
		wg_node_integer(node, "container_pid", process->container_pid);
	else
		wg_node_null(node, "container_pid");
	wg_node_string(node, "container", process->container[0] ? process->container : NULL);
	put_reading(node, "memory_bytes", &process->memory_bytes);
	put_reading(node, "busy_ratio", &process->busy_ratio);
	put_reading(node, "encoder_ratio", &process->encoder_ratio);
	put_reading(node, "decoder_ratio", &process->decoder_ratio);
}

static void put_gpu(struct wg_node *parent, const struct wg_probe_gpu *gpu)
{
	struct wg_node *node = wg_node_object(parent, NULL), *processes;

	wg_node_string(node, "key", gpu->key);
	wg_node_integer(node, "index", gpu->index);
	wg_node_string(node, "vendor", wg_probe_vendor_key(gpu->vendor));
	wg_node_string(node, "kind", gpu->kind == WG_PROBE_WHOLE ? "gpu" : "instance");
	if (gpu->parent >= 0)
		wg_node_integer(node, "parent", gpu->parent);
	else
		wg_node_null(node, "parent");
	wg_node_bool(node, "lost", gpu->lost);
	wg_node_bool(node, "unified_memory", gpu->unified);
	for (int i = 0; i < WG_PROBE_TEXT_COUNT; i++)
		wg_node_string(node, wg_probe_text_key((enum wg_probe_text_name)i),
		               gpu->texts[i].value[0] ? gpu->texts[i].value : NULL);
	for (int i = 0; i < WG_READING_COUNT; i++)
		put_reading(node, wg_reading_key((enum wg_reading_name)i), &gpu->readings[i]);
	wg_node_string(node, "processes_state", wg_probe_state_key(gpu->process_state));
	processes = wg_node_array(node, "process_list");
	for (size_t i = 0; i < gpu->process_count; i++)
		put_process(processes, &gpu->processes[i]);
}

void probe_document_data(struct wg_node *parent, const struct wg_sample *sample, bool stable)
{
	struct wg_node *notes = wg_node_array(parent, "notes"), *gpus;

	if (!stable)
		wg_node_number(parent, "time_s", sample->time_s);
	for (size_t i = 0; i < sample->note_count; i++) {
		struct wg_node *note = wg_node_object(notes, NULL);

		wg_node_string(note, "backend", sample->notes[i].backend);
		wg_node_string(note, "kind", wg_probe_note_key(sample->notes[i].kind));
		wg_node_string(note, "message", sample->notes[i].message);
		wg_node_string(note, "advice",
		               sample->notes[i].advice[0] ? sample->notes[i].advice : NULL);
	}
	gpus = wg_node_array(parent, "gpus");
	for (size_t i = 0; i < sample->count; i++)
		put_gpu(gpus, &sample->gpus[i]);
}

/* --- view -------------------------------------------------------------------------- */

static struct wg_cell memory_cell(const struct wg_probe_gpu *gpu)
{
	const struct wg_reading *used = &gpu->readings[WG_READ_MEMORY_USED];
	const struct wg_reading *total = &gpu->readings[WG_READ_MEMORY_TOTAL];

	if (used->state == WG_PROBE_OK && total->state == WG_PROBE_OK)
		return wg_cell_of(used->value, total->value, WG_UNIT_BYTES);
	return probe_cell(used, WG_UNIT_BYTES);
}

static struct wg_cell power_cell(const struct wg_probe_gpu *gpu)
{
	const struct wg_reading *power = &gpu->readings[WG_READ_POWER];
	const struct wg_reading *limit = &gpu->readings[WG_READ_POWER_LIMIT];

	if (power->state == WG_PROBE_OK && limit->state == WG_PROBE_OK)
		return wg_cell_of(power->value, limit->value, WG_UNIT_WATTS);
	return probe_cell(power, WG_UNIT_WATTS);
}

/* An instance stands below its GPU: its own part of the name is enough. */
static const char *name_of(const struct wg_probe_gpu *gpu)
{
	const struct wg_probe_text *name = &gpu->texts[WG_PROBE_TEXT_NAME];
	const char *part = gpu->kind == WG_PROBE_INSTANCE ? strstr(name->value, "MIG ") : NULL;

	if (part)
		return part;
	return name->value[0] ? name->value : probe_state_word(name->state);
}

static void gpu_row(struct wg_block *table, const struct wg_probe_gpu *gpu)
{
	char label[32], held[200];
	double reasons;

	probe_label(gpu, label, sizeof label);
	if (wg_reading_ok(gpu, WG_READ_THROTTLE_REASONS, &reasons))
		wg_throttle_words((unsigned)reasons & WG_THROTTLE_HARMFUL, held, sizeof held);
	else
		snprintf(held, sizeof held, "%s",
		         probe_state_word(gpu->readings[WG_READ_THROTTLE_REASONS].state));
	wg_table_row(table,
	             (const struct wg_cell[]){
			     wg_cell_text(label),
			     wg_cell_text(name_of(gpu)),
			     memory_cell(gpu),
			     probe_cell(&gpu->readings[WG_READ_BUSY], WG_UNIT_PERCENT),
			     probe_cell(&gpu->readings[WG_READ_MEMORY_BUSY], WG_UNIT_PERCENT),
			     probe_cell(&gpu->readings[WG_READ_SM_ACTIVE], WG_UNIT_PERCENT),
			     probe_cell(&gpu->readings[WG_READ_TENSOR_ACTIVE], WG_UNIT_PERCENT),
			     probe_cell(&gpu->readings[WG_READ_TEMPERATURE], WG_UNIT_NONE),
			     power_cell(gpu),
			     probe_cell(&gpu->readings[WG_READ_FAN], WG_UNIT_PERCENT),
			     wg_cell_text(held),
		     });
}

static void gpu_table(struct wg_document *document, const struct wg_sample *sample)
{
	const struct wg_column columns[] = {
		{ .key = "gpu", .title = _("GPU") },
		{ .key = "name", .title = _("name") },
		{ .key = "memory_used_bytes", .title = _("memory used"), .right = true },
		{ .key = "busy_ratio", .title = _("busy"), .right = true },
		{ .key = "memory_busy_ratio",
		  .title = _("memory busy"),
		  .right = true,
		  .priority = 2 },
		{ .key = "sm_active_ratio", .title = _("SM active"), .right = true, .priority = 4 },
		{ .key = "tensor_active_ratio",
		  .title = _("tensor active"),
		  .right = true,
		  .priority = 4 },
		{ .key = "temperature_celsius", .title = _("°C"), .right = true },
		{ .key = "power_watts", .title = _("power"), .right = true },
		{ .key = "fan_ratio", .title = _("fan"), .right = true, .priority = 3 },
		{ .key = "held_back_by", .title = _("held back by"), .priority = 1 },
	};
	struct wg_block *table = wg_document_table(document, "gpus", NULL, columns,
	                                           sizeof columns / sizeof columns[0]);

	for (size_t i = 0; i < sample->count; i++)
		gpu_row(table, &sample->gpus[i]);
	wg_table_main(table);
}

static void process_row(struct wg_block *table, const struct wg_probe_gpu *gpu,
                        const struct wg_probe_process *process)
{
	char label[32], pid[16], user[64];
	const char *name = user_name(process->user_id, user, sizeof user);

	probe_label(gpu, label, sizeof label);
	snprintf(pid, sizeof pid, "%u", process->pid);
	wg_table_row(table, (const struct wg_cell[]){
				    wg_cell_text(label),
				    wg_cell_text(pid),
				    wg_cell_text(name ? name : _("N/A")),
				    probe_cell(&process->memory_bytes, WG_UNIT_BYTES),
				    probe_cell(&process->busy_ratio, WG_UNIT_PERCENT),
				    wg_cell_text(process->container),
				    wg_cell_text(process->visible ? process->command
	                                                          : _("not visible from here")),
			    });
}

static void process_table(struct wg_document *document, const struct wg_sample *sample)
{
	const struct wg_column columns[] = {
		{ .key = "gpu", .title = _("GPU") },
		{ .key = "pid", .title = _("process"), .right = true },
		{ .key = "user", .title = _("user"), .priority = 2 },
		{ .key = "memory_bytes", .title = _("memory"), .right = true },
		{ .key = "busy_ratio", .title = _("busy"), .right = true },
		{ .key = "container", .title = _("container"), .priority = 3 },
		{ .key = "command", .title = _("command") },
	};
	struct wg_block *table = NULL;
	bool unseen = false;

	for (size_t i = 0; i < sample->count; i++) {
		const struct wg_probe_gpu *gpu = &sample->gpus[i];

		for (size_t p = 0; p < gpu->process_count; p++) {
			if (!table)
				table = wg_document_table(document, "processes", _("Processes"),
				                          columns,
				                          sizeof columns / sizeof columns[0]);
			process_row(table, gpu, &gpu->processes[p]);
			unseen |= !gpu->processes[p].visible;
		}
	}
	if (unseen)
		wg_document_note(document,
		                 _("some processes are not visible from here: drivers number "
		                   "them as the host does; in a container, run with --pid=host"));
}

void probe_document_notes(struct wg_document *document, const struct wg_sample *sample)
{
	for (size_t i = 0; i < sample->note_count; i++) {
		const struct wg_probe_note *note = &sample->notes[i];
		bool absent = note->kind == WG_PROBE_NOTE_NO_LIBRARY ||
		              note->kind == WG_PROBE_NOTE_NO_GPU;
		char words[480];

		/* On a machine without any GPU, each vendor says why. */
		if (note->kind == WG_PROBE_NOTE_OK || (absent && sample->count > 0))
			continue;
		snprintf(words, sizeof words, "%s: %s%s%s", note->backend, note->message,
		         note->advice[0] ? "; " : "", note->advice);
		wg_document_note(document, words);
	}
}

void probe_document_view(struct wg_document *document, const struct wg_sample *sample)
{
	if (sample->count > 0)
		gpu_table(document, sample);
	else
		wg_document_paragraph(document, _("No GPU was found on this machine."));
	process_table(document, sample);
	probe_document_notes(document, sample);
}
