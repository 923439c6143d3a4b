/*
 * The part of cuRAND that Heddle has: pseudo-random generators and Sobol's sequences, uniform, normal, log-normal and
 * Poisson numbers and bits, written to the device's memory or the host's.
 *
 * Number n of XORWOW, Philox and MRG32k3a is number n / STREAMS of the sequence n mod STREAMS, each 2^67 numbers from the next: the
 * order that cuRAND's manual gives for XORWOW. A thread keeps the state of a sequence between calls; a call begins
 * with the sequence after the last one that was used, so that it does not matter how numbers are parted into calls.
 * Normal numbers are drawn in pairs.
 *
 * MT19937 is one sequence. Of Sobol's sequences the numbers of a dimension come one after the other, then those of the
 * next, and every value is made of one number.
 */
#include <mutex>
#include <new>
#include <set>
#include "curand.h"
#include "curand_kernel.h"
#include "curand_mt.cuh"
#include "curand_sobol.cuh"
#include "fails.h"

enum { STREAMS = 4096, THREADS = 128 };

struct curandGenerator_st {
	curandRngType_t type;
	bool host, seeded;
	unsigned long long seed, offset;
	unsigned first; /* the sequence that comes next */
	unsigned dimensions; /* number of dimensions of Sobol's sequences */
	cudaStream_t stream;
	void *states;
};

/* A handle that a program made up, or has destroyed, is refused. */
static std::set<curandGenerator_t> generators;
static std::mutex lock;
static bool known(curandGenerator_t g)
{
	std::lock_guard<std::mutex> hold(lock);
	if (generators.count(g))
		return true;
	static bool said;
	if (g && !said)
		library_fails("cuRAND: %p is not a generator: it was never created, or has been destroyed", (void *)g);
	said |= g != NULL;
	return false;
}

template <class S> static __global__ void rand_seed(S *states, unsigned long long seed, unsigned long long offset)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	curand_init(seed, i, offset / STREAMS + (i < offset % STREAMS), &states[i]);
}

/* A kind of number: WIDTH values are drawn at a time, from WORDS words of a tape. */
struct bits {
	enum { WIDTH = 1, WORDS = 1 };
	typedef unsigned type;
	template <class S> __device__ void operator()(S *s, unsigned *v) const { v[0] = curand(s); }
};
template <class T> struct uniform;
template <> struct uniform<float> {
	enum { WIDTH = 1, WORDS = 1 };
	typedef float type;
	template <class S> __device__ void operator()(S *s, float *v) const { v[0] = curand_uniform(s); }
};
template <> struct uniform<double> {
	enum { WIDTH = 1, WORDS = 2 };
	typedef double type;
	template <class S> __device__ void operator()(S *s, double *v) const { v[0] = curand_uniform_double(s); }
};

