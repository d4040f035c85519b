/* The terminal program: sampler, view and terminal tied together. */
#ifndef WHICHGPU_TUI_WATCH_H
#define WHICHGPU_TUI_WATCH_H

#include "whichgpu/sampler.h"

struct tui_options {
	struct wg_sampler_options sampler;
	bool colour, ascii;
};

/* Until the user quits or a signal comes; the terminal is set back in any case. */
enum wg_status tui_watch(const struct tui_options *options, struct wg_error *error);

#endif
