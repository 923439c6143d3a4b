#include "isa/sm70/hazard.h"

#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "isa/sm70/access.h"
#include "isa/sm70/issue.h"

enum group {
#define HAZARD(group, ...) G_##group,
#include "isa/sm70/hazard.def"
#undef HAZARD
	GROUPS,
	G_VARYING, /* of varying time: a counter proves it done */
	G_LATER,   /* wgmma: WARPGROUP.DEPBAR waits for it */
	G_NOTHING, /* no results that are checked */
};
enum consumer {
	BY_ALU,
	BY_FMA,
	BY_WIDE,
	BY_HALF,
	BY_FP64,
	BY_XU,
	BY_MEMORY,
	BY_TENSOR,
	BY_CONTROL,
	BY_UNIFORM,
	CONSUMERS
};

static const uint8_t needs[GROUPS][CONSUMERS] = {
#define HAZARD(group, alu, fma, wide, half, fp64, xu, memory, tensor, control, uniform, text)      \
	{alu, fma, wide, half, fp64, xu, memory, tensor, control, uniform},
#include "isa/sm70/hazard.def"
#undef HAZARD
};

/* Predicates: as operands, and as guards or where an instruction reads them as early as a guard. */
enum {
	PRED_OPERAND = 4,
	PRED_GUARD = 13,
	PRED_GUARD_FP64 = 14,
	PRED_FP64 = 6,
	UPRED_OPERAND = 4,
	UPRED_VECTOR = 6,
	UPRED_GUARD = 9,
	UPRED_EARLY = 5
};
/* The cycle after the issue in which a counter is held, as others see it. */
enum { COUNTER_SEEN = 2, COUNTERS = 6, NONE = 7, MOST_NEED = 32, NO_GROUPS = 0xff };

struct fact { /* one instruction, as the check sees it */
	struct sm70_access access;
	uint8_t class;  /* enum sm70_class */
	uint8_t group;  /* enum group */
	uint8_t by;     /* enum consumer */
	uint8_t family; /* instructions of one family write their results in order; 0: none */
	uint8_t queue;  /* instructions of one queue read their sources in order; 0: none */
};

struct seen {            /* how a walk came to an instruction */
	uint32_t walk;   /* number of the walk */
	uint16_t cycles; /* least since the producer */
	uint8_t cover;   /* counters of which any proves the producer done */
	uint8_t younger; /* later instructions that hold the counter, at least; or groups */
};

struct search {
	const struct sm70_inst *in;
	uint32_t n;
	struct fact *fact;
	struct seen *seen;
	uint32_t walk;
	VEC(uint32_t) work;
	struct sm70_hazards *out;
};

/* ---- instructions ---- */

static bool says(const struct sm70_inst *in, unsigned slot, const char *word)
{
	return in->mod[slot] && !strcmp(sm70_word_text(in->mod[slot]), word);
}

static bool is_half_of_tensor(const struct sm70_inst *in)
{
	for (unsigned i = 0; i < SM70_MOD_COUNT; i++)
		if (in->mod[i] && !strcmp(sm70_word_text(in->mod[i]), "MMA"))
			return true;
	return false;
}

/* Shapes of eight rows have half of the work. */
static bool is_small(const struct sm70_inst *in)
{
	return says(in, SM70_MOD_SHAPE, "88128") || says(in, SM70_MOD_SHAPE, "8832");
}

static unsigned group_of(const struct sm70_inst *in, unsigned class)
{
	switch (in->op) {
	case SM70_VIADD:
	case SM70_HADD2:
	case SM70_HMUL2: return G_FMA;
	case SM70_HFMA2: return is_half_of_tensor(in) ? G_HALF : G_FMA;
	case SM70_UMOV:
	case SM70_ULDC:
	case SM70_VOTEU:
	case SM70_ELECT: return G_UNIFORM_EARLY;
	case SM70_UFLO:
	case SM70_UPOPC:
	case SM70_UBREV: return G_UNIFORM;
	case SM70_R2UR: return G_TO_UNIFORM;
	case SM70_DMMA:
	case SM70_MOVM:
	case SM70_S2R:
	case SM70_S2UR:
	case SM70_B2R:
	case SM70_QSPC:
	case SM70_SYNCS:
	case SM70_LDGMC:
	case SM70_TEX:
	case SM70_TLD:
	case SM70_TLD4:
	case SM70_TXD:
	case SM70_TXQ:
	case SM70_SULD:
	case SM70_SUST:
	case SM70_SURED:
	case SM70_STAS:
	case SM70_REDAS:
	case SM70_UBLKCP:
	case SM70_UBLKRED:
	case SM70_UBLKPF:
	case SM70_UTMALDG:
	case SM70_UTMASTG:
	case SM70_UTMAREDG:
	case SM70_UTMAPF:
	case SM70_UTMACCTL:
	case SM70_USETMAXREG: return G_VARYING;
	case SM70_HGMMA:
	case SM70_QGMMA:
	case SM70_IGMMA:
	case SM70_BGMMA: return G_LATER;
	default: break;
	}
	switch (class) {
	case SM70_CLASS_alu: return G_ALU;
	case SM70_CLASS_fma:
	case SM70_CLASS_imad: return G_FMA;
	case SM70_CLASS_imad_wide: return G_WIDE;
	case SM70_CLASS_imad_high: return G_HIGH;
	case SM70_CLASS_fp64: return G_FP64;
	case SM70_CLASS_clock: return G_CLOCK;
	case SM70_CLASS_mma_half: return G_MMA_HALF;
	case SM70_CLASS_mma_full: return is_small(in) ? G_MMA_HALF : G_MMA_FULL;
	case SM70_CLASS_mma_sparse: return G_MMA_SPARSE;
	case SM70_CLASS_uniform:
	case SM70_CLASS_to_uniform: return G_UNIFORM;
	case SM70_CLASS_nothing:
	case SM70_CLASS_branch:
	case SM70_CLASS_barrier: return G_NOTHING;
	default: return G_VARYING;
	}
}

