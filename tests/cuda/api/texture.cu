// Textures and surfaces: references and objects over linear memory, pitched memory, arrays of every
// shape, compared with the texels written.
#include "check.h"
#include <math.h>

/* CUDA 12 has no texture references. */
#if CUDART_VERSION < 12000
texture<float, 1, cudaReadModeElementType> linear;
texture<float, 2, cudaReadModeElementType> plane;
texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;
texture<float, 3, cudaReadModeElementType> volume;
surface<void, 2> board;

__global__ void read_linear(float *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = tex1Dfetch(linear, i);
}
__global__ void read_plane(float *out, int w, int h, float dx)
{
	for (int i = threadIdx.x; i < w * h; i += blockDim.x)
		out[i] = tex2D(plane, i % w + dx, i / w + 0.5f);
}
__global__ void read_colours(float4 *out, int n)
{
	if ((int)threadIdx.x < n)
		out[threadIdx.x] = tex2D(colours, threadIdx.x + 0.5f, 0.5f);
}
__global__ void read_volume(float *out)
{
	int i = threadIdx.x;
	out[i] = tex3D(volume, i % 4 + 0.5f, i / 4 % 3 + 0.5f, i / 12 + 0.5f);
}
__global__ void write_board(int w, int h)
{
	for (int i = threadIdx.x; i < w * h; i += blockDim.x)
		surf2Dwrite((float)(i * 3), board, i % w * 4, i / w);
}
#endif
__global__ void read_object(cudaTextureObject_t t, float *out, int w, int h)
{
	for (int i = threadIdx.x; i < w * h; i += blockDim.x)
		out[i] = tex2D<float>(t, (i % w + 0.5f) / w, (i / w + 0.5f) / h);
}
__global__ void read_layers(cudaTextureObject_t t, float *out, int w, int h, int layers)
{
	for (int i = threadIdx.x; i < w * h * layers; i += blockDim.x)
		out[i] = tex2DLayered<float>(t, i % w + 0.5f, i / w % h + 0.5f, i / (w * h));
}
__global__ void copy_surface(cudaSurfaceObject_t s, cudaSurfaceObject_t d, int w, int h)
{
	for (int i = threadIdx.x; i < w * h; i += blockDim.x) {
		float v;
		surf2Dread(&v, s, i % w * 4, i / w);
		surf2Dwrite(v + 1, d, i % w * 4, i / w);
	}
}
__global__ void read_mip(cudaTextureObject_t t, float *out)
{
	out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, (float)threadIdx.x);
}

enum { W = 20, H = 9 };
static float in[H * W], out[H * W], *d;

static int wrong(float scale, float add)
{
	int bad = 0;
	for (int i = 0; i < W * H; i++)
		bad += out[i] != in[i] * scale + add;
	return bad;
}
static void fetch() { OK(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost)); }

