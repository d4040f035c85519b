/* Vision towers of language models, counted beside the model: the language
 * part is what people mean by its size, the tower is in the stored bytes. */
#include <string.h>

#include "base/i18n.h"
#include "model/blocks.h"
#include "model/family.h"

struct tower {
	struct wg_blocks blocks;
	double channels, patch, frames, merge, out;
};

static void read_tower(struct wg_config *config, struct tower *t)
{
	t->blocks = (struct wg_blocks){ .role = WG_STACK_VISION, .bias = true, .norms = 2 };
	t->channels = wg_config_get_key(config, "in_channels\0in_chans\0num_channels", 1, 4096, 3);
	t->patch = wg_config_get_key(config, "patch_size\0spatial_patch_size", 1, 65536, 14);
	t->frames = wg_config_get_key(config, "temporal_patch_size", 1, 64, 2);
	t->merge = wg_config_get_key(config, "spatial_merge_size", 1, 64, 2);
}

/* A merger: norm over `normed`, two matrices from `in` to itself and out. */
static double add_merger(struct wg_builder *builder, enum wg_norm norm, double normed, double in,
                         double out)
{
	return wg_add_norms(builder, norm, 1, normed) +
	       wg_add_matrix(builder, WG_PART_FFN, in, in, true) +
	       wg_add_matrix(builder, WG_PART_FFN, in, out, true);
}

/* Qwen2-VL (Wang et al. 2024, sec. 2.1): embed_dim is the tower's width,
 * hidden_size the language model's. */
static void build_qwen2_vl(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_stack_builder *stack;
	struct tower t;
	double merged;

	read_tower(config, &t);
	t.blocks.norm = WG_NORM_LAYER;
	t.blocks.hidden = wg_config_get_key(config, "embed_dim", 1, WG_LIMIT_DIMENSION, 1280);
	t.blocks.layers = wg_config_get_key(config, "depth", 1, WG_LIMIT_LAYERS, 32);
	t.blocks.heads = wg_config_get_key(config, "num_heads", 1, WG_LIMIT_DIMENSION, 16);
	t.blocks.width = (unsigned)(t.blocks.hidden *
	                            wg_config_number_key(config, "mlp_ratio", 0.01, 64, 4));
	t.out = wg_config_get_key(config, "hidden_size", 1, WG_LIMIT_DIMENSION,
	                          builder->outer_hidden);
	stack = wg_add_blocks(builder, &t.blocks);
	if (stack == NULL)
		return;
	merged = t.blocks.hidden * t.merge * t.merge;
	stack->stack.parameters +=
		wg_add_matrix(builder, WG_PART_EMBEDDING, t.channels * t.frames * t.patch * t.patch,
	                      t.blocks.hidden, false);
	stack->stack.parameters +=
		add_merger(builder, WG_NORM_LAYER, t.blocks.hidden, merged, t.out);
}

/* Qwen2.5-VL (Bai et al. 2025, sec. 2.1): RMS norms and gated feed-forward. */
static void build_qwen2_5_vl(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_stack_builder *stack;
	struct tower t;

	read_tower(config, &t);
	t.blocks.norm = WG_NORM_RMS;
	t.blocks.gated = true;
	t.blocks.hidden = wg_config_get_key(config, "hidden_size", 1, WG_LIMIT_DIMENSION, 1280);
	t.blocks.layers = wg_config_get_key(config, "depth", 1, WG_LIMIT_LAYERS, 32);
	t.blocks.heads = wg_config_get_key(config, "num_heads", 1, WG_LIMIT_DIMENSION, 16);
	t.blocks.width =
		wg_config_get_key(config, "intermediate_size", 1, WG_LIMIT_DIMENSION, 3420);
	t.out = wg_config_get_key(config, "out_hidden_size", 1, WG_LIMIT_DIMENSION,
	                          builder->outer_hidden);
	stack = wg_add_blocks(builder, &t.blocks);
	if (stack == NULL)
		return;
	stack->stack.parameters +=
		wg_add_matrix(builder, WG_PART_EMBEDDING, t.channels * t.frames * t.patch * t.patch,
	                      t.blocks.hidden, false);
	stack->stack.parameters += add_merger(builder, WG_NORM_RMS, t.blocks.hidden,
	                                      t.blocks.hidden * t.merge * t.merge, t.out);
}

