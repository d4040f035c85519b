#include "http/exporter.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/i18n.h"
#include "http/mhd_lazy.h"
#include "whichgpu/limits.h"
#include "whichgpu/number.h"

#define CONNECTIONS 256      /* held at once; one more closes the oldest idle one */
#define CONNECTIONS_HARD 512 /* refused by the library */
#define IDLE_S 10            /* the library closes a silent connection */
#define REQUEST_S 15.0       /* longest wait for a whole request */
#define MEMORY_BYTES 32768   /* of a connection: a longer request line or header is refused */

struct connection {
	int fd;         /* -1: free */
	double since_s; /* opened, or last request done */
};

struct wg_exporter {
	struct MHD_Daemon *daemon;
	struct wg_sampler *sampler;
	enum metrics_names names;
	char host[128], url[128];
	/* The library's one thread alone: */
	struct wg_sample sample;
	struct wg_text page;
	/* Shared with tend: */
	pthread_mutex_t mutex;
	struct connection connections[CONNECTIONS_HARD];
	uint64_t scrapes;
};

/* --- connections ------------------------------------------------------------------------- */

static int fd_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		wg_mhd()->MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

/* The library closes the descriptor after this; until then its number is ours. */
static void forget(struct wg_exporter *exporter, int fd)
{
	for (int i = 0; i < CONNECTIONS_HARD; i++) {
		if (exporter->connections[i].fd == fd)
			exporter->connections[i].fd = -1;
	}
}

static void remember(struct wg_exporter *exporter, int fd)
{
	struct connection *free_one = NULL, *oldest = NULL;
	int held = 0;

	for (int i = 0; i < CONNECTIONS_HARD; i++) {
		struct connection *one = &exporter->connections[i];

		if (one->fd < 0) {
			free_one = one;
			continue;
		}
		held++;
		if (!oldest || one->since_s < oldest->since_s)
			oldest = one;
	}
	if (held >= CONNECTIONS && oldest)
		shutdown(oldest->fd, SHUT_RDWR);
	if (free_one)
		*free_one = (struct connection){ fd, wg_clock_s() };
}

static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
	struct wg_exporter *exporter = context;
	int fd = fd_of(connection);

	if (fd < 0)
		return;
	pthread_mutex_lock(&exporter->mutex);
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		remember(exporter, fd);
	else
		forget(exporter, fd);
	pthread_mutex_unlock(&exporter->mutex);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **request_context,
                         enum MHD_RequestTerminationCode code)
{
	struct wg_exporter *exporter = context;
	int fd = fd_of(connection);

	pthread_mutex_lock(&exporter->mutex);
	for (int i = 0; i < CONNECTIONS_HARD; i++) {
		if (fd >= 0 && exporter->connections[i].fd == fd)
			exporter->connections[i].since_s = wg_clock_s();
	}
	pthread_mutex_unlock(&exporter->mutex);
}

void wg_exporter_tend(struct wg_exporter *exporter, double clock_s)
{
	pthread_mutex_lock(&exporter->mutex);
	for (int i = 0; i < CONNECTIONS_HARD; i++) {
		struct connection *one = &exporter->connections[i];

		/* The library sees the end of the stream and takes the connection down. */
		if (one->fd >= 0 && clock_s - one->since_s > REQUEST_S)
			shutdown(one->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&exporter->mutex);
}

/* --- answers ------------------------------------------------------------------------------- */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned code, const char *type,
                              const char *bytes, size_t length)
{
	struct MHD_Response *response;
	enum MHD_Result result;
	/* Older editions of the library take the bytes without const and do not write. */
	union {
		const char *from;
		void *to;
	} body = { .from = bytes };

	response =
		wg_mhd()->MHD_create_response_from_buffer(length, body.to, MHD_RESPMEM_MUST_COPY);
	if (!response)
		return MHD_NO;
	wg_mhd()->MHD_add_response_header(response, "Content-Type", type);
	wg_mhd()->MHD_add_response_header(response, "Cache-Control", "no-store");
	if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
		wg_mhd()->MHD_add_response_header(response, "Allow", "GET, HEAD");
	result = wg_mhd()->MHD_queue_response(connection, code, response);
	wg_mhd()->MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned code,
                                   const char *text)
{
	return answer(connection, code, "text/plain; charset=utf-8", text, strlen(text));
}

