/* Common subexpressions: an instruction is left out if an instruction in the same block, or in a
 * dominating block, has computed the same result; readers then read the earlier result.
 *
 * 	IMUL R1, R0, 12;                 IMUL R1, R0, 12;
 * 	...                              ...
 * 	IMUL R2, R0, 12;
 * 	IADD R3, R2, R4;                 IADD R3, R1, R4;
 *
 * A word is fixed if one instruction writes it and dominates all its reads: its value is the same
 * wherever it is read. Other words have a version, which ends with the block and with each write, so
 * that they can be compared inside a block. Copies of fixed words are treated likewise.
 *
 * Left alone are loads of memory that may change, results that depend on which threads are active,
 * carries in the condition code, and address registers, which are few and cannot be spilled. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/room.h"
#include "pass/dom.h"

enum { WORDS = 4 };

struct seen { /* an instruction that later instructions may repeat */
	uint32_t at, block, next;
	uint32_t version[MI_OPS + 1]; /* versions of operands and guard */
};

struct word {
	uint32_t v;
	uint8_t word;
};

struct common {
	struct mfunc *m;
	uint32_t reach;    /* reach of mir_common() */
	struct room *room; /* register pressure; NULL: no limit of registers */
	struct mblocks b;
	struct domtree dom;
	uint32_t *block_of;      /* [instruction] */
	uint32_t *def;           /* [4 * value + word]: index of the instruction that writes it,
	                          * plus 1 */
	uint8_t *writes, *fixed; /* [4 * value + word]: number of writes; word is fixed */
	uint32_t *stamp;         /* [4 * value + word]: time of the last write */
	struct word *same;       /* [4 * value + word]: word to read instead; v is V_NONE: itself */
	struct word *part; /* [4 * value + word]: for a pair or quad that is read whole, the word it
	                    * equals */
	bool *whole;       /* [value]: read as a pair or quad */
	bool *gone;        /* [instruction] */
	uint32_t clock, block_time; /* time, for versions; time at which the current block began */
	VEC(struct seen) seen;
	uint32_t *bucket, buckets; /* hash table of `seen`; number of buckets, a power of two */
};

/* True if the results depend on the operands only. */
static bool is_pure(const struct mi *in)
{
	static const char *const base[] = {
		"IADD",  "IADD32I", "IMUL",  "IMAD",   "ISCADD", "IMNMX",   "IMIN",    "IMAX",
		"LOP",   "LOP32I",  "SHL",   "SHR",    "BFE",    "BFI",     "FLO",     "POPC",
		"PRMT",  "ISAD",    "SEL",   "ICMP",   "FCMP",   "ISET",    "FSET",    "DSET",
		"ISETP", "FSETP",   "DSETP", "PSETP",  "FADD",   "FMUL",    "FFMA",    "FMAD",
		"FMNMX", "FMIN",    "FMAX",  "MUFU",   "RRO",    "RCP",     "RSQ",     "LG2",
		"EX2",   "SIN",     "COS",   "DADD",   "DMUL",   "DFMA",    "DMNMX",   "DMIN",
		"DMAX",  "I2F",     "F2I",   "F2F",    "I2I",    "VADD",    "VMNMX",   "MOV",
		"MVI",   "MVC",     "LDC",   "MOV32I", "S2R",    "FMUL32I", "FADD32I", "IADD3",
		"LOP3",  "SHF",     "LEA",   "VIMNMX", "IABS",   "SGXT",    "BMSK",    "VABSDIFF",
		"I2FP",  "IDP",     "PLOP3", "FSEL",   "FRND",   "BREV",    "HADD2"};
	for (size_t i = 0; i < sizeof base / sizeof *base; i++)
		if (mi_is(in, base[i]))
			return true;
	return false;
}

/* True for a special register that changes, and for the register that a kernel begins with. */
static bool is_fleeting(const struct mi *in, const struct mo *o)
{
	if (o->kind != MO_TEXT)
		return false;
	if (mi_is(in, "S2R"))
		return strncasecmp(o->text, "SR_Tid", 6) && strncasecmp(o->text, "SR_CTAid", 8) &&
		       strcasecmp(o->text, "SR_LaneId") && !strcasestr(o->text, "Mask") &&
		       strcmp(o->text, "SR_SWINHI");
	return !strcmp(in->name, "MOV");
}

