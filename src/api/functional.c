/* Runs a launch in functional mode. If blocks are saved in a checkpoint, the launch runs in ranges
 * of blocks, beginning after the blocks that the restored checkpoint has. */
#include "api/functional.h"

#include <stdio.h>
#include <time.h>
#include "api/checkpoint.h"
#include "api/children.h"
#include "api/sampled.h"
#include "base/mangled.h"
#include "check/check.h"
#include "debug/debug.h"
#include "exec/memory/strays.h"
#include "func/grid.h"
#include "func/touch.h"
#include "gpu/warm.h"
#include "kernel/cta.h"
#include "sm/sm.h"

double api_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void describe_place(const struct image *img, uint32_t pc, char *buf, size_t n)
{
	if (pc >= img->ncode) /* the thread has executed its last instruction */
		snprintf(buf, n, "the kernel's end");
	else
		check_where(img, pc, buf, n);
}

static bool is_back_branch(const struct image *img, uint32_t pc)
{
	const struct uop *u = &img->code[pc];
	return (uop_is(u, OF_BRANCH) || uop_is_native(u, NCTL_BRA)) && u->target <= pc;
}

/* Describes the block of a launch that ran out of instructions, and the loop that executed most of
 * them. */
static char *describe_hottest(const struct launch *l, const struct grid_result *r)
{
	const struct image *img = l->img;
	uint64_t most = 0, sum = 0;
	uint32_t end = NO_PC;
	char *text = NULL, from[PLACE_TEXT], to[PLACE_TEXT];
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	for (uint32_t pc = 0; pc < img->ncode; pc++)
		if (is_back_branch(img, pc) && r->issued[pc] > most) {
			most = r->issued[pc];
			end = pc;
		}
	if (r->limit_pc != NO_PC) {
		describe_place(img, r->limit_pc, from, sizeof from);
		fprintf(f, "\n  block %llu, thread %u was at %s",
			(unsigned long long)r->limit_block, r->limit_thread, from);
	}
	if (end != NO_PC) {
		for (uint32_t pc = img->code[end].target; pc <= end; pc++)
			sum += r->issued[pc];
		describe_place(img, img->code[end].target, from, sizeof from);
		describe_place(img, end, to, sizeof to);
		fprintf(f, "\n  the hottest loop, from %s to %s, has %.0f %% of the instructions",
			from, to,
			100.0 * (double)sum /
				(double)(r->warp_instructions ? r->warp_instructions : 1));
	}
	fclose(f);
	return text;
}

/* True if the kernel's place has been warned about; each place is reported once for all
 * launches. */
static bool is_known(const struct heddle *h, const struct image *img, const struct inst *in)
{
	for (size_t i = 0; i < h->warned.n; i++)
		if (h->warned.v[i].kernel == img->kernel && inst_same_place(h->warned.v[i].in, in))
			return true;
	return false;
}

/* Warns about accesses outside an allocation that a page of a GPU would answer. */
static void warn_strays(struct heddle *h, const struct launch *l)
{
	for (size_t i = 0; i < l->strays->at.n; i++) {
		const struct stray *s = &l->strays->at.v[i];
		const struct inst *in = l->img->code[s->f.pc].in;
		if (is_known(h, l->img, in))
			continue;
		vec_push(&h->warned, ((struct warned){l->img->kernel, in}));
		api_report_fault(h, l, &s->f);
		char *text;
		if (asprintf(
			    &text,
			    "warning: %s\n  %llu time%s in this launch; a GPU's pages answer such an "
			    "access, so it went on",
			    h->message, (unsigned long long)s->count, s->count == 1 ? "" : "s") < 0)
			continue;
		api_warn(h, text);
		free(text);
	}
	h->fault = (struct heddle_fault){0};
	api_fail(h, HEDDLE_OK, "%s", "");
}

/* ---- lines that are accessed ---- */

/* Lines of a launch that runs. */
struct lines {
	/* seen: accesses are observed; save: lines are saved; apply: lines are applied to the L2 */
	bool seen, save, apply;
	struct touch touch;
	/* range: lines of the present range; all: lines of all ranges, if there are several */
	struct warm range, all;
	bool several;
	warm_lines list; /* lines of the range that ended last */
};

/* True if functional launches warm the caches of timed ones. */
static bool wants_lines(const struct heddle *h)
{
	return h->sampled && h->chosen.some && warm_helps(h->gpu);
}

static void begin_lines(struct heddle *h, const struct launch *l, const struct effects *e,
			struct lines *w)
{
	*w = (struct lines){.apply = wants_lines(h)};
	w->save = api_checkpoint_writes(h) && (w->apply || h->opt.accesses);
	w->seen = w->apply || w->save;
	warm_init(&w->range);
	warm_init(&w->all);
	if (!w->seen)
		return;
	w->touch = (struct touch){.see = warm_see, .arg = &w->range};
	touch_init(&w->touch, l->img);
	if (e) {
		warm_add(&w->all, &e->lines);
		w->several = true;
	}
}

