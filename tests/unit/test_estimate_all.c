/* Every model of the catalogue on every GPU of the catalogue, in every task:
 * numbers are finite, terms add up, and what must not help does not. */
#include "check.h"

#include "whichgpu/estimate.h"

static struct wg_catalog *catalog;

static int open_catalog(void **state)
{
	struct wg_error error;

	wg_error_init(&error);
	check_status(wg_catalog_open(NULL, &catalog, &error), WG_OK, &error);
	return 0;
}

static int close_catalog(void **state)
{
	wg_catalog_free(catalog);
	return 0;
}

static void check_range(const struct wg_range *range, const char *what, const char *model,
                        const char *gpu)
{
	if (!range->known)
		return;
	if (!(isfinite(range->low) && isfinite(range->high) && range->low > 0 &&
	      range->low <= range->likely && range->likely <= range->high))
		fail_msg("%s of %s on %s: %g %g %g", what, model, gpu, range->low, range->likely,
		         range->high);
}

static void check_estimate(const struct wg_estimate *estimate, const char *model, const char *gpu)
{
	const struct wg_metrics *m = &estimate->metrics;
	double memory = 0, time = 0;
	char words[160];

	wg_refusal_write(&estimate->refusal, words, sizeof words);
	if (!estimate->feasible) {
		if (estimate->refusal.kind == WG_REFUSAL_NONE || words[0] == '\0')
			fail_msg("%s on %s is refused without a reason", model, gpu);
		return;
	}
	assert_string_equal(words, "");
	for (int i = 0; i < WG_MEMORY_TERM_COUNT; i++)
		memory += estimate->memory.terms[i];
	for (int i = 0; i < WG_TIME_TERM_COUNT; i++) {
		assert_true(estimate->time_terms[i] >= 0);
		time += estimate->time_terms[i];
	}
	check_close(memory, estimate->memory.total_bytes, 1e-9);
	if (!(memory <= estimate->memory.available_bytes * (1 + 1e-9)))
		fail_msg("%s on %s: %g of %g bytes", model, gpu, memory,
		         estimate->memory.available_bytes);
	if (m->step_s.known)
		check_close(time, m->step_s.likely, 1e-9);
	check_range(&m->decode_tokens_per_s, "decode", model, gpu);
	check_range(&m->prefill_tokens_per_s, "prefill", model, gpu);
	check_range(&m->output_tokens_per_s, "output", model, gpu);
	check_range(&m->ttft_s, "first token", model, gpu);
	check_range(&m->tpot_s, "token", model, gpu);
	check_range(&m->tokens_per_s, "training", model, gpu);
	check_range(&m->samples_per_s, "samples", model, gpu);
	check_range(&m->model_flops_utilisation, "utilisation", model, gpu);
	check_range(&estimate->watts, "watts", model, gpu);
}

/* A stream cannot be quicker than its weights are read. Encoders run once a
 * request, so models that have one are left out. */
static void check_bound(const struct wg_model *model, const struct wg_gpu *gpu,
                        const struct wg_estimate *estimate)
{
	double rate = estimate->metrics.decode_tokens_per_s.likely;
	double active = model->active_parameters - model->embedding_parameters;
	double bytes_per_s =
		wg_figure_or(&gpu->figures[WG_GPU_BANDWIDTH], 0) * estimate->layout.tensor;
	double bits = wg_weight_format_bits(estimate->format.weights);

	if (!estimate->feasible || !estimate->metrics.decode_tokens_per_s.known ||
	    model->stack_count > 1 || model->active_parameters <= 0 ||
	    estimate->layout.pipeline > 1)
		return;
	if (rate * 0.9 * active * bits / 8 > bytes_per_s)
		fail_msg("%s on %s: %g tokens/s", model->id, gpu->id, rate);
}

static void run_model(const struct wg_model *model, struct wg_work work)
{
	static const unsigned degrees[][3] = { { 1, 1, 1 }, { 2, 1, 1 }, { 8, 1, 1 },
		                               { 4, 2, 1 }, { 1, 1, 8 }, { 8, 4, 2 } };
	struct wg_estimator *estimator = NULL;
	struct wg_error error;

	wg_error_init(&error);
	check_status(wg_estimator_open(model, &work, NULL, &estimator, &error), WG_OK, &error);
	for (size_t g = 0; g < wg_catalog_count(catalog); g++) {
		const struct wg_gpu *gpu = wg_catalog_at(catalog, g);

		for (size_t d = 0; d < sizeof degrees / sizeof degrees[0]; d++) {
			unsigned gpus = degrees[d][0] * degrees[d][1] * degrees[d][2];
			struct wg_layout layout = { .gpus = gpus,
				                    .nodes = (gpus + 7) / 8,
				                    .tensor = degrees[d][0],
				                    .pipeline = degrees[d][1],
				                    .data = degrees[d][2],
				                    .expert = 1,
				                    .zero_stage = degrees[d][1] > 1 ? 1 : 3,
				                    .recompute = (unsigned)d % 3 };
			struct wg_estimate estimate;

			wg_estimator_run(estimator, gpu, &layout, model->stored.format, 2,
			                 &estimate);
			check_estimate(&estimate, model->id, gpu->id);
			check_bound(model, gpu, &estimate);
		}
	}
	wg_estimator_free(estimator);
}

