/* The view that the passes have of sm_13: its registers, how values are spilled, and its code as
 * text. */
#include <string.h>
#include "back/tesla/tesla.h"

static void put_register(const struct mfunc *m, const struct mo *o, FILE *f)
{
	const struct mval *v = &m->val.v[o->v];
	if (v->address)
		fprintf(f, "A%u", v->color + 1u);
	else
		fprintf(f, "R%u", v->color + o->word);
	fputs(o->half == 1 ? "L" : o->half == 2 ? "H" : "", f);
}

/* Prints [An+off], with off in units of the access. */
static void put_index(const struct mfunc *m, const struct mo *o, unsigned unit, FILE *f)
{
	fputc('[', f);
	if (o->v != V_NONE)
		fprintf(f, "A%u+", m->val.v[o->v].color + 1u);
	fprintf(f, "0x%llx]", (unsigned long long)o->imm / unit);
}

static void put_constant(const struct mfunc *m, const struct mo *o, bool load, FILE *f)
{
	fprintf(f, "c[0x%x]", o->bank);
	if (load) { /* MVC: half holds the bytes */
		unsigned unit = o->half ? o->half : 4;
		put_index(m, o, unit, f);
		fputs(unit == 1 ? ".U8" : unit == 2 ? ".U16" : "", f);
	} else if (o->half) {
		fprintf(f, "[0x%llx]", (unsigned long long)o->imm / 2 + (o->half == 2));
	} else {
		put_index(m, o, 4, f);
	}
}

static void put_operand(const struct mfunc *m, const struct mi *in, const struct mo *o, FILE *f)
{
	fprintf(f, "%s%s%s", o->neg && o->kind != MO_PRED ? "-" : "", o->inv ? "~" : "",
		o->abs ? "|" : "");
	switch (o->kind) {
	case MO_REG: put_register(m, o, f); break;
	case MO_ZERO: fputs("R124", f); break;
	case MO_DISCARD: fputs("o [0x7f]", f); break;
	case MO_IMM: fprintf(f, "0x%llx", (unsigned long long)(uint32_t)o->imm); break;
	case MO_TEXT: fputs(o->text, f); break;
	case MO_LABEL: fprintf(f, "L%llu", (unsigned long long)o->imm); break;
	case MO_CONST: put_constant(m, o, !strcmp(in->name, "MVC"), f); break;
	case MO_GLOBAL: fprintf(f, "global14[R%u]", m->val.v[o->v].color + o->word); break;
	case MO_LOCAL:
		fputs("local ", f);
		put_index(m, o, 1, f);
		break;
	case MO_SHARED:
		fputs("g ", f);
		put_index(m, o, o->bank, f);
		if (!strncmp(in->name, "R2G", 3))
			break;
		fputs(o->bank == 1                  ? ".U8"
		      : o->bank == 2                ? ".U16"
		      : strncmp(in->name, "G2R", 3) ? ""
						    : ".U32",
		      f);
		break;
	case MO_PRED: /* operand of VOTE, C2R, R2C */
		fprintf(f, "C%u", m->val.v[o->v].color);
		if (!strncmp(in->name, "VOTE", 4) && o != in->o)
			fputs(o->neg ? ".EQU" : ".NE", f);
		break;
	}
	fputs(o->abs ? "|" : "", f);
}

static bool is_control(const char *name) { return !strcmp(name, "BRA") || !strcmp(name, "RET"); }

static const char *test_name(const struct mi *in) { return in->guard_neg ? "EQU" : "NE"; }

/* Prints the mnemonic; '@' stands for the number of the flag that the instruction reads. */
static void put_name(const struct mfunc *m, const struct mi *in, FILE *f)
{
	const char *at = strchr(in->name, '@');
	if (at) {
		const struct mo *c = &in->o[in->n - 1];
		fprintf(f, "%.*s%u%s", (int)(at - in->name), in->name, m->val.v[c->v].color,
			at + 1);
	} else {
		fputs(in->name, f);
	}
	fputs(in->pop ? ".S" : "", f);
	for (unsigned k = 0; k < in->nd; k++)
		if (in->o[k].kind == MO_FLAG)
			fprintf(f, ".C%u", m->val.v[in->o[k].v].color);
}

static bool same_register(const struct mfunc *m, const struct mi *in)
{
	return !strcmp(in->name, "MOV") && in->n == 2 && in->nd == 1 && in->o[0].kind == MO_REG &&
	       in->o[1].kind == MO_REG && !in->pop &&
	       m->val.v[in->o[0].v].color + in->o[0].word ==
		       m->val.v[in->o[1].v].color + in->o[1].word;
}

/* True for the operands of a texture access, which are in the registers of the result. */
static bool is_hidden(const struct mi *in, unsigned i)
{
	bool tex = !strncmp(in->name, "TEX", 3) || !strncmp(in->name, "TXQ", 3);
	return in->o[i].kind == MO_FLAG || in->o[i].kind == MO_NONE || (tex && i == 1);
}

static void print(const struct mfunc *m, const struct mi *in, FILE *f)
{
	if (!in->name) {
		fprintf(f, "L%u:\n", in->label);
		return;
	}
	if (same_register(m, in))
		return;
	if (!strcmp(in->name, "MOV") && in->o[1].kind == MO_TEXT && !m->val.v[in->o[0].v].color)
		return; /* the indices stay in R0 */
	bool first = true, guarded = in->guard != V_TRUE;
	fputc('\t', f);
	put_name(m, in, f);
	if (guarded && is_control(in->name)) {
		fprintf(f, " C%u.%s", m->val.v[in->guard].color, test_name(in));
		first = guarded = false;
	}
	for (unsigned i = 0; i < in->n; i++) {
		if (is_hidden(in, i))
			continue;
		fputs(first ? " " : ", ", f);
		put_operand(m, in, &in->o[i], f);
		if (first && guarded)
			fprintf(f, " (C%u.%s)", m->val.v[in->guard].color, test_name(in));
		first = false;
	}
	fputs(";\n", f);
}

static struct mi spill(const struct mfunc *m, uint32_t piece, uint32_t reg, uint32_t at, bool store)
{
	static const char *const name[2][3] = {{"LLD.U32", "LLD.S64", "LLD.S128"},
					       {"LST.U32", "LST.S64", "LST.S128"}};
	unsigned words = m->val.v[piece].words;
	struct mo slot = {.kind = MO_LOCAL, .v = V_NONE, .imm = at, .bank = 1},
		  v = words > 1 ? mo_wide(piece) : mo_reg(piece);
	struct mi in = {.guard = V_TRUE, .nd = !store, .n = 2};
	if (words) {
		in.name = name[store][words == 4 ? 2 : words - 1];
		in.o[0] = store ? slot : v;
		in.o[1] = store ? v : slot;
		return in;
	}
	in.nd = 1;
	in.name = store ? "C2R" : "R2C";
	in.o[store] = mo_pred(piece);
	in.o[!store] = mo_reg(reg);
	return in;
}

const struct mtarget target_tesla = {.name = "sm_13",
				     .sm = 13,
				     .registers = 64,
				     .predicates = 4,
				     .addresses = 4,
				     .file = 16384,
				     .warps = 32,
				     .blocks = 8,
				     .unit = 512,
				     .spill = spill,
				     .print = print};
