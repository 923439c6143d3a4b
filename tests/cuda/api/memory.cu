// Device, pitched, 3D, pinned, registered and managed memory; copies of all kinds; fills; symbols.
#include "check.h"

__device__ int counter = 5;
__device__ float table[8] = {1, 2, 3};
__constant__ int factor[2] = {3, 4};
__device__ __managed__ int shared_value = 7;

__global__ void scale(int *p, size_t pitch, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	if (x < w && y < h) {
		int *row = (int *)((char *)p + y * pitch);
		row[x] = row[x] * factor[1] + counter;
	}
}

__global__ void volume(cudaPitchedPtr p, cudaExtent e)
{
	for (size_t z = 0; z < e.depth; z++)
		for (size_t y = 0; y < e.height; y++) {
			char *row = (char *)p.ptr + p.pitch * (z * e.height + y);
			for (size_t x = threadIdx.x; x < e.width; x += blockDim.x)
				row[x] = (char)(row[x] + x + y * 2 + z * 3);
		}
}

__global__ void twice(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] *= 2;
	if (i == 0)
		shared_value += 10;
}

static void pitched()
{
	enum { W = 100, H = 17 };
	int in[H][W], out[H][W], *d;
	size_t pitch;
	for (int i = 0; i < W * H; i++)
		in[0][i] = i;
	OK(cudaMallocPitch(&d, &pitch, W * 4, H));
	CHECK(pitch >= W * 4 && pitch % 256 == 0);
	OK(cudaMemcpy2D(d, pitch, in, W * 4, W * 4, H, cudaMemcpyHostToDevice));
	scale<<<dim3(4, H), 32>>>(d, pitch, W, H);
	OK(cudaMemcpy2D(out, W * 4, d, pitch, W * 4, H, cudaMemcpyDeviceToHost));
	int bad = 0;
	for (int i = 0; i < W * H; i++)
		bad += out[0][i] != i * 4 + 5;
	IS(bad, 0);
	OK(cudaMemset2D(d, pitch, 0x11, 8, 2));
	OK(cudaMemcpy2D(out, W * 4, d, pitch, W * 4, H, cudaMemcpyDeviceToHost));
	IS(out[0][0], 0x11111111);
	IS(out[1][1], 0x11111111);
	IS(out[1][2], (W + 2) * 4 + 5);
	IS(out[2][0], 2 * W * 4 + 5);
	IS(cudaMemcpy2D(d, 8, in, W * 4, W * 4, H, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
	OK(cudaFree(d));
}

static void three()
{
	cudaExtent e = make_cudaExtent(33, 5, 4);
	cudaPitchedPtr p;
	static char in[4][5][33], out[4][5][33];
	OK(cudaMalloc3D(&p, e));
	OK(cudaMemset3D(p, 2, e));
	volume<<<1, 32>>>(p, e);
	cudaMemcpy3DParms c = {};
	c.srcPtr = p;
	c.dstPtr = make_cudaPitchedPtr(out, 33, 33, 5);
	c.extent = e;
	c.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3D(&c));
	int bad = 0;
	for (int z = 0; z < 4; z++)
		for (int y = 0; y < 5; y++)
			for (int x = 0; x < 33; x++)
				bad += out[z][y][x] != 2 + x + 2 * y + 3 * z;
	IS(bad, 0);
	/* a part, at an offset */
	memset(in, 9, sizeof in);
	cudaMemcpy3DParms q = {};
	q.srcPtr = make_cudaPitchedPtr(in, 33, 33, 5);
	q.srcPos = make_cudaPos(1, 1, 1);
	q.dstPtr = p;
	q.dstPos = make_cudaPos(2, 3, 1);
	q.extent = make_cudaExtent(4, 2, 2);
	q.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&q));
	OK(cudaMemcpy3D(&c));
	IS(out[1][3][2], 9);
	IS(out[2][4][5], 9);
	IS(out[1][3][6], 2 + 6 + 6 + 3);
	IS(out[3][3][2], 2 + 2 + 6 + 9);
	OK(cudaFree(p.ptr));
}

static void host()
{
	enum { N = 1000 };
	int *pinned, *mapped, *device, *managed, *mine = (int *)malloc(N * 4);
	OK(cudaMallocHost((void **)&pinned, N * 4));
	OK(cudaHostAlloc((void **)&mapped, N * 4, cudaHostAllocMapped));
	OK(cudaMallocManaged(&managed, N * 4));
	OK(cudaHostRegister(mine, N * 4, cudaHostRegisterMapped));
	IS(cudaHostRegister(mine, N * 4, 0), cudaErrorHostMemoryAlreadyRegistered);
	cudaGetLastError();
	for (int i = 0; i < N; i++)
		pinned[i] = mapped[i] = managed[i] = mine[i] = i;
	OK(cudaHostGetDevicePointer((void **)&device, mapped, 0));
	twice<<<4, 256>>>(device, N);
	OK(cudaHostGetDevicePointer((void **)&device, mine, 0));
	twice<<<4, 256>>>(device, N);
	twice<<<4, 256>>>(managed, N);
	OK(cudaDeviceSynchronize());
	int bad = 0;
	for (int i = 0; i < N; i++)
		bad += (mapped[i] != 2 * i) + (mine[i] != 2 * i) + (managed[i] != 2 * i);
	IS(bad, 0);
	IS(shared_value, 37);
	shared_value = 1;
	twice<<<1, 32>>>(managed, 1);
	OK(cudaDeviceSynchronize());
	IS(shared_value, 11);
	unsigned flags;
	OK(cudaHostGetFlags(&flags, mapped));
	CHECK(flags & cudaHostAllocMapped);
	cudaPointerAttributes a;
	OK(cudaPointerGetAttributes(&a, managed));
	IS(a.type, cudaMemoryTypeManaged);
	OK(cudaPointerGetAttributes(&a, pinned));
	IS(a.type, cudaMemoryTypeHost);
	OK(cudaPointerGetAttributes(&a, &bad));
	IS(a.type, cudaMemoryTypeUnregistered);
#if CUDART_VERSION < 13000
	OK(cudaMemPrefetchAsync(managed, N * 4, 0));
	OK(cudaMemAdvise(managed, N * 4, cudaMemAdviseSetReadMostly, 0));
#endif
	cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
	cudaMemLocation nowhere = {cudaMemLocationTypeDevice, 7};
	OK(cudaMemPrefetchAsync(managed, N * 4, here, 0));
	OK(cudaMemAdvise(managed, N * 4, cudaMemAdviseSetPreferredLocation, host));
	IS(cudaMemPrefetchAsync(managed, N * 4, nowhere, 0), cudaErrorInvalidDevice);
	cudaGetLastError();
	OK(cudaHostUnregister(mine));
	OK(cudaFreeHost(pinned));
	OK(cudaFreeHost(mapped));
	OK(cudaFree(managed));
	free(mine);
}

