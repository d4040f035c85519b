/* Reading data/efficiency, at build. */
#ifndef WHICHGPU_ESTIMATE_EFFICIENCY_READ_H
#define WHICHGPU_ESTIMATE_EFFICIENCY_READ_H

#include "estimate/efficiency.h"
#include "whichgpu/arena.h"

/* folder holds gpus.json, engines.json and links.json. A coefficient without a
 * listed source, a misspelt key or an efficiency over 1 is refused. Everything
 * is allocated from `arena`. */
enum wg_status wg_efficiency_read(struct wg_arena *arena, const char *folder,
                                  struct efficiency *ret_efficiency, struct wg_error *error);

#endif
