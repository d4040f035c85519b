/* Is each GPU healthy, and is it what it should be? Findings from two samples a
 * moment apart, the pairs of GPUs, the kernel's log and the catalogue. Pure: nothing
 * is read here but what is handed in.
 *
 * A finding says what was seen (evidence), how bad it is, and what to do. What a
 * driver does not tell gives no finding: silence is no clean bill, and the document
 * lists what could not be checked. */
#ifndef WHICHGPU_DOCTOR_H
#define WHICHGPU_DOCTOR_H

#include "whichgpu/catalog.h"
#include "whichgpu/probe.h"

enum wg_severity { WG_SEVERITY_NOTE, WG_SEVERITY_WARNING, WG_SEVERITY_FAULT };

struct wg_finding {
	char gpu[64]; /* key; "" for the machine */
	enum wg_severity severity;
	const char *code;  /* "pcie_width": stable, static */
	char finding[200]; /* one sentence, lower case, no full stop */
	char evidence[200];
	char advice[256];
};

/* An XID line of the kernel's log. */
struct wg_xid_event {
	char key[32]; /* PCI address as samples have it */
	unsigned xid;
	double count;
};

/* What an XID means, in plain words. */
struct wg_xid_meaning {
	unsigned xid;
	enum wg_severity severity;
	const char *words, *advice;
};

struct wg_doctor_input {
	const struct wg_sample *before, *now;
	const struct wg_probe_pair *pairs;
	size_t pair_count;
	const struct wg_xid_event *xids;
	size_t xid_count;
	const struct wg_catalog *catalog; /* NULL: nothing is compared with it */
};

struct wg_doctor {
	struct wg_finding *findings;
	size_t count, capacity;
	size_t checks; /* that could be made, over all GPUs */
	size_t silent; /* for which the driver told nothing */
};

enum wg_status wg_doctor_examine(const struct wg_doctor_input *input, struct wg_doctor *ret_doctor,
                                 struct wg_error *error);
void wg_doctor_done(struct wg_doctor *doctor);
enum wg_severity wg_doctor_worst(const struct wg_doctor *doctor); /* NOTE when none */
const char *wg_severity_key(enum wg_severity severity);

/* NULL when it is not in the table. */
const struct wg_xid_meaning *wg_xid_find(unsigned xid);

/* XID lines of a kernel log's text, folded by GPU and XID; at most `most`. */
size_t wg_xid_parse(const char *log, struct wg_xid_event *events, size_t most);
/* The text of root/dev/kmsg as far as it can be read at once, or of a plain file
 * there; "" when there is none or no right to it. *ret_text is malloc'ed. */
enum wg_status wg_kernel_log_read(const char *root, char **ret_text, struct wg_error *error);

#endif
