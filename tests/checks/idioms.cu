// Well-known algorithms with one common mistake each, and their correct forms:
// tiles, scans, sorts, queues, hand-made barriers, sizes in the wrong unit, host and device pointers mixed up. Comments as in
// kernels.cu.
#include <cstdlib>
#include <cuda/barrier>
#include "programs.cuh"

// ---- a block's algorithms ----

// bug reduce_all_read: data race in shared memory
// clean reduce_all
template <int last> __global__ void reduce_k(int *out)
{
	__shared__ int s[N];
	s[TID] = TID;
	for (int d = N / 2; d; d /= 2) {
		__syncthreads();
		if (TID < d)
			s[TID] += s[TID + d]; // other reduce_all_read
	}
	if (last)
		__syncthreads();
	out[TID] = s[0];                    // here reduce_all_read
}
TEST(reduce_all_read) { reduce_k<0><<<1, N>>>(zeros()); }
TEST(reduce_all) { reduce_k<1><<<1, N>>>(zeros()); }

// bug scan_in_place: data race in shared memory
__global__ void scan_in_place_k(int *out)
{
	__shared__ int s[N];
	s[TID] = 1;
	__syncthreads();
	for (int d = 1; d < N; d *= 2) {
		if (TID >= d)
			s[TID] += s[TID - d]; // here scan_in_place
		__syncthreads();
	}
	out[TID] = s[TID];
}
TEST(scan_in_place) { scan_in_place_k<<<1, N>>>(zeros()); }

// clean scan_two_buffers
__global__ void scan_two_buffers_k(int *out)
{
	__shared__ int s[2][N];
	int b = 0;
	s[0][TID] = 1;
	__syncthreads();
	for (int d = 1; d < N; d *= 2, b ^= 1) {
		s[!b][TID] = s[b][TID] + (TID >= d ? s[b][TID - d] : 0);
		__syncthreads();
	}
	out[TID] = s[b][TID];
}
TEST(scan_two_buffers) { scan_two_buffers_k<<<1, N>>>(zeros()); }

// bug same_buffer: data race in shared memory
__global__ void same_buffer_k(int *out)
{
	__shared__ int s[2][N];
	int b = 0;
	s[0][TID] = TID;
	__syncthreads();
	for (int k = 0; k < 3; k++) {
		s[b][TID] = s[b][(TID + 32) % N] + 1; // here same_buffer
		b = !b && 0;
		__syncthreads();
	}
	out[TID] = s[b][TID];
}
TEST(same_buffer) { same_buffer_k<<<1, N>>>(zeros()); }

// bug sort_one_barrier: data race in shared memory
// clean sort_bitonic
template <int barrier> __global__ void sort_k(int *out)
{
	__shared__ int s[N];
	s[TID] = (TID * 37) % N;
	__syncthreads();
	for (int k = 2; k <= N; k *= 2)
		for (int j = k / 2; j; j /= 2) {
			int o = TID ^ j;
			if (o > TID && (s[TID] > s[o]) == !(TID & k)) { // here sort_one_barrier
				int t = s[TID];
				s[TID] = s[o];
				s[o] = t;
			}
			if (barrier || j > 32)
				__syncthreads();
		}
	__syncthreads();
	out[TID] = s[TID];
}
TEST(sort_one_barrier) { sort_k<0><<<1, N>>>(zeros()); }
TEST(sort_bitonic) { sort_k<1><<<1, N>>>(zeros()); }

// bug product_one_barrier: data race in shared memory
// clean product
template <int second> __global__ void product_k(const int *a, const int *b, int *c)
{
	__shared__ int x[8][8], y[8][8];
	int i = threadIdx.y, j = threadIdx.x, sum = 0;
	for (int t = 0; t < 2; t++) {
		x[i][j] = a[i * 16 + t * 8 + j];    // here product_one_barrier
		y[i][j] = b[(t * 8 + i) * 16 + j];
		__syncthreads();
		for (int k = 0; k < 8; k++)
			sum += x[i][k] * y[k][j];
		if (second)
			__syncthreads();
	}
	c[i * 16 + j] = sum;
}
TEST(product_one_barrier) { product_k<0><<<1, dim3(8, 8)>>>(zeros(), zeros(), zeros()); }
TEST(product) { product_k<1><<<1, dim3(8, 8)>>>(zeros(), zeros(), zeros()); }

