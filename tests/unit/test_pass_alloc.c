/* Register allocation: colourings of random live ranges checked for validity and quality, moves
 * that need no second register, scalar registers of waiting threads, and the registers of scheduled
 * code, counted by hand. */
#include "pass/alloc.h"
#include "pass/pressure.h"
#include "pass/regcount.h"
#include "ptx_reader.h"

/* ---- colours ---- */

enum { NODES = 24, SEGS = 3, POINTS = 60, HINTS = 16, SAMPLES = 200 };

struct lives {
	struct coloring c;
	uint8_t width[NODES];
	double cost[NODES];
	uint32_t at[NODES + 1], color[NODES + 1];
	struct seg seg[NODES * SEGS];
	struct edge hint[HINTS];
};

static uint32_t random_below(uint64_t *r, uint32_t n)
{
	*r = *r * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*r >> 33) % n;
}

/* Makes live ranges of at most `segs` pieces, of registers at most `width` words wide, and half as
 * many moves as registers. */
static void make_lives(struct lives *g, uint64_t seed, unsigned segs, unsigned width)
{
	uint64_t r = seed;
	*g = (struct lives){.c = {.n = NODES, .points = POINTS, .nhint = HINTS}};
	g->c.width = g->width, g->c.cost = g->cost, g->c.at = g->at, g->c.seg = g->seg;
	g->c.hint = g->hint, g->c.color = g->color;
	uint32_t n = 0;
	for (uint32_t v = 0; v < NODES; v++) {
		uint32_t at = random_below(&r, POINTS / 2);
		for (uint32_t k = 1 + random_below(&r, segs); k && at + 2 < POINTS; k--) {
			uint32_t to = at + 1 + random_below(&r, POINTS / 5);
			g->seg[n++] = (struct seg){at, to < POINTS ? to : POINTS};
			at = to + 1 + random_below(&r, POINTS / 5);
		}
		g->at[v + 1] = n;
		g->width[v] =
			(uint8_t)(width == 1 ? 1 : 1u << random_below(&r, width == 2 ? 2 : 3));
		g->cost[v] = 1 + random_below(&r, 9);
	}
	for (unsigned i = 0; i < HINTS; i++)
		g->hint[i] = (struct edge){random_below(&r, NODES), random_below(&r, NODES)};
	color(&g->c);
}

static bool together(const struct lives *g, uint32_t a, uint32_t b)
{
	for (uint32_t i = g->at[a]; i < g->at[a + 1]; i++)
		for (uint32_t k = g->at[b]; k < g->at[b + 1]; k++)
			if (g->seg[i].from < g->seg[k].to && g->seg[k].from < g->seg[i].to)
				return true;
	return false;
}

static uint32_t most_live(const struct lives *g)
{
	uint32_t most = 0;
	for (uint32_t t = 0; t < POINTS; t++) {
		uint32_t now = 0;
		for (uint32_t v = 0; v < NODES; v++)
			for (uint32_t i = g->at[v]; i < g->at[v + 1]; i++)
				now += g->seg[i].from <= t && t < g->seg[i].to ? g->width[v] : 0;
		most = now > most ? now : most;
	}
	return most;
}

/* No two ranges that overlap share a word, wide ones lie at multiples of their width, and all are
 * within the colours used. */
static void check_lives(const struct lives *g)
{
	uint32_t end = 0;
	for (uint32_t a = 0; a < NODES; a++) {
		uint32_t to = g->color[a] + g->width[a];
		assert_int_equal(g->color[a] % g->width[a], 0);
		end = to > end ? to : end;
		for (uint32_t b = 0; b < a; b++)
			if (together(g, a, b))
				assert_true(g->color[b] >= to ||
					    g->color[b] + g->width[b] <= g->color[a]);
	}
	assert_int_equal(g->c.colors, end);
	assert_true(end >= most_live(g));
}

/* Counts moves whose ends have equal width and do not overlap, and those of them whose ends have
 * one colour. */
