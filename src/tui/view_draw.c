/* Drawing the view into a grid of any size. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/i18n.h"
#include "tui/view.h"

#define GB 1e9

typedef void (*user_name_function)(uint32_t user_id, char *buffer, size_t buffer_bytes);

static const char *state_word(enum wg_probe_state state)
{
	switch (state) {
	case WG_PROBE_NO_PERMISSION:
		return _("no right");
	case WG_PROBE_NOT_IN_MIG:
		return _("in MIG");
	case WG_PROBE_LOST:
		return _("lost");
	case WG_PROBE_STALE:
		return _("stale");
	default:
		return _("N/A");
	}
}

static enum screen_style heat_style(double share)
{
	return share >= 0.95 ? STYLE_HOT : share >= 0.8 ? STYLE_WARM : STYLE_GOOD;
}

/* A reading by its unit, or its state, into a small buffer. */
static void write_reading(const struct wg_reading *reading, enum wg_reading_unit unit, char *buffer,
                          size_t bytes)
{
	double value = reading->value;

	if (reading->state != WG_PROBE_OK) {
		snprintf(buffer, bytes, "%s", state_word(reading->state));
		return;
	}
	switch (unit) {
	case WG_READING_IN_BYTES:
		snprintf(buffer, bytes, "%.1f GB", value / GB);
		break;
	case WG_READING_IN_BYTES_PER_S:
		snprintf(buffer, bytes, "%.2f GB/s", value / GB);
		break;
	case WG_READING_IN_RATIO:
		snprintf(buffer, bytes, "%.0f %%", value * 100);
		break;
	case WG_READING_IN_HERTZ:
		snprintf(buffer, bytes, "%.0f MHz", value / 1e6);
		break;
	case WG_READING_IN_CELSIUS:
		snprintf(buffer, bytes, "%.0f °C", value);
		break;
	case WG_READING_IN_WATTS:
		snprintf(buffer, bytes, "%.0f W", value);
		break;
	case WG_READING_IN_JOULES:
		snprintf(buffer, bytes, "%.3f kWh", value / 3.6e6);
		break;
	case WG_READING_IN_SECONDS:
		snprintf(buffer, bytes, "%.1f s", value);
		break;
	case WG_READING_IN_FLAG:
		snprintf(buffer, bytes, "%s", value > 0 ? _("yes") : _("no"));
		break;
	case WG_READING_IN_BITS:
		snprintf(buffer, bytes, "0x%x", (unsigned)value);
		break;
	default:
		snprintf(buffer, bytes, "%.0f", value);
	}
}

static void write_named(const struct wg_probe_gpu *gpu, enum wg_reading_name name, char *buffer,
                        size_t bytes)
{
	write_reading(&gpu->readings[name], wg_reading_unit(name), buffer, bytes);
}

static void write_label(const struct wg_probe_gpu *gpu, char *buffer, size_t bytes)
{
	if (gpu->kind == WG_PROBE_INSTANCE)
		snprintf(buffer, bytes, "%u:%d", gpu->index, gpu->gpu_instance);
	else
		snprintf(buffer, bytes, "%u", gpu->index);
}

static const char *short_name(const struct wg_probe_gpu *gpu)
{
	static const char *const vendors[] = { "NVIDIA ", "AMD ", "Intel " };
	const char *name = gpu->texts[WG_PROBE_TEXT_NAME].value;
	const char *part = gpu->kind == WG_PROBE_INSTANCE ? strstr(name, "MIG ") : NULL;

	if (part)
		return part;
	for (int i = 0; i < 3; i++) {
		if (strncmp(name, vendors[i], strlen(vendors[i])) == 0)
			return name + strlen(vendors[i]);
	}
	return name[0] ? name : gpu->key;
}

static const struct view_history *history_of(const struct view *view, const char *key)
{
	for (size_t i = 0; i < view->history_count; i++) {
		if (strcmp(view->histories[i].key, key) == 0)
			return &view->histories[i];
	}
	return NULL;
}

