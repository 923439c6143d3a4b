/* Driver API: modules, functions, launches, linking of PTX. */
#include <errno.h>
#include <stdio.h>
#include "cuda/driver/driver.h"
#include "cuda/module/fatbin.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/device/props.h"

/* ---- modules ---- */

static size_t put_log(char *to, size_t room, const char *text)
{
	if (!to || !room)
		return 0;
	snprintf(to, room, "%s", text);
	return strlen(to);
}

void jit_log(CUresult r, unsigned n, const CUjit_option *opt, void **val)
{
	void *value[CU_JIT_NUM_OPTIONS] = {NULL}, **size[CU_JIT_NUM_OPTIONS] = {NULL};
	for (unsigned i = 0; i < n && opt && val; i++) {
		if ((unsigned)opt[i] >= CU_JIT_NUM_OPTIONS)
			continue;
		value[opt[i]] = val[i];
		size[opt[i]] = &val[i];
	}
	struct heddle *h = r ? device_lock() : NULL;
	size_t info = put_log(value[CU_JIT_INFO_LOG_BUFFER],
			      (uint32_t)(uintptr_t)value[CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES], "");
	size_t error = put_log(value[CU_JIT_ERROR_LOG_BUFFER],
			       (uint32_t)(uintptr_t)value[CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES],
			       h ? heddle_message(h) : "");
	if (h)
		device_unlock();
	if (size[CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES])
		*size[CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES] = PTR(info);
	if (size[CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES])
		*size[CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES] = PTR(error);
	if (size[CU_JIT_WALL_TIME]) /* a float; loading takes no simulated time */
		*size[CU_JIT_WALL_TIME] = NULL;
}

static CUresult load_module(CUmodule *out, struct module *m)
{
	m->user = true;
	module_add(m);
	cudaError_t e = module_load(m);
	if (e)
		module_remove(m);
	else
		own_add(OWN_MODULE, HANDLE(m));
	*out = e ? *out : (CUmodule)m;
	return drv(e);
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned n, CUjit_option *opt,
			    void **val)
{
	CONTEXT_OR_RETURN();
	if (!out || !image)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult r = load_module(out, module_new(image, 0));
	jit_log(r, n, opt, val);
	return r;
}
CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
	return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}
CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
	return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

CUresult cuModuleLoad(CUmodule *out, const char *path)
{
	CONTEXT_OR_RETURN();
	size_t n;
	char *data = path ? rt_read_file(path, &n) : NULL;
	if (!data)
		return CUDA_ERROR_FILE_NOT_FOUND;
	struct module *m = module_new(data, 0);
	m->file = data; /* a fat binary is read from where it is */
	return load_module(out, m);
}

/* A module knows its context, so calls with its handle need no current context. */
CUresult cuModuleUnload(CUmodule m)
{
	INITIALISED_OR_RETURN();
	if (!own_context(OWN_MODULE, HANDLE(m)))
		return CUDA_ERROR_INVALID_HANDLE;
	module_remove(module_handle(m));
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name)
{
	INITIALISED_OR_RETURN();
	if (!m || !name || !out)
		return CUDA_ERROR_INVALID_VALUE;
	if (!module_known(module_handle(m)))
		return CUDA_ERROR_INVALID_HANDLE;
	struct kernel *k = module_kernel(module_handle(m), name);
	if (!k)
		return CUDA_ERROR_NOT_FOUND;
	cudaError_t e = kernel_load(k);
	*out = (CUfunction)k;
	return drv(e);
}

CUresult cuModuleGetGlobal(CUdeviceptr *addr, size_t *size, CUmodule m, const char *name)
{
	INITIALISED_OR_RETURN();
	uint64_t a, n;
	if (!m || !name)
		return CUDA_ERROR_INVALID_VALUE;
	if (!module_known(module_handle(m)))
		return CUDA_ERROR_INVALID_HANDLE;
	struct heddle *h = device_lock();
	bool found = symbol_find(h, module_handle(m), name, &a, &n);
	device_unlock();
	if (!found)
		return CUDA_ERROR_NOT_FOUND;
	if (addr)
		*addr = a;
	if (size)
		*size = n;
	return CUDA_SUCCESS;
}

/* ---- linking: the "cubin" is a wrapper around the texts, which are linked at loading ---- */

struct CUlinkState_st {
	/* in the format of the wrapper that compilers emit: see module/texts.c */
	int magic, version;
	const void *data;
	const void **list;
	size_t n;
	CUjit_option *option;
	void **value; /* the program's array; receives the lengths of the logs */
	unsigned options;
};

