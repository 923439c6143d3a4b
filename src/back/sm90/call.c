/* Calls of the functions that the driver provides for device code (printf, malloc, free, a failed assertion) on sm_90.
 *
 * 	MOV R4, ...;  MOV R5, ...;           arguments in registers from R4 on, pairs aligned
 * 	LEPC R20, L;                         where the function returns to
 * 	CALL.ABS.NOINC R24;                  its address is a word pair of bank 4
 * 	L:                                   the result is in R4, or in R4 and R5
 *
 * The function may change R0 to R15, R20, R21, all predicates, the uniform registers below UR36 and the
 * convergence barriers below B6. mir/alloc.c keeps values that live across a call out of the registers; kernels with calls
 * have the descriptor of memory, handles and barriers in those that are kept. */
#include "back/sm90/sm90.h"

enum { FIRST = 4, QUADS = 2, QUAD = 4, LAST = 12, LINK = 20 };
enum { WORDS = QUADS * QUAD + 2 };

static uint32_t pin_value(struct sel *s, uint32_t *v, unsigned words, unsigned at)
{
	if (*v == V_NONE) {
		*v = mval_new(&s->m, words);
		s->m.val.v[*v].pinned = (uint8_t)(at + 1);
	}
	return *v;
}

/* Argument word i, counted from R4. */
static struct mo argument(struct sel *s, unsigned i)
{
	if (i >= QUADS * QUAD)
		return mo_word(pin_value(s, &s->argument[QUADS], 2, LAST), i - QUADS * QUAD);
	return mo_word(pin_value(s, &s->argument[i / QUAD], QUAD, FIRST + i / QUAD * QUAD),
		       i % QUAD);
}

/* Returns the constant in bank 4 with the function's address; these constants follow the variables'
 * addresses. */
static struct mo function_word(struct sel *s, unsigned builtin, unsigned word)
{
	struct layout *l = s->lay;
	unsigned k = 0;
	while (k < l->ncalled && l->called[k] != builtin)
		k++;
	if (k == l->ncalled)
		l->called[l->ncalled++] = (uint8_t)builtin;
	return mo_const(SM90_ADDRESSES, 8 * ((uint32_t)l->global.n + k) + 4 * word);
}

/* Copies the arguments to their registers; returns the number of words. */
static unsigned pass_arguments(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned n = 0;
	for (unsigned i = 0; i < in->ns; i++) {
		unsigned words = type_bits(inst_src(in, i)->type) == 64 ? 2 : 1;
		n = (n + words - 1) / words * words;
		if (n + words > WORDS)
			return WORDS + 1;
		for (unsigned w = 0; w < words; w++, n++)
			sm90_mov(s, argument(s, n), sm90_src(s, i, w))->fresh = n % QUAD == 0;
	}
	return n;
}

void sm90_call(struct sel *s)
{
	const struct inst *in = s->in;
	if (!layout_function((unsigned)in->imm)) {
		sel_refuse(s, "of functions of the driver it has printf, malloc, free, assertions");
		return;
	}
	s->m.called |= 1u << in->imm;
	unsigned n = pass_arguments(s);
	if (n > WORDS) {
		sel_refuse(s, "more arguments than the function has");
		return;
	}
	struct mo to = sm90_pair_of(s, function_word(s, (unsigned)in->imm, 0),
				    function_word(s, (unsigned)in->imm, 1));
	uint32_t quad = argument(s, 0).v, link = pin_value(s, &s->link, 2, LINK),
		 label = sel_label(s);
	OP(s, "LEPC", 1, mo_wide(link), (struct mo){.kind = MO_LABEL, .imm = label});
	OP(s, "CALL.ABS.NOINC", 1, mo_wide(quad), to, mo_wide(link), n ? mo_wide(quad) : ZERO,
	   n > QUAD ? mo_wide(s->argument[1]) : ZERO,
	   n > QUADS * QUAD ? mo_wide(s->argument[QUADS]) : ZERO)
		->keep = true;
	sel_place(s, label);
	if (!in->nd || inst_dst(in, 0)->kind == OPND_SINK)
		return;
	uint32_t d = sel_dst(s, 0);
	for (unsigned w = 0; w < s->m.val.v[d].words; w++)
		sm90_mov(s, mo_word(d, w), mo_word(quad, w))->fresh = !w;
}
