/* Writing records. */
#include "whichgpu/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probe/record_sql.h"
#include "whichgpu/limits.h"

#define WHOLE_EVERY 60 /* samples; a reader starts at a whole one */
#define BUSY_MS 5000

/* The rows that were written last of one GPU. */
struct record_gpu {
	char key[64];
	long long id;
	bool present; /* in the sample before */
	struct wg_probe_text texts[WG_PROBE_TEXT_COUNT];
	double values[WG_READING_COUNT];
	const char *calls[WG_READING_COUNT];
	unsigned char states[WG_READING_COUNT];
};

struct wg_record {
	sqlite3 *database;
	char path[256];
	sqlite3_stmt *add_sample, *add_value, *add_gpu, *add_text, *add_call, *add_note;
	struct record_gpu *gpus;
	size_t gpu_count;
	double limit_bytes;
	unsigned since_whole;
	char notes[WG_PROBE_NOTES][512];
	size_t note_count;
};

static const char schema[] =
	"CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS state(id INTEGER PRIMARY KEY, key TEXT);"
	"CREATE TABLE IF NOT EXISTS reading(id INTEGER PRIMARY KEY, key TEXT UNIQUE);"
	"CREATE TABLE IF NOT EXISTS gpu(id INTEGER PRIMARY KEY, key TEXT UNIQUE, vendor INTEGER,"
	" kind INTEGER, number INTEGER, parent TEXT, gpu_instance INTEGER, compute_instance INTEGER,"
	" unified INTEGER);"
	"CREATE TABLE IF NOT EXISTS gpu_text(gpu INTEGER, name TEXT, value TEXT,"
	" PRIMARY KEY(gpu, name)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS reading_call(gpu INTEGER, reading INTEGER, call TEXT,"
	" PRIMARY KEY(gpu, reading)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS sample(id INTEGER PRIMARY KEY, time_s REAL, clock_s REAL,"
	" whole INTEGER);"
	"CREATE TABLE IF NOT EXISTS value(sample INTEGER, gpu INTEGER, reading INTEGER,"
	" state INTEGER, value REAL, PRIMARY KEY(sample, gpu, reading)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS note(sample INTEGER, backend TEXT, kind TEXT, message TEXT,"
	" advice TEXT);"
	"CREATE VIEW IF NOT EXISTS series AS SELECT sample.id AS sample, sample.time_s AS time_s,"
	" gpu.key AS gpu, reading.key AS reading, value.value AS value, state.key AS state"
	" FROM value JOIN sample ON sample.id = value.sample JOIN gpu ON gpu.id = value.gpu"
	" JOIN reading ON reading.id = value.reading JOIN state ON state.id = value.state;";

enum wg_status record_fail(sqlite3 *database, const char *path, const char *what,
                           struct wg_error *error)
{
	int code = database ? sqlite3_errcode(database) : SQLITE_NOMEM;
	enum wg_status status = WG_SYSTEM;

	if (code == SQLITE_NOMEM)
		return wg_error_no_memory(error);
	if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR)
		status = WG_BAD_INPUT;
	if (code == SQLITE_CANTOPEN)
		status = WG_NOT_FOUND;
	wg_error_set(error, status, "%s \"%s\" failed: %s", what, path, sqlite3_errmsg(database));
	wg_error_place(error, path, 0, 0, -1);
	if (code == SQLITE_FULL)
		wg_error_hint(error, "make room on the disk, or set a limit with --record-limit");
	if (code == SQLITE_BUSY)
		wg_error_hint(error, "another program writes this file");
	return status;
}

enum wg_status record_run(sqlite3 *database, const char *path, const char *sql,
                          struct wg_error *error)
{
	if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
		return record_fail(database, path, "writing", error);
	return WG_OK;
}

enum wg_status record_prepare(sqlite3 *database, const char *path, const char *sql,
                              sqlite3_stmt **ret_statement, struct wg_error *error)
{
	if (sqlite3_prepare_v2(database, sql, -1, ret_statement, NULL) != SQLITE_OK)
		return record_fail(database, path, "reading", error);
	return WG_OK;
}

