/* --check control-bits: findings in short sequences; none in machine code of nvcc and of Heddle; findings in that code
 * after a stall count is lowered, a wait bit cleared or a counter removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/diag.h"
#include "front/elf/cuelf.h"
#include "heddle.h"
#include "isa/sm70/access.h"
#include "isa/sm70/hazard.h"

enum { LINES = 12 };

/* A sequence and the expected finding; NULL: none. Missing lines are EXIT. */
static const struct sequence {
	const char *line[LINES], *want;
	unsigned chip; /* 0: sm_90 */
} sequences[] = {
	/* results of fixed time */
	{{"[B------:R-:W-:-:S04] FADD R4, R5, R6", "[B------:R-:W-:-:S05] FADD R7, R4, R4"}, NULL},
	{{"[B------:R-:W-:-:S03] FADD R4, R5, R6", "[B------:R-:W-:-:S05] FADD R7, R4, R4"},
	 "reads R4 3 cycles after its producer: stall counts between them must add up to 4 at least"},
	{{"[B------:R-:W-:-:S04] FADD R4, R5, R6",
	  "[B------:R-:W-:-:S05] LOP3.LUT R7, R4, R5, RZ, 0xc0, !PT"},
	 "reads R4 4 cycles after"},
	{{"[B------:R-:W-:-:S02] IADD3 R4, R5, R6, RZ", "[B------:R-:W-:-:S02] NOP",
	  "[B------:R-:W-:-:S05] LOP3.LUT R7, R4, R5, RZ, 0xc0, !PT"},
	 NULL},
	/* Turing's predicates are there a cycle earlier, and its shared memory reads sources within 15 cycles */
	{{"[B------:R-:W-:-:S12] ISETP.GE.AND P0, PT, R0, R2, PT",
	  "[B------:R-:W-:-:S05] @P0 BRA 0x20"},
	 NULL,
	 75},
	{{"[B------:R-:W-:-:S12] ISETP.GE.AND P0, PT, R0, R2, PT",
	  "[B------:R-:W-:-:S05] @P0 BRA 0x20"},
	 "must add up to 13 at least",
	 80},
	{{"[B------:R-:W-:-:S15] STS [R2], R0", "[B------:R-:W-:-:S05] MOV R0, R4"}, NULL, 75},
	/* on Turing BAR.SYNC is behind the reads of all before it */
	{{"[B------:R-:W-:-:S04] STS [R2], R0", "[B------:R-:W-:-:S05] BAR.SYNC 0x0",
	  "[B------:R-:W-:-:S05] MOV R0, R4"},
	 NULL,
	 75},
	{{"[B------:R-:W-:-:S04] STS [R2], R0", "[B------:R-:W-:-:S05] @P0 BAR.SYNC 0x0",
	  "[B------:R-:W-:-:S05] MOV R0, R4"},
	 "overwrites R0 before it has been read",
	 75},
	/* a step of m8n8k4 reads its sum early */
	{{"[B------:R-:W-:-:S06] MOV R11, R4",
	  "[B------:R-:W-:-:S15] HMMA.884.F32.F32.STEP0 R8, R2.ROW, R6.COL, R10"},
	 NULL,
	 75},
	{{"[B------:R-:W-:-:S05] MOV R11, R4",
	  "[B------:R-:W-:-:S15] HMMA.884.F32.F32.STEP0 R8, R2.ROW, R6.COL, R10"},
	 "reads R11 5 cycles after its producer: stall counts between them must add up to 6 at least",
	 75},
	{{"[B------:R-:W-:-:S14] STS [R2], R0", "[B------:R-:W-:-:S05] MOV R0, R4"},
	 "overwrites R0 before it has been read",
	 75},
	{{"[B------:R-:W-:-:S15] STS [R2], R0", "[B------:R-:W-:-:S05] MOV R0, R4"},
	 "overwrites R0 before it has been read"},
	/* pairs: the lower word alone is overwritten in time */
	{{"[B------:R-:W-:-:S08] DADD R4, R6, R8", "[B------:R-:W-:-:S05] DADD R10, R4, R6"}, NULL},
	{{"[B------:R-:W-:-:S07] DADD R4, R6, R8", "[B------:R-:W-:-:S05] DADD R10, R4, R6"},
	 "reads R4 7 cycles"},
	{{"[B------:R-:W-:-:S07] DADD R4, R6, R8", "[B------:R-:W-:-:S05] FADD R10, R5, R6"},
	 "reads R5 7 cycles"},
	/* predicates: as a guard, of a branch, as an operand, on the other path of a branch */
	{{"[B------:R-:W-:-:S04] ISETP.NE.AND P0, PT, R0, RZ, PT",
	  "[B------:R-:W-:-:S05] SEL R4, R5, R6, P0"},
	 NULL},
	{{"[B------:R-:W-:-:S12] ISETP.NE.AND P0, PT, R0, RZ, PT",
	  "[B------:R-:W-:-:S05] @P0 FADD R4, R5, R6"},
	 "reads P0 12 cycles after its producer: stall counts between them must add up to 13 at least"},
	{{"[B------:R-:W-:-:S13] ISETP.NE.AND P0, PT, R0, RZ, PT",
	  "[B------:R-:W-:-:S05] @P0 BRA 0x0"},
	 NULL},
	{{"[B------:R-:W-:-:S05] @P1 BRA 0x30",
	  "[B------:R-:W-:-:S15] ISETP.NE.AND P0, PT, R0, RZ, PT", "[B------:R-:W-:-:S05] BRA 0x40",
	  "[B------:R-:W-:-:S02] ISETP.EQ.AND P0, PT, R0, RZ, PT",
	  "[B------:R-:W-:-:S05] @P0 EXIT"},
	 "reads P0 2 cycles after"},
	/* the next iteration of a loop */
	{{"[B------:R-:W-:-:S05] FADD R4, R5, R4", "[B------:R-:W-:-:S02] DMUL R8, R6, R6",
	  "[B------:R-:W-:-:S05] FADD R5, R9, R4", "[B------:R-:W-:-:S05] @P0 BRA 0x0"},
	 "reads R9 2 cycles"},
	{{"[B------:R-:W-:-:S05] FADD R4, R9, R4", "[B------:R-:W-:-:S02] DMUL R8, R6, R6",
	  "[B------:R-:W-:-:S05] @P0 BRA 0x0"},
	 "reads R9 7 cycles"},
	/* guards of which only one can be true */
	{{"[B------:R-:W-:-:S01] @P0 FADD R4, R5, R6",
	  "[B------:R-:W-:-:S05] @!P0 FADD R7, R4, R4"},
	 NULL},
	/* results of varying time */
	{{"[B------:R-:W2:-:S02] LDG.E R4, desc[UR4][R2.64]",
	  "[B--2---:R-:W-:-:S05] FADD R7, R4, R4"},
	 NULL},
	{{"[B------:R-:W2:-:S02] LDG.E R4, desc[UR4][R2.64]",
	  "[B-1----:R-:W-:-:S05] FADD R7, R4, R4"},
	 "reads R4 before its result is there: wait for counter 2"},
	{{"[B------:R-:W2:-:S02] LDG.E.128 R4, desc[UR4][R2.64]",
	  "[B------:R-:W-:-:S05] FADD R7, R8, R9"},
	 "overwrites R7 before its result is there: wait for counter 2"},
	{{"[B------:R-:W2:-:S02] LDG.E.64 R4, desc[UR4][R2.64]",
	  "[B------:R-:W-:-:S05] FADD R6, R8, R9"},
	 NULL},
	{{"[B------:R-:W-:-:S02] LDG.E R4, desc[UR4][R2.64]",
	  "[B------:R-:W-:-:S05] FADD R7, R4, R4"},
	 "the producer needs a write counter to wait for"},
	{{"[B------:R-:W2:-:S01] LDG.E R4, desc[UR4][R2.64]",
	  "[B--2---:R-:W-:-:S05] FADD R7, R4, R4"},
	 "waits for counter 2 1 cycle after it is set, too early to see it: a stall of 2 at least is needed"},
	/* loads of shared memory complete in order, other loads do not */
	{{"[B------:R-:W-:-:S02] LDS R4, [R2]", "[B------:R-:W0:-:S02] LDS R5, [R2+0x4]",
	  "[B0-----:R-:W-:-:S05] FADD R7, R4, R5"},
	 NULL},
	{{"[B------:R-:W-:-:S02] LDG.E R4, desc[UR4][R2.64]",
	  "[B------:R-:W0:-:S02] LDG.E R5, desc[UR4][R2.64+0x4]",
	  "[B0-----:R-:W-:-:S05] FADD R7, R4, R5"},
	 "reads R4 before its result is there"},
	{{"[B------:R-:W1:-:S04] LDS.128 R4, [R2]", "[B------:R-:W2:-:S02] LDS R6, [R2+0x8]",
	  "[B-12---:R-:W-:-:S05] FADD R8, R4, R6"},
	 NULL},
	/* HSETP2 reads a predicate early, but not one of its own pipe */
	{{"[B------:R-:W-:-:S05] HSETP2.GEU.OR P0, PT, R2, R3, P1",
	  "[B------:R-:W-:-:S05] HSETP2.GEU.OR P2, PT, R2, R4, P0"},
	 NULL},
	{{"[B------:R-:W-:-:S05] FSETP.GEU.OR P0, PT, R2, R3, P1",
	  "[B------:R-:W-:-:S05] HSETP2.GEU.OR P2, PT, R2, R4, P0"},
	 "must add up to 13 at least"},
	/* REDUX completes in order */
	{{"[B------:R-:W-:-:S02] REDUX.OR UR8, R2", "[B------:R-:W0:-:S02] REDUX.OR UR7, R3",
	  "[B0-----:R-:W-:-:S05] IMAD.U32 R7, RZ, RZ, UR8"},
	 NULL},
	{{"[B------:R-:W-:-:S02] REDUX.OR UR8, R2", "[B------:R-:W0:-:S02] S2UR UR7, SR_CTAID.X",
	  "[B0-----:R-:W-:-:S05] IMAD.U32 R7, RZ, RZ, UR8"},
	 "reads UR8 before its result is there"},
	/* a wait until at most n holders of a counter remain */
	{{"[B------:R-:W0:-:S02] LDG.E R4, desc[UR4][R2.64]",
	  "[B------:R-:W0:-:S02] LDG.E R5, desc[UR4][R2.64+0x4]",
	  "[B------:R-:W-:-:S04] DEPBAR.LE SB0, 0x1", "[B------:R-:W-:-:S05] FADD R7, R4, R4"},
	 NULL},
	{{"[B------:R-:W0:-:S02] LDG.E R4, desc[UR4][R2.64]",
	  "[B------:R-:W0:-:S02] LDG.E R5, desc[UR4][R2.64+0x4]",
	  "[B------:R-:W-:-:S04] DEPBAR.LE SB0, 0x1", "[B------:R-:W-:-:S05] FADD R7, R5, R5"},
	 "reads R5 before its result is there: wait for counter 0"},
	/* sources */
	{{"[B------:R1:W-:-:S02] STG.E desc[UR4][R2.64], R4",
	  "[B------:R-:W-:-:S05] FADD R4, R5, R6"},
	 "overwrites R4 before it has been read: wait for counter 1"},
	{{"[B------:R1:W-:-:S02] STG.E desc[UR4][R2.64], R4",
	  "[B-1----:R-:W-:-:S05] FADD R4, R5, R6"},
	 NULL},
	{{"[B------:R-:W-:-:S02] STG.E desc[UR4][R2.64], R4",
	  "[B------:R-:W-:-:S05] FADD R3, R5, R6"},
	 "overwrites R3 before it has been read: the reader needs a read counter to wait for"},
	{{"[B------:R-:W-:-:S02] STG.E desc[UR4][R2.64], R4",
	  "[B------:R-:W0:-:S02] LDG.E R4, desc[UR4][R6.64]"},
	 NULL},
	{{"[B------:R-:W-:-:S02] STG.E desc[UR4][R2.64], R4",
	  "[B------:R-:W0:-:S02] LDG.E R5, desc[UR4][R6.64]",
	  "[B0-----:R-:W-:-:S05] FADD R4, R5, R6"},
	 NULL},
	/* wgmma: the accumulators of a group */
	{{"[B------:R-:W-:-:S03] HGMMA.64x8x16.F32 R24, gdesc[UR4], R24, gsb0",
	  "[B------:R-:W-:-:S02] WARPGROUP.DEPBAR.LE gsb0, 0x0",
	  "[B------:R-:W-:-:S05] FADD R0, R24, R25"},
	 NULL},
	{{"[B------:R-:W-:-:S03] HGMMA.64x8x16.F32 R24, gdesc[UR4], R24, gsb0",
	  "[B------:R-:W-:-:S02] WARPGROUP.DEPBAR.LE gsb0, 0x1",
	  "[B------:R-:W-:-:S05] FADD R0, R24, R25"},
	 "reads R24 of a product that may not be done"},
	{{"[B------:R-:W-:-:S03] HGMMA.64x8x16.F32 R24, gdesc[UR4], R24, gsb0",
	  "[B------:R-:W-:-:S05] FADD R27, R2, R5"},
	 "overwrites R27 of a product that may not be done"},
};

