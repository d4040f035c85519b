/* The terminal view as grids of cells: golden screens at three sizes, sanity at every
 * size, keys. WHICHGPU_UPDATE=1 writes the golden screens anew. */
#include "check.h"

#include "probe/backend.h"
#include "tui/view.h"

#define GOLDEN WG_SOURCE_ROOT "/tests/golden/tui/"

static struct wg_sample sample;
static struct view view;
static struct screen screen;

static void named(uint32_t user_id, char *buffer, size_t buffer_bytes)
{
	snprintf(buffer, buffer_bytes, "user%u", user_id);
}

static struct wg_probe_process *add_process(size_t gpu, uint32_t pid, uint32_t parent, double gb,
                                            double busy, const char *command)
{
	struct wg_probe_process *process = wg_sample_add_process(&sample.gpus[gpu], pid);

	process->visible = true;
	process->parent_pid = parent;
	process->user_id = 1000;
	process->memory_bytes = (struct wg_reading){ gb * 1e9, "test", WG_PROBE_OK };
	process->busy_ratio = (struct wg_reading){ busy, "test", WG_PROBE_OK };
	snprintf(process->command, sizeof process->command, "%s", command);
	return process;
}

/* Two made-up GPUs with a past, and processes of all sorts. */
static void begin(int rows, int columns)
{
	struct wg_probe_options options = { .demo_gpus = 2 };
	struct wg_probe *probe;
	struct wg_error error;

	view_init(&view);
	screen_init(&screen);
	wg_sample_init(&sample);
	check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
	for (int i = 0; i < 120; i++) {
		check_status(wg_probe_sample(probe, i, 1764600000.0 + i, &sample, &error), WG_OK,
		             &error);
		sample.gpus[0].process_count = sample.gpus[1].process_count = 0;
		add_process(0, 4711, 1, 40.25, 0.93, "python3 train.py --name 训练模型");
		add_process(0, 4800, 4711, 1.5, 0.02, "python3 worker");
		add_process(1, 812, 1, 12, 0, "serve --port 8000");
		snprintf(sample.gpus[1].processes[0].container, 16, "0123456789ab");
		add_process(1, 999, 1, 0.5, 0.1, "hidden")->visible = false;
		assert_true(view_take(&view, &sample));
	}
	wg_probe_free(probe);
	assert_true(screen_resize(&screen, rows, columns));
}

static void end(void)
{
	view_done(&view);
	screen_done(&screen);
	wg_sample_done(&sample);
}

static void press(uint32_t key)
{
	uint32_t pid = 0;

	assert_int_equal(view_press(&view, &sample, key, &pid), VIEW_NOTHING);
}

static void type(const char *text)
{
	for (; *text; text++)
		press((unsigned char)*text);
}

static char *drawn(void)
{
	static char text[1 << 17];
	struct wg_text out;

	view_draw(&view, &sample, &screen, named);
	wg_text_init(&out, sizeof text - 1);
	screen_text(&screen, &out);
	assert_false(out.failed);
	snprintf(text, sizeof text, "%s", wg_text_string(&out));
	wg_text_done(&out);
	return text;
}

static void check_golden(const char *name)
{
	static char expected[1 << 17];
	char path[256], *text = drawn();
	size_t length;
	FILE *file;

	snprintf(path, sizeof path, GOLDEN "%s-%dx%d.txt", name, screen.columns, screen.rows);
	if (getenv("WHICHGPU_UPDATE")) {
		file = fopen(path, "w");
		fputs(text, file);
		fclose(file);
		return;
	}
	file = fopen(path, "r");
	if (!file)
		fail_msg("no golden screen %s", path);
	length = fread(expected, 1, sizeof expected - 1, file);
	expected[length] = '\0';
	fclose(file);
	if (strcmp(text, expected) != 0)
		fail_msg("%s differs; now it is\n%s", path, text);
}

static void golden_screens_at_three_sizes(void **state)
{
	static const int sizes[][2] = { { 10, 40 }, { 24, 80 }, { 60, 200 } };

	for (int i = 0; i < 3; i++) {
		begin(sizes[i][0], sizes[i][1]);
		check_golden("overview");
		press('p');
		check_golden("processes");
		press('t');
		check_golden("tree");
		press('d');
		check_golden("detail");
		press('h');
		check_golden("help");
		end();
	}
}

