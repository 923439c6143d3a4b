/* Inside the load/store unit: memory instructions and the accesses they become. access.c turns
 * lanes' addresses into accesses when an instruction enters; lsu.c runs the accesses. */
#ifndef SM_LSU_H
#define SM_LSU_H
#include "mem/coalesce.h"
#include "sm/l1.h"

enum { TX_MAX = 8 * COAL_MAX }; /* most accesses, except of bulk copies: eight words per lane */
enum kind { K_DELAY, K_CONST, K_TEX, K_READ, K_WRITE, K_ATOMIC, K_PAST };

/* Base address at which caches and partitions see local memory and parameters: above all
 * allocations. */
#define LOCAL_PHYS (1ull << 44)
#define PARAM_PHYS (1ull << 43)

struct lsu_entry {
	struct flight *op;
	cycle_t at; /* cycle in which the instruction's operands have been read */
	uint8_t kind;
	bool local;
	uint32_t
		held; /* lsu.data_cycles: least number of cycles for which the entry occupies the unit;
	                * 0: one per access */
	cycle_t until; /* cycle in which `held` has passed; valid when an access has started */
	uint32_t cycles, lat; /* K_DELAY: cycles for which the unit is occupied; cycles from then to
	                       * the result */
	uint32_t ntx, next;   /* number of accesses; index of the next to start */
	struct tx tx[TX_MAX];
};

struct stage { /* an access in the pipeline before the tags */
	struct flight *op;
	struct tx tx;
	cycle_t at; /* cycle in which it reaches the tags */
	uint8_t kind;
	bool local;
};

struct lsu {
	struct lsu_entry *q;
	uint32_t head, n, cap, room; /* head, n, cap: the ring `q`; room: entries that issue may
				      * fill */
	cycle_t free;                /* cycle in which the unit takes the next access */
	uint32_t busy;               /* cycles for which the access being started occupies the
				      * unit */
	cycle_t blocked_at;          /* cycle since which accesses have been refused;
	                                       * NEVER: not refused */
	cycle_t retry;               /* cycle in which the port may accept the refused access */
	struct stage *pipe;          /* quirk late-lookup: the pipeline before the tags, a ring */
	uint32_t pipe_head, pipe_n, pipe_cap; /* pipe_cap 0: there is no pipeline */
	cycle_t pipe_blocked_at, pipe_retry;
	int lacks, pipe_lacks; /* slice whose credits a refused access lacks; -1: none */
	const struct coal_ops *coal;
	uint16_t line; /* line size that coalescing uses, bytes */
	bool down;     /* quirk accesses-down */
	cycle_t *
		returned; /* per lane: cycle in which the data of its loads with conflicts have returned */
};

static inline bool lsu_full(const struct lsu *l) { return l->n >= l->room; }
/* True if the memory system refuses the unit's accesses. */
static inline bool lsu_blocked(const struct lsu *l)
{
	return l->blocked_at != NEVER || l->pipe_blocked_at != NEVER;
}

/* True if the access goes through the pipeline before the tags. */
static inline bool lsu_piped(const struct lsu *l, const struct lsu_entry *e)
{
	return l->pipe_cap && (e->kind == K_READ || e->kind == K_WRITE);
}

/* The next cycle with work of the pipeline before the tags (lsu_pipe_wake), of the queue's first
 * instruction, and of either. A refused access is tried again after the memory system has moved. */
static inline cycle_t lsu_pipe_wake(const struct sm *sm)
{
	const struct lsu *l = sm->lsu;
	if (!l->pipe_n)
		return NEVER;
	if (l->pipe_blocked_at != NEVER)
		return sm->l1->moved ? sm->now : l->pipe_retry;
	return l->pipe[l->pipe_head].at;
}

static inline cycle_t lsu_entry_wake(const struct sm *sm)
{
	const struct lsu *l = sm->lsu;
	if (!l->n)
		return NEVER;
	if (l->blocked_at != NEVER && lsu_piped(l, &l->q[l->head]))
		return l->pipe_n < l->pipe_cap ? sm->now : NEVER;
	if (l->blocked_at != NEVER)
		return sm->l1->moved ? sm->now : l->retry;
	cycle_t at = l->q[l->head].at;
	return at > l->free ? at : l->free;
}

static inline cycle_t lsu_wake(const struct sm *sm)
{
	cycle_t a = lsu_entry_wake(sm), b = lsu_pipe_wake(sm);
	return a < b ? a : b;
}

/* Decides how e, whose op is set, is processed: its kind, and its accesses or the cycles that it
 * takes. May change the addresses in `a`. */
void access_decide(struct sm *sm, struct lsu_entry *e, struct lane_access *a);
/* Perfect memory in the locked pipeline: cycles of an instruction's accesses one after the other,
 * for the kinds that perfect.* charges; otherwise 1. */
unsigned access_serial(struct sm *sm, struct flight *op, struct lane_access *a);

#endif
