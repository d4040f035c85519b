/* whichgpu prices list: the price book, by GPU and class of provider. */
#include "cli/cli.h"

#include <string.h>

#include "whichgpu/price.h"

/* Rows of the view's list of single prices; the document has them all. */
#define ROWS_SHOWN 60

struct prices_arguments {
	struct wg_words words;
	const char *kind, *provider_class;
};

static const struct wg_option options[] = {
	{ .name = "kind",
	  .kind = WG_OPTION_TEXT,
	  .argument = N_("KIND"),
	  .help = N_("only prices of this kind: on-demand, spot, reserved-1y, reserved-3y, "
	             "purchase-new, purchase-used, msrp, server-8gpu"),
	  .offset = offsetof(struct prices_arguments, kind) },
	{ .name = "class",
	  .kind = WG_OPTION_TEXT,
	  .argument = N_("CLASS"),
	  .help = N_(
		  "only of this class of provider: hyperscaler, neocloud, marketplace, reseller, "
		  "vendor, retail"),
	  .offset = offsetof(struct prices_arguments, provider_class) },
};

/* What the words and options ask for, looked up. */
struct question {
	const struct wg_price_book *book;
	const char *gpu;         /* NULL: all */
	enum wg_price_kind kind; /* COUNT: any */
	enum wg_provider_class provider_class;
};

static enum wg_status read_question(const struct prices_arguments *arguments,
                                    const struct wg_catalog *catalog, struct wg_document *document,
                                    struct question *question, struct wg_error *error)
{
	question->kind = WG_PRICE_KIND_COUNT;
	question->provider_class = WG_PROVIDER_CLASS_COUNT;
	if (strcmp(arguments->words.items[0], "list") != 0) {
		wg_error_set(error, WG_BAD_INPUT, "\"%.40s\" is nothing prices can do",
		             arguments->words.items[0]);
		wg_error_hint(error, "whichgpu prices list [GPU]");
		return WG_BAD_INPUT;
	}
	if (arguments->kind != NULL && !wg_price_kind_find(arguments->kind, &question->kind)) {
		wg_error_set(error, WG_BAD_INPUT, "unknown kind of price \"%.40s\"",
		             arguments->kind);
		wg_error_hint(error, "on-demand, spot, reserved-1y, reserved-3y, purchase-new, "
		                     "purchase-used, msrp or server-8gpu");
		return WG_BAD_INPUT;
	}
	if (arguments->provider_class != NULL &&
	    !wg_provider_class_find(arguments->provider_class, &question->provider_class)) {
		wg_error_set(error, WG_BAD_INPUT, "unknown class of provider \"%.40s\"",
		             arguments->provider_class);
		wg_error_hint(error,
		              "hyperscaler, neocloud, marketplace, reseller, vendor or retail");
		return WG_BAD_INPUT;
	}
	if (arguments->words.count < 2) {
		return WG_OK;
	}
	const struct wg_gpu *gpu = NULL;
	struct wg_error doubt;
	enum wg_status status = wg_catalog_match(catalog, arguments->words.items[1], &gpu, &doubt);
	if (status != WG_OK && status != WG_AMBIGUOUS) {
		*error = doubt;
		return status;
	}
	if (status == WG_AMBIGUOUS) {
		wg_document_note(document, doubt.hint);
	}
	question->gpu = gpu->id;
	return WG_OK;
}

static bool is_asked(const struct question *question, const struct wg_price *price)
{
	return (question->gpu == NULL || strcmp(question->gpu, price->gpu) == 0) &&
	       (question->kind == WG_PRICE_KIND_COUNT || question->kind == price->kind) &&
	       (question->provider_class == WG_PROVIDER_CLASS_COUNT ||
	        question->provider_class == price->provider_class);
}

static void put_price(struct wg_node *list, const struct wg_price *price)
{
	struct wg_node *node = wg_node_object(list, NULL);
	wg_node_string(node, "gpu", price->gpu);
	wg_node_string(node, "kind", wg_price_kind_key(price->kind));
	wg_node_string(node, "provider", price->provider);
	wg_node_string(node, "provider_class", wg_provider_class_key(price->provider_class));
	wg_node_string(node, "region", price->region);
	wg_node_string(node, "sku", price->sku);
	wg_node_integer(node, "gpus_per_instance", price->gpus_per_instance);
	wg_node_number(node,
	               wg_price_kind_is_hourly(price->kind) ? "usd_per_gpu_hour" : "usd_per_gpu",
	               price->usd);
	wg_node_string(node, "as_of", price->as_of);
	wg_node_string(node, "source", price->source);
	wg_node_string(node, "confidence", price->confidence);
	wg_node_string(node, "notes", price->notes);
}

