/* A machine: the values of all options, after defaults, configuration files and --set. Values are
 * numbers, enumerators of choices.h, and tables of policies, not texts. A machine is immutable once
 * made; components keep a pointer to it. Options are listed in conf/option.h. */
#ifndef CONF_MACHINE_H
#define CONF_MACHINE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "conf/choices.h"
#include "conf/facts.h"
#include "conf/quirks.h"

/* A named number of an option of kind TABLE or REALS. */
struct named_num {
	const char *name;
	uint32_t value;
	bool used;   /* the simulation has read the entry */
	double real; /* the value if the table is REALS */
	struct named_num *next;
};

/* Classes of instructions with equal timing, and the machine's timing of each. */
enum time_class {
#define TIME(c, latency, interval, most, help, again) TIME_##c,
#include "conf/options.def"
	TIME_COUNT
};
struct op_time {
	uint32_t latency;  /* cycles from entering the unit to the result */
	uint32_t interval; /* cycles between two instructions on one unit */
};

struct machine {
	struct op_time time[TIME_COUNT];
#define TIME(c, latency, interval, most, help, again)
#define NUM(field, key, def, min, max, unit, help)  uint32_t field;
#define REAL(field, key, def, min, max, unit, help) double field;
#define BOOL(field, key, def, help)                 bool field;
#define CHOICE(field, key, def, list, help)         uint32_t field;
#define NAME(field, key, def, words, help)          const char *field;
#define POLICY(field, key, def, family, help)       const struct family##_ops *field;
#define TABLE(field, key, min, max, unit, help)     struct named_num *field;
#define REALS(field, key, min, max, unit, help)     struct named_num *field;
#define TEXT(field, key, def, help)                 const char *field;
#define QUIRKS(field, key, def, help)               uint32_t field;
#include "conf/options.def"
	const char *name;      /* name of the configuration */
	struct arena arena;    /* owns names and texts */
	struct origin *origin; /* [option number]: origin of the value */
	void **own;            /* [option table]: values of a policy's options, for machine_own() */
	struct facts facts;    /* facts stated by the chosen policies */
	struct calibration {
		const char *name; /* name of the calibration; NULL: none */
		uint64_t hash;    /* hash of the calibration file's contents */
		double error; /* mean of |relative error| on kernels that were not fitted; < 0: unknown */
	} cal;
};

static inline bool machine_quirk(const struct machine *m, enum quirk q)
{
	return quirk_in(m->quirks, q);
}

/* Reads a configuration by name (conf/NAME.ini) or file, with its bases, then applies `set`
 * ("key=value", NULL-terminated, or NULL). NULL name: the defaults. NULL, and errors in `d`, if
 * anything is wrong: an unknown key names the nearest one, a value out of range gives the range. */
struct machine *machine_read(const char *name, const char *const *set, struct diag *d);
/* Warns about each option of the command line that has no effect on this machine. */
void machine_unused(const struct machine *m, struct diag *d);
void machine_free(struct machine *m);
/* Sets one option, for calibration.c. Errors, with the place, in d. */
void machine_set(struct machine *m, const char *key, const char *text, const char *file,
		 unsigned line, struct diag *d);
/* Returns the values of a policy's own options; the file that defines the table knows their type. */
const void *machine_own(const struct machine *m, const struct option_table *t);
/* Returns an option's number by key, for callers that must not know the policy. */
double machine_number(const struct machine *m, const char *key);
/* Returns the value of an option as a text; buf is its storage. */
const char *machine_text(const struct machine *m, const char *key, char *buf, size_t n);
/* Checks each policy's options against the others: errors in d. */
void machine_check_own(const struct machine *m, struct diag *d);
/* True if a configuration or --set gave the option its value. */
bool machine_is_set(const struct machine *m, const char *key);
/* Returns the registers per thread of the kernel: the configured number; otherwise the estimate,
 * limited to the registers that an instruction of the machine can name. */
uint32_t machine_registers(const struct machine *m, const char *kernel, uint32_t estimate);
/* `heddle config show`: every option with value, unit, origin; then derived figures. */
void machine_print(const struct machine *m, FILE *f);

#endif
