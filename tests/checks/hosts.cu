// Programs with one bug each on the host's side, and similar correct programs: memory that is not set before it is read, host pointers on the
// device and vice versa, managed variables and host functions beside kernels, work of two streams. Comments as in kernels.cu.
#include <vector>
#include "programs.cuh"

// bug copied_unset: that nothing has written
TEST(copied_unset)
{
	int *a, *b;
	cudaMalloc(&a, 4096);
	cudaMalloc(&b, 4096);
	cudaMemcpy(b, a, 4096, cudaMemcpyDeviceToDevice);
	reads<<<1, N>>>(b, zeros());
}

// bug memset_part: that nothing has written
TEST(memset_part)
{
	int *a;
	cudaMalloc(&a, 4096);
	cudaMemset(a, 0, 64);   // elements, not bytes
	reads<<<1, N>>>(a, zeros());
}

// bug realloc_stale: that nothing has written
TEST(realloc_stale)
{
	int *a = zeros(), *b;
	cudaFree(a);
	cudaMalloc(&b, 4096);   // the address of the freed block
	reads<<<1, N>>>(b, zeros());
}

// bug pool_stale: that nothing has written
TEST(pool_stale)
{
	int *a, *b;
	cudaMallocAsync(&a, 4096, 0);
	writes<<<1, N>>>(a);
	cudaFreeAsync(a, 0);
	cudaMallocAsync(&b, 4096, 0);
	reads<<<1, N>>>(b, zeros());
}

// clean managed_set_by_host
TEST(managed_set_by_host)
{
	int *a;
	cudaMallocManaged(&a, 4096);
	for (int i = 0; i < N; i++)
		a[i] = i;
	reads<<<1, N>>>(a, zeros());
}

// bug pitched_gap: that nothing has written
__global__ void pitched_gap_k(const char *p, size_t pitch, int *out)
{
	const int *row = (const int *)(p + 2 * pitch);
	out[TID] = row[TID];                // here pitched_gap
}
TEST(pitched_gap)
{
	char *p;
	size_t pitch;
	int h[4][20] = {};
	cudaMallocPitch(&p, &pitch, 80, 4);
	cudaMemcpy2D(p, pitch, h, 80, 80, 4, cudaMemcpyHostToDevice);
	pitched_gap_k<<<1, 32>>>(p, pitch, zeros());
}
__device__ int acc_zero[32];

// clean device_zero
__global__ void device_zero_k(int *out) { acc_zero[TID] += 1; out[TID] = acc_zero[TID]; }
TEST(device_zero) { device_zero_k<<<1, 32>>>(zeros()); }

struct desc { int n; int *data; };

// bug desc_host: an address of the host's memory
__global__ void desc_host_k(const desc *d, int *out) { out[TID] = d->data[TID]; } // here desc_host
TEST(desc_host)
{
	std::vector<int> v(64);
	desc h = {64, v.data()}, *d = (desc *)zeros();
	cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
	desc_host_k<<<1, 32>>>(d, zeros());
	cudaDeviceSynchronize();
}

// bug struct_on_host: an address of the host's memory
TEST(struct_on_host)
{
	desc h = {64, zeros()};
	desc_host_k<<<1, 32>>>(&h, zeros());
	cudaDeviceSynchronize();
}
__device__ int sym[32];

// bug symbol_as_pointer: an address of the host's memory
TEST(symbol_as_pointer)
{
	reads<<<1, 32>>>(sym, zeros());
	cudaDeviceSynchronize();
}

// bug symbol_memcpy: cudaMemcpy at
TEST(symbol_memcpy)
{
	int h[32] = {};
	cudaMemcpy(sym, h, sizeof h, cudaMemcpyHostToDevice); // other symbol_memcpy
}
static void CUDART_CB adds_up(void *p)
{
	volatile int *q = (int *)p;
	q[1] = q[0] + 1; // other host_func_reads
}
__global__ void fills(int *p) { p[TID] = TID; } // here host_func_reads

// bug host_func_reads: read by the host at
TEST(host_func_reads)
{
	cudaStream_t a, b;
	int *m;
	two_streams(&a, &b);
	cudaMallocManaged(&m, 4096);
	memset(m, 0, 4096);
	fills<<<1, N, 0, a>>>(m);
	cudaLaunchHostFunc(b, adds_up, m);
	cudaDeviceSynchronize();
}

// clean host_func_ordered
TEST(host_func_ordered)
{
	cudaStream_t a, b;
	int *m;
	two_streams(&a, &b);
	cudaMallocManaged(&m, 4096);
	memset(m, 0, 4096);
	fills<<<1, N, 0, a>>>(m);
	cudaLaunchHostFunc(a, adds_up, m);
	cudaStreamSynchronize(a);
	m[0] = 2;
	cudaDeviceSynchronize();
}

// bug host_func_pinned: which may be under way, read by the host at
TEST(host_func_pinned)
{
	cudaStream_t a, b;
	int *m, *d = zeros();
	two_streams(&a, &b);
	cudaMallocHost(&m, 4096);
	memset(m, 0, 4096);
	cudaDeviceSynchronize();
	cudaMemcpyAsync(m, d, 4096, cudaMemcpyDeviceToHost, a); // other host_func_pinned
	cudaLaunchHostFunc(b, adds_up, m);
	cudaDeviceSynchronize();
}
__device__ __managed__ int mv[64], mflag;
__global__ void sets_mv() { mv[TID & 63] = TID; } // here managed_var_read

