// Kernels of sm_90: copies by the asynchronous proxy, mbarriers, clusters and products of warp groups. Comments as in kernels.cu.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cstdint>
#include "programs.cuh"

__device__ __forceinline__ uint32_t addr(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ __forceinline__ uint32_t in_block(const void *p, uint32_t rank)
{
	uint32_t a;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(addr(p)), "r"(rank));
	return a;
}
__device__ __forceinline__ void init(uint64_t *bar, int n)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(addr(bar)), "r"(n));
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void expect(uint64_t *bar, int n)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(addr(bar)), "r"(n) : "memory");
}
__device__ __forceinline__ void arrive(uint64_t *bar)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(addr(bar)) : "memory");
}
__device__ __forceinline__ void arrive_in(uint64_t *bar, uint32_t rank)
{
	asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(bar, rank)) : "memory");
}
__device__ __forceinline__ void wait(uint64_t *bar, int parity)
{
	asm volatile("{\n.reg .pred p;\nW: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n@!p bra W;\n}" ::"r"(addr(bar)), "r"(parity) : "memory");
}
__device__ __forceinline__ void load(void *to, const void *from, int n, uint64_t *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(addr(to)), "l"(from), "r"(n), "r"(addr(bar)) : "memory");
}
__device__ __forceinline__ void load_all(void *to, const void *from, int n, uint64_t *bar, int mask)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(addr(to)), "l"(from), "r"(n), "r"(addr(bar)), "h"((short)mask) : "memory");
}
__device__ __forceinline__ void send(void *to, uint32_t rank, const void *from, int n, uint64_t *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(in_block(to, rank)), "r"(addr(from)), "r"(n), "r"(in_block(bar, rank)) : "memory");
}
__device__ __forceinline__ void store(void *to, const void *from, int n)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(addr(from)), "r"(n) : "memory");
}
__device__ __forceinline__ void add(void *to, const void *from, int n)
{
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(to), "r"(addr(from)), "r"(n) : "memory");
}
__device__ __forceinline__ void add_box(const CUtensorMap *to, const void *from)
{
	asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, {0}], [%1];" ::"l"(to), "r"(addr(from)) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ __forceinline__ void wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ __forceinline__ void wait_done() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
