/* A document as GitHub-flavoured Markdown. */
#include <stdlib.h>
#include <string.h>

#include "base/i18n.h"
#include "report/grid.h"

/* Characters that would start markup, or end a table cell, get a backslash;
 * < and & become entities so that no HTML gets through. A line of a paragraph
 * that would be a list or a heading is escaped at its start. */
static void put_escaped(const char *text, struct wg_text *out)
{
	bool line_start = true;

	for (; *text; text++) {
		if (*text == '<')
			wg_text_add(out, "&lt;");
		else if (*text == '&')
			wg_text_add(out, "&amp;");
		else if (strchr("\\`*_[]|~>", *text) || (line_start && strchr("#+-=", *text)))
			wg_text_printf(out, "\\%c", *text);
		else
			wg_text_add_char(out, *text);
		/* "1." and "1)" start a numbered list */
		if (line_start && *text >= '0' && *text <= '9' &&
		    (text[1] == '.' || text[1] == ')') && text[2] == ' ')
			wg_text_add_char(out, '\\');
		line_start = *text == '\n';
	}
}

static void put_note(const char *text, struct wg_text *out)
{
	const char *line;

	wg_text_printf(out, "> **%s** ", _("Note:"));
	while ((line = strchr(text, '\n'))) {
		char *copy = strndup(text, (size_t)(line - text));

		if (!copy) {
			out->failed = true;
			return;
		}
		put_escaped(copy, out);
		free(copy);
		wg_text_add(out, "\n> ");
		text = line + 1;
	}
	put_escaped(text, out);
	wg_text_add_char(out, '\n');
}

static void put_table(const struct wg_block *table, struct wg_text *out)
{
	struct grid grid;

	if (!grid_init(&grid, table, false)) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; i < grid.column_count; i++) {
		wg_text_add(out, "| ");
		put_escaped(grid.columns[i].column->title, out);
		if (grid.columns[i].unit[0])
			wg_text_printf(out, " (%s)", grid.columns[i].unit);
		wg_text_add_char(out, ' ');
	}
	wg_text_add(out, "|\n");
	for (size_t i = 0; i < grid.column_count; i++)
		wg_text_add(out, grid.columns[i].column->right ? "| ---: " : "| --- ");
	wg_text_add(out, "|\n");
	for (size_t row = 0; row < grid.row_count; row++) {
		for (size_t i = 0; i < grid.column_count; i++) {
			wg_text_add(out, "| ");
			put_escaped(grid_cell(&grid, row, i), out);
			wg_text_add_char(out, ' ');
		}
		wg_text_add(out, "|\n");
	}
	grid_done(&grid);
}

static void put_pairs(const struct wg_block *block, struct wg_text *out)
{
	struct wg_text value;

	wg_text_init(&value, out->ceiling);
	for (const struct row *row = block->first_row; row; row = row->next) {
		wg_text_clear(&value);
		wg_cell_write(&row->cells[0], &value);
		wg_text_add(out, "- **");
		put_escaped(row->label, out);
		wg_text_add(out, "**: ");
		put_escaped(wg_text_string(&value), out);
		wg_text_add_char(out, '\n');
	}
	scratch_done(&value, out);
}

void wg_write_markdown(const struct wg_document *document, struct wg_text *out)
{
	bool titled = false;

	for (const struct wg_block *block = document->first_block; block; block = block->next) {
		if (block->kind == BLOCK_PICTURE)
			continue;
		if (block != document->first_block)
			wg_text_add_char(out, '\n');
		if (block->kind >= BLOCK_TABLE && block->text[0]) {
			wg_text_add(out, titled ? "### " : "## ");
			put_escaped(block->text, out);
			wg_text_add(out, "\n\n");
		}
		switch (block->kind) {
		case BLOCK_HEADING:
			wg_text_add(out, titled ? "## " : "# ");
			titled = true;
			put_escaped(block->text, out);
			wg_text_add_char(out, '\n');
			break;
		case BLOCK_PARAGRAPH:
			put_escaped(block->text, out);
			wg_text_add_char(out, '\n');
			break;
		case BLOCK_NOTE:
			put_note(block->text, out);
			break;
		case BLOCK_TABLE:
			put_table(block, out);
			break;
		case BLOCK_LIST:
		case BLOCK_BARS:
			put_pairs(block, out);
			break;
		case BLOCK_PICTURE:
			break;
		}
	}
}
