#include "isa/sm70/hazard.h"

#include <stdlib.h>
#include "base/arena.h"
#include "isa/sm70/hazard_fact.h"
#include "isa/sm70/issue.h"

static const uint8_t needs[GROUPS][CONSUMERS] = {
#define HAZARD(group, alu, fma, wide, half, fp64, xu, memory, tensor, control, uniform, text)      \
	{alu, fma, wide, half, fp64, xu, memory, tensor, control, uniform},
#include "isa/sm70/hazard.def"
#undef HAZARD
};

/* Cycles that a predicate needs before it is read: as an operand, or as a guard and by instructions
 * that read it as early as a guard. */
enum {
	PRED_OPERAND = 4,
	PRED_GUARD = 13,
	PRED_GUARD_75 = 12, /* on chips before sm_80 */
	PRED_GUARD_FP64 = 14,
	PRED_FP64 = 6,
	PRED_HALF = 5, /* predicate of HSETP2, read by HSETP2 or HSET2 */
	UPRED_OPERAND = 4,
	UPRED_VECTOR = 6,
	UPRED_GUARD = 9,
	UPRED_EARLY = 5
};
/* SHARED_READ_75: cycles after which an access of shared memory has read its sources, before sm_80. 15 are the fewest that
 * ptxas leaves there without a counter, in the 43 workloads that it compiles. */
enum { SHARED_READ_75 = 15 };
/* COUNTER_SEEN: cycles after its issue from which other instructions see that an instruction holds
 * its counter. */
enum { COUNTER_SEEN = 2, COUNTERS = 6, MOST_NEED = 32 };

struct seen {            /* the state in which a walk reached an instruction */
	uint32_t walk;   /* number of the walk that visited the place last */
	uint16_t cycles; /* least since the producer */
	uint8_t cover;   /* mask of counters; a wait for any of them proves that the producer is
	                  * done */
	uint8_t younger; /* lower bound of the later instructions that hold the counter (a matrix
			  * product: of the later groups) */
};

struct search {
	const struct sm70_inst *in;
	bool turing; /* a chip before sm_80 */
	uint32_t n;
	struct fact *fact;
	struct seen *seen;
	uint32_t walk;
	VEC(uint32_t) work;
	struct sm70_hazards *out;
};

static unsigned stall_of(const struct sm70_inst *in)
{
	return in->control.stall ? in->control.stall : 1;
}

static bool is_conditional(const struct sm70_inst *in)
{
	if (in->guard != SM70_PT || in->guard_neg)
		return true;
	for (unsigned i = 0; i < in->nop; i++) {
		const struct sm70_operand *o = &in->o[i];
		if ((o->kind == SM70_K_PRED || o->kind == SM70_K_UPRED) && !o->hidden &&
		    (o->reg != SM70_PT || o->neg))
			return true;
	}
	return false;
}

static bool is_jump(unsigned op)
{
	switch (op) {
	case SM70_BRA:
	case SM70_BRX:
	case SM70_BRXU:
	case SM70_JMP:
	case SM70_JMX:
	case SM70_JMXU:
	case SM70_CALL:
	case SM70_RET:
	case SM70_EXIT: return true;
	default: return false;
	}
}

/* The instructions that may come next. */
static unsigned next_of(const struct search *s, uint32_t i, uint32_t to[2])
{
	const struct sm70_inst *in = &s->in[i];
	unsigned n = 0;
	bool jumps = is_jump(in->op);
	if ((!jumps || is_conditional(in)) && i + 1 < s->n)
		to[n++] = i + 1;
	if (in->op != SM70_BRA && in->op != SM70_JMP && in->op != SM70_CALL)
		return n;
	for (unsigned k = 0; k < in->nop; k++) {
		uint64_t at = in->o[k].imm - s->in[0].pc;
		bool number = in->o[k].kind == SM70_K_TARGET || in->o[k].kind == SM70_K_IMM;
		if (number && in->o[k].role == SM70_R_T && at % 16 == 0 && at / 16 < s->n)
			to[n++] = (uint32_t)(at / 16);
	}
	return n;
}

/* Are the instructions guarded by one predicate and its negation? As long as the predicate does not
 * change, no lane executes both. */
static bool are_opposite(const struct sm70_inst *a, const struct sm70_inst *b)
{
	return a->guard != SM70_PT && a->guard == b->guard &&
	       a->guard_uniform == b->guard_uniform && a->guard_neg != b->guard_neg;
}

