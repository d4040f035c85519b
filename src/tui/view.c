/* The view's state: samples in, keys in. */
#include "tui/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "whichgpu/limits.h"

void view_init(struct view *view)
{
	memset(view, 0, sizeof *view);
}

void view_done(struct view *view)
{
	free(view->histories);
	free(view->order);
	memset(view, 0, sizeof *view);
}

static struct view_history *history_of(struct view *view, const char *key)
{
	for (size_t i = 0; i < view->history_count; i++) {
		if (strcmp(view->histories[i].key, key) == 0)
			return &view->histories[i];
	}
	if (view->history_count == view->history_capacity) {
		size_t capacity = view->history_capacity ? view->history_capacity * 2 : 4;
		struct view_history *histories;

		if (capacity > WG_LIMIT_PROBE_GPUS)
			return NULL;
		histories = realloc(view->histories, capacity * sizeof *histories);
		if (!histories)
			return NULL;
		view->histories = histories;
		view->history_capacity = capacity;
	}
	memset(&view->histories[view->history_count], 0, sizeof *view->histories);
	memcpy(view->histories[view->history_count].key, key, sizeof view->histories->key);
	return &view->histories[view->history_count++];
}

static double ratio(const struct wg_probe_gpu *gpu, enum wg_reading_name part,
                    enum wg_reading_name whole)
{
	double a, b;

	if (!wg_reading_ok(gpu, part, &a))
		return NAN;
	if (whole == WG_READING_COUNT)
		return a;
	return wg_reading_ok(gpu, whole, &b) && b > 0 ? a / b : NAN;
}

static void push(double *values, size_t count, double value)
{
	if (count == VIEW_HISTORY) {
		memmove(values, values + 1, (VIEW_HISTORY - 1) * sizeof *values);
		count--;
	}
	values[count] = value;
}

static void keep_inside(struct view *view, const struct wg_sample *sample)
{
	int last = (int)sample->count - 1;

	if (view->selected_gpu > last)
		view->selected_gpu = last;
	if (view->selected_gpu < 0)
		view->selected_gpu = 0;
	if (view->selected_process >= (int)view->order_count)
		view->selected_process = (int)view->order_count - 1;
	if (view->selected_process < 0)
		view->selected_process = 0;
}

/* --- processes in their order -------------------------------------------------------- */

/* What qsort compares by: its callback has no context of ours. */
struct sortable {
	double value;
	uint32_t pid;
	struct view_process place;
};

static int by_value(const void *a, const void *b)
{
	const struct sortable *left = a, *right = b;

	if (left->value != right->value)
		return (left->value < right->value) - (left->value > right->value);
	return (left->pid > right->pid) - (left->pid < right->pid);
}

static bool matches(const struct view *view, const struct wg_probe_process *process)
{
	char pid[16];

	snprintf(pid, sizeof pid, "%u", process->pid);
	return !view->filter[0] || strcasestr(process->command, view->filter) ||
	       strstr(process->container, view->filter) || strcmp(pid, view->filter) == 0;
}

static double sort_value(const struct view *view, const struct wg_probe_process *process)
{
	const struct wg_reading *reading =
		view->sort == SORT_BUSY ? &process->busy_ratio : &process->memory_bytes;

	if (view->sort == SORT_PID)
		return -(double)process->pid;
	return reading->state == WG_PROBE_OK ? reading->value : -1;
}

static uint32_t parent_of(const struct wg_sample *sample, const struct view_process *place)
{
	return sample->gpus[place->gpu].processes[place->process].parent_pid;
}

/* Moves each process right behind its parent, where that one is listed as well. */
static void make_tree(struct view *view, const struct wg_sample *sample, struct sortable *list,
                      size_t count)
{
	size_t done = 0;
	bool *placed = calloc(count ? count : 1, sizeof *placed);

	for (size_t root = 0; placed && root < count; root++) {
		bool has_parent = false;
		size_t next = done;

		for (size_t i = 0; i < count; i++)
			has_parent |=
				list[i].pid == parent_of(sample, &list[root].place) && i != root;
		if (has_parent || placed[root])
			continue;
		view->order[done++] = list[root].place;
		placed[root] = true;
		for (; next < done; next++) {
			const struct wg_probe_gpu *gpu = &sample->gpus[view->order[next].gpu];
			uint32_t pid = gpu->processes[view->order[next].process].pid;

			for (size_t i = 0; i < count; i++) {
				if (placed[i] || parent_of(sample, &list[i].place) != pid)
					continue;
				view->order[done++] = list[i].place;
				placed[i] = true;
			}
		}
	}
	/* Processes that are each other's parents, which only odd data has. */
	for (size_t i = 0; i < count; i++) {
		if (!placed || !placed[i])
			view->order[done++] = list[i].place;
	}
	free(placed);
}

