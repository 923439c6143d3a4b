/* Copies are replaced by their sources. Inside a block a read of a copy becomes a read of its source: another register, zero, a
 * constant that the instruction takes as an operand, on sm_13 also a word of shared memory. A value whose only definition is
 * such a constant is replaced everywhere. dead.c removes the copies. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/mir.h"

struct held {
	uint32_t x, of; /* index in `src`; value that it copies, or V_NONE */
	uint32_t next;  /* earlier entry that copies the same source value, plus 1; 0: none */
};

struct fold {
	struct mfunc *m;
	struct mo *src;        /* [4 * value + word]: operand that it is a copy of; MO_NONE: not a
	                        * copy */
	VEC(struct held) held; /* words that are or were copies in this block */
	VEC(uint32_t) shared;  /* entries of `held` that are loads of shared words */
	uint32_t *copies;      /* [value]: last entry of `held` that copies it, plus 1 */
	struct mo *global;     /* [4 * value + word]: the constant of its only definition */
	uint32_t *word_writes; /* [4 * value + word]: number of writes */
	uint32_t *reads, *writes;
	bool loads; /* true: shared words that one instruction reads become its operand */
};

/* Which operands may be constants: bit k for source k. swap: sources 0 and 1 may be exchanged. */
static const struct {
	const char *name; /* up to a dot or the end */
	uint8_t takes;
	bool swap;
} fermi[] = {{"IADD", 2, true},  {"FADD", 2, true},    {"FMUL", 2, true}, {"IMUL", 2, true},
	     {"IMNMX", 2, true}, {"FMNMX", 2, true},   {"LOP", 2, true},  {"ISETP", 2, false},
	     {"ISET", 2, false}, {"FSETP", 2, false},  {"SHL", 2, false}, {"SHR", 2, false},
	     {"SEL", 2, false},  {"ISCADD", 2, false}, {"BFE", 2, false}, {"BFI", 2, false},
	     {"IMAD", 6, true},  {"FFMA", 6, true},    {"MOV", 1, false}, {"I2F", 1, false},
	     {"I2I", 1, false},  {"F2F", 1, false},    {"F2I", 1, false}},
  /* sm_13: sources that may be shared words */
	tesla[] = {{"IADD", 1, true},     {"IMUL", 1, true},     {"IMAD", 1, true},
		   {"ISET", 1, false},    {"IMIN", 1, true},     {"IMAX", 1, true},
		   {"SHL", 1, false},     {"SHR", 1, false},     {"LOP", 1, true},
		   {"FADD", 1, true},     {"FMUL", 1, true},     {"FMAD", 1, true},
		   {"FSET", 1, false},    {"FMIN", 1, true},     {"FMAX", 1, true},
		   {"I2I", 1, false},     {"I2F", 1, false},     {"R2A", 1, false},
		   {"RRO", 1, false},     {"MOV", 1, false},     {"IADD32I", 1, false},
		   {"FADD32I", 1, false}, {"FMUL32I", 1, false}, {"LOP32I", 1, false}};

/* sm_90: sources that may be constants or numbers of 32 bits. Instructions of 64 bits are absent: a
 * number would be an upper word. */
struct takes {
	const char *name;
	uint8_t takes;
	bool swap;
};
static const struct takes sm90[] = {
	{"MOV", 1, false},  {"IADD3", 6, true},  {"IMAD", 6, true},   {"LOP3", 6, true},
	{"SHF", 6, false},  {"ISETP", 2, false}, {"SEL", 2, false},   {"FSEL", 2, false},
	{"PRMT", 6, false}, {"LEA", 2, false},   {"VIMNMX", 2, true}, {"FADD", 2, true},
	{"FMUL", 2, true},  {"FFMA", 6, true},   {"FMNMX", 2, true},  {"FSETP", 2, false},
	{"SGXT", 2, false}, {"BMSK", 2, false},  {"MUFU", 1, false},  {"POPC", 1, false},
	{"FLO", 1, false},  {"BREV", 1, false},  {"IABS", 1, false},  {"NANOSLEEP", 1, false}};

static bool is_modern(const struct mfunc *m) { return m->target->sm >= 70; }

static const struct takes *modern_row(const struct mi *in)
{
	for (size_t i = 0; i < sizeof sm90 / sizeof *sm90; i++)
		if (mi_is(in, sm90[i].name))
			return &sm90[i];
	return NULL;
}

