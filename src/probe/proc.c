/* Processes by number, from /proc. */
#include "probe/proc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "whichgpu/text.h"

#define KEEP_S 10.0
#define ENTRIES_MOST 4096

struct wg_proc_entry {
	double read_s;
	struct wg_probe_process process;
};

long wg_small_file(const char *root, const char *path, char *buffer, size_t buffer_bytes)
{
	char whole[512];
	struct stat status;
	ssize_t n = -1;
	int fd;

	if (snprintf(whole, sizeof whole, "%s%s", root, path) >= (int)sizeof whole) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		n = read(fd, buffer, buffer_bytes - 1);
	else
		errno = EINVAL;
	if (n < 0) {
		int saved = errno;

		close(fd);
		errno = saved;
		return -1;
	}
	close(fd);
	while (n > 0 && buffer[n - 1] == '\n')
		n--;
	buffer[n] = '\0';
	return n;
}

void wg_proc_init(struct wg_proc *proc, const char *root)
{
	memset(proc, 0, sizeof *proc);
	snprintf(proc->root, sizeof proc->root, "%s", root ? root : "");
}

void wg_proc_done(struct wg_proc *proc)
{
	free(proc->entries);
	proc->entries = NULL;
	proc->count = proc->capacity = 0;
}

static const char *line_after(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (strncmp(line, key, length) == 0)
			return line + length;
	}
	return NULL;
}

static void read_command(const char *root, struct wg_probe_process *process)
{
	char path[64], text[512];
	long n;

	snprintf(path, sizeof path, "/proc/%u/cmdline", process->pid);
	n = wg_small_file(root, path, text, sizeof text);
	/* Arguments end in NUL; a kernel thread has none, its name is in comm. */
	while (n > 0 && text[n - 1] == '\0')
		n--;
	for (long i = 0; i < n; i++) {
		if (text[i] == '\0')
			text[i] = ' ';
	}
	if (n <= 0) {
		snprintf(path, sizeof path, "/proc/%u/comm", process->pid);
		n = wg_small_file(root, path, text, sizeof text);
	}
	if (n > 0)
		wg_text_sanitize(process->command, sizeof process->command, text, (size_t)n);
}

static void read_status(const char *root, struct wg_probe_process *process)
{
	char path[64], text[4096];
	const char *line;

	snprintf(path, sizeof path, "/proc/%u/status", process->pid);
	if (wg_small_file(root, path, text, sizeof text) <= 0)
		return;
	process->visible = true;
	line = line_after(text, "Uid:");
	if (line)
		process->user_id = (uint32_t)strtoul(line, NULL, 10);
	line = line_after(text, "PPid:");
	if (line)
		process->parent_pid = (uint32_t)strtoul(line, NULL, 10);
	/* "NSpid: 4711 12": the number in each PID namespace, ours first. */
	line = line_after(text, "NSpid:");
	for (int i = 0; line && *line != '\n' && *line != '\0'; i++) {
		char *end;
		unsigned long pid = strtoul(line, &end, 10);

		if (end == line)
			break;
		if (i > 0)
			process->container_pid = (uint32_t)pid;
		line = end;
	}
}

/* A container's id is a run of 64 hexadecimal letters in the cgroup path,
 * whatever the engine puts around it. */
static void read_container(const char *root, struct wg_probe_process *process)
{
	char path[64], text[2048];
	size_t run = 0;
	long n;

	snprintf(path, sizeof path, "/proc/%u/cgroup", process->pid);
	n = wg_small_file(root, path, text, sizeof text);
	for (long i = 0; i < n; i++) {
		run = isxdigit((unsigned char)text[i]) ? run + 1 : 0;
		if (run == 64) {
			memcpy(process->container, text + i - 63, 12);
			process->container[12] = '\0';
			return;
		}
	}
}

static struct wg_proc_entry *entry_of(struct wg_proc *proc, uint32_t pid)
{
	struct wg_proc_entry *oldest = NULL;

	for (size_t i = 0; i < proc->count; i++) {
		if (proc->entries[i].process.pid == pid)
			return &proc->entries[i];
		if (!oldest || proc->entries[i].read_s < oldest->read_s)
			oldest = &proc->entries[i];
	}
	if (proc->count == proc->capacity && proc->capacity < ENTRIES_MOST) {
		size_t capacity = proc->capacity ? proc->capacity * 2 : 32;
		struct wg_proc_entry *entries = realloc(proc->entries, capacity * sizeof *entries);

		if (entries) {
			proc->entries = entries;
			proc->capacity = capacity;
		}
	}
	if (proc->count < proc->capacity)
		oldest = &proc->entries[proc->count++];
	if (oldest)
		oldest->process.pid = 0;
	return oldest;
}

static void take_description(struct wg_probe_process *to, const struct wg_probe_process *from)
{
	to->visible = from->visible;
	to->user_id = from->user_id;
	to->parent_pid = from->parent_pid;
	to->container_pid = from->container_pid;
	memcpy(to->command, from->command, sizeof to->command);
	memcpy(to->container, from->container, sizeof to->container);
}

void wg_proc_describe(struct wg_proc *proc, double clock_s, struct wg_probe_process *process)
{
	struct wg_proc_entry *entry = entry_of(proc, process->pid);

	if (entry && entry->process.pid == process->pid && clock_s - entry->read_s < KEEP_S) {
		take_description(process, &entry->process);
		return;
	}
	read_status(proc->root, process);
	if (process->visible) {
		read_command(proc->root, process);
		read_container(proc->root, process);
	}
	if (entry) {
		entry->read_s = clock_s;
		entry->process = *process;
	}
}

bool wg_proc_memory(const struct wg_proc *proc, const char *key, double *ret_bytes)
{
	char text[4096];
	const char *line;

	if (wg_small_file(proc->root, "/proc/meminfo", text, sizeof text) <= 0)
		return false;
	line = line_after(text, key);
	if (!line || *line != ':')
		return false;
	*ret_bytes = (double)strtoull(line + 1, NULL, 10) * 1024.0;
	return true;
}

bool wg_proc_is_wsl(const struct wg_proc *proc)
{
	char text[256];

	if (wg_small_file(proc->root, "/proc/sys/kernel/osrelease", text, sizeof text) <= 0)
		return false;
	for (char *c = text; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return strstr(text, "microsoft") != NULL;
}
