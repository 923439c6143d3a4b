/* How many bytes of work space a plan would need: the two buffers of all its transforms, before it is made. */
#include <cufftXt.h>

static bool is_double(cufftType t) { return t == CUFFT_D2Z || t == CUFFT_Z2D || t == CUFFT_Z2Z; }

template <class I>
static cufftResult size_of(int rank, const I *n, cufftType type, long long batch, size_t *work)
{
	if (rank < 1 || rank > 3 || !n || !work || batch < 1)
		return CUFFT_INVALID_VALUE;
	size_t all = 2 * (size_t)batch * (is_double(type) ? 16 : 8);
	for (int d = 0; d < rank; d++) {
		if (n[d] < 1)
			return CUFFT_INVALID_SIZE;
		all *= (size_t)n[d];
	}
	*work = all;
	return CUFFT_SUCCESS;
}
/* Work space by a plan's handle; an error if the handle is none. */
template <class I>
static cufftResult size_for(cufftHandle plan, int rank, const I *n, cufftType type, long long batch,
			    size_t *work)
{
	size_t now;
	cufftResult r = cufftGetSize(plan, &now);
	return r ? r : size_of(rank, n, type, batch, work);
}

extern "C" {
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *work)
{
	return size_of(1, &nx, type, batch, work);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *work)
{
	int n[] = {nx, ny};
	return size_of(2, n, type, 1, work);
}
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *work)
{
	int n[] = {nx, ny, nz};
	return size_of(3, n, type, 1, work);
}
cufftResult cufftEstimateMany(int rank, int *n, int *, int, int, int *, int, int, cufftType type,
			      int batch, size_t *work)
{
	return size_of(rank, n, type, batch, work);
}
cufftResult cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *work)
{
	return size_for(plan, 1, &nx, type, batch, work);
}
cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *work)
{
	int n[] = {nx, ny};
	return size_for(plan, 2, n, type, 1, work);
}
cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *work)
{
	int n[] = {nx, ny, nz};
	return size_for(plan, 3, n, type, 1, work);
}
cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *, int, int, int *, int, int,
			     cufftType type, int batch, size_t *work)
{
	return size_for(plan, rank, n, type, batch, work);
}
cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, long long *n, long long *, long long,
			       long long, long long *, long long, long long, cufftType type,
			       long long batch, size_t *work)
{
	return size_for(plan, rank, n, type, batch, work);
}
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *, long long,
			       long long, cudaDataType, long long *, long long, long long,
			       cudaDataType, long long batch, size_t *work, cudaDataType execution)
{
	if (execution != CUDA_C_32F && execution != CUDA_C_64F)
		return CUFFT_INVALID_TYPE;
	return size_for(plan, rank, n, execution == CUDA_C_64F ? CUFFT_Z2Z : CUFFT_C2C, batch,
			work);
}
cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
	static const int version[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
	if (!value || (unsigned)type > PATCH_LEVEL)
		return CUFFT_INVALID_VALUE;
	*value = version[type];
	return CUFFT_SUCCESS;
}
} /* extern "C" */
