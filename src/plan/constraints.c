/* Limits: what contradicts itself, and what an estimate breaks. */
#include "plan/search.h"

#include <string.h>
#include <strings.h>

static const char *const limit_keys[WG_LIMIT_KIND_COUNT] = {
	"none", "price",        "budget",  "run_budget", "deadline", "ttft",
	"tpot", "tokens_per_s", "context", "watts",      "fabric",
};

const char *wg_limit_key(enum wg_limit_kind kind)
{
	return (unsigned)kind < WG_LIMIT_KIND_COUNT ? limit_keys[kind] : "";
}

const char *wg_objective_key(enum wg_objective objective)
{
	static const char *const keys[WG_OBJECTIVE_COUNT] = { "within-limits", "cheapest",
		                                              "fastest" };
	return (unsigned)objective < WG_OBJECTIVE_COUNT ? keys[objective] : "";
}

static bool is_inference(enum wg_task task)
{
	return task == WG_TASK_SERVE || task == WG_TASK_BATCH;
}

static bool has_amount(const struct wg_work *work)
{
	return work->requests > 0 || work->total_tokens > 0 || work->total_flop > 0;
}

/* Limits that mean nothing for the task, or need what was not given. */
static enum wg_status check_meaning(const struct wg_plan_request *request, struct wg_error *error)
{
	const struct wg_limits *limits = &request->limits;
	const char *task = wg_task_key(request->work.task);
	if ((limits->ttft_s > 0 || limits->tpot_s > 0) && request->work.task != WG_TASK_SERVE) {
		return wg_error_set(error, WG_BAD_INPUT,
		                    "a latency limit has no meaning for the task \"%s\"", task);
	}
	if (limits->context_tokens > 0 && !is_inference(request->work.task)) {
		return wg_error_set(error, WG_BAD_INPUT,
		                    "a context has no meaning for the task \"%s\"", task);
	}
	if ((limits->deadline_s > 0 || limits->run_budget_usd > 0) && !has_amount(&request->work)) {
		wg_error_set(error, WG_BAD_INPUT,
		             "a deadline or a budget of a run needs the amount of work");
		wg_error_hint(error, "say how many tokens, requests or operations there are");
		return WG_BAD_INPUT;
	}
	double needed = request->work.input_tokens + request->work.output_tokens;
	if (limits->context_tokens > 0 && limits->context_tokens < needed) {
		return wg_error_set(error, WG_BAD_INPUT,
		                    "a context of %.0f tokens is less than input and output, %.0f",
		                    limits->context_tokens, needed);
	}
	return WG_OK;
}

static enum wg_status check_prices(const struct wg_plan_request *request, struct wg_error *error)
{
	if (request->book != NULL) {
		return WG_OK;
	}
	if (request->limits.budget_usd > 0 || request->limits.run_budget_usd > 0) {
		return wg_error_set(error, WG_BAD_INPUT,
		                    "a budget cannot be kept when prices are not looked at");
	}
	if (request->objective == WG_OBJECTIVE_CHEAPEST) {
		return wg_error_set(error, WG_BAD_INPUT,
		                    "the cheapest cannot be found when prices are not looked at");
	}
	return WG_OK;
}

static const char *vendor_of(const struct wg_gpu *gpu)
{
	const char *vendor = gpu->facts[WG_GPU_FACT_VENDOR].value;
	return vendor != NULL ? vendor : "";
}

static enum wg_status check_vendor(const struct wg_plan_request *request, struct wg_error *error)
{
	if (request->vendor == NULL) {
		return WG_OK;
	}
	for (size_t i = 0; i < request->gpu_count; i++) {
		const char *vendor = vendor_of(request->gpus[i]);
		if (strcasecmp(vendor, request->vendor) != 0) {
			return wg_error_set(error, WG_BAD_INPUT,
			                    "\"%s\" is made by %s, but only %s was asked for",
			                    request->gpus[i]->id, vendor, request->vendor);
		}
	}
	if (request->catalog == NULL) {
		return WG_OK;
	}
	for (size_t i = 0; i < wg_catalog_count(request->catalog); i++) {
		if (strcasecmp(vendor_of(wg_catalog_at(request->catalog, i)), request->vendor) ==
		    0) {
			return WG_OK;
		}
	}
	wg_error_set(error, WG_NOT_FOUND, "no GPU of the vendor \"%.40s\" in the catalogue",
	             request->vendor);
	return WG_NOT_FOUND;
}

enum wg_status wg_request_check(const struct wg_plan_request *request, struct wg_error *error)
{
	enum wg_status status = check_meaning(request, error);
	if (status == WG_OK) {
		status = check_prices(request, error);
	}
	return status == WG_OK ? check_vendor(request, error) : status;
}

/* Keeps the limit that is missed by most; closeness is limit over value or the
 * other way round, so that 1 is met. */