/* Lists the lines of the range that has ended. last: the launch has ended. */
static void end_range(struct lines *w, bool last)
{
	w->list.n = 0;
	if (!w->seen)
		return;
	warm_list(&w->range, &w->list);
	if (last && !w->several)
		return;
	w->several = true;
	warm_add(&w->all, &w->list);
	warm_free(&w->range);
}

static void end_lines(struct heddle *h, const struct heddle_launch *hl, struct launch *l,
		      const struct prof *prof, struct lines *w)
{
	if (w->apply && w->several) {
		w->list.n = 0;
		warm_list(&w->all, &w->list);
	}
	if (w->apply) {
		if (prof)
			warm_code(h->gpu, l, prof);
		warm_apply(h->gpu, &w->list, api_sampled_wave(h, hl, l->img));
	}
	touch_free(&w->touch);
	warm_free(&w->range);
	warm_free(&w->all);
	vec_free(&w->list);
}

/* ---- ranges of blocks ---- */

struct ranged {
	struct heddle *h;
	const struct heddle_launch *hl;
	struct launch *l;
	uint64_t next;         /* first block that has not run */
	uint64_t instructions; /* number of instructions in the blocks before it */
	/* Counts per pc of these blocks, in h->counts; NULL: nothing ran yet. Kernels that a kernel launches use that memory too, but
	 * their parent runs in one range and counts at its end. */
	struct prof *prof;
	struct lines lines;
};

/* True if blocks may run in several ranges, because they do not observe each other. */
static bool can_split(const struct heddle *h, const struct launch *l)
{
	return h->opt.checkpoint_every && api_checkpoint_writes(h) && api_checkpoint_covers(l) &&
	       !l->img->ordered && !l->cooperative && l->cluster_blocks == 1 && !l->checks &&
	       !h->debug && !l->reverse;
}

/* The number of blocks of the next range: those that execute `checkpoint_every` warp instructions, if they are
 * like the blocks so far. */
static uint64_t next_count(const struct ranged *r)
{
	enum { FIRST = 64 };
	uint64_t left = r->l->nblocks - r->next, every = r->h->opt.checkpoint_every;
	if (!can_split(r->h, r->l))
		return left;
	double block = r->next ? (double)r->instructions / (double)r->next : 0;
	double n = !r->next ? FIRST : block > 0 ? (double)every / block : (double)left;
	return n >= (double)left ? left : n < 1 ? 1 : (uint64_t)n;
}

/* Counts of n instructions, all 0. */
static struct prof *clear_counts(struct kept_counts *c, uint32_t n)
{
	if (c->room <= n) {
		free(c->v);
		c->room = n + 1;
		c->v = xcalloc(c->room, sizeof *c->v);
	}
	for (uint32_t pc = 0; pc < n; pc++)
		c->v[pc].issued = c->v[pc].lanes = c->v[pc].divergent = 0;
	return c->v;
}

static void add_counts(struct prof *sum, const struct image *img, const struct grid_result *g)
{
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		sum[pc].issued += g->issued[pc];
		sum[pc].lanes += g->lanes[pc];
		sum[pc].divergent += g->divergent[pc];
	}
}

/* Counts per pc of the range that has ended. */
static const struct prof *count_range(struct ranged *r, const struct grid_result *g, bool whole)
{
	const struct image *img = r->l->img;
	if (!r->prof)
		r->prof = clear_counts(&r->h->counts, img->ncode);
	add_counts(r->prof, img, g);
	if (whole)
		return r->prof;
	struct prof *own = clear_counts(&r->h->counts_of_range, img->ncode);
	add_counts(own, img, g);
	return own;
}

static void run_blocks(struct ranged *r, struct grid_opts *o, struct grid_result *g)
{
	struct heddle *h = r->h;
	const struct debug_gpu gpu = {&h->mem, &h->heap, &h->interrupt, &h->interrupted_at,
				      children_forget};
	if (h->debug)
		debug_run(h->debug, &gpu, r->l, o, g);
	else
		grid_run(r->l, o, g);
}

/* Runs and saves the next range. */
static enum heddle_status run_range(struct ranged *r, struct grid_opts *o, struct grid_result *g)
{
	struct heddle *h = r->h;
	uint64_t n = next_count(r), *by_block = NULL, limit = h->opt.max_instructions;
	bool whole = n == r->l->nblocks;
	o->first = whole ? 0 : r->next;
	o->count = whole ? 0 : n;
	if (r->lines.save && r->l->cluster_blocks == 1)
		by_block = xcalloc(n, sizeof *by_block);
	o->block_instructions = by_block;
	if (limit)
		o->max_instructions = limit > r->instructions ? limit - r->instructions : 1;
	run_blocks(r, o, g);
	const struct prof *own = count_range(r, g, whole);
	struct saved_range s = {.first = r->next,
				.next = r->next + n,
				.prof = own,
				.block_instructions = by_block,
				.lines = r->lines.save ? &r->lines.list : NULL};
	r->next += n;
	r->instructions += g->warp_instructions;
	enum heddle_status st = HEDDLE_OK;
	if (g->stop == STOP_DONE) {
		end_range(&r->lines, r->next == r->l->nblocks);
		st = api_checkpoint_save(h, r->hl, r->l, &s);
	}
	free(by_block);
	return st;
}

