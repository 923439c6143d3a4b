/* The list of policies that the program is linked with. Only this file depends on it:
 * gen/policies.def has a line POLICY(family, name) for each (Makefile). */
#include "policy/registry.h"

/* A family has a type of its own for its tables; here a table is an address. */
#define POLICY(f, x) extern const struct f##_ops f##_##x;
#include "policies.def"
#undef POLICY

const struct policy_entry policy_list[] = {
#define POLICY(f, x) {FAMILY_##f, &f##_##x},
#include "policies.def"
#undef POLICY
	{0, NULL},
};
