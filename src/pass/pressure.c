#include "pass/pressure.h"

#include "pass/regs.h"
#include "pass/words.h"

enum {
	CHUNK = 1024,
	COPIES = 4,
	NONE = -1
}; /* CHUNK: instructions scheduled together; the cost is quadratic in it */

struct node {
	const struct inst *in;
	/* list of registers: [uses, defs) are read, [defs, end) written */
	uint32_t uses, defs, end;
	int32_t preds; /* predecessors not scheduled yet */
	int32_t after; /* first of the instructions that wait for this one */
	uint32_t latency, height, start;
};

struct link {
	uint32_t node;
	int32_t next;
	uint32_t wait; /* cycles between the two instructions */
};

/* Each copy of a loop's body has registers of its own: version = copy x nregs + register. */
struct sched {
	const struct func *f;
	const struct live *l;
	uint32_t nregs;
	uint8_t *rows;                /* [register]: rows it takes; 0: no register needed */
	uint32_t *current_version;    /* [register]: version that holds its value */
	int32_t *last_writer;         /* [version]: node; NONE: written before the piece */
	int32_t *readers_since_write; /* [version]: list of readers; NONE: empty */
	int32_t *uses;                /* [version]: reads that are not yet scheduled */
	bool *alive, *out;            /* [version]; out: the code after reads it */
	struct node node[CHUNK];
	uint32_t n;
	VEC(struct link) after, reads;
	VEC(uint32_t) regs;
	int32_t now, most; /* registers live; most so far */
	int32_t limit;
};

/* ---- instructions that need no register ---- */

static bool is_free(const struct sched *s, const bool *is_const, const struct inst *in)
{
	if (!inst_kills(in) || in->nd != 1)
		return false;
	const struct opnd *o = in->ns ? inst_src(in, 0) : NULL;
	if (inst_is(in, OF_LOAD))
		return in->space == SP_PARAM && s->f->entry && o && o->reg == NO_REG;
	if (!inst_is(in, OF_COPIES))
		return false;
	return o && (o->kind != OPND_REG || is_const[o->reg]);
}

static void find_rows(struct sched *s, struct arena *a)
{
	uint32_t nregs = (uint32_t)s->f->regs.n, r[INST_REGS];
	bool *is_const = ARENA_ARRAY(a, bool, nregs);
	uint8_t *writes = ARENA_ARRAY(a, uint8_t, nregs);
	regs_writes(s->f, writes);
	for (uint32_t pc = 0; pc < s->f->code.n; pc++) {
		const struct inst *in = &s->f->code.v[pc];
		if (inst_defs(s->f, in, r) == 1 && writes[r[0]] == 1)
			is_const[r[0]] = is_free(s, is_const, in);
	}
	words_find(s->f, s->rows);
	for (uint32_t i = 0; i < nregs; i++)
		s->rows[i] = is_const[i] ? 0 : s->rows[i];
}

/* ---- order of instructions ---- */

static void add_edge(struct sched *s, int32_t from, uint32_t to, bool result)
{
	if (from == NONE || (uint32_t)from == to)
		return;
	uint32_t wait =
		result ? s->node[from].latency : 1; /* without a result only the order counts */
	vec_push(&s->after, (struct link){to, s->node[from].after, wait});
	s->node[from].after = (int32_t)s->after.n - 1;
	s->node[to].preds++;
}

static void add_read(struct sched *s, uint32_t i, uint32_t reg)
{
	uint32_t v = s->current_version[reg];
	vec_push(&s->regs, v);
	add_edge(s, s->last_writer[v], i, true);
	vec_push(&s->reads, (struct link){i, s->readers_since_write[v], 0});
	s->readers_since_write[v] = (int32_t)s->reads.n - 1;
	s->uses[v]++;
}

/* Records a write of a register. The first write in a copy of the body gives the register a new version; a
 * guarded write keeps the old one. */
static void add_write(struct sched *s, uint32_t i, uint32_t reg, uint32_t copy)
{
	if (inst_kills(s->node[i].in))
		s->current_version[reg] = copy * s->nregs + reg;
	uint32_t v = s->current_version[reg];
	vec_push(&s->regs, v);
	add_edge(s, s->last_writer[v], i, true);
	for (int32_t q = s->readers_since_write[v]; q != NONE; q = s->reads.v[q].next)
		add_edge(s, (int32_t)s->reads.v[q].node, i, false);
	s->last_writer[v] = (int32_t)i;
	s->readers_since_write[v] = NONE;
}

