/* The price book: store, quantiles and quotes. */
#include "cost/price_book.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A class with this many fresh offers is enough for a median of its own. */
#define ENOUGH_OFFERS 3
/* Purchase rows this much older than the newest one no longer count. */
#define PURCHASE_DAYS 365
/* Offers looked at for one quantile; the dearest beyond it are left out. */
#define OFFERS_MOST 1024
/* Spread of one price when the book has a single row: 8xH100 servers were
 * offered at 230 to 375 thousand around 290 (data/prices/purchase.csv). */
#define SINGLE_LOW (230.0 / 290.0)
#define SINGLE_HIGH (375.0 / 290.0)

/* Quartiles over the median of the 15 GPUs with eight or more offers of 2025 and
 * later, typical (median) values: what few offers are widened to. */
#define FEW_LOW 0.81
#define FEW_HIGH 1.23

struct wg_price_book *wg_price_book_new(void)
{
	struct wg_price_book *book = calloc(1, sizeof *book);
	if (book == NULL) {
		return NULL;
	}
	book->arena = wg_arena_open(0);
	if (book->arena == NULL) {
		free(book);
		return NULL;
	}
	wg_map_init(&book->words);
	book->date = "";
	return book;
}

void wg_price_book_free(struct wg_price_book *book)
{
	if (book != NULL) {
		wg_map_done(&book->words);
		wg_arena_free(book->arena);
		free(book->prices);
		free(book);
	}
}

enum wg_status wg_price_book_grow(struct wg_price_book *book, size_t rows, struct wg_error *error)
{
	if (rows == 0) {
		return WG_OK;
	}
	size_t capacity = book->count + rows;
	struct wg_price *prices = reallocarray(book->prices, capacity, sizeof *prices);
	if (prices == NULL) {
		return wg_error_no_memory(error);
	}
	book->prices = prices;
	book->capacity = capacity;
	return WG_OK;
}

void wg_price_book_add(struct wg_price_book *book, const struct wg_price *price)
{
	assert(book->count < book->capacity);
	book->prices[book->count++] = *price;
	if (price->day > book->newest_day || book->count == 1) {
		book->newest_day = price->day;
		book->date = price->as_of;
	}
}

const char *wg_price_book_word(struct wg_price_book *book, const char *word)
{
	size_t length = strlen(word), value = 0;
	if (length == 0) {
		return "";
	}
	if (wg_map_find(&book->words, word, length, &value)) {
		return (const char *)(uintptr_t)value;
	}
	char *copy = wg_arena_strdup(book->arena, word);
	if (copy == NULL ||
	    !wg_map_put(&book->words, copy, length, (size_t)(uintptr_t)copy, NULL)) {
		return NULL;
	}
	return copy;
}

static int compare(const void *left, const void *right)
{
	const struct wg_price *a = left, *b = right;
	int order = strcmp(a->gpu, b->gpu);
	if (order == 0) {
		order = (a->kind > b->kind) - (a->kind < b->kind);
	}
	if (order == 0) {
		order = (a->provider_class > b->provider_class) -
		        (a->provider_class < b->provider_class);
	}
	if (order == 0) {
		order = (a->usd > b->usd) - (a->usd < b->usd);
	}
	if (order == 0) {
		order = (a->day < b->day) - (a->day > b->day);
	}
	return order != 0 ? order : strcmp(a->source, b->source);
}

void wg_price_book_sort(struct wg_price_book *book)
{
	if (book->count > 1) {
		qsort(book->prices, book->count, sizeof book->prices[0], compare);
	}
}

size_t wg_price_book_count(const struct wg_price_book *book)
{
	return book->count;
}

const struct wg_price *wg_price_book_at(const struct wg_price_book *book, size_t index)
{
	return index < book->count ? &book->prices[index] : NULL;
}

const char *wg_price_book_date(const struct wg_price_book *book)
{
	return book->date;
}