static void symbols()
{
	float t[8], *p;
	size_t n;
	OK(cudaMemcpyFromSymbol(t, table, sizeof t));
	IS(t[1], 2);
	IS(t[5], 0);
	t[5] = 50;
	OK(cudaMemcpyToSymbol(table, &t[5], 4, 20));
	OK(cudaGetSymbolAddress((void **)&p, table));
	OK(cudaGetSymbolSize(&n, table));
	IS(n, 32);
	OK(cudaMemcpy(t, p, 32, cudaMemcpyDeviceToHost));
	IS(t[5], 50);
	IS(cudaMemcpyToSymbol(table, t, 32, 4), cudaErrorInvalidValue);
	cudaGetLastError();
}

static void pools()
{
	cudaStream_t s;
	cudaMemPool_t pool;
	int *a, host[64];
	unsigned long long used, threshold = 1 << 20;
	OK(cudaStreamCreate(&s));
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
	OK(cudaMallocAsync(&a, sizeof host, s));
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	IS(used, sizeof host);
	OK(cudaMemsetAsync(a, 0, sizeof host, s));
	twice<<<1, 64, 0, s>>>(a, 64);
	OK(cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, s));
	OK(cudaFreeAsync(a, s));
	OK(cudaStreamSynchronize(s));
	IS(host[63], 0);
	OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	IS(used, 0);
	OK(cudaStreamDestroy(s));
}

/* All kinds of copies between pageable, pinned, device, managed and registered memory: as measured on an H200, only pageable
 * memory where the kind says device is refused. */
static void kinds()
{
	char *p[5], got[64];
	p[0] = (char *)malloc(4096);
	OK(cudaMallocHost((void **)&p[1], 4096));
	OK(cudaMalloc((void **)&p[2], 4096));
	OK(cudaMallocManaged((void **)&p[3], 4096));
	p[4] = (char *)malloc(8192);
	OK(cudaHostRegister(p[4], 8192, 0));
	for (int d = 0; d < 5; d++)
		for (int s = 0; s < 5; s++)
			for (int k = 0; k < 5; k++)
				for (int async = 0; async < 2; async++) {
					char *from = p[s] + (s == d ? 1024 : 0);
					bool wrong = (!s && (k == cudaMemcpyDeviceToHost || k == cudaMemcpyDeviceToDevice)) ||
						     (!d && (k == cudaMemcpyHostToDevice || k == cudaMemcpyDeviceToDevice));
					memset(got, k + 1, sizeof got);
					OK(cudaMemcpy(from, got, sizeof got, cudaMemcpyDefault));
					memset(got, 99, sizeof got);
					OK(cudaMemcpy(p[d], got, sizeof got, cudaMemcpyDefault));
					IS(async ? cudaMemcpyAsync(p[d], from, sizeof got, (cudaMemcpyKind)k, 0) :
						   cudaMemcpy(p[d], from, sizeof got, (cudaMemcpyKind)k),
					   wrong ? cudaErrorInvalidValue : cudaSuccess);
					cudaGetLastError();
					OK(cudaDeviceSynchronize());
					OK(cudaMemcpy(got, p[d], sizeof got, cudaMemcpyDefault));
					CHECK(got[0] == (wrong ? 99 : k + 1) && got[63] == got[0]);
				}
	OK(cudaHostUnregister(p[4]));
	cudaFreeHost(p[1]), cudaFree(p[2]), cudaFree(p[3]), free(p[0]), free(p[4]);
}

int main()
{
	size_t before, after, total;
	int *p;
	OK(cudaMemGetInfo(&before, &total));
	pitched();
	three();
	host();
	symbols();
	pools();
	kinds();
	OK(cudaMemGetInfo(&after, &total));
	CHECK(after + 4096 >= before);
	IS(cudaMalloc(&p, (size_t)1 << 60), cudaErrorMemoryAllocation);
	IS(cudaGetLastError(), cudaErrorMemoryAllocation);
	OK(cudaGetLastError());
	int x;
	IS(cudaMemcpy(&x, (void *)0x123456, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
	IS(cudaFree((void *)0x123456), cudaErrorInvalidValue);
	DONE();
}