__device__ __forceinline__ void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void cluster_sync()
{
	asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_sync_relaxed()
{
	asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ uint32_t rank_in_cluster()
{
	uint32_t r;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
	return r;
}

// bug load_no_wait: without a wait for the copy's mbarrier
__global__ void load_no_wait_k(int *in, int *out)
{
	__shared__ alignas(128) int s[N];
	__shared__ uint64_t bar;
	if (!TID)
		init(&bar, 1);
	__syncthreads();
	if (!TID) {
		expect(&bar, sizeof s);
		load(s, in, sizeof s, &bar);        // other load_no_wait
	}
	__syncthreads();
	out[TID] = s[TID];                          // here load_no_wait
	wait(&bar, 0);
}
TEST(load_no_wait) { load_no_wait_k<<<1, N>>>(zeros(), zeros()); }

// clean load_wait
__global__ void load_wait_k(int *in, int *out)
{
	__shared__ alignas(128) int s[N];
	__shared__ uint64_t bar;
	if (!TID)
		init(&bar, 1);
	__syncthreads();
	if (!TID) {
		expect(&bar, sizeof s);
		load(s, in, sizeof s, &bar);
	}
	wait(&bar, 0);
	out[TID] = s[TID];
}
TEST(load_wait) { load_wait_k<<<1, N>>>(zeros(), zeros()); }

// bug multicast_no_wait: without a wait for the copy's mbarrier
__global__ void __cluster_dims__(2) multicast_no_wait_k(int *in, int *out)
{
	__shared__ alignas(128) int s[N];
	__shared__ uint64_t bar;
	if (!TID) {
		init(&bar, 1);
		expect(&bar, sizeof s);
	}
	cluster_sync();
	if (!TID && !rank_in_cluster())
		load_all(s, in, sizeof s, &bar, 3);  // other multicast_no_wait
	cluster_sync();
	if (rank_in_cluster())
		out[TID] = s[TID];                   // here multicast_no_wait
	wait(&bar, 0);
	cluster_sync();
}
TEST(multicast_no_wait) { multicast_no_wait_k<<<2, N>>>(zeros(), zeros()); }

// clean multicast_wait
__global__ void __cluster_dims__(2) multicast_wait_k(int *in, int *out)
{
	__shared__ alignas(128) int s[N];
	__shared__ uint64_t bar;
	if (!TID) {
		init(&bar, 1);
		expect(&bar, sizeof s);
	}
	cluster_sync();
	if (!TID && !rank_in_cluster())
		load_all(s, in, sizeof s, &bar, 3);
	wait(&bar, 0);
	out[BID * N + TID] = s[TID];
	cluster_sync();
}
TEST(multicast_wait) { multicast_wait_k<<<2, N>>>(zeros(), zeros()); }

// Block 0 loads the next tile into both blocks while block 1 may still read the last one.
// bug multicast_overwrites: data race in shared memory of block 1
__global__ void __cluster_dims__(2) multicast_overwrites_k(int *in, int *out)
{
	__shared__ alignas(128) int s[N];
	__shared__ uint64_t bar;
	if (!TID) {
		init(&bar, 1);
		expect(&bar, sizeof s);
	}
	cluster_sync();
	if (!TID && !rank_in_cluster())
		load_all(s, in, sizeof s, &bar, 3);
	wait(&bar, 0);
	out[BID * N + TID] = s[TID];                 // other multicast_overwrites
	__syncthreads();
	if (!TID)
		expect(&bar, sizeof s);
	if (!TID && !rank_in_cluster())
		load_all(s, in, sizeof s, &bar, 3);  // here multicast_overwrites
	wait(&bar, 1);
	out[BID * N + TID] += s[TID];
	cluster_sync();
}
TEST(multicast_overwrites) { multicast_overwrites_k<<<2, N>>>(zeros(), zeros()); }

// clean multicast_released
__global__ void __cluster_dims__(2) multicast_released_k(int *in, int *out)
{
	__shared__ alignas(128) int s[N];
	__shared__ uint64_t bar, empty;
	if (!TID) {
		init(&bar, 1);
		init(&empty, 2);
		expect(&bar, sizeof s);
	}
	cluster_sync();
	if (!TID && !rank_in_cluster())
		load_all(s, in, sizeof s, &bar, 3);
	wait(&bar, 0);
	out[BID * N + TID] = s[TID];
	__syncthreads();
	if (!TID) {
		expect(&bar, sizeof s);
		arrive_in(&empty, 0);
	}
	if (!TID && !rank_in_cluster()) {
		wait(&empty, 0);
		load_all(s, in, sizeof s, &bar, 3);
	}
	wait(&bar, 1);
	out[BID * N + TID] += s[TID];
	cluster_sync();
}
TEST(multicast_released) { multicast_released_k<<<2, N>>>(zeros(), zeros()); }

// bug send_no_wait: without a wait for the copy's mbarrier
__global__ void __cluster_dims__(2) send_no_wait_k(int *out)
{
	__shared__ alignas(128) int s[N], from[N];
	__shared__ uint64_t bar;
	if (!TID) {
		init(&bar, 1);
		expect(&bar, sizeof s);
	}
	from[TID] = TID;
	fence_async();
	cluster_sync();
	if (!TID)
		send(s, 1 - rank_in_cluster(), from, sizeof s, &bar);  // other send_no_wait
	cluster_sync();
	out[BID * N + TID] = s[TID];                                   // here send_no_wait
	wait(&bar, 0);
	cluster_sync();
}
TEST(send_no_wait) { send_no_wait_k<<<2, N>>>(zeros()); }

// clean send_wait
__global__ void __cluster_dims__(2) send_wait_k(int *out)
{
	__shared__ alignas(128) int s[N], from[N];
	__shared__ uint64_t bar;
	if (!TID) {
		init(&bar, 1);
		expect(&bar, sizeof s);
	}
	from[TID] = TID;
	fence_async();
	cluster_sync();
	if (!TID)
		send(s, 1 - rank_in_cluster(), from, sizeof s, &bar);
	wait(&bar, 0);
	out[BID * N + TID] = s[TID];
	cluster_sync();
}
TEST(send_wait) { send_wait_k<<<2, N>>>(zeros()); }

// bug st_async_no_wait: without a wait for the copy's mbarrier
__global__ void __cluster_dims__(2) st_async_no_wait_k(int *out)
{
	__shared__ int s[N];
	__shared__ uint64_t bar;
	if (!TID) {
		init(&bar, 1);
		expect(&bar, sizeof s);
	}
	cluster_sync();
	asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(in_block(&s[TID], 1 - rank_in_cluster())), "r"(TID), "r"(in_block(&bar, 1 - rank_in_cluster())) : "memory"); // other st_async_no_wait
	cluster_sync();
	out[BID * N + TID] = s[TID];                                   // here st_async_no_wait
	wait(&bar, 0);
	cluster_sync();
}
TEST(st_async_no_wait) { st_async_no_wait_k<<<2, N>>>(zeros()); }

// clean st_async_wait
__global__ void __cluster_dims__(2) st_async_wait_k(int *out)
{
	__shared__ int s[N];
	__shared__ uint64_t bar;
	if (!TID) {
		init(&bar, 1);
		expect(&bar, sizeof s);
	}
	cluster_sync();
	asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(in_block(&s[TID], 1 - rank_in_cluster())), "r"(TID), "r"(in_block(&bar, 1 - rank_in_cluster())) : "memory");
	wait(&bar, 0);
	out[BID * N + TID] = s[TID];
	cluster_sync();
}
TEST(st_async_wait) { st_async_wait_k<<<2, N>>>(zeros()); }

