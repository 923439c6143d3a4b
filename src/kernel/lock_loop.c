/* Native code: finds the loops that lock_loop() runs as a whole in functional mode,
 *
 * 	SSY meet; again: LOCK p, [a]; LD d, [a]; ...; @p ST.unlock [a], s; ...; @!p BRA again; .S
 *
 * with only arithmetic after the load and after the store, which changes neither a nor p. Shared
 * atomics have this form, in nvcc's code too. lock_loop() is in exec/. */
#include "exec/dispatch.h"
#include "kernel/image.h"

/* True if the access is to the word of shared memory whose lock is taken. */
static bool at_lock(const struct uop *u, const struct uop *lock)
{
	return u->in->space == SP_SHARED && type_bytes(u->in->type) == 4 && u->a == lock->a &&
	       (uint32_t)u->offset == (uint32_t)lock->offset && !(u->flags & ~UOP_FAULTS);
}

/* True if the instruction writes the address, or the predicate of the lanes that hold a lock. */
static bool may_change(const struct uop *u, const struct uop *lock)
{
	for (unsigned k = 0; k < u->in->nd; k++) {
		const struct opnd *o = inst_dst(u->in, k);
		if (o->kind == OPND_PRED ? u->v[k] == lock->d
					 : (uint32_t)(lock->a - u->v[k]) < type_rows(o->type) * ROW)
			return true;
	}
	return false;
}

static bool is_arithmetic(const struct uop *u)
{
	for (unsigned k = 0; k < u->in->ns; k++)
		if (inst_src(u->in, k)->kind == OPND_SREG) /* %clock differs in each round */
			return false;
	return !uop_is(u, OF_NATIVE) && !u->flags;
}

static const struct uop *behind_arithmetic(const struct uop *u, const struct uop *end,
					   const struct uop *lock)
{
	while (u < end && is_arithmetic(u) && !may_change(u, lock))
		u++;
	return u;
}

/* The branch at the end of the loop that begins at pc; NO_PC: no such loop. */
static uint32_t loop_end(const struct image *img, uint32_t pc)
{
	const struct uop *lock = &img->code[pc], *ld = lock + 1, *end = &img->code[img->ncode],
			 *u = lock + 2;
	if (end - lock < 5 || !inst_is_native(lock->in, NCTL_LOCK) || lock->guard >= 0 ||
	    !uop_is(ld, OF_LOAD) || ld->guard >= 0 || ld->in->nd != 1 || ld->d == SINK ||
	    !at_lock(ld, lock) || may_change(ld, lock))
		return NO_PC;
	u = behind_arithmetic(u, end, lock);
	if (end - u < 3 || !uop_is(u, OF_STORE) || !(u->in->mods & M_UNLOCK) || u->in->ns != 2 ||
	    u->guard != lock->d || u->guard_neg || !at_lock(u, lock))
		return NO_PC;
	u = behind_arithmetic(u + 1, end - 1, lock);
	bool back = inst_is_native(u->in, NCTL_BRA) && u->guard == lock->d && u->guard_neg &&
		    u->target == pc;
	bool meets = (inst_is_native(u[1].in, NCTL_POP) || inst_is_native(u[1].in, NCTL_TPOP)) &&
		     u[1].guard < 0;
	return back && meets ? (uint32_t)(u - img->code) : NO_PC;
}

void image_mark_lock_loops(struct image *img, bool checked)
{
	img->lock_loop = exec_ops()->lock_loop;
	for (uint32_t pc = 0; pc < img->ncode; pc++)
		if (inst_is_native(img->code[pc].in, NCTL_SSY))
			img->code[pc].reconv = checked ? NO_PC : loop_end(img, pc + 1);
}
