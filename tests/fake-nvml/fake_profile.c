/* The profile: reading it, and answering from it. */
#include "fake_nvml.h"

#include <time.h>
#include <unistd.h>

/* A handle is one of these; which, is told by its place. */
struct fake_gpu fake_gpus[GPUS + 1]; /* [0] holds the keys of the library itself */
struct fake_instance fake_instances[GPUS][INSTANCES];
int fake_gpu_count;
bool fake_started;
static bool clock_by_hand;
static double clock_s;
static struct timespec loaded;

double fake_now(void)
{
	struct timespec t;

	if (clock_by_hand)
		return clock_s;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)(t.tv_sec - loaded.tv_sec) + (double)(t.tv_nsec - loaded.tv_nsec) * 1e-9;
}

__attribute__((constructor)) static void remember_load(void)
{
	clock_gettime(CLOCK_MONOTONIC, &loaded);
}

const char *fake_look_up(const struct fake_gpu *gpu, const char *key)
{
	for (int i = 0; i < gpu->pair_count; i++) {
		if (strcmp(gpu->pairs[i].key, key) == 0)
			return gpu->pairs[i].value;
	}
	return NULL;
}

static void put(struct fake_gpu *gpu, const char *key, const char *value)
{
	struct pair *pair = NULL;

	/* Processes are a list; anything else is replaced. */
	for (int i = 0; i < gpu->pair_count && strcmp(key, "process") != 0; i++) {
		if (strcmp(gpu->pairs[i].key, key) == 0)
			pair = &gpu->pairs[i];
	}
	if (!pair && gpu->pair_count < KEYS)
		pair = &gpu->pairs[gpu->pair_count++];
	if (!pair)
		abort();
	snprintf(pair->key, sizeof pair->key, "%s", key);
	snprintf(pair->value, sizeof pair->value, "%s", value);
}

/* GPU 2 like GPU 1, with its own address, UUID and serial number. */
static void repeat(int copies)
{
	int first = fake_gpu_count;

	for (int i = 1; i < copies && fake_gpu_count < GPUS; i++) {
		char text[112];

		fake_gpus[++fake_gpu_count] = fake_gpus[first];
		fake_gpus[fake_gpu_count].number = fake_gpu_count - 1;
		snprintf(text, sizeof text, "0000:%02x:00.0", 0x10 + fake_gpu_count);
		put(&fake_gpus[fake_gpu_count], "pci", text);
		snprintf(text, sizeof text, "GPU-%08x-0000-4000-8000-000000000000", fake_gpu_count);
		put(&fake_gpus[fake_gpu_count], "UUID", text);
	}
}

static void read_instances(struct fake_gpu *gpu)
{
	for (int i = 0; i < INSTANCES; i++) {
		struct fake_instance *instance = &fake_instances[gpu->number][i];
		char key[16];
		const char *value;

		snprintf(key, sizeof key, "mig.%d", i);
		value = fake_look_up(gpu, key);
		memset(instance, 0, sizeof *instance);
		if (!value)
			continue;
		if (sscanf(value, "%u %u %llu %llu %u %95[^\n]", &instance->gi, &instance->ci,
		           &instance->total, &instance->used, &instance->sm, instance->name) != 6)
			abort();
		instance->gpu = gpu;
		instance->slot = i;
	}
}

