// Programs with one bug each and correct ones like them: textures and copies beside writes, tiles and chains of blocks, objects with pointers
// and virtual functions, calls with wrong sizes. Comments as in kernels.cu.
#include <cuda_pipeline.h>
#include "programs.cuh"

static cudaTextureObject_t tex_of(int *p, size_t n)
{
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaTextureObject_t t = 0;
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = p;
	r.res.linear.desc = cudaCreateChannelDesc<int>();
	r.res.linear.sizeInBytes = n;
	cudaCreateTextureObject(&t, &r, &d, 0);
	return t;
}
__global__ void tex_own_k(cudaTextureObject_t t, int *p, int *out)
{
	p[TID] = TID;                       // other tex_own
	__syncthreads();
	out[TID] = tex1Dfetch<int>(t, N - 1 - TID); // here tex_own
}

// bug tex_own: does not see what the kernel itself writes
TEST(tex_own)
{
	int *p = zeros();
	tex_own_k<<<1, N>>>(tex_of(p, 4 * N), p, zeros());
}
__global__ void tex_reads(cudaTextureObject_t t, int *out) { out[TID] = tex1Dfetch<int>(t, TID); } // here tex_beside

// bug tex_beside: cudaMemcpyAsync at
TEST(tex_beside)
{
	cudaStream_t a, b;
	int *p = zeros(), *q = zeros(), *out = zeros();
	two_streams(&a, &b);
	cudaDeviceSynchronize();
	tex_reads<<<1, N, 0, a>>>(tex_of(p, 4 * N), out);
	cudaMemcpyAsync(p, q, 4096, cudaMemcpyDeviceToDevice, b); // other tex_beside
}

// bug source_beside: cudaMemcpyAsync at
__global__ void source_k(const int *in, int *out)
{
	__shared__ int s[N];
	__pipeline_memcpy_async(&s[TID], &in[TID], 4); // here source_beside
	__pipeline_commit();
	__pipeline_wait_prior(0);
	out[TID] = s[TID];
}
TEST(source_beside)
{
	cudaStream_t a, b;
	int *p = zeros(), *q = zeros(), *out = zeros();
	two_streams(&a, &b);
	cudaDeviceSynchronize();
	source_k<<<1, N, 0, a>>>(p, out);
	cudaMemcpyAsync(p, q, 4096, cudaMemcpyDeviceToDevice, b); // other source_beside
}

// bug tex_uninit: nothing has written
TEST(tex_uninit)
{
	int *p;
	cudaMalloc(&p, 4096);
	tex_reads<<<1, N>>>(tex_of(p, 4 * N), zeros());
}

// clean tex_next_kernel
TEST(tex_next_kernel)
{
	int *p = zeros(), *out = zeros();
	cudaTextureObject_t t = tex_of(p, 4 * N);
	writes<<<1, N>>>(p);
	tex_reads<<<1, N>>>(t, out);
}

// bug vec_uninit_half: nothing has written
__global__ void vec_half_k(const int4 *p, int *out) { int4 v = p[TID]; out[TID] = v.x + v.w; } // here vec_uninit_half
TEST(vec_uninit_half)
{
	int *p;
	cudaMalloc(&p, 4096);
	cudaMemset(p, 0, 64);
	vec_half_k<<<1, 8>>>((int4 *)p, zeros());
}

// bug hist_warp: __syncwarp() is missing
__global__ void hist_warp_k(int *out)
{
	__shared__ int h[32];
	h[LANE] = 0;
	__syncwarp();
	atomicAdd(&h[LANE & 7], 1);         // other hist_warp
	out[TID] = h[LANE];                 // here hist_warp
}
TEST(hist_warp) { hist_warp_k<<<1, 32>>>(zeros()); }

// bug tile_reuse: data race in shared memory
__global__ void tile_reuse_k(const int *in, int *out)
{
	__shared__ int t[N + 2];
	int s = 0;
	for (int k = 0; k < 3; k++) {
		t[TID + 1] = in[k * N + TID]; // here tile_reuse
		if (TID == 0)
			t[0] = t[N + 1] = 0;
		__syncthreads();
		s += t[TID] + t[TID + 2];   // other tile_reuse
	}
	out[TID] = s;
}
TEST(tile_reuse) { tile_reuse_k<<<1, N>>>(zeros(), zeros()); }

// bug swizzle: data race in shared memory
__global__ void swizzle_k(int *out)
{
	__shared__ int t[32][32];
	int x = TID & 31, y = TID >> 5;
	t[y][(x ^ y) & 30] = TID;           // here swizzle
	__syncthreads();
	out[TID] = t[y][x & 30];
}
TEST(swizzle) { swizzle_k<<<1, N>>>(zeros()); }