template <class S> static __device__ float2 normal_pair(S *s, float) { return curand_normal2(s); }
template <class S> static __device__ double2 normal_pair(S *s, double) { return curand_normal2_double(s); }
template <class T, bool LOG> struct normal {
	enum { WIDTH = 2, WORDS = sizeof(T) / 2 };
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

/* Normal numbers from one number each. */
template <class S> static __device__ float normal_one(S *s, float) { return curand_normal(s); }
template <class S> static __device__ double normal_one(S *s, double) { return curand_normal_double(s); }
template <class T, bool LOG> struct normal_quantile {
	enum { WIDTH = 1 };
	typedef T type;
	T mean, dev;
	template <class S> __device__ void operator()(S *s, T *v) const
	{
		T x = mean + dev * normal_one(s, T());
		v[0] = LOG ? exp(x) : x;
	}
};

struct poisson {
	enum { WIDTH = 1 };
	typedef unsigned type;
	double mean;
	template <class S> __device__ void operator()(S *s, unsigned *v) const { v[0] = curand_poisson(s, mean); }
};
/* A Poisson number from one uniform number: the first count whose sum of probabilities reaches it. Where the first
 * of them is too small for a double, the normal distribution stands for it. */
struct poisson_quantile {
	enum { WIDTH = 1, WORDS = 2 };
	typedef unsigned type;
	double mean;
	template <class S> __device__ void operator()(S *s, unsigned *v) const
	{
		double u = curand_uniform_double(s), p = exp(-mean), sum = p;
		if (mean > 700) {
			double x = mean + sqrt(mean) * normcdfinv(u < 1 ? u : 1 - 1e-16) + 0.5;
			v[0] = x > 0 ? (unsigned)x : 0;
			return;
		}
		unsigned n = 0;
		while (sum < u && p > 0) {
			p *= mean / ++n;
			sum += p;
		}
		v[0] = n;
	}
};

/* Draw number k of the call comes from sequence (first + k) mod STREAMS. */
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

/* Device memory that a call writes: the program's, or a buffer if the program's is host memory. */
template <class T> struct target {
	curandGenerator_t g;
	T *out, *to;
	size_t n;
	target(curandGenerator_t g_, T *out_, size_t n_) : g(g_), out(out_), to(out_), n(n_)
	{
		if (g->host && cudaMalloc(&to, n * sizeof *to))
			to = NULL;
	}
	curandStatus_t deliver()
	{
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
};

template <class S, class D> static curandStatus_t fill_as(curandGenerator_t g, D draw, typename D::type *out, size_t n)
{
	curandStatus_t st = seed<S>(g);
	if (st || !n)
		return st;
	target<typename D::type> t(g, out, n);
	if (!t.to)
		return CURAND_STATUS_ALLOCATION_FAILED;
	rand_fill<<<STREAMS / THREADS, THREADS, 0, g->stream>>>((S *)g->states, g->first, draw, t.to, n);
	g->first = (unsigned)((g->first + n / D::WIDTH) % STREAMS);
	return t.deliver();
}

/* MT19937: draws the bits first, then converts them. */
template <class D> static __global__ void rand_from_tape(const unsigned *words, D draw, typename D::type *out, size_t n)
{
	size_t k = blockIdx.x * (size_t)THREADS + threadIdx.x;
	typename D::type v[2];
	tape t = {words + k * D::WORDS};
	if (k * D::WIDTH >= n)
		return;
	draw(&t, v);
	for (int i = 0; i < D::WIDTH; i++)
		out[k * D::WIDTH + i] = v[i];
}
template <class D> static curandStatus_t fill_mt(curandGenerator_t g, D draw, typename D::type *out, size_t n)
{
	if (!g->states && cudaMalloc(&g->states, sizeof(mt_state)))
		return CURAND_STATUS_ALLOCATION_FAILED;
	mt_state *s = (mt_state *)g->states;
	if (!g->seeded) {
		rand_mt_seed<<<1, 1, 0, g->stream>>>(s, (unsigned)(g->seed ^ g->seed >> 32));
		if (g->offset)
			rand_mt<<<1, MT_THREADS, 0, g->stream>>>(s, NULL, g->offset);
		g->seeded = true;
	}
	if (!n)
		return CURAND_STATUS_SUCCESS;
	target<typename D::type> t(g, out, n);
	size_t draws = n / D::WIDTH;
	unsigned *words = NULL;
	if (!t.to || cudaMalloc(&words, draws * D::WORDS * sizeof *words))
		return CURAND_STATUS_ALLOCATION_FAILED;
	rand_mt<<<1, MT_THREADS, 0, g->stream>>>(s, words, draws * D::WORDS);
	rand_from_tape<<<(unsigned)((draws + THREADS - 1) / THREADS), THREADS, 0, g->stream>>>(words, draw, t.to, n);
	curandStatus_t st = t.deliver();
	cudaFree(words);
	return st;
}

/* Sobol's sequences: a thread takes points of one dimension at a fixed distance. */
template <class W> struct sobol_tables {
	W vectors[sizeof(W) * 8], scramble;
};
template <class S, class W, class D>
static __global__ void rand_sobol(const sobol_tables<W> *tables, W from, D draw, typename D::type *out, size_t points)
{
	const sobol_tables<W> &t = tables[blockIdx.y];
	W step = (W)gridDim.x * THREADS, k = (W)blockIdx.x * THREADS + threadIdx.x;
	S s;
	curand_init(t.vectors, t.scramble, from + k, &s);
	for (; k < points; k += step) {
		draw(&s, &out[blockIdx.y * points + k]);
		skipahead(step - 1, &s);
	}
}
template <class S, class W, class D>
static curandStatus_t fill_sobol(curandGenerator_t g, D draw, typename D::type *out, size_t n)
{
	bool scrambled = g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
	sobol_tables<W> tables[SOBOL_DIMENSIONS];
	if (!n || n % g->dimensions)
		return n ? CURAND_STATUS_LENGTH_NOT_MULTIPLE : CURAND_STATUS_SUCCESS;
	for (unsigned d = 0; d < g->dimensions; d++) {
		sobol_vectors(d, tables[d].vectors);
		tables[d].scramble = scrambled ? sobol_scramble<W>(d) : 0;
	}
	if (!g->states && cudaMalloc(&g->states, sizeof tables))
		return CURAND_STATUS_ALLOCATION_FAILED;
	cudaMemcpyAsync(g->states, tables, g->dimensions * sizeof *tables, cudaMemcpyHostToDevice, g->stream);
	target<typename D::type> t(g, out, n);
	if (!t.to)
		return CURAND_STATUS_ALLOCATION_FAILED;
	size_t points = n / g->dimensions, blocks = (points + 8 * THREADS - 1) / (8 * THREADS);
	rand_sobol<S, W, D><<<dim3(blocks < 64 ? (unsigned)blocks : 64, g->dimensions), THREADS, 0, g->stream>>>(
		(const sobol_tables<W> *)g->states, (W)g->offset, draw, t.to, points);
	g->offset += points;
	return t.deliver();
}

/* P makes a value of a pseudo-random generator's numbers, T of a tape, Q of one number. */
template <class P, class T, class Q>
static curandStatus_t fill(curandGenerator_t g, P pseudo, T tape, Q quasi, typename P::type *out, size_t n)
{
	if (!known(g))
		return CURAND_STATUS_NOT_INITIALIZED;
	bool of_sobol = g->type >= CURAND_RNG_QUASI_DEFAULT;
	if (!of_sobol && n % P::WIDTH)
		return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
	switch (g->type) {
	case CURAND_RNG_PSEUDO_PHILOX4_32_10: return fill_as<curandStatePhilox4_32_10_t>(g, pseudo, out, n);
	case CURAND_RNG_PSEUDO_MRG32K3A: return fill_as<curandStateMRG32k3a_t>(g, pseudo, out, n);
	case CURAND_RNG_PSEUDO_MT19937: return fill_mt(g, tape, out, n);
	case CURAND_RNG_QUASI_SOBOL32:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
		return fill_sobol<curandStateScrambledSobol32_t, unsigned>(g, quasi, out, n);
	case CURAND_RNG_QUASI_SOBOL64:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
		return fill_sobol<curandStateScrambledSobol64_t, unsigned long long>(g, quasi, out, n);
	default: return fill_as<curandStateXORWOW_t>(g, pseudo, out, n);
	}
}
template <class D> static curandStatus_t fill(curandGenerator_t g, D draw, typename D::type *out, size_t n)
{
	return fill(g, draw, draw, draw, out, n);
}
template <class T, bool LOG>
static curandStatus_t fill_normal(curandGenerator_t g, T *out, size_t n, T mean, T dev)
{
	normal<T, LOG> pair = {mean, dev};
	return fill(g, pair, pair, normal_quantile<T, LOG>{mean, dev}, out, n);
}
/* 64-bit numbers, which only the sequences of 64 bits have. */
struct bits64 {
	enum { WIDTH = 1 };
	typedef unsigned long long type;
	__device__ void operator()(curandStateScrambledSobol64_t *s, type *v) const { v[0] = curand(s); }
};

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool host)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (type == CURAND_RNG_PSEUDO_DEFAULT)
		type = CURAND_RNG_PSEUDO_XORWOW;
	if (type == CURAND_RNG_QUASI_DEFAULT)
		type = CURAND_RNG_QUASI_SOBOL32;
	switch (type) {
	case CURAND_RNG_PSEUDO_XORWOW:
	case CURAND_RNG_PSEUDO_MRG32K3A:
	case CURAND_RNG_PSEUDO_MT19937:
	case CURAND_RNG_PSEUDO_PHILOX4_32_10:
	case CURAND_RNG_QUASI_SOBOL32:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
	case CURAND_RNG_QUASI_SOBOL64:
	case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64: break;
	default:
		library_fails("cuRAND's generator %d%s is not supported", (int)type, type == CURAND_RNG_PSEUDO_MTGP32 ? " (MTGP32)" : "");
		return CURAND_STATUS_TYPE_ERROR;
	}
	curandGenerator_t g = new (std::nothrow) curandGenerator_st();
	if (!g)
		return CURAND_STATUS_ALLOCATION_FAILED;
	g->type = type;
	g->host = host;
	g->dimensions = 1;
	*generator = g;
	std::lock_guard<std::mutex> hold(lock);
	generators.insert(g);
	return CURAND_STATUS_SUCCESS;
}

