/* Random kernels whose result does not depend on the order of their threads.
 *
 * A kernel is a tree of statements over eight values a thread has: arithmetic, guarded
 * instructions, loads of a read-only input, local memory, atomics that commute, branches, loops
 * with break and continue, switches, jumps into the midst of loops, calls (direct, indirect,
 * recursive), locks, early ends. Where all threads of a block come by as often as each other there
 * are barriers, in one place or one in each arm of a branch, and data that is exchanged through
 * shared memory; where the lanes that come by are known, votes, shuffles, matches and reductions,
 * guarded ones too.
 *
 * Memory afterwards: two words for each thread, the block's counters, and the counters of all. The
 * text follows from the seed alone. */
#ifndef TESTS_RANDOM_KERNEL_H
#define TESTS_RANDOM_KERNEL_H
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	RK_VALUES = 8,
	RK_INPUT = 256,
	RK_COUNTERS = 8,
	RK_LOCAL = 8,
	RK_FUNCTIONS = 4,
	RK_THREADS = 192
};

struct random_kernel {
	/* What it may contain; set before. */
	bool warp_ops, locks, barriers, exits;
	unsigned size; /* statements, about */
	/* What came out. */
	uint32_t grid[3], block[3];
	unsigned threads; /* of a block */
	size_t bytes;     /* of its output */
	bool has_lock;
	char *text;
	/* While it is written. */
	uint64_t state;
	FILE *f;
	unsigned labels, temps, left;
	bool function;           /* in a function */
	const char *stop, *next; /* labels that break and continue go to, or NULL */
};

static inline uint64_t random_next(uint64_t *s)
{
	uint64_t z = (*s += 0x9e3779b97f4a7c15u); /* splitmix64 */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}
static inline unsigned rk_up_to(struct random_kernel *k, unsigned n)
{
	return (unsigned)(random_next(&k->state) >> 32) % n;
}
static inline bool rk_chance(struct random_kernel *k, unsigned percent)
{
	return rk_up_to(k, 100) < percent;
}
static inline unsigned rk_value(struct random_kernel *k)
{
	return rk_up_to(k, RK_VALUES);
}
static inline unsigned rk_temp(struct random_kernel *k)
{
	return k->temps++;
}

__attribute__((format(printf, 2, 3))) static inline void rk_emit(struct random_kernel *k,
                                                                 const char *format, ...)
{
	va_list a;
	va_start(a, format);
	vfprintf(k->f, format, a);
	va_end(a);
}

/* A predicate of the thread's values; about half of the threads have it, or few. */
static inline unsigned rk_predicate(struct random_kernel *k)
{
	static const char *const compare[] = {"lt", "gt", "eq", "ne", "ge", "le"};
	unsigned t = rk_temp(k), p = rk_temp(k), bits = 1 + rk_up_to(k, 4);
	rk_emit(k, "shr.u32 %%t%u, %%v%u, %u; and.b32 %%t%u, %%t%u, %u;\n", t, rk_value(k),
	        rk_up_to(k, 20), t, t, (1u << bits) - 1);
	rk_emit(k, "setp.%s.u32 %%p%u, %%t%u, %u;\n", compare[rk_up_to(k, 6)], p, t,
	        rk_up_to(k, 1u << bits));
	return p;
}

/* ---- statements without control flow ---- */

