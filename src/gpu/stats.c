/* The registry of what the timing model counts: every table, the names of its instances, and the
 * function that adds them to a report. Report, sampler, meter and manual all read this list.
 * Policies with statistics of their own carry their table. */
#include "gpu/gpu.h"

#include "mem/dram.h"
#include "mem/memsys.h"
#include "mem/partition.h"
#include "power/energy.h"
#include "sm/equal.h"
#include "sm/l1.h"

static void add_sm(const struct sm *sm, int i, struct stat_report *o)
{
	stat_report_add(o, &sm_stats, "sm", i, &sm->stats);
}

static void add_slots(const struct sm *sm, int i, struct stat_report *o)
{
	stat_report_add(o, &slot_stats, "issue", i, sm->slots);
}

static void add_blocks(const struct sm *sm, int i, struct stat_report *o)
{
	stat_report_add(o, &block_stats, "block", i, &sm->blocks.stats);
}

static void add_policy(const struct policy *p, const void *stats, int i, struct stat_report *o)
{
	if (stats)
		stat_report_add(o, p->stats, p->stats->component, i, stats);
}

static void add_equal(const struct sm *sm, int i, struct stat_report *o)
{
	if (equal_counts(sm))
		stat_report_add(o, &equal_stats, "equal", i, equal_counts(sm));
}

static void add_policies(const struct sm *sm, int i, struct stat_report *o)
{
	add_policy(&sm->div.ops->p, sm->div.stats, i, o);
	add_policy(&sm->lanes.ops->p, sm->lanes.stats, i, o);
	add_policy(&sm->m->sched->p, sm->sched_stats, i, o);
}

static void add_l1(const struct sm *sm, int i, struct stat_report *o) { l1_report(sm->l1, o, i); }

static void add_memory(const struct gpu *g, struct stat_report *o)
{
	if (!g->m->perfect_mem)
		memsys_report(g->mem, o);
}

/* A row without functions belongs to a launch as a whole and is added at its end (run_report(),
 * power_report()), or the functions of the previous row add it. */
static const struct {
	const struct stat_table *table; /* NULL: of policies */
	const char *names, *help;
	void (*of_sm)(const struct sm *sm, int i, struct stat_report *o);
	void (*of_gpu)(const struct gpu *g, struct stat_report *o);
} sources[] = {
	{&sm_stats, "sm", "Streaming multiprocessors, one instance each.", .of_sm = add_sm},
	{&slot_stats, "issue",
	 "Issue slots of an SM: each cycle of each scheduler is "
	 "counted under exactly one cause, the state nearest to "
	 "issue that any of its warps is in. The counts add up to "
	 "cycles x schedulers.",
	 .of_sm = add_slots},
	{&block_stats, "block",
	 "Blocks of an SM and the resources that they and their "
	 "warps hold. A warp lives from its start until its last "
	 "instruction and its last write are done.",
	 .of_sm = add_blocks},
	{&equal_stats, "equal",
	 "Scalar execution by value, on machines that find equal values at run time "
	 "(docs/machine/composition.md).",
	 .of_sm = add_equal},
	{NULL, .of_sm = add_policies},
	{&code_stats, "code", "The code of a launch's kernel."},
	{&cache_stat_table, "l1d, l1c, l1t, l1i, l2",
	 "A cache: those of an SM for data, constants, textures and "
	 "instructions; the L2 of a slice.",
	 .of_sm = add_l1},
	{&past_stats, "past",
	 "Reads that go past the L1D, where its replacement policy lets refused ones do that."},
	{&icnt_stat_table, "icnt", "The network between SMs and L2 slices.", .of_gpu = add_memory},
	{&slice_stat_table, "slice", "An L2 slice's queues."},
	{&link_stat_table, "link",
	 "From a slice to its partner in the other half of the L2 (l2.halves = 2)."},
	{&dram_stat_table, "dram", "A DRAM channel."},
	{&power_energy_table, "energy",
	 "Energy of the launch by component and by class of instruction: docs/machine/power.md. Components add up to the "
	 "total, and so do classes."},
	{&power_power_table, "power", "Power of the launch."},
	{&power_sm_table, "energy_sm", "Energy of an SM."},
	{&power_slice_table, "energy_slice", "Energy of an L2 slice."},
	{&power_channel_table, "energy_channel", "Energy of a DRAM channel and its controller."},
};

void gpu_instances(const struct gpu *g, struct stat_report *o)
{
	for (unsigned i = 0; i < g->nsm; i++) {
		stat_report_unit(o);
		for (size_t k = 0; k < STAT_COUNT_OF(sources); k++)
			if (sources[k].of_sm)
				sources[k].of_sm(g->sm[i], (int)i, o);
	}
	stat_report_unit(o);
	for (size_t k = 0; k < STAT_COUNT_OF(sources); k++)
		if (sources[k].of_gpu)
			sources[k].of_gpu(g, o);
}

/* Policies with statistics; several may share a table. */
enum { MAX_POLICIES = 128 };
struct counting {
	const struct policy *p[MAX_POLICIES];
	unsigned n;
};

static void note_policy(enum family f, const struct policy *p, void *arg)
{
	(void)f;
	struct counting *c = arg;
	if (p->stats && c->n < MAX_POLICIES)
		c->p[c->n++] = p;
}

/* Prints the table of policy i with all policies that share it, unless it was printed before. */
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
	for (size_t i = 0; i < STAT_COUNT_OF(sources); i++) {
		if (!sources[i].table)
			continue;
		fprintf(f, "## %s\n\n%s\n\n", sources[i].names, sources[i].help);
		stat_print_manual(sources[i].table, f);
	}
	struct counting c = {.n = 0};
	policies_each(note_policy, &c);
	for (unsigned i = 0; i < c.n; i++)
		print_policy(&c, i, f);
}
