// options: -std=c++14
/* Features that libcu++ has before the language does, in kernels of C++14: bits, identity, traits, maximum. */
#include <cuda/functional>
#include <cuda/std/bit>
#include <cuda/std/functional>
#include <cuda/std/type_traits>
#include "check.h"

namespace s = cuda::std;

__global__ void kernel(unsigned *out, unsigned x)
{
	static_assert(s::is_same<s::remove_cvref_t<const int &>, int>::value, "");
	static_assert(s::is_same<s::void_t<int, char>, void>::value && s::negation<s::bool_constant<false>>::value, "");
	unsigned short small = (unsigned short)x;
	unsigned long long wide = (unsigned long long)x << 20;
	unsigned i = 0;
	out[i++] = s::countl_zero(x);
	out[i++] = s::countl_zero(small);
	out[i++] = s::countl_zero(wide);
	out[i++] = s::countr_zero(wide);
	out[i++] = s::countr_zero(x - x);
	out[i++] = s::popcount(x);
	out[i++] = s::bit_width(x);
	out[i++] = s::bit_ceil(x);
	out[i++] = s::bit_floor(x);
	out[i++] = s::has_single_bit(x) * 2 + s::has_single_bit(s::bit_floor(x));
	out[i++] = s::rotl(small, 12);
	out[i++] = s::rotr(x, 4);
	out[i++] = s::rotl(x, 0);
	out[i++] = s::bit_cast<unsigned>((float)x);
	out[i++] = s::identity()(x);
	out[i++] = cuda::maximum<>()(x, 7u) * 10 + cuda::minimum<int>()((int)x, 7);
}

int main()
{
	unsigned *out;
	CUDA(cudaMallocManaged(&out, 64));
	kernel<<<1, 1>>>(out, 0x1234);
	CUDA(cudaDeviceSynchronize());
	static const unsigned want[] = {19, 3, 31, 22, 32, 5, 13, 0x2000, 0x1000, 1, 0x4123, 0x40000123, 0x1234, 0x4591a000,
		0x1234, 0x1234 * 10 + 7};
	for (int i = 0; i < 16; i++)
		CHECK(out[i] == want[i]);
	return failures != 0;
}
