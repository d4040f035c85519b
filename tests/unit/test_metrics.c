/* Metrics: the drop-in names, types and units, and a well-formed page. */
#include "check.h"

#include <dlfcn.h>

#include "http/metrics.h"
#include "probe/backend.h"

#define FAKE WG_BUILD_ROOT "/tests/fake-nvml/libnvidia-ml.so.1"
#define PROFILES WG_SOURCE_ROOT "/tests/fake-nvml/profiles/"

static struct wg_sample sample;
static struct wg_text page;
static struct wg_error error;

/* Two samples, so that rates and GPM are there. */
static void read_profile(const char *profile)
{
	struct wg_probe_options options = { .nvml_path = FAKE, .root = "/nonexistent" };
	void *library = dlopen(FAKE, RTLD_NOW), *symbol;
	void (*set_clock)(double);
	struct wg_probe *probe;

	setenv("FAKE_NVML_PROFILE", profile, 1);
	symbol = dlsym(library, "fake_nvml_clock");
	memcpy(&set_clock, &symbol, sizeof symbol);
	wg_sample_init(&sample);
	check_status(wg_probe_open(&options, &probe, &error), WG_OK, &error);
	for (int i = 0; i < 2; i++) {
		set_clock(i);
		check_status(wg_probe_sample(probe, i, i, &sample, &error), WG_OK, &error);
	}
	wg_probe_free(probe);
	dlclose(library);
}

static void write_page(enum metrics_names names, bool open_metrics)
{
	struct metrics_options options = { .names = names,
		                           .open_metrics = open_metrics,
		                           .host = "host",
		                           .age_s = 0.5,
		                           .number = 7 };

	wg_text_init(&page, 1 << 24);
	metrics_write(&sample, &options, &page);
	assert_false(page.failed);
}

static void done(void)
{
	wg_text_done(&page);
	wg_sample_done(&sample);
}

static void has(const char *line)
{
	char whole[512];

	snprintf(whole, sizeof whole, "\n%s\n", line);
	if (!strstr(wg_text_string(&page), whole))
		fail_msg("no line \"%s\" in\n%s", line, wg_text_string(&page));
}

#define A100                                                                                      \
	"gpu=\"0\",UUID=\"GPU-a1000000-0000-4000-8000-000000000001\","                            \
	"pci_bus_id=\"00000000:07:00.0\",device=\"nvidia0\",modelName=\"NVIDIA A100-SXM4-80GB\"," \
	"Hostname=\"host\",DCGM_FI_DRIVER_VERSION=\"550.54.15\""

static void dcgm_names_and_units(void **state)
{
	read_profile(PROFILES "a100-4090.profile");
	write_page(METRICS_DCGM, false);
	has("# TYPE DCGM_FI_DEV_SM_CLOCK gauge");
	has("DCGM_FI_DEV_SM_CLOCK{" A100 "} 1395");
	has("DCGM_FI_DEV_GPU_TEMP{" A100 "} 61");
	has("DCGM_FI_DEV_GPU_UTIL{" A100 "} 97");
	has("DCGM_FI_DEV_POWER_USAGE{" A100 "} 352.25");
	/* 42949672960 bytes are 40960 MiB. */
	has("DCGM_FI_DEV_FB_USED{" A100 "} 40960");
	has("DCGM_FI_DEV_FB_RESERVED{" A100 "} 618");
	has("# TYPE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter");
	/* 1000000 mJ at the start and 352250 a second. */
	has("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{" A100 "} 1352250");
	has("DCGM_FI_DEV_POWER_VIOLATION{" A100 "} 1000000");
	has("DCGM_FI_DEV_XID_ERRORS{" A100 "} 0");
	/* The 4090 has no memory sensor that NVML reads: no series, no zero. */
	assert_null(strstr(wg_text_string(&page), "DCGM_FI_DEV_MEMORY_TEMP{gpu=\"1\""));
	done();
}

