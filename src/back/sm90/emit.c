/* The view that the passes have of sm_90: its registers, how values are spilled, and its code as
 * text. */
#include <stdarg.h>
#include <string.h>
#include "back/sm90/sm90.h"

struct text {
	char *p, *end;
};

static void put_text(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put_text(struct text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(t->p, (size_t)(t->end - t->p), fmt, ap);
	va_end(ap);
	t->p = n < t->end - t->p ? t->p + n : t->end - 1;
}

static void put_offset(struct text *t, int64_t off, bool alone)
{
	if (alone && off >= 0)
		put_text(t, "0x%llx", (unsigned long long)off);
	else if (alone)
		put_text(t, "-0x%llx", (unsigned long long)-off);
	else if (off)
		put_text(t, off < 0 ? "+-0x%llx" : "+0x%llx",
			 (unsigned long long)(off < 0 ? -off : off));
}

static unsigned register_of(const struct mfunc *m, uint32_t v, unsigned word)
{
	return m->val.v[v].color + word;
}

static void put_memory(struct text *t, const struct mfunc *m, const struct mi *in,
		       const struct mo *o)
{
	bool local = mi_is(in, "LDL") || mi_is(in, "STL"),
	     none = o->v == V_NONE && !local && !o->imm,
	     pair = o->bank || mi_is(in, "STAS") || mi_is(in, "REDAS");
	put_text(t, !o->bank ? "[" : m->calls ? "desc[UR36][" : "desc[UR4][");
	if (o->v != V_NONE)
		put_text(t, "R%u%s", register_of(m, o->v, o->word), pair ? ".64" : "");
	else if (local)
		put_text(t, "R1");
	else if (none)
		put_text(t, "RZ");
	if (mi_is(in, "SYNCS"))
		put_text(t, "+URZ");
	if (!none)
		put_offset(t, o->imm, o->v == V_NONE && !local);
	put_text(t, "]");
}

static void put_constant(struct text *t, const struct mfunc *m, const struct mi *in,
			 const struct mo *o)
{
	put_text(t, "c[0x%x][", o->bank);
	if (o->v != V_NONE)
		put_text(t, "R%u", register_of(m, o->v, o->word));
	else if (!o->imm && mi_is(in, "LDC"))
		put_text(t, "RZ");
	if (o->v != V_NONE || o->imm || !mi_is(in, "LDC"))
		put_offset(t, o->imm, o->v == V_NONE);
	put_text(t, "]");
}

/* True if the assembler would read the number as a float: the text then has 0, and the bits follow
 * the instruction. */
static bool is_float_number(const struct mi *in)
{
	static const char *const name[] = {"FADD",   "FMUL",  "FFMA",  "FSETP", "FSEL",
					   "FMNMX",  "FSET",  "HADD2", "HMUL2", "HFMA2",
					   "HSETP2", "HSET2", "HMNMX2"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (mi_is(in, name[i]))
			return true;
	return false;
}

static bool is_signed_number(const struct mi *in)
{
	return mi_is(in, "IADD3") || mi_is(in, "IMAD") || mi_is(in, "ISETP") ||
	       mi_is(in, "VIMNMX") || mi_is(in, "VIADDMNMX");
}

static void put_number(struct text *t, const struct mi *in, const struct mo *o, uint32_t *bits)
{
	uint32_t w = (uint32_t)o->imm;
	if (is_float_number(in)) {
		*bits = w;
		put_text(t, in->name[0] == 'H' ? "0, 0" : "0");
	} else if (is_signed_number(in) && w >> 31) {
		put_text(t, "-0x%x", 0u - w);
	} else {
		put_text(t, "0x%x", w);
	}
}

/* True for products whose text names the matrix stored by rows. */
static bool has_order(const struct mi *in) { return mi_is(in, "IMMA") || mi_is(in, "BMMA"); }

static void put_operand(struct text *t, const struct mfunc *m, const struct mi *in,
			const struct mo *o, const uint32_t *labels, uint32_t *bits)
{
	static const char *const half[] = {"", ".H0_H0", ".H1_H1", ".H1"}, *const order[] = {
										   "", ".ROW",
										   ".COL"};
	if (o->kind == MO_PRED) {
		put_text(t, o->neg ? "!" : "");
		if (o->v == V_TRUE)
			put_text(t, "PT");
		else
			put_text(t, "P%u", m->val.v[o->v].color);
		return;
	}
	put_text(t, "%s%s%s", o->neg ? "-" : "", o->inv ? "~" : "", o->abs ? "|" : "");
	switch (o->kind) {
	case MO_REG:
		put_text(t, "R%u%s%s", register_of(m, o->v, o->wide ? 0 : o->word),
			 o->abs ? "|" : "", has_order(in) ? order[o->half % 3] : half[o->half % 4]);
		return;
	case MO_ZERO: put_text(t, "RZ%s", has_order(in) ? order[o->half % 3] : ""); break;
	case MO_IMM: put_number(t, in, o, bits); break;
	case MO_TEXT: put_text(t, "%s", o->text); break;
	case MO_LABEL: put_text(t, "0x%x", labels ? labels[o->imm] : (unsigned)o->imm); break;
	case MO_CONST: put_constant(t, m, in, o); break;
	case MO_MEM: put_memory(t, m, in, o); break;
	default: break;
	}
	put_text(t, "%s", o->abs ? "|" : "");
}

void sm90_text(const struct mfunc *m, const struct mi *in, const uint32_t *labels, char *buf,
	       size_t n)
{
	struct text t = {buf, buf + n};
	uint32_t bits = 0;
	if (in->guard != V_TRUE)
		put_text(&t, "@%sP%u ", in->guard_neg ? "!" : "", m->val.v[in->guard].color);
	put_text(&t, "%s", in->name);
	/* of a call's operands only the function's address is part of the instruction */
	unsigned from = mi_is(in, "CALL") ? in->nd : 0, to = mi_is(in, "CALL") ? from + 1u : in->n;
	for (unsigned i = from; i < to; i++) {
		put_text(&t, i > from ? ", " : " ");
		put_operand(&t, m, in, &in->o[i], labels, &bits);
	}
	if (bits)
		put_text(&t, " {0x%08x00000000}", bits);
}

static void print(const struct mfunc *m, const struct mi *in, FILE *f)
{
	char text[SM90_TEXT];
	if (!in->name) {
		fprintf(f, "L%u:\n", in->label);
		return;
	}
	sm90_text(m, in, NULL, text, sizeof text);
	fprintf(f, "\t%s;\n", text);
}

static struct mi spill(const struct mfunc *m, uint32_t piece, uint32_t reg, uint32_t at, bool store)
{
	static const char *const name[2][3] = {{"LDL", "LDL.64", "LDL.128"},
					       {"STL", "STL.64", "STL.128"}};
	unsigned words = m->val.v[piece].words;
	struct mo slot = {.kind = MO_MEM, .v = V_NONE, .imm = at}, v = mo_wide(piece);
	struct mi in = {.guard = V_TRUE, .nd = !store, .n = 2};
	if (words) {
		in.name = name[store][words == 4 ? 2 : words - 1];
		in.o[0] = store ? slot : v;
		in.o[1] = store ? v : slot;
		return in;
	}
	if (store) /* 0: true */
		return (struct mi){.name = "SEL",
				   .guard = V_TRUE,
				   .nd = 1,
				   .n = 4,
				   .o = {mo_reg(reg), ZERO, mo_imm(1), mo_pred(piece)}};
	return (struct mi){.name = "ISETP.EQ.AND",
			   .guard = V_TRUE,
			   .nd = 2,
			   .n = 5,
			   .o = {mo_pred(piece), PT, mo_reg(reg), ZERO, PT}};
}

const struct mtarget target_sm90 = {.name = "sm_90",
				    .sm = 90,
				    .registers = 253,
				    .extra = 2,
				    .predicates = 7,
				    .reserved = 1 + 1, /* R1, the stack */
				    .file = 65536,
				    .warps = 64,
				    .blocks = 32,
				    .unit = 256,
				    .by_warp = true,
				    .spill = spill,
				    .print = print};