size_t wg_price_book_find(const struct wg_price_book *book, const char *gpu, size_t *ret_first)
{
	size_t low = 0, high = book->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(book->prices[middle].gpu, gpu) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	size_t end = low;
	while (end < book->count && strcmp(book->prices[end].gpu, gpu) == 0) {
		end++;
	}
	*ret_first = low;
	return end - low;
}

static bool is_fresh(const struct wg_price_book *book, const struct wg_price *price)
{
	return price->day >= book->newest_day - WG_PRICE_FRESH_DAYS;
}

/* Prices of one GPU that one question is about, ascending. */
struct selection {
	double usd[OFFERS_MOST];
	size_t count;
	const struct wg_price *oldest, *newest;
};

static void insert(struct selection *selection, const struct wg_price *price)
{
	if (selection->oldest == NULL || price->day < selection->oldest->day) {
		selection->oldest = price;
	}
	if (selection->newest == NULL || price->day > selection->newest->day) {
		selection->newest = price;
	}
	if (selection->count == OFFERS_MOST) {
		return;
	}
	size_t at = selection->count++;
	while (at > 0 && selection->usd[at - 1] > price->usd) {
		selection->usd[at] = selection->usd[at - 1];
		at--;
	}
	selection->usd[at] = price->usd;
}

static void select_prices(const struct wg_price_book *book, const char *gpu,
                          enum wg_price_kind kind, enum wg_provider_class provider_class,
                          bool fresh_only, long day_least, struct selection *ret_selection)
{
	size_t first, count = wg_price_book_find(book, gpu, &first);
	ret_selection->count = 0;
	ret_selection->oldest = ret_selection->newest = NULL;
	for (size_t i = first; i < first + count; i++) {
		const struct wg_price *price = &book->prices[i];
		bool wanted = price->kind == kind && price->day >= day_least &&
		              (provider_class == WG_PROVIDER_CLASS_COUNT ||
		               price->provider_class == provider_class);
		if (wanted && (!fresh_only || is_fresh(book, price))) {
			insert(ret_selection, price);
		}
	}
}

/* Linear interpolation between order statistics (Hyndman and Fan 1996, type 7). */
static double quantile(const struct selection *selection, double share)
{
	double position = share * (double)(selection->count - 1);
	size_t below = (size_t)position;
	double rest = position - (double)below;
	double low = selection->usd[below];
	return rest == 0 ? low : low + rest * (selection->usd[below + 1] - low);
}

bool wg_price_quantiles(const struct wg_price_book *book, const char *gpu, enum wg_price_kind kind,
                        enum wg_provider_class provider_class, bool fresh_only,
                        struct wg_price_quantiles *ret_quantiles)
{
	struct selection selection;
	select_prices(book, gpu, kind, provider_class, fresh_only, 0, &selection);
	if (selection.count == 0) {
		return false;
	}
	*ret_quantiles = (struct wg_price_quantiles){
		.lowest = selection.usd[0],
		.p25 = quantile(&selection, 0.25),
		.median = quantile(&selection, 0.5),
		.p75 = quantile(&selection, 0.75),
		.highest = selection.usd[selection.count - 1],
		.offers = selection.count,
		.oldest = selection.oldest,
		.newest = selection.newest,
	};
	return true;
}

/* The class whose median is taken; WG_PROVIDER_CLASS_COUNT when there is no offer. */
static enum wg_provider_class rent_class(const struct wg_price_book *book, const char *gpu,
                                         enum wg_price_kind kind, bool fresh_only)
{
	static const enum wg_provider_class order[] = {
		WG_PROVIDER_NEOCLOUD, WG_PROVIDER_MARKETPLACE, WG_PROVIDER_HYPERSCALER,
		WG_PROVIDER_RESELLER, WG_PROVIDER_VENDOR,      WG_PROVIDER_RETAIL,
	};
	enum wg_provider_class best = WG_PROVIDER_CLASS_COUNT;
	size_t most = 0;
	for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
		struct wg_price_quantiles offers;
		if (!wg_price_quantiles(book, gpu, kind, order[i], fresh_only, &offers)) {
			continue;
		}
		if (offers.offers >= ENOUGH_OFFERS && order[i] != WG_PROVIDER_HYPERSCALER) {
			return order[i];
		}
		if (offers.offers > most) {
			most = offers.offers;
			best = order[i];
		}
	}
	return best;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double greatest(double a, double b)
{
	return a > b ? a : b;
}

