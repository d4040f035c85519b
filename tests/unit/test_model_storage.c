/* How weights are stored: bits of every quantisation method, against sizes of
 * published files and against sums done by hand; and new members of families. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "whichgpu/model.h"

/* Hidden 128, one layer: matrices 4 x 128 x 128 + 3 x 128 x 256 = 163840 elements,
 * embedding and head 2 x 1000 x 128 = 256000, norms 3 x 128 = 384. */
#define SHAPE                                                                                \
	"\"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 128, "                  \
	"\"num_hidden_layers\": 1, \"num_attention_heads\": 2, \"intermediate_size\": 256, " \
	"\"vocab_size\": 1000, \"torch_dtype\": \"bfloat16\""
#define MATRICES 163840.0
#define REST (256000.0 + 384.0)
/* output rows of the matrices: q, k, v, o, gate, up, down */
#define ROWS (4 * 128.0 + 2 * 256.0 + 128.0)

static struct wg_model *open_text(const char *text)
{
	struct wg_model *model = NULL;
	struct wg_error error;

	wg_error_init(&error);
	if (wg_model_open_config(text, strlen(text), "config.json", &model, &error) != WG_OK)
		fail_msg("%s: %s", error.path, error.message);
	return model;
}

struct method {
	const char *config; /* of quantization_config; NULL: none */
	enum wg_weight_format format;
	double bits;     /* a weight of the matrices */
	double row_bits; /* and an output row */
};

static const struct method methods[] = {
	{ NULL, WG_WEIGHTS_BF16, 16, 0 },
	{ "{\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": 128}", WG_WEIGHTS_INT4,
	  4 + 20.0 / 128, 0 },
	{ "{\"quant_method\": \"gptq\", \"bits\": 8, \"group_size\": 32}", WG_WEIGHTS_INT8_ONLY,
	  8 + 24.0 / 32, 0 },
	{ "{\"quant_method\": \"gptq\", \"bits\": 4, \"group_size\": -1}", WG_WEIGHTS_INT4, 4, 20 },
	{ "{\"quant_method\": \"awq\", \"bits\": 4, \"group_size\": 64}", WG_WEIGHTS_INT4,
	  4 + 20.0 / 64, 0 },
	{ "{\"quant_method\": \"fp8\"}", WG_WEIGHTS_FP8, 8, 0 },
	{ "{\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true}", WG_WEIGHTS_NF4, 4.5, 0 },
	{ "{\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true, "
	  "\"bnb_4bit_use_double_quant\": true}",
	  WG_WEIGHTS_NF4, 4 + 8.0 / 64 + 32.0 / 16384, 0 },
	{ "{\"quant_method\": \"bitsandbytes\", \"load_in_8bit\": true}", WG_WEIGHTS_INT8, 8, 32 },
	{ "{\"quant_method\": \"mxfp4\"}", WG_WEIGHTS_MXFP4, 4.25, 0 },
	{ "{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\"}", WG_WEIGHTS_NVFP4, 4.5, 0 },
	{ "{\"quant_method\": \"modelopt\", \"quant_algo\": \"FP8\"}", WG_WEIGHTS_FP8, 8, 0 },
	{ "{\"quant_method\": \"compressed-tensors\", \"format\": \"pack-quantized\", "
	  "\"config_groups\": {\"group_0\": {\"weights\": {\"num_bits\": 4, \"type\": \"int\", "
	  "\"strategy\": \"group\", \"group_size\": 128}}}}",
	  WG_WEIGHTS_INT4, 4 + 16.0 / 128, 0 },
	{ "{\"quant_method\": \"compressed-tensors\", \"format\": \"float-quantized\", "
	  "\"config_groups\": {\"group_0\": {\"input_activations\": {\"num_bits\": 8}, \"weights\": "
	  "{\"num_bits\": 8, \"type\": \"float\", \"strategy\": \"channel\"}}}}",
	  WG_WEIGHTS_FP8, 8, 16 },
	{ "{\"quant_method\": \"compressed-tensors\", \"format\": \"nvfp4-pack-quantized\", "
	  "\"config_groups\": {\"group_0\": {\"weights\": {\"num_bits\": 4, \"type\": \"float\", "
	  "\"group_size\": 16}}}}",
	  WG_WEIGHTS_NVFP4, 4.5, 0 },
};

static void test_methods(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		char text[1024];
		struct wg_model *model;
		double wanted =
			(MATRICES * methods[i].bits + ROWS * methods[i].row_bits + REST * 16) / 8;

		snprintf(text, sizeof text, "{" SHAPE "%s%s}",
		         methods[i].config != NULL ? ", \"quantization_config\": " : "",
		         methods[i].config != NULL ? methods[i].config : "");
		model = open_text(text);
		assert_true(model->parameters == MATRICES + REST);
		assert_int_equal(model->stored.format, methods[i].format);
		if (fabs(model->stored.bytes - wanted) > 0.5)
			fail_msg("%s: %.1f, wanted %.1f", text, model->stored.bytes, wanted);
		assert_int_equal(model->warning_count, 0);
		wg_model_free(model);
	}
}

