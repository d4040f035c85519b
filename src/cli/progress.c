#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double first_s = 0.4, between_s = 0.1;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void wg_progress_init(struct wg_progress *progress, const char *label)
{
	*progress = (struct wg_progress){ .label = label,
		                          .terminal = isatty(STDERR_FILENO),
		                          .started_s = now_s() };
}

void wg_progress_step(struct wg_progress *progress, double done, double total)
{
	double now;

	if (!progress->terminal)
		return;
	now = now_s();
	if (now - progress->started_s < first_s || now - progress->drawn_s < between_s)
		return;
	if (total > 0)
		fprintf(stderr, "\r\033[K%s %.0f %%", progress->label, done / total * 100);
	else
		fprintf(stderr, "\r\033[K%s %.0f", progress->label, done);
	fflush(stderr);
	progress->drawn_s = now;
	progress->shown = true;
}

void wg_progress_done(struct wg_progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
}
