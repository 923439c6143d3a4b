/* Loads and stores. Shared and local memory and constants are indexed by address registers, global
 * memory by a register alone; parameters are in shared memory. A generic access whose space is not
 * known goes all three ways, each under a flag. */
#include <string.h>
#include "back/select/operations.h"
#include "back/tesla/tesla.h"

/* ---- address registers, reused within a block ---- */

enum { HELD = 4 };

void t_address_forget(struct sel *s)
{
	for (unsigned i = 0; i < HELD; i++)
		s->addr_base[i] = V_NONE;
}

void t_address_written(struct sel *s, uint32_t v)
{
	for (unsigned i = 0; i < HELD; i++)
		if (s->addr_base[i] == v)
			s->addr_base[i] = V_NONE;
}

uint32_t t_address(struct sel *s, struct mo r)
{
	unsigned oldest = 0;
	for (unsigned i = 0; i < HELD; i++) {
		if (r.kind == MO_REG && s->addr_base[i] == r.v && !r.word) {
			s->addr_age[i] = ++s->addr_clock;
			return s->addr_value[i];
		}
		if (s->addr_base[i] == V_NONE || s->addr_age[i] < s->addr_age[oldest])
			oldest = i;
		if (s->addr_base[i] == V_NONE)
			s->addr_age[i] = 0;
	}
	uint32_t a = sel_temp(s, 0);
	s->m.val.v[a].address = true;
	T(s, "R2A", 1, mo_reg(a), r);
	s->addr_base[oldest] = r.kind == MO_REG && !r.word ? r.v : V_NONE;
	s->addr_value[oldest] = a;
	s->addr_age[oldest] = ++s->addr_clock;
	return a;
}

/* ---- addresses ---- */

static struct mo indexed_operand(unsigned kind, uint32_t a, int64_t off, unsigned bytes)
{
	return (struct mo){.kind = (uint8_t)kind, .v = a, .imm = off, .bank = (uint8_t)bytes};
}

/* The constant part of source 0's address in a space other than global. */
static int64_t offset_of(struct sel *s, int64_t more)
{
	const struct opnd *o = inst_src(s->in, 0);
	const struct var *v = o->sym;
	int64_t off = o->imm + more;
	v = v && v->def ? v->def : v;
	if (!v)
		return off;
	switch (v->space) {
	case SP_SHARED: return off + layout_shared(s->lay, s->f, v);
	case SP_CONST: return off + layout_const(s->lay, v);
	case SP_PARAM:
	case SP_LOCAL:
	case SP_FRAME: return off + (int64_t)v->addr;
	default: sel_refuse(s, "this address"); return off;
	}
}

/* [address register + offset], the offset in units of `bytes` and below 16 bits. */
static struct mo near_operand(struct sel *s, unsigned kind, unsigned bytes, int64_t base,
			      int64_t more)
{
	const struct opnd *o = inst_src(s->in, 0);
	int64_t off = base + offset_of(s, more);
	if (o->reg == NO_REG || o->sym) {
		if (off < 0 || off > 0xffff)
			sel_refuse(s, "this address");
		if (off % bytes) { /* the address will fault unchanged */
			return indexed_operand(kind, t_address(s, t_num(s, (uint32_t)off)), 0,
					       bytes);
		}
		return indexed_operand(kind, V_NONE, off, bytes);
	}
	struct mo r = mo_word(s->value[o->reg], 0);
	if (off < 0 || off % bytes || off > 0x7fff) {
		uint32_t t = sel_temp(s, 1);
		t_addi(s, mo_reg(t), r, (uint32_t)off);
		r = mo_reg(t);
		off = 0;
	}
	return indexed_operand(kind, t_address(s, r), off, bytes);
}

struct mo t_shared(struct sel *s, unsigned bytes, int64_t more)
{
	return near_operand(s, MO_SHARED, bytes, 0, more);
}

/* A global address in a register. */
static struct mo far_address(struct sel *s, int64_t more)
{
	const struct opnd *o = inst_src(s->in, 0);
	int64_t off = o->imm + more;
	uint32_t t = sel_temp(s, 1);
	if (o->sym) {
		struct opnd v = {.kind = OPND_SYM, .sym = o->sym, .imm = off};
		struct inst in = {.op = OP_MOV,
				  .ns = 1,
				  .opnd = &v,
				  .guard = NO_REG,
				  .line = s->in->line,
				  .col = s->in->col,
				  .text = s->in->text};
		const struct inst *was = s->in;
		s->in = &in;
		struct mo r = t_reg(s, 0, 0);
		s->in = was;
		return r;
	}
	if (o->reg == NO_REG)
		return t_num(s, (uint32_t)off);
	struct mo r = mo_word(s->value[o->reg], 0);
	if (!off)
		return r;
	t_addi(s, mo_reg(t), r, (uint32_t)off);
	return mo_reg(t);
}

/* ---- one access ---- */

static const char *global_name(unsigned type)
{
	switch (type_bits(type)) {
	case 8: return type_is_signed(type) ? "S8" : "U8";
	case 16: return type_is_signed(type) ? "S16" : "U16";
	case 64: return "S64";
	case 128: return "S128";
	default: return "U32";
	}
}

