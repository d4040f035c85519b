/* One linear layer of 4096 inputs and 1024 outputs, as each tool stores it:
 * always 4194304 parameters. Shapes: the tools' own documents (see unpack.c). */
#include "check.h"

#include "model/unpack.h"

struct stored {
	const char *name, *type;
	double bits;
	uint64_t shape[4];
};

#define MANY 12

static struct wg_unpacked unpack(const struct stored *stored, const struct wg_packing *packing)
{
	struct wg_tensor tensors[MANY] = { 0 };
	struct wg_tensor_table table = { .tensors = tensors };
	struct wg_unpacked unpacked = { 0 };
	struct wg_error error;

	for (; stored->name != NULL; stored++) {
		struct wg_tensor *tensor = &tensors[table.count++];

		assert_true(table.count <= MANY);
		*tensor = (struct wg_tensor){ .name = stored->name,
			                      .type = stored->type,
			                      .bits = stored->bits,
			                      .elements = 1 };
		for (; tensor->rank < 4 && stored->shape[tensor->rank] > 0; tensor->rank++) {
			tensor->shape[tensor->rank] = stored->shape[tensor->rank];
			tensor->elements *= (double)stored->shape[tensor->rank];
		}
		tensor->bytes = tensor->elements * tensor->bits / 8;
	}
	check_status(wg_unpack(&table, packing, &unpacked, &error), WG_OK, &error);
	return unpacked;
}

#define WEIGHTS 4194304.0

static void gptq_and_awq(void **state)
{
	static const struct stored gptq[] = {
		{ "m.q.qweight", "I32", 32, { 512, 1024 } },
		{ "m.q.qzeros", "I32", 32, { 32, 128 } },
		{ "m.q.scales", "F16", 16, { 32, 1024 } },
		{ "m.q.g_idx", "I32", 32, { 4096 } },
		{ NULL },
	};
	static const struct stored awq[] = {
		{ "m.q.qweight", "I32", 32, { 4096, 128 } },
		{ "m.q.qzeros", "I32", 32, { 32, 128 } },
		{ "m.q.scales", "F16", 16, { 32, 1024 } },
		{ NULL },
	};
	static const struct stored eight[] = {
		{ "m.q.qweight", "I32", 32, { 1024, 1024 } },
		{ "m.q.scales", "F16", 16, { 32, 1024 } },
		{ NULL },
	};
	static const struct stored three[] = { { "m.q.qweight", "I32", 32, { 384, 1024 } },
		                               { NULL } };

	struct wg_unpacked unpacked = unpack(gptq, &(struct wg_packing){ 4, 128 });
	check_close(unpacked.parameters, WEIGHTS, 0);
	check_close(unpacked.scale_bytes, 4 * 32 * 128 + 2 * 32 * 1024 + 4 * 4096, 0);
	check_close(unpacked.packed_bytes, WEIGHTS / 2, 0);
	check_close(unpack(awq, NULL).parameters, WEIGHTS, 0);
	check_close(unpack(eight, &(struct wg_packing){ 8, 128 }).parameters, WEIGHTS, 0);
	check_close(unpack(three, &(struct wg_packing){ 3, 128 }).parameters, WEIGHTS, 0);
}

static void compressed_tensors(void **state)
{
	static const struct stored pack[] = {
		{ "m.q.weight_packed", "I32", 32, { 1024, 512 } },
		{ "m.q.weight_scale", "BF16", 16, { 1024, 128 } },
		{ "m.q.weight_shape", "I64", 64, { 2 } },
		{ NULL },
	};
	static const struct stored nvfp4[] = {
		{ "m.q.weight_packed", "U8", 8, { 1024, 2048 } },
		{ "m.q.weight_scale", "F8_E4M3", 8, { 1024, 256 } },
		{ "m.q.weight_global_scale", "F32", 32, { 1 } },
		{ "m.q.input_global_scale", "F32", 32, { 1 } },
		{ NULL },
	};
	static const struct stored int8[] = {
		{ "m.q.weight", "I8", 8, { 1024, 4096 } },
		{ "m.q.weight_scale", "BF16", 16, { 1024, 1 } },
		{ NULL },
	};

	check_close(unpack(pack, &(struct wg_packing){ 4, 32 }).parameters, WEIGHTS, 0);
	check_close(unpack(nvfp4, NULL).parameters, WEIGHTS, 0);
	check_close(unpack(nvfp4, NULL).scale_bytes, 1024 * 256 + 8, 0);
	check_close(unpack(int8, NULL).parameters, WEIGHTS, 0);
}