/* Every price asked for, in the data; how many there are. */
static size_t fill_data(struct wg_document *document, const struct question *question)
{
	struct wg_node *data = wg_document_data(document);
	wg_node_string(data, "as_of", wg_price_book_date(question->book));
	struct wg_node *list = wg_node_array(data, "prices");
	size_t count = 0;
	for (size_t i = 0; i < wg_price_book_count(question->book); i++) {
		const struct wg_price *price = wg_price_book_at(question->book, i);
		if (is_asked(question, price)) {
			put_price(list, price);
			count++;
		}
	}
	return count;
}

/* --- the summary: quartiles by GPU, kind and class ------------------------- */

static const struct wg_column summary_columns[] = {
	{ "gpu", N_("GPU"), 0, false },
	{ "kind", N_("kind"), 0, false },
	{ "provider_class", N_("class"), 0, false },
	{ "offers", N_("offers"), 1, true },
	{ "lowest_usd", N_("lowest"), 2, true },
	{ "p25_usd", N_("25 %"), 1, true },
	{ "median_usd", N_("median"), 0, true },
	{ "p75_usd", N_("75 %"), 1, true },
	{ "highest_usd", N_("highest"), 2, true },
	{ "oldest", N_("oldest"), 3, false },
	{ "newest", N_("newest"), 0, false },
};
#define SUMMARY_COLUMNS (sizeof summary_columns / sizeof summary_columns[0])

static void put_summary(struct wg_node *list, struct wg_block *table, const struct wg_price *price,
                        const struct wg_price_quantiles *q, bool stale)
{
	enum wg_unit unit =
		wg_price_kind_is_hourly(price->kind) ? WG_UNIT_USD_PER_HOUR : WG_UNIT_USD;
	const struct wg_cell cells[SUMMARY_COLUMNS] = {
		wg_cell_text(price->gpu),
		wg_cell_text(wg_price_kind_key(price->kind)),
		wg_cell_text(wg_provider_class_key(price->provider_class)),
		wg_cell_number((double)q->offers, WG_UNIT_COUNT),
		wg_cell_number(q->lowest, unit),
		wg_cell_number(q->p25, unit),
		wg_cell_number(q->median, unit),
		wg_cell_number(q->p75, unit),
		wg_cell_number(q->highest, unit),
		wg_cell_text(q->oldest->as_of),
		wg_cell_text(q->newest->as_of),
	};
	wg_table_row(table, cells);
	struct wg_node *node = wg_node_object(list, NULL);
	wg_node_string(node, "gpu", price->gpu);
	wg_node_string(node, "kind", wg_price_kind_key(price->kind));
	wg_node_string(node, "provider_class", wg_provider_class_key(price->provider_class));
	wg_node_integer(node, "offers", (int64_t)q->offers);
	wg_node_number(node, "lowest_usd", q->lowest);
	wg_node_number(node, "p25_usd", q->p25);
	wg_node_number(node, "median_usd", q->median);
	wg_node_number(node, "p75_usd", q->p75);
	wg_node_number(node, "highest_usd", q->highest);
	wg_node_string(node, "oldest", q->oldest->as_of);
	wg_node_string(node, "newest", q->newest->as_of);
	wg_node_bool(node, "stale", stale);
}

/* Rows are sorted by GPU, kind, class: one summary where one of them changes. */
static void show_summary(struct wg_document *document, const struct question *question)
{
	struct wg_node *list = wg_node_array(wg_document_data(document), "summary");
	struct wg_block *table = wg_document_table(document, "summary", _("By class of provider"),
	                                           summary_columns, SUMMARY_COLUMNS);
	const struct wg_price *last = NULL;
	for (size_t i = 0; i < wg_price_book_count(question->book); i++) {
		const struct wg_price *price = wg_price_book_at(question->book, i);
		bool same = last != NULL && strcmp(last->gpu, price->gpu) == 0 &&
		            last->kind == price->kind &&
		            last->provider_class == price->provider_class;
		last = price;
		struct wg_price_quantiles q;
		if (same || !is_asked(question, price)) {
			continue;
		}
		bool fresh = wg_price_quantiles(question->book, price->gpu, price->kind,
		                                price->provider_class, true, &q);
		if (fresh || wg_price_quantiles(question->book, price->gpu, price->kind,
		                                price->provider_class, false, &q)) {
			put_summary(list, table, price, &q, !fresh);
		}
	}
}