long long record_number(sqlite3 *database, const char *sql, long long otherwise)
{
	sqlite3_stmt *statement = NULL;
	long long value = otherwise;

	if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

/* A file with tables of someone else is not written into. */
static enum wg_status check_file(struct wg_record *record, struct wg_error *error)
{
	long long tables =
		record_number(record->database, "SELECT count(*) FROM sqlite_master", -1);
	long long application = record_number(record->database, "PRAGMA application_id", 0);
	long long format = record_number(record->database, "PRAGMA user_version", 0);

	if (tables < 0)
		return record_fail(record->database, record->path, "opening", error);
	if (tables == 0 || (application == RECORD_APPLICATION && format == RECORD_FORMAT))
		return WG_OK;
	wg_error_set(error, WG_BAD_INPUT,
	             application == RECORD_APPLICATION ? "\"%s\" is a record of another format"
	                                               : "\"%s\" is no record of whichgpu",
	             record->path);
	wg_error_place(error, record->path, 0, 0, -1);
	wg_error_hint(error, "give a new file name");
	return WG_BAD_INPUT;
}

static enum wg_status write_names(struct wg_record *record, double interval_s,
                                  struct wg_error *error)
{
	sqlite3_stmt *statement = NULL;
	enum wg_status status = WG_OK;

	status = record_prepare(record->database, record->path,
	                        "INSERT OR REPLACE INTO reading VALUES(?, ?)", &statement, error);
	for (int i = 0; i < WG_READING_COUNT && status == WG_OK; i++) {
		sqlite3_bind_int(statement, 1, i);
		sqlite3_bind_text(statement, 2, wg_reading_key((enum wg_reading_name)i), -1,
		                  SQLITE_STATIC);
		if (sqlite3_step(statement) != SQLITE_DONE)
			status = record_fail(record->database, record->path, "writing", error);
		sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	statement = NULL;
	if (status == WG_OK)
		status = record_prepare(record->database, record->path,
		                        "INSERT OR REPLACE INTO state VALUES(?, ?)", &statement,
		                        error);
	for (int i = 0; i < WG_PROBE_STATE_COUNT && status == WG_OK; i++) {
		sqlite3_bind_int(statement, 1, i);
		sqlite3_bind_text(statement, 2, wg_probe_state_key((enum wg_probe_state)i), -1,
		                  SQLITE_STATIC);
		if (sqlite3_step(statement) != SQLITE_DONE)
			status = record_fail(record->database, record->path, "writing", error);
		sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	statement = NULL;
	if (status == WG_OK)
		status = record_prepare(record->database, record->path,
		                        "INSERT OR REPLACE INTO meta VALUES('interval_s', ?)",
		                        &statement, error);
	if (status == WG_OK) {
		sqlite3_bind_double(statement, 1, interval_s);
		if (sqlite3_step(statement) != SQLITE_DONE)
			status = record_fail(record->database, record->path, "writing", error);
	}
	sqlite3_finalize(statement);
	return status;
}

static enum wg_status prepare_all(struct wg_record *record, struct wg_error *error)
{
	const struct {
		sqlite3_stmt **statement;
		const char *sql;
	} statements[] = {
		{ &record->add_sample,
		  "INSERT INTO sample(time_s, clock_s, whole) VALUES(?, ?, ?)" },
		{ &record->add_value, "INSERT INTO value VALUES(?, ?, ?, ?, ?)" },
		{ &record->add_gpu,
		  "INSERT INTO gpu(key, vendor, kind, number, parent, gpu_instance,"
		  " compute_instance, unified) VALUES(?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(key) DO UPDATE"
		  " SET number = excluded.number, unified = excluded.unified RETURNING id" },
		{ &record->add_text, "INSERT OR REPLACE INTO gpu_text VALUES(?, ?, ?)" },
		{ &record->add_call, "INSERT OR REPLACE INTO reading_call VALUES(?, ?, ?)" },
		{ &record->add_note, "INSERT INTO note VALUES(?, ?, ?, ?, ?)" },
	};

	for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
		enum wg_status status =
			record_prepare(record->database, record->path, statements[i].sql,
		                       statements[i].statement, error);

		if (status != WG_OK)
			return status;
	}
	return WG_OK;
}

static enum wg_status set_up(struct wg_record *record, const struct wg_record_options *options,
                             struct wg_error *error)
{
	enum wg_status status;

	sqlite3_busy_timeout(record->database, BUSY_MS);
	status = check_file(record, error);
	/* auto_vacuum must come before the first table; WAL lets readers go on. */
	if (status == WG_OK)
		status = record_run(record->database, record->path,
		                    "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;"
		                    "PRAGMA synchronous=NORMAL; PRAGMA journal_size_limit=4194304;"
		                    "PRAGMA cache_size=-512; BEGIN IMMEDIATE;",
		                    error);
	if (status == WG_OK)
		status = record_run(record->database, record->path, schema, error);
	if (status == WG_OK)
		status = record_run(record->database, record->path,
		                    "PRAGMA application_id=2003268196;" /* RECORD_APPLICATION */
		                    "PRAGMA user_version=1;",
		                    error);
	if (status == WG_OK)
		status = write_names(record, options->interval_s, error);
	if (status == WG_OK)
		status = record_run(record->database, record->path, "COMMIT", error);
	if (status == WG_OK)
		status = prepare_all(record, error);
	return status;
}

enum wg_status wg_record_open(const char *path, const struct wg_record_options *options,
                              struct wg_record **ret_record, struct wg_error *error)
{
	struct wg_record *record = calloc(1, sizeof *record);
	enum wg_status status;

	if (!record)
		return wg_error_no_memory(error);
	snprintf(record->path, sizeof record->path, "%s", path);
	record->limit_bytes = options->limit_bytes;
	record->since_whole = WHOLE_EVERY;
	if (sqlite3_open_v2(path, &record->database,
	                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
	                    NULL) != SQLITE_OK)
		status = record_fail(record->database, path, "opening", error);
	else
		status = set_up(record, options, error);
	if (status != WG_OK) {
		wg_record_free(record);
		return status;
	}
	*ret_record = record;
	return WG_OK;
}

void wg_record_free(struct wg_record *record)
{
	if (!record)
		return;
	sqlite3_finalize(record->add_sample);
	sqlite3_finalize(record->add_value);
	sqlite3_finalize(record->add_gpu);
	sqlite3_finalize(record->add_text);
	sqlite3_finalize(record->add_call);
	sqlite3_finalize(record->add_note);
	sqlite3_close(record->database);
	free(record->gpus);
	free(record);
}

/* Steps a statement to its end and readies it for the next use. */
static enum wg_status step(struct wg_record *record, sqlite3_stmt *statement,
                           struct wg_error *error)
{
	int result = sqlite3_step(statement);
	enum wg_status status = WG_OK;

	if (result != SQLITE_DONE && result != SQLITE_ROW)
		status = record_fail(record->database, record->path, "writing", error);
	sqlite3_reset(statement);
	return status;
}

static enum wg_status add_gpu(struct wg_record *record, const struct wg_sample *sample,
                              const struct wg_probe_gpu *gpu, long long *ret_id,
                              struct wg_error *error)
{
	sqlite3_stmt *s = record->add_gpu;
	const char *parent = gpu->parent >= 0 ? sample->gpus[gpu->parent].key : NULL;

	sqlite3_bind_text(s, 1, gpu->key, -1, SQLITE_STATIC);
	sqlite3_bind_int(s, 2, gpu->vendor);
	sqlite3_bind_int(s, 3, gpu->kind);
	sqlite3_bind_int64(s, 4, gpu->index);
	sqlite3_bind_text(s, 5, parent, -1, SQLITE_STATIC);
	sqlite3_bind_int(s, 6, gpu->gpu_instance);
	sqlite3_bind_int(s, 7, gpu->compute_instance);
	sqlite3_bind_int(s, 8, gpu->unified);
	if (sqlite3_step(s) != SQLITE_ROW) {
		sqlite3_reset(s);
		return record_fail(record->database, record->path, "writing", error);
	}
	*ret_id = sqlite3_column_int64(s, 0);
	sqlite3_reset(s);
	return WG_OK;
}

static enum wg_status find_gpu(struct wg_record *record, const struct wg_sample *sample,
                               const struct wg_probe_gpu *gpu, struct record_gpu **ret_gpu,
                               struct wg_error *error)
{
	struct record_gpu *gpus, *new;
	enum wg_status status;

	for (size_t i = 0; i < record->gpu_count; i++) {
		if (strcmp(record->gpus[i].key, gpu->key) == 0) {
			*ret_gpu = &record->gpus[i];
			return WG_OK;
		}
	}
	if (record->gpu_count >= WG_LIMIT_PROBE_GPUS)
		return wg_error_set(error, WG_LIMIT, "more than %d GPUs in one record",
		                    WG_LIMIT_PROBE_GPUS);
	gpus = realloc(record->gpus, (record->gpu_count + 1) * sizeof *gpus);
	if (!gpus)
		return wg_error_no_memory(error);
	record->gpus = gpus;
	new = &gpus[record->gpu_count];
	memset(new, 0, sizeof *new);
	memcpy(new->key, gpu->key, sizeof new->key);
	status = add_gpu(record, sample, gpu, &new->id, error);
	if (status != WG_OK)
		return status;
	record->gpu_count++;
	*ret_gpu = new;
	return WG_OK;
}

static enum wg_status write_texts(struct wg_record *record, struct record_gpu *known,
                                  const struct wg_probe_gpu *gpu, struct wg_error *error)
{
	for (int i = 0; i < WG_PROBE_TEXT_COUNT; i++) {
		sqlite3_stmt *s = record->add_text;
		enum wg_status status;

		if (strcmp(known->texts[i].value, gpu->texts[i].value) == 0)
			continue;
		sqlite3_bind_int64(s, 1, known->id);
		sqlite3_bind_text(s, 2, wg_probe_text_key((enum wg_probe_text_name)i), -1,
		                  SQLITE_STATIC);
		sqlite3_bind_text(s, 3, gpu->texts[i].value, -1, SQLITE_STATIC);
		status = step(record, s, error);
		if (status != WG_OK)
			return status;
		known->texts[i] = gpu->texts[i];
	}
	return WG_OK;
}

static enum wg_status write_call(struct wg_record *record, struct record_gpu *known, int reading,
                                 const char *call, struct wg_error *error)
{
	sqlite3_stmt *s = record->add_call;

	/* Calls are constants of the program: the same pointer is the same call. */
	if (!call || known->calls[reading] == call)
		return WG_OK;
	known->calls[reading] = call;
	sqlite3_bind_int64(s, 1, known->id);
	sqlite3_bind_int(s, 2, reading);
	sqlite3_bind_text(s, 3, call, -1, SQLITE_STATIC);
	return step(record, s, error);
}

static enum wg_status write_value(struct wg_record *record, long long sample_id,
                                  struct record_gpu *known, int reading, enum wg_probe_state state,
                                  double value, struct wg_error *error)
{
	sqlite3_stmt *s = record->add_value;

	known->states[reading] = (unsigned char)state;
	known->values[reading] = value;
	sqlite3_bind_int64(s, 1, sample_id);
	sqlite3_bind_int64(s, 2, known->id);
	sqlite3_bind_int(s, 3, reading);
	sqlite3_bind_int(s, 4, state);
	/* SQLite has no NaN: it becomes NULL, and NULL becomes NaN again. */
	sqlite3_bind_double(s, 5, value);
	return step(record, s, error);
}

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static enum wg_status write_gpu(struct wg_record *record, long long sample_id, bool whole,
                                const struct wg_sample *sample, const struct wg_probe_gpu *gpu,
                                struct wg_error *error)
{
	struct record_gpu *known = NULL;
	enum wg_status status = find_gpu(record, sample, gpu, &known, error);

	if (status == WG_OK)
		status = write_texts(record, known, gpu, error);
	for (int i = 0; i < WG_READING_COUNT && status == WG_OK; i++) {
		const struct wg_reading *reading = &gpu->readings[i];

		status = write_call(record, known, i, reading->call, error);
		if (status != WG_OK)
			break;
		if (!whole && known->present && known->states[i] == reading->state &&
		    same(known->values[i], reading->value))
			continue;
		/* What nothing can give needs no row. */
		if (reading->state == WG_PROBE_NOT_SUPPORTED &&
		    (whole || known->states[i] == WG_PROBE_NOT_SUPPORTED)) {
			known->states[i] = WG_PROBE_NOT_SUPPORTED;
			known->values[i] = reading->value;
			continue;
		}
		status = write_value(record, sample_id, known, i, reading->state, reading->value,
		                     error);
	}
	if (status == WG_OK)
		known->present = true;
	return status;
}

/* A GPU that is no longer in the sample at all is lost from here on. */
static enum wg_status write_absent(struct wg_record *record, long long sample_id, bool whole,
                                   const struct wg_sample *sample, struct wg_error *error)
{
	for (size_t i = 0; i < record->gpu_count; i++) {
		struct record_gpu *known = &record->gpus[i];
		enum wg_status status = WG_OK;

		if (wg_sample_find(sample, known->key) >= 0 || (!known->present && !whole))
			continue;
		for (int r = 0; r < WG_READING_COUNT && status == WG_OK; r++)
			status =
				write_value(record, sample_id, known, r, WG_PROBE_LOST, NAN, error);
		if (status != WG_OK)
			return status;
		known->present = false;
	}
	return WG_OK;
}

static enum wg_status write_notes(struct wg_record *record, long long sample_id, bool whole,
                                  const struct wg_sample *sample, struct wg_error *error)
{
	bool changed = whole || record->note_count != sample->note_count;

	for (size_t i = 0; i < sample->note_count; i++) {
		char words[512];

		snprintf(words, sizeof words, "%d %s %s", sample->notes[i].kind,
		         sample->notes[i].message, sample->notes[i].advice);
		changed |= strcmp(words, record->notes[i]) != 0;
		memcpy(record->notes[i], words, sizeof words);
	}
	record->note_count = sample->note_count;
	for (size_t i = 0; changed && i < sample->note_count; i++) {
		const struct wg_probe_note *note = &sample->notes[i];
		sqlite3_stmt *s = record->add_note;
		enum wg_status status;

		sqlite3_bind_int64(s, 1, sample_id);
		sqlite3_bind_text(s, 2, note->backend, -1, SQLITE_STATIC);
		sqlite3_bind_text(s, 3, wg_probe_note_key(note->kind), -1, SQLITE_STATIC);
		sqlite3_bind_text(s, 4, note->message, -1, SQLITE_STATIC);
		sqlite3_bind_text(s, 5, note->advice, -1, SQLITE_STATIC);
		status = step(record, s, error);
		if (status != WG_OK)
			return status;
	}
	return WG_OK;
}

/* Drops the oldest tenth, up to a whole sample, so that what stays can be read. */
static enum wg_status make_room(struct wg_record *record, struct wg_error *error)
{
	long long pages = record_number(record->database, "PRAGMA page_count", 0) -
	                  record_number(record->database, "PRAGMA freelist_count", 0);
	long long page_bytes = record_number(record->database, "PRAGMA page_size", 4096);

	if (record->limit_bytes <= 0 || (double)pages * (double)page_bytes <= record->limit_bytes)
		return WG_OK;
	return record_run(
		record->database, record->path,
		"BEGIN IMMEDIATE;"
		"CREATE TEMP TABLE IF NOT EXISTS cut(first INTEGER);"
		"DELETE FROM cut;"
		"INSERT INTO cut SELECT coalesce((SELECT min(id) FROM sample WHERE whole = 1 AND id >="
		" (SELECT min(id) + (max(id) - min(id)) / 10 + 1 FROM sample)), 0);"
		"DELETE FROM value WHERE sample < (SELECT first FROM cut);"
		"DELETE FROM note WHERE sample < (SELECT first FROM cut);"
		"DELETE FROM sample WHERE id < (SELECT first FROM cut);"
		"COMMIT; PRAGMA incremental_vacuum;",
		error);
}

static enum wg_status write_sample(struct wg_record *record, const struct wg_sample *sample,
                                   bool whole, struct wg_error *error)
{
	long long id;
	enum wg_status status;

	sqlite3_bind_double(record->add_sample, 1, sample->time_s);
	sqlite3_bind_double(record->add_sample, 2, sample->clock_s);
	sqlite3_bind_int(record->add_sample, 3, whole);
	status = step(record, record->add_sample, error);
	id = sqlite3_last_insert_rowid(record->database);
	for (size_t i = 0; i < sample->count && status == WG_OK; i++)
		status = write_gpu(record, id, whole, sample, &sample->gpus[i], error);
	if (status == WG_OK)
		status = write_absent(record, id, whole, sample, error);
	if (status == WG_OK)
		status = write_notes(record, id, whole, sample, error);
	return status;
}

enum wg_status wg_record_add(struct wg_record *record, const struct wg_sample *sample,
                             struct wg_error *error)
{
	bool whole = record->since_whole >= WHOLE_EVERY;
	enum wg_status status;

	status = record_run(record->database, record->path, "BEGIN IMMEDIATE", error);
	if (status != WG_OK)
		return status;
	status = write_sample(record, sample, whole, error);
	if (status == WG_OK)
		status = record_run(record->database, record->path, "COMMIT", error);
	if (status != WG_OK) {
		/* What is held here no longer matches the file: begin anew with a whole one. */
		sqlite3_exec(record->database, "ROLLBACK", NULL, NULL, NULL);
		record->since_whole = WHOLE_EVERY;
		record->gpu_count = 0;
		return status;
	}
	record->since_whole = whole ? 1 : record->since_whole + 1;
	return whole ? make_room(record, error) : WG_OK;
}
