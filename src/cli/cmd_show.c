/* show GPU: all figures of one GPU, with the document each is from. */
#include <string.h>

#include "cli/gpus.h"

struct show_arguments {
	struct wg_words gpus;
	bool sources;
};

static struct wg_cell confidence_cell(const struct wg_figure *figure)
{
	if (figure->state != WG_KNOWN)
		return (struct wg_cell){ .kind = WG_CELL_EMPTY };
	return wg_cell_text(wg_confidence_word(figure->confidence));
}

static struct wg_cell source_cell(const struct wg_figure *figure)
{
	if (figure->state == WG_NOT_KNOWN)
		return (struct wg_cell){ .kind = WG_CELL_EMPTY };
	return wg_cell_text(figure->source->id);
}

static void show_facts(struct wg_document *document, const struct wg_gpu *gpu)
{
	static const char *const classes[] = { N_("data centre"), N_("workstation"), N_("consumer"),
		                               N_("unified memory") };
	static const char *const links[] = { N_("PCIe only"), N_("NVLink bridge"), N_("NVSwitch"),
		                             N_("direct links") };
	static const char *const peers[] = { N_("not known"), N_("no"), N_("yes"),
		                             N_("depends on the driver") };
	struct wg_block *list = wg_document_list(document, "facts", NULL);

	wg_list_item(list, _("class"), wg_cell_text(_(classes[gpu->class])));
	for (size_t i = 0; i < WG_GPU_FACT_COUNT; i++) {
		if (gpu->facts[i].value != NULL)
			wg_list_item(list, _(wg_gpu_fact_label((enum wg_gpu_fact)i)),
			             wg_cell_text(gpu->facts[i].value));
	}
	wg_list_item(list, _("GPUs of a node are joined by"), wg_cell_text(_(links[gpu->link])));
	wg_list_item(list, _("peer-to-peer over PCIe"), wg_cell_text(_(peers[gpu->peer])));
}

static void show_figures(struct wg_document *document, const struct wg_gpu *gpu)
{
	const struct wg_column columns[] = {
		{ "figure", _("figure"), 0, false },
		{ "value", _("value"), 0, true },
		{ "confidence", _("confidence"), 1, false },
		{ "source", _("source"), 2, false },
		{ "note", _("note"), 3, false },
	};
	struct wg_block *table = wg_document_table(document, "figures", _("Figures"), columns, 5);

	for (size_t i = 0; i < WG_GPU_FIGURE_COUNT; i++) {
		const struct wg_figure *figure = &gpu->figures[i];
		struct wg_cell cells[5] = {
			wg_cell_text(_(wg_gpu_figure_label((enum wg_gpu_figure)i))),
			wg_cell_figure(figure, wg_gpu_figure_unit((enum wg_gpu_figure)i)),
			confidence_cell(figure),
			source_cell(figure),
			{ .kind = WG_CELL_EMPTY },
		};

		if (figure->state == WG_NOT_KNOWN)
			continue;
		if (figure->note[0] != '\0')
			cells[4] = wg_cell_text(figure->note);
		wg_table_row(table, cells);
	}
	wg_table_main(table);
}

static bool has_rates(const struct wg_gpu *gpu)
{
	for (size_t i = 0; i < WG_RATE_COUNT; i++) {
		if (gpu->dense[i].state != WG_NOT_KNOWN || gpu->sparse[i].state == WG_KNOWN)
			return true;
	}
	return false;
}

static void show_rates(struct wg_document *document, const struct wg_gpu *gpu)
{
	const struct wg_column columns[] = {
		{ "rate", _("peak rate"), 0, false },
		{ "dense_ops_per_s", _("dense"), 0, true },
		{ "sparse_ops_per_s", _("sparse 2:4"), 0, true },
		{ "confidence", _("confidence"), 1, false },
		{ "source", _("source"), 2, false },
	};
	struct wg_block *table = wg_document_table(document, "rates", _("Peak rates"), columns, 5);

	for (size_t i = 0; i < WG_RATE_COUNT; i++) {
		const struct wg_figure *dense = &gpu->dense[i], *sparse = &gpu->sparse[i];
		enum wg_unit unit = wg_gpu_rate_unit((enum wg_rate)i);
		struct wg_cell cells[5] = {
			wg_cell_text(_(wg_rate_label((enum wg_rate)i))),
			wg_cell_figure(dense, unit),
			wg_cell_figure(sparse, unit),
			confidence_cell(dense),
			source_cell(dense),
		};

		if (dense->state != WG_NOT_KNOWN || sparse->state == WG_KNOWN)
			wg_table_row(table, cells);
	}
}

static void show_document_row(struct wg_block *table, const char *label, enum wg_unit unit,
                              double value, const struct wg_source *source,
                              enum wg_confidence confidence, const char *note, bool chosen)
{
	const struct wg_cell cells[] = {
		wg_cell_text(chosen ? label : ""),
		wg_cell_number(value, unit),
		wg_cell_text(chosen ? _("chosen") : ""),
		wg_cell_text(wg_confidence_word(confidence)),
		wg_cell_text(source->id),
		wg_cell_text(note),
	};

	wg_table_row(table, cells);
}

static void show_documents_of(struct wg_block *table, const char *label, const char *basis,
                              enum wg_unit unit, const struct wg_figure *figure)
{
	struct wg_text full;

