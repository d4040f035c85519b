/* Inside of the doctor: one GPU under examination. */
#ifndef WHICHGPU_PROBE_DOCTOR_RULES_H
#define WHICHGPU_PROBE_DOCTOR_RULES_H

#include "whichgpu/doctor.h"

struct examination {
	const struct wg_doctor_input *input;
	struct wg_doctor *doctor;
	const struct wg_probe_gpu *gpu;    /* now; NULL: the machine */
	const struct wg_probe_gpu *before; /* the same a moment ago; NULL: was not there */
	bool out_of_memory;
};

/* Adds a finding; advice and evidence in printf form. Returns it for what follows,
 * NULL when memory is out. */
__attribute__((format(printf, 4, 5))) struct wg_finding *doctor_find(struct examination *e,
                                                                     enum wg_severity severity,
                                                                     const char *code,
                                                                     const char *format, ...);
__attribute__((format(printf, 2, 3))) void doctor_evidence(struct wg_finding *finding,
                                                           const char *format, ...);
void doctor_advise(struct wg_finding *finding, const char *advice);
/* The reading; counts it as checked or silent. */
bool doctor_reads(struct examination *e, enum wg_reading_name name, double *ret_value);

/* doctor_rules.c: what a GPU tells of itself. */
void doctor_rules_gpu(struct examination *e);
/* doctor_identity.c: is it what its name says? */
void doctor_rules_identity(struct examination *e);

#endif
