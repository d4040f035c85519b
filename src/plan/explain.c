/* Why an option stands where it stands, in sentences. */
#include "plan/search.h"

#include "base/i18n.h"

#define WHY_MOST 8

struct reasons {
	const char **items;
	size_t count;
	bool failed;
};

static void add(struct reasons *reasons, const char *sentence)
{
	if (sentence == NULL || reasons->count == WHY_MOST) {
		reasons->failed |= sentence == NULL;
		return;
	}
	reasons->items[reasons->count++] = sentence;
}

static bool by_money(const struct wg_search *search, const struct wg_plan *plan)
{
	return plan->score > 0 && search->request->objective != WG_OBJECTIVE_FASTEST;
}

/* What a score is an amount of. */
static const char *score_words(const struct wg_search *search, double score, enum wg_work_unit unit)
{
	if (score <= 0) {
		return wg_arena_printf(search->arena,
		                       unit == WG_WORK_FLOP      ? _("%s operations/s")
		                       : unit == WG_WORK_SAMPLES ? _("%s samples/s")
		                                                 : _("%s tokens/s"),
		                       wg_words_count(-score).text);
	}
	if (search->limits.tokens_per_s > 0) {
		return wg_arena_printf(search->arena, _("%s an hour"), wg_words_usd(score).text);
	}
	return wg_arena_printf(search->arena, _("%s per %s"), wg_words_usd(score).text,
	                       _(wg_work_unit_label(unit)));
}

const char *wg_plan_score_words(const struct wg_search *search, const struct wg_plan *plan)
{
	return score_words(search, plan->score, plan->cost.unit);
}

static const char *first_sentence(const struct wg_search *search, const struct wg_plan *plans,
                                  size_t count)
{
	const char *score = wg_plan_score_words(search, &plans[0]);
	bool money = by_money(search, &plans[0]);
	if (score == NULL) {
		return NULL;
	}
	if (count < 2) {
		return wg_arena_printf(search->arena, _("the only option that does the work: %s"),
		                       score);
	}
	const struct wg_plan *next = &plans[1];
	if ((next->score > 0) != (plans[0].score > 0) ||
	    next->within_usual != plans[0].within_usual) {
		return wg_arena_printf(search->arena, _("%s, the best of %zu options"), score,
		                       count);
	}
	double apart = money ? next->score / plans[0].score - 1 : 1 - next->score / plans[0].score;
	return wg_arena_printf(
		search->arena,
		money ? _("%s, the least of %zu options; the next, %s x%u, costs %s more")
		      : _("%s, the most of %zu options; the next, %s x%u, is %s slower"),
		score, count, next->gpu->id, next->estimate.layout.gpus,
		wg_words_percent(apart).text);
}

static const char *other_sentence(const struct wg_search *search, const struct wg_plan *plans,
                                  size_t index)
{
	const struct wg_plan *plan = &plans[index];
	if (!plan->priced) {
		return wg_arena_strdup(search->arena, _("no price is known; ranked by speed"));
	}
	if ((plan->score > 0) != (plans[0].score > 0) || plans[0].score == 0) {
		return wg_plan_score_words(search, plan);
	}
	bool money = by_money(search, plan);
	double apart = money ? plan->score / plans[0].score - 1 : 1 - plan->score / plans[0].score;
	bool worse = apart >= 0;
	struct wg_words_buffer percent = wg_words_percent(worse ? apart : -apart);
	if (money) {
		return wg_arena_printf(search->arena,
		                       worse ? _("costs %s more than the first for the same work")
		                             : _("costs %s less than the first for the same work"),
		                       percent.text);
	}
	return wg_arena_printf(search->arena,
	                       worse ? _("%s slower than the first")
	                             : _("%s faster than the first"),
	                       percent.text);
}

/* The largest part of a step, and what limits it. Labels of arithmetic terms
 * say so themselves. */
static const char *limit_sentence(const struct wg_search *search, const struct wg_plan *plan)
{
	static const char *const bounds[] = {
		[WG_BOUND_COMPUTE] = N_("arithmetic"),
		[WG_BOUND_MEMORY] = N_("memory bandwidth"),
		[WG_BOUND_LINK] = N_("the links between GPUs"),
		[WG_BOUND_HOST] = N_("the host"),
	};
	const struct wg_estimate *estimate = &plan->estimate;
	double sum = 0, largest = estimate->time_terms[estimate->largest_term];
	for (unsigned i = 0; i < WG_TIME_TERM_COUNT; i++) {
		sum += estimate->time_terms[i];
	}
	if (sum <= 0 || search->work->task == WG_TASK_SCIENCE) {
		return wg_arena_printf(search->arena, _("limited by %s"),
		                       _(bounds[estimate->bound]));
	}
	const char *term = _(wg_time_term_label(estimate->largest_term));
	if (estimate->bound == WG_BOUND_COMPUTE) {
		return wg_arena_printf(search->arena, _("%s of a step is %s"),
		                       wg_words_percent(largest / sum).text, term);
	}
	return wg_arena_printf(search->arena, _("%s of a step is %s, limited by %s"),
	                       wg_words_percent(largest / sum).text, term,
	                       _(bounds[estimate->bound]));
}

