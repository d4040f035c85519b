/* Numbers as text, without the locale: the C locale is named in every call
 * that could look at it. */
#include "whichgpu/number.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest text read as one number; a double needs 17 digits. */
#define NUMBER_BYTES 400

/* newlocale("C") hands out a constant object of the C library and asks for no
 * memory, so it may be called each time. */
static locale_t c_locale(void)
{
	return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

/* sign? digits (. digits)? (e sign? digits)?, with a digit in the mantissa. */
static bool is_decimal(const char *at, const char *end)
{
	if (at < end && (*at == '+' || *at == '-'))
		at++;
	const char *whole = at;
	at = skip_digits(at, end);
	size_t digits = (size_t)(at - whole);
	if (at < end && *at == '.') {
		const char *fraction = ++at;
		at = skip_digits(at, end);
		digits += (size_t)(at - fraction);
	}
	if (digits == 0)
		return false;
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		if (at < end && (*at == '+' || *at == '-'))
			at++;
		const char *exponent = at;
		at = skip_digits(at, end);
		if (at == exponent)
			return false;
	}
	return at == end;
}

bool wg_number_read(const char *text, size_t length, double *ret_value)
{
	char buffer[NUMBER_BYTES + 1];
	if (length > NUMBER_BYTES || !is_decimal(text, text + length))
		return false;
	memcpy(buffer, text, length);
	buffer[length] = '\0';
	locale_t locale = c_locale();
	if (!locale)
		return false;
	double value = strtod_l(buffer, NULL, locale);
	freelocale(locale);
	if (!isfinite(value))
		return false;
	*ret_value = value;
	return true;
}

bool wg_integer_read(const char *text, size_t length, int64_t *ret_value)
{
	size_t at = 0;
	bool negative = false;
	if (length > 0 && (text[0] == '-' || text[0] == '+'))
		negative = text[at++] == '-';
	if (at == length)
		return false;
	int64_t value = 0;
	for (; at < length; at++) {
		if (text[at] < '0' || text[at] > '9')
			return false;
		int digit = text[at] - '0';
		/* Counted downwards: the lowest integer has no positive twin. */
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_sub_overflow(value, digit, &value))
			return false;
	}
	if (!negative && value == INT64_MIN)
		return false;
	*ret_value = negative ? value : -value;
	return true;
}

/* snprintf in the C locale. */
__attribute__((format(printf, 3, 4))) static size_t print(char *buffer, size_t buffer_bytes,
                                                          const char *format, ...)
{
	locale_t locale = c_locale();
	locale_t before = locale ? uselocale(locale) : (locale_t)0;
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(buffer, buffer_bytes, format, arguments);
	va_end(arguments);
	if (locale) {
		uselocale(before);
		freelocale(locale);
	}
	if (length < 0)
		length = 0;
	if (buffer_bytes > 0 && (size_t)length >= buffer_bytes)
		return buffer_bytes - 1;
	return (size_t)length;
}

static size_t print_not_finite(char *buffer, size_t buffer_bytes, double value)
{
	return print(buffer, buffer_bytes, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

size_t wg_number_write(char *buffer, size_t buffer_bytes, double value)
{
	if (!isfinite(value))
		return print_not_finite(buffer, buffer_bytes, value);
	if (value == 0)
		return print(buffer, buffer_bytes, "0");
	if (fabs(value) <= 9007199254740992.0 && value == trunc(value))
		return print(buffer, buffer_bytes, "%.0f", value);
	/* Every text of up to 15 digits survives a double, and %g drops the zeros
	 * at its end: the first that reads back is the shortest. Subnormal numbers
	 * have fewer digits and are tried from one. */
	int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG;
	for (; digits < DBL_DECIMAL_DIG; digits++) {
		double back;
		size_t length = print(buffer, buffer_bytes, "%.*g", digits, value);
		if (wg_number_read(buffer, length, &back) && back == value)
			return length;
	}
	return print(buffer, buffer_bytes, "%.*g", DBL_DECIMAL_DIG, value);
}

size_t wg_number_write_digits(char *buffer, size_t buffer_bytes, double value, int digits)
{
	if (!isfinite(value))
		return print_not_finite(buffer, buffer_bytes, value);
	if (digits < 1)
		digits = 1;
	if (digits > DBL_DECIMAL_DIG)
		digits = DBL_DECIMAL_DIG;
	if (value == 0)
		return print(buffer, buffer_bytes, "0");
	/* The exponent after rounding: 9.996 has three digits as 10.0. */
	char rounded[48];
	size_t length = print(rounded, sizeof rounded, "%.*e", digits - 1, value);
	const char *mark = memchr(rounded, 'e', length);
	int64_t exponent = 0;
	double exact = value;
	if (!mark || !wg_integer_read(mark + 1, length - (size_t)(mark + 1 - rounded), &exponent) ||
	    !wg_number_read(rounded, length, &exact))
		return print(buffer, buffer_bytes, "%.*g", digits, value);
	if (exponent < -6 || exponent > 15)
		return print(buffer, buffer_bytes, "%s", rounded);
	int decimals = digits - 1 - (int)exponent;
	return print(buffer, buffer_bytes, "%.*f", decimals > 0 ? decimals : 0, exact);
}
