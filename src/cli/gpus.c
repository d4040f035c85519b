#include "cli/gpus.h"

static const enum wg_unit figure_units[] = {
#define WG_GPU_FIGURE(name, key, unit, label) WG_UNIT_##unit,
#include "whichgpu/gpu_figures.def"
#undef WG_GPU_FIGURE
};

enum wg_status wg_cli_catalog(const struct wg_cli *cli, struct wg_catalog **ret_catalog,
                              struct wg_error *error)
{
	return wg_catalog_open(cli->data_folder, ret_catalog, error);
}

enum wg_status wg_cli_gpu(const struct wg_catalog *catalog, const char *word,
                          struct wg_document *document, struct wg_node *assumptions,
                          const struct wg_gpu **ret_gpu, struct wg_error *error)
{
	struct wg_error why;
	struct wg_text sentence;
	enum wg_status status;

	wg_error_init(&why);
	status = wg_catalog_match(catalog, word, ret_gpu, &why);
	if (status == WG_OK)
		return WG_OK;
	if (status != WG_AMBIGUOUS) {
		if (error != NULL)
			*error = why;
		return status;
	}
	wg_text_init(&sentence, sizeof(why.message) + sizeof(why.hint) + 16);
	wg_text_printf(&sentence, "%s; %s", why.message, why.hint);
	wg_document_note(document, wg_text_string(&sentence));
	if (assumptions != NULL)
		wg_node_string(assumptions, NULL, wg_text_string(&sentence));
	wg_text_done(&sentence);
	return WG_OK;
}

static void put_value(struct wg_node *list, double value, const struct wg_source *source,
                      enum wg_confidence confidence, const char *note, bool chosen)
{
	struct wg_node *node = wg_node_object(list, NULL);

	wg_node_number(node, "value", value);
	wg_node_string(node, "source", source->id);
	wg_node_string(node, "confidence", wg_confidence_key(confidence));
	wg_node_string(node, "note", note);
	wg_node_bool(node, "chosen", chosen);
}

static void put_documents(struct wg_node *parent, const char *key, const struct wg_figure *figure)
{
	struct wg_node *list;

	if (figure->state != WG_KNOWN)
		return;
	list = wg_node_array(parent, key);
	put_value(list, figure->value, figure->source, figure->confidence, figure->note, true);
	for (size_t i = 0; i < figure->other_count; i++) {
		const struct wg_other_value *other = &figure->others[i];

		put_value(list, other->value, other->source, other->confidence, other->note, false);
	}
}

static void put_rates(struct wg_node *parent, const char *key, const struct wg_figure *rates)
{
	struct wg_node *node = wg_node_object(parent, key);

	for (size_t i = 0; i < WG_RATE_COUNT; i++)
		wg_node_figure(node, wg_rate_key((enum wg_rate)i), &rates[i]);
}

static void put_facts(struct wg_node *parent, const struct wg_gpu *gpu)
{
	struct wg_node *facts = wg_node_object(parent, "facts");

	for (size_t i = 0; i < WG_GPU_FACT_COUNT; i++) {
		const struct wg_fact *fact = &gpu->facts[i];
		const char *key = wg_gpu_fact_key((enum wg_gpu_fact)i);
		struct wg_node *node;

		if (fact->value == NULL) {
			wg_node_null(facts, key);
			continue;
		}
		node = wg_node_object(facts, key);
		wg_node_string(node, "value", fact->value);
		wg_node_string(node, "source", fact->source->id);
		wg_node_string(node, "confidence", wg_confidence_key(fact->confidence));
	}
}

/* Rates that are null because the hardware has no such path, not for want of
 * a document. */
static void put_absent(struct wg_node *parent, const struct wg_gpu *gpu)
{
	struct wg_node *list = wg_node_array(parent, "absent_rates");

	for (size_t i = 0; i < WG_RATE_COUNT; i++) {
		if (gpu->dense[i].state == WG_ABSENT)
			wg_node_string(list, NULL, wg_rate_key((enum wg_rate)i));
	}
}

static void put_names(struct wg_node *parent, const char *key, const char *const *names,
                      size_t count)
{
	struct wg_node *list = wg_node_array(parent, key);

	for (size_t i = 0; i < count; i++)
		wg_node_string(list, NULL, names[i]);
}

