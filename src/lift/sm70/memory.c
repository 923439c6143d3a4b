/* Lifts loads and stores of all memories, atomics, constants, and copies to shared memory.
 *
 * Generic addresses of shared memory have LIFT_SHARED_HIGH as their upper word, as the special
 * register SWINHI says, and an offset into shared memory as their lower word. Accesses by generic
 * addresses convert them to the simulator's (devmem.h); local memory has the simulator's addresses
 * from the start. */
#include "devmem/devmem.h"
#include "lift/sm70/memory.h"

#include <string.h>

/* ---- bank 0 below the parameters ----
 *
 * Contents as drivers write them, as read on an H200 with driver 580.159.04 (sm_90) and as code of
 * ptxas 13.0 reads them (sm_75 to sm_89): block size from 0x0, grid size from 0xc, generic windows
 * of shared memory at 0x18 and of local memory at 0x20, the stack's end at 0x28, then words that
 * differ by chip. Bytes that no known code reads are 0. */
static struct opnd launch_value(struct lift *l, enum sreg r, unsigned component)
{
	struct opnd t = gen_t(&l->g);
	gen(&l->g, OP_MOV, T_U32, t, sreg(r, component));
	return t;
}

/* 1 in a launch with clusters, else 0. */
static struct opnd is_clustered(struct lift *l)
{
	struct opnd q = gen_q(&l->g);
	gen(&l->g, OP_MOV, T_PRED, q, sreg(SREG_IS_EXPLICIT_CLUSTER, 0));
	return lift_pred_word(l, q, 1);
}

/* 1 / n as a single, by which code divides by the cluster's size. */
static struct opnd reciprocal_of(struct lift *l, struct opnd n)
{
	struct opnd x = gen_t(&l->g);
	gen_cvt_as(&l->g, T_F32, T_U32, RND_RN, 0, x, n);
	gen_float_op(&l->g, OP_RCP, T_F32, RND_RN, 0, x, x);
	return x;
}

static struct opnd hopper_env(struct lift *l, uint32_t at)
{
	if (at >= 0x40 && at < 0xc0 && at != 0x68)
		return launch_value(l, SREG_ENVREG, (at - 0x40) / 4);
	switch (at) {
	case 0x2c: return launch_value(l, SREG_DYNAMIC_SMEM_SIZE, 0);
	case 0x30: return launch_value(l, SREG_GRIDID, 0);
	case 0x68: return imm(LIFT_SHARED_USED);
	case 0x10c: return launch_value(l, SREG_NSMID, 0);
	case 0x114: return imm(LIFT_SHARED_RESERVED);
	case 0x13c: return launch_value(l, SREG_TOTAL_SMEM_SIZE, 0);
	case 0x140: return is_clustered(l);
	case 0x144:
	case 0x148:
	case 0x14c: return launch_value(l, SREG_CLUSTER_NCTAID, (at - 0x144) / 4);
	case 0x150:
	case 0x154:
	case 0x158: return reciprocal_of(l, launch_value(l, SREG_CLUSTER_NCTAID, (at - 0x150) / 4));
	case 0x15c:
	case 0x160:
	case 0x164: return launch_value(l, SREG_NCLUSTERID, (at - 0x15c) / 4);
	case 0x188: return launch_value(l, SREG_CLUSTER_NCTARANK, 0);
	case 0x198: return imm(PARAM_BASE);
	default: return imm(0);
	}
}

static struct opnd older_env(struct lift *l, uint32_t at)
{
	switch (at) {
	case 0x2c: return launch_value(l, SREG_DYNAMIC_SMEM_SIZE, 0);
	case 0x30: return launch_value(l, SREG_GRIDID, 0);
	case 0x10c: return launch_value(l, SREG_NSMID, 0);
	default: break;
	}
	return at >= 0x88 && at < 0x108 ? launch_value(l, SREG_ENVREG, (at - 0x88) / 4) : imm(0);
}

/* Returns a word of the generic address of constant bank 3, to which code adds offsets of
 * variables. */
static struct opnd constants_address(const struct lift *l, unsigned word)
{
	const struct var *v = l->k->bank[3].var;
	return imm(v ? (uint32_t)(v->addr >> 32 * word) : 0);
}

