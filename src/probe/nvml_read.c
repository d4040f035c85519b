/* What one NVML device tells: tables of readings and the calls that give them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "probe/nvml.h"

#define MILLI 1e-3
#define NANO 1e-9
#define PERCENT 0.01
#define MEGA 1e6
#define KIB 1024.0
#define ALL_LINKS 0xffffffffu
#define NVLINKS_MOST 18u

/* nvmlDeviceGetFieldValues answers all of these in one call; each has its own
 * result. Ids as in the NVML header; where an older id says the same it follows. */
static const struct {
	unsigned id, scope;
	enum wg_reading_name reading;
	double scale;
} fields[] = {
	{ 82, 0, WG_READ_MEMORY_TEMPERATURE, 1 },
	{ 83, 0, WG_READ_ENERGY, MILLI },
	{ 185, 0, WG_READ_POWER_AVERAGE, MILLI },
	{ 186, 0, WG_READ_POWER_INSTANT, MILLI },
	{ 94, 0, WG_READ_PCIE_REPLAY, 1 },
	{ 197, 0, WG_READ_PCIE_TX, 1 },
	{ 198, 0, WG_READ_PCIE_RX, 1 },
	{ 91, 0, WG_READ_NVLINK_LINKS, 1 },
	{ 90, 0, WG_READ_NVLINK_SPEED, MEGA },
	{ 138, ALL_LINKS, WG_READ_NVLINK_TX, KIB },
	{ 139, ALL_LINKS, WG_READ_NVLINK_RX, KIB },
	{ 202, ALL_LINKS, WG_READ_NVLINK_TX, 1 },
	{ 204, ALL_LINKS, WG_READ_NVLINK_RX, 1 },
	{ 38, 0, WG_READ_NVLINK_CRC_FLIT, 1 },
	{ 45, 0, WG_READ_NVLINK_CRC_DATA, 1 },
	{ 52, 0, WG_READ_NVLINK_REPLAY, 1 },
	{ 59, 0, WG_READ_NVLINK_RECOVERY, 1 },
	{ 3, 0, WG_READ_ECC_CORRECTED, 1 },
	{ 4, 0, WG_READ_ECC_UNCORRECTED, 1 },
	{ 5, 0, WG_READ_ECC_CORRECTED_LIFE, 1 },
	{ 6, 0, WG_READ_ECC_UNCORRECTED_LIFE, 1 },
	{ 29, 0, WG_READ_RETIRED_CORRECTED, 1 },
	{ 30, 0, WG_READ_RETIRED_UNCORRECTED, 1 },
	{ 31, 0, WG_READ_RETIRED_PENDING, 1 },
	{ 142, 0, WG_READ_REMAPPED_CORRECTED, 1 },
	{ 143, 0, WG_READ_REMAPPED_UNCORRECTED, 1 },
	{ 144, 0, WG_READ_REMAP_PENDING, 1 },
	{ 145, 0, WG_READ_REMAP_FAILURE, 1 },
	{ 230, 0, WG_READ_RECOVERY_ACTION, 1 },
	{ 74, 0, WG_READ_THROTTLE_POWER, NANO },
	{ 76, 0, WG_READ_THROTTLE_SYNC_BOOST, NANO },
	{ 269, 0, WG_READ_THROTTLE_SW_THERMAL, NANO },
	{ 270, 0, WG_READ_THROTTLE_HW_THERMAL, NANO },
	{ 271, 0, WG_READ_THROTTLE_POWER_BRAKE, NANO },
	{ 77, 0, WG_READ_THROTTLE_BOARD_LIMIT, NANO },
	{ 78, 0, WG_READ_THROTTLE_LOW_USE, NANO },
	{ 79, 0, WG_READ_THROTTLE_RELIABILITY, NANO },
};
#define FIELDS (sizeof fields / sizeof fields[0])

/* Calls of the form (device, unsigned *). */
struct plain_call {
	enum wg_reading_name reading;
	size_t pointer, name;
	double scale;
};
#define PLAIN(reading, member, scale)                                   \
	{                                                               \
		WG_READ_##reading, offsetof(struct nvml_api, member),   \
			offsetof(struct nvml_api, called.member), scale \
	}
