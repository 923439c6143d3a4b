/* Analyses and transformations of one function, one a file. */
#ifndef PASS_PASS_H
#define PASS_PASS_H
#include "ir/module.h"
#include "pass/cfg.h"
#include "pass/dom.h"

/* reconv.c */
bool inst_may_diverge(const struct inst *in); /* a branch that can part the threads of a warp */
void reconv_set(struct func *f, const struct cfg *c, const struct domtree *pdom);
void reconv_run(struct func *f);              /* the same, with its own analyses */

#endif
