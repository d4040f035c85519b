/* XID errors: what they mean, and finding them in the kernel's log. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "whichgpu/doctor.h"

#define LOG_BYTES ((size_t)4 << 20) /* read at most */

static const struct wg_xid_meaning meanings[] = {
#define WG_XID(xid, severity, words, advice) { xid, WG_SEVERITY_##severity, words, advice },
#include "probe/xids.def"
#undef WG_XID
};

const struct wg_xid_meaning *wg_xid_find(unsigned xid)
{
	for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
		if (meanings[i].xid == xid)
			return &meanings[i];
	}
	return NULL;
}

/* After "Xid (PCI:": "0000:07:00): 79, ..." */
static bool parse_line(const char *at, struct wg_xid_event *ret_event)
{
	size_t length = strcspn(at, ")\n");
	unsigned long xid;
	char *end;

	if (at[length] != ')' || length == 0 || length >= sizeof ret_event->key - 2 ||
	    at[length + 1] != ':')
		return false;
	xid = strtoul(at + length + 2, &end, 10);
	if (end == at + length + 2 || xid > 100000)
		return false;
	/* Samples name the function too. */
	snprintf(ret_event->key, sizeof ret_event->key, "%.*s.0", (int)length, at);
	ret_event->xid = (unsigned)xid;
	ret_event->count = 1;
	return true;
}

size_t wg_xid_parse(const char *log, struct wg_xid_event *events, size_t most)
{
	static const char mark[] = "Xid (PCI:";
	size_t count = 0;

	for (const char *at = strstr(log, mark); at; at = strstr(at, mark)) {
		struct wg_xid_event event;
		size_t i = 0;

		at += sizeof mark - 1;
		if (!parse_line(at, &event))
			continue;
		while (i < count &&
		       (events[i].xid != event.xid || strcmp(events[i].key, event.key) != 0))
			i++;
		if (i < count)
			events[i].count++;
		else if (count < most)
			events[count++] = event;
	}
	return count;
}

enum wg_status wg_kernel_log_read(const char *root, char **ret_text, struct wg_error *error)
{
	char path[512];
	char *text = malloc(LOG_BYTES + 1);
	size_t length = 0;
	int fd;

	if (!text)
		return wg_error_no_memory(error);
	snprintf(path, sizeof path, "%s/dev/kmsg", root ? root : "");
	/* The device gives one record a read and says EAGAIN at the end; a record that
	 * was overwritten meanwhile is EPIPE, and the next one follows. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	while (fd >= 0 && length < LOG_BYTES) {
		ssize_t n = read(fd, text + length, LOG_BYTES - length);

		if (n > 0)
			length += (size_t)n;
		else if (n == 0 || errno != EPIPE)
			break;
	}
	if (fd >= 0)
		close(fd);
	/* A NUL inside would hide what follows. */
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\0')
			text[i] = ' ';
	}
	text[length] = '\0';
	*ret_text = text;
	return WG_OK;
}