// bug halo_missing: that nothing has written
// clean halo
template <int radius> __global__ void halo_k(const int *in, int *out)
{
	__shared__ int s[N + 4];
	s[TID + 2] = in[TID + 2];
	if (TID < radius) {
		s[TID] = in[TID];
		s[TID + 2 + N] = in[TID + 2 + N];
	}
	__syncthreads();
	out[TID] = s[TID] + s[TID + 4];     // here halo_missing
}
TEST(halo_missing) { halo_k<1><<<1, N>>>(zeros(), zeros()); }
TEST(halo) { halo_k<2><<<1, N>>>(zeros(), zeros()); }

// bug transpose_no_barrier: data race in shared memory
__global__ void transpose_no_barrier_k(int *out)
{
	__shared__ int t[8][9];
	t[threadIdx.y][threadIdx.x] = TID;  // other transpose_no_barrier
	out[threadIdx.y * 8 + threadIdx.x] = t[threadIdx.x][threadIdx.y]; // here transpose_no_barrier
}
TEST(transpose_no_barrier) { transpose_no_barrier_k<<<1, dim3(8, 8)>>>(zeros()); }

// bug bins_not_cleared: that nothing has written
__global__ void bins_not_cleared_k(int *out)
{
	__shared__ int bin[64];
	if (TID < 32)
		bin[TID] = 0;
	__syncthreads();
	atomicAdd(&bin[TID % 64], 1);       // here bins_not_cleared
	__syncthreads();
	if (TID < 64)
		out[TID] = bin[TID];
}
TEST(bins_not_cleared) { bins_not_cleared_k<<<1, N>>>(zeros()); }

// bug bins_added_early: one is atomic or volatile, the other is not
// clean bins
template <int barrier> __global__ void bins_k(int *out)
{
	__shared__ int bin[64];
	if (TID < 64)
		bin[TID] = 0;
	__syncthreads();
	atomicAdd(&bin[TID * 7 % 64], 1);   // other bins_added_early
	if (barrier)
		__syncthreads();
	if (TID < 64)
		atomicAdd(&out[TID], bin[TID]); // here bins_added_early
}
TEST(bins_added_early) { bins_k<0><<<2, N>>>(zeros()); }
TEST(bins) { bins_k<1><<<2, N>>>(zeros()); }

// bug next_read_late: data race in shared memory
// clean next_read
template <int second> __global__ void next_k(int *out)
{
	__shared__ int next;
	for (int k = 0; k < 3; k++) {
		if (!TID)
			next = atomicAdd(&out[0], 1); // here next_read_late
		__syncthreads();
		int i = next;               // other next_read_late
		if (second)
			__syncthreads();
		out[1 + TID] = i;
	}
}
TEST(next_read_late) { next_k<0><<<1, N>>>(zeros()); }
TEST(next_read) { next_k<1><<<1, N>>>(zeros()); }

// bug again_reset: data race in shared memory
__global__ void again_reset_k(int *out)
{
	__shared__ int again;
	int x = TID;
	do {
		if (!TID)
			again = 0;          // here again_reset
		__syncthreads();
		x -= 50;
		if (x > 0)
			atomicOr(&again, 1);
		__syncthreads();
	} while (again);                    // other again_reset
	out[TID] = x;
}
TEST(again_reset) { again_reset_k<<<1, N>>>(zeros()); }

// clean until_none
__global__ void until_none_k(int *out)
{
	int x = TID;
	while (__syncthreads_or(x > 0))
		x -= 50;
	out[TID] = x;
}
TEST(until_none) { until_none_k<<<1, N>>>(zeros()); }

// bug call_in_branch: barrier in divergent code
__device__ __noinline__ int all_meet(int *s)
{
	s[TID] = TID;
	__syncthreads();                    // other call_in_branch
	return s[0];
}
__global__ void call_in_branch_k(int *out)
{
	__shared__ int s[N];
	if (TID & 1)
		out[TID] = all_meet(s);
	else
		out[TID] = 0;
	__syncthreads();
}
TEST(call_in_branch) { call_in_branch_k<<<1, N>>>(zeros()); }

