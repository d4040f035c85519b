/* The built-in models: all open, and their totals are the published ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "whichgpu/model.h"

/* Parameters as the safetensors metadata of the published repositories says
 * (Hugging Face model pages), or the paper named in the model's source. */
static const struct {
	const char *id;
	double parameters;
} published[] = {
	{ "llama-2-7b", 6738415616 },
	{ "llama-3.1-8b", 8030261248 },
	{ "llama-3.1-70b", 70553706496 },
	{ "llama-3.1-405b", 405853388800 },
	{ "llama-3.2-1b", 1235814400 },
	{ "llama-3.2-3b", 3212749824 },
	{ "codellama-34b", 33743970304 },
	{ "tinyllama-1.1b", 1100048384 },
	{ "yi-34b", 34388917248 },
	{ "mistral-7b", 7241732096 },
	{ "mistral-nemo-12b", 12247782400 },
	{ "mistral-large-123b", 122610069504 },
	{ "mixtral-8x7b", 46702792704 },
	{ "mixtral-8x22b", 140630071296 },
	{ "qwen2.5-0.5b", 494032768 },
	{ "qwen2.5-1.5b", 1543714304 },
	{ "qwen2.5-3b", 3085938688 },
	{ "qwen2.5-7b", 7615616512 },
	{ "qwen2.5-14b", 14770033664 },
	{ "qwen2.5-32b", 32763876352 },
	{ "qwen2.5-72b", 72706203648 },
	{ "qwen3-4b", 4022468096 },
	{ "qwen3-8b", 8190735360 },
	{ "qwen3-30b-a3b", 30532122624 },
	{ "qwen3-235b-a22b", 235093634560 },
	{ "deepseek-v2-lite", 15706484224 },
	{ "deepseek-v2", 235741434880 },
	{ "deepseek-v3", 671026419200 },
	{ "gpt-oss-20b", 20914757184 },
	{ "gpt-oss-120b", 116829156672 },
	{ "gemma-2b", 2506172416 },
	{ "gemma-7b", 8537680896 },
	{ "gemma-2-2b", 2614341888 },
	{ "gemma-2-9b", 9241705984 },
	{ "gemma-2-27b", 27227128320 },
	{ "gemma-3-1b", 999885952 },
	{ "phi-2", 2779683840 },
	{ "phi-3-mini", 3821079552 },
	{ "phi-4", 14659507200 },
	{ "falcon-40b", 41303293952 },
	{ "bloom-7b1", 7069016064 },
	{ "bloom-176b", 176247271424 },
	{ "opt-125m", 125239296 },
	{ "opt-1.3b", 1315758080 },
	{ "opt-6.7b", 6658473984 },
	{ "gpt-2", 124439808 },
	{ "gpt-2-medium", 354823168 },
	{ "gpt-2-large", 774030080 },
	{ "gpt-2-xl", 1557611200 },
	{ "gpt-j-6b", 6050882784 },
	{ "gpt-neox-20b", 20554567680 },
	{ "pythia-2.8b", 2775208960 },
	{ "pythia-6.9b", 6857302016 },
	{ "olmo-2-7b", 7298617344 },
	{ "dbrx", 131596523520 },
	{ "command-r-35b", 34980831232 },
	{ "starcoder2-7b", 7173923840 },
	{ "bert-base", 109482240 },
	{ "bert-large", 335141888 },
	{ "roberta-base", 124645632 },
	{ "t5-small", 60506624 },
	{ "flan-t5-xl", 2849757184 },
	{ "bart-large", 406291456 },
	{ "whisper-small", 241734912 },
	{ "whisper-large-v3", 1543490560 },
	{ "vit-base", 86389248 },
	{ "sd-1.5", 859520964 },
	{ "sd-2.1", 865910724 },
	{ "sdxl", 2567463684 },
	{ "flux.1-dev", 11901408320 },
	{ "jamba-v0.1", 51570323328 },
	{ "kimi-linear-48b-a3b", 49122681728 },
	{ "lfm2-1.2b", 1170340608 },
	{ "qwen3-next-80b-a3b", 79674391296 },
	{ "mamba-2.8b", 2768345600 },
	{ "smollm3-3b", 3075098624 },
	{ "granite-3.1-8b", 8170848256 },
};

