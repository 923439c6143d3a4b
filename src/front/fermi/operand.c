/* Fermi operands: out of a word and into it. */
#include "front/fermi/fermi.h"
#include <string.h>

enum { RZ = 63 };

static void get_sign(const struct nopf *f, uint64_t w, struct nop *o)
{
	o->neg = f->neg && bits(w, f->neg, 1) && !(f->xneg && bits(w, f->xneg, 1));
	o->abs = f->abs && bits(w, f->abs, 1);
	o->inv = f->inv && bits(w, f->inv, 1);
}

static bool put_sign(const struct nopf *f, const struct nop *o, uint64_t *w)
{
	if ((o->neg && !f->neg) || (o->abs && !f->abs) || (o->inv && !f->inv) || (o->cc && !f->cc))
		return false;
	if (o->neg)
		*w |= 1ull << f->neg;
	if (o->abs)
		*w |= 1ull << f->abs;
	if (o->inv)
		*w |= 1ull << f->inv;
	if (o->cc)
		*w |= 1ull << f->cc;
	return true;
}

static void get_reg(struct nop *o, unsigned r, unsigned width)
{
	o->kind = NO_REG;
	o->reg = (uint8_t)r;
	o->width = (uint8_t)(width ? width : 1);
}

static void get_const(struct nop *o, uint64_t w)
{
	o->kind = NO_CONST;
	o->off = (int32_t)(bits(w, 26, 16) & ~1u);
	o->bank = (uint8_t)(bits(w, 42, 4) | bits(w, 26, 1) << 4);
	o->index = NREG_NONE;
	o->unit = 1;
}

static bool put_const(const struct nop *o, uint64_t *w)
{
	if (o->off < 0 || o->off > 0xffff || o->off & 1 || o->bank > 31 || o->index != NREG_NONE)
		return false;
	*w |= (uint64_t)o->off << 26 | (uint64_t)(o->bank & 15) << 42 | (uint64_t)(o->bank >> 4) << 26;
	return true;
}

static void get_imm20(struct nop *o, uint64_t w, unsigned type)
{
	o->kind = NO_IMM;
	o->imm_type = (uint8_t)type;
	if (type == IMM_F32_20)
		o->imm = bits(w, 26, 20) << 12;
	else if (type == IMM_F64_20)
		o->imm = bits(w, 26, 20) << 44;
	else
		o->imm = (uint64_t)sbits(w, 26, 20);
}

/* The 20 bits of a parsed immediate: an integer, the raw top bits of a float, or a decimal. */
static bool imm20_field(const struct nop *o, unsigned type, uint64_t *field)
{
	int64_t v = (int64_t)o->imm;
	if (o->imm_type == IMM_DEC) {
		double d;
		memcpy(&d, &o->imm, 8);
		float s = (float)d;
		uint32_t u;
		memcpy(&u, &s, 4);
		uint64_t b = type == IMM_F64_20 ? o->imm >> 44 : u >> 12;
		if (type == IMM_F64_20 ? o->imm << 20 != 0 : (type != IMM_F32_20 || (u & 0xfff)))
			return false;
		*field = b;
		return true;
	}
	bool floaty = type == IMM_F32_20 || type == IMM_F64_20;
	if (floaty ? v < 0 || v > 0xfffff : !fits_s(v, 20) && !(v >= 0 && v >> 20 == 0xfff && v >> 32 == 0))
		return false;
	*field = (uint64_t)v & 0xfffff;
	return true;
}

static bool get_src2(const struct nopf *f, uint64_t w, struct nop *o, unsigned type)
{
	switch (bits(w, 46, 2)) {
	case 0:
		get_reg(o, (unsigned)bits(w, 26, 6), f->width);
		return true;
	case 1:
		get_const(o, w);
		o->width = f->width ? f->width : 1;
		return true;
	case 3:
		get_imm20(o, w, type);
		return true;
	}
	return false;
}

static bool put_src2(const struct nop *o, uint64_t *w, unsigned type)
{
	uint64_t v;
	switch (o->kind) {
	case NO_REG:
		if (o->reg > RZ)
			return false;
		*w |= (uint64_t)o->reg << 26;
		return true;
	case NO_CONST:
		*w |= 1ull << 46;
		return put_const(o, w);
	case NO_IMM:
		if (!imm20_field(o, type, &v))
			return false;
		*w |= 3ull << 46 | v << 26;
		return true;
	}
	return false;
}

