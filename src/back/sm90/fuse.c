/* Two instructions of sm_90 become one that does both.
 *
 * 	IMAD.WIDE R2, R0, 4, RZ;  IADD3 R2, P0, R2, R4, RZ;  IADD3.X R3, R3, R5, RZ, P0;     IMAD.WIDE R2, R0, 4, R4;
 * 	IADD3 R1, R0, R2, RZ;     IADD3 R3, R1, 4, RZ;                                      IADD3 R3, R0, 4, R2;
 * 	SHF.L.U32 R1, R0, 2, RZ;  IADD3 R3, R1, R2, RZ;                                     LEA R3, R0, R2, 2;
 * 	SHF.R.U32.HI R1, RZ, 29, R0;  IADD3 R3, R1, R2, RZ;                                 LEA.HI R3, R0, R2, RZ, 3;
 * 	SHF.R.S32.HI R1, RZ, 31, R0;  IADD3 R2, P0, R0, R4, RZ;  IADD3.X R3, R1, R5, RZ, P0;  IMAD.WIDE R2, R0, 1, R4;
 * 	IADD3 R2, P0, R2, R4, RZ; ... IADD3 R2, P0, R2, R6, RZ; ...  (64 bits)               IADD3 R2, P0, P1, R2, R4, R6; ...
 * 	IADD3 R1, R0, 0x400, RZ;  LDS R3, [R1];                                             LDS R3, [R0+0x400];
 * 	MOV R2, c[0x0][0x210];    MOV R3, c[0x0][0x214];                                    LDC.64 R2, c[0x0][0x210];
 * 	IADD3 R1, R0, R2, RZ;     VIMNMX R3, R1, R4, PT;                                    VIADDMNMX R3, R0, R2, R4, PT;
 * 	LOP3 R1, R0, R2, RZ, &;   LOP3 R3, R1, R4, RZ, |;                                   LOP3 R3, R0, R2, R4, (0 & 1) | 2;
 *
 * 	ISETP.LT.AND P1, R0, R2, PT;  PLOP3 P2, P0, P1, |;          ISETP.LT.OR P2, R0, R2, P0;
 *
 * Both are in one block, no other instruction reads the first one's result, and its sources do not
 * change in between. dead.c removes the first. A product may also be outside of all loops, with any
 * number of readers, if its factors are never written again. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/blocks.h"
#include "back/sm90/sm90.h"

enum { REACH = 600, SOURCES = 3 };

struct fuse {
	struct mfunc *m;
	uint32_t *reads, *writes, *def; /* [4 * value + word]: reads; writes; last writer, plus 1 */
	uint32_t *block;                /* [instruction]: number of its block */
	size_t once;                    /* instructions before this one are executed once at most */
	VEC(struct mi) extra;           /* instructions to insert */
	VEC(uint32_t) before;           /* [index in extra]: instruction that it precedes */
};

static void count_operand(struct fuse *f, size_t i, unsigned k)
{
	const struct mi *in = &f->m->code.v[i];
	const struct mo *o = &in->o[k];
	uint32_t v = mo_value(o);
	if (v == V_NONE)
		return;
	bool all = o->wide || o->kind == MO_PRED;
	for (unsigned w = 0; w < 4; w++)
		if (all || o->word == w) {
			if (k >= in->nd)
				f->reads[4 * v + w]++;
			else
				f->writes[4 * v + w]++, f->def[4 * v + w] = (uint32_t)i + 1;
		}
}

static void count_uses(struct fuse *f)
{
	uint32_t block = 0;
	for (size_t i = 0; i < f->m->code.n; i++) {
		const struct mi *in = &f->m->code.v[i];
		block += !in->name;
		f->block[i] = block;
		for (unsigned k = 0; in->name && k < in->n; k++)
			count_operand(f, i, k);
		for (unsigned w = 0; in->name && in->guard != V_TRUE && w < 4; w++)
			f->reads[4 * in->guard + w]++;
		block += in->name && (in->label || in->ends);
	}
}

static bool writes_value(const struct mi *in, uint32_t v)
{
	for (unsigned k = 0; in->name && k < in->nd; k++)
		if (mo_value(&in->o[k]) == v)
			return true;
	return false;
}

/* True if the registers that instruction `at` reads have the same values at instruction i. */
static bool keeps_sources(const struct fuse *f, size_t at, size_t i)
{
	const struct mi *code = f->m->code.v, *d = &code[at];
	for (unsigned s = d->nd; s < d->n; s++) {
		uint32_t v = mo_value(&d->o[s]);
		for (size_t k = at; v != V_NONE && k < i; k++)
			if (writes_value(&code[k], v))
				return false;
	}
	return true;
}

