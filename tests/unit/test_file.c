#include "check.h"

#include <unistd.h>

#include "whichgpu/file.h"

static char folder[64];

static const char *in_folder(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static int make_folder(void **state)
{
	snprintf(folder, sizeof folder, "/tmp/whichgpu-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "a", "b", "fifo", "link" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		unlink(in_folder(names[i]));
	/* Fails, and with it the test, when a file was left behind. */
	return rmdir(folder);
}

static void write_good(const char *path, const char *text)
{
	struct wg_error error;
	check_status(wg_file_write(path, text, strlen(text), &error), WG_OK, &error);
}

static void reads_as(const char *path, const char *expected)
{
	char *bytes = NULL;
	size_t length = 0;
	struct wg_error error;
	check_status(wg_file_read(path, 1000, &bytes, &length, &error), WG_OK, &error);
	assert_int_equal(length, strlen(expected));
	assert_string_equal(bytes, expected);
	free(bytes);
}

static struct wg_error read_bad(const char *path, size_t limit, enum wg_status expected)
{
	char *bytes = NULL;
	size_t length = 77;
	struct wg_error error;
	check_status(wg_file_read(path, limit, &bytes, &length, &error), expected, &error);
	assert_null(bytes);
	assert_int_equal(length, 77);
	assert_string_equal(error.file, path);
	return error;
}

static void what_is_written_is_read(void **state)
{
	write_good(in_folder("a"), "first");
	reads_as(in_folder("a"), "first");
	write_good(in_folder("a"), "");
	reads_as(in_folder("a"), "");
	assert_true(wg_file_exists(in_folder("a")));
	assert_false(wg_file_is_directory(in_folder("a")));
	assert_true(wg_file_is_directory(folder));
}

static void limit_is_exact(void **state)
{
	write_good(in_folder("a"), "12345");
	char *bytes = NULL;
	size_t length;
	struct wg_error error;
	check_status(wg_file_read(in_folder("a"), 5, &bytes, &length, &error), WG_OK, &error);
	free(bytes);
	read_bad(in_folder("a"), 4, WG_LIMIT);
}

static void what_is_no_file_is_refused(void **state)
{
	check_contains(read_bad(folder, 10, WG_BAD_INPUT).message, "folder");
	check_contains(read_bad("/dev/null", 10, WG_BAD_INPUT).message, "device");
	check_contains(read_bad(in_folder("none"), 10, WG_NOT_FOUND).message, "does not exist");
	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	check_contains(read_bad(in_folder("fifo"), 10, WG_BAD_INPUT).message, "pipe");
	struct wg_error error;
	check_status(wg_file_write(folder, "x", 1, &error), WG_BAD_INPUT, &error);
}

static void files_without_a_size_are_read(void **state)
{
	char *bytes = NULL;
	size_t length = 0;
	struct wg_error error;
	check_status(wg_file_read("/proc/self/status", 1 << 20, &bytes, &length, &error), WG_OK,
	             &error);
	assert_true(length > 100);
	assert_int_equal(strlen(bytes), length);
	free(bytes);
	read_bad("/proc/self/status", 100, WG_LIMIT);
}

static void links_and_permissions_stay(void **state)
{
	struct stat after;
	write_good(in_folder("a"), "old");
	assert_int_equal(chmod(in_folder("a"), 0640), 0);
	assert_int_equal(symlink("a", in_folder("link")), 0);
	write_good(in_folder("link"), "new");
	reads_as(in_folder("a"), "new");
	assert_int_equal(lstat(in_folder("link"), &after), 0);
	assert_true(S_ISLNK(after.st_mode));
	assert_int_equal(stat(in_folder("a"), &after), 0);
	assert_int_equal(after.st_mode & 0777, 0640);
}

/* A full disk is reported, and the device stays a device. */
static void full_disk_is_an_error(void **state)
{
	struct stat after;
	struct wg_error error;
	if (stat("/dev/full", &after) != 0 || !S_ISCHR(after.st_mode))
		skip();
	check_status(wg_file_write("/dev/full", "x", 1, &error), WG_SYSTEM, &error);
	assert_int_equal(stat("/dev/full", &after), 0);
	assert_true(S_ISCHR(after.st_mode));
	check_status(wg_file_write("/nowhere/at/all", "x", 1, &error), WG_NOT_FOUND, &error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_written_is_read, make_folder,
		                                remove_folder),
		cmocka_unit_test_setup_teardown(limit_is_exact, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, make_folder,
		                                remove_folder),
		cmocka_unit_test(files_without_a_size_are_read),
		cmocka_unit_test_setup_teardown(links_and_permissions_stay, make_folder,
		                                remove_folder),
		cmocka_unit_test(full_disk_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
