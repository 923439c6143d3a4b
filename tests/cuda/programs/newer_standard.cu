/* What C++20 lets a program leave out and clang 14 requires, and assembler text that nothing instantiates. */
// options: -std=c++20
#include "check.h"

template <typename T> struct traits {
	using type = T;
	template <typename U> struct with { using type = U; };
};
template <typename T> struct box {
	using type = traits<T>::type;
	using const_type = const traits<T>::type;
	using other = traits<T>::template with<int>::type;
	type v;
	__host__ __device__ traits<T>::type get() const { return v; }
};
struct quad { int a, b, c, d; };
template <typename T> struct coord {
	T x, y;
	__host__ __device__ operator int4() const { return int4((int)x, (int)y, 3, 4); }
	__host__ __device__ quad swap() const { quad q((int)y, (int)x, 0, 1); return q; }
};
template <typename T> __device__ void never(T x)
{
	asm volatile("mov.b32 %0, %2;" : "=r"(x) : "r"(x)); /* one operand too few, never instantiated */
}

/* members of an object whose type depends on the template's arguments, called without `template` */
template <typename T> struct schedule {
	T n;
	template <int k> __host__ __device__ T next(int x) const { return n * k + x; }
};
template <typename T> __host__ __device__ int step(const T &s, int x)
{
	int y = s.next<2>(x);
	return y + s.next<3>(x + 1);
}
static __device__ inline void unused(__int128_t x) { asm volatile("st.shared.b128 [%0], %1;" :: "r"(0), "q"(x)); }

__global__ void kernel(int *out)
{
	box<int> b{7};
	box<int>::const_type c = 5;
	box<float>::other o = 3;
	int4 v = coord<float>{1, 2};
	quad q = coord<float>{1, 2}.swap();
	out[0] = b.get() + c * 10 + o * 100;
	out[1] = v.x + v.y * 10 + v.z * 100 + v.w * 1000;
	out[2] = q.a + q.b * 10 + q.c * 100 + q.d * 1000;
}

int main()
{
	int *d;
	CUDA(cudaMallocManaged(&d, 3 * sizeof *d));
	kernel<<<1, 1>>>(d);
	CUDA(cudaDeviceSynchronize());
	CHECK(d[0] == 357 && d[1] == 4321 && d[2] == 1012);
	CHECK(step(schedule<int>{10}, 1) == 53);
	int4 v = coord<int>{8, 9};
	CHECK(v.x == 8 && v.w == 4);
	return failures != 0;
}
