/* hf: and ollama: names: local stores first, then a server that may misbehave.
 * The servers are the test's own, on the loopback. */
#include "http_server.h"

#include <time.h>

#include "model/readers.h"

static const char secret[] = "hf_verySecretToken123";

struct place {
	struct folder home;
	struct server server;
	struct wg_arena *arena;
	struct wg_hf_files files;
	struct wg_error error;
};

/* No setting of the machine may reach the test. */
static void clear_environment(void)
{
	static const char *const names[] = {
		"HF_HOME",        "HF_HUB_CACHE",   "HUGGINGFACE_HUB_CACHE",
		"XDG_CACHE_HOME", "HF_TOKEN",       "HF_TOKEN_PATH",
		"HF_ENDPOINT",    "HF_HUB_OFFLINE", "OLLAMA_MODELS",
		"http_proxy",     "https_proxy",    "all_proxy",
		"HTTP_PROXY",     "HTTPS_PROXY",    "ALL_PROXY",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
}

static int open_place(void **state)
{
	struct place *place = calloc(1, sizeof *place);
	char address[64];

	assert_non_null(place);
	clear_environment();
	folder_open(&place->home);
	setenv("HOME", place->home.path, 1);
	setenv("HF_HUB_DOWNLOAD_TIMEOUT", "1", 1);
	server_open(&place->server);
	snprintf(address, sizeof address, "http://127.0.0.1:%u", place->server.port);
	setenv("HF_ENDPOINT", address, 1);
	place->arena = wg_arena_open(0);
	wg_error_init(&place->error);
	*state = place;
	return 0;
}

static int close_place(void **state)
{
	struct place *place = *state;

	server_close(&place->server);
	wg_arena_free(place->arena);
	folder_done(&place->home);
	free(place);
	return 0;
}

static enum wg_status find(struct place *place, const char *name, bool offline)
{
	return wg_location_find_hf(name, offline, place->arena, &place->files, &place->error);
}

/* The token is in no sentence for people. */
static void check_failure(struct place *place, enum wg_status status, const char *words)
{
	check_status(find(place, "org/m", false), status, &place->error);
	check_contains(place->error.message, words);
	assert_null(strstr(place->error.message, secret));
	assert_null(strstr(place->error.hint, secret));
}

static void make_folders(const struct folder *root, const char *path)
{
	char whole[1024], part[1024];

	folder_path(root, path, whole);
	for (size_t i = strlen(root->path) + 1; i <= strlen(whole); i++) {
		if (whole[i] != '/' && whole[i] != '\0')
			continue;
		snprintf(part, sizeof part, "%.*s", (int)i, whole);
		mkdir(part, 0700);
	}
}

/* --- local stores ----------------------------------------------------------------- */

static void write_snapshot(const struct folder *home, const char *hub)
{
	char path[512];

	snprintf(path, sizeof path, "%s/models--org--m/refs", hub);
	make_folders(home, path);
	snprintf(path, sizeof path, "%s/models--org--m/snapshots/abc123", hub);
	make_folders(home, path);
	snprintf(path, sizeof path, "%s/models--org--m/refs/main", hub);
	folder_write_text(home, path, "abc123\n");
	snprintf(path, sizeof path, "%s/models--org--m/snapshots/abc123/config.json", hub);
	folder_write_text(home, path, "{}");
}

static void the_cache_comes_before_the_network(void **state)
{
	static const struct {
		const char *variable, *value, *hub;
	} places[] = {
		{ "HF_HUB_CACHE", "one", "one" },
		{ "HF_HOME", "two", "two/hub" },
		{ "XDG_CACHE_HOME", "three", "three/huggingface/hub" },
		{ NULL, NULL, ".cache/huggingface/hub" },
	};
	struct place *place = *state;
	char value[1024];

	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		write_snapshot(&place->home, places[i].hub);
		if (places[i].variable != NULL)
			setenv(places[i].variable,
			       folder_path(&place->home, places[i].value, value), 1);
		check_status(find(place, "org/m", true), WG_OK, &place->error);
		check_contains(place->files.folder, places[i].hub);
		check_contains(place->files.folder, "/snapshots/abc123");
		check_status(find(place, "org/m@abc123", true), WG_OK, &place->error);
		if (places[i].variable != NULL)
			unsetenv(places[i].variable);
	}
	assert_int_equal(place->server.requests, 0);
}

static void offline_forbids_the_network(void **state)
{
	struct place *place = *state;

	server_add(&place->server, "config.json", "{}");
	check_status(find(place, "org/m", true), WG_NOT_FOUND, &place->error);
	check_contains(place->error.hint, "--offline");
	setenv("HF_HUB_OFFLINE", "True", 1);
	check_status(find(place, "org/m", false), WG_NOT_FOUND, &place->error);
	assert_int_equal(place->server.requests, 0);
}

