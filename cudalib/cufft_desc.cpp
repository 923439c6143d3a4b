/* cuFFT's memory by descriptors, which several GPUs share: here they have one, and its data are in natural order. */
#include <cufftXt.h>
#include <cstdint>
#include <cstdlib>
#include "cufft_plan.h"

static void *data_of(const cudaLibXtDesc *d)
{
	return d && d->descriptor ? d->descriptor->data[0] : nullptr;
}

/* Address of a descriptor's data; *bytes becomes at most their size. */
static void *part_of(const cudaLibXtDesc *d, size_t *bytes)
{
	void *data = data_of(d);
	if (data && d->descriptor->size[0] < *bytes)
		*bytes = d->descriptor->size[0];
	return data;
}

/* Real numbers and their transform share one place by default, so copies count bytes, not elements. */
static size_t bytes_of(cufftHandle plan, int format)
{
	bool input = format == CUFFT_XT_FORMAT_INPUT || format == CUFFT_XT_FORMAT_DISTRIBUTED_INPUT;
	bool output =
		format == CUFFT_XT_FORMAT_OUTPUT || format == CUFFT_XT_FORMAT_DISTRIBUTED_OUTPUT;
	return fft_bytes(plan, input ? FFT_INPUT : output ? FFT_OUTPUT : FFT_BOTH);
}

extern "C" {
cufftResult cufftXtSetGPUs(cufftHandle plan, int count, int *gpus)
{
	size_t work;
	cufftResult r = cufftGetSize(plan, &work);
	if (r)
		return r;
	if (count < 1 || !gpus)
		return CUFFT_INVALID_VALUE;
	return count == 1 && !gpus[0] ? CUFFT_SUCCESS : CUFFT_INVALID_DEVICE;
}

cufftResult cufftXtFree(cudaLibXtDesc *desc)
{
	if (!desc)
		return CUFFT_SUCCESS;
	cudaFree(data_of(desc));
	free(desc->descriptor);
	free(desc);
	return CUFFT_SUCCESS;
}

cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc **desc, cufftXtSubFormat format)
{
	size_t bytes = bytes_of(plan, format);
	if (!desc)
		return CUFFT_INVALID_VALUE;
	if (!bytes)
		return CUFFT_INVALID_PLAN;
	cudaLibXtDesc *d = (cudaLibXtDesc *)calloc(1, sizeof *d);
	cudaXtDesc *of = (cudaXtDesc *)calloc(1, sizeof *of);
	if (d)
		*d = {CUDA_XT_DESCRIPTOR_VERSION, of, LIB_FORMAT_CUFFT, format, nullptr};
	if (!d || !of || cudaMalloc(&of->data[0], bytes)) {
		free(of);
		free(d);
		return CUFFT_ALLOC_FAILED;
	}
	of->version = CUDA_XT_DESCRIPTOR_VERSION;
	of->nGPUs = 1;
	of->size[0] = bytes;
	*desc = d;
	return CUFFT_SUCCESS;
}

cufftResult cufftXtMemcpy(cufftHandle plan, void *to, void *from, cufftXtCopyType type)
{
	if (!fft_bytes(plan, FFT_BOTH))
		return CUFFT_INVALID_PLAN;
	if (!to || !from || type > CUFFT_COPY_DEVICE_TO_DEVICE)
		return CUFFT_INVALID_VALUE;
	size_t bytes = SIZE_MAX;
	if (type != CUFFT_COPY_DEVICE_TO_HOST)
		to = part_of((cudaLibXtDesc *)to, &bytes);
	if (type != CUFFT_COPY_HOST_TO_DEVICE)
		from = part_of((cudaLibXtDesc *)from, &bytes);
	if (!to || !from)
		return CUFFT_INVALID_VALUE;
	return cudaMemcpy(to, from, bytes, cudaMemcpyDefault) ? CUFFT_EXEC_FAILED : CUFFT_SUCCESS;
}

cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out,
				  int direction)
{
	return cufftXtExec(plan, data_of(in), data_of(out), direction);
}
cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out,
				     int direction)
{
	return cufftExecC2C(plan, (cufftComplex *)data_of(in), (cufftComplex *)data_of(out),
			    direction);
}
cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out,
				     int direction)
{
	return cufftExecZ2Z(plan, (cufftDoubleComplex *)data_of(in),
			    (cufftDoubleComplex *)data_of(out), direction);
}
#define ONE_WAY(kind, from, into)                                                                  \
	cufftResult cufftXtExecDescriptor##kind(cufftHandle plan, cudaLibXtDesc *in,               \
						cudaLibXtDesc *out)                                \
	{                                                                                          \
		return cufftExec##kind(plan, (from *)data_of(in), (into *)data_of(out));           \
	}
ONE_WAY(R2C, cufftReal, cufftComplex)
ONE_WAY(C2R, cufftComplex, cufftReal)
ONE_WAY(D2Z, cufftDoubleReal, cufftDoubleComplex)
ONE_WAY(Z2D, cufftDoubleComplex, cufftDoubleReal)
} /* extern "C" */