/* --- the frame ----------------------------------------------------------------------------- */

static void draw_title(const struct view *view, const struct wg_sample *sample,
                       struct screen *screen)
{
	static const char *const pages[] = { N_("overview"), N_("detail"), N_("processes"),
		                             N_("help") };
	char when[32] = "";
	time_t time_s = (time_t)sample->time_s;
	struct tm parts;
	int used;

	screen_style_row(screen, 0, STYLE_TITLE);
	used = screen_print(screen, 0, 0, screen->columns, STYLE_TITLE, " whichgpu  %s",
	                    _(pages[view->page]));
	if (view->paused)
		used += screen_print(screen, 0, used, screen->columns, STYLE_TITLE, "  [%s]",
		                     _("paused"));
	if (gmtime_r(&time_s, &parts))
		strftime(when, sizeof when, "%H:%M:%S UTC ", &parts);
	if (screen->columns - (int)strlen(when) > used + 2)
		screen_put(screen, 0, screen->columns - (int)strlen(when), screen->columns, when,
		           STYLE_TITLE);
}

static void draw_footer(const struct view *view, const struct wg_sample *sample,
                        struct screen *screen)
{
	static const char *const keys[] = {
		N_(" q quit  Enter detail  p processes  space pause  h help"),
		N_(" q quit  Esc back  up/down scroll  h help"),
		N_(" q quit  s sort  t tree  / filter  K end  Esc back  h help"),
		N_(" q quit  Esc back"),
	};
	int row = screen->rows - 1;

	screen_style_row(screen, row, STYLE_TITLE);
	if (view->confirm_pid) {
		screen_print(screen, row, 0, screen->columns, STYLE_HOT,
		             _(" end process %u (%s)? y / n"), view->confirm_pid,
		             view->confirm_command);
	} else if (view->filtering) {
		screen_print(screen, row, 0, screen->columns, STYLE_TITLE, _(" filter: %s_"),
		             view->filter);
	} else if (view->message[0]) {
		screen_print(screen, row, 0, screen->columns, STYLE_WARM, " %s", view->message);
	} else {
		screen_put(screen, row, 0, screen->columns,
		           screen->columns >= 62 ? _(keys[view->page]) : _(" q quit  h help"),
		           STYLE_TITLE);
	}
}

/* The first thing a reader must know, above the footer; false when all is well. */
static bool draw_health(const struct wg_sample *sample, struct screen *screen, int row)
{
	for (size_t i = 0; i < sample->note_count; i++) {
		const struct wg_probe_note *note = &sample->notes[i];

		if (note->kind == WG_PROBE_NOTE_OK || note->kind == WG_PROBE_NOTE_NO_GPU ||
		    note->kind == WG_PROBE_NOTE_NO_LIBRARY)
			continue;
		screen_print(screen, row, 0, screen->columns, STYLE_HOT, " %s: %s", note->backend,
		             note->message);
		return true;
	}
	for (size_t i = 0; i < sample->count; i++) {
		const struct wg_probe_gpu *gpu = &sample->gpus[i];
		double reasons = 0, errors = 0;
		char words[160];

		if (gpu->lost) {
			screen_print(screen, row, 0, screen->columns, STYLE_HOT,
			             _(" GPU %u does not answer"), gpu->index);
			return true;
		}
		if (wg_reading_ok(gpu, WG_READ_ECC_UNCORRECTED, &errors) && errors > 0) {
			screen_print(screen, row, 0, screen->columns, STYLE_HOT,
			             _(" GPU %u: %.0f uncorrected memory errors; see doctor"),
			             gpu->index, errors);
			return true;
		}
		if (!wg_reading_ok(gpu, WG_READ_THROTTLE_REASONS, &reasons) ||
		    !((unsigned)reasons & WG_THROTTLE_HARMFUL))
			continue;
		wg_throttle_words((unsigned)reasons & WG_THROTTLE_HARMFUL, words, sizeof words);
		screen_print(screen, row, 0, screen->columns, STYLE_WARM,
		             _(" GPU %u held back by: %s"), gpu->index, words);
		return true;
	}
	return false;
}

