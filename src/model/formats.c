/* The weight formats: a table and its look-ups. */
#include <string.h>

#include "whichgpu/model.h"

struct format_row {
	const char *key, *label, *quality;
	double bits;
	enum wg_rate rate;
	bool weight_only;
};

static const struct format_row formats[WG_WEIGHTS_COUNT] = {
#define WG_WEIGHT_FORMAT(name, key, label, bits, rate, weight_only, quality) \
	[WG_WEIGHTS_##name] = { key, label, quality, bits, WG_RATE_##rate, weight_only },
#include "whichgpu/weight_formats.def"
#undef WG_WEIGHT_FORMAT
};

const char *wg_weight_format_key(enum wg_weight_format format)
{
	return formats[format].key;
}

const char *wg_weight_format_label(enum wg_weight_format format)
{
	return formats[format].label;
}

const char *wg_weight_format_quality(enum wg_weight_format format)
{
	return formats[format].quality;
}

double wg_weight_format_bits(enum wg_weight_format format)
{
	return formats[format].bits;
}

enum wg_rate wg_weight_format_rate(enum wg_weight_format format)
{
	return formats[format].rate;
}

bool wg_weight_format_is_weight_only(enum wg_weight_format format)
{
	return formats[format].weight_only;
}

bool wg_weight_format_find(const char *key, enum wg_weight_format *ret_format)
{
	for (int i = 0; i < WG_WEIGHTS_COUNT; i++) {
		if (strcmp(formats[i].key, key) == 0) {
			*ret_format = (enum wg_weight_format)i;
			return true;
		}
	}
	return false;
}
