/* How the weights are stored: the config's data type and quantisation, as bits
 * an element for every part, with scales and zero points. Layouts: knowledge of
 * the formats' own documents (GPTQ and AWQ pack groups with a 16-bit scale and a
 * zero point; bitsandbytes Dettmers et al. 2023 sec. 3; OCP MX 1.0 table 1). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "model/root.h"

#define BF16_BITS 16.0

/* Parts that quantisers convert unless told otherwise. */
static bool is_matrix(int part)
{
	return part <= WG_PART_EXPERTS;
}

static void set_matrices(struct wg_storage *s, double bits, double output_bits, double block_bits)
{
	for (int part = 0; part < WG_PART_COUNT; part++) {
		if (!is_matrix(part))
			continue;
		s->bits[part] = bits;
		s->output_bits[part] = output_bits;
		s->block_bits[part] = block_bits;
	}
}

static void set_plain(struct wg_storage *s, enum wg_part part, double bits)
{
	s->bits[part] = bits;
	s->output_bits[part] = 0;
	s->block_bits[part] = 0;
}

static void read_type(struct wg_builder *builder, struct wg_storage *s)
{
	static const struct {
		const char *name;
		enum wg_weight_format format;
		double bits;
	} types[] = {
		{ "float32", WG_WEIGHTS_FP32, 32 },     { "fp32", WG_WEIGHTS_FP32, 32 },
		{ "bfloat16", WG_WEIGHTS_BF16, 16 },    { "bf16", WG_WEIGHTS_BF16, 16 },
		{ "float16", WG_WEIGHTS_FP16, 16 },     { "fp16", WG_WEIGHTS_FP16, 16 },
		{ "float8_e4m3fn", WG_WEIGHTS_FP8, 8 }, { "fp8", WG_WEIGHTS_FP8, 8 },
	};
	const char *type = wg_config_string_key(&builder->config, "stored\0torch_dtype\0dtype");

	*s = (struct wg_storage){ .format = WG_WEIGHTS_BF16,
		                  .method = "",
		                  .vector_bits = BF16_BITS };
	for (int part = 0; part < WG_PART_COUNT; part++)
		s->bits[part] = BF16_BITS;
	if (type == NULL)
		return;
	if (strncmp(type, "torch.", 6) == 0)
		type += 6;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		if (strcmp(type, types[i].name) != 0)
			continue;
		s->stated = true;
		s->format = types[i].format;
		for (int part = 0; part < WG_PART_COUNT; part++)
			s->bits[part] = types[i].bits;
		return;
	}
	wg_builder_warn(builder, _("weight type \"%.40s\" is not known: 16 bit assumed"), type);
}

/* --- modules left out ---------------------------------------------------- */

static bool mentions(const char *text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strstr(text, *words) != NULL)
			return true;
	return false;
}

/* Which layer a module name is in ("model.layers.12.mlp"); -1: all. */
static long layer_of(const char *module)
{
	const char *at = strstr(module, "layers.");

	return at != NULL && at[7] >= '0' && at[7] <= '9' ? strtol(at + 7, NULL, 10) : -1;
}

/* Share of the layers in which a list of excluded modules names one of words. */
static double excluded_share(const struct wg_json_at *list, const char *const *words,
                             unsigned layers)
{
	size_t count = wg_json_count(list), named = 0;
	unsigned char seen[WG_LIMIT_LAYERS] = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct wg_json_at at = wg_json_element(list, i);
		const char *module;
		long layer;

		if (!wg_json_as_string(&at, &module) || strstr(module, "vision") != NULL ||
		    strstr(module, "norm") != NULL || !mentions(module, words))
			continue;
		layer = layer_of(module);
		if (layer < 0)
			return 1;
		if (layer < WG_LIMIT_LAYERS && !seen[layer]) {
			seen[layer] = 1;
			named++;
		}
	}
	return layers == 0 ? 0 : named >= layers ? 1 : (double)named / layers;
}

static void leave_out(struct wg_storage *s, enum wg_part part, double share, double plain)
{
	s->bits[part] = share * plain + (1 - share) * s->bits[part];
	s->output_bits[part] *= 1 - share;
	s->block_bits[part] *= 1 - share;
}

static void read_exclusions(struct wg_builder *builder, const struct wg_json_at *list,
                            struct wg_storage *s, double plain)
{
	static const char *const attention[] = {
		"self_attn",      "attn.",     "attention", ".mixer.q_proj",
		".mixer.in_proj", "kv_a_proj", NULL
	};
	static const char *const shared[] = { "shared_expert", NULL };
	static const char *const dense[] = { "mlp\\.(gate|up", "mlp.(gate|up", ".mlp.down_proj",
		                             ".mlp.gate_up_proj", NULL };
	unsigned layers = builder->stack_count > 0 ? builder->stacks[0].stack.layer_count : 0;

