/* Machine code as text: the operands of each instruction as the assembler reads them. */
#include <string.h>
#include "back/mir.h"

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
	case MO_REG: put_value(m, o->v, o->word, f); break;
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

void mir_print(const struct mfunc *m, const struct mi *in, FILE *f)
{
	if (!in->name) {
		fprintf(f, "L%u:\n", in->label);
		return;
	}
	/* A copy to the same register is none. */
	if (!strcmp(in->name, "MOV") && in->o[1].kind == MO_REG && !in->pop &&
	    m->val.v[in->o[0].v].color + in->o[0].word ==
		    m->val.v[in->o[1].v].color + in->o[1].word)
		return;
	fputc('\t', f);
	if (in->guard != V_TRUE)
		fprintf(f, "@%sP%u ", in->guard_neg ? "!" : "", m->val.v[in->guard].color);
	fprintf(f, "%s%s", in->name, in->pop ? ".S" : "");
	for (unsigned i = 0; i < in->n; i++) {
		fputs(i ? ", " : " ", f);
		put_operand(m, &in->o[i], in->cc && !i, f);
	}
	fputs(";\n", f);
}
