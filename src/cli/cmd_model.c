/* model MODEL: what a model is, how big, and which GPU holds it. */
#include <math.h>
#include <string.h>

#include "cli/gpus.h"
#include "whichgpu/model.h"

/* What an engine needs beside the weights before the first token, as a share
 * of them: buffers and fragmentation only, no KV cache. Said on the page. */
#define HEADROOM 1.02

struct model_arguments {
	struct wg_words models;
	bool table;
};

/* --- compute --------------------------------------------------------------- */

/* Layers of the model proper, encoder and decoder together. */
static unsigned layers_of(const struct wg_model *model)
{
	unsigned layers = 0;

	for (size_t i = 0; i < model->stack_count; i++)
		if (!model->stacks[i].companion)
			layers += model->stacks[i].layer_count;
	return layers;
}

/* The first attention of the main stack; NULL when there is none. */
static const struct wg_mixer *attention_of(const struct wg_model *model)
{
	if (model->stack_count == 0)
		return NULL;
	for (size_t i = 0; i < model->stacks[0].layer_kinds; i++) {
		const struct wg_mixer *mixer = &model->stacks[0].layers[i].mixer;

		if (mixer->kind == WG_MIXER_ATTENTION || mixer->kind == WG_MIXER_MLA)
			return mixer;
	}
	return NULL;
}

static bool is_candidate(const struct wg_gpu *gpu)
{
	return gpu->class != WG_CLASS_UNIFIED && gpu->figures[WG_GPU_MEMORY].state == WG_KNOWN &&
	       wg_figure_or(&gpu->figures[WG_GPU_DEVICES], 1) <= 1;
}

static double memory_of(const struct wg_gpu *gpu)
{
	return gpu->figures[WG_GPU_MEMORY].value;
}

/* The GPU with the least memory that holds the bytes, or the largest and how
 * many of it. NULL when the catalogue is empty. */
static const struct wg_gpu *smallest_for(const struct wg_catalog *catalog, double bytes,
                                         double *ret_count)
{
	const struct wg_gpu *best = NULL, *largest = NULL;

	for (size_t i = 0; i < wg_catalog_count(catalog); i++) {
		const struct wg_gpu *gpu = wg_catalog_at(catalog, i);

		if (!is_candidate(gpu))
			continue;
		if (largest == NULL || memory_of(gpu) > memory_of(largest))
			largest = gpu;
		if (memory_of(gpu) >= bytes && (best == NULL || memory_of(gpu) < memory_of(best)))
			best = gpu;
	}
	*ret_count = best != NULL || largest == NULL ? 1 : ceil(bytes / memory_of(largest));
	return best != NULL ? best : largest;
}

static const char *basis_key(enum wg_parameter_basis basis)
{
	static const char *const keys[] = { [WG_BASIS_FORMULA] = "formula",
		                            [WG_BASIS_TENSORS] = "tensors",
		                            [WG_BASIS_INDEX] = "index",
		                            [WG_BASIS_GIVEN] = "given" };

	return keys[basis];
}

/* --- data --------------------------------------------------------------------- */

static void put_known(struct wg_node *node, const char *key, double value)
{
	if (value > 0)
		wg_node_number(node, key, value);
	else
		wg_node_null(node, key);
}

static void put_kv(struct wg_node *parent, const struct wg_model *model)
{
	const struct wg_kv *kv = &model->kv;
	struct wg_node *node = wg_node_object(parent, "kv"), *capped;

	wg_node_number(node, "fixed_bytes", kv->fixed_bytes);
	wg_node_number(node, "bytes_per_token", kv->bytes_per_token);
	capped = wg_node_array(node, "capped");
	for (size_t i = 0; i < kv->capped_count; i++) {
		struct wg_node *part = wg_node_object(capped, NULL);

		wg_node_number(part, "bytes_per_token", kv->capped[i].bytes_per_token);
		wg_node_number(part, "tokens", kv->capped[i].tokens);
	}
	wg_node_number(node, "index_bytes_per_token", kv->index_bytes_per_token);
	wg_node_number(node, "cross_bytes_per_token", kv->cross_bytes_per_token);
	wg_node_bool(node, "latent", kv->latent);
}