struct opnd lift_env(struct lift *l, uint32_t at)
{
	uint32_t constants = l->file->elf.sm >= 90 ? 0xd0 : 0x50;
	uint32_t textures = l->file->elf.sm >= 90 ? 0xf0 : 0x70; /* handles of textures begin here;
	                                                          * those of surfaces follow */
	if (at - textures < 0x18) {
		lift_refuse(l, "it reads the driver's table of textures");
		return imm(0);
	}
	if (at - constants < 8)
		return constants_address(l, (at - constants) / 4);
	switch (at) {
	case 0x0:
	case 0x4:
	case 0x8: return launch_value(l, SREG_NTID, at / 4);
	case 0xc:
	case 0x10:
	case 0x14: return launch_value(l, SREG_NCTAID, (at - 0xc) / 4);
	case 0x1c: return imm(LIFT_SHARED_HIGH);
	case 0x20: return imm(LOCAL_BASE);
	case 0x24: return imm(0);
	case 0x28: return imm(l->stack);
	default: return l->file->elf.sm >= 90 ? hopper_env(l, at) : older_env(l, at);
	}
}

/* ---- addresses ---- */

/* The sum of an address's registers, of 64 or 32 bits, without the offset. A literal if there are
 * no registers. */
static struct opnd base64(struct lift *l, const struct sm70_operand *o)
{
	struct ngen *g = &l->g;
	struct opnd r = imm_as(T_B64, 0), u = imm_as(T_B64, 0);
	bool has_reg = o->reg != SM70_NOREG && o->reg != SM70_RZ,
	     has_u = o->ureg != SM70_NOREG && o->ureg != SM70_URZ;
	bool narrow = o->scale == SM70_W_U32 || (has_u && o->scale != SM70_W__64 && has_reg);
	if (has_reg && !narrow)
		r = lift_pair(l, val_r(o->reg), val_r(o->reg + 1));
	else if (has_reg) {
		r = gen_d(g);
		gen_cvt(g, T_U64, T_U32, r, val_r(o->reg));
	}
	if (!has_u)
		return r;
	u = lift_pair(l, val_u(o->ureg), val_u(o->ureg + 1));
	if (!has_reg)
		return u;
	struct opnd d = gen_d(g);
	gen(g, OP_ADD, T_U64, d, r, u);
	return d;
}

static struct opnd base32(struct lift *l, const struct sm70_operand *o)
{
	struct ngen *g = &l->g;
	bool has_reg = o->reg != SM70_NOREG && o->reg != SM70_RZ,
	     has_u = o->ureg != SM70_NOREG && o->ureg != SM70_URZ;
	struct opnd r = has_reg ? val_r(o->reg) : imm(0), t;
	unsigned shift = o->scale == SM70_W_X4    ? 2
			 : o->scale == SM70_W_X8  ? 3
			 : o->scale == SM70_W_X16 ? 4
						  : 0;
	if (has_reg && shift) {
		t = gen_t(g);
		gen(g, OP_SHL, T_B32, t, r, imm(shift));
		r = t;
	}
	if (!has_u)
		return r;
	if (!has_reg)
		return val_u(o->ureg);
	t = gen_t(g);
	gen(g, OP_ADD, T_U32, t, r, val_u(o->ureg));
	return t;
}

static struct opnd window_register(void) { return val_reg(RC_WINDOW, 0, T_B64); }

/* Computes the difference of window addresses: the simulator has generic addresses of a cluster's
 * shared memory in another window (devmem.h). */
void lift_window(struct lift *l)
{
	struct ngen *g = &l->g;
	struct opnd blocks = launch_value(l, SREG_CLUSTER_NCTARANK, 0), q = gen_q(g);
	uint64_t high = (uint64_t)LIFT_SHARED_HIGH << 32;
	gen_setp(g, CMP_NE, T_U32, q, blocks, imm(1));
	gen(g, OP_SELP, T_B64, window_register(), imm_as(T_B64, CLUSTER_BASE - high),
	    imm_as(T_B64, SHARED_BASE - high), q);
}

/* Converts a generic address; its upper word distinguishes addresses of shared memory. */
struct opnd lift_generic(struct lift *l, struct opnd base, int64_t off)
{
	struct ngen *g = &l->g;
	struct opnd sum = gen_d(g), moved = gen_d(g), lo = gen_t(g), hi = gen_t(g), q = gen_q(g);
	gen(g, OP_ADD, T_U64, sum, base, imm_as(T_U64, (uint64_t)off));
	gen_unpack(g, lo, hi, sum);
	gen_setp(g, CMP_EQ, T_U32, q, hi, imm(LIFT_SHARED_HIGH));
	gen(g, OP_ADD, T_U64, moved, sum, window_register());
	gen(g, OP_SELP, T_B64, sum, moved, sum, q);
	return mem_at(sum, 0);
}

