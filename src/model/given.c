/* params:7B: a plain size. Nothing is known of the layers, so a usual shape of
 * that size is taken, and said. */
#include <math.h>

#include "base/i18n.h"
#include "model/root.h"
#include "whichgpu/number.h"

#define GIVEN_VOCABULARY 32000.0
/* Hidden size over layers, and FFN width over hidden size, as in Llama 2. */
#define GIVEN_ASPECT 128.0
#define GIVEN_FFN 2.6875

static double layers_for(double hidden)
{
	return fmax(1, round(hidden / GIVEN_ASPECT));
}

/* Parameters of a Llama-like model with as many layers as usual for its width. */
static double parameters_for(double hidden)
{
	return layers_for(hidden) * hidden * (hidden * (4 + 3 * GIVEN_FFN) + 2) +
	       2 * GIVEN_VOCABULARY * hidden;
}

static double hidden_for(double parameters)
{
	double low = 128, high = 1 << 17;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (parameters_for(middle) < parameters)
			low = middle;
		else
			high = middle;
	}
	return fmax(128, 128 * round(low / 128));
}

enum wg_status wg_model_build_given(struct wg_arena *arena, const char *size,
                                    struct wg_model **ret_model, struct wg_error *error)
{
	struct wg_evidence evidence = { .config_name = "params", .origin = "the size given" };
	struct wg_model *model;
	enum wg_status status;
	double parameters, hidden, layers, width, kv_heads;

	status = wg_count_read(size, "params:", &parameters, error);
	if (status == WG_OK && !(parameters >= 1e5 && parameters <= 1e14))
		status = wg_error_set(error, WG_BAD_INPUT,
		                      _("\"params:%.40s\" is outside 100k to 100000B parameters"),
		                      size);
	if (status != WG_OK) {
		wg_arena_free(arena);
		return status;
	}
	hidden = hidden_for(parameters);
	layers = layers_for(hidden);
	width = round((parameters - 2 * GIVEN_VOCABULARY * hidden) / layers / hidden / 3 -
	              4 * hidden / 3);
	/* As in Llama 2: heads are grouped by the larger sizes only. */
	kv_heads = hidden / 128 > 40 ? 8 : hidden / 128;
	evidence.id = wg_arena_printf(arena, "params-%s", size);
	evidence.config = wg_arena_printf(
		arena,
		"{\"family\": \"llama\", \"hidden\": %.0f, \"layers\": %.0f, \"heads\": %.0f, "
		"\"kv_heads\": %.0f, \"head_size\": 128, \"ffn_width\": %.0f, \"vocabulary\": %.0f, "
		"\"stored\": \"bf16\"}",
		hidden, layers, hidden / 128, kv_heads, fmax(128, width), GIVEN_VOCABULARY);
	if (evidence.id == NULL || evidence.config == NULL) {
		wg_arena_free(arena);
		return wg_error_no_memory(error);
	}
	evidence.config_length = strlen(evidence.config);
	evidence.given_parameters = parameters;
	status = wg_model_build(arena, &evidence, &model, error);
	if (status == WG_OK)
		*ret_model = model;
	return status;
}
