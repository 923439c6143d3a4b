// Programs with one bug each, and similar correct programs, by kind of misuse: barriers and groups that not all threads
// reach, mbarriers and asynchronous copies, locks, memory that is freed or belongs to another thread, calls that fail. Comments as in
// kernels.cu.
#include <cassert>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cstdlib>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <mma.h>
#include "programs.cuh"
namespace wmma = nvcuda::wmma;

// ---- barriers ----

// bug warps_return: warps 2-3 of the block have exited
__global__ void warps_return_k(int *out)
{
	__shared__ int s[N];
	if (TID >= 64)
		return;
	s[TID] = TID;
	__syncthreads();                    // here warps_return
	out[TID] = s[63 - TID];
}
TEST(warps_return) { warps_return_k<<<1, N>>>(zeros()); }

// bug grid_not_cooperative: the launch is not a cooperative one
__global__ void grid_not_cooperative_k(int *out)
{
	out[TID] = 1;
	cg::this_grid().sync();             // here grid_not_cooperative
	out[TID] = 2;
}
TEST(grid_not_cooperative) { grid_not_cooperative_k<<<2, N>>>(zeros()); }

// bug grid_by_some: nothing can go on
__global__ void grid_by_some_k(int *out, int *)
{
	if (WARP == 0)
		cg::this_grid().sync();             // here grid_by_some
	else
		while (!atomicAdd(out, 0));
	atomicAdd(out, 1);
}
TEST(grid_by_some) { cooperate((const void *)grid_by_some_k); }

// bug tile_some: do not arrive
__global__ void tile_some_k(int *out)
{
	auto tile = cg::tiled_partition<16>(cg::this_thread_block());
	if (tile.thread_rank() < 8)
		tile.sync();                // here tile_some
	out[TID] = 1;
}
TEST(tile_some) { tile_some_k<<<1, N>>>(zeros()); }

// bug tile_shuffle: do not arrive
__global__ void tile_shuffle_k(int *out)
{
	auto tile = cg::tiled_partition<16>(cg::this_thread_block());
	int x = TID;
	if (tile.thread_rank() < 8)
		x = tile.shfl(x, 12);       // here tile_shuffle
	out[TID] = x;
}
TEST(tile_shuffle) { tile_shuffle_k<<<1, N>>>(zeros()); }

// bug tile_too_small: __syncwarp() is missing
__global__ void tile_too_small_k(int *out)
{
	__shared__ int s[N];
	auto tile = cg::tiled_partition<16>(cg::this_thread_block());
	s[TID] = TID;                       // other tile_too_small
	tile.sync();
	out[TID] = s[TID ^ 16];             // here tile_too_small
}
TEST(tile_too_small) { tile_too_small_k<<<1, N>>>(zeros()); }

// bug coalesced_old: do not arrive
__global__ void coalesced_old_k(int *out)
{
	auto g = cg::coalesced_threads();
	int x = TID;
	if (TID & 1)
		x = g.shfl(x, 0);           // here coalesced_old
	out[TID] = x;
}
TEST(coalesced_old) { coalesced_old_k<<<1, 32>>>(zeros()); }

// bug loop_mask: do not arrive
__global__ void loop_mask_k(int *out)
{
	int sum = 0;
	for (int i = TID; i < 100; i += 32)
		sum += __shfl_xor_sync(~0u, i, 1); // here loop_mask
	out[TID] = sum;
}
TEST(loop_mask) { loop_mask_k<<<1, 32>>>(zeros()); }

// bug loop_trips: barrier after an early return
__global__ void loop_trips_k(int *out)
{
	for (int i = 0; i < TID % 4; i++) {
		out[TID] += i;
		__syncthreads();            // here loop_trips
	}
}
TEST(loop_trips) { loop_trips_k<<<1, N>>>(zeros()); }

// bug two_names: can never fill
__global__ void two_names_k(int *out)
{
	if (WARP == 0)
		asm volatile("bar.sync 1, 64;" ::: "memory"); // here two_names
	else
		asm volatile("bar.sync 2, 64;" ::: "memory");
	out[TID] = 1;
}
TEST(two_names) { two_names_k<<<1, 64>>>(zeros()); }