static void bitsandbytes(void **state)
{
	static const struct stored nf4[] = {
		{ "m.q.weight", "U8", 8, { 2097152, 1 } },
		{ "m.q.weight.absmax", "U8", 8, { 65536 } },
		{ "m.q.weight.quant_map", "F32", 32, { 16 } },
		{ "m.q.weight.nested_absmax", "F32", 32, { 256 } },
		{ "m.q.weight.nested_quant_map", "F32", 32, { 256 } },
		{ "m.q.weight.quant_state.bitsandbytes__nf4", "U8", 8, { 170 } },
		{ NULL },
	};
	static const struct stored int8[] = {
		{ "m.q.weight", "I8", 8, { 1024, 4096 } },
		{ "m.q.SCB", "F32", 32, { 1024 } },
		{ "m.q.weight_format", "U8", 8, { 1 } },
		{ NULL },
	};

	check_close(unpack(nf4, NULL).parameters, WEIGHTS, 0);
	check_close(unpack(int8, NULL).parameters, WEIGHTS, 0);
}

static void four_bit_floats(void **state)
{
	static const struct stored mxfp4[] = {
		/* experts x rows x blocks x bytes */
		{ "mlp.experts.down_proj_blocks", "U8", 8, { 1, 1024, 128, 16 } },
		{ "mlp.experts.down_proj_scales", "U8", 8, { 1, 1024, 128 } },
		{ NULL },
	};
	static const struct stored nvfp4[] = {
		{ "m.q.weight", "U8", 8, { 1024, 2048 } },
		{ "m.q.weight_scale", "F8_E4M3", 8, { 1024, 256 } },
		{ "m.q.weight_scale_2", "F32", 32, { 1 } },
		{ "m.q.input_scale", "F32", 32, { 1 } },
		{ NULL },
	};
	static const struct stored pairs[] = {
		{ "m.w1.weight", "I8", 8, { 1024, 2048 } },
		{ "m.w1.scale", "F8_E8M0", 8, { 1024, 128 } },
		{ NULL },
	};

	check_close(unpack(mxfp4, NULL).parameters, WEIGHTS, 0);
	check_close(unpack(nvfp4, NULL).parameters, WEIGHTS, 0);
	check_close(unpack(pairs, NULL).parameters, WEIGHTS, 0);
}

static void mlx(void **state)
{
	static const struct stored four[] = {
		{ "m.q.weight", "U32", 32, { 1024, 512 } },
		{ "m.q.scales", "BF16", 16, { 1024, 64 } },
		{ "m.q.biases", "BF16", 16, { 1024, 64 } },
		{ NULL },
	};
	static const struct stored six[] = {
		/* one layer of a mixed file: its own bits */
		{ "m.q.weight", "U32", 32, { 1024, 768 } },
		{ "m.q.scales", "BF16", 16, { 1024, 64 } },
		{ "m.q.biases", "BF16", 16, { 1024, 64 } },
		{ NULL },
	};

	check_close(unpack(four, &(struct wg_packing){ 4, 64 }).parameters, WEIGHTS, 0);
	check_close(unpack(six, &(struct wg_packing){ 4, 64 }).parameters, WEIGHTS, 0);
}

static void fp8_and_plain(void **state)
{
	static const struct stored fp8[] = {
		{ "m.q.weight", "F8_E4M3", 8, { 1024, 4096 } },
		{ "m.q.weight_scale_inv", "F32", 32, { 8, 32 } },
		{ NULL },
	};
	static const struct stored plain[] = {
		{ "m.q.weight", "BF16", 16, { 1024, 4096 } },
		{ "m.rotary_emb.inv_freq", "F32", 32, { 64 } },
		{ "h.0.attn.bias", "F32", 32, { 1, 1, 1024, 1024 } },
		{ "e.position_ids", "I64", 64, { 1, 512 } },
		{ "bn.num_batches_tracked", "I64", 64, { 1 } },
		{ "rope_freqs.weight", "F32", 32, { 64 } },
		{ NULL },
	};
	static const struct stored lookalikes[] = {
		/* names alone prove nothing */
		{ "norm.scales", "F32", 32, { 10 } },
		{ "m.attn.bias", "F32", 32, { 7 } },
		{ "m.biases", "F32", 32, { 5 } },
		{ "m.weight", "U8", 8, { 3 } },
		{ NULL },
	};

	check_close(unpack(fp8, NULL).parameters, WEIGHTS, 0);
	check_close(unpack(fp8, NULL).scale_bytes, 1024, 0);
	check_close(unpack(plain, NULL).parameters, WEIGHTS, 0);
	check_close(unpack(plain, NULL).buffer_bytes, 256 + 4194304 + 4096 + 8 + 256, 0);
	check_close(unpack(lookalikes, NULL).parameters, 25, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gptq_and_awq), cmocka_unit_test(compressed_tensors),
		cmocka_unit_test(bitsandbytes), cmocka_unit_test(four_bit_floats),
		cmocka_unit_test(mlx),          cmocka_unit_test(fp8_and_plain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
