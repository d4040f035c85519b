/* A document: what a command found, before anyone decides how it looks.
 *
 * It has two faces made by the command: `data`, a tree with the exact keys and
 * bare numbers that --json prints, and `view`, a list of blocks (headings,
 * paragraphs, key-value lists, tables, bars) with typed cells that the text,
 * Markdown, HTML and CSV writers lay out. Units are chosen in the writer; the
 * document holds SI values.
 *
 * Building cannot fail half-way: memory trouble marks the document failed and
 * wg_document_write says so. All strings are copied. The document owns all its
 * nodes: free the document. */
#ifndef WHICHGPU_REPORT_H
#define WHICHGPU_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "whichgpu/catalog.h"
#include "whichgpu/range.h"
#include "whichgpu/status.h"
#include "whichgpu/text.h"

struct wg_document;
struct wg_node;      /* an object or array of the data tree */
struct wg_block;     /* a block of the view */

/* schema: "plan" gives "schema": "whichgpu/plan/1" as first member. */
struct wg_document *wg_document_open(const char *schema);
void wg_document_free(struct wg_document *document);

/* --- data -------------------------------------------------------------- */
struct wg_node *wg_document_data(struct wg_document *document);
/* key is NULL inside an array. */
struct wg_node *wg_node_object(struct wg_node *parent, const char *key);
struct wg_node *wg_node_array(struct wg_node *parent, const char *key);
void wg_node_number(struct wg_node *parent, const char *key, double value);
void wg_node_integer(struct wg_node *parent, const char *key, int64_t value);
void wg_node_string(struct wg_node *parent, const char *key, const char *value); /* NULL: null */
void wg_node_bool(struct wg_node *parent, const char *key, bool value);
void wg_node_null(struct wg_node *parent, const char *key);
/* {"low":..,"likely":..,"high":..} or null */
void wg_node_range(struct wg_node *parent, const char *key, struct wg_range range);
/* {"value":..,"source":"id","confidence":".."} or null when not known or absent */
void wg_node_figure(struct wg_node *parent, const char *key, const struct wg_figure *figure);

/* --- view -------------------------------------------------------------- */
enum wg_unit {
	WG_UNIT_NONE,            /* a bare number */
	WG_UNIT_COUNT,           /* 6912, 70.6 B */
	WG_UNIT_BYTES,           /* GB (1e9) */
	WG_UNIT_BYTES_PER_S,     /* GB/s, TB/s */
	WG_UNIT_OPS_PER_S,       /* TFLOPS */
	WG_UNIT_SECONDS,         /* ms, s, h, days */
	WG_UNIT_WATTS,
	WG_UNIT_JOULES,
	WG_UNIT_USD,
	WG_UNIT_USD_PER_HOUR,
	WG_UNIT_TOKENS_PER_S,
	WG_UNIT_TOKENS,
	WG_UNIT_PER_S,
	WG_UNIT_RATIO,           /* 3.17 */
	WG_UNIT_PERCENT,         /* value 0.42 shows as 42 % */
	WG_UNIT_HERTZ,
	WG_UNIT_BITS,
	WG_UNIT_SQUARE_METRES,   /* mm2 */
	WG_UNIT_INTEGER_OPS_PER_S, /* TOPS, always */
	WG_UNIT_USD_PER_MILLION_TOKENS,
};

enum wg_cell_kind { WG_CELL_EMPTY, WG_CELL_TEXT, WG_CELL_NUMBER, WG_CELL_RANGE, WG_CELL_NOT_KNOWN,
                    WG_CELL_ABSENT, WG_CELL_OF /* "used of available" */ };

struct wg_cell {
	enum wg_cell_kind kind;
	enum wg_unit unit;
	double value, of;        /* WG_CELL_OF: value of `of` */
	struct wg_range range;
	const char *text;
	int digits;              /* significant digits shown; 0: 3 (4 for catalogue figures) */
};

static inline struct wg_cell wg_cell_text(const char *text)
{
	return (struct wg_cell){ .kind = WG_CELL_TEXT, .text = text };
}
static inline struct wg_cell wg_cell_number(double value, enum wg_unit unit)
{
	return (struct wg_cell){ .kind = WG_CELL_NUMBER, .value = value, .unit = unit };
}
static inline struct wg_cell wg_cell_range(struct wg_range range, enum wg_unit unit)
{
	return (struct wg_cell){ .kind = range.known ? WG_CELL_RANGE : WG_CELL_NOT_KNOWN,
	                         .range = range, .unit = unit };
}
static inline struct wg_cell wg_cell_of(double value, double of, enum wg_unit unit)
{
	return (struct wg_cell){ .kind = WG_CELL_OF, .value = value, .of = of, .unit = unit };
}
struct wg_cell wg_cell_figure(const struct wg_figure *figure, enum wg_unit unit);

struct wg_column {
	const char *key;         /* CSV header: snake_case with SI unit */
	const char *title;       /* for people, N_() or _(); the writer adds the unit */
	int priority;            /* 0 always shown; on a narrow screen the highest goes first */
	bool right;              /* aligned right */
};

/* id is a stable word for tests and styles ("options", "refused"). Line ends in
 * a paragraph or note are kept; other control characters are replaced. */
void wg_document_heading(struct wg_document *document, const char *text);
void wg_document_paragraph(struct wg_document *document, const char *text);
/* A line that must not be overlooked: an assumption, a warning. */
void wg_document_note(struct wg_document *document, const char *text);
struct wg_block *wg_document_table(struct wg_document *document, const char *id, const char *title,
                                   const struct wg_column *columns, size_t column_count);
/* Exactly column_count cells. */
void wg_table_row(struct wg_block *table, const struct wg_cell *cells);
/* Marks this table as the one that --csv prints (default: the first table). */
void wg_table_main(struct wg_block *table);
struct wg_block *wg_document_list(struct wg_document *document, const char *id, const char *title);
void wg_list_item(struct wg_block *list, const char *label, struct wg_cell value);
/* A bar a row, scaled to the largest; text, HTML and SVG draw it. */
struct wg_block *wg_document_bars(struct wg_document *document, const char *id, const char *title);
void wg_bars_item(struct wg_block *bars, const char *label, struct wg_cell value);
/* A picture as wg_svg_write made it; the page (HTML) shows it, the others do not. */
void wg_document_picture(struct wg_document *document, const char *id, const char *svg);

/* --- writing ------------------------------------------------------------ */
enum wg_report_format { WG_REPORT_TEXT, WG_REPORT_JSON, WG_REPORT_CSV, WG_REPORT_MARKDOWN,
                        WG_REPORT_HTML };

struct wg_report_options {
	unsigned columns;        /* text: screen width, 40..400; 0: 100 */
	bool colour;             /* text: ANSI colours */
	bool ascii;              /* text: no box or block characters */
};

enum wg_status wg_document_write(const struct wg_document *document, enum wg_report_format format,
                                 const struct wg_report_options *options, struct wg_text *out,
                                 struct wg_error *error);

/* One value as people read it ("82.6 TFLOPS", "24.6 GB", "3.2-4.1 s"). */
void wg_cell_write(const struct wg_cell *cell, struct wg_text *out);

#endif
