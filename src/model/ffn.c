/* Feed-forward parts: dense, gated (Shazeer 2020, sec. 2), mixture of experts
 * with shared experts (DeepSeekMoE 2024, sec. 3). */
#include "model/builder.h"

static double add_expert_matrices(struct wg_builder *builder, enum wg_part part, double count,
                                  double hidden, double width, bool gated, bool bias)
{
	double parameters =
		wg_add_matrices(builder, part, count * (gated ? 2 : 1), hidden, width, bias);

	return parameters + wg_add_matrices(builder, part, count, width, hidden, bias);
}

void wg_build_dense(struct wg_builder *builder, double hidden, unsigned width, bool gated,
                    bool bias, struct wg_ffn *ret_ffn)
{
	struct wg_ffn ffn = { .kind = WG_FFN_DENSE, .gated = gated, .width = width };

	ffn.parameters = add_expert_matrices(builder, WG_PART_FFN, 1, hidden, width, gated, bias);
	ffn.matmul_parameters = hidden * width * (gated ? 3 : 2);
	*ret_ffn = ffn;
}

void wg_build_moe(struct wg_builder *builder, double hidden, const struct wg_moe *moe,
                  struct wg_ffn *ret_ffn)
{
	struct wg_ffn ffn = { .kind = WG_FFN_MOE,
		              .gated = moe->gated,
		              .experts = moe->experts,
		              .experts_per_token = moe->top_k,
		              .expert_width = moe->width,
		              .shared_width = (unsigned)moe->shared_width };
	double inner = moe->hidden > 0 ? moe->hidden : hidden;
	double matrices = moe->gated ? 3 : 2;
	double one = inner * moe->width * matrices;
	double routed;

	ffn.parameters = wg_add_matrix(builder, WG_PART_ROUTER, hidden, moe->experts, false);
	ffn.parameters += wg_add_vectors(builder, moe->router_extra);
	routed = add_expert_matrices(builder, WG_PART_EXPERTS, moe->experts, inner, moe->width,
	                             moe->gated, moe->expert_bias);
	ffn.parameters += routed;
	ffn.expert_parameters = routed / moe->experts;
	ffn.matmul_parameters = hidden * moe->experts + moe->top_k * one;
	if (inner != hidden) { /* experts behind a down and an up projection */
		ffn.parameters += wg_add_matrix(builder, WG_PART_SHARED, hidden, inner, false);
		ffn.parameters += wg_add_matrix(builder, WG_PART_SHARED, inner, hidden, false);
		ffn.matmul_parameters += 2 * hidden * inner;
	}
	if (moe->shared_width > 0) {
		ffn.parameters += add_expert_matrices(builder, WG_PART_SHARED, 1, hidden,
		                                      moe->shared_width, moe->gated, false);
		ffn.matmul_parameters += hidden * moe->shared_width * matrices;
	}
	if (moe->shared_gate)
		ffn.parameters += wg_add_vectors(builder, hidden);
	if (builder->weights == &builder->main)
		builder->inactive_parameters += ffn.expert_parameters * (moe->experts - moe->top_k);
	*ret_ffn = ffn;
}
