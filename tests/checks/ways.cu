// Programs with one bug each and correct ones like them: groups of threads, asynchronous copies, barriers, flags and locks, indices, pointers
// that lead elsewhere, memory that is set in part. Comments as in kernels.cu.
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdlib>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp16.h>
#include "programs.cuh"

// bug tiles_exchange: __syncwarp() is missing
__global__ void tiles_exchange_k(int *out)
{
	__shared__ int s[N];
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	s[TID] = tile.thread_rank();        // other tiles_exchange
	tile.sync();
	int next = (TID + 8) % 32 + (TID & ~31);
	out[TID] = s[next];                 // here tiles_exchange
}
TEST(tiles_exchange) { tiles_exchange_k<<<1, N>>>(zeros()); }

// bug labeled_left: the shuffle reads one that has exited
__global__ void labeled_left_k(int *out)
{
	auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	auto g = cg::labeled_partition(warp, LANE % 3);
	if (g.thread_rank() == 0)
		return;
	out[TID] = cg::reduce(g, TID, cg::plus<int>()); // here labeled_left
}
TEST(labeled_left) { labeled_left_k<<<1, 32>>>(zeros()); }

// clean binary_groups
__global__ void binary_groups_k(int *out)
{
	auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	auto g = cg::binary_partition(warp, LANE % 3 == 0);
	int v = cg::reduce(g, TID, cg::plus<int>());
	out[TID] = v + g.size();
}
TEST(binary_groups) { binary_groups_k<<<1, N>>>(zeros()); }

// bug partials_early: data race in shared memory
// clean partials_synced
template <bool syncs> __global__ void partials_k(int *out)
{
	__shared__ int part[4];
	auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	int v = cg::reduce(warp, TID, cg::plus<int>());
	if (warp.thread_rank() == 0)
		part[warp.meta_group_rank()] = v; // other partials_early
	if (syncs)
		cg::this_thread_block().sync();
	if (TID == 0)
		out[0] = part[0] + part[1] + part[2] + part[3]; // here partials_early
}
TEST(partials_early) { partials_k<false><<<1, N>>>(zeros()); }
TEST(partials_synced) { partials_k<true><<<1, N>>>(zeros()); }

// bug newest_used: has not waited
// clean oldest_used
template <int which> __global__ void prior_k(const int *in, int *out)
{
	__shared__ int s[2][N];
	auto b = cg::this_thread_block();
	cg::memcpy_async(b, s[0], in, sizeof s[0]);
	cg::memcpy_async(b, s[1], in + N, sizeof s[1]);
	cg::wait_prior<1>(b);
	out[TID] = s[which][N - 1 - TID];   // here newest_used
	cg::wait(b);
}
TEST(newest_used) { prior_k<1><<<1, N>>>(zeros(), zeros()); }
TEST(oldest_used) { prior_k<0><<<1, N>>>(zeros(), zeros()); }

// bug released_early: data race in shared memory
// clean released_late
template <bool early> __global__ void stage_k(const int *in, int *out)
{
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> st;
	__shared__ int s[N];
	auto b = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(b, &st);
	int sum = 0;
	for (int k = 0; k < 3; k++) {
		pipe.producer_acquire();
		cuda::memcpy_async(&s[TID], &in[k * N + TID], sizeof(int), pipe); // here released_early
		pipe.producer_commit();
		pipe.consumer_wait();
		if (early)
			pipe.consumer_release();
		sum += s[(TID + 33) % N];   // other released_early
		if (!early)
			pipe.consumer_release();
	}
	out[TID] = sum;
}
TEST(released_early) { stage_k<true><<<1, N>>>(zeros(), zeros()); }
TEST(released_late) { stage_k<false><<<1, N>>>(zeros(), zeros()); }

