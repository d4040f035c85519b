/* Charts: well-formed, escaped, the same every time, and drawn where the
 * values say. */
#include "check.h"

#include "report/svg_draw.h"
#include "whichgpu/svg.h"

static struct wg_text out;
static struct wg_error error;

static int setup(void **state)
{
	wg_text_init(&out, 16 << 20);
	return 0;
}

static int teardown(void **state)
{
	wg_text_done(&out);
	return 0;
}

static const char *drawn(const char *title, const struct wg_chart *charts, size_t count,
                         unsigned columns)
{
	wg_text_clear(&out);
	check_status(wg_svg_write(title, charts, count, columns, &out, &error), WG_OK, &error);
	return wg_text_string(&out);
}

static const char *const cards[] = { "A100", "H100", "RTX 4090" };
static const double bandwidth[] = { 2039e9, 3352e9, 1008e9 };
static const struct wg_chart_series bandwidth_series[] = {
	{ .name = "bandwidth", .y = bandwidth, .count = 3 }
};
static const struct wg_chart bandwidth_chart = {
	.kind = WG_CHART_BARS,
	.title = "Memory bandwidth",
	.y = { .unit = WG_UNIT_BYTES_PER_S },
	.categories = cards,
	.category_count = 3,
	.series = bandwidth_series,
	.series_count = 1,
};

/* Counts a fixed text in what was drawn. */
static size_t count_of(const char *part)
{
	size_t count = 0;

	for (const char *at = wg_text_string(&out); (at = strstr(at, part)); at += strlen(part))
		count++;
	return count;
}

/* Tags are closed in the order they were opened, and nothing else has '<'. */
static void check_well_formed(const char *svg)
{
	char open[64][16];
	size_t depth = 0;

	while ((svg = strchr(svg, '<'))) {
		const char *end = strchr(svg, '>');
		size_t name = strcspn(svg + 1, " />");

		assert_non_null(end);
		if (svg[1] == '/') {
			assert_true(depth > 0);
			depth--;
			assert_int_equal(strncmp(svg + 2, open[depth], strlen(open[depth])), 0);
		} else if (end[-1] != '/') {
			assert_true(depth < 64 && name < 16);
			snprintf(open[depth++], sizeof open[0], "%.*s", (int)name, svg + 1);
		}
		svg = end;
	}
	assert_int_equal(depth, 0);
}

/* The number after `name="` in the first element of that class. */
static double attribute_of(const char *class, size_t nth, const char *name)
{
	const char *at = wg_text_string(&out), *start, *value;
	char words[64];

	snprintf(words, sizeof words, "class=\"%s\"", class);
	for (size_t i = 0; i <= nth; i++) {
		at = strstr(at, words);
		assert_non_null(at);
		at++;
	}
	for (start = at; *start != '<'; start--)
		;
	snprintf(words, sizeof words, " %s=\"", name);
	value = strstr(start, words);
	assert_non_null(value);
	return strtold(value + strlen(words), NULL);
}

static void test_bars_are_as_long_as_values(void **state)
{
	double a100, h100, rtx4090;

	check_well_formed(drawn(NULL, &bandwidth_chart, 1, 1));
	a100 = attribute_of("s0", 0, "width");
	h100 = attribute_of("s0", 1, "width");
	rtx4090 = attribute_of("s0", 2, "width");
	/* all start at zero, so lengths are in the ratio of the values */
	check_close(h100 / a100, 3352.0 / 2039, 0.002);
	check_close(rtx4090 / a100, 1008.0 / 2039, 0.002);
	check_contains(wg_text_string(&out), "Memory bandwidth (TB/s)");
	check_contains(wg_text_string(&out), ">3.35<");
}

