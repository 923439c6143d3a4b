/* Lifts Tesla's memory instructions and atomics. */
#include "lift/tesla/tesla.h"

/* accesses by the code of NM_SIZE */
static const struct access size_access[] = {{T_U8, 1},  {T_S8, 1},  {T_U16, 1}, {T_S16, 1},
					    {T_B32, 2}, {T_B32, 4}, {T_B32, 1}, {T_B32, 1}};

/* The 32-bit address of a load or store in global memory. */
static struct opnd global_word(struct ngen *g, const struct nop *o)
{
	if (o->bank != 14)
		gen_refuse(g, "a global space other than 14");
	return gen_reg32(g, gen_reg(g, o->reg));
}

static struct opnd global_addr(struct ngen *g, const struct nop *o)
{
	struct opnd d = gen_d(g);
	gen_cvt(g, T_U64, T_U32, d, global_word(g, o));
	return d;
}

static void gen_memory_op(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool load = in->op == NI_GLD || in->op == NI_LLD,
	     local = in->op == NI_LLD || in->op == NI_LST;
	struct access size = size_access[in->mod[NM_SIZE] & 7];
	const struct nop *m = &in->o[load ? 1 : 0], *r = &in->o[load ? 0 : 1];
	struct opnd at = local ? tesla_at(g, m) : mem_at(global_word(g, m), 0), v[4];
	unsigned space = local ? SP_LOCAL : SP_GLOBAL;
	gen_data_regs(g, r->reg, size.vec, load, v);
	if (load)
		gen_load(g, size, space, 0, v, at);
	else
		gen_store(g, size, space, 0, at, v);
}

/* Atomics of 8 and 16 bits, as published hardware tests measured them. The returned value has that
 * width, but sm_11 operates on the whole word with the operand repeated in each part; later
 * machines only load. */
static void gen_small_atomic(struct ngen *g, unsigned mode, unsigned type)
{
	enum { BYTES = 2, LAST_WITH = 11 };
	const struct ninst *in = g->in;
	bool red = in->op == NI_GRED, bytes = in->mod[NM_SIZE] < BYTES;
	struct opnd a = global_addr(g, &in->o[red ? 0 : 1]), t = gen_t(g), old = gen_t(g);
	if (g->m->sm > LAST_WITH) {
		gen_load(g, size_access[in->mod[NM_SIZE]], SP_GLOBAL, 0, &old, mem_at(a, 0));
	} else {
		struct opnd x = gen_reg32(g, tesla_raw(g, red ? 1 : 2, false));
		gen(g, OP_AND, T_B32, t, x, imm(bytes ? 0xff : 0xffff));
		gen_mode(g, OP_MUL, T_U32, MUL_LO, t, t, imm(bytes ? 0x01010101 : 0x00010001));
		gen_atom(g, mode, type, SP_GLOBAL, old, a, t, (struct opnd){0});
		gen(g, OP_BFE, in->mod[NM_SIZE] & 1 ? T_S32 : T_U32, old, old, imm(0),
		    imm(bytes ? 8 : 16));
	}
	if (!red)
		tesla_put_word(g, old);
}

static void gen_atomic(struct ngen *g)
{
	enum { NONE = 255, U64 = 4, S128 = 5, S32 = 7, EXCH = 1, CAS = 2 };
	static const uint8_t mode[16] = {ATOM_ADD, ATOM_EXCH, ATOM_CAS, NONE, ATOM_INC, ATOM_DEC,
					 ATOM_MAX, ATOM_MIN,  NONE,     NONE, ATOM_AND, ATOM_OR,
					 ATOM_XOR, NONE,      NONE,     NONE};
	const struct ninst *in = g->in;
	bool red = in->op == NI_GRED, wide = in->mod[NM_SIZE] == U64,
	     small = in->mod[NM_SIZE] < U64;
	unsigned op = in->mod[NM_MODE] & 15, v = red ? 1 : 2;
	bool bitwise = op == EXCH || op == CAS || op >= 10;
	if (mode[op] == NONE || in->mod[NM_SIZE] == S128 || (small && op == CAS)) {
		gen_refuse(g, "this operation on this type");
		return;
	}
	if (small) {
		gen_small_atomic(g, mode[op], bitwise ? T_B32 : T_U32);
		return;
	}
	bool plain = op == 0 || op == 4 || op == 5; /* sums are equal for both signs */
	unsigned type = wide                                ? (bitwise ? T_B64 : T_U64)
			: bitwise                           ? T_B32
			: !plain && in->mod[NM_SIZE] == S32 ? T_S32
							    : T_U32;
	struct opnd a = global_addr(g, &in->o[red ? 0 : 1]), y = {0}, d = {0};
	struct opnd x = wide ? tesla_dsource(g, v) : gen_reg32(g, tesla_raw(g, v, false));
	if (op == CAS)
		y = wide ? tesla_dsource(g, v + 1) : gen_reg32(g, tesla_raw(g, v + 1, false));
	if (!red || op == EXCH || op == CAS)
		d = wide ? gen_d(g) : gen_t(g);
	gen_atom(g, mode[op], type, SP_GLOBAL, d, a, x, y);
	if (!red && wide)
		gen_put64(g, 0, d);
	else if (!red)
		tesla_put_word(g, d);
}

static void gen_r2g(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *m = &in->o[0];
	struct opnd at = tesla_at(g, m), v = gen_reg32(g, tesla_raw(g, 1, false));
	struct access size = {m->unit == 1 ? T_U8 : m->unit == 2 ? T_U16 : T_B32, 1};
	gen_store(g, size, SP_SHARED, in->mod[NM_LOCK] ? M_UNLOCK : 0, at, &v);
}

static void gen_g2r(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *m = &in->o[1];
	struct opnd at = tesla_at(g, m), t = gen_t(g);
	struct access size = {(uint8_t)tesla_mem_type(m), 1};
	struct opnd got = tesla_flag_nonzero(g, in->cc_write);
	if (in->mod[NM_LOCK]) /* taken before the load, so that no other thread can take the lock in
	                       * between */
		gen_ctl_lock(g, got, at);
	gen_load(g, size, SP_SHARED, 0, &t, at);
	if (!in->mod[NM_LOCK]) {
		tesla_put_int(g, t, !tesla_half_dst(in));
		return;
	}
	if (in->cc_write != NREG_NONE) /* Z: the lock was not obtained */
		tesla_flags_nonzero(g, in->cc_write, got);
	tesla_put_word(g, t);
}

bool tesla_memory(struct ngen *g)
{
	switch (g->in->op) {
	case NI_GLD:
	case NI_GST:
	case NI_LLD:
	case NI_LST: gen_memory_op(g); return true;
	case NI_GRED:
	case NI_GATOM: gen_atomic(g); return true;
	case NI_R2G: gen_r2g(g); return true;
	case NI_G2R: gen_g2r(g); return true;
	default: return false;
	}
}
