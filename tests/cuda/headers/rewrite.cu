/* Constructs that nvcc accepts and clang does not: heddle cc rewrites these, and leaves text that
 * only looks similar alone. */
#include <cstdio>
#include <map>
#include <string>
#include <vector>
#define KERNEL __global__ __device__
#define LOOP(n) for (int i = 0; i < n; i++)
#define UNROLL #pragma unroll
#define UNROLL_4 #pragma unroll 4 // four at a time

namespace q { __device__ __managed__ int many[4] = {1, 2, 3, 4}, scalar; }
__managed__ float one;
extern __managed__ float one;
KERNEL void marked(float *p) { *p = 1; }
extern "C"__global__ void glued(int *p) { *p = 2; }
__constant__ alignas(16) float table[4] = {1, 2, 3, 4};
__host__ __device__ [[nodiscard]] inline int next(int x) { return x + 1; }
__device__ __noinline__ float slow(float x) { return x * 2; }
__attribute__((__noinline__)) static float host_slow(float x) { return x; }

__global__ __device__ void kernel(int *p, float *f)
{
	__device__ __shared__ int s[32];
	extern __shared__ float dyn[];
	__shared__ alignas(
		alignof(float4)) float quad[4];
	quad[0] = table[next(1)];
	unsigned id, lane, sum;
	asm("mov.u32 %0, %smid;" : "=r"(id));
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	asm volatile(R"({ mov.u32 %0, %laneid; })" : "=r"(lane));
	asm volatile(R"x(mov.u32 %0, )x"
		     "%laneid;" : "=r"(lane));
	asm("add.u32 %0, %1, %2;" : "=r"(sum) : "r"(id), "r"(lane));
	asm("add.u32 %0, %1, %2;" : "=r"(sum) : "r"(id) "r"((lane + 1)) : "memory"); /* nvcc needs no comma */
	s[threadIdx.x] = sum;
#pragma unroll
	for (int i = 0; i < 4; i++)
		s[i] += q::many[i];
#pragma unroll 4
	LOOP(4) s[i]++;
	UNROLL
	for (int i = 0; i < 4; i++)
		s[i] += i;
	UNROLL_4
	LOOP(4) s[i]--;
#pragma unroll 4
	p[0] = s[1] /* << < in a comment, don't touch */;
	const char *text = "<< < __device__ __shared__ %smid";
	p[1] = text[3] + q::scalar;
	one = slow(*f);
	dyn[0] = quad[0];
	auto t = threadIdx;
	auto u = blockIdx;
	const auto &d = blockDim;
	dim3 g = gridDim;
	dyn[1] = t.x + u.y + d.z + g.x;
}
/* Both branches of the #if open a block and one brace closes it; the launches below are host code
 * nevertheless. */
__global__ void branches(float *f)
{
#ifdef OTHER
	for (int i = 0; i < 2; i++) {
#elif defined THIRD
	while (f[0] > 2) {
#else
	for (int i = 1; i < 3; i++) {
#if 1
		f[i] = 0;
#else
		{
#endif
#endif
		f[0]++;
	}
}
template <int N> struct shift { enum { value = 1 << N }; };
int main()
{
	std::vector<std::vector<std::vector<int>> > v;
	std::map<int, std::vector<shift<(3 >> 1)> > > m;
	int *p = 0, blockDim = 3, threads;
	threads = blockDim; /* not the kernel's */
	float *f = 0;
	kernel<< <dim3(1, 1), 1 << 4, 16 * sizeof(float)>> >(p, f);
	kernel <<< 1, (32 >> 1) >>> (p, f);
	marked<<<1, 1>>>(f);
	marked<<<{1, 1}, {1}, 0, nullptr>>>(f);
	branches<<<1, 1>>>(f);
	q::many[0] = 5;
	printf("%d %g 'don''t'\n", (int)v.size() + q::many[0] + (int)m.size() + threads, host_slow(1));
	return 0;
}