static bool is_64(const struct lift *l) { return mod(l, SM70_MOD_E) != SM70_W_NONE; }

struct opnd lift_address(struct lift *l, const struct sm70_operand *o, enum space space)
{
	if (space == SP_SHARED || space == SP_LOCAL || (!is_64(l) && o->scale != SM70_W__64))
		return mem_at(base32(l, o), o->off);
	struct opnd b = base64(l, o);
	return space == SP_GENERIC ? lift_generic(l, b, o->off) : mem_at(b, o->off);
}

/* ---- loads and stores ---- */

static struct access width_of(struct lift *l)
{
	switch (mod(l, SM70_MOD_SIZE)) {
	case SM70_W_U8: return (struct access){T_U8, 1, 0};
	case SM70_W_S8: return (struct access){T_S8, 1, 0};
	case SM70_W_U16: return (struct access){T_U16, 1, 0};
	case SM70_W_S16: return (struct access){T_S16, 1, 0};
	case SM70_W_NONE:
	case SM70_W__32: return (struct access){T_U32, 1, 0};
	case SM70_W__64: return (struct access){T_U32, 2, 0};
	case SM70_W__128: return (struct access){T_U32, 4, 0};
	default: lift_refuse(l, "a width of no known meaning"); return (struct access){T_U32, 1, 0};
	}
}

/* Sets the memory order, among the orders that the simulator distinguishes. */
static void set_order(const struct lift *l, struct inst *in)
{
	if (has(l, SM70_W_STRONG) || has(l, SM70_W_MMIO))
		in->sem = SEM_RELAXED;
	if (has(l, SM70_W_CTA) || has(l, SM70_W_SM))
		in->scope = SCOPE_CTA;
	else if (has(l, SM70_W_GPU) || has(l, SM70_W_VC))
		in->scope = SCOPE_GPU;
	else if (has(l, SM70_W_SYS))
		in->scope = SCOPE_SYS;
	if (has(l, SM70_W_CONSTANT))
		in->mods |= M_NC;
}

/* The assembler encodes PTX's ld.ca as STRONG.SM and ld.cg as STRONG.GPU, like relaxed loads of
 * these scopes. Both kinds read in one place: the L1 or the L2. Loads that bypass the L1 are polls
 * if the kernel has fences or reads the results of atomics (kernel/image.c). */
static void set_cache(struct inst *in)
{
	if (in->sem != SEM_RELAXED || in->scope == SCOPE_SYS)
		return;
	in->sem = SEM_NONE;
	in->cop = in->scope == SCOPE_GPU ? COP_CG : COP_CA;
	in->scope = 0;
}

/* The end of the piece of code that has the current instruction. */
static const struct sm70_inst *end_of_part(const struct lift *l, const struct lift_part **part)
{
	for (unsigned i = 0; i < l->nparts; i++) {
		*part = &l->part[i];
		if (l->in >= (*part)->inst && l->in < (*part)->inst + (*part)->n)
			return (*part)->inst + (*part)->n;
	}
	return l->in + 1;
}

/* True if the L1 is invalidated before the next access: ld.acquire is a strong load and CCTL.IVALL. */
static bool next_invalidates(const struct lift *l)
{
	enum { NEAR = 6 };
	const struct lift_part *part;
	const struct sm70_inst *end = end_of_part(l, &part);
	for (const struct sm70_inst *in = l->in + 1; in < end && in <= l->in + NEAR; in++) {
		const struct sm70_operand *m = sm70_operand_of(in, SM70_R_M);
		if (in->op == SM70_CCTL)
			return in->mod[SM70_MOD_MODE] == SM70_W_IVALL;
		if (in->op == SM70_BRA || in->op == SM70_EXIT || in->op == SM70_BAR ||
		    (m && m->kind == SM70_K_MEM))
			return false;
	}
	return false;
}

/* True for a load in a loop without other branches that has a YIELD: compilers put it there if threads wait for
 * the value. Loads of shared memory do not say that they are volatile. */
static bool waits_for_value(const struct lift *l)
{
	const struct lift_part *p;
	const struct sm70_inst *end = end_of_part(l, &p);
	bool yields = false;
	for (const struct sm70_inst *in = l->in + 1; in < end; in++) {
		const struct sm70_operand *t = sm70_operand_of(in, SM70_R_T);
		yields |= in->op == SM70_YIELD;
		if (in->op == SM70_BRA)
			return yields && t && t->imm <= l->in->pc && t->imm >= p->base;
		if (in->op == SM70_EXIT || in->op == SM70_CALL || in->op == SM70_RET ||
		    in->op == SM70_BRX)
			return false;
	}
	return false;
}