static const struct plain_call gauges[] = {
	PLAIN(POWER, power, MILLI),
	PLAIN(FAN, fan, PERCENT),
	PLAIN(PCIE_GENERATION, link_generation, 1),
	PLAIN(PCIE_WIDTH, link_width, 1),
	PLAIN(PCIE_REPLAY, replay, 1),
	PLAIN(PERFORMANCE_STATE, performance, 1),
};
static const struct plain_call fixed[] = {
	PLAIN(POWER_LIMIT, power_limit, MILLI),
	PLAIN(POWER_LIMIT_ENFORCED, power_enforced, MILLI),
	PLAIN(POWER_LIMIT_DEFAULT, power_default, MILLI),
	PLAIN(PCIE_GENERATION_MAX, link_generation_max, 1),
	PLAIN(PCIE_GENERATION_DEVICE, link_generation_gpu, 1),
	PLAIN(PCIE_WIDTH_MAX, link_width_max, 1),
	PLAIN(COMPUTE_MODE, compute_mode, 1),
	PLAIN(PERSISTENCE, persistence, 1),
	PLAIN(LANES, lanes, 1),
	PLAIN(BUS_BITS, bus_bits, 1),
	PLAIN(NUMA_NODE, numa_node, 1),
};

enum wg_probe_state nvml_state_of(nvml_return result)
{
	switch (result) {
	case NVML_OK:
		return WG_PROBE_OK;
	case NVML_NO_PERMISSION:
	case NVML_BLOCKED:
		return WG_PROBE_NO_PERMISSION;
	case NVML_LOST:
	case NVML_RESET_REQUIRED:
	case NVML_NO_GPU:
		return WG_PROBE_LOST;
	/* Answers that may be another one next time. */
	case NVML_UNINITIALISED:
	case NVML_TIMEOUT:
	case NVML_IRQ:
	case NVML_IN_USE:
	case NVML_MEMORY:
	case NVML_NO_DATA:
	case NVML_NO_RESOURCES:
	case NVML_NOT_READY:
	case NVML_UNKNOWN:
		return WG_PROBE_STALE;
	default:
		return WG_PROBE_NOT_SUPPORTED;
	}
}

/* What NVML defines only for the whole GPU while it is not partitioned. */
static bool not_in_mig(enum wg_reading_name name)
{
	return name == WG_READ_BUSY || name == WG_READ_MEMORY_BUSY || name == WG_READ_ENCODER ||
	       name == WG_READ_DECODER || name == WG_READ_JPEG || name == WG_READ_OFA;
}

void nvml_take(struct nvml_pass *pass, enum wg_reading_name name, nvml_return result, double value,
               const char *call)
{
	struct wg_reading *reading = &pass->gpu->readings[name];
	enum wg_probe_state state = nvml_state_of(result);

	/* An earlier way answered, or said more than "not supported". */
	if (reading->state != WG_PROBE_NOT_SUPPORTED)
		return;
	if (state == WG_PROBE_LOST)
		pass->lost = true;
	if (state == WG_PROBE_NOT_SUPPORTED && not_in_mig(name) &&
	    (pass->instance || pass->device->mig_on))
		state = WG_PROBE_NOT_IN_MIG;
	*reading = (struct wg_reading){ .value = NAN, .call = call, .state = state };
	if (state == WG_PROBE_OK)
		reading->value = value;
	else if (state == WG_PROBE_STALE && pass->last)
		reading->value = pass->last->readings[name].value;
}

static void read_plain(struct nvml_pass *pass, const struct plain_call *calls, size_t count)
{
	const char *api = (const char *)&pass->state->api;

	for (size_t i = 0; i < count && !pass->lost; i++) {
		nvml_return (*call)(nvml_device device, unsigned *value);
		const char *name;
		unsigned value = 0;
		nvml_return result;

		memcpy(&call, api + calls[i].pointer, sizeof call);
		memcpy(&name, api + calls[i].name, sizeof name);
		result = call ? call(pass->handle, &value) : NVML_NO_FUNCTION;
		nvml_take(pass, calls[i].reading, result, wg_scaled(value, calls[i].scale), name);
	}
}

