/* What one heddle run was asked for: filled by run_parse() (run_options.c), done by run.c. */
#ifndef CLI_RUN_H
#define CLI_RUN_H
#include <time.h>
#include "command/command.h"
#include "cli/image.h"
#include "cli/param.h"
#include "command/program.h"
#include "heddle.h"

struct run {
	struct heddle_options opt;
	struct heddle_launch launch;
	struct arglist args;
	struct images images;
	const char *triton; /* folder of a Triton cache entry, whose kernel `file` names; NULL: none */
	const char *file, *kernel, *stats, *stack, *dialect, *code;
	bool quiet, help, absent; /* absent: the file is not there, or not readable */
	const char *mode, *check, *threads, *max_instructions, *max_cycles; /* as given */
	struct program_options given; /* the same of time series and timeline */
	char *set, *native;           /* all settings, all native kernels, separated by commas */
	const char **settings;        /* one by one */
	unsigned nsettings;
	char **program; /* a CUDA program and its arguments, or NULL */
	struct timespec start;
	bool drew; /* a progress line is on the terminal */
};

/* Reads the command line into r, whose args.arg has room for argc. False: already reported. */
bool run_parse(struct run *r, int argc, char **argv);

/* run_options.c: the command's manual and options. */
extern const struct cli_page page_run;

#endif
