#include "gpu/thin.h"

#include <math.h>
#include "estimate/student.h"
#include "func/grid.h"
#include "gpu/run.h"
#include "power/energy.h"
#include "sm/sm.h"

enum {
	HEAD = 8,     /* waves simulated first */
	STRETCH = 8,  /* waves of a stretch, at least */
	LONGEST = 64, /* waves of a stretch, at most */
	TAIL = 4,     /* waves simulated last, behind a stretch */
	FEWEST = 6,   /* stretches that must remain when skips grow */
};

static uint64_t find_total(const struct stat_report *r, const char *name, const char *counter)
{
	const struct stat_entry *e;
	for (size_t i = 0; (e = stat_report_at(r, i)); i++) {
		unsigned slots;
		int at = e->index < 0 && !strcmp(e->name, name) ? stat_find(e->t, counter, &slots)
								: -1;
		if (at >= 0)
			return e->values[at];
	}
	return 0;
}

static void begin_part(struct run *r, struct thin *t)
{
	t->marked = r->end;
	t->mark = run_figures(r, r->end);
}

static void end_part(struct run *r, struct thin *t)
{
	struct thin_part p = {.cycles = (double)(r->end - t->marked)};
	p.report = run_figures(r, r->end);
	stat_report_since(p.report, t->mark);
	power_report_by(r->g->view, p.report, p.cycles / r->g->power->hz, NULL);
	stat_report_total(p.report);
	stat_report_reduce(p.report);
	p.instructions = (double)find_total(
		p.report, "sm", t->by_threads ? "thread_instructions" : "warp_instructions");
	p.skipped = t->last_gap / 2;
	t->last_gap = 0;
	stat_report_free(t->mark);
	t->mark = NULL;
	t->marked = 0;
	t->part = xrealloc(t->part, (t->parts + 1) * sizeof *t->part);
	t->part[t->parts++] = p;
}

/* Length of a stretch in waves: enough to replace the contents of the L2. */
static uint64_t stretch_waves(const struct thin *t)
{
	const struct thin_part *p = &t->part[0];
	double waves = (double)(t->stop_at - t->mark_at) / (double)t->wave;
	double bytes = (double)(find_total(p->report, "slice", "read_bytes") +
				find_total(p->report, "slice", "write_bytes")) /
		       (waves > 0 ? waves : 1);
	double want = bytes > 0 ? ceil((double)t->l2_bytes / bytes) : STRETCH;
	return want < STRETCH ? STRETCH : want > LONGEST ? LONGEST : (uint64_t)want;
}

/* Number of stretches needed for the error target, from the variation of cycles per instruction
 * over the stretches measured so far, without the head. */
static double stretches_needed(const struct thin *t)
{
	double sum = 0, squares = 0;
	unsigned n = t->parts - 1;
	for (unsigned i = 1; i < t->parts; i++) {
		double x = t->part[i].cycles / t->part[i].instructions;
		sum += x;
		squares += x * x;
	}
	if (n < 3)
		return FEWEST;
	double mean = sum / n, variance = (squares - sum * mean) / (n - 1);
	double want = student_95(n - 1) / t->error;
	want *= want * (variance > 0 ? variance : 0) / (mean * mean);
	return want < FEWEST ? FEWEST : want;
}

/* Blocks to be skipped now; 0: none. */
static uint64_t next_skip(const struct thin *t, uint64_t left, uint64_t stretch)
{
	uint64_t keep = stretch + TAIL * t->wave;
	if (left < keep + STRETCH * t->wave)
		return 0;
	double most = (double)left / stretches_needed(t) - (double)stretch;
	uint64_t skip = t->skip ? 2 * t->skip : STRETCH * t->wave;
	if (most < (double)skip)
		skip = most > (double)(STRETCH * t->wave) ? (uint64_t)most : STRETCH * t->wave;
	return skip < left - keep ? skip : left - keep;
}

