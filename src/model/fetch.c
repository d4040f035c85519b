/* HTTP through libcurl: see fetch.h. */
#include "model/fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/i18n.h"

#ifdef WG_HAVE_CURL

#include "model/curl_lazy.h"
#include "whichgpu/file.h"
#include "whichgpu/number.h"

#define TOKEN_BYTES 512
#define URL_BYTES 2048
#define HOPS_MAX 5
#define WAIT_S 10
#define TOTAL_S 300

struct wg_fetcher {
	CURL *curl;
	char endpoint[512];
	char token[TOKEN_BYTES]; /* "" for none */
	long wait_s;
};

/* One answer on its way in. */
struct answer {
	CURL *curl;
	char *bytes;
	size_t length, capacity;
	size_t limit; /* more is refused */
	bool range_wanted;
	bool over_limit, not_a_range;
	long long range_first, range_last, file_bytes; /* of Content-Range; -1: none */
	long retry_after_s;
	long http_status;
};

/* --- token and settings -------------------------------------------------------- */

static void token_file(char *path, size_t path_bytes)
{
	const char *named = getenv("HF_TOKEN_PATH"), *hub = getenv("HF_HOME");
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (named != NULL && named[0] != '\0')
		snprintf(path, path_bytes, "%s", named);
	else if (hub != NULL && hub[0] != '\0')
		snprintf(path, path_bytes, "%s/token", hub);
	else if (cache != NULL && cache[0] != '\0')
		snprintf(path, path_bytes, "%s/huggingface/token", cache);
	else
		snprintf(path, path_bytes, "%s/.cache/huggingface/token", home != NULL ? home : "");
}

/* Blanks around it go; what could end the header line makes it no token. */
static void keep_token(struct wg_fetcher *fetcher, const char *text)
{
	size_t length;

	text += strspn(text, " \t\r\n");
	length = strcspn(text, " \t\r\n");
	if (length == 0 || length >= TOKEN_BYTES)
		return;
	for (size_t i = 0; i < length; i++)
		if (text[i] <= 0x20 || text[i] == 0x7f)
			return;
	memcpy(fetcher->token, text, length);
	fetcher->token[length] = '\0';
}

static void find_token(struct wg_fetcher *fetcher)
{
	const char *given = getenv("HF_TOKEN");
	char path[4096], *text = NULL;
	size_t length;

	if (given != NULL && given[0] != '\0') {
		keep_token(fetcher, given);
		return;
	}
	token_file(path, sizeof path);
	if (wg_file_read(path, TOKEN_BYTES, &text, &length, NULL) == WG_OK)
		keep_token(fetcher, text);
	free(text);
}

static enum wg_status find_endpoint(struct wg_fetcher *fetcher, struct wg_error *error)
{
	const char *given = getenv("HF_ENDPOINT");
	size_t length;

	if (given == NULL || given[0] == '\0')
		given = "https://huggingface.co";
	length = strlen(given);
	while (length > 0 && given[length - 1] == '/')
		length--;
	if (length >= sizeof fetcher->endpoint ||
	    (strncmp(given, "https://", 8) != 0 && strncmp(given, "http://", 7) != 0))
		return wg_error_set(error, WG_BAD_INPUT,
		                    _("HF_ENDPOINT \"%.80s\" is no http address"), given);
	memcpy(fetcher->endpoint, given, length);
	fetcher->endpoint[length] = '\0';
	return WG_OK;
}

enum wg_status wg_fetcher_open(struct wg_fetcher **ret_fetcher, struct wg_error *error)
{
	struct wg_fetcher *fetcher = calloc(1, sizeof *fetcher);
	const char *wait = getenv("HF_HUB_DOWNLOAD_TIMEOUT");
	int64_t seconds = 0;
	enum wg_status status;

	if (fetcher == NULL)
		return wg_error_no_memory(error);
	fetcher->wait_s = WAIT_S;
	if (wait != NULL && wg_integer_read(wait, strlen(wait), &seconds) && seconds >= 1 &&
	    seconds <= TOTAL_S)
		fetcher->wait_s = (long)seconds;
	status = find_endpoint(fetcher, error);
	if (status == WG_OK && wg_curl() == NULL)
		status = wg_error_set(error, WG_SYSTEM, _("this machine has no \"%s\""), "libcurl");
	if (status == WG_OK && (fetcher->curl = wg_curl()->curl_easy_init()) == NULL)
		status = wg_error_no_memory(error);
	if (status != WG_OK) {
		wg_fetcher_free(fetcher);
		return status;
	}
	find_token(fetcher);
	*ret_fetcher = fetcher;
	return WG_OK;
}