/* No row is wider than the screen, the frame is always there. */
static void every_size_holds_together(void **state)
{
	static const uint32_t pages[] = { 'o', 'p', 'd', 'h' };

	begin(10, 40);
	for (int rows = 1; rows <= 100; rows += rows < 30 ? 1 : 7) {
		for (int columns = 1; columns <= 400; columns += columns < 120 ? 3 : 41) {
			assert_true(screen_resize(&screen, rows, columns));
			for (int page = 0; page < 4; page++) {
				char *text, *line;
				int lines = 0;

				press(pages[page]);
				text = drawn();
				for (line = text; *line; line += strcspn(line, "\n") + 1) {
					char one[4096];

					memcpy(one, line, strcspn(line, "\n"));
					one[strcspn(line, "\n")] = '\0';
					assert_true((int)wg_text_width(one) <= columns);
					lines++;
				}
				assert_int_equal(lines, rows);
				if (columns >= 12 && rows >= 2)
					check_contains(text, "whichgpu");
			}
		}
	}
	end();
}

static void random_keys_break_nothing(void **state)
{
	static const uint32_t keys[] = { 'o',
		                         'p',
		                         'd',
		                         'h',
		                         's',
		                         't',
		                         '/',
		                         'K',
		                         'n',
		                         ' ',
		                         'j',
		                         'k',
		                         KEY_VIEW_UP,
		                         KEY_VIEW_DOWN,
		                         KEY_VIEW_PAGE_DOWN,
		                         KEY_VIEW_PAGE_UP,
		                         KEY_VIEW_HOME,
		                         KEY_VIEW_END,
		                         KEY_VIEW_ENTER,
		                         KEY_VIEW_ESCAPE,
		                         KEY_VIEW_BACKSPACE,
		                         0x8bad,
		                         'x' };
	unsigned long long seed = 12345;

	begin(24, 80);
	for (int i = 0; i < 20000; i++) {
		uint32_t pid;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		view_press(&view, &sample, keys[(seed >> 33) % (sizeof keys / sizeof keys[0])],
		           &pid);
		if (i % 7 == 0)
			view_click(&view, &sample, &screen, (int)(seed >> 40) % 30);
		/* GPUs and processes come and go. */
		if (i % 50 == 0) {
			sample.gpus[0].process_count = (seed >> 20) % 3;
			sample.count = 1 + ((seed >> 25) & 1);
			assert_true(view_take(&view, &sample));
		}
		if (i % 11 == 0)
			drawn();
	}
	sample.count = 2;
	end();
}

static void processes_sort_filter_and_nest(void **state)
{
	begin(24, 100);
	press('p');
	assert_int_equal(view.order_count, 4);
	assert_int_equal(sample.gpus[view.order[0].gpu].processes[view.order[0].process].pid, 4711);
	press('s');
	press('s');
	assert_int_equal(sample.gpus[view.order[0].gpu].processes[view.order[0].process].pid, 812);
	press('/');
	type("PYTHON");
	assert_int_equal(view.order_count, 2);
	press(KEY_VIEW_BACKSPACE);
	press(KEY_VIEW_ENTER);
	assert_string_equal(view.filter, "PYTHO");
	press('/');
	press(KEY_VIEW_ESCAPE);
	assert_int_equal(view.order_count, 4);
	press('/');
	press(0x8bad); /* 训 */
	assert_int_equal(view.order_count, 1);
	press(KEY_VIEW_BACKSPACE);
	assert_string_equal(view.filter, "");
	press(KEY_VIEW_ENTER);
	press('t');
	press('s');
	/* The worker stands below its parent. */
	check_contains(drawn(), "  python3 worker");
	end();
}

