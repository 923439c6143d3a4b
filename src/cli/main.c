/* The heddle command: one table of subcommands. */
#include "cli/cli.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "heddle.h"

const struct cli_command cli_commands[] = {
	{"run", cmd_run, "run a CUDA program, or one kernel of a file", &page_run},
	{"annotate", cmd_annotate, "print a program with what each line cost", &page_annotate},
	{"list", cmd_list, "show the kernels of a PTX file", &page_list},
	{"golden", cmd_golden, "check the simulator against recorded results of a GPU",
	 &page_golden},
	{"ptx", cmd_ptx, "list the PTX instructions Heddle supports", &page_ptx},
	{"disasm", cmd_disasm, "list the machine code of a cubin or a listing", &page_disasm},
	{"ptxas", cmd_ptxas, "compile PTX to machine code of a Tesla or Fermi GPU", &page_ptxas},
	{"asm", cmd_asm, "assemble a listing into a cubin", &page_asm},
	{"compare-isa", cmd_compare, "compare instruction counts of two runs", &page_compare},
	{"cc", cmd_cc, "compile CUDA programs, with nvcc's options", NULL},
	{"cuda-home", cmd_cuda_home, "make a folder that build systems take for CUDA's toolkit",
	 &page_cuda_home},
	{"workloads", cmd_workloads, "list the workload suite", &page_workloads},
	{"workload", cmd_workload, "build and run a program of the workload suite", &page_workload},
	{"explain", cmd_explain, "draw what an SM issues, lane by lane and cycle by cycle",
	 &page_explain},
	{"reproduce", cmd_reproduce, "repeat the experiments of a paper and write a report",
	 &page_reproduce},
	{"sweep", cmd_sweep, "run many combinations of programs and machines", &page_sweep},
	{"results", cmd_results, "ask the store of results", &page_results},
	{"explore", cmd_explore, "make a page of the results to look at in a browser",
	 &page_explore},
	{"config", cmd_config, "show, explain and import machines", &page_config},
	{"power", cmd_power, "show and compare energies, and what they are computed from",
	 &page_power},
	{"help", cmd_help, "explain a command", &page_help},
	{NULL},
};

static void print_overview(FILE *f)
{
	int width = 0;
	for (const struct cli_command *c = cli_commands; c->name; c++)
		width = (int)strlen(c->name) > width ? (int)strlen(c->name) : width;
	fprintf(f, "Heddle simulates GPUs: it runs GPU programs without one.\n\n"
		   "usage: heddle COMMAND [ARGUMENTS]\n\ncommands:\n");
	for (const struct cli_command *c = cli_commands; c->name; c++)
		fprintf(f, "  %-*s  %s\n", width, c->name, c->help);
	fprintf(f, "\n`heddle help COMMAND` explains a command; `heddle --version` prints the "
		   "version.\n");
}

static const char *command_at(const void *arg, unsigned i)
{
	(void)arg;
	return cli_commands[i].name;
}

static const struct cli_command *find(const char *name)
{
	for (const struct cli_command *c = cli_commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	const char *near = cli_nearest(name, command_at, NULL);
	if (near)
		cli_error(NULL, "unknown command %s; did you mean %s?", name, near);
	else
		cli_error(NULL, "unknown command %s; `heddle --help` lists them", name);
	return NULL;
}

enum { HELP_MAN, HELP_COMPLETE };
static const struct cli_option help_opts[] = {
	[HELP_MAN] = {"--man", NULL, "print the manual page in man(7) form instead"},
	[HELP_COMPLETE] = {"--complete", "bash|zsh",
			   "print a script that completes words of the command line"},
	{NULL},
};
const struct cli_page page_help = {
	.usage = "help [--man] [COMMAND]\nhelp --complete bash|zsh",
	.text = "Prints what a command does and its options; without COMMAND, the list of commands.",
	.opts = help_opts,
};

int cmd_help(int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_help, argc, argv);
	const char *name = NULL;
	bool man = false;
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == HELP_COMPLETE)
			return cli_print_completion(w.arg[0], stdout) ? CLI_OK : CLI_USAGE;
		if (o == CLI_HELP)
			name = "help";
		else if (o == HELP_MAN)
			man = true;
		else
			name = w.arg[0];
	}
	if (!name) {
		if (man)
			cli_print_man(NULL, stdout);
		else
			print_overview(stdout);
		return CLI_OK;
	}
	const struct cli_command *c = find(name);
	if (!c)
		return CLI_USAGE;
	if (!c->page && !man)
		return c->run(2, (char *[]){(char *)c->name, "--help", NULL});
	(man ? cli_print_man : cli_print_help)(c, stdout);
	return CLI_OK;
}

/* Started as nvcc (heddle cuda-home), this program is `heddle cc`; as __nvcc_device_query it says what -arch=native is. */
static bool is_called(const char *self, const char *name)
{
	const char *base = strrchr(self, '/');
	return !strncmp(base ? base + 1 : self, name, strlen(name));
}

static int run(int argc, char **argv)
{
	if (argc && is_called(argv[0], "nvcc"))
		return cmd_cc(argc, argv);
	if (argc && is_called(argv[0], "__nvcc_device_query"))
		return cmd_device_query();
	if (argc < 2) {
		print_overview(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_overview(stdout);
		return CLI_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("heddle %s\n", HEDDLE_VERSION);
		return CLI_OK;
	}
	const struct cli_command *c = find(argv[1]);
	return c ? c->run(argc - 1, argv + 1) : CLI_USAGE;
}

/* If the caller closed a standard stream, occupies its number: a file opened later must not become
 * that stream. */
static void hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	hold_streams();
	int rc = run(argc, argv);
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return rc;
	cli_error(NULL, "standard output: %s", errno ? strerror(errno) : "cannot be written");
	return rc == CLI_OK ? CLI_FAILED : rc;
}
