/* How values are shown to people: which unit, how many digits.
 *
 * A scale is a unit chosen for one value or for a whole column ("GB", "ms"); a
 * value is divided by its factor and written with at most `digits` significant
 * digits, so no digit is shown that the value does not have. */
#ifndef WHICHGPU_REPORT_UNITS_H
#define WHICHGPU_REPORT_UNITS_H

#include "whichgpu/report.h"

struct scale {
	enum wg_unit unit;
	double factor;      /* SI value of one shown unit */
	const char *prefix; /* before the number: "$"; "" for none */
	const char *suffix; /* after it, with its blank: " GB"; "" for none */
	const char *header; /* in a column's head: "GB", "$/h"; "" for none */
};

/* The scale in which this value reads best. */
struct scale scale_for(enum wg_unit unit, double value);
/* Is the value still readable in this scale: no more than five digits before
 * the point, and not lost behind zeros? */
bool scale_suits(const struct scale *scale, double value);
/* The number alone. digits 0: three. */
void scale_number(const struct scale *scale, double value, int digits, struct wg_text *out);
/* Prefix, number and suffix. */
void scale_value(const struct scale *scale, double value, int digits, struct wg_text *out);

/* A cell in a given scale, without ("812 (640-1030)") or with its unit. */
void cell_write_in(const struct wg_cell *cell, const struct scale *scale, bool with_unit,
                   struct wg_text *out);
/* The value a scale should suit: likely of a range, `of` of a pair. */
bool cell_magnitude(const struct wg_cell *cell, double *ret_value);

#endif
