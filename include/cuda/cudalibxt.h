/* Descriptors of memory that a library spreads over GPUs. */
#ifndef CUDA_LIB_XT_H
#define CUDA_LIB_XT_H
#include <stddef.h>
#define CUDA_XT_DESCRIPTOR_VERSION 0x01000000
#define MAX_CUDA_DESCRIPTOR_GPUS 64
#define CUDA_XT_MAX_GPUS MAX_CUDA_DESCRIPTOR_GPUS
enum cudaXtCopyType_t { LIB_XT_COPY_HOST_TO_DEVICE, LIB_XT_COPY_DEVICE_TO_HOST, LIB_XT_COPY_DEVICE_TO_DEVICE };
typedef enum cudaXtCopyType_t cudaLibXtCopyType;
enum libFormat_t { LIB_FORMAT_CUFFT = 0, LIB_FORMAT_UNDEFINED = 1 };
typedef enum libFormat_t libFormat;
struct cudaXtDesc_t {
	int version, nGPUs;
	int GPUs[MAX_CUDA_DESCRIPTOR_GPUS];
	void *data[MAX_CUDA_DESCRIPTOR_GPUS];
	size_t size[MAX_CUDA_DESCRIPTOR_GPUS];
	void *cudaXtState;
};
typedef struct cudaXtDesc_t cudaXtDesc;
struct cudaLibXtDesc_t {
	int version;
	cudaXtDesc *descriptor;
	libFormat library;
	int subFormat;
	void *libDescriptor;
};
typedef struct cudaLibXtDesc_t cudaLibXtDesc;
#endif
