/* Random kernels whose result does not depend on the order of their threads.
 *
 * A kernel is a tree of statements over eight values per thread: arithmetic, guarded
 * instructions, loads of a read-only input, local memory, atomics that commute, branches, loops
 * with break and continue, switches, jumps into the middle of loops, calls (direct, indirect,
 * recursive), locks, early ends. At points that all threads of a block
 * reach equally often there are barriers (in one place, or one in each arm of a branch) and
 * exchanges through shared memory. At points where the arriving lanes are known there are votes,
 * shuffles, matches and reductions, some of them guarded.
 *
 * The kernel leaves two words per thread, counters per block, and counters of the grid. The text
 * follows from the seed alone. */
#ifndef TESTS_RANDOM_KERNEL_H
#define TESTS_RANDOM_KERNEL_H
#include <stdlib.h>
#include <string.h>
#include "random_kernel/flow.h"

/* ---- functions ---- */

/* f0 .. f3 call earlier functions, and themselves with a smaller n. */
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

/* Writes a body, which determines the number of registers, and returns its text. */
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
	for (unsigned v = 1; v < RK_VALUES && k->small; v++)
		rk_emit(k, "mad.lo.u32 %%v%u, %%v0, %u, %u;\n", v, rk_up_to(k, 1u << 30) * 2 + 1,
			rk_up_to(k, 1u << 30));
	for (unsigned v = 1; v < RK_VALUES && !k->small; v++)
		rk_emit(k,
			"mad.lo.u32 %%v%u, %%v0, %u, %u; shf.l.wrap.b32 %%t%u, %%v%u, %%v%u, %u; "
			"xor.b32 %%v%u, %%v%u, %%t%u;\n",
			v, rk_up_to(k, 1u << 30) * 2 + 1, rk_up_to(k, 1u << 30), t, v, v, 7 + v, v,
			v, t);
	for (unsigned v = 0; v < RK_LOCAL && k->small; v += 4)
		rk_emit(k, "st.local.v4.u32 [%%loc+%u], {%%v%u, %%v%u, %%v%u, %%v%u};\n", 4 * v, v,
			v + 1, v + 2, v + 3);
	for (unsigned v = 0; v < RK_LOCAL && !k->small; v++)
		rk_emit(k, "st.local.u32 [%%loc+%u], %%v%u;\n", 4 * v, v);
	rk_emit(k,
		"shl.b32 %%t%u, %%lid, 2; add.u32 %%t%u, %%t%u, %%shr; st.shared.u32 [%%t%u], "
		"%%v0;\n",
		t, t, t, t);
	rk_emit(k, "setp.ne.u32 %%p%u, %%lid, 0; @%%p%u bra BEGIN;\nmov.u32 %%t%u, 0;\n", p, p, t);
	for (unsigned v = 0; v < RK_COUNTERS && k->small; v += 4)
		rk_emit(k, "st.shared.v4.u32 [%%cnt+%u], {%%t%u, %%t%u, %%t%u, %%t%u};\n", 4 * v, t,
			t, t, t);
	for (unsigned v = 0; v < RK_COUNTERS && !k->small; v++)
		rk_emit(k, "st.shared.u32 [%%cnt+%u], %%t%u;\n", 4 * v, t);
	rk_emit(k, "BEGIN: bar.sync 0;\n");
}

/* The remaining threads store the block's counters: equal words for all. */
static inline void rk_end(struct random_kernel *k)
{
	unsigned t = rk_temp(k);
	rk_emit(k, "bar.sync 0;\n");
	for (unsigned v = 0; v < RK_COUNTERS && k->small; v += 2)
		rk_emit(k, "ld.shared.u64 %%lck, [%%cnt+%u]; st.global.u64 [%%d0+%u], %%lck;\n",
			4 * v, 64 + 4 * v);
	for (unsigned v = 0; v < RK_COUNTERS && !k->small; v++)
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

static inline char *rk_main(struct random_kernel *k, unsigned *temps)
{
	k->left = k->size;
	char *text = rk_body(k, rk_kernel, 0);
	*temps = k->temps;
	return text;
}

static inline void rk_shape(struct random_kernel *k)
{
	k->most_threads = k->most_threads ? k->most_threads : RK_THREADS;
	k->most_blocks = k->most_blocks ? k->most_blocks : RK_BLOCKS;
	k->most_functions = k->most_functions ? k->most_functions : RK_FUNCTIONS;
	unsigned n = 1 + rk_up_to(k, k->most_threads);
	k->grid[0] = 1 + rk_up_to(k, k->most_blocks);
	k->grid[1] = k->grid[2] = k->block[1] = k->block[2] = 1;
	switch (rk_up_to(k, 4)) {
	case 0: k->block[1] = 1 + rk_up_to(k, 7); break;
	case 1: k->block[1] = 1 + rk_up_to(k, 3), k->block[2] = 1 + rk_up_to(k, 3); break;
	case 2: n = 32 * (1 + n / 40); break;
	default: break;
	}
	k->block[0] = n / (k->block[1] * k->block[2]) + !(n / (k->block[1] * k->block[2]));
	k->threads = k->block[0] * k->block[1] * k->block[2];
	k->bytes = 64 + 4 * RK_COUNTERS * k->grid[0] + 8 * (size_t)k->threads * k->grid[0];
}

/* Returns the text of kernel `k` with parameters in*, out*, n0 (the number of blocks) and n1; the
 * caller frees it. */
static inline void random_kernel_make(struct random_kernel *k, uint64_t seed)
{
	char *function[RK_FUNCTIONS], *kernel = NULL;
	unsigned temps[RK_FUNCTIONS], main_temps = 0;
	size_t n;
	k->state = seed * 0x2545f4914f6cdd1du + 1;
	rk_shape(k);
	k->locks &= k->threads * k->grid[0] <= 128; /* all poll for one lock */
	if (k->small)
		kernel = rk_main(k, &main_temps);
	if (k->small && !k->called)
		k->most_functions = 0;
	k->function = true;
	for (unsigned i = 0; i < k->most_functions; i++) {
		function[i] = rk_body(k, rk_function, i);
		temps[i] = k->temps;
	}
	k->function = false;
	if (!k->small)
		kernel = rk_main(k, &main_temps);
	FILE *f = open_memstream(&k->text, &n);
	fprintf(f, ".version 7.0\n.target sm_80\n.address_size 64\n.global .u32 input[%d] = {",
		RK_INPUT);
	for (unsigned i = 0; i < (k->small ? 16u : RK_INPUT); i++)
		fprintf(f, "%s%u", i ? ", " : "", (unsigned)random_next(&k->state));
	fprintf(f,
		"};\n.func note(.param .u64 x, .param .u32 y)\n{\n.reg .u64 %%d; .reg .u32 %%r;\n"
		"ld.param.u64 %%d, [x]; ld.param.u32 %%r, [y]; red.global.add.u32 [%%d], %%r; "
		"ret;\n}\n");
	for (unsigned i = 0; i < k->most_functions; i++) {
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
	rk_registers(f, main_temps);
	fprintf(f,
		".local .align 16 .b32 loc[%d]; .shared .align 16 .b32 cnt[%d]; .shared .align 4 "
		".b32 shr[%d];\n%s}\n",
		RK_LOCAL, RK_COUNTERS, RK_THREADS + 64, kernel);
	fclose(f);
	free(kernel);
}

#endif
