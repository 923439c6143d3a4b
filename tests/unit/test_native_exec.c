/* Native machine code executed: the thesis's tables of the token stack, state by state, its two whole
 * kernels, and kernels of our own in both assembly languages against what a CPU computes, under the token
 * stack, with the other rule for loops, and under the post-dominator stack, in functional and timing mode. */
#include <math.h>
#include "native_rig.h"
#include "api/api.h"

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
	*s = (struct state){address(img, pc), ws->stack[0].mask, ws->off[OFF_BROKEN], 0, {{0}}};
	for (uint32_t i = ws->ntokens; i-- > 0;) {
		if (ws->token[i].type == TOKEN_WHILE)
			continue; /* the thesis keeps these elsewhere */
		if (s->n < 3) {
			s->top[s->n] = ws->token[i];
			s->top[s->n].pc = address(img, ws->token[i].pc);
		}
		s->n++;
	}
}

/* The rows must come in this order; what lies between them is not in the table. */
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
			fail_msg("row %u, pc 0x%x: active %x broken %x depth %u, not %x %x %u", i, s->pc, s->active, s->broken, s->n,
				 row[i].active, row[i].broken, row[i].n);
		for (unsigned k = 0; k < s->n && k < 3; k++)
			if (s->top[k].type != row[i].top[k].type || s->top[k].mask != row[i].top[k].mask || s->top[k].pc != row[i].top[k].pc)
				fail_msg("row %u, pc 0x%x: token %u is %u %x %x", i, s->pc, k, s->top[k].type, s->top[k].mask, s->top[k].pc);
	}
}

#define SSY(m, p) {TOKEN_SSY, m, p}
#define DIV(m, p) {TOKEN_DIV, m, p}
#define PBK(m, p) {TOKEN_PBK, m, p}

