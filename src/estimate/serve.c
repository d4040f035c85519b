/* Serving N requests in flight (closed loop) and the offline batch.
 *
 * One micro-batch of a pipeline (n/p sequences of a replica) sees itself as the
 * whole system: a step of it passes all stages, and p such groups take turns.
 * Within a group, prefill is a queue served in chunks inside mixed steps, and
 * decode is a delay; the mean-value equation for n customers of such a closed
 * network (Schweitzer 1979's approximation) gives first-token time and
 * throughput (docs/estimator.md, "Serving"). */
#include <math.h>

#include "estimate/internal.h"

#define ROUNDS 3 /* of the fixed point; the fourth moves nothing by 1 % */

/* Beyond the engine's form spread, seen on measured rows that were not fitted:
 * first-token times hold what the queue does, which a mean does not know; token
 * times are taken in many ways; prefill kernels differ most between GPUs. */
#define TTFT_SPREAD 0.45
#define SERVE_SPREAD 0.12
#define TPOT_SPREAD 0.2
#define PREFILL_SPREAD 0.25
/* Loads of like lengths bunch: a tenth of what waiting would be if all started
 * at once (docs/estimator.md, "Serving"). */
#define BUNCHING 0.1

struct loop {
	double n; /* customers of the group */
	double input, output, budget, context;
	double decoding;    /* of n, on average */
	double chunk;       /* new tokens of prefill in a mixed step */
	double mixed_share; /* of steps */
	struct times decode, mixed, mean;
	double step_s, ttft_s, bunch_s, requests_per_s;
};

/* Sequences and cached part that make up a chunk. */
static struct step mixed_step(const struct loop *loop)
{
	double sequences = loop->chunk / loop->input;
	struct step step = { .decode_sequences = loop->decoding,
		             .decode_context = loop->context,
		             .logits = loop->decoding + larger(1, sequences) };

	if (sequences >= 1) {
		step.prefill_sequences = sequences;
		step.prefill_new = loop->input;
	} else {
		step.prefill_sequences = 1;
		step.prefill_new = loop->chunk;
		step.prefill_cached = (loop->input - loop->chunk) / 2; /* mean over its chunks */
	}
	return step;
}

/* R = s (1 + (n-1) R/(R+Z)): the positive root. */
static double queue_time(double n, double service, double delay)
{
	double b = n * service - delay;

	return (b + sqrt(b * b + 4 * service * delay)) / 2;
}

static void loop_round(const struct run *run, struct loop *loop)
{
	double room = larger(16, loop->budget - loop->decoding);
	double delay, service, mixed_s, decode_s, arriving;
	struct step decode = { .decode_sequences = loop->decoding,
		               .decode_context = loop->context,
		               .logits = loop->decoding };
	struct step mixed;

	/* new tokens a step if all arrivals are taken at once */
	arriving = loop->requests_per_s * loop->input * loop->step_s;
	loop->chunk = smaller(room, larger(loop->input, arriving));
	mixed = mixed_step(loop);
	wg_step_time(run, &mixed, &loop->mixed);
	mixed_s = wg_times_sum(&loop->mixed);
	service = mixed_s * loop->input / loop->chunk;
	if (loop->output > 1) {
		wg_step_time(run, &decode, &loop->decode);
		decode_s = wg_times_sum(&loop->decode);
	} else {
		loop->decode = loop->mixed;
		decode_s = mixed_s;
	}
	loop->mixed_share = smaller(1, larger(loop->mixed_share, 0));
	loop->step_s = (1 - loop->mixed_share) * decode_s + loop->mixed_share * mixed_s;
	delay = larger(0, loop->output - 1) * loop->step_s;
	loop->ttft_s = queue_time(loop->n, service, delay);
	loop->requests_per_s = loop->n / (loop->ttft_s + delay);
	loop->bunch_s = BUNCHING * (loop->n - 1) / 2 * service;
	loop->decoding = larger(loop->output > 1 ? 1 : 0, loop->n * delay / (loop->ttft_s + delay));
	loop->mixed_share =
		smaller(1, loop->requests_per_s * loop->input * loop->step_s / loop->chunk);
}

static void loop_solve(const struct run *run, double n, struct loop *loop)
{
	const struct wg_work *work = &run->estimator->work;
	double budget = run->device->profile[ENGINE_TOKEN_BUDGET].value;

	*loop = (struct loop){
		.n = n,
		.input = work->input_tokens,
		.output = larger(1, work->output_tokens),
		.budget = budget,
		.context = work->input_tokens + work->output_tokens / 2,
		.decoding = work->output_tokens > 1 ? n : 0,
	};
	for (int i = 0; i < ROUNDS; i++)
		loop_round(run, loop);
	wg_times_add(&loop->mean, &loop->decode, 1 - loop->mixed_share);
	wg_times_add(&loop->mean, &loop->mixed, loop->mixed_share);
}