static bool is_candidate(const struct common *c, const struct mi *in)
{
	const struct mfunc *m = c->m;
	if (!in->name || !in->nd || in->keep || in->pop || in->label || in->ends || in->cc ||
	    !is_pure(in) || mi_reads_cc(in))
		return false;
	for (unsigned i = 0; i < in->n; i++) {
		const struct mo *o = &in->o[i];
		uint32_t v = mo_value(o);
		if ((o->kind == MO_SHARED && (o->v != V_NONE || o->imm >= (int64_t)m->inputs)) ||
		    is_fleeting(in, o) || (v != V_NONE && m->val.v[v].address))
			return false;
		if (i < in->nd &&
		    (o->half || (v != V_NONE && in->guard != V_TRUE && !m->val.v[v].temp)))
			return false;
	}
	return true;
}

/* ---- words with fixed registers ---- */

/* Sets *first to the first word of its value that an operand names; returns the number of words. */
static unsigned words_of(const struct mfunc *m, const struct mo *o, unsigned *first)
{
	unsigned n = m->val.v[mo_value(o)].words;
	*first = o->wide || !n ? 0 : o->word;
	return o->wide && n ? n : 1;
}

static void find_writes(struct common *c)
{
	for (uint32_t i = 0; i < c->m->code.n; i++) {
		const struct mi *in = &c->m->code.v[i];
		for (unsigned k = 0; in->name && k < in->n; k++) {
			const struct mo *o = &in->o[k];
			uint32_t v = mo_value(o);
			unsigned first, n;
			if (v == V_NONE)
				continue;
			n = words_of(c->m, o, &first);
			c->whole[v] |= n > 1;
			for (unsigned w = first; k < in->nd && w < first + n; w++) {
				unsigned more = o->half ? 2 : 1;
				c->def[WORDS * v + w] = i + 1;
				c->writes[WORDS * v + w] =
					(uint8_t)(c->writes[WORDS * v + w] ? 2 : more);
			}
		}
	}
}

static void check_read(struct common *c, uint32_t i, uint32_t v, unsigned w)
{
	uint32_t x = WORDS * v + w, d = c->def[x];
	if (!c->fixed[x])
		return;
	uint32_t from = d ? c->block_of[d - 1] : 0, to = c->block_of[i];
	c->fixed[x] = d && (from == to ? d - 1 < i : dominates(&c->dom, from, to));
}

static void find_fixed(struct common *c)
{
	const struct mfunc *m = c->m;
	for (uint32_t x = 0; x < WORDS * m->val.n; x++)
		c->fixed[x] = c->writes[x] == 1 && !c->m->val.v[x / WORDS].pinned;
	for (uint32_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		for (unsigned k = in->nd; in->name && k < in->n; k++) {
			unsigned first, n;
			if (mo_value(&in->o[k]) == V_NONE)
				continue;
			n = words_of(m, &in->o[k], &first);
			for (unsigned w = first; w < first + n; w++)
				check_read(c, i, in->o[k].v, w);
		}
		if (in->name && in->guard != V_TRUE)
			check_read(c, i, in->guard, 0);
	}
}

static bool is_fixed(const struct common *c, const struct mo *o)
{
	unsigned first, n = words_of(c->m, o, &first);
	for (unsigned w = first; w < first + n; w++)
		if (!c->fixed[WORDS * o->v + w])
			return false;
	return true;
}

/* ---- versions ---- */

static uint32_t word_version(const struct common *c, uint32_t v, unsigned w)
{
	uint32_t x = WORDS * v + w;
	if (c->fixed[x])
		return 0;
	return c->stamp[x] > c->block_time ? c->stamp[x] : c->block_time;
}

static uint32_t version_of(const struct common *c, const struct mo *o)
{
	uint32_t all = 0;
	unsigned first, n;
	if (mo_value(o) == V_NONE)
		return 0;
	n = words_of(c->m, o, &first);
	for (unsigned w = first; w < first + n; w++) {
		uint32_t one = word_version(c, o->v, w);
		all = one > all ? one : all;
	}
	return all;
}

static uint32_t guard_version(const struct common *c, const struct mi *in)
{
	return in->guard == V_TRUE ? 0 : word_version(c, in->guard, 0);
}

static void is_written(struct common *c, const struct mi *in)
{
	c->clock++;
	for (unsigned k = 0; in->name && k < in->nd; k++) {
		unsigned first, n;
		if (mo_value(&in->o[k]) == V_NONE)
			continue;
		n = words_of(c->m, &in->o[k], &first);
		for (unsigned w = first; w < first + n; w++)
			c->stamp[WORDS * in->o[k].v + w] = c->clock;
	}
}

