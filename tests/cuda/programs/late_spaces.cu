/* Members whose declaration and definition have different execution space specifiers: nvcc makes
 * them __host__ __device__. Overloads, and members whose definition has a specifier too, stay as
 * they are. */
#include "check.h"

class lock {
public:
	lock(int *word);
	~lock();
	void take();
	void release();

private:
	int *word;
};
inline __device__ lock::lock(int *w) : word(w) { take(); }
inline __device__ lock::~lock() { release(); }
inline __device__ void lock::take()
{
	while (atomicCAS(word, 0, 1))
		;
	__threadfence();
}
inline __device__ void lock::release()
{
	__threadfence();
	atomicExch(word, 0);
}

namespace space {
template <class T> struct vec {
	T x, y;
	vec operator+(const vec &o) const;
	T operator()(int i) const;
	template <class U> U dot(const vec<U> &o) const;
	static T twice(T a);
	__device__ T sum() const;
	__device__ T late(T a) const;
	__host__ __device__ T half(T a) const;
	static T pick(int a);
	static __device__ T pick(float a);
};
}
template <class T> __host__ __device__ space::vec<T> space::vec<T>::operator+(const vec &o) const
{
	return vec{x + o.x, y + o.y};
}
template <class T> __device__ T space::vec<T>::operator()(int i) const { return i ? y : x; }
template <class T> template <class U> __device__ U space::vec<T>::dot(const vec<U> &o) const
{
	return x * o.x + y * o.y;
}
template <class T> __device__ T space::vec<T>::twice(T a) { return 2 * a; }
template <class T> __device__ T space::vec<T>::sum() const { return x + y; }
template <class T> T space::vec<T>::late(T a) const { return x + a; }
template <class T> __device__ T space::vec<T>::half(T a) const { return a / 2; }
template <class T> T space::vec<T>::pick(int) { return 1; }
template <class T> __device__ T space::vec<T>::pick(float) { return 2; }

__global__ void add(int *word, int *total)
{
	if (threadIdx.x == 0) {
		lock l(word);
		*(volatile int *)total += 1;
	}
}

__global__ void vectors(int *out)
{
	space::vec<int> a{1, 2}, b{3, 4};
	out[0] = (a + b)(0);
	out[1] = (a + b)(1);
	out[2] = a.dot(b);
	out[3] = space::vec<int>::twice(21) + a.sum();
	out[4] = space::vec<int>::pick(1.0f);
	out[5] = a.late(7) + a.half(10);
}

int main()
{
	int *m;
	CUDA(cudaMallocManaged(&m, 8 * sizeof *m));
	for (int i = 0; i < 8; i++)
		m[i] = 0;
	add<<<20, 64>>>(&m[0], &m[1]);
	vectors<<<1, 1>>>(m + 2);
	CUDA(cudaDeviceSynchronize());
	CHECK(m[0] == 0);
	CHECK(m[1] == 20);
	CHECK(m[2] == 4 && m[3] == 6);
	CHECK(m[4] == 11);
	CHECK(m[5] == 45);
	CHECK(m[6] == 2);
	CHECK(m[7] == 13);
	CHECK(space::vec<int>::pick(1) == 1);
	return failures != 0;
}
