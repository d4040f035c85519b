/* From GGUF files to models: whole checkpoints with true shapes, sparse, must
 * come out at the published parameter counts by both ways at once: by the
 * family's equations from the keys and by the sum over the tensors. */
#include "bytes.h"

#include "model/readers.h"
#include "whichgpu/model.h"

/* Type ids: F32, BF16. */
enum { F32_ID = 0, BF16_ID = 30 };

/* A file in the making: its tensors are counted before the header is written. */
struct checkpoint {
	struct bytes keys, infos;
	const char *architecture;
	uint64_t key_count, tensor_count, offset;
};

static void key(struct checkpoint *c, const char *name, uint32_t value)
{
	char full[128];

	snprintf(full, sizeof full, "%s.%s", c->architecture, name);
	gguf_u32(&c->keys, full, value);
	c->key_count++;
}

__attribute__((format(printf, 4, 5))) static void add(struct checkpoint *c, uint64_t columns,
                                                      uint64_t rows, const char *format, ...)
{
	uint64_t shape[] = { columns, rows };
	unsigned rank = rows > 0 ? 2 : 1;
	char name[128];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(name, sizeof name, format, arguments);
	va_end(arguments);
	gguf_tensor(&c->infos, name, rank, shape, rank == 2 ? BF16_ID : F32_ID, c->offset);
	c->offset += (columns * (rank == 2 ? 2 * rows : 4) + 31) / 32 * 32;
	c->tensor_count++;
}

static void add_experts(struct checkpoint *c, unsigned layer, uint64_t hidden, uint64_t width,
                        uint64_t experts)
{
	static const char *const names[] = { "gate", "up", "down" };
	char name[128];

	add(c, hidden, experts, "blk.%u.ffn_gate_inp.weight", layer);
	for (int i = 0; i < 3; i++) {
		uint64_t shape[] = { i == 2 ? width : hidden, i == 2 ? hidden : width, experts };

		snprintf(name, sizeof name, "blk.%u.ffn_%s_exps.weight", layer, names[i]);
		gguf_tensor(&c->infos, name, 3, shape, BF16_ID, c->offset);
		c->offset += (2 * hidden * width * experts + 31) / 32 * 32;
		c->tensor_count++;
	}
}

static void add_ffn(struct checkpoint *c, unsigned layer, uint64_t hidden, uint64_t width)
{
	add(c, hidden, width, "blk.%u.ffn_gate.weight", layer);
	add(c, hidden, width, "blk.%u.ffn_up.weight", layer);
	add(c, width, hidden, "blk.%u.ffn_down.weight", layer);
}

static void add_attention(struct checkpoint *c, unsigned layer, uint64_t hidden, uint64_t q,
                          uint64_t kv)
{
	add(c, hidden, q, "blk.%u.attn_q.weight", layer);
	add(c, hidden, kv, "blk.%u.attn_k.weight", layer);
	add(c, hidden, kv, "blk.%u.attn_v.weight", layer);
	add(c, q, hidden, "blk.%u.attn_output.weight", layer);
}

static void add_norms(struct checkpoint *c, unsigned layer, uint64_t hidden)
{
	add(c, hidden, 0, "blk.%u.attn_norm.weight", layer);
	add(c, hidden, 0, "blk.%u.ffn_norm.weight", layer);
}

static void begin(struct checkpoint *c, const char *architecture, uint32_t layers, uint32_t hidden,
                  uint64_t vocabulary, bool head)
{
	*c = (struct checkpoint){ .architecture = architecture };
	gguf_text(&c->keys, "general.architecture", architecture);
	gguf_text(&c->keys, "general.name", "A\x1b[2J \xffmodel");
	c->key_count = 2;
	key(c, "block_count", layers);
	key(c, "embedding_length", hidden);
	key(c, "context_length", 4096);
	add(c, hidden, vocabulary, "token_embd.weight");
	add(c, hidden, 0, "output_norm.weight");
	if (head)
		add(c, hidden, vocabulary, "output.weight");
}

