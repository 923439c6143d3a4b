/* cuFFT's memory by descriptors, which several GPUs share: here they have one, and its data are in natural order. */
#include <cufftXt.h>
#include <cstdlib>
#include "cufft_plan.h"

static void *data_of(const cudaLibXtDesc *d)
{
	return d && d->descriptor ? d->descriptor->data[0] : nullptr;
}

/* A plan of another type has no size; that of a transform which is not made is not known. */
static cufftResult no_bytes(cufftHandle plan)
{
	size_t work = 0;
	cufftResult r = cufftGetSize(plan, &work);
	return r ? r : work ? CUFFT_NOT_SUPPORTED : CUFFT_INVALID_PLAN;
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
	size_t bytes = fft_complex_bytes(plan);
	if (!desc)
		return CUFFT_INVALID_VALUE;
	if (!bytes)
		return no_bytes(plan);
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
	size_t bytes = fft_complex_bytes(plan);
	if (!bytes)
		return no_bytes(plan);
	if (!to || !from || type > CUFFT_COPY_DEVICE_TO_DEVICE)
		return CUFFT_INVALID_VALUE;
	if (type != CUFFT_COPY_DEVICE_TO_HOST)
		to = data_of((cudaLibXtDesc *)to);
	if (type != CUFFT_COPY_HOST_TO_DEVICE)
		from = data_of((cudaLibXtDesc *)from);
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
} /* extern "C" */
