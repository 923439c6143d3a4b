// Correct programs of kinds that users write: whole algorithms, pipelines between warps and between streams, managed variables, host
// functions, textures and surfaces. Nothing may be reported. Comments as in kernels.cu.
#include <cstdlib>
#include <cuda/barrier>
#include "programs.cuh"

// clean stream_compaction
__global__ void compact_k(const int *in, int *out, int *count, int n)
{
	__shared__ int base, total;
	__shared__ int off[N];
	int i = BID * N + TID, keep = i < n && in[i] % 3 == 0;
	off[TID] = keep;
	__syncthreads();
	for (int d = 1; d < N; d *= 2) {
		int x = TID >= d ? off[TID - d] : 0;
		__syncthreads();
		off[TID] += x;
		__syncthreads();
	}
	if (TID == N - 1) {
		total = off[TID];
		base = atomicAdd(count, total);
	}
	__syncthreads();
	if (keep)
		out[base + off[TID] - 1] = in[i];
}
TEST(stream_compaction) { compact_k<<<4, N>>>(zeros(), zeros(), zeros(), 500); }

// clean bfs_level
__global__ void bfs_k(const int *row, const int *col, int *dist, int *next, int *count, int level, int n)
{
	int v = BID * N + TID;
	if (v >= n || dist[v] != level)
		return;
	for (int e = row[v]; e < row[v + 1]; e++)
		if (atomicCAS(&dist[col[e]], -1, level + 1) == -1)
			next[atomicAdd(count, 1)] = col[e];
}
TEST(bfs_level)
{
	int *row = zeros(8192), *col = zeros(8192), h[513];
	for (int i = 0; i < 513; i++)
		h[i] = i * 2 < 1000 ? i * 2 : 1000;
	cudaMemcpy(row, h, sizeof h, cudaMemcpyHostToDevice);
	bfs_k<<<4, N>>>(row, col, zeros(8192), zeros(8192), zeros(), 1, 512);
}

// clean union_find
__device__ int root(volatile int *parent, int x)
{
	while (x != parent[x])
		x = parent[x];
	return x;
}
__global__ void union_k(int *parent, const int *a, const int *b, int n)
{
	int i = BID * N + TID;
	if (i >= n)
		return;
	int x = a[i], y = b[i];
	for (;;) {
		x = root(parent, x);
		y = root(parent, y);
		if (x == y)
			break;
		int hi = x > y ? x : y, lo = x + y - hi;
		if (atomicCAS(&parent[hi], hi, lo) == hi)
			break;
	}
}
TEST(union_find)
{
	int h[256], *p = zeros();
	for (int i = 0; i < 256; i++)
		h[i] = i;
	cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
	int *a = zeros(), *b = zeros(), g[256];
	for (int i = 0; i < 256; i++)
		g[i] = (i * 7) % 256;
	cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
	cudaMemcpy(b, g, sizeof g, cudaMemcpyHostToDevice);
	union_k<<<2, N>>>(p, a, b, 256);
}

// clean warp_specialised
__global__ void warp_spec_k(const int *in, int *out)
{
	__shared__ int buf[2][32];
	__shared__ cuda::barrier<cuda::thread_scope_block> full[2], empty[2];
	if (TID < 2) {
		init(&full[TID], 64);
		init(&empty[TID], 64);
	}
	__syncthreads();
	if (WARP == 0) {
		for (int k = 0; k < 6; k++) {
			empty[k & 1].arrive_and_wait();
			buf[k & 1][LANE] = in[k * 32 + LANE];
			(void)full[k & 1].arrive();
		}
	} else {
		(void)empty[0].arrive();
		(void)empty[1].arrive();
		int s = 0;
		for (int k = 0; k < 6; k++) {
			full[k & 1].arrive_and_wait();
			s += buf[k & 1][31 - LANE];
			(void)empty[k & 1].arrive();
		}
		out[LANE] = s;
	}
}
TEST(warp_specialised) { warp_spec_k<<<1, 64>>>(zeros(), zeros()); }

// clean block_radix
__global__ void radix_k(unsigned *d)
{
	__shared__ unsigned s[2][N];
	__shared__ int zeros_before[N + 1];
	s[0][TID] = d[TID];
	__syncthreads();
	for (int bit = 0; bit < 4; bit++) {
		unsigned *from = s[bit & 1], *to = s[~bit & 1];
		int one = from[TID] >> bit & 1;
		zeros_before[TID + 1] = !one;
		if (!TID) zeros_before[0] = 0;
		__syncthreads();
		for (int k = 1; k <= N; k *= 2) {
			int x = TID + 1 >= k ? zeros_before[TID + 1 - k] : 0;
			__syncthreads();
			zeros_before[TID + 1] += x;
			__syncthreads();
		}
		int z = zeros_before[N], at = one ? z + TID - zeros_before[TID] : zeros_before[TID];
		to[at] = from[TID];
		__syncthreads();
	}
	d[TID] = s[0][TID];
}
TEST(block_radix) { radix_k<<<1, N>>>((unsigned *)zeros()); }

