/* Fermi memory operands: [register + offset] in its five encodings. */
#include "isa/fermi/fermi.h"

static void get_mem(const struct nopf *f, const struct ninst *in, struct nop *o, unsigned r,
		    int64_t off)
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
	static const uint8_t wide[7][2] = {{4, 5}, {4, 6}, {5, 4}, {5, 5}, {5, 6}, {6, 4}, {6, 5}};
	*ld = code < 25 ? code / 5 : wide[code - 25][0];
	*ldu = code < 25 ? code % 5 : wide[code - 25][1];
}

static unsigned size_log2(unsigned code)
{
	static const uint8_t lg[8] = {0, 0, 1, 1, 2, 3, 4, 0};
	return lg[code & 7];
}

static bool scaled_off(const struct nop *o, unsigned lg, uint64_t *v)
{
	if (o->kind != NO_MEM || o->reg > RZ || o->off & ((1 << lg) - 1) ||
	    !fits_s(o->off >> lg, 10))
		return false;
	*v = bits((uint64_t)(int64_t)(o->off >> lg), 0, 10);
	return true;
}

bool fermi_get_memory(const struct nopf *f, uint64_t w, const struct ninst *in, struct nop *o)
{
	unsigned ld, ldu, a = (unsigned)bits(w, 20, 6);
	switch (f->kind) {
	case FK_MEM: get_mem(f, in, o, a, sbits(w, f->lo, f->w)); return true;
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

bool fermi_put_memory(const struct nopf *f, const struct nop *o, uint64_t *w,
		      const struct ninst *in)
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
