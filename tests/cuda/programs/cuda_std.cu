// options: -std=c++17
/* cuda::std in device code: limits, traits, arrays, tuples, pairs, operators. */
#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>
#include <cuda/std/atomic>
#include "check.h"

template <class T> __device__ T largest()
{
	static_assert(cuda::std::is_arithmetic<T>::value, "");
	return cuda::std::numeric_limits<T>::max();
}

__device__ cuda::std::pair<int, float> both(int i) { return cuda::std::make_pair(i, i * 0.5f); }

__global__ void kernel(int *out, float *real)
{
	cuda::std::array<int, 4> a = {1, 2, 3, 4};
	int sum = 0;
	for (int v : a)
		sum = cuda::std::plus<int>()(sum, v);
	cuda::std::tuple<int, char> t(7, 'x');
	auto p = both(9);
	int x = 1, y = 2;
	cuda::std::swap(x, y);
	cuda::std::atomic<int> count(5);
	count.fetch_add(3);
	out[0] = sum;
	out[1] = cuda::std::get<0>(t) + cuda::std::get<1>(t);
	out[2] = p.first;
	out[3] = x * 10 + y;
	out[4] = largest<int>();
	out[5] = (int)a.size();
	out[6] = (int)sizeof(cuda::std::uint64_t);
	out[7] = count.load();
	real[0] = p.second;
	real[1] = cuda::std::numeric_limits<float>::infinity();
	real[2] = cuda::std::sqrt(2.25f);
}

int main()
{
	int *out;
	float *real;
	CUDA(cudaMallocManaged(&out, 64));
	CUDA(cudaMallocManaged(&real, 64));
	kernel<<<1, 1>>>(out, real);
	CUDA(cudaDeviceSynchronize());
	static const int want[] = {10, 7 + 'x', 9, 21, 0x7fffffff, 4, 8, 8};
	for (int i = 0; i < 8; i++)
		CHECK(out[i] == want[i]);
	CHECK(real[0] == 4.5f && real[1] > 3e38f && real[2] == 1.5f);
	return failures != 0;
}
