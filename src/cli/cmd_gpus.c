/* gpus [FILTER...]: the catalogue as a list. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/gpus.h"

enum gpus_order { ORDER_CLASS, ORDER_ID, ORDER_MEMORY, ORDER_BANDWIDTH, ORDER_RATE, ORDER_POWER };

struct gpus_arguments {
	struct wg_words words;
	const char *vendor;
	int class, order;
	double memory, power;
};

struct entry {
	const struct wg_gpu *gpu;
	enum gpus_order order;
};

/* The rate that most models are run at: BF16, FP16 where there is no BF16, else FP32. */
static const struct wg_figure *usual_rate(const struct wg_gpu *gpu)
{
	static const enum wg_rate rates[] = { WG_RATE_BF16, WG_RATE_FP16, WG_RATE_FP32 };

	for (size_t i = 0; i < 3; i++) {
		if (gpu->dense[rates[i]].state == WG_KNOWN)
			return &gpu->dense[rates[i]];
	}
	return &gpu->dense[WG_RATE_BF16];
}

static double order_value(const struct entry *entry)
{
	const struct wg_gpu *gpu = entry->gpu;

	switch (entry->order) {
	case ORDER_MEMORY:
		return wg_figure_or(&gpu->figures[WG_GPU_MEMORY], 0);
	case ORDER_BANDWIDTH:
		return wg_figure_or(&gpu->figures[WG_GPU_BANDWIDTH], 0);
	case ORDER_POWER:
		return wg_figure_or(&gpu->figures[WG_GPU_POWER], 0);
	default:
		return wg_figure_or(usual_rate(gpu), 0);
	}
}

/* Largest first; what is equal by id, so that the order is always the same. */
static int entry_compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->order == ORDER_CLASS && x->gpu->class != y->gpu->class)
		return x->gpu->class < y->gpu->class ? -1 : 1;
	if (x->order != ORDER_ID && order_value(x) != order_value(y))
		return order_value(x) > order_value(y) ? -1 : 1;
	return strcmp(x->gpu->id, y->gpu->id);
}

static bool has_word(const struct wg_gpu *gpu, const char *word)
{
	const char *const fields[] = {
		gpu->id,
		gpu->name,
		gpu->name_zh,
		gpu->facts[WG_GPU_FACT_ARCHITECTURE].value,
		gpu->facts[WG_GPU_FACT_CHIP].value,
		gpu->facts[WG_GPU_FACT_MEMORY_TYPE].value,
		gpu->facts[WG_GPU_FACT_COMPUTE_CAPABILITY].value,
	};

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		if (fields[i] != NULL && strcasestr(fields[i], word) != NULL)
			return true;
	}
	for (size_t i = 0; i < gpu->alias_count; i++) {
		if (strcasestr(gpu->aliases[i], word) != NULL)
			return true;
	}
	return false;
}

static bool is_wanted(const struct gpus_arguments *given, const struct wg_gpu *gpu)
{
	const char *vendor = gpu->facts[WG_GPU_FACT_VENDOR].value;

	for (size_t i = 0; i < given->words.count; i++) {
		if (!has_word(gpu, given->words.items[i]))
			return false;
	}
	if (given->vendor != NULL && (vendor == NULL || strcasecmp(vendor, given->vendor) != 0))
		return false;
	if (given->class > 0 && (int)gpu->class != given->class - 1)
		return false;
	if (given->memory > 0 && wg_figure_or(&gpu->figures[WG_GPU_MEMORY], 0) < given->memory)
		return false;
	if (given->power > 0 && wg_figure_or(&gpu->figures[WG_GPU_POWER], 1e9) > given->power)
		return false;
	return true;
}

static void show_list(const struct wg_cli *cli, struct wg_document *document,
                      const struct entry *entries, size_t count)
{
	const struct wg_column columns[] = {
		{ "id", _("id"), 0, false },
		{ "name", _("name"), 3, false },
		{ "memory_bytes", _("memory"), 0, true },
		{ "memory_bytes_per_s", _("bandwidth"), 0, true },
		{ "bf16_dense_ops_per_s", _("BF16 dense"), 0, true },
		{ "fp8_dense_ops_per_s", _("FP8 dense"), 1, true },
		{ "board_watts", _("power"), 1, true },
		{ "link_bytes_per_s", _("GPU link"), 2, true },
		{ "class", _("class"), 2, false },
	};
	struct wg_block *table = wg_document_table(document, "gpus", NULL, columns, 9);

	for (size_t i = 0; i < count; i++) {
		const struct wg_gpu *gpu = entries[i].gpu;
		const struct wg_cell cells[] = {
			wg_cell_text(gpu->id),
			wg_cell_text(wg_gpu_shown_name(cli, gpu)),
			wg_cell_figure(&gpu->figures[WG_GPU_MEMORY], WG_UNIT_BYTES),
			wg_cell_figure(&gpu->figures[WG_GPU_BANDWIDTH], WG_UNIT_BYTES_PER_S),
			wg_cell_figure(&gpu->dense[WG_RATE_BF16], WG_UNIT_OPS_PER_S),
			wg_cell_figure(&gpu->dense[WG_RATE_FP8], WG_UNIT_OPS_PER_S),
			wg_cell_figure(&gpu->figures[WG_GPU_POWER], WG_UNIT_WATTS),
			wg_cell_figure(&gpu->figures[WG_GPU_LINK], WG_UNIT_BYTES_PER_S),
			wg_cell_text(wg_gpu_class_key(gpu->class)),
		};

		wg_table_row(table, cells);
	}
}

