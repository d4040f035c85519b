/* The price book: reading, quantiles by class, quotes. */
#include "check.h"

#include "whichgpu/price.h"

#define HEADER                                                           \
	"gpu,kind,provider,provider_class,region,sku,gpus_per_instance," \
	"usd_per_gpu_hour,usd_per_gpu,as_of,source,confidence,notes\n"

static struct wg_price_book *open_rows(const char *rows)
{
	char text[8192];
	struct wg_price_book *book = NULL;
	struct wg_error error;
	int length = snprintf(text, sizeof text, "%s%s", HEADER, rows);
	check_status(wg_price_book_open_text(text, (size_t)length, "t.csv", &book, &error), WG_OK,
	             &error);
	return book;
}

static void refuse_rows(const char *rows, const char *words, long line)
{
	char text[4096];
	struct wg_price_book *book = NULL;
	struct wg_error error;
	int length = snprintf(text, sizeof text, "%s%s", HEADER, rows);
	check_status(wg_price_book_open_text(text, (size_t)length, "t.csv", &book, &error),
	             WG_BAD_INPUT, &error);
	check_contains(error.message, words);
	assert_int_equal(error.line, line);
	assert_null(book);
}

static void test_dates(void **state)
{
	long day = 0, other = 0;
	assert_true(wg_price_date_read("1970-01-01", &day) == false);
	assert_true(wg_price_date_read("2000-03-01", &day));
	assert_int_equal(day, 11017);
	assert_true(wg_price_date_read("2026-11-09", &day));
	assert_int_equal(day, 20766);
	/* a year or a month alone is its middle */
	assert_true(wg_price_date_read("2026", &day) && wg_price_date_read("2026-07-01", &other));
	assert_int_equal(day, other);
	assert_true(wg_price_date_read("2026-02", &day) &&
	            wg_price_date_read("2026-02-15", &other));
	assert_int_equal(day, other);
	assert_false(wg_price_date_read("2026-13", &day));
	assert_false(wg_price_date_read("March 2026", &day));
	assert_false(wg_price_date_read("", &day));
}

static void test_reading(void **state)
{
	struct wg_price_book *book =
		open_rows("b,spot,p,marketplace,eu,\"1x, small\",1,0.5,,2026-01-02,s1,high,\n"
	                  "a,server-8gpu,,reseller,,,8,,31000,2025,s2,low,\"n, \"\"q\"\"\"\n");
	assert_int_equal(wg_price_book_count(book), 2);
	const struct wg_price *first = wg_price_book_at(book, 0);
	assert_string_equal(first->gpu, "a");
	assert_int_equal(first->kind, WG_PRICE_SERVER_8GPU);
	assert_float_equal(first->usd, 31000, 0);
	assert_string_equal(first->notes, "n, \"q\"");
	assert_string_equal(wg_price_book_at(book, 1)->sku, "1x, small");
	assert_string_equal(wg_price_book_date(book), "2026-01-02");
	size_t at;
	assert_int_equal(wg_price_book_find(book, "b", &at), 1);
	assert_int_equal(at, 1);
	assert_int_equal(wg_price_book_find(book, "c", &at), 0);
	assert_null(wg_price_book_at(book, 2));
	wg_price_book_free(book);
}

static void test_bad_rows(void **state)
{
	refuse_rows("a,rent,p,neocloud,,,1,1,,2026,s,high,\n", "unknown kind \"rent\"", 2);
	refuse_rows("a,spot,p,cloud,,,1,1,,2026,s,high,\n", "provider class \"cloud\"", 2);
	refuse_rows("a,spot,p,neocloud,,,1,1,,soon,s,high,\n", "no date", 2);
	refuse_rows("a,spot,p,neocloud,,,1,1,,2026,s,high,\n"
	            "a,spot,p,neocloud,,,1,,2,2026,s,high,\n",
	            "usd_per_gpu_hour", 3);
	refuse_rows("a,spot,p,neocloud,,,1,0,,2026,s,high,\n", "usd_per_gpu_hour \"0\"", 2);
	refuse_rows("a,spot,p,neocloud,,,0,1,,2026,s,high,\n", "gpus_per_instance", 2);
	refuse_rows("a,spot,p,neocloud,,,1,1,,2026,,high,\n", "no source", 2);
	refuse_rows("a,spot,p,neocloud,,,1,cheap,,2026,s,high,\n", "cheap", 2);
}

