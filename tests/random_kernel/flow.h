/* Control flow of random kernels: branches, loops, switches, jumps, locks, barriers and warp-level
 * operations. `mask` is the register that holds the lanes of the warp that execute a statement, or
 * -1 if they are not known. `all`: every thread of the block that has not ended executes the
 * statement, and equally often. */
#ifndef TESTS_RANDOM_KERNEL_FLOW_H
#define TESTS_RANDOM_KERNEL_FLOW_H
#include "random_kernel/straight.h"

static inline void rk_block(struct random_kernel *k, unsigned depth, int mask, bool all);

/* Removes ended lanes from a mask, at an operation where the remaining lanes meet. */
static inline void rk_who_is_left(struct random_kernel *k, int mask)
{
	if (mask >= 0)
		rk_emit(k,
			"setp.eq.u32 %%p0, %%lid, %%lid; vote.sync.ballot.b32 %%t%d, %%p0, "
			"%%t%d;\n",
			mask, mask);
}

static inline void rk_warp_op(struct random_kernel *k, int mask)
{
	unsigned t = rk_temp(k), d = rk_value(k), a = rk_value(k), p;
	switch (rk_up_to(k, 7)) {
	case 0:
		p = rk_predicate(k);
		rk_emit(k, "vote.sync.ballot.b32 %%t%u, %%p%u, %%t%d;\n", t, p, mask);
		break;
	case 1:
		p = rk_predicate(k);
		rk_emit(k, "vote.sync.%s.pred %%p%u, %%p%u, %%t%d; selp.u32 %%t%u, 77, 5, %%p%u;\n",
			rk_chance(k, 50) ? "any" : "all", p, p, mask, t, p);
		break;
	case 2: /* from the lowest lane */
		rk_emit(k,
			"brev.b32 %%t%u, %%t%d; clz.b32 %%t%u, %%t%u; shfl.sync.idx.b32 %%t%u, "
			"%%v%u, %%t%u, 31, %%t%d;\n",
			t, mask, t, t, t, a, t, mask);
		break;
	case 3:
		rk_emit(k, "and.b32 %%t%u, %%v%u, 3; match.any.sync.b32 %%t%u, %%t%u, %%t%d;\n", t,
			a, t, t, mask);
		break;
	case 4:
		rk_emit(k, "redux.sync.%s %%t%u, %%v%u, %%t%d;\n",
			rk_chance(k, 50) ? "add.u32" : "xor.b32", t, a, mask);
		break;
	case 5: { /* only for lanes whose predicate is true */
		unsigned who = rk_temp(k);
		p = rk_predicate(k);
		rk_emit(k, "vote.sync.ballot.b32 %%t%u, %%p%u, %%t%d; mov.u32 %%t%u, 9;\n", who, p,
			mask, t);
		rk_emit(k, "@%%p%u redux.sync.max.u32 %%t%u, %%v%u, %%t%u;\n", p, t, a, who);
		break;
	}
	default: rk_emit(k, "bar.warp.sync %%t%d; mov.u32 %%t%u, 3;\n", mask, t); break;
	}
	rk_emit(k, "mad.lo.u32 %%v%u, %%v%u, 5, %%t%u;\n", d, d, t);
}

/* Computes the masks of the lanes whose predicate is true, and of the others. */
static inline void rk_divide(struct random_kernel *k, int mask, unsigned p, int *yes, int *no)
{
	*yes = *no = -1;
	if (mask < 0 || rk_chance(k, 30))
		return;
	*yes = (int)rk_temp(k);
	*no = (int)rk_temp(k);
	rk_emit(k, "vote.sync.ballot.b32 %%t%d, %%p%u, %%t%d; xor.b32 %%t%d, %%t%d, %%t%d;\n", *yes,
		p, mask, *no, *yes, mask);
}