static void write_checkpoint(struct checkpoint *c, const char *path)
{
	struct bytes file = { 0 };
	int out = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	gguf_begin(&file, 3, c->tensor_count, c->key_count);
	put(&file, c->keys.at, c->keys.length);
	put(&file, c->infos.at, c->infos.length);
	gguf_pad(&file, 32);
	assert_true(out >= 0);
	assert_int_equal(write(out, file.at, file.length), file.length);
	assert_int_equal(ftruncate(out, (off_t)(file.length + c->offset)), 0);
	close(out);
	bytes_done(&file);
	bytes_done(&c->keys);
	bytes_done(&c->infos);
}

static struct wg_model *open_checkpoint(struct checkpoint *c)
{
	struct wg_model *model = NULL;
	struct wg_error error;
	struct folder folder;
	char path[1024];

	folder_open(&folder);
	write_checkpoint(c, folder_path(&folder, "m.gguf", path));
	check_status(wg_model_open(path, NULL, &model, &error), WG_OK, &error);
	folder_done(&folder);
	assert_int_equal(model->basis, WG_BASIS_TENSORS);
	for (size_t i = 0; i < model->warning_count; i++)
		print_message("%s\n", model->warnings[i]);
	assert_int_equal(model->warning_count, 0);
	assert_null(strchr(model->name, '\x1b'));
	return model;
}

/* Published counts: model cards and safetensors metadata of the repositories. */
static void llama_3_8b(void **state)
{
	struct checkpoint c;

	begin(&c, "llama", 32, 4096, 128256, true);
	key(&c, "feed_forward_length", 14336);
	key(&c, "attention.head_count", 32);
	key(&c, "attention.head_count_kv", 8);
	for (unsigned i = 0; i < 32; i++) {
		add_norms(&c, i, 4096);
		add_attention(&c, i, 4096, 4096, 1024);
		add_ffn(&c, i, 4096, 14336);
	}
	add(&c, 64, 0, "rope_freqs.weight"); /* no parameter */
	struct wg_model *model = open_checkpoint(&c);
	check_close(model->parameters, 8030261248.0, 0);
	check_close(model->kv.bytes_per_token, 131072, 0);
	assert_int_equal(model->vocabulary, 128256);
	assert_false(model->tied_head);
	wg_model_free(model);
}

static void mixtral_8x7b(void **state)
{
	struct checkpoint c;

	begin(&c, "llama", 32, 4096, 32000, true);
	key(&c, "feed_forward_length", 14336);
	key(&c, "attention.head_count", 32);
	key(&c, "attention.head_count_kv", 8);
	key(&c, "expert_count", 8);
	key(&c, "expert_used_count", 2);
	for (unsigned i = 0; i < 32; i++) {
		add_norms(&c, i, 4096);
		add_attention(&c, i, 4096, 4096, 1024);
		add_experts(&c, i, 4096, 14336, 8);
	}
	struct wg_model *model = open_checkpoint(&c);
	check_close(model->parameters, 46702792704.0, 0);
	check_close(model->active_parameters, 12879925248.0, 0);
	wg_model_free(model);
}

static void qwen3_8b(void **state)
{
	struct checkpoint c;

	begin(&c, "qwen3", 36, 4096, 151936, true);
	key(&c, "feed_forward_length", 12288);
	key(&c, "attention.head_count", 32);
	key(&c, "attention.head_count_kv", 8);
	key(&c, "attention.key_length", 128);
	key(&c, "attention.value_length", 128);
	for (unsigned i = 0; i < 36; i++) {
		add_norms(&c, i, 4096);
		add_attention(&c, i, 4096, 4096, 1024);
		add(&c, 128, 0, "blk.%u.attn_q_norm.weight", i);
		add(&c, 128, 0, "blk.%u.attn_k_norm.weight", i);
		add_ffn(&c, i, 4096, 12288);
	}
	struct wg_model *model = open_checkpoint(&c);
	check_close(model->parameters, 8190735360.0, 0);
	wg_model_free(model);
}