static void assemble_for(unsigned chip, const char *text, uint64_t pc, struct sm70_inst *out)
{
	char err[200];
	if (!sm70_assemble(chip, text, strlen(text), pc, NULL, 0, out, err, sizeof err))
		fail_msg("%s: %s", text, err);
}

static void assemble(const char *text, uint64_t pc, struct sm70_inst *out)
{
	assemble_for(90, text, pc, out);
}

static void test_sequences(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
		const struct sequence *s = &sequences[i];
		struct sm70_inst in[LINES];
		struct sm70_hazards found = {0};
		unsigned chip = s->chip ? s->chip : 90;
		char text[800] = "nothing";
		for (unsigned k = 0; k < LINES; k++)
			assemble_for(chip, s->line[k] ? s->line[k] : "[B------:R-:W-:-:S05] EXIT",
				     16 * k, &in[k]);
		sm70_hazards_find(chip, in, LINES, &found);
		if (found.v.n)
			sm70_hazard_text(&found.v.v[0], in, text, sizeof text);
		if (found.v.n != (s->want != NULL) || (s->want && !strstr(text, s->want)))
			fail_msg("sequence %zu, %s: %zu hazards, the first: %s", i, s->line[0],
				 found.v.n, text);
		vec_free(&found.v);
	}
}