static inline void rk_arithmetic(struct random_kernel *k)
{
	static const char *const op[] = {"add.u32", "sub.u32", "mul.lo.u32", "xor.b32",
	                                 "and.b32", "or.b32",  "min.u32",    "max.s32"};
	unsigned d = rk_value(k), a = rk_value(k), b = rk_value(k), t = rk_temp(k);
	const char *guard = "";
	char text[24];
	if (rk_chance(k, 30)) {
		snprintf(text, sizeof text, "@%s%%p%u ", rk_chance(k, 50) ? "!" : "",
		         rk_predicate(k));
		guard = text;
	}
	switch (rk_up_to(k, 6)) {
	case 0:
		rk_emit(k, "%smad.lo.u32 %%v%u, %%v%u, %u, %%v%u;\n", guard, d, a,
		        rk_up_to(k, 1 << 20) * 2 + 1, b);
		break;
	case 1:
		rk_emit(k, "rem.u32 %%t%u, %%v%u, %u; %sadd.u32 %%v%u, %%v%u, %%t%u;\n", t, a,
		        3 + rk_up_to(k, 90), guard, d, b, t);
		break;
	case 2:
		rk_emit(k,
		        "shf.l.wrap.b32 %%t%u, %%v%u, %%v%u, %u; %sxor.b32 %%v%u, %%v%u, %%t%u;\n",
		        t, a, a, 1 + rk_up_to(k, 31), guard, d, b, t);
		break;
	default:
		rk_emit(k, "%s%s %%v%u, %%v%u, %%v%u;\n", guard, op[rk_up_to(k, 8)], d, a, b);
		break;
	}
}

static inline void rk_load(struct random_kernel *k)
{
	unsigned t = rk_temp(k), at = rk_temp(k), d = rk_value(k);
	rk_emit(k,
	        "and.b32 %%t%u, %%v%u, %u; mul.wide.u32 %%d%u, %%t%u, 4; add.u64 %%d%u, %%d%u, "
	        "%%in;\n",
	        t, rk_value(k), RK_INPUT - 1, at, t, at, at);
	rk_emit(k, "ld.global.u32 %%t%u, [%%d%u]; xor.b32 %%v%u, %%v%u, %%t%u;\n", t, at, d, d, t);
}

static inline void rk_local(struct random_kernel *k)
{
	unsigned t = rk_temp(k);
	rk_emit(k,
	        "and.b32 %%t%u, %%v%u, %u; shl.b32 %%t%u, %%t%u, 2; add.u32 %%t%u, %%t%u, %%loc;\n",
	        t, rk_value(k), RK_LOCAL - 1, t, t, t, t);
	if (rk_chance(k, 50))
		rk_emit(k, "st.local.u32 [%%t%u], %%v%u;\n", t, rk_value(k));
	else
		rk_emit(k, "ld.local.u32 %%v%u, [%%t%u];\n", rk_value(k), t);
}

/* Counter i takes one operation alone, so that the order does not matter. */
static inline void rk_atomic(struct random_kernel *k)
{
	static const char *const op[RK_COUNTERS - 2] = {"add.u32", "xor.b32", "max.u32",
	                                                "min.s32", "or.b32",  "max.s32"};
	unsigned i = rk_up_to(k, RK_COUNTERS - 2), t = rk_temp(k),
	         p = rk_chance(k, 40) ? rk_predicate(k) : 0;
	char guard[24] = "";
	if (p)
		snprintf(guard, sizeof guard, "@%%p%u ", p);
	if (rk_chance(k, 25)) /* the sum of the numbers that were drawn */
		rk_emit(k,
		        "atom.global.add.u32 %%t%u, [%%acc+%u], 1; red.global.add.u32 [%%acc+%u], "
		        "%%t%u;\n",
		        t, 4 * (RK_COUNTERS - 2), 4 * (RK_COUNTERS - 1), t);
	else if (k->function || rk_chance(k, 50))
		rk_emit(k, "%sred.global.%s [%%acc+%u], %%v%u;\n", guard, op[i], 4 * i,
		        rk_value(k));
	else
		rk_emit(k, "%sred.shared.%s [%%cnt+%u], %%v%u;\n", guard, op[i], 4 * i,
		        rk_value(k));
}

static inline void rk_simple(struct random_kernel *k)
{
	unsigned x = rk_up_to(k, 100);
	if (x < 60)
		rk_arithmetic(k);
	else if (x < 72)
		rk_load(k);
	else if (x < 84)
		rk_local(k);
	else
		rk_atomic(k);
}

