/* The token stack, state by state: the thesis's tables and their kernels; what is counted and
 * issued. */
#include "kernel/wstate.h"
#include "api/api.h"
#include "native_rig.h"

/* ---- the thesis's tables ---- */

struct state {
	uint32_t pc, active, broken, n;
	struct token top[3]; /* pc: native address */
};

struct log {
	struct state s[4096];
	unsigned n;
};

static uint32_t address(const struct image *img, uint32_t pc)
{
	return img->code[pc].in->native[0] ? img->code[pc].in->native_pc : ~0u;
}

static void note(void *arg, const struct wstate *ws, uint32_t pc)
{
	struct log *log = arg;
	const struct image *img = ws->w.cta->l->img;
	if (log->n == 4096)
		return;
	struct state *s = &log->s[log->n++];
	*s = (struct state){address(img, pc), ws->w.active, ws->off[OFF_BROKEN], 0, {{0}}};
	for (uint32_t i = ws->ntokens; i-- > 0;) {
		if (ws->token[i].type == TOKEN_WHILE)
			continue; /* the thesis keeps these outside the stack */
		if (s->n < 3) {
			s->top[s->n] = ws->token[i];
			s->top[s->n].pc = address(img, ws->token[i].pc);
		}
		s->n++;
	}
}

/* The rows must occur in this order; states between them are not in the table. */
static void expect_rows(const struct log *log, const struct state *row, unsigned n)
{
	unsigned at = 0;
	for (unsigned i = 0; i < n; i++, at++) {
		while (at < log->n && log->s[at].pc != row[i].pc)
			at++;
		if (at >= log->n)
			fail_msg("row %u: pc 0x%x is never reached", i, row[i].pc);
		const struct state *s = &log->s[at];
		if (s->active != row[i].active || s->broken != row[i].broken || s->n != row[i].n)
			fail_msg("row %u, pc 0x%x: active %x broken %x depth %u, not %x %x %u", i,
				 s->pc, s->active, s->broken, s->n, row[i].active, row[i].broken,
				 row[i].n);
		for (unsigned k = 0; k < s->n && k < 3; k++)
			if (s->top[k].type != row[i].top[k].type ||
			    s->top[k].mask != row[i].top[k].mask ||
			    s->top[k].pc != row[i].top[k].pc)
				fail_msg("row %u, pc 0x%x: token %u is %u %x %x", i, s->pc, k,
					 s->top[k].type, s->top[k].mask, s->top[k].pc);
	}
}

#define SSY(m, p)                                                                                  \
	{                                                                                          \
		TOKEN_SSY, m, p                                                                    \
	}
#define DIV(m, p)                                                                                  \
	{                                                                                          \
		TOKEN_DIV, m, p                                                                    \
	}
#define PBK(m, p)                                                                                  \
	{                                                                                          \
		TOKEN_PBK, m, p                                                                    \
	}

/* Table 4: an if with an else; the code of table 3, with NOPs in its gaps. */
static void table4(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n"
				   "MOV R1, c [0x1] [0x100];\nS2R R0, SR_Tid_X;\nISETP.LT.AND P0, "
				   "pt, R0, 0x4, pt;\nNOP;\nSSY 0xf0;\n"
				   "NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;\n@P0 BRA "
				   "0xb8;\nNOP;\nNOP;\nIADD R2, R0, R0;\nMOV.S R3, R2;\n"
				   "NOP;\nNOP;NOP;NOP;NOP;NOP;\nNOP.S "
				   "CC.T;\nNOP;\nNOP;\nNOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;\nEXIT;\n";
	char lines[1024];
	size_t n = 0;
	for (const char *p = text; *p; p++) { /* one instruction a line */
		lines[n++] = *p;
		if (*p == ';' && p[1] != '\n')
			lines[n++] = '\n';
	}
	static const struct state rows[] = {
		{0x00, 0xff, 0, 0, {{0}}},
		{0x20, 0xff, 0, 0, {{0}}},
		{0x28, 0xff, 0, 1, {SSY(0xff, 0xf0)}},
		{0x90, 0xff, 0, 1, {SSY(0xff, 0xf0)}},
		{0x98, 0xf0, 0, 2, {DIV(0x0f, 0xb8), SSY(0xff, 0xf0)}},
		{0xb0, 0xf0, 0, 2, {DIV(0x0f, 0xb8), SSY(0xff, 0xf0)}},
		{0xb8, 0x0f, 0, 1, {SSY(0xff, 0xf0)}},
		{0xe8, 0x0f, 0, 1, {SSY(0xff, 0xf0)}},
		{0xf0, 0xff, 0, 0, {{0}}},
	};
	struct rig r;
	static struct log log;
	log.n = 0;
	if (rig_load(&r, BY_TOKENS, "table4", lines, n))
		fail_msg("%s", heddle_message(r.h));
	r.h->trace = note;
	r.h->trace_arg = &log;
	uint32_t params[16] = {0};
	must(&r, run(&r, "k", 1, 1, 8, 1, params));
	expect_rows(&log, rows, sizeof rows / sizeof *rows);
	rig_close(&r);
}

