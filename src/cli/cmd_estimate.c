/* estimate MODEL --gpu GPU: speed, memory and power of one layout. */
#include <string.h>

#include "cli/estimate.h"
#include "cli/gpus.h"

struct estimate_arguments {
	struct wg_words model;
	const char *gpu, *weights, *engine;
	int64_t gpus, nodes, tensor, pipeline, data, expert, lora_rank;
	int task, kv, zero, recompute;
	double input_tokens, output_tokens, concurrency, requests;
	double sequence, global_batch, micro_batch, tokens;
};

static const char *const task_keys[] = { "serve", "batch", "train", "finetune",
	                                 "lora",  "qlora", NULL };
static const char *const kv_keys[] = { "bf16", "fp8", NULL };
static const char *const zero_keys[] = { "quickest", "0", "1", "2", "3", NULL };
static const char *const recompute_keys[] = { "quickest", "none", "selective", "full", NULL };

#define AT(member) offsetof(struct estimate_arguments, member)
#define GPUS_MOST 4096

static const struct wg_option options[] = {
	{ .name = "gpu",
	  .letter = 'g',
	  .kind = WG_OPTION_TEXT,
	  .argument = N_("GPU"),
	  .offset = AT(gpu),
	  .help = N_("which GPU") },
	{ .name = "gpus",
	  .letter = 'n',
	  .kind = WG_OPTION_INTEGER,
	  .low = 1,
	  .high = GPUS_MOST,
	  .otherwise = "1",
	  .offset = AT(gpus),
	  .help = N_("how many of them") },
	{ .name = "task",
	  .letter = 't',
	  .kind = WG_OPTION_CHOICE,
	  .otherwise = "serve",
	  .choices = task_keys,
	  .offset = AT(task),
	  .help = N_("what they are for") },
	/* the layout */
	{ .name = "tensor",
	  .kind = WG_OPTION_INTEGER,
	  .low = 1,
	  .high = GPUS_MOST,
	  .offset = AT(tensor),
	  .otherwise_words = N_("the quickest"),
	  .help = N_("GPUs that share each layer") },
	{ .name = "pipeline",
	  .kind = WG_OPTION_INTEGER,
	  .low = 1,
	  .high = GPUS_MOST,
	  .offset = AT(pipeline),
	  .otherwise_words = N_("the quickest"),
	  .help = N_("stages that the layers are divided into") },
	{ .name = "data-parallel",
	  .kind = WG_OPTION_INTEGER,
	  .low = 1,
	  .high = GPUS_MOST,
	  .offset = AT(data),
	  .otherwise_words = N_("the quickest"),
	  .help = N_("copies of the model side by side") },
	{ .name = "expert",
	  .kind = WG_OPTION_INTEGER,
	  .low = 1,
	  .high = GPUS_MOST,
	  .offset = AT(expert),
	  .otherwise_words = N_("the quickest"),
	  .help = N_("GPUs that share a layer's experts") },
	{ .name = "nodes",
	  .kind = WG_OPTION_INTEGER,
	  .low = 1,
	  .high = GPUS_MOST,
	  .offset = AT(nodes),
	  .otherwise_words = N_("as few as the usual node allows"),
	  .help = N_("machines they stand in") },
	{ .name = "zero",
	  .kind = WG_OPTION_CHOICE,
	  .otherwise = "quickest",
	  .choices = zero_keys,
	  .offset = AT(zero),
	  .help = N_("training: what the copies share out (ZeRO stage)") },
	{ .name = "recompute",
	  .kind = WG_OPTION_CHOICE,
	  .otherwise = "quickest",
	  .choices = recompute_keys,
	  .offset = AT(recompute),
	  .help = N_("training: activations made again instead of kept") },
	/* the work */
	{ .name = "input-tokens",
	  .kind = WG_OPTION_COUNT,
	  .offset = AT(input_tokens),
	  .otherwise_words = N_("the task's"),
	  .help = N_("tokens of a request's prompt") },
	{ .name = "output-tokens",
	  .kind = WG_OPTION_COUNT,
	  .offset = AT(output_tokens),
	  .otherwise_words = N_("the task's"),
	  .help = N_("tokens generated for a request") },
	{ .name = "concurrency",
	  .kind = WG_OPTION_COUNT,
	  .offset = AT(concurrency),
	  .otherwise_words = N_("the task's"),
	  .help = N_("requests in flight at any time") },
	{ .name = "requests",
	  .kind = WG_OPTION_COUNT,
	  .offset = AT(requests),
	  .help = N_("batch: requests in all") },
	{ .name = "sequence",
	  .kind = WG_OPTION_COUNT,
	  .offset = AT(sequence),
	  .otherwise_words = N_("the task's"),
	  .help = N_("tokens of a training sequence") },
	{ .name = "global-batch",
	  .kind = WG_OPTION_COUNT,
	  .offset = AT(global_batch),
	  .otherwise_words = N_("the task's"),
	  .help = N_("sequences of a training step") },
	{ .name = "micro-batch",
	  .kind = WG_OPTION_COUNT,
	  .offset = AT(micro_batch),
	  .otherwise_words = N_("the largest that fits"),
	  .help = N_("sequences of one pass on one GPU") },
	{ .name = "tokens",
	  .kind = WG_OPTION_COUNT,
	  .offset = AT(tokens),
	  .help = N_("tokens of the whole training run") },
	{ .name = "lora-rank",
	  .kind = WG_OPTION_INTEGER,
	  .low = 1,
	  .high = 4096,
	  .offset = AT(lora_rank),
	  .otherwise_words = N_("the task's"),
	  .help = N_("rank of the adapters") },
	/* how it is run */
	{ .name = "weights",
	  .kind = WG_OPTION_TEXT,
	  .argument = N_("PRECISION"),
	  .offset = AT(weights),
	  .otherwise_words = N_("as stored"),
	  .help = N_("precision of the weights, such as bf16, fp8 or int4") },
	{ .name = "kv",
	  .kind = WG_OPTION_CHOICE,
	  .otherwise = "bf16",
	  .choices = kv_keys,
	  .offset = AT(kv),
	  .help = N_("precision of the KV cache") },
	{ .name = "engine",
	  .kind = WG_OPTION_TEXT,
	  .argument = N_("NAME"),
	  .offset = AT(engine),
	  .otherwise_words = N_("the usual one"),
	  .help = N_("software that runs the model") },
};