enum access { ACC_NONE, ACC_LOAD, ACC_STORE, ACC_ALL };

static enum access access_of(const struct inst *in)
{
	uint64_t facts = op_info[in->op].facts;
	bool reads = facts & OF_READS, writes = facts & OF_WRITES;
	bool fixed = in->space == SP_PARAM || in->space == SP_CONST || (in->mods & M_NC);
	if ((facts & (OF_ORDER | OF_ATOMIC)) || (reads && writes))
		return ACC_ALL;
	return writes ? ACC_STORE : reads && !fixed ? ACC_LOAD : ACC_NONE;
}

/* The memories that an access may touch: bit 0 shared, bit 1 all others. */
static unsigned memory_of(const struct inst *in)
{
	return in->space == SP_SHARED ? 1 : in->space == SP_GENERIC || in->space == SP_NONE ? 3 : 2;
}

struct memory { /* one kind of memory: its last store, the loads since */
	int32_t store;
	uint32_t load[CHUNK], nload;
};

static void order_memory(struct sched *s, struct memory *m, uint32_t i, enum access a,
			 unsigned which)
{
	for (unsigned k = 0; k < 2; k++) {
		if (!(which >> k & 1))
			continue;
		add_edge(s, m[k].store, i, false);
		if (a == ACC_LOAD) {
			m[k].load[m[k].nload++] = i;
			continue;
		}
		for (uint32_t q = 0; q < m[k].nload; q++)
			add_edge(s, (int32_t)m[k].load[q], i, false);
		m[k].nload = 0;
		m[k].store = (int32_t)i;
	}
}

static bool is_load(const struct inst *in)
{
	return (op_info[in->op].facts & (OF_READS | OF_WRITES)) == OF_READS;
}

static uint32_t latency_of(const struct inst *in)
{
	bool near = in->space == SP_SHARED || in->space == SP_PARAM;
	if (op_info[in->op].kind == OPK_TEXTURE)
		return 300;
	switch (inst_unit(in)) {
	case UNIT_MEM: return !is_load(in) ? 1 : near ? 30 : 300;
	case UNIT_SFU: return 20;
	case UNIT_DP: return 16;
	default: return 6;
	}
}

static void add_node(struct sched *s, struct memory *m, const struct inst *in, uint32_t copy)
{
	uint32_t r[INST_REGS], i = s->n++;
	s->node[i] = (struct node){
		.in = in, .after = NONE, .latency = latency_of(in), .uses = (uint32_t)s->regs.n};
	unsigned n = inst_uses(s->f, in, r);
	for (unsigned k = 0; k < n; k++)
		add_read(s, i, r[k]);
	s->node[i].defs = (uint32_t)s->regs.n;
	n = inst_defs(s->f, in, r);
	for (unsigned k = 0; k < n; k++)
		add_write(s, i, r[k], copy);
	s->node[i].end = (uint32_t)s->regs.n;
	enum access a = access_of(in);
	if (a != ACC_NONE)
		order_memory(s, m, i, a, a == ACC_ALL ? 3 : memory_of(in));
}

static void find_heights(struct sched *s)
{
	for (uint32_t i = s->n; i-- > 0;) {
		struct node *d = &s->node[i];
		for (int32_t e = d->after; e != NONE; e = s->after.v[e].next) {
			uint32_t h = s->after.v[e].wait + s->node[s->after.v[e].node].height;
			d->height = h > d->height ? h : d->height;
		}
	}
}

/* ---- the schedule ---- */

static bool is_kept(const struct sched *s, uint32_t v) { return s->uses[v] > 0 || s->out[v]; }

/* How often the list's k-th register occurs in the list; 0 if it occurred earlier. */
static int32_t count_in_list(const uint32_t *v, uint32_t n, uint32_t k)
{
	int32_t x = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (v[i] == v[k] && i < k)
			return 0;
		x += v[i] == v[k];
	}
	return x;
}

