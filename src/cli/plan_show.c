/* What `plan` found, as a document. */
#include "cli/plan.h"

#include <ctype.h>

#include "cli/estimate_node.h"

#define REFUSED_SHOWN 24

/* Of the weights, with a star when it is not as stored; of a scientific code,
 * of its numbers. */
static const char *precision_of(const struct wg_plan *plan, const struct wg_work *work)
{
	return work->task == WG_TASK_SCIENCE ? wg_rate_key(work->science_rate)
	                                     : wg_weight_format_key(plan->estimate.format.weights);
}

/* --- data ---------------------------------------------------------------- */

static void put_quote(struct wg_node *parent, const char *key, const struct wg_quote *quote)
{
	if (!quote->usd.known) {
		wg_node_null(parent, key);
		return;
	}
	struct wg_node *node = wg_node_object(parent, key);
	wg_node_range(node, "usd", quote->usd);
	wg_node_string(node, "kind", wg_price_kind_key(quote->kind));
	wg_node_string(node, "provider_class", wg_provider_class_key(quote->provider_class));
	wg_node_integer(node, "offers", (int64_t)quote->offers);
	wg_node_string(node, "oldest", quote->oldest->as_of);
	wg_node_string(node, "newest", quote->newest->as_of);
	wg_node_string(node, "source", quote->newest->source);
	wg_node_bool(node, "stale", quote->stale);
	wg_node_bool(node, "with_server", quote->with_server);
}

static const char *unit_key(enum wg_work_unit unit)
{
	switch (unit) {
	case WG_WORK_OUTPUT_TOKENS:
		return "usd_per_million_output_tokens";
	case WG_WORK_TRAINED_TOKENS:
		return "usd_per_million_trained_tokens";
	case WG_WORK_SAMPLES:
		return "usd_per_million_samples";
	case WG_WORK_FLOP:
		return "usd_per_exaflop";
	}
	return "";
}

static void put_cost(struct wg_node *parent, const struct wg_plan *plan)
{
	const struct wg_layout_cost *cost = &plan->cost;
	struct wg_node *node = wg_node_object(parent, "cost");
	wg_node_range(node, "usd_per_hour", cost->usd_per_hour);
	wg_node_range(node, unit_key(cost->unit), cost->usd_per_unit);
	wg_node_range(node, "usd_per_run", cost->usd_per_run);
	wg_node_range(node, "usd_per_gpu", cost->usd_per_gpu);
	wg_node_range(node, "usd_to_buy", cost->usd_to_buy);
	wg_node_range(node, "usd_per_dense_tflops_hour", cost->usd_per_tflops_hour);
	wg_node_range(node, "energy_usd_per_hour", cost->energy_usd_per_hour);
	put_quote(node, "rent", &plan->rent);
	put_quote(node, "purchase", &plan->purchase);
}

static void put_plan(struct wg_node *list, const struct wg_plan *plan, const struct wg_work *work)
{
	const struct wg_estimate *estimate = &plan->estimate;
	struct wg_node *node = wg_node_object(list, NULL);
	wg_node_integer(node, "rank", plan->rank);
	wg_node_string(node, "gpu", plan->gpu->id);
	wg_node_integer(node, "gpus", estimate->layout.gpus);
	wg_node_integer(node, "nodes", estimate->layout.nodes);
	wg_node_layout(node, "layout", &estimate->layout);
	wg_node_string(node, "precision", precision_of(plan, work));
	wg_node_bool(node, "as_stored", plan->as_stored);
	wg_node_string(node, "quality_loss",
	               plan->as_stored ? "" : wg_weight_format_quality(estimate->format.weights));
	wg_node_string(node, "engine", estimate->engine);
	wg_node_estimate(node, "estimate", estimate);
	put_cost(node, plan);
	wg_node_bool(node, "priced", plan->priced);
	wg_node_bool(node, "within_usual_latency", plan->within_usual);
	struct wg_node *why = wg_node_array(node, "why");
	for (size_t i = 0; i < plan->why_count; i++) {
		wg_node_string(why, NULL, plan->why[i]);
	}
}

static void put_flips(struct wg_node *data, const struct wg_plans *plans)
{
	struct wg_node *list = wg_node_array(data, "flips");
	for (size_t i = 0; i < plans->flip_count; i++) {
		const struct wg_flip *flip = &plans->flips[i];
		struct wg_node *node = wg_node_object(list, NULL);
		wg_node_string(node, "kind", wg_flip_key(flip->kind));
		wg_node_string(node, "gpu", flip->gpu != NULL ? flip->gpu->id : NULL);
		wg_node_integer(node, "gpus", flip->gpus);
		wg_node_number(node, "now", flip->now);
		wg_node_number(node, "then", flip->then);
		wg_node_string(node, "text", flip->text);
	}
}

