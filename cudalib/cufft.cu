/*
 * The part of cuFFT that Heddle has. A transform is: gather the caller's elements into complex numbers, one after
 * the other; for each dimension and each prime factor of its length one pass of Stockham's algorithm, from one of two
 * buffers to the other; scatter the result to the caller's layout. So every size, stride, type and direction is one
 * path. Small factors (2, 3, 4, 5, 7, 8) have kernels that keep a butterfly in registers.
 *
 * A pass with radix r on sub-transforms of length l: thread j of n / r takes elements j + q n / r, turns each by
 * q (j mod l) / (l r) of a circle, transforms the r of them, and puts them at (j / l) l r + j mod l + q l.
 */
#include <cstring>
#include <map>
#include <mutex>
#include "cufft.h"
#include "cufftXt.h"
#include "cufft_plan.h"

enum { THREADS = 128, MAX_RANK = 3 };

template <class C> struct real_of;
template <> struct real_of<cufftComplex> { typedef float type; };
template <> struct real_of<cufftDoubleComplex> { typedef double type; };

template <class C> static __device__ __forceinline__ C times(C a, C b)
{
	C r;
	r.x = a.x * b.x - a.y * b.y;
	r.y = a.x * b.y + a.y * b.x;
	return r;
}
template <class C> static __device__ __forceinline__ C plus(C a, C b)
{
	a.x += b.x;
	a.y += b.y;
	return a;
}
/* exp(2 pi i sign k / n), 0 <= k < n; in double, because an error of these numbers enters every sum. */
template <class C> static __device__ __forceinline__ C turn(int sign, long long k, long long n)
{
	typedef typename real_of<C>::type R;
	C w;
	double s, c;
	sincospi((double)(2 * k) / (double)n, &s, &c);
	w.x = (R)c;
	w.y = (R)(sign < 0 ? -s : s);
	return w;
}

/* Places of the transforms of one dimension: groups of `inner` transforms `inner_step` apart; groups are `outer_step` apart. */
struct lines {
	long long n, step, inner, inner_step, outer_step, count;
};
static __device__ __forceinline__ long long line_start(const struct lines &l, long long b)
{
	return b % l.inner * l.inner_step + b / l.inner * l.outer_step;
}

template <class C, int R>
static __global__ void fft_pass(const C *in, C *out, struct lines l, long long done, int sign)
{
	long long part = l.n / R, t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= part * l.count)
		return;
	long long j = t % part, base = line_start(l, t / part);
	C v[R];
	for (int q = 0; q < R; q++) {
		v[q] = in[base + (j + q * part) * l.step];
		if (done > 1 && q)
			v[q] = times(v[q], turn<C>(sign, q * (j % done) % (done * R), done * R));
	}
	long long to = j / done * done * R + j % done;
	for (int p = 0; p < R; p++) {
		C s = v[0];
		for (int q = 1; q < R; q++)
			s = plus(s, times(v[q], turn<C>(sign, p * q % R, R)));
		out[base + (to + p * done) * l.step] = s;
	}
}
/* One pass for any factor: one output per thread, which reads all its inputs. */
template <class C>
static __global__ void fft_any(const C *in, C *out, struct lines l, long long done, long long radix, int sign)
{
	long long part = l.n / radix, t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= l.n * l.count)
		return;
	long long i = t % l.n, j = i % part, p = i / part, base = line_start(l, t / l.n);
	C s = in[base + j * l.step];
	for (long long q = 1; q < radix; q++) {
		/* both turns at once: q (j mod l) / (l r) and p q / r */
		long long k = q * (j % done + p * done) % (done * radix);
		s = plus(s, times(in[base + (j + q * part) * l.step], turn<C>(sign, k, done * radix)));
	}
	out[base + (j / done * done * radix + j % done + p * done) * l.step] = s;
}

/* ---- the caller's layout ---- */

