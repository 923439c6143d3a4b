// long
// options: -std=c++14 -arch=sm_80
/* Access properties do not change results; memory next to a discarded range keeps its values. */
#include <cuda/annotated_ptr>
#include <cuda/discard_memory>
#include "check.h"

enum { N = 256 };
using cuda::access_property;
using cuda::annotated_ptr;

template <class P> __device__ int sum(annotated_ptr<const int, P> p)
{
	int s = 0;
	for (int i = 0; i < N; i++)
		s += p[i];
	return s + *p;
}

struct pair {
	int a, b;
};

__global__ void kernel(annotated_ptr<int, access_property::persisting> in,
	annotated_ptr<const int, access_property> any, int *out, int *scratch)
{
	__shared__ int staged[N];
	__shared__ pair two;
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	init(&bar, 1);
	cuda::apply_access_property(in.get(), N * sizeof(int), access_property::persisting{});
	cuda::apply_access_property(in.get(), cuda::aligned_size_t<4>(N * sizeof(int)), access_property::normal{});
	cuda::memcpy_async(staged, in, N * sizeof(int), bar);
	bar.arrive_and_wait();
	annotated_ptr<pair, access_property::shared> p(&two);
	p->a = 5;
	(*p).b = 6;
	out[0] = sum<access_property::persisting>(in);
	out[1] = sum(any);
	out[2] = staged[N - 1];
	out[3] = p->a * 10 + two.b;
	int *q = cuda::associate_access_property(scratch, access_property::streaming{});
	for (int i = 0; i < N; i++)
		q[i] = i;
	cuda::discard_memory(q + 1, (N - 2) * sizeof(int));
	out[4] = q[0] + q[N - 1];
}

static_assert(sizeof(annotated_ptr<int, access_property::global>) == sizeof(int *), "");
static_assert(sizeof(annotated_ptr<int, access_property>) == 2 * sizeof(int *), "");

int main()
{
	int *m, total = 0;
	CUDA(cudaMallocManaged(&m, (2 * N + 8) * sizeof *m));
	for (int i = 0; i < N; i++)
		total += m[i] = i * 3 + 1;
	annotated_ptr<int, access_property::persisting> in(m);
	annotated_ptr<const int, access_property> any(in);
	any = annotated_ptr<const int, access_property>(m, access_property(access_property::normal{}, 0.5f,
		access_property::streaming{}));
	CHECK(in && any.get() == m && in[2] == 7 && in - in == 0);
	CHECK(access_property::persisting{} == cudaAccessPropertyPersisting);
	kernel<<<1, 1>>>(in, any, m + 2 * N, m + N);
	CUDA(cudaDeviceSynchronize());
	CHECK(m[2 * N] == total + 1 && m[2 * N + 1] == total + 1);
	CHECK(m[2 * N + 2] == (N - 1) * 3 + 1);
	CHECK(m[2 * N + 3] == 56);
	CHECK(m[2 * N + 4] == N - 1);
	return failures != 0;
}
