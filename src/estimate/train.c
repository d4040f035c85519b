/* A training step (docs/estimator.md, Training): forward and backward of the operator
 * list, pipeline bubble, sharding traffic, optimizer. */
#include <math.h>

#include "estimate/internal.h"

#define FLASH_BACKWARD 2.5        /* of forward: the scores are made again (Dao 2023, sec. 3.1) */
#define OPTIMIZER_PASS_BYTES 30.0 /* read and write of masters, moments, gradient, weight */
#define DATA_SPREAD 0.1
/* Two small products, a scale and a sum beside every adapted matrix: about three
 * times the launches of a layer. */
#define ADAPTER_LAUNCHES 3.0

/* What backward costs against forward, by term. Frozen weights need no weight
 * gradient, so LoRA's backward is one product instead of two. */
struct passes {
	double matrix, attention, element, link;
};

static bool frozen_base(const struct run *run)
{
	return run->estimator->work.task == WG_TASK_LORA ||
	       run->estimator->work.task == WG_TASK_QLORA;
}

static struct passes passes_of(const struct run *run)
{
	double again = run->layout.recompute >= 2 ? 1 : 0;
	double element_again = run->layout.recompute >= 1 ? 1 : 0;

	return (struct passes){
		.matrix = 1 + (frozen_base(run) ? 1 : 2) + again,
		.attention = 1 + FLASH_BACKWARD + again,
		.element = 1 + 2 + element_again,
		.link = 1 + 1 + again,
	};
}

/* Forward and backward of one micro-batch over all stages. */
static void pass_times(const struct run *run, double micro_batch, struct times *times)
{
	const struct wg_work *work = &run->estimator->work;
	const struct coefficient *profile = run->device->profile;
	const struct passes passes = passes_of(run);
	struct step step = { .prefill_sequences = micro_batch,
		             .prefill_new = work->sequence_tokens,
		             .logits = micro_batch * work->sequence_tokens,
		             .training = true };
	double layers = run->cost->main.layers + run->cost->encoder.layers, busy, host;

	wg_step_time(run, &step, times);
	times->term[WG_TIME_MATMUL_COMPUTE] *= passes.matrix;
	times->term[WG_TIME_WEIGHT_READ] *= passes.matrix;
	times->term[WG_TIME_ATTENTION_COMPUTE] *= passes.attention;
	times->term[WG_TIME_KV_READ] *= passes.attention;
	times->term[WG_TIME_ELEMENTWISE] *= passes.element;
	times->term[WG_TIME_TENSOR_LINK] *= passes.link;
	times->term[WG_TIME_EXPERT_LINK] *= passes.link;
	times->term[WG_TIME_PIPELINE_LINK] *= 2;
	if (run->format.weight_only) {
		/* every pass expands the frozen base: read small, write and read 16 bit */
		double dense, expert;

		wg_rank_parameters(run, &dense, &expert);
		times->term[WG_TIME_WEIGHT_READ] += passes.matrix * run->p * (dense + expert) *
		                                    (run->element_bytes + 4) /
		                                    run->device->bytes_per_s;
	}
	times->term[WG_TIME_HOST] = 0;
	busy = wg_times_sum(times);
	host = 3 * (layers * profile[ENGINE_DISPATCH_S].value +
	            run->cost->expert_layers * profile[ENGINE_EXPERT_DISPATCH_S].value);
	if (frozen_base(run))
		host *= ADAPTER_LAUNCHES;
	times->term[WG_TIME_HOST] =
		larger(0, host - busy) + 3 * layers * profile[ENGINE_LAYER_S].value;
}

/* Seconds in which a step reduces gradients and gathers weights over the copies, dense and
 * expert parts apart, less what hides behind the computation. */
static double data_link_s(const struct run *run, double micro_batches, double compute_s)
{
	double dense, expert, one, de = run->t * run->d / run->expert_ranks;
	double stride = run->t, total, overlap = run->device->profile[ENGINE_OVERLAP].value;
	double passes;

	if (run->d <= 1)
		return 0;
	wg_rank_parameters(run, &dense, &expert);
	if (frozen_base(run)) {
		double adapters = run->cost->adapter_parameters_rank1 *
		                  run->estimator->work.lora_rank / (run->t * run->p);

		total = wg_link_all_reduce(run, run->d, stride, 2 * adapters);
		passes = run->layout.zero_stage >= 3 ? 2 * micro_batches : 0;
		one = wg_link_all_gather(run, run->d, stride, run->element_bytes * dense) +
		      wg_link_all_gather(run, de, run->expert_ranks, run->element_bytes * expert);
		total += passes * one;
	} else if (run->layout.zero_stage >= 3) {
		/* gather for forward and backward of every micro-batch, scatter gradients */
		one = wg_link_all_gather(run, run->d, stride, 2 * dense) +
		      wg_link_all_gather(run, de, run->expert_ranks, 2 * expert);
		total = 3 * micro_batches * one;
	} else {
		total = wg_link_all_reduce(run, run->d, stride, 2 * dense) +
		        wg_link_all_reduce(run, de, run->expert_ranks, 2 * expert);
	}
	/* hides behind backward: two thirds of one micro-batch's time, of all with ZeRO-3 */
	if (run->layout.zero_stage < 3)
		compute_s /= larger(1, micro_batches);
	return larger(total * (1 - overlap), total - overlap * compute_s * 2 / 3);
}