static struct mo is_whole(const struct sel *s, uint32_t v)
{
	return s->m.val.v[v].words > 1 ? mo_wide(v) : mo_reg(v);
}

/* Loads a shared, constant or parameter word, half or byte. */
static void load_near(struct sel *s, unsigned space, unsigned type, struct mo d, int64_t at)
{
	unsigned bytes = type_bytes(type) > 4 ? 4 : type_bytes(type);
	uint32_t raw = d.v;
	bool extend = type_bits(type) < 32 && type_is_signed(type);
	if (extend)
		raw = sel_temp(s, 1);
	struct mo to = extend ? mo_reg(raw) : d;
	if (space == SP_CONST) {
		struct mo m = near_operand(s, MO_CONST, bytes, 0, at);
		m.half = (uint8_t)bytes;
		m.bank = 0;
		T(s, "MVC", 1, to, m);
	} else {
		struct mo m =
			near_operand(s, MO_SHARED, bytes, space == SP_PARAM ? PARAM_AT : 0, at);
		if (space == SP_PARAM && bytes == 4 && m.v == V_NONE && m.imm / 4 < SHARED_OPERANDS)
			T(s, "MOV", 1, to, m);
		else
			T(s, "G2R.U32", 1, to, m);
	}
	if (extend)
		T(s, bytes == 1 ? "I2I.S32.S8" : "I2I.S32.S16", 1, d,
		  bytes == 1 ? mo_reg(raw) : t_lo(mo_reg(raw)));
}

static void load_space(struct sel *s, unsigned space, unsigned type, uint32_t to, int64_t at)
{
	unsigned words = s->m.val.v[to].words;
	switch (space) {
	case SP_SHARED:
	case SP_CONST:
	case SP_PARAM:
		for (unsigned w = 0; w < words; w++) {
			load_near(s, space, words > 1 ? T_B32 : type, mo_word(to, w), at + 4 * w);
			s->m.code.v[s->m.code.n - 1].fresh = !w;
		}
		break;
	case SP_LOCAL:
		T(s, sel_text(s, "LLD.%s", global_name(type)), 1, is_whole(s, to),
		  near_operand(s, MO_LOCAL, 1, 0, at));
		break;
	default:
		T(s, sel_text(s, "GLD.%s", global_name(type)), 1, is_whole(s, to),
		  (struct mo){.kind = MO_GLOBAL, .v = far_address(s, at).v});
	}
	if (s->in->mods & M_VOLATILE)
		s->m.code.v[s->m.code.n - 1].keep = true;
}

static void store_space(struct sel *s, unsigned space, unsigned type, struct mo v, int64_t at)
{
	unsigned bytes = type_bytes(type), words = bytes > 4 ? bytes / 4 : 1;
	if (v.kind == MO_ZERO && space != SP_SHARED)
		v = mo_zero();
	switch (space) {
	case SP_SHARED:
		for (unsigned w = 0; w < words; w++) {
			struct mo x = v.kind == MO_REG ? mo_word(v.v, v.wide ? w : v.word) : v;
			T(s,
			  bytes == 1   ? "R2G.U32.U8"
			  : bytes == 2 ? "R2G.U32.U16"
				       : "R2G.U32.U32",
			  0, near_operand(s, MO_SHARED, bytes < 4 ? bytes : 4, 0, at + 4 * w), x);
		}
		break;
	case SP_LOCAL:
		T(s, sel_text(s, "LST.%s", global_name(type)), 0,
		  near_operand(s, MO_LOCAL, 1, 0, at), v);
		break;
	case SP_CONST:
	case SP_PARAM: sel_refuse(s, "stores there"); break;
	default: {
		struct mo a = far_address(s, at);
		T(s, sel_text(s, "GST.%s", global_name(type)), 0,
		  (struct mo){.kind = MO_GLOBAL, .v = a.v, .word = a.word}, v);
	}
	}
}

/* ---- generic accesses ---- */

static unsigned space_at(struct sel *s)
{
	unsigned sp = sel_space(s->in);
	const struct opnd *o = inst_src(s->in, 0);
	if (sp != SP_GENERIC && sp != SP_NONE)
		return sp;
	if (o->sym) {
		const struct var *v = o->sym;
		return (v->def ? v->def : v)->space;
	}
	if (o->reg == NO_REG)
		return SP_GLOBAL;
	unsigned known = s->space[o->reg];
	return known == SP_NONE && !s->mixed ? SP_GLOBAL : known == SP_NONE ? SP_GENERIC : known;
}