// bug token_unused: data race in shared memory
__global__ void token_unused_k(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	__shared__ int s[N];
	if (!TID)
		init(&b, N);
	__syncthreads();
	s[TID] = TID;                       // other token_unused
	auto t = b.arrive();
	out[TID] = s[N - 1 - TID];          // here token_unused
	b.wait(std::move(t));
}
TEST(token_unused) { token_unused_k<<<1, N>>>(zeros()); }

// bug arrives_twice: data race in shared memory
__global__ void arrives_twice_k(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	__shared__ int s[N];
	if (!TID)
		init(&b, N);
	__syncthreads();
	s[TID] = TID;
	(void)b.arrive();
	b.arrive_and_wait();
	out[TID] = s[N - 1 - TID];
}
TEST(arrives_twice) { arrives_twice_k<<<1, N>>>(zeros()); }

// bug barrier_of_fewer: data race in shared memory
__global__ void barrier_of_fewer_k(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	__shared__ int s[N];
	if (!TID)
		init(&b, N / 2);
	__syncthreads();
	s[TID] = TID;
	b.arrive_and_wait();
	out[TID] = s[N - 1 - TID];
}
TEST(barrier_of_fewer) { barrier_of_fewer_k<<<1, N>>>(zeros()); }

// bug wrong_parity: data race in shared memory
__global__ void wrong_parity_k(int *out)
{
	__shared__ unsigned long long b;
	__shared__ int s[N];
	unsigned at = (unsigned)__cvta_generic_to_shared(&b);
	if (!TID)
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(N) : "memory");
	__syncthreads();
	s[TID] = TID;
	asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at) : "memory");
	asm volatile("{ .reg .pred p; L%=: mbarrier.test_wait.parity.shared.b64 p, [%0], 1; @!p bra L%=; }" ::"r"(at) : "memory");
	out[TID] = s[N - 1 - TID];
}
TEST(wrong_parity) { wrong_parity_k<<<1, N>>>(zeros()); }

// bug mbarrier_raw: where no mbarrier is initialised
__global__ void mbarrier_raw_k(int *out)
{
	__shared__ unsigned long long b;
	unsigned at = (unsigned)__cvta_generic_to_shared(&b);
	asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at) : "memory"); // here mbarrier_raw
	out[TID] = 1;
}
TEST(mbarrier_raw) { mbarrier_raw_k<<<1, N>>>(zeros()); }

// bug mbarrier_stored: by thread 5 of block 0, used here
__global__ void mbarrier_stored_k(int *out)
{
	__shared__ unsigned long long b;
	unsigned at = (unsigned)__cvta_generic_to_shared(&b);
	if (!TID)
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(N) : "memory");
	__syncthreads();
	if (TID == 5)
		*(volatile unsigned long long *)&b = 0; // other mbarrier_stored
	__syncthreads();
	asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(at) : "memory"); // here mbarrier_stored
	out[TID] = 1;
}
TEST(mbarrier_stored) { mbarrier_stored_k<<<1, N>>>(zeros()); }

// ---- locks ----

// bug lock_kept: nothing can go on
__global__ void lock_kept_k(int *d)
{
	if (!TID) {
		while (atomicCAS(&lock_word, 0, 1)) // here lock_kept
			;
		__threadfence();
		d[0]++;
		if (d[0] == 1)
			return;
		__threadfence();
		atomicExch(&lock_word, 0);
	}
}
TEST(lock_kept) { lock_kept_k<<<2, 32>>>(zeros()); }

// bug locks_crossed: nothing can go on
__device__ int locks[2];
__global__ void locks_crossed_k(int *d)
{
	int a = BID & 1;
	while (atomicCAS(&locks[a], 0, 1))
		;
	atomicAdd(&d[0], 1);
	while (atomicAdd(&d[0], 0) < 2)
		;
	while (atomicCAS(&locks[1 - a], 0, 1)) // here locks_crossed
		;
	d[1] = 1;
}
TEST(locks_crossed) { locks_crossed_k<<<2, 1>>>(zeros()); }