/* Ten tiles of 128 x 128, four of attention and six of the FFN; a 32-bit scale each. */
static void test_fp8_blocks(void **state)
{
	struct wg_model *model =
		open_text("{" SHAPE ", \"quantization_config\": {\"quant_method\": "
	                  "\"fp8\", \"weight_block_size\": [128, 128]}}");

	(void)state;
	assert_true(model->stored.bytes == MATRICES + (4 + 6) * 4 + REST * 2);
	assert_string_equal(model->stored.method, "fp8, blocks of 128 x 128");
	wg_model_free(model);
}

/* MLX quantises embedding and head too: a 16-bit scale and offset a group. */
static void test_mlx(void **state)
{
	struct wg_model *model = open_text("{" SHAPE ", \"quantization\": {\"bits\": 4, "
	                                   "\"group_size\": 64}}");

	(void)state;
	assert_true(model->stored.bytes == (MATRICES + 256000) * 4.5 / 8 + 384 * 2);
	wg_model_free(model);
}

static void test_exclusions(void **state)
{
	struct wg_model *model = open_text(
		"{" SHAPE ", \"quantization_config\": {\"quant_method\": "
		"\"fp8\", \"modules_to_not_convert\": [\"model.layers.0.self_attn.q_proj\", "
		"\"model.layers.0.post_attention_layernorm\", \"lm_head\"]}}");
	double attention = 4 * 128 * 128;

	(void)state;
	assert_true(model->stored.bytes == attention * 2 + (MATRICES - attention) + REST * 2);
	wg_model_free(model);
}

static void test_unknown_method(void **state)
{
	struct wg_model *model =
		open_text("{" SHAPE ", \"quantization_config\": {\"quant_method\": "
	                  "\"newest\"}}");

	(void)state;
	assert_int_equal(model->stored.format, WG_WEIGHTS_BF16);
	assert_int_equal(model->warning_count, 1);
	assert_non_null(strstr(model->warnings[0], "newest"));
	wg_model_free(model);
}

/* What a model would take in another format: matrices change, the rest stays. */
static void test_other_formats(void **state)
{
	struct wg_model *model = open_text("{" SHAPE "}");

	(void)state;
	assert_true(wg_model_weight_bytes(model, WG_WEIGHTS_BF16) == (MATRICES + REST) * 2);
	assert_true(wg_model_weight_bytes(model, WG_WEIGHTS_FP32) == (MATRICES + REST) * 4);
	assert_true(wg_model_weight_bytes(model, WG_WEIGHTS_FP8) == MATRICES + REST * 2);
	assert_true(wg_model_weight_bytes(model, WG_WEIGHTS_NVFP4) ==
	            MATRICES * 4.5 / 8 + REST * 2);
	wg_model_free(model);
}

static void test_format_table(void **state)
{
	enum wg_weight_format found = WG_WEIGHTS_FP32;

	(void)state;
	for (int i = 0; i < WG_WEIGHTS_COUNT; i++) {
		assert_true(wg_weight_format_find(wg_weight_format_key(i), &found));
		assert_int_equal(found, i);
		assert_true(wg_weight_format_bits(i) >= 4 && wg_weight_format_bits(i) <= 32);
		assert_true(wg_weight_format_label(i)[0] != '\0');
	}
	assert_false(wg_weight_format_find("fp5", &found));
}

/* --- new members of known families ------------------------------------------- */

/* Windows: 2 of 6 layers see all, the others 16 tokens. */
static void test_new_gemma(void **state)
{
	struct wg_model *model = open_text(
		"{\"model_type\": \"gemma3_text\", \"hidden_size\": 64, "
		"\"num_hidden_layers\": 12, \"num_attention_heads\": 4, \"num_key_value_heads\": 1, "
		"\"head_dim\": 32, \"intermediate_size\": 128, \"vocab_size\": 100, "
		"\"sliding_window\": 16, \"dtype\": \"bfloat16\"}");
	double one = 1 * (32 + 32) * 2;

	(void)state;
	assert_true(model->kv.bytes_per_token == 2 * one);
	assert_int_equal(model->kv.capped_count, 1);
	assert_true(model->kv.capped[0].bytes_per_token == 10 * one);
	assert_true(model->kv.capped[0].tokens == 16);
	assert_true(wg_model_kv_bytes(model, 1000, 2) == 2 * one * 1000 + 10 * one * 16);
	assert_true(wg_model_kv_bytes(model, 1000, 1) == (2 * one * 1000 + 10 * one * 16) / 2);
	/* q, k, v, o, FFN, four norms, two head norms; tied embedding, last norm */
	assert_true(model->parameters ==
	            12 * (64 * (128 + 32 + 32) + 128 * 64 + 3 * 64 * 128 + 4 * 64 + 2 * 32) +
	                    100 * 64 + 64);
	assert_true(model->tied_head && model->head_parameters == 6400);
	wg_model_free(model);
}

