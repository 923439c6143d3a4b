// Programs with one bug each, and correct ones like them, by what they use: device malloc, libcu++, cooperative groups,
// allocations of streams, textures, misuse of memory. Comments as in kernels.cu; each is a function of the host.
#include <cooperative_groups.h>
#include <cstdlib>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include "programs.cuh"

// ---- device malloc ----

// bug heap_over: 60 bytes after the start of a block of malloc, which has 60 bytes
__global__ void heap_over_k(int *out)
{
	int *p = get(60);
	p[15] = 3;                          // here heap_over
	out[TID] = p[15];
}
TEST(heap_over) { heap_over_k<<<1, 1>>>(zeros()); }

// bug heap_neighbour: 64 bytes after the start of a block of malloc
__global__ void heap_neighbour_k(int *out)
{
	int *p = get(64);
	p[16] = 3;                          // here heap_neighbour
	out[TID] = p[16];
}
TEST(heap_neighbour) { heap_neighbour_k<<<1, 32>>>(zeros()); }

// bug heap_uninit: of malloc) that nothing has written
__global__ void heap_uninit_k(int *out)
{
	int *p = get(64);
	out[TID] = p[TID & 15];             // here heap_uninit
	put(p);
}
TEST(heap_uninit) { heap_uninit_k<<<1, 32>>>(zeros()); }

// bug heap_uninit_again: of malloc) that nothing has written
__global__ void heap_uninit_again_k(int *out)
{
	int *p = get(64);
	p[3] = 7;
	put(p);
	p = get(64);
	out[TID] = p[3];                    // here heap_uninit_again
	put(p);
}
TEST(heap_uninit_again) { heap_uninit_again_k<<<1, 1>>>(zeros()); }

// bug heap_freed: in the heap of malloc, not inside one block that is allocated
__global__ void heap_freed_k(int *out)
{
	int *p = get(64);
	p[0] = 1;
	put(p);
	out[TID] = p[0];                    // here heap_freed
}
TEST(heap_freed) { heap_freed_k<<<1, 1>>>(zeros()); }

// bug heap_twice: is freed already
__device__ __noinline__ void put_again(int *p) { free(p); } // here heap_twice
__global__ void heap_twice_k(int *out)
{
	int *p = get(64);
	p[0] = 1;
	out[TID] = p[0];
	put(p);
	put_again(p);
}
TEST(heap_twice) { heap_twice_k<<<1, 1>>>(zeros()); }

// bug heap_full: a null pointer
__global__ void heap_full_k(int *out)
{
	int *p = get(1 << 20);
	p[TID] = TID;                       // here heap_full
	out[TID] = p[TID];
}
TEST(heap_full)
{
	cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20);
	heap_full_k<<<1, N>>>(zeros());
}

// bug heap_shared: data race in global memory
__global__ void heap_shared_k(int *out)
{
	__shared__ int *p;
	if (!TID) {
		p = get(64);
		p[0] = 1;
	}
	__syncthreads();
	if (WARP == 0)
		out[TID] = p[0];            // other heap_shared
	if (TID == 32)
		p[0] = 2;                   // here heap_shared
}
TEST(heap_shared) { heap_shared_k<<<1, 64>>>(zeros()); }

// Blocks of other sizes where others were, which had been read, written and added to.
// clean heap_again
__global__ void heap_again_k(int *out)
{
	int n = 12 + BID % 4, *p = get(n * sizeof *p);
	for (int i = 0; i < n; i++)
		p[i] = i;
	atomicAdd(&p[TID % n], 1);
	out[BID * N + TID] = p[TID % n];
	put(p);
}
TEST(heap_again) { heap_again_k<<<4, N>>>(zeros()); }

// ---- libcu++ ----

typedef cuda::atomic<int, cuda::thread_scope_block> block_int;

// bug block_atomics: atomics of block scope from two blocks
__global__ void block_atomics_k(block_int *a) { a->fetch_add(1); }
TEST(block_atomics) { block_atomics_k<<<2, 32>>>((block_int *)zeros()); }

