/* From the options of `plan` to a request. */
#include "cli/plan.h"

#include <string.h>

static const double kv_bytes[] = { 2, 1 };

static enum wg_status bad(struct wg_error *error, const char *message, const char *hint)
{
	wg_error_set(error, WG_BAD_INPUT, "%s", message);
	wg_error_hint(error, "%s", hint);
	return WG_BAD_INPUT;
}

/* Options that only some tasks have; given with another task they are a
 * mistake, not something to pass over. */
static enum wg_status check_task_options(const struct wg_cli *cli, enum wg_task task,
                                         struct wg_error *error)
{
	static const struct {
		const char *name;
		unsigned tasks;
	} rows[] = {
#define INFERENCE (1u << WG_TASK_SERVE | 1u << WG_TASK_BATCH)
#define TRAINING \
	(1u << WG_TASK_TRAIN | 1u << WG_TASK_FINETUNE | 1u << WG_TASK_LORA | 1u << WG_TASK_QLORA)
#define SCIENCE (1u << WG_TASK_SCIENCE)
		{ "input-tokens", INFERENCE },
		{ "output-tokens", INFERENCE },
		{ "concurrency", INFERENCE },
		{ "requests", 1u << WG_TASK_BATCH },
		{ "context", INFERENCE },
		{ "kv", INFERENCE },
		{ "sequence", TRAINING },
		{ "global-batch", TRAINING },
		{ "micro-batch", TRAINING },
		{ "tokens", TRAINING },
		{ "lora-rank", 1u << WG_TASK_LORA | 1u << WG_TASK_QLORA },
		{ "kernel", SCIENCE },
		{ "precision", SCIENCE },
		{ "flop-per-byte", SCIENCE },
		{ "flop", SCIENCE },
		{ "bytes", SCIENCE },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (wg_cli_given(cli, rows[i].name) && (rows[i].tasks & (1u << task)) == 0) {
			wg_error_set(error, WG_BAD_INPUT, "--%s has no meaning for the task \"%s\"",
			             rows[i].name, wg_task_key(task));
			return WG_BAD_INPUT;
		}
	}
	return WG_OK;
}

static enum wg_status check_pay(const struct plan_arguments *a, struct wg_error *error)
{
	if (a->rent + a->buy + a->spot > 1) {
		return bad(error, "--rent, --spot and --buy exclude each other",
		           "take one of them");
	}
	if (a->no_price && (a->rent || a->buy || a->spot || a->provider_class != NULL)) {
		return bad(error,
		           "--no-price leaves prices out, so it goes with none of --rent, "
		           "--spot, --buy and --class",
		           "leave out one of them");
	}
	if (a->buy && a->provider_class != NULL) {
		return bad(error, "--class is about rent, not about buying",
		           "leave out one of them");
	}
	return WG_OK;
}

static void fill_work(const struct plan_arguments *a, struct wg_work *work)
{
	*work = (struct wg_work){
		.task = (enum wg_task)a->task,
		.input_tokens = a->input_tokens,
		.output_tokens = a->output_tokens,
		.concurrency = a->concurrency,
		.requests = a->requests,
		.sequence_tokens = a->sequence,
		.global_batch = a->global_batch,
		.micro_batch = a->micro_batch,
		.total_tokens = a->tokens,
		.lora_rank = (unsigned)a->lora_rank,
		.kernel =
			a->flop_per_byte > 0 ? WG_SCIENCE_GIVEN : (enum wg_science_kernel)a->kernel,
		.science_rate = a->precision == 0 ? WG_RATE_FP64 : WG_RATE_FP32,
		.flop_per_byte = a->flop_per_byte,
		.total_flop = a->flop,
		.science_bytes = a->bytes,
	};
}

static enum wg_status read_money(const struct wg_cli *cli, const char *option,
                                 const struct wg_money *money, double *ret_usd,
                                 struct wg_error *error)
{
	if (!wg_cli_given(cli, option)) {
		return WG_OK;
	}
	if (money->amount <= 0) {
		return wg_error_set(error, WG_BAD_INPUT, "--%s is not above zero", option);
	}
	return wg_money_to_usd(money, ret_usd, error);
}

static enum wg_status read_limits(const struct wg_cli *cli, const struct plan_arguments *a,
                                  struct wg_limits *limits, struct wg_error *error)
{
	*limits = (struct wg_limits){
		.deadline_s = a->deadline,
		.ttft_s = a->ttft,
		.tpot_s = a->tpot,
		.tokens_per_s = a->min_tokens_per_s,
		.context_tokens = a->context,
		.watts = a->watts,
		.max_gpus = (unsigned)a->max_gpus,
	};
	enum wg_status status = read_money(cli, "budget", &a->budget, &limits->budget_usd, error);
	return status == WG_OK ? read_money(cli, "run-budget", &a->run_budget,
	                                    &limits->run_budget_usd, error)
	                       : status;
}

