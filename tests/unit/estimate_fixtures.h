/* GPUs and models for the estimator's tests, from the vendors' data sheets and
 * the models' published configurations, so that the tests do not move when the
 * catalogue does. */
#ifndef WG_TEST_ESTIMATE_FIXTURES_H
#define WG_TEST_ESTIMATE_FIXTURES_H

#include <stdio.h>
#include <string.h>

#include "whichgpu/estimate.h"

struct gpu_facts {
	const char *id, *architecture;
	enum wg_gpu_class class;
	enum wg_link_kind link;
	enum wg_peer peer;
	double memory_gib, gb_per_s, watts, units;
	double bf16, fp8, fp4, fp64, fp32; /* dense TFLOPS; 0: none */
	double link_gb_per_s, link_gpus, pcie;
};

static inline void figure_set(struct wg_figure *figure, double value)
{
	figure->state = value > 0 ? WG_KNOWN : WG_ABSENT;
	figure->value = value;
}

static inline struct wg_gpu gpu_of(const struct gpu_facts *facts)
{
	struct wg_gpu gpu = { .id = facts->id,
		              .name = facts->id,
		              .class = facts->class,
		              .link = facts->link,
		              .peer = facts->peer };

	gpu.facts[WG_GPU_FACT_VENDOR].value = "NVIDIA";
	gpu.facts[WG_GPU_FACT_ARCHITECTURE].value = facts->architecture;
	figure_set(&gpu.figures[WG_GPU_MEMORY], facts->memory_gib * 1073741824.0);
	figure_set(&gpu.figures[WG_GPU_BANDWIDTH], facts->gb_per_s * 1e9);
	figure_set(&gpu.figures[WG_GPU_POWER], facts->watts);
	figure_set(&gpu.figures[WG_GPU_UNITS], facts->units);
	figure_set(&gpu.figures[WG_GPU_LINK], facts->link_gb_per_s * 1e9);
	figure_set(&gpu.figures[WG_GPU_LINK_GPUS], facts->link_gpus);
	figure_set(&gpu.figures[WG_GPU_NODE_GPUS], 8);
	figure_set(&gpu.figures[WG_GPU_PCIE_GENERATION], facts->pcie);
	figure_set(&gpu.figures[WG_GPU_PCIE_LANES], 16);
	figure_set(&gpu.dense[WG_RATE_BF16], facts->bf16 * 1e12);
	figure_set(&gpu.dense[WG_RATE_FP16], facts->bf16 * 1e12);
	figure_set(&gpu.dense[WG_RATE_FP8], facts->fp8 * 1e12);
	figure_set(&gpu.dense[WG_RATE_INT8], facts->bf16 * 2e12);
	figure_set(&gpu.dense[WG_RATE_FP4], facts->fp4 * 1e12);
	figure_set(&gpu.dense[WG_RATE_FP64], facts->fp64 * 1e12);
	figure_set(&gpu.dense[WG_RATE_FP32], facts->fp32 * 1e12);
	return gpu;
}

static const struct gpu_facts rtx_4090 = { "rtx-4090",
	                                   "Ada Lovelace",
	                                   WG_CLASS_CONSUMER,
	                                   WG_LINK_PCIE,
	                                   WG_PEER_NO,
	                                   23.65,
	                                   1008,
	                                   450,
	                                   128,
	                                   165.2,
	                                   330.3,
	                                   0,
	                                   1.29,
	                                   82.6,
	                                   0,
	                                   0,
	                                   4 };
static const struct gpu_facts a100 = { "a100-sxm-80gb",
	                               "Ampere",
	                               WG_CLASS_DATA_CENTRE,
	                               WG_LINK_SWITCH,
	                               WG_PEER_YES,
	                               79.15,
	                               2039,
	                               400,
	                               108,
	                               312,
	                               0,
	                               0,
	                               9.7,
	                               19.5,
	                               300,
	                               8,
	                               4 };
static const struct gpu_facts h100 = { "h100-sxm",
	                               "Hopper",
	                               WG_CLASS_DATA_CENTRE,
	                               WG_LINK_SWITCH,
	                               WG_PEER_YES,
	                               79.11,
	                               3350,
	                               700,
	                               132,
	                               989.4,
	                               1978.9,
	                               0,
	                               33.5,
	                               66.9,
	                               450,
	                               8,
	                               5 };
static const struct gpu_facts rtx_3090 = { "rtx-3090",
	                                   "Ampere",
	                                   WG_CLASS_CONSUMER,
	                                   WG_LINK_BRIDGE,
	                                   WG_PEER_DRIVER,
	                                   23.69,
	                                   936.2,
	                                   350,
	                                   82,
	                                   71.2,
	                                   0,
	                                   0,
	                                   0.56,
	                                   35.6,
	                                   56.25,
	                                   2,
	                                   4 };

/* A Llama-like dense decoder; 0 kv_heads: as many as heads. */
static inline struct wg_model *llama_model(unsigned layers, unsigned hidden, unsigned width,
                                           unsigned heads, unsigned kv_heads, unsigned vocabulary)
{
	char text[512];
	struct wg_model *model = NULL;
	struct wg_error error;

	snprintf(text, sizeof(text),
	         "{\"architectures\":[\"LlamaForCausalLM\"],\"model_type\":\"llama\","
	         "\"num_hidden_layers\":%u,\"hidden_size\":%u,\"intermediate_size\":%u,"
	         "\"num_attention_heads\":%u,\"num_key_value_heads\":%u,\"vocab_size\":%u,"
	         "\"max_position_embeddings\":131072,\"tie_word_embeddings\":false,"
	         "\"torch_dtype\":\"bfloat16\"}",
	         layers, hidden, width, heads, kv_heads, vocabulary);
	if (wg_model_open_config(text, strlen(text), "test", &model, &error) != WG_OK)
		fprintf(stderr, "%s\n", error.message);
	return model;
}

static inline struct wg_model *llama_8b(void)
{
	return llama_model(32, 4096, 14336, 32, 8, 128256);
}

static inline struct wg_model *llama_70b(void)
{
	return llama_model(80, 8192, 28672, 64, 8, 128256);
}

static inline struct wg_layout layout_of(unsigned tensor, unsigned pipeline, unsigned data)
{
	unsigned gpus = tensor * pipeline * data;

	return (struct wg_layout){ .gpus = gpus,
		                   .nodes = (gpus + 7) / 8,
		                   .tensor = tensor,
		                   .pipeline = pipeline,
		                   .data = data,
		                   .expert = 1 };
}

#endif