static inline void rk_some(struct random_kernel *k, unsigned most)
{
	for (unsigned n = 1 + rk_up_to(k, most); n--;)
		rk_simple(k);
}

/* ---- calls ---- */

static inline void rk_call(struct random_kernel *k, unsigned functions)
{
	unsigned f = rk_up_to(k, functions), g = rk_up_to(k, functions), d = rk_value(k),
	         a = rk_value(k), b = rk_value(k);
	if (rk_chance(k, 20)) { /* guarded, without a result */
		unsigned p = rk_predicate(k);
		rk_emit(k,
		        "{ .param .u64 x; .param .u32 y; st.param.u64 [x], %%acc; st.param.u32 "
		        "[y], %%v%u; @%%p%u call note, (x, y); }\n",
		        a, p);
		return;
	}
	unsigned depth = rk_temp(k);
	rk_emit(k, "and.b32 %%t%u, %%v%u, 3;\n", depth, rk_value(k));
	rk_emit(k,
	        "{ .param .u64 x; .param .u32 y; .param .u32 z; .param .u32 n; .param .u32 r; "
	        "st.param.u64 [x], %%acc; "
	        "st.param.u32 [y], %%v%u; st.param.u32 [z], %%v%u; st.param.u32 [n], %%t%u;\n",
	        a, b, depth);
	if (rk_chance(k, 50)) {
		rk_emit(k, "call (r), f%u, (x, y, z, n);\n", f);
	} else {
		unsigned p = rk_predicate(k), d0 = rk_temp(k), d1 = rk_temp(k), label = k->labels++;
		rk_emit(k,
		        "mov.u64 %%d%u, f%u; mov.u64 %%d%u, f%u; selp.b64 %%d%u, %%d%u, %%d%u, "
		        "%%p%u;\n",
		        d0, f, d1, g, d0, d0, d1, p);
		rk_emit(k,
		        "P%u: .callprototype (.param .u32 _) _ (.param .u64 _, .param .u32 _, "
		        ".param .u32 _, .param .u32 _);\n",
		        label);
		rk_emit(k, "call (r), %%d%u, (x, y, z, n), P%u;\n", d0, label);
	}
	rk_emit(k, "ld.param.u32 %%v%u, [r]; }\n", d);
}

/* ---- control flow ----
 * `mask` is the register with the lanes of the warp that come by, or -1 if that is not known;
 * `all`: all threads of the block that have not ended come by, as often as each other. */

static inline void rk_block(struct random_kernel *k, unsigned depth, int mask, bool all);

/* Those who are left of the lanes of a mask; the operation is one that they meet at. */
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
	case 5: { /* for those alone who have a predicate */
		unsigned who = rk_temp(k);
		p = rk_predicate(k);
		rk_emit(k, "vote.sync.ballot.b32 %%t%u, %%p%u, %%t%d; mov.u32 %%t%u, 9;\n", who, p,
		        mask, t);
		rk_emit(k, "@%%p%u redux.sync.max.u32 %%t%u, %%v%u, %%t%u;\n", p, t, a, who);
		break;
	}
	default:
		rk_emit(k, "bar.warp.sync %%t%d; mov.u32 %%t%u, 3;\n", mask, t);
		break;
	}
	rk_emit(k, "mad.lo.u32 %%v%u, %%v%u, 5, %%t%u;\n", d, d, t);
}

/* Masks of those who have the predicate and of the others. */
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
	default:
		rk_emit(k, "bar.sync %u;\n", rk_up_to(k, 4));
		break;
	}
}

/* A barrier in each arm, not the same instruction. */
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

/* A loop of up to `trips` rounds, as many as each thread's value says; all: as many for all
 * threads. Lanes that are still in it are known if `mask` was and nothing in it goes on by break or
 * continue. */
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

/* A loop that tests at its end, with a way out in its midst. */
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

