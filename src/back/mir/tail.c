/* Joins the end of a path to its last instruction: on sm_13 a store ends the thread, on sm_20 the instruction
 * before a wait waits itself.
 *
 * 	GST.U32 global14[R0], R1;        GST.U32.EXIT global14[R0], R1;
 * 	NOP.EXIT;
 *
 * 	STS [R0], R1;                    STS.S [R0], R1;
 * 	NOP.S;
 *
 * Runs on allocated registers. No branch may go between the two instructions. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/mir.h"

static bool is_any(const struct mi *in, const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (mi_is(in, name[i]))
			return true;
	return false;
}

/* True for an end of a path that an instruction before it can carry. */
static bool is_end(const struct mfunc *m, const struct mi *in)
{
	if (!in->name || in->guard != V_TRUE)
		return false;
	return m->target->sm < 20 ? !strcmp(in->name, "NOP.EXIT")
				  : in->pop && !strcmp(in->name, "NOP");
}

static bool may_carry(const struct mfunc *m, const struct mi *in)
{
	static const char *const tesla[] = {"GST", "R2G", "LST"}, *const fermi[] = {
									  "ST",    "STS",   "STL",
									  "IADD",  "IMUL",  "LOP",
									  "SHL",   "SHR",   "ISETP",
									  "FSETP", "FADD",  "FMUL",
									  "FFMA",  "IMAD",  "MOV",
									  "SEL",   "ISCADD"};
	if (!in->name || in->guard != V_TRUE || in->pop || in->ends || in->label || in->cc ||
	    strchr(in->name, '@'))
		return false;
	return m->target->sm < 20 ? is_any(in, tesla, sizeof tesla / sizeof *tesla)
				  : is_any(in, fermi, sizeof fermi / sizeof *fermi);
}

static void count_references(const struct mfunc *m, bool *used)
{
	for (size_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		if (in->name && in->label && !in->pop)
			used[in->label - 1] = true;
		for (unsigned k = 0; in->name && k < in->n; k++)
			if (in->o[k].kind == MO_LABEL)
				used[in->o[k].imm] = true;
	}
}

/* Among the code kept so far, the instruction before number `at` from which control falls
 * through. */
static struct mi *find_before(struct mfunc *m, size_t at, const bool *used)
{
	while (at > 0 && !m->code.v[at - 1].name && !used[m->code.v[at - 1].label])
		at--;
	return at && m->code.v[at - 1].name ? &m->code.v[at - 1] : NULL;
}

static void carry_end(struct mfunc *m, struct mi *in)
{
	char text[64];
	if (m->target->sm >= 20) {
		in->pop = true;
		return;
	}
	snprintf(text, sizeof text, "%s.EXIT", in->name);
	in->name = arena_strdup(m->a, text);
	in->ends = true;
}

void mir_tail(struct mfunc *m)
{
	bool *used = xcalloc(m->labels + 1, sizeof *used);
	size_t to = 0;
	count_references(m, used);
	for (size_t i = 0; i < m->code.n; i++) {
		struct mi *x = is_end(m, &m->code.v[i]) ? find_before(m, to, used) : NULL;
		if (x && may_carry(m, x))
			carry_end(m, x);
		else
			m->code.v[to++] = m->code.v[i];
	}
	m->code.n = to;
	free(used);
}
