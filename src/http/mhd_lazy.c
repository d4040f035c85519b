#include "http/mhd_lazy.h"

#include <pthread.h>

#include "base/lazy.h"

static const struct wg_lazy_symbol symbols[] = {
#define WG_MHD(name) { #name, offsetof(struct wg_mhd, name) },
#include "http/mhd_calls.def"
#undef WG_MHD
};

/* Written once, constant from then on. */
static struct wg_mhd table;
static bool loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	loaded = wg_lazy_load("libmicrohttpd.so.12", symbols, sizeof symbols / sizeof symbols[0],
	                      &table);
}

const struct wg_mhd *wg_mhd(void)
{
	pthread_once(&once, load);
	return loaded ? &table : NULL;
}