static inline void rk_barrier(struct random_kernel *k)
{
	unsigned t = rk_temp(k), p, d = rk_value(k);
	switch (rk_up_to(k, 4)) {
	case 0:
		p = rk_predicate(k);
		rk_emit(k, "bar.red.popc.u32 %%t%u, %u, %%p%u; add.u32 %%v%u, %%v%u, %%t%u;\n", t,
			rk_up_to(k, 3), p, d, d, t);
		break;
	case 1: { /* data of another thread */
		unsigned q = rk_temp(k);
		rk_emit(k,
			"shl.b32 %%t%u, %%lid, 2; add.u32 %%t%u, %%t%u, %%shr; st.shared.u32 "
			"[%%t%u], %%v%u; bar.sync 0;\n",
			t, t, t, t, rk_value(k));
		rk_emit(k,
			"mad.lo.u32 %%t%u, %%lid, %u, %u; rem.u32 %%t%u, %%t%u, %%nth; shl.b32 "
			"%%t%u, %%t%u, 2; add.u32 %%t%u, %%t%u, %%shr;\n",
			q, 1 + rk_up_to(k, 40), rk_up_to(k, 64), q, q, q, q, q, q);
		rk_emit(k,
			"ld.shared.u32 %%t%u, [%%t%u]; xor.b32 %%v%u, %%v%u, %%t%u; bar.sync 0;\n",
			q, q, d, d, q);
		break;
	}
	default: rk_emit(k, "bar.sync %u;\n", rk_up_to(k, 4)); break;
	}
}

/* A separate barrier instruction in each arm of a branch. */
static inline void rk_barrier_arms(struct random_kernel *k)
{
	unsigned p = rk_predicate(k), l = k->labels++, id = rk_up_to(k, 3);
	rk_emit(k, "@%%p%u bra A%u;\n", p, l);
	rk_some(k, 3);
	rk_emit(k, "bar.sync %u;\n", id);
	rk_some(k, 2);
	rk_emit(k, "bra J%u;\nA%u:\n", l, l);
	rk_some(k, 3);
	rk_emit(k, "bar.sync %u;\n", id);
	rk_some(k, 2);
	rk_emit(k, "J%u:\n", l);
}

static inline void rk_if(struct random_kernel *k, unsigned depth, int mask)
{
	unsigned p = rk_predicate(k), l = k->labels++;
	bool both = rk_chance(k, 60);
	int yes, no;
	rk_divide(k, mask, p, &yes, &no);
	rk_emit(k, "@!%%p%u bra E%u;\n", p, l);
	rk_block(k, depth + 1, yes, false);
	if (both)
		rk_emit(k, "bra J%u;\n", l);
	rk_emit(k, "E%u:\n", l);
	if (both) {
		rk_block(k, depth + 1, no, false);
		rk_emit(k, "J%u:\n", l);
	}
}

/* A loop of at most `trips` iterations; each thread's value gives its number, or, if `all`, all
 * threads have one number. The lanes still in the loop are known if `mask` is and the body has no
 * break or continue. */
static inline void rk_loop(struct random_kernel *k, unsigned depth, int mask, bool all)
{
	unsigned l = k->labels++, n = rk_temp(k), p = rk_temp(k), trips = depth > 1 ? 2 : 4;
	const char *stop = k->stop, *next = k->next;
	char stop_label[16], next_label[16];
	int in = -1;
	if (all)
		rk_emit(k, "mov.u32 %%t%u, %u;\n", n, 1 + rk_up_to(k, 3));
	else
		rk_emit(k, "and.b32 %%t%u, %%v%u, %u;\n", n, rk_value(k), trips - 1);
	snprintf(stop_label, sizeof stop_label, "X%u", l);
	snprintf(next_label, sizeof next_label, "N%u", l);
	k->stop = k->next = NULL;
	if (mask >= 0 && (all || rk_chance(k, 50))) {
		in = (int)rk_temp(k);
		rk_emit(k, "mov.u32 %%t%d, %%t%d;\n", in, mask);
	} else if (!all) {
		k->stop = stop_label;
		k->next = next_label;
	}
	rk_emit(k, "L%u: setp.ne.u32 %%p%u, %%t%u, 0;\n", l, p, n);
	if (in >= 0)
		rk_emit(k, "vote.sync.ballot.b32 %%t%d, %%p%u, %%t%d;\n", in, p, in);
	rk_emit(k, "@!%%p%u bra%s X%u;\n", p, all ? ".uni" : "", l);
	rk_block(k, depth + 1, in, all);
	rk_emit(k, "N%u: sub.u32 %%t%u, %%t%u, 1;\nbra L%u;\nX%u:\n", l, n, n, l, l);
	k->stop = stop;
	k->next = next;
}