static void test_stacks_add_up(void **state)
{
	static const double weights[] = { 60e9, 30e9, 15e9 }, cache[] = { 10e9, NAN, 5e9 };
	const struct wg_chart_series series[] = { { .name = "weights", .y = weights, .count = 3 },
		                                  { .name = "KV cache", .y = cache, .count = 3 } };
	const struct wg_chart chart = {
		.kind = WG_CHART_STACKED,
		.title = "Memory",
		.y = { .unit = WG_UNIT_BYTES },
		.categories = cards,
		.category_count = 3,
		.series = series,
		.series_count = 2,
		.limit = 80e9,
		.limit_words = "available",
	};
	double first, second;

	check_well_formed(drawn(NULL, &chart, 1, 1));
	first = attribute_of("seg s0", 0, "width");
	second = attribute_of("seg s1", 0, "width");
	check_close(first / second, 6, 0.02);
	check_close(attribute_of("seg s1", 0, "x"), attribute_of("seg s0", 0, "x") + first, 0.001);
	check_contains(wg_text_string(&out), "available 80 GB");
	check_contains(wg_text_string(&out), ">70<");
	/* the limit stands as far to the right as 80 GB of bar would reach */
	check_close(attribute_of("limit", 0, "x1") - attribute_of("seg s0", 0, "x"),
	            first * 80 / 60, 0.002);
}

static void test_not_known_is_said(void **state)
{
	static const double some[] = { NAN, 3352e9, 1008e9 };
	const struct wg_chart_series series[] = { { .name = "s", .y = some, .count = 3 } };
	struct wg_chart chart = bandwidth_chart;

	chart.series = series;
	drawn(NULL, &chart, 1, 1);
	assert_int_equal(count_of("not known"), 1);
	assert_int_equal(count_of("class=\"s0\""), 2);
}

static void test_log_axes(void **state)
{
	struct ticks ticks = svg_ticks(3, 700, true, 5);

	assert_true(ticks.low <= 3 && ticks.high >= 700);
	check_close(svg_place(&ticks, ticks.low), 0, 1e-12);
	check_close(svg_place(&ticks, ticks.high), 1, 1e-12);
	/* equal ratios are equal distances */
	check_close(svg_place(&ticks, 40) - svg_place(&ticks, 4),
	            svg_place(&ticks, 400) - svg_place(&ticks, 40), 1e-9);
}

static void test_ticks_are_round_and_enclose(void **state)
{
	struct ticks ticks = svg_ticks(0, 3352e9, false, 6);

	check_close(ticks.values[1], 1e12, 0);
	check_close(ticks.high, 4e12, 0);
	for (double high = 1e-9; high < 1e18; high *= 3.7) {
		ticks = svg_ticks(0, high, false, 6);
		assert_true(ticks.high >= high * (1 - 1e-9) && ticks.low == 0);
		assert_true(ticks.count >= 2 && ticks.count <= 9);
	}
	ticks = svg_ticks(5, 5, false, 6);
	assert_true(ticks.high > ticks.low);
}

static const double xs[] = { 1, 10, 100, -1, NAN }, ys[] = { 10, 100, 1000, 5, 5 };
static const double lows[] = { 8, 80, 800, 1, 1 }, highs[] = { 12, 120, 1200, 9, 9 };
static const char *const labels[] = { "one", "ten", "<hundred>", "never", "never" };
static const struct wg_chart_series points[] = {
	{ .name = "a & b",
	  .x = xs,
	  .y = ys,
	  .low = lows,
	  .high = highs,
	  .labels = labels,
	  .count = 5 },
};

static void test_scatter(void **state)
{
	const struct wg_chart chart = {
		.kind = WG_CHART_SCATTER,
		.title = "Speed against cost",
		.x = { "rent", WG_UNIT_USD_PER_HOUR, true, 0 },
		.y = { "output", WG_UNIT_TOKENS_PER_S, true, 0 },
		.series = points,
		.series_count = 1,
	};

	check_well_formed(drawn("Options", &chart, 1, 1));
	/* what has no place on a log axis is left out */
	assert_int_equal(count_of("class=\"mark s0\""), 3);
	check_contains(wg_text_string(&out), "rent ($/h)");
	check_contains(wg_text_string(&out), "&lt;hundred&gt;");
	assert_null(strstr(wg_text_string(&out), "never"));
}

static void test_lines_have_gaps(void **state)
{
	static const double x[] = { 1, 2, 3, 4, 5 }, y[] = { 1, 2, NAN, 4, 5 };
	const struct wg_chart_series series[] = { { .name = "s", .x = x, .y = y, .count = 5 } };
	const struct wg_chart chart = { .kind = WG_CHART_LINE,
		                        .series = series,
		                        .series_count = 1 };
	const char *path;

	check_well_formed(drawn("Line", &chart, 1, 1));
	path = strstr(wg_text_string(&out), "<path d=\"M");
	assert_non_null(path);
	path = strchr(path + strlen("<path d=\"M"), 'M');
	assert_non_null(path);
	assert_true(path < strstr(wg_text_string(&out), "class=\"line"));
}

