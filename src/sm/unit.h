/* A set of execution units with operand collectors, register banks and write-back ports: the
 * hardware of one lane (lanes.h). Nothing here is simulated cycle by cycle: an instruction reserves
 * the cycles that it needs of each part when it issues. collect.h does that; read it next. */
#ifndef SM_UNIT_H
#define SM_UNIT_H
#include "base/wheel.h"
#include "sm/tinst.h"

struct machine;
struct sm;

/* Interchangeable units: the model asks only when the next unit is free, not which. */
struct servers {
	uint8_t n, first;
	cycle_t free[32]; /* per unit: cycle it is free; sorted ring starting at `first` */
};

/* The operand collectors of a class of units, and the pipeline registers before and after them.
 *
 *	issue -> register (ports places) -> collector -> register (ports places) -> unit */
struct collectors {
	cycle_t open;            /* cycle in which the first register takes the next instruction */
	uint8_t ports, k;        /* k: index in last[] of the oldest instruction */
	struct passage {         /* the last `ports` instructions that passed */
		cycle_t entered; /* cycle in which the instruction got a collector */
		cycle_t taken;   /* cycle in which a unit took the instruction */
	} last[8];
	struct servers coll;
};

enum { C_ALU, C_SFU, C_MEM, C_COUNT }; /* classes of units: units of a class share collectors */

/* Reservations of the coming cycles: rings, in which cycle c is at index c mod WB_AHEAD. Entries of
 * cycles that have passed are zero. */
enum { WB_AHEAD = 512 };
struct ahead {
	uint64_t *banks;  /* per cycle: mask of banks to which results are written */
	uint64_t *reads;  /* per cycle: mask of banks that are read; NULL unless sm.collector_order
			 * = ready */
	uint8_t *results; /* per cycle: results of the units that are written */
	cycle_t from;     /* the first cycle that has not passed */
	cycle_t end;      /* no reservation is at this cycle or later */
};

struct entry_slot;
struct lane_set {
	struct servers unit[UNIT_COUNT];
	struct collectors coll[C_COUNT];
	struct route { /* per kind of unit: indices in unit[] and coll[] that its instructions
		        * use */
		struct collectors *coll;
		struct servers *unit;
	} route[UNIT_COUNT];
	cycle_t *bank; /* per bank: cycle in which the last operand read of issued instructions is
			  done */
	struct ahead wb;
	cycle_t mem_wb;                       /* cycle in which memory last wrote a result */
	struct entry_slot *entry[UNIT_COUNT]; /* per kind of unit: state of collect/ready.c */
	uint32_t bank_mask;           /* number of banks less 1; 0: the number is not a power of
				       * two */
	const struct coll_ops *order; /* policy of sm.collector_order: collect.h */
};

/* Builds the units, collectors and banks that the machine's options give an SM. */
void lane_set_init(struct lane_set *s, const struct machine *m);
void lane_set_free(struct lane_set *s);
/* Clears the reservations of cycles before `now`. */
void ahead_pass(struct ahead *a, cycle_t now);
/* True if the set can take an instruction for a unit of the kind in cycle `now`; otherwise *wake
 * becomes no later than the cycle in which it can. Whether the load/store unit is full is not asked
 * here. */
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