// bug counter_then_read: one is atomic or volatile, the other is not
__global__ void counter_then_read_k(int *out)
{
	__shared__ int n;
	if (!TID)
		n = 0;
	__syncthreads();
	if (TID & 1)
		atomicAdd(&n, 1);           // other counter_then_read
	out[TID] = n;                       // here counter_then_read
}
TEST(counter_then_read) { counter_then_read_k<<<1, N>>>(zeros()); }

// bug in_place_stencil: data race in global memory
__global__ void in_place_stencil_k(int *d)
{
	int i = BID * N + TID;
	int x = i + 1 < (int)gridDim.x * N ? d[i + 1] : 0; // other in_place_stencil
	__syncthreads();
	d[i] += x;                          // here in_place_stencil
}
TEST(in_place_stencil) { in_place_stencil_k<<<4, N>>>(zeros()); }

// What a kernel reads and what it writes may be the same memory, whatever its parameters are called.
// bug aliased: data race in global memory
__global__ void shift_k(const int *from, int *to) { to[BID * N + TID] = from[BID * N + TID + 1]; } // here aliased
TEST(aliased)
{
	int *p = zeros();
	shift_k<<<4, N>>>(p, p);
}
// clean not_aliased
TEST(not_aliased) { shift_k<<<4, N>>>(zeros(), zeros()); }

// bug pointer_in_memory: data race in global memory
__global__ void pointer_in_memory_k(const int *from, int *const *to) { (*to)[BID * N + TID] = from[BID * N + TID + 1]; } // here pointer_in_memory
TEST(pointer_in_memory)
{
	int *p = zeros(), **at = (int **)zeros();
	cudaMemcpy(at, &p, sizeof p, cudaMemcpyHostToDevice);
	pointer_in_memory_k<<<4, N>>>(p, at);
}

// bug from_the_end: data race in global memory
__global__ void from_the_end_k(const int *from, int *end) { end[-1 - (BID * N + TID)] = from[BID * N + TID]; } // here from_the_end
TEST(from_the_end)
{
	int *p = zeros();
	from_the_end_k<<<8, N>>>(p, p + 1024);
}

// bug overlapping: data race in shared memory
__global__ void overlapping_k(int *out)
{
	extern __shared__ int mem[];
	int *a = mem, *b = mem + N / 2;
	a[TID] = TID;
	b[TID] = -TID;
	__syncthreads();
	out[TID] = a[TID] + b[TID];
}
TEST(overlapping) { overlapping_k<<<1, N, 8 * N>>>(zeros()); }

// bug storage_again: data race in shared memory
__global__ void storage_again_k(int *out)
{
	__shared__ union {
		int i[N];
		float f[N];
	} u;
	u.i[TID] = TID;
	__syncthreads();
	int x = u.i[N - 1 - TID];           // other storage_again
	u.f[TID] = 1.5f;                    // here storage_again
	__syncthreads();
	out[TID] = x + (int)u.f[N - 1 - TID];
}
TEST(storage_again) { storage_again_k<<<1, N>>>(zeros()); }

// bug uninit_tail: that nothing has written
__global__ void uninit_tail_k(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;
	__syncthreads();
	for (int k = N / 2; k; k /= 2) {
		if (TID < k)
			s[TID] += s[TID + k]; // here uninit_tail
		__syncthreads();
	}
	out[TID] = s[0];
}
TEST(uninit_tail) { uninit_tail_k<<<1, 96>>>(zeros()); }

// bug not_read_only: does not see what the kernel itself writes
__global__ void not_read_only_k(int *d)
{
	d[TID] = TID;                       // other not_read_only
	__syncthreads();
	d[N + TID] = __ldg(&d[N - 1 - TID]); // here not_read_only
}
TEST(not_read_only) { not_read_only_k<<<1, N>>>(zeros()); }