static bool get_b3(const struct nopf *f, uint64_t w, struct nop *o)
{
	if (bits(w, 46, 2) == 2) {
		get_reg(o, (unsigned)bits(w, 49, 6), f->width);
		return true;
	}
	return get_src2(f, w, o, f->imm);
}

static void get_c3(const struct nopf *f, uint64_t w, struct nop *o)
{
	if (bits(w, 46, 2) == 2) {
		get_const(o, w);
		o->width = f->width ? f->width : 1;
	} else {
		get_reg(o, (unsigned)bits(w, 49, 6), f->width);
	}
}

static bool put_c3(const struct nop *o, uint64_t *w)
{
	if (o->kind == NO_REG && o->reg <= RZ) {
		*w |= (uint64_t)o->reg << 49;
		return true;
	}
	if (o->kind != NO_CONST || bits(*w, 46, 2))
		return false;
	uint64_t b = bits(*w, 26, 6); /* second source moves to the third's field */
	*w &= ~(63ull << 26);
	*w |= 2ull << 46 | b << 49;
	return put_const(o, w);
}

static void get_mem(const struct nopf *f, const struct ninst *in, struct nop *o, unsigned r, int64_t off)
{
	o->kind = NO_MEM;
	o->reg = (uint8_t)r;
	o->off = (int32_t)off;
	o->space = f->space;
	o->unit = 1;
	o->wide = in->mod[NM_E] && f->space == NS_GENERIC;
	o->width = f->w;
}

/* Offset of a memory operand in n bits. Without a register the text shows it unsigned. */
static bool off_field(const struct nop *o, unsigned n, uint64_t *v)
{
	if (o->kind != NO_MEM || o->reg > RZ || o->bank)
		return false;
	int64_t x = o->off;
	if (n < 32 && o->reg == RZ && x >= 0 && x < 1ll << n)
		x = sbits((uint64_t)x, 0, n);
	if (n < 32 && !fits_s(x, n))
		return false;
	*v = bits((uint64_t)x, 0, n);
	return true;
}

void fermi_ldldu_sizes(unsigned code, unsigned *ld, unsigned *ldu)
{
	static const uint8_t wide[7][2] = { { 4, 5 }, { 4, 6 }, { 5, 4 }, { 5, 5 }, { 5, 6 }, { 6, 4 }, { 6, 5 } };
	*ld = code < 25 ? code / 5 : wide[code - 25][0];
	*ldu = code < 25 ? code % 5 : wide[code - 25][1];
}

static unsigned size_log2(unsigned code)
{
	static const uint8_t lg[8] = { 0, 0, 1, 1, 2, 3, 4, 0 };
	return lg[code & 7];
}

static bool scaled_off(const struct nop *o, unsigned lg, uint64_t *v)
{
	if (o->kind != NO_MEM || o->reg > RZ || o->off & ((1 << lg) - 1) || !fits_s(o->off >> lg, 10))
		return false;
	*v = bits((uint64_t)(int64_t)(o->off >> lg), 0, 10);
	return true;
}

static uint8_t sel_part(unsigned sel) /* video selector to part */
{
	return (uint8_t)(sel == 0 || sel == 4 || sel == 6 ? 0 : sel < 4 ? sel + 1 : 6);
}

static bool part_sel(unsigned part, unsigned *add)
{
	if (part == 1 || part == 5)
		part = 0;
	*add = part == 0 ? 0 : part == 6 ? 1 : part - 1;
	return part <= 6;
}

static bool is_8bit(unsigned t) { return (t & 3) == 0; }
static bool is_16bit(unsigned t) { return (t & 3) == 1; }

