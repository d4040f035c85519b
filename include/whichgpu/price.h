/* The price book: dated, sourced prices of GPUs, and the quotes made of them.
 *
 * A quote says what it rests on: how many offers, of which class of provider,
 * from when to when, and whether they are stale. Without a price the quote is
 * not known; nothing is guessed.
 *
 * Ownership: the book owns all it hands out; free the book. Constant after
 * opening. Ages are counted back from the book's newest row, so an answer does
 * not change with the day it is asked on. */
#ifndef WHICHGPU_PRICE_H
#define WHICHGPU_PRICE_H

#include <stdbool.h>
#include <stddef.h>

#include "whichgpu/number.h"
#include "whichgpu/range.h"
#include "whichgpu/status.h"

enum wg_price_kind {
#define WG_PRICE_KIND(name, key, hourly, label) WG_PRICE_##name,
#include "whichgpu/price_kinds.def"
#undef WG_PRICE_KIND
	WG_PRICE_KIND_COUNT
};

enum wg_provider_class {
#define WG_PROVIDER_CLASS(name, key) WG_PROVIDER_##name,
#include "whichgpu/provider_classes.def"
#undef WG_PROVIDER_CLASS
	WG_PROVIDER_CLASS_COUNT      /* where a class is asked for: any */
};

struct wg_price {
	const char *gpu;             /* catalogue id */
	enum wg_price_kind kind;
	enum wg_provider_class provider_class;
	const char *provider, *region, *sku;   /* "" when not said */
	unsigned gpus_per_instance;
	double usd;                  /* per GPU-hour of hourly kinds, else per GPU */
	const char *as_of;           /* as written: "2026-03-16", "2026-02", "2026" */
	long day;                    /* days since 1970; month or year alone: its middle */
	const char *source, *confidence, *notes;
};

struct wg_price_book;

/* The built-in book (data/prices). */
enum wg_status wg_price_book_open(struct wg_price_book **ret_book, struct wg_error *error);
/* One CSV text with the columns of data/prices/README.md; name is shown in
 * errors. A row that cannot be read is an error with its line. */
enum wg_status wg_price_book_open_text(const char *text, size_t length, const char *name,
                                       struct wg_price_book **ret_book, struct wg_error *error);
void wg_price_book_free(struct wg_price_book *book);

/* Rows sorted by GPU, kind, class, price. */
size_t wg_price_book_count(const struct wg_price_book *book);
const struct wg_price *wg_price_book_at(const struct wg_price_book *book, size_t index);
/* Rows of one GPU: how many, and the first of them. */
size_t wg_price_book_find(const struct wg_price_book *book, const char *gpu, size_t *ret_first);
/* The newest row's date, the day ages are counted from; "" for an empty book. */
const char *wg_price_book_date(const struct wg_price_book *book);

/* Offers of the last WG_PRICE_FRESH_DAYS count as fresh (18 months). */
#define WG_PRICE_FRESH_DAYS 548

/* Quantiles of the offers of one GPU, kind and class (WG_PROVIDER_CLASS_COUNT:
 * all classes). Between two offers the value is interpolated. */
struct wg_price_quantiles {
	double lowest, p25, median, p75, highest;
	size_t offers;
	const struct wg_price *oldest, *newest;
};
/* False when there is no such offer. */
bool wg_price_quantiles(const struct wg_price_book *book, const char *gpu,
                        enum wg_price_kind kind, enum wg_provider_class provider_class,
                        bool fresh_only, struct wg_price_quantiles *ret_quantiles);

/* What a plan reckons with. */
struct wg_quote {
	struct wg_range usd;             /* per GPU-hour or per GPU; not known without offers */
	enum wg_price_kind kind;
	enum wg_provider_class provider_class;   /* of `likely` */
	size_t offers;                   /* of that class */
	const struct wg_price *oldest, *newest;
	bool stale;                      /* no fresh offer: older ones were taken */
	bool with_server;                /* purchase: its share of the host is in the price */
};

/* Rent. likely: the median of one class - the one asked for, else neocloud
 * when it has three fresh offers, else marketplace when it has three, else
 * the class with the most. low..high: 25 % and 75 % quantile of the fresh
 * offers of all classes (of the asked one when one was asked for), and at least
 * the usual spread when there are fewer than three. Falls back to old offers,
 * and says so. */
struct wg_quote wg_price_rent(const struct wg_price_book *book, const char *gpu,
                              enum wg_price_kind kind, enum wg_provider_class provider_class);
/* Purchase of one GPU: the share of an 8-GPU server where servers are sold,
 * else a new card, else the launch price. likely: median of the rows within a
 * year of the newest one; low..high: their extremes, or the spread of server
 * prices where there is only one row. */
struct wg_quote wg_price_purchase(const struct wg_price_book *book, const char *gpu);
struct wg_quote wg_price_purchase_used(const struct wg_price_book *book, const char *gpu);

const char *wg_price_kind_key(enum wg_price_kind kind);
const char *wg_price_kind_label(enum wg_price_kind kind);
bool wg_price_kind_is_hourly(enum wg_price_kind kind);
bool wg_price_kind_find(const char *key, enum wg_price_kind *ret_kind);
const char *wg_provider_class_key(enum wg_provider_class provider_class);
bool wg_provider_class_find(const char *key, enum wg_provider_class *ret_class);
/* At the central parity rates of one day (data/prices/exchange.csv). */
enum wg_status wg_money_to_usd(const struct wg_money *money, double *ret_usd,
                               struct wg_error *error);
/* "2026", "2026-03" or "2026-03-16" as days since 1970; false for other text. */
bool wg_price_date_read(const char *text, long *ret_day);

#endif
