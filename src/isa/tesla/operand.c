/* Tesla operands: read from a word and written into it. */
#include <string.h>
#include "isa/tesla/tesla.h"

enum { B = 32 }; /* bit 0 of the second word */

static void get_sign(const struct nopf *f, uint64_t w, struct nop *o)
{
	o->neg = f->neg && bits(w, f->neg, 1) && !(f->xneg && bits(w, f->xneg, 1));
	o->abs = f->abs && bits(w, f->abs, 1);
	o->inv = f->inv && bits(w, f->inv, 1);
}

static bool put_sign(const struct nopf *f, const struct nop *o, uint64_t *w)
{
	if ((o->neg && !f->neg) || (o->abs && !f->abs) || (o->inv && !f->inv) || o->cc)
		return false;
	*w |= (o->neg ? 1ull << f->neg : 0) | (o->abs ? 1ull << f->abs : 0) |
	      (o->inv ? 1ull << f->inv : 0);
	return true;
}

static bool full(const struct nopf *f, uint64_t w)
{
	return f->sz == SZ_HALF ? false : !f->sz || bits(w, f->sz, 1);
}

static void get_reg(const struct nopf *f, uint64_t w, unsigned v, struct nop *o)
{
	o->kind = full(f, w) ? NO_GPR : NO_HALF;
	o->reg = (uint8_t)v;
	o->width = f->width ? f->width : 1;
}

static bool put_reg(const struct nopf *f, const struct nop *o, uint64_t *w, unsigned lo, unsigned n)
{
	if ((o->kind != NO_GPR && o->kind != NO_HALF) || o->reg >> n || o->sel)
		return false;
	if ((f->sz == SZ_HALF || !f->sz) && (o->kind == NO_HALF) != (f->sz == SZ_HALF))
		return false;
	if (f->sz && f->sz != SZ_HALF && o->kind == NO_GPR)
		*w |= 1ull << f->sz;
	*w &= ~(bits(~0ull, 0, n) << lo);
	*w |= (uint64_t)o->reg << lo;
	return true;
}

/* Address register; bit 34 belongs to its number in long forms only. */
static unsigned areg(uint64_t w, bool lng)
{
	return (unsigned)(bits(w, 26, 2) | (lng ? bits(w, B + 2, 1) << 2 : 0));
}

static void get_index(uint64_t w, bool lng, struct nop *o)
{
	unsigned a = areg(w, lng);
	o->index = a ? (uint8_t)a : NREG_NONE;
	o->postinc = a && bits(w, 25, 1);
}

static bool put_index(const struct nop *o, uint64_t *w, bool lng)
{
	unsigned a = o->index == NREG_NONE ? 0 : o->index;
	if (a > (lng ? 7u : 3u) || (o->index == 0) || o->reg != NREG_NONE)
		return false;
	*w |= (uint64_t)(a & 3) << 26 | (lng ? (uint64_t)(a >> 2) << (B + 2) : 0) |
	      (uint64_t)o->postinc << 25;
	return true;
}

/* Access type of a shared operand: code in the word, suffix in the text, bytes. */
static const uint8_t type_sel[4] = {1, 2, 3, 0}, type_unit[4] = {1, 2, 2, 4};

static void get_shared(uint64_t w, unsigned field, unsigned n, bool lng, struct nop *o)
{
	unsigned type = field >> (n - 2);
	o->kind = NO_MEM;
	o->space = NS_SHARED;
	o->sel = type_sel[type];
	o->unit = type_unit[type];
	o->off = (int32_t)bits(field, 0, n - 2);
	o->reg = NREG_NONE;
	get_index(w, lng, o);
}

static bool put_shared(const struct nop *o, uint64_t *w, unsigned n, bool lng)
{
	unsigned type = 4;
	if (o->space != NS_SHARED || o->off < 0 || o->off >> (n - 2))
		return false;
	for (unsigned i = 0; i < 4; i++)
		if (o->sel == type_sel[i])
			type = i;
	if (type == 4)
		return false;
	*w |= (uint64_t)(type << (n - 2) | (unsigned)o->off) << 9;
	return put_index(o, w, lng);
}