static void do_load(struct lift *l, enum space space)
{
	struct access a = width_of(l);
	const struct sm70_operand *m = opd(l, SM70_R_M);
	struct opnd o[5];
	for (unsigned i = 0; i < a.vec; i++)
		o[i] = lift_dst_word(l, i);
	o[a.vec] = lift_address(l, m, space);
	struct inst in = {
		.op = OP_LD, .type = a.type, .vec = a.vec, .space = (uint8_t)space, .nd = a.vec};
	set_order(l, &in);
	if (in.sem == SEM_RELAXED && next_invalidates(l))
		in.sem = SEM_ACQUIRE;
	set_cache(&in);
	if (space == SP_SHARED || space == SP_LOCAL)
		in.sem = SEM_NONE;
	if (space == SP_SHARED && waits_for_value(l))
		in.mods |= M_VOLATILE;
	gen_emit(&l->g, in, o, a.vec + 1u);
}

/* LDGMC: with one GPU a multicast address has a single copy, so the sum of all copies is that
 * copy. */
static void do_multicast_load(struct lift *l)
{
	static const struct {
		uint16_t word;
		uint8_t words;
	} rows[] = {{SM70_W__64, 2},   {SM70_W_S64, 2},    {SM70_W__128, 4},   {SM70_W_F16x4, 2},
		    {SM70_W_F16x8, 4}, {SM70_W_BF16x4, 2}, {SM70_W_BF16x8, 4}, {SM70_W_F32x2, 2},
		    {SM70_W_F32x4, 4}, {SM70_W_F64, 2}};
	struct opnd o[5];
	unsigned n = 1;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (has(l, rows[i].word))
			n = rows[i].words;
	struct inst in = {.op = OP_LD,
			  .type = T_U32,
			  .vec = (uint8_t)n,
			  .space = SP_GLOBAL,
			  .nd = (uint8_t)n};
	for (unsigned i = 0; i < n; i++)
		o[i] = lift_dst_word(l, i);
	o[n] = lift_address(l, opd(l, SM70_R_M), SP_GLOBAL);
	set_order(l, &in);
	gen_emit(&l->g, in, o, n + 1);
}

static const struct sm70_operand *stored_operand(const struct lift *l)
{
	const struct sm70_operand *o = opd(l, SM70_R_B);
	o = o ? o : opd(l, SM70_R_C);
	return o ? o : opd(l, SM70_R_A);
}

static void do_store(struct lift *l, enum space space)
{
	struct access a = width_of(l);
	struct opnd o[5] = {lift_address(l, opd(l, SM70_R_M), space)};
	for (unsigned i = 0; i < a.vec; i++)
		o[1 + i] = lift_reg(l, lift_word(l, stored_operand(l), i));
	struct inst in = {.op = OP_ST, .type = a.type, .vec = a.vec, .space = (uint8_t)space};
	set_order(l, &in);
	if (space == SP_SHARED || space == SP_LOCAL)
		in.sem = SEM_NONE;
	gen_emit(&l->g, in, o, a.vec + 1u);
}

/* ---- constants ---- */

/* Bytes of constants that are loaded already, at an offset that is not a word's. */
static void part_of_constant(struct lift *l, const struct sm70_operand *o, struct access a,
			     struct opnd d)
{
	struct ngen *g = &l->g;
	uint32_t off = (uint32_t)o->off;
	struct opnd k = lift_const(l, o->bank, off, 1);
	unsigned bits = type_bits(a.type);
	if ((off & 3) + bits / 8 > 4) {
		lift_refuse(l, "a constant across words");
		return;
	}
	gen(g, OP_BFE, type_is_signed(a.type) ? T_S32 : T_U32, d, k, imm_as(T_U32, 8 * (off & 3)),
	    imm_as(T_U32, bits));
}

