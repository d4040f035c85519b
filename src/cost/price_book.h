/* The price book's store, between price_read.c (CSV) and price_book.c. */
#ifndef WHICHGPU_COST_PRICE_BOOK_H
#define WHICHGPU_COST_PRICE_BOOK_H

#include "whichgpu/arena.h"
#include "whichgpu/map.h"
#include "whichgpu/price.h"

struct wg_price_book {
	struct wg_arena *arena;
	struct wg_map words; /* word -> its address: a source is kept once */
	struct wg_price *prices;
	size_t count, capacity;
	long newest_day;
	const char *date;
};

/* NULL when memory is out. */
struct wg_price_book *wg_price_book_new(void);
/* Room for that many more prices. */
enum wg_status wg_price_book_grow(struct wg_price_book *book, size_t rows, struct wg_error *error);
void wg_price_book_add(struct wg_price_book *book, const struct wg_price *price);
/* The book's own copy; NULL when memory is out. */
const char *wg_price_book_word(struct wg_price_book *book, const char *word);
void wg_price_book_sort(struct wg_price_book *book);

#endif
