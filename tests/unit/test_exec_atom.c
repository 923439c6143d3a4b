/* Atomics of a warp: for every placement of the lanes' cells, memory and the returned values equal
 * those of 32 single operations in lane order, on one host thread and on two, in every space and
 * scope. A lane outside or misaligned is the fault of the first such lane. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

enum { LANES = 32, CELLS = 64, BLOCKS = 2, THREADS = BLOCKS * LANES };

/* Old value a, operands b and c. */
typedef uint64_t next_fn(uint64_t a, uint64_t b, uint64_t c);
struct op {
	const char *name;
	unsigned bytes;
	next_fn *next;
	bool red; /* exists as red, too */
};

#define NEXT(name, e)                                                                              \
	static uint64_t name(uint64_t a, uint64_t b, uint64_t c)                                   \
	{                                                                                          \
		(void)a, (void)b, (void)c;                                                         \
		return e;                                                                          \
	}
static uint64_t of_float(float f)
{
	uint32_t x;
	memcpy(&x, &f, 4);
	return x;
}
static float to_float(uint64_t x)
{
	float f;
	memcpy(&f, &x, 4);
	return f;
}
static uint64_t of_double(double f)
{
	uint64_t x;
	memcpy(&x, &f, 8);
	return x;
}
static double to_double(uint64_t x)
{
	double f;
	memcpy(&f, &x, 8);
	return f;
}
NEXT(add, a + b)
NEXT(and, a &b)
NEXT(or, a | b)
NEXT(xor, a ^ b)
NEXT(exch, b)
NEXT(cas, a == b ? c : a)
NEXT(inc, (uint32_t)a >= (uint32_t)b ? 0 : a + 1)
NEXT(dec, (uint32_t)a == 0 || (uint32_t)a > (uint32_t)b ? b : a - 1)
NEXT(min_u, b < a ? b : a)
NEXT(max_u, b > a ? b : a)
NEXT(min_s32, (int32_t)b < (int32_t)a ? b : a)
NEXT(max_s32, (int32_t)b > (int32_t)a ? b : a)
NEXT(min_s64, (int64_t)b < (int64_t)a ? b : a)
NEXT(max_s64, (int64_t)b > (int64_t)a ? b : a)
NEXT(add_f32, of_float(to_float(a) + to_float(b)))
NEXT(add_f64, of_double(to_double(a) + to_double(b)))

static const struct op ops[] = {
	{"add.u32", 4, add, true},     {"add.s32", 4, add, true},     {"add.u64", 8, add, true},
	{"and.b32", 4, and, true},     {"and.b64", 8, and, true},     {"or.b32", 4, or, true},
	{"or.b64", 8, or, true},       {"xor.b32", 4, xor, true},     {"xor.b64", 8, xor, true},
	{"exch.b32", 4, exch, false},  {"exch.b64", 8, exch, false},  {"cas.b32", 4, cas, false},
	{"cas.b64", 8, cas, false},    {"inc.u32", 4, inc, true},     {"dec.u32", 4, dec, true},
	{"min.u32", 4, min_u, true},   {"max.u32", 4, max_u, true},   {"min.s32", 4, min_s32, true},
	{"max.s32", 4, max_s32, true}, {"min.u64", 8, min_u, true},   {"max.u64", 8, max_u, true},
	{"min.s64", 8, min_s64, true}, {"max.s64", 8, max_s64, true}, {"add.f32", 4, add_f32, true},
	{"add.f64", 8, add_f64, true},
};

/* Cell of its block that a lane uses. */
static uint32_t one(uint32_t i) { return 5 + 0 * i; }
static uint32_t each(uint32_t i) { return i; }
static uint32_t pairs(uint32_t i) { return i / 2 + 3; }
static uint32_t few(uint32_t i) { return i * 7 % 5; }
static uint32_t spread(uint32_t i) { return i * 37 % CELLS; }
static uint32_t (*const patterns[])(uint32_t) = {one, each, pairs, few, spread};

struct shape {
	const char *space; /* ".global", ".shared", "" */
	const char *scope;
	bool red;
	uint32_t mask;
};

static char text[8192];

/* Thread i of its block performs the operation on cell at[i] with b[i] and c[i] if its bit of the
 * mask is set, and stores the returned value in old[i]. The first warp copies shared cells in and
 * out, two per thread. */
