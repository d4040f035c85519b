/* What the catalogue costs: opening it, finding a name, and a whole run of
 * `show h100-sxm` (aim: under 10 ms). Prints figures and never fails on a
 * slow machine.
 *
 * bench_catalog PROGRAM */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "whichgpu/catalog.h"

extern char **environ;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void bench_open(void)
{
	enum { ROUNDS = 100000 };
	double from = now_s();

	for (size_t i = 0; i < ROUNDS; i++) {
		struct wg_catalog *catalog;

		if (wg_catalog_open(NULL, &catalog, NULL) != WG_OK)
			exit(1);
		wg_catalog_free(catalog);
	}
	printf("open and free: %.3f us\n", (now_s() - from) / ROUNDS * 1e6);
}

static void bench_match(const char *text, size_t rounds)
{
	struct wg_catalog *catalog;
	const struct wg_gpu *gpu;
	double from;

	if (wg_catalog_open(NULL, &catalog, NULL) != WG_OK)
		exit(1);
	from = now_s();
	for (size_t i = 0; i < rounds; i++)
		(void)wg_catalog_match(catalog, text, &gpu, NULL);
	printf("match \"%s\": %.2f us\n", text, (now_s() - from) / (double)rounds * 1e6);
	wg_catalog_free(catalog);
}

/* Least of several runs: what else the machine does only adds time. */
static void bench_program(const char *program)
{
	char *const arguments[] = { (char[]){ "whichgpu" }, (char[]){ "show" },
		                    (char[]){ "h100-sxm" }, NULL };
	posix_spawn_file_actions_t actions;
	double best = 1e9;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	for (size_t i = 0; i < 50; i++) {
		double from = now_s(), seconds;
		int status;
		pid_t child;

		if (posix_spawn(&child, program, &actions, NULL, arguments, environ) != 0 ||
		    waitpid(child, &status, 0) < 0 || status != 0) {
			printf("show h100-sxm: did not run\n");
			break;
		}
		seconds = now_s() - from;
		if (seconds < best)
			best = seconds;
	}
	posix_spawn_file_actions_destroy(&actions);
	if (best < 1e9)
		printf("show h100-sxm: %.2f ms\n", best * 1e3);
}

int main(int argc, char **argv)
{
	bench_open();
	bench_match("h100-sxm", 100000);
	bench_match("NVIDIA GeForce RTX 4090", 100000);
	bench_match("A100", 1000);
	bench_match("rtx-4909", 1000);
	if (argc > 1)
		bench_program(argv[1]);
	return 0;
}
