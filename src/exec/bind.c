/* Which file executes which operation: each family is asked in turn, once, when a kernel is first
 * launched. This file, like all that hold operations, is compiled once for each instruction set of
 * the host; the rest of the program sees only the table at its end (see dispatch.c). */
#include <stddef.h>
#include "exec/async/async.h"
#include "exec/dispatch.h"
#include "exec/memory/pending.h"
#include "exec/places.h"

static bool bind_ldst(const struct inst *in, struct uop *u)
{
	switch (in->op) {
	case OP_LD:
	case OP_LDU: return bind_ld(in, u);
	case OP_ST: return bind_st(in, u);
	}
	return false;
}

static void no_op(struct warp *w, const struct uop *u)
{
	(void)w;
	(void)u;
}

static bool bind_control(const struct inst *in, struct uop *u)
{
	switch (in->op) {
	case OP_BRA:
	case OP_BRX:
	case OP_CALL:
	case OP_RET:
	case OP_EXIT:
	case OP_TRAP:
	case OP_BRKPT:
	case OP_BAR:
		u->flags |= in->op == OP_BRA ? UOP_CTL | UOP_BRANCH : UOP_CTL;
		u->full = u->part = no_op;
		return true;
	}
	return false;
}

/* Families with operations of their own come first; later families also look at the type. */
static bind_fn *const families[] = {
	bind_control, bind_native, bind_ldst,   bind_atom,  bind_warp, bind_async, bind_mbarrier,
	bind_bulk,    bind_wgmma,  bind_mma_sp, bind_addr,  bind_sreg, bind_mma,   bind_tex,
	bind_int,     bind_logic,  bind_cmp,    bind_bits,  bind_mov,  bind_f32,   bind_cvt,
	bind_f64,     bind_half,   bind_sfu,    bind_video,
};

/* Negated or absolute sources need extra operations, except in scalar video, which has its own. */
static bool has_source_modifiers(const struct inst *in)
{
	for (unsigned k = 0; k < in->ns; k++)
		if (inst_src(in, k)->mod & (OPND_NEG | OPND_ABS))
			return in->op < OP_VADD || in->op > OP_VSET4;
	return false;
}

static const char *bind_any(const struct inst *in, struct uop *u)
{
	if (has_source_modifiers(in))
		return "a source with a sign modifier";
	for (unsigned i = 0; i < sizeof families / sizeof *families; i++)
		if (families[i](in, u))
			return NULL;
	const char *why = tex_refusal(in);
	return why ? why : "no operation for these types and modifiers";
}

const struct exec_ops EXEC_OPS = {
	.bind = bind_any,
	.ld_rows = bind_ld_rows,
	.st_rows = bind_st_rows,
	.local_addr = bind_local_addr,
	.lock_loop = lock_loop,
	.nothing = no_op,
	.atom_commutes = atom_commutes,
	.cp_async_reads = cp_async_reads,
	.surface_addresses = surface_addresses,
	.pending_access = pending_access,
	.pending_commit = pending_commit,
};
