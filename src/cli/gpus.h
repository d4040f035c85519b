/* GPUs on the command line and in documents: shared by all commands that take
 * or show one. */
#ifndef WHICHGPU_CLI_GPUS_H
#define WHICHGPU_CLI_GPUS_H

#include "cli/cli.h"
#include "whichgpu/catalog.h"

/* The catalogue with the user's --data over it. */
enum wg_status wg_cli_catalog(const struct wg_cli *cli, struct wg_catalog **ret_catalog,
                              struct wg_error *error);

/* The GPU that a word means. An ambiguous word is taken as the usual variant:
 * that is said in a note of the document and, as a sentence, in the array
 * `assumptions` (NULL: not written). An unknown one is WG_NOT_FOUND. */
enum wg_status wg_cli_gpu(const struct wg_catalog *catalog, const char *word,
                          struct wg_document *document, struct wg_node *assumptions,
                          const struct wg_gpu **ret_gpu, struct wg_error *error);

/* The GPU's members as `show` has them, into an object made for it. With
 * `documents`: also what every document says about each figure. */
void wg_gpu_members(struct wg_node *node, const struct wg_gpu *gpu, bool documents);

/* Adds all sources that the GPUs' figures name, each once, as the array
 * `sources` of {id, title, reference}. */
void wg_gpu_sources_node(struct wg_node *root, const struct wg_catalog *catalog,
                         const struct wg_gpu *const *gpus, size_t gpu_count);
/* Does a figure or fact of the GPU, chosen or not, come from the source? */
bool wg_gpu_uses_source(const struct wg_gpu *gpu, const struct wg_source *source);

/* How a figure is shown. */
enum wg_unit wg_gpu_figure_unit(enum wg_gpu_figure figure);
/* FLOPS, or OPS for the integer rates. */
enum wg_unit wg_gpu_rate_unit(enum wg_rate rate);
/* The name in the reader's language. */
const char *wg_gpu_shown_name(const struct wg_cli *cli, const struct wg_gpu *gpu);
/* "high", "medium", "low" in the reader's language. */
const char *wg_confidence_word(enum wg_confidence confidence);

#endif
