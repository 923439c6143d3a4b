/* Tensor maps in memory on sm_90: tensormap.replace changes a field of a word, tensormap.cp_fenceproxy copies a map from shared to global
 * memory, a word per lane. The fields' places are those of exec/tma/tensormap.c. */
#include "back/sm90/sm90.h"

/* The fields in the order of PTX's words for them. */
enum field { ADDRESS, RANK, BOX, DIM, STRIDE, ELEMENT_STRIDE, TYPE, INTERLEAVE, SWIZZLE, FILL };

static const char *access_name(unsigned space, bool store)
{
	if (space == SP_SHARED)
		return store ? "STS" : "LDS";
	if (space == SP_GLOBAL)
		return store ? "STG.E" : "LDG.E";
	return store ? "ST.E" : "LD.E";
}

/* The bits from `bit` of the map on become the lowest bits of v. */
static void put_bits(struct sel *s, unsigned bit, unsigned width, struct mo v)
{
	unsigned space = sm90_space(s->in), shift = bit % 32;
	uint32_t mask = width == 32 ? UINT32_MAX : ((1u << width) - 1) << shift;
	struct mo at = sm90_address(s, 0, space, bit / 32 * 4);
	v = sm90_force(s, v);
	if (width < 32) {
		struct mo old = mo_reg(sel_temp(s, 1)), new = mo_reg(sel_temp(s, 1)),
			  moved = mo_reg(sel_temp(s, 1));
		OP(s, access_name(space, false), 1, old, at)->keep = true;
		OP(s, "SHF.L.U32", 1, moved, v, sm90_word(shift), ZERO);
		/* mask ? moved : old */
		sm90_lut(s, new, moved, sm90_word(mask), old,
			 (LUT_A & LUT_B) | (~LUT_B & LUT_C & 0xff));
		v = new;
	}
	OP(s, access_name(space, true), 0, at, v);
}

static void copy_map(struct sel *s)
{
	struct mo from = sm90_address(s, 1, SP_SHARED, 0), to = sm90_address(s, 0, SP_GLOBAL, 0);
	uint32_t lane = sel_temp(s, 1), at = sel_temp(s, 1), far = sel_temp(s, 2),
		 w = sel_temp(s, 1);
	struct mo base = from.v == V_NONE ? ZERO : mo_word(from.v, from.word),
		  near = {.kind = MO_MEM, .v = at, .imm = from.imm},
		  there = {.kind = MO_MEM, .v = far, .wide = true, .imm = to.imm, .bank = 1};
	if (s->apart)
		OP(s, "WARPSYNC.ALL", 0);
	OP(s, "S2R", 1, mo_reg(lane), mo_text("SR_LANEID"));
	OP(s, "SHF.L.U32", 1, mo_reg(lane), mo_reg(lane), mo_imm(2), ZERO);
	OP(s, "IADD3", 1, mo_reg(at), mo_reg(lane), base, ZERO);
	OP(s, "LDS", 1, mo_reg(w), near)->keep = true;
	sm90_add64(s, far, mo_word(to.v, 0), mo_word(to.v, 1), mo_reg(lane), ZERO, false);
	OP(s, "MEMBAR.ALL.GPU", 0);
	OP(s, "STG.E.STRONG.GPU", 0, there, mo_reg(w));
	OP(s, "MEMBAR.ALL.GPU", 0);
}

/* A field that contains a number less 1. */
static struct mo less_one(struct sel *s, struct mo v)
{
	struct mo t = mo_reg(sel_temp(s, 1));
	OP(s, "IADD3", 1, t, sm90_force(s, v), sm90_word(UINT32_MAX), ZERO);
	return t;
}

static void put_stride(struct sel *s, unsigned ord)
{
	enum { STRIDES = 4 };
	struct mo lo = sm90_reg(s, 1, 0), hi = sm90_reg(s, 1, 1), low = mo_reg(sel_temp(s, 1)),
		  high = mo_reg(sel_temp(s, 1));
	if (ord >= STRIDES)
		return;
	OP(s, "SHF.R.U64", 1, low, lo, mo_imm(4), hi);
	OP(s, "SHF.R.U32.HI", 1, high, ZERO, mo_imm(4), hi);
	put_bits(s, 96 + 32 * ord, 32, low);
	put_bits(s, 224 + 4 * ord, 4, high);
}

void sm90_tensormap(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned ord = (unsigned)in->imm;
	int64_t n = 0;
	if (in->mode == TENSORMAP_COPY) {
		copy_map(s);
		return;
	}
	struct mo v = sm90_src(s, 1, 0);
	switch (in->mode) {
	case ADDRESS:
		put_bits(s, 0, 32, v);
		put_bits(s, 32, 32, sm90_src(s, 1, 1));
		break;
	case RANK: put_bits(s, 68, 3, v); break;
	case BOX: put_bits(s, 440 + 8 * ord, 8, less_one(s, v)); break;
	case DIM: put_bits(s, 256 + 32 * ord, 32, less_one(s, v)); break;
	case STRIDE: put_stride(s, ord); break;
	case ELEMENT_STRIDE: put_bits(s, 416 + 3 * ord, 3, less_one(s, v)); break;
	case TYPE: /* 11 and 12 are the types of tf32 */
		sel_is_imm(s, 1, &n);
		put_bits(s, 71, 4, sm90_word((uint32_t)(n > 10 ? n - 4 : n)));
		put_bits(s, 80, 1, sm90_word(n > 10));
		break;
	case INTERLEAVE: put_bits(s, 75, 2, v); break;
	case SWIZZLE: put_bits(s, 77, 2, v); break;
	case FILL: put_bits(s, 79, 1, v); break;
	default: sel_refuse(s, ""); break;
	}
}
