/* A terminal that shows screens and gives keys: ncursesw, and nothing else knows of it. */
#ifndef WHICHGPU_TUI_TERMINAL_H
#define WHICHGPU_TUI_TERMINAL_H

#include <stdint.h>

#include "tui/screen.h"
#include "whichgpu/status.h"

/* Are standard input and output a terminal that ncurses knows? */
bool terminal_usable(void);
enum wg_status terminal_open(bool colour, struct wg_error *error);
/* Sets everything back; safe to call twice. */
void terminal_close(void);
void terminal_size(int *ret_rows, int *ret_columns);
void terminal_show(const struct screen *screen);

enum terminal_event {
	TERMINAL_NOTHING,
	TERMINAL_KEY,
	TERMINAL_CLICK,
	TERMINAL_RESIZE,
	TERMINAL_GONE
};
/* Waits at most wait_ms. *ret_value: the key (view.h's numbers), or the row of a click. */
enum terminal_event terminal_wait(int wait_ms, uint32_t *ret_value);

#endif
