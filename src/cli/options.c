#include "cli/options.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/suggest.h"
#include "whichgpu/limits.h"

enum { MOST_ROWS = 128, LONG_BASE = 256 };

/* --- values ---------------------------------------------------------------- */

static enum wg_status check_bounds(const struct wg_option *option, const char *what, double value,
                                   const char *text, struct wg_error *error)
{
	bool free_range = option->low == 0 && option->high == 0;
	char low[32], high[32];

	if (value >= option->low && (free_range || value <= option->high))
		return WG_OK;
	wg_number_write(low, sizeof low, option->low);
	wg_number_write(high, sizeof high, option->high);
	wg_error_set(error, WG_BAD_INPUT, _("%s \"%s\" is out of range"), what, text);
	if (free_range)
		wg_error_hint(error, _("it must not be below %s"), low);
	else
		wg_error_hint(error, _("it must be from %s to %s"), low, high);
	return WG_BAD_INPUT;
}

static enum wg_status read_integer(const struct wg_option *option, const char *what,
                                   const char *text, int64_t *ret_value, struct wg_error *error)
{
	int64_t value;
	enum wg_status status;

	if (!wg_integer_read(text, strlen(text), &value)) {
		wg_error_set(error, WG_BAD_INPUT, _("%s \"%s\" is not a whole number"), what, text);
		return WG_BAD_INPUT;
	}
	status = check_bounds(option, what, (double)value, text, error);
	if (!status)
		*ret_value = value;
	return status;
}

/* A number, and for shares a percentage too. */
static enum wg_status read_plain_number(const struct wg_option *option, const char *what,
                                        const char *text, double *ret_value, struct wg_error *error)
{
	size_t length = strlen(text);
	bool percent = option->kind == WG_OPTION_PERCENT && length > 0 && text[length - 1] == '%';

	if (!wg_number_read(text, percent ? length - 1 : length, ret_value)) {
		wg_error_set(error, WG_BAD_INPUT, _("%s \"%s\" is not a number"), what, text);
		if (option->kind == WG_OPTION_PERCENT)
			wg_error_hint(error, _("for example %s"), "40%, 0.4");
		return WG_BAD_INPUT;
	}
	if (percent)
		*ret_value /= 100;
	return WG_OK;
}

static enum wg_status read_double(const struct wg_option *option, const char *what,
                                  const char *text, double *ret_value, struct wg_error *error)
{
	double value = 0;
	enum wg_status status;

	switch (option->kind) {
	case WG_OPTION_SIZE:
		status = wg_size_read(text, what, &value, error);
		break;
	case WG_OPTION_COUNT:
		status = wg_count_read(text, what, &value, error);
		break;
	case WG_OPTION_DURATION:
		status = wg_duration_read(text, what, &value, error);
		break;
	case WG_OPTION_WATTS:
		status = wg_watts_read(text, what, &value, error);
		break;
	default:
		status = read_plain_number(option, what, text, &value, error);
		break;
	}
	if (!status)
		status = check_bounds(option, what, value, text, error);
	if (!status)
		*ret_value = value;
	return status;
}

static enum wg_status read_choice(const struct wg_option *option, const char *what,
                                  const char *text, int *ret_value, struct wg_error *error)
{
	struct wg_text all;

	for (int i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], text) == 0) {
			*ret_value = i;
			return WG_OK;
		}
	}
	wg_text_init(&all, sizeof error->hint);
	for (int i = 0; option->choices[i]; i++)
		wg_text_printf(&all, "%s%s", i ? ", " : "", option->choices[i]);
	wg_error_set(error, WG_BAD_INPUT, _("%s \"%s\" is not one of its choices"), what, text);
	wg_error_hint(error, "%s", wg_text_string(&all));
	wg_text_done(&all);
	return WG_BAD_INPUT;
}

/* Adds the parts of "a,b" to the list. */
static enum wg_status add_words(const char *what, const char *text, struct wg_arena *arena,
                                struct wg_words *words, struct wg_error *error)
{
	size_t parts = 1;
	const char **items;

