/* Building a document: copies everything into one arena. Once memory is out
 * the document is `failed`, every further call does nothing, and writing
 * reports it; callers need no checks while building. */
#include "report/document.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "whichgpu/arena.h"
#include "whichgpu/limits.h"

struct wg_document *wg_document_open(const char *schema)
{
	struct wg_document *document = calloc(1, sizeof *document);
	const char *name = NULL;

	if (!document)
		return NULL;
	document->arena = wg_arena_open(WG_LIMIT_TEXT_BYTES);
	if (document->arena) {
		document->data = wg_arena_alloc(document->arena, sizeof *document->data);
		name = wg_arena_printf(document->arena, "whichgpu/%s/1", schema);
	}
	if (!document->data || !name) {
		wg_document_free(document);
		return NULL;
	}
	document->data->document = document;
	document->data->kind = NODE_OBJECT;
	wg_node_string(document->data, "schema", name);
	return document;
}

void wg_document_free(struct wg_document *document)
{
	if (!document)
		return;
	wg_arena_free(document->arena);
	free(document);
}

/* --- data ---------------------------------------------------------------- */

struct wg_node *wg_document_data(struct wg_document *document)
{
	return document ? document->data : NULL;
}

/* A new last child of parent, or NULL once the document has failed. */
static struct wg_node *node_add(struct wg_node *parent, const char *key, enum node_kind kind)
{
	struct wg_document *document;
	struct wg_node *node;

	if (!parent || parent->document->failed)
		return NULL;
	document = parent->document;
	assert((parent->kind == NODE_OBJECT && key) || (parent->kind == NODE_ARRAY && !key));
	node = wg_arena_alloc(document->arena, sizeof *node);
	if (node && key)
		node->key = wg_arena_strdup(document->arena, key);
	if (!node || (key && !node->key)) {
		document->failed = true;
		return NULL;
	}
	node->document = document;
	node->kind = kind;
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	return node;
}

struct wg_node *wg_node_object(struct wg_node *parent, const char *key)
{
	return node_add(parent, key, NODE_OBJECT);
}

struct wg_node *wg_node_array(struct wg_node *parent, const char *key)
{
	return node_add(parent, key, NODE_ARRAY);
}

void wg_node_number(struct wg_node *parent, const char *key, double value)
{
	struct wg_node *node = node_add(parent, key, NODE_NUMBER);

	if (node)
		node->value.number = value;
}

void wg_node_integer(struct wg_node *parent, const char *key, int64_t value)
{
	struct wg_node *node = node_add(parent, key, NODE_INTEGER);

	if (node)
		node->value.integer = value;
}

void wg_node_string(struct wg_node *parent, const char *key, const char *value)
{
	struct wg_node *node = node_add(parent, key, value ? NODE_STRING : NODE_NULL);

	if (!node || !value)
		return;
	node->value.string = wg_arena_strdup(node->document->arena, value);
	if (!node->value.string) {
		node->kind = NODE_NULL;
		node->document->failed = true;
	}
}

void wg_node_bool(struct wg_node *parent, const char *key, bool value)
{
	struct wg_node *node = node_add(parent, key, NODE_BOOL);

	if (node)
		node->value.boolean = value;
}

void wg_node_null(struct wg_node *parent, const char *key)
{
	node_add(parent, key, NODE_NULL);
}

void wg_node_range(struct wg_node *parent, const char *key, struct wg_range range)
{
	struct wg_node *node = node_add(parent, key, range.known ? NODE_OBJECT : NODE_NULL);

	if (!node || !range.known)
		return;
	wg_node_number(node, "low", range.low);
	wg_node_number(node, "likely", range.likely);
	wg_node_number(node, "high", range.high);
}

void wg_node_figure(struct wg_node *parent, const char *key, const struct wg_figure *figure)
{
	bool known = figure->state == WG_KNOWN;
	struct wg_node *node = node_add(parent, key, known ? NODE_OBJECT : NODE_NULL);

	if (!node || !known)
		return;
	wg_node_number(node, "value", figure->value);
	wg_node_string(node, "source", figure->source ? figure->source->id : NULL);
	wg_node_string(node, "confidence", wg_confidence_key(figure->confidence));
}

/* --- view ---------------------------------------------------------------- */

/* A copy fit to be shown: control characters and broken UTF-8 replaced, line
 * ends kept for paragraphs and made blanks elsewhere. */
static const char *view_copy(struct wg_document *document, const char *source, bool keep_lines)
{
	size_t length = source ? strlen(source) : 0;
	size_t written = 0;
	char *copy;

	/* every byte may become at most one '?', so the copy is never longer */
	copy = wg_arena_alloc(document->arena, length + 1);
	if (!copy) {
		document->failed = true;
		return "";
	}
	while (length > 0) {
		const char *line_end = memchr(source, '\n', length);
		size_t part = line_end ? (size_t)(line_end - source) : length;

		written += wg_text_sanitize(copy + written, part + 1, source, part);
		if (line_end)
			copy[written++] = keep_lines ? '\n' : ' ';
		source += part + (line_end ? 1 : 0);
		length -= part + (line_end ? 1 : 0);
	}
	copy[written] = '\0';
	return copy;
}

