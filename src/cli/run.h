/* The request of one heddle run: run_parse() (run_options.c) fills it, run.c executes it. */
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
	const char
		/* folder of a Triton cache entry, of which `file` names the kernel; NULL: none */
		*triton;
	const char *file, *kernel, *stats, *stack, *dialect, *code;
	const char *gdb; /* address at which GDB is awaited; NULL: no GDB */
	/* descriptors of the debugger's channel, in the form of HEDDLE_DEBUG */
	char channel[40];
	bool debug;               /* the debugger's prompt */
	bool quiet, help, absent; /* absent: the file is missing or not readable */
	/* as given on the command line; NULL: not given */
	const char *mode, *check, *threads, *max_instructions, *max_cycles;
	struct program_options given; /* options of time series and timeline, as given */
	char *set, *native;           /* all settings, all native kernels, separated by commas */
	const char **settings;        /* the settings, one by one */
	unsigned nsettings;
	bool traces;    /* `file` is a folder of traces, a list of them, or a trace (traces.h) */
	char **program; /* a CUDA program and its arguments; NULL: a kernel */
	struct timespec start;
	bool drew; /* a progress line is visible on the terminal */
};

/* Reads the command line into r; r->args.arg must have argc elements. False: an error, reported. */
bool run_parse(struct run *r, int argc, char **argv);

/* The command's manual and options (run_options.c). */
extern const struct cli_page page_run;

#endif