/* True if instruction `at` is executed where i is. */
static bool has_guard_of(const struct fuse *f, size_t at, size_t i)
{
	const struct mi *code = f->m->code.v, *d = &code[at], *in = &code[i];
	if (d->guard == V_TRUE)
		return true;
	if (d->guard != in->guard || d->guard_neg != in->guard_neg)
		return false;
	for (size_t k = at; k < i; k++)
		if (writes_value(&code[k], d->guard))
			return false;
	return true;
}

/* Returns the last writer of the word if it is the only one, precedes instruction i in its block,
 * and its sources are unchanged at i. Unlike in find_maker(), other instructions may read the word. */
static const struct mi *find_writer(const struct fuse *f, size_t i, uint32_t v, unsigned word)
{
	if (f->writes[4 * v + word] != 1)
		return NULL;
	size_t at = f->def[4 * v + word] - 1;
	const struct mi *d = &f->m->code.v[at];
	return at < i && i - at <= REACH && f->block[at] == f->block[i] && has_guard_of(f, at, i) &&
			       keeps_sources(f, at, i)
		       ? d
		       : NULL;
}

/* The instruction whose result is word `word` of value v and is read by instruction i only; NULL:
 * there is none, or it cannot be fused into i. */
static struct mi *find_maker(const struct fuse *f, size_t i, uint32_t v, unsigned word)
{
	if (f->writes[4 * v + word] != 1 || f->reads[4 * v + word] != 1)
		return NULL;
	size_t at = f->def[4 * v + word] - 1;
	struct mi *d = &f->m->code.v[at];
	if (at >= i || i - at > REACH || f->block[at] != f->block[i] || !has_guard_of(f, at, i) ||
	    d->keep || !keeps_sources(f, at, i))
		return NULL;
	return d;
}

static bool is_memory(const struct mo *o) { return o->kind == MO_IMM || o->kind == MO_CONST; }

static bool is_word(const struct mo *o)
{
	return o->kind == MO_REG && !o->wide && !o->half && !o->abs && !o->inv;
}

static bool is_plain_word(const struct mo *o) { return is_word(o) && !o->neg; }

/* Counts one read less of the instruction that computed the operand, because it was fused with its
 * reader. */
static void drop_read(struct fuse *f, const struct mo *o)
{
	if (o->kind == MO_REG && f->reads[4 * o->v + o->word])
		f->reads[4 * o->v + o->word]--;
}

/* ---- sums ---- */

/* a + b + 0 without carries. */
static bool is_sum(const struct mi *in)
{
	return in->name && !strcmp(in->name, "IADD3") && in->nd == 1 && in->n == 4 &&
	       in->o[3].kind == MO_ZERO;
}

/* A number counts as one source: two are added. False: more than three sources, or two constants. */
static bool join_sources(struct mo *to, unsigned *n, const struct mo *o, bool neg)
{
	struct mo x = *o;
	x.neg ^= neg;
	if (x.kind == MO_ZERO)
		return true;
	if (x.kind == MO_IMM && x.neg) {
		x.imm = (int64_t)(0u - (uint32_t)x.imm);
		x.neg = false;
	}
	for (unsigned i = 0; i < *n; i++)
		if (is_memory(&to[i]) && is_memory(&x)) {
			if (to[i].kind != MO_IMM || x.kind != MO_IMM)
				return false;
			to[i].imm = (int64_t)((uint32_t)to[i].imm + (uint32_t)x.imm);
			return true;
		}
	if (*n == SOURCES || !(is_word(&x) || is_memory(&x)) || (x.kind == MO_CONST && x.neg))
		return false;
	to[(*n)++] = x;
	return true;
}

/* Moves a number to the middle source. */
static void place_sources(struct mo *o, unsigned n)
{
	for (unsigned i = n; i < SOURCES; i++)
		o[i] = mo_zero();
	for (unsigned i = 0; i < SOURCES; i += 2)
		if (is_memory(&o[i])) {
			struct mo t = o[i];
			o[i] = o[1];
			o[1] = t;
		}
}

static bool join_sums(struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	if (!is_sum(in))
		return false;
	for (unsigned k = 1; k < 3; k++) {
		const struct mo *o = &in->o[k];
		if (!is_word(o))
			continue;
		const struct mi *d = find_maker(f, i, o->v, o->word);
		if (!d || strcmp(d->name, "IADD3") || d->nd != 1 || d->n != 4)
			continue;
		struct mo s[SOURCES];
		unsigned n = 0;
		bool ok = join_sources(s, &n, &in->o[3 - k], false);
		for (unsigned j = 1; j < 4 && ok; j++)
			ok = join_sources(s, &n, &d->o[j], o->neg);
		if (!ok || n < 2)
			continue;
		place_sources(s, n);
		drop_read(f, o);
		memcpy(&in->o[1], s, sizeof s);
		return true;
	}
	return false;
}