static void put_data(const struct plan_inputs *inputs, const struct wg_plans *plans, size_t top,
                     struct wg_document *document)
{
	struct wg_node *data = wg_document_data(document);
	wg_node_string(data, "task", wg_task_key(inputs->request.work.task));
	wg_node_string(data, "model", inputs->model != NULL ? inputs->model->id : NULL);
	wg_node_string(data, "objective", wg_objective_key(inputs->request.objective));
	wg_node_string(data, "pay", wg_pay_key(inputs->request.price.pay));
	wg_node_integer(data, "max_gpus", plans->max_gpus);
	wg_node_integer(data, "gpus_looked_at", (int64_t)plans->gpus_looked_at);
	wg_node_integer(data, "options", (int64_t)plans->count);
	struct wg_node *notes = wg_node_array(data, "notes");
	for (size_t i = 0; i < plans->note_count; i++) {
		wg_node_string(notes, NULL, plans->notes[i]);
	}
	struct wg_node *list = wg_node_array(data, "plans");
	for (size_t i = 0; i < plans->count && i < top; i++) {
		put_plan(list, &plans->plans[i], plans->work);
	}
	struct wg_node *refused = wg_node_array(data, "refused");
	for (size_t i = 0; i < plans->refused_count; i++) {
		struct wg_node *node = wg_node_object(refused, NULL);
		wg_node_string(node, "gpu", plans->refused[i].gpu->id);
		wg_node_integer(node, "gpus", plans->refused[i].gpus);
		wg_node_string(node, "key", plans->refused[i].key);
		wg_node_string(node, "reason", plans->refused[i].reason);
	}
	put_flips(data, plans);
}

/* --- view ---------------------------------------------------------------- */

/* Titles are short: the table has to fit 100 columns, and 80 with less. */
#define COLUMNS(speed_key, unit_key_, unit_title)                               \
	{                                                                       \
		{ "gpu", N_("GPU"), 0, false }, { "gpus", N_("n"), 0, true },   \
			{ "layout", N_("layout"), 3, false },                   \
			{ "precision", N_("type"), 0, false },                  \
			{ "memory_per_gpu_bytes", N_("memory each"), 1, true }, \
			{ speed_key, N_("speed"), 0, true },                    \
			{ "ttft_s", N_("first token"), 2, true },               \
			{ "watts", N_("power"), 5, true },                      \
			{ "usd_per_hour", N_("cost"), 0, true },                \
			{ "usd_per_gpu", N_("a GPU"), 4, true },                \
			{ unit_key_, unit_title, 0, true },                     \
	}
#define COLUMN_COUNT 11

static const struct wg_column columns_tokens[COLUMN_COUNT] =
	COLUMNS("output_tokens_per_s", "usd_per_million_output_tokens", N_("cost"));
static const struct wg_column columns_trained[COLUMN_COUNT] =
	COLUMNS("tokens_per_s", "usd_per_million_trained_tokens", N_("cost"));
static const struct wg_column columns_samples[COLUMN_COUNT] =
	COLUMNS("samples_per_s", "usd_per_million_samples", N_("per million"));
static const struct wg_column columns_flop[COLUMN_COUNT] =
	COLUMNS("flop_per_s", "usd_per_exaflop", N_("per EFLOP"));

static struct wg_cell speed_cell(const struct wg_plan *plan)
{
	const struct wg_metrics *metrics = &plan->estimate.metrics;
	switch (plan->cost.unit) {
	case WG_WORK_OUTPUT_TOKENS:
		return wg_cell_range(metrics->output_tokens_per_s, WG_UNIT_TOKENS_PER_S);
	case WG_WORK_TRAINED_TOKENS:
		return wg_cell_range(metrics->tokens_per_s, WG_UNIT_TOKENS_PER_S);
	case WG_WORK_SAMPLES:
		return wg_cell_range(metrics->samples_per_s, WG_UNIT_PER_S);
	case WG_WORK_FLOP:
		return wg_cell_range(metrics->flop_per_s, WG_UNIT_OPS_PER_S);
	}
	return (struct wg_cell){ .kind = WG_CELL_EMPTY };
}

static enum wg_unit cost_unit(enum wg_work_unit unit)
{
	bool tokens = unit == WG_WORK_OUTPUT_TOKENS || unit == WG_WORK_TRAINED_TOKENS;