// bug case_barriers: barrier
__global__ void case_barriers_k(int *out)
{
	switch (WARP) {
	case 0: out[TID] = 1; __syncthreads(); __syncthreads(); break; // here case_barriers
	default: out[TID] = 2; __syncthreads(); break;
	}
}
TEST(case_barriers) { case_barriers_k<<<1, N>>>(zeros()); }

// bug shared_stays: in shared memory
__global__ void shared_first_k(int *out) { __shared__ int s[N]; s[TID] = out[TID]; __syncthreads(); out[TID] = s[N - 1 - TID]; }
__global__ void shared_stays_k(int *out) { __shared__ int s[N]; if (!out) s[TID] = 0; out[TID] = s[TID]; } // here shared_stays
TEST(shared_stays)
{
	int *p = zeros();
	shared_first_k<<<1, N>>>(p);
	shared_stays_k<<<1, N>>>(p);
}

// clean own_bytes
__global__ void own_bytes_k(int *out)
{
	__shared__ unsigned char s[N];
	s[TID] = (unsigned char)TID;
	((unsigned char *)out)[TID] = 7;
	__syncthreads();
	if (TID < 32)
		out[64 + TID] = ((int *)s)[TID];
}
TEST(own_bytes) { own_bytes_k<<<1, N>>>(zeros()); }

// clean warp_rows
__global__ void warp_rows_k(int *out)
{
	__shared__ int s[4][32];
	int x = TID;
	for (int d = 16; d; d /= 2) {
		s[WARP][LANE] = x;
		__syncwarp();
		x += s[WARP][LANE ^ d];
		__syncwarp();
	}
	out[TID] = x;
}
TEST(warp_rows) { warp_rows_k<<<1, N>>>(zeros()); }

// clean scan_shuffled
__global__ void scan_shuffled_k(int *out)
{
	__shared__ int sums[4];
	int x = TID;
	for (int d = 1; d < 32; d *= 2) {
		int y = __shfl_up_sync(~0u, x, d);
		if (LANE >= d)
			x += y;
	}
	if (LANE == 31)
		sums[WARP] = x;
	__syncthreads();
	for (int w = 0; w < WARP; w++)
		x += sums[w];
	out[TID] = x;
}
TEST(scan_shuffled) { scan_shuffled_k<<<1, N>>>(zeros()); }

// clean blocks_leave
__global__ void blocks_leave_k(int *out)
{
	__shared__ int s[N];
	if (BID > 1)
		return;
	s[TID] = TID;
	__syncthreads();
	out[BID * N + TID] = s[N - 1 - TID];
}
TEST(blocks_leave) { blocks_leave_k<<<4, N>>>(zeros()); }

// ---- between blocks ----

// bug tail_plain: data race in global memory
__global__ void tail_plain_k(int *queue, int *tail)
{
	if (TID % 8 == 0) {
		int at = (*tail)++;             // here tail_plain
		queue[at & 255] = TID;
	}
}
TEST(tail_plain) { tail_plain_k<<<2, N>>>(zeros(), zeros()); }

// bug barrier_no_fence: data race in global memory
// clean barrier_made
template <int fence> __device__ void meet(int *n, int all)
{
	__syncthreads();
	if (!TID) {
		if (fence)
			__threadfence();
		atomicAdd(n, 1);
		while (atomicAdd(n, 0) < all);
		if (fence)
			__threadfence();
	}
	__syncthreads();
}
__global__ void barrier_no_fence_k(int *p, int *n)
{
	p[BID * N + TID] = TID;             // other barrier_no_fence
	meet<0>(n, 4);
	p[1024 + BID * N + TID] = p[(BID + 1) % 4 * N + TID]; // here barrier_no_fence
}
__global__ void barrier_made_k(int *p, int *n)
{
	p[BID * N + TID] = TID;
	meet<1>(n, 4);
	int x = p[(BID + 1) % 4 * N + TID];
	meet<1>(n, 8);
	p[BID * N + TID] = x;
}
static void four_blocks(const void *k)
{
	int *p = zeros(1 << 14), *n = zeros();
	void *args[] = {&p, &n};
	cudaLaunchCooperativeKernel(k, dim3(4), dim3(N), args, 0, 0);
}
TEST(barrier_no_fence) { four_blocks((const void *)barrier_no_fence_k); }
TEST(barrier_made) { four_blocks((const void *)barrier_made_k); }

