/* The exporter over real sockets: scrapes, other requests, hostile clients. */
#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/exporter.h"

#define FAKE WG_BUILD_ROOT "/tests/fake-nvml/libnvidia-ml.so.1"
#define PROFILES WG_SOURCE_ROOT "/tests/fake-nvml/profiles/"

static struct wg_sampler *sampler;
static struct wg_exporter *exporter;
static struct wg_error error;
static uint16_t port;

static void begin(struct wg_sampler_options options)
{
	check_status(wg_sampler_open(&options, &sampler, &error), WG_OK, &error);
	check_status(wg_exporter_open(":0", METRICS_OWN, sampler, &exporter, &error), WG_OK,
	             &error);
	port = (uint16_t)strtoul(wg_exporter_url(exporter) + strlen("http://127.0.0.1:"), NULL, 10);
	assert_true(port > 0);
}

static void begin_demo(unsigned gpus)
{
	begin((struct wg_sampler_options){
		.probe = { .demo_gpus = gpus }, .interval_s = 0.01, .timeout_s = 5 });
	assert_true(wg_sampler_wait(sampler, 1, 20));
}

static void end(void)
{
	wg_exporter_free(exporter);
	wg_sampler_free(sampler);
}

static int dial(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct timeval patience = { .tv_sec = 20 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Sends the request, reads to the end of the stream; bytes read, -1 on failure. */
static long ask(const char *request, char *answer, size_t answer_bytes)
{
	int fd = dial();
	size_t length = 0, sent = strlen(request);

	if (fd < 0)
		return -1;
	if (send(fd, request, sent, MSG_NOSIGNAL) != (ssize_t)sent) {
		close(fd);
		return -1;
	}
	while (length < answer_bytes - 1) {
		ssize_t n = recv(fd, answer + length, answer_bytes - 1 - length, 0);

		if (n <= 0)
			break;
		length += (size_t)n;
	}
	answer[length] = '\0';
	close(fd);
	return (long)length;
}

#define GET "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

static bool scrape(void)
{
	static __thread char answer[1 << 18];

	return ask(GET, answer, sizeof answer) > 0 && strncmp(answer, "HTTP/1.1 200", 12) == 0 &&
	       strstr(answer, "whichgpu_gpu_power_watts{") != NULL;
}

static void a_scrape_and_other_requests(void **state)
{
	static char answer[1 << 18];
	static const struct {
		const char *request, *begin, *has;
	} cases[] = {
		{ GET, "HTTP/1.1 200", "version=0.0.4" },
		{ "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: application/openmetrics-text;version=1.0.0,"
		  "text/plain;q=0.5\r\nConnection: close\r\n\r\n",
		  "HTTP/1.1 200", "# EOF" },
		{ "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "HTTP/1.1 200",
		  "/metrics" },
		{ "GET /etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		  "HTTP/1.1 404", "" },
		{ "GET /../../x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "HTTP/1.1 404",
		  "" },
		{ "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc",
		  "HTTP/1.1 405", "Allow: GET, HEAD" },
		{ "DELETE /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		  "HTTP/1.1 405", "" },
		{ "BREW /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "HTTP/1.1 405",
		  "" },
	};

	begin_demo(2);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_true(ask(cases[i].request, answer, sizeof answer) > 0);
		assert_memory_equal(answer, cases[i].begin, strlen(cases[i].begin));
		check_contains(answer, cases[i].has);
	}
	assert_true(ask("HEAD /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", answer,
	                sizeof answer) > 0);
	assert_null(strstr(answer, "whichgpu_gpu"));
	end();
}

static void hostile_bytes_do_not_stop_it(void **state)
{
	static char answer[1 << 18], big[200000];
	static const char *const requests[] = {
		"\r\n\r\n\r\n\r\n",
		"GET\r\n\r\n",
		"GET /metrics\r\n\r\n",
		"\x16\x03\x01\x02\x00\x01",
		"GET /metrics HTTP/9.9\r\n\r\n",
		"GET /metrics HTTP/1.1\r\n: x\r\n\r\n",
		"GET /metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		"GET /metrics HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
		"POST /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
		"GET /metrics HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
	};

	begin_demo(1);
	for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
		int fd = dial();

		assert_true(fd >= 0);
		assert_true(send(fd, requests[i], strlen(requests[i]), MSG_NOSIGNAL) > 0);
		close(fd);
		assert_true(scrape());
	}
	/* A header and a request line larger than the room of a connection. */
	memset(big, 'a', sizeof big - 1);
	memcpy(big, "GET /metrics HTTP/1.1\r\nX: ", 26);
	ask(big, answer, sizeof answer);
	assert_true(strncmp(answer, "HTTP/1.1 200", 12) != 0);
	memset(big, 'a', sizeof big - 1);
	memcpy(big, "GET /", 5);
	answer[0] = '\0';
	ask(big, answer, sizeof answer);
	assert_true(strncmp(answer, "HTTP/1.1 200", 12) != 0);
	assert_true(scrape());
	end();
}

/* More slow clients than there are places: each sends a part of a request and waits. */
static void slow_clients_take_no_place(void **state)
{
	int slow[400];

	begin_demo(1);
	for (int i = 0; i < 400; i++) {
		slow[i] = dial();
		if (slow[i] >= 0)
			send(slow[i], "GET /metrics HTTP/1.1\r\nX-a: b\r\n", 31, MSG_NOSIGNAL);
		if (i % 50 == 0)
			assert_true(scrape());
	}
	for (int i = 0; i < 20; i++)
		assert_true(scrape());
	for (int i = 0; i < 400; i++) {
		if (slow[i] >= 0)
			close(slow[i]);
	}
	assert_true(scrape());
	end();
}

/* A byte now and then keeps a connection from being silent; after 15 s without a whole
 * request it is cut all the same. The clock is the test's. */
static void a_drip_is_cut_off(void **state)
{
	double begun = wg_clock_s();
	int drip, quick;
	char byte;

	begin_demo(1);
	drip = dial();
	send(drip, "GET /metrics HTTP/1.1\r\nX: ", 26, MSG_NOSIGNAL);
	usleep(200000);
	wg_exporter_tend(exporter, begun + 14);
	assert_int_equal(send(drip, "a", 1, MSG_NOSIGNAL), 1);
	assert_int_equal(recv(drip, &byte, 1, MSG_DONTWAIT), -1);
	wg_exporter_tend(exporter, begun + 20);
	assert_true(recv(drip, &byte, 1, 0) <= 0);
	close(drip);
	/* One that asks anew all the time is not. */
	quick = dial();
	for (int i = 0; i < 3; i++) {
		char answer[512];

		assert_true(send(quick, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27, MSG_NOSIGNAL) ==
		            27);
		assert_true(recv(quick, answer, sizeof answer, 0) > 0);
		usleep(50000);
		wg_exporter_tend(exporter, wg_clock_s() + 14);
	}
	close(quick);
	end();
}

static void a_hung_driver_blocks_no_scrape(void **state)
{
	static char answer[1 << 18];
	double begun;
	bool stale = false;

	setenv("FAKE_NVML_PROFILE", PROFILES "hang.profile", 1);
	begin((struct wg_sampler_options){ .probe = { .nvml_path = FAKE, .root = "/nonexistent" },
	                                   .interval_s = 0.01,
	                                   .timeout_s = 0.2 });
	/* Before the first answer there is a page too. */
	begun = wg_clock_s();
	assert_true(ask(GET, answer, sizeof answer) > 0);
	assert_true(wg_clock_s() - begun < 5);
	check_contains(answer, "whichgpu_samples_total 0");
	assert_true(wg_sampler_wait(sampler, 0, 20));
	for (int i = 0; i < 300 && !stale; i++) {
		begun = wg_clock_s();
		assert_true(ask(GET, answer, sizeof answer) > 0);
		assert_true(wg_clock_s() - begun < 5);
		stale = strstr(answer, "backend=\"probe\",state=\"hung\"") &&
		        !strstr(answer, "celsius{");
		usleep(5000);
	}
	assert_true(stale);
	check_contains(answer,
	               "whichgpu_gpu_up{vendor=\"nvidia\",gpu=\"0\",key=\"0000:19:00.0\"} 0");
	end();
}

/* A thousand in all by 50 clients; WHICHGPU_LONG=1 makes it ten thousand. */
static int scrapes_each = 20;

static void *many_scrapes(void *opaque)
{
	size_t *failed = opaque;

	for (int i = 0; i < scrapes_each; i++) {
		if (!scrape())
			__atomic_add_fetch(failed, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void scrapes_while_gpus_come_and_go(void **state)
{
	pthread_t threads[50];
	size_t failed = 0;

	if (getenv("WHICHGPU_LONG"))
		scrapes_each = 200;
	setenv("FAKE_NVML_PROFILE", PROFILES "coming-and-going.profile", 1);
	begin((struct wg_sampler_options){ .probe = { .nvml_path = FAKE, .root = "/nonexistent" },
	                                   .interval_s = 0.02,
	                                   .timeout_s = 30 });
	assert_true(wg_sampler_wait(sampler, 1, 20));
	for (int i = 0; i < 50; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, many_scrapes, &failed), 0);
	for (int i = 0; i < 50; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(failed, 0);
	assert_int_equal(wg_exporter_scrapes(exporter), 50 * scrapes_each);
	end();
}

static void addresses(void **state)
{
	static const char *const bad[] = {
		"",        ":",      ":x",    ":70000",     ":-1",           "example.org:80",
		"1.2.3:9", "[::1:9", "::1:9", "1.2.3.4:9x", "localhost:9400"
	};
	struct wg_exporter *other;

	begin_demo(1);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(wg_exporter_open(bad[i], METRICS_OWN, sampler, &other, &error),
		                 WG_BAD_INPUT);
	check_status(wg_exporter_open("0", METRICS_OWN, sampler, &other, &error), WG_OK, &error);
	check_contains(wg_exporter_url(other), "http://127.0.0.1:");
	wg_exporter_free(other);
	check_status(wg_exporter_open("0.0.0.0:0", METRICS_OWN, sampler, &other, &error), WG_OK,
	             &error);
	check_contains(wg_exporter_url(other), "http://0.0.0.0:");
	wg_exporter_free(other);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scrape_and_other_requests),
		cmocka_unit_test(hostile_bytes_do_not_stop_it),
		cmocka_unit_test(slow_clients_take_no_place),
		cmocka_unit_test(a_drip_is_cut_off),
		cmocka_unit_test(a_hung_driver_blocks_no_scrape),
		cmocka_unit_test(scrapes_while_gpus_come_and_go),
		cmocka_unit_test(addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