static void deepseek_v2_lite(void **state)
{
	struct checkpoint c;

	begin(&c, "deepseek2", 27, 2048, 102400, true);
	key(&c, "feed_forward_length", 10944);
	key(&c, "attention.head_count", 16);
	key(&c, "attention.head_count_kv", 1);
	key(&c, "attention.kv_lora_rank", 512);
	key(&c, "attention.key_length", 576); /* of the latent, as newer files have it */
	key(&c, "attention.value_length", 512);
	key(&c, "attention.key_length_mla", 192);
	key(&c, "attention.value_length_mla", 128);
	key(&c, "rope.dimension_count", 64);
	key(&c, "expert_count", 64);
	key(&c, "expert_used_count", 6);
	key(&c, "expert_shared_count", 2);
	key(&c, "expert_feed_forward_length", 1408);
	key(&c, "leading_dense_block_count", 1);
	for (unsigned i = 0; i < 27; i++) {
		add_norms(&c, i, 2048);
		add(&c, 2048, 16 * 192, "blk.%u.attn_q.weight", i);
		add(&c, 2048, 576, "blk.%u.attn_kv_a_mqa.weight", i);
		add(&c, 512, 0, "blk.%u.attn_kv_a_norm.weight", i);
		add(&c, 512, 16 * 256, "blk.%u.attn_kv_b.weight", i);
		add(&c, 16 * 128, 2048, "blk.%u.attn_output.weight", i);
		if (i == 0) {
			add_ffn(&c, i, 2048, 10944);
			continue;
		}
		add_experts(&c, i, 2048, 1408, 64);
		add(&c, 2048, 2816, "blk.%u.ffn_gate_shexp.weight", i);
		add(&c, 2048, 2816, "blk.%u.ffn_up_shexp.weight", i);
		add(&c, 2816, 2048, "blk.%u.ffn_down_shexp.weight", i);
	}
	struct wg_model *model = open_checkpoint(&c);
	check_close(model->parameters, 15706484224.0, 0);
	check_close(model->kv.bytes_per_token, 2 * 27 * 576, 0);
	wg_model_free(model);
}

/* Which layers have attention is told by a per-layer array and the tensors. */
static void lfm2_1_2b(void **state)
{
	static const unsigned attention[] = { 2, 5, 8, 10, 12, 14 };
	struct checkpoint c;
	unsigned at = 0;

	begin(&c, "lfm2", 16, 2048, 65536, false);
	key(&c, "feed_forward_length", 8192);
	key(&c, "attention.head_count", 32);
	key(&c, "shortconv.l_cache", 3);
	gguf_array(&c.keys, "lfm2.attention.head_count_kv", U32, 16);
	c.key_count++;
	for (unsigned i = 0; i < 16; i++) {
		bool has = at < 6 && attention[at] == i;

		put_integer(&c.keys, has ? 8 : 0, 4);
		add_norms(&c, i, 2048);
		add_ffn(&c, i, 2048, 8192);
		if (has) {
			at++;
			add_attention(&c, i, 2048, 2048, 512);
			add(&c, 64, 0, "blk.%u.attn_q_norm.weight", i);
			add(&c, 64, 0, "blk.%u.attn_k_norm.weight", i);
		} else {
			add(&c, 3, 2048, "blk.%u.shortconv.conv.weight", i);
			add(&c, 2048, 6144, "blk.%u.shortconv.in_proj.weight", i);
			add(&c, 2048, 2048, "blk.%u.shortconv.out_proj.weight", i);
		}
	}
	struct wg_model *model = open_checkpoint(&c);
	check_close(model->parameters, 1170340608.0, 0);
	check_close(model->kv.bytes_per_token, 6 * 2 * 512 * 2, 0);
	wg_model_free(model);
}

