#include "policy/registry.h"

#include <string.h>

static const char *const folders[FAMILIES] = {
#define FAMILY(f, folder) [FAMILY_##f] = folder,
#include "policy/families.def"
#undef FAMILY
};

const char *family_folder(enum family f) { return folders[f]; }

const struct policy *policy_at(enum family f, unsigned i)
{
	for (const struct policy_entry *e = policy_list; e->ops; e++)
		if (e->family == f && !i--)
			return e->ops;
	return NULL;
}

const struct policy *policy_find(enum family f, const char *name)
{
	for (const struct policy_entry *e = policy_list; e->ops; e++)
		if (e->family == f && !strcmp(policy_name(e->ops), name))
			return e->ops;
	return NULL;
}

void policies_each(void (*fn)(enum family f, const struct policy *p, void *arg), void *arg)
{
	for (const struct policy_entry *e = policy_list; e->ops; e++)
		fn(e->family, e->ops, arg);
}
