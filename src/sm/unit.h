/* A set of units with their operand collectors, banks of registers and write-back ports: what one
 * lane of an organisation (lanes.h) has, and what instructions reserve of it when they are
 * issued. */
#ifndef SM_UNIT_H
#define SM_UNIT_H
#include "base/wheel.h"
#include "sm/tinst.h"

struct machine;
struct sm;

struct servers { /* equal units; which one serves does not matter, only when one can */
	uint8_t n, first;
	cycle_t free[32]; /* when each takes the next: a ring, from `first` on the soonest first */
};
struct collectors {              /* of a class of units, with the registers before and after them */
	cycle_t open;            /* when the register before them takes the next: last[k].entered */
	uint8_t ports, k;        /* k: the oldest of those in last[] */
	struct passage {         /* of the last `ports` instructions: */
		cycle_t entered; /* when they got a collector */
		cycle_t taken;   /* and a unit took them */
	} last[8];
	struct servers coll;
};

enum { C_ALU, C_SFU, C_MEM, C_COUNT }; /* classes of units: who shares collectors */

/* What is known of the cycles ahead: rings, in which cycle c is at c mod WB_AHEAD. Those that have
 * passed are zero. */
enum { WB_AHEAD = 512 };
struct ahead {
	uint64_t *banks;  /* that results are written to */
	uint64_t *reads;  /* sm.collector_order = ready: that are read; else NULL */
	uint8_t *results; /* of the units, that are written: how many */
	cycle_t from;     /* the first that has not passed */
	cycle_t end;      /* nothing is known from here on */
};

struct entry_slot;
struct lane_set {
	struct servers unit[UNIT_COUNT];
	struct collectors coll[C_COUNT];
	struct route { /* of an instruction for each kind of unit: in unit[] and coll[] above */
		struct collectors *coll;
		struct servers *unit;
	} route[UNIT_COUNT];
	cycle_t *bank; /* when each has been read for all that were issued */
	struct ahead wb;
	cycle_t mem_wb;                       /* when the last result of memory was written */
	struct entry_slot *entry[UNIT_COUNT]; /* of each kind: collect/ready.c */
	uint32_t bank_mask;                   /* banks less 1; 0: not a power of two */
	const struct coll_ops *order;         /* sm.collector_order: collect.h */
};

/* As the machine says for an SM. */
void lane_set_init(struct lane_set *s, const struct machine *m);
void lane_set_free(struct lane_set *s);
/* The cycles before `now` have passed. */
void ahead_pass(struct ahead *a, cycle_t now);
/* Could the set take an instruction for a unit of the kind now? Else *wake is no later than when it
 * can. A full load/store unit is not its concern. */
static inline bool lane_set_takes(const struct lane_set *s, unsigned unit, cycle_t now,
				  cycle_t *wake)
{
	cycle_t open = s->route[unit].coll->open;
	if (open <= now)
		return true;
	if (open < *wake)
		*wake = open;
	return false;
}
/* ---- collect/ready.c, for its test ---- */
cycle_t entry_take(struct sm *sm, struct lane_set *s, unsigned u, unsigned ports, cycle_t lat,
		   cycle_t ii, cycle_t *ready);

#endif
