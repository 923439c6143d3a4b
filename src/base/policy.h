/* What all families of policies share. A family is a folder and a struct NAME_ops that begins with a
 * `struct policy`; a policy is one file of the folder with one such table. The build lists the folders, and
 * conf/policies.h is the registry of all of them.
 *
 * A policy owns its options: the rows stand in its file, their values in a struct of its own (conf/option.h). */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H
#include <stddef.h>

struct option_table;
struct stat_table;

struct policy {
	const char *name, *help, *ref;  /* as in the configuration; one line; paper and section */
	const struct stat_table *stats; /* own counters, or NULL */
	size_t state_size;              /* allocated by the host, zeroed */
	const struct option_table *options; /* its own, or NULL; policies may share a table */
};

/* The name of any family's table, as configurations have it. */
static inline const char *policy_name(const void *ops)
{
	return ((const struct policy *)ops)->name;
}

#endif
