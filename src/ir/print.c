#include "ir/print.h"

#include <inttypes.h>

static const char *reg_name(const struct func *f, uint32_t r)
{
	return r < f->regs.n && f->regs.v[r].name ? f->regs.v[r].name : "%?";
}

static void print_imm(FILE *out, const struct opnd *o)
{
	if (type_is_float(o->type) && type_bits(o->type) == 32)
		fprintf(out, "0f%08" PRIX32, (uint32_t)o->imm);
	else if (o->type == T_F64)
		fprintf(out, "0d%016" PRIX64, (uint64_t)o->imm);
	else
		fprintf(out, "%" PRId64, o->imm);
}

static void print_offset(FILE *out, int64_t imm)
{
	if (imm)
		fprintf(out, "%+" PRId64, imm);
}

static void print_mem(FILE *out, const struct func *f, const struct opnd *o)
{
	fputc('[', out);
	if (o->sym)
		fputs(((const struct var *)o->sym)->name, out);
	else if (o->reg != NO_REG)
		fputs(reg_name(f, o->reg), out);
	if (o->sym || o->reg != NO_REG)
		print_offset(out, o->imm);
	else
		fprintf(out, "%" PRId64, o->imm);
	fputc(']', out);
}

static void print_sreg(FILE *out, const struct opnd *o)
{
	const struct sreg_info *s = o->reg < SREG_COUNT ? &sreg_info[o->reg] : NULL;
	fprintf(out, "%%%s", s ? s->name : "?");
	if (s && s->components > 1)
		fprintf(out, ".%c", "xyzw"[o->sub & 3]);
	else if (o->reg == SREG_PM || o->reg == SREG_PM64 || o->reg == SREG_ENVREG)
		fprintf(out, "%u", o->sub);
}

static void print_opnd(FILE *out, const struct func *f, const struct opnd *o)
{
	if (o->mod & OPND_NEG)
		fputc('-', out);
	if (o->mod & OPND_NOT)
		fputc('!', out);
	if (o->mod & OPND_ABS)
		fputc('|', out);
	switch (o->kind) {
	case OPND_REG:
	case OPND_PRED: fputs(reg_name(f, o->reg), out); break;
	case OPND_IMM: print_imm(out, o); break;
	case OPND_SREG: print_sreg(out, o); break;
	case OPND_MEM: print_mem(out, f, o); break;
	case OPND_SYM:
	case OPND_PVAR:
		fputs(o->sym ? ((const struct var *)o->sym)->name : "?", out);
		print_offset(out, o->imm);
		break;
	case OPND_FUNC: fputs(o->sym ? ((const struct func *)o->sym)->name : "?", out); break;
	default: fputc('_', out);
	}
	if (o->mod & OPND_ABS)
		fputc('|', out);
}

/* Prints opnd[0 .. n-1] between `open` and `close`. */
static void print_list(FILE *out, const struct func *f, const struct opnd *o, unsigned n,
		       const char *open, const char *sep, const char *close)
{
	fputs(open, out);
	for (unsigned i = 0; i < n; i++) {
		fputs(i ? sep : "", out);
		print_opnd(out, f, &o[i]);
	}
	fputs(close, out);
}

static void print_call(FILE *out, const struct func *f, const struct inst *in)
{
	const struct call *c = in->call < f->calls.n ? &f->calls.v[in->call] : NULL;
	unsigned first = c && !c->func && !c->name && in->ns
				 ? 1
				 : 0; /* indirect call: source 0 is the pointer */
	if (in->nd)
		print_list(out, f, in->opnd, in->nd, " (", ", ", "),");
	fputc(' ', out);
	if (first)
		print_opnd(out, f, inst_src(in, 0));
	else
		fputs(c && c->name ? c->name : c && c->func ? c->func->name : "?", out);
	if (in->ns > first)
		print_list(out, f, inst_src(in, first), in->ns - first, ", (", ", ", ")");
}

static void print_brx(FILE *out, const struct func *f, const struct inst *in)
{
	print_list(out, f, in->opnd, in->nd + in->ns, " ", ", ", ", {");
	for (uint32_t i = 0; in->list < f->targets.n && i < f->targets.v[in->list].n; i++)
		fprintf(out, "%s%" PRIu32, i ? ", " : "", f->targets.v[in->list].pc[i]);
	fputc('}', out);
}

static void print_opnds(FILE *out, const struct func *f, const struct inst *in)
{
	bool pair = in->op == OP_SETP || in->op == OP_SHFL || in->op == OP_MATCH ||
		    in->op == OP_ELECT || in->op == OP_LOP3;
	bool store = in->op == OP_ST || in->op == OP_STMATRIX;
	unsigned lead = store && in->ns ? 1 : 0; /* number of sources before a vector */
	const char *sep = in->nd ? ", " : " ";
	if (in->nd == 1)
		print_list(out, f, in->opnd, 1, " ", "", "");
	else if (in->nd)
		print_list(out, f, in->opnd, in->nd, pair ? " " : " {", pair ? "|" : ", ",
			   pair ? "" : "}");
	if (lead)
		print_list(out, f, inst_src(in, 0), 1, sep, "", ""), sep = ", ";
	if (in->ns <= lead)
		return;
	bool braces = in->op == OP_PACK || (store && in->ns > 2);
	fputs(sep, out);
	print_list(out, f, inst_src(in, lead), in->ns - lead, braces ? "{" : "", ", ",
		   braces ? "}" : "");
}

void inst_print(FILE *out, const struct func *f, const struct inst *in)
{
	if (in->guard != NO_REG)
		fprintf(out, "@%s%s ", in->guard_neg ? "!" : "", reg_name(f, in->guard));
	if (in->text)
		fputs(in->text, out);
	else if (in->op < OP_COUNT)
		fprintf(out, "%s%s%s", op_info[in->op].name,
			in->type && in->type < T_COUNT ? "." : "",
			in->type < T_COUNT ? type_info[in->type].name : "");
	if (inst_is(in, OF_BRANCH))
		fprintf(out, " %" PRIu32, in->target);
	else if (inst_is(in, OF_INDEXED))
		print_brx(out, f, in);
	else if (inst_is(in, OF_CALL))
		print_call(out, f, in);
	else
		print_opnds(out, f, in);
}

void func_print(FILE *out, const struct func *f, print_note *before, print_note *after,
		const void *ctx)
{
	fprintf(out, "%s %s\n", f->entry ? ".entry" : ".func", f->name ? f->name : "?");
	for (uint32_t pc = 0; pc < f->code.n; pc++) {
		if (before)
			before(out, pc, ctx);
		fprintf(out, "%5" PRIu32 "  ", pc);
		inst_print(out, f, &f->code.v[pc]);
		if (after)
			after(out, pc, ctx);
		fputc('\n', out);
	}
}
