/* Memory against what is known from outside: cache sizes of published models,
 * what an engine printed at its start, the terms of the literature. */
#include "check.h"

#include "estimate_fixtures.h"

static struct wg_estimate run_once(const struct wg_model *model, struct wg_work work,
                                   const char *engine, const struct gpu_facts *facts,
                                   struct wg_layout layout, enum wg_weight_format weights,
                                   double kv_bytes)
{
	struct wg_gpu gpu = gpu_of(facts);
	struct wg_estimator *estimator = NULL;
	struct wg_estimate estimate;
	struct wg_error error;

	wg_error_init(&error);
	check_status(wg_estimator_open(model, &work, engine, &estimator, &error), WG_OK, &error);
	wg_estimator_run(estimator, &gpu, &layout, weights, kv_bytes, &estimate);
	estimate.engine = NULL;
	wg_estimator_free(estimator);
	return estimate;
}

static const struct wg_work serve = {
	.task = WG_TASK_SERVE, .input_tokens = 1024, .output_tokens = 0, .concurrency = 1
};

/* One request of 1024 tokens: Llama-3.1-8B keeps 131,072 bytes a token in 16
 * bit (2 x 32 layers x 8 heads x 128 x 2), half in 8 bit. */
static void cache_of_grouped_heads(void **state)
{
	struct wg_model *model = llama_8b();
	struct wg_estimate estimate =
		run_once(model, serve, NULL, &h100, layout_of(1, 1, 1), WG_WEIGHTS_BF16, 2);

	check_close(estimate.memory.terms[WG_MEMORY_KV_CACHE], 131072.0 * 1024, 1e-12);
	estimate = run_once(model, serve, NULL, &h100, layout_of(1, 1, 1), WG_WEIGHTS_BF16, 1);
	check_close(estimate.memory.terms[WG_MEMORY_KV_CACHE], 65536.0 * 1024, 1e-12);
	/* eight heads on eight ranks, then no less than one a rank */
	estimate = run_once(model, serve, NULL, &h100, layout_of(8, 1, 1), WG_WEIGHTS_BF16, 2);
	check_close(estimate.memory.terms[WG_MEMORY_KV_CACHE], 131072.0 * 1024 / 8, 1e-12);
	estimate = run_once(model, serve, NULL, &h100, layout_of(16, 1, 1), WG_WEIGHTS_BF16, 2);
	check_close(estimate.memory.terms[WG_MEMORY_KV_CACHE], 131072.0 * 1024 / 8, 1e-12);
	wg_model_free(model);
}

/* DeepSeek-V3: 61 layers x (512 + 64) x 2 bytes, on every rank alike. */
static void latent_cache_is_not_divided(void **state)
{
	struct wg_model *model = NULL;
	struct wg_estimate one, eight;

	assert_int_equal(wg_model_open("deepseek-v3", NULL, &model, NULL), WG_OK);
	one = run_once(model, serve, NULL, &h100, layout_of(1, 16, 1), WG_WEIGHTS_FP8, 2);
	eight = run_once(model, serve, NULL, &h100, layout_of(16, 1, 1), WG_WEIGHTS_FP8, 2);
	check_close(eight.memory.terms[WG_MEMORY_KV_CACHE], 70272.0 * 1024, 1e-12);
	/* of 16 stages the fullest has 4 of the 61 layers */
	check_close(one.memory.terms[WG_MEMORY_KV_CACHE], 70272.0 * 1024 * 4 / 61, 1e-12);
	wg_model_free(model);
}

/* Mistral-7B: 4096 positions at most are kept, however long the request. */
static void windows_stop_growing(void **state)
{
	static const char text[] =
		"{\"architectures\":[\"MistralForCausalLM\"],\"model_type\":\"mistral\","
		"\"num_hidden_layers\":32,\"hidden_size\":4096,\"intermediate_size\":14336,"
		"\"num_attention_heads\":32,\"num_key_value_heads\":8,\"vocab_size\":32000,"
		"\"max_position_embeddings\":32768,\"sliding_window\":4096,"
		"\"torch_dtype\":\"bfloat16\"}";
	struct wg_work work = { .task = WG_TASK_SERVE, .input_tokens = 30000, .concurrency = 1 };
	struct wg_model *model = NULL;
	struct wg_estimate estimate;

	assert_int_equal(wg_model_open_config(text, strlen(text), "mistral", &model, NULL), WG_OK);
	estimate = run_once(model, work, NULL, &h100, layout_of(1, 1, 1), WG_WEIGHTS_BF16, 2);
	check_close(estimate.memory.terms[WG_MEMORY_KV_CACHE], 131072.0 * 4096, 1e-12);
	wg_model_free(model);
}

/* vLLM on one RTX 4090, Llama-3.1-8B in 16 bit, 0.9 of the memory: 41,408 tokens
 * (2,588 blocks; LLMServingSim), where 0.9 of the memory less the weights alone
 * would give 54,400. */
