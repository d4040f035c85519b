/* Opening a model by what the user wrote, and sizes by format. */
#include "whichgpu/model.h"

#include <math.h>

#include "model/root.h"

void wg_model_free(struct wg_model *model)
{
	if (model != NULL)
		wg_arena_free(((struct wg_model_root *)model)->arena);
}

/* Matrices of the layers are what engines quantise; the rest stays 16 bit. */
double wg_model_weight_bytes(const struct wg_model *model, enum wg_weight_format format)
{
	const struct wg_model_root *root = (const struct wg_model_root *)model;
	double bits = wg_weight_format_bits(format), rest = format == WG_WEIGHTS_FP32 ? 32 : 16;
	double total = 0, known = 0;

	if (format == model->stored.format)
		return model->stored.bytes;
	for (int part = 0; part < WG_PART_COUNT; part++) {
		known += root->main.elements[part] + root->beside.elements[part];
		total += root->main.elements[part] * (part <= WG_PART_EXPERTS ? bits : rest);
		total += root->beside.elements[part] * rest;
	}
	/* Sized from tensors alone: what belongs to what is not known. */
	if (known < model->parameters)
		total += (model->parameters - known) * (known > 0 ? rest : bits);
	return total / 8;
}

double wg_model_kv_bytes(const struct wg_model *model, double tokens, double element_bytes)
{
	const struct wg_kv *kv = &model->kv;
	double bytes = kv->bytes_per_token * tokens;

	for (size_t i = 0; i < kv->capped_count; i++)
		bytes += kv->capped[i].bytes_per_token * fmin(tokens, kv->capped[i].tokens);
	/* States stay 16 bit, index keys 8 bit, whatever the cache's type. */
	return bytes * element_bytes / 2 + kv->fixed_bytes + kv->index_bytes_per_token * tokens;
}
