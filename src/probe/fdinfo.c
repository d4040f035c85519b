/* Who uses a DRM device: /proc/<pid>/fdinfo, one parser for all drivers.
 *
 * Rules of the kernel's "DRM client usage stats" document: `key: value [unit]`,
 * memory in bytes unless KiB or MiB is said; a client is counted once however
 * many descriptors it has; busy times may go back for a moment; an engine may be
 * several, its capacity says how many. */
#include "probe/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "whichgpu/number.h"

#define SWEEP_EVERY_S 1.0
#define CALL "/proc/PID/fdinfo"

/* Engine names of amdgpu, i915 and xe, folded. */
static const struct {
	const char *name;
	enum fdinfo_engine engine;
} engines[] = {
	{ "gfx", FDINFO_GRAPHICS },
	{ "render", FDINFO_GRAPHICS },
	{ "rcs", FDINFO_GRAPHICS },
	{ "compute", FDINFO_COMPUTE },
	{ "ccs", FDINFO_COMPUTE },
	{ "dma", FDINFO_COPY },
	{ "copy", FDINFO_COPY },
	{ "bcs", FDINFO_COPY },
	{ "dec", FDINFO_DECODER },
	{ "video", FDINFO_DECODER },
	{ "vcs", FDINFO_DECODER },
	{ "enc", FDINFO_ENCODER },
	{ "video-enhance", FDINFO_ENCODER },
	{ "vecs", FDINFO_ENCODER },
};

static bool engine_of(const char *name, size_t length, enum fdinfo_engine *ret_engine)
{
	for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
		if (strlen(engines[i].name) == length &&
		    strncmp(engines[i].name, name, length) == 0) {
			*ret_engine = engines[i].engine;
			return true;
		}
	}
	return false;
}

static double value_with_unit(const char *text)
{
	char *end;
	double value = (double)strtoull(text, &end, 10);

	end += strspn(end, " \t");
	if (strncmp(end, "KiB", 3) == 0 || strncmp(end, "kB", 2) == 0)
		return value * 1024.0;
	if (strncmp(end, "MiB", 3) == 0)
		return value * 1048576.0;
	return value;
}

/* drm-memory-vram (amdgpu), drm-total-vram0 (xe), drm-total-local0 (i915): on the
 * card; gtt and system: the host's. The same bytes may be told under two keys. */
static bool take_memory(struct fdinfo_client *client, const char *key, size_t length,
                        const char *text)
{
	static const struct {
		const char *key;
		bool vram;
	} keys[] = {
		{ "drm-memory-vram", true },   { "drm-total-vram", true },
		{ "drm-total-vram0", true },   { "drm-total-local0", true },
		{ "vram mem", true },          { "drm-memory-gtt", false },
		{ "drm-total-gtt", false },    { "drm-total-system0", false },
		{ "drm-total-system", false },
	};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		double bytes;

		if (strlen(keys[i].key) != length || strncmp(keys[i].key, key, length) != 0)
			continue;
		bytes = value_with_unit(text);
		if (keys[i].vram && (!client->vram_known || bytes > client->vram_bytes)) {
			client->vram_bytes = bytes;
			client->vram_known = true;
		} else if (!keys[i].vram && (!client->host_known || bytes > client->host_bytes)) {
			client->host_bytes = bytes;
			client->host_known = true;
		}
		return true;
	}
	return false;
}

static bool starts(const char *key, size_t length, const char *prefix, const char **ret_rest,
                   size_t *ret_length)
{
	size_t n = strlen(prefix);

	if (length <= n || strncmp(key, prefix, n) != 0)
		return false;
	*ret_rest = key + n;
	*ret_length = length - n;
	return true;
}