static void put_all_documents(struct wg_node *parent, const struct wg_gpu *gpu)
{
	struct wg_node *documents = wg_node_object(parent, "documents");
	struct wg_node *dense, *sparse;

	for (size_t i = 0; i < WG_GPU_FIGURE_COUNT; i++)
		put_documents(documents, wg_gpu_figure_key((enum wg_gpu_figure)i),
		              &gpu->figures[i]);
	dense = wg_node_object(documents, "dense_ops_per_s");
	for (size_t i = 0; i < WG_RATE_COUNT; i++)
		put_documents(dense, wg_rate_key((enum wg_rate)i), &gpu->dense[i]);
	sparse = wg_node_object(documents, "sparse_ops_per_s");
	for (size_t i = 0; i < WG_RATE_COUNT; i++)
		put_documents(sparse, wg_rate_key((enum wg_rate)i), &gpu->sparse[i]);
}

void wg_gpu_members(struct wg_node *node, const struct wg_gpu *gpu, bool documents)
{
	wg_node_string(node, "id", gpu->id);
	wg_node_string(node, "name", gpu->name);
	wg_node_string(node, "name_zh", gpu->name_zh);
	wg_node_string(node, "class", wg_gpu_class_key(gpu->class));
	wg_node_string(node, "link", wg_link_kind_key(gpu->link));
	wg_node_string(node, "peer_over_pcie", wg_peer_key(gpu->peer));
	put_facts(node, gpu);
	for (size_t i = 0; i < WG_GPU_FIGURE_COUNT; i++)
		wg_node_figure(node, wg_gpu_figure_key((enum wg_gpu_figure)i), &gpu->figures[i]);
	put_rates(node, "dense_ops_per_s", gpu->dense);
	put_rates(node, "sparse_ops_per_s", gpu->sparse);
	put_absent(node, gpu);
	put_names(node, "aliases", gpu->aliases, gpu->alias_count);
	put_names(node, "usual_for", gpu->usual_for, gpu->usual_for_count);
	if (documents)
		put_all_documents(node, gpu);
}

static bool figure_uses(const struct wg_figure *figure, const struct wg_source *source)
{
	if (figure->state == WG_NOT_KNOWN)
		return false;
	if (figure->source == source)
		return true;
	for (size_t i = 0; i < figure->other_count; i++) {
		if (figure->others[i].source == source)
			return true;
	}
	return false;
}

bool wg_gpu_uses_source(const struct wg_gpu *gpu, const struct wg_source *source)
{
	for (size_t i = 0; i < WG_GPU_FACT_COUNT; i++) {
		if (gpu->facts[i].value != NULL && gpu->facts[i].source == source)
			return true;
	}
	for (size_t i = 0; i < WG_GPU_FIGURE_COUNT; i++) {
		if (figure_uses(&gpu->figures[i], source))
			return true;
	}
	for (size_t i = 0; i < WG_RATE_COUNT; i++) {
		if (figure_uses(&gpu->dense[i], source) || figure_uses(&gpu->sparse[i], source))
			return true;
	}
	return false;
}

void wg_gpu_sources_node(struct wg_node *root, const struct wg_catalog *catalog,
                         const struct wg_gpu *const *gpus, size_t gpu_count)
{
	struct wg_node *list = wg_node_array(root, "sources");

	for (size_t i = 0; i < wg_catalog_source_count(catalog); i++) {
		const struct wg_source *source = wg_catalog_source_at(catalog, i);
		struct wg_node *node;
		size_t k = 0;

		while (k < gpu_count && !wg_gpu_uses_source(gpus[k], source))
			k++;
		if (k == gpu_count)
			continue;
		node = wg_node_object(list, NULL);
		wg_node_string(node, "id", source->id);
		wg_node_string(node, "title", source->title);
		wg_node_string(node, "reference", source->reference);
	}
}

enum wg_unit wg_gpu_rate_unit(enum wg_rate rate)
{
	return rate == WG_RATE_INT8 || rate == WG_RATE_INT4 ? WG_UNIT_INTEGER_OPS_PER_S
	                                                    : WG_UNIT_OPS_PER_S;
}

enum wg_unit wg_gpu_figure_unit(enum wg_gpu_figure figure)
{
	return figure_units[figure];
}

const char *wg_gpu_shown_name(const struct wg_cli *cli, const struct wg_gpu *gpu)
{
	return cli->language == WG_LANGUAGE_ZH ? gpu->name_zh : gpu->name;
}

const char *wg_confidence_word(enum wg_confidence confidence)
{
	static const char *const words[] = { N_("low"), N_("medium"), N_("high") };

	return _(words[confidence]);
}
