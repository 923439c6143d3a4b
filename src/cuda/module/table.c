/* Tables of kernels and variables, keyed by the host addresses and handles that programs use.
 * Nothing is loaded here. */
#include "cuda/memory/texref.h"
#include "cuda/module/module.h"
#include "cuda/process/alloc.h"

void texref_free(struct texref *r)
{
	if (r)
		free(r->name);
	free(r);
}

void module_forget_names(struct module *m)
{
	for (struct kernel *k = m->kernels, *next; k; k = next) {
		next = k->next;
		if (k->host)
			ptrmap_put(&process.modules.kernels, k->host, NULL);
		ptrmap_put(&process.modules.kernels, k, NULL);
		free(k->param);
		free(k->name);
		free(k);
	}
	for (struct symbol *s = m->symbols, *next; s; s = next) {
		next = s->next;
		ptrmap_put(&process.modules.symbols, s->host, NULL);
		texref_free(s->ref);
		free(s->name);
		free(s);
	}
}

void kernel_add(struct module *m, const void *host, const char *name)
{
	struct kernel *k = rt_alloc(sizeof *k);
	k->m = m;
	k->name = rt_string(name);
	k->host = host;
	k->carveout = -1;
	pthread_mutex_lock(&process.lock);
	k->next = m->kernels;
	m->kernels = k;
	if (host)
		ptrmap_put(&process.modules.kernels, host, k);
	ptrmap_put(&process.modules.kernels, k, k); /* key of cudaKernel_t and CUfunction */
	pthread_mutex_unlock(&process.lock);
}

struct kernel *kernel_known(const void *host)
{
	pthread_mutex_lock(&process.lock);
	struct kernel *k = host ? ptrmap_get(&process.modules.kernels, host) : NULL;
	pthread_mutex_unlock(&process.lock);
	return k;
}

void symbol_add(struct module *m, const struct symbol *from)
{
	struct symbol *s = rt_copy(from, sizeof *from);
	s->m = m;
	s->name = rt_string(from->name);
	pthread_mutex_lock(&process.lock);
	s->next = m->symbols;
	m->symbols = s;
	ptrmap_put(&process.modules.symbols, s->host, s);
	pthread_mutex_unlock(&process.lock);
}