/* --- single prices of one GPU --------------------------------------------- */

static const struct wg_column row_columns[] = {
	{ "kind", N_("kind"), 0, false },
	{ "provider", N_("provider"), 0, false },
	{ "region", N_("region"), 2, false },
	{ "usd", N_("price"), 0, true },
	{ "gpus_per_instance", N_("GPUs"), 2, true },
	{ "as_of", N_("date"), 0, false },
	{ "source", N_("source"), 1, false },
};
#define ROW_COLUMNS (sizeof row_columns / sizeof row_columns[0])

static void show_rows(struct wg_document *document, const struct question *question)
{
	size_t first, count = wg_price_book_find(question->book, question->gpu, &first), shown = 0;
	struct wg_block *table =
		wg_document_table(document, "prices", _("Offers"), row_columns, ROW_COLUMNS);
	for (size_t i = first; i < first + count && shown < ROWS_SHOWN; i++) {
		const struct wg_price *price = wg_price_book_at(question->book, i);
		if (!is_asked(question, price)) {
			continue;
		}
		enum wg_unit unit =
			wg_price_kind_is_hourly(price->kind) ? WG_UNIT_USD_PER_HOUR : WG_UNIT_USD;
		const struct wg_cell cells[ROW_COLUMNS] = {
			wg_cell_text(wg_price_kind_key(price->kind)),
			wg_cell_text(price->provider),
			wg_cell_text(price->region),
			wg_cell_number(price->usd, unit),
			wg_cell_number(price->gpus_per_instance, WG_UNIT_COUNT),
			wg_cell_text(price->as_of),
			wg_cell_text(price->source),
		};
		wg_table_row(table, cells);
		shown++;
	}
}

static void show(struct wg_document *document, const struct question *question, size_t count)
{
	struct wg_text words;
	wg_text_init(&words, 1024);
	wg_text_printf(&words,
	               _("%zu prices; the newest is of %s. Quartiles are of offers of the "
	                 "last 18 months where there are such."),
	               count, wg_price_book_date(question->book));
	wg_document_paragraph(document, wg_text_string(&words));
	wg_text_done(&words);
	show_summary(document, question);
	if (question->gpu != NULL) {
		show_rows(document, question);
	}
}

static enum wg_status prices_run(const struct wg_cli *cli, const void *given,
                                 struct wg_result *result, struct wg_error *error)
{
	struct wg_catalog *catalog = NULL;
	struct wg_price_book *book = NULL;
	struct question question = { 0 };
	enum wg_status status = wg_catalog_open(cli->data_folder, &catalog, error);
	if (status == WG_OK) {
		status = wg_price_book_open(&book, error);
	}
	if (status == WG_OK) {
		question.book = book;
		status = read_question(given, catalog, result->document, &question, error);
	}
	if (status == WG_OK) {
		size_t count = fill_data(result->document, &question);
		show(result->document, &question, count);
		result->answer_is_no = count == 0;
	}
	wg_price_book_free(book);
	wg_catalog_free(catalog);
	return status;
}

static const struct wg_example examples[] = {
	{ "whichgpu prices list h100-sxm", N_("every price of one GPU, by class of provider") },
	{ "whichgpu prices list --kind spot --class marketplace",
	  N_("spot prices of marketplaces, all GPUs") },
};

const struct wg_command wg_command_prices = {
	.name = "prices",
	.summary = N_("the price book: rent and purchase, dated and sourced"),
	.group = WG_GROUP_LOOK_UP,
	.words = { N_("list [GPU]"), 1, 2, offsetof(struct prices_arguments, words) },
	.description = N_("Lists the prices that plans reckon with. Every row has a date and a "
	                  "source. Prices of hyperscalers, neoclouds and marketplaces are kept "
	                  "apart: a median over all of them means little."),
	.examples = examples,
	.example_count = sizeof examples / sizeof examples[0],
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.arguments_bytes = sizeof(struct prices_arguments),
	.run = prices_run,
};