static void mamba_130m(void **state)
{
	struct checkpoint c;

	begin(&c, "mamba", 24, 768, 50280, false);
	key(&c, "feed_forward_length", 0);
	key(&c, "attention.head_count", 0);
	key(&c, "ssm.conv_kernel", 4);
	key(&c, "ssm.inner_size", 1536);
	key(&c, "ssm.state_size", 16);
	key(&c, "ssm.time_step_rank", 48);
	for (unsigned i = 0; i < 24; i++) {
		add(&c, 768, 0, "blk.%u.attn_norm.weight", i);
		add(&c, 768, 3072, "blk.%u.ssm_in.weight", i);
		add(&c, 4, 1536, "blk.%u.ssm_conv1d.weight", i);
		add(&c, 1536, 0, "blk.%u.ssm_conv1d.bias", i);
		add(&c, 1536, 80, "blk.%u.ssm_x.weight", i);
		add(&c, 48, 1536, "blk.%u.ssm_dt.weight", i);
		add(&c, 1536, 0, "blk.%u.ssm_dt.bias", i);
		add(&c, 16, 1536, "blk.%u.ssm_a", i);
		add(&c, 1536, 0, "blk.%u.ssm_d", i);
		add(&c, 1536, 768, "blk.%u.ssm_out.weight", i);
	}
	struct wg_model *model = open_checkpoint(&c);
	check_close(model->parameters, 129135360.0, 0);
	check_close(model->kv.bytes_per_token, 0, 0);
	wg_model_free(model);
}

/* --- values that would poison an estimate ----------------------------------------- */

static void poison(void **state)
{
	static const struct {
		const char *key;
		uint32_t value;
		enum wg_status status;
	} cases[] = {
		{ "block_count", 0, WG_BAD_INPUT },
		{ "block_count", 513, WG_LIMIT },
		{ "block_count", UINT32_MAX, WG_LIMIT },
		{ "embedding_length", 0, WG_BAD_INPUT },
		{ "embedding_length", UINT32_MAX, WG_LIMIT },
		{ "attention.head_count", 0, WG_BAD_INPUT },
		{ "attention.head_count", UINT32_MAX, WG_LIMIT },
		{ "feed_forward_length", UINT32_MAX, WG_LIMIT },
		{ "expert_count", UINT32_MAX, WG_LIMIT },
		{ "attention.key_length", UINT32_MAX, WG_LIMIT },
		{ "ssm.inner_size", UINT32_MAX, WG_LIMIT },
	};
	struct folder folder;
	struct wg_error error;
	char path[1024], name[64];

	folder_open(&folder);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		static const char *const plain[] = { "block_count", "embedding_length",
			                             "attention.head_count" };
		struct wg_model *model = NULL;
		struct bytes bytes = { 0 };
		uint64_t count = 2;

		for (int j = 0; j < 3; j++)
			count += strcmp(plain[j], cases[i].key) != 0;
		gguf_begin(&bytes, 3, 0, count);
		gguf_text(&bytes, "general.architecture", "llama");
		for (int j = 0; j < 3; j++) {
			snprintf(name, sizeof name, "llama.%s", plain[j]);
			if (strcmp(plain[j], cases[i].key) != 0)
				gguf_u32(&bytes, name, 8);
		}
		snprintf(name, sizeof name, "llama.%s", cases[i].key);
		gguf_u32(&bytes, name, cases[i].value);
		folder_write(&folder, "m.gguf", bytes.at, bytes.length);
		check_status(
			wg_model_open(folder_path(&folder, "m.gguf", path), NULL, &model, &error),
			cases[i].status, &error);
		check_contains(error.message, cases[i].key);
		bytes_done(&bytes);
	}
	folder_done(&folder);
}

/* --- split files and side files -------------------------------------------------------- */

static void write_part(const struct folder *folder, const char *file, unsigned no, unsigned count,
                       unsigned all, const char *tensor)
{
	static const uint64_t shape[] = { 8 };
	struct bytes bytes = { 0 };

	gguf_begin(&bytes, 3, 1, 4);
	gguf_text(&bytes, "general.architecture", "odd");
	gguf_key(&bytes, "split.no", U16);
	put_integer(&bytes, no, 2);
	gguf_key(&bytes, "split.count", U16);
	put_integer(&bytes, count, 2);
	gguf_key(&bytes, "split.tensors.count", I32);
	put_integer(&bytes, all, 4);
	gguf_tensor(&bytes, tensor, 1, shape, F32_ID, 0);
	gguf_pad(&bytes, 32);
	put_zeros(&bytes, 32);
	folder_write(folder, file, bytes.at, bytes.length);
	bytes_done(&bytes);
}