// bug member_exited: all of whose threads have exited, the last at
__global__ void __cluster_dims__(2) member_exited_k(int *out)
{
	__shared__ int s[N];
	cg::cluster_group c = cg::this_cluster();
	s[TID] = TID;
	c.sync();
	if (c.block_rank())
		return;
	for (int i = 0; i < 100; i++)
		out[TID] += c.map_shared_rank(s, 1)[TID];              // here member_exited
}
TEST(member_exited) { member_exited_k<<<2, N>>>(zeros()); }

// bug store_fence_missing: without a fence.proxy.async
__global__ void store_fence_missing_k(int *out)
{
	__shared__ alignas(128) int s[N];
	s[TID] = TID;                                                  // other store_fence_missing
	__syncthreads();
	if (!TID) {
		store(out, s, sizeof s);                               // here store_fence_missing
		commit();
		wait_read();
	}
}
TEST(store_fence_missing) { store_fence_missing_k<<<1, N>>>(zeros()); }

// bug store_source_overwritten: has not waited for it by cp.async.bulk.wait_group.read
__global__ void store_source_overwritten_k(int *out)
{
	__shared__ alignas(128) int s[N];
	s[TID] = TID;
	fence_async();
	__syncthreads();
	if (!TID) {
		store(out, s, sizeof s);                               // other store_source_overwritten
		commit();
	}
	__syncthreads();
	s[TID] = 5;                                                    // here store_source_overwritten
	__syncthreads();
	if (!TID)
		wait_read();
	out[N + TID] = s[N - 1 - TID];
}
TEST(store_source_overwritten) { store_source_overwritten_k<<<1, N>>>(zeros()); }

// clean store_source_waited
__global__ void store_source_waited_k(int *out)
{
	__shared__ alignas(128) int s[N];
	s[TID] = TID;
	fence_async();
	__syncthreads();
	if (!TID) {
		store(out, s, sizeof s);
		commit();
		wait_read();
	}
	__syncthreads();
	s[TID] = 5;
	__syncthreads();
	out[N + TID] = s[N - 1 - TID];
}
TEST(store_source_waited) { store_source_waited_k<<<1, N>>>(zeros()); }

// All threads of a warp issue one store, as libraries do.
// clean store_by_warp
__global__ void store_by_warp_k(int *out)
{
	__shared__ alignas(128) int s[N];
	s[TID] = TID;
	fence_async();
	__syncthreads();
	if (TID < 32) {
		store(out, s, sizeof s);
		commit();
		wait_done();
	}
}
TEST(store_by_warp) { store_by_warp_k<<<1, N>>>(zeros()); }

// The bytes in global memory are there only after wait_group, not after wait_group.read.
// bug stored_read_early: has not waited for it by cp.async.bulk.wait_group
__global__ void stored_read_early_k(int *out)
{
	__shared__ alignas(128) int s[N];
	s[TID] = TID;
	fence_async();
	__syncthreads();
	if (!TID) {
		store(out, s, sizeof s);                               // other stored_read_early
		commit();
		wait_read();
	}
	__syncthreads();
	out[N + TID] = out[TID];                                       // here stored_read_early
}
TEST(stored_read_early) { stored_read_early_k<<<1, N>>>(zeros()); }

