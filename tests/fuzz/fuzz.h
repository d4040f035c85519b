/* What the fuzz targets share. A target reads the bytes as one kind of input
 * and checks what must hold of every result; the sanitizers check the rest. */
#ifndef WG_TESTS_FUZZ_H
#define WG_TESTS_FUZZ_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "whichgpu/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A failure has its status and a sentence that drives no terminal. */
static inline void check_error(enum wg_status status, const struct wg_error *error)
{
	if (status == WG_OK)
		return;
	if (error->status != status || error->message[0] == '\0')
		abort();
	for (const char *at = error->message; *at != '\0'; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			abort();
}

#endif