static void take_line(struct fake_gpu *gpu, char *line)
{
	char *equals = strchr(line, '='), *key = line + strspn(line, " \t"), *end;

	if (!equals || *key == '#')
		return;
	end = equals;
	while (end > key && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	equals += 1 + strspn(equals + 1, " \t");
	equals[strcspn(equals, "\r\n")] = '\0';
	if (strcmp(key, "repeat") == 0)
		repeat(atoi(equals));
	else
		put(gpu, key, equals);
	if (strncmp(key, "mig.", 4) == 0)
		read_instances(gpu);
}

EXPORT void fake_nvml_clock(double seconds);
void fake_nvml_clock(double seconds)
{
	clock_by_hand = true;
	clock_s = seconds;
}

EXPORT void fake_nvml_line(const char *text);
void fake_nvml_line(const char *text)
{
	char line[256];
	int number = fake_gpu_count, skip = 0;

	if (sscanf(text, "@%d %n", &number, &skip) == 1)
		number++;
	snprintf(line, sizeof line, "%s", text + skip);
	take_line(&fake_gpus[number], line);
}

static void read_profile(void)
{
	const char *path = getenv("FAKE_NVML_PROFILE");
	FILE *file = path ? fopen(path, "r") : NULL;
	char line[256];

	memset(fake_gpus, 0, sizeof fake_gpus);
	fake_gpu_count = 0;
	while (file && fgets(line, sizeof line, file)) {
		if (strncmp(line, "[gpu]", 5) == 0 && fake_gpu_count < GPUS) {
			fake_gpu_count++;
			fake_gpus[fake_gpu_count].number = fake_gpu_count - 1;
		} else {
			take_line(&fake_gpus[fake_gpu_count], line);
		}
	}
	if (file)
		fclose(file);
}

/* --- answers ---------------------------------------------------------------------- */

bool fake_is_lost(const struct fake_gpu *gpu)
{
	const char *value = fake_look_up(gpu, "lost");
	double from = 0, until = 1e300;

	return value && sscanf(value, "%lf %lf", &from, &until) >= 1 && fake_now() >= from &&
	       fake_now() < until;
}

struct fake_instance *fake_instance(nvml_device device)
{
	char *place = (char *)device;

	return place >= (char *)fake_instances &&
	                       place < (char *)fake_instances + sizeof fake_instances
	               ? (struct fake_instance *)(void *)device
	               : NULL;
}

nvml_return fake_answer(nvml_device device, const char *key, double *ret_number,
                        const char **ret_text)
{
	struct fake_instance *instance = fake_instance(device);
	const struct fake_gpu *gpu =
		instance ? instance->gpu : (const struct fake_gpu *)(void *)device;
	char other[64];
	const char *value, *without = fake_look_up(&fake_gpus[0], "without");
	double start, rate;
	int code;

	if (!fake_started)
		return NVML_UNINITIALISED;
	if (fake_is_lost(gpu))
		return NVML_LOST;
	snprintf(other, sizeof other, "hang.%s", key);
	value = fake_look_up(gpu, other);
	if (value)
		usleep((useconds_t)(atof(value) * 1e6));
	if (without && strcmp(without, key) == 0)
		return NVML_NO_FUNCTION;
	if (instance)
		return NVML_NOT_SUPPORTED;
	value = fake_look_up(gpu, key);
	if (!value)
		return NVML_NOT_SUPPORTED;
	if (sscanf(value, "error %d", &code) == 1)
		return code;
	if (ret_text)
		*ret_text = value;
	if (ret_number && sscanf(value, "ramp %lf %lf", &start, &rate) == 2)
		*ret_number = start + rate * fake_now();
	else if (ret_number)
		*ret_number = strtod(value, NULL);
	return NVML_OK;
}

nvml_return fake_number(nvml_device device, const char *key, unsigned *value)
{
	double d;
	nvml_return result = fake_answer(device, key, &d, NULL);

	if (result == NVML_OK)
		*value = (unsigned)d;
	return result;
}

nvml_return fake_two(nvml_device device, const char *key, unsigned *a, unsigned *b)
{
	const char *value;
	nvml_return result = fake_answer(device, key, NULL, &value);

	if (result == NVML_OK && sscanf(value, "%u %u", a, b) != 2)
		return NVML_UNKNOWN;
	return result;
}

nvml_return fake_indexed(nvml_device device, const char *key, int index, unsigned *value)
{
	char whole[48];

	snprintf(whole, sizeof whole, "%s.%d", key, index);
	return fake_number(device, whole, value);
}

nvml_return fake_text(nvml_device device, const char *key, char *target, unsigned bytes)
{
	const char *value;
	nvml_return result = fake_answer(device, key, NULL, &value);

	if (result == NVML_OK && strlen(value) >= bytes)
		return NVML_TOO_SMALL;
	if (result == NVML_OK)
		memcpy(target, value, strlen(value) + 1);
	return result;
}

nvml_return fake_library_text(const char *key, char *target, unsigned bytes)
{
	const char *value = fake_look_up(&fake_gpus[0], key);

	snprintf(target, bytes, "%s", value ? value : "1.0");
	return NVML_OK;
}

nvml_return fake_wide(nvml_device d, const char *key, unsigned long long *value)
{
	double v;
	nvml_return result = fake_answer(d, key, &v, NULL);

	if (result == NVML_OK)
		*value = (unsigned long long)v;
	return result;
}

nvml_return fake_init(void)
{
	const char *value;

	read_profile();
	value = fake_look_up(&fake_gpus[0], "init");
	fake_started = !value || atoi(value) == 0;
	return value ? atoi(value) : NVML_OK;
}