// clean stored_read
__global__ void stored_read_k(int *out)
{
	__shared__ alignas(128) int s[N];
	s[TID] = TID;
	fence_async();
	__syncthreads();
	if (!TID) {
		store(out, s, sizeof s);
		commit();
		wait_done();
	}
	__syncthreads();
	out[N + TID] = out[TID];
}
TEST(stored_read) { stored_read_k<<<1, N>>>(zeros()); }

// bug remote_arrive_early: where no mbarrier is initialised
__global__ void __cluster_dims__(2) remote_arrive_early_k(int *out)
{
	__shared__ uint64_t bar;
	if (!TID)
		init(&bar, 1);
	__syncthreads();
	if (!TID)
		arrive_in(&bar, 1 - rank_in_cluster());                // here remote_arrive_early
	wait(&bar, 0);
	out[BID * N + TID] = TID;
	cluster_sync();
}
TEST(remote_arrive_early) { remote_arrive_early_k<<<2, N>>>(zeros()); }

// bug hang_bytes: phase 0: 0 of 1 arrivals and 512 bytes are missing
__global__ void hang_bytes_k(int *in, int *out)
{
	__shared__ alignas(128) int s[N];
	__shared__ uint64_t bar;
	if (!TID)
		init(&bar, 1);
	__syncthreads();
	if (!TID) {
		expect(&bar, 2 * sizeof s);
		load(s, in, sizeof s, &bar);
	}
	wait(&bar, 0);
	out[TID] = s[TID];
}
TEST(hang_bytes) { hang_bytes_k<<<1, N>>>(zeros(), zeros()); }

// bug hang_count: phase 0: 4 of 128 arrivals and 0 bytes are missing
__global__ void hang_count_k(int *out)
{
	__shared__ uint64_t bar;
	if (!TID)
		init(&bar, N);
	__syncthreads();
	if (LANE)
		arrive(&bar);
	wait(&bar, 0);
	out[TID] = TID;
}
TEST(hang_count) { hang_count_k<<<1, N>>>(zeros()); }

// bug hang_parity: phase 1: 128 of 128 arrivals and 0 bytes are missing
__global__ void hang_parity_k(int *out)
{
	__shared__ uint64_t bar;
	if (!TID)
		init(&bar, N);
	__syncthreads();
	arrive(&bar);
	wait(&bar, 0);
	wait(&bar, 1);
	out[TID] = TID;
}
TEST(hang_parity) { hang_parity_k<<<1, N>>>(zeros()); }


// ---- products of warp groups ----