static bool order_processes(struct view *view, const struct wg_sample *sample)
{
	struct sortable *list;
	size_t total = 0, count = 0;

	for (size_t g = 0; g < sample->count; g++)
		total += sample->gpus[g].process_count;
	view->order_count = 0;
	if (total == 0)
		return true;
	if (total > view->order_capacity) {
		struct view_process *order = realloc(view->order, total * sizeof *order);

		if (!order)
			return false;
		view->order = order;
		view->order_capacity = total;
	}
	list = malloc(total * sizeof *list);
	if (!list)
		return false;
	for (size_t g = 0; g < sample->count; g++) {
		for (size_t p = 0; p < sample->gpus[g].process_count; p++) {
			const struct wg_probe_process *process = &sample->gpus[g].processes[p];

			if (matches(view, process))
				list[count++] = (struct sortable){ sort_value(view, process),
					                           process->pid,
					                           { g, p } };
		}
	}
	qsort(list, count, sizeof *list, by_value);
	if (view->tree) {
		make_tree(view, sample, list, count);
	} else {
		for (size_t i = 0; i < count; i++)
			view->order[i] = list[i].place;
	}
	view->order_count = count;
	free(list);
	return true;
}

bool view_take(struct view *view, const struct wg_sample *sample)
{
	for (size_t i = 0; i < sample->count; i++) {
		const struct wg_probe_gpu *gpu = &sample->gpus[i];
		struct view_history *history = history_of(view, gpu->key);

		if (!history)
			return false;
		push(history->busy, history->count, ratio(gpu, WG_READ_BUSY, WG_READING_COUNT));
		push(history->memory, history->count,
		     ratio(gpu, WG_READ_MEMORY_USED, WG_READ_MEMORY_TOTAL));
		push(history->power, history->count,
		     ratio(gpu, WG_READ_POWER, WG_READ_POWER_LIMIT));
		if (history->count < VIEW_HISTORY)
			history->count++;
	}
	if (!order_processes(view, sample))
		return false;
	keep_inside(view, sample);
	return true;
}

/* --- keys ------------------------------------------------------------------------------ */

static void move(struct view *view, const struct wg_sample *sample, int steps)
{
	switch (view->page) {
	case PAGE_OVERVIEW:
		view->selected_gpu += steps;
		break;
	case PAGE_PROCESSES:
		view->selected_process += steps;
		break;
	case PAGE_DETAIL:
	case PAGE_HELP:
		view->scroll += steps;
		if (view->scroll < 0)
			view->scroll = 0;
		if (view->scroll > 200)
			view->scroll = 200;
		break;
	}
	keep_inside(view, sample);
}

static void go(struct view *view, enum view_page page)
{
	if (page == view->page)
		return;
	view->page_before = view->page == PAGE_HELP ? PAGE_OVERVIEW : view->page;
	view->page = page;
	view->scroll = 0;
}

/* Appends a typed character as UTF-8; keys that are none, and what has no room, are
 * left out. */
static void add_character(char *text, size_t text_bytes, uint32_t code)
{
	size_t length = strlen(text);
	char bytes[4] = { 0 };

	if (code >= ' ' && code < 0x7f) {
		bytes[0] = (char)code;
	} else if (code >= 0xa0 && code < 0x800) {
		bytes[0] = (char)(0xc0 | code >> 6);
		bytes[1] = (char)(0x80 | (code & 0x3f));
	} else if (code >= 0x800 && code < 0x10000) {
		bytes[0] = (char)(0xe0 | code >> 12);
		bytes[1] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (code & 0x3f));
	}
	if (length + strlen(bytes) < text_bytes)
		memcpy(text + length, bytes, strlen(bytes) + 1);
}

