/* Describes a run that is stuck: for each warp its instruction and what the warp waits for, then
 * the contents of the SM's queues and caches. */
#include "kernel/image.h"
#include "sm/lsu.h"

/* clang-format off */
static const char *const state_name[GS_SCORE] = {
	[GS_FREE] = "free", [GS_DRAIN] = "ended, waits for its last instructions", [GS_BARRIER] = "at a barrier",
	[GS_SYNC] = "for lanes of its warp", [GS_FENCE] = "fence: for its memory operations",
	[GS_ORDERED] = "for an operation between blocks", [GS_IBUFFER] = "for instructions",
	[GS_LOCKED] = "in the pipeline",
};
static const char *const wait_name[W_COUNT] = {
	[W_SP] = "for a result of an ALU", [W_SFU] = "for a result of the SFU", [W_DP] = "for a result of the DP unit",
	[W_MMA] = "for a result of the matrix unit", [W_SHARED] = "for shared memory", [W_CONST] = "for constant memory",
	[W_TEX] = "for a texture", [W_GLOBAL] = "for memory",
};
/* clang-format on */

static const char *state_text(unsigned state)
{
	return state >= GS_READY   ? "ready"
	       : state >= GS_SCORE ? wait_name[state - GS_SCORE]
				   : state_name[state];
}

static const char *text_of(const struct inst *in)
{
	return in->text ? in->text : op_info[in->op].name;
}

/* Prints the registers that an instruction writes, by their names in the program. */
static void print_results(const struct image *img, uint32_t pc, FILE *f)
{
	const struct inst *in = img->code[pc].in;
	const struct func *fn = img->kernel;
	for (uint32_t i = 0; i < img->nfuncs; i++)
		if (pc >= img->funcs[i].start && pc < img->funcs[i].end)
			fn = img->funcs[i].f;
	for (unsigned i = 0; i < in->nd; i++) {
		const struct opnd *o = inst_dst(in, i);
		if (o->kind == OPND_REG && o->reg < fn->regs.n && fn->regs.v[o->reg].name)
			fprintf(f, " %s", fn->regs.v[o->reg].name);
	}
}

static void print_flights(const struct sm *sm, const struct gslot *s, const struct kern *k, FILE *f)
{
	for (const struct flight *op = s->ops; op; op = op->next) {
		const struct inst *in = k->l->img->code[op->pc].in;
		fprintf(f, "\n    in flight since cycle %llu: pc %u, line %u %s",
			(unsigned long long)flight_issued(sm, op), op->pc, in->line, text_of(in));
		print_results(k->l->img, op->pc, f);
		if ((op->t->flags & T_MEMORY) && op->unanswered)
			fprintf(f, ", %u accesses not answered", op->unanswered);
	}
}

static void print_barrier(const struct sm *sm, const struct sm_warp *w, FILE *f)
{
	for (unsigned id = 0; id < NBARRIERS; id++) {
		const struct barrier *b = &w->b->cta->bar[id];
		if (sm->div.ops->waiting(&sm->div, (unsigned)(w - sm->warp), id))
			fprintf(f, " %u: %u of %u threads are there", id,
				b->expected ? b->counted : b->arrived,
				b->expected ? b->expected : w->b->cta->live);
	}
}

static void print_group(const struct sm *sm, const struct group *gr, const struct gslot *s, FILE *f)
{
	const struct sm_warp *w = sm_home(sm, gr);
	const struct inst *in = w->b->k->l->img->code[gr->pc].in;
	fprintf(f, "SM %u warp %u%s (block %llu): pc %u, line %u %s: %s", sm->id,
		(unsigned)(w - sm->warp), gr->warp == GROUP_MIXED ? " and others" : "",
		(unsigned long long)w->b->cta->index, gr->pc, in->line, text_of(in),
		state_text(s->state));
	if (s->state == GS_BARRIER)
		print_barrier(sm, w, f);
	if (s->state == GS_FENCE)
		fprintf(f, ", %u of them", w->outstanding);
	print_flights(sm, s, w->b->k, f);
	fputc('\n', f);
}

void sm_describe(const struct sm *sm, FILE *f)
{
	enum { SHOWN = 16 };
	static const char *const cache[L1_COUNT] = {"l1d", "l1c", "l1t", "l1i"};
	unsigned n = 0;
	for (unsigned g = 0; g < sm->ngroups; g++) {
		const struct group *gr = &sm->div.group[g];
		const struct gslot *s = &sm->slot[g];
		if (s->state != GS_FREE && gr->active && sm_home(sm, gr)->b && n++ < SHOWN)
			print_group(sm, gr, s, f);
	}
	if (n > SHOWN)
		fprintf(f, "SM %u: %u more\n", sm->id, n - SHOWN);
	for (unsigned i = 0; i < sm->nwarps; i++)
		if (sm->warp[i].b && !sm->warp[i].live)
			fprintf(f,
				"SM %u warp %u (block %llu): ended, %u memory operations are under way\n",
				sm->id, i, (unsigned long long)sm->warp[i].b->cta->index,
				sm->warp[i].outstanding);
	if (lsu_full(sm->lsu))
		fprintf(f, "SM %u: the load/store unit is full\n", sm->id);
	if (lsu_blocked(sm->lsu))
		fprintf(f,
			"SM %u: the load/store unit's next access is refused by the cache or the network\n",
			sm->id);
	for (unsigned k = 0; k < L1_COUNT && !sm->perfect; k++)
		if (sm->l1->on[k] && sm->l1->cache[k].mshr.used)
			fprintf(f, "SM %u: %s has %u of %u MSHRs in use\n", sm->id, cache[k],
				sm->l1->cache[k].mshr.used, sm->l1->cache[k].mshr.n);
}