static bool shift_and_add(struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	if (!is_sum(in))
		return false;
	for (unsigned k = 1; k < 3; k++) {
		const struct mo *o = &in->o[k], other = in->o[3 - k];
		if (!is_plain_word(o) || !(is_plain_word(&other) || is_memory(&other)) || other.neg)
			continue;
		const struct mi *d = find_maker(f, i, o->v, o->word);
		if (!d || strcmp(d->name, "SHF.L.U32") || d->o[2].kind != MO_IMM ||
		    d->o[3].kind != MO_ZERO || !is_plain_word(&d->o[1]) || d->o[2].imm > 31)
			continue;
		drop_read(f, o);
		struct mo by = d->o[2];
		in->name = "LEA";
		in->o[1] = d->o[1];
		in->o[2] = other;
		in->o[3] = by;
		return true;
	}
	return false;
}

/* a + (b >> n), as in quotients by powers of two: the upper word of b << (32 - n). */
static bool shift_down_and_add(struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	if (!is_sum(in))
		return false;
	for (unsigned k = 1; k < 3; k++) {
		const struct mo *o = &in->o[k], other = in->o[3 - k];
		if (!is_plain_word(o) || !(is_plain_word(&other) || is_memory(&other)) || other.neg)
			continue;
		const struct mi *d = find_maker(f, i, o->v, o->word);
		if (!d || strcmp(d->name, "SHF.R.U32.HI") || d->o[1].kind != MO_ZERO ||
		    d->o[2].kind != MO_IMM || !is_plain_word(&d->o[3]) || d->o[2].imm < 1 ||
		    d->o[2].imm > 31)
			continue;
		drop_read(f, o);
		struct mo by = mo_imm(32 - d->o[2].imm), shifted = d->o[3];
		in->name = "LEA.HI";
		in->n = 5;
		in->o[1] = shifted;
		in->o[2] = other;
		in->o[3] = mo_zero();
		in->o[4] = by;
		return true;
	}
	return false;
}

/* min(a + b, c), max(a + b, c): one register is subtracted or one source is not a register, at most. */
static bool add_and_compare(struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	bool sg = in->name && !strcmp(in->name, "VIMNMX");
	if (!in->name || (!sg && strcmp(in->name, "VIMNMX.U32")) || in->nd != 1 || in->n != 4)
		return false;
	for (unsigned k = 1; k < 3; k++) {
		const struct mo *o = &in->o[k], c = in->o[3 - k];
		if (!is_plain_word(o) || !(is_plain_word(&c) || is_memory(&c)) || c.neg)
			continue;
		const struct mi *d = find_maker(f, i, o->v, o->word);
		if (!d || !is_sum(d))
			continue;
		struct mo a = d->o[1], b = d->o[2];
		if (a.neg) {
			a = d->o[2];
			b = d->o[1];
		}
		if (!is_plain_word(&a) || !(is_word(&b) || is_memory(&b)) ||
		    (is_memory(&b) && (b.neg || is_memory(&c))))
			continue;
		drop_read(f, o);
		struct mo p = in->o[3];
		in->name = sg ? "VIADDMNMX" : "VIADDMNMX.U32";
		in->n = 5;
		in->o[1] = a;
		in->o[2] = b;
		in->o[3] = c;
		in->o[4] = p;
		return true;
	}
	return false;
}

/* ---- bits ---- */

static bool is_bits(const struct mi *in)
{
	return in->name && !strcmp(in->name, "LOP3.LUT") && in->nd == 1 && in->n == 6 &&
	       in->o[5].kind == MO_PRED && in->o[5].v == V_TRUE && in->o[5].neg;
}

static bool find_source(struct mo *s, unsigned *n, const struct mo *o, unsigned *at)
{
	if (o->kind == MO_ZERO && !o->inv) {
		*at = SOURCES; /* always 0 */
		return true;
	}
	for (*at = 0; *at < *n; (*at)++)
		if (mo_same(&s[*at], o))
			return true;
	if (*n == SOURCES || !(is_plain_word(o) || (is_memory(o) && !o->neg && !o->inv)))
		return false;
	for (unsigned i = 0; i < *n; i++)
		if (is_memory(&s[i]) && is_memory(o))
			return false;
	s[(*n)++] = *o;
	return true;
}

static unsigned table_bit(const struct mi *in, const unsigned *at, unsigned x, unsigned k,
			  unsigned inner)
{
	unsigned index = 0;
	for (unsigned j = 0; j < SOURCES; j++) {
		unsigned bit = j == k ? inner : at[j] == SOURCES ? 0 : x >> (2 - at[j]) & 1;
		index |= bit << (2 - j);
	}
	return (unsigned)in->o[4].imm >> index & 1;
}

