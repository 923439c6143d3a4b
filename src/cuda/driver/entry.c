/* Entry points of the driver by name: cuGetProcAddress() and the runtime's
 * cudaGetDriverEntryPoint(). A name stands for the newest form in the requested CUDA version; the
 * forms are symbols with a suffix. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "cuda/driver/driver.h"

/* Names with later forms that have other parameters, and the version that introduced each; newest
 * first. The forms of all other names do not differ for a program of CUDA 10 or later. */
static const struct form {
	const char *name;
	int since;
	const char *suffix;
} forms[] = {
	{"cuCtxCreate", 12050, "_v4"},
	{"cuCtxCreate", 11040, "_v3"},
	{"cuCtxCreate", 0, "_v2"},
	{"cuCtxGetDevice", 13000, "_v2"},
	{"cuCtxGetDevice", 0, ""},
	{"cuCtxSynchronize", 13000, "_v2"},
	{"cuCtxSynchronize", 0, ""},
	{"cuGetProcAddress", 12000, "_v2"},
	{"cuGetProcAddress", 0, ""},
	{"cuGraphAddDependencies", 12030, "_v2"},
	{"cuGraphAddDependencies", 0, ""},
	{"cuGraphAddKernelNode", 12000, "_v2"},
	{"cuGraphAddKernelNode", 0, ""},
	{"cuGraphAddNode", 12030, "_v2"},
	{"cuGraphAddNode", 0, ""},
	{"cuGraphExecKernelNodeSetParams", 12000, "_v2"},
	{"cuGraphExecKernelNodeSetParams", 0, ""},
	{"cuGraphExecUpdate", 12000, "_v2"},
	{"cuGraphExecUpdate", 0, ""},
	{"cuGraphGetEdges", 12030, "_v2"},
	{"cuGraphGetEdges", 0, ""},
	{"cuGraphKernelNodeGetParams", 12000, "_v2"},
	{"cuGraphKernelNodeGetParams", 0, ""},
	{"cuGraphKernelNodeSetParams", 12000, "_v2"},
	{"cuGraphKernelNodeSetParams", 0, ""},
	{"cuGraphNodeGetDependencies", 12030, "_v2"},
	{"cuGraphNodeGetDependencies", 0, ""},
	{"cuGraphNodeGetDependentNodes", 12030, "_v2"},
	{"cuGraphNodeGetDependentNodes", 0, ""},
	{"cuGraphRemoveDependencies", 12030, "_v2"},
	{"cuGraphRemoveDependencies", 0, ""},
	{"cuMemAdvise", 12020, "_v2"},
	{"cuMemAdvise", 0, ""},
	{"cuMemPrefetchAsync", 12020, "_v2"},
	{"cuMemPrefetchAsync", 0, ""},
	{"cuStreamGetCaptureInfo", 12030, "_v3"},
	{"cuStreamGetCaptureInfo", 11030, "_v2"},
	{"cuStreamGetCaptureInfo", 0, ""},
	{"cuStreamGetCtx", 12050, "_v2"},
	{"cuStreamGetCtx", 0, ""},
	{"cuStreamUpdateCaptureDependencies", 12030, "_v2"},
	{"cuStreamUpdateCaptureDependencies", 0, ""},
};

static const char *form_of(const char *name, int version)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(forms[i].name, name) && version >= forms[i].since)
			return forms[i].suffix;
	return NULL; /* NULL: the newest form */
}

static void *find_symbol(void *lib, const char *name, const char *suffix, bool own_stream)
{
	static const char *const own[] = {"_ptsz", "_ptds", ""};
	char full[256];
	void *p = NULL;
	for (int i = own_stream ? 0 : 2; i < 3 && !p; i++)
		if ((size_t)snprintf(full, sizeof full, "%s%s%s", name, suffix, own[i]) <
		    sizeof full)
			p = dlsym(lib, full);
	return p;
}

enum { PER_THREAD = 2 }; /* flag: one default stream per thread */

static void *find_entry(const char *name, int version, unsigned long long flags)
{
	static const char *const suffix[] = {"_v3", "_v2", ""};
	Dl_info self;
	void *lib = name && dladdr((void *)(uintptr_t)find_entry, &self)
			    ? dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD)
			    : NULL;
	void *p = NULL;
	if (!lib)
		return NULL;
	const char *form = form_of(name, version);
	if (form)
		p = find_symbol(lib, name, form, flags & PER_THREAD);
	for (int i = 0; i < 3 && !p && !form; i++)
		p = find_symbol(lib, name, suffix[i], flags & PER_THREAD);
	dlclose(lib);
	return p;
}

