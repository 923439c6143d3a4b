/* Fermi operands: read from a word and written into it. */
#include "isa/fermi/fermi.h"
#include <string.h>

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
	o->kind = NO_GPR;
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
	*w |= (uint64_t)o->off << 26 | (uint64_t)(o->bank & 15) << 42 |
	      (uint64_t)(o->bank >> 4) << 26;
	return true;
}

static void get_imm20(struct nop *o, uint64_t w, unsigned type)
{
	o->kind = NO_IMM;
	o->imm_type = (uint8_t)type;
	o->imm20 = true;
	if (type == IMM_F32_20)
		o->imm = bits(w, 26, 20) << 12;
	else if (type == IMM_F64_20)
		o->imm = bits(w, 26, 20) << 44;
	else
		o->imm = (uint64_t)sbits(w, 26, 20);
}

/* The 20-bit field of a parsed immediate, which is an integer, the upper bits of a float, or a
 * decimal. */
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
	bool bare = type == IMM_F32_20 || type == IMM_F64_20 || (o->imm20 && v >= 0);
	if (bare ? v < 0 || v > 0xfffff
		 : !fits_s(v, 20) && !(v >= 0 && v >> 20 == 0xfff && v >> 32 == 0))
		return false;
	*field = (uint64_t)v & 0xfffff;
	return true;
}

static bool get_src2(const struct nopf *f, uint64_t w, struct nop *o, unsigned type)
{
	switch (bits(w, 46, 2)) {
	case 0: get_reg(o, (unsigned)bits(w, 26, 6), f->width); return true;
	case 1:
		get_const(o, w);
		o->width = f->width ? f->width : 1;
		return true;
	case 3: get_imm20(o, w, type); return true;
	}
	return false;
}