/* a & number. */
static bool is_mask(const struct mi *in)
{
	return is_bits(in) && in->o[4].imm == LUT_AND && is_plain_word(&in->o[1]) &&
	       in->o[2].kind == MO_IMM && !in->o[2].neg && !in->o[2].inv &&
	       in->o[3].kind == MO_ZERO;
}

/* Two masks become one; the extension of 8 or 16 bits of which the mask leaves no sign is the mask. */
static bool join_masks(struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	bool extends = in->name && !strcmp(in->name, "PRMT") && in->nd == 1 &&
		       is_plain_word(&in->o[1]) && in->o[2].kind == MO_IMM &&
		       in->o[3].kind == MO_ZERO &&
		       (in->o[2].imm == 0x9910 || in->o[2].imm == 0x8880);
	if (!extends && !is_mask(in))
		return false;
	const struct mi *d = find_writer(f, i, in->o[1].v, in->o[1].word);
	if (!d || !is_mask(d))
		return false;
	uint32_t mask = (uint32_t)d->o[2].imm, most = in->o[2].imm == 0x9910 ? INT16_MAX : INT8_MAX;
	if (extends && mask > most)
		return false;
	if (f->reads[4 * in->o[1].v + in->o[1].word])
		f->reads[4 * in->o[1].v + in->o[1].word]--;
	f->reads[4 * d->o[1].v + d->o[1].word]++;
	struct mo x = mo_imm((int64_t)(extends ? mask : mask & (uint32_t)in->o[2].imm));
	in->name = d->name;
	in->n = 6;
	memcpy(&in->o[1], &d->o[1], 5 * sizeof *in->o);
	in->o[2] = x.imm ? x : mo_zero();
	return true;
}

static bool join_bits(struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	if (!is_bits(in))
		return false;
	for (unsigned k = 0; k < SOURCES; k++) {
		const struct mo *o = &in->o[1 + k];
		if (!is_plain_word(o))
			continue;
		const struct mi *d = find_maker(f, i, o->v, o->word);
		if (!d || !is_bits(d))
			continue;
		struct mo s[SOURCES];
		unsigned n = 0, outer[SOURCES] = {0}, inner[SOURCES] = {0}, table = 0;
		bool ok = true;
		for (unsigned j = 0; j < SOURCES && ok; j++)
			ok = find_source(s, &n, &d->o[1 + j], &inner[j]);
		for (unsigned j = 0; j < SOURCES && ok; j++)
			ok = j == k || find_source(s, &n, &in->o[1 + j], &outer[j]);
		if (!ok || !n)
			continue;
		unsigned middle = SOURCES; /* operand that holds the number */
		for (unsigned j = 0; j < n; j++)
			middle = is_memory(&s[j]) ? j : middle;
		unsigned place[SOURCES + 1] = {0, 1, 2, SOURCES};
		if (middle < SOURCES && middle != 1) {
			struct mo t = n > 1 ? s[1] : mo_zero();
			s[1] = s[middle];
			s[middle] = t;
			place[middle] = 1;
			place[1] = middle;
			n = n < 2 ? 2 : n;
		}
		for (unsigned j = 0; j < SOURCES; j++) {
			inner[j] = place[inner[j]];
			outer[j] = place[outer[j]];
		}
		for (unsigned x = 0; x < 8; x++)
			table |= table_bit(in, outer, x, k, table_bit(d, inner, x, SOURCES, 0))
				 << x;
		drop_read(f, o);
		for (unsigned j = 0; j < SOURCES; j++)
			in->o[1 + j] = j < n ? s[j] : mo_zero();
		in->o[4].imm = table;
		return true;
	}
	return false;
}

/* ---- products of 64 bits and sums ---- */

/* The sum of 64 bits that ends at instruction i + 1: lo + carry, hi. */
static bool is_long_sum(const struct mi *lo, const struct mi *hi)
{
	return lo->name && hi->name && !strcmp(lo->name, "IADD3") && lo->nd == 2 && lo->n == 5 &&
	       lo->o[4].kind == MO_ZERO && !strcmp(hi->name, "IADD3.X") && hi->nd == 1 &&
	       hi->n == 6 && hi->o[3].kind == MO_ZERO && lo->guard == hi->guard &&
	       lo->guard_neg == hi->guard_neg && hi->o[4].kind == MO_PRED &&
	       hi->o[4].v == lo->o[1].v && !hi->o[4].neg && hi->o[5].v == V_TRUE && hi->o[5].neg;
}

/* The two words as one operand of 64 bits. */
static bool join_words(const struct mfunc *m, const struct mo *lo, const struct mo *hi,
		       struct mo *to)
{
	if (is_plain_word(lo) && is_plain_word(hi) && lo->v == hi->v && !lo->word &&
	    hi->word == 1 && m->val.v[lo->v].words == 2) {
		*to = mo_wide(lo->v);
		return true;
	}
	*to = *lo;
	return lo->kind == MO_CONST && hi->kind == MO_CONST && lo->v == V_NONE && !lo->neg &&
	       !hi->neg && lo->bank == hi->bank && hi->imm == lo->imm + 4 && lo->imm % 8 == 0;
}

