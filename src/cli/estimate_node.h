/* An estimate, its memory and its layout as parts of a document's data; the
 * keys that `estimate` and `plan` share (docs: interface). */
#ifndef WHICHGPU_CLI_ESTIMATE_NODE_H
#define WHICHGPU_CLI_ESTIMATE_NODE_H

#include "whichgpu/estimate.h"
#include "whichgpu/report.h"

void wg_node_layout(struct wg_node *parent, const char *key, const struct wg_layout *layout);
void wg_node_memory(struct wg_node *parent, const char *key, const struct wg_memory *memory);
void wg_node_metrics(struct wg_node *parent, const char *key, const struct wg_metrics *metrics);
void wg_node_time_terms(struct wg_node *parent, const char *key,
                        const double seconds[WG_TIME_TERM_COUNT]);
/* metrics, bound, time_terms, memory, watts. */
void wg_node_estimate(struct wg_node *parent, const char *key, const struct wg_estimate *estimate);

#endif
