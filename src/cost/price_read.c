/* Reading the price book: CSV rows into sorted prices. */
#include "cost/price_book.h"

#include <string.h>

#include "base/embed.h"
#include "whichgpu/csv.h"
#include "whichgpu/limits.h"

/* Cell limits of a row that is read at all; outside them it is a mistake. */
#define HOURLY_USD_LOW 0.01
#define HOURLY_USD_HIGH 1000.0
#define GPU_USD_LOW 1.0
#define GPU_USD_HIGH 10e6
#define INSTANCE_GPUS_HIGH 1024.0

static const struct {
	const char *key, *label;
	bool hourly;
} kinds[WG_PRICE_KIND_COUNT] = {
#define WG_PRICE_KIND(name, key, hourly, label) { key, label, hourly },
#include "whichgpu/price_kinds.def"
#undef WG_PRICE_KIND
};

static const char *const classes[WG_PROVIDER_CLASS_COUNT] = {
#define WG_PROVIDER_CLASS(name, key) key,
#include "whichgpu/provider_classes.def"
#undef WG_PROVIDER_CLASS
};

const char *wg_price_kind_key(enum wg_price_kind kind)
{
	return (unsigned)kind < WG_PRICE_KIND_COUNT ? kinds[kind].key : "";
}

const char *wg_price_kind_label(enum wg_price_kind kind)
{
	return (unsigned)kind < WG_PRICE_KIND_COUNT ? kinds[kind].label : "";
}

bool wg_price_kind_is_hourly(enum wg_price_kind kind)
{
	return (unsigned)kind < WG_PRICE_KIND_COUNT && kinds[kind].hourly;
}

bool wg_price_kind_find(const char *key, enum wg_price_kind *ret_kind)
{
	for (unsigned i = 0; i < WG_PRICE_KIND_COUNT; i++) {
		if (strcmp(kinds[i].key, key) == 0) {
			*ret_kind = (enum wg_price_kind)i;
			return true;
		}
	}
	return false;
}

const char *wg_provider_class_key(enum wg_provider_class provider_class)
{
	return (unsigned)provider_class < WG_PROVIDER_CLASS_COUNT ? classes[provider_class] : "";
}

bool wg_provider_class_find(const char *key, enum wg_provider_class *ret_class)
{
	for (unsigned i = 0; i < WG_PROVIDER_CLASS_COUNT; i++) {
		if (strcmp(classes[i], key) == 0) {
			*ret_class = (enum wg_provider_class)i;
			return true;
		}
	}
	return false;
}

/* Days from 1970-01-01 to a Gregorian date (Hinnant, "chrono-compatible
 * low-level date algorithms", days_from_civil). */
static long day_from_date(long year, long month, long day)
{
	year -= month <= 2;
	long era = (year >= 0 ? year : year - 399) / 400;
	long year_of_era = year - era * 400;
	long day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	long day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
	return era * 146097 + day_of_era - 719468;
}

static bool digits(const char *text, size_t count, long *ret_value)
{
	long value = 0;
	for (size_t i = 0; i < count; i++) {
		if (text[i] < '0' || text[i] > '9') {
			return false;
		}
		value = value * 10 + (text[i] - '0');
	}
	*ret_value = value;
	return true;
}

/* "-MM" within low..high, 1 and 12 or 31. */
static bool date_part(const char *text, long high, long *ret_value)
{
	return text[0] == '-' && digits(text + 1, 2, ret_value) && *ret_value >= 1 &&
	       *ret_value <= high;
}

bool wg_price_date_read(const char *text, long *ret_day)
{
	size_t length = strlen(text);
	long year, month = 7, day = 1;
	if ((length != 4 && length != 7 && length != 10) || !digits(text, 4, &year) ||
	    year < 1990) {
		return false;
	}
	if (length >= 7) {
		day = 15;
		if (!date_part(text + 4, 12, &month)) {
			return false;
		}
	}
	if (length == 10 && !date_part(text + 7, 31, &day)) {
		return false;
	}
	*ret_day = day_from_date(year, month, day);
	return true;
}