	return tokens ? WG_UNIT_USD_PER_MILLION_TOKENS : WG_UNIT_USD;
}

/* The likely value alone: the range is in the document and would not fit. */
static struct wg_cell likely_cell(struct wg_range range, enum wg_unit unit)
{
	return range.known ? wg_cell_number(range.likely, unit)
	                   : (struct wg_cell){ .kind = WG_CELL_NOT_KNOWN };
}

static void show_row(struct wg_block *table, const struct wg_plan *plan, const struct wg_work *work)
{
	const struct wg_estimate *estimate = &plan->estimate;
	char layout[64], precision[48];
	wg_layout_write_short(&estimate->layout, layout, sizeof layout);
	snprintf(precision, sizeof precision, "%s%s", precision_of(plan, work),
	         plan->as_stored ? "" : "*");
	const struct wg_cell cells[COLUMN_COUNT] = {
		wg_cell_text(plan->gpu->id),
		wg_cell_number(estimate->layout.gpus, WG_UNIT_COUNT),
		wg_cell_text(layout),
		wg_cell_text(precision),
		wg_cell_of(estimate->memory.total_bytes, estimate->memory.available_bytes,
		           WG_UNIT_BYTES),
		speed_cell(plan),
		work->task == WG_TASK_SERVE ? likely_cell(estimate->metrics.ttft_s, WG_UNIT_SECONDS)
					    : (struct wg_cell){ .kind = WG_CELL_EMPTY },
		likely_cell(estimate->watts, WG_UNIT_WATTS),
		likely_cell(plan->cost.usd_per_hour, WG_UNIT_USD_PER_HOUR),
		likely_cell(plan->cost.usd_per_gpu, WG_UNIT_USD),
		likely_cell(plan->cost.usd_per_unit, cost_unit(plan->cost.unit)),
	};
	wg_table_row(table, cells);
}

static const struct wg_column *columns_for(enum wg_work_unit unit)
{
	switch (unit) {
	case WG_WORK_OUTPUT_TOKENS:
		return columns_tokens;
	case WG_WORK_TRAINED_TOKENS:
		return columns_trained;
	case WG_WORK_SAMPLES:
		return columns_samples;
	case WG_WORK_FLOP:
		return columns_flop;
	}
	return columns_tokens;
}

/* What each starred precision costs in quality, in a word. */
static void show_quality(unsigned starred, struct wg_document *document)
{
	struct wg_text words;
	wg_text_init(&words, 1024);
	wg_text_add(&words, _("* weights are not as stored; loss of quality:"));
	for (unsigned i = 0; i < WG_WEIGHTS_COUNT; i++) {
		const char *quality = wg_weight_format_quality((enum wg_weight_format)i);
		if (starred & (1u << i)) {
			wg_text_printf(&words, " %s %s",
			               wg_weight_format_key((enum wg_weight_format)i),
			               quality[0] != '\0' ? _(quality) : _("none"));
			wg_text_add(&words, starred >> (i + 1) != 0 ? "," : "");
		}
	}
	wg_document_note(document, wg_text_string(&words));
	wg_text_done(&words);
}

/* "llama-3.1-70b, serve: 32 requests at a time, 1000 + 300 tokens each". */
static void put_job(const struct plan_inputs *inputs, const struct wg_work *work,
                    struct wg_text *out)
{
	if (inputs->model != NULL) {
		wg_text_printf(out, "%s, ", inputs->model->id);
	}
	wg_text_add(out, wg_task_key(work->task));
	switch (work->task) {
	case WG_TASK_SERVE:
		wg_text_printf(out, _(": %.0f requests at a time, %.0f + %.0f tokens each"),
		               work->concurrency, work->input_tokens, work->output_tokens);
		break;
	case WG_TASK_BATCH:
		wg_text_printf(out, _(": %.0f + %.0f tokens a request"), work->input_tokens,
		               work->output_tokens);
		break;
	case WG_TASK_SCIENCE:
		wg_text_printf(out, _(", %s"), wg_rate_label(work->science_rate));
		break;
	default:
		wg_text_printf(out, _(": steps of %.0f sequences of %.0f tokens"),
		               work->global_batch, work->sequence_tokens);
		break;
	}
}

