#include "report/units.h"

#include <math.h>
#include <string.h>

#include "base/i18n.h"
#include "whichgpu/number.h"

/* Steps of one unit, smallest first: a value takes the last step whose `from`
 * it reaches. `from` leaves values in the unit people use for them (1979
 * TFLOPS, not 1.98 PFLOPS; 90 s, not 1.5 min). */
struct step {
	double from, factor;
	const char *suffix, *header;
};

static const struct step none_steps[] = { { 0, 1, "", "" } };
static const struct step count_steps[] = {
	{ 0, 1, "", "" },
	{ 1e6, 1e6, " M", "M" },
	{ 1e9, 1e9, " B", "B" },
	{ 1e12, 1e12, " T", "T" },
};
static const struct step bytes_steps[] = {
	{ 0, 1, " B", "B" },       { 1e3, 1e3, " kB", "kB" },   { 1e6, 1e6, " MB", "MB" },
	{ 1e9, 1e9, " GB", "GB" }, { 1e13, 1e12, " TB", "TB" },
};
static const struct step bytes_per_s_steps[] = {
	{ 0, 1, " B/s", "B/s" },         { 1e3, 1e3, " kB/s", "kB/s" },
	{ 1e6, 1e6, " MB/s", "MB/s" },   { 1e9, 1e9, " GB/s", "GB/s" },
	{ 1e12, 1e12, " TB/s", "TB/s" },
};
static const struct step ops_steps[] = {
	{ 0, 1, " FLOPS", "FLOPS" },         { 1e6, 1e6, " MFLOPS", "MFLOPS" },
	{ 1e9, 1e9, " GFLOPS", "GFLOPS" },   { 1e11, 1e12, " TFLOPS", "TFLOPS" },
	{ 1e17, 1e15, " PFLOPS", "PFLOPS" },
};
static const struct step integer_ops_steps[] = {
	{ 0, 1, " OPS", "OPS" },
	{ 1e9, 1e9, " GOPS", "GOPS" },
	{ 1e11, 1e12, " TOPS", "TOPS" },
	{ 1e17, 1e15, " POPS", "POPS" },
};
static const struct step seconds_steps[] = {
	{ 0, 1e-9, " ns", "ns" },
	{ 1e-6, 1e-6, " µs", "µs" },
	{ 1e-3, 1e-3, " ms", "ms" },
	{ 1, 1, " s", "s" },
	{ 120, 60, " min", "min" },
	{ 7200, 3600, " h", "h" },
	{ 2 * 86400, 86400, N_(" days"), N_("days") },
};
static const struct step watts_steps[] = {
	{ 0, 1e-3, " mW", "mW" },
	{ 1, 1, " W", "W" },
	{ 1e4, 1e3, " kW", "kW" },
	{ 1e7, 1e6, " MW", "MW" },
};
static const struct step joules_steps[] = {
	{ 0, 1e-3, " mJ", "mJ" },         { 1, 1, " J", "J" },
	{ 1e4, 1e3, " kJ", "kJ" },        { 3.6e6, 3.6e6, " kWh", "kWh" },
	{ 3.6e10, 3.6e9, " MWh", "MWh" },
};
static const struct step usd_steps[] = { { 0, 1, "", "$" } };
static const struct step usd_per_hour_steps[] = { { 0, 1, "/h", "$/h" } };
static const struct step usd_per_million_tokens_steps[] = { { 0, 1, N_("/M tokens"),
	                                                      N_("$/Mtok") } };
static const struct step tokens_per_s_steps[] = {
	{ 0, 1, " tokens/s", "tokens/s" },
	{ 1e6, 1e6, " M tokens/s", "M tokens/s" },
};
static const struct step tokens_steps[] = {
	{ 0, 1, " tokens", "tokens" },
	{ 1e6, 1e6, " M tokens", "M tokens" },
	{ 1e9, 1e9, " B tokens", "B tokens" },
	{ 1e12, 1e12, " T tokens", "T tokens" },
};
static const struct step per_s_steps[] = { { 0, 1, "/s", "/s" } };
static const struct step percent_steps[] = { { 0, 0.01, " %", "%" } };
static const struct step hertz_steps[] = {
	{ 0, 1, " Hz", "Hz" },
	{ 1e3, 1e3, " kHz", "kHz" },
	{ 1e6, 1e6, " MHz", "MHz" },
	{ 1e10, 1e9, " GHz", "GHz" },
};
static const struct step bits_steps[] = { { 0, 1, " bit", "bit" } };
static const struct step square_metres_steps[] = { { 0, 1e-6, " mm²", "mm²" } };

