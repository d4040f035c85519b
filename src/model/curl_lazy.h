/* libcurl, loaded when a model is first fetched (base/lazy.h). */
#ifndef WHICHGPU_MODEL_CURL_LAZY_H
#define WHICHGPU_MODEL_CURL_LAZY_H

/* Its type checks are macros of the very names that are called by pointer. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* curl.h has macros of these names to tell a missing argument. */
#undef curl_easy_getinfo
#undef curl_easy_setopt

struct wg_curl {
#define WG_CURL(name) __typeof__(&name) name;
#include "model/curl_calls.def"
#undef WG_CURL
};

/* The same table in every thread; NULL when this machine has no libcurl. */
const struct wg_curl *wg_curl(void);

#endif
