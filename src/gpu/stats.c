/* The registry of what the timing model counts: every table with the names of its instances, for the
 * manual. Policies that count something of their own carry their table. */
#include "gpu/gpu.h"

#include "mem/dram.h"
#include "mem/partition.h"
#include "power/energy.h"

static const struct {
	const struct stat_table *table;
	const char *names, *help;
} tables[] = {
	{&sm_stats, "sm", "An SM, one for each."},
	{&slot_stats, "issue",
	 "Issue slots of an SM: each cycle of each scheduler counts for exactly one cause, the state "
	 "nearest to issue that any of its warps is in. They add up to cycles x schedulers."},
	{&block_stats, "block",
	 "Blocks of an SM and what they and their warps hold. A warp lives from its start until its "
	 "last instruction and its last write are done."},
	{&code_stats, "code", "The code of a launch's kernel."},
	{&cache_stat_table, "l1d, l1c, l1t, l1i, l2",
	 "A cache: those of an SM for data, constants, textures and "
	 "instructions; the L2 of a slice."},
	{&icnt_stat_table, "icnt", "The network between SMs and L2 slices."},
	{&slice_stat_table, "slice", "An L2 slice's queues."},
	{&dram_stat_table, "dram", "A DRAM channel."},
	{&power_energy_table, "energy",
	 "Energy of the launch by component and by class of instruction: docs/power.md. Components add up to the "
	 "total, and so do classes."},
	{&power_power_table, "power", "Power of the launch."},
	{&power_sm_table, "energy_sm", "Energy of an SM."},
	{&power_slice_table, "energy_slice", "Energy of an L2 slice."},
	{&power_channel_table, "energy_channel", "Energy of a DRAM channel and its controller."},
};

/* Policies that count something; several may share a table. */
enum { MAX_POLICIES = 128 };
struct counting {
	const struct policy *p[MAX_POLICIES];
	unsigned n;
};

static void note_policy(const struct policy *p, void *arg)
{
	struct counting *c = arg;
	if (p->stats && c->n < MAX_POLICIES)
		c->p[c->n++] = p;
}

/* The table of policy i with all that share it, unless one before it had it. */
static void print_policy(const struct counting *c, unsigned i, FILE *f)
{
	const struct stat_table *t = c->p[i]->stats;
	for (unsigned k = 0; k < i; k++)
		if (c->p[k]->stats == t)
			return;
	fprintf(f, "## %s\n\nCounted by\n", t->component);
	for (unsigned k = i; k < c->n; k++)
		if (c->p[k]->stats == t)
			fprintf(f, "- `%s`: %s\n", c->p[k]->name, c->p[k]->help);
	fputc('\n', f);
	stat_print_manual(t, f);
}

void gpu_print_statistics(FILE *f)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		fprintf(f, "## %s\n\n%s\n\n", tables[i].names, tables[i].help);
		stat_print_manual(tables[i].table, f);
	}
	struct counting c = {.n = 0};
	policies_each(note_policy, &c);
	for (unsigned i = 0; i < c.n; i++)
		print_policy(&c, i, f);
}
