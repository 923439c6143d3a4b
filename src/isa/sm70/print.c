/* Prints instructions as nvdisasm does, and the full style with control bits. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "isa/sm70/number.h"
#include "isa/sm70/table.h"

struct out {
	char *p;
	size_t n, len;
};

static void put_text(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put_text(struct out *o, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	size_t room = o->len < o->n ? o->n - o->len : 0;
	int k = vsnprintf(room ? o->p + o->len : NULL, room, fmt, ap);
	va_end(ap);
	o->len += k > 0 ? (size_t)k : 0;
}

static void put_gpr(struct out *o, unsigned r)
{
	if (r == SM70_RZ)
		put_text(o, "RZ");
	else
		put_text(o, "R%u", r);
}

static void put_ureg(struct out *o, unsigned r)
{
	if (r == SM70_URZ)
		put_text(o, "URZ");
	else
		put_text(o, "UR%u", r);
}

static void put_predicate(struct out *o, bool uniform, unsigned r)
{
	put_text(o, r == SM70_PT ? "%sPT" : "%sP%u", uniform ? "U" : "", r);
}

static void put_signed(struct out *o, int64_t v)
{
	put_text(o, v < 0 ? "-0x%" PRIx64 : "0x%" PRIx64, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void put_immediate(struct out *o, const struct sm70_operand *x)
{
	char a[48], b[48];
	uint32_t v = (uint32_t)x->imm;
	switch (x->type) {
	case SM70_I_SHEX:
		put_signed(o, (int64_t)x->imm == (int64_t)v ? (int32_t)v : (int64_t)x->imm);
		break;
	case SM70_I_F32: put_text(o, "%s", sm70_float_text(v, a)); break;
	case SM70_I_F64: put_text(o, "%s", sm70_double_text(x->imm, a)); break;
	case SM70_I_F16X2:
		put_text(o, "%s, %s", sm70_half_text(v >> 16, a), sm70_half_text(v & 0xffff, b));
		break;
	case SM70_I_BF16X2:
		put_text(o, "%s, %s", sm70_bf16_text(v >> 16, a), sm70_bf16_text(v & 0xffff, b));
		break;
	case SM70_I_F16: put_text(o, "%s", sm70_half_text(v & 0xffff, a)); break;
	case SM70_I_BF16: put_text(o, "%s", sm70_bf16_text(v & 0xffff, a)); break;
	default: put_text(o, "0x%" PRIx64, x->imm);
	}
}

static void put_address(struct out *o, const struct sm70_inst *in, const struct sm70_operand *x)
{
	unsigned sm = in->sm;
	bool named = sm >= 90 || (sm >= 80 && in->word[1] >> 37 & 1);
	const char *plus = "";
	if (x->desc != SM70_NOREG && named) {
		put_text(o, "desc[");
		put_ureg(o, x->desc);
		put_text(o, "]");
	}
	if (x->reg == SM70_NOREG && x->ureg == SM70_NOREG && x->desc != SM70_NOREG)
		return;
	put_text(o, "[");
	bool wide = x->scale == SM70_W_U32 || x->scale == SM70_W__64;
	bool shown = wide ? sm >= 90 : x->scale && x->ureg != SM70_NOREG;
	bool zero = x->reg == SM70_RZ && !shown && x->desc == SM70_NOREG;
	if (x->reg != SM70_NOREG && !(zero && (x->ureg != SM70_NOREG || x->off))) {
		put_gpr(o, x->reg);
		if (x->scale && (shown || x->reg != SM70_RZ))
			put_text(o, ".%s", sm70_word_text(x->scale));
		plus = "+";
	}
	if (x->ureg != SM70_NOREG) {
		put_text(o, "%s", plus);
		put_ureg(o, x->ureg);
		plus = "+";
	}
	if (x->off || !*plus) {
		put_text(o, "%s", plus);
		put_signed(o, x->off);
	}
	put_text(o, "]");
}

static void put_constant(struct out *o, const struct sm70_operand *x)
{
	if (x->desc != SM70_NOREG) {
		put_text(o, "cx[");
		put_ureg(o, x->desc);
		put_text(o, "][");
	} else {
		put_text(o, "c[0x%x][", x->bank);
	}
	bool zero = x->reg == SM70_RZ && x->off;
	bool wraps = x->reg == SM70_NOREG && x->ureg == SM70_NOREG && x->desc == SM70_NOREG &&
		     x->off >> 15 == 1;
	if (x->reg != SM70_NOREG && !zero) {
		put_gpr(o, x->reg);
		if (x->off)
			put_text(o, "+");
	}
	if (x->ureg != SM70_NOREG && !(x->ureg == SM70_URZ && x->off)) {
		put_ureg(o, x->ureg);
		if (x->off)
			put_text(o, "+");
	}
	if (x->off || (x->reg == SM70_NOREG && x->ureg == SM70_NOREG))
		put_signed(o, wraps ? x->off - 65536 : x->off);
	put_text(o, "]");
}

static const char *const barriers[] = {
	[SM70_B_THREAD_STATE] = "THREAD_STATE_ENUM.0",
	"THREAD_STATE_ENUM.1",
	"THREAD_STATE_ENUM.2",
	"THREAD_STATE_ENUM.3",
	"THREAD_STATE_ENUM.4",
	[SM70_B_TRAP_LO] = "TRAP_RETURN_PC.LO",
	"TRAP_RETURN_PC.HI",
	"MEXITED",
	"MKILL",
	"MACTIVE",
	"MATEXIT",
	"OPT_STACK",
	"API_CALL_DEPTH",
	"ATEXIT_PC.LO",
	"ATEXIT_PC.HI",
};

const char *sm70_barrier_name(unsigned n)
{
	return n < sizeof barriers / sizeof *barriers ? barriers[n] : NULL;
}

static void put_set(struct out *o, unsigned mask)
{
	const char *sep = "";
	put_text(o, "{");
	for (int i = 5; i >= 0; i--)
		if (mask >> i & 1) {
			put_text(o, "%s%d", sep, i);
			sep = ",";
		}
	put_text(o, "}");
}

static void put_part(struct out *o, const struct sm70_inst *in, const struct sm70_item *it,
		     const struct sm70_operand *x)
{
	if (x->part == W_MISSING) {
		u128 w = (u128)in->word[1] << 64 | in->word[0];
		struct sm70_field f =
			sm70_part_field(it, flex_of(it->it, (unsigned)bits128(w, 9, 3)));
		bool question = sm70_table()->list[it->list].question;
		put_text(o, question ? ".???%u" : ".INVALID%u", (unsigned)field_get(&f, w));
	} else if (x->part) {
		put_text(o, ".%s", sm70_word_text(x->part));
	}
}

static void put_register(struct out *o, const struct sm70_inst *in, const struct sm70_item *it,
			 const struct sm70_operand *x)
{
	put_text(o, "%s%s", x->inv ? "~" : x->neg ? "-" : "", x->abs ? "|" : "");
	if (x->kind == SM70_K_GPR)
		put_gpr(o, x->reg);
	else if (x->kind == SM70_K_UGPR)
		put_ureg(o, x->reg);
	else
		put_constant(o, x);
	bool inside = x->abs && x->kind != SM70_K_GPR;
	if (inside)
		put_part(o, in, it, x);
	put_text(o, "%s%s", x->abs ? "|" : "", x->reuse ? ".reuse" : "");
	if (!inside)
		put_part(o, in, it, x);
}

static void put_operand(struct out *o, const struct sm70_inst *in, const struct sm70_item *it,
			const struct sm70_operand *x)
{
	char name[40];
	switch (x->kind) {
	case SM70_K_GPR:
	case SM70_K_UGPR:
	case SM70_K_CONST: put_register(o, in, it, x); return;
	case SM70_K_PRED:
	case SM70_K_UPRED:
		put_text(o, "%s", x->neg ? "!" : "");
		put_predicate(o, x->kind == SM70_K_UPRED, x->reg);
		break;
	case SM70_K_PR: put_text(o, "%s", x->reg ? "UPR" : "PR"); break;
	case SM70_K_IMM: put_immediate(o, x); return;
	case SM70_K_MEM: put_address(o, in, x); break;
	case SM70_K_SREG: put_text(o, "%s", sm70_sreg_name(in->sm, x->reg, name)); break;
	case SM70_K_BARRIER:
		if (sm70_barrier_name(x->reg))
			put_text(o, "%s", sm70_barrier_name(x->reg));
		else
			put_text(o, "B%u", x->reg);
		break;
	case SM70_K_TARGET:
	case SM70_K_OFFSET: put_signed(o, (int64_t)x->imm); break;
	case SM70_K_GDESC:
		put_text(o, "gdesc[");
		put_ureg(o, x->reg);
		put_text(o, "]");
		break;
	case SM70_K_SB: put_text(o, "%s%u", it->flags & IF_UNIFORM ? "gsb" : "SB", x->reg); break;
	case SM70_K_SBSET: put_set(o, (unsigned)x->imm); break;
	case SM70_K_RPC: put_text(o, "Rpc.%s", x->reg ? "HI" : "LO"); break;
	case SM70_K_WORD:
		if (x->part == W_MISSING)
			put_text(o, "INVALID%u",
				 (unsigned)field_get(&it->part,
						     (u128)in->word[1] << 64 | in->word[0]));
		else
			put_text(o, "%s", sm70_word_text(x->part));
		return;
	default: break;
	}
	put_part(o, in, it, x);
}

static void put_modifier(struct out *o, const struct sm70_inst *in, const struct sm70_item *it)
{
	u128 w = (u128)in->word[1] << 64 | in->word[0];
	unsigned code = (unsigned)field_get(&it->f, w);
	const struct sm70_list *l = &sm70_table()->list[it->list];
	unsigned word = code < l->n ? l->word[code] : (unsigned)W_MISSING;
	if (word == W_MISSING)
		put_text(o, l->question ? ".???%u" : ".INVALID%u", code);
	else if (word)
		put_text(o, ".%s", sm70_word_text(word));
}

static void put_plain(struct out *o, const struct sm70_inst *in)
{
	const struct sm70_form *f = in->form;
	if (in->guard != SM70_PT || in->guard_neg) {
		put_text(o, "@%s", in->guard_neg ? "!" : "");
		put_predicate(o, in->guard_uniform, in->guard);
		put_text(o, " ");
	}
	put_text(o, "%s", sm70_op_name(in->op));
	for (unsigned i = 0; i < f->nitem; i++)
		if (f->item[i].it == IT_MOD && sm70_item_holds(&f->item[i], in->mod, in->sm))
			put_modifier(o, in, &f->item[i]);
	bool any = false;
	for (unsigned i = 0, k = 0; i < f->nitem && k < in->nop; i++) {
		if (f->item[i].it < IT_B)
			continue;
		const struct sm70_operand *x = &in->o[k++];
		if (x->hidden)
			continue;
		put_text(o, "%s", !any || f->item[i].flags & IF_BLANK ? " " : ", ");
		put_operand(o, in, &f->item[i], x);
		any = true;
	}
}

/* Prints [B01----:R0:W2:Y:S04]: counters to wait for, counter of the reads, counter of the write,
 * yield, stall. */
