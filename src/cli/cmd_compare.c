/* compare GPU GPU...: side by side, with ratios on one basis for all. */
#include <string.h>

#include "cli/compare.h"

struct compare_arguments {
	struct wg_words gpus, basis, rates;
};

static const enum wg_gpu_figure compared[] = {
	WG_GPU_MEMORY,
	WG_GPU_BANDWIDTH,
	WG_GPU_POWER,
	WG_GPU_LINK,
};
enum { COMPARED = sizeof compared / sizeof compared[0] };

const struct wg_figure *comparison_rate(const struct comparison *comparison, size_t gpu,
                                        enum wg_rate rate)
{
	const struct wg_gpu *one = comparison->gpus[gpu];

	return comparison->sparse ? &one->sparse[rate] : &one->dense[rate];
}

/* --- parsing --------------------------------------------------------------- */

/* One word for all GPUs, or one a GPU: then all must be the same, since a
 * sparse rate divided by a dense one says nothing about the GPUs. */
static enum wg_status read_basis(const struct compare_arguments *given,
                                 struct comparison *comparison, struct wg_error *error)
{
	bool dense = false, sparse = false;

	for (size_t i = 0; i < given->basis.count; i++) {
		const char *word = given->basis.items[i];

		if (strcmp(word, "dense") == 0) {
			dense = true;
		} else if (strcmp(word, "sparse") == 0) {
			sparse = true;
		} else {
			wg_error_set(error, WG_BAD_INPUT, _("--basis \"%s\" is not known"), word);
			wg_error_hint(error, "dense, sparse");
			return WG_BAD_INPUT;
		}
	}
	if (dense && sparse) {
		wg_error_set(
			error, WG_BAD_INPUT,
			_("a sparse rate cannot be divided by a dense one: the ratio would mean "
		          "nothing"));
		wg_error_hint(error, _("one basis for all GPUs: --basis dense, or --basis sparse"));
		return WG_BAD_INPUT;
	}
	comparison->sparse = sparse;
	return WG_OK;
}

static enum wg_status read_rates(const struct compare_arguments *given,
                                 struct comparison *comparison, struct wg_error *error)
{
	for (size_t i = 0; i < WG_RATE_COUNT; i++)
		comparison->wanted[i] = given->rates.count == 0;
	for (size_t i = 0; i < given->rates.count; i++) {
		enum wg_rate rate;

		if (!wg_rate_find(given->rates.items[i], &rate)) {
			wg_error_set(error, WG_BAD_INPUT, _("no rate is named \"%s\""),
			             given->rates.items[i]);
			wg_error_hint(error, "fp64, fp32, tf32, bf16, fp16, fp8, int8, fp4");
			return WG_BAD_INPUT;
		}
		comparison->wanted[rate] = true;
	}
	return WG_OK;
}

static enum wg_status read_gpus(const struct wg_catalog *catalog,
                                const struct compare_arguments *given, struct wg_document *document,
                                struct wg_node *assumptions, struct comparison *comparison,
                                struct wg_error *error)
{
	for (size_t i = 0; i < given->gpus.count; i++) {
		enum wg_status status = wg_cli_gpu(catalog, given->gpus.items[i], document,
		                                   assumptions, &comparison->gpus[i], error);

		if (status)
			return status;
	}
	comparison->count = given->gpus.count;
	return WG_OK;
}

/* --- data ------------------------------------------------------------------- */

/* NULL when the two cannot be divided. */
static const double *ratio_of(const struct wg_figure *figure, const struct wg_figure *to,
                              double *ret_ratio)
{
	if (figure->state != WG_KNOWN || to->state != WG_KNOWN || to->value == 0)
		return NULL;
	*ret_ratio = figure->value / to->value;
	return ret_ratio;
}

static void put_ratio(struct wg_node *list, const struct comparison *comparison, size_t gpu,
                      const char *figure, const char *basis, const double *ratio)
{
	struct wg_node *node = wg_node_object(list, NULL);

	wg_node_string(node, "figure", figure);
	wg_node_string(node, "basis", basis);
	wg_node_string(node, "gpu", comparison->gpus[gpu]->id);
	wg_node_string(node, "to", comparison->gpus[0]->id);
	if (ratio != NULL)
		wg_node_number(node, "ratio", *ratio);
	else
		wg_node_null(node, "ratio");
}

