#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

void wg_output_init(void)
{
	signal(SIGPIPE, SIG_IGN);
	for (int stream = 0; stream <= 2; stream++) {
		/* open() takes the lowest free number, which is this one; the mode is
		 * the wrong way round on purpose: using the stream stays an error */
		if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
	}
}

enum wg_status wg_output_write(const char *bytes, size_t length, struct wg_error *error)
{
	while (length > 0) {
		ssize_t written = write(STDOUT_FILENO, bytes, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return wg_error_system(error, errno, _("writing to standard output"), NULL);
		bytes += written;
		length -= (size_t)written;
	}
	return WG_OK;
}

void wg_output_error(const struct wg_error *error)
{
	fputs("whichgpu: ", stderr);
	if (error->file[0]) {
		fputs(error->file, stderr);
		if (error->line > 0)
			fprintf(stderr, ":%ld", error->line);
		if (error->line > 0 && error->column > 0)
			fprintf(stderr, ":%ld", error->column);
		fputs(": ", stderr);
	}
	if (error->path[0])
		fprintf(stderr, "%s: ", error->path);
	fputs(error->message[0] ? error->message : _(wg_status_words(error->status)), stderr);
	if (error->offset >= 0 && error->line <= 0)
		fprintf(stderr, _(" (at byte %lld)"), error->offset);
	fputc('\n', stderr);
	if (error->hint[0])
		fprintf(stderr, "  %s\n", error->hint);
}

enum wg_exit wg_exit_of(enum wg_status status)
{
	switch (status) {
	case WG_OK:
		return WG_EXIT_YES;
	case WG_NO_MEMORY:
	case WG_SYSTEM:
		return WG_EXIT_SYSTEM;
	default:
		return WG_EXIT_BAD_INPUT;
	}
}

unsigned wg_output_terminal_columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		return 0;
	return size.ws_col;
}

bool wg_output_has_colour(void)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || (no_colour && no_colour[0]))
		return false;
	return terminal && terminal[0] && strcmp(terminal, "dumb") != 0;
}

bool wg_output_is_ascii(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *value = getenv(names[i]);
		const char *codeset = value ? strchr(value, '.') : NULL;

		if (!value || !value[0])
			continue;
		/* a locale that names no codeset says nothing about the terminal */
		return codeset && strncasecmp(codeset, ".utf-8", 6) != 0 &&
		       strncasecmp(codeset, ".utf8", 5) != 0;
	}
	return false;
}

void wg_cli_warn(const struct wg_cli *cli, const char *format, ...)
{
	char raw[1024], clean[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(raw, sizeof raw, format, arguments);
	va_end(arguments);
	wg_text_sanitize(clean, sizeof clean, raw, strlen(raw));
	fprintf(stderr, _("whichgpu: warning: %s\n"), clean);
}