/* Table 4: an if with its else; the code of table 3, whose gaps are filled with NOP. */
static void table4(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n"
		"MOV R1, c [0x1] [0x100];\nS2R R0, SR_Tid_X;\nISETP.LT.AND P0, pt, R0, 0x4, pt;\nNOP;\nSSY 0xf0;\n"
		"NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;\n@P0 BRA 0xb8;\nNOP;\nNOP;\nIADD R2, R0, R0;\nMOV.S R3, R2;\n"
		"NOP;\nNOP;NOP;NOP;NOP;NOP;\nNOP.S CC.T;\nNOP;\nNOP;\nNOP;NOP;NOP;NOP;NOP;NOP;NOP;NOP;\nEXIT;\n";
	char lines[1024];
	size_t n = 0;
	for (const char *p = text; *p; p++) { /* one instruction a line */
		lines[n++] = *p;
		if (*p == ';' && p[1] != '\n')
			lines[n++] = '\n';
	}
	static const struct state rows[] = {
		{0x00, 0xff, 0, 0, {{0}}}, {0x20, 0xff, 0, 0, {{0}}}, {0x28, 0xff, 0, 1, {SSY(0xff, 0xf0)}},
		{0x90, 0xff, 0, 1, {SSY(0xff, 0xf0)}}, {0x98, 0xf0, 0, 2, {DIV(0x0f, 0xb8), SSY(0xff, 0xf0)}},
		{0xb0, 0xf0, 0, 2, {DIV(0x0f, 0xb8), SSY(0xff, 0xf0)}}, {0xb8, 0x0f, 0, 1, {SSY(0xff, 0xf0)}},
		{0xe8, 0x0f, 0, 1, {SSY(0xff, 0xf0)}}, {0xf0, 0xff, 0, 0, {{0}}},
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

/* Table 5: the loop of figure 9, 32 threads, thread 0 leaves before it. */
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
	struct state rows[256] = {{0x08, ~0u, 0, 0, {{0}}}, {0x50, ~0u, 0, 0, {{0}}}, {0x58, ~1u, 0, 0, {{0}}}, {0x68, ~1u, 0, 0, {{0}}}};
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

/* hasproxy of table 6: threads CE1 have one. */
static void fig11_run(struct rig *r, uint32_t n, uint32_t proxies, float *c)
{
	float a[64], b[64];
	uint32_t proxy[64];
	for (uint32_t i = 0; i < 64; i++) {
		a[i] = 1.5f + (float)i;
		b[i] = (float)(i * i % 23) - 4.0f;
		proxy[i] = proxies >> i % 32 & 1;
	}
	uint32_t params[16] = {(uint32_t)buffer(r, a, sizeof a), (uint32_t)buffer(r, b, sizeof b), (uint32_t)buffer(r, NULL, 256), n,
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
	/* Of the threads without a proxy (31E) 300 wait at 0x88 in the first round in the thesis's run; which
	 * ones do depends on i and j. Thread 0 has a proxy, so none waits for j == i == 0 here, but the states
	 * around it are the table's. */
	fig11_run(&r, 12, 0xce1, c);
	static const struct state rows[] = {
		{0x18, 0xfff, 0, 0, {{0}}}, {0x38, 0xfff, 0, 0, {{0}}}, {0x40, 0xfff, 0, 1, {PBK(0xfff, 0x150)}},
		{0x58, 0xfff, 0, 1, {PBK(0xfff, 0x150)}}, {0x60, 0x31e, 0, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x80, 0x31e, 0, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x88, 0x31e, 0, 3, {SSY(0x31e, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0xf0, 0x31e, 0, 3, {SSY(0x31e, 0xf8), DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
		{0x130, 0xce1, 0x31e, 1, {PBK(0xfff, 0x150)}}, {0x148, 0xce1, 0x31e, 1, {PBK(0xfff, 0x150)}},
		{0x150, 0xfff, 0, 0, {{0}}},
	};
	expect_rows(&log, rows, sizeof rows / sizeof *rows);
	rig_close(&r);
}

/* The masks of table 6 row by row: the same control flow, its conditions given by a table in memory. */
static void table6_masks(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n"
		"S2R R0, SR_Tid_X;\nISCADD R1, R0, c [0x0] [0x20], 0x2;\nLD R1, [R1];\nR2P PR, R1, 0x3;\nNOP;\nNOP;\nNOP;\nPBK 0x150;\nNOP;\n"
		"NOP;\nNOP;\n@P0 BRA 0x130;\nNOP;\nNOP;\nNOP;\nNOP;\nSSY 0xf8;\n@P1 NOP.S CC.T;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\n"
		"NOP;\nNOP;\nNOP;\nNOP;\nBRK;\nPSETP.AND.AND P1, pt, !pt, pt, pt;\nNOP;\nBRA 0x78;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nNOP;\nBRK;\n"
		"NOP;\nNOP;\nNOP;\nEXIT;\n";
	static const struct state rows[] = {
		{0x18, 0xfff, 0, 0, {{0}}}, {0x38, 0xfff, 0, 0, {{0}}}, {0x40, 0xfff, 0, 1, {PBK(0xfff, 0x150)}},
		{0x58, 0xfff, 0, 1, {PBK(0xfff, 0x150)}}, {0x60, 0x31e, 0, 2, {DIV(0xce1, 0x130), PBK(0xfff, 0x150)}},
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
		{0x130, 0xce1, 0x31e, 1, {PBK(0xfff, 0x150)}}, /* 0x01E in print: a slip, its row before has 0x31E */
		{0x148, 0xce1, 0x31e, 1, {PBK(0xfff, 0x150)}}, {0x150, 0xfff, 0, 0, {{0}}},
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

/* ---- whole kernels, each way of reconverging ---- */

/* Kernels that are there in both machine codes and in PTX. */
enum { PTX = 2 };
static const char *const versions[] = {"tests/native/fermi.sass", "tests/native/tesla.sass", "tests/native/twins.ptx"};

static void fig9(void **state)
{
	(void)state;
	EACH_WAY(how)
		for (uint32_t n = 1; n <= 70; n += 23) {
			struct rig r = rig_open(how, "tests/native/fig9.sass");
			uint64_t out = buffer(&r, NULL, 96 * 4);
			uint32_t params[16] = {0, 0, (uint32_t)out, n};
			float got[96];
			must(&r, run(&r, "loop_sum", 3, 1, 32, 1, params));
			back(&r, got, out, sizeof got);
			for (uint32_t i = 0; i < 96; i++) {
				float want = i < n ? 1.0f : 0.0f;
				for (uint32_t j = 1; j <= i && i < n; j++)
					want += (float)j;
				assert_true(got[i] == want);
			}
			rig_close(&r);
		}
}

static void fig11(void **state)
{
	(void)state;
	float c[HOWS][64];
	EACH_WAY(how) {
		struct rig r = rig_open(how, "tests/native/fig11.sass");
		fig11_run(&r, 12, 0xce1, c[how]);
		fig11_run(&r, 64, 0x12345678, c[how]);
		assert_memory_equal(c[how], c[0], sizeof c[0]);
		rig_close(&r);
	}
}

static void vecadd(void **state)
{
	(void)state;
	EACH_WAY(how)
		for (int tesla = 0; tesla < 2; tesla++) {
			struct rig r = rig_open(how, tesla ? "tests/native/tesla.sass" : "tests/native/fermi.sass");
			float a[200], b[200], c[200];
			for (int i = 0; i < 200; i++)
				a[i] = (float)i * 0.25f, b[i] = 100.0f - (float)i;
			uint64_t p[8] = {buffer(&r, a, sizeof a), buffer(&r, b, sizeof b), buffer(&r, NULL, sizeof c), 170};
			uint32_t q[16] = {(uint32_t)p[0], (uint32_t)p[1], (uint32_t)p[2], 170};
			must(&r, run(&r, "vecadd", 4, 1, 64, 1, tesla ? (void *)q : (void *)p));
			back(&r, c, p[2], sizeof c);
			for (int i = 0; i < 200; i++)
				assert_true(c[i] == (i < 170 ? a[i] + b[i] : 0));
			rig_close(&r);
		}
}

static void matmul(void **state)
{
	(void)state;
	enum { N = 32 };
	static float a[N * N], b[N * N], c[N * N];
	for (int i = 0; i < N * N; i++)
		a[i] = (float)(i % 17), b[i] = (float)(i % 13) - 6.0f;
	EACH_WAY(how)
		for (unsigned isa = 0; isa < 3; isa++) {
			if (how == TIMED_NAMED && isa == PTX)
				continue;
			struct rig r = rig_open(how, versions[isa]);
			uint32_t p[16] = {(uint32_t)buffer(&r, a, sizeof a), (uint32_t)buffer(&r, b, sizeof b), (uint32_t)buffer(&r, NULL, sizeof c), N};
			must(&r, run(&r, "matmul", N / 16, N / 16, 16, 16, p));
			back(&r, c, p[2], sizeof c);
			for (int y = 0; y < N; y++)
				for (int x = 0; x < N; x++) {
					float s = 0;
					for (int k = 0; k < N; k++)
						s = fmaf(a[y * N + k], b[k * N + x], s);
					assert_true(c[y * N + x] == s);
				}
			rig_close(&r);
		}
}

static void reduce(void **state)
{
	(void)state;
	EACH_WAY(how)
		for (int tesla = 0; tesla < 2; tesla++) {
			struct rig r = rig_open(how, tesla ? "tests/native/tesla.sass" : "tests/native/fermi.sass");
			uint32_t block = tesla ? 64 : 256, in[1024], out[16], n = 1024 / block;
			for (uint32_t i = 0; i < 1024; i++)
				in[i] = i * i + 7;
			uint32_t p[16] = {(uint32_t)buffer(&r, in, sizeof in), (uint32_t)buffer(&r, NULL, sizeof out)};
			must(&r, run(&r, "reduce", n, 1, block, 1, p));
			back(&r, out, p[1], sizeof out);
			for (uint32_t b = 0; b < n; b++) {
				uint32_t s = 0;
				for (uint32_t i = 0; i < block; i++)
					s += in[b * block + i];
				assert_int_equal(out[b], s);
			}
			rig_close(&r);
		}
}

static void nest(void **state)
{
	(void)state;
	EACH_WAY(how)
		for (unsigned isa = 0; isa < 3; isa++) {
			if (how == TIMED_NAMED && isa == PTX)
				continue;
			struct rig r = rig_open(how, versions[isa]);
			uint32_t out[64];
			int limit = 900;
			uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)limit};
			must(&r, run(&r, "nest", 1, 1, 64, 1, p));
			back(&r, out, p[0], sizeof out);
			for (int t = 0; t < 64; t++) {
				int s = 0;
				for (int i = 0; i < t; i++)
					for (int j = 0; j < 20; j++) {
						if (i * j % 3 == t % 3)
							continue;
						if (s > limit) {
							i = t;
							break;
						}
						s += i + j;
					}
				assert_int_equal(out[t], s);
			}
			rig_close(&r);
		}
}

static void pick_by(enum how how)
{
	struct rig r = rig_open(how, "tests/native/fermi.sass");
	static const uint32_t table[4] = {0x30, 0x40, 0x50, 0x60};
	uint32_t out[64];
	uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)buffer(&r, table, sizeof table)};
	must(&r, run(&r, "pick", 1, 1, 64, 1, p));
	back(&r, out, p[0], sizeof out);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t want[4] = {100, t + 1, t * 8, t * t};
		assert_int_equal(out[t], want[t % 4]);
	}
	static const uint32_t bad[4] = {0x30, 0x40, 0x50, 0x64};
	assert_int_equal(heddle_write(r.h, p[1], bad, sizeof bad), HEDDLE_OK);
	assert_int_equal(run(&r, "pick", 1, 1, 64, 1, p), HEDDLE_FAULT);
	assert_non_null(strstr(heddle_message(r.h), r.h->native_pdom ? "trap" : "0x64"));
	assert_int_equal(heddle_fault(r.h)->thread[0] % 32, 3); /* timing: of either warp */
	rig_close(&r);
}

static void tesla_pick(enum how how)
{
	struct rig r = rig_open(how, "tests/native/tesla.sass");
	uint32_t out[64], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
	must(&r, run(&r, "pick", 1, 1, 64, 1, p));
	back(&r, out, p[0], sizeof out);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t want[4] = {100, t + 1, t * 8, t * t};
		assert_int_equal(out[t], want[t % 4]);
	}
	rig_close(&r);
}

static void pick(void **state)
{
	(void)state;
	EACH_WAY(how) {
		pick_by(how);
		tesla_pick(how);
	}
}

static void indirect_by(enum how how)
{
	struct rig r = rig_open(how, "tests/native/fermi.sass");
	static const uint32_t table[4] = {0x48, 0x58, 0x80, 0x58};
	uint32_t out[64];
	uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)buffer(&r, table, sizeof table)};
	must(&r, run(&r, "indirect", 1, 1, 64, 1, p));
	back(&r, out, p[0], sizeof out);
	for (uint32_t t = 0; t < 64; t++) {
		uint32_t f1 = t < 16 ? t : 0u - t, want[4] = {t + 1000, f1, t * 7, f1};
		assert_int_equal(out[t], want[t % 4]);
	}
	rig_close(&r);
}

static void indirect(void **state)
{
	(void)state;
	EACH_WAY(how)
		indirect_by(how);
}

static void calls(void **state)
{
	(void)state;
	EACH_WAY(how)
		for (unsigned isa = 0; isa < 3; isa++) {
			if (how == TIMED_NAMED && isa == PTX)
				continue;
			struct rig r = rig_open(how, versions[isa]);
			uint32_t out[64], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
			must(&r, run(&r, "calls", 1, 1, 64, 1, p));
			back(&r, out, p[0], sizeof out);
			for (uint32_t t = 0; t < 64; t++) {
				uint32_t x = t;
				for (uint32_t k = 0; k <= t % 2; k++)
					x = x > 50 ? x : x * 3;
				assert_int_equal(out[t], x);
			}
			rig_close(&r);
		}
}

static void doubles(void **state)
{
	(void)state;
	EACH_WAY(how) {
		struct rig r = rig_open(how, "tests/native/fermi.sass");
		double a[32], b[32], out[32];
		for (int i = 0; i < 32; i++)
			a[i] = 0.1 * i - 1.3, b[i] = 1e300 / (i + 1) * (i % 2 ? 1e-300 : 1e-310);
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)buffer(&r, a, sizeof a), (uint32_t)buffer(&r, b, sizeof b)};
		must(&r, run(&r, "doubles", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int i = 0; i < 32; i++)
			assert_true(out[i] == fabs(a[i] * b[i] + 0.5));
		rig_close(&r);
	}
}