/* DeepSeek's shape in small, with an index of sparse attention and a draft. */
static void test_new_mla(void **state)
{
	struct wg_model *model = open_text(
		"{\"architectures\": [\"DeepseekV32ForCausalLM\"], "
		"\"hidden_size\": 64, \"num_hidden_layers\": 3, \"num_attention_heads\": 4, "
		"\"intermediate_size\": 128, \"moe_intermediate_size\": 32, \"n_routed_experts\": 8, "
		"\"num_experts_per_tok\": 2, \"n_shared_experts\": 1, \"first_k_dense_replace\": 1, "
		"\"q_lora_rank\": 24, \"kv_lora_rank\": 16, \"qk_nope_head_dim\": 8, "
		"\"qk_rope_head_dim\": 4, \"v_head_dim\": 8, \"index_n_heads\": 2, "
		"\"index_head_dim\": 6, \"index_topk\": 128, \"vocab_size\": 100, "
		"\"num_nextn_predict_layers\": 1, \"torch_dtype\": \"bfloat16\"}");
	double mla = 64 * 24 + 24 + 24 * 4 * 12 + 64 * 20 + 16 + 16 * 4 * 16 + 4 * 8 * 64;
	double index = 24 * 2 * 6 + 64 * 6 + 12 + 64 * 2;
	double dense = 3 * 64 * 128, expert = 3 * 64 * 32, moe = 64 * 8 + 8 + 9 * expert;
	double total = 3 * (mla + index + 128) + dense + 2 * moe + 2 * 6400 + 64;

	(void)state;
	assert_true(model->parameters == total);
	assert_true(model->active_parameters == total - 2 * 6 * expert);
	assert_true(model->mtp_parameters == mla + index + 128 + moe + 2 * 64 * 64 + 3 * 64);
	assert_true(model->kv.latent && model->kv.bytes_per_token == 3 * 20 * 2);
	assert_true(model->kv.index_bytes_per_token == 3 * 6);
	assert_int_equal(model->stacks[0].layer_kinds, 2);
	assert_int_equal(model->stacks[0].layers[0].repeat, 1);
	assert_int_equal(model->stacks[0].layers[1].repeat, 2);
	assert_int_equal(model->stacks[0].order[0], 0);
	assert_int_equal(model->stacks[0].order[2], 1);
	/* 2 FLOP a weight: shared, router, and two of eight experts */
	assert_true(model->stacks[0].layers[1].ffn.matmul_parameters == 64 * 8 + 3 * expert);
	wg_model_free(model);
}

/* Hybrid: 3 linear layers, then one that attends. */
static void test_new_hybrid(void **state)
{
	struct wg_model *model = open_text(
		"{\"architectures\": [\"Qwen3NextForCausalLM\"], "
		"\"hidden_size\": 64, \"num_hidden_layers\": 8, \"num_attention_heads\": 4, "
		"\"num_key_value_heads\": 2, \"head_dim\": 16, \"intermediate_size\": 128, "
		"\"full_attention_interval\": 4, \"linear_num_key_heads\": 2, "
		"\"linear_num_value_heads\": 4, \"linear_key_head_dim\": 8, "
		"\"linear_value_head_dim\": 8, \"linear_conv_kernel_dim\": 4, \"vocab_size\": 100, "
		"\"torch_dtype\": \"bfloat16\"}");

	(void)state;
	assert_true(model->kv.bytes_per_token == 2 * 2 * (16 + 16) * 2);
	/* states 4 x 8 x 8 and the last inputs of 2 x 16 + 32 channels, six layers */
	assert_true(model->kv.fixed_bytes == 6 * (256 + 64 * 4) * 2);
	assert_int_equal(model->stacks[0].order[2], 0);
	assert_int_equal(model->stacks[0].order[3], 1);
	wg_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_fp8_blocks),
		cmocka_unit_test(test_mlx),
		cmocka_unit_test(test_exclusions),
		cmocka_unit_test(test_unknown_method),
		cmocka_unit_test(test_other_formats),
		cmocka_unit_test(test_format_table),
		cmocka_unit_test(test_new_gemma),
		cmocka_unit_test(test_new_mla),
		cmocka_unit_test(test_new_hybrid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