static struct wg_block *block_add(struct wg_document *document, enum block_kind kind,
                                  const char *id, const char *text)
{
	struct wg_block *block;
	bool keep_lines = kind == BLOCK_PARAGRAPH || kind == BLOCK_NOTE;

	if (!document || document->failed)
		return NULL;
	block = wg_arena_alloc(document->arena, sizeof *block);
	if (!block) {
		document->failed = true;
		return NULL;
	}
	block->document = document;
	block->kind = kind;
	block->id = view_copy(document, id, false);
	block->text = view_copy(document, text, keep_lines);
	if (document->last_block)
		document->last_block->next = block;
	else
		document->first_block = block;
	document->last_block = block;
	return block;
}

void wg_document_heading(struct wg_document *document, const char *text)
{
	block_add(document, BLOCK_HEADING, "", text);
}

void wg_document_paragraph(struct wg_document *document, const char *text)
{
	block_add(document, BLOCK_PARAGRAPH, "", text);
}

void wg_document_note(struct wg_document *document, const char *text)
{
	block_add(document, BLOCK_NOTE, "", text);
}

struct wg_block *wg_document_table(struct wg_document *document, const char *id, const char *title,
                                   const struct wg_column *columns, size_t column_count)
{
	struct wg_block *block = block_add(document, BLOCK_TABLE, id, title);

	if (!block)
		return NULL;
	block->columns = wg_arena_array(document->arena, column_count, sizeof *columns);
	if (!block->columns) {
		document->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < column_count; i++) {
		block->columns[i] = columns[i];
		block->columns[i].key = view_copy(document, columns[i].key, false);
		block->columns[i].title = view_copy(document, _(columns[i].title), false);
	}
	block->column_count = column_count;
	if (!document->main_table)
		document->main_table = block;
	return block;
}

static void row_add(struct wg_block *block, const char *label, const struct wg_cell *cells,
                    size_t count)
{
	struct wg_document *document;
	struct row *row;

	if (!block || block->document->failed)
		return;
	document = block->document;
	row = wg_arena_alloc(document->arena, sizeof *row);
	if (row)
		row->cells = wg_arena_array(document->arena, count, sizeof *cells);
	if (!row || !row->cells) {
		document->failed = true;
		return;
	}
	row->label = view_copy(document, label, false);
	for (size_t i = 0; i < count; i++) {
		row->cells[i] = cells[i];
		if (cells[i].kind == WG_CELL_TEXT)
			row->cells[i].text = view_copy(document, cells[i].text, false);
	}
	if (block->last_row)
		block->last_row->next = row;
	else
		block->first_row = row;
	block->last_row = row;
	block->row_count++;
}

void wg_table_row(struct wg_block *table, const struct wg_cell *cells)
{
	if (table)
		row_add(table, "", cells, table->column_count);
}

void wg_table_main(struct wg_block *table)
{
	if (table)
		table->document->main_table = table;
}

struct wg_block *wg_document_list(struct wg_document *document, const char *id, const char *title)
{
	return block_add(document, BLOCK_LIST, id, title);
}

void wg_list_item(struct wg_block *list, const char *label, struct wg_cell value)
{
	row_add(list, label, &value, 1);
}

struct wg_block *wg_document_bars(struct wg_document *document, const char *id, const char *title)
{
	return block_add(document, BLOCK_BARS, id, title);
}

void wg_bars_item(struct wg_block *bars, const char *label, struct wg_cell value)
{
	row_add(bars, label, &value, 1);
}

void wg_document_picture(struct wg_document *document, const char *id, const char *svg)
{
	struct wg_block *block = block_add(document, BLOCK_PICTURE, id, "");

	if (!block)
		return;
	block->svg = wg_arena_strdup(document->arena, svg);
	document->failed = document->failed || !block->svg;
}

/* --- writing ------------------------------------------------------------- */

enum wg_status wg_document_write(const struct wg_document *document, enum wg_report_format format,
                                 const struct wg_report_options *options, struct wg_text *out,
                                 struct wg_error *error)
{
	static const struct wg_report_options defaults;

	if (!document || document->failed)
		return wg_error_no_memory(error);
	switch (format) {
	case WG_REPORT_TEXT:
		wg_write_text(document, options ? options : &defaults, out);
		break;
	case WG_REPORT_JSON:
		wg_write_json(document, out);
		break;
	case WG_REPORT_CSV:
		wg_write_csv(document, out);
		break;
	case WG_REPORT_MARKDOWN:
		wg_write_markdown(document, out);
		break;
	case WG_REPORT_HTML:
		wg_write_html(document, out);
		break;
	}
	if (out->failed)
		return wg_error_no_memory(error);
	return WG_OK;
}
