/* Compares the model with GPUWattch's public logs of a product of two integer matrices, which
 * stores each element of the result at every step. The program runs on a machine of that size with
 * GPUWattch's imported energies; power is compared by component. */
#include <math.h>
#include <string.h>
#include "validate/validate.h"

enum { TEXT = 8192, STEPS = 16 };
static const char log_of[] = "GPUWattch's log";

static const char head[] =
	".version 3.0\n.target sm_20\n.address_size 64\n"
	".visible .entry product(.param .u64 data, .param .u32 n, .param .u32 apart)\n{\n"
	".reg .pred %p<3>;\n.reg .b32 %r<32>;\n.reg .b64 %d<8>;\n"
	"ld.param.u64 %d0, [data];\nld.param.u32 %r0, [n];\nld.param.u32 %r1, [apart];\n"
	"mov.u32 %r2, %ntid.x;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.s32 %r5, %r2, %r3, %r4;\n"
	"mov.u32 %r2, %ntid.y;\nmov.u32 %r3, %ctaid.y;\nmov.u32 %r4, %tid.y;\nmad.lo.s32 %r6, %r2, %r3, %r4;\n"
	"setp.lt.s32 %p0, %r5, %r0;\nsetp.lt.s32 %p1, %r6, %r0;\nand.pred %p0, %p0, %p1;\n@!%p0 bra END;\n"
	"cvt.u64.u32 %d1, %r1;\nadd.u64 %d2, %d0, %d1;\nadd.u64 %d3, %d2, %d1;\n"
	"mul.lo.u32 %r8, %r5, %r0;\nmul.wide.u32 %d4, %r8, 4;\nadd.u64 %d4, %d0, %d4;\n"
	"mul.wide.u32 %d5, %r6, 4;\nadd.u64 %d5, %d2, %d5;\n"
	"add.u32 %r9, %r8, %r6;\nmul.wide.u32 %d6, %r9, 4;\nadd.u64 %d6, %d3, %d6;\n"
	"ld.global.u32 %r12, [%d6];\nmov.u32 %r13, 0;\nLOOP:\n";

/* Writes the PTX of the product: rows of n words, `steps` products per iteration of the loop. */
static bool write_product(char *text, size_t size, unsigned n, unsigned steps)
{
	FILE *f = fmemopen(text, size, "w");
	if (!f)
		return false;
	fputs(head, f);
	for (unsigned i = 0; i < steps; i++) {
		unsigned a = 16 + 2 * (i % 4), b = a + 1;
		fprintf(f, "ld.global.u32 %%r%u, [%%d4+%u];\nld.global.u32 %%r%u, [%%d5+%u];\n", a,
			4 * i, b, 4 * n * i);
		fprintf(f, "mad.lo.s32 %%r12, %%r%u, %%r%u, %%r12;\nst.global.u32 [%%d6], %%r12;\n",
			a, b);
	}
	fprintf(f, "add.u64 %%d4, %%d4, %u;\nadd.u64 %%d5, %%d5, %u;\nadd.u32 %%r13, %%r13, %u;\n",
		4 * steps, 4 * n * steps, steps);
	fputs("setp.lt.u32 %p2, %r13, %r0;\n@%p2 bra LOOP;\nEND:\nret;\n}\n", f);
	fclose(f);
	return true;
}

static double watts_of(const struct measure *m, enum power_component c)
{
	return (m->of.dynamic[c] + m->of.timed[c]) / m->seconds;
}

static bool run_product(const struct verdicts *v, unsigned n, unsigned steps, unsigned grid,
			unsigned rows, struct measure *m)
{
	static const char *const set[] = {"power.calibration=gtx480-gpuwattch", NULL};
	char text[TEXT];
	uint32_t apart = (4 * n * n + 255) / 256 * 256; /* three allocations */
	if (!write_product(text, sizeof text, n, steps))
		return false;
	struct probe p = {.machine = "gtx480-700",
			  .set = set,
			  .ptx = text,
			  .grid = grid,
			  .rows = rows,
			  .block = 32,
			  .depth = 32,
			  .bytes = 3ull * apart,
			  .copied = 2ull * apart, /* both factors, as in GPUWattch's program */
			  .word = {n, apart}};
	return validate_run(v, &p, m);
}

