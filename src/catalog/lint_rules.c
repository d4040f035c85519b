/* Reads data/gpu_families.json and data/lint.json. */
#include <string.h>

#include "catalog/lint.h"

enum { ENTRIES = 4096 };

static enum wg_status need_copy(struct wg_arena *arena, const struct wg_json_at *at,
                                const char *key, const char **ret_copy, struct wg_error *error)
{
	const char *text;
	enum wg_status status = wg_json_need_string(at, key, &text, error);

	if (status != WG_OK)
		return status;
	*ret_copy = wg_arena_strdup(arena, text);
	return *ret_copy != NULL ? WG_OK : wg_error_no_memory(error);
}

/* An object rate key -> number into values; others stay as they are. */
static enum wg_status read_rates(const struct wg_json_at *at, const char *key, double *values,
                                 struct wg_error *error)
{
	struct wg_json_at object = wg_json_member(at, key);

	for (size_t i = 0; i < wg_json_count(&object); i++) {
		const char *name;
		struct wg_json_at member = wg_json_member_at(&object, i, &name);
		enum wg_rate rate;
		double value;

		if (!wg_rate_find(name, &rate))
			return wg_json_fail(&member, error, WG_BAD_INPUT, "no rate is named \"%s\"",
			                    name);
		if (!wg_json_as_number(&member, &value) || value < 0)
			return wg_json_fail(&member, error, WG_BAD_INPUT,
			                    "must be a number from 0");
		values[rate] = value;
	}
	return WG_OK;
}

static enum wg_status read_lists(struct wg_arena *arena, const struct wg_json_at *at,
                                 struct wg_family *family, struct wg_error *error)
{
	struct wg_json_at links = wg_json_member(at, "link_bytes_per_s");
	struct wg_json_at capabilities = wg_json_member(at, "compute_capability");

	for (size_t i = 0; i < wg_json_count(&links) && i < WG_FAMILY_LIST; i++) {
		struct wg_json_at element = wg_json_element(&links, i);

		if (!wg_json_as_number(&element, &family->links[family->link_count++]))
			return wg_json_fail(&element, error, WG_BAD_INPUT, "must be a number");
	}
	for (size_t i = 0; i < wg_json_count(&capabilities) && i < WG_FAMILY_LIST; i++) {
		struct wg_json_at element = wg_json_element(&capabilities, i);
		const char *text;

		if (!wg_json_as_string(&element, &text))
			return wg_json_fail(&element, error, WG_BAD_INPUT, "must be a string");
		family->capabilities[i] = wg_arena_strdup(arena, text);
		if (family->capabilities[i] == NULL)
			return wg_error_no_memory(error);
		family->capability_count++;
	}
	return WG_OK;
}

static enum wg_status read_family(struct wg_arena *arena, const struct wg_json_at *at,
                                  const char *id, struct wg_family *family, struct wg_error *error)
{
	enum wg_status status;

	family->id = wg_arena_strdup(arena, id);
	if (family->id == NULL)
		return wg_error_no_memory(error);
	for (size_t i = 0; i < WG_RATE_COUNT; i++)
		family->ops[i] = -1;
	status = wg_json_get_number(at, "lanes_per_unit", 1, 4096, &family->lanes_per_unit, error);
	if (status == WG_OK)
		status = wg_json_get_number(at, "tensor_cores_per_unit", 1, 64,
		                            &family->tensor_cores_per_unit, error);
	if (status == WG_OK)
		status = wg_json_get_bool(at, "ratios_only", &family->ratios_only, error);
	if (status == WG_OK)
		status = read_lists(arena, at, family, error);
	if (status == WG_OK)
		status = read_rates(at, "ops_per_clock", family->ops, error);
	if (status == WG_OK)
		status = read_rates(at, "most_ops_per_s", family->most, error);
	return status;
}

static enum wg_status read_families(struct wg_arena *arena, const struct wg_json *json,
                                    struct wg_lint_rules *rules, struct wg_error *error)
{
	struct wg_json_at root = wg_json_root(json);
	size_t count = wg_json_count(&root);
	struct wg_family *families;

	if (count > ENTRIES)
		return wg_json_fail(&root, error, WG_LIMIT, "more than %d families", ENTRIES);
	families = wg_arena_array(arena, count, sizeof(*families));
	if (families == NULL)
		return wg_error_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		const char *id;
		struct wg_json_at member = wg_json_member_at(&root, i, &id);
		enum wg_status status = read_family(arena, &member, id, &families[i], error);

		if (status != WG_OK)
			return status;
	}
	rules->families = families;
	rules->family_count = count;
	return WG_OK;
}

static enum wg_status read_memory_types(struct wg_arena *arena, const struct wg_json_at *root,
                                        struct wg_lint_rules *rules, struct wg_error *error)
{
	struct wg_json_at object = wg_json_member(root, "memory_types");
	size_t count = wg_json_count(&object);
	struct wg_memory_type *types = wg_arena_array(arena, count, sizeof(*types));

	if (types == NULL)
		return wg_error_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		const char *name;
		struct wg_json_at member = wg_json_member_at(&object, i, &name);
		enum wg_status status = wg_json_need_number(&member, "low_bits_per_s", 0, 1e12,
		                                            &types[i].low, error);