	if (wg_json_type(list) != WG_JSON_ARRAY)
		return;
	leave_out(s, WG_PART_ATTENTION, excluded_share(list, attention, layers), plain);
	leave_out(s, WG_PART_SHARED, excluded_share(list, shared, layers), plain);
	leave_out(s, WG_PART_FFN, excluded_share(list, dense, layers), plain);
}

/* --- methods --------------------------------------------------------------- */

struct method {
	struct wg_config config; /* of the quantisation object */
	struct wg_builder *builder;
	struct wg_storage *storage;
	double plain; /* bits of what stays as it was */
};

static const char *label(struct method *m, const char *format, unsigned a, unsigned b)
{
	char text[64];
	const char *copy;

	/* format is one of the literals below, with at most two numbers */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof text, format, a, b);
#pragma GCC diagnostic pop
	copy = wg_arena_strdup(m->builder->arena, text);
	if (copy == NULL)
		wg_builder_no_memory(m->builder);
	return copy != NULL ? copy : "";
}

/* Groups of weights with a 16-bit scale and a zero point of the same width. */
static void method_grouped(struct method *m, const char *name)
{
	unsigned bits = wg_config_get_key(&m->config, "bits\0w_bit", 1, 16, 4);
	struct wg_json_at at;
	unsigned group = 128;
	double element;

	/* group_size -1: one scale an output row */
	if (wg_config_find_key(&m->config, "group_size\0q_group_size", &at)) {
		int64_t size;

		if (wg_json_as_integer(&at, &size) && size <= 0)
			group = 0;
		else
			group = wg_config_get_key(&m->config, "group_size\0q_group_size", 1, 65536,
			                          128);
	}
	element = bits + (group > 0 ? (16.0 + bits) / group : 0);
	set_matrices(m->storage, element, group > 0 ? 0 : 16.0 + bits, 0);
	m->storage->packing = (struct wg_packing){ bits, group };
	m->storage->format = bits <= 4 ? WG_WEIGHTS_INT4 : WG_WEIGHTS_INT8_ONLY;
	m->storage->method = label(m, name, bits, group);
}

static void method_gptq(struct method *m)
{
	method_grouped(m, "gptq %u bit, group %u");
}

static void method_awq(struct method *m)
{
	method_grouped(m, "awq %u bit, group %u");
}

static void method_fp8(struct method *m)
{
	struct wg_json_at block;
	const char *experts = wg_config_string_key(&m->builder->config, "expert_dtype");

	m->storage->format = WG_WEIGHTS_FP8;
	if (wg_config_find_key(&m->config, "weight_block_size", &block)) {
		unsigned rows = wg_config_element(&m->config, &block, 0, 1, 65536, 128);
		unsigned columns = wg_config_element(&m->config, &block, 1, 1, 65536, 128);

		set_matrices(m->storage, 8, 0, 32.0 * (128.0 * 128.0) / ((double)rows * columns));
		m->storage->method = label(m, "fp8, blocks of %u x %u", rows, columns);
	} else {
		set_matrices(m->storage, 8, 0, 0);
		m->storage->method = "fp8";
	}
	if (experts != NULL && strcmp(experts, "fp4") == 0) {
		m->storage->format = WG_WEIGHTS_MXFP4;
		m->storage->bits[WG_PART_EXPERTS] = 4 + 8.0 / 32;
		m->storage->block_bits[WG_PART_EXPERTS] = 0;
		m->storage->method = "fp8, experts fp4";
	}
}

/* NF4: blocks of 64 with a 32-bit scale; double quantised: 8 bits a block and
 * 32 for each 256 blocks (QLoRA 2023, sec. 3). */
static void method_bitsandbytes(struct method *m)
{
	bool four = wg_config_flag_key(&m->config, "load_in_4bit\0_load_in_4bit", false);
	bool twice = wg_config_flag_key(&m->config, "bnb_4bit_use_double_quant", false);

	if (four) {
		m->storage->format = WG_WEIGHTS_NF4;
		set_matrices(m->storage, 4 + (twice ? 8.0 / 64 + 32.0 / (64 * 256) : 32.0 / 64), 0,
		             0);
		m->storage->method =
			twice ? "bitsandbytes 4 bit, double quantised" : "bitsandbytes 4 bit";
	} else {
		m->storage->format = WG_WEIGHTS_INT8;
		set_matrices(m->storage, 8, 32, 0);
		m->storage->method = "bitsandbytes 8 bit";
	}
}