/* A loop with its test at the end and an exit in the middle. */
static inline void rk_do(struct random_kernel *k, unsigned depth)
{
	unsigned l = k->labels++, n = rk_temp(k), p = rk_temp(k);
	const char *stop = k->stop, *next = k->next;
	char stop_label[16], next_label[16];
	snprintf(stop_label, sizeof stop_label, "X%u", l);
	snprintf(next_label, sizeof next_label, "N%u", l);
	k->stop = stop_label;
	k->next = next_label;
	rk_emit(k, "and.b32 %%t%u, %%v%u, %u;\nL%u:\n", n, rk_value(k), depth > 1 ? 1 : 3, l);
	rk_block(k, depth + 1, -1, false);
	rk_emit(k,
		"N%u: setp.eq.u32 %%p%u, %%t%u, 0; sub.u32 %%t%u, %%t%u, 1;\n@!%%p%u bra "
		"L%u;\nX%u:\n",
		l, p, n, n, n, p, l, l);
	k->stop = stop;
	k->next = next;
}

static inline void rk_switch(struct random_kernel *k, unsigned depth)
{
	unsigned n = 2 + rk_up_to(k, 4), l = k->labels++, t = rk_temp(k);
	rk_emit(k, "rem.u32 %%t%u, %%v%u, %u;\nT%u: .branchtargets ", t, rk_value(k), n, l);
	for (unsigned i = 0; i < n; i++)
		rk_emit(k, "%sS%u_%u", i ? ", " : "", l, i);
	rk_emit(k, ";\nbrx.idx %%t%u, T%u;\n", t, l);
	for (unsigned i = 0; i < n; i++) {
		rk_emit(k, "S%u_%u:\n", l, i);
		if (rk_chance(k, 40))
			rk_block(k, depth + 1, -1, false);
		else
			rk_some(k, 3);
		if (rk_chance(k, 70)) /* else it falls through */
			rk_emit(k, "bra J%u;\n", l);
	}
	rk_emit(k, "J%u:\n", l);
}

/* Blocks that jump to each other depending on data, until the fuel is used up: loops with several
 * entries. */
static inline void rk_jumps(struct random_kernel *k)
{
	unsigned n = 3 + rk_up_to(k, 3), l = k->labels++, fuel = rk_temp(k);
	rk_emit(k, "and.b32 %%t%u, %%v%u, 7; add.u32 %%t%u, %%t%u, 1;\n", fuel, rk_value(k), fuel,
		fuel);
	rk_emit(k, "@%%p%u bra G%u_%u;\n", rk_predicate(k), l, 1 + rk_up_to(k, n - 1));
	for (unsigned i = 0; i < n; i++) {
		unsigned p = rk_temp(k);
		rk_emit(k, "G%u_%u:\n", l, i);
		rk_some(k, 3);
		rk_emit(k,
			"sub.u32 %%t%u, %%t%u, 1; setp.eq.u32 %%p%u, %%t%u, 0; @%%p%u bra J%u;\n",
			fuel, fuel, p, fuel, p, l);
		rk_emit(k, "@%%p%u bra G%u_%u;\n", rk_predicate(k), l, rk_up_to(k, n));
		if (i + 1 == n || rk_chance(k, 30))
			rk_emit(k, "bra G%u_%u;\n", l, rk_up_to(k, n));
	}
	rk_emit(k, "J%u:\n", l);
}