/* Blocks that jump to each other as the data has it, until the fuel is used up: loops with several
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

/* One at a time: each counts, with plain loads and stores. Held across the loop, or within its
 * body. */
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

/* The thread's values are its result. */
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
		rk_call(k, RK_FUNCTIONS);
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

/* ---- functions ---- */

/* f0 .. f3 call those before them, and themselves with a smaller n. */
static inline void rk_function(struct random_kernel *k, unsigned i)
{
	rk_emit(k, "ld.param.u64 %%acc, [x]; ld.param.u32 %%v0, [y]; ld.param.u32 %%v1, [z]; "
	           "ld.param.u32 %%n, [n];\n");
	rk_emit(k, "mov.u64 %%in, input;\n");
	for (unsigned v = 2; v < RK_VALUES; v++)
		rk_emit(k, "mad.lo.u32 %%v%u, %%v0, %u, %%v1;\n", v, 2 * v + 1);
	rk_emit(k, "mov.u32 %%loc, fl%u;\n", i);
	for (unsigned v = 0; v < RK_LOCAL; v++)
		rk_emit(k, "st.local.u32 [%%loc+%u], %%v%u;\n", 4 * v, v);
	rk_some(k, 3);
	if (rk_chance(k, 50)) { /* an early return */
		rk_emit(k, "st.param.u32 [r], %%v%u;\n", rk_value(k));
		rk_emit(k, "@%%p%u ret;\n", rk_predicate(k));
	}
	k->left = 4;
	rk_block(k, 1, -1, false);
	if (rk_chance(k, 60)) {
		unsigned p = rk_temp(k), t = rk_temp(k);
		rk_emit(k, "setp.eq.u32 %%p%u, %%n, 0; @%%p%u bra NR; sub.u32 %%t%u, %%n, 1;\n", p,
		        p, t);
		rk_emit(k,
		        "{ .param .u64 cx; .param .u32 cy; .param .u32 cz; .param .u32 cn; .param "
		        ".u32 cr; st.param.u64 [cx], %%acc; "
		        "st.param.u32 [cy], %%v%u; st.param.u32 [cz], %%v%u; st.param.u32 [cn], "
		        "%%t%u;\n",
		        rk_value(k), rk_value(k), t);
		rk_emit(k, "call (cr), f%u, (cx, cy, cz, cn); ld.param.u32 %%v%u, [cr]; }\nNR:\n",
		        rk_chance(k, 60) ? i : rk_up_to(k, i + 1), rk_value(k));
	}
	rk_emit(k, "st.param.u32 [r], %%v%u;\nret;\n", rk_value(k));
}

/* Writes a body and returns its text; how many registers it takes is known then. */
static inline char *rk_body(struct random_kernel *k,
                            void (*write)(struct random_kernel *k, unsigned i), unsigned i)
{
	char *text = NULL;
	size_t n = 0;
	k->f = open_memstream(&text, &n);
	k->temps = 1;
	k->stop = k->next = NULL;
	write(k, i);
	fclose(k->f);
	return text;
}

static inline void rk_registers(FILE *f, unsigned temps)
{
	fprintf(f,
	        ".reg .u32 %%v<%d>, %%t<%u>, %%lid, %%nth, %%loc, %%cnt, %%shr, %%n; .reg .pred "
	        "%%p<%u>; "
	        ".reg .u64 %%d<%u>, %%in, %%acc, %%own, %%lck;\n",
	        RK_VALUES, temps, temps, temps);
}

/* ---- the kernel ---- */

