#include "check.h"

#include "base/embed.h"

static const char *const groups[] = {
#define WG_EMBED_GROUP(name, folder) #name,
#include "base/embed_groups.def"
#undef WG_EMBED_GROUP
};

/* Each embedded file is byte for byte the one in the folder. */
static void check_bytes(const struct wg_embedded *file)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", WG_SOURCE_ROOT, file->path);
	FILE *stream = fopen(path, "r");
	if (!stream)
		fail_msg("no file %s", path);
	for (size_t i = 0; i < file->length; i++)
		if (getc(stream) != (unsigned char)file->bytes[i])
			fail_msg("%s differs at byte %zu", path, i);
	assert_int_equal(getc(stream), EOF);
	assert_int_equal(file->bytes[file->length], '\0');
	fclose(stream);
}

static void files_are_whole_and_sorted(void **state)
{
	for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
		const struct wg_embedded_group *group = wg_embedded_group(groups[g]);
		assert_non_null(group);
		assert_string_equal(group->name, groups[g]);
		for (size_t i = 0; i < group->count; i++) {
			check_bytes(&group->files[i]);
			if (i > 0)
				assert_true(strcmp(group->files[i - 1].name, group->files[i].name) <
				            0);
		}
	}
}

static void each_is_found_by_name(void **state)
{
	for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
		const struct wg_embedded_group *group = wg_embedded_group(groups[g]);
		for (size_t i = 0; i < group->count; i++)
			assert_ptr_equal(wg_embedded_find(groups[g], group->files[i].name),
			                 &group->files[i]);
		assert_null(wg_embedded_find(groups[g], ""));
		assert_null(wg_embedded_find(groups[g], "no such file"));
	}
}

static void unknown_groups_are_empty(void **state)
{
	assert_null(wg_embedded_group("none"));
	assert_null(wg_embedded_find("none", "x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_whole_and_sorted),
		cmocka_unit_test(each_is_found_by_name),
		cmocka_unit_test(unknown_groups_are_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