// clean odd_even
__global__ void odd_even_k(int *d)
{
	__shared__ int s[2 * N];
	s[TID] = d[TID];
	s[TID + N] = d[TID + N];
	__syncthreads();
	for (int k = 0; k < 8; k++) {
		int i = 2 * TID + (k & 1);
		if (i + 1 < 2 * N && s[i] > s[i + 1]) {
			int t = s[i];
			s[i] = s[i + 1];
			s[i + 1] = t;
		}
		__syncthreads();
	}
	d[TID] = s[TID];
	d[TID + N] = s[TID + N];
}
TEST(odd_even) { odd_even_k<<<1, N>>>(zeros()); }

// clean persistent
__global__ void persistent_k(int *queue, int *out, int n)
{
	__shared__ int job;
	for (;;) {
		if (!TID)
			job = atomicAdd(queue, 1);
		__syncthreads();
		int j = job;
		__syncthreads();
		if (j >= n)
			return;
		out[j * 32 + TID] = j;
	}
}
TEST(persistent) { persistent_k<<<3, 32>>>(zeros(), zeros(), 20); }

// clean stencil_regs
__global__ void stencil_k(const float *in, float *out, int n)
{
	__shared__ float s[N + 4];
	int i = BID * N + TID;
	s[TID + 2] = i < n ? in[i] : 0;
	if (TID < 2) {
		s[TID] = i >= 2 ? in[i - 2] : 0;
		s[N + 2 + TID] = i + N < n ? in[i + N] : 0;
	}
	__syncthreads();
	if (i < n)
		out[i] = s[TID] + s[TID + 1] + s[TID + 2] + s[TID + 3] + s[TID + 4];
}
TEST(stencil_regs) { stencil_k<<<4, N>>>((float *)zeros(), (float *)zeros(), 500); }

// clean graph_updates
TEST(graph_updates)
{
	cudaStream_t s;
	cudaGraph_t g;
	cudaGraphExec_t x;
	int *p = zeros(), *q = zeros();
	cudaStreamCreate(&s);
	cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
	writes<<<1, N, 0, s>>>(p);
	reads<<<1, N, 0, s>>>(p, q);
	cudaMemsetAsync(p, 0, 4096, s);
	cudaStreamEndCapture(s, &g);
	cudaGraphInstantiate(&x, g, 0, 0, 0);
	for (int i = 0; i < 3; i++)
		cudaGraphLaunch(x, s);
	cudaStreamSynchronize(s);
}

// clean double_buffer_streams
TEST(double_buffer_streams)
{
	cudaStream_t s[2];
	cudaEvent_t done[2];
	int *h, *d[2], *out = zeros(16384);
	two_streams(&s[0], &s[1]);
	cudaMallocHost(&h, 16384);
	memset(h, 1, 16384);
	for (int i = 0; i < 2; i++) {
		cudaMalloc(&d[i], 4096);
		cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming);
	}
	cudaDeviceSynchronize();
	for (int k = 0; k < 4; k++) {
		int i = k & 1;
		cudaMemcpyAsync(d[i], h + k * 1024, 4096, cudaMemcpyHostToDevice, s[i]);
		reads<<<1, N, 0, s[i]>>>(d[i], out + k * 1024);
		cudaEventRecord(done[i], s[i]);
	}
	for (int i = 0; i < 2; i++)
		cudaEventSynchronize(done[i]);
	h[0] = 2;
}

// clean managed_prefetch
TEST(managed_prefetch)
{
	int *m;
	cudaMallocManaged(&m, 8192);
	memset(m, 0, 8192);
	cudaMemPrefetchAsync(m, 8192, 0, 0);
	writes<<<1, N>>>(m);
	cudaDeviceSynchronize();
	m[5]++;
	writes<<<1, N>>>(m + 1024);
	cudaDeviceSynchronize();
}

// clean managed_other_half
TEST(managed_other_half)
{
	int *m;
	cudaMallocManaged(&m, 8192);
	memset(m, 0, 8192);
	writes<<<1, N>>>(m);
	m[1500] = 3;
	cudaDeviceSynchronize();
}