static void method_mxfp4(struct method *m)
{
	m->storage->format = WG_WEIGHTS_MXFP4;
	if (m->builder->main.elements[WG_PART_EXPERTS] > 0)
		m->storage->bits[WG_PART_EXPERTS] = 4 + 8.0 / 32;
	else
		set_matrices(m->storage, 4 + 8.0 / 32, 0, 0);
	m->storage->method = "mxfp4";
}

/* MLX: every matrix, embedding and head included, in groups with a 16-bit
 * scale and a 16-bit offset. */
static void method_mlx(struct method *m)
{
	unsigned bits = wg_config_get_key(&m->config, "bits", 1, 8, 4);
	unsigned group = wg_config_get_key(&m->config, "group_size", 1, 65536, 64);
	double element = bits + 32.0 / group;

	set_matrices(m->storage, element, 0, 0);
	set_plain(m->storage, WG_PART_ROUTER, element);
	set_plain(m->storage, WG_PART_EMBEDDING, element);
	set_plain(m->storage, WG_PART_HEAD, element);
	m->storage->packing = (struct wg_packing){ bits, group };
	m->storage->format = bits <= 4 ? WG_WEIGHTS_INT4 : WG_WEIGHTS_INT8_ONLY;
	m->storage->method = label(m, "mlx %u bit, group %u", bits, group);
}

static void method_compressed(struct method *m)
{
	struct wg_json_at groups, group, weights;
	const char *type, *strategy, *format, *first;
	unsigned bits, size;
	bool activations, is_float;

	if (!wg_config_find_key(&m->config, "config_groups", &groups))
		return;
	group = wg_json_member_at(&groups, 0, &first);
	weights = wg_json_member(&group, "weights");
	struct wg_json_at input = wg_json_member(&group, "input_activations");
	activations = wg_json_type(&input) == WG_JSON_OBJECT;
	struct wg_config inner;
	wg_config_init_at(&inner, &weights, m->builder->config.error);
	bits = wg_config_get_key(&inner, "num_bits", 1, 16, 8);
	size = wg_config_get_key(&inner, "group_size", 1, 65536, 0);
	type = wg_config_string_key(&inner, "type");
	strategy = wg_config_string_key(&inner, "strategy");
	format = wg_config_string_key(&m->config, "format");
	if (inner.status != WG_OK) {
		m->builder->config.status = inner.status;
		return;
	}
	m->storage->packing = (struct wg_packing){ bits, size };
	is_float = type != NULL && strcmp(type, "float") == 0;
	if (format == NULL)
		format = "";
	if (bits == 4 && is_float) {
		bool nv = strstr(format, "nvfp4") != NULL || size == 16;

		m->storage->format = nv ? WG_WEIGHTS_NVFP4 : WG_WEIGHTS_MXFP4;
		set_matrices(m->storage, 4 + 8.0 / (nv ? 16 : 32), 0, 0);
		m->storage->method = nv ? "compressed-tensors nvfp4" : "compressed-tensors mxfp4";
	} else {
		bool channel = strategy != NULL && strcmp(strategy, "channel") == 0;

		m->storage->format = bits <= 4     ? WG_WEIGHTS_INT4
		                     : is_float    ? WG_WEIGHTS_FP8
		                     : activations ? WG_WEIGHTS_INT8
		                                   : WG_WEIGHTS_INT8_ONLY;
		set_matrices(m->storage, bits + (size > 0 ? 16.0 / size : 0), channel ? 16 : 0, 0);
		m->storage->method = label(m,
		                           is_float   ? "compressed-tensors fp%u"
		                           : size > 0 ? "compressed-tensors int%u, group %u"
		                                      : "compressed-tensors int%u",
		                           bits, size);
	}
}

