// long
/* cuda::atomic and cuda::atomic_ref: counts, extremes and a lock over many blocks. */
#include <cuda/atomic>
#include "check.h"

struct cells {
	int count;
	long long largest;
	float sum;
	unsigned bits;
	cuda::atomic<int, cuda::thread_scope_device> lock;
	int guarded;
	volatile cuda::atomic<int> shaky; /* operations exist for volatile objects too */
};

__global__ void work(cells *c)
{
	__shared__ cuda::atomic<int, cuda::thread_scope_block> local;
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (threadIdx.x == 0)
		local.store(0);
	__syncthreads();
	local++;
	c->shaky++;
	__syncthreads();
	cuda::atomic_ref<int, cuda::thread_scope_device> count(c->count);
	if (threadIdx.x == 0)
		count.fetch_add(local.load(), cuda::memory_order_relaxed);
	cuda::atomic_ref<long long>(c->largest).fetch_max((long long)i << 32);
	cuda::atomic_ref<float>(c->sum) += 0.5f;
	cuda::atomic_ref<unsigned>(c->bits).fetch_or(1u << (i & 31), cuda::std::memory_order_relaxed);
	if (threadIdx.x == 0) {
		int open = 0;
		while (!c->lock.compare_exchange_weak(open, 1, cuda::memory_order_acquire))
			open = 0;
		c->guarded = *(volatile int *)&c->guarded + 1;
		c->lock.store(0, cuda::memory_order_release);
	}
}

int main()
{
	cells *c;
	CUDA(cudaMallocManaged(&c, sizeof *c));
	memset((void *)c, 0, sizeof *c);
	work<<<24, 64>>>(c);
	CUDA(cudaDeviceSynchronize());
	CHECK(c->count == 24 * 64);
	CHECK(c->largest == (24 * 64 - 1LL) << 32);
	CHECK(c->sum == 24 * 32.f);
	CHECK(c->bits == ~0u);
	CHECK(c->guarded == 24);
	CHECK(c->shaky.load() == 24 * 64 && (c->shaky = 5) == 5 && c->shaky == 5);
	cuda::atomic<int> host(3);
	CHECK(host.exchange(4) == 3 && ++host == 5 && (host += 2) == 7);
	return failures != 0;
}
