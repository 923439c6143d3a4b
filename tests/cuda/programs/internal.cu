// options: -lcuda -lnvrtc
/* Variables that belong to one file and that device code only reads: the host sets those of unnamed namespaces, and a
 * program that loads PTX by the driver finds and sets all of them by their names. */
#include "check.h"
#include <cuda.h>
#include <nvrtc.h>
#include <string.h>
#include <vector>

namespace
{
__constant__ int table[2];
__device__ int count, other = 1;
static __device__ int known;
__global__ void read(int *to)
{
	to[0] = table[1], to[1] = count, to[2] = other, to[3] = known;
}
}

static const char text[] =
	"static __constant__ int table[2] = {1, 2}, last;\n"
	"static __device__ int count[2];\n"
	"static __device__ __align__(16) int4 wide;\n"
	"namespace { __device__ int hidden = 5; }\n"
	"namespace inner { __device__ static volatile int slow = 6; }\n"
	"static __device__ int local(int x) { static __device__ int calls; return x + calls; }\n"
	"extern \"C\" __global__ void read(int *to)\n"
	"{ to[0] = table[1], to[1] = last, to[2] = count[1], to[3] = wide.y, to[4] = hidden,\n"
	"  to[5] = local(inner::slow); }\n";

static void set(CUmodule m, const char *name, int n)
{
	CUdeviceptr at;
	size_t size = 0;
	const int values[4] = {n, n + 1, n + 2, n + 3};
	CHECK(!cuModuleGetGlobal(&at, &size, m, name) && size <= sizeof values);
	CHECK(!cuMemcpyHtoD(at, values, size));
	CHECK(size != 0);
}

static void load(int *p, const char *option)
{
	nvrtcProgram program;
	size_t n = 0;
	CUmodule m;
	CUfunction f;
	void *args[] = {&p};
	CHECK(!nvrtcCreateProgram(&program, text, "text.cu", 0, NULL, NULL));
	CHECK(!nvrtcCompileProgram(program, option ? 1 : 0, &option));
	CHECK(!nvrtcGetPTXSize(program, &n));
	std::vector<char> ptx(n + 1);
	CHECK(!nvrtcGetPTX(program, ptx.data()));
	CHECK(!cuModuleLoadData(&m, ptx.data()));
	set(m, "table", 10), set(m, "last", 20), set(m, "_ZL5count", 30), set(m, "wide", 40);
	set(m, "_ZN12_GLOBAL__N_16hiddenE", 50), set(m, "_ZN5innerL4slowE", 60);
	CHECK(!cuModuleGetFunction(&f, m, "read"));
	memset(p, 0, 6 * sizeof *p);
	CHECK(!cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, NULL));
	CUDA(cudaDeviceSynchronize());
	CHECK(p[0] == 11 && p[1] == 20 && p[2] == 31 && p[3] == 41 && p[4] == 50 && p[5] == 60);
	CHECK(!cuModuleUnload(m));
	CHECK(!nvrtcDestroyProgram(&program));
}

int main()
{
	int *p, two[2] = {7, 8}, one = 9;
	CUDA(cudaMallocManaged(&p, 8 * sizeof *p));
	CUDA(cudaMemcpyToSymbol(table, two, sizeof two));
	CUDA(cudaMemcpyToSymbol(count, &one, sizeof one));
	CUDA(cudaMemcpyToSymbol(other, two, sizeof *two));
	CUDA(cudaMemcpyToSymbol(known, two, sizeof *two));
	read<<<1, 1>>>(p);
	CUDA(cudaDeviceSynchronize());
	CHECK(p[0] == 8 && p[1] == 9 && p[2] == 7 && p[3] == 7);
	load(p, NULL);
	load(p, "--relocatable-device-code=true");
	return failures != 0;
}
