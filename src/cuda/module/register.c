/* What compilers emit: registration of programs, kernels and variables before main(), and the
 * launch configuration of <<< >>>. */
#include "cuda/module/managed.h"
#include "cuda/process/alloc.h"
#include "cuda/rt.h"

/* ---- programs ---- */

RT_TYPE(void **, __cudaRegisterFatBinary, (void *wrapper))
{
	struct module *m = module_new(wrapper, 0);
	module_add(m);
	return (void **)m;
}

RT_TYPE(void, __cudaRegisterFatBinaryEnd, (void **handle))
{
	(void)handle;
}

RT_TYPE(void, __cudaUnregisterFatBinary, (void **handle))
{
	module_remove((struct module *)handle);
}

RT_TYPE(char, __cudaInitModule, (void **handle))
{
	return module_load((struct module *)handle) == cudaSuccess;
}

RT_TYPE(void, __cudaRegisterFunction,
	(void **handle, const char *host, char *device, const char *name, int thread_limit,
	 void *tid, void *bid, dim3 *block, dim3 *grid, int *warp_size))
{
	(void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid,
		(void)warp_size;
	kernel_add((struct module *)handle, host, name);
}

RT_TYPE(void, __cudaRegisterVar,
	(void **handle, char *host, char *address, const char *name, int ext, size_t size,
	 int constant, int global))
{
	(void)address, (void)ext, (void)global;
	symbol_add((struct module *)handle, &(struct symbol){.kind = SYM_VAR,
							     .name = (char *)(uintptr_t)name,
							     .host = host,
							     .size = size,
							     .constant = constant != 0});
}

RT_TYPE(void, __cudaRegisterManagedVar,
	(void **handle, void **host, char *address, const char *name, int ext, size_t size,
	 int constant, int global))
{
	(void)address, (void)ext, (void)global, (void)constant;
	symbol_add((struct module *)handle, &(struct symbol){.kind = SYM_MANAGED,
							     .name = (char *)(uintptr_t)name,
							     .host = host,
							     .size = size});
}

RT_TYPE(void, __cudaRegisterHostVar, (void **handle, const char *name, char *host, size_t size))
{
	(void)handle, (void)name, (void)host,
		(void)size; /* host variables that device code may not reach here */
}

RT_TYPE(void, __cudaRegisterTexture,
	(void **handle, const void *host, const void **address, const char *name, int dim, int norm,
	 int ext))
{
	(void)address, (void)ext;
	symbol_add((struct module *)handle, &(struct symbol){.kind = SYM_TEXTURE,
							     .name = (char *)(uintptr_t)name,
							     .host = host,
							     .dim = dim,
							     .norm = norm != 0});
}

RT_TYPE(void, __cudaRegisterSurface,
	(void **handle, const void *host, const void **address, const char *name, int dim, int ext))
{
	(void)address, (void)ext;
	symbol_add((struct module *)handle, &(struct symbol){.kind = SYM_SURFACE,
							     .name = (char *)(uintptr_t)name,
							     .host = host,
							     .dim = dim});
}

/* ---- managed variables of `heddle cc` (docs/cuda-build.md) ---- */

static struct managed {
	struct symbol s;
	bool mapped;
	struct managed *next;
} * managed;

RT_TYPE(void, __heddleRegisterManaged, (void *host, const char *name, size_t size))
{
	struct managed *v = rt_alloc(sizeof *v);
	v->s = (struct symbol){.kind = SYM_MANAGED,
			       .name = (char *)(uintptr_t)name,
			       .host = host,
			       .size = size,
			       .addr = (uint64_t)(uintptr_t)host};
	pthread_mutex_lock(&rt.lock);
	struct managed **p = &managed;
	while (*p)
		p = &(*p)->next;
	*p = v;
	pthread_mutex_unlock(&rt.lock);
}

/* Pages that have nothing but managed variables: from a page's start to another's, of each part of the program. */
static struct part {
	uintptr_t start, stop;
	struct part *next;
} * parts;

RT_TYPE(void, __heddleManagedPages, (const void *start, const void *stop))
{
	pthread_mutex_lock(&rt.lock);
	struct part *p = parts;
	while (p && p->start != (uintptr_t)start)
		p = p->next;
	if (!p && start != stop) {
		p = rt_alloc(sizeof *p);
		*p = (struct part){(uintptr_t)start, (uintptr_t)stop, parts};
		parts = p;
	}
	pthread_mutex_unlock(&rt.lock);
}

void managed_each(void (*f)(uintptr_t lo, size_t size))
{
	for (const struct managed *v = managed; v; v = v->next)
		for (const struct part *p = parts; p && v->mapped; p = p->next)
			if (v->s.addr >= p->start && v->s.addr < p->stop)
				f((uintptr_t)v->s.addr, v->s.size);
}

void managed_map(struct heddle *h, struct heddle_module *m)
{
	for (struct managed *v = managed; v; v = v->next)
		if (!v->mapped &&
		    !heddle_symbol_map(h, m, v->s.name, (void *)(uintptr_t)v->s.host, false))
			v->mapped = true;
}

void managed_reset(void)
{
	for (struct managed *v = managed; v; v = v->next)
		v->mapped = false;
}

struct symbol *managed_symbol(const void *host)
{
	for (struct managed *v = managed; v; v = v->next)
		if (v->s.host == host)
			return &v->s;
	return NULL;
}

/* ---- <<< >>> ---- */

enum { DEPTH = 16 };
static _Thread_local struct {
	struct launch_conf conf[DEPTH];
	int n;
} calls;

RT_TYPE(unsigned, __cudaPushCallConfiguration,
	(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream))
{
	if (calls.n == DEPTH)
		return 1;
	calls.conf[calls.n++] = (struct launch_conf){grid, block, shared, stream, false};
	return 0;
}

RT(__cudaPopCallConfiguration, (dim3 * grid, dim3 *block, size_t *shared, void *stream))
{
	if (!calls.n)
		return rt_error(cudaErrorMissingConfiguration);
	const struct launch_conf *c = &calls.conf[--calls.n];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	*(cudaStream_t *)stream = c->stream;
	return cudaSuccess;
}

/* The calls of compilers before CUDA 9.2: configure, arguments one by one, launch. */
static _Thread_local struct {
	struct launch_conf conf;
	uint8_t args[4096];
	bool set;
} old;

RT(cudaConfigureCall, (dim3 grid, dim3 block, size_t shared, cudaStream_t stream))
{
	old.conf = (struct launch_conf){grid, block, shared, stream, false};
	old.set = true;
	return cudaSuccess;
}

RT(cudaSetupArgument, (const void *arg, size_t size, size_t offset))
{
	if (offset > sizeof old.args || size > sizeof old.args - offset)
		return rt_error(cudaErrorInvalidValue);
	memcpy(old.args + offset, arg, size);
	return cudaSuccess;
}

RT(cudaLaunch, (const void *func))
{
	struct kernel *k;
	if (!old.set)
		return rt_error(cudaErrorMissingConfiguration);
	old.set = false;
	if (!func)
		return rt_error(cudaErrorInvalidDeviceFunction);
	cudaError_t e = kernel_known(func) ? kernel_of(func, &k) : kernel_named(func, &k);
	return rt_error(e ? e : kernel_launch(k, &old.conf, NULL, old.args));
}