// bug barrier_init_all: data race in shared memory
__global__ void barrier_init_all_k(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	__shared__ int s[N];
	init(&bar, N);                      // here barrier_init_all
	__syncthreads();
	s[TID] = TID;
	bar.arrive_and_wait();
	out[TID] = s[N - 1 - TID];
}
TEST(barrier_init_all) { barrier_init_all_k<<<1, N>>>(zeros()); }

// bug ticket_block_scope: atomics of block scope from two blocks
__global__ void ticket_block_scope_k(int *d, int *out)
{
	cuda::atomic_ref<int, cuda::thread_scope_block> t(d[0]);
	if (!TID)
		out[BID] = t.fetch_add(1);  // here ticket_block_scope
}
TEST(ticket_block_scope) { ticket_block_scope_k<<<4, 32>>>(zeros(), zeros()); }

// bug double_checked: data race in global memory
// clean double_checked_acquire
template <bool acquires> __global__ void checked_k(int *d, int *out)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> ready(d[0]), lock(d[1]);
	if (TID)
		return;
	if (!ready.load(acquires ? cuda::memory_order_acquire : cuda::memory_order_relaxed)) {
		while (lock.exchange(1, cuda::memory_order_acquire))
			;
		if (!ready.load(cuda::memory_order_relaxed)) {
			d[64] = 42;         // other double_checked
			ready.store(1, acquires ? cuda::memory_order_release : cuda::memory_order_relaxed);
		}
		lock.store(0, cuda::memory_order_release);
	}
	out[BID] = d[64];                   // here double_checked
}
TEST(double_checked) { checked_k<false><<<80, 32>>>(zeros(), zeros()); }
TEST(double_checked_acquire) { checked_k<true><<<80, 32>>>(zeros(), zeros()); }

// bug ping_pong: data race in global memory
// clean ping_pong_two
template <int buffers> __global__ void ping_k(int *d, int *out)
{
	auto g = cg::this_grid();
	int i = BID * N + TID, n = gridDim.x * N;
	for (int k = 0; k < 3; k++) {
		int *from = d + (k % buffers) * n, *to = d + ((k + 1) % buffers) * n;
		int v = from[(i + N) % n];  // other ping_pong
		to[i] = v + 1;              // here ping_pong
		g.sync();
	}
	out[i] = d[i];
}
template <int b> static void ping()
{
	int *d = zeros(16384), *out = zeros();
	void *args[] = {&d, &out};
	cudaLaunchCooperativeKernel((const void *)ping_k<b>, dim3(4), dim3(N), args, 0, 0);
}
TEST(ping_pong) { ping<1>(); }
TEST(ping_pong_two) { ping<2>(); }

// bug carved_overlap: data race in shared memory
// clean carved
template <int width> __global__ void carve2_k(int *out)
{
	extern __shared__ char mem[];
	short *a = (short *)mem;
	int *b = (int *)(mem + N * width);
	a[TID] = TID;                       // here carved_overlap
	b[TID] = TID;                       // other carved_overlap
	__syncthreads();
	out[TID] = a[N - 1 - TID] + b[N - 1 - TID];
}
TEST(carved_overlap) { carve2_k<1><<<1, N, N * 6>>>(zeros()); }
TEST(carved) { carve2_k<2><<<1, N, N * 6>>>(zeros()); }

// bug float4_odd: multiple of 16
__global__ void float4_odd_k(const float *p, float *out)
{
	float4 v = *reinterpret_cast<const float4 *>(p + TID); // here float4_odd
	out[TID] = v.x + v.y + v.z + v.w;
}
TEST(float4_odd) { float4_odd_k<<<1, 32>>>((float *)zeros(), (float *)zeros()); }

// bug half_struct: that nothing has written
struct pair4 { int a, b; float x, y; };
__global__ void half_struct_k(int *out)
{
	__shared__ pair4 s[32];
	s[TID].a = TID;
	s[TID].x = 1.0f;
	__syncthreads();
	out[TID] = s[31 - TID].a + s[31 - TID].b; // here half_struct
}
TEST(half_struct) { half_struct_k<<<1, 32>>>(zeros()); }