void wg_fetcher_free(struct wg_fetcher *fetcher)
{
	if (fetcher == NULL)
		return;
	if (fetcher->curl != NULL)
		wg_curl()->curl_easy_cleanup(fetcher->curl);
	/* The token does not stay behind in freed memory. */
	explicit_bzero(fetcher, sizeof *fetcher);
	free(fetcher);
}

/* --- one request ----------------------------------------------------------------- */

static bool has_name(const char *line, size_t length, const char *name)
{
	size_t name_length = strlen(name);

	return length > name_length && strncasecmp(line, name, name_length) == 0;
}

/* "Content-Range: bytes 0-99/1234" and "Retry-After: 30". */
static size_t take_header(char *line, size_t size, size_t count, void *context)
{
	struct answer *answer = context;
	size_t length = size * count;
	char copy[128];

	if (length >= sizeof copy)
		return length;
	memcpy(copy, line, length);
	copy[length] = '\0';
	if (has_name(copy, length, "retry-after:")) {
		answer->retry_after_s = strtol(copy + 12, NULL, 10);
	} else if (has_name(copy, length, "content-range:")) {
		char *at = copy + 14 + strspn(copy + 14, " ");

		if (strncasecmp(at, "bytes ", 6) != 0)
			return length;
		answer->range_first = strtoll(at + 6, &at, 10);
		answer->range_last = *at == '-' ? strtoll(at + 1, &at, 10) : -1;
		answer->file_bytes = *at == '/' ? strtoll(at + 1, &at, 10) : -1;
	}
	return length;
}

/* Returning less than was offered ends the transfer. */
static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct answer *answer = context;
	size_t length = size * count;
	long http_status = 0;

	wg_curl()->curl_easy_getinfo(answer->curl, CURLINFO_RESPONSE_CODE, &http_status);
	if (http_status != 200 && http_status != 206)
		return length; /* the text of an error page is of no use */
	if (answer->range_wanted && http_status != 206) {
		answer->not_a_range = true;
		return 0;
	}
	if (length > answer->limit - answer->length) {
		answer->over_limit = true;
		return 0;
	}
	if (answer->length + length > answer->capacity) {
		size_t capacity = 2 * (answer->length + length);
		char *larger;

		if (capacity > answer->limit)
			capacity = answer->limit;
		larger = realloc(answer->bytes, capacity);
		if (larger == NULL)
			return 0;
		answer->bytes = larger;
		answer->capacity = capacity;
	}
	memcpy(answer->bytes + answer->length, bytes, length);
	answer->length += length;
	return length;
}

static void set_up(struct wg_fetcher *fetcher, const char *url, const char *range, bool with_token,
                   struct answer *answer)
{
	CURL *curl = fetcher->curl;

	wg_curl()->curl_easy_reset(curl);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_URL, url);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	wg_curl()->curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_USERAGENT, "whichgpu");
	wg_curl()->curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, fetcher->wait_s);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, fetcher->wait_s);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)TOTAL_S);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_RANGE, range);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_HEADERDATA, answer);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
	wg_curl()->curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
	if (with_token && fetcher->token[0] != '\0') {
		wg_curl()->curl_easy_setopt(curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
		wg_curl()->curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, fetcher->token);
	}
}

/* Scheme, host and port are the same. */
static bool same_origin(const char *a, const char *b)
{
	static const CURLUPart parts[] = { CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT };
	CURLU *x = wg_curl()->curl_url(), *y = wg_curl()->curl_url();
	bool same = x != NULL && y != NULL &&
	            wg_curl()->curl_url_set(x, CURLUPART_URL, a, 0) == CURLUE_OK &&
	            wg_curl()->curl_url_set(y, CURLUPART_URL, b, 0) == CURLUE_OK;

	for (size_t i = 0; same && i < sizeof parts / sizeof *parts; i++) {
		char *p = NULL, *q = NULL;

		same = wg_curl()->curl_url_get(x, parts[i], &p, CURLU_DEFAULT_PORT) == CURLUE_OK &&
		       wg_curl()->curl_url_get(y, parts[i], &q, CURLU_DEFAULT_PORT) == CURLUE_OK &&
		       strcasecmp(p, q) == 0;
		wg_curl()->curl_free(p);
		wg_curl()->curl_free(q);
	}
	wg_curl()->curl_url_cleanup(x);
	wg_curl()->curl_url_cleanup(y);
	return same;
}