static void test_everything_is_escaped(void **state)
{
	static const char *const evil[] = { "<script>", "\"'&", "\033[31m\x01" };
	struct wg_chart chart = bandwidth_chart;

	chart.categories = evil;
	chart.title = "</text><script>";
	chart.note = "]]><b>";
	check_well_formed(drawn("<svg onload=1>", &chart, 1, 1));
	assert_null(strstr(wg_text_string(&out), "<script"));
	assert_null(strstr(wg_text_string(&out), "<b>"));
	assert_null(strchr(wg_text_string(&out), '\033'));
	assert_true(wg_text_is_utf8(out.bytes, out.length));
}

static void test_long_names_are_cut(void **state)
{
	static const char *const name[] = {
		"一个非常长的显卡名称一个非常长的显卡名称一个非常长的显卡名称一个非常长的显卡名称",
		"b", "c"
	};
	struct wg_chart chart = bandwidth_chart;

	chart.categories = name;
	check_well_formed(drawn(NULL, &chart, 1, 1));
	check_contains(wg_text_string(&out), "…");
	/* in full under the pointer */
	check_contains(wg_text_string(&out), name[0]);
	assert_true(wg_text_is_utf8(out.bytes, out.length));
}

static void test_same_bytes_every_time(void **state)
{
	const struct wg_chart both[] = { bandwidth_chart, bandwidth_chart, bandwidth_chart };
	char *first = strdup(drawn("Twice", both, 3, 2));

	assert_string_equal(first, drawn("Twice", both, 3, 2));
	free(first);
}

static void test_limits(void **state)
{
	static struct wg_chart many[WG_CHARTS_MOST + 1];
	struct wg_chart chart = bandwidth_chart;

	assert_int_equal(wg_svg_write("t", NULL, 0, 1, &out, &error), WG_BAD_INPUT);
	chart.series_count = WG_CHART_SERIES_MOST + 1;
	assert_int_equal(wg_svg_write("t", &chart, 1, 1, &out, &error), WG_LIMIT);
	chart = bandwidth_chart;
	chart.category_count = WG_CHART_CATEGORIES_MOST + 1;
	assert_int_equal(wg_svg_write("t", &chart, 1, 1, &out, &error), WG_LIMIT);
	assert_int_equal(wg_svg_write("t", many, WG_CHARTS_MOST + 1, 1, &out, &error), WG_LIMIT);
}

/* No values, whatever they are, make a picture with a number that is none. */
static void test_any_values(void **state)
{
	static const double odd[] = { 0, -5, 1e300, INFINITY, -INFINITY, NAN, 1e-300, 1 };
	unsigned seed = 3;

	for (int round = 0; round < 400; round++) {
		double x[8], y[8];
		const struct wg_chart_series series[] = {
			{ .name = "s", .x = x, .y = y, .low = y, .high = x, .count = 8 }
		};
		static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
		struct wg_chart chart = { .kind = (enum wg_chart_kind)(round % 4),
			                  .title = "t",
			                  .x = { "x", WG_UNIT_SECONDS, round & 4, 0 },
			                  .y = { "y", WG_UNIT_BYTES, round & 8, 0 },
			                  .categories = names,
			                  .category_count = 8,
			                  .series = series,
			                  .series_count = 1,
			                  .limit = odd[round % 8] };

		for (size_t i = 0; i < 8; i++) {
			seed = seed * 1103515245u + 12345u;
			x[i] = odd[(seed >> 16) % 8];
			y[i] = odd[(seed >> 20) % 8];
		}
		check_well_formed(drawn("any", &chart, 1, 1));
		assert_null(strstr(wg_text_string(&out), "nan"));
		assert_null(strstr(wg_text_string(&out), "inf\""));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bars_are_as_long_as_values),
		cmocka_unit_test(test_stacks_add_up),
		cmocka_unit_test(test_not_known_is_said),
		cmocka_unit_test(test_log_axes),
		cmocka_unit_test(test_ticks_are_round_and_enclose),
		cmocka_unit_test(test_scatter),
		cmocka_unit_test(test_lines_have_gaps),
		cmocka_unit_test(test_everything_is_escaped),
		cmocka_unit_test(test_long_names_are_cut),
		cmocka_unit_test(test_same_bytes_every_time),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_any_values),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
