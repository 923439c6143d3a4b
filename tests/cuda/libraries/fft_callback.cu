/* Callbacks of cuFFT: a transform with callbacks equals a plain transform of what the load
 * callbacks return, whose results pass through the store callbacks. Each element is loaded and
 * stored once, with its index and the caller's data. */
#include <cstdio>
#include <cmath>
#include <cstring>
#include <vector>
#include <cufftXt.h>

static int bad, done;
static void expect(const char *what, bool right)
{
	done++;
	if (!right) {
		printf("%s: wrong\n", what);
		bad = 1;
	}
}
/* A factor of two, exact with or without a fused multiply-add. */
struct caller {
	double factor;
	unsigned *loads, *stores; /* calls for each place */
};
template <class R> struct pair_of;
template <> struct pair_of<float> { typedef cufftComplex type; };
template <> struct pair_of<double> { typedef cufftDoubleComplex type; };

template <class R> static __host__ __device__ R change(R x, size_t place, double factor)
{
	return x * (R)factor + (R)(place % 5);
}
template <class R> static __device__ R load_real(void *in, size_t place, void *info, void *shared)
{
	caller *c = (caller *)info;
	R *mine = (R *)shared + threadIdx.x; /* the amount that was requested */
	atomicAdd(&c->loads[place], 1);
	*mine = ((const R *)in)[place];
	return change(*mine, place, c->factor);
}
template <class R> static __device__ typename pair_of<R>::type load_complex(void *in, size_t place, void *info, void *)
{
	caller *c = (caller *)info;
	typename pair_of<R>::type v = ((const typename pair_of<R>::type *)in)[place];
	atomicAdd(&c->loads[place], 1);
	v.x = change(v.x, place, c->factor);
	return v;
}
template <class R> static __device__ void store_real(void *out, size_t place, R v, void *info, void *)
{
	caller *c = (caller *)info;
	atomicAdd(&c->stores[place], 1);
	((R *)out)[place] = change(v, place, c->factor);
}
template <class R>
static __device__ void store_complex(void *out, size_t place, typename pair_of<R>::type v, void *info, void *)
{
	caller *c = (caller *)info;
	atomicAdd(&c->stores[place], 1);
	v.x = change(v.x, place, c->factor);
	((typename pair_of<R>::type *)out)[place] = v;
}
static __device__ cufftCallbackLoadR load_r = load_real<float>;
static __device__ cufftCallbackLoadD load_d = load_real<double>;
static __device__ cufftCallbackLoadC load_c = load_complex<float>;
static __device__ cufftCallbackLoadZ load_z = load_complex<double>;
static __device__ cufftCallbackStoreR store_r = store_real<float>;
static __device__ cufftCallbackStoreD store_d = store_real<double>;
static __device__ cufftCallbackStoreC store_c = store_complex<float>;
static __device__ cufftCallbackStoreZ store_z = store_complex<double>;

