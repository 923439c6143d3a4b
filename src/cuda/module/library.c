/* Libraries: code that the program loads and that belongs to no context. A library is a module that
 * is loaded again, with initial values, after a reset of the device; its kernels' handles stay
 * valid. The driver and the runtime have equivalent calls. */
#include "cuda/driver/driver.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"

static struct module *library_handle(const void *lib)
{
	struct module *m = (struct module *)(uintptr_t)lib;
	return module_known(m) && m->library ? m : NULL;
}

static cudaError_t load_library(void **out, const void *code, char *file)
{
	if (!out || !code) {
		free(file);
		return cudaErrorInvalidValue;
	}
	struct module *m = module_new(code, 0);
	m->user = m->library = true;
	m->file = file;
	module_add(m);
	cudaError_t e = module_load(m);
	if (e)
		module_remove(m);
	else
		*out = m;
	return e;
}

static cudaError_t load_file(void **out, const char *path)
{
	size_t n;
	char *data = path ? rt_read_file(path, &n) : NULL;
	return data ? load_library(out, data, data) : cudaErrorFileNotFound;
}

static cudaError_t unload_library(const void *lib)
{
	struct module *m = library_handle(lib);
	if (!m)
		return cudaErrorInvalidResourceHandle;
	module_remove(m);
	return cudaSuccess;
}

static cudaError_t find_kernel(void **out, const void *lib, const char *name)
{
	struct module *m = library_handle(lib);
	if (!m || !out || !name)
		return m ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	cudaError_t e = module_load(m); /* loads again after a reset */
	struct kernel *k = e ? NULL : module_kernel(m, name);
	if (k)
		*out = k;
	return e ? e : k ? cudaSuccess : cudaErrorSymbolNotFound;
}

static cudaError_t find_variable(uint64_t *addr, size_t *size, const void *lib, const char *name,
				 bool managed)
{
	struct module *m = library_handle(lib);
	uint64_t a, n;
	struct heddle_range r;
	if (!m || !name)
		return m ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	cudaError_t e = module_load(m);
	if (e)
		return e;
	struct heddle *h = device_lock();
	bool found = symbol_find(h, m, name, &a, &n) &&
		     (!managed || (!heddle_range(h, a, &r) && r.kind == HEDDLE_MEM_HOST));
	device_unlock();
	if (!found)
		return cudaErrorSymbolNotFound;
	if (addr)
		*addr = a;
	if (size)
		*size = n;
	return cudaSuccess;
}

/* Lists the kernels of any module in the order of its text, up to the length of the program's list. */
static cudaError_t list_kernels(struct module *m, void **list, unsigned room, unsigned *count)
{
	cudaError_t e = m ? module_load(m) : cudaErrorInvalidResourceHandle;
	if (e || (!list && !count))
		return e ? e : cudaErrorInvalidValue;
	unsigned n = heddle_kernel_count(m->m);
	for (unsigned i = 0; list && i < n && i < room; i++) {
		struct heddle_kernel_info info;
		heddle_kernel_info(heddle_kernel_at(m->m, i), &info);
		list[i] = module_kernel(m, info.name);
	}
	if (count)
		*count = n;
	return cudaSuccess;
}

/* ---- the driver ---- */

/* Converts an error. Needs no context: if there is a device, the driver is initialised. */
static CUresult driver_error(cudaError_t e)
{
	return e == cudaErrorSymbolNotFound ? CUDA_ERROR_NOT_FOUND
	       : e == cudaErrorFileNotFound ? CUDA_ERROR_FILE_NOT_FOUND
					    : drv(e);
}