static unsigned takes_constants(const struct mfunc *m, const struct mi *in, bool *swap)
{
	if (is_modern(m)) {
		const struct takes *t = modern_row(in);
		bool wide = mi_is(in, "IMAD") && !strncmp(in->name + 4, ".WIDE", 5);
		*swap = t && t->swap;
		return !t ? 0 : wide ? 2 : t->takes;
	}
	bool old = m->target->sm < 20;
	size_t n = old ? sizeof tesla / sizeof *tesla : sizeof fermi / sizeof *fermi;
	for (size_t i = 0; i < n; i++) {
		const char *name = old ? tesla[i].name : fermi[i].name;
		if (!mi_is(in, name))
			continue;
		*swap = old ? tesla[i].swap : fermi[i].swap;
		return old ? tesla[i].takes : fermi[i].takes;
	}
	*swap = false;
	return 0;
}

static bool is_memory(const struct mo *o)
{
	return o->kind == MO_CONST || o->kind == MO_SHARED || o->kind == MO_IMM;
}

/* sm_20: true for integer instructions whose second operand may be a number of 20 bits. */
static bool takes_number(const struct mi *in, unsigned k)
{
	static const char *const name[] = {"IADD", "IMUL",  "ISETP",  "ISET", "LOP", "SHL", "SHR",
					   "SEL",  "IMNMX", "ISCADD", "IMAD", "BFE", "BFI"};
	for (size_t i = 0; i < sizeof name / sizeof *name && k == 1; i++)
		if (mi_is(in, name[i]))
			return !strstr(in->name, ".HI");
	return false;
}

enum { CONST_WORDS = 128 }; /* sm_13: constant words that an operand can name */

/* sm_13: true if the second operand may be a literal. */
static bool takes_literal(const struct mi *in, unsigned k, const struct mo *o)
{
	static const char *const name[] = {"IADD", "ISET", "LOP",  "IMIN", "IMAX", "IMUL",
					   "FADD", "FMUL", "FSET", "FMIN", "FMAX"};
	for (size_t i = 0; i < sizeof name / sizeof *name && k == 1 && !o->half && !o->inv; i++)
		if (mi_is(in, name[i]))
			return true;
	return false;
}

static unsigned offset_limit(const struct mi *in)
{
	bool imm = strstr(in->name, "32I") != NULL;
	return imm ? 16 : 32;
}

/* sm_90: at most one source is a constant or a number; in a sum of integers the sign becomes part
 * of the number. */
static bool accepts_modern(const struct mfunc *m, const struct mi *in, unsigned k,
			   const struct mo *c)
{
	const struct mo *o = &in->o[in->nd + k];
	bool swap, number = c->kind == MO_IMM;
	if (!(takes_constants(m, in, &swap) >> k & 1) || o->half ||
	    (c->kind == MO_CONST && c->v != V_NONE))
		return false;
	if (number && takes_constants(m, in, &swap) == 1 && !mi_is(in, "MOV"))
		return false; /* functions of one number */
	if (strstr(in->name, "64H"))
		return false;
	if (number && (o->abs || o->inv || (o->neg && strcmp(in->name, "IADD3"))))
		return false;
	if (c->kind == MO_CONST && c->imm % 4)
		return false;
	for (unsigned i = in->nd; i < in->n; i++)
		if (i != in->nd + k && i < in->nd + 3u && is_memory(&in->o[i]))
			return false;
	return true;
}

