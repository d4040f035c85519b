#include "catalog/name.h"

#include <string.h>

/* Words that say nothing about which GPU it is. "quadro" stays: a Quadro RTX
 * 6000 is no RTX 6000 Ada. */
static const char *const empty_words[] = {
	"nvidia",
	"amd",
	"intel",
	"geforce",
	"tesla",
	"radeon",
	"instinct",
	"generation",
	"graphics",
	"gpu",
	"accelerator",
	"r",
	"tm",
	"card",
	"\xe8\x8b\xb1\xe4\xbc\x9f\xe8\xbe\xbe", /* Nvidia in Chinese */
	"\xe8\x8b\xb1\xe7\x89\xb9\xe5\xb0\x94", /* Intel */
	"\xe8\xb6\x85\xe5\xa8\x81",             /* AMD */
	"\xe6\x98\xbe\xe5\x8d\xa1",             /* graphics card */
};

enum kind { GAP, PLAIN, WIDE };

static enum kind kind_of(char c)
{
	if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.')
		return PLAIN;
	return (unsigned char)c >= 0x80 ? WIDE : GAP;
}

static bool is_empty_word(const char *word)
{
	for (size_t i = 0; i < sizeof(empty_words) / sizeof(empty_words[0]); i++) {
		if (strcmp(empty_words[i], word) == 0)
			return true;
	}
	return false;
}

static bool all_digits(const char *word)
{
	return word[0] != '\0' && strspn(word, "0123456789") == strlen(word);
}

static bool is_size_unit(const char *word)
{
	return strcmp(word, "g") == 0 || strcmp(word, "gb") == 0 || strcmp(word, "gib") == 0;
}

/* Reads one word into `word`, lower case; returns where the text goes on. */
static const char *read_word(const char *text, char *word, size_t word_bytes)
{
	bool wide = kind_of(*text) == WIDE;
	size_t length = 0;

	for (; *text != '\0' && kind_of(*text) != GAP && (kind_of(*text) == WIDE) == wide; text++) {
		if (length + 1 < word_bytes)
			word[length++] =
				*text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
	}
	word[length] = '\0';
	return text;
}

/* Appends to the bytes; what finds no room is left out. */
static void append(struct wg_name *name, size_t *used, const char *text)
{
	size_t length = strlen(text);

	if (*used + length + 1 > sizeof(name->bytes))
		return;
	memcpy(name->bytes + *used, text, length + 1);
	*used += length;
}

static void add_word(struct wg_name *name, size_t *used, char *word)
{
	size_t digits = strspn(word, "0123456789");
	size_t start;

	/* "80 GB": the unit belongs to the number before it */
	if (is_size_unit(word) && name->word_count > 0 &&
	    all_digits(name->words[name->word_count - 1])) {
		append(name, used, "gb");
		return;
	}
	if (strncmp(word, "sxm", 3) == 0 && all_digits(word + 3))
		word[3] = '\0';
	if (is_empty_word(word) || name->word_count == WG_NAME_WORDS)
		return;
	start = *used + (*used > 0 ? 1 : 0); /* behind the NUL of the last word */
	if (digits > 0 && is_size_unit(word + digits)) {
		word[digits] = '\0';
		if (start + digits + 3 > sizeof(name->bytes))
			return;
		*used = start;
		append(name, used, word);
		append(name, used, "gb");
	} else {
		if (start + strlen(word) + 1 > sizeof(name->bytes))
			return;
		*used = start;
		append(name, used, word);
	}
	name->words[name->word_count++] = name->bytes + start;
}

void wg_name_init(struct wg_name *name, const char *text)
{
	size_t length = 0, used = 0;
	char word[WG_NAME_BYTES / 2] = "";

	memset(name, 0, sizeof(*name));
	while (*text != '\0') {
		if (kind_of(*text) == GAP) {
			text++;
			continue;
		}
		text = read_word(text, word, sizeof(word));
		add_word(name, &used, word);
	}
	for (size_t i = 0; i < name->word_count; i++) {
		size_t word_length = strlen(name->words[i]);

		memcpy(name->key + length, name->words[i], word_length);
		length += word_length;
	}
	name->key[length] = '\0';
}

bool wg_name_within(const struct wg_name *part, const struct wg_name *whole)
{
	for (size_t i = 0; i < part->word_count; i++) {
		size_t k = 0;

		while (k < whole->word_count && strcmp(whole->words[k], part->words[i]) != 0)
			k++;
		if (k == whole->word_count)
			return false;
	}
	return part->word_count > 0;
}
