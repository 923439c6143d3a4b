/* Cubemaps with levels: gradients of directions choose the level, for single maps and for layers of them. Texels
 * are 100 * level + 10 * layer + face. */
#include "check.h"

enum { EDGE = 4, LEVELS = 3, FACES = 6 };

__constant__ float3 direction[FACES] = {{1, 0.1f, 0.2f}, {-1, 0.1f, 0.2f}, {0.1f, 1, 0.2f}, {0.1f, -1, 0.2f}, {0.1f, 0.2f, 1},
	{0.1f, 0.2f, -1}};

/* A step of 1 along a face's axes is half the edge: 2 texels of 4, level 1; a step of 2 is level 2. */
__global__ void sample(cudaTextureObject_t t, int layers, float step, float *out)
{
	int face = threadIdx.x, layer = blockIdx.x;
	float3 d = direction[face];
	bool x = face < 2, y = face / 2 == 1;
	float4 dx = make_float4(x ? 0 : step, x ? step : 0, 0, 0);
	float4 dy = make_float4(0, x || y ? 0 : step, x || y ? step : 0, 0);
	out[layer * FACES + face] = layers > 1 ? texCubemapLayeredGrad<float>(t, d.x, d.y, d.z, layer, dx, dy)
					       : texCubemapGrad<float>(t, d.x, d.y, d.z, dx, dy);
}

static cudaTextureObject_t make(int layers, cudaMipmappedArray_t *map)
{
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	CUDA(cudaMallocMipmappedArray(map, &format, make_cudaExtent(EDGE, EDGE, FACES * layers), LEVELS,
		cudaArrayCubemap | (layers > 1 ? cudaArrayLayered : 0)));
	for (int level = 0; level < LEVELS; level++) {
		static float texel[2 * FACES * EDGE * EDGE];
		size_t edge = EDGE >> level, face = edge * edge;
		cudaArray_t array;
		CUDA(cudaGetMipmappedArrayLevel(&array, *map, level));
		for (size_t i = 0; i < face * FACES * layers; i++)
			texel[i] = (float)(100 * level + 10 * (int)(i / face / FACES) + (int)(i / face % FACES));
		cudaMemcpy3DParms c = {};
		c.srcPtr = make_cudaPitchedPtr(texel, edge * sizeof *texel, edge, edge);
		c.dstArray = array;
		c.extent = make_cudaExtent(edge, edge, FACES * layers);
		c.kind = cudaMemcpyHostToDevice;
		CUDA(cudaMemcpy3D(&c));
	}
	cudaResourceDesc res = {};
	cudaTextureDesc how = {};
	cudaTextureObject_t t = 0;
	res.resType = cudaResourceTypeMipmappedArray;
	res.res.mipmap.mipmap = *map;
	how.normalizedCoords = 1;
	how.maxMipmapLevelClamp = LEVELS;
	CUDA(cudaCreateTextureObject(&t, &res, &how, NULL));
	return t;
}

int main()
{
	float *out;
	CUDA(cudaMallocManaged(&out, 2 * FACES * sizeof *out));
	for (int layers = 1; layers <= 2; layers++) {
		cudaMipmappedArray_t map;
		cudaTextureObject_t t = make(layers, &map);
		static const float step[] = {0.01f, 1, 2};
		for (int level = 0; level < LEVELS; level++) {
			sample<<<layers, FACES>>>(t, layers, step[level], out);
			CUDA(cudaDeviceSynchronize());
			for (int i = 0; i < layers * FACES; i++)
				CHECK(out[i] == 100 * level + 10 * (i / FACES) + i % FACES);
		}
		CUDA(cudaDestroyTextureObject(t));
		CUDA(cudaFreeMipmappedArray(map));
	}
	return failures != 0;
}
