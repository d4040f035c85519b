/* The steps of reading a safetensors header, for files and for fetched text. */
#ifndef WG_MODEL_SAFETENSORS_H
#define WG_MODEL_SAFETENSORS_H

#include "base/input.h"
#include "model/tensor_table.h"

#define WG_DATA_BYTES_UNKNOWN UINT64_MAX

/* The header's JSON, changed in place; the names in the table point into it.
 * data_bytes: what follows the header in the file. */
enum wg_status wg_safetensors_parse(char *text, size_t length, uint64_t data_bytes,
                                    const char *name, struct wg_table_builder *builder,
                                    struct wg_error *error);
/* Is a header of that length possible in a file of that size (at least 8)? */
enum wg_status wg_safetensors_check_length(uint64_t header_bytes, uint64_t file_bytes,
                                           const char *name, struct wg_error *error);
enum wg_status wg_safetensors_read_input(const struct wg_input *input, struct wg_arena *arena,
                                         struct wg_table_builder *builder, struct wg_error *error);
/* The same by path, with a diagnosis by name of what is no safetensors file. */
enum wg_status wg_safetensors_read_file(const char *path, struct wg_arena *arena,
                                        struct wg_table_builder *builder, struct wg_error *error);

#endif