static bool put_src2(const struct nop *o, uint64_t *w, unsigned type)
{
	uint64_t v;
	switch (o->kind) {
	case NO_GPR:
		if (o->reg > RZ)
			return false;
		*w |= (uint64_t)o->reg << 26;
		return true;
	case NO_CONST: *w |= 1ull << 46; return put_const(o, w);
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
	if (o->kind == NO_GPR && o->reg <= RZ) {
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
	case FK_VSEL2: /* selectors of both operands; with an immediate, of A alone, in the bits
	                * that the immediate leaves */
		o->kind = NO_IMM;
		o->imm = bits(w, 47, 1) ? bits(w, 36, 8) : bits(w, 42, 2);
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
	bool reg = o->kind == NO_GPR && o->reg <= RZ;
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
	case FK_VSEL2:
		if (o->kind != NO_IMM || o->imm >> (bits(*w, 47, 1) ? 8 : 2))
			return false;
		*w |= o->imm << (bits(*w, 47, 1) ? 36 : 42);
		return true;
	default:
		if (o->kind != NO_IMM || o->imm >> f->w)
			return false;
		*w |= (o->imm & 3) << 55 | (o->imm >> 2) << 34;
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
		o->index = f->kind == FK_CTARGET || bits(w, 20, 6) == RZ ? NREG_NONE
									 : (uint8_t)bits(w, 20, 6);
		o->off = o->index == NREG_NONE ? (int32_t)bits(w, 26, 16)
					       : (int32_t)sbits(w, 26, 16);
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
		if (o->kind != NO_CONST || o->bank > 31 ||
		    (o->index != NREG_NONE && o->index >= RZ) || o->off > 0xffff ||
		    o->off < -0x8000 || (f->kind == FK_CTARGET && o->index != NREG_NONE))
			return false;
		*w |= bits((uint64_t)o->off, 0, 16) << 26 | (uint64_t)o->bank << 42 |
		      (uint64_t)(o->index == NREG_NONE ? (f->kind == FK_CTARGET ? 0 : RZ)
						       : o->index)
			      << 20;
		return true;
	}
}

/* 4-byte forms: source 2 is a register or a word of one of three banks, by bits 8-9 (or lo). */
static const uint8_t short_bank[4] = {0, 0, 1, 16};

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
		if (o->kind == NO_GPR && o->reg <= RZ) {
			*w |= (uint64_t)o->reg << f->w;
			return true;
		}
		for (unsigned m = 1; m < 4; m++)
			if (o->kind == NO_CONST && o->bank == short_bank[m] &&
			    o->index == NREG_NONE && !(v & 3) && v >= 0 && v < 256) {
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
		*w |= (uint64_t)o->bank << 5 | (uint64_t)(o->index == NREG_NONE ? RZ : o->index)
						       << 20;
		v >>= 2;
		break;
	default:
		if (o->kind != NO_MEM || o->reg > RZ || v & ((1 << f->w) - 1) ||
		    !fits_s(v >> f->w, 8))
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
		o->reg = (uint8_t)(f->sz ? bits(w, f->lo, 2) | bits(w, f->sz, 1) << 2
					 : bits(w, f->lo, 3));
		return true;
	case FK_SREG:
		o->kind = NO_SREG;
		o->reg = (uint8_t)v;
		return true;
	case FK_PR: o->kind = NO_PR; return true;
	case FK_CC: o->kind = NO_CC; return true;
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
	case FK_SREG: *w |= (uint64_t)o->reg << f->lo; return o->kind == NO_SREG;
	case FK_PR: return o->kind == NO_PR;
	case FK_CC: return o->kind == NO_CC && !o->sel;
	case FK_CCT:
		*w &= ~(31ull << f->lo);
		*w |= (uint64_t)(o->reg & 31) << f->lo;
		return o->kind == NO_CC && o->sel;
	case FK_BARREG:
		if (o->kind == NO_GPR && o->reg <= RZ)
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
		if (o->kind == NO_GPR && o->reg <= RZ)
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
	case FK_REG: get_reg(o, (unsigned)bits(w, f->lo, 6), f->width); return true;
	case FK_ECHO: get_reg(o, (unsigned)bits(w, 14, 6), 1); return true;
	case FK_SRC2: return get_src2(f, w, o, f->imm);
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
	case FK_B3: return get_b3(f, w, o);
	case FK_C3: get_c3(f, w, o); return true;
	case FK_IMM:
		o->kind = NO_IMM;
		o->imm_type = f->imm;
		o->imm = f->imm == IMM_S ? (uint64_t)sbits(w, f->lo, f->w) : bits(w, f->lo, f->w);
		o->imm <<= f->sz; /* MOV of 12 high bits */
		return true;
	case FK_MEM ... FK_MEMLDU: return fermi_get_memory(f, w, in, o);
	case FK_LDC ... FK_CTARGETX:
	case FK_STARGET: return get_flow(f, w, in, o);
	case FK_VA ... FK_VMASK: return get_video(f, w, o);
	case FK_SS2:
	case FK_SIMM:
	case FK_SMEM:
	case FK_SLDC: return get_short(f, w, o);
	default: return get_misc(f, w, o);
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
	*w &= ~(bits(~0ull, 0, f->w) << f->lo); /* clears a default that may be in the field */
	*w |= bits(v, 0, f->w) << f->lo;
	return true;
}

static bool takes_imm20(const struct nopf *f)
{
	return f->kind == FK_SRC2 || f->kind == FK_SRC2SEL || f->kind == FK_SRC2F ||
	       f->kind == FK_B3;
}

static bool takes_float(const struct nopf *f)
{
	switch (f->kind) {
	case FK_SRC2:
	case FK_B3: return f->imm == IMM_F32_20 || f->imm == IMM_F64_20;
	case FK_SRC2F: return true;
	case FK_IMM: return f->imm == IMM_F32;
	}
	return false;
}

bool fermi_put(const struct nopf *f, const struct nop *given, uint64_t *w, const struct ninst *in)
{
	struct nop number = *given;
	const struct nop *o = &number;
	if (!takes_float(f) && !nop_whole(&number))
		return false;
	if (number.imm20 && number.minus && number.imm_type == IMM_S && f->neg && takes_imm20(f)) {
		number.imm = 0 - number.imm; /* the sign is the operand's */
		number.neg = true;
	}
	bool ok = false;
	uint8_t reg = 0;
	switch (f->kind) {
	case FK_REG:
		ok = o->kind == NO_GPR && o->reg <= RZ && !o->sel;
		reg = o->reg;
		*w &= ~(63ull << f->lo);
		*w |= (uint64_t)reg << f->lo;
		break;
	case FK_ECHO: ok = o->kind == NO_GPR && o->reg == bits(*w, 14, 6); break;
	case FK_SRC2: ok = put_src2(o, w, f->imm); break;
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
	case FK_B3: ok = put_src2(o, w, f->imm); break;
	case FK_C3: ok = put_c3(o, w); break;
	case FK_IMM: ok = put_imm(f, o, w); break;
	case FK_MEM ... FK_MEMLDU: ok = fermi_put_memory(f, o, w, in); break;
	case FK_LDC ... FK_CTARGETX:
	case FK_STARGET: ok = put_flow(f, o, w, in); break;
	case FK_VA ... FK_VMASK: ok = put_video(f, o, w); break;
	case FK_SS2:
	case FK_SIMM:
	case FK_SMEM:
	case FK_SLDC: ok = put_short(f, o, w); break;
	default: ok = put_misc(f, o, w);
	}
	return ok && put_sign(f, o, w);
}