static void get_const(const struct nopf *f, uint64_t w, unsigned off, unsigned bank, bool lng,
		      bool indexed, struct nop *o)
{
	o->kind = NO_CONST;
	o->bank = (uint8_t)bank;
	o->off = (int32_t)off;
	o->unit = full(f, w) ? 4 : 2;
	o->reg = NREG_NONE;
	o->width = f->width ? f->width : 1;
	if (indexed)
		get_index(w, lng, o);
}

/* True if a shared operand uses the address register. */
static bool long_shared(uint64_t w) { return bits(w, B + 21, 1); }
static bool short_shared(uint64_t w) { return bits(w, 24, 1); }

static bool put_const(const struct nop *o, uint64_t *w, bool lng, bool shared)
{
	if (o->sel)
		return false;
	if (o->index == NREG_NONE)
		return true;
	return !shared && put_index(o, w, lng);
}

static bool get_source(const struct nopf *f, uint64_t w, struct nop *o)
{
	unsigned v;
	switch (f->kind) {
	case TK_A:
		v = (unsigned)bits(w, 9, 7);
		if (long_shared(w))
			get_shared(w, v, 7, true, o);
		else
			get_reg(f, w, v, o);
		return true;
	case TK_AS:
		v = (unsigned)bits(w, 9, 6);
		if (short_shared(w))
			get_shared(w, v, 6, false, o);
		else
			get_reg(f, w, v, o);
		return true;
	case TK_B:
		v = (unsigned)bits(w, 16, 7);
		if (bits(w, 23, 1))
			get_const(f, w, v, (unsigned)bits(w, B + 22, 4), true, !long_shared(w), o);
		else
			get_reg(f, w, v, o);
		return true;
	case TK_BS:
		v = (unsigned)bits(w, 16, 6);
		if (bits(w, 23, 1))
			get_const(f, w, v & 31, v >> 5, false, !short_shared(w), o);
		else
			get_reg(f, w, v, o);
		return true;
	default: /* TK_C */
		v = (unsigned)bits(w, B + 14, 7);
		if (bits(w, 24, 1))
			get_const(f, w, v, (unsigned)bits(w, B + 22, 4), true,
				  !long_shared(w) && !bits(w, 23, 1), o);
		else
			get_reg(f, w, v, o);
		return true;
	}
}

static bool put_source(const struct nopf *f, const struct nop *o, uint64_t *w)
{
	bool cst = o->kind == NO_CONST;
	switch (f->kind) {
	case TK_A:
		if (o->kind != NO_MEM)
			return put_reg(f, o, w, 9, 7);
		*w |= 1ull << (B + 21);
		return put_shared(o, w, 7, true);
	case TK_AS:
		if (o->kind != NO_MEM)
			return put_reg(f, o, w, 9, 6);
		*w |= 1ull << 24;
		return put_shared(o, w, 6, false);
	case TK_B:
		if (!cst)
			return put_reg(f, o, w, 16, 7);
		if (o->off < 0 || o->off > 127 || o->bank > 15)
			return false;
		*w |= 1ull << 23 | (uint64_t)o->off << 16 | (uint64_t)o->bank << (B + 22);
		return put_const(o, w, true, long_shared(*w));
	case TK_BS:
		if (!cst)
			return put_reg(f, o, w, 16, 6);
		if (o->off < 0 || o->off > 31 || o->bank > 1)
			return false;
		*w |= 1ull << 23 | (uint64_t)o->off << 16 | (uint64_t)o->bank << 21;
		return put_const(o, w, false, short_shared(*w));
	default:
		if (!cst)
			return put_reg(f, o, w, B + 14, 7);
		if (o->off < 0 || o->off > 127 || o->bank > 15 ||
		    (bits(*w, 23, 1) && bits(*w, B + 22, 4) != o->bank))
			return false;
		*w |= 1ull << 24 | (uint64_t)o->off << (B + 14) | (uint64_t)o->bank << (B + 22);
		return put_const(o, w, true, long_shared(*w) || bits(*w, 23, 1));
	}
}