template <class F> static void *routine(F &symbol)
{
	void *f = NULL;
	if (cudaMemcpyFromSymbol(&f, symbol, sizeof f))
		bad = 1;
	return f;
}
#define OK(call) \
	do { \
		cufftResult r_ = call; \
		if (r_) { \
			printf("%s: %d\n", #call, r_); \
			bad = 1; \
		} \
	} while (0)
template <class T> static T *managed(size_t n)
{
	T *p;
	cudaMallocManaged(&p, n * sizeof(T));
	memset((void *)p, 0, n * sizeof(T));
	return p;
}

/* Layout of elements in memory: `line` elements per line, of which `used` belong to the transform,
 * each of `width` numbers of type R. */
struct side {
	size_t lines, line, used;
	int width;
	size_t numbers() const { return lines * line; }
};
template <class R> static void change_all(const struct side &s, R *v, double factor)
{
	for (size_t l = 0; l < s.lines; l++)
		for (size_t i = 0; i < s.used; i++)
			v[l * s.line + i * s.width] =
				change(v[l * s.line + i * s.width], (l * s.line + i * s.width) / s.width, factor);
}
static bool once(const struct side &s, const unsigned *calls)
{
	bool right = true;
	for (size_t l = 0; l < s.lines; l++)
		for (size_t i = 0; i < s.line / s.width; i++)
			right &= calls[l * s.line / s.width + i] == (i < s.used);
	return right;
}

template <class R>
static void transform(const char *what, cufftType type, int rank, int *n, int batch, bool in_place,
		      cufftXtCallbackType load_type, void *load, cufftXtCallbackType store_type, void *store)
{
	size_t lines = batch;
	for (int d = 0; d + 1 < rank; d++)
		lines *= n[d];
	size_t length = n[rank - 1], half = length / 2 + 1;
	bool real_in = load_type >= CUFFT_CB_LD_REAL, real_out = store_type >= CUFFT_CB_ST_REAL;
	struct side in = {lines, 2 * (real_out ? half : length), real_out ? half : length, 2}, out = in;
	if (real_in)
		in = {lines, in_place ? 2 * half : length, length, 1}, out = {lines, 2 * half, half, 2};
	if (real_out)
		out = {lines, in_place ? 2 * half : length, length, 1};
	R *from = managed<R>(in.numbers()), *plain = managed<R>(in.numbers());
	R *got = in_place ? from : managed<R>(out.numbers()), *want = in_place ? plain : managed<R>(out.numbers());
	caller *info = managed<caller>(1);
	*info = {2, managed<unsigned>(in.numbers()), managed<unsigned>(out.numbers())};
	for (size_t i = 0; i < in.numbers(); i++)
		from[i] = plain[i] = (R)((i * 7 + 3) % 11) - 5;
	change_all(in, plain, info->factor);
	cufftHandle p;
	OK(cufftPlanMany(&p, rank, n, NULL, 1, 0, NULL, 1, 0, type, batch));
	OK(cufftXtExec(p, plain, want, CUFFT_FORWARD));
	cudaDeviceSynchronize();
	change_all(out, want, info->factor);
	void *data = info;
	OK(cufftXtSetCallback(p, &load, load_type, &data));
	OK(cufftXtSetCallback(p, &store, store_type, &data));
	OK(cufftXtSetCallbackSharedSize(p, load_type, 128 * sizeof(R)));
	OK(cufftXtExec(p, from, got, CUFFT_FORWARD));
	expect(what, cudaDeviceSynchronize() == cudaSuccess && !cudaGetLastError());
	bool same = true;
	for (size_t l = 0; l < out.lines; l++)
		for (size_t i = 0; i < out.used * out.width; i++)
			same &= got[l * out.line + i] == want[l * out.line + i];
	expect(what, same && got[0] != 0);
	expect(what, once(in, info->loads) && once(out, info->stores));
	/* without them again */
	OK(cufftXtClearCallback(p, load_type));
	OK(cufftXtClearCallback(p, store_type));
	OK(cufftXtExec(p, from, got, CUFFT_FORWARD));
	cudaDeviceSynchronize();
	expect(what, once(in, info->loads) && once(out, info->stores));
	cufftXtCallbackType other = (cufftXtCallbackType)(load_type ^ 1);
	expect(what, cufftXtSetCallback(p, &load, other, &data) == CUFFT_INVALID_TYPE);
	OK(cufftDestroy(p));
	expect(what, cufftXtSetCallback(p, &load, load_type, &data) == CUFFT_INVALID_PLAN);
}

int main()
{
	int line[] = {12}, odd[] = {7}, plane[] = {6, 10}, box[] = {3, 4, 8};
	void *lr = routine(load_r), *ld = routine(load_d), *lc = routine(load_c), *lz = routine(load_z);
	void *sr = routine(store_r), *sd = routine(store_d), *sc = routine(store_c), *sz = routine(store_z);
	for (bool in_place : {false, true}) {
		transform<float>("C2C", CUFFT_C2C, 1, line, 3, in_place, CUFFT_CB_LD_COMPLEX, lc, CUFFT_CB_ST_COMPLEX, sc);
		transform<double>("Z2Z", CUFFT_Z2Z, 2, plane, 2, in_place, CUFFT_CB_LD_COMPLEX_DOUBLE, lz,
				  CUFFT_CB_ST_COMPLEX_DOUBLE, sz);
		transform<float>("R2C", CUFFT_R2C, 1, odd, 3, in_place, CUFFT_CB_LD_REAL, lr, CUFFT_CB_ST_COMPLEX, sc);
		transform<double>("D2Z", CUFFT_D2Z, 3, box, 1, in_place, CUFFT_CB_LD_REAL_DOUBLE, ld,
				  CUFFT_CB_ST_COMPLEX_DOUBLE, sz);
		transform<float>("C2R", CUFFT_C2R, 2, plane, 2, in_place, CUFFT_CB_LD_COMPLEX, lc, CUFFT_CB_ST_REAL, sr);
		transform<double>("Z2D", CUFFT_Z2D, 1, line, 2, in_place, CUFFT_CB_LD_COMPLEX_DOUBLE, lz,
				  CUFFT_CB_ST_REAL_DOUBLE, sd);
	}
	printf("%d results\n", done);
	return bad;
}
