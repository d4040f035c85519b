/* What a model keeps beside its public face, and how one is put together. */
#ifndef WHICHGPU_MODEL_ROOT_H
#define WHICHGPU_MODEL_ROOT_H

#include "model/builder.h"
#include "model/readers.h"
#include "model/unpack.h"

struct wg_model_root {
	struct wg_model model; /* first: the two addresses are the same */
	struct wg_arena *arena;
	struct wg_weights main, beside; /* elements by part */
	double index_bytes_per_token;
};

/* A part of a diffusion pipeline beside the denoiser. */
struct wg_pipeline_part {
	const char *name;          /* "text_encoder_2" */
	const char *path, *config; /* config NULL: named by the pipeline, not there */
	size_t config_length;
};

#define WG_PIPELINE_PARTS 5

/* All that is known about one model before it is understood. Texts are
 * NUL-terminated; NULL or 0 where there is none. */
struct wg_evidence {
	const char *config;
	size_t config_length;
	const char *config_name;  /* shown in errors */
	const char *folder;       /* that the config lies in; NULL: none */
	const char *quant_config; /* hf_quant_config.json */
	const char *id, *name, *origin, *licence;
	const char *file_type; /* GGUF: "Q4_K_M" */
	struct wg_pipeline_part parts[WG_PIPELINE_PARTS];
	size_t part_count;
	double index_bytes, index_parameters;
	double given_parameters; /* params:7B; 0: not given */
	const struct wg_tensor_table *table;
};

/* Takes over the arena, also when it fails. */
enum wg_status wg_model_build(struct wg_arena *arena, const struct wg_evidence *evidence,
                              struct wg_model **ret_model, struct wg_error *error);

/* model_catalog.c: by id or alias; NULL when there is none. */
struct wg_embedded;
const struct wg_embedded *wg_model_catalog_find(const char *name);
/* The nearest names, as a hint. */
void wg_model_catalog_hint(const char *name, struct wg_error *error);

/* given.c: params:7B. */
enum wg_status wg_model_build_given(struct wg_arena *arena, const char *size,
                                    struct wg_model **ret_model, struct wg_error *error);

/* pipeline.c: the parts of a diffusion pipeline as companions. */
void wg_build_pipeline(struct wg_builder *builder, const struct wg_evidence *evidence);

/* storage.c: how the weights are stored. */
struct wg_storage {
	enum wg_weight_format format;
	const char *method;
	double bits[WG_PART_COUNT];        /* an element */
	double output_bits[WG_PART_COUNT]; /* beside that, an output row */
	double block_bits[WG_PART_COUNT];  /* a tile of 128 x 128 */
	double vector_bits;
	struct wg_packing packing; /* how integers hold the weights */
	bool stated;               /* the config says what type the weights have */
};

void wg_storage_read(struct wg_builder *builder, const char *quant_config,
                     struct wg_storage *ret_storage);
double wg_storage_bytes(const struct wg_storage *storage, const struct wg_weights *weights);

#endif
