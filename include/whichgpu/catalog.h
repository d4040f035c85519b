/* The catalogue: GPUs, their figures, and the document each figure is from.
 *
 * The built-in catalogue is compiled from data/gpus/<id>.json by
 * tools/catalog-compile, which refuses data that fails the linter
 * (catalog/lint.h), so opening costs no parsing. A folder of the user's own
 * files, in the same form, overlays it: same id replaces, new id adds.
 *
 * Several documents may give one figure. The first in this order is the value,
 * the rest are its `others`: no value that is marked contradicted, preliminary,
 * per die or per pair; high confidence before medium, low never; the vendor's
 * document, what was taken from one, what was computed, then a database;
 * agreement with the others. The order is applied when a file is written.
 *
 * A figure is known, not known, or absent (the hardware has no such path: an
 * A100 has no FP8). Not known is never 0.
 *
 * Ownership: the catalogue owns all it hands out; free the catalogue. It is
 * constant after opening, so several threads may read it. */
#ifndef WHICHGPU_CATALOG_H
#define WHICHGPU_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "whichgpu/status.h"

enum wg_rate {
#define WG_RATE(name, key, label, bits, tensor) WG_RATE_##name,
#include "whichgpu/rates.def"
#undef WG_RATE
	WG_RATE_COUNT
};

enum wg_gpu_figure {
#define WG_GPU_FIGURE(name, key, unit, label) WG_GPU_##name,
#include "whichgpu/gpu_figures.def"
#undef WG_GPU_FIGURE
	WG_GPU_FIGURE_COUNT
};

enum wg_gpu_fact {
#define WG_GPU_FACT(name, key, label) WG_GPU_FACT_##name,
#include "whichgpu/gpu_facts.def"
#undef WG_GPU_FACT
	WG_GPU_FACT_COUNT
};

enum wg_confidence { WG_CONFIDENCE_LOW, WG_CONFIDENCE_MEDIUM, WG_CONFIDENCE_HIGH };
enum wg_state { WG_NOT_KNOWN, WG_KNOWN, WG_ABSENT };

struct wg_source {
	const char *id;          /* "nvidia-ampere-in-depth" */
	const char *title;       /* document and edition */
	const char *reference;   /* where it was read */
};

/* One document's value for a figure that was not chosen. */
struct wg_other_value {
	double value;
	const struct wg_source *source;
	enum wg_confidence confidence;
	const char *note;        /* why it differs; "" when nothing is known */
};

struct wg_figure {
	double value;            /* meaningful when state is WG_KNOWN */
	enum wg_state state;
	enum wg_confidence confidence;
	const struct wg_source *source;
	const char *note;
	const struct wg_other_value *others;
	size_t other_count;
};

struct wg_fact {
	const char *value;       /* NULL: not known */
	const struct wg_source *source;
	enum wg_confidence confidence;
	const char *note;
};

enum wg_gpu_class {
	WG_CLASS_DATA_CENTRE, WG_CLASS_WORKSTATION, WG_CLASS_CONSUMER, WG_CLASS_UNIFIED
};

/* What joins the GPUs of a node. */
enum wg_link_kind {
	WG_LINK_PCIE,      /* no link of its own */
	WG_LINK_BRIDGE,    /* NVLink bridge between link_gpus cards */
	WG_LINK_SWITCH,    /* NVSwitch: any to any at full rate */
	WG_LINK_MESH,      /* direct links, each pair a share (Infinity Fabric, Gaudi) */
};

/* Peer-to-peer copies over PCIe without crossing host memory (rule 16). */
enum wg_peer { WG_PEER_NOT_KNOWN, WG_PEER_NO, WG_PEER_YES, WG_PEER_DRIVER };

struct wg_gpu {
	const char *id;          /* "h100-sxm" */
	const char *name;        /* "NVIDIA H100 SXM5 80 GB" */
	const char *name_zh;
	const char *family;      /* row of data/gpu_families.json: rates a clock; NULL: not known */
	enum wg_gpu_class class;
	enum wg_link_kind link;
	enum wg_peer peer;
	const char *const *aliases;     /* other spellings of exactly this GPU */
	size_t alias_count;
	const char *const *usual_for;   /* names of several GPUs that most often mean this one */
	size_t usual_for_count;
	struct wg_fact facts[WG_GPU_FACT_COUNT];
	struct wg_figure figures[WG_GPU_FIGURE_COUNT];
	struct wg_figure dense[WG_RATE_COUNT];    /* operations per second */
	struct wg_figure sparse[WG_RATE_COUNT];   /* with 2:4 structured sparsity */
};

struct wg_catalog;

/* overlay_folder: user's files, NULL for none. */
enum wg_status wg_catalog_open(const char *overlay_folder, struct wg_catalog **ret_catalog,
                               struct wg_error *error);
void wg_catalog_free(struct wg_catalog *catalog);

/* GPUs sorted by id. */
size_t wg_catalog_count(const struct wg_catalog *catalog);
const struct wg_gpu *wg_catalog_at(const struct wg_catalog *catalog, size_t index);
/* Exact id or NULL. */
const struct wg_gpu *wg_catalog_find(const struct wg_catalog *catalog, const char *id);

/* Free text ("4090", "H100 PCIe", "英伟达 A100 80G") through ids, names and
 * aliases; case, blanks, hyphens and the vendor's name do not matter.
 * WG_OK with one GPU. WG_AMBIGUOUS: *ret_gpu is the variant usually meant,
 * the hint lists all variants, and a caller may go on and say so.
 * WG_NOT_FOUND: the hint has the nearest names. */
enum wg_status wg_catalog_match(const struct wg_catalog *catalog, const char *text,
                                const struct wg_gpu **ret_gpu, struct wg_error *error);

size_t wg_catalog_source_count(const struct wg_catalog *catalog);
const struct wg_source *wg_catalog_source_at(const struct wg_catalog *catalog, size_t index);

const char *wg_rate_key(enum wg_rate rate);
const char *wg_rate_label(enum wg_rate rate);
bool wg_rate_find(const char *key, enum wg_rate *ret_rate);
const char *wg_gpu_figure_key(enum wg_gpu_figure figure);
const char *wg_gpu_figure_label(enum wg_gpu_figure figure);
const char *wg_gpu_fact_key(enum wg_gpu_fact fact);
const char *wg_gpu_fact_label(enum wg_gpu_fact fact);
const char *wg_confidence_key(enum wg_confidence confidence);
const char *wg_gpu_class_key(enum wg_gpu_class class);
const char *wg_link_kind_key(enum wg_link_kind kind);
const char *wg_peer_key(enum wg_peer peer);   /* NULL when not known */

/* The value when known, else otherwise. */
static inline double wg_figure_or(const struct wg_figure *figure, double otherwise)
{
	return figure->state == WG_KNOWN ? figure->value : otherwise;
}

#endif
