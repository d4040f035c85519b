/* From evidence to a model: finds the family, lets it build, then settles what
 * the total is, by formula, index or tensor table, and what is stored. */
#include <math.h>
#include <string.h>

#include "base/embed.h"
#include "base/i18n.h"
#include "model/decoder.h"
#include "model/root.h"

static const char *text_copy(struct wg_builder *builder, const char *text)
{
	const char *copy = wg_arena_strdup(builder->arena, text != NULL ? text : "");

	if (copy == NULL)
		wg_builder_no_memory(builder);
	return copy;
}

/* The name at place.key, or the first element when it is a list. */
static const char *name_at(const struct wg_json_at *place, const char *key)
{
	struct wg_json_at at = wg_json_member(place, key);
	const char *name = NULL;

	if (wg_json_type(&at) == WG_JSON_ARRAY)
		at = wg_json_element(&at, 0);
	return wg_json_as_string(&at, &name) ? name : NULL;
}

/* The nested language part is asked before the whole, the own form's key before
 * all. Sets what the config calls itself. */
static const struct wg_family *find_family(struct wg_builder *builder)
{
	static const char *const keys[] = { "family", "architectures", "architecture", "model_type",
		                            "_class_name" };
	const struct wg_config *config = &builder->config;
	const struct wg_family *family = NULL;
	const char *called = NULL;

	for (size_t k = 0; k < sizeof keys / sizeof *keys && called == NULL; k++)
		if (k > 0)
			called = name_at(&config->root, keys[k]);
	builder->model->architecture = text_copy(builder, called);
	for (size_t p = 0; p < config->place_count && family == NULL; p++)
		for (size_t k = 0; k < sizeof keys / sizeof *keys && family == NULL; k++)
			family = wg_family_find(name_at(&config->places[p], keys[k]));
	return family;
}

static void build_family(struct wg_builder *builder)
{
	struct wg_decoder decoder;

	if (builder->family->build != NULL) {
		builder->family->build(builder);
		return;
	}
	/* LLaVA's own form names its tower and describes it elsewhere. */
	if (wg_config_string_key(&builder->config, "mm_vision_tower") != NULL) {
		builder->incomplete = true;
		wg_builder_warn(builder,
		                _("the vision tower \"%.60s\" is only named in the config: "
		                  "its layers are not known"),
		                wg_config_string_key(&builder->config, "mm_vision_tower"));
	}
	wg_decoder_read(builder, &decoder);
	if (builder->family->adjust != NULL)
		builder->family->adjust(builder, &decoder);
	if (wg_builder_ok(builder))
		wg_decoder_build(builder, &decoder);
}

/* --- what the total is ------------------------------------------------------ */

/* Buffers and a stored tied head make an index larger than the model; anything
 * beyond says that the config does not tell all. */
#define EXPLAINED 0.02

static void settle_index(struct wg_builder *builder, const struct wg_evidence *evidence,
                         struct wg_storage *storage)
{
	struct wg_model *model = builder->model;
	double bytes = evidence->index_bytes;
	bool apart = evidence->part_count > 0;
	double whole = model->parameters + (apart ? 0 : model->companion_parameters);
	double per_element = storage->bits[WG_PART_VECTORS] / 8, elements;

	if (bytes <= 0)
		return;
	model->stored.bytes = bytes + (apart ? wg_storage_bytes(storage, &builder->beside) : 0);
	model->stored.exact = !apart;
	if (storage->method[0] != '\0')
		return;
	/* The type in the config is what it was trained in; the files may differ. */
	if (whole > 0 && fabs(bytes / 4 - whole) < fabs(bytes / 2 - whole)) {
		per_element = 4;
		if (storage->format != WG_WEIGHTS_FP32 && storage->stated)
			wg_builder_warn(builder,
			                _("the files hold 4 bytes a parameter: stored as FP32, "
			                  "whatever the config says"));
		model->stored.format = WG_WEIGHTS_FP32;
	} else if (whole > 0 && per_element == 4) {
		per_element = 2;
		model->stored.format = WG_WEIGHTS_BF16;
	}
	elements =
		evidence->index_parameters > 0 ? evidence->index_parameters : bytes / per_element;
	if (elements == whole) {
		model->basis = WG_BASIS_INDEX;
		model->parameters = whole;
	} else if (builder->incomplete || builder->towers_near || whole == 0) {
		model->basis = WG_BASIS_INDEX;
		model->parameters = floor(elements);
	} else if (fabs(elements - whole) > EXPLAINED * whole) {
		wg_builder_warn(builder, _("the index says %.0f parameters, the config %.0f"),
		                elements, whole);
	}
}

