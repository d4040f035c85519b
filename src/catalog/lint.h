/* The linter of GPU data: recomputes what can be recomputed and refuses what
 * is known to be wrong. tools/catalog-compile runs it at build.
 *
 * What it needs to know is data: data/gpu_families.json (operations a clock,
 * lanes a unit, formats, cuts) and data/lint.json (speeds of memory types,
 * values that are known to be wrong, and published figures that fail a check
 * for a reason that is written down). */
#ifndef WHICHGPU_SRC_CATALOG_LINT_H
#define WHICHGPU_SRC_CATALOG_LINT_H

#include "whichgpu/arena.h"
#include "whichgpu/catalog.h"
#include "whichgpu/json.h"

enum { WG_FAMILY_LIST = 6, WG_FINDINGS = 48 };

struct wg_family {
	const char *id;
	double lanes_per_unit, tensor_cores_per_unit; /* 0: not known */
	bool ratios_only;             /* clocks and units of the printed peaks are not known */
	double links[WG_FAMILY_LIST]; /* bytes a second, one direction */
	size_t link_count;
	const char *capabilities[WG_FAMILY_LIST];
	size_t capability_count;
	double ops
		[WG_RATE_COUNT]; /* a unit and clock, FMA = 2, dense; 0: no such path; -1: not known */
	double most[WG_RATE_COUNT]; /* the ceiling of a path that was cut; 0: none */
};

struct wg_memory_type {
	const char *name;
	double low, high; /* bits a second and pin */
};

struct wg_memory_rate {
	const char *gpu;
	double bits_per_s; /* a pin */
};

/* A value that some document gives and that is wrong. */
struct wg_known_bad {
	const char *gpu, *figure;
	double value;
	const char *text; /* for facts; else NULL */
	const char *reason;
};

/* A published figure that fails a rule, and why it stays. */
struct wg_lint_exception {
	const char *gpu, *rule, *figure;
	double value; /* the exception is for this value alone */
	const char *reason;
};

struct wg_lint_rules {
	const struct wg_family *families;
	size_t family_count;
	const struct wg_memory_type *memory_types;
	size_t memory_type_count;
	const struct wg_memory_rate *memory_rates;
	size_t memory_rate_count;
	const struct wg_known_bad *known_bad;
	size_t known_bad_count;
	const struct wg_lint_exception *exceptions;
	size_t exception_count;
};

struct wg_finding {
	const char *rule; /* "peak", "bandwidth", ... */
	char figure[64];  /* "dense_ops_per_s.fp16" */
	char message[256];
};

struct wg_findings {
	struct wg_finding items[WG_FINDINGS];
	size_t count; /* never above WG_FINDINGS */
};

/* Reads the two files, already parsed; strings live in the arena. */
enum wg_status wg_lint_rules_read(struct wg_arena *arena, const struct wg_json *families,
                                  const struct wg_json *lint, struct wg_lint_rules *ret_rules,
                                  struct wg_error *error);
const struct wg_family *wg_family_find(const struct wg_lint_rules *rules, const char *id);

/* Adds what is wrong with one GPU. */
void wg_lint_gpu(const struct wg_lint_rules *rules, const struct wg_gpu *gpu,
                 struct wg_findings *findings);
/* Adds names that two GPUs both claim as theirs alone. gpus: sorted by id. */
void wg_lint_names(const struct wg_gpu *const *gpus, size_t count, struct wg_findings *findings);

/* For the files of the linter: adds one finding unless an exception allows it. */
__attribute__((format(printf, 7, 8))) void wg_finding_add(const struct wg_lint_rules *rules,
                                                          const struct wg_gpu *gpu,
                                                          struct wg_findings *findings,
                                                          const char *rule, const char *figure,
                                                          double value, const char *format, ...);
/* The checks of the rates (lint_rates.c). */
void wg_lint_rates(const struct wg_lint_rules *rules, const struct wg_family *family,
                   const struct wg_gpu *gpu, struct wg_findings *findings);

#endif
