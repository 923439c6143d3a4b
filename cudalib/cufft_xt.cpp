/* cuFFT's extended interface in terms of the plain one: sizes of 64 bits, types by cudaDataType, and an execution that
 * takes any plan. */
#include <climits>
#include <cufftXt.h>
#include "fails.h"
#include <vector>

/* False if a size does not fit the plain interface. */
static bool narrow(const long long *from, int rank, std::vector<int> &to)
{
	for (int i = 0; from && i < rank; i++) {
		if (from[i] < 0 || from[i] > INT_MAX)
			return false;
		to.push_back((int)from[i]);
	}
	return true;
}

extern "C" {
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n, long long *inembed,
				long long istride, long long idist, long long *onembed,
				long long ostride, long long odist, cufftType type, long long batch,
				size_t *work)
{
	std::vector<int> sizes, in, out;
	if (rank < 1 || rank > 3 || !n)
		return CUFFT_INVALID_VALUE;
	long long rest[] = {istride, idist, ostride, odist, batch};
	std::vector<int> fits;
	if (!narrow(n, rank, sizes) || !narrow(inembed, rank, in) || !narrow(onembed, rank, out) ||
	    !narrow(rest, 5, fits))
		return CUFFT_INVALID_SIZE;
	return cufftMakePlanMany(plan, rank, sizes.data(), inembed ? in.data() : nullptr, fits[0],
				 fits[1], onembed ? out.data() : nullptr, fits[2], fits[3], type,
				 fits[4], work);
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed,
				long long istride, long long idist, cudaDataType input,
				long long *onembed, long long ostride, long long odist,
				cudaDataType output, long long batch, size_t *work,
				cudaDataType execution)
{
	static const struct {
		cudaDataType in, out, execution;
		cufftType type;
	} kinds[] = {
		{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C},
		{CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
		{CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R},
		{CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
		{CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z},
		{CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D},
	};
	for (const auto &k : kinds)
		if (k.in == input && k.out == output && k.execution == execution)
			return cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed,
						   ostride, odist, k.type, batch, work);
	return CUFFT_INVALID_TYPE;
}

/* The plan has one type; the functions of the others answer CUFFT_INVALID_TYPE before they do anything. */
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction)
{
	cufftResult r = cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, direction);
	if (r == CUFFT_INVALID_TYPE)
		r = cufftExecR2C(plan, (cufftReal *)in, (cufftComplex *)out);
	if (r == CUFFT_INVALID_TYPE)
		r = cufftExecC2R(plan, (cufftComplex *)in, (cufftReal *)out);
	if (r == CUFFT_INVALID_TYPE)
		r = cufftExecZ2Z(plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out,
				 direction);
	if (r == CUFFT_INVALID_TYPE)
		r = cufftExecD2Z(plan, (cufftDoubleReal *)in, (cufftDoubleComplex *)out);
	if (r == CUFFT_INVALID_TYPE)
		r = cufftExecZ2D(plan, (cufftDoubleComplex *)in, (cufftDoubleReal *)out);
	return r;
}

/* Files with kernels have their own definition, in the header. */
cufftResult cufftXtSetCallback(cufftHandle, void **, cufftXtCallbackType, void **)
{
	library_fails("cufftXtSetCallback is called in a file without device code, whose callbacks nothing can call: "
		      "call it in a file that the CUDA compiler compiles");
	return CUFFT_NOT_SUPPORTED;
}
} /* extern "C" */
