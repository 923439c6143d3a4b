/* Compares the model with a real chip's energy, on a machine of its size: the chip was measured
 * with the loops below. Compared is the energy of a launch above the idle machine's, per additional
 * iteration of the loop. The figure includes all instructions of the loop: more than half of the
 * energy of a 16-byte L1 hit belongs to the address and loop instructions around it. Nothing is
 * fitted. */
#include <math.h>
#include <string.h>
#include "validate/validate.h"

enum { TEXT = 16384, UNROLL = 64, THREADS = 1024 };
enum kind { LOOP_ALU, LOOP_SHARED, LOOP_L1, LOOP_L2, LOOP_DRAM, LOOP_WRITE, LOOP_COPY };

struct loop {
	enum kind kind;
	const char *id, *what;
	double want;
	/* LOOP_SHARED: words per load; LOOP_ALU: number of source operands */
	unsigned words;
	unsigned loads;       /* 16-byte loads per iteration */
	uint32_t first, last; /* iterations of the two runs */
	/* true: h200.cal is fitted to this loop; false: the loop judges the fit */
	bool fit;
	/* LOOP_ALU: instruction, prefix of its registers, text after them */
	const char *op, *reg, *more;
};

static const char head[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry probe(.param .u64 data, .param .u32 turns, .param .u32 inner)\n{\n"
	".reg .pred %p<2>;\n.reg .b32 %r<64>;\n.reg .f32 %f<16>;\n.reg .f64 %fd<16>;\n.reg .b64 %d<16>;\n"
	".shared .align 16 .b8 words[16384];\n"
	"ld.param.u64 %d0, [data];\nld.param.u32 %r0, [turns];\nld.param.u32 %r1, [inner];\n"
	"mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %nctaid.x;\n"
	"mad.lo.u32 %r6, %r3, %r4, %r2;\nmul.lo.u32 %r7, %r4, %r5;\nmul.wide.u32 %d1, %r7, 16;\n"
	"mov.u32 %r8, 0;\nmov.u32 %r9, words;\nmad.lo.u32 %r10, %r2, 4, %r9;\n";
static const char tail[] = "sub.u32 %r0, %r0, 1;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra TURN;\n"
			   "add.u64 %d9, %d0, 0;\nst.global.u32 [%d9], %r8;\nret;\n}\n";

/* Fills %r13 with bits that differ in every thread and register; as floats they are between 0.5 and
 * 1 in magnitude, of either sign. */
static void write_hashed(FILE *f, const struct loop *l, unsigned i)
{
	bool half = strstr(l->op, "f16") != NULL;
	fprintf(f, "mad.lo.u32 %%r12, %%r2, 2654435761, %u;\nshr.u32 %%r13, %%r12, 15;\n",
		2654435761u + i * 2246822519u);
	fprintf(f, "xor.b32 %%r13, %%r12, %%r13;\n");
	if (*l->reg == 'r' && !half)
		return;
	fprintf(f, "and.b32 %%r13, %%r13, %s;\nor.b32 %%r13, %%r13, %s;\n",
		half        ? "0x83ff83ff"
		: l->reg[1] ? "0x800fffff"
			    : "0x807fffff",
		half        ? "0x38003800"
		: l->reg[1] ? "0x3fe00000"
			    : "0x3f000000");
}

/* Writes eight dependent chains; the other operands are registers that no other chain reads in the
 * iteration. Zeros remain zeros. */
static void alu_body(FILE *f, const struct loop *l, bool zeros)
{
	unsigned from = *l->reg == 'r' ? 16 : 0;
	for (unsigned i = 0; i < 16; i++) {
		if (zeros)
			fprintf(f, "mov.u32 %%r13, 0;\nmov.u32 %%r12, 0;\n");
		else
			write_hashed(f, l, i);
		if (l->reg[1])
			fprintf(f, "mov.b64 %%%s%u, {%%r12, %%r13};\n", l->reg, i);
		else
			fprintf(f, "mov.b32 %%%s%u, %%r13;\n", l->reg, from + i);
	}
	fprintf(f, "TURN:\n");
	for (unsigned i = 0; i < UNROLL; i++) {
		const unsigned reg[] = {i % 8, 8 + i % 8, 8 + (i + 3) % 8};
		fprintf(f, "%s %%%s%u", l->op, l->reg, from + i % 8);
		for (unsigned k = 0; k < l->words; k++)
			fprintf(f, ", %%%s%u", l->reg, from + reg[k]);
		fprintf(f, "%s;\n", l->more ? l->more : "");
	}
}

static void shared_body(FILE *f, unsigned words)
{
	fprintf(f, "mad.lo.u32 %%r10, %%r2, %u, %%r9;\nTURN:\n", 4 * words);
	for (unsigned i = 0; i < UNROLL; i++) {
		unsigned r = 16 + 4 * (i % 8);
		if (words == 1)
			fprintf(f, "ld.shared.u32 %%r%u, [%%r10];\n", r);
		else
			fprintf(f, "ld.shared.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%r10];\n", r,
				r + 1, r + 2, r + 3);
	}
}

/* Each thread reads elements of 16 bytes, `loads` of them in flight, `inner` times over the
 * buffer. */
static void load_body(FILE *f, const struct loop *l)
{
	const char *level = l->kind == LOOP_L1 ? "ca" : "cg";
	bool load = l->kind != LOOP_WRITE, store = l->kind == LOOP_WRITE || l->kind == LOOP_COPY;
	/* copies go from one half of the buffer to the other */
	fprintf(f, "mul.wide.u32 %%d8, %%r6, 16;\nmul.lo.u64 %%d2, %%d1, %u;\n", l->loads);
	fprintf(f, "mul.wide.u32 %%d7, %%r1, 1;\nmul.lo.u64 %%d7, %%d7, %%d2;\n");
	fprintf(f,
		"TURN:\nmov.u32 %%r11, 0;\nadd.u64 %%d3, %%d0, %%d8;\nadd.u64 %%d4, %%d3, %%d7;\n");
	fprintf(f, "mov.u64 %%d6, %%d8;\nNEXT:\nmov.u64 %%d5, %%d3;\nmov.u64 %%d9, %%d4;\n");
	for (unsigned i = 0; load && i < l->loads; i++) {
		unsigned r = 16 + 4 * i;
		fprintf(f, "ld.global.%s.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%d5];\n", level, r,
			r + 1, r + 2, r + 3);
		fprintf(f, "add.u64 %%d5, %%d5, %%d1;\n");
	}
	for (unsigned i = 0; store && i < l->loads; i++) {
		unsigned r = 16 + 4 * i;
		fprintf(f, "st.global.v4.u32 [%%d9], {%%r%u, %%r%u, %%r%u, %%r%u};\n", r, r + 1,
			r + 2, r + 3);
		fprintf(f, "add.u64 %%d9, %%d9, %%d1;\n");
	}
	for (unsigned i = 0; !store && i < 4 * l->loads; i++)
		fprintf(f, "xor.b32 %%r8, %%r8, %%r%u;\n", 16 + i);
	fprintf(f,
		"add.u64 %%d3, %%d3, %%d2;\nadd.u64 %%d4, %%d4, %%d2;\nadd.u64 %%d6, %%d6, %%d2;\n");
	fprintf(f, "add.u32 %%r11, %%r11, 1;\nsetp.lt.u32 %%p1, %%r11, %%r1;\n@%%p1 bra NEXT;\n");
}

static void write_loop(FILE *f, const struct loop *l, bool zeros)
{
	fputs(head, f);
	if (l->kind == LOOP_ALU)
		alu_body(f, l, zeros);
	else if (l->kind == LOOP_SHARED)
		shared_body(f, l->words);
	else
		load_body(f, l);
	fputs(tail, f);
}

/* Returns the bytes that all threads together read per iteration. */
static uint64_t row_bytes(const struct loop *l, unsigned sms)
{
	return (uint64_t)sms * THREADS * 16 * l->loads;
}

/* Runs `turns` iterations of a loop on a machine with all SMs full. */
static bool run_loop(const struct verdicts *n, const struct loop *l, const char *machine,
		     const char *const *set, unsigned sms, bool zeros, uint32_t turns,
		     struct measure *m)
{
	char text[TEXT];
	FILE *f = fmemopen(text, sizeof text, "w");
	if (!f)
		return false;
	write_loop(f, l, zeros);
	fclose(f);
	bool dram = l->kind >= LOOP_DRAM;
	struct probe p = {.machine = machine,
			  .set = set,
			  .ptx = text,
			  .grid = sms,
			  .block = THREADS,
			  .bytes = 2 * row_bytes(l, sms) * (dram ? l->last : 1) + 4096,
			  .random = l->loads && !zeros,
			  .word = {dram ? 1 : turns, dram ? turns : 1}};
	return validate_run(n, &p, m);
}

/* Returns pJ per thread instruction, or per byte, above idle; NAN: the loop did not run. */
static double slope_of(const struct verdicts *n, const struct loop *l, const char *machine,
		       const char *const *set, unsigned sms, bool zeros)
{
	struct measure a, b;
	if (!run_loop(n, l, machine, set, sms, zeros, l->first, &a) ||
	    !run_loop(n, l, machine, set, sms, zeros, l->last, &b))
		return NAN;
	double turns = l->last - l->first,
	       units = l->loads ? (double)row_bytes(l, sms) * (l->kind == LOOP_COPY ? 2 : 1)
				: (double)sms * THREADS * UNROLL;
	return 1e12 * (b.joule - a.joule - a.idle * (b.seconds - a.seconds)) / (turns * units);
}

/* A quarter of a chip: equal bandwidth per SM, on the whole die. */
static const char *const plain[] = {"gpu.sms=33", "mem.partitions=12", NULL};
static const char *const fitted[] = {"gpu.sms=33", "mem.partitions=12", "power.calibration=h200",
				     NULL};
/* Each component group with a factor in h200.cal has a loop that is fitted. */
static const struct loop loops[] = {
	{LOOP_ALU, "H1", "H200 f32 fma, changing operands, a thread", 17.28, 3, 0, 2, 6, true,
	 "fma.rn.f32", "f", NULL},
	{LOOP_SHARED, "H2", "H200 shared load of 4 bytes, a thread", 15.16, 1, 0, 2, 6, false, NULL,
	 NULL, NULL},
	{LOOP_L1, "H3", "H200 L1 hits by 16 bytes, a byte", 13.92, 0, 2, 2, 6, true, NULL, NULL,
	 NULL},
	{LOOP_L2, "H4", "H200 L2 hits by 16 bytes, a byte", 46.11, 0, 4, 2, 4, true, NULL, NULL,
	 NULL},
	{LOOP_DRAM, "H5", "H200 DRAM read, a byte", 118.32, 0, 8, 1, 2, true, NULL, NULL, NULL},
	{LOOP_ALU, "H6", "H200 f32 multiply, a thread", 10.71, 2, 0, 2, 6, false, "mul.rn.f32", "f",
	 NULL},
	{LOOP_ALU, "H7", "H200 lop3, a thread", 17.72, 3, 0, 2, 6, true, "lop3.b32", "r", ", 0x96"},
	{LOOP_ALU, "H8", "H200 integer multiply-add, a thread", 17.63, 3, 0, 2, 6, false,
	 "mad.lo.s32", "r", NULL},
	{LOOP_ALU, "H9", "H200 f64 fma, a thread", 46.14, 3, 0, 2, 4, true, "fma.rn.f64", "fd",
	 NULL},
	{LOOP_ALU, "H10", "H200 f16x2 fma, a thread", 22.83, 3, 0, 2, 6, false, "fma.rn.f16x2", "r",
	 NULL},
	{LOOP_ALU, "H11", "H200 ex2, a thread", 8.32, 1, 0, 2, 4, false, "ex2.approx.f32", "f",
	 NULL},
	{LOOP_ALU, "H12", "H200 shuffle, a thread", 15.76, 1, 0, 2, 6, true, "shfl.sync.bfly.b32",
	 "r", ", 1, 31, -1"},
	{LOOP_SHARED, "H13", "H200 shared load of 16 bytes, a thread", 40.80, 4, 0, 2, 4, true,
	 NULL, NULL, NULL},
	{LOOP_WRITE, "H14", "H200 DRAM write, a byte", 70.27, 0, 8, 4, 6, false, NULL, NULL, NULL},
	{LOOP_COPY, "H15", "H200 DRAM copy, a byte read or written", 117.29, 0, 8, 2, 3, false,
	 NULL, NULL, NULL},
};

/* Prints the errors of one half of the loops: mean magnitude, mean, worst. */
static void print_errors(struct verdicts *n, const double *error, bool fit, const char *id,
			 const char *what)
{
	double all = 0, sign = 0, worst = 0;
	unsigned count = 0;
	for (unsigned i = 0; i < STAT_COUNT_OF(loops); i++) {
		if (loops[i].fit != fit)
			continue;
		count++;
		all += fabs(error[i]);
		sign += error[i];
		worst = fmax(worst, fabs(error[i]));
	}
	char text[100];
	snprintf(text, sizeof text, "%s, of %u: signed %+.0f %%, worst %.0f %%", what, count,
		 100 * sign / count, 100 * worst);
	fprintf(n->f, "%-5s %-46s %9.0f %%  mean absolute error with h200.cal\n", id, text,
		100 * all / count);
}

static void judge_calibrated(struct verdicts *n)
{
	double error[STAT_COUNT_OF(loops)];
	for (unsigned i = 0; i < STAT_COUNT_OF(loops); i++)
		error[i] = slope_of(n, &loops[i], "h200", fitted, 33, false) / loops[i].want - 1;
	print_errors(n, error, true, "HF", "fitted");
	print_errors(n, error, false, "HJ", "judged");
}

static void a100(struct verdicts *n)
{
	static const char *const set[] = {"gpu.sms=27", "mem.partitions=10", NULL};
	static const struct {
		unsigned loop;
		const char *id, *what;
		double want;
	} level[] = {{2, "23a", "A100 L1, a bit", 1.59},
		     {3, "23b", "A100 L2, a bit", 4.71},
		     {4, "23c", "A100 HBM, a bit", 13.1}};
	for (unsigned i = 0; i < STAT_COUNT_OF(level); i++)
		validate_line(
			n, level[i].id, level[i].what,
			slope_of(n, &loops[level[i].loop], "a100", set, 27, false) / 8,
			level[i].want, 1.5, "pJ", "Antepara 2025, by notes",
			"uncalibrated; the DRAM has the currents of HBM2, and its loops are not known");
	struct diag d = {0};
	struct machine *m = machine_read("a100", n->set, &d);
	validate_line(n, "23d", "A100 constant, by its file", m ? m->power_constant : NAN, 54, 1.5,
		      "W", "Antepara 2025, by notes", "");
	machine_free(m);
	diag_free(&d);
}

void validate_chips(struct verdicts *n)
{
	for (unsigned i = 0; i < STAT_COUNT_OF(loops); i++)
		validate_line(n, loops[i].id, loops[i].what,
			      slope_of(n, &loops[i], "h200", plain, 33, false), loops[i].want, 2,
			      "pJ", "H200, energy counter less idle", "uncalibrated");
	a100(n);
}

/* Runs the loops with counted data: once with operands or memory contents that change, once with
 * constant ones. The chip's loops of the second kind settle on infinities and fixed points; here
 * all data are zeros. */
void validate_data(struct verdicts *n)
{
	static const char *const fermi[] = {"power.die_mm2=529", "power.data=counted", NULL};
	static const char *const set[] = {"gpu.sms=33", "mem.partitions=12", "power.data=counted",
					  NULL};
	static const struct {
		unsigned loop;
		const char *name;
		double changing, still;
	} k[] = {{0, "f32 fma", 17.28, 4.95},
		 {5, "f32 multiply", 10.71, 4.63},
		 {6, "lop3", 17.72, 5.56},
		 {7, "integer multiply-add", 17.63, 6.97},
		 {8, "f64 fma", 46.14, 12.20},
		 {9, "f16x2 fma", 22.83, 8.69},
		 {10, "ex2, which settles on infinity", 8.32, 8.84},
		 {2, "L1 hits, a byte", 13.92, 10.46},
		 {3, "L2 hits, a byte", 47.70, 25.92},
		 {4, "DRAM read, a byte", 118.32, 84.78}};
	for (unsigned i = 0; i < STAT_COUNT_OF(k); i++)
		for (unsigned zeros = 0; zeros < 2; zeros++) {
			char id[8], what[64];
			snprintf(id, sizeof id, "D%u%c", i + 1, zeros ? 'z' : 'c');
			snprintf(what, sizeof what, "counted: %s%s", k[i].name,
				 zeros ? ", zeros" : "");
			validate_line(n, id, what,
				      slope_of(n, &loops[k[i].loop], "h200", set, 33, zeros),
				      zeros ? k[i].still : k[i].changing, 2, "pJ",
				      "H200, energy counter less idle", "uncalibrated");
		}
	struct measure random, zeros;
	bool ok = run_loop(n, &loops[0], "gtx480", fermi, 15, false, 6, &random) &&
		  run_loop(n, &loops[0], "gtx480", fermi, 15, true, 6, &zeros);
	validate_line(
		n, "6", "one kernel (f32 fma), random data over zeros",
		ok ? random.mean / zeros.mean : NAN, 257.0 / 155, 0.2, "", "Lucas 2016",
		"its kernel and board are not known; uncalibrated, leakage and constant are most of the power");
}

void validate_fit(struct verdicts *n) { judge_calibrated(n); }