struct layout {
	int rank, n[MAX_RANK];       /* dimensions of the transform */
	int embed[MAX_RANK];         /* storage, per dimension */
	long long stride, dist;      /* elements, transforms */
	long long size, batch;       /* elements of a transform, transforms */
};
/* Storage index of element i of transform b; k is its index in the last dimension. */
static __device__ long long place(const struct layout &a, long long b, const int *x)
{
	long long at = 0;
	for (int d = 0; d < a.rank; d++)
		at = at * (d ? a.embed[d] : 1) + x[d];
	return b * a.dist + at * a.stride;
}
static __device__ void index_of(const struct layout &a, long long i, int *x)
{
	for (int d = a.rank - 1; d >= 0; d--) {
		x[d] = (int)(i % a.n[d]);
		i /= a.n[d];
	}
}
template <class C, bool Real>
static __global__ void fft_gather(const void *from, struct layout a, bool half, C *out)
{
	long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= a.size * a.batch)
		return;
	int x[MAX_RANK], last = a.rank - 1;
	index_of(a, t % a.size, x);
	C v;
	if (Real) {
		v.x = ((const typename real_of<C>::type *)from)[place(a, t / a.size, x)];
		v.y = 0;
	} else if (half && x[last] > a.n[last] / 2) { /* the other half is the mirror's conjugate */
		for (int d = 0; d < a.rank; d++)
			x[d] = x[d] ? a.n[d] - x[d] : 0;
		v = ((const C *)from)[place(a, t / a.size, x)];
		v.y = -v.y;
	} else {
		v = ((const C *)from)[place(a, t / a.size, x)];
		/* these are real if the result is real, whatever the caller stored */
		if (half && a.rank == 1 && (x[0] == 0 || 2 * x[0] == a.n[0]))
			v.y = 0;
	}
	out[t] = v;
}
template <class C, bool Real>
static __global__ void fft_scatter(const C *from, struct layout a, bool half, void *to)
{
	long long t = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= a.size * a.batch)
		return;
	int x[MAX_RANK];
	index_of(a, t % a.size, x);
	if (half && x[a.rank - 1] > a.n[a.rank - 1] / 2)
		return;
	long long at = place(a, t / a.size, x);
	if (Real)
		((typename real_of<C>::type *)to)[at] = from[t].x;
	else
		((C *)to)[at] = from[t];
}

/* ---- plans ---- */

/* The program's callback for each element that is read or written. */
struct callback {
	__heddle_fft_step step; /* NULL: none */
	void *routine, *info;
	size_t shared;
};

struct plan {
	bool made;
	cufftType type;
	struct layout in, out;
	cudaStream_t stream;
	void *work; /* two buffers of all transforms */
	size_t bytes;
	bool inplace_padding; /* default layouts: a real array in place of a complex one is padded */
	struct callback load, store;
};
static std::map<cufftHandle, struct plan> plans;
static std::mutex lock;
static cufftHandle last_plan;

static struct plan *plan_of(cufftHandle h)
{
	std::lock_guard<std::mutex> hold(lock);
	auto p = plans.find(h);
	return p == plans.end() ? NULL : &p->second;
}
static bool is_double(cufftType t) { return t == CUFFT_D2Z || t == CUFFT_Z2D || t == CUFFT_Z2Z; }
static bool real_in(cufftType t) { return t == CUFFT_R2C || t == CUFFT_D2Z; }
static bool real_out(cufftType t) { return t == CUFFT_C2R || t == CUFFT_Z2D; }

static void make_layout(struct layout *a, int rank, const int *n, const int *embed, int stride, int dist, bool half,
			long long batch)
{
	*a = {};
	a->rank = rank;
	a->size = 1;
	a->batch = batch;
	long long stored = 1;
	for (int d = 0; d < rank; d++) {
		a->n[d] = n[d];
		a->size *= n[d];
		a->embed[d] = embed ? embed[d] : half && d == rank - 1 ? n[d] / 2 + 1 : n[d];
		stored *= a->embed[d];
	}
	a->stride = embed ? stride : 1;
	a->dist = embed ? dist : stored;
}