// bug relaxed_flag: data race in global memory
// bug release_only: data race in global memory
// bug block_flag: data race in global memory
// clean device_flag
template <class A> __global__ void flag_k(A *f, int *d, cuda::memory_order store, cuda::memory_order load)
{
	if (BID == 0) {
		d[0] = 42;
		f->store(1, store);
	} else {
		while (!f->load(load))
			;
		d[1] = d[0];
	}
}
TEST(relaxed_flag)
{
	flag_k<<<2, 1>>>((device_int *)zeros(), zeros(), cuda::memory_order_relaxed, cuda::memory_order_relaxed);
}
TEST(release_only)
{
	flag_k<<<2, 1>>>((device_int *)zeros(), zeros(), cuda::memory_order_release, cuda::memory_order_relaxed);
}
TEST(block_flag)
{
	flag_k<<<2, 1>>>((block_int *)zeros(), zeros(), cuda::memory_order_release, cuda::memory_order_acquire);
}
TEST(device_flag)
{
	flag_k<<<2, 1>>>((device_int *)zeros(), zeros(), cuda::memory_order_release, cuda::memory_order_acquire);
}

// bug lock_releases_late: data race in global memory
// clean lock_orders
template <int released> __global__ void lock_k(device_int *lock, int *d)
{
	while (lock->exchange(1, released ? cuda::memory_order_acquire : cuda::memory_order_release))
		;
	d[0] = d[0] + 1;
	lock->store(0, cuda::memory_order_release);
}
TEST(lock_releases_late) { lock_k<0><<<4, 1>>>((device_int *)zeros(), zeros()); }
TEST(lock_orders) { lock_k<1><<<4, 1>>>((device_int *)zeros(), zeros()); }

// bug barrier_unready: data race in shared memory
// clean barrier_ready
template <int ready> __global__ void barrier_k(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	__shared__ int s[N];
	if (!TID)
		init(&b, N);
	if (ready)
		__syncthreads();
	for (int k = 0; k < 3; k++) {
		s[TID] = TID + k;
		b.arrive_and_wait();
		out[TID] += s[N - 1 - TID];
		b.arrive_and_wait();
	}
}
TEST(barrier_unready) { barrier_k<0><<<1, N>>>(zeros()); }
TEST(barrier_ready) { barrier_k<1><<<1, N>>>(zeros()); }

// bug barrier_of_one_more: nothing can go on
__global__ void barrier_of_one_more_k(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	if (!TID)
		init(&b, N + 1);
	__syncthreads();
	b.arrive_and_wait();
	out[TID] = 1;
}
TEST(barrier_of_one_more) { barrier_of_one_more_k<<<1, N>>>(zeros()); }

// bug pipeline_waits_late: which has not waited for its asynchronous copy
// clean pipeline_waits
template <int waits> __global__ void pipeline_k(const int *in, int *out)
{
	__shared__ int s[2][N];
	for (int k = 0; k < 4; k++) {
		__pipeline_memcpy_async(&s[k & 1][TID], &in[TID], 4);
		__pipeline_commit();
		if (waits)
			__pipeline_wait_prior(0);
		__syncthreads();
		out[TID] += s[k & 1][N - 1 - TID]; // here pipeline_waits_late
	}
	__pipeline_wait_prior(0);
}
TEST(pipeline_waits_late) { pipeline_k<0><<<1, N>>>(zeros(), zeros()); }
TEST(pipeline_waits) { pipeline_k<1><<<1, N>>>(zeros(), zeros()); }

// ---- cooperative groups ----

// bug grid_unsynced: data race in global memory
// clean grid_synced
template <int synced> __global__ void grid_k(int *d, int *out)
{
	int i = BID * N + TID;
	d[i] = i;                           // other grid_unsynced
	if (synced)
		cg::this_grid().sync();
	out[i] = d[(i + 3 * N) % (gridDim.x * N)]; // here grid_unsynced
}
TEST(grid_unsynced) { cooperate((const void *)grid_k<0>); }
TEST(grid_synced) { cooperate((const void *)grid_k<1>); }

// bug grid_block_leaves: nothing can go on
__global__ void grid_block_leaves_k(int *, int *out)
{
	if (BID == 1)
		return;
	cg::this_grid().sync();
	out[BID] = 1;
}
TEST(grid_block_leaves) { cooperate((const void *)grid_block_leaves_k); }

