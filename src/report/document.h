/* The inside of a document, for the writers only. */
#ifndef WHICHGPU_REPORT_DOCUMENT_H
#define WHICHGPU_REPORT_DOCUMENT_H

#include "whichgpu/report.h"

enum node_kind {
	NODE_OBJECT,
	NODE_ARRAY,
	NODE_NUMBER,
	NODE_INTEGER,
	NODE_STRING,
	NODE_BOOL,
	NODE_NULL
};

struct wg_node {
	struct wg_document *document;
	enum node_kind kind;
	const char *key; /* NULL in an array */
	union {
		double number;
		int64_t integer;
		const char *string;
		bool boolean;
	} value;
	struct wg_node *first, *last, *next; /* children; next sibling */
};

enum block_kind {
	BLOCK_HEADING,
	BLOCK_PARAGRAPH,
	BLOCK_NOTE,
	BLOCK_TABLE,
	BLOCK_LIST,
	BLOCK_BARS,
	BLOCK_PICTURE,
};

/* A line of a table (column_count cells), list or bars (label and one cell). */
struct row {
	const char *label;
	struct wg_cell *cells;
	struct row *next;
};

struct wg_block {
	struct wg_document *document;
	enum block_kind kind;
	const char *id;
	const char *text;          /* of a heading; title of a table; may be "" */
	const char *svg;           /* pictures only */
	struct wg_column *columns; /* tables only */
	size_t column_count;
	struct row *first_row, *last_row;
	size_t row_count;
	struct wg_block *next;
};

struct wg_document {
	struct wg_arena *arena;
	struct wg_node *data;
	struct wg_block *first_block, *last_block;
	struct wg_block *main_table; /* of --csv */
	bool failed;                 /* memory was out at some point */
};

/* Takes a scratch text down; when it failed, so has what was written from it. */
static inline void scratch_done(struct wg_text *scratch, struct wg_text *out)
{
	out->failed = out->failed || scratch->failed;
	wg_text_done(scratch);
}

void wg_write_text(const struct wg_document *document, const struct wg_report_options *options,
                   struct wg_text *out);
void wg_write_json(const struct wg_document *document, struct wg_text *out);
void wg_write_csv(const struct wg_document *document, struct wg_text *out);
void wg_write_markdown(const struct wg_document *document, struct wg_text *out);
void wg_write_html(const struct wg_document *document, struct wg_text *out);

#endif
