/* A document as one page that needs nothing else: no scripts, no links to
 * fetch, light and dark by the reader's setting, printable. */
#include <string.h>

#include "base/i18n.h"
#include "report/escape.h"
#include "report/grid.h"

static const char style[] =
	":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--quiet:#59636e;--line:#d5dae0;"
	"--stripe:#f5f7f9;--bar:#0072b2;--note:#fff6dd;--note-line:#d99a00}"
	"@media(prefers-color-scheme:dark){:root{--ink:#e6e9ec;--paper:#14171a;--quiet:#9aa4ae;"
	"--line:#363c43;--stripe:#1b1f23;--bar:#56b4e9;--note:#2b2410;--note-line:#e69f00}}"
	"body{margin:2rem auto;padding:0 1rem;max-width:76rem;background:var(--paper);"
	"color:var(--ink);font:16px/1.55 system-ui,'Noto Sans','Noto Sans CJK SC',sans-serif}"
	"h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem;margin-top:2.2rem}"
	"h3{font-size:1.05rem;margin-top:1.8rem}"
	".scroll{overflow-x:auto}"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.94rem}"
	"th,td{padding:.35rem .8rem .35rem 0;text-align:left;vertical-align:top}"
	"thead th{border-bottom:2px solid var(--line);vertical-align:bottom}"
	"tbody tr:nth-child(even){background:var(--stripe)}"
	".r{text-align:right;white-space:nowrap}.u{display:block;font-weight:400;font-size:.85em;"
	"color:var(--quiet)}.q{color:var(--quiet)}"
	".note{background:var(--note);border-left:4px solid var(--note-line);padding:.5rem .9rem;"
	"margin:.7rem 0}"
	"dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.3rem 1.4rem;margin:0}"
	"dt{color:var(--quiet)}dd{margin:0;overflow-wrap:anywhere}"
	".bars td{padding:.2rem .8rem .2rem 0;white-space:nowrap}.bars td.b{width:100%;min-width:10rem}"
	".b i{display:block;height:.9em;background:var(--bar);border-radius:2px}"
	"@media print{body{margin:0;max-width:none}}";

static void put_text(const char *text, struct wg_text *out)
{
	for (const char *line; (line = strchr(text, '\n')); text = line + 1) {
		wg_escape_markup(text, (size_t)(line - text), out);
		wg_text_add(out, "<br>");
	}
	wg_escape_markup(text, strlen(text), out);
}

static void put_element(const char *open, const char *text, const char *close, struct wg_text *out)
{
	wg_text_add(out, open);
	put_text(text, out);
	wg_text_add(out, close);
	wg_text_add_char(out, '\n');
}

static void put_head(const struct grid *grid, struct wg_text *out)
{
	wg_text_add(out, "<thead><tr>");
	for (size_t i = 0; i < grid->column_count; i++) {
		const struct grid_column *column = &grid->columns[i];

		wg_text_add(out, column->column->right ? "<th class=\"r\">" : "<th>");
		put_text(column->column->title, out);
		if (column->unit[0])
			put_element("<span class=\"u\">", column->unit, "</span>", out);
		wg_text_add(out, "</th>");
	}
	wg_text_add(out, "</tr></thead>\n");
}

static bool is_quiet(enum wg_cell_kind kind)
{
	return kind == WG_CELL_NOT_KNOWN || kind == WG_CELL_ABSENT;
}

static void put_table(const struct wg_block *table, struct wg_text *out)
{
	struct grid grid;
	size_t index = 0;

	if (!grid_init(&grid, table, false)) {
		out->failed = true;
		return;
	}
	wg_text_add(out, "<div class=\"scroll\"><table>\n");
	put_head(&grid, out);
	wg_text_add(out, "<tbody>\n");
	for (const struct row *row = table->first_row; row; row = row->next, index++) {
		wg_text_add(out, "<tr>");
		for (size_t i = 0; i < grid.column_count; i++) {
			size_t source = (size_t)(grid.columns[i].column - table->columns);
			bool quiet = is_quiet(row->cells[source].kind);

			if (grid.columns[i].column->right)
				wg_text_add(out, quiet ? "<td class=\"r q\">" : "<td class=\"r\">");
			else
				wg_text_add(out, quiet ? "<td class=\"q\">" : "<td>");
			put_text(grid_cell(&grid, index, i), out);
			wg_text_add(out, "</td>");
		}
		wg_text_add(out, "</tr>\n");
	}
	wg_text_add(out, "</tbody></table></div>\n");
	grid_done(&grid);
}