static inline void rk_begin(struct random_kernel *k)
{
	unsigned t = rk_temp(k), d = rk_temp(k), e = rk_temp(k), p = rk_temp(k);
	rk_emit(k, "ld.param.u64 %%own, [pout]; mov.u64 %%in, input; mov.u32 %%loc, loc; mov.u32 "
	           "%%cnt, cnt; mov.u32 %%shr, shr;\n");
	rk_emit(k,
	        "mov.u32 %%lid, %%tid.z; mov.u32 %%t%u, %%ntid.y; mov.u32 %%v1, %%tid.y; "
	        "mad.lo.u32 %%lid, %%lid, %%t%u, %%v1;\n",
	        t, t);
	rk_emit(k,
	        "mov.u32 %%nth, %%ntid.x; mov.u32 %%v1, %%tid.x; mad.lo.u32 %%lid, %%lid, %%nth, "
	        "%%v1; mul.lo.u32 %%nth, %%nth, %%t%u;\n",
	        t);
	rk_emit(k,
	        "mov.u32 %%t%u, %%ntid.z; mul.lo.u32 %%nth, %%nth, %%t%u; mov.u32 %%v2, "
	        "%%ctaid.x;\n",
	        t, t);
	/* all counters are first, then the block's, then the threads' words */
	rk_emit(k,
	        "mov.u64 %%acc, %%own; add.u64 %%lck, %%own, %d; mul.wide.u32 %%d%u, %%v2, %d; "
	        "add.u64 %%own, %%own, %%d%u;\n",
	        4 * RK_COUNTERS, d, 4 * RK_COUNTERS, d);
	rk_emit(k, "mad.lo.u32 %%v0, %%v2, %%nth, %%lid;\n");
	rk_emit(k,
	        "ld.param.u32 %%t%u, [n0]; mul.wide.u32 %%d%u, %%t%u, %d; add.u64 %%d%u, %%d%u, "
	        "%%acc; mul.wide.u32 %%d%u, %%v0, 8;\n",
	        t, d, t, 4 * RK_COUNTERS, d, d, e);
	rk_emit(k,
	        "add.u64 %%d%u, %%d%u, %%d%u; add.u64 %%d%u, %%d%u, 64; st.global.u32 [%%d%u], "
	        "%%v0;\n",
	        e, e, d, e, e, e);
	rk_emit(k, "mov.u64 %%d0, %%own; mov.u64 %%own, %%d%u;\n", e);
	for (unsigned v = 1; v < RK_VALUES; v++)
		rk_emit(k,
		        "mad.lo.u32 %%v%u, %%v0, %u, %u; shf.l.wrap.b32 %%t%u, %%v%u, %%v%u, %u; "
		        "xor.b32 %%v%u, %%v%u, %%t%u;\n",
		        v, rk_up_to(k, 1u << 30) * 2 + 1, rk_up_to(k, 1u << 30), t, v, v, 7 + v, v,
		        v, t);
	for (unsigned v = 0; v < RK_LOCAL; v++)
		rk_emit(k, "st.local.u32 [%%loc+%u], %%v%u;\n", 4 * v, v);
	rk_emit(k,
	        "shl.b32 %%t%u, %%lid, 2; add.u32 %%t%u, %%t%u, %%shr; st.shared.u32 [%%t%u], "
	        "%%v0;\n",
	        t, t, t, t);
	rk_emit(k, "setp.ne.u32 %%p%u, %%lid, 0; @%%p%u bra BEGIN;\nmov.u32 %%t%u, 0;\n", p, p, t);
	for (unsigned v = 0; v < RK_COUNTERS; v++)
		rk_emit(k, "st.shared.u32 [%%cnt+%u], %%t%u;\n", 4 * v, t);
	rk_emit(k, "BEGIN: bar.sync 0;\n");
}

/* Who is left stores the block's counters: the same for all. */
static inline void rk_end(struct random_kernel *k)
{
	unsigned t = rk_temp(k);
	rk_emit(k, "bar.sync 0;\n");
	for (unsigned v = 0; v < RK_COUNTERS; v++)
		rk_emit(k, "ld.shared.u32 %%t%u, [%%cnt+%u]; st.global.u32 [%%d0+%u], %%t%u;\n", t,
		        4 * v, 64 + 4 * v, t);
	rk_store(k);
	rk_emit(k, "ret;\n");
}

