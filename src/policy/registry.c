#include "policy/registry.h"

#include <string.h>

static const char *const folders[FAMILIES] = {
#define FAMILY(f, folder) [FAMILY_##f] = folder,
#include "policy/families.def"
#undef FAMILY
};

const char *family_folder(enum family f) { return folders[f]; }

/* Policies that a process has added, ended by an entry without a table. Tables are constants, so a
 * process has one list, as it has one program. */
static struct policy_entry extra[EXTRA_POLICIES + 1];
static unsigned nextra;

static const struct policy_entry *first_entry(void)
{
	return policy_list->ops ? policy_list : extra;
}

/* The entry behind e; its table is NULL at the end of both lists. */
static const struct policy_entry *next_entry(const struct policy_entry *e)
{
	bool added = e >= extra && e < extra + EXTRA_POLICIES;
	return e[1].ops || added ? e + 1 : extra;
}

bool policy_add(enum family f, const void *ops)
{
	if (nextra == EXTRA_POLICIES || policy_find(f, policy_name(ops)))
		return false;
	extra[nextra++] = (struct policy_entry){f, ops};
	return true;
}

const struct policy *policy_at(enum family f, unsigned i)
{
	for (const struct policy_entry *e = first_entry(); e->ops; e = next_entry(e))
		if (e->family == f && !i--)
			return e->ops;
	return NULL;
}

const struct policy *policy_find(enum family f, const char *name)
{
	for (const struct policy_entry *e = first_entry(); e->ops; e = next_entry(e))
		if (e->family == f && !strcmp(policy_name(e->ops), name))
			return e->ops;
	return NULL;
}

void policies_each(void (*fn)(enum family f, const struct policy *p, void *arg), void *arg)
{
	for (const struct policy_entry *e = first_entry(); e->ops; e = next_entry(e))
		fn(e->family, e->ops, arg);
}