/* --- overview -------------------------------------------------------------------------------- */

int view_gpu_rows(const struct screen *screen, size_t gpu_count)
{
	int room = screen->rows - 3; /* title, health, footer */
	int rows = gpu_count > 0 ? room / (int)gpu_count : room;

	/* One line, or that and a line of readings, or those and a chart. */
	return rows < 2 ? 1 : rows < 4 ? 2 : rows > 8 ? 8 : rows;
}

static int draw_metric(struct screen *screen, int row, int column, int bar, const char *name,
                       double share, const char *words, bool ascii)
{
	int used = screen_put(screen, row, column, 5, name, STYLE_DIM);

	if (bar > 0) {
		screen_bar(screen, row, column + used + 1, bar, share,
		           isnan(share) ? STYLE_DIM : heat_style(share), ascii);
		used += bar + 1;
	}
	used += 1 + screen_put(screen, row, column + used + 1, 18, words, STYLE_PLAIN);
	return used;
}

/* Where the parts of a GPU's line stand on a screen of some width. */
static const struct line_plan {
	int least;                          /* columns of the screen */
	int name, bar, busy, memory, power; /* columns of each part, its gap included */
	bool titles, active;
} line_plans[] = {
	{ 130, 26, 12, 25, 30, 7, true, true }, { 100, 26, 12, 25, 30, 7, true, false },
	{ 70, 16, 6, 19, 24, 7, true, false },  { 60, 9, 0, 13, 18, 7, true, false },
	{ 0, 9, 0, 6, 9, 6, false, false },
};

static const struct line_plan *plan_of(int columns)
{
	const struct line_plan *plan = line_plans;

	while (columns < plan->least)
		plan++;
	return plan;
}

/* "42.9/85.9 GB" and its share; the state when it is not known. */
static double write_memory(const struct wg_probe_gpu *gpu, bool wide, char *buffer, size_t bytes)
{
	double used, total;

	if (!wg_reading_ok(gpu, WG_READ_MEMORY_USED, &used) ||
	    !wg_reading_ok(gpu, WG_READ_MEMORY_TOTAL, &total) || total <= 0) {
		write_named(gpu, WG_READ_MEMORY_USED, buffer, bytes);
		return NAN;
	}
	if (wide)
		snprintf(buffer, bytes, "%.1f/%.1f GB", used / GB, total / GB);
	else
		snprintf(buffer, bytes, "%.0f/%.0fG", used / GB, total / GB);
	return used / total;
}

static void draw_gpu_line(const struct view *view, const struct wg_probe_gpu *gpu,
                          struct screen *screen, int row, bool selected)
{
	const struct line_plan *plan = plan_of(screen->columns);
	char label[16], busy[24], memory[48], celsius[24], watts[24];
	double share = NAN;
	int at;

	write_label(gpu, label, sizeof label);
	write_named(gpu, WG_READ_BUSY, busy, sizeof busy);
	write_named(gpu, WG_READ_TEMPERATURE, celsius, sizeof celsius);
	write_named(gpu, WG_READ_POWER, watts, sizeof watts);
	at = screen_print(screen, row, 0, 5, selected ? STYLE_SELECTED : STYLE_BOLD, "%c%-3s",
	                  selected ? '>' : ' ', label);
	screen_put(screen, row, at, plan->name, short_name(gpu),
	           selected    ? STYLE_SELECTED
	           : gpu->lost ? STYLE_HOT
	                       : STYLE_BOLD);
	at += plan->name + 1;
	wg_reading_ok(gpu, WG_READ_BUSY, &share);
	draw_metric(screen, row, at, plan->bar, plan->titles ? _("busy") : "", share, busy,
	            view->ascii);
	at += plan->busy;
	share = write_memory(gpu, plan->titles, memory, sizeof memory);
	draw_metric(screen, row, at, plan->bar, plan->titles ? _("mem") : "", share, memory,
	            view->ascii);
	at += plan->memory;
	screen_put(screen, row, at, 8, celsius, STYLE_PLAIN);
	screen_put(screen, row, at + plan->power, 8, watts, STYLE_PLAIN);
	if (plan->active) {
		char active[32], tensor[32];

		write_named(gpu, WG_READ_SM_ACTIVE, active, sizeof active);
		write_named(gpu, WG_READ_TENSOR_ACTIVE, tensor, sizeof tensor);
		screen_print(screen, row, at + 16, 40, STYLE_PLAIN, _("SM %s  tensor %s"), active,
		             tensor);
	}
}