// bug local_part: in local memory
__global__ void local_part_k(const int *in, int *out, int n)
{
	int a[16], s = 0;
	for (int i = 0; i < n; i++)
		a[i] = in[i];
	for (int i = 0; i < n + 3; i++)
		s += a[(i * 5) & 15];           // here local_part
	out[TID] = s;
}
TEST(local_part) { local_part_k<<<1, 32>>>(zeros(), zeros(), 8); }

// bug add_to_garbage: that nothing has written
__global__ void add_to_garbage_k(int *out) { atomicAdd(&out[TID % 4], 1); } // here add_to_garbage
TEST(add_to_garbage)
{
	int *p;
	cudaMalloc(&p, 64);
	add_to_garbage_k<<<1, 32>>>(p);
}

// bug plus_garbage: that nothing has written
__global__ void plus_garbage_k(float *out) { out[TID] += 1.0f; } // here plus_garbage
TEST(plus_garbage)
{
	float *p;
	cudaMalloc(&p, 512);
	plus_garbage_k<<<1, 32>>>(p);
}

// bug freed_in_loop: in freed memory
TEST(freed_in_loop)
{
	int *out = zeros();
	for (int i = 0; i < 2; i++) {
		static int *p;
		if (!p)
			p = zeros();
		reads<<<1, N>>>(p, out);
		cudaFree(p);                // other freed_in_loop
	}
}

// bug vector_data: an address of the host's memory
TEST(vector_data)
{
	static int *h = (int *)malloc(4096);
	reads<<<1, N>>>(h, zeros());
}

// bug constant_far: variable table of 64 bytes
__global__ void constant_far_k(int *out, int n) { out[TID] = table[TID * n]; } // here constant_far
TEST(constant_far) { constant_far_k<<<1, 32>>>(zeros(), 1); }

// clean shfl_width
__global__ void shfl_width_k(int *out)
{
	int x = TID;
	for (int d = 8; d; d /= 2)
		x += __shfl_down_sync(~0u, x, d, 16);
	out[TID] = x;
}
TEST(shfl_width) { shfl_width_k<<<1, N>>>(zeros()); }

// bug ballot_branch: do not arrive
__global__ void ballot_branch_k(int *out)
{
	unsigned v = 0;
	if (LANE & 1)
		v = __ballot_sync(0xffffffff, TID & 2); // here ballot_branch
	out[TID] = v;
}
TEST(ballot_branch) { ballot_branch_k<<<1, 32>>>(zeros()); }

// bug mask_stale: do not arrive
__global__ void mask_stale_k(int *out)
{
	unsigned m = __activemask();
	int v = TID;
	if (LANE < 20)
		v = __shfl_sync(m, v, 0);   // here mask_stale
	out[TID] = v;
}
TEST(mask_stale) { mask_stale_k<<<1, 32>>>(zeros()); }

// bug trips_by_warp: barrier after an early return
__global__ void trips_by_warp_k(int *out)
{
	__shared__ int s[N];
	for (int i = 0; i < 2 + WARP; i++) {
		s[TID] = i;
		__syncthreads();            // here trips_by_warp
	}
	out[TID] = s[TID];
}
TEST(trips_by_warp) { trips_by_warp_k<<<1, N>>>(zeros()); }

// clean char_neighbours
__global__ void char_neighbours_k(unsigned char *p) { p[TID] = TID; __syncthreads(); p[N + TID] = p[N - 1 - TID]; }
TEST(char_neighbours) { char_neighbours_k<<<1, N>>>((unsigned char *)zeros()); }

// clean half_neighbours
__global__ void half_neighbours_k(__half *p) { p[TID] = __float2half(TID); }
TEST(half_neighbours) { half_neighbours_k<<<1, N>>>((__half *)zeros()); }

