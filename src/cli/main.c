/* The heddle command: the table of subcommands, and the choice of one by the first word or by the
 * name under which the program was started. */
#include "cli/commands.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "heddle.h"
#include "nvcc/cc.h"
#include "study/commands.h"

const struct cli_command *const cli_commands[] = {
	&command_run,
	&command_annotate,
	&command_profile,
	&command_grade,
	&command_list,
	&command_golden,
	&command_ptx,
	&command_disasm,
	&command_ptxas,
	&command_asm,
	&command_compare,
	&command_cc,
	&command_cuda_home,
	&command_workloads,
	&command_workload,
	&command_explain,
	&command_reproduce,
	&command_sweep,
	&command_results,
	&command_explore,
	&command_calibrate,
	&command_config,
	&command_power,
	&command_help,
	NULL,
};

/* True if the program was started under that name. Started as nvcc (heddle cuda-home), it is
 * `heddle cc`; as __nvcc_device_query it prints the architecture for -arch=native. */
static bool is_called(const char *self, const char *name)
{
	const char *base = strrchr(self, '/');
	return !strncmp(base ? base + 1 : self, name, strlen(name));
}

static int run_command(int argc, char **argv)
{
	if (argc && is_called(argv[0], "nvcc"))
		return command_cc.run(argc, argv);
	if (argc && is_called(argv[0], "__nvcc_device_query"))
		return cuda_home_device_query();
	if (argc < 2) {
		cli_print_overview(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		cli_print_overview(stdout);
		return CLI_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("heddle %s\n", HEDDLE_VERSION);
		return CLI_OK;
	}
	const struct cli_command *c = cli_find_command(argv[1]);
	return c ? c->run(argc - 1, argv + 1) : CLI_USAGE;
}

/* Occupies the number of a standard stream that the caller closed: a file opened later must not
 * become that stream. */
static void hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	hold_streams();
	int rc = run_command(argc, argv);
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return rc;
	cli_error(NULL, "standard output: %s", errno ? strerror(errno) : "cannot be written");
	return rc == CLI_OK ? CLI_FAILED : rc;
}