static void draw_gpu_more(const struct wg_probe_gpu *gpu, struct screen *screen, int row)
{
	static const struct {
		const char *name;
		enum wg_reading_name reading;
	} parts[] = {
		{ "SM", WG_READ_SM_CLOCK },
		{ "mem", WG_READ_MEMORY_CLOCK },
		{ "limit", WG_READ_POWER_LIMIT },
		{ "fan", WG_READ_FAN },
		{ "SM active", WG_READ_SM_ACTIVE },
		{ "tensor", WG_READ_TENSOR_ACTIVE },
		{ "PCIe tx", WG_READ_PCIE_TX_RATE },
		{ "rx", WG_READ_PCIE_RX_RATE },
		{ "mem temp", WG_READ_MEMORY_TEMPERATURE },
		{ "procs", WG_READ_PROCESS_COUNT },
	};
	int at = 5;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0] && at < screen->columns - 12; i++) {
		char words[32];

		/* A line of what there is; the detail page says what there is not. */
		if (gpu->readings[parts[i].reading].state != WG_PROBE_OK)
			continue;
		write_named(gpu, parts[i].reading, words, sizeof words);
		at += screen_print(screen, row, at, screen->columns, STYLE_DIM, "%s %s   ",
		                   parts[i].name, words);
	}
}

static void draw_overview(struct view *view, const struct wg_sample *sample, struct screen *screen)
{
	int each = view_gpu_rows(screen, sample->count), room = screen->rows - 3;
	int shown = room / each;

	if (view->selected_gpu < view->scroll)
		view->scroll = view->selected_gpu;
	if (shown > 0 && view->selected_gpu >= view->scroll + shown)
		view->scroll = view->selected_gpu - shown + 1;
	if (sample->count == 0) {
		int row = 1;

		screen_put(screen, row++, 1, screen->columns, _("No GPU was found."), STYLE_BOLD);
		for (size_t i = 0; i < sample->note_count && row < screen->rows - 2; i++)
			screen_print(screen, row++, 1, screen->columns, STYLE_PLAIN, "%s: %s",
			             sample->notes[i].backend, sample->notes[i].message);
	}
	for (int i = 0; i < shown && view->scroll + i < (int)sample->count; i++) {
		int place = view->scroll + i, row = 1 + i * each;
		const struct wg_probe_gpu *gpu = &sample->gpus[place];
		const struct view_history *history = history_of(view, gpu->key);

		draw_gpu_line(view, gpu, screen, row, place == view->selected_gpu);
		if (each >= 2)
			draw_gpu_more(gpu, screen, row + 1);
		if (each >= 4 && history)
			screen_chart(screen, row + 2, 5, each - 2, screen->columns - 6,
			             history->busy, history->count, STYLE_GOOD, view->ascii);
	}
	draw_health(sample, screen, screen->rows - 2);
}

/* --- detail ------------------------------------------------------------------------------------ */

