/* What all families of policies share: a policy is one file with one table of functions, its folder
 * is the registry (the build lists it), and its name in the table is its name in a
 * configuration. */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H
#include <stddef.h>

struct stat_table;

struct policy {
	const char *name, *help, *ref;  /* as in the configuration; one line; paper and section */
	const struct stat_table *stats; /* own counters, or NULL */
	size_t state_size;              /* allocated by the host, zeroed */
};

#endif
