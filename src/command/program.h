/* `heddle run ./app`: runs a CUDA program as a process of its own, with Heddle's libraries in place
 * of CUDA's. */
#ifndef COMMAND_PROGRAM_H
#define COMMAND_PROGRAM_H
#include <stdbool.h>

/* What the options say, for the program's environment; NULL: not given. */
struct program_options {
	const char *mode, *config, *stats, *threads, *check, *check_report, *max_instructions,
		*max_cycles, *record;
	char *set;    /* "key=value,key=value" */
	char *native; /* "kernel=file,kernel=file" */
	const char *native_stack;
	const char *reverse;
	const char *code;
	bool quiet;
	bool own_status;           /* errors leave the program's exit status as it is */
	const char *series, *sums; /* of the statistics */
	const char *sample, *sample_file, *trace, *trace_from, *trace_to, *trace_sm;
	const char *launches, *kernels, *skip, *warm; /* which launches are timed */
};
bool program_is(const char *path); /* an ELF executable */
/* file of the simulator that programs get, malloc'ed; NULL: not found */
char *program_library(void);
/* Replaces this process; returns an exit status if that fails. argv[0] is the program. */
int program_exec(const struct program_options *o, char **argv);

#endif
