/* What would change the choice, and from which value on: by arithmetic on the
 * first options, and by searching again with one thing changed. */
#include "plan/search.h"

#include "base/i18n.h"

struct flips {
	const struct wg_search *search;
	const struct wg_plan *first;
	struct wg_flip *items;
	size_t count;
};

static void add(struct flips *flips, enum wg_flip_kind kind, const struct wg_gpu *gpu,
                unsigned gpus, double now, double then, const char *text)
{
	if (text != NULL && flips->count < WG_FLIPS_MOST) {
		flips->items[flips->count++] = (struct wg_flip){ kind, gpu, gpus, now, then, text };
	}
}

static const struct wg_quote *quote_of(const struct flips *flips, const struct wg_plan *plan)
{
	return flips->search->request->price.pay == WG_PAY_BUY ? &plan->purchase : &plan->rent;
}

/* USD of a work unit grow in step with rent, so the tie is at rent x ratio. With
 * purchase prices they do not (power and hosting stay), so only rent is said. */
static void add_price(struct flips *flips, const struct wg_plan *plans, size_t count)
{
	const struct wg_plan *first = flips->first;
	size_t i = 1;
	while (i < count && (plans[i].gpu == first->gpu || !plans[i].priced ||
	                     plans[i].within_usual != first->within_usual)) {
		i++;
	}
	bool money = first->score > 0 &&
	             flips->search->request->objective != WG_OBJECTIVE_FASTEST &&
	             flips->search->request->price.pay != WG_PAY_BUY;
	if (i == count || !money || plans[i].score <= 0) {
		return;
	}
	const struct wg_plan *next = &plans[i];
	double ratio = first->score / next->score;
	double now = quote_of(flips, next)->usd.likely, then = now * ratio;
	double own = quote_of(flips, first)->usd.likely;
	add(flips, WG_FLIP_PRICE, next->gpu, next->estimate.layout.gpus, now, then,
	    wg_arena_printf(
		    flips->search->arena,
		    _("%s x%u wins when it rents for less than %s per GPU and hour (now %s), "
	              "or %s for more than %s (now %s)"),
		    next->gpu->id, next->estimate.layout.gpus, wg_words_usd(then).text,
		    wg_words_usd(now).text, first->gpu->id, wg_words_usd(own / ratio).text,
		    wg_words_usd(own).text));
}

/* Where requests stop fitting side by side, and where one alone does. */
static void add_context(struct flips *flips)
{
	const struct wg_memory *memory = &flips->first->estimate.memory;
	const struct wg_work *work = flips->search->work;
	double now = work->input_tokens + work->output_tokens;
	double longest = memory->largest_context_tokens;
	double sequences = work->concurrency / flips->first->estimate.layout.data;
	if (work->task != WG_TASK_SERVE || longest <= 0 || sequences <= 0) {
		return;
	}
	double each = memory->kv_pool_tokens / sequences;
	if (each >= longest) {
		add(flips, WG_FLIP_CONTEXT, NULL, 0, now, longest,
		    wg_arena_printf(
			    flips->search->arena,
			    _("no context up to the longest, %s tokens (now %s), runs out of "
		              "memory"),
			    wg_words_count(longest).text, wg_words_count(now).text));
		return;
	}
	add(flips, WG_FLIP_CONTEXT, NULL, 0, now, each,
	    wg_arena_printf(flips->search->arena,
	                    _("with more than %s tokens a request (now %s) not all %s run at once; "
	                      "one alone has room for %s"),
	                    wg_words_count(each).text, wg_words_count(now).text,
	                    wg_words_count(work->concurrency).text, wg_words_count(longest).text));
}

/* One more step up in GPUs of the same kind. */
static void add_more_gpus(struct flips *flips)
{
	const struct wg_plan *first = flips->first;
	unsigned now = first->estimate.layout.gpus;
	unsigned most = now < WG_PLAN_USUAL_GPUS / 2 ? now * 2 : now + WG_PLAN_USUAL_GPUS;
	struct wg_found more;
	if (flips->search->limits.max_gpus > 0 && most > flips->search->limits.max_gpus) {
		most = flips->search->limits.max_gpus;
	}
	if (most <= now || !wg_search_probe(flips->search, first->gpu, now + 1, most,
	                                    1u << first->estimate.format.weights, &more)) {
		return;
	}
	double speed = wg_search_speed(flips->search, &first->estimate);
	double usd = first->cost.usd_per_hour.known ? first->cost.usd_per_hour.likely : 0;
	char faster[32], dearer[32];
	wg_words_ratio(faster, sizeof faster, more.speed / speed);
	wg_words_ratio(dearer, sizeof dearer, usd > 0 ? more.usd_per_hour / usd : 0);
	add(flips, WG_FLIP_MORE_GPUS, first->gpu, more.estimate.layout.gpus, now,
	    more.estimate.layout.gpus,
	    usd > 0 && more.usd_per_hour > 0
	            ? wg_arena_printf(flips->search->arena,
	                              _("%s x%u instead of x%u: %s times the speed for %s times "
	                                "the money"),
	                              first->gpu->id, more.estimate.layout.gpus, now, faster,
	                              dearer)
	            : wg_arena_printf(flips->search->arena,
	                              _("%s x%u instead of x%u: %s times the speed"),
	                              first->gpu->id, more.estimate.layout.gpus, now, faster));
}