static bool get_video(const struct nopf *f, uint64_t w, struct nop *o)
{
	unsigned sel;
	switch (f->kind) {
	case FK_VA:
		sel = (unsigned)bits(w, 44, 3);
		get_reg(o, (unsigned)bits(w, 20, 6), 1);
		o->sel = sel_part(sel);
		return sel != 7;
	case FK_VB:
		if (bits(w, 47, 1)) {
			sel = (unsigned)bits(w, 32, 3);
			get_reg(o, (unsigned)bits(w, 26, 6), 1);
			o->sel = sel_part(sel);
			return sel != 7;
		}
		o->kind = NO_IMM;
		o->imm = bits(w, 26, 16);
		return true;
	case FK_VBS:
		if (bits(w, 47, 1)) {
			get_reg(o, (unsigned)bits(w, 26, 6), 1);
		} else {
			o->kind = NO_IMM;
			o->imm = bits(w, 26, f->w);
		}
		return true;
	default: /* FK_VMASK */
		o->kind = NO_IMM;
		o->imm = bits(w, 55, 2) | (f->w == 4 ? bits(w, 34, 2) << 2 : 0);
		return true;
	}
}

static bool put_video(const struct nopf *f, const struct nop *o, uint64_t *w)
{
	unsigned add;
	bool reg = o->kind == NO_REG && o->reg <= RZ;
	switch (f->kind) {
	case FK_VA:
		if (!reg || !part_sel(o->sel, &add))
			return false;
		*w |= (uint64_t)o->reg << 20;
		*w += (uint64_t)add << 44;
		return true;
	case FK_VB:
		if (reg && part_sel(o->sel, &add)) {
			*w |= (uint64_t)o->reg << 26 | 1ull << 47;
			*w += (uint64_t)add << 32;
			return true;
		}
		if (o->kind != NO_IMM || o->imm > 0xffff)
			return false;
		*w &= ~(7ull << 32);
		*w |= o->imm << 26;
		return true;
	case FK_VBS:
		if (reg)
			*w |= (uint64_t)o->reg << 26 | 1ull << 47;
		else if (o->kind == NO_IMM && o->imm >> f->w == 0)
			*w |= o->imm << 26;
		else
			return false;
		return true;
	default:
		if (o->kind != NO_IMM || o->imm >> f->w)
			return false;
		*w |= (o->imm & 3) << 55 | (o->imm >> 2) << 34;
		return true;
	}
}

static bool get_memory(const struct nopf *f, uint64_t w, const struct ninst *in, struct nop *o)
{
	unsigned ld, ldu, a = (unsigned)bits(w, 20, 6);
	switch (f->kind) {
	case FK_MEM:
		get_mem(f, in, o, a, sbits(w, f->lo, f->w));
		return true;
	case FK_MEMATOM:
		get_mem(f, in, o, a, sbits(bits(w, 26, 17) | bits(w, 55, 3) << 17, 0, 20));
		o->width = 20;
		return true;
	case FK_MEMCCTL:
		get_mem(f, in, o, a, (int32_t)(bits(w, 28, 30) << 2));
		o->width = 32;
		return true;
	case FK_MEMLD:
		fermi_ldldu_sizes(in->mod[NM_SIZE], &ld, &ldu);
		get_mem(f, in, o, a, sbits(w, 43, 10) * (1 << size_log2(ld)));
		o->width = 32;
		return true;
	default: /* FK_MEMLDU */
		fermi_ldldu_sizes(in->mod[NM_SIZE], &ld, &ldu);
		get_mem(f, in, o, (unsigned)bits(w, 26, 6),
			sbits(bits(w, 5, 5) | bits(w, 38, 5) << 5, 0, 10) * (1 << size_log2(ldu)));
		o->wide = in->mod[NM_E2];
		o->width = 32;
		return true;
	}
}

static bool put_memory(const struct nopf *f, const struct nop *o, uint64_t *w, const struct ninst *in)
{
	unsigned ld, ldu;
	uint64_t v;
	fermi_ldldu_sizes(in->mod[NM_SIZE], &ld, &ldu);
	switch (f->kind) {
	case FK_MEM:
		if (!off_field(o, f->w, &v))
			return false;
		*w |= (uint64_t)o->reg << 20 | v << f->lo;
		return true;
	case FK_MEMATOM:
		if (!off_field(o, 20, &v))
			return false;
		*w |= (uint64_t)o->reg << 20 | (v & 0x1ffff) << 26 | v >> 17 << 55;
		return true;
	case FK_MEMCCTL:
		if (!off_field(o, 32, &v) || v & 3)
			return false;
		*w |= (uint64_t)o->reg << 20 | v >> 2 << 28;
		return true;
	case FK_MEMLD:
		if (!scaled_off(o, size_log2(ld), &v))
			return false;
		*w |= (uint64_t)o->reg << 20 | v << 43;
		return true;
	default:
		if (!scaled_off(o, size_log2(ldu), &v))
			return false;
		*w |= (uint64_t)o->reg << 26 | (v & 31) << 5 | v >> 5 << 38;
		return true;
	}
}

