/* Routines in PTX for what a machine has no instruction for. Some stand in a text that is read once per module (lib*.c,
 * tesla/lib*.c), others are written for one instruction as it is met (expand.h). lower/inline.c copies a routine into the
 * kernel in place of the instruction. */
#ifndef BACK_ROUTINES_ROUTINES_H
#define BACK_ROUTINES_ROUTINES_H
#include "back/mir/mir.h"
#include "ir/module.h"

/* lib.c: those of floats and of integer division. */
const char *back_library(void);
const char *back_routine(const struct inst *in);
/* lib_bits.c: those for bits and 64-bit integers. */
const char *back_library_bits(void);
const char *back_routine_bits(const struct inst *in);
/* lib_atom.c: the routine that an atomic needs on a machine, if it needs one. */
enum { ROUTINE_NAME = 200 };
const char *back_library_atom(void);
bool back_routine_atom(const struct inst *in, unsigned sm, char name[ROUTINE_NAME]);
/* tesla/lib.c: what sm_13 needs besides; its routines come first. */
const char *tesla_library(void);
const char *tesla_routine(const struct inst *in);
/* tesla/lib_float.c: those of floats. */
const char *tesla_library_float(void);
const char *tesla_routine_float(const struct inst *in);
/* expand.c: an instruction whose routine is written for it alone; back_expand writes it. */
bool back_expands(const struct inst *in, unsigned sm, char name[ROUTINE_NAME]);
void back_expand(const struct inst *in, unsigned sm, FILE *f);
/* inline.c: the routine for an instruction; NULL: it has none. `name`: room for it; without: FUSE_*. */
const char *back_routine_for(const struct inst *in, unsigned sm, unsigned without,
			     char name[ROUTINE_NAME]);
/* atom.c: if no address of shared memory becomes a generic one, generic atomics are of global memory. */
void back_atom_spaces(struct module *m);

/* library.c: a module of all routines that m needs on a machine; NULL: it needs none, or there are errors in d. */
struct module *routines_read(const struct module *m, unsigned sm, unsigned without, struct diag *d);
/* The library's shared memory that lanes exchange words in; NULL: it has none. */
const struct var *routines_exchange(const struct module *library);
#define EXCHANGE "exchange" /* its name in the texts of routines */

#endif