static void ending_a_process_asks_first(void **state)
{
	uint32_t pid = 0;

	begin(24, 100);
	press('K');
	assert_int_equal(view.confirm_pid, 0);
	press('p');
	press('K');
	assert_int_equal(view.confirm_pid, 4711);
	check_contains(drawn(), "end process 4711");
	press('n');
	assert_int_equal(view.confirm_pid, 0);
	press('K');
	assert_int_equal(view_press(&view, &sample, 'y', &pid), VIEW_KILL);
	assert_int_equal(pid, 4711);
	/* What /proc does not show is another machine's number. */
	press(KEY_VIEW_END);
	press('K');
	assert_int_equal(view.confirm_pid, 0);
	check_contains(drawn(), "not visible");
	assert_int_equal(view_press(&view, &sample, 'q', &pid), VIEW_QUIT);
	end();
}

static void trouble_is_told_in_the_health_line(void **state)
{
	begin(24, 80);
	wg_reading_set(&sample.gpus[0], WG_READ_THROTTLE_REASONS, WG_THROTTLE_HW_THERMAL, "test");
	check_contains(drawn(), "GPU 0 held back by: heat (hardware)");
	wg_probe_gpu_lose(&sample.gpus[1], "test");
	wg_reading_set(&sample.gpus[0], WG_READ_THROTTLE_REASONS, 0, "test");
	check_contains(drawn(), "GPU 1 does not answer");
	wg_sample_note(&sample, "probe", WG_PROBE_NOTE_HUNG,
	               "a driver call has not returned for 9 s");
	check_contains(drawn(), "has not returned for 9 s");
	end();
}

static void no_gpu_says_why(void **state)
{
	struct wg_probe_options options = { .nvml_path = "/nonexistent", .root = "/nonexistent" };
	struct wg_probe *probe;
	struct wg_error error;

	view_init(&view);
	screen_init(&screen);
	wg_sample_init(&sample);
	assert_true(screen_resize(&screen, 24, 80));
	check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
	check_status(wg_probe_sample(probe, 0, 0, &sample, &error), WG_OK, &error);
	assert_true(view_take(&view, &sample));
	check_contains(drawn(), "No GPU was found.");
	check_contains(drawn(), "cannot be opened");
	press('d');
	press('p');
	check_contains(drawn(), "No processes.");
	press('K');
	wg_probe_free(probe);
	end();
}

static void a_click_selects(void **state)
{
	begin(24, 80);
	assert_int_equal(view.selected_gpu, 0);
	view_click(&view, &sample, &screen, 1 + view_gpu_rows(&screen, 2));
	assert_int_equal(view.selected_gpu, 1);
	press('p');
	drawn();
	view_click(&view, &sample, &screen, 4);
	assert_int_equal(view.selected_process, 2);
	view_click(&view, &sample, &screen, 23);
	assert_int_equal(view.selected_process, 2);
	end();
}

static void cells_and_wide_characters(void **state)
{
	struct wg_text out;

	screen_init(&screen);
	assert_true(screen_resize(&screen, 2, 6));
	assert_int_equal(screen_put(&screen, 0, 0, 6, "a训练b", STYLE_PLAIN), 6);
	/* The second half of a wide character does not fit: it is left out. */
	assert_int_equal(screen_put(&screen, 1, 0, 4, "a训练", STYLE_PLAIN), 3);
	assert_int_equal(screen_put(&screen, 5, 0, 4, "x", STYLE_PLAIN), 1);
	assert_int_equal(screen_put(&screen, 0, 9, 4, "x", STYLE_PLAIN), 0);
	wg_text_init(&out, 1000);
	screen_text(&screen, &out);
	assert_string_equal(wg_text_string(&out), "a训练b\na训\n");
	wg_text_done(&out);
	screen_clear(&screen);
	screen_put(&screen, 0, 0, 6, "\033[2J\377", STYLE_PLAIN);
	wg_text_init(&out, 1000);
	screen_text(&screen, &out);
	assert_string_equal(wg_text_string(&out), "?[2J?\n\n");
	wg_text_done(&out);
	screen_done(&screen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_screens_at_three_sizes),
		cmocka_unit_test(every_size_holds_together),
		cmocka_unit_test(random_keys_break_nothing),
		cmocka_unit_test(processes_sort_filter_and_nest),
		cmocka_unit_test(ending_a_process_asks_first),
		cmocka_unit_test(trouble_is_told_in_the_health_line),
		cmocka_unit_test(no_gpu_says_why),
		cmocka_unit_test(a_click_selects),
		cmocka_unit_test(cells_and_wide_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
