/* Loads and stores of a warp for every placement of its addresses: every pattern, width, space and
 * offset gives the bytes of 32 single accesses in lane order; a lane outside the allocation or
 * misaligned causes the fault of the first such lane. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>
#include "heddle.h"

enum {
	LANES = 32,
	BYTES = 4096,
	MAX = 32,
	OWN = LANES * MAX, /* accessed memory; a lane's own words */
	FACTOR = 31
};

struct width {
	const char *type; /* as in ld.TYPE */
	const char *reg;  /* type of its registers */
	unsigned regs, bytes;
};
enum { NARROW = 7 }; /* first element narrower than its register */
static const struct width widths[] = {
	{"u8", "b32", 1, 1},
	{"u16", "b16", 1, 2},
	{"b32", "b32", 1, 4},
	{"b64", "b64", 1, 8},
	{"v2.b32", "b32", 2, 8},
	{"v4.b32", "b32", 4, 16},
	{"v2.b64", "b64", 2, 16},
	/* elements narrower than their registers, also several per word */
	{"s8", "b32", 1, 1},
	{"s8", "b64", 1, 1},
	{"u8", "b64", 1, 1},
	{"s16", "b32", 1, 2},
	{"s16", "b64", 1, 2},
	{"u16", "b64", 1, 2},
	{"s32", "b64", 1, 4},
	{"u32", "b64", 1, 4},
	{"v2.u8", "b16", 2, 2},
	{"v2.s8", "b32", 2, 2},
	{"v4.u8", "b16", 4, 4},
	{"v4.s8", "b32", 4, 4},
	{"v2.u16", "b16", 2, 4},
	{"v2.s16", "b32", 2, 4},
	{"v4.u16", "b16", 4, 8},
	{"v4.s16", "b32", 4, 8},
	{"v2.s32", "b64", 2, 8},
};

/* Byte offsets of the lanes for elements of n bytes. */
struct pattern {
	const char *name;
	uint32_t (*at)(uint32_t lane, uint32_t n);
};
static uint32_t contiguous(uint32_t i, uint32_t n) { return 64 + i * n; }
static uint32_t uniform(uint32_t i, uint32_t n) { return 128 + 0 * i * n; }
static uint32_t fours(uint32_t i, uint32_t n) { return i / 4 * 64 + i % 4 * n; }
static uint32_t same_fours(uint32_t i, uint32_t n) { return (31 - i) / 4 * 80 + 0 * n; }
static uint32_t two_rows(uint32_t i, uint32_t n) { return i / 16 * 1024 + i % 16 * n; }
static uint32_t row_twice(uint32_t i, uint32_t n) { return 256 + i % 16 * n; }
static uint32_t overlapping(uint32_t i, uint32_t n) { return 512 + (i / 4 * 2 + i % 4) * n; }
static uint32_t strided(uint32_t i, uint32_t n) { return i * 2 * n; }
static uint32_t backwards(uint32_t i, uint32_t n) { return (31 - i) * n; }
static uint32_t shuffled(uint32_t i, uint32_t n) { return i * 37 % 64 * n; }
static uint32_t last_off(uint32_t i, uint32_t n) { return (i == 31 ? 77 : i) * n; }
static uint32_t at_the_end(uint32_t i, uint32_t n) { return BYTES - (LANES - i) * n; }
static uint32_t past_the_end(uint32_t i, uint32_t n) { return BYTES - (LANES - 1 - i) * n; }
static uint32_t one_outside(uint32_t i, uint32_t n) { return i == 21 ? 0x800000 : i * n; }
static uint32_t one_below(uint32_t i, uint32_t n) { return i == 6 ? 0u - 0x800000 : i * n; }
static uint32_t four_outside(uint32_t i, uint32_t n) { return (i / 4 == 5 ? 0x800000 : 0) + i * n; }
static uint32_t skewed(uint32_t i, uint32_t n) { return i * n + 1; }
static uint32_t one_skewed(uint32_t i, uint32_t n) { return i * n + (i == 30); }
static const struct pattern patterns[] = {
	{"contiguous", contiguous},
	{"uniform", uniform},
	{"fours", fours},
	{"same fours", same_fours},
	{"two rows", two_rows},
	{"a row twice", row_twice},
	{"overlapping fours", overlapping},
	{"strided", strided},
	{"backwards", backwards},
	{"shuffled", shuffled},
	{"the last one off", last_off},
	{"up to the end", at_the_end},
	{"past the end", past_the_end},
	{"one outside", one_outside},
	{"one below", one_below},
	{"four outside", four_outside},
	{"skewed", skewed},
	{"one skewed", one_skewed},
};