/* A GGUF's mixture of block types: the nearest format by bits a weight. */
static void settle_file_type(struct wg_builder *builder, const struct wg_evidence *evidence)
{
	static const struct {
		double bits;
		enum wg_weight_format format;
	} steps[] = {
		{ 6, WG_WEIGHTS_INT4 },
		{ 12, WG_WEIGHTS_INT8_ONLY },
		{ 24, WG_WEIGHTS_FP16 },
		{ 1e9, WG_WEIGHTS_FP32 },
	};
	double bits = evidence->table->bytes * 8 / evidence->table->elements;
	size_t step = 0;

	while (bits > steps[step].bits)
		step++;
	builder->model->stored.format = steps[step].format;
	builder->model->stored.method = text_copy(builder, evidence->file_type);
}

/* The tensors have the last word on bytes; on parameters where the config does
 * not tell all, else they are compared. */
static void settle_table(struct wg_builder *builder, const struct wg_evidence *evidence,
                         const struct wg_storage *storage)
{
	struct wg_model *model = builder->model;
	double whole = model->parameters + model->companion_parameters;
	struct wg_unpacked unpacked;

	model->stored.bytes = evidence->table->bytes;
	model->stored.exact = true;
	if (evidence->file_type != NULL)
		settle_file_type(builder, evidence);
	if (wg_unpack(evidence->table, &storage->packing, &unpacked, NULL) != WG_OK) {
		wg_builder_no_memory(builder);
	} else if (builder->incomplete || whole == 0) {
		model->basis = WG_BASIS_TENSORS;
		model->parameters = unpacked.parameters;
	} else if (unpacked.parameters == whole) {
		model->basis = WG_BASIS_TENSORS;
		model->parameters = whole;
	} else if (fabs(unpacked.parameters - whole) > EXPLAINED * whole) {
		wg_builder_warn(builder,
		                _("the tensors hold %.0f parameters, the config says %.0f"),
		                unpacked.parameters, whole);
	}
}

/* The shape is a stand-in; the total is what was said. */
static void settle_given(struct wg_builder *builder, const struct wg_evidence *evidence)
{
	struct wg_model *model = builder->model;

	wg_builder_warn(builder,
	                _("only a size was given: a shape as Llama 2 would have is assumed, %u "
	                  "layers of hidden size %u with %u key-value heads"),
	                model->stacks[0].layer_count, model->stacks[0].hidden,
	                model->stacks[0].layers[0].mixer.kv_heads);
	builder->main.elements[WG_PART_FFN] += evidence->given_parameters - model->parameters;
	model->stored.bytes = evidence->given_parameters * 2;
	model->basis = WG_BASIS_GIVEN;
	model->parameters = evidence->given_parameters;
}

static void settle(struct wg_builder *builder, const struct wg_evidence *evidence)
{
	struct wg_model *model = builder->model;
	double inactive = model->parameters - model->active_parameters;
	struct wg_storage storage;

	wg_storage_read(builder, evidence->quant_config, &storage);
	model->stored.format = storage.format;
	model->stored.method = storage.method;
	model->stored.bytes = wg_storage_bytes(&storage, &builder->main) +
	                      wg_storage_bytes(&storage, &builder->beside);
	if (evidence->given_parameters > 0)
		settle_given(builder, evidence);
	else if (evidence->table != NULL && evidence->table->count > 0)
		settle_table(builder, evidence, &storage);
	else
		settle_index(builder, evidence, &storage);
	model->active_parameters = model->parameters - inactive;
	if (!storage.stated && !model->stored.exact)
		wg_builder_warn(builder,
		                _("the config does not say the type of the weights: %s assumed"),
		                wg_weight_format_label(model->stored.format));
}

/* Unknown architecture: sized from the tensors or the index, and said. */
static void build_unknown(struct wg_builder *builder, const struct wg_evidence *evidence)
{
	const char *name = builder->model->architecture;

	builder->family = NULL;
	builder->model->family = "";
	builder->incomplete = true;
	if (evidence->index_bytes <= 0 && evidence->index_parameters <= 0 &&
	    (evidence->table == NULL || evidence->table->count == 0)) {
		wg_config_fail(&builder->config, NULL, WG_NOT_SUPPORTED,
		               name[0] != '\0' ? "architecture \"%.60s\" is not known"
		                               : "the config does not name an architecture%s",
		               name);
		wg_error_hint(builder->config.error,
		              _("with the weights or their index beside it, it can "
		                "be sized; known families are in docs/families.md"));
		return;
	}
	wg_builder_warn(
		builder,
		"architecture \"%.60s\" is not known: sized from the %s; layers and "
		"KV cache are not known",
		name, evidence->table != NULL && evidence->table->count > 0 ? "tensors" : "index");
}

