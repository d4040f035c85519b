/* Numbers, links and cards from the kernel's files. */
#include "probe/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "whichgpu/number.h"

/* Why a file gave nothing. */
static enum wg_probe_state state_of_errno(int number)
{
	switch (number) {
	case EACCES:
	case EPERM:
		return WG_PROBE_NO_PERMISSION;
	case ENODEV:
	case EIO:
		return WG_PROBE_LOST;
	case EBUSY:
	case EAGAIN:
	case ETIMEDOUT:
		return WG_PROBE_STALE;
	default:
		return WG_PROBE_NOT_SUPPORTED;
	}
}

static bool parse_number(const char *text, double *ret_value)
{
	size_t length = strcspn(text, " \t\n");

	if (strncmp(text, "0x", 2) == 0) {
		char *end;
		unsigned long long value = strtoull(text, &end, 16);

		*ret_value = (double)value;
		return end > text + 2;
	}
	return wg_number_read(text, length, ret_value);
}

bool sysfs_number(const char *root, const char *folder, const char *file, double *ret_value,
                  enum wg_probe_state *ret_state)
{
	char path[320], text[64];

	snprintf(path, sizeof path, "%s/%s", folder, file);
	errno = 0;
	if (wg_small_file(root, path, text, sizeof text) <= 0) {
		*ret_state = state_of_errno(errno);
		return false;
	}
	*ret_state = parse_number(text, ret_value) ? WG_PROBE_OK : WG_PROBE_NOT_SUPPORTED;
	return *ret_state == WG_PROBE_OK;
}

void sysfs_take(struct wg_probe_gpu *gpu, enum wg_reading_name name, const char *root,
                const char *folder, const char *file, double scale)
{
	enum wg_probe_state state;
	double value = 0;

	if (gpu->readings[name].state != WG_PROBE_NOT_SUPPORTED)
		return;
	if (sysfs_number(root, folder, file, &value, &state))
		wg_reading_set(gpu, name, wg_scaled(value, scale), file);
	else
		wg_reading_miss(gpu, name, state, file);
	if (state == WG_PROBE_LOST)
		gpu->lost = true;
}

void sysfs_text(struct wg_probe_gpu *gpu, enum wg_probe_text_name name, const char *root,
                const char *folder, const char *file)
{
	char path[320], text[128];

	snprintf(path, sizeof path, "%s/%s", folder, file);
	if (wg_small_file(root, path, text, sizeof text) > 0)
		wg_probe_text_set(gpu, name, text);
}

/* "16.0 GT/s PCIe" is generation 4 (PCI-SIG: 2.5, 5, 8, 16, 32, 64 GT/s). */
static void take_generation(struct wg_probe_gpu *gpu, enum wg_reading_name name, const char *root,
                            const char *device, const char *file)
{
	static const double speeds[] = { 2.5, 5, 8, 16, 32, 64 };
	enum wg_probe_state state;
	double speed = 0;

	if (!sysfs_number(root, device, file, &speed, &state)) {
		wg_reading_miss(gpu, name, state, file);
		return;
	}
	for (int i = 0; i < 6; i++) {
		if (speed >= speeds[i] * 0.99 && speed <= speeds[i] * 1.01)
			wg_reading_set(gpu, name, i + 1, file);
	}
}

void sysfs_link(struct wg_probe_gpu *gpu, const char *root, const char *device)
{
	take_generation(gpu, WG_READ_PCIE_GENERATION, root, device, "current_link_speed");
	take_generation(gpu, WG_READ_PCIE_GENERATION_MAX, root, device, "max_link_speed");
	sysfs_take(gpu, WG_READ_PCIE_WIDTH, root, device, "current_link_width", 1);
	sysfs_take(gpu, WG_READ_PCIE_WIDTH_MAX, root, device, "max_link_width", 1);
}

