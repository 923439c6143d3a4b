/* Loops as a real chip's energy was measured with, on a machine of its sizes: the energy of a launch above
 * that of the idle machine, by what one more turn of the loop adds. What the chip's figure contains, ours
 * does too: of an L1 hit of 16 bytes more than half belongs to the address and loop instructions around it.
 * Nothing is fitted. */
#include <math.h>
#include <string.h>
#include "api/validate.h"

enum { TEXT = 16384, UNROLL = 64, THREADS = 1024, SMS = 33 };
enum kind { LOOP_FMA, LOOP_SHARED, LOOP_L1, LOOP_L2, LOOP_DRAM };

struct loop {
	enum kind kind;
	const char *id, *what;
	double want;
	unsigned loads;       /* of 16 bytes in a turn */
	uint32_t first, last; /* turns of the two runs */
};

static const char head[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry probe(.param .u64 data, .param .u32 turns, .param .u32 inner)\n{\n"
	".reg .pred %p<2>;\n.reg .b32 %r<64>;\n.reg .f32 %f<16>;\n.reg .b64 %d<16>;\n"
	".shared .align 16 .b8 words[4096];\n"
	"ld.param.u64 %d0, [data];\nld.param.u32 %r0, [turns];\nld.param.u32 %r1, [inner];\n"
	"mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %nctaid.x;\n"
	"mad.lo.u32 %r6, %r3, %r4, %r2;\nmul.lo.u32 %r7, %r4, %r5;\nmul.wide.u32 %d1, %r7, 16;\n"
	"mov.u32 %r8, 0;\nmov.u32 %r9, words;\nmad.lo.u32 %r10, %r2, 4, %r9;\n";
static const char tail[] = "sub.u32 %r0, %r0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra TURN;\n"
			   "add.u64 %d9, %d0, 0;\nst.global.u32 [%d9], %r8;\nret;\n}\n";

static void fma_body(FILE *f)
{
	for (unsigned i = 0; i < 16; i++)
		fprintf(f, "cvt.rn.f32.u32 %%f%u, %%r2;\n", i);
	fprintf(f, "TURN:\n");
	for (unsigned i = 0; i < UNROLL; i++)
		fprintf(f, "fma.rn.f32 %%f%u, %%f%u, %%f%u, %%f%u;\n", i % 8, i % 8, 8 + i % 8,
			8 + (i + 3) % 8);
}

static void shared_body(FILE *f)
{
	fprintf(f, "TURN:\n");
	for (unsigned i = 0; i < UNROLL; i++)
		fprintf(f, "ld.shared.u32 %%r%u, [%%r10];\n", 16 + i % 32);
}

/* Each thread reads elements of 16 bytes, `loads` in flight, `inner` times over the buffer. */
static void load_body(FILE *f, const char *level, unsigned loads)
{
	fprintf(f, "mul.wide.u32 %%d8, %%r6, 16;\nmul.lo.u64 %%d2, %%d1, %u;\n", loads);
	fprintf(f,
		"TURN:\nmov.u32 %%r11, 0;\nadd.u64 %%d3, %%d0, %%d8;\nadd.u64 %%d4, %%d0, %%d8;\n");
	fprintf(f, "mov.u64 %%d6, %%d8;\nNEXT:\nmov.u64 %%d5, %%d3;\n");
	for (unsigned i = 0; i < loads; i++) {
		unsigned r = 16 + 4 * i;
		fprintf(f, "ld.global.%s.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%d5];\n", level, r,
			r + 1, r + 2, r + 3);
		fprintf(f, "add.u64 %%d5, %%d5, %%d1;\n");
	}
	for (unsigned i = 0; i < 4 * loads; i++)
		fprintf(f, "xor.b32 %%r8, %%r8, %%r%u;\n", 16 + i);
	fprintf(f,
		"add.u64 %%d3, %%d3, %%d2;\nadd.u64 %%d4, %%d4, %%d2;\nadd.u64 %%d6, %%d6, %%d2;\n");
	fprintf(f, "add.u32 %%r11, %%r11, 1;\nsetp.lt.u32 %%p1, %%r11, %%r1;\n@%%p1 bra NEXT;\n");
}

static void write_loop(FILE *f, const struct loop *l)
{
	fputs(head, f);
	if (l->kind == LOOP_FMA)
		fma_body(f);
	else if (l->kind == LOOP_SHARED)
		shared_body(f);
	else
		load_body(f, l->kind == LOOP_L1 ? "ca" : "cg", l->loads);
	fputs(tail, f);
}

/* pJ of one thread's instruction, or of one byte, above idle; NAN: it did not run. */
static double slope(const struct loop *l, const char *machine, const char *const *set)
{
	char text[TEXT];
	struct measure m[2];
	FILE *f = fmemopen(text, sizeof text, "w");
	if (!f)
		return NAN;
	write_loop(f, l);
	fclose(f);
	bool dram = l->kind == LOOP_DRAM;
	uint64_t row = (uint64_t)SMS * THREADS * 16 * l->loads;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t n = i ? l->last : l->first;
		struct probe p = {.machine = machine,
				  .set = set,
				  .ptx = text,
				  .grid = SMS,
				  .block = THREADS,
				  .bytes = row * (dram ? l->last : 1) + 4096,
				  .word = {dram ? 1 : n, dram ? n : 1}};
		if (!validate_run(&p, &m[i]))
			return NAN;
	}
	double turns = l->last - l->first,
	       units = l->loads ? (double)row : (double)SMS * THREADS * UNROLL;
	return 1e12 * (m[1].joule - m[0].joule - m[0].idle * (m[1].seconds - m[0].seconds)) /
	       (turns * units);
}

static void h200(struct verdicts *n)
{
	/* A quarter of the chip: the same bandwidths an SM, on the same die. */
	static const char *const quarter[] = {"gpu.sms=33", "mem.partitions=12", NULL};
	static const struct loop loops[] = {
		{LOOP_FMA, "H1", "H200 f32 fma, changing operands, a thread", 17.28, 0, 2, 6},
		{LOOP_SHARED, "H2", "H200 shared load of 4 bytes, a thread", 15.16, 0, 2, 6},
		{LOOP_L1, "H3", "H200 L1 hits by 16 bytes, a byte", 13.92, 2, 2, 6},
		{LOOP_L2, "H4", "H200 L2 hits by 16 bytes, a byte", 46.11, 4, 2, 4},
		{LOOP_DRAM, "H5", "H200 DRAM read, a byte", 118.32, 8, 1, 2},
	};
	for (unsigned i = 0; i < STAT_COUNT_OF(loops); i++)
		validate_line(n, loops[i].id, loops[i].what, slope(&loops[i], "h200", quarter),
			      loops[i].want, 2, "pJ", "H200, energy counter less idle",
			      "uncalibrated");
}

void validate_chips(struct verdicts *n) { h200(n); }