/* Runs blocks functionally; false: one failed. */
static bool run_functionally(struct run *r, struct timed_launch *j, uint64_t n,
			     uint64_t *instructions)
{
	struct thin *t = j->j->thin;
	struct grid_opts o = {.threads = r->o->threads,
			      .max_instructions = r->o->max_instructions,
			      .interrupt = r->o->interrupt,
			      .first = j->k.next,
			      .count = n};
	struct grid_result g;
	grid_run(t->functional, &o, &g);
	uint32_t code = j->k.ncode;
	if (!t->issued) {
		t->issued = xcalloc(code + 1, sizeof *t->issued);
		t->lanes = xcalloc(code + 1, sizeof *t->lanes);
		t->divergent = xcalloc(code + 1, sizeof *t->divergent);
	}
	for (uint32_t pc = 0; pc < code; pc++) {
		t->issued[pc] += g.issued[pc];
		t->lanes[pc] += g.lanes[pc];
		t->divergent[pc] += g.divergent[pc];
	}
	*instructions = t->by_threads ? g.thread_instructions : g.warp_instructions;
	bool good = g.stop == STOP_DONE;
	if (!good) {
		j->r->stop = g.stop;
		j->r->fault = g.fault;
		j->r->interrupted = g.interrupted;
		j->r->no_memory = g.no_memory;
		j->r->over_instructions = g.stop == STOP_LIMIT && !g.why && !g.interrupted;
		j->r->why = g.why;
		g.why = NULL;
	}
	free(g.issued);
	free(g.lanes);
	free(g.divergent);
	free(g.why);
	return good;
}

static bool skip_blocks(struct run *r, struct timed_launch *j, uint64_t n)
{
	struct thin *t = j->j->thin;
	uint64_t instructions = 0;
	bool good = true;
	if (t->functional)
		good = run_functionally(r, j, n, &instructions);
	for (uint64_t i = 0; i < n && !t->functional; i++)
		instructions += t->block_instructions[j->k.next + i];
	t->last_gap = (double)instructions;
	t->skipped += t->last_gap;
	t->part[t->parts - 1].skipped += t->last_gap / 2;
	t->blocks += n;
	t->skip = n;
	j->k.next += n;
	j->k.done += n;
	return good;
}

static bool end_stretch(struct run *r, struct timed_launch *j)
{
	struct thin *t = j->j->thin;
	end_part(r, t);
	uint64_t stretch = stretch_waves(t) * t->wave;
	if (t->parts > 1) /* with a single part, only the head shows the cost of a stretch */
		stretch = t->stop_at - t->from;
	uint64_t skip = next_skip(t, j->k.blocks - j->k.next, stretch);
	t->stop_at = UINT64_MAX;
	if (!skip)
		return true;
	if (!skip_blocks(r, j, skip))
		return false;
	t->from = j->k.next;
	t->mark_at = t->from + stretch / 3;
	t->stop_at = t->from + stretch;
	return true;
}

bool thin_blocks(struct run *r, struct timed_launch *j)
{
	struct thin *t = j->j->thin;
	if (!t->wave) {
		t->window = r->g->window;
		t->wave = (uint64_t)j->k.fit * r->g->nsm;
		bool some = j->k.cut == 1 && t->wave && j->k.blocks >= THIN_WAVES * t->wave;
		t->mark_at = HEAD / 2 * t->wave;
		t->stop_at = some ? HEAD * t->wave : UINT64_MAX;
	}
	if (t->stop_at == UINT64_MAX)
		return true;
	if (!t->mark && j->k.next >= t->mark_at && j->k.next < t->stop_at)
		begin_part(r, t);
	return j->k.next < t->stop_at || end_stretch(r, j);
}

void thin_report(struct timed_launch *j)
{
	const struct thin *t = j->j->thin;
	for (uint32_t pc = 0; t->issued && pc < j->k.ncode; pc++) {
		struct prof *p = &j->r->prof[pc];
		p->issued += t->issued[pc];
		p->lanes += t->lanes[pc];
		p->divergent += t->divergent[pc];
	}
	for (uint32_t pc = 0; t->block_instructions && t->blocks && pc < j->k.ncode; pc++) {
		struct prof *p = &j->r->prof[pc];
		p->issued = t->prof[pc].issued;
		p->lanes = t->prof[pc].lanes;
		p->divergent = t->prof[pc].divergent;
	}
}

void thin_free(struct thin *t)
{
	for (unsigned i = 0; i < t->parts; i++)
		stat_report_free(t->part[i].report);
	free(t->part);
	stat_report_free(t->mark);
	free(t->issued);
	free(t->lanes);
	free(t->divergent);
}