/* True if source k of the instruction can be the constant or shared word c. */
static bool accepts_operand(const struct mfunc *m, const struct mi *in, unsigned k,
			    const struct mo *c)
{
	const struct mo *o = &in->o[in->nd + k];
	bool swap;
	if (o->wide)
		return false;
	if (is_modern(m))
		return accepts_modern(m, in, k, c);
	if (m->target->sm < 20 && c->kind == MO_CONST) {
		for (unsigned i = in->nd; i < in->n; i++)
			if (i != in->nd + k && in->o[i].kind == MO_CONST)
				return false;
		return c->imm < 4 * CONST_WORDS && takes_literal(in, k, o);
	}
	if (!(takes_constants(m, in, &swap) >> k & 1) ||
	    (c->kind == MO_IMM && !takes_number(in, k)))
		return false;
	if (c->kind == MO_IMM && (o->neg || in->cc))
		return false;
	/* an instruction may have at most one source of this kind */
	for (unsigned i = in->nd; i < in->n; i++)
		if (i != in->nd + k && is_memory(&in->o[i]) &&
		    (m->target->sm >= 20 || c->v != V_NONE || in->o[i].kind == MO_SHARED))
			return false;
	if (m->target->sm >= 20)
		return !o->half &&
		       (!(o->neg || o->abs || o->inv) || mi_is(in, "FADD") || mi_is(in, "IADD")) &&
		       !o->inv && !o->abs;
	unsigned at = (unsigned)c->imm, limit = offset_limit(in);
	if (o->half)
		return (at + (o->half == 2 ? 2 : 0)) / 2 < limit;
	return at / 4 < limit && !o->inv && !o->abs && c->bank == 4;
}

static void put_operand(struct mo *o, const struct mo *c)
{
	struct mo n = *c;
	n.neg = o->neg;
	n.abs = o->abs;
	n.inv = o->inv;
	if (n.neg && n.kind == MO_IMM) { /* only sm_90 takes negated numbers */
		n.neg = false;
		n.imm = (int64_t)(0u - (uint32_t)n.imm);
	}
	if (o->half && c->kind == MO_SHARED) {
		n.bank = 2;
		n.imm += o->half == 2 ? 2 : 0;
	}
	*o = n;
}

/* sm_90: a table of three bits' function with bits i and j of its index exchanged. */
static unsigned exchange_inputs(unsigned table, unsigned i, unsigned j)
{
	unsigned out = 0;
	for (unsigned x = 0; x < 8; x++) {
		unsigned y = (x & ~(1u << i | 1u << j)) | (x >> i & 1) << j | (x >> j & 1) << i;
		out |= (table >> y & 1) << x;
	}
	return out;
}

/* Sources i and j change places; LOP3's table follows, whose index has source 0 as its highest bit. */
static void exchange_sources(struct mi *in, unsigned i, unsigned j)
{
	struct mo *o = &in->o[in->nd], t = o[i];
	o[i] = o[j];
	o[j] = t;
	if (mi_is(in, "LOP3"))
		o[3].imm = exchange_inputs((unsigned)o[3].imm, 2 - i, 2 - j);
}

static void swap_sources(struct mi *in) { exchange_sources(in, 0, 1); }

/* True if the two sources can be exchanged without changing the result. */
static bool may_swap(const struct mfunc *m, const struct mi *in)
{
	bool swap;
	unsigned t = takes_constants(m, in, &swap);
	const struct mo *a = &in->o[in->nd], *b = &in->o[in->nd + 1];
	if (!swap || in->n < in->nd + 2u || in->cc || strchr(in->name, '@') ||
	    !(t & (m->target->sm < 20 ? 1 : 2)))
		return false;
	if (mi_is(in, "LOP") && strstr(in->name, "PASS_B"))
		return false;
	if (strstr(in->name, ".U16.S16") || strstr(in->name, ".S16.U16") || strstr(in->name, "32I"))
		return false;
	return b->kind == MO_REG && a->kind == MO_REG && (!a->half == !b->half);
}

/* sm_20: turns the comparison of a with b into that of b with a, if a can be c then. */
static bool turn_comparison(const struct mfunc *m, struct mi *in, const struct mo *c)
{
	static const char *const turned[][2] = {{".LT", ".GT"}, {".GT", ".LT"}, {".LE", ".GE"},
						{".GE", ".LE"}, {".EQ", ".EQ"}, {".NE", ".NE"}};
	struct mo *a = &in->o[2], *b = &in->o[3];
	if (m->target->sm < 20 || !mi_is(in, "ISETP") || strstr(in->name, ".X") ||
	    strstr(in->name, ".EX") || b->kind != MO_REG || b->neg || a->neg)
		return false;
	for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
		if (strncmp(in->name + 5, turned[i][0], 3))
			continue;
		struct mi was = *in;
		char text[40];
		swap_sources(in);
		if (!accepts_operand(m, in, 1, c)) {
			*in = was;
			return false;
		}
		snprintf(text, sizeof text, "ISETP%s%s", turned[i][1], in->name + 8);
		in->name = arena_strdup(m->a, text);
		put_operand(b, c);
		return true;
	}
	return false;
}