static void do_ldc(struct lift *l)
{
	struct ngen *g = &l->g;
	struct access a = width_of(l);
	const struct sm70_operand *o = opd(l, SM70_R_M) ? opd(l, SM70_R_M) : opd(l, SM70_R_B);
	for (unsigned i = 0; !o || (o->kind != SM70_K_CONST && i < l->in->nop); i++)
		o = &l->in->o[i];
	bool uniform = is_uniform(l, opd(l, SM70_R_D));
	if (is_fixed_const(o)) {
		if (type_bits(a.type) < 32) {
			part_of_constant(l, o, a, lift_dst(l));
			return;
		}
		struct opnd t[4];
		for (unsigned i = 0; i < a.vec; i++)
			t[i] = lift_const(l, o->bank, (uint32_t)o->off + 4 * i, 1);
		for (unsigned i = 0; i < a.vec; i++)
			gen(g, OP_MOV, T_U32, lift_dst_word(l, i), t[i]);
		return;
	}
	if (mod(l, SM70_MOD_MODE) || o->desc != SM70_NOREG) {
		lift_refuse(l, "constants of a bank that a register names");
		return;
	}
	const struct lift_bank *b = o->bank < LIFT_BANKS ? &l->k->bank[o->bank] : NULL;
	struct opnd m[5], base = base32(l, o);
	unsigned space = SP_CONST;
	int64_t off = o->off;
	if (!o->bank) {
		space = SP_PARAM;
		off -= l->k->f->param_base;
	} else if (!b || !b->var) {
		lift_refuse(l, "constant bank %u is not in the file", o->bank);
		return;
	}
	for (unsigned i = 0; i < a.vec; i++)
		m[i] = uniform ? gen_t(g) : lift_dst_word(l, i);
	m[a.vec] = mem_at(base, off);
	if (space == SP_CONST) {
		m[a.vec].sym = b->var;
		b->var->used = true;
	}
	gen_emit(g,
		 (struct inst){.op = OP_LD,
			       .type = a.type,
			       .vec = a.vec,
			       .space = (uint8_t)space,
			       .nd = a.vec},
		 m, a.vec + 1u);
	for (unsigned i = 0; uniform && i < a.vec; i++)
		lift_broadcast(l, lift_dst_word(l, i), m[i]);
}

/* ---- atomics ---- */