static bool get_flow(const struct nopf *f, uint64_t w, const struct ninst *in, struct nop *o)
{
	switch (f->kind) {
	case FK_TARGET:
		o->kind = NO_TARGET;
		o->imm = (uint32_t)(in->pc + 8 + (uint64_t)sbits(w, f->lo, f->w));
		return true;
	case FK_STARGET:
		o->kind = NO_TARGET;
		o->imm = (uint32_t)(in->pc + 4 + (uint64_t)(sbits(w, f->lo, f->w) * 4));
		return true;
	case FK_ABSTARGET:
		o->kind = NO_TARGET;
		o->imm = bits(w, 26, 32);
		return true;
	default: /* FK_LDC, FK_CTARGET, FK_CTARGETX */
		o->kind = NO_CONST;
		o->bank = (uint8_t)bits(w, 42, 5);
		o->unit = 1;
		o->index = f->kind == FK_CTARGET || bits(w, 20, 6) == RZ ? NREG_NONE : (uint8_t)bits(w, 20, 6);
		o->off = o->index == NREG_NONE ? (int32_t)bits(w, 26, 16) : (int32_t)sbits(w, 26, 16);
		return true;
	}
}

static bool put_flow(const struct nopf *f, const struct nop *o, uint64_t *w, const struct ninst *in)
{
	int64_t d;
	switch (f->kind) {
	case FK_TARGET:
		d = (int64_t)(int32_t)((uint32_t)o->imm - in->pc - 8);
		if (o->kind != NO_IMM || o->imm >> 32 || !fits_s(d, f->w))
			return false;
		*w |= bits((uint64_t)d, 0, f->w) << f->lo;
		return true;
	case FK_STARGET:
		d = (int64_t)(int32_t)((uint32_t)o->imm - in->pc - 4);
		if (o->kind != NO_IMM || o->imm >> 32 || d & 3 || !fits_s(d / 4, f->w))
			return false;
		*w |= bits((uint64_t)(d / 4), 0, f->w) << f->lo;
		return true;
	case FK_ABSTARGET:
		if (o->kind != NO_IMM || o->imm >> 32)
			return false;
		*w |= o->imm << 26;
		return true;
	default:
		if (o->kind != NO_CONST || o->bank > 31 || (o->index != NREG_NONE && o->index >= RZ) ||
			o->off > 0xffff || o->off < -0x8000 || (f->kind == FK_CTARGET && o->index != NREG_NONE))
			return false;
		*w |= bits((uint64_t)o->off, 0, 16) << 26 | (uint64_t)o->bank << 42 |
			(uint64_t)(o->index == NREG_NONE ? (f->kind == FK_CTARGET ? 0 : RZ) : o->index) << 20;
		return true;
	}
}

/* 4-byte forms: source 2 is a register or a word of one of three banks, by bits 8-9 (or lo). */
static const uint8_t short_bank[4] = { 0, 0, 1, 16 };

static bool get_short(const struct nopf *f, uint64_t w, struct nop *o)
{
	unsigned m;
	switch (f->kind) {
	case FK_SS2:
		m = (unsigned)bits(w, f->lo, 2);
		if (!m) {
			get_reg(o, (unsigned)bits(w, f->w, 6), 1);
			return true;
		}
		o->kind = NO_CONST;
		o->bank = short_bank[m];
		o->off = (int32_t)bits(w, f->w, 6) * 4;
		o->index = NREG_NONE;
		o->unit = 1;
		o->width = 1;
		return true;
	case FK_SIMM:
		o->kind = NO_IMM;
		o->imm_type = IMM_S;
		o->imm = (uint64_t)sbits(bits(w, 26, 6) | bits(w, 8, 2) << 6, 0, 8);
		return true;
	case FK_SLDC:
		o->kind = NO_CONST;
		o->bank = (uint8_t)bits(w, 5, 3);
		o->unit = 1;
		o->index = bits(w, 20, 6) == RZ ? NREG_NONE : (uint8_t)bits(w, 20, 6);
		o->off = (int32_t)sbits(bits(w, 26, 6) | bits(w, 8, 2) << 6, 0, 8) * 4;
		return true;
	default: /* FK_SMEM: w = log2 of the scale */
		o->kind = NO_MEM;
		o->reg = (uint8_t)bits(w, 20, 6);
		o->off = (int32_t)sbits(bits(w, 26, 6) | bits(w, 8, 2) << 6, 0, 8) * (1 << f->w);
		o->space = f->space;
		o->unit = 1;
		o->width = 32;
		return true;
	}
}