#if CUDART_VERSION < 12000
static void references()
{
	float *mem;
	size_t offset = 99, pitch;
	OK(cudaMalloc(&mem, sizeof in));
	OK(cudaMemcpy(mem, in, sizeof in, cudaMemcpyHostToDevice));
	OK(cudaBindTexture(&offset, linear, mem, sizeof in));
	IS(offset, 0);
	read_linear<<<1, 256>>>(d, W * H);
	fetch();
	IS(wrong(1, 0), 0);
	OK(cudaUnbindTexture(linear));

	float *rows;
	OK(cudaMallocPitch(&rows, &pitch, W * 4, H));
	OK(cudaMemcpy2D(rows, pitch, in, W * 4, W * 4, H, cudaMemcpyHostToDevice));
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	OK(cudaBindTexture2D(&offset, plane, rows, f, W, H, pitch));
	read_plane<<<1, 128>>>(d, W, H, 0.5f);
	fetch();
	IS(wrong(1, 0), 0);

	cudaArray *a;
	OK(cudaMallocArray(&a, &f, W, H));
	OK(cudaMemcpyToArray(a, 0, 0, in, sizeof in, cudaMemcpyHostToDevice));
	plane.filterMode = cudaFilterModeLinear;
	OK(cudaBindTextureToArray(plane, a, f));
	read_plane<<<1, 128>>>(d, W, H, 0.75f); /* a quarter of the next texel */
	fetch();
	int bad = 0;
	for (int i = 0; i < W * H; i++)
		bad += fabsf(out[i] - (i % W == W - 1 ? in[i] : in[i] + 0.25f * (in[i + 1] - in[i]))) > 1e-4f * fabsf(in[i]) + 1e-5f;
	IS(bad, 0);

	/* a launch leaves the existing binding in place */
	cudaArray *b;
	float zeros[W * H] = {};
	OK(cudaMallocArray(&b, &f, W, H));
	OK(cudaMemcpy2DToArray(b, 0, 0, zeros, W * 4, W * 4, H, cudaMemcpyHostToDevice));
	read_plane<<<1, 128>>>(d, W, H, 0.5f);
	OK(cudaBindTextureToArray(plane, b, f));
	fetch();
	IS(wrong(1, 0), 0);
	OK(cudaFreeArray(b));

	OK(cudaBindSurfaceToArray(board, a));
	write_board<<<1, 64>>>(W, H);
	OK(cudaMemcpyFromArray(out, a, 0, 0, sizeof out, cudaMemcpyDeviceToHost));
	IS(out[W + 1], (W + 1) * 3);
	OK(cudaFreeArray(a));
}

