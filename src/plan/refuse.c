/* Why a GPU is out: its best attempt, in numbers. */
#include "plan/search.h"

#include "base/i18n.h"

void wg_attempt_keep(struct wg_attempt *best, const struct wg_attempt *attempt)
{
	if (!best->known || attempt->closeness > best->closeness) {
		*best = *attempt;
		best->known = true;
	}
}

const char *wg_attempt_key(const struct wg_attempt *attempt)
{
	return attempt->violation.kind != WG_LIMIT_KIND_NONE
	               ? wg_limit_key(attempt->violation.kind)
	               : wg_refusal_key(attempt->refusal.kind);
}

const char *wg_violation_words(struct wg_arena *arena, const struct wg_violation *violation)
{
	double has = violation->has, limit = violation->limit;
	switch (violation->kind) {
	case WG_LIMIT_KIND_PRICE:
		return wg_arena_strdup(arena, _("no price is known, so no budget can be kept"));
	case WG_LIMIT_KIND_BUDGET:
	case WG_LIMIT_KIND_RUN_BUDGET:
		return wg_arena_printf(arena, _("costs %s, budget %s"), wg_words_usd(has).text,
		                       wg_words_usd(limit).text);
	case WG_LIMIT_KIND_DEADLINE:
		return wg_arena_printf(arena, _("takes %s, deadline %s"),
		                       wg_words_seconds(has).text, wg_words_seconds(limit).text);
	case WG_LIMIT_KIND_TTFT:
		return wg_arena_printf(arena, _("first token after %s, limit %s"),
		                       wg_words_seconds(has).text, wg_words_seconds(limit).text);
	case WG_LIMIT_KIND_TPOT:
		return wg_arena_printf(arena, _("%s a token, limit %s"), wg_words_seconds(has).text,
		                       wg_words_seconds(limit).text);
	case WG_LIMIT_KIND_SPEED:
		return wg_arena_printf(arena, _("makes %s a second, %s wanted"),
		                       wg_words_count(has).text, wg_words_count(limit).text);
	case WG_LIMIT_KIND_CONTEXT:
		return wg_arena_printf(arena, _("holds a context of %s tokens, %s wanted"),
		                       wg_words_count(has).text, wg_words_count(limit).text);
	case WG_LIMIT_KIND_WATTS:
		return wg_arena_printf(arena, _("draws %s W, limit %s W"), wg_words_count(has).text,
		                       wg_words_count(limit).text);
	case WG_LIMIT_KIND_FABRIC:
		return wg_arena_printf(
			arena,
			_("needs %s machines joined by a network, but is offered as single machines"),
			wg_words_count(has).text);
	case WG_LIMIT_KIND_NONE:
	case WG_LIMIT_KIND_COUNT:
		break;
	}
	return "";
}

const char *wg_attempt_words(struct wg_arena *arena, const struct wg_attempt *attempt)
{
	char text[200];
	if (attempt->violation.kind != WG_LIMIT_KIND_NONE) {
		return wg_violation_words(arena, &attempt->violation);
	}
	wg_refusal_write(&attempt->refusal, text, sizeof text);
	return wg_arena_strdup(arena, text);
}