static const char *memory_sentence(const struct wg_search *search, const struct wg_plan *plan)
{
	const struct wg_memory *memory = &plan->estimate.memory;
	unsigned largest = 0;
	for (unsigned i = 1; i < WG_MEMORY_TERM_COUNT; i++) {
		if (memory->terms[i] > memory->terms[largest]) {
			largest = i;
		}
	}
	return wg_arena_printf(search->arena, _("uses %s of %s on each GPU, most of it %s"),
	                       wg_words_bytes(memory->total_bytes).text,
	                       wg_words_bytes(memory->available_bytes).text,
	                       _(wg_memory_term_label((enum wg_memory_term)largest)));
}

static const char *price_sentence(const struct wg_search *search, const struct wg_plan *plan)
{
	bool buy = search->request->price.pay == WG_PAY_BUY;
	const struct wg_quote *quote = buy ? &plan->purchase : &plan->rent;
	if (!quote->usd.known) {
		return wg_arena_strdup(search->arena, _("no price is known"));
	}
	struct wg_words_buffer usd = wg_words_usd(quote->usd.likely);
	const char *unit = buy ? _("GPU") : _("GPU and hour");
	const char *seller = wg_provider_class_key(quote->provider_class);
	const char *age = quote->stale ? _(", not recent") : "";
	if (quote->offers == 1) {
		return wg_arena_printf(search->arena,
		                       _("price of %s per %s from a single %s offer of %s%s"),
		                       usd.text, unit, seller, quote->newest->as_of, age);
	}
	return wg_arena_printf(
		search->arena, _("price of %s per %s from %zu %s offers, %s to %s%s"), usd.text,
		unit, quote->offers, seller, quote->oldest->as_of, quote->newest->as_of, age);
}

/* What a purchase price covers. */
static const char *server_sentence(const struct wg_search *search, const struct wg_plan *plan)
{
	return wg_arena_strdup(
		search->arena,
		plan->purchase.with_server
			? _("the price is the GPU's share of a server")
			: _("the price is of the card alone; the hourly cost has its "
	                    "share of a computer, power and upkeep"));
}

static void add_warnings(const struct wg_search *search, const struct wg_plan *plan,
                         struct reasons *reasons)
{
	const char *quality = wg_weight_format_quality(plan->estimate.format.weights);
	if (search->request->price.pay == WG_PAY_BUY && plan->purchase.usd.known) {
		add(reasons, server_sentence(search, plan));
	}
	if (!plan->as_stored && quality[0] != '\0') {
		add(reasons, wg_arena_printf(search->arena,
		                             _("weights in %s instead of %s: %s loss of quality"),
		                             wg_weight_format_label(plan->estimate.format.weights),
		                             wg_weight_format_label(search->stored), _(quality)));
	}
	if (plan->estimate.waves) {
		add(reasons,
		    wg_arena_printf(
			    search->arena,
			    _("memory holds %s requests at a time on each copy, the rest wait"),
			    wg_words_count(plan->estimate.batch).text));
	}
	if (!plan->within_usual) {
		add(reasons,
		    wg_arena_strdup(search->arena, _("slower than the latency that was assumed")));
	}
}

bool wg_plan_explain(const struct wg_search *search, struct wg_plan *plans, size_t count,
                     size_t index)
{
	struct wg_plan *plan = &plans[index];
	struct reasons reasons = {
		.items = wg_arena_array(search->arena, WHY_MOST, sizeof reasons.items[0]),
	};
	if (reasons.items == NULL) {
		return false;
	}
	add(&reasons, index == 0 ? first_sentence(search, plans, count)
	                         : other_sentence(search, plans, index));
	add(&reasons, limit_sentence(search, plan));
	if (index == 0) {
		add(&reasons, memory_sentence(search, plan));
	}
	if (index == 0 && search->request->book != NULL) {
		add(&reasons, price_sentence(search, plan));
	}
	add_warnings(search, plan, &reasons);
	plan->why = reasons.items;
	plan->why_count = reasons.count;
	return !reasons.failed;
}