#define STEPS(steps) steps, sizeof(steps) / sizeof(steps)[0]
static const struct {
	const struct step *steps;
	size_t count;
	const char *prefix;
} units[] = {
	[WG_UNIT_NONE] = { STEPS(none_steps), "" },
	[WG_UNIT_COUNT] = { STEPS(count_steps), "" },
	[WG_UNIT_BYTES] = { STEPS(bytes_steps), "" },
	[WG_UNIT_BYTES_PER_S] = { STEPS(bytes_per_s_steps), "" },
	[WG_UNIT_OPS_PER_S] = { STEPS(ops_steps), "" },
	[WG_UNIT_SECONDS] = { STEPS(seconds_steps), "" },
	[WG_UNIT_WATTS] = { STEPS(watts_steps), "" },
	[WG_UNIT_JOULES] = { STEPS(joules_steps), "" },
	[WG_UNIT_USD] = { STEPS(usd_steps), "$" },
	[WG_UNIT_USD_PER_HOUR] = { STEPS(usd_per_hour_steps), "$" },
	[WG_UNIT_TOKENS_PER_S] = { STEPS(tokens_per_s_steps), "" },
	[WG_UNIT_TOKENS] = { STEPS(tokens_steps), "" },
	[WG_UNIT_PER_S] = { STEPS(per_s_steps), "" },
	[WG_UNIT_RATIO] = { STEPS(none_steps), "" },
	[WG_UNIT_PERCENT] = { STEPS(percent_steps), "" },
	[WG_UNIT_HERTZ] = { STEPS(hertz_steps), "" },
	[WG_UNIT_BITS] = { STEPS(bits_steps), "" },
	[WG_UNIT_SQUARE_METRES] = { STEPS(square_metres_steps), "" },
	[WG_UNIT_INTEGER_OPS_PER_S] = { STEPS(integer_ops_steps), "" },
	[WG_UNIT_USD_PER_MILLION_TOKENS] = { STEPS(usd_per_million_tokens_steps), "$" },
};
#undef STEPS

static bool is_money(enum wg_unit unit)
{
	return unit == WG_UNIT_USD || unit == WG_UNIT_USD_PER_HOUR ||
	       unit == WG_UNIT_USD_PER_MILLION_TOKENS;
}

/* Things that are counted one by one and so have no false digits. */
static bool is_counted(enum wg_unit unit)
{
	return unit == WG_UNIT_COUNT || unit == WG_UNIT_TOKENS || unit == WG_UNIT_BITS;
}

struct scale scale_for(enum wg_unit unit, double value)
{
	const struct step *best = &units[unit].steps[0];
	double magnitude = fabs(value);

	/* zero has no size of its own: the step whose factor is 1 */
	for (size_t i = 1; i < units[unit].count; i++) {
		const struct step *step = &units[unit].steps[i];

		/* 999.9996e6 would be written 1000 M: it belongs to the next step */
		if (value == 0 ? step->factor <= 1 : magnitude >= step->from * (1 - 5e-7))
			best = step;
	}
	return (struct scale){ unit, best->factor, units[unit].prefix, _(best->suffix),
		               _(best->header) };
}

bool scale_suits(const struct scale *scale, double value)
{
	double shown = fabs(value) / scale->factor;

	if (value == 0)
		return true;
	if (is_counted(scale->unit) && scale->factor == 1)
		return shown < 1e6;
	return shown < 99999.5 && shown >= (is_money(scale->unit) ? 0.001 : 0.01);
}

/* At most `digits` significant digits; an exponent only far beyond what the
 * units are made for. */
static void put_significant(double value, int digits, bool trim, struct wg_text *out)
{
	char buffer[64];
	double magnitude = fabs(value);

	if (magnitude >= pow(10, digits - 1) && magnitude < pow(10, digits + 6)) {
		/* no decimals left: round in the last digit that counts */
		double unit = pow(10, floor(log10(magnitude)) + 1 - digits);

		wg_number_write(buffer, sizeof buffer, round(value / unit) * unit);
	} else {
		wg_number_write_digits(buffer, sizeof buffer, value, digits);
	}
	if (trim && strchr(buffer, '.') && !strchr(buffer, 'e')) {
		size_t length = strlen(buffer);

		while (buffer[length - 1] == '0')
			buffer[--length] = '\0';
		if (buffer[length - 1] == '.')
			buffer[--length] = '\0';
	}
	wg_text_add(out, buffer);
}

/* Thousands are marked in money only, where people expect it. */
static void put_dollars(double whole, struct wg_text *out)
{
	char digits[32];
	size_t length;

	wg_number_write(digits, sizeof digits, whole);
	length = strlen(digits);
	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			wg_text_add_char(out, ',');
		wg_text_add_char(out, digits[i]);
	}
}