enum where { BUFFER, TILE, STACK, HEAP }; /* cudaMalloc, shared, local, malloc in the kernel */
struct shape {
	enum where where;
	const char *space;  /* ".global", ".shared", ".local", or "" for generic addresses */
	bool store, narrow; /* narrow: addresses of 32 bits */
	int imm;            /* offset in [base + imm] */
	unsigned threads;
	uint32_t off; /* threads that do not execute the access */
};

static char text[8192];

__attribute__((format(printf, 1, 2))) static void emit(const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof text - n, fmt, ap);
	va_end(ap);
	assert_true(strlen(text) + 1 < sizeof text);
}

/* Emits the address of the accessed memory: a copy of the buffer or the buffer itself. */
static void emit_place(const struct shape *s, const char *reg)
{
	if (s->where == TILE)
		emit("mov.u64 %s, tile;\n", reg);
	else if (s->where == STACK)
		emit("mov.u64 %s, mine;\n", reg);
	else
		emit("ld.%s.u64 %s, [%s];\n", s->where == HEAP ? "shared" : "param", reg,
		     s->where == HEAP ? "block" : "buf");
	if (!s->space[0] && s->where != HEAP && s->where != BUFFER)
		emit("cvta.%s.u64 %s, %s;\n", s->where == TILE ? "shared" : "local", reg, reg);
}

/* Thread 0 allocates a block of memory for all threads. */
static void emit_malloc(void)
{
	emit("mov.u32 %%t, %%tid.x;\nsetp.ne.u32 %%p, %%t, 0;\n@%%p bra HAVE;\n{\n"
	     ".param .b64 n;\n.param .b64 r;\nst.param.b64 [n], %d;\ncall (r), malloc, (n);\n"
	     "ld.param.b64 %%m, [r];\nst.shared.u64 [block], %%m;\n}\nHAVE:\n",
	     BYTES);
}

/* Copies the buffer to the memory that is accessed, or back. */
static void emit_copy(const struct shape *s, bool back)
{
	emit("bar.sync 0;\nld.param.u64 %%g, [buf];\n");
	emit_place(s, "%m");
	emit("mov.u32 %%i, 0;\nL%d:\n", back);
	if (back)
		emit("ld%s.u32 %%x, [%%m];\nst.global.u32 [%%g], %%x;\n", s->space);
	else
		emit("ld.global.u32 %%x, [%%g];\nst%s.u32 [%%m], %%x;\n", s->space);
	emit("add.u64 %%g, %%g, 4;\nadd.u64 %%m, %%m, 4;\nadd.u32 %%i, %%i, 4;\n"
	     "setp.lt.u32 %%p, %%i, %d;\n@%%p bra L%d;\nbar.sync 0;\n",
	     BYTES, back);
}

/* Local memory is private to a thread: stores a sum over it at the end of the thread's words. */
static void emit_sum(const struct shape *s)
{
	emit_place(s, "%m");
	emit("mov.u32 %%i, 0;\nmov.u32 %%w, 0;\nSUM:\nld%s.u32 %%x, [%%m];\n"
	     "mad.lo.u32 %%w, %%w, %u, %%x;\nadd.u64 %%m, %%m, 4;\nadd.u32 %%i, %%i, 4;\n"
	     "setp.lt.u32 %%p, %%i, %d;\n@%%p bra SUM;\nst.global.u32 [%%o+%d], %%w;\n",
	     s->space, FACTOR, BYTES, MAX - 4);
}

static uint32_t sum_of(const uint8_t *bytes)
{
	uint32_t sum = 0, word;
	for (unsigned i = 0; i < BYTES; i += 4) {
		memcpy(&word, bytes + i, 4);
		sum = sum * FACTOR + word;
	}
	return sum;
}

static unsigned reg_bytes(const struct width *k)
{
	return k->reg[1] == '6' ? 8 : k->reg[1] == '1' ? 2 : 4;
}