		if (status == WG_OK)
			status = wg_json_need_number(&member, "high_bits_per_s", 0, 1e12,
			                             &types[i].high, error);
		if (status != WG_OK)
			return status;
		types[i].name = wg_arena_strdup(arena, name);
		if (types[i].name == NULL)
			return wg_error_no_memory(error);
	}
	rules->memory_types = types;
	rules->memory_type_count = count;
	return WG_OK;
}

static enum wg_status read_memory_rates(struct wg_arena *arena, const struct wg_json_at *root,
                                        struct wg_lint_rules *rules, struct wg_error *error)
{
	struct wg_json_at object = wg_json_member(root, "memory_bits_per_s");
	size_t count = wg_json_count(&object);
	struct wg_memory_rate *rates = wg_arena_array(arena, count, sizeof(*rates));

	if (rates == NULL)
		return wg_error_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		const char *gpu;
		struct wg_json_at member = wg_json_member_at(&object, i, &gpu);

		if (!wg_json_as_number(&member, &rates[i].bits_per_s))
			return wg_json_fail(&member, error, WG_BAD_INPUT, "must be a number");
		rates[i].gpu = wg_arena_strdup(arena, gpu);
		if (rates[i].gpu == NULL)
			return wg_error_no_memory(error);
	}
	rules->memory_rates = rates;
	rules->memory_rate_count = count;
	return WG_OK;
}

static enum wg_status read_known_bad(struct wg_arena *arena, const struct wg_json_at *root,
                                     struct wg_lint_rules *rules, struct wg_error *error)
{
	struct wg_json_at list = wg_json_member(root, "known_bad");
	size_t count = wg_json_count(&list);
	struct wg_known_bad *bad = wg_arena_array(arena, count, sizeof(*bad));

	if (bad == NULL)
		return wg_error_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		struct wg_json_at entry = wg_json_element(&list, i);
		struct wg_json_at value = wg_json_member(&entry, "value");
		enum wg_status status = need_copy(arena, &entry, "gpu", &bad[i].gpu, error);

		if (status == WG_OK)
			status = need_copy(arena, &entry, "figure", &bad[i].figure, error);
		if (status == WG_OK)
			status = need_copy(arena, &entry, "reason", &bad[i].reason, error);
		if (status == WG_OK && wg_json_type(&value) == WG_JSON_STRING)
			status = need_copy(arena, &entry, "value", &bad[i].text, error);
		else if (status == WG_OK)
			status =
				wg_json_need_number(&entry, "value", 0, 1e24, &bad[i].value, error);
		if (status != WG_OK)
			return status;
	}
	rules->known_bad = bad;
	rules->known_bad_count = count;
	return WG_OK;
}

static enum wg_status read_exceptions(struct wg_arena *arena, const struct wg_json_at *root,
                                      struct wg_lint_rules *rules, struct wg_error *error)
{
	struct wg_json_at list = wg_json_member(root, "exceptions");
	size_t count = wg_json_count(&list);
	struct wg_lint_exception *exceptions = wg_arena_array(arena, count, sizeof(*exceptions));

	if (exceptions == NULL)
		return wg_error_no_memory(error);
	for (size_t i = 0; i < count; i++) {
		struct wg_json_at entry = wg_json_element(&list, i);
		enum wg_status status = need_copy(arena, &entry, "gpu", &exceptions[i].gpu, error);

		if (status == WG_OK)
			status = need_copy(arena, &entry, "rule", &exceptions[i].rule, error);
		if (status == WG_OK)
			status = need_copy(arena, &entry, "figure", &exceptions[i].figure, error);
		if (status == WG_OK)
			status = need_copy(arena, &entry, "reason", &exceptions[i].reason, error);
		if (status == WG_OK)
			status = wg_json_need_number(&entry, "value", 0, 1e24, &exceptions[i].value,
			                             error);
		if (status != WG_OK)
			return status;
	}
	rules->exceptions = exceptions;
	rules->exception_count = count;
	return WG_OK;
}

enum wg_status wg_lint_rules_read(struct wg_arena *arena, const struct wg_json *families,
                                  const struct wg_json *lint, struct wg_lint_rules *ret_rules,
                                  struct wg_error *error)
{
	struct wg_json_at root = wg_json_root(lint);
	struct wg_lint_rules rules = { 0 };
	enum wg_status status = read_families(arena, families, &rules, error);

	if (status == WG_OK)
		status = read_memory_types(arena, &root, &rules, error);
	if (status == WG_OK)
		status = read_memory_rates(arena, &root, &rules, error);
	if (status == WG_OK)
		status = read_known_bad(arena, &root, &rules, error);
	if (status == WG_OK)
		status = read_exceptions(arena, &root, &rules, error);
	if (status == WG_OK)
		*ret_rules = rules;
	return status;
}

const struct wg_family *wg_family_find(const struct wg_lint_rules *rules, const char *id)
{
	for (size_t i = 0; id != NULL && i < rules->family_count; i++) {
		if (strcmp(rules->families[i].id, id) == 0)
			return &rules->families[i];
	}
	return NULL;
}
