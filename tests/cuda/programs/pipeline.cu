/* Queues of stages between threads of a block: cuda::pipeline with every thread both producer and
 * consumer, with a number of producers, and with a role per thread; the C form of copies and of
 * split barriers; a barrier outside shared memory. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>
#include "check.h"

namespace cg = cooperative_groups;
enum { THREADS = 96, TILES = 11, STAGES = 3 };
enum how { EVERYONE, COUNTED, ROLES };

/* Tiles of 64 numbers pass through the queue; a consumer sums its numbers. Unless every thread is a
 * producer, warp 0 produces. */
template <how H> __global__ void sum_tiles(const int *in, int *out)
{
	constexpr unsigned first = H == EVERYONE ? 0 : 32, consumers = H == EVERYONE ? 64 : THREADS - first;
	__shared__ int tile[STAGES][64];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
	auto block = cg::this_thread_block();
	unsigned r = block.thread_rank();
	bool produces = H == EVERYONE || r < 32, consumes = r + 1 > first;
	auto pipe = H == EVERYONE ? cuda::make_pipeline(block, &state) : H == COUNTED ? cuda::make_pipeline(block, &state, 32)
		: cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
	int sum = 0, issued = 0;
	for (int t = 0; t < TILES; t++) {
		/* a producer may run ahead by the number of free stages, then blocks */
		for (; produces && issued < TILES && issued < t + STAGES; issued++) {
			pipe.producer_acquire();
			for (unsigned i = r; i < 64; i += H == EVERYONE ? THREADS : 32)
				cuda::memcpy_async(&tile[issued % STAGES][i], &in[issued * 64 + i],
					cuda::aligned_size_t<4>(4), pipe);
			pipe.producer_commit();
		}
		if (!consumes)
			continue;
		pipe.consumer_wait();
		if (r - first < consumers)
			sum += tile[t % STAGES][r - first];
		pipe.consumer_release();
	}
	if (consumes && r - first < 64)
		out[r - first] = sum;
}

/* A pipeline of one thread: copies of sixteen bytes, two groups in flight. */
__global__ void own_groups(const int *in, int *out)
{
	__shared__ alignas(16) int tile[TILES][64];
	auto pipe = cuda::make_pipeline();
	for (int t = 0; t < TILES; t++) {
		pipe.producer_acquire();
		if (threadIdx.x < 16)
			cuda::memcpy_async(&tile[t][threadIdx.x * 4], &in[t * 64 + threadIdx.x * 4],
				cuda::aligned_size_t<16>(16), pipe);
		pipe.producer_commit();
	}
	for (int t = 0; t < TILES; t++)
		pipe.consumer_wait();
	__syncthreads();
	int sum = 0;
	for (int t = 0; t < TILES; t++)
		sum += tile[t][threadIdx.x];
	out[threadIdx.x] = sum;
}

/* Eight bytes of which four are filled with zero; a split barrier completes when all copies
 * have. */
__global__ void c_form(const int *in, int *out)
{
	__shared__ alignas(16) int pair[64][2];
	__shared__ __mbarrier_t bar;
	if (threadIdx.x == 0)
		__mbarrier_init(&bar, 64);
	pair[threadIdx.x][1] = 77;
	__syncthreads();
	__pipeline_memcpy_async(pair[threadIdx.x], in + 2 * threadIdx.x, 8, 4);
	__pipeline_commit();
	__pipeline_wait_prior(0);
	__mbarrier_token_t token = __mbarrier_arrive(&bar);
	while (!__mbarrier_test_wait(&bar, token))
		;
	out[threadIdx.x] = pair[63 - threadIdx.x][0] + pair[63 - threadIdx.x][1];
}

/* Blocks that meet through memory: in each phase, block b adds to the cell that block b + 1 had
 * before. */
__global__ void across_blocks(cuda::barrier<cuda::thread_scope_device> *bar, int *cell)
{
	for (int phase = 0; phase < 5; phase++) {
		volatile int *c = &cell[(blockIdx.x + phase) % gridDim.x];
		*c = *c * 2 + (int)blockIdx.x;
		bar->arrive_and_wait();
	}
}
__global__ void open_barrier(cuda::barrier<cuda::thread_scope_device> *bar, int n) { init(bar, n); }

static void check_sums(const char *what, const int *in, const int *out)
{
	for (int i = 0; i < 64; i++) {
		int sum = 0;
		for (int t = 0; t < TILES; t++)
			sum += in[t * 64 + i];
		if (out[i] != sum) {
			printf("%s: %d is %d, not %d\n", what, i, out[i], sum);
			failures++;
			return;
		}
	}
}

int main()
{
	int *in, *out, *cell;
	cuda::barrier<cuda::thread_scope_device> *bar;
	CUDA(cudaMallocManaged(&in, TILES * 64 * sizeof *in));
	CUDA(cudaMallocManaged(&out, 64 * sizeof *out));
	CUDA(cudaMallocManaged(&cell, 4 * sizeof *cell));
	CUDA(cudaMalloc(&bar, sizeof *bar));
	for (int i = 0; i < TILES * 64; i++)
		in[i] = i * i % 1009;
	void (*const kernels[])(const int *, int *) = {sum_tiles<EVERYONE>, sum_tiles<COUNTED>, sum_tiles<ROLES>, own_groups};
	const char *const names[] = {"everyone", "counted", "roles", "own groups"};
	for (int k = 0; k < 4; k++) {
		kernels[k]<<<1, k == 3 ? 64 : THREADS>>>(in, out);
		CUDA(cudaDeviceSynchronize());
		check_sums(names[k], in, out);
	}
	c_form<<<1, 64>>>(in, out);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++)
		CHECK(out[i] == in[2 * (63 - i)]);
	int want[4] = {1, 2, 3, 4};
	for (int i = 0; i < 4; i++)
		cell[i] = want[i];
	open_barrier<<<1, 1>>>(bar, 4);
	across_blocks<<<4, 1>>>(bar, cell);
	CUDA(cudaDeviceSynchronize());
	for (int phase = 0; phase < 5; phase++)
		for (int b = 0; b < 4; b++)
			want[(b + phase) % 4] = want[(b + phase) % 4] * 2 + b;
	for (int i = 0; i < 4; i++)
		CHECK(cell[i] == want[i]);
	return failures != 0;
}