	if (figure->state != WG_KNOWN)
		return;
	wg_text_init(&full, 256);
	wg_text_printf(&full, "%s%s%s", label, basis[0] != '\0' ? " " : "", basis);
	show_document_row(table, wg_text_string(&full), unit, figure->value, figure->source,
	                  figure->confidence, figure->note, true);
	for (size_t i = 0; i < figure->other_count; i++) {
		const struct wg_other_value *other = &figure->others[i];

		show_document_row(table, "", unit, other->value, other->source, other->confidence,
		                  other->note, false);
	}
	wg_text_done(&full);
}

/* What every document says, the chosen value first. */
static void show_documents(struct wg_document *document, const struct wg_gpu *gpu)
{
	const struct wg_column columns[] = {
		{ "figure", _("figure"), 0, false }, { "value", _("value"), 0, true },
		{ "chosen", _("chosen"), 2, false }, { "confidence", _("confidence"), 1, false },
		{ "source", _("source"), 0, false }, { "note", _("note"), 3, false },
	};
	struct wg_block *table =
		wg_document_table(document, "documents", _("What the documents say"), columns, 6);

	for (size_t i = 0; i < WG_GPU_FIGURE_COUNT; i++)
		show_documents_of(table, _(wg_gpu_figure_label((enum wg_gpu_figure)i)), "",
		                  wg_gpu_figure_unit((enum wg_gpu_figure)i), &gpu->figures[i]);
	for (size_t i = 0; i < WG_RATE_COUNT; i++) {
		const char *label = _(wg_rate_label((enum wg_rate)i));
		enum wg_unit unit = wg_gpu_rate_unit((enum wg_rate)i);

		show_documents_of(table, label, _("dense"), unit, &gpu->dense[i]);
		show_documents_of(table, label, _("sparse"), unit, &gpu->sparse[i]);
	}
}

static void show_sources(struct wg_document *document, const struct wg_catalog *catalog,
                         const struct wg_gpu *gpu)
{
	const struct wg_column columns[] = {
		{ "source", _("source"), 0, false },
		{ "title", _("title"), 0, false },
		{ "reference", _("where"), 1, false },
	};
	struct wg_block *table = wg_document_table(document, "sources", _("Sources"), columns, 3);

	for (size_t i = 0; i < wg_catalog_source_count(catalog); i++) {
		const struct wg_source *source = wg_catalog_source_at(catalog, i);
		const struct wg_cell cells[] = { wg_cell_text(source->id),
			                         wg_cell_text(source->title),
			                         wg_cell_text(source->reference) };

		if (wg_gpu_uses_source(gpu, source))
			wg_table_row(table, cells);
	}
}

static void show_heading(const struct wg_cli *cli, struct wg_document *document,
                         const struct wg_gpu *gpu)
{
	struct wg_text heading;

	wg_text_init(&heading, 512);
	wg_text_printf(&heading, "%s (%s)", wg_gpu_shown_name(cli, gpu), gpu->id);
	wg_document_heading(document, wg_text_string(&heading));
	wg_text_done(&heading);
}

static enum wg_status show_run(const struct wg_cli *cli, const void *arguments,
                               struct wg_result *result, struct wg_error *error)
{
	const struct show_arguments *given = arguments;
	struct wg_document *document = result->document;
	struct wg_node *data = wg_document_data(document), *node, *assumptions;
	struct wg_catalog *catalog;
	const struct wg_gpu *gpu;
	enum wg_status status = wg_cli_catalog(cli, &catalog, error);

	if (status)
		return status;
	node = wg_node_object(data, "gpu");
	assumptions = wg_node_array(data, "assumptions");
	status = wg_cli_gpu(catalog, given->gpus.items[0], document, assumptions, &gpu, error);
	if (status == WG_OK) {
		wg_gpu_members(node, gpu, true);
		wg_gpu_sources_node(data, catalog, &gpu, 1);
		show_heading(cli, document, gpu);
		show_facts(document, gpu);
		show_figures(document, gpu);
		if (has_rates(gpu))
			show_rates(document, gpu);
		if (given->sources) {
			show_documents(document, gpu);
			show_sources(document, catalog, gpu);
		}
	}
	wg_catalog_free(catalog);
	return status;
}

static const struct wg_option options[] = {
	{ .name = "sources",
	  .kind = WG_OPTION_FLAG,
	  .help = N_("show what every document says, and which value was chosen"),
	  .offset = offsetof(struct show_arguments, sources) },
};

static const struct wg_example examples[] = {
	{ "whichgpu show h100-sxm", N_("figures of one GPU, each with its document") },
	{ "whichgpu show 4090 --sources", N_("also the values that were not chosen") },
};

const struct wg_command wg_command_show = {
	.name = "show",
	.summary = N_("all figures of one GPU, with their sources"),
	.group = WG_GROUP_LOOK_UP,
	.words = { N_("GPU"), 1, 1, offsetof(struct show_arguments, gpus) },
	.description = N_(
		"Peak rates are given for dense and for 2:4 sparse matrices, with FP32 accumulation "
		"unless the name says otherwise. Memory is what the driver shows. The best of several "
		"documents is chosen by a rule: confidence, then the vendor's own documents, then "
		"agreement."),
	.examples = examples,
	.example_count = sizeof examples / sizeof examples[0],
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.arguments_bytes = sizeof(struct show_arguments),
	.run = show_run,
};