/* The increase in live registers if the instruction is executed. */
static int32_t live_change(const struct sched *s, const struct node *d)
{
	const uint32_t *v = s->regs.v + d->uses;
	uint32_t n = d->defs - d->uses;
	int32_t sum = 0;
	for (uint32_t k = 0; k < n; k++)
		if (s->alive[v[k]] && !s->out[v[k]] && s->uses[v[k]] == count_in_list(v, n, k))
			sum -= s->rows[v[k] % s->nregs];
	for (uint32_t k = d->defs; k < d->end; k++)
		if (!s->alive[s->regs.v[k]] && is_kept(s, s->regs.v[k]))
			sum += s->rows[s->regs.v[k] % s->nregs];
	return sum;
}

static void execute_node(struct sched *s, const struct node *d)
{
	s->now += live_change(s, d);
	s->most = s->now > s->most ? s->now : s->most;
	for (uint32_t k = d->uses; k < d->defs; k++) {
		uint32_t v = s->regs.v[k];
		s->uses[v]--;
		s->alive[v] = s->alive[v] && is_kept(s, v);
	}
	for (uint32_t k = d->defs; k < d->end; k++)
		s->alive[s->regs.v[k]] = is_kept(s, s->regs.v[k]);
}

/* Chooses the next instruction at time t: of the ready ones, the one with the longest path to the end;
 * with too many registers live, the one that frees most. */
static uint32_t choose_ready(const struct sched *s, const uint32_t *ready, uint32_t nready,
			     uint32_t *t)
{
	uint32_t best = 0, soonest = UINT32_MAX;
	int32_t least = INT32_MAX;
	bool full = s->now >= s->limit, any = false;
	for (uint32_t k = 0; k < nready; k++) {
		const struct node *d = &s->node[ready[k]], *b = &s->node[ready[best]];
		soonest = d->start < soonest ? d->start : soonest;
		int32_t c = full ? live_change(s, d) : 0;
		bool longer = d->height > b->height || (d->height == b->height && d < b);
		if (full ? c < least || (c == least && d < b)
			 : d->start <= *t && (!any || longer)) {
			least = c;
			best = k;
			any = true;
		}
	}
	if (any)
		return best;
	*t = soonest;
	return choose_ready(s, ready, nready, t);
}

static void schedule_nodes(struct sched *s)
{
	uint32_t ready[CHUNK], nready = 0, t = 0;
	for (uint32_t i = 0; i < s->n; i++)
		if (!s->node[i].preds)
			ready[nready++] = i;
	while (nready) {
		uint32_t k = choose_ready(s, ready, nready, &t);
		const struct node *d = &s->node[ready[k]];
		ready[k] = ready[--nready];
		execute_node(s, d);
		for (int32_t e = d->after; e != NONE; e = s->after.v[e].next) {
			struct node *w = &s->node[s->after.v[e].node];
			uint32_t at = t + s->after.v[e].wait;
			w->start = at > w->start ? at : w->start;
			if (!--w->preds)
				ready[nready++] = s->after.v[e].node;
		}
		/* memory instructions take two cycles: half as many lanes access memory as
		 * compute */
		t += inst_unit(d->in) == UNIT_MEM && op_info[d->in->op].kind != OPK_TEXTURE ? 2 : 1;
	}
}

/* ---- pieces of code ---- */

/* True for a loop of one block that loads and has no barrier: its body is scheduled in four copies, as
 * assemblers unroll it. */
static bool is_unrolled(const struct sched *s, const struct cfg *c, uint32_t b)
{
	uint32_t first = c->block[b].first, end = c->block[b].end;
	const struct inst *last = &s->f->code.v[end - 1];
	bool loads = false;
	if (!inst_is(last, OF_BRANCH) || last->target != first || (end - first) * COPIES > CHUNK)
		return false;
	for (uint32_t pc = first; pc + 1 < end; pc++) {
		enum access a = access_of(&s->f->code.v[pc]);
		if (a == ACC_ALL)
			return false;
		loads |= inst_is(&s->f->code.v[pc], OF_LOAD) && s->f->code.v[pc].space != SP_PARAM;
	}
	return loads;
}