static unsigned atomic_type(const struct lift *l)
{
	static const struct {
		uint16_t word;
		uint8_t type;
	} rows[] = {{SM70_W_S32, T_S32},     {SM70_W__64, T_U64},       {SM70_W_S64, T_S64},
		    {SM70_W_U64, T_U64},     {SM70_W_F32, T_F32},       {SM70_W_F64, T_F64},
		    {SM70_W_F16x2, T_F16X2}, {SM70_W_BF16x2, T_BF16X2}, {SM70_W__128, T_B128},
		    {SM70_W_F32x2, T_F32},   {SM70_W_F32x4, T_F32},     {SM70_W_F16x4, T_F16X2},
		    {SM70_W_F16x8, T_F16X2}, {SM70_W_BF16x4, T_BF16X2}, {SM70_W_BF16x8, T_BF16X2}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (has(l, rows[i].word))
			return rows[i].type;
	return T_U32;
}

/* Registers of a vector of the type; 1 for other types. */
static unsigned atomic_vector(const struct lift *l)
{
	if (has(l, SM70_W_F32x4) || has(l, SM70_W_F16x8) || has(l, SM70_W_BF16x8))
		return 4;
	return has(l, SM70_W_F32x2) || has(l, SM70_W_F16x4) || has(l, SM70_W_BF16x4) ? 2 : 1;
}

/* A vector atomic: each element is a separate operation. */
static void vector_atomic(struct lift *l, struct inst in, unsigned n, bool returns, struct opnd at)
{
	struct opnd o[9];
	unsigned k = 0;
	in.vec = (uint8_t)n;
	in.nd = returns ? (uint8_t)n : 0;
	for (unsigned i = 0; i < n && returns; i++)
		o[k++] = lift_dst_word(l, i);
	o[k++] = at;
	for (unsigned i = 0; i < n; i++)
		o[k++] = lift_reg(l, lift_word(l, stored_operand(l), i));
	gen_emit(&l->g, in, o, k);
}

static int atomic_mode(const struct lift *l)
{
	static const struct {
		uint16_t word;
		uint8_t mode;
	} rows[] = {{SM70_W_ADD, ATOM_ADD}, {SM70_W_MIN, ATOM_MIN}, {SM70_W_MAX, ATOM_MAX},
		    {SM70_W_INC, ATOM_INC}, {SM70_W_DEC, ATOM_DEC}, {SM70_W_AND, ATOM_AND},
		    {SM70_W_OR, ATOM_OR},   {SM70_W_XOR, ATOM_XOR}, {SM70_W_EXCH, ATOM_EXCH},
		    {SM70_W_CAS, ATOM_CAS}, {SM70_W_CAST, ATOM_CAS}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (has(l, rows[i].word))
			return rows[i].mode;
	return -1;
}

/* A value of n words, from the operand's register on. */
static struct opnd value_of(struct lift *l, const struct sm70_operand *o, unsigned type)
{
	unsigned rows = type_rows(type);
	if (rows == 1)
		return lift_reg(l, lift_word(l, o, 0));
	if (!o || o->reg == SM70_RZ) {
		struct opnd z = gen_d(&l->g);
		gen(&l->g, OP_MOV, T_B64, z, imm_as(T_B64, 0));
		return z;
	}
	struct opnd s = lift_word(l, o, 0);
	s.type = rows == 2 ? T_B64 : T_B128;
	return s;
}

/* CAST: 1 if the exchange was made, else 0. */
static void swap_succeeded(struct lift *l, struct opnd old, struct opnd expected, unsigned type)
{
	struct ngen *g = &l->g;
	struct opnd q = gen_q(g);
	bool wide = type_rows(type) == 2;
	gen_setp(g, CMP_EQ, wide ? T_U64 : T_U32, q, old, expected);
	gen(g, OP_SELP, T_B32, lift_dst(l), imm(1), imm(0), q);
	if (wide)
		gen(g, OP_MOV, T_U32, lift_dst_word(l, 1), imm(0));
}

static void do_atomic(struct lift *l, enum space space)
{
	struct ngen *g = &l->g;
	int mode = atomic_mode(l);
	unsigned type = atomic_type(l);
	const struct sm70_operand *d = opd(l, SM70_R_D), *bo = stored_operand(l),
				  *co = opd(l, SM70_R_C);
	bool cas = mode == ATOM_CAS, popc = has(l, SM70_W_POPC), returns = d && d->reg != SM70_RZ;
	if (popc) /* every thread adds one */
		mode = ATOM_ADD;
	if (mode < 0) {
		lift_refuse(l, "%s", "");
		return;
	}
	if (type == T_S32 && mode != ATOM_MIN && mode != ATOM_MAX)
		type = T_U32;
	if (type_rows(type) == 2 && (mode == ATOM_AND || mode == ATOM_OR || mode == ATOM_XOR ||
				     mode == ATOM_CAS || mode == ATOM_EXCH))
		type = T_B64;
	else if (type_rows(type) == 1 && !type_is_float(type) &&
		 (mode == ATOM_AND || mode == ATOM_OR || mode == ATOM_XOR || mode == ATOM_CAS ||
		  mode == ATOM_EXCH))
		type = T_B32;
	struct opnd at = lift_address(l, opd(l, SM70_R_M), space);
	struct opnd b = popc ? lift_reg(l, imm(1)) : value_of(l, bo, type),
		    c = cas ? value_of(l, co, type) : b, o[4];
	unsigned n = 0, rows = type_rows(type);
	struct opnd old = rows == 1 ? gen_t(g) : rows == 2 ? gen_d(g) : lift_dst(l);
	struct inst in = {.op = returns ? OP_ATOM : OP_RED,
			  .type = (uint8_t)type,
			  .mode = (uint8_t)mode,
			  .space = (uint8_t)space,
			  .sem = SEM_RELAXED,
			  .scope = has(l, SM70_W_SYS) ? SCOPE_SYS : SCOPE_GPU,
			  .nd = returns};
	if (type == T_F16X2 || type == T_BF16X2)
		in.mods |= M_NOFTZ;
	if (atomic_vector(l) > 1) {
		vector_atomic(l, in, atomic_vector(l), returns, at);
		return;
	}
	if (rows == 4)
		old.type = T_B128;
	if (returns)
		o[n++] = old;
	o[n++] = at;
	o[n++] = b;
	if (cas)
		o[n++] = c;
	gen_emit(g, in, o, n);
	const struct sm70_operand *p = opd(l, SM70_R_PD);
	if (p &&
	    p->reg != SM70_PT) /* true if the address was not in shared memory, where the operation
	                        * would need a loop */
		gen(g, OP_MOV, T_PRED, lift_pred_dst(l, SM70_R_PD), val_pt());
	if (!returns || rows == 4)
		return;
	if (has(l, SM70_W_CAST))
		swap_succeeded(l, old, b, type);
	else if (rows == 1)
		gen(g, OP_MOV, T_U32, lift_dst(l), old);
	else
		gen(g, OP_MOV, T_B64, lift_dst64(l), old);
}

/* ---- others ---- */

static void do_fence(struct lift *l)
{
	unsigned scope = has(l, SM70_W_SYS)                        ? SCOPE_SYS
			 : has(l, SM70_W_GPU) || has(l, SM70_W_VC) ? SCOPE_GPU
								   : SCOPE_CTA;
	gen_emit(&l->g,
		 (struct inst){.op = OP_MEMBAR,
			       .scope = (uint8_t)scope,
			       .sem = has(l, SM70_W_SC) ? SEM_SC : SEM_ACQ_REL},
		 NULL, 0);
}

/* cp.async.commit_group, cp.async.wait_group. Copies are performed at once; the checks know who has waited. */
static void wait_for_copies(struct lift *l, unsigned mode, uint64_t most)
{
	gen_emit(&l->g, (struct inst){.op = OP_CP_ASYNC_WAIT, .mode = (uint8_t)mode, .imm = most},
		 NULL, 0);
}

/* DEPBAR.LE SBn, most: waits until at most `most` of the operations that use SBn are in flight. If
 * LDGDEPBAR counts groups of copies in SBn, the operations are these groups. */
static void do_depbar(struct lift *l)
{
	const struct sm70_operand *sb = opd(l, SM70_R_I);
	if (!has(l, SM70_W_LE) || !sb || sb->kind != SM70_K_SB)
		return;
	uint64_t most = 0;
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_IMM)
			most = l->in->o[i].imm;
	for (unsigned p = 0; p < l->nparts; p++)
		for (uint32_t i = 0; i < l->part[p].n; i++)
			if (l->part[p].inst[i].op == SM70_LDGDEPBAR &&
			    l->part[p].inst[i].control.write == sb->reg) {
				wait_for_copies(l, CPW_GROUP, most);
				return;
			}
}

/* p = p and x is below the value of a special register. */
static void and_below(struct lift *l, struct opnd p, struct opnd x, enum sreg limit, unsigned cmp)
{
	struct compare c = {.cmp = cmp, .bop = BOP_AND, .type = T_U32, .a = x, .p = p};
	c.b = launch_value(l, limit, 0);
	gen_setp_with(&l->g, &c, p);
}

/* p: true if the address is not in local memory. */
static void outside_local(struct lift *l, struct opnd p, struct opnd addr, unsigned cmp)
{
	gen(&l->g, OP_SUB, T_U64, addr, addr, imm_as(T_U64, LOCAL_BASE));
	gen_setp(&l->g, cmp, T_U64, p, addr, imm_as(T_U64, WINDOW_SPAN));
}

/* QSPC: the memory that a generic address belongs to: S the block's shared memory, D that of
 * another block of its cluster, L local, G global. */
static void do_qspc(struct lift *l)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *m = opd(l, SM70_R_M);
	struct opnd sum = gen_d(g), lo = gen_t(g), hi = gen_t(g), q = gen_q(g), p;
	gen(g, OP_ADD, T_U64, sum, base64(l, m), imm_as(T_U64, (uint64_t)m->off));
	gen_unpack(g, lo, hi, sum);
	gen(g, OP_SHR, T_U32, lo, lo, imm(24)); /* the block's rank */
	gen_setp(g, CMP_EQ, T_U32, q, hi, imm(LIFT_SHARED_HIGH));
	p = lift_pred_dst(l, SM70_R_PD);
	if (has(l, SM70_W_S)) {
		and_below(l, q, lo, SREG_CLUSTER_CTARANK, CMP_EQ);
		gen(g, OP_MOV, T_PRED, p, q);
	} else if (has(l, SM70_W_D)) {
		and_below(l, q, lo, SREG_CLUSTER_NCTARANK, CMP_LT);
		gen(g, OP_MOV, T_PRED, p, q);
	} else if (has(l, SM70_W_L)) {
		outside_local(l, p, sum, CMP_LT);
	} else if (has(l, SM70_W_G)) {
		outside_local(l, p, sum, CMP_GE);
		gen(g, OP_AND, T_PRED, p, p, val_not(q));
	} else {
		lift_refuse(l, "a memory of no known meaning");
	}
}

