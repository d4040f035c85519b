/* What is fetched of a repository that is not in the local cache. */
#ifndef WG_MODEL_HF_FETCH_H
#define WG_MODEL_HF_FETCH_H

#include "model/readers.h"

struct wg_hf_name {
	char repository[260]; /* ORG/NAME, checked: letters, digits, ". _ -" */
	char revision[128];   /* likewise */
};

/* config.json, hf_quant_config.json, model_index.json, the index, and the
 * headers of the safetensors files where the index does not give their sum. */
enum wg_status wg_hf_fetch(const struct wg_hf_name *name, struct wg_arena *arena,
                           struct wg_hf_files *ret_files, struct wg_error *error);

#endif