static void nvidia_smi_names_and_units(void **state)
{
	read_profile(PROFILES "a100-4090.profile");
	write_page(METRICS_NVIDIA_SMI, false);
	has("nvidia_smi_memory_used_bytes{uuid=\"a1000000-0000-4000-8000-000000000001\"} 42949672960");
	has("nvidia_smi_utilization_gpu_ratio{uuid=\"40900000-0000-4000-8000-000000000002\"} 0.55");
	has("nvidia_smi_clocks_current_memory_clock_hz{uuid=\"40900000-0000-4000-8000-000000000002\"} "
	    "10501000000");
	has("nvidia_smi_pcie_link_width_current{uuid=\"a1000000-0000-4000-8000-000000000001\"} 16");
	has("nvidia_smi_clocks_event_reasons_gpu_idle{uuid=\"a1000000-0000-4000-8000-000000000001\"} 0");
	has("nvidia_smi_index{uuid=\"40900000-0000-4000-8000-000000000002\"} 1");
	check_contains(wg_text_string(&page), "name=\"NVIDIA GeForce RTX 4090\"");
	check_contains(wg_text_string(&page), "compute_cap=\"8.9\"");
	has("nvidia_smi_last_collect_success 1");
	/* Words are labels, never numbers. */
	assert_null(strstr(wg_text_string(&page), "nvidia_smi_name"));
	done();
}

static void own_names_for_any_vendor(void **state)
{
	read_profile(PROFILES "h100-8.profile");
	write_page(METRICS_OWN, false);
	has("whichgpu_gpu_power_watts{vendor=\"nvidia\",gpu=\"0\",key=\"0000:10:00.0\"} 632");
	has("# TYPE whichgpu_gpu_energy_joules_total counter");
	has("whichgpu_gpu_sm_active_ratio{vendor=\"nvidia\",gpu=\"7\",key=\"0000:18:00.0\"} 0.8825");
	has("whichgpu_gpu_throttle_power_cap_seconds_total{vendor=\"nvidia\",gpu=\"0\","
	    "key=\"0000:10:00.0\"} 0.4");
	has("whichgpu_gpu_sm_hertz{vendor=\"nvidia\",gpu=\"0\",key=\"0000:10:00.0\"} 1755000000");
	has("whichgpu_gpu_up{vendor=\"nvidia\",gpu=\"0\",key=\"0000:10:00.0\"} 1");
	has("whichgpu_sample_age_seconds 0.5");
	wg_probe_gpu_lose(&sample.gpus[0], "test");
	wg_text_done(&page);
	write_page(METRICS_OWN, false);
	has("whichgpu_gpu_up{vendor=\"nvidia\",gpu=\"0\",key=\"0000:10:00.0\"} 0");
	assert_null(strstr(wg_text_string(&page),
	                   "whichgpu_gpu_power_watts{vendor=\"nvidia\",gpu=\"0\""));
	done();
}

static void open_metrics_differs_where_it_must(void **state)
{
	const char *text;

	read_profile(PROFILES "h100-8.profile");
	write_page(METRICS_OWN, true);
	text = wg_text_string(&page);
	has("# TYPE whichgpu_gpu_energy_joules counter");
	assert_non_null(strstr(text, "\nwhichgpu_gpu_energy_joules_total{"));
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	done();
}

static void instances_of_mig(void **state)
{
	read_profile(PROFILES "a100-mig.profile");
	write_page(METRICS_DCGM, false);
	check_contains(wg_text_string(&page), "GPU_I_PROFILE=\"1g.5gb\",GPU_I_ID=\"9\"");
	wg_text_done(&page);
	write_page(METRICS_NVIDIA_SMI, false);
	assert_null(strstr(wg_text_string(&page), "MIG"));
	done();
}

static void hostile_names_stay_inside_their_quotes(void **state)
{
	struct wg_probe_gpu *gpu;

	wg_sample_init(&sample);
	gpu = wg_sample_add(&sample, "k");
	wg_probe_text_set(gpu, WG_PROBE_TEXT_NAME, "a\"b\\c\nd");
	wg_reading_set(gpu, WG_READ_POWER, 1, "test");
	write_page(METRICS_OWN, false);
	check_contains(wg_text_string(&page), "name=\"a\\\"b\\\\c?d\"");
	done();
}

