/* What `estimate` found, as a document. */
#include <math.h>

#include "cli/estimate.h"
#include "cli/estimate_node.h"

/* --- data ---------------------------------------------------------------- */

static void put_work(struct wg_node *data, const struct wg_work *work)
{
	struct wg_node *node = wg_node_object(data, "work");

	wg_node_string(node, "task", wg_task_key(work->task));
	if (work->task == WG_TASK_SERVE || work->task == WG_TASK_BATCH) {
		wg_node_number(node, "input_tokens", work->input_tokens);
		wg_node_number(node, "output_tokens", work->output_tokens);
		if (work->task == WG_TASK_SERVE)
			wg_node_number(node, "concurrency", work->concurrency);
	} else {
		wg_node_number(node, "sequence_tokens", work->sequence_tokens);
		wg_node_number(node, "global_batch", work->global_batch);
	}
}

static void put_data(const struct estimate_inputs *inputs, const struct wg_estimate *estimate,
                     const char *reason, struct wg_document *document)
{
	struct wg_node *data = wg_document_data(document);

	wg_node_string(data, "model", inputs->model->id);
	wg_node_string(data, "gpu", inputs->gpu->id);
	wg_node_integer(data, "gpus", estimate->layout.gpus);
	wg_node_integer(data, "nodes", estimate->layout.nodes);
	wg_node_layout(data, "layout", &estimate->layout);
	wg_node_string(data, "precision", wg_weight_format_key(estimate->format.weights));
	wg_node_string(data, "rate", wg_rate_key(estimate->format.rate));
	wg_node_bool(data, "weight_only", estimate->format.weight_only);
	wg_node_string(data, "engine", estimate->engine);
	put_work(data, wg_estimator_work(inputs->estimator));
	wg_node_bool(data, "feasible", estimate->feasible);
	wg_node_string(data, "reason", estimate->feasible ? NULL : reason);
	wg_node_metrics(data, "metrics", &estimate->metrics);
	wg_node_string(data, "bound", estimate->feasible ? wg_bound_key(estimate->bound) : NULL);
	wg_node_string(data, "largest_term",
	               estimate->feasible ? wg_time_term_key(estimate->largest_term) : NULL);
	wg_node_time_terms(data, "time_terms", estimate->time_terms);
	wg_node_memory(data, "memory", &estimate->memory);
	wg_node_range(data, "watts", estimate->watts);
	wg_node_number(data, "batch", estimate->batch);
	wg_node_number(data, "micro_batch", estimate->micro_batch);
	wg_node_bool(data, "waves", estimate->waves);
	wg_node_array(data, "evidence");
}

/* --- view ---------------------------------------------------------------- */

static void show_head(const struct estimate_inputs *inputs, const struct wg_estimate *estimate,
                      struct wg_document *document)
{
	const struct wg_layout *layout = &estimate->layout;
	const struct wg_work *work = wg_estimator_work(inputs->estimator);
	struct wg_text words;

	wg_text_init(&words, 2048);
	wg_text_printf(&words, _("%s on %u x %s, %s"),
	               inputs->model->name[0] != '\0' ? inputs->model->name : inputs->model->id,
	               layout->gpus, inputs->gpu->name,
	               wg_weight_format_label(estimate->format.weights));
	wg_document_heading(document, wg_text_string(&words));
	wg_text_clear(&words);
	wg_text_printf(&words, _("Layout: tensor %u, pipeline %u, data %u"), layout->tensor,
	               layout->pipeline, layout->data);
	if (layout->expert > 1)
		wg_text_printf(&words, _(", expert %u"), layout->expert);
	wg_text_printf(&words, _("; nodes %u; run by %s."), layout->nodes,
	               estimate->engine != NULL ? estimate->engine : _("nothing we know"));
	if (work->task == WG_TASK_SERVE || work->task == WG_TASK_BATCH) {
		wg_text_printf(&words, _(" Requests of %.0f + %.0f tokens"), work->input_tokens,
		               work->output_tokens);
		if (work->task == WG_TASK_SERVE)
			wg_text_printf(&words, _(", %.0f in flight"), work->concurrency);
	} else {
		static const char *const recomputed[] = { N_("none"), N_("selective"), N_("full") };

		wg_text_printf(&words,
		               _(" Sequences of %.0f tokens, %.0f a step, %.0f a pass; ZeRO %u; "
		                 "recompute %s"),
		               work->sequence_tokens, work->global_batch, estimate->micro_batch,
		               layout->zero_stage, _(recomputed[layout->recompute % 3]));
	}
	wg_text_add_char(&words, '.');
	wg_document_paragraph(document, wg_text_string(&words));
	wg_text_done(&words);
}

