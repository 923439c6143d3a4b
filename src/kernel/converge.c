#include "kernel/converge.h"

#include "exec/lanes.h"
#include "kernel/token_flow.h"

/* Lanes of m whose mask equals that of m's lowest lane. */
static uint32_t lanes_of_one_mask(const uint32_t *mask, uint32_t m)
{
	uint32_t first = mask[__builtin_ctz(m)], lanes = 0;
	for (uint32_t q = m; q; q &= q - 1)
		if (mask[__builtin_ctz(q)] == first)
			lanes |= q & -q;
	return lanes;
}

/* Makes lanes m of the top path, which is at pc, wait for the lanes that their masks name; the
 * path's other lanes continue. If the instruction is exclusive, groups of lanes with different
 * masks continue one after the other. */
static void meet_lanes(struct reconv *s, const struct warp *w, const struct uop *u, uint32_t pc,
		       uint32_t m)
{
	struct split *top = reconv_top(s);
	const uint32_t *mask = row_u32(w, u->a);
	uint32_t group = u->imm & NMEET_EXCLUSIVE ? lanes_of_one_mask(mask, m) : m;
	if (group != m) {
		reconv_branch(s, NO_PC, (struct way){pc, group},
			      (struct way){pc, (uint32_t)top->mask & ~group});
		top = reconv_top(s);
		m = group;
	}
	uint32_t need = 0, others = (uint32_t)top->mask & ~m;
	for (uint32_t q = m; q; q &= q - 1)
		need |= mask[__builtin_ctz(q)];
	top->pc = pc;
	if (others) {
		reconv_branch(s, NO_PC, (struct way){pc, m}, (struct way){pc + 1, others});
		top = reconv_top(s);
	}
	top->waited_at = pc;
	if (!(need & w->live & ~m)) {
		top->state = SPLIT_READY;
		top->pc = pc + 1;
	} else if (reconv_sync(s, m, need, w->live,
			       u->imm & NMEET_TOGETHER   ? SYNC_GATHERS
			       : u->imm & NMEET_ANYWHERE ? SYNC_ANYWHERE
							 : SYNC_HERE)) {
		reconv_top(s)->pc = pc + 1;
		reconv_drop_empty(s);
	}
}

/* Removes lanes m from the barrier: from the masks of all its lanes. */
static void break_out(struct reconv *s, const struct warp *w, const struct uop *u, uint32_t m)
{
	uint32_t *mask = row_u32(w, u->d), lanes = 0;
	for (uint32_t q = m; q; q &= q - 1)
		lanes |= mask[__builtin_ctz(q)];
	for (uint32_t q = lanes; q; q &= q - 1)
		mask[__builtin_ctz(q)] &= ~m;
	reconv_look_again(s);
}

/* Sends lanes m to the targets in their registers, lanes with one target together. */
static void jump_indirect(struct reconv *s, struct warp *w, const struct uop *u, uint32_t m)
{
	const uint32_t *reg = row_u32(w, u->a);
	uint32_t to[LANES], off = (uint32_t)u->offset;
	for (uint32_t q = m; q; q &= q - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(q);
		to[i] = native_address(w->cta->l->img, reg[i] + off);
		if (to[i] == NO_PC) {
			exec_fault(w, u, i, HEDDLE_FAULT_BAD_CALL, reg[i] + off, 0,
				   "indirect branch to 0x%x, where no instruction begins",
				   reg[i] + off);
			return;
		}
	}
	reconv_branch_indexed(s, NO_PC, m, to);
}

static bool jump_to(struct reconv *s, const struct uop *u, uint32_t pc, uint32_t m)
{
	struct split *top = reconv_top(s);
	uint32_t active = (uint32_t)top->mask;
	if (m == active) {
		top->pc = u->target;
		return false;
	}
	struct way taken = {u->target, m}, other = {pc + 1, active & ~m};
	bool most = __builtin_popcount(m) > __builtin_popcount(active & ~m);
	reconv_branch(s, NO_PC, most ? taken : other, most ? other : taken);
	return true;
}

bool converge_control(struct reconv *s, struct wstate *ws, const struct uop *u, uint32_t pc,
		      uint32_t m)
{
	reconv_top(s)->pc = pc;
	reconv_top(s)->waited_at = 0;
	switch (u->aux) {
	case NCTL_BRA: return jump_to(s, u, pc, m);
	case NCTL_BRX: jump_indirect(s, &ws->w, u, m); return false;
	case NCTL_MEET: meet_lanes(s, &ws->w, u, pc, m); return false;
	case NCTL_BREAK:
		break_out(s, &ws->w, u, m);
		reconv_top(s)->pc = pc + 1;
		return false;
	default: /* NCTL_YIELD */
		reconv_top(s)->pc = pc + 1;
		reconv_yield(s);
		return false;
	}
}

bool converge_settle(struct reconv *s, struct wstate *ws, const struct uop *code)
{
	while (reconv_settle(s)) {
		struct split *top = reconv_top(s);
		if (!top->waited_at || top->waited_at != top->pc) {
			top->waited_at = 0;
			return true;
		}
		wstate_load_frame(ws, &top->frame, (uint32_t)top->mask);
		meet_lanes(s, &ws->w, &code[top->pc], top->pc, (uint32_t)top->mask);
	}
	return false;
}
