/* The functions for dynamic programming against their definitions in wider arithmetic, on the
 * device and on the host, for numbers at the ends of the ranges and worked examples. */
#include <stdint.h>
#include "check.h"

enum { VALUES = 9, TRIPLES = VALUES * VALUES * VALUES };
#define WORDS {0, 1, 0xffffffffu, 0x7fffffff, 0x80000000u, 0x00018000, 0x7fff8000, 0x12345678, 0xfffe0003u}

/* name, bits, signed, what: 0 max3, 1 min3, 2 a + b and max, 3 a + b and min, 4 max, 5 min of two; at least 0? */
#define FUNCTIONS(F3, F2)                                                                                     \
	F3(__vimax3_s32, 32, 1, 0, 0) F3(__vimax3_u32, 32, 0, 0, 0) F3(__vimax3_s16x2, 16, 1, 0, 0)           \
	F3(__vimax3_u16x2, 16, 0, 0, 0) F3(__vimax3_s32_relu, 32, 1, 0, 1) F3(__vimax3_s16x2_relu, 16, 1, 0, 1) \
	F3(__vimin3_s32, 32, 1, 1, 0) F3(__vimin3_u32, 32, 0, 1, 0) F3(__vimin3_s16x2, 16, 1, 1, 0)           \
	F3(__vimin3_u16x2, 16, 0, 1, 0) F3(__vimin3_s32_relu, 32, 1, 1, 1) F3(__vimin3_s16x2_relu, 16, 1, 1, 1) \
	F3(__viaddmax_s32, 32, 1, 2, 0) F3(__viaddmax_u32, 32, 0, 2, 0) F3(__viaddmax_s16x2, 16, 1, 2, 0)     \
	F3(__viaddmax_u16x2, 16, 0, 2, 0) F3(__viaddmax_s32_relu, 32, 1, 2, 1)                                \
	F3(__viaddmax_s16x2_relu, 16, 1, 2, 1) F3(__viaddmin_s32, 32, 1, 3, 0)                                \
	F3(__viaddmin_u32, 32, 0, 3, 0) F3(__viaddmin_s16x2, 16, 1, 3, 0) F3(__viaddmin_u16x2, 16, 0, 3, 0)   \
	F3(__viaddmin_s32_relu, 32, 1, 3, 1) F3(__viaddmin_s16x2_relu, 16, 1, 3, 1)                           \
	F2(__vimax_s32_relu, 32, 1, 4, 1) F2(__vimax_s16x2_relu, 16, 1, 4, 1)                                 \
	F2(__vimin_s32_relu, 32, 1, 5, 1) F2(__vimin_s16x2_relu, 16, 1, 5, 1)

struct expect { const char *name; int bits, sign, what, relu; };
#define ROW(name, bits, sign, what, relu) {#name, bits, sign, what, relu},
static const expect table[] = {FUNCTIONS(ROW, ROW)};
enum { COUNT = sizeof table / sizeof *table };

__host__ __device__ static void all(unsigned a, unsigned b, unsigned c, unsigned *out)
{
	int i = 0;
#define CALL3(name, bits, sign, what, relu) out[i++] = name(a, b, c);
#define CALL2(name, bits, sign, what, relu) out[i++] = name(a, b);
	FUNCTIONS(CALL3, CALL2)
}

__global__ void device(const unsigned *v, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < TRIPLES)
		all(v[i % VALUES], v[i / VALUES % VALUES], v[i / VALUES / VALUES], out + i * COUNT);
}

static int64_t number(uint64_t x, int bits, int sign)
{
	x &= (1ull << bits) - 1;
	return sign && x >> (bits - 1) ? (int64_t)x - (1ll << bits) : (int64_t)x;
}

static unsigned one(const expect &e, unsigned a, unsigned b, unsigned c)
{
	int64_t x = number(a, e.bits, e.sign), y = number(b, e.bits, e.sign), z = number(c, e.bits, e.sign), r;
	if (e.what == 2 || e.what == 3) {
		x = number((uint64_t)(x + y), e.bits, e.sign);
		y = z;
	}
	r = (e.what & 1) ? (x < y ? x : y) : (x > y ? x : y);
	if (e.what < 2)
		r = (e.what & 1) ? (r < z ? r : z) : (r > z ? r : z);
	return (unsigned)(e.relu && r < 0 ? 0 : r) & (e.bits == 16 ? 0xffffu : 0xffffffffu);
}

static unsigned expected(const expect &e, unsigned a, unsigned b, unsigned c)
{
	if (e.bits == 32)
		return one(e, a, b, c);
	return one(e, a, b, c) | one(e, a >> 16, b >> 16, c >> 16) << 16;
}

__global__ void choices(unsigned *out, bool *first)
{
	out[0] = __vibmax_s32(-3, 2, &first[0]);
	out[1] = __vibmax_u32((unsigned)-3, 2, &first[1]);
	out[2] = __vibmin_s32(5, 5, &first[2]);
	out[3] = __vibmax_s16x2(0xffff0004u, 0x00010003u, &first[3], &first[4]);
	out[4] = __vibmin_u16x2(0xffff0004u, 0x00010004u, &first[5], &first[6]);
}

int main()
{
	static const unsigned words[] = WORDS;
	unsigned *v, *out, host[COUNT];
	bool *first;
	CUDA(cudaMallocManaged(&v, sizeof words));
	CUDA(cudaMallocManaged(&out, TRIPLES * COUNT * sizeof *out));
	CUDA(cudaMallocManaged(&first, 16));
	for (int i = 0; i < VALUES; i++)
		v[i] = words[i];
	device<<<(TRIPLES + 127) / 128, 128>>>(v, out);
	CUDA(cudaDeviceSynchronize());
	for (int i = 0; i < TRIPLES; i++) {
		unsigned a = v[i % VALUES], b = v[i / VALUES % VALUES], c = v[i / VALUES / VALUES];
		all(a, b, c, host);
		for (int k = 0; k < COUNT; k++) {
			unsigned want = expected(table[k], a, b, c);
			if ((out[i * COUNT + k] != want || host[k] != want) && failures++ < 10)
				printf("%s(%x, %x, %x): %x, on the host %x, not %x\n", table[k].name, a, b, c,
				       out[i * COUNT + k], host[k], want);
		}
	}
	CHECK(__viaddmax_s32(3, 4, 5) == 7 && __viaddmin_s32_relu(-9, 4, 5) == 0);
	CHECK(__vimax3_s16x2(0x0001ffffu, 0x00020000u, 0x80000001u) == 0x00020001u);
	choices<<<1, 1>>>(out, first);
	CUDA(cudaDeviceSynchronize());
	CHECK(out[0] == 2 && !first[0]);
	CHECK(out[1] == (unsigned)-3 && first[1]);
	CHECK(out[2] == 5 && first[2]);
	CHECK(out[3] == 0x00010004u && !first[3] && first[4]);
	CHECK(out[4] == 0x00010004u && !first[5] && first[6]);
	return failures != 0;
}
