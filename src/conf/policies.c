#include "conf/policies.h"

#include <string.h>

/* Each family has its own type of table; here a table is only an address. */
#define FAMILY(f, folder)
#define POLICY(f, x) extern const struct f##_ops f##_##x;
#include "policies.def"
#undef FAMILY
#undef POLICY

static const struct {
	enum family family;
	const void *ops;
} all[] = {
#define FAMILY(f, folder)
#define POLICY(f, x) {FAMILY_##f, &f##_##x},
#include "policies.def"
#undef FAMILY
#undef POLICY
};
enum { ALL = sizeof all / sizeof *all };

static const char *const folders[FAMILIES] = {
#define FAMILY(f, folder) [FAMILY_##f] = folder,
#define POLICY(f, x)
#include "policies.def"
#undef FAMILY
#undef POLICY
};

const char *family_folder(enum family f) { return folders[f]; }

const struct policy *policy_at(enum family f, unsigned i)
{
	for (unsigned k = 0; k < ALL; k++)
		if (all[k].family == f && !i--)
			return all[k].ops;
	return NULL;
}

const struct policy *policy_find(enum family f, const char *name)
{
	for (unsigned k = 0; k < ALL; k++)
		if (all[k].family == f && !strcmp(policy_name(all[k].ops), name))
			return all[k].ops;
	return NULL;
}

void policies_each(void (*fn)(const struct policy *p, void *arg), void *arg)
{
	for (unsigned k = 0; k < ALL; k++)
		fn(all[k].ops, arg);
}
