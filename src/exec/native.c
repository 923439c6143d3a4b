/* Operations that only native code has: taking locks on words of shared memory, the state of barriers, and
 * writing the condition code. The control flow of native code is kernel/token_flow.c's. */
#include "exec/context.h"
#include "exec/lanes.h"

/* The lowest lane that asks for a free lock gets it; the other lanes get a false predicate and try
 * again. Stores release locks (st.c). A lock is a whole byte: with one bit per lock, each lane
 * would wait for the previous lane's store to the word. */
ALWAYS_INLINE uint32_t lock_take(uint8_t *lock, uint32_t addr, uint32_t i)
{
	uint32_t n = lock_number(addr), taken = lock[n];
	lock[n] = LOCKED;
	return (taken / LOCKED ^ 1) << i;
}

static void lock_part(struct warp *w, const struct uop *u)
{
	uint8_t *lock = w->cta->lock;
	const uint32_t *addr = row_u32(w, u->a);
	uint32_t got = 0, off = (uint32_t)u->offset;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(m);
		got |= lock_take(lock, addr[i] + off, i);
	}
	pred_write(w, u->d, got, w->mask);
}
static void lock_full(struct warp *w, const struct uop *u)
{
	uint8_t *lock = w->cta->lock;
	const uint32_t *addr = row_u32(w, u->a);
	uint32_t got = 0, off = (uint32_t)u->offset;
	UNROLL_8 for (uint32_t i = 0; i < LANES; i++) got |= lock_take(lock, addr[i] + off, i);
	pred_write(w, u->d, got, ~0u);
}

static void setcc_part(struct warp *w, const struct uop *u)
{
	const uint32_t *v = row_u32(w, u->a);
	for (int k = 0; k < 4; k++) {
		uint32_t bits = 0;
		for (int i = 0; i < LANES; i++)
			bits |= (v[i] >> k & 1) << i;
		w->cc[k] = (w->cc[k] & ~w->mask) | (bits & w->mask);
	}
}
static void setcc_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	setcc_part(w, u);
}

/* A barrier is a counter of warps; it returns to zero when all expected warps have arrived. */
static void b2r_part(struct warp *w, const struct uop *u)
{
	uint32_t warps = (w->cta->bar[u->barrier].counted + LANES - 1) / LANES,
		 *d = row_u32(w, u->d);
	for (uint32_t m = w->mask; m; m &= m - 1)
		d[__builtin_ctz(m)] = warps;
}
static void b2r_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	b2r_part(w, u);
}

/* Writes all 32 lanes, whichever lanes execute. */
static void first_part(struct warp *w, const struct uop *u)
{
	uint32_t v = row_u32(w, u->a)[__builtin_ctz(w->mask)], *d = row_u32(w, u->d);
	for (int i = 0; i < LANES; i++)
		d[i] = v;
}
static void first_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	first_part(w, u);
}

static void here_part(struct warp *w, const struct uop *u)
{
	uint32_t named = row_u32(w, u->a)[__builtin_ctz(w->mask)];
	pred_write(w, u->d, named & w->live & ~w->active ? 0 : ~0u, w->mask);
}
static void here_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	here_part(w, u);
}

static void no_op(struct warp *w, const struct uop *u)
{
	(void)w;
	(void)u;
}

bool bind_native(const struct inst *in, struct uop *u)
{
	if (in->op != OP_NATIVE)
		return false;
	switch (in->native_ctl) {
	case NCTL_LOCK: return bind_pair(u, FN(lock));
	case NCTL_SETCC: return bind_pair(u, FN(setcc));
	case NCTL_B2R: return bind_pair(u, FN(b2r));
	case NCTL_FIRST: return bind_pair(u, FN(first));
	case NCTL_HERE: return bind_pair(u, FN(here));
	default:
		u->flags |= UOP_CTL | UOP_NATIVE;
		u->aux = (uint8_t)in->native_ctl;
		u->full = u->part = no_op;
		return true;
	}
}
