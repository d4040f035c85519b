/* Counting what packed tensors stand for: see unpack.h. The rules are rows: a
 * suffix, the types it counts for, what its neighbour must be called. Layouts:
 * AutoGPTQ and AutoAWQ qweight (32 / bits weights an integer), compressed-tensors
 * pack-quantized and nvfp4-pack, bitsandbytes 0.43 Params4bit state, the gpt-oss
 * checkpoint (MXFP4 blocks and scales), ModelOpt NVFP4, mlx quantize. */
#include "model/unpack.h"

#include <math.h>
#include <string.h>

#include "whichgpu/map.h"

struct unpacking {
	const struct wg_tensor_table *table;
	const struct wg_packing *packing;
	struct wg_map names;
};

/* Never parameters, by the end of the name. */
static const char *const buffers[] = {
	".rotary_emb.inv_freq",
	".rotary_pos_emb.inv_freq",
	".attn.masked_bias",
	".attention.masked_bias",
	".position_ids",
	".num_batches_tracked",
	".relative_position_index",
	"rope_freqs.weight",
	"rope_factors_long.weight",
	"rope_factors_short.weight",
};

/* Beside packed or scaled weights, by the end of the name. */
static const char *const scales[] = {
	".qzeros",
	".g_idx",
	".weight_scale_inv",
	".weight_scale",
	".weight_scale_2",
	".input_scale",
	".output_scale",
	".activation_scale",
	".k_scale",
	".v_scale",
	".kv_scale",
	".weight_global_scale",
	".input_global_scale",
	".weight_zero_point",
	".input_zero_point",
	".weight_shape",
	".weight_g_idx",
	".absmax",
	".nested_absmax",
	".quant_map",
	".nested_quant_map",
	".SCB",
	".weight_format",
};

/* The same where the name alone could mean something else. */
static const struct {
	const char *suffix, *neighbour;
} scales_beside[] = {
	{ ".scales", ".qweight" },
	{ ".scales", ".weight" },
	{ ".biases", ".scales" },
	{ "_scales", "_blocks" },
};

enum rule {
	RULE_BITS,   /* integers of `bits` a weight */
	RULE_PAIRS,  /* two weights a byte */
	RULE_GROUPS, /* as many as the neighbour's scales cover */
};

static const struct {
	const char *suffix, *type, *neighbour; /* neighbour "": none needed */
	enum rule rule;
} packed[] = {
	{ ".qweight", "I32", "", RULE_BITS },
	{ ".weight_packed", "I32", "", RULE_BITS },
	{ ".weight_packed", "U8", "", RULE_PAIRS },
	{ "_blocks", "U8", "_scales", RULE_PAIRS },
	{ ".weight", "U8", ".weight.absmax", RULE_PAIRS },
	{ ".weight", "U8", ".weight_scale", RULE_PAIRS },
	{ ".weight", "I8", ".scale", RULE_PAIRS },
	{ ".weight", "U32", ".scales", RULE_GROUPS },
};

static bool ends_with(const char *name, size_t length, const char *suffix)
{
	size_t wanted = strlen(suffix);

	return length >= wanted && memcmp(name + length - wanted, suffix, wanted) == 0;
}

static bool is_in(const char *name, size_t length, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ends_with(name, length, list[i]))
			return true;
	return false;
}

/* The tensor whose name has `to` in place of the suffix `from`; NULL: none. */
static const struct wg_tensor *neighbour(const struct unpacking *unpacking, const char *name,
                                         size_t length, const char *from, const char *to)
{
	char other[512];
	size_t stem = length - strlen(from), tail = strlen(to), index;

	if (stem + tail >= sizeof other)
		return NULL;
	memcpy(other, name, stem);
	memcpy(other + stem, to, tail + 1);
	return wg_map_find(&unpacking->names, other, stem + tail, &index)
	               ? &unpacking->table->tensors[index]
	               : NULL;
}

