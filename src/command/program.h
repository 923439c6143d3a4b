/* `heddle run ./app`: runs a CUDA program in a process of its own, with Heddle's libraries in place
 * of NVIDIA's. */
#ifndef COMMAND_PROGRAM_H
#define COMMAND_PROGRAM_H
#include <stdbool.h>

/* Options for the program's environment; NULL: not given. */
struct program_options {
	const char *mode, *config, *stats, *threads, *check, *check_report, *max_instructions,
		*max_cycles, *record;
	char *set;    /* "key=value,key=value" */
	char *native; /* "kernel=file,kernel=file" */
	const char *native_stack;
	const char *reverse;
	const char *code;
	const char *
		debug; /* "gdb:IN:OUT" or "prompt:IN:OUT", file descriptors that the program inherits */
	bool quiet;
	/* errors of the simulator do not change the program's exit status */
	bool own_status;
	const char *series, *sums; /* options of statistics */
	const char *sample, *sample_file, *trace, *trace_from, *trace_to, *trace_sm;
	/* options that choose the launches that are timed */
	const char *launches, *kernels, *skip, *warm;
	const char *save, *restore; /* files of checkpoints */
	/* optional contents of the checkpoint file `save` */
	const char *accesses, *checkpoint_every;
	/* options of sampled mode: the bound of the error, and the seed of the sample */
	const char *error, *seed;
};
bool program_is(const char *path); /* true: an ELF executable */
/* Returns the file of the simulator library that programs get, malloc'ed; NULL: not found. */
char *program_library(void);
/* Replaces this process by the program argv[0]; returns an exit status if that fails. */
int program_exec(const struct program_options *o, char **argv);

#endif
