/* Progress of long work: one line on standard error, when that is a terminal
 * and the work takes longer than a moment. */
#ifndef WHICHGPU_CLI_PROGRESS_H
#define WHICHGPU_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct wg_progress {
	const char *label; /* translated; not copied */
	bool terminal, shown;
	double started_s, drawn_s;
};

void wg_progress_init(struct wg_progress *progress, const char *label);
/* total 0: not known, only what is done is shown. Cheap: may be called often. */
void wg_progress_step(struct wg_progress *progress, double done, double total);
/* Takes the line away again. */
void wg_progress_done(struct wg_progress *progress);

#endif
