#include "isa/sm70/address.h"
#include <string.h>

/* clang-format off */
static const struct address_kind kinds[] = {
	{0},
	{"r",      24, 8, 0, 40, 24, 0, 0, 0, 0},
	{"r32",    24, 8, 0, 32, 32, 0, 0, 0, 0},
	{"r64",    24, 8, 0, 40, 24, ADF_64, 0, 0, 0},
	{"x",      24, 8, 0, 40, 24, ADF_SCALE, 78, 0, 0},
	{"xu32",   24, 8, 32, 40, 24, ADF_SCALE, 78, 0, 0},
	{"xu64",   24, 8, 64, 40, 24, ADF_SCALE, 78, 0, 0},
	{"ru32",   24, 8, 32, 40, 24, 0, 0, 0, 0},
	{"ru64",   24, 8, 64, 40, 24, 0, 0, 0, 0},
	{"u24",    0, 0, 24, 40, 24, 0, 0, 0, 0},
	{"u24n",   0, 0, 24, 0, 0, 0, 0, 0, 0},
	{"u16n",   0, 0, 16, 0, 0, 0, 0, 0, 0},
	{"u32n",   0, 0, 32, 0, 0, 0, 0, 0, 0},
	{"g32",    24, 8, 32, 40, 24, ADF_WIDE | ADF_DESC, 0, 0, 0},
	{"g64",    24, 8, 64, 40, 24, ADF_WIDE | ADF_DESC, 0, 0, 0},
	{"gu32",   24, 8, 32, 40, 24, ADF_WIDE, 0, 0, 0},
	{"gu64",   24, 8, 64, 40, 24, ADF_WIDE, 0, 0, 0},
	{"l32",    24, 8, 32, 40, 24, ADF_DESC, 0, 0, 0},
	{"l64",    24, 8, 64, 40, 24, ADF_DESC, 0, 0, 0},
	{"s64",    24, 8, 64, 40, 24, ADF_WIDE | ADF_HIDE, 0, 0, 0},
	{"ldgsts", 16, 8, 0, 44, 20, 0, 0, 0, 0},
	{"ldgstsu",16, 8, 64, 44, 20, 0, 0, 0, 0},
	{"gs64",   24, 8, 64, 32, 12, ADF_64 | ADF_DESC, 0, 0, 0},
	{"gsu",    24, 8, 64, 32, 12, ADF_64 | ADF_DESC | ADF_NEXT | ADF_BARE, 0, 0, 0},
	{"gs100",  24, 8, 64, 32, 12, ADF_WIDE | ADF_DESC, 0, 0, 83},
	{"gsu100", 24, 8, 64, 32, 12, ADF_WIDE | ADF_DESC | ADF_NEXT | ADF_BARE, 0, 0, 83},
	{"at64",   24, 8, 64, 40, 24, ADF_WIDE | ADF_DESC | ADF_UREG6, 0, 71, 70},
	{"red64",  24, 8, 64, 40, 24, ADF_WIDE | ADF_DESC | ADF_UREG6, 0, 71, 90},
	{"at100",  24, 8, 64, 40, 23, ADF_WIDE | ADF_DESC, 0, 76, 63},
	{"atf100", 24, 8, 64, 40, 23, ADF_WIDE | ADF_DESC, 0, 90, 63},
	{"red100", 24, 8, 64, 40, 24, ADF_WIDE | ADF_DESC, 0, 81, 90},
	{"s64r",   24, 8, 64, 40, 24, ADF_WIDE | ADF_HIDE, 0, 0, 72},
	{"a",      24, 8, 0, 0, 0, 0, 0, 0, 0},
	{"d40",    0, 0, 40, 0, 0, ADF_DESC | ADF_BARE, 0, 0, 0},
};
/* clang-format on */

const struct address_kind *sm70_address_kind(unsigned i)
{
	return i < sizeof kinds / sizeof *kinds ? &kinds[i] : NULL;
}

unsigned sm70_address_named(const char *s, size_t n)
{
	for (unsigned i = 1; i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].name) == n && !memcmp(kinds[i].name, s, n))
			return i;
	return 0;
}

static const uint16_t scales[] = {SM70_W_NONE, SM70_W_X4, SM70_W_X8, SM70_W_X16};

static unsigned desc_bit(const struct address_kind *k) { return k->desc ? k->desc : 76; }

static unsigned wide_bit(const struct address_kind *k) { return k->wide ? k->wide : 90; }

static uint16_t take_ureg(unsigned sm, u128 w, unsigned lo)
{
	unsigned bits = ureg_bits(sm);
	unsigned v = (unsigned)bits128(w, lo, bits);
	return v == (1u << bits) - 1 ? SM70_URZ : (uint16_t)v;
}

