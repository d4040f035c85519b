/* Encoder-decoders: T5, BART, Whisper. The decoder is the main stack; KV of the
 * cross-attention is kept per token of the encoder's input. */
#include <string.h>

#include "model/blocks.h"
#include "model/family.h"

/* Keys and values of the cross-attention, for one encoder token. */
static double cross_elements(const struct wg_blocks *b)
{
	double size = b->head_size > 0 ? b->head_size : b->hidden / b->heads;

	return 2 * size * b->heads * b->layers;
}

/* --- T5 ---------------------------------------------------------------------- */

static bool is_gated(struct wg_config *config)
{
	const char *act = wg_config_string_key(config, "feed_forward_proj");
	bool gated = wg_config_flag_key(config, "gated_ffn\0is_gated_act", false);

	return gated || (act != NULL && strncmp(act, "gated", 5) == 0);
}

static bool is_encoder_only(struct wg_config *config)
{
	struct wg_json_at at;
	const char *name = NULL;

	if (!wg_config_find_key(config, "architectures", &at))
		return wg_config_find_key(config, "architecture", &at) &&
		       wg_json_as_string(&at, &name) && strstr(name, "EncoderModel") != NULL;
	at = wg_json_element(&at, 0);
	return wg_json_as_string(&at, &name) && strstr(name, "EncoderModel") != NULL;
}

struct t5 {
	struct wg_blocks decoder, encoder;
	unsigned vocabulary, buckets;
	bool tied, every; /* UMT5: each layer has its own position biases */
};

static void read_t5(struct wg_builder *builder, struct t5 *t)
{
	struct wg_config *config = &builder->config;
	struct wg_blocks *b = &t->encoder;

	*b = (struct wg_blocks){ .role = WG_STACK_ENCODER, .norm = WG_NORM_RMS, .norms = 2 };
	b->hidden = wg_config_need(config, WG_FIELD_HIDDEN, 1, WG_LIMIT_DIMENSION);
	b->layers = wg_config_need(config, WG_FIELD_LAYERS, 1, WG_LIMIT_LAYERS);
	b->heads = wg_config_need(config, WG_FIELD_HEADS, 1, WG_LIMIT_DIMENSION);
	b->head_size = wg_config_get(config, WG_FIELD_HEAD_SIZE, 1, WG_LIMIT_DIMENSION, 64);
	b->width = wg_config_need_key(config, "ffn_width\0d_ff", 1, WG_LIMIT_DIMENSION);
	b->gated = is_gated(config);
	t->every = strstr(builder->model->architecture, "UMT5") != NULL;
	t->buckets = wg_config_get_key(config, "position_buckets\0relative_attention_num_buckets",
	                               1, 65536, 32);
	t->vocabulary = wg_config_need(config, WG_FIELD_VOCABULARY, 1, WG_LIMIT_DIMENSION);
	t->tied = wg_config_flag(config, WG_FIELD_TIED, true);
	t->decoder = *b;
	t->decoder.role = WG_STACK_DECODER;
	t->decoder.layers = wg_config_get_key(config, "decoder_layers\0num_decoder_layers", 1,
	                                      WG_LIMIT_LAYERS, b->layers);
	t->decoder.cross = t->decoder.causal = true;
	t->decoder.norms = 3;
}

static void add_t5_stack(struct wg_builder *builder, const struct t5 *t, const struct wg_blocks *b)
{
	struct wg_stack_builder *stack = wg_add_blocks(builder, b);

	if (stack == NULL)
		return;
	stack->stack.parameters +=
		wg_add_vectors(builder, (double)t->buckets * b->heads * (t->every ? b->layers : 1));
	stack->stack.parameters += wg_add_norms(builder, WG_NORM_RMS, 1, b->hidden);
}

/* T5 1.1 (Raffel et al. 2019, sec. 2.1; gated as in Shazeer 2020). */
void wg_build_t5_model(struct wg_builder *builder)
{
	struct t5 t;
	bool encoder_only = is_encoder_only(&builder->config);
	double own;

	read_t5(builder, &t);
	if (!encoder_only)
		add_t5_stack(builder, &t, &t.decoder);
	add_t5_stack(builder, &t, &t.encoder);
	if (!wg_builder_ok(builder))
		return;
	own = wg_add_matrix(builder, WG_PART_EMBEDDING, t.encoder.hidden, t.vocabulary, false);
	if (!t.tied && !encoder_only)
		own += wg_add_matrix(builder, WG_PART_HEAD, t.encoder.hidden, t.vocabulary, false);
	builder->stacks[builder->stack_count - (encoder_only ? 1 : 2)].stack.parameters += own;
	builder->model->vocabulary = t.vocabulary;
	builder->model->tied_head = t.tied;
	if (!encoder_only)
		builder->model->kv.cross_bytes_per_token = 2 * cross_elements(&t.decoder);
}

/* A T5 text encoder of a diffusion pipeline is the encoder, whatever it says. */
void wg_build_t5_encoder(struct wg_builder *builder)
{
	struct t5 t;

	read_t5(builder, &t);
	add_t5_stack(builder, &t, &t.encoder);
	if (wg_builder_ok(builder))
		builder->stacks[builder->stack_count - 1].stack.parameters += wg_add_matrix(
			builder, WG_PART_EMBEDDING, t.encoder.hidden, t.vocabulary, false);
}

