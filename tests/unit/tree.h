/* Makes a folder from a text of lines: `path = text` (\n \t \0 meant as in C),
 * `path -> link`, `path : hexadecimal bytes`; # begins a comment line. */
#ifndef WG_TESTS_TREE_H
#define WG_TESTS_TREE_H

#include <ftw.h>
#include <unistd.h>

#include "check.h"

static inline void tree_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static inline void tree_bytes(const char *path, const char *bytes, size_t length)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

static inline size_t tree_text(char *target, const char *source)
{
	size_t n = 0;
	for (const char *c = source; *c; c++) {
		char escaped = *c == '\\' ? c[1] : '\0';
		if (escaped == 'n' || escaped == 't' || escaped == '0') {
			target[n++] = escaped == 'n' ? '\n' : escaped == 't' ? '\t' : '\0';
			c++;
		} else {
			target[n++] = *c;
		}
	}
	return n;
}

static inline size_t tree_hex(char *target, const char *source)
{
	size_t n = 0;
	for (const char *c = source; *c;) {
		char pair[3] = { c[0], c[1], '\0' };
		if (*c == ' ') {
			c++;
			continue;
		}
		target[n++] = (char)strtoul(pair, NULL, 16);
		c += 2;
	}
	return n;
}

static inline void tree_line(const char *root, char *line)
{
	char path[4608], bytes[4096];
	char *value, *blank = strchr(line, ' ');
	line[strcspn(line, "\n")] = '\0';
	if (line[0] == '#' || !blank)
		return;
	*blank = '\0';
	value = strchr(blank + 1, ' ');
	assert_non_null(value);
	value++;
	snprintf(path, sizeof path, "%s/%s", root, line);
	tree_folders(path);
	if (blank[1] == '-')
		assert_int_equal(symlink(value, path), 0);
	else if (blank[1] == ':')
		tree_bytes(path, bytes, tree_hex(bytes, value));
	else
		tree_bytes(path, bytes, tree_text(bytes, value));
}

/* Folder below /tmp; its name goes into root, which begins as a mkdtemp pattern. */
static inline void tree_make(char *root, const char *description)
{
	char line[4096];
	FILE *file = fopen(description, "r");
	assert_non_null(file);
	assert_non_null(mkdtemp(root));
	while (fgets(line, sizeof line, file))
		tree_line(root, line);
	fclose(file);
}

/* Writes one file anew: a reading that changed. */
static inline void tree_put(const char *root, const char *relative, const char *text)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", root, relative);
	tree_bytes(path, text, strlen(text));
}

static inline int tree_remove_one(const char *path, const struct stat *s, int type, struct FTW *w)
{
	return remove(path);
}

static inline void tree_remove(const char *root)
{
	nftw(root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
