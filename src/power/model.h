/* Energy of a machine: a table of rows, each an event (a counter of the statistics) or a span of time with
 * its energy, computed from the machine's sizes and the technology, times the component's calibration
 * factor. The model reads the machine and statistics by their names, and nothing else. Rows are
 * evaluated in power/energy.h and printed in power/report.h.
 *
 *	E = sum(counter x joule) + seconds x watts, over all rows and instances.
 *
 * A new component is a row of component.def and a function that makes its rows. */
#ifndef POWER_MODEL_H
#define POWER_MODEL_H
#include "base/vec.h"
#include "power/array.h"
#include "power/opclass.h"
#include "stat/stat.h"

enum power_home { HOME_SM, HOME_SLICE, HOME_CHANNEL, HOME_GPU, HOME_COUNT };
enum power_component {
#define COMPONENT(name, home, help) COMP_##name,
#include "power/component.def"
#undef COMPONENT
	COMP_COUNT
};
struct power_component_info {
	const char *name, *help;
	enum power_home home;
};
extern const struct power_component_info power_components[COMP_COUNT];

/* How a row's energy is divided among classes of instructions. */
enum power_split {
	SPLIT_CLASS,  /* all energy goes to the class `cls` */
	SPLIT_OPS,    /* in proportion to warp instructions issued */
	SPLIT_SLOT,   /* by the counter's slots, which are opclasses */
	SPLIT_MEMORY, /* in proportion to requests at the L2 slices */
};

struct power_term {
	const char *name;
	double joule;
};

struct power_row {
	enum power_component comp;
	bool timed;        /* proportional to time or a state's time, not to events */
	const char *event; /* unique name of the event: rf_read */
	const char *inst,
		*counter; /* counter by table and name: sm, rf_reads; NULL: seconds, and `joule` is watts per instance */
	int slot;     /* slot of the counter; -1: all slots together */
	double joule; /* energy per event, calibrated */
	double hz;    /* clock frequency, Hz, if the counter counts time in cycles; 0: the counter
		    * counts events, or cycles are the events */
	double scale; /* calibration factor contained in `joule` */
	const char *formula, *source;
	enum power_split split;
	enum power_class cls;
	struct power_term term[8];
	unsigned nterms;
};

struct power_area {
	const char *what;
	enum power_component comp;
	double mm2, watts; /* area and leakage (W) per instance */
};

struct power_model {
	const struct machine *m;
	struct tech t;
	VEC(struct power_row) rows;
	VEC(struct power_area) areas;
	unsigned count[HOME_COUNT]; /* number of instances */
	double die, modelled;       /* areas of the die and of its modelled parts, mm^2 */
	double hz;
	struct arena arena;
	bool sm_only; /* gpu.perfect_memory */
};

/* Returns NULL after errors, which are in d: conflicting options, or an unknown scale.COMPONENT. */
struct power_model *power_new(const struct machine *m, struct diag *d);
void power_free(struct power_model *p);
const struct power_row *power_find(const struct power_model *p, const char *event);
/* The name of the event that is nearest to a word; NULL: none is near. */
const char *power_near(const struct power_model *p, const char *event);
/* The energy of one event of a row by name; 0: no such row. For tests and tools. */
double power_event(const struct power_model *p, const char *event);

/* Power of an idle machine, W: leakage, idle clocks, DRAM with closed rows, the constant part. */
double power_idle(const struct power_model *p);

/* ---- for functions that add rows ---- */
struct power_row *power_add(struct power_model *p, enum power_component c, const char *event,
			    const char *inst, const char *counter, double fj, const char *formula,
			    const char *source);
void power_term(struct power_row *r, const char *name,
		double fj); /* adds a term to the row's energy: unscaled fJ */
/* Adds leakage and area of an array or a block of logic, in each instance of its home. */
void power_static(struct power_model *p, enum power_component c, const char *what, double mm2,
		  double watts);
void power_add_front(struct power_model *p); /* units.c */
void power_add_units(struct power_model *p);
void power_add_policies(struct power_model *p);
void power_add_rf(struct power_model *p);                   /* rf.c */
void power_add_caches(struct power_model *p);               /* cache.c */
void power_add_noc(struct power_model *p);                  /* noc.c */
void power_add_dram(struct power_model *p, struct diag *d); /* dram.c */
void power_add_static(struct power_model *p);               /* static.c */

#endif