/* The registers that a load writes, one after the other. */
static void widen(const struct width *k, const uint8_t *from, uint8_t *regs)
{
	unsigned n = reg_bytes(k), each = k->bytes / k->regs;
	for (unsigned r = 0; r < k->regs; r++) {
		bool negative = strchr(k->type, 's') && from[r * each + each - 1] & 0x80;
		memset(regs + r * n, negative ? 0xff : 0, n);
		memcpy(regs + r * n, from + r * each, each);
	}
}

/* Writes the bytes that a store of the registers `regs` writes. */
static void narrow(const struct width *k, const uint8_t *regs, uint8_t *to)
{
	unsigned n = reg_bytes(k), each = k->bytes / k->regs;
	for (unsigned r = 0; r < k->regs; r++)
		memcpy(to + r * each, regs + r * n, each);
}

/* The thread's own words: data to store, or loaded data. */
static void emit_own(const char *op, const struct width *k)
{
	unsigned n = reg_bytes(k);
	for (unsigned r = 0; r < k->regs; r++)
		emit(!strcmp(op, "ld") ? "ld.global.%s %%v%u, [%%o+%u];\n"
				       : "st.global.%1$s [%%o+%3$u], %%v%2$u;\n",
		     k->reg, r, r * n);
}

/* Thread i takes its offset from `at`, accesses the buffer (or a copy of it in other memory) there,
 * and stores the words at out + i * MAX, or writes the loaded words there. */
static void write_kernel(const struct shape *s, const struct width *k)
{
	text[0] = 0;
	emit(".version 6.0\n.target sm_70\n.address_size 64\n"
	     ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
	     ".visible .entry k(.param .u64 at, .param .u64 buf, .param .u64 out)\n{\n"
	     ".reg .u64 %%a, %%d, %%o, %%g, %%m;\n.reg .u32 %%t, %%w, %%i, %%x;\n.reg .s64 %%q;\n"
	     ".reg .pred %%p;\n.reg .%s %%v<4>;\n.shared .align 32 .b8 tile[%d];\n"
	     ".local .align 32 .b8 mine[%d];\n.shared .b64 block;\n",
	     k->reg, BYTES, BYTES);
	if (s->where == HEAP)
		emit_malloc();
	if (s->where != BUFFER)
		emit_copy(s, false);
	emit("ld.param.u64 %%a, [at];\nld.param.u64 %%o, [out];\nmov.u32 %%t, %%tid.x;\n"
	     "mul.wide.u32 %%d, %%t, 4;\nadd.u64 %%d, %%d, %%a;\nld.global.s32 %%q, [%%d];\n");
	emit_place(s, "%d");
	emit("add.s64 %%d, %%d, %%q;\nadd.s64 %%d, %%d, %d;\ncvt.u32.u64 %%w, %%d;\n"
	     "mul.wide.u32 %%a, %%t, %d;\nadd.u64 %%o, %%o, %%a;\n",
	     -s->imm, MAX);
	if (s->off)
		emit("shr.u32 %%x, %u, %%t;\nand.b32 %%x, %%x, 1;\nsetp.ne.u32 %%p, %%x, 0;\n"
		     "@%%p bra OFF;\n",
		     s->off);
	const char *list = k->regs == 1   ? "%v0"
			   : k->regs == 2 ? "{%v0, %v1}"
					  : "{%v0, %v1, %v2, %v3}";
	if (s->store) {
		emit_own("ld", k);
		emit("st%s.%s [%%%c%+d], %s;\n", s->space, k->type, s->narrow ? 'w' : 'd', s->imm,
		     list);
		emit("OFF:\n");
		if (s->where == STACK)
			emit_sum(s);
		else if (s->where != BUFFER)
			emit_copy(s, true);
	} else {
		emit("ld%s.%s %s, [%%%c%+d];\n", s->space, k->type, list, s->narrow ? 'w' : 'd',
		     s->imm);
		emit_own("st", k);
		emit("OFF:\n");
	}
	emit("ret;\n}\n");
}

static void check(struct heddle *h, enum heddle_status s)
{
	if (s)
		fail_msg("%s\n%s", heddle_message(h), text);
}

static bool lane_fits(uint32_t off, uint32_t n) { return off <= BYTES - n && !(off & (n - 1)); }

