/* cuda::std::complex on the device against the host's std::complex of double. */
#include <complex>
#include <math.h>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include "check.h"

enum { FUNCTIONS = 24 };

template <class T, class C> __host__ __device__ void all(const C &a, const C &b, C *out)
{
	using namespace cuda::std;
	C r = a;
	r += b;
	r *= T(2);
	r -= a;
	r /= b;
	C values[FUNCTIONS] = {a + b, a - b, a * b, a / b, -a * T(3) + T(1), T(1) / b, r, conj(a), exp(a), log(a),
		log10(b), sqrt(a), sin(a), cos(b), tan(a), sinh(a), cosh(b), tanh(a), asin(a), acosh(b),
		pow(a, b), pow(a, T(3)), pow(T(2), b), C(norm(a) + abs(b), arg(a) + a.real() - imag(b))};
	for (int i = 0; i < FUNCTIONS; i++)
		out[i] = values[i];
}

template <class T>
__global__ void kernel(cuda::std::complex<T> a, cuda::std::complex<T> b, cuda::std::complex<T> *out, int *same)
{
	all<T>(a, b, out);
	out[FUNCTIONS] = cuda::std::polar(T(2), T(0.5));
	*same = a == a && a != b && cuda::std::complex<T>(T(3)) == T(3) && cuda::std::sqrt(T(2.25)) == T(1.5) &&
		cuda::std::abs(T(-1)) == T(1);
}

template <class T> static void check(double tolerance)
{
	typedef std::complex<double> ref;
	cuda::std::complex<T> a(T(0.7), T(-1.3)), b(T(1.9), T(0.4)), *out;
	int *same;
	ref want[FUNCTIONS + 1];
	CUDA(cudaMallocManaged(&out, (FUNCTIONS + 1) * sizeof *out));
	CUDA(cudaMallocManaged(&same, sizeof *same));
	kernel<T><<<1, 1>>>(a, b, out, same);
	CUDA(cudaDeviceSynchronize());
	all<double>(ref(a.real(), a.imag()), ref(b.real(), b.imag()), want);
	want[FUNCTIONS] = std::polar(2.0, 0.5);
	CHECK(*same == 1);
	for (int i = 0; i <= FUNCTIONS; i++) {
		double wrong = std::abs(ref(out[i].real(), out[i].imag()) - want[i]);
		CHECK(wrong <= tolerance * std::abs(want[i]));
		if (!(wrong <= tolerance * std::abs(want[i])))
			printf("value %d is off by %g\n", i, wrong);
	}
}

static_assert(alignof(cuda::std::complex<float>) == 8 && alignof(cuda::std::complex<double>) == 16, "");
static_assert(std::is_convertible<cuda::std::complex<float>, cuda::std::complex<double>>::value, "");
static_assert(!std::is_convertible<cuda::std::complex<double>, cuda::std::complex<float>>::value, "");

int main()
{
	check<float>(1e-5);
	check<double>(1e-13);
	std::complex<float> host = cuda::std::complex<float>(1, 2);
	CHECK(cuda::std::complex<double>(host) == cuda::std::complex<double>(1, 2));
	return failures != 0;
}
