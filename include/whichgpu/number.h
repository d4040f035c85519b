/* Numbers and units, independent of the locale.
 *
 * Reading follows the interface: sizes `80GB` (1e9), `80GiB` (2^30),
 * `24576MiB`; counts `300B` (1e9), `8k`; durations `30d`, `500ms`; money
 * `5000`, `5000USD`, `36000CNY`. What is ambiguous is refused with the two
 * readings in the hint (`80G`: GB or GiB; `80g`). Negative, infinite and NaN
 * values are refused except by wg_number_read. */
#ifndef WHICHGPU_NUMBER_H
#define WHICHGPU_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "whichgpu/status.h"

/* A whole string as a decimal number ("1.5e3"); no blanks, hex, inf or nan. */
bool wg_number_read(const char *text, size_t length, double *ret_value);
bool wg_integer_read(const char *text, size_t length, int64_t *ret_value);

enum wg_currency { WG_USD, WG_CNY, WG_EUR };
struct wg_money {
	double amount;
	enum wg_currency currency;
};

/* `what` is the option or column named in the error ("--budget"). */
enum wg_status wg_size_read(const char *text, const char *what, double *ret_bytes,
                            struct wg_error *error);
enum wg_status wg_count_read(const char *text, const char *what, double *ret_count,
                             struct wg_error *error);
enum wg_status wg_duration_read(const char *text, const char *what, double *ret_seconds,
                                struct wg_error *error);
enum wg_status wg_money_read(const char *text, const char *what, struct wg_money *ret_money,
                             struct wg_error *error);
enum wg_status wg_watts_read(const char *text, const char *what, double *ret_watts,
                             struct wg_error *error);

/* Shortest decimal text that reads back as the same double; "0", "165200000000000",
 * "1e+300". Never a locale's comma. Returns its length; buffer of 32 is enough. */
size_t wg_number_write(char *buffer, size_t buffer_bytes, double value);
/* Fixed number of significant digits for people ("3.17", "165", "0.0412"). */
size_t wg_number_write_digits(char *buffer, size_t buffer_bytes, double value, int digits);

#endif
