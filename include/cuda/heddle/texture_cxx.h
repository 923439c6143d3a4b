/* texture<> and surface<>: the compiler gives these types their meaning in device code. */
#ifndef HEDDLE_TEXTURE_CXX_H
#define HEDDLE_TEXTURE_CXX_H

#include "../surface_types.h"
#include "../texture_types.h"
#include "../channel_descriptor.h"

template <class __T, int __dim = cudaTextureType1D,
	enum cudaTextureReadMode __rm = cudaReadModeElementType>
struct __device_builtin_texture_type__ texture : public textureReference {
#if !defined(__CUDA_ARCH__)
	__host__ texture(int __norm = 0, enum cudaTextureFilterMode __f = cudaFilterModePoint,
		enum cudaTextureAddressMode __a = cudaAddressModeClamp)
	{
		__init(__norm, __f, __a, cudaCreateChannelDesc<__T>());
	}
	__host__ texture(int __norm, enum cudaTextureFilterMode __f,
		enum cudaTextureAddressMode __a, struct cudaChannelFormatDesc __d)
	{
		__init(__norm, __f, __a, __d);
	}
private:
	__host__ void __init(int __norm, enum cudaTextureFilterMode __f,
		enum cudaTextureAddressMode __a, struct cudaChannelFormatDesc __d)
	{
		normalized = __norm;
		filterMode = __f;
		addressMode[0] = addressMode[1] = addressMode[2] = __a;
		channelDesc = __d;
		sRGB = 0;
		maxAnisotropy = 0;
		mipmapFilterMode = cudaFilterModePoint;
		mipmapLevelBias = minMipmapLevelClamp = maxMipmapLevelClamp = 0;
		disableTrilinearOptimization = 0;
	}
#endif
};

template <class __T, int __dim = 1>
struct __device_builtin_surface_type__ surface : public surfaceReference {
#if !defined(__CUDA_ARCH__)
	__host__ surface(void) { channelDesc = cudaCreateChannelDesc<__T>(); }
	__host__ surface(struct cudaChannelFormatDesc __d) { channelDesc = __d; }
#endif
};
template <int __dim>
struct __device_builtin_surface_type__ surface<void, __dim> : public surfaceReference {
#if !defined(__CUDA_ARCH__)
	__host__ surface(void) { channelDesc = cudaCreateChannelDesc<void>(); }
#endif
};

#endif