static unsigned consumer_of(const struct sm70_inst *in, unsigned class, unsigned group)
{
	switch (in->op) { /* read their sources a cycle later than other accesses to memory */
	case SM70_TEX:
	case SM70_LDC:
	case SM70_SYNCS:
	case SM70_R2UR: return BY_XU;
	default: break;
	}
	switch (group) {
	case G_ALU: return BY_ALU;
	case G_FMA:
	case G_WIDE:
	case G_HIGH: return BY_FMA;
	case G_HALF: return BY_HALF;
	case G_FP64: return BY_FP64;
	case G_MMA_HALF:
	case G_MMA_FULL:
	case G_MMA_SPARSE:
	case G_LATER: return BY_TENSOR;
	case G_UNIFORM:
	case G_UNIFORM_EARLY:
	case G_TO_UNIFORM: return BY_UNIFORM;
	default: break;
	}
	switch (class) {
	case SM70_CLASS_xu:
	case SM70_CLASS_xu_wide:
	case SM70_CLASS_redux:
	case SM70_CLASS_match: return BY_XU;
	case SM70_CLASS_branch: return BY_CONTROL;
	default: return BY_MEMORY;
	}
}

static unsigned family_of(const struct sm70_inst *in, unsigned class)
{
	if (in->op == SM70_QSPC)
		return 4;
	switch (class) {
	case SM70_CLASS_xu:
	case SM70_CLASS_xu_wide: return 1;
	case SM70_CLASS_shuffle:
	case SM70_CLASS_load_shared:
	case SM70_CLASS_store_shared: return 2;
	case SM70_CLASS_constant: return 3;
	default: return 0;
	}
}

static unsigned queue_of(unsigned class, unsigned group)
{
	if (class == SM70_CLASS_xu || class == SM70_CLASS_xu_wide)
		return 1;
	return group == G_VARYING ? 2 : 0;
}

static struct fact fact_of(const struct sm70_inst *in)
{
	struct fact f = {.access = sm70_access_of(in), .class = sm70_issue_of(in).class};
	f.group = (uint8_t)group_of(in, f.class);
	f.by = (uint8_t)consumer_of(in, f.class, f.group);
	f.family = (uint8_t)family_of(in, f.class);
	f.queue = (uint8_t)queue_of(f.class, f.group);
	return f;
}

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
	if (in->op != SM70_BRA && in->op != SM70_CALL)
		return n;
	for (unsigned k = 0; k < in->nop; k++) {
		uint64_t at = in->o[k].imm - s->in[0].pc;
		if (in->o[k].kind == SM70_K_TARGET && at % 16 == 0 && at / 16 < s->n)
			to[n++] = (uint32_t)(at / 16);
	}
	return n;
}

/* Do the instructions never execute in one lane with the predicate's value unchanged? */
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

static bool meet(const struct sm70_span *a, const struct sm70_span *b)
{
	return a->first < b->first + b->n && b->first < a->first + a->n;
}

/* A walk comes to an instruction; true: it has not been there in a state at least as bad. */
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
	return early ? PRED_GUARD : PRED_OPERAND;
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

/* When the result of a later write is there, at the earliest. */
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

/* Does DEPBAR.LE prove the producer done? Instructions that hold a counter give it back in order. */
static bool depbar_ends(const struct sm70_inst *in, const struct seen *now)
{
	struct sm70_issue i = sm70_issue_of(in);
	return in->op == SM70_DEPBAR && bit_of(i.depbar_counter) & now->cover &&
	       now->younger >= i.depbar_most;
}

/* What a walk from an instruction of varying time is about. */
enum what {
	RESULTS,
	ANSWER, /* ATOM's predicate, shared memory or not: it is there when the sources have been read */
	SOURCES,
	NOT_CHECKED
};