static void count_moves(const struct lives *g, unsigned *may, unsigned *same)
{
	for (unsigned i = 0; i < HINTS; i++) {
		uint32_t a = g->hint[i].from, b = g->hint[i].to;
		if (a == b || g->width[a] != g->width[b] || together(g, a, b))
			continue;
		++*may;
		*same += g->color[a] == g->color[b];
	}
}

/* Without branches a live range is one piece, so the maximum number of live registers suffices. */
static void straight_code_needs_what_is_live(void **state)
{
	(void)state;
	struct lives g;
	for (unsigned i = 0; i < SAMPLES; i++) {
		make_lives(&g, i, 1, 1);
		check_lives(&g);
		assert_int_equal(g.c.colors, most_live(&g));
	}
}

/* Quality of colourings. An improvement of the allocator updates these numbers. */
static void few_colours_and_moves(void **state)
{
	(void)state;
	static const struct {
		unsigned segs, width, colors, live, may, same;
	} want[] = {
		{3, 1, 2742, 2426, 1021, 415},
		{1, 2, 2708, 2692, 986, 367},
		{3, 2, 4189, 3661, 508, 278},
		{3, 4, 6670, 5847, 338, 213},
	};
	struct lives g;
	for (unsigned k = 0; k < sizeof want / sizeof *want; k++) {
		unsigned colors = 0, live = 0, may = 0, same = 0;
		for (unsigned i = 0; i < SAMPLES; i++) {
			make_lives(&g, i, want[k].segs, want[k].width);
			check_lives(&g);
			colors += g.c.colors;
			live += most_live(&g);
			count_moves(&g, &may, &same);
		}
		assert_int_equal(live, want[k].live);
		assert_int_equal(may, want[k].may);
		assert_int_equal(colors, want[k].colors);
		assert_int_equal(same, want[k].same);
	}
}

/* ---- allocation ---- */

#define KERNEL(code)                                                                               \
	HEAD ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"                                \
	     ".reg .u32 %r<16>; .reg .pred %p<4>; .reg .u64 %d<4>;\n" code "\n}\n"

struct given {
	struct module *m;
	struct arena a;
	struct allocation al;
};

static struct given allocate(const char *text, enum scalar_rule rule)
{
	struct given x = {.m = load(text)};
	alloc_run(&x.al, &x.a, module_kernel(x.m, "k"), &(struct alloc_opts){.scalar = rule});
	return x;
}

static int32_t row(const struct given *x, const char *name)
{
	for (size_t i = 0; i < x->al.f->regs.n; i++)
		if (!strcmp(x->al.f->regs.v[i].name, name))
			return x->al.rows.row[i];
	fail_msg("no register %s", name);
	return -1;
}

static void given_free(struct given *x)
{
	arena_free(&x->a);
	module_free(x->m);
}

/* A moved value keeps its register, even if a lower register is free and other code and moves of
 * constants come before. */
static void a_move_keeps_its_register(void **state)
{
	(void)state;
	struct given x = allocate(KERNEL("mov.u32 %r4, 7;\n"
					 "st.shared.u32 [16], %r4;\n"
					 "mov.u32 %r1, %tid.x;\n"
					 "add.u32 %r2, %r1, 1;\n"
					 "add.u32 %r3, %r1, %r2;\n"
					 "st.shared.u32 [16], %r1;\n"
					 "mov.u32 %r5, %r3;\n"
					 "st.shared.u32 [16], %r5;\n"
					 "ret;"),
				  SCALAR_NONE);
	assert_int_equal(row(&x, "%r5"), row(&x, "%r3"));
	given_free(&x);
}

/* Threads that wait for the other side of a divergent branch read their scalar registers
 * afterwards: a register that one side still reads is not overwritten by the other side. */
