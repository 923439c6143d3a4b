/* Loads, stores and fences on sm_90. Global and generic addresses are register pairs, shared and
 * local addresses words; addresses of constants and parameters are offsets in bank 3 or 0. */
#include "back/sm90/sm90.h"

const char *sm90_size(unsigned type)
{
	switch (type_bits(type)) {
	case 8: return type_is_signed(type) ? ".S8" : ".U8";
	case 16: return type_is_signed(type) ? ".S16" : ".U16";
	case 64: return ".64";
	case 128: return ".128";
	default: return "";
	}
}

bool sm90_is_far(unsigned space)
{
	return space == SP_GLOBAL || space == SP_GENERIC || space == SP_NONE;
}

unsigned sm90_space(const struct inst *in)
{
	unsigned space = sel_space(in);
	bool access = in->op == OP_LD || in->op == OP_ST || in->op == OP_ATOM || in->op == OP_RED;
	return access && space == SP_SHARED && in->mods & M_CLUSTER ? (unsigned)SP_GENERIC : space;
}

enum { OFFSET_LIMIT = 0x800000 };

static struct mo at_address(uint32_t v, bool far, int64_t off)
{
	return (struct mo){.kind = MO_MEM, .v = v, .wide = far, .bank = far, .imm = off};
}

/* Adds an offset that exceeds the access's field to the base. */
static struct mo add_offset(struct sel *s, struct mo lo, struct mo hi, int64_t off, bool far)
{
	uint32_t t = sel_temp(s, 2);
	sm90_add64(s, t, lo, hi, sm90_word((uint32_t)off),
		   sm90_word((uint32_t)((uint64_t)off >> 32)), false);
	return at_address(t, far, 0);
}

static bool offset_fits(int64_t off) { return off >= -OFFSET_LIMIT && off < OFFSET_LIMIT; }

/* An address in far memory: of a variable, a register, a number. */
static struct mo far_address(struct sel *s, const struct opnd *o, int64_t off)
{
	const struct var *v = o->sym;
	struct mo lo = sm90_word((uint32_t)off), hi = sm90_word((uint32_t)((uint64_t)off >> 32));
	if (v) {
		v = v->def ? v->def : v;
		if (v->space != SP_GLOBAL) {
			sel_refuse(s, "this address");
			return at_address(V_NONE, true, 0);
		}
		lo = sm90_address_word(s, v, 0);
		hi = sm90_address_word(s, v, 1);
	} else if (o->reg == NO_REG) {
		return at_address(sm90_pair_of(s, lo, hi).v, true, 0);
	} else {
		uint32_t base = s->value[o->reg];
		bool pair = s->m.val.v[base].words == 2;
		if (pair && offset_fits(off))
			return at_address(base, true, off);
		lo = mo_word(base, 0);
		hi = pair ? mo_word(base, 1) : ZERO;
	}
	return offset_fits(off) ? at_address(sm90_pair_of(s, lo, hi).v, true, off)
				: add_offset(s, lo, hi, off, true);
}

/* The generic form of a shared address with its block's rank. */
static struct mo cluster_address(struct sel *s, const struct opnd *o, int64_t off)
{
	uint32_t t = sel_temp(s, 2);
	struct mo lo = ZERO;
	if (o->sym) {
		lo = sm90_symbol(s, o);
		off -= o->imm;
	} else if (o->reg != NO_REG) {
		lo = mo_word(s->value[o->reg], 0);
	}
	sm90_mov(s, mo_word(t, 0), lo)->fresh = true;
	OP(s, "S2R", 1, mo_word(t, 1), mo_text("SR_SWINHI"));
	return at_address(t, true, off);
}

struct mo sm90_address(struct sel *s, unsigned i, unsigned space, int64_t more)
{
	const struct opnd *o = inst_src(s->in, i);
	if (sm90_is_far(space) && sel_space(s->in) == SP_SHARED && sm90_space(s->in) != SP_SHARED)
		return cluster_address(s, o, o->imm + more);
	const struct var *v = o->sym;
	int64_t off = o->imm + more;
	uint64_t at = 0;
	if (v)
		v = v->def ? v->def : v;
	if (sm90_is_far(space))
		return far_address(s, o, off);
	if (v && !sel_offset(s, v, &at))
		sel_refuse(s, "this address");
	off += (int64_t)at;
	if (o->reg == NO_REG || v)
		return at_address(V_NONE, false, off);
	uint32_t base = s->value[o->reg];
	if (offset_fits(off))
		return at_address(base, false, off);
	return add_offset(s, mo_word(base, 0), ZERO, off, false);
}

