/* The registry of what the timing model counts: every table with the names of its instances, for the
 * manual. Policies that count something of their own carry their table. */
#include "gpu/gpu.h"

#include "mem/dram.h"
#include "mem/partition.h"

static const struct {
	const struct stat_table *table;
	const char *names, *help;
} tables[] = {
	{&sm_stats, "sm", "An SM, one for each."},
	{&slot_stats, "issue", "Issue slots of an SM: each cycle of each scheduler counts for exactly one cause, the state "
			       "nearest to issue that any of its warps is in. They add up to cycles x schedulers."},
	{&cache_stat_table, "l1d, l1c, l1t, l1i, l2", "A cache: those of an SM for data, constants, textures and "
						      "instructions; the L2 of a slice."},
	{&icnt_stat_table, "icnt", "The network between SMs and L2 slices."},
	{&slice_stat_table, "slice", "An L2 slice's queues."},
	{&dram_stat_table, "dram", "A DRAM channel."},
};

static void print_policy(const struct policy *p, FILE *f)
{
	if (!p->stats)
		return;
	fprintf(f, "## %s\n\nCounted by the policy `%s`: %s.\n\n", p->stats->component, p->name, p->help);
	stat_print_manual(p->stats, f);
}

void gpu_print_statistics(FILE *f)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		fprintf(f, "## %s\n\n%s\n\n", tables[i].names, tables[i].help);
		stat_print_manual(tables[i].table, f);
	}
	policies_each(print_policy, f);
	disp_each(print_policy, f);
}
