/* Lifts Fermi's memory instructions, atomics and barriers. */
#include "isa/fermi/fermi.h"
#include "lift/gen.h"

/* accesses by the code of NM_SIZE */
static const struct access size_access[] = {{T_U8, 1},  {T_S8, 1},  {T_U16, 1}, {T_S16, 1},
					    {T_B32, 1}, {T_B32, 2}, {T_B32, 4}, {T_B32, 1}};

/* The sum of register and offset in 32 bits. */
static struct opnd word_address(struct ngen *g, const struct nop *o)
{
	if (!o->off)
		return val_r(o->reg);
	struct opnd t = gen_t(g);
	gen(g, OP_ADD, T_U32, t, val_r(o->reg), imm((uint32_t)o->off));
	return t;
}

/* The address of a memory operand: 32 bits for shared and local memory, otherwise a 64-bit generic
 * address. */
static struct opnd address_of(struct ngen *g, const struct nop *o)
{
	if (o->space == NS_SHARED || o->space == NS_LOCAL) {
		if (gen_is_zero(g, o->reg))
			return imm((unsigned)o->off & 0xffffff);
		return word_address(g, o);
	}
	struct opnd d = gen_d(g);
	if (gen_is_zero(g, o->reg)) {
		gen(g, OP_MOV, T_U64, d, imm((unsigned)o->off));
	} else if (o->wide) {
		gen_pack(g, d, val_r(o->reg), val_r(o->reg + 1u));
		if (o->off)
			gen(g, OP_ADD, T_U64, d, d, imm((uint64_t)(int64_t)o->off));
	} else { /* 32-bit addresses wrap */
		gen_cvt(g, T_U64, T_U32, d, word_address(g, o));
	}
	return d;
}

/* The address of a load or store, which takes a 32-bit register and an offset; their sum wraps. */
static struct opnd access_at(struct ngen *g, const struct nop *o)
{
	if (o->wide || gen_is_zero(g, o->reg))
		return mem_at(address_of(g, o), 0);
	return mem_at(val_r(o->reg), o->off);
}

static unsigned space_of(const struct nop *o)
{
	return o->space == NS_SHARED ? SP_SHARED : o->space == NS_LOCAL ? SP_LOCAL : SP_GENERIC;
}

static const struct nop *operand_of_kind(const struct ninst *in, unsigned kind)
{
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == kind)
			return &in->o[i];
	return NULL;
}

/* CV, or WT for stores: other agents may change the memory, so the access is volatile. */
static unsigned mods_of(const struct ninst *in)
{
	return in->mod[NM_COP] == 3 && in->size == 8 ? M_VOLATILE : 0;
}

/* An access of the given size with the instruction's cache operator. */
static struct access access_by(const struct ngen *g, unsigned size, unsigned space)
{
	const uint8_t cop[] = {COP_NONE, COP_CG, space == SP_LOCAL ? COP_LU : COP_CS, COP_NONE};
	struct access a = size_access[size];
	if (g->in->size == 8)
		a.cop = cop[g->in->mod[NM_COP] & 3];
	return a;
}

/* Loads into, or stores from, the registers from r on. */
static void load_at(struct ngen *g, const struct nop *r, unsigned space, unsigned mods,
		    struct opnd at, unsigned size)
{
	struct opnd v[4];
	gen_data_regs(g, r->reg, size_access[size].vec, true, v);
	gen_load(g, access_by(g, size, space), space, mods, v, at);
}

static void store_at(struct ngen *g, const struct nop *r, unsigned space, unsigned mods,
		     struct opnd at, unsigned size)
{
	struct opnd v[4];
	gen_data_regs(g, r->reg, size_access[size].vec, false, v);
	gen_store(g, access_by(g, size, space), space, mods, at, v);
}

static void load_register(struct ngen *g, const struct nop *d, const struct nop *m, unsigned size)
{
	load_at(g, d, space_of(m), mods_of(g->in), access_at(g, m), size);
}

static void store_register(struct ngen *g, const struct nop *s, const struct nop *m, unsigned size)
{
	store_at(g, s, space_of(m), mods_of(g->in), access_at(g, m), size);
}

