/* The sizes in a zip directory, without reading what the entries hold. */
#include "bytes.h"

#include "model/readers.h"

static void entry(struct bytes *bytes, const char *name, uint64_t size, int large)
{
	put_integer(bytes, 0x02014b50, 4);
	put_zeros(bytes, 16);
	put_integer(bytes, large ? UINT32_MAX : size, 4);
	put_integer(bytes, large ? UINT32_MAX : size, 4);
	put_integer(bytes, strlen(name), 2);
	put_integer(bytes, large ? 24 : 0, 2);
	put_integer(bytes, 3, 2);
	put_zeros(bytes, 12);
	put(bytes, name, strlen(name));
	if (large) {
		put_integer(bytes, 0x7777, 2); /* some other field first */
		put_integer(bytes, 0, 2);
		put_integer(bytes, 1, 2);
		put_integer(bytes, 16, 2);
		put_integer(bytes, size, 8);
		put_integer(bytes, size, 8);
	}
	put(bytes, "abc", 3);
}

/* Data first, then the directory of three entries and its end. */
static struct bytes archive(int large)
{
	struct bytes bytes = { 0 };
	size_t offset, end;

	put(&bytes, "PK\3\4", 4);
	put_zeros(&bytes, 5000);
	offset = bytes.length;
	entry(&bytes, "model/data.pkl", 700, 0);
	entry(&bytes, "model/data/0", 3000, large);
	entry(&bytes, "model/data/1", 1000, 0);
	end = bytes.length;
	if (large) {
		put_integer(&bytes, 0x06064b50, 4);
		put_zeros(&bytes, 28);
		put_integer(&bytes, 3, 8);
		put_zeros(&bytes, 8);
		put_integer(&bytes, offset, 8);
		put_integer(&bytes, 0x07064b50, 4);
		put_integer(&bytes, 0, 4);
		put_integer(&bytes, end, 8);
		put_integer(&bytes, 1, 4);
	}
	put_integer(&bytes, 0x06054b50, 4);
	put_zeros(&bytes, 6);
	put_integer(&bytes, large ? UINT16_MAX : 3, 2);
	put_integer(&bytes, 0, 4);
	put_integer(&bytes, large ? UINT32_MAX : offset, 4);
	put_integer(&bytes, 0, 2);
	return bytes;
}

static enum wg_status read_bytes(const struct bytes *bytes, double *ret_bytes,
                                 struct wg_error *error)
{
	struct folder folder;
	char path[1024];

	folder_open(&folder);
	folder_write(&folder, "pytorch_model.bin", bytes->at, bytes->length);
	wg_error_init(error);
	enum wg_status status = wg_pickle_read_bytes(
		folder_path(&folder, "pytorch_model.bin", path), ret_bytes, error);
	folder_done(&folder);
	return status;
}

static void storages_are_summed(void **state)
{
	for (int large = 0; large < 2; large++) {
		struct bytes bytes = archive(large);
		struct wg_error error;
		double sum = 0;

		check_status(read_bytes(&bytes, &sum, &error), WG_OK, &error);
		check_close(sum, 4000, 0);
		put_zeros(&bytes, 9000); /* a long comment behind it */
		check_status(read_bytes(&bytes, &sum, &error), WG_OK, &error);
		check_close(sum, 4000, 0);
		bytes_done(&bytes);
	}
}

static void damage_is_refused(void **state)
{
	for (int large = 0; large < 2; large++) {
		struct bytes bytes = archive(large);
		struct wg_error error;
		size_t length = bytes.length;
		double sum = -7;

		for (bytes.length = 0; bytes.length < length; bytes.length += 61)
			check_status(read_bytes(&bytes, &sum, &error), WG_BAD_INPUT, &error);
		bytes.length = length;
		/* Any byte of directory and end: a wrong sum is possible, a crash is not. */
		for (size_t at = 5004; at < length; at += 3) {
			bytes.at[at] ^= 0xff;
			enum wg_status status = read_bytes(&bytes, &sum, &error);
			assert_true(status == WG_OK || status == WG_BAD_INPUT);
			bytes.at[at] ^= 0xff;
		}
		bytes_done(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(storages_are_summed),
		cmocka_unit_test(damage_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
