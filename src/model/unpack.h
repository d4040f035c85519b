/* From stored tensors to parameters: quantised checkpoints pack several
 * weights into one integer and put scales and zero points beside them, and old
 * checkpoints store masks and tables that are no parameters. */
#ifndef WG_MODEL_UNPACK_H
#define WG_MODEL_UNPACK_H

#include "model/readers.h"

/* What the quantisation config says; 0 where it says nothing. */
struct wg_packing {
	unsigned bits;  /* of a weight in a packed integer */
	unsigned group; /* weights a scale is shared by */
};

struct wg_unpacked {
	double parameters;   /* weights, whatever they are packed in */
	double scale_bytes;  /* scales, zero points, shapes, group indexes */
	double buffer_bytes; /* masks, position tables, counters */
	double packed_bytes; /* the integers that hold packed weights */
};

/* GPTQ, AWQ (I32 qweight), compressed-tensors (weight_packed), bitsandbytes
 * (U8 with quant_state, I8 with SCB), MXFP4 (blocks), NVFP4 (U8 with
 * weight_scale), MLX (U32 with scales), FP8 of any kind, GGUF.
 * WG_NO_MEMORY. */
enum wg_status wg_unpack(const struct wg_tensor_table *table, const struct wg_packing *packing,
                         struct wg_unpacked *ret_unpacked, struct wg_error *error);

#endif
