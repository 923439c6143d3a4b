// When the blocks of an SM begin: from the first block's first clock to that of each later one, and how fast blocks follow
// each other when each ends at once.
//
//   nvcc -arch=sm_90 -O3 -o blocks blocks.cu && ./blocks > blocks.tsv
//
// Rows:
//   start   per place on the SM (0, 1, ...): median and largest first clock over all SMs; blocks then spin or sleep
//   rate    first clock of the n-th block of an SM if blocks end after a wait of so many cycles: median over SMs
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x)                                                                                                       \
	do {                                                                                                           \
		cudaError_t e = (x);                                                                                   \
		if (e != cudaSuccess) {                                                                                \
			fprintf(stderr, "blocks.cu:%d: %s\n", __LINE__, cudaGetErrorString(e));                        \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
enum { SMS = 132, MOST = 1 << 20 };
static unsigned *out, *host;

__global__ void begin(unsigned *o, unsigned wait, int sleep)
{
	unsigned t, n, sm;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)::"memory");
	if (threadIdx.x == 0) {
		o[2 * blockIdx.x] = sm;
		o[2 * blockIdx.x + 1] = t;
	}
	if (sleep)
		__nanosleep(wait / 2);
	else
		do
			asm volatile("mov.u32 %0, %%clock;" : "=r"(n)::"memory");
		while (n - t < wait);
}

static void show(const char *row, const char *what, unsigned grid, unsigned most)
{
	std::vector<unsigned> start[SMS];
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, out, grid * 8, cudaMemcpyDeviceToHost));
	for (unsigned b = 0; b < grid; b++)
		start[host[2 * b]].push_back(host[2 * b + 1]);
	for (auto &s : start)
		std::sort(s.begin(), s.end(), [](unsigned a, unsigned b) { return (int)(a - b) < 0; });
	printf("%s\t%s\t", row, what);
	for (unsigned i = 0; i < most; i++) {
		std::vector<unsigned> at;
		for (auto &s : start)
			if (s.size() > i)
				at.push_back(s[i] - s[0]);
		if (at.empty())
			break;
		std::sort(at.begin(), at.end());
		printf("%u/%u ", at[at.size() / 2], at.back());
	}
	printf("\n");
}

int main(void)
{
	char what[120];
	CHECK(cudaMalloc(&out, MOST * 8));
	host = (unsigned *)malloc(MOST * 8);
	printf("row\twhat\tcycles\n");
	for (int sleep = 0; sleep < 2; sleep++)
		for (unsigned threads = 32; threads <= 1024; threads *= 2)
			for (unsigned part = 1; part <= 2; part++) { // all of the SMs' places, then half of them
				unsigned each = std::min(32u, 2048 / threads) / part;
				for (int k = 0; k < 2; k++)
					begin<<<SMS * each, threads>>>(out, 20000, sleep);
				snprintf(what, sizeof what, "%u blocks of %u threads, then %s", SMS * each, threads, sleep ? "sleeps" : "spins");
				show("start", what, SMS * each, each);
			}
	for (unsigned threads = 32; threads <= 1024; threads *= 4)
		for (unsigned grid = 66; grid <= 132; grid += 33) {
			begin<<<grid * 4, threads>>>(out, 20000, 0);
			snprintf(what, sizeof what, "%u blocks of %u threads, then spins", grid * 4, threads);
			show("start", what, grid * 4, 8);
		}
	static const unsigned waits[] = {0, 100, 300, 1000};
	for (unsigned wait : waits)
		for (unsigned threads = 32; threads <= 1024; threads *= 2) {
			for (int k = 0; k < 2; k++)
				begin<<<SMS * 64, threads>>>(out, wait, 0);
			snprintf(what, sizeof what, "%u blocks of %u threads that wait %u cycles", SMS * 64, threads, wait);
			show("rate", what, SMS * 64, 64);
		}
	return 0;
}
