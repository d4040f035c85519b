/* A step: the operator list with numbers put in (docs/estimator.md, Operators). */
#include <math.h>

#include "estimate/kernel_time.h"

/* The slowest of several expert ranks against the mean (routing is uneven). */
#define EXPERT_IMBALANCE 1.2

/* KV heads that one tensor rank holds, as a share: never less than one head. */
static double kv_share(const struct run *run, const struct part *part)
{
	return part->latent ? 1 : 1 / smaller(run->t, larger(1, part->kv_heads));
}

static void attention_cores(const struct run *run, const struct step *step, const struct part *part,
                            struct times *times)
{
	double share = kv_share(run, part) * run->kv_scale;
	double n = step->prefill_new, r = step->prefill_cached;

	if (step->decode_sequences > 0) {
		double seen = step->decode_context, kept = seen;

		if (part->window > 0)
			kept = smaller(kept, part->window);
		if (part->index_topk > 0)
			kept = smaller(kept, part->index_topk);
		wg_core_time(run,
		             step->decode_sequences / run->t *
		                     (kept * part->pair_flops_decode + seen * part->index_flops),
		             step->decode_sequences * kept * part->kv_bytes * share, part->repeat,
		             times);
	}
	if (step->prefill_sequences > 0 && n > 0) {
		double pairs = wg_context_pairs(n, r, part->window, part->causal);
		double kept = part->index_topk > 0 ? smaller(pairs, n * part->index_topk) : pairs;

		wg_core_time(run,
		             step->prefill_sequences / run->t *
		                     (kept * part->pair_flops + pairs * part->index_flops),
		             step->prefill_sequences * (n + r) * part->kv_bytes * share,
		             part->repeat, times);
	}
}

/* Attention to an encoder's output: keys and values are made once a request. */
static void cross_cores(const struct run *run, const struct step *step, const struct part *part,
                        double encoder_tokens, struct times *times)
{
	double share = kv_share(run, part) * run->kv_scale;
	double rows = step->prefill_sequences * encoder_tokens;

	if (step->decode_sequences > 0)
		wg_core_time(run,
		             step->decode_sequences / run->t * encoder_tokens * part->pair_flops,
		             step->decode_sequences * encoder_tokens * part->kv_bytes * share,
		             part->repeat, times);
	if (step->prefill_sequences > 0) {
		wg_matrix_time(run, rows, part->hidden,
		               part->key_value / part->hidden * kv_share(run, part), part->repeat,
		               run->element_bytes, times);
		wg_core_time(run, rows / run->t * step->prefill_new * part->pair_flops,
		             rows * part->kv_bytes * share, part->repeat, times);
	}
}

static void mixer_time(const struct run *run, const struct step *step, const struct part *part,
                       double tokens, double encoder_tokens, struct times *times)
{
	double width = part->in / part->hidden / run->t;
	double sequences = step->decode_sequences + step->prefill_sequences;

	if (part->kind == PART_ATTENTION)
		width += part->key_value / part->hidden * kv_share(run, part);
	wg_matrix_time(run, tokens, part->hidden, width, part->repeat, run->element_bytes, times);
	wg_matrix_time(run, tokens, part->hidden, part->replicated / part->hidden, part->repeat,
	               run->element_bytes, times);
	wg_matrix_time(run, tokens, part->out / part->hidden / run->t, part->hidden, part->repeat,
	               run->element_bytes, times);
	if (part->kind == PART_ATTENTION)
		attention_cores(run, step, part, times);
	else if (part->kind == PART_CROSS)
		cross_cores(run, step, part, encoder_tokens, times);
	else
		wg_core_time(run, 6 * tokens * part->state_elements / run->t,
		             4 * sequences * part->state_elements / run->t, part->repeat, times);
}

/* Experts that are touched: E (1 - (1 - k/E)^T) under uniform routing
 * (docs/estimator.md, Experts); tokens of all ranks that share the experts come together. */
static void expert_time(const struct run *run, const struct part *part, double tokens,
                        struct times *times)
{
	double ranks = run->expert_ranks, group = tokens * ranks / run->t;
	double touched = part->experts * (1 - exp(part->log_miss * group));
	double load = run->e > 1 ? EXPERT_IMBALANCE : 1;
	double rows = larger(1, load * group * part->chosen / touched);
	double elements = touched * part->expert / ranks;
	double split = larger(1, ranks / larger(1, run->e));
	double inner = part->hidden, columns = elements / inner;
	double compute, read, shape;

	if (!(tokens > 0))
		return;
	/* the experts' products of one layer run as one grouped product: tiles of
	 * all of them fill the GPU, but each has few rows */
	shape = matrix_shape(run->device->units, rows * touched, inner,
	                     part->expert_columns / split) *
	        rows / (rows + 16);
	compute = 2 * load * group * part->chosen * part->expert / ranks /
	          (run->flops_per_s * run->device->profile[ENGINE_EXPERT].value * shape);
	read = inner * columns * run->element_bytes / run->device->bytes_per_s;
	times->term[compute > read ? WG_TIME_MATMUL_COMPUTE : WG_TIME_WEIGHT_READ] +=
		part->repeat * smooth_maximum(compute, read);
}

