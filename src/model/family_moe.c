/* Corrections for mixture-of-experts families. */
#include "model/family.h"

/* The norm of query and key is off unless the config asks for it. */
void wg_family_glm4_moe(struct wg_builder *builder, struct wg_decoder *d)
{
	if (!wg_config_flag(&builder->config, WG_FIELD_QK_NORM, false))
		d->attention.qk_norm = WG_QK_NORM_NONE;
}

void wg_family_minimax_m2(struct wg_builder *builder, struct wg_decoder *d)
{
	if (!wg_config_flag_key(&builder->config, "use_routing_bias", true))
		d->moe.router_extra = 0;
	/* MTP modules are counted in modules of so many layers. */
	if (wg_config_flag_key(&builder->config, "use_mtp", false))
		d->mtp_layers =
			wg_config_get_key(&builder->config, "num_mtp_modules", 0, 64, 0) *
			wg_config_get_key(&builder->config, "mtp_transformer_layers", 0, 64, 1);
}

/* A learned sink a head; windows on even layers when no list says which. */
void wg_family_gpt_oss(struct wg_builder *builder, struct wg_decoder *d)
{
	d->attention.sinks = d->attention.heads;
	if (d->full_every == 0)
		d->full_every = 2;
}

/* One shared expert as wide as a routed one; every fourth layer sees all, the
 * others a chunk; query and key norms have no weights. */
void wg_family_llama4(struct wg_builder *builder, struct wg_decoder *d)
{
	d->moe.shared_width = d->moe.width;
	d->full_every = wg_config_get_key(&builder->config, "no_rope_layer_interval", 1,
	                                  WG_LIMIT_LAYERS, 4);
}