static void test_missing_column(void **state)
{
	struct wg_price_book *book = NULL;
	struct wg_error error;
	const char *text = "gpu,kind\na,spot\n";
	check_status(wg_price_book_open_text(text, strlen(text), "t.csv", &book, &error),
	             WG_BAD_INPUT, &error);
	check_contains(error.message, "no column \"provider\"");
	assert_string_equal(error.file, "t.csv");
}

/* 1, 2, 3, 4 and 10: quartiles 2, 3 and 4. */
static void test_quantiles(void **state)
{
	struct wg_price_book *book =
		open_rows("a,on-demand,p,neocloud,,,1,3,,2026-01-01,s,high,\n"
	                  "a,on-demand,p,neocloud,,,1,1,,2026-02-01,s,high,\n"
	                  "a,on-demand,p,neocloud,,,1,10,,2026-03-01,s,high,\n"
	                  "a,on-demand,p,neocloud,,,1,2,,2026-04-01,s,high,\n"
	                  "a,on-demand,p,hyperscaler,,,1,4,,2026-05-01,s,high,\n"
	                  "a,on-demand,p,neocloud,,,1,99,,2022-05-01,s,high,\n");
	struct wg_price_quantiles all, own;
	assert_true(wg_price_quantiles(book, "a", WG_PRICE_ON_DEMAND, WG_PROVIDER_CLASS_COUNT, true,
	                               &all));
	assert_int_equal(all.offers, 5);
	assert_float_equal(all.lowest, 1, 0);
	assert_float_equal(all.p25, 2, 1e-12);
	assert_float_equal(all.median, 3, 1e-12);
	assert_float_equal(all.p75, 4, 1e-12);
	assert_float_equal(all.highest, 10, 0);
	assert_string_equal(all.oldest->as_of, "2026-01-01");
	assert_string_equal(all.newest->as_of, "2026-05-01");
	assert_true(wg_price_quantiles(book, "a", WG_PRICE_ON_DEMAND, WG_PROVIDER_NEOCLOUD, true,
	                               &own));
	assert_float_equal(own.median, 2.5, 1e-12);
	assert_true(wg_price_quantiles(book, "a", WG_PRICE_ON_DEMAND, WG_PROVIDER_NEOCLOUD, false,
	                               &own));
	assert_int_equal(own.offers, 5);
	assert_false(
		wg_price_quantiles(book, "a", WG_PRICE_SPOT, WG_PROVIDER_CLASS_COUNT, false, &own));
	wg_price_book_free(book);
}

