/* Reads data/efficiency/{gpus,engines,links}.json. The text is what people
 * review; tools/efficiency-compile runs this at build and writes tables. */
#include "estimate/efficiency_read.h"

#include <string.h>

#include "whichgpu/json.h"

#define ROWS_MOST 256

static const char *const class_keys[] = {
	[WG_CLASS_DATA_CENTRE] = "data-centre",
	[WG_CLASS_WORKSTATION] = "workstation",
	[WG_CLASS_CONSUMER] = "consumer",
	[WG_CLASS_UNIFIED] = "unified",
};

static const char *const engine_keys[] = {
#define WG_ENGINE_COEFFICIENT(name, key, otherwise) key,
#include "estimate/engine_coefficients.def"
#undef WG_ENGINE_COEFFICIENT
};

static const double engine_otherwise[] = {
#define WG_ENGINE_COEFFICIENT(name, key, otherwise) otherwise,
#include "estimate/engine_coefficients.def"
#undef WG_ENGINE_COEFFICIENT
};

static const char *const gpu_keys[] = {
#define WG_GPU_COEFFICIENT(name, key, otherwise) key,
#include "estimate/gpu_coefficients.def"
#undef WG_GPU_COEFFICIENT
};

static const double gpu_otherwise[] = {
#define WG_GPU_COEFFICIENT(name, key, otherwise) otherwise,
#include "estimate/gpu_coefficients.def"
#undef WG_GPU_COEFFICIENT
};

/* State of one file's reading. */
struct reader {
	struct wg_arena *arena;
	struct wg_error *error;
	struct wg_json_at sources; /* of this file */
};

static enum wg_status copy_string(struct reader *reader, const struct wg_json_at *at,
                                  const char *key, const char **ret_value)
{
	const char *value = NULL;
	enum wg_status status = wg_json_get_string(at, key, &value, reader->error);

	if (status != WG_OK || value == NULL)
		return status;
	*ret_value = wg_arena_strdup(reader->arena, value);
	return *ret_value == NULL ? wg_error_no_memory(reader->error) : WG_OK;
}

static enum wg_status read_match(struct reader *reader, const struct wg_json_at *row,
                                 struct gpu_match *ret_match)
{
	struct wg_json_at at = wg_json_member(row, "match");
	const char *class = NULL;
	enum wg_status status;

	*ret_match = (struct gpu_match){ .class = -1 };
	if ((status = copy_string(reader, &at, "id", &ret_match->id)) != WG_OK ||
	    (status = copy_string(reader, &at, "vendor", &ret_match->vendor)) != WG_OK ||
	    (status = copy_string(reader, &at, "architecture", &ret_match->architecture)) !=
	            WG_OK ||
	    (status = wg_json_get_string(&at, "class", &class, reader->error)) != WG_OK)
		return status;
	if (class == NULL)
		return WG_OK;
	for (int i = 0; i <= WG_CLASS_UNIFIED; i++)
		if (strcmp(class, class_keys[i]) == 0)
			ret_match->class = i;
	if (ret_match->class < 0)
		return wg_json_fail(&at, reader->error, WG_BAD_INPUT, "unknown class \"%s\"",
		                    class);
	return WG_OK;
}

static enum wg_status check_source(struct reader *reader, const struct wg_json_at *at,
                                   const char *source)
{
	struct wg_json_at found = wg_json_member(&reader->sources, source);

	if (wg_json_type(&found) == WG_JSON_STRING)
		return WG_OK;
	return wg_json_fail(at, reader->error, WG_BAD_INPUT, "source \"%s\" is not listed", source);
}

/* {"value": .., "spread": .., "source": ".."}; a figure without a source is refused. */
static enum wg_status read_coefficient(struct reader *reader, const struct wg_json_at *row,
                                       const char *key, bool *ret_given,
                                       struct coefficient *ret_value)
{
	struct wg_json_at at = wg_json_member(row, key);
	struct coefficient value = { 0 };
	const char *source;
	enum wg_status status;