static void put_sizes(struct wg_node *parent, const struct wg_model *model,
                      const struct wg_catalog *catalog)
{
	struct wg_node *sizes = wg_node_array(parent, "sizes");

	for (int format = 0; format < WG_WEIGHTS_COUNT; format++) {
		double bytes = wg_model_weight_bytes(model, format), count;
		const struct wg_gpu *gpu = smallest_for(catalog, bytes * HEADROOM, &count);
		struct wg_node *node = wg_node_object(sizes, NULL);

		wg_node_string(node, "format", wg_weight_format_key(format));
		wg_node_bool(node, "stored", (enum wg_weight_format)format == model->stored.format);
		wg_node_number(node, "weight_bytes", bytes);
		wg_node_string(node, "smallest_gpu", gpu != NULL ? gpu->id : NULL);
		wg_node_number(node, "gpus", count);
	}
}

static void put_model(struct wg_node *node, const struct wg_model *model)
{
	const struct wg_mixer *attention = attention_of(model);
	struct wg_node *list, *stored;

	wg_node_string(node, "id", model->id);
	wg_node_string(node, "name", model->name);
	wg_node_string(node, "architecture", model->architecture);
	wg_node_string(node, "family", model->family[0] != '\0' ? model->family : NULL);
	wg_node_string(node, "licence", model->licence[0] != '\0' ? model->licence : NULL);
	wg_node_number(node, "parameters", model->parameters);
	wg_node_string(node, "parameters_basis", basis_key(model->basis));
	wg_node_number(node, "active_parameters", model->active_parameters);
	wg_node_number(node, "companion_parameters", model->companion_parameters);
	wg_node_number(node, "draft_parameters", model->mtp_parameters);
	put_known(node, "layers", layers_of(model));
	put_known(node, "hidden_size", model->stack_count > 0 ? model->stacks[0].hidden : 0);
	put_known(node, "heads", attention != NULL ? attention->heads : 0);
	put_known(node, "kv_heads", attention != NULL ? attention->kv_heads : 0);
	put_known(node, "head_size", attention != NULL ? attention->key_size : 0);
	put_known(node, "vocabulary", model->vocabulary);
	put_known(node, "context_tokens", model->max_context_tokens);
	wg_node_number(node, "weight_bytes", model->stored.bytes);
	stored = wg_node_object(node, "stored");
	wg_node_string(stored, "format", wg_weight_format_key(model->stored.format));
	wg_node_string(stored, "method",
	               model->stored.method[0] != '\0' ? model->stored.method : NULL);
	wg_node_bool(stored, "exact", model->stored.exact);
	put_kv(node, model);
	list = wg_node_array(node, "warnings");
	for (size_t i = 0; i < model->warning_count; i++)
		wg_node_string(list, NULL, model->warnings[i]);
}

/* --- view ----------------------------------------------------------------------- */

static void list_text(struct wg_block *list, const char *label, const char *text)
{
	if (text != NULL && text[0] != '\0')
		wg_list_item(list, label, wg_cell_text(text));
}

static void list_number(struct wg_block *list, const char *label, double value, enum wg_unit unit)
{
	if (value > 0)
		wg_list_item(list, label, wg_cell_number(value, unit));
}

static void show_shape(struct wg_block *list, const struct wg_model *model)
{
	const struct wg_mixer *attention = attention_of(model);
	struct wg_text text;

	if (layers_of(model) == 0)
		return;
	wg_text_init(&text, 512);
	wg_text_printf(&text, _("%u layers, hidden size %u"), layers_of(model),
	               model->stacks[0].hidden);
	if (attention != NULL && attention->kind == WG_MIXER_MLA)
		wg_text_printf(&text, _(", %u heads on one latent of %u"), attention->heads,
		               attention->kv_rank + attention->rope_size);
	else if (attention != NULL)
		wg_text_printf(&text, _(", %u heads, %u of them with keys and values of %u"),
		               attention->heads, attention->kv_heads, attention->key_size);
	wg_list_item(list, _("shape"), wg_cell_text(wg_text_string(&text)));
	wg_text_done(&text);
}

static void show_facts(struct wg_document *document, const struct wg_model *model)
{
	struct wg_block *list = wg_document_list(document, "facts", NULL);

	list_text(list, _("architecture"), model->architecture);
	list_number(list, _("parameters"), model->parameters, WG_UNIT_COUNT);
	if (model->active_parameters < model->parameters)
		list_number(list, _("of them used by one token"), model->active_parameters,
		            WG_UNIT_COUNT);
	if (model->basis != WG_BASIS_TENSORS)
		list_number(list, _("beside them (towers, encoders)"), model->companion_parameters,
		            WG_UNIT_COUNT);
	show_shape(list, model);
	list_number(list, _("vocabulary"), model->vocabulary, WG_UNIT_COUNT);
	list_number(list, _("longest context"), model->max_context_tokens, WG_UNIT_TOKENS);
	list_text(list, _("licence"), model->licence);
	list_text(list, _("read from"), model->origin);
}