static bool put_short(const struct nopf *f, const struct nop *o, uint64_t *w)
{
	int64_t v = o->kind == NO_IMM ? (int64_t)o->imm : o->off;
	switch (f->kind) {
	case FK_SS2:
		if (o->kind == NO_REG && o->reg <= RZ) {
			*w |= (uint64_t)o->reg << f->w;
			return true;
		}
		for (unsigned m = 1; m < 4; m++)
			if (o->kind == NO_CONST && o->bank == short_bank[m] && o->index == NREG_NONE && !(v & 3) &&
				v >= 0 && v < 256) {
				*w |= (uint64_t)m << f->lo | (uint64_t)(v / 4) << f->w;
				return true;
			}
		return false;
	case FK_SIMM:
		if (o->kind != NO_IMM || !fits_s(v, 8))
			return false;
		break;
	case FK_SLDC:
		if (o->kind != NO_CONST || o->bank > 7 || v & 3 || !fits_s(v >> 2, 8) ||
			(o->index != NREG_NONE && o->index >= RZ))
			return false;
		*w |= (uint64_t)o->bank << 5 | (uint64_t)(o->index == NREG_NONE ? RZ : o->index) << 20;
		v >>= 2;
		break;
	default:
		if (o->kind != NO_MEM || o->reg > RZ || v & ((1 << f->w) - 1) || !fits_s(v >> f->w, 8))
			return false;
		*w |= (uint64_t)o->reg << 20;
		v >>= f->w;
	}
	*w |= bits((uint64_t)v, 0, 6) << 26 | bits((uint64_t)v, 6, 2) << 8;
	return true;
}

static bool get_misc(const struct nopf *f, uint64_t w, struct nop *o)
{
	unsigned v = (unsigned)bits(w, f->lo, f->w);
	switch (f->kind) {
	case FK_PRED:
		o->kind = NO_PRED;
		o->reg = (uint8_t)(f->sz ? bits(w, f->lo, 2) | bits(w, f->sz, 1) << 2 : bits(w, f->lo, 3));
		return true;
	case FK_SREG:
		o->kind = NO_SREG;
		o->reg = (uint8_t)v;
		return true;
	case FK_PR:
		o->kind = NO_PR;
		return true;
	case FK_CC:
		o->kind = NO_CC;
		return true;
	case FK_CCT:
		o->kind = NO_CC;
		o->sel = 1;
		o->reg = (uint8_t)bits(w, f->lo, 5);
		return true;
	case FK_BARREG:
		if (!bits(w, f->sz, 1)) {
			get_reg(o, (unsigned)bits(w, f->lo, 6), 1);
			return true;
		}
		o->kind = NO_IMM;
		o->imm = v;
		return true;
	case FK_WORD:
		o->kind = NO_WORD;
		o->imm = v;
		o->word = f->words[v];
		return o->word != NULL;
	case FK_SURF:
		if (!bits(w, 46, 1)) {
			get_reg(o, (unsigned)bits(w, 26, 6), 1);
			return true;
		}
		o->kind = NO_IMM;
		o->imm = bits(w, 26, 16);
		return true;
	default: /* FK_SUADDR */
		o->kind = NO_MEM;
		o->reg = (uint8_t)bits(w, 20, 6);
		o->width = 32;
		o->unit = 1;
		return true;
	}
}

