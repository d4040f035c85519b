#include "cli/estimate_node.h"

void wg_node_layout(struct wg_node *parent, const char *key, const struct wg_layout *layout)
{
	struct wg_node *node = wg_node_object(parent, key);
	wg_node_integer(node, "tensor", layout->tensor);
	wg_node_integer(node, "pipeline", layout->pipeline);
	wg_node_integer(node, "data", layout->data);
	wg_node_integer(node, "expert", layout->expert);
	wg_node_integer(node, "zero_stage", layout->zero_stage);
	wg_node_integer(node, "recompute", layout->recompute);
}

void wg_node_memory(struct wg_node *parent, const char *key, const struct wg_memory *memory)
{
	struct wg_node *node = wg_node_object(parent, key);
	wg_node_number(node, "total_bytes", memory->total_bytes);
	wg_node_number(node, "available_bytes", memory->available_bytes);
	struct wg_node *terms = wg_node_object(node, "terms");
	for (unsigned i = 0; i < WG_MEMORY_TERM_COUNT; i++) {
		wg_node_number(terms, wg_memory_term_key((enum wg_memory_term)i), memory->terms[i]);
	}
	wg_node_number(node, "kv_pool_tokens", memory->kv_pool_tokens);
	wg_node_number(node, "largest_context_tokens", memory->largest_context_tokens);
	wg_node_bool(node, "fits", memory->fits);
}

void wg_node_metrics(struct wg_node *parent, const char *key, const struct wg_metrics *metrics)
{
	const struct {
		const char *key;
		struct wg_range range;
	} rows[] = {
		{ "decode_tokens_per_s", metrics->decode_tokens_per_s },
		{ "prefill_tokens_per_s", metrics->prefill_tokens_per_s },
		{ "output_tokens_per_s", metrics->output_tokens_per_s },
		{ "total_tokens_per_s", metrics->total_tokens_per_s },
		{ "requests_per_s", metrics->requests_per_s },
		{ "samples_per_s", metrics->samples_per_s },
		{ "ttft_s", metrics->ttft_s },
		{ "tpot_s", metrics->tpot_s },
		{ "step_s", metrics->step_s },
		{ "tokens_per_s", metrics->tokens_per_s },
		{ "tokens_per_s_per_gpu", metrics->tokens_per_s_per_gpu },
		{ "model_flops_utilisation", metrics->model_flops_utilisation },
		{ "hours_total", metrics->hours_total },
		{ "flop_per_s", metrics->flop_per_s },
	};
	struct wg_node *node = wg_node_object(parent, key);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (rows[i].range.known) {
			wg_node_range(node, rows[i].key, rows[i].range);
		}
	}
}

void wg_node_time_terms(struct wg_node *parent, const char *key,
                        const double seconds[WG_TIME_TERM_COUNT])
{
	struct wg_node *list = wg_node_array(parent, key);
	for (unsigned i = 0; i < WG_TIME_TERM_COUNT; i++) {
		enum wg_time_term term = (enum wg_time_term)i;
		if (seconds[i] > 0) {
			struct wg_node *node = wg_node_object(list, NULL);
			wg_node_string(node, "term", wg_time_term_key(term));
			wg_node_number(node, "seconds", seconds[i]);
			wg_node_string(node, "bound", wg_bound_key(wg_time_term_bound(term)));
		}
	}
}

void wg_node_estimate(struct wg_node *parent, const char *key, const struct wg_estimate *estimate)
{
	struct wg_node *node = wg_node_object(parent, key);
	wg_node_metrics(node, "metrics", &estimate->metrics);
	wg_node_string(node, "bound", wg_bound_key(estimate->bound));
	wg_node_string(node, "largest_term", wg_time_term_key(estimate->largest_term));
	wg_node_time_terms(node, "time_terms", estimate->time_terms);
	wg_node_memory(node, "memory", &estimate->memory);
	wg_node_range(node, "watts", estimate->watts);
	wg_node_number(node, "batch", estimate->batch);
	wg_node_number(node, "micro_batch", estimate->micro_batch);
	wg_node_bool(node, "waves", estimate->waves);
}