// bug matrix_race: data race in shared memory
__global__ void matrix_race_k(int *out)
{
	__shared__ half s[256];
	__shared__ float r[256];
	for (int i = TID; i < 256; i += 64)
		s[i] = __float2half(1.0f);  // other matrix_race
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
	if (WARP == 0) {
		wmma::load_matrix_sync(a, s, 16); // here matrix_race
		wmma::load_matrix_sync(b, s, 16);
		wmma::fill_fragment(c, 0.0f);
		wmma::mma_sync(c, a, b, c);
		wmma::store_matrix_sync(r, c, 16, wmma::mem_row_major);
		__syncwarp();
		out[TID] = (int)r[TID];
	}
}
TEST(matrix_race) { matrix_race_k<<<1, 64>>>(zeros()); }

// bug matrix_out: outside any allocation
__global__ void matrix_out_k(const half *m, float *out)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
	wmma::load_matrix_sync(a, m, 32);   // here matrix_out
	out[TID] = __half2float(a.x[0]);
}
TEST(matrix_out) { matrix_out_k<<<1, 32>>>((const half *)zeros(512), (float *)zeros()); }

// ---- memory ----

// bug free_middle: which malloc did not return
__device__ __noinline__ void free_too(int *p) { free(p); } // here free_middle
__global__ void free_middle_k(int *out)
{
	int *p = get(64);
	p[0] = 1;
	out[TID] = p[0];
	free_too(p + 4);
}
TEST(free_middle) { free_middle_k<<<1, 1>>>(zeros()); }

// bug free_foreign: which malloc did not return
__global__ void free_foreign_k(int *out) { free(out); } // here free_foreign
TEST(free_foreign) { free_foreign_k<<<1, 1>>>(zeros()); }

// bug freed_in_stream: in freed memory
__global__ void freed_k(int *p) { p[TID] = TID; } // here freed_in_stream
TEST(freed_in_stream)
{
	cudaStream_t a;
	int *p;
	cudaStreamCreate(&a);
	cudaMallocAsync(&p, 4096, a);
	cudaFreeAsync(p, a);
	freed_k<<<1, N, 0, a>>>(p);
}

// bug dangling: in the frame of a function that has returned
__device__ __noinline__ int *dangle(int n)
{
	int a[8];
	for (int i = 0; i < 8; i++)
		a[i] = n * i;
	int *volatile p = a;
	return p;
}
__device__ __noinline__ int use(int *p, int i) { return p[i]; } // here dangling
__global__ void dangling_k(int *out)
{
	int *p = dangle(TID);
	out[TID] = use(p, TID & 7);
}
TEST(dangling) { dangling_k<<<1, 32>>>(zeros()); }

// bug misaligned_vector: which is not a multiple of
__global__ void misaligned_vector_k(const float *in, float4 *out) { out[TID] = *(const float4 *)(in + 1 + 4 * TID); } // here misaligned_vector
TEST(misaligned_vector) { misaligned_vector_k<<<1, 32>>>((const float *)zeros(), (float4 *)zeros()); }

// bug misaligned_shared: multiple of 8
__global__ void misaligned_shared_k(int *out)
{
	__shared__ int s[N + 4];
	s[TID] = TID;
	__syncthreads();
	int2 v = *(int2 *)(s + (TID | 1)); // here misaligned_shared
	out[TID] = v.x + v.y;
}
TEST(misaligned_shared) { misaligned_shared_k<<<1, 64>>>(zeros()); }

// bug misaligned_atomic: multiple of 4
__global__ void misaligned_atomic_k(char *p) { atomicAdd((int *)(p + 2), 1); } // here misaligned_atomic
TEST(misaligned_atomic) { misaligned_atomic_k<<<1, 32>>>((char *)zeros()); }

// bug param_over: at parameter address
struct big { int a[4]; int b; };
__global__ void param_over_k(big p, int *out, int n) { out[TID] = p.a[TID + n]; } // here param_over
TEST(param_over) { big b = {}; param_over_k<<<1, 32>>>(b, zeros(), 30); }