/* A cache that was tampered with leads nowhere. */
static void a_ref_is_no_path(void **state)
{
	struct place *place = *state;

	write_snapshot(&place->home, ".cache/huggingface/hub");
	make_folders(&place->home, "evil");
	folder_write_text(&place->home, "evil/config.json", "{}");
	folder_write_text(&place->home, ".cache/huggingface/hub/models--org--m/refs/main",
	                  "../../../../../evil");
	check_status(find(place, "org/m", true), WG_NOT_FOUND, &place->error);
}

static void names_are_checked(void **state)
{
	static const char *const bad[] = {
		"",        "/",     "a/",    "/b",       "a/b/c", "../x",
		"a/..",    "a/.b",  "a b/c", "-a/b",     "a/b@",  "a/b@../x",
		"a/b@x/y", "a/b?x", "a/b#x", "a/%2e%2e", "a\n/b",
	};
	struct place *place = *state;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check_status(find(place, bad[i], false), WG_BAD_INPUT, &place->error);
	assert_int_equal(place->server.requests, 0);
}

#define HEX64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void ollama_store(void **state)
{
	struct place *place = *state;
	const char *path = NULL;
	char store[1024];

	make_folders(&place->home, ".ollama/models/manifests/registry.ollama.ai/library/qwen3");
	folder_write_text(
		&place->home, ".ollama/models/manifests/registry.ollama.ai/library/qwen3/8b",
		"{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.template\",\"digest\":"
		"\"sha256:00\"},{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":"
		"\"sha256:" HEX64 "\",\"size\":5}]}");
	check_status(wg_location_find_ollama("qwen3:8b", place->arena, &path, &place->error), WG_OK,
	             &place->error);
	check_contains(path, ".ollama/models/blobs/sha256-" HEX64);
	make_folders(&place->home, "s/manifests/hf.co/org/m");
	folder_write_text(
		&place->home, "s/manifests/hf.co/org/m/latest",
		"{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":"
		"\"sha256:" HEX64 "\"}]}");
	setenv("OLLAMA_MODELS", folder_path(&place->home, "s", store), 1);
	check_status(wg_location_find_ollama("hf.co/org/m", place->arena, &path, &place->error),
	             WG_OK, &place->error);
	check_contains(path, "/s/blobs/sha256-");
	check_status(wg_location_find_ollama("none", place->arena, &path, &place->error),
	             WG_NOT_FOUND, &place->error);
	check_contains(place->error.hint, "ollama pull none");
	check_status(wg_location_find_ollama("a/b/c/d", place->arena, &path, &place->error),
	             WG_BAD_INPUT, &place->error);
	check_status(wg_location_find_ollama("../x", place->arena, &path, &place->error),
	             WG_BAD_INPUT, &place->error);
}

static void an_ollama_digest_is_no_path(void **state)
{
	struct place *place = *state;
	const char *path = NULL;

	make_folders(&place->home, ".ollama/models/manifests/registry.ollama.ai/library/x");
	folder_write_text(
		&place->home, ".ollama/models/manifests/registry.ollama.ai/library/x/latest",
		"{\"layers\":[{\"mediaType\":\"application/vnd.ollama.image.model\",\"digest\":"
		"\"sha256:../../../../etc/passwd\"}]}");
	check_status(wg_location_find_ollama("x", place->arena, &path, &place->error), WG_BAD_INPUT,
	             &place->error);
	check_contains(place->error.message, "no model layer");
}

/* --- fetching ------------------------------------------------------------------------ */

static const char config[] = "{\"model_type\":\"llama\"}";
static const char header[] =
	"{\"a\":{\"dtype\":\"BF16\",\"shape\":[40000],\"data_offsets\":[0,80000]}}";

static void texts_and_a_header(void **state)
{
	struct place *place = *state;
	struct bytes bytes = { 0 };

	safetensors(&bytes, header, 80000);
	server_add(&place->server, "/org/m/resolve/main/config.json", config);
	server_add(&place->server, "hf_quant_config.json", "{\"q\":1}");
	struct server_file *file = server_add(&place->server, "/model.safetensors", "");
	file->data = bytes.at;
	file->length = bytes.length;
	check_status(find(place, "org/m", false), WG_OK, &place->error);
	assert_null(place->files.folder);
	assert_string_equal(place->files.config, config);
	assert_string_equal(place->files.quant_config, "{\"q\":1}");
	assert_null(place->files.index);
	assert_int_equal(place->files.table.count, 1);
	check_close(place->files.table.bytes, 80000, 0);
	server_keep(&place->server, &bytes);
}

