/* Shuffles and votes without a mask, as in programs older than CUDA 9, built without -arch and so
 * for a GPU whose instructions need a mask: the operation covers the threads that execute it. */
#include "check.h"

enum { THREADS = 32 };

struct row {
	int idx, up, down, across, any, all;
	unsigned ballot;
	float f;
	double d;
};

__device__ row ask(int i)
{
	row r;
	r.idx = __shfl(i * 10, 3);
	r.up = __shfl_up(i * 10, 2);
	r.down = __shfl_down(i * 10, 2);
	r.across = __shfl_xor(i * 10, 4);
	r.any = __any(i == 7);
	r.all = __all(i & 1);
	r.ballot = __ballot(i < 16);
	r.f = __shfl(i * 0.5f, 5, 8);
	r.d = __shfl_xor(i * 0.25, 2);
	return r;
}

__global__ void together(row *out) { out[threadIdx.x] = ask(threadIdx.x); }

__global__ void odd(row *out)
{
	if (threadIdx.x & 1)
		out[threadIdx.x] = ask(threadIdx.x);
}

static void check(const row &r, int i, bool all)
{
	CHECK(r.idx == 30);
	CHECK(r.up == (i < 2 ? i : i - 2) * 10);
	CHECK(r.down == (i > 29 ? i : i + 2) * 10);
	CHECK(r.across == (i ^ 4) * 10);
	CHECK(r.any == 1);
	CHECK(r.all == !all);
	CHECK(r.ballot == (all ? 0xffffu : 0xaaaau));
	CHECK(r.f == (i / 8 * 8 + 5) * 0.5f);
	CHECK(r.d == (i ^ 2) * 0.25);
}

int main()
{
	row *out;
	CUDA(cudaMallocManaged(&out, THREADS * sizeof *out));
	together<<<1, THREADS>>>(out);
	CUDA(cudaGetLastError());
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < THREADS; i++)
		check(out[i], i, true);
	odd<<<1, THREADS>>>(out);
	CUDA(cudaGetLastError());
	CUDA(cudaDeviceSynchronize());
	for (int i = 1; i < THREADS; i += 2)
		check(out[i], i, false);
	return failures != 0;
}
