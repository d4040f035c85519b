/* Libraries that are loaded when first used: libcurl and libmicrohttpd bring
 * thirty others along, which would cost every run of the program more time
 * than its own work takes.
 *
 * A user includes the library's own header for types and constants, lists the
 * functions it calls, and calls them through a table of pointers. */
#ifndef WHICHGPU_BASE_LAZY_H
#define WHICHGPU_BASE_LAZY_H

#include <stdbool.h>
#include <stddef.h>

struct wg_lazy_symbol {
	const char *name;
	size_t offset; /* of the pointer in the table */
};

/* Opens the library (kept until the program ends) and fills the table. false:
 * the library or a function is missing; the table is untouched then. */
bool wg_lazy_load(const char *library, const struct wg_lazy_symbol *symbols, size_t count,
                  void *table);

#endif
