/* Operands of video instructions: parts of registers, merges and lane selections. */
#include "front/ptx/decode.h"

#include <string.h>

/* Recognises part selectors: b0..b3, h0, h1. */
static bool part_find(struct dec *d, const struct ptx_opnd *o, uint8_t *part)
{
	*part = VPART_WORD;
	if (!o->sel)
		return true;
	if (o->sellen == 2 && o->sel[0] == 'b' && o->sel[1] >= '0' && o->sel[1] <= '3')
		*part = (uint8_t)(VPART_B0 + (o->sel[1] - '0'));
	else if (o->sellen == 2 && o->sel[0] == 'h' && o->sel[1] >= '0' && o->sel[1] <= '1')
		*part = (uint8_t)(VPART_H0 + (o->sel[1] - '0'));
	else
		return dec_error(
			d, o,
			"'.%.*s' is not a part of a register; the parts are .b0 to .b3, .h0 and .h1",
			(int)o->sellen, o->sel);
	return true;
}

/* Returns the operand without its selector and sign, which dec_src() refuses. */
static struct ptx_opnd plain(const struct ptx_opnd *o)
{
	struct ptx_opnd p = *o;
	p.sel = NULL;
	p.neg = false;
	return p;
}

static bool video_src(struct dec *d, const struct ptx_opnd *o, unsigned type, unsigned k,
		      bool may_neg)
{
	struct ptx_opnd p = plain(o);
	if (o->neg && !may_neg)
		return dec_error(d, o, "'%s' cannot negate an operand", dec_mnemonic(d));
	if (o->kind == PO_REG && !part_find(d, o, &d->in->vsel[k]))
		return false;
	if (!dec_src(d, &p, type, false))
		return false;
	if (o->kind == PO_REG && o->neg)
		d->src[d->ns - 1].mod |= OPND_NEG;
	return true;
}

/* vadd d{.part}, a{.part}, b{.part}{, c}: c is merged into the rest of d if d has a part, and is
 * the input of the second operation if there is one. */
bool decode_video(struct dec *d)
{
	static const uint8_t merge[] = {
		[VPART_B0] = VSEC_MRG_B0, [VPART_B1] = VSEC_MRG_B1, [VPART_B2] = VSEC_MRG_B2,
		[VPART_B3] = VSEC_MRG_B3, [VPART_H0] = VSEC_MRG_H0, [VPART_H1] = VSEC_MRG_H1,
	};
	struct inst *in = d->in;
	const struct ptx_opnd *o = d->s->opnd;
	if (!dec_count(d, 3, 4) || !part_find(d, &o[0], &in->vsel[0]))
		return false;
	if (in->vsel[0] != VPART_WORD) {
		if (in->mode != VSEC_NONE)
			return dec_error(d, &o[0],
					 "'%s' has a second operation: its destination is a whole "
					 "register",
					 dec_mnemonic(d));
		in->mode = merge[in->vsel[0]];
	}
	bool third = in->mode != VSEC_NONE;
	struct ptx_opnd dst = plain(&o[0]);
	if (!dec_count(d, 3 + third, 3 + third) || !dec_dst(d, &dst, in->type, false, false) ||
	    !video_src(d, &o[1], in->atype, 1, false) || !video_src(d, &o[2], in->btype, 2, false))
		return false;
	return !third || dec_src(d, &o[3], T_B32, false);
}

/* vmad d, {-}a{.part}, {-}b{.part}, {-}c */
bool decode_vmad(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	if (!dec_count(d, 4, 4) || !dec_dst(d, &o[0], d->in->type, false, false))
		return false;
	if (!video_src(d, &o[1], d->in->atype, 1, true) ||
	    !video_src(d, &o[2], d->in->btype, 2, true) || !video_src(d, &o[3], T_B32, 3, true))
		return false;
	if (d->src[0].mod & d->src[1].mod & OPND_NEG) /* -a * -b */
		d->src[0].mod = d->src[1].mod = 0;
	unsigned product = (d->src[0].mod | d->src[1].mod) & OPND_NEG,
		 sum = d->src[2].mod & OPND_NEG;
	if ((product && sum) || ((product || sum) && (d->in->mods & M_PO)))
		return dec_error(
			d, &o[1],
			"'%s': either the product or the sum may be negated, none with .po",
			dec_mnemonic(d));
	return true;
}

/* ---- SIMD ---- */

/* Reads the lanes of d that are written: .h10, .b3210 or a subset of their digits; no selector: all
 * lanes. */
static bool simd_mask(struct dec *d, const struct ptx_opnd *o, unsigned lanes)
{
	char kind = lanes == 2 ? 'h' : 'b';
	unsigned mask = 0;
	if (!o->sel) {
		d->in->vmask = (uint8_t)((1u << lanes) - 1);
		return true;
	}
	bool ok = o->sellen >= 2 && o->sellen <= lanes + 1 && o->sel[0] == kind;
	int last = (int)lanes;
	for (unsigned i = 1; ok && i < o->sellen; i++) { /* digits must fall */
		int lane = o->sel[i] - '0';
		ok = lane >= 0 && lane < last;
		last = lane;
		mask |= ok ? 1u << lane : 0;
	}
	d->in->vmask = (uint8_t)mask;
	return ok ||
	       dec_error(d, o, "'.%.*s' is not a mask of %u lanes", (int)o->sellen, o->sel, lanes);
}

/* Reads the selected element of each lane: digits from the highest lane down, numbering the
 * elements of a from 0, then those of b. */
static bool simd_select(struct dec *d, const struct ptx_opnd *o, unsigned lanes, unsigned first,
			unsigned shift)
{
	char kind = lanes == 2 ? 'h' : 'b';
	for (unsigned i = 0; i < lanes; i++) {
		unsigned e = first + i;
		if (o->sel) {
			int digit = o->sellen == lanes + 1 && o->sel[0] == kind
					    ? o->sel[lanes - i] - '0'
					    : -1;
			if (digit < 0 || digit >= (int)(2 * lanes))
				return dec_error(d, o, "'.%.*s' does not select %u lanes",
						 (int)o->sellen, o->sel, lanes);
			e = (unsigned)digit;
		}
		d->in->vsel[i] |= (uint8_t)(e << shift);
	}
	return true;
}

static bool decode_simd(struct dec *d, unsigned lanes)
{
	const struct ptx_opnd *o = d->s->opnd;
	if (!dec_count(d, 4, 4))
		return false;
	struct ptx_opnd dst = plain(&o[0]), a = plain(&o[1]), b = plain(&o[2]);
	return simd_mask(d, &o[0], lanes) && simd_select(d, &o[1], lanes, 0, 0) &&
	       simd_select(d, &o[2], lanes, lanes, 4) &&
	       dec_dst(d, &dst, d->in->type, false, false) && dec_src(d, &a, d->in->atype, false) &&
	       dec_src(d, &b, d->in->btype, false) && dec_src(d, &o[3], T_B32, false);
}

bool decode_simd2(struct dec *d) { return decode_simd(d, 2); }
bool decode_simd4(struct dec *d) { return decode_simd(d, 4); }