static void show_metrics(const struct wg_estimate *estimate, struct wg_document *document)
{
	const struct wg_metrics *m = &estimate->metrics;
	const struct {
		const char *label;
		struct wg_range range;
		enum wg_unit unit;
	} rows[] = {
		{ N_("output tokens, all requests"), m->output_tokens_per_s, WG_UNIT_TOKENS_PER_S },
		{ N_("input and output tokens"), m->total_tokens_per_s, WG_UNIT_TOKENS_PER_S },
		{ N_("requests"), m->requests_per_s, WG_UNIT_PER_S },
		{ N_("samples"), m->samples_per_s, WG_UNIT_PER_S },
		{ N_("time to the first token"), m->ttft_s, WG_UNIT_SECONDS },
		{ N_("time of an output token"), m->tpot_s, WG_UNIT_SECONDS },
		{ N_("one stream alone, decode"), m->decode_tokens_per_s, WG_UNIT_TOKENS_PER_S },
		{ N_("one prompt alone, prefill"), m->prefill_tokens_per_s, WG_UNIT_TOKENS_PER_S },
		{ N_("trained tokens"), m->tokens_per_s, WG_UNIT_TOKENS_PER_S },
		{ N_("trained tokens a GPU"), m->tokens_per_s_per_gpu, WG_UNIT_TOKENS_PER_S },
		{ N_("a step"), m->step_s, WG_UNIT_SECONDS },
		{ N_("share of the peak used"), m->model_flops_utilisation, WG_UNIT_PERCENT },
		{ N_("whole work"), wg_range_scale(m->hours_total, 3600), WG_UNIT_SECONDS },
		{ N_("power of all GPUs"), estimate->watts, WG_UNIT_WATTS },
	};
	const struct wg_column columns[] = {
		{ "metric", _("what"), 0, false },
		{ "value", _("likely (80 % range)"), 0, true },
	};
	struct wg_block *table = wg_document_table(document, "metrics", NULL, columns, 2);

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (!rows[i].range.known)
			continue;
		wg_table_row(table, (const struct wg_cell[]){
					    wg_cell_text(_(rows[i].label)),
					    wg_cell_range(rows[i].range, rows[i].unit) });
	}
	wg_table_main(table);
}

static void show_limit(const struct wg_estimate *estimate, struct wg_document *document)
{
	static const char *const bounds[] = { [WG_BOUND_COMPUTE] = N_("arithmetic"),
		                              [WG_BOUND_MEMORY] = N_("memory bandwidth"),
		                              [WG_BOUND_LINK] = N_("links between GPUs"),
		                              [WG_BOUND_HOST] = N_("the host") };
	double sum = 0, largest = estimate->time_terms[estimate->largest_term];
	struct wg_text words;

	for (int i = 0; i < WG_TIME_TERM_COUNT; i++)
		sum += estimate->time_terms[i];
	wg_text_init(&words, 1024);
	wg_text_printf(&words,
	               _("What limits it: %s. The largest part of a step, %.0f %%, is: %s."),
	               _(bounds[estimate->bound]), 100 * largest / sum,
	               _(wg_time_term_label(estimate->largest_term)));
	if (estimate->waves)
		wg_text_printf(&words, _(" Memory holds %.0f requests at a time; the rest wait."),
		               floor(estimate->batch * estimate->layout.data));
	if (estimate->format.weight_only)
		wg_text_printf(&words, _(" Weights are expanded to %s before they are multiplied."),
		               wg_rate_label(estimate->format.rate));
	wg_document_paragraph(document, wg_text_string(&words));
	wg_text_done(&words);
}

static void show_times(const struct wg_estimate *estimate, struct wg_document *document)
{
	struct wg_block *bars =
		wg_document_bars(document, "time_terms", _("Where a step's time goes"));

	for (int i = 0; i < WG_TIME_TERM_COUNT; i++)
		if (estimate->time_terms[i] > 0)
			wg_bars_item(bars, _(wg_time_term_label((enum wg_time_term)i)),
			             wg_cell_number(estimate->time_terms[i], WG_UNIT_SECONDS));
}

static void show_memory(const struct wg_memory *memory, struct wg_document *document)
{
	struct wg_block *list =
		wg_document_list(document, "memory", _("Memory of the fullest GPU"));
	struct wg_block *bars;

	wg_list_item(list, _("needed of available"),
	             wg_cell_of(memory->total_bytes, memory->available_bytes, WG_UNIT_BYTES));
	if (memory->kv_pool_tokens > 0)
		wg_list_item(list, _("KV cache holds"),
		             wg_cell_number(floor(memory->kv_pool_tokens), WG_UNIT_TOKENS));
	if (memory->largest_context_tokens > 0)
		wg_list_item(list, _("largest context of one request"),
		             wg_cell_number(memory->largest_context_tokens, WG_UNIT_TOKENS));
	bars = wg_document_bars(document, "memory_terms", NULL);
	for (int i = 0; i < WG_MEMORY_TERM_COUNT; i++)
		if (memory->terms[i] > 0)
			wg_bars_item(bars, _(wg_memory_term_label((enum wg_memory_term)i)),
			             wg_cell_number(memory->terms[i], WG_UNIT_BYTES));
}

void estimate_show(const struct estimate_inputs *inputs, const struct wg_estimate *estimate,
                   struct wg_document *document)
{
	char reason[200];

	wg_refusal_write(&estimate->refusal, reason, sizeof reason);
	put_data(inputs, estimate, reason, document);
	show_head(inputs, estimate, document);
	for (size_t i = 0; i < inputs->model->warning_count; i++)
		wg_document_note(document, inputs->model->warnings[i]);
	if (estimate->feasible) {
		show_metrics(estimate, document);
		show_limit(estimate, document);
		show_times(estimate, document);
	} else {
		struct wg_text words;

		wg_text_init(&words, 512);
		wg_text_printf(&words, _("It cannot run: %s."), reason);
		wg_document_paragraph(document, wg_text_string(&words));
		wg_text_done(&words);
	}
	if (estimate->memory.total_bytes > 0)
		show_memory(&estimate->memory, document);
}
