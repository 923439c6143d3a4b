// Programs that are correct except for one slip, and their correct forms: flags, copies, masks and counts that are
// slightly wrong, memory that was freed or never filled, work of two streams. Comments as in kernels.cu.
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda_pipeline.h>
#include "programs.cuh"

// ---- flags ----

// bug ref_relaxed: data race in global memory
// clean ref_released
template <bool orders> __global__ void ref_k(int *d)
{
	cuda::atomic_ref<int, cuda::thread_scope_device> ready(d[0]);
	if (BID == 0) {
		d[64] = 42;                 // other ref_relaxed
		ready.store(1, orders ? cuda::memory_order_release : cuda::memory_order_relaxed);
	} else {
		while (!ready.load(orders ? cuda::memory_order_acquire : cuda::memory_order_relaxed))
			;
		d[1] = d[64];               // here ref_relaxed
	}
}
TEST(ref_relaxed) { ref_k<false><<<2, 1>>>(zeros()); }
TEST(ref_released) { ref_k<true><<<2, 1>>>(zeros()); }

// A fence in front of what it should follow orders nothing.
// bug fence_early: data race in global memory
// clean fence_between
template <bool early> __global__ void fence_k(int *d)
{
	if (BID == 0) {
		if (early)
			__threadfence();
		d[64 + TID] = TID;          // other fence_early
		if (!early)
			__threadfence();
		__syncthreads();
		if (!TID)
			atomicExch(d, 1);
	} else {
		if (!TID)
			while (!atomicAdd(d, 0))
				;
		__syncthreads();
		__threadfence();
		d[256 + TID] = d[64 + TID]; // here fence_early
	}
}
TEST(fence_early) { fence_k<true><<<2, 64>>>(zeros()); }
TEST(fence_between) { fence_k<false><<<2, 64>>>(zeros()); }

// bug latch_short: data race in shared memory
// clean latch_full
template <int count> __global__ void latch_k(int *out)
{
	__shared__ cuda::latch<cuda::thread_scope_block> *l;
	__shared__ alignas(8) char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
	__shared__ int s[N];
	if (!TID)
		l = new (room) cuda::latch<cuda::thread_scope_block>(count);
	__syncthreads();
	s[TID] = TID;
	if (TID < count)
		l->count_down();
	l->wait();
	out[TID] = s[N - 1 - TID];
}
TEST(latch_short) { latch_k<N / 2><<<1, N>>>(zeros()); }
TEST(latch_full) { latch_k<N><<<1, N>>>(zeros()); }

// bug semaphore_of_two: data race in global memory
// clean semaphore_of_one
typedef cuda::counting_semaphore<cuda::thread_scope_device, 4> places;
__global__ void semaphore_init(places *s, int n) { new (s) places(n); }
__global__ void semaphore_k(places *s, int *d)
{
	s->acquire();
	d[0] += 1;                          // here semaphore_of_two
	s->release();
}
static void semaphore(int n)
{
	places *s = (places *)zeros();
	semaphore_init<<<1, 1>>>(s, n);
	semaphore_k<<<1, 8>>>(s, zeros());
}
TEST(semaphore_of_two) { semaphore(2); }
TEST(semaphore_of_one) { semaphore(1); }

// ---- asynchronous copies ----

// The last stage has no later copy after it, so that "all but one" waits for nothing.
// bug last_stage: which has not waited for its asynchronous copy
// clean every_stage
template <bool last> __global__ void stages_k(const int *in, int *out)
{
	__shared__ int s[2][N];
	__pipeline_memcpy_async(&s[0][TID], &in[TID], 4);
	__pipeline_commit();
	for (int k = 0; k < 4; k++) {
		if (k < 3)
			__pipeline_memcpy_async(&s[(k + 1) & 1][TID], &in[(k + 1) * N + TID], 4);
		if (last || k < 3)
			__pipeline_commit();
		__pipeline_wait_prior(1);
		__syncthreads();
		out[TID] += s[k & 1][N - 1 - TID]; // here last_stage
		__syncthreads();
	}
}
TEST(last_stage) { stages_k<false><<<1, N>>>(zeros(), zeros()); }
TEST(every_stage) { stages_k<true><<<1, N>>>(zeros(), zeros()); }

// The source of a copy under way is not to be written either.
// bug copied_from: asynchronous copy
// clean copied_before
template <bool waits> __global__ void copied_k(int *d, int *out)
{
	__shared__ int s[N];
	__pipeline_memcpy_async(&s[TID], &d[TID], 4); // other copied_from
	__pipeline_commit();
	if (waits)
		__pipeline_wait_prior(0);
	d[TID] = -1;                        // here copied_from
	__pipeline_wait_prior(0);
	out[TID] = s[TID];
}
TEST(copied_from) { copied_k<false><<<1, N>>>(zeros(), zeros()); }
TEST(copied_before) { copied_k<true><<<1, N>>>(zeros(), zeros()); }

