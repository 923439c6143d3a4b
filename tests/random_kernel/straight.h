/* Statements of random kernels without control flow: arithmetic, memory, calls. */
#ifndef TESTS_RANDOM_KERNEL_STRAIGHT_H
#define TESTS_RANDOM_KERNEL_STRAIGHT_H
#include "random_kernel/draw.h"

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

/* Each counter is used by one kind of operation, so that the order does not matter. */
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
	k->called = true;
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

#endif