static void write_kernel(const struct shape *s, const struct op *o)
{
	bool shared = !strcmp(s->space, ".shared"), f = strstr(o->name, ".f"),
	     is_cas = o->next == cas;
	unsigned bits = o->bytes * 8;
	size_t n = 0;
#define EMIT(...) (n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__))
	EMIT(".version 6.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 at, .param .u64 "
	     "b, .param .u64 c, .param .u64 cells, .param .u64 old)\n{\n.reg .u64 %%a, %%d, %%g, %%m, %%q;\n"
	     ".reg .u32 %%t, %%i, %%x, %%w;\n.reg .pred %%p;\n.reg .%c%u %%b, %%c, %%o;\n"
	     ".shared .align 8 .b8 tile[%u];\n",
	     f ? 'f' : 'b', bits, CELLS * 8);
	EMIT("mov.u32 %%t, %%tid.x;\nmov.u32 %%x, %%ctaid.x;\nmad.lo.u32 %%i, %%x, %d, %%t;\n",
	     LANES);
	EMIT("ld.param.u64 %%g, [cells];\nmul.wide.u32 %%q, %%x, %d;\nadd.u64 %%g, %%g, %%q;\n",
	     CELLS * 8);
	EMIT("mul.wide.u32 %%q, %%t, 16;\nadd.u64 %%a, %%g, %%q;\nmov.u64 %%m, tile;\nadd.u64 %%d, "
	     "%%m, %%q;\n");
	if (shared)
		EMIT("{ .reg .b64 %%y<2>; ld.global.v2.b64 {%%y0, %%y1}, [%%a];\n"
		     "st.shared.v2.b64 [%%d], {%%y0, %%y1}; }\nbar.sync 0;\n");
	for (const char *v = "bc"; *v; v++)
		EMIT("ld.param.u64 %%q, [%c];\nmad.wide.u32 %%q, %%i, 8, %%q;\nld.global.b%u %%%c, [%%q];\n",
		     *v, bits, *v);
	EMIT("ld.param.u64 %%q, [at];\nmad.wide.u32 %%q, %%i, 4, %%q;\nld.global.u32 %%w, [%%q];\n"
	     "cvt.s64.s32 %%q, %%w;\nadd.u64 %%q, %%q, %s;\n",
	     shared ? "%m" : "%g");
	EMIT("shl.b32 %%w, 1, %%t;\nand.b32 %%w, %%w, %u;\nsetp.ne.u32 %%p, %%w, 0;\nmov.b%u %%o, %%b;\n",
	     s->mask, bits);
	EMIT("@%%p %s%s%s.%s %s[%%q], %%b%s;\n", s->red ? "red" : "atom", s->scope, s->space,
	     o->name, s->red ? "" : "%o, ", is_cas ? ", %c" : "");
	if (shared)
		EMIT("bar.sync 0;\n{ .reg .b64 %%y<2>; ld.shared.v2.b64 {%%y0, %%y1}, [%%d];\n"
		     "st.global.v2.b64 [%%a], {%%y0, %%y1}; }\n");
	EMIT("ld.param.u64 %%q, [old];\nmad.wide.u32 %%q, %%i, 8, %%q;\nst.global.b%u [%%q], "
	     "%%o;\nret;\n}\n",
	     bits);
	assert_true(n < sizeof text);
#undef EMIT
}

static void check(struct heddle *h, enum heddle_status s)
{
	if (s)
		fail_msg("%s\n%s", heddle_message(h), text);
}

static uint64_t noise(void)
{
	static uint64_t s = 88172645463325252u;
	s ^= s << 13, s ^= s >> 7, s ^= s << 17;
	return s;
}

/* Operands for which every operation does something: small numbers, exact sums. */
static uint64_t operand(const struct op *o)
{
	uint64_t x = noise();
	if (o->next == add_f32)
		return of_float((float)(int64_t)(x % 2001 - 1000) / 8);
	if (o->next == add_f64)
		return of_double((double)(int64_t)(x % 2001 - 1000) / 8);
	uint64_t v = x % 3 ? x >> 20 : x >> 8 & 3;
	return o->bytes == 4 ? (uint32_t)v : v;
}

struct set {
	struct heddle *h;
	struct heddle_module *m;
	uint64_t param[5]; /* parameters at, b, c, cells and old */
};

static void set_open(struct set *t, unsigned threads)
{
	static const uint64_t bytes[5] = {
		4 * THREADS,
		8 * THREADS,
		8 * THREADS,
		8 * CELLS * BLOCKS,
		8 * THREADS
	};
	check(NULL, heddle_open(&t->h, &(struct heddle_options){.threads = threads}));
	check(t->h,
	      heddle_load(t->h, &(struct heddle_text){"k.ptx", text, strlen(text)}, 1, &t->m));
	for (unsigned i = 0; i < 5; i++)
		check(t->h, heddle_malloc(t->h, bytes[i], &t->param[i]));
}

static enum heddle_status set_run(struct set *t, unsigned blocks)
{
	struct heddle_launch l = {.kernel = heddle_kernel_find(t->m, "k"),
				  .grid = {blocks, 1, 1},
				  .block = {LANES, 1, 1},
				  .params = t->param};
	return heddle_launch(t->h, &l);
}

