/* Finds the registers that may be fixed. The definition, with an example, is in fixed.h. */
#include "kernel/fixed.h"

bool *fixed_candidates(struct arena *a, const struct func *f, const struct live *l)
{
	size_t n = f->regs.n + 1;
	uint8_t *writes = ARENA_ARRAY(a, uint8_t, n);
	bool *once = ARENA_ARRAY(a, bool, n);
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		for (unsigned k = 0; k < in->nd; k++)
			if (in->opnd[k].kind == OPND_REG && writes[in->opnd[k].reg] < 2)
				writes[in->opnd[k].reg]++;
	}
	for (uint32_t r = 0; r < f->regs.n; r++)
		once[r] = writes[r] == 1;
	for (uint32_t i = 0; i < l->nentry; i++)
		once[l->entry[i]] = false;
	return once;
}
