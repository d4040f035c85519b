#include "http/metrics.h"

#include <math.h>
#include <string.h>

#include "whichgpu/number.h"

enum metric_type { METRIC_GAUGE, METRIC_COUNTER };

/* A family: a name, and what of a GPU it shows. */
struct metric {
	const char *name, *words;
	enum metric_type type;
	enum wg_reading_name reading, other; /* other: added to it, or WG_READING_COUNT */
	double scale;
	unsigned bit; /* not 0: this bit of the reading, as 0 or 1 */
};

#define WG_METRIC(name, type, reading, scale, words) \
	{ name, words, METRIC_##type, WG_READ_##reading, WG_READING_COUNT, scale, 0 },
#define WG_METRIC_SUM(name, type, reading, other, words) \
	{ name, words, METRIC_##type, WG_READ_##reading, WG_READ_##other, 1, 0 },
#define WG_METRIC_BIT(name, bit, words) \
	{ name, words, METRIC_GAUGE, WG_READ_THROTTLE_REASONS, WG_READING_COUNT, 1, bit },
static const struct metric dcgm[] = {
#include "http/metrics_dcgm.def"
};
static const struct metric smi[] = {
#include "http/metrics_smi.def"
};
#undef WG_METRIC
#undef WG_METRIC_SUM
#undef WG_METRIC_BIT

struct page {
	const struct wg_sample *sample;
	const struct metrics_options *options;
	struct wg_text *out;
};

/* --- lines -------------------------------------------------------------------------- */

static void add_label(struct wg_text *out, const char *name, const char *value, bool first)
{
	wg_text_printf(out, "%s%s=\"", first ? "" : ",", name);
	for (const char *c = value; *c; c++) {
		if (*c == '\\' || *c == '"')
			wg_text_add_char(out, '\\');
		wg_text_add_char(out, *c);
	}
	wg_text_add_char(out, '"');
}

static void add_value(struct wg_text *out, double value)
{
	char number[40];

	wg_number_write(number, sizeof number, value);
	wg_text_printf(out, " %s\n", number);
}

/* OpenMetrics names a counter's family without the _total of its samples. */
static void add_head(const struct page *page, const char *name, enum metric_type type,
                     const char *words)
{
	size_t length = strlen(name), suffix = strlen("_total");

	if (page->options->open_metrics && type == METRIC_COUNTER && length > suffix &&
	    strcmp(name + length - suffix, "_total") == 0)
		length -= suffix;
	wg_text_printf(page->out, "# HELP %.*s %s\n", (int)length, name, words);
	wg_text_printf(page->out, "# TYPE %.*s %s\n", (int)length, name,
	               type == METRIC_COUNTER ? "counter" : "gauge");
}

/* Does it answer: is anything of it read anew? */
static bool answers(const struct wg_probe_gpu *gpu)
{
	for (int i = 0; i < WG_READING_COUNT; i++) {
		if (gpu->readings[i].state == WG_PROBE_OK)
			return true;
	}
	return false;
}

static const char *text_of(const struct wg_probe_gpu *gpu, enum wg_probe_text_name name)
{
	return gpu->texts[name].value;
}

/* nvidia_gpu_exporter's identity: the UUID without "GPU-". */
static const char *bare_uuid(const struct wg_probe_gpu *gpu)
{
	const char *uuid = text_of(gpu, WG_PROBE_TEXT_UUID);

	return strncmp(uuid, "GPU-", 4) == 0 ? uuid + 4 : uuid;
}

/* NVML's form of the address has eight digits of domain. */
static void long_address(const struct wg_probe_gpu *gpu, char *buffer, size_t buffer_bytes)
{
	const char *address = text_of(gpu, WG_PROBE_TEXT_PCI);

	snprintf(buffer, buffer_bytes, "%s%s", strchr(address, ':') ? "0000" : "", address);
	for (char *c = buffer; *c; c++) {
		if (*c >= 'a' && *c <= 'f')
			*c = (char)(*c - 'a' + 'A');
	}
}

static void add_dcgm_labels(const struct page *page, const struct wg_probe_gpu *gpu)
{
	char number[16], device[24], address[112], id[16];
	bool instance = gpu->kind == WG_PROBE_INSTANCE && gpu->parent >= 0;
	const struct wg_probe_gpu *whole = instance ? &page->sample->gpus[gpu->parent] : gpu;

	snprintf(number, sizeof number, "%u", gpu->index);
	snprintf(device, sizeof device, "nvidia%u", gpu->index);
	long_address(whole, address, sizeof address);
	add_label(page->out, "gpu", number, true);
	add_label(page->out, "UUID", text_of(whole, WG_PROBE_TEXT_UUID), false);
	add_label(page->out, "pci_bus_id", address, false);
	add_label(page->out, "device", device, false);
	add_label(page->out, "modelName", text_of(whole, WG_PROBE_TEXT_NAME), false);
	if (instance) {
		snprintf(id, sizeof id, "%d", gpu->gpu_instance);
		add_label(page->out, "GPU_I_PROFILE", text_of(gpu, WG_PROBE_TEXT_PROFILE), false);
		add_label(page->out, "GPU_I_ID", id, false);
	}
	add_label(page->out, "Hostname", page->options->host ? page->options->host : "", false);
	add_label(page->out, "DCGM_FI_DRIVER_VERSION", text_of(gpu, WG_PROBE_TEXT_DRIVER), false);
}

static void add_own_labels(const struct page *page, const struct wg_probe_gpu *gpu)
{
	char number[16];

	snprintf(number, sizeof number, "%u", gpu->index);
	add_label(page->out, "vendor", wg_probe_vendor_key(gpu->vendor), true);
	add_label(page->out, "gpu", number, false);
	add_label(page->out, "key", gpu->key, false);
}

static void add_sample_line(const struct page *page, const char *name,
                            const struct wg_probe_gpu *gpu, double value)
{
	wg_text_printf(page->out, "%s{", name);
	switch (page->options->names) {
	case METRICS_DCGM:
		add_dcgm_labels(page, gpu);
		break;
	case METRICS_NVIDIA_SMI:
		add_label(page->out, "uuid", bare_uuid(gpu), true);
		break;
	case METRICS_OWN:
		add_own_labels(page, gpu);
		break;
	}
	wg_text_add_char(page->out, '}');
	add_value(page->out, value);
}

/* --- families of a drop-in ------------------------------------------------------------- */

/* 0.55 * 100 is 55, as the original prints it. */
static double snap(double value)
{
	double whole = nearbyint(value);

	return fabs(value - whole) <= 1e-12 * fabs(value) ? whole : value;
}

static bool metric_value(const struct wg_probe_gpu *gpu, const struct metric *metric,
                         double *ret_value)
{
	double value, more = 0;

	if (!wg_reading_ok(gpu, metric->reading, &value))
		return false;
	if (metric->other != WG_READING_COUNT && !wg_reading_ok(gpu, metric->other, &more))
		return false;
	if (metric->bit)
		*ret_value = ((unsigned)value & metric->bit) != 0;
	else
		*ret_value = snap((value + more) * metric->scale);
	return true;
}

/* Does this GPU have a place under the drop-in names? */
static bool shown(const struct page *page, const struct wg_probe_gpu *gpu)
{
	if (gpu->vendor != WG_PROBE_NVIDIA)
		return false;
	/* nvidia_smi names have no label for an instance. */
	return page->options->names != METRICS_NVIDIA_SMI || gpu->kind == WG_PROBE_WHOLE;
}

static void add_family(const struct page *page, const struct metric *metric)
{
	bool begun = false;

	for (size_t i = 0; i < page->sample->count; i++) {
		const struct wg_probe_gpu *gpu = &page->sample->gpus[i];
		double value;

		if (!shown(page, gpu) || !metric_value(gpu, metric, &value))
			continue;
		if (!begun)
			add_head(page, metric->name, metric->type, metric->words);
		begun = true;
		add_sample_line(page, metric->name, gpu, value);
	}
}

/* The last XID, 0 from the start: a series that appears with the first error would
 * escape every rule that looks for a change. */
static void add_dcgm_xid(const struct page *page)
{
	const char *name = "DCGM_FI_DEV_XID_ERRORS";
	bool begun = false;

	for (size_t i = 0; i < page->sample->count; i++) {
		const struct wg_probe_gpu *gpu = &page->sample->gpus[i];
		double count, last = 0;

		if (!shown(page, gpu) || gpu->kind != WG_PROBE_WHOLE ||
		    !wg_reading_ok(gpu, WG_READ_XID_COUNT, &count))
			continue;
		if (!begun)
			add_head(page, name, METRIC_GAUGE, "last XID, 0 for none");
		begun = true;
		wg_reading_ok(gpu, WG_READ_XID_LAST, &last);
		add_sample_line(page, name, gpu, last);
	}
}

static void add_smi_info(const struct page *page)
{
	bool begun = false;

	for (size_t i = 0; i < page->sample->count; i++) {
		const struct wg_probe_gpu *gpu = &page->sample->gpus[i];
		struct wg_text *out = page->out;
		char number[16], address[112];

		if (!shown(page, gpu))
			continue;
		if (!begun)
			add_head(page, "nvidia_smi_gpu_info", METRIC_GAUGE,
			         "what the GPU is, as labels");
		begun = true;
		snprintf(number, sizeof number, "%u", gpu->index);
		long_address(gpu, address, sizeof address);
		wg_text_add(out, "nvidia_smi_gpu_info{");
		add_label(out, "uuid", bare_uuid(gpu), true);
		add_label(out, "name", text_of(gpu, WG_PROBE_TEXT_NAME), false);
		add_label(out, "driver_model_current", "", false);
		add_label(out, "driver_model_pending", "", false);
		add_label(out, "vbios_version", text_of(gpu, WG_PROBE_TEXT_VBIOS), false);
		add_label(out, "driver_version", text_of(gpu, WG_PROBE_TEXT_DRIVER), false);
		add_label(out, "pci_bus_id", address, false);
		add_label(out, "serial", text_of(gpu, WG_PROBE_TEXT_SERIAL), false);
		add_label(out, "compute_cap", text_of(gpu, WG_PROBE_TEXT_COMPUTE_CAPABILITY),
		          false);
		add_label(out, "pci_sub_device_id", text_of(gpu, WG_PROBE_TEXT_PCI_SUBSYSTEM),
		          false);
		add_label(out, "index", number, false);
		add_label(out, "cuda_version", text_of(gpu, WG_PROBE_TEXT_API), false);
		wg_text_add(out, "} 1\n");
	}
}

static void add_smi_rest(const struct page *page)
{
	bool begun = false, xid = false, any = false;

	for (size_t i = 0; i < page->sample->count; i++) {
		if (!shown(page, &page->sample->gpus[i]))
			continue;
		if (!begun)
			add_head(page, "nvidia_smi_index", METRIC_GAUGE, "index");
		begun = true;
		any |= answers(&page->sample->gpus[i]);
		add_sample_line(page, "nvidia_smi_index", &page->sample->gpus[i],
		                page->sample->gpus[i].index);
	}
	for (size_t i = 0; i < page->sample->count; i++) {
		const struct wg_probe_gpu *gpu = &page->sample->gpus[i];
		double errors, last = 0;

		/* One series for each XID that was seen. */
		if (!shown(page, gpu) || !wg_reading_ok(gpu, WG_READ_XID_COUNT, &errors) ||
		    errors == 0 || !wg_reading_ok(gpu, WG_READ_XID_LAST, &last))
			continue;
		if (!xid)
			add_head(page, "nvidia_smi_xid_errors_total", METRIC_COUNTER, "XID errors");
		xid = true;
		wg_text_printf(page->out, "nvidia_smi_xid_errors_total{uuid=\"%s\",xid=\"%u\"}",
		               bare_uuid(gpu), (unsigned)last);
		add_value(page->out, errors);
	}
	add_head(page, "nvidia_smi_last_collect_success", METRIC_GAUGE,
	         "did the last reading succeed");
	wg_text_printf(page->out, "nvidia_smi_last_collect_success %d\n", any);
}

/* --- our own names ----------------------------------------------------------------------- */

/* "memory_hz" is whichgpu_gpu_memory_hertz; a counter ends in _total. */
static void own_name(enum wg_reading_name reading, char *buffer, size_t buffer_bytes)
{
	static const struct {
		const char *end, *instead;
	} units[] = {
		{ "_bytes_per_s", "_bytes_per_second" },
		{ "_hz", "_hertz" },
		{ "_s", "_seconds" },
		{ "_bits", "_width" }, /* promtool takes bits for bytes in disguise */
	};
	const char *key = wg_reading_key(reading);
	size_t length = strlen(key);
	const char *instead = "";

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		size_t end = strlen(units[i].end);

		if (length > end && strcmp(key + length - end, units[i].end) == 0) {
			length -= end;
			instead = units[i].instead;
			break;
		}
	}
	snprintf(buffer, buffer_bytes, "whichgpu_gpu_%.*s%s%s", (int)length, key, instead,
	         wg_reading_kind(reading) == WG_READING_COUNTER ? "_total" : "");
}

static void add_own_family(const struct page *page, enum wg_reading_name reading)
{
	bool begun = false;
	char name[128];

	own_name(reading, name, sizeof name);
	for (size_t i = 0; i < page->sample->count; i++) {
		double value;

		if (!wg_reading_ok(&page->sample->gpus[i], reading, &value))
			continue;
		if (!begun)
			add_head(page, name,
			         wg_reading_kind(reading) == WG_READING_COUNTER ? METRIC_COUNTER
			                                                        : METRIC_GAUGE,
			         wg_reading_label(reading));
		begun = true;
		add_sample_line(page, name, &page->sample->gpus[i], value);
	}
}

static void add_own_info(const struct page *page)
{
	if (page->sample->count == 0)
		return;
	add_head(page, "whichgpu_gpu_info", METRIC_GAUGE, "what the GPU is, as labels");
	for (size_t i = 0; i < page->sample->count; i++) {
		const struct wg_probe_gpu *gpu = &page->sample->gpus[i];

		wg_text_add(page->out, "whichgpu_gpu_info{");
		add_own_labels(page, gpu);
		add_label(page->out, "name", text_of(gpu, WG_PROBE_TEXT_NAME), false);
		add_label(page->out, "uuid", text_of(gpu, WG_PROBE_TEXT_UUID), false);
		add_label(page->out, "driver", text_of(gpu, WG_PROBE_TEXT_DRIVER), false);
		add_label(page->out, "partition", text_of(gpu, WG_PROBE_TEXT_PROFILE), false);
		wg_text_add(page->out, "} 1\n");
	}
	add_head(page, "whichgpu_gpu_up", METRIC_GAUGE, "does the GPU answer");
	for (size_t i = 0; i < page->sample->count; i++) {
		const struct wg_probe_gpu *gpu = &page->sample->gpus[i];

		add_sample_line(page, "whichgpu_gpu_up", gpu, answers(gpu));
	}
}

static void add_own_backends(const struct page *page)
{
	if (page->sample->note_count == 0)
		return;
	add_head(page, "whichgpu_backend_state", METRIC_GAUGE,
	         "how the way to a vendor's GPUs stands, as labels");
	for (size_t i = 0; i < page->sample->note_count; i++) {
		wg_text_add(page->out, "whichgpu_backend_state{");
		add_label(page->out, "backend", page->sample->notes[i].backend, true);
		add_label(page->out, "state", wg_probe_note_key(page->sample->notes[i].kind),
		          false);
		wg_text_add(page->out, "} 1\n");
	}
}

static void add_age(const struct page *page)
{
	if (!isnan(page->options->age_s)) {
		add_head(page, "whichgpu_sample_age_seconds", METRIC_GAUGE,
		         "age of these readings");
		wg_text_add(page->out, "whichgpu_sample_age_seconds");
		add_value(page->out, page->options->age_s);
	}
	add_head(page, "whichgpu_samples_total", METRIC_COUNTER, "readings of all GPUs so far");
	wg_text_add(page->out, "whichgpu_samples_total");
	add_value(page->out, (double)page->options->number);
}

void metrics_write(const struct wg_sample *sample, const struct metrics_options *options,
                   struct wg_text *out)
{
	const struct page page = { sample, options, out };

	switch (options->names) {
	case METRICS_DCGM:
		for (size_t i = 0; i < sizeof dcgm / sizeof dcgm[0]; i++)
			add_family(&page, &dcgm[i]);
		add_dcgm_xid(&page);
		break;
	case METRICS_NVIDIA_SMI:
		add_smi_info(&page);
		for (size_t i = 0; i < sizeof smi / sizeof smi[0]; i++)
			add_family(&page, &smi[i]);
		add_smi_rest(&page);
		break;
	case METRICS_OWN:
		add_own_info(&page);
		add_own_backends(&page);
		for (int i = 0; i < WG_READING_COUNT; i++)
			add_own_family(&page, (enum wg_reading_name)i);
		add_age(&page);
		break;
	}
	if (options->open_metrics)
		wg_text_add(out, "# EOF\n");
}
