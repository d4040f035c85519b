/* libmicrohttpd, loaded when a server is first started (base/lazy.h). */
#ifndef WHICHGPU_HTTP_MHD_LAZY_H
#define WHICHGPU_HTTP_MHD_LAZY_H

#include <microhttpd.h>

struct wg_mhd {
#define WG_MHD(name) __typeof__(&name) name;
#include "http/mhd_calls.def"
#undef WG_MHD
};

/* The same table in every thread; NULL when this machine has no
 * libmicrohttpd. Once a server runs it is never NULL. */
const struct wg_mhd *wg_mhd(void);

#endif