__device__ __forceinline__ uint64_t matrix(const void *p) { return addr(p) >> 4 & 0x3fff | 0x0000000800080000; }
__device__ __forceinline__ void multiply(float (&d)[4], const void *a, const void *b)
{
	asm volatile("wgmma.fence.sync.aligned;\n"
		     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"
		     "wgmma.commit_group.sync.aligned;"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(matrix(a)), "l"(matrix(b)) : "memory");
}
template <int LEFT> __device__ __forceinline__ void wait_products(float (&d)[4])
{
	asm volatile("wgmma.wait_group.sync.aligned %4;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "n"(LEFT) : "memory");
}
__device__ __forceinline__ void fill_operand(int *s)
{
	for (int i = TID; i < 1024; i += N)
		s[i] = 0x3c003c00;
}
__device__ __forceinline__ void sum(int *out, const float (&d)[4]) { out[TID] = (int)(d[0] + d[1] + d[2] + d[3]); }

// clean product
__global__ void product_k(int *out)
{
	__shared__ alignas(128) int s[1024];
	float d[4] = {};
	fill_operand(s);
	fence_async();
	__syncthreads();
	multiply(d, s, s);
	wait_products<0>(d);
	__syncthreads();
	s[TID] = 0;
	sum(out, d);
}
TEST(product) { product_k<<<1, N>>>(zeros()); }

// bug product_operand_overwritten: has not waited by wgmma.wait_group
__global__ void product_operand_overwritten_k(int *out)
{
	__shared__ alignas(128) int s[1024];
	float d[4] = {};
	fill_operand(s);
	fence_async();
	__syncthreads();
	multiply(d, s, s);                                             // other product_operand_overwritten
	__syncthreads();
	s[TID] = 0;                                                    // here product_operand_overwritten
	wait_products<0>(d);
	sum(out, d);
	out[N + TID] = s[TID];
}
TEST(product_operand_overwritten) { product_operand_overwritten_k<<<1, N>>>(zeros()); }

// bug product_slot_reloaded: has not waited by wgmma.wait_group
__global__ void product_slot_reloaded_k(int *in, int *out)
{
	__shared__ alignas(128) int s[1024];
	__shared__ uint64_t bar;
	float d[4] = {};
	if (!TID)
		init(&bar, 1);
	fill_operand(s);
	fence_async();
	__syncthreads();
	multiply(d, s, s);                                             // other product_slot_reloaded
	__syncthreads();
	if (!TID) {
		expect(&bar, sizeof s);
		load(s, in, sizeof s, &bar);                           // here product_slot_reloaded
	}
	wait_products<0>(d);
	sum(out, d);
	wait(&bar, 0);
}
TEST(product_slot_reloaded) { product_slot_reloaded_k<<<1, N>>>(zeros(), zeros()); }

// Two groups are under way; the wait leaves the second one, which reads the second slot.
// bug product_wait_leaves_one: has not waited by wgmma.wait_group
// clean product_waits_for_slot
__global__ void product_slots_k(int *out, int slot)
{
	__shared__ alignas(128) int s[2][1024];
	float d[4] = {};
	fill_operand(s[0]);
	fill_operand(s[1]);
	fence_async();
	__syncthreads();
	multiply(d, s[0], s[0]);
	multiply(d, s[1], s[1]);                                       // other product_wait_leaves_one
	wait_products<1>(d);
	__syncthreads();
	s[slot][TID] = 0;                                              // here product_wait_leaves_one
	wait_products<0>(d);
	sum(out, d);
	out[N + TID] = s[slot][TID];
}
TEST(product_wait_leaves_one) { product_slots_k<<<1, N>>>(zeros(), 1); }
TEST(product_waits_for_slot) { product_slots_k<<<1, N>>>(zeros(), 0); }

// wgmma.fence is a barrier of four warps; other warps need one of their own.
// bug product_before_barrier: data race in shared memory
// clean product_of_group
__global__ void product_before_barrier_k(int *out)
{
	__shared__ alignas(128) int s[1024];
	float d[4] = {};
	fill_operand(s);                                               // other product_before_barrier
	fence_async();
	multiply(d, s, s);                                             // here product_before_barrier
	wait_products<0>(d);
	sum(out, d);
}
TEST(product_before_barrier) { product_before_barrier_k<<<1, 2 * N>>>(zeros()); }
TEST(product_of_group) { product_before_barrier_k<<<1, N>>>(zeros()); }

// bug product_no_fence: without a fence.proxy.async
__global__ void product_no_fence_k(int *out)
{
	__shared__ alignas(128) int s[1024];
	float d[4] = {};
	fill_operand(s);                                               // other product_no_fence
	__syncthreads();
	multiply(d, s, s);                                             // here product_no_fence
	wait_products<0>(d);
	sum(out, d);
}
TEST(product_no_fence) { product_no_fence_k<<<1, N>>>(zeros()); }

// bug product_reads_load: without a wait for the copy's mbarrier
__global__ void product_reads_load_k(int *in, int *out)
{
	__shared__ alignas(128) int s[1024];
	__shared__ uint64_t bar;
	float d[4] = {};
	if (!TID) {
		init(&bar, 1);
		expect(&bar, sizeof s);
		load(s, in, sizeof s, &bar);                           // other product_reads_load
	}
	__syncthreads();
	multiply(d, s, s);                                             // here product_reads_load
	wait_products<0>(d);
	sum(out, d);
	wait(&bar, 0);
}
TEST(product_reads_load) { product_reads_load_k<<<1, N>>>(zeros(), zeros()); }

// ---- bulk reductions to global memory ----

// Reductions of several blocks at the same place exclude each other, like atomics.
// clean reduce_blocks
__global__ void reduce_blocks_k(int *out)
{
	__shared__ alignas(128) int s[N];
	s[TID] = TID;
	fence_async();
	__syncthreads();
	if (!TID) {
		add(out, s, sizeof s);
		commit();
	}
	atomicAdd(&out[TID], 1);
	if (!TID)
		wait_done();
}
TEST(reduce_blocks) { reduce_blocks_k<<<4, N>>>(zeros()); }

// bug reduce_and_store: data race in global memory
__global__ void reduce_and_store_k(int *out)
{
	__shared__ alignas(128) int s[N];
	s[TID] = TID;
	fence_async();
	__syncthreads();
	if (BID)
		out[TID] = 1;                                          // here reduce_and_store
	else if (!TID) {
		add(out, s, sizeof s);                                 // other reduce_and_store
		commit();
		wait_done();
	}
}
TEST(reduce_and_store) { reduce_and_store_k<<<2, N>>>(zeros()); }

// bug reduced_read_early: has not waited for it by cp.async.bulk.wait_group
__global__ void reduced_read_early_k(int *out)
{
	__shared__ alignas(128) int s[N];
	s[TID] = TID;
	fence_async();
	__syncthreads();
	if (!TID) {
		add(out, s, sizeof s);                                 // other reduced_read_early
		commit();
		wait_read();
	}
	__syncthreads();
	out[N + TID] = out[TID];                                       // here reduced_read_early
}
TEST(reduced_read_early) { reduced_read_early_k<<<1, N>>>(zeros()); }

static CUtensorMap row_of(int *p)
{
	CUtensorMap m;
	cuuint64_t size = N;
	cuuint32_t box = N, step = 1;
	cuTensorMapEncodeTiled(&m, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, p, &size, &size, &box, &step, CU_TENSOR_MAP_INTERLEAVE_NONE,
		CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	return m;
}

// clean reduce_box
// bug reduce_box_and_store: data race in global memory
__global__ void reduce_box_k(const __grid_constant__ CUtensorMap m, int *out, bool stores)
{
	__shared__ alignas(128) int s[N];
	s[TID] = TID;
	fence_async();
	__syncthreads();
	if (stores && BID)
		out[TID] = 1;                                          // here reduce_box_and_store
	else if (!TID) {
		add_box(&m, s);                                        // other reduce_box_and_store
		commit();
		wait_done();
	}
}
TEST(reduce_box) { int *p = zeros(); reduce_box_k<<<4, N>>>(row_of(p), p, false); }
TEST(reduce_box_and_store) { int *p = zeros(); reduce_box_k<<<2, N>>>(row_of(p), p, true); }

// Two reductions at one place, each with an mbarrier of its own: the end of the second says nothing of the first.
// bug red_async_one_wait: without a wait for the copy's mbarrier
// clean red_async_both_waits
__global__ void __cluster_dims__(2) red_async_k(int *out, bool both)
{
	__shared__ int s[N];
	__shared__ uint64_t bar[2];
	s[TID] = 0;
	if (!TID)
		for (int i = 0; i < 2; i++) {
			init(&bar[i], 1);
			expect(&bar[i], 32 * sizeof *s);
		}
	cluster_sync();
	for (int i = 0; i < 2; i++)
		asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(in_block(&s[TID], 1 - rank_in_cluster())), "r"(TID), "r"(in_block(&bar[i], 1 - rank_in_cluster())) : "memory"); // other red_async_one_wait
	wait(&bar[1], 0);
	if (both)
		wait(&bar[0], 0);
	out[BID * N + TID] = s[TID];                                   // here red_async_one_wait
	wait(&bar[0], 0);
	cluster_sync();
}
TEST(red_async_one_wait) { red_async_k<<<2, 32>>>(zeros(), false); }
TEST(red_async_both_waits) { red_async_k<<<2, 32>>>(zeros(), true); }

// ---- relaxed arrivals, proxy fences ----

// bug cluster_relaxed: data race in shared memory of block
// clean cluster_relaxed_fenced
__global__ void __cluster_dims__(2) cluster_relaxed_k(int *out, bool fence)
{
	__shared__ int s[N];
	cg::cluster_group c = cg::this_cluster();
	s[TID] = TID;                                                  // other cluster_relaxed
	if (fence)
		asm volatile("fence.acq_rel.cluster;" ::: "memory");
	cluster_sync_relaxed();
	out[BID * N + TID] = c.map_shared_rank(s, 1 - c.block_rank())[TID]; // here cluster_relaxed
	cluster_sync();
}
TEST(cluster_relaxed) { cluster_relaxed_k<<<2, N>>>(zeros(), false); }
TEST(cluster_relaxed_fenced) { cluster_relaxed_k<<<2, N>>>(zeros(), true); }

// fence.mbarrier_init before a relaxed arrival makes the mbarrier known to the cluster.
// clean cluster_relaxed_init
__global__ void __cluster_dims__(2) cluster_relaxed_init_k(int *out)
{
	__shared__ uint64_t bar;
	if (!TID)
		init(&bar, N);
	cluster_sync_relaxed();
	arrive_in(&bar, 1 - rank_in_cluster());
	wait(&bar, 0);
	out[BID * N + TID] = TID;
	cluster_sync();
}
TEST(cluster_relaxed_init) { cluster_relaxed_init_k<<<2, N>>>(zeros()); }

// A thread keeps what it knew before a relaxed arrival.
// clean cluster_relaxed_keeps
__global__ void __cluster_dims__(2) cluster_relaxed_keeps_k(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;
	__syncthreads();
	cluster_sync_relaxed();
	out[BID * N + TID] = s[N - 1 - TID];
}
TEST(cluster_relaxed_keeps) { cluster_relaxed_keeps_k<<<2, N>>>(zeros()); }

// A fence between proxies is none between threads.
// bug proxy_fence_alone: data race in shared memory
// clean proxy_fence_and_fence
__global__ void proxy_fence_k(int *out, bool fence)
{
	__shared__ int s, flag;
	if (!TID)
		flag = 0;
	__syncthreads();
	if (!TID) {
		s = 5;                                                 // other proxy_fence_alone
		fence_async();
		asm volatile("fence.proxy.async;" ::: "memory");
		if (fence)
			__threadfence_block();
		asm volatile("st.relaxed.cta.shared.u32 [%0], 1;" ::"r"(addr(&flag)) : "memory");
	} else if (TID == 32) {
		int set;
		do
			asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(set) : "r"(addr(&flag)) : "memory");
		while (!set);
		fence_async();
		asm volatile("fence.proxy.async;" ::: "memory");
		if (fence)
			__threadfence_block();
		out[0] = s;                                            // here proxy_fence_alone
	}
}
TEST(proxy_fence_alone) { proxy_fence_k<<<1, N>>>(zeros(), false); }
TEST(proxy_fence_and_fence) { proxy_fence_k<<<1, N>>>(zeros(), true); }