static double field_value(const struct nvml_field *field)
{
	switch (field->type) {
	case NVML_DOUBLE:
		return field->value.d;
	case NVML_UINT:
		return field->value.u;
	case NVML_ULONG:
		return (double)field->value.ul;
	case NVML_ULL:
		return (double)field->value.ull;
	case NVML_SLL:
		return (double)field->value.sll;
	case NVML_INT:
		return field->value.i;
	case NVML_USHORT:
		return field->value.us;
	default:
		return NAN;
	}
}

static void read_fields(struct nvml_pass *pass)
{
	const struct nvml_api *api = &pass->state->api;
	struct nvml_field query[FIELDS];
	nvml_return result = NVML_NO_FUNCTION;

	memset(query, 0, sizeof query);
	for (size_t i = 0; i < FIELDS; i++) {
		query[i].id = fields[i].id;
		query[i].scope = fields[i].scope;
	}
	if (api->fields)
		result = api->fields(pass->handle, (int)FIELDS, query);
	for (size_t i = 0; i < FIELDS; i++) {
		nvml_return each = result == NVML_OK ? query[i].result : result;
		double value = field_value(&query[i]);

		if (each == NVML_OK && isnan(value))
			each = NVML_NOT_SUPPORTED;
		nvml_take(pass, fields[i].reading, each, wg_scaled(value, fields[i].scale),
		          api->called.fields);
	}
}

void nvml_read_memory(struct nvml_pass *pass)
{
	const struct nvml_api *api = &pass->state->api;
	struct nvml_memory_v2 two = { .version = NVML_VERSION(struct nvml_memory_v2, 2) };
	struct nvml_memory one = { 0 };
	const char *call = api->called.memory_v2;
	nvml_return result = NVML_NO_FUNCTION;

	if (api->memory_v2)
		result = api->memory_v2(pass->handle, &two);
	if (result == NVML_OK && two.total > 0) {
		nvml_take(pass, WG_READ_MEMORY_RESERVED, result, (double)two.reserved, call);
	} else if (api->memory && nvml_state_of(result) != WG_PROBE_LOST) {
		/* Older: "used" has the reserved part in it. */
		call = api->called.memory;
		result = api->memory(pass->handle, &one);
		two.total = one.total;
		two.used = one.used;
		two.free = one.free;
	}
	/* GPUs that share the host's memory say "not supported" or nothing of it. */
	if (!pass->instance && !pass->device->mig_on &&
	    (result == NVML_NOT_SUPPORTED || (result == NVML_OK && two.total == 0))) {
		pass->gpu->unified = true;
		return;
	}
	nvml_take(pass, WG_READ_MEMORY_TOTAL, result, (double)two.total, call);
	nvml_take(pass, WG_READ_MEMORY_USED, result, (double)two.used, call);
	nvml_take(pass, WG_READ_MEMORY_FREE, result, (double)two.free, call);
}

static void read_use(struct nvml_pass *pass)
{
	const struct nvml_api *api = &pass->state->api;
	struct nvml_utilization use = { 0 };
	nvml_return result = NVML_NO_FUNCTION;
	const struct {
		enum wg_reading_name reading;
		nvml_return (*call)(nvml_device device, unsigned *percent, unsigned *period);
		const char *name;
	} engines[] = {
		{ WG_READ_ENCODER, api->encoder, api->called.encoder },
		{ WG_READ_DECODER, api->decoder, api->called.decoder },
		{ WG_READ_JPEG, api->jpeg, api->called.jpeg },
		{ WG_READ_OFA, api->ofa, api->called.ofa },
	};

	if (api->utilization)
		result = api->utilization(pass->handle, &use);
	nvml_take(pass, WG_READ_BUSY, result, wg_scaled(use.gpu, PERCENT), api->called.utilization);
	nvml_take(pass, WG_READ_MEMORY_BUSY, result, wg_scaled(use.memory, PERCENT),
	          api->called.utilization);
	for (size_t i = 0; i < sizeof engines / sizeof engines[0] && !pass->lost; i++) {
		unsigned percent = 0, period = 0;

		result = engines[i].call ? engines[i].call(pass->handle, &percent, &period)
		                         : NVML_NO_FUNCTION;
		nvml_take(pass, engines[i].reading, result, wg_scaled(percent, PERCENT),
		          engines[i].name);
	}
}

