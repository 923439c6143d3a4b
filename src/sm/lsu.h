/* Inside the load/store unit: instructions and the accesses they become. access.c makes accesses of
 * lanes' addresses when an instruction enters; lsu.c runs them. */
#ifndef SM_LSU_H
#define SM_LSU_H
#include "mem/coalesce.h"
#include "sm/l1.h"

enum { TX_MAX = 4 * COAL_MAX };
enum kind { K_DELAY, K_CONST, K_TEX, K_READ, K_WRITE, K_ATOMIC, K_PAST };

struct entry {
	struct flight *op;
	cycle_t at; /* its operands are there */
	uint8_t kind;
	bool local;
	uint32_t cycles, lat; /* K_DELAY: it occupies the unit; from its last cycle to the result */
	uint32_t ntx, next;   /* accesses; the next to start */
	struct tx tx[TX_MAX];
};

struct stage { /* an access on its way to the tags */
	struct flight *op;
	struct tx tx;
	cycle_t at; /* it gets there */
	uint8_t kind;
	bool local;
};

struct lsu {
	struct entry *q;
	uint32_t head, n, cap, room;          /* room: what issue may fill */
	cycle_t free;                         /* the unit takes the next access */
	cycle_t blocked_at;                   /* refused since; NEVER: not */
	cycle_t retry;                        /* when the port may take it */
	struct stage *pipe;                   /* l1d.lookup = last: a ring */
	uint32_t pipe_head, pipe_n, pipe_cap; /* pipe_cap 0: there is none */
	cycle_t pipe_blocked_at, pipe_retry;
	const struct coal_ops *coal;
	uint16_t line; /* that coalescing looks at */
	bool down;     /* lsu.order = down */
};

static inline bool lsu_full(const struct lsu *l) { return l->n >= l->room; }
/* By the memory system. */
static inline bool lsu_blocked(const struct lsu *l) { return l->blocked_at != NEVER || l->pipe_blocked_at != NEVER; }

/* Decides what e, whose op is set, has to do: its kind, and its accesses or the cycles it takes.
 * Addresses in `a` may be changed. */
void access_decide(struct sm *sm, struct entry *e, struct lane_access *a);

#endif
