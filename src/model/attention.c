/* Attention in its forms: multi-head, grouped, latent (MLA), cross, with
 * windows, gates, sinks and a sparse index. Parameter counts follow from the
 * matrices of Vaswani et al. 2017 sec. 3.2, Ainslie et al. 2023 (GQA) sec. 2 and
 * DeepSeek-V2 2024 sec. 2.1 (MLA). */
#include "model/builder.h"

static double add_qk_norm(struct wg_builder *builder, const struct wg_attention *a)
{
	enum wg_norm norm = a->qk_norm_kind;

	switch (a->qk_norm) {
	case WG_QK_NORM_HEAD:
		return wg_add_norms(builder, norm, 2, a->key_size);
	case WG_QK_NORM_FULL:
		return wg_add_norms(builder, norm, 1,
		                    (double)(a->heads + a->kv_heads) * a->key_size);
	case WG_QK_NORM_NONE:
		break;
	}
	return 0;
}

void wg_build_attention(struct wg_builder *builder, double hidden, const struct wg_attention *a,
                        struct wg_mixer *ret_mixer)
{
	struct wg_mixer mixer = { .kind = a->cross ? WG_MIXER_CROSS : WG_MIXER_ATTENTION };
	double query = (double)a->heads * a->key_size;
	double key = (double)a->kv_heads * a->key_size;
	double value = (double)a->kv_heads * a->value_size;
	double source = a->source_width > 0 ? a->source_width : hidden;
	double matrices = builder->weights->elements[WG_PART_ATTENTION];

	mixer.causal = a->causal;
	mixer.heads = a->heads;
	mixer.kv_heads = a->kv_heads;
	mixer.key_size = a->key_size;
	mixer.value_size = a->value_size;
	mixer.window_tokens = a->window_tokens;
	mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION, hidden,
	                                  query * (a->output_gate ? 2 : 1), a->query_bias);
	mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION, source, key, a->key_bias);
	if (!a->shared_key_value)
		mixer.parameters +=
			wg_add_matrix(builder, WG_PART_ATTENTION, source, value, a->value_bias);
	mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION,
	                                  (double)a->heads * a->value_size, hidden, a->out_bias);
	mixer.parameters += add_qk_norm(builder, a);
	mixer.parameters += wg_add_vectors(builder, a->sinks);
	mixer.matmul_parameters = builder->weights->elements[WG_PART_ATTENTION] - matrices;
	*ret_mixer = mixer;
}

/* Sparse attention's index (DeepSeek-V3.2 2025, sec. 2.1): queries from the
 * low rank, one key a token, one weight a head. */
static double add_index(struct wg_builder *builder, double hidden, const struct wg_mla *mla)
{
	double from = mla->query_rank > 0 ? mla->query_rank : hidden;
	double parameters = 0;

	parameters += wg_add_matrix(builder, WG_PART_ATTENTION, from,
	                            (double)mla->index_heads * mla->index_size, false);
	parameters += wg_add_matrix(builder, WG_PART_ATTENTION, hidden, mla->index_size, false);
	parameters += wg_add_norms(builder, WG_NORM_LAYER, 1, mla->index_size);
	parameters += wg_add_matrix(builder, WG_PART_ATTENTION, hidden, mla->index_heads, false);
	return parameters;
}

void wg_build_mla(struct wg_builder *builder, double hidden, const struct wg_mla *mla,
                  struct wg_mixer *ret_mixer)
{
	struct wg_mixer mixer = { .kind = WG_MIXER_MLA, .causal = true };
	double heads = mla->heads, key = mla->nope_size + mla->rope_size;
	double matrices = builder->weights->elements[WG_PART_ATTENTION];

	mixer.heads = mixer.kv_heads = mla->heads;
	mixer.key_size = mla->nope_size + mla->rope_size;
	mixer.value_size = mla->value_size;
	mixer.query_rank = mla->query_rank;
	mixer.kv_rank = mla->kv_rank;
	mixer.rope_size = mla->rope_size;
	if (mla->query_rank > 0) {
		mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION, hidden,
		                                  mla->query_rank, mla->bias);
		mixer.parameters += wg_add_norms(builder, WG_NORM_RMS, 1, mla->query_rank);
		mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION, mla->query_rank,
		                                  heads * key, false);
	} else {
		mixer.parameters +=
			wg_add_matrix(builder, WG_PART_ATTENTION, hidden, heads * key, false);
	}
	mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION, hidden,
	                                  (double)mla->kv_rank + mla->rope_size, mla->bias);
	mixer.parameters += wg_add_norms(builder, WG_NORM_RMS, 1, mla->kv_rank);
	mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION, mla->kv_rank,
	                                  heads * (mla->nope_size + mla->value_size), false);
	if (mla->output_gate)
		mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION, hidden,
		                                  heads * mla->value_size, false);
	mixer.parameters += wg_add_matrix(builder, WG_PART_ATTENTION, heads * mla->value_size,
	                                  hidden, mla->bias);
	if (mla->index_heads > 0) {
		mixer.index_heads = mla->index_heads;
		mixer.index_size = mla->index_size;
		mixer.index_topk = mla->index_top_k;
		mixer.parameters += add_index(builder, hidden, mla);
	}
	mixer.matmul_parameters = builder->weights->elements[WG_PART_ATTENTION] - matrices;
	*ret_mixer = mixer;
}