/* Alone on the machine: prefill of one prompt, decode of one stream. */
static void single_stream(const struct run *run, struct wg_metrics *metrics)
{
	const struct wg_work *work = &run->estimator->work;
	const struct device *device = run->device;
	double chunk = smaller(work->input_tokens, device->profile[ENGINE_TOKEN_BUDGET].value);
	struct step prefill = { .prefill_sequences = 1,
		                .prefill_new = chunk,
		                .prefill_cached = (work->input_tokens - chunk) / 2,
		                .logits = 1 };
	struct step decode = { .decode_sequences = 1,
		               .logits = 1,
		               .decode_context = work->input_tokens + work->output_tokens / 2 };
	struct times times;

	wg_step_time(run, &prefill, &times);
	metrics->prefill_tokens_per_s = wg_range_around(
		chunk / wg_times_sum(&times),
		wg_times_spread(device, &times, hypot(device->form_spread, PREFILL_SPREAD)));
	wg_step_time(run, &decode, &times);
	metrics->decode_tokens_per_s =
		wg_range_around(1 / wg_times_sum(&times),
	                        wg_times_spread(device, &times, device->form_spread * 0.8));
}

static void fill_metrics(const struct run *run, const struct loop *loop, double waiting,
                         double groups, struct wg_metrics *metrics)
{
	const struct wg_work *work = &run->estimator->work;
	const struct device *device = run->device;
	double request_s = device->profile[ENGINE_REQUEST_S].value;
	double form = hypot(device->form_spread, SERVE_SPREAD);
	double spread = wg_times_spread(device, &loop->mean, form);
	double requests_per_s = loop->requests_per_s * groups;
	double queue_s = requests_per_s > 0 ? waiting / requests_per_s : 0;
	struct wg_range rate = wg_range_around(requests_per_s, spread);

	metrics->requests_per_s = rate;
	metrics->output_tokens_per_s = wg_range_scale(rate, work->output_tokens);
	metrics->total_tokens_per_s =
		wg_range_scale(rate, work->input_tokens + work->output_tokens);
	if (work->output_tokens > 1)
		metrics->tpot_s = wg_range_around(loop->step_s, hypot(spread, TPOT_SPREAD));
	metrics->ttft_s = wg_range_around(loop->ttft_s + loop->bunch_s + queue_s + request_s,
	                                  hypot(spread, TTFT_SPREAD));
	metrics->step_s = wg_range_around(wg_times_sum(&loop->mean), spread);
	if (work->requests > 0) {
		double hours = work->requests / requests_per_s / 3600;

		metrics->hours_total = wg_range_around(hours, spread);
	}
}

/* An encoder has no decode: batches of n inputs, one after the other. */
static void encode_run(const struct run *run, struct wg_estimate *estimate)
{
	const struct wg_work *work = &run->estimator->work;
	const struct device *device = run->device;
	double n = estimate->batch, spread, rate;
	struct step step = { .prefill_sequences = n,
		             .prefill_new = work->input_tokens,
		             .logits = 0 };
	struct times times;

	wg_step_time(run, &step, &times);
	spread = wg_times_spread(device, &times, device->form_spread);
	/* fewer inputs than copies leave some of them idle */
	rate = n / wg_times_sum(&times) *
	       (work->task == WG_TASK_SERVE ? smaller(run->d, larger(1, work->concurrency))
	                                    : run->d);
	for (int i = 0; i < WG_TIME_TERM_COUNT; i++)
		estimate->time_terms[i] = times.term[i];
	estimate->metrics.samples_per_s = wg_range_around(rate, spread);
	estimate->metrics.requests_per_s = estimate->metrics.samples_per_s;
	estimate->metrics.prefill_tokens_per_s = wg_range_around(rate * work->input_tokens, spread);
	estimate->metrics.total_tokens_per_s = estimate->metrics.prefill_tokens_per_s;
	estimate->metrics.step_s = wg_range_around(wg_times_sum(&times), spread);
	estimate->metrics.ttft_s = wg_range_around(wg_times_sum(&times), spread);
	if (work->requests > 0)
		estimate->metrics.hours_total =
			wg_range_around(work->requests / rate / 3600, spread);
	estimate->watts = wg_power_watts(run, &times, run->layout.gpus);
}

void wg_serve_run(const struct run *run, struct wg_estimate *estimate)
{
	const struct wg_work *work = &run->estimator->work;
	double wanted = work->task == WG_TASK_BATCH ? work->requests : work->concurrency;
	double replicas = run->d, group, groups, waiting;
	struct loop loop;

	if (!run->cost->generates) {
		encode_run(run, estimate);
		return;
	}
	if (wanted > 0)
		replicas = smaller(replicas, larger(1, wanted));
	group = larger(1, estimate->batch / run->p);
	groups = replicas * smaller(run->p, estimate->batch);
	loop_solve(run, group, &loop);
	waiting = work->task == WG_TASK_BATCH ? 0 : larger(0, wanted - group * groups);
	estimate->waves = waiting > 0.5;
	for (int i = 0; i < WG_TIME_TERM_COUNT; i++)
		estimate->time_terms[i] = loop.mean.term[i];
	fill_metrics(run, &loop, waiting, groups, &estimate->metrics);
	single_stream(run, &estimate->metrics);
	estimate->watts = wg_power_watts(run, &loop.mean, run->layout.gpus);
}
