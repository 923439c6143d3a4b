/*
 * Rotations of cuBLAS (rot, rotg, rotm, rotmg), and products of vectors and a real number. Parameters are made where the pointer
 * mode has them, on the host or by one thread.
 */
#include <type_traits>
#include "cublas_vector.cuh"

/* The sine of a rotation of complex numbers may be real. */
template <class T, class S> HD T widened(S s)
{
	if constexpr (std::is_same<T, S>::value)
		return s;
	else
		return of_real<T>(s);
}

template <class T, class S>
static __global__ void blas_rot(int n, T *x, int incx, T *y, int incy, scalar<real<T>> cosine, scalar<S> sine)
{
	real<T> c = cosine.get();
	S s = sine.get();
	FOR_EACH (i, n) {
		T *u = &x[at(i, n, incx)], *v = &y[at(i, n, incy)], p = *u, q = *v, t = widened<T, S>(s);
		*u = add(times(c, p), mul(t, q));
		*v = sub(times(c, q), mul(conjugate(t), p));
	}
}
template <class T, class S>
static cublasStatus_t rot(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const real<T> *c, const S *s)
{
	NEED(h);
	blas_rot<T, S><<<grid_for(n), THREADS, 0, h->stream>>>(n, x, incx, y, incy, scalar_of(h, c), scalar_of(h, s));
	return launched();
}
template <class T> static __global__ void blas_scal_real(int n, scalar<real<T>> alpha, T *x, int incx)
{
	real<T> a = alpha.get();
	FOR_EACH (i, n)
		x[at(i, n, incx)] = times(a, x[at(i, n, incx)]);
}

/* a becomes the length with the sign of the longer number, b the value from which both numbers can be restored. */
template <class T> HD void real_rotation(T *a, T *b, T *c, T *s)
{
	T longer = magnitude(*a) > magnitude(*b) ? *a : *b, scale = magnitude(*a) + magnitude(*b);
	if (scale == 0) {
		*c = 1, *s = 0, *a = 0, *b = 0;
		return;
	}
	T r = scale * root_of(square(*a / scale) + square(*b / scale));
	r = longer < 0 ? -r : r;
	*c = *a / r, *s = *b / r;
	*b = magnitude(*a) > magnitude(*b) ? *s : *c != 0 ? 1 / *c : 1;
	*a = r;
}
/* The rotation of two complex numbers; b keeps its value. */
template <class T> HD void complex_rotation(T *a, T *b, real<T> *c, T *s)
{
	real<T> size = modulus(*a), scale = size + modulus(*b);
	if (size == 0) {
		*c = 0, *s = of_real<T>(1), *a = *b;
		return;
	}
	real<T> norm = scale * root_of(square(times(1 / scale, *a)) + square(times(1 / scale, *b)));
	T direction = times(1 / size, *a);
	*c = size / norm;
	*s = times(1 / norm, mul(direction, conjugate(*b)));
	*a = times(norm, direction);
}

template <class T> HD void make_rotation(T *a, T *b, real<T> *c, T *s)
{
	if constexpr (std::is_same<T, real<T>>::value)
		real_rotation(a, b, c, s);
	else
		complex_rotation(a, b, c, s);
}

