/* Records: what was written comes back, survives a kill, keeps to its limit; and
 * what is said of one is right by hand. */
#include "check.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/backend.h"
#include "whichgpu/record.h"

static char path[64];
static struct wg_error error;

static void new_path(void)
{
	int fd;

	snprintf(path, sizeof path, "/tmp/whichgpu-record-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}

static void remove_record(void)
{
	char name[80];

	remove(path);
	snprintf(name, sizeof name, "%s-wal", path);
	remove(name);
	snprintf(name, sizeof name, "%s-shm", path);
	remove(name);
}

static struct wg_record *open_record(double limit_bytes)
{
	struct wg_record_options options = { .interval_s = 1, .limit_bytes = limit_bytes };
	struct wg_record *record;

	check_status(wg_record_open(path, &options, &record, &error), WG_OK, &error);
	return record;
}

static struct wg_probe *open_replay(void)
{
	struct wg_probe_options options = { .replay_path = path };
	struct wg_probe *probe;

	check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
	return probe;
}

static struct wg_probe_gpu *put_gpu(struct wg_sample *sample, const char *key, const char *name)
{
	struct wg_probe_gpu *gpu = wg_sample_add(sample, key);

	gpu->vendor = WG_PROBE_NVIDIA;
	wg_probe_text_set(gpu, WG_PROBE_TEXT_NAME, name);
	return gpu;
}

static bool same_reading(const struct wg_reading *a, const struct wg_reading *b)
{
	return a->state == b->state &&
	       (a->value == b->value || (isnan(a->value) && isnan(b->value)));
}

/* Two hundred samples of made-up GPUs, over several whole samples. */
static void what_was_written_comes_back(void **state)
{
	struct wg_probe_options demo = { .demo_gpus = 3 };
	struct wg_record *record;
	struct wg_probe *source, *replay;
	struct wg_sample *written = calloc(200, sizeof *written), played;

	new_path();
	record = open_record(0);
	check_status(wg_probe_open(&demo, &source, &error), WG_OK, &error);
	for (int i = 0; i < 200; i++) {
		wg_sample_init(&written[i]);
		check_status(wg_probe_sample(source, i, 1e9 + i, &written[i], &error), WG_OK,
		             &error);
		check_status(wg_record_add(record, &written[i], &error), WG_OK, &error);
	}
	wg_record_free(record);
	replay = open_replay();
	wg_sample_init(&played);
	for (int i = 0; i < 200; i++) {
		check_status(wg_probe_sample(replay, 0, 0, &played, &error), WG_OK, &error);
		assert_false(played.ended);
		check_close(played.time_s, written[i].time_s, 0);
		assert_int_equal(played.count, 3);
		for (size_t g = 0; g < 3; g++) {
			assert_string_equal(played.gpus[g].key, written[i].gpus[g].key);
			assert_string_equal(played.gpus[g].texts[WG_PROBE_TEXT_NAME].value,
			                    written[i].gpus[g].texts[WG_PROBE_TEXT_NAME].value);
			for (int r = 0; r < WG_READING_COUNT; r++) {
				/* The demo's one process is not recorded, its count is. */
				assert_true(same_reading(&played.gpus[g].readings[r],
				                         &written[i].gpus[g].readings[r]));
			}
		}
		wg_sample_done(&written[i]);
	}
	assert_string_equal(played.gpus[0].readings[WG_READ_POWER].call, "made up");
	check_status(wg_probe_sample(replay, 0, 0, &played, &error), WG_OK, &error);
	assert_true(played.ended);
	assert_int_equal(played.count, 3);
	wg_sample_done(&played);
	wg_probe_free(replay);
	wg_probe_free(source);
	free(written);
	remove_record();
}

static void states_and_absence_are_kept(void **state)
{
	struct wg_record *record;
	struct wg_probe *replay;
	struct wg_sample sample;
	struct wg_probe_gpu *gpu;

	new_path();
	record = open_record(0);
	wg_sample_init(&sample);
	for (int i = 0; i < 4; i++) {
		wg_sample_clear(&sample);
		sample.time_s = 100 + i;
		gpu = put_gpu(&sample, "0000:01:00.0", "one");
		wg_reading_set(gpu, WG_READ_POWER, 100, "call");
		if (i == 1)
			wg_reading_miss(gpu, WG_READ_POWER, WG_PROBE_NO_PERMISSION, "call");
		if (i == 2)
			gpu->readings[WG_READ_POWER].state = WG_PROBE_STALE;
		if (i != 1) {
			gpu = put_gpu(&sample, "0000:02:00.0", "two");
			wg_reading_set(gpu, WG_READ_FAN, 0.5, "call");
		}
		check_status(wg_record_add(record, &sample, &error), WG_OK, &error);
	}
	wg_record_free(record);
	replay = open_replay();
	for (int i = 0; i < 4; i++) {
		static const enum wg_probe_state power[] = { WG_PROBE_OK, WG_PROBE_NO_PERMISSION,
			                                     WG_PROBE_STALE, WG_PROBE_OK };

		check_status(wg_probe_sample(replay, 0, 0, &sample, &error), WG_OK, &error);
		assert_int_equal(sample.count, 2);
		assert_int_equal(sample.gpus[0].readings[WG_READ_POWER].state, power[i]);
		assert_int_equal(sample.gpus[1].lost, i == 1);
		assert_int_equal(sample.gpus[1].readings[WG_READ_FAN].state,
		                 i == 1 ? WG_PROBE_LOST : WG_PROBE_OK);
		/* What the second never told is not lost for good when it is back. */
		assert_int_equal(sample.gpus[1].readings[WG_READ_POWER].state,
		                 i == 1 ? WG_PROBE_LOST : WG_PROBE_NOT_SUPPORTED);
	}
	check_close(sample.gpus[0].readings[WG_READ_POWER].value, 100, 0);
	wg_sample_done(&sample);
	wg_probe_free(replay);
	remove_record();
}

/* A writer killed at a random moment: the file opens, plays, and has every sample
 * that was reported as written. */
static void kill_loses_at_most_the_sample_being_written(void **state)
{
	int pipes[2], count = 0, played = 0;
	struct wg_probe *replay;
	struct wg_sample sample;
	pid_t child;

	new_path();
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		struct wg_probe_options demo = { .demo_gpus = 8 };
		struct wg_record *record = open_record(0);
		struct wg_probe *source;

		wg_sample_init(&sample);
		if (wg_probe_open(&demo, &source, NULL) != WG_OK)
			_exit(1);
		for (int i = 0;; i++) {
			wg_probe_sample(source, i, i, &sample, NULL);
			if (wg_record_add(record, &sample, NULL) != WG_OK ||
			    write(pipes[1], "x", 1) != 1)
				_exit(1);
		}
	}
	close(pipes[1]);
	for (char byte; count < 300 && read(pipes[0], &byte, 1) == 1;)
		count++;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	for (char byte; read(pipes[0], &byte, 1) == 1;)
		count++;
	close(pipes[0]);
	assert_true(count >= 300);
	replay = open_replay();
	wg_sample_init(&sample);
	for (;;) {
		check_status(wg_probe_sample(replay, 0, 0, &sample, &error), WG_OK, &error);
		if (sample.ended)
			break;
		assert_int_equal(sample.count, 8);
		check_close(sample.time_s, played, 0);
		played++;
	}
	/* One more may have been committed and not yet reported. */
	assert_true(played >= count && played <= count + 1);
	wg_sample_done(&sample);
	wg_probe_free(replay);
	remove_record();
}

static long long file_bytes(void)
{
	struct stat found;

	assert_int_equal(stat(path, &found), 0);
	return found.st_size;
}

static void the_limit_is_kept_and_the_newest_stays(void **state)
{
	struct wg_probe_options demo = { .demo_gpus = 4 };
	struct wg_record *record;
	struct wg_probe *source, *replay;
	struct wg_sample sample;
	double first, last = 0;

	new_path();
	record = open_record(300000);
	check_status(wg_probe_open(&demo, &source, &error), WG_OK, &error);
	wg_sample_init(&sample);
	for (int i = 0; i < 3000; i++) {
		check_status(wg_probe_sample(source, i, i, &sample, &error), WG_OK, &error);
		check_status(wg_record_add(record, &sample, &error), WG_OK, &error);
	}
	wg_record_free(record);
	/* One round between two whole samples may stand above the limit. */
	assert_true(file_bytes() < 600000);
	replay = open_replay();
	check_status(wg_probe_sample(replay, 0, 0, &sample, &error), WG_OK, &error);
	first = sample.time_s;
	assert_true(first > 0);
	while (!sample.ended) {
		last = sample.time_s;
		check_status(wg_probe_sample(replay, 0, 0, &sample, &error), WG_OK, &error);
	}
	check_close(last, 2999, 0);
	assert_true(last - first > 100);
	wg_sample_done(&sample);
	wg_probe_free(replay);
	wg_probe_free(source);
	remove_record();
}

static void a_record_is_gone_on_with(void **state)
{
	struct wg_sample sample;
	struct wg_record_summary summary;

	new_path();
	wg_sample_init(&sample);
	for (int round = 0; round < 2; round++) {
		struct wg_record *record = open_record(0);

		for (int i = 0; i < 5; i++) {
			struct wg_probe_gpu *gpu;

			wg_sample_clear(&sample);
			sample.time_s = round * 1000 + i;
			gpu = put_gpu(&sample, "k", "one");
			wg_reading_set(gpu, WG_READ_POWER, 50, "call");
			check_status(wg_record_add(record, &sample, &error), WG_OK, &error);
		}
		wg_record_free(record);
	}
	check_status(wg_record_summarise(path, &summary, &error), WG_OK, &error);
	assert_int_equal(summary.samples, 10);
	assert_int_equal(summary.count, 1);
	/* The pause between the two runs is a gap, not watched at 50 W. */
	check_close(summary.gpus[0].watched_s, 8, 0);
	check_close(summary.gpus[0].gap_s, 996, 0);
	check_close(summary.gpus[0].energy_joules, 400, 1e-12);
	wg_record_summary_done(&summary);
	wg_sample_done(&sample);
	remove_record();
}

/* Ten seconds by hand: 5 s at 0 %, 5 s at 100 %, power 100 then 300 W. */
static void a_summary_by_hand(void **state)
{
	struct wg_record *record;
	struct wg_record_summary summary;
	struct wg_sample sample;

	new_path();
	record = open_record(0);
	wg_sample_init(&sample);
	for (int i = 0; i <= 10; i++) {
		struct wg_probe_gpu *gpu;
		bool busy = i > 5;

		wg_sample_clear(&sample);
		sample.time_s = 1000 + i;
		gpu = put_gpu(&sample, "a", "by power");
		wg_reading_set(gpu, WG_READ_BUSY, busy, "call");
		wg_reading_set(gpu, WG_READ_POWER, busy ? 300 : 100, "call");
		wg_reading_set(gpu, WG_READ_TEMPERATURE, i == 7 ? 81 : 40, "call");
		wg_reading_set(gpu, WG_READ_THROTTLE_REASONS,
		               busy ? WG_THROTTLE_POWER_CAP : WG_THROTTLE_IDLE, "call");
		gpu = put_gpu(&sample, "b", "by counter");
		wg_reading_set(gpu, WG_READ_ENERGY, 7000 + 20 * i, "call");
		wg_reading_set(gpu, WG_READ_XID_COUNT, i >= 4 ? 2 : 0, "call");
		if (i == 9)
			wg_probe_gpu_lose(gpu, "call");
		check_status(wg_record_add(record, &sample, &error), WG_OK, &error);
	}
	wg_record_free(record);
	check_status(wg_record_summarise(path, &summary, &error), WG_OK, &error);
	assert_int_equal(summary.count, 2);
	check_close(summary.end_s - summary.begin_s, 10, 0);
	check_close(summary.gpus[0].busy_mean, 0.5, 1e-12);
	check_close(summary.gpus[0].busy_bin_s[0], 5, 0);
	check_close(summary.gpus[0].busy_bin_s[9], 5, 0);
	/* Trapezoids: 0..5 s at 100 W, 5..6 s at 200, 6..10 s at 300. */
	check_close(summary.gpus[0].energy_joules, 500 + 200 + 1200, 1e-12);
	assert_false(summary.gpus[0].energy_from_counter);
	check_close(summary.gpus[0].throttle_s[2], 5, 0);
	check_close(summary.gpus[0].throttle_s[0], 5, 0);
	check_close(summary.gpus[0].temperature.value, 81, 0);
	check_close(summary.gpus[0].temperature.time_s, 1007, 0);
	assert_true(isnan(summary.gpus[1].busy_mean));
	/* Two of ten seconds touch the moment it was lost. */
	check_close(summary.gpus[1].lost_s, 2, 0);
	check_close(summary.gpus[1].energy_joules, 160, 1e-12);
	assert_true(summary.gpus[1].energy_from_counter);
	check_close(summary.gpus[1].xid_errors, 2, 0);
	wg_record_summary_done(&summary);
	wg_sample_done(&sample);
	remove_record();
}

static void refuse(const char *what, const char *words)
{
	struct wg_probe_options options = { .replay_path = path };
	struct wg_probe *probe;

	wg_error_init(&error);
	if (wg_probe_open(&options, &probe, &error) == WG_OK)
		fail_msg("%s was accepted", what);
	check_contains(error.message, words);
}

static void other_files_are_refused(void **state)
{
	struct wg_record_options options = { .interval_s = 1 };
	struct wg_record *record;
	sqlite3 *database;
	FILE *file;

	new_path();
	refuse("an empty file", "no record");
	file = fopen(path, "w");
	for (int i = 0; i < 5000; i++)
		fputs("This is no database. ", file);
	fclose(file);
	refuse("a text", "not a database");
	assert_int_equal(wg_record_open(path, &options, &record, &error), WG_BAD_INPUT);
	remove(path);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	sqlite3_exec(database, "CREATE TABLE mine(x)", NULL, NULL, NULL);
	sqlite3_close(database);
	refuse("someone's database", "no record");
	assert_int_equal(wg_record_open(path, &options, &record, &error), WG_BAD_INPUT);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	sqlite3_exec(database, "PRAGMA application_id=2003268196; PRAGMA user_version=2", NULL,
	             NULL, NULL);
	sqlite3_close(database);
	refuse("a later format", "another format");
	remove_record();
	refuse("no file", "cannot be opened");
}

/* Rows that no writer of ours makes: out of range, of other types, too many. */
static void odd_rows_are_survived(void **state)
{
	static const char *const rows[] = {
		"INSERT INTO value VALUES(1, 99, 1, 1, 5)",
		"INSERT INTO value VALUES(1, 1, -7, 1, 5)",
		"INSERT INTO value VALUES(1, 1, 999999, 1, 5)",
		"INSERT INTO value VALUES(1, 1, 3, 12345, 5)",
		"INSERT OR REPLACE INTO value VALUES(1, 1, 37, 1, 'text')",
		"INSERT OR REPLACE INTO value VALUES(1, 1, 38, 1, NULL)",
		"INSERT INTO gpu VALUES(7, x'0001ff', 77, 5, -1, 'nowhere', 1, 2, 3)",
		"INSERT INTO gpu_text VALUES(1, 'name', char(27) || '[2J')",
		"INSERT INTO value VALUES(1, 7, 1, 1, 1e999)",
		"INSERT INTO sample VALUES(2, 'x', NULL, 'y')",
		"INSERT INTO note VALUES(1, NULL, NULL, NULL, NULL)",
	};
	struct wg_record *record;
	struct wg_probe *replay;
	struct wg_sample sample;
	sqlite3 *database;

	new_path();
	record = open_record(0);
	wg_sample_init(&sample);
	wg_reading_set(put_gpu(&sample, "k", "one"), WG_READ_FAN, 0.5, "call");
	check_status(wg_record_add(record, &sample, &error), WG_OK, &error);
	wg_record_free(record);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		sqlite3_exec(database, rows[i], NULL, NULL, NULL);
	sqlite3_close(database);
	replay = open_replay();
	for (int i = 0; i < 3; i++)
		check_status(wg_probe_sample(replay, 0, 0, &sample, &error), WG_OK, &error);
	assert_null(strchr(sample.gpus[0].texts[WG_PROBE_TEXT_NAME].value, '\033'));
	wg_sample_done(&sample);
	wg_probe_free(replay);
	remove_record();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_comes_back),
		cmocka_unit_test(states_and_absence_are_kept),
		cmocka_unit_test(kill_loses_at_most_the_sample_being_written),
		cmocka_unit_test(the_limit_is_kept_and_the_newest_stays),
		cmocka_unit_test(a_record_is_gone_on_with),
		cmocka_unit_test(a_summary_by_hand),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(odd_rows_are_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