/* Does b write in every lane in which a has written? */
static bool covers_lanes(const struct sm70_inst *a, const struct sm70_inst *b)
{
	if (b->guard == SM70_PT)
		return !b->guard_neg;
	return a->guard == b->guard && a->guard_uniform == b->guard_uniform &&
	       a->guard_neg == b->guard_neg;
}

/* ---- results ---- */

static void add_hazard(struct search *s, struct sm70_hazard h)
{
	for (size_t i = s->out->v.n; i-- > 0;) {
		struct sm70_hazard *o = &s->out->v.v[i];
		if (o->first != h.first)
			break;
		if (o->second != h.second)
			continue;
		if (h.kind == SM70_HAZARD_STALL && o->kind == h.kind &&
		    h.need - h.have > o->need - o->have)
			*o = h;
		return;
	}
	vec_push(&s->out->v, h);
}

static const struct sm70_span *span_with(const struct fact *f, unsigned resource, bool write)
{
	const struct sm70_span *found = NULL;
	for (unsigned i = 0; i < f->access.n; i++) {
		const struct sm70_span *p = &f->access.span[i];
		if (p->write == write && resource >= p->first &&
		    resource < (unsigned)p->first + p->n && (!found || p->guard))
			found = p;
	}
	return found;
}

static bool spans_meet(const struct sm70_span *a, const struct sm70_span *b)
{
	return a->first < b->first + b->n && b->first < a->first + a->n;
}

/* Records that the walk reaches an instruction. False: an earlier visit was in a state at least as
 * bad. */
static bool enter_instruction(struct search *s, uint32_t i, struct seen now)
{
	struct seen *was = &s->seen[i];
	now.walk = s->walk;
	if (was->walk == s->walk) {
		if (was->cycles <= now.cycles && !(was->cover & ~now.cover) &&
		    was->younger <= now.younger)
			return false;
		now.cycles = was->cycles < now.cycles ? was->cycles : now.cycles;
		now.cover &= was->cover;
		now.younger = was->younger < now.younger ? was->younger : now.younger;
	}
	*was = now;
	vec_push(&s->work, i);
	return true;
}

static void enter_next(struct search *s, uint32_t i, struct seen now)
{
	uint32_t to[2];
	unsigned n = next_of(s, i, to), cycles = now.cycles + stall_of(&s->in[i]);
	now.cycles = (uint16_t)(cycles < 1000 ? cycles : 1000);
	for (unsigned k = 0; k < n; k++)
		enter_instruction(s, to[k], now);
}

/* ---- results of fixed time ---- */

/* Instructions that read a predicate operand as early as a guard. */
static bool reads_early(const struct sm70_inst *in)
{
	switch (in->op) {
	case SM70_VOTE:
	case SM70_VOTEU:
	case SM70_BAR:
	case SM70_DSETP:
	case SM70_HSET2:
	case SM70_HSETP2: return true;
	default: return false;
	}
}

static unsigned need_of_predicate(const struct search *s, uint32_t p, uint32_t c,
				  const struct sm70_span *read)
{
	const struct fact *fp = &s->fact[p], *fc = &s->fact[c];
	bool uniform = read->first >= SM70_UPREDS;
	if (uniform) {
		if (s->in[p].op == SM70_VOTEU || s->in[p].op == SM70_ELECT)
			return UPRED_EARLY;
		if (read->guard)
			return UPRED_GUARD;
		return fc->by == BY_UNIFORM ? UPRED_OPERAND : UPRED_VECTOR;
	}
	bool early = read->guard || reads_early(&s->in[c]);
	if (fp->group == G_FP64)
		return early && s->in[c].op != SM70_DSETP ? PRED_GUARD_FP64 : PRED_FP64;
	if (!early)
		return PRED_OPERAND;
	if (!read->guard && s->in[p].op == SM70_HSETP2 &&
	    (s->in[c].op == SM70_HSETP2 || s->in[c].op == SM70_HSET2))
		return PRED_HALF;
	return s->turing ? PRED_GUARD_75 : PRED_GUARD;
}

