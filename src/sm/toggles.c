#include "sm/toggles.h"

#include "base/arena.h"
#include "sm/part.h"

enum { PORTS = 8 }; /* wider instructions use them in turn */

struct toggles {
	uint32_t operand[UNIT_COUNT][PORTS][MAX_LANES];
	uint32_t result[UNIT_COUNT][PORTS][MAX_LANES];
	/* of the instruction that is being executed: its threads, and where their registers are */
	unsigned n;
	struct part part[MAX_LANES];
	const uint32_t *rows[MAX_LANES];    /* of each part, those of the frame */
	uint8_t lane[MAX_LANES][MAX_LANES]; /* of each part, the unit's lane of its lane's thread */
};

struct toggles *toggles_new(void) { return xcalloc(1, sizeof(struct toggles)); }

void toggles_free(struct toggles *c) { free(c); }

void toggles_forget(struct toggles *c)
{
	memset(c->operand, 0, sizeof c->operand);
	memset(c->result, 0, sizeof c->result);
}

/* The words of one row, thread by thread, through one port. */
static uint64_t through(uint32_t port[MAX_LANES], const struct part *p, const uint8_t *lane,
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
			changed += through(port[k % PORTS], &c->part[i], c->lane[i],
					   c->rows[i] + (size_t)row[k] * LANES);
	return changed;
}

/* Lanes count from the first of those that the warp is bound to. */
static void find_lanes(struct sm *sm, const struct group *g, struct toggles *c, unsigned i)
{
	unsigned beat = sm->rf.beat, first = sm_home(sm, g)->lane * beat;
	for (lanemask q = c->part[i].pos; q; q &= q - 1) {
		unsigned at = (unsigned)__builtin_ctzll(q);
		c->lane[i][part_lane(g, &c->part[i], at)] =
			(uint8_t)((first + at % beat) % MAX_LANES);
	}
}

void toggles_operands(struct sm *sm, int g, const struct tinst *t, lanemask m)
{
	struct toggles *c = sm->toggles;
	const struct group *gr = &sm->div.group[g];
	if (t->scalar)
		m &= -m;
	c->n = t->nread + t->nwrite ? part_find(sm, gr, m, c->part) : 0;
	for (unsigned i = 0; i < c->n; i++) {
		c->rows[i] = (const uint32_t *)(c->part[i].ws->rows + (size_t)gr->frame.rows * ROW);
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