static bool wants_open_metrics(struct MHD_Connection *connection)
{
	const char *accept =
		wg_mhd()->MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept");

	return accept && strstr(accept, "application/openmetrics-text") != NULL;
}

static enum MHD_Result answer_metrics(struct wg_exporter *exporter,
                                      struct MHD_Connection *connection)
{
	struct metrics_options options = {
		.names = exporter->names,
		.open_metrics = exporter->names == METRICS_OWN && wants_open_metrics(connection),
		.host = exporter->host,
		.age_s = NAN,
	};
	struct wg_error error;

	wg_error_init(&error);
	if (wg_sampler_get(exporter->sampler, &exporter->sample, &options.number, &error) != WG_OK)
		return answer_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, error.message);
	if (options.number > 0)
		options.age_s = wg_clock_s() - exporter->sample.clock_s;
	wg_text_clear(&exporter->page);
	metrics_write(&exporter->sample, &options, &exporter->page);
	if (exporter->page.failed)
		return answer_text(connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory\n");
	pthread_mutex_lock(&exporter->mutex);
	exporter->scrapes++;
	pthread_mutex_unlock(&exporter->mutex);
	return answer(connection, MHD_HTTP_OK,
	              options.open_metrics
	                      ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
	                      : "text/plain; version=0.0.4; charset=utf-8",
	              wg_text_string(&exporter->page), exporter->page.length);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_bytes, void **request_context)
{
	struct wg_exporter *exporter = context;
	static char seen; /* its address only */

	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET or HEAD\n");
	/* The first call has the headers only; answering on the second leaves the
	 * connection fit for the next request. */
	if (*request_context != &seen) {
		*request_context = &seen;
		return MHD_YES;
	}
	if (*upload_bytes > 0)
		return MHD_NO;
	if (strcmp(url, "/metrics") == 0)
		return answer_metrics(exporter, connection);
	if (strcmp(url, "/") == 0)
		return answer_text(connection, MHD_HTTP_OK, "whichgpu: metrics are at /metrics\n");
	return answer_text(connection, MHD_HTTP_NOT_FOUND, "not found; metrics are at /metrics\n");
}

/* --- address --------------------------------------------------------------------------------- */

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static enum wg_status bad_address(const char *text, struct wg_error *error)
{
	wg_error_set(error, WG_BAD_INPUT, "\"%s\" is no address to listen at", text);
	wg_error_hint(error,
	              "give :9400 for this machine only, or 0.0.0.0:9400 or [::]:9400 for all");
	return WG_BAD_INPUT;
}

static enum wg_status parse_address(const char *text, union address *ret_address,
                                    struct wg_error *error)
{
	const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
	size_t host_length = colon ? (size_t)(colon - text) : 0;
	union address address;
	char host[64];
	int64_t port;

	memset(&address, 0, sizeof address);
	if (!wg_integer_read(digits, strlen(digits), &port) || port < 0 || port > 65535 ||
	    host_length >= sizeof host)
		return bad_address(text, error);
	memcpy(host, text, host_length);
	host[host_length] = '\0';
	if (host[0] == '[' && host_length > 2 && host[host_length - 1] == ']') {
		host[host_length - 1] = '\0';
		address.six.sin6_family = AF_INET6;
		address.six.sin6_port = htons((uint16_t)port);
		if (inet_pton(AF_INET6, host + 1, &address.six.sin6_addr) != 1)
			return bad_address(text, error);
	} else {
		address.four.sin_family = AF_INET;
		address.four.sin_port = htons((uint16_t)port);
		if (inet_pton(AF_INET, host_length ? host : "127.0.0.1", &address.four.sin_addr) !=
		    1)
			return bad_address(text, error);
	}
	*ret_address = address;
	return WG_OK;
}