static void pool_of_a_24_gb_card(void **state)
{
	struct wg_model *model = llama_8b();
	struct wg_estimate estimate =
		run_once(model, serve, "vllm", &rtx_4090, layout_of(1, 1, 1), WG_WEIGHTS_BF16, 2);

	check_close(estimate.memory.kv_pool_tokens, 41408, 0.05);
	check_close(estimate.memory.terms[WG_MEMORY_WEIGHTS], 16.06e9, 0.001);
	wg_model_free(model);
}

/* Mixed precision with Adam takes 18 bytes a parameter in Megatron-LM (2 weights,
 * 4 gradients, 12 masters and moments); its distributed optimizer 6 + 12/D. */
static void training_states_of_megatron(void **state)
{
	struct wg_model *model = llama_model(24, 1024, 4096, 16, 16, 50304);
	struct wg_work work = {
		.task = WG_TASK_TRAIN, .sequence_tokens = 1024, .global_batch = 64, .micro_batch = 1
	};
	struct wg_layout layout = layout_of(1, 1, 8);
	const double *terms;
	struct wg_estimate estimate;

	for (unsigned stage = 0; stage <= 3; stage++) {
		double optimizer = stage >= 1 ? 12.0 / 8 : 12, gradients = stage >= 2 ? 4.0 / 8 : 4;
		double weights = stage >= 3 ? 2.0 / 8 : 2;

		layout.zero_stage = stage;
		estimate = run_once(model, work, "megatron", &a100, layout, WG_WEIGHTS_BF16, 2);
		terms = estimate.memory.terms;
		check_close((terms[WG_MEMORY_WEIGHTS] + terms[WG_MEMORY_GRADIENTS] +
		             terms[WG_MEMORY_OPTIMIZER]) /
		                    model->parameters,
		            weights + gradients + optimizer, 1e-9);
	}
	wg_model_free(model);
}

/* A GPT layer keeps 34 s b h bytes without the scores (Korthikanti et al. 2022,
 * sec. 4.1), of which 2 are masks of dropout that is no longer used; with full
 * recompute 2 s b h. */
static void activations_of_the_literature(void **state)
{
	static const char text[] =
		"{\"architectures\":[\"GPT2LMHeadModel\"],\"model_type\":\"gpt2\",\"n_layer\":%d,"
		"\"n_embd\":2048,\"n_head\":16,\"n_positions\":2048,\"vocab_size\":51200}";
	struct wg_work work = {
		.task = WG_TASK_TRAIN, .sequence_tokens = 2048, .global_batch = 8, .micro_batch = 1
	};
	struct wg_layout layout = layout_of(1, 1, 1);
	double sbh = 2048.0 * 2048, bytes[2][2];

	for (int deep = 0; deep < 2; deep++) {
		struct wg_model *model = NULL;
		char config[400];

		snprintf(config, sizeof config, text, deep ? 12 : 4);
		assert_int_equal(wg_model_open_config(config, strlen(config), "gpt", &model, NULL),
		                 WG_OK);
		for (int full = 0; full < 2; full++) {
			layout.recompute = full ? 2 : 0;
			bytes[deep][full] =
				run_once(model, work, "megatron", &a100, layout, WG_WEIGHTS_BF16, 2)
					.memory.terms[WG_MEMORY_ACTIVATIONS];
		}
		wg_model_free(model);
	}
	/* eight more layers, with the 6 % that the allocator loses */
	check_close((bytes[1][0] - bytes[0][0]) / 8 / 1.06, 32 * sbh, 1e-9);
	check_close((bytes[1][1] - bytes[0][1]) / 8 / 1.06, 2 * sbh, 1e-9);
}

/* Llama-7B, rank 8 on all linear layers: 19,988,480 adapter parameters
 * (PEFT prints this number). */
static void adapters_are_counted(void **state)
{
	struct wg_model *model = llama_model(32, 4096, 11008, 32, 32, 32000);
	struct wg_work work = { .task = WG_TASK_LORA, .lora_rank = 8 };
	struct wg_estimate estimate =
		run_once(model, work, "hf", &h100, layout_of(1, 1, 1), WG_WEIGHTS_BF16, 2);

	/* 2 weights, 2 gradients, 12 masters and moments */
	check_close(estimate.memory.terms[WG_MEMORY_ADAPTERS] / 16, 19988480, 1e-9);
	work.task = WG_TASK_QLORA;
	estimate = run_once(model, work, "hf", &rtx_4090, layout_of(1, 1, 1), WG_WEIGHTS_BF16, 2);
	assert_true(estimate.feasible);
	assert_int_equal(estimate.format.weights, WG_WEIGHTS_NF4);
	/* 6.476e9 linear elements at 4.127 bits, the rest in 16 bit: 3.9 GB */
	check_close(estimate.memory.terms[WG_MEMORY_WEIGHTS], 3.87e9, 0.02);
	wg_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cache_of_grouped_heads),
		cmocka_unit_test(latent_cache_is_not_divided),
		cmocka_unit_test(windows_stop_growing),
		cmocka_unit_test(pool_of_a_24_gb_card),
		cmocka_unit_test(training_states_of_megatron),
		cmocka_unit_test(activations_of_the_literature),
		cmocka_unit_test(adapters_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
