/* Bitwise operations, selections, moves and predicates on sm_13, of any width. */
#include "back/select/operations.h"
#include "back/tesla/tesla.h"

static const char *logic_name(unsigned op)
{
	return op == OP_AND ? "AND" : op == OP_OR ? "OR" : "XOR";
}

void tesla_predicate_logic(struct sel *s)
{
	const struct inst *in = s->in;
	struct tpred d = t_pred_dst(s, 0);
	struct mo a = t_pred_word(s, 0);
	if (in->op == OP_MOV || in->op == OP_NOT) {
		if (in->op == OP_NOT)
			a = t_inv(a);
		if (a.kind == MO_ZERO) /* a constant */
			T(s, "ISET", 2, mo_reg(d.word), t_flag(d.flag), mo_zero(), mo_zero(),
			  mo_text(a.inv ? "EQ" : "NE"));
		else
			T(s, "LOP.PASS_B", 2, mo_reg(d.word), t_flag(d.flag), mo_zero(), a);
		return;
	}
	struct mo b = t_pred_word(s, 1);
	T(s, sel_text(s, "LOP.%s", logic_name(in->op)), 2, mo_reg(d.word), t_flag(d.flag), a, b);
}

void tesla_logic(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned n = type_bits(in->type) > 32 ? 2 : 1;
	uint32_t d = sel_dst(s, 0);
	int64_t k;
	for (unsigned w = 0; w < n; w++) {
		struct mo a = t_reg(s, 0, w);
		if (in->op == OP_NOT)
			T(s, "LOP.PASS_B", 1, mo_word(d, w), mo_zero(), t_inv(a));
		else if (sel_is_imm(s, 1, &k))
			t_logi(s, logic_name(in->op), mo_word(d, w), a,
			       (uint32_t)((uint64_t)k >> 32 * w));
		else
			T(s, sel_text(s, "LOP.%s", logic_name(in->op)), 1, mo_word(d, w), a,
			  sel_src(s, 1, w));
		s->m.code.v[s->m.code.n - 1].fresh = !w;
	}
}

struct mo t_logic2(struct sel *s, unsigned table, struct mo b, struct mo c)
{
	static const struct {
		const char *op;
		bool nb, nc;
	} row[16] = {[1] = {"LOP.AND", 1, 1},  [2] = {"LOP.AND", 1, 0}, [3] = {"LOP.AND", 1, 1},
		     [4] = {"LOP.AND", 0, 1},  [5] = {"LOP.AND", 1, 1}, [6] = {"LOP.XOR", 0, 0},
		     [7] = {"LOP.OR", 1, 1},   [8] = {"LOP.AND", 0, 0}, [9] = {"LOP.XOR", 0, 1},
		     [10] = {"LOP.AND", 0, 0}, [11] = {"LOP.OR", 1, 0}, [12] = {"LOP.AND", 0, 0},
		     [13] = {"LOP.OR", 0, 1},  [14] = {"LOP.OR", 0, 0}};
	uint32_t t = sel_temp(s, 1);
	table &= 15;
	if (table == 0)
		return mo_zero();
	if (table == 15)
		return t_num(s, 0xffffffff);
	if (table == 3 || table == 12) /* a function of b alone, of c alone */
		c = b;
	if (table == 5 || table == 10)
		b = c;
	b.inv = row[table].nb;
	c.inv = row[table].nc;
	T(s, row[table].op, 1, mo_reg(t), b, c);
	return mo_reg(t);
}

void tesla_selp(struct sel *s)
{
	unsigned n = type_bits(s->in->type) > 32 ? 2 : 1;
	struct mo a[2], b[2];
	bool neg;
	for (unsigned w = 0; w < n; w++) {
		a[w] = sel_src(s, 0, w);
		b[w] = sel_src(s, 1, w);
	}
	uint32_t flag = t_pred_flag(s, 2, &neg);
	t_choose(s, sel_dst(s, 0), a, b, n, flag, neg);
}

void tesla_slct(struct sel *s)
{
	unsigned n = type_bits(s->in->type) > 32 ? 2 : 1;
	struct tpred c = t_pred_new(s);
	struct mo a[2], b[2];
	T(s, s->in->stype == T_F32 ? "FSET" : "ISET.S32", 2, mo_reg(c.word), t_flag(c.flag),
	  t_reg(s, 2, 0), mo_zero(), mo_text("GE"));
	for (unsigned w = 0; w < n; w++) {
		a[w] = sel_src(s, 0, w);
		b[w] = sel_src(s, 1, w);
	}
	t_choose(s, sel_dst(s, 0), a, b, n, c.flag, false);
}

/* Packs parts of equal size, lowest first, into one value. */
void tesla_pack(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned part = type_bits(in->type) / in->ns, words = type_bits(in->type) > 32 ? 2 : 1;
	uint32_t t = sel_temp(s, words);
	if (part != 8 && part != 16 && part != 32) {
		sel_refuse(s, "parts of this size");
		return;
	}
	for (unsigned w = 0; w < words; w++) {
		struct mo sum = mo_zero();
		for (unsigned i = 0; i < 32 / part; i++) {
			unsigned k = w * (32 / part) + i;
			struct mo v = part == 32 ? sel_src(s, k, 0)
						 : t_ext(s, k, part == 16 ? T_U16 : T_U8);
			if (part == 32 || v.kind == MO_ZERO) {
				sum = part == 32 ? v : sum;
				continue;
			}
			uint32_t x = sel_temp(s, 1), y = sel_temp(s, 1);
			if (i) {
				t_shift(s, "SHL", mo_reg(x), v, i * part);
				v = mo_reg(x);
			}
			if (sum.kind != MO_ZERO) {
				T(s, "LOP.OR", 1, mo_reg(y), sum, v);
				v = mo_reg(y);
			}
			sum = v;
		}
		t_mov(s, mo_word(t, w), sum);
		s->m.code.v[s->m.code.n - 1].fresh = !w;
	}
	sel_move(s, sel_dst(s, 0), t);
}

void tesla_unpack(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned part = type_bits(in->type) / in->nd;
	uint32_t t[8];
	if (part != 8 && part != 16 && part != 32) {
		sel_refuse(s, "parts of this size");
		return;
	}
	for (unsigned i = 0; i < in->nd; i++) {
		unsigned at = i * part % 32, w = i * part / 32;
		t[i] = sel_temp(s, 1);
		if (inst_dst(in, i)->kind == OPND_SINK)
			continue;
		struct mo a = t_reg(s, 0, w);
		if (at)
			t_shift(s, "SHR", mo_reg(t[i]), a, at);
		else
			T(s, "MOV", 1, mo_reg(t[i]), a);
	}
	for (unsigned i = 0; i < in->nd; i++)
		if (inst_dst(in, i)->kind != OPND_SINK)
			T(s, "MOV", 1, mo_reg(sel_dst(s, i)), mo_reg(t[i]));
}

void tesla_move(struct sel *s)
{
	uint32_t d = sel_dst(s, 0);
	int64_t k;
	if (inst_src(s->in, 0)->kind == OPND_FUNC) {
		sel_refuse(s, "the address of a function");
		return;
	}
	for (unsigned w = 0; w < s->m.val.v[d].words; w++) {
		if (sel_is_imm(s, 0, &k))
			t_set(s, mo_word(d, w), (uint32_t)((uint64_t)k >> 32 * w));
		else
			t_mov(s, mo_word(d, w), sel_src(s, 0, w));
		s->m.code.v[s->m.code.n - 1].fresh = !w;
	}
}
