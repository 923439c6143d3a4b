/* Policies from shared objects: see heddle_policies_add(). */
#include "api/api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include "policy/registry.h"

static char *describe_failure(const char *fmt, const char *file, const char *why)
{
	char *text;
	return asprintf(&text, fmt, file, why) < 0 ? xstrdup(file) : text;
}

char *heddle_policies_add(const char *file)
{
	void *so = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!so)
		return describe_failure("%s: %s", file, dlerror());
	const struct policy_entry *e = dlsym(so, "heddle_policies");
	const char *version = dlsym(so, "heddle_policies_version");
	if (!e || !version || strcmp(version, HEDDLE_VERSION)) {
		char *why = describe_failure("%s: expected policies made for Heddle %s", file,
					     HEDDLE_VERSION);
		dlclose(so);
		return why;
	}
	for (; e->ops; e++)
		if (!policy_add(e->family, e->ops))
			return describe_failure(
				"%s: the policy name %s is taken, or there are too many policies",
				file, policy_name(e->ops));
	return NULL;
}