static enum wg_status read_split(const struct folder *folder, const char *file,
                                 struct wg_gguf *gguf, struct wg_error *error)
{
	struct wg_arena *arena = wg_arena_open(0);
	char path[1024];
	enum wg_status status = wg_gguf_read(folder_path(folder, file, path), arena, gguf, error);

	wg_arena_free(arena);
	return status;
}

static void split_files(void **state)
{
	static const char one[] = "m-00001-of-00002.gguf", two[] = "m-00002-of-00002.gguf";
	struct folder folder;
	struct wg_gguf gguf;
	struct wg_error error;

	folder_open(&folder);
	write_part(&folder, one, 0, 2, 2, "a");
	check_status(read_split(&folder, one, &gguf, &error), WG_NOT_FOUND, &error);
	check_contains(error.message, "part 2 of 2 is missing");
	write_part(&folder, two, 1, 2, 2, "b");
	check_status(read_split(&folder, one, &gguf, &error), WG_OK, &error);
	assert_int_equal(gguf.table.count, 2);
	check_close(gguf.table.bytes, 64, 0);
	check_status(read_split(&folder, two, &gguf, &error), WG_OK, &error);
	assert_int_equal(gguf.table.count, 2);
	write_part(&folder, two, 1, 2, 3, "b");
	check_status(read_split(&folder, one, &gguf, &error), WG_BAD_INPUT, &error);
	check_contains(error.message, "disagree about the number of tensors");
	write_part(&folder, two, 1, 3, 2, "b");
	check_status(read_split(&folder, one, &gguf, &error), WG_BAD_INPUT, &error);
	check_contains(error.message, "does not agree with its name");
	write_part(&folder, two, 5, 2, 2, "b");
	check_status(read_split(&folder, one, &gguf, &error), WG_BAD_INPUT, &error);
	write_part(&folder, two, 1, 2, 2, "a");
	check_status(read_split(&folder, one, &gguf, &error), WG_BAD_INPUT, &error);
	check_contains(error.message, "two tensors \"a\"");
	write_part(&folder, "odd.gguf", 0, 2, 2, "a");
	check_status(read_split(&folder, "odd.gguf", &gguf, &error), WG_BAD_INPUT, &error);
	folder_done(&folder);
}

static void side_files(void **state)
{
	static const struct {
		const char *file, *architecture, *type, *side;
	} cases[] = {
		{ "mmproj-model.gguf", "clip", "mmproj", "mmproj" },
		{ "x.gguf", "clip", "", "mmproj" },
		{ "lora.gguf", "llama", "adapter", "adapter" },
		{ "mtp-model.gguf", "llama", "", "mtp" },
		{ "vocab.gguf", "llama", "", "vocabulary" },
	};
	struct folder folder;
	struct wg_arena *arena = wg_arena_open(0);
	struct wg_error error;
	char path[1024];

	folder_open(&folder);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bytes bytes = { 0 };
		struct wg_gguf gguf;

		gguf_begin(&bytes, 3, 0, 3);
		gguf_text(&bytes, "general.architecture", cases[i].architecture);
		gguf_text(&bytes, "general.type", cases[i].type);
		gguf_array(&bytes, "tokenizer.ggml.tokens", STRING, 1);
		put_text(&bytes, "a");
		folder_write(&folder, cases[i].file, bytes.at, bytes.length);
		check_status(wg_gguf_read(folder_path(&folder, cases[i].file, path), arena, &gguf,
		                          &error),
		             WG_OK, &error);
		assert_string_equal(gguf.side, cases[i].side);
		assert_null(gguf.config);
		bytes_done(&bytes);
	}
	wg_arena_free(arena);
	folder_done(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(llama_3_8b), cmocka_unit_test(mixtral_8x7b),
		cmocka_unit_test(qwen3_8b),   cmocka_unit_test(deepseek_v2_lite),
		cmocka_unit_test(lfm2_1_2b),  cmocka_unit_test(mamba_130m),
		cmocka_unit_test(poison),     cmocka_unit_test(split_files),
		cmocka_unit_test(side_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
