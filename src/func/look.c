/* Lets a debugger look at a warp between two instructions. */
#include "func/func.h"

/* Exceeds the fuel of a warp and a block together: refuel() is called at once and ends the
 * launch. */
enum { OUT_OF_FUEL = -(1 << 30) };

bool warp_shown(struct fwarp *fw, uint32_t pc, uint32_t m)
{
	struct cta *b = fw->ws->w.cta;
	if (!b->l->debug) /* a launch inside the launch being debugged */
		return false;
	struct split *s = reconv_top(&fw->stack);
	s->pc = pc;
	if (b->l->img->native) /* the token stack owns the mask; path[0] is a copy */
		s->mask = m;
	if (!b->l->debug(b->l->debug_arg, b, fw->ws->w.id, pc))
		return false;
	worker_of(b)->fuel = OUT_OF_FUEL;
	return true;
}
