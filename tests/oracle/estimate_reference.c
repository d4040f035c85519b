#include <math.h>

#include "estimate_reference.h"

/* --- figures of the case --------------------------------------------------- */

static double profile(const struct reference_case *c, enum engine_coefficient which)
{
	return c->device->profile[which].value;
}

static const struct wg_model *model_of(const struct reference_case *c)
{
	return c->estimator->model;
}

static bool training(const struct reference_case *c)
{
	return c->estimator->work.task == WG_TASK_TRAIN;
}

static double t_of(const struct reference_case *c)
{
	return c->layout.tensor;
}

/* GPUs that share one layer's experts. */
static double expert_ranks(const struct reference_case *c)
{
	return fmax(c->layout.tensor, fmax(1, c->layout.expert));
}

/* Embedding and head, which stay in 16 bit. */
static double outer_elements(const struct reference_case *c)
{
	const struct wg_model *m = model_of(c);

	return m->embedding_parameters + (m->tied_head ? 0 : m->head_parameters);
}

/* Bytes an element of the layers: what the format's file holds besides them. */
static double layer_element_bytes(const struct reference_case *c)
{
	const struct wg_model *m = model_of(c);
	double total = wg_model_weight_bytes(m, c->format.weights);

	if (training(c))
		return 2;
	return (total - 2 * outer_elements(c)) / (m->parameters - outer_elements(c));
}

static double matrix_rate(const struct reference_case *c)
{
	enum wg_rate rate = c->format.rate;
	bool eight = rate == WG_RATE_FP8 || rate == WG_RATE_INT8;
	double reach = eight                 ? c->device->reach[1]
	               : rate == WG_RATE_FP4 ? c->device->reach[2]
	                                     : c->device->reach[0];

	return c->device->peak[rate] * reach *
	       (c->format.weight_only ? profile(c, ENGINE_DEQUANT) : 1);
}

static double attention_rate(const struct reference_case *c)
{
	return c->device->peak[WG_RATE_BF16] * c->device->attention;
}

/* --- operators ---------------------------------------------------------------- */

static double smooth(double a, double b)
{
	return pow(pow(a, 4) + pow(b, 4), 0.25);
}

/* A product of rows x inner by inner x columns whose weights are read once. */
static double product(const struct reference_case *c, double rows, double inner, double columns,
                      double element_bytes)
{
	double tiles = fmax(rows, 16) / 64 * columns / 64;
	double shape = tiles / (tiles + c->device->units / 2) * inner / (inner + 128);

	if (rows <= 0 || inner * columns <= 0)
		return 0;
	return smooth(2 * rows * inner * columns / (matrix_rate(c) * shape),
	              inner * columns * element_bytes / c->device->bytes_per_s);
}

static double core(const struct reference_case *c, double flops, double bytes)
{
	return smooth(flops / attention_rate(c), bytes / c->device->bytes_per_s);
}

/* Contexts that n new tokens see, one by one. */
static double contexts(double n, double cached, double window)
{
	double whole = floor(n), sum = 0;

	for (double i = 1; i <= whole; i++)
		sum += window > 0 ? fmin(cached + i, window) : cached + i;
	/* a broken last token: only chunks of even length are compared */
	return sum;
}

/* Seconds of one pass, by what multiplies them in a training step. */
struct sums {
	double matrix, attention, element, tensor_link, send, host;
};

struct work_of_step {
	double decode, context;        /* sequences; tokens each has seen */
	double prefill, fresh, cached; /* sequences; new and old tokens of each */
	double logits;
};