/* Three neocloud offers decide; the range covers the other classes too. */
static void test_rent(void **state)
{
	struct wg_price_book *book =
		open_rows("a,on-demand,p,neocloud,,,1,2,,2026-01-01,s,high,\n"
	                  "a,on-demand,q,neocloud,,,1,2.2,,2026-02-01,s,high,\n"
	                  "a,on-demand,r,neocloud,,,1,3,,2026-03-01,s,high,\n"
	                  "a,on-demand,h,hyperscaler,,,8,8,,2026-03-01,s,high,\n"
	                  "a,on-demand,h,hyperscaler,,,8,9,,2026-03-01,s,high,\n"
	                  "b,on-demand,p,neocloud,,,1,0.43,,2026-01-01,s,high,\n"
	                  "b,on-demand,m,marketplace,,,1,0.15,,2026-01-01,s,high,\n"
	                  "b,on-demand,m,marketplace,,,1,0.17,,2026-01-01,s,high,\n"
	                  "b,on-demand,m,marketplace,,,1,0.19,,2026-01-01,s,high,\n"
	                  "c,on-demand,p,neocloud,,,1,0.9,,2022-08-04,s,high,\n"
	                  "d,spot,p,neocloud,,,1,0.5,,2026-01-01,s,high,\n");
	struct wg_quote quote =
		wg_price_rent(book, "a", WG_PRICE_ON_DEMAND, WG_PROVIDER_CLASS_COUNT);
	assert_true(quote.usd.known && !quote.stale);
	assert_float_equal(quote.usd.likely, 2.2, 1e-12);
	assert_float_equal(quote.usd.low, 2.2, 1e-12);
	assert_float_equal(quote.usd.high, 8, 1e-12);
	assert_int_equal(quote.provider_class, WG_PROVIDER_NEOCLOUD);
	assert_int_equal(quote.offers, 3);
	quote = wg_price_rent(book, "a", WG_PRICE_ON_DEMAND, WG_PROVIDER_HYPERSCALER);
	assert_float_equal(quote.usd.likely, 8.5, 1e-12);
	quote = wg_price_rent(book, "b", WG_PRICE_ON_DEMAND, WG_PROVIDER_CLASS_COUNT);
	assert_int_equal(quote.provider_class, WG_PROVIDER_MARKETPLACE);
	assert_float_equal(quote.usd.likely, 0.17, 1e-12);
	quote = wg_price_rent(book, "c", WG_PRICE_ON_DEMAND, WG_PROVIDER_CLASS_COUNT);
	assert_true(quote.usd.known && quote.stale);
	/* one offer is no exact price */
	assert_true(quote.usd.low < 0.8 && quote.usd.high > 1.0);
	quote = wg_price_rent(book, "d", WG_PRICE_ON_DEMAND, WG_PROVIDER_CLASS_COUNT);
	assert_false(quote.usd.known);
	wg_price_book_free(book);
}

/* A server's share before a bare card before a launch price. */
static void test_purchase(void **state)
{
	struct wg_price_book *book =
		open_rows("a,server-8gpu,,reseller,,,8,,30000,2025-03-01,s,high,\n"
	                  "a,server-8gpu,,reseller,,,8,,34000,2024-09-01,s,high,\n"
	                  "a,server-8gpu,,reseller,,,8,,44000,2022-09-01,s,high,\n"
	                  "a,purchase-new,,retail,,,1,,25000,2026,s,high,\n"
	                  "b,purchase-new,,retail,,,1,,1700,2026,s,low,\n"
	                  "b,msrp,,vendor,,,1,,1599,2022-10,s,high,\n"
	                  "c,msrp,,vendor,,,1,,1999,2025-01-30,s,high,\n"
	                  "c,purchase-used,,marketplace,,,1,,900,2026,s,low,\n");
	struct wg_quote quote = wg_price_purchase(book, "a");
	assert_true(quote.with_server);
	assert_float_equal(quote.usd.likely, 32000, 1e-9);
	assert_float_equal(quote.usd.low, 30000, 1e-9);
	assert_float_equal(quote.usd.high, 34000, 1e-9);
	quote = wg_price_purchase(book, "b");
	assert_int_equal(quote.kind, WG_PRICE_PURCHASE_NEW);
	assert_false(quote.with_server);
	assert_float_equal(quote.usd.likely, 1700, 1e-9);
	assert_true(quote.usd.low < 1700 && quote.usd.high > 1700);
	quote = wg_price_purchase(book, "c");
	assert_int_equal(quote.kind, WG_PRICE_MSRP);
	assert_float_equal(quote.usd.likely, 1999, 1e-9);
	assert_float_equal(wg_price_purchase_used(book, "c").usd.likely, 900, 1e-9);
	assert_false(wg_price_purchase(book, "z").usd.known);
	wg_price_book_free(book);
}