/* LD_LDU, LDS_LDU: both addresses are read before either destination is written. */
static void gen_two_loads(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned ld, ldu;
	fermi_ldldu_sizes(in->mod[NM_SIZE], &ld, &ldu);
	struct opnd a = address_of(g, &in->o[2]), b = address_of(g, &in->o[3]);
	if (a.kind == OPND_REG && a.type == T_B32 && !in->o[2].off) /* the register itself is the
	                                                             * address */
		a = gen_copy(g, a);
	load_at(g, &in->o[0], space_of(&in->o[2]), 0, mem_at(a, 0), ld);
	load_at(g, &in->o[1], SP_GENERIC, 0, mem_at(b, 0), ldu);
}

struct guard gen_where(struct ngen *g, unsigned cmp, struct opnd v)
{
	struct opnd q = gen_q(g);
	struct guard was = gen_guard(g, (struct guard){0});
	gen(g, OP_MOV, T_PRED, q, val_pf());
	gen_guard(g, was);
	gen_setp(g, cmp, T_U32, q, v, imm(0));
	return gen_guard(g, (struct guard){.pred = q});
}

/* LDC.IL, .IS, .ISL: the banks form one space of 64 KB segments. Register plus offset is an address
 * in this space, relative to the named bank. Banks that the file lacks lie outside constant
 * memory. */
static void gen_segmented(struct ngen *g, const struct nop *c, struct access a,
			  const struct opnd *r)
{
	enum { BANKS = 32, NOWHERE = 0x7fff0000 };
	struct opnd at = gen_t(g), bank = gen_t(g), base = gen_t(g), t = gen_t(g), q = gen_q(g);
	struct var *v;
	gen(g, OP_MOV, T_U32, at, c->index == NREG_NONE ? imm(0) : gen_reg(g, c->index));
	gen(g, OP_ADD, T_U32, at, at, imm((uint32_t)c->off));
	gen(g, OP_SHR, T_U32, bank, at, imm(16));
	gen(g, OP_ADD, T_U32, bank, bank, imm(c->bank));
	gen(g, OP_AND, T_B32, at, at, imm(0xffff));
	gen(g, OP_MOV, T_U32, base, imm(NOWHERE));
	for (unsigned n = 1; n < BANKS; n++) {
		if (!(v = gen_bank(g, n)))
			continue;
		gen(g, OP_MOV, T_U32, t, val_var(v));
		gen_setp(g, CMP_EQ, T_U32, q, bank, imm(n));
		gen(g, OP_SELP, T_B32, base, t, base, q);
	}
	gen(g, OP_ADD, T_U32, base, base, at);
	gen(g, OP_SUB, T_U32, at, at, imm(gen_param_base(g)));
	struct guard was = gen_where(g, CMP_NE, bank);
	gen_load(g, a, SP_CONST, 0, r, mem_at(base, 0));
	gen_guard(g, was);
	was = gen_where(g, CMP_EQ, bank);
	gen_load(g, a, SP_PARAM, 0, r, mem_at(at, 0));
	gen_guard(g, was);
}

static void gen_ldc(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *c = &in->o[1];
	struct access a = size_access[in->mod[NM_SIZE]];
	struct opnd r[4];
	gen_data_regs(g, in->o[0].reg, a.vec, true, r);
	if (in->mod[NM_MODE])
		gen_segmented(g, c, a, r);
	else
		gen_const_load(g, c, a, r);
}

/* ---- atomics ---- */

void gen_atom(struct ngen *g, unsigned mode, unsigned type, unsigned space, struct opnd d,
	      struct opnd at, struct opnd x, struct opnd y)
{
	struct opnd o[4];
	unsigned n = 0;
	struct inst in = {.op = d.kind ? OP_ATOM : OP_RED,
			  .type = (uint8_t)type,
			  .mode = (uint8_t)mode,
			  .space = (uint8_t)space,
			  .nd = d.kind != OPND_NONE};
	if (d.kind)
		o[n++] = d;
	o[n++] = mem_at(at, 0);
	o[n++] = x;
	if (y.kind)
		o[n++] = y;
	gen_emit(g, in, o, n);
}