/* scale: NULL for the one that suits the value. */
static void put_value(const struct wg_cell *cell, const struct scale *scale, struct wg_text *out)
{
	struct wg_text value;

	wg_text_init(&value, out->ceiling);
	if (scale)
		cell_write_in(cell, scale, true, &value);
	else
		wg_cell_write(cell, &value);
	put_text(wg_text_string(&value), out);
	scratch_done(&value, out);
}

static void put_list(const struct wg_block *list, struct wg_text *out)
{
	wg_text_add(out, "<dl>\n");
	for (const struct row *row = list->first_row; row; row = row->next) {
		put_element("<dt>", row->label, "</dt>", out);
		wg_text_add(out, is_quiet(row->cells[0].kind) ? "<dd class=\"q\">" : "<dd>");
		put_value(&row->cells[0], NULL, out);
		wg_text_add(out, "</dd>\n");
	}
	wg_text_add(out, "</dl>\n");
}

static void put_bars(const struct wg_block *bars, struct wg_text *out)
{
	struct wg_arena *arena = wg_arena_open(0);
	struct scale scale;
	bool common = arena && grid_scale(bars, 0, arena, &scale);
	double largest = 0, value;

	wg_arena_free(arena);
	for (const struct row *row = bars->first_row; row; row = row->next) {
		if (cell_magnitude(&row->cells[0], &value) && value > largest)
			largest = value;
	}
	wg_text_add(out, "<div class=\"scroll\"><table class=\"bars\"><tbody>\n");
	for (const struct row *row = bars->first_row; row; row = row->next) {
		int permille = 0;

		if (cell_magnitude(&row->cells[0], &value) && value > 0 && value <= largest)
			permille = (int)(value / largest * 1000 + 0.5);
		wg_text_add(out, "<tr><td>");
		put_text(row->label, out);
		wg_text_add(out, "</td><td class=\"r\">");
		put_value(&row->cells[0], common ? &scale : NULL, out);
		wg_text_printf(out,
		               "</td><td class=\"b\"><i style=\"width:%d.%d%%\"></i></td></tr>\n",
		               permille / 10, permille % 10);
	}
	wg_text_add(out, "</tbody></table></div>\n");
}

/* The page's title: the first heading or title, else the program's name. */
static const char *page_title(const struct wg_document *document)
{
	for (const struct wg_block *block = document->first_block; block; block = block->next) {
		if (block->kind == BLOCK_HEADING || (block->kind >= BLOCK_TABLE && block->text[0]))
			return block->text;
	}
	return "whichgpu";
}

static void put_block(const struct wg_block *block, bool titled, struct wg_text *out)
{
	if (block->kind >= BLOCK_TABLE) {
		wg_text_printf(out, "<section id=\"");
		wg_escape_markup(block->id, strlen(block->id), out);
		wg_text_add(out, "\">\n");
		if (block->text[0])
			put_element("<h2>", block->text, "</h2>", out);
	}
	switch (block->kind) {
	case BLOCK_HEADING:
		put_element(titled ? "<h2>" : "<h1>", block->text, titled ? "</h2>" : "</h1>", out);
		break;
	case BLOCK_PARAGRAPH:
		put_element("<p>", block->text, "</p>", out);
		break;
	case BLOCK_NOTE:
		put_element("<p class=\"note\">", block->text, "</p>", out);
		break;
	case BLOCK_TABLE:
		put_table(block, out);
		break;
	case BLOCK_LIST:
		put_list(block, out);
		break;
	case BLOCK_BARS:
		put_bars(block, out);
		break;
	case BLOCK_PICTURE:
		wg_text_printf(out, "<div class=\"scroll\">%s</div>\n", block->svg);
		break;
	}
	if (block->kind >= BLOCK_TABLE)
		wg_text_add(out, "</section>\n");
}

void wg_write_html(const struct wg_document *document, struct wg_text *out)
{
	bool titled = false;

	wg_text_printf(out,
	               "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
	               _("en"));
	wg_text_add(out,
	            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
	put_element("<title>", page_title(document), "</title>", out);
	wg_text_printf(out, "<style>%s</style>\n</head>\n<body>\n", style);
	for (const struct wg_block *block = document->first_block; block; block = block->next) {
		put_block(block, titled, out);
		titled = titled || block->kind == BLOCK_HEADING;
	}
	wg_text_add(out, "</body>\n</html>\n");
}
