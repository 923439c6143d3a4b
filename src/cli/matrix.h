/* heddle config matrix: which policies exist together on a machine. */
#ifndef CLI_MATRIX_H
#define CLI_MATRIX_H
#include "command/command.h"

enum { MATRIX_AXES = 6 };
enum matrix_format { MATRIX_TABLE, MATRIX_CSV, MATRIX_JSON };

struct matrix_options {
	const char *config;     /* name of the machine whose policies are combined */
	const char *const *set; /* further settings of the machine, ended by NULL */
	/* names of families, or keys of options, whose values are combined */
	const char *const *word;
	/* number of words; 0: the families pipeline, divergence, lanes, dispatch, scalar */
	unsigned nwords;
	enum matrix_format format;
};

/* Tries all combinations and prints them; returns an exit status. */
int matrix_print(const struct matrix_options *o);

#endif