static void scalars_of_those_who_wait(void **state)
{
	(void)state;
	struct given x = allocate(KERNEL("ld.param.u64 %d1, [a];\n"
					 "ld.param.u32 %r1, [n];\n"
					 "add.u32 %r2, %r1, 1;\n"
					 "mov.u32 %r9, %tid.x;\n"
					 "setp.eq.u32 %p1, %r9, 1;\n"
					 "setp.lt.u32 %p2, %r9, 7;\n"
					 "setp.eq.u32 %p3, %r1, 8;\n"
					 "@%p1 bra B;\n"
					 "ld.param.u32 %r3, [n];\n"
					 "add.u32 %r3, %r3, 5;\n"
					 "st.global.u32 [%d1], %r3;\n"
					 "bra M;\n"
					 "B: st.global.u32 [%d1], %r1;\n"
					 "M: @%p2 bra D;\n"
					 "ld.param.u32 %r4, [n];\n"
					 "add.u32 %r4, %r4, 6;\n"
					 "st.global.u32 [%d1], %r4;\n"
					 "bra N;\n"
					 "D: @%p3 bra E;\n"
					 "bar.sync 0;\n"
					 "E: st.global.u32 [%d1], %r2;\n"
					 "N: st.global.u32 [%d1], %r1;\n"
					 "ret;"),
				  SCALAR_ALL);
	assert_true(row(&x, "%r3") != row(&x, "%r1"));
	assert_true(row(&x, "%r3") != row(&x, "%r2"));
	assert_true(row(&x, "%r4") != row(&x, "%r1"));
	assert_true(row(&x, "%r4") != row(&x, "%r2"));
	assert_int_equal(x.al.vector, 1);
	given_free(&x);
}

/* ---- scheduled code ---- */

static unsigned scheduled(const char *text, unsigned limit)
{
	struct module *m = load(text);
	struct func *f = module_kernel(m, "k");
	struct arena a = {0};
	struct live l;
	struct cfg *c = cfg_build(&a, f);
	live_build(&l, f, c);
	unsigned n = pressure_scheduled(f, c, &l, limit);
	arena_free(&a);
	module_free(m);
	return n;
}
#define FREE "ld.param.u64 %d1, [a];\n" /* a parameter needs no register */

static void loads_go_first(void **state)
{
	(void)state;
	/* Three loads wait together, then the sum. */
	static const char sum[] = KERNEL(FREE "mov.u32 %r1, %tid.x;\n"
					      "ld.global.u32 %r2, [%d1];\n"
					      "add.u32 %r1, %r1, %r2;\n"
					      "ld.global.u32 %r3, [%d1+4];\n"
					      "add.u32 %r1, %r1, %r3;\n"
					      "ld.global.u32 %r4, [%d1+8];\n"
					      "add.u32 %r1, %r1, %r4;\n"
					      "st.global.u32 [%d1], %r1;\n"
					      "ret;");
	assert_int_equal(scheduled(sum, 60), 4);
	/* Above the limit, the instruction that frees most registers goes first: the order of the
	 * text. */
	assert_int_equal(scheduled(sum, 1), 2);
	/* Loads do not move up past a store. */
	assert_int_equal(scheduled(KERNEL(FREE "ld.global.u32 %r2, [%d1];\n"
					       "st.global.u32 [%d1+4], %r2;\n"
					       "ld.global.u32 %r3, [%d1+8];\n"
					       "st.global.u32 [%d1+12], %r3;\n"
					       "ret;"),
				   60),
			 1);
}

/* A register whose last read is in an instruction is free for its result, also if the instruction
 * reads it twice. */
static void last_reads_free(void **state)
{
	(void)state;
	assert_int_equal(scheduled(KERNEL(FREE "ld.global.u32 %r1, [%d1];\n"
					       "mul.lo.u32 %r2, %r1, %r1;\n"
					       "mad.lo.u32 %r3, %r2, %r2, %r2;\n"
					       "add.u32 %r4, %r3, 1;\n"
					       "st.global.u32 [%d1], %r4;\n"
					       "ret;"),
				   60),
			 1);
	/* Both words of a 64-bit value die at once. */
	assert_int_equal(scheduled(KERNEL(FREE "ld.global.u64 %d2, [%d1];\n"
					       "ld.global.u32 %r1, [%d1+8];\n"
					       "st.global.u64 [%d1], %d2;\n"
					       "st.global.u32 [%d1], %r1;\n"
					       "ret;"),
				   60),
			 3);
}