/* Makes c source k; exchanges the sources if c fits only then. */
static bool put_memory(struct fold *f, struct mi *in, unsigned k, const struct mo *c)
{
	unsigned other = f->m->target->sm < 20 && c->kind == MO_SHARED ? 1 : 0;
	if (accepts_operand(f->m, in, k, c)) {
		put_operand(&in->o[in->nd + k], c);
		if (k == 2 && is_modern(f->m) && (mi_is(in, "LOP3") || mi_is(in, "IADD3")))
			exchange_sources(in, 1, 2); /* numbers stand in the middle */
		return true;
	}
	if (k == other && turn_comparison(f->m, in, c))
		return true;
	if (k != other || !may_swap(f->m, in))
		return false;
	swap_sources(in);
	if (accepts_operand(f->m, in, 1 - k, c)) {
		put_operand(&in->o[in->nd + 1 - k], c);
		return true;
	}
	swap_sources(in);
	return false;
}

/* sm_13: makes the number a literal. A literal without a place yet is requested again with a real
 * offset. */
static void put_literal(struct fold *f, struct mi *in, unsigned k, uint32_t w)
{
	struct mo c = mo_const(LITERAL_BANK, 0);
	struct mi was = *in;
	if (!put_memory(f, in, k, &c))
		return;
	*in = was;
	if (mir_literal(f->m, w, &c))
		put_memory(f, in, k, &c);
}

/* ---- copies inside a block ---- */

static struct mo *copy_of(struct fold *f, const struct mo *o)
{
	return &f->src[4 * o->v + o->word];
}

static void forget_all(struct fold *f)
{
	for (size_t i = 0; i < f->held.n; i++) {
		if (f->held.v[i].of != V_NONE)
			f->copies[f->held.v[i].of] = 0;
		f->src[f->held.v[i].x].kind = MO_NONE;
	}
	f->held.n = f->shared.n = 0;
}

/* Value v is written: it is not a copy any more, and no value is a copy of it. */
static void forget_value(struct fold *f, uint32_t v)
{
	for (unsigned w = 0; w < 4; w++)
		f->src[4 * v + w].kind = MO_NONE;
	for (uint32_t i = f->copies[v]; i; i = f->held.v[i - 1].next) {
		struct mo *src = &f->src[f->held.v[i - 1].x];
		if (mo_value(src) == v)
			src->kind = MO_NONE;
	}
	f->copies[v] = 0;
}

static void forget_shared(struct fold *f)
{
	for (size_t i = 0; i < f->shared.n; i++) {
		struct mo *src = &f->src[f->shared.v[i]];
		if (src->kind == MO_SHARED && src->wide)
			src->kind = MO_NONE;
	}
	f->shared.n = 0;
}

static void hold_copy(struct fold *f, uint32_t x, const struct mo *src)
{
	uint32_t v = mo_value(src);
	vec_push(&f->held, ((struct held){x, v, v == V_NONE ? 0 : f->copies[v]}));
	if (v != V_NONE)
		f->copies[v] = (uint32_t)f->held.n;
	if (src->kind == MO_SHARED && src->wide)
		vec_push(&f->shared, x);
	f->src[x] = *src;
}

static bool plain_dst(const struct mo *d) { return d->kind == MO_REG && !d->half && !d->wide; }

/* True for a load of shared memory that only one instruction reads: `wide` marks one that a store
 * ends. */
static bool is_load(const struct fold *f, const struct mi *in)
{
	return f->loads && f->m->target->sm < 20 && !strcmp(in->name, "G2R.U32") && in->nd == 1 &&
	       in->o[1].kind == MO_SHARED && in->o[1].bank == 4 && !in->keep &&
	       f->reads[in->o[0].v] == 1 && f->writes[in->o[0].v] == 1;
}

static bool is_copy(const struct mi *in)
{
	return !strcmp(in->name, "MOV") || !strcmp(in->name, "MVC") || !strcmp(in->name, "MVI");
}

/* True for a number that can be an operand: of 20 bits on sm_20, a literal on sm_13. */
static bool is_number(const struct mfunc *m, const struct mo *o)
{
	return m->target->sm < 20 || is_modern(m) || (o->imm >= -0x80000 && o->imm < 0x80000);
}

