/* Numbers in sentences: three significant digits and a unit people use. */
#include "plan/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "whichgpu/number.h"

static struct wg_words_buffer with_unit(double value, const char *unit)
{
	struct wg_words_buffer buffer = { "" };
	size_t length = wg_number_write_digits(buffer.text, sizeof buffer.text, value, 3);
	snprintf(buffer.text + length, sizeof buffer.text - length, "%s", unit);
	return buffer;
}

struct wg_words_buffer wg_words_usd(double usd)
{
	return with_unit(usd, " USD");
}

struct wg_words_buffer wg_words_bytes(double bytes)
{
	struct wg_words_buffer buffer;
	snprintf(buffer.text, sizeof buffer.text, "%.1f GB", bytes / 1e9);
	return buffer;
}

struct wg_words_buffer wg_words_seconds(double seconds)
{
	static const struct {
		double from, scale;
		const char *unit;
	} units[] = {
		{ 2 * 86400, 86400, " days" },
		{ 2 * 3600, 3600, " h" },
		{ 120, 60, " min" },
		{ 1, 1, " s" },
		{ 0, 1e-3, " ms" },
	};
	size_t i = 0;
	while (seconds < units[i].from) {
		i++;
	}
	return with_unit(seconds / units[i].scale, units[i].unit);
}

/* Whole numbers in groups of three: 131,072. */
struct wg_words_buffer wg_words_count(double count)
{
	struct wg_words_buffer buffer = { "" };
	char digits[24];
	bool whole = count >= 0 && count < 1e15 && (count >= 10 || count == floor(count));
	if (!whole) {
		return with_unit(count, "");
	}
	int length = snprintf(digits, sizeof digits, "%.0f", count);
	size_t at = 0;
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0) {
			buffer.text[at++] = ',';
		}
		buffer.text[at++] = digits[i];
	}
	buffer.text[at] = '\0';
	return buffer;
}

struct wg_words_buffer wg_words_percent(double share)
{
	struct wg_words_buffer buffer;
	snprintf(buffer.text, sizeof buffer.text, "%.0f %%", share * 100);
	return buffer;
}

void wg_words_ratio(char *buffer, size_t buffer_bytes, double ratio)
{
	snprintf(buffer, buffer_bytes, "%.1f", ratio);
}

static const char *zero_words(const struct wg_layout *layout)
{
	static const char *const words[] = { "", N_(", ZeRO-1"), N_(", ZeRO-2"), N_(", ZeRO-3") };
	return _(words[layout->zero_stage & 3]);
}

static const char *recompute_words(const struct wg_layout *layout)
{
	static const char *const words[] = { "", N_(", selective recompute"),
		                             N_(", full recompute"), "" };
	return _(words[layout->recompute & 3]);
}

void wg_layout_write(const struct wg_layout *layout, char *buffer, size_t buffer_bytes)
{
	const struct {
		unsigned degree;
		const char *name;
	} parts[] = {
		{ layout->tensor, N_("tensor") },
		{ layout->pipeline, N_("pipeline") },
		{ layout->data, N_("data") },
		{ layout->expert, N_("expert") },
	};
	size_t at = 0;
	buffer[0] = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (parts[i].degree > 1 && at < buffer_bytes) {
			at += (size_t)snprintf(buffer + at, buffer_bytes - at, "%s%s %u",
			                       at > 0 ? ", " : "", _(parts[i].name),
			                       parts[i].degree);
		}
	}
	if (at == 0) {
		at = (size_t)snprintf(buffer, buffer_bytes, "%s", _("one GPU"));
	}
	if (at < buffer_bytes) {
		snprintf(buffer + at, buffer_bytes - at, "%s%s", zero_words(layout),
		         recompute_words(layout));
	}
}

/* One letter each: the column of a table. */
void wg_layout_write_short(const struct wg_layout *layout, char *buffer, size_t buffer_bytes)
{
	const struct {
		char letter;
		unsigned value, least;
	} parts[] = {
		{ 't', layout->tensor, 2 },     { 'p', layout->pipeline, 2 },
		{ 'd', layout->data, 2 },       { 'e', layout->expert, 2 },
		{ 'z', layout->zero_stage, 1 }, { 'r', layout->recompute, 1 },
	};
	size_t at = 0;
	snprintf(buffer, buffer_bytes, "-");
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (parts[i].value >= parts[i].least && at < buffer_bytes) {
			at += (size_t)snprintf(buffer + at, buffer_bytes - at, "%s%c%u",
			                       at > 0 ? " " : "", parts[i].letter, parts[i].value);
		}
	}
}
