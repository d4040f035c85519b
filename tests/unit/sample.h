/* A document with every kind of block and cell, for the tests of the writers. */
#ifndef WG_TESTS_SAMPLE_H
#define WG_TESTS_SAMPLE_H

#include "whichgpu/report.h"

static const struct wg_column sample_columns[] = {
	{ "gpu", "GPU", 0, false },
	{ "gpus", "how many", 0, true },
	{ "layout", "layout", 3, false },
	{ "memory_bytes", "memory per GPU", 1, true },
	{ "output_tokens_per_s", "speed", 0, true },
	{ "board_watts", "power", 2, true },
	{ "usd_per_hour", "rent", 0, true },
};

static inline void sample_rows(struct wg_block *table)
{
	const struct wg_cell rows[][7] = {
		{ wg_cell_text("h100-sxm"), wg_cell_number(2, WG_UNIT_COUNT),
		  wg_cell_text("tensor 2"), wg_cell_of(71.23e9, 79.1e9, WG_UNIT_BYTES),
		  wg_cell_range(wg_range_make(640, 812, 1030), WG_UNIT_TOKENS_PER_S),
		  wg_cell_number(1400, WG_UNIT_WATTS), wg_cell_number(3.98, WG_UNIT_USD_PER_HOUR) },
		{ wg_cell_text("=1+1|<b>"),
		  wg_cell_number(16, WG_UNIT_COUNT),
		  wg_cell_text("tensor 4, pipeline 4"),
		  wg_cell_of(9.5e9, 24.1e9, WG_UNIT_BYTES),
		  { .kind = WG_CELL_NOT_KNOWN },
		  { .kind = WG_CELL_ABSENT },
		  wg_cell_number(11.2, WG_UNIT_USD_PER_HOUR) },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		wg_table_row(table, rows[i]);
}

static inline void sample_data(struct wg_node *data)
{
	struct wg_figure figure = { .value = 165.2e12,
		                    .state = WG_KNOWN,
		                    .confidence = WG_CONFIDENCE_HIGH,
		                    .source = &(struct wg_source){ .id = "ada-whitepaper" } };
	struct wg_node *plans = wg_node_array(data, "plans");
	struct wg_node *plan = wg_node_object(plans, NULL);

	wg_node_string(plan, "gpu", "h100-sxm \"quoted\" \x01");
	wg_node_integer(plan, "gpus", 2);
	wg_node_range(plan, "output_tokens_per_s", wg_range_make(640, 812, 1030));
	wg_node_range(plan, "ttft_s", (struct wg_range){ .known = false });
	wg_node_figure(plan, "fp16", &figure);
	figure.state = WG_ABSENT;
	wg_node_figure(plan, "fp8", &figure);
	wg_node_bool(plan, "fits", true);
	wg_node_number(plan, "share", 0.1);
	wg_node_null(plan, "engine");
	wg_node_string(plan, "note", NULL);
	wg_node_array(data, "refused");
}

static inline struct wg_document *sample_document(void)
{
	struct wg_document *document = wg_document_open("sample");
	struct wg_block *block;

	sample_data(wg_document_data(document));
	wg_document_heading(document, "A model of 70 B parameters, 32 requests in flight");
	wg_document_note(document, "\"A100\" is several GPUs: a100-sxm-80gb was taken\nand so on");
	wg_document_paragraph(document, "The first choice wins because its memory bandwidth per "
	                                "dollar is the highest of those that hold the weights.\n"
	                                "1. not a list\n# not a heading & not <markup>");
	block = wg_document_table(document, "options", "Options", sample_columns, 7);
	sample_rows(block);
	block = wg_document_list(document, "figures", "Figures");
	wg_list_item(block, "memory bandwidth", wg_cell_number(3352e9, WG_UNIT_BYTES_PER_S));
	wg_list_item(block, "a label that is far too long for the column of labels",
	             wg_cell_text("显存带宽决定了生成速度，因此选择显卡时首先看带宽。"));
	wg_list_item(block, "FP8", (struct wg_cell){ .kind = WG_CELL_NOT_KNOWN });
	block = wg_document_bars(document, "terms", "Where the time goes");
	wg_bars_item(block, "weights", wg_cell_number(0.0123, WG_UNIT_SECONDS));
	wg_bars_item(block, "links", wg_cell_number(0.00093, WG_UNIT_SECONDS));
	return document;
}

#endif
