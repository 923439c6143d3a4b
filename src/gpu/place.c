/* Launches and their blocks between windows: starts launches, places blocks, collects blocks and launches
 * that have ended. The order of placing is the order of the launches. The window loop is gpu/run.c. */
#include "gpu/run.h"
#include "gpu/thin.h"
#include "sm/l1.h"
#include "kernel/barrier.h"
#include "sm/record.h"

/* True if the launch waits for no other launch; *when: earliest cycle at which it may begin. */
static bool may_start(const struct run *r, const struct timed_launch *j, cycle_t *when)
{
	*when = r->start;
	for (unsigned i = 0; i < j->j->nafter; i++) {
		const struct timed_launch *before = &r->job[j->j->after[i]];
		cycle_t then = before->end + r->g->m->launch_cycles;
		if (!before->ended)
			return false;
		*when = then > *when ? then : *when;
	}
	return true;
}

/* Earliest start, at cycle `from` or later, of the launches that have not begun and wait for no other. */
static cycle_t find_start(const struct run *r, cycle_t from)
{
	cycle_t first = NEVER, when;
	for (unsigned i = r->open; i < r->n; i++)
		if (!r->job[i].started && may_start(r, &r->job[i], &when) && when >= from)
			first = when < first ? when : first;
	return first;
}

/* Earliest start of any launch; it changes only when a launch begins or ends. */
static cycle_t first_start(struct run *r)
{
	if (r->due_at != r->started + r->done + 1) {
		r->due = find_start(r, 0);
		r->due_at = r->started + r->done + 1;
	}
	return r->due;
}

cycle_t run_next_start(struct run *r)
{
	cycle_t first = first_start(r);
	return first >= r->end ? first : find_start(r, r->end);
}

static void start_job(struct run *r, struct timed_launch *j)
{
	j->started = true;
	r->started++;
	r->opened = j - r->job + 1 > r->opened ? (unsigned)(j - r->job) + 1 : r->opened;
	if (!r->running) { /* the run's windows begin with this launch */
		run_meter(r);
		for (unsigned i = 0; i < r->g->nsm; i++)
			l1_launch(r->g->sm[i]->l1);
		if (r->g->disp.ops->launch)
			r->g->disp.ops->launch(&r->g->disp);
	}
	j->start = r->end;
	j->alone = !r->running;
	for (unsigned i = r->open; i < r->opened && r->running; i++)
		if (r->job[i].started && !r->job[i].ended)
			r->job[i].alone = false;
	j->before = run_figures(r, r->end);
	if (!r->running) {
		r->before = j->before;
		r->began = r->end;
	}
	r->running++;
}

/* Makes the SM take part in windows again. */
static void wake_sm(struct run *r, unsigned sm)
{
	if (!r->asleep[sm])
		return;
	r->asleep[sm] = false;
	unsigned k = r->nawake++;
	for (; k && r->awake[k - 1] > sm; k--)
		r->awake[k] = r->awake[k - 1];
	r->awake[k] = sm;
}

/* Removes SMs without work from the windows, so that few busy SMs do not pay for many idle ones. SMs in
 * step all stay: every step involves all SMs. */
static void let_sleep(struct run *r)
{
	unsigned n = 0;
	for (unsigned k = 0; k < r->nawake; k++) {
		unsigned i = r->awake[k];
		r->asleep[i] = !r->g->in_step && sm_asleep(r->g->sm[i]);
		if (!r->asleep[i])
			r->awake[n++] = i;
	}
	r->nawake = n;
}

/* If the first SM that gets a block is to be recorded, recording begins on this SM. */
static void record_first(struct run *r, unsigned sm)
{
	struct record *o = r->o->record;
	if (!o || o->sm != RECORD_ANY)
		return;
	o->sm = sm;
	r->g->sm[sm]->record = o;
}

/* Places blocks of a launch. False: no memory for a block. *full: the GPU has no room for the
 * next block. */