enum column {
	COLUMN_GPU,
	COLUMN_KIND,
	COLUMN_PROVIDER,
	COLUMN_CLASS,
	COLUMN_REGION,
	COLUMN_SKU,
	COLUMN_GPUS,
	COLUMN_HOUR,
	COLUMN_USD,
	COLUMN_AS_OF,
	COLUMN_SOURCE,
	COLUMN_CONFIDENCE,
	COLUMN_NOTES,
	COLUMN_COUNT
};

static const char *const column_names[COLUMN_COUNT] = {
	"gpu",
	"kind",
	"provider",
	"provider_class",
	"region",
	"sku",
	"gpus_per_instance",
	"usd_per_gpu_hour",
	"usd_per_gpu",
	"as_of",
	"source",
	"confidence",
	"notes",
};

struct reader {
	const struct wg_csv *csv;
	long columns[COLUMN_COUNT];
	struct wg_price_book *book;
};

static const char *cell(const struct reader *reader, size_t row, enum column column)
{
	return wg_csv_cell(reader->csv, row, reader->columns[column]);
}

static enum wg_status row_error(const struct reader *reader, size_t row, struct wg_error *error,
                                const char *what, const char *value)
{
	wg_error_set(error, WG_BAD_INPUT, "%s \"%.60s\" in a price", what, value);
	wg_error_place(error, wg_csv_name(reader->csv), wg_csv_row_line(reader->csv, row), 0, -1);
	return WG_BAD_INPUT;
}

static enum wg_status number(const struct reader *reader, size_t row, enum column column,
                             double low, double high, double *ret_value, struct wg_error *error)
{
	bool present = false;
	double value = 0;
	enum wg_status status =
		wg_csv_number(reader->csv, row, reader->columns[column], &present, &value, error);
	if (status != WG_OK) {
		return status;
	}
	if (!present || value < low || value > high) {
		return row_error(reader, row, error, column_names[column],
		                 cell(reader, row, column));
	}
	*ret_value = value;
	return WG_OK;
}

/* The words of a row go into the book's arena: the CSV is freed afterwards. */
static enum wg_status read_words(const struct reader *reader, size_t row, struct wg_price *price,
                                 struct wg_error *error)
{
	const struct {
		enum column column;
		const char **target;
	} words[] = {
		{ COLUMN_GPU, &price->gpu },
		{ COLUMN_PROVIDER, &price->provider },
		{ COLUMN_REGION, &price->region },
		{ COLUMN_SKU, &price->sku },
		{ COLUMN_AS_OF, &price->as_of },
		{ COLUMN_SOURCE, &price->source },
		{ COLUMN_CONFIDENCE, &price->confidence },
		{ COLUMN_NOTES, &price->notes },
	};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		*words[i].target =
			wg_price_book_word(reader->book, cell(reader, row, words[i].column));
		if (*words[i].target == NULL) {
			return wg_error_no_memory(error);
		}
	}
	return WG_OK;
}