struct published {
	const char *id, *what;
	double want, limit;
	enum power_component comp, also;
	const char *why;
};

static void hold_against(struct verdicts *v, const struct measure *m, const struct published *p,
			 unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		validate_line(v, p[i].id, p[i].what,
			      watts_of(m, p[i].comp) +
				      (p[i].also != p[i].comp ? watts_of(m, p[i].also) : 0),
			      p[i].want, p[i].limit, "W", log_of, p[i].why);
}

/* Compares the register file, counted as in the log: the simulator behind the log writes a whole
 * warp's register for each transaction of a load that comes from the L2, and counts operands that
 * are not registers, whose number the log gives. */
static void register_file(struct verdicts *v, const struct measure *m)
{
	const double write = 32 * 5.99e-12, others = 2630.62 * 53.0e-12 * 700e6 / 500; /* J, W */
	double here = watts_of(m, COMP_rf), written = m->missed * write / m->seconds;
	char why[256];
	snprintf(
		why, sizeof why,
		"the log has a write of the whole warp for each transaction of a load that misses the L1D, %.3g W more, and operands that are no registers, %.3g W by its count: %.3g W in all",
		written, others, here + written + others);
	validate_line(v, "19h", "  register file", here, 0.4742, 0.15, "W", log_of, why);
}

static void judge_large(struct verdicts *v)
{
	static const char *const few =
		"15 blocks of 169, 5 x 3, touch 470 kB, which the L2 keeps; the whole product does not fit (docs/machine/power.md)";
	static const struct published parts[] = {
		{"19b", "  L2", 30.41, 0.15, COMP_l2, COMP_l2, ""},
		{"19c", "  network", 13.85, 0.15, COMP_noc, COMP_noc, ""},
		{"19d", "  constant", 9.824, 0.15, COMP_constant, COMP_constant, ""},
		{"19e", "  L1D", 6.273, 0.15, COMP_l1d, COMP_l1d, ""},
		{"19f", "  memory controllers", 3.068, 0.15, COMP_mc, COMP_mc, ""},
		{"19g", "  DRAM", 0.5284, 0.15, COMP_dram, COMP_dram, few},
		{"19i", "  units (SP, SFU)", 0.3245, 0.15, COMP_units, COMP_units, ""},
		{"19j", "  pipeline", 0.2673, 0.15, COMP_clock, COMP_clock, ""},
	};
	struct measure m;
	/* One block of 169 on each of the 15 SMs, with all of its steps: the warps begin together
	 * and find each other's lines in the L1, then drift apart. */
	if (!run_product(v, 400, STEPS, 5, 3, &m)) {
		validate_open(v, "19", "GPUWattch's matmul 400 x 400", "did not run");
		return;
	}
	validate_line(v, "19a", "GPUWattch, int matmul 400 x 400, its energies", m.mean, 65.27,
		      0.15, "W", log_of, "");
	hold_against(v, &m, parts, STAT_COUNT_OF(parts));
	register_file(v, &m);
	validate_line(v, "19k", "  most in 500 cycles", m.peak, 144.4, 0.15, "W", log_of, "");
	validate_line(v, "19l", "  least in 500 cycles", m.least, 19.13, 0.15, "W", log_of, "");
}

void validate_gpuwattch_small(struct verdicts *v)
{
	static const struct published parts[] = {
		{"20b", "  idle SMs", 22.26, 0.10, COMP_idle_sm, COMP_idle_sm, ""},
		{"20c", "  L2", 3.857, 0.10, COMP_l2, COMP_l2, ""},
		{"20d", "  memory controllers", 1.295, 0.10, COMP_mc, COMP_mc, ""},
		{"20e", "  network", 1.115, 0.10, COMP_noc, COMP_noc, ""},
	};
	struct measure m;
	if (!run_product(v, 10, 10, 1, 1, &m)) {
		validate_open(v, "20", "GPUWattch's matmul 10 x 10", "did not run");
		return;
	}
	validate_line(v, "20a", "the same, 10 x 10: one SM busy", m.mean, 40.16, 0.10, "W", log_of,
		      "");
	hold_against(v, &m, parts, STAT_COUNT_OF(parts));
}

void validate_gpuwattch(struct verdicts *v)
{
	judge_large(v);
	validate_gpuwattch_small(v);
}
