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
	const char *text;     /* ARG_VAL: TYPE=VALUE; ARG_OUT: BYTES */
	const char *in, *out; /* files */
	uint64_t addr, size;  /* the device buffer */
	struct cli_output file;
};

struct arglist {
	struct arg *arg;
	unsigned n;
	const char *cmd; /* for messages */
};

/* A value as --val has it, TYPE=VALUE. */
struct param_value {
	unsigned size;  /* bytes */
	uint8_t *bytes; /* malloc'ed */
};
/* False: already reported as cmd's. */
bool param_value(const char *cmd, const char *text, struct param_value *out);

/* Checks the list against the kernel's parameters: how many, types, sizes. Reports all that is
 * wrong before anything runs. */
bool arglist_check(const struct arglist *l, const struct heddle_kernel *k);
/* Bytes of the parameter block: the kernel's, or more where the list gives more (untyped
 * parameters). */
size_t arglist_bytes(const struct arglist *l, const struct heddle_kernel *k);
/* Creates the buffers and fills the parameter block (arglist_bytes long). */
bool arglist_bind(struct arglist *l, struct heddle *h, const struct heddle_kernel *k, void *block);
/* Reads the output buffers back into temporary files beside the final ones. */
bool arglist_save(struct arglist *l, struct heddle *h);
bool arglist_commit(struct arglist *l);
void arglist_free(struct arglist *l);

#endif
