/* How much processor time reading headers takes, warm: prints figures, fails
 * never; the clock on the wall would measure the other programs as well. Files are sparse, so 800 GB need no disk. */
#include "bytes.h"

#include <sys/resource.h>
#include <time.h>

#include "model/readers.h"

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* A safetensors file of `count` tensors of `bytes` bytes each, sparse. */
static void write_shard(const struct folder *folder, const char *name, unsigned shard,
                        unsigned count, uint64_t tensor_bytes)
{
	struct bytes text = { 0 }, file = { 0 };
	char entry[256], path[1024];

	for (unsigned i = 0; i < count; i++) {
		int length =
			snprintf(entry, sizeof entry,
		                 "%c\"model.layers.%03u.mlp.experts.%03u.up_proj."
		                 "weight\":{\"dtype\":\"BF16\",\"shape\":[%llu,2],\"data_offsets\":"
		                 "[%llu,%llu]}",
		                 i == 0 ? '{' : ',', shard, i, (unsigned long long)tensor_bytes / 4,
		                 (unsigned long long)(i * tensor_bytes),
		                 (unsigned long long)((i + 1) * tensor_bytes));
		put(&text, entry, (size_t)length);
	}
	put(&text, "}", 2);
	safetensors(&file, (const char *)text.at, 0);
	folder_write(folder, name, file.at, file.length);
	assert_int_equal(truncate(folder_path(folder, name, path),
	                          (off_t)(file.length + count * tensor_bytes)),
	                 0);
	bytes_done(&text);
	bytes_done(&file);
}

static void bench_one_header(const struct folder *folder)
{
	char path[1024];
	double best = 1e9;

	write_shard(folder, "one.safetensors", 0, 28000, 4096);
	for (int i = 0; i < 5; i++) {
		struct wg_arena *arena = wg_arena_open(0);
		struct wg_tensor_table table;
		double start = now_ms();

		assert_int_equal(
			wg_safetensors_read_header(folder_path(folder, "one.safetensors", path),
		                                   arena, &table, NULL),
			WG_OK);
		best = fmin(best, now_ms() - start);
		if (i == 4)
			printf("safetensors header, %zu tensors: %.1f ms, arena %.1f MB\n",
			       table.count, best, (double)wg_arena_used(arena) / 1e6);
		wg_arena_free(arena);
	}
}

/* A checkpoint of `shards` files with an index, 800 GB in all. */
static void bench_checkpoint(const struct folder *folder, unsigned shards, unsigned tensors)
{
	struct bytes index = { 0 };
	char line[256], name[64], path[1024];
	double best = 1e9, bytes = 0;
	uint64_t each = (uint64_t)800000000000 / shards / tensors / 4 * 4;

	put(&index, "{\"metadata\":{},\"weight_map\":{", 29);
	for (unsigned s = 0; s < shards; s++) {
		snprintf(name, sizeof name, "model-%05u-of-%05u.safetensors", s + 1, shards);
		write_shard(folder, name, s, tensors, each);
		for (unsigned i = 0; i < tensors; i++) {
			int length = snprintf(line, sizeof line,
			                      "%s\"model.layers.%03u.mlp.experts.%03u.up_proj."
			                      "weight\":\"%s\"",
			                      s + i == 0 ? "" : ",", s, i, name);
			put(&index, line, (size_t)length);
		}
	}
	put(&index, "}}", 2);
	folder_write(folder, "model.safetensors.index.json", index.at, index.length);
	bytes_done(&index);
	for (int i = 0; i < 5; i++) {
		struct wg_arena *arena = wg_arena_open(0);
		struct wg_weight_index found;
		struct wg_tensor_table table;
		size_t missing;
		double start = now_ms();

		assert_int_equal(wg_safetensors_read_index(
					 folder_path(folder, "model.safetensors.index.json", path),
					 arena, &found, NULL),
		                 WG_OK);
		assert_int_equal(wg_safetensors_read_shards(folder->path, &found, arena, &table,
		                                            &missing, NULL),
		                 WG_OK);
		best = fmin(best, now_ms() - start);
		bytes = table.bytes;
		wg_arena_free(arena);
	}
	printf("checkpoint of %.0f GB, %u shards, %u tensors: %.1f ms\n", bytes / 1e9, shards,
	       shards * tensors, best);
}

static void bench_gguf(const struct folder *folder, unsigned tokens)
{
	struct bytes bytes = { 0 };
	static const uint64_t shape[] = { 4096, 16 };
	char path[1024], name[64];
	double best = 1e9;

	gguf_begin(&bytes, 3, 1000, 3);
	gguf_text(&bytes, "general.architecture", "llama");
	gguf_array(&bytes, "tokenizer.ggml.tokens", STRING, tokens);
	for (unsigned i = 0; i < tokens; i++)
		put_text(&bytes, "abcdef");
	gguf_array(&bytes, "tokenizer.ggml.merges", STRING, 2 * tokens);
	for (unsigned i = 0; i < 2 * tokens; i++)
		put_text(&bytes, "abcd ef");
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof name, "blk.%u.attn_q.weight", i);
		gguf_tensor(&bytes, name, 2, shape, 12, (uint64_t)i * 36864);
	}
	gguf_pad(&bytes, 32);
	folder_write(folder, "m.gguf", bytes.at, bytes.length);
	assert_int_equal(
		truncate(folder_path(folder, "m.gguf", path), (off_t)(bytes.length + 1000 * 36864)),
		0);
	bytes_done(&bytes);
	for (int i = 0; i < 5; i++) {
		struct wg_arena *arena = wg_arena_open(0);
		struct wg_gguf gguf;
		double start = now_ms();

		assert_int_equal(wg_gguf_read(path, arena, &gguf, NULL), WG_OK);
		best = fmin(best, now_ms() - start);
		wg_arena_free(arena);
	}
	printf("GGUF of 1000 tensors, vocabulary of %u: %.1f ms\n", tokens, best);
}

int main(void)
{
	struct folder folder;
	struct rusage use;

	folder_open(&folder);
	bench_gguf(&folder, 0);
	bench_gguf(&folder, 150000);
	bench_one_header(&folder);
	bench_checkpoint(&folder, 191, 6);
	bench_checkpoint(&folder, 163, 560);
	folder_done(&folder);
	getrusage(RUSAGE_SELF, &use);
	printf("largest memory: %.0f MB\n", (double)use.ru_maxrss / 1024);
	return 0;
}