/* Modifier for the agents that may change the memory; "": none. */
static const char *order_name(const struct inst *in)
{
	bool load = in->op == OP_LD || in->op == OP_LDU;
	if (inst_is_strong(in)) {
		if (in->mods & M_VOLATILE || in->scope == SCOPE_SYS)
			return ".STRONG.SYS";
		return in->scope == SCOPE_CTA ? ".STRONG.SM" : ".STRONG.GPU";
	}
	if (load && in->mods & M_NC)
		return ".CONSTANT";
	if (in->cop == COP_CG)
		return ".STRONG.GPU";
	return in->cop == COP_CV || in->cop == COP_WT ? ".STRONG.SYS" : "";
}

static const char *far_name(unsigned space, const char *global, const char *generic)
{
	return space == SP_GLOBAL ? global : generic;
}

static void load_one(struct sel *s, unsigned space, unsigned type, uint32_t to, int64_t more)
{
	struct mo m = sm90_address(s, 0, space, more), d = mo_wide(to);
	const char *size = sm90_size(type), *name;
	switch (space) {
	case SP_SHARED: name = sel_text(s, "LDS%s", size); break;
	case SP_LOCAL: name = sel_text(s, "LDL%s", size); break;
	case SP_CONST:
	case SP_PARAM:
		name = sel_text(s, "LDC%s", size);
		m.kind = MO_CONST;
		m.bank = space == SP_CONST ? SM90_CONSTANTS : 0;
		m.imm += space == SP_CONST ? 0 : SM90_PARAMS;
		break;
	default:
		name = sel_text(s, "%s.E%s%s", far_name(space, "LDG", "LD"), size,
				order_name(s->in));
		break;
	}
	OP(s, name, 1, d, m)->keep = inst_may_poll(s->in);
}

/* Puts a loaded word into result i, extended as its register requires. */
static void put_loaded(struct sel *s, unsigned i, uint32_t from, unsigned word, unsigned type)
{
	unsigned words = type_bits(type) > 32 ? 2 : 1;
	if (inst_dst(s->in, i)->kind == OPND_SINK)
		return;
	uint32_t d = sel_dst(s, i);
	for (unsigned w = 0; w < s->m.val.v[d].words; w++)
		if (w < words)
			sm90_mov(s, mo_word(d, w), mo_word(from, word + w))->fresh = !w;
		else if (type_is_signed(type))
			OP(s, "SHF.R.S32.HI", 1, mo_word(d, w), ZERO, mo_imm(31),
			   mo_word(from, word));
		else
			sm90_mov(s, mo_word(d, w), ZERO);
}

/* Words of a constant bank at a known offset are used as operands. True: done. */
static bool load_words(struct sel *s, unsigned space)
{
	const struct inst *in = s->in;
	unsigned bytes = type_bytes(in->type);
	if ((space != SP_PARAM && space != SP_CONST) || bytes < 4 || bytes > 8)
		return false;
	struct mo m = sm90_address(s, 0, space, 0);
	int64_t at = m.imm + (space == SP_PARAM ? SM90_PARAMS : 0);
	if (m.v != V_NONE || at < 0 || at > 0xfff0 || at % 4)
		return false;
	for (unsigned i = 0; i < in->nd; i++)
		if (inst_dst(in, i)->kind != OPND_SINK &&
		    s->m.val.v[sel_dst(s, i)].words != bytes / 4)
			return false;
	for (unsigned i = 0; i < in->nd; i++)
		for (unsigned w = 0; w < bytes / 4 && inst_dst(in, i)->kind != OPND_SINK; w++)
			sm90_mov(s, mo_word(sel_dst(s, i), w),
				 mo_const(space == SP_PARAM ? 0 : SM90_CONSTANTS,
					  (uint32_t)at + i * bytes + 4 * w))
				->fresh = !w;
	return true;
}