/* Four iterations of a one-block loop that loads are scheduled as one block; other loops count
 * once. */
static void loops_that_load(void **state)
{
	(void)state;
#define LOOP(head, load, end)                                                                      \
	KERNEL(FREE "mov.u32 %r1, %tid.x;\n"                                                       \
		    "mov.u64 %d2, %d1;\n"                                                          \
		    "mov.u32 %r5, %r1;\n"                                                          \
		    "L: " head load "add.u32 %r1, %r1, %r2;\n"                                     \
		    "setp.lt.u32 %p1, %r1, 100;\n"                                                 \
		    "@%p1 bra " end ";\n"                                                          \
		    "st.global.u32 [%d1], %r1;\n"                                                  \
		    "ret;")
	/* %r1 and four loads */
	assert_int_equal(scheduled(LOOP("", "ld.global.u32 %r2, [%d1];\n", "L"), 60), 5);
	/* a loop without loads, with a barrier, or with a branch to another block: %r1 and %r2 */
	assert_int_equal(scheduled(LOOP("", "mov.u32 %r2, %clock;\n", "L"), 60), 2);
	assert_int_equal(scheduled(LOOP("", "bar.sync 0;\nld.global.u32 %r2, [%d1];\n", "L"), 60),
			 2);
	assert_int_equal(
		scheduled(LOOP("@%p2 bra K;\nK: ", "ld.global.u32 %r2, [%d1];\n", "L"), 60), 2);
}

/* A block longer than the scheduler's window is scheduled in pieces, each with the values live
 * before it: two values of the first piece that the last one uses, and one that lives through all
 * pieces. */
static void long_blocks_in_pieces(void **state)
{
	(void)state;
	static const unsigned length[] = {10,   1000, 1019, 1020, 1021, 1022, 1023, 1024,
					  1025, 1026, 2040, 2047, 2048, 2060, 5000};
	for (unsigned i = 0; i < sizeof length / sizeof *length; i++) {
		char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		static const char all[] = KERNEL(
			FREE
			"mov.u32 %r2, %tid.x;\nmov.u32 %r3, %tid.y;\nmov.u32 %r1, %clock;\n|"
			"add.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\nst.global.u32 [%d1], %r1;\nret;");
		size_t middle = strcspn(all, "|");
		fwrite(all, 1, middle, f);
		for (unsigned k = 0; k < length[i]; k++)
			fputs("add.u32 %r1, %r1, %r1;\n", f);
		fputs(all + middle + 1, f);
		fclose(f);
		assert_int_equal(scheduled(text, 60), 3);
		free(text);
	}
}

/* The kernel needs the registers of the function that needs most, wherever it is called. */
static void every_call_counts(void **state)
{
	(void)state;
#define CALLS(first, second)                                                                                                      \
	HEAD ".func small(.param .u32 x)\n{\n.reg .u32 %r<3>; ld.param.u32 %r1, [x]; st.shared.u32 [%r1], %r1; ret;\n}\n"         \
	     ".func large(.param .u32 x)\n{\n.reg .u32 %r<9>; ld.param.u32 %r1, [x]; mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y;\n" \
	     "mov.u32 %r4, %tid.z; mov.u32 %r5, %ntid.x; mov.u32 %r6, %ntid.y;\n"                                                 \
	     "st.shared.u32 [%r1], %r2; st.shared.u32 [%r1], %r3; st.shared.u32 [%r1], %r4; st.shared.u32 [%r1], %r5;\n"          \
	     "st.shared.u32 [%r1], %r6; ret;\n}\n"                                                                                \
	     ".visible .entry k()\n{\n.reg .u32 %r; mov.u32 %r, 0;\n"                                                             \
	     "{ .param .u32 p; st.param.u32 [p], %r; call " first ", (p); }\n"                                                    \
	     "{ .param .u32 p; st.param.u32 [p], %r; call " second ", (p); }\n"                                                   \
	     "ret;\n}\n"
	static const char *const text[] = {CALLS("large", "small"), CALLS("small", "large")};
	unsigned n[2];
	for (unsigned i = 0; i < 2; i++) {
		struct module *m = load(text[i]);
		n[i] = regs_per_thread(module_kernel(m, "k"), false);
		module_free(m);
	}
	assert_int_equal(n[0], n[1]);
	assert_true(n[0] >= 6 + REGS_ABI);
}

