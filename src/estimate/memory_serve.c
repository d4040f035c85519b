/* Memory of serving: what an engine leaves for the KV cache, and how many
 * sequences that holds (docs/estimator.md, Memory). */
#include <math.h>

#include "estimate/internal.h"

#define KV_BLOCK_TOKENS 16.0 /* pages of the cache */
/* Requests stand at different points of their output: on average half of it is
 * held; a tenth more is kept free so that none has to be pushed out. */
#define OUTPUT_HELD 0.6
/* Logits in 32 bit and their softmax, for as many rows as an engine profiles. */
#define LOGIT_ROWS 256.0
#define LOGIT_BYTES 8.0

static double stage_share(const struct run *run)
{
	double layers = larger(1, run->cost->layers);

	return ceil(layers / run->p) / layers;
}

double wg_rank_outer_parameters(const struct run *run)
{
	const struct model_cost *cost = run->cost;

	return (run->p > 1 ? larger(cost->first_parameters, cost->last_parameters)
	                   : cost->outer_parameters) /
	       run->t;
}

void wg_rank_parameters(const struct run *run, double *ret_dense, double *ret_expert)
{
	const struct model_cost *cost = run->cost;
	double share = stage_share(run);
	double copied = 0;

	for (size_t i = 0; i < cost->main.part_count; i++)
		copied += cost->main.parts[i].repeat * cost->main.parts[i].replicated;
	*ret_dense = (cost->layer_parameters - cost->expert_parameters) * share / run->t +
	             copied * share * (1 - 1 / run->t) + wg_rank_outer_parameters(run);
	*ret_expert = cost->expert_parameters * share / run->expert_ranks;
}

static double rank_weight_bytes(const struct run *run)
{
	double outer = wg_rank_outer_parameters(run), dense, expert;

	wg_rank_parameters(run, &dense, &expert);
	return (dense - outer + expert) * run->element_bytes + outer * run->outer_bytes;
}

/* Fixed states, tokens that all remember, and windows, in one pass. */
static double kv_of(const struct run *run, double tokens)
{
	const struct stack_cost *stack = &run->cost->main;
	double bytes = 0;

	for (size_t i = 0; i < stack->part_count; i++) {
		const struct part *part = &stack->parts[i];
		double kept = part->window > 0 ? smaller(tokens, part->window) : tokens;
		double heads = part->latent ? 1 : smaller(run->t, larger(1, part->kv_heads));

		if (part->kind == PART_CROSS)
			kept = run->cost->encoder.fixed_tokens > 0
			               ? run->cost->encoder.fixed_tokens
			               : run->estimator->work.input_tokens;
		if (part->kind == PART_STATE)
			bytes += part->repeat * 2 * part->state_elements / run->t;
		else
			bytes += part->repeat * kept * part->kv_bytes * run->kv_scale / heads;
	}
	return bytes * stage_share(run);
}

double wg_memory_kv_bytes(const struct run *run, double tokens)
{
	return kv_of(run, ceil(tokens / KV_BLOCK_TOKENS) * KV_BLOCK_TOKENS);
}

/* Tokens of one sequence that `pool` bytes hold: windows fill first, then the
 * rest grows in a line. */
static double largest_context(const struct run *run, double pool)
{
	double most = run->estimator->model->max_context_tokens;
	double far, step, start, tokens;

	if (!(most > 0))
		most = 1e9;
	if (kv_of(run, most) <= pool)
		return most;
	far = most / 2;
	step = (kv_of(run, most) - kv_of(run, far)) / (most - far);
	start = kv_of(run, most) - step * most;
	tokens = step > 0 ? (pool - start) / step : 0;
	/* below the windows' ends the line is steeper: close in by halving */
	if (!(tokens > 0) || fabs(kv_of(run, tokens) - pool) > 1e-6 * pool) {
		double low = 0, high = most;

		for (int i = 0; i < 40; i++) {
			double middle = (low + high) / 2;

			if (kv_of(run, middle) <= pool)
				low = middle;
			else
				high = middle;
		}
		tokens = low;
	}
	return larger(0, floor(tokens / KV_BLOCK_TOKENS) * KV_BLOCK_TOKENS);
}

