/* The registry of policies: all tables that the program is linked with, by family and name.
 *
 * families.def lists the families and changes rarely. Only list.c contains the list of policies,
 * which the build collects from the families' folders; no header depends on it, so a new policy
 * compiles its own file and list.c.
 *
 * Tables are opaque here: the registry reads only the struct policy at their beginning. A family's
 * header contains POLICY_FINDER(NAME), which defines NAME_find() and NAME_at() with the type of its
 * tables. */
#ifndef POLICY_REGISTRY_H
#define POLICY_REGISTRY_H
#include <stdbool.h>
#include <stddef.h>
#include "policy/policy.h"

#define FAMILY(f, folder) FAMILY_##f,
enum family {
#include "policy/families.def"
	FAMILIES
};
#undef FAMILY

/* Sorted by family, then by file; ended by an entry without a table (list.c). */
struct policy_entry {
	enum family family;
	const void *ops;
};
extern const struct policy_entry policy_list[];

/* Adds a policy to those that the program is linked with; its table stays in place. Must not be
 * called while a machine is read. False: a policy of that name exists, or there are EXTRA_POLICIES
 * already. */
enum { EXTRA_POLICIES = 64 };
bool policy_add(enum family f, const void *ops);

/* Returns policy number i of a family, in the order of their files; NULL: there are no more. */
const struct policy *policy_at(enum family f, unsigned i);
/* Returns the family's policy of that name; NULL: none. */
const struct policy *policy_find(enum family f, const char *name);
/* Calls fn for every policy of every family, in the order of the list. */
void policies_each(void (*fn)(enum family f, const struct policy *p, void *arg), void *arg);
/* Returns the folder of a family's policies, relative to src/: "sm/sched". */
const char *family_folder(enum family f);

#define POLICY_FINDER(f)                                                                           \
	_Static_assert(offsetof(struct f##_ops, p) == 0, "a table begins with its struct policy"); \
	static inline const struct f##_ops *f##_find(const char *name)                             \
	{                                                                                          \
		return (const struct f##_ops *)policy_find(FAMILY_##f, name);                      \
	}                                                                                          \
	static inline const struct f##_ops *f##_at(unsigned i)                                     \
	{                                                                                          \
		return (const struct f##_ops *)policy_at(FAMILY_##f, i);                           \
	}

#endif