static void describe(struct wg_builder *builder, const struct wg_evidence *evidence)
{
	struct wg_model *model = builder->model;
	const char *name = evidence->name, *licence = evidence->licence;

	if (name == NULL)
		name = name_at(&builder->config.root, "name");
	if (licence == NULL)
		licence = name_at(&builder->config.root, "licence");
	model->id = text_copy(builder, evidence->id);
	model->name = text_copy(builder, name != NULL ? name : evidence->id);
	model->licence = text_copy(builder, licence);
	model->origin = text_copy(builder, evidence->origin != NULL
	                                           ? evidence->origin
	                                           : name_at(&builder->config.root, "source"));
}

/* The values that the config's class has for absent keys. NULL: not known. */
static struct wg_json *open_defaults(struct wg_builder *builder)
{
	const struct wg_embedded *file = wg_embedded_find("tables", "model_classes");
	const char *type = NULL;
	struct wg_json *json;

	/* Only model_type names a class; the language part's own comes first. */
	for (size_t p = 0; p < builder->config.place_count && type == NULL; p++)
		type = name_at(&builder->config.places[p], "model_type");
	if (type == NULL || strcmp(type, "source") == 0 || file == NULL ||
	    wg_json_open(file->bytes, file->length, file->path, WG_JSON_STRICT, &json, NULL) !=
	            WG_OK)
		return NULL;
	struct wg_json_at root = wg_json_root(json);
	struct wg_json_at class = wg_json_member(&root, type);
	/* the root place dies with this function: the class needs no parent */
	class.parent = NULL;
	wg_config_set_defaults(&builder->config, &class);
	return json;
}

static void build_known(struct wg_builder *builder)
{
	struct wg_json *defaults = open_defaults(builder);

	builder->model->family = builder->family->key;
	build_family(builder);
	if (wg_builder_ok(builder) && builder->family->build == NULL)
		wg_build_towers(builder);
	builder->model->max_context_tokens =
		wg_config_get(&builder->config, WG_FIELD_CONTEXT, 0, 1u << 31, 0);
	builder->config.defaults = (struct wg_json_at){ 0 };
	wg_json_free(defaults);
	if (wg_builder_ok(builder) && builder->config.defaults_used[0] != '\0')
		wg_builder_warn(builder,
		                _("absent in the config, the default of its class taken: %s"),
		                builder->config.defaults_used);
}

static void build(struct wg_builder *builder, const struct wg_evidence *evidence)
{
	describe(builder, evidence);
	builder->family = find_family(builder);
	if (builder->family != NULL)
		build_known(builder);
	else
		build_unknown(builder, evidence);
	if (wg_builder_ok(builder))
		wg_build_pipeline(builder, evidence);
	wg_builder_finish(builder);
	if (wg_builder_ok(builder))
		settle(builder, evidence);
}

static bool keep_warnings(struct wg_builder *builder)
{
	const char **list =
		wg_arena_array(builder->arena, builder->warning_count + 1, sizeof *list);

	if (list == NULL) {
		wg_builder_no_memory(builder);
		return false;
	}
	memcpy(list, builder->warnings, builder->warning_count * sizeof *list);
	builder->model->warnings = list;
	builder->model->warning_count = builder->warning_count;
	return true;
}

enum wg_status wg_model_build(struct wg_arena *arena, const struct wg_evidence *evidence,
                              struct wg_model **ret_model, struct wg_error *error)
{
	struct wg_builder *builder = wg_arena_alloc(arena, sizeof *builder);
	struct wg_model_root *root = wg_arena_alloc(arena, sizeof *root);
	struct wg_json *json = NULL;
	enum wg_status status;

	if (builder == NULL || root == NULL) {
		wg_arena_free(arena);
		return wg_error_no_memory(error);
	}
	status = wg_json_open(evidence->config, evidence->config_length, evidence->config_name,
	                      WG_JSON_ALLOW_NONFINITE, &json, error);
	if (status != WG_OK) {
		wg_arena_free(arena);
		return status;
	}
	builder->arena = arena;
	builder->model = &root->model;
	builder->weights = &builder->main;
	wg_config_init(&builder->config, json, error);
	build(builder, evidence);
	if (wg_builder_ok(builder) && keep_warnings(builder)) {
		root->arena = arena;
		root->main = builder->main;
		root->beside = builder->beside;
		*ret_model = &root->model;
	}
	status = builder->config.status;
	wg_json_free(json);
	if (status != WG_OK)
		wg_arena_free(arena);
	return status;
}