// bug barrier_not_reset: data race in global memory
__global__ void barrier_not_reset_k(int *p, int *n)
{
	meet<1>(n, 4);
	p[BID * N + TID] = TID;             // other barrier_not_reset
	meet<1>(n, 4);
	p[1024 + BID * N + TID] = p[(BID + 1) % 4 * N + TID]; // here barrier_not_reset
}
TEST(barrier_not_reset) { four_blocks((const void *)barrier_not_reset_k); }

// bug node_no_fence: data race in global memory
// clean node_fenced
struct node { int value; node *next; };
__device__ node *head;
template <int fence> __global__ void node_k(node *nodes, int *out)
{
	if (TID)
		return;
	if (!BID) {
		nodes[5].value = 7;         // other node_no_fence
		if (fence)
			__threadfence();
		atomicExch((unsigned long long *)&head, (unsigned long long)&nodes[5]);
	} else {
		node *p;
		while (!(p = (node *)atomicAdd((unsigned long long *)&head, 0)));
		if (fence)
			__threadfence();
		out[BID] = p->value;        // here node_no_fence
	}
}
TEST(node_no_fence) { node_k<0><<<2, 32>>>((node *)zeros(), zeros()); }
TEST(node_fenced) { node_k<1><<<2, 32>>>((node *)zeros(), zeros()); }

// bug ring_relaxed: data race in global memory
// clean ring
template <int ordered> __global__ void ring_k(int *ring, int *out, device_int *put, device_int *got)
{
	auto give = ordered ? cuda::memory_order_release : cuda::memory_order_relaxed;
	auto take = ordered ? cuda::memory_order_acquire : cuda::memory_order_relaxed;
	if (TID)
		return;
	for (int k = 0; k < 20; k++)
		if (!BID) {
			while (k - got->load(take) >= 4);
			ring[k % 4] = k;    // other ring_relaxed
			put->store(k + 1, give);
		} else {
			while (put->load(take) <= k);
			out[k] = ring[k % 4]; // here ring_relaxed
			got->store(k + 1, give);
		}
}
template <int ordered> static void ring()
{
	int *c = zeros();
	ring_k<ordered><<<2, 32>>>(zeros(), zeros(), (device_int *)c, (device_int *)(c + 32));
}
TEST(ring_relaxed) { ring<0>(); }
TEST(ring) { ring<1>(); }

// bug jacobi_one_array: data race in global memory
// clean jacobi
template <int apart> __global__ void jacobi_k(int *a, int *b)
{
	int i = 1 + BID * N + TID;
	for (int k = 0; k < 3; k++) {
		b[i] = (a[i - 1] + a[i + 1]) / 2; // here jacobi_one_array
		cg::this_grid().sync();
		int *t = a;
		a = b, b = apart ? t : a;
	}
}
TEST(jacobi_one_array)
{
	int *a = zeros(), *b = a;
	void *args[] = {&a, &b};
	cudaLaunchCooperativeKernel((const void *)jacobi_k<0>, dim3(4), dim3(N), args, 0, 0);
}
TEST(jacobi)
{
	int *a = zeros(), *b = zeros();
	void *args[] = {&a, &b};
	cudaLaunchCooperativeKernel((const void *)jacobi_k<1>, dim3(4), dim3(N), args, 0, 0);
}

// clean bits_set
__global__ void bits_set_k(unsigned *bits) { atomicOr(&bits[TID / 32], 1u << (TID & 31)); atomicOr(&bits[8], 1u); }
TEST(bits_set)
{
	unsigned *p = (unsigned *)zeros();
	bits_set_k<<<2, N>>>(p);
	reads<<<1, N>>>((int *)p, zeros());
}

// ---- sizes and addresses ----

// bug size_of_pointer: allocated by cudaMalloc at
TEST(size_of_pointer)
{
	int *p;
	cudaMalloc(&p, sizeof p);           // other size_of_pointer
	writes<<<1, N>>>(p);
}

// bug elements_not_bytes: outside any allocation
TEST(elements_not_bytes)
{
	int *p;
	cudaMalloc(&p, 100);                // other elements_not_bytes
	writes<<<1, 100>>>(p);
}

