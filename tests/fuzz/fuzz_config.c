/* A config.json: whatever it says, the model's figures are figures. */
#include "fuzz.h"

#include <math.h>

#include "whichgpu/model.h"

static void check_figure(double value)
{
	if (!isfinite(value) || value < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wg_model *model = NULL;
	struct wg_error error;

	wg_error_init(&error);
	enum wg_status status =
		wg_model_open_config((const char *)data, size, "fuzz", &model, &error);
	check_error(status, &error);
	if (status != WG_OK)
		return 0;
	check_figure(model->parameters);
	check_figure(model->active_parameters);
	check_figure(model->embedding_parameters);
	check_figure(model->head_parameters);
	check_figure(model->mtp_parameters);
	check_figure(model->stored.bytes);
	check_figure(model->kv.bytes_per_token);
	check_figure(wg_model_kv_bytes(model, 4096, 2));
	for (int format = 0; format < WG_WEIGHTS_COUNT; format++)
		check_figure(wg_model_weight_bytes(model, (enum wg_weight_format)format));
	for (size_t i = 0; i < model->stack_count; i++)
		for (size_t j = 0; j < model->stacks[i].layer_kinds; j++)
			check_figure(model->stacks[i].layers[j].parameters);
	wg_model_free(model);
	return 0;
}
