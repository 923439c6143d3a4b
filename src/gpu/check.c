/* Invariants of a run's figures, checked after every run, when nothing is in flight. A violation is
 * a bug in the simulator and becomes an error in d. The memory system's own checks are in
 * mem/memsys.h. */
#include "gpu/gpu.h"

#include "mem/memsys.h"
#include "sm/l1.h"

static void check_equal(struct diag *d, const char *who, unsigned n, const char *what, uint64_t a,
			uint64_t b)
{
	if (a != b)
		diag_error(d, "%s %u: %s: %llu and %llu", who, n, what, (unsigned long long)a,
			   (unsigned long long)b);
}

static void check_cache(const struct cache_stats *s, const char *name, unsigned sm, struct diag *d)
{
	check_equal(d, name, sm, "hits + merged + misses, accesses",
		    STAT(s, hits) + STAT(s, hits_reserved) + STAT(s, misses), STAT(s, accesses));
	check_equal(d, name, sm, "reads + writes + atomics, accesses",
		    STAT(s, reads) + STAT(s, writes) + STAT(s, atomics), STAT(s, accesses));
	check_equal(d, name, sm, "fetches, fills", STAT(s, fetches), STAT(s, fills));
}

/* Checks that the energy model's event counts account for everything that happened. */
static void check_classes(const struct sm *sm, struct diag *d)
{
	const struct sm_stats *s = &sm->stats;
	uint64_t ops = 0, threads = 0, idle = 0;
	for (unsigned c = 0; c < OPC_COUNT; c++) {
		ops += s->ops[c];
		threads += s->op_threads[c];
	}
	for (unsigned i = 0; i < STAT_COUNT_OF(s->idle_cycles); i++)
		idle += s->idle_cycles[i];
	check_equal(d, "SM", sm->id, "instructions by class, instructions", ops,
		    STAT(s, warp_instructions));
	check_equal(d, "SM", sm->id, "threads by class, thread instructions", threads,
		    STAT(s, thread_instructions));
	check_equal(d, "SM", sm->id, "busy + idle cycles, cycles", STAT(s, busy_cycles) + idle,
		    STAT(s, cycles));
}

static void check_sm(const struct sm *sm, cycle_t cycles, struct diag *d)
{
	static const char *const name[L1_COUNT] = {"l1d", "l1c", "l1t", "l1i"};
	uint64_t slots = 0, warps = 0, threads = 0;
	for (unsigned i = 0; i < SLOT_COUNT; i++)
		slots += sm->slots[i];
	for (unsigned i = 0; i <= MAX_LANES; i++) {
		warps += sm->stats.active_lanes[i];
		threads += i * sm->stats.active_lanes[i];
	}
	check_equal(d, "SM", sm->id, "issue slots, cycles x schedulers", slots,
		    cycles * sm->nsched);
	check_equal(d, "SM", sm->id, "instructions by lanes, instructions", warps,
		    STAT(&sm->stats, warp_instructions));
	check_equal(d, "SM", sm->id, "lanes of them, thread instructions", threads,
		    STAT(&sm->stats, thread_instructions));
	check_classes(sm, d);
	for (unsigned k = 0; k < L1_COUNT; k++)
		if (sm->l1->on[k])
			check_cache(&sm->l1->cache[k].stats, name[k], sm->id, d);
}

void gpu_check(const struct gpu *g, cycle_t cycles, struct diag *d)
{
	for (unsigned i = 0; i < g->nsm; i++)
		check_sm(g->sm[i], cycles, d);
	if (!g->m->perfect_mem)
		memsys_check_figures(g->mem, d);
}