static void write_url(struct wg_exporter *exporter, const union address *address)
{
	const union MHD_DaemonInfo *info =
		wg_mhd()->MHD_get_daemon_info(exporter->daemon, MHD_DAEMON_INFO_BIND_PORT);
	char host[INET6_ADDRSTRLEN] = "";
	unsigned port = info ? info->port : 0;

	if (address->any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &address->six.sin6_addr, host, sizeof host);
		snprintf(exporter->url, sizeof exporter->url, "http://[%s]:%u/metrics", host, port);
	} else {
		inet_ntop(AF_INET, &address->four.sin_addr, host, sizeof host);
		snprintf(exporter->url, sizeof exporter->url, "http://%s:%u/metrics", host, port);
	}
}

/* --- life ------------------------------------------------------------------------------- */

static void quiet(void *context, const char *format, va_list arguments)
{
}

static enum wg_status start(struct wg_exporter *exporter, const char *text,
                            const union address *address, struct wg_error *error)
{
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG;

	if (address->any.sa_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	if (!wg_mhd())
		return wg_error_set(error, WG_SYSTEM, _("this machine has no \"%s\""),
		                    "libmicrohttpd");
	errno = 0;
	exporter->daemon = wg_mhd()->MHD_start_daemon(
		flags, 0, NULL, NULL, on_request, exporter, MHD_OPTION_EXTERNAL_LOGGER, quiet, NULL,
		MHD_OPTION_SOCK_ADDR, &address->any, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_HARD,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)MEMORY_BYTES, MHD_OPTION_NOTIFY_CONNECTION, on_connection, exporter,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, exporter, MHD_OPTION_END);
	if (!exporter->daemon) {
		wg_error_system(error, errno ? errno : EADDRNOTAVAIL, "listening at", text);
		wg_error_hint(error, "is the port taken? another one may be free");
		return WG_SYSTEM;
	}
	write_url(exporter, address);
	return WG_OK;
}

enum wg_status wg_exporter_open(const char *address, enum metrics_names names,
                                struct wg_sampler *sampler, struct wg_exporter **ret_exporter,
                                struct wg_error *error)
{
	union address where;
	enum wg_status status = parse_address(address, &where, error);
	struct wg_exporter *exporter;

	if (status != WG_OK)
		return status;
	exporter = calloc(1, sizeof *exporter);
	if (!exporter)
		return wg_error_no_memory(error);
	exporter->sampler = sampler;
	exporter->names = names;
	if (gethostname(exporter->host, sizeof exporter->host - 1) != 0)
		exporter->host[0] = '\0';
	wg_sample_init(&exporter->sample);
	wg_text_init(&exporter->page, WG_LIMIT_TEXT_BYTES);
	pthread_mutex_init(&exporter->mutex, NULL);
	for (int i = 0; i < CONNECTIONS_HARD; i++)
		exporter->connections[i].fd = -1;
	status = start(exporter, address, &where, error);
	if (status != WG_OK)
		wg_exporter_free(exporter);
	else
		*ret_exporter = exporter;
	return status;
}

void wg_exporter_free(struct wg_exporter *exporter)
{
	if (!exporter)
		return;
	if (exporter->daemon)
		wg_mhd()->MHD_stop_daemon(exporter->daemon);
	pthread_mutex_destroy(&exporter->mutex);
	wg_sample_done(&exporter->sample);
	wg_text_done(&exporter->page);
	free(exporter);
}

const char *wg_exporter_url(const struct wg_exporter *exporter)
{
	return exporter->url;
}

uint64_t wg_exporter_scrapes(struct wg_exporter *exporter)
{
	uint64_t scrapes;

	pthread_mutex_lock(&exporter->mutex);
	scrapes = exporter->scrapes;
	pthread_mutex_unlock(&exporter->mutex);
	return scrapes;
}