/* Store size of R2G, load type of G2R and MVC: 0 U8 1 U16 2 S16 3 32 bits. */
static unsigned mem_type(uint64_t w, bool store)
{
	if (store)
		return bits(w, B + 22, 1) ? 0 : bits(w, B + 26, 1) ? 3 : 1;
	return (unsigned)bits(w, B + 14, 2);
}

static unsigned off_bits(unsigned type) { return type == 0 ? 16 : type == 3 ? 14 : 15; }

static bool get_memory(const struct nopf *f, uint64_t w, struct nop *o)
{
	bool store = f->flags & 64;
	unsigned type;
	o->kind = NO_MEM;
	o->reg = NREG_NONE;
	switch (f->kind) {
	case TK_SHARED:
		type = mem_type(w, store);
		o->space = NS_SHARED;
		o->bank = store; /* printed without a blank in the new style */
		o->sel = store ? 0 : type == 3 ? 4 : type_sel[type];
		o->unit = type_unit[type];
		o->off = (int32_t)bits(w, 9, off_bits(type));
		get_index(w, true, o);
		return true;
	case TK_CMEM:
		type = mem_type(w, false);
		o->kind = NO_CONST;
		o->space = NS_CONST;
		o->bank = (uint8_t)bits(w, B + 22, 4);
		o->sel = type_sel[type];
		o->unit = type_unit[type];
		o->off = (int32_t)bits(w, 9, off_bits(type));
		get_index(w, true, o);
		return true;
	case TK_LOCAL:
		o->space = NS_LOCAL;
		o->unit = 1;
		o->off = (int32_t)bits(w, 9, 16);
		get_index(w, true, o);
		return true;
	default: /* TK_GLOBAL: space number at lo */
		o->space = NS_GLOBAL;
		o->bank = (uint8_t)bits(w, f->lo, 4);
		o->reg = (uint8_t)bits(w, 9, 7);
		return true;
	}
}

static bool put_memory(const struct nopf *f, const struct nop *o, uint64_t *w)
{
	bool store = f->flags & 64;
	unsigned type = 4;
	if (f->kind == TK_GLOBAL) {
		if (o->kind != NO_MEM || o->space != NS_GLOBAL || o->reg > 127 || o->off)
			return false;
		*w |= (uint64_t)o->bank << f->lo | (uint64_t)o->reg << 9;
		return true;
	}
	if (f->kind == TK_CMEM
		    ? o->kind != NO_CONST
		    : o->kind != NO_MEM || o->space != (f->kind == TK_LOCAL ? NS_LOCAL : NS_SHARED))
		return false;
	if (f->kind == TK_LOCAL || store)
		type = f->kind == TK_LOCAL ? 0 : mem_type(*w, true);
	else
		for (unsigned i = 0; i < 4; i++)
			if (o->sel == type_sel[i] || (i == 3 && o->sel == 4))
				type = i;
	if (type == 4 || o->off < 0 || o->off >> off_bits(type) ||
	    ((store || f->kind == TK_LOCAL) && o->sel))
		return false;
	*w |= (uint64_t)o->off << 9;
	if (f->kind == TK_CMEM && o->bank > 15)
		return false;
	if (f->kind == TK_CMEM)
		*w |= (uint64_t)o->bank << (B + 22);
	if (f->kind != TK_LOCAL && !store)
		*w |= (uint64_t)type << (B + 14);
	return put_index(o, w, true);
}

static void get_imm(struct nop *o, uint64_t v)
{
	o->kind = NO_IMM;
	o->imm = v;
}

