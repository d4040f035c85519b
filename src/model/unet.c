/* U-Nets of latent diffusion (Rombach et al. 2022, sec. 3.3; Podell et al. 2023,
 * sec. 2.1) and the video U-Net with layers over time, and the VAE. The layers
 * are convolutions of many widths, so the stack is one sum without layers. */
#include <string.h>

#include "base/i18n.h"
#include "model/blocks.h"
#include "model/family.h"

#define LEVELS 8

struct unet {
	struct wg_builder *builder;
	unsigned channels[LEVELS], levels;
	unsigned per_level; /* residual blocks a level on the way down */
	bool attends_down[LEVELS], attends_up[LEVELS];
	unsigned depth[LEVELS]; /* transformer blocks in one place */
	double time_width, text_width;
	bool video;
	unsigned head_size;
};

static double convolution(struct wg_builder *builder, double in, double out, double taps)
{
	return wg_add_matrix(builder, WG_PART_FFN, in * taps, out, true);
}

static double linear(struct wg_builder *builder, double in, double out, bool bias)
{
	return wg_add_matrix(builder, WG_PART_ATTENTION, in, out, bias);
}

static double norms(struct wg_builder *builder, double count, double width)
{
	return wg_add_norms(builder, WG_NORM_LAYER, count, width);
}

/* time_width 0: no time embedding (VAE). */
static double residual(struct wg_builder *builder, double in, double out, double time_width)
{
	double parameters = norms(builder, 1, in) + convolution(builder, in, out, 9) +
	                    norms(builder, 1, out) + convolution(builder, out, out, 9);

	if (time_width > 0)
		parameters += linear(builder, time_width, out, true);
	if (in != out)
		parameters += convolution(builder, in, out, 1);
	return parameters;
}

/* Self-attention, attention to `source` (the text, or itself), gated FFN. */
static double transformer_block(struct wg_builder *builder, double width, double source)
{
	double parameters = norms(builder, 3, width);

	parameters += wg_add_matrices(builder, WG_PART_ATTENTION, 4, width, width, false) +
	              wg_add_vectors(builder, width);
	parameters += wg_add_matrices(builder, WG_PART_ATTENTION, 2, width, width, false) +
	              wg_add_vectors(builder, width);
	parameters += wg_add_matrices(builder, WG_PART_ATTENTION, 2, source, width, false);
	parameters +=
		linear(builder, width, 8 * width, true) + linear(builder, 4 * width, width, true);
	return parameters;
}

static double transformer(struct unet *u, double width, double inner, unsigned depth, double source)
{
	struct wg_builder *builder = u->builder;
	double parameters = norms(builder, 1, width) + linear(builder, width, inner, true) +
	                    linear(builder, inner, width, true);

	for (unsigned i = 0; i < depth; i++)
		parameters += transformer_block(builder, inner, source);
	return parameters;
}

/* Four convolutions over time, each with its norm. */
static double over_time(struct unet *u, double width)
{
	double parameters = 0;

	for (int i = 0; i < 4; i++)
		parameters +=
			norms(u->builder, 1, width) + convolution(u->builder, width, width, 3);
	return parameters;
}

static double block(struct unet *u, double in, double out, bool attends, unsigned level)
{
	double parameters = residual(u->builder, in, out, u->time_width);

	if (u->video)
		parameters += over_time(u, out);
	if (attends) {
		parameters += transformer(u, out, out, u->depth[level], u->text_width);
		if (u->video)
			parameters += transformer(u, out, out, 1, out);
	}
	return parameters;
}

static double way_down(struct unet *u)
{
	double parameters = 0, in = u->channels[0];

	for (unsigned level = 0; level < u->levels; level++) {
		double out = u->channels[level];

		for (unsigned i = 0; i < u->per_level; i++)
			parameters +=
				block(u, i == 0 ? in : out, out, u->attends_down[level], level);
		if (level + 1 < u->levels)
			parameters += convolution(u->builder, out, out, 9);
		in = out;
	}
	return parameters;
}