static void show_kv(struct wg_document *document, const struct wg_model *model)
{
	const struct wg_kv *kv = &model->kv;
	double thousand = wg_model_kv_bytes(model, 1000, 2);
	struct wg_block *list;

	if (thousand <= 0)
		return;
	list = wg_document_list(document, "kv", _("KV cache of one sequence, 16 bit"));
	wg_list_item(list, _("1,000 tokens"), wg_cell_number(thousand, WG_UNIT_BYTES));
	if (model->max_context_tokens > 1000)
		wg_list_item(list, _("longest context"),
		             wg_cell_number(wg_model_kv_bytes(model, model->max_context_tokens, 2),
		                            WG_UNIT_BYTES));
	list_number(list, _("whatever the length"), kv->fixed_bytes, WG_UNIT_BYTES);
	for (size_t i = 0; i < kv->capped_count; i++)
		wg_list_item(list, _("some layers keep no more than"),
		             wg_cell_number(kv->capped[i].tokens, WG_UNIT_TOKENS));
}

/* The stored format, then what is often used in its place. */
static bool is_shown(const struct wg_model *model, enum wg_weight_format format)
{
	return format == model->stored.format || format == WG_WEIGHTS_BF16 ||
	       format == WG_WEIGHTS_FP8 || format == WG_WEIGHTS_INT4 || format == WG_WEIGHTS_NVFP4;
}

static void show_sizes(struct wg_document *document, const struct wg_model *model,
                       const struct wg_catalog *catalog)
{
	const struct wg_column columns[] = {
		{ "format", _("weights in"), 0, false },
		{ "weight_bytes", _("size"), 0, true },
		{ "gpus", _("GPUs"), 0, true },
		{ "smallest_gpu", _("smallest GPU"), 0, false },
		{ "memory_bytes", _("its memory"), 1, true },
		{ "note", _("note"), 2, false },
	};
	struct wg_block *table = wg_document_table(document, "sizes", _("Weights"), columns, 6);

	for (int format = 0; format < WG_WEIGHTS_COUNT; format++) {
		double bytes = wg_model_weight_bytes(model, format), count;
		const struct wg_gpu *gpu = smallest_for(catalog, bytes * HEADROOM, &count);
		bool stored = (enum wg_weight_format)format == model->stored.format;
		const char *note = !stored                           ? ""
		                   : model->stored.method[0] != '\0' ? model->stored.method
		                                                     : _("as stored");
		struct wg_cell cells[6] = {
			wg_cell_text(wg_weight_format_label(format)),
			wg_cell_number(bytes, WG_UNIT_BYTES),
			wg_cell_number(count, WG_UNIT_NONE),
			{ .kind = WG_CELL_NOT_KNOWN },
			{ .kind = WG_CELL_NOT_KNOWN },
			wg_cell_text(note),
		};

		if (!is_shown(model, format))
			continue;
		if (gpu != NULL) {
			cells[3] = wg_cell_text(gpu->id);
			cells[4] = wg_cell_number(memory_of(gpu), WG_UNIT_BYTES);
		}
		wg_table_row(table, cells);
	}
	wg_table_main(table);
}

static void show_model(struct wg_document *document, const struct wg_model *model,
                       const struct wg_catalog *catalog)
{
	struct wg_text heading;

	wg_text_init(&heading, 1024);
	wg_text_add(&heading, model->name);
	if (strcmp(model->name, model->id) != 0)
		wg_text_printf(&heading, " (%s)", model->id);
	wg_document_heading(document, wg_text_string(&heading));
	wg_text_done(&heading);
	show_facts(document, model);
	show_sizes(document, model, catalog);
	show_kv(document, model);
	wg_document_paragraph(document,
	                      _("Smallest means weights and 2 % beside, without KV cache: "
	                        "fit and plan count everything. Quantised sizes leave "
	                        "embeddings, head and norms at 16 bit."));
	for (size_t i = 0; i < model->warning_count; i++)
		wg_document_note(document, model->warnings[i]);
}

/* --- many models ------------------------------------------------------------------ */