static bool get_misc(const struct nopf *f, uint64_t w, struct nop *o)
{
	unsigned v = (unsigned)bits(w, f->lo, f->w);
	switch (f->kind) {
	case TK_D:
		if (bits(w, B + 3, 1)) {
			o->kind = NO_DISCARD;
			o->off = (int32_t)bits(w, 2, 7);
			return true;
		}
		get_reg(f, w, (unsigned)bits(w, 2, 7), o);
		return true;
	case TK_REG: get_reg(f, w, v, o); return true;
	case TK_ECHO: get_reg(f, w, (unsigned)bits(w, 2, 6), o); return true;
	case TK_IMM32:
		get_imm(o, bits(w, 16, 6) | bits(w, B + 2, 26) << 6);
		o->imm_type = f->imm;
		return true;
	case TK_IMM: get_imm(o, v); return true;
	case TK_SWZ: get_imm(o, bits(w, B + 22, 6) << 2 | bits(w, 20, 2)); return true;
	case TK_CN:
		o->kind = NO_CCREG;
		o->reg = (uint8_t)v;
		return true;
	case TK_CTEST:
		o->kind = NO_CCREG;
		o->reg = (uint8_t)bits(w, B + 12, 2);
		o->sel = 1;
		o->off = (int32_t)bits(w, B + 7, 5);
		return native_cc_name(NATIVE_TESLA, (unsigned)o->off) != NULL;
	case TK_AN:
		o->kind = NO_ADDR;
		o->reg = (uint8_t)areg(w, true);
		return true;
	case TK_AD:
		o->kind = NO_ADDR;
		o->reg = (uint8_t)bits(w, 2, 3);
		return true;
	case TK_SREG:
		o->kind = NO_SREG;
		o->reg = (uint8_t)v;
		return true;
	case TK_WORD:
		o->kind = NO_WORD;
		o->imm = v;
		o->word = v < f->nwords ? f->words[v] : NULL;
		return o->word != NULL;
	case TK_TARGET:
		o->kind = NO_TARGET;
		o->imm = (bits(w, 11, 16) | bits(w, B + 14, 6) << 16) << 2;
		return true;
	case TK_BAR:
		o->kind = NO_BAR;
		o->reg = (uint8_t)bits(w, 21, 4);
		return true;
	default: /* TK_CBRX */
		o->kind = NO_CONST;
		o->bank = (uint8_t)bits(w, B + 22, 4);
		o->off = (int32_t)bits(w, 9, 14);
		o->unit = 4;
		o->reg = NREG_NONE;
		get_index(w, true, o);
		return true;
	}
}

static bool put_word(const struct nopf *f, const struct nop *o, uint64_t *w)
{
	for (unsigned i = 0; o->kind == NO_WORD && i < f->nwords; i++)
		if (f->words[i] && strlen(f->words[i]) == o->len &&
		    !memcmp(f->words[i], o->word, o->len)) {
			*w |= (uint64_t)i << f->lo;
			return true;
		}
	return false;
}

/* Puts an immediate. A minus sign belongs to the operation (subtract) if the form has one, else to
 * the value. */
static bool put_imm(const struct nopf *f, const struct nop *o, uint64_t *w, unsigned n, uint64_t *v)
{
	if (o->kind != NO_IMM)
		return false;
	*v = o->imm;
	if (((int64_t)*v < 0 || o->neg) && f->neg && f->imm != IMM_F32) {
		*v = 0 - *v;
		*w |= 1ull << f->neg;
	} else if ((int64_t)*v < 0 && n == 32) {
		*v &= 0xffffffffu;
	}
	return *v >> n == 0;
}