static bool place_blocks(struct run *r, struct timed_launch *j, bool *full)
{
	struct gpu *g = r->g;
	while (j->k.next < j->k.blocks) {
		if (j->j->thin && !thin_blocks(r, j))
			return false;
		int n = g->disp.ops->place(&g->disp, &j->k);
		if (n < 0) {
			*full = true;
			return true;
		}
		if (!block_reserve(g->sm[n], &j->k, j->k.next, r->end)) {
			j->r->no_memory = true;
			j->r->stop = STOP_LIMIT;
			return false;
		}
		wake_sm(r, (unsigned)n);
		j->k.next++;
		g->placed++;
		record_first(r, (unsigned)n);
	}
	return true;
}

static bool starts_now(const struct run *r, const struct timed_launch *j)
{
	cycle_t when;
	return r->running < r->g->kernels && may_start(r, j, &when) && when <= r->end;
}

bool run_start_blocks(struct run *r)
{
	bool full = false, waits = false;
	if (r->full)
		return true;
	unsigned end = first_start(r) <= r->end ? r->n : r->opened;
	for (unsigned i = r->open; i < end && !full; i++) {
		struct timed_launch *j = &r->job[i];
		if (j->ended)
			continue;
		if (!j->started && !starts_now(r, j)) {
			waits = true;
			continue;
		}
		if (!j->started)
			start_job(r, j);
		if (!place_blocks(r, j, &full))
			return false;
	}
	r->full = full && !waits;
	return true;
}

bool run_has_clusters(const struct run *r)
{
	for (unsigned i = r->open; i < r->opened; i++)
		if (r->job[i].started && !r->job[i].ended && r->job[i].k.l->cluster_blocks > 1)
			return true;
	return false;
}

enum { MOST_FULL = 256 };

static bool is_listed(struct cluster *const *full, unsigned n, const struct cluster *c)
{
	for (unsigned i = 0; i < n && c; i++)
		if (full[i] == c)
			return true;
	return false;
}

void run_end_launch(struct run *r, struct timed_launch *j)
{
	j->ended = true;
	if (j->j->ended)
		j->j->ended(j->j->arg);
	r->running--;
	r->done++;
	while (r->open < r->n && r->job[r->open].ended)
		r->open++;
	run_report(r, j);
}

/* Opens the barriers of clusters whose threads have all arrived. */
static void open_clusters(struct run *r)
{
	struct cluster *full[MOST_FULL];
	unsigned n = 0;
	for (unsigned i = 0; i < r->nawake; i++) {
		const struct blocks *bs = &r->g->sm[r->awake[i]]->blocks;
		for (unsigned k = 0; k < bs->n && n < MOST_FULL; k++) {
			struct block *b = &bs->block[k];
			if (b->used && b->cluster && b->cta->cluster &&
			    (b->cta->bar[CLUSTER_BARRIER].arrived || b->cluster->gone) &&
			    !is_listed(full, n, b->cluster) && cluster_full(b->cluster))
				full[n++] = b->cluster;
		}
	}
	for (unsigned i = 0; i < r->nawake && n; i++) {
		struct sm *sm = r->g->sm[r->awake[i]];
		for (unsigned k = 0; k < sm->blocks.n; k++)
			if (sm->blocks.block[k].used &&
			    is_listed(full, n, sm->blocks.block[k].cluster))
				bar_open_cluster(sm, &sm->blocks.block[k]);
	}
	for (unsigned i = 0; i < n; i++)
		full[i]->gone = 0;
}

void run_collect_ended(struct run *r)
{
	struct gpu *g = r->g;
	if (run_has_clusters(r))
		open_clusters(r);
	for (unsigned i = 0; i < r->nawake; i++) {
		struct sm *sm = g->sm[r->awake[i]];
		r->full &= !sm->blocks.released;
		sm->blocks.released = false;
		for (size_t k = 0; k < sm->blocks.ended.n; k++) {
			const struct block *b = sm->blocks.ended.v[k];
			struct timed_launch *j = (struct timed_launch *)b->k;
			j->k.done++;
			j->end = b->end > j->end ? b->end : j->end;
		}
		sm->blocks.ended.n = 0;
	}
	let_sleep(r);
	if (g->disp.ops->tick && g->disp.ops->tick(&g->disp, r->end))
		r->full = false;
	for (unsigned i = r->open; i < r->opened; i++)
		if (r->job[i].started && !r->job[i].ended && r->job[i].k.done == r->job[i].k.blocks)
			run_end_launch(r, &r->job[i]);
}