static void *container_of_ptx(const void *ptx, size_t n)
{
	size_t body = (n + 1 + 7) / 8 * 8;
	uint8_t *p = rt_alloc(16 + 64 + body);
	memcpy(p, &(uint32_t){FATBIN_MAGIC}, 4);
	memcpy(p + 4, &(uint16_t[]){1, 16}, 4);
	memcpy(p + 8, &(uint64_t){64 + body}, 8);
	memcpy(p + 16, &(uint16_t[]){1, 0x101}, 4);
	memcpy(p + 20, &(uint32_t){64}, 4);
	memcpy(p + 24, &(uint64_t){body}, 8);
	memcpy(p + 16 + 28, &(uint32_t){70}, 4);
	memcpy(p + 80, ptx, n);
	return p;
}

CUresult cuLinkCreate(unsigned n, CUjit_option *opt, void **val, CUlinkState *out)
{
	CONTEXT_OR_RETURN();
	if (!out || (n && (!opt || !val)))
		return CUDA_ERROR_INVALID_VALUE;
	struct CUlinkState_st *s = rt_alloc(sizeof *s);
	*s = (struct CUlinkState_st){.magic = 0x466243b1,
				     .version = 2,
				     .list = rt_alloc(sizeof *s->list),
				     .option = rt_copy(opt, n * sizeof *opt),
				     .value = val,
				     .options = n};
	*out = s;
	return CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState s, CUjitInputType type, void *data, size_t size,
		       const char *name, unsigned n, CUjit_option *opt, void **val)
{
	(void)name, (void)n, (void)opt, (void)val;
	CONTEXT_OR_RETURN();
	if (type != CU_JIT_INPUT_PTX)
		return drv(rt_unsupported("linking of anything but PTX (cuLinkAddData)"));
	if (!s || !data)
		return CUDA_ERROR_INVALID_VALUE;
	s->list = rt_grow(s->list, (s->n + 2) * sizeof *s->list);
	s->list[s->n++] = container_of_ptx(data, strnlen(data, size));
	s->list[s->n] = NULL;
	return CUDA_SUCCESS;
}

CUresult cuLinkAddFile(CUlinkState s, CUjitInputType type, const char *path, unsigned n,
		       CUjit_option *opt, void **val)
{
	size_t size;
	char *data = rt_read_file(path, &size);
	if (!data)
		return CUDA_ERROR_FILE_NOT_FOUND;
	CUresult r = cuLinkAddData(s, type, data, size, path, n, opt, val);
	free(data);
	return r;
}

CUresult cuLinkComplete(CUlinkState s, void **image, size_t *size)
{
	CONTEXT_OR_RETURN();
	if (!s || !s->n || !image)
		return CUDA_ERROR_INVALID_VALUE;
	/* texts are checked now, because programs read the logs after this call */
	struct module *m = module_new(s, 0);
	m->user = true;
	module_add(m);
	CUresult r = drv(module_load(m));
	module_remove(m);
	jit_log(r, s->options, s->option, s->value);
	if (r)
		return r;
	*image = s;
	if (size)
		*size = sizeof *s;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState s)
{
	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	for (size_t i = 0; i < s->n; i++)
		free((void *)(uintptr_t)s->list[i]);
	free(s->option);
	free(s->list);
	free(s);
	return CUDA_SUCCESS;
}

/* ---- functions ---- */

CUresult cuFuncGetAttribute(int *v, CUfunction_attribute attr, CUfunction f)
{
	struct cudaFuncAttributes a;
	INITIALISED_OR_RETURN();
	bool borrowed = context_borrow(NULL);
	cudaError_t e = rt_cudaFuncGetAttributes(&a, f);
	context_give_back(borrowed);
	if (e)
		return drv(e);
	switch ((int)attr) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *v = a.maxThreadsPerBlock; break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *v = (int)a.sharedSizeBytes; break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *v = (int)a.constSizeBytes; break;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *v = (int)a.localSizeBytes; break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS: *v = a.numRegs; break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION: *v = a.ptxVersion; break;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *v = a.binaryVersion; break;
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *v = 0; break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*v = a.maxDynamicSharedSizeBytes;
		break;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*v = a.preferredShmemCarveout;
		break;
	default: return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute attr, int v)
{
	RETURN_DRIVER(rt_cudaFuncSetAttribute(f, (enum cudaFuncAttribute)attr, v));
}
CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache c)
{
	KERNEL_OR_RETURN(k, f);
	k->cache = (int)c;
	return CUDA_SUCCESS;
}
CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig c)
{
	(void)c;
	KERNEL_OR_RETURN(k, f);
	(void)k;
	return CUDA_SUCCESS;
}

/* ---- launches ---- */