CUresult cuGetProcAddress(const char *name, void **out, int version, cuuint64_t flags)
{
	if (!out)
		return CUDA_ERROR_INVALID_VALUE;
	*out = find_entry(name, version, flags);
	return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
			     int *status);
CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
			     int *status)
{
	CUresult r = cuGetProcAddress(name, out, version, flags);
	if (status)
		*status = r ? 1 : 0; /* symbol not found */
	return status ? CUDA_SUCCESS : r;
}

CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
	(void)id;
	*table = NULL;
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- requests of the runtime API: without a version, the runtime's own version counts ---- */

static cudaError_t give_entry(const char *name, void **out, int version, unsigned long long flags,
			      int *status)
{
	if (!name || !out)
		return rt_error(cudaErrorInvalidValue);
	*out = find_entry(name, version, flags);
	if (status)
		*status = *out ? 0 : 1;
	return *out || status ? cudaSuccess : rt_error(cudaErrorSymbolNotFound);
}

cudaError_t rt11_entry(const char *name, void **out, unsigned long long flags);
cudaError_t rt12_entry(const char *name, void **out, unsigned long long flags, int *status);
cudaError_t rt13_entry(const char *name, void **out, unsigned long long flags, int *status);
cudaError_t rt11_entry(const char *name, void **out, unsigned long long flags)
{
	return give_entry(name, out, 11080, flags, NULL);
}
cudaError_t rt12_entry(const char *name, void **out, unsigned long long flags, int *status)
{
	return give_entry(name, out, 12000, flags,
			  status); /* programs built with any CUDA 12 may call it */
}
cudaError_t rt13_entry(const char *name, void **out, unsigned long long flags, int *status)
{
	return give_entry(name, out, 13000, flags, status);
}
EXPORT_11(rt11_entry, cudaGetDriverEntryPoint)
EXPORT_11(rt11_entry, cudaGetDriverEntryPoint_ptsz)
EXPORT_12(rt12_entry, cudaGetDriverEntryPoint)
EXPORT_12(rt12_entry, cudaGetDriverEntryPoint_ptsz)
EXPORT_13(rt13_entry, cudaGetDriverEntryPoint)
EXPORT_13(rt13_entry, cudaGetDriverEntryPoint_ptsz)

RT(cudaGetDriverEntryPointByVersion,
   (const char *name, void **out, unsigned version, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *status))
{
	return give_entry(name, out, (int)version, flags, (int *)status);
}
RT_PTSZ(cudaGetDriverEntryPointByVersion,
	(const char *n, void **o, unsigned v, unsigned long long f,
	 enum cudaDriverEntryPointQueryResult *s),
	(n, o, v, f, s))

/* ---- first versions with the parameters of the second, for programs that look them up by name ---- */

#undef cuCtxDestroy
#undef cuCtxPushCurrent
#undef cuCtxPopCurrent
#undef cuStreamDestroy
#undef cuEventDestroy
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuMemHostRegister
#undef cuLinkCreate
#undef cuLinkAddData
#undef cuLinkAddFile
#define FIRST(name, params, args)                                                                  \
	CUresult name params;                                                                      \
	CUresult name params { return name##_v2 args; }
FIRST(cuCtxDestroy, (CUcontext c), (c))
FIRST(cuCtxPushCurrent, (CUcontext c), (c))
FIRST(cuCtxPopCurrent, (CUcontext * c), (c))
FIRST(cuStreamDestroy, (CUstream s), (s))
FIRST(cuEventDestroy, (CUevent e), (e))
FIRST(cuDevicePrimaryCtxRelease, (CUdevice d), (d))
FIRST(cuDevicePrimaryCtxReset, (CUdevice d), (d))
FIRST(cuDevicePrimaryCtxSetFlags, (CUdevice d, unsigned f), (d, f))
FIRST(cuMemHostRegister, (void *p, size_t n, unsigned f), (p, n, f))
FIRST(cuLinkCreate, (unsigned n, CUjit_option *o, void **v, CUlinkState *s), (n, o, v, s))
FIRST(cuLinkAddData,
      (CUlinkState s, CUjitInputType t, void *p, size_t size, const char *name, unsigned n,
       CUjit_option *o, void **v),
      (s, t, p, size, name, n, o, v))
FIRST(cuLinkAddFile,
      (CUlinkState s, CUjitInputType t, const char *path, unsigned n, CUjit_option *o, void **v),
      (s, t, path, n, o, v))
