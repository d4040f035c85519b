#ifdef WG_HAVE_CURL

#include "model/curl_lazy.h"

#include <pthread.h>

#include "base/lazy.h"

static const struct wg_lazy_symbol symbols[] = {
#define WG_CURL(name) { #name, offsetof(struct wg_curl, name) },
#include "model/curl_calls.def"
#undef WG_CURL
};

/* Written once, constant from then on. */
static struct wg_curl table;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	loaded = wg_lazy_load("libcurl.so.4", symbols, sizeof symbols / sizeof symbols[0], &table);
}

const struct wg_curl *wg_curl(void)
{
	pthread_once(&once, load);
	return loaded ? &table : NULL;
}

#else

/* ISO C wants something in every file. */
typedef int wg_curl_is_left_out;

#endif