	*ret_given = wg_json_type(&at) != WG_JSON_ABSENT;
	if (!*ret_given)
		return WG_OK;
	if ((status = wg_json_need_number(&at, "value", 0, 1e13, &value.value, reader->error)) !=
	            WG_OK ||
	    (status = wg_json_get_number(&at, "spread", 0, 5, &value.spread, reader->error)) !=
	            WG_OK ||
	    (status = wg_json_need_string(&at, "source", &source, reader->error)) != WG_OK)
		return status;
	*ret_value = value;
	return check_source(reader, &at, source);
}

/* Members that are no coefficient are mistakes: a misspelt key would silently
 * leave the default in place. */
static enum wg_status check_keys(struct reader *reader, const struct wg_json_at *row,
                                 const char *const *keys, size_t count)
{
	for (size_t i = 0; i < wg_json_count(row); i++) {
		const char *key;
		struct wg_json_at at = wg_json_member_at(row, i, &key);
		bool known = false;

		for (size_t k = 0; k < count && !known; k++)
			known = strcmp(key, keys[k]) == 0;
		if (!known)
			return wg_json_fail(&at, reader->error, WG_BAD_INPUT,
			                    "unknown coefficient \"%s\"", key);
	}
	return WG_OK;
}

static enum wg_status read_coefficients(struct reader *reader, const struct wg_json_at *row,
                                        const char *const *keys, size_t count, bool *given,
                                        struct coefficient *coefficients)
{
	struct wg_json_at at = wg_json_member(row, "coefficients");
	enum wg_status status = check_keys(reader, &at, keys, count);

	for (size_t i = 0; i < count && status == WG_OK; i++)
		status = read_coefficient(reader, &at, keys[i], &given[i], &coefficients[i]);
	return status;
}

/* What a GPU reaches of its own figures is no more than all of it. */
static enum wg_status check_fractions(struct reader *reader, const struct wg_json_at *row,
                                      const struct gpu_row *gpu)
{
	for (int i = 0; i < GPU_COEFFICIENT_COUNT; i++)
		if (!(gpu->coefficients[i].value > 0 && gpu->coefficients[i].value <= 1))
			return wg_json_fail(row, reader->error, WG_BAD_INPUT,
			                    "\"%s\" is not between 0 and 1", gpu_keys[i]);
	return WG_OK;
}

static enum wg_status read_gpu(struct reader *reader, const struct wg_json_at *row, void *ret_row)
{
	struct gpu_row *gpu = ret_row;
	bool given[GPU_COEFFICIENT_COUNT];
	enum wg_status status = read_match(reader, row, &gpu->match);

	for (int i = 0; i < GPU_COEFFICIENT_COUNT; i++)
		gpu->coefficients[i] = (struct coefficient){ gpu_otherwise[i], 0.2 };
	if (status == WG_OK)
		status = wg_json_get_number(row, "tier_spread", 0, 5, &gpu->tier_spread,
		                            reader->error);
	if (status == WG_OK)
		status = read_coefficients(reader, row, gpu_keys, GPU_COEFFICIENT_COUNT, given,
		                           gpu->coefficients);
	return status == WG_OK ? check_fractions(reader, row, gpu) : status;
}

static enum wg_status read_variant(struct reader *reader, const struct wg_json_at *row,
                                   void *ret_row)
{
	struct engine_variant *variant = ret_row;
	enum wg_status status = read_match(reader, row, &variant->match);

	if (status == WG_OK)
		status = read_coefficients(reader, row, engine_keys, ENGINE_COEFFICIENT_COUNT,
		                           variant->given, variant->coefficients);
	return status;
}

static enum wg_status read_tasks(struct reader *reader, const struct wg_json_at *row,
                                 unsigned *ret_tasks)
{
	struct wg_json_at at = wg_json_member(row, "tasks");

	*ret_tasks = 0;
	for (size_t i = 0; i < wg_json_count(&at); i++) {
		struct wg_json_at element = wg_json_element(&at, i);
		const char *key = "";
		enum wg_task task;

		if (!wg_json_as_string(&element, &key) || !wg_task_find(key, &task))
			return wg_json_fail(&element, reader->error, WG_BAD_INPUT,
			                    "unknown task \"%s\"", key);
		*ret_tasks |= 1u << task;
	}
	return WG_OK;
}