static double middle(struct unet *u)
{
	unsigned last = u->levels - 1;
	double width = u->channels[last], parameters;

	parameters = block(u, width, width, true, last);
	parameters += residual(u->builder, width, width, u->time_width);
	return parameters + (u->video ? over_time(u, width) : 0);
}

/* Each block also takes what the way down left at its place. */
static double way_up(struct unet *u)
{
	double parameters = 0, previous = u->channels[u->levels - 1];

	for (unsigned i = 0; i < u->levels; i++) {
		unsigned level = u->levels - 1 - i;
		double out = u->channels[level];
		double below = u->channels[level > 0 ? level - 1 : 0];

		for (unsigned j = 0; j <= u->per_level; j++) {
			double skip = j == u->per_level ? below : out;

			parameters += block(u, (j == 0 ? previous : out) + skip, out,
			                    u->attends_up[i], level);
		}
		if (i + 1 < u->levels)
			parameters += convolution(u->builder, out, out, 9);
		previous = out;
	}
	return parameters;
}

static bool attends(const struct wg_json_at *types, unsigned level)
{
	struct wg_json_at at = wg_json_element(types, level);
	const char *word;

	return wg_json_as_string(&at, &word) && strstr(word, "CrossAttn") != NULL;
}

static bool read_levels(struct wg_config *config, unsigned *channels, unsigned *ret_levels)
{
	struct wg_json_at list;

	if (!wg_config_find_key(config, "channels\0block_out_channels", &list) ||
	    wg_json_count(&list) == 0 || wg_json_count(&list) > LEVELS) {
		wg_config_fail(
			config, NULL, WG_BAD_INPUT,
			_("key \"block_out_channels\" is missing or has more than %d levels"),
			LEVELS);
		return false;
	}
	*ret_levels = (unsigned)wg_json_count(&list);
	for (unsigned i = 0; i < *ret_levels; i++)
		channels[i] = wg_config_element(config, &list, i, 1, 65536, 1);
	return config->status == WG_OK;
}

static bool read_unet(struct unet *u)
{
	struct wg_config *config = &u->builder->config;
	struct wg_json_at down = { 0 }, up = { 0 }, depth = { 0 };
	const char *class = u->builder->model->architecture;

	if (!read_levels(config, u->channels, &u->levels))
		return false;
	wg_config_find_key(config, "down_blocks\0down_block_types", &down);
	wg_config_find_key(config, "up_blocks\0up_block_types", &up);
	if (wg_json_count(&down) != u->levels || wg_json_count(&up) != u->levels) {
		wg_config_fail(
			config, NULL, WG_BAD_INPUT,
			"down_block_types and up_block_types need one entry for each of %u levels",
			u->levels);
		return false;
	}
	wg_config_find_key(config, "depths\0transformer_layers_per_block", &depth);
	for (unsigned i = 0; i < u->levels; i++) {
		u->attends_down[i] = attends(&down, i);
		u->attends_up[i] = attends(&up, i);
		u->depth[i] = wg_json_type(&depth) == WG_JSON_ARRAY
		                      ? wg_config_element(config, &depth, i, 0, 1024, 1)
		                      : wg_config_get_key(config, "transformer_layers_per_block", 1,
		                                          1024, 1);
	}
	u->per_level = wg_config_get_key(config, "blocks_per_level\0layers_per_block", 1, 64, 2);
	u->text_width = wg_config_get_key(config, "text_width\0cross_attention_dim", 1,
	                                  WG_LIMIT_DIMENSION, 1280);
	u->time_width = 4.0 * u->channels[0];
	u->video = strstr(class, "3D") != NULL;
	return config->status == WG_OK;
}