void sysfs_identity(struct wg_probe_gpu *gpu, const char *root, const struct sysfs_card *card)
{
	char device[128], text[32];
	enum wg_probe_state state;
	double vendor = 0, id = 0, node = 0;

	snprintf(device, sizeof device, "%s/device", card->path);
	snprintf(text, sizeof text, "%04x:%04x", card->vendor, card->device);
	wg_probe_text_set(gpu, WG_PROBE_TEXT_PCI_DEVICE, text);
	if (sysfs_number(root, device, "subsystem_vendor", &vendor, &state) &&
	    sysfs_number(root, device, "subsystem_device", &id, &state)) {
		snprintf(text, sizeof text, "%04x:%04x", (unsigned)vendor, (unsigned)id);
		wg_probe_text_set(gpu, WG_PROBE_TEXT_PCI_SUBSYSTEM, text);
	}
	wg_probe_text_set(gpu, WG_PROBE_TEXT_PCI, card->pci);
	/* -1: the machine has one node. */
	if (sysfs_number(root, device, "numa_node", &node, &state) && node >= 0)
		wg_reading_set(gpu, WG_READ_NUMA_NODE, node, "numa_node");
}

void sysfs_remaining_not_supported(struct wg_probe_gpu *gpu, const char *call)
{
	for (int i = 0; i < WG_READING_COUNT; i++) {
		if (!gpu->readings[i].call)
			gpu->readings[i].call = call;
	}
}

static bool last_part_of_link(const char *root, const char *path, char *target, size_t bytes)
{
	char whole[512], link[512];
	const char *slash;
	ssize_t n;

	if (snprintf(whole, sizeof whole, "%s%s", root, path) >= (int)sizeof whole)
		return false;
	n = readlink(whole, link, sizeof link - 1);
	if (n <= 0)
		return false;
	link[n] = '\0';
	slash = strrchr(link, '/');
	slash = slash ? slash + 1 : link;
	if (strlen(slash) >= bytes)
		return false;
	memcpy(target, slash, strlen(slash) + 1);
	return true;
}

static void find_hwmon(const char *root, struct sysfs_card *card)
{
	char path[512];
	struct dirent *entry;
	DIR *folder;
	long lowest = -1;

	snprintf(path, sizeof path, "%s%s/device/hwmon", root, card->path);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		long number;

		if (strncmp(entry->d_name, "hwmon", 5) != 0)
			continue;
		number = strtol(entry->d_name + 5, NULL, 10);
		/* i915 has one more for each engine group: the device's own is the first. */
		if (lowest < 0 || number < lowest) {
			lowest = number;
			snprintf(card->hwmon, sizeof card->hwmon, "%s/device/hwmon/hwmon%ld",
			         card->path, number);
		}
	}
	if (folder)
		closedir(folder);
}

static bool read_card(const char *root, const char *name, unsigned vendor, struct sysfs_card *card)
{
	char path[128];
	enum wg_probe_state state;
	double value;
	char *end;

	if (strncmp(name, "card", 4) != 0)
		return false;
	memset(card, 0, sizeof *card);
	card->number = (unsigned)strtoul(name + 4, &end, 10);
	/* "card0-DP-1" is an output of card 0. */
	if (end == name + 4 || *end != '\0')
		return false;
	snprintf(card->path, sizeof card->path, "/sys/class/drm/card%u", card->number);
	snprintf(path, sizeof path, "%s/device", card->path);
	if (!sysfs_number(root, path, "vendor", &value, &state) || (unsigned)value != vendor)
		return false;
	card->vendor = vendor;
	if (sysfs_number(root, path, "device", &value, &state))
		card->device = (unsigned)value;
	last_part_of_link(root, path, card->pci, sizeof card->pci);
	snprintf(path, sizeof path, "%s/device/driver", card->path);
	last_part_of_link(root, path, card->driver, sizeof card->driver);
	find_hwmon(root, card);
	return true;
}

static int by_number(const void *a, const void *b)
{
	const struct sysfs_card *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

long sysfs_cards(const char *root, unsigned vendor, struct sysfs_card *cards)
{
	char path[512];
	struct dirent *entry;
	long count = 0;
	DIR *folder;

	if (snprintf(path, sizeof path, "%s/sys/class/drm", root) >= (int)sizeof path)
		return -1;
	folder = opendir(path);
	if (!folder)
		return -1;
	while (count < SYSFS_CARDS && (entry = readdir(folder))) {
		if (read_card(root, entry->d_name, vendor, &cards[count]))
			count++;
	}
	closedir(folder);
	qsort(cards, (size_t)count, sizeof *cards, by_number);
	return count;
}