static struct wg_work work_of(const struct estimate_arguments *a)
{
	return (struct wg_work){
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
	};
}

static enum wg_status read_weights(const struct estimate_arguments *a,
                                   struct estimate_inputs *inputs, struct wg_error *error)
{
	inputs->weights = inputs->model->stored.format;
	if (a->weights == NULL || wg_weight_format_find(a->weights, &inputs->weights))
		return WG_OK;
	wg_error_set(error, WG_BAD_INPUT, _("unknown precision of weights \"%.40s\""), a->weights);
	wg_error_hint(error, _("one of fp32, bf16, fp16, fp8, int8, int8-weight-only, int4, nf4, "
	                       "mxfp4, nvfp4"));
	return WG_BAD_INPUT;
}

/* As few nodes as hold the GPUs, of those that divide them. */
static unsigned nodes_for(const struct wg_gpu *gpu, unsigned gpus)
{
	double most = wg_figure_or(&gpu->figures[WG_GPU_NODE_GPUS], 8);
	unsigned nodes = 1;

	while (nodes < gpus && (gpus % nodes != 0 || (double)gpus / nodes > most))
		nodes++;
	return nodes;
}

static enum wg_status read_inputs(const struct wg_cli *cli, const struct estimate_arguments *a,
                                  struct wg_document *document, struct estimate_inputs *inputs,
                                  struct wg_error *error)
{
	struct wg_model_options model_options = { .offline = cli->offline };
	struct wg_node *data = wg_document_data(document);
	struct wg_work work = work_of(a);
	enum wg_status status;

	if (a->gpu == NULL) {
		wg_error_set(error, WG_BAD_INPUT, _("no GPU given"));
		wg_error_hint(error, _("whichgpu estimate llama-3.1-70b --gpu h100-sxm --gpus 4"));
		return WG_BAD_INPUT;
	}
	if ((status = wg_cli_catalog(cli, &inputs->catalog, error)) != WG_OK ||
	    (status = wg_cli_gpu(inputs->catalog, a->gpu, document,
	                         wg_node_array(data, "assumptions"), &inputs->gpu, error)) !=
	            WG_OK ||
	    (status = wg_model_open(a->model.items[0], &model_options, &inputs->model, error)) !=
	            WG_OK ||
	    (status = read_weights(a, inputs, error)) != WG_OK ||
	    (status = wg_estimator_open(inputs->model, &work, a->engine, &inputs->estimator,
	                                error)) != WG_OK)
		return status;
	inputs->kv_element_bytes = a->kv == 1 ? 1 : 2;
	inputs->gpus = (unsigned)a->gpus;
	inputs->tensor = (unsigned)a->tensor;
	inputs->pipeline = (unsigned)a->pipeline;
	inputs->data = (unsigned)a->data;
	inputs->expert = (unsigned)a->expert;
	inputs->nodes = a->nodes > 0 ? (unsigned)a->nodes : nodes_for(inputs->gpu, inputs->gpus);
	inputs->zero_stage = a->zero - 1;
	inputs->recompute = a->recompute - 1;
	return WG_OK;
}

static enum wg_status estimate_run(const struct wg_cli *cli, const void *arguments,
                                   struct wg_result *result, struct wg_error *error)
{
	struct estimate_inputs inputs = { 0 };
	struct wg_estimate estimate;
	enum wg_status status = read_inputs(cli, arguments, result->document, &inputs, error);

	if (status == WG_OK) {
		estimate_best(&inputs, &estimate);
		estimate_show(&inputs, &estimate, result->document);
		result->answer_is_no = !estimate.feasible;
	}
	wg_estimator_free(inputs.estimator);
	wg_model_free(inputs.model);
	wg_catalog_free(inputs.catalog);
	return status;
}

static const struct wg_example examples[] = {
	{ "whichgpu estimate llama-3.1-70b --gpu h100-sxm --gpus 4 --concurrency 64",
	  N_("speed, memory and power of one way to serve a model") },
	{ "whichgpu estimate llama-3.1-8b --gpu rtx-4090 --task qlora --json",
	  N_("fine-tuning on one card, as a document for programs") },
};

const struct wg_command wg_command_estimate = {
	.name = "estimate",
	.summary = N_("speed, memory and power of one model on given GPUs"),
	.group = WG_GROUP_CHOOSE,
	.words = { "MODEL", 1, 1, AT(model) },
	.description = N_(
		"Says what a number of GPUs does with a model: tokens a second, time to the first "
		"token, memory of the fullest GPU by term, watts - and which term limits it. Every "
		"speed is a range that should hold in four cases of five. Degrees of the layout "
		"that are not given are chosen so that the whole is quickest.\n\n"
		"Exit status 1 when it does not fit or the layout cannot be; the reason is shown in "
		"numbers."),
	.examples = examples,
	.example_count = sizeof examples / sizeof examples[0],
	.options = options,
	.option_count = sizeof options / sizeof options[0],
	.arguments_bytes = sizeof(struct estimate_arguments),
	.run = estimate_run,
};