// ---- warps and named barriers ----

// bug half_synced: __syncwarp() is missing
// clean half_inside
template <int far> __global__ void half_k(int *out)
{
	__shared__ int s[N];
	unsigned mask = LANE < 16 ? 0xffffu : 0xffff0000u;
	s[TID] = TID;                       // other half_synced
	__syncwarp(mask);
	out[TID] = s[TID ^ far];            // here half_synced
}
TEST(half_synced) { half_k<16><<<1, N>>>(zeros()); }
TEST(half_inside) { half_k<8><<<1, N>>>(zeros()); }

// What comes from lanes that are not there may be read, as long as it is not used.
// bug tail_sum: the shuffle reads one that has exited
// clean tail_masked
template <bool selects> __global__ void tail_k(int *out, int n)
{
	unsigned mask = selects ? __ballot_sync(~0u, TID < n) : ~0u;
	if (TID >= n)
		return;
	int x = TID;
	for (int k = 16; k; k /= 2) {
		int y = __shfl_down_sync(mask, x, k); // here tail_sum
		x += !selects || (LANE + k < 32 && TID + k < n) ? y : 0;
	}
	out[TID] = x;
}
TEST(tail_sum) { tail_k<false><<<1, N>>>(zeros(), 104); }
TEST(tail_masked) { tail_k<true><<<1, N>>>(zeros(), 104); }

// bug counts_differ: barrier 3
// clean counts_agree
template <int arrives, int waits> __global__ void counts_k(int *out)
{
	__shared__ int s[32];
	if (WARP == 0) {
		s[LANE] = LANE;
		asm volatile("bar.arrive 3, %0;" ::"n"(arrives) : "memory"); // other counts_differ
	} else if (WARP == 1) {
		asm volatile("bar.sync 3, %0;" ::"n"(waits) : "memory"); // here counts_differ
		out[LANE] = s[31 - LANE];
	}
}
TEST(counts_differ) { counts_k<96, 64><<<1, N>>>(zeros()); }
TEST(counts_agree) { counts_k<64, 64><<<1, N>>>(zeros()); }

// bug plane_race: by thread (0,1,0) of block (0,0,0)
// clean plane
template <bool waits> __global__ void plane_k(int *out)
{
	__shared__ int t[16][17];
	t[threadIdx.y][threadIdx.x] = out[threadIdx.y * 16 + threadIdx.x]; // other plane_race
	if (waits)
		__syncthreads();
	out[256 + threadIdx.y * 16 + threadIdx.x] = t[threadIdx.x][threadIdx.y]; // here plane_race
}
TEST(plane_race) { plane_k<false><<<dim3(1, 2), dim3(16, 16)>>>(zeros()); }
TEST(plane) { plane_k<true><<<1, dim3(16, 16)>>>(zeros()); }

// The compiler merges the code of two statements, which then has no line.
// bug bit_fields: (near
struct two_bits {
	unsigned a : 4, b : 4;
};
__global__ void bit_fields_k(two_bits *p)
{
	if (TID == 0)                       // here bit_fields
		p->a = 1;
	if (TID == 32)
		p->b = 2;
}
TEST(bit_fields) { bit_fields_k<<<1, 64>>>((two_bits *)zeros()); }

// ---- memory ----

// bug pad_read: that nothing has written
// clean pad_skipped
template <int width> __global__ void pad_k(int *out)
{
	extern __shared__ int mem[];
	int *tile = mem + 32;
	mem[LANE] = LANE;
	for (int y = 0; y < 32; y++)
		tile[y * 33 + LANE] = y;
	__syncwarp();
	int sum = 0;
	for (int x = 0; x < width; x++)
		sum += tile[LANE * 33 + x]; // here pad_read
	out[TID] = sum + mem[31 - LANE];
}
TEST(pad_read) { pad_k<33><<<1, 32, 4 * (32 + 32 * 33)>>>(zeros()); }
TEST(pad_skipped) { pad_k<32><<<1, 32, 4 * (32 + 32 * 33)>>>(zeros()); }

// bug odd_start: multiple of 8
// clean even_start
__global__ void carve_k(int *out, int n)
{
	extern __shared__ int mem[];
	double *d = (double *)(mem + n);
	d[TID] = TID;                       // here odd_start
	out[TID] = (int)d[TID];
}
TEST(odd_start) { carve_k<<<1, 32, 1024>>>(zeros(), 5); }
TEST(even_start) { carve_k<<<1, 32, 1024>>>(zeros(), 6); }