/* LDGSTS.ZFILL: the lowest bits of the address are the bytes at the end that are zeros instead of read; none is read where the
 * predicate is false. */
static void do_zfill(struct lift *l, struct inst in, uint32_t bytes, struct opnd to)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *from = opd(l, SM70_R_M2);
	struct opnd at = gen_d(g), lo = gen_t(g), hi = gen_t(g), n = gen_t(g);
	gen(g, OP_ADD, T_U64, at, base64(l, from), imm_as(T_U64, (uint64_t)from->off));
	gen_unpack(g, lo, hi, at);
	gen(g, OP_AND, T_B32, n, lo, imm(bytes - 1));
	gen(g, OP_SUB, T_U32, n, imm(bytes), n);
	gen(g, OP_AND, T_B64, at, at, imm_as(T_B64, ~(uint64_t)(bytes - 1)));
	if (!lift_pred_is(l, SM70_R_PA, true))
		gen_emit(g, (struct inst){.op = OP_SELP, .type = T_B32, .nd = 1},
			 GEN_LIST(n, n, imm(0), lift_pred(l, SM70_R_PA)));
	gen_emit(g, in, GEN_LIST(to, mem_at(at, 0), n));
}

/* LDGSTS: copies from global to shared memory. */
static void do_ldgsts(struct lift *l)
{
	struct access a = width_of(l);
	const struct sm70_operand *to = opd(l, SM70_R_M), *from = opd(l, SM70_R_M2);
	uint32_t bytes = 4u * a.vec;
	struct inst in = {.op = OP_CP_ASYNC, .imm = bytes};
	struct opnd o[3] = {mem_at(base32(l, to), to->off), mem_at(base64(l, from), from->off)};
	unsigned n = 2;
	if (has(l, SM70_W_ZFILL)) {
		do_zfill(l, in, bytes, o[0]);
		return;
	}
	if (!lift_pred_is(l, SM70_R_PA, true)) { /* false: nothing is read, zeros are written */
		o[n] = val_not(lift_pred(l, SM70_R_PA));
		n++;
	}
	gen_emit(&l->g, in, o, n);
}

