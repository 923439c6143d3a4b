// Kernels with one bug each, and similar correct kernels. run.sh runs each with --check race,init.
//
//   bug NAME: TEXT     the report must contain TEXT; the kernel is NAME
//   clean NAME         nothing may be reported
//   here NAME          the report must name this line as the one where it was found
//   other NAME         and this one as the other party's
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 128 };
#define TID ((int)threadIdx.x)
#define LANE (TID & 31)
#define WARP (TID >> 5)
#define OUT out[blockIdx.x * N + TID]

__device__ int flag, lock_word, counter, data[4096], partial[64];
__device__ unsigned count, arrived;
__device__ volatile int vflag;

// ---- a block's shared memory ----

// bug no_barrier: data race in shared memory
__global__ void no_barrier(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;                       // other no_barrier
	OUT = s[(TID + 32) % N];       // here no_barrier
}

// bug war: read at
__global__ void war(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;
	__syncthreads();
	int x = s[(TID + 64) % N];          // other war
	s[TID] = x;                         // here war
	OUT = x;
}

// bug loop_barrier: data race in shared memory
__global__ void loop_barrier(int *out)
{
	__shared__ int s[N];
	int sum = 0;
	for (int k = 0; k < 4; k++) {
		s[TID] = TID + k;           // here loop_barrier
		__syncthreads();
		sum += s[(TID + 32) % N];   // other loop_barrier
	}
	OUT = sum;
}

// bug same_word: lanes of one instruction
__global__ void same_word(int *out)
{
	__shared__ int s;
	s = TID;                            // here same_word
	__syncthreads();
	OUT = s;
}

// bug named_others: data race in shared memory
__global__ void named_others(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;                       // other named_others
	if (WARP < 2)
		asm volatile("bar.sync 1, 64;" ::: "memory");
	else
		asm volatile("bar.sync 2, 64;" ::: "memory");
	OUT = s[(TID + 64) % N];       // here named_others
}

// bug arrive_only: data race in shared memory
__global__ void arrive_only(int *out)
{
	__shared__ int s[64];
	if (WARP == 0) {
		s[TID] = 7;                 // other arrive_only
		asm volatile("bar.arrive 1, 64;" ::: "memory");
		OUT = 0;
	} else if (WARP == 1) {
		OUT = s[LANE];         // here arrive_only
		asm volatile("bar.sync 1, 64;" ::: "memory");
	}
}

// bug third_reader: read at
__global__ void third_reader(int *out)
{
	__shared__ int s;
	if (TID == 0)
		s = 1;
	__syncthreads();
	int x = s;
	if (WARP > 0)
		asm volatile("bar.sync 1, 96;" ::: "memory");
	if (TID == 127)
		s = 2;                      // here third_reader
	OUT = x;
}

// bug bytes: data race in shared memory
__global__ void bytes(int *out)
{
	__shared__ unsigned char s[N + 4];
	s[TID] = (unsigned char)TID;        // other bytes
	__syncwarp();
	OUT = s[TID ^ 32];             // here bytes
}

// bug atomic_then_plain: one is atomic or volatile, the other is not
__global__ void atomic_then_plain(int *out)
{
	__shared__ int s;
	if (TID == 0)
		s = 0;
	__syncthreads();
	if (WARP == 0)
		atomicAdd(&s, 1);           // other atomic_then_plain
	OUT = WARP == 1 ? s : 0;       // here atomic_then_plain
}

// bug plain_then_atomic: one is atomic or volatile, the other is not
__global__ void plain_then_atomic(int *out)
{
	__shared__ int s;
	if (TID == 0)
		s = 0;                      // other plain_then_atomic
	OUT = atomicAdd(&s, 1);        // here plain_then_atomic
}

// bug one_slot: data race in shared memory
__global__ void one_slot(int *out)
{
	__shared__ int slot;
	for (int k = 0; k < 2; k++) {
		if (TID == 0)
			slot = k;           // here one_slot
		__syncthreads();
		OUT += slot;                // other one_slot
	}
}

// bug mbarrier_no_wait: data race in shared memory
__global__ void mbarrier_no_wait(int *out)
{
	__shared__ int s[N];
	__shared__ unsigned long long bar;
	unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
	if (TID == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(at) : "memory");
	__syncthreads();
	s[TID] = TID;                       // other mbarrier_no_wait
	asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at) : "memory");
	OUT = s[(TID + 32) % N];       // here mbarrier_no_wait
}