static void every_model_in_every_task(void **state)
{
	for (size_t i = 0; i < wg_model_catalog_count(); i++) {
		struct wg_model *model = NULL;
		struct wg_error error;

		wg_error_init(&error);
		check_status(wg_model_open(wg_model_catalog_id(i), NULL, &model, &error), WG_OK,
		             &error);
		for (int task = 0; task < WG_TASK_SCIENCE; task++) {
			if (model->stacks[0].role != WG_STACK_DIFFUSION)
				run_model(model, (struct wg_work){ .task = (enum wg_task)task });
		}
		wg_model_free(model);
	}
}

static double training_tokens_per_s(const char *id)
{
	struct wg_work work = { .task = WG_TASK_TRAIN, .sequence_tokens = 512, .global_batch = 64 };
	struct wg_layout layout = { .gpus = 1, .nodes = 1, .tensor = 1, .pipeline = 1, .data = 1 };
	struct wg_estimator *estimator = NULL;
	struct wg_model *model = NULL;
	struct wg_estimate estimate;

	assert_int_equal(wg_model_open(id, NULL, &model, NULL), WG_OK);
	assert_int_equal(wg_estimator_open(model, &work, NULL, &estimator, NULL), WG_OK);
	wg_estimator_run(estimator, wg_catalog_find(catalog, "a100-sxm-80gb"), &layout,
	                 WG_WEIGHTS_BF16, 2, &estimate);
	assert_true(estimate.feasible);
	wg_estimator_free(estimator);
	wg_model_free(model);
	return estimate.metrics.tokens_per_s.likely;
}

/* T5 Large and GPT-2 Large have about as many weights, and in training each is
 * used once a token: half of T5's are in its encoder, which reads as many tokens
 * as the decoder. */
static void an_encoder_costs_its_share_of_training(void **state)
{
	double ratio = training_tokens_per_s("t5-large") / training_tokens_per_s("gpt-2-large");

	assert_true(ratio > 0.6 && ratio < 1.4);
}

static void every_kernel_on_every_gpu(void **state)
{
	for (int kernel = 0; kernel < WG_SCIENCE_COUNT; kernel++) {
		struct wg_work work = { .task = WG_TASK_SCIENCE,
			                .kernel = (enum wg_science_kernel)kernel,
			                .science_rate = kernel % 2 ? WG_RATE_FP32 : WG_RATE_FP64,
			                .flop_per_byte = 2,
			                .total_flop = 1e18,
			                .science_bytes = 1e10 };
		struct wg_estimator *estimator = NULL;

		assert_int_equal(wg_estimator_open(NULL, &work, NULL, &estimator, NULL), WG_OK);
		for (size_t g = 0; g < wg_catalog_count(catalog); g++) {
			const struct wg_gpu *gpu = wg_catalog_at(catalog, g);
			struct wg_layout layout = {
				.gpus = 1, .nodes = 1, .tensor = 1, .pipeline = 1, .data = 1
			};
			struct wg_estimate estimate;

			wg_estimator_run(estimator, gpu, &layout, WG_WEIGHTS_BF16, 2, &estimate);
			check_estimate(&estimate, "science", gpu->id);
			check_range(&estimate.metrics.flop_per_s, "flop", "science", gpu->id);
			check_range(&estimate.metrics.hours_total, "hours", "science", gpu->id);
		}
		wg_estimator_free(estimator);
	}
}

/* More of a figure never makes a thing slower, less quick or less roomy. */
static void more_never_hurts(void **state)
{
	static const enum wg_gpu_figure figures[] = { WG_GPU_BANDWIDTH, WG_GPU_MEMORY,
		                                      WG_GPU_LINK };
	struct wg_work work = {
		.task = WG_TASK_SERVE, .input_tokens = 1000, .output_tokens = 300, .concurrency = 64
	};
	struct wg_model *model = NULL;
	struct wg_estimator *estimator = NULL;
	struct wg_layout layout = { .gpus = 4, .nodes = 1, .tensor = 4, .pipeline = 1, .data = 1 };

	assert_int_equal(wg_model_open("llama-3.1-70b", NULL, &model, NULL), WG_OK);
	assert_int_equal(wg_estimator_open(model, &work, NULL, &estimator, NULL), WG_OK);
	for (size_t g = 0; g < wg_catalog_count(catalog); g++) {
		struct wg_gpu gpu = *wg_catalog_at(catalog, g);
		struct wg_estimate before, after;

		wg_estimator_run(estimator, &gpu, &layout, WG_WEIGHTS_BF16, 2, &before);
		for (size_t i = 0; i < 3 && before.feasible; i++) {
			struct wg_gpu better = gpu;

			better.figures[figures[i]].value *= 1.5;
			wg_estimator_run(estimator, &better, &layout, WG_WEIGHTS_BF16, 2, &after);
			assert_true(after.feasible);
			assert_true(after.metrics.decode_tokens_per_s.likely >=
			            before.metrics.decode_tokens_per_s.likely * (1 - 1e-9));
			assert_true(after.metrics.output_tokens_per_s.likely >=
			            before.metrics.output_tokens_per_s.likely * 0.97);
		}
	}
	wg_estimator_free(estimator);
	wg_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_model_in_every_task),
		cmocka_unit_test(an_encoder_costs_its_share_of_training),
		cmocka_unit_test(every_kernel_on_every_gpu),
		cmocka_unit_test(more_never_hurts),
	};

	return cmocka_run_group_tests(tests, open_catalog, close_catalog);
}
