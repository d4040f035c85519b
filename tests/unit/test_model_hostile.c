/* Configs that lie: each is refused with its place, or read with a warning;
 * none crashes, divides by zero or asks for absurd memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "whichgpu/model.h"

#define LLAMA "\"architectures\": [\"LlamaForCausalLM\"]"
#define REST "\"num_attention_heads\": 4, \"intermediate_size\": 128, \"vocab_size\": 1000"

struct refusal {
	const char *config;
	enum wg_status status;
	const char *path, *words; /* parts of the error's path and message */
};

static const struct refusal refusals[] = {
	{ "", WG_BAD_INPUT, "", "" },
	{ "[1, 2]", WG_NOT_SUPPORTED, "", "does not name an architecture" },
	{ "{}", WG_NOT_SUPPORTED, "", "does not name an architecture" },
	{ "{\"architectures\": []}", WG_NOT_SUPPORTED, "", "architecture" },
	{ "{\"architectures\": [7]}", WG_NOT_SUPPORTED, "", "architecture" },
	{ "{" LLAMA "}", WG_BAD_INPUT, "", "\"hidden_size\" is missing" },
	{ "{" LLAMA ", \"hidden_size\": 64, " REST "}", WG_BAD_INPUT, "",
	  "\"num_hidden_layers\" is missing" },
	{ "{" LLAMA ", \"hidden_size\": \"64\", \"num_hidden_layers\": 2, " REST "}", WG_BAD_INPUT,
	  "hidden_size", "whole number" },
	{ "{" LLAMA ", \"hidden_size\": 64, \"num_hidden_layers\": 4294967295, " REST "}", WG_LIMIT,
	  "num_hidden_layers", "4294967295" },
	{ "{" LLAMA ", \"hidden_size\": 64, \"num_hidden_layers\": 0, " REST "}", WG_BAD_INPUT,
	  "num_hidden_layers", "0" },
	{ "{" LLAMA ", \"hidden_size\": 64, \"num_hidden_layers\": -1, " REST "}", WG_BAD_INPUT,
	  "num_hidden_layers", "-1" },
	{ "{" LLAMA ", \"hidden_size\": 64.5, \"num_hidden_layers\": 2, " REST "}", WG_BAD_INPUT,
	  "hidden_size", "whole number" },
	{ "{" LLAMA ", \"hidden_size\": 1e300, \"num_hidden_layers\": 2, " REST "}", WG_BAD_INPUT,
	  "hidden_size", "whole number" },
	{ "{" LLAMA ", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 0, "
	  "\"intermediate_size\": 128, \"vocab_size\": 1000}",
	  WG_BAD_INPUT, "num_attention_heads", "0" },
	{ "{" LLAMA ", \"hidden_size\": 2, \"num_hidden_layers\": 2, " REST "}", WG_BAD_INPUT, "",
	  "smaller than the 4 heads" },
	{ "{" LLAMA
	  ", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_key_value_heads\": 8, " REST "}",
	  WG_BAD_INPUT, "", "more than 4 heads" },
	{ "{\"architectures\": [\"MixtralForCausalLM\"], \"hidden_size\": 64, \"num_hidden_layers\": 2, " REST
	  ", \"num_local_experts\": 8, \"num_experts_per_tok\": 9}",
	  WG_LIMIT, "num_experts_per_tok", "9" },
	{ "{\"architectures\": [\"Qwen3ForCausalLM\"], \"text_config\": {\"hidden_size\": []}}",
	  WG_BAD_INPUT, "text_config.hidden_size", "whole number" },
	{ "{\"architectures\": [\"NemotronHForCausalLM\"], \"hidden_size\": 64, "
	  "\"num_hidden_layers\": 3, " REST ", \"hybrid_override_pattern\": \"MX\"}",
	  WG_BAD_INPUT, "hybrid_override_pattern", "2 letters for 3 layers" },
	{ "{\"architectures\": [\"DeepseekV3ForCausalLM\"], \"hidden_size\": 64, "
	  "\"num_hidden_layers\": 2, " REST ", \"kv_lora_rank\": 16}",
	  WG_BAD_INPUT, "", "\"qk_nope_head_dim\" is missing" },
	{ "{\"_class_name\": \"UNet2DConditionModel\", \"block_out_channels\": []}", WG_BAD_INPUT,
	  "", "block_out_channels" },
	{ "{\"_class_name\": \"UNet2DConditionModel\", \"block_out_channels\": [1,2,3,4,5,6,7,8,9]}",
	  WG_BAD_INPUT, "", "block_out_channels" },
	{ "{\"architectures\": [\"BertModel\"], \"hidden_size\": 3, \"num_hidden_layers\": 1, "
	  "\"num_attention_heads\": 5, \"vocab_size\": 10}",
	  WG_BAD_INPUT, "", "divide" },
	{ "{" LLAMA ", \"hidden_size\": 64, \"num_hidden_layers\": 2, " REST
	  ", \"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": \"four\"}}",
	  WG_BAD_INPUT, "quantization_config.bits", "whole number" },
};