static enum wg_status read_usual(struct reader *reader, const struct wg_json_at *row, void *ret_row)
{
	struct engine_usual *usual = ret_row;
	enum wg_status status = read_match(reader, row, &usual->match);

	return status == WG_OK ? read_tasks(reader, row, &usual->tasks) : status;
}

typedef enum wg_status (*row_reader)(struct reader *, const struct wg_json_at *, void *);

/* An array member of `at` into an array of rows of row_bytes each. */
static enum wg_status read_rows(struct reader *reader, const struct wg_json_at *at, const char *key,
                                size_t row_bytes, row_reader read, void *ret_rows,
                                size_t *ret_count)
{
	struct wg_json_at array = wg_json_member(at, key);
	size_t count = wg_json_count(&array);
	char *rows;

	if (count > ROWS_MOST)
		return wg_json_fail(&array, reader->error, WG_LIMIT, "more than %d rows",
		                    ROWS_MOST);
	rows = wg_arena_array(reader->arena, count + 1, row_bytes);
	if (rows == NULL)
		return wg_error_no_memory(reader->error);
	for (size_t i = 0; i < count; i++) {
		struct wg_json_at row = wg_json_element(&array, i);
		enum wg_status status = read(reader, &row, rows + i * row_bytes);

		if (status != WG_OK)
			return status;
	}
	memcpy(ret_rows, &rows, sizeof(rows));
	*ret_count = count;
	return WG_OK;
}

static enum wg_status read_vendor(struct reader *reader, const struct wg_json_at *at, void *ret_row)
{
	const char *value;
	char *copy;

	if (!wg_json_as_string(at, &value))
		return wg_json_fail(at, reader->error, WG_BAD_INPUT, "not a string");
	copy = wg_arena_strdup(reader->arena, value);
	if (copy == NULL)
		return wg_error_no_memory(reader->error);
	memcpy(ret_row, &copy, sizeof(copy));
	return WG_OK;
}

static enum wg_status read_formats(struct reader *reader, const struct wg_json_at *row,
                                   unsigned *ret_formats)
{
	struct wg_json_at at = wg_json_member(row, "formats");

	*ret_formats = 0;
	for (size_t i = 0; i < wg_json_count(&at); i++) {
		struct wg_json_at element = wg_json_element(&at, i);
		const char *key = "";
		enum wg_weight_format format;

		if (!wg_json_as_string(&element, &key) || !wg_weight_format_find(key, &format))
			return wg_json_fail(&element, reader->error, WG_BAD_INPUT,
			                    "unknown format \"%s\"", key);
		*ret_formats |= 1u << format;
	}
	return WG_OK;
}

static enum wg_status read_engine(struct reader *reader, const struct wg_json_at *row,
                                  void *ret_row)
{
	struct engine_row *engine = ret_row;
	bool given[ENGINE_COEFFICIENT_COUNT];
	enum wg_status status;

	for (int i = 0; i < ENGINE_COEFFICIENT_COUNT; i++)
		engine->coefficients[i] = (struct coefficient){ engine_otherwise[i], 0.0 };
	engine->tensor_parallel = engine->pipeline_parallel = true;
	if ((status = copy_string(reader, row, "key", &engine->key)) != WG_OK ||
	    (status = copy_string(reader, row, "label", &engine->label)) != WG_OK ||
	    (status = read_tasks(reader, row, &engine->tasks)) != WG_OK ||
	    (status = read_formats(reader, row, &engine->formats)) != WG_OK ||
	    (status = wg_json_get_bool(row, "tensor_parallel", &engine->tensor_parallel,
	                               reader->error)) != WG_OK ||
	    (status = wg_json_get_bool(row, "pipeline_parallel", &engine->pipeline_parallel,
	                               reader->error)) != WG_OK ||
	    (status = read_rows(reader, row, "vendors", sizeof(char *), read_vendor,
	                        &engine->vendors, &engine->vendor_count)) != WG_OK ||
	    (status = read_rows(reader, row, "usual", sizeof(struct engine_usual), read_usual,
	                        &engine->usual, &engine->usual_count)) != WG_OK ||
	    (status = read_rows(reader, row, "variants", sizeof(struct engine_variant),
	                        read_variant, &engine->variants, &engine->variant_count)) != WG_OK)
		return status;
	if (engine->key == NULL)
		return wg_json_fail(row, reader->error, WG_BAD_INPUT, "an engine without key");
	return read_coefficients(reader, row, engine_keys, ENGINE_COEFFICIENT_COUNT, given,
	                         engine->coefficients);
}