/* A register that holds the number: an earlier one of the block if there is one. */
static struct mo number_in_register(struct fuse *f, size_t i, const struct mo *number,
				    uint32_t line)
{
	for (size_t e = f->extra.n; e-- > 0 && f->block[f->before.v[e]] == f->block[i];)
		if (mo_same(&f->extra.v[e].o[1], number))
			return f->extra.v[e].o[0];
	struct mo t = mo_reg(mval_new(f->m, 1));
	struct mi mov = {
		.name = "MOV", .guard = V_TRUE, .nd = 1, .n = 2, .line = line, .o = {t, *number}};
	vec_push(&f->extra, mov);
	vec_push(&f->before, (uint32_t)i);
	return t;
}

/* True if the operand's value does not change after its only write. */
static bool never_changes(const struct fuse *f, const struct mo *o)
{
	if (o->kind != MO_REG)
		return is_memory(o) || o->kind == MO_ZERO;
	return is_plain_word(o) && f->writes[4 * o->v + o->word] == 1 &&
	       f->def[4 * o->v + o->word] <= f->once;
}

/* Returns the instruction that computes the 64-bit product v, if its factors are unchanged at
 * instruction i; NULL: v is not such a product. */
static const struct mi *find_product(const struct fuse *f, size_t i, uint32_t v)
{
	if (f->writes[4 * v] != 1 || f->writes[4 * v + 1] != 1 ||
	    f->def[4 * v] != f->def[4 * v + 1])
		return NULL;
	const struct mi *d = &f->m->code.v[f->def[4 * v] - 1];
	if (!d->name || d->n != 4 || d->keep ||
	    (strcmp(d->name, "IMAD.WIDE") && strcmp(d->name, "IMAD.WIDE.U32")))
		return NULL;
	bool fixed = d->guard == V_TRUE && never_changes(f, &d->o[1]) && never_changes(f, &d->o[2]);
	return fixed || find_writer(f, i, v, 0) ? d : NULL;
}

static bool product_and_sum(struct fuse *f, size_t i)
{
	struct mi *lo = &f->m->code.v[i], *hi = lo + 1;
	if (i + 1 >= f->m->code.n || !is_long_sum(lo, hi) || lo->o[0].kind != MO_REG ||
	    hi->o[0].kind != MO_REG || lo->o[0].v != hi->o[0].v || lo->o[0].word ||
	    hi->o[0].word != 1 || f->reads[4 * lo->o[1].v] != 1)
		return false;
	for (unsigned k = 2; k < 4; k++) {
		const struct mo *o = &lo->o[k];
		if (!is_plain_word(o) || o->word || f->m->val.v[o->v].words != 2)
			continue;
		const struct mi *d = find_maker(f, i, o->v, 0);
		if (!d || f->reads[4 * o->v + 1] != 1)
			d = find_product(f, i, o->v);
		if (!d || (strcmp(d->name, "IMAD.WIDE") && strcmp(d->name, "IMAD.WIDE.U32")) ||
		    d->o[3].kind != MO_ZERO)
			continue;
		unsigned h = hi->o[1].kind == MO_REG && hi->o[1].v == o->v && hi->o[1].word == 1 ? 1
			     : hi->o[2].kind == MO_REG && hi->o[2].v == o->v && hi->o[2].word == 1
				     ? 2
				     : 0;
		struct mo sum;
		if (!h || hi->o[h].neg || !join_words(f->m, &lo->o[5 - k], &hi->o[3 - h], &sum) ||
		    (sum.kind == MO_REG && sum.v == lo->o[0].v))
			continue;
		struct mi r = *hi;
		r.name = d->name;
		r.n = 4;
		r.fresh = true;
		r.o[0] = mo_wide(lo->o[0].v);
		r.o[1] = d->o[1];
		r.o[2] = d->o[2];
		r.o[3] = sum;
		if (is_memory(&sum) && is_memory(&r.o[2])) /* at most one can be a memory operand:
							    * the number goes to a register */
			r.o[2] = number_in_register(f, i, &r.o[2], r.line);
		lo = &f->m->code.v[i];
		hi = lo + 1;
		*hi = r;
		*lo = (struct mi){.name = "NOP", .guard = V_TRUE};
		return true;
	}
	return false;
}

