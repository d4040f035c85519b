#include "check.h"

#include "cli/commands.h"
#include "cli/options.h"

struct arguments {
	bool flag;
	const char *text;
	int64_t integer;
	double number, share, size, count, duration, watts;
	struct wg_money money;
	int choice;
	struct wg_words list;
};

static const char *const colours[] = { "red", "green", NULL };

#define AT(member) offsetof(struct arguments, member)
static const struct wg_option rows[] = {
	{ .name = "flag", .letter = 'f', .kind = WG_OPTION_FLAG, .offset = AT(flag) },
	{ .name = "text", .letter = 't', .kind = WG_OPTION_TEXT, .offset = AT(text) },
	{ .name = "integer",
	  .kind = WG_OPTION_INTEGER,
	  .low = 1,
	  .high = 64,
	  .otherwise = "8",
	  .offset = AT(integer) },
	{ .name = "number", .kind = WG_OPTION_NUMBER, .offset = AT(number) },
	{ .name = "share", .kind = WG_OPTION_PERCENT, .low = 0, .high = 1, .offset = AT(share) },
	{ .name = "size", .kind = WG_OPTION_SIZE, .offset = AT(size) },
	{ .name = "count", .kind = WG_OPTION_COUNT, .offset = AT(count) },
	{ .name = "duration", .kind = WG_OPTION_DURATION, .offset = AT(duration) },
	{ .name = "watts", .kind = WG_OPTION_WATTS, .offset = AT(watts) },
	{ .name = "money", .kind = WG_OPTION_MONEY, .offset = AT(money) },
	{ .name = "choice",
	  .kind = WG_OPTION_CHOICE,
	  .choices = colours,
	  .otherwise = "green",
	  .offset = AT(choice) },
	{ .name = "list", .kind = WG_OPTION_LIST, .otherwise = "x", .offset = AT(list) },
};

struct parsed {
	struct arguments arguments;
	struct option_set set;
	struct wg_arena *arena;
	struct wg_words words;
	struct wg_error error;
	char *argv[32];
	char storage[512];
};

/* Parses a command line given as one string with blanks. */
static enum wg_status parse(struct parsed *parsed, const char *line)
{
	int argc = 0;
	char *rest = parsed->storage;

	wg_arena_free(parsed->arena);
	*parsed = (struct parsed){ .arena = wg_arena_open(1 << 20) };
	parsed->set =
		(struct option_set){ rows, sizeof rows / sizeof rows[0], &parsed->arguments, 0 };
	snprintf(parsed->storage, sizeof parsed->storage, "command %s", line);
	rest = parsed->storage;
	for (char *word; (word = strsep(&rest, " ")) && argc < 31;)
		parsed->argv[argc++] = word;
	wg_error_init(&parsed->error);
	assert_int_equal(wg_options_defaults(&parsed->set, parsed->arena, &parsed->error), WG_OK);
	return wg_options_parse(argc, parsed->argv, &parsed->set, 1, parsed->arena, &parsed->words,
	                        &parsed->error);
}

#define check_parse(parsed, line) check_status(parse((parsed), (line)), WG_OK, &(parsed)->error)

static void test_every_kind(void **state)
{
	struct parsed p = { 0 };

	check_parse(&p,
	            "-f -t hello --integer 3 --number=-0 --share 40% --size 80GB --count 300B "
	            "--duration 500ms --watts 10kW --money 36000CNY --choice red --list a,b one");
	assert_true(p.arguments.flag);
	assert_string_equal(p.arguments.text, "hello");
	assert_int_equal(p.arguments.integer, 3);
	check_close(p.arguments.share, 0.4, 1e-12);
	check_close(p.arguments.size, 80e9, 0);
	check_close(p.arguments.count, 300e9, 0);
	check_close(p.arguments.duration, 0.5, 1e-12);
	check_close(p.arguments.watts, 10e3, 0);
	check_close(p.arguments.money.amount, 36000, 0);
	assert_int_equal(p.arguments.money.currency, WG_CNY);
	assert_int_equal(p.arguments.choice, 0);
	assert_int_equal(p.arguments.list.count, 2);
	assert_string_equal(p.arguments.list.items[1], "b");
	assert_int_equal(p.words.count, 1);
	assert_string_equal(p.words.items[0], "one");
	wg_arena_free(p.arena);
}

static void test_defaults(void **state)
{
	struct parsed p = { 0 };

	check_parse(&p, "");
	assert_int_equal(p.arguments.integer, 8);
	assert_int_equal(p.arguments.choice, 1);
	assert_int_equal(p.arguments.list.count, 1);
	assert_int_equal(p.set.given, 0);
	check_parse(&p, "--integer 9");
	assert_int_equal(p.set.given, 1 << 2);
	wg_arena_free(p.arena);
}

static void test_lists_grow(void **state)
{
	struct parsed p = { 0 };

	check_parse(&p, "--list a --list b,c one --list d");
	assert_int_equal(p.arguments.list.count, 4);
	assert_string_equal(p.arguments.list.items[0], "a");
	assert_string_equal(p.arguments.list.items[3], "d");
	assert_int_equal(p.words.count, 1);
	assert_int_equal(parse(&p, "--list a,,b"), WG_BAD_INPUT);
	assert_int_equal(parse(&p, "--list ,"), WG_BAD_INPUT);
	wg_arena_free(p.arena);
}

static void test_words_after_dashes(void **state)
{
	struct parsed p = { 0 };

	check_parse(&p, "one -- --flag -x");
	assert_int_equal(p.words.count, 3);
	assert_false(p.arguments.flag);
	assert_string_equal(p.words.items[2], "-x");
	wg_arena_free(p.arena);
}