static void build_unet(struct unet *u, struct wg_stack_builder *stack)
{
	struct wg_builder *builder = u->builder;
	struct wg_config *config = &builder->config;
	double *sum = &stack->stack.parameters, first = u->channels[0];
	double added =
		wg_config_get_key(config, "added_width\0projection_class_embeddings_input_dim", 0,
	                          WG_LIMIT_DIMENSION, 0);

	*sum += convolution(builder, wg_config_get_key(config, "in_channels", 1, 4096, 4), first,
	                    9);
	*sum += linear(builder, first, u->time_width, true);
	*sum += linear(builder, u->time_width, u->time_width, true);
	if (added > 0) {
		*sum += linear(builder, added, u->time_width, true);
		*sum += linear(builder, u->time_width, u->time_width, true);
	}
	/* the video net starts with eight heads over time */
	if (u->video)
		*sum += transformer(
			u, first,
			8.0 * wg_config_get_key(config, "attention_head_dim", 1, 65536, 64), 1,
			8.0 * wg_config_get_key(config, "attention_head_dim", 1, 65536, 64));
	*sum += way_down(u) + middle(u) + way_up(u);
	*sum += norms(builder, 1, first);
	*sum += convolution(builder, first, wg_config_get_key(config, "out_channels", 1, 4096, 4),
	                    9);
}

void wg_build_unet_model(struct wg_builder *builder)
{
	struct unet u = { .builder = builder };
	struct wg_stack_builder *stack;

	if (!read_unet(&u))
		return;
	stack = wg_add_stack(builder, WG_STACK_DIFFUSION, u.channels[u.levels - 1], 0);
	if (stack != NULL)
		build_unet(&u, stack);
}

/* --- VAE -------------------------------------------------------------------------- */

static double vae_middle(struct wg_builder *builder, double width)
{
	return residual(builder, width, width, 0) + residual(builder, width, width, 0) +
	       norms(builder, 1, width) +
	       wg_add_matrices(builder, WG_PART_ATTENTION, 4, width, width, true);
}

/* Encoder down, decoder up with one block more a level (Rombach et al. 2022, G). */
void wg_build_vae_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	unsigned channels[LEVELS], levels;
	struct wg_stack_builder *stack;
	double sum = 0, in;

	if (!read_levels(config, channels, &levels))
		return;
	unsigned blocks = wg_config_get_key(config, "blocks_per_level\0layers_per_block", 1, 64, 1);
	double pixels = wg_config_get_key(config, "in_channels", 1, 4096, 3);
	double latent = wg_config_get_key(config, "latent_channels", 1, 4096, 4);
	double widest = channels[levels - 1];

	stack = wg_add_stack(builder, WG_STACK_DIFFUSION, channels[levels - 1], 0);
	if (stack == NULL)
		return;
	sum += convolution(builder, pixels, channels[0], 9);
	in = channels[0];
	for (unsigned level = 0; level < levels; level++) {
		for (unsigned i = 0; i < blocks; i++, in = channels[level])
			sum += residual(builder, in, channels[level], 0);
		sum += level + 1 < levels ? convolution(builder, in, in, 9) : 0;
	}
	sum += vae_middle(builder, widest) + norms(builder, 1, widest) +
	       convolution(builder, widest, 2 * latent, 9);
	if (wg_config_flag_key(config, "use_quant_conv", true))
		sum += convolution(builder, 2 * latent, 2 * latent, 1);
	if (wg_config_flag_key(config, "use_post_quant_conv", true))
		sum += convolution(builder, latent, latent, 1);
	sum += convolution(builder, latent, widest, 9) + vae_middle(builder, widest);
	in = widest;
	for (unsigned level = levels; level-- > 0;) {
		for (unsigned i = 0; i <= blocks; i++, in = channels[level])
			sum += residual(builder, in, channels[level], 0);
		sum += level > 0 ? convolution(builder, in, in, 9) : 0;
	}
	sum += norms(builder, 1, channels[0]) + convolution(builder, channels[0], pixels, 9);
	stack->stack.parameters += sum;
}