// clean same_true: all set the same flag
__global__ void same_true_k(int *d, bool *any) { if (d[TID] == 0) *any = true; }
TEST(same_true) { same_true_k<<<2, N>>>(zeros(), (bool *)zeros()); }

// bug true_or_false: data race in global memory
__global__ void true_or_false_k(int *d, bool *all)
{
	if (WARP == 0 && !d[TID])
		*all = true;                // other true_or_false
	if (TID == 64)
		*all = false;               // here true_or_false
}
TEST(true_or_false) { true_or_false_k<<<1, N>>>(zeros(), (bool *)zeros()); }

// bug flag_and_sum: data race in global memory
__global__ void flag_and_sum_k(const int *d, int *any)
{
	if (WARP == 0)
		*any = 1;                   // other flag_and_sum
	if (TID == 64)
		*any = d[TID] + 1;          // here flag_and_sum
}
TEST(flag_and_sum) { flag_and_sum_k<<<1, N>>>(zeros(), zeros()); }

// bug blocks_alike: data race in global memory
__global__ void blocks_alike_k(const int *d, int *out) { out[TID] = 2 * d[TID]; } // here blocks_alike
TEST(blocks_alike) { blocks_alike_k<<<2, N>>>(zeros(), zeros()); }

// bug union_view: data race in shared memory
__global__ void union_view_k(int *out)
{
	__shared__ union { int i[32]; char c[128]; } u;
	if (WARP == 0)
		u.i[LANE] = LANE;           // other union_view
	if (WARP == 1)
		out[TID] = u.c[LANE * 4 + 3]; // here union_view
}
TEST(union_view) { union_view_k<<<1, 64>>>(zeros()); }

// bug volatile_flag: data race in shared memory
__global__ void volatile_flag_k(int *out)
{
	__shared__ volatile int ready;
	__shared__ int s[32];
	if (!TID)
		ready = 0;
	__syncthreads();
	if (WARP == 0) {
		s[LANE] = LANE;             // other volatile_flag
		__syncwarp();
		if (!LANE)
			ready = 1;
	} else {
		while (!ready)
			;
		out[TID] = s[LANE];         // here volatile_flag
	}
}
TEST(volatile_flag) { volatile_flag_k<<<1, 64>>>(zeros()); }

// clean pageable_async
TEST(pageable_async)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int h[N] = {1}, *d = zeros(), *out = zeros();
	cudaDeviceSynchronize();
	cudaMemcpyAsync(d, h, sizeof h, cudaMemcpyHostToDevice, a);
	h[0] = 2;
	reads<<<1, N, 0, a>>>(d, out);
}

// bug bins_part: nothing has written
__global__ void bins_part_k(const int *in, int *out)
{
	__shared__ int bins[256];
	bins[TID] = 0;                      // 128 of 256
	__syncthreads();
	atomicAdd(&bins[(TID * 2 + in[TID]) & 255], 1); // here bins_part
	__syncthreads();
	out[TID] = bins[TID];
}
TEST(bins_part) { bins_part_k<<<1, N>>>(zeros(), zeros()); }

// clean leader
__global__ void leader_k(int *counter, int *out)
{
	if (TID % 3 == 0) {
		unsigned m = __activemask();
		int lead = __ffs(m) - 1, base = 0;
		if (LANE == lead)
			base = atomicAdd(counter, __popc(m));
		base = __shfl_sync(m, base, lead);
		out[base + __popc(m & ((1u << LANE) - 1))] = TID;
	}
}
TEST(leader) { leader_k<<<4, N>>>(zeros(), zeros()); }

// bug same_slot: data race in global memory
__global__ void same_slot_k(int *counter, int *out)
{
	unsigned m = __ballot_sync(~0u, TID & 1);
	int base = 0;
	if (!LANE)
		base = atomicAdd(counter, __popc(m));
	base = __shfl_sync(~0u, base, 0);
	if (TID & 1)
		out[base + __popc(m >> LANE) / 2] = TID; // here same_slot
}
TEST(same_slot) { same_slot_k<<<2, N>>>(zeros(), zeros()); }

