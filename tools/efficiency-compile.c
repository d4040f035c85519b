/* efficiency-compile FOLDER OUTPUT.c
 *
 * Checks data/efficiency and writes it as constant C tables, so that opening
 * an estimator parses nothing. */
#include <stdio.h>

#include "estimate/efficiency_read.h"

static void put_string(FILE *out, const char *text)
{
	if (text == NULL) {
		fputs("NULL", out);
		return;
	}
	putc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void put_match(FILE *out, const struct gpu_match *match)
{
	fputs("{ ", out);
	put_string(out, match->id);
	fputs(", ", out);
	put_string(out, match->vendor);
	fputs(", ", out);
	put_string(out, match->architecture);
	fprintf(out, ", %d }", match->class);
}

static void put_coefficients(FILE *out, const struct coefficient *coefficients, size_t count)
{
	fputs("{ ", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "{ %.17g, %.17g }, ", coefficients[i].value, coefficients[i].spread);
	fputs("}", out);
}

static void put_gpus(FILE *out, const struct efficiency *efficiency)
{
	fputs("static const struct gpu_row gpus[] = {\n", out);
	for (size_t i = 0; i < efficiency->gpu_count; i++) {
		const struct gpu_row *row = &efficiency->gpus[i];

		fputs("{ ", out);
		put_match(out, &row->match);
		fputs(", ", out);
		put_coefficients(out, row->coefficients, GPU_COEFFICIENT_COUNT);
		fprintf(out, ", %.17g },\n", row->tier_spread);
	}
	fputs("};\n", out);
}

static void put_variants(FILE *out, size_t engine, const struct engine_row *row)
{
	fprintf(out, "static const struct engine_variant variants_%zu[] = {\n", engine);
	for (size_t i = 0; i < row->variant_count; i++) {
		const struct engine_variant *variant = &row->variants[i];

		fputs("{ ", out);
		put_match(out, &variant->match);
		fputs(", { ", out);
		for (size_t k = 0; k < ENGINE_COEFFICIENT_COUNT; k++)
			fprintf(out, "%d, ", variant->given[k]);
		fputs("}, ", out);
		put_coefficients(out, variant->coefficients, ENGINE_COEFFICIENT_COUNT);
		fputs(" },\n", out);
	}
	fputs("{ .match = { .class = -1 } } };\n", out);
}

static void put_lists(FILE *out, size_t engine, const struct engine_row *row)
{
	fprintf(out, "static const struct engine_usual usual_%zu[] = { ", engine);
	for (size_t i = 0; i < row->usual_count; i++) {
		fputs("{ ", out);
		put_match(out, &row->usual[i].match);
		fprintf(out, ", %uu }, ", row->usual[i].tasks);
	}
	fprintf(out, "{ .tasks = 0 } };\nstatic const char *const vendors_%zu[] = { ", engine);
	for (size_t i = 0; i < row->vendor_count; i++) {
		put_string(out, row->vendors[i]);
		fputs(", ", out);
	}
	fputs("NULL };\n", out);
	put_variants(out, engine, row);
}

static void put_engines(FILE *out, const struct efficiency *efficiency)
{
	for (size_t i = 0; i < efficiency->engine_count; i++)
		put_lists(out, i, &efficiency->engines[i]);
	fputs("static const struct engine_row engines[] = {\n", out);
	for (size_t i = 0; i < efficiency->engine_count; i++) {
		const struct engine_row *row = &efficiency->engines[i];

		fputs("{ ", out);
		put_string(out, row->key);
		fputs(", ", out);
		put_string(out, row->label);
		fprintf(out, ", %uu, %uu, vendors_%zu, %zu, %d, %d, ", row->tasks, row->formats, i,
		        row->vendor_count, row->tensor_parallel, row->pipeline_parallel);
		put_coefficients(out, row->coefficients, ENGINE_COEFFICIENT_COUNT);
		fprintf(out, ", variants_%zu, %zu, usual_%zu, %zu },\n", i, row->variant_count, i,
		        row->usual_count);
	}
	fputs("};\n", out);
}

static void put_links(FILE *out, const struct efficiency *efficiency)
{
	fputs("static const struct link_row links[] = {\n", out);
	for (size_t i = 0; i < efficiency->link_count; i++) {
		const struct link_row *row = &efficiency->links[i];

		fputs("{ ", out);
		put_string(out, row->key);
		fputs(", ", out);
		put_match(out, &row->match);
		fprintf(out, ", { %.17g, %.17g }, { ", row->start_s.value, row->start_s.spread);
		for (size_t k = 0; k < LINK_RANK_STEPS; k++)
			fprintf(out, "%.17g, ", row->efficiency[k]);
		fprintf(out, "}, %.17g, %.17g, %.17g },\n", row->spread, row->bytes_per_s,
		        row->reduction);
	}
	fputs("};\n", out);
}

static int write_tables(const char *path, const struct efficiency *efficiency)
{
	FILE *out = fopen(path, "w");

	if (out == NULL) {
		perror(path);
		return 1;
	}
	fputs("#include \"estimate/efficiency.h\"\n", out);
	put_gpus(out, efficiency);
	put_engines(out, efficiency);
	put_links(out, efficiency);
	fprintf(out,
	        "const struct efficiency wg_efficiency_builtin = { gpus, engines, links, %zu, %zu, "
	        "%zu };\n",
	        efficiency->gpu_count, efficiency->engine_count, efficiency->link_count);
	return fclose(out) != 0;
}

int main(int argc, char **argv)
{
	struct wg_arena *arena = wg_arena_open(0);
	struct efficiency efficiency;
	struct wg_error error;
	int result = 1;

	wg_error_init(&error);
	if (argc != 3 || arena == NULL)
		fprintf(stderr, "usage: efficiency-compile FOLDER OUTPUT.c\n");
	else if (wg_efficiency_read(arena, argv[1], &efficiency, &error) != WG_OK)
		fprintf(stderr, "efficiency-compile: %s: %s: %s\n", error.file, error.path,
		        error.message);
	else
		result = write_tables(argv[2], &efficiency);
	wg_arena_free(arena);
	return result;
}
