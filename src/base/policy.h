/* What all families of policies share. A family is a folder and a struct NAME_ops that begins with
 * a `struct policy`; a policy is one file of the folder with one such table. The build lists the
 * folders, and conf/policies.h is the registry of all of them.
 *
 * A policy owns its options: the rows stand in its file, their values in a struct of its own
 * (conf/option.h). */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H
#include <stdbool.h>
#include <stddef.h>

struct machine;
struct option_table;
struct stat_table;

struct policy {
	const char *name, *help, *ref;  /* as in the configuration; one line; paper and section */
	const struct stat_table *stats; /* own counters, or NULL */
	size_t state_size;              /* allocated by the host, zeroed */
	const struct option_table *options; /* its own, or NULL; policies may share a table */
	unsigned traits;                    /* POLICY_* bits */
	/* MAY, of lane organisations: threads that go side by side; NULL: sm.simd_width. */
	unsigned (*beat_lanes)(const struct machine *m);
	/* MAY, of lane organisations: register files of sm.register_banks banks; NULL: one. */
	unsigned (*files)(const struct machine *m);
};

/* Properties of a policy for code that does not know its family: the energy model and the check of
 * options. A policy declares them, so that no code compares names of policies. */
enum {
	POLICY_REGROUPS = 1,    /* threads change their group or lane: tables say where they are */
	POLICY_SCALAR_FILE = 2, /* lanes: a scalar unit with registers of its own */
	POLICY_HOPS = 4,        /* networks: flits take several links, and are counted on each */
	POLICY_LOCKS = 8,       /* pipelines: a group has one instruction in flight */
	POLICY_BUFFERS = 16,    /* dispatchers: an SM has a buffer of what it may start */
};
static inline bool policy_has(const void *ops, unsigned trait)
{
	return ((const struct policy *)ops)->traits & trait;
}

/* The name of any family's table, as configurations have it. */
static inline const char *policy_name(const void *ops)
{
	return ((const struct policy *)ops)->name;
}

#endif
