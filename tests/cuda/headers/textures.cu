/* Texture references and objects, surfaces, arrays. */
#include <cstring>
#include <cuda_runtime.h>
texture<float, 1, cudaReadModeElementType> t1;
texture<float4, cudaTextureType2D, cudaReadModeElementType> t2;
texture<unsigned char, 2, cudaReadModeNormalizedFloat> tn;
texture<uchar4, 2, cudaReadModeNormalizedFloat> tn4;
texture<int2, 3> t3;
texture<float, cudaTextureType2DLayered> tl;
texture<float, cudaTextureTypeCubemap> tc;
texture<uint4> tdef;
surface<void, 2> s2;
surface<void, cudaSurfaceType3D> s3;
__global__ void refs(float *f, int x, float u)
{
	f[0] = tex1Dfetch(t1, x) + tex1D(t1, u) + tex2D(t2, u, u).w + tex2D(tn, u, u) + tex2D(tn4, u, 0.5f).z;
	f[1] = tex3D(t3, u, u, u).y + tex2DLayered(tl, u, u, x) + texCubemap(tc, u, u, u) + tex1Dfetch(tdef, x).z;
	f[2] = tex2Dgather(t2, u, u, 1).x + tex2DLod(t2, u, u, 2.0f).y;
	surf2Dwrite(u, s2, x * 4, x);
	surf2Dwrite(make_uchar4(1, 2, 3, 4), s2, x * 4, x, cudaBoundaryModeClamp);
	f[3] = surf2Dread<float>(s2, x * 4, x);
	float2 v;
	surf3Dread(&v, s3, x * 8, x, x, cudaBoundaryModeZero);
	surf3Dwrite(v, s3, x * 8, x, x);
}
__global__ void objects(cudaTextureObject_t t, cudaSurfaceObject_t s, float *f, int x, float u)
{
	f[0] = tex1Dfetch<float>(t, x) + tex2D<float>(t, u, u) + tex3D<float4>(t, u, u, u).x + tex2D<uchar4>(t, u, u).x;
	f[1] = tex1DLayered<float>(t, u, x) + tex2DLayered<float>(t, u, u, x) + texCubemapLayered<float>(t, u, u, u, x);
	f[2] = tex2DLod<float>(t, u, u, 1.0f) + tex2DGrad<float>(t, u, u, make_float2(1, 1), make_float2(0, 1));
	float4 r;
	tex2D(&r, t, u, u);
	f[3] = r.x + tex2Dgather<float4>(t, u, u, 2).y + tex1D<short>(t, u);
	surf2Dwrite<float>(u, s, x * 4, x);
	surf2Dwrite(make_float4(1, 2, 3, 4), s, x * 16, x, cudaBoundaryModeTrap);
	surf1Dwrite((unsigned char)1, s, x);
	surf2DLayeredwrite(u, s, x * 4, x, 1);
	unsigned short h;
	surf2Dread(&h, s, x * 2, x);
	f[4] = h + surf3Dread<int>(s, x, x, x);
}
int main()
{
	cudaArray *arr;
	cudaArray_t arr3;
	float *d;
	size_t off, pitch;
	cudaChannelFormatDesc c = cudaCreateChannelDesc<float4>();
	cudaChannelFormatDesc c2 = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	cudaMallocArray(&arr, &c, 64, 64);
	cudaMallocArray(&arr, &c2, 64, 64, cudaArraySurfaceLoadStore);
	cudaMalloc3DArray(&arr3, &c, make_cudaExtent(8, 8, 8));
	cudaMallocPitch(&d, &pitch, 256, 64);
	t1.normalized = false;
	t2.filterMode = cudaFilterModeLinear;
	t2.addressMode[0] = cudaAddressModeWrap;
	cudaBindTexture(0, t1, d, 1024);
	cudaBindTexture(&off, t1, d);
	cudaBindTexture(NULL, t1, d, c2, 1024);
	cudaBindTexture2D(&off, t2, d, c, 64, 64, pitch);
	cudaBindTextureToArray(t2, arr, c);
	cudaBindTextureToArray(tn, arr);
	cudaBindSurfaceToArray(s2, arr);
	cudaUnbindTexture(t1);
	const textureReference *ref;
	cudaGetTextureReference(&ref, &t1);
	cudaMemcpyToArray(arr, 0, 0, d, 1024, cudaMemcpyDeviceToDevice);
	cudaMemcpy2DToArray(arr, 0, 0, d, pitch, 256, 64, cudaMemcpyHostToDevice);
	cudaMemcpy3DParms p = {0};
	p.srcPtr = make_cudaPitchedPtr(d, 32, 8, 8);
	p.dstArray = arr3;
	p.extent = make_cudaExtent(8, 8, 8);
	p.kind = cudaMemcpyHostToDevice;
	cudaMemcpy3D(&p);
	cudaResourceDesc rd;
	cudaTextureDesc td;
	memset(&rd, 0, sizeof(rd));
	memset(&td, 0, sizeof(td));
	rd.resType = cudaResourceTypeArray;
	rd.res.array.array = arr;
	td.readMode = cudaReadModeElementType;
	cudaTextureObject_t to;
	cudaSurfaceObject_t so;
	cudaCreateTextureObject(&to, &rd, &td, NULL);
	cudaCreateSurfaceObject(&so, &rd);
	refs<<<1, 1>>>(d, 1, 0.5f);
	objects<<<1, 1>>>(to, so, d, 1, 0.5f);
	cudaDestroyTextureObject(to);
	cudaFreeArray(arr);
	return 0;
}
