/* Two JSON readers that must agree: the tree and the forward one. */
#include "fuzz.h"

#include "base/json_pull.h"
#include "whichgpu/json.h"
#include "whichgpu/limits.h"

static enum wg_status pull(const uint8_t *data, size_t size)
{
	struct wg_json_pull pull;
	struct wg_error error;
	char *copy = malloc(size + 1); /* in place: the input itself must stay as it is */

	memcpy(copy, data, size);
	wg_error_init(&error);
	wg_json_pull_init(&pull, copy, size, "fuzz", 0, &error);
	if (wg_json_pull_skip(&pull))
		wg_json_pull_finish(&pull);
	check_error(pull.status, &error);
	free(copy);
	return pull.status;
}

/* The tree refuses more: duplicate keys, scalars at the top, a byte order mark
 * or large numbers are its own matter. What it takes, both take. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wg_json *json = NULL;
	struct wg_error error;

	wg_error_init(&error);
	enum wg_status tree =
		wg_json_open((const char *)data, size, "fuzz", WG_JSON_STRICT, &json, &error);
	check_error(tree, &error);
	enum wg_status forward = pull(data, size);
	bool mark = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0;
	if (tree == WG_OK && forward == WG_BAD_INPUT && !mark)
		abort();
	wg_json_free(json);
	json = NULL;
	check_error(wg_json_open((const char *)data, size, "fuzz", WG_JSON_ALLOW_NONFINITE, &json,
	                         &error),
	            &error);
	wg_json_free(json);
	return 0;
}