static void mixer(const struct reference_case *c, const struct wg_mixer *m, double hidden,
                  double tokens, const struct work_of_step *w, struct sums *sums)
{
	double t = t_of(c), bytes = layer_element_bytes(c), kv = c->format.kv_element_bytes;
	double kept, pairs;

	if (m->kind == WG_MIXER_MLA) {
		double a = m->heads, r = m->kv_rank, rope = m->rope_size;
		double down = hidden * (r + rope) + hidden * m->query_rank;
		double out = a * m->value_size * hidden;
		double context = w->context;

		sums->matrix += product(c, tokens, hidden,
		                        (m->matmul_parameters - down - out) / hidden / t, bytes);
		sums->matrix += product(c, tokens, hidden, down / hidden, bytes);
		sums->matrix += product(c, tokens, a * m->value_size / t, hidden, bytes);
		if (w->decode > 0)
			sums->attention += core(c, w->decode * context / t * 2 * a * (2 * r + rope),
			                        w->decode * context * (r + rope) * kv);
		if (w->prefill > 0)
			sums->attention +=
				core(c,
			             w->prefill * contexts(w->fresh, w->cached, 0) / t * 2 * a *
			                     (m->key_size + m->value_size),
			             w->prefill * (w->fresh + w->cached) * (r + rope) * kv);
		return;
	}
	/* query, key and value in one product; key/value heads at least one a rank */
	kept = fmin(t, m->kv_heads);
	sums->matrix += product(c, tokens, hidden,
	                        m->heads * m->key_size / t +
	                                m->kv_heads * (m->key_size + m->value_size) / kept +
	                                (m->matmul_parameters -
	                                 hidden * (m->heads * m->key_size +
	                                           m->kv_heads * (m->key_size + m->value_size) +
	                                           m->heads * m->value_size)) /
	                                        hidden / t,
	                        bytes);
	sums->matrix += product(c, tokens, m->heads * m->value_size / t, hidden, bytes);
	if (w->decode > 0) {
		double seen =
			m->window_tokens > 0 ? fmin(w->context, m->window_tokens) : w->context;

		sums->attention += core(
			c, w->decode * seen * 2 * m->heads * (m->key_size + m->value_size) / t,
			w->decode * seen * m->kv_heads * (m->key_size + m->value_size) * kv / kept);
	}
	if (w->prefill > 0) {
		pairs = contexts(w->fresh, w->cached, m->window_tokens);
		sums->attention += core(
			c, w->prefill * pairs * 2 * m->heads * (m->key_size + m->value_size) / t,
			w->prefill * (w->fresh + w->cached) * m->kv_heads *
				(m->key_size + m->value_size) * kv / kept);
	}
}

static double experts(const struct reference_case *c, const struct wg_ffn *f, double hidden,
                      double tokens)
{
	double ranks = expert_ranks(c), e = fmax(1, c->layout.expert),
	       bytes = layer_element_bytes(c);
	double group = tokens * ranks / t_of(c);
	double touched =
		f->experts * (1 - pow(1 - (double)f->experts_per_token / f->experts, group));
	double load = e > 1 ? 1.2 : 1,
	       rows = fmax(1, load * group * f->experts_per_token / touched);
	double columns = (f->gated ? 2 : 1) * f->expert_width / fmax(1, ranks / e);
	double tiles = fmax(rows * touched, 16) / 64 * columns / 64;
	double shape = tiles / (tiles + c->device->units / 2) * hidden / (hidden + 128) * rows /
	               (rows + 16);

	return smooth(2 * load * group * f->experts_per_token * f->expert_parameters / ranks /
	                      (matrix_rate(c) * profile(c, ENGINE_EXPERT) * shape),
	              touched * f->expert_parameters / ranks * bytes / c->device->bytes_per_s);
}

static double feed_forward(const struct reference_case *c, const struct wg_ffn *f, double hidden,
                           double tokens)
{
	double t = t_of(c), bytes = layer_element_bytes(c);
	double matrices = f->gated ? 3 : 2;

	if (f->kind == WG_FFN_NONE)
		return 0;
	if (f->kind == WG_FFN_DENSE)
		return product(c, tokens, hidden, (matrices - 1) * f->width / t, bytes) +
		       product(c, tokens, f->width / t, hidden, bytes);
	return product(c, tokens, hidden, f->experts, 2) +
	       product(c, tokens, hidden, matrices * f->shared_width / t, bytes) +
	       experts(c, f, hidden, tokens);
}

