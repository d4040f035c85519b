/* Collecting what a folder or file says about a model (root.h: evidence). */
#ifndef WHICHGPU_MODEL_GATHER_H
#define WHICHGPU_MODEL_GATHER_H

#include "model/root.h"
#include "whichgpu/file.h"

/* config.json, hf_quant_config.json, the index and the weights' headers, or a
 * diffusion pipeline's parts, or a GGUF file, in this order. */
enum wg_status wg_gather_folder(struct wg_arena *arena, const char *folder,
                                struct wg_evidence *evidence, struct wg_error *error);
/* One file: config, index, *.safetensors, *.gguf; the index and weights take
 * the config that lies beside them. */
enum wg_status wg_gather_file(struct wg_arena *arena, const char *path,
                              struct wg_evidence *evidence, struct wg_error *error);
enum wg_status wg_gather_gguf(struct wg_arena *arena, const char *path,
                              struct wg_evidence *evidence, struct wg_error *error);
/* Texts and headers that came over the network. */
enum wg_status wg_gather_fetched(struct wg_arena *arena, const struct wg_hf_files *files,
                                 struct wg_evidence *evidence, struct wg_error *error);
/* Text of folder/name in the arena; *ret_text NULL when there is no such file. */
enum wg_status wg_gather_text(struct wg_arena *arena, const char *folder, const char *name,
                              const char **ret_path, const char **ret_text, size_t *ret_length,
                              struct wg_error *error);

/* pipeline.c: finds the denoiser's config and the other parts of a folder with
 * model_index.json, in folders of their own or side by side as
 * "<part>.config.json". Leaves the evidence as it is when there is no pipeline. */
enum wg_status wg_gather_pipeline(struct wg_arena *arena, const char *folder,
                                  struct wg_evidence *evidence, struct wg_error *error);

#endif
