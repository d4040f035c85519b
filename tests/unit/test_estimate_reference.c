/* The fast path against the slow reference on random models, layouts and loads:
 * equal within 1e-9. */
#include "check.h"

#include "../oracle/estimate_reference.c"
#include "estimate_fixtures.h"
#include "whichgpu/number.h"

#define CASES_OTHERWISE 4000
#define MODELS 40

/* WHICHGPU_CASES asks for more of them. */
static int case_count(void)
{
	const char *given = getenv("WHICHGPU_CASES");
	int64_t count = CASES_OTHERWISE;

	if (given != NULL)
		(void)wg_integer_read(given, strlen(given), &count);
	return (int)count;
}

static uint64_t state = 0x2545f4914f6cdd1du;

/* xorshift64*: the same cases on every machine */
static unsigned pick(unsigned count)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (unsigned)((state * 2685821657736338717u) >> 33) % count;
}

static struct wg_model *random_model(void)
{
	static const unsigned heads[] = { 8, 16, 32, 64 };
	unsigned a = heads[pick(4)], kv = a >> pick(4), layers = 1 + pick(60);
	unsigned hidden = a * 64 * (1 + pick(2)), width = 64 * (1 + pick(200));
	char text[1024], experts[256] = "";
	struct wg_model *model = NULL;
	struct wg_error error;
	bool moe = pick(3) == 0;
	unsigned e = 8u << pick(4), k = 1 + pick(8);

	if (moe)
		snprintf(experts, sizeof(experts),
		         "\"num_local_experts\":%u,\"num_experts_per_tok\":%u,", e, k);
	snprintf(text, sizeof(text),
	         "{\"architectures\":[\"%s\"],\"model_type\":\"%s\",%s"
	         "\"num_hidden_layers\":%u,\"hidden_size\":%u,\"intermediate_size\":%u,"
	         "\"num_attention_heads\":%u,\"num_key_value_heads\":%u,\"vocab_size\":%u,"
	         "\"max_position_embeddings\":131072,\"tie_word_embeddings\":%s,%s"
	         "\"torch_dtype\":\"bfloat16\"}",
	         moe ? "MixtralForCausalLM" : "MistralForCausalLM", moe ? "mixtral" : "mistral",
	         experts, layers, hidden, width, a, kv, 1000 * (1 + pick(150)),
	         pick(2) ? "true" : "false", pick(3) ? "" : "\"sliding_window\":512,");
	wg_error_init(&error);
	if (wg_model_open_config(text, strlen(text), "random", &model, &error) != WG_OK)
		fail_msg("%s: %s", error.message, text);
	return model;
}

static struct wg_layout random_layout(bool training)
{
	struct wg_layout layout = layout_of(1u << pick(4), 1u << pick(2), 1u << pick(4));

	layout.zero_stage = training ? (layout.pipeline > 1 ? pick(2) : pick(4)) : 0;
	layout.recompute = pick(3);
	return layout;
}

static const struct gpu_facts *random_gpu(void)
{
	static const struct gpu_facts *const gpus[] = { &a100, &h100, &rtx_4090 };

	return gpus[pick(3)];
}

struct tally {
	size_t judged, refused;
};

static void compare_serve(const struct wg_estimator *estimator, struct tally *tally)
{
	static const enum wg_weight_format formats[] = { WG_WEIGHTS_BF16, WG_WEIGHTS_FP8,
		                                         WG_WEIGHTS_INT4 };
	struct wg_gpu gpu = gpu_of(random_gpu());
	struct wg_layout layout = random_layout(false);
	struct wg_estimate fast;
	struct reference slow = { 0 };
	struct device device;
	double kv = 1 + pick(2);

	wg_estimator_run(estimator, &gpu, &layout, formats[pick(3)], kv, &fast);
	if (!fast.feasible) {
		tally->refused++;
		return;
	}
	tally->judged++;
	wg_device_make(estimator, &gpu, &device);
	reference_serve(&(struct reference_case){ estimator, &device, layout, fast.format }, &slow);
	check_close(fast.memory.terms[WG_MEMORY_WEIGHTS], slow.weight_bytes, 1e-9);
	check_close(fast.memory.total_bytes, slow.memory_bytes, 1e-9);
	check_close(fast.batch, slow.batch, 1e-9);
	check_close(1 / fast.metrics.decode_tokens_per_s.likely, slow.decode_s, 1e-9);
	check_close(fast.metrics.tpot_s.likely, slow.step_s, 1e-9);
	check_close(fast.metrics.requests_per_s.likely, slow.requests_per_s, 1e-9);
}

static void compare_train(const struct wg_estimator *estimator, struct tally *tally)
{
	struct wg_gpu gpu = gpu_of(random_gpu());
	struct wg_layout layout = random_layout(true);
	struct wg_estimate fast;
	struct reference slow = { 0 };
	struct device device;

	wg_estimator_run(estimator, &gpu, &layout, WG_WEIGHTS_BF16, 2, &fast);
	if (!fast.feasible) {
		tally->refused++;
		return;
	}
	tally->judged++;
	wg_device_make(estimator, &gpu, &device);
	reference_train(&(struct reference_case){ estimator, &device, layout, fast.format },
	                fast.micro_batch, &slow);
	check_close(fast.metrics.step_s.likely, slow.train_step_s, 1e-9);
}

static struct wg_work random_work(bool training)
{
	if (training)
		return (struct wg_work){ .task = WG_TASK_TRAIN,
			                 .sequence_tokens = 128 * (1 + pick(32)),
			                 .global_batch = 8 * (1 + pick(64)) };
	return (struct wg_work){ .task = WG_TASK_SERVE,
		                 .input_tokens = 1 + pick(1500),
		                 .output_tokens = 2 + pick(1500),
		                 .concurrency = 1 + pick(200) };
}

static void compare_all(bool training)
{
	struct tally tally = { 0 };

	for (int m = 0; m < MODELS; m++) {
		struct wg_model *model = random_model();
		struct wg_work work = random_work(training);
		struct wg_estimator *estimator = NULL;

		assert_int_equal(wg_estimator_open(model, &work, NULL, &estimator, NULL), WG_OK);
		for (int i = 0; i < case_count() / MODELS; i++) {
			if (training)
				compare_train(estimator, &tally);
			else
				compare_serve(estimator, &tally);
		}
		wg_estimator_free(estimator);
		wg_model_free(model);
	}
	print_message("%zu compared, %zu refused\n", tally.judged, tally.refused);
	assert_true(tally.judged > (size_t)case_count() / 10);
}

static void serving_equals_the_reference(void **unused)
{
	compare_all(false);
}

static void training_equals_the_reference(void **unused)
{
	compare_all(true);
}

/* The closed form of what n new tokens see, against counting. */
static void contexts_equal_counting(void **unused)
{
	for (int i = 0; i < 4000; i++) {
		unsigned n = 1 + pick(300), r = pick(300), window = pick(3) ? 1 + pick(400) : 0;
		double sum = 0;

		for (unsigned k = 1; k <= n; k++)
			sum += window > 0 && r + k > window ? window : r + k;
		check_close(wg_context_pairs(n, r, window, true), sum, 1e-12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(serving_equals_the_reference),
		cmocka_unit_test(training_equals_the_reference),
		cmocka_unit_test(contexts_equal_counting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