/* Table 5: the loop of figure 9, 32 threads; thread 0 leaves before the loop. */
static void table5(void **state)
{
	(void)state;
	struct rig r = rig_open(BY_WHILE, "tests/native/fig9.sass");
	static struct log log;
	log.n = 0;
	r.h->trace = note;
	r.h->trace_arg = &log;
	uint64_t out = buffer(&r, NULL, 128);
	uint32_t params[16] = {0, 0, (uint32_t)out, 32};
	must(&r, run(&r, "loop_sum", 1, 1, 32, 1, params));
	struct state rows[256] = {{0x08, ~0u, 0, 0, {{0}}},
				  {0x50, ~0u, 0, 0, {{0}}},
				  {0x58, ~1u, 0, 0, {{0}}},
				  {0x68, ~1u, 0, 0, {{0}}}};
	unsigned n = 4;
	for (unsigned i = 1; i < 32; i++) /* iteration i: threads i and above */
		for (uint32_t pc = 0x70; pc <= 0x90; pc += 8)
			rows[n++] = (struct state){pc, ~0u << i, 0, 1, {SSY(~1u, 0xa0)}};
	rows[n++] = (struct state){0x98, ~1u, 0, 1, {SSY(~1u, 0xa0)}};
	rows[n++] = (struct state){0xa0, ~1u, 0, 0, {{0}}};
	rows[n++] = (struct state){0xa8, ~1u, 0, 0, {{0}}};
	expect_rows(&log, rows, n);
	assert_int_equal(log.n, 13 + 1 + 31 * 5 + 3);
	rig_close(&r);
}

/* hasproxy of table 6: threads in CE1 have a proxy. */
static void fig11_run(struct rig *r, uint32_t n, uint32_t proxies, float *c)
{
	float a[64], b[64];
	uint32_t proxy[64];
	for (uint32_t i = 0; i < 64; i++) {
		a[i] = 1.5f + (float)i;
		b[i] = (float)(i * i % 23) - 4.0f;
		proxy[i] = proxies >> i % 32 & 1;
	}
	uint32_t params[16] = {(uint32_t)buffer(r, a, sizeof a), (uint32_t)buffer(r, b, sizeof b),
			       (uint32_t)buffer(r, NULL, 256), n,
			       (uint32_t)buffer(r, proxy, sizeof proxy)};
	must(r, run(r, "kernel_update", 1, 1, n, 1, params));
	back(r, c, params[2], 256);
	for (uint32_t i = 0; i < n; i++) {
		float dij = 2.0f;
		for (uint32_t j = 0; j < n && !proxy[i]; j++) {
			if (j == i)
				continue;
			if (i * n + j > i * j + i) {
				dij = a[i] * (b[j] - b[i]);
				break;
			}
		}
		assert_true(c[i] == b[i] + dij);
	}
}

