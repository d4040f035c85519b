/* From the keys of a GGUF file to a config text in the form that published
 * configs have, so that one family table serves both. */
#ifndef WG_MODEL_GGUF_CONFIG_H
#define WG_MODEL_GGUF_CONFIG_H

#include "model/gguf_file.h"
#include "model/readers.h"

/* *ret_config is NULL when the file does not say what the model is made of
 * (no architecture, no layers). Absurd values, which would overflow or divide
 * by zero in an estimate, are refused: WG_BAD_INPUT, WG_LIMIT. */
enum wg_status wg_gguf_make_config(const struct wg_gguf_file *file,
                                   const struct wg_table_builder *tensors, struct wg_arena *arena,
                                   const char **ret_config, struct wg_error *error);

#endif
