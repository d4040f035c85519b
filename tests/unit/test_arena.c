#include "check.h"

#include "whichgpu/arena.h"
#include "whichgpu/limits.h"

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
	struct wg_arena *arena = wg_arena_open(0);
	unsigned char *pieces[300];
	for (size_t i = 0; i < 300; i++) {
		pieces[i] = wg_arena_alloc(arena, i);
		assert_non_null(pieces[i]);
		assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < i; j++)
			assert_int_equal(pieces[i][j], 0);
		memset(pieces[i], (int)i, i);
	}
	for (size_t i = 0; i < 300; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_equal(pieces[i][j], (unsigned char)i);
	assert_int_equal(wg_arena_used(arena), 299 * 300 / 2);
	wg_arena_free(arena);
}

static void limit_is_exact(void **state)
{
	struct wg_arena *arena = wg_arena_open(1000);
	assert_null(wg_arena_alloc(arena, 1001));
	assert_non_null(wg_arena_alloc(arena, 900));
	assert_null(wg_arena_alloc(arena, 101));
	assert_non_null(wg_arena_alloc(arena, 100));
	assert_null(wg_arena_alloc(arena, 1));
	assert_int_equal(wg_arena_used(arena), 1000);
	wg_arena_free(arena);
}

static void default_limit_holds(void **state)
{
	struct wg_arena *arena = wg_arena_open(0);
	assert_null(wg_arena_alloc(arena, WG_LIMIT_ARENA_BYTES + 1));
	wg_arena_free(arena);
}

static void products_do_not_overflow(void **state)
{
	struct wg_arena *arena = wg_arena_open(SIZE_MAX);
	assert_null(wg_arena_array(arena, SIZE_MAX / 2, 3));
	assert_null(wg_arena_array(arena, SIZE_MAX, SIZE_MAX));
	assert_null(wg_arena_alloc(arena, SIZE_MAX));
	assert_null(wg_arena_alloc(arena, SIZE_MAX - 8));
	assert_null(wg_arena_strndup(arena, "", SIZE_MAX));
	assert_non_null(wg_arena_array(arena, 0, 8));
	wg_arena_free(arena);
}

static void large_piece_leaves_the_small_chunk_in_use(void **state)
{
	struct wg_arena *arena = wg_arena_open(0);
	char *first = wg_arena_alloc(arena, 16);
	char *large = wg_arena_alloc(arena, (size_t)4 << 20);
	char *second = wg_arena_alloc(arena, 16);
	assert_non_null(large);
	assert_ptr_equal(second, first + 16);
	memset(large, 1, (size_t)4 << 20);
	wg_arena_free(arena);
}

static void texts_are_copied(void **state)
{
	struct wg_arena *arena = wg_arena_open(0);
	char source[] = "hello";
	char *copy = wg_arena_strdup(arena, source);
	char *part = wg_arena_strndup(arena, source, 2);
	source[0] = 'j';
	assert_string_equal(copy, "hello");
	assert_string_equal(part, "he");
	assert_string_equal(wg_arena_printf(arena, "%d-%s", 7, "x"), "7-x");
	char *wide = wg_arena_printf(arena, "%10000d", 1);
	assert_int_equal(strlen(wide), 10000);
	wg_arena_free(arena);
}

static void nothing_is_freed_twice(void **state)
{
	wg_arena_free(NULL);
	wg_arena_free(wg_arena_open(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
		cmocka_unit_test(limit_is_exact),
		cmocka_unit_test(default_limit_holds),
		cmocka_unit_test(products_do_not_overflow),
		cmocka_unit_test(large_piece_leaves_the_small_chunk_in_use),
		cmocka_unit_test(texts_are_copied),
		cmocka_unit_test(nothing_is_freed_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