/* The report names both instructions with their control bits and addresses. */
static void test_text(void **state)
{
	struct sm70_inst in[2];
	struct sm70_hazards found = {0};
	char text[800];
	(void)state;
	assemble("[B------:R-:W-:-:S03] FADD R4, R5, R6", 0x40, &in[0]);
	assemble("[B------:R-:W-:Y:S05] FMUL R7, R4, R4", 0x50, &in[1]);
	sm70_hazards_find(90, in, 2, &found);
	assert_int_equal(found.v.n, 1);
	sm70_hazard_text(&found.v.v[0], in, text, sizeof text);
	assert_string_equal(
		text,
		"0x50 reads R4 3 cycles after its producer: stall counts between them must add up to 4 at least\n"
		"  0x0040: [B------:R-:W-:-:S03] FADD R4, R5, R6\n"
		"  0x0050: [B------:R-:W-:Y:S05] FMUL R7, R4, R4");
	vec_free(&found.v);
}

/* ---- vendor's code, and mutants of it ---- */

struct code {
	uint8_t *bytes;
	struct cuelf elf;
};

static void open_code(struct code *c, const char *path)
{
	struct diag d = {0};
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	c->bytes = malloc(1 << 20);
	size_t n = fread(c->bytes, 1, 1 << 20, f);
	fclose(f);
	assert_true(cuelf_read(&c->elf, path, c->bytes, n, &d));
	diag_free(&d);
}