/* Qwen3-VL and Qwen3.5: learned positions, and mergers that feed later layers. */
static void build_qwen3_vl(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_stack_builder *stack;
	struct wg_json_at deep;
	struct tower t;
	double merged, mergers = 0;

	read_tower(config, &t);
	t.blocks.norm = WG_NORM_LAYER;
	wg_read_blocks(config, &t.blocks);
	t.out = wg_config_need_key(config, "out_hidden_size", 1, WG_LIMIT_DIMENSION);
	stack = wg_add_blocks(builder, &t.blocks);
	if (stack == NULL)
		return;
	merged = t.blocks.hidden * t.merge * t.merge;
	stack->stack.parameters +=
		wg_add_matrix(builder, WG_PART_EMBEDDING, t.channels * t.frames * t.patch * t.patch,
	                      t.blocks.hidden, true);
	stack->stack.parameters += wg_add_matrix(
		builder, WG_PART_EMBEDDING, t.blocks.hidden,
		wg_config_get_key(config, "num_position_embeddings", 1, 1u << 20, 2304), false);
	stack->stack.parameters +=
		add_merger(builder, WG_NORM_LAYER, t.blocks.hidden, merged, t.out);
	if (wg_config_find_key(config, "deepstack_visual_indexes", &deep))
		mergers = (double)wg_json_count(&deep);
	for (int i = 0; i < mergers && i < 64; i++)
		stack->stack.parameters +=
			add_merger(builder, WG_NORM_LAYER, merged, merged, t.out);
}

/* Anything else that looks like a ViT: near, and said to be near. */
static void build_plain(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_stack_builder *stack;
	struct tower t;

	read_tower(config, &t);
	t.blocks.norm = WG_NORM_LAYER;
	wg_read_blocks(config, &t.blocks);
	stack = wg_add_blocks(builder, &t.blocks);
	if (stack == NULL)
		return;
	stack->stack.parameters += wg_add_matrix(
		builder, WG_PART_EMBEDDING, t.channels * t.patch * t.patch, t.blocks.hidden, true);
	/* a two-layer projector into the language model */
	stack->stack.parameters +=
		wg_add_matrix(builder, WG_PART_FFN, t.blocks.hidden, builder->outer_hidden, true);
	stack->stack.parameters += wg_add_matrix(builder, WG_PART_FFN, builder->outer_hidden,
	                                         builder->outer_hidden, true);
}

static const struct {
	const char *type; /* beginning of the tower's or the model's model_type */
	void (*build)(struct wg_builder *builder);
	bool exact;
} towers[] = {
	{ "qwen2_5_vl", build_qwen2_5_vl, true },
	{ "qwen2_vl", build_qwen2_vl, true },
	{ "qwen3_vl", build_qwen3_vl, true },
	{ "qwen3_5", build_qwen3_vl, true },
	{ "clip", wg_build_clip_vision_model, true },
	{ "siglip", wg_build_clip_vision_model, true },
	{ "", build_plain, false },
};

void wg_build_towers(struct wg_builder *builder)
{
	static const char *const audio[] = { "audio_config", "speech_config" };
	struct wg_config *config = &builder->config;
	struct wg_json_at tower, root_type, own_type;
	const char *type = "";
	size_t row = 0;

	for (size_t i = 0; i < sizeof audio / sizeof *audio; i++) {
		tower = wg_json_member(&config->root, audio[i]);
		if (wg_json_type(&tower) == WG_JSON_OBJECT)
			wg_builder_warn(builder, _("the audio encoder is not counted"));
	}
	tower = wg_json_member(&config->root, "vision_config");
	if (wg_json_type(&tower) != WG_JSON_OBJECT)
		return;
	if (builder->stack_count > 0)
		builder->outer_hidden = builder->stacks[0].stack.hidden;
	own_type = wg_json_member(&tower, "model_type");
	root_type = wg_json_member(&config->root, "model_type");
	if (!wg_json_as_string(&own_type, &type) && !wg_json_as_string(&root_type, &type))
		type = "";
	while (strncmp(type, towers[row].type, strlen(towers[row].type)) != 0)
		row++;
	wg_build_companion(builder, &tower, towers[row].build);
	if (!towers[row].exact) {
		builder->towers_near = true;
		wg_builder_warn(builder,
		                _("the vision tower is counted as a plain ViT with a two-layer "
		                  "projector: its size is near, not exact"));
	}
}
