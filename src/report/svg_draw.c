#include "report/svg_draw.h"

#include <math.h>
#include <string.h>

#include "report/escape.h"
#include "report/wrap.h"
#include "whichgpu/text.h"

/* Okabe and Ito 2008, "Color Universal Design", in an order that keeps
 * neighbours apart; blue and grey are lightened on dark paper. */
static const char style[] =
	".paper{fill:#fff}.t{fill:#1b1f24}.q{fill:#59636e}.h{fill:#1b1f24;font-weight:600}"
	".big{font-size:17px}"
	".grid{stroke:#e3e7eb;stroke-width:1}.axis{stroke:#8a949e;stroke-width:1}"
	".whisker{stroke:#1b1f24;stroke-width:1.5;fill:none}"
	".limit{stroke:#c1121f;stroke-width:1.5;stroke-dasharray:5 3}.l{fill:#c1121f}"
	".seg{stroke:#fff;stroke-width:1}.mark{stroke:#fff;stroke-width:.8}"
	".s0{fill:#0072b2}.s1{fill:#e69f00}.s2{fill:#009e73}.s3{fill:#cc79a7}"
	".s4{fill:#56b4e9}.s5{fill:#d55e00}.s6{fill:#7a7f85}.s7{fill:#b8a800}"
	".line{fill:none;stroke-width:2;stroke-linejoin:round}"
	".l0{stroke:#0072b2}.l1{stroke:#e69f00}.l2{stroke:#009e73}.l3{stroke:#cc79a7}"
	".l4{stroke:#56b4e9}.l5{stroke:#d55e00}.l6{stroke:#7a7f85}.l7{stroke:#b8a800}"
	"@media(prefers-color-scheme:dark){.paper{fill:#14171a}.t,.h{fill:#e6e9ec}.q{fill:#9aa4ae}"
	".grid{stroke:#2a2f35}.axis{stroke:#6b757f}.whisker{stroke:#e6e9ec}"
	".limit{stroke:#ff6b6b}.l{fill:#ff6b6b}.seg,.mark{stroke:#14171a}"
	".s0{fill:#3d9be0}.s6{fill:#a0a6ac}.s7{fill:#f0e442}.l0{stroke:#3d9be0}"
	".l6{stroke:#a0a6ac}.l7{stroke:#f0e442}}";

/* One decimal, without the locale and without "-0". */
void svg_coordinate(struct wg_text *out, double value)
{
	long tenths = isfinite(value) && fabs(value) < 1e6 ? lround(value * 10) : 0;

	if (tenths < 0) {
		wg_text_add_char(out, '-');
		tenths = -tenths;
	}
	wg_text_printf(out, "%ld", tenths / 10);
	if (tenths % 10)
		wg_text_printf(out, ".%ld", tenths % 10);
}

static void attribute(struct wg_text *out, const char *name, double value)
{
	wg_text_printf(out, " %s=\"", name);
	svg_coordinate(out, value);
	wg_text_add_char(out, '"');
}

static void escaped(struct wg_text *out, const char *text, size_t length)
{
	char part[1024];

	/* names reach a chart straight from files, so control characters go here */
	while (length > 0) {
		size_t take = length < 256 ? length : wg_text_prefix(text, 128);
		size_t written;

		if (take == 0 || take > 256)
			take = length < 256 ? length : 256;
		written = wg_text_sanitize(part, sizeof part, text, take);
		wg_escape_markup(part, written, out);
		text += take;
		length -= take;
	}
}

void svg_begin(struct wg_text *out, double width, double height, const char *title)
{
	wg_text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
	attribute(out, "width", width);
	attribute(out, "height", height);
	wg_text_add(out, " viewBox=\"0 0 ");
	svg_coordinate(out, width);
	wg_text_add_char(out, ' ');
	svg_coordinate(out, height);
	wg_text_printf(out,
	               "\" font-family=\"system-ui,'Noto Sans','Noto Sans CJK SC',sans-serif\" "
	               "font-size=\"%d\">\n",
	               SVG_FONT);
	if (title && title[0]) {
		wg_text_add(out, "<title>");
		escaped(out, title, strlen(title));
		wg_text_add(out, "</title>\n");
	}
	wg_text_printf(out, "<style>%s</style>\n", style);
	svg_rect(out, 0, 0, width, height, "paper", SIZE_MAX, NULL);
}