// bug managed_gone: in freed memory
// clean managed_kept
static void managed(bool gone)
{
	int *m;
	cudaMallocManaged(&m, 4096);
	memset(m, 0, 4096);
	if (gone)
		cudaFree(m); // other managed_gone
	reads<<<1, N>>>(m, zeros());
}
TEST(managed_gone) { managed(true); }
TEST(managed_kept) { managed(false); }

// bug list_gone: in freed memory
// clean list_kept
struct node {
	node *next;
	int value;
};
__global__ void list_k(const node *n, int *out)
{
	int sum = 0;
	for (; n; n = n->next)
		sum += n->value;            // here list_gone
	out[0] = sum;
}
static void walk(bool gone)
{
	node *a = (node *)zeros(sizeof *a), *b = (node *)zeros(sizeof *b), first = {b, 1};
	cudaMemcpy(a, &first, sizeof first, cudaMemcpyHostToDevice);
	if (gone)
		cudaFree(b); // other list_gone
	list_k<<<1, 1>>>(a, zeros());
}
TEST(list_gone) { walk(true); }
TEST(list_kept) { walk(false); }

// bug async_twice: cudaFreeAsync at
// clean async_once
static void give_back(bool twice)
{
	int *p;
	cudaMallocAsync(&p, 4096, 0);
	writes<<<1, N>>>(p);
	cudaFreeAsync(p, 0);
	if (twice)
		cudaFreeAsync(p, 0); // other async_twice
}
TEST(async_twice) { give_back(true); }
TEST(async_once) { give_back(false); }

// bug freed_then_waited: in freed memory
// clean waited_then_freed
static void free_early(bool early)
{
	cudaStream_t a, b;
	int *p, *out = zeros();
	two_streams(&a, &b);
	cudaMallocAsync(&p, 4096, a);
	writes<<<1, N, 0, a>>>(p);
	if (early)
		cudaFreeAsync(p, a); // other freed_then_waited
	cudaStreamSynchronize(a);
	reads<<<1, N, 0, b>>>(p, out);
	cudaStreamSynchronize(b);
	if (!early)
		cudaFreeAsync(p, a);
}
TEST(freed_then_waited) { free_early(true); }
TEST(waited_then_freed) { free_early(false); }

// bug inlined_over: bytes after the start of
// clean inlined_inside
__device__ __forceinline__ void fill(int *a, int from, int to)
{
	for (int i = from; i < to; i++)
		a[i] = i;                   // here inlined_over
}
__global__ void inlined_k(int *out, int n)
{
	int a[8];
	fill(a, 0, 8);
	fill(a, n - 2, n);
	out[TID] = a[out[TID] & 7];
}
TEST(inlined_over) { inlined_k<<<1, 32>>>(zeros(), 9); }
TEST(inlined_inside) { inlined_k<<<1, 32>>>(zeros(), 8); }

// Textures have a border: what lies outside is zero, not a bug.
// clean fetch_outside
__global__ void fetch_k(cudaTextureObject_t t, int *out, int n) { out[TID] = tex1Dfetch<int>(t, TID + n); }
TEST(fetch_outside)
{
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaTextureObject_t t = 0;
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = zeros();
	r.res.linear.desc = cudaCreateChannelDesc<int>();
	r.res.linear.sizeInBytes = 4 * N;
	cudaCreateTextureObject(&t, &r, &d, 0);
	fetch_k<<<1, N>>>(t, zeros(), 1);
}

// ---- streams and the host ----

__device__ int shared_result[N];
__global__ void gives() { shared_result[TID] = TID; } // other event_not_waited
__global__ void takes(int *out) { out[TID] = shared_result[TID]; } // here event_not_waited

// bug event_not_waited: in streams that nothing orders
// clean event_waited
static void pass_on(bool waits)
{
	cudaStream_t a, b;
	cudaEvent_t e;
	int *out = zeros();
	two_streams(&a, &b);
	cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
	cudaDeviceSynchronize();
	gives<<<1, N, 0, a>>>();
	cudaEventRecord(e, a);
	if (waits)
		cudaStreamWaitEvent(b, e, 0);
	takes<<<1, N, 0, b>>>(out);
}
TEST(event_not_waited) { pass_on(false); }
TEST(event_waited) { pass_on(true); }