/* Norms, rotary, activation, routing: bytes a token. */
static double element_bytes(const struct reference_case *c, const struct wg_layer *layer,
                            double hidden)
{
	double t = t_of(c), split = training(c) ? t : 1, bytes = 2 * 8 * hidden / split;
	const struct wg_mixer *m = &layer->mixer;
	const struct wg_ffn *f = &layer->ffn;

	if (m->kind == WG_MIXER_MLA)
		bytes += 6.0 * m->heads * m->key_size / t;
	else
		bytes += (4.0 * m->heads * m->key_size +
		          4.0 * m->kv_heads * (m->key_size + m->value_size)) /
		         t;
	if (f->kind == WG_FFN_DENSE)
		bytes += (f->gated ? 6.0 : 4.0) * f->width / t;
	else
		bytes +=
			4.0 * f->experts_per_token * hidden / split +
			(f->gated ? 6.0 : 5.0) *
				((double)f->experts_per_token * f->expert_width + f->shared_width) /
				t;
	return bytes;
}

/* --- collectives -------------------------------------------------------------- */

static double gpus_per_node(const struct reference_case *c)
{
	return (double)c->layout.gpus / c->layout.nodes;
}

static double reached(const struct link_path *path, double ranks)
{
	double efficiency = ranks <= 2   ? path->efficiency[0]
	                    : ranks <= 4 ? path->efficiency[1]
	                    : ranks <= 8 ? path->efficiency[2]
	                                 : path->efficiency[3];

	return path->bytes_per_s * efficiency;
}

static double ring_all_reduce(const struct link_path *path, double n, double bytes)
{
	double fast = path->reduction > 1 && n > 4 ? path->reduction : 1;

	return fmin(2 * (n - 1) * path->start_s +
	                    2 * (n - 1) / n * bytes / (reached(path, n) * fast),
	            2 * ceil(log2(n)) * path->start_s + 2 * bytes / (reached(path, n) * fast));
}

static double gather(const struct reference_case *c, double n, double stride, double bytes)
{
	double inside = fmin(n, fmax(1, floor(gpus_per_node(c) / stride))), seconds = 0;

	if (inside > 1)
		seconds += (inside - 1) * c->device->node.start_s +
		           (inside - 1) / inside * bytes / reached(&c->device->node, inside);
	if (n > inside)
		seconds += (n / inside - 1) * c->device->network.start_s +
		           (n / inside - 1) / (n / inside) * (bytes / inside) /
		                   reached(&c->device->network, n / inside);
	return seconds;
}

/* --- one step ------------------------------------------------------------------- */

static struct sums pass(const struct reference_case *c, const struct work_of_step *w)
{
	const struct wg_model *m = model_of(c);
	const struct wg_stack *stack = &m->stacks[0];
	double tokens = w->decode + w->prefill * w->fresh, moved = 0;
	double row = 2 * tokens * stack->hidden;
	/* pipeline neighbours in training stand a whole data-parallel group apart */
	double stride = training(c) ? t_of(c) * c->layout.data : t_of(c);
	const struct link_path *next =
		stride >= gpus_per_node(c) ? &c->device->network : &c->device->node;
	struct sums sums = { 0 };

	for (unsigned i = 0; i < stack->layer_count; i++) {
		const struct wg_layer *layer = &stack->layers[stack->order[i]];

		mixer(c, &layer->mixer, stack->hidden, tokens, w, &sums);
		sums.matrix += feed_forward(c, &layer->ffn, stack->hidden, tokens);
		moved += element_bytes(c, layer, stack->hidden);
		if (c->layout.tensor > 1)
			sums.tensor_link +=
				2 * ring_all_reduce(&c->device->node, c->layout.tensor, row);
	}
	sums.element = tokens * moved * profile(c, ENGINE_ELEMENTWISE) / c->device->bytes_per_s;
	sums.matrix += product(c, w->logits, stack->hidden,
	                       m->head_parameters / stack->hidden / t_of(c), 2);
	if (c->layout.pipeline > 1)
		sums.send = (c->layout.pipeline - 1) * (next->start_s + row / reached(next, 2));
	return sums;
}