static enum wg_status fail_transfer(CURLcode code, const struct answer *answer, const char *url,
                                    struct wg_error *error)
{
	enum wg_status status = WG_SYSTEM;

	if (answer->not_a_range) {
		status = wg_error_set(error, WG_NOT_SUPPORTED,
		                      _("\"%.200s\": the server ignores byte "
		                        "ranges and would send the whole file"),
		                      url);
		wg_error_hint(error, _("download the model, then give its folder"));
	} else if (answer->over_limit) {
		status = wg_error_set(error, WG_LIMIT, _("\"%.200s\" is larger than %zu bytes"),
		                      url, answer->limit);
	} else if (code == CURLE_OPERATION_TIMEDOUT) {
		wg_error_set(error, WG_SYSTEM, _("\"%.200s\": the server does not answer"), url);
		wg_error_hint(error,
		              _("try again later, or give a folder with the model's config.json"));
	} else if (code == CURLE_PARTIAL_FILE || code == CURLE_GOT_NOTHING ||
	           code == CURLE_RECV_ERROR) {
		wg_error_set(error, WG_SYSTEM, _("\"%.200s\": the answer was cut off"), url);
		wg_error_hint(error, _("try again"));
	} else {
		wg_error_set(error, WG_SYSTEM, "\"%.200s\": %s", url,
		             wg_curl()->curl_easy_strerror(code));
		wg_error_hint(error, _("check the connection, or use --offline with a local copy"));
	}
	return status;
}

static enum wg_status fail_http(const struct wg_fetcher *fetcher, const struct answer *answer,
                                const char *url, struct wg_error *error)
{
	switch (answer->http_status) {
	case 401:
	case 403:
		wg_error_set(error, WG_NOT_FOUND,
		             _("\"%.200s\" needs permission (HTTP %ld), or there is no "
		               "such model"),
		             url, answer->http_status);
		wg_error_hint(
			error,
			fetcher->token[0] != '\0'
				? _("check the name; accept the model's terms on its page with the account of "
		                    "your token")
				: _("check the name; for a gated model set HF_TOKEN or log in with its own tool"));
		return WG_NOT_FOUND;
	case 429:
		wg_error_set(error, WG_SYSTEM,
		             _("\"%.200s\": the server asks to slow down (HTTP 429)"), url);
		if (answer->retry_after_s > 0)
			wg_error_hint(error, _("try again in %ld s"), answer->retry_after_s);
		else
			wg_error_hint(error, _("try again later"));
		return WG_SYSTEM;
	default:
		wg_error_set(error, WG_SYSTEM, _("\"%.200s\": the server answers HTTP %ld"), url,
		             answer->http_status);
		return WG_SYSTEM;
	}
}

/* Follows redirects, since the rule for the token is ours. The answer has the
 * bytes and the HTTP status 200, 206 or 404. */
static enum wg_status request(struct wg_fetcher *fetcher, const char *path, const char *range,
                              struct answer *answer, struct wg_error *error)
{
	char first[URL_BYTES], url[URL_BYTES];

	if (snprintf(first, sizeof first, "%s/%s", fetcher->endpoint, path) >= (int)sizeof first)
		return wg_error_set(error, WG_LIMIT, _("the address of \"%.80s\" is too long"),
		                    path);
	memcpy(url, first, sizeof url);
	answer->curl = fetcher->curl;
	for (int hop = 0; hop <= HOPS_MAX; hop++) {
		char *next = NULL;

		answer->length = 0;
		answer->range_first = answer->range_last = answer->file_bytes = -1;
		set_up(fetcher, url, range, same_origin(first, url), answer);
		CURLcode code = wg_curl()->curl_easy_perform(fetcher->curl);
		if (code != CURLE_OK)
			return fail_transfer(code, answer, first, error);
		wg_curl()->curl_easy_getinfo(fetcher->curl, CURLINFO_RESPONSE_CODE,
		                             &answer->http_status);
		if (answer->http_status == 200 || answer->http_status == 206 ||
		    answer->http_status == 404)
			return WG_OK;
		if (answer->http_status < 300 || answer->http_status > 399)
			return fail_http(fetcher, answer, first, error);
		wg_curl()->curl_easy_getinfo(fetcher->curl, CURLINFO_REDIRECT_URL, &next);
		if (next == NULL || snprintf(url, sizeof url, "%s", next) >= (int)sizeof url)
			return fail_http(fetcher, answer, first, error);
		if (strncmp(first, "https:", 6) == 0 && strncmp(url, "https:", 6) != 0)
			return wg_error_set(error, WG_SYSTEM,
			                    _("\"%.200s\": the server redirects to an address "
			                      "without encryption"),
			                    first);
	}
	return wg_error_set(error, WG_SYSTEM, _("\"%.200s\": more than %d redirects"), first,
	                    HOPS_MAX);
}

