/* A small HTTP server on the loopback for the tests of fetching: one thread,
 * one connection at a time, answers by path. It misbehaves on demand. */
#ifndef WG_TESTS_HTTP_SERVER_H
#define WG_TESTS_HTTP_SERVER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "bytes.h"

enum server_fault {
	FAULT_NONE,
	FAULT_STATUS,      /* answers `status` with no body */
	FAULT_REDIRECT,    /* 302 to `target` */
	FAULT_CUT,         /* promises all, sends half, hangs up */
	FAULT_SILENT,      /* never answers */
	FAULT_NO_RANGE,    /* answers a range request with 200 and without end */
	FAULT_OTHER_RANGE, /* answers with another range */
};

struct server_file {
	const char *path; /* whole path; also matches when the request's ends so */
	const void *data;
	size_t length;
	enum server_fault fault;
	int status;
	const char *target;
};

struct server {
	int listener;
	unsigned short port;
	pthread_t thread;
	atomic_bool stop;
	struct server_file files[16];
	size_t file_count;
	struct bytes kept[4]; /* freed once nothing is sent any more */
	size_t kept_count;
	atomic_int requests;
	atomic_long bytes_sent;
	char log[16384]; /* the requests as they came, each ended by a blank line */
	pthread_mutex_t lock;
};

static inline void server_send(struct server *server, int client, const void *data, size_t length)
{
	const char *at = data;

	while (length > 0) {
		ssize_t sent = send(client, at, length, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		at += sent;
		length -= (size_t)sent;
		atomic_fetch_add(&server->bytes_sent, sent);
	}
}

__attribute__((format(printf, 3, 4))) static inline void server_say(struct server *server,
                                                                    int client, const char *format,
                                                                    ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	server_send(server, client, text, (size_t)length);
}

/* Gigabytes, until the client hangs up. */
static inline void server_flood(struct server *server, int client)
{
	static const char block[65536];

	server_say(server, client, "HTTP/1.1 200 OK\r\nContent-Length: 8589934592\r\n\r\n");
	for (long before = -1; before != atomic_load(&server->bytes_sent);) {
		before = atomic_load(&server->bytes_sent);
		server_send(server, client, block, sizeof block);
	}
}

static inline void server_range(struct server *server, int client, const struct server_file *file,
                                size_t first, size_t last)
{
	size_t shift = file->fault == FAULT_OTHER_RANGE;

	if (last >= file->length)
		last = file->length - 1;
	server_say(server, client,
	           "HTTP/1.1 206 Partial Content\r\nContent-Length: %zu\r\n"
	           "Content-Range: bytes %zu-%zu/%zu\r\n\r\n",
	           last - first + 1, first + shift, last + shift, file->length);
	server_send(server, client, (const char *)file->data + first,
	            file->fault == FAULT_CUT ? (last - first + 1) / 2 : last - first + 1);
}

static inline void server_file(struct server *server, int client, const struct server_file *file,
                               const char *request)
{
	const char *range = strstr(request, "\r\nRange: bytes=");

	if (range != NULL) {
		char *end;
		size_t first = strtoul(range + 15, &end, 10), last = strtoul(end + 1, NULL, 10);

		server_range(server, client, file, first, last);
		return;
	}
	server_say(server, client, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", file->length);
	server_send(server, client, file->data,
	            file->fault == FAULT_CUT ? file->length / 2 : file->length);
}

static inline void server_answer(struct server *server, int client, const char *request)
{
	const struct server_file *file = NULL;
	char path[512] = "";
	const char *end = strchr(request + 4, ' ');

	if (end != NULL && (size_t)(end - request - 4) < sizeof path)
		memcpy(path, request + 4, (size_t)(end - request - 4));
	for (size_t i = 0; i < server->file_count && file == NULL; i++) {
		size_t length = strlen(server->files[i].path), all = strlen(path);

		if (all >= length && strcmp(path + all - length, server->files[i].path) == 0)
			file = &server->files[i];
	}
	if (file == NULL)
		server_say(server, client,
		           "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nNot found");
	else if (file->fault == FAULT_STATUS)
		server_say(server, client,
		           "HTTP/1.1 %d X\r\nRetry-After: 17\r\nContent-Length: 0\r\n\r\n",
		           file->status);
	else if (file->fault == FAULT_REDIRECT)
		server_say(server, client,
		           "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n",
		           file->target);
	else if (file->fault == FAULT_SILENT)
		while (!atomic_load(&server->stop) && recv(client, path, 1, MSG_DONTWAIT) != 0)
			usleep(10000);
	else if (file->fault == FAULT_NO_RANGE)
		server_flood(server, client);
	else
		server_file(server, client, file, request);
}

/* Reads one request and answers it; the connection is closed then. */
static inline void server_serve(struct server *server, int client)
{
	char request[4096];
	size_t length = 0;

	do {
		ssize_t got = recv(client, request + length, sizeof request - 1 - length, 0);

		if (got <= 0)
			return;
		length += (size_t)got;
		request[length] = '\0';
	} while (strstr(request, "\r\n\r\n") == NULL && length < sizeof request - 1);
	pthread_mutex_lock(&server->lock);
	size_t used = strlen(server->log);
	snprintf(server->log + used, sizeof server->log - used, "%s", request);
	pthread_mutex_unlock(&server->lock);
	atomic_fetch_add(&server->requests, 1);
	server_answer(server, client, request);
}

static inline void *server_run(void *context)
{
	struct server *server = context;

	while (!atomic_load(&server->stop)) {
		int client = accept(server->listener, NULL, NULL);

		if (client < 0)
			break;
		server_serve(server, client);
		shutdown(client, SHUT_RDWR);
		close(client);
	}
	return NULL;
}

static inline void server_open(struct server *server)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof address;

	memset(server, 0, sizeof *server);
	pthread_mutex_init(&server->lock, NULL);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(server->listener >= 0);
	assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(server->listener, 8), 0);
	assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &length), 0);
	server->port = ntohs(address.sin_port);
	assert_int_equal(pthread_create(&server->thread, NULL, server_run, server), 0);
}

static inline struct server_file *server_add(struct server *server, const char *path,
                                             const char *text)
{
	struct server_file *file = &server->files[server->file_count++];

	*file = (struct server_file){ .path = path, .data = text, .length = strlen(text) };
	return file;
}

/* Takes over bytes that a file of the server points to. */
static inline void server_keep(struct server *server, const struct bytes *bytes)
{
	server->kept[server->kept_count++] = *bytes;
}

static inline void server_close(struct server *server)
{
	atomic_store(&server->stop, true);
	shutdown(server->listener, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	while (server->kept_count > 0)
		bytes_done(&server->kept[--server->kept_count]);
	close(server->listener);
	pthread_mutex_destroy(&server->lock);
}

#endif