/* ---- reads of removed results ---- */

static void redirect_reads(const struct common *c, struct mo *o)
{
	uint32_t v = mo_value(o);
	if (v == V_NONE)
		return;
	const struct word *s = &c->same[WORDS * v + (o->wide ? 0 : o->word)];
	if (s->v == V_NONE)
		return;
	if (c->m->val.v[v].words == 1)
		o->wide = false;
	o->v = s->v;
	o->word = s->word;
}

static void redirect_all(const struct common *c, struct mi *in)
{
	for (unsigned k = in->nd; k < in->n; k++)
		redirect_reads(c, &in->o[k]);
	if (in->guard != V_TRUE && c->same[WORDS * in->guard].v != V_NONE)
		in->guard = c->same[WORDS * in->guard].v;
}

/* True if readers of `from` can read `to` instead. */
static bool can_stand_for(const struct common *c, const struct mo *to, const struct mo *from)
{
	const struct mval *v = c->m->val.v;
	unsigned first, n = words_of(c->m, from, &first);
	if (!is_fixed(c, to) || !is_fixed(c, from))
		return false;
	if (c->whole[from->v] && (n != v[from->v].words || v[to->v].words != n))
		return false;
	return v[from->v].words ? v[to->v].words >= n && v[to->v].words : !v[to->v].words;
}

static void stand_for(struct common *c, const struct mo *to, const struct mo *from)
{
	unsigned first, at, n = words_of(c->m, from, &first);
	words_of(c->m, to, &at);
	for (unsigned w = 0; w < n; w++)
		c->same[WORDS * from->v + first + w] = (struct word){to->v, (uint8_t)(at + w)};
}

/* ---- earlier results ---- */

static bool same_operand(const struct mo *a, const struct mo *b)
{
	struct mo x = *a;
	if (a->text && b->text && !strcmp(a->text, b->text))
		x.text = b->text;
	return mo_same(&x, b);
}

static bool is_result(const struct mo *o) { return mo_value(o) != V_NONE; }

static uint32_t distance_to(const struct common *c, const struct mi *in, const struct mi *e)
{
	size_t a = (size_t)(in - c->m->code.v), b = (size_t)(e - c->m->code.v);
	return (uint32_t)(a > b ? a - b : b - a);
}

/* True if there are registers to keep e's results for the readers of in's. */
static bool has_room(const struct common *c, const struct mi *in, const struct mi *e)
{
	const struct mi *code = c->m->code.v;
	for (unsigned k = 0; k < in->nd; k++)
		if (is_result(&in->o[k]) && is_result(&e->o[k]) &&
		    !room_has(c->room, c->m, e->o[k].v, (uint32_t)(e - code), in->o[k].v,
			      (uint32_t)(in - code)))
			return false;
	return true;
}

static void take_room(const struct common *c, const struct mi *in, const struct mi *e)
{
	const struct mi *code = c->m->code.v;
	for (unsigned k = 0; k < in->nd && c->room && e < in; k++)
		if (is_result(&in->o[k]) && is_result(&e->o[k]))
			room_take(c->room, c->m, e->o[k].v, (uint32_t)(e - code), in->o[k].v,
				  (uint32_t)(in - code));
}

static bool repeats_value(const struct common *c, const struct mi *in, const struct seen *s,
			  uint32_t block)
{
	const struct mi *e = &c->m->code.v[s->at];
	bool always = e->guard == V_TRUE; /* a result under no guard also serves threads under a
	                                   * guard */
	if (strcmp(e->name, in->name) || e->nd != in->nd || e->n != in->n ||
	    (!always && (e->guard != in->guard || e->guard_neg != in->guard_neg ||
			 s->version[MI_OPS] != guard_version(c, in))) ||
	    !dominates(&c->dom, s->block, block) ||
	    (distance_to(c, in, e) > c->reach && !(c->room && has_room(c, in, e))))
		return false;
	for (unsigned k = 0; k < in->n; k++) {
		bool result = k < in->nd;
		const struct mo *a = &e->o[k], *b = &in->o[k];
		/* sm_13 has four flags: no flag is kept alive across blocks for this */
		if (result && is_result(b) && !c->m->val.v[b->v].words && c->m->target->sm < 20 &&
		    s->block != block)
			return false;
		if (result ? is_result(b) && (a->kind != b->kind || a->wide != b->wide ||
					      s->version[k] != version_of(c, a))
			   : !same_operand(a, b) || s->version[k] != version_of(c, b))
			return false;
	}
	return true;
}