static bool rent_quote(const struct wg_price_book *book, const char *gpu, enum wg_price_kind kind,
                       enum wg_provider_class asked, bool fresh_only, struct wg_quote *quote)
{
	struct wg_price_quantiles own, all;
	enum wg_provider_class chosen =
		asked != WG_PROVIDER_CLASS_COUNT ? asked : rent_class(book, gpu, kind, fresh_only);
	if (chosen == WG_PROVIDER_CLASS_COUNT ||
	    !wg_price_quantiles(book, gpu, kind, chosen, fresh_only, &own) ||
	    !wg_price_quantiles(book, gpu, kind, asked, fresh_only, &all)) {
		return false;
	}
	bool few = all.offers < ENOUGH_OFFERS;
	*quote = (struct wg_quote){
		.usd = wg_range_make(least(all.p25, own.median * (few ? FEW_LOW : 1)), own.median,
		                     greatest(all.p75, own.median * (few ? FEW_HIGH : 1))),
		.kind = kind,
		.provider_class = chosen,
		.offers = own.offers,
		.oldest = own.oldest,
		.newest = own.newest,
		.stale = !fresh_only,
	};
	return true;
}

struct wg_quote wg_price_rent(const struct wg_price_book *book, const char *gpu,
                              enum wg_price_kind kind, enum wg_provider_class provider_class)
{
	struct wg_quote quote = { .kind = kind, .provider_class = WG_PROVIDER_CLASS_COUNT };
	if (!rent_quote(book, gpu, kind, provider_class, true, &quote)) {
		rent_quote(book, gpu, kind, provider_class, false, &quote);
	}
	return quote;
}

/* Median of the rows within a year of the newest, or not known. */
static bool purchase_quote(const struct wg_price_book *book, const char *gpu,
                           enum wg_price_kind kind, struct wg_quote *quote)
{
	struct selection selection;
	select_prices(book, gpu, kind, WG_PROVIDER_CLASS_COUNT, false, 0, &selection);
	if (selection.count == 0) {
		return false;
	}
	select_prices(book, gpu, kind, WG_PROVIDER_CLASS_COUNT, false,
	              selection.newest->day - PURCHASE_DAYS, &selection);
	double median = quantile(&selection, 0.5);
	bool single = selection.count == 1;
	*quote = (struct wg_quote){
		.usd = wg_range_make(single ? median * SINGLE_LOW : selection.usd[0], median,
		                     single ? median * SINGLE_HIGH
		                            : selection.usd[selection.count - 1]),
		.kind = kind,
		.provider_class = selection.newest->provider_class,
		.offers = selection.count,
		.oldest = selection.oldest,
		.newest = selection.newest,
		.stale = !is_fresh(book, selection.newest),
		.with_server = kind == WG_PRICE_SERVER_8GPU,
	};
	return true;
}

struct wg_quote wg_price_purchase(const struct wg_price_book *book, const char *gpu)
{
	struct wg_quote quote = { .kind = WG_PRICE_PURCHASE_NEW,
		                  .provider_class = WG_PROVIDER_CLASS_COUNT };
	if (!purchase_quote(book, gpu, WG_PRICE_SERVER_8GPU, &quote) &&
	    !purchase_quote(book, gpu, WG_PRICE_PURCHASE_NEW, &quote)) {
		purchase_quote(book, gpu, WG_PRICE_MSRP, &quote);
	}
	return quote;
}

struct wg_quote wg_price_purchase_used(const struct wg_price_book *book, const char *gpu)
{
	struct wg_quote quote = { .kind = WG_PRICE_PURCHASE_USED,
		                  .provider_class = WG_PROVIDER_CLASS_COUNT };
	purchase_quote(book, gpu, WG_PRICE_PURCHASE_USED, &quote);
	return quote;
}