static struct sm70_inst *decode_section(const struct code *c, uint32_t section, size_t *n)
{
	const struct cuelf_section *s = &c->elf.section.v[section];
	struct sm70_inst *in = xcalloc(s->size / 16 + 1, sizeof *in);
	char err[200];
	*n = s->size / 16;
	for (size_t i = 0; i < *n; i++) {
		uint64_t word[2] = {cuelf_u64(s->data + 16 * i), cuelf_u64(s->data + 16 * i + 8)};
		assert_true(sm70_decode(c->elf.sm, word, 16 * i, &in[i], err, sizeof err));
	}
	return in;
}

static size_t hazards_in(const struct sm70_inst *in, size_t n)
{
	struct sm70_hazards found = {0};
	sm70_hazards_find(90, in, n, &found);
	size_t count = found.v.n;
	vec_free(&found.v);
	return count;
}

/* True if a stall count of the instruction protects a result of fixed latency. Other stall counts
 * pace memory accesses and branches. */
static bool has_fixed_result(const struct sm70_inst *in)
{
	static const uint16_t ops[] = {SM70_IADD3, SM70_IMAD, SM70_LOP3, SM70_SHF,
				       SM70_ISETP, SM70_LEA,  SM70_PRMT, SM70_SEL,
				       SM70_MOV,   SM70_FADD, SM70_ULEA, SM70_UIADD3};
	for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++)
		if (in->op == ops[i])
			return true;
	return false;
}

