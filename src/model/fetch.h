/* Small pieces of a model repository over HTTP: whole texts with a ceiling and
 * byte ranges, never a whole file of weights.
 *
 * The access token (HF_TOKEN, else the token file) goes to the endpoint only:
 * redirects are followed here, one by one, and a hop to another scheme, host
 * or port is made without it. It is in no error message. */
#ifndef WG_MODEL_FETCH_H
#define WG_MODEL_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "whichgpu/arena.h"
#include "whichgpu/status.h"

struct wg_fetcher;

/* Endpoint: HF_ENDPOINT, else https://huggingface.co. A server that sends
 * nothing for HF_HUB_DOWNLOAD_TIMEOUT seconds (10) is given up.
 * WG_NOT_SUPPORTED when built without libcurl. */
enum wg_status wg_fetcher_open(struct wg_fetcher **ret_fetcher, struct wg_error *error);
void wg_fetcher_free(struct wg_fetcher *fetcher);

/* path: below the endpoint, from the caller's own checked names. The text is
 * NUL-terminated in the arena; NULL when the server says there is no such file. */
enum wg_status wg_fetch_text(struct wg_fetcher *fetcher, const char *path, size_t limit_bytes,
                             struct wg_arena *arena, char **ret_text, size_t *ret_length,
                             struct wg_error *error);
/* Bytes first..first+length-1 or as many as the file has; *ret_got 0 when there
 * is no such file. A server that answers with something else than the range
 * is cut off before it sends it. */
enum wg_status wg_fetch_range(struct wg_fetcher *fetcher, const char *path, uint64_t first,
                              size_t length, void *target, size_t *ret_got,
                              uint64_t *ret_file_bytes, struct wg_error *error);

#endif
