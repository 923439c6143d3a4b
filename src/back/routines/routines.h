/* Routines in PTX for operations that a machine lacks. Some are in a text that is read once per
 * module (lib*.c, tesla/lib*.c), others are written for one instruction on demand (expand.h).
 * lower/inline.c copies a routine into the kernel in place of the instruction. */
#ifndef BACK_ROUTINES_ROUTINES_H
#define BACK_ROUTINES_ROUTINES_H
#include "back/mir/mir.h"
#include "ir/module.h"

/* lib.c: routines for floats and integer division. */
const char *back_library(void);
const char *back_routine(const struct inst *in);
/* lib_bits.c: routines for bits and 64-bit integers. */
const char *back_library_bits(void);
const char *back_routine_bits(const struct inst *in);
/* lib_atom.c: the routine that an atomic needs on a machine, if any. */
enum { ROUTINE_NAME = 200 };
const char *back_library_atom(void);
bool back_routine_atom(const struct inst *in, unsigned sm, char name[ROUTINE_NAME]);
/* tesla/lib.c: additional routines for sm_13; they come first. */
const char *tesla_library(void);
const char *tesla_routine(const struct inst *in);
/* tesla/lib_float.c: routines for floats. */
const char *tesla_library_float(void);
const char *tesla_routine_float(const struct inst *in);
/* expand.c: true for an instruction whose routine is written for it alone, by back_expand(). */
bool back_expands(const struct inst *in, unsigned sm, char name[ROUTINE_NAME]);
void back_expand(const struct inst *in, unsigned sm, FILE *f);
/* sm90/quotient.c: true if sm_90 has instructions for the quotient, reciprocal or root. */
bool sm90_has_quotient(const struct inst *in);
/* inline.c: the routine for an instruction; NULL: none. `name`: buffer for its name; without:
 * FUSE_*. */
const char *back_routine_for(const struct inst *in, unsigned sm, unsigned without,
			     char name[ROUTINE_NAME]);
/* atom.c: if no address of shared memory becomes generic, generic atomics go to global memory. */
void back_atom_spaces(struct module *m);

/* library.c: a module of all routines that m needs on a machine; NULL: m needs none, or there are
 * errors in d. */
struct module *routines_read(const struct module *m, unsigned sm, unsigned without, struct diag *d);
/* The library's shared memory in which lanes exchange words; NULL: the library has none. */
const struct var *routines_exchange(const struct module *library);
#define EXCHANGE "exchange" /* name of that variable in the texts of routines */

#endif
