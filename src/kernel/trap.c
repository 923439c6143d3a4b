#include "kernel/trap.h"

/* True if the trap belongs to a grid barrier: such code reads %envreg1 and %envreg2, which hold the barrier's
 * address, and the headers trap if they are zero. */
static bool asks_for_grid(const struct image *img)
{
	for (uint32_t pc = 0; pc < img->ncode; pc++)
		for (unsigned k = 0; k < img->code[pc].in->ns; k++) {
			const struct opnd *o = inst_src(img->code[pc].in, k);
			if (o->kind == OPND_SREG && o->reg == SREG_ENVREG &&
			    (o->sub == 1 || o->sub == 2))
				return true;
		}
	return false;
}

void trap_executed(struct warp *w, const struct uop *u, unsigned lane)
{
	const struct launch *l = w->cta->l;
	bool grid = uop_is(u, OF_ENDS) && !l->cooperative && asks_for_grid(l->img);
	exec_fault(
		w, u, lane, HEDDLE_FAULT_TRAP, 0, 0, "%s executed%s", op_info[u->op].name,
		grid ? ": the launch is not a cooperative one, so this_grid() is not valid and cannot sync() "
		       "(cudaLaunchCooperativeKernel)"
		     : "");
}