/* True if word `hi` is the extension of `lo` to 64 bits; *sign: by its sign. */
static bool is_extension(const struct fuse *f, size_t i, const struct mo *lo, const struct mo *hi,
			 bool *sign)
{
	*sign = hi->kind == MO_REG;
	if (hi->kind == MO_ZERO && !hi->inv && !hi->neg)
		return true;
	if (!is_plain_word(hi))
		return false;
	const struct mi *d = find_writer(f, i, hi->v, hi->word);
	return d && !strcmp(d->name, "SHF.R.S32.HI") && d->o[1].kind == MO_ZERO &&
	       d->o[2].kind == MO_IMM && d->o[2].imm == 31 && mo_same(&d->o[3], lo);
}

/* A word is extended and added to 64 bits: a product by one. */
static bool extend_and_add(struct fuse *f, size_t i)
{
	struct mi *lo = &f->m->code.v[i], *hi = lo + 1;
	if (i + 1 >= f->m->code.n || !is_long_sum(lo, hi) || lo->o[0].kind != MO_REG ||
	    hi->o[0].kind != MO_REG || lo->o[0].v != hi->o[0].v || lo->o[0].word ||
	    hi->o[0].word != 1 || f->reads[4 * lo->o[1].v] != 1)
		return false;
	for (unsigned k = 2; k < 4; k++)
		for (unsigned h = 1; h < 3; h++) {
			bool sign;
			struct mo sum, word = lo->o[k];
			if (!is_plain_word(&word) || !is_extension(f, i, &word, &hi->o[h], &sign) ||
			    !join_words(f->m, &lo->o[5 - k], &hi->o[3 - h], &sum) ||
			    (sum.kind == MO_REG && sum.v == lo->o[0].v) || word.v == lo->o[0].v)
				continue;
			struct mi r = *hi;
			r.name = sign ? "IMAD.WIDE" : "IMAD.WIDE.U32";
			r.n = 4;
			r.fresh = true;
			r.o[0] = mo_wide(lo->o[0].v);
			r.o[1] = word;
			r.o[2] = mo_imm(1);
			r.o[3] = sum;
			if (is_memory(&sum))
				r.o[2] = number_in_register(f, i, &r.o[2], r.line);
			lo = &f->m->code.v[i];
			lo[1] = r;
			lo[0] = (struct mi){.name = "NOP", .guard = V_TRUE};
			return true;
		}
	return false;
}

/* True if all of the carry's arithmetic is plain: no operand is subtracted. */
static bool adds_plainly(const struct mi *lo, const struct mi *hi)
{
	for (unsigned k = 0; k < 3; k++)
		if (lo->o[2 + k].neg || lo->o[2 + k].inv || hi->o[1 + k].neg || hi->o[1 + k].inv)
			return false;
	return true;
}

/* Three numbers of 64 bits: the lower words have two carries. */
static bool join_long_sums(struct fuse *f, size_t i)
{
	struct mi *lo = &f->m->code.v[i], *hi = lo + 1;
	if (i + 1 >= f->m->code.n || !is_long_sum(lo, hi) || !adds_plainly(lo, hi) ||
	    f->reads[4 * lo->o[1].v] != 1)
		return false;
	for (unsigned k = 2; k < 4; k++) {
		const struct mo *o = &lo->o[k];
		if (!is_plain_word(o) || o->word)
			continue;
		unsigned h = hi->o[1].kind == MO_REG && hi->o[1].v == o->v && hi->o[1].word == 1 ? 1
			     : hi->o[2].kind == MO_REG && hi->o[2].v == o->v && hi->o[2].word == 1
				     ? 2
				     : 0;
		struct mi *l = find_maker(f, i, o->v, 0), *u = h ? find_maker(f, i, o->v, 1) : NULL;
		if (!l || u != l + 1 || !is_long_sum(l, u) || !adds_plainly(l, u) ||
		    l->o[1].v == lo->o[1].v || f->reads[4 * l->o[1].v] != 1)
			continue;
		struct mo a[SOURCES] = {l->o[2], l->o[3], lo->o[5 - k]},
			  b[SOURCES] = {u->o[1], u->o[2], hi->o[3 - h]};
		unsigned na = 0, nb = 0;
		for (unsigned s = 0; s < SOURCES; s++) {
			na += is_memory(&a[s]);
			nb += is_memory(&b[s]);
		}
		if (na > 1 || nb > 1)
			continue;
		place_sources(a, SOURCES);
		place_sources(b, SOURCES);
		struct mo carry[2] = {lo->o[1], l->o[1]};
		lo->nd = 3;
		lo->n = 6;
		lo->o[2] = carry[1];
		memcpy(&lo->o[3], a, sizeof a);
		memcpy(&hi->o[1], b, sizeof b);
		hi->o[4] = carry[0];
		hi->o[5] = carry[1];
		*l = *u = (struct mi){.name = "NOP", .guard = V_TRUE};
		return true;
	}
	return false;
}

/* ---- addresses ---- */

