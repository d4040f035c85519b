/* Amounts in yuan and euro, at the dated rates of data/prices/exchange.csv. */
#include <string.h>

#include "base/embed.h"
#include "whichgpu/csv.h"
#include "whichgpu/price.h"

static const char *const codes[] = { [WG_USD] = "USD", [WG_CNY] = "CNY", [WG_EUR] = "EUR" };

static enum wg_status yuan_per(const struct wg_csv *csv, enum wg_currency currency,
                               double *ret_yuan, struct wg_error *error)
{
	long name = wg_csv_column_find(csv, "currency"), rate = wg_csv_column_find(csv, "yuan");
	for (size_t row = 0; row < wg_csv_row_count(csv); row++) {
		bool present = false;
		if (strcmp(wg_csv_cell(csv, row, name), codes[currency]) != 0) {
			continue;
		}
		enum wg_status status = wg_csv_number(csv, row, rate, &present, ret_yuan, error);
		if (status != WG_OK || (present && *ret_yuan > 0)) {
			return status;
		}
	}
	return wg_error_set(error, WG_NOT_FOUND, "no exchange rate of \"%s\"", codes[currency]);
}

enum wg_status wg_money_to_usd(const struct wg_money *money, double *ret_usd,
                               struct wg_error *error)
{
	const struct wg_embedded *file = wg_embedded_find("prices", "exchange");
	struct wg_csv *csv = NULL;
	double own = 1, dollar = 1;
	if (money->currency == WG_USD) {
		*ret_usd = money->amount;
		return WG_OK;
	}
	if (file == NULL) {
		return wg_error_set(error, WG_NOT_FOUND, "no exchange rates built in");
	}
	enum wg_status status = wg_csv_open(file->bytes, file->length, file->path, &csv, error);
	if (status != WG_OK) {
		return status;
	}
	status = yuan_per(csv, money->currency, &own, error);
	if (status == WG_OK) {
		status = yuan_per(csv, WG_USD, &dollar, error);
	}
	wg_csv_free(csv);
	if (status == WG_OK) {
		*ret_usd = money->amount * own / dollar;
	}
	return status;
}
