/* The list of policies that the program is linked with. It is the only file that depends on that
 * list: gen/policies.def has a line POLICY(family, name) for each policy (Makefile). */
#include "policy/registry.h"

/* Each family has its own type of table; here a table is an address. */
#define POLICY(f, x) extern const struct f##_ops f##_##x;
#include "policies.def"
#undef POLICY

const struct policy_entry policy_list[] = {
#define POLICY(f, x) {FAMILY_##f, &f##_##x},
#include "policies.def"
#undef POLICY
	{0, NULL},
};