static inline void rk_kernel(struct random_kernel *k, unsigned i)
{
	int mask = -1;
	(void)i;
	rk_begin(k);
	if (k->warp_ops) {
		mask = (int)rk_temp(k);
		rk_emit(k, "mov.u32 %%t%d, 0xffffffff;\n", mask);
		rk_who_is_left(k, mask);
	}
	while (k->left)
		rk_statement(k, 0, mask, true);
	rk_end(k);
}

static inline void rk_shape(struct random_kernel *k)
{
	unsigned n = 1 + rk_up_to(k, RK_THREADS);
	k->grid[0] = 1 + rk_up_to(k, 6);
	k->grid[1] = k->grid[2] = k->block[1] = k->block[2] = 1;
	switch (rk_up_to(k, 4)) {
	case 0:
		k->block[1] = 1 + rk_up_to(k, 7);
		break;
	case 1:
		k->block[1] = 1 + rk_up_to(k, 3), k->block[2] = 1 + rk_up_to(k, 3);
		break;
	case 2:
		n = 32 * (1 + n / 40);
		break;
	default:
		break;
	}
	k->block[0] = n / (k->block[1] * k->block[2]) + !(n / (k->block[1] * k->block[2]));
	k->threads = k->block[0] * k->block[1] * k->block[2];
	k->bytes = 64 + 4 * RK_COUNTERS * k->grid[0] + 8 * (size_t)k->threads * k->grid[0];
}

/* Its kernel is `k` with parameters in*, out*, n0, n1 of which n0 is the number of blocks; free the
 * text. */
static inline void random_kernel_make(struct random_kernel *k, uint64_t seed)
{
	char *function[RK_FUNCTIONS], *kernel;
	unsigned temps[RK_FUNCTIONS];
	size_t n;
	k->state = seed * 0x2545f4914f6cdd1du + 1;
	rk_shape(k);
	k->locks &= k->threads * k->grid[0] <= 128; /* all poll for one lock */
	k->function = true;
	for (unsigned i = 0; i < RK_FUNCTIONS; i++) {
		function[i] = rk_body(k, rk_function, i);
		temps[i] = k->temps;
	}
	k->function = false;
	k->left = k->size;
	kernel = rk_body(k, rk_kernel, 0);
	FILE *f = open_memstream(&k->text, &n);
	fprintf(f, ".version 7.0\n.target sm_80\n.address_size 64\n.global .u32 input[%d] = {",
	        RK_INPUT);
	for (unsigned i = 0; i < RK_INPUT; i++)
		fprintf(f, "%s%u", i ? ", " : "", (unsigned)random_next(&k->state));
	fprintf(f,
	        "};\n.func note(.param .u64 x, .param .u32 y)\n{\n.reg .u64 %%d; .reg .u32 %%r;\n"
	        "ld.param.u64 %%d, [x]; ld.param.u32 %%r, [y]; red.global.add.u32 [%%d], %%r; "
	        "ret;\n}\n");
	for (unsigned i = 0; i < RK_FUNCTIONS; i++) {
		fprintf(f,
		        ".func (.param .u32 r) f%u(.param .u64 x, .param .u32 y, .param .u32 z, "
		        ".param .u32 n)\n{\n",
		        i);
		rk_registers(f, temps[i]);
		fprintf(f, ".local .align 4 .b32 fl%u[%d];\n%s}\n", i, RK_LOCAL, function[i]);
		free(function[i]);
	}
	fprintf(f, ".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param "
	           ".u32 n1)\n{\n");
	rk_registers(f, k->temps);
	fprintf(f,
	        ".local .align 4 .b32 loc[%d]; .shared .align 4 .b32 cnt[%d]; .shared .align 4 "
	        ".b32 shr[%d];\n%s}\n",
	        RK_LOCAL, RK_COUNTERS, RK_THREADS + 64, kernel);
	fclose(f);
	free(kernel);
}

#endif
