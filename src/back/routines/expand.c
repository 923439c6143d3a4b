/* Names and heads of routines that are written on demand: see expand.h. */
#include <ctype.h>
#include "back/routines/expand.h"

static expand_fn *const kinds[] = {
	expand_compare, expand_half,    expand_video, expand_video_lanes, expand_bits,
	expand_divide,  expand_vote,    expand_lanes, expand_convert,     expand_atom,
	expand_barrier, expand_extreme, expand_copy,  expand_matrix};

const char *expand_source(unsigned i)
{
	static const char *const name[] = {"a",  "b",  "c",  "d",   "s4",  "s5",  "s6",
					   "s7", "s8", "s9", "s10", "s11", "s12", "s13"};
	return name[i];
}

static bool write_body(const struct inst *in, unsigned sm, FILE *f)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i](in, sm, f))
			return true;
	return false;
}

static unsigned bits_of(const struct inst *in, unsigned i)
{
	if (inst_src(in, i)->kind == OPND_MEM) /* the operand's address */
		return 64;
	unsigned type = inst_src(in, i)->type;
	if (inst_src(in, i)->kind == OPND_IMM) /* atomics have one type for all operands */
		type = in->op == OP_ATOM || in->op == OP_RED ? in->type : in->stype;
	return type_bits(type) == 64 ? 64 : 32;
}

/* Words of the first result; a predicate takes a word. */
static unsigned words_of_result(const struct inst *in)
{
	const struct opnd *d = inst_dst(in, 0);
	return in->nd && d->kind == OPND_REG && type_bits(d->type) == 64 ? 2 : 1;
}

/* Writes what a routine's head depends on beside the number of sources: a digit for each result and
 * source, its number of words. */
static unsigned write_shape(const struct inst *in, char *to)
{
	unsigned n = 0;
	for (unsigned i = 0; i < in->nd; i++)
		to[n++] = (char)('0' + (i ? 1 : words_of_result(in)));
	to[n++] = '_';
	for (unsigned i = 0; i < in->ns; i++)
		to[n++] = (char)('0' + bits_of(in, i) / 32);
	to[n++] = '_';
	return n;
}

/* Everything that a routine depends on and the mnemonic does not give: results and sources that may
 * be left out, parts of operands, tables. */
bool back_expands(const struct inst *in, unsigned sm, char name[ROUTINE_NAME])
{
	if (!in->text || !write_body(in, sm, NULL))
		return false;
	uint64_t number = expand_divide(in, sm, NULL) ? (uint64_t)inst_src(in, 1)->imm
			  : in->op == OP_BAR          ? expand_barrier_form(in)
						      : in->imm + expand_shuffle_form(in);
	if (in->op == OP_CP_ASYNC && in->ns > 2 && inst_src(in, 2)->kind == OPND_PRED)
		number |= 256; /* a mark that no number of bytes has */
	int n = snprintf(name, ROUTINE_NAME, "x%02x%02x%02x%02x%x_%llx_", in->vsel[0], in->vsel[1],
			 in->vsel[2], in->vsel[3], in->vmask, (unsigned long long)number);
	n += (int)write_shape(in, name + n);
	for (unsigned i = 0; i < in->ns; i++)
		name[n++] = (char)('0' + (inst_src(in, i)->mod & OPND_NEG));
	for (const char *p = in->text; *p && n < ROUTINE_NAME - 1; p++)
		name[n++] = isalnum((unsigned char)*p) ? *p : '_';
	name[n] = 0;
	return n < ROUTINE_NAME - 1;
}

void back_expand(const struct inst *in, unsigned sm, FILE *f)
{
	char name[ROUTINE_NAME];
	if (!back_expands(in, sm, name))
		return;
	fprintf(f, ".func (.reg .b%u r%s", 32 * words_of_result(in),
		in->nd > 1 ? ", .reg .b32 q" : "");
	for (unsigned i = 2; i < in->nd; i++)
		fprintf(f, ", .reg .b32 r%u", i);
	fprintf(f, ") %s (", name);
	for (unsigned i = 0; i < (expand_divide(in, sm, NULL) ? 1u : in->ns); i++)
		fprintf(f, "%s.reg .b%u %s", i ? ", " : "", bits_of(in, i), expand_source(i));
	fprintf(f, ")\n{\n");
	write_body(in, sm, f);
	fprintf(f, "ret;\n}\n");
}