/* Orders later accesses after an acquiring access: the L1 is invalidated. */
static void acquire_memory(struct sel *s)
{
	const struct inst *in = s->in;
	bool takes = in->sem == SEM_ACQUIRE || in->sem == SEM_ACQ_REL || in->sem == SEM_SC;
	if (takes && in->scope != SCOPE_CTA)
		OP(s, "CCTL.IVALL", 0);
}

static void put_fence(struct sel *s, unsigned scope, bool sc)
{
	const char *who = scope == SCOPE_CTA ? "CTA" : scope == SCOPE_SYS ? "SYS" : "GPU";
	OP(s, sel_text(s, "MEMBAR.%s.%s", sc ? "SC" : "ALL", who), 0);
	if (scope != SCOPE_CTA)
		OP(s, "ERRBAR", 0);
}

static void release_memory(struct sel *s)
{
	const struct inst *in = s->in;
	if (in->sem == SEM_RELEASE || in->sem == SEM_ACQ_REL || in->sem == SEM_SC)
		put_fence(s, in->scope, in->sem == SEM_SC);
}

/* Loads a vector with one access, or two: on sm_90 the encoding of LDC.128 is an illegal
 * instruction. */
static void load_vector(struct sel *s, unsigned space)
{
	const struct inst *in = s->in;
	unsigned bytes = type_bytes(in->type), n = in->nd, all = n * bytes, words = bytes / 4;
	bool halves = all == 16 && (space == SP_CONST || space == SP_PARAM);
	unsigned each = halves ? n / 2 : n;
	uint32_t t[2];
	for (unsigned k = 0; k <= halves; k++) {
		t[k] = sel_temp(s, each * words);
		load_one(s, space, each * bytes == 16 ? T_B128 : T_B64, t[k], k * 8);
	}
	for (unsigned i = 0; i < n; i++)
		put_loaded(s, i, t[i / each], i % each * words, in->type);
}

void sm90_load(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned space = sm90_space(in), bytes = type_bytes(in->type), n = in->nd;
	if (bytes > 8 || in->mods & M_MULTIMEM) {
		sel_refuse(s, "");
		return;
	}
	if (load_words(s, space))
		return;
	if (n > 1 && bytes >= 4 && n * bytes <= 16 && (n & (n - 1)) == 0) {
		load_vector(s, space);
		acquire_memory(s);
		return;
	}
	uint32_t t[8];
	for (unsigned i = 0; i < n && i < 8; i++) {
		t[i] = sel_temp(s, bytes == 8 ? 2 : 1);
		load_one(s, space, in->type, t[i], (int64_t)i * bytes);
	}
	for (unsigned i = 0; i < n && i < 8; i++)
		put_loaded(s, i, t[i], 0, in->type);
	acquire_memory(s);
}

static void store_one(struct sel *s, unsigned space, unsigned type, struct mo v, int64_t at)
{
	unsigned bits = type_bits(type);
	const char *size = sm90_size(bits >= 32   ? type
				     : bits == 16 ? (unsigned)T_U16
						  : (unsigned)T_U8);
	struct mo m = sm90_address(s, 0, space, at);
	switch (space) {
	case SP_SHARED: OP(s, sel_text(s, "STS%s", size), 0, m, v); break;
	case SP_LOCAL: OP(s, sel_text(s, "STL%s", size), 0, m, v); break;
	case SP_CONST:
	case SP_PARAM: sel_refuse(s, "stores there"); break;
	default:
		OP(s,
		   sel_text(s, "%s.E%s%s", far_name(space, "STG", "ST"), size, order_name(s->in)),
		   0, m, v);
		break;
	}
}