static enum wg_status read_link(struct reader *reader, const struct wg_json_at *row, void *ret_row)
{
	struct link_row *link = ret_row;
	struct wg_json_at efficiency = wg_json_member(row, "efficiency");
	const char *source;
	bool given;
	enum wg_status status;

	link->reduction = 1;
	if ((status = copy_string(reader, row, "key", &link->key)) != WG_OK ||
	    (status = read_match(reader, row, &link->match)) != WG_OK ||
	    (status = read_coefficient(reader, row, "start_s", &given, &link->start_s)) != WG_OK ||
	    (status = wg_json_need_string(row, "source", &source, reader->error)) != WG_OK ||
	    (status = wg_json_need_number(row, "spread", 0, 5, &link->spread, reader->error)) !=
	            WG_OK ||
	    (status = wg_json_get_number(row, "reduction", 1, 2, &link->reduction,
	                                 reader->error)) != WG_OK ||
	    (status = wg_json_get_number(row, "bytes_per_s", 1e6, 1e13, &link->bytes_per_s,
	                                 reader->error)) != WG_OK)
		return status;
	if (link->key == NULL || wg_json_count(&efficiency) != LINK_RANK_STEPS)
		return wg_json_fail(row, reader->error, WG_BAD_INPUT,
		                    "a link needs a key and %d efficiencies", LINK_RANK_STEPS);
	for (size_t i = 0; i < LINK_RANK_STEPS; i++) {
		struct wg_json_at at = wg_json_element(&efficiency, i);

		if (!wg_json_as_number(&at, &link->efficiency[i]) || link->efficiency[i] <= 0 ||
		    link->efficiency[i] > 1)
			return wg_json_fail(&at, reader->error, WG_BAD_INPUT,
			                    "not between 0 and 1");
	}
	return check_source(reader, row, source);
}

static enum wg_status read_file(struct reader *reader, const char *folder, const char *name,
                                size_t row_bytes, row_reader read, void *ret_rows,
                                size_t *ret_count)
{
	const char *path = wg_arena_printf(reader->arena, "%s/%s.json", folder, name);
	struct wg_json *json;
	struct wg_json_at root;
	enum wg_status status;

	if (path == NULL)
		return wg_error_no_memory(reader->error);
	status = wg_json_open_file(path, WG_JSON_STRICT, &json, reader->error);
	if (status != WG_OK)
		return status;
	root = wg_json_root(json);
	reader->sources = wg_json_member(&root, "sources");
	status = read_rows(reader, &root, "rows", row_bytes, read, ret_rows, ret_count);
	wg_json_free(json);
	return status;
}

enum wg_status wg_efficiency_read(struct wg_arena *arena, const char *folder,
                                  struct efficiency *ret_efficiency, struct wg_error *error)
{
	struct reader reader = { .arena = arena, .error = error };
	struct efficiency value = { 0 };
	enum wg_status status;

	if ((status = read_file(&reader, folder, "gpus", sizeof(struct gpu_row), read_gpu,
	                        &value.gpus, &value.gpu_count)) != WG_OK ||
	    (status = read_file(&reader, folder, "engines", sizeof(struct engine_row), read_engine,
	                        &value.engines, &value.engine_count)) != WG_OK ||
	    (status = read_file(&reader, folder, "links", sizeof(struct link_row), read_link,
	                        &value.links, &value.link_count)) != WG_OK)
		return status;
	*ret_efficiency = value;
	return WG_OK;
}