	for (const char *c = text; *c; c++)
		parts += *c == ',';
	items = wg_arena_array(arena, words->count + parts, sizeof *items);
	if (!items)
		return wg_error_no_memory(error);
	if (words->count > 0)
		memcpy(items, words->items, words->count * sizeof *items);
	for (size_t i = 0; i < parts; i++) {
		size_t length = strcspn(text, ",");

		if (length == 0)
			return wg_error_set(error, WG_BAD_INPUT, _("%s has an empty item"), what);
		items[words->count + i] = wg_arena_strndup(arena, text, length);
		if (!items[words->count + i])
			return wg_error_no_memory(error);
		text += length + 1;
	}
	*words = (struct wg_words){ items, words->count + parts };
	return WG_OK;
}

static enum wg_status store(const struct wg_option *option, const char *text, void *arguments,
                            struct wg_arena *arena, struct wg_error *error)
{
	void *member = (char *)arguments + option->offset;
	char what[80];

	snprintf(what, sizeof what, "--%s", option->name);
	switch (option->kind) {
	case WG_OPTION_FLAG:
		*(bool *)member = true;
		return WG_OK;
	case WG_OPTION_TEXT:
		*(const char **)member = text;
		return WG_OK;
	case WG_OPTION_INTEGER:
		return read_integer(option, what, text, member, error);
	case WG_OPTION_CHOICE:
		return read_choice(option, what, text, member, error);
	case WG_OPTION_MONEY:
		return wg_money_read(text, what, member, error);
	case WG_OPTION_LIST:
		return add_words(what, text, arena, member, error);
	default:
		return read_double(option, what, text, member, error);
	}
}

enum wg_status wg_options_defaults(const struct option_set *set, struct wg_arena *arena,
                                   struct wg_error *error)
{
	for (size_t i = 0; i < set->count; i++) {
		enum wg_status status = WG_OK;

		if (set->rows[i].otherwise)
			status = store(&set->rows[i], set->rows[i].otherwise, set->arguments, arena,
			               error);
		if (status)
			return status;
	}
	return WG_OK;
}

/* --- the command line ------------------------------------------------------ */

/* All rows of all sets in one numbering, as getopt_long wants them. */
struct lookup {
	struct option_set *sets;
	size_t set_count;
	struct option longs[MOST_ROWS + 1];
	char shorts[2 * MOST_ROWS + 2];
	size_t count;
};

static void lookup_init(struct lookup *lookup, struct option_set *sets, size_t set_count)
{
	size_t letters = 0;

	*lookup = (struct lookup){ .sets = sets, .set_count = set_count };
	lookup->shorts[letters++] = ':'; /* missing arguments are told apart */
	for (size_t s = 0; s < set_count; s++) {
		for (size_t i = 0; i < sets[s].count && lookup->count < MOST_ROWS; i++) {
			const struct wg_option *row = &sets[s].rows[i];
			bool takes = row->kind != WG_OPTION_FLAG;

			lookup->longs[lookup->count] =
				(struct option){ row->name, takes ? required_argument : no_argument,
				                 NULL, LONG_BASE + (int)lookup->count };
			lookup->count++;
			if (!row->letter)
				continue;
			lookup->shorts[letters++] = row->letter;
			if (takes)
				lookup->shorts[letters++] = ':';
		}
	}
}

/* The row for what getopt_long returned, and its set. */
static const struct wg_option *lookup_row(const struct lookup *lookup, int value,
                                          struct option_set **ret_set)
{
	int number = 0;

	for (size_t s = 0; s < lookup->set_count; s++) {
		for (size_t i = 0; i < lookup->sets[s].count; i++, number++) {
			const struct wg_option *row = &lookup->sets[s].rows[i];

			if (value != LONG_BASE + number && !(row->letter && value == row->letter))
				continue;
			*ret_set = &lookup->sets[s];
			return row;
		}
	}
	return NULL;
}

static const char *long_name(const void *context, size_t index)
{
	return ((const struct option *)context)[index].name;
}

static enum wg_status unknown_option(const struct lookup *lookup, const char *word,
                                     struct wg_error *error)
{
	struct wg_text near;
	char name[65];
	size_t matches = 0;

	snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
	for (size_t i = 0; i < lookup->count; i++)
		matches += strncmp(lookup->longs[i].name, name, strlen(name)) == 0;
	if (matches > 1)
		wg_error_set(error, WG_BAD_INPUT, _("option \"--%s\" is short for several"), name);
	else
		wg_error_set(error, WG_BAD_INPUT, _("unknown option \"--%s\""), name);
	wg_text_init(&near, sizeof error->hint);
	wg_suggest(name, long_name, lookup->longs, lookup->count, "--", &near);
	if (near.length > 0)
		wg_error_hint(error, _("did you mean %s"), wg_text_string(&near));
	else
		wg_error_hint(error, _("--help lists the options"));
	wg_text_done(&near);
	return WG_BAD_INPUT;
}

/* What getopt_long complained of; word is the one it stopped at. */
static enum wg_status refuse(const struct lookup *lookup, int value, const char *word,
                             struct wg_error *error)
{
	struct option_set *set;
	const struct wg_option *row = lookup_row(lookup, optopt, &set);

	if (value == ':' && row)
		return wg_error_set(error, WG_BAD_INPUT, _("option \"--%s\" needs a value"),
		                    row->name);
	if (row && row->kind == WG_OPTION_FLAG)
		return wg_error_set(error, WG_BAD_INPUT, _("option \"--%s\" takes no value"),
		                    row->name);
	if (optopt == 0) /* a long option */
		return unknown_option(lookup, word, error);
	wg_error_set(error, WG_BAD_INPUT, _("unknown option \"-%c\""), optopt);
	wg_error_hint(error, _("--help lists the options"));
	return WG_BAD_INPUT;
}

enum wg_status wg_options_parse(int argc, char **argv, struct option_set *sets, size_t set_count,
                                struct wg_arena *arena, struct wg_words *ret_words,
                                struct wg_error *error)
{
	struct lookup lookup;
	int value;

	lookup_init(&lookup, sets, set_count);
	opterr = 0;
	optind = 0; /* starts glibc's getopt afresh, also after an earlier parse */
	while ((value = getopt_long(argc, argv, lookup.shorts, lookup.longs, NULL)) != -1) {
		struct option_set *set = NULL;
		const struct wg_option *row;
		enum wg_status status;
		uint64_t bit;

		if (value == '?' || value == ':')
			return refuse(&lookup, value, argv[optind - 1], error);
		row = lookup_row(&lookup, value, &set);
		bit = (uint64_t)1 << (row - set->rows);
		/* the first word of a list on the command line replaces its default */
		if (row->kind == WG_OPTION_LIST && !(set->given & bit))
			*(struct wg_words *)(void *)((char *)set->arguments + row->offset) =
				(struct wg_words){ NULL, 0 };
		status = store(row, optarg, set->arguments, arena, error);
		if (status)
			return status;
		set->given |= bit;
	}
	*ret_words =
		(struct wg_words){ (const char *const *)argv + optind, (size_t)(argc - optind) };
	return WG_OK;
}

const char *wg_option_argument(const struct wg_option *option, struct wg_arena *arena)
{
	static const char *const usual[] = {
		[WG_OPTION_FLAG] = "",         [WG_OPTION_TEXT] = "TEXT",
		[WG_OPTION_INTEGER] = "N",     [WG_OPTION_NUMBER] = "X",
		[WG_OPTION_PERCENT] = "SHARE", [WG_OPTION_SIZE] = "SIZE",
		[WG_OPTION_COUNT] = "N",       [WG_OPTION_DURATION] = "TIME",
		[WG_OPTION_MONEY] = "MONEY",   [WG_OPTION_WATTS] = "WATTS",
		[WG_OPTION_CHOICE] = "",       [WG_OPTION_LIST] = "LIST",
	};
	struct wg_text all;
	const char *result;

	if (option->argument)
		return option->argument;
	if (option->kind != WG_OPTION_CHOICE)
		return usual[option->kind];
	wg_text_init(&all, 1024);
	for (size_t i = 0; option->choices[i]; i++)
		wg_text_printf(&all, "%s%s", i ? "|" : "", option->choices[i]);
	result = wg_arena_strdup(arena, wg_text_string(&all));
	wg_text_done(&all);
	return result;
}
