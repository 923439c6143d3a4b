/* Registers on demand, as the paper infers them for GTX 480 and GTX 680 from its microbenchmark and
 * a patent (its reference 23): a table of virtual registers, larger than the register file, limits
 * how many blocks an SM takes; a warp gets physical registers when it runs.
 *
 * The details are our inference, because the paper says no more than "at most 6" blocks of 256 x 32
 * registers where the file holds 4. The table has 1.5 times as many entries as the file has
 * registers (6 x 8192 = 1.5 x 32768). Table entries, scheduler entries and threads belong to the
 * block until it ends. Physical registers belong to a warp, all at once, from its start to its end.
 * Warps without physical registers wait in the order of their blocks, so at most one block is partly
 * started. */
#include "gpu/dispatch.h"

struct options {
	uint32_t table; /* entries of the table, % of the file's registers */
};
static const struct option rows[] = {
	OPTION_NUM(struct options, table, "virtual-registers.table", 150, 100, 1000, "%",
		   "entries of the table of virtual registers, in percent of "
		   "sm.registers"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

static void rule(const struct machine *m, struct block_rule *r)
{
	const struct options *o = machine_own(m, &options);
	r->hold = HOLD_RENAMED;
	r->partial = r->slots;
	r->names = (uint32_t)((uint64_t)m->registers * o->table / 100);
}

const struct disp_ops disp_virtual_registers = {
	.p = {"virtual-registers",
	      "whole blocks by a table of virtual registers; warps get physical ones when they run",
	      "Xiang 2014, section 2", .options = {&options}, .describe = disp_describe_buffers},
	.rule = rule,
	.place = disp_whole,
};
