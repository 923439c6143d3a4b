/* cuFFT's extended interface, for one GPU: plans whose types are named by cudaDataType. Halves are refused. */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_
#include "cufft.h"
#include "library_types.h"
#ifdef __cplusplus
extern "C" {
#endif
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
				long long idist, cudaDataType input, long long *onembed, long long ostride,
				long long odist, cudaDataType output, long long batch, size_t *work,
				cudaDataType execution);
/* The direction counts for complex to complex alone. */
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction);
#ifdef __cplusplus
}
#endif
#endif
