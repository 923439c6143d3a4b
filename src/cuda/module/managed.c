/* Managed variables that `heddle cc` registers: host variable and device variable are one memory
 * (docs/use/cuda-build.md). */
#include "cuda/module/managed.h"
#include "cuda/process/alloc.h"

struct managed {
	struct symbol s;
	bool mapped;
	struct managed *next;
};

RT_TYPE(void, __heddleRegisterManaged, (void *host, const char *name, size_t size))
{
	struct managed *v = rt_alloc(sizeof *v);
	v->s = (struct symbol){.kind = SYM_MANAGED,
			       .name = (char *)(uintptr_t)name,
			       .host = host,
			       .size = size,
			       .addr = (uint64_t)(uintptr_t)host};
	pthread_mutex_lock(&process.lock);
	struct managed **p = &process.modules.managed;
	while (*p)
		p = &(*p)->next;
	*p = v;
	pthread_mutex_unlock(&process.lock);
}

/* Page ranges that contain only managed variables, one per part of the program. */
struct managed_part {
	uintptr_t start, stop;
	struct managed_part *next;
};

RT_TYPE(void, __heddleManagedPages, (const void *start, const void *stop))
{
	pthread_mutex_lock(&process.lock);
	struct managed_part *p = process.modules.managed_parts;
	while (p && p->start != (uintptr_t)start)
		p = p->next;
	if (!p && start != stop) {
		p = rt_alloc(sizeof *p);
		*p = (struct managed_part){(uintptr_t)start, (uintptr_t)stop,
					   process.modules.managed_parts};
		process.modules.managed_parts = p;
	}
	pthread_mutex_unlock(&process.lock);
}

void managed_each(void (*f)(uintptr_t lo, size_t size))
{
	for (const struct managed *v = process.modules.managed; v; v = v->next)
		for (const struct managed_part *p = process.modules.managed_parts; p && v->mapped;
		     p = p->next)
			if (v->s.addr >= p->start && v->s.addr < p->stop)
				f((uintptr_t)v->s.addr, v->s.size);
}

void managed_map(struct heddle *h, struct heddle_module *m)
{
	for (struct managed *v = process.modules.managed; v; v = v->next)
		if (!v->mapped &&
		    !heddle_symbol_map(h, m, v->s.name, (void *)(uintptr_t)v->s.host, false))
			v->mapped = true;
}

void managed_reset(void)
{
	for (struct managed *v = process.modules.managed; v; v = v->next)
		v->mapped = false;
}

struct symbol *managed_symbol(const void *host)
{
	for (struct managed *v = process.modules.managed; v; v = v->next)
		if (v->s.host == host)
			return &v->s;
	return NULL;
}
