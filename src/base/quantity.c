/* A number with its unit, as people write it: "80GB", "300B", "30d", "36000CNY".
 *
 * One table a kind of quantity. A unit with a hint instead of a factor has two
 * readings and is refused with both. */
#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "whichgpu/number.h"

struct unit {
	const char *name;
	double factor;
	const char *readings; /* not NULL: ambiguous, and these are the readings */
};

#define KI 1024.0
#define MI (KI * 1024)
#define GI (MI * 1024)
#define TI (GI * 1024)
#define PI_BYTES (TI * 1024)
#define DAY_S 86400.0
#define YEAR_S (365.25 * DAY_S)

#define BYTES_OR_BITS N_("write a capital B for bytes; sizes in bits are not read")

static const struct unit size_units[] = {
	{ "B", 1, NULL },
	{ "kB", 1e3, NULL },
	{ "KB", 1e3, NULL },
	{ "kb", 1e3, NULL },
	{ "MB", 1e6, NULL },
	{ "mb", 1e6, NULL },
	{ "GB", 1e9, NULL },
	{ "gb", 1e9, NULL },
	{ "TB", 1e12, NULL },
	{ "tb", 1e12, NULL },
	{ "PB", 1e15, NULL },
	{ "pb", 1e15, NULL },
	{ "KiB", KI, NULL },
	{ "kib", KI, NULL },
	{ "MiB", MI, NULL },
	{ "mib", MI, NULL },
	{ "GiB", GI, NULL },
	{ "gib", GI, NULL },
	{ "TiB", TI, NULL },
	{ "tib", TI, NULL },
	{ "PiB", PI_BYTES, NULL },
	{ "pib", PI_BYTES, NULL },
	{ "", 0, N_("write GB (powers of 1000), GiB (powers of 1024) or B for bytes") },
	{ "k", 0, N_("write KB (powers of 1000) or KiB (powers of 1024)") },
	{ "K", 0, N_("write KB (powers of 1000) or KiB (powers of 1024)") },
	{ "m", 0, N_("write MB (powers of 1000) or MiB (powers of 1024)") },
	{ "M", 0, N_("write MB (powers of 1000) or MiB (powers of 1024)") },
	{ "g", 0, N_("write GB (powers of 1000) or GiB (powers of 1024)") },
	{ "G", 0, N_("write GB (powers of 1000) or GiB (powers of 1024)") },
	{ "t", 0, N_("write TB (powers of 1000) or TiB (powers of 1024)") },
	{ "T", 0, N_("write TB (powers of 1000) or TiB (powers of 1024)") },
	{ "b", 0, BYTES_OR_BITS },
	{ "Kb", 0, BYTES_OR_BITS },
	{ "Mb", 0, BYTES_OR_BITS },
	{ "Gb", 0, BYTES_OR_BITS },
	{ "Tb", 0, BYTES_OR_BITS },
	{ 0 },
};

static const struct unit count_units[] = {
	{ "", 1, NULL },
	{ "k", 1e3, NULL },
	{ "K", 1e3, NULL },
	{ "M", 1e6, NULL },
	{ "B", 1e9, NULL },
	{ "G", 1e9, NULL },
	{ "T", 1e12, NULL },
	{ "Ki", KI, NULL },
	{ "Mi", MI, NULL },
	{ "m", 0, N_("write M for millions; thousandths are not counted") },
	{ "b", 0, N_("write B for thousand millions; bits are not counted") },
	{ 0 },
};

static const struct unit duration_units[] = {
	{ "us", 1e-6, NULL },
	{ "ms", 1e-3, NULL },
	{ "s", 1, NULL },
	{ "min", 60, NULL },
	{ "h", 3600, NULL },
	{ "d", DAY_S, NULL },
	{ "w", 7 * DAY_S, NULL },
	{ "mo", YEAR_S / 12, NULL },
	{ "y", YEAR_S, NULL },
	{ "", 0, N_("write ms, s, min, h, d, w, mo or y after the number") },
	{ "m", 0, N_("write min for minutes or mo for months") },
	{ "M", 0, N_("write min for minutes or mo for months") },
	{ 0 },
};

static const struct unit watts_units[] = {
	{ "", 1, NULL },
	{ "W", 1, NULL },
	{ "w", 1, NULL },
	{ "kW", 1e3, NULL },
	{ "KW", 1e3, NULL },
	{ "kw", 1e3, NULL },
	{ "MW", 1e6, NULL },
	{ "mW", 0, N_("write MW for megawatts or a smaller number in W for milliwatts") },
	{ 0 },
};

static const struct unit multiples[] = {
	{ "", 1, NULL },
	{ "k", 1e3, NULL },
	{ "K", 1e3, NULL },
	{ "M", 1e6, NULL },
	{ "m", 0, N_("write M for millions; thousandths are not counted") },
	{ 0 },
};

static const struct {
	const char *name;
	enum wg_currency currency;
} currencies[] = {
	{ "USD", WG_USD }, { "usd", WG_USD }, { "$", WG_USD },  { "CNY", WG_CNY },
	{ "cny", WG_CNY }, { "RMB", WG_CNY }, { "元", WG_CNY }, { "EUR", WG_EUR },
	{ "eur", WG_EUR }, { "€", WG_EUR },
};

/* Bytes of text that are a number; 0 when it starts with none. An "e" counts
 * only with digits after it, so that "3eur" is three euros. */
static size_t number_length(const char *text)
{
	size_t at = strspn(text, "+-");
	at += strspn(text + at, "0123456789");
	if (text[at] == '.') {
		at++;
		at += strspn(text + at, "0123456789");
	}
	if (text[at] == 'e' || text[at] == 'E') {
		size_t sign = text[at + 1] == '+' || text[at + 1] == '-';
		size_t digits = strspn(text + at + 1 + sign, "0123456789");
		if (digits > 0)
			at += 1 + sign + digits;
	}
	return at;
}