enum mutation { LESS_STALL, NO_WAIT, NO_COUNTER, MUTATIONS };

static bool mutate(struct sm70_inst *in, enum mutation m)
{
	struct sm70_control *c = &in->control;
	switch (m) {
	case LESS_STALL:
		if (c->stall < 4 || !has_fixed_result(in))
			return false;
		c->stall--;
		return true;
	case NO_WAIT:
		if (!c->wait)
			return false;
		c->wait &= (uint8_t)(c->wait - 1);
		return true;
	default:
		if (c->write == 7)
			return false;
		c->write = 7;
		return true;
	}
}

static void test_mutants(void **state)
{
	static const char *const name[] = {"stall counts lowered by 1", "wait bits cleared",
					   "write counters removed"};
	static const unsigned least[] = {65, 75, 85}; /* percent */
	unsigned tried[MUTATIONS] = {0}, found[MUTATIONS] = {0};
	struct code c;
	(void)state;
	open_code(&c, "tests/data/native/sm90/lanes.cubin");
	for (uint32_t s = 1; s < c.elf.section.n; s++) {
		size_t n;
		if (!cuelf_suffix(c.elf.section.v[s].name, ".text."))
			continue;
		struct sm70_inst *in = decode_section(&c, s, &n);
		assert_int_equal(hazards_in(in, n), 0);
		for (size_t i = 0; i < n; i++)
			for (unsigned m = 0; m < MUTATIONS; m++) {
				struct sm70_inst was = in[i];
				if (mutate(&in[i], m)) {
					tried[m]++;
					found[m] += hazards_in(in, n) > 0;
				}
				in[i] = was;
			}
		free(in);
	}
	for (unsigned m = 0; m < MUTATIONS; m++) {
		print_message("%s: %u of %u found\n", name[m], found[m], tried[m]);
		assert_true(tried[m] >= 20);
		assert_true(100 * found[m] >= least[m] * tried[m]);
	}
	cuelf_free(&c.elf);
	free(c.bytes);
}

/* ---- our own compiler ---- */