static void check_refusal(const struct refusal *r)
{
	struct wg_model *model = NULL;
	struct wg_error error;
	enum wg_status status;

	wg_error_init(&error);
	status = wg_model_open_config(r->config, strlen(r->config), "config.json", &model, &error);
	if (status != r->status || strstr(error.path, r->path) == NULL ||
	    strstr(error.message, r->words) == NULL)
		fail_msg("%s\n-> %s, path \"%s\": %s", r->config, wg_status_name(status),
		         error.path, error.message);
	assert_null(model);
	assert_true(error.message[0] != '\0');
	/* and without an error to fill */
	assert_int_equal(
		wg_model_open_config(r->config, strlen(r->config), "config.json", &model, NULL),
		r->status);
}

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		check_refusal(&refusals[i]);
}

static void test_syntax_place(void **state)
{
	static const char text[] =
		"{\"architectures\": [\"LlamaForCausalLM\"],\n\"hidden_size\": ,}";
	struct wg_model *model;
	struct wg_error error;

	(void)state;
	wg_error_init(&error);
	assert_int_equal(wg_model_open_config(text, sizeof text - 1, "config.json", &model, &error),
	                 WG_BAD_INPUT);
	assert_int_equal(error.line, 2);
	assert_int_equal(error.column, 16);
}

/* A published class leaves out keys that have its defaults: taken, and said. */
static void test_class_defaults(void **state)
{
	static const char text[] = "{\"model_type\": \"llama\", \"num_hidden_layers\": 16}";
	static const char null[] = "{\"model_type\": \"mistral\", \"num_key_value_heads\": null}";
	struct wg_model *model;
	struct wg_error error;

	(void)state;
	wg_error_init(&error);
	assert_int_equal(wg_model_open_config(text, sizeof text - 1, "config.json", &model, &error),
	                 WG_OK);
	assert_int_equal(model->stacks[0].layer_count, 16);
	assert_int_equal(model->stacks[0].hidden, 4096);
	assert_non_null(strstr(model->warnings[0], "default of its class taken: hidden"));
	wg_model_free(model);
	/* null is a value of its own: as many as heads */
	assert_int_equal(wg_model_open_config(null, sizeof null - 1, "config.json", &model, &error),
	                 WG_OK);
	assert_int_equal(model->stacks[0].layers[0].mixer.kv_heads, 32);
	wg_model_free(model);
}

/* The largest of everything that the limits let through. */
static void test_largest(void **state)
{
	static const char text[] =
		"{" LLAMA ", \"hidden_size\": 16777216, \"num_hidden_layers\": 4096,"
		"\"num_attention_heads\": 16777216, \"intermediate_size\": 16777216,"
		"\"head_dim\": 16777216, \"vocab_size\": 16777216, \"num_experts\": 65536,"
		"\"num_experts_per_tok\": 65536}";
	struct wg_model *model;
	struct wg_error error;

	(void)state;
	wg_error_init(&error);
	assert_int_equal(wg_model_open_config(text, sizeof text - 1, "config.json", &model, &error),
	                 WG_OK);
	assert_true(model->parameters > 1e24 && model->parameters < 1e60);
	assert_true(model->stored.bytes > model->parameters);
	assert_true(wg_model_kv_bytes(model, 1e9, 2) > 0);
	wg_model_free(model);
}

/* Every proper prefix of a good config is refused, none crashes. */
static void test_prefixes(void **state)
{
	static const char text[] =
		"{\"architectures\": [\"MixtralForCausalLM\"], \"hidden_size\": 64, "
		"\"num_hidden_layers\": 2, " REST ", \"num_local_experts\": 4, "
		"\"num_experts_per_tok\": 2, \"torch_dtype\": \"bfloat16\"}";
	struct wg_model *model;
	struct wg_error error;

	(void)state;
	for (size_t length = 0; length < sizeof text - 1; length++) {
		wg_error_init(&error);
		assert_int_equal(wg_model_open_config(text, length, "config.json", &model, &error),
		                 WG_BAD_INPUT);
	}
	wg_error_init(&error);
	assert_int_equal(wg_model_open_config(text, sizeof text - 1, "config.json", &model, &error),
	                 WG_OK);
	wg_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),       cmocka_unit_test(test_syntax_place),
		cmocka_unit_test(test_class_defaults), cmocka_unit_test(test_largest),
		cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