/* Returns the single buffer with all parameters, from pairs of a key and a value; NULL: none. */
static const void *param_buffer(void **extra)
{
	const void *p = NULL;
	for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2)
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			p = extra[1];
	return p;
}

CUresult drv_launch(CUfunction f, const struct launch_conf *c, void **params, void **extra)
{
	KERNEL_OR_RETURN(k, f);
	const void *block = params ? NULL : param_buffer(extra);
	uint8_t *padded = NULL;
	/* the program's buffer may end before the final padding of our parameter block */
	if (block && k->info.param_bytes)
		block = padded = memcpy(rt_alloc(k->info.param_bytes), block, k->info.param_bytes);
	cudaError_t e = kernel_launch(k, c, params, block);
	free(padded);
	return drv(e);
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
			unsigned by, unsigned bz, unsigned shared, CUstream s, void **params,
			void **extra)
{
	return drv_launch(
		f, &(struct launch_conf){{gx, gy, gz}, {bx, by, bz}, shared, s, false, {0, 0, 0}},
		params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
				   unsigned by, unsigned bz, unsigned shared, CUstream s,
				   void **params)
{
	return drv_launch(
		f, &(struct launch_conf){{gx, gy, gz}, {bx, by, bz}, shared, s, true, {0, 0, 0}},
		params, NULL);
}

/* Interface before CUDA 4: shape and parameters are set in separate calls. */
CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z)
{
	KERNEL_OR_RETURN(k, f);
	memcpy(k->block, (unsigned[]){(unsigned)x, (unsigned)y, (unsigned)z}, sizeof k->block);
	return CUDA_SUCCESS;
}
CUresult cuFuncSetSharedSize(CUfunction f, unsigned n)
{
	KERNEL_OR_RETURN(k, f);
	k->shared = n;
	return CUDA_SUCCESS;
}
CUresult cuParamSetv(CUfunction f, int offset, void *p, unsigned n)
{
	KERNEL_OR_RETURN(k, f);
	if (offset < 0 || n > sizeof k->args || (unsigned)offset > sizeof k->args - n)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(k->args + offset, p, n);
	return CUDA_SUCCESS;
}
CUresult cuParamSeti(CUfunction f, int offset, unsigned v)
{
	return cuParamSetv(f, offset, &v, sizeof v);
}
CUresult cuParamSetf(CUfunction f, int offset, float v)
{
	return cuParamSetv(f, offset, &v, sizeof v);
}
CUresult cuParamSetSize(CUfunction f, unsigned n)
{
	KERNEL_OR_RETURN(k, f);
	return n <= sizeof k->args ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuParamSetTexRef(CUfunction f, int unit, CUtexref r)
{
	/* ignored: a module's references are bound when they are set */
	(void)f, (void)unit, (void)r;
	CONTEXT_OR_RETURN();
	return CUDA_SUCCESS;
}
CUresult cuLaunchGridAsync(CUfunction f, int w, int h, CUstream s)
{
	KERNEL_OR_RETURN(k, f);
	struct launch_conf c = {{(unsigned)w, (unsigned)h, 1},
				{k->block[0], k->block[1], k->block[2]},
				k->shared,
				s,
				false};
	return drv(kernel_launch(k, &c, NULL, k->args));
}
CUresult cuLaunchGrid(CUfunction f, int w, int h) { return cuLaunchGridAsync(f, w, h, NULL); }
CUresult cuLaunch(CUfunction f) { return cuLaunchGridAsync(f, 1, 1, NULL); }

/* ---- occupancy ---- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, CUfunction f, int threads,
							      size_t shared, unsigned flags)
{
	(void)flags;
	KERNEL_OR_RETURN(k, f);
	if (!n || threads <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	*n = occupancy(k, threads, shared);
	return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction f, int threads,
						     size_t shared)
{
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(n, f, threads, shared, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction f,
						   CUoccupancyB2DSize fn, size_t shared, int limit,
						   unsigned flags)
{
	(void)flags;
	KERNEL_OR_RETURN(k, f);
	int most = (int)k->info.max_threads, best = 0;
	if (limit > 0 && limit < most)
		most = limit;
	/* chooses the largest block size among those that occupy the most threads */
	for (int t = most; t > 0; t = t % 32 ? t / 32 * 32 : t - 32) {
		int n = occupancy(k, t, fn ? fn(t) : shared);
		if (n * t > best) {
			best = n * t;
			*block = t;
			*grid = n * (int)device_info()->sms;
		}
	}
	return best ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction f,
					  CUoccupancyB2DSize fn, size_t shared, int limit)
{
	return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, f, fn, shared, limit, 0);
}

/* ---- first versions ---- */

FIRST_NAME(cuModuleGetGlobal, _v2);