static unsigned need_of(const struct search *s, uint32_t p, unsigned resource, uint32_t c,
			const struct sm70_span *read)
{
	const struct fact *fp = &s->fact[p], *fc = &s->fact[c];
	if (resource >= SM70_PREDS)
		return need_of_predicate(s, p, c, read);
	const struct sm70_span *w = span_with(fp, resource, true);
	unsigned group = fp->group, by = fc->by;
	if (group == G_WIDE && resource > w->first)
		group = G_WIDE_UPPER;
	if (fc->group == G_WIDE && read->role == SM70_R_C && resource > read->first)
		by = BY_WIDE;
	return needs[group][by];
}

/* The earliest cycle in which the result of a later write is available. */
static unsigned time_of_write(const struct search *s, uint32_t c, unsigned resource)
{
	unsigned group = s->fact[c].group;
	return group < GROUPS && resource < SM70_PREDS ? needs[group][BY_XU] : MOST_NEED;
}

static bool check_fixed(struct search *s, uint32_t p, unsigned resource, uint32_t c,
			unsigned cycles)
{
	const struct sm70_span *read = span_with(&s->fact[c], resource, false);
	if (are_opposite(&s->in[p], &s->in[c]))
		return true;
	if (read) {
		unsigned need = need_of(s, p, resource, c, read);
		if (cycles < need)
			add_hazard(s, (struct sm70_hazard){.first = p,
							   .second = c,
							   .resource = (uint16_t)resource,
							   .kind = SM70_HAZARD_STALL,
							   .have = (uint8_t)cycles,
							   .need = (uint8_t)need});
	}
	if (!span_with(&s->fact[c], resource, true))
		return true;
	unsigned group = s->fact[p].group, done = resource < SM70_PREDS ? needs[group][BY_XU] : 0;
	unsigned own = time_of_write(s, c, resource);
	if (cycles + own < done)
		add_hazard(s, (struct sm70_hazard){.first = p,
						   .second = c,
						   .resource = (uint16_t)resource,
						   .kind = SM70_HAZARD_STALL,
						   .have = (uint8_t)cycles,
						   .need = (uint8_t)(done - own),
						   .writes = true});
	return !covers_lanes(&s->in[p], &s->in[c]);
}

static void follow_fixed(struct search *s, uint32_t p, unsigned resource)
{
	s->walk++;
	enter_next(s, p, (struct seen){.cycles = 0});
	while (s->work.n) {
		uint32_t i = s->work.v[--s->work.n];
		struct seen now = s->seen[i];
		if (now.cycles >= MOST_NEED)
			continue;
		if (check_fixed(s, p, resource, i, now.cycles))
			enter_next(s, i, now);
	}
}

/* ---- results and sources of varying time ---- */

static unsigned bit_of(unsigned counter) { return counter < COUNTERS ? 1u << counter : 0; }

/* Counters that the instruction waits for until they are 0. */
static unsigned waits_of(const struct sm70_inst *in) { return sm70_issue_of(in).control.wait; }

/* Does DEPBAR.LE prove the producer done? The instructions that hold a counter release it in
 * order. */
static bool depbar_ends(const struct sm70_inst *in, const struct seen *now)
{
	struct sm70_issue i = sm70_issue_of(in);
	return in->op == SM70_DEPBAR && bit_of(i.depbar_counter) & now->cover &&
	       now->younger >= i.depbar_most;
}

/* The subject of a walk from an instruction of varying time. */
enum what {
	RESULTS,
	ANSWER, /* ATOM's predicate (is the address in shared memory?), available when the sources
		 * have been read */
	SOURCES,
	NOT_CHECKED
};

/* True if the instruction reads this operand after its issue. Predicates are read at issue. So are
 * uniform registers, except by bulk and tensor copies, whose fields they hold. */
static bool is_read_late(const struct sm70_inst *in, const struct sm70_span *span)
{
	if (span->first >= SM70_PREDS)
		return false;
	if (span->first < SM70_UREGS)
		return true;
	switch (in->op) {
	case SM70_UBLKCP:
	case SM70_UBLKRED:
	case SM70_UBLKPF:
	case SM70_UTMALDG:
	case SM70_UTMASTG:
	case SM70_UTMAREDG:
	case SM70_UTMAPF:
	case SM70_UTMACCTL: return true;
	default: return false;
	}
}

static enum what what_of(const struct sm70_inst *in, const struct sm70_span *span)
{
	if (!span->write)
		return is_read_late(in, span) ? SOURCES : NOT_CHECKED;
	return in->op == SM70_ATOM && span->role == SM70_R_PD ? ANSWER : RESULTS;
}