static bool put_misc(const struct nopf *f, const struct nop *o, uint64_t *w)
{
	switch (f->kind) {
	case FK_PRED:
		if (o->kind != NO_PRED || o->reg > 7)
			return false;
		*w |= f->sz ? (uint64_t)(o->reg & 3) << f->lo | (uint64_t)(o->reg >> 2) << f->sz
			    : (uint64_t)o->reg << f->lo;
		return true;
	case FK_SREG:
		*w |= (uint64_t)o->reg << f->lo;
		return o->kind == NO_SREG;
	case FK_PR:
		return o->kind == NO_PR;
	case FK_CC:
		return o->kind == NO_CC && !o->sel;
	case FK_CCT:
		*w &= ~(31ull << f->lo);
		*w |= (uint64_t)(o->reg & 31) << f->lo;
		return o->kind == NO_CC && o->sel;
	case FK_BARREG:
		if (o->kind == NO_REG && o->reg <= RZ)
			*w |= (uint64_t)o->reg << f->lo;
		else if (o->kind == NO_IMM && o->imm >> f->w == 0)
			*w |= o->imm << f->lo | 1ull << f->sz;
		else
			return false;
		return true;
	case FK_WORD:
		for (unsigned i = 0; i < f->nwords; i++)
			if (o->kind == NO_WORD && f->words[i] && strlen(f->words[i]) == o->len &&
				!memcmp(f->words[i], o->word, o->len)) {
				*w |= (uint64_t)i << f->lo;
				return true;
			}
		return false;
	case FK_SURF:
		if (o->kind == NO_REG && o->reg <= RZ)
			*w |= (uint64_t)o->reg << 26;
		else if (o->kind == NO_IMM && o->imm <= 0xffff)
			*w |= o->imm << 26 | 1ull << 46;
		else
			return false;
		return true;
	default:
		*w |= (uint64_t)o->reg << 20;
		return o->kind == NO_MEM && o->reg <= RZ && !o->off && !o->bank;
	}
}

bool fermi_get(const struct nopf *f, uint64_t w, const struct ninst *in, struct nop *o)
{
	get_sign(f, w, o);
	o->cc = f->cc && bits(w, f->cc, 1);
	switch (f->kind) {
	case FK_REG:
		get_reg(o, (unsigned)bits(w, f->lo, 6), f->width);
		return true;
	case FK_ECHO:
		get_reg(o, (unsigned)bits(w, 14, 6), 1);
		return true;
	case FK_SRC2:
		return get_src2(f, w, o, f->imm);
	case FK_SRC2SEL:
		if (is_8bit(in->mod[NM_ST]) && bits(w, 55, 2))
			o->sel = (uint8_t)(bits(w, 55, 2) + 1);
		else if (is_16bit(in->mod[NM_ST]) && bits(w, 56, 1))
			o->sel = 6;
		return get_src2(f, w, o, f->imm);
	case FK_SRC2F:
		if (in->mod[NM_ST] == 1 && bits(w, 56, 1))
			o->sel = 6;
		return get_src2(f, w, o, in->mod[NM_ST] == 3 ? IMM_F64_20 : IMM_F32_20);
	case FK_B3:
		return get_b3(f, w, o);
	case FK_C3:
		get_c3(f, w, o);
		return true;
	case FK_IMM:
		o->kind = NO_IMM;
		o->imm_type = f->imm;
		o->imm = f->imm == IMM_S ? (uint64_t)sbits(w, f->lo, f->w) : bits(w, f->lo, f->w);
		o->imm <<= f->sz; /* MOV of 12 high bits */
		return true;
	case FK_MEM ... FK_MEMLDU:
		return get_memory(f, w, in, o);
	case FK_LDC ... FK_CTARGETX:
	case FK_STARGET:
		return get_flow(f, w, in, o);
	case FK_VA ... FK_VMASK:
		return get_video(f, w, o);
	case FK_SS2: case FK_SIMM: case FK_SMEM: case FK_SLDC:
		return get_short(f, w, o);
	default:
		return get_misc(f, w, o);
	}
}

static bool put_imm(const struct nopf *f, const struct nop *o, uint64_t *w)
{
	if (o->kind != NO_IMM)
		return false;
	uint64_t v = o->imm;
	if (o->imm_type == IMM_DEC) {
		double d;
		memcpy(&d, &v, 8);
		float s = (float)d;
		uint32_t u;
		memcpy(&u, &s, 4);
		v = u;
		if (f->imm != IMM_F32)
			return false;
	}
	if (v & bits(~0ull, 0, f->sz))
		return false;
	v >>= f->sz;
	bool neg = (int64_t)v < 0 && (f->imm == IMM_S || f->w == 32) && fits_s((int64_t)v, f->w);
	if (!neg && f->w < 64 && v >> f->w)
		return false;
	*w &= ~(bits(~0ull, 0, f->w) << f->lo); /* a default may be there */
	*w |= bits(v, 0, f->w) << f->lo;
	return true;
}

