#include "gpu/dispatch.h"

#define POLICY(x) extern const struct disp_ops disp_##x;
#include "gpu_dispatch.def"
#undef POLICY
static const struct disp_ops *const all[] = {
#define POLICY(x) &disp_##x,
#include "gpu_dispatch.def"
#undef POLICY
};

const struct disp_ops *disp_find(const char *name)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i]->p.name, name))
			return all[i];
	return NULL;
}

void disp_each(void (*fn)(const struct policy *p, void *arg), void *arg)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		fn(&all[i]->p, arg);
}
