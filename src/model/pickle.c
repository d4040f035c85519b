/* PyTorch files since 1.6 are zip archives: a pickle, which is never read since
 * reading it runs code, and one entry a tensor storage. The directory at the
 * end of the archive tells the storages' sizes. Layout: PKWARE APPNOTE 6.3.10,
 * sec. 4.3.12 (directory), 4.3.14-16 (its end), 4.5.3 (large sizes). */
#include <string.h>

#include "base/cursor.h"
#include "base/i18n.h"
#include "model/readers.h"
#include "whichgpu/limits.h"

#define END_BYTES 22
#define END_SEARCH_BYTES (END_BYTES + 65535) /* with the longest comment */
#define END_MARK 0x06054b50u
#define END64_MARK 0x06064b50u
#define END64_LOCATOR_MARK 0x07064b50u
#define ENTRY_MARK 0x02014b50u
#define ENTRY_BYTES_MIN 46

struct directory {
	uint64_t entries, offset;
};

static enum wg_status fail(const struct wg_input *input, const char *words, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT, "\"%s\" %s", input->name, words);
	wg_error_place(error, input->name, 0, 0, -1);
	return WG_BAD_INPUT;
}

/* Where the last end record begins; UINT64_MAX when there is none. */
static uint64_t find_end(const struct wg_input *input)
{
	static const unsigned char mark[] = { 'P', 'K', 5, 6 };
	unsigned char tail[4096];
	uint64_t stop = input->bytes > END_SEARCH_BYTES ? input->bytes - END_SEARCH_BYTES : 0;
	uint64_t end = input->bytes;

	/* Pieces from the back, each three bytes into the one after it. */
	while (end > stop + 3) {
		uint64_t start = end - stop > sizeof tail ? end - sizeof tail : stop;

		if (wg_input_read(input, start, tail, (size_t)(end - start), NULL) != WG_OK)
			return UINT64_MAX;
		for (size_t at = (size_t)(end - start) - 3; at-- > 0;)
			if (memcmp(tail + at, mark, 4) == 0 &&
			    start + at + END_BYTES <= input->bytes)
				return start + at;
		if (start == stop)
			break;
		end = start + 3;
	}
	return UINT64_MAX;
}

/* The end record of large archives, found through its locator before the other. */
static bool read_end64(const struct wg_input *input, uint64_t end, struct directory *directory)
{
	struct wg_cursor cursor;
	uint32_t mark = 0, ignored;
	uint64_t at = 0;
	bool ok;

	if (end < 20)
		return false;
	wg_cursor_init(&cursor, input, end - 20, end, NULL);
	ok = wg_cursor_u32(&cursor, &mark) && mark == END64_LOCATOR_MARK &&
	     wg_cursor_u32(&cursor, &ignored) && wg_cursor_u64(&cursor, &at);
	wg_cursor_done(&cursor);
	if (!ok)
		return false;
	wg_cursor_init(&cursor, input, at, input->bytes, NULL);
	ok = wg_cursor_u32(&cursor, &mark) && mark == END64_MARK && wg_cursor_skip(&cursor, 28) &&
	     wg_cursor_u64(&cursor, &directory->entries) && wg_cursor_skip(&cursor, 8) &&
	     wg_cursor_u64(&cursor, &directory->offset);
	wg_cursor_done(&cursor);
	return ok;
}

static bool find_directory(const struct wg_input *input, struct directory *directory)
{
	uint64_t end = find_end(input);
	struct wg_cursor cursor;
	uint16_t entries = 0;
	uint32_t offset = 0;

	if (end == UINT64_MAX)
		return false;
	wg_cursor_init(&cursor, input, end + 10, input->bytes, NULL);
	bool ok = wg_cursor_u16(&cursor, &entries) && wg_cursor_skip(&cursor, 4) &&
	          wg_cursor_u32(&cursor, &offset);
	wg_cursor_done(&cursor);
	*directory = (struct directory){ entries, offset };
	if (ok && (entries == UINT16_MAX || offset == UINT32_MAX))
		return read_end64(input, end, directory);
	return ok;
}

/* "NAME/data/17", not "NAME/data.pkl". */
static bool is_storage(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash != NULL && strncmp(slash, "/data/", 6) == 0 && slash[6] != '\0';
}

/* A size of 2^32-1 stands in the extra fields: id 1, length, size. */
static bool read_extra(struct wg_cursor *cursor, uint16_t length, uint64_t *size)
{
	uint64_t end = cursor->position + length;
	bool wanted = *size == UINT32_MAX;

	while (wanted && cursor->position + 4 <= end) {
		uint16_t id, bytes;

		if (!wg_cursor_u16(cursor, &id) || !wg_cursor_u16(cursor, &bytes))
			return false;
		if (id == 1 && bytes >= 8)
			return cursor->position + 8 <= end && wg_cursor_u64(cursor, size) &&
			       cursor->position <= end &&
			       wg_cursor_skip(cursor, end - cursor->position);
		if (cursor->position + bytes > end || !wg_cursor_skip(cursor, bytes))
			return false;
	}
	return !wanted && wg_cursor_skip(cursor, end - cursor->position);
}

static bool read_entry(struct wg_cursor *cursor, double *bytes)
{
	uint16_t name_length, extra_length, comment_length;
	uint32_t mark, size32;
	char name[256];

	if (!wg_cursor_u32(cursor, &mark) || mark != ENTRY_MARK || !wg_cursor_skip(cursor, 20) ||
	    !wg_cursor_u32(cursor, &size32) || !wg_cursor_u16(cursor, &name_length) ||
	    !wg_cursor_u16(cursor, &extra_length) || !wg_cursor_u16(cursor, &comment_length) ||
	    !wg_cursor_skip(cursor, 12))
		return false;
	uint64_t size = size32;
	size_t keep = name_length < sizeof name ? name_length : sizeof name - 1;
	if (!wg_cursor_copy(cursor, name, keep) || !wg_cursor_skip(cursor, name_length - keep))
		return false;
	name[keep] = '\0';
	if (!read_extra(cursor, extra_length, &size) || !wg_cursor_skip(cursor, comment_length))
		return false;
	if (is_storage(name))
		*bytes += (double)size;
	return true;
}

static enum wg_status read_directory(const struct wg_input *input, double *ret_bytes,
                                     struct wg_error *error)
{
	struct directory directory;
	struct wg_cursor cursor;
	double bytes = 0;
	bool ok = true;

	if (!find_directory(input, &directory))
		return fail(input, _("has no zip directory: it is cut off, or an old pickle"),
		            error);
	wg_cursor_init(&cursor, input, directory.offset, input->bytes, NULL);
	if (directory.entries > WG_LIMIT_TENSORS ||
	    !wg_cursor_has(&cursor, directory.entries, ENTRY_BYTES_MIN))
		ok = false;
	for (uint64_t i = 0; i < directory.entries && ok; i++)
		ok = read_entry(&cursor, &bytes);
	wg_cursor_done(&cursor);
	if (!ok || bytes > (double)input->bytes)
		return fail(input, _("has a broken zip directory"), error);
	*ret_bytes = bytes;
	return WG_OK;
}

enum wg_status wg_pickle_read_bytes(const char *path, double *ret_bytes, struct wg_error *error)
{
	struct wg_input input;
	enum wg_status status = wg_input_open(path, &input, error);

	if (status != WG_OK)
		return status;
	status = read_directory(&input, ret_bytes, error);
	wg_input_done(&input);
	return status;
}