/* A header longer than the first range takes a second one, never the data. */
static void a_long_header(void **state)
{
	struct place *place = *state;
	struct bytes text = { 0 }, bytes = { 0 };
	char entry[128];
	enum { COUNT = 2000 };

	for (int i = 0; i < COUNT; i++) {
		snprintf(entry, sizeof entry,
		         "%c\"t%d\":{\"dtype\":\"U8\",\"shape\":[10],\"data_offsets\":"
		         "[%d,%d]}",
		         i == 0 ? '{' : ',', i, 10 * i, 10 * i + 10);
		put(&text, entry, strlen(entry));
	}
	put(&text, "}", 2);
	safetensors(&bytes, (const char *)text.at, 10 * COUNT);
	assert_true(text.length > 65536);
	server_add(&place->server, "/config.json", config);
	struct server_file *file = server_add(&place->server, "/model.safetensors", "");
	file->data = bytes.at;
	file->length = bytes.length;
	check_status(find(place, "org/m", false), WG_OK, &place->error);
	assert_int_equal(place->files.table.count, COUNT);
	check_contains(place->server.log, "Range: bytes=0-65535");
	check_contains(place->server.log, "Range: bytes=65536-");
	bytes_done(&text);
	server_keep(&place->server, &bytes);
}

static void an_index_with_a_total_needs_no_headers(void **state)
{
	struct place *place = *state;

	server_add(&place->server, "config.json", config);
	server_add(&place->server, "model.safetensors.index.json",
	           "{\"metadata\":{\"total_size\":16},\"weight_map\":{\"a\":\"x.safetensors\"}}");
	check_status(find(place, "org/m", false), WG_OK, &place->error);
	check_contains(place->files.index, "total_size");
	assert_int_equal(place->files.table.count, 0);
}

static void an_index_without_a_total_asks_the_shards(void **state)
{
	struct place *place = *state;
	struct bytes bytes = { 0 };

	safetensors(&bytes, header, 80000);
	server_add(&place->server, "config.json", config);
	server_add(&place->server, "model.safetensors.index.json",
	           "{\"metadata\":{},\"weight_map\":{\"a\":\"x-1.safetensors\"}}");
	struct server_file *file = server_add(&place->server, "x-1.safetensors", "");
	file->data = bytes.at;
	file->length = bytes.length;
	check_status(find(place, "org/m", false), WG_OK, &place->error);
	check_close(place->files.table.bytes, 80000, 0);
	server_keep(&place->server, &bytes);
}

static void answers_that_refuse(void **state)
{
	static const struct {
		int status;
		enum wg_status expected;
		const char *words;
	} cases[] = {
		{ 401, WG_NOT_FOUND, "needs permission" },
		{ 403, WG_NOT_FOUND, "needs permission" },
		{ 429, WG_SYSTEM, "slow down" },
		{ 500, WG_SYSTEM, "HTTP 500" },
		{ 503, WG_SYSTEM, "HTTP 503" },
	};
	struct place *place = *state;
	struct server_file *file = server_add(&place->server, "config.json", "");

	setenv("HF_TOKEN", secret, 1);
	file->fault = FAULT_STATUS;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		file->status = cases[i].status;
		check_failure(place, cases[i].expected, cases[i].words);
		if (cases[i].status == 429)
			check_contains(place->error.hint, "17 s");
	}
	check_contains(place->server.log, "Authorization: Bearer hf_verySecretToken123");
}

static void nothing_there(void **state)
{
	check_failure(*state, WG_NOT_FOUND, "has no config.json, or there is no such model");
}

static void a_token_from_its_file(void **state)
{
	struct place *place = *state;

	make_folders(&place->home, ".cache/huggingface");
	folder_write_text(&place->home, ".cache/huggingface/token", "hf_fromFile\n");
	find(place, "org/m", false);
	check_contains(place->server.log, "Authorization: Bearer hf_fromFile\r\n");
}

/* What would end the header line is no token. */
static void a_token_cannot_add_headers(void **state)
{
	struct place *place = *state;

	setenv("HF_TOKEN", "abc\r\nX-Evil: 1", 1);
	find(place, "org/m", false);
	assert_null(strstr(place->server.log, "X-Evil"));
}