__device__ int *leaked;

// bug shared_leaks: is to a shared variable of another block, stored by thread 0 of block 0
__global__ void shared_leaks_k(int *out)
{
	__shared__ int s[32];
	s[TID & 31] = TID;
	if (BID == 0 && TID == 0)
		leaked = s; // other shared_leaks
	cg::this_grid().sync();
	out[BID * 32 + TID] = leaked[TID & 31]; // here shared_leaks
}
TEST(shared_leaks)
{
	int *out = zeros(), *o2 = zeros();
	void *args[] = {&out, &o2};
	cudaLaunchCooperativeKernel((const void *)shared_leaks_k, dim3(2), dim3(32), args, 0, 0);
}

// bug negative_mod: before the nearest allocation
__global__ void negative_mod_k(const int *p, int *out, int n) { out[TID] = p[(TID - 5) % n]; } // here negative_mod
TEST(negative_mod) { negative_mod_k<<<1, 32>>>(zeros(), zeros(), 32); }

// bug row_times_pitch: outside any allocation
__global__ void row_times_pitch_k(const float *p, float *out, int pitch) { out[TID] = p[TID * pitch]; } // here row_times_pitch
TEST(row_times_pitch) { row_times_pitch_k<<<1, 32>>>((float *)zeros(), (float *)zeros(), 512); }

// bug shfl_trips: do not arrive
__global__ void shfl_trips_k(int *out)
{
	int x = TID;
	for (int i = 0; i < LANE; i++)
		x += __shfl_xor_sync(~0u, x, 1);    // here shfl_trips
	out[TID] = x;
}
TEST(shfl_trips) { shfl_trips_k<<<1, 32>>>(zeros()); }

// clean partial_reduce
__global__ void partial_reduce_k(int *out)
{
	int x = TID, n = blockDim.x - (TID & ~31);
	unsigned m = n >= 32 ? ~0u : (1u << n) - 1;
	for (int k = 16; k; k /= 2) {
		int y = __shfl_down_sync(m, x, k);
		if (LANE + k < (n < 32 ? n : 32)) x += y;
	}
	if (!LANE) out[WARP] = x;
}
TEST(partial_reduce) { partial_reduce_k<<<1, 40>>>(zeros()); }

// bug ballot_orders_not: __syncwarp() is missing
__global__ void ballot_orders_not_k(int *out)
{
	__shared__ int s[32];
	if (LANE < 16)
		s[LANE] = LANE;             // other ballot_orders_not
	unsigned m = __activemask();
	out[TID] = s[LANE ^ 8 & 15] + m;    // here ballot_orders_not
}
TEST(ballot_orders_not) { ballot_orders_not_k<<<1, 32>>>(zeros()); }

// bug fence_no_flag: one is atomic or volatile, the other is not
__global__ void fence_no_flag_k(int *d, int *out)
{
	atomicAdd(d, 1);                    // other fence_no_flag
	__threadfence();
	out[BID * N + TID] = *d;                 // here fence_no_flag
}
TEST(fence_no_flag) { fence_no_flag_k<<<2, N>>>(zeros(), zeros()); }

// bug not_last: data race in global memory
__global__ void not_last_k(int *d, int *out)
{
	__shared__ bool last;
	d[64 + BID] = BID;                  // here not_last
	__threadfence();
	if (!TID)
		last = atomicAdd(d, 1) == gridDim.x - 2;
	__syncthreads();
	if (last) {
		__threadfence();
		int s = 0;
		for (int i = 0; i < gridDim.x; i++)
			s += d[64 + i];     // other not_last
		out[TID] = s;
	}
}
TEST(not_last) { not_last_k<<<8, 1>>>(zeros(), zeros()); }

