/* How a run ends early: faults, limits, signals, or deadlock. The reason is in gpu_result.stop, and for a
 * deadlock the waits are described in gpu_result.why. The window loop is gpu/run.c. */
#include "gpu/run.h"

#include <stdio.h>
#include "kernel/image.h"
#include "kernel/poll.h"
#include "mem/memsys.h"

/* Takes the earliest fault. */
bool run_take_fault(struct run *r)
{
	const struct sm *first = NULL;
	for (unsigned i = 0; i < r->nawake; i++) {
		const struct sm *sm = r->g->sm[r->awake[i]];
		if (sm->stopped && (!first || sm->now < first->now))
			first = sm;
	}
	for (unsigned i = 0; first && i < r->n; i++) {
		struct timed_launch *j = &r->job[i];
		const struct exec *x = j->started ? j->k.x[first->id] : NULL;
		if (x && x->fault.kind) {
			j->r->fault = x->fault;
			j->r->stop = STOP_FAULT;
			return true;
		}
	}
	return first != NULL;
}

static uint64_t count_instructions(const struct gpu *g)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < g->nsm; i++)
		n += sm_warp_instructions(g->sm[i]);
	return n;
}

static void report_progress(const struct run *r)
{
	uint64_t done = 0, total = 0;
	for (unsigned i = 0; i < r->n; i++) {
		done += r->job[i].k.done;
		total += r->job[i].k.blocks;
	}
	r->o->progress(r->o->arg, done, total, count_instructions(r->g));
}

/* A launch in flight, to which an early end is attributed. */
static struct timed_launch *present_launch(const struct run *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (!r->job[i].ended)
			return &r->job[i];
	return &r->job[0];
}

/* Describes which warps wait, and for what. */
static void describe_waits(struct run *r, struct gpu_result *o)
{
	size_t n = 0;
	FILE *f = open_memstream(&o->why, &n);
	if (!f)
		return;
	memsys_exchange(r->g->mem);
	for (unsigned i = 0; i < r->g->nsm; i++)
		sm_describe(r->g->sm[i], f);
	memsys_holders(r->g->mem, f);
	fclose(f);
	if (n && o->why[n - 1] == '\n')
		o->why[n - 1] = 0;
}

static void describe_still(struct run *r, struct gpu_result *o)
{
	size_t n = 0;
	unsigned shown = 0;
	FILE *f = open_memstream(&o->why, &n);
	o->stuck = true;
	if (!f)
		return;
	for (unsigned i = 0; i < r->g->nsm; i++)
		sm_describe_still(r->g->sm[i], f, &shown);
	fclose(f);
	if (n)
		o->why[n - 1] = 0;
}

/* True if the passage of time or the host program may end a wait that nothing on the device can
 * end. */
static bool may_end_by_itself(const struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		const struct launch *l = r->job[i].k.l;
		for (size_t k = 0; k < l->mem->allocs.n; k++)
			if (l->mem->allocs.v[k]->kind == ALLOC_HOST ||
			    l->mem->allocs.v[k]->kind == ALLOC_MAPPED)
				return true;
		for (uint32_t pc = 0; pc < l->img->ncode; pc++)
			if (inst_reads_time(l->img->code[pc].in))
				return true;
	}
	return false;
}

/* True if all groups of the GPU poll, and no poll has returned a new answer for a long time. */
static bool all_wait(struct run *r)
{
	bool all = true, any = false;
	for (unsigned i = 0; i < r->g->nsm; i++)
		all &= sm_is_still(r->g->sm[i], &any);
	return all && any && !may_end_by_itself(r);
}

bool run_must_stop(struct run *r)
{
	const struct gpu_opts *o = r->o;
	for (unsigned i = 0; i < r->n && o->max_cycles; i++) {
		struct timed_launch *j = &r->job[i];
		if (j->started && !j->ended && r->end - j->start > o->max_cycles) {
			j->r->over_cycles = true;
			describe_waits(r, j->r);
			return true;
		}
	}
	if (++r->windows % 256)
		return false;
	if (o->interrupt && atomic_load(o->interrupt)) {
		present_launch(r)->r->interrupted = true;
		return true;
	}
	if (o->max_instructions && count_instructions(r->g) > o->max_instructions) {
		present_launch(r)->r->over_instructions = true;
		return true;
	}
	if (r->windows % 16384 == 0 && all_wait(r)) {
		describe_still(r, present_launch(r)->r);
		return true;
	}
	if (o->progress && r->windows % 4096 == 0)
		report_progress(r);
	return false;
}

static bool is_unmet(struct run *r)
{
	for (unsigned i = 0; i < r->g->nsm; i++)
		if (exec_unmet(r->g->sm[i]))
			return run_take_fault(r);
	return false;
}

void run_stuck(struct run *r)
{
	if (is_unmet(r))
		return;
	present_launch(r)->r->stuck = true;
	describe_waits(r, present_launch(r)->r);
}

/* Ends all launches in flight. Launches that had not begun have no figures. */
void run_stop_all(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct timed_launch *j = &r->job[i];
		if (j->ended)
			continue;
		if (j->r->stop == STOP_DONE)
			j->r->stop = STOP_LIMIT;
		j->end = r->end;
		if (j->started)
			run_end_launch(r, j);
	}
}
