/* What /proc says about a process, read at most every few seconds a process. */
#ifndef WHICHGPU_PROBE_PROC_H
#define WHICHGPU_PROBE_PROC_H

#include <stddef.h>

#include "whichgpu/probe.h"

struct wg_proc_entry;

struct wg_proc {
	char root[256];
	struct wg_proc_entry *entries;
	size_t count, capacity;
};

/* root: put before "/proc"; "" for this machine. */
void wg_proc_init(struct wg_proc *proc, const char *root);
void wg_proc_done(struct wg_proc *proc);
/* Fills command, user, parent, container and visible from process->pid. */
void wg_proc_describe(struct wg_proc *proc, double clock_s, struct wg_probe_process *process);
/* Value of a line "key:  123 kB" of root/proc/meminfo in bytes; false when absent. */
bool wg_proc_memory(const struct wg_proc *proc, const char *key, double *ret_bytes);
/* root/proc/sys/kernel/osrelease names WSL. */
bool wg_proc_is_wsl(const struct wg_proc *proc);

/* The start of a small file as text, without the last line's end; length, or -1
 * (errno is set). Never blocks, refuses what is no regular file. */
long wg_small_file(const char *root, const char *path, char *buffer, size_t buffer_bytes);

#endif