// bug reader_unlocked: data race in global memory
__global__ void reader_unlocked_k(int *d, int *out)
{
	if (TID) return;
	if (BID % 2 == 0) {
		while (atomicCAS(d, 0, 1)) ;
		__threadfence();
		d[64] += 1;                 // other reader_unlocked
		d[65] += 1;
		__threadfence();
		atomicExch(d, 0);
	} else
		out[BID] = d[64];           // here reader_unlocked
}
TEST(reader_unlocked) { reader_unlocked_k<<<8, 32>>>(zeros(), zeros()); }

// bug two_locks: data race in global memory
__global__ void two_locks_k(int *d)
{
	if (TID) return;
	int *l = d + BID % 2;
	while (atomicCAS(l, 0, 1)) ;
	__threadfence();
	d[64] += 1;                         // here two_locks
	__threadfence();
	atomicExch(l, 0);
}
TEST(two_locks) { two_locks_k<<<8, 32>>>(zeros()); }

// clean ticket_lock
__global__ void ticket_lock_k(unsigned *d)
{
	if (TID) return;
	unsigned t = atomicAdd(d, 1);
	while (atomicAdd(d + 1, 0) != t) ;
	__threadfence();
	d[64] += 1;
	__threadfence();
	atomicAdd(d + 1, 1);
}
TEST(ticket_lock) { ticket_lock_k<<<8, 32>>>((unsigned *)zeros()); }

// clean seqlock
__global__ void seqlock_k(int *d, int *out)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> seq(d[0]), a(d[1]), b(d[2]);
	if (TID) return;
	if (BID == 0) {
		for (int i = 0; i < 5; i++) {
			seq.fetch_add(1, cuda::memory_order_acq_rel);
			cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
			a.store(i, cuda::memory_order_relaxed);
			b.store(i, cuda::memory_order_relaxed);
			seq.fetch_add(1, cuda::memory_order_release);
		}
	} else {
		int s, x, y;
		do {
			s = seq.load(cuda::memory_order_acquire);
			x = a.load(cuda::memory_order_relaxed);
			y = b.load(cuda::memory_order_relaxed);
			cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
		} while ((s & 1) || seq.load(cuda::memory_order_relaxed) != s);
		out[BID] = x - y;
	}
}
TEST(seqlock) { seqlock_k<<<4, 32>>>(zeros(), zeros()); }

// clean spsc
__global__ void spsc_k(int *d, int *out)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> head(d[0]), tail(d[1]);
	if (TID) return;
	if (BID == 0)
		for (int i = 0; i < 20; i++) {
			while (i - tail.load(cuda::memory_order_acquire) >= 4) ;
			d[8 + i % 4] = i;
			head.store(i + 1, cuda::memory_order_release);
		}
	else
		for (int i = 0; i < 20; i++) {
			while (head.load(cuda::memory_order_acquire) <= i) ;
			out[i] = d[8 + i % 4];
			tail.store(i + 1, cuda::memory_order_release);
		}
}
TEST(spsc) { spsc_k<<<2, 32>>>(zeros(), zeros()); }

// bug block_sync_part: barrier
__global__ void block_sync_part_k(int *out)
{
	auto b = cg::this_thread_block();
	if (TID < 48)
		b.sync();                   // here block_sync_part
	out[TID] = 1;
}
TEST(block_sync_part) { block_sync_part_k<<<1, 64>>>(zeros()); }

// bug invoke_one_read: data race in shared memory
__global__ void invoke_one_read_k(int *out)
{
	__shared__ int v;
	auto b = cg::this_thread_block();
	if (b.thread_rank() == 0)
		v = 42;                     // other invoke_one_read
	auto t = cg::tiled_partition<32>(b);
	t.sync();
	out[TID] = v;                       // here invoke_one_read
}
TEST(invoke_one_read) { invoke_one_read_k<<<1, 64>>>(zeros()); }