// The copy needs a wait: a barrier alone does not order it.
#define COPY(to, from)                                                                              \
	asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)), \
		     "l"(from) : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n) asm volatile("cp.async.wait_group " #n ";" ::: "memory")

// bug copy_no_wait: which has not waited for its asynchronous copy
__global__ void copy_no_wait(int *out)
{
	__shared__ int s[N];
	OUT = TID;
	COPY(&s[TID], &OUT);                // other copy_no_wait
	COMMIT();
	__syncthreads();
	OUT = s[(TID + 32) % N];       // here copy_no_wait
}

// bug copy_one_group: which has not waited for its asynchronous copy
__global__ void copy_one_group(int *out)
{
	__shared__ int s[2][N];
	OUT = TID;
	COPY(&s[0][TID], &OUT);
	COMMIT();
	COPY(&s[1][TID], &OUT);             // other copy_one_group
	COMMIT();
	WAIT(1);
	__syncthreads();
	OUT = s[0][N - 1 - TID] + s[1][N - 1 - TID]; // here copy_one_group
}

// The phase ends with the last arrival; a thread that does not test the phase is not ordered after
// it.
#define PHASE_OF(b, count)                                                                          \
	__shared__ unsigned long long b;                                                            \
	unsigned b##_at = (unsigned)__cvta_generic_to_shared(&b);                                   \
	if (TID == 0)                                                                               \
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(b##_at), "r"(count) : "memory"); \
	__syncthreads()
#define COPY_ARRIVES(b) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(b##_at) : "memory")
#define FIND_END(b)                                                                                 \
	asm volatile("{ .reg .pred p; L%=: mbarrier.test_wait.parity.shared.b64 p, [%0], 0; @!p bra L%=; }" ::"r"( \
		b##_at) : "memory")

// bug arrived_own: which has not waited for its asynchronous copy
__global__ void arrived_own(int *out)
{
	__shared__ int s[N];
	PHASE_OF(b, N);
	OUT = TID;
	COPY(&s[TID], &OUT);                // other arrived_own
	COPY_ARRIVES(b);
	OUT = s[TID] + 1;              // here arrived_own
}

// bug arrived_barrier: which has not waited for its asynchronous copy
__global__ void arrived_barrier(int *out)
{
	__shared__ int s[N];
	PHASE_OF(b, N);
	OUT = TID;
	COPY(&s[TID], &OUT);                // other arrived_barrier
	COPY_ARRIVES(b);
	__syncthreads();
	OUT = s[(TID + 32) % N];       // here arrived_barrier
}

// clean arrived_found
__global__ void arrived_found(int *out)
{
	__shared__ int s[N];
	PHASE_OF(b, N);
	OUT = TID;
	COPY(&s[TID], &OUT);
	COPY_ARRIVES(b);
	FIND_END(b);
	OUT = s[(TID + 32) % N];
}

// clean arrived_found_by_one
__global__ void arrived_found_by_one(int *out)
{
	__shared__ int s[N];
	PHASE_OF(b, N);
	OUT = TID;
	COPY(&s[TID], &OUT);
	COPY_ARRIVES(b);
	if (TID == 0)
		FIND_END(b);
	__syncthreads();
	OUT = s[(TID + 32) % N];
}

// bug copy_wait_behind: data race in shared memory
__global__ void copy_wait_behind(int *out)
{
	__shared__ int s[N];
	OUT = TID;
	COPY(&s[TID], &OUT);                // other copy_wait_behind
	COMMIT();
	__syncthreads();
	WAIT(0);
	OUT = s[(TID + 32) % N];       // here copy_wait_behind
}

// ---- one warp ----

// bug warp_pairs: __syncwarp() is missing
__global__ void warp_pairs(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;                       // other warp_pairs
	OUT = s[TID ^ 1];              // here warp_pairs
}

// bug warp_volatile: __syncwarp() is missing
__global__ void warp_volatile(int *out)
{
	__shared__ volatile int s[64];
	if (TID < 32) {
		s[TID] = TID;
		s[TID + 32] = 0;
		s[TID] = s[TID] + s[TID + 16]; // here warp_volatile
		s[TID] = s[TID] + s[TID + 8];
		OUT = s[TID];
	}
}

// bug warp_scan: __syncwarp() is missing
__global__ void warp_scan(int *out)
{
	__shared__ int s[32];
	if (TID >= 32)
		return;
	s[TID] = 1;
	__syncwarp();
	if (LANE >= 1)
		s[TID] += s[TID - 1];
	__syncwarp();
	OUT = s[TID];
}

// bug warp_half: __syncwarp() is missing
__global__ void warp_half(int *out)
{
	__shared__ int s[32];
	if (TID >= 32)
		return;
	s[TID] = TID;                       // other warp_half
	__syncwarp(LANE < 16 ? 0xffff : 0xffff0000);
	OUT = s[TID ^ 16];             // here warp_half
}

// bug warp_branches: __syncwarp() is missing
__global__ void warp_branches(int *out)
{
	__shared__ int s[32];
	if (TID >= 32)
		return;
	if (LANE < 16)
		s[TID] = TID;               // other warp_branches
	else
		OUT = s[TID - 16];     // here warp_branches
}

// bug global_pairs: __syncwarp() is missing
__global__ void global_pairs(int *out)
{
	data[TID] = TID;                    // other global_pairs
	OUT = ((volatile int *)data)[TID ^ 2]; // here global_pairs
}

// ---- lanes of warp-level operations ----

// bug shfl_own_lane: but is executed by lane
__global__ void shfl_own_lane(int *out)
{
	OUT = __shfl_sync(0xffff, TID, 0); // columns behind those the kernel writes: the rows have
	// this length
}

// bug shfl_away: of which do not arrive
__global__ void shfl_away(int *out)
{
	int x = TID;
	if (LANE < 16)
		x = __shfl_down_sync(0xffffffff, x, 1);
	__syncwarp();
	OUT = x;
}

// bug shfl_outside: but the shuffle reads lane 20
__global__ void shfl_outside(int *out)
{
	int x = TID;
	if (LANE < 16)
		x = __shfl_sync(0xffff, x, 20); // here shfl_outside
	OUT = x;
}

// bug shfl_exited: the shuffle reads one that has exited
__global__ void shfl_exited(int *out)
{
	if (LANE >= 24)
		return;
	OUT = __shfl_down_sync(0xffffffff, TID, 8); // here shfl_exited
}

// bug masks_differ: another mask is named by lanes
__global__ void masks_differ(int *out)
{
	unsigned m = LANE < 16 ? 0xffffffff : 0xffff0003;
	OUT = (int)__ballot_sync(m, TID & 1); // here masks_differ
}

// bug vote_away: of which do not arrive
__global__ void vote_away(int *out)
{
	int x = 0;
	if (LANE & 1)
		x = __any_sync(0xffffffff, TID > 3);
	__syncwarp();
	OUT = x;
}

// bug match_own_lane: but is executed by lane
__global__ void match_own_lane(int *out)
{
	OUT = (int)__match_any_sync(0x0fffffff, TID & 3); // here match_own_lane
}

// bug redux_away: of which do not arrive
__global__ void redux_away(int *out)
{
	int x = TID;
	if (LANE < 8)
		asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(x) : "r"(TID));
	__syncwarp();
	OUT = x;
}

// bug syncwarp_own_lane: but is executed by lane
__global__ void syncwarp_own_lane(int *out)
{
	__syncwarp(0x7fffffff); // here syncwarp_own_lane
	OUT = 1;
}

// ---- blocks ----

// bug flag_no_fence: data race in global memory
__global__ void flag_no_fence(int *out)
{
	if (TID)
		return;
	if (blockIdx.x == 0) {
		data[0] = 42;               // other flag_no_fence
		vflag = 1;
	} else if (blockIdx.x == 1) {
		while (!vflag)
			;
		out[0] = data[0];           // here flag_no_fence
	}
}

// bug flag_writer_fence: data race in global memory
__global__ void flag_writer_fence(int *out)
{
	if (TID)
		return;
	if (blockIdx.x == 0) {
		data[0] = 42;               // other flag_writer_fence
		__threadfence();
		vflag = 1;
	} else if (blockIdx.x == 1) {
		while (!vflag)
			;
		out[0] = data[0];           // here flag_writer_fence
	}
}

// bug flag_reader_fence: data race in global memory
__global__ void flag_reader_fence(int *out)
{
	if (TID)
		return;
	if (blockIdx.x == 0) {
		data[0] = 42;               // other flag_reader_fence
		vflag = 1;
	} else if (blockIdx.x == 1) {
		while (!vflag)
			;
		__threadfence();
		out[0] = data[0];           // here flag_reader_fence
	}
}

// bug flag_block_fence: data race in global memory
__global__ void flag_block_fence(int *out)
{
	if (TID)
		return;
	if (blockIdx.x == 0) {
		data[0] = 42;               // other flag_block_fence
		__threadfence_block();
		vflag = 1;
	} else if (blockIdx.x == 1) {
		while (!vflag)
			;
		__threadfence_block();
		out[0] = data[0];           // here flag_block_fence
	}
}

// bug flag_plain: one is atomic or volatile, the other is not
__global__ void flag_plain(int *out)
{
	if (TID)
		return;
	if (blockIdx.x == 0) {
		data[0] = 42;
		__threadfence();
		flag = 1;                   // other flag_plain
	} else if (blockIdx.x == 1) {
		while (!*(volatile int *)&flag) // here flag_plain
			;
		__threadfence();
		out[0] = data[0];
	}
}

// bug lock_no_fence: data race in global memory
__global__ void lock_no_fence(int *out)
{
	if (TID)
		return;
	while (atomicCAS(&lock_word, 0, 1))
		;
	counter = counter + 1;
	atomicExch(&lock_word, 0);
	out[blockIdx.x] = 1;
}

// bug lock_plain_release: data race in global memory
__global__ void lock_plain_release(int *out)
{
	if (TID)
		return;
	while (atomicCAS(&lock_word, 0, 1)) // here lock_plain_release
		;
	__threadfence();
	counter = counter + 1;
	__threadfence();
	lock_word = 0;                      // other lock_plain_release
	out[blockIdx.x] = 1;
}

// bug last_block_no_fence: data race in global memory
__global__ void last_block_no_fence(int *out)
{
	__shared__ bool last;
	if (TID == 0) {
		partial[blockIdx.x] = 3;    // other last_block_no_fence
		last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && TID < (int)gridDim.x)
		OUT = partial[TID];    // here last_block_no_fence
}

// bug last_block_no_barrier: data race in global memory
__global__ void last_block_no_barrier(int *out)
{
	__shared__ bool last;
	data[blockIdx.x * N + TID] = 3;     // other last_block_no_barrier
	if (TID == 0) {
		__threadfence();
		last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	for (int i = 0; last && i < (int)gridDim.x; i++)
		OUT += data[i * N + TID]; // here last_block_no_barrier
}

// bug no_grid_barrier: data race in global memory
__global__ void no_grid_barrier(int *out)
{
	data[blockIdx.x * N + TID] = TID;   // other no_grid_barrier
	__syncthreads();
	out[blockIdx.x * N + TID] = data[(blockIdx.x + gridDim.x - 1) % gridDim.x * N + TID]; // here no_grid_barrier
}

// bug store_beside_atomics: one is atomic or volatile, the other is not
__global__ void store_beside_atomics(int *out)
{
	if (blockIdx.x == 0 && TID == 0)
		counter = 0;                // other store_beside_atomics
	if (blockIdx.x)
		OUT = atomicAdd(&counter, 1); // here store_beside_atomics
}

// bug atomics_then_store: one is atomic or volatile, the other is not
__global__ void atomics_then_store(int *out)
{
	if (blockIdx.x == 0)
		OUT = atomicAdd(&counter, 1); // other atomics_then_store
	if (blockIdx.x == 1 && TID == 0)
		counter = 0;                // here atomics_then_store
}

// bug block_scope: atomics of block scope from two blocks
__global__ void block_scope(int *out)
{
	OUT = atomicAdd_block(&counter, 1); // here block_scope
}

// bug lookback_no_fence: data race in global memory
__global__ void lookback_no_fence(int *out)
{
	if (TID)
		return;
	int sum = 0;
	if (blockIdx.x) {
		while (!atomicAdd(&data[2000 + blockIdx.x - 1], 0))
			;
		sum = partial[blockIdx.x - 1]; // here lookback_no_fence
	}
	partial[blockIdx.x] = sum + 1;      // other lookback_no_fence
	atomicExch(&data[2000 + blockIdx.x], 1);
	out[blockIdx.x] = sum;
}

// bug all_write: data race in global memory
__global__ void all_write(int *out)
{
	if (TID == 0)
		out[0] = blockIdx.x;        // here all_write
}

// ---- barriers that some threads do not reach ----

// bug part_of_warp: barrier in divergent code
__global__ void part_of_warp(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;
	if (LANE < 16)
		__syncthreads();
	__syncthreads();
	OUT = s[N - 1 - TID];
}

// bug two_places: barrier in divergent code
__global__ void two_places(int *out)
{
	if (TID & 1) {
		OUT = 1;
		__syncthreads();
		OUT += out[0];
	} else {
		OUT = 2;
		__syncthreads();
	}
}

// bug early_return: have exited
__global__ void early_return(int *out)
{
	__shared__ int s[N];
	if (TID >= 100)
		return;
	s[TID] = TID;
	__syncthreads();                    // here early_return
	OUT = s[99 - TID];
}

// bug never_fills: can never fill
__global__ void never_fills(int *out)
{
	if (WARP == 0)
		asm volatile("bar.sync 1, 128;" ::: "memory"); // here never_fills
	else
		asm volatile("bar.sync 2, 128;" ::: "memory");
	OUT = 1;
}

// bug polls_at_barrier: nothing can go on
__global__ void polls_at_barrier(int *out)
{
	__shared__ volatile int go;
	if (TID == 0)
		go = 0;
	__syncthreads();
	if (WARP == 0) {
		__syncthreads();
		go = 1;
	} else {
		while (!go)
			;
		__syncthreads();
	}
	OUT = 1;
}

// bug polls_mates: nothing can go on
__global__ void polls_mates(int *out)
{
	__shared__ volatile int go;
	if (TID == 0)
		go = 0;
	__syncthreads();
	if (LANE == 0)
		while (!go)
			;
	else
		__syncthreads();
	if (TID == 1)
		go = 1;
	OUT = 1;
}

// bug waits_for_block: nothing can go on
__global__ void waits_for_block(int *out)
{
	if (TID == 0)
		while (atomicAdd(&flag, 0) != 7)
			;
	OUT = 1;
}

// ---- memory ----

// bug uninit_global: that nothing has written
__global__ void uninit_global(int *out, int *raw)
{
	OUT = raw[TID];                // here uninit_global
}

// bug uninit_shared: that nothing has written
__global__ void uninit_shared(int *out)
{
	__shared__ int s[N];
	if (TID < 100)
		s[TID] = TID;
	__syncthreads();
	OUT = s[TID];                  // here uninit_shared
}

// bug over_end: outside any allocation
__global__ void over_end(int *out)
{
	out[(1 << 20) + TID] = 1;           // here over_end
}

// bug neighbour: 512 bytes after the start of
__global__ void neighbour(int *out)
{
	__shared__ int t[N], u[N];
	u[TID] = 2;
	__syncthreads();
	t[TID + 1] = 1;                     // here neighbour
	__syncthreads();
	OUT = t[TID / 2 + 1] + u[TID];
}

// ---- correct ----

// clean block_sum
__global__ void block_sum(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;
	__syncthreads();
	for (int k = N / 2; k; k /= 2) {
		if (TID < k)
			s[TID] += s[TID + k];
		__syncthreads();
	}
	if (!TID)
		out[blockIdx.x] = s[0];
}

// clean lock_fenced
__global__ void lock_fenced(int *out)
{
	if (TID)
		return;
	while (atomicCAS(&lock_word, 0, 1))
		;
	__threadfence();
	counter = counter + 1;
	__threadfence();
	atomicExch(&lock_word, 0);
	out[blockIdx.x] = 1;
}

// clean last_block
__global__ void last_block(int *out)
{
	__shared__ bool last;
	data[blockIdx.x * N + TID] = 3;
	__threadfence();
	__syncthreads();
	if (TID == 0)
		last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
	__syncthreads();
	if (!last)
		return;
	__threadfence();
	for (int i = 0; i < (int)gridDim.x; i++)
		OUT += data[i * N + TID];
}

// clean last_block_sample
__global__ void last_block_sample(int *out)
{
	__shared__ bool last;
	data[blockIdx.x * N + TID] = 3;
	__syncthreads();
	if (TID == 0) {
		__threadfence();
		last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	for (int i = 0; last && i < (int)gridDim.x; i++)
		OUT += data[i * N + TID];
}

// clean lookback
__global__ void lookback(int *out)
{
	__shared__ int before;
	if (TID == 0) {
		int sum = 0;
		if (blockIdx.x) {
			while (!((volatile int *)data)[2000 + blockIdx.x - 1])
				;
			__threadfence();
			sum = partial[blockIdx.x - 1];
		}
		partial[blockIdx.x] = sum + 1;
		__threadfence();
		((volatile int *)data)[2000 + blockIdx.x] = 1;
		before = sum;
	}
	__syncthreads();
	out[blockIdx.x * N + TID] = before;
}

// clean double_buffer
__global__ void double_buffer(int *out)
{
	__shared__ int s[2][N];
	int x = TID;
	for (int k = 0; k < 6; k++) {
		s[k & 1][TID] = x;
		__syncthreads();
		x = s[k & 1][(TID + 33) % N];
	}
	OUT = x;
}

// clean copy_pipeline
__global__ void copy_pipeline(int *out)
{
	__shared__ int s[2][N];
	int x = 0;
	OUT = TID;
	COPY(&s[0][TID], &OUT);
	COMMIT();
	for (int k = 0; k < 4; k++) {
		COPY(&s[~k & 1][TID], &OUT);
		COMMIT();
		WAIT(1);
		__syncthreads();
		x += s[k & 1][N - 1 - TID];
		__syncthreads();
	}
	WAIT(0);
	__syncthreads();
	data[blockIdx.x * N + TID] = x + s[0][TID];
}

// clean grid_barrier
__global__ void grid_barrier(int *out)
{
	data[blockIdx.x * N + TID] = TID;
	__syncthreads();
	if (TID == 0) {
		__threadfence();
		atomicAdd(&arrived, 1);
		while (atomicAdd(&arrived, 0) < gridDim.x)
			;
		__threadfence();
	}
	__syncthreads();
	out[blockIdx.x * N + TID] = data[(blockIdx.x + 1) % gridDim.x * N + TID];
}

// clean acquire_release
__global__ void acquire_release(int *out)
{
	int x;
	if (TID)
		return;
	if (blockIdx.x == 0) {
		data[0] = 42;
		asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(&flag) : "memory");
	} else if (blockIdx.x == 1) {
		do
			asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(x) : "l"(&flag) : "memory");
		while (!x);
		out[0] = data[0];
	}
}

// clean warp_sum
__global__ void warp_sum(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;
	__syncwarp();
	int x = s[TID ^ 1];
	for (int k = 16; k; k /= 2)
		x += __shfl_down_sync(0xffffffff, x, k);
	unsigned half = __ballot_sync(0xffffffff, LANE < 16);
	if (LANE < 16)
		x += __shfl_xor_sync(half, x, 1);
	__syncwarp();
	s[TID] = x;
	__syncwarp();
	OUT = s[TID ^ 2];
}

// clean named_pairs
__global__ void named_pairs(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;
	if (WARP < 2)
		asm volatile("bar.sync 1, 64;" ::: "memory");
	else
		asm volatile("bar.sync 2, 64;" ::: "memory");
	OUT = s[TID ^ 32];
}

// clean producer_consumer
__global__ void producer_consumer(int *out)
{
	__shared__ int s[32];
	if (WARP == 0) {
		for (int k = 0; k < 3; k++) {
			asm volatile("bar.sync 1, 64;" ::: "memory"); // empty
			s[LANE] = k + LANE;
			asm volatile("bar.arrive 2, 64;" ::: "memory"); // full
		}
	} else if (WARP == 1) {
		int sum = 0;
		for (int k = 0; k < 3; k++) {
			asm volatile("bar.arrive 1, 64;" ::: "memory");
			asm volatile("bar.sync 2, 64;" ::: "memory");
			sum += s[LANE ^ 7];
		}
		OUT = sum;
	}
}

// clean histogram
__global__ void histogram(int *out)
{
	__shared__ int s[16];
	if (TID < 16)
		s[TID] = 0;
	__syncthreads();
	atomicAdd(&s[TID % 16], 1);
	__syncthreads();
	if (TID < 16)
		atomicAdd(&data[TID], s[TID]);
}

// clean mbarrier_wait
__global__ void mbarrier_wait(int *out)
{
	__shared__ int s[N];
	__shared__ unsigned long long bar;
	unsigned at = (unsigned)__cvta_generic_to_shared(&bar), done;
	unsigned long long state;
	if (TID == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(at) : "memory");
	__syncthreads();
	s[TID] = TID;
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
	do
		asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
			     : "=r"(done)
			     : "r"(at), "l"(state)
			     : "memory");
	while (!done);
	OUT = s[(TID + 32) % N];
}

// clean turns
__global__ void turns(int *out)
{
	if (LANE == 0) {
		while (atomicCAS(&lock_word, 0, 1))
			;
		__threadfence();
		data[3] += 1;
		__threadfence();
		atomicExch(&lock_word, 0);
	}
	out[blockIdx.x * N + TID] = 1;
}

// ---- local memory ----

// bug uninit_local: in local memory (
__global__ void uninit_local(int *out)
{
	int a[64];
	for (int i = 0; i < 8 + (TID >> 7); i++)
		a[i] = i;
	OUT = a[(TID * 5) & 63] + 1; // here uninit_local
}

// bug local_over: which has 32 bytes
__global__ void local_over(int *out)
{
	int a[8];
	for (int i = 0; i < 8; i++)
		a[i] = i * TID;
	a[(TID & 1) + 7] = 3; // here local_over
	OUT = a[TID & 7];
}

// Two variables of PTX's own, as other compilers write them.
#define TWO_LOCALS(k)                                                                              \
	asm volatile("{ .local .b32 a[4]; .local .b32 b[4]; .reg .b32 p; .reg .b32 q;"             \
		     "st.local.u32 [a], 0; st.local.u32 [b], 5; mov.u32 p, a; shl.b32 q, %1, 2; add.u32 p, p, q;" \
		     "st.local.u32 [p], 9; ld.local.u32 %0, [b]; }"                                \
		     : "=r"(x)                                                                     \
		     : "r"(k)                                                                      \
		     : "memory")

// bug local_neighbour: 16 bytes after the start of a, which has 16 bytes
__global__ void local_neighbour(int *out)
{
	int x;
	TWO_LOCALS(4); // here local_neighbour
	OUT = x;
}

// clean local_inside
__global__ void local_inside(int *out)
{
	int x;
	TWO_LOCALS(3);
	OUT = x;
}

struct gaps {
	char c;
	double d[3];
	short s;
};
__device__ __noinline__ int depth(int n, int k)
{
	int a[4] = {n, n + 1, n + 2, n + 3};
	a[k & 3] = n > 0 ? depth(n - 1, k + 1) : 0;
	return a[(k + 1) & 3] + a[k & 3];
}
__device__ __noinline__ struct gaps give(struct gaps g, int k)
{
	g.d[k % 3] += 1;
	return g;
}

// clean local_arrays
__global__ void local_arrays(int *out)
{
	int a[64];
	struct gaps g, h[2];
	for (int i = 0; i < 64; i++)
		a[i] = i ^ TID;
	g.c = 1, g.s = 2;
	for (int i = 0; i < 3; i++)
		g.d[i] = i;
	h[TID & 1] = give(g, TID);
	OUT = a[(TID * 5) & 63] + depth(3, TID) + (int)h[TID & 1].d[TID % 3];
}

// ---- the host's part: what other streams and the host do ----

// bug copy_beside: cudaMemcpyAsync at
// bug copy_beside_to: written by cudaMemcpyAsync at
// bug fill_beside: written by cudaMemsetAsync at
// clean copy_event
// clean copy_elsewhere
// clean copy_columns
__global__ void writes_out(int *out) { OUT = TID; } // here copy_beside
__global__ void reads_out(int *out) { partial[TID & 63] = out[0]; } // here copy_beside_to

// bug touch_read: read by the host at
// bug touch_write: written by the host at
// clean touch_waits
// clean touch_other

// bug double_free: cudaFree at
// bug copy_too_long: cudaMemcpy at
// clean asked_why

// bug exits_early: outside any allocation
// clean exits_well

// bug allocated_by: allocated by cudaMalloc at

#include "kernels.h"
#include <unistd.h>

enum { PART = 1 << 14 };

// Copies beside kernels.
static bool copies(const char *name, int *out)
{
	cudaStream_t a, b;
	cudaEvent_t e;
	int *pinned;
	if (strncmp(name, "copy_", 5) && strcmp(name, "fill_beside"))
		return false;
	if (!strcmp(name, "copy_too_long") || !strncmp(name, "copy_no", 7) || !strncmp(name, "copy_one", 8) ||
	    !strncmp(name, "copy_wait", 9) || !strncmp(name, "copy_pipe", 9))
		return false;
	cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
	cudaEventCreate(&e);
	const int *from = !strcmp(name, "copy_elsewhere") ? out + PART / 8 : out;
	cudaMallocHost(&pinned, PART);
	memset(pinned, 0, PART);
	cudaDeviceSynchronize();
	if (!strcmp(name, "copy_beside_to"))
		reads_out<<<1, N, 0, a>>>(out);
	else
		writes_out<<<4, N, 0, a>>>(out);
	if (!strcmp(name, "copy_event")) {
		cudaEventRecord(e, a);
		cudaStreamWaitEvent(b, e, 0);
	}
	if (!strcmp(name, "copy_beside_to"))
		cudaMemcpyAsync(out, pinned, PART, cudaMemcpyHostToDevice, b); // other copy_beside_to
	else if (!strcmp(name, "fill_beside"))
		cudaMemsetAsync(out, 0, PART, b); // other fill_beside
	else if (!strcmp(name, "copy_columns")) // columns after what the kernel writes, of rows that are as long
		cudaMemcpy2DAsync(pinned, 2048, (char *)out + 2048, 4096, 2048, 2, cudaMemcpyDeviceToHost, b);
	else
		cudaMemcpyAsync(pinned, from, PART / 4, cudaMemcpyDeviceToHost, b); // other copy_beside
	cudaDeviceSynchronize();
	return true;
}

// The host uses managed memory.
static bool touches(const char *name)
{
	int *m, *other;
	volatile int *v;
	if (strncmp(name, "touch_", 6))
		return false;
	cudaMallocManaged(&m, PART);
	cudaMallocManaged(&other, PART);
	v = !strcmp(name, "touch_other") ? other : m;
	if (strcmp(name, "touch_write"))
		writes_out<<<4, N>>>(m);
	else
		reads_out<<<4, N>>>(m);
	if (!strcmp(name, "touch_waits"))
		cudaDeviceSynchronize();
	if (!strcmp(name, "touch_write"))
		v[0] = 3; // other touch_write
	else
		v[1] = v[0] + 1; // other touch_read
	cudaDeviceSynchronize();
	return true;
}

// Calls that fail, and kernels that end unnoticed.
static bool calls(const char *name, int *out)
{
	static int host[1 << 15];
	int *p;
	if (!strcmp(name, "double_free") || !strcmp(name, "asked_why")) {
		cudaMalloc(&p, 64);
		cudaFree(p);
		cudaFree(p); // other double_free
		if (!strcmp(name, "asked_why") && cudaGetLastError() != cudaSuccess)
			printf("freed twice\n");
	} else if (!strcmp(name, "copy_too_long")) {
		cudaMemcpy(host, out, 1 << 17, cudaMemcpyDeviceToHost); // other copy_too_long
	} else if (!strcmp(name, "exits_early") || !strcmp(name, "exits_well")) {
		writes_out<<<4, N>>>(strcmp(name, "exits_well") ? out + (1 << 20) : out);
		cudaDeviceSynchronize();
		_exit(0);
	} else if (!strcmp(name, "allocated_by")) {
		cudaMalloc(&p, 256); // other allocated_by
		writes_out<<<1, N>>>(p);
		cudaDeviceSynchronize();
	} else {
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	int *out, *raw;
	const char *name = argc > 1 ? argv[1] : "";
	cudaMalloc(&out, 1 << 16);
	cudaMalloc(&raw, 1 << 16);
	cudaMemset(out, 0, 1 << 16);
	if (!strcmp(name, "two_streams") || !strcmp(name, "event") || !strcmp(name, "no_event") ||
	    !strcmp(name, "one_stream")) {
		cudaStream_t a, b;
		cudaEvent_t e;
		cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
		cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
		cudaEventCreate(&e);
		block_sum<<<4, N, 0, a>>>(out);
		if (strcmp(name, "two_streams"))
			cudaEventRecord(e, a);
		if (!strcmp(name, "event"))
			cudaStreamWaitEvent(b, e, 0);
		block_sum<<<4, N, 0, !strcmp(name, "one_stream") ? a : b>>>(out);
	} else if (copies(name, out) || touches(name) || calls(name, out)) {
		return 0;
	} else if (!strcmp(name, "uninit_global")) {
		uninit_global<<<1, N>>>(out, raw);
	} else {
		int i = 0;
		while (i < (int)(sizeof table / sizeof *table) && strcmp(table[i].name, name))
			i++;
		if (i == (int)(sizeof table / sizeof *table)) {
			fprintf(stderr, "no kernel %s\n", name);
			return 3;
		}
		table[i].kernel<<<4, N>>>(out);
	}
	return cudaDeviceSynchronize() != cudaSuccess;
}
// bug two_streams: in streams that nothing orders
// bug no_event: in streams that nothing orders
// clean event
// clean one_stream
