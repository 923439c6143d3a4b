// Errors that leave a trace in memory: atomics of several sizes, memory shared with the host that was never written, pointers that
// outlive their object, blocks of malloc that are freed too early. Comments as in kernels.cu; each is a function of the host.
#include <cstdlib>
#include <cuda/atomic>
#include "programs.cuh"
typedef unsigned long long word;

// ---- sizes ----

// bug wide_then_narrow: they have different sizes
__global__ void wide_then_narrow_k(word *d)
{
	if (TID)
		return;
	if (BID == 0)
		atomicAdd(d, 1ull);                    // other wide_then_narrow
	else
		atomicAdd((unsigned *)d, 1u);          // here wide_then_narrow
}
TEST(wide_then_narrow) { wide_then_narrow_k<<<2, 32>>>((word *)zeros()); }

// bug narrow_then_wide: they have different sizes
__global__ void narrow_then_wide_k(word *d)
{
	if (TID)
		return;
	if (BID == 1)
		atomicAdd(d, 1ull);                    // here narrow_then_wide
	else
		atomicAdd((unsigned *)d + 1, 1u);      // other narrow_then_wide
}
TEST(narrow_then_wide) { narrow_then_wide_k<<<2, 32>>>((word *)zeros()); }

// bug half_and_word: they have different sizes
__global__ void half_and_word_k(unsigned *d)
{
	if (TID)
		return;
	if (BID == 0)
		atomicCAS((unsigned short *)d, 0, 1);  // other half_and_word
	else
		atomicAdd(d, 1u);                      // here half_and_word
}
TEST(half_and_word) { half_and_word_k<<<2, 32>>>((unsigned *)zeros()); }

// bug sizes_shared: they have different sizes
__global__ void sizes_shared_k(word *d)
{
	__shared__ word s;
	if (TID == 0)
		s = 0;
	__syncthreads();
	if (TID == 1)
		atomicAdd(&s, 1ull);                   // other sizes_shared
	if (TID == 33)
		atomicAdd((unsigned *)&s, 1u);         // here sizes_shared
	__syncthreads();
	d[TID] = s;
}
TEST(sizes_shared) { sizes_shared_k<<<1, 64>>>((word *)zeros()); }

// bug reads_part: they have different sizes
__global__ void reads_part_k(word *d, int *out)
{
	if (TID)
		return;
	if (BID == 0)
		atomicAdd(d, 1ull);                    // other reads_part
	else
		out[0] = *(volatile int *)d;           // here reads_part
}
TEST(reads_part) { reads_part_k<<<2, 32>>>((word *)zeros(), zeros()); }

// clean sizes_apart
__global__ void sizes_apart_k(word *d)
{
	if (TID)
		return;
	if (BID == 0) {
		atomicAdd(d, 1ull);
	} else {
		atomicAdd((unsigned *)d + 2, 1u);
		atomicCAS((unsigned short *)d + 6, 0, 1);
		atomicCAS((unsigned short *)d + 7, 0, 1);
	}
}
TEST(sizes_apart) { sizes_apart_k<<<2, 32>>>((word *)zeros()); }

// clean sizes_ordered
__global__ void sizes_ordered_k(word *d)
{
	__shared__ union {
		unsigned half[2];
		word all;
	} s;
	if (TID == 0)
		s.all = 0;
	__syncthreads();
	atomicAdd(&s.half[TID & 1], 1u);
	__syncthreads();
	atomicAdd(&s.all, 1ull);
	__syncthreads();
	d[TID] = s.all;
}
TEST(sizes_ordered) { sizes_ordered_k<<<1, 64>>>((word *)zeros()); }

// clean packed_state
__global__ void packed_state_k(word *state, int *out)
{
	if (TID)
		return;
	int sum = BID + 1, before = 0;
	atomicExch(&state[BID], (BID ? 1ull : 2ull) << 32 | sum);
	for (int b = BID - 1; b >= 0;) {
		word x = *(volatile word *)&state[b];
		if (!(x >> 32))
			continue;
		before += (int)x;
		b = x >> 32 == 2 ? -1 : b - 1;
	}
	atomicExch(&state[BID], 2ull << 32 | (before + sum));
	out[BID] = before + sum;
}
TEST(packed_state) { packed_state_k<<<6, 32>>>((word *)zeros(), zeros()); }

// ---- memory that the host shares ----

__global__ void uses(const int *p, int *out)
{
	out[TID] = p[TID] + 1;                         // here managed_unset
}
static int *managed(size_t bytes = 4096)
{
	int *m;
	cudaMallocManaged(&m, bytes);
	return m;
}

// bug managed_unset: that nothing has written
TEST(managed_unset) { uses<<<1, 32>>>(managed(), zeros()); }

// bug managed_half: that nothing has written
TEST(managed_half)
{
	int *m = managed();
	memset(m, 0, 64);
	uses<<<1, 32>>>(m, zeros());
}

// bug managed_odd: that nothing has written
__global__ void even(int *m) { m[2 * TID] = 1; }
TEST(managed_odd)
{
	int *m = managed();
	even<<<1, 32>>>(m);
	uses<<<1, 64>>>(m, zeros());
}

// bug managed_added: that nothing has written
__global__ void adds(int *n) { atomicAdd(n, 1); }      // here managed_added
TEST(managed_added) { adds<<<1, 32>>>(managed()); }

// bug pinned_unset: that nothing has written
TEST(pinned_unset)
{
	int *h, *d = zeros();
	cudaMallocHost(&h, 4096);
	cudaMemcpy(d, h, 128, cudaMemcpyHostToDevice);
	uses<<<1, 32>>>(d, zeros());
}