static double expert_layers(const struct reference_case *c)
{
	const struct wg_stack *stack = &model_of(c)->stacks[0];
	double count = 0;

	for (unsigned i = 0; i < stack->layer_count; i++)
		count += stack->layers[stack->order[i]].ffn.kind == WG_FFN_MOE;
	return count;
}

/* Seconds to launch a forward pass kernel by kernel. */
static double launches(const struct reference_case *c)
{
	return model_of(c)->stacks[0].layer_count * profile(c, ENGINE_DISPATCH_S) +
	       expert_layers(c) * profile(c, ENGINE_EXPERT_DISPATCH_S);
}

static double step(const struct reference_case *c, const struct work_of_step *w)
{
	struct sums s = pass(c, w);
	double busy = s.matrix + s.attention + s.element + s.tensor_link + s.send;
	double waiting = w->prefill > 0 ? fmax(0, launches(c) - busy) : 0;

	return busy + waiting + model_of(c)->stacks[0].layer_count * profile(c, ENGINE_LAYER_S) +
	       profile(c, ENGINE_STEP_S) + (w->decode + w->prefill) * profile(c, ENGINE_SEQUENCE_S);
}

/* --- memory --------------------------------------------------------------------- */

static double stage_layers(const struct reference_case *c)
{
	double layers = model_of(c)->stacks[0].layer_count;

	return ceil(layers / c->layout.pipeline) / layers;
}

static double weights(const struct reference_case *c)
{
	const struct wg_model *m = model_of(c);
	const struct wg_stack *stack = &m->stacks[0];
	double t = t_of(c), expert = 0, copied = 0, outer, dense;

	for (unsigned i = 0; i < stack->layer_count; i++) {
		const struct wg_layer *layer = &stack->layers[stack->order[i]];

		if (layer->ffn.kind == WG_FFN_MOE) {
			expert += layer->ffn.experts * layer->ffn.expert_parameters;
			copied += (double)stack->hidden * layer->ffn.experts;
		}
		if (layer->mixer.kind == WG_MIXER_MLA)
			copied += (double)stack->hidden *
			          (layer->mixer.kv_rank + layer->mixer.rope_size +
			           layer->mixer.query_rank);
	}
	outer = c->layout.pipeline > 1 ? fmax(m->embedding_parameters, m->head_parameters)
	                               : outer_elements(c);
	dense = (m->parameters - outer_elements(c) - expert) / t + copied * (1 - 1 / t);
	return (dense + expert / expert_ranks(c)) * stage_layers(c) * layer_element_bytes(c) +
	       outer / t * 2;
}

static double kv_bytes(const struct reference_case *c, double tokens)
{
	const struct wg_stack *stack = &model_of(c)->stacks[0];
	double blocks = ceil(tokens / 16) * 16, bytes = 0;

	for (unsigned i = 0; i < stack->layer_count; i++) {
		const struct wg_mixer *m = &stack->layers[stack->order[i]].mixer;
		double kept = m->window_tokens > 0 ? fmin(blocks, m->window_tokens) : blocks;

		if (m->kind == WG_MIXER_MLA)
			bytes += blocks * (m->kv_rank + m->rope_size) * c->format.kv_element_bytes;
		else
			bytes += kept * m->kv_heads * (m->key_size + m->value_size) *
			         c->format.kv_element_bytes / fmin(t_of(c), m->kv_heads);
	}
	return bytes * stage_layers(c);
}

/* --- serving ---------------------------------------------------------------------- */