static enum wg_status gpus_run(const struct wg_cli *cli, const void *arguments,
                               struct wg_result *result, struct wg_error *error)
{
	const struct gpus_arguments *given = arguments;
	struct wg_node *list = wg_node_array(wg_document_data(result->document), "gpus");
	struct wg_catalog *catalog;
	struct entry *entries;
	size_t count = 0;
	enum wg_status status = wg_cli_catalog(cli, &catalog, error);

	if (status)
		return status;
	entries = calloc(wg_catalog_count(catalog) + 1, sizeof *entries);
	if (entries == NULL) {
		wg_catalog_free(catalog);
		return wg_error_no_memory(error);
	}
	for (size_t i = 0; i < wg_catalog_count(catalog); i++) {
		const struct wg_gpu *gpu = wg_catalog_at(catalog, i);

		if (is_wanted(given, gpu))
			entries[count++] = (struct entry){ gpu, (enum gpus_order)given->order };
	}
	qsort(entries, count, sizeof *entries, entry_compare);
	for (size_t i = 0; i < count; i++)
		wg_gpu_members(wg_node_object(list, NULL), entries[i].gpu, false);
	if (count > 0) {
		show_list(cli, result->document, entries, count);
	} else {
		wg_document_paragraph(result->document, _("No GPU of the catalogue matches."));
		result->answer_is_no = true;
	}
	free(entries);
	wg_catalog_free(catalog);
	return WG_OK;
}

static const char *const classes[] = { "any",      "data-centre", "workstation",
	                               "consumer", "unified",     NULL };
static const char *const orders[] = { "class", "id", "memory", "bandwidth", "rate", "power", NULL };

static const struct wg_option options[] = {
	{ .name = "vendor",
	  .kind = WG_OPTION_TEXT,
	  .argument = N_("NAME"),
	  .help = N_("only GPUs of this vendor: NVIDIA, AMD, Intel"),
	  .offset = offsetof(struct gpus_arguments, vendor) },
	{ .name = "class",
	  .kind = WG_OPTION_CHOICE,
	  .choices = classes,
	  .otherwise = "any",
	  .help = N_("only GPUs of this class"),
	  .offset = offsetof(struct gpus_arguments, class) },
	{ .name = "memory",
	  .kind = WG_OPTION_SIZE,
	  .help = N_("only GPUs whose driver shows at least this much memory"),
	  .offset = offsetof(struct gpus_arguments, memory) },
	{ .name = "power",
	  .kind = WG_OPTION_WATTS,
	  .help = N_("only GPUs whose board takes at most this much power"),
	  .offset = offsetof(struct gpus_arguments, power) },
	{ .name = "sort",
	  .kind = WG_OPTION_CHOICE,
	  .choices = orders,
	  .otherwise = "class",
	  .help = N_("what comes first: largest, but for id; class is by rate within each class"),
	  .offset = offsetof(struct gpus_arguments, order) },
};

static const struct wg_example examples[] = {
	{ "whichgpu gpus", N_("all GPUs") },
	{ "whichgpu gpus hopper --sort memory", N_("one architecture, the largest memory first") },
	{ "whichgpu gpus --vendor AMD --memory 100GB", N_("AMD GPUs with at least 100 GB") },
};

const struct wg_command wg_command_gpus = {
	.name = "gpus",
	.summary = N_("list the GPUs of the catalogue"),
	.group = WG_GROUP_LOOK_UP,
	.words = { N_("[FILTER...]"), 0, 0, offsetof(struct gpus_arguments, words) },
	.description = N_("FILTER words are looked for in the id, the names, the architecture, the "
	                  "memory type and the compute capability; all must be found."),
	.examples = examples,
	.example_count = sizeof examples / sizeof examples[0],
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.arguments_bytes = sizeof(struct gpus_arguments),
	.run = gpus_run,
};