/* If both words of a value are copies of one 64-bit constant, loads the constant at once; outside
 * of loops, where the load's latency costs little. */
static bool join_loads(struct fuse *f, size_t i)
{
	struct mi *lo = &f->m->code.v[i], *hi = lo + 1;
	struct mo both;
	if (i + 1 >= f->once || i + 1 >= f->m->code.n || strcmp(lo->name, "MOV") || !hi->name ||
	    strcmp(hi->name, "MOV") || lo->guard != hi->guard || lo->guard_neg != hi->guard_neg ||
	    lo->o[0].v != hi->o[0].v || lo->o[0].word || hi->o[0].word != 1 ||
	    f->m->val.v[lo->o[0].v].words != 2 || lo->o[1].kind != MO_CONST ||
	    hi->o[1].kind != MO_CONST || lo->o[1].v != V_NONE || hi->o[1].v != V_NONE ||
	    !join_words(f->m, &lo->o[1], &hi->o[1], &both))
		return false;
	hi->name = "LDC.64";
	hi->fresh = true;
	hi->o[0] = mo_wide(lo->o[0].v);
	hi->o[1] = both;
	*lo = (struct mi){.name = "NOP", .guard = V_TRUE};
	return true;
}

static bool is_shared_access(const struct mi *in)
{
	return mi_is(in, "LDS") || mi_is(in, "STS") || mi_is(in, "ATOMS") || mi_is(in, "LDSM") ||
	       mi_is(in, "STSM");
}

/* The sum of a pair and a number: *base, *number. */
static bool is_far_sum(const struct fuse *f, const struct mi *lo, const struct mi *hi,
		       uint32_t *base, int64_t *number)
{
	struct mo pair;
	if (!is_long_sum(lo, hi) || lo->o[3].kind != MO_IMM || lo->o[3].neg || hi->o[2].neg ||
	    !join_words(f->m, &lo->o[2], &hi->o[1], &pair) || pair.kind != MO_REG)
		return false;
	*base = pair.v;
	*number = (int32_t)(uint32_t)lo->o[3].imm;
	return *number < 0 ? hi->o[2].kind == MO_IMM && (uint32_t)hi->o[2].imm == UINT32_MAX
			   : hi->o[2].kind == MO_ZERO && !hi->o[2].inv;
}

/* The pair that value v is the sum of with a number, at instruction i; V_NONE: it is none. */
static uint32_t find_base(const struct fuse *f, size_t i, uint32_t v, int64_t *number)
{
	const struct mi *hi = find_writer(f, i, v, 1), *lo = find_writer(f, i, v, 0);
	uint32_t base;
	return hi && lo == hi - 1 && is_far_sum(f, lo, hi, &base, number) ? base : (uint32_t)V_NONE;
}

/* Two numbers that are added to an address, one after the other, become one. */
static bool join_far_sums(struct fuse *f, size_t i)
{
	struct mi *lo = &f->m->code.v[i], *hi = lo + 1;
	uint32_t v, base;
	int64_t n, more;
	if (i + 1 >= f->m->code.n || !is_far_sum(f, lo, hi, &v, &n) ||
	    f->reads[4 * lo->o[1].v] != 1 || (base = find_base(f, i, v, &more)) == V_NONE ||
	    n + more < INT32_MIN || n + more > INT32_MAX || !(n + more))
		return false;
	n += more;
	lo->o[2] = mo_word(base, 0);
	hi->o[1] = mo_word(base, 1);
	lo->o[3] = mo_imm((int64_t)(uint32_t)n);
	hi->o[2] = n < 0 ? mo_imm((int64_t)UINT32_MAX) : mo_zero();
	return true;
}

/* A number that was added to an address of global memory becomes a part of the access's offset. */
static bool fold_far_offset(struct fuse *f, size_t i)
{
	enum { LIMIT = 0x7fffff };
	struct mi *in = &f->m->code.v[i];
	bool change = false;
	for (unsigned k = 0; k < in->n; k++) {
		struct mo *o = &in->o[k];
		int64_t n = 0;
		if (o->kind != MO_MEM || o->v == V_NONE || !o->wide || !o->bank)
			continue;
		uint32_t base = find_base(f, i, o->v, &n);
		if (base == V_NONE || o->imm + n < -LIMIT || o->imm + n > LIMIT)
			continue;
		o->v = base;
		o->imm += n;
		change = true;
	}
	return change;
}

