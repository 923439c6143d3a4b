/* The view that the passes have of sm_20: its registers, how values are spilled, and its code as
 * text. */
#include <string.h>
#include "back/mir/mir.h"

static void put_number(int64_t v, FILE *f)
{
	fprintf(f, v < 0 ? "-0x%llx" : "0x%llx", (unsigned long long)(v < 0 ? -v : v));
}

static void put_value(const struct mfunc *m, uint32_t v, unsigned word, FILE *f)
{
	fprintf(f, "R%u", m->val.v[v].color + word);
}

static void put_operand(const struct mfunc *m, const struct mo *o, bool cc, FILE *f)
{
	static const char *const part[] = {"", ".B1", ".B2", ".B3",
					   ".H1"}; /* parts in video instructions */
	if (o->kind == MO_PRED) {
		fputs(o->neg ? "!" : "", f);
		if (o->v == V_TRUE)
			fputs("pt", f);
		else
			fprintf(f, "P%u", m->val.v[o->v].color);
		return;
	}
	fprintf(f, "%s%s%s", o->neg ? "-" : "", o->inv ? "~" : "", o->abs ? "|" : "");
	switch (o->kind) {
	case MO_REG:
		put_value(m, o->v, o->word, f);
		fputs(part[o->half], f);
		break;
	case MO_ZERO: fputs("RZ", f); break;
	case MO_IMM: put_number(o->imm, f); break;
	case MO_TEXT: fputs(o->text, f); break;
	case MO_LABEL: fprintf(f, "L%llu", (unsigned long long)o->imm); break;
	case MO_CC: fputs("CC", f); break;
	case MO_CONST:
	case MO_MEM:
		if (o->kind == MO_CONST)
			fprintf(f, "c [0x%x] ", o->bank);
		fputc('[', f);
		if (o->v != V_NONE)
			put_value(m, o->v, o->word, f);
		if (o->v != V_NONE && o->imm)
			fputc('+', f);
		if (o->v == V_NONE || o->imm)
			put_number(o->imm, f);
		fputc(']', f);
		break;
	}
	fputs(o->abs ? "|" : "", f);
	fputs(cc ? ".CC" : "", f);
}

static void print(const struct mfunc *m, const struct mi *in, FILE *f)
{
	if (!in->name) {
		fprintf(f, "L%u:\n", in->label);
		return;
	}
	/* a copy to the register itself is left out */
	if (!strcmp(in->name, "MOV") && in->o[1].kind == MO_REG && !in->pop &&
	    m->val.v[in->o[0].v].color + in->o[0].word ==
		    m->val.v[in->o[1].v].color + in->o[1].word)
		return;
	fputc('\t', f);
	if (in->guard != V_TRUE)
		fprintf(f, "@%sP%u ", in->guard_neg ? "!" : "", m->val.v[in->guard].color);
	fprintf(f, "%s%s", in->name, in->pop ? ".S" : "");
	bool call = !strcmp(in->name, "JCAL"); /* the text does not name the registers of a call */
	for (unsigned i = call ? in->n - 1u : 0; i < in->n; i++) {
		fputs(i && !call ? ", " : " ", f);
		put_operand(m, &in->o[i], in->cc && !i, f);
	}
	fputs(";\n", f);
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
	if (store) /* a predicate of 0 is true */
		return (struct mi){.name = "SEL",
				   .guard = V_TRUE,
				   .nd = 1,
				   .n = 4,
				   .o = {mo_reg(reg), mo_zero(), mo_imm(1), mo_pred(piece)}};
	return (struct mi){
		.name = "ISETP.EQ.AND",
		.guard = V_TRUE,
		.nd = 2,
		.n = 5,
		.o = {mo_pred(piece), mo_pred(V_TRUE), mo_reg(reg), mo_zero(), mo_pred(V_TRUE)}};
}

const struct mtarget target_fermi = {.name = "sm_20",
				     .sm = 20,
				     .registers = 63,
				     .predicates = 7,
				     .file = 32768,
				     .warps = 48,
				     .blocks = 8,
				     .unit = 64,
				     .by_warp = true,
				     .spill = spill,
				     .print = print};
