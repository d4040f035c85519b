/* GGUF keys -> config text: see gguf_config.h and gguf_keys.def. */
#include "model/gguf_config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "whichgpu/json.h"
#include "whichgpu/limits.h"

#define KEY_BYTES 128

static const struct {
	const char *gguf, *model_type;
} architectures[] = {
#define WG_GGUF_ARCHITECTURE(gguf, model_type) { gguf, model_type },
#include "model/gguf_architectures.def"
#undef WG_GGUF_ARCHITECTURE
};

static const struct {
	const char *key, *member;
} keys[] = {
#define WG_GGUF_KEY(key, member) { key, member },
#include "model/gguf_keys.def"
#undef WG_GGUF_KEY
};

struct making {
	const struct wg_gguf_file *file;
	const struct wg_table_builder *tensors;
	const char *architecture;
	struct wg_json_writer writer;
	unsigned layers;                     /* the draft layers at the end included */
	bool uneven;                         /* a size differs between layers */
	double values[WG_LIMIT_GGUF_LAYERS]; /* of one key, a value a layer */
	enum wg_status status;
	struct wg_error *error;
};

__attribute__((format(printf, 3, 4))) static bool fail(struct making *making, enum wg_status status,
                                                       const char *format, ...)
{
	char message[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	making->status = status;
	wg_error_set(making->error, status, "%s", message);
	wg_error_place(making->error, making->file->input->name, 0, 0, -1);
	return false;
}

static const char *full_key(const struct making *making, const char *key, char *buffer)
{
	snprintf(buffer, KEY_BYTES, "%.60s.%s", making->architecture, key);
	return buffer;
}

/* What may be turned into an integer at all: the largest exact double is 2^53. */
static bool is_whole(double value)
{
	return value >= 0 && value <= 0x1p53 && value == floor(value);
}

/* A whole number of <arch>.KEY from low to high; absent: *ret_value stays. */
static bool get_whole(struct making *making, const char *key, double low, double high,
                      double *ret_value)
{
	char name[KEY_BYTES];
	double value;

	if (!wg_gguf_number(making->file, full_key(making, key, name), &value))
		return true;
	if (value > high)
		return fail(making, WG_LIMIT, _("\"%s\" is %.17g; at most %.17g is read"), name,
		            value, high);
	if (!is_whole(value) || value < low)
		return fail(making, WG_BAD_INPUT,
		            _("\"%s\" is %g; a whole number of %g or more is wanted"), name, value,
		            low);
	*ret_value = value;
	return true;
}

/* The same with a default; an absurd value is remembered as the failure. */
static double whole_or(struct making *making, const char *key, double absent)
{
	if (making->status == WG_OK)
		get_whole(making, key, 0, WG_LIMIT_DIMENSION, &absent);
	return absent;
}

static const struct wg_tensor *tensor(const struct making *making, const char *name)
{
	size_t index;

	if (!wg_map_find(&making->tensors->names, name, strlen(name), &index))
		return NULL;
	return &making->tensors->tensors[index];
}

/* 0 is how these files say "none". */
static void put_whole(struct making *making, const char *member, double value)
{
	if (value > 0)
		wg_json_put_integer(&making->writer, member, (int64_t)value);
}

/* --- one key a member ------------------------------------------------------- */

/* Refuses values that would poison an estimate. */
static bool check_value(struct making *making, const char *name, double value)
{
	if (!is_whole(value) && !(value > UINT32_MAX))
		return fail(making, WG_BAD_INPUT, _("\"%s\" is %g, no whole number of 0 or more"),
		            name, value);
	if (value > UINT32_MAX || (value > WG_LIMIT_DIMENSION && strstr(name, "context") == NULL))
		return fail(making, WG_LIMIT, _("\"%s\" is %.17g; at most %d is read"), name, value,
		            WG_LIMIT_DIMENSION);
	return true;
}

/* What is the same in every layer that has it becomes one number; a 0 says that
 * a layer has none of it (its kind is told apart, see put_layers). */
static bool put_member(struct making *making, const char *key, const char *member)
{
	struct wg_json_writer *writer = &making->writer;
	char name[KEY_BYTES];
	size_t count, i;
	double first = 0;
	bool equal = true;

	full_key(making, key, name);
	if (!wg_gguf_numbers(making->file, name, making->values, WG_LIMIT_GGUF_LAYERS, &count))
		return true;
	for (i = 0; i < count; i++) {
		if (!check_value(making, name, making->values[i]))
			return false;
		if (first == 0)
			first = making->values[i];
		equal &= making->values[i] == 0 || making->values[i] == first;
	}
	if (count > 1 && count < making->layers)
		return fail(making, WG_BAD_INPUT, _("\"%s\" has %zu values for %u layers"), name,
		            count, making->layers);
	if (equal) {
		put_whole(making, member, first);
		return true;
	}
	making->uneven = true;
	wg_json_begin_array(writer, member);
	for (i = 0; i < count; i++)
		wg_json_put_integer(writer, NULL, (int64_t)making->values[i]);
	wg_json_end_array(writer);
	return true;
}

/* --- what needs more than one key --------------------------------------------- */

/* Heads: with MLA the two "_mla" keys give the true sizes; the plain ones are
 * then those of the latent (or, in older files, already the true ones). */
static void put_head_sizes(struct making *making)
{
	struct wg_json_writer *writer = &making->writer;
	double key = whole_or(making, "attention.key_length", 0);
	double value = whole_or(making, "attention.value_length", 0);

	if (whole_or(making, "attention.kv_lora_rank", 0) > 0) {
		double rope = whole_or(making, "rope.dimension_count", 0);

		key = whole_or(making, "attention.key_length_mla", key);
		value = whole_or(making, "attention.value_length_mla", value);
		if (rope > 0 && key > rope) {
			wg_json_put_integer(writer, "qk_rope_head_dim", (int64_t)rope);
			wg_json_put_integer(writer, "qk_nope_head_dim", (int64_t)(key - rope));
		}
		if (value > 0)
			wg_json_put_integer(writer, "v_head_dim", (int64_t)value);
		return;
	}
	if (key == 0)
		key = whole_or(making, "wkv.head_size", 0);
	if (key > 0)
		wg_json_put_integer(writer, "head_dim", (int64_t)key);
	if (value > 0 && value != key)
		wg_json_put_integer(writer, "v_head_dim", (int64_t)value);
}

/* Recurrent layers. Gated delta nets use the ssm keys for their own sizes. */
static void put_delta_net(struct making *making, double inner)
{
	double heads = whole_or(making, "ssm.time_step_rank", 0);

	put_whole(making, "linear_num_value_heads", heads);
	put_whole(making, "linear_value_head_dim", heads > 0 ? inner / heads : 0);
	put_whole(making, "linear_num_key_heads", whole_or(making, "ssm.group_count", 0));
	put_whole(making, "linear_key_head_dim", whole_or(making, "ssm.state_size", 0));
	put_whole(making, "linear_conv_kernel_dim", whole_or(making, "ssm.conv_kernel", 0));
}

static void put_state(struct making *making, double hidden)
{
	double inner = whole_or(making, "ssm.inner_size", 0);
	double rank = whole_or(making, "ssm.time_step_rank", 0);
	double groups = whole_or(making, "ssm.group_count", 0);

	if (inner <= 0)
		return;
	if (strncmp(making->architecture, "qwen3", 5) == 0) {
		put_delta_net(making, inner);
		return;
	}
	put_whole(making, "conv_kernel", whole_or(making, "ssm.conv_kernel", 0));
	put_whole(making, "state_size", whole_or(making, "ssm.state_size", 0));
	put_whole(making, "inner_size", inner);
	put_whole(making, "expand", hidden > 0 ? inner / hidden : 0);
	if (groups > 0 && rank > 0) { /* Mamba-2: the "rank" counts heads */
		put_whole(making, "ssm_heads", rank);
		put_whole(making, "ssm_head_size", inner / rank);
		put_whole(making, "ssm_groups", groups);
	} else {
		put_whole(making, "ssm_rank", rank);
	}
}

/* --- kinds of layers, by the tensors they have -------------------------------- */

static bool layer_has(const struct making *making, unsigned layer, const char *what)
{
	char name[KEY_BYTES];

	snprintf(name, sizeof name, "blk.%u.%s.weight", layer, what);
	return tensor(making, name) != NULL;
}

/* M state space, C short convolution, * attention, E experts, - plain. */
static char layer_kind(const struct making *making, unsigned layer)
{
	if (layer_has(making, layer, "ssm_in"))
		return 'M';
	if (layer_has(making, layer, "shortconv.conv"))
		return 'C';
	if (layer_has(making, layer, "attn_q") || layer_has(making, layer, "attn_qkv"))
		return '*';
	return layer_has(making, layer, "ffn_gate_inp") ? 'E' : '-';
}

/* How the published configs of hybrids name the kinds: a letter a layer in one
 * text, or a list of words. */
static const struct {
	const char *gguf, *member, *recurrent, *attention; /* recurrent NULL: letters */
} hybrids[] = {
	{ "nemotron_h", "hybrid_override_pattern", NULL, NULL },
	{ "nemotron_h_moe", "hybrid_override_pattern", NULL, NULL },
	{ "lfm2", "layer_types", "conv", "full_attention" },
	{ "lfm2moe", "layer_types", "conv", "full_attention" },
	{ "granitehybrid", "layer_types", "mamba", "attention" },
};

static void put_layers(struct making *making)
{
	struct wg_json_writer *writer = &making->writer;
	char letters[WG_LIMIT_GGUF_LAYERS + 1] = "";
	size_t row = 0, rows = sizeof hybrids / sizeof *hybrids;

	while (row < rows && strcmp(hybrids[row].gguf, making->architecture) != 0)
		row++;
	if (row == rows)
		return;
	for (unsigned i = 0; i < making->layers; i++)
		letters[i] = layer_kind(making, i);
	if (hybrids[row].recurrent == NULL) {
		wg_json_put_string(writer, hybrids[row].member, letters);
		return;
	}
	wg_json_begin_array(writer, hybrids[row].member);
	for (unsigned i = 0; i < making->layers; i++)
		wg_json_put_string(writer, NULL,
		                   letters[i] == '*' ? hybrids[row].attention
		                                     : hybrids[row].recurrent);
	wg_json_end_array(writer);
}

/* Jamba: every n-th layer has attention, every m-th experts. */
static void put_periods(struct making *making)
{
	static const struct {
		const char *tensor, *period, *offset;
	} kinds[] = {
		{ "attn_q", "attn_layer_period", "attn_layer_offset" },
		{ "ffn_gate_inp", "expert_layer_period", "expert_layer_offset" },
	};

	for (size_t i = 0; i < 2 && strcmp(making->architecture, "jamba") == 0; i++) {
		unsigned first = 0, second;

		while (first < making->layers && !layer_has(making, first, kinds[i].tensor))
			first++;
		second = first + 1;
		while (second < making->layers && !layer_has(making, second, kinds[i].tensor))
			second++;
		/* One such layer or none: the next would be beyond the end. */
		wg_json_put_integer(&making->writer, kinds[i].period, second - first);
		wg_json_put_integer(&making->writer, kinds[i].offset, first % (second - first));
	}
}

/* --- windows, vocabulary, name --------------------------------------------------- */

/* Which layers slide, from the bool array; a single number is the period. */
static bool put_windows(struct making *making)
{
	struct wg_json_writer *writer = &making->writer;
	char name[KEY_BYTES];
	size_t count;

	full_key(making, "attention.sliding_window_pattern", name);
	if (!wg_gguf_numbers(making->file, name, making->values, WG_LIMIT_GGUF_LAYERS, &count))
		return true;
	if (count == 1 && making->layers != 1) {
		if (!check_value(making, name, making->values[0]))
			return false;
		put_whole(making, "sliding_window_pattern", making->values[0]);
		return true;
	}
	if (count < making->layers)
		return fail(making, WG_BAD_INPUT, _("\"%s\" has %zu values for %u layers"), name,
		            count, making->layers);
	wg_json_begin_array(writer, "layer_types");
	for (size_t i = 0; i < making->layers; i++)
		wg_json_put_string(writer, NULL,
		                   making->values[i] != 0 ? "sliding_attention" : "full_attention");
	wg_json_end_array(writer);
	return true;
}

/* Rows of the embedding: its tensor knows best, then the key, then the tokens. */
static double vocabulary(struct making *making)
{
	const struct wg_tensor *embedding = tensor(making, "token_embd.weight");
	const struct wg_gguf_key *tokens = wg_gguf_find(making->file, "tokenizer.ggml.tokens");
	double rows = whole_or(making, "vocab_size", 0);

	if (embedding != NULL && embedding->rank == 2)
		return (double)embedding->shape[1];
	if (rows == 0 && tokens != NULL && tokens->type == WG_GGUF_ARRAY)
		return (double)tokens->count;
	return rows;
}

static const char *model_type(const struct making *making)
{
	const char *name = making->architecture;

	/* Sizes that differ between layers: no family says how, so it is sized from
	 * its tensors, and said. */
	if (making->uneven)
		return "layers of different sizes";
	/* Mixtral is "llama" with experts; the second DeepSeek has no correction of
	 * its router. */
	if (strcmp(name, "llama") == 0 && layer_has(making, 0, "ffn_gate_inp"))
		return "mixtral";
	if (strcmp(name, "deepseek2") == 0 && tensor(making, "blk.1.exp_probs_b.bias") == NULL &&
	    tensor(making, "blk.3.exp_probs_b.bias") == NULL)
		return "deepseek_v2";
	for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
		if (strcmp(architectures[i].gguf, name) == 0)
			return architectures[i].model_type;
	return name;
}

/* --- the whole text --------------------------------------------------------- */

static bool check_heads(struct making *making)
{
	char name[KEY_BYTES];
	size_t count;
	bool any = false;

	if (whole_or(making, "ssm.inner_size", 0) > 0 || whole_or(making, "wkv.head_size", 0) > 0)
		return true; /* recurrent models have layers, or only layers, without heads */
	full_key(making, "attention.head_count", name);
	if (!wg_gguf_numbers(making->file, name, making->values, WG_LIMIT_GGUF_LAYERS, &count))
		return true;
	for (size_t i = 0; i < count; i++)
		any |= making->values[i] > 0;
	return any || fail(making, WG_BAD_INPUT, _("\"%s\" is 0"), name);
}

static bool write_config(struct making *making)
{
	struct wg_json_writer *writer = &making->writer;
	double hidden = 0, draft = 0, rows;

	if (!get_whole(making, "embedding_length", 1, WG_LIMIT_DIMENSION, &hidden) ||
	    !get_whole(making, "nextn_predict_layers", 0, making->layers - 1, &draft) ||
	    !check_heads(making))
		return false;
	rows = vocabulary(making);
	if (rows > WG_LIMIT_DIMENSION)
		return fail(making, WG_LIMIT,
		            _("the vocabulary has %.17g entries; at most %d are read"), rows,
		            WG_LIMIT_DIMENSION);
	wg_json_begin_object(writer, NULL);
	wg_json_put_integer(writer, "num_hidden_layers", (int64_t)(making->layers - draft));
	put_whole(making, "vocab_size", rows);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!put_member(making, keys[i].key, keys[i].member))
			return false;
	wg_json_put_string(writer, "model_type", model_type(making));
	put_head_sizes(making);
	put_state(making, hidden);
	put_layers(making);
	put_periods(making);
	if (!put_windows(making))
		return false;
	if (tensor(making, "token_embd.weight") != NULL)
		wg_json_put_bool(writer, "tie_word_embeddings",
		                 tensor(making, "output.weight") == NULL);
	if (tensor(making, "blk.0.attn_q.weight") != NULL)
		wg_json_put_bool(writer, "attention_bias",
		                 tensor(making, "blk.0.attn_q.bias") != NULL);
	wg_json_end_object(writer);
	return making->status == WG_OK;
}

enum wg_status wg_gguf_make_config(const struct wg_gguf_file *file,
                                   const struct wg_table_builder *tensors, struct wg_arena *arena,
                                   const char **ret_config, struct wg_error *error)
{
	struct making making = {
		.file = file,
		.tensors = tensors,
		.error = error,
		.architecture = wg_gguf_text(file, "general.architecture"),
	};
	struct wg_text text;
	double layers = -1;
	const char *config = NULL;

	if (!get_whole(&making, "block_count", 1, WG_LIMIT_GGUF_LAYERS, &layers))
		return making.status;
	if (making.architecture[0] == '\0' || layers < 1) {
		*ret_config = NULL;
		return WG_OK;
	}
	making.layers = (unsigned)layers;
	wg_text_init(&text, WG_LIMIT_JSON_BYTES);
	wg_json_writer_init(&making.writer, &text, false);
	if (write_config(&making)) {
		config = text.failed ? NULL : wg_arena_strdup(arena, wg_text_string(&text));
		if (config == NULL)
			making.status = wg_error_no_memory(error);
	}
	wg_text_done(&text);
	if (making.status == WG_OK)
		*ret_config = config;
	return making.status;
}