static void read_clocks(struct nvml_pass *pass, bool most)
{
	static const struct {
		int type;
		enum wg_reading_name now, most;
	} clocks[] = {
		{ NVML_CLOCK_GRAPHICS, WG_READ_GRAPHICS_CLOCK, WG_READ_GRAPHICS_CLOCK_MAX },
		{ NVML_CLOCK_SM, WG_READ_SM_CLOCK, WG_READ_SM_CLOCK_MAX },
		{ NVML_CLOCK_MEMORY, WG_READ_MEMORY_CLOCK, WG_READ_MEMORY_CLOCK_MAX },
		{ NVML_CLOCK_VIDEO, WG_READ_VIDEO_CLOCK, WG_READING_COUNT },
	};
	const struct nvml_api *api = &pass->state->api;
	nvml_return (*call)(nvml_device device, int type, unsigned *mhz) =
		most ? api->clock_max : api->clock;

	for (size_t i = 0; i < sizeof clocks / sizeof clocks[0] && !pass->lost; i++) {
		enum wg_reading_name name = most ? clocks[i].most : clocks[i].now;
		unsigned mhz = 0;
		nvml_return result;

		if (name == WG_READING_COUNT)
			continue;
		result = call ? call(pass->handle, clocks[i].type, &mhz) : NVML_NO_FUNCTION;
		nvml_take(pass, name, result, mhz * MEGA,
		          most ? api->called.clock_max : api->called.clock);
	}
}

static void read_temperature(struct nvml_pass *pass)
{
	const struct nvml_api *api = &pass->state->api;
	struct nvml_temperature new = { .version = NVML_VERSION(struct nvml_temperature, 1) };
	struct nvml_margin margin = { .version = NVML_VERSION(struct nvml_margin, 1) };
	unsigned old = 0;
	nvml_return result = NVML_NO_FUNCTION;

	if (api->temperature_v)
		result = api->temperature_v(pass->handle, &new);
	nvml_take(pass, WG_READ_TEMPERATURE, result, new.celsius, api->called.temperature_v);
	if (api->temperature && nvml_state_of(result) == WG_PROBE_NOT_SUPPORTED) {
		result = api->temperature(pass->handle, 0, &old);
		nvml_take(pass, WG_READ_TEMPERATURE, result, old, api->called.temperature);
	}
	result = api->margin ? api->margin(pass->handle, &margin) : NVML_NO_FUNCTION;
	nvml_take(pass, WG_READ_TEMPERATURE_MARGIN, result, margin.celsius, api->called.margin);
}