static void take_engine(struct fdinfo_client *client, const char *key, size_t length,
                        const char *text)
{
	enum fdinfo_engine engine;
	const char *name;
	size_t name_length;
	double value = (double)strtoull(text, NULL, 10);

	if (starts(key, length, "drm-engine-capacity-", &name, &name_length))
		return;
	if (starts(key, length, "drm-engine-", &name, &name_length)) {
		if (!engine_of(name, name_length, &engine))
			return;
		client->busy_s[engine] += value * 1e-9;
		client->busy_known[engine] = true;
	} else if (starts(key, length, "drm-total-cycles-", &name, &name_length)) {
		if (engine_of(name, name_length, &engine))
			client->total_cycles[engine] += value;
	} else if (starts(key, length, "drm-cycles-", &name, &name_length)) {
		if (!engine_of(name, name_length, &engine))
			return;
		client->cycles[engine] += value;
		client->cycles_known[engine] = true;
	} else if (isdigit((unsigned char)key[length - 1]) && strchr(text, '%')) {
		/* Kernels 5.14 to 5.18: "gfx0: 12.3%". */
		size_t digits = strspn(text, "0123456789.");
		double percent;

		if (engine_of(key, length - 1, &engine) && wg_number_read(text, digits, &percent)) {
			client->percent[engine] += percent;
			client->percent_known[engine] = true;
		}
	}
}

static void take_line(struct fdinfo_client *client, const char *key, size_t length,
                      const char *text, bool *is_drm)
{
	if (length == strlen("drm-pdev") && strncmp(key, "drm-pdev", length) == 0)
		snprintf(client->pci, sizeof client->pci, "%.*s", (int)strcspn(text, " \t\n"),
		         text);
	else if (length == strlen("pdev") && strncmp(key, "pdev", length) == 0)
		snprintf(client->pci, sizeof client->pci, "%.*s", (int)strcspn(text, " \t\n"),
		         text);
	else if (length == strlen("drm-client-id") && strncmp(key, "drm-client-id", length) == 0)
		client->id = strtoull(text, NULL, 10);
	else if (!take_memory(client, key, length, text))
		take_engine(client, key, length, text);
	if (strncmp(key, "drm-driver", 10) == 0 || (length == 4 && strncmp(key, "pdev", 4) == 0))
		*is_drm = true;
}

bool fdinfo_parse(const char *text, struct fdinfo_client *ret_client)
{
	struct fdinfo_client client = { 0 };
	bool is_drm = false;
	const char *line = text;

	while (*line) {
		size_t length = strcspn(line, "\n");
		const char *colon = memchr(line, ':', length);

		if (colon && colon > line) {
			const char *value = colon + 1;

			value += strspn(value, " \t");
			take_line(&client, line, (size_t)(colon - line), value, &is_drm);
		}
		line += length;
		line += *line == '\n';
	}
	if (is_drm)
		*ret_client = client;
	return is_drm;
}

enum wg_status fdinfo_init(struct fdinfo *fdinfo, struct wg_error *error)
{
	memset(fdinfo, 0, sizeof *fdinfo);
	fdinfo->now = calloc(SYSFS_CLIENTS, sizeof *fdinfo->now);
	fdinfo->before = calloc(SYSFS_CLIENTS, sizeof *fdinfo->before);
	if (fdinfo->now && fdinfo->before)
		return WG_OK;
	fdinfo_done(fdinfo);
	return wg_error_no_memory(error);
}

void fdinfo_done(struct fdinfo *fdinfo)
{
	free(fdinfo->now);
	free(fdinfo->before);
	fdinfo->now = fdinfo->before = NULL;
}

static struct fdinfo_client *find_client(struct fdinfo_client *clients, size_t count,
                                         const struct fdinfo_client *like)
{
	for (size_t i = 0; i < count; i++) {
		if (clients[i].id == like->id && clients[i].pid == like->pid &&
		    strcmp(clients[i].pci, like->pci) == 0)
			return &clients[i];
	}
	return NULL;
}

/* A client that was handed to a child shows in two processes under one id. */
static bool seen_elsewhere(const struct fdinfo *fdinfo, const struct fdinfo_client *client)
{
	for (size_t i = 0; i < fdinfo->now_count; i++) {
		if (client->id != 0 && fdinfo->now[i].id == client->id &&
		    strcmp(fdinfo->now[i].pci, client->pci) == 0)
			return true;
	}
	return false;
}

