/* Writes small good inputs for each fuzz target: make_seeds FOLDER makes
 * FOLDER/<target>/<name>. libFuzzer grows its corpus from them. */
#include "bytes.h"

struct seed {
	const char *target, *name, *text;
};

static const struct seed texts[] = {
	{ "config", "dense",
	  "{\"architectures\":[\"LlamaForCausalLM\"],\"model_type\":\"llama\","
	  "\"hidden_size\":64,\"num_hidden_layers\":2,\"num_attention_heads\":4,"
	  "\"num_key_value_heads\":2,\"intermediate_size\":128,\"vocab_size\":100,"
	  "\"max_position_embeddings\":512,\"tie_word_embeddings\":false}" },
	{ "config", "moe",
	  "{\"architectures\":[\"DeepseekV3ForCausalLM\"],\"hidden_size\":64,"
	  "\"num_hidden_layers\":3,\"num_attention_heads\":4,\"intermediate_size\":128,"
	  "\"vocab_size\":100,\"n_routed_experts\":8,\"num_experts_per_tok\":2,"
	  "\"moe_intermediate_size\":32,\"n_shared_experts\":1,\"first_k_dense_replace\":1,"
	  "\"kv_lora_rank\":16,\"q_lora_rank\":24,\"qk_nope_head_dim\":8,\"qk_rope_head_dim\":4,"
	  "\"v_head_dim\":8,\"quantization_config\":{\"quant_method\":\"fp8\",\"weight_block_size\":"
	  "[128,128]}}" },
	{ "config", "window",
	  "{\"model_type\":\"gemma2\",\"text_config\":{\"hidden_size\":64,"
	  "\"num_hidden_layers\":4,\"num_attention_heads\":4,\"head_dim\":32,\"sliding_window\":64,"
	  "\"layer_types\":[\"sliding_attention\",\"full_attention\",\"sliding_attention\","
	  "\"full_attention\"],\"intermediate_size\":96,\"vocab_size\":128}}" },
	{ "csv", "plain", "gpu,price\nrtx-4090,1600\nh100-sxm,30000\n" },
	{ "csv", "quoted",
	  "\xef\xbb\xbf"
	  "a,\"b \"\"c\"\"\",d\r\n1,\"x,\ny\",-2.5e3\r\n" },
	{ "csv", "empty-cells", "a,b,c\n,,\n1,,3\n" },
	{ "gpu", "file",
	  "{\"id\":\"my-gpu\",\"name\":\"My GPU\",\"class\":\"consumer\",\"link\":"
	  "\"pcie\",\"aliases\":[\"mine\"],\"sources\":{\"me\":{\"title\":\"I\",\"reference\":"
	  "\"here\"}},\"facts\":{\"vendor\":{\"value\":\"Me\",\"source\":\"me\",\"confidence\":"
	  "\"high\"}},\"figures\":{\"board_watts\":{\"value\":42,\"source\":\"me\",\"confidence\":"
	  "\"high\",\"others\":[{\"value\":43,\"source\":\"me\",\"confidence\":\"low\"}]}},"
	  "\"dense_ops_per_s\":{\"fp8\":{\"absent\":true,\"source\":\"me\"}}}" },
	{ "gpu", "name", "NVIDIA A100-SXM4 80 GB" },
	{ "index", "two",
	  "{\"metadata\":{\"total_size\":16},\"weight_map\":{\"a\":"
	  "\"model-00001-of-00002.safetensors\",\"b\":\"model-00002-of-00002.safetensors\"}}" },
	{ "index", "float",
	  "{\"metadata\":{\"total_size\":13731385408.0,\"total_parameters\":7,\"x\":"
	  "[null,{}]},\"weight_map\":{\"\\u00e9\":\"p.bin\"}}" },
	{ "json", "all",
	  "{\"a\":[1,-2.5e3,true,false,null,\"\\u00e9\\ud83d\\ude00\\n\"],\"b\":{}}" },
	{ "json", "nonfinite", "{\"time_step_limit\":[0.0,Infinity],\"x\":-Infinity,\"y\":NaN}" },
	{ "number", "size", "80GiB" },
	{ "number", "money", "36000CNY" },
	{ "number", "duration", "1h30m" },
	{ "number", "count", "1.5e3k" },
};