static void read_counters(struct nvml_pass *pass)
{
	const struct nvml_api *api = &pass->state->api;
	static const struct {
		enum wg_reading_name reading;
		int type, counter;
	} ecc[] = {
		{ WG_READ_ECC_CORRECTED, 0, 0 },
		{ WG_READ_ECC_UNCORRECTED, 1, 0 },
		{ WG_READ_ECC_CORRECTED_LIFE, 0, 1 },
		{ WG_READ_ECC_UNCORRECTED_LIFE, 1, 1 },
	};
	unsigned long long value = 0;
	unsigned rows[4] = { 0 };
	nvml_return result;

	if (api->energy && pass->gpu->readings[WG_READ_ENERGY].state == WG_PROBE_NOT_SUPPORTED) {
		result = api->energy(pass->handle, &value);
		nvml_take(pass, WG_READ_ENERGY, result, wg_scaled((double)value, MILLI),
		          api->called.energy);
	}
	for (size_t i = 0; i < 4 && api->ecc_total && !pass->lost; i++) {
		if (pass->gpu->readings[ecc[i].reading].state != WG_PROBE_NOT_SUPPORTED)
			continue;
		result = api->ecc_total(pass->handle, ecc[i].type, ecc[i].counter, &value);
		nvml_take(pass, ecc[i].reading, result, (double)value, api->called.ecc_total);
	}
	if (api->remapped &&
	    pass->gpu->readings[WG_READ_REMAP_FAILURE].state == WG_PROBE_NOT_SUPPORTED) {
		result = api->remapped(pass->handle, &rows[0], &rows[1], &rows[2], &rows[3]);
		nvml_take(pass, WG_READ_REMAPPED_CORRECTED, result, rows[0], api->called.remapped);
		nvml_take(pass, WG_READ_REMAPPED_UNCORRECTED, result, rows[1],
		          api->called.remapped);
		nvml_take(pass, WG_READ_REMAP_PENDING, result, rows[2], api->called.remapped);
		nvml_take(pass, WG_READ_REMAP_FAILURE, result, rows[3], api->called.remapped);
	}
}

/* The older way to the throttle times, leaving with CUDA 14. */
static void read_violations(struct nvml_pass *pass)
{
	static const enum wg_reading_name readings[] = {
		WG_READ_THROTTLE_POWER,      WG_READ_THROTTLE_SW_THERMAL,
		WG_READ_THROTTLE_SYNC_BOOST, WG_READ_THROTTLE_BOARD_LIMIT,
		WG_READ_THROTTLE_LOW_USE,    WG_READ_THROTTLE_RELIABILITY,
	};
	const struct nvml_api *api = &pass->state->api;

	for (int policy = 0; policy < 6 && api->violation && !pass->lost; policy++) {
		struct nvml_violation time = { 0 };
		nvml_return result;

		if (pass->gpu->readings[readings[policy]].state != WG_PROBE_NOT_SUPPORTED)
			continue;
		result = api->violation(pass->handle, policy, &time);
		nvml_take(pass, readings[policy], result,
		          wg_scaled((double)time.violation_ns, NANO), api->called.violation);
	}
}

void nvml_read_gauges(struct nvml_pass *pass)
{
	const struct nvml_api *api = &pass->state->api;
	unsigned long long reasons = 0;
	struct nvml_bar1 bar1 = { 0 };
	nvml_return result;

	read_fields(pass);
	if (pass->lost)
		return;
	read_use(pass);
	read_clocks(pass, false);
	read_temperature(pass);
	read_plain(pass, gauges, sizeof gauges / sizeof gauges[0]);
	if (pass->lost)
		return;
	read_counters(pass);
	read_violations(pass);
	result = api->reasons ? api->reasons(pass->handle, &reasons) : NVML_NO_FUNCTION;
	nvml_take(pass, WG_READ_THROTTLE_REASONS, result, (double)reasons, api->called.reasons);
	result = api->bar1 ? api->bar1(pass->handle, &bar1) : NVML_NO_FUNCTION;
	nvml_take(pass, WG_READ_BAR1_TOTAL, result, (double)bar1.total, api->called.bar1);
	nvml_take(pass, WG_READ_BAR1_USED, result, (double)bar1.used, api->called.bar1);
}

static void read_links_up(struct nvml_pass *pass)
{
	const struct nvml_api *api = &pass->state->api;
	unsigned up = 0, answers = 0;

	for (unsigned link = 0; link < NVLINKS_MOST && api->nvlink_state; link++) {
		unsigned active = 0;

		if (api->nvlink_state(pass->handle, link, &active) != NVML_OK)
			break;
		answers++;
		up += active ? 1 : 0;
	}
	nvml_take(pass, WG_READ_NVLINK_ACTIVE, answers ? NVML_OK : NVML_NOT_SUPPORTED, up,
	          api->called.nvlink_state);
}

