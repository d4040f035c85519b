/* wg_plan_search: from a request to ranked options with their reasons. */
#include "plan/search.h"

#include <stdlib.h>

#include "base/i18n.h"

#define NOTES_MOST 8

/* The public face first, so that free can go from it to the rest. */
struct answer {
	struct wg_plans plans;
	struct wg_arena *arena;
	struct wg_work work;
};

static void fill_plan(const struct wg_search *search, const struct wg_found *found,
                      struct wg_plan *plan)
{
	*plan = (struct wg_plan){
		.gpu = found->gpu,
		.estimate = found->estimate,
		.rent = found->prices->rent,
		.purchase = found->prices->purchase,
		.score = found->score,
		.priced = found->priced,
		.within_usual = found->within_usual,
		.as_stored = found->as_stored,
	};
	wg_cost_layout(found->prices, &search->request->price, found->gpu, search->work,
	               &found->estimate, &plan->cost);
}

static bool fill_plans(struct wg_search *search, struct answer *answer)
{
	size_t count = search->found_count;
	struct wg_plan *plans = wg_arena_array(answer->arena, count > 0 ? count : 1, sizeof *plans);
	if (plans == NULL) {
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		fill_plan(search, &search->found[i], &plans[i]);
		plans[i].rank = (unsigned)i + 1;
	}
	for (size_t i = 0; i < count; i++) {
		if (!wg_plan_explain(search, plans, count, i)) {
			return false;
		}
	}
	answer->plans.plans = plans;
	answer->plans.count = count;
	return true;
}

static bool fill_refused(struct wg_search *search, struct answer *answer)
{
	struct wg_plan_refusal *refused = wg_arena_array(
		answer->arena, search->gpu_count > 0 ? search->gpu_count : 1, sizeof *refused);
	size_t count = 0;
	for (size_t i = 0; refused != NULL && i < search->gpu_count; i++) {
		const struct wg_gpu_result *result = &search->gpus[i];
		if (result->found > 0 || !result->nearest.known) {
			continue;
		}
		refused[count] = (struct wg_plan_refusal){
			.gpu = result->gpu,
			.gpus = result->nearest.gpus,
			.key = wg_attempt_key(&result->nearest),
			.reason = wg_attempt_words(answer->arena, &result->nearest),
		};
		if (refused[count++].reason == NULL) {
			return false;
		}
	}
	answer->plans.refused = refused;
	answer->plans.refused_count = count;
	return refused != NULL;
}

static bool fill_flips(struct wg_search *search, struct answer *answer)
{
	struct wg_flip *flips = wg_arena_array(answer->arena, WG_FLIPS_MOST, sizeof *flips);
	if (flips == NULL) {
		return false;
	}
	answer->plans.flips = flips;
	answer->plans.flip_count =
		wg_plan_flips(search, answer->plans.plans, answer->plans.count, flips);
	return true;
}

/* What was assumed and not asked for. */
static bool fill_notes(struct wg_search *search, struct answer *answer, bool widened)
{
	const struct wg_plan_request *request = search->request;
	const char **notes = wg_arena_array(answer->arena, NOTES_MOST, sizeof *notes);
	size_t count = 0;
	if (notes == NULL) {
		return false;
	}
	if (search->usual_ttft_s > 0 || search->usual_tpot_s > 0) {
		notes[count++] = wg_arena_printf(
			answer->arena,
			_("no latency limit was given: options with a first token after %s "
		          "or more than %s a token come last"),
			wg_words_seconds(WG_PLAN_USUAL_TTFT_S).text,
			wg_words_seconds(WG_PLAN_USUAL_TPOT_S).text);
	}
	if (request->limits.max_gpus == 0) {
		notes[count++] =
			widened ? wg_arena_printf(
					  answer->arena,
					  _("nothing runs on %u GPUs, so up to %u were looked at"),
					  (unsigned)WG_PLAN_USUAL_GPUS, search->max_gpus)
				: wg_arena_printf(answer->arena, _("up to %u GPUs were looked at"),
		                                  search->max_gpus);
	}
	if (request->book != NULL) {
		notes[count++] = wg_arena_printf(
			answer->arena, _("prices are of a book whose newest row is of %s"),
			wg_price_book_date(request->book));
	}
	for (size_t i = 0; i < count; i++) {
		if (notes[i] == NULL) {
			return false;
		}
	}
	answer->plans.notes = notes;
	answer->plans.note_count = count;
	return true;
}

/* At first up to the usual number of GPUs, then more when nothing ran. */
static bool run(struct wg_search *search)
{
	unsigned asked = search->limits.max_gpus;
	search->least_gpus = 1;
	search->max_gpus = asked > 0 ? asked : WG_PLAN_USUAL_GPUS;
	wg_search_run(search);
	if (search->found_count > 0 || asked > 0) {
		return false;
	}
	search->least_gpus = WG_PLAN_USUAL_GPUS + 1;
	search->max_gpus = WG_PLAN_MOST_GPUS;
	wg_search_run(search);
	return true;
}

static enum wg_status answer_request(const struct wg_plan_request *request, struct answer *answer,
                                     struct wg_error *error)
{
	struct wg_search search;
	enum wg_status status = wg_search_open(&search, request, answer->arena, error);
	if (status == WG_OK) {
		bool widened = run(&search);
		if (request->pareto) {
			search.found_count = wg_found_pareto(search.found, search.found_count);
		} else {
			wg_found_sort(search.found, search.found_count);
		}
		bool filled = !search.failed && fill_plans(&search, answer) &&
		              fill_refused(&search, answer) && fill_flips(&search, answer) &&
		              fill_notes(&search, answer, widened);
		answer->work = *search.work;
		answer->plans.work = &answer->work;
		answer->plans.stored = search.stored;
		answer->plans.max_gpus = search.max_gpus;
		answer->plans.gpus_looked_at = search.gpu_count;
		answer->plans.layouts_evaluated = search.tally->evaluated;
		answer->plans.layouts_skipped = search.tally->skipped;
		status = filled ? WG_OK : wg_error_no_memory(error);
	}
	wg_search_done(&search);
	return status;
}

enum wg_status wg_plan_search(const struct wg_plan_request *request, struct wg_plans **ret_plans,
                              struct wg_error *error)
{
	enum wg_status status = wg_request_check(request, error);
	if (status != WG_OK) {
		return status;
	}
	struct wg_arena *arena = wg_arena_open(0);
	struct answer *answer = arena == NULL ? NULL : wg_arena_alloc(arena, sizeof *answer);
	if (answer == NULL) {
		wg_arena_free(arena);
		return wg_error_no_memory(error);
	}
	answer->arena = arena;
	status = answer_request(request, answer, error);
	if (status != WG_OK) {
		wg_arena_free(arena);
		return status;
	}
	*ret_plans = &answer->plans;
	return WG_OK;
}

void wg_plans_free(struct wg_plans *plans)
{
	if (plans != NULL) {
		wg_arena_free(((struct answer *)plans)->arena);
	}
}
