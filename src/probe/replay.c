/* Records played back as a backend. The file may come from anyone: it is opened
 * read-only, nothing in it is trusted, and every number is checked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probe/backend.h"
#include "probe/record_sql.h"
#include "whichgpu/limits.h"
#include "whichgpu/record.h"
#include "whichgpu/text.h"

#define CALL_BYTES 64
#define READINGS_MOST 4096 /* ids in the file's list of readings */
#define STATES_MOST 64

struct replay_gpu {
	long long id;
	char parent[64];
	bool shown;              /* has a row since the last whole sample */
	struct wg_probe_gpu gpu; /* processes stay empty */
	char calls[WG_READING_COUNT][CALL_BYTES];
};

struct replay_state {
	sqlite3 *database;
	char path[256];
	sqlite3_stmt *next_sample, *values, *notes;
	struct replay_gpu *gpus;
	size_t gpu_count;
	int readings[READINGS_MOST]; /* the file's id to ours; -1: unknown to us */
	int states[STATES_MOST];
	bool begun, ended;
	double time_s, clock_s;
	struct wg_probe_note note_list[WG_PROBE_NOTES];
	size_t note_count;
};

static enum wg_status check_format(struct replay_state *state, struct wg_error *error)
{
	long long tables = record_number(
		state->database,
		"SELECT count(*) FROM sqlite_master"
		" WHERE type = 'table' AND name IN ('meta','state','reading','gpu','gpu_text',"
		"'reading_call','sample','value','note')",
		-1);
	long long application = record_number(state->database, "PRAGMA application_id", 0);
	long long format = record_number(state->database, "PRAGMA user_version", 0);

	if (tables < 0)
		return record_fail(state->database, state->path, "reading", error);
	if (application == RECORD_APPLICATION && format == RECORD_FORMAT && tables == 9)
		return WG_OK;
	wg_error_set(error, WG_BAD_INPUT,
	             application == RECORD_APPLICATION ? "\"%s\" is a record of another format"
	                                               : "\"%s\" is no record of whichgpu",
	             state->path);
	wg_error_place(error, state->path, 0, 0, -1);
	wg_error_hint(error, "records are made with \"whichgpu monitor --record FILE\"");
	return WG_BAD_INPUT;
}

static void column_text(sqlite3_stmt *s, int column, char *target, size_t target_bytes)
{
	const char *text = (const char *)sqlite3_column_text(s, column);

	wg_text_sanitize(target, target_bytes, text ? text : "", text ? strlen(text) : 0);
}

static enum wg_status read_names(struct replay_state *state, struct wg_error *error)
{
	sqlite3_stmt *s = NULL;
	enum wg_status status;
	char key[96];

	for (int i = 0; i < READINGS_MOST; i++)
		state->readings[i] = -1;
	for (int i = 0; i < STATES_MOST; i++)
		state->states[i] = WG_PROBE_NOT_SUPPORTED;
	status = record_prepare(state->database, state->path, "SELECT id, key FROM reading", &s,
	                        error);
	while (status == WG_OK && sqlite3_step(s) == SQLITE_ROW) {
		long long id = sqlite3_column_int64(s, 0);
		enum wg_reading_name name;

		column_text(s, 1, key, sizeof key);
		if (id >= 0 && id < READINGS_MOST && wg_reading_find(key, &name))
			state->readings[id] = (int)name;
	}
	sqlite3_finalize(s);
	s = NULL;
	if (status == WG_OK)
		status = record_prepare(state->database, state->path, "SELECT id, key FROM state",
		                        &s, error);
	while (status == WG_OK && sqlite3_step(s) == SQLITE_ROW) {
		long long id = sqlite3_column_int64(s, 0);

		column_text(s, 1, key, sizeof key);
		for (int i = 0; i < WG_PROBE_STATE_COUNT && id >= 0 && id < STATES_MOST; i++) {
			if (strcmp(key, wg_probe_state_key((enum wg_probe_state)i)) == 0)
				state->states[id] = i;
		}
	}
	sqlite3_finalize(s);
	return status;
}

