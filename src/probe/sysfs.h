/* Reading GPUs from the kernel's files: shared by amdgpu and intel. Every path is
 * below a root, so that a made-up tree stands in for /sys and /proc in tests. */
#ifndef WHICHGPU_PROBE_SYSFS_H
#define WHICHGPU_PROBE_SYSFS_H

#include "probe/backend.h"
#include "probe/proc.h"

#define SYSFS_CARDS 64
#define SYSFS_CLIENTS 1024 /* open render clients that are followed, per backend */

struct sysfs_card {
	char path[96];   /* "/sys/class/drm/card0" */
	char pci[24];    /* "0000:03:00.0"; "" on a device that is not on PCI */
	char driver[16]; /* "amdgpu", "i915", "xe" */
	char hwmon[128]; /* "/sys/class/drm/card0/device/hwmon/hwmon3"; "" when none */
	unsigned vendor, device, number;
};

/* Cards of one PCI vendor (0x1002, 0x8086), in order of number; at most SYSFS_CARDS.
 * Returns their count, or -1 when there is no /sys/class/drm. */
long sysfs_cards(const char *root, unsigned vendor, struct sysfs_card *cards);

/* One number in a file: decimal, or hexadecimal with 0x. */
bool sysfs_number(const char *root, const char *folder, const char *file, double *ret_value,
                  enum wg_probe_state *ret_state);
/* Takes folder/file * scale as reading; a missing file is not supported. */
void sysfs_take(struct wg_probe_gpu *gpu, enum wg_reading_name name, const char *root,
                const char *folder, const char *file, double scale);
void sysfs_text(struct wg_probe_gpu *gpu, enum wg_probe_text_name name, const char *root,
                const char *folder, const char *file);
/* PCIe link now and at most, from the device's files ("16.0 GT/s PCIe", "16"). */
void sysfs_link(struct wg_probe_gpu *gpu, const char *root, const char *device);
/* PCI ids and NUMA node. */
void sysfs_identity(struct wg_probe_gpu *gpu, const char *root, const struct sysfs_card *card);
void sysfs_remaining_not_supported(struct wg_probe_gpu *gpu, const char *call);

/* --- who uses a card: DRM's fdinfo ------------------------------------------------ */

/* Engines of all drivers, folded into what a reading is. */
enum fdinfo_engine {
	FDINFO_GRAPHICS,
	FDINFO_COMPUTE,
	FDINFO_COPY,
	FDINFO_DECODER,
	FDINFO_ENCODER,
	FDINFO_ENGINES
};

struct fdinfo_client {
	char pci[24];
	unsigned long long id;
	uint32_t pid;
	double vram_bytes, host_bytes;
	bool vram_known, host_known;
	double busy_s[FDINFO_ENGINES]; /* engine time, or with cycles: share of total cycles */
	bool busy_known[FDINFO_ENGINES];
	double cycles[FDINFO_ENGINES], total_cycles[FDINFO_ENGINES];
	bool cycles_known[FDINFO_ENGINES];
	double percent[FDINFO_ENGINES]; /* amdgpu of kernels 5.14-5.18 prints this instead */
	bool percent_known[FDINFO_ENGINES];
};

/* One file's text; false when it is no client of a DRM driver. Exposed for its test
 * and the fuzzer: any bytes may come in. */
bool fdinfo_parse(const char *text, struct fdinfo_client *ret_client);

struct fdinfo {
	struct fdinfo_client *now, *before;
	size_t now_count, before_count;
	double now_s, before_s;
	bool swept, hidden; /* hidden: some processes could not be looked into */
};

enum wg_status fdinfo_init(struct fdinfo *fdinfo, struct wg_error *error);
void fdinfo_done(struct fdinfo *fdinfo);
/* Looks through root/proc, at most once a second of the caller's clock. */
void fdinfo_sweep(struct fdinfo *fdinfo, const char *root, double clock_s);
/* Adds the clients of gpu->key as processes, and the engines' busy time where the
 * driver gave none. */
void fdinfo_apply(const struct fdinfo *fdinfo, struct wg_proc *proc, double clock_s,
                  struct wg_probe_gpu *gpu);

#endif