// bug vector_tail: outside any allocation
__global__ void vector_tail_k(const float4 *p, float *out) { float4 x = p[TID]; out[TID] = x.x + x.w; } // here vector_tail
TEST(vector_tail) { vector_tail_k<<<1, 32>>>((float4 *)zeros(126 * 4), (float *)zeros()); }

// bug grid_rounded_down: that nothing has written
__global__ void rounded_k(int *p, int n) { int i = BID * N + TID; if (i < n) p[i] = i; }
TEST(grid_rounded_down)
{
	int n = 300, *p;
	cudaMalloc(&p, n * sizeof *p);
	rounded_k<<<n / N, N>>>(p, n);
	reads<<<1, N>>>(p + n - N, zeros());
}

// bug pitch_in_elements: outside any allocation
__global__ void pitch_k(int *p, size_t pitch) { p[TID * pitch] = 1; } // here pitch_in_elements
TEST(pitch_in_elements)
{
	int *p;
	size_t pitch;
	cudaMallocPitch(&p, &pitch, 60 * sizeof *p, 32);
	pitch_k<<<1, 32>>>(p, pitch);
}

// bug signed_byte: before the nearest allocation
__global__ void signed_byte_k(const signed char *at, int *out) { out[at[TID]] = 1; } // here signed_byte
TEST(signed_byte)
{
	signed char *p = (signed char *)zeros();
	cudaMemset(p + 4, 0xff, 1);
	signed_byte_k<<<1, 32>>>(p, zeros());
}

// bug counts_below_zero: outside any allocation
__global__ void counts_below_zero_k(int *out, unsigned n)
{
	for (unsigned i = n - 1; i >= 0; i--)
		out[i] = 1;                 // here counts_below_zero
}
TEST(counts_below_zero) { counts_below_zero_k<<<1, 1>>>(zeros(), 4); }

// bug member_unset: that nothing has written
struct item { int key, value; };
__global__ void item_keys_k(item *p) { p[TID].key = TID; }
__global__ void item_values_k(const item *p, int *out) { out[TID] = p[TID].value; } // here member_unset
TEST(member_unset)
{
	item *p;
	cudaMalloc(&p, N * sizeof *p);
	item_keys_k<<<1, N>>>(p);
	item_values_k<<<1, N>>>(p, zeros());
}

// bug array_name: an address of the host's memory
__device__ int device_array[N];
__global__ void fills_k(int *p) { p[TID] = 1; } // here array_name
TEST(array_name) { int *volatile p = device_array; fills_k<<<1, N>>>(p); }

// bug captured_this: an address of the host's memory
struct scale {
	int factor = 3;
	void run(int *p);
};
template <class F> __global__ void for_each_k(int *p, F f) { p[TID] = f(p[TID]); }
void scale::run(int *p)
{
	for_each_k<<<1, N>>>(p, [=] __device__(int x) { return x * factor; });
}
TEST(captured_this) { static scale s; s.run(zeros()); }

// bug pointer_inside: an address of the host's memory
struct view { int *data; int n; };
__global__ void view_k(view v) { if (TID < v.n) v.data[TID] = 1; } // here pointer_inside
TEST(pointer_inside) { static int host[N]; view_k<<<1, N>>>(view{host, N}); }

// bug writes_constant: in constant memory (variable table)
__device__ __noinline__ void put_one(int *p) { *p = 1; } // here writes_constant
__global__ void writes_constant_k(int *out) { put_one(const_cast<int *>(&table[TID])); out[TID] = table[1]; }
TEST(writes_constant) { writes_constant_k<<<1, 16>>>(zeros()); }

// ---- calls ----

// bug free_inside: cudaFree at
TEST(free_inside) { int *p = zeros(); cudaFree(p + 1); } // other free_inside
// bug free_of_host: cudaFree at
TEST(free_of_host) { int *p = (int *)malloc(64); cudaFree(p); } // other free_of_host
// bug pitch_too_small: cudaMemcpy2D at
TEST(pitch_too_small)
{
	static int h[64];
	cudaMemcpy2D(h, 16, zeros(), 64, 32, 2, cudaMemcpyDeviceToHost); // other pitch_too_small
}
// bug too_many_cooperate: cudaLaunchCooperativeKernel at
TEST(too_many_cooperate)
{
	int *p = zeros(), *n = zeros();
	void *args[] = {&p, &n};
	cudaLaunchCooperativeKernel((const void *)barrier_made_k, dim3(100000), dim3(N), args, 0, 0); // other too_many_cooperate
}

