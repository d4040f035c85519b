/* The plan command in three parts: plan_request.c reads the options,
 * wg_plan_search computes, plan_show.c fills the document. */
#ifndef WHICHGPU_CLI_PLAN_H
#define WHICHGPU_CLI_PLAN_H

#include "cli/cli.h"
#include "whichgpu/plan.h"

struct plan_arguments {
	struct wg_words model;
	int task, kernel, precision, objective, kv;
	double input_tokens, output_tokens, concurrency, requests, context;
	double sequence, global_batch, micro_batch, tokens;
	int64_t lora_rank;
	double flop_per_byte, flop, bytes;
	struct wg_words gpus, weights;
	const char *vendor, *engine, *provider_class;
	int64_t max_gpus, top;
	bool rent, buy, spot, no_price, pareto;
	struct wg_money budget, run_budget;
	double deadline, ttft, tpot, min_tokens_per_s, watts;
};

/* Everything the search needs, opened; close it with plan_inputs_done. */
struct plan_inputs {
	struct wg_catalog *catalog;
	struct wg_price_book *book;
	struct wg_model *model;
	const struct wg_gpu **gpus;
	struct wg_plan_request request;
};

enum wg_status plan_inputs_read(const struct wg_cli *cli, const struct plan_arguments *arguments,
                                struct wg_document *document, struct plan_inputs *ret_inputs,
                                struct wg_error *error);
void plan_inputs_done(struct plan_inputs *inputs);

void plan_show(const struct plan_inputs *inputs, const struct wg_plans *plans, size_t top,
               struct wg_document *document);

extern const char *const plan_kernel_keys[];

#endif
