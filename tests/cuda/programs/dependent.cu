/* Member templates of dependent types without the keyword `template`, which nvcc does not require; comparisons that
 * look similar stay comparisons. */
#include "check.h"

template <typename To, typename From> struct convert {
	template <int n> __host__ __device__ static void run(To *to, const From *from)
	{
		for (int i = 0; i < n; i++)
			to[i] = (To)from[i];
	}
};

template <typename T> struct box {
	T v[4];
	template <int i> __host__ __device__ T get() const { return v[i]; }
	template <typename U> __host__ __device__ U as(int i) const;
	template <int k> struct part {
		static const int size = k * (int)sizeof(T);
	};
	static const int limit = 3;
};
template <typename T> template <typename U> __host__ __device__ U box<T>::as(int i) const
{
	return (U)v[i];
}

template <typename T> __host__ __device__ int use(const T *in)
{
	box<T> b;
	const box<T> *p = &b;
	convert<T, T>::run<4>(b.v, in);
	int more = b.v[0] < in[1] && in[2] > (T)2;
	int compare = box<T>::limit < (int)in[3] > (0); /* not a template */
	return (int)b.get<1>() + p->get<2>() * 10 + b.as<int>(3) * 100 + more * 1000 + compare * 10000 +
	       box<T>::part<2>::size * 100000;
}

__global__ void kernel(int *out, const float *f, const char *c)
{
	out[0] = use(f);
	out[1] = use(c);
}

int main()
{
	struct data {
		int out[2];
		float f[4];
		char c[4];
	} *d;
	CUDA(cudaMallocManaged(&d, sizeof *d));
	for (int i = 0; i < 4; i++)
		d->f[i] = d->c[i] = (char)(i + 1);
	kernel<<<1, 1>>>(d->out, d->f, d->c);
	CUDA(cudaDeviceSynchronize());
	CHECK(d->out[0] == 811432 && d->out[1] == 211432);
	CHECK(use(d->f) == 811432);
	return failures != 0;
}