static bool put_misc(const struct nopf *f, const struct nop *o, uint64_t *w)
{
	uint64_t v;
	switch (f->kind) {
	case TK_D:
		if (o->kind != NO_DISCARD)
			return put_reg(f, o, w, 2, 7);
		if (o->off < 0 || o->off > 127)
			return false;
		*w |= 1ull << (B + 3) | (uint64_t)o->off << 2;
		return true;
	case TK_REG: return put_reg(f, o, w, f->lo, f->w);
	case TK_ECHO: return (o->kind == NO_GPR || o->kind == NO_HALF) && o->reg == bits(*w, 2, 6);
	case TK_IMM32:
		if (!put_imm(f, o, w, 32, &v))
			return false;
		*w |= (v & 63) << 16 | v >> 6 << (B + 2);
		return true;
	case TK_IMM:
		if (!put_imm(f, o, w, f->w, &v))
			return false;
		*w &= ~(bits(~0ull, 0, f->w) << f->lo);
		*w |= v << f->lo;
		return true;
	case TK_SWZ:
		if (!put_imm(f, o, w, 8, &v))
			return false;
		*w |= (v & 3) << 20 | v >> 2 << (B + 22);
		return true;
	case TK_CN: *w |= (uint64_t)o->reg << f->lo; return o->kind == NO_CCREG && !o->sel;
	case TK_CTEST:
		*w |= (uint64_t)o->reg << (B + 12) | (uint64_t)(o->off & 31) << (B + 7);
		return o->kind == NO_CCREG && o->sel;
	case TK_AN:
		*w |= (uint64_t)(o->reg & 3) << 26 | (uint64_t)(o->reg >> 2 & 1) << (B + 2);
		return o->kind == NO_ADDR;
	case TK_AD: *w |= (uint64_t)(o->reg & 7) << 2; return o->kind == NO_ADDR;
	case TK_SREG:
		*w |= (uint64_t)(o->reg & 15) << f->lo;
		return o->kind == NO_SREG && o->reg < 16;
	case TK_WORD: return put_word(f, o, w);
	case TK_TARGET:
		if (o->kind != NO_IMM || o->imm & 3 || o->imm >> 24)
			return false;
		*w |= (o->imm >> 2 & 0xffff) << 11 | o->imm >> 18 << (B + 14);
		return true;
	case TK_BAR: *w |= (uint64_t)o->reg << 21; return o->kind == NO_BAR && o->reg < 16;
	default:
		if (o->kind != NO_CONST || o->bank > 15 || o->off < 0 || o->off >> 14 || o->sel)
			return false;
		*w |= (uint64_t)o->bank << (B + 22) | (uint64_t)o->off << 9;
		return put_index(o, w, true);
	}
}

bool tesla_get(const struct nopf *f, uint64_t w, const struct ninst *in, struct nop *o)
{
	(void)in;
	get_sign(f, w, o);
	switch (f->kind) {
	case TK_A:
	case TK_AS:
	case TK_B:
	case TK_BS:
	case TK_C: return get_source(f, w, o);
	case TK_SHARED:
	case TK_CMEM:
	case TK_LOCAL:
	case TK_GLOBAL: return get_memory(f, w, o);
	default: return get_misc(f, w, o);
	}
}

/* Converts a decimal number to the field's form: a float's bits or an integer. */
static bool put_decimal(const struct nopf *f, struct nop *o)
{
	double d;
	float s;
	uint32_t u;
	if (f->imm != IMM_F32 || o->kind != NO_IMM || o->imm_type != IMM_DEC)
		return nop_whole(o);
	memcpy(&d, &o->imm, 8);
	s = (float)d;
	memcpy(&u, &s, 4);
	o->imm = u;
	o->imm_type = IMM_F32;
	return true;
}

bool tesla_put(const struct nopf *f, const struct nop *given, uint64_t *w, const struct ninst *in)
{
	struct nop number = *given;
	const struct nop *o = &number;
	bool ok;
	(void)in;
	if (!put_decimal(f, &number))
		return false;
	switch (f->kind) {
	case TK_A:
	case TK_AS:
	case TK_B:
	case TK_BS:
	case TK_C: ok = put_source(f, o, w); break;
	case TK_SHARED:
	case TK_CMEM:
	case TK_LOCAL:
	case TK_GLOBAL: ok = put_memory(f, o, w); break;
	default: ok = put_misc(f, o, w);
	}
	return ok && put_sign(f, o, w);
}

/* Vector widths of loads and stores; 64-bit conversions. */
void tesla_finish(struct ninst *in)
{
	unsigned n = 1;
	switch (in->op) {
	case NI_GLD:
	case NI_GST:
	case NI_LLD:
	case NI_LST:
	case NI_GRED:
	case NI_GATOM: n = in->mod[NM_SIZE] == 4 ? 2 : in->mod[NM_SIZE] == 5 ? 4 : 1; break;
	}
	if (n > 1)
		for (unsigned i = 0; i < in->nop; i++)
			if (in->o[i].kind == NO_GPR)
				in->o[i].width = (uint8_t)n;
}

const char *tesla_sreg(unsigned n, enum native_style st)
{
	(void)n, (void)st;
	return NULL; /* printed by number */
}