// bug copy_not_waited: cudaMemcpy at
TEST(copy_not_waited)
{
	cudaStream_t a, b;
	static int host[N];
	int *p = zeros();
	cudaDeviceSynchronize();
	two_streams(&a, &b);
	writes<<<1, N, 0, a>>>(p);
	cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost); // other copy_not_waited
}

// bug event_elsewhere: in streams that nothing orders
// clean event_joins
static void forked(bool right)
{
	cudaStream_t a, b;
	cudaEvent_t e;
	int *p = zeros(), *out = zeros();
	cudaDeviceSynchronize();
	two_streams(&a, &b);
	cudaEventCreate(&e);
	writes<<<1, N, 0, a>>>(p);
	cudaEventRecord(e, right ? a : b);
	cudaStreamWaitEvent(b, e, 0);
	reads<<<1, N, 0, b>>>(p, out);
}
TEST(event_elsewhere) { forked(false); }
TEST(event_joins) { forked(true); }

// bug capture_apart: nothing orders
// clean capture_joined
static void captured(bool joined)
{
	cudaStream_t a, b;
	cudaEvent_t fork, join;
	cudaGraph_t g;
	cudaGraphExec_t e;
	int *p = zeros(), *out = zeros();
	cudaDeviceSynchronize();
	two_streams(&a, &b);
	cudaEventCreate(&fork), cudaEventCreate(&join);
	cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
	cudaEventRecord(fork, a);
	cudaStreamWaitEvent(b, fork, 0);
	writes<<<1, N, 0, b>>>(p);
	cudaEventRecord(join, b);
	if (joined)
		cudaStreamWaitEvent(a, join, 0);
	reads<<<1, N, 0, a>>>(p, out);
	if (!joined)
		cudaStreamWaitEvent(a, join, 0);
	cudaStreamEndCapture(a, &g);
	cudaGraphInstantiate(&e, g, 0, 0, 0);
	cudaGraphLaunch(e, a);
	cudaStreamSynchronize(a);
}
TEST(capture_apart) { captured(false); }
TEST(capture_joined) { captured(true); }

// bug graph_copy: cudaGraphAddMemcpyNode1D at
// bug graph_fill: cudaGraphAddMemsetNode at
// clean graph_copy_after
static void graph_of(bool fill, bool ordered)
{
	cudaGraph_t g;
	cudaGraphExec_t e;
	cudaGraphNode_t n[2];
	int *p = zeros();
	static int host[N];
	cudaDeviceSynchronize();
	void *args[] = {&p};
	cudaKernelNodeParams k = {};
	cudaMemsetParams m = {};
	cudaGraphCreate(&g, 0);
	k.gridDim = dim3(1), k.blockDim = dim3(N), k.func = (void *)writes, k.kernelParams = args;
	m.dst = p, m.elementSize = 4, m.width = N, m.height = 1;
	cudaGraphAddKernelNode(&n[0], g, 0, 0, &k);
	if (fill)
		cudaGraphAddMemsetNode(&n[1], g, n, ordered, &m); // other graph_fill
	else
		cudaGraphAddMemcpyNode1D(&n[1], g, n, ordered, host, p, sizeof host, cudaMemcpyDeviceToHost); // other graph_copy
	cudaGraphInstantiate(&e, g, 0, 0, 0);
	cudaGraphLaunch(e, 0);
}
TEST(graph_copy) { graph_of(false, false); }
TEST(graph_fill) { graph_of(true, false); }
TEST(graph_copy_after) { graph_of(false, true); }

// ---- another thread's local variable ----

// bug local_of_another: a local variable of thread 3
// clean local_of_its_own
template <int own> __global__ void local_of_k(int *out)
{
	__shared__ int *at[N];
	int mine[4] = {TID, TID + 1, TID + 2, out[N]};
	at[TID] = mine;
	__syncthreads();
	int *p = at[own ? TID : 3];         // here local_of_another
	out[TID] = p[out[N + 1]] + mine[out[N + 2]];
}
TEST(local_of_another) { local_of_k<0><<<1, N>>>(zeros()); }
TEST(local_of_its_own) { local_of_k<1><<<1, N>>>(zeros()); }

MAIN