/* Lifts an atomic. Type codes: 4 u32, 5 u64, 7 s32, 11 f32. */
static void gen_atomic(struct ngen *g)
{
	enum { U64 = 5, S32 = 7, F32 = 11 };
	static const uint8_t name[] = {ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC,  ATOM_DEC,
				       ATOM_AND, ATOM_OR,  ATOM_XOR, ATOM_EXCH, ATOM_CAS};
	const struct ninst *in = g->in;
	bool red = in->op == NI_RED, wide = in->mod[NM_DT] == U64;
	unsigned op = in->mod[NM_MODE], v = red ? 1 : 2;
	bool bitwise = op >= 5;
	bool counts = op == 3 || op == 4; /* increments and decrements are unsigned, whatever the
	                                   * type says */
	unsigned type = wide                               ? (bitwise ? T_B64 : T_U64)
			: bitwise                          ? T_B32
			: in->mod[NM_DT] == S32 && !counts ? T_S32
			: in->mod[NM_DT] == F32            ? T_F32
							   : T_U32;
	bool moves =
		op == 0 || op == 8 || op == 9; /* floats and 64 bits have only sums and exchanges */
	if (op > 9 || ((in->mod[NM_DT] == F32 || wide) && !moves)) {
		gen_refuse(g, "this operation on this type");
		return;
	}
	struct opnd a = address_of(g, operand_of_kind(in, NO_MEM)), y = {0}, d = {0};
	struct opnd x = wide ? gen_src64(g, v, false) : gen_reg32(g, gen_raw(g, v));
	if (op == 9)
		y = wide ? gen_src64(g, v + 1, false) : gen_reg32(g, gen_raw(g, v + 1));
	if (!red)
		d = wide ? gen_d(g) : gen_dst(g, 0);
	gen_atom(g, name[op], type, SP_GENERIC, d, a, x, y);
	if (!red && wide)
		gen_put64(g, 0, d);
}

/* ---- barriers ---- */

/* A barrier's number or count: immediate, or register (RZ: 0). */
static struct opnd barrier_opnd(struct ngen *g, const struct nop *o)
{
	return o->kind == NO_IMM ? imm((unsigned)o->imm) : gen_reg(g, o->reg);
}

enum { BARRIERS = 16 };

/* Emits sync, arrive or (with a predicate) red. */
static void emit_barrier(struct ngen *g, struct inst in, struct opnd d, struct opnd number,
			 struct opnd count, struct opnd pred)
{
	struct opnd o[4];
	unsigned n = 0;
	if (is_imm(number) && number.imm >= BARRIERS) {
		gen_refuse(g, "a barrier's number is 0 to 15");
		return;
	}
	in.op = OP_BAR;
	in.mods = M_ALIGNED;
	in.nd = d.kind != OPND_NONE;
	in.imm = (count.kind ? BAR_HAS_COUNT : 0) | (pred.kind ? BAR_HAS_PRED : 0);
	if (d.kind)
		o[n++] = d;
	o[n++] = number;
	if (count.kind)
		o[n++] = count;
	if (pred.kind)
		o[n++] = pred;
	gen_emit(g, in, o, n);
}

void gen_barrier(struct ngen *g, enum bar mode, struct opnd number, struct opnd count)
{
	struct opnd none = {0};
	emit_barrier(g, (struct inst){.mode = (uint8_t)mode}, none, number, count, none);
}

static void gen_bar(struct ngen *g)
{
	static const uint8_t op[] = {BOP_POPC, BOP_AND, BOP_OR};
	const struct ninst *in = g->in;
	bool arrive = in->size == 4 ? (in->word >> 27 & 31) == 11 : in->word >> 7 & 1;
	struct opnd none = {0};
	if (in->size == 4) { /* a count of 0: all threads of the block */
		gen_barrier(g, arrive ? BAR_ARRIVE : BAR_SYNC, barrier_opnd(g, &in->o[0]),
			    arrive ? imm(0) : none);
		return;
	}
	if (arrive) {
		gen_barrier(g, BAR_ARRIVE, barrier_opnd(g, &in->o[0]), barrier_opnd(g, &in->o[1]));
		return;
	}
	const struct nop *count = &in->o[3], *pred = &in->o[4];
	struct opnd n = barrier_opnd(g, &in->o[2]), c = none;
	if (!(count->kind == NO_GPR && count->reg == 63))
		c = barrier_opnd(g, count);
	bool popc = in->mod[NM_MODE] == 0;
	if (pred->reg == 7 && !pred->neg && (popc ? in->o[0].reg == 63 : in->o[1].reg == 7)) {
		gen_barrier(g, BAR_SYNC, n, c);
		return;
	}
	emit_barrier(g,
		     (struct inst){.mode = BAR_RED,
				   .bop = op[in->mod[NM_MODE] % 3],
				   .type = popc ? T_U32 : T_PRED},
		     popc ? gen_dst(g, 0) : gen_pred_dst(g, 1), n, c, gen_pred(g, 4));
}

