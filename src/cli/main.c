#include "cli/language.h"
#include "cli/run.h"

int main(int argc, char **argv)
{
	wg_output_init();
	return (int)wg_cli_run(argc, argv, wg_language_init(argc, argv));
}