void sm70_address_get(const struct address_kind *k, unsigned sm, u128 w, struct sm70_operand *o)
{
	o->reg = k->reg ? (uint16_t)bits128(w, k->reg, k->reg_bits) : SM70_NOREG;
	o->ureg = o->desc = SM70_NOREG;
	if (k->off) {
		unsigned up = 64 - k->off_w;
		o->off = (int64_t)((uint64_t)bits128(w, k->off, k->off_w) << up) >> up;
	}
	if (k->flags & ADF_SCALE && !k->ureg && o->reg == SM70_RZ && !bits128(w, k->scale, 2))
		o->off &= ((int64_t)1 << k->off_w) - 1; /* an address of shared memory */
	if (k->ureg) {
		bool desc = k->flags & ADF_DESC && (w >> desc_bit(k) & 1);
		*(desc ? &o->desc : &o->ureg) =
			take_ureg(k->flags & ADF_UREG6 ? 90 : sm, w, k->ureg);
		if (desc && k->flags & ADF_NEXT && o->desc != SM70_URZ)
			o->desc++;
		if (!desc && k->flags & ADF_BARE)
			o->ureg = SM70_NOREG;
	}
	if (k->flags & ADF_SCALE)
		o->scale = scales[bits128(w, k->scale, 2)];
	else if (k->flags & ADF_64 || (k->flags & ADF_WIDE && (w >> wide_bit(k) & 1)))
		o->scale = SM70_W__64;
	else if (k->flags & ADF_WIDE)
		o->scale = SM70_W_U32;
	if (k->flags & ADF_HIDE && o->scale == SM70_W__64 && o->ureg == SM70_URZ)
		o->ureg = SM70_NOREG;
}

static bool put_ureg(unsigned sm, u128 *w, unsigned lo, unsigned v)
{
	unsigned bits = ureg_bits(sm), top = (1u << bits) - 1;
	if (v != SM70_URZ && v >= top)
		return false;
	field_put(&(struct sm70_field){1, {(uint8_t)lo}, {(uint8_t)bits}}, w,
		  v == SM70_URZ ? top : v);
	return true;
}

/* Fills in registers that the text omits: the zero register, the uniform zero register. */
bool sm70_address_put(const struct address_kind *k, unsigned sm, u128 *w,
		      const struct sm70_operand *o)
{
	if (k->reg)
		field_put(&(struct sm70_field){1, {k->reg}, {k->reg_bits}}, w,
			  o->reg == SM70_NOREG ? SM70_RZ : o->reg);
	else if (o->reg != SM70_NOREG)
		return false;
	if (!k->ureg && (o->ureg != SM70_NOREG || o->desc != SM70_NOREG))
		return false;
	if (k->ureg) {
		bool desc = o->desc != SM70_NOREG ||
			    (k->flags & ADF_DESC && sm < 90 && o->ureg == SM70_NOREG);
		unsigned u = o->desc != SM70_NOREG ? o->desc : o->ureg;
		if (desc && !(k->flags & ADF_DESC))
			return false;
		if (u == SM70_NOREG && k->flags & ADF_HIDE)
			u = SM70_URZ;
		if (u == SM70_NOREG && sm >= 90 && !(k->flags & ADF_BARE))
			return false;
		if (k->flags & ADF_NEXT && desc && u != SM70_URZ && u != SM70_NOREG)
			u--;
		if (k->flags & ADF_DESC)
			field_put(&(struct sm70_field){1, {(uint8_t)desc_bit(k)}, {1}}, w, desc);
		if (u != SM70_NOREG && !put_ureg(k->flags & ADF_UREG6 ? 90 : sm, w, k->ureg, u))
			return false;
	}
	if (k->off) {
		int64_t max = (int64_t)1 << (k->off_w - 1);
		bool address = k->flags & ADF_SCALE && !k->ureg && o->reg == SM70_NOREG;
		if (o->off < -max || o->off >= (address ? 2 * max : max))
			return false;
		field_put(&(struct sm70_field){1, {k->off}, {k->off_w}}, w, (uint64_t)o->off);
	} else if (o->off) {
		return false;
	}
	if (k->flags & ADF_SCALE) {
		unsigned s = 0;
		while (s < 4 && scales[s] != o->scale)
			s++;
		if (s == 4)
			return false;
		field_put(&(struct sm70_field){1, {k->scale}, {2}}, w, s);
	} else if (k->flags & ADF_WIDE) {
		unsigned scale = o->scale;
		if (sm < 80 && !scale && o->reg == SM70_NOREG)
			scale = SM70_W__64; /* [UR4] is short for [RZ.64+UR4] */
		if (scale != SM70_W__64 && scale != SM70_W_U32)
			return false;
		field_put(&(struct sm70_field){1, {(uint8_t)wide_bit(k)}, {1}}, w,
			  scale == SM70_W__64);
	} else if (o->scale != (k->flags & ADF_64 ? SM70_W__64 : SM70_W_NONE)) {
		return false;
	}
	return true;
}