// clean query_polled
static void query()
{
	cudaStream_t a, b;
	int *out = zeros();
	two_streams(&a, &b);
	cudaDeviceSynchronize();
	gives<<<1, N, 0, a>>>();
	while (cudaStreamQuery(a) == cudaErrorNotReady)
		;
	takes<<<1, N, 0, b>>>(out);
}
TEST(query_polled) { query(); }

// bug two_copies: written by cudaMemcpyAsync at
// clean two_copies_ordered
static void copy_twice(bool waits)
{
	cudaStream_t a, b;
	int *p = zeros(), *q = zeros(), *to = zeros();
	two_streams(&a, &b);
	cudaDeviceSynchronize();
	cudaMemcpyAsync(to, p, 4096, cudaMemcpyDeviceToDevice, a);
	if (waits)
		cudaStreamSynchronize(a);
	cudaMemcpyAsync(to + 256, q, 1024, cudaMemcpyDeviceToDevice, b); // other two_copies
	cudaDeviceSynchronize();
}
TEST(two_copies) { copy_twice(false); }
TEST(two_copies_ordered) { copy_twice(true); }

// bug fill_then_copy: read by cudaMemcpy2DAsync at
// clean fill_of_others
static void fill_rows(int column)
{
	cudaStream_t a, b;
	int *p = zeros(), *q;
	two_streams(&a, &b);
	cudaMallocHost(&q, 4096);
	cudaDeviceSynchronize();
	cudaMemset2DAsync((char *)p + column, 256, 1, 64, 16, a); // other fill_then_copy
	cudaMemcpy2DAsync(q, 64, (char *)p + 128, 256, 64, 16, cudaMemcpyDeviceToHost, b);
	cudaDeviceSynchronize();
}
TEST(fill_then_copy) { fill_rows(100); }
TEST(fill_of_others) { fill_rows(64); }

// bug symbol_copied: cudaMemcpyToSymbolAsync at
// clean symbol_in_order
static void symbol(bool same)
{
	cudaStream_t a, b;
	int *h, *out = zeros();
	two_streams(&a, &b);
	cudaMallocHost(&h, sizeof shared_result);
	memset(h, 0, sizeof shared_result);
	cudaDeviceSynchronize();
	cudaMemcpyToSymbolAsync(shared_result, h, sizeof shared_result, 0, cudaMemcpyHostToDevice, a); // other symbol_copied
	takes<<<1, N, 0, same ? a : b>>>(out);
	cudaDeviceSynchronize();
}
TEST(symbol_copied) { symbol(false); }
TEST(symbol_in_order) { symbol(true); }

// Managed memory that a structure in a parameter points to.
// bug managed_inside: written by the host at
// clean managed_inside_waits
struct vec {
	int n, *data;
};
__global__ void sums(vec v, int *out)
{
	int s = 0;
	for (int i = TID; i < v.n; i += N)
		s += v.data[i];             // here managed_inside
	out[TID] = s;
}
static void sum_inside(bool waits)
{
	vec v = {1024, nullptr};
	cudaMallocManaged(&v.data, 4096);
	memset(v.data, 0, 4096);
	sums<<<1, N>>>(v, zeros());
	if (waits)
		cudaDeviceSynchronize();
	v.data[5] = 1; // other managed_inside
	cudaDeviceSynchronize();
}
TEST(managed_inside) { sum_inside(false); }
TEST(managed_inside_waits) { sum_inside(true); }

// ---- results that depend on the first thread to arrive ----

// bug first_unfenced: nothing orders them
// reverse first_unfenced
__global__ void first_unfenced_k(int *data, int *out)
{
	if (BID) {
		while (atomicCAS(&lock_word, 0, 1))
			;
		__threadfence();
		data[0] = 2;                // other first_unfenced
		__threadfence();
		atomicExch(&lock_word, 0);
		out[1] = 1;
	} else {
		while (atomicCAS(&lock_word, 0, 1))
			;
		data[0] = 1;                // here first_unfenced
		__threadfence();
		atomicExch(&lock_word, 0);
	}
}
TEST(first_unfenced) { first_unfenced_k<<<2, 1>>>(zeros(), zeros()); }

// bug flag_ignored: nothing orders them
// reverse flag_ignored
__global__ void flag_ignored_k(int *data, int *out)
{
	if (BID == 0) {
		data[TID] = TID;            // here flag_ignored
		__threadfence();
		atomicExch(&flag, 1);
	} else if (atomicAdd(&flag, 0) >= 0) { // should be == 1
		__threadfence();
		out[TID] = data[TID];       // other flag_ignored
	}
}
TEST(flag_ignored) { flag_ignored_k<<<2, 1>>>(zeros(), zeros()); }

MAIN
