#include "tui/terminal.h"

#include <locale.h>
#include <ncurses.h>
#include <string.h>
#include <unistd.h>

#include "tui/view.h"

/* ncurses keeps the terminal in globals of its own; so is this, and only here. */
static bool is_open, has_colour;
static SCREEN *terminal;

static const struct {
	short foreground, background;
	attr_t attributes;
} styles[STYLE_COUNT] = {
	[STYLE_PLAIN] = { -1, -1, 0 },
	[STYLE_DIM] = { -1, -1, A_DIM },
	[STYLE_BOLD] = { -1, -1, A_BOLD },
	[STYLE_TITLE] = { -1, -1, A_REVERSE },
	[STYLE_SELECTED] = { COLOR_CYAN, -1, A_BOLD },
	[STYLE_GOOD] = { COLOR_GREEN, -1, 0 },
	[STYLE_WARM] = { COLOR_YELLOW, -1, 0 },
	[STYLE_HOT] = { COLOR_RED, -1, A_BOLD },
};

bool terminal_usable(void)
{
	const char *type = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && type && type[0] &&
	       strcmp(type, "dumb") != 0;
}

enum wg_status terminal_open(bool colour, struct wg_error *error)
{
	/* Letters as the user's locale has them; numbers stay as they are. */
	setlocale(LC_CTYPE, "");
	/* initscr would end the program where this says no. */
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal) {
		wg_error_set(error, WG_SYSTEM, "a terminal of type \"%s\" is not known",
		             getenv("TERM") ? getenv("TERM") : "");
		wg_error_hint(error, "set TERM, or use --once");
		return WG_SYSTEM;
	}
	is_open = true;
	has_colour = colour && has_colors();
	if (has_colour) {
		start_color();
		use_default_colors();
		for (int i = 0; i < STYLE_COUNT; i++)
			init_pair((short)(i + 1), styles[i].foreground, styles[i].background);
	}
	cbreak();
	noecho();
	curs_set(0);
	set_escdelay(50);
	keypad(stdscr, TRUE);
	mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0);
	return WG_OK;
}

void terminal_close(void)
{
	if (is_open) {
		endwin();
		delscreen(terminal);
	}
	is_open = false;
}

void terminal_size(int *ret_rows, int *ret_columns)
{
	getmaxyx(stdscr, *ret_rows, *ret_columns);
}

void terminal_show(const struct screen *screen)
{
	erase();
	for (int row = 0; row < screen->rows; row++) {
		for (int column = 0; column < screen->columns; column++) {
			const struct screen_cell *cell =
				&screen->cells[row * screen->columns + column];

			/* The other half of a wide character. */
			if (!cell->text[0])
				continue;
			attrset(styles[cell->style].attributes |
			        (has_colour ? COLOR_PAIR(cell->style + 1) : 0));
			mvaddstr(row, column, cell->text);
		}
	}
	attrset(A_NORMAL);
	refresh();
}

static enum terminal_event mouse(uint32_t *ret_value)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return TERMINAL_NOTHING;
	if (event.bstate & BUTTON4_PRESSED) {
		*ret_value = KEY_VIEW_UP;
		return TERMINAL_KEY;
	}
	if (event.bstate & BUTTON5_PRESSED) {
		*ret_value = KEY_VIEW_DOWN;
		return TERMINAL_KEY;
	}
	*ret_value = (uint32_t)event.y;
	return TERMINAL_CLICK;
}

static enum terminal_event special(wint_t key, uint32_t *ret_value)
{
	static const struct {
		wint_t key;
		uint32_t value;
	} keys[] = {
		{ KEY_UP, KEY_VIEW_UP },         { KEY_DOWN, KEY_VIEW_DOWN },
		{ KEY_LEFT, KEY_VIEW_LEFT },     { KEY_RIGHT, KEY_VIEW_RIGHT },
		{ KEY_PPAGE, KEY_VIEW_PAGE_UP }, { KEY_NPAGE, KEY_VIEW_PAGE_DOWN },
		{ KEY_HOME, KEY_VIEW_HOME },     { KEY_END, KEY_VIEW_END },
		{ KEY_ENTER, KEY_VIEW_ENTER },   { KEY_BACKSPACE, KEY_VIEW_BACKSPACE },
	};

	if (key == KEY_RESIZE)
		return TERMINAL_RESIZE;
	if (key == KEY_MOUSE)
		return mouse(ret_value);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		if (keys[i].key == key) {
			*ret_value = keys[i].value;
			return TERMINAL_KEY;
		}
	}
	return TERMINAL_NOTHING;
}

enum terminal_event terminal_wait(int wait_ms, uint32_t *ret_value)
{
	wint_t key;
	int result;

	timeout(wait_ms);
	result = get_wch(&key);
	if (result == KEY_CODE_YES)
		return special(key, ret_value);
	if (result != OK)
		return isatty(STDIN_FILENO) ? TERMINAL_NOTHING : TERMINAL_GONE;
	*ret_value = key == '\n' || key == '\r' ? (uint32_t)KEY_VIEW_ENTER
	             : key == 27                ? (uint32_t)KEY_VIEW_ESCAPE
	             : key == 127 || key == 8   ? (uint32_t)KEY_VIEW_BACKSPACE
	                                        : (uint32_t)key;
	return TERMINAL_KEY;
}
