/* Samples as values, and the names of what is in them. */
#include "whichgpu/probe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/backend.h"
#include "whichgpu/limits.h"
#include "whichgpu/text.h"

static const struct {
	const char *key, *label;
	enum wg_reading_unit unit;
	enum wg_reading_kind kind;
} readings[WG_READING_COUNT] = {
#define WG_READING(name, key, unit, kind, label) \
	[WG_READ_##name] = { key, label, WG_READING_IN_##unit, WG_READING_##kind },
#include "whichgpu/readings.def"
#undef WG_READING
};

static const struct {
	const char *key, *label;
} texts[WG_PROBE_TEXT_COUNT] = {
#define WG_PROBE_TEXT(name, key, label) [WG_PROBE_TEXT_##name] = { key, label },
#include "whichgpu/probe_texts.def"
#undef WG_PROBE_TEXT
};

static const struct {
	const char *key, *words;
} states[WG_PROBE_STATE_COUNT] = {
#define WG_PROBE_STATE(name, key, words) [WG_PROBE_##name] = { key, words },
#include "whichgpu/probe_states.def"
#undef WG_PROBE_STATE
};

static const char *const note_keys[WG_PROBE_NOTE_COUNT] = {
#define WG_PROBE_NOTE(name, key) [WG_PROBE_NOTE_##name] = key,
#include "whichgpu/probe_notes.def"
#undef WG_PROBE_NOTE
};

const char *wg_reading_key(enum wg_reading_name reading)
{
	return readings[reading].key;
}

const char *wg_reading_label(enum wg_reading_name reading)
{
	return readings[reading].label;
}

enum wg_reading_unit wg_reading_unit(enum wg_reading_name reading)
{
	return readings[reading].unit;
}

enum wg_reading_kind wg_reading_kind(enum wg_reading_name reading)
{
	return readings[reading].kind;
}

bool wg_reading_find(const char *key, enum wg_reading_name *ret_reading)
{
	for (int i = 0; i < WG_READING_COUNT; i++) {
		if (strcmp(readings[i].key, key) == 0) {
			*ret_reading = (enum wg_reading_name)i;
			return true;
		}
	}
	return false;
}

const char *wg_probe_text_key(enum wg_probe_text_name text)
{
	return texts[text].key;
}

const char *wg_probe_text_label(enum wg_probe_text_name text)
{
	return texts[text].label;
}

const char *wg_probe_state_key(enum wg_probe_state state)
{
	return states[state].key;
}

const char *wg_probe_state_words(enum wg_probe_state state)
{
	return states[state].words;
}

const char *wg_probe_note_key(enum wg_probe_note_kind kind)
{
	return note_keys[kind];
}

const char *wg_probe_vendor_key(enum wg_probe_vendor vendor)
{
	static const char *const keys[] = { "nvidia", "amd", "intel", "other" };

	return keys[vendor];
}

bool wg_reading_ok(const struct wg_probe_gpu *gpu, enum wg_reading_name reading, double *ret_value)
{
	if (gpu->readings[reading].state != WG_PROBE_OK)
		return false;
	*ret_value = gpu->readings[reading].value;
	return true;
}

void wg_sample_init(struct wg_sample *sample)
{
	memset(sample, 0, sizeof *sample);
}

void wg_sample_done(struct wg_sample *sample)
{
	/* Slots past count keep their process arrays for reuse, so free by capacity. */
	for (size_t i = 0; i < sample->capacity; i++)
		free(sample->gpus[i].processes);
	free(sample->gpus);
	memset(sample, 0, sizeof *sample);
}

void wg_sample_clear(struct wg_sample *sample)
{
	sample->count = 0;
	sample->note_count = 0;
	sample->ended = false;
}

static bool sample_grow(struct wg_sample *sample)
{
	size_t capacity = sample->capacity ? sample->capacity * 2 : 4;
	struct wg_probe_gpu *gpus;

	if (capacity > WG_LIMIT_PROBE_GPUS)
		capacity = WG_LIMIT_PROBE_GPUS;
	if (capacity <= sample->capacity)
		return false;
	gpus = realloc(sample->gpus, capacity * sizeof *gpus);
	if (!gpus)
		return false;
	memset(gpus + sample->capacity, 0, (capacity - sample->capacity) * sizeof *gpus);
	sample->gpus = gpus;
	sample->capacity = capacity;
	return true;
}

struct wg_probe_gpu *wg_sample_add(struct wg_sample *sample, const char *key)
{
	struct wg_probe_gpu *gpu;
	struct wg_probe_process *processes;
	size_t process_capacity;

	if (sample->count == sample->capacity && !sample_grow(sample))
		return NULL;
	gpu = &sample->gpus[sample->count++];
	processes = gpu->processes;
	process_capacity = gpu->process_capacity;
	memset(gpu, 0, sizeof *gpu);
	gpu->processes = processes;
	gpu->process_capacity = process_capacity;
	gpu->parent = gpu->gpu_instance = gpu->compute_instance = -1;
	for (int i = 0; i < WG_READING_COUNT; i++)
		gpu->readings[i].value = NAN;
	wg_text_sanitize(gpu->key, sizeof gpu->key, key, strlen(key));
	return gpu;
}

static bool processes_reserve(struct wg_probe_gpu *gpu, size_t count)
{
	size_t capacity = gpu->process_capacity ? gpu->process_capacity : 8;
	struct wg_probe_process *processes;

	if (count <= gpu->process_capacity)
		return true;
	if (count > WG_LIMIT_PROBE_PROCESSES)
		return false;
	while (capacity < count)
		capacity *= 2;
	processes = realloc(gpu->processes, capacity * sizeof *processes);
	if (!processes)
		return false;
	gpu->processes = processes;
	gpu->process_capacity = capacity;
	return true;
}

struct wg_probe_process *wg_sample_add_process(struct wg_probe_gpu *gpu, uint32_t pid)
{
	struct wg_probe_process *process;

	if (!processes_reserve(gpu, gpu->process_count + 1))
		return NULL;
	process = &gpu->processes[gpu->process_count++];
	memset(process, 0, sizeof *process);
	process->pid = pid;
	process->user_id = UINT32_MAX;
	process->memory_bytes.value = process->busy_ratio.value = NAN;
	process->encoder_ratio.value = process->decoder_ratio.value = NAN;
	return process;
}

static bool gpu_copy(struct wg_probe_gpu *target, const struct wg_probe_gpu *source)
{
	struct wg_probe_process *processes;
	size_t capacity;

	if (!processes_reserve(target, source->process_count))
		return false;
	processes = target->processes;
	capacity = target->process_capacity;
	*target = *source;
	target->processes = processes;
	target->process_capacity = capacity;
	if (source->process_count > 0)
		memcpy(processes, source->processes, source->process_count * sizeof *processes);
	return true;
}

bool wg_sample_copy(struct wg_sample *target, const struct wg_sample *source)
{
	wg_sample_clear(target);
	target->time_s = source->time_s;
	target->clock_s = source->clock_s;
	target->ended = source->ended;
	target->note_count = source->note_count;
	memcpy(target->notes, source->notes, sizeof target->notes);
	for (size_t i = 0; i < source->count; i++) {
		struct wg_probe_gpu *gpu = wg_sample_add(target, source->gpus[i].key);

		if (!gpu || !gpu_copy(gpu, &source->gpus[i])) {
			wg_sample_clear(target);
			return false;
		}
	}
	return true;
}

long wg_sample_find(const struct wg_sample *sample, const char *key)
{
	for (size_t i = 0; i < sample->count; i++) {
		if (strcmp(sample->gpus[i].key, key) == 0)
			return (long)i;
	}
	return -1;
}

static void reading_stale(struct wg_reading *reading)
{
	if (reading->state == WG_PROBE_OK)
		reading->state = WG_PROBE_STALE;
}

void wg_sample_mark_stale(struct wg_sample *sample)
{
	for (size_t i = 0; i < sample->count; i++) {
		struct wg_probe_gpu *gpu = &sample->gpus[i];

		for (int r = 0; r < WG_READING_COUNT; r++)
			reading_stale(&gpu->readings[r]);
		if (gpu->process_state == WG_PROBE_OK)
			gpu->process_state = WG_PROBE_STALE;
		for (size_t p = 0; p < gpu->process_count; p++) {
			reading_stale(&gpu->processes[p].memory_bytes);
			reading_stale(&gpu->processes[p].busy_ratio);
			reading_stale(&gpu->processes[p].encoder_ratio);
			reading_stale(&gpu->processes[p].decoder_ratio);
		}
	}
}

void wg_sample_note(struct wg_sample *sample, const char *backend, enum wg_probe_note_kind kind,
                    const char *format, ...)
{
	struct wg_probe_note *note;
	char words[sizeof note->message];
	va_list arguments;

	if (sample->note_count == WG_PROBE_NOTES)
		return;
	note = &sample->notes[sample->note_count++];
	note->backend = backend;
	note->kind = kind;
	note->advice[0] = '\0';
	va_start(arguments, format);
	vsnprintf(words, sizeof words, format, arguments);
	va_end(arguments);
	wg_text_sanitize(note->message, sizeof note->message, words, strlen(words));
}

void wg_sample_advice(struct wg_sample *sample, const char *format, ...)
{
	struct wg_probe_note *note;
	char words[sizeof note->advice];
	va_list arguments;

	if (sample->note_count == 0)
		return;
	note = &sample->notes[sample->note_count - 1];
	va_start(arguments, format);
	vsnprintf(words, sizeof words, format, arguments);
	va_end(arguments);
	wg_text_sanitize(note->advice, sizeof note->advice, words, strlen(words));
}

void wg_probe_text_set(struct wg_probe_gpu *gpu, enum wg_probe_text_name name, const char *value)
{
	struct wg_probe_text *text = &gpu->texts[name];

	wg_text_sanitize(text->value, sizeof text->value, value, strlen(value));
	text->state = text->value[0] ? WG_PROBE_OK : WG_PROBE_NOT_SUPPORTED;
}

void wg_probe_gpu_lose(struct wg_probe_gpu *gpu, const char *call)
{
	gpu->lost = true;
	for (int i = 0; i < WG_READING_COUNT; i++)
		wg_reading_miss(gpu, (enum wg_reading_name)i, WG_PROBE_LOST, call);
	gpu->process_state = WG_PROBE_LOST;
	gpu->process_count = 0;
}

void wg_throttle_words(unsigned reasons, char *buffer, size_t buffer_bytes)
{
	static const struct {
		unsigned bit;
		const char *words;
	} names[] = {
		{ WG_THROTTLE_IDLE, "idle" },
		{ WG_THROTTLE_APPLICATION, "application clocks" },
		{ WG_THROTTLE_POWER_CAP, "power cap" },
		{ WG_THROTTLE_HW_SLOWDOWN, "hardware slowdown" },
		{ WG_THROTTLE_SYNC_BOOST, "sync boost" },
		{ WG_THROTTLE_SW_THERMAL, "heat (software)" },
		{ WG_THROTTLE_HW_THERMAL, "heat (hardware)" },
		{ WG_THROTTLE_POWER_BRAKE, "power brake" },
		{ WG_THROTTLE_DISPLAY, "display clocks" },
	};
	size_t used = 0;

	if (buffer_bytes == 0)
		return;
	buffer[0] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		int n;

		if (!(reasons & names[i].bit))
			continue;
		n = snprintf(buffer + used, buffer_bytes - used, "%s%s", used ? ", " : "",
		             names[i].words);
		if (n < 0 || (size_t)n >= buffer_bytes - used)
			return;
		used += (size_t)n;
	}
}