CUresult cuLibraryLoadData(CUlibrary *out, const void *code, CUjit_option *opt, void **val,
			   unsigned n, CUlibraryOption *lopt, void **lval, unsigned nl)
{
	(void)lopt, (void)lval, (void)nl; /* ignored: the code is copied in any case */
	CUresult r = driver_error(load_library((void **)out, code, NULL));
	jit_log(r, n, opt, val);
	return r;
}
CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, CUjit_option *opt, void **val,
			       unsigned n, CUlibraryOption *lopt, void **lval, unsigned nl)
{
	(void)lopt, (void)lval, (void)nl;
	CUresult r = driver_error(load_file((void **)out, path));
	jit_log(r, n, opt, val);
	return r;
}
CUresult cuLibraryUnload(CUlibrary l) { return driver_error(unload_library(l)); }
CUresult cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name)
{
	return driver_error(find_kernel((void **)k, l, name));
}
CUresult cuLibraryGetKernelCount(unsigned *n, CUlibrary l)
{
	return driver_error(list_kernels(library_handle(l), NULL, 0, n));
}
CUresult cuLibraryEnumerateKernels(CUkernel *list, unsigned n, CUlibrary l)
{
	return driver_error(list_kernels(library_handle(l), (void **)list, n, NULL));
}
CUresult cuLibraryGetModule(CUmodule *out, CUlibrary l)
{
	CONTEXT_OR_RETURN();
	struct module *m = library_handle(l);
	if (!m || !out)
		return m ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	*out = (CUmodule)m;
	return driver_error(module_load(m));
}
CUresult cuLibraryGetGlobal(CUdeviceptr *p, size_t *n, CUlibrary l, const char *name)
{
	uint64_t a = 0;
	CONTEXT_OR_RETURN();
	CUresult r = driver_error(find_variable(&a, n, l, name, false));
	if (!r && p)
		*p = a;
	return r;
}
CUresult cuLibraryGetManaged(CUdeviceptr *p, size_t *n, CUlibrary l, const char *name)
{
	uint64_t a = 0;
	CUresult r = driver_error(find_variable(&a, n, l, name, true));
	if (!r && p)
		*p = a;
	return r;
}
CUresult cuModuleGetFunctionCount(unsigned *n, CUmodule m)
{
	CONTEXT_OR_RETURN();
	return module_known(module_handle(m))
		       ? driver_error(list_kernels(module_handle(m), NULL, 0, n))
		       : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuModuleEnumerateFunctions(CUfunction *list, unsigned n, CUmodule m)
{
	CONTEXT_OR_RETURN();
	return module_known(module_handle(m))
		       ? driver_error(list_kernels(module_handle(m), (void **)list, n, NULL))
		       : CUDA_ERROR_INVALID_HANDLE;
}

/* A kernel's handle is also that of its function, which needs no context. */
static CUfunction function_of(CUkernel k) { return (CUfunction)k; }

CUresult cuKernelGetFunction(CUfunction *f, CUkernel kern)
{
	KERNEL_OR_RETURN(k, kern);
	if (!f)
		return CUDA_ERROR_INVALID_VALUE;
	*f = (CUfunction)k;
	return CUDA_SUCCESS;
}
CUresult cuKernelGetLibrary(CUlibrary *l, CUkernel kern)
{
	const struct kernel *k = kernel_known(kern);
	if (!k || !l || !k->m->library)
		return k && k->m->library ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	*l = (CUlibrary)k->m;
	return CUDA_SUCCESS;
}
CUresult cuKernelGetName(const char **name, CUkernel kern)
{
	const struct kernel *k = kernel_known(kern);
	if (!k || !name)
		return k ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	*name = k->name;
	return CUDA_SUCCESS;
}
CUresult cuKernelGetParamInfo(CUkernel k, size_t i, size_t *offset, size_t *size)
{
	return cuFuncGetParamInfo(function_of(k), i, offset, size);
}
CUresult cuKernelGetAttribute(int *v, CUfunction_attribute attr, CUkernel k, CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(v, attr, function_of(k));
}
CUresult cuKernelSetAttribute(CUfunction_attribute attr, int v, CUkernel k, CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetAttribute(function_of(k), attr, v);
}
CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache c, CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig(function_of(k), c);
}

/* ---- the runtime ---- */

RT(cudaLibraryLoadData, (cudaLibrary_t * out, const void *code, enum cudaJitOption *opt, void **val,
			 unsigned n, enum cudaLibraryOption *lopt, void **lval, unsigned nl))
{
	(void)lopt, (void)lval, (void)nl;
	RETURN_IF_ERROR(rt_open());
	cudaError_t e = load_library((void **)out, code, NULL);
	jit_log((CUresult)e, n, (CUjit_option *)opt, val);
	return rt_error(e);
}
RT(cudaLibraryLoadFromFile,
   (cudaLibrary_t * out, const char *path, enum cudaJitOption *opt, void **val, unsigned n,
    enum cudaLibraryOption *lopt, void **lval, unsigned nl))
{
	(void)lopt, (void)lval, (void)nl;
	RETURN_IF_ERROR(rt_open());
	cudaError_t e = load_file((void **)out, path);
	jit_log((CUresult)e, n, (CUjit_option *)opt, val);
	return rt_error(e);
}
RT(cudaLibraryUnload, (cudaLibrary_t l))
{
	return rt_error(unload_library(l));
}
RT(cudaLibraryGetKernel, (cudaKernel_t * k, cudaLibrary_t l, const char *name))
{
	return rt_error(find_kernel((void **)k, l, name));
}
RT(cudaLibraryGetKernelCount, (unsigned *n, cudaLibrary_t l))
{
	return rt_error(list_kernels(library_handle(l), NULL, 0, n));
}
RT(cudaLibraryEnumerateKernels, (cudaKernel_t * list, unsigned n, cudaLibrary_t l))
{
	return rt_error(list_kernels(library_handle(l), (void **)list, n, NULL));
}
static cudaError_t give_variable(void **p, size_t *n, cudaLibrary_t l, const char *name,
				 bool managed)
{
	uint64_t a = 0;
	RETURN_IF_ERROR(rt_open());
	RETURN_IF_ERROR(find_variable(&a, n, l, name, managed));
	if (p)
		*p = PTR(a);
	return cudaSuccess;
}
RT(cudaLibraryGetGlobal, (void **p, size_t *n, cudaLibrary_t l, const char *name))
{
	return give_variable(p, n, l, name, false);
}
RT(cudaLibraryGetManaged, (void **p, size_t *n, cudaLibrary_t l, const char *name))
{
	return give_variable(p, n, l, name, true);
}