/* What is in memory whatever the load: all but the KV cache. */
static void fixed_terms(const struct run *run, double tokens, double *terms)
{
	const struct model_cost *cost = run->cost;
	const struct coefficient *profile = run->device->profile;
	double widths = profile[ENGINE_ACTIVATION_WIDTHS].value;

	/* AIConfigurator's table over tensor degree (11, 6.5, 5, 5 widths at 1, 2,
	 * 4, 8; twice that for MoE) is close to w (4 + 7/t) / 11 */
	widths *= (4 + 7 / run->t) / 11 * (cost->moe ? 2 : 1);
	terms[WG_MEMORY_WEIGHTS] = rank_weight_bytes(run);
	terms[WG_MEMORY_ACTIVATIONS] = 2 * tokens * cost->hidden * widths;
	if (cost->head > 0)
		terms[WG_MEMORY_WORKSPACE] = LOGIT_BYTES * cost->vocabulary *
		                             smaller(LOGIT_ROWS, profile[ENGINE_SEQUENCES].value);
	terms[WG_MEMORY_FRAMEWORK] = profile[ENGINE_FRAMEWORK_BYTES].value;
	if (run->t * run->p > 1)
		terms[WG_MEMORY_FRAMEWORK] += profile[ENGINE_COLLECTIVE_BYTES].value;
}

static double terms_sum(const struct wg_memory *memory)
{
	double sum = 0;

	for (int i = 0; i < WG_MEMORY_TERM_COUNT; i++)
		sum += memory->terms[i];
	return sum;
}

/* Sequences one replica is asked to hold at once. */
static double wanted_sequences(const struct run *run)
{
	const struct wg_work *work = &run->estimator->work;
	double wanted = work->concurrency;

	if (work->task == WG_TASK_BATCH)
		wanted = work->requests > 0 ? work->requests : 1e9;
	wanted = larger(1, wanted / run->d);
	return smaller(wanted, run->device->profile[ENGINE_SEQUENCES].value * run->p);
}

/* Weights over all of the memory can never be placed, whatever an engine is
 * told to leave free, so that case names the whole memory. */
static void refuse_memory(const struct run *run, const struct wg_memory *memory,
                          struct wg_refusal *refusal)
{
	double weights = memory->terms[WG_MEMORY_WEIGHTS], all = run->device->memory_bytes;

	if (weights > all)
		*refusal = (struct wg_refusal){ WG_REFUSAL_MEMORY_WEIGHTS, weights, all };
	else
		*refusal = (struct wg_refusal){ WG_REFUSAL_MEMORY, memory->total_bytes,
			                        memory->available_bytes };
}

/* Encoders keep no cache: a batch is as large as its activations allow. */
static void encoder_batch(const struct run *run, struct wg_memory *memory, double *ret_batch)
{
	double tokens = run->estimator->work.input_tokens;
	double one, fixed;

	memory->terms[WG_MEMORY_ACTIVATIONS] = 0;
	fixed = terms_sum(memory);
	one = 2 * tokens * run->cost->hidden * run->device->profile[ENGINE_ACTIVATION_WIDTHS].value;
	*ret_batch = larger(
		1, floor(smaller(wanted_sequences(run), (memory->available_bytes - fixed) / one)));
	memory->terms[WG_MEMORY_ACTIVATIONS] = *ret_batch * one;
	memory->total_bytes = terms_sum(memory);
	memory->fits = memory->total_bytes <= memory->available_bytes;
}

void wg_memory_serve(const struct run *run, struct wg_memory *ret_memory, double *ret_batch,
                     struct wg_refusal *ret_refusal)
{
	const struct wg_work *work = &run->estimator->work;
	const struct coefficient *profile = run->device->profile;
	struct wg_memory *memory = ret_memory;
	double request = work->input_tokens + work->output_tokens;
	double pool, held, one;

	*memory = (struct wg_memory){ .available_bytes = profile[ENGINE_UTILISATION].value *
		                                         run->device->memory_bytes };
	fixed_terms(run, profile[ENGINE_TOKEN_BUDGET].value, memory->terms);
	if (!run->cost->generates) {
		encoder_batch(run, memory, ret_batch);
		if (!memory->fits)
			refuse_memory(run, memory, ret_refusal);
		return;
	}
	one = wg_memory_kv_bytes(run, request);
	held = wg_memory_kv_bytes(run, work->input_tokens + OUTPUT_HELD * work->output_tokens);
	memory->total_bytes = terms_sum(memory);
	pool = memory->available_bytes - memory->total_bytes;
	if (pool > 0) {
		memory->kv_pool_tokens = one > 0 ? pool / one * request : 0;
		memory->largest_context_tokens = largest_context(run, pool);
	}
	memory->fits = pool >= one;
	if (!memory->fits) {
		memory->total_bytes += one;
		memory->terms[WG_MEMORY_KV_CACHE] = one;
		refuse_memory(run, memory, ret_refusal);
		if (pool > 0)
			*ret_refusal = (struct wg_refusal){ WG_REFUSAL_CONTEXT_MEMORY, request,
				                            memory->largest_context_tokens };
		return;
	}
	*ret_batch = larger(1, smaller(wanted_sequences(run), held > 0 ? pool / held : 1e9));
	memory->terms[WG_MEMORY_KV_CACHE] = smaller(pool, larger(one, *ret_batch * held));
	memory->total_bytes = terms_sum(memory);
}