static void test_short_for(void **state)
{
	struct parsed p = { 0 };

	check_parse(&p, "--int 5");
	assert_int_equal(p.arguments.integer, 5);
	assert_int_equal(parse(&p, "--c red"), WG_BAD_INPUT);
	check_contains(p.error.message, "\"--c\" is short for several");
	wg_arena_free(p.arena);
}

static void test_refusals(void **state)
{
	static const struct {
		const char *line, *message, *hint;
	} cases[] = {
		{ "--integr 3", "unknown option \"--integr\"", "--integer" },
		{ "--zzzzzz", "unknown option \"--zzzzzz\"", "--help" },
		{ "--flag -xf", "unknown option \"-x\"", "--help" },
		{ "-x", "unknown option \"-x\"", "--help" },
		{ "--integer", "option \"--integer\" needs a value", "" },
		{ "-t", "option \"--text\" needs a value", "" },
		{ "--flag=1", "option \"--flag\" takes no value", "" },
		{ "--integer 0", "--integer \"0\" is out of range", "from 1 to 64" },
		{ "--integer 65", "--integer \"65\" is out of range", "from 1 to 64" },
		{ "--integer 3.5", "--integer \"3.5\" is not a whole number", "" },
		{ "--integer 1e3", "--integer \"1e3\" is not a whole number", "" },
		{ "--integer 99999999999999999999", "--integer", "" },
		{ "--number -3", "--number \"-3\" is out of range", "below 0" },
		{ "--number nan", "--number \"nan\" is not a number", "" },
		{ "--number 0x10", "--number \"0x10\" is not a number", "" },
		{ "--share 140%", "--share \"140%\" is out of range", "from 0 to 1" },
		{ "--share %", "--share \"%\" is not a number", "40%" },
		{ "--size -5GB", "--size", "" },
		{ "--size 80G", "--size", "GiB" },
		{ "--money 5k apples", "", "" },
		{ "--choice blue", "--choice \"blue\" is not one of its choices", "red, green" },
		{ "--duration soon", "--duration", "" },
	};
	struct parsed p = { 0 };

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		enum wg_status status = parse(&p, cases[i].line);

		/* "5k" alone is money; the word after it is what a command refuses */
		if (!cases[i].message[0])
			continue;
		assert_int_equal(status, WG_BAD_INPUT + (status == WG_AMBIGUOUS) *
		                                                (WG_AMBIGUOUS - WG_BAD_INPUT));
		check_contains(p.error.message, cases[i].message);
		check_contains(p.error.hint, cases[i].hint);
	}
	wg_arena_free(p.arena);
}

/* No line of any words makes the parser crash, hang or leave an error without
 * a message. */
static void test_any_line(void **state)
{
	static const char *const pieces[] = { "--flag",   "--integer", "-f",       "-t",
		                              "--",       "-",         "--=",      "--list",
		                              "a,b",      "",          "--share",  "40%",
		                              "--no",     "5GB",       "--size=",  "-ft",
		                              "--choice", "red",       "\xff\xfe", "-\xff" };
	struct parsed p = { 0 };
	unsigned seed = 99;

	for (int round = 0; round < 20000; round++) {
		char line[256] = "";
		size_t used = 0;

		for (int i = 0; i < 6; i++) {
			seed = seed * 1103515245u + 12345u;
			used += (size_t)snprintf(
				line + used, sizeof line - used, "%s%s", i ? " " : "",
				pieces[(seed >> 16) % (sizeof pieces / sizeof pieces[0])]);
		}
		if (parse(&p, line) != WG_OK)
			assert_true(p.error.message[0] != '\0');
	}
	wg_arena_free(p.arena);
}

/* --- the tables of the program itself ------------------------------------------- */

static void check_row(const char *command, const struct wg_option *row)
{
	assert_non_null(row->name);
	assert_non_null(row->help);
	assert_true(row->help[0] != '\0');
	if (row->help[strlen(row->help) - 1] == '.')
		fail_msg("%s --%s: help ends with a full stop", command, row->name);
	assert_true((row->kind == WG_OPTION_CHOICE) == (row->choices != NULL));
	assert_true(row->low <= row->high);
}

static void test_command_tables(void **state)
{
	struct wg_arena *arena = wg_arena_open(1 << 20);
	struct wg_error error;

	for (size_t c = 0; c < wg_command_count(); c++) {
		const struct wg_command *command = wg_command_at(c);
		char *space = calloc(1, command->arguments_bytes + 1);
		struct option_set set = { command->options, command->option_count, space, 0 };

		assert_true(command->option_count <= 64);
		assert_true(command->group < WG_GROUP_COUNT);
		assert_non_null(command->run);
		assert_non_null(command->summary);
		check_status(wg_options_defaults(&set, arena, &error), WG_OK, &error);
		for (size_t i = 0; i < command->option_count; i++) {
			const struct wg_option *row = &command->options[i];

			check_row(command->name, row);
			assert_true(row->offset < command->arguments_bytes);
			for (size_t o = 0; o < wg_common_option_count; o++) {
				assert_string_not_equal(row->name, wg_common_options[o].name);
				assert_false(row->letter &&
				             row->letter == wg_common_options[o].letter);
			}
			for (size_t o = 0; o < i; o++)
				assert_string_not_equal(row->name, command->options[o].name);
		}
		for (size_t i = 0; i < command->example_count; i++)
			assert_int_equal(strncmp(command->examples[i].line, "whichgpu ", 9), 0);
		free(space);
	}
	for (size_t o = 0; o < wg_common_option_count; o++)
		check_row("common", &wg_common_options[o]);
	wg_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind), cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_lists_grow), cmocka_unit_test(test_words_after_dashes),
		cmocka_unit_test(test_short_for),  cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_any_line),   cmocka_unit_test(test_command_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
