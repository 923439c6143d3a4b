/* The part of a policy's table that all families share.
 *
 * 	family   a decision of the model, such as warp scheduling: a folder of src/, a struct NAME_ops
 * 	         that begins with a struct policy, and a row of families.def
 * 	policy   a way to decide it: a table `const struct NAME_ops NAME_x` in a file of the folder
 *
 * Files of the folder without a table are helpers of the family's policies. registry.h finds
 * policies by family and name. Functions of a single family are in its struct NAME_ops: this header
 * knows no family. */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H
#include <stddef.h>

struct facts;
struct machine;
struct option_table;
struct stat_table;

enum { POLICY_TABLES = 2 };

struct policy {
	const char *name;               /* name in configurations */
	const char *help;               /* one line */
	const char *ref;                /* paper and section; "": none */
	const struct stat_table *stats; /* the policy's counters; NULL: none */
	size_t state_size;              /* bytes of state, which the host allocates, zeroed */
	/* Tables of the options that the policy reads (conf/option.h), ended by NULL. Several
	 * policies may read one table. */
	const struct option_table *options[POLICY_TABLES];
	/* Optional. Adds facts about a machine that has chosen the policy to `f`, for code outside
	 * the family (conf/facts.h). Called once, when all options have been read. */
	void (*describe)(const struct machine *m, struct facts *f);
	/* Optional. Returns the reason why an option has no effect on a machine that has chosen the
	 * policy; NULL: it may have one. */
	const char *(*unused)(const struct machine *m, const char *key);
};

/* Returns the name of the policy whose table is `ops`. */
static inline const char *policy_name(const void *ops)
{
	return ((const struct policy *)ops)->name;
}

#endif