/* Sets up the registers of [first, end) in their state at `first`, in all versions. */
static void begin_piece(struct sched *s, uint32_t first, uint32_t end, uint32_t copies)
{
	uint32_t r[INST_REGS];
	s->n = 0;
	s->after.n = s->reads.n = s->regs.n = 0;
	for (uint32_t pc = first; pc < end; pc++)
		for (int k = 0; k < 2; k++) {
			const struct inst *in = &s->f->code.v[pc];
			for (unsigned n = k ? inst_defs(s->f, in, r) : inst_uses(s->f, in, r);
			     n--;) {
				s->current_version[r[n]] = r[n];
				for (uint32_t x = 0; x < copies; x++) {
					uint32_t v = x * s->nregs + r[n];
					s->last_writer[v] = s->readers_since_write[v] = NONE;
					s->uses[v] = 0;
					s->out[v] = false;
					s->alive[v] = !x && live_at(s->l, r[n], 2 * first);
				}
			}
		}
}

static void schedule_piece(struct sched *s, struct memory *m, uint32_t first, uint32_t end,
			   uint32_t copies)
{
	uint32_t r[INST_REGS];
	begin_piece(s, first, end, copies);
	m[0].store = m[1].store = NONE;
	m[0].nload = m[1].nload = 0;
	for (uint32_t x = 0; x < copies; x++)
		for (uint32_t pc = first; pc < end; pc++) {
			bool jump = inst_is(&s->f->code.v[pc], OF_BRANCH) && x + 1 < copies;
			if (!jump) /* all copies but the last lose their branches */
				add_node(s, m, &s->f->code.v[pc], x);
		}
	for (uint32_t pc = first; pc < end; pc++)
		for (int k = 0; k < 2; k++) {
			const struct inst *in = &s->f->code.v[pc];
			for (unsigned n = k ? inst_defs(s->f, in, r) : inst_uses(s->f, in, r); n--;)
				s->out[s->current_version[r[n]]] = live_at(s->l, r[n], 2 * end - 1);
		}
	find_heights(s);
	schedule_nodes(s);
}

/* The number of registers live at each point in the order of the text. */
static int32_t *live_counts(const struct sched *s, struct arena *a)
{
	size_t points = 2 * s->f->code.n + 2;
	int32_t *n = ARENA_ARRAY(a, int32_t, points + 1);
	for (uint32_t r = 0; r < s->l->nregs; r++)
		for (uint32_t i = s->l->at[r]; i < s->l->at[r + 1]; i++) {
			n[s->l->seg[i].from] += s->rows[r];
			n[s->l->seg[i].to] -= s->rows[r];
		}
	for (size_t t = 1; t <= points; t++)
		n[t] += n[t - 1];
	return n;
}

static struct sched *sched_new(const struct func *f, const struct live *l, struct arena *a)
{
	struct sched *s = ARENA_ARRAY(a, struct sched, 1);
	s->f = f;
	s->l = l;
	s->nregs = (uint32_t)f->regs.n + 1;
	s->rows = ARENA_ARRAY(a, uint8_t, s->nregs);
	s->current_version = ARENA_ARRAY(a, uint32_t, s->nregs);
	s->last_writer = ARENA_ARRAY(a, int32_t, (size_t)COPIES * s->nregs);
	s->readers_since_write = ARENA_ARRAY(a, int32_t, (size_t)COPIES * s->nregs);
	s->uses = ARENA_ARRAY(a, int32_t, (size_t)COPIES * s->nregs);
	s->alive = ARENA_ARRAY(a, bool, (size_t)COPIES * s->nregs);
	s->out = ARENA_ARRAY(a, bool, (size_t)COPIES * s->nregs);
	return s;
}

unsigned pressure_scheduled(const struct func *f, const struct cfg *c, const struct live *l,
			    unsigned limit)
{
	struct arena a = {0};
	struct sched *s = sched_new(f, l, &a);
	struct memory *m = ARENA_ARRAY(&a, struct memory, 2);
	s->limit = (int32_t)limit;
	find_rows(s, &a);
	const int32_t *live = live_counts(s, &a);
	for (uint32_t b = 0; b < c->n; b++) {
		uint32_t stop = c->block[b].end,
			 copies = cfg_reached(c, b) && is_unrolled(s, c, b) ? COPIES : 1;
		for (uint32_t at = c->block[b].first, end; cfg_reached(c, b) && at < stop;
		     at = end) {
			end = at + CHUNK < stop ? at + CHUNK : stop;
			s->now = live[2 * at];
			s->most = s->now > s->most ? s->now : s->most;
			schedule_piece(s, m, at, end, copies);
		}
	}
	vec_free(&s->after);
	vec_free(&s->reads);
	vec_free(&s->regs);
	unsigned most = (unsigned)s->most;
	arena_free(&a);
	return most;
}
