/* Analyses and transformations of one function, one per file, and the order they run in. After
 * pass_run() the function is verified and its branches have reconvergence points. The order and what
 * each pass needs are in pass.c. */
#ifndef PASS_PASS_H
#define PASS_PASS_H
#include <stdio.h>
#include "pass/cfg.h"
#include "pass/dom.h"
#include "pass/live.h"
#include "pass/loop.h"
#include "pass/rows.h"

struct pass_opts {
	bool share_rows; /* true: rows_alloc(); false: rows_identity() */
	bool brief_rows; /* separate rows for brief registers (brief.h); only with share_rows */
	FILE *dump; /* NULL: none; otherwise the program after each pass whose letter is in `letters` */
	const char *letters; /* v verify, c cfg, d dom, p pdom, r reconv, l loop, i live, w rows;
	                        NULL: all */
};

struct pass_info { /* results of the passes, in the arena given */
	struct cfg *cfg;
	struct domtree dom, pdom;
	struct loops loops;
	struct live live;
	struct rows rows;
	unsigned live_regs; /* most 32-bit registers live at once */
};

/* Verifies the function and runs all passes. False, and errors in `d`, if it is not well formed. */
bool pass_run(struct func *f, struct arena *a, const struct pass_opts *o, struct pass_info *out,
	      struct diag *d);

/* reconv.c */
bool inst_may_diverge(const struct inst *in); /* true for a branch that may diverge */
void reconv_set(struct func *f, const struct cfg *c, const struct domtree *pdom);
void reconv_run(struct func *f); /* reconv_set(), after running the analyses that it needs */

#endif