static void draw_detail(struct view *view, const struct wg_sample *sample, struct screen *screen)
{
	const struct wg_probe_gpu *gpu;
	const struct view_history *history;
	int row = 1, chart = screen->rows >= 24 ? 6 : 0, line = 0, last = screen->rows - 1;
	int middle = screen->columns >= 60 ? 34 : screen->columns / 2;

	if (sample->count == 0)
		return;
	gpu = &sample->gpus[view->selected_gpu];
	history = history_of(view, gpu->key);
	screen_print(screen, row++, 1, screen->columns, STYLE_BOLD, "%u  %s  %s", gpu->index,
	             gpu->texts[WG_PROBE_TEXT_NAME].value, gpu->key);
	if (chart > 0 && history) {
		int half = screen->columns / 2 - 2;

		screen_put(screen, row, 1, half, _("busy"), STYLE_DIM);
		screen_put(screen, row, half + 3, half, _("power of its limit"), STYLE_DIM);
		screen_chart(screen, row + 1, 1, chart - 1, half, history->busy, history->count,
		             STYLE_GOOD, view->ascii);
		screen_chart(screen, row + 1, half + 3, chart - 1, half, history->power,
		             history->count, STYLE_WARM, view->ascii);
		row += chart;
	}
	for (int i = 0; i < WG_READING_COUNT && row < last; i++) {
		const struct wg_reading *reading = &gpu->readings[i];
		char words[48];

		if (line++ < view->scroll)
			continue;
		write_named(gpu, (enum wg_reading_name)i, words, sizeof words);
		screen_put(screen, row, 1, middle - 2, wg_reading_label((enum wg_reading_name)i),
		           reading->state == WG_PROBE_OK ? STYLE_PLAIN : STYLE_DIM);
		screen_put(screen, row, middle, 16, words,
		           reading->state == WG_PROBE_OK ? STYLE_BOLD : STYLE_DIM);
		if (screen->columns >= 80)
			screen_put(screen, row, middle + 17, screen->columns - middle - 18,
			           reading->state == WG_PROBE_OK
			                   ? (reading->call ? reading->call : "")
			                   : wg_probe_state_words(reading->state),
			           STYLE_DIM);
		row++;
	}
}

/* --- processes ------------------------------------------------------------------------------------ */

static int depth_of(const struct view *view, const struct wg_sample *sample, size_t place)
{
	int depth = 0;

	/* How many of those above are its ancestors, one after the other. */
	for (size_t at = place; depth < 8;) {
		const struct wg_probe_gpu *gpu = &sample->gpus[view->order[at].gpu];
		uint32_t parent = gpu->processes[view->order[at].process].parent_pid;
		size_t i = at;

		while (i-- > 0) {
			const struct view_process *one = &view->order[i];

			if (sample->gpus[one->gpu].processes[one->process].pid == parent)
				break;
		}
		if (i == (size_t)-1)
			return depth;
		depth++;
		at = i;
	}
	return depth;
}

static void draw_process(const struct view *view, const struct wg_sample *sample,
                         struct screen *screen, int row, size_t place, user_name_function user_name)
{
	const struct wg_probe_gpu *gpu = &sample->gpus[view->order[place].gpu];
	const struct wg_probe_process *process = &gpu->processes[view->order[place].process];
	bool selected = (int)place == view->selected_process, wide = screen->columns >= 80;
	enum screen_style style = selected ? STYLE_SELECTED : STYLE_PLAIN;
	char label[16], memory[32], busy[32], user[64] = "";
	int at = wide ? 48 : 32, indent = view->tree ? 2 * depth_of(view, sample, place) : 0;

	write_label(gpu, label, sizeof label);
	write_reading(&process->memory_bytes, WG_READING_IN_BYTES, memory, sizeof memory);
	write_reading(&process->busy_ratio, WG_READING_IN_RATIO, busy, sizeof busy);
	if (user_name && process->user_id != UINT32_MAX)
		user_name(process->user_id, user, sizeof user);
	screen_print(screen, row, 0, 5, style, "%c%-3s", selected ? '>' : ' ', label);
	screen_print(screen, row, 4, 9, style, "%8u", process->pid);
	screen_put(screen, row, 14, 9, memory, style);
	screen_put(screen, row, 24, 8, busy, style);
	if (wide) {
		screen_put(screen, row, 32, 10, user, style);
		at = screen->columns >= 100 ? 57 : 43;
		if (screen->columns >= 100)
			screen_put(screen, row, 43, 13, process->container, style);
	}
	screen_put(screen, row, at + indent, screen->columns - at - indent,
	           process->visible ? process->command : _("not visible from here"),
	           process->visible ? style : STYLE_DIM);
}