/* Writes the bytes that one lane's store leaves in common memory or in the lane's own. */
static void lane_stores(const struct shape *s, const uint8_t *buf, uint8_t *want, uint32_t off,
			uint8_t *own, const struct width *k)
{
	static uint8_t mine[BYTES];
	if (s->where != STACK) {
		narrow(k, own, want + off);
		return;
	}
	memcpy(mine, buf, BYTES);
	narrow(k, own, mine + off);
	uint32_t sum = sum_of(mine);
	memcpy(own + MAX - 4, &sum, 4);
}

/* Runs the pattern and compares with single accesses in lane order. */
static void run(struct heddle *h, struct heddle_module *m, const uint64_t params[3],
		const struct shape *s, const struct width *k, const struct pattern *p)
{
	static uint8_t buf[BYTES], want[BYTES], got[BYTES], own[OWN], own_want[OWN];
	uint32_t at[LANES], bad = s->threads;
	char where[200];
	static const char *const place[] = {"a buffer", "shared memory", "local memory",
					    "the heap"};
	snprintf(where, sizeof where, "%s%s.%s in %s%s, %+d, %u threads but %#x: %s",
		 s->store ? "st" : "ld", s->space, k->type, place[s->where],
		 s->narrow ? " of 32-bit addresses" : "", s->imm, s->threads, s->off, p->name);
	for (unsigned i = 0; i < BYTES; i++)
		buf[i] = (uint8_t)(i * 167 + i / 256);
	for (unsigned i = 0; i < sizeof own; i++)
		own[i] = (uint8_t)(i * 59 + 3 + i / 32);
	memcpy(want, buf, sizeof want);
	memcpy(own_want, own, sizeof own);
	for (unsigned i = 0; i < s->threads; i++) {
		at[i] = p->at(i, k->bytes);
		if (s->off >> i & 1)
			continue;
		if (!lane_fits(at[i], k->bytes)) {
			bad = bad < s->threads ? bad : i;
		} else if (s->store) {
			lane_stores(s, buf, want, at[i], own_want + i * MAX, k);
		} else {
			widen(k, buf + at[i], own_want + i * MAX);
		}
	}
	check(h, heddle_write(h, params[0], at, sizeof at));
	check(h, heddle_write(h, params[1], buf, sizeof buf));
	check(h, heddle_write(h, params[2], own, sizeof own));
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"),
				  .grid = {1, 1, 1},
				  .block = {s->threads, 1, 1},
				  .params = params};
	enum heddle_status st = heddle_launch(h, &l);
	if (bad < s->threads) {
		const struct heddle_fault *f = heddle_fault(h);
		if (st != HEDDLE_FAULT)
			fail_msg("%s: no fault", where);
		bool skew = at[bad] & (k->bytes - 1);
		if (f->kind != (skew ? HEDDLE_FAULT_MISALIGNED : HEDDLE_FAULT_BOUNDS) ||
		    f->thread[0] != bad)
			fail_msg("%s: kind %d of thread %u, expected thread %u", where, f->kind,
				 f->thread[0], bad);
	} else {
		check(h, st);
		check(h, heddle_read(h, got, params[1], sizeof got));
		for (unsigned i = 0; i < BYTES; i++)
			if (got[i] != want[i])
				fail_msg("%s: byte %u is %#x, not %#x", where, i, got[i], want[i]);
		check(h, heddle_read(h, own, params[2], sizeof own));
		for (unsigned i = 0; i < s->threads * MAX; i++)
			if (own[i] != own_want[i])
				fail_msg("%s: byte %u of thread %u is %#x, not %#x", where, i % MAX,
					 i / MAX, own[i], own_want[i]);
	}
}

/* Narrow elements use the code paths of wider ones; one offset is enough for them. */
static void all_patterns(const struct shape *s)
{
	unsigned n = s->imm > 64 || s->imm < 0 ? NARROW : sizeof widths / sizeof *widths;
	for (unsigned w = 0; w < n; w++) {
		struct heddle *h;
		struct heddle_module *m;
		uint64_t params[3];
		write_kernel(s, &widths[w]);
		check(NULL, heddle_open(&h, &(struct heddle_options){0}));
		check(h, heddle_load(h, &(struct heddle_text){"k.ptx", text, strlen(text)}, 1, &m));
		check(h, heddle_malloc(h, 4 * LANES, &params[0]));
		check(h, heddle_malloc(h, BYTES, &params[1]));
		check(h, heddle_malloc(h, OWN, &params[2]));
		for (unsigned p = 0; p < sizeof patterns / sizeof *patterns; p++)
			if (s->where != STACK ||
			    patterns[p].at != past_the_end) /* more may follow there */
				run(h, m, params, s, &widths[w], &patterns[p]);
		heddle_close(h);
	}
}