// bug surface_over: outside the surface
__global__ void surface_over_k(cudaSurfaceObject_t s) { surf2Dwrite(TID, s, TID * 4, 9); } // here surface_over
TEST(surface_over)
{
	cudaArray_t a;
	cudaChannelFormatDesc d = cudaCreateChannelDesc<int>();
	cudaMallocArray(&a, &d, 32, 8, cudaArraySurfaceLoadStore);
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	cudaSurfaceObject_t s;
	cudaCreateSurfaceObject(&s, &r);
	surface_over_k<<<1, 32>>>(s);
}

// bug host_vtable: an address of the host's memory
struct base { __host__ __device__ virtual int f(int x) { return x; } };
struct derived : base { int k; __host__ __device__ int f(int x) override { return x * k; } };
__global__ void host_vtable_k(base *b, int *out) { out[TID] = b->f(TID); } // here host_vtable
TEST(host_vtable)
{
	derived d;
	d.k = 3;
	void *p = zeros();
	cudaMemcpy(p, &d, sizeof d, cudaMemcpyHostToDevice);
	host_vtable_k<<<1, 32>>>((base *)p, zeros());
}

// bug null_function: which is not a function
__device__ int (*volatile func)(int);
__global__ void null_function_k(int *out) { out[TID] = func(TID); } // here null_function
TEST(null_function) { null_function_k<<<1, 32>>>(zeros()); }

// bug asserted: out[TID] == 1
__global__ void asserted_k(int *out) { assert(out[TID] == 1); } // here asserted
TEST(asserted) { asserted_k<<<1, 32>>>(zeros()); }

// bug index_overflow: outside any allocation
__global__ void index_overflow_k(int *out, int big) { out[big * (TID + 1)] = 1; } // here index_overflow
TEST(index_overflow) { index_overflow_k<<<1, 32>>>(zeros(), 1 << 30); }

// bug before_start: 4 bytes before the nearest allocation
__global__ void before_start_k(int *out) { out[TID - 1] = 1; } // here before_start
TEST(before_start) { before_start_k<<<1, 32>>>(zeros()); }

// bug far_below: 8589934588 bytes before the nearest allocation
__global__ void far_below_k(int *out, int at) { out[at] = 1; } // here far_below
TEST(far_below) { far_below_k<<<1, 1>>>(zeros(), -2147483647); }

// bug two_dims: outside any allocation
__global__ void two_dims_k(int *d, int w, int h)
{
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	if (x <= w && y <= h)
		d[y * w + x] = 1;           // here two_dims
}
TEST(two_dims) { two_dims_k<<<dim3(3, 3), dim3(16, 16)>>>(zeros(40 * 40 * 4), 40, 40); }

// ---- calls ----