static void learn_copy(struct fold *f, const struct mi *in)
{
	if (in->nd != 1 || in->cc || in->pop || !plain_dst(&in->o[0]) ||
	    (in->guard != V_TRUE && !f->m->val.v[in->o[0].v].temp))
		return;
	struct mo s = in->o[1];
	bool mov = is_copy(in) && in->n == 2;
	bool load = is_load(f, in);
	if (!load && (!mov || s.neg || s.abs || s.inv || s.half || s.wide))
		return;
	if (s.kind != MO_REG && s.kind != MO_ZERO && !is_memory(&s))
		return;
	if (s.kind == MO_IMM && !is_number(f->m, &s))
		return;
	if (s.kind == MO_CONST && s.v != V_NONE)
		return;
	if (mo_value(&s) == in->o[0].v)
		return;
	s.wide = load;
	hold_copy(f, 4 * in->o[0].v + in->o[0].word, &s);
}

/* sm_20: true for instructions of one word each, where RZ may stand for any register. */
static bool takes_zero(const struct mi *in)
{
	static const char *const name[] = {"IADD", "LOP",  "MOV", "SEL",  "ISETP", "ST",
					   "STS",  "STL",  "BFI", "IMAD", "IMNMX", "ISCADD",
					   "VADD", "VSHL", "SHL", "SHR"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (mi_is(in, name[i]))
			return !in->cc;
	return false;
}

static bool zero_fits(const struct fold *f, const struct mi *in, unsigned k)
{
	const struct mo *o = &in->o[in->nd + k];
	if (is_modern(f->m))
		return !o->wide;
	if (o->half || o->wide || strstr(in->name, "32I") || !strcmp(in->name, "R2A"))
		return false;
	return f->m->target->sm < 20 ? !strchr(in->name, '@') || k < 2 : takes_zero(in);
}

/* Turns a sum with zero into a copy. */
static void simplify_sum(const struct mfunc *m, struct mi *in)
{
	if (strcmp(in->name, "IADD") || in->nd != 1 || in->cc || in->n != 3)
		return;
	unsigned zero = in->o[2].kind == MO_ZERO ? 2 : in->o[1].kind == MO_ZERO ? 1 : 0;
	struct mo o = in->o[3 - zero];
	if (!zero || o.neg || o.abs || o.inv)
		return;
	in->name = o.kind == MO_CONST && m->target->sm < 20 ? "MVC" : "MOV";
	in->n = 2;
	in->o[1] = o;
}

/* True if source o is a number, which is then in *v. */
static bool number_of(struct fold *f, const struct mo *o, uint32_t *v)
{
	struct mo c = *o;
	if (o->kind == MO_REG && !o->wide && !o->half) {
		c = *copy_of(f, o);
		if (c.kind == MO_NONE)
			c = f->global[4 * o->v + o->word];
	}
	bool known = (c.kind == MO_IMM || c.kind == MO_ZERO) && !o->abs && !o->inv;
	*v = c.kind == MO_IMM ? (uint32_t)c.imm : 0;
	if (o->neg)
		*v = -*v;
	return known;
}

/* sm_20: replaces an instruction whose result is known. */
static void evaluate_inst(struct fold *f, struct mi *in)
{
	uint32_t v[MI_OPS];
	if (f->m->target->sm < 20 || is_modern(f->m) || in->nd != 1 || in->n < 3)
		return;
	for (unsigned k = in->nd; k < in->n; k++)
		if (!number_of(f, &in->o[k], &v[k - in->nd]))
			return;
	mir_constant(in, v);
}

/* Replaces reads of copies in one instruction. */
static void use_copies(struct fold *f, struct mi *in)
{
	for (unsigned k = 0; in->nd + k < in->n; k++) {
		struct mo *o = &in->o[in->nd + k];
		if (o->kind != MO_REG || o->wide || o->v == V_NONE)
			continue;
		struct mo c = *copy_of(f, o);
		if (c.kind == MO_NONE)
			c = f->global[4 * o->v + o->word];
		if (c.kind == MO_REG) {
			o->v = c.v;
			o->word = c.word;
		} else if (c.kind == MO_ZERO && zero_fits(f, in, k)) {
			/* ~0 is not zero, and neither is -0 if it is added with a carry */
			*o = (struct mo){.kind = MO_ZERO,
					 .neg = o->neg,
					 .inv = o->inv,
					 .half = is_modern(f->m) ? o->half : 0};
		} else if (c.kind == MO_IMM && f->m->target->sm < 20) {
			put_literal(f, in, k, (uint32_t)c.imm);
		} else if (is_memory(&c) && (!c.wide || strcmp(in->name, "MOV"))) {
			c.wide = false;
			put_memory(f, in, k, &c);
		}
	}
}

static bool ends_block(const struct mi *in) { return !in->name || in->label || in->ends; }

static bool writes_shared(const struct mi *in)
{
	return !strncmp(in->name, "R2G", 3) || !strncmp(in->name, "BAR", 3) ||
	       strstr(in->name, "LOCK") ||
	       !strcmp(in->name,
		       "R2A"); /* and address registers are few: none lives longer for a load */
}

static void fold_copies(struct fold *f)
{
	struct mfunc *m = f->m;
	for (size_t i = 0; i < m->code.n; i++) {
		struct mi *in = &m->code.v[i];
		if (in->name) {
			evaluate_inst(f, in);
			use_copies(f, in);
			simplify_sum(m, in);
		}
		if (ends_block(in)) {
			forget_all(f);
			continue;
		}
		if (writes_shared(in))
			forget_shared(f);
		for (unsigned k = 0; k < in->nd; k++)
			if (mo_value(&in->o[k]) != V_NONE)
				forget_value(f, in->o[k].v);
		learn_copy(f, in);
	}
	forget_all(f);
}

/* ---- constants of values that are defined once ---- */

static void count_words(struct fold *f, const struct mo *o)
{
	for (unsigned w = 0; w < 4; w++)
		if (o->wide || o->word == w)
			f->word_writes[4 * o->v + w]++;
}

static void count_uses(struct fold *f)
{
	for (size_t i = 0; i < f->m->code.n; i++) {
		const struct mi *in = &f->m->code.v[i];
		for (unsigned k = 0; in->name && k < in->n; k++)
			if (mo_value(&in->o[k]) != V_NONE)
				(k < in->nd ? f->writes : f->reads)[in->o[k].v]++;
		for (unsigned k = 0; in->name && k < in->nd; k++)
			if (mo_value(&in->o[k]) != V_NONE)
				count_words(f, &in->o[k]);
		if (in->name && in->guard != V_TRUE)
			f->reads[in->guard]++;
	}
}

/* True if the copy is the only write of its word. On sm_90 the two words of a 64-bit parameter
 * count separately. */
static bool is_only_write(const struct fold *f, const struct mo *d)
{
	if (is_modern(f->m))
		return f->word_writes[4 * d->v + d->word] == 1;
	return f->writes[d->v] == 1 && f->m->val.v[d->v].words == 1;
}

static void find_constants(struct fold *f)
{
	for (size_t i = 0; i < f->m->code.n; i++) {
		const struct mi *in = &f->m->code.v[i];
		if (!in->name || !is_copy(in) || in->nd != 1 || in->guard != V_TRUE ||
		    !plain_dst(&in->o[0]) || !is_only_write(f, &in->o[0]))
			continue;
		const struct mo *s = &in->o[1];
		if (s->kind == MO_IMM && !is_number(f->m, s))
			continue;
		if (s->kind == MO_ZERO || s->kind == MO_IMM ||
		    (is_memory(s) && s->v == V_NONE && !s->half))
			f->global[4 * in->o[0].v + in->o[0].word] = *s;
	}
}

void mir_fold(struct mfunc *m, bool loads)
{
	struct fold f = {.m = m, .loads = loads};
	f.src = xcalloc(4 * m->val.n + 4, sizeof *f.src);
	f.global = xcalloc(4 * m->val.n + 4, sizeof *f.global);
	f.word_writes = xcalloc(4 * m->val.n + 4, sizeof *f.word_writes);
	f.reads = xcalloc(m->val.n + 1, sizeof *f.reads);
	f.writes = xcalloc(m->val.n + 1, sizeof *f.writes);
	f.copies = xcalloc(m->val.n + 1, sizeof *f.copies);
	count_uses(&f);
	find_constants(&f);
	fold_copies(&f);
	free(f.src);
	free(f.global);
	free(f.word_writes);
	free(f.reads);
	free(f.writes);
	free(f.copies);
	vec_free(&f.held);
	vec_free(&f.shared);
}