static uint32_t hash_inst(const struct common *c, const struct mi *in)
{
	uint32_t h = 2166136261u;
	for (const char *p = in->name; *p; p++)
		h = (h ^ (uint8_t)*p) * 16777619u;
	for (unsigned k = in->nd; k < in->n; k++) {
		uint32_t v = mo_value(&in->o[k]);
		h = (h ^ (v == V_NONE ? (uint32_t)in->o[k].imm : v + in->o[k].word)) * 16777619u;
	}
	return (h ^ h >> 16) & (c->buckets - 1);
}

static void remember_inst(struct common *c, uint32_t i, uint32_t block, const uint32_t *before)
{
	const struct mi *in = &c->m->code.v[i];
	struct seen s = {.at = i, .block = block};
	uint32_t h = hash_inst(c, in);
	memcpy(s.version, before, sizeof s.version);
	for (unsigned k = 0; k < in->nd; k++)
		s.version[k] = version_of(c, &in->o[k]);
	s.next = c->bucket[h];
	vec_push(&c->seen, s);
	c->bucket[h] = (uint32_t)c->seen.n;
}

static bool is_plain_copy(const struct mi *in)
{
	const struct mo *s = &in->o[1];
	return !strcmp(in->name, "MOV") && in->nd == 1 && in->n == 2 && in->guard == V_TRUE &&
	       !in->o[0].half && s->kind == MO_REG && !s->neg && !s->abs && !s->inv && !s->half &&
	       in->o[0].wide == s->wide;
}

/* Leaves out one word of a pair or quad that is read whole, once all its words equal those of one
 * other value. */
static bool leave_out_part(struct common *c, const struct mi *in, const struct mo *to)
{
	const struct mo *from = &in->o[0];
	uint32_t n = c->m->val.v[from->v].words;
	if (in->nd != 1 || from->kind != MO_REG || to->kind != MO_REG || n < 2 || from->wide ||
	    to->wide || to->word != from->word || c->m->val.v[to->v].words != n)
		return false;
	c->part[WORDS * from->v + from->word] = (struct word){to->v, to->word};
	for (unsigned w = 0; w < n; w++)
		if (c->part[WORDS * from->v + w].v != to->v || !c->fixed[WORDS * from->v + w] ||
		    !c->fixed[WORDS * to->v + w])
			return false;
	for (unsigned w = 0; w < n; w++) {
		c->same[WORDS * from->v + w] = c->part[WORDS * from->v + w];
		c->gone[c->def[WORDS * from->v + w] - 1] = true;
	}
	return true;
}

/* True if all readers of the instruction's results can read e's: then the instruction is not
 * needed. */
static bool leave_out(struct common *c, const struct mi *in, const struct mo *e)
{
	if (leave_out_part(c, in, &e[0]))
		return true;
	for (unsigned k = 0; k < in->nd; k++)
		if (is_result(&in->o[k]) && !can_stand_for(c, &e[k], &in->o[k]))
			return false;
	for (unsigned k = 0; k < in->nd; k++)
		if (is_result(&in->o[k]))
			stand_for(c, &e[k], &in->o[k]);
	return true;
}

/* Makes the next write of a pair or quad the write that begins it. */
static void pass_on_fresh(struct common *c, uint32_t i, uint32_t block)
{
	const struct mi *in = &c->m->code.v[i];
	for (uint32_t k = i + 1; in->fresh && k < c->b.first[block + 1]; k++)
		for (unsigned d = 0; d < c->m->code.v[k].nd; d++)
			if (mo_value(&c->m->code.v[k].o[d]) == in->o[0].v) {
				c->m->code.v[k].fresh = true;
				return;
			}
}

/* Replaces the instruction by a copy of the earlier result, which fold.c may remove; flags and
 * predicates cannot be copied. */
static bool copy_instead(const struct common *c, struct mi *in, const struct mi *e)
{
	const struct mo *d = &in->o[0];
	bool load = mi_is(in, "MOV") || mi_is(in, "MVI") || mi_is(in, "MVC") || mi_is(in, "MOV32I");
	if (load || in->nd != 1 || d->kind != MO_REG || (d->wide && c->m->val.v[d->v].words > 1))
		return false;
	in->name = "MOV";
	in->n = 2;
	in->o[0].wide = false;
	in->o[1] = mo_word(e->o[0].v, e->o[0].word);
	return true;
}

