/* The registry of policies: every file of every family's folder (gen/policies.def, made by the
 * build). Here the tables are opaque: the registry knows only the `struct policy` that each begins
 * with. Users see the family's type through POLICY_FINDER, and a machine holds typed pointers
 * (conf/machine.h). */
#ifndef CONF_POLICIES_H
#define CONF_POLICIES_H
#include <stddef.h>
#include "base/policy.h"

#define FAMILY(f, folder) FAMILY_##f,
#define POLICY(f, x)
enum family {
#include "policies.def"
	FAMILIES
};
#undef FAMILY
#undef POLICY

/* Policy i of the family, in the order of their names; NULL: there are no more. */
const struct policy *policy_at(enum family f, unsigned i);
/* NULL: the family has none of that name. */
const struct policy *policy_find(enum family f, const char *name);
const char *family_folder(enum family f); /* "sm/sched" */
/* Every policy of every family. */
void policies_each(void (*fn)(const struct policy *p, void *arg), void *arg);

/* NAME_find(): a policy of the family NAME by its name, and NAME_at() by its number. */
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