void svg_end(struct wg_text *out)
{
	wg_text_add(out, "</svg>\n");
}

void svg_group(struct wg_text *out, double x, double y)
{
	wg_text_add(out, "<g transform=\"translate(");
	svg_coordinate(out, x);
	wg_text_add_char(out, ',');
	svg_coordinate(out, y);
	wg_text_add(out, ")\">\n");
}

void svg_group_end(struct wg_text *out)
{
	wg_text_add(out, "</g>\n");
}

static void text_part(struct wg_text *out, double x, double y, const char *class,
                      enum anchor anchor, const char *text, size_t length, bool cut)
{
	static const char *const anchors[] = {
		[ANCHOR_START] = "",
		[ANCHOR_MIDDLE] = " text-anchor=\"middle\"",
		[ANCHOR_END] = " text-anchor=\"end\"",
	};

	wg_text_add(out, "<text");
	attribute(out, "x", x);
	attribute(out, "y", y);
	wg_text_printf(out, "%s class=\"%s\">", anchors[anchor], class);
	escaped(out, text, length);
	if (cut) {
		wg_text_add(out, "…<title>");
		escaped(out, text, strlen(text));
		wg_text_add(out, "</title>");
	}
	wg_text_add(out, "</text>\n");
}

void svg_text(struct wg_text *out, double x, double y, const char *class, enum anchor anchor,
              const char *text)
{
	text_part(out, x, y, class, anchor, text, strlen(text), false);
}

void svg_text_fitted(struct wg_text *out, double x, double y, const char *class, enum anchor anchor,
                     const char *text, double width)
{
	size_t length = strlen(text), columns;

	if (svg_text_width(text, SVG_FONT) <= width) {
		svg_text(out, x, y, class, anchor, text);
		return;
	}
	columns = wg_text_width(text);
	while (columns > 1) {
		char start[512];

		columns--;
		length = wg_text_prefix(text, columns);
		if (length >= sizeof start)
			continue;
		memcpy(start, text, length);
		start[length] = '\0';
		if (svg_text_width(start, SVG_FONT) + SVG_FONT <= width)
			break;
	}
	text_part(out, x, y, class, anchor, text, length, true);
}

void svg_line(struct wg_text *out, double x1, double y1, double x2, double y2, const char *class)
{
	wg_text_add(out, "<line");
	attribute(out, "x1", x1);
	attribute(out, "y1", y1);
	attribute(out, "x2", x2);
	attribute(out, "y2", y2);
	wg_text_printf(out, " class=\"%s\"/>\n", class);
}

static void close_with_tip(struct wg_text *out, const char *element, const char *tip)
{
	if (!tip) {
		wg_text_add(out, "/>\n");
		return;
	}
	wg_text_add(out, "><title>");
	escaped(out, tip, strlen(tip));
	wg_text_printf(out, "</title></%s>\n", element);
}

void svg_rect(struct wg_text *out, double x, double y, double width, double height,
              const char *class, size_t series, const char *tip)
{
	wg_text_add(out, "<rect");
	attribute(out, "x", x);
	attribute(out, "y", y);
	attribute(out, "width", fmax(width, 0));
	attribute(out, "height", height);
	wg_text_printf(out, " class=\"%s", class);
	if (series < WG_CHART_SERIES_MOST)
		wg_text_printf(out, "%ss%zu", class[0] ? " " : "", series);
	wg_text_add_char(out, '"');
	close_with_tip(out, "rect", tip);
}

