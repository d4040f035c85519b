/* Binary files for the tests of the readers, put together byte by byte. */
#ifndef WG_TESTS_BYTES_H
#define WG_TESTS_BYTES_H

#include <fcntl.h>
#include <ftw.h>
#include <unistd.h>

#include "check.h"

struct bytes {
	unsigned char *at;
	size_t length, capacity;
	int big_endian;
};

static inline void put(struct bytes *bytes, const void *data, size_t length)
{
	if (bytes->length + length > bytes->capacity) {
		bytes->capacity = 2 * (bytes->length + length) + 64;
		bytes->at = realloc(bytes->at, bytes->capacity);
		assert_non_null(bytes->at);
	}
	if (length > 0)
		memcpy(bytes->at + bytes->length, data, length);
	bytes->length += length;
}

static inline void put_integer(struct bytes *bytes, uint64_t value, unsigned length)
{
	unsigned char data[8];

	for (unsigned i = 0; i < length; i++)
		data[bytes->big_endian ? length - 1 - i : i] = (unsigned char)(value >> 8 * i);
	put(bytes, data, length);
}

static inline void put_zeros(struct bytes *bytes, size_t count)
{
	for (; count > 0; count--)
		put(bytes, "", 1);
}

/* A GGUF string: its length, its bytes. */
static inline void put_text(struct bytes *bytes, const char *text)
{
	put_integer(bytes, strlen(text), 8);
	put(bytes, text, strlen(text));
}

static inline void bytes_done(struct bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct bytes){ 0 };
}

/* --- GGUF ------------------------------------------------------------------ */

enum { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 };

static inline void gguf_begin(struct bytes *bytes, unsigned version, uint64_t tensors,
                              uint64_t keys)
{
	put(bytes, "GGUF", 4);
	put_integer(bytes, version, 4);
	put_integer(bytes, tensors, 8);
	put_integer(bytes, keys, 8);
}

static inline void gguf_key(struct bytes *bytes, const char *name, unsigned type)
{
	put_text(bytes, name);
	put_integer(bytes, type, 4);
}

static inline void gguf_u32(struct bytes *bytes, const char *name, uint32_t value)
{
	gguf_key(bytes, name, U32);
	put_integer(bytes, value, 4);
}

static inline void gguf_text(struct bytes *bytes, const char *name, const char *value)
{
	gguf_key(bytes, name, STRING);
	put_text(bytes, value);
}

static inline void gguf_array(struct bytes *bytes, const char *name, unsigned type, uint64_t count)
{
	gguf_key(bytes, name, ARRAY);
	put_integer(bytes, type, 4);
	put_integer(bytes, count, 8);
}

static inline void gguf_tensor(struct bytes *bytes, const char *name, unsigned rank,
                               const uint64_t *shape, unsigned type, uint64_t offset)
{
	put_text(bytes, name);
	put_integer(bytes, rank, 4);
	for (unsigned i = 0; i < rank; i++)
		put_integer(bytes, shape[i], 8);
	put_integer(bytes, type, 4);
	put_integer(bytes, offset, 8);
}

static inline void gguf_pad(struct bytes *bytes, size_t alignment)
{
	put_zeros(bytes, (alignment - bytes->length % alignment) % alignment);
}

/* --- safetensors ------------------------------------------------------------ */

static inline void safetensors(struct bytes *bytes, const char *header, size_t data_bytes)
{
	put_integer(bytes, strlen(header), 8);
	put(bytes, header, strlen(header));
	put_zeros(bytes, data_bytes);
}

/* --- files ------------------------------------------------------------------- */

struct folder {
	char path[256];
};

static inline void folder_open(struct folder *folder)
{
	const char *base = getenv("TMPDIR");

	snprintf(folder->path, sizeof folder->path, "%s/whichgpu-XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(folder->path));
}

static inline const char *folder_path(const struct folder *folder, const char *name, char *buffer)
{
	snprintf(buffer, 1024, "%s/%s", folder->path, name);
	return buffer;
}

static inline void folder_write(const struct folder *folder, const char *name, const void *data,
                                size_t length)
{
	char path[1024];
	int file = open(folder_path(folder, name, path), O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_true(file >= 0);
	assert_int_equal(write(file, data, length), length);
	close(file);
}

static inline void folder_write_text(const struct folder *folder, const char *name,
                                     const char *text)
{
	folder_write(folder, name, text, strlen(text));
}

static inline int folder_remove_one(const char *path, const struct stat *facts, int type,
                                    struct FTW *place)
{
	return remove(path);
}

static inline void folder_done(struct folder *folder)
{
	assert_int_equal(nftw(folder->path, folder_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

#endif
