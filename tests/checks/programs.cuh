// Shared by the programs of a file: TEST(name) { ... } defines a program, MAIN runs the one that the command line names.
#ifndef CHECKS_PROGRAMS_H
#define CHECKS_PROGRAMS_H
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda/atomic>
namespace cg = cooperative_groups;

enum { N = 128 };
typedef cuda::atomic<int, cuda::thread_scope_device> device_int;
#define TID ((int)threadIdx.x)
#define BID ((int)blockIdx.x)
#define LANE (TID & 31)
#define WARP (TID >> 5)

static struct test {
	const char *name;
	void (*run)();
} list[200];
static int nlist;
static int enlist(const char *name, void (*run)())
{
	list[nlist] = {name, run};
	return nlist++;
}
#define TEST(name)                                       \
	static void name();                              \
	static int number_of_##name = enlist(#name, name); \
	static void name()

static int *zeros(size_t bytes = 4096)
{
	int *p;
	cudaMalloc(&p, bytes);
	cudaMemset(p, 0, bytes);
	return p;
}
static void two_streams(cudaStream_t *a, cudaStream_t *b)
{
	cudaStreamCreateWithFlags(a, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(b, cudaStreamNonBlocking);
}
__global__ void writes(int *p) { p[TID] = TID; }
__global__ void reads(const int *p, int *out) { out[TID] = p[TID] + 1; }
__device__ int flag, lock_word, jobs;
__constant__ int table[16];
static void cooperate(const void *kernel)
{
	int *d = zeros(), *out = zeros();
	void *args[] = {&d, &out};
	cudaLaunchCooperativeKernel(kernel, dim3(4), dim3(N), args, 0, 0);
}

// Keeps the compiler from removing a malloc whose block is never used.
__device__ int *volatile seen;
__device__ __noinline__ int *get(size_t n)
{
	int *p = (int *)malloc(n);
	seen = p;
	return p;
}
__device__ __noinline__ void put(int *p) { free(p); }

#define MAIN                                                              \
int main(int argc, char **argv)                                           \
{                                                                         \
	for (int i = 0; i < nlist; i++)                                   \
		if (argc > 1 && !strcmp(argv[1], list[i].name)) {         \
			list[i].run();                                    \
			return cudaDeviceSynchronize() != cudaSuccess;    \
		}                                                         \
	fprintf(stderr, "no test of that name\n");                        \
	return 3;                                                         \
}

#endif
