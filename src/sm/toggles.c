#include "sm/toggles.h"

#include "base/arena.h"
#include "sm/share.h"

enum { PORTS = 8 }; /* operands beyond these reuse the ports in turn */

struct toggles {
	uint32_t operand[UNIT_COUNT][PORTS][MAX_LANES];
	uint32_t result[UNIT_COUNT][PORTS][MAX_LANES];
	/* the instruction that is being executed: its shares, and where their registers are */
	unsigned n;
	struct share share[MAX_LANES];
	const uint32_t *rows[MAX_LANES];    /* per share: rows of the frame */
	uint8_t lane[MAX_LANES][MAX_LANES]; /* per share and lane: the unit's lane that the thread
	                                     * uses */
};

struct toggles *toggles_new(void) { return xcalloc(1, sizeof(struct toggles)); }

void toggles_free(struct toggles *c) { free(c); }

void toggles_forget(struct toggles *c)
{
	memset(c->operand, 0, sizeof c->operand);
	memset(c->result, 0, sizeof c->result);
}

/* Counts the bits that change when the words of one row pass through a port, thread by thread. */
static uint64_t pass_words(uint32_t port[MAX_LANES], const struct share *p, const uint8_t *lane,
			   const uint32_t *row)
{
	uint64_t changed = 0;
	for (uint32_t m = p->lanes; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		changed += (unsigned)__builtin_popcount(port[lane[i]] ^ row[i]);
		port[lane[i]] = row[i];
	}
	return changed;
}

static uint64_t all_rows(struct toggles *c, uint32_t port[PORTS][MAX_LANES], const uint16_t *row,
			 unsigned n)
{
	uint64_t changed = 0;
	for (unsigned k = 0; k < n; k++)
		for (unsigned i = 0; i < c->n; i++)
			changed += pass_words(port[k % PORTS], &c->share[i], c->lane[i],
					      c->rows[i] + (size_t)row[k] * LANES);
	return changed;
}

/* Finds each thread's lane of the unit; lanes count from the first that the warp is bound to. */
static void find_lanes(struct sm *sm, const struct group *g, struct toggles *c, unsigned i)
{
	unsigned beat = sm->rf.beat, first = sm_home(sm, g)->lane * beat;
	for (lanemask q = c->share[i].pos; q; q &= q - 1) {
		unsigned at = (unsigned)__builtin_ctzll(q);
		c->lane[i][share_lane(g, &c->share[i], at)] =
			(uint8_t)((first + at % beat) % MAX_LANES);
	}
}

void toggles_operands(struct sm *sm, int g, const struct tinst *t, lanemask m)
{
	struct toggles *c = sm->toggles;
	const struct group *gr = &sm->div.group[g];
	if (t->scalar)
		m &= -m;
	c->n = t->nread + t->nwrite ? share_find(sm, gr, m, c->share) : 0;
	for (unsigned i = 0; i < c->n; i++) {
		c->rows[i] =
			(const uint32_t *)(c->share[i].ws->rows + (size_t)gr->frame.rows * ROW);
		find_lanes(sm, gr, c, i);
	}
	sm->stats.operand_toggles[t->opclass] +=
		all_rows(c, c->operand[t->unit], t->read, t->nread);
}

void toggles_results(struct sm *sm, const struct tinst *t)
{
	struct toggles *c = sm->toggles;
	if (!(t->flags & (T_CTL | T_DEFER)))
		sm->stats.result_toggles[t->opclass] +=
			all_rows(c, c->result[t->unit], t->read + t->nread, t->nwrite);
}