static void atomics(void **state)
{
	(void)state;
	EACH_WAY(how) {
		struct rig r = rig_open(how, "tests/native/fermi.sass");
		uint32_t out[64], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "atomics", 1, 1, 128, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t i = 0; i < 16; i++) {
			assert_int_equal(out[i], 8);
			assert_int_equal(out[19 + i], 8 * i + 16 * 28); /* i, i + 16, ... i + 112 */
		}
		assert_int_equal(out[16], 127 * 64);
		assert_int_equal(out[17], 127);
		assert_int_equal(out[18], 1);
		rig_close(&r);
	}
}

static void odds(void **state)
{
	(void)state;
	EACH_WAY(how) {
		struct rig r = rig_open(how, "tests/native/fermi.sass");
		uint32_t a[32], b[32], out[32 * 16], any = 0, lt[32];
		for (uint32_t i = 0; i < 32; i++) {
			a[i] = i * 0x9e3779b1u;
			b[i] = i % 5 == 0 ? a[i] : (31 - i) * 0x85ebca6bu;
			int64_t x = (int64_t)((uint64_t)b[i] << 32 | a[i]), y = (int64_t)((uint64_t)a[i] << 32 | b[i]);
			lt[i] = x < y;
			any |= lt[i] << i;
		}
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)buffer(&r, a, sizeof a), (uint32_t)buffer(&r, b, sizeof b)};
		must(&r, run(&r, "odds", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t i = 0; i < 32; i++) {
			const uint32_t *o = &out[i * 16];
			int64_t next = (int64_t)(int32_t)a[i] + 1;
			int32_t sb = (int32_t)b[i];
			uint32_t inv = a[i] ^ ~b[i];
			float f = (float)(int32_t)a[i];
			assert_int_equal(o[0], lt[i] ? a[i] : b[i]);
			assert_int_equal(o[1], a[i] >> 4 & 255);
			assert_int_equal(o[2], (a[i] & 0xffff00ffu) | (b[i] & 255) << 8);
			assert_int_equal((int32_t)o[3], (int32_t)next < sb ? (int32_t)next : sb);
			assert_int_equal(o[4], a[i] < b[i] ? a[i] : b[i]);
			assert_int_equal((int32_t)o[5], (int32_t)a[i] > sb ? (int32_t)a[i] : sb);
			assert_int_equal(o[6], a[i] ? 31 - (uint32_t)__builtin_clz(a[i]) : ~0u);
			assert_int_equal(o[7], (uint32_t)__builtin_popcount(a[i] & b[i]));
			assert_int_equal(o[8], a[i]);
			assert_int_equal(o[9], any);
			assert_int_equal(o[10], lt[i] | !lt[i] << 1 | (any != 0) << 2);
			assert_memory_equal(&o[11], &f, 4);
			assert_int_equal((int32_t)o[12], f >= 2147483648.0f ? INT32_MAX : (int32_t)f);
			assert_int_equal(o[13], inv);
			assert_int_equal((int32_t)o[14], (int32_t)a[i] >> (b[i] > 31 ? 31 : b[i]));
			assert_int_equal(o[15], a[i] > b[i] ? 0x3f800000 : 0);
		}
		rig_close(&r);
	}
}

