/* Memory of training (Korthikanti et al. 2022, sec. 4;
 * Rajbhandari et al. 2020 for ZeRO; Hu et al. 2021 and Dettmers et al. 2023 for
 * LoRA and QLoRA). The fullest rank: the first pipeline stage. */
#include <math.h>

#include "estimate/internal.h"

#define ADAPTER_WEIGHT_BYTES 2.0
/* What selective recompute still keeps: norm outputs and activation products
 * are made again. */
#define SELECTIVE_KEEPS 0.6
#define REDUCE_BUCKET_BYTES 0.5e9

struct shards {
	double weights, gradients, optimizer; /* divisors, dense parameters */
	double expert_weights, expert_gradients, expert_optimizer;
};

static struct shards shards_of(const struct run *run)
{
	unsigned stage = run->layout.zero_stage;
	double d = run->d, de = larger(1, run->t * run->d / run->expert_ranks);

	return (struct shards){
		.weights = stage >= 3 ? d : 1,
		.gradients = stage >= 2 ? d : 1,
		.optimizer = stage >= 1 ? d : 1,
		.expert_weights = stage >= 3 ? de : 1,
		.expert_gradients = stage >= 2 ? de : 1,
		.expert_optimizer = stage >= 1 ? de : 1,
	};
}

static bool has_adapters(const struct run *run)
{
	enum wg_task task = run->estimator->work.task;

	return task == WG_TASK_LORA || task == WG_TASK_QLORA;
}

static void state_terms(const struct run *run, double *terms)
{
	const struct coefficient *profile = run->device->profile;
	const struct shards shards = shards_of(run);
	double outer = wg_rank_outer_parameters(run), dense, expert;

	wg_rank_parameters(run, &dense, &expert);
	terms[WG_MEMORY_WEIGHTS] = run->element_bytes * ((dense - outer) / shards.weights +
	                                                 expert / shards.expert_weights) +
	                           run->outer_bytes * outer / shards.weights;
	if (has_adapters(run)) {
		double adapters = run->cost->adapter_parameters_rank1 *
		                  run->estimator->work.lora_rank / (run->t * run->p);

		terms[WG_MEMORY_ADAPTERS] =
			adapters * (ADAPTER_WEIGHT_BYTES + profile[ENGINE_GRADIENT_BYTES].value +
		                    profile[ENGINE_OPTIMIZER_BYTES].value);
	} else {
		terms[WG_MEMORY_GRADIENTS] =
			profile[ENGINE_GRADIENT_BYTES].value *
			(dense / shards.gradients + expert / shards.expert_gradients);
		terms[WG_MEMORY_OPTIMIZER] =
			profile[ENGINE_OPTIMIZER_BYTES].value *
			(dense / shards.optimizer + expert / shards.expert_optimizer);
	}
	if (run->layout.zero_stage >= 3 && run->d > 1) /* two layers gathered ahead */
		terms[WG_MEMORY_WORKSPACE] +=
			2 * run->cost->main.largest_layer / run->expert_ranks * run->element_bytes;
	if (run->d > 1)
		terms[WG_MEMORY_WORKSPACE] += REDUCE_BUCKET_BYTES;
}

/* Bytes of activations a sequence of a micro-batch adds on the fullest stage. */
static double activation_bytes(const struct run *run, double in_flight)
{
	const struct model_cost *cost = run->cost;
	const struct stack_cost *stack = &cost->main;
	const struct coefficient *profile = run->device->profile;
	double tokens = run->estimator->work.sequence_tokens;
	double layers = ceil(stack->layers / run->p), share = layers / larger(1, stack->layers);
	/* sequence parallel shards the norms' part too */
	double all = tokens * (stack->kept_bytes + stack->kept_bytes_sharded) / run->t * share;
	double kept = all, logits;

	if (run->layout.recompute == 1)
		kept = SELECTIVE_KEEPS * all;
	else if (run->layout.recompute >= 2)
		kept = 2 * tokens * stack->hidden / run->t * layers +
		       all / larger(1, layers) / in_flight;
	if (cost->encoder.part_count > 0)
		kept += tokens * (cost->encoder.kept_bytes + cost->encoder.kept_bytes_sharded) /
		        run->t;
	logits = run->p > 1 || !(cost->head > 0)
	                 ? 0
	                 : tokens * cost->vocabulary * profile[ENGINE_LOGIT_BYTES].value / run->t;
	return (kept * in_flight + logits) * (1 + profile[ENGINE_SLACK].value);
}

/* The last stage instead: one micro-batch in flight, with the logits. */
static double last_stage_bytes(const struct run *run)
{
	const struct coefficient *profile = run->device->profile;

	if (run->p <= 1)
		return 0;
	return activation_bytes(run, 1) + run->estimator->work.sequence_tokens *
	                                          run->cost->vocabulary *
	                                          profile[ENGINE_LOGIT_BYTES].value / run->t;
}

static double sum(const double *terms)
{
	double total = 0;

	for (int i = 0; i < WG_MEMORY_TERM_COUNT; i++)
		total += terms[i];
	return total;
}

/* Largest micro-batch that fits; with a pipeline, not so large that fewer than
 * four micro-batches a stage are left to fill it. */
static double micro_batch_choose(const struct run *run, double free_bytes, double one)
{
	const struct wg_work *work = &run->estimator->work;
	double share = work->global_batch / run->d;
	double most = run->p > 1 ? larger(1, floor(share / (4 * run->p))) : share;
	double fits = one > 0 ? floor(free_bytes / one) : most;

	if (work->micro_batch > 0)
		return work->micro_batch;
	return larger(1, floor(smaller(most, fits)));
}

void wg_memory_train(const struct run *run, struct wg_memory *ret_memory, double *ret_micro_batch,
                     struct wg_refusal *ret_refusal)
{
	const struct coefficient *profile = run->device->profile;
	const struct wg_work *work = &run->estimator->work;
	struct wg_memory memory = { .available_bytes = profile[ENGINE_UTILISATION].value *
		                                       run->device->memory_bytes };
	double in_flight, one, states;

	state_terms(run, memory.terms);
	memory.terms[WG_MEMORY_FRAMEWORK] =
		profile[ENGINE_FRAMEWORK_BYTES].value +
		(run->layout.gpus > 1 ? profile[ENGINE_COLLECTIVE_BYTES].value : 0);
	states = sum(memory.terms);
	in_flight = smaller(run->p, larger(1, work->global_batch / run->d));
	one = larger(activation_bytes(run, in_flight), last_stage_bytes(run));
	*ret_micro_batch = micro_batch_choose(run, memory.available_bytes - states, one);
	memory.terms[WG_MEMORY_ACTIVATIONS] = *ret_micro_batch * one;
	memory.total_bytes = states + memory.terms[WG_MEMORY_ACTIVATIONS];
	memory.fits = memory.total_bytes <= memory.available_bytes;
	if (!memory.fits && memory.terms[WG_MEMORY_WEIGHTS] > run->device->memory_bytes)
		*ret_refusal = (struct wg_refusal){ WG_REFUSAL_MEMORY_WEIGHTS,
			                            memory.terms[WG_MEMORY_WEIGHTS],
			                            run->device->memory_bytes };
	else if (!memory.fits && states > memory.available_bytes)
		*ret_refusal = (struct wg_refusal){ WG_REFUSAL_MEMORY_STATES, states,
			                            memory.available_bytes };
	else if (!memory.fits)
		*ret_refusal = (struct wg_refusal){ WG_REFUSAL_MEMORY, memory.total_bytes,
			                            memory.available_bytes };
	*ret_memory = memory;
}