// bug mapped_unset: that nothing has written
TEST(mapped_unset)
{
	int *h, *d;
	cudaHostAlloc(&h, 4096, cudaHostAllocMapped);
	cudaHostGetDevicePointer(&d, h, 0);
	uses<<<1, 32>>>(d, zeros());
}

// clean managed_contents
TEST(managed_contents)
{
	static const unsigned char value[] = {0, 0xff, 0xcd, 0x7f};
	int *m = managed();
	for (unsigned char v : value) {
		memset(m, v, 4096);
		uses<<<1, 32>>>(m, zeros());
		cudaDeviceSynchronize();
	}
}

// clean managed_by_turns
TEST(managed_by_turns)
{
	int *m = managed();
	even<<<1, 32>>>(m);
	cudaDeviceSynchronize();
	for (int i = 0; i < 32; i++)
		m[2 * i + 1] = i;
	uses<<<1, 64>>>(m, zeros());
}

// clean managed_read_in
__global__ void bytes(const char *p, int *out) { out[TID] = p[TID]; }
TEST(managed_read_in)
{
	char *m = (char *)managed(8192);
	FILE *f = fopen("/proc/self/exe", "rb");
	size_t n = fread(m, 1, 8189, f);
	fclose(f);
	bytes<<<1, 128>>>(m + n - 128, zeros());
}

// clean managed_otherwise
TEST(managed_otherwise)
{
	int *m = managed(), *k = managed();
	cudaMemcpy(m, zeros(), 4096, cudaMemcpyDefault);
	cudaMemset(k, 0, 4096);
	uses<<<1, 32>>>(m, k);
	uses<<<1, 32>>>(k, m);
}

// ---- pointers that a launch leaves in memory ----

struct holder {
	int *p, n;
};
__global__ void leaves_shared(holder *h, int *out)
{
	__shared__ int s[32];
	if (TID == 0)
		h->p = s;                              // other shared_outlived
	s[TID] = TID;
	__syncthreads();
	out[TID] = h->p[31 - TID];
}
__global__ void uses_left(const holder *h, int *out)
{
	out[TID] = h->p[TID];                          // here shared_outlived
}

// bug shared_outlived: is to a shared variable of leaves_shared
TEST(shared_outlived)
{
	holder *h = (holder *)zeros();
	leaves_shared<<<1, 32>>>(h, zeros());
	uses_left<<<1, 32>>>(h, zeros());
}

// bug local_outlived: is to a local variable of leaves_local
__global__ void leaves_local(holder *h, int n)
{
	int a[8];
	for (int i = 0; i < 8; i++)
		a[i] = i * n;
	if (TID == 0)
		h->p = a + n;                          // other local_outlived
}
__global__ void uses_local(const holder *h, int *out, int n)
{
	int a[8];
	for (int i = 0; i < 8; i++)
		a[i] = i * n;
	out[TID] = *h->p + a[n];                       // here local_outlived
}
TEST(local_outlived)
{
	holder *h = (holder *)zeros();
	leaves_local<<<1, 32>>>(h, 3);
	uses_local<<<1, 32>>>(h, zeros(), 2);
}

// clean shared_each_time
TEST(shared_each_time)
{
	holder *h = (holder *)zeros();
	for (int i = 0; i < 3; i++)
		leaves_shared<<<1, 32>>>(h, zeros());
}

// clean shared_replaced
TEST(shared_replaced)
{
	holder *h = (holder *)zeros();
	int *p = zeros();
	leaves_shared<<<1, 32>>>(h, zeros());
	cudaMemcpy(h, &p, sizeof p, cudaMemcpyHostToDevice);
	uses_left<<<1, 32>>>(h, zeros());
}

// clean shared_copied
__global__ void copies(holder *to, const holder *from) { *to = *from; }
TEST(shared_copied)
{
	holder *h = (holder *)zeros();
	leaves_shared<<<1, 32>>>(h, zeros());
	copies<<<1, 1>>>((holder *)zeros(), h);
}

// ---- malloc ----

__device__ __noinline__ void put_early(int *p) { free(p); } // here freed_in_use
__device__ int *shared_block(void)
{
	__shared__ int *p;
	if (TID == 0) {
		p = get(256);
		for (int i = 0; i < 64; i++)
			p[i] = i;
	}
	__syncthreads();
	return p;
}

// bug freed_in_use: freed here, read at
__global__ void freed_in_use_k(int *out)
{
	int *p = shared_block();
	out[TID] = p[TID];                             // other freed_in_use
	if (TID == 63)
		put_early(p);
}
TEST(freed_in_use) { freed_in_use_k<<<1, 64>>>(zeros()); }

// clean freed_behind
__global__ void freed_behind_k(int *out)
{
	int *p = shared_block();
	out[TID] = p[TID];
	__syncthreads();
	if (TID == 63)
		put(p);
}
TEST(freed_behind) { freed_behind_k<<<1, 64>>>(zeros()); }

// clean freed_by_last
__global__ void freed_by_last_k(int *out)
{
	__shared__ int users;
	if (TID == 0)
		users = 64;
	int *p = shared_block();
	out[TID] = p[TID];
	__threadfence();
	if (atomicSub(&users, 1) == 1) {
		__threadfence();
		put(p);
	}
}
TEST(freed_by_last) { freed_by_last_k<<<1, 64>>>(zeros()); }

// ---- constants ----

// bug constant_cast: in constant memory (variable table)
__global__ void constant_cast_k(int n)
{
	int *p = (int *)table;
	p[TID] = n;                                    // here constant_cast
}
TEST(constant_cast) { constant_cast_k<<<1, 4>>>(3); }

MAIN