/* A lock under which each lane counts with plain loads and stores; the lock is taken outside the
 * loop, or within its body. */
static inline void rk_lock(struct random_kernel *k)
{
	unsigned l = k->labels++, t = rk_temp(k), p = rk_temp(k);
	k->has_lock = true;
	rk_emit(k,
		"L%u: atom.global.cas.b32 %%t%u, [%%lck], 0, 1; setp.ne.u32 %%p%u, %%t%u, "
		"0;\n@%%p%u bra L%u;\n",
		l, t, p, t, p, l);
	rk_emit(k,
		"ld.volatile.global.u32 %%t%u, [%%lck+4]; add.u32 %%t%u, %%t%u, 1; "
		"st.volatile.global.u32 [%%lck+4], %%t%u;\n",
		t, t, t, t);
	rk_emit(k, "membar.gl; atom.global.exch.b32 %%t%u, [%%lck], 0;\n", t);
}

/* Stores the thread's values as its result. */
static inline void rk_store(struct random_kernel *k)
{
	unsigned t = rk_temp(k);
	rk_emit(k, "mov.u32 %%t%u, 7;\n", t);
	for (unsigned i = 0; i < RK_VALUES; i++)
		rk_emit(k, "mad.lo.u32 %%t%u, %%t%u, 31, %%v%u;\n", t, t, i);
	rk_emit(k, "st.global.u32 [%%own+4], %%t%u;\n", t);
}

static inline void rk_exit(struct random_kernel *k)
{
	unsigned p = rk_predicate(k), q = rk_temp(k), l = k->labels++;
	rk_emit(k, "and.b32 %%t%u, %%v%u, 3; setp.eq.and.u32 %%p%u, %%t%u, 1, %%p%u;\n", q,
		rk_value(k), p, q, p);
	if (rk_chance(k, 50)) {
		rk_store(k);
		rk_emit(k, "@%%p%u exit;\n", p);
	} else {
		rk_emit(k, "@!%%p%u bra J%u;\n", p, l);
		rk_store(k);
		rk_emit(k, "exit;\nJ%u:\n", l);
	}
}

static inline void rk_statement(struct random_kernel *k, unsigned depth, int mask, bool all)
{
	unsigned x = rk_up_to(k, 100);
	bool deep = depth > 3 || !k->left, compound = true;
	if (k->left)
		k->left--;
	if (k->stop && x < 8) {
		rk_emit(k, "@%%p%u bra %s;\n", rk_predicate(k),
			rk_chance(k, 50) ? k->stop : k->next);
	} else if (all && k->barriers && x < 25) {
		rk_chance(k, 35) ? rk_barrier_arms(k) : rk_barrier(k);
	} else if (mask >= 0 && x < 38) {
		rk_warp_op(k, mask);
	} else if (k->exits && !k->function && x < 41) {
		rk_exit(k);
	} else if (k->locks && !k->function && x < 43) {
		rk_lock(k);
	} else if (!deep && x < 56) {
		rk_if(k, depth, mask);
	} else if (!deep && x < 64) {
		rk_loop(k, depth, mask, all && rk_chance(k, 60));
	} else if (!deep && x < 68) {
		rk_do(k, depth);
	} else if (!deep && x < 73) {
		rk_switch(k, depth);
	} else if (!deep && x < 76) {
		rk_jumps(k);
	} else if (!deep && !k->function && x < 83) {
		rk_call(k, k->most_functions);
	} else {
		rk_some(k, 4);
		compound = false;
	}
	if (compound && k->exits)
		rk_who_is_left(k, mask);
}

static inline void rk_block(struct random_kernel *k, unsigned depth, int mask, bool all)
{
	for (unsigned n = 1 + rk_up_to(k, depth ? 4 : 2); n--;)
		rk_statement(k, depth, mask, all);
}

#endif
