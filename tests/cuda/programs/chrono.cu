// options: -std=c++14
/* cuda::std::chrono: durations convert and count alike on both sides, and clocks go forward. */
#include <cuda/std/chrono>
#include "check.h"

namespace chrono = cuda::std::chrono;

__host__ __device__ void durations(long long *out)
{
	using namespace cuda::std::chrono_literals;
	chrono::milliseconds ms = chrono::seconds(3) + 250ms;
	ms += chrono::milliseconds(4);
	ms++;
	out[0] = ms.count();
	out[1] = chrono::duration_cast<chrono::seconds>(ms).count();
	out[2] = chrono::nanoseconds(ms).count();
	out[3] = 2min > chrono::seconds(119);
	out[4] = (chrono::hours(1) / chrono::minutes(7));
	out[5] = (ms % chrono::seconds(1)).count();
	chrono::system_clock::time_point t = chrono::system_clock::from_time_t(1000);
	t += 5s;
	out[6] = chrono::system_clock::to_time_t(t);
	out[7] = (t - chrono::system_clock::time_point()).count();
}

template <class Clock> __host__ __device__ bool forward()
{
	auto start = Clock::now();
	auto end = start + chrono::nanoseconds(200);
	while (Clock::now() < end)
		;
	return Clock::now() - start >= chrono::nanoseconds(200);
}

__global__ void kernel(long long *out)
{
	durations(out);
	out[8] = forward<chrono::system_clock>();
	out[9] = forward<chrono::steady_clock>();
	out[10] = forward<chrono::high_resolution_clock>();
}

int main()
{
	long long *out, host[8];
	static const long long want[] = {3255, 3, 3255000000, 1, 8, 255, 1005, 1005000000000};
	CUDA(cudaMallocManaged(&out, 16 * sizeof *out));
	kernel<<<1, 1>>>(out);
	CUDA(cudaDeviceSynchronize());
	durations(host);
	for (int i = 0; i < 8; i++)
		CHECK(out[i] == want[i] && host[i] == want[i]);
	CHECK(out[8] == 1 && out[9] == 1 && out[10] == 1);
	CHECK(forward<chrono::system_clock>() && forward<chrono::steady_clock>());
	return failures != 0;
}