static void add_row(struct wg_block *table, const struct wg_model *model)
{
	const struct wg_cell cells[8] = {
		wg_cell_text(model->id),
		wg_cell_text(model->architecture),
		wg_cell_number(model->parameters, WG_UNIT_COUNT),
		wg_cell_number(model->active_parameters, WG_UNIT_COUNT),
		wg_cell_text(wg_weight_format_label(model->stored.format)),
		wg_cell_number(model->stored.bytes, WG_UNIT_BYTES),
		wg_cell_number(wg_model_kv_bytes(model, 1000, 2), WG_UNIT_BYTES),
		model->max_context_tokens > 0
			? wg_cell_number(model->max_context_tokens, WG_UNIT_TOKENS)
			: (struct wg_cell){ .kind = WG_CELL_NOT_KNOWN },
	};

	wg_table_row(table, cells);
}

/* The models named, or all built-in ones. */
static enum wg_status run_table(const struct wg_words *names,
                                const struct wg_model_options *options, struct wg_result *result,
                                struct wg_error *error)
{
	const struct wg_column columns[] = {
		{ "id", _("model"), 0, false },
		{ "architecture", _("architecture"), 2, false },
		{ "parameters", _("parameters"), 0, true },
		{ "active_parameters", _("active"), 1, true },
		{ "format", _("stored as"), 1, false },
		{ "weight_bytes", _("weights"), 0, true },
		{ "kv_bytes_per_1000_tokens", _("KV, 1,000 tokens"), 0, true },
		{ "context_tokens", _("context"), 1, true },
	};
	size_t count = names->count > 0 ? names->count : wg_model_catalog_count();
	struct wg_block *table =
		wg_document_table(result->document, "models",
	                          names->count > 0 ? NULL : _("Built-in models"), columns, 8);
	struct wg_node *list = wg_node_array(wg_document_data(result->document), "models");

	for (size_t i = 0; i < count; i++) {
		struct wg_model *model;
		enum wg_status status =
			wg_model_open(names->count > 0 ? names->items[i] : wg_model_catalog_id(i),
		                      options, &model, error);

		if (status != WG_OK)
			return status;
		add_row(table, model);
		put_model(wg_node_object(list, NULL), model);
		wg_model_free(model);
	}
	wg_table_main(table);
	return WG_OK;
}

static enum wg_status model_run(const struct wg_cli *cli, const void *arguments,
                                struct wg_result *result, struct wg_error *error)
{
	const struct model_arguments *given = arguments;
	struct wg_model_options options = { .offline = cli->offline };
	struct wg_catalog *catalog;
	struct wg_model *model;
	enum wg_status status;

	if (given->table)
		return run_table(&given->models, &options, result, error);
	if (given->models.count != 1) {
		wg_error_set(error, WG_BAD_INPUT,
		             given->models.count == 0 ? _("no MODEL is given")
		                                      : _("more than one MODEL is given"));
		wg_error_hint(error,
		              _("whichgpu model llama-3.1-70b, or a folder, or a file; --table for "
		                "a list"));
		return WG_BAD_INPUT;
	}
	status = wg_model_open(given->models.items[0], &options, &model, error);
	if (status != WG_OK)
		return status;
	status = wg_cli_catalog(cli, &catalog, error);
	if (status == WG_OK) {
		struct wg_node *node = wg_node_object(wg_document_data(result->document), "model");

		put_model(node, model);
		put_sizes(node, model, catalog);
		show_model(result->document, model, catalog);
		wg_catalog_free(catalog);
	}
	wg_model_free(model);
	return status;
}

static const struct wg_option options[] = {
	{ .name = "table",
	  .kind = WG_OPTION_FLAG,
	  .help = N_("a line a model: those named, or all built-in ones"),
	  .offset = offsetof(struct model_arguments, table) },
};

static const struct wg_example examples[] = {
	{ "whichgpu model llama-3.1-70b", N_("a built-in model") },
	{ "whichgpu model --table", N_("all built-in models") },
};

const struct wg_command wg_command_model = {
	.name = "model",
	.summary = N_("what a model is, how big, and which GPU holds it"),
	.group = WG_GROUP_LOOK_UP,
	.words = { N_("MODEL"), 0, 0, offsetof(struct model_arguments, models) },
	.description = N_(
		"MODEL is a built-in name, a folder, a config.json, an index, a .safetensors or .gguf "
		"file, hf:ORG/NAME (the local cache first), ollama:NAME, or params:7B for a plain size. "
		"Only headers are read, never weights. Parameters are exact for the families that are "
		"known; what is not understood is said in a note."),
	.examples = examples,
	.example_count = sizeof examples / sizeof examples[0],
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.arguments_bytes = sizeof(struct model_arguments),
	.run = model_run,
};