// clean cg_scan
__global__ void cg_scan_k(int *out)
{
	auto t = cg::tiled_partition<16>(cg::this_thread_block());
	out[TID] = cg::exclusive_scan(t, TID) + cg::inclusive_scan(t, 1);
}
TEST(cg_scan) { cg_scan_k<<<1, N>>>(zeros()); }

// bug atomic_half_word: one is atomic or volatile, the other is not
__global__ void atomic_half_word_k(int *d)
{
	short *s = (short *)d;
	if (WARP == 0)
		atomicAdd(d, 1);            // other atomic_half_word
	else if (!LANE)
		s[1] = 3;                   // here atomic_half_word
}
TEST(atomic_half_word) { atomic_half_word_k<<<1, 64>>>(zeros()); }

// bug cas_then_plain: one is atomic or volatile, the other is not
__global__ void cas_then_plain_k(int *d, int *out)
{
	float *f = (float *)d;
	int old = d[0], assumed;            // here cas_then_plain
	do {
		assumed = old;
		old = atomicCAS(d, assumed, __float_as_int(__int_as_float(assumed) + 1.0f)); // other cas_then_plain
	} while (old != assumed);
	out[TID] = f[0];
}
TEST(cas_then_plain) { cas_then_plain_k<<<2, 32>>>(zeros(), zeros()); }

// clean volatile_counter_own
__global__ void volatile_own_k(volatile int *p) { p[TID] = 1; p[TID] = p[TID] + 1; }
TEST(volatile_counter_own) { volatile_own_k<<<1, N>>>(zeros()); }

// bug sync_in_lambda: barrier
__global__ void sync_in_lambda_k(int *out)
{
	auto f = [&](int x) {
		__syncthreads();            // here sync_in_lambda
		return x;
	};
	if (LANE < 7)
		out[TID] = f(TID);
	else
		out[TID] = 0;
}
TEST(sync_in_lambda) { sync_in_lambda_k<<<1, 64>>>(zeros()); }

// bug sync_ternary: barrier
__global__ void sync_ternary_k(int *out, int n)
{
	__shared__ int s[N];
	for (int i = TID; i < n; i += N) {
		s[TID] = i;
		__syncthreads();            // here sync_ternary
		out[i] = s[N - 1 - TID];
		__syncthreads();
	}
}
TEST(sync_ternary) { sync_ternary_k<<<1, N>>>(zeros(), 200); }

// bug syncthreads_count_part: barrier
__global__ void count_part_k(int *out)
{
	if (TID < 40)
		out[TID] = __syncthreads_count(TID & 1); // here syncthreads_count_part
}
TEST(syncthreads_count_part) { count_part_k<<<1, 64>>>(zeros()); }

// bug barrier_ids: data race in shared memory
__global__ void barrier_ids_k(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;                       // other barrier_ids
	asm volatile("bar.sync %0, 64;" ::"r"(1 + WARP / 2) : "memory");
	out[TID] = s[(TID + 32) % N];
}
TEST(barrier_ids) { barrier_ids_k<<<1, N>>>(zeros()); }

// bug coalesced_after_loop: the shuffle reads one that has exited
__global__ void coalesced_after_loop_k(int *out)
{
	auto g = cg::coalesced_threads();
	for (int i = 0; i < LANE % 4; i++)
		out[TID] += g.shfl(i, 0);   // here coalesced_after_loop
}
TEST(coalesced_after_loop) { coalesced_after_loop_k<<<1, 32>>>(zeros()); }

// clean coalesced_inside
__global__ void coalesced_inside_k(int *out)
{
	for (int i = 0; i < LANE % 4; i++) {
		auto g = cg::coalesced_threads();
		int lead = g.shfl(TID, 0);
		out[TID] += lead + g.size();
	}
}
TEST(coalesced_inside) { coalesced_inside_k<<<1, 32>>>(zeros()); }

MAIN
