/* Reconvergence at the immediate post-dominator, by a stack per warp (kernel/reconv.h). The top of
 * the stack is the warp's group. Machine code for sm_70 and later names its reconvergence points
 * itself (kernel/converge.h); the stack then only keeps the paths. */
#include "base/pages.h"
#include "kernel/converge.h"
#include "sm/sm.h"

#define FIRSTS(X) X(REST_FIRST, "rest") X(TAKEN_FIRST, "taken")
enum { FIRSTS(CHOICE_ENUM) };
struct options {
	uint32_t first;
};
static const struct option rows[] = {
	OPTION_CHOICE(struct options, first, "pdom.first", "rest", FIRSTS,
		      "pdom: the lanes of a divergent branch that go first: "
		      "those that take it, or the rest"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

struct stack {
	struct reconv paths;
	bool taken_first; /* pdom.first */
	uint32_t rpc;     /* reconvergence pc of the top of the stack when it was exposed: all that
	                   * most steps need */
};

static struct stack *stack_of(const struct div *d, unsigned w)
{
	return &((struct stack *)d->state)[w];
}
static struct reconv *paths_of(const struct div *d, unsigned w) { return &stack_of(d, w)->paths; }
static struct split *top_of(const struct div *d, int g)
{
	return reconv_top(paths_of(d, (unsigned)g));
}

/* Makes the path that runs next the warp's group. */
static void expose_top(struct div *d, unsigned w)
{
	struct reconv *s = paths_of(d, w);
	struct group *g = &d->group[w];
	const struct sm_warp *home = &d->sm->warp[w];
	const struct image *img = home->b ? home->b->k->l->img : NULL;
	bool runs = img && img->converges ? converge_settle(s, home->ws[0], img->code)
					  : reconv_settle(s);
	if (!s->n) {
		g->active = 0;
		g->wait = GROUP_NONE;
	} else {
		const struct split *p = reconv_top(s);
		stack_of(d, w)->rpc = p->rpc;
		g->pc = p->pc;
		g->active = p->mask;
		g->frame = p->frame;
		g->wait = runs ? GROUP_RUNS : p->state == SPLIT_SYNC ? GROUP_SYNC : GROUP_BARRIER;
	}
	sm_group_changed(d->sm, (int)w);
}

enum { ROOM = 16 }; /* paths allocated at first */

static void init(struct div *d)
{
	const struct options *o = machine_own(d->sm->m, &options);
	d->state = PAGES_ARRAY(struct stack, d->nwarps);
	for (unsigned w = 0; w < d->nwarps; w++) {
		stack_of(d, w)->taken_first = o->first == TAKEN_FIRST;
		*paths_of(d, w) = (struct reconv){.path = xcalloc_lines(ROOM, sizeof(struct split)),
						  .cap = ROOM};
	}
}

static void fini(struct div *d)
{
	for (unsigned w = 0; w < d->nwarps; w++)
		reconv_free(paths_of(d, w));
	pages_free(d->state);
}

static void start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age)
{
	reconv_start(paths_of(d, w), pc, live);
	d->group[w] = (struct group){.warp = (uint16_t)w, .age = age};
	expose_top(d, w);
}

static void step(struct div *d, int g, uint32_t next)
{
	top_of(d, g)->pc = next;
	if (next == stack_of(d, (unsigned)g)->rpc) {
		expose_top(d, (unsigned)g);
		return;
	}
	d->group[g].pc = next; /* the common case: nothing else changes */
	sm_group_changed(d->sm, g);
}

static void branch(struct div *d, int g, const struct uop *u, lanemask taken)
{
	const struct split *p = top_of(d, g);
	struct way to = {u->target, taken}, rest = {p->pc + 1, p->mask & ~taken};
	bool taken_first = stack_of(d, (unsigned)g)->taken_first;
	reconv_branch(paths_of(d, (unsigned)g), u->reconv, taken_first ? to : rest,
		      taken_first ? rest : to);
	expose_top(d, (unsigned)g);
}

static void ibranch(struct div *d, int g, const struct uop *u, lanemask who, const uint32_t *target)
{
	reconv_branch_indexed(paths_of(d, (unsigned)g), u->reconv, who, target);
	expose_top(d, (unsigned)g);
}

static void call(struct div *d, int g, lanemask lanes, uint32_t pc, const struct frame *f,
		 uint32_t back)
{
	reconv_call(paths_of(d, (unsigned)g), lanes, pc, f, back);
	expose_top(d, (unsigned)g);
}

static lanemask caller(struct div *d, int g, lanemask lanes, struct frame *f, uint32_t *ret)
{
	const struct split *p = reconv_caller(paths_of(d, (unsigned)g), lanes);
	*f = p->frame;
	*ret = p->pc;
	return lanes;
}

static void ret(struct div *d, int g, lanemask lanes)
{
	reconv_return(paths_of(d, (unsigned)g), lanes);
	expose_top(d, (unsigned)g);
}

/* Lanes that waited for the given ones go on with them from here. */
static lanemask sync(struct div *d, int g, lanemask lanes, lanemask need, uint32_t anywhere)
{
	struct reconv *s = paths_of(d, (unsigned)g);
	lanemask have = reconv_sync(s, lanes, need, d->sm->warp[g].live, anywhere);
	if (have)
		d->group[g].active = reconv_top(s)->mask;
	else
		expose_top(d, (unsigned)g);
	return have;
}

static void leave(struct div *d, int g, lanemask done)
{
	reconv_exit(paths_of(d, (unsigned)g), done, d->sm->warp[g].live);
	expose_top(d, (unsigned)g);
}

static void wait(struct div *d, int g, lanemask lanes, unsigned bar)
{
	reconv_wait(paths_of(d, (unsigned)g), lanes, bar);
	expose_top(d, (unsigned)g);
}

struct waking {
	struct sm *sm;
	unsigned warp;
	div_wake_fn *fn;
};

static void let_go(void *arg, const struct split *p)
{
	const struct waking *k = arg;
	k->fn(k->sm, k->warp, p->pc, p->mask, &p->frame);
}

static void wake(struct div *d, unsigned w, unsigned bar, div_wake_fn *fn)
{
	if (reconv_wake(paths_of(d, w), bar, let_go, &(struct waking){d->sm, w, fn}))
		expose_top(d, w);
}

static lanemask waiting(const struct div *d, unsigned w, unsigned bar)
{
	return reconv_waiting(paths_of(d, w), bar);
}

static uint32_t where(const struct div *d, unsigned w, unsigned lane)
{
	return reconv_where(paths_of(d, w), lane);
}

static void yield(struct div *d, int g)
{
	if (reconv_yield(paths_of(d, (unsigned)g)) != RECONV_ALONE)
		expose_top(d, (unsigned)g);
	else
		sm_group_yields(d->sm, g, true); /* the poll waits for another warp */
}

/* The token stack decides where lanes go: this stack always has a single path. */
static void skip(struct div *d, int g, uint32_t pc)
{
	top_of(d, g)->pc = pc;
	d->group[g].pc = pc;
}

static void native(struct div *d, int g, lanemask active, uint32_t pc)
{
	struct split *p = top_of(d, g);
	p->mask = active;
	p->pc = pc;
	expose_top(d, (unsigned)g);
}

static bool converge(struct div *d, int g, const struct uop *u, lanemask m)
{
	struct reconv *s = paths_of(d, (unsigned)g);
	bool parts = converge_control(s, d->sm->warp[g].ws[0], u, d->group[g].pc, (uint32_t)m);
	expose_top(d, (unsigned)g);
	return parts;
}

static bool check(const struct div *d, struct diag *why)
{
	for (unsigned w = 0; w < d->nwarps; w++) {
		const struct reconv *s = paths_of(d, w);
		for (uint32_t i = 0; i < s->n; i++)
			if (s->path[i].mask & ~d->sm->warp[w].live) {
				diag_error(why,
					   "warp %u: stack entry %u has lanes that have exited", w,
					   i);
				return false;
			}
	}
	return true;
}

const struct div_ops div_pdom = {
	/* clang-format off */
	.p = {"pdom", "stack of paths for each warp, reconvergence at the immediate post-dominator",
	      "Fung, Sham, Yuan, Aamodt, MICRO 2007, section 4", .options = {&options}},
	.groups_per_warp = 1, .as_compiled = true,
	.init = init, .fini = fini, .start = start, .step = step, .branch = branch, .ibranch = ibranch,
	.call = call, .caller = caller, .ret = ret, .exit = leave, .wait = wait, .wake = wake,
	.waiting = waiting, .where = where, .sync = sync, .yield = yield, .skip = skip, .native = native,
	.converge = converge, .check = check,
};
/* clang-format on */