static void run(struct set *t, const struct shape *s, const struct op *o,
		uint32_t (*cell)(uint32_t))
{
	uint32_t at[THREADS];
	uint64_t b[THREADS], c[THREADS], old[THREADS] = {0}, old_want[THREADS] = {0};
	static uint8_t cells[BLOCKS * CELLS * 8], want[BLOCKS * CELLS * 8];
	memset(cells, 0, sizeof cells);
	for (unsigned i = 0; i < BLOCKS * CELLS * 8 / o->bytes; i++)
		memcpy(cells + i * o->bytes, &(uint64_t){operand(o)}, o->bytes);
	memcpy(want, cells, sizeof want);
	for (unsigned i = 0; i < THREADS; i++) {
		uint8_t *p = want + i / LANES * CELLS
		*8 + cell(i % LANES) * o->bytes;
		uint64_t a = 0;
		memcpy(&a, p, o->bytes);
		at[i] = cell(i % LANES) * o->bytes;
		b[i] = o->next == cas && i % 3 ? a : operand(o); /* one compare in three fails */
		c[i] = operand(o);
		memcpy(&old_want[i], &b[i], o->bytes);
		if (!(s->mask >> i % LANES & 1))
			continue;
		uint64_t next = o->next(a, b[i], c[i]);
		memcpy(p, &next, o->bytes);
		if (!s->red)
			old_want[i] = a;
	}
	check(t->h, heddle_write(t->h, t->param[0], at, sizeof at));
	check(t->h, heddle_write(t->h, t->param[1], b, sizeof b));
	check(t->h, heddle_write(t->h, t->param[2], c, sizeof c));
	check(t->h, heddle_write(t->h, t->param[3], cells, sizeof cells));
	check(t->h, heddle_write(t->h, t->param[4], old, sizeof old));
	check(t->h, set_run(t, BLOCKS));
	check(t->h, heddle_read(t->h, cells, t->param[3], sizeof cells));
	check(t->h, heddle_read(t->h, old, t->param[4], sizeof old));
	for (unsigned i = 0; i < THREADS; i++)
		if (old[i] != old_want[i])
			fail_msg("%s%s, mask %#x: thread %u saw %#llx, not %#llx\n%s", o->name,
				 s->space, s->mask, i, (unsigned long long)old[i],
				 (unsigned long long)old_want[i], text);
	if (memcmp(cells, want, sizeof cells))
		fail_msg("%s%s, mask %#x: cells differ\n%s", o->name, s->space, s->mask, text);
}

static void all(const struct shape *s, unsigned threads)
{
	for (unsigned k = 0; k < sizeof ops / sizeof *ops; k++) {
		if (s->red && !ops[k].red)
			continue;
		struct set t;
		write_kernel(s, &ops[k]);
		set_open(&t, threads);
		for (unsigned p = 0; p < sizeof patterns / sizeof *patterns; p++)
			run(&t, s, &ops[k], patterns[p]);
		heddle_close(t.h);
	}
}

static void lane_after_lane(void **state)
{
	(void)state;
	static const char *const spaces[] = {".global", ".shared", ""};
	static const uint32_t masks[] = {~0u, 0x80000001u, 0x0ff0a5a5u};
	for (unsigned sp = 0; sp < 3; sp++)
		for (unsigned m = 0; m < 3; m++)
			for (int red = 0; red < 2; red++)
				all(&(struct shape){spaces[sp], "", red, masks[m]}, 1);
}

static void on_several_host_threads(void **state)
{
	(void)state;
	for (int red = 0; red < 2; red++) {
		all(&(struct shape){".global", "", red, ~0u}, 2);
		all(&(struct shape){".shared", "", red, 0xffff0ff0u}, 2);
	}
}

static void in_every_scope(void **state)
{
	(void)state;
	static const char *const scopes[] = {".relaxed.cta", ".relaxed.gpu", ".relaxed.sys"};
	for (unsigned i = 0; i < 3; i++)
		all(&(struct shape){".global", scopes[i], false, ~0u}, 1);
}

/* The access of lane 9 is outside the allocation, or misaligned: the lanes before it have taken
 * effect. */
static void faults_name_the_lane(void **state)
{
	(void)state;
	static const uint32_t wrong[2] = {0x800000, 9 * 4 + 2};
	for (unsigned k = 0; k < 2; k++) {
		const struct op *o = &ops[0];
		uint32_t at[THREADS], cells[LANES], zero[BLOCKS * CELLS * 2] = {0};
		uint64_t ones[THREADS];
		struct set t;
		write_kernel(&(struct shape){".global", "", false, ~0u}, o);
		set_open(&t, 1);
		for (unsigned i = 0; i < THREADS; i++)
			at[i] = i == 9 ? wrong[k] : i * 4, ones[i] = 1;
		check(t.h, heddle_write(t.h, t.param[0], at, sizeof at));
		check(t.h, heddle_write(t.h, t.param[1], ones, sizeof ones));
		check(t.h, heddle_write(t.h, t.param[3], zero, sizeof zero));
		assert_int_equal(set_run(&t, 1), HEDDLE_FAULT);
		const struct heddle_fault *f = heddle_fault(t.h);
		assert_int_equal(f->kind, k ? HEDDLE_FAULT_MISALIGNED : HEDDLE_FAULT_BOUNDS);
		assert_int_equal(f->thread[0], 9);
		check(t.h, heddle_read(t.h, cells, t.param[3], sizeof cells));
		for (unsigned i = 0; i < LANES; i++)
			assert_int_equal(cells[i], i < 9);
		heddle_close(t.h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lane_after_lane),
		cmocka_unit_test(on_several_host_threads),
		cmocka_unit_test(in_every_scope),
		cmocka_unit_test(faults_name_the_lane),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