static cufftResult make(struct plan *p, int rank, const int *n, const int *inembed, int istride, int idist,
			const int *onembed, int ostride, int odist, cufftType type, int batch, size_t *work)
{
	if (!p)
		return CUFFT_INVALID_PLAN;
	if (rank < 1 || rank > MAX_RANK || batch < 1)
		return CUFFT_INVALID_VALUE;
	for (int d = 0; d < rank; d++)
		if (n[d] < 1)
			return CUFFT_INVALID_SIZE;
	bool c2c = type == CUFFT_C2C || type == CUFFT_Z2Z;
	if (!c2c && !real_in(type) && !real_out(type))
		return CUFFT_INVALID_TYPE;
	if (!inembed || !onembed) /* both or none, as cuFFT has it */
		inembed = onembed = NULL;
	cudaFree(p->work);
	*p = {true, type, {}, {}, p->stream, NULL, 0, !inembed, {}, {}};
	make_layout(&p->in, rank, n, inembed, istride, idist, real_out(type), batch);
	make_layout(&p->out, rank, n, onembed, ostride, odist, real_in(type), batch);
	p->bytes = 2 * (size_t)p->in.size * batch * (is_double(type) ? 16 : 8);
	if (work)
		*work = p->bytes;
	return cudaMalloc(&p->work, p->bytes) ? CUFFT_ALLOC_FAILED : CUFFT_SUCCESS;
}

/* ---- execution ---- */

static dim3 grid_for(long long n) { return dim3((unsigned)((n + THREADS - 1) / THREADS)); }

template <class C>
static void pass(const struct plan *p, const C *in, C *out, const struct lines &l, long long done, long long radix,
		 int sign)
{
	dim3 grid = grid_for(l.n / radix * l.count);
	switch (radix) {
	case 2: fft_pass<C, 2><<<grid, THREADS, 0, p->stream>>>(in, out, l, done, sign); break;
	case 3: fft_pass<C, 3><<<grid, THREADS, 0, p->stream>>>(in, out, l, done, sign); break;
	case 4: fft_pass<C, 4><<<grid, THREADS, 0, p->stream>>>(in, out, l, done, sign); break;
	case 5: fft_pass<C, 5><<<grid, THREADS, 0, p->stream>>>(in, out, l, done, sign); break;
	case 7: fft_pass<C, 7><<<grid, THREADS, 0, p->stream>>>(in, out, l, done, sign); break;
	case 8: fft_pass<C, 8><<<grid, THREADS, 0, p->stream>>>(in, out, l, done, sign); break;
	default:
		fft_any<C><<<grid_for(l.n * l.count), THREADS, 0, p->stream>>>(in, out, l, done, radix, sign);
	}
}
/* 8 and 4 before 2; then the other primes. */
static long long next_factor(long long n)
{
	static const int first[] = {8, 4, 2, 3, 5, 7};
	for (int f : first)
		if (n % f == 0)
			return f;
	for (long long f = 11; f * f <= n; f += 2)
		if (n % f == 0)
			return f;
	return n;
}

/* Copies elements between the program's layout a and `dense`, where those of `packed` follow each other. */
static void call_back(const struct plan *p, const struct callback *c, const struct layout *a, bool half, void *data,
		      void *dense, struct layout *packed)
{
	make_layout(packed, a->rank, a->n, NULL, 1, 0, half, a->batch);
	struct __heddle_fft_places places = {a->rank, {}, {}, a->stride, a->dist, packed->dist * a->batch};
	for (int d = 0; d < a->rank; d++) {
		places.n[d] = packed->embed[d];
		places.embed[d] = a->embed[d];
	}
	c->step(c->routine, data, c->info, dense, &places, c->shared, p->stream);
}