static void a_redirect_keeps_the_token_at_home(void **state)
{
	struct place *place = *state;
	struct server other;
	char target[128];

	setenv("HF_TOKEN", secret, 1);
	server_open(&other);
	server_add(&other, "/there.json", config);
	snprintf(target, sizeof target, "http://127.0.0.1:%u/there.json", other.port);
	struct server_file *file = server_add(&place->server, "/main/config.json", "");
	file->fault = FAULT_REDIRECT;
	file->target = target;
	check_status(find(place, "org/m", false), WG_OK, &place->error);
	assert_string_equal(place->files.config, config);
	check_contains(place->server.log, secret);
	check_contains(other.log, "GET /there.json");
	assert_null(strstr(other.log, "Authorization"));
	assert_null(strstr(other.log, secret));
	server_close(&other);
}

static void a_redirect_within_the_server_keeps_it(void **state)
{
	struct place *place = *state;

	setenv("HF_TOKEN", secret, 1);
	struct server_file *file = server_add(&place->server, "/main/config.json", "");
	file->fault = FAULT_REDIRECT;
	file->target = "/moved/elsewhere.json";
	server_add(&place->server, "/moved/elsewhere.json", config);
	check_status(find(place, "org/m", false), WG_OK, &place->error);
	const char *moved = strstr(place->server.log, "GET /moved/elsewhere.json");
	assert_non_null(moved);
	check_contains(moved, secret);
}

static void redirects_end(void **state)
{
	static const char *const targets[] = { "file:///etc/passwd", "ftp://127.0.0.1/x" };
	struct place *place = *state;
	struct server_file *file = server_add(&place->server, "/config.json", "");

	file->fault = FAULT_REDIRECT;
	file->target = "/org/m/resolve/main/config.json";
	check_failure(place, WG_SYSTEM, "redirects");
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		file->target = targets[i];
		assert_int_equal(find(place, "org/m", false), WG_SYSTEM);
	}
}

static void a_body_that_is_cut_off(void **state)
{
	struct place *place = *state;
	struct server_file *file = server_add(&place->server, "config.json", config);

	file->fault = FAULT_CUT;
	check_failure(place, WG_SYSTEM, "cut off");
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static void a_server_that_never_answers(void **state)
{
	struct place *place = *state;
	struct timespec start;

	server_add(&place->server, "config.json", config)->fault = FAULT_SILENT;
	clock_gettime(CLOCK_MONOTONIC, &start);
	check_failure(place, WG_SYSTEM, "does not answer");
	assert_true(seconds_since(&start) < 20);
}

static void a_server_that_ignores_ranges(void **state)
{
	struct place *place = *state;

	server_add(&place->server, "/config.json", config);
	server_add(&place->server, "/model.safetensors", "")->fault = FAULT_NO_RANGE;
	check_failure(place, WG_NOT_SUPPORTED, "ignores byte ranges");
	/* What lies in socket buffers has been sent; the gigabytes have not. */
	assert_true(place->server.bytes_sent < (long)64 << 20);
}

static void a_server_that_sends_another_range(void **state)
{
	struct place *place = *state;
	struct bytes bytes = { 0 };

	safetensors(&bytes, header, 80000);
	server_add(&place->server, "/config.json", config);
	struct server_file *file = server_add(&place->server, "/model.safetensors", "");
	file->data = bytes.at;
	file->length = bytes.length;
	file->fault = FAULT_OTHER_RANGE;
	check_failure(place, WG_SYSTEM, "another range");
	file->fault = FAULT_CUT;
	check_failure(place, WG_SYSTEM, "cut off");
	server_keep(&place->server, &bytes);
}

static void nobody_listens(void **state)
{
	setenv("HF_ENDPOINT", "http://127.0.0.1:9", 1);
	check_failure(*state, WG_SYSTEM, "127.0.0.1:9");
	setenv("HF_ENDPOINT", "file:///etc", 1);
	check_failure(*state, WG_BAD_INPUT, "no http address");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_cache_comes_before_the_network),
		TEST(offline_forbids_the_network),
		TEST(a_ref_is_no_path),
		TEST(names_are_checked),
		TEST(ollama_store),
		TEST(an_ollama_digest_is_no_path),
#ifdef WG_HAVE_CURL
		TEST(texts_and_a_header),
		TEST(a_long_header),
		TEST(an_index_with_a_total_needs_no_headers),
		TEST(an_index_without_a_total_asks_the_shards),
		TEST(answers_that_refuse),
		TEST(nothing_there),
		TEST(a_token_from_its_file),
		TEST(a_token_cannot_add_headers),
		TEST(a_redirect_keeps_the_token_at_home),
		TEST(a_redirect_within_the_server_keeps_it),
		TEST(redirects_end),
		TEST(a_body_that_is_cut_off),
		TEST(a_server_that_never_answers),
		TEST(a_server_that_ignores_ranges),
		TEST(a_server_that_sends_another_range),
		TEST(nobody_listens),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