// ---- slots that products read ----

// Two groups of products are under way, the wait leaves the second: the slot of the first may be loaded again.
// bug product_slot_released: data race in shared memory
// clean product_slot_waited
// bug product_slot_two_readers: data race in shared memory
template <int GROUPS> __global__ void product_slot_k(int *in, int *out, int slot)
{
	__shared__ alignas(128) int s[2][1024];
	__shared__ uint64_t empty, full;
	float d[4] = {};
	if (!TID) {
		init(&empty, GROUPS);
		init(&full, 1);
	}
	for (int i = TID; i < 2048; i += blockDim.x)
		s[0][i] = 0x3c003c00;
	fence_async();
	__syncthreads();
	if (TID < GROUPS * 128) {
		bool last = TID / 128 == GROUPS - 1;
		multiply(d, s[0], s[0]);
		multiply(d, s[1], s[1]);                               // other product_slot_released
		if (GROUPS == 2 && last)
			wait_products<0>(d);
		else
			wait_products<1>(d);
		if (TID % 128 == 96) // of warp 3: the group goes on as soon as it arrives at the wait
			arrive(&empty);
		wait_products<0>(d);
		sum(out, d);
	} else if (TID == GROUPS * 128) {
		wait(&empty, 0);
		expect(&full, sizeof s[0]);
		load(s[slot], in, sizeof s[0], &full);                 // here product_slot_released
		wait(&full, 0);
	}
}
TEST(product_slot_released) { product_slot_k<1><<<1, 160>>>(zeros(), zeros(), 1); }
TEST(product_slot_waited) { product_slot_k<2><<<1, 288>>>(zeros(), zeros(), 0); }
TEST(product_slot_two_readers) { product_slot_k<2><<<1, 288>>>(zeros(), zeros(), 1); }

MAIN