/* The first access of the instruction that must not happen before the producer is done. */
static const struct sm70_span *find_conflict(const struct search *s, uint32_t p, uint32_t c,
					     enum what what, unsigned *resource)
{
	const struct sm70_access *a = &s->fact[p].access, *b = &s->fact[c].access;
	/* hardware keeps results of one family, and sources of one queue, in order */
	bool family =
		what == RESULTS && s->fact[p].family && s->fact[p].family == s->fact[c].family;
	bool queue = what == SOURCES && s->fact[p].queue && s->fact[p].queue == s->fact[c].queue;
	for (unsigned i = 0; i < a->n; i++) {
		if (what_of(&s->in[p], &a->span[i]) != what)
			continue;
		for (unsigned k = 0; k < b->n; k++)
			if (spans_meet(&a->span[i], &b->span[k]) &&
			    (b->span[k].write ? !family && !queue : what != SOURCES)) {
				*resource = a->span[i].first > b->span[k].first ? a->span[i].first
										: b->span[k].first;
				return &b->span[k];
			}
	}
	return NULL;
}

/* Counters of a later instruction that prove the producer done as well. */
static unsigned proofs_of(const struct search *s, uint32_t p, uint32_t later, bool sources)
{
	const struct fact *a = &s->fact[p], *b = &s->fact[later];
	const struct sm70_control *c = &s->in[later].control;
	if (sources)
		return b->queue && a->queue == b->queue ? bit_of(c->write) | bit_of(c->read) : 0;
	return b->family && a->family == b->family ? bit_of(c->write) : 0;
}

/* True if the sources of producer p have certainly been read after this many cycles, whatever
 * counters it uses. */
static bool has_read(const struct search *s, uint32_t p, unsigned cycles)
{
	unsigned class = s->fact[p].class;
	bool shared = class == SM70_CLASS_load_shared || class == SM70_CLASS_store_shared;
	return s->turing && shared && cycles >= SHARED_READ_75;
}

/* True if every earlier instruction has read its sources after this one: before sm_80 ptxas needs no counter across
 * BAR.SYNC. */
static bool ends_reads(const struct search *s, const struct sm70_inst *at)
{
	return s->turing && at->op == SM70_BAR && fact_says(at, SM70_MOD_MODE, "SYNC") &&
	       !is_conditional(at);
}

static unsigned kind_of(enum what what, unsigned own, bool early)
{
	if (early)
		return SM70_HAZARD_HASTE;
	if (what == SOURCES)
		return own ? SM70_HAZARD_SOURCE : SM70_HAZARD_UNREAD;
	return own ? SM70_HAZARD_RESULT : SM70_HAZARD_NONE;
}

/* The counter to wait for; for sources the read counter, which is decremented first. */
static uint8_t counter_of(const struct sm70_inst *in, enum what what)
{
	bool read = what != RESULTS && in->control.read < COUNTERS;
	return read ? in->control.read : in->control.write;
}

static void follow_varying(struct search *s, uint32_t p, enum what what)
{
	const struct sm70_inst *in = &s->in[p];
	unsigned write = bit_of(in->control.write), read = bit_of(in->control.read);
	unsigned own = what == RESULTS ? write : write | read;
	bool sources = what == SOURCES;
	s->walk++;
	enter_next(s, p, (struct seen){.cover = (uint8_t)own});
	while (s->work.n) {
		uint32_t i = s->work.v[--s->work.n];
		struct seen now = s->seen[i];
		const struct sm70_inst *at = &s->in[i];
		unsigned wait = waits_of(at) & now.cover, resource;
		bool early = now.cycles < COUNTER_SEEN && wait && !(wait & ~own);
		if ((wait && !early) || depbar_ends(at, &now) ||
		    (sources && has_read(s, p, now.cycles)))
			continue;
		const struct sm70_span *use = find_conflict(s, p, i, what, &resource);
		if (use && !are_opposite(in, at)) {
			add_hazard(s,
				   (struct sm70_hazard){.first = p,
							.second = i,
							.resource = (uint16_t)resource,
							.kind = (uint8_t)kind_of(what, own, early),
							.have = (uint8_t)now.cycles,
							.need = COUNTER_SEEN,
							.counter = counter_of(in, what),
							.writes = use->write});
			continue;
		}
		if (sources && ends_reads(s, at))
			continue;
		now.cover |= (uint8_t)proofs_of(s, p, i, sources);
		if (now.younger < 200 &&
		    (bit_of(at->control.write) | bit_of(at->control.read)) & now.cover)
			now.younger++;
		enter_next(s, i, now);
	}
}

