// Random arguments of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, most of them valid: the return code and the
// map's 128 bytes.    tensor_maps SEED FIRST LAST [text]     prints the number and a hash of each case, or (text) all
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <cstdarg>
#include <string>

static uint64_t state;
static uint32_t rnd()
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33);
}
static uint32_t below(uint32_t n) { return rnd() % n; }
template <class T, int N> static T pick(const T (&v)[N]) { return v[below(N)]; }

struct args {
	bool im2col;
	uint32_t type, rank, inter, swz, l2, oob, chan, pix;
	uint64_t addr, dim[6], stride[6];
	uint32_t box[6], es[6];
	int lower[6], upper[6];
};
static unsigned bytes_of(unsigned t)
{
	static const unsigned b[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
	return t < 13 ? b[t] : 1;
}

static void valid(args *a)
{
	memset(a, 0, sizeof *a);
	a->im2col = below(3) == 0;
	a->type = below(13);
	a->rank = a->im2col ? 3 + below(3) : 1 + below(5);
	unsigned w = bytes_of(a->type);
	a->inter = a->rank >= 3 && below(4) == 0 ? 1 + below(2) : 0;
	a->swz = a->inter == 2 ? 1 : a->inter ? 0 : below(4);
	if (a->inter && below(2))
		a->swz = below(4);
	a->l2 = below(4);
	a->oob = a->type >= 6 && below(3) == 0;
	a->addr = 0x7f0000000000ull + 64ull * below(1 << 20);
	uint64_t s = 0;
	for (unsigned i = 0; i < a->rank; i++) {
		a->dim[i] = 1 + below(300);
		if (!i && !a->inter)
			a->dim[i] = (16 / w) * (1 + below(20));
		s = i ? s * a->dim[i] : (a->dim[0] * w + 31) / 32 * 32 * (a->inter ? 4 : 1);
		a->stride[i] = (s + 31) / 32 * 32 + 32 * below(3);
		s = a->stride[i] = a->stride[i] % (1ull << 38);
		a->box[i] = 1 + below(16);
		a->es[i] = below(3) ? 1 : 1 + below(8);
	}
	unsigned span = a->swz ? 16u << a->swz : 256;
	a->box[0] = 16 * (1 + below(span / 16)) / w;
	if (a->box[0] > 256)
		a->box[0] = 256;
	a->chan = a->box[0];
	a->pix = 1 + below(256);
	int r = a->rank == 3 ? 32768 : a->rank == 4 ? 128 : 16;
	for (unsigned i = 0; i + 2 < a->rank; i++) {
		do
			a->lower[i] = (int)below(r < 20 ? r : 20) - (r < 20 ? r : 20) / 2,
			a->upper[i] = (int)below(r < 20 ? r : 20) - (r < 20 ? r : 20) / 2;
		while ((int)a->dim[a->inter ? i : i + 1] + a->upper[i] - a->lower[i] <= 0 &&
		       below(20));
	}
}

static const uint64_t big[] = {0,          1,
			       2,          15,
			       16,         255,
			       256,        257,
			       1ull << 31, (1ull << 32) - 1,
			       1ull << 32, (1ull << 32) + 1,
			       1ull << 33, 1ull << 40,
			       ~0ull};
static const uint64_t strides[] = {0,
				   1,
				   8,
				   16,
				   24,
				   32,
				   48,
				   64,
				   1ull << 32,
				   (1ull << 36) - 16,
				   1ull << 36,
				   (1ull << 39),
				   (1ull << 40) - 16,
				   (1ull << 40) - 32,
				   1ull << 40,
				   (1ull << 40) + 16,
				   1ull << 41,
				   ~15ull,
				   ~31ull};
static const uint32_t smalls[] = {
	0,   1,   2,   3,    5,    7,    8,     9,     10,         15,          16,
	17,  31,  32,  33,   63,   64,   65,    127,   128,        129,         255,
	256, 257, 512, 1023, 1024, 1025, 65535, 65536, 0x7fffffff, 0x80000000u, 0xffffffffu};
static const int corners[] = {0,     1,     -1,     15,     16,    -16,        -17,
			      17,    127,   128,    -128,   -129,  255,        256,
			      32767, 32768, -32768, -32769, 65536, 0x7fffffff, (int)0x80000000};
static const uint64_t addrs[] = {0,
				 1,
				 8,
				 16,
				 32,
				 48,
				 0x1000,
				 0x7f0000000010ull,
				 0x7f0000000008ull,
				 0x7f0000000020ull,
				 1ull << 48,
				 (1ull << 49),
				 (1ull << 56),
				 (1ull << 57),
				 ~15ull,
				 ~31ull,
				 1ull << 63};

static void mutate(args *a)
{
	unsigned i = below(6);
	switch (below(19)) {
	case 0: a->type = below(20); break;
	case 1: a->rank = below(8) > 6 ? 0xffffffffu : below(7); break;
	case 2: a->inter = below(5); break;
	case 3: a->swz = below(8); break;
	case 4: a->l2 = below(6); break;
	case 5: a->oob = below(4); break;
	case 6: a->addr = pick(addrs); break;
	case 7: a->dim[i] = pick(big); break;
	case 8: a->stride[i] = pick(strides); break;
	case 9: a->box[i] = pick(smalls); break;
	case 10: a->es[i] = pick(smalls); break;
	case 11: a->box[0] = pick(smalls); break;
	case 12: a->chan = pick(smalls); break;
	case 13: a->pix = pick(smalls); break;
	case 14: a->lower[i % 3] = pick(corners); break;
	case 15: a->upper[i % 3] = pick(corners); break;
	case 16:
		a->inter = 1 + below(2);
		a->swz = below(4);
		break;
	case 17:
		a->stride[i] += 16 * (below(3));
		a->dim[0] += below(3);
		break;
	case 18:
		a->box[i % 5] = 1 + below(256);
		a->box[(i + 1) % 5] = 1 + below(256);
		a->box[(i + 2) % 5] = 1 + below(256);
		break;
	}
}

static std::string text; // of the present case
static void say(const char *fmt, ...)
{
	char b[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(b, sizeof b, fmt, ap);
	va_end(ap);
	text += b;
}
static void show(const args *a)
{
	say("%c t%u r%u a%llx i%u s%u l%u o%u", a->im2col ? 'I' : 'T', a->type, a->rank,
	    (unsigned long long)a->addr, a->inter, a->swz, a->l2, a->oob);
	unsigned n = a->rank < 6 ? a->rank : 6;
	say(" d");
	for (unsigned i = 0; i < n; i++)
		say(i ? "x%llx" : "%llx", (unsigned long long)a->dim[i]);
	say(" p");
	for (unsigned i = 0; i + 1 < n; i++)
		say(i ? "x%llx" : "%llx", (unsigned long long)a->stride[i]);
	say(" e");
	for (unsigned i = 0; i < n; i++)
		say(i ? "x%u" : "%u", a->es[i]);
	if (!a->im2col) {
		say(" b");
		for (unsigned i = 0; i < n; i++)
			say(i ? "x%u" : "%u", a->box[i]);
		return;
	}
	say(" w");
	for (unsigned i = 0; i + 2 < n; i++)
		say(i ? "x%d" : "%d", a->lower[i]);
	say(" u");
	for (unsigned i = 0; i + 2 < n; i++)
		say(i ? "x%d" : "%d", a->upper[i]);
	say(" c%u p%u", a->chan, a->pix);
}

static CUresult encode(CUtensorMap *m, const args *a)
{
	if (a->im2col)
		return cuTensorMapEncodeIm2col(
			m, (CUtensorMapDataType)a->type, a->rank, (void *)a->addr,
			(cuuint64_t *)a->dim, (cuuint64_t *)a->stride, a->lower, a->upper, a->chan,
			a->pix, a->es, (CUtensorMapInterleave)a->inter, (CUtensorMapSwizzle)a->swz,
			(CUtensorMapL2promotion)a->l2, (CUtensorMapFloatOOBfill)a->oob);
	return cuTensorMapEncodeTiled(m, (CUtensorMapDataType)a->type, a->rank, (void *)a->addr,
				      (cuuint64_t *)a->dim, (cuuint64_t *)a->stride, a->box, a->es,
				      (CUtensorMapInterleave)a->inter, (CUtensorMapSwizzle)a->swz,
				      (CUtensorMapL2promotion)a->l2,
				      (CUtensorMapFloatOOBfill)a->oob);
}

static void line(CUresult rc, const unsigned char *b)
{
	say(rc ? " = %d" : " = %d ", (int)rc);
	for (int i = 0; !rc && i < 128; i += 8) {
		uint64_t x;
		memcpy(&x, b + i, 8);
		say(x ? "%llx," : ",", (unsigned long long)x);
	}
}

int main(int argc, char **argv)
{
	uint64_t seed = strtoull(argv[1], 0, 0);
	int first = atoi(argv[2]), last = atoi(argv[3]);
	cudaFree(0); // a context
	static unsigned char raw[128] __attribute__((aligned(128)));
	for (int k = first; k < last; k++) {
		state = seed * 1000003 + (uint64_t)k;
		for (int i = 0; i < 4; i++)
			rnd();
		args a;
		valid(&a);
		for (unsigned m = k % 5 ? below(3) + (k % 5 == 1) : 0; m; m--)
			mutate(&a);
		text.clear();
		show(&a);
		line(encode((CUtensorMap *)raw, &a), raw);
		uint32_t h = 2166136261u;
		for (char c : text)
			h = (h ^ (unsigned char)c) * 16777619u;
		if (argc > 4)
			printf("%d %s\n", k, text.c_str());
		else
			printf("encode %d %08x\n", k, h);
	}
	return 0;
}