template <class C> static cufftResult run(struct plan *p, const void *in, void *out, int sign)
{
	struct layout from = p->in, to = p->out;
	long long all = from.size * from.batch;
	int last = from.rank - 1;
	C *a = (C *)p->work, *b = a + all;
	if (in == out && p->inplace_padding && (real_in(p->type) || real_out(p->type))) {
		struct layout *real = real_in(p->type) ? &from : &to, *complex = real_in(p->type) ? &to : &from;
		real->embed[last] = 2 * complex->embed[last];
		real->dist = 2 * complex->dist;
	}
	if (p->load.step) { /* the buffer that the first pass writes has room */
		struct layout packed;
		call_back(p, &p->load, &from, real_out(p->type), (void *)in, b, &packed);
		from = packed;
		in = b;
	}
	if (real_in(p->type))
		fft_gather<C, true><<<grid_for(all), THREADS, 0, p->stream>>>(in, from, false, a);
	else
		fft_gather<C, false><<<grid_for(all), THREADS, 0, p->stream>>>(in, from, real_out(p->type), a);
	long long step = 1;
	for (int d = last; d >= 0; step *= from.n[d--]) {
		/* lines of dimension d: `step` of them side by side, again every n[d] steps */
		struct lines l = {from.n[d], step, step, 1, step * from.n[d], all / from.n[d]};
		for (long long left = l.n, done = 1; left > 1;) {
			long long radix = next_factor(left);
			pass<C>(p, a, b, l, done, radix, sign);
			C *t = a;
			a = b, b = t;
			left /= radix;
			done *= radix;
		}
	}
	struct layout left = to;
	void *result = out;
	if (p->store.step) {
		make_layout(&left, to.rank, to.n, NULL, 1, 0, real_in(p->type), to.batch);
		result = b;
	}
	if (real_out(p->type))
		fft_scatter<C, true><<<grid_for(all), THREADS, 0, p->stream>>>(a, left, false, result);
	else
		fft_scatter<C, false><<<grid_for(all), THREADS, 0, p->stream>>>(a, left, real_in(p->type), result);
	if (p->store.step)
		call_back(p, &p->store, &to, real_in(p->type), out, b, &left);
	return cudaPeekAtLastError() ? CUFFT_EXEC_FAILED : CUFFT_SUCCESS;
}
template <class C> static cufftResult execute(cufftHandle h, cufftType type, const void *in, void *out, int sign)
{
	struct plan *p = plan_of(h);
	if (!p || !p->made)
		return CUFFT_INVALID_PLAN;
	if (p->type != type)
		return CUFFT_INVALID_TYPE;
	if (!in || !out || (sign != CUFFT_FORWARD && sign != CUFFT_INVERSE))
		return CUFFT_INVALID_VALUE;
	return run<C>(p, in, out, sign);
}

/* Elements from the first to the last. Batches may lie side by side or be interleaved. */
static size_t extent(const struct layout *a, bool half)
{
	long long last = 0;
	for (int d = 0; d < a->rank; d++)
		last = last * a->embed[d] + (half && d == a->rank - 1 ? a->n[d] / 2 : a->n[d] - 1);
	long long end = last * a->stride + (a->batch - 1) * a->dist + 1, whole = a->dist * a->batch;
	return (size_t)(end > whole ? end : whole);
}
size_t fft_bytes(cufftHandle h, enum fft_side side)
{
	struct plan *p = plan_of(h);
	if (!p || !p->made)
		return 0;
	size_t number = is_double(p->type) ? 8 : 4;
	size_t in = extent(&p->in, real_out(p->type)) * (real_in(p->type) ? 1 : 2) * number;
	size_t out = extent(&p->out, real_in(p->type)) * (real_out(p->type) ? 1 : 2) * number;
	return side == FFT_INPUT ? in : side == FFT_OUTPUT || out > in ? out : in;
}

/* ---- the interface ---- */

