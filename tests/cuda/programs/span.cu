/* cuda::std::span: its constructors, its subspans, and equal results on host and device. */
#include <vector>
#include <cuda/std/array>
#include <cuda/std/span>
#include "check.h"

using cuda::std::span;

__host__ __device__ int sum(span<const int> s)
{
	int r = 0;
	for (int v : s)
		r += v;
	return r;
}

template <size_t n> __host__ __device__ int fixed(span<int, n> s) { return (int)(n * 1000) + s.back(); }

__host__ __device__ void parts(span<int> s, int *out)
{
	int plain[4] = {1, 2, 3, 4};
	cuda::std::array<int, 3> a = {5, 6, 7};
	const cuda::std::array<int, 2> c = {8, 9};
	span<int, 4> whole(plain);
	s[0] = 100;
	s.subspan(2, 2)[1] = 7;
	out[0] = sum(s);
	out[1] = sum(plain) + sum(a) + sum(c);
	out[2] = fixed(whole) + fixed(whole.first<2>()) + fixed(whole.last<3>());
	out[3] = fixed(whole.subspan<1>()) + fixed(whole.subspan<1, 2>());
	out[4] = (int)s.first(3).size() * 100 + (int)s.last(2).size_bytes();
	out[5] = s.subspan(1).front() * 10 + s.last(3)[0];
	out[6] = span<int>().empty() && !s.empty() && span<int>(s.begin(), s.end()).size() == s.size();
	out[7] = *s.rbegin();
}

static_assert(sizeof(span<int, 4>) == sizeof(int *), "a length that is known takes no room");
static_assert(std::is_convertible<span<int>, span<const int>>::value, "");
static_assert(!std::is_convertible<span<const int>, span<int>>::value, "");
static_assert(!std::is_convertible<span<int>, span<long>>::value, "");
static_assert(!std::is_constructible<span<int, 3>, int (&)[4]>::value, "");
static_assert(!std::is_default_constructible<span<int, 3>>::value, "");

__global__ void kernel(span<int> s, int *out) { parts(s, out); }

int main()
{
	int *m;
	CUDA(cudaMallocManaged(&m, 16 * sizeof *m));
	for (int i = 0; i < 5; i++)
		m[i] = i;
	std::vector<int> v(m, m + 5);
	int host[8];
	static const int want[] = {100 + 1 + 2 + 7 + 4, 10 + 18 + 17, 4004 + 2002 + 3004, 3004 + 2003, 308, 12, 1, 4};
	kernel<<<1, 1>>>(span<int>(m, 5), m + 8);
	CUDA(cudaDeviceSynchronize());
	parts(v, host);
	for (int i = 0; i < 8; i++)
		CHECK(m[8 + i] == want[i] && host[i] == want[i]);
	CHECK(sum(v) == sum(span<int>(m, 5)));
	return failures != 0;
}