static void closed_loop(const struct reference_case *c, double n, struct reference *out)
{
	const struct wg_work *work = &c->estimator->work;
	double input = work->input_tokens, output = work->output_tokens;
	double context = input + output / 2, decoding = n, share = 0, rate = 0, step_s = 0,
	       ttft = 0;
	double service = 0;

	for (int round = 0; round < 3; round++) {
		double room = fmax(16, profile(c, ENGINE_TOKEN_BUDGET) - decoding);
		double chunk = fmin(room, fmax(input, rate * input * step_s)), mixed_s, decode_s,
		       delay, b;
		struct work_of_step mixed = { .decode = decoding,
			                      .context = context,
			                      .logits = decoding + fmax(1, chunk / input) };
		struct work_of_step only = { .decode = decoding,
			                     .context = context,
			                     .logits = decoding };

		mixed.prefill = fmax(1, chunk / input);
		mixed.fresh = fmin(input, chunk);
		mixed.cached = (input - mixed.fresh) / 2;
		mixed_s = step(c, &mixed);
		decode_s = step(c, &only);
		service = mixed_s * input / chunk;
		step_s = (1 - share) * decode_s + share * mixed_s;
		delay = (output - 1) * step_s;
		b = n * service - delay;
		ttft = (b + sqrt(b * b + 4 * service * delay)) / 2;
		rate = n / (ttft + delay);
		decoding = fmax(1, n * delay / (ttft + delay));
		share = fmin(1, rate * input * step_s / chunk);
	}
	out->step_s = step_s;
	out->ttft_s = ttft + 0.1 * (n - 1) / 2 * service;
	out->requests_per_s = rate;
}

void reference_serve(const struct reference_case *c, struct reference *out)
{
	const struct wg_work *work = &c->estimator->work;
	const struct wg_model *m = model_of(c);
	double t = t_of(c), p = c->layout.pipeline, d = c->layout.data;
	double widths = profile(c, ENGINE_ACTIVATION_WIDTHS) * (4 + 7 / t) / 11 *
	                (c->estimator->cost.moe ? 2 : 1);
	double fixed, pool, wanted, group, one;
	struct work_of_step prompt = { .prefill = 1, .logits = 1 };
	struct work_of_step stream = { .decode = 1,
		                       .logits = 1,
		                       .context = work->input_tokens + work->output_tokens / 2 };

	out->weight_bytes = weights(c);
	one = out->kv_request_bytes = kv_bytes(c, work->input_tokens + work->output_tokens);
	fixed = out->weight_bytes +
	        2 * profile(c, ENGINE_TOKEN_BUDGET) * m->stacks[0].hidden * widths +
	        8.0 * m->vocabulary * fmin(256, profile(c, ENGINE_SEQUENCES)) +
	        profile(c, ENGINE_FRAMEWORK_BYTES) +
	        (t * p > 1 ? profile(c, ENGINE_COLLECTIVE_BYTES) : 0);
	pool = profile(c, ENGINE_UTILISATION) * c->device->memory_bytes - fixed;
	wanted = fmin(fmax(1, work->concurrency / d), profile(c, ENGINE_SEQUENCES) * p);
	out->batch = fmax(1, fmin(wanted, pool / kv_bytes(c, work->input_tokens +
	                                                             0.6 * work->output_tokens)));
	out->memory_bytes =
		fixed +
		fmin(pool, fmax(one, out->batch * kv_bytes(c, work->input_tokens +
	                                                              0.6 * work->output_tokens)));
	group = fmax(1, out->batch / p);
	closed_loop(c, group, out);
	out->requests_per_s *= fmin(d, fmax(1, work->concurrency)) * fmin(p, out->batch);
	prompt.fresh = fmin(work->input_tokens, profile(c, ENGINE_TOKEN_BUDGET));
	prompt.cached = (work->input_tokens - prompt.fresh) / 2;
	out->prefill_s = step(c, &prompt);
	out->decode_s = step(c, &stream);
}

