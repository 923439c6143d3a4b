/* Statistics: a component declares a static table of its counters; an instance is a plain struct
 * of uint64_t fields in the order of the table, so that counting is `s->hits++` and merging,
 * printing and the manual's chapter need no further code. Reports are printed here and as JSON in
 * stat/json.h. Table and struct come from one list:
 *
 *	#define CACHE_STATS(X)                                                    \
 *		X(hits, STAT_SUM, 1, "accesses", "accesses found in the cache")            \
 *		X(wait, STAT_SUM, 16, "cycles", "histogram of waiting, by power of two")
 *	struct cache_stats { STAT_FIELDS(CACHE_STATS) };
 *	static const struct stat_def cache_defs[] = { STAT_DEFS(CACHE_STATS) };
 *	const struct stat_table cache_stats = STAT_TABLE("cache", cache_defs, cache_derived); */
#ifndef STAT_STAT_H
#define STAT_STAT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum stat_kind {
	STAT_SUM,  /* counts: added over instances and launches */
	STAT_MAX,  /* peaks: the largest of all instances and launches */
	STAT_REAL, /* sums held as a double in the counter's place, see stat_real() */
};

struct stat_def {
	const char *name, *unit, *help;
	enum stat_kind kind;
	unsigned slots; /* number of values: 1; of a histogram: number of buckets */
};

/* A figure computed from the counters when they are printed: a rate, a mean. */
struct stat_derived {
	const char *name, *unit, *help;
	double (*value)(const void *stats);
};

struct stat_table {
	const char *component;
	const struct stat_def *def;
	unsigned n;
	const struct stat_derived *derived;
	unsigned nderived;
};

#define STAT_FIELD_(name, kind, slots, unit, help) uint64_t name[slots];
#define STAT_DEF_(name, kind, slots, unit, help)   {#name, unit, help, kind, slots},
/* Every field is an array so that one list serves counters and histograms: counters are s->name[0],
 * written STAT(s, name). */
#define STAT_FIELDS(LIST) LIST(STAT_FIELD_)
#define STAT_DEFS(LIST)   LIST(STAT_DEF_)
#define STAT(s, name)     ((s)->name[0])
#define STAT_COUNT_OF(a)  (sizeof(a) / sizeof *(a))
/* clang-format off */
#define STAT_TABLE(component, defs, derived)                                                       \
	{component, defs, STAT_COUNT_OF(defs), derived, STAT_COUNT_OF(derived)}
#define STAT_TABLE_PLAIN(component, defs) {component, defs, STAT_COUNT_OF(defs), NULL, 0}
/* clang-format on */

static inline double stat_real(uint64_t v)
{
	double x;
	memcpy(&x, &v, sizeof x);
	return x;
}
static inline uint64_t stat_of_real(double x)
{
	uint64_t v;
	memcpy(&v, &x, sizeof v);
	return v;
}

static inline unsigned
stat_log2_bucket(uint64_t v,
		 /* bucket of a value: 0 in bucket 0, 1 in 1, 2-3 in 2, 4-7 in 3, ... */
		 unsigned slots)
{
	unsigned b = v ? 64 - (unsigned)__builtin_clzll(v) : 0;
	return b < slots ? b : slots - 1;
}

size_t stat_slots(const struct stat_table *t); /* number of uint64_t values of an instance */
void stat_merge(const struct stat_table *t, void *into, const void *from);
/* Replaces *into by the difference to *before, two readings of one instance: sums are subtracted,
 * peaks stay. */
void stat_since(const struct stat_table *t, void *into, const void *before);

/* A report: instances to be printed, in the order in which they were added. Values are copied. */
struct stat_report;
struct stat_report *stat_report_new(void);
void stat_report_free(struct stat_report *r);
/* A view of running counters: values are not copied and must outlive the view. For stat_report_at() and
 * stat_report_copy(). Its entries are grouped into units. */
struct stat_report *stat_report_live(void);
/* Begins a unit of a view: entries added from now on belong to it. Entries added before the first
 * call belong to unit 0; so do entries added after the first call if no entry was added before. */
void stat_report_unit(struct stat_report *live);
/* Returns a report with the present values of a view's counters. `like`: for each unit, the first
 * unit that has the same entries with the same values, or the unit itself; units that are alike
 * share one copy of their values. NULL: each unit has its own copy. */
struct stat_report *stat_report_copy(const struct stat_report *live, const uint32_t *like);
/* Returns the difference between the present values of a view's counters and `before`, a copy of
 * the view. The result equals stat_report_since() of two copies, but needs one pass. */
struct stat_report *stat_report_copy_since(const struct stat_report *live, const uint32_t *like,
					   const struct stat_report *before);
/* Returns, per unit, the address of its values in a copy: the value of an entry is at [unit] +
 * place. Equal addresses: the units are alike. NULL: the report is not a copy. */
const uint64_t *const *stat_report_units(const struct stat_report *r);
/* Removes numbered instances. Call after stat_report_total(). */
void stat_report_reduce(struct stat_report *r);
struct stat_entry {
	const struct stat_table *t;
	const char *name; /* outlives the report: a literal, or a table's component */
	int index;
	uint32_t slots; /* number of values of the instance */
	bool sums;      /* all values are of kind STAT_SUM */
	uint32_t unit,
		/* in views and their copies: unit of the entry, and index of its first value in the
		 * unit */
		place;
	uint64_t *values;
};
/* Returns entry i, in order of addition; NULL: there is no entry i. */
const struct stat_entry *stat_report_at(const struct stat_report *r, size_t i);
/* Returns the index of a statistic's first value in an instance of the table, and its number of
 * values in *slots. -1: the table has no statistic of that name. */
int stat_find(const struct stat_table *t, const char *name, unsigned *slots);
/* `index` numbers instances of one component ("l1d", 3); -1: a single instance or the total. The name is
 * not copied. */
void stat_report_add(struct stat_report *r, const struct stat_table *t, const char *name, int index,
		     const void *values);
/* Turns r into the difference between two reports of one set of instances, e.g. before and after a
 * launch: stat_since() for each entry of `before` that `r` has too. Entries of `r` that `before`
 * lacks keep their values. Units of a copy that are alike must have been alike in `before`. Call before
 * stat_report_total(). */
void stat_report_since(struct stat_report *r, const struct stat_report *before);
/* Inserts the total of all numbered instances of each name, in front of them. */
void stat_report_total(struct stat_report *r);

void stat_print_text(const struct stat_report *r, FILE *f,
		     int instances); /* instances: 0: only totals and single instances */
#define STAT_CSV_COLUMNS "component,index,statistic,bucket,value,unit"
/* Prints rows of these columns, each after `prefix` (further columns, or ""). Index -1: a total or a single
 * instance. */
void stat_print_csv(const struct stat_report *r, FILE *f, const char *prefix);
int stat_print_json(const struct stat_report *r, FILE *f);   /* -1: writing failed */
void stat_print_manual(const struct stat_table *t, FILE *f); /* Markdown */

#endif
