/* What the terminal shows: the state of the view, what a key does to it, and drawing.
 * No terminal, no clock, no files: tests call all of it. */
#ifndef WHICHGPU_TUI_VIEW_H
#define WHICHGPU_TUI_VIEW_H

#include "tui/screen.h"
#include "whichgpu/probe.h"

/* Keys beyond characters. */
enum view_key {
	KEY_VIEW_UP = 0x110000,
	KEY_VIEW_DOWN,
	KEY_VIEW_LEFT,
	KEY_VIEW_RIGHT,
	KEY_VIEW_PAGE_UP,
	KEY_VIEW_PAGE_DOWN,
	KEY_VIEW_HOME,
	KEY_VIEW_END,
	KEY_VIEW_ENTER,
	KEY_VIEW_ESCAPE,
	KEY_VIEW_BACKSPACE
};

enum view_page { PAGE_OVERVIEW, PAGE_DETAIL, PAGE_PROCESSES, PAGE_HELP };
enum view_sort { SORT_MEMORY, SORT_BUSY, SORT_PID, SORT_COUNT };

#define VIEW_HISTORY 1024
struct view_history {
	char key[64];
	double busy[VIEW_HISTORY], memory[VIEW_HISTORY], power[VIEW_HISTORY];
	size_t count; /* values from the left; the newest last */
};

/* A process row of the page, in its order. */
struct view_process {
	size_t gpu, process; /* places in the sample */
};

struct view {
	enum view_page page, page_before;
	int selected_gpu, selected_process, scroll;
	enum view_sort sort;
	bool tree;      /* children below their parents */
	bool filtering; /* letters go into the filter */
	char filter[64];
	uint32_t confirm_pid; /* 0: nothing to confirm */
	char confirm_command[128];
	bool paused, ascii;
	char message[128];
	struct view_history *histories;
	size_t history_count, history_capacity;
	struct view_process *order;
	size_t order_count, order_capacity;
};

enum view_action { VIEW_NOTHING, VIEW_QUIT, VIEW_KILL /* confirm_pid, already confirmed */ };

void view_init(struct view *view);
void view_done(struct view *view);
/* A new sample: histories grow, selections stay inside. false when memory is out. */
bool view_take(struct view *view, const struct wg_sample *sample);
enum view_action view_press(struct view *view, const struct wg_sample *sample, uint32_t key,
                            uint32_t *ret_pid);
/* A click on a row of the screen as it was drawn last. */
void view_click(struct view *view, const struct wg_sample *sample, const struct screen *screen,
                int row);
/* user_name: NULL or a function that names a user id into a buffer. */
void view_draw(struct view *view, const struct wg_sample *sample, struct screen *screen,
               void (*user_name)(uint32_t user_id, char *buffer, size_t buffer_bytes));

/* Rows that a GPU takes in the overview of this size; exposed for clicks and tests. */
int view_gpu_rows(const struct screen *screen, size_t gpu_count);

#endif