/* A kernel of five values in three registers: memory allocated after its code does not overlap the
 * spilled code. */
static void spilled_code_has_its_room(void **state)
{
	(void)state;
	struct module *m = load(
		KERNEL("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\n"
		       "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ctaid.y;\nadd.u32 %r1, %r1, %r2;\n"
		       "add.u32 %r3, %r3, %r4;\nadd.u32 %r1, %r1, %r3;\nadd.u32 %r1, %r1, %r5;\n"
		       "st.shared.u32 [16], %r1;\nret;"));
	struct arena a = {0};
	struct allocation al;
	alloc_run(&al, &a, module_kernel(m, "k"), &(struct alloc_opts){.limit = 3});
	assert_true(al.spill_bytes > 0);
	const struct func *f = al.f;
	assert_int_equal(f->code.v[f->code.n - 1].op, OP_RET);
	uintptr_t code = (uintptr_t)f->code.v, end = code + f->code.n * sizeof *f->code.v,
		  row = (uintptr_t)al.rows.row;
	assert_true(row >= end || row + f->regs.n * sizeof *al.rows.row <= code);
	arena_free(&a);
	module_free(m);
}

/* Register pairs among single registers: colouring needs more registers than are live at once, so
 * spilling continues until the available registers suffice. */
static void spilling_ends_below_the_limit(void **state)
{
	(void)state;
	char text[8192];
	int n = snprintf(text, sizeof text, "%s",
			 HEAD ".visible .entry k(.param .u64 a)\n{\n"
			      ".reg .u32 %r<16>; .reg .u64 %d<16>;\nld.param.u64 %d0, [a];\n");
	for (int i = 1; i < 12; i++)
		n += snprintf(text + n, sizeof text - (size_t)n,
			      "ld.global.u32 %%r%d, [%%d0+%d];\nld.global.u64 %%d%d, [%%d0+%d];\n",
			      i, 4 * i, i, 64 + 8 * i);
	for (int i = 1; i < 12; i++)
		n += snprintf(
			text + n, sizeof text - (size_t)n,
			"mad.wide.u32 %%d%d, %%r%d, %%r%d, %%d%d;\nst.global.u64 [%%d0+%d], %%d%d;\n",
			12 - i, i, i % 3 + 1, 12 - i, 256 + 8 * i, 12 - i);
	snprintf(text + n, sizeof text - (size_t)n, "ret;\n}\n");
	for (unsigned limit = 12; limit < 30; limit++) {
		struct module *m = load(text);
		struct arena a = {0};
		struct allocation al;
		alloc_run(&al, &a, module_kernel(m, "k"), &(struct alloc_opts){.limit = limit});
		if (al.vector > limit)
			fail_msg("%u registers, %u are there", al.vector, limit);
		arena_free(&a);
		module_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_code_needs_what_is_live),
		cmocka_unit_test(few_colours_and_moves),
		READER_TEST(a_move_keeps_its_register),
		READER_TEST(scalars_of_those_who_wait),
		READER_TEST(loads_go_first),
		READER_TEST(last_reads_free),
		READER_TEST(loops_that_load),
		READER_TEST(every_call_counts),
		cmocka_unit_test(spilled_code_has_its_room),
		cmocka_unit_test(long_blocks_in_pieces),
		cmocka_unit_test(spilling_ends_below_the_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