static void table6(void **state)
{
	(void)state;
	struct rig r = rig_open(BY_TOKENS, "tests/native/fig11.sass");
	static struct log log;
	log.n = 0;
	r.h->trace = note;
	r.h->trace_arg = &log;
	float c[64];
	/* In the thesis's run, 300 of the threads without a proxy (31E) wait at 0x88 in the first
	 * round; which threads depends on i and j. Thread 0 has a proxy, so here none waits for j
	 * == i == 0, but the states around are the table's. */
	fig11_run(&r, 12, 0xce1, c);
	static const struct state rows[] = {
		{0x18, 0xfff, 0, 0, {{0}}},
		{0x38, 0xfff, 0, 0, {{0}}},
		{0x40, 0xfff, 0, 1, {PBK(0xfff, 0x150)}},
		{0x58, 0xfff, 0, 1, {PBK(0xfff, 0x150)}},
		{0x60, 0x31e, 0, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x80, 0x31e, 0, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x88, 0x31e, 0, 3, {SSY(0x31e, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0xf0, 0x31e, 0, 3, {SSY(0x31e, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x130, 0xce1, 0x31e, 1, {PBK(0xfff, 0x150)}},
		{0x148, 0xce1, 0x31e, 1, {PBK(0xfff, 0x150)}},
		{0x150, 0xfff, 0, 0, {{0}}},
	};
	expect_rows(&log, rows, sizeof rows / sizeof *rows);
	rig_close(&r);
}

/* The masks of table 6 row by row: the same control flow, its conditions given by a table in
 * memory. */
static void table6_masks(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\nFunction : k\n"
		"S2R R0, SR_Tid_X;\nISCADD R1, R0, c [0x0] [0x20], 0x2;\nLD R1, [R1];\nR2P PR, R1, "
		"0x3;\nNOP;\nNOP;\nNOP;\nPBK 0x150;\nNOP;\n"
		"NOP;\nNOP;\n@P0 BRA 0x130;\nNOP;\nNOP;\nNOP;\nNOP;\nSSY 0xf8;\n@P1 NOP.S "
		"CC.T;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\n"
		"NOP;\nNOP;\nNOP;\nNOP;\nBRK;\nPSETP.AND.AND P1, pt, !pt, pt, pt;\nNOP;\nBRA "
		"0x78;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nBRK;\n"
		"NOP;\nNOP;\nNOP;\nEXIT;\n";
	static const struct state rows[] = {
		{0x18, 0xfff, 0, 0, {{0}}},
		{0x38, 0xfff, 0, 0, {{0}}},
		{0x40, 0xfff, 0, 1, {PBK(0xfff, 0x150)}},
		{0x58, 0xfff, 0, 1, {PBK(0xfff, 0x150)}},
		{0x60, 0x31e, 0, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x80, 0x31e, 0, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x88, 0x31e, 0, 3, {SSY(0x31e, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x90, 0x01e, 0, 3, {SSY(0x31e, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0xa8, 0x01e, 0, 3, {SSY(0x31e, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0xb0, 0x01e, 0, 3, {SSY(0x31e, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0xf0, 0x01e, 0, 3, {SSY(0x31e, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0xf8, 0x300, 0x01e, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x108, 0x300, 0x01e, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x78, 0x300, 0x01e, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x80, 0x300, 0x01e, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x88, 0x300, 0x01e, 3, {SSY(0x300, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0xf0, 0x300, 0x01e, 3, {SSY(0x300, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x130,
		 0xce1,
		 0x31e,
		 1,
		 {PBK(0xfff, 0x150)}}, /* 0x01E in print is an error: the row before has 0x31E */
		{0x148, 0xce1, 0x31e, 1, {PBK(0xfff, 0x150)}},
		{0x150, 0xfff, 0, 0, {{0}}},
	};
	struct rig r;
	static struct log log;
	log.n = 0;
	if (rig_load(&r, BY_TOKENS, "table6", text, sizeof text - 1))
		fail_msg("%s", heddle_message(r.h));
	r.h->trace = note;
	r.h->trace_arg = &log;
	uint32_t preds[12], params[16] = {0};
	for (unsigned i = 0; i < 12; i++)
		preds[i] = (0xce1u >> i & 1) | (0x300u >> i & 1) << 1;
	params[0] = (uint32_t)buffer(&r, preds, sizeof preds);
	must(&r, run(&r, "k", 1, 1, 12, 1, params));
	expect_rows(&log, rows, sizeof rows / sizeof *rows);
	rig_close(&r);
}

static void fig11(void **state)
{
	(void)state;
	float c[HOWS][64];
	EACH_WAY (how) {
		struct rig r = rig_open(how, "tests/native/fig11.sass");
		fig11_run(&r, 12, 0xce1, c[how]);
		fig11_run(&r, 64, 0x12345678, c[how]);
		assert_memory_equal(c[how], c[0], sizeof c[0]);
		rig_close(&r);
	}
}

/* Timing mode issues and counts the instructions that functional mode executes, each once. */
static struct heddle_stats nest_stats(enum how how, const char *file, const char *kernel)
{
	struct rig r = rig_open(how, file);
	uint32_t p[16] = {(uint32_t)buffer(&r, NULL, 256), 900};
	must(&r, run(&r, kernel, 1, 1, 64, 1, p));
	struct heddle_stats s = *heddle_stats_at(r.h, heddle_stats_count(r.h) - 1);
	rig_close(&r);
	return s;
}

static void counts(void **state)
{
	(void)state;
	static const struct {
		const char *file, *kernel;
	} rows[] = {
		{"tests/native/fermi.sass", "nest"},    {"tests/native/fermi.sass", "calls"},
		{"tests/native/tesla.sass", "collatz"}, {"tests/native/tesla.sass", "nest"},
		{"tests/native/tesla.sass", "calls"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (enum how how = BY_TOKENS; how <= BY_PDOM; how++) {
			struct heddle_stats a = nest_stats(how, rows[i].file, rows[i].kernel);
			struct heddle_stats b =
				nest_stats(how + TIMED_TOKENS, rows[i].file, rows[i].kernel);
			assert_int_equal(a.warp_instructions, b.warp_instructions);
			assert_int_equal(a.divergent_branches, b.divergent_branches);
			assert_int_equal(a.thread_instructions, b.thread_instructions);
			assert_true(b.cycles > b.warp_instructions / 4);
		}
}

/* A chain of dependent additions: in the locked pipeline each takes the pipeline's depth, however
 * many uops its instruction became (2 with a constant, 1 without). */
static void one_issue(void **state)
{
	(void)state;
	uint64_t cycles[2][2];
	for (int constant = 0; constant < 2; constant++)
		for (int n = 0; n < 2; n++) {
			char text[8192];
			int len = snprintf(text, sizeof text,
					   "code for sm_20\n.const 2 0x1\nFunction : k\n");
			for (int i = 0; i < (n ? 150 : 50); i++)
				len += snprintf(text + len, sizeof text - (size_t)len,
						"IADD R2, R2, %s;\n",
						constant ? "c [0x2] [0x0]" : "R3");
			len += snprintf(text + len, sizeof text - (size_t)len, "EXIT;\n");
			struct rig r;
			uint32_t params[16] = {0};
			must(&r, rig_load(&r, TIMED_LOCKED, "k.sass", text, (size_t)len));
			must(&r, run(&r, "k", 1, 1, 32, 1, params));
			const struct heddle_stats *s = heddle_stats_at(r.h, 0);
			assert_int_equal(s->warp_instructions, (n ? 150 : 50) + 1);
			cycles[constant][n] = s->cycles;
			rig_close(&r);
		}
	assert_int_equal(cycles[0][1] - cycles[0][0], cycles[1][1] - cycles[1][0]);
	assert_int_equal((cycles[0][1] - cycles[0][0]) % 100, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table4),       cmocka_unit_test(table5), cmocka_unit_test(table6),
		cmocka_unit_test(table6_masks), cmocka_unit_test(fig11),  cmocka_unit_test(counts),
		cmocka_unit_test(one_issue),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