static void add_weights(struct flips *flips, enum wg_weight_format weights, unsigned most)
{
	const struct wg_search *search = flips->search;
	struct wg_found found;
	if ((search->weights & (1u << weights)) != 0 || weights == search->stored ||
	    wg_weight_format_bits(weights) >= wg_weight_format_bits(search->stored) ||
	    !wg_search_probe(search, NULL, 1, most, 1u << weights, &found)) {
		return;
	}
	struct wg_plan plan = { .score = found.score };
	wg_cost_layout(found.prices, &search->request->price, found.gpu, search->work,
	               &found.estimate, &plan.cost);
	const char *score = wg_plan_score_words(search, &plan);
	if (score == NULL) {
		return;
	}
	add(flips, WG_FLIP_WEIGHTS, found.gpu, found.estimate.layout.gpus,
	    flips->first != NULL ? flips->first->score : 0, found.score,
	    wg_arena_printf(search->arena, _("in %s (%s loss of quality): %s x%u, %s"),
	                    wg_weight_format_label(weights), _(wg_weight_format_quality(weights)),
	                    found.gpu->id, found.estimate.layout.gpus, score));
}

/* The cheapest GPU that one of the caller's limits keeps out. */
static void add_limit(struct flips *flips)
{
	const struct wg_search *search = flips->search;
	const struct wg_gpu_result *best = NULL;
	for (size_t i = 0; i < search->gpu_count; i++) {
		const struct wg_attempt *attempt = &search->gpus[i].cheapest;
		bool comparable = attempt->known &&
		                  attempt->violation.kind != WG_LIMIT_KIND_PRICE &&
		                  (flips->first == NULL || attempt->score < flips->first->score);
		bool same_scale =
			flips->first == NULL || (attempt->score > 0) == (flips->first->score > 0);
		if (comparable && same_scale &&
		    (best == NULL || attempt->score < best->cheapest.score)) {
			best = &search->gpus[i];
		}
	}
	if (best == NULL) {
		return;
	}
	const char *violation = wg_violation_words(search->arena, &best->cheapest.violation);
	if (violation == NULL) {
		return;
	}
	add(flips, WG_FLIP_LIMIT, best->gpu, best->cheapest.gpus, best->cheapest.violation.limit,
	    best->cheapest.violation.has,
	    wg_arena_printf(search->arena, _("without a limit %s x%u would win: it %s"),
	                    best->gpu->id, best->cheapest.gpus, violation));
}

size_t wg_plan_flips(const struct wg_search *search, const struct wg_plan *plans, size_t count,
                     struct wg_flip items[WG_FLIPS_MOST])
{
	struct flips flips = { .search = search,
		               .first = count > 0 ? &plans[0] : NULL,
		               .items = items };
	if (count > 0) {
		add_price(&flips, plans, count);
		add_context(&flips);
		add_more_gpus(&flips);
	}
	add_limit(&flips);
	if (search->work->task == WG_TASK_SERVE || search->work->task == WG_TASK_BATCH) {
		add_weights(&flips, WG_WEIGHTS_FP8, search->max_gpus);
		add_weights(&flips, WG_WEIGHTS_INT4, search->max_gpus);
	}
	return flips.count;
}

const char *wg_flip_key(enum wg_flip_kind kind)
{
	switch (kind) {
	case WG_FLIP_PRICE:
		return "price";
	case WG_FLIP_CONTEXT:
		return "context";
	case WG_FLIP_MORE_GPUS:
		return "more_gpus";
	case WG_FLIP_WEIGHTS:
		return "weights";
	case WG_FLIP_LIMIT:
		return "limit";
	}
	return "";
}
