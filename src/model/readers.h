/* Between the readers (bytes -> tables) and the families (config -> layers).
 *
 * The readers only read: safetensors.c, gguf.c, location.c, diagnose.c. What
 * they hand over is a tensor table and, where the file says what the model is,
 * a config text. What it means is decided in model.c. Everything handed over
 * lives in the arena that was passed in. */
#ifndef WHICHGPU_MODEL_READERS_H
#define WHICHGPU_MODEL_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "whichgpu/arena.h"
#include "whichgpu/status.h"

#define WG_TENSOR_RANK_MAX 8

struct wg_tensor {
	const char *name;
	const char *type; /* as the format names it: "BF16", "F8_E4M3", "Q4_K" */
	double bits;      /* of one element as stored, scales in the block included (Q4_K 4.5) */
	unsigned rank;
	uint64_t shape[WG_TENSOR_RANK_MAX];
	double elements; /* product of shape; 1 for rank 0 */
	double bytes;    /* in the file */
};

struct wg_tensor_table {
	const struct wg_tensor *tensors; /* in file order; shards one after the other */
	size_t count;
	double elements, bytes; /* sums */
};

/* --- safetensors.c ------------------------------------------------------ */
/* One file; only the header is read. The table is the file's alone. */
enum wg_status wg_safetensors_read_header(const char *path, struct wg_arena *arena,
                                          struct wg_tensor_table *ret_table,
                                          struct wg_error *error);

/* model.safetensors.index.json, pytorch_model.bin.index.json and kin. */
struct wg_weight_index {
	double total_bytes;      /* metadata.total_size; 0: absent, empty or written as 0 */
	double total_parameters; /* metadata.total_parameters; 0: absent */
	const char *const *tensor_names;
	size_t tensor_count;
	const char *const *shards; /* file names, each once, checked: no "/", no ".." */
	size_t shard_count;
};

enum wg_status wg_safetensors_read_index(const char *path, struct wg_arena *arena,
                                         struct wg_weight_index *ret_index, struct wg_error *error);
/* The same from memory (fetched); name is shown in errors. */
enum wg_status wg_safetensors_read_index_text(const char *text, size_t length, const char *name,
                                              struct wg_arena *arena,
                                              struct wg_weight_index *ret_index,
                                              struct wg_error *error);
/* Headers of the shards that lie in the folder, joined. *ret_missing counts the
 * shards that are not there (a folder with only config and index is usual);
 * a shard that is there and broken is an error. */
enum wg_status wg_safetensors_read_shards(const char *folder, const struct wg_weight_index *index,
                                          struct wg_arena *arena, struct wg_tensor_table *ret_table,
                                          size_t *ret_missing, struct wg_error *error);

/* --- gguf.c ------------------------------------------------------------- */
struct wg_gguf {
	const char *architecture; /* general.architecture: "llama" */
	const char *name;         /* general.name; "" when absent */
	const char *licence;      /* general.license; "" when absent */
	const char *file_type;    /* "Q4_K_M" from general.file_type; "" when absent */
	const char *config;       /* JSON text in the form of data/models (docs/families.md), made
	                              from the <arch>.* keys; NULL: side file or vocabulary only */
	const char *side;         /* "mmproj", "mtp", "vocabulary", "adapter": why there is no
	                              config; "" for a model */
	struct wg_tensor_table table;
};

/* Also reads the other parts of a split file (...-00001-of-0000N.gguf). */
enum wg_status wg_gguf_read(const char *path, struct wg_arena *arena, struct wg_gguf *ret_gguf,
                            struct wg_error *error);

/* --- location.c --------------------------------------------------------- */
/* hf:ORG/NAME: a folder of the local cache, or texts and headers fetched. */
struct wg_hf_files {
	const char *folder;           /* found locally; NULL: fetched, see below */
	const char *config;           /* texts, NUL-terminated; NULL: the repository has none */
	const char *quant_config;     /* hf_quant_config.json */
	const char *model_index;      /* model_index.json */
	const char *index;            /* *.index.json */
	struct wg_tensor_table table; /* count 0: headers not fetched */
};

enum wg_status wg_location_find_hf(const char *name, bool offline, struct wg_arena *arena,
                                   struct wg_hf_files *ret_files, struct wg_error *error);
/* ollama:NAME: the path of the model's GGUF blob in the local store. */
enum wg_status wg_location_find_ollama(const char *name, struct wg_arena *arena,
                                       const char **ret_path, struct wg_error *error);

/* --- pickle.c ------------------------------------------------------------- */
/* The bytes of all tensors in a PyTorch file, from its zip directory alone; the
 * pickle in it is never read. Fails for the older files that are no archives. */
enum wg_status wg_pickle_read_bytes(const char *path, double *ret_bytes, struct wg_error *error);

/* --- diagnose.c --------------------------------------------------------- */
/* What a file is that cannot be used as `wanted` ("a config", "safetensors"):
 * Git LFS pointer, HTML page, symlink text, truncated, pickle. Fills the error
 * with one sentence and a hint and returns its status; WG_OK when nothing is
 * recognised (the error is then untouched). */
enum wg_status wg_diagnose_file(const char *path, const char *wanted, struct wg_error *error);
/* The same for a folder without a usable model: empty, tokenizer only, adapter
 * only (names the base model), only *.bin ... Always sets an error. */
enum wg_status wg_diagnose_folder(const char *path, struct wg_error *error);

#endif