/* --- training --------------------------------------------------------------------- */

/* Dense and expert parameters of a rank: `weights` in elements. */
static void rank_elements(const struct reference_case *c, double *dense, double *expert)
{
	const struct wg_model *m = model_of(c);
	const struct wg_stack *stack = &m->stacks[0];
	double t = t_of(c), experts_all = 0, copied = 0, outer;

	for (unsigned i = 0; i < stack->layer_count; i++) {
		const struct wg_ffn *ffn = &stack->layers[stack->order[i]].ffn;

		if (ffn->kind == WG_FFN_MOE) {
			experts_all += ffn->experts * ffn->expert_parameters;
			copied += (double)stack->hidden * ffn->experts;
		}
	}
	outer = c->layout.pipeline > 1 ? fmax(m->embedding_parameters, m->head_parameters)
	                               : outer_elements(c);
	*dense = ((m->parameters - outer_elements(c) - experts_all) * stage_layers(c) + outer) / t +
	         copied * stage_layers(c) * (1 - 1 / t);
	*expert = experts_all * stage_layers(c) / expert_ranks(c);
}

static double all_reduce(const struct reference_case *c, double n, double stride, double bytes)
{
	double inside = fmin(n, fmax(1, floor(gpus_per_node(c) / stride)));

	if (n <= 1)
		return 0;
	if (inside >= n)
		return ring_all_reduce(&c->device->node, n, bytes);
	return 2 * gather(c, inside, stride, bytes) +
	       ring_all_reduce(&c->device->network, n / inside, bytes / inside);
}

static double gradients(const struct reference_case *c, double micro_batches, double compute_s)
{
	double d = c->layout.data, de = t_of(c) * d / expert_ranks(c), dense, expert, total;
	double overlap = profile(c, ENGINE_OVERLAP);

	if (d <= 1)
		return 0;
	rank_elements(c, &dense, &expert);
	if (c->layout.zero_stage >= 3) {
		total = 3 * micro_batches *
		        (gather(c, d, t_of(c), 2 * dense) +
		         gather(c, de, expert_ranks(c), 2 * expert));
	} else {
		total = all_reduce(c, d, t_of(c), 2 * dense) +
		        all_reduce(c, de, expert_ranks(c), 2 * expert);
		compute_s /= micro_batches;
	}
	return fmax(total * (1 - overlap), total - overlap * compute_s * 2 / 3);
}

void reference_train(const struct reference_case *c, double micro_batch, struct reference *out)
{
	const struct wg_work *work = &c->estimator->work;
	double p = c->layout.pipeline, d = c->layout.data, share = work->global_batch / d;
	double micro_batches = ceil(share / fmin(micro_batch, share)), b = share / micro_batches;
	double again = c->layout.recompute >= 2 ? 1 : 0, busy, host, one, dense, expert, shards;
	struct work_of_step w = { .prefill = b,
		                  .fresh = work->sequence_tokens,
		                  .logits = b * work->sequence_tokens };
	struct sums s = pass(c, &w);

	busy = s.matrix * (3 + again) + s.attention * (3.5 + again) +
	       s.element * (c->layout.recompute >= 1 ? 4 : 3) + s.tensor_link * (2 + again) +
	       s.send * 2;
	host = fmax(0, 3 * launches(c) - busy) +
	       3 * model_of(c)->stacks[0].layer_count * profile(c, ENGINE_LAYER_S);
	one = (busy + host) / p;
	rank_elements(c, &dense, &expert);
	shards = c->layout.zero_stage >= 1 ? d : 1;
	out->train_step_s =
		(micro_batches + p - 1) * one + gradients(c, micro_batches, micro_batches * one) +
		30 * (dense / shards + expert / fmax(1, shards * t_of(c) / expert_ranks(c))) /
			c->device->bytes_per_s +
		profile(c, ENGINE_STEP_S);
}