__global__ void nothing_k(int *) {}
// bug launch_too_big: cudaLaunchKernel at
TEST(launch_too_big) { nothing_k<<<1, 2048>>>(zeros()); } // other launch_too_big
// bug launch_too_shared: cudaLaunchKernel at
TEST(launch_too_shared) { nothing_k<<<1, 32, 1 << 20>>>(zeros()); } // other launch_too_shared
// bug launch_empty: cudaLaunchKernel at
TEST(launch_empty) { nothing_k<<<0, 32>>>(zeros()); } // other launch_empty
// bug wrong_direction: cudaMemcpy at
TEST(wrong_direction)
{
	static int h[N];
	cudaMemcpy(h, zeros(), sizeof h, cudaMemcpyHostToDevice); // other wrong_direction
}
// bug fill_too_long: cudaMemset at
TEST(fill_too_long) { cudaMemset(zeros(), 0, 8192); } // other fill_too_long
// bug symbol_too_long: cudaMemcpyToSymbol at
TEST(symbol_too_long)
{
	static int h[64];
	cudaMemcpyToSymbol(table, h, sizeof h); // other symbol_too_long
}
// bug stream_gone: cudaLaunchKernel at
TEST(stream_gone)
{
	cudaStream_t a;
	cudaStreamCreate(&a);
	cudaStreamDestroy(a);
	nothing_k<<<1, 32, 0, a>>>(zeros()); // other stream_gone
}
// bug event_unrecorded: cudaEventElapsedTime at
TEST(event_unrecorded)
{
	cudaEvent_t a, b;
	float ms;
	cudaEventCreate(&a);
	cudaEventCreate(&b);
	cudaEventElapsedTime(&ms, a, b); // other event_unrecorded
}
// bug host_reads_device: device memory at
TEST(host_reads_device)
{
	volatile int *d = zeros();
	printf("%d\n", d[0]);               // other host_reads_device
}
// bug symbol_beside: cudaMemcpyFromSymbol at
__global__ void sets_flag_k() { flag = 1; } // here symbol_beside
TEST(symbol_beside)
{
	cudaStream_t a, b;
	int h;
	two_streams(&a, &b);
	sets_flag_k<<<1, 1, 0, a>>>();
	cudaMemcpyFromSymbol(&h, flag, sizeof h); // other symbol_beside
	cudaDeviceSynchronize();
}
// bug graph_beside: nothing orders
static void graph(bool ordered)
{
	cudaGraph_t g;
	cudaGraphExec_t e;
	cudaGraphNode_t n[2];
	int *p = zeros(), *out = zeros();
	cudaDeviceSynchronize();
	void *a0[] = {&p}, *a1[] = {&p, &out};
	cudaKernelNodeParams k = {};
	cudaGraphCreate(&g, 0);
	k.gridDim = dim3(1), k.blockDim = dim3(N);
	k.func = (void *)writes, k.kernelParams = a0;
	cudaGraphAddKernelNode(&n[0], g, 0, 0, &k);
	k.func = (void *)reads, k.kernelParams = a1;
	cudaGraphAddKernelNode(&n[1], g, n, ordered, &k);
	cudaGraphInstantiate(&e, g, 0, 0, 0);
	cudaGraphLaunch(e, 0);
}
TEST(graph_beside) { graph(false); }
// clean graph_in_order
TEST(graph_in_order) { graph(true); }

// ---- copies ----

// bug group_copy_early: has not waited
// clean group_copy
template <int waits> __global__ void group_copy_k(const int *in, int *out)
{
	__shared__ int s[N];
	auto b = cg::this_thread_block();
	cg::memcpy_async(b, s, in, sizeof s);
	if (waits)
		cg::wait(b);
	out[TID] = s[N - 1 - TID];          // here group_copy_early
	cg::wait(b);
}
TEST(group_copy_early) { group_copy_k<0><<<1, N>>>(zeros(), zeros()); }
TEST(group_copy) { group_copy_k<1><<<1, N>>>(zeros(), zeros()); }

// bug barrier_copy_early: asynchronous copy
// clean barrier_copy
template <int waits> __global__ void barrier_copy_k(const int *in, int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	__shared__ int s[N];
	if (!TID)
		init(&b, N);
	__syncthreads();
	cuda::memcpy_async(&s[TID], &in[TID], 4, b);
	if (waits)
		b.arrive_and_wait();
	else
		__syncthreads();
	out[TID] = s[N - 1 - TID];          // here barrier_copy_early
}
TEST(barrier_copy_early) { barrier_copy_k<0><<<1, N>>>(zeros(), zeros()); }
TEST(barrier_copy) { barrier_copy_k<1><<<1, N>>>(zeros(), zeros()); }

// bug pipe_unreleased: nothing can go on
// clean pipe
template <int released> __global__ void pipe_k(const int *in, int *out)
{
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	__shared__ int s[2][N];
	auto b = cg::this_thread_block();
	auto p = cuda::make_pipeline(b, &state);
	int sum = 0;
	for (int k = 0; k < 2; k++) {
		p.producer_acquire();
		cuda::memcpy_async(&s[k][TID], &in[k * N + TID], 4, p);
		p.producer_commit();
	}
	for (int k = 0; k < 6; k++) {
		p.consumer_wait();
		sum += s[k & 1][N - 1 - TID];
		if (released)
			p.consumer_release();
		if (k < 4) {
			p.producer_acquire();
			cuda::memcpy_async(&s[k & 1][TID], &in[k * N + TID], 4, p);
			p.producer_commit();
		}
	}
	out[TID] = sum;
}
TEST(pipe_unreleased) { pipe_k<0><<<1, N>>>(zeros(), zeros()); }
TEST(pipe) { pipe_k<1><<<1, N>>>(zeros(), zeros()); }