static enum wg_status read_row(const struct reader *reader, size_t row, struct wg_price *price,
                               struct wg_error *error)
{
	double gpus = 1;
	if (!wg_price_kind_find(cell(reader, row, COLUMN_KIND), &price->kind)) {
		return row_error(reader, row, error, "unknown kind",
		                 cell(reader, row, COLUMN_KIND));
	}
	if (!wg_provider_class_find(cell(reader, row, COLUMN_CLASS), &price->provider_class)) {
		return row_error(reader, row, error, "unknown provider class",
		                 cell(reader, row, COLUMN_CLASS));
	}
	if (!wg_price_date_read(cell(reader, row, COLUMN_AS_OF), &price->day)) {
		return row_error(reader, row, error, "no date in", cell(reader, row, COLUMN_AS_OF));
	}
	if (cell(reader, row, COLUMN_GPU)[0] == '\0' ||
	    cell(reader, row, COLUMN_SOURCE)[0] == '\0') {
		return row_error(reader, row, error, "no GPU or no source for",
		                 cell(reader, row, COLUMN_SKU));
	}
	bool hourly = kinds[price->kind].hourly;
	enum wg_status status = number(reader, row, hourly ? COLUMN_HOUR : COLUMN_USD,
	                               hourly ? HOURLY_USD_LOW : GPU_USD_LOW,
	                               hourly ? HOURLY_USD_HIGH : GPU_USD_HIGH, &price->usd, error);
	if (status == WG_OK) {
		status = number(reader, row, COLUMN_GPUS, 1, INSTANCE_GPUS_HIGH, &gpus, error);
	}
	price->gpus_per_instance = (unsigned)gpus;
	return status == WG_OK ? read_words(reader, row, price, error) : status;
}

static enum wg_status find_columns(struct reader *reader, struct wg_error *error)
{
	for (unsigned i = 0; i < COLUMN_COUNT; i++) {
		reader->columns[i] = wg_csv_column_find(reader->csv, column_names[i]);
		if (reader->columns[i] < 0) {
			wg_error_set(error, WG_BAD_INPUT, "no column \"%s\" in a price list",
			             column_names[i]);
			wg_error_place(error, wg_csv_name(reader->csv), 1, 0, -1);
			return WG_BAD_INPUT;
		}
	}
	return WG_OK;
}

static enum wg_status read_text(struct wg_price_book *book, const char *text, size_t length,
                                const char *name, struct wg_error *error)
{
	struct wg_csv *csv = NULL;
	enum wg_status status = wg_csv_open(text, length, name, &csv, error);
	if (status != WG_OK) {
		return status;
	}
	struct reader reader = { .csv = csv, .book = book };
	size_t rows = wg_csv_row_count(csv);
	status = find_columns(&reader, error);
	if (status == WG_OK && rows > WG_LIMIT_PRICES) {
		status = wg_error_set(error, WG_LIMIT, "more than %d prices in \"%s\"",
		                      WG_LIMIT_PRICES, name);
	}
	if (status == WG_OK) {
		status = wg_price_book_grow(book, rows, error);
	}
	for (size_t row = 0; status == WG_OK && row < rows; row++) {
		struct wg_price price = { 0 };
		status = read_row(&reader, row, &price, error);
		if (status == WG_OK) {
			wg_price_book_add(book, &price);
		}
	}
	wg_csv_free(csv);
	return status;
}

static enum wg_status finish(struct wg_price_book *book, enum wg_status status,
                             struct wg_price_book **ret_book)
{
	if (status != WG_OK) {
		wg_price_book_free(book);
		return status;
	}
	wg_price_book_sort(book);
	*ret_book = book;
	return WG_OK;
}

enum wg_status wg_price_book_open_text(const char *text, size_t length, const char *name,
                                       struct wg_price_book **ret_book, struct wg_error *error)
{
	struct wg_price_book *book = wg_price_book_new();
	if (book == NULL) {
		return wg_error_no_memory(error);
	}
	return finish(book, read_text(book, text, length, name, error), ret_book);
}

enum wg_status wg_price_book_open(struct wg_price_book **ret_book, struct wg_error *error)
{
	static const char *const names[] = { "rent", "purchase" };
	struct wg_price_book *book = wg_price_book_new();
	enum wg_status status = book == NULL ? wg_error_no_memory(error) : WG_OK;
	for (size_t i = 0; status == WG_OK && i < sizeof names / sizeof names[0]; i++) {
		const struct wg_embedded *file = wg_embedded_find("prices", names[i]);
		status = file == NULL
		                 ? wg_error_set(error, WG_NOT_FOUND,
		                                "no price list \"%s\" built in", names[i])
		                 : read_text(book, file->bytes, file->length, file->path, error);
	}
	return finish(book, status, ret_book);
}
