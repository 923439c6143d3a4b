/* Compilation at run time: headers given as text, options, names of templates, messages, functions
 * without __host__ or __device__. */
#include "../programs/check.h"
#include <cuda.h>
#include <nvrtc.h>
#include <string.h>

static int checks;
#define ALSO(c) do { checks++; CHECK(c); } while (0)

static const char *source = "#include <scale.h>\n"
			    "__constant__ int offset;\n"
			    "namespace n { template <class T> __global__ void add(T *p, int k) { p[threadIdx.x] += SCALE * k + offset; } }\n"
			    "int twice(int x) { return 2 * x; }\n"
			    "extern \"C\" __global__ void doubles(int *p) { assert(p); p[threadIdx.x] = twice(p[threadIdx.x]); }\n";

static nvrtcResult build(const char *text, int n, const char *const *options, nvrtcProgram *p)
{
	const char *header = "#define SCALE 10\n", *name = "scale.h";
	ALSO(nvrtcCreateProgram(p, text, "own.cu", 1, &header, &name) == NVRTC_SUCCESS);
	return nvrtcCompileProgram(*p, n, options);
}

static void runs(void)
{
	nvrtcProgram p;
	const char *header = "#define SCALE 10\n", *name = "scale.h", *add, *offset;
	const char *options[] = {"--gpu-architecture=compute_70", "-default-device", "--std=c++14"};
	ALSO(nvrtcCreateProgram(&p, source, "own.cu", 1, &header, &name) == NVRTC_SUCCESS);
	ALSO(nvrtcAddNameExpression(p, "n::add<int>") == NVRTC_SUCCESS);
	ALSO(nvrtcAddNameExpression(p, "&offset") == NVRTC_SUCCESS);
	ALSO(nvrtcCompileProgram(p, 3, options) == NVRTC_SUCCESS);
	ALSO(nvrtcGetLoweredName(p, "n::add<int>", &add) == NVRTC_SUCCESS);
	ALSO(nvrtcGetLoweredName(p, "&offset", &offset) == NVRTC_SUCCESS);
	ALSO(nvrtcGetLoweredName(p, "n::add<char>", &add) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
	size_t n = 0;
	ALSO(nvrtcGetPTXSize(p, &n) == NVRTC_SUCCESS && n > 100);
	char *ptx = new char[n];
	ALSO(nvrtcGetPTX(p, ptx) == NVRTC_SUCCESS);
	ALSO(nvrtcGetNVVMSize(p, &n) == NVRTC_SUCCESS && n == 0);
	CUmodule m;
	CUfunction f, g;
	CUdeviceptr var;
	int *data, k = 3, off = 100;
	CUDA(cudaMallocManaged(&data, 32 * sizeof *data));
	memset(data, 0, 32 * sizeof *data);
	ALSO(!cuModuleLoadData(&m, ptx));
	ALSO(!cuModuleGetFunction(&f, m, add));
	ALSO(!cuModuleGetFunction(&g, m, "doubles"));
	ALSO(!cuModuleGetGlobal(&var, NULL, m, offset));
	ALSO(!cuMemcpyHtoD(var, &off, sizeof off));
	void *both[] = {&data, &k};
	ALSO(!cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, both, NULL));
	ALSO(!cuLaunchKernel(g, 1, 1, 1, 32, 1, 1, 0, 0, both, NULL));
	CUDA(cudaDeviceSynchronize());
	ALSO(data[0] == 260 && data[31] == 260);
	ALSO(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS && !p);
	delete[] ptx;
}

/* Explicit instantiations of kernels, also where functions are __device__ by default. */
static void instances(void)
{
	const char *text = "template <class T, int N> __global__ void fill(T *p) { *p = N; }\n"
			   "template __global__ void fill<int, 3>(int *);\n"
			   "template\n__global__ decltype(fill<float, 5>) fill<float, 5>;\n";
	for (const char *option : {"-default-device", "--device-as-default-execution-space", "-lineinfo"}) {
		nvrtcProgram p;
		size_t n = 0;
		ALSO(build(text, 1, &option, &p) == NVRTC_SUCCESS);
		ALSO(!nvrtcGetPTXSize(p, &n));
		char *ptx = new char[n];
		ALSO(!nvrtcGetPTX(p, ptx));
		ALSO(strstr(ptx, ".entry _Z4fillIiLi3EEvPT_") && strstr(ptx, ".entry _Z4fillIfLi5EEvPT_"));
		ALSO(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
		delete[] ptx;
	}
}

/* A static constant can be found by its plain name, with the value of the program. */
static void statics(void)
{
	const char *text = "extern __constant__ int other;\n"
			   "static __constant__ int table[2];\n"
			   "__constant__ int other;\n"
			   "extern \"C\" __global__ void reads(int *p) { *p = table[1] + other; }\n";
	nvrtcProgram p;
	size_t n = 0;
	ALSO(build(text, 0, NULL, &p) == NVRTC_SUCCESS);
	ALSO(!nvrtcGetPTXSize(p, &n));
	char *ptx = new char[n];
	ALSO(!nvrtcGetPTX(p, ptx));
	CUmodule m;
	CUfunction f;
	CUdeviceptr var;
	size_t size = 0;
	int *data, table[2] = {5, 7};
	CUDA(cudaMallocManaged(&data, sizeof *data));
	ALSO(!cuModuleLoadData(&m, ptx) && !cuModuleGetFunction(&f, m, "reads"));
	ALSO(!cuModuleGetGlobal(&var, &size, m, "table") && size == sizeof table);
	ALSO(!cuMemcpyHtoD(var, table, sizeof table));
	void *args[] = {&data};
	ALSO(!cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL));
	CUDA(cudaDeviceSynchronize());
	ALSO(*data == 7);
	ALSO(cuModuleGetGlobal(&var, &size, m, "nowhere") == CUDA_ERROR_NOT_FOUND);
	nvrtcDestroyProgram(&p);
	delete[] ptx;
}

static void refuses(void)
{
	nvrtcProgram p;
	size_t n = 0;
	char log[4000] = "";
	ALSO(build("\n__global__ void k() { missing(); }\n", 0, NULL, &p) == NVRTC_ERROR_COMPILATION);
	ALSO(nvrtcGetProgramLogSize(p, &n) == NVRTC_SUCCESS && n < sizeof log);
	ALSO(nvrtcGetProgramLog(p, log) == NVRTC_SUCCESS);
	ALSO(strstr(log, "own.cu:2:") && strstr(log, "missing"));
	nvrtcDestroyProgram(&p);
	ALSO(!strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION"));
}

int main()
{
	runs();
	instances();
	statics();
	refuses();
	printf("%d results\n", checks - failures);
	return failures != 0;
}