// bug copy_out: outside any allocation
__global__ void copy_out_k(const int *in, int *out)
{
	__shared__ int s[N];
	__pipeline_memcpy_async(&s[TID], &in[TID + 1], 4); // here copy_out
	__pipeline_commit();
	__pipeline_wait_prior(0);
	out[TID] = s[TID];
}
TEST(copy_out) { copy_out_k<<<1, N>>>(zeros(4 * N), zeros()); }

// ---- correct ----

// clean lock_in_warp
__global__ void lock_in_warp_k(int *d)
{
	while (atomicCAS(&lock_word, 0, 1))
		;
	__threadfence();
	d[0]++;
	__threadfence();
	atomicExch(&lock_word, 0);
}
TEST(lock_in_warp) { lock_in_warp_k<<<2, 32>>>(zeros()); }

// clean group_reduce
__global__ void group_reduce_k(int *out)
{
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	int x = cg::reduce(tile, TID, cg::plus<int>());
	if (TID & 1) {
		auto g = cg::coalesced_threads();
		x += cg::reduce(g, 1, cg::plus<int>());
	}
	out[BID * N + TID] = x;
}
TEST(group_reduce) { group_reduce_k<<<2, N>>>(zeros()); }

// clean ballot_masks
__global__ void ballot_masks_k(int *out)
{
	unsigned m = __ballot_sync(~0u, TID % 3 == 0);
	if (TID % 3 == 0) {
		int up = m & ~0u << LANE << 1;
		out[TID] = __shfl_sync(m, TID, up ? __ffs(up) - 1 : LANE);
	}
}
TEST(ballot_masks) { ballot_masks_k<<<1, N>>>(zeros()); }
// clean match_groups
__global__ void match_groups_k(int *out)
{
	int key = TID % 5;
	unsigned m = __match_any_sync(~0u, key);
	int leader = __ffs(m) - 1;
	int sum = __reduce_add_sync(m, TID);
	if (LANE == leader)
		atomicAdd(&out[key], sum);
	__syncwarp(m);
}
TEST(match_groups) { match_groups_k<<<2, N>>>(zeros()); }

// clean hash_table
__device__ int keys[256], vals[256];
__global__ void insert_k(int n)
{
	for (int i = BID * N + TID; i < n; i += N * gridDim.x) {
		int k = i % 40 + 1, h = k * 7 & 255;
		for (;; h = (h + 1) & 255) {
			int old = atomicCAS(&keys[h], 0, k);
			if (!old || old == k)
				break;
		}
		atomicAdd(&vals[h], 1);
	}
}
__global__ void lookup_k(int *out)
{
	int k = TID % 40 + 1, h = k * 7 & 255;
	while (keys[h] != k)
		h = (h + 1) & 255;
	out[TID] = vals[h];
}
TEST(hash_table)
{
	insert_k<<<4, N>>>(1000);
	lookup_k<<<1, N>>>(zeros());
}

// clean matrix_sync
__global__ void matrix_sync_k(int *out)
{
	__shared__ half s[256];
	__shared__ float r[256];
	for (int i = TID; i < 256; i += 64)
		s[i] = __float2half(1.0f);
	__syncthreads();
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
	if (WARP == 0) {
		wmma::load_matrix_sync(a, s, 16);
		wmma::load_matrix_sync(b, s, 16);
		wmma::fill_fragment(c, 0.0f);
		wmma::mma_sync(c, a, b, c);
		wmma::store_matrix_sync(r, c, 16, wmma::mem_row_major);
		__syncwarp();
		out[TID] = (int)r[TID];
	}
}
TEST(matrix_sync) { matrix_sync_k<<<1, 64>>>(zeros()); }

// clean dekker
__global__ void dekker_k(device_int *f, int *d)
{
	int me = BID;
	f[me].store(1);
	if (!f[1 - me].load()) {
		d[0] += 1;
	}
}
TEST(dekker) { dekker_k<<<2, 1>>>((device_int *)zeros(), zeros()); }

