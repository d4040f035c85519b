/* Opening libnvidia-ml: each function by itself, the newest name first, so that
 * one that is missing costs one reading and not the whole library. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "probe/nvml.h"

#define NAMES 3

static const struct nvml_symbol {
	size_t pointer, name; /* places in struct nvml_api */
	bool needed;
	const char *names[NAMES];
} symbols[] = {
#define NVML_CALL(member, parameters, needed, ...)  \
	{ offsetof(struct nvml_api, member),        \
	  offsetof(struct nvml_api, called.member), \
	  needed,                                   \
	  { __VA_ARGS__ } },
#include "probe/nvml_calls.def"
#undef NVML_CALL
};

/* The name with .1 is the driver's. The plain one may be the toolkit's empty one, so
 * it comes last; the middle one is where WSL keeps it. */
static const char *const library_names[] = {
	"libnvidia-ml.so.1",
	"/usr/lib/wsl/lib/libnvidia-ml.so.1",
	"libnvidia-ml.so",
};

static void *open_first(const char *path, char *message, size_t message_bytes)
{
	void *library = NULL;

	if (path) {
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	} else {
		for (size_t i = 0; i < sizeof library_names / sizeof library_names[0]; i++) {
			library = dlopen(library_names[i], RTLD_NOW | RTLD_LOCAL);
			if (library)
				return library;
		}
		snprintf(message, message_bytes, "no \"%s\" on this machine", library_names[0]);
		return NULL;
	}
	if (!library)
		snprintf(message, message_bytes, "\"%s\" cannot be opened: %s", path, dlerror());
	return library;
}

static bool resolve(struct nvml_api *api, const struct nvml_symbol *symbol)
{
	const char *found = symbol->names[0];
	void *pointer = NULL;

	for (int i = 0; i < NAMES && symbol->names[i] && !pointer; i++) {
		pointer = dlsym(api->library, symbol->names[i]);
		if (pointer)
			found = symbol->names[i];
	}
	memcpy((char *)api + symbol->pointer, &pointer, sizeof pointer);
	memcpy((char *)api + symbol->name, &found, sizeof found);
	return pointer != NULL;
}

bool nvml_load(struct nvml_api *api, const char *path, char *message, size_t message_bytes)
{
	memset(api, 0, sizeof *api);
	api->library = open_first(path, message, message_bytes);
	if (!api->library)
		return false;
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		if (resolve(api, &symbols[i]) || !symbols[i].needed)
			continue;
		snprintf(message, message_bytes, "the library has no \"%s\": is it NVML?",
		         symbols[i].names[0]);
		nvml_unload(api);
		return false;
	}
	return true;
}

void nvml_unload(struct nvml_api *api)
{
	if (api->library)
		dlclose(api->library);
	api->library = NULL;
}
