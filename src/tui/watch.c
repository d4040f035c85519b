#include "tui/watch.h"

#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "tui/terminal.h"
#include "tui/view.h"

#define WAIT_MS 100

static volatile sig_atomic_t stopped;

static void on_stop(int signal_number)
{
	stopped = 1;
}

static void user_name(uint32_t user_id, char *buffer, size_t buffer_bytes)
{
	struct passwd entry, *found = NULL;
	char memory[1024];

	if (getpwuid_r(user_id, &entry, memory, sizeof memory, &found) == 0 && found)
		snprintf(buffer, buffer_bytes, "%s", found->pw_name);
	else
		snprintf(buffer, buffer_bytes, "%u", user_id);
}

static void end_process(struct view *view, uint32_t pid)
{
	char why[64] = "";

	if (kill((pid_t)pid, SIGTERM) != 0)
		snprintf(why, sizeof why, "%s",
		         errno == EPERM ? _("not permitted") : _("it is gone"));
	if (why[0])
		snprintf(view->message, sizeof view->message, _("process %u: %s"), pid, why);
	else
		snprintf(view->message, sizeof view->message, _("process %u was asked to end"),
		         pid);
}

struct watching {
	struct wg_sampler *sampler;
	struct wg_sample latest, shown; /* shown: as the user sees it, held while paused */
	struct view view;
	struct screen screen;
	uint64_t number;
};

static enum wg_status take_sample(struct watching *w, struct wg_error *error)
{
	uint64_t number;
	enum wg_status status = wg_sampler_get(w->sampler, &w->latest, &number, error);
	bool fresh;

	if (status != WG_OK)
		return status;
	if (w->view.paused)
		return WG_OK;
	fresh = number != w->number;
	w->number = number;
	if (!wg_sample_copy(&w->shown, &w->latest))
		return wg_error_no_memory(error);
	/* Histories count samples, not looks. */
	if (fresh && !view_take(&w->view, &w->shown))
		return wg_error_no_memory(error);
	return WG_OK;
}

static enum wg_status draw(struct watching *w, struct wg_error *error)
{
	int rows, columns;

	terminal_size(&rows, &columns);
	if ((rows != w->screen.rows || columns != w->screen.columns) &&
	    !screen_resize(&w->screen, rows, columns))
		return wg_error_no_memory(error);
	view_draw(&w->view, &w->shown, &w->screen, user_name);
	terminal_show(&w->screen);
	return WG_OK;
}

/* false: the user wants to leave. */
static bool handle(struct watching *w, enum terminal_event event, uint32_t value)
{
	uint32_t pid = 0;

	if (event == TERMINAL_GONE)
		return false;
	if (event == TERMINAL_CLICK)
		view_click(&w->view, &w->shown, &w->screen, (int)value);
	if (event != TERMINAL_KEY)
		return true;
	switch (view_press(&w->view, &w->shown, value, &pid)) {
	case VIEW_QUIT:
		return false;
	case VIEW_KILL:
		end_process(&w->view, pid);
		return true;
	default:
		return true;
	}
}

static enum wg_status loop(struct watching *w, struct wg_error *error)
{
	enum wg_status status = WG_OK;
	bool going = true;

	while (going && !stopped && status == WG_OK) {
		enum terminal_event event;
		uint32_t value = 0;

		status = take_sample(w, error);
		if (status == WG_OK)
			status = draw(w, error);
		if (status != WG_OK)
			break;
		event = terminal_wait(WAIT_MS, &value);
		going = handle(w, event, value);
	}
	return status;
}

enum wg_status tui_watch(const struct tui_options *options, struct wg_error *error)
{
	struct sigaction action = { .sa_handler = on_stop }, old[3];
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct watching w = { 0 };
	enum wg_status status = wg_sampler_open(&options->sampler, &w.sampler, error);

	if (status != WG_OK)
		return status;
	stopped = 0;
	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &action, &old[i]);
	view_init(&w.view);
	w.view.ascii = options->ascii;
	screen_init(&w.screen);
	wg_sample_init(&w.latest);
	wg_sample_init(&w.shown);
	/* A first picture with something in it. */
	wg_sampler_wait(w.sampler, 0, 1.0);
	status = terminal_open(options->colour, error);
	if (status == WG_OK)
		status = loop(&w, error);
	terminal_close();
	for (int i = 0; i < 3; i++)
		sigaction(signals[i], &old[i], NULL);
	view_done(&w.view);
	screen_done(&w.screen);
	wg_sample_done(&w.latest);
	wg_sample_done(&w.shown);
	wg_sampler_free(w.sampler);
	return status;
}