// clean treiber
__device__ int head, next_of[1024], payload[1024];
__global__ void push_k()
{
	int me = BID * N + TID + 1, h;
	payload[me] = me;
	do {
		h = *(volatile int *)&head;
		*(volatile int *)&next_of[me] = h;
		__threadfence();
	} while (atomicCAS(&head, h, me) != h);
}
__global__ void walk_k(int *out)
{
	int n = 0;
	for (int i = head; i; i = next_of[i])
		n += payload[i] > 0;
	out[TID] = n;
}
TEST(treiber)
{
	push_k<<<4, N>>>();
	walk_k<<<1, 32>>>(zeros());
}

// clean queue_tickets
__device__ unsigned tickets;
__device__ int slot_full[64], slot[64];
__global__ void queue_tickets_k(int *out)
{
	if (TID)
		return;
	if (BID < 4) {
		for (int k = 0; k < 4; k++) {
			unsigned t = atomicAdd(&tickets, 1u);
			slot[t] = BID * 10 + k;
			__threadfence();
			atomicExch(&slot_full[t], 1);
		}
	} else {
		for (int k = 0; k < 16; k++) {
			while (!atomicAdd(&slot_full[k], 0))
				;
			__threadfence();
			out[k] = slot[k];
		}
	}
}
TEST(queue_tickets) { queue_tickets_k<<<5, 32>>>(zeros()); }

// clean atomic_refs
__global__ void atomic_refs_k(int *d, int *out)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> r(d[0]);
	if (BID == 0 && !TID) {
		d[1] = 9;
		r.store(1, cuda::memory_order_release);
	}
	if (BID == 1 && !TID) {
		while (r.load(cuda::memory_order_acquire) != 1)
			;
		out[0] = d[1];
	}
}
TEST(atomic_refs) { atomic_refs_k<<<2, 32>>>(zeros(), zeros()); }

// clean pointers_down
__device__ __noinline__ void fill(int *p, int n, int x)
{
	for (int i = 0; i < n; i++)
		p[i] = x + i;
}
__global__ void pointers_down_k(int *out)
{
	int a[8], b[8];
	fill(a, 8, TID);
	fill(b, 8, -TID);
	out[TID] = a[TID & 7] + b[(TID + 1) & 7];
}
TEST(pointers_down) { pointers_down_k<<<1, N>>>(zeros()); }

// clean default_stream
TEST(default_stream)
{
	cudaStream_t a;
	int *p = zeros(), *out = zeros();
	cudaStreamCreate(&a);
	writes<<<1, N>>>(p);
	reads<<<1, N, 0, a>>>(p, out);
	writes<<<1, N>>>(p);
}

// clean block_scope_inside
__global__ void block_scope_inside_k(int *out)
{
	__shared__ int n;
	if (!TID)
		n = 0;
	__syncthreads();
	atomicAdd_block(&n, 1);
	atomicAdd_block(&out[BID], 1);
	__syncthreads();
	if (!TID)
		out[BID + 8] = n + out[BID];
}
TEST(block_scope_inside) { block_scope_inside_k<<<4, N>>>(zeros()); }

// clean barrier_tokens
__global__ void barrier_tokens_k(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
	__shared__ int s[64];
	if (!TID) {
		init(&full, 64);
		init(&empty, 64);
	}
	__syncthreads();
	if (TID < 32) {
		for (int k = 0; k < 4; k++) {
			empty.arrive_and_wait();
			s[TID] = k + TID;
			(void)full.arrive();
		}
	} else {
		(void)empty.arrive();
		for (int k = 0; k < 4; k++) {
			full.arrive_and_wait();
			out[TID] += s[63 - TID];
			(void)empty.arrive();
		}
	}
}
TEST(barrier_tokens) { barrier_tokens_k<<<1, 64>>>(zeros()); }

// clean param_inside
__global__ void param_inside_k(big p, int *out) { out[TID] = p.a[TID & 3] + p.b; }
TEST(param_inside) { big b = {}; param_inside_k<<<1, 32>>>(b, zeros()); }

MAIN
