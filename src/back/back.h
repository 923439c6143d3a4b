/* A code generator for sm_13, sm_20 and sm_90: a linked module of decoded PTX becomes machine code.
 *
 *   lower/     a kernel of PTX without calls, with locks and barriers in a form that the token stack can run
 *   routines/  PTX for operations that the machines lack; lower/ copies it into the kernel
 *   select/    blocks, branches and meeting points (SSY, .S, BSSY); fermi/, tesla/, sm90/ select the
 *              instructions: machine code over virtual registers
 *   mir/       machine code: shortens it, then allocates the machine's registers
 *   compile.c  for sm_13 and sm_20 the listing that the assembler reads: variables, sizes, code; for sm_90 a cubin
 *
 * Nothing here writes bits: the text goes through isa/, whose assembler decodes each word again and
 * compares. An operation that the machine cannot do is an error in d that names the instruction and
 * its line. */
#ifndef BACK_BACK_H
#define BACK_BACK_H
#include "ir/module.h"

/* Optimisations that can be left out, to measure the effect of each: lower/predicate.c, the passes
 * of mir/ and fermi/. */
enum {
	FUSE_ISCADD = 1,
	FUSE_IMAD = 2,
	FUSE_VMNMX = 4,
	FUSE_VADD = 8,
	FUSE_PSETP = 16,
	FUSE_BRA_U = 32,
	FUSE_PREDICATE = 64,
	FUSE_FOLD = 128,
	FUSE_VECTOR = 256,
	FUSE_COALESCE = 512,
	FUSE_COMMON = 1024,
	FUSE_RENAME = 2048,
	FUSE_TAIL = 4096,
	FUSE_ADDRESS = 8192,
	FUSE_DIVIDE = 16384,
	FUSE_LDU = 32768,
	FUSE_ROOM = 65536,
	FUSE_ORDER = 131072,
	FUSE_UNROLL = 262144,
	FUSE_PAIRS = FUSE_ISCADD | FUSE_IMAD | FUSE_VMNMX | FUSE_VADD | FUSE_PSETP |
		     FUSE_ADDRESS, /* fuse.c */
};
/* Parses a list of optimisations, "iscadd-imad-...", into bits; false: a word of the list names no
 * optimisation. */
bool back_kinds(const char *list, unsigned *kinds);
const char *back_kind_names(void); /* "expected ...", for messages */
/* back_kinds() for a list that may be NULL (no kinds). False: d says what was expected. */
bool back_without(const char *list, unsigned *kinds, struct diag *d);

struct back_opts {
	unsigned sm;            /* 13, 20 or 90; 0: 20 */
	unsigned max_registers; /* limit of registers per thread; 0: the machine's limit */
	unsigned without;       /* FUSE_* */
	bool address64;         /* sm_20: addresses of 64 bits */
	/* true: a kernel that cannot be compiled becomes an entry without code, with its messages
	 * in the report; false: the messages are errors of the module */
	bool keep_refused;
};

/* The figures of a kernel that ptxas -v prints. */
struct back_kernel {
	const char *name; /* in the module's arena */
	unsigned registers, instructions, spill_stores, spill_loads;
	uint32_t shared, constant, local;
	struct diag *refused; /* why the kernel has no code; NULL: it has code (keep_refused) */
};
struct back_report {
	unsigned sm;
	unsigned n;
	struct back_kernel *kernel; /* malloc'ed */
};

void back_report_free(struct back_report *r);
/* Compiles all kernels and variables: a listing for sm_13 and sm_20, a cubin for sm_90, malloc'ed,
 * *size bytes. NULL: errors in d. The module is not changed. report may be NULL. */
char *back_compile(struct module *m, const struct back_opts *o, struct back_report *report,
		   size_t *size, struct diag *d);

#endif