// clean tile_sum
__global__ void tile_sum_k(int *out)
{
	auto tile = cg::tiled_partition<16>(cg::this_thread_block());
	int x = TID;
	for (int k = 8; k; k /= 2)
		x += tile.shfl_down(x, k);
	if (!tile.thread_rank())
		atomicAdd(out, x);
}
TEST(tile_sum) { tile_sum_k<<<2, N>>>(zeros()); }

// clean aggregated
__global__ void aggregated_k(int *out)
{
	if (TID % 3)
		return;
	auto g = cg::coalesced_threads();
	int base = 0;
	if (g.thread_rank() == 0)
		base = atomicAdd(out, (int)g.size());
	out[1 + g.shfl(base, 0) + g.thread_rank()] = TID;
}
TEST(aggregated) { aggregated_k<<<2, N>>>(zeros()); }

// ---- barriers and masks ----

// bug not_whole_warps: barrier 1 expects 100 threads, which is not a multiple of the warp size, 32
__global__ void not_whole_warps_k(int *out)
{
	asm volatile("bar.sync 1, 100;" ::: "memory"); // here not_whole_warps
	out[TID] = 1;
}
TEST(not_whole_warps) { not_whole_warps_k<<<1, N>>>(zeros()); }

// bug named_too_few: data race in shared memory
__global__ void named_too_few_k(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;                       // here named_too_few
	asm volatile("bar.sync 1, 64;" ::: "memory");
	out[TID] = s[N - 1 - TID];          // other named_too_few
}
TEST(named_too_few) { named_too_few_k<<<1, N>>>(zeros()); }

// bug no_lane: names no lane, but is executed by lane
__global__ void no_lane_k(int *out) { out[TID] = (int)__ballot_sync(0, 1); } // here no_lane
TEST(no_lane) { no_lane_k<<<1, 32>>>(zeros()); }

// bug active_reads_away: but the shuffle reads lane 16
__global__ void active_reads_away_k(int *out)
{
	int x = TID;
	if (LANE < 16)
		x = __shfl_down_sync(__activemask(), x, 8); // here active_reads_away
	out[TID] = x;
}
TEST(active_reads_away) { active_reads_away_k<<<1, N>>>(zeros()); }

// clean active_rest
__global__ void active_rest_k(int *out)
{
	for (int i = TID; i < 100; i += 32)
		out[i] = (int)__ballot_sync(__activemask(), i & 1);
}
TEST(active_rest) { active_rest_k<<<1, 32>>>(zeros()); }

// clean votes_at_barrier
__global__ void votes_at_barrier_k(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;
	int any = __syncthreads_or(TID == 5);
	out[TID] = s[N - 1 - TID] + any;
}
TEST(votes_at_barrier) { votes_at_barrier_k<<<1, N>>>(zeros()); }

// clean work_queue
__global__ void work_queue_k(int *out)
{
	__shared__ int job;
	for (;;) {
		if (!TID)
			job = atomicAdd(&jobs, 1);
		__syncthreads();
		int j = job;
		__syncthreads();
		if (j >= 8)
			return;
		out[j * N + TID] = j;
	}
}
TEST(work_queue) { work_queue_k<<<4, N>>>(zeros()); }

// clean lanes_take_turns
__global__ void lanes_take_turns_k(int *d)
{
	for (bool done = false; !done;)
		if (!atomicCAS(&lock_word, 0, 1)) {
			__threadfence();
			d[0]++;
			__threadfence();
			atomicExch(&lock_word, 0);
			done = true;
		}
}
TEST(lanes_take_turns) { lanes_take_turns_k<<<2, 32>>>(zeros()); }

// bug word_and_byte: one is atomic or volatile, the other is not
__global__ void word_and_byte_k(int *out)
{
	if (WARP == 0)
		atomicAdd(out, 1);          // other word_and_byte
	else
		((char *)out)[2] = 1;       // here word_and_byte
}
TEST(word_and_byte) { word_and_byte_k<<<1, 64>>>(zeros()); }

// ---- streams ----