/* A number that was added to the address of shared memory becomes a part of the access's offset. */
static bool fold_offset(struct fuse *f, size_t i)
{
	enum { LIMIT = 0x7fffff };
	struct mi *in = &f->m->code.v[i];
	bool change = false;
	for (unsigned k = 0; is_shared_access(in) && k < in->n; k++) {
		struct mo *o = &in->o[k];
		if (o->kind != MO_MEM || o->v == V_NONE || o->wide || o->bank)
			continue;
		const struct mi *d = find_writer(f, i, o->v, o->word);
		if (!d || !is_sum(d) || !is_plain_word(&d->o[1]) || d->o[2].kind != MO_IMM)
			continue;
		int64_t sum = o->imm + (int32_t)(uint32_t)d->o[2].imm;
		if (sum < -LIMIT || sum > LIMIT)
			continue;
		if (f->reads[4 * o->v + o->word])
			f->reads[4 * o->v + o->word]--;
		f->reads[4 * d->o[1].v + d->o[1].word]++;
		o->v = d->o[1].v;
		o->word = d->o[1].word;
		o->imm = sum;
		change = true;
	}
	return change;
}

/* ---- comparisons ---- */

/* The comparison that computes the predicate, without a combining predicate; NULL: none. */
static const struct mi *find_comparison(const struct fuse *f, size_t i, const struct mo *o)
{
	if (o->kind != MO_PRED || o->v == V_TRUE || o->neg)
		return NULL;
	const struct mi *d = find_maker(f, i, o->v, 0);
	bool compares = d && (mi_is(d, "ISETP") || mi_is(d, "FSETP") || mi_is(d, "DSETP")) &&
			strstr(d->name, ".AND") && d->nd == 2 && d->n >= 5;
	return compares && d->o[1].v == V_TRUE && d->o[4].kind == MO_PRED && d->o[4].v == V_TRUE &&
			       !d->o[4].neg
		       ? d
		       : NULL;
}

static bool join_comparison(struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	if (!in->name || strcmp(in->name, "PLOP3.LUT") || in->nd != 2 || in->n != 7 ||
	    in->o[1].v != V_TRUE || in->o[4].kind != MO_PRED || in->o[4].v != V_TRUE ||
	    in->o[4].neg || in->o[5].kind != MO_IMM)
		return false;
	const char *with = in->o[5].imm == 0xc0   ? ".AND"
			   : in->o[5].imm == 0xfc ? ".OR"
			   : in->o[5].imm == 0x3c ? ".XOR"
						  : NULL;
	for (unsigned k = 3; with && k >= 2; k--) {
		const struct mi *d = find_comparison(f, i, &in->o[k]);
		if (!d || in->o[5 - k].kind != MO_PRED)
			continue;
		const char *at = strstr(d->name, ".AND");
		struct mi r = *d;
		r.line = in->line;
		r.name = arena_printf(f->m->a, "%.*s%s%s", (int)(at - d->name), d->name, with,
				      at + 4);
		r.guard = in->guard;
		r.guard_neg = in->guard_neg;
		r.o[0] = in->o[0];
		r.o[4] = in->o[5 - k];
		f->reads[4 * in->o[k].v]--;
		*in = r;
		return true;
	}
	return false;
}

/* ---- */

static void put_extra(struct fuse *f)
{
	VEC(struct mi) out = {0};
	size_t e = 0;
	for (size_t i = 0; i < f->m->code.n; i++) {
		for (; e < f->extra.n && f->before.v[e] == i; e++)
			vec_push(&out, f->extra.v[e]);
		const struct mi *in = &f->m->code.v[i];
		if (!in->name || strcmp(in->name, "NOP"))
			vec_push(&out, *in);
	}
	vec_free(&f->m->code);
	f->m->code.v = out.v;
	f->m->code.n = out.n;
	f->m->code.cap = out.cap;
}

void sm90_fuse(struct mfunc *m)
{
	struct fuse f = {.m = m};
	/* includes the values that number_in_register() makes */
	size_t n = 4 * (m->val.n + m->code.n + 1);
	f.reads = xcalloc(n, sizeof *f.reads);
	f.writes = xcalloc(n, sizeof *f.writes);
	f.def = xcalloc(n, sizeof *f.def);
	f.block = xcalloc(m->code.n + 1, sizeof *f.block);
	f.once = mblocks_first_loop(m);
	count_uses(&f);
	for (size_t i = 0; i < m->code.n; i++) {
		if (!m->code.v[i].name)
			continue;
		if (join_loads(&f, i) || fold_offset(&f, i) || fold_far_offset(&f, i) ||
		    join_far_sums(&f, i))
			continue;
		if (!product_and_sum(&f, i) && !extend_and_add(&f, i) && !join_long_sums(&f, i) &&
		    !shift_and_add(&f, i) && !shift_down_and_add(&f, i) &&
		    !join_comparison(&f, i) && !add_and_compare(&f, i))
			while (join_sums(&f, i) || join_masks(&f, i) || join_bits(&f, i))
				;
	}
	put_extra(&f);
	free(f.reads);
	free(f.writes);
	free(f.def);
	free(f.block);
	vec_free(&f.extra);
	vec_free(&f.before);
	mir_dead(m);
}