bool fermi_put(const struct nopf *f, const struct nop *o, uint64_t *w, const struct ninst *in)
{
	bool ok = false;
	uint8_t reg = 0;
	switch (f->kind) {
	case FK_REG:
		ok = o->kind == NO_REG && o->reg <= RZ && !o->sel;
		reg = o->reg;
		*w &= ~(63ull << f->lo);
		*w |= (uint64_t)reg << f->lo;
		break;
	case FK_ECHO:
		ok = o->kind == NO_REG && o->reg == bits(*w, 14, 6);
		break;
	case FK_SRC2:
		ok = put_src2(o, w, f->imm);
		break;
	case FK_SRC2SEL:
		ok = put_src2(o, w, f->imm);
		if (o->sel >= 2 && o->sel <= 4)
			*w |= (uint64_t)(o->sel - 1) << 55;
		else if (o->sel == 6)
			*w |= 1ull << 56;
		break;
	case FK_SRC2F:
		ok = put_src2(o, w, in->mod[NM_ST] == 3 ? IMM_F64_20 : IMM_F32_20);
		if (o->sel == 6)
			*w |= 1ull << 56;
		break;
	case FK_B3:
		ok = put_src2(o, w, f->imm);
		break;
	case FK_C3:
		ok = put_c3(o, w);
		break;
	case FK_IMM:
		ok = put_imm(f, o, w);
		break;
	case FK_MEM ... FK_MEMLDU:
		ok = put_memory(f, o, w, in);
		break;
	case FK_LDC ... FK_CTARGETX:
	case FK_STARGET:
		ok = put_flow(f, o, w, in);
		break;
	case FK_VA ... FK_VMASK:
		ok = put_video(f, o, w);
		break;
	case FK_SS2: case FK_SIMM: case FK_SMEM: case FK_SLDC:
		ok = put_short(f, o, w);
		break;
	default:
		ok = put_misc(f, o, w);
	}
	return ok && put_sign(f, o, w);
}

static unsigned size_words(unsigned size) { return size == 5 ? 2 : size == 6 ? 4 : 1; }

/* Register widths that the modifiers decide: conversions, loads and stores, atomics. */
void fermi_finish(struct ninst *in)
{
	unsigned ld, ldu, n = 1;
	if (in->size == 4) { /* the operands know; give memory accesses the long forms' size code */
		in->mod[NM_SIZE] = in->o[0].width == 2 || (in->nop > 1 && in->o[1].width == 2) ? 5 : 4;
		return;
	}
	switch (in->op) {
	case OP_F2F: case OP_F2I: case OP_I2F: case OP_I2I:
		in->o[0].width = (in->mod[NM_DT] & 3) == 3 ? 2 : 1;
		in->o[1].width = (in->mod[NM_ST] & 3) == 3 ? 2 : 1;
		return;
	case OP_LD_LDU: case OP_LDS_LDU:
		fermi_ldldu_sizes(in->mod[NM_SIZE], &ld, &ldu);
		in->o[0].width = (uint8_t)size_words(ld);
		in->o[1].width = (uint8_t)size_words(ldu);
		return;
	case OP_ATOM: case OP_RED:
		n = in->mod[NM_DT] == 5 ? 2 : 1;
		break;
	case OP_LD: case OP_LDU: case OP_ST: case OP_LDL: case OP_LDS: case OP_STL: case OP_STS:
	case OP_LDLK: case OP_LDSLK: case OP_STUL: case OP_STSUL: case OP_LDC: case OP_SULD: case OP_SUST:
		n = size_words(in->mod[NM_SIZE]);
		break;
	case OP_SULEA:
		in->o[0].width = 2;
		return;
	}
	if (n > 1)
		for (unsigned i = 0; i < in->nop; i++)
			if (in->o[i].kind == NO_REG)
				in->o[i].width = (uint8_t)n;
}