/* Tests an address: flags for shared, local and global memory, under the instruction's guard. */
static void find_ways(struct sel *s, struct mo addr, uint32_t flag[3])
{
	static const struct {
		uint32_t window;
		const char *cmp;
	} test[3] = {{WINDOW_SHARED, "EQ"}, {WINDOW_LOCAL, "EQ"}, {WINDOW_LOCAL, "GT"}};
	uint32_t top = sel_temp(s, 1);
	t_logi(s, "AND", mo_reg(top), addr, 0xff000000);
	for (unsigned i = 0; i < 3; i++) {
		struct tpred p = t_pred_new(s);
		T(s, "ISET", 2, mo_reg(p.word), t_flag(p.flag), mo_reg(top),
		  t_lit(s, test[i].window), mo_text(test[i].cmp));
		flag[i] = p.flag;
		if (s->in->guard == NO_REG)
			continue;
		struct tpred q = t_pred_new(s);
		struct mo g = mo_reg(s->truth[s->in->guard]);
		g.inv = s->in->guard_neg;
		T(s, "LOP.AND", 2, mo_reg(q.word), t_flag(q.flag), mo_reg(p.word), g);
		flag[i] = q.flag;
	}
}

static const unsigned way[3] = {SP_SHARED, SP_LOCAL, SP_GLOBAL};

/* Puts the instructions selected since `from` under the flag, except those that write only
 * temporaries. */
static void put_under(struct sel *s, size_t from, uint32_t flag, uint32_t to)
{
	for (size_t i = from; i < s->m.code.n; i++) {
		struct mi *in = &s->m.code.v[i];
		bool result = in->nd && mo_value(&in->o[0]) == to;
		if (!in->nd || result) {
			in->guard = flag;
			in->guard_neg = false;
			in->fresh = false;
		}
	}
}

static void load_any(struct sel *s, unsigned type, uint32_t to, int64_t at)
{
	uint32_t flag[3], t = t_value(s, s->m.val.v[to].words);
	find_ways(s, far_address(s, at), flag);
	/* defines all words here, so that the value begins here */
	for (unsigned w = 0; w < s->m.val.v[t].words; w++) {
		struct mi *in = T(s, "MOV", 1, mo_word(t, w), mo_zero());
		in->fresh = !w;
		in->guard = V_TRUE;
	}
	for (unsigned i = 0; i < 3; i++) {
		size_t from = s->m.code.n;
		load_space(s, way[i], type, t, at);
		put_under(s, from, flag[i], t);
	}
	sel_move(s, to, t);
}

static void load_one(struct sel *s, unsigned type, uint32_t to, int64_t at)
{
	unsigned space = space_at(s);
	if (space == SP_GENERIC)
		load_any(s, type, to, at);
	else
		load_space(s, space, type, to, at);
}

static void store_one(struct sel *s, unsigned type, struct mo v, int64_t at)
{
	unsigned space = space_at(s);
	uint32_t flag[3];
	if (space != SP_GENERIC) {
		store_space(s, space, type, v, at);
		return;
	}
	find_ways(s, far_address(s, at), flag);
	for (unsigned i = 0; i < 3; i++) {
		size_t from = s->m.code.n;
		store_space(s, way[i], type, v, at);
		put_under(s, from, flag[i], V_NONE);
	}
}

/* ---- loads and stores ---- */

static bool one_access(unsigned n, unsigned bytes)
{
	return n > 1 && bytes >= 4 && n * bytes <= 16 && (n & (n - 1)) == 0;
}

void tesla_load(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned bytes = type_bytes(in->type), n = in->nd, words = bytes / 4;
	if (bytes > 8) {
		sel_refuse(s, "");
		return;
	}
	if (one_access(n, bytes)) {
		uint32_t t = sel_temp(s, n * words);
		load_one(s, n * bytes == 16 ? T_B128 : T_B64, t, 0);
		for (unsigned i = 0; i < n; i++) {
			if (inst_dst(in, i)->kind == OPND_SINK)
				continue;
			uint32_t d = sel_dst(s, i);
			for (unsigned w = 0; w < s->m.val.v[d].words; w++)
				if (w >= words && type_is_signed(in->type))
					t_shift(s, "SHR.S32", mo_word(d, w), mo_word(t, i * words),
						31);
				else
					T(s, "MOV", 1, mo_word(d, w),
					  w < words ? mo_word(t, i * words + w) : mo_zero())
						->fresh = !w;
		}
		return;
	}
	uint32_t t[8];
	for (unsigned i = 0; i < n && i < 8; i++) {
		t[i] = sel_temp(s, bytes == 8 ? 2 : 1);
		load_one(s, in->type, t[i], (int64_t)i * bytes);
	}
	for (unsigned i = 0; i < n && i < 8; i++)
		sel_put_loaded(s, i, t[i], in->type);
}

void tesla_store(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned bytes = type_bytes(in->type), n = in->ns - 1u, words = bytes / 4;
	if (bytes > 8) {
		sel_refuse(s, "");
		return;
	}
	if (one_access(n, bytes)) {
		uint32_t t = sel_temp(s, n * words);
		for (unsigned i = 0; i < n; i++)
			for (unsigned w = 0; w < words; w++) {
				t_mov(s, mo_word(t, i * words + w), sel_src(s, 1 + i, w));
				s->m.code.v[s->m.code.n - 1].fresh = !i && !w;
			}
		store_one(s, n * bytes == 16 ? T_B128 : T_B64, mo_wide(t), 0);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		store_one(s, in->type, bytes == 8 ? t_pair(s, 1 + i) : t_reg(s, 1 + i, 0),
			  (int64_t)i * bytes);
}
