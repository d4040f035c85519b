/* Reading a config by fact, not by key (fields.def), with errors that stick:
 * after the first one every getter answers its low bound, so that a family's
 * function reads straight through and looks at the status once. */
#ifndef WHICHGPU_MODEL_CONFIG_H
#define WHICHGPU_MODEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "whichgpu/json.h"

enum wg_field {
#define WG_FIELD(name, keys) WG_FIELD_##name,
#include "fields.def"
#undef WG_FIELD
	WG_FIELD_COUNT
};

#define WG_CONFIG_PLACES 5

struct wg_config {
	struct wg_json_at root;                     /* the whole file */
	struct wg_json_at places[WG_CONFIG_PLACES]; /* where facts are looked for, in order */
	size_t place_count;
	struct wg_json_at defaults; /* of the class; asked last, and noted */
	char defaults_used[160];    /* the keys that were taken from there */
	enum wg_status status;
	struct wg_error *error;
};

/* Looks in the nested language part first, when there is one. */
void wg_config_init(struct wg_config *config, const struct wg_json *json, struct wg_error *error);
/* The same for a part of the file (a tower's own object): only looks there. */
void wg_config_init_at(struct wg_config *config, const struct wg_json_at *at,
                       struct wg_error *error);
/* Values a published class has for keys that are absent (not for null). The
 * place must outlive the config. */
void wg_config_set_defaults(struct wg_config *config, const struct wg_json_at *defaults);
/* Moves a config to another address: its places know where their parents are. */
void wg_config_move(struct wg_config *target, const struct wg_config *source);
/* The same for a place found in source, when its parent is one of source's. */
void wg_config_move_place(struct wg_json_at *at, const struct wg_config *target,
                          const struct wg_config *source);
/* True when the file has a nested language part. */
bool wg_config_is_nested(const struct wg_config *config);

/* The first present, non-null value among the keys. A list of keys is one
 * literal with a NUL after each ("a\0b\0"): a place in the document keeps the
 * key's address, so keys must outlive it. The macros below add the last NUL. */
bool wg_config_find_keys(struct wg_config *config, const char *keys, struct wg_json_at *ret_at);
#define wg_config_find_key(config, keys, ret_at) wg_config_find_keys(config, keys "\0", ret_at)
bool wg_config_find(struct wg_config *config, enum wg_field field, struct wg_json_at *ret_at);
bool wg_config_has(struct wg_config *config, enum wg_field field);

/* A whole number in low..high; otherwise when absent. A wrong type or a value
 * outside is an error with the JSON path. */
unsigned wg_config_get(struct wg_config *config, enum wg_field field, unsigned low, unsigned high,
                       unsigned otherwise);
unsigned wg_config_need(struct wg_config *config, enum wg_field field, unsigned low, unsigned high);
unsigned wg_config_get_keys(struct wg_config *config, const char *keys, unsigned low, unsigned high,
                            unsigned otherwise);
unsigned wg_config_need_keys(struct wg_config *config, const char *keys, unsigned low,
                             unsigned high);
#define wg_config_get_key(config, keys, low, high, otherwise) \
	wg_config_get_keys(config, keys "\0", low, high, otherwise)
#define wg_config_need_key(config, keys, low, high) \
	wg_config_need_keys(config, keys "\0", low, high)
bool wg_config_flag(struct wg_config *config, enum wg_field field, bool otherwise);
bool wg_config_flag_keys(struct wg_config *config, const char *keys, bool otherwise);
#define wg_config_flag_key(config, keys, otherwise) \
	wg_config_flag_keys(config, keys "\0", otherwise)
double wg_config_number_keys(struct wg_config *config, const char *keys, double low, double high,
                             double otherwise);
#define wg_config_number_key(config, keys, low, high, otherwise) \
	wg_config_number_keys(config, keys "\0", low, high, otherwise)
/* NULL when absent. */
const char *wg_config_string_keys(struct wg_config *config, const char *keys);
#define wg_config_string_key(config, keys) wg_config_string_keys(config, keys "\0")
/* Element of an array of whole numbers; otherwise when out of the array. */
unsigned wg_config_element(struct wg_config *config, const struct wg_json_at *array, size_t index,
                           unsigned low, unsigned high, unsigned otherwise);

/* Records an error at the place of a field (or the root) unless there is one. */
__attribute__((format(printf, 4, 5))) void wg_config_fail(struct wg_config *config,
                                                          const struct wg_json_at *at,
                                                          enum wg_status status, const char *format,
                                                          ...);

#endif