static void miss(struct wg_violation *worst, enum wg_limit_kind kind, double has, double limit,
                 double closeness)
{
	if (closeness < worst->closeness) {
		*worst = (struct wg_violation){ kind, has, limit, closeness };
	}
}

static void at_most(struct wg_violation *worst, enum wg_limit_kind kind, struct wg_range value,
                    double limit)
{
	if (limit <= 0 || !value.known) {
		return;
	}
	if (value.likely > limit) {
		miss(worst, kind, value.likely, limit, limit / value.likely);
	}
}

static void check_money(const struct wg_search *search, const struct wg_gpu_prices *prices,
                        const struct wg_estimate *estimate, struct wg_violation *worst)
{
	const struct wg_limits *limits = &search->limits;
	bool buy = search->request->price.pay == WG_PAY_BUY;
	struct wg_range each = buy ? prices->purchase.usd : prices->rent.usd;
	struct wg_range hour =
		wg_cost_gpu_hour(prices, search->request->price.pay, estimate->layout.nodes);
	double gpus = estimate->layout.gpus;
	if (limits->budget_usd > 0) {
		if (!each.known) {
			miss(worst, WG_LIMIT_KIND_PRICE, 0, limits->budget_usd, 0);
		}
		at_most(worst, WG_LIMIT_KIND_BUDGET, wg_range_scale(each, gpus),
		        limits->budget_usd);
	}
	struct wg_range hours = estimate->metrics.hours_total;
	if (limits->run_budget_usd > 0) {
		if (!hour.known || !hours.known) {
			miss(worst, WG_LIMIT_KIND_PRICE, 0, limits->run_budget_usd, 0);
		}
		at_most(worst, WG_LIMIT_KIND_RUN_BUDGET,
		        wg_range_scale(hour, gpus * (hours.known ? hours.likely : 1)),
		        limits->run_budget_usd);
	}
}

/* One job over several machines needs a network between them that offers of
 * single machines have not. Copies that do not talk to each other do not. */
static void check_fabric(const struct wg_search *search, const struct wg_gpu_prices *prices,
                         const struct wg_estimate *estimate, struct wg_violation *worst)
{
	const struct wg_layout *layout = &estimate->layout;
	bool rented = search->request->book != NULL && prices->rent.usd.known &&
	              search->request->price.pay != WG_PAY_BUY;
	if (!rented || layout->nodes < 2 ||
	    prices->rent.provider_class != WG_PROVIDER_MARKETPLACE) {
		return;
	}
	unsigned in_node = layout->gpus / layout->nodes;
	bool apart = is_inference(search->work->task) &&
	             layout->tensor * layout->pipeline <= in_node && layout->expert <= in_node;
	if (!apart && search->work->task != WG_TASK_SCIENCE) {
		miss(worst, WG_LIMIT_KIND_FABRIC, layout->nodes, 1, 1.0 / layout->nodes);
	}
}

struct wg_violation wg_limits_check(const struct wg_search *search,
                                    const struct wg_gpu_prices *prices,
                                    const struct wg_estimate *estimate)
{
	const struct wg_limits *limits = &search->limits;
	const struct wg_metrics *metrics = &estimate->metrics;
	struct wg_violation worst = { .kind = WG_LIMIT_KIND_NONE, .closeness = 1 };
	check_money(search, prices, estimate, &worst);
	check_fabric(search, prices, estimate, &worst);
	at_most(&worst, WG_LIMIT_KIND_DEADLINE, wg_range_scale(metrics->hours_total, 3600),
	        limits->deadline_s);
	at_most(&worst, WG_LIMIT_KIND_TTFT, metrics->ttft_s, limits->ttft_s);
	at_most(&worst, WG_LIMIT_KIND_TPOT, metrics->tpot_s, limits->tpot_s);
	at_most(&worst, WG_LIMIT_KIND_WATTS, estimate->watts, limits->watts);
	double speed = wg_search_speed(search, estimate);
	if (limits->tokens_per_s > speed) {
		miss(&worst, WG_LIMIT_KIND_SPEED, speed, limits->tokens_per_s,
		     speed / limits->tokens_per_s);
	}
	double context = estimate->memory.largest_context_tokens;
	if (limits->context_tokens > context) {
		miss(&worst, WG_LIMIT_KIND_CONTEXT, context, limits->context_tokens,
		     context / limits->context_tokens);
	}
	return worst;
}

/* The latency that was assumed to be wanted. */
bool wg_limits_usual(const struct wg_search *search, const struct wg_estimate *estimate)
{
	struct wg_violation worst = { .kind = WG_LIMIT_KIND_NONE, .closeness = 1 };
	at_most(&worst, WG_LIMIT_KIND_TTFT, estimate->metrics.ttft_s, search->usual_ttft_s);
	at_most(&worst, WG_LIMIT_KIND_TPOT, estimate->metrics.tpot_s, search->usual_tpot_s);
	return worst.kind == WG_LIMIT_KIND_NONE;
}