/* The book that is built in: every row of it, and a few facts from outside. */
static void test_built_in(void **state)
{
	struct wg_price_book *book = NULL;
	struct wg_error error;
	check_status(wg_price_book_open(&book, &error), WG_OK, &error);
	assert_int_equal(wg_price_book_count(book), 970 + 108);
	assert_string_equal(wg_price_book_date(book), "2026-11-09");
	for (size_t i = 0; i < wg_price_book_count(book); i++) {
		const struct wg_price *price = wg_price_book_at(book, i);
		assert_true(price->source[0] != '\0' && price->as_of[0] != '\0');
		if (wg_price_kind_is_hourly(price->kind)) {
			assert_true(price->usd >= 0.05 && price->usd <= 30);
		}
	}
	/* an 8-GPU DGX H100 was listed at 375,000 USD in March 2025 */
	struct wg_quote quote = wg_price_purchase(book, "h100-sxm");
	assert_true(quote.with_server);
	assert_float_equal(quote.usd.high, 46875, 0.01);
	/* launch price of the RTX 4090 */
	struct wg_price_quantiles launch;
	assert_true(wg_price_quantiles(book, "rtx-4090", WG_PRICE_MSRP, WG_PROVIDER_CLASS_COUNT,
	                               false, &launch));
	assert_float_equal(launch.median, 1599, 0);
	/* H100: hyperscalers ask more than twice what neoclouds do */
	struct wg_price_quantiles neo, hyper;
	assert_true(wg_price_quantiles(book, "h100-sxm", WG_PRICE_ON_DEMAND, WG_PROVIDER_NEOCLOUD,
	                               true, &neo));
	assert_true(wg_price_quantiles(book, "h100-sxm", WG_PRICE_ON_DEMAND,
	                               WG_PROVIDER_HYPERSCALER, true, &hyper));
	assert_true(hyper.median > 2 * neo.median);
	wg_price_book_free(book);
}

/* 100 USD were 715.26 yuan and 100 EUR 831.57 yuan on 16 July 2025. */
static void test_exchange(void **state)
{
	struct wg_error error;
	double usd = 0;
	check_status(wg_money_to_usd(&(struct wg_money){ 5000, WG_USD }, &usd, &error), WG_OK,
	             &error);
	assert_float_equal(usd, 5000, 0);
	check_status(wg_money_to_usd(&(struct wg_money){ 715.26, WG_CNY }, &usd, &error), WG_OK,
	             &error);
	assert_float_equal(usd, 100, 1e-9);
	check_status(wg_money_to_usd(&(struct wg_money){ 100, WG_EUR }, &usd, &error), WG_OK,
	             &error);
	assert_float_equal(usd, 831.57 / 7.1526, 1e-9);
}

static void test_keys(void **state)
{
	enum wg_price_kind kind;
	enum wg_provider_class class;
	for (unsigned i = 0; i < WG_PRICE_KIND_COUNT; i++) {
		assert_true(wg_price_kind_find(wg_price_kind_key((enum wg_price_kind)i), &kind));
		assert_int_equal(kind, i);
		assert_true(wg_price_kind_label(kind)[0] != '\0');
	}
	for (unsigned i = 0; i < WG_PROVIDER_CLASS_COUNT; i++) {
		assert_true(wg_provider_class_find(wg_provider_class_key((enum wg_provider_class)i),
		                                   &class));
		assert_int_equal(class, i);
	}
	assert_false(wg_price_kind_find("rent", &kind));
	assert_false(wg_provider_class_find("cloud", &class));
	assert_string_equal(wg_price_kind_key(WG_PRICE_KIND_COUNT), "");
	wg_price_book_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dates),     cmocka_unit_test(test_reading),
		cmocka_unit_test(test_bad_rows),  cmocka_unit_test(test_missing_column),
		cmocka_unit_test(test_quantiles), cmocka_unit_test(test_rent),
		cmocka_unit_test(test_purchase),  cmocka_unit_test(test_built_in),
		cmocka_unit_test(test_exchange),  cmocka_unit_test(test_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