void svg_mark(struct wg_text *out, double x, double y, size_t series, const char *tip)
{
	/* outlines around 0,0, about as large as each other to the eye */
	static const char *const shapes[WG_CHART_SERIES_MOST] = {
		"M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
		"M-4-4h8v8h-8z",
		"M0-5.2L5 4h-10z",
		"M0-5.6L5.6 0L0 5.6L-5.6 0z",
		"M0 5.2L5-4h-10z",
		"M-2-5h4v3h3v4h-3v3h-4v-3h-3v-4h3z",
		"M-5-2.5h10v5h-10z",
		"M-2.5-5h5v10h-5z",
	};

	wg_text_add(out, "<path transform=\"translate(");
	svg_coordinate(out, x);
	wg_text_add_char(out, ',');
	svg_coordinate(out, y);
	wg_text_printf(out, ")\" d=\"%s\" class=\"mark s%zu\"",
	               shapes[series % WG_CHART_SERIES_MOST], series % WG_CHART_SERIES_MOST);
	close_with_tip(out, "path", tip);
}

/* Mean advance widths of the sans-serif faces a browser takes, in em. */
double svg_text_width(const char *text, double font)
{
	double em = 0;

	for (size_t at = 0; text[at]; at++) {
		unsigned char c = (unsigned char)text[at];

		if (c >= 0x80) {
			/* a lead byte stands for its character, the bytes after it for nothing */
			if (c >= 0xe2)
				em += 1;
			else if (c >= 0xc0)
				em += 0.6;
		} else if (strchr("ijl.,:;'|! ", c)) {
			em += 0.3;
		} else if (strchr("mwMW@%", c)) {
			em += 0.88;
		} else if (c >= 'A' && c <= 'Z') {
			em += 0.68;
		} else {
			em += 0.57;
		}
	}
	return em * font;
}

/* --- ticks --------------------------------------------------------------- */

/* The round step (1, 2, 5 x 10^n) that gives at most `wanted` intervals. */
static double round_step(double span, size_t wanted)
{
	double raw = span / (double)(wanted ? wanted : 1);
	double power = pow(10, floor(log10(raw)));
	double lead = raw / power;

	return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}

static struct ticks linear_ticks(double low, double high, size_t wanted)
{
	struct ticks ticks = { .low = low };
	double step;

	if (!(high > low))
		high = low + (low != 0 ? fabs(low) : 1);
	step = round_step(high - low, wanted);
	ticks.low = floor(low / step + 1e-9) * step;
	ticks.high = ceil(high / step - 1e-9) * step;
	for (double i = 0; ticks.count < sizeof ticks.values / sizeof ticks.values[0]; i++) {
		double value = ticks.low + i * step;

		if (value > ticks.high + step / 2)
			break;
		ticks.values[ticks.count++] = value;
	}
	return ticks;
}

static struct ticks log_ticks(double low, double high)
{
	static const double leads[] = { 1, 2, 5 };
	struct ticks ticks = { .logarithmic = true };
	double first = floor(log10(low) + 1e-9), last = ceil(log10(high) - 1e-9);
	double stride = fmax(1, ceil((last - first) / 10));
	size_t steps = last - first <= 3 ? 3 : 1;

	for (double power = first; power <= last; power += stride) {
		for (size_t i = 0; i < steps; i++) {
			double value = leads[i] * pow(10, power);

			if (ticks.count < sizeof ticks.values / sizeof ticks.values[0])
				ticks.values[ticks.count++] = value;
		}
	}
	/* the outermost ticks that enclose the data */
	while (ticks.count > 2 && ticks.values[1] <= low * (1 + 1e-9)) {
		memmove(ticks.values, ticks.values + 1, --ticks.count * sizeof ticks.values[0]);
	}
	while (ticks.count > 2 && ticks.values[ticks.count - 2] >= high * (1 - 1e-9))
		ticks.count--;
	ticks.low = fmin(ticks.values[0], low);
	ticks.high = fmax(ticks.values[ticks.count - 1], high);
	if (!(ticks.high > ticks.low))
		ticks.high = ticks.low * 10;
	return ticks;
}

struct ticks svg_ticks(double low, double high, bool logarithmic, size_t wanted)
{
	if (logarithmic && low > 0)
		return log_ticks(low, high);
	return linear_ticks(low, high, wanted);
}

double svg_place(const struct ticks *ticks, double value)
{
	if (ticks->logarithmic)
		return log(value / ticks->low) / log(ticks->high / ticks->low);
	return (value - ticks->low) / (ticks->high - ticks->low);
}