static void put_ratios(struct wg_node *data, const struct comparison *comparison)
{
	struct wg_node *list = wg_node_array(data, "ratios");
	const char *basis = comparison->sparse ? "sparse" : "dense";
	double ratio;
	char name[64];

	for (size_t gpu = 1; gpu < comparison->count; gpu++) {
		for (size_t i = 0; i < COMPARED; i++)
			put_ratio(list, comparison, gpu, wg_gpu_figure_key(compared[i]), NULL,
			          ratio_of(&comparison->gpus[gpu]->figures[compared[i]],
			                   &comparison->gpus[0]->figures[compared[i]], &ratio));
		for (size_t i = 0; i < WG_RATE_COUNT; i++) {
			if (!comparison->wanted[i])
				continue;
			snprintf(name, sizeof name, "%s_ops_per_s.%s", basis,
			         wg_rate_key((enum wg_rate)i));
			put_ratio(list, comparison, gpu, name, basis,
			          ratio_of(comparison_rate(comparison, gpu, (enum wg_rate)i),
			                   comparison_rate(comparison, 0, (enum wg_rate)i),
			                   &ratio));
		}
	}
}

static void put_data(struct wg_node *data, const struct wg_catalog *catalog,
                     const struct comparison *comparison)
{
	struct wg_node *list = wg_node_array(data, "gpus");

	wg_node_string(data, "basis", comparison->sparse ? "sparse" : "dense");
	for (size_t i = 0; i < comparison->count; i++)
		wg_gpu_members(wg_node_object(list, NULL), comparison->gpus[i], false);
	put_ratios(data, comparison);
	wg_gpu_sources_node(data, catalog, comparison->gpus, comparison->count);
}

/* --- view ------------------------------------------------------------------- */

static bool any_has(const struct comparison *comparison, enum wg_rate rate)
{
	for (size_t i = 0; i < comparison->count; i++) {
		if (comparison_rate(comparison, i, rate)->state == WG_KNOWN)
			return comparison->wanted[rate];
	}
	return false;
}

/* "FP16 dense", into buffer. */
static const char *rate_label(const struct comparison *comparison, size_t rate, char *buffer,
                              size_t bytes)
{
	snprintf(buffer, bytes, "%s %s", _(wg_rate_label((enum wg_rate)rate)),
	         comparison->sparse ? _("sparse") : _("dense"));
	return buffer;
}

static struct wg_block *open_table(struct wg_document *document, const char *id, const char *title,
                                   const struct comparison *comparison, size_t first)
{
	struct wg_column columns[COMPARE_GPUS_MOST + 1] = { { "figure", _("figure"), 0, false } };
	size_t count = 1;

	for (size_t i = first; i < comparison->count; i++)
		columns[count++] = (struct wg_column){ comparison->gpus[i]->id,
			                               comparison->gpus[i]->id, 0, true };
	return wg_document_table(document, id, title, columns, count);
}

static void show_values(struct wg_document *document, const struct comparison *comparison)
{
	struct wg_block *table = open_table(document, "values", NULL, comparison, 0);
	struct wg_cell cells[COMPARE_GPUS_MOST + 1];
	char label[80];

	for (size_t i = 0; i < COMPARED; i++) {
		cells[0] = wg_cell_text(_(wg_gpu_figure_label(compared[i])));
		for (size_t gpu = 0; gpu < comparison->count; gpu++)
			cells[gpu + 1] =
				wg_cell_figure(&comparison->gpus[gpu]->figures[compared[i]],
			                       wg_gpu_figure_unit(compared[i]));
		wg_table_row(table, cells);
	}
	for (size_t rate = 0; rate < WG_RATE_COUNT; rate++) {
		if (!any_has(comparison, (enum wg_rate)rate))
			continue;
		cells[0] = wg_cell_text(rate_label(comparison, rate, label, sizeof label));
		for (size_t gpu = 0; gpu < comparison->count; gpu++)
			cells[gpu + 1] =
				wg_cell_figure(comparison_rate(comparison, gpu, (enum wg_rate)rate),
			                       wg_gpu_rate_unit((enum wg_rate)rate));
		wg_table_row(table, cells);
	}
}

static struct wg_cell ratio_cell(const struct wg_figure *figure, const struct wg_figure *to)
{
	double ratio;

	if (ratio_of(figure, to, &ratio) != NULL) {
		struct wg_cell cell = wg_cell_number(ratio, WG_UNIT_RATIO);

		/* two decimals at every size: 3.17, 0.53 */
		cell.digits = ratio < 0.095 ? 1 : ratio < 0.995 ? 2 : 3;
		return cell;
	}
	if (figure->state == WG_ABSENT || to->state == WG_ABSENT)
		return (struct wg_cell){ .kind = WG_CELL_ABSENT };
	return (struct wg_cell){ .kind = WG_CELL_NOT_KNOWN };
}