static enum wg_status fail(struct wg_error *error, enum wg_status status, const char *what,
                           const char *text, const char *why)
{
	wg_error_set(error, status, _("%s \"%s\" %s"), what, text, why);
	wg_error_place(error, what, 0, 0, -1);
	return status;
}

/* The number at the front of text, not negative, and where its unit starts. */
static enum wg_status read_amount(const char *text, const char *what, double *ret_value,
                                  const char **ret_unit, struct wg_error *error)
{
	size_t length = number_length(text);
	double value;
	if (length == 0)
		return fail(error, WG_BAD_INPUT, what, text, _("does not start with a number"));
	if (!wg_number_read(text, length, &value))
		return fail(error, WG_BAD_INPUT, what, text, _("is not a number that can be used"));
	if (value < 0)
		return fail(error, WG_BAD_INPUT, what, text, _("is negative"));
	*ret_value = value;
	*ret_unit = text + length;
	if (**ret_unit == ' ' && (*ret_unit)[1] != '\0')
		(*ret_unit)++;
	return WG_OK;
}

static const struct unit *find_unit(const struct unit *units, const char *name, size_t length)
{
	for (const struct unit *unit = units; unit->name; unit++)
		if (strlen(unit->name) == length && memcmp(unit->name, name, length) == 0)
			return unit;
	return NULL;
}

static enum wg_status apply_unit(const struct unit *unit, double amount, const char *text,
                                 const char *what, double *ret_value, struct wg_error *error)
{
	/* Nothing has no unit: 0 GB and 0 GiB are one. */
	if (unit->readings && amount > 0) {
		fail(error, WG_AMBIGUOUS, what, text, _("has no clear unit"));
		wg_error_hint(error, "%s", _(unit->readings));
		return WG_AMBIGUOUS;
	}
	double value = amount * (unit->readings ? 0 : unit->factor);
	if (!isfinite(value))
		return fail(error, WG_LIMIT, what, text, _("is too large"));
	*ret_value = value;
	return WG_OK;
}

static enum wg_status read_quantity(const char *text, const char *what, const struct unit *units,
                                    const char *example, double *ret_value, struct wg_error *error)
{
	double amount;
	const char *rest;
	enum wg_status status = read_amount(text, what, &amount, &rest, error);
	if (status != WG_OK) {
		wg_error_hint(error, _("for example %s"), example);
		return status;
	}
	const struct unit *unit = find_unit(units, rest, strlen(rest));
	if (!unit) {
		fail(error, WG_BAD_INPUT, what, text, _("has a unit that is not known here"));
		wg_error_hint(error, _("for example %s"), example);
		return WG_BAD_INPUT;
	}
	return apply_unit(unit, amount, text, what, ret_value, error);
}

enum wg_status wg_size_read(const char *text, const char *what, double *ret_bytes,
                            struct wg_error *error)
{
	return read_quantity(text, what, size_units, "80GB, 80GiB, 24576MiB", ret_bytes, error);
}

enum wg_status wg_count_read(const char *text, const char *what, double *ret_count,
                             struct wg_error *error)
{
	return read_quantity(text, what, count_units, "1000, 8k, 300B", ret_count, error);
}

enum wg_status wg_duration_read(const char *text, const char *what, double *ret_seconds,
                                struct wg_error *error)
{
	return read_quantity(text, what, duration_units, "500ms, 2h, 30d", ret_seconds, error);
}

enum wg_status wg_watts_read(const char *text, const char *what, double *ret_watts,
                             struct wg_error *error)
{
	return read_quantity(text, what, watts_units, "700W, 10kW", ret_watts, error);
}

/* Takes a currency off the front (`$5000`) or the end (`5000USD`) of text. */
static bool strip_currency(const char **text, size_t *length, bool at_front,
                           enum wg_currency *ret_currency)
{
	for (size_t i = 0; i < sizeof currencies / sizeof currencies[0]; i++) {
		size_t size = strlen(currencies[i].name);
		const char *at = at_front ? *text : *text + *length - size;
		if (size > *length || memcmp(at, currencies[i].name, size) != 0)
			continue;
		*length -= size;
		if (at_front)
			*text += size;
		*ret_currency = currencies[i].currency;
		return true;
	}
	return false;
}

static enum wg_status fail_money(struct wg_error *error, const char *what, const char *text)
{
	fail(error, WG_BAD_INPUT, what, text, _("is not an amount of money"));
	wg_error_hint(error, _("for example %s"), "5000, 5000USD, 36000CNY, 4.5kEUR");
	return WG_BAD_INPUT;
}

enum wg_status wg_money_read(const char *text, const char *what, struct wg_money *ret_money,
                             struct wg_error *error)
{
	enum wg_currency currency = WG_USD;
	const char *front = text, *rest;
	size_t left = strlen(text);
	bool named = strip_currency(&front, &left, true, &currency);
	double amount, value;
	enum wg_status status = read_amount(front, what, &amount, &rest, error);
	if (status != WG_OK) {
		wg_error_hint(error, _("for example %s"), "5000, 5000USD, 36000CNY");
		return status;
	}
	size_t length = strlen(rest);
	if (!named && strip_currency(&rest, &length, false, &currency) && length > 0 &&
	    rest[length - 1] == ' ')
		length--;
	const struct unit *multiple = find_unit(multiples, rest, length);
	if (!multiple)
		return fail_money(error, what, text);
	status = apply_unit(multiple, amount, text, what, &value, error);
	if (status == WG_OK)
		*ret_money = (struct wg_money){ .amount = value, .currency = currency };
	return status;
}
