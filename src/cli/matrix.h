/* heddle config matrix: which policies exist together on a machine. */
#ifndef CLI_MATRIX_H
#define CLI_MATRIX_H
#include "command/command.h"

enum { MATRIX_AXES = 6 };
enum matrix_format { MATRIX_TABLE, MATRIX_CSV, MATRIX_JSON };

struct matrix_options {
	const char *config;      /* the machine that is changed */
	const char *const *set;  /* its other settings, ended by NULL */
	const char *const *word; /* families or keys of options */
	unsigned nwords;         /* 0: pipeline, divergence, lanes, dispatch, scalar */
	enum matrix_format format;
};

/* Tries all combinations and prints them; returns an exit status. */
int matrix_print(const struct matrix_options *o);

#endif
