/*
 * The part of cuRAND that Heddle has: the pseudo-random generators XORWOW and Philox, uniform, normal and log-normal
 * numbers and bits, written to the device's memory or the host's.
 *
 * Number n of a generator is number n / STREAMS of the sequence n mod STREAMS, each 2^67 numbers from the next: the
 * order that cuRAND's manual gives for XORWOW. A thread keeps the state of a sequence between calls; a call begins
 * with the sequence after the last one that was used, so that it does not matter how numbers are parted into calls.
 * Normal numbers are drawn in pairs.
 */
#include <cstdio>
#include <new>
#include "curand.h"
#include "curand_kernel.h"

enum { STREAMS = 4096, THREADS = 128 };

struct curandGenerator_st {
	curandRngType_t type;
	bool host, seeded;
	unsigned long long seed, offset;
	unsigned first; /* the sequence that comes next */
	cudaStream_t stream;
	void *states;
};

template <class S> static __global__ void rand_seed(S *states, unsigned long long seed, unsigned long long offset)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	curand_init(seed, i, offset / STREAMS + (i < offset % STREAMS), &states[i]);
}

/* What is drawn: one value at a time, or two. */
struct bits {
	enum { WIDTH = 1 };
	typedef unsigned type;
	template <class S> __device__ void operator()(S *s, unsigned *v) const { v[0] = curand(s); }
};
template <class T> struct uniform;
template <> struct uniform<float> {
	enum { WIDTH = 1 };
	typedef float type;
	template <class S> __device__ void operator()(S *s, float *v) const { v[0] = curand_uniform(s); }
};
template <> struct uniform<double> {
	enum { WIDTH = 1 };
	typedef double type;
	template <class S> __device__ void operator()(S *s, double *v) const { v[0] = curand_uniform_double(s); }
};

template <class S> static __device__ float2 normal_pair(S *s, float) { return curand_normal2(s); }
template <class S> static __device__ double2 normal_pair(S *s, double) { return curand_normal2_double(s); }
template <class T, bool LOG> struct normal {
	enum { WIDTH = 2 };
	typedef T type;
	T mean, dev;
	template <class S> __device__ void operator()(S *s, T *v) const
	{
		auto p = normal_pair(s, T());
		v[0] = mean + dev * p.x;
		v[1] = mean + dev * p.y;
		if (LOG) {
			v[0] = exp(v[0]);
			v[1] = exp(v[1]);
		}
	}
};

/* Draw number k of the call is of sequence (first + k) mod STREAMS. */
template <class S, class D> static __global__ void rand_fill(S *states, unsigned first, D draw, typename D::type *out, size_t n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	S s = states[i];
	for (size_t k = (i + STREAMS - first) % STREAMS; k * D::WIDTH < n; k += STREAMS) {
		typename D::type v[2];
		draw(&s, v);
		out[k * D::WIDTH] = v[0];
		if (D::WIDTH == 2)
			out[k * 2 + 1] = v[1];
	}
	states[i] = s;
}

template <class S> static curandStatus_t seed(curandGenerator_t g)
{
	if (g->seeded)
		return CURAND_STATUS_SUCCESS;
	if (!g->states && cudaMalloc(&g->states, STREAMS * sizeof(S)))
		return CURAND_STATUS_ALLOCATION_FAILED;
	rand_seed<<<STREAMS / THREADS, THREADS, 0, g->stream>>>((S *)g->states, g->seed, g->offset);
	g->first = (unsigned)(g->offset % STREAMS);
	g->seeded = true;
	return cudaPeekAtLastError() ? CURAND_STATUS_LAUNCH_FAILURE : CURAND_STATUS_SUCCESS;
}

template <class S, class D> static curandStatus_t fill_as(curandGenerator_t g, D draw, typename D::type *out, size_t n)
{
	typename D::type *to = out;
	curandStatus_t st = seed<S>(g);
	if (st || !n)
		return st;
	if (g->host && cudaMalloc(&to, n * sizeof *to))
		return CURAND_STATUS_ALLOCATION_FAILED;
	rand_fill<<<STREAMS / THREADS, THREADS, 0, g->stream>>>((S *)g->states, g->first, draw, to, n);
	g->first = (unsigned)((g->first + n / D::WIDTH) % STREAMS);
	cudaError_t e = cudaPeekAtLastError();
	if (g->host) {
		if (!e)
			e = cudaMemcpyAsync(out, to, n * sizeof *to, cudaMemcpyDeviceToHost, g->stream);
		if (!e)
			e = cudaStreamSynchronize(g->stream);
		cudaFree(to);
	}
	return e ? CURAND_STATUS_LAUNCH_FAILURE : CURAND_STATUS_SUCCESS;
}

template <class D> static curandStatus_t fill(curandGenerator_t g, D draw, typename D::type *out, size_t n)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (n % D::WIDTH)
		return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
	return g->type == CURAND_RNG_PSEUDO_PHILOX4_32_10 ? fill_as<curandStatePhilox4_32_10_t>(g, draw, out, n)
							  : fill_as<curandStateXORWOW_t>(g, draw, out, n);
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool host)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (type == CURAND_RNG_PSEUDO_DEFAULT)
		type = CURAND_RNG_PSEUDO_XORWOW;
	if (type != CURAND_RNG_PSEUDO_XORWOW && type != CURAND_RNG_PSEUDO_PHILOX4_32_10) {
		fprintf(stderr, "heddle: cuRAND's generator %d is not supported: XORWOW and Philox are\n", (int)type);
		return CURAND_STATUS_TYPE_ERROR;
	}
	curandGenerator_t g = new (std::nothrow) curandGenerator_st();
	if (!g)
		return CURAND_STATUS_ALLOCATION_FAILED;
	g->type = type;
	g->host = host;
	*generator = g;
	return CURAND_STATUS_SUCCESS;
}

extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t *g, curandRngType_t type) { return create(g, type, false); }
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *g, curandRngType_t type) { return create(g, type, true); }
curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	cudaFree(g->states);
	delete g;
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int *version)
{
	*version = CURAND_VERSION;
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	g->stream = stream;
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	g->seed = seed;
	g->seeded = false;
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	g->offset = offset;
	g->seeded = false;
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
	if (!g)
		return CURAND_STATUS_NOT_INITIALIZED;
	return order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC ? CURAND_STATUS_SUCCESS
											       : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t g) { return fill(g, bits(), NULL, 0); }
curandStatus_t curandGenerate(curandGenerator_t g, unsigned *out, size_t n) { return fill(g, bits(), out, n); }
curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n) { return fill(g, uniform<float>(), out, n); }
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n)
{
	return fill(g, uniform<double>(), out, n);
}
curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out, size_t n, float mean, float dev)
{
	return fill(g, normal<float, false>{mean, dev}, out, n);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double dev)
{
	return fill(g, normal<double, false>{mean, dev}, out, n);
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out, size_t n, float mean, float dev)
{
	return fill(g, normal<float, true>{mean, dev}, out, n);
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double dev)
{
	return fill(g, normal<double, true>{mean, dev}, out, n);
}
}