extern "C" {
cufftResult cufftCreate(cufftHandle *h)
{
	if (!h)
		return CUFFT_INVALID_VALUE;
	std::lock_guard<std::mutex> hold(lock);
	plans[*h = ++last_plan] = {};
	return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle h)
{
	struct plan *p = plan_of(h);
	if (!p)
		return CUFFT_INVALID_PLAN;
	cudaFree(p->work);
	std::lock_guard<std::mutex> hold(lock);
	plans.erase(h);
	return CUFFT_SUCCESS;
}
cufftResult cufftMakePlanMany(cufftHandle h, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
			      int ostride, int odist, cufftType type, int batch, size_t *work)
{
	return make(plan_of(h), rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, work);
}
cufftResult cufftMakePlan1d(cufftHandle h, int nx, cufftType type, int batch, size_t *work)
{
	return make(plan_of(h), 1, &nx, NULL, 1, 0, NULL, 1, 0, type, batch, work);
}
cufftResult cufftMakePlan2d(cufftHandle h, int nx, int ny, cufftType type, size_t *work)
{
	int n[] = {nx, ny};
	return make(plan_of(h), 2, n, NULL, 1, 0, NULL, 1, 0, type, 1, work);
}
cufftResult cufftMakePlan3d(cufftHandle h, int nx, int ny, int nz, cufftType type, size_t *work)
{
	int n[] = {nx, ny, nz};
	return make(plan_of(h), 3, n, NULL, 1, 0, NULL, 1, 0, type, 1, work);
}
#define PLAN(call) \
	cufftResult r = cufftCreate(h); \
	if (r) \
		return r; \
	r = call; \
	if (r) \
		cufftDestroy(*h); \
	return r
cufftResult cufftPlan1d(cufftHandle *h, int nx, cufftType type, int batch)
{
	PLAN(cufftMakePlan1d(*h, nx, type, batch, NULL));
}
cufftResult cufftPlan2d(cufftHandle *h, int nx, int ny, cufftType type) { PLAN(cufftMakePlan2d(*h, nx, ny, type, NULL)); }
cufftResult cufftPlan3d(cufftHandle *h, int nx, int ny, int nz, cufftType type)
{
	PLAN(cufftMakePlan3d(*h, nx, ny, nz, type, NULL));
}
cufftResult cufftPlanMany(cufftHandle *h, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
			  int ostride, int odist, cufftType type, int batch)
{
	PLAN(cufftMakePlanMany(*h, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, NULL));
}
cufftResult cufftGetSize(cufftHandle h, size_t *work)
{
	struct plan *p = plan_of(h);
	*work = p ? p->bytes : 0;
	return p ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
/* The plan's own buffers are used. */
cufftResult cufftSetWorkArea(cufftHandle h, void *) { return plan_of(h) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
cufftResult cufftSetAutoAllocation(cufftHandle h, int) { return plan_of(h) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }
cufftResult cufftSetCompatibilityMode(cufftHandle h, cufftCompatibility)
{
	return plan_of(h) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetStream(cufftHandle h, cudaStream_t s)
{
	struct plan *p = plan_of(h);
	if (p)
		p->stream = s;
	return p ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
/* The plan's entry for callbacks of a type. */
static cufftResult find_callback(cufftHandle h, cufftXtCallbackType t, struct callback **c)
{
	struct plan *p = plan_of(h);
	if (!p || !p->made)
		return CUFFT_INVALID_PLAN;
	int load = real_in(p->type) ? CUFFT_CB_LD_REAL : CUFFT_CB_LD_COMPLEX;
	int store = real_out(p->type) ? CUFFT_CB_ST_REAL : CUFFT_CB_ST_COMPLEX;
	int width = is_double(p->type); /* the double type follows the single one */
	*c = t == load + width ? &p->load : t == store + width ? &p->store : NULL;
	return *c ? CUFFT_SUCCESS : CUFFT_INVALID_TYPE;
}
cufftResult __heddle_fft_callback(cufftHandle h, void *routine, cufftXtCallbackType type, void *info,
				  __heddle_fft_step step)
{
	struct callback *c;
	cufftResult r = find_callback(h, type, &c);
	if (!r)
		*c = {routine ? step : NULL, routine, info, c->shared};
	return r;
}
cufftResult cufftXtClearCallback(cufftHandle h, cufftXtCallbackType type)
{
	return __heddle_fft_callback(h, NULL, type, NULL, NULL);
}
cufftResult cufftXtSetCallbackSharedSize(cufftHandle h, cufftXtCallbackType type, size_t bytes)
{
	struct callback *c;
	cufftResult r = find_callback(h, type, &c);
	if (!r)
		c->shared = bytes;
	return r;
}
cufftResult cufftGetVersion(int *version)
{
	*version = CUFFT_VERSION;
	return CUFFT_SUCCESS;
}
cufftResult cufftExecC2C(cufftHandle h, cufftComplex *in, cufftComplex *out, int sign)
{
	return execute<cufftComplex>(h, CUFFT_C2C, in, out, sign);
}
cufftResult cufftExecR2C(cufftHandle h, cufftReal *in, cufftComplex *out)
{
	return execute<cufftComplex>(h, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle h, cufftComplex *in, cufftReal *out)
{
	return execute<cufftComplex>(h, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle h, cufftDoubleComplex *in, cufftDoubleComplex *out, int sign)
{
	return execute<cufftDoubleComplex>(h, CUFFT_Z2Z, in, out, sign);
}
cufftResult cufftExecD2Z(cufftHandle h, cufftDoubleReal *in, cufftDoubleComplex *out)
{
	return execute<cufftDoubleComplex>(h, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle h, cufftDoubleComplex *in, cufftDoubleReal *out)
{
	return execute<cufftDoubleComplex>(h, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}
} /* extern "C" */