// bug free_beside: freed by cudaFreeAsync at
// bug alloc_beside: allocated by cudaMallocAsync at
// bug event_early: in streams that nothing orders
// clean alloc_in_order
__global__ void writes_freed(int *p) { p[TID] = TID; } // here free_beside
TEST(free_beside)
{
	cudaStream_t a, b;
	int *p;
	two_streams(&a, &b);
	cudaMallocAsync(&p, 4096, a);
	cudaStreamSynchronize(a);
	writes_freed<<<1, N, 0, a>>>(p);
	cudaFreeAsync(p, b); // other free_beside
	cudaDeviceSynchronize();
}
TEST(alloc_beside)
{
	cudaStream_t a, b;
	int *p;
	two_streams(&a, &b);
	cudaMallocAsync(&p, 4096, a); // other alloc_beside
	writes<<<1, N, 0, b>>>(p);
	cudaDeviceSynchronize();
}
TEST(event_early)
{
	cudaStream_t a, b;
	cudaEvent_t e;
	int *p = zeros(), *out = zeros();
	two_streams(&a, &b);
	cudaEventCreate(&e);
	cudaDeviceSynchronize();
	cudaEventRecord(e, a);
	writes<<<1, N, 0, a>>>(p);
	cudaStreamWaitEvent(b, e, 0);
	reads<<<1, N, 0, b>>>(p, out);
}
TEST(alloc_in_order)
{
	cudaStream_t a, b;
	cudaEvent_t e;
	int *p;
	two_streams(&a, &b);
	cudaEventCreate(&e);
	for (int k = 0; k < 2; k++) {
		cudaMallocAsync(&p, 4096, a);
		writes<<<1, N, 0, a>>>(p);
		cudaEventRecord(e, a);
		cudaStreamWaitEvent(b, e, 0);
		writes<<<1, N, 0, b>>>(p);
		cudaEventRecord(e, b);
		cudaStreamWaitEvent(a, e, 0);
		cudaFreeAsync(p, a);
	}
}

// ---- pinned memory ----

// bug pinned_changed: written by the host at
// bug pinned_read_early: read by the host at
// clean pinned_halves
// clean pinned_event
// clean pinned_callback
static int *pinned()
{
	int *h;
	cudaMallocHost(&h, 1 << 16);
	memset(h, 0, 1 << 16);
	return h;
}
TEST(pinned_changed)
{
	int *h = pinned(), *d = zeros();
	cudaMemcpyAsync(d, h, 4096, cudaMemcpyHostToDevice, cudaStreamPerThread); // other pinned_changed
	h[0] = 5;
	cudaDeviceSynchronize();
}
TEST(pinned_read_early)
{
	int *h = pinned(), *d = zeros();
	writes<<<1, N>>>(d);
	cudaMemcpyAsync(h, d, 4 * N, cudaMemcpyDeviceToHost); // other pinned_read_early
	if (*(volatile int *)&h[3] == 3)
		puts("there already");
	cudaDeviceSynchronize();
}
TEST(pinned_halves)
{
	int *h = pinned(), *d = zeros(1 << 15);
	for (int k = 0; k < 4; k++) {
		int *half = h + k % 2 * (1 << 13);
		memset(half, k, 1 << 15);
		cudaDeviceSynchronize();
		cudaMemcpyAsync(d, half, 1 << 15, cudaMemcpyHostToDevice, cudaStreamPerThread);
	}
}
TEST(pinned_event)
{
	int *h = pinned(), *d = zeros();
	cudaEvent_t e;
	cudaEventCreate(&e);
	writes<<<1, N>>>(d);
	cudaMemcpyAsync(h, d, 4 * N, cudaMemcpyDeviceToHost);
	cudaEventRecord(e);
	while (cudaEventQuery(e) == cudaErrorNotReady)
		;
	if (h[3] != 3)
		exit(9);
}
static void look_at(void *h)
{
	if (((int *)h)[3] != 3)
		exit(9);
}
TEST(pinned_callback)
{
	int *h = pinned(), *d = zeros();
	writes<<<1, N>>>(d);
	cudaMemcpyAsync(h, d, 4 * N, cudaMemcpyDeviceToHost);
	cudaLaunchHostFunc(0, look_at, h);
	cudaDeviceSynchronize();
}