static void share_inst(struct common *c, uint32_t i, uint32_t block)
{
	struct mi *in = &c->m->code.v[i];
	uint32_t before[MI_OPS + 1] = {0};
	if (!in->name)
		return;
	redirect_all(c, in);
	if (is_candidate(c, in)) {
		if (is_plain_copy(in) && leave_out(c, in, &in->o[1])) {
			c->gone[i] = true;
			pass_on_fresh(c, i, block);
			return;
		}
		for (uint32_t s = c->bucket[hash_inst(c, in)]; s; s = c->seen.v[s - 1].next) {
			const struct mi *e = &c->m->code.v[c->seen.v[s - 1].at];
			if (!repeats_value(c, in, &c->seen.v[s - 1], block))
				continue;
			c->gone[i] = leave_out(c, in, e->o);
			if (c->gone[i])
				take_room(c, in, e);
			if (!c->gone[i] && copy_instead(c, in, e))
				is_written(c, in);
			else if (!c->gone[i])
				break;
			else
				pass_on_fresh(c, i, block);
			return;
		}
	}
	bool keep = is_candidate(c, in);
	for (unsigned k = in->nd; k < in->n; k++)
		before[k] = version_of(c, &in->o[k]);
	before[MI_OPS] = guard_version(c, in);
	is_written(c, in);
	if (keep)
		remember_inst(c, i, block, before);
}

/* Visits blocks in the order of the dominator tree, dominators first. */
static void walk_blocks(struct common *c)
{
	uint32_t *at = xcalloc(c->b.n + 1, sizeof *at);
	for (uint32_t b = 0; b < c->b.n; b++)
		if (c->dom.in[b] != NO_NODE)
			at[c->dom.in[b]] = b + 1;
	for (uint32_t k = 0; k < c->b.n; k++) {
		if (!at[k])
			continue;
		uint32_t b = at[k] - 1;
		c->block_time = ++c->clock;
		for (uint32_t i = c->b.first[b]; i < c->b.first[b + 1]; i++)
			share_inst(c, i, b);
	}
	free(at);
}

static void begin_block(struct common *c, struct arena *a)
{
	struct mfunc *m = c->m;
	struct graph g;
	size_t n = WORDS * m->val.n + 1;
	mblocks_find(&c->b, m);
	mblocks_graph(&c->b, m, &g, a);
	dom_tree(&c->dom, a, &g, 0);
	c->block_of = ARENA_ARRAY(a, uint32_t, m->code.n + 1);
	for (uint32_t b = 0; b < c->b.n; b++)
		for (uint32_t i = c->b.first[b]; i < c->b.first[b + 1]; i++)
			c->block_of[i] = b;
	c->def = ARENA_ARRAY(a, uint32_t, n);
	c->writes = ARENA_ARRAY(a, uint8_t, n);
	c->fixed = ARENA_ARRAY(a, uint8_t, n);
	c->stamp = ARENA_ARRAY(a, uint32_t, n);
	c->same = ARENA_ARRAY(a, struct word, n);
	c->part = ARENA_ARRAY(a, struct word, n);
	for (c->buckets = 64; c->buckets < m->code.n;)
		c->buckets *= 2;
	c->bucket = ARENA_ARRAY(a, uint32_t, c->buckets);
	c->whole = ARENA_ARRAY(a, bool, m->val.n + 1);
	c->gone = ARENA_ARRAY(a, bool, m->code.n + 1);
	for (size_t x = 0; x < n; x++)
		c->same[x].v = c->part[x].v = V_NONE;
	find_writes(c);
	find_fixed(c);
}

void mir_common(struct mfunc *m, uint32_t reach, uint32_t registers)
{
	struct arena a = {0};
	struct room room = {0};
	struct common c = {.m = m, .reach = reach, .room = registers ? &room : NULL};
	size_t to = 0;
	if (!m->code.n)
		return;
	if (registers)
		room_find(&room, m, registers);
	begin_block(&c, &a);
	walk_blocks(&c);
	room_free(&room);
	for (size_t i = 0; i < m->code.n; i++) {
		if (c.gone[i])
			continue;
		if (m->code.v[i].name)
			redirect_all(&c, &m->code.v[i]);
		m->code.v[to++] = m->code.v[i];
	}
	m->code.n = to;
	mblocks_free(&c.b);
	vec_free(&c.seen);
	arena_free(&a);
}