/* "any", or format keys; default: as stored. */
static enum wg_status read_weights(const struct wg_words *words, const struct wg_model *model,
                                   unsigned *ret_mask, struct wg_error *error)
{
	static const enum wg_weight_format any[] = { WG_WEIGHTS_FP8, WG_WEIGHTS_INT4,
		                                     WG_WEIGHTS_NVFP4 };
	unsigned mask = 0;
	for (size_t i = 0; i < words->count; i++) {
		enum wg_weight_format format;
		if (strcmp(words->items[i], "any") == 0) {
			for (size_t k = 0; k < sizeof any / sizeof any[0]; k++) {
				mask |= 1u << any[k];
			}
			mask |= model != NULL ? 1u << model->stored.format : 0;
		} else if (wg_weight_format_find(words->items[i], &format)) {
			mask |= 1u << format;
		} else {
			wg_error_set(error, WG_BAD_INPUT, "unknown precision of weights \"%.40s\"",
			             words->items[i]);
			wg_error_hint(error, "any, or one of fp32, bf16, fp16, fp8, int8, "
			                     "int8-weight-only, int4, nf4, mxfp4, nvfp4");
			return WG_BAD_INPUT;
		}
	}
	*ret_mask = mask;
	return WG_OK;
}

/* An ambiguous name is taken as the variant usually meant, and said. */
static enum wg_status read_gpus(const struct wg_words *words, struct plan_inputs *inputs,
                                struct wg_document *document, struct wg_error *error)
{
	if (words->count == 0) {
		return WG_OK;
	}
	inputs->gpus = calloc(words->count, sizeof inputs->gpus[0]);
	if (inputs->gpus == NULL) {
		return wg_error_no_memory(error);
	}
	for (size_t i = 0; i < words->count; i++) {
		struct wg_error doubt;
		wg_error_init(&doubt);
		enum wg_status status = wg_catalog_match(inputs->catalog, words->items[i],
		                                         &inputs->gpus[i], &doubt);
		if (status == WG_AMBIGUOUS) {
			struct wg_text note;
			wg_text_init(&note, 2048);
			wg_text_printf(&note, _("\"%s\" is taken as %s (%s)"), words->items[i],
			               inputs->gpus[i]->id, doubt.hint);
			wg_document_note(document, wg_text_string(&note));
			wg_text_done(&note);
		} else if (status != WG_OK) {
			*error = doubt;
			return status;
		}
	}
	inputs->request.gpus = inputs->gpus;
	inputs->request.gpu_count = words->count;
	return WG_OK;
}

static enum wg_status open_model(const struct wg_cli *cli, const struct plan_arguments *a,
                                 struct plan_inputs *inputs, struct wg_error *error)
{
	bool science = a->task == WG_TASK_SCIENCE;
	if (science) {
		return a->model.count == 0 ? WG_OK
		                           : bad(error, "the task \"science\" takes no model",
		                                 "whichgpu plan --task science --kernel dgemm");
	}
	if (a->model.count == 0) {
		return bad(error, "no model given", "whichgpu plan llama-3.1-70b --task serve");
	}
	struct wg_model_options options = { .offline = cli->offline };
	return wg_model_open(a->model.items[0], &options, &inputs->model, error);
}

static enum wg_status read_class(const struct plan_arguments *a, struct wg_price_choice *choice,
                                 struct wg_error *error)
{
	choice->pay = a->buy ? WG_PAY_BUY : a->spot ? WG_PAY_SPOT : WG_PAY_RENT;
	choice->provider_class = WG_PROVIDER_CLASS_COUNT;
	if (a->provider_class != NULL &&
	    !wg_provider_class_find(a->provider_class, &choice->provider_class)) {
		wg_error_set(error, WG_BAD_INPUT, "unknown class of provider \"%.40s\"",
		             a->provider_class);
		wg_error_hint(error, "hyperscaler, neocloud or marketplace");
		return WG_BAD_INPUT;
	}
	return WG_OK;
}

static enum wg_status fill_request(const struct wg_cli *cli, const struct plan_arguments *a,
                                   struct wg_document *document, struct plan_inputs *inputs,
                                   struct wg_error *error)
{
	struct wg_plan_request *request = &inputs->request;
	request->catalog = inputs->catalog;
	request->book = a->no_price ? NULL : inputs->book;
	request->model = inputs->model;
	request->vendor = a->vendor;
	request->objective = (enum wg_objective)a->objective;
	request->kv_element_bytes = kv_bytes[a->kv];
	request->engine = a->engine;
	request->pareto = a->pareto;
	fill_work(a, &request->work);
	enum wg_status status = read_limits(cli, a, &request->limits, error);
	if (status == WG_OK) {
		status = read_class(a, &request->price, error);
	}
	if (status == WG_OK) {
		status = read_weights(&a->weights, inputs->model, &request->weights, error);
	}
	return status == WG_OK ? read_gpus(&a->gpus, inputs, document, error) : status;
}

enum wg_status plan_inputs_read(const struct wg_cli *cli, const struct plan_arguments *arguments,
                                struct wg_document *document, struct plan_inputs *ret_inputs,
                                struct wg_error *error)
{
	*ret_inputs = (struct plan_inputs){ 0 };
	enum wg_task task = (enum wg_task)arguments->task;
	enum wg_status status = check_task_options(cli, task, error);
	if (status == WG_OK) {
		status = check_pay(arguments, error);
	}
	if (status == WG_OK) {
		status = open_model(cli, arguments, ret_inputs, error);
	}
	if (status == WG_OK) {
		status = wg_catalog_open(cli->data_folder, &ret_inputs->catalog, error);
	}
	if (status == WG_OK && !arguments->no_price) {
		status = wg_price_book_open(&ret_inputs->book, error);
	}
	return status == WG_OK ? fill_request(cli, arguments, document, ret_inputs, error) : status;
}

void plan_inputs_done(struct plan_inputs *inputs)
{
	free(inputs->gpus);
	wg_model_free(inputs->model);
	wg_price_book_free(inputs->book);
	wg_catalog_free(inputs->catalog);
}