/* Predicates are read at issue, and so are uniform registers but by copies, whose fields they are. */
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

/* The first access that the producer has to be done before. */
static const struct sm70_span *conflict(const struct search *s, uint32_t p, uint32_t c,
					enum what what, unsigned *resource)
{
	const struct sm70_access *a = &s->fact[p].access, *b = &s->fact[c].access;
	bool sources = what == SOURCES;
	for (unsigned i = 0; i < a->n; i++) {
		if (what_of(&s->in[p], &a->span[i]) != what)
			continue;
		for (unsigned k = 0; k < b->n; k++)
			if (meet(&a->span[i], &b->span[k]) && (!sources || b->span[k].write)) {
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

static unsigned kind_of(enum what what, unsigned own, bool early)
{
	if (early)
		return SM70_HAZARD_HASTE;
	if (what == SOURCES)
		return own ? SM70_HAZARD_SOURCE : SM70_HAZARD_UNREAD;
	return own ? SM70_HAZARD_RESULT : SM70_HAZARD_NONE;
}

/* The counter to wait for; for sources that of reads, which is given back first. */
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
		if ((wait && !early) || depbar_ends(at, &now))
			continue;
		const struct sm70_span *use = conflict(s, p, i, what, &resource);
		if (use && sources && s->fact[i].queue == s->fact[p].queue)
			use = NULL; /* sources of one queue are read in order */
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
	return in->op == SM70_WARPGROUP && n && says(in, SM70_MOD_MODE, "DEPBAR") &&
	       now->younger > n->imm;
}

/* Does the instruction use a register of the product? Other products of the chain have it in turn. */
static const struct sm70_span *use_of_product(const struct search *s, uint32_t p, uint32_t c,
					      unsigned *resource)
{
	const struct sm70_access *a = &s->fact[p].access, *b = &s->fact[c].access;
	for (unsigned i = 0; i < a->n; i++)
		for (unsigned k = 0; k < b->n; k++) {
			const struct sm70_span *x = &a->span[i], *y = &b->span[k];
			bool product = s->fact[c].group == G_LATER && y->role != SM70_R_A;
			if (x->first >= SM70_UREGS || !meet(x, y) || product ||
			    (!x->write && !y->write))
				continue;
			*resource = x->first > y->first ? x->first : y->first;
			return y;
		}
	return NULL;
}

/* Groups that have ended since are counted in `younger`. */
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
		for (unsigned what = RESULTS; what < NOT_CHECKED; what++)
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

void sm70_hazards_find(const struct sm70_inst *in, size_t n, struct sm70_hazards *out)
{
	struct search s = {.in = in, .n = (uint32_t)n, .out = out};
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

/* ---- text ---- */

static void describe_hazard(const struct sm70_hazard *h, char *buf, size_t n)
{
	char reg[8];
	const char *does = h->writes ? "overwrites" : "reads";
	sm70_resource_name(h->resource, reg);
	switch (h->kind) {
	case SM70_HAZARD_STALL:
		snprintf(
			buf, n,
			"%s %s %u cycle%s after its producer: stall counts between them must add up to %u at least",
			does, reg, h->have, h->have == 1 ? "" : "s", h->need);
		break;
	case SM70_HAZARD_RESULT:
		snprintf(buf, n, "%s %s before its result is there: wait for counter %u", does, reg,
			 h->counter);
		break;
	case SM70_HAZARD_NONE:
		snprintf(
			buf, n,
			"%s %s before its result is there: the producer needs a write counter to wait for",
			does, reg);
		break;
	case SM70_HAZARD_SOURCE:
		snprintf(buf, n, "overwrites %s before it has been read: wait for counter %u", reg,
			 h->counter);
		break;
	case SM70_HAZARD_UNREAD:
		snprintf(
			buf, n,
			"overwrites %s before it has been read: the reader needs a read counter to wait for",
			reg);
		break;
	case SM70_HAZARD_HASTE:
		snprintf(
			buf, n,
			"waits for counter %u %u cycle after it is set, too early to see it: a stall of %u at least is needed",
			h->counter, h->have, h->need);
		break;
	default:
		snprintf(
			buf, n,
			"%s %s of a product that may not be done: WARPGROUP.DEPBAR must wait for its group",
			does, reg);
	}
}

void sm70_hazard_text(const struct sm70_hazard *h, const struct sm70_inst *in, char *buf, size_t n)
{
	char what[200], first[200], second[200];
	describe_hazard(h, what, sizeof what);
	sm70_print(&in[h->first], SM70_FULL, first, sizeof first);
	sm70_print(&in[h->second], SM70_FULL, second, sizeof second);
	snprintf(buf, n, "0x%llx %s\n  0x%04llx: %s\n  0x%04llx: %s",
		 (unsigned long long)in[h->second].pc, what, (unsigned long long)in[h->first].pc,
		 first, (unsigned long long)in[h->second].pc, second);
}
