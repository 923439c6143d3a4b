/* A kernel's code over registers on its way to words: instructions in the order in which they are
 * issued, with their control bits. */
#ifndef BACK_SM90_CODE_H
#define BACK_SM90_CODE_H
#include "back/sm90/sm90.h"
#include "isa/sm70/sm70.h"

struct line {
	struct mi in; /* over registers; name NULL: a label */
	struct sm70_control control;
};

struct code {
	const struct mfunc *m;
	VEC(struct line) line;
};

/* ---- issue.c ---- */

/* Resources that an instruction reads and writes: registers R0 to R254 by their number, then the
 * others. RES_UNIFORM: uniform registers that only the kernel's first instructions write;
 * RES_UNIFORM2: all other uniform registers; RES_ASYNC: barriers in shared memory and the order of
 * copies, for instructions without another result. */
enum { RES_PRED = 256, RES_UNIFORM = 264, RES_UNIFORM2, RES_BARRIER, RES_ASYNC, RES_COUNT };
/* The kind of instruction that reads a result, on which the latency depends. */
enum consumer { BY_ALU, BY_FMA, BY_OTHER, BY_FP64, BY_MATRIX, BY_GUARD, CONSUMERS };

struct access {
	uint16_t first, n;
	bool guard; /* a predicate that guards the instruction, or decides a branch */
};

enum { MOST_READS = 12, MOST_WRITES = 4 };
struct issue {
	uint8_t nread, nwrite;
	struct access read[MOST_READS], write[MOST_WRITES];
	bool counted;     /* the latency varies: a counter (scoreboard) signals the result */
	bool wall;        /* the instruction waits for all earlier instructions */
	uint8_t consumer; /* enum consumer, as a reader of registers */
	uint8_t pipe;     /* enum pipe in issue.c */
	uint8_t matrix;   /* cycles until a product of matrices can be read; 0: not a matrix
	                   * product */
	uint8_t stall;    /* least number of cycles until the next instruction may issue */
};
void issue_find(struct issue *x, const struct mfunc *m, const struct mi *in);
/* Returns the cycles from the issue of a producer of fixed latency until an instruction of kind
 * `consumer` that reads resource `res` may issue. */
unsigned issue_latency(const struct issue *producer, unsigned res, unsigned consumer);

bool issue_is_uniform(const struct mo *o); /* a uniform register, or an address in one */
bool issue_is_kept_uniform(const struct mo *o);
/* Returns the counter of the groups of copies that the instruction ends: 0 for cp.async, 1 for bulk
 * copies; -1: the instruction ends no group. */
int issue_own_counter(const struct mi *in);

/* True for instructions that no other instruction may move across: barriers, fences, clock
 * reads. */
bool issue_is_fence(const struct issue *x);

/* ---- control.c ---- */
void code_control(struct code *c);

/* ---- code.c ---- */
struct words {
	VEC(uint64_t) word;  /* two per instruction */
	VEC(uint32_t) exits; /* addresses of EXIT */
	/* addresses of instructions that many lanes execute together, such as WARPSYNC */
	VEC(uint32_t) meets;
	VEC(uint32_t) calls; /* addresses of calls of functions of the driver */
	unsigned barriers;   /* number of block barriers that the code names */
};
/* The words of a kernel; false: an error in d, with the kernel's name. */
void code_words_free(struct words *w);
bool code_words(const struct mfunc *m, const char *kernel, struct words *w, struct diag *d);

/* A kernel as cubin_write() takes it. */
struct cubin_kernel {
	const struct func *f;
	struct words words;
	uint32_t registers, shared, local;
	/* functions of the driver that the kernel calls, one bit per function */
	uint32_t called;
	const struct var *
		*reference; /* textures and surfaces whose handles follow the parameters */
	unsigned nreference;
};
struct cubin_writer {
	const struct module *m;
	const struct layout *l;
	VEC(struct cubin_kernel) kernel;
};
void cubin_free(struct cubin_writer *w);
/* The file, malloc'ed; NULL: an error in d. */
uint8_t *cubin_write(const struct cubin_writer *w, size_t *size, struct diag *d);

#endif