static void ffn_time(const struct run *run, const struct part *part, double tokens,
                     struct times *times)
{
	if (part->kind == PART_DENSE) {
		wg_matrix_time(run, tokens, part->hidden, part->in / part->hidden / run->t,
		               part->repeat, run->element_bytes, times);
		wg_matrix_time(run, tokens, part->out / part->hidden / run->t, part->hidden,
		               part->repeat, run->element_bytes, times);
		return;
	}
	wg_matrix_time(run, tokens, part->hidden, part->replicated / part->hidden, part->repeat,
	               run->outer_bytes, times);
	wg_matrix_time(run, tokens, part->hidden, part->shared / part->hidden / run->t,
	               part->repeat, run->element_bytes, times);
	expert_time(run, part, tokens, times);
}

/* Links of one pass over a stack; tokens a micro-batch. */
static void link_time(const struct run *run, const struct stack_cost *stack, double tokens,
                      struct times *times)
{
	double row = 2 * tokens * stack->hidden;

	if (run->t > 1) {
		double one = reduce_time(&run->tensor_reduce, row), count = 0;

		for (size_t i = 0; i < stack->part_count; i++)
			count += stack->parts[i].repeat;
		times->term[WG_TIME_TENSOR_LINK] += count * one;
	}
	if (run->e <= run->t)
		return;
	for (size_t i = 0; i < stack->part_count; i++) {
		const struct part *part = &stack->parts[i];
		double bytes = tokens / run->t * part->chosen * part->hidden;

		/* dispatch in 8 or 16 bit, combine in 16 */
		if (part->kind == PART_MOE)
			times->term[WG_TIME_EXPERT_LINK] +=
				part->repeat *
				(wg_link_all_to_all(run, run->e, 1,
			                            bytes * smaller(2, run->element_bytes)) +
			         wg_link_all_to_all(run, run->e, 1, 2 * bytes));
	}
}

static void stack_time(const struct run *run, const struct step *step,
                       const struct stack_cost *stack, double tokens, double encoder_tokens,
                       struct times *times)
{
	double moved = 0, split = step->training ? run->t : 1;

	for (size_t i = 0; i < stack->part_count; i++) {
		const struct part *part = &stack->parts[i];

		if (part->kind == PART_DENSE || part->kind == PART_MOE)
			ffn_time(run, part, tokens, times);
		else
			mixer_time(run, step, part, tokens, encoder_tokens, times);
		moved += part->repeat *
		         (part->element_bytes / split + part->element_bytes_sharded / run->t);
	}
	times->term[WG_TIME_ELEMENTWISE] += tokens * moved *
	                                    run->device->profile[ENGINE_ELEMENTWISE].value /
	                                    run->device->bytes_per_s;
	link_time(run, stack, tokens, times);
}

/* Gaps and launches. Decode runs captured graphs; a step with prefill (or
 * training) is launched kernel by kernel, which a busy GPU hides. */
static void host_time(const struct run *run, const struct step *step, double layers,
                      struct times *times)
{
	const struct coefficient *profile = run->device->profile;
	double sequences = step->decode_sequences + step->prefill_sequences;
	double busy = wg_times_sum(times);
	double dispatch = 0;

	if (step->prefill_sequences > 0)
		dispatch = larger(0, layers * profile[ENGINE_DISPATCH_S].value +
		                             run->cost->expert_layers *
		                                     profile[ENGINE_EXPERT_DISPATCH_S].value -
		                             busy);
	times->term[WG_TIME_HOST] += layers * profile[ENGINE_LAYER_S].value + dispatch;
	if (!step->training)
		times->term[WG_TIME_HOST] +=
			profile[ENGINE_STEP_S].value + sequences * profile[ENGINE_SEQUENCE_S].value;
}

/* What an encoder reads: its fixed number of frames or patches, or a text as long
 * as the prompt - in training, as the sequence. */
static double source_tokens(const struct stack_cost *encoder, const struct wg_work *work)
{
	if (encoder->fixed_tokens > 0)
		return encoder->fixed_tokens;
	return wg_task_trains(work->task) ? work->sequence_tokens : work->input_tokens;
}

void wg_step_time(const struct run *run, const struct step *step, struct times *ret_times)
{
	const struct model_cost *cost = run->cost;
	double prefill = step->prefill_sequences * step->prefill_new;
	double tokens = step->decode_sequences + prefill;
	double encoder_tokens = 0, layers = cost->main.layers;
	struct times times = { 0 };

	if (cost->encoder.part_count > 0) {
		encoder_tokens = source_tokens(&cost->encoder, &run->estimator->work);
		if (step->prefill_sequences > 0 && step->prefill_cached <= 0) {
			struct step encode = { .prefill_sequences = step->prefill_sequences,
				               .prefill_new = encoder_tokens,
				               .training = step->training };

			stack_time(run, &encode, &cost->encoder,
			           step->prefill_sequences * encoder_tokens, 0, &times);
			layers += cost->encoder.layers;
		}
	}
	stack_time(run, step, &cost->main, tokens, encoder_tokens, &times);
	if (cost->head > 0)
		wg_matrix_time(run, step->logits, cost->hidden, cost->head / cost->hidden / run->t,
		               1, run->outer_bytes, &times);
	if (run->p > 1)
		times.term[WG_TIME_PIPELINE_LINK] +=
			(run->p - 1) * wg_link_send(run, step->training ? run->t * run->d : run->t,
		                                    2 * tokens * cost->hidden);
	host_time(run, step, layers, &times);
	*ret_times = times;
}