/* --- texts and ranges -------------------------------------------------------------- */

enum wg_status wg_fetch_text(struct wg_fetcher *fetcher, const char *path, size_t limit_bytes,
                             struct wg_arena *arena, char **ret_text, size_t *ret_length,
                             struct wg_error *error)
{
	struct answer answer = { .limit = limit_bytes };
	enum wg_status status = request(fetcher, path, NULL, &answer, error);
	char *text = NULL;

	if (status == WG_OK && answer.http_status == 200) {
		text = wg_arena_alloc(arena, answer.length + 1);
		if (text == NULL)
			status = wg_error_no_memory(error);
		else if (answer.length > 0)
			memcpy(text, answer.bytes, answer.length);
	}
	free(answer.bytes);
	if (status != WG_OK)
		return status;
	*ret_text = text;
	*ret_length = answer.length;
	return WG_OK;
}

/* The range that was asked for, cut at the end of the file at most. */
static bool is_range(const struct answer *answer, uint64_t first, size_t length)
{
	uint64_t end = first + length;

	if (answer->range_first < 0 || answer->file_bytes < 0)
		return false;
	if ((uint64_t)answer->file_bytes < end)
		end = (uint64_t)answer->file_bytes;
	return (uint64_t)answer->range_first == first && (uint64_t)answer->range_last + 1 == end &&
	       answer->length == end - first;
}

enum wg_status wg_fetch_range(struct wg_fetcher *fetcher, const char *path, uint64_t first,
                              size_t length, void *target, size_t *ret_got,
                              uint64_t *ret_file_bytes, struct wg_error *error)
{
	struct answer answer = { .limit = length, .range_wanted = true };
	char range[64];

	snprintf(range, sizeof range, "%llu-%llu", (unsigned long long)first,
	         (unsigned long long)(first + length - 1));
	enum wg_status status = request(fetcher, path, range, &answer, error);
	if (status == WG_OK && answer.http_status == 404) {
		*ret_got = 0;
		*ret_file_bytes = 0;
	} else if (status == WG_OK &&
	           (answer.http_status != 206 || !is_range(&answer, first, length))) {
		status = wg_error_set(error, WG_SYSTEM,
		                      _("\"%.200s/%.200s\": the server sent another range "
		                        "than was asked for"),
		                      fetcher->endpoint, path);
	} else if (status == WG_OK) {
		memcpy(target, answer.bytes, answer.length);
		*ret_got = answer.length;
		*ret_file_bytes = (uint64_t)answer.file_bytes;
	}
	free(answer.bytes);
	return status;
}

#else

enum wg_status wg_fetcher_open(struct wg_fetcher **ret_fetcher, struct wg_error *error)
{
	wg_error_set(error, WG_NOT_SUPPORTED, _("this build has no network access"));
	wg_error_hint(error, _("download the model's config.json, then give its folder"));
	return WG_NOT_SUPPORTED;
}

void wg_fetcher_free(struct wg_fetcher *fetcher)
{
}

/* No fetcher can exist, so these are never reached with one. */
enum wg_status wg_fetch_text(struct wg_fetcher *fetcher, const char *path, size_t limit_bytes,
                             struct wg_arena *arena, char **ret_text, size_t *ret_length,
                             struct wg_error *error)
{
	return wg_fetcher_open(NULL, error);
}

enum wg_status wg_fetch_range(struct wg_fetcher *fetcher, const char *path, uint64_t first,
                              size_t length, void *target, size_t *ret_got,
                              uint64_t *ret_file_bytes, struct wg_error *error)
{
	return wg_fetcher_open(NULL, error);
}

#endif