void sm90_store(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned space = sm90_space(in), bytes = type_bytes(in->type), n = in->ns - 1u,
		 words = bytes / 4;
	if (bytes > 8) {
		sel_refuse(s, "");
		return;
	}
	release_memory(s);
	if (n > 1 && bytes >= 4 && n * bytes <= 16 && (n & (n - 1)) == 0) {
		uint32_t t = sel_temp(s, n * words);
		for (unsigned i = 0; i < n; i++)
			for (unsigned w = 0; w < words; w++)
				sm90_mov(s, mo_word(t, i * words + w), sm90_src(s, 1 + i, w))
					->fresh = !i && !w;
		store_one(s, space, n * bytes == 16 ? T_B128 : T_B64, mo_wide(t), 0);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		store_one(s, space, in->type,
			  bytes == 8 ? sm90_pair(s, 1 + i) : sm90_reg(s, 1 + i, 0),
			  (int64_t)i * bytes);
}

/* fence.proxy: orders ordinary accesses and copies to shared memory, global memory, or both. */
static bool fence_proxy(struct sel *s)
{
	enum { ALIAS = 1, ASYNC, ASYNC_SHARED, ASYNC_GLOBAL, MAP };
	unsigned mode = s->in->mode;
	if (mode == MAP) {
		sel_refuse(s, "fences of tensor maps");
		return true;
	}
	if (mode < ASYNC || mode > ASYNC_GLOBAL)
		return false;
	OP(s, mode == ASYNC_SHARED ? "MEMBAR.ALL.CTA" : "MEMBAR.ALL.GPU", 0);
	if (mode != ASYNC_GLOBAL)
		OP(s, "FENCE.VIEW.ASYNC.S", 0);
	if (mode != ASYNC_SHARED)
		OP(s, "FENCE.VIEW.ASYNC.G", 0);
	return true;
}

void sm90_fence(struct sel *s)
{
	const struct inst *in = s->in;
	if (fence_proxy(s))
		return;
	bool sc = in->sem != SEM_ACQ_REL && in->sem != SEM_ACQUIRE && in->sem != SEM_RELEASE;
	put_fence(s, in->scope, sc);
	if (in->scope != SCOPE_CTA)
		OP(s, "CCTL.IVALL", 0);
}

/* ---- atomics ---- */

static const char *atom_name(unsigned mode)
{
	static const char *const n[] = {
		[ATOM_AND] = "AND",   [ATOM_OR] = "OR",   [ATOM_XOR] = "XOR", [ATOM_CAS] = "CAS",
		[ATOM_EXCH] = "EXCH", [ATOM_ADD] = "ADD", [ATOM_INC] = "INC", [ATOM_DEC] = "DEC",
		[ATOM_MIN] = "MIN",   [ATOM_MAX] = "MAX"};
	return n[mode];
}

/* Type modifier of an atomic; NULL: the machine has none. */
static const char *atom_type(const struct inst *in, bool shared)
{
	bool wide = type_bits(in->type) == 64,
	     ordered = in->mode == ATOM_MIN || in->mode == ATOM_MAX,
	     bits = in->mode == ATOM_EXCH || in->mode == ATOM_CAS;
	if (in->vec > 1 || type_bits(in->type) < 32 || type_bits(in->type) > 64)
		return NULL;
	if (bits)
		return wide ? ".64" : "";
	if (type_is_float(in->type)) {
		if (shared || in->mode != ATOM_ADD)
			return NULL;
		switch (in->type) {
		case T_F32: return in->mods & M_NOFTZ ? ".F32.RN" : ".F32.FTZ.RN";
		case T_F64: return ".F64.RN";
		default: return NULL;
		}
	}
	if (wide && (shared || in->mode == ATOM_INC || in->mode == ATOM_DEC))
		return NULL;
	bool sign = ordered && type_is_signed(in->type);
	return wide ? (sign ? ".S64" : ".64") : sign ? ".S32" : "";
}

static const char *scope_name(const struct inst *in)
{
	return in->scope == SCOPE_SYS ? ".STRONG.SYS" : ".STRONG.GPU";
}

/* 128 bits: two sources of 64 bits are a value. */
static struct mo quad_of(struct sel *s, unsigned i)
{
	uint32_t t = sel_temp(s, 4);
	for (unsigned w = 0; w < 4; w++)
		sm90_mov(s, mo_word(t, w), sm90_src(s, i + w / 2, w % 2))->fresh = !w;
	return mo_wide(t);
}

static void atomic_quad(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned space = sm90_space(in);
	bool shared = space == SP_SHARED, cas = in->mode == ATOM_CAS;
	if (!cas && in->mode != ATOM_EXCH) {
		sel_refuse(s, "");
		return;
	}
	release_memory(s);
	struct mo m = sm90_address(s, 0, space, 0), x = quad_of(s, 1),
		  y = cas ? quad_of(s, 3) : ZERO;
	uint32_t t = sel_temp(s, 4);
	const char *name = shared ? "ATOMS" : space == SP_GLOBAL ? "ATOMG.E" : "ATOM.E";
	struct mo d = mo_wide(t);
	if (cas && !shared) { /* the text of CAS has no descriptor */
		m.bank = 0;
		m.wide = true;
	}
	if (shared && cas)
		OP(s, sel_text(s, "%s.CAS.128", name), 1, d, m, x, y)->keep = true;
	else if (shared)
		OP(s, sel_text(s, "%s.EXCH.128", name), 1, d, m, x)->keep = true;
	else if (cas)
		OP(s, sel_text(s, "%s.CAS.128%s", name, scope_name(in)), 2, PT, d, m, x, y)->keep =
			true;
	else
		OP(s, sel_text(s, "%s.EXCH.128%s", name, scope_name(in)), 2, PT, d, m, x)->keep =
			true;
	acquire_memory(s);
	for (unsigned w = 0; w < 4; w++)
		if (inst_dst(in, w / 2)->kind != OPND_SINK)
			sm90_mov(s, mo_word(sel_dst(s, w / 2), w % 2), mo_word(t, w))->fresh =
				!(w % 2);
}

void sm90_atomic(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned space = sm90_space(in);
	bool shared = space == SP_SHARED, wide = type_bits(in->type) == 64,
	     cas = in->mode == ATOM_CAS;
	bool reads = in->nd && inst_dst(in, 0)->kind != OPND_SINK;
	const char *type = atom_type(in, shared);
	if (type_bits(in->type) == 128) {
		atomic_quad(s);
		return;
	}
	if (!type) {
		sel_refuse(s, "");
		return;
	}
	release_memory(s);
	struct mo m = sm90_address(s, 0, space, 0), x = wide ? sm90_pair(s, 1) : sm90_reg(s, 1, 0),
		  y = !cas   ? ZERO
		      : wide ? sm90_pair(s, 2)
			     : sm90_reg(s, 2, 0);
	uint32_t t = sel_temp(s, wide ? 2 : 1);
	if (shared) {
		if (cas)
			OP(s, sel_text(s, "ATOMS.CAS%s", type), 1, mo_wide(t), m, x, y)->keep =
				true;
		else
			OP(s, sel_text(s, "ATOMS.%s%s", atom_name(in->mode), type), 1, mo_wide(t),
			   m, x)
				->keep = true;
	} else if (cas) { /* the text of CAS has no descriptor */
		m.bank = 0;
		m.wide = true;
		OP(s,
		   sel_text(s, "%s.E.CAS%s%s", far_name(space, "ATOMG", "ATOM"), type,
			    scope_name(in)),
		   2, PT, mo_wide(t), m, x, y)
			->keep = true;
	} else if (!reads && in->mode != ATOM_EXCH && space == SP_GLOBAL) {
		OP(s, sel_text(s, "REDG.E.%s%s%s", atom_name(in->mode), type, scope_name(in)), 0, m,
		   x);
	} else {
		OP(s,
		   sel_text(s, "%s.E.%s%s%s", far_name(space, "ATOMG", "ATOM"), atom_name(in->mode),
			    type, scope_name(in)),
		   2, PT, mo_wide(t), m, x)
			->keep = true;
	}
	acquire_memory(s);
	if (reads)
		sel_move(s, sel_dst(s, 0), t);
}

/* Cache policies: accesses ignore them, so the value is never read. */
void sm90_policy(struct sel *s)
{
	uint32_t d = sel_dst(s, 0);
	sm90_mov(s, mo_word(d, 0), ZERO)->fresh = true;
	sm90_mov(s, mo_word(d, 1), ZERO);
}