/* Every family once with its head first, every series once, every line whole. */
static void check_form(const char *text)
{
	char families[400][128], lines[4000][256];
	size_t family_count = 0, line_count = 0;
	char family[128] = "";

	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		size_t name = strcspn(line, "{ ");

		assert_int_equal(line[length], '\n');
		if (strncmp(line, "# TYPE ", 7) == 0) {
			snprintf(family, sizeof family, "%.*s", (int)strcspn(line + 7, " "),
			         line + 7);
			for (size_t i = 0; i < family_count; i++)
				assert_string_not_equal(families[i], family);
			snprintf(families[family_count++], 128, "%s", family);
		} else if (line[0] != '#') {
			size_t series = strcspn(line, "}");

			assert_int_equal(name, strlen(family));
			assert_memory_equal(line, family, name);
			snprintf(lines[line_count], 256, "%.*s",
			         (int)(series < length ? series : name), line);
			for (size_t i = 0; i < line_count; i++)
				assert_string_not_equal(lines[i], lines[line_count]);
			line_count++;
		}
		line += length + 1;
	}
	assert_true(line_count > 0 && family_count > 0);
}

static void pages_are_well_formed(void **state)
{
	static const char *const profiles[] = { "a100-4090", "h100-8", "a100-mig" };

	for (size_t p = 0; p < 3; p++) {
		char path[256];

		snprintf(path, sizeof path, PROFILES "%s.profile", profiles[p]);
		for (int names = 0; names < 3; names++) {
			read_profile(path);
			write_page((enum metrics_names)names, false);
			check_form(wg_text_string(&page));
			done();
		}
	}
}

/* Each name we print under a drop-in stands in the table of the original's names, as
 * collected in the shared notes, with the same type. */
static void names_stand_in_the_tables(void **state)
{
	char path[512], *notes;
	FILE *file;
	size_t length, checked = 0;

	if (!shared_path("knowledge/monitor.md", path, sizeof path))
		skip();
	file = fopen(path, "r");
	notes = calloc(1, 1 << 20);
	length = fread(notes, 1, (1 << 20) - 1, file);
	fclose(file);
	assert_true(length > 10000);
	for (int names = METRICS_DCGM; names <= METRICS_NVIDIA_SMI; names++) {
		read_profile(PROFILES "h100-8.profile");
		write_page((enum metrics_names)names, false);
		for (const char *line = wg_text_string(&page); (line = strstr(line, "# TYPE "));
		     line++) {
			char name[128], row[160], *found;
			const char *type = line + 7 + strcspn(line + 7, " ") + 1;

			snprintf(name, sizeof name, "%.*s", (int)strcspn(line + 7, " "), line + 7);
			snprintf(row, sizeof row, "| %s |", name);
			found = strstr(notes, row);
			if (!found)
				fail_msg("%s is no name of the original", name);
			found += strlen(row);
			/* The type stands in one of the next two columns. */
			snprintf(row, sizeof row, "%.*s", (int)strcspn(type, "\n"), type);
			found[strcspn(found, "\n")] = '\0';
			if (!strstr(found, row))
				fail_msg("%s is no %s there", name, row);
			found[strlen(found)] = '\n';
			checked++;
		}
		done();
	}
	assert_true(checked > 80);
	free(notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dcgm_names_and_units),
		cmocka_unit_test(nvidia_smi_names_and_units),
		cmocka_unit_test(own_names_for_any_vendor),
		cmocka_unit_test(open_metrics_differs_where_it_must),
		cmocka_unit_test(instances_of_mig),
		cmocka_unit_test(hostile_names_stay_inside_their_quotes),
		cmocka_unit_test(pages_are_well_formed),
		cmocka_unit_test(names_stand_in_the_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
