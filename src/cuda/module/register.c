/* Calls that compilers emit: registration of programs, kernels and variables before main(), and the
 * launch configuration of <<< >>>. */
#include "cuda/module/managed.h"
#include "cuda/process/alloc.h"
#include "cuda/rt.h"

/* ---- programs ---- */

RT_TYPE(void **, __cudaRegisterFatBinary, (void *wrapper))
{
	struct module *m = module_new(wrapper, 0);
	module_register(m);
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
		(void)size; /* host variables that device code cannot access here */
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

/* ---- <<< >>> ---- */

enum { DEPTH = sizeof thread.calls.conf / sizeof *thread.calls.conf };

RT_TYPE(unsigned, __cudaPushCallConfiguration,
	(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream))
{
	if (thread.calls.n == DEPTH)
		return 1;
	thread.calls.conf[thread.calls.n++] =
		(struct launch_conf){grid, block, shared, stream, false};
	return 0;
}

RT(__cudaPopCallConfiguration, (dim3 * grid, dim3 *block, size_t *shared, void *stream))
{
	if (!thread.calls.n)
		return rt_error(cudaErrorMissingConfiguration);
	const struct launch_conf *c = &thread.calls.conf[--thread.calls.n];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	*(cudaStream_t *)stream = c->stream;
	return cudaSuccess;
}

/* Calls of compilers before CUDA 9.2: configure, arguments in separate calls, launch. */

RT(cudaConfigureCall, (dim3 grid, dim3 block, size_t shared, cudaStream_t stream))
{
	thread.configured.conf = (struct launch_conf){grid, block, shared, stream, false};
	thread.configured.set = true;
	return cudaSuccess;
}

RT(cudaSetupArgument, (const void *arg, size_t size, size_t offset))
{
	if (offset > sizeof thread.configured.args || size > sizeof thread.configured.args - offset)
		return rt_error(cudaErrorInvalidValue);
	memcpy(thread.configured.args + offset, arg, size);
	return cudaSuccess;
}

RT(cudaLaunch, (const void *func))
{
	struct kernel *k;
	if (!thread.configured.set)
		return rt_error(cudaErrorMissingConfiguration);
	thread.configured.set = false;
	if (!func)
		return rt_error(cudaErrorInvalidDeviceFunction);
	cudaError_t e = kernel_known(func) ? kernel_of(func, &k) : kernel_named(func, &k);
	return rt_error(
		e ? e : kernel_launch(k, &thread.configured.conf, NULL, thread.configured.args));
}
