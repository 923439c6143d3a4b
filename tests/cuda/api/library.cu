// Libraries: programs loaded at run time that belong to no context, by the driver's names and the runtime's.
#include "check.h"
#include <cuda.h>
#include <cuda_runtime.h>

static const char ptx[] =
	".version 6.0\n.target sm_30\n.address_size 64\n"
	".visible .global .u32 step = 3;\n"
	".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
	".reg .u64 %a; .reg .u32 %x, %n, %s;\n"
	"ld.param.u64 %a, [p]; ld.param.u32 %n, [n]; ld.global.u32 %s, [step];\n"
	"ld.global.u32 %x, [%a]; mad.lo.u32 %x, %n, %s, %x; st.global.u32 [%a], %x; ret;\n}\n"
	".visible .entry clear(.param .u64 p)\n{\n"
	".reg .u64 %a;\nld.param.u64 %a, [p]; st.global.u32 [%a], 0; ret;\n}\n";

static void driver()
{
	CUlibrary lib, of;
	CUkernel add, list[4] = {};
	CUfunction f, functions[4] = {};
	CUmodule m;
	CUdeviceptr d, step;
	CUcontext c;
	CUdevice dev;
	unsigned count = 0, n = 5, got = 0;
	size_t bytes, offset, size;
	const char *name;
	char log[300] = "";
	int v;
	OK(cuInit(0));
	OK(cuDeviceGet(&dev, 0));
	/* a text that cannot be loaded: the error log has the reason, and its length is returned */
	CUjit_option opt[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *val[] = {log, (void *)sizeof log};
	CHECK(cuLibraryLoadData(&lib, "no PTX", opt, val, 2, NULL, NULL, 0) != CUDA_SUCCESS);
	IS((size_t)val[1], strlen(log));
	CHECK(strstr(log, ".version"));
	OK(cuLibraryLoadData(&lib, ptx, NULL, NULL, 0, NULL, NULL, 0)); /* without any context so
		 * far */
	OK(cuLibraryGetKernel(&add, lib, "add"));
	IS(cuLibraryGetKernel(&list[0], lib, "nothing"), CUDA_ERROR_NOT_FOUND);
	OK(cuLibraryGetKernelCount(&count, lib));
	IS(count, 2);
	OK(cuLibraryEnumerateKernels(list, 4, lib));
	CHECK(list[0] == add && list[1] && list[1] != add && !list[2]);
	OK(cuKernelGetName(&name, list[1]));
	CHECK(!strcmp(name, "clear"));
	OK(cuKernelGetLibrary(&of, add));
	CHECK(of == lib);
	OK(cuCtxCreate(&c, NULL, 0, dev));
	OK(cuKernelGetFunction(&f, add));
	OK(cuKernelGetParamInfo(add, 1, &offset, &size));
	IS(offset, 8);
	IS(size, 4);
	OK(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add, dev));
	CHECK(v >= 256);
	OK(cuLibraryGetModule(&m, lib));
	OK(cuModuleGetFunctionCount(&count, m));
	IS(count, 2);
	OK(cuModuleEnumerateFunctions(functions, 4, m));
	CHECK(functions[0] == f);
	IS(cuModuleUnload(m), CUDA_ERROR_INVALID_HANDLE); /* the module belongs to the library */
	OK(cuMemAlloc(&d, 4));
	OK(cuMemsetD32(d, 100, 1));
	void *args[] = {&d, &n};
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0));
	OK(cuLaunchKernel((CUfunction)add, 1, 1, 1, 1, 1, 1, 0, 0, args, 0)); /* a kernel serves as well */
	OK(cuMemcpyDtoH(&got, d, 4));
	IS(got, 100 + 2 * 15);
	OK(cuLibraryGetGlobal(&step, &bytes, lib, "step"));
	IS(bytes, 4);
	OK(cuMemcpyDtoH(&got, step, 4));
	IS(got, 3);
	IS(cuLibraryGetGlobal(&step, &bytes, lib, "nothing"), CUDA_ERROR_NOT_FOUND);
	IS(cuLibraryGetManaged(&step, &bytes, lib, "step"), CUDA_ERROR_NOT_FOUND);
	OK(cuCtxDestroy(c)); /* the library stays */
	OK(cuLibraryGetKernelCount(&count, lib));
	OK(cuLibraryUnload(lib));
	IS(cuLibraryUnload(lib), CUDA_ERROR_INVALID_HANDLE);
	IS(cuKernelGetName(&name, add), CUDA_ERROR_INVALID_HANDLE);
}

static void runtime()
{
	cudaLibrary_t lib;
	cudaKernel_t add, clear;
	unsigned *d, *step, n = 4, got;
	size_t bytes;
	FILE *file = fopen("library.ptx", "w");
	CHECK(file && fputs(ptx, file) >= 0 && !fclose(file));
	IS(cudaLibraryLoadFromFile(&lib, "no such file", NULL, NULL, 0, NULL, NULL, 0),
	   cudaErrorFileNotFound);
	OK(cudaLibraryLoadFromFile(&lib, "library.ptx", NULL, NULL, 0, NULL, NULL, 0));
	OK(cudaLibraryGetKernel(&add, lib, "add"));
	OK(cudaLibraryGetKernel(&clear, lib, "clear"));
	IS(cudaLibraryGetKernel(&add, lib, "nothing"), cudaErrorSymbolNotFound);
	for (int round = 0; round < 2; round++) { /* again after a reset, with initial values */
		unsigned five = 5;
		OK(cudaMalloc(&d, 4));
		void *args[] = {&d, &n};
		OK(cudaLaunchKernel((void *)clear, 1, 1, args, 0, 0));
		OK(cudaLaunchKernel((void *)add, 1, 1, args, 0, 0));
		OK(cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost));
		IS(got, 12);
		OK(cudaLibraryGetGlobal((void **)&step, &bytes, lib, "step"));
		OK(cudaMemcpy(step, &five, 4, cudaMemcpyHostToDevice));
		OK(cudaLaunchKernel((void *)add, 1, 1, args, 0, 0));
		OK(cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost));
		IS(got, 12 + 20);
		OK(cudaDeviceReset());
	}
	OK(cudaLibraryUnload(lib));
	IS(cudaLibraryUnload(lib), cudaErrorInvalidResourceHandle);
	cudaGetLastError();
}

int main()
{
	driver();
	runtime();
	DONE();
}