static void do_ldsm(struct lift *l, bool store)
{
	unsigned n = has(l, SM70_W__4) ? 4 : has(l, SM70_W__2) ? 2 : 1;
	unsigned mods = has(l, SM70_W_MT88) ? M_TRANS : 0;
	struct opnd o[5], at = lift_address(l, opd(l, SM70_R_M), SP_SHARED);
	if (!has(l, SM70_W_M88) && !has(l, SM70_W_MT88)) {
		lift_refuse(l, "a shape of matrices of no known meaning");
		return;
	}
	for (unsigned i = 0; i < n; i++)
		o[store ? 1 + i : i] = store ? lift_reg(l, lift_word(l, stored_operand(l), i))
					     : lift_dst_word(l, i);
	o[store ? 0 : n] = at;
	gen_emit(&l->g,
		 (struct inst){.op = store ? OP_STMATRIX : OP_LDMATRIX,
			       .type = T_B16,
			       .space = SP_SHARED,
			       .vec = (uint8_t)n,
			       .mods = mods,
			       .nd = store ? 0 : (uint8_t)n},
		 o, n + 1);
}

bool lift_memory(struct lift *l)
{
	switch (l->in->op) {
	case SM70_LD: do_load(l, SP_GENERIC); return true;
	case SM70_LDG: do_load(l, SP_GLOBAL); return true;
	case SM70_LDGMC: do_multicast_load(l); return true;
	case SM70_LDS: do_load(l, SP_SHARED); return true;
	case SM70_LDL: do_load(l, SP_LOCAL); return true;
	case SM70_ST: do_store(l, SP_GENERIC); return true;
	case SM70_STG: do_store(l, SP_GLOBAL); return true;
	case SM70_STS: do_store(l, SP_SHARED); return true;
	case SM70_STL: do_store(l, SP_LOCAL); return true;
	case SM70_LDC:
	case SM70_LDCU:
	case SM70_ULDC: do_ldc(l); return true;
	case SM70_ATOM:
	case SM70_RED: do_atomic(l, SP_GENERIC); return true;
	case SM70_ATOMG:
	case SM70_REDG: do_atomic(l, SP_GLOBAL); return true;
	case SM70_ATOMS: do_atomic(l, SP_SHARED); return true;
	case SM70_MEMBAR: do_fence(l); return true;
	case SM70_ERRBAR:
	case SM70_CGAERRBAR:
	case SM70_CCTL:
	case SM70_CCTLL:
	case SM70_FENCE: return true; /* caches hold no old data */
	case SM70_LDGDEPBAR: wait_for_copies(l, CPW_COMMIT, 0); return true;
	case SM70_DEPBAR: do_depbar(l); return true;
	case SM70_QSPC: do_qspc(l); return true;
	case SM70_LDGSTS: do_ldgsts(l); return true;
	case SM70_LDSM: do_ldsm(l, false); return true;
	case SM70_STSM: do_ldsm(l, true); return true;
	default: return false;
	}
}