static enum heddle_status begin_ranges(struct ranged *r, const struct effects *e)
{
	struct heddle *h = r->h;
	uint32_t n = r->l->img->ncode;
	begin_lines(h, r->l, e, &r->lines);
	enum heddle_status st = e ? api_checkpoint_apply(h, e) : HEDDLE_OK;
	if (e) {
		r->prof = clear_counts(&h->counts, n);
		for (uint32_t pc = 0; pc < n; pc++) {
			r->prof[pc].issued = e->prof[pc].issued;
			r->prof[pc].lanes = e->prof[pc].lanes;
			r->prof[pc].divergent = e->prof[pc].divergent;
		}
		r->next = e->next;
		r->instructions = e->instructions;
	}
	api_checkpoint_before(h, r->l, e != NULL);
	return st;
}

static enum heddle_status functional_status(struct heddle *h, const struct launch *l,
					    const struct grid_result *r)
{
	struct plain_name plain = plain_name(l->img->kernel->name);
	const char *name = plain.text;
	if (r->stop == STOP_FAULT) {
		api_report_fault(h, l, &r->fault);
		return HEDDLE_FAULT;
	}
	if (h->debug && debug_killed(h->debug))
		return api_fail(h, HEDDLE_INTERRUPTED, "%s: ended in the debugger", name);
	if (r->interrupted)
		return api_fail(h, HEDDLE_INTERRUPTED, "%s: interrupted", name);
	if (r->no_memory)
		return api_fail(h, HEDDLE_NO_MEMORY,
				"%s: the host has no memory for a block's %zu bytes", name,
				cta_bytes(l));
	if (r->why)
		return api_fail(h, HEDDLE_LIMIT,
				"%s: nothing can go on after %llu warp instructions\n%s", name,
				(unsigned long long)r->warp_instructions, r->why);
	if (r->stop != STOP_LIMIT)
		return HEDDLE_OK;
	char *where = describe_hottest(l, r);
	enum heddle_status st = api_fail(
		h, HEDDLE_LIMIT, "%s: more than %llu warp instructions (--max-instructions)%s",
		name, (unsigned long long)h->opt.max_instructions, where);
	free(where);
	return st;
}

static void free_result(struct grid_result *r)
{
	free(r->issued);
	free(r->lanes);
	free(r->divergent);
	free(r->why);
	*r = (struct grid_result){0};
}

enum heddle_status api_run_functional(struct heddle *h, const struct heddle_launch *hl,
				      struct launch *l, const struct effects *e)
{
	struct ranged r = {.h = h, .hl = hl, .l = l};
	double t0 = api_now();
	enum heddle_status st = begin_ranges(&r, e);
	bool alone = r.lines.seen || l->checks || l->strays || h->debug ||
		     children_may_wait(l->img->kernel->module);
	struct grid_opts o = {.threads = alone ? 1 : h->opt.threads,
			      .touch = r.lines.seen ? &r.lines.touch : NULL,
			      .interrupt = &h->interrupt,
			      .progress = h->opt.progress,
			      .arg = h->opt.arg};
	struct grid_result g = {.stop = STOP_DONE};
	while (!st && r.next < l->nblocks && g.stop == STOP_DONE) {
		free_result(&g);
		st = run_range(&r, &o, &g);
	}
	end_lines(h, hl, l, r.prof, &r.lines);
	if (l->strays)
		warn_strays(h, l);
	api_record(h, hl, l->img, r.prof, api_now() - t0, NULL);
	if (!st)
		st = functional_status(h, l, &g);
	free_result(&g);
	return api_report_checks(h, l, st);
}

/* The lines of several ranges become one list, as if they had been collected together. */
static void apply_lines(struct heddle *h, const struct heddle_launch *hl, struct launch *l,
			const struct effects *e)
{
	uint64_t wave = api_sampled_wave(h, hl, l->img);
	warm_code(h->gpu, l, e->prof);
	struct warm all;
	warm_lines lines = {0};
	if (e->pieces.n == 1) {
		warm_apply(h->gpu, &e->lines, wave);
		return;
	}
	warm_init(&all);
	warm_add(&all, &e->lines);
	warm_list(&all, &lines);
	warm_apply(h->gpu, &lines, wave);
	warm_free(&all);
	vec_free(&lines);
}

enum heddle_status api_replay(struct heddle *h, const struct heddle_launch *hl, struct launch *l,
			      const struct effects *e)
{
	double t0 = api_now();
	if (wants_lines(h) && !e->has_lines)
		return api_fail(
			h, HEDDLE_INVALID,
			"%s: launch %llu was saved without the memory that it accesses, which the "
			"caches of timed launches need: expected a file written with --save and "
			"--accesses",
			h->opt.restore, (unsigned long long)api_checkpoint_next(h) - 1);
	enum heddle_status st = api_checkpoint_apply(h, e);
	if (st)
		return st;
	if (wants_lines(h))
		apply_lines(h, hl, l, e);
	api_record(h, hl, l->img, e->prof, api_now() - t0, NULL);
	return HEDDLE_OK;
}