static struct wg_model *open_known(const char *id)
{
	struct wg_model *model = NULL;
	struct wg_error error;

	wg_error_init(&error);
	if (wg_model_open(id, NULL, &model, &error) != WG_OK)
		fail_msg("%s: %s %s", id, error.message, error.path);
	return model;
}

static void test_all_open(void **state)
{
	(void)state;
	assert_true(wg_model_catalog_count() >= 60);
	for (size_t i = 0; i < wg_model_catalog_count(); i++) {
		const char *id = wg_model_catalog_id(i);
		struct wg_model *model = open_known(id);

		assert_string_equal(model->id, id);
		assert_true(model->name[0] != '\0' && model->origin[0] != '\0');
		assert_true(model->licence[0] != '\0' && model->architecture[0] != '\0');
		assert_true(model->parameters > 0 && model->stored.bytes > 0);
		assert_true(model->active_parameters > 0 &&
		            model->active_parameters <= model->parameters);
		if (i > 0)
			assert_true(strcmp(wg_model_catalog_id(i - 1), id) < 0);
		wg_model_free(model);
	}
	assert_null(wg_model_catalog_id(wg_model_catalog_count()));
}

static void test_published_totals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
		struct wg_model *model = open_known(published[i].id);

		if (model->parameters != published[i].parameters)
			fail_msg("%s: %.0f, published %.0f", published[i].id, model->parameters,
			         published[i].parameters);
		wg_model_free(model);
	}
}

/* The published repositories' sizes of the quantised originals, in GB. */
static void test_stored_sizes(void **state)
{
	struct wg_model *model = open_known("gpt-oss-120b");

	(void)state;
	assert_int_equal(model->stored.format, WG_WEIGHTS_MXFP4);
	assert_true(model->stored.bytes > 65.2e9 && model->stored.bytes < 65.3e9);
	wg_model_free(model);
	model = open_known("gpt-oss-20b");
	assert_true(model->stored.bytes > 13.7e9 && model->stored.bytes < 13.8e9);
	wg_model_free(model);
	model = open_known("deepseek-v3");
	assert_int_equal(model->stored.format, WG_WEIGHTS_FP8);
	assert_true(model->stored.bytes > 671e9 && model->stored.bytes < 675e9);
	wg_model_free(model);
}

static void test_names(void **state)
{
	static const char *const same[][2] = {
		{ "Llama 3.1 70B", "llama-3.1-70b" },
		{ "meta-llama/Llama-3.1-70B", "llama-3.1-70b" },
		{ "r1-distill-llama-8b", "llama-3.1-8b" },
		{ "LLAMA2_7B", "llama-2-7b" },
		{ "gpt2", "gpt-2" },
		{ "mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b" },
	};
	struct wg_model *model;
	struct wg_error error;

	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		model = open_known(same[i][0]);
		assert_string_equal(model->id, same[i][1]);
		wg_model_free(model);
	}
	wg_error_init(&error);
	assert_int_equal(wg_model_open("llama-3.1-71b", NULL, &model, &error), WG_NOT_FOUND);
	assert_non_null(strstr(error.hint, "llama-3.1-70b"));
}

static void test_given_size(void **state)
{
	struct wg_model *model = open_known("params:7B");
	struct wg_error error;

	(void)state;
	assert_int_equal(model->basis, WG_BASIS_GIVEN);
	assert_true(model->parameters == 7e9 && model->active_parameters == 7e9);
	assert_true(wg_model_weight_bytes(model, WG_WEIGHTS_BF16) == 14e9);
	assert_int_equal(model->warning_count, 1);
	wg_model_free(model);
	wg_error_init(&error);
	assert_int_equal(wg_model_open("params:apples", NULL, &model, &error), WG_BAD_INPUT);
	assert_int_equal(wg_model_open("params:5", NULL, &model, &error), WG_BAD_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_open),     cmocka_unit_test(test_published_totals),
		cmocka_unit_test(test_stored_sizes), cmocka_unit_test(test_names),
		cmocka_unit_test(test_given_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
