// long
/* cuda::latch and cuda::counting_semaphore in global and shared memory, and on the host. */
#include <new>
#include <thread>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/latch>
#include <cuda/std/semaphore>
#include "check.h"

enum { BLOCKS = 8, THREADS = 64, ROUNDS = 4 };

using device_latch = cuda::latch<cuda::thread_scope_device>;
using block_latch = cuda::latch<cuda::thread_scope_block>;
using tickets = cuda::counting_semaphore<cuda::thread_scope_device, 3>;
using mutex = cuda::binary_semaphore<cuda::thread_scope_device>;

/* Each block writes its part, and sums all parts after every block has written. */
__global__ void meet(device_latch *l, int *part, int *sum)
{
	if (threadIdx.x == 0) {
		part[blockIdx.x] = blockIdx.x + 1;
		l->arrive_and_wait();
		int s = 0;
		for (int i = 0; i < BLOCKS; i++)
			s += ((volatile int *)part)[i];
		sum[blockIdx.x] = s;
	}
}

/* Thread 0 reads what the other warp wrote before it counted down. */
__global__ void within(int *out)
{
	__shared__ block_latch l;
	__shared__ int value[THREADS];
	if (threadIdx.x == 0)
		new (&l) block_latch(THREADS / 2);
	__syncthreads();
	if (threadIdx.x >= THREADS / 2) {
		value[threadIdx.x] = threadIdx.x;
		l.count_down();
	} else if (threadIdx.x == 0) {
		int s = 0;
		l.wait();
		for (int i = THREADS / 2; i < THREADS; i++)
			s += ((volatile int *)value)[i];
		out[0] = s;
		out[1] = l.try_wait();
	}
}

/* At most three blocks hold a ticket, and one of them at a time changes the plain counter. */
__global__ void guarded(tickets *t, mutex *m, int *inside, int *most, int *count)
{
	if (threadIdx.x)
		return;
	for (int i = 0; i < ROUNDS; i++) {
		t->acquire();
		atomicMax(most, atomicAdd(inside, 1) + 1);
		m->acquire();
		*(volatile int *)count += 1;
		m->release();
		atomicSub(inside, 1);
		t->release();
	}
}

__global__ void give_up(mutex *m, int *out)
{
	using namespace cuda::std::chrono;
	out[0] = m->try_acquire();
	out[1] = m->try_acquire();
	out[2] = m->try_acquire_for(nanoseconds(500));
	out[3] = m->try_acquire_until(system_clock::now() + nanoseconds(500));
	m->release();
	out[4] = m->try_acquire_for(seconds(1));
}

template <class T> static T *make(ptrdiff_t n)
{
	void *p;
	CUDA(cudaMallocManaged(&p, sizeof(T)));
	return new (p) T(n);
}

static void on_the_host()
{
	cuda::std::latch done(2);
	cuda::std::counting_semaphore<4> work(0);
	int got = 0;
	CHECK(!done.try_wait() && !work.try_acquire());
	CHECK(!work.try_acquire_for(cuda::std::chrono::milliseconds(1)));
	std::thread t([&] {
		for (int i = 0; i < 3; i++) {
			work.acquire();
			got++;
		}
		done.count_down();
	});
	work.release(2);
	work.release();
	done.arrive_and_wait();
	t.join();
	CHECK(got == 3 && done.try_wait());
}

int main()
{
	static_assert(tickets::max() == 3 && cuda::std::binary_semaphore::max() == 1, "");
	int *m;
	CUDA(cudaMallocManaged(&m, 32 * sizeof *m));
	for (int i = 0; i < 32; i++)
		m[i] = 0;
	device_latch *l = make<device_latch>(BLOCKS);
	meet<<<BLOCKS, THREADS>>>(l, m, m + BLOCKS);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < BLOCKS; i++)
		CHECK(m[BLOCKS + i] == BLOCKS * (BLOCKS + 1) / 2);
	CHECK(l->try_wait());

	within<<<1, THREADS>>>(m);
	guarded<<<BLOCKS, THREADS>>>(make<tickets>(3), make<mutex>(1), m + 20, m + 21, m + 22);
	give_up<<<1, 1>>>(make<mutex>(1), m + 24);
	CUDA(cudaDeviceSynchronize());
	CHECK(m[0] == (THREADS / 2 + THREADS - 1) * THREADS / 4 && m[1] == 1);
	CHECK(m[20] == 0 && m[21] >= 1 && m[21] <= 3 && m[22] == BLOCKS * ROUNDS);
	CHECK(m[24] == 1 && m[25] == 0 && m[26] == 0 && m[27] == 0 && m[28] == 1);
	on_the_host();
	return failures != 0;
}
