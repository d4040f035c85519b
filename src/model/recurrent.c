/* Mixers that keep a state of fixed size instead of keys and values. The state
 * counts what one sequence holds between tokens, the convolution's last inputs
 * included. */
#include "model/builder.h"

/* Opens the books: matmul parameters are what is booked as attention since. */
static double begin(const struct wg_builder *builder)
{
	return builder->weights->elements[WG_PART_ATTENTION];
}

static void end(struct wg_builder *builder, double before, struct wg_mixer *mixer)
{
	mixer->matmul_parameters = builder->weights->elements[WG_PART_ATTENTION] - before;
}

static double matrix(struct wg_builder *builder, double in, double out, bool bias)
{
	return wg_add_matrix(builder, WG_PART_ATTENTION, in, out, bias);
}

void wg_build_delta_net(struct wg_builder *builder, double hidden, const struct wg_delta_net *net,
                        struct wg_mixer *ret_mixer)
{
	struct wg_mixer mixer = { .kind = WG_MIXER_LINEAR,
		                  .causal = true,
		                  .heads = net->value_heads,
		                  .kv_heads = net->key_heads,
		                  .key_size = net->key_size,
		                  .value_size = net->value_size };
	double key = (double)net->key_heads * net->key_size;
	double value = (double)net->value_heads * net->value_size;
	double channels = 2 * key + value, before = begin(builder);

	mixer.parameters = matrix(builder, hidden, 2 * key + 2 * value, false);
	mixer.parameters += matrix(builder, hidden, 2.0 * net->value_heads, false);
	mixer.parameters += wg_add_vectors(builder, channels * net->kernel);
	mixer.parameters += wg_add_vectors(builder, 2.0 * net->value_heads + net->value_size);
	mixer.parameters += matrix(builder, value, hidden, false);
	mixer.state_elements = value * net->key_size + channels * net->kernel;
	end(builder, before, &mixer);
	*ret_mixer = mixer;
}

void wg_build_kda(struct wg_builder *builder, double hidden, const struct wg_kda *kda,
                  struct wg_mixer *ret_mixer)
{
	struct wg_mixer mixer = { .kind = WG_MIXER_LINEAR,
		                  .causal = true,
		                  .heads = kda->heads,
		                  .kv_heads = kda->heads,
		                  .key_size = kda->head_size,
		                  .value_size = kda->head_size };
	double inner = (double)kda->heads * kda->head_size, before = begin(builder);

	mixer.parameters = matrix(builder, hidden, 3 * inner, false);
	mixer.parameters += wg_add_vectors(builder, 3 * inner * kda->kernel);
	mixer.parameters += matrix(builder, hidden, kda->head_size, false); /* decay, low rank */
	mixer.parameters += matrix(builder, kda->head_size, inner, false);
	mixer.parameters += matrix(builder, hidden, kda->heads, false);
	if (kda->full_rank_gate) {
		mixer.parameters += matrix(builder, hidden, inner, false);
	} else {
		mixer.parameters += matrix(builder, hidden, kda->head_size, false);
		mixer.parameters += matrix(builder, kda->head_size, inner, false);
	}
	mixer.parameters += wg_add_vectors(builder, kda->heads + inner + kda->head_size);
	mixer.parameters += matrix(builder, inner, hidden, false);
	mixer.state_elements = inner * kda->head_size + 3 * inner * kda->kernel;
	end(builder, before, &mixer);
	*ret_mixer = mixer;
}

void wg_build_mamba(struct wg_builder *builder, double hidden, const struct wg_mamba *m,
                    struct wg_mixer *ret_mixer)
{
	struct wg_mixer mixer = { .kind = WG_MIXER_SSM, .causal = true, .heads = 1, .kv_heads = 1 };
	double inner = m->inner, before = begin(builder);

	mixer.parameters = matrix(builder, hidden, 2 * inner, m->bias);
	mixer.parameters += wg_add_vectors(builder, inner * (m->kernel + m->convolution_bias));
	mixer.parameters += matrix(builder, inner, m->rank + 2.0 * m->state, false);
	mixer.parameters += matrix(builder, m->rank, inner, true);
	mixer.parameters += wg_add_vectors(builder, inner * m->state + inner);
	if (m->inner_norms)
		mixer.parameters += wg_add_vectors(builder, m->rank + 2.0 * m->state);
	mixer.parameters += matrix(builder, inner, hidden, m->bias);
	mixer.state_elements = inner * ((double)m->state + m->kernel);
	end(builder, before, &mixer);
	*ret_mixer = mixer;
}

void wg_build_mamba2(struct wg_builder *builder, double hidden, const struct wg_mamba2 *m,
                     struct wg_mixer *ret_mixer)
{
	struct wg_mixer mixer = { .kind = WG_MIXER_SSM,
		                  .causal = true,
		                  .heads = m->heads,
		                  .kv_heads = m->groups,
		                  .key_size = m->state,
		                  .value_size = m->head_size };
	double inner = (double)m->heads * m->head_size, before = begin(builder);
	double groups = 2.0 * m->groups * m->state, channels = inner + groups;

	mixer.parameters = matrix(builder, hidden, 2 * inner + groups + m->heads, m->bias);
	mixer.parameters += wg_add_vectors(builder, channels * (m->kernel + m->convolution_bias));
	mixer.parameters += wg_add_vectors(builder, 3.0 * m->heads);
	if (m->norm)
		mixer.parameters += wg_add_vectors(builder, inner);
	mixer.parameters += matrix(builder, inner, hidden, m->bias);
	mixer.state_elements = inner * m->state + channels * m->kernel;
	end(builder, before, &mixer);
	*ret_mixer = mixer;
}

void wg_build_short_convolution(struct wg_builder *builder, double hidden, unsigned kernel,
                                bool bias, struct wg_mixer *ret_mixer)
{
	struct wg_mixer mixer = { .kind = WG_MIXER_CONVOLUTION, .causal = true };
	double before = begin(builder);

	mixer.parameters = matrix(builder, hidden, 3 * hidden, bias);
	mixer.parameters += wg_add_vectors(builder, hidden * (kernel + bias));
	mixer.parameters += matrix(builder, hidden, hidden, bias);
	mixer.state_elements = hidden * kernel;
	end(builder, before, &mixer);
	*ret_mixer = mixer;
}