static void put_control(struct out *o, const struct sm70_control *c)
{
	put_text(o, "[B");
	for (unsigned i = 0; i < 6; i++)
		put_text(o, c->wait >> i & 1 ? "%u" : "-", i);
	put_text(o, c->read == 7 ? ":R-" : ":R%u", c->read);
	put_text(o, c->write == 7 ? ":W-" : ":W%u", c->write);
	put_text(o, ":%c:S%02u] ", c->yield ? 'Y' : '-', c->stall);
}

size_t sm70_print(const struct sm70_inst *in, enum sm70_style style, char *buf, size_t n)
{
	struct out o = {buf, n, 0};
	if (n)
		*buf = 0;
	if (!in->form)
		return 0;
	if (style == SM70_FULL)
		put_control(&o, &in->control);
	put_plain(&o, in);
	if (style == SM70_FULL) {
		uint64_t rest[2];
		if (!sm70_unshown(in, rest))
			put_text(&o, " {=0x%" PRIx64 "%016" PRIx64 "}", in->word[1], in->word[0]);
		else if (rest[1])
			put_text(&o, " {0x%" PRIx64 "%016" PRIx64 "}", rest[1], rest[0]);
		else if (rest[0])
			put_text(&o, " {0x%" PRIx64 "}", rest[0]);
	}
	return o.len < n ? o.len : n ? n - 1 : 0;
}