// bug managed_var_read: read by the host at
TEST(managed_var_read)
{
	sets_mv<<<1, 64>>>();
	volatile int x = mv[3];             // other managed_var_read
	cudaDeviceSynchronize();
}

// bug managed_var_write: (mv, byte 12 of 256): written here, written by the host at
TEST(managed_var_write)
{
	sets_mv<<<1, 64>>>();
	mv[3] = 1;                          // other managed_var_write
	cudaDeviceSynchronize();
}

// clean managed_var_waits
TEST(managed_var_waits)
{
	mv[0] = 1;
	sets_mv<<<1, 64>>>();
	cudaDeviceSynchronize();
	mv[3] += 1;
}

// clean managed_var_other
TEST(managed_var_other)
{
	sets_mv<<<1, 64>>>();
	mflag = 3;
	cudaDeviceSynchronize();
}

// bug async_free_then_use: in freed memory
TEST(async_free_then_use)
{
	int *p, *out = zeros();
	cudaStream_t s;
	cudaStreamCreate(&s);
	cudaMallocAsync(&p, 4096, s);
	writes<<<1, N, 0, s>>>(p);
	cudaFreeAsync(p, s);                // other async_free_then_use
	reads<<<1, N, 0, s>>>(p, out);
}

// bug malloc_null: a null pointer
__global__ void malloc_null_k(int *out)
{
	int *p = get(1 << 30);
	p[TID] = 1;                         // here malloc_null
	out[TID] = p[TID];
	put(p);
}
TEST(malloc_null) { malloc_null_k<<<1, 1>>>(zeros()); }

// bug delete_array: freed already
__global__ void free_by_all_k(int **slot)
{
	if (!TID)
		*slot = get(64);
	__syncthreads();
	put(*slot);
}
TEST(delete_array) { free_by_all_k<<<1, 4>>>((int **)zeros()); }

// bug host_of_device_malloc: cudaFree at
__global__ void heap_ptr_k(int **slot) { *slot = get(64); }
TEST(host_of_device_malloc)
{
	int **slot = (int **)zeros(), *p;
	heap_ptr_k<<<1, 1>>>(slot);
	cudaMemcpy(&p, slot, sizeof p, cudaMemcpyDeviceToHost);
	cudaFree(p);                        // other host_of_device_malloc
}

// bug copy_device_heap: cudaMemcpy at
TEST(copy_device_heap)
{
	int **slot = (int **)zeros(), *p, h[16];
	heap_ptr_k<<<1, 1>>>(slot);
	cudaMemcpy(&p, slot, sizeof p, cudaMemcpyDeviceToHost);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); // other copy_device_heap
}
__constant__ int cc[16];
__global__ void reads_const(int *out) { out[TID] = cc[TID & 15]; } // here constant_changed

// bug constant_changed: data race in constant memory
TEST(constant_changed)
{
	cudaStream_t a, b;
	int h[16] = {1}, *out = zeros();
	two_streams(&a, &b);
	cudaDeviceSynchronize();
	reads_const<<<1, 64, 0, a>>>(out);
	cudaMemcpyToSymbolAsync(cc, h, sizeof h, 0, cudaMemcpyHostToDevice, b); // other constant_changed
	cudaDeviceSynchronize();
}
__global__ void reads_const1(int *out) { out[TID] = cc[3]; } // here constant_fixed

// bug constant_fixed: written by cudaMemcpyToSymbolAsync at
TEST(constant_fixed)
{
	cudaStream_t a, b;
	int h[16] = {1}, *out = zeros();
	two_streams(&a, &b);
	cudaDeviceSynchronize();
	reads_const1<<<1, 64, 0, a>>>(out);
	cudaMemcpyToSymbolAsync(cc, h, sizeof h, 0, cudaMemcpyHostToDevice, b); // other constant_fixed
	cudaDeviceSynchronize();
}

// bug same_symbol_two: in streams that nothing orders
__device__ int total;
__global__ void adds_total() { total += 1; }
TEST(same_symbol_two)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	adds_total<<<1, 1, 0, a>>>();
	adds_total<<<1, 1, 0, b>>>();
}

// clean atomics_two_streams
__global__ void adds_atomic(int *p) { atomicAdd(p, 1); }
TEST(atomics_two_streams)
{
	cudaStream_t a, b;
	int *p = zeros();
	two_streams(&a, &b);
	cudaDeviceSynchronize();
	adds_atomic<<<1, 64, 0, a>>>(p);
	adds_atomic<<<1, 64, 0, b>>>(p);
}

// bug reads_atomics_two: in streams that nothing orders
TEST(reads_atomics_two)
{
	cudaStream_t a, b;
	int *p = zeros(), *out = zeros();
	two_streams(&a, &b);
	cudaDeviceSynchronize();
	adds_atomic<<<1, 64, 0, a>>>(p);
	reads<<<1, 1, 0, b>>>(p, out);
}

// bug memset_between: cudaMemsetAsync at
TEST(memset_between)
{
	cudaStream_t a, b;
	int *p = zeros();
	two_streams(&a, &b);
	cudaDeviceSynchronize();
	cudaMemsetAsync(p, 0, 4096, a);
	writes<<<1, N, 0, b>>>(p);
}

// bug unset_to_host: that nothing has written, by cudaMemcpy at
TEST(unset_to_host)
{
	int *p, h[N];
	cudaMalloc(&p, sizeof h);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost); // other unset_to_host
}

MAIN