// ---- misuse of memory ----

// bug null_pointer: read of 4 bytes at 0x0 outside any allocation: a null pointer
// bug host_pointer: outside any allocation
// bug freed: in freed memory
// bug half_copied: that nothing has written
TEST(null_pointer) { reads<<<1, N>>>(nullptr, zeros()); }
TEST(host_pointer)
{
	static int h[N];
	reads<<<1, N>>>(h, zeros());
}
TEST(freed)
{
	int *p = zeros(), *out = zeros();
	cudaFree(p);
	reads<<<1, N>>>(p, out);
}
TEST(half_copied)
{
	static int h[N];
	int *p;
	cudaMalloc(&p, sizeof h);
	cudaMemcpy(p, h, N, cudaMemcpyHostToDevice);
	reads<<<1, N>>>(p, zeros());
}

// bug constant_over: variable table of 64 bytes
// clean constant_inside
__global__ void constant_k(int *out) { out[TID] = table[TID]; } // here constant_over
TEST(constant_over) { constant_k<<<1, 32>>>(zeros()); }
TEST(constant_inside) { constant_k<<<1, 16>>>(zeros()); }

// bug dynamic_too_small: at shared address 0x100
// bug dynamic_uninit: in shared memory that nothing has written
extern __shared__ int dynamic[];
__global__ void dynamic_k(int *out, int n)
{
	if (TID < n)
		dynamic[TID] = TID;         // here dynamic_too_small
	__syncthreads();
	out[TID] = dynamic[TID];            // here dynamic_uninit
}
TEST(dynamic_too_small) { dynamic_k<<<1, N, N * 2>>>(zeros(), N); }
TEST(dynamic_uninit) { dynamic_k<<<1, N, N * 4>>>(zeros(), N / 2); }

// bug misaligned: which is not a multiple of
__global__ void misaligned_k(const char *in, int *out) { out[TID] = *(const int *)(in + 1 + TID); } // here misaligned
TEST(misaligned) { misaligned_k<<<1, 32>>>((const char *)zeros(), zeros()); }

// bug too_deep: stack overflow
__device__ __noinline__ int deep(int n, int *o)
{
	int a[64];
	for (int i = 0; i < 64; i++)
		a[i] = n + i;
	if (n)
		a[n & 63] += deep(n - 1, o); // here too_deep
	o[n & 15] = a[(n * 7) & 63];
	return a[n & 63];
}
__global__ void too_deep_k(int *out) { out[TID] = deep(1 << 20, out); }
TEST(too_deep) { too_deep_k<<<1, 1>>>(zeros()); }

// bug texture_gone: nothing is bound to texture
// bug texture_freed: in freed memory
// clean texture_read
__global__ void texture_k(cudaTextureObject_t t, int *out) { out[TID] = tex1Dfetch<int>(t, TID); }
static cudaTextureObject_t linear_texture(int *p)
{
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaTextureObject_t t = 0;
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = p;
	r.res.linear.desc = cudaCreateChannelDesc<int>();
	r.res.linear.sizeInBytes = 4 * N;
	cudaCreateTextureObject(&t, &r, &d, 0);
	return t;
}
TEST(texture_gone)
{
	cudaTextureObject_t t = linear_texture(zeros());
	cudaDestroyTextureObject(t);
	texture_k<<<1, N>>>(t, zeros());
}
TEST(texture_freed)
{
	int *p = zeros();
	cudaTextureObject_t t = linear_texture(p);
	cudaFree(p);
	texture_k<<<1, N>>>(t, zeros());
}
TEST(texture_read) { texture_k<<<1, N>>>(linear_texture(zeros()), zeros()); }

// clean structures
struct gaps {
	char c;
	int i;
};
__global__ void structures_k(const gaps *from, gaps *to)
{
	gaps g = from[TID];
	g.i++;
	to[TID] = g;
}
TEST(structures)
{
	static gaps h[32];
	gaps *d = (gaps *)zeros();
	for (gaps &g : h)
		g.c = 1, g.i = 2;
	cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
	structures_k<<<1, 32>>>(d, d + 32);
}

MAIN
