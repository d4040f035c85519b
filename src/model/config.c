/* Reading a config by fact: alternative keys, nested parts, sticky errors. */
#include "base/i18n.h"
#include "model/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const field_keys[WG_FIELD_COUNT] = {
#define WG_FIELD(name, keys) [WG_FIELD_##name] = keys,
#include "fields.def"
#undef WG_FIELD
};

/* Names of the object that holds the language model in a multimodal config. */
static const char *const language_parts[] = { "text_config", "language_config", "llm_config",
	                                      "language_model_config", "thinker_config" };
/* Objects that MPT and DBRX keep part of the shape in. */
static const char *const inner_parts[] = { "attn_config", "ffn_config" };

static void add_place(struct wg_config *config, struct wg_json_at at)
{
	if (config->place_count < WG_CONFIG_PLACES && wg_json_type(&at) == WG_JSON_OBJECT)
		config->places[config->place_count++] = at;
}

void wg_config_init(struct wg_config *config, const struct wg_json *json, struct wg_error *error)
{
	*config = (struct wg_config){ .root = wg_json_root(json), .error = error };
	for (size_t i = 0; i < sizeof language_parts / sizeof *language_parts; i++) {
		struct wg_json_at part = wg_json_member(&config->root, language_parts[i]);
		if (wg_json_type(&part) == WG_JSON_OBJECT) {
			add_place(config, part);
			break;
		}
	}
	add_place(config, config->root);
	for (size_t i = 0; i < sizeof inner_parts / sizeof *inner_parts; i++)
		add_place(config, wg_json_member(&config->root, inner_parts[i]));
}

void wg_config_init_at(struct wg_config *config, const struct wg_json_at *at,
                       struct wg_error *error)
{
	*config = (struct wg_config){ .root = *at, .error = error };
	add_place(config, config->root);
}

void wg_config_move_place(struct wg_json_at *at, const struct wg_config *target,
                          const struct wg_config *source)
{
	if (at->parent == &source->root)
		at->parent = &target->root;
	for (size_t i = 0; i < WG_CONFIG_PLACES; i++) {
		if (at->parent == &source->places[i]) {
			at->parent = &target->places[i];
			return;
		}
	}
}

void wg_config_move(struct wg_config *target, const struct wg_config *source)
{
	*target = *source;
	for (size_t i = 0; i < target->place_count; i++)
		wg_config_move_place(&target->places[i], target, source);
}

bool wg_config_is_nested(const struct wg_config *config)
{
	return config->place_count > 0 && config->places[0].value != config->root.value;
}

void wg_config_set_defaults(struct wg_config *config, const struct wg_json_at *defaults)
{
	config->defaults = *defaults;
}

static void note_default(struct wg_config *config, const char *key)
{
	size_t used = strlen(config->defaults_used);

	if (strstr(config->defaults_used, key) == NULL)
		snprintf(config->defaults_used + used, sizeof config->defaults_used - used, "%s%s",
		         used > 0 ? ", " : "", key);
}

/* Our own name of a key stands first in its list. */
static bool find_default(struct wg_config *config, const char *keys, struct wg_json_at *ret_at)
{
	struct wg_json_at at = wg_json_member(&config->defaults, keys);

	if (wg_json_type(&at) == WG_JSON_ABSENT)
		return false;
	note_default(config, keys);
	*ret_at = at;
	return true;
}

bool wg_config_find_keys(struct wg_config *config, const char *keys, struct wg_json_at *ret_at)
{
	bool null = false;

	for (size_t p = 0; p < config->place_count; p++) {
		for (const char *key = keys; *key != '\0'; key += strlen(key) + 1) {
			struct wg_json_at at = wg_json_member(&config->places[p], key);
			enum wg_json_type type = wg_json_type(&at);

			if (type != WG_JSON_ABSENT && type != WG_JSON_NULL) {
				*ret_at = at;
				return true;
			}
			null = null || type == WG_JSON_NULL;
		}
	}
	return !null && config->defaults.value != NULL && find_default(config, keys, ret_at);
}

bool wg_config_find(struct wg_config *config, enum wg_field field, struct wg_json_at *ret_at)
{
	return wg_config_find_keys(config, field_keys[field], ret_at);
}

bool wg_config_has(struct wg_config *config, enum wg_field field)
{
	struct wg_json_at at;

	return wg_config_find(config, field, &at);
}

