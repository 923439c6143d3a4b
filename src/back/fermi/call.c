/* Calls of the functions that the driver provides for device code, such as printf: arguments in
 * registers from R4 on, the result in R4, as sm_20's compilers pass them. Argument values are
 * pinned to those registers, so that no other value lives there across a call; all calls share
 * them. */
#include "back/select/operations.h"

enum { FIRST_REGISTER = 4, QUAD = 4, MOST = 5 };

static void pin_value(struct sel *s)
{
	for (unsigned i = 0; i < 2 && s->argument[i] == V_NONE; i++) {
		s->argument[i] = mval_new(&s->m, i ? 1 : QUAD);
		s->m.val.v[s->argument[i]].pinned = (uint8_t)(FIRST_REGISTER + (i ? QUAD : 0) + 1);
	}
}

void fermi_call(struct sel *s)
{
	const struct inst *in = s->in;
	const char *name = layout_function((unsigned)in->imm);
	if (!name) {
		sel_refuse(s, "of functions of the driver it has printf, malloc, free, assertions");
		return;
	}
	if (!s->lay->address32 || in->ns > MOST) {
		sel_refuse(s, "calls with addresses of 64 bits");
		return;
	}
	pin_value(s);
	uint32_t quad = s->argument[0], fifth = s->argument[1];
	for (unsigned i = 0; i < in->ns; i++)
		sel_mov(s, i < QUAD ? mo_word(quad, i) : mo_word(fifth, 0), sel_src(s, i, 0));
	s->m.code.v[s->m.code.n - in->ns].fresh = in->ns > 0;
	const char *text = sel_text(s, "`(%s)", name);
	struct mo called = mo_text(text), more = in->ns > QUAD ? mo_wide(fifth) : mo_zero();
	OP(s, "JCAL", 1, mo_word(quad, 0), mo_wide(quad), more, called)->keep = true;
	if (!in->nd || inst_dst(in, 0)->kind == OPND_SINK)
		return;
	uint32_t d = sel_dst(s, 0);
	for (unsigned w = 0; w < s->m.val.v[d].words; w++)
		OP(s, "MOV", 1, mo_word(d, w), w ? mo_zero() : mo_word(quad, 0))->fresh = !w;
}