// clean callback_signals
static int signalled;
static void CUDART_CB signals(void *p) { *(int *)p = 1; }
TEST(callback_signals)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *d = zeros();
	cudaDeviceSynchronize();
	writes<<<1, N, 0, a>>>(d);
	cudaLaunchHostFunc(a, signals, &signalled);
	writes<<<1, N, 0, b>>>(d + 512);
	cudaStreamSynchronize(a);
	if (!signalled)
		exit(2);
}

// clean callback_waits
static void CUDART_CB polls(void *p) { while (!*(volatile int *)p) ; }
__global__ void tells(volatile int *p) { *p = 1; }
TEST(callback_waits)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *h;
	cudaMallocHost(&h, 64);
	*h = 0;
	cudaLaunchHostFunc(a, polls, h);
	tells<<<1, 1, 0, b>>>(h);
	cudaDeviceSynchronize();
}

// clean symbols_in_order
__constant__ int coef[8];
__global__ void uses_coef(int *out) { out[TID] = coef[TID & 7]; }
TEST(symbols_in_order)
{
	int h[8] = {1}, *out = zeros();
	cudaStream_t s;
	cudaStreamCreate(&s);
	for (int k = 0; k < 3; k++) {
		h[1] = k;
		cudaMemcpyToSymbolAsync(coef, h, sizeof h, 0, cudaMemcpyHostToDevice, s);
		uses_coef<<<1, 32, 0, s>>>(out);
	}
	cudaStreamSynchronize(s);
}

// clean managed_counter
__managed__ unsigned long long hits;
__managed__ struct { int a; float b; } settings = {3, 2.0f};
static __managed__ int private_one = 5;
namespace inner { __device__ __managed__ double deep[3] = {1, 2, 3}; }
__global__ void counts_hits(int *out) { atomicAdd(&hits, 1ull); out[TID] = settings.a + private_one + (int)inner::deep[TID % 3]; }
TEST(managed_counter)
{
	int *out = zeros(), h[32];
	hits = 5;
	settings.a = 4;
	counts_hits<<<1, 32>>>(out);
	cudaDeviceSynchronize();
	cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
	if (hits != 37 || h[1] != 4 + 5 + 2)
		exit(2);
	hits = 0;
}

// clean write_through_syscall
TEST(write_through_syscall)
{
	hits = 7;
	counts_hits<<<1, 32>>>(zeros());
	cudaDeviceSynchronize();
	FILE *f = tmpfile();
	if (fwrite(&hits, 8, 1, f) != 1 || fflush(f))
		exit(2);
	setvbuf(f, 0, _IONBF, 0);
	rewind(f);
	if (fread(&hits, 8, 1, f) != 1)
		exit(2);
	fclose(f);
	counts_hits<<<1, 32>>>(zeros());
	cudaDeviceSynchronize();
	if (hits != 71)
		exit(2);
}

// clean pitched_texture
__global__ void tex2d_k(cudaTextureObject_t t, float *out) { out[TID] = tex2D<float>(t, TID % 16 + 0.5f, TID / 16 + 0.5f); }
TEST(pitched_texture)
{
	float h[8][16] = {}, *p;
	size_t pitch;
	cudaMallocPitch((void **)&p, &pitch, 64, 8);
	cudaMemcpy2D(p, pitch, h, 64, 64, 8, cudaMemcpyHostToDevice);
	cudaResourceDesc r = {};
	cudaTextureDesc d = {};
	cudaTextureObject_t t = 0;
	r.resType = cudaResourceTypePitch2D;
	r.res.pitch2D.devPtr = p;
	r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
	r.res.pitch2D.width = 16;
	r.res.pitch2D.height = 8;
	r.res.pitch2D.pitchInBytes = pitch;
	d.filterMode = cudaFilterModeLinear;
	cudaCreateTextureObject(&t, &r, &d, 0);
	tex2d_k<<<1, N>>>(t, (float *)zeros());
}

// clean surface_then_copy
__global__ void surf_k(cudaSurfaceObject_t s) { surf2Dwrite(TID, s, (TID % 16) * 4, TID / 16); }
TEST(surface_then_copy)
{
	cudaArray_t a;
	cudaChannelFormatDesc c = cudaCreateChannelDesc<int>();
	cudaMallocArray(&a, &c, 16, 8, cudaArraySurfaceLoadStore);
	cudaResourceDesc r = {};
	cudaSurfaceObject_t s = 0;
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	cudaCreateSurfaceObject(&s, &r);
	surf_k<<<1, N>>>(s);
	int h[N];
	cudaMemcpy2DFromArray(h, 64, a, 0, 0, 64, 8, cudaMemcpyDeviceToHost);
	if (h[77] != 77)
		exit(2);
}

MAIN
