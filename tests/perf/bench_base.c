/* How fast the readers and writers of src/base are. */
#include "bench.h"

#include <string.h>

#include "whichgpu/csv.h"
#include "whichgpu/json.h"
#include "whichgpu/map.h"
#include "whichgpu/number.h"

#define TENSORS 28000
#define ROWS 50000

/* What an index of weights looks like: one object a tensor. */
static void make_json(struct wg_text *text)
{
	struct wg_json_writer writer;
	wg_json_writer_init(&writer, text, false);
	wg_json_begin_object(&writer, NULL);
	for (int i = 0; i < TENSORS; i++) {
		char name[64];
		snprintf(name, sizeof name, "model.layers.%d.mlp.experts.%d.weight", i / 300,
		         i % 300);
		wg_json_begin_object(&writer, name);
		wg_json_put_string(&writer, "dtype", "BF16");
		wg_json_begin_array(&writer, "shape");
		wg_json_put_integer(&writer, NULL, 4096);
		wg_json_put_integer(&writer, NULL, 14336);
		wg_json_end_array(&writer);
		wg_json_end_object(&writer);
	}
	wg_json_end_object(&writer);
}

static void read_json(const struct wg_text *text)
{
	struct wg_json *json = NULL;
	if (wg_json_open(text->bytes, text->length, "bench", 0, &json, NULL) != WG_OK)
		exit(1);
	struct wg_json_at root = wg_json_root(json);
	for (size_t i = 0; i < wg_json_count(&root); i++) {
		const char *key, *dtype = NULL;
		struct wg_json_at tensor = wg_json_member_at(&root, i, &key);
		if (wg_json_need_string(&tensor, "dtype", &dtype, NULL) != WG_OK)
			exit(1);
	}
	wg_json_free(json);
}

static void read_csv(const struct wg_text *text)
{
	struct wg_csv *csv = NULL;
	if (wg_csv_open(text->bytes, text->length, "bench", &csv, NULL) != WG_OK)
		exit(1);
	double sum = 0, value;
	bool present;
	for (size_t i = 0; i < wg_csv_row_count(csv); i++)
		if (wg_csv_number(csv, i, 1, &present, &value, NULL) == WG_OK)
			sum += value;
	if (sum <= 0)
		exit(1);
	wg_csv_free(csv);
}

static void write_numbers(void)
{
	char buffer[32];
	for (int i = 1; i <= 1000; i++)
		wg_number_write(buffer, sizeof buffer, 1e3 / i);
}

int main(void)
{
	struct wg_text json, csv;
	wg_text_init(&json, (size_t)1 << 24);
	wg_text_init(&csv, (size_t)1 << 24);
	double seconds = BENCH("write a JSON index of 28,000 tensors", 300,
	                       (wg_text_clear(&json), make_json(&json)));
	bench_rate("  bytes", (double)json.length, seconds);
	seconds = BENCH("read and walk it", 1000, read_json(&json));
	bench_rate("  bytes", (double)json.length, seconds);
	wg_text_add(&csv, "gpu,usd,source\n");
	for (int i = 0; i < ROWS; i++)
		wg_text_printf(&csv, "gpu-%d,%d.%02d,\"a, b\"\n", i, i % 90 + 1, i % 100);
	seconds = BENCH("read a CSV of 50,000 rows", 500, read_csv(&csv));
	bench_rate("  rows", ROWS, seconds);
	seconds = BENCH("write 1,000 numbers", 200, write_numbers());
	bench_rate("  numbers", 1000, seconds);
	bench_peak_memory();
	wg_text_done(&json);
	wg_text_done(&csv);
	return 0;
}