static bool is_scale(const struct unpacking *unpacking, const struct wg_tensor *tensor,
                     size_t length)
{
	if (strcmp(tensor->type, "F8_E8M0") == 0 || strstr(tensor->name, ".quant_state.") != NULL ||
	    is_in(tensor->name, length, scales, sizeof scales / sizeof *scales))
		return true;
	for (size_t i = 0; i < sizeof scales_beside / sizeof *scales_beside; i++)
		if (ends_with(tensor->name, length, scales_beside[i].suffix) &&
		    neighbour(unpacking, tensor->name, length, scales_beside[i].suffix,
		              scales_beside[i].neighbour) != NULL)
			return true;
	return false;
}

/* Causal masks of GPT-2 and kin are called like biases, but have rank 4; whole
 * numbers over 8 bit that hold no packed weights, and truth values, are none. */
static bool is_buffer(const struct wg_tensor *tensor, size_t length)
{
	static const char *const whole[] = { "BOOL", "I64", "U64", "I32", "U32", "I16", "U16" };

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (strcmp(tensor->type, whole[i]) == 0)
			return true;
	return is_in(tensor->name, length, buffers, sizeof buffers / sizeof *buffers) ||
	       (tensor->rank == 4 && (ends_with(tensor->name, length, ".attn.bias") ||
	                              ends_with(tensor->name, length, ".attention.bias")));
}

static double count_packed(const struct unpacking *unpacking, const struct wg_tensor *tensor,
                           const struct wg_tensor *beside, enum rule rule)
{
	unsigned bits = unpacking->packing->bits, group = unpacking->packing->group;

	if (bits < 1 || bits > 8)
		bits = 4;
	if (rule == RULE_PAIRS)
		return 2 * tensor->elements;
	if (rule == RULE_GROUPS && group > 0 && beside != NULL)
		return beside->elements * group;
	return floor(tensor->elements * 32 / bits);
}

/* Sets *ret_weights when the tensor holds packed weights. */
static bool is_packed(const struct unpacking *unpacking, const struct wg_tensor *tensor,
                      size_t length, double *ret_weights)
{
	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
		const struct wg_tensor *beside = NULL;

		if (strcmp(tensor->type, packed[i].type) != 0 ||
		    !ends_with(tensor->name, length, packed[i].suffix))
			continue;
		if (packed[i].neighbour[0] != '\0') {
			beside = neighbour(unpacking, tensor->name, length, packed[i].suffix,
			                   packed[i].neighbour);
			/* Eight-bit integers have a scale as well; FP4 pairs have powers of two. */
			if (beside == NULL || (strcmp(tensor->type, "I8") == 0 &&
			                       strcmp(beside->type, "F8_E8M0") != 0))
				continue;
		}
		*ret_weights = count_packed(unpacking, tensor, beside, packed[i].rule);
		return true;
	}
	return false;
}

static void count_one(const struct unpacking *unpacking, const struct wg_tensor *tensor,
                      struct wg_unpacked *unpacked)
{
	size_t length = strlen(tensor->name);
	double weights = 0;
	bool holds_packed = is_packed(unpacking, tensor, length, &weights);

	if (is_scale(unpacking, tensor, length)) {
		unpacked->scale_bytes += tensor->bytes;
	} else if (holds_packed) {
		unpacked->parameters += weights;
		unpacked->packed_bytes += tensor->bytes;
	} else if (is_buffer(tensor, length)) {
		unpacked->buffer_bytes += tensor->bytes;
	} else {
		unpacked->parameters += tensor->elements;
	}
}

enum wg_status wg_unpack(const struct wg_tensor_table *table, const struct wg_packing *packing,
                         struct wg_unpacked *ret_unpacked, struct wg_error *error)
{
	static const struct wg_packing nothing;
	struct unpacking unpacking = { .table = table, .packing = packing ? packing : &nothing };
	struct wg_unpacked unpacked = { 0 };
	bool ok = true;

	wg_map_init(&unpacking.names);
	for (size_t i = 0; i < table->count && ok; i++)
		ok = wg_map_put(&unpacking.names, table->tensors[i].name,
		                strlen(table->tensors[i].name), i, NULL);
	for (size_t i = 0; i < table->count && ok; i++)
		count_one(&unpacking, &table->tensors[i], &unpacked);
	wg_map_done(&unpacking.names);
	if (!ok)
		return wg_error_no_memory(error);
	*ret_unpacked = unpacked;
	return WG_OK;
}