/* NVIDIA's model optimizer, in config.json or in hf_quant_config.json. */
static void method_modelopt(struct method *m)
{
	const char *algorithm = wg_config_string_key(&m->config, "quant_algo");

	if (algorithm == NULL)
		algorithm = "";
	if (strstr(algorithm, "NVFP4") != NULL || strstr(algorithm, "FP4") != NULL) {
		m->storage->format = WG_WEIGHTS_NVFP4;
		set_matrices(m->storage, 4 + 8.0 / 16, 0, 0);
		m->storage->method = "modelopt nvfp4";
	} else if (strncmp(algorithm, "FP8", 3) == 0) {
		m->storage->format = WG_WEIGHTS_FP8;
		set_matrices(m->storage, 8, 0, 0);
		m->storage->method = "modelopt fp8";
	} else if (strstr(algorithm, "W4A") != NULL || strstr(algorithm, "INT4") != NULL) {
		m->storage->format = WG_WEIGHTS_INT4;
		set_matrices(m->storage, 4 + 16.0 / 128, 0, 0);
		m->storage->method = "modelopt int4";
	} else {
		wg_builder_warn(m->builder,
		                _("quantisation algorithm \"%.40s\" is not known: 16 bit taken"),
		                algorithm);
	}
}

static const struct {
	const char *name;
	void (*apply)(struct method *method);
} methods[] = {
	{ "gptq", method_gptq },
	{ "gptq_marlin", method_gptq },
	{ "auto-round", method_gptq },
	{ "intel/auto-round", method_gptq },
	{ "awq", method_awq },
	{ "awq_marlin", method_awq },
	{ "fp8", method_fp8 },
	{ "fbgemm_fp8", method_fp8 },
	{ "finegrained_fp8", method_fp8 },
	{ "bitsandbytes", method_bitsandbytes },
	{ "mxfp4", method_mxfp4 },
	{ "compressed-tensors", method_compressed },
	{ "compressed_tensors", method_compressed },
	{ "modelopt", method_modelopt },
	{ "modelopt_fp4", method_modelopt },
};

static void apply_method(struct method *m, const char *name)
{
	struct wg_json_at excluded;

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		if (strcmp(name, methods[i].name) != 0)
			continue;
		methods[i].apply(m);
		if (m->storage->format != WG_WEIGHTS_MXFP4 || methods[i].apply != method_mxfp4) {
			if (wg_config_find_key(&m->config,
			                       "modules_to_not_convert\0ignore\0exclude_modules\0"
			                       "ignored_layers\0llm_int8_skip_modules",
			                       &excluded))
				read_exclusions(m->builder, &excluded, m->storage, m->plain);
		}
		return;
	}
	wg_builder_warn(m->builder,
	                _("quantisation \"%.40s\" is not known: weight bytes are those of "
	                  "the plain type"),
	                name);
}

static void read_method(struct wg_builder *builder, const struct wg_json_at *at,
                        struct wg_storage *s)
{
	struct method m = { .builder = builder, .storage = s, .plain = s->bits[WG_PART_ATTENTION] };
	const char *name;

	if (m.plain > BF16_BITS)
		m.plain = BF16_BITS;
	wg_config_init_at(&m.config, at, builder->config.error);
	name = wg_config_string_key(&m.config, "quant_method");
	if (name != NULL)
		apply_method(&m, name);
	else if (wg_config_find_key(&m.config, "quant_algo", &(struct wg_json_at){ 0 }))
		apply_method(&m, "modelopt");
	else if (wg_config_find_key(&m.config, "bits", &(struct wg_json_at){ 0 }))
		method_mlx(&m);
	else
		wg_builder_warn(builder, _("quantisation without a method is not understood"));
	if (m.config.status != WG_OK && builder->config.status == WG_OK)
		builder->config.status = m.config.status;
	s->stated = true;
}

void wg_storage_read(struct wg_builder *builder, const char *quant_config, struct wg_storage *s)
{
	struct wg_json_at at;
	struct wg_json *json;

	read_type(builder, s);
	if (!wg_builder_ok(builder))
		return;
	if (wg_config_find_key(&builder->config, "quantisation\0quantization_config\0quantization",
	                       &at)) {
		read_method(builder, &at, s);
		return;
	}
	if (quant_config == NULL)
		return;
	if (wg_json_open(quant_config, strlen(quant_config), "hf_quant_config.json",
	                 WG_JSON_ALLOW_NONFINITE, &json, builder->config.error) != WG_OK) {
		builder->config.status = WG_BAD_INPUT;
		return;
	}
	struct wg_json_at root = wg_json_root(json);
	at = wg_json_member(&root, "quantization");
	if (wg_json_type(&at) == WG_JSON_OBJECT)
		read_method(builder, &at, s);
	wg_json_free(json);
}

double wg_storage_bytes(const struct wg_storage *s, const struct wg_weights *weights)
{
	double bits = 0;

	for (int part = 0; part < WG_PART_COUNT; part++)
		bits += weights->elements[part] * s->bits[part] +
		        weights->outputs[part] * s->output_bits[part] +
		        weights->blocks[part] * s->block_bits[part];
	return bits / 8;
}