/* The base register alone, far above and far below the access. */
static void in_space(enum where where, const char *space, bool narrow)
{
	static const int imms[] = {0, 2048, -64, 1 << 20};
	static const unsigned threads[] = {32, 29, 3};
	for (unsigned i = 0; i < sizeof imms / sizeof *imms; i++)
		for (unsigned t = 0; t < 3; t++)
			for (int store = 0; store < 2; store++)
				all_patterns(&(struct shape){where, space, store, narrow, imms[i],
							     threads[t]});
}

static void in_global_memory(void **state)
{
	(void)state;
	in_space(BUFFER, ".global", false);
}
static void in_shared_memory(void **state)
{
	(void)state;
	in_space(TILE, ".shared", false);
}
static void by_generic_addresses(void **state)
{
	(void)state;
	in_space(BUFFER, "", false);
	in_space(TILE, "", false);
}
static void in_local_memory(void **state)
{
	(void)state;
	in_space(STACK, ".local", false);
	in_space(STACK, "", false);
}
static void in_memory_of_malloc(void **state)
{
	(void)state;
	in_space(HEAP, "", false);
	in_space(HEAP, ".global", false);
}
static void by_short_addresses(void **state)
{
	(void)state;
	in_space(BUFFER, ".global", true);
	in_space(TILE, ".shared", true);
	in_space(STACK, ".local", true);
}

/* Half a warp, a few lanes, two lanes and one lane, at all places of the warp. */
static void with_lanes_off(void **state)
{
	(void)state;
	static const uint32_t off[] = {0xaaaaaaaa, 0x0000ffff, 0xfffe,     0xfbf7efdf,
				       0x7ffffffe, 0xff7fffff, 0x00200040, 0x80000000};
	unsigned step = getenv("LONG") ? 1 : 3; /* the quick tests take every third pattern */
	for (unsigned i = 0; i < sizeof off / sizeof *off; i += step)
		for (int store = 0; store < 2; store++) {
			all_patterns(&(struct shape){BUFFER, ".global", store, false, 64, LANES,
						     off[i]});
			all_patterns(
				&(struct shape){TILE, ".shared", store, true, 0, LANES, off[i]});
			all_patterns(&(struct shape){TILE, "", store, false, 0, LANES, off[i]});
		}
}

/* Host memory keeps its address, which may be below all addresses that Heddle allocates. */
static void in_host_memory_at_a_low_address(void **state)
{
	(void)state;
	const struct shape s = {BUFFER, "", false, false, 0, LANES};
	const struct width *words = &widths[2];
	uint8_t *low = mmap((void *)0x08000000, 2 * BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct heddle *h;
	struct heddle_module *m;
	uint64_t params[3];
	if (low == MAP_FAILED)
		skip(); /* taken */
	write_kernel(&s, words);
	check(NULL, heddle_open(&h, &(struct heddle_options){0}));
	check(h, heddle_load(h, &(struct heddle_text){"k.ptx", text, strlen(text)}, 1, &m));
	check(h, heddle_map_host(h, low, BYTES));
	params[1] = (uint64_t)(uintptr_t)low;
	check(h, heddle_malloc(h, 4 * LANES, &params[0]));
	check(h, heddle_malloc(h, OWN, &params[2]));
	for (unsigned p = 0; p < sizeof patterns / sizeof *patterns; p++)
		run(h, m, params, &s, words, &patterns[p]);
	heddle_close(h);
	munmap(low, 2 * BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_global_memory),
		cmocka_unit_test(in_shared_memory),
		cmocka_unit_test(by_generic_addresses),
		cmocka_unit_test(in_local_memory),
		cmocka_unit_test(in_memory_of_malloc),
		cmocka_unit_test(by_short_addresses),
		cmocka_unit_test(with_lanes_off),
		cmocka_unit_test(in_host_memory_at_a_low_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