void nvml_read_fixed(struct nvml_pass *pass)
{
	static const struct {
		int type;
		enum wg_reading_name reading;
	} limits[] = {
		{ NVML_LIMIT_SHUTDOWN, WG_READ_TEMPERATURE_SHUTDOWN },
		{ NVML_LIMIT_SLOWDOWN, WG_READ_TEMPERATURE_SLOWDOWN },
		{ NVML_LIMIT_MEMORY_MAX, WG_READ_TEMPERATURE_MEMORY_MAX },
		{ NVML_LIMIT_GPU_MAX, WG_READ_TEMPERATURE_MAX },
	};
	const struct nvml_api *api = &pass->state->api;
	unsigned a = 0, b = 0;
	nvml_return result;

	read_plain(pass, fixed, sizeof fixed / sizeof fixed[0]);
	read_clocks(pass, true);
	for (size_t i = 0; i < 4 && api->threshold && !pass->lost; i++) {
		result = api->threshold(pass->handle, limits[i].type, &a);
		nvml_take(pass, limits[i].reading, result, a, api->called.threshold);
	}
	result = api->power_range ? api->power_range(pass->handle, &a, &b) : NVML_NO_FUNCTION;
	nvml_take(pass, WG_READ_POWER_LIMIT_MIN, result, wg_scaled(a, MILLI),
	          api->called.power_range);
	nvml_take(pass, WG_READ_POWER_LIMIT_MAX, result, wg_scaled(b, MILLI),
	          api->called.power_range);
	result = api->ecc_mode ? api->ecc_mode(pass->handle, &a, &b) : NVML_NO_FUNCTION;
	nvml_take(pass, WG_READ_ECC_MODE, result, a, api->called.ecc_mode);
	nvml_take(pass, WG_READ_ECC_MODE_PENDING, result, b, api->called.ecc_mode);
	result = api->mig_mode ? api->mig_mode(pass->handle, &a, &b) : NVML_NO_FUNCTION;
	nvml_take(pass, WG_READ_MIG_MODE, result, a, api->called.mig_mode);
	nvml_take(pass, WG_READ_MIG_MODE_PENDING, result, b, api->called.mig_mode);
	pass->device->mig_on = result == NVML_OK && a != 0;
	read_links_up(pass);
}

void nvml_read_texts(struct nvml_pass *pass)
{
	const struct nvml_api *api = &pass->state->api;
	const struct {
		enum wg_probe_text_name text;
		nvml_return (*call)(nvml_device device, char *text, unsigned bytes);
		unsigned bytes;
	} calls[] = {
		{ WG_PROBE_TEXT_NAME, api->name, NVML_NAME_BYTES },
		{ WG_PROBE_TEXT_UUID, api->uuid, NVML_UUID_BYTES },
		{ WG_PROBE_TEXT_SERIAL, api->serial, NVML_SERIAL_BYTES },
		{ WG_PROBE_TEXT_VBIOS, api->vbios, NVML_VBIOS_BYTES },
	};
	char buffer[NVML_NAME_BYTES + 1];
	int major = 0, minor = 0;

	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		nvml_return result = NVML_NO_FUNCTION;

		memset(buffer, 0, sizeof buffer);
		if (calls[i].call)
			result = calls[i].call(pass->handle, buffer, calls[i].bytes);
		if (result == NVML_OK)
			wg_probe_text_set(pass->gpu, calls[i].text, buffer);
		else
			pass->gpu->texts[calls[i].text].state = nvml_state_of(result);
	}
	if (api->capability && api->capability(pass->handle, &major, &minor) == NVML_OK) {
		snprintf(buffer, sizeof buffer, "%d.%d", major, minor);
		wg_probe_text_set(pass->gpu, WG_PROBE_TEXT_COMPUTE_CAPABILITY, buffer);
	}
	wg_probe_text_set(pass->gpu, WG_PROBE_TEXT_DRIVER, pass->state->driver);
	wg_probe_text_set(pass->gpu, WG_PROBE_TEXT_LIBRARY, pass->state->version);
	wg_probe_text_set(pass->gpu, WG_PROBE_TEXT_API, pass->state->cuda);
}