static struct replay_gpu *gpu_of(struct replay_state *state, long long id)
{
	for (size_t i = 0; i < state->gpu_count; i++) {
		if (state->gpus[i].id == id)
			return &state->gpus[i];
	}
	return NULL;
}

static enum wg_status read_gpus(struct replay_state *state, struct wg_error *error)
{
	long long count = record_number(state->database, "SELECT count(*) FROM gpu", 0);
	sqlite3_stmt *s = NULL;
	enum wg_status status;

	if (count > WG_LIMIT_PROBE_GPUS)
		return wg_error_set(error, WG_LIMIT, "\"%s\" has more than %d GPUs", state->path,
		                    WG_LIMIT_PROBE_GPUS);
	state->gpus = calloc((size_t)count + 1, sizeof *state->gpus);
	if (!state->gpus)
		return wg_error_no_memory(error);
	status = record_prepare(
		state->database, state->path,
		"SELECT id, key, vendor, kind, number, parent, gpu_instance, compute_instance, unified"
		" FROM gpu ORDER BY id",
		&s, error);
	while (status == WG_OK && sqlite3_step(s) == SQLITE_ROW &&
	       state->gpu_count < (size_t)count) {
		struct replay_gpu *one = &state->gpus[state->gpu_count++];
		int vendor = sqlite3_column_int(s, 2);

		one->id = sqlite3_column_int64(s, 0);
		column_text(s, 1, one->gpu.key, sizeof one->gpu.key);
		column_text(s, 5, one->parent, sizeof one->parent);
		one->gpu.vendor = vendor >= 0 && vendor <= WG_PROBE_OTHER
		                          ? (enum wg_probe_vendor)vendor
		                          : WG_PROBE_OTHER;
		one->gpu.kind = sqlite3_column_int(s, 3) ? WG_PROBE_INSTANCE : WG_PROBE_WHOLE;
		one->gpu.index = (unsigned)sqlite3_column_int(s, 4);
		one->gpu.gpu_instance = sqlite3_column_int(s, 6);
		one->gpu.compute_instance = sqlite3_column_int(s, 7);
		one->gpu.unified = sqlite3_column_int(s, 8) != 0;
	}
	sqlite3_finalize(s);
	return status;
}

static enum wg_status read_texts(struct replay_state *state, struct wg_error *error)
{
	sqlite3_stmt *s = NULL;
	enum wg_status status;
	char key[96], value[96];

	status = record_prepare(state->database, state->path,
	                        "SELECT gpu, name, value FROM gpu_text", &s, error);
	while (status == WG_OK && sqlite3_step(s) == SQLITE_ROW) {
		struct replay_gpu *one = gpu_of(state, sqlite3_column_int64(s, 0));

		column_text(s, 1, key, sizeof key);
		column_text(s, 2, value, sizeof value);
		for (int i = 0; one && i < WG_PROBE_TEXT_COUNT; i++) {
			if (strcmp(key, wg_probe_text_key((enum wg_probe_text_name)i)) == 0)
				wg_probe_text_set(&one->gpu, (enum wg_probe_text_name)i, value);
		}
	}
	sqlite3_finalize(s);
	s = NULL;
	if (status == WG_OK)
		status = record_prepare(state->database, state->path,
		                        "SELECT gpu, reading, call FROM reading_call", &s, error);
	while (status == WG_OK && sqlite3_step(s) == SQLITE_ROW) {
		struct replay_gpu *one = gpu_of(state, sqlite3_column_int64(s, 0));
		long long id = sqlite3_column_int64(s, 1);

		if (one && id >= 0 && id < READINGS_MOST && state->readings[id] >= 0)
			column_text(s, 2, one->calls[state->readings[id]], CALL_BYTES);
	}
	sqlite3_finalize(s);
	return status;
}

static enum wg_status replay_set_up(struct replay_state *state, struct wg_error *error)
{
	enum wg_status status;

