// Records results of the special unit (MUFU), for src/exec/alu/mufu.c:
//   nvcc -arch=sm_90 -cubin -o mufu_kernels.cubin mufu_kernels.cu && nvcc -arch=sm_90 -O2 -o mufu mufu.cu
//   ./mufu sums >sums.tsv      a sum over each 2^23 of all 2^32 inputs of each function: tests/data/mufu/sums.tsv
//   ./mufu rows >rows.tsv      4,096 inputs of each function and 1,024 of each on halves: tests/data/mufu/rows.tsv.gz
//   ./mufu dump DIR            DIR/FUNCTION.bin, results from which mufu.py derives the tables of src/exec/alu/mufu.def
// A sum is that of t ^ t >> 13 with t = (u ^ u >> 15) * 0x85ebca6b and u = result + input *
// 0x9e3779b1, modulo 2^32. A row is a function, the first
// of 32 inputs, the step from each to the next, and the results.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x)                                                                                                       \
	do {                                                                                                           \
		cudaError_t e = (x);                                                                                   \
		if (e != cudaSuccess) {                                                                                \
			fprintf(stderr, "mufu.cu:%d: %s\n", __LINE__, cudaGetErrorString(e));                          \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

// In the order of the instruction field's codes.
static const char *const names[] = {"cos", "sin", "ex2", "lg2", "rcp", "rsq", "rcp64h", "rsq64h", "sqrt", "tanh"};
enum { FUNCTIONS = 10, EX2 = 2, RCP64H = 6, RSQ64H = 7, TANH = 9, LANES = 32 };
static const char *const types[] = {"", ".f16", ".bf16"};

static std::vector<char> cubin;

static void read_cubin(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f) {
		fprintf(stderr, "mufu: %s is missing: mufu.cu says how it is made\n", path);
		exit(1);
	}
	for (int c; (c = getc(f)) != EOF;)
		cubin.push_back((char)c);
	fclose(f);
}

// The kernel of this name, with the function and its type patched into its MUFU instructions: bits
// 10 to 13, and bits 8 and 9, of the upper word.
static cudaKernel_t kernel(const char *name, unsigned function, unsigned type)
{
	std::vector<char> code = cubin;
	for (size_t i = 0; i + 16 <= code.size(); i += 8) {
		uint64_t w[2];
		memcpy(w, &code[i], 16);
		if ((w[0] & 0xfff) != 0x308 || (w[1] & 0xfffff) != 0x1000)
			continue;
		w[1] = (w[1] & ~0x3f00ull) | function << 10 | type << 8;
		memcpy(&code[i], w, 16);
	}
	cudaLibrary_t lib;
	cudaKernel_t k;
	CHECK(cudaLibraryLoadData(&lib, code.data(), 0, 0, 0, 0, 0, 0));
	CHECK(cudaLibraryGetKernel(&k, lib, name));
	return k;
}

static uint32_t mix(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

static std::vector<uint32_t> results(unsigned function, unsigned type, const std::vector<uint32_t> &in)
{
	std::vector<uint32_t> out(in.size());
	uint32_t *a, *b, n = (uint32_t)in.size();
	CHECK(cudaMalloc(&a, 4ull * n));
	CHECK(cudaMalloc(&b, 4ull * n));
	CHECK(cudaMemcpy(a, in.data(), 4ull * n, cudaMemcpyHostToDevice));
	void *args[] = {&a, &b, &n};
	CHECK(cudaLaunchKernel((const void *)kernel("each", function, type), dim3((n + 255) / 256), dim3(256), args, 0, 0));
	CHECK(cudaMemcpy(out.data(), b, 4ull * n, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	return out;
}

static void print_sums()
{
	enum { LOG = 23, SUMS = 1 << (32 - LOG) };
	uint32_t *d, sum[SUMS], log = LOG;
	CHECK(cudaMalloc(&d, sizeof sum));
	for (unsigned f = 0; f < FUNCTIONS; f++) {
		CHECK(cudaMemset(d, 0, sizeof sum));
		void *args[] = {&d, &log};
		CHECK(cudaLaunchKernel((const void *)kernel("sum", f, 0), dim3(1 << 14), dim3(256), args, 0, 0));
		CHECK(cudaMemcpy(sum, d, sizeof sum, cudaMemcpyDeviceToHost));
		for (unsigned i = 0; i < SUMS; i += 8) {
			printf("%s\t%08x", names[f], i << LOG);
			for (unsigned k = 0; k < 8; k++)
				printf("\t%08x", sum[i + k]);
			printf("\n");
		}
	}
}

// Rows over all exponents, over the numbers around one (for doubles' upper words as for floats), around the ends of the formats, and of integers.
static std::vector<std::pair<uint32_t, uint32_t>> starts(unsigned f, unsigned type)
{
	std::vector<std::pair<uint32_t, uint32_t>> s;
	if (type) {
		for (uint32_t i = 0; i < 16; i++)
			s.push_back({i << 12, 0x81});
		for (uint32_t i = 0; i < 16; i++)
			s.push_back({(type == 1 ? 0x3800 : 0x3f00) + i * 0x61, 3});
		return s;
	}
	bool wide = f == RCP64H || f == RSQ64H;
	uint32_t one = wide ? 0x3ff00000 : 0x3f800000, inf = wide ? 0x7ff00000 : 0x7f800000, unit = wide ? 1 << 20 : 1 << 23;
	for (uint32_t i = 0; i < 64; i++)
		s.push_back({i << 26, 0x00200001});
	for (uint32_t i = 0; i < 40; i++)
		s.push_back({one - unit + i * (3 * unit / 40), 3 * unit / 40 / 32 - 1});
	const uint32_t at[] = {0, unit, inf, one, one - unit, one + unit, one + 7 * unit, one - 8 * unit};
	for (uint32_t x : at)
		s.push_back({x - 16, 1});
	for (uint32_t x : at)
		s.push_back({(x | 0x80000000) - 16, 1});
	for (uint32_t i = 0; i < 8; i++)
		s.push_back({(one + 3 * (i >> 1) * unit) | i << 31, unit >> 5});
	return s;
}

static void print_rows()
{
	for (unsigned type = 0; type < 3; type++)
		for (unsigned f = 0; f < FUNCTIONS; f++) {
			if (type && (f == RCP64H || f == RSQ64H))
				continue;
			std::vector<uint32_t> in;
			for (auto &s : starts(f, type))
				for (uint32_t i = 0; i < LANES; i++)
					in.push_back(s.first + i * s.second);
			std::vector<uint32_t> out = results(f, type, in);
			for (size_t i = 0; i < in.size(); i += LANES) {
				printf("%s%s\t%08x\t%08x", names[f], types[type], in[i], in[i + 1] - in[i]);
				for (size_t k = i; k < i + LANES; k++)
					printf("\t%08x", out[k]);
				printf("\n");
			}
		}
}

// Stores the inputs from which a function's table is derived: consecutive ones from `first`; for
// functions of fixed-point numbers multiples of 2^-step; for the tangent one in sixteen, at random.
static void dump(const std::string &dir)
{
	static const struct {
		unsigned function;
		uint32_t first, step, n;
	} sets[] = {{1, 0, 24, 1 << 22},	  {EX2, 0, 23, 1 << 23},       {3, 0x3f800000, 0, 1 << 23},
		    {4, 0x3f800000, 0, 1 << 23}, {5, 0x3f800000, 0, 1 << 24}, {8, 0x3f800000, 0, 1 << 24},
		    {TANH, 0x38800000, 0, 17 << 19}};
	for (auto &s : sets) {
		std::vector<uint32_t> in(s.n);
		for (uint32_t i = 0; i < s.n; i++) {
			float x = (float)i / (float)(1 << s.step);
			in[i] = s.function == TANH ? s.first + (i << 4 | mix(i) & 15) : s.first + i;
			if (s.step)
				memcpy(&in[i], &x, 4);
		}
		std::vector<uint32_t> out = results(s.function, 0, in);
		FILE *f = fopen((dir + "/" + names[s.function] + ".bin").c_str(), "wb");
		if (!f || fwrite(out.data(), 4, out.size(), f) != out.size() || fclose(f)) {
			fprintf(stderr, "mufu: cannot write to %s\n", dir.c_str());
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	read_cubin("mufu_kernels.cubin");
	std::string what = argc > 1 ? argv[1] : "";
	if (what == "sums" && argc == 2)
		print_sums();
	else if (what == "rows" && argc == 2)
		print_rows();
	else if (what == "dump" && argc == 3)
		dump(argv[2]);
	else {
		fprintf(stderr, "usage: mufu sums | mufu rows | mufu dump DIR\n");
		return 2;
	}
	return 0;
}