static const char *const headers[] = {
	"{}",
	"{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}",
	"{\"__metadata__\":{\"format\":\"pt\"},\"b\":{\"dtype\":\"BF16\",\"shape\":[4],"
	"\"data_offsets\":[8,16]},\"a\":{\"shape\":[],\"data_offsets\":[0,8],\"dtype\":\"I64\"}}  ",
	"{\"e\":{\"dtype\":\"F16\",\"shape\":[0,5],\"data_offsets\":[0,0]},\"f\":{\"dtype\":\"F4\","
	"\"shape\":[32],\"data_offsets\":[0,16]}}",
};

static void write_seed(const char *root, const char *target, const char *name, const void *data,
                       size_t length)
{
	struct folder folder;
	char path[300];

	snprintf(path, sizeof path, "%.200s/%s", root, target);
	mkdir(path, 0700);
	snprintf(folder.path, sizeof folder.path, "%.200s/%s", root, target);
	folder_write(&folder, name, data, length);
}

static void write_safetensors(const char *root)
{
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
		struct bytes bytes = { 0 };
		char name[16];

		safetensors(&bytes, headers[i], i == 0 ? 0 : 16);
		snprintf(name, sizeof name, "header%zu", i);
		write_seed(root, "safetensors", name, bytes.at, bytes.length);
		bytes_done(&bytes);
	}
}

/* A model of two layers with per-layer arrays; as a big-endian file too. */
static void write_gguf(const char *root, int big_endian)
{
	struct bytes bytes = { .big_endian = big_endian };
	static const uint64_t embedding[] = { 64, 100 }, matrix[] = { 64, 64 };

	gguf_begin(&bytes, 3, 2, 10);
	gguf_text(&bytes, "general.architecture", "llama");
	gguf_u32(&bytes, "general.alignment", 32);
	gguf_u32(&bytes, "llama.block_count", 2);
	gguf_u32(&bytes, "llama.embedding_length", 64);
	gguf_u32(&bytes, "llama.attention.head_count", 4);
	gguf_array(&bytes, "llama.attention.head_count_kv", U32, 2);
	put_integer(&bytes, 2, 4);
	put_integer(&bytes, 1, 4);
	gguf_array(&bytes, "llama.attention.sliding_window_pattern", BOOL, 2);
	put_integer(&bytes, 1, 1);
	put_integer(&bytes, 0, 1);
	gguf_array(&bytes, "tokenizer.ggml.tokens", STRING, 2);
	put_text(&bytes, "a");
	put_text(&bytes, "");
	gguf_key(&bytes, "llama.rope.freq_base", F32);
	put_integer(&bytes, 0x461c4000, 4);
	gguf_key(&bytes, "split.count", U16);
	put_integer(&bytes, 1, 2);
	gguf_tensor(&bytes, "token_embd.weight", 2, embedding, 8, 0);
	gguf_tensor(&bytes, "blk.0.attn_q.weight", 2, matrix, 1, 6816);
	gguf_pad(&bytes, 32);
	put_zeros(&bytes, 6816 + 8192);
	write_seed(root, "gguf", big_endian ? "big-endian" : "model", bytes.at, bytes.length);
	bytes_done(&bytes);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	mkdir(argv[1], 0700);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		write_seed(argv[1], texts[i].target, texts[i].name, texts[i].text,
		           strlen(texts[i].text));
	write_safetensors(argv[1]);
	write_gguf(argv[1], 0);
	write_gguf(argv[1], 1);
	return 0;
}
