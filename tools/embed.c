/* embed ROOT FOLDER GROUP OUTPUT.c DEPFILE: writes the files of ROOT/FOLDER as
 * C, for src/base/embed.h. Runs at build time.
 *
 * The folder itself stands in the depfile, so that a new or removed file makes
 * ninja run this again. A folder that is not there gives an empty group. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_LIMIT 4096
#define PATH_BYTES 1024

struct listing {
	char *names[FILES_LIMIT];
	size_t count;
};

static _Noreturn void fail(const char *what, const char *subject)
{
	fprintf(stderr, "embed: %s \"%s\"", what, subject);
	if (errno != 0)
		fprintf(stderr, ": %s", strerror(errno));
	putc('\n', stderr);
	exit(1);
}

/* folder/name in a buffer of PATH_BYTES. */
static void join(char *path, const char *folder, const char *name)
{
	int length = snprintf(path, PATH_BYTES, "%s/%s", folder, name);
	if (length < 0 || length >= PATH_BYTES)
		fail("path is too long for", name);
}

/* By name without the ending, as they are looked up: "v2" before "v2-lite". */
static int compare_names(const void *a, const void *b)
{
	const char *left = *(char *const *)a, *right = *(char *const *)b;
	size_t left_length = (size_t)(strrchr(left, '.') - left);
	size_t right_length = (size_t)(strrchr(right, '.') - right);
	int order = memcmp(left, right, left_length < right_length ? left_length : right_length);

	return order != 0 ? order : (left_length > right_length) - (left_length < right_length);
}

static bool has_ending(const char *name, const char *ending)
{
	size_t length = strlen(name), size = strlen(ending);
	return length > size && strcmp(name + length - size, ending) == 0;
}

/* Editors leave files with other endings; they are not data. */
static bool is_data(const char *name)
{
	return name[0] != '.' && (has_ending(name, ".json") || has_ending(name, ".csv"));
}

static void list_folder(const char *folder, struct listing *ret_listing)
{
	ret_listing->count = 0;
	DIR *stream = opendir(folder);
	if (!stream && errno == ENOENT)
		return;
	if (!stream)
		fail("cannot read folder", folder);
	struct dirent *entry;
	while ((entry = readdir(stream))) {
		if (!is_data(entry->d_name))
			continue;
		errno = 0;
		if (ret_listing->count == FILES_LIMIT)
			fail("too many files in", folder);
		char *name = strdup(entry->d_name);
		if (!name)
			fail("no memory for", folder);
		ret_listing->names[ret_listing->count++] = name;
	}
	closedir(stream);
	qsort(ret_listing->names, ret_listing->count, sizeof ret_listing->names[0], compare_names);
}

/* One literal a line of the file; octal escapes, which end after three digits. */
static void put_file(FILE *out, FILE *in)
{
	int c;
	bool open = false;
	while ((c = getc(in)) != EOF) {
		if (!open)
			fputs("\n\t\"", out);
		open = c != '\n';
		if (c == '\n')
			fputs("\\n\"", out);
		else if (c == '"' || c == '\\' || c == '?' || c < 0x20 || c >= 0x7f)
			fprintf(out, "\\%03o", (unsigned)c);
		else
			putc(c, out);
	}
	fputs(open ? "\"" : "\n\t\"\"", out);
}

static void put_contents(FILE *out, const char *folder, const struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++) {
		char path[PATH_BYTES];
		join(path, folder, listing->names[i]);
		FILE *in = fopen(path, "r");
		if (!in)
			fail("cannot read", path);
		fprintf(out, "static const char file_%zu[] =", i);
		put_file(out, in);
		fputs(";\n", out);
		if (ferror(in))
			fail("cannot read", path);
		fclose(in);
	}
}

static void put_index(FILE *out, const char *folder, const char *group,
                      const struct listing *listing)
{
	fputs("static const struct wg_embedded files[] = {\n", out);
	for (size_t i = 0; i < listing->count; i++) {
		const char *name = listing->names[i];
		int stem = (int)(strrchr(name, '.') - name);
		fprintf(out, "\t{ \"%.*s\", \"%s/%s\", file_%zu, sizeof file_%zu - 1 },\n", stem,
		        name, folder, name, i, i);
	}
	fputs("\t{ 0 },\n};\n", out);
	fprintf(out, "extern const struct wg_embedded_group wg_embedded_%s;\n", group);
	fprintf(out, "const struct wg_embedded_group wg_embedded_%s = { \"%s\", %zu, files };\n",
	        group, group, listing->count);
}

/* A folder that is not there cannot be watched: the root is, until it is made. */
static void put_depfile(const char *path, const char *output, const char *root, const char *folder,
                        const struct listing *listing)
{
	FILE *out = fopen(path, "w");
	if (!out)
		fail("cannot write", path);
	DIR *stream = opendir(folder);
	fprintf(out, "%s: %s", output, stream ? folder : root);
	if (stream)
		closedir(stream);
	for (size_t i = 0; i < listing->count; i++)
		fprintf(out, " %s/%s", folder, listing->names[i]);
	fputs("\n", out);
	if (fclose(out) != 0)
		fail("cannot write", path);
}

int main(int count, char **arguments)
{
	static struct listing listing;
	char path[PATH_BYTES];
	if (count != 6) {
		fputs("usage: embed ROOT FOLDER GROUP OUTPUT.c DEPFILE\n", stderr);
		return 2;
	}
	const char *root = arguments[1], *folder = arguments[2], *output = arguments[4];
	join(path, root, folder);
	list_folder(path, &listing);
	FILE *out = fopen(output, "w");
	if (!out)
		fail("cannot write", output);
	fputs("#include \"base/embed.h\"\n", out);
	put_contents(out, path, &listing);
	put_index(out, folder, arguments[3], &listing);
	if (fclose(out) != 0)
		fail("cannot write", output);
	put_depfile(arguments[5], output, root, path, &listing);
	for (size_t i = 0; i < listing.count; i++)
		free(listing.names[i]);
	return 0;
}