void wg_config_fail(struct wg_config *config, const struct wg_json_at *at, enum wg_status status,
                    const char *format, ...)
{
	char message[400];
	va_list arguments;

	if (config->status != WG_OK)
		return;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	config->status =
		wg_json_fail(at != NULL ? at : &config->root, config->error, status, "%s", message);
}

static unsigned whole_number(struct wg_config *config, const struct wg_json_at *at, unsigned low,
                             unsigned high)
{
	int64_t value;

	if (config->status != WG_OK)
		return low;
	if (!wg_json_as_integer(at, &value)) {
		wg_config_fail(config, at, WG_BAD_INPUT, _("a whole number was expected"));
		return low;
	}
	if (value < (int64_t)low || value > (int64_t)high) {
		wg_config_fail(config, at, value > (int64_t)high ? WG_LIMIT : WG_BAD_INPUT,
		               _("%lld is outside %u to %u"), (long long)value, low, high);
		return low;
	}
	return (unsigned)value;
}

unsigned wg_config_get_keys(struct wg_config *config, const char *keys, unsigned low, unsigned high,
                            unsigned otherwise)
{
	struct wg_json_at at;

	if (!wg_config_find_keys(config, keys, &at))
		return otherwise;
	return whole_number(config, &at, low, high);
}

unsigned wg_config_need_keys(struct wg_config *config, const char *keys, unsigned low,
                             unsigned high)
{
	struct wg_json_at at;

	if (!wg_config_find_keys(config, keys, &at)) {
		const char *published = keys + strlen(keys) + 1;

		/* The own form's name stands first; people know the published one. */
		wg_config_fail(config, &config->places[0], WG_BAD_INPUT, _("key \"%s\" is missing"),
		               *published != '\0' ? published : keys);
		return low;
	}
	return whole_number(config, &at, low, high);
}

unsigned wg_config_get(struct wg_config *config, enum wg_field field, unsigned low, unsigned high,
                       unsigned otherwise)
{
	return wg_config_get_keys(config, field_keys[field], low, high, otherwise);
}

unsigned wg_config_need(struct wg_config *config, enum wg_field field, unsigned low, unsigned high)
{
	return wg_config_need_keys(config, field_keys[field], low, high);
}

bool wg_config_flag_keys(struct wg_config *config, const char *keys, bool otherwise)
{
	struct wg_json_at at;
	bool flag = otherwise;
	int64_t number;

	if (config->status != WG_OK || !wg_config_find_keys(config, keys, &at))
		return otherwise;
	if (wg_json_as_bool(&at, &flag))
		return flag;
	if (wg_json_as_integer(&at, &number) && (number == 0 || number == 1))
		return number == 1;
	wg_config_fail(config, &at, WG_BAD_INPUT, _("true or false was expected"));
	return otherwise;
}

bool wg_config_flag(struct wg_config *config, enum wg_field field, bool otherwise)
{
	return wg_config_flag_keys(config, field_keys[field], otherwise);
}

double wg_config_number_keys(struct wg_config *config, const char *keys, double low, double high,
                             double otherwise)
{
	struct wg_json_at at;
	double value;

	if (config->status != WG_OK || !wg_config_find_keys(config, keys, &at))
		return otherwise;
	if (!wg_json_as_number(&at, &value)) {
		wg_config_fail(config, &at, WG_BAD_INPUT, _("a number was expected"));
		return otherwise;
	}
	if (!(value >= low && value <= high)) {
		wg_config_fail(config, &at, WG_BAD_INPUT, _("%g is outside %g to %g"), value, low,
		               high);
		return otherwise;
	}
	return value;
}

const char *wg_config_string_keys(struct wg_config *config, const char *keys)
{
	struct wg_json_at at;
	const char *string = NULL;

	if (config->status != WG_OK || !wg_config_find_keys(config, keys, &at))
		return NULL;
	if (!wg_json_as_string(&at, &string))
		wg_config_fail(config, &at, WG_BAD_INPUT, _("a string was expected"));
	return string;
}

unsigned wg_config_element(struct wg_config *config, const struct wg_json_at *array, size_t index,
                           unsigned low, unsigned high, unsigned otherwise)
{
	struct wg_json_at at = wg_json_element(array, index);

	if (wg_json_type(&at) == WG_JSON_ABSENT)
		return otherwise;
	return whole_number(config, &at, low, high);
}