	sqlite3_busy_timeout(state->database, 5000);
	sqlite3_db_config(state->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(state->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_limit(state->database, SQLITE_LIMIT_LENGTH, 1 << 20);
	status = check_format(state, error);
	if (status == WG_OK)
		status = record_run(state->database, state->path, "PRAGMA cache_size=-1024", error);
	if (status == WG_OK)
		status = read_names(state, error);
	if (status == WG_OK)
		status = read_gpus(state, error);
	if (status == WG_OK)
		status = read_texts(state, error);
	if (status == WG_OK)
		status = record_prepare(state->database, state->path,
		                        "SELECT id, time_s, clock_s, whole FROM sample WHERE id >="
		                        " (SELECT min(id) FROM sample WHERE whole = 1) ORDER BY id",
		                        &state->next_sample, error);
	if (status == WG_OK)
		status = record_prepare(
			state->database, state->path,
			"SELECT gpu, reading, state, value FROM value WHERE sample = ?",
			&state->values, error);
	if (status == WG_OK)
		status = record_prepare(
			state->database, state->path,
			"SELECT kind, message, advice FROM note WHERE sample = ? LIMIT 8",
			&state->notes, error);
	return status;
}

static void replay_close(void *opaque)
{
	struct replay_state *state = opaque;

	sqlite3_finalize(state->next_sample);
	sqlite3_finalize(state->values);
	sqlite3_finalize(state->notes);
	sqlite3_close(state->database);
	free(state->gpus);
	free(state);
}

static enum wg_status replay_open(const struct wg_probe_options *options, void **ret_state,
                                  struct wg_error *error)
{
	struct replay_state *state = calloc(1, sizeof *state);
	enum wg_status status;

	if (!state)
		return wg_error_no_memory(error);
	snprintf(state->path, sizeof state->path, "%s", options->replay_path);
	/* A record in use has its newest samples in the log beside it, which only a
	 * connection that may write shared memory can read: read-only is asked second. */
	if (sqlite3_open_v2(options->replay_path, &state->database,
	                    SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
		status = wg_error_set(
			error, WG_NOT_FOUND, "\"%s\" cannot be opened: %s", state->path,
			state->database ? sqlite3_errmsg(state->database) : "no memory");
		wg_error_place(error, state->path, 0, 0, -1);
	} else {
		status = replay_set_up(state, error);
	}
	if (status != WG_OK) {
		replay_close(state);
		return status;
	}
	*ret_state = state;
	return WG_OK;
}

static void forget_values(struct replay_state *state)
{
	for (size_t i = 0; i < state->gpu_count; i++) {
		state->gpus[i].shown = false;
		for (int r = 0; r < WG_READING_COUNT; r++)
			wg_reading_miss(&state->gpus[i].gpu, (enum wg_reading_name)r,
			                WG_PROBE_NOT_SUPPORTED, NULL);
	}
}

static void take_value(struct replay_state *state, sqlite3_stmt *s)
{
	struct replay_gpu *one = gpu_of(state, sqlite3_column_int64(s, 0));
	long long id = sqlite3_column_int64(s, 1), kept = sqlite3_column_int64(s, 2);
	struct wg_reading *reading;

	if (!one || id < 0 || id >= READINGS_MOST || state->readings[id] < 0)
		return;
	one->shown = true;
	reading = &one->gpu.readings[state->readings[id]];
	reading->state = kept >= 0 && kept < STATES_MOST ? (enum wg_probe_state)state->states[kept]
	                                                 : WG_PROBE_NOT_SUPPORTED;
	reading->value =
		sqlite3_column_type(s, 3) == SQLITE_NULL ? NAN : sqlite3_column_double(s, 3);
	if (reading->state == WG_PROBE_OK && isnan(reading->value))
		reading->state = WG_PROBE_STALE;
}

static void take_notes(struct replay_state *state, long long sample_id)
{
	bool first = true;
	char key[32];

	sqlite3_bind_int64(state->notes, 1, sample_id);
	while (sqlite3_step(state->notes) == SQLITE_ROW) {
		struct wg_probe_note *note;

		if (first)
			state->note_count = 0;
		first = false;
		note = &state->note_list[state->note_count++];
		memset(note, 0, sizeof *note);
		note->backend = "record";
		column_text(state->notes, 0, key, sizeof key);
		for (int i = 0; i < WG_PROBE_NOTE_COUNT; i++) {
			if (strcmp(key, wg_probe_note_key((enum wg_probe_note_kind)i)) == 0)
				note->kind = (enum wg_probe_note_kind)i;
		}
		column_text(state->notes, 1, note->message, sizeof note->message);
		column_text(state->notes, 2, note->advice, sizeof note->advice);
	}
	sqlite3_reset(state->notes);
}

/* Steps to the next recorded sample; at the end the last one stays. */
static enum wg_status advance(struct replay_state *state, struct wg_error *error)
{
	int result;
	long long id;

	if (state->ended)
		return WG_OK;
	result = sqlite3_step(state->next_sample);
	if (result != SQLITE_ROW) {
		state->ended = true;
		return result == SQLITE_DONE
		               ? WG_OK
		               : record_fail(state->database, state->path, "reading", error);
	}
	id = sqlite3_column_int64(state->next_sample, 0);
	state->time_s = sqlite3_column_double(state->next_sample, 1);
	state->clock_s = sqlite3_column_double(state->next_sample, 2);
	if (!state->begun || sqlite3_column_int(state->next_sample, 3))
		forget_values(state);
	state->begun = true;
	sqlite3_bind_int64(state->values, 1, id);
	while ((result = sqlite3_step(state->values)) == SQLITE_ROW)
		take_value(state, state->values);
	sqlite3_reset(state->values);
	if (result != SQLITE_DONE)
		return record_fail(state->database, state->path, "reading", error);
	take_notes(state, id);
	return WG_OK;
}

static enum wg_status show_gpu(const struct replay_gpu *one, struct wg_sample *sample,
                               struct wg_error *error)
{
	struct wg_probe_gpu *gpu = wg_sample_add(sample, one->gpu.key);
	bool lost = true;

	if (!gpu)
		return wg_error_no_memory(error);
	gpu->vendor = one->gpu.vendor;
	gpu->kind = one->gpu.kind;
	gpu->index = one->gpu.index;
	gpu->gpu_instance = one->gpu.gpu_instance;
	gpu->compute_instance = one->gpu.compute_instance;
	gpu->unified = one->gpu.unified;
	gpu->parent = one->parent[0] ? (int)wg_sample_find(sample, one->parent) : -1;
	memcpy(gpu->texts, one->gpu.texts, sizeof gpu->texts);
	memcpy(gpu->readings, one->gpu.readings, sizeof gpu->readings);
	for (int i = 0; i < WG_READING_COUNT; i++) {
		gpu->readings[i].call = one->calls[i][0] ? one->calls[i] : NULL;
		lost &= gpu->readings[i].state == WG_PROBE_LOST;
	}
	gpu->lost = lost;
	return WG_OK;
}

static enum wg_status replay_sample(void *opaque, struct wg_sample *sample, struct wg_error *error)
{
	struct replay_state *state = opaque;
	enum wg_status status = advance(state, error);

	sample->time_s = state->time_s;
	sample->clock_s = state->clock_s;
	sample->ended = state->ended;
	for (size_t i = 0; i < state->gpu_count && status == WG_OK; i++) {
		if (state->gpus[i].shown)
			status = show_gpu(&state->gpus[i], sample, error);
	}
	for (size_t i = 0; i < state->note_count && status == WG_OK; i++) {
		wg_sample_note(sample, state->note_list[i].backend, state->note_list[i].kind, "%s",
		               state->note_list[i].message);
		wg_sample_advice(sample, "%s", state->note_list[i].advice);
	}
	return status;
}

const struct wg_backend wg_backend_replay = {
	.name = "replay",
	.open = replay_open,
	.close = replay_close,
	.sample = replay_sample,
};