/* Tables of the program's own use. */
template <class W> static W (*sobol_table(void))[sizeof(W) * 8]
{
	static W v[SOBOL_DIMENSIONS][sizeof(W) * 8];
	for (int d = 0; d < SOBOL_DIMENSIONS; d++)
		sobol_vectors(d, v[d]);
	return v;
}

extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t *g, curandRngType_t type) { return create(g, type, false); }
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *g, curandRngType_t type) { return create(g, type, true); }
curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
	if (!known(g))
		return CURAND_STATUS_NOT_INITIALIZED;
	cudaFree(g->states);
	std::lock_guard<std::mutex> hold(lock);
	generators.erase(g);
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
	if (!known(g))
		return CURAND_STATUS_NOT_INITIALIZED;
	g->stream = stream;
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
	if (!known(g))
		return CURAND_STATUS_NOT_INITIALIZED;
	g->seed = seed;
	g->seeded = false;
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
	if (!known(g))
		return CURAND_STATUS_NOT_INITIALIZED;
	g->offset = offset;
	g->seeded = false;
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
	if (!known(g))
		return CURAND_STATUS_NOT_INITIALIZED;
	bool known = g->type >= CURAND_RNG_QUASI_DEFAULT ? order == CURAND_ORDERING_QUASI_DEFAULT :
		order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC;
	return known ? CURAND_STATUS_SUCCESS : CURAND_STATUS_OUT_OF_RANGE;
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions)
{
	if (!known(g))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (g->type < CURAND_RNG_QUASI_DEFAULT)
		return CURAND_STATUS_TYPE_ERROR;
	if (dimensions > SOBOL_DIMENSIONS)
		library_fails("cuRAND: sequences of %u dimensions are not supported; expected at most %d", dimensions, (int)SOBOL_DIMENSIONS);
	if (!dimensions || dimensions > SOBOL_DIMENSIONS)
		return CURAND_STATUS_OUT_OF_RANGE;
	g->dimensions = dimensions;
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set)
{
	if (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6)
		return CURAND_STATUS_OUT_OF_RANGE;
	*vectors = sobol_table<unsigned>();
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set)
{
	if (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6)
		return CURAND_STATUS_OUT_OF_RANGE;
	*vectors = sobol_table<unsigned long long>();
	return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *out, size_t n)
{
	if (!known(g))
		return CURAND_STATUS_NOT_INITIALIZED;
	if (g->type != CURAND_RNG_QUASI_SOBOL64 && g->type != CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
		return CURAND_STATUS_TYPE_ERROR;
	return fill_sobol<curandStateScrambledSobol64_t, unsigned long long>(g, bits64(), out, n);
}
curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *out, size_t n, double mean)
{
	if (!(mean > 0))
		return CURAND_STATUS_OUT_OF_RANGE;
	return fill(g, poisson{mean}, poisson_quantile{mean}, poisson_quantile{mean}, out, n);
}
curandStatus_t curandGenerateSeeds(curandGenerator_t g) { return fill(g, bits(), NULL, 0); }
curandStatus_t curandGenerate(curandGenerator_t g, unsigned *out, size_t n)
{
	bool wide = g && (g->type == CURAND_RNG_QUASI_SOBOL64 || g->type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64);
	return wide ? CURAND_STATUS_TYPE_ERROR : fill(g, bits(), out, n);
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n) { return fill(g, uniform<float>(), out, n); }
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n)
{
	return fill(g, uniform<double>(), out, n);
}
curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out, size_t n, float mean, float dev)
{
	return fill_normal<float, false>(g, out, n, mean, dev);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double dev)
{
	return fill_normal<double, false>(g, out, n, mean, dev);
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out, size_t n, float mean, float dev)
{
	return fill_normal<float, true>(g, out, n, mean, dev);
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double dev)
{
	return fill_normal<double, true>(g, out, n, mean, dev);
}
}