static void draw_processes(struct view *view, const struct wg_sample *sample, struct screen *screen,
                           user_name_function user_name)
{
	static const char *const sorts[] = { N_("by memory"), N_("by busy time"), N_("by number") };
	int shown = screen->rows - 3, wide = screen->columns >= 80;

	if (view->selected_process < view->scroll)
		view->scroll = view->selected_process;
	if (shown > 0 && view->selected_process >= view->scroll + shown)
		view->scroll = view->selected_process - shown + 1;
	screen_put(screen, 1, 0, 13, _(" GPU process"), STYLE_DIM);
	screen_put(screen, 1, 14, 9, _("memory"), STYLE_DIM);
	screen_put(screen, 1, 24, 8, _("busy"), STYLE_DIM);
	if (wide)
		screen_put(screen, 1, 32, 10, _("user"), STYLE_DIM);
	if (screen->columns >= 100)
		screen_put(screen, 1, 43, 13, _("container"), STYLE_DIM);
	screen_print(screen, 1,
	             screen->columns >= 100 ? 57
	             : wide                 ? 43
	                                    : 32,
	             screen->columns, STYLE_DIM, "%s  [%s%s%s]", _("command"), _(sorts[view->sort]),
	             view->filter[0] ? " /" : "", view->filter);
	for (int i = 0; i < shown && view->scroll + i < (int)view->order_count; i++)
		draw_process(view, sample, screen, 2 + i, (size_t)view->scroll + (size_t)i,
		             user_name);
	if (view->order_count == 0)
		screen_put(screen, 2, 1, screen->columns,
		           view->filter[0] ? _("No process matches the filter.")
		                           : _("No processes."),
		           STYLE_DIM);
}

static void draw_help(const struct view *view, struct screen *screen)
{
	static const char *const lines[] = {
		N_("up, down, j, k    choose a GPU or process, scroll"),
		N_("Enter, d          every reading of the GPU, with the call that gave it"),
		N_("p                 processes"),
		N_("o, Esc            back to the overview"),
		N_("s                 sort processes by memory, busy time, number"),
		N_("t                 children below their parents"),
		N_("/                 show processes whose command has this text"),
		N_("K                 end the chosen process (SIGTERM), after a question"),
		N_("space             hold the picture"),
		N_("q                 quit"),
		"",
		N_("\"busy\" is the share of time in which anything ran at all. Where the GPU tells,"),
		N_("SM and tensor activity say how much of it did."),
		N_("N/A: not reported. in MIG: not defined there. no right: the driver wants more"),
		N_("rights. lost: does not answer. stale: could not be read anew."),
	};

	for (int i = 0; i < (int)(sizeof lines / sizeof lines[0]); i++) {
		int row = 1 + i - view->scroll;

		if (row >= 1 && row < screen->rows - 1)
			screen_put(screen, row, 1, screen->columns - 1,
			           lines[i][0] ? _(lines[i]) : "", STYLE_PLAIN);
	}
}

void view_draw(struct view *view, const struct wg_sample *sample, struct screen *screen,
               user_name_function user_name)
{
	screen_clear(screen);
	switch (view->page) {
	case PAGE_OVERVIEW:
		draw_overview(view, sample, screen);
		break;
	case PAGE_DETAIL:
		draw_detail(view, sample, screen);
		break;
	case PAGE_PROCESSES:
		draw_processes(view, sample, screen, user_name);
		break;
	case PAGE_HELP:
		draw_help(view, screen);
		break;
	}
	draw_title(view, sample, screen);
	draw_footer(view, sample, screen);
}
