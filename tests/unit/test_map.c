#include "check.h"

#include "whichgpu/map.h"

static void keys_are_found_after_growth(void **state)
{
	enum { COUNT = 20000 };
	static char keys[COUNT][8];
	struct wg_map map;
	wg_map_init(&map);
	for (size_t i = 0; i < COUNT; i++) {
		bool existed = true;
		size_t length = (size_t)snprintf(keys[i], sizeof keys[i], "k%zu", i);
		assert_true(wg_map_put(&map, keys[i], length, i, &existed));
		assert_false(existed);
	}
	assert_int_equal(map.count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		size_t value = 0;
		assert_true(wg_map_find(&map, keys[i], strlen(keys[i]), &value));
		assert_int_equal(value, i);
	}
	assert_false(wg_map_find(&map, "k20000", 6, NULL));
	wg_map_done(&map);
}

static void first_value_stays(void **state)
{
	struct wg_map map;
	bool existed = false;
	size_t value = 0;
	wg_map_init(&map);
	assert_true(wg_map_put(&map, "a", 1, 5, NULL));
	assert_true(wg_map_put(&map, "a", 1, 6, &existed));
	assert_true(existed);
	assert_true(wg_map_find(&map, "a", 1, &value));
	assert_int_equal(value, 5);
	wg_map_done(&map);
}

static void empty_map_and_odd_keys(void **state)
{
	struct wg_map map;
	size_t value = 9;
	wg_map_init(&map);
	assert_false(wg_map_find(&map, "a", 1, &value));
	assert_int_equal(value, 9);
	assert_true(wg_map_put(&map, "", 0, 1, NULL));
	assert_true(wg_map_put(&map, "\0x", 2, 2, NULL));
	assert_true(wg_map_put(&map, "\0y", 2, 3, NULL));
	assert_true(wg_map_find(&map, "", 0, &value));
	assert_int_equal(value, 1);
	assert_true(wg_map_find(&map, "\0y", 2, &value));
	assert_int_equal(value, 3);
	wg_map_done(&map);
	wg_map_done(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_found_after_growth),
		cmocka_unit_test(first_value_stays),
		cmocka_unit_test(empty_map_and_odd_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