static void sweep_descriptor(struct fdinfo *fdinfo, const char *root, uint32_t pid, const char *fd)
{
	char path[512], link[64], text[4096];
	struct fdinfo_client client;
	ssize_t n;

	snprintf(path, sizeof path, "%s/proc/%u/fd/%.20s", root, pid, fd);
	n = readlink(path, link, sizeof link - 1);
	if (n <= 0)
		return;
	link[n] = '\0';
	if (strncmp(link, "/dev/dri/", 9) != 0)
		return;
	snprintf(path, sizeof path, "/proc/%u/fdinfo/%.20s", pid, fd);
	if (wg_small_file(root, path, text, sizeof text) <= 0 || !fdinfo_parse(text, &client))
		return;
	client.pid = pid;
	if (fdinfo->now_count < SYSFS_CLIENTS && !seen_elsewhere(fdinfo, &client) &&
	    !find_client(fdinfo->now, fdinfo->now_count, &client))
		fdinfo->now[fdinfo->now_count++] = client;
}

static void sweep_process(struct fdinfo *fdinfo, const char *root, uint32_t pid)
{
	char path[512];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof path, "%s/proc/%u/fd", root, pid);
	folder = opendir(path);
	if (!folder) {
		/* Ended meanwhile, or another user's. */
		fdinfo->hidden |= errno == EACCES || errno == EPERM;
		return;
	}
	while ((entry = readdir(folder))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			sweep_descriptor(fdinfo, root, pid, entry->d_name);
	}
	closedir(folder);
}

void fdinfo_sweep(struct fdinfo *fdinfo, const char *root, double clock_s)
{
	struct fdinfo_client *swap = fdinfo->before;
	struct dirent *entry;
	char path[512];
	DIR *folder;

	if (fdinfo->swept && clock_s - fdinfo->now_s < SWEEP_EVERY_S)
		return;
	snprintf(path, sizeof path, "%s/proc", root);
	folder = opendir(path);
	if (!folder)
		return;
	fdinfo->before = fdinfo->now;
	fdinfo->before_count = fdinfo->now_count;
	fdinfo->before_s = fdinfo->now_s;
	fdinfo->now = swap;
	fdinfo->now_count = 0;
	fdinfo->now_s = clock_s;
	fdinfo->hidden = false;
	while ((entry = readdir(folder))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			sweep_process(fdinfo, root, (uint32_t)strtoul(entry->d_name, NULL, 10));
	}
	closedir(folder);
	fdinfo->swept = true;
}

/* Share of the time between two sweeps that the client kept the engine busy; NaN
 * when it cannot be told. */
static double share(const struct fdinfo_client *now, const struct fdinfo_client *before,
                    enum fdinfo_engine engine, double elapsed)
{
	double busy;

	if (now->percent_known[engine])
		return now->percent[engine] / 100.0;
	if (!before || elapsed <= 0)
		return NAN;
	if (now->cycles_known[engine]) {
		double total = now->total_cycles[engine] - before->total_cycles[engine];

		busy = total > 0 ? (now->cycles[engine] - before->cycles[engine]) / total : 0;
	} else if (now->busy_known[engine]) {
		busy = (now->busy_s[engine] - before->busy_s[engine]) / elapsed;
	} else {
		return NAN;
	}
	/* Times may go back for a moment. */
	return busy < 0 ? 0 : busy;
}

static void add_share(struct wg_reading *reading, double value)
{
	if (isnan(value))
		return;
	if (reading->state != WG_PROBE_OK)
		*reading = (struct wg_reading){ .call = CALL, .state = WG_PROBE_OK };
	reading->value += value;
}

static void add_memory(struct wg_reading *reading, double bytes)
{
	if (reading->state != WG_PROBE_OK)
		*reading = (struct wg_reading){ .call = CALL, .state = WG_PROBE_OK };
	reading->value += bytes;
}

