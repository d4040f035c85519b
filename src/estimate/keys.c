/* Names of tasks, terms and refusals; words of a refusal. */
#include "whichgpu/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/i18n.h"
#include "whichgpu/number.h"

static const char *const task_keys[WG_TASK_COUNT] = {
	[WG_TASK_SERVE] = "serve",       [WG_TASK_BATCH] = "batch", [WG_TASK_TRAIN] = "train",
	[WG_TASK_FINETUNE] = "finetune", [WG_TASK_LORA] = "lora",   [WG_TASK_QLORA] = "qlora",
	[WG_TASK_SCIENCE] = "science",
};

static const struct {
	const char *key, *label;
} memory_terms[WG_MEMORY_TERM_COUNT] = {
#define WG_MEMORY_TERM(name, key, label) { key, label },
#include "whichgpu/memory_terms.def"
#undef WG_MEMORY_TERM
};

static const struct {
	const char *key, *label;
	enum wg_bound bound;
} time_terms[WG_TIME_TERM_COUNT] = {
#define WG_TIME_TERM(name, key, label, bound) { key, label, WG_BOUND_##bound },
#include "whichgpu/time_terms.def"
#undef WG_TIME_TERM
};

enum number_kind { NOTHING, COUNT, BYTES };

static const struct {
	const char *key, *words;
	enum number_kind a, b;
} refusals[WG_REFUSAL_COUNT] = {
#define WG_REFUSAL(name, key, words, a, b) { key, words, a, b },
#include "whichgpu/refusals.def"
#undef WG_REFUSAL
};

static const char *const bound_keys[] = { "compute", "memory", "link", "host" };

const char *wg_task_key(enum wg_task task)
{
	return (unsigned)task < WG_TASK_COUNT ? task_keys[task] : "";
}

bool wg_task_find(const char *key, enum wg_task *ret_task)
{
	for (int i = 0; i < WG_TASK_COUNT; i++) {
		if (strcmp(task_keys[i], key) != 0)
			continue;
		*ret_task = (enum wg_task)i;
		return true;
	}
	return false;
}

const char *wg_memory_term_key(enum wg_memory_term term)
{
	return memory_terms[term].key;
}

const char *wg_memory_term_label(enum wg_memory_term term)
{
	return memory_terms[term].label;
}

const char *wg_time_term_key(enum wg_time_term term)
{
	return time_terms[term].key;
}

const char *wg_time_term_label(enum wg_time_term term)
{
	return time_terms[term].label;
}

enum wg_bound wg_time_term_bound(enum wg_time_term term)
{
	return time_terms[term].bound;
}

const char *wg_bound_key(enum wg_bound bound)
{
	return bound_keys[bound];
}

const char *wg_refusal_key(enum wg_refusal_kind kind)
{
	return refusals[kind].key;
}

static void number_write(enum number_kind kind, double value, char *buffer, size_t size)
{
	/* tenths of a GB, and counts as they are */
	double shown = kind == BYTES ? round(value / 1e8) / 10 : round(value * 100) / 100;
	size_t used = wg_number_write(buffer, size, shown);

	if (kind == BYTES && used + 1 < size)
		snprintf(buffer + used, size - used, "%s GB", shown == floor(shown) ? ".0" : "");
}

/* Puts the numbers where the words have %s; no more than two. */
void wg_refusal_write(const struct wg_refusal *refusal, char *buffer, size_t size)
{
	const char *words =
		refusal->kind == WG_REFUSAL_NONE ? "" : _(refusals[refusal->kind].words);
	char numbers[2][32];
	size_t used = 0;
	int next = 0;

	number_write(refusals[refusal->kind].a, refusal->a, numbers[0], sizeof(numbers[0]));
	number_write(refusals[refusal->kind].b, refusal->b, numbers[1], sizeof(numbers[1]));
	while (*words != '\0' && used + 1 < size) {
		if (words[0] == '%' && words[1] == 's' && next < 2) {
			const char *number = numbers[next++];

			while (*number != '\0' && used + 1 < size)
				buffer[used++] = *number++;
			words += 2;
		} else {
			buffer[used++] = *words++;
		}
	}
	if (size > 0)
		buffer[used] = '\0';
}