/* ---- wgmma ---- */

static bool ends_group(const struct sm70_inst *in)
{
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == SM70_K_WORD && in->o[i].part == SM70_W_gsb0)
			return true;
	return false;
}

/* WARPGROUP.DEPBAR.LE gsb0, n: at most n groups are left. */
static bool group_is_done(const struct sm70_inst *in, const struct seen *now)
{
	const struct sm70_operand *n = sm70_operand_of(in, SM70_R_I);
	return in->op == SM70_WARPGROUP && n && fact_says(in, SM70_MOD_MODE, "DEPBAR") &&
	       now->younger > n->imm;
}

/* Returns the instruction's access to a register of product p; NULL: none. Accumulators of later
 * products in a chain do not count, since the tensor core orders them. */
static const struct sm70_span *use_of_product(const struct search *s, uint32_t p, uint32_t c,
					      unsigned *resource)
{
	const struct sm70_access *a = &s->fact[p].access, *b = &s->fact[c].access;
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++) {
			const struct sm70_span *x = &a->span[i], *y = &b->span[k];
			bool product = s->fact[c].group == G_LATER && y->role != SM70_R_A;
			if (x->first >= SM70_UREGS || !spans_meet(x, y) || product ||
			    (!x->write && !y->write))
				continue;
			*resource = x->first > y->first ? x->first : y->first;
			return y;
		}
	return NULL;
}

/* Follows a matrix product p through all paths; `younger` counts the groups that have ended
 * since. */
static void follow_product(struct search *s, uint32_t p)
{
	s->walk++;
	enter_next(s, p, (struct seen){.younger = ends_group(&s->in[p])});
	while (s->work.n) {
		uint32_t i = s->work.v[--s->work.n];
		struct seen now = s->seen[i];
		unsigned resource;
		if (group_is_done(&s->in[i], &now))
			continue;
		const struct sm70_span *use = use_of_product(s, p, i, &resource);
		if (use) {
			add_hazard(s, (struct sm70_hazard){.first = p,
							   .second = i,
							   .resource = (uint16_t)resource,
							   .kind = SM70_HAZARD_GROUP,
							   .writes = use->write});
			continue;
		}
		if (s->fact[i].group == G_LATER && ends_group(&s->in[i]) && now.younger < 200)
			now.younger++;
		enter_next(s, i, now);
	}
}

/* ---- all of a section ---- */

static bool has_any(const struct sm70_inst *in, const struct fact *f, enum what what)
{
	for (unsigned i = 0; i < f->access.n; i++)
		if (what_of(in, &f->access.span[i]) == what)
			return true;
	return false;
}

static void check_producer(struct search *s, uint32_t p)
{
	const struct fact *f = &s->fact[p];
	if (s->in[p].guard == SM70_PT && s->in[p].guard_neg)
		return; /* never executed */
	if (f->group == G_VARYING || s->in[p].control.write < COUNTERS) {
		/* sm_80's doubles hold counters, but read their sources at a fixed time */
		unsigned end = f->group == G_VARYING ? NOT_CHECKED : SOURCES;
		for (unsigned what = RESULTS; what < end; what++)
			if (has_any(&s->in[p], f, what))
				follow_varying(s, p, what);
		return;
	}
	if (f->group == G_LATER)
		follow_product(s, p);
	if (f->group >= GROUPS)
		return;
	for (unsigned i = 0; i < f->access.n; i++)
		for (unsigned r = 0; f->access.span[i].write && r < f->access.span[i].n; r++)
			follow_fixed(s, p, f->access.span[i].first + r);
}

void sm70_hazards_find(unsigned chip, const struct sm70_inst *in, size_t n,
		       struct sm70_hazards *out)
{
	struct search s = {.in = in, .n = (uint32_t)n, .turing = chip < 80, .out = out};
	s.fact = xcalloc(n + 1, sizeof *s.fact);
	s.seen = xcalloc(n + 1, sizeof *s.seen);
	for (uint32_t i = 0; i < n; i++)
		s.fact[i] = fact_of(&in[i]);
	for (uint32_t i = 0; i < n; i++)
		check_producer(&s, i);
	vec_free(&s.work);
	free(s.fact);
	free(s.seen);
}