// bug two_phase: data race in global memory
__global__ void two_phase_k(int *part, int *out)
{
	if (!TID)
		part[BID] = BID;
	__syncthreads();
	if (BID == gridDim.x - 1)
		out[TID] = part[TID % gridDim.x]; // here two_phase
}
TEST(two_phase) { two_phase_k<<<8, 32>>>(zeros(), zeros()); }

// bug transpose_in_place: data race in global memory
__global__ void transpose_in_place_k(int *a, int n)
{
	int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
	int t = a[y * n + x];
	a[x * n + y] = t;
}
TEST(transpose_in_place) { transpose_in_place_k<<<dim3(2, 2), dim3(8, 8)>>>(zeros(), 16); }

// bug chained: data race in global memory
__global__ void chained_k(int *sums, int *out)
{
	int base = BID ? sums[BID - 1] : 0; // here chained
	if (!TID)
		sums[BID] = base + 1;
	out[BID * 32 + TID] = base;
}
TEST(chained) { chained_k<<<4, 32>>>(zeros(), zeros()); }

// bug device_memset_over: outside any allocation
__global__ void device_memset_k(char *p, int n) { memset(p, 0, n); } // here device_memset_over
TEST(device_memset_over) { device_memset_k<<<1, 1>>>((char *)zeros(), 4097); }

// bug rows_too_many: cudaMemcpy2D at
TEST(rows_too_many)
{
	static char h[64 * 65];
	char *d = (char *)zeros();
	cudaMemcpy2D(h, 64, d, 64, 64, 65, cudaMemcpyDeviceToHost); // other rows_too_many
}

// bug event_destroyed: cudaEventRecord at
TEST(event_destroyed)
{
	cudaEvent_t e;
	cudaEventCreate(&e);
	cudaEventDestroy(e);
	cudaEventRecord(e);                 // other event_destroyed
}

// bug launch_bounds: cudaLaunchKernel at
__global__ void __launch_bounds__(64) bounded_k(int *p) { p[TID] = 1; }
TEST(launch_bounds) { bounded_k<<<1, 128>>>(zeros()); } // other launch_bounds
struct holder { int *data; int n; };

// bug holder_zero: a null pointer
__global__ void holder_k(holder *h) { h->data[TID] = 1; } // here holder_zero
TEST(holder_zero) { holder_k<<<1, 32>>>((holder *)zeros()); }

// bug holder_unset: nothing has written
TEST(holder_unset)
{
	holder *h;
	cudaMalloc(&h, sizeof *h);
	holder_k<<<1, 32>>>(h);
}
struct base { __device__ virtual int f() { return 1; } };
struct derived : base { int x[4]; __device__ int f() override { return x[0]; } };

// clean virtual_on_device
__global__ void make_k(base **slot) { *slot = new derived; ((derived *)*slot)->x[0] = 7; }
__global__ void call_k(base **slot, int *out) { out[TID] = (*slot)->f(); }
__global__ void drop_k(base **slot) { delete (derived *)*slot; }
TEST(virtual_on_device)
{
	base **slot = (base **)zeros();
	make_k<<<1, 1>>>(slot);
	call_k<<<1, 32>>>(slot, zeros());
	drop_k<<<1, 1>>>(slot);
}

// bug virtual_deleted: in the heap of malloc
TEST(virtual_deleted)
{
	base **slot = (base **)zeros();
	make_k<<<1, 1>>>(slot);
	drop_k<<<1, 1>>>(slot);
	call_k<<<1, 32>>>(slot, zeros());
}

// bug wait_one: has not waited
__global__ void wait_one_k(const int *in, int *out)
{
	__shared__ int s[N];
	__pipeline_memcpy_async(&s[TID], &in[TID], 4);
	__pipeline_commit();
	__pipeline_wait_prior(1);
	out[TID] = s[TID];                  // here wait_one
}
TEST(wait_one) { wait_one_k<<<1, N>>>(zeros(), zeros()); }

// bug commit_missing: has not waited
__global__ void commit_missing_k(const int *in, int *out)
{
	__shared__ int s[N];
	__pipeline_memcpy_async(&s[TID], &in[TID], 4);
	__pipeline_wait_prior(0);
	out[TID] = s[TID];                  // here commit_missing
}
TEST(commit_missing) { commit_missing_k<<<1, N>>>(zeros(), zeros()); }

MAIN
