/* Records of live readings: an SQLite file that survives kill -9 with all but the
 * sample being written, that anyone can query, and that plays back as a probe.
 *
 * Tables: gpu, gpu_text (words), reading (key, unit), state, sample (time), note,
 * and value, which has a row only where a reading's value or state changed since
 * the sample before; a sample with whole = 1 has all rows. The view "series" names
 * everything. Processes are not recorded.
 *
 * To play one back, open a probe with replay_path: each wg_probe_sample gives the
 * next recorded one, with the record's times. A file that is no record, or of a
 * later format, is refused when the probe is opened. */
#ifndef WHICHGPU_RECORD_H
#define WHICHGPU_RECORD_H

#include "whichgpu/probe.h"

struct wg_record;

struct wg_record_options {
	double interval_s;  /* kept in the file; longer pauses count as gaps */
	double limit_bytes; /* 0: none; above it the oldest tenth is dropped */
};

/* A new file, or one to go on with. */
enum wg_status wg_record_open(const char *path, const struct wg_record_options *options,
                              struct wg_record **ret_record, struct wg_error *error);
/* One transaction: whole or not at all. */
enum wg_status wg_record_add(struct wg_record *record, const struct wg_sample *sample,
                             struct wg_error *error);
void wg_record_free(struct wg_record *record);

/* --- what a record says ------------------------------------------------------- */

#define WG_RECORD_BINS 10   /* of busy time: 0-10 %, ..., 90-100 % */
#define WG_RECORD_REASONS 9 /* bits of WG_READ_THROTTLE_REASONS */

struct wg_record_peak {
	double value, time_s; /* NaN when it was never read */
};

struct wg_record_gpu {
	char key[64], name[96];
	double watched_s; /* time between samples, gaps and lost time left out */
	double lost_s, gap_s;
	double energy_joules; /* counter where there is one, else power over time; NaN */
	bool energy_from_counter;
	double busy_mean; /* over the time in which it was read; NaN */
	double busy_bin_s[WG_RECORD_BINS];
	double throttle_known_s;
	double throttle_s[WG_RECORD_REASONS];
	double sm_active_mean, tensor_active_mean;
	struct wg_record_peak temperature, memory, power;
	double xid_errors;         /* most that were counted; NaN */
	double memory_total_bytes; /* NaN when not known */
};

struct wg_record_summary {
	double begin_s, end_s; /* Unix time */
	uint64_t samples;
	struct wg_record_gpu *gpus;
	size_t count, capacity;
};

enum wg_status wg_record_summarise(const char *path, struct wg_record_summary *ret_summary,
                                   struct wg_error *error);
void wg_record_summary_done(struct wg_record_summary *summary);

/* The next sample's part in a summary; exposed so that a live view can keep one. */
enum wg_status wg_record_summary_add(struct wg_record_summary *summary,
                                     const struct wg_sample *before, const struct wg_sample *sample,
                                     double longest_s, struct wg_error *error);

#endif