static const struct { uint8_t n; const char *c4, *c5; } sregs[] = {
	{ 0, "SR_LaneId", "SR_LANEID" }, { 1, "SR_CLOCK", "SR_CLOCK" },
	{ 2, "SR_VirtCfg", "SR_VIRTCFG" }, { 3, "SR_VirtId", "SR_VIRTID" },
	{ 4, "SR_PM0", "SR_PM0" }, { 5, "SR_PM1", "SR_PM1" }, { 6, "SR_PM2", "SR_PM2" },
	{ 7, "SR_PM3", "SR_PM3" }, { 8, "SR_PM4", "SR_PM4" }, { 9, "SR_PM5", "SR_PM5" },
	{ 10, "SR_PM6", "SR_PM6" }, { 11, "SR_PM7", "SR_PM7" },
	{ 16, "SR_PRIM_TYPE", "SR_PRIM_TYPE" }, { 17, "SR_INVOCATION_ID", "SR_INVOCATION_ID" },
	{ 18, "SR_Y_DIRECTION", "SR_Y_DIRECTION" }, { 19, "SR_THREAD_KILL", "SR_THREAD_KILL" },
	{ 20, "SR_SHADER_TYPE", "SR_SHADER_TYPE" },
	{ 24, "SR_MACHINE_ID_0", "SR_MACHINE_ID_0" }, { 25, "SR_MACHINE_ID_1", "SR_MACHINE_ID_1" },
	{ 26, "SR_MACHINE_ID_2", "SR_MACHINE_ID_2" }, { 27, "SR_MACHINE_ID_3", "SR_MACHINE_ID_3" },
	{ 28, "SR_AFFINITY", "SR_AFFINITY" }, { 32, "SR_Tid", "SR_TID" },
	{ 33, "SR_Tid_X", "SR_TID.X" }, { 34, "SR_Tid_Y", "SR_TID.Y" }, { 35, "SR_Tid_Z", "SR_TID.Z" },
	{ 36, "SR_CTAParam", "SR_CTAPARAM" }, { 37, "SR_CTAid_X", "SR_CTAID.X" },
	{ 38, "SR_CTAid_Y", "SR_CTAID.Y" }, { 39, "SR_CTAid_Z", "SR_CTAID.Z" },
	{ 40, "SR_NTid", "SR_NTID" }, { 41, "SR_NTid_X", "SR_NTID.X" },
	{ 42, "SR_NTid_Y", "SR_NTID.Y" }, { 43, "SR_NTid_Z", "SR_NTID.Z" },
	{ 44, "SR_GridParam", "SR_GRIDPARAM" }, { 45, "SR_NCTAid_X", "SR_NCTAID.X" },
	{ 46, "SR_NCTAid_Y", "SR_NCTAID.Y" }, { 47, "SR_NCTAid_Z", "SR_NCTAID.Z" },
	{ 48, "SR_SWinLo", "SR_SWINLO" }, { 49, "SR_SWINSZ", "SR_SWINSZ" },
	{ 50, "SR_SMemSz", "SR_SMEMSZ" }, { 51, "SR_SMemBanks", "SR_SMEMBANKS" },
	{ 52, "SR_LWinLo", "SR_LWINLO" }, { 53, "SR_LWINSZ", "SR_LWINSZ" },
	{ 54, "SR_LMemLoSz", "SR_LMEMLOSZ" }, { 55, "SR_LMemHiOff", "SR_LMEMHIOFF" },
	{ 56, "SR_EqMask", "SR_EQMASK" }, { 57, "SR_LtMask", "SR_LTMASK" },
	{ 58, "SR_LeMask", "SR_LEMASK" }, { 59, "SR_GtMask", "SR_GTMASK" },
	{ 60, "SR_GeMask", "SR_GEMASK" }, { 64, "SR_GLOBALERRORSTATUS", "SR_GLOBALERRORSTATUS" },
	{ 66, "SR_WARPERRORSTATUS", "SR_WARPERRORSTATUS" },
	{ 67, "SR_WARPERRORSTATUSCLEAR", "SR_WARPERRORSTATUSCLEAR" },
	{ 80, "SR_ClockLo", "SR_CLOCKLO" }, { 81, "SR_ClockHi", "SR_CLOCKHI" },
};

const char *fermi_sreg(unsigned n, enum native_style st)
{
	for (unsigned i = 0; i < sizeof(sregs) / sizeof(*sregs); i++)
		if (sregs[i].n == n)
			return st == NSTYLE_CUDA5 ? sregs[i].c5 : sregs[i].c4;
	return NULL;
}
