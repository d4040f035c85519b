/* Metrics over HTTP. Answers come from the sampler's latest sample, so a hung driver
 * call blocks no scrape; connections that send nothing whole are closed, so slow and
 * hostile clients take no place from others. */
#ifndef WHICHGPU_HTTP_EXPORTER_H
#define WHICHGPU_HTTP_EXPORTER_H

#include "http/metrics.h"
#include "whichgpu/sampler.h"

struct wg_exporter;

/* address: "[ADDR]:PORT" or "PORT"; without ADDR the machine itself only (127.0.0.1).
 * Numbers only, no names. Port 0: any free one, see wg_exporter_url. */
enum wg_status wg_exporter_open(const char *address, enum metrics_names names,
                                struct wg_sampler *sampler, struct wg_exporter **ret_exporter,
                                struct wg_error *error);
/* Before the sampler is freed. */
void wg_exporter_free(struct wg_exporter *exporter);
/* "http://127.0.0.1:9400/metrics" */
const char *wg_exporter_url(const struct wg_exporter *exporter);
/* To be called a few times a second with wg_clock_s: closes connections that have had
 * no whole request for 15 s. */
void wg_exporter_tend(struct wg_exporter *exporter, double clock_s);
uint64_t wg_exporter_scrapes(struct wg_exporter *exporter);

#endif
