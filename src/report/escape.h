/* Escaping for HTML and SVG, in text and in quoted attributes. */
#ifndef WHICHGPU_REPORT_ESCAPE_H
#define WHICHGPU_REPORT_ESCAPE_H

#include <stddef.h>

#include "whichgpu/text.h"

void wg_escape_markup(const char *text, size_t length, struct wg_text *out);

#endif