static struct wg_probe_process *process_of(struct wg_probe_gpu *gpu, uint32_t pid)
{
	for (size_t i = 0; i < gpu->process_count; i++) {
		if (gpu->processes[i].pid == pid)
			return &gpu->processes[i];
	}
	return wg_sample_add_process(gpu, pid);
}

static void apply_client(const struct fdinfo *fdinfo, const struct fdinfo_client *client,
                         struct wg_probe_gpu *gpu, struct wg_reading *sums)
{
	const struct fdinfo_client *before =
		find_client(fdinfo->before, fdinfo->before_count, client);
	double elapsed = fdinfo->now_s - fdinfo->before_s;
	struct wg_probe_process *process = process_of(gpu, client->pid);
	double shares[FDINFO_ENGINES];

	if (!process)
		return;
	for (int i = 0; i < FDINFO_ENGINES; i++) {
		shares[i] = share(client, before, (enum fdinfo_engine)i, elapsed);
		add_share(&sums[i], shares[i]);
	}
	if (client->vram_known)
		add_memory(&process->memory_bytes, client->vram_bytes);
	add_share(&process->busy_ratio, shares[FDINFO_GRAPHICS]);
	add_share(&process->busy_ratio, shares[FDINFO_COMPUTE]);
	add_share(&process->decoder_ratio, shares[FDINFO_DECODER]);
	add_share(&process->encoder_ratio, shares[FDINFO_ENCODER]);
	process->compute |=
		client->busy_s[FDINFO_COMPUTE] > 0 || client->cycles[FDINFO_COMPUTE] > 0;
	process->graphics |=
		client->busy_s[FDINFO_GRAPHICS] > 0 || client->cycles[FDINFO_GRAPHICS] > 0;
}

static void take_sum(struct wg_probe_gpu *gpu, enum wg_reading_name name,
                     const struct wg_reading *sum)
{
	if (gpu->readings[name].state != WG_PROBE_NOT_SUPPORTED || sum->state != WG_PROBE_OK)
		return;
	/* Only an engine with a capacity above 1 could give more. */
	wg_reading_set(gpu, name, sum->value > 1 ? 1 : sum->value, CALL);
}

void fdinfo_apply(const struct fdinfo *fdinfo, struct wg_proc *proc, double clock_s,
                  struct wg_probe_gpu *gpu)
{
	struct wg_reading sums[FDINFO_ENGINES] = { { 0 } };

	if (!fdinfo->swept)
		return;
	for (size_t i = 0; i < fdinfo->now_count; i++) {
		if (strcmp(fdinfo->now[i].pci, gpu->key) == 0)
			apply_client(fdinfo, &fdinfo->now[i], gpu, sums);
	}
	/* The larger of the two kinds of work: they run side by side. */
	if (sums[FDINFO_COMPUTE].state == WG_PROBE_OK &&
	    (sums[FDINFO_GRAPHICS].state != WG_PROBE_OK ||
	     sums[FDINFO_COMPUTE].value > sums[FDINFO_GRAPHICS].value))
		take_sum(gpu, WG_READ_BUSY, &sums[FDINFO_COMPUTE]);
	else
		take_sum(gpu, WG_READ_BUSY, &sums[FDINFO_GRAPHICS]);
	take_sum(gpu, WG_READ_DECODER, &sums[FDINFO_DECODER]);
	take_sum(gpu, WG_READ_ENCODER, &sums[FDINFO_ENCODER]);
	/* Some processes are other users': their part is not in the list. */
	gpu->process_state = fdinfo->hidden ? WG_PROBE_NO_PERMISSION : WG_PROBE_OK;
	for (size_t i = 0; i < gpu->process_count; i++)
		wg_proc_describe(proc, clock_s, &gpu->processes[i]);
	wg_reading_set(gpu, WG_READ_PROCESS_COUNT, (double)gpu->process_count, CALL);
}