static void show_options(const struct plan_inputs *inputs, const struct wg_plans *plans, size_t top,
                         struct wg_document *document)
{
	struct wg_text title;
	struct wg_block *table;
	struct wg_column columns[COLUMN_COUNT];
	memcpy(columns, columns_for(plans->plans[0].cost.unit), sizeof columns);
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		columns[i].title = _(columns[i].title);
	}
	unsigned starred = 0;
	wg_text_init(&title, 1024);
	wg_text_add(&title, _("Options, best first, for "));
	put_job(inputs, plans->work, &title);
	table = wg_document_table(document, "options", wg_text_string(&title), columns,
	                          COLUMN_COUNT);
	wg_text_done(&title);
	for (size_t i = 0; i < plans->count && i < top; i++) {
		const struct wg_plan *plan = &plans->plans[i];
		show_row(table, plan, plans->work);
		starred |= plan->as_stored ? 0 : 1u << plan->estimate.format.weights;
	}
	wg_table_main(table);
	if (starred != 0) {
		show_quality(starred, document);
	}
}

/* One paragraph: what wins, why, and what would change it. */
static void show_first(const struct wg_plans *plans, struct wg_document *document)
{
	const struct wg_plan *first = &plans->plans[0];
	char layout[96];
	struct wg_text words;
	wg_text_init(&words, 16384);
	wg_layout_write(&first->estimate.layout, layout, sizeof layout);
	wg_text_printf(&words, _("First choice: %u x %s (%s), %s, run by %s."),
	               first->estimate.layout.gpus, first->gpu->id, layout,
	               precision_of(first, plans->work),
	               first->estimate.engine != NULL ? first->estimate.engine : _("your program"));
	for (size_t i = 0; i < first->why_count; i++) {
		wg_text_printf(&words, " %c%s.", toupper((unsigned char)first->why[i][0]),
		               first->why[i] + 1);
	}
	wg_document_paragraph(document, wg_text_string(&words));
	wg_text_done(&words);
}

static const char *flip_words(enum wg_flip_kind kind)
{
	static const char *const words[] = {
		[WG_FLIP_PRICE] = N_("price"),         [WG_FLIP_CONTEXT] = N_("context"),
		[WG_FLIP_MORE_GPUS] = N_("more GPUs"), [WG_FLIP_WEIGHTS] = N_("precision"),
		[WG_FLIP_LIMIT] = N_("a limit"),
	};

	return _(words[kind]);
}

static void show_flips(const struct wg_plans *plans, struct wg_document *document)
{
	if (plans->flip_count == 0) {
		return;
	}
	struct wg_block *list = wg_document_list(
		document, "flips",
		plans->count > 0 ? _("What would change the choice") : _("What would help"));
	for (size_t i = 0; i < plans->flip_count; i++) {
		wg_list_item(list, flip_words(plans->flips[i].kind),
		             wg_cell_text(plans->flips[i].text));
	}
}

static void show_refused(const struct wg_plans *plans, struct wg_document *document)
{
	struct wg_text label;
	if (plans->refused_count == 0) {
		return;
	}
	wg_text_init(&label, 512);
	struct wg_block *list = wg_document_list(document, "refused", _("Refused"));
	for (size_t i = 0; i < plans->refused_count && i < REFUSED_SHOWN; i++) {
		const struct wg_plan_refusal *refused = &plans->refused[i];
		wg_text_clear(&label);
		wg_text_printf(&label, "%s x%u", refused->gpu->id, refused->gpus);
		wg_list_item(list, wg_text_string(&label), wg_cell_text(refused->reason));
	}
	if (plans->refused_count > REFUSED_SHOWN) {
		wg_text_clear(&label);
		wg_text_printf(&label, _("%zu more; all of them with --json"),
		               plans->refused_count - REFUSED_SHOWN);
		wg_list_item(list, "...", wg_cell_text(wg_text_string(&label)));
	}
	wg_text_done(&label);
}

static void show_none(const struct wg_plans *plans, struct wg_document *document)
{
	struct wg_text words;
	wg_text_init(&words, 512);
	wg_text_printf(&words,
	               _("Nothing does this work within the limits (GPUs looked at: %zu, up "
	                 "to %u of each)."),
	               plans->gpus_looked_at, plans->max_gpus);
	wg_document_paragraph(document, wg_text_string(&words));
	wg_text_done(&words);
}

void plan_show(const struct plan_inputs *inputs, const struct wg_plans *plans, size_t top,
               struct wg_document *document)
{
	put_data(inputs, plans, top, document);
	for (size_t i = 0; i < plans->note_count; i++) {
		wg_document_note(document, plans->notes[i]);
	}
	if (plans->count > 0) {
		show_options(inputs, plans, top, document);
		show_first(plans, document);
	} else {
		show_none(plans, document);
	}
	show_flips(plans, document);
	show_refused(plans, document);
}
