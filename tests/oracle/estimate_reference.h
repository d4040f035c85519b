/* The estimator's equations once more, slow and as they stand in
 * docs/estimator.md: every layer by itself, every collective from its formula,
 * nothing prepared. The oracle of the fast path; used by tests only. */
#ifndef WG_TEST_ESTIMATE_REFERENCE_H
#define WG_TEST_ESTIMATE_REFERENCE_H

#include "estimate/internal.h"

struct reference {
	double weight_bytes, kv_request_bytes, memory_bytes;
	double batch;
	/* serving */
	double decode_s, prefill_s; /* one stream; one prompt */
	double step_s, ttft_s, requests_per_s;
	/* training */
	double train_step_s;
};

struct reference_case {
	const struct wg_estimator *estimator;
	const struct device *device;
	struct wg_layout layout;
	struct wg_format format;
};

void reference_serve(const struct reference_case *given, struct reference *ret_reference);
/* Of a micro-batch of that many sequences. */
void reference_train(const struct reference_case *given, double micro_batch,
                     struct reference *ret_reference);

#endif