static void test_own_code(void **state)
{
	glob_t g;
	(void)state;
	assert_int_equal(glob("tests/kernels/*.ptx", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		static char text[1 << 20];
		struct heddle_compile how = {.sm = 90};
		char *message = NULL, *report;
		size_t size;
		unsigned found;
		FILE *f = fopen(g.gl_pathv[i], "r");
		size_t n = fread(text, 1, sizeof text, f);
		fclose(f);
		void *cubin =
			heddle_cubin_compile(&(struct heddle_text){g.gl_pathv[i], text, n, NULL}, 1,
					     &how, &size, &message);
		if (!cubin)
			fail_msg("%s: %s", g.gl_pathv[i], message);
		free(message);
		report = heddle_control_check(
			&(struct heddle_text){g.gl_pathv[i], cubin, size, NULL}, &found, &message);
		if (!report || found)
			fail_msg("%s", report ? report : message);
		free(report);
		free(cubin);
	}
	globfree(&g);
}

/* ---- a launch ---- */

static const char loads[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
			    ".visible .entry twice(.param .u64 p)\n{\n.reg .u64 %a; .reg .u32 %x;\n"
			    "ld.param.u64 %a, [p];\nld.global.u32 %x, [%a];\nadd.u32 %x, %x, %x;\n"
			    "st.global.u32 [%a], %x;\nret;\n}\n";

/* Clears the wait mask of the first instruction of `cubin` that waits for a load. */
static void break_code(uint8_t *cubin, size_t size)
{
	struct cuelf e;
	struct diag d = {0};
	assert_true(cuelf_read(&e, "twice", cubin, size, &d));
	for (uint32_t s = 1; s < e.section.n; s++) {
		uint8_t *at = cubin + (e.section.v[s].data - cubin);
		bool loaded = false;
		for (size_t i = 0;
		     cuelf_suffix(e.section.v[s].name, ".text.") && i < e.section.v[s].size / 16;
		     i++) {
			uint64_t word[2] = {cuelf_u64(at + 16 * i), cuelf_u64(at + 16 * i + 8)};
			struct sm70_inst in;
			char err[200];
			assert_true(sm70_decode(90, word, 16 * i, &in, err, sizeof err));
			if (loaded && in.control.wait) {
				word[1] &= ~(0x3full << (116 - 64));
				memcpy(at + 16 * i + 8, &word[1], 8);
				loaded = false;
			}
			loaded |= in.op == SM70_LDG;
		}
	}
	cuelf_free(&e);
	diag_free(&d);
}

/* Runs the cubin twice; returns the launches' statuses as text. */
static void run_twice(const void *cubin, size_t size, bool timing, bool check, const char *want)
{
	struct heddle *h;
	struct heddle_module *m;
	struct heddle_options o = {.check_control = check,
				   .timing = timing,
				   .config = timing ? "conf/h200-sm90.ini" : NULL};
	uint64_t at;
	uint32_t x = 21;
	if (heddle_open(&h, &o))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(
		heddle_load(h, &(struct heddle_text){"twice.cubin", cubin, size, NULL}, 1, &m),
		HEDDLE_OK);
	assert_int_equal(heddle_malloc(h, 4, &at), HEDDLE_OK);
	assert_int_equal(heddle_write(h, at, &x, 4), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, "twice"),
				  .grid = {1, 1, 1},
				  .block = {1, 1, 1},
				  .params = &at};
	for (unsigned i = 0; i < 2;
	     i++) { /* a kernel is checked once; checks do not change its results */
		enum heddle_status st = heddle_launch(h, &l);
		assert_int_equal(st, want && !i ? HEDDLE_FAULT : HEDDLE_OK);
		if (want && !i && !strstr(heddle_message(h), want))
			fail_msg("%s", heddle_message(h));
		if (want && !i)
			assert_int_equal(heddle_fault(h)->kind, HEDDLE_FAULT_CONTROL);
	}
	assert_int_equal(heddle_read(h, &x, at, 4), HEDDLE_OK);
	assert_int_equal(x, 84);
	heddle_close(h);
}

static void test_launch(void **state)
{
	struct heddle_compile how = {.sm = 90};
	char *message = NULL;
	size_t size;
	(void)state;
	uint8_t *cubin = heddle_cubin_compile(
		&(struct heddle_text){"twice.ptx", loads, sizeof loads - 1, NULL}, 1, &how, &size,
		&message);
	if (!cubin)
		fail_msg("%s", message);
	for (unsigned timing = 0; timing < 2; timing++)
		run_twice(cubin, size, timing, true, NULL);
	break_code(cubin, size);
	for (unsigned timing = 0; timing < 2; timing++) {
		run_twice(cubin, size, timing, true, "twice.cubin: twice at 0x");
		run_twice(cubin, size, timing, true,
			  "before its result is there: wait for counter");
		run_twice(cubin, size, timing, false, NULL);
	}
	free(cubin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences), cmocka_unit_test(test_text),
		cmocka_unit_test(test_mutants),   cmocka_unit_test(test_own_code),
		cmocka_unit_test(test_launch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