static void press_in_filter(struct view *view, const struct wg_sample *sample, uint32_t key)
{
	size_t length = strlen(view->filter);

	if (key == KEY_VIEW_ENTER || key == KEY_VIEW_ESCAPE) {
		view->filtering = false;
		if (key == KEY_VIEW_ESCAPE)
			view->filter[0] = '\0';
	} else if (key == KEY_VIEW_BACKSPACE) {
		/* A whole character: continuation bytes go with their first. */
		while (length > 0 && ((unsigned char)view->filter[--length] & 0xc0) == 0x80)
			;
		view->filter[length] = '\0';
	} else {
		add_character(view->filter, sizeof view->filter, key);
	}
	order_processes(view, sample);
	keep_inside(view, sample);
}

static void ask_to_kill(struct view *view, const struct wg_sample *sample)
{
	const struct view_process *place;
	const struct wg_probe_process *process;

	if (view->page != PAGE_PROCESSES || view->order_count == 0)
		return;
	place = &view->order[view->selected_process];
	process = &sample->gpus[place->gpu].processes[place->process];
	/* A number that /proc does not know is the host's: here it may be another's. */
	if (!process->visible || process->pid <= 1) {
		snprintf(view->message, sizeof view->message, "%s",
		         _("that process is not visible from here and cannot be ended"));
		return;
	}
	view->confirm_pid = process->pid;
	memcpy(view->confirm_command, process->command, sizeof view->confirm_command);
}

static enum view_action press_confirming(struct view *view, uint32_t key, uint32_t *ret_pid)
{
	uint32_t pid = view->confirm_pid;

	view->confirm_pid = 0;
	if (key != 'y' && key != 'Y')
		return VIEW_NOTHING;
	*ret_pid = pid;
	return VIEW_KILL;
}

static bool press_moves(struct view *view, const struct wg_sample *sample, uint32_t key)
{
	static const struct {
		uint32_t key;
		int steps;
	} moves[] = {
		{ KEY_VIEW_UP, -1 },        { 'k', -1 },
		{ KEY_VIEW_DOWN, 1 },       { 'j', 1 },
		{ KEY_VIEW_PAGE_UP, -10 },  { KEY_VIEW_PAGE_DOWN, 10 },
		{ KEY_VIEW_HOME, -100000 }, { KEY_VIEW_END, 100000 },
	};

	for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
		if (moves[i].key == key) {
			move(view, sample, moves[i].steps);
			return true;
		}
	}
	return false;
}

enum view_action view_press(struct view *view, const struct wg_sample *sample, uint32_t key,
                            uint32_t *ret_pid)
{
	view->message[0] = '\0';
	if (view->confirm_pid)
		return press_confirming(view, key, ret_pid);
	if (view->filtering) {
		press_in_filter(view, sample, key);
		return VIEW_NOTHING;
	}
	if (press_moves(view, sample, key))
		return VIEW_NOTHING;
	switch (key) {
	case 'q':
		return VIEW_QUIT;
	case 'o':
	case KEY_VIEW_LEFT:
		go(view, PAGE_OVERVIEW);
		break;
	case KEY_VIEW_ESCAPE:
		go(view, view->page == PAGE_HELP ? view->page_before : PAGE_OVERVIEW);
		break;
	case 'd':
	case KEY_VIEW_ENTER:
	case KEY_VIEW_RIGHT:
		go(view, PAGE_DETAIL);
		break;
	case 'p':
		go(view, PAGE_PROCESSES);
		break;
	case 'h':
	case '?':
		go(view, PAGE_HELP);
		break;
	case 's':
		view->sort = (enum view_sort)((view->sort + 1) % SORT_COUNT);
		break;
	case 't':
		view->tree = !view->tree;
		break;
	case '/':
		go(view, PAGE_PROCESSES);
		view->filtering = true;
		break;
	case 'K':
		ask_to_kill(view, sample);
		break;
	case ' ':
		view->paused = !view->paused;
		break;
	default:
		break;
	}
	order_processes(view, sample);
	keep_inside(view, sample);
	return VIEW_NOTHING;
}

void view_click(struct view *view, const struct wg_sample *sample, const struct screen *screen,
                int row)
{
	/* Row 0 is the title, in processes row 1 the heads of the columns. */
	if (view->page == PAGE_OVERVIEW && row >= 1) {
		int place = (row - 1) / view_gpu_rows(screen, sample->count);

		if (place >= 0 && place < (int)sample->count)
			view->selected_gpu = place + view->scroll;
	} else if (view->page == PAGE_PROCESSES && row >= 2) {
		if (row - 2 + view->scroll < (int)view->order_count)
			view->selected_process = row - 2 + view->scroll;
	}
	keep_inside(view, sample);
}