/* The state of a barrier is the number of warps that have arrived. */
static void gen_b2r(struct ngen *g)
{
	struct opnd t = gen_t(g);
	if (g->in->o[1].imm >= BARRIERS) {
		gen_refuse(g, "a barrier's number is 0 to 15");
		return;
	}
	gen_ctl_b2r(g, t, (unsigned)g->in->o[1].imm);
	gen(g, OP_MOV, T_U32, gen_dst(g, 0), t);
}

/* ---- locks ---- */

/* Takes a lock of shared memory: one of the threads that ask for a free lock gets it. The lock is
 * taken before the load, so that no other thread can take it in between. All threads load, as in
 * hardware. */
static void gen_lock(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *m = operand_of_kind(in, NO_MEM);
	if (in->op == NI_LDSLK) {
		gen_ctl_lock(g, gen_pred_dst(g, 0), access_at(g, m));
		load_register(g, &in->o[1], m, in->mod[NM_SIZE]);
	} else {
		store_at(g, &in->o[1], space_of(m), M_UNLOCK, access_at(g, m), in->mod[NM_SIZE]);
	}
}

/* Takes a lock of global memory. The locks are words of a table that all blocks share, chosen by
 * the address bits that choose shared memory's locks. Atomics take and release them; no access of
 * the thread passes an atomic. */
static void gen_global_lock(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *m = operand_of_kind(in, NO_MEM);
	struct opnd a = address_of(g, m), at = gen_d(g), n = gen_t(g), old = gen_t(g), none = {0};
	unsigned size = in->mod[NM_SIZE];
	gen_cvt(g, T_U32, T_U64, n, a);
	gen(g, OP_AND, T_B32, n, n, imm((GEN_LOCKS - 1) << 2));
	gen(g, OP_MOV, T_U64, at, val_var(g->locks));
	gen_mode(g, OP_MAD, T_U32, MUL_WIDE, at, n, imm(1), at);
	if (in->op == NI_STUL) {
		store_at(g, &in->o[1], SP_GENERIC, M_VOLATILE, mem_at(a, 0), size);
		gen_atom(g, ATOM_EXCH, T_B32, SP_GLOBAL, old, at, imm(0), none);
		return;
	}
	gen_atom(g, ATOM_EXCH, T_B32, SP_GLOBAL, old, at, imm(1), none);
	load_at(g, &in->o[1], SP_GENERIC, M_VOLATILE, mem_at(a, 0), size);
	gen_setp(g, CMP_EQ, T_U32, gen_pred_dst(g, 0), old, imm(0));
}

bool gen_memory(struct ngen *g)
{
	static const uint8_t level[] = {SCOPE_CTA, SCOPE_GPU, SCOPE_SYS};
	const struct ninst *in = g->in;
	switch (in->op) {
	case NI_LD:
	case NI_LDU:
	case NI_LDL:
	case NI_LDS: load_register(g, &in->o[0], &in->o[1], in->mod[NM_SIZE]); return true;
	case NI_ST:
	case NI_STL:
	case NI_STS: store_register(g, &in->o[1], &in->o[0], in->mod[NM_SIZE]); return true;
	case NI_LD_LDU:
	case NI_LDS_LDU: gen_two_loads(g); return true;
	case NI_LDC: gen_ldc(g); return true;
	case NI_ATOM:
	case NI_RED: gen_atomic(g); return true;
	case NI_BAR: gen_bar(g); return true;
	case NI_B2R: gen_b2r(g); return true;
	case NI_LDSLK:
	case NI_STSUL: gen_lock(g); return true;
	case NI_LDLK:
	case NI_STUL: gen_global_lock(g); return true;
	case NI_MEMBAR:
		gen_emit(g,
			 (struct inst){.op = OP_MEMBAR,
				       .scope = level[in->mod[NM_MODE] % 3],
				       .sem = SEM_SC},
			 NULL, 0);
		return true;
	case NI_CCTL:
	case NI_CCTLL: return true; /* caches do not change results */
	default: return false;
	}
}
