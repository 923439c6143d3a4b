/* Kernel parameters given on the command line: values and device buffers, in order. */
#ifndef CLI_PARAM_H
#define CLI_PARAM_H
#include <stdbool.h>
#include <stdint.h>
#include "command/command.h"
#include "heddle.h"

enum arg_kind { ARG_VAL, ARG_IN, ARG_OUT, ARG_INOUT };

struct arg {
	enum arg_kind kind;
	const char *text; /* ARG_VAL: the text TYPE=VALUE; ARG_OUT: the number of bytes */
	/* file with the initial contents; file for the contents after the run; NULL: none */
	const char *in, *out;
	uint64_t addr, size; /* address and bytes of the device buffer */
	const char *expect;  /* --triton: .npy file with the contents after the run; NULL: none */
	double atol, rtol;   /* tolerance of `expect`, absolute and relative */
	struct cli_output file;
};

struct arglist {
	struct arg *arg;
	unsigned n;
	const char *cmd; /* command's name, for messages */
};

/* A value given as TYPE=VALUE, as with --val. */
struct param_value {
	unsigned size;  /* bytes */
	uint8_t *bytes; /* malloc'ed */
};
/* Parses the text. False: an error, reported under the name of command cmd. */
bool param_value(const char *cmd, const char *text, struct param_value *out);

/* Checks the list against the kernel's parameters: number, types, sizes. Reports all errors before
 * anything runs. */
bool arglist_check(const struct arglist *l, const struct heddle_kernel *k);
/* Returns the bytes of the parameter block: the kernel's, or the list's if that has more parameters
 * (untyped kernels). */
size_t arglist_bytes(const struct arglist *l, const struct heddle_kernel *k);
/* Creates the buffers and fills the parameter block of arglist_bytes(). */
bool arglist_bind(struct arglist *l, struct heddle *h, const struct heddle_kernel *k, void *block);
/* Copies the output buffers into temporary files beside the final ones. */
bool arglist_save(struct arglist *l, struct heddle *h);
bool arglist_commit(struct arglist *l);
void arglist_free(struct arglist *l);

#endif
