#include "base/lazy.h"

#include <dlfcn.h>
#include <string.h>

bool wg_lazy_load(const char *library, const struct wg_lazy_symbol *symbols, size_t count,
                  void *table)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (handle == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (dlsym(handle, symbols[i].name) == NULL) {
			dlclose(handle);
			return false;
		}
	}
	for (size_t i = 0; i < count; i++) {
		void *function = dlsym(handle, symbols[i].name);

		memcpy((char *)table + symbols[i].offset, &function, sizeof function);
	}
	return true;
}