static void fractions()
{
	uchar4 c[2] = {{0, 51, 102, 255}, {255, 204, 0, 1}};
	float4 got[2], *m;
	cudaArray *a;
	cudaChannelFormatDesc f = cudaCreateChannelDesc<uchar4>();
	OK(cudaMalloc(&m, sizeof got));
	OK(cudaMallocArray(&a, &f, 2, 1));
	OK(cudaMemcpyToArray(a, 0, 0, c, sizeof c, cudaMemcpyHostToDevice));
	OK(cudaBindTextureToArray(colours, a));
	read_colours<<<1, 2>>>(m, 2);
	OK(cudaMemcpy(got, m, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(fabsf(got[0].y - 0.2f) < 1e-6f && got[0].w == 1.0f && got[1].x == 1.0f);
	CHECK(fabsf(got[1].w - 1 / 255.0f) < 1e-6f);
	OK(cudaFreeArray(a));
}

static void volumes()
{
	float v[24], got[24];
	for (int i = 0; i < 24; i++)
		v[i] = i * 1.5f;
	cudaArray *a;
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	OK(cudaMalloc3DArray(&a, &f, make_cudaExtent(4, 3, 2)));
	cudaMemcpy3DParms p = {};
	p.srcPtr = make_cudaPitchedPtr(v, 16, 4, 3);
	p.dstArray = a;
	p.extent = make_cudaExtent(4, 3, 2);
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
	OK(cudaBindTextureToArray(volume, a, f));
	read_volume<<<1, 24>>>(d);
	OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(v, got, sizeof v));
	cudaExtent e;
	unsigned flags;
	OK(cudaArrayGetInfo(&f, &e, &flags, a));
	IS(e.depth, 2);
	IS(f.x, 32);
	p.extent.depth = 3;
	IS(cudaMemcpy3D(&p), cudaErrorInvalidValue);
	cudaGetLastError();
	OK(cudaFreeArray(a));
}
#endif

static void objects()
{
	cudaArray *a, *b;
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	OK(cudaMallocArray(&a, &f, W, H, cudaArraySurfaceLoadStore));
	OK(cudaMallocArray(&b, &f, W, H, cudaArraySurfaceLoadStore));
	OK(cudaMemcpy2DToArray(a, 0, 0, in, W * 4, W * 4, H, cudaMemcpyHostToDevice));
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	cudaTextureDesc t = {};
	t.normalizedCoords = 1;
	t.addressMode[0] = t.addressMode[1] = cudaAddressModeWrap;
	cudaTextureObject_t tex;
	OK(cudaCreateTextureObject(&tex, &r, &t, NULL));
	read_object<<<1, 64>>>(tex, d, W, H);
	fetch();
	IS(wrong(1, 0), 0);
	cudaSurfaceObject_t s, w;
	OK(cudaCreateSurfaceObject(&s, &r));
	r.res.array.array = b;
	OK(cudaCreateSurfaceObject(&w, &r));
	copy_surface<<<1, 64>>>(s, w, W, H);
	OK(cudaMemcpy2DFromArray(out, W * 4, b, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
	IS(wrong(1, 1), 0);
	OK(cudaDestroySurfaceObject(s));
	OK(cudaDestroySurfaceObject(w));
	OK(cudaDestroyTextureObject(tex));
	OK(cudaDestroyTextureObject(0)); /* none: nothing to do */
	OK(cudaDestroySurfaceObject(0));
	t.filterMode = cudaFilterModeLinear; /* integers cannot be filtered */
	cudaArray *c;
	cudaChannelFormatDesc g = cudaCreateChannelDesc<int>();
	OK(cudaMallocArray(&c, &g, W, H));
	r.res.array.array = c;
	IS(cudaCreateTextureObject(&tex, &r, &t, NULL), cudaErrorInvalidValue);
	cudaGetLastError();
	OK(cudaFreeArray(a));
	OK(cudaFreeArray(b));
	OK(cudaFreeArray(c));
}

static void layers()
{
	enum { L = 3, LW = 4, LH = 5 };
	float v[L * LH * LW], got[L * LH * LW];
	for (int i = 0; i < L * LW * LH; i++)
		v[i] = i;
	cudaArray *a;
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	OK(cudaMalloc3DArray(&a, &f, make_cudaExtent(LW, LH, L), cudaArrayLayered));
	cudaMemcpy3DParms p = {};
	p.srcPtr = make_cudaPitchedPtr(v, LW * 4, LW, LH);
	p.dstArray = a;
	p.extent = make_cudaExtent(LW, LH, L);
	p.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&p));
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	cudaTextureDesc t = {};
	cudaTextureObject_t tex;
	OK(cudaCreateTextureObject(&tex, &r, &t, NULL));
	read_layers<<<1, 64>>>(tex, d, LW, LH, L);
	OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(!memcmp(v, got, sizeof v));
	OK(cudaDestroyTextureObject(tex));
	OK(cudaFreeArray(a));
}

static void mipmaps()
{
	cudaMipmappedArray_t m;
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
	OK(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(8, 8, 0), 4));
	for (int l = 0; l < 4; l++) {
		cudaArray_t a;
		float v[64];
		for (int i = 0; i < 64; i++)
			v[i] = l + 1;
		OK(cudaGetMipmappedArrayLevel(&a, m, l));
		cudaExtent e;
		OK(cudaArrayGetInfo(NULL, &e, NULL, a));
		IS(e.width, 8 >> l);
		OK(cudaMemcpy2DToArray(a, 0, 0, v, 32, e.width * 4, e.height, cudaMemcpyHostToDevice));
	}
	cudaResourceDesc r = {};
	r.resType = cudaResourceTypeMipmappedArray;
	r.res.mipmap.mipmap = m;
	cudaTextureDesc t = {};
	t.normalizedCoords = 1;
	t.maxMipmapLevelClamp = 3;
	cudaTextureObject_t tex;
	OK(cudaCreateTextureObject(&tex, &r, &t, NULL));
	float got[4];
	read_mip<<<1, 4>>>(tex, d);
	OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
	for (int l = 0; l < 4; l++)
		IS(got[l], l + 1);
	OK(cudaDestroyTextureObject(tex));
	OK(cudaFreeMipmappedArray(m));
}

int main()
{
	for (int i = 0; i < W * H; i++)
		in[i] = i * 0.5f - 7;
	OK(cudaMalloc(&d, sizeof in));
#if CUDART_VERSION < 12000
	references();
	fractions();
	volumes();
#endif
	objects();
	layers();
	mipmaps();
	DONE();
}