static void show_ratios(struct wg_document *document, const struct comparison *comparison)
{
	struct wg_text title;
	struct wg_block *table;
	struct wg_cell cells[COMPARE_GPUS_MOST + 1];
	char label[80];

	wg_text_init(&title, 512);
	wg_text_printf(&title, _("Ratios to %s, all on one basis"), comparison->gpus[0]->id);
	table = open_table(document, "ratios", wg_text_string(&title), comparison, 1);
	wg_text_done(&title);
	for (size_t i = 0; i < COMPARED; i++) {
		cells[0] = wg_cell_text(_(wg_gpu_figure_label(compared[i])));
		for (size_t gpu = 1; gpu < comparison->count; gpu++)
			cells[gpu] = ratio_cell(&comparison->gpus[gpu]->figures[compared[i]],
			                        &comparison->gpus[0]->figures[compared[i]]);
		wg_table_row(table, cells);
	}
	for (size_t rate = 0; rate < WG_RATE_COUNT; rate++) {
		if (!any_has(comparison, (enum wg_rate)rate))
			continue;
		cells[0] = wg_cell_text(rate_label(comparison, rate, label, sizeof label));
		for (size_t gpu = 1; gpu < comparison->count; gpu++)
			cells[gpu] =
				ratio_cell(comparison_rate(comparison, gpu, (enum wg_rate)rate),
			                   comparison_rate(comparison, 0, (enum wg_rate)rate));
		wg_table_row(table, cells);
	}
}

/* --- the command -------------------------------------------------------------- */

static enum wg_status compare_run(const struct wg_cli *cli, const void *arguments,
                                  struct wg_result *result, struct wg_error *error)
{
	const struct compare_arguments *given = arguments;
	struct wg_node *data = wg_document_data(result->document);
	struct wg_node *assumptions = wg_node_array(data, "assumptions");
	struct comparison comparison = { .count = 0 };
	struct wg_catalog *catalog;
	enum wg_status status = read_basis(given, &comparison, error);

	if (!status)
		status = read_rates(given, &comparison, error);
	if (!status)
		status = wg_cli_catalog(cli, &catalog, error);
	if (status)
		return status;
	status = read_gpus(catalog, given, result->document, assumptions, &comparison, error);
	if (!status) {
		put_data(data, catalog, &comparison);
		show_values(result->document, &comparison);
		show_ratios(result->document, &comparison);
	}
	if (!status && cli->wants_picture)
		status = comparison_draw(&comparison, &result->svg, error);
	wg_catalog_free(catalog);
	return status;
}

static const struct wg_option options[] = {
	{ .name = "basis",
	  .kind = WG_OPTION_LIST,
	  .argument = "dense|sparse",
	  .help = N_("rates of dense or of 2:4 sparse matrices, the same for all GPUs"),
	  .otherwise_words = N_("dense"),
	  .offset = offsetof(struct compare_arguments, basis) },
	{ .name = "rates",
	  .kind = WG_OPTION_LIST,
	  .argument = N_("RATE,..."),
	  .help = N_("only these rates: fp64, fp32, tf32, bf16, fp16, fp8, int8, fp4 and others"),
	  .otherwise_words = N_("all"),
	  .offset = offsetof(struct compare_arguments, rates) },
};

static const struct wg_example examples[] = {
	{ "whichgpu compare a100-sxm-80gb h100-sxm rtx-4090", N_("three GPUs on one basis") },
	{ "whichgpu compare h100-sxm mi300x --rates bf16,fp8 --svg bars.svg",
	  N_("two rates, and a picture") },
};

const struct wg_command wg_command_compare = {
	.name = "compare",
	.summary = N_("GPUs side by side, with ratios on one basis"),
	.group = WG_GROUP_LOOK_UP,
	.words = { N_("GPU GPU..."), 2, COMPARE_GPUS_MOST,
	           offsetof(struct compare_arguments, gpus) },
	.description = N_(
		"The ratios are those of each GPU to the first one. Dense and sparse rates are never "
		"divided by each other, nor are rates of two precisions or of two kinds of "
		"accumulation."),
	.examples = examples,
	.example_count = sizeof examples / sizeof examples[0],
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.arguments_bytes = sizeof(struct compare_arguments),
	.draws = true,
	.run = compare_run,
};