/* --- BART and Whisper ---------------------------------------------------------- */

static void read_pair(struct wg_builder *builder, struct wg_blocks *encoder,
                      struct wg_blocks *decoder)
{
	struct wg_config *config = &builder->config;

	*encoder = (struct wg_blocks){
		.role = WG_STACK_ENCODER, .bias = true, .norm = WG_NORM_LAYER, .norms = 2
	};
	encoder->hidden = wg_config_need(config, WG_FIELD_HIDDEN, 1, WG_LIMIT_DIMENSION);
	*decoder = *encoder;
	encoder->layers = wg_config_need_key(config, "layers\0encoder_layers", 1, WG_LIMIT_LAYERS);
	encoder->heads =
		wg_config_need_key(config, "heads\0encoder_attention_heads", 1, WG_LIMIT_DIMENSION);
	encoder->width =
		wg_config_need_key(config, "ffn_width\0encoder_ffn_dim", 1, WG_LIMIT_DIMENSION);
	decoder->role = WG_STACK_DECODER;
	decoder->cross = decoder->causal = true;
	decoder->norms = 3;
	decoder->layers =
		wg_config_get_key(config, "decoder_layers", 1, WG_LIMIT_LAYERS, encoder->layers);
	decoder->heads = wg_config_get_key(config, "decoder_attention_heads", 1, WG_LIMIT_DIMENSION,
	                                   encoder->heads);
	decoder->width =
		wg_config_get_key(config, "decoder_ffn_dim", 1, WG_LIMIT_DIMENSION, encoder->width);
}

/* BART (Lewis et al. 2019, sec. 2.1): learned positions with two rows more, a
 * norm after the embeddings; mBART and Pegasus also norm at the end. */
void wg_build_bart_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_blocks encoder, decoder;
	const char *type = wg_config_string_key(config, "model_type");
	bool learned = type == NULL || strcmp(type, "bart") == 0 || strcmp(type, "mbart") == 0;
	bool after = learned,
	     at_end = type != NULL && strcmp(type, "bart") != 0 && strcmp(type, "marian") != 0;
	unsigned vocabulary = wg_config_need(config, WG_FIELD_VOCABULARY, 1, WG_LIMIT_DIMENSION);
	unsigned positions = wg_config_get(config, WG_FIELD_CONTEXT, 1, WG_LIMIT_DIMENSION, 1024);
	double own = 0;

	read_pair(builder, &encoder, &decoder);
	if (wg_add_blocks(builder, &decoder) == NULL || wg_add_blocks(builder, &encoder) == NULL)
		return;
	own += wg_add_matrix(builder, WG_PART_EMBEDDING, encoder.hidden, vocabulary, false);
	if (learned)
		own += wg_add_matrices(builder, WG_PART_EMBEDDING, 2, encoder.hidden,
		                       positions + 2.0, false);
	own += wg_add_norms(builder, WG_NORM_LAYER, 2 * after + 2 * at_end, encoder.hidden);
	builder->stacks[0].stack.parameters += own;
	builder->model->vocabulary = vocabulary;
	builder->model->tied_head = true;
	builder->model->kv.cross_bytes_per_token = 2 * cross_elements(&decoder);
}

/* Whisper (Radford et al. 2022, sec. 2.2): two convolutions over the
 * spectrogram, fixed frames, keys without bias. */
void wg_build_whisper_model(struct wg_builder *builder)
{
	struct wg_config *config = &builder->config;
	struct wg_blocks encoder, decoder;
	unsigned vocabulary = wg_config_need(config, WG_FIELD_VOCABULARY, 1, WG_LIMIT_DIMENSION);
	unsigned frames =
		wg_config_get_key(config, "frames\0max_source_positions", 1, 1u << 20, 1500);
	unsigned positions =
		wg_config_get_key(config, "context\0max_target_positions", 1, 1u << 20, 448);
	unsigned mels = wg_config_get_key(config, "mel_bins\0num_mel_bins", 1, 4096, 80);
	double own, hidden;

	read_pair(builder, &encoder, &decoder);
	encoder.role = WG_STACK_AUDIO;
	encoder.no_key_bias = decoder.no_key_bias = true;
	encoder.fixed_tokens = frames;
	if (wg_add_blocks(builder, &decoder) == NULL || wg_add_blocks(builder, &encoder) == NULL)
		return;
	hidden = encoder.hidden;
	own = wg_add_vectors(builder, 3 * hidden * (mels + hidden) + 2 * hidden);
	own += wg_add_matrix(builder, WG_PART_EMBEDDING, hidden, vocabulary, false);
	own += wg_add_matrix(builder, WG_PART_EMBEDDING, hidden, (double)frames + positions, false);
	own += wg_add_norms(builder, WG_NORM_LAYER, 2, hidden);
	builder->stacks[0].stack.parameters += own;
	builder->model->vocabulary = vocabulary;
	builder->model->tied_head = true;
	builder->fixed_state_elements += cross_elements(&decoder) * frames;
}