static void collatz(void **state)
{
	(void)state;
	EACH_WAY(how) {
		struct rig r = rig_open(how, "tests/native/tesla.sass");
		uint32_t out[64], limit = 40, p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), limit};
		must(&r, run(&r, "collatz", 1, 1, 64, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t t = 0; t < 64; t++) {
			uint32_t n = 0;
			for (uint32_t x = t + 1; x != 1 && n < limit; n++)
				x = x % 2 ? 3 * x + 1 : x / 2;
			assert_int_equal(out[t], n);
		}
		rig_close(&r);
	}
}

static void tesla_odds(void **state)
{
	(void)state;
	EACH_WAY(how) {
		struct rig r = rig_open(how, "tests/native/tesla.sass");
		uint32_t a[32], b[32], out[32 * 16];
		for (uint32_t i = 0; i < 32; i++)
			a[i] = i * 0x9e3779b1u, b[i] = (31 - i) * 0x85ebca6bu;
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)buffer(&r, a, sizeof a), (uint32_t)buffer(&r, b, sizeof b)};
		must(&r, run(&r, "odds", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t i = 0; i < 32; i++) {
			const uint32_t *o = &out[i * 16], sum = a[i] + b[i], d16 = (a[i] - b[i]) & 0xffff;
			int64_t a24 = (int32_t)(a[i] << 8) >> 8, b24 = (int32_t)(b[i] << 8) >> 8;
			float f = (float)(int32_t)a[i], sq = f * f;
			bool carry = sum < a[i], over = ((a[i] ^ sum) & (b[i] ^ sum)) >> 31;
			bool c16 = (a[i] & 0xffff) >= (b[i] & 0xffff), o16 = ((a[i] ^ b[i]) & (a[i] ^ d16)) >> 15 & 1;
			assert_int_equal(o[0], sum);
			assert_int_equal(o[1], carry);
			assert_int_equal(o[2], a[i] * b[i]);
			assert_int_equal(o[3], (uint32_t)(a24 * b24 >> 16));
			assert_int_equal((int32_t)o[4], (int32_t)a[i] > (int32_t)b[i] ? (int32_t)a[i] : (int32_t)b[i]);
			assert_memory_equal(&o[5], &f, 4);
			assert_int_equal(o[6], (a[i] & 0xffff) < b[i] >> 16 ? 7 : 0);
			assert_int_equal((int32_t)o[7], f >= 2147483648.0f ? INT32_MAX : (int32_t)f);
			assert_int_equal(o[8], a[i] ^ ~b[i]);
			assert_int_equal(o[9], (b[i] & 0xffff0000u) | a[i] >> 16);
			assert_int_equal(o[10], (d16 == 0) | (d16 >> 15) << 1 | c16 << 2 | o16 << 3);
			assert_int_equal((int32_t)o[11], (int32_t)a[i] >> 5);
			assert_int_equal((int32_t)o[12], -(int32_t)(int16_t)a[i]);
			if ((double)f * f == sq) /* the product is exact: nothing to cut off */
				assert_true(((const float *)o)[13] == sq + f);
			assert_int_equal((int32_t)o[14], (int16_t)a[i]);
			assert_int_equal(o[15], (sum == 0) | (sum >> 31) << 1 | carry << 2 | over << 3);
		}
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
	static const struct { const char *file, *kernel; } rows[] = {
		{"tests/native/fermi.sass", "nest"}, {"tests/native/fermi.sass", "calls"}, {"tests/native/tesla.sass", "collatz"},
		{"tests/native/tesla.sass", "nest"}, {"tests/native/tesla.sass", "calls"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (enum how how = BY_TOKENS; how <= BY_PDOM; how++) {
			struct heddle_stats a = nest_stats(how, rows[i].file, rows[i].kernel);
			struct heddle_stats b = nest_stats(how + TIMED_TOKENS, rows[i].file, rows[i].kernel);
			assert_int_equal(a.warp_instructions, b.warp_instructions);
			assert_int_equal(a.divergent_branches, b.divergent_branches);
			assert_int_equal(a.thread_instructions, b.thread_instructions);
			assert_true(b.cycles > b.warp_instructions / 4);
		}
}

/* A chain of dependent additions: in the locked pipeline each takes the pipeline's depth, however many uops an
 * instruction became: 2 uops for one with a constant, 1 for one without. */
static void one_issue(void **state)
{
	(void)state;
	uint64_t cycles[2][2];
	for (int constant = 0; constant < 2; constant++)
		for (int n = 0; n < 2; n++) {
			char text[8192];
			int len = snprintf(text, sizeof text, "code for sm_20\n.const 2 0x1\nFunction : k\n");
			for (int i = 0; i < (n ? 150 : 50); i++)
				len += snprintf(text + len, sizeof text - (size_t)len, "IADD R2, R2, %s;\n", constant ? "c [0x2] [0x0]" : "R3");
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

/* out[t] = texture at (t, 1), by coordinates and by number; both generations. */
static void textures(void **state)
{
	(void)state;
	static const char fermi[] = "code for sm_20\n.texture image 3\nFunction : k\n.params 4\n"
		"S2R R0, SR_Tid_X;\nI2F.F32.U32 R4, R0;\nMOV32I R5, 0x3f800000;\nTEX R8, R4, 0x3, 0x0, 2D, 0x3;\n"
		"MOV R4, R0;\nMOV32I R5, 0x1;\nTLD.LZ R10, R4, 0x3, 2D, 0x2;\nTXQ.DIM R12, RZ, 0x3, 0x3;\n"
		"IMUL R2, R0, 0x14;\nIADD R2, R2, c [0x0] [0x20];\nST [R2], R8;\nST [R2+0x4], R9;\nST [R2+0x8], R10;\nST [R2+0xc], R12;\n"
		"ST [R2+0x10], R13;\nEXIT;\n";
	float texel[4][8][2];
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 8; x++)
			texel[y][x][0] = (float)(10 * y + x), texel[y][x][1] = -texel[y][x][0];
	EACH_WAY(how) {
		struct rig r;
		uint32_t p[16] = {0}, out[8][5];
		if (rig_load(&r, how, "tex.sass", fermi, sizeof fermi - 1))
			fail_msg("%s", heddle_message(r.h));
		struct heddle_tex t = {.addr = buffer(&r, texel, sizeof texel), .width = 8, .height = 4, .pitch = 64, .channels = 2, .bits = 32,
				       .chan = HEDDLE_CHAN_FLOAT};
		must(&r, heddle_tex_bind(r.h, r.m, "image", &t));
		p[0] = (uint32_t)buffer(&r, NULL, sizeof out);
		must(&r, run(&r, "k", 1, 1, 8, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int x = 0; x < 8; x++) {
			assert_memory_equal(&out[x][0], texel[1][x], 8);
			assert_memory_equal(&out[x][2], &texel[1][x][1], 4);
			assert_int_equal(out[x][3], 8);
			assert_int_equal(out[x][4], 4);
		}
		rig_close(&r);
	}
}

/* Texel offsets: fields of four bits behind the level; of a byte in a gather. */
static void texel_offsets(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\n.texture image 3\nFunction : k\n.params 4\n"
		"S2R R0, SR_Tid_X;\nIADD R4, R0, 0x3;\nI2F.F32.U32 R6, R4;\nMOV32I R7, 0x40000000;\nMOV32I R5, 0x2;\n"
		"MOV32I R8, 0x1e;\nTEX.AOFFI R12, R6, R8, 0x3, 0x0, 2D, 0x1;\n" /* (t + 3 - 2, 2 + 1) */
		"MOV R8, RZ;\nMOV32I R9, 0xf1;\nTLD.LL.AOFFI R13, R4, R8, 0x3, 2D, 0x1;\n" /* (t + 3 + 1, 2 - 1) */
		"MOV32I R8, 0x1fe;\nTLD4.R.AOFFI R16, R6, R8, 0x3, 0x0, 2D, 0xf;\n"
		"IMUL R2, R0, 0x18;\nIADD R2, R2, c [0x0] [0x20];\nST.64 [R2], R12;\nST.64 [R2+0x8], R16;\nST.64 [R2+0x10], R18;\nEXIT;\n";
	float texel[4][8], out[4][6];
	for (int i = 0; i < 32; i++)
		texel[i / 8][i % 8] = (float)(10 * (i / 8) + i % 8);
	EACH_WAY(how) {
		struct rig r;
		uint32_t p[16] = {0};
		if (rig_load(&r, how, "tex.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		struct heddle_tex t = {.addr = buffer(&r, texel, sizeof texel), .width = 8, .height = 4, .pitch = 32, .channels = 1,
				       .bits = 32, .chan = HEDDLE_CHAN_FLOAT};
		must(&r, heddle_tex_bind(r.h, r.m, "image", &t));
		p[0] = (uint32_t)buffer(&r, NULL, sizeof out);
		must(&r, run(&r, "k", 1, 1, 4, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int x = 0; x < 4; x++) {
			/* the gather at (x + 3, 2) is of columns x + 2 and x + 3, rows 1 and 2; by (-2, 1) further */
			const float want[6] = {texel[3][x + 1], texel[1][x + 4], texel[3][x], texel[3][x + 1],
					       texel[2][x + 1], texel[2][x]};
			assert_memory_equal(out[x], want, sizeof want);
		}
		rig_close(&r);
	}
}

/* TXD takes ds/dx ds/dy dt/dx dt/dy. Thread t has 1/2 in the t-th: 4 of 8 columns make level 2, 2 of 4 rows level 1. */
static void gradients(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\n.texture image 3\nFunction : k\n.params 4\n"
		"S2R R0, SR_Tid_X;\nMOV32I R3, 0x3f000000;\nMOV R4, RZ;\nMOV R5, RZ;\n"
		"ISETP.EQ.AND P0, pt, R0, 0x0, pt;\nSEL R8, R3, RZ, P0;\nISETP.EQ.AND P0, pt, R0, 0x1, pt;\nSEL R9, R3, RZ, P0;\n"
		"ISETP.EQ.AND P0, pt, R0, 0x2, pt;\nSEL R10, R3, RZ, P0;\nISETP.EQ.AND P0, pt, R0, 0x3, pt;\nSEL R11, R3, RZ, P0;\n"
		"TXD R12, R4, R8, 0x3, 0x0, 2D, 0x1;\nISCADD R2, R0, c [0x0] [0x20], 0x2;\nST [R2], R12;\nEXIT;\n";
	float texel[32 + 8 + 2], out[5];
	for (int i = 0; i < 42; i++)
		texel[i] = i < 32 ? 0.0f : i < 40 ? 1.0f : 2.0f; /* its level */
	EACH_WAY(how) {
		struct rig r;
		uint32_t p[16] = {0};
		if (rig_load(&r, how, "tex.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		struct heddle_tex t = {.addr = buffer(&r, texel, sizeof texel), .width = 8, .height = 4, .pitch = 32, .channels = 1,
				       .bits = 32, .chan = HEDDLE_CHAN_FLOAT, .normalized_coords = true, .levels = 3,
				       .level_offset = {0, 128, 160}, .mip_max = 2};
		must(&r, heddle_tex_bind(r.h, r.m, "image", &t));
		p[0] = (uint32_t)buffer(&r, NULL, sizeof out);
		must(&r, run(&r, "k", 1, 1, 5, 1, p));
		back(&r, out, p[0], sizeof out);
		assert_memory_equal(out, ((const float[]){2, 2, 1, 1, 0}), sizeof out);
		rig_close(&r);
	}
}

/* TEX of Tesla: coordinates and result in the same registers; w0, w1: 2 coordinates, components R and G;
 * the second time texel offsets (1, -1). */
static void tesla_texture_by(unsigned w1, int dx, int dy)
{
	static const char format[] = "code for sm_10\n.texture image 1\nFunction : k\n.params 4\n"
		"I2I.U32.U16 R1, R0L;\nI2F.F32.U32 R4, R1;\nMVI R5, 0x40000000;\n/*0xf6400211%08x*/;\n"
		"SHL R2, R1, 0x3;\nIADD R2, g [0x4], R2;\nGST.U32 global14 [R2], R4;\nIADD32I R2, R2, 0x4;\nGST.U32 global14 [R2], R5;\nRET;\n";
	char text[sizeof format + 16];
	int n = snprintf(text, sizeof text, format, w1);
	float texel[4][8][2], out[8][2];
	for (int i = 0; i < 64; i++)
		(&texel[0][0][0])[i] = (float)i * 0.5f;
	EACH_WAY(how) {
		struct rig r;
		uint32_t p[16] = {0};
		if (rig_load(&r, how, "tex.sass", text, (size_t)n))
			fail_msg("%s", heddle_message(r.h));
		struct heddle_tex t = {.addr = buffer(&r, texel, sizeof texel), .width = 8, .height = 4, .pitch = 64, .channels = 2, .bits = 32,
				       .chan = HEDDLE_CHAN_FLOAT};
		must(&r, heddle_tex_bind(r.h, r.m, "image", &t));
		p[0] = (uint32_t)buffer(&r, NULL, sizeof out);
		must(&r, run(&r, "k", 1, 1, 8, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int x = 0; x < 8; x++) /* the edge is repeated */
			assert_memory_equal(out[x], texel[2 + dy][x + dx > 7 ? 7 : x + dx], sizeof out[x]);
		rig_close(&r);
	}
}

static void tesla_texture(void **state)
{
	(void)state;
	tesla_texture_by(0x784, 0, 0);
	tesla_texture_by(0x1f00784, 1, -1);
}

/* Bytes of a surface: what SULD.B reads SUST.B writes one row further. */
static void surfaces(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\n.surface plane 2\nFunction : k\n.params 4\n"
		"S2R R0, SR_Tid_X;\nSHL R4, R0, 0x2;\nMOV R5, RZ;\nSULD.B.2D R6, [R4], 0x2;\nIADD R6, R6, 0x64;\nMOV32I R5, 0x1;\n"
		"SUST.B.2D [R4], 0x2, R6;\nMOV R4, RZ;\nMOV R5, RZ;\nMOV32I R6, 0x1;\nSURED.2D.ADD [R4], 0x2, R6;\nEXIT;\n";
	uint32_t texel[2][8];
	EACH_WAY(how) {
		struct rig r;
		uint32_t p[16] = {0};
		for (int x = 0; x < 8; x++)
			texel[0][x] = (uint32_t)x * x, texel[1][x] = 0;
		if (rig_load(&r, how, "surf.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		struct heddle_tex t = {.addr = buffer(&r, texel, sizeof texel), .width = 8, .height = 2, .pitch = 32, .channels = 1, .bits = 32,
				       .chan = HEDDLE_CHAN_UNSIGNED};
		must(&r, heddle_tex_bind(r.h, r.m, "plane", &t));
		must(&r, run(&r, "k", 1, 1, 8, 1, p));
		back(&r, texel, t.addr, sizeof texel);
		for (uint32_t x = 0; x < 8; x++)
			assert_int_equal(texel[1][x], x * x + 100);
		assert_int_equal(texel[0][0], 8);
		rig_close(&r);
	}
}

/* Four bytes and two halves at once: lanes of the mask, the others from the third operand. */
static void simd_video(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n.params 4 4 4 4\n"
		"S2R R0, SR_Tid_X;\nISCADD R1, R0, c [0x0] [0x24], 0x2;\nISCADD R2, R0, c [0x0] [0x28], 0x2;\nLD R3, [R1];\nLD R4, [R2];\n"
		"MOV32I R5, 0x7f7f7f7f;\nVADD4.SAT R8, R3, R4, R5, 0xf, 0x44;\nVABSDIFF4.UD.U8.U8 R9, R3, R4, R5, 0x5, 0x44;\n"
		"VABSDIFF4.UD.U8.U8.ACC R10, R3, R4, R5, 0xf, 0x44;\nVMNMX4.MX R11, R3, R4, R5, 0xf, 0x44;\n"
		"ISCADD R2, R0, c [0x0] [0x20], 0x4;\nST.128 [R2], R8;\nVADD2.SAT R12, R3, R4, R5, 0x3, 0x4e;\n"
		"ISCADD R2, R0, c [0x0] [0x2c], 0x2;\nST [R2], R12;\nEXIT;\n";
	uint32_t a[32], b[32], out[32][4], halves[32];
	for (uint32_t i = 0; i < 32; i++)
		a[i] = i * 0x9e3779b1u, b[i] = (31 - i) * 0x85ebca6bu;
	EACH_WAY(how) {
		struct rig r;
		if (rig_load(&r, how, "simd.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)buffer(&r, a, sizeof a), (uint32_t)buffer(&r, b, sizeof b),
				  (uint32_t)buffer(&r, NULL, sizeof halves)};
		must(&r, run(&r, "k", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		back(&r, halves, p[3], sizeof halves);
		for (int i = 0; i < 32; i++) {
			uint32_t want[4] = {0, 0x7f7f7f7f, 0x7f7f7f7f, 0};
			for (int k = 0; k < 4; k++) {
				int x = (int8_t)(a[i] >> 8 * k), y = (int8_t)(b[i] >> 8 * k), s = x + y;
				uint32_t ux = a[i] >> 8 * k & 255, uy = b[i] >> 8 * k & 255, d = ux > uy ? ux - uy : uy - ux;
				s = s < -128 ? -128 : s > 127 ? 127 : s;
				want[0] |= (uint32_t)(uint8_t)s << 8 * k;
				if (5 >> k & 1)
					want[1] = (want[1] & ~(255u << 8 * k)) | d << 8 * k;
				want[2] += d;
				want[3] |= (uint32_t)(uint8_t)(x > y ? x : y) << 8 * k;
			}
			assert_memory_equal(out[i], want, sizeof want);
			for (int k = 0; k < 2; k++) {
				int s = (int16_t)(a[i] >> 16 * k) + (int16_t)(b[i] >> 16 * k);
				assert_int_equal((int16_t)(halves[i] >> 16 * k), s < -32768 ? -32768 : s > 32767 ? 32767 : s);
			}
		}
		rig_close(&r);
	}
}

/* Lanes of a quad with each other; predicates in the upper half of a register. */
static void quads(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n.params 4\n"
		"S2R R0, SR_Tid_X;\nI2F.F32.U32 R2, R0;\nFMUL R3, R2, R2;\nFSWZ.1032 R4, R2, R3, 0x1b;\nFSWZ.2222 R5, R2, R3, 0x0;\n"
		"ISETP.LT.AND P0, pt, R0, 0x5, pt;\nISETP.GT.AND P3, pt, R0, 0x2, pt;\nP2R.H1 R6, PR, RZ, 0x9;\nSHL R7, R0, 0x10;\n"
		"R2P.H1 PR, R7, 0x3;\nSEL R7, R2, RZ, P1;\nISCADD R8, R0, c [0x0] [0x20], 0x4;\nST.128 [R8], R4;\nEXIT;\n";
	EACH_WAY(how) {
		struct rig r;
		uint32_t out[32][4];
		if (rig_load(&r, how, "quad.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int t = 0; t < 32; t++) {
			float a = (float)(t ^ 1), b = (float)(t * t), f = (float)t, got[2];
			float want[4] = {a + b, b - a, a - b, b};
			memcpy(got, out[t], 8);
			assert_true(got[0] == want[t % 4]);
			assert_true(got[1] == (float)(t / 4 * 4 + 2) + b);
			assert_int_equal(out[t][2], ((uint32_t)(t < 5) | (uint32_t)(t > 2) << 3) << 16);
			if (t & 2)
				assert_memory_equal(&out[t][3], &f, 4);
			else
				assert_int_equal(out[t][3], 0);
		}
		rig_close(&r);
	}
}

static void tesla_quads(void **state)
{
	(void)state;
	static const char text[] = "code for sm_10\nFunction : k\n.params 4\n"
		"I2I.U32.U16 R1, R0L;\nI2F.F32.U32 R2, R1;\nFMUL R3, R2, R2;\nFSWZ.2301 R4, R2, R3, 0x1b;\nFSWZ.1111 R5, R2, R3, 0xaa;\n"
		"SHL R6, R1, 0x3;\nIADD R6, g [0x4], R6;\nGST.S64 global14 [R6], R4;\nRET;\n";
	EACH_WAY(how) {
		struct rig r;
		float out[32][2];
		if (rig_load(&r, how, "quad.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int t = 0; t < 32; t++) {
			float a = (float)(t ^ 2), b = (float)(t * t), want[4] = {a + b, b - a, a - b, b};
			assert_true(out[t][0] == want[t % 4]);
			assert_true(out[t][1] == (float)(t / 4 * 4 + 1) - b);
		}
		rig_close(&r);
	}
}

/* LDC.IS: register plus offset is a bank's number in its upper half, relative to the bank named, and an address
 * in the lower; bank 0 has the parameters. A guard holds for the load, and a bank that is not there is none. */
static void segments(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n.const 1 0x1 0x2 0x3 0x4\n.const 3 0x55 0x66 0x77 0x88\n.params 4 4 4 4\n"
		"S2R R0, SR_Tid_X;\nISCADD R1, R0, c [0x0] [0x24], 0x3;\nLD.64 R2, [R1];\nISCADD R1, R0, c [0x0] [0x20], 0x4;\n"
		"MOV32I R4, 0x99;\nISETP.NE.AND P0, pt, R0, c [0x0] [0x28], pt;\n@P0 LDC.IS R4, c [0x1] [R2+0x4];\n"
		"LDC.64.IS R2, c [0x0] [R3];\nMOV R5, RZ;\nMOV R6, R2;\nMOV R7, R3;\nST.128 [R1], R4;\nEXIT;\n";
	/* bank 1 + 2 at 4, bank 3 at 8; 1 at 12, 1 at 0; 3 by the carry, parameters; a bank that is not there, but switched off */
	static const uint32_t at[4][2] = {{0x20000, 0x30008}, {0x8, 0x10000}, {0x1fffc, 0x28}, {0x70000, 0x30000}};
	static const uint32_t want[4][4] = {{0x66, 0, 0x77, 0x88}, {4, 0, 1, 2}, {0x55, 0, 3, 0xabcd}, {0x99, 0, 0x55, 0x66}};
	EACH_WAY(how) {
		struct rig r;
		uint32_t out[4][4];
		if (rig_load(&r, how, "ldc.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)buffer(&r, at, sizeof at), 3, 0xabcd};
		must(&r, run(&r, "k", 1, 1, 4, 1, p));
		back(&r, out, p[0], sizeof out);
		assert_memory_equal(out, want, sizeof out);
		p[2] = 4; /* no thread is switched off */
		assert_int_equal(run(&r, "k", 1, 1, 4, 1, p), HEDDLE_FAULT);
		rig_close(&r);
	}
}

/* 64-bit minimum and maximum, signed and not: the upper words' instruction leaves flags for that of the lower. */
static void wide_minimum(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n.params 4 4\n"
		"S2R R0, SR_Tid_X;\nISCADD R1, R0, c [0x0] [0x24], 0x4;\nLD.128 R4, [R1];\n"
		"IMNMX.XHI R9.CC, R5, R7, pt;\nIMNMX.XLO R8, R4, R6, pt;\n"
		"IMNMX.U32.XHI R11.CC, R5, R7, !pt;\nIMNMX.U32.XLO R10, R4, R6, !pt;\n"
		"ISCADD R1, R0, c [0x0] [0x20], 0x4;\nST.128 [R1], R8;\nEXIT;\n";
	static const int64_t v[8][2] = {{1, 2}, {2, 1}, {-1, 1}, {1, -1}, {0x1ffffffff, 0x100000000}, {0x100000000, 0x1ffffffff},
					{INT64_MIN, INT64_MAX}, {-0x100000001, -0x1ffffffff}};
	EACH_WAY(how) {
		struct rig r;
		int64_t out[8][2];
		if (rig_load(&r, how, "min.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)buffer(&r, v, sizeof v)};
		must(&r, run(&r, "k", 1, 1, 8, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int i = 0; i < 8; i++) {
			uint64_t a = (uint64_t)v[i][0], b = (uint64_t)v[i][1];
			assert_true(out[i][0] == (v[i][0] < v[i][1] ? v[i][0] : v[i][1]));
			assert_true((uint64_t)out[i][1] == (a > b ? a : b));
		}
		rig_close(&r);
	}
}

/* Two files in one load: each has its own constant banks; a variable of one is known to the other. */
static void two_files(void **state)
{
	(void)state;
	static const char one[] = "code for sm_20\n.const 2 0xb\n.global total 8 0x5 0x7\nFunction : one\n"
		"MOV R0, c [0x2] [0x0];\nMOV32I R2, 32@lo(total);\nMOV32I R3, 32@hi(total);\nLD.E R4, [R2+0x4];\nIADD R4, R4, R0;\n"
		"ST.E [R2], R4;\nEXIT;\n";
	static const char two[] = "code for sm_20\n.const 2 0x16\nFunction : two\n"
		"MOV R0, c [0x2] [0x0];\nMOV32I R2, 32@lo(total);\nMOV32I R3, 32@hi(total);\nLD.E R4, [R2];\nIADD R4, R4, R0;\n"
		"ST.E [R2+0x4], R4;\nEXIT;\n";
	struct rig r;
	struct heddle_options o = {0};
	struct heddle_text t[2] = {{"one.sass", one, sizeof one - 1}, {"two.sass", two, sizeof two - 1}};
	uint32_t params[16] = {0}, total[2];
	uint64_t addr, size;
	assert_int_equal(heddle_open(&r.h, &o), HEDDLE_OK);
	must(&r, heddle_load(r.h, t, 2, &r.m));
	must(&r, heddle_symbol(r.h, r.m, "total", &addr, &size));
	assert_int_equal(size, 8);
	must(&r, run(&r, "one", 1, 1, 1, 1, params));
	back(&r, total, addr, 8);
	assert_int_equal(total[0], 7 + 11);
	assert_int_equal(total[1], 7);
	must(&r, run(&r, "two", 1, 1, 1, 1, params));
	back(&r, total, addr, 8);
	assert_int_equal(total[1], 18 + 22);
	rig_close(&r);
	/* alone, the second has nobody to ask */
	assert_int_equal(rig_load(&r, BY_TOKENS, "two.sass", two, sizeof two - 1), HEDDLE_BAD_INPUT);
	assert_non_null(strstr(heddle_message(r.h), "total"));
	rig_close(&r);
}

/* ---- what must not run ---- */

static void bad(void **state)
{
	(void)state;
	static const struct { const char *code, *says; bool at_load; } rows[] = {
		{"NOP.S CC.T;\nEXIT;\n", "underflow", false},
		{"PBK 0x10;\nRET;\nEXIT;\n", "underflow", false},
		{"BRK;\nEXIT;\n", "underflow", false},
		{"SSY 0x0;\nBRA 0x0;\nEXIT;\n", "overflow", false},
		{"CAL 0x0;\nEXIT;\n", "overflow", false},
		{"BPT.TRAP 0x1;\nEXIT;\n", "trap", false},
		{"B2R R0, 0x10;\nEXIT;\n", "B2R", true},
		{"MOV R0, c [0x5] [0x10];\nEXIT;\n", "constant bank", true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[256];
		int n = snprintf(text, sizeof text, "code for sm_20\nFunction : k\n%s", rows[i].code);
		struct rig r;
		uint32_t params[16] = {0};
		enum heddle_status st = rig_load(&r, BY_TOKENS, "bad.sass", text, (size_t)n);
		if (rows[i].at_load) {
			assert_int_equal(st, HEDDLE_BAD_INPUT);
		} else {
			must(&r, st);
			assert_int_equal(run(&r, "k", 1, 1, 32, 1, params), HEDDLE_FAULT);
		}
		if (!strstr(heddle_message(r.h), rows[i].says))
			fail_msg("%s: %s", rows[i].says, heddle_message(r.h));
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table4), cmocka_unit_test(table5), cmocka_unit_test(table6), cmocka_unit_test(table6_masks),
		cmocka_unit_test(fig9), cmocka_unit_test(fig11), cmocka_unit_test(vecadd), cmocka_unit_test(matmul),
		cmocka_unit_test(reduce), cmocka_unit_test(nest), cmocka_unit_test(pick), cmocka_unit_test(indirect),
		cmocka_unit_test(calls), cmocka_unit_test(doubles), cmocka_unit_test(atomics), cmocka_unit_test(odds),
		cmocka_unit_test(collatz), cmocka_unit_test(tesla_odds), cmocka_unit_test(textures), cmocka_unit_test(texel_offsets), cmocka_unit_test(gradients),
		cmocka_unit_test(tesla_texture), cmocka_unit_test(surfaces), cmocka_unit_test(simd_video), cmocka_unit_test(quads), cmocka_unit_test(tesla_quads),
		cmocka_unit_test(counts), cmocka_unit_test(one_issue), cmocka_unit_test(segments), cmocka_unit_test(wide_minimum), cmocka_unit_test(two_files),
		cmocka_unit_test(bad),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
