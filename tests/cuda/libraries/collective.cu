/* CUB's collective operations of warps, blocks and devices, and Thrust's vectors and algorithms, against the host. */
#include <algorithm>
#include <cstdio>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda_occupancy.h>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <vector>

static int results, wrong;

template <typename T> static void same(const char *what, const T &got, const T &want)
{
	results++;
	if (got == want)
		return;
	wrong++;
	printf("%s differs\n", what);
}

static constexpr int THREADS = 96, N = 3000;

__global__ void collect(const int *in, int *out)
{
	typedef cub::BlockReduce<int, THREADS> reduce;
	typedef cub::BlockScan<int, THREADS> scan;
	typedef cub::WarpReduce<int> warp;
	__shared__ union {
		typename reduce::TempStorage reduce;
		typename scan::TempStorage scan;
		typename warp::TempStorage warp[THREADS / 32];
	} t;
	int x = in[threadIdx.x], sum = reduce(t.reduce).Sum(x), before, largest;
	__syncthreads();
	scan(t.scan).ExclusiveSum(x, before);
	__syncthreads();
	largest = warp(t.warp[threadIdx.x / 32]).Reduce(x, cub::Max());
	out[threadIdx.x] = before;
	if (threadIdx.x == 0)
		out[THREADS] = sum;
	if (threadIdx.x % 32 == 0)
		out[THREADS + 1 + threadIdx.x / 32] = largest;
}

struct square {
	__host__ __device__ int operator()(int x) const { return x * x; }
};

static void blocks(const std::vector<int> &h, thrust::device_vector<int> &d)
{
	std::vector<int> want(THREADS), got(THREADS + 4);
	thrust::device_vector<int> out(THREADS + 4);
	collect<<<1, THREADS>>>(thrust::raw_pointer_cast(d.data()), thrust::raw_pointer_cast(out.data()));
	thrust::copy(out.begin(), out.end(), got.begin());
	for (int i = 1; i < THREADS; i++)
		want[i] = want[i - 1] + h[i - 1];
	want.push_back(std::accumulate(h.begin(), h.begin() + THREADS, 0));
	for (int w = 0; w < 3; w++)
		want.push_back(*std::max_element(h.begin() + 32 * w, h.begin() + 32 * w + 32));
	same("warp and block", got, want);
}

static void devices(std::vector<int> h, thrust::device_vector<int> &d)
{
	thrust::device_vector<int> out(N), one(1);
	std::vector<int> got(N);
	const int *from = thrust::raw_pointer_cast(d.data());
	size_t most = 0, bytes = 0;
	cub::DeviceReduce::Sum(nullptr, bytes, from, thrust::raw_pointer_cast(one.data()), N);
	cub::DeviceRadixSort::SortKeys(nullptr, most, from, thrust::raw_pointer_cast(out.data()), N);
	thrust::device_vector<char> room(std::max(most, bytes));
	cub::DeviceReduce::Sum(thrust::raw_pointer_cast(room.data()), bytes, from,
		thrust::raw_pointer_cast(one.data()), N);
	same("device sum", (int)one[0], std::accumulate(h.begin(), h.end(), 0));
	cub::DeviceRadixSort::SortKeys(thrust::raw_pointer_cast(room.data()), most, from,
		thrust::raw_pointer_cast(out.data()), N);
	std::sort(h.begin(), h.end());
	thrust::copy(out.begin(), out.end(), got.begin());
	same("device sort", got, h);
}

static void algorithms(std::vector<int> h, thrust::device_vector<int> &d)
{
	std::vector<int> got(N);
	thrust::transform(d.begin(), d.end(), d.begin(), square());
	thrust::inclusive_scan(d.begin(), d.end(), d.begin());
	thrust::copy(d.begin(), d.end(), got.begin());
	std::transform(h.begin(), h.end(), h.begin(), square());
	std::partial_sum(h.begin(), h.end(), h.begin());
	same("transform and scan", got, h);
}

/* Blocks per SM by the header's formula and by the runtime, where registers do not limit them. */
static void occupancy()
{
	cudaDeviceProp p;
	cudaFuncAttributes a;
	cudaGetDeviceProperties(&p, 0);
	cudaFuncGetAttributes(&a, collect);
	for (size_t shared : {0, 20000, 40000}) {
		cudaOccDeviceProp properties = p;
		cudaOccFuncAttributes attributes = a;
		cudaOccDeviceState state;
		cudaOccResult r;
		int n;
		attributes.numRegs = 16;
		properties.reservedSharedMemPerBlock = 0;
		cudaOccMaxActiveBlocksPerMultiprocessor(&r, &properties, &attributes, &state, THREADS, shared);
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, collect, THREADS, shared);
		same("occupancy", r.activeBlocksPerMultiprocessor, n);
		same("limit", r.limitingFactors, shared ? (unsigned)OCC_LIMIT_SHARED_MEMORY : r.limitingFactors);
	}
}

int main()
{
	std::vector<int> h(N);
	for (int i = 0; i < N; i++)
		h[i] = (int)((unsigned)i * 2654435761u >> 20) - 2048;
	thrust::device_vector<int> d(h.begin(), h.end());
	blocks(h, d);
	devices(h, d);
	algorithms(h, d);
	occupancy();
	printf("%d results\n", results);
	return wrong;
}