/* The parameters of a modified rotation: param[0] says which elements of H are stored, and which are 1, -1 and 0. */
template <class T> struct modified {
	T flag, h11, h21, h12, h22;

	__host__ __device__ void all()
	{
		if (flag == 0)
			h11 = 1, h22 = 1;
		else if (flag > 0)
			h21 = -1, h12 = 1;
		flag = -1;
	}
	__host__ __device__ void write(T *p) const
	{
		p[0] = flag;
		if (flag < 0 || flag > 0)
			p[1] = h11, p[4] = h22;
		if (flag <= 0)
			p[2] = h21, p[3] = h12;
	}
};
template <class T> HD void make_modified(T *d1, T *d2, T *x1, const T *y1, T *param)
{
	const T gamma = 4096, square_of = gamma * gamma;
	modified<T> m = {0, 0, 0, 0, 0};
	T p2 = *d2 * *y1, p1 = *d1 * *x1, q2 = p2 * *y1, q1 = p1 * *x1;
	if (*d1 >= 0 && p2 == 0) {
		param[0] = -2;
		return;
	}
	T u = 0;
	if (*d1 < 0) {
		m.flag = -1;
	} else if (magnitude(q1) > magnitude(q2)) {
		m.h21 = -*y1 / *x1, m.h12 = p2 / p1;
		u = 1 - m.h12 * m.h21;
		m.flag = u > 0 ? 0 : -1;
	} else if (q2 < 0) {
		m.flag = -1;
	} else {
		m.flag = 1;
		m.h11 = p1 / p2, m.h22 = *x1 / *y1;
		u = 1 + m.h11 * m.h22;
	}
	if (m.flag < 0) { /* impossible: everything becomes zero */
		m = {-1, 0, 0, 0, 0};
		*d1 = 0, *d2 = 0, *x1 = 0;
		m.write(param);
		return;
	}
	if (m.flag == 0) {
		*d1 /= u, *d2 /= u, *x1 *= u;
	} else {
		T t = *d2 / u;
		*d2 = *d1 / u, *d1 = t, *x1 = *y1 * u;
	}
	int steps = 64; /* a finite number needs no more steps; an infinite one would never end */
	for (; *d1 != 0 && *d1 <= 1 / square_of && steps; m.h11 /= gamma, m.h12 /= gamma, steps--)
		m.all(), *d1 *= square_of, *x1 /= gamma;
	for (; *d1 >= square_of && steps; m.h11 *= gamma, m.h12 *= gamma, steps--)
		m.all(), *d1 /= square_of, *x1 *= gamma;
	for (; *d2 != 0 && magnitude(*d2) <= 1 / square_of && steps; m.h21 /= gamma, m.h22 /= gamma, steps--)
		m.all(), *d2 *= square_of;
	for (; magnitude(*d2) >= square_of && steps; m.h21 *= gamma, m.h22 *= gamma, steps--)
		m.all(), *d2 /= square_of;
	m.write(param);
}
template <class T> struct parameters {
	T value[5];
	const T *at;
};
template <class T> static __global__ void blas_rotm(int n, T *x, int incx, T *y, int incy, parameters<T> given)
{
	const T *p = given.at ? given.at : given.value;
	T flag = p[0];
	if (flag == -2)
		return;
	T h11 = flag == 0 ? 1 : p[1], h21 = flag > 0 ? -1 : p[2], h12 = flag > 0 ? 1 : p[3], h22 = flag == 0 ? 1 : p[4];
	FOR_EACH (i, n) {
		T *u = &x[at(i, n, incx)], *v = &y[at(i, n, incy)], a = *u, b = *v;
		*u = h11 * a + h12 * b;
		*v = h21 * a + h22 * b;
	}
}
template <class T> static cublasStatus_t rotm(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const T *param)
{
	NEED(h);
	parameters<T> p = {};
	if (h->mode == CUBLAS_POINTER_MODE_DEVICE)
		p.at = param;
	else
		memcpy(p.value, param, sizeof p.value);
	blas_rotm<T><<<grid_for(n), THREADS, 0, h->stream>>>(n, x, incx, y, incy, p);
	return launched();
}
template <class T, class R> static __global__ void blas_rotg(T *a, T *b, R *c, T *s) { make_rotation(a, b, c, s); }
template <class T> static __global__ void blas_rotmg(T *d1, T *d2, T *x1, const T *y1, T *p) { make_modified(d1, d2, x1, y1, p); }

extern "C" {
#define ROT(name, T, S) \
cublasStatus_t name(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const real<T> *c, const S *s) \
{ \
	return rot<T, S>(h, n, x, incx, y, incy, c, s); \
}
ROT(cublasSrot_v2, float, float)
ROT(cublasDrot_v2, double, double)
ROT(cublasCrot_v2, cuComplex, cuComplex)
ROT(cublasCsrot_v2, cuComplex, float)
ROT(cublasZrot_v2, cuDoubleComplex, cuDoubleComplex)
ROT(cublasZdrot_v2, cuDoubleComplex, double)
#define ROTG(name, T, R) \
cublasStatus_t name(cublasHandle_t h, T *a, T *b, R *c, T *s) \
{ \
	NEED(h); \
	if (h->mode == CUBLAS_POINTER_MODE_HOST) { \
		make_rotation(a, b, c, s); \
		return CUBLAS_STATUS_SUCCESS; \
	} \
	blas_rotg<T, R><<<1, 1, 0, h->stream>>>(a, b, c, s); \
	return launched(); \
}
ROTG(cublasSrotg_v2, float, float)
ROTG(cublasDrotg_v2, double, double)
ROTG(cublasCrotg_v2, cuComplex, float)
ROTG(cublasZrotg_v2, cuDoubleComplex, double)
#define MODIFIED(L, T) \
cublasStatus_t cublas##L##rotm_v2(cublasHandle_t h, int n, T *x, int incx, T *y, int incy, const T *param) \
{ \
	return rotm<T>(h, n, x, incx, y, incy, param); \
} \
cublasStatus_t cublas##L##rotmg_v2(cublasHandle_t h, T *d1, T *d2, T *x1, const T *y1, T *param) \
{ \
	NEED(h); \
	if (h->mode == CUBLAS_POINTER_MODE_HOST) { \
		make_modified(d1, d2, x1, y1, param); \
		return CUBLAS_STATUS_SUCCESS; \
	} \
	blas_rotmg<T><<<1, 1, 0, h->stream>>>(d1, d2, x1, y1, param); \
	return launched(); \
}
MODIFIED(S, float)
MODIFIED(D, double)
#define SCAL(name, T, R) \
cublasStatus_t name(cublasHandle_t h, int n, const R *alpha, T *x, int incx) \
{ \
	NEED(h); \
	blas_scal_real<T><<<grid_for(n), THREADS, 0, h->stream>>>(n, scalar_of(h, alpha), x, incx); \
	return launched(); \
}
SCAL(cublasCsscal_v2, cuComplex, float)
SCAL(cublasZdscal_v2, cuDoubleComplex, double)
} /* extern "C" */