static void put_money(double value, int digits, struct wg_text *out)
{
	double magnitude = fabs(value);

	if (value < 0)
		wg_text_add_char(out, '-');
	if (magnitude >= 1e15) {
		put_significant(magnitude, 3, true, out);
	} else if (magnitude >= 999.995) {
		double unit = 1;

		/* an estimate of 1234567 is 1,230,000; a price of 36990 stays */
		if (digits > 0)
			unit = pow(10, fmax(0, floor(log10(magnitude)) + 1 - digits));
		put_dollars(round(magnitude / unit) * unit, out);
	} else if (magnitude >= 0.0995 || magnitude == 0) {
		int cents = (int)lround(magnitude * 100);

		wg_text_printf(out, "%d.%02d", cents / 100, cents % 100);
	} else {
		put_significant(magnitude, 2, false, out);
	}
}

void scale_number(const struct scale *scale, double value, int digits, struct wg_text *out)
{
	double shown = value / scale->factor;
	bool trim = digits > 3; /* a catalogue figure: 80 GB, not 80.00 GB */

	if (!isfinite(value)) {
		wg_text_add(out, "?");
	} else if (is_money(scale->unit)) {
		put_money(value, digits, out);
	} else if (value == 0) {
		wg_text_add_char(out, '0');
	} else if (shown == floor(shown) && fabs(shown) < 1000 && scale->unit != WG_UNIT_RATIO) {
		put_significant(shown, 3, true, out);
	} else if (is_counted(scale->unit) && scale->factor == 1 && shown == floor(shown) &&
	           fabs(shown) < 1e15) {
		put_significant(shown, 15, true, out);
	} else if (digits > 0) {
		put_significant(shown, digits, trim, out);
	} else {
		bool short_percent = scale->unit == WG_UNIT_PERCENT && fabs(shown) < 99.5;

		put_significant(shown, short_percent ? 2 : 3, false, out);
	}
}

void scale_value(const struct scale *scale, double value, int digits, struct wg_text *out)
{
	wg_text_add(out, scale->prefix);
	scale_number(scale, value, digits, out);
	wg_text_add(out, scale->suffix);
}

/* --- cells --------------------------------------------------------------- */

bool cell_magnitude(const struct wg_cell *cell, double *ret_value)
{
	switch (cell->kind) {
	case WG_CELL_NUMBER:
		*ret_value = cell->value;
		return true;
	case WG_CELL_RANGE:
		*ret_value = cell->range.likely;
		return true;
	case WG_CELL_OF:
		*ret_value = cell->of != 0 ? cell->of : cell->value;
		return true;
	default:
		return false;
	}
}

static void range_write(const struct wg_cell *cell, const struct scale *scale, struct wg_text *out)
{
	scale_number(scale, cell->range.likely, cell->digits, out);
	if (cell->range.low == cell->range.likely && cell->range.high == cell->range.likely)
		return;
	wg_text_add(out, " (");
	scale_number(scale, cell->range.low, cell->digits, out);
	wg_text_add_char(out, '-');
	scale_number(scale, cell->range.high, cell->digits, out);
	wg_text_add_char(out, ')');
}

void cell_write_in(const struct wg_cell *cell, const struct scale *scale, bool with_unit,
                   struct wg_text *out)
{
	double unused;

	if (!cell_magnitude(cell, &unused)) {
		if (cell->kind == WG_CELL_TEXT)
			wg_text_add(out, cell->text ? cell->text : "");
		else if (cell->kind == WG_CELL_NOT_KNOWN)
			wg_text_add(out, _("not known"));
		else if (cell->kind == WG_CELL_ABSENT)
			wg_text_add(out, _("none"));
		return;
	}
	if (with_unit)
		wg_text_add(out, scale->prefix);
	if (cell->kind == WG_CELL_NUMBER) {
		scale_number(scale, cell->value, cell->digits, out);
	} else if (cell->kind == WG_CELL_RANGE) {
		range_write(cell, scale, out);
	} else {
		scale_number(scale, cell->value, cell->digits, out);
		wg_text_add(out, _(" of "));
		scale_number(scale, cell->of, cell->digits, out);
	}
	if (with_unit)
		wg_text_add(out, scale->suffix);
}

void wg_cell_write(const struct wg_cell *cell, struct wg_text *out)
{
	double value = 0;
	struct scale scale;

	cell_magnitude(cell, &value);
	scale = scale_for(cell->unit, value);
	cell_write_in(cell, &scale, true, out);
}

struct wg_cell wg_cell_figure(const struct wg_figure *figure, enum wg_unit unit)
{
	enum wg_cell_kind kind = figure->state == WG_KNOWN    ? WG_CELL_NUMBER
	                         : figure->state == WG_ABSENT ? WG_CELL_ABSENT
	                                                      : WG_CELL_NOT_KNOWN;

	return (struct wg_cell){ .kind = kind, .unit = unit, .value = figure->value, .digits = 4 };
}
