/* Keys and labels of rates, figures and facts, made from the .def lists. */
#include <string.h>

#include "whichgpu/catalog.h"

static const struct {
	const char *key, *label;
} rates[] = {
#define WG_RATE(name, key, label, bits, tensor) { key, label },
#include "whichgpu/rates.def"
#undef WG_RATE
};

static const struct {
	const char *key, *label;
} figures[] = {
#define WG_GPU_FIGURE(name, key, unit, label) { key, label },
#include "whichgpu/gpu_figures.def"
#undef WG_GPU_FIGURE
};

static const struct {
	const char *key, *label;
} facts[] = {
#define WG_GPU_FACT(name, key, label) { key, label },
#include "whichgpu/gpu_facts.def"
#undef WG_GPU_FACT
};

static const char *const confidences[] = { "low", "medium", "high" };
static const char *const classes[] = { "data-centre", "workstation", "consumer", "unified" };
static const char *const links[] = { "pcie", "bridge", "switch", "mesh" };
static const char *const peers[] = { NULL, "no", "yes", "driver" };

const char *wg_rate_key(enum wg_rate rate)
{
	return rates[rate].key;
}

const char *wg_rate_label(enum wg_rate rate)
{
	return rates[rate].label;
}

bool wg_rate_find(const char *key, enum wg_rate *ret_rate)
{
	for (size_t i = 0; i < WG_RATE_COUNT; i++) {
		if (strcmp(rates[i].key, key) == 0) {
			*ret_rate = (enum wg_rate)i;
			return true;
		}
	}
	return false;
}

const char *wg_gpu_figure_key(enum wg_gpu_figure figure)
{
	return figures[figure].key;
}

const char *wg_gpu_figure_label(enum wg_gpu_figure figure)
{
	return figures[figure].label;
}

const char *wg_gpu_fact_key(enum wg_gpu_fact fact)
{
	return facts[fact].key;
}

const char *wg_gpu_fact_label(enum wg_gpu_fact fact)
{
	return facts[fact].label;
}

const char *wg_confidence_key(enum wg_confidence confidence)
{
	return confidences[confidence];
}

const char *wg_gpu_class_key(enum wg_gpu_class class)
{
	return classes[class];
}

const char *wg_link_kind_key(enum wg_link_kind kind)
{
	return links[kind];
}

const char *wg_peer_key(enum wg_peer peer)
{
	return peers[peer];
}
