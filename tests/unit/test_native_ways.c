/* Every native kernel of tests/native leaves equal memory whatever decides where its threads
 * diverge and reconverge: the token stack in functional mode, its other rule for loops,
 * post-dominators, and each divergence handler of the timing model. If there is a PTX version it
 * leaves that memory too. */
#include "native_rig.h"

enum { BUFFERS = 4, BYTES = 4096 };

/* Parameters: a, b, c, d are buffers of 4 KB, t the buffer with the kernel's table of addresses.
 * Other words are literal values. wide: every parameter has eight bytes. */
static const struct job {
	const char *file, *kernel, *params;
	uint32_t grid[2], block[2], table[4];
	bool wide;
	const char *ptx;
} jobs[] = {
	{"fig9", "loop_sum", "0 0 a 70", {3, 1}, {32, 1}, {0}, false, NULL},
	{"fig11", "kernel_update", "a b c 64 d", {1, 1}, {64, 1}, {0}, false, NULL},
	{"fermi", "vecadd", "a b c 170", {4, 1}, {64, 1}, {0}, true, NULL},
	{"fermi", "matmul", "a b c 32", {2, 2}, {16, 16}, {0}, false, "twins"},
	{"fermi", "reduce", "a b", {4, 1}, {256, 1}, {0}, false, NULL},
	{"fermi", "nest", "a 900", {1, 1}, {64, 1}, {0}, false, "twins"},
	{"fermi", "pick", "a t", {1, 1}, {64, 1}, {0x30, 0x40, 0x50, 0x60}, false, NULL},
	{"fermi", "indirect", "a t", {1, 1}, {64, 1}, {0x48, 0x58, 0x80, 0x58}, false, NULL},
	{"fermi", "calls", "a", {1, 1}, {64, 1}, {0}, false, "twins"},
	{"fermi", "doubles", "a b c", {1, 1}, {32, 1}, {0}, false, NULL},
	{"fermi", "atomics", "a", {1, 1}, {128, 1}, {0}, false, NULL},
	{"fermi", "odds", "a b c", {1, 1}, {32, 1}, {0}, false, NULL},
	{"tesla", "vecadd", "a b c 170", {4, 1}, {64, 1}, {0}, false, NULL},
	{"tesla", "matmul", "a b c 32", {2, 2}, {16, 16}, {0}, false, "twins"},
	{"tesla", "reduce", "a b", {4, 1}, {64, 1}, {0}, false, NULL},
	{"tesla", "nest", "a 900", {1, 1}, {64, 1}, {0}, false, "twins"},
	{"tesla", "pick", "a", {1, 1}, {64, 1}, {0}, false, NULL},
	{"tesla", "calls", "a", {1, 1}, {64, 1}, {0}, false, "twins"},
	{"tesla", "collatz", "a 40", {1, 1}, {64, 1}, {0}, false, NULL},
	{"tesla", "odds", "a b c", {1, 1}, {32, 1}, {0}, false, NULL},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

/* Whole numbers, as floats only small ones, so that the order of additions cannot change a sum. */
static void contents(uint32_t *v, unsigned which)
{
	for (unsigned i = 0; i < BYTES / 4; i++) {
		float f = (float)((i * 7 + which * 3) % 17);
		memcpy(&v[i], &f, 4);
	}
}

struct machine {
	const char *name, *config, *divergence;
	enum heddle_native_stack stack;
	const char *lanes, *scalar; /* NULL: the machine's own */
};
static const struct machine machines[] = {
	{"functional, token", NULL, NULL, HEDDLE_TOKENS},
	{"functional, while", NULL, NULL, HEDDLE_TOKENS_WHILE},
	{"functional, pdom", NULL, NULL, HEDDLE_PDOM},
	{"pdom", "conf/gtx480.ini", "sm.divergence=pdom", HEDDLE_TOKENS},
	{"pdom, while", "conf/gtx480.ini", "sm.divergence=pdom", HEDDLE_TOKENS_WHILE},
	{"pdom, no tokens", "conf/gtx480.ini", "sm.divergence=pdom", HEDDLE_PDOM},
	{"token", "conf/gtx480.ini", "sm.divergence=token", HEDDLE_TOKENS},
	{"token, while", "conf/hws.ini", "sm.divergence=token", HEDDLE_TOKENS_WHILE},
	{"thread-frontiers", "conf/gtx480.ini", "sm.divergence=thread-frontiers", HEDDLE_TOKENS},
	{"none", "conf/hws.ini", "sm.divergence=none", HEDDLE_TOKENS},
	{"dwf", "conf/hws.ini", "sm.divergence=dwf", HEDDLE_TOKENS},
	{"en-dwf", "conf/hws.ini", "sm.divergence=en-dwf", HEDDLE_TOKENS},
	{"tbc", "conf/hws.ini", "sm.divergence=tbc", HEDDLE_TOKENS},
	{"mimd", "conf/hws.ini", "sm.divergence=mimd", HEDDLE_TOKENS},
	{"token, scalars by value", "conf/gtx480.ini", "sm.divergence=token", HEDDLE_TOKENS,
	 "sm.lanes=tsimt", "sm.scalar=all"},
	{"dwf, scoreboard", "conf/gtx480.ini", "sm.divergence=dwf", HEDDLE_TOKENS, "sm.lanes=hws",
	 "sm.scalar=all"},
};
enum { MACHINES = sizeof machines / sizeof *machines, TOKEN = 6 };

static struct rig open_on(const struct machine *m, const char *file, const char *suffix)
{
	const char *set[] = {m->divergence, "gpu.warp_size=32", m->lanes, m->scalar, NULL};
	struct heddle_options o = {.timing = m->config != NULL,
				   .config = m->config,
				   .set = m->config ? set : NULL,
				   .native_stack = m->stack};
	struct rig r;
	char path[64];
	size_t n;
	snprintf(path, sizeof path, "tests/native/%s.%s", file, suffix);
	char *s = slurp(path, &n);
	if (heddle_open(&r.h, &o) || heddle_load(r.h, &(struct heddle_text){path, s, n}, 1, &r.m))
		fail_msg("%s: %s", m->name, heddle_message(r.h));
	free(s);
	return r;
}

/* Contents of the buffers after the run. False: the job cannot run; heddle_message() has the
 * reason. */
static bool memory_after(struct rig *r, const struct job *j, bool wide,
			 uint32_t out[BUFFERS][BYTES / 4])
{
	uint64_t at[BUFFERS];
	uint8_t params[128] = {0};
	unsigned n = 0, size = wide ? 8 : 4;
	for (unsigned i = 0; i < BUFFERS; i++) {
		contents(out[i], i);
		at[i] = buffer(r, out[i], BYTES);
	}
	if (j->table[0])
		assert_int_equal(heddle_write(r->h, at[1], j->table, sizeof j->table), HEDDLE_OK);
	for (const char *p = j->params; *p; p += *p == ' ') {
		uint64_t v = *p == 't' ? at[1] : *p >= 'a' ? at[*p - 'a'] : strtoull(p, NULL, 0);
		memcpy(params + size * n++, &v, size);
		p += strcspn(p, " ");
	}
	enum heddle_status st =
		run(r, j->kernel, j->grid[0], j->grid[1], j->block[0], j->block[1], params);
	for (unsigned i = 0; i < BUFFERS; i++)
		back(r, out[i], at[i], BYTES);
	return !st;
}

static void same_memory(void **state)
{
	(void)state;
	static uint32_t want[BUFFERS][BYTES / 4], got[BUFFERS][BYTES / 4], begin[BYTES / 4];
	for (unsigned j = 0; j < JOBS; j++)
		for (unsigned m = 0; m < MACHINES; m++) {
			struct rig r = open_on(&machines[m], jobs[j].file, "sass");
			if (!memory_after(&r, &jobs[j], jobs[j].wide, m ? got : want))
				fail_msg("%s of %s by %s: %s", jobs[j].kernel, jobs[j].file,
					 machines[m].name, heddle_message(r.h));
			if (m && memcmp(got, want, sizeof want))
				fail_msg("%s of %s by %s: other memory than by tokens",
					 jobs[j].kernel, jobs[j].file, machines[m].name);
			unsigned changed = 0;
			for (unsigned b = 0; b < BUFFERS && !m; b++) {
				contents(begin, b);
				changed += memcmp(begin, want[b], BYTES) != 0;
			}
			assert_true(m || changed);
			rig_close(&r);
		}
}

/* Not for b and t: the table is no part of PTX's. */
static void same_as_ptx(void **state)
{
	(void)state;
	static uint32_t want[BUFFERS][BYTES / 4], got[BUFFERS][BYTES / 4];
	for (unsigned j = 0; j < JOBS; j++) {
		if (!jobs[j].ptx)
			continue;
		struct rig r = open_on(&machines[0], jobs[j].file, "sass");
		assert_true(memory_after(&r, &jobs[j], jobs[j].wide, want));
		rig_close(&r);
		for (unsigned m = 0; m < MACHINES; m++) {
			r = open_on(&machines[m], jobs[j].ptx, "ptx");
			bool ran = memory_after(&r, &jobs[j], false, got);
			if (machines[m].divergence &&
			    !strcmp(machines[m].divergence, machines[TOKEN].divergence)) {
				assert_false(ran);
				assert_non_null(strstr(heddle_message(r.h),
						       "the kernel is PTX, which has no tokens"));
			} else if (!ran) {
				fail_msg("%s by %s: %s", jobs[j].kernel, machines[m].name,
					 heddle_message(r.h));
			} else if (memcmp(got, want, sizeof want)) {
				fail_msg("%s by %s: PTX leaves other memory than %s",
					 jobs[j].kernel, machines[m].name, jobs[j].file);
			}
			rig_close(&r);
		}
	}
}

static void contradiction(void **state)
{
	(void)state;
	static uint32_t got[BUFFERS][BYTES / 4];
	struct machine m = machines[TOKEN];
	m.stack = HEDDLE_PDOM;
	struct rig r = open_on(&m, "fermi", "sass");
	assert_false(memory_after(&r, &jobs[5], false, got));
	assert_non_null(strstr(heddle_message(r.h), "contradict"));
	rig_close(&r);
}

/* A switch in a function, which then calls one of two others through a pointer: each handling of
 * control flow takes the same paths. */
static void functions_by_pointer(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\n.const 2 0x0 0x0\n.reloc .nv.constant2 0x0 R_CUDA_32 more\n.reloc "
		".nv.constant2 0x4 R_CUDA_32 less\n"
		"Function : k\n.params 4\nS2R R0, SR_Tid_X;\nMOV R4, R0;\nJCAL.NOINC `(choose);\n"
		"ISCADD R6, R0, c [0x0] [0x20], 0x2;\nST [R6], R4;\nEXIT;\n"
		"Function : choose\n.function\nLOP.AND R5, R4, 0x3;\nSHL R5, R5, 0x4;\nSSY "
		"after;\nIADD R5, R5, 0x30;\n"
		"MOV32I R7, 32@lo(choose);\nIADD R5, R5, R7;\nJMX R5, 0x8;\n"
		"IADD R4, R4, 0x100;\nBRA end;\nIADD R4, R4, 0x200;\nBRA end;\nIADD R4, R4, "
		"0x300;\nBRA end;\n"
		"IADD R4, R4, 0x400;\nBRA end;\nend: NOP.S;\n"
		"after: LOP.AND R5, R0, 0x1;\nSHL R5, R5, 0x2;\nLDC R5, c [0x2] [R5];\nPRET "
		"back;\nJMX R5, 0x0;\n"
		"back: IADD R4, R4, 0x1;\nRET;\n"
		"Function : more\n.function\nIADD R4, R4, 0x1000;\nRET;\n"
		"Function : less\n.function\nIADD R4, R4, -0x10;\nRET;\n";
	EACH_WAY (how) {
		uint32_t out[40];
		run_text(how, text, 40, out, sizeof out);
		for (uint32_t i = 0; i < 40; i++)
			assert_int_equal(out[i],
					 i + 0x100 * (i % 4 + 1) + (i % 2 ? -0x10u : 0x1000u) + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_memory), cmocka_unit_test(same_as_ptx),
		cmocka_unit_test(contradiction), cmocka_unit_test(functions_by_pointer)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