static double optimizer_s(const struct run *run)
{
	double dense, expert, share = run->layout.zero_stage >= 1 ? run->d : 1;

	if (frozen_base(run))
		return run->cost->adapter_parameters_rank1 * run->estimator->work.lora_rank *
		       OPTIMIZER_PASS_BYTES / (run->t * run->p) / run->device->bytes_per_s;
	wg_rank_parameters(run, &dense, &expert);
	return OPTIMIZER_PASS_BYTES *
	       (dense / share + expert / larger(1, share * run->t / run->expert_ranks)) /
	       run->device->bytes_per_s;
}

/* Model FLOPs of one token, forward: matrices that are used, the head, and the
 * attention core (causal). */
static double model_flops(const struct run *run)
{
	const struct model_cost *cost = run->cost;
	double s = run->estimator->work.sequence_tokens, flops = 2 * cost->head;

	for (size_t i = 0; i < cost->main.part_count; i++) {
		const struct part *part = &cost->main.parts[i];
		double elements = part->in + part->replicated + part->key_value + part->out +
		                  part->shared + part->chosen * part->expert;

		flops += part->repeat *
		         (2 * elements + wg_context_pairs(s, 0, part->window, part->causal) / s *
		                                 part->pair_flops);
	}
	return flops;
}

static void train_metrics(const struct run *run, const struct times *times, double tokens,
                          struct wg_metrics *metrics)
{
	const struct wg_work *work = &run->estimator->work;
	const struct device *device = run->device;
	double form = hypot(device->form_spread, DATA_SPREAD);
	double spread = wg_times_spread(device, times, form);
	double seconds = wg_times_sum(times), rate = tokens / seconds;
	double backward = frozen_base(run) ? 2 : 3;
	double peak = device->peak[run->format.rate] * run->layout.gpus;

	metrics->step_s = wg_range_around(seconds, spread);
	metrics->tokens_per_s = wg_range_around(rate, spread);
	metrics->tokens_per_s_per_gpu = wg_range_around(rate / run->layout.gpus, spread);
	metrics->samples_per_s = wg_range_around(work->global_batch / seconds, spread);
	metrics->model_flops_utilisation =
		wg_range_around(backward * model_flops(run) * rate / peak, spread);
	metrics->model_flops_utilisation.high = smaller(1, metrics->model_flops_utilisation.high);
	if (work->total_tokens > 0)
		metrics->hours_total = wg_range_around(work->total_tokens / rate / 3600, spread);
}

void wg_train_run(const struct run *run, struct wg_estimate *estimate)
{
	const struct wg_work *work = &run->estimator->work;
	double share = work->global_batch / run->d;
	double micro_batch = smaller(estimate->micro_batch, share);
	double micro_batches = ceil(share / micro_batch);
	struct times pass, times = { 0 };
	double pass_s;

	/* the last micro-batch may be smaller: count whole sequences */
	micro_batch = share / micro_batches;
	pass_times(run, micro_batch, &pass);
	pass_s = wg_times_sum(&pass) / run->p;
	/* a stage works on m micro-batches; the pipeline fills and drains in p-1 */
	wg_times_add(&times, &pass, micro_batches / run->p);
	times.term[WG_TIME_PIPELINE_BUBBLE] = (run->p - 1) * pass_s;
	times.term[WG_TIME_DATA_LINK] = data_link_s(run, micro_batches, micro_batches * pass_s);
	times.term[WG_TIME_OPTIMIZER_STEP] = optimizer_s(run);
	times.term[WG_TIME_HOST] += run->device->profile[ENGINE_STEP_S].value;
	for (int i = 0; i < WG_TIME_TERM_COUNT; i++)
		estimate->time_terms[i] = times.term[i];
	train_metrics(run, &times, work->global_batch * work->sequence_tokens, &estimate->metrics);
	estimate->watts = wg_power_watts(run, &times, run->layout.gpus);
}
